/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies traces or profiles of a window from the servers of a run to a target.
 * Each is sent at least once: items that an earlier run sent are known from its
 * state file, except those in flight when it was interrupted.
 */
#ifndef INVESTIGATE_EXPORT_H
#define INVESTIGATE_EXPORT_H

#include "backend/address.h"
#include "base/out.h"

struct export_state; /* export_state.h */

/* Number of different reasons for refusals that are kept: a receiver has only a
 * few. */
#define EXPORT_REASONS 8u

struct export_reason {
	char text[LIMIT_ERROR_BYTES];
	uint64_t count;
};

/* The result for traces, or for profiles. */
struct export_counts {
	uint64_t found; /* in the window */
	uint64_t sent;
	uint64_t known;      /* skipped, as an earlier run had sent them */
	uint64_t gone;       /* listed, but not returned by the source */
	uint64_t refused;    /* by the receiver, or unusable: see reasons */
	uint64_t narrowed;   /* profiles without values since process start */
	uint64_t incomplete; /* sent, but incomplete at the source */
	uint64_t spans;      /* number of spans sent */
	uint64_t rejected_spans; /* of these, by the receiver */
	uint64_t findings;       /* sent along */
	/* The window has more than could be listed. */
	bool is_cut;
	struct export_reason reasons[EXPORT_REASONS];
	size_t reason_count;
	uint64_t other_reasons; /* refusals for other reasons */
};

struct export
{
	/* Set by the caller. */
	struct backends *backends;
	struct time_range window;
	const char *service; /* NULL: all */
	const struct destination *to;
	/* Path of the state file; NULL: a file in state_folder, whose path is
	 * then set here. */
	const char *state_path;
	const char *state_folder;
	bool keeps_state;
	/* Files instead of the server. */
	const char *const *paths;
	size_t path_count;
	/* Encodes a trace: render/render.h. */
	bool (*encode)(const struct trace *t, size_t part_bytes,
		       bool (*take)(void *context, struct str part,
				    uint32_t span_count, struct error *err),
		       void *context, uint64_t *finding_count,
		       struct error *err);
	/* Reports progress; may be NULL. */
	void (*progress)(uint64_t done, uint64_t count);
	/* Used while it runs. */
	struct out *file;           /* the target if it is a file */
	struct export_state *state; /* NULL: not kept */
	/* The result, also after a failure on the way. */
	struct export_counts counts;
};

/* Exports the traces of the window, or all in files; with a service those that
 * pass through it. Or the profiles, which the server returns one by one or
 * which are files. A folder as target gets one file per profile, and existing
 * ones are skipped. Returns false if it cannot go on; the state then has what
 * was sent. */
bool export_run(struct export *e, bool is_of_profiles,
		struct error *err) MUST_CHECK;

#endif
