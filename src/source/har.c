/* SPDX-License-Identifier: Apache-2.0 */
#include "source/har.h"

#include <string.h>

#include <jansson.h>

#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"
#include "source/har_entry.h"
#include "source/redact.h"

/* Room for what base64 and JSON add to bodies, so that what was recorded can
 * also be written and read again. */
#define RECORD_BYTES (LIMIT_HAR_BYTES / 2)

/* ---- the list ---- */

struct har *har_new(struct error *err)
{
	struct har *h = mem_calloc(1, sizeof *h);

	/* Before its first allocation; nothing else in the program uses it. */
	json_set_alloc_funcs(mem_alloc, mem_free);
	if (!h)
		error_memory(err, "the case");
	return h;
}

static void args_free(struct har *h)
{
	for (size_t i = 0; i < h->arg_count; i++)
		mem_free(h->args[i]);
	mem_free(h->args);
	h->args = NULL;
	h->arg_count = 0;
}

void har_free(struct har *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->count; i++)
		har_entry_release(&h->entries[i]);
	mem_free(h->entries);
	args_free(h);
	mem_free(h);
}

/* A new empty entry at the end, or NULL. */
static struct har_entry *entry_new(struct har *h, struct error *err)
{
	size_t cap = h->cap ? h->cap * 2 : 16;
	struct har_entry *grown;

	if (h->count >= LIMIT_HAR_ENTRIES) {
		error_set(err, ERROR_LIMIT, "a case holds at most %u requests",
			  LIMIT_HAR_ENTRIES);
		return NULL;
	}
	if (h->count == h->cap) {
		grown = mem_realloc(h->entries, cap * sizeof *grown);
		if (!grown) {
			error_memory(err, "the case");
			return NULL;
		}
		h->entries = grown;
		h->cap = cap;
	}
	memset(&h->entries[h->count], 0, sizeof *h->entries);
	return &h->entries[h->count++];
}

bool har_add(struct har *h, const struct http_request *request, const char *url,
	     const struct http_response *response, int64_t started_ns,
	     struct error *err)
{
	size_t bytes = request->body.len + response->body.len;
	struct har_entry *entry;

	if (bytes > RECORD_BYTES - h->body_bytes)
		return error_set(err, ERROR_LIMIT,
				 "the case would pass %zu MiB: run without "
				 "--record, or ask for a shorter window",
				 RECORD_BYTES / MIB);
	entry = entry_new(h, err);
	if (!entry)
		return false;
	h->body_bytes += bytes;
	return har_entry_fill(entry, request, url, response, started_ns, err);
}

bool har_find(struct har *h, const struct http_request *request,
	      const char *url, struct http_response *response,
	      struct error *err)
{
	struct har_entry *best = NULL;
	struct har_key key;
	int best_rank = 0;

	if (!har_key_init(&key, request, url, err))
		return false;
	for (size_t i = 0; i < h->count; i++) {
		int rank = har_entry_rank(&h->entries[i], &key);

		/* Of equals: the first unused, or else the last. */
		if (rank > best_rank ||
		    (rank == best_rank && rank > 0 && best->is_used)) {
			best = &h->entries[i];
			best_rank = rank;
		}
	}
	har_key_release(&key);
	if (!best) {
		struct buf shown;

		buf_init(&shown, LIMIT_OPTION_VALUE_BYTES * 4);
		url_redact(&shown, str_from(url));
		error_set(err, ERROR_NOT_FOUND,
			  "not in the case: %s %s: it was recorded with other "
			  "options or another version",
			  request->method, buf_text(&shown));
		buf_release(&shown);
		return false;
	}
	best->is_used = true;
	return har_entry_copy(best, response, err);
}

/* ---- the run ---- */

static char *redacted_argument(const char *argument, const char *previous)
{
	struct buf text;
	char *copy = NULL;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES * 4);
	argument_redact(&text, str_from(argument), str_from(previous));
	if (text.state == BUF_OK)
		copy = mem_strdup(buf_text(&text));
	buf_release(&text);
	return copy;
}

void har_set_run(struct har *h, int64_t now_ns, int argc,
		 const char *const *argv)
{
	size_t count = argc > 0 ? (size_t)argc : 0;

	args_free(h);
	h->now_ns = now_ns;
	h->args = mem_calloc(count, sizeof *h->args);
	h->is_args_failed = !h->args;
	for (size_t i = 0; i < count && !h->is_args_failed; i++) {
		h->args[i] = redacted_argument(argv[i], i ? argv[i - 1] : NULL);
		h->is_args_failed = !h->args[i];
		h->arg_count = i + 1;
	}
}

int64_t har_now_ns(const struct har *h)
{
	return h->now_ns;
}

size_t har_args(const struct har *h, const char *const **args)
{
	*args = (const char *const *)h->args;
	return h->arg_count;
}

/* ---- reading ---- */

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static int64_t number_of(const json_t *object, const char *key)
{
	return (int64_t)json_integer_value(json_object_get(object, key));
}

static const char *header_of(const json_t *object, const char *name)
{
	const json_t *list = json_object_get(object, "headers");
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *own = text_of(item, "name");

		if (own && str_equal_nocase(str_from(own), str_from(name)))
			return text_of(item, "value");
	}
	return NULL;
}

static bool copy_decoded(struct str text, struct buf *out, struct error *err)
{
	size_t size = text.len / 4 * 3 + 3, len;
	char *room = buf_reserve(out, size);

	if (!room)
		return buf_check(out, "the case", err);
	if (!base64_decode(text, (unsigned char *)room, size, &len))
		return error_set(err, ERROR_FORMAT, "damaged base64");
	buf_commit(out, len);
	return true;
}

/* Text with its length, since it may hold NUL. */
static bool read_body(const json_t *object, const char *mark, struct buf *out,
		      struct error *err)
{
	const json_t *text = json_object_get(object, "text");
	const char *encoding = text_of(object, mark);
	struct str value = { json_string_value(text),
			     json_string_length(text) };

	buf_init(out, LIMIT_HAR_BYTES);
	if (!value.ptr)
		return true;
	if (encoding && !strcmp(encoding, "base64"))
		return copy_decoded(value, out, err);
	buf_add_str(out, value);
	return buf_check(out, "the case", err);
}

static char *dup_or_null(const char *text, bool *is_ok)
{
	char *copy = text ? mem_strdup(text) : NULL;

	*is_ok = *is_ok && (!text || copy);
	return copy;
}

/* jansson gives NULL for what is missing or of another type, so objects need
 * no checks on the way; what must be there is checked at the end. */
static bool read_request(const json_t *request, struct har_entry *e,
			 struct error *err)
{
	const char *method = text_of(request, "method");
	const char *url = text_of(request, "url");
	bool is_ok = true;

	if (!method || !url)
		return error_set(err, ERROR_FORMAT,
				 "a request without method or url");
	e->method = dup_or_null(method, &is_ok);
	e->url = dup_or_null(url, &is_ok);
	e->accept = dup_or_null(header_of(request, "Accept"), &is_ok);
	e->content_type =
		dup_or_null(header_of(request, "Content-Type"), &is_ok);
	e->tenant = dup_or_null(header_of(request, "X-Scope-OrgID"), &is_ok);
	if (!is_ok)
		return error_memory(err, "the case");
	return read_body(json_object_get(request, "postData"), "_encoding",
			 &e->request_body, err);
}

static void copy_field(char *out, size_t size, const char *text)
{
	if (text)
		snprintf(out, size, "%s", text);
}

static bool read_response(const json_t *response, const json_t *extra,
			  struct http_response *r, struct error *err)
{
	const json_t *content = json_object_get(response, "content");
	const json_t *failure = json_object_get(extra, "error");
	int64_t status = number_of(response, "status");
	int64_t tries = number_of(extra, "tries");
	const char *message = text_of(failure, "message");

	if (status < 0 || status > 999 || tries < 0 || tries > 1000)
		return error_set(err, ERROR_FORMAT,
				 "a status or count out of range");
	r->status = (int)status;
	r->tries = (unsigned)tries;
	r->has_sent_secret =
		json_is_true(json_object_get(extra, "has_sent_secret"));
	r->wire_bytes = number_of(response, "bodySize");
	r->duration_ns = number_of(extra, "duration_ns");
	copy_field(r->content_type, sizeof r->content_type,
		   text_of(content, "mimeType"));
	copy_field(r->location, sizeof r->location,
		   text_of(response, "redirectURL"));
	copy_field(r->server_date, sizeof r->server_date,
		   header_of(response, "Date"));
	if (failure)
		error_set(&r->err, har_code_find(text_of(failure, "code")),
			  "%s", message ? message : "");
	return read_body(content, "encoding", &r->body, err);
}

static bool read_entries(struct har *h, const json_t *list, struct error *err)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		struct har_entry *e = entry_new(h, err);

		if (!e)
			return false;
		if (!read_request(json_object_get(item, "request"), e, err) ||
		    !read_response(json_object_get(item, "response"),
				   json_object_get(item, "_tracefind"),
				   &e->response, err))
			return error_prefix(err, "entry %zu", i + 1);
	}
	return true;
}

static bool read_run(struct har *h, const json_t *run, struct error *err)
{
	const json_t *list = json_object_get(run, "args");
	const json_t *item;
	bool is_ok = true;
	size_t i;

	h->now_ns = number_of(run, "now_ns");
	h->args = mem_calloc(json_array_size(list), sizeof *h->args);
	if (!h->args)
		return error_memory(err, "the case");
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return error_set(err, ERROR_FORMAT,
					 "an argument is not text");
		h->args[i] = dup_or_null(json_string_value(item), &is_ok);
		h->arg_count = i + 1;
	}
	return is_ok || error_memory(err, "the case");
}

static bool read_document(struct har *h, struct str bytes, struct error *err)
{
	json_error_t failure;
	json_t *root =
		json_loadb(bytes.ptr, bytes.len, JSON_ALLOW_NUL, &failure);
	const json_t *log = json_object_get(root, "log");
	const json_t *run = json_object_get(log, "_tracefind");
	bool is_ok = false;

	if (!root)
		error_set(err, ERROR_FORMAT, "not JSON: line %d: %s",
			  failure.line, failure.text);
	else if (!json_is_array(json_object_get(log, "entries")))
		error_set(err, ERROR_FORMAT, "not a HAR file: no log.entries");
	else if (!json_is_integer(json_object_get(run, "now_ns")))
		error_set(err, ERROR_FORMAT,
			  "a HAR file, but not of tracefind --record: it "
			  "lacks the run's clock");
	else
		is_ok = read_run(h, run, err) &&
			read_entries(h, json_object_get(log, "entries"), err);
	json_decref(root);
	return is_ok;
}

static bool read_file(struct har *h, const char *path, struct error *err)
{
	struct buf raw, plain;
	bool is_ok;

	buf_init(&raw, LIMIT_HAR_BYTES);
	buf_init(&plain, LIMIT_HAR_BYTES);
	is_ok = file_read(path, &raw, err);
	if (is_ok && gz_is(buf_str(&raw)))
		is_ok = gz_inflate(buf_str(&raw), path, &plain, err) &&
			read_document(h, buf_str(&plain), err);
	else if (is_ok)
		is_ok = read_document(h, buf_str(&raw), err);
	buf_release(&raw);
	buf_release(&plain);
	return is_ok || error_prefix(err, "--replay %s", path);
}

struct har *har_open(const char *path, struct error *err)
{
	struct har *h = har_new(err);

	if (h && read_file(h, path, err))
		return h;
	har_free(h);
	return NULL;
}
