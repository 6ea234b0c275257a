/* SPDX-License-Identifier: Apache-2.0
 *
 * The question of an investigation: which span or service, which window, which
 * baseline, and the wanted extent of the answer. Independent of command-line
 * options; pointers are borrowed.
 */
#ifndef INVESTIGATE_QUESTION_H
#define INVESTIGATE_QUESTION_H

#include "analyze/code_kind.h"
#include "analyze/trace_analysis.h"
#include "analyze/view.h"
#include "base/str.h"
#include "base/timefmt.h"

/* Time windows: around a span, before it, and of baselines. The current time is
 * always a parameter. */

/* Returns a span's time plus pad_ns before and after it, not later than now.
 * Saturates. */
struct time_range window_around(int64_t start_ns, int64_t end_ns,
				int64_t pad_ns, int64_t now_ns);

/* Returns the range in which to search for samples of spans of this time: a
 * little before to a little after it. Saturates. */
struct time_range window_of_samples(int64_t start_ns, int64_t end_ns);

/* Returns the window before `slow`, of the same length, with a gap of one
 * upload interval of Go's CPU profiles (30 s, stamped at their start), so that
 * no profile is part of both sides. */
struct time_range window_previous(struct time_range slow);

/* Returns the baseline shortened so that no upload that began in it extends
 * into the slow window after it; unchanged if hardly anything would remain. */
struct time_range window_apart(struct time_range base, struct time_range slow);

/* Returns the window shift_ns earlier. Saturates. */
struct time_range window_shifted(struct time_range slow, int64_t shift_ns);

enum baseline_kind {
	BASELINE_WANT_AUTO =
		0, /* previous, else the nearest earlier with samples */
	BASELINE_WANT_PREVIOUS,
	BASELINE_WANT_SHIFT, /* same window, `shift_ns` earlier */
	BASELINE_WANT_RANGE,
	BASELINE_WANT_FILE,
	BASELINE_WANT_VERSION, /* while `version` ran */
	BASELINE_WANT_FAST,    /* fast requests in the same window */
	BASELINE_WANT_NONE,
};

struct baseline_want {
	enum baseline_kind kind;
	const char *text; /* as given, for messages; default "auto" */
	int64_t shift_ns;
	struct time_range range;
	const char *path;
	struct str version; /* NUL-terminated */
};

/* Returns the time range of a baseline of `slow`, before anything is known
 * about its data. */
struct time_range window_of_baseline(const struct baseline_want *want,
				     struct time_range slow);

/* The functions to return, and their ranking. */
struct rows_want {
	bool has_measure; /* given; else the one that explains most */
	enum rank_by measure;
	bool has_normalize; /* the same for normalize */
	enum normalize normalize;
	size_t limit;  /* rows kept; 0: all */
	size_t listed; /* rows in total, for web pages; 0: no more */
	bool is_drawn; /* for graphs */
	bool is_plain; /* see struct rank_want */
};

struct question {
	struct guilty_want suspect; /* which span may be blamed */
	/* Padding around the span; has_window: the user's window instead. */
	int64_t pad_ns;
	bool has_window;
	struct time_range window;
	struct baseline_want baseline;
	const char *type;     /* word or full id; NULL: the one that explains
			       * most */
	const char *selector; /* of profiles; NULL: built from the service's
			       * name */
	const char *baseline_selector; /* NULL: same as selector */
	const char *const *maps;       /* "attribute=label" */
	size_t map_count;
	bool has_scope; /* an evidence level was given */
	enum scope scope;
	struct rows_want rows;
	struct view view; /* filters for the frames to show */
	const struct code_rules *rules;
	bool has_reasons; /* the reasoning is wanted, too */
};

/* Returns whether exactly this evidence level was given. */
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
