/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrasts.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/contrast_features.h"
#include "analyze/contrast_requests.h"
#include "analyze/contrast_usual.h"
#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/num.h"

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
