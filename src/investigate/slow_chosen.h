/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a request was slow, by profiles that the user chose: files, or a baseline
 * of their own making. They are taken as they are; no other traces are asked
 * for.
 */
#ifndef INVESTIGATE_SLOW_CHOSEN_H
#define INVESTIGATE_SLOW_CHOSEN_H

#include "investigate/finding.h"

bool slow_is_chosen(const struct investigation *v);

/* As slow_investigate(), and the view of its rows. */
bool slow_chosen_investigate(struct investigation *v, struct finding *f,
			     struct time_range window,
			     struct error *err) MUST_CHECK;
bool slow_chosen_view(struct investigation *v, struct finding *f,
		      struct error *err) MUST_CHECK;

#endif
