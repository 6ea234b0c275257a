/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies what the servers of a run hold to where it is wanted: the traces of a
 * window, the profiles of a window. Each is sent at least once: what an earlier
 * run sent is known by its state, but for what was on its way when it ended. Knows neither options nor formats; has no words.
 */
#ifndef INVESTIGATE_EXPORT_H
#define INVESTIGATE_EXPORT_H

#include "backend/address.h"
#include "base/out.h"

struct export_state; /* export_state.h */

/* Reasons of refusals that are told apart: those of one receiver are a few. */
#define EXPORT_REASONS 8u

struct export_reason {
	char text[LIMIT_ERROR_BYTES];
	uint64_t count;
};

/* How it went with traces, or with profiles. */
struct export_counts {
	uint64_t found; /* in the window */
	uint64_t sent;
	uint64_t known;      /* an earlier run had sent it */
	uint64_t gone;       /* listed, and not given */
	uint64_t refused;    /* by the receiver, or of no use: see reasons */
	uint64_t narrowed;   /* profiles without counts since a start */
	uint64_t incomplete; /* sent as the source had it: only in part */
	uint64_t spans;      /* sent */
	uint64_t rejected_spans; /* of them, by the receiver */
	uint64_t findings;       /* that went with them */
	/* There are more in the window than could be listed. */
	bool is_cut;
	struct export_reason reasons[EXPORT_REASONS];
	size_t reason_count;
	uint64_t other_reasons; /* refusals that found no place there */
};

struct export
{
	/* Set by the caller. */
	struct backends *backends;
	struct time_range window;
	const char *service; /* NULL: all */
	const struct destination *to;
	/* Where it is kept what a receiver was sent; NULL: in a file of this
	 * folder, which is then told here. */
	const char *state_path;
	const char *state_folder;
	bool keeps_state;
	/* Files instead of what a server has. */
	const char *const *paths;
	size_t path_count;
	/* How a trace becomes bytes: render/render.h. */
	bool (*encode)(const struct trace *t, size_t part_bytes,
		       bool (*take)(void *context, struct str part,
				    uint32_t span_count, struct error *err),
		       void *context, uint64_t *finding_count,
		       struct error *err);
	/* Told how far it is, or NULL. */
	void (*progress)(uint64_t done, uint64_t count);
	/* While it runs. */
	struct out *file;           /* of a destination that is one */
	struct export_state *state; /* NULL: none is kept */
	/* The answer, also of one that failed on the way. */
	struct export_counts counts;
};

/* The traces of the window, or all in files; with a service those that pass
 * through it. Or the profiles, which the server gives one by one or which are
 * files: a folder takes a file for each, and has those that are there already.
 * False where it cannot go on: what was sent until then is in the state. */
bool export_run(struct export *e, bool is_of_profiles,
		struct error *err) MUST_CHECK;

#endif
