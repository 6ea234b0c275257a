/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots as text: JSON with a line for each function, in the order of their
 * names, so that a repository shows what changed.
 */
#ifndef DECODE_SNAPSHOT_H
#define DECODE_SNAPSHOT_H

#include "base/out.h"
#include "model/snapshot.h"

/* Whether this begins as a snapshot does. */
bool snapshot_is(struct str bytes);

/* Into an initialised s; release it after failure, too. ERROR_FORMAT names what
 * is wrong, ERROR_LIMIT what is too much. */
bool snapshot_read(struct snapshot *s, struct str bytes,
		   struct error *err) MUST_CHECK;

void snapshot_write(const struct snapshot *s, struct out *out);

#endif
