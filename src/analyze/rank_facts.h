/* SPDX-License-Identifier: Apache-2.0
 *
 * What a ranking of functions found out besides its rows: how noise was told,
 * what was put down to the load, which names were counted as one. Numbers and
 * names only: report/comparison_notes.h has the words.
 */
#ifndef ANALYZE_RANK_FACTS_H
#define ANALYZE_RANK_FACTS_H

#include "analyze/diff.h"

struct rank_facts {
	size_t merged_count; /* functions of several generated names */
	struct func_move moves[FUNC_MOVES_MAX];
	size_t move_count;
	/* What follows is of a comparison, when changes were judged. */
	bool is_judged;
	enum diff_method method;
	struct str value_type; /* of the slow side: "inuse_space" */
	size_t blocks[SIDE_COUNT];
	double window_cv; /* as in struct diff, and so on */
	double period[SIDE_COUNT];
	bool is_share;
	bool is_together;
	double drift;
};

/* d: NULL when nothing was judged. Names that are not the profiles' are copied
 * to the arena. */
bool rank_facts_take(struct rank_facts *f, const struct func_table *t,
		     const struct diff *d, struct arena *arena,
		     struct error *err) MUST_CHECK;

#endif
