/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots as text: JSON with a line per function, sorted by name, so that
 * diffs in a repository are readable.
 */
#ifndef DECODE_SNAPSHOT_H
#define DECODE_SNAPSHOT_H

#include "base/out.h"
#include "model/fleet.h"
#include "model/snapshot.h"

/* Detects a snapshot by its beginning. */
bool snapshot_is(struct str bytes);

/* Reads into an initialised s; release it even after a failure. ERROR_FORMAT or
 * ERROR_LIMIT name the problem. */
bool snapshot_read(struct snapshot *s, struct str bytes,
		   struct error *err) MUST_CHECK;

void snapshot_write(const struct snapshot *s, struct out *out);

/* State file of check --all, to resume it: a line of JSON for the query, one
 * for each service, and one more for each service completed, so the file is
 * append-only. */

/* Writes the first two kinds of lines. question: a text that identifies the
 * query. */
void fleet_state_write(const struct fleet *f, struct str question,
		       struct out *out);

/* Writes the line of a completed service. */
void fleet_state_add(const struct fleet *f, size_t index, struct out *out);

/* Reads into an initialised f. *question is the file's, in its arena.
 * ERROR_FORMAT names the problem. If the list of services is incomplete, f has
 * none. */
bool fleet_state_read(struct fleet *f, struct str text, struct str *question,
		      struct error *err) MUST_CHECK;

#endif
