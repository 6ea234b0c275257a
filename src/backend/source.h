/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by traces and profile servers: results of answers, the choice of the
 * most informative error, and lists of names.
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

/* The result of an answer. err is set for all but ANSWER_OK: for a miss it is
 * ERROR_NOT_FOUND with what to check, for ANSWER_TRY_NEXT the error for the
 * case that no attempt is left. */
enum answer {
	ANSWER_OK = 0,
	ANSWER_MISS,     /* the right server, but the item does not exist */
	ANSWER_TRY_NEXT, /* the server lacks the route or form: next attempt */
	ANSWER_ERROR,
};

/* The sides of a run, each with a server of its own. */
enum server_side {
	SERVER_TRACES = 0,
	SERVER_PROFILES,
	SERVER_METRICS,
	SERVER_TO, /* the target of an export; never queried */
	SERVER_SIDES
};

/* Returns "traces", "profiles", "metrics", "to": the prefix of their
 * options. */
const char *server_side_name(enum server_side side);

/* A project instead of a host. The host is the API's default unless another is
 * given: a private endpoint, a proxy, a test. */
struct project_address {
	struct str base; /* "https://host/prefix"; empty: the API's default */
	struct str project;
};

/* ---- probing ---- */

/* Sets err, in one line, if no kind of server was recognised: with what the
 * server looks like ("a Grafana login page: use the data source's own URL",
 * HTML, a redirect to ...), or its error. Appends advice. Returns false. */
bool source_probe_fail(const struct endpoint *endpoint, const char *wanted,
		       const struct http_response *responses, size_t n,
		       struct error *err);

/* Returns the most informative of several answers of one server about what is
 * wrong; n > 0. */
const struct http_response *source_probe_best(
	const struct http_response *responses, size_t n);

/* ---- names ---- */

struct name_list {
	struct str *items; /* sorted bytewise, distinct */
	size_t count;
};

/* Sorts the list bytewise and removes duplicates. */
void name_list_sort(struct name_list *list);

static inline bool name_list_has(const struct name_list *list, struct str name)
{
	return str_is_among(name, list->items, list->count);
}

/* Returns in *type_id the profile type to query: a word (cpu alloc inuse
 * goroutine mutex block wall ...) is resolved against the types of the service,
 * a full id stays as it is. With an empty list a word has a default id. Returns
 * false with ERROR_NOT_FOUND and the existing types. *is_gauge is set. */
bool profile_type_resolve(struct str word, const struct name_list *present,
			  struct arena *arena, struct str *type_id,
			  bool *is_gauge, struct error *err) MUST_CHECK;

/* Returns whether the type, a full id, counts objects or waiters at one time,
 * so that snapshots must not be summed; all other types accumulate. */
bool profile_type_is_gauge(struct str type_id);

/* Returns the word for --type that resolves to this id where a service has the
 * types `present`; an empty str if only the full id does. */
struct str profile_type_word(struct str type_id,
			     const struct name_list *present);

/* Finds the names of `list` nearest to `wanted` (case, suffix after '/', edit
 * distance), best first, at most max. Returns their number. */
size_t nearest_names(const struct name_list *list, struct str wanted,
		     struct str *out, size_t max);

/* Failures common to all servers: logins, redirects, HTML pages, overload; and
 * their messages. Names of options include the side ("--traces-token-file"). */

/* A server's reason for refusing, in one line of a message. */
struct reason {
	char text[240];
};

/* Copies foreign text as one line: trimmed, truncated at a whole character,
 * without control characters. Escaping for terminals is left to the output. */
void line_copy(char *out, size_t size, struct str text);
/* Copies the value likewise if it is a string; otherwise out is unchanged. */
void line_take(const struct document *d, char *out, size_t size);

/* Reads the first line of a text body, the message of a JSON one (Jaeger's
 * error and errors, Connect's nested message, Grafana's message), "an HTML
 * page" for HTML, "" if there is nothing to quote. */
void reason_read(const struct http_response *response, struct reason *reason);

/* Reads the innermost Connect code ("unauthenticated") of a JSON error, or
 * "". */
void connect_code_read(const struct http_response *response, char *out,
		       size_t size);

/* Returns the first byte that is not blank (after a byte order mark), or 0. */
char body_first(const struct http_response *response);
bool body_is_html(const struct http_response *response);
bool body_contains(const struct http_response *response, struct str text);

/* Returns whether the server, or a proxy before it, requires a login. */
bool answer_is_denied(const struct http_response *response);

/* Returns whether the server does not have the requested route, or returned its
 * web page instead. */
bool answer_lacks_route(const struct http_response *response);

/* Returns whether a route is reported missing in the words of the servers
 * themselves: those of Go's router, of Connect, or the web page of a Jaeger.
 * Proxies use others, so this shows an older release of the server. */
bool answer_lacks_own_route(const struct http_response *response);

/* The form of a valid answer to one query, even an empty one: any other with
 * the same status is invalid, such as the page of a proxy, an object of another
 * program or an empty body. */
struct answer_form {
	const char *keys[4]; /* it is an object with one of these keys */
	bool is_list;        /* it is an array instead */
	/* Fields without a value are omitted, so {} as application/json means
	 * an empty answer. */
	bool may_be_empty;
	bool may_be_plain; /* {} as text/plain as well */
};
bool answer_has_form(const struct http_response *response,
		     const struct answer_form *form);

/* Returns whether the body is a JSON object that has the key, or that has no
 * keys if may_be_empty. */
bool body_has_key(const struct http_response *response, struct str key,
		  bool may_be_empty);

/* Calls read for the value of each occurrence of the field of a JSON object;
 * the rest is skipped. Subject as in answer_fail(). */
bool answer_read_field(const struct http_response *response, struct str field,
		       void (*read)(struct json_reader *r, void *into),
		       void *into, const char *subject,
		       struct error *err) MUST_CHECK;

/* Sets err for any unsuccessful answer, and for HTML with status 200. subject:
 * for example "tempo" or "pyroscope: SelectMergeProfile". Returns
 * ANSWER_ERROR. */
enum answer answer_fail(const char *subject, const struct endpoint *e,
			const struct http_response *response,
			struct error *err);

/* Sets err for a 404 that means a missing route, in case no other attempt is
 * left. Returns ANSWER_TRY_NEXT. */
enum answer answer_no_route(const char *subject, const struct endpoint *e,
			    const struct http_response *response,
			    struct error *err);

/* Writes ' (tenant "x" sent)' or a hint at --tenant-id, for data that was not
 * found. */
const char *tenant_words(const struct endpoint *e, char *out, size_t size);

/* Building of requests, shared by the server kinds. Not for code outside
 * backend/. */

/* Starts a path: below the project if the endpoint has one. */
void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes);

/* Moves path (and body) into the request; checks both buffers, and releases
 * them on failure. */
bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err) MUST_CHECK;

#endif
