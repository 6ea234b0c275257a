/* SPDX-License-Identifier: Apache-2.0
 *
 * What may be written into the configuration from a command line.
 */
#ifndef CLI_CONFIG_VALUE_H
#define CLI_CONFIG_VALUE_H

#include "base/error.h"
#include "cli/optparse.h"

/* As the run would take it, so that it does not fail later, and no secret.
 * ERROR_USAGE. */
bool config_value_check(const struct option_form *form, const char *key,
			const char *value, struct error *err) MUST_CHECK;

#endif
