/* SPDX-License-Identifier: Apache-2.0
 *
 * Time options to windows: the slow side's and the baseline's. All times are
 * resolved with the run's clock, so that a replay repeats them.
 */
#ifndef CLI_WINDOW_H
#define CLI_WINDOW_H

#include "base/error.h"
#include "base/timefmt.h"
#include "cli/options.h"

/* True when the user gave any of --from --to --since --around. */
bool window_is_given(const struct options *o);

/* Refuses a window when what is looked at is a file: nothing would read it.
 * path "-" is standard input, NULL no file. */
bool window_refuse_file(const struct options *o, const char *path,
			struct error *err) MUST_CHECK;

/* The window the options name; `fallback_ns` is the length before now when
 * they name none. */
bool window_resolve(const struct options *o, int64_t now_ns,
		    int64_t fallback_ns, struct time_range *out,
		    struct error *err) MUST_CHECK;

/* A span's time with --pad on both sides, not past now. */
struct time_range window_around(int64_t start_ns, int64_t end_ns,
				int64_t pad_ns, int64_t now_ns);

/* Where the samples of spans of this time are looked for: a little before it
 * and after it. Saturates. */
struct time_range window_of_samples(int64_t start_ns, int64_t end_ns);

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

/* Reads --baseline. */
bool baseline_parse(const struct options *o, int64_t now_ns,
		    struct baseline_want *out, struct error *err) MUST_CHECK;

/* The window before `slow`, of the same length, with a gap of one upload
 * interval of Go's CPU profiles (30 s, stamped at their start), so that no
 * profile reaches from one side into the other. */
struct time_range window_previous(struct time_range slow);

/* Earlier by shift_ns. Saturates. */
struct time_range window_shifted(struct time_range slow, int64_t shift_ns);

#endif
