/* SPDX-License-Identifier: Apache-2.0
 *
 * What JSON answers have in common (tracefind-json(5)), in the object of the
 * answer.
 */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include "base/jsonw.h"
#include "base/notes.h"
#include "model/result.h"

/* How every answer begins: the schema's version, the tool and the command; and
 * how it ends, most with their notes (NULL: without). */
void json_begin(struct jsonw *w, struct out *out, const char *command);
void json_end(struct jsonw *w, const struct notes *notes);

/* A list of texts. */
void json_notes(struct jsonw *w, const char *key, const struct notes *notes);

/* "requests": those of the result. */
void json_requests(struct jsonw *w, const struct result *result);

/* "from" and "to", null where the range is not known. */
void json_range(struct jsonw *w, struct time_range range);

/* "n_plus_one", "cpu": how answers name causes. */
const char *json_cause(enum cause_kind kind);

#endif
