/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with a file of the user's rules, and what may stand there
 * instead.
 */
#ifndef REPORT_RULES_FAULT_TEXT_H
#define REPORT_RULES_FAULT_TEXT_H

#include "analyze/code_rules.h"

/* Fills err after code_rules_parse() set a fault; name is the file's. Always
 * false. */
bool rules_fault_explain(const struct rules_fault *fault, const char *name,
			 struct error *err);

#endif
