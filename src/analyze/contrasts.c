/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrasts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/baseline.h"
#include "analyze/groups.h"
#include "analyze/operations.h"
#include "analyze/stats.h"
#include "base/instance.h"
#include "base/map.h"
#include "base/num.h"
#include "model/history.h"

/* ---- what a span bears ---- */

/* No such span in the request, or no such attribute in its process. */
#define VALUE_UNKNOWN UINT32_MAX

/* Returns a span's value of the attribute under test: a symbol, 0 without the
 * attribute. span may be NULL. */
static uint32_t value_of(const struct history *h, const struct contrast *c,
			 const struct history_span *span)
{
	uint32_t value;

	if (!span)
		return VALUE_UNKNOWN;
	if (c->of == CONTRAST_OF_ATTRIBUTE)
		return history_attr(h, span, c->key);
	value = c->of == CONTRAST_OF_VERSION ? span->version : span->instance;
	return value ? value : VALUE_UNKNOWN;
}

/* Returns false if it is not a number, or infinite. */
static bool number_of(struct str text, double *number)
{
	return text.len && parse_f64(text, number) && isfinite(*number);
}

/* Numbers are compared as integers that are larger where the number is: doubles
 * are ordered as their bits are, negative ones the other way round. */
static double number_back(int64_t in_order)
{
	int64_t bits = in_order < 0 ? INT64_MIN - in_order : in_order;
	double number;

	memcpy(&number, &bits, sizeof number);
	return number;
}

/* Returns whether a value is that of the contrast: 1, 0, -1 not known. A
 * request without the attribute has no value of it. */
static int text_bears(const struct history *h, const struct contrast *c,
		      struct str value)
{
	double number;

	if (c->kind != CONTRAST_VALUE)
		return !number_of(value, &number) ? -1
		       : c->kind == CONTRAST_MORE ? number >= c->cut
						  : number <= c->cut;
	if (!value.ptr)
		return c->of == CONTRAST_OF_ATTRIBUTE ? 0 : -1;
	return str_equal(value, history_text(h, c->value));
}

/* ---- which attributes ---- */

/* Maximum number of these that belong to processes, such as zone, node and
 * region. */
#define PROCESS_KEYS 8u

/* Attributes with these prefixes are the same for all requests of a service,
 * identify the request or its text, or are used elsewhere. */
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

/* The same for these; and for intrinsics of TraceQL, which answers do not
 * distinguish from attributes. */
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

bool contrast_key_is_telling(struct str key)
{
	/* Names only an instance, which is tested separately. A host may run
	 * several. */
	if (str_equal(key, STR(INSTANCE_POD)) ||
	    str_equal(key, STR(INSTANCE_ID)))
		return false;
	if (!key.len || str_is_among(key, silent_words, COUNT_OF(silent_words)))
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

static void symbols_add(struct collecting *c, uint32_t symbol)
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
		symbols_add(c, c->t->attrs[i].key);
	for (uint32_t i = detail_first; i < detail_first + detail_count; i++)
		if (c->t->details[i].kind == DETAIL_ATTR)
			symbols_add(c, c->t->details[i].key);
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
	struct collecting c = { .t = t, .keys = keys };
	uint32_t members[OPERATIONS_MAX];

	find_members(t, operations, members);
	for (int pass = 0; pass < 2; pass++) {
		c.is_of_process = !pass;
		c.most = c.is_of_process ? PROCESS_KEYS : HISTORY_KEYS;
		for (uint32_t i = 0; i < operations->count; i++) {
			const struct span *s = members[i] == SPAN_NONE
						       ? NULL
						       : &t->spans[members[i]];
			const struct resource *r =
				s ? &t->resources[s->resource] : NULL;

			if (s && c.is_of_process)
				add_all(&c, r->attr_first, r->attr_count,
					r->detail_first, r->detail_count);
			else if (s)
				add_all(&c, s->attr_first, s->attr_count,
					s->detail_first, s->detail_count);
		}
	}
	return c.count;
}

/* ---- the requests ---- */

#define WHAT "attributes of slow requests"

/* A trace of the window without a request, or added before. */
#define REQUEST_NONE UINT32_MAX

enum side { SIDE_NONE = 0, SIDE_SLOW, SIDE_FAST, SIDES };

/* Where a request was found: in several windows, when they are the same. */
enum when {
	OF_NOW = 1,
	OF_SLOW_ONLY = 2, /* chosen by its duration */
	OF_BASE = 4,
	/* The same hours of days ago, when a fault of today had not begun. */
	OF_DAYS_AGO = 8,
};

struct request {
	int64_t start_ns; /* of the operation's span, the longest of several */
	int64_t duration_ns;
	unsigned when;
	enum side side;
	bool is_told; /* has a value already reported */
};

struct work {
	const struct contrast_want *want;
	const struct history *history;
	struct arena arena;
	struct map by_id; /* traces */
	struct request *requests;
	uint32_t count;
	size_t cap;
	/* By request, then by operation: its longest span there, or NULL. */
	const struct history_span **spans;
	size_t span_cap;
	/* By operation: a bit for each key that has several values in the spans
	 * of one request. The longest span's value then identifies the slow
	 * span, and not a property of the request. */
	uint32_t *mixed_keys;
	/* The attribute under test, by request. */
	uint32_t *values;
	int64_t *numbers;
	uint32_t *symbols;
	int64_t *starts;
	struct group_pair room;
	struct contrast *found;
	uint32_t found_count;
	size_t found_cap;
	bool is_starved; /* memory for one was lacking */
	struct contrasts *out;
};

static const struct history_span *span_of(const struct work *w,
					  uint32_t request, uint32_t operation)
{
	return w->spans[(size_t)request * w->history->operation_count +
			operation];
}

static int contrast_bears(const struct work *w, const struct contrast *c,
			  uint32_t request)
{
	const struct history *h = w->history;
	uint32_t value = value_of(h, c, span_of(w, request, c->operation));

	if (value == VALUE_UNKNOWN)
		return -1;
	return c->kind == CONTRAST_VALUE
		       ? value == c->value
		       : text_bears(h, c, history_text(h, value));
}

static bool contrasts_append_window(struct work *w, enum when when,
				    struct error *err)
{
	uint32_t width = w->history->operation_count;
	void *requests = w->requests, *spans = w->spans;

	if (!arena_reserve(&w->arena, &requests, &w->cap, (size_t)w->count + 1,
			   sizeof *w->requests) ||
	    !arena_reserve(&w->arena, &spans, &w->span_cap,
			   ((size_t)w->count + 1) * width, sizeof *w->spans))
		return arena_fail(&w->arena, WHAT, err);
	w->requests = requests;
	w->spans = spans;
	w->requests[w->count] = (struct request){ .when = when };
	for (uint32_t i = 0; i < width; i++)
		w->spans[(size_t)w->count * width + i] = NULL;
	w->count++;
	return true;
}

/* One that was met in a window before. Without an id it cannot be. */
static bool is_known_request(struct work *w, const struct history_trace *trace,
			     enum when when, bool *is_known, struct error *err)
{
	struct str id = { (const char *)trace->id.bytes,
			  sizeof trace->id.bytes };
	uint32_t at;

	*is_known = false;
	if (trace_id_is_zero(&trace->id))
		return true;
	if (!map_insert(&w->by_id, id, w->count, &at))
		return arena_fail(&w->arena, WHAT, err);
	*is_known = at < w->count;
	if (*is_known && !(w->requests[at].when & (OF_NOW | OF_SLOW_ONLY)))
		w->requests[at].when |= when;
	return true;
}

/* The request of each trace. */
static bool find_requests(struct work *w, const struct group_spans *from,
			  enum when when, uint32_t *requests, struct error *err)
{
	const struct history_window *window =
		&w->history->windows[from->window];
	const struct history_span *s;
	uint32_t at = 0;

	for (uint32_t i = 0; i < window->trace_count; i++)
		requests[i] = REQUEST_NONE;
	while ((s = group_spans_next(from, &at))) {
		bool is_known;

		if (requests[s->trace] != REQUEST_NONE)
			continue;
		if (!is_known_request(w, &window->traces[s->trace], when,
				      &is_known, err))
			return false;
		if (is_known)
			continue;
		requests[s->trace] = w->count;
		if (!contrasts_append_window(w, when, err))
			return false;
	}
	return true;
}

static void take_spans(struct work *w, const struct history_window *from,
		       const uint32_t *requests)
{
	const struct history *h = w->history;

	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];
		const struct history_span **longest;

		if (requests[s->trace] == REQUEST_NONE)
			continue;
		longest = &w->spans[(size_t)requests[s->trace] *
					    h->operation_count +
				    s->operation];
		for (uint32_t k = 0; *longest && k < s->attr_count; k++) {
			uint32_t key = h->attrs[s->attr_first + k].key;

			if (history_attr(h, *longest, key) !=
			    history_attr(h, s, key))
				w->mixed_keys[s->operation] |= 1u << key;
		}
		if (!*longest || s->duration_ns > (*longest)->duration_ns)
			*longest = s;
	}
}

/* Adds the requests of a window whose span of the operation begins in the
 * range. Windows that were not queried are empty. */
static bool add_requests(struct work *w, uint32_t window,
			 struct time_range range, enum when when,
			 struct error *err)
{
	const struct group_spans from = { w->history, w->want->operation,
					  window, range };
	uint32_t first = w->count, *requests;

	if (window >= w->history->window_count)
		return true;
	requests =
		arena_array(&w->arena, w->history->windows[window].trace_count,
			    sizeof *requests);
	if (!requests)
		return arena_fail(&w->arena, WHAT, err);
	if (!find_requests(w, &from, when, requests, err))
		return false;
	take_spans(w, &w->history->windows[window], requests);
	for (uint32_t i = first; i < w->count; i++) {
		const struct history_span *s =
			span_of(w, i, w->want->operation);

		w->requests[i].start_ns = s->start_ns;
		w->requests[i].duration_ns = s->duration_ns;
	}
	return true;
}

static bool add_base(struct work *w, struct error *err)
{
	return add_requests(w, w->want->base_window, w->want->base_range,
			    OF_BASE, err);
}

/* ---- slow and fast ones ---- */

static void set_sides(struct work *w)
{
	unsigned fast = w->out->is_against_before ? OF_BASE : OF_NOW;

	for (uint32_t i = 0; i < w->count; i++) {
		struct request *r = &w->requests[i];

		/* Fast ones are not looked for by their duration. */
		if (r->when & (OF_NOW | OF_SLOW_ONLY) &&
		    r->duration_ns >= w->want->threshold_ns)
			r->side = SIDE_SLOW;
		else if (r->when & fast)
			r->side = SIDE_FAST;
		w->out->slow_count += r->side == SIDE_SLOW;
		w->out->fast_count += r->side == SIDE_FAST;
	}
}

static bool contrasts_collect(struct work *w, struct error *err)
{
	const struct contrast_want *want = w->want;
	const struct window_roles *roles = want->roles;
	struct arena *a = &w->arena;
	uint32_t fast = 0;

	w->mixed_keys = arena_array(a, w->history->operation_count,
				    sizeof *w->mixed_keys);
	if (!w->mixed_keys)
		return arena_fail(a, WHAT, err);
	if (!add_requests(w, roles->slow, want->slow_range, OF_NOW, err) ||
	    !add_requests(w, roles->slow_only, want->slow_range, OF_SLOW_ONLY,
			  err))
		return false;
	for (uint32_t i = 0; i < w->count; i++)
		fast += w->requests[i].when & OF_NOW &&
			w->requests[i].duration_ns < want->threshold_ns;
	w->out->is_against_before =
		fast < CONTRAST_MIN && want->base_window != WINDOW_NONE;
	if (w->out->is_against_before && !add_base(w, err))
		return false;
	set_sides(w);
	w->values = arena_array(a, w->count, sizeof *w->values);
	w->numbers = arena_array(a, w->count, sizeof *w->numbers);
	w->symbols = arena_array(a, w->count, sizeof *w->symbols);
	w->starts = arena_array(a, w->count, sizeof *w->starts);
	if (!w->values || !w->numbers || !w->symbols || !w->starts)
		return arena_fail(a, WHAT, err);
	return group_pair_reserve(&w->room, w->count, a, err);
}

/* Collects the baseline's requests, if there is something to report. */
static bool collect_before(struct work *w, struct error *err)
{
	static const enum baseline_slot slots[] = { BASELINE_DAY,
						    BASELINE_WEEK };

	if (!w->out->is_against_before && !add_base(w, err))
		return false;
	for (size_t i = 0; i < COUNT_OF(slots); i++) {
		uint32_t window = w->want->roles->baselines[slots[i]];

		if (window < w->history->window_count &&
		    !add_requests(w, window, w->history->windows[window].range,
				  OF_DAYS_AGO, err))
			return false;
	}
	return true;
}

/* ---- tests ---- */

/* Tests that are made at most: HISTORY_KEYS of OPERATIONS_MAX operations come
 * to some hundreds. */
#define CONTRAST_TESTS 8000u

static void contrasts_keep(struct work *w, struct contrast c)
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

/* Counts, per side, the requests without any reported contrast: how many have
 * the attribute, and how many of these the value. */
static void count_bearing(const struct work *w, const struct contrast *c,
			  struct part sides[SIDES])
{
	for (int i = 0; i < SIDES; i++)
		sides[i] = (struct part){ 0, 0 };
	for (uint32_t i = 0; i < w->count; i++) {
		const struct request *r = &w->requests[i];
		int is_one =
			r->side && !r->is_told ? contrast_bears(w, c, i) : -1;

		sides[r->side].some += is_one > 0;
		sides[r->side].all += is_one >= 0;
	}
}

static double more_of(const struct part sides[SIDES])
{
	return part_share(sides[SIDE_SLOW]) - part_share(sides[SIDE_FAST]);
}

static bool has_value(const struct work *w, uint32_t request)
{
	return w->requests[request].side && w->values[request] &&
	       w->values[request] != VALUE_UNKNOWN;
}

static int compare_symbol(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Lists the distinct values, ascending, without missing ones. Returns their
 * number, at most CONTRAST_VALUES + 1. */
static uint32_t list_values(struct work *w)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < w->count; i++)
		if (has_value(w, i))
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
		struct part sides[SIDES] = { [SIDE_SLOW].all = c.slow_count,
					     [SIDE_FAST].all = c.fast_count };

		c.value = w->symbols[k];
		for (uint32_t i = 0; i < w->count; i++)
			sides[w->requests[i].side].some +=
				w->values[i] == c.value;
		c.slow_with = (uint32_t)sides[SIDE_SLOW].some;
		c.fast_with = (uint32_t)sides[SIDE_FAST].some;
		if (c.slow_with + c.fast_with < CONTRAST_MIN)
			continue;
		c.p = part_p(sides[SIDE_SLOW], sides[SIDE_FAST]);
		c.effect = more_of(sides);
		contrasts_keep(w, c);
	}
}

/* Numbers that follow the time of day as closely as this (by rank) count
 * requests: offsets, sequences, clocks. What became slow lately has large
 * ones. */
#define CONTRAST_COUNTER 0.9

static bool is_counter(struct work *w)
{
	int64_t *numbers = w->room.with.values;
	size_t count = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		if (!has_value(w, i))
			continue;
		numbers[count] = w->numbers[i];
		w->starts[count++] = w->requests[i].start_ns;
	}
	return fabs(rank_correlation(numbers, w->starts, count)) >=
	       CONTRAST_COUNTER;
}

static void test_numbers(struct work *w, struct contrast c)
{
	struct span_group *slow = &w->room.with, *fast = &w->room.without;
	struct part sides[SIDES];
	double order;

	if (is_counter(w))
		return;
	slow->count = fast->count = 0;
	for (uint32_t i = 0; i < w->count; i++)
		if (has_value(w, i))
			group_take(w->requests[i].side == SIDE_SLOW ? slow
								    : fast,
				   w->numbers[i]);
	if (slow->count < CONTRAST_MIN || fast->count < CONTRAST_MIN)
		return;
	group_pair_end(&w->room);
	order = values_order(slow->values, slow->count, fast->values,
			     fast->count);
	c.p = group_test(slow, fast).p;
	c.kind = order >= 0.5 ? CONTRAST_MORE : CONTRAST_LESS;
	c.effect = fabs(2 * order - 1);
	c.slow_median =
		number_back(values_quantile(slow->values, slow->count, 50));
	c.fast_median =
		number_back(values_quantile(fast->values, fast->count, 50));
	/* Half way between the medians, by factors where both are above
	 * nothing. */
	c.cut = c.slow_median > 0 && c.fast_median > 0
			? sqrt(c.slow_median * c.fast_median)
			: (c.slow_median + c.fast_median) / 2;
	count_bearing(w, &c, sides);
	c.slow_count = (uint32_t)slow->count;
	c.fast_count = (uint32_t)fast->count;
	c.slow_with = (uint32_t)sides[SIDE_SLOW].some;
	c.fast_with = (uint32_t)sides[SIDE_FAST].some;
	contrasts_keep(w, c);
}

/* All that are there are numbers. */
static bool read_numbers(struct work *w)
{
	bool has_any = false;

	for (uint32_t i = 0; i < w->count; i++) {
		double number;
		int64_t bits;

		if (!has_value(w, i))
			continue;
		if (!number_of(history_text(w->history, w->values[i]), &number))
			return false;
		memcpy(&bits, &number, sizeof bits);
		w->numbers[i] = bits < 0 ? INT64_MIN - bits : bits;
		has_any = true;
	}
	return has_any;
}

/* Minimum number of different numbers to compare them by order; fewer are
 * codes, or versions. */
#define CONTRAST_NUMBERS 8u

static void contrasts_test(struct work *w, enum contrast_of of,
			   uint32_t operation, uint32_t key)
{
	struct contrast c = { .of = of,
			      .operation = operation,
			      .key = key,
			      .slow_median = NAN,
			      .fast_median = NAN,
			      .cut = NAN };
	/* For example calls of one request to several servers: the slowest one
	 * is not a property of the request. */
	bool is_mixed = of == CONTRAST_OF_ATTRIBUTE &&
			w->mixed_keys[operation] & 1u << key;
	uint32_t values;

	for (uint32_t i = 0; i < w->count; i++) {
		w->values[i] =
			value_of(w->history, &c, span_of(w, i, operation));
		if (w->values[i] == VALUE_UNKNOWN)
			continue;
		c.slow_count += w->requests[i].side == SIDE_SLOW;
		c.fast_count += w->requests[i].side == SIDE_FAST;
	}
	if (c.slow_count < CONTRAST_MIN || c.fast_count < CONTRAST_MIN)
		return;
	values = list_values(w);
	if (of == CONTRAST_OF_ATTRIBUTE && values >= CONTRAST_NUMBERS &&
	    read_numbers(w))
		test_numbers(w, c);
	else if (values <= CONTRAST_VALUES && !is_mixed)
		test_values(w, c, values);
}

/* Against a time before, instances have other names: they come and go. */
static void test_operation(struct work *w, uint32_t operation)
{
	const struct history *h = w->history;
	const struct operation *all = h->operations;
	uint32_t first = w->want->operation;
	uint32_t keys = 0; /* a bit for each that some span of it bears */
	bool is_first;

	/* Attributes of processes are tested once per service. */
	if (!str_equal(all[first].service, all[operation].service))
		for (first = 0;
		     !str_equal(all[first].service, all[operation].service);)
			first++;
	is_first = first == operation;

	for (uint32_t i = 0; i < w->count; i++) {
		const struct history_span *s = span_of(w, i, operation);

		for (uint32_t k = 0; s && k < s->attr_count; k++)
			keys |= 1u << h->attrs[s->attr_first + k].key;
	}

	if (is_first)
		contrasts_test(w, CONTRAST_OF_VERSION, operation, 0);
	if (is_first && !w->out->is_against_before)
		contrasts_test(w, CONTRAST_OF_INSTANCE, operation, 0);
	for (uint32_t key = 0; key < h->key_count; key++)
		if (keys & 1u << key &&
		    (is_first || !h->keys[key].is_of_process))
			contrasts_test(w, CONTRAST_OF_ATTRIBUTE, operation,
				       key);
}

static bool test_all(struct work *w, struct error *err)
{
	uint32_t operations = w->history->operation_count;
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

/* ---- whether it is as ever ---- */

/* Requests of some time, those that bear it and those that do not: were they as
 * slow before, and as many? A big export takes its time. */
struct like {
	struct group_pair groups;
	double reach_ns; /* the longest, at the size of the one in question */
};

/* The request in question, with regard to a contrast. */
struct own {
	bool is_of_request; /* not of where it was served */
	bool is_one;        /* bears it */
	double size;        /* its number; 0: not known, or no numbers */
};

/* Returns the factor that scales a duration to the size in question, if time is
 * proportional to size; smaller ones take as long. */
static double scale_of(const struct work *w, const struct contrast *c,
		       const struct own *own, uint32_t request)
{
	const struct history_span *span = span_of(w, request, c->operation);
	double size;

	if (c->kind != CONTRAST_MORE ||
	    !number_of(history_text(w->history, value_of(w->history, c, span)),
		       &size))
		return 1;
	return size > 0 ? fmax(1, own->size / size) : 1;
}

static bool find_like(struct work *w, const struct contrast *c,
		      const struct own *own, enum when when, struct like *out,
		      struct error *err)
{
	out->reach_ns = 0;
	if (!group_pair_reserve(&out->groups, w->count, &w->arena, err))
		return false;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct request *r = &w->requests[i];
		int is_one = r->when & when ? contrast_bears(w, c, i) : -1;

		if (is_one < 0)
			continue;
		group_take(is_one ? &out->groups.with : &out->groups.without,
			   r->duration_ns);
		if (is_one)
			out->reach_ns = fmax(out->reach_ns,
					     (double)r->duration_ns *
						     scale_of(w, c, own, i));
	}
	group_pair_end(&out->groups);
	return true;
}

static bool is_known(const struct like *before)
{
	return before->groups.with.count >= CONTRAST_MIN;
}

static bool took_longer(const struct span_group *now,
			const struct span_group *before)
{
	struct group_test t = group_test(now, before);

	return group_has_moved(&t);
}

static struct part part_with(const struct group_pair *p)
{
	return (struct part){ (double)p->with.count,
			      (double)(p->with.count + p->without.count) };
}

static bool has_rest(const struct group_pair *now,
		     const struct group_pair *before)
{
	return now->without.count >= CONTRAST_MIN &&
	       before->without.count >= CONTRAST_MIN;
}

static enum contrast_since contrast_since_when(const struct own *own,
					       const struct like *then,
					       const struct like *here)
{
	const struct group_pair *now = &here->groups, *before = &then->groups;
	bool is_more =
		part_is_larger(part_with(now), part_with(before), GROUP_MORE);

	if (now->with.count < CONTRAST_MIN ||
	    part_with(before).all < CONTRAST_MIN)
		return CONTRAST_SINCE_UNKNOWN;
	if (!is_known(then) && !is_more)
		return CONTRAST_SINCE_UNKNOWN;
	if (!is_known(then))
		return before->with.count ? CONTRAST_MORE_OFTEN : CONTRAST_NEW;
	/* Place and code are compared with others of the same time: with
	 * different machines or loads, a busy hour is not a change of them. */
	if (!own->is_of_request)
		return !has_rest(now, before)         ? CONTRAST_SINCE_UNKNOWN
		       : group_was_apart(now, before) ? CONTRAST_AS_EVER
						      : CONTRAST_SLOWER;
	if (took_longer(&now->with, &before->with))
		return CONTRAST_SLOWER;
	return is_more ? CONTRAST_MORE_OFTEN : CONTRAST_AS_EVER;
}

/* A request of up to this many times the slowest earlier duration, scaled by
 * size, is normal. */
#define USUAL_REACH 1.2

/* The request in question is one of those before, and the others are as ever.
 */
static bool is_usual(const struct work *w, const struct own *own,
		     const struct like *now, const struct like *before)
{
	return own->is_one && own->is_of_request &&
	       (double)w->want->duration_ns <= USUAL_REACH * before->reach_ns &&
	       (!has_rest(&now->groups, &before->groups) ||
		!took_longer(&now->groups.without, &before->groups.without));
}

/* Sets since and is_usual of a contrast, from the baseline and, if they were
 * answered, the windows of days ago; and the numbers. If requests without it
 * are slower than before, nothing is normal. value: that of the request in
 * question. Instance and version never explain a request as normal: others are
 * served elsewhere, unchanged. */
static bool judge_usual(struct work *w, struct contrast *c, struct str value,
			struct error *err)
{
	struct own own = {
		.is_of_request = c->of == CONTRAST_OF_ATTRIBUTE &&
				 !w->history->keys[c->key].is_of_process,
		.is_one = c->own == 1,
	};
	struct like now, base, days;
	const struct like *told;

	if (c->kind != CONTRAST_VALUE &&
	    (!parse_f64(value, &own.size) || own.size <= 0)) {
		own.size = 0;
		own.is_one = false;
	}
	if (!find_like(w, c, &own, OF_NOW, &now, err) ||
	    !find_like(w, c, &own, OF_BASE, &base, err) ||
	    !find_like(w, c, &own, OF_DAYS_AGO, &days, err))
		return false;
	told = is_known(&base) || !is_known(&days) ? &base : &days;
	c->like_count = (uint32_t)now.groups.with.count;
	c->like_before_count = (uint32_t)told->groups.with.count;
	c->like_p50_ns = now.groups.with.p50_ns;
	c->like_before_p50_ns = told->groups.with.p50_ns;
	c->since = contrast_since_when(&own, told, &now);
	if (c->since == CONTRAST_AS_EVER && is_known(&days))
		c->since = contrast_since_when(&own, &days, &now);
	c->is_usual = c->since == CONTRAST_AS_EVER &&
		      is_usual(w, &own, &now, told) &&
		      (!is_known(&days) || is_usual(w, &own, &now, &days));
	return true;
}

/* ---- selection for the report ---- */

/* Penalty for outcomes, so that of two equal contrasts the cause is
 * reported. */
#define OUTCOME_COSTS 0.1

/* Maximum difference of two effects that count as equal. */
#define SAME_EFFECT 0.02

#define CONTRAST_ORDER 0.8

/* Minimum effect: the difference between the fractions of slow and of fast
 * requests with the value; and the probability that a slow request has the
 * larger number than a fast one. A tenth more is true but useless. */
#define CONTRAST_DIFFERENCE 0.3

/* False discovery rate of what is reported. */
#define CONTRAST_Q 0.01

/* The clearest that is left; of equal ones the first. */
static struct contrast *best_left(struct work *w)
{
	struct contrast *best = NULL;
	double most = 0;

	for (uint32_t i = 0; i < w->found_count; i++) {
		struct contrast *c = &w->found[i];
		bool is_outcome =
			c->of == CONTRAST_OF_ATTRIBUTE &&
			contrast_key_is_outcome(w->history->keys[c->key].name);
		double weight = c->effect - (is_outcome ? OUTCOME_COSTS : 0);
		double least = c->kind == CONTRAST_VALUE
				       ? CONTRAST_DIFFERENCE
				       : 2 * CONTRAST_ORDER - 1;

		if (!(c->q < CONTRAST_Q && c->effect >= least) ||
		    (best && weight < most + SAME_EFFECT))
			continue;
		best = c;
		most = weight;
	}
	return best;
}

/* Medians of the operation for those that bear it and do not, in the window
 * that was not chosen by durations. */
static void set_medians(struct work *w, struct contrast *c)
{
	w->room.with.count = w->room.without.count = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct request *r = &w->requests[i];
		int is_one = r->side && r->when != OF_SLOW_ONLY
				     ? contrast_bears(w, c, i)
				     : -1;

		if (is_one >= 0)
			group_take(is_one ? &w->room.with : &w->room.without,
				   r->duration_ns);
	}
	group_pair_end(&w->room);
	c->with_p50_ns = w->room.with.p50_ns;
	c->without_p50_ns = w->room.without.p50_ns;
}

/* The longest span of the operation in the trace itself. */
static uint32_t own_span(const struct work *w, uint32_t operation)
{
	const struct trace *t = w->want->trace;
	const struct operation *o = &w->history->operations[operation];
	uint32_t longest = SPAN_NONE;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (operations_find_span(o, 1, t, i) == 0 &&
		    (longest == SPAN_NONE ||
		     span_duration_ns(&t->spans[i]) >
			     span_duration_ns(&t->spans[longest])))
			longest = i;
	return longest;
}

static bool contrast_describe(struct work *w, struct contrast c,
			      struct error *err)
{
	const struct trace *t = w->want->trace;
	uint32_t span = own_span(w, c.operation);
	struct str own = { NULL, 0 };

	set_medians(w, &c);
	c.own = -1;
	if (span != SPAN_NONE) {
		uint32_t resource = t->spans[span].resource;

		if (c.of == CONTRAST_OF_VERSION)
			own = resource_attr(t, resource,
					    STR("service.version"));
		else if (c.of == CONTRAST_OF_INSTANCE)
			own = resource_instance(t, resource);
		else
			own = span_any_attr(t, span,
					    w->history->keys[c.key].name);
		c.own = text_bears(w->history, &c, own);
	}
	for (uint32_t i = 0; i < w->count; i++)
		w->requests[i].is_told |= contrast_bears(w, &c, i) == 1;
	if (!w->out->count && !collect_before(w, err))
		return false;
	if (!judge_usual(w, &c, own, err))
		return false;
	w->out->items[w->out->count++] = c;
	return true;
}

static bool contrasts_choose(struct work *w, struct error *err)
{
	while (w->out->count < CONTRASTS_TOLD) {
		struct contrast *best = best_left(w);
		struct part sides[SIDES];

		if (!best)
			break;
		/* Tested on requests without a reported contrast: a second
		 * cause separates these as well, another name of the first does
		 * not. */
		count_bearing(w, best, sides);
		if ((!w->out->count ||
		     (sides[SIDE_SLOW].some >= CONTRAST_MIN &&
		      more_of(sides) >= CONTRAST_DIFFERENCE &&
		      part_p(sides[SIDE_SLOW], sides[SIDE_FAST]) <
			      CONTRAST_Q)) &&
		    !contrast_describe(w, *best, err))
			return false;
		best->q = 1;
	}
	return true;
}

bool contrasts_find(const struct contrast_want *want, struct contrasts *out,
		    struct error *err)
{
	struct work w = { .want = want, .history = want->history, .out = out };
	bool is_done;

	*out = (struct contrasts){ .operation = want->operation };
	if (want->operation >= want->history->operation_count)
		return true;
	arena_init(&w.arena, LIMIT_ANALYZE_HEAP_BYTES);
	map_init(&w.by_id, &w.arena);
	is_done = contrasts_collect(&w, err);
	if (is_done && out->slow_count >= CONTRAST_MIN &&
	    out->fast_count >= CONTRAST_MIN)
		is_done = test_all(&w, err) && contrasts_choose(&w, err);
	arena_release(&w.arena);
	return is_done;
}
