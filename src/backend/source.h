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
#include "base/document.h"
#include "base/error.h"
#include "base/json.h"
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

/* The sides that a run may query, each a server of its own. */
enum server_side {
	SERVER_TRACES = 0,
	SERVER_PROFILES,
	SERVER_METRICS,
	SERVER_TO, /* where an export goes: it is told, and asked nothing */
	SERVER_SIDES
};

/* "traces", "profiles", "metrics", "to": as their options begin. */
const char *server_side_name(enum server_side side);

/* A project instead of a host. The host is the API's own unless another is
 * named: a private endpoint, a proxy, a test. */
struct project_address {
	struct str base; /* "https://host/prefix"; empty: the API's own */
	struct str project;
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

/* Returns whether it is what lies in memory or waits at one moment, so that
 * snapshots cannot be summed; all else accumulates. For a full id. */
bool profile_type_is_gauge(struct str type_id);

/* The word of --type that means this id where a service has the types
 * `present`; an empty str when only the full id does. */
struct str profile_type_word(struct str type_id,
			     const struct name_list *present);

/* The names of `list` nearest to `wanted` (case, suffix after '/', edit
 * distance), best first, at most max; returns how many. */
size_t nearest_names(const struct name_list *list, struct str wanted,
		     struct str *out, size_t max);

/* The failures that all servers share: logins, redirects, HTML pages, overload;
 * and the words for it. Names of options carry the side
 * ("--traces-token-file"). */

/* Why a server refused: its text, fit for one line of a message. */
struct reason {
	char text[240];
};

/* Foreign text as one line: trimmed, of whole characters, without controls.
 * The rest of the escaping is the terminal's affair. */
void line_copy(char *out, size_t size, struct str text);
/* So the value when it is a string; otherwise out stays. */
void line_take(const struct document *d, char *out, size_t size);

/* The first line of a text body, the message inside a JSON one (Jaeger's
 * error and errors, Connect's nested message, Grafana's message), "an HTML
 * page" for HTML, "" when there is nothing to quote. */
void reason_read(const struct http_response *response, struct reason *reason);

/* The innermost Connect code ("unauthenticated") of a JSON error, or "". */
void connect_code_read(const struct http_response *response, char *out,
		       size_t size);

/* First byte that is no blank (a byte order mark skipped), or 0. */
char body_first(const struct http_response *response);
bool body_is_html(const struct http_response *response);
bool body_contains(const struct http_response *response, struct str text);

/* Whoever it is, on the way or there, wants to know who asks. */
bool answer_is_denied(const struct http_response *response);

/* The server does not have what was asked for, or shows its page instead. */
bool answer_lacks_route(const struct http_response *response);

/* A missing route in the words of the servers themselves: those of Go's router,
 * of Connect, or the web page of a Jaeger. A proxy has others, so that this one
 * tells of an older release. */
bool answer_lacks_own_route(const struct http_response *response);

/* The form of a good answer to one question, even one that holds nothing: all
 * else of the same status is none, such as the page of a proxy, an object of
 * another program or an empty body. */
struct answer_form {
	const char *keys[4]; /* its object has one of these */
	bool is_list;        /* it is a list instead */
	/* Fields without a value are left out, so that {} says "nothing", as
	 * application/json. */
	bool may_be_empty;
	bool may_be_plain; /* the same as text/plain */
};
bool answer_has_form(const struct http_response *response,
		     const struct answer_form *form);

/* True when the body is a JSON object that has the key, or is empty of keys
 * and may_be_empty. */
bool body_has_key(const struct http_response *response, struct str key,
		  bool may_be_empty);

/* Calls read for the value of the field of a JSON object, each time it stands
 * there; the rest is skipped. For a subject as in answer_fail(). */
bool answer_read_field(const struct http_response *response, struct str field,
		       void (*read)(struct json_reader *r, void *into),
		       void *into, const char *subject,
		       struct error *err) MUST_CHECK;

/* Sets err for any answer that is not success, and for HTML with 200. For a
 * subject such as "tempo" or "pyroscope: SelectMergeProfile". Returns
 * ANSWER_ERROR. */
enum answer answer_fail(const char *subject, const struct endpoint *e,
			const struct http_response *response,
			struct error *err);

/* The same for a 404 that means the route is missing: err says so, in case
 * nothing else is left to try. Returns ANSWER_TRY_NEXT. */
enum answer answer_no_route(const char *subject, const struct endpoint *e,
			    const struct http_response *response,
			    struct error *err);

/* ' (tenant "x" sent)' or a hint at --tenant-id, for what was not found. */
const char *tenant_words(const struct endpoint *e, char *out, size_t size);

/* The parts of requests that rooms share. Not for code outside backend/. */

/* Begins a path: below the project where the endpoint has one. */
void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes);

/* Hands path (and body) over to the request; checks both buffers, releases
 * them when something failed. */
bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err) MUST_CHECK;

#endif
