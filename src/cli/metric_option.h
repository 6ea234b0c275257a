/* SPDX-License-Identifier: Apache-2.0
 *
 * The value of --metric: "NAME" or "NAME{LABEL}".
 */
#ifndef CLI_METRIC_OPTION_H
#define CLI_METRIC_OPTION_H

#include "backend/metric_names.h"
#include "base/error.h"

/* The metric and its label of the service's name, empty where it is not given;
 * ERROR_USAGE when it is none of those that are known. */
bool metric_option_read(const char *value, const struct metric_name **name,
			struct str *label, struct error *err) MUST_CHECK;

/* Whether it can be read. */
bool metric_option_check(const char *value, struct error *err) MUST_CHECK;

#endif
