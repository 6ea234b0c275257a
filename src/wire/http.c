/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/system.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/curl_calls.h"
#include "wire/http_message.h"

/* Request headers including credentials, as a curl_slist. */

static bool add_header(struct curl_slist **list, const char *name,
		       struct str value)
{
	struct curl_slist *longer;
	struct buf line;

	buf_init(&line, LIMIT_HEADER_BYTES);
	/* Reserved at full size: growing would leave copies of a secret
	 * behind. */
	if (!buf_reserve(&line, strlen(name) + value.len + 2))
		return false;
	buf_add_text(&line, name);
	buf_add_str(&line, value);
	longer = curl_slist_append(*list, buf_text(&line));
	mem_wipe(line.data, line.len);
	buf_release(&line);
	if (longer)
		*list = longer;
	return longer != NULL;
}

static bool add_basic(struct curl_slist **list, const struct endpoint *e)
{
	const char *password = e->password ? e->password : "";
	size_t size =
		strlen(e->username ? e->username : "") + strlen(password) + 2;
	char *pair = mem_alloc(size), *coded = mem_alloc(size / 3 * 4 + 8);
	bool is_ok = pair && coded;

	if (is_ok) {
		snprintf(pair, size, "%s:%s", e->username ? e->username : "",
			 password);
		base64_encode((const unsigned char *)pair, size - 1, coded);
		is_ok = add_header(list, "Authorization: Basic ",
				   str_from(coded));
		mem_wipe(pair, size);
		mem_wipe(coded, strlen(coded));
	}
	mem_free(pair);
	mem_free(coded);
	return is_ok;
}

/* Returns whether the user set this header, which replaces ours. */
static bool has_own(const struct endpoint *e, struct str name)
{
	for (size_t i = 0; i < e->header_count; i++) {
		struct str own = str_from(e->headers[i]);

		if (str_equal_nocase(str_slice(own, 0, str_find(own, STR(":"))),
				     name))
			return true;
	}
	return false;
}

/* Added to the list, which is wiped after the try; libcurl's options for
 * credentials would stay in its memory. */
static bool add_credentials(struct curl_slist **list, const struct endpoint *e)
{
	char before[64] = "Authorization: Bearer ";

	if (has_own(e, e->token_header ? str_from(e->token_header)
				       : STR("authorization")))
		return true;
	if (e->token_header)
		snprintf(before, sizeof before, "%s: ", e->token_header);
	/* Empty: none was found, and the server may not need one. */
	if (e->token && *e->token)
		return add_header(list, before, str_from(e->token));
	if (e->username || e->password)
		return add_basic(list, e);
	return true;
}

/* Appends to *list, which the caller frees even after a failure. Returns false
 * when out of memory. */
static bool http_headers_make(const struct http_request *request,
			      struct curl_slist **list)
{
	const struct endpoint *e = request->endpoint;
	/* Set as a plain header: with its option libcurl would decompress
	 * without limits. */
	bool is_ok = add_header(list, "Accept-Encoding: gzip", STR("")) &&
		     /* Otherwise large bodies wait for "100 Continue". */
		     add_header(list, "Expect:", STR(""));

	is_ok = is_ok && add_header(list, "Accept: ",
				    request->accept ? str_from(request->accept)
						    : STR("*/*"));
	if (request->content_type)
		is_ok = is_ok && add_header(list, "Content-Type: ",
					    str_from(request->content_type));
	if (request->is_export)
		is_ok = is_ok &&
			add_header(list, "Content-Encoding: gzip", STR(""));
	if (e->tenant_id && !has_own(e, STR("x-scope-orgid")))
		is_ok = is_ok &&
			add_header(list,
				   "X-Scope-OrgID: ", str_from(e->tenant_id));
	is_ok = is_ok && add_credentials(list, e);
	for (size_t i = 0; is_ok && i < e->header_count; i++)
		is_ok = add_header(list, "", str_from(e->headers[i]));
	return is_ok;
}

/* Receiving a response, see http.h. */

/* Limit for reservations by a declared length. */
#define EXPECTED_MAX_BYTES (4 * MIB)

/* Including a NUL. */
#define ERROR_CAP_BYTES (LIMIT_ERROR_BODY_BYTES + 1)

/* An error body may echo what was sent, a small response may contain a
 * token. */
static void release_body(struct buf *body)
{
	if (body->cap <= ERROR_CAP_BYTES)
		buf_wipe(body);
	buf_release(body);
}

void receive_init(struct receive *r, struct http_response *response,
		  const struct http_sieve *sieve)
{
	size_t limit = LIMIT_BODY_PLAIN_BYTES;

	*r = (struct receive){ .response = response, .sieve = sieve };
	if (sieve)
		sieve->begin(sieve->context);
	release_body(&response->body);
	*response = (struct http_response){ .tries = response->tries };
	buf_init(&response->body, limit);
	buf_init(&r->packed, LIMIT_BODY_WIRE_BYTES);
	buf_init(&r->piece, limit);
}

void receive_release(struct receive *r)
{
	gz_stream_free(r->gz);
	r->gz = NULL;
	release_body(&r->packed);
	buf_release(&r->piece);
}

static void copy_text(char *out, size_t size, struct str text)
{
	size_t len = utf8_floor(text.ptr, text.len, size - 1);

	if (len > size - 1)
		len = size - 1;
	memcpy(out, text.ptr, len);
	out[len] = '\0';
	/* With a NUL inside, our text would be shorter than the server's. */
	for (size_t i = 0; i < len; i++)
		if (out[i] == '\0')
			out[i] = ' ';
}

static void set_location(struct http_response *response, struct str value)
{
	struct buf shown;

	buf_init(&shown, LIMIT_HEADER_BYTES * 4);
	/* Reserved at full size, and wiped: it may echo secrets. */
	if (!buf_reserve(&shown, value.len * 3 + 1))
		return;
	url_redact(&shown, value);
	copy_text(response->location, sizeof response->location,
		  buf_str(&shown));
	buf_wipe(&shown);
	buf_release(&shown);
}

/* Handles a status line, which begins a response; 1xx is interim. */
static bool start_anew(struct receive *r, struct str line, struct error *err)
{
	size_t blank = str_find(line, STR(" "));
	struct http_response *response = r->response;
	uint64_t status = 0;

	if (blank == SIZE_MAX ||
	    !parse_u64(str_slice(line, blank + 1, 3), &status))
		return error_set(err, ERROR_NETWORK,
				 "the answer begins with a status that cannot "
				 "be read: is it an http server?");
	response->status = (int)status;
	response->content_type[0] = '\0';
	response->location[0] = '\0';
	response->server_date[0] = '\0';
	response->metadata_flavor[0] = '\0';
	r->content_encoding[0] = '\0';
	r->retry_after[0] = '\0';
	r->is_head_whole = false;
	r->has_length = false;
	r->is_chunked = false;
	if (status != 206)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "the response is partial (206), although all was "
			 "requested: does a proxy in between cache parts?");
}

/* Rejects invalid or conflicting lengths, of which libcurl uses the leading
 * digits and the last one: guessing could accept a truncated response (RFC
 * 9112, 6.3). */
static bool set_length(struct receive *r, struct str value, struct error *err)
{
	uint64_t bytes;
	size_t comma;

	for (;;) {
		comma = str_find(value, STR(","));
		if (!parse_u64(str_trim(str_slice(value, 0, comma)), &bytes) ||
		    (r->has_length && bytes != r->length_bytes))
			return error_set(err, ERROR_FORMAT,
					 "the answer's Content-Length makes no "
					 "sense, so that it may be cut");
		r->has_length = true;
		r->length_bytes = bytes;
		if (comma == SIZE_MAX)
			return true;
		value = str_slice(value, comma + 1, value.len);
	}
}

/* Rejects other transfer encodings, which libcurl would decode without
 * limits. */
static bool take_transfer(struct receive *r, struct str value,
			  struct error *err)
{
	if (str_equal_nocase(value, STR("identity")))
		return true;
	if (!str_equal_nocase(value, STR("chunked")) || r->is_chunked)
		return error_set(err, ERROR_FORMAT,
				 "the answer is sent as \"%.*s\", though only "
				 "chunks can be read",
				 value.len > 40 ? 40 : (int)value.len,
				 value.ptr);
	r->is_chunked = true;
	return true;
}

static void keep_header(struct receive *r, struct str name, struct str value)
{
	struct http_response *response = r->response;

	if (str_equal_nocase(name, STR("content-type"))) {
		size_t end = str_find(value, STR(";"));
		char *type = response->content_type;

		copy_text(type, sizeof response->content_type,
			  str_trim(str_slice(value, 0, end)));
		for (; *type; type++)
			*type = ascii_lower(*type);
	} else if (str_equal_nocase(name, STR("location"))) {
		set_location(response, value);
	} else if (str_equal_nocase(name, STR("date"))) {
		copy_text(response->server_date, sizeof response->server_date,
			  value);
	} else if (str_equal_nocase(name, STR("metadata-flavor"))) {
		copy_text(response->metadata_flavor,
			  sizeof response->metadata_flavor, value);
	} else if (str_equal_nocase(name, STR("retry-after"))) {
		copy_text(r->retry_after, sizeof r->retry_after, value);
	} else if (str_equal_nocase(name, STR("content-encoding")) &&
		   value.len) {
		copy_text(r->content_encoding, sizeof r->content_encoding,
			  value);
	}
}

bool receive_header(struct receive *r, struct str line, struct error *err)
{
	struct str name = header_name(line), value = header_value(line);
	bool is_interim = r->response->status < 200;

	r->header_bytes += line.len;
	if (r->header_bytes > LIMIT_HEADER_BYTES)
		return error_set(err, ERROR_LIMIT,
				 "the answer's headers are larger than %zu KiB",
				 LIMIT_HEADER_BYTES / KIB);
	if (line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t') &&
	    ++r->fold_count > LIMIT_HEADER_FOLDS)
		return error_set(
			err, ERROR_LIMIT,
			"the answer has a header of more than %u lines",
			LIMIT_HEADER_FOLDS);
	/* Trailers are ignored. */
	if (r->is_head_whole && !is_interim)
		return true;
	if (str_starts(line, STR("HTTP/")))
		return start_anew(r, str_trim(line), err);
	if (str_trim(line).len == 0)
		r->is_head_whole = true;
	if (str_equal_nocase(name, STR("content-length")))
		return set_length(r, value, err);
	if (str_equal_nocase(name, STR("transfer-encoding")))
		return take_transfer(r, value, err);
	keep_header(r, name, value);
	return true;
}

static bool is_gzip(struct str encoding)
{
	return str_equal_nocase(encoding, STR("gzip")) ||
	       str_equal_nocase(encoding, STR("x-gzip"));
}

/* Reserves the declared length: incremental growth would move and copy each of
 * several bodies. */
static bool make_room(const struct receive *r, struct buf *body,
		      struct error *err)
{
	uint64_t bytes = r->has_length ? r->length_bytes : 0;

	if (bytes > EXPECTED_MAX_BYTES)
		bytes = EXPECTED_MAX_BYTES;
	return buf_reserve(body, (size_t)bytes) ||
	       error_memory(err, "an answer");
}

static bool begin_body(struct receive *r, struct error *err)
{
	struct str encoding = str_from(r->content_encoding);
	bool is_kept = http_is_success(r->response) && !r->sieve;

	/* Only now status and encoding are final. */
	r->is_body_begun = true;
	if (!http_is_success(r->response)) {
		r->response->body.max_bytes = LIMIT_ERROR_BODY_BYTES;
		/* Reserved at full size: growing would leave copies of echoed
		 * secrets. */
		if (!buf_reserve(&r->response->body, LIMIT_ERROR_BODY_BYTES))
			return error_memory(err, "an answer");
	}
	if (encoding.len == 0 || str_equal_nocase(encoding, STR("identity")))
		return !is_kept || make_room(r, &r->response->body, err);
	/* Decompressing at the end is three times as fast as incrementally. */
	r->is_packed = is_kept && is_gzip(encoding);
	if (r->is_packed)
		return make_room(r, &r->packed, err);
	if (is_gzip(encoding) || str_equal_nocase(encoding, STR("deflate"))) {
		r->gz = gz_stream_new(r->sieve ? LIMIT_SIEVED_BYTES
					       : r->response->body.max_bytes,
				      err);
		return r->gz != NULL;
	}
	return error_set(err, ERROR_FORMAT,
			 "the answer is packed as \"%.*s\", though only gzip "
			 "was offered",
			 STR_ARGS(encoding));
}

/* Keeps the beginning of an error body and ignores the rest. */
static bool take_error_page(struct receive *r, struct str bytes)
{
	struct buf *body = &r->response->body;
	struct error ignored;

	if (r->gz) {
		if (!gz_stream_feed(r->gz, bytes, body, &ignored))
			r->is_enough = true;
	} else {
		size_t room = body->max_bytes - body->len;

		buf_add_str(body, str_slice(bytes, 0, room));
		r->is_enough = bytes.len >= room;
	}
	return !r->is_enough;
}

static bool check_body(const struct buf *body, struct error *err)
{
	if (body->state != BUF_OVER_LIMIT)
		return buf_check(body, "the answer", err);
	return error_set(err, ERROR_LIMIT,
			 "the response is larger than %zu MiB unpacked: use a "
			 "shorter window",
			 LIMIT_BODY_PLAIN_BYTES / MIB);

}

bool receive_body(struct receive *r, struct str bytes, struct error *err)
{
	struct buf *body = &r->response->body;
	size_t limit = r->sieve ? LIMIT_SIEVED_BYTES : LIMIT_BODY_WIRE_BYTES;

	r->response->wire_bytes += (int64_t)bytes.len;
	if (!r->is_body_begun && !begin_body(r, err))
		return false;
	if (!http_is_success(r->response))
		return take_error_page(r, bytes);
	if (r->response->wire_bytes > (int64_t)limit)
		return error_set(err, ERROR_LIMIT,
				 "the response is larger than %zu MiB: use a "
				 "shorter window",
				 limit / MIB);
	if (r->sieve) {
		if (r->gz) {
			buf_clear(&r->piece);
			if (!gz_stream_feed(r->gz, bytes, &r->piece, err))
				return false;
			bytes = buf_str(&r->piece);
		}
		r->sieve->pass(r->sieve->context, bytes, body);
		return check_body(body, err);
	}
	if (r->gz)
		return gz_stream_feed(r->gz, bytes, body, err);
	if (r->is_packed) {
		buf_add_str(&r->packed, bytes);
		return buf_check(&r->packed, "the answer", err);
	}
	buf_add_str(body, bytes);
	return check_body(body, err);
}

/* Returns whether valid compressed data ends early: the rest was lost. */
static bool is_cut(struct str packed)
{
	struct error ignored;
	struct gz_stream *gz = gz_stream_new(LIMIT_BODY_PLAIN_BYTES, &ignored);
	struct buf plain;
	bool is_good;

	if (!gz)
		return false;
	buf_init(&plain, LIMIT_BODY_PLAIN_BYTES);
	is_good = gz_stream_feed(gz, packed, &plain, &ignored) &&
		  !gz_stream_finish(gz, &ignored);
	release_body(&plain);
	gz_stream_free(gz);
	return is_good;
}

/* A response that ends with its connection may be truncated. */
static bool check_end(struct receive *r, struct error *err)
{
	const struct http_response *response = r->response;
	struct str body = buf_str(&response->body);

	if (!http_is_success(response) || response->status == 204 ||
	    r->has_length || r->is_chunked)
		return true;
	r->is_cut = response->wire_bytes == 0;
	/* A truncated body is noticed in JSON and text, which are parsed to
	 * their end, but protobuf messages can be cut between two fields. */
	if (!r->is_cut &&
	    (r->sieve || r->is_packed || r->gz || str_starts(body, STR("{")) ||
	     str_starts(body, STR("[")) ||
	     str_starts(str_from(response->content_type), STR("text/"))))
		return true;
	return error_set(err, ERROR_NETWORK,
			 "the response may be incomplete (%lld bytes without "
			 "Content-Length): is there an HTTP/1.0 proxy in "
			 "between?",
			 (long long)response->wire_bytes);
}

bool receive_finish(struct receive *r, struct error *err)
{
	if (!r->is_head_whole) {
		r->is_cut = true;
		return error_set(err, ERROR_NETWORK,
				 "the answer ends in its head");
	}
	if (!check_end(r, err))
		return false;
	if (r->is_packed) {
		if (gz_inflate(buf_str(&r->packed), "content",
			       &r->response->body, err))
			return true;
		r->is_cut = err->code == ERROR_FORMAT &&
			    is_cut(buf_str(&r->packed));
		return false;
	}
	if (!r->gz || !http_is_success(r->response))
		return true;
	r->is_cut = !gz_stream_finish(r->gz, err);
	return !r->is_cut;
}

/* Probes check whether a server exists; on default ports there is usually
 * none. */
#define PROBE_CONNECT_MS 3000
#define PROBE_STALL_MS 8000

/* Intervals for detecting stalls and for retries. */
#define POLL_MS 250
#define POLL_RETRY_MS 50

enum job_state { JOB_WAITING = 0, JOB_RUNNING, JOB_DONE };

struct job {
	struct exchange *exchange;
	struct wire *wire;
	enum job_state state;
	CURL *easy;
	struct curl_slist *headers;
	struct receive receive;
	int64_t not_before_ns; /* monotonic, like the others */
	/* Start of the wait after a try; 0: not waiting. */
	int64_t paused_ns;
	int64_t started_ns;
	int64_t activity_ns; /* time of the last byte in either direction */
	bool is_connected;
	bool is_stopped; /* aborted by us: the reason is in response->err */
	char curl_text[CURL_ERROR_SIZE];
};

struct wire {
	const struct http_settings *settings;
	int64_t deadline_ns;
	int64_t distant_ns; /* earliest start of a rate-limited request */
	CURLM *multi;
	struct job *jobs;
	size_t count;
	size_t running;
};

/* ---- callbacks ---- */

/* Called by libcurl for every header line, including those of interim responses
 * and status lines of retries; returning less than given aborts the
 * transfer. */
static size_t on_header(char *data, size_t size, size_t count, void *context)
{
	struct job *job = context;
	struct str line = { data, size * count };

	job->activity_ns = clock_monotonic_ns();
	if (receive_header(&job->receive, line, &job->exchange->response->err))
		return line.len;
	job->is_stopped = true;
	return 0;
}

static size_t on_body(char *data, size_t size, size_t count, void *context)
{
	struct job *job = context;
	struct str bytes = { data, size * count };

	job->activity_ns = clock_monotonic_ns();
	if (receive_body(&job->receive, bytes, &job->exchange->response->err))
		return bytes.len;
	/* An error body that reached its limit also aborts the transfer, but is
	 * not a failure. */
	job->is_stopped = !job->receive.is_enough;
	return 0;
}

/* Connected (including TLS); the request is sent next. The connect timeout
 * applies until here, then the stall timeout. */
static int on_connected(void *context, char *remote, char *local,
			int remote_port, int local_port)
{
	struct job *job = context;

	(void)remote;
	(void)local;
	(void)remote_port;
	(void)local_port;
	job->is_connected = true;
	job->activity_ns = clock_monotonic_ns();
	return CURL_PREREQFUNC_OK;
}

/* ---- setting up ---- */

/* Returns the time until the run's deadline, rounded up: 0 only when it has
 * passed. */
static int64_t left_ms(const struct wire *w)
{
	int64_t left_ns = sat_sub_i64(w->deadline_ns, clock_monotonic_ns());

	return left_ns <= 0 ? 0 : (left_ns - 1) / NS_PER_MS + 1;
}

static int64_t connect_ms(const struct job *job)
{
	int64_t limit = job->wire->settings->connect_timeout_ms;

	if (job->exchange->request->is_probe && limit > PROBE_CONNECT_MS)
		return PROBE_CONNECT_MS;
	return limit;
}

static int64_t stall_ms(const struct job *job)
{
	int64_t limit = job->wire->settings->stall_timeout_ms;

	if (job->exchange->request->is_probe && limit > PROBE_STALL_MS)
		return PROBE_STALL_MS;
	return limit;
}

/* Keeps the first failure of several calls. */
static void code_keep(CURLcode *first, CURLcode code)
{
	if (*first == CURLE_OK)
		*first = code;
}

static CURLcode set_transfer(struct job *job)
{
	CURL *easy = job->easy;
	CURLcode rc = CURLE_OK;

	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_URL, job->exchange->url));
	code_keep(&rc,
		  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https"));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L));
	/* For at most four parallel requests HTTP/1.1 suffices, with a single
	 * kind of framing and of truncation. */
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
					(long)CURL_HTTP_VERSION_1_1));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L));
	code_keep(&rc,
		  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_USERAGENT,
					"tracefind/" TRACEFIND_VERSION));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
					(long)connect_ms(job)));
	/* 0 would mean no limit. */
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
					(long)(left_ms(job->wire) + 1)));
	code_keep(&rc,
		  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, job->curl_text));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_PRIVATE, job));
	return rc;
}

/* Read size: with libcurl's default of 16 KiB an ordinary `slow` makes half as
 * many system calls again. */
#define RECEIVE_BYTES (64L * 1024)

static CURLcode set_callbacks(struct job *job)
{
	CURL *easy = job->easy;
	CURLcode rc = CURLE_OK;

	code_keep(&rc,
		  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_HEADERDATA, job));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_WRITEDATA, job));
	code_keep(&rc,
		  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_PREREQDATA, job));
	code_keep(&rc,
		  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES));
	return rc;
}

static CURLcode set_trust(CURL *easy, const struct endpoint *e)
{
	CURLcode rc = CURLE_OK;

	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_SSLVERSION,
					(long)CURL_SSLVERSION_TLSv1_2));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER,
					e->is_insecure ? 0L : 1L));
	code_keep(&rc, curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST,
					e->is_insecure ? 0L : 2L));
	if (e->cacert)
		code_keep(&rc,
			  curl_easy_setopt(easy, CURLOPT_CAINFO, e->cacert));
	if (e->cert)
		code_keep(&rc,
			  curl_easy_setopt(easy, CURLOPT_SSLCERT, e->cert));
	if (e->key)
		code_keep(&rc, curl_easy_setopt(easy, CURLOPT_SSLKEY, e->key));
	if (e->proxy)
		code_keep(&rc, curl_easy_setopt(easy, CURLOPT_PROXY, e->proxy));
	else if (host_is_loopback(e->url))
		/* The proxy in the environment is for remote hosts. */
		code_keep(&rc, curl_easy_setopt(easy, CURLOPT_PROXY, ""));
	return rc;
}

static CURLcode set_method(CURL *easy, const struct http_request *request)
{
	CURLcode rc = CURLE_OK;

	if (!strcmp(request->method, "POST")) {
		code_keep(&rc, curl_easy_setopt(easy, CURLOPT_POST, 1L));
		code_keep(&rc, curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
						buf_text(&request->body)));
		code_keep(&rc,
			  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
					   (curl_off_t)request->body.len));
	} else {
		code_keep(&rc, curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L));
	}
	return rc;
}

/* ---- one try ---- */

/* Releases everything of a try except its response; idempotent. */
static void job_unhook(struct job *job)
{
	if (job->easy) {
		curl_multi_remove_handle(job->wire->multi, job->easy);
		curl_easy_cleanup(job->easy);
		job->wire->running--;
	}
	job->easy = NULL;
	/* libcurl copies what it sends; wipe at least our own copies. */
	for (struct curl_slist *item = job->headers; item; item = item->next)
		mem_wipe(item->data, strlen(item->data));
	curl_slist_free_all(job->headers);
	job->headers = NULL;
	receive_release(&job->receive);
}

static bool job_start(struct job *job, struct error *err)
{
	struct exchange *x = job->exchange;
	CURLcode rc;

	job->easy = curl_easy_init();
	if (!job->easy)
		return wire_fail_start(err);
	job->wire->running++;
	job->state = JOB_RUNNING;
	job->is_connected = false;
	job->is_stopped = false;
	job->curl_text[0] = '\0';
	job->started_ns = clock_monotonic_ns();
	job->activity_ns = job->started_ns;
	x->started_ns = clock_now_ns();
	receive_init(&job->receive, x->response, x->request->sieve);
	x->response->tries++;
	rc = set_transfer(job);
	code_keep(&rc, set_callbacks(job));
	code_keep(&rc, set_trust(job->easy, x->request->endpoint));
	code_keep(&rc, set_method(job->easy, x->request));
	if (!http_headers_make(x->request, &job->headers))
		code_keep(&rc, CURLE_OUT_OF_MEMORY);
	else
		code_keep(&rc, curl_easy_setopt(job->easy, CURLOPT_HTTPHEADER,
						job->headers));
	if (rc == CURLE_OK &&
	    curl_multi_add_handle(job->wire->multi, job->easy) == CURLM_OK)
		return true;
	if (rc != CURLE_OK && rc != CURLE_OUT_OF_MEMORY)
		return error_set(err, ERROR_INTERNAL,
				 "the transfer library refused a setting: %s",
				 curl_easy_strerror(rc));
	return error_memory(err, "a request");
}

/* Kinds of failure, by what the user can do about them. */
static const struct {
	CURLcode code;
	enum wire_failure failure;
} failures[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, WIRE_NO_SUCH_HOST },
	{ CURLE_COULDNT_RESOLVE_PROXY, WIRE_NO_SUCH_PROXY },
	{ CURLE_COULDNT_CONNECT, WIRE_UNREACHABLE },
	{ CURLE_OPERATION_TIMEDOUT, WIRE_OUT_OF_TIME },
	{ CURLE_PARTIAL_FILE, WIRE_CUT },
	{ CURLE_GOT_NOTHING, WIRE_NO_ANSWER },
	{ CURLE_SEND_ERROR, WIRE_NO_ANSWER },
	{ CURLE_RECV_ERROR, WIRE_NO_ANSWER },
	{ CURLE_PEER_FAILED_VERIFICATION, WIRE_TLS_UNTRUSTED },
	{ CURLE_SSL_CONNECT_ERROR, WIRE_TLS },
	{ CURLE_SSL_CIPHER, WIRE_TLS },
	{ CURLE_SSL_ISSUER_ERROR, WIRE_TLS },
	{ CURLE_SSL_CACERT_BADFILE, WIRE_TLS_FILES },
	{ CURLE_SSL_CERTPROBLEM, WIRE_TLS_FILES },
	{ CURLE_URL_MALFORMAT, WIRE_BAD_URL },
	/* Not an HTTP response. */
	{ CURLE_UNSUPPORTED_PROTOCOL, WIRE_NOT_HTTP },
	{ CURLE_WEIRD_SERVER_REPLY, WIRE_NOT_HTTP },
	{ CURLE_OUT_OF_MEMORY, WIRE_MEMORY },
};

static enum wire_failure failure_classify(const struct job *job, CURLcode code,
					  long os_error)
{
	enum wire_failure failure = WIRE_OTHER;

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].code == code)
			failure = failures[i].failure;
	if (failure == WIRE_UNREACHABLE && os_error == ECONNREFUSED)
		return WIRE_REFUSED;
	if (failure == WIRE_OUT_OF_TIME && !job->is_connected &&
	    left_ms(job->wire) > 0)
		return WIRE_CONNECT_TIMEOUT;
	if (failure == WIRE_NO_ANSWER && job->exchange->response->status)
		return WIRE_CUT;
	/* With TLS 1.3 certificates are rejected only after that. */
	if (failure == WIRE_NO_ANSWER && job->is_connected &&
	    str_starts(str_from(job->exchange->url), STR("https:")))
		return WIRE_NO_ANSWER_TLS;
	/* libcurl limits a header line to 100 KiB and reports this error. */
	if (failure == WIRE_MEMORY && job->is_connected &&
	    !job->receive.is_body_begun)
		return WIRE_LONG_HEADER;
	return failure;
}

static void failure_describe(struct job *job, enum wire_failure failure,
			     long os_error)
{
	struct exchange *x = job->exchange;
	struct wire_facts facts = {
		.endpoint = x->request->endpoint,
		.url = x->url,
		.body_bytes = x->response->wire_bytes,
		.connect_ms = connect_ms(job),
		.stall_ms = stall_ms(job),
		.timeout_ms = job->wire->settings->timeout_ms,
		.os_error = (int)os_error,
		.detail = job->curl_text,
	};

	wire_describe(failure, &facts, &x->response->err);
}

static int64_t next_delay_ms(const struct job *job, bool is_broken)
{
	const struct exchange *x = job->exchange;
	struct retry_facts facts = {
		.status = x->response->status,
		.is_broken = is_broken,
		.is_google = x->request->endpoint->project != NULL,
		.tries = x->response->tries,
		/* Nothing may be listening; but a server that responds is
		 * there. */
		.retries = x->request->is_probe && !x->response->status
				   ? 0
				   : job->wire->settings->retries,
		.retry_after = str_from(job->receive.retry_after),
		.date = str_from(x->response->server_date),
		.now_ns = clock_now_ns(),
		.left_ms = left_ms(job->wire),
	};

	/* Without randomness the backoff is merely regular. */
	if (!system_random(&facts.random, sizeof facts.random))
		facts.random = 0;
	return retry_delay_ms(&facts);
}

static void job_end(struct job *job)
{
	job->state = JOB_DONE;
	job->exchange->is_done = true;
}

/* Returns whether an established connection was lost: a retry may succeed. */
static inline bool wire_is_broken(enum wire_failure failure)
{
	return failure == WIRE_NO_ANSWER || failure == WIRE_NO_ANSWER_TLS ||
	       failure == WIRE_CUT;
}

/* Ends a try: completed, or waiting for a retry. */
static void transfer_finish(struct job *job, enum wire_failure failure,
			    long os_error)
{
	struct http_response *response = job->exchange->response;
	int64_t now_ns = clock_monotonic_ns(), delay_ms;
	bool is_broken;

	response->duration_ns = now_ns - job->started_ns;
	response->has_sent_secret =
		endpoint_has_secret(job->exchange->request->endpoint);
	if (failure == WIRE_OK &&
	    !receive_finish(&job->receive, &response->err)) {
		failure = WIRE_CUT;
		job->is_stopped = !job->receive.is_cut;
	}
	if (job->is_stopped)
		wire_prefix(job->exchange->url, &response->err);
	else if (failure != WIRE_OK)
		failure_describe(job, failure, os_error);
	is_broken = !job->is_stopped && wire_is_broken(failure);
	delay_ms = next_delay_ms(job, is_broken);
	job_unhook(job);
	/* A truncated response must not be used. */
	if (failure != WIRE_OK) {
		response->status = 0;
		buf_release(&response->body);
	}
	job->not_before_ns = now_ns + delay_ms * NS_PER_MS;
	job->paused_ns = now_ns;
	job->state = JOB_WAITING;
	if (delay_ms == RETRY_NEVER)
		job_end(job);
}

/* ---- the batch ---- */

/* Returns whether a rate-limited request has to wait; if not, reserves its
 * slot. */
static bool has_to_wait(struct wire *w, struct job *job, int64_t now_ns)
{
	int64_t distance_ns = job->exchange->request->endpoint->distance_ns;

	if (distance_ns <= 0)
		return false;
	if (w->distant_ns > now_ns) {
		job->not_before_ns = w->distant_ns;
		return true;
	}
	/* Polls are some time apart, so several requests may be due in
	 * between. */
	if (w->distant_ns < now_ns - POLL_RETRY_MS * NS_PER_MS)
		w->distant_ns = now_ns - POLL_RETRY_MS * NS_PER_MS;
	w->distant_ns = sat_add_i64(w->distant_ns, distance_ns);
	return false;
}

static bool start_ready(struct wire *w, struct error *err)
{
	int64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < w->count; i++) {
		struct job *job = &w->jobs[i];

		if (w->running >= LIMIT_PARALLEL_REQUESTS)
			break;
		if (job->state != JOB_WAITING || job->not_before_ns > now_ns)
			continue;
		if (left_ms(w) == 0) {
			/* The run's deadline has passed; an earlier error is
			 * more informative. */
			if (job->exchange->response->tries == 0) {
				receive_init(&job->receive,
					     job->exchange->response,
					     job->exchange->request->sieve);
				failure_describe(job, WIRE_OUT_OF_TIME, 0);
			}
			job_end(job);
		} else if (has_to_wait(w, job, now_ns)) {
			continue;
		} else if (!job_start(job, err)) {
			return false;
		}
	}
	return true;
}

static void collect_finished(struct wire *w)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(w->multi, &left))) {
		CURLcode code = message->data.result;
		long os_error = 0;
		char *private = NULL;
		struct job *job;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
				  &private);
		job = (struct job *)(void *)private;
		if (!job)
			continue;
		curl_easy_getinfo(job->easy, CURLINFO_OS_ERRNO, &os_error);
		/* We aborted an error body on purpose: the response is
		 * complete. */
		if (code == CURLE_WRITE_ERROR && job->receive.is_enough)
			code = CURLE_OK;
		transfer_finish(job,
				code == CURLE_OK
					? WIRE_OK
					: failure_classify(job, code, os_error),
				os_error);
	}
}

/* libcurl's own low-speed limit has whole seconds and starts with the
 * connection; this one starts with the last byte. */
static void stop_stalled(struct wire *w)
{
	int64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < w->count; i++) {
		struct job *job = &w->jobs[i];

		if (job->state == JOB_RUNNING && job->is_connected &&
		    now_ns - job->activity_ns > stall_ms(job) * NS_PER_MS)
			transfer_finish(job, WIRE_STALLED, 0);
	}
}

static bool is_finished(const struct wire *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->jobs[i].state != JOB_DONE)
			return false;
	return true;
}

/* Returns the poll timeout. Each poll costs about 50 us, so slow servers are
 * polled rarely, unless a request waits for a retry. A response or a signal
 * ends the poll. If all active requests ended together, nothing would: the next
 * ones are sent at once. */
static int poll_ms(const struct wire *w)
{
	int ms = POLL_MS;

	for (size_t i = 0; i < w->count; i++) {
		if (w->jobs[i].state != JOB_WAITING)
			continue;
		if (w->jobs[i].not_before_ns)
			ms = POLL_RETRY_MS;
		else if (w->running < LIMIT_PARALLEL_REQUESTS)
			return 0;
	}
	return ms;
}

static void tell_progress(const struct wire *w)
{
	struct http_progress p = { .count = w->count };

	if (!w->settings->on_progress)
		return;
	for (size_t i = 0; i < w->count; i++) {
		const struct exchange *x = w->jobs[i].exchange;

		p.bytes = sat_add_i64(p.bytes, x->response->wire_bytes);
		if (w->jobs[i].state == JOB_DONE)
			p.answered++;
		else if (!p.waiting)
			p.waiting = x->request;
		if (p.waiting == x->request) {
			const struct job *job = &w->jobs[i];
			int64_t now_ns = clock_monotonic_ns();

			if (job->state == JOB_WAITING && job->paused_ns &&
			    job->not_before_ns > now_ns) {
				p.waited_ns = now_ns - job->paused_ns;
				p.wait_left_ns = job->not_before_ns - now_ns;
				p.wait_status = job->exchange->response->status;
			}
		}
	}
	if (p.waiting)
		w->settings->on_progress(&p);
}

/* Does a piece of work, or waits for responses. */
static bool work_or_wait(struct wire *w, const struct wire_work *work,
			 struct error *err)
{
	bool is_done = false, has_leisure = poll_ms(w) > 0;

	/* Requests may wait to be sent, and connections being established could
	 * time out meanwhile. */
	for (size_t i = 0; i < w->count; i++)
		if (w->jobs[i].state == JOB_RUNNING && !w->jobs[i].is_connected)
			has_leisure = false;
	if (has_leisure && !work->piece(work->context, &is_done, err))
		return false;
	return is_done ||
	       curl_multi_poll(w->multi, NULL, 0, poll_ms(w), NULL) ==
		       CURLM_OK ||
	       wire_fail_wait(err);
}

static bool run_loop(struct wire *w, const struct wire_work *work,
		     struct error *err)
{
	bool (*is_interrupted)(void) = w->settings->is_interrupted;
	int running;

	while (!is_finished(w)) {
		if (is_interrupted && is_interrupted())
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		if (!start_ready(w, err))
			return false;
		if (curl_multi_perform(w->multi, &running) != CURLM_OK)
			return wire_fail_wait(err);
		collect_finished(w);
		stop_stalled(w);
		tell_progress(w);
		if (!is_finished(w) && !work_or_wait(w, work, err))
			return false;
	}
	return true;
}

bool wire_run(struct wire *w, struct exchange *exchanges, size_t n,
	      const struct wire_work *work, struct error *err)
{
	bool is_ok;

	w->jobs = mem_calloc(n, sizeof *w->jobs);
	if (!w->jobs)
		return error_memory(err, "requests");
	w->count = n;
	for (size_t i = 0; i < n; i++) {
		w->jobs[i].exchange = &exchanges[i];
		w->jobs[i].wire = w;
		if (exchanges[i].is_done)
			w->jobs[i].state = JOB_DONE;
	}
	is_ok = run_loop(w, work, err);
	for (size_t i = 0; i < n; i++)
		job_unhook(&w->jobs[i]);
	mem_free(w->jobs);
	w->jobs = NULL;
	w->count = 0;
	return is_ok;
}

struct wire *wire_new(const struct http_settings *settings, int64_t deadline_ns,
		      struct error *err)
{
	struct wire *w;

	if (!curl_calls_load(err))
		return NULL;
	w = mem_calloc(1, sizeof *w);
	if (w && curl_global_init_mem(CURL_GLOBAL_DEFAULT, mem_wiped_alloc,
				      mem_wiped_free, mem_wiped_realloc,
				      mem_wiped_strdup,
				      mem_wiped_calloc) == CURLE_OK) {
		w->settings = settings;
		w->deadline_ns = deadline_ns;
		w->multi = curl_multi_init();
		if (w->multi)
			return w;
		curl_global_cleanup();
	}
	mem_free(w);
	wire_fail_start(err);
	return NULL;
}

void wire_extend(struct wire *w, int64_t deadline_ns)
{
	w->deadline_ns = deadline_ns;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	curl_multi_cleanup(w->multi);
	curl_global_cleanup();
	mem_free(w);
}
