/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of --fail-on, as text.
 */
#ifndef CLI_FAIL_ON_H
#define CLI_FAIL_ON_H

#include "analyze/gates.h"

#define FAIL_ON_DEFAULT "total>3%,function>5%,new>1%"
/* Beside it, where traces are at hand. Windows of a quarter of an hour lie
 * some percent apart. */
#define FAIL_ON_LATENCY 0.1

/* "total>3%,function>5%": limits that are not named are off. ERROR_USAGE. */
bool fail_on_parse(const char *text, struct gate_limits *out,
		   struct error *err) MUST_CHECK;

#endif
