/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/redact.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/cache.h"
#include "wire/har.h"
#include "wire/http.h"
#include "wire/http_message.h"
#include "wire/url.h"

/* Minimum length of secrets to mask: shorter ones would match ordinary words;
 * in error bodies, where servers are most likely to echo requests, that does no
 * harm. */
#define MASK_MIN_DATA_BYTES 8
#define MASK_MIN_ERROR_BYTES 4

struct http_client {
	struct http_settings settings;
	struct wire *wire; /* created for the first request that needs it */
	int64_t deadline_ns;
	struct http_log_entry *log;
	size_t log_count;
	size_t log_cap;
	unsigned round_count;
	bool is_running;          /* a batch is in progress */
	struct error cache_error; /* the first one */
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

/* Reserved before the batch: whatever is sent must be logged. */
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

static bool log_add(struct http_client *c, const struct exchange *x,
		    struct error *err)
{
	struct http_log_entry *entry = &c->log[c->log_count];
	struct buf shown;

	*entry = (struct http_log_entry){
		.method = mem_strdup(x->request->method),
		.status = x->response->status,
		.bytes = x->response->wire_bytes,
		.duration_ns = x->response->duration_ns,
		.tries = x->response->tries,
		.is_cached = x->is_cached,
		.round = c->round_count,
	};
	buf_init(&shown, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&shown, str_from(x->url));
	if (shown.state == BUF_OK)
		entry->url = mem_strdup(buf_text(&shown));
	buf_release(&shown);
	c->log_count++;
	return (entry->method && entry->url) ||
	       error_memory(err, "the list of requests");
}

static bool mask_text(const struct endpoint *e, char *text)
{
	return secrets_mask(e, text, strlen(text), MASK_MIN_ERROR_BYTES);
}

/* Refuses a request without making a connection. */
static void fail_early(struct exchange *x, const struct error *err)
{
	x->response->status = 0;
	x->response->err = *err;
	x->is_done = true;
	x->started_ns = clock_now_ns();
}

/* The requests of one http_run_each(). */
struct batch {
	struct http_client *client;
	struct exchange *exchanges;
	char **urls;
	size_t count;
	size_t taken; /* number logged and passed on, in order */
	const struct http_taker *taker;
	bool is_last_try;
};

/* Processes responses in the order of requests: logs and cases of equal runs
 * are then identical, and so are results. */
static bool take_next(struct batch *b, struct error *err)
{
	struct http_client *c = b->client;
	struct exchange *x = &b->exchanges[b->taken];
	const struct endpoint *e = x->request->endpoint;
	struct http_response *r = x->response;
	struct error cache_error;

	/* Secrets echoed by a server must not reach a message, the log or a
	 * case. */
	if (!secrets_mask(e, r->body.data, r->body.len,
			  http_is_success(r) ? MASK_MIN_DATA_BYTES
					     : MASK_MIN_ERROR_BYTES) ||
	    !mask_text(e, r->location) || !mask_text(e, r->content_type) ||
	    !mask_text(e, r->server_date) || !mask_text(e, r->err.message))
		return error_memory(err, "an answer");
	if (!log_add(c, x, err))
		return false;
	if (c->settings.cache && !x->is_cached && !x->request->sieve &&
	    !x->request->is_export && c->cache_error.code == ERROR_NONE &&
	    !cache_add(c->settings.cache, x->request, x->url, r, x->started_ns,
		       &cache_error))
		c->cache_error = cache_error;
	if (c->settings.record && !x->request->is_export &&
	    !har_add(c->settings.record, x->request, x->url, r, x->started_ns,
		     err))
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

/* Returns whether it was refused, possibly because of an expired token. */
static bool may_renew(const struct batch *b, const struct exchange *x)
{
	return x->response->status == 401 && !b->is_last_try &&
	       b->client->settings.renew_token;
}

/* Responses of this size or more are processed when all have arrived: parsing
 * them would distort the timing of the others. */
#define TAKEN_EARLY_BYTES MIB

static bool take_ready(void *context, bool *is_done, struct error *err)
{
	struct batch *b = context;
	const struct exchange *x = &b->exchanges[b->taken];

	*is_done = b->taken < b->count && x->is_done && !may_renew(b, x) &&
		   x->response->body.len <= TAKEN_EARLY_BYTES;
	return !*is_done || take_next(b, err);
}

static bool batch_send(struct batch *b, struct error *err)
{
	const struct wire_work work = { take_ready, b };
	struct http_client *c = b->client;
	size_t done = 0;

	while (done < b->count && b->exchanges[done].is_done)
		done++;
	if (done == b->count)
		return true;
	if (c->settings.is_long)
		c->deadline_ns = deadline_from_now(&c->settings);
	if (c->wire)
		wire_extend(c->wire, c->deadline_ns);
	if (!c->wire)
		c->wire = wire_new(&c->settings, c->deadline_ns, err);
	return c->wire && wire_run(c->wire, b->exchanges, b->count, &work, err);
}

/* Prepares a retry of requests refused because of an expired token. */
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

/* Takes responses from the cache, so they are not fetched again. */
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
	if (!batch_send(b, err))
		return false;
	prepare_again(b);
	return batch_send(b, err) && take_rest(b, err);
}

/* Replays do not check credentials: there are none, and nothing is sent.
 * Refusals by the recorded run are failures in the case. */
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
	for (size_t i = 0; i < b->count; i++) {
		const struct http_request *request = &requests[i];
		struct exchange *x = &b->exchanges[i];
		struct error refusal;

		b->urls[i] = url_join(request->endpoint->url, request->path);
		if (!b->urls[i])
			return error_memory(err, "a request");
		*x = (struct exchange){ .request = request,
					.response = &responses[i],
					.url = b->urls[i] };
		if (!endpoint_check(request->endpoint, &refusal))
			fail_early(x, &refusal);
	}
	return true;
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
	/* Those not reached are NULL. */
	for (size_t i = 0; b.urls && i < b.count; i++)
		mem_free(b.urls[i]);
	mem_free(b.urls);
	mem_free(b.exchanges);
	c->is_running = false;
	return is_ok;
}

bool http_run(struct http_client *c, struct http_request *requests,
	      struct http_response *responses, size_t n, struct error *err)
{
	return http_run_each(c, requests, responses, n, NULL, err);
}

/* Retry policy. Pure functions: clock and randomness are parameters. */

#define BACKOFF_FIRST_MS 500
#define BACKOFF_MAX_MS 8000

bool parse_http_date(struct str text, int64_t *out_ns)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char iso[TIME_RFC3339_BYTES];
	int month = 0;

	text = str_trim(text);
	if (text.len != 29 || !str_ends(text, STR(" GMT")) ||
	    text.ptr[3] != ',' || text.ptr[4] != ' ')
		return false;
	while (month < 12 && memcmp(text.ptr + 8, months + month * 3, 3))
		month++;
	if (month++ == 12)
		return false;
	snprintf(iso, sizeof iso, "%.4s-%02d-%.2sT%.8sZ", text.ptr + 12, month,
		 text.ptr + 5, text.ptr + 17);
	return parse_rfc3339(str_from(iso), out_ns);
}

/* Returns the wait requested by the server in ms, RETRY_NEVER if absent or
 * malformed. */
static int64_t asked_ms(const struct retry_facts *f)
{
	int64_t until_ns, now_ns, wait_ns;
	uint64_t seconds;

	if (parse_u64(str_trim(f->retry_after), &seconds))
		return seconds > INT64_MAX / 1000 ? INT64_MAX
						  : (int64_t)seconds * 1000;
	if (!parse_http_date(f->retry_after, &until_ns))
		return RETRY_NEVER;
	if (!parse_http_date(f->date, &now_ns))
		now_ns = f->now_ns;
	wait_ns = sat_sub_i64(until_ns, now_ns);
	return wait_ns <= 0 ? 0 : (wait_ns - 1) / NS_PER_MS + 1;
}

/* Exponential backoff, with the upper half of each interval random, so that
 * clients that failed together do not return together. */
static int64_t backoff_ms(unsigned tries, uint32_t random)
{
	int64_t step = BACKOFF_FIRST_MS;

	while (--tries > 0 && step < BACKOFF_MAX_MS)
		step *= 2;
	return step / 2 + (int64_t)(random % (uint32_t)(step / 2 + 1));
}

static bool is_worth_it(const struct retry_facts *f)
{
	switch (f->status) {
	case 0:
		return f->is_broken;
	case 429:
	case 502:
	case 503:
	case 504:
		return true;
	case 500:
		return f->is_google || f->is_broken;
	default:
		return f->is_broken;
	}
}

int64_t retry_delay_ms(const struct retry_facts *f)
{
	int64_t delay_ms;

	if (!is_worth_it(f) || f->tries > f->retries)
		return RETRY_NEVER;
	delay_ms = f->retry_after.len ? asked_ms(f) : RETRY_NEVER;
	if (delay_ms > (int64_t)LIMIT_RETRY_AFTER_MS)
		return RETRY_NEVER;
	if (delay_ms == RETRY_NEVER)
		delay_ms = backoff_ms(f->tries, f->random);
	return delay_ms < f->left_ms ? delay_ms : RETRY_NEVER;
}

/* Messages for transport errors, see http_message.h. */

struct str url_authority(const char *url)
{
	struct url_parts parts;

	return url && url_split(str_from(url), &parts) ? parts.authority
						       : STR("the server");
}

const char *side_prefix(const struct endpoint *e)
{
	return e->option_prefix ? e->option_prefix : "-";
}

const char *side_url(const struct endpoint *e)
{
	static const char *const options[] = { "--traces-url", "--profiles-url",
					       "--metrics-url" };
	struct str side = str_from(side_prefix(e));

	if (e->url_option)
		return e->url_option;
	for (size_t i = 0; i < COUNT_OF(options); i++)
		if (str_starts(str_from(options[i]), side) && side.len > 2)
			return options[i];
	return "--url";
}

void wire_prefix(const char *url, struct error *err)
{
	struct str host = url_authority(url);

	error_prefix(err, "%.*s", STR_ARGS(host));
}

/* libcurl reports lack of memory like any other failure. */
static bool fail_library(struct error *err, const char *what, const char *words)
{
	return mem_has_failed() ? error_memory(err, what)
				: error_set(err, ERROR_INTERNAL, "%s", words);
}

bool wire_fail_start(struct error *err)
{
	return fail_library(err, "the network client",
			    "cannot start the network client: the system may "
			    "be out of descriptors");
}

bool wire_fail_wait(struct error *err)
{
	return fail_library(err, "the connections",
			    "cannot wait for the servers' answers: the system "
			    "failed to");
}

/* Error codes follow exit statuses: 6 for everything that a retry, another URL
 * or another setting may fix. */
static void describe_connect(enum wire_failure failure,
			     const struct wire_facts *f, struct error *err)
{
	struct str host = url_authority(f->url);
	const char *side = side_prefix(f->endpoint);
	char limit[24];

	switch (failure) {
	case WIRE_REFUSED:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_REFUSED ": is the server running "
			  "there? (%s)",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_NO_SUCH_HOST:
		error_set(err, ERROR_NETWORK,
			  WIRE_SAYS_NO_HOST ": %.*s (check %s, DNS, VPN)",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_NO_SUCH_PROXY:
		error_set(err, ERROR_NETWORK,
			  WIRE_SAYS_NO_PROXY
			  " on the way to %.*s (check "
			  "%s-proxy or the environment's proxy)",
			  STR_ARGS(host), side);
		break;
	case WIRE_CONNECT_TIMEOUT:
		format_duration(f->connect_ms * NS_PER_MS, limit);
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_NO_CONNECT " within %s: check "
			  "%s, firewall and VPN, or raise "
			  "--connect-timeout",
			  STR_ARGS(host), limit, side_url(f->endpoint));
		break;
	default:
		/* errno is occasionally 0, whose text is "Success". */
		error_set(err, ERROR_NETWORK,
			  WIRE_SAYS_CANNOT_CONNECT " to %.*s: %s",
			  STR_ARGS(host),
			  f->os_error ? strerror(f->os_error) : f->detail);
		break;
	}
}

static bool facts_say(const struct wire_facts *f, const char *words)
{
	return strstr(f->detail, words) != NULL;
}

/* Describes a certificate error, by curl's messages for names and OpenSSL's for
 * dates; everything else is about the issuer. */
static void describe_distrust(const struct wire_facts *f, struct error *err)
{
	struct str host = url_authority(f->url);
	const char *side = side_prefix(f->endpoint);

	if (facts_say(f, "target host name"))
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_OTHER_NAME " (%s): put a name "
			  "that it is for into %s; --insecure skips the "
			  "check",
			  STR_ARGS(host), f->detail, side_url(f->endpoint));
	else if (facts_say(f, "expired") || facts_say(f, "not yet valid"))
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_OUT_OF_DATE " (%s): the server "
			  "needs a new one, or this machine's clock is wrong; "
			  "--insecure skips the check",
			  STR_ARGS(host), f->detail);
	else
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_UNTRUSTED " (%s): name "
			  "its authority with %s-cacert FILE; --insecure "
			  "skips the check",
			  STR_ARGS(host), f->detail, side);
}

static void describe_tls(enum wire_failure failure, const struct wire_facts *f,
			 struct error *err)
{
	struct str host = url_authority(f->url);
	const char *side = side_prefix(f->endpoint);

	switch (failure) {
	case WIRE_TLS_UNTRUSTED:
		describe_distrust(f, err);
		break;
	case WIRE_TLS_FILES:
		error_set(err, ERROR_USAGE,
			  "a certificate or key file cannot be used (%s): "
			  "check %s-cacert, %s-cert, %s-key",
			  f->detail, side, side, side);
		break;
	default:
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_NO_TLS
			  " (%s): does the server speak "
			  "https (TLS 1.2 or newer) on this port? (%s)",
			  STR_ARGS(host), f->detail, side_url(f->endpoint));
		break;
	}
}

static void describe_answer(enum wire_failure failure,
			    const struct wire_facts *f, struct error *err)
{
	struct str host = url_authority(f->url);
	char limit[24];

	switch (failure) {
	case WIRE_STALLED:
		format_duration(f->stall_ms * NS_PER_MS, limit);
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_SILENT " %s (%lld bytes had come): "
						   "the server is busy or "
						   "hung; try a shorter window",
			  STR_ARGS(host), limit, (long long)f->body_bytes);
		break;
	case WIRE_OUT_OF_TIME:
		format_duration(f->timeout_ms * NS_PER_MS, limit);
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_OUT_OF_TIME
			  " %s are used up (raise --timeout, or use a shorter "
			  "window)",
			  STR_ARGS(host), limit);
		break;
	case WIRE_NO_ANSWER:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_CLOSED " (%s): "
			  "does it speak http or https there? (%s)",
			  STR_ARGS(host), f->detail, side_url(f->endpoint));
		break;
	case WIRE_NO_ANSWER_TLS:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_CLOSED_TLS ", without an answer "
			  "(%s): does it want a client certificate, or another "
			  "one (%s-cert)?",
			  STR_ARGS(host), f->detail, side_prefix(f->endpoint));
		break;
	default:
		error_set(err, ERROR_NETWORK,
			  "%.*s cut the connection in the middle of the "
			  "answer, after %lld bytes: try again",
			  STR_ARGS(host), (long long)f->body_bytes);
		break;
	}
}

void wire_describe(enum wire_failure failure, const struct wire_facts *f,
		   struct error *err)
{
	struct str host = url_authority(f->url);

	switch (failure) {
	case WIRE_REFUSED:
	case WIRE_UNREACHABLE:
	case WIRE_NO_SUCH_HOST:
	case WIRE_NO_SUCH_PROXY:
	case WIRE_CONNECT_TIMEOUT:
		describe_connect(failure, f, err);
		break;
	case WIRE_TLS_UNTRUSTED:
	case WIRE_TLS:
	case WIRE_TLS_FILES:
		describe_tls(failure, f, err);
		break;
	case WIRE_STALLED:
	case WIRE_OUT_OF_TIME:
	case WIRE_NO_ANSWER:
	case WIRE_NO_ANSWER_TLS:
	case WIRE_CUT:
		describe_answer(failure, f, err);
		break;
	case WIRE_NOT_HTTP:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_NOT_HTTP ": check scheme and "
			  "port of %s",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_LONG_HEADER:
		error_set(err, ERROR_LIMIT,
			  "%.*s: the answer has a header too large to take: "
			  "is this the right server? (%s)",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_BAD_URL:
		error_set(err, ERROR_USAGE, "%s is not a usable URL",
			  side_url(f->endpoint));
		break;
	case WIRE_MEMORY:
		error_memory(err, "a connection");
		break;
	case WIRE_OK:
	case WIRE_OTHER:
		error_set(err, ERROR_NETWORK, "%.*s: %s", STR_ARGS(host),
			  f->detail[0] ? f->detail : "the transfer failed");
		break;
	}
}
