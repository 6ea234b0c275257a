/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/cache.h"
#include "wire/har.h"
#include "wire/http_wire.h"
#include "wire/redact.h"
#include "wire/url.h"

/* Short secrets would hit ordinary words; in an error page, where a server
 * is most likely to repeat what it was sent, that does no harm. */
#define MASK_MIN_DATA_BYTES 8
#define MASK_MIN_ERROR_BYTES 4

struct http_client {
	struct http_settings settings;
	struct wire *wire; /* made for the first request that needs it */
	int64_t deadline_ns;
	struct http_log_entry *log;
	size_t log_count;
	size_t log_cap;
	unsigned round_count;
	bool is_running;          /* a batch */
	struct error cache_error; /* the first */
};

static int64_t deadline_from_now(const struct http_settings *settings)
{
	return sat_add_i64(clock_monotonic_ns(),
			   sat_mul_i64(settings->timeout_ms, NS_PER_MS));
}

struct http_client *http_client_new(const struct http_settings *settings,
				    struct error *err)
{
	struct http_client *c = mem_calloc(1, sizeof *c);

	if (!c) {
		error_memory(err, "the network client");
		return NULL;
	}
	c->settings = *settings;
	if (!c->settings.most_requests)
		c->settings.most_requests = LIMIT_REQUESTS_PER_RUN;
	c->deadline_ns = deadline_from_now(settings);
	return c;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	wire_free(c->wire);
	for (size_t i = 0; i < c->log_count; i++) {
		mem_free(c->log[i].method);
		mem_free(c->log[i].url);
	}
	mem_free(c->log);
	mem_free(c);
}

void http_request_release(struct http_request *r)
{
	mem_free(r->path);
	r->path = NULL;
	buf_release(&r->body);
}

void http_response_release(struct http_response *r)
{
	buf_release(&r->body);
}

const struct error *http_cache_error(const struct http_client *c)
{
	return c->cache_error.code == ERROR_NONE ? NULL : &c->cache_error;
}

size_t http_log(const struct http_client *c,
		const struct http_log_entry **entries)
{
	*entries = c->log;
	return c->log_count;
}

size_t http_requests_left(const struct http_client *c)
{
	return c->settings.most_requests - c->log_count;
}

/* ---- one batch ---- */

/* Room for a batch beforehand: what was sent must always get logged. */
static bool log_reserve(struct http_client *c, size_t n, struct error *err)
{
	size_t cap = c->log_cap ? c->log_cap * 2 : 16;
	struct http_log_entry *grown;

	if (n > http_requests_left(c))
		return error_set(err, ERROR_LIMIT,
				 "more than %zu requests in one run",
				 c->settings.most_requests);
	if (c->log_count + n <= c->log_cap)
		return true;
	if (cap < c->log_count + n)
		cap = c->log_count + n;
	grown = mem_realloc(c->log, cap * sizeof *grown);
	if (!grown)
		return error_memory(err, "the list of requests");
	c->log = grown;
	c->log_cap = cap;
	return true;
}

static char *redacted_url(const char *url)
{
	struct buf shown;
	char *copy;

	buf_init(&shown, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&shown, str_from(url));
	copy = shown.state == BUF_OK ? mem_strdup(buf_text(&shown)) : NULL;
	buf_release(&shown);
	return copy;
}

static bool log_add(struct http_client *c, const struct exchange *x,
		    struct error *err)
{
	struct http_log_entry *entry = &c->log[c->log_count];

	*entry = (struct http_log_entry){
		.method = mem_strdup(x->request->method),
		.url = redacted_url(x->url),
		.status = x->response->status,
		.bytes = x->response->wire_bytes,
		.duration_ns = x->response->duration_ns,
		.tries = x->response->tries,
		.is_cached = x->is_cached,
		.round = c->round_count,
	};
	c->log_count++;
	return (entry->method && entry->url) ||
	       error_memory(err, "the list of requests");
}

static bool mask_text(const struct endpoint *e, char *text)
{
	return secrets_mask(e, text, strlen(text), MASK_MIN_ERROR_BYTES);
}

/* What a server echoes must not reach a message, the log or a case. */
static bool mask_response(const struct endpoint *e, struct http_response *r,
			  struct error *err)
{
	bool is_data = http_is_success(r);

	if (secrets_mask(e, r->body.data, r->body.len,
			 is_data ? MASK_MIN_DATA_BYTES
				 : MASK_MIN_ERROR_BYTES) &&
	    mask_text(e, r->location) && mask_text(e, r->content_type) &&
	    mask_text(e, r->server_date) && mask_text(e, r->err.message))
		return true;
	return error_memory(err, "an answer");
}

/* Refused by us: nothing is sent, not even a connection made. */
static void fail_early(struct exchange *x, const struct error *err)
{
	x->response->status = 0;
	x->response->err = *err;
	x->is_done = true;
	x->started_ns = clock_now_ns();
}

static bool prepare(struct exchange *x, const struct http_request *request,
		    struct http_response *response, char **url,
		    struct error *err)
{
	struct error refusal;

	*url = url_join(request->endpoint->url, request->path);
	if (!*url)
		return error_memory(err, "a request");
	*x = (struct exchange){ .request = request,
				.response = response,
				.url = *url };
	if (!endpoint_check(request->endpoint, &refusal))
		fail_early(x, &refusal);
	return true;
}

/* What one http_run_each() works at. */
struct batch {
	struct http_client *client;
	struct exchange *exchanges;
	char **urls;
	size_t count;
	size_t taken; /* from the front on: logged and handed over */
	const struct http_taker *taker;
	bool is_last_try;
};

static bool is_all_done(const struct batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (!b->exchanges[i].is_done)
			return false;
	return true;
}

/* After masking: what the server echoed of a secret is not kept. */
static void keep_cached(struct http_client *c, const struct exchange *x)
{
	struct error err;

	if (c->settings.cache && !x->is_cached && !x->request->sieve &&
	    !x->request->is_export &&
	    c->cache_error.code == ERROR_NONE &&
	    !cache_add(c->settings.cache, x->request, x->url, x->response,
		       x->started_ns, &err))
		c->cache_error = err;
}

/* In the order of the requests, not of the answers: logs and cases of equal
 * runs are equal, and so is what is made of the answers. */
static bool take_next(struct batch *b, struct error *err)
{
	struct http_client *c = b->client;
	struct exchange *x = &b->exchanges[b->taken];

	if (!mask_response(x->request->endpoint, x->response, err) ||
	    !log_add(c, x, err))
		return false;
	keep_cached(c, x);
	if (c->settings.record && !x->request->is_export &&
	    !har_add(c->settings.record, x->request, x->url, x->response,
		     x->started_ns, err))
		return false;
	if (b->taker)
		b->taker->take(b->taker->context, b->taken);
	b->taken++;
	return true;
}

static bool take_rest(struct batch *b, struct error *err)
{
	while (b->taken < b->count)
		if (!take_next(b, err))
			return false;
	return true;
}

/* Refused, perhaps for a token that has run out. */
static bool may_renew(const struct batch *b, const struct exchange *x)
{
	return x->response->status == 401 && !b->is_last_try &&
	       b->client->settings.renew_token;
}

/* What takes long to read waits until all are there: how long the others take,
 * and what time is left to them, is told by when they are looked at. */
#define TAKEN_EARLY_BYTES MIB

static bool take_ready(void *context, bool *is_done, struct error *err)
{
	struct batch *b = context;
	const struct exchange *x = &b->exchanges[b->taken];

	*is_done = b->taken < b->count && x->is_done && !may_renew(b, x) &&
		   x->response->body.len <= TAKEN_EARLY_BYTES;
	return !*is_done || take_next(b, err);
}

static bool send(struct batch *b, struct error *err)
{
	const struct wire_work work = { take_ready, b };
	struct http_client *c = b->client;

	if (is_all_done(b))
		return true;
	if (c->settings.is_long)
		c->deadline_ns = deadline_from_now(&c->settings);
	if (c->wire)
		wire_extend(c->wire, c->deadline_ns);
	if (!c->wire)
		c->wire = wire_new(&c->settings, c->deadline_ns, err);
	return c->wire && wire_run(c->wire, b->exchanges, b->count, &work, err);
}

/* Those refused for a token that has run out; the others stay as they are. */
static void prepare_again(struct batch *b)
{
	const struct http_settings *s = &b->client->settings;

	for (size_t i = b->taken; i < b->count; i++) {
		struct exchange *x = &b->exchanges[i];

		x->is_done =
			!may_renew(b, x) ||
			!s->renew_token(s->renew_context, x->request->endpoint);
		if (x->is_done)
			continue;
		http_response_release(x->response);
		memset(x->response, 0, sizeof *x->response);
	}
	b->is_last_try = true;
}

/* What an earlier run was answered is not asked again. */
static void find_cached(struct batch *b)
{
	struct cache *cache = b->client->settings.cache;

	for (size_t i = 0; cache && i < b->count; i++) {
		struct exchange *x = &b->exchanges[i];

		if (x->is_done || x->request->sieve || x->request->is_export)
			continue;
		x->is_cached =
			cache_find(cache, x->request, x->url, x->response);
		x->is_done = x->is_cached;
		x->started_ns = clock_now_ns();
	}
}

static bool run_live(struct batch *b, struct error *err)
{
	find_cached(b);
	if (!send(b, err))
		return false;
	prepare_again(b);
	return send(b, err) && take_rest(b, err);
}

/* A replay checks no credentials: there are none, and nothing is sent. What
 * the recorded run refused is in the case as a failure. */
static bool run_replay(struct batch *b, struct error *err)
{
	for (size_t i = 0; i < b->count; i++) {
		struct exchange *x = &b->exchanges[i];

		if (har_find(b->client->settings.replay, x->request, x->url,
			     x->response, err))
			continue;
		if (!x->request->is_optional || err->code != ERROR_NOT_FOUND)
			return false;
		fail_early(x, err);
		error_clear(err);
	}
	return take_rest(b, err);
}

static bool batch_prepare(struct batch *b, struct http_request *requests,
			  struct http_response *responses, struct error *err)
{
	b->exchanges = mem_calloc(b->count, sizeof *b->exchanges);
	b->urls = mem_calloc(b->count, sizeof *b->urls);
	if (!b->exchanges || !b->urls)
		return error_memory(err, "requests");
	if (!log_reserve(b->client, b->count, err))
		return false;
	b->client->round_count++;
	for (size_t i = 0; i < b->count; i++)
		if (!prepare(&b->exchanges[i], &requests[i], &responses[i],
			     &b->urls[i], err))
			return false;
	return true;
}

static void batch_release(struct batch *b)
{
	/* Those not reached are NULL. */
	for (size_t i = 0; b->urls && i < b->count; i++)
		mem_free(b->urls[i]);
	mem_free(b->urls);
	mem_free(b->exchanges);
}

bool http_run_each(struct http_client *c, struct http_request *requests,
		   struct http_response *responses, size_t n,
		   const struct http_taker *taker, struct error *err)
{
	struct batch b = { .client = c, .count = n, .taker = taker };
	bool is_ok;

	memset(responses, 0, n * sizeof *responses);
	if (c->is_running)
		return error_set(err, ERROR_INTERNAL,
				 "requests while others are on their way");
	c->is_running = true;
	is_ok = batch_prepare(&b, requests, responses, err) &&
		(c->settings.replay ? run_replay : run_live)(&b, err);
	batch_release(&b);
	c->is_running = false;
	return is_ok;
}

bool http_run(struct http_client *c, struct http_request *requests,
	      struct http_response *responses, size_t n, struct error *err)
{
	return http_run_each(c, requests, responses, n, NULL, err);
}
