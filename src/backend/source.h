/* SPDX-License-Identifier: Apache-2.0
 *
 * What servers of traces and of profiles have in common: how an answer is to be
 * understood, which of several tells most, and lists of names.
 */
#ifndef BACKEND_SOURCE_H
#define BACKEND_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/timefmt.h"
#include "wire/http.h"

/* How an answer is to be understood. err is set for all but ANSWER_OK: for a
 * miss it is ERROR_NOT_FOUND with what to check, for ANSWER_TRY_NEXT what to
 * say when no attempt is left. */
enum answer {
	ANSWER_OK = 0,
	ANSWER_MISS,     /* the server is right, the thing is not there */
	ANSWER_TRY_NEXT, /* this server lacks the route or form: next attempt */
	ANSWER_ERROR,
};

/* ---- probing ---- */

/* One line for "none of the kinds answered": what the server looks like
 * ("a Grafana login page: use the data source's own URL", HTML, a redirect
 * to ...), or its error. Appends advice; sets err. Always returns false. */
bool source_probe_fail(const struct endpoint *endpoint, const char *wanted,
		       const struct http_response *responses, size_t n,
		       struct error *err);

/* The answer of several by one server that tells most about what is wrong;
 * n > 0. */
const struct http_response *source_probe_best(
	const struct http_response *responses, size_t n);

/* ---- names ---- */

struct name_list {
	struct str *items; /* sorted bytewise, distinct */
	size_t count;
};

/* Bytewise order, each once. */
void name_list_sort(struct name_list *list);

static inline bool name_list_has(const struct name_list *list, struct str name)
{
	return str_is_among(name, list->items, list->count);
}

/* The profile type id to ask for: a plain word (cpu alloc inuse goroutine
 * mutex block wall ...) resolved against what the service has, or a full id
 * verbatim. Empty list: the word's usual id. False with
 * ERROR_NOT_FOUND listing those present. *is_gauge is set. */
bool profile_type_resolve(struct str word, const struct name_list *present,
			  struct arena *arena, struct str *type_id,
			  bool *is_gauge, struct error *err) MUST_CHECK;

/* What lies in memory or waits at one moment, so that snapshots cannot be
 * summed; all else accumulates. For a full id. */
bool profile_type_is_gauge(struct str type_id);

/* The word of --type that means this id where a service has the types
 * `present`; an empty str when only the full id does. */
struct str profile_type_word(struct str type_id,
			     const struct name_list *present);

/* The names of `list` nearest to `wanted` (case, suffix after '/', edit
 * distance), best first, at most max; returns how many. */
size_t nearest_names(const struct name_list *list, struct str wanted,
		     struct str *out, size_t max);

#endif
