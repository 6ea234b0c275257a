/* SPDX-License-Identifier: Apache-2.0 */

#include "base/gz.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/timefmt.h"
#include "wire/har.h"
#include "wire/har_entry.h"

static bool is_utf8(struct str text)
{
	for (size_t at = 0; at < text.len;) {
		size_t size = utf8_length(str_slice(text, at, text.len));

		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

/* HAR wants most fields to be there, so an absent text is empty. */
static void write_field(struct jsonw *w, const char *key, const char *text)
{
	jsonw_pair_text(w, key, text ? text : "");
}

/* For viewers; a replay reads the exact nanoseconds (write_extra). */
static void write_ms(struct jsonw *w, const char *key, int64_t duration_ns)
{
	jsonw_pair_f64(w, key, (double)duration_ns / (double)NS_PER_MS, 6);
}

static void write_empty_list(struct jsonw *w, const char *key)
{
	jsonw_key(w, key);
	jsonw_array(w);
	jsonw_array_end(w);
}

/* "text", and `mark`: "base64" when the bytes are not UTF-8. */
static void write_body(struct jsonw *w, struct str bytes, const char *mark)
{
	size_t size = (bytes.len + 2) / 3 * 4;
	char *text;

	jsonw_key(w, "text");
	if (is_utf8(bytes)) {
		jsonw_str(w, bytes);
		return;
	}
	text = mem_alloc(size + 1);
	/* The buffer's sticky failure is the writer's, too. */
	if (!text) {
		out_fail_memory(w->out);
		return;
	}
	base64_encode((const unsigned char *)bytes.ptr, bytes.len, text);
	jsonw_str(w, (struct str){ text, size });
	mem_free(text);
	write_field(w, mark, "base64");
}

static void write_pair(struct jsonw *w, struct str name, struct str value)
{
	jsonw_object(w);
	jsonw_pair_str(w, "name", name);
	jsonw_pair_str(w, "value", value);
	jsonw_object_end(w);
}

static void write_header(struct jsonw *w, const char *name, const char *value)
{
	if (value && value[0])
		write_pair(w, str_from(name), str_from(value));
}

/* Names and values stay percent-encoded as in the URL. */
static void write_query(struct jsonw *w, const char *url)
{
	struct str rest = str_from(url);
	size_t at = str_find(rest, STR("?"));

	rest = at == SIZE_MAX ? STR("") : str_slice(rest, at + 1, rest.len);
	jsonw_key(w, "queryString");
	jsonw_array(w);
	while (rest.len) {
		size_t end = str_find(rest, STR("&"));
		struct str pair = str_slice(rest, 0, end);
		size_t equals = str_find(pair, STR("="));

		write_pair(w, str_slice(pair, 0, equals),
			   equals == SIZE_MAX
				   ? STR("")
				   : str_slice(pair, equals + 1, pair.len));
		rest = end == SIZE_MAX ? STR("")
				       : str_slice(rest, end + 1, rest.len);
	}
	jsonw_array_end(w);
}

/* -1 is HAR's "not known". Headers are those that decide the answer; nothing
 * of what was on the wire is copied, so no credential can slip in. */
static void write_request(struct jsonw *w, const struct har_entry *e)
{
	jsonw_key(w, "request");
	jsonw_object(w);
	write_field(w, "method", e->method);
	write_field(w, "url", e->url);
	write_field(w, "httpVersion", "HTTP/1.1");
	write_empty_list(w, "cookies");
	jsonw_key(w, "headers");
	jsonw_array(w);
	write_header(w, "Accept", e->accept);
	write_header(w, "Content-Type", e->content_type);
	write_header(w, "X-Scope-OrgID", e->tenant);
	jsonw_array_end(w);
	write_query(w, e->url);
	jsonw_pair_i64(w, "headersSize", -1);
	jsonw_pair_i64(w, "bodySize", (int64_t)e->request_body.len);
	if (e->request_body.len) {
		jsonw_key(w, "postData");
		jsonw_object(w);
		write_field(w, "mimeType", e->content_type);
		write_body(w, buf_str(&e->request_body), "_encoding");
		jsonw_object_end(w);
	}
	jsonw_object_end(w);
}

static void write_response(struct jsonw *w, const struct http_response *r)
{
	jsonw_key(w, "response");
	jsonw_object(w);
	jsonw_pair_i64(w, "status", r->status);
	write_field(w, "statusText", "");
	write_field(w, "httpVersion", "HTTP/1.1");
	write_empty_list(w, "cookies");
	jsonw_key(w, "headers");
	jsonw_array(w);
	write_header(w, "Content-Type", r->content_type);
	write_header(w, "Date", r->server_date);
	write_header(w, "Location", r->location);
	jsonw_array_end(w);
	jsonw_key(w, "content");
	jsonw_object(w);
	jsonw_pair_i64(w, "size", (int64_t)r->body.len);
	write_field(w, "mimeType", r->content_type);
	write_body(w, buf_str(&r->body), "encoding");
	jsonw_object_end(w);
	write_field(w, "redirectURL", r->location);
	jsonw_pair_i64(w, "headersSize", -1);
	/* As it was sent, packed or not; content.size is the plain one. */
	jsonw_pair_i64(w, "bodySize", r->wire_bytes);
	jsonw_object_end(w);
}

/* What HAR has no place for, yet a replay must repeat. */
static void write_extra(struct jsonw *w, const struct http_response *r)
{
	jsonw_key(w, "_tracefind");
	jsonw_object(w);
	jsonw_pair_i64(w, "duration_ns", r->duration_ns);
	jsonw_pair_i64(w, "tries", r->tries);
	/* Decides what a refusal is told to be; nothing else depends on it. */
	if (r->status == 401 && r->has_sent_secret)
		jsonw_pair_bool(w, "has_sent_secret", true);
	if (r->err.code != ERROR_NONE) {
		jsonw_key(w, "error");
		jsonw_object(w);
		write_field(w, "code", har_code_name(r->err.code));
		write_field(w, "message", r->err.message);
		jsonw_object_end(w);
	}
	jsonw_object_end(w);
}

/* HAR demands the phases; only the whole is known. */
static void write_timings(struct jsonw *w, int64_t duration_ns)
{
	jsonw_key(w, "cache");
	jsonw_object(w);
	jsonw_object_end(w);
	jsonw_key(w, "timings");
	jsonw_object(w);
	jsonw_pair_i64(w, "send", 0);
	write_ms(w, "wait", duration_ns);
	jsonw_pair_i64(w, "receive", 0);
	jsonw_object_end(w);
}

static void write_entry(struct jsonw *w, const struct har_entry *e)
{
	char started[TIME_RFC3339_BYTES];

	format_rfc3339(e->started_ns, started);
	jsonw_object(w);
	write_field(w, "startedDateTime", started);
	write_ms(w, "time", e->response.duration_ns);
	write_request(w, e);
	write_response(w, &e->response);
	write_timings(w, e->response.duration_ns);
	write_extra(w, &e->response);
	jsonw_object_end(w);
}

static void write_run(struct jsonw *w, const struct har *h)
{
	char now[TIME_RFC3339_BYTES];

	format_rfc3339(h->now_ns, now);
	jsonw_key(w, "_tracefind");
	jsonw_object(w);
	write_field(w, "now", now);
	jsonw_pair_i64(w, "now_ns", h->now_ns);
	jsonw_key(w, "args");
	jsonw_array(w);
	for (size_t i = 0; i < h->arg_count; i++)
		jsonw_text(w, h->args[i]);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void write_log(struct jsonw *w, const struct har *h)
{
	jsonw_object(w);
	jsonw_key(w, "log");
	jsonw_object(w);
	write_field(w, "version", "1.2");
	jsonw_key(w, "creator");
	jsonw_object(w);
	write_field(w, "name", "tracefind");
	write_field(w, "version", TRACEFIND_VERSION);
	jsonw_object_end(w);
	write_run(w, h);
	jsonw_key(w, "entries");
	jsonw_array(w);
	for (size_t i = 0; i < h->count; i++)
		write_entry(w, &h->entries[i]);
	jsonw_array_end(w);
	jsonw_object_end(w);
	jsonw_object_end(w);
	out_char(w->out, '\n');
}

static bool har_format(const struct har *h, struct buf *text, struct error *err)
{
	struct out out;
	struct jsonw w;

	if (h->is_args_failed)
		return error_memory(err, "the case");
	out_init_memory(&out, text);
	jsonw_init(&w, &out, 1);
	write_log(&w, h);
	out_release(&out);
	return buf_check(text, "the case", err);
}

static bool write_bytes(struct str bytes, const char *path, struct error *err)
{
	struct outfile file;

	if (!outfile_open(&file, path, 0600, err))
		return false;
	out_add(&file.out, bytes.ptr, bytes.len);
	return outfile_commit(&file, err);
}

bool har_pack(const struct har *h, struct buf *packed, struct error *err)
{
	struct buf plain;
	bool is_ok;

	buf_init(&plain, LIMIT_HAR_BYTES);
	is_ok = har_format(h, &plain, err) &&
		gz_deflate(buf_str(&plain), packed, err);
	buf_release(&plain);
	return is_ok;
}

bool har_write(const struct har *h, const char *path, struct error *err)
{
	struct buf plain, packed;
	bool is_ok;

	buf_init(&plain, LIMIT_HAR_BYTES);
	buf_init(&packed, LIMIT_HAR_BYTES);
	if (str_ends(str_from(path), STR(".gz")))
		is_ok = har_pack(h, &packed, err) &&
			write_bytes(buf_str(&packed), path, err);
	else
		is_ok = har_format(h, &plain, err) &&
			write_bytes(buf_str(&plain), path, err);
	buf_release(&plain);
	buf_release(&packed);
	return is_ok;
}
