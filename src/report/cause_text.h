/* SPDX-License-Identifier: Apache-2.0
 *
 * The cause in words, and what its confidence rests on, where one profile of
 * files or of a span was compared by hand.
 */
#ifndef REPORT_CAUSE_TEXT_H
#define REPORT_CAUSE_TEXT_H

#include "analyze/cause.h"
#include "base/error.h"

/* Fills the texts of result->cause, which cause_judge() has judged; what the
 * trace said stays where the facts add nothing. */
bool cause_text_write(const struct cause_facts *facts, struct result *result,
		      struct error *err) MUST_CHECK;

#endif
