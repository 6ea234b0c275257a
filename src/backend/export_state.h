/* SPDX-License-Identifier: Apache-2.0
 *
 * What was exported from one source to one destination, in a file: a few lines
 * that say which, and a line for each trace or profile. It is written anew as a
 * whole, so that it is always one or the other.
 */
#ifndef BACKEND_EXPORT_STATE_H
#define BACKEND_EXPORT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* A trace's id; of a profile what export_key_of_text() makes of its name. */
struct export_key {
	unsigned char bytes[16];
};

struct export_key export_key_of_text(struct str text);

struct export_state;

/* what: "traces", "profiles". No file: nothing was sent. ERROR_USAGE where it
 * is of something else. Borrows path. */
struct export_state *export_state_open(const char *path, const char *what,
				       struct str from, struct str to,
				       struct error *err) MUST_CHECK;
void export_state_free(struct export_state *s);

bool export_state_has(const struct export_state *s,
		      const struct export_key *key);

/* time_ns: when it began. Past LIMIT_EXPORT_KEPT those that began first are
 * forgotten when the state is written. */
bool export_state_add(struct export_state *s, const struct export_key *key,
		      int64_t time_ns, struct error *err) MUST_CHECK;

/* Writes it if there is something new, at the end in any case, else not more
 * often than its size allows. */
bool export_state_save(struct export_state *s, bool is_end,
		       struct error *err) MUST_CHECK;

#endif
