/* SPDX-License-Identifier: Apache-2.0
 *
 * The state file of an export from one source to one destination: a header that
 * names them, and a line for each exported trace or profile. It is replaced as
 * a whole, so that a crash leaves either the old or the new state.
 */
#ifndef BACKEND_EXPORT_STATE_H
#define BACKEND_EXPORT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* The id of a trace; for a profile the result of export_key_of_text() for its
 * name. */
struct export_key {
	unsigned char bytes[16];
};

struct export_key export_key_of_text(struct str text);

struct export_state;

/* Opens the state. what: "traces", "profiles". No file means that nothing was
 * sent yet. ERROR_USAGE if the file is of another export. Borrows path. */
struct export_state *export_state_open(const char *path, const char *what,
				       struct str from, struct str to,
				       struct error *err) MUST_CHECK;
void export_state_free(struct export_state *s);

bool export_state_has(const struct export_state *s,
		      const struct export_key *key);

/* Adds an exported item; time_ns: its start. Beyond LIMIT_EXPORT_KEPT the items
 * with the earliest start are dropped on saving. */
bool export_state_add(struct export_state *s, const struct export_key *key,
		      int64_t time_ns, struct error *err) MUST_CHECK;

/* Writes the state if it changed: always if is_end, else not more often than
 * its size allows. */
bool export_state_save(struct export_state *s, bool is_end,
		       struct error *err) MUST_CHECK;

#endif
