/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of the span as --why tells it: who competed, by what, and why
 * the others lost.
 */
#ifndef REPORT_CHOICE_REASONS_H
#define REPORT_CHOICE_REASONS_H

#include "analyze/choice.h"

/* Begins `reasons` anew with the candidates and what became of each. */
void choice_reasons_report(const struct choice *c, struct notes *reasons);

#endif
