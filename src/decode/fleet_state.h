/* SPDX-License-Identifier: Apache-2.0
 *
 * A fleet as far as it was asked about, kept in a file: a line of JSON for the
 * question, one for each service there is, and one more for each that answered,
 * so that lines are only added.
 */
#ifndef DECODE_FLEET_STATE_H
#define DECODE_FLEET_STATE_H

#include "base/feed.h"
#include "base/out.h"
#include "model/fleet.h"

/* The first two kinds of lines. question: what was asked, as text that is the
 * same when it is asked again. */
void fleet_state_write(const struct fleet *f, struct str question,
		       struct out *out);

/* The line of a service that answered. */
void fleet_state_add(const struct fleet *f, size_t index, struct out *out);

/* Into an initialised f. *question is that of the file, in its arena.
 * ERROR_FORMAT names what is wrong. A file whose list of services is not whole
 * leaves f without any. */
bool fleet_state_read(struct fleet *f, struct feed *feed, struct str *question,
		      struct error *err) MUST_CHECK;

#endif
