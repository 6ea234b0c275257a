/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked: which span or service, over which minutes, against what, and
 * how much of it is wanted. Knows no options and no words of theirs; what the
 * pointers point at stays the caller's.
 */
#ifndef INVESTIGATE_QUESTION_H
#define INVESTIGATE_QUESTION_H

#include "analyze/code_rules.h"
#include "analyze/trace_analysis.h"
#include "analyze/view.h"
#include "investigate/windows.h"

/* Which functions are wanted, and how they are ranked. */
struct rows_want {
	bool has_measure; /* one was asked for, else what explains most */
	enum rank_by measure;
	bool has_normalize; /* so it is with this */
	enum normalize normalize;
	size_t limit;  /* rows kept; 0: all */
	size_t listed; /* rows in all for pages; 0: no more */
	bool is_drawn; /* drawings follow */
	bool is_plain; /* see struct rank_want */
};

struct question {
	struct guilty_want suspect; /* which span may be blamed */
	/* Around the span; else the user's own. */
	int64_t pad_ns;
	bool has_window;
	struct time_range window;
	struct baseline_want baseline;
	const char *type; /* a word or a full id; NULL: what explains most */
	const char *selector; /* of profiles; NULL: by the service's name */
	const char *baseline_selector; /* NULL: the same */
	const char *const *maps;       /* "attribute=label" */
	size_t map_count;
	bool has_scope; /* one evidence level was asked for */
	enum scope scope;
	struct rows_want rows;
	struct view view; /* which frames are shown of what was found */
	const struct code_rules *rules;
	bool has_reasons; /* the reasoning is wanted, too */
};

/* Whether this evidence level, and no other, was asked for. */
static inline bool question_scope_is(const struct question *q, enum scope scope)
{
	return q->has_scope && q->scope == scope;
}

static inline enum rank_by question_measure(const struct question *q,
					    enum rank_by fallback)
{
	return q->rows.has_measure ? q->rows.measure : fallback;
}

static inline enum normalize question_normalize(const struct question *q,
						enum normalize fallback)
{
	return q->rows.has_normalize ? q->rows.normalize : fallback;
}

#endif
