/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a span is to blame, in words: what it spends its time on, how much more
 * than usual, and the way from the request to it. It chooses nothing.
 */
#ifndef REPORT_CHOICE_TEXTS_H
#define REPORT_CHOICE_TEXTS_H

#include "analyze/choice.h"

/* Fills the texts of result->span, its path, those of result->cause and of
 * result->findings; choice_conclude() has filled the rest. */
bool choice_texts_write(const struct choice *c, struct result *result,
			struct error *err) MUST_CHECK;

#endif
