/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no profile, in words: the difference between a wrong name, a
 * wrong server, a quiet window and one too far back, and what to do about each.
 */
#ifndef REPORT_SHORTFALL_TEXT_H
#define REPORT_SHORTFALL_TEXT_H

#include "investigate/facts.h"

/* The words for an error that an investigation left without any; other errors
 * stay as they are. Always false. */
bool shortfall_explain(const struct shortfall *s, struct error *err);

#endif
