/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of ranked functions share.
 */
#ifndef RANKING_H
#define RANKING_H

#include <math.h>
#include <stdio.h>

#include "analyze/profile_analysis.h"
#include "analyze/rank_facts.h"
#include "base/mem.h"
#include "report/texts.h"

/* Behind what declares an err of its own. */
#include "profile_making.h"

struct fixture {
	struct profile slow;
	struct profile baseline;
	struct result result;
};

static inline void release(struct fixture *f)
{
	arena_release(&f->result.arena);
	profile_release(&f->slow);
	profile_release(&f->baseline);
}

static inline void rank(struct fixture *f, bool has_baseline,
			const struct rank_want *want)
{
	memset(&f->result, 0, sizeof f->result);
	arena_init(&f->result.arena, 64 * MIB);
	notes_init(&f->result.notes);
	assert_ok(functions_rank(&f->slow, has_baseline ? &f->baseline : NULL,
				 want, &f->result, &err));
	notes_init(&f->result.reasons);
	comparison_notes_add(f->result.rank_facts, false, &f->result.notes,
			     &f->result.reasons);
}

static inline void rank_cpu(struct fixture *f, const char *slow,
			    const char *baseline, const struct rank_want *want)
{
	make_cpu_profile(&f->slow, slow);
	make_cpu_profile(&f->baseline, baseline ? baseline : "");
	rank(f, baseline != NULL, want);
}

static inline const struct function_row *row(const struct fixture *f,
					     const char *name)
{
	static const struct function_row none;

	for (size_t i = 0; i < f->result.function_count; i++)
		if (str_equal(f->result.functions[i].name, str_from(name)))
			return &f->result.functions[i];
	fail_msg("no row %s", name);
	return &none;
}

/* Neither claimed nor moved by what could matter: whether a change would have
 * been seen is tested on its own. */
static inline void assert_quiet(const struct function_row *row)
{
	if (row->change != CHANGE_SAME && row->change != CHANGE_UNSEEN)
		fail_msg("%.*s: change %d", STR_ARGS(row->name), row->change);
}

static inline void assert_order(const struct fixture *f,
				const char *const *names, size_t count)
{
	assert_true(f->result.function_count >= count);
	for (size_t i = 0; i < count; i++) {
		const struct function_row *r = &f->result.functions[i];

		if (!str_equal(r->name, str_from(names[i])))
			fail_msg("row %zu is %.*s, not %s", i + 1,
				 STR_ARGS(r->name), names[i]);
		assert_int_equal(r->rank, i + 1);
	}
}

#define ASSERT_ORDER(f, ...)                                                   \
	do {                                                                   \
		static const char *const names[] = { __VA_ARGS__ };            \
		assert_order(f, names, sizeof names / sizeof *names);          \
	} while (0)

static inline void assert_close(double have, double want)
{
	if (!(fabs(have - want) < 1e-9))
		fail_msg("%.12g is not %.12g", have, want);
}

static inline bool has_note(const struct fixture *f, const char *part)
{
	for (size_t i = 0; i < f->result.notes.count; i++)
		if (strstr(f->result.notes.text[i], part))
			return true;
	for (size_t i = 0; i < f->result.reasons.count; i++)
		if (strstr(f->result.reasons.text[i], part))
			return true;
	return false;
}

#endif
