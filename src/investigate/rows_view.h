/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows once more, of what filters leave of the profiles, while the verdict
 * and what is said of the whole stay.
 */
#ifndef INVESTIGATE_ROWS_VIEW_H
#define INVESTIGATE_ROWS_VIEW_H

#include "investigate/investigation.h"

/* What a view of the rows leaves as the verdict has it. */
struct kept_verdict {
	struct category_shares categories;
	struct category_shares baseline_categories;
};

/* Around ranking the rows once more. note_count: how many notes the result had
 * before it was first ranked. */
bool rows_view_begin(struct investigation *v, size_t note_count,
		     struct kept_verdict *kept, struct error *err) MUST_CHECK;
void rows_view_end(struct investigation *v, const struct kept_verdict *kept);

/* Instead of ranking: nothing was left. */
void rows_view_empty(struct investigation *v);

#endif
