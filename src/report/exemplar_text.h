/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of a trace by the metrics of its service, in words.
 */
#ifndef REPORT_EXEMPLAR_TEXT_H
#define REPORT_EXEMPLAR_TEXT_H

#include "investigate/exemplars.h"

/* Says which trace was taken, and of how many. */
void exemplar_text_add(const struct exemplar_choice *c, struct notes *notes);

/* Why there is none, where lack says that. Always false. */
bool exemplar_text_explain(const struct exemplar_choice *c, struct error *err);

#endif
