/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/source.h"

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/google/google_address.h"
#include "base/mem.h"
#include "base/num.h"
#include "wire/http_error.h"
#include "wire/url.h"

#define PATH_BYTES ((size_t)4096)

static const struct {
	const char *prefix;
	enum source_kind kind;
} forced[] = {
	{ "tempo+", SOURCE_TEMPO },
	{ "jaeger+", SOURCE_JAEGER },
	{ "pyroscope+", SOURCE_PYROSCOPE },
	{ "parca+", SOURCE_PARCA },
};

/* A new server for traces: a file with its backend, and a row here. */
static const struct trace_backend *backend_find(enum source_kind kind)
{
	switch (kind) {
	case SOURCE_TEMPO:
		return &backend_tempo;
	case SOURCE_JAEGER:
		return &backend_jaeger;
	case SOURCE_CLOUD_TRACE:
		return &backend_cloud_trace;
	default:
		return NULL;
	}
}

const char *source_kind_name(enum source_kind kind)
{
	switch (kind) {
	case SOURCE_TEMPO:
		return "tempo";
	case SOURCE_JAEGER:
		return "jaeger";
	case SOURCE_PYROSCOPE:
		return "pyroscope";
	case SOURCE_PARCA:
		return "parca";
	case SOURCE_CLOUD_TRACE:
		return "Cloud Trace";
	case SOURCE_CLOUD_PROFILER:
		return "Cloud Profiler";
	case SOURCE_FILE:
		return "file";
	case SOURCE_UNKNOWN:
		break;
	}
	return "server";
}

/* ---- addresses ---- */

/* None of these messages repeats the text: it may hold a password. */
static bool check_url(struct str url, struct error *err)
{
	struct url_parts parts;

	if (!url_split(url, &parts)) {
		if (str_find(url, STR("://")) == SIZE_MAX)
			return error_set(err, ERROR_USAGE,
					 "an address begins with http:// or "
					 "https://, with tempo+, jaeger+, "
					 "pyroscope+ or parca+ before it, or "
					 "it is gcp://PROJECT or file:PATH");
		return error_set(err, ERROR_USAGE,
				 "not a usable address: only http and https, "
				 "a plain host name, a port of 1..65535, no "
				 "blanks");
	}
	if (parts.user_info.len)
		return error_set(err, ERROR_USAGE,
				 "an address must not hold a user name or "
				 "password: use --username and "
				 "--password-file (address: %.*s)",
				 STR_ARGS(parts.authority));
	/* Paths are appended, which behind a query makes no sense. */
	for (size_t i = 0; i < parts.rest.len; i++)
		if (parts.rest.ptr[i] == '?' || parts.rest.ptr[i] == '#')
			return error_set(err, ERROR_USAGE,
					 "the address of %.*s must end before "
					 "the '%c': a server is named by host "
					 "and path only",
					 STR_ARGS(parts.authority),
					 parts.rest.ptr[i]);
	return true;
}

static bool check_google(const char *text, struct error *err)
{
	struct google_address address;

	return google_address_parse(text, &address, err) &&
	       (!address.base.len || check_url(address.base, err));
}

bool source_parse_url(const char *text, enum source_kind *kind,
		      const char **rest, struct error *err)
{
	struct str all = str_from(text);

	*kind = SOURCE_UNKNOWN;
	*rest = text;
	if (str_starts(all, STR("file:"))) {
		*kind = SOURCE_FILE;
		*rest = text + 5;
		return **rest != '\0' ||
		       error_set(err, ERROR_USAGE, "file: without a path");
	}
	if (google_address_is(text)) {
		*kind = SOURCE_CLOUD_TRACE;
		return check_google(text, err);
	}
	for (size_t i = 0; i < sizeof forced / sizeof *forced; i++) {
		struct str prefix = str_from(forced[i].prefix);

		if (str_equal_nocase(str_slice(all, 0, prefix.len), prefix)) {
			*kind = forced[i].kind;
			*rest = text + prefix.len;
		}
	}
	return check_url(str_from(*rest), err);
}

/* ---- requests ---- */

void project_path_init(struct buf *path, const struct endpoint *endpoint,
		       size_t max_bytes)
{
	buf_init(path, max_bytes);
	if (endpoint->project)
		buf_addf(path, "/v1/projects/%s", endpoint->project);
}

bool request_fill(struct http_request *request, const struct endpoint *endpoint,
		  const char *method, struct buf *path, struct buf *body,
		  struct error *err)
{
	bool is_ok = buf_check(path, "a request", err) &&
		     (!body || buf_check(body, "a request", err));

	*request =
		(struct http_request){ .endpoint = endpoint, .method = method };
	buf_init(&request->body, 0);
	if (is_ok) {
		request->path = mem_strdup(buf_text(path));
		is_ok = request->path || error_memory(err, "a request");
	}
	if (is_ok && body)
		request->body = *body;
	else if (body)
		buf_release(body);
	buf_release(path);
	return is_ok;
}

static bool get_request(const struct endpoint *endpoint, const char *text,
			struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_add_text(&path, text);
	return request_fill(request, endpoint, "GET", &path, NULL, err);
}

static bool no_such_kind(struct error *err)
{
	return error_set(err, ERROR_INTERNAL,
			 "this kind of server has no such request");
}

bool source_probe_request(enum source_kind kind,
			  const struct endpoint *endpoint, int64_t now_ns,
			  struct http_request *request, struct error *err)
{
	const struct trace_backend *backend = backend_find(kind);
	bool is_ok;

	if (backend && backend->probe_path)
		is_ok = get_request(endpoint, backend->probe_path, request,
				    err);
	else if (kind == SOURCE_PYROSCOPE)
		is_ok = pyroscope_probe_request(endpoint, now_ns, request, err);
	else
		return no_such_kind(err);
	request->is_probe = true;
	return is_ok;
}

/* Whoever it is, on the way or there, wants to know who asks. */
static bool is_denied(const struct http_response *response)
{
	int status = response->status;

	return status == 401 || status == 403 || status == 407;
}

bool source_probe_matches(enum source_kind kind,
			  const struct http_response *response)
{
	const struct trace_backend *backend = backend_find(kind);

	if (response->status == 0 || is_denied(response))
		return false;
	if (backend && backend->probe_path)
		return backend->probe_matches(response);
	return kind == SOURCE_PYROSCOPE && pyroscope_probe_matches(response);
}

bool source_old_jaeger_is_likely(const struct http_response *v3_probe)
{
	return v3_probe->status == 404 || v3_probe->status == 405 ||
	       v3_probe->status == 501 ||
	       (v3_probe->status == 200 && body_is_html(v3_probe));
}

bool source_old_jaeger_request(const struct endpoint *endpoint,
			       struct http_request *request, struct error *err)
{
	return get_request(endpoint, "/api/services", request, err);
}

/* The envelope of all its answers. */
bool source_old_jaeger_matches(const struct http_response *response)
{
	return response->status == 200 && body_first(response) == '{' &&
	       body_has_key(response, STR("data"), false) &&
	       body_has_key(response, STR("errors"), false);
}

#define PROBE_RANK_MISSING 5

/* How much an answer tells about what is wrong, the most telling first. One
 * that was lost may have been the right one: that a path is missing, which the
 * other kind has, says less. */
static int probe_rank(const struct http_response *response)
{
	if (is_denied(response))
		return 0;
	if (response->status >= 300 && response->status < 400)
		return 1;
	if (response->status == 429 || response->status >= 500)
		return 2;
	if (response->status && body_is_html(response))
		return 3;
	return response->status ? PROBE_RANK_MISSING : 4;
}

const struct http_response *source_probe_best(
	const struct http_response *responses, size_t n)
{
	const struct http_response *best = responses;

	for (size_t i = 1; i < n; i++)
		if (probe_rank(&responses[i]) < probe_rank(best))
			best = &responses[i];
	return best;
}

bool source_probe_fail(const struct endpoint *endpoint, const char *wanted,
		       const struct http_response *responses, size_t n,
		       struct error *err)
{
	const struct http_response *best = source_probe_best(responses, n);
	struct str host = url_authority(endpoint->url);

	if (probe_rank(best) == PROBE_RANK_MISSING)
		return error_set(err, ERROR_NETWORK,
				 "no %s at %.*s: a server is there, but it "
				 "answers %d to their paths: is the address "
				 "with its path prefix right? (%s-url)",
				 wanted, STR_ARGS(host), best->status,
				 side_prefix(endpoint));
	answer_fail(wanted, endpoint, best, err);
	return false;
}

/* ---- traces ---- */

unsigned source_trace_attempts(enum source_kind kind)
{
	const struct trace_backend *backend = backend_find(kind);

	return backend ? backend->attempts : 0;
}

static bool is_trace_id(const char *text)
{
	unsigned char id[16];

	return text && hex_decode(str_from(text), id, sizeof id);
}

bool source_trace_request(enum source_kind kind,
			  const struct endpoint *endpoint,
			  const struct trace_query *query, unsigned attempt,
			  struct http_request *request, struct error *err)
{
	const struct trace_backend *backend = backend_find(kind);
	struct buf path;

	if (!backend || attempt >= backend->attempts)
		return no_such_kind(err);
	if (!is_trace_id(query->trace_id_hex))
		return error_set(err, ERROR_USAGE,
				 "a trace id has 32 hex digits");
	project_path_init(&path, endpoint, PATH_BYTES);
	backend->path(query, attempt, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = backend->accept(attempt);
	return true;
}

enum answer source_trace_answer(enum source_kind kind, unsigned attempt,
				const struct endpoint *endpoint,
				const struct http_response *response,
				enum body_form *form, struct error *err)
{
	const struct trace_backend *backend = backend_find(kind);

	if (backend && attempt < backend->attempts)
		return backend->answer(attempt, endpoint, response, form, err);
	no_such_kind(err);
	return ANSWER_ERROR;
}
