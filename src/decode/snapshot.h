/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots as text: JSON with a line for each function, in the order of their
 * names, so that a repository shows what changed.
 */
#ifndef DECODE_SNAPSHOT_H
#define DECODE_SNAPSHOT_H

#include "base/out.h"
#include "model/fleet.h"
#include "model/snapshot.h"

/* Returns whether this begins as a snapshot does. */
bool snapshot_is(struct str bytes);

/* Into an initialised s; release it after failure, too. ERROR_FORMAT names what
 * is wrong, ERROR_LIMIT what is too much. */
bool snapshot_read(struct snapshot *s, struct str bytes,
		   struct error *err) MUST_CHECK;

void snapshot_write(const struct snapshot *s, struct out *out);

/* A fleet as far as it was asked about, kept in a file: a line of JSON for the
 * question, one for each service there is, and one more for each that answered,
 * so that lines are only added. */

/* The first two kinds of lines. question: what was asked, as text that is the
 * same when it is asked again. */
void fleet_state_write(const struct fleet *f, struct str question,
		       struct out *out);

/* The line of a service that answered. */
void fleet_state_add(const struct fleet *f, size_t index, struct out *out);

/* Into an initialised f. *question is that of the file, in its arena.
 * ERROR_FORMAT names what is wrong. A file whose list of services is not whole
 * leaves f without any. */
bool fleet_state_read(struct fleet *f, struct str text, struct str *question,
		      struct error *err) MUST_CHECK;

#endif
