/* SPDX-License-Identifier: Apache-2.0
 *
 * What single values of options have to be like, beyond their kind: functions
 * for struct option_row, ERROR_USAGE with what is asked for.
 */
#ifndef CLI_OPTION_CHECKS_H
#define CLI_OPTION_CHECKS_H

#include "base/error.h"

typedef bool option_check_value(const char *value, struct error *err);

option_check_value option_check_span MUST_CHECK;
option_check_value option_check_source_url MUST_CHECK;
option_check_value option_check_trace_link MUST_CHECK;
option_check_value option_check_profile_link MUST_CHECK;
option_check_value option_check_since MUST_CHECK;
option_check_value option_check_min_width MUST_CHECK;
option_check_value option_check_above MUST_CHECK;
option_check_value option_check_query MUST_CHECK;
option_check_value option_check_map MUST_CHECK;
option_check_value option_check_path_map MUST_CHECK;
option_check_value option_check_fail_on MUST_CHECK;
option_check_value option_check_objective MUST_CHECK;
option_check_value option_check_selector MUST_CHECK;

#endif
