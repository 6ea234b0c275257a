/* SPDX-License-Identifier: Apache-2.0
 *
 * Which minutes are looked at: around a span, before it, and what a baseline
 * may be. Knows no options and no clock of its own.
 */
#ifndef INVESTIGATE_WINDOWS_H
#define INVESTIGATE_WINDOWS_H

#include "base/str.h"
#include "base/timefmt.h"

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

#endif
