/* SPDX-License-Identifier: Apache-2.0
 *
 * What single values of options have to be like, beyond their kind: functions
 * for struct option_row, ERROR_USAGE with what is asked for.
 */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "analyze/gates.h"
#include "backend/metrics.h"
#include "base/error.h"

/* The value of --metric: "NAME" or "NAME{LABEL}". */

/* The metric and its label of the service's name, empty where it is not given;
 * ERROR_USAGE when it is none of those that are known. */
bool metric_option_read(const char *value, const struct metric_name **name,
			struct str *label, struct error *err) MUST_CHECK;

/* The limits of --fail-on, as text. */

#define FAIL_ON_DEFAULT "total>3%,function>5%,new>1%"

/* "total>3%,function>5%": limits that are not named are off. ERROR_USAGE. */
bool fail_on_parse(const char *text, struct gate_limits *out,
		   struct error *err) MUST_CHECK;

#endif
