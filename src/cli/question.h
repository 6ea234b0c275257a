/* SPDX-License-Identifier: Apache-2.0
 *
 * From options to the question that an investigation answers.
 */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "cli/options.h"
#include "investigate/question.h"

/* All but the suspect, the window, the baseline, the view and the rules, which
 * take more than options. What it points to stays the options'. */
void question_from_options(struct question *q, const struct options *o);

/* Which span may be blamed. ERROR_USAGE says what is wrong. */
bool question_suspect(struct question *q, const struct options *o,
		      struct error *err) MUST_CHECK;

#endif
