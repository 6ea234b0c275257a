/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked: which span or service, over which minutes, against what, and
 * how much of it is wanted. Knows no options and no words of theirs; what the
 * pointers point at stays the caller's.
 */
#ifndef INVESTIGATE_QUESTION_H
#define INVESTIGATE_QUESTION_H

#include "analyze/code_kind.h"
#include "analyze/trace_analysis.h"
#include "analyze/view.h"
#include "base/str.h"
#include "base/timefmt.h"

/* Which minutes are looked at: around a span, before it, and what a baseline
 * may be. Knows no options and no clock of its own. */

/* A span's time and as much before and after it, not past now. Saturates. */
struct time_range window_around(int64_t start_ns, int64_t end_ns,
				int64_t pad_ns, int64_t now_ns);

/* Where the samples of spans of this time are looked for: a little before it
 * and after it. Saturates. */
struct time_range window_of_samples(int64_t start_ns, int64_t end_ns);

/* The window before `slow`, of the same length, with a gap of one upload
 * interval of Go's CPU profiles (30 s, stamped at their start), so that no
 * profile reaches from one side into the other. */
struct time_range window_previous(struct time_range slow);

/* A baseline, cut so that no upload that began in it reaches into the slow
 * window behind it; as it is where hardly anything would remain. */
struct time_range window_apart(struct time_range base, struct time_range slow);

/* Earlier by shift_ns. Saturates. */
struct time_range window_shifted(struct time_range slow, int64_t shift_ns);

enum baseline_kind {
	BASELINE_WANT_AUTO =
		0, /* previous, else the nearest earlier with samples */
	BASELINE_WANT_PREVIOUS,
	BASELINE_WANT_SHIFT, /* the same window `shift_ns` earlier */
	BASELINE_WANT_RANGE,
	BASELINE_WANT_FILE,
	BASELINE_WANT_VERSION, /* where `version` ran */
	BASELINE_WANT_FAST,    /* the fast requests of the same minutes */
	BASELINE_WANT_NONE,
};

struct baseline_want {
	enum baseline_kind kind;
	const char *text; /* as given, for messages; "auto" when not */
	int64_t shift_ns;
	struct time_range range;
	const char *path;
	struct str version; /* NUL-terminated */
};

/* The minutes of a baseline of `slow`, before anything is known of what they
 * hold. */
struct time_range window_of_baseline(const struct baseline_want *want,
				     struct time_range slow);

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

/* Returns whether this evidence level, and no other, was asked for. */
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
