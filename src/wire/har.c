/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/har.h"

#include <string.h>

#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/page_case.h"
#include "wire/auth.h"
#include "wire/har_entry.h"
#include "wire/har_held.h"
#include "wire/redact.h"

/* Room for what base64 and JSON add to bodies, so that what was recorded can
 * also be written and read again. */
#define RECORD_BYTES (LIMIT_HAR_BYTES / 2)

#define SHOWN_URL_BYTES 300

/* ---- the list ---- */

struct har *har_new(struct error *err)
{
	struct har *h = mem_calloc(1, sizeof *h);

	if (!h)
		error_memory(err, "the case");
	return h;
}

static void args_free(struct har *h)
{
	/* Not all that is secret looks it. */
	for (size_t i = 0; i < h->arg_count; i++)
		secret_free(h->args[i]);
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
	entry = har_entry_new(h, err);
	if (!entry)
		return false;
	h->body_bytes += bytes;
	return har_entry_fill(entry, request, url, response, started_ns, err);
}

static struct har_entry *find_recorded(struct har *h, const struct har_key *key)
{
	struct har_entry *best = NULL;
	int best_rank = 0;

	for (size_t i = 0; i < h->count; i++) {
		int rank = har_entry_rank(&h->entries[i], key);

		/* Of equals: the first unused, or else the last. */
		if (rank > best_rank ||
		    (rank == best_rank && rank > 0 && best->is_used)) {
			best = &h->entries[i];
			best_rank = rank;
		}
	}
	return best;
}

static struct har_entry *find_list(struct har *h, const struct har_key *key)
{
	for (size_t i = 0; i < h->count && h->is_relaxed; i++) {
		struct har_entry *e = &h->entries[i];

		if (har_held_is_list(e->url) && e->response.status == 200 &&
		    str_equal(str_from(e->url), buf_str(&key->url)))
			return e;
	}
	return NULL;
}

static bool fail_absent(const struct har *h, const struct http_request *request,
			const struct har_key *key, struct error *err)
{
	/* The end of a long address says less than what there is. */
	struct str shown = str_slice(buf_str(&key->url), 0, SHOWN_URL_BYTES);
	struct buf held;

	buf_init(&held, LIMIT_ERROR_BYTES);
	har_describe(h, &held);
	error_set(err, ERROR_NOT_FOUND,
		  "not in the case: %s %.*s%s; it holds %s", request->method,
		  STR_ARGS(shown), shown.len < key->url.len ? "..." : "",
		  buf_text(&held));
	buf_release(&held);
	return false;
}

bool har_find(struct har *h, const struct http_request *request,
	      const char *url, struct http_response *response,
	      struct error *err)
{
	struct har_entry *e;
	struct har_key key;
	bool is_done;

	if (!har_key_init(&key, request, url, err))
		return false;
	e = find_recorded(h, &key);
	if (!e)
		e = find_list(h, &key);
	if (e)
		e->is_used = true;
	is_done = e ? har_entry_copy(e, response, err)
		    : fail_absent(h, request, &key, err);
	har_key_release(&key);
	return is_done;
}

/* ---- the run ---- */

static char *redacted_argument(const char *argument, const char *previous)
{
	struct buf text;
	char *copy = NULL;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES * 4);
	(void)!buf_reserve(&text, 2 * strlen(argument));
	argument_redact(&text, str_from(argument), str_from(previous));
	if (text.state == BUF_OK)
		copy = mem_strdup(buf_text(&text));
	buf_wipe(&text);
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

static bool is_page(struct str text)
{
	return str_starts(text, STR("<!DOCTYPE html>"));
}

/* Leaves of a page the case in it. */
static bool unpack_page(struct buf *page, struct error *err)
{
	struct str begin = STR(PAGE_CASE_BEGIN), rest, text;
	size_t at = str_find(buf_str(page), begin), len;

	if (at == SIZE_MAX)
		return error_set(err, ERROR_FORMAT,
				 "the page holds no case: it has to be made "
				 "with --embed-case");
	rest = str_slice(buf_str(page), at + begin.len, page->len);
	text = str_slice(rest, 0, str_find(rest, STR(PAGE_CASE_END)));
	if (!base64_decode(text, (unsigned char *)page->data, text.len, &len) ||
	    !gz_is((struct str){ page->data, len }))
		return error_set(err, ERROR_FORMAT,
				 "the case in the page is damaged");
	page->len = len;
	return true;
}

static bool read_file(struct har *h, const char *path, struct error *err)
{
	struct buf raw, plain;
	bool is_ok;

	buf_init(&raw, LIMIT_HAR_BYTES);
	buf_init(&plain, LIMIT_HAR_BYTES);
	if (!file_read(path, &raw, err))
		is_ok = error_prefix(err, "--replay");
	else if (is_page(buf_str(&raw)) && !unpack_page(&raw, err))
		is_ok = error_prefix(err, "--replay %s", path);
	else if (gz_is(buf_str(&raw)))
		is_ok = (gz_inflate(buf_str(&raw), path, &plain, err) &&
			 har_read(h, buf_str(&plain), err)) ||
			error_prefix(err, "--replay %s", path);
	else
		is_ok = har_read(h, buf_str(&raw), err) ||
			error_prefix(err, "--replay %s", path);
	buf_release(&raw);
	buf_release(&plain);
	return is_ok;
}

struct har *har_open(const char *path, struct error *err)
{
	struct har *h = har_new(err);

	if (h && read_file(h, path, err))
		return h;
	har_free(h);
	return NULL;
}
