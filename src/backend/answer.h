/* SPDX-License-Identifier: Apache-2.0
 *
 * What all servers have in common when they do not give what was asked:
 * logins, redirects, HTML pages, overload; and the words for it. Names of
 * options carry the side ("--traces-token-file").
 */
#ifndef BACKEND_ANSWER_H
#define BACKEND_ANSWER_H

#include <stdbool.h>

#include "backend/source.h"
#include "base/error.h"
#include "base/json.h"

/* Why a server refused: its text, fit for one line of a message. */
struct reason {
	char text[240];
};

/* Foreign text as one line: trimmed, of whole characters, without controls.
 * The rest of the escaping is the terminal's affair. */
void line_copy(char *out, size_t size, struct str text);
/* So the next value when it is a string; others are skipped. */
void line_read(struct json_reader *r, char *out, size_t size);

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

#endif
