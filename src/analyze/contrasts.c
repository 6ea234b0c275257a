/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrasts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/baseline.h"
#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/instance.h"
#include "base/map.h"
#include "base/num.h"
#include "model/history.h"

/* What of a span may tell slow requests from fast ones: private to
 * contrast*.c. */

struct contrast_feature {
	enum contrast_of of;
	uint32_t operation;
	uint32_t key; /* of CONTRAST_OF_ATTRIBUTE */
};

/* Not known of a request: no such span, or its process does not tell. */
#define FEATURE_UNKNOWN UINT32_MAX

/* Its value: a symbol, 0 where an attribute is lacking. span may be NULL. */
static uint32_t feature_value(const struct history *h,
			      const struct contrast_feature *f,
			      const struct history_span *span)
{
	uint32_t value;

	if (!span)
		return FEATURE_UNKNOWN;
	if (f->of == CONTRAST_OF_ATTRIBUTE)
		return history_attr(h, span, f->key);
	value = f->of == CONTRAST_OF_VERSION ? span->version : span->instance;
	return value ? value : FEATURE_UNKNOWN;
}

/* Doubles are ordered as their bits are, negative ones the other way round. */
static bool ordered_of(struct str text, int64_t *ordered)
{
	double number;
	int64_t bits;

	if (!text.len || !parse_f64(text, &number) || !isfinite(number))
		return false;
	memcpy(&bits, &number, sizeof bits);
	*ordered = bits < 0 ? INT64_MIN - bits : bits;
	return true;
}

/* Numbers in their order: a larger one is larger as an integer, too. False for
 * what is no number, or has no end. */
static bool feature_number(const struct history *h, uint32_t value,
			   int64_t *ordered)
{
	return ordered_of(history_text(h, value), ordered);
}

static double feature_number_back(int64_t ordered)
{
	int64_t bits = ordered < 0 ? INT64_MIN - ordered : ordered;
	double number;

	memcpy(&number, &bits, sizeof number);
	return number;
}

static int is_beyond(const struct contrast *c, int64_t ordered)
{
	double number = feature_number_back(ordered);

	return c->kind == CONTRAST_MORE ? number >= c->cut : number <= c->cut;
}

static inline struct contrast_feature feature_of(const struct contrast *c)
{
	return (struct contrast_feature){ c->of, c->operation, c->key };
}

/* Whether a span bears what the contrast tells: 1, 0, -1 not known. */
static int feature_bears(const struct history *h, const struct contrast *c,
			 const struct history_span *span)
{
	const struct contrast_feature f = feature_of(c);
	uint32_t value = feature_value(h, &f, span);
	int64_t ordered;

	if (value == FEATURE_UNKNOWN)
		return -1;
	if (c->kind == CONTRAST_VALUE)
		return value == c->value;
	return feature_number(h, value, &ordered) ? is_beyond(c, ordered) : -1;
}

static int feature_text_bears(const struct history *h, const struct contrast *c,
			      struct str value)
{
	int64_t ordered;

	if (!value.ptr)
		return c->of == CONTRAST_OF_ATTRIBUTE &&
				       c->kind == CONTRAST_VALUE
			       ? 0
			       : -1;
	if (c->kind == CONTRAST_VALUE)
		return str_equal(value, history_text(h, c->value));
	return ordered_of(value, &ordered) ? is_beyond(c, ordered) : -1;
}

/* Of these some are of processes, where zone, node and region stand. */
#define PROCESS_KEYS 8u

/* What begins so is the same for all requests of a service, names the request
 * or its text, or is looked at elsewhere. */
static const struct str silent[] = {
	{ "@jaeger", 7 },
	{ "client.port", 11 },
	{ "code.", 5 },
	{ "component", 9 },
	{ "container.", 10 },
	{ "db.query.text", 13 },
	{ "db.statement", 12 },
	{ "db.system", 9 },
	{ "exception.", 10 },
	{ "host.arch", 9 },
	{ "host.id", 7 },
	{ "host.ip", 7 },
	{ "http.flavor", 11 },
	{ "http.method", 11 },
	{ "http.request.method", 19 },
	{ "http.scheme", 11 },
	{ "http.target", 11 },
	{ "http.url", 8 },
	{ "internal.", 9 },
	{ "jaeger.", 7 },
	{ "k8s.pod.uid", 11 },
	{ "messaging.kafka.message.offset", 30 },
	{ "messaging.kafka.offset", 22 },
	{ "messaging.message.id", 20 },
	{ "messaging.system", 16 },
	{ "net.peer.port", 13 },
	{ "net.sock.", 9 },
	{ "network.peer.port", 17 },
	{ "network.protocol", 16 },
	{ "opencensus.", 11 },
	{ "os.", 3 },
	{ "otel.", 5 },
	{ "process.", 8 },
	{ "pyroscope.", 10 },
	{ "rpc.system", 10 },
	{ "sampler.", 8 },
	{ "telemetry.", 10 },
	{ "thread.", 7 },
	{ "url.full", 8 },
	{ "url.path", 8 },
	{ "url.query", 9 },
	{ "url.scheme", 10 },
	{ "user_agent.", 11 },
};

/* So are these; and intrinsics of TraceQL, where answers do not tell them from
 * attributes. */
static const struct str silent_words[] = {
	{ "duration", 8 },
	{ "hostname", 8 },
	{ "ip", 2 },
	{ "kind", 4 },
	{ "name", 4 },
	{ "service.name", 12 },
	{ "service.namespace", 17 },
	{ "service.version", 15 },
	{ "span.kind", 9 },
	{ "status", 6 },
};

/* How names of measured times end. */
static const struct str times[] = {
	{ "_ms", 3 },       { ".ms", 3 },      { "_ns", 3 },
	{ "_us", 3 },       { "_seconds", 8 }, { "_millis", 7 },
	{ "duration", 8 },  { "elapsed", 7 },  { "latency", 7 },
	{ "timestamp", 9 }, { "_time", 5 },    { ".time", 5 },
};

static const struct str outcomes[] = {
	{ "db.response.status_code", 23 },
	{ "error", 5 },
	{ "error.type", 10 },
	{ "grpc.code", 9 },
	{ "http.response.status_code", 25 },
	{ "http.status_code", 16 },
	{ "rpc.grpc.status_code", 20 },
	{ "rpc.response.status_code", 24 },
	{ "rpc.status_code", 15 },
};

bool contrast_key_is_outcome(struct str key)
{
	return str_is_among(key, outcomes, COUNT_OF(outcomes));
}

/* Names nothing but an instance, which is looked at whatever tells it. A host
 * may be the machine of several. */
static bool is_instance(struct str key)
{
	return str_equal(key, STR(INSTANCE_POD)) ||
	       str_equal(key, STR(INSTANCE_ID));
}

bool contrast_key_is_telling(struct str key)
{
	if (!key.len || is_instance(key) ||
	    str_is_among(key, silent_words, COUNT_OF(silent_words)))
		return false;
	for (size_t i = 0; i < COUNT_OF(silent); i++)
		if (str_starts(key, silent[i]))
			return false;
	for (size_t i = 0; i < COUNT_OF(times); i++)
		if (str_ends(key, times[i]))
			return false;
	return true;
}

/* ---- of a trace ---- */

struct collecting {
	const struct trace *t;
	struct history_key *keys;
	uint32_t count;
	uint32_t most;
	bool is_of_process;
};

static void add(struct collecting *c, uint32_t symbol)
{
	struct str key = trace_text(c->t, symbol);

	for (uint32_t i = 0; i < c->count; i++)
		if (str_equal(c->keys[i].name, key))
			return;
	if (c->count < c->most && contrast_key_is_telling(key))
		c->keys[c->count++] =
			(struct history_key){ key, c->is_of_process };
}

static void add_all(struct collecting *c, uint32_t attr_first,
		    uint32_t attr_count, uint32_t detail_first,
		    uint32_t detail_count)
{
	for (uint32_t i = attr_first; i < attr_first + attr_count; i++)
		add(c, c->t->attrs[i].key);
	for (uint32_t i = detail_first; i < detail_first + detail_count; i++)
		if (c->t->details[i].kind == DETAIL_ATTR)
			add(c, c->t->details[i].key);
}

/* The first span of each operation; SPAN_NONE: among none of those looked at.
 */
static void find_members(const struct trace *t, const struct operations *o,
			 uint32_t members[OPERATIONS_MAX])
{
	uint32_t left = o->count;

	for (uint32_t i = 0; i < OPERATIONS_MAX; i++)
		members[i] = SPAN_NONE;
	for (uint32_t i = 0;
	     left && i < t->span_count && i < LIMIT_ATTRIBUTED_SPANS; i++) {
		uint32_t at = operations_find_span(o->items, o->count, t, i);

		if (at == OPERATION_NONE || members[at] != SPAN_NONE)
			continue;
		members[at] = i;
		left--;
	}
}

uint32_t contrast_keys_collect(const struct trace *t,
			       const struct operations *operations,
			       struct history_key *keys)
{
	struct collecting c = { .t = t, .keys = keys, .most = PROCESS_KEYS };
	uint32_t members[OPERATIONS_MAX];

	find_members(t, operations, members);
	c.is_of_process = true;
	for (uint32_t i = 0; i < operations->count; i++) {
		const struct resource *r;

		if (members[i] == SPAN_NONE)
			continue;
		r = &t->resources[t->spans[members[i]].resource];
		add_all(&c, r->attr_first, r->attr_count, r->detail_first,
			r->detail_count);
	}
	c.is_of_process = false;
	c.most = HISTORY_KEYS;
	for (uint32_t i = 0; i < operations->count; i++) {
		const struct span *s;

		if (members[i] == SPAN_NONE)
			continue;
		s = &t->spans[members[i]];
		add_all(&c, s->attr_first, s->attr_count, s->detail_first,
			s->detail_count);
	}
	return c.count;
}

/* Requests of one operation, and of each the spans that tell something of it.
 */

#define REQUESTS_WHAT "requests of the operation"

/* Of a trace of the window: none, or added before. */
#define REQUEST_NONE UINT32_MAX

struct contrast_request {
	int64_t start_ns; /* of the operation's span, the longest of several */
	int64_t duration_ns;
	bool is_of_slow_only; /* chosen by its duration */
};

struct contrast_requests {
	struct arena *arena;
	const struct history *history;
	uint32_t operation;
	struct map by_id; /* traces */
	struct contrast_request *items;
	uint32_t count;
	size_t cap;
	/* By request, then by operation: its longest span there, or NULL. */
	const struct history_span **spans;
	size_t span_cap;
	/* By operation, NULL without requests: a bit for each key of which spans of one request bear
	 * several values. The longest's then says which span took long, not
	 * what the request is like. */
	uint32_t *mixed_keys;
};

/* None yet; all that is added lives in the arena. */
static void contrast_requests_init(struct contrast_requests *r,
				   const struct history *history,
				   uint32_t operation, struct arena *arena)
{
	*r = (struct contrast_requests){ .arena = arena,
					 .history = history,
					 .operation = operation };
	map_init(&r->by_id, arena);
}

static bool append(struct contrast_requests *r, bool is_slow_only,
		   struct error *err)
{
	uint32_t width = r->history->operation_count;
	void *items = r->items, *spans = r->spans;

	if (!arena_reserve(r->arena, &items, &r->cap, (size_t)r->count + 1,
			   sizeof *r->items) ||
	    !arena_reserve(r->arena, &spans, &r->span_cap,
			   ((size_t)r->count + 1) * width, sizeof *r->spans))
		return arena_fail(r->arena, REQUESTS_WHAT, err);
	r->items = items;
	r->spans = spans;
	r->items[r->count] =
		(struct contrast_request){ .is_of_slow_only = is_slow_only };
	for (uint32_t i = 0; i < width; i++)
		r->spans[(size_t)r->count * width + i] = NULL;
	r->count++;
	return true;
}

/* A trace without an id cannot be met again. */
static bool is_known_request(struct contrast_requests *r,
			     const struct history_trace *trace, bool *is_new,
			     struct error *err)
{
	struct str id = { (const char *)trace->id.bytes,
			  sizeof trace->id.bytes };
	uint32_t at;

	*is_new = true;
	if (trace_id_is_zero(&trace->id))
		return true;
	if (!map_insert(&r->by_id, id, r->count, &at))
		return arena_fail(r->arena, REQUESTS_WHAT, err);
	*is_new = at == r->count;
	return true;
}

/* The request of each trace. */
static bool find_requests(struct contrast_requests *r,
			  const struct history_window *w,
			  struct time_range range, bool is_slow_only,
			  uint32_t *requests, struct error *err)
{
	for (uint32_t i = 0; i < w->trace_count; i++)
		requests[i] = REQUEST_NONE;
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		bool is_new;

		if (s->operation != r->operation ||
		    requests[s->trace] != REQUEST_NONE ||
		    !time_range_has(range, s->start_ns))
			continue;
		if (!is_known_request(r, &w->traces[s->trace], &is_new, err))
			return false;
		if (!is_new)
			continue;
		requests[s->trace] = r->count;
		if (!append(r, is_slow_only, err))
			return false;
	}
	return true;
}

static void mark_mixed(struct contrast_requests *r,
		       const struct history_span *a,
		       const struct history_span *b)
{
	const struct history *h = r->history;

	for (uint32_t i = 0; i < b->attr_count; i++) {
		uint32_t key = h->attrs[b->attr_first + i].key;

		if (history_attr(h, a, key) != history_attr(h, b, key))
			r->mixed_keys[a->operation] |= 1u << key;
	}
}

static void take_spans(struct contrast_requests *r,
		       const struct history_window *w, const uint32_t *requests)
{
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		const struct history_span **longest;

		if (requests[s->trace] == REQUEST_NONE)
			continue;
		longest = &r->spans[(size_t)requests[s->trace] *
					    r->history->operation_count +
				    s->operation];
		if (*longest)
			mark_mixed(r, *longest, s);
		if (!*longest || s->duration_ns > (*longest)->duration_ns)
			*longest = s;
	}
}

static inline const struct history_span *contrast_request_span(
	const struct contrast_requests *r, uint32_t request, uint32_t operation)
{
	return r->spans[(size_t)request * r->history->operation_count +
			operation];
}

/* Adds those of a window whose span of the operation begins in the range,
 * unless their trace is among them already. Windows that were not asked for
 * hold none. */
static bool contrast_requests_add(struct contrast_requests *r, uint32_t window,
				  struct time_range range, bool is_slow_only,
				  struct error *err)
{
	const struct history *h = r->history;
	const struct history_window *w;
	uint32_t first = r->count, *requests;

	if (window >= h->window_count)
		return true;
	w = &h->windows[window];
	requests = arena_array(r->arena, w->trace_count, sizeof *requests);
	if (!r->mixed_keys)
		r->mixed_keys = arena_array(r->arena, h->operation_count,
					    sizeof *r->mixed_keys);
	if (!requests || !r->mixed_keys)
		return arena_fail(r->arena, REQUESTS_WHAT, err);
	if (!find_requests(r, w, range, is_slow_only, requests, err))
		return false;
	take_spans(r, w, requests);
	for (uint32_t i = first; i < r->count; i++) {
		const struct history_span *s =
			contrast_request_span(r, i, r->operation);

		r->items[i].start_ns = s->start_ns;
		r->items[i].duration_ns = s->duration_ns;
	}
	return true;
}

/* Whether requests that bear what slow ones have in common were as slow before,
 * and as many: a big export takes its time. Private to contrast*.c. */

#define USUAL_WHAT "requests like this one"

/* Requests of some time that bear it, or that do not. */
struct group {
	int64_t *durations; /* sorted */
	size_t count;
};

struct like {
	struct group with;
	struct group without;
	double reach_ns; /* the longest, at the size of the one in question */
};

struct usual {
	const struct contrast_want *want;
	struct contrast *c;
	struct arena arena;
	bool is_of_request; /* not of where it was served */
	bool is_own;        /* the request in question bears it */
	double own;         /* its number; 0: not known, or no numbers */
	struct like now;
};

/* What a duration is multiplied with to be that of the size in question, if time
 * grows as size does; smaller ones take as long. */
static double scale_of(const struct usual *u, const struct history_span *span)
{
	const struct history *h = u->want->history;
	const struct contrast_feature f = feature_of(u->c);
	int64_t ordered;
	double size;

	if (u->c->kind != CONTRAST_MORE ||
	    !feature_number(h, feature_value(h, &f, span), &ordered))
		return 1;
	size = feature_number_back(ordered);
	return size > 0 ? fmax(1, u->own / size) : 1;
}

static void add_usual(struct group *g, int64_t duration_ns)
{
	g->durations[g->count++] = duration_ns;
}

static bool find_like(struct usual *u, const struct contrast_requests *r,
		      struct like *out, struct error *err)
{
	*out = (struct like){ .reach_ns = 0 };
	out->with.durations = arena_array(&u->arena, r->count, sizeof(int64_t));
	out->without.durations =
		arena_array(&u->arena, r->count, sizeof(int64_t));
	if (!out->with.durations || !out->without.durations)
		return arena_fail(&u->arena, USUAL_WHAT, err);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct history_span *span =
			contrast_request_span(r, i, u->c->operation);
		int bears = feature_bears(u->want->history, u->c, span);
		int64_t took_ns = r->items[i].duration_ns;

		if (bears == 1)
			out->reach_ns =
				fmax(out->reach_ns,
				     (double)took_ns * scale_of(u, span));
		if (bears >= 0)
			add_usual(bears ? &out->with : &out->without, took_ns);
	}
	values_sort(out->with.durations, out->with.count);
	values_sort(out->without.durations, out->without.count);
	return true;
}

static bool find_now(struct usual *u, struct error *err)
{
	struct contrast_requests r;

	contrast_requests_init(&r, u->want->history, u->want->operation,
			       &u->arena);
	return contrast_requests_add(&r, u->want->roles->slow,
				     u->want->slow_range, false, err) &&
	       find_like(u, &r, &u->now, err);
}

/* The same hours of days ago, when a fault of today had not begun. */
static bool find_days_ago(struct usual *u, struct like *out, struct error *err)
{
	static const enum baseline_slot slots[] = { BASELINE_DAY,
						    BASELINE_WEEK };
	const struct history *h = u->want->history;
	struct contrast_requests r;

	contrast_requests_init(&r, h, u->want->operation, &u->arena);
	for (size_t i = 0; i < 2; i++) {
		uint32_t window = u->want->roles->baselines[slots[i]];

		if (window < h->window_count &&
		    !contrast_requests_add(&r, window, h->windows[window].range,
					   false, err))
			return false;
	}
	return find_like(u, &r, out, err);
}

static bool find_base(struct usual *u, struct like *out, struct error *err)
{
	struct contrast_requests r;

	contrast_requests_init(&r, u->want->history, u->want->operation,
			       &u->arena);
	return contrast_requests_add(&r, u->want->base_window,
				     u->want->base_range, false, err) &&
	       find_like(u, &r, out, err);
}

static int64_t usual_p50_of(const struct group *g)
{
	return values_quantile(g->durations, g->count, 50);
}

static bool is_known(const struct like *before)
{
	return before->with.count >= CONTRAST_MIN;
}

#define USUAL_P 0.01

#define USUAL_CHANCE_RATIO 1.5

/* Longer by less than this is as before; by less than the second, when it may
 * be chance. */
#define USUAL_RATIO 1.2

static bool took_as_long(const struct group *now, const struct group *before)
{
	int64_t p50 = usual_p50_of(before);
	double ratio = (double)usual_p50_of(now) / (double)(p50 > 0 ? p50 : 1),
	       z;

	return ratio < USUAL_RATIO ||
	       (ratio < USUAL_CHANCE_RATIO &&
		rank_sum_test(now->durations, now->count, before->durations,
			      before->count, &z) >= USUAL_P);
}

static double all_of(const struct like *l)
{
	return (double)(l->with.count + l->without.count);
}

/* More of them than before: so many times, and beyond chance. */
#define USUAL_SHARE 2.0

static bool were_as_many(const struct like *now, const struct like *before)
{
	double n = (double)now->with.count, b = (double)before->with.count;

	return n / all_of(now) < USUAL_SHARE * b / all_of(before) ||
	       fisher_mid_p(n, all_of(now), b, all_of(before)) >= USUAL_P;
}

/* Its place or its code is told against the others of the same time: they are
 * not of one machine or one load, and a busy hour is no change of them. */
static bool is_as_far_apart(const struct like *now, const struct like *before)
{
	double then = (double)usual_p50_of(&before->with) /
		      fmax(1, (double)usual_p50_of(&before->without));
	double apart = (double)usual_p50_of(&now->with) /
		       fmax(1, (double)usual_p50_of(&now->without));

	return then - 1 >= (apart - 1) / 2;
}

static enum contrast_since since(const struct usual *u,
				 const struct like *before)
{
	const struct like *now = &u->now;

	if (now->with.count < CONTRAST_MIN || all_of(before) < CONTRAST_MIN)
		return CONTRAST_SINCE_UNKNOWN;
	if (!is_known(before)) {
		if (were_as_many(now, before))
			return CONTRAST_SINCE_UNKNOWN;
		return before->with.count ? CONTRAST_MORE_OFTEN : CONTRAST_NEW;
	}
	if (!u->is_of_request && (now->without.count < CONTRAST_MIN ||
				  before->without.count < CONTRAST_MIN))
		return CONTRAST_SINCE_UNKNOWN;
	if (!u->is_of_request)
		return is_as_far_apart(now, before) ? CONTRAST_AS_EVER
						    : CONTRAST_SLOWER;
	if (!took_as_long(&now->with, &before->with))
		return CONTRAST_SLOWER;
	return were_as_many(now, before) ? CONTRAST_AS_EVER
					 : CONTRAST_MORE_OFTEN;
}

/* Of what the slowest of those before took, for its size, the request in
 * question may take so much and is one of them. */
#define USUAL_REACH 1.2

/* The request in question is one of those before, and the others are as ever. */
static bool is_usual(const struct usual *u, const struct like *before)
{
	const struct like *now = &u->now;
	bool is_rest_known = now->without.count >= CONTRAST_MIN &&
			     before->without.count >= CONTRAST_MIN;

	return u->is_own && u->is_of_request &&
	       (double)u->want->duration_ns <=
		       USUAL_REACH * before->reach_ns &&
	       (!is_rest_known ||
		took_as_long(&now->without, &before->without));
}

static void judge(struct usual *u, const struct like *base,
		  const struct like *days_ago)
{
	bool has_base = is_known(base), has_days = is_known(days_ago);
	const struct like *told = has_base || !has_days ? base : days_ago;
	struct contrast *c = u->c;

	c->like_count = (uint32_t)u->now.with.count;
	c->like_before_count = (uint32_t)told->with.count;
	c->like_p50_ns = usual_p50_of(&u->now.with);
	c->like_before_p50_ns = usual_p50_of(&told->with);
	c->since = since(u, told);
	if (c->since == CONTRAST_AS_EVER && has_days && told != days_ago)
		c->since = since(u, days_ago);
	c->is_usual = c->since == CONTRAST_AS_EVER && is_usual(u, told) &&
		      (!has_days || is_usual(u, days_ago));
}

static bool find_usual(struct usual *u, struct error *err)
{
	struct like base, days_ago;

	if (!find_now(u, err) || !find_base(u, &base, err) ||
	    !find_days_ago(u, &days_ago, err))
		return false;
	judge(u, &base, &days_ago);
	return true;
}

/* Sets since and is_usual of a contrast, by the baseline and, where they were
 * answered, by the windows of days ago; and the numbers behind it. When those
 * that do not bear it are slower than before, nothing is usual. own: the value
 * of the request in question. Where a request was served and by which code is
 * never usual: others are served elsewhere, as quick as ever. */
static bool contrast_usual_find(const struct contrast_want *want,
				struct contrast *c, struct str own,
				struct error *err)
{
	struct usual u = { .want = want, .c = c, .is_own = c->own == 1 };
	bool is_done;

	u.is_of_request = c->of == CONTRAST_OF_ATTRIBUTE &&
			  !want->history->keys[c->key].is_of_process;
	if (c->kind != CONTRAST_VALUE &&
	    (!parse_f64(own, &u.own) || u.own <= 0)) {
		u.own = 0;
		u.is_own = false;
	}
	arena_init(&u.arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find_usual(&u, err);
	arena_release(&u.arena);
	return is_done;
}

#define WHAT "what slow requests have in common"

/* Of two that tell as much, the one is told that is no consequence. */
#define OUTCOME_COSTS 0.1

/* How far two effects may be apart to tell the same. */
#define SAME_EFFECT 0.02

enum side { SIDE_NONE = 0, SIDE_SLOW, SIDE_FAST };

struct work {
	const struct contrast_want *want;
	struct arena arena;
	struct contrast_requests requests;
	unsigned char *sides; /* enum side, by request */
	/* What is being looked at, by request. */
	uint32_t *values;
	int64_t *numbers;
	bool *is_told; /* bears what was told already */
	uint32_t *symbols;
	int64_t *room[2];
	struct contrast *found;
	uint32_t found_count;
	size_t found_cap;
	bool is_starved; /* memory for one was lacking */
	struct contrasts *out;
};

/* ---- slow and fast ones ---- */

static bool add_before(struct work *w, struct error *err)
{
	const struct contrast_want *want = w->want;
	uint32_t first = w->requests.count, fast = 0;

	for (uint32_t i = 0; i < first; i++)
		fast += !w->requests.items[i].is_of_slow_only &&
			w->requests.items[i].duration_ns < want->threshold_ns;
	w->out->is_against_before =
		fast < CONTRAST_MIN && want->base_window != WINDOW_NONE;
	return !w->out->is_against_before ||
	       contrast_requests_add(&w->requests, want->base_window,
				     want->base_range, false, err);
}

static void set_sides(struct work *w, uint32_t before)
{
	for (uint32_t i = 0; i < w->requests.count; i++) {
		const struct contrast_request *r = &w->requests.items[i];
		bool is_slow =
			i < before && r->duration_ns >= w->want->threshold_ns;

		/* Fast ones are not looked for by their duration. */
		if (is_slow)
			w->sides[i] = SIDE_SLOW;
		else if (w->out->is_against_before ? i >= before
						   : !r->is_of_slow_only)
			w->sides[i] = SIDE_FAST;
		w->out->slow_count += w->sides[i] == SIDE_SLOW;
		w->out->fast_count += w->sides[i] == SIDE_FAST;
	}
}

static bool reserve(struct work *w, struct error *err)
{
	struct arena *a = &w->arena;
	uint32_t n = w->requests.count;

	w->sides = arena_array(a, n, sizeof *w->sides);
	w->values = arena_array(a, n, sizeof *w->values);
	w->numbers = arena_array(a, n, sizeof *w->numbers);
	w->is_told = arena_array(a, n, sizeof *w->is_told);
	w->symbols = arena_array(a, n, sizeof *w->symbols);
	w->room[0] = arena_array(a, n, sizeof **w->room);
	w->room[1] = arena_array(a, n, sizeof **w->room);
	return (w->sides && w->values && w->numbers && w->is_told &&
		w->symbols && w->room[0] && w->room[1]) ||
	       arena_fail(a, WHAT, err);
}

static bool collect(struct work *w, struct error *err)
{
	const struct contrast_want *want = w->want;
	const struct window_roles *roles = want->roles;
	struct contrast_requests *r = &w->requests;
	uint32_t before;

	if (!contrast_requests_add(r, roles->slow, want->slow_range, false,
				   err) ||
	    !contrast_requests_add(r, roles->slow_only, want->slow_range, true,
				   err))
		return false;
	before = r->count;
	if (!add_before(w, err) || !reserve(w, err))
		return false;
	set_sides(w, before);
	return true;
}

/* ---- tests ---- */

/* Tests that are made at most: HISTORY_KEYS of OPERATIONS_MAX operations come
 * to some hundreds. */
#define CONTRAST_TESTS 8000u

static void keep(struct work *w, struct contrast c)
{
	void *found = w->found;

	if (w->found_count >= CONTRAST_TESTS || w->is_starved)
		return;
	w->is_starved = !arena_reserve(&w->arena, &found, &w->found_cap,
				       (size_t)w->found_count + 1, sizeof c);
	w->found = found;
	if (!w->is_starved)
		w->found[w->found_count++] = c;
}

static double share_of(uint32_t part, uint32_t whole)
{
	return whole ? (double)part / whole : 0;
}

static void test_value(struct work *w, struct contrast c)
{
	c.p = fisher_mid_p(c.slow_with, c.slow_count, c.fast_with,
			   c.fast_count);
	c.effect = share_of(c.slow_with, c.slow_count) -
		   share_of(c.fast_with, c.fast_count);
	keep(w, c);
}

static int compare_symbol(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* The distinct values, ascending; what is lacking is none. Returns how many, at
 * most CONTRAST_VALUES + 1. */
static uint32_t list_values(struct work *w)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < w->requests.count; i++)
		if (w->sides[i] && w->values[i] &&
		    w->values[i] != FEATURE_UNKNOWN)
			w->symbols[count++] = w->values[i];
	if (count)
		qsort(w->symbols, count, sizeof *w->symbols, compare_symbol);
	for (uint32_t i = 0; i < count && kept <= CONTRAST_VALUES; i++)
		if (!kept || w->symbols[kept - 1] != w->symbols[i])
			w->symbols[kept++] = w->symbols[i];
	return kept;
}

static void test_values(struct work *w, struct contrast c, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		c.value = w->symbols[k];
		c.slow_with = c.fast_with = 0;
		for (uint32_t i = 0; i < w->requests.count; i++) {
			if (w->values[i] != c.value)
				continue;
			c.slow_with += w->sides[i] == SIDE_SLOW;
			c.fast_with += w->sides[i] == SIDE_FAST;
		}
		if (c.slow_with + c.fast_with >= CONTRAST_MIN)
			test_value(w, c);
	}
}

/* How often one of a is larger than one of b, equal ones by half. */
static double order_of(const int64_t *a, size_t a_count, const int64_t *b,
		       size_t b_count)
{
	size_t below = 0, upto = 0;
	double sum = 0;

	for (size_t i = 0; i < a_count; i++) {
		while (below < b_count && b[below] < a[i])
			below++;
		if (upto < below)
			upto = below;
		while (upto < b_count && b[upto] <= a[i])
			upto++;
		sum += (double)below + (double)(upto - below) / 2;
	}
	return sum / ((double)a_count * (double)b_count);
}

/* The numbers of a side, sorted. */
static size_t take_side(struct work *w, enum side side, int64_t *out)
{
	size_t count = 0;

	for (uint32_t i = 0; i < w->requests.count; i++)
		if (w->sides[i] == side && w->values[i] &&
		    w->values[i] != FEATURE_UNKNOWN)
			out[count++] = w->numbers[i];
	values_sort(out, count);
	return count;
}

/* Numbers that follow the time of day as closely as this (by rank) count
 * requests: offsets, sequences, clocks. What became slow lately has large
 * ones. */
#define CONTRAST_COUNTER 0.9

static bool is_counter(struct work *w)
{
	size_t count = 0;

	for (uint32_t i = 0; i < w->requests.count; i++) {
		if (!w->sides[i] || !w->values[i] ||
		    w->values[i] == FEATURE_UNKNOWN)
			continue;
		w->room[0][count] = w->numbers[i];
		w->room[1][count++] = w->requests.items[i].start_ns;
	}
	return fabs(rank_correlation(w->room[0], w->room[1], count)) >=
	       CONTRAST_COUNTER;
}

/* Half way between two medians, by factors where both are above nothing. */
static double cut_between(double a, double b)
{
	return a > 0 && b > 0 ? sqrt(a * b) : (a + b) / 2;
}

static void count_beyond(struct work *w, struct contrast *c)
{
	c->slow_with = c->fast_with = 0;
	for (uint32_t i = 0; i < w->requests.count; i++) {
		if (!w->sides[i] ||
		    feature_bears(w->want->history, c,
				  contrast_request_span(&w->requests, i,
							c->operation)) != 1)
			continue;
		if (w->sides[i] == SIDE_SLOW)
			c->slow_with++;
		else
			c->fast_with++;
	}
}

static void test_numbers(struct work *w, struct contrast c)
{
	size_t slow, fast;
	double order, z;

	if (is_counter(w))
		return;
	slow = take_side(w, SIDE_SLOW, w->room[0]);
	fast = take_side(w, SIDE_FAST, w->room[1]);
	c.slow_count = (uint32_t)slow;
	c.fast_count = (uint32_t)fast;
	if (slow < CONTRAST_MIN || fast < CONTRAST_MIN)
		return;
	order = order_of(w->room[0], slow, w->room[1], fast);
	c.p = rank_sum_test(w->room[0], slow, w->room[1], fast, &z);
	c.kind = order >= 0.5 ? CONTRAST_MORE : CONTRAST_LESS;
	c.effect = fabs(2 * order - 1);
	c.slow_median =
		feature_number_back(values_quantile(w->room[0], slow, 50));
	c.fast_median =
		feature_number_back(values_quantile(w->room[1], fast, 50));
	c.cut = cut_between(c.slow_median, c.fast_median);
	count_beyond(w, &c);
	keep(w, c);
}

/* All that are there are numbers. */
static bool read_numbers(struct work *w)
{
	bool has_any = false;

	for (uint32_t i = 0; i < w->requests.count; i++) {
		if (!w->sides[i] || !w->values[i] ||
		    w->values[i] == FEATURE_UNKNOWN)
			continue;
		if (!feature_number(w->want->history, w->values[i],
				    &w->numbers[i]))
			return false;
		has_any = true;
	}
	return has_any;
}

/* Calls of one request that go to several servers, say: which of them took
 * longest is no property of the request. */
static bool is_mixed(const struct work *w, const struct contrast_feature *f)
{
	const uint32_t *mixed = w->requests.mixed_keys;

	return f->of == CONTRAST_OF_ATTRIBUTE && mixed &&
	       mixed[f->operation] & 1u << f->key;
}

/* Numbers of at least so many values are compared by their order; less are
 * codes, or versions. */
#define CONTRAST_NUMBERS 8u

static void test_feature(struct work *w, const struct contrast_feature *f)
{
	struct contrast c = { .of = f->of,
			      .operation = f->operation,
			      .key = f->key,
			      .slow_median = NAN,
			      .fast_median = NAN,
			      .cut = NAN };
	uint32_t values;

	for (uint32_t i = 0; i < w->requests.count; i++) {
		w->values[i] = feature_value(
			w->want->history, f,
			contrast_request_span(&w->requests, i, f->operation));
		if (w->values[i] == FEATURE_UNKNOWN)
			continue;
		c.slow_count += w->sides[i] == SIDE_SLOW;
		c.fast_count += w->sides[i] == SIDE_FAST;
	}
	if (c.slow_count < CONTRAST_MIN || c.fast_count < CONTRAST_MIN)
		return;
	values = list_values(w);
	if (f->of == CONTRAST_OF_ATTRIBUTE && values >= CONTRAST_NUMBERS &&
	    read_numbers(w))
		test_numbers(w, c);
	else if (values <= CONTRAST_VALUES && !is_mixed(w, f))
		test_values(w, c, values);
}

/* What is of a process is looked at once a service. */
static bool is_first_of_service(const struct work *w, uint32_t operation)
{
	const struct history *h = w->want->history;
	struct str service = h->operations[operation].service;

	if (str_equal(h->operations[w->want->operation].service, service))
		return operation == w->want->operation;
	for (uint32_t i = 0; i < operation; i++)
		if (str_equal(h->operations[i].service, service))
			return false;
	return true;
}

/* A bit for each key that some span of the operation bears. */
static uint32_t keys_of(const struct work *w, uint32_t operation)
{
	const struct history *h = w->want->history;
	uint32_t keys = 0;

	for (uint32_t i = 0; i < w->requests.count; i++) {
		const struct history_span *s =
			contrast_request_span(&w->requests, i, operation);

		for (uint32_t k = 0; s && k < s->attr_count; k++)
			keys |= 1u << h->attrs[s->attr_first + k].key;
	}
	return keys;
}

/* Against a time before, instances have other names: they come and go. */
static void test_operation(struct work *w, uint32_t operation)
{
	const struct history *h = w->want->history;
	bool is_first = is_first_of_service(w, operation);
	uint32_t keys = keys_of(w, operation);
	struct contrast_feature f = { .operation = operation };

	f.of = CONTRAST_OF_VERSION;
	if (is_first)
		test_feature(w, &f);
	f.of = CONTRAST_OF_INSTANCE;
	if (is_first && !w->out->is_against_before)
		test_feature(w, &f);
	f.of = CONTRAST_OF_ATTRIBUTE;
	for (f.key = 0; f.key < h->key_count; f.key++)
		if (keys & 1u << f.key &&
		    (is_first || !h->keys[f.key].is_of_process))
			test_feature(w, &f);
}

static bool test_all(struct work *w, struct error *err)
{
	uint32_t operations = w->want->history->operation_count;
	double *p, *q;
	size_t *order;

	test_operation(w, w->want->operation);
	for (uint32_t i = 0; i < operations; i++)
		if (i != w->want->operation)
			test_operation(w, i);
	p = arena_array(&w->arena, w->found_count, sizeof *p);
	q = arena_array(&w->arena, w->found_count, sizeof *q);
	order = arena_array(&w->arena, w->found_count, sizeof *order);
	if (w->is_starved || !p || !q || !order)
		return arena_fail(&w->arena, WHAT, err);
	for (uint32_t i = 0; i < w->found_count; i++)
		p[i] = w->found[i].p;
	false_discovery_adjust(p, q, order, w->found_count);
	for (uint32_t i = 0; i < w->found_count; i++)
		w->found[i].q = q[i];
	w->out->tested = w->found_count;
	return true;
}

/* ---- which are told ---- */

#define CONTRAST_ORDER 0.8

/* What tells something: by how much of the slow ones more than of the fast ones
 * bear it; and how often, of a slow request and a fast one, the slow one has
 * the larger number. A tenth more of them is true and helps nobody. */
#define CONTRAST_DIFFERENCE 0.3

/* False discoveries among what is told. */
#define CONTRAST_Q 0.01

static bool tells(const struct contrast *c)
{
	return c->q < CONTRAST_Q &&
	       c->effect >= (c->kind == CONTRAST_VALUE
				     ? CONTRAST_DIFFERENCE
				     : 2 * CONTRAST_ORDER - 1);
}

static double weight_of(const struct work *w, const struct contrast *c)
{
	bool is_outcome =
		c->of == CONTRAST_OF_ATTRIBUTE &&
		contrast_key_is_outcome(w->want->history->keys[c->key].name);

	return c->effect - (is_outcome ? OUTCOME_COSTS : 0);
}

/* Of those that bear nothing that was told: a second reason tells them apart as
 * well, another name of the first does not. */
static bool tells_more(struct work *w, const struct contrast *c)
{
	struct contrast left = { .kind = CONTRAST_VALUE };

	for (uint32_t i = 0; i < w->requests.count; i++) {
		int bears = feature_bears(
			w->want->history, c,
			contrast_request_span(&w->requests, i, c->operation));

		if (bears < 0 || w->is_told[i])
			continue;
		if (w->sides[i] == SIDE_SLOW) {
			left.slow_count++;
			left.slow_with += (uint32_t)bears;
		} else if (w->sides[i] == SIDE_FAST) {
			left.fast_count++;
			left.fast_with += (uint32_t)bears;
		}
	}
	if (left.slow_with < CONTRAST_MIN)
		return false;
	left.effect = share_of(left.slow_with, left.slow_count) -
		      share_of(left.fast_with, left.fast_count);
	return left.effect >= CONTRAST_DIFFERENCE &&
	       fisher_mid_p(left.slow_with, left.slow_count, left.fast_with,
			    left.fast_count) < CONTRAST_Q;
}

static void mark_told(struct work *w, const struct contrast *c)
{
	for (uint32_t i = 0; i < w->requests.count; i++)
		w->is_told[i] |=
			feature_bears(w->want->history, c,
				      contrast_request_span(&w->requests, i,
							    c->operation)) == 1;
}

/* The clearest that is left; of equal ones the first. */
static struct contrast *best_left(struct work *w)
{
	struct contrast *best = NULL;
	double most = 0;

	for (uint32_t i = 0; i < w->found_count; i++) {
		struct contrast *c = &w->found[i];
		double weight = weight_of(w, c);

		if (!tells(c) || (best && weight < most + SAME_EFFECT))
			continue;
		best = c;
		most = weight;
	}
	return best;
}

/* Median of the operation for those that bear it or do not, in the window that
 * was not chosen by durations. */
static int64_t p50_of(struct work *w, const struct contrast *c, int bears)
{
	size_t count = 0;

	for (uint32_t i = 0; i < w->requests.count; i++) {
		const struct contrast_request *r = &w->requests.items[i];

		if (w->sides[i] && !r->is_of_slow_only &&
		    feature_bears(w->want->history, c,
				  contrast_request_span(&w->requests, i,
							c->operation)) == bears)
			w->room[0][count++] = r->duration_ns;
	}
	values_sort(w->room[0], count);
	return values_quantile(w->room[0], count, 50);
}

/* The longest span of the operation in the trace itself. */
static uint32_t own_span(const struct work *w, uint32_t operation)
{
	const struct trace *t = w->want->trace;
	const struct operation *o = &w->want->history->operations[operation];
	uint32_t longest = SPAN_NONE;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (operations_find_span(o, 1, t, i) == 0 &&
		    (longest == SPAN_NONE ||
		     span_duration_ns(&t->spans[i]) >
			     span_duration_ns(&t->spans[longest])))
			longest = i;
	return longest;
}

static struct str own_value(const struct work *w, const struct contrast *c,
			    uint32_t span)
{
	const struct trace *t = w->want->trace;

	if (c->of == CONTRAST_OF_VERSION)
		return resource_attr(t, t->spans[span].resource,
				     STR("service.version"));
	if (c->of == CONTRAST_OF_INSTANCE)
		return resource_instance(t, t->spans[span].resource);
	return span_any_attr(t, span, w->want->history->keys[c->key].name);
}

static bool tell(struct work *w, struct contrast c, struct error *err)
{
	uint32_t span = own_span(w, c.operation);
	struct str own = { NULL, 0 };

	c.with_p50_ns = p50_of(w, &c, 1);
	c.without_p50_ns = p50_of(w, &c, 0);
	c.own = -1;
	if (span != SPAN_NONE) {
		own = own_value(w, &c, span);
		c.own = feature_text_bears(w->want->history, &c, own);
	}
	mark_told(w, &c);
	if (!contrast_usual_find(w->want, &c, own, err))
		return false;
	w->out->items[w->out->count++] = c;
	return true;
}

static bool choose(struct work *w, struct error *err)
{
	while (w->out->count < CONTRASTS_TOLD) {
		struct contrast *best = best_left(w);

		if (!best)
			break;
		if (!w->out->count || tells_more(w, best)) {
			if (!tell(w, *best, err))
				return false;
		}
		best->q = 1;
	}
	return true;
}

static bool find(struct work *w, struct error *err)
{
	if (!collect(w, err))
		return false;
	if (w->out->slow_count < CONTRAST_MIN ||
	    w->out->fast_count < CONTRAST_MIN)
		return true;
	return test_all(w, err) && choose(w, err);
}

bool contrasts_find(const struct contrast_want *want, struct contrasts *out,
		    struct error *err)
{
	struct work w = { .want = want, .out = out };
	bool is_done;

	*out = (struct contrasts){ .operation = want->operation };
	if (want->operation >= want->history->operation_count)
		return true;
	arena_init(&w.arena, LIMIT_ANALYZE_HEAP_BYTES);
	contrast_requests_init(&w.requests, want->history, want->operation,
			       &w.arena);
	is_done = find(&w, err);
	arena_release(&w.arena);
	return is_done;
}
