/* SPDX-License-Identifier: Apache-2.0
 *
 * What other traces said, for --why: since when it is slow, which requests
 * are slow like it, and what became of each baseline that was thought of.
 */
#ifndef REPORT_HISTORY_REASONS_H
#define REPORT_HISTORY_REASONS_H

#include "investigate/symptom.h"

/* Appends to reasons, in the order of the reasoning. After symptom_fill(). */
void history_reasons_add(const struct symptom *symptom,
			 const struct operation_history *s,
			 const struct baseline_want *want,
			 struct notes *reasons);

#endif
