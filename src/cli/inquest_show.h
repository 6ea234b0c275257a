/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts what an inquest chose into the answer: rows, both sides, words.
 */
#ifndef CLI_INQUEST_SHOW_H
#define CLI_INQUEST_SHOW_H

#include "cli/inquest.h"

/* From q->shown, NULL when no profile explains anything: then a note says
 * so. Moves the chosen profiles to the run's evidence. */
bool inquest_show(struct inquest *q, struct error *err) MUST_CHECK;

#endif
