/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contention.h"

#include <math.h>

#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "analyze/typical.h"
#include "base/error.h"
#include "base/num.h"
#include "model/history.h"
#include "model/profile.h"

/* Instances looked at one by one; of more the first ones, which is a sample. */
#define INSTANCES 64u

const struct history_key contention_places[CONTENTION_PLACES] = {
	{ { "k8s.node.name", 13 }, true },
	{ { "host.name", 9 }, true },
	{ { "cloud.availability_zone", 23 }, true },
};

struct work {
	struct history *h;
	uint32_t slow;
	uint32_t base;
	uint32_t part; /* window that holds one instance's spans */
	uint32_t below[HISTORY_LEARNED];
	struct arena scratch;
	uint32_t instances[INSTANCES];
	uint32_t instance_count;
};

/* The self times of a window's operations, relative to the base. */
struct slowing {
	uint32_t compared;
	uint32_t slower;
	double least_ratio, most_ratio;
	int64_t least_added_ns, most_added_ns;
	int64_t least_ns, most_ns; /* typical */
};

/* An entry waits for the calls of its process. */
static void set_below(struct work *w)
{
	uint32_t calls = 0;

	for (uint32_t i = 0; i < w->h->operation_count; i++)
		if (w->h->operations[i].kind == SPAN_KIND_CLIENT ||
		    w->h->operations[i].kind == SPAN_KIND_PRODUCER)
			calls |= 1u << i;
	for (uint32_t i = 0; i < w->h->operation_count; i++)
		w->below[i] = span_kind_is_request(w->h->operations[i].kind)
				      ? calls
				      : OPERATIONS_BELOW_UNKNOWN;
}

/* Own times of a window; with has_own_moved of it against `slow`. */
static bool contention_measure(struct work *w, uint32_t window, uint32_t slow,
			       struct typical *out, struct error *err)
{
	const struct time_range all = { 0, 0 };

	return typical_build(w->h, window, all, OPERATION_NONE, UINT32_MAX,
			     &w->scratch, out, err) &&
	       typical_add_own(out, w->h, window, all, w->below, slow, err);
}

static void slowing_add(struct slowing *s, int64_t usual_ns, int64_t now_ns)
{
	double ratio = (double)now_ns / (double)(usual_ns > 0 ? usual_ns : 1);
	int64_t added_ns = now_ns - usual_ns;

	if (!s->slower || ratio < s->least_ratio)
		s->least_ratio = ratio;
	if (!s->slower || added_ns < s->least_added_ns)
		s->least_added_ns = added_ns;
	if (!s->slower || usual_ns < s->least_ns)
		s->least_ns = usual_ns;
	s->most_ratio = fmax(s->most_ratio, ratio);
	s->most_added_ns = max_i64(s->most_added_ns, added_ns);
	s->most_ns = max_i64(s->most_ns, usual_ns);
	s->slower++;
}

/* By how much own times grew that count, beyond chance: GROUP_OWN_MOVED. */
#define CONTENTION_RATIO 1.5

static bool contention_compare(struct work *w, uint32_t window,
			       struct slowing *out, struct error *err)
{
	struct typical usual, now;

	*out = (struct slowing){ 0 };
	if (!contention_measure(w, w->base, window, &usual, err) ||
	    !contention_measure(w, window, UINT32_MAX, &now, err))
		return false;
	for (uint32_t i = 0; i < w->h->operation_count; i++) {
		const struct typical_operation *before = &usual.items[i];
		const struct typical_operation *after = &now.items[i];

		if (!before->is_own_compared)
			continue;
		out->compared++;
		if (before->has_own_moved &&
		    (double)after->own_p50_ns >=
			    CONTENTION_RATIO * (double)before->own_p50_ns)
			slowing_add(out, before->own_p50_ns, after->own_p50_ns);
	}
	return true;
}

/* Two operations with similar typical times grow by a similar factor whatever
 * the cause: if each grew by the mean growth, their factors must differ by this
 * much, several times the variation of medians of some dozens. A single one
 * never does. */
#define CONTENTION_UNLIKE 1.2

/* How far apart the factors of its operations may be: code waits for disks and
 * timers too, which it gets as soon as ever. */
#define CONTENTION_SPREAD 4.0

/* All of them, by factors nearer to each other than to those of a sum. */
static bool is_contention(const struct slowing *s)
{
	double added =
		((double)s->least_added_ns + (double)s->most_added_ns) / 2;
	/* How far apart the factors would be if all took as much more. */
	double of_sum = s->least_ns > 0
				? (1 + added / (double)s->least_ns) /
					  (1 + added / (double)s->most_ns)
				: 1;
	double factors =
		s->least_ratio > 0 ? s->most_ratio / s->least_ratio : INFINITY;

	return s->slower == s->compared && factors <= CONTENTION_SPREAD &&
	       of_sum >= CONTENTION_UNLIKE && factors * factors < of_sum;
}

static void list_instances(struct work *w)
{
	const struct history_window *from = &w->h->windows[w->slow];

	for (uint32_t i = 0; i < from->span_count; i++) {
		uint32_t instance = from->spans[i].instance, k = 0;

		while (k < w->instance_count && w->instances[k] != instance)
			k++;
		if (instance && k == w->instance_count && k < INSTANCES)
			w->instances[w->instance_count++] = instance;
	}
}

/* The slow window without what other instances did. */
static bool take_instance(struct work *w, uint32_t instance, struct error *err)
{
	const struct history_window *from = &w->h->windows[w->slow];
	struct history_window *to = &w->h->windows[w->part];
	struct history_span *room = to->spans;

	if (!room)
		room = arena_array(&w->scratch, from->span_count, sizeof *room);
	if (!room)
		return arena_fail(&w->scratch, "other traces", err);
	*to = *from;
	to->spans = room;
	to->span_count = 0;
	for (uint32_t i = 0; i < from->span_count; i++)
		if (from->spans[i].instance == instance)
			to->spans[to->span_count++] = from->spans[i];
	return true;
}

static void contention_fill(const struct slowing *s, struct contention *out)
{
	if (!out->operation_count || s->least_ratio < out->least_ratio)
		out->least_ratio = s->least_ratio;
	if (s->slower > out->operation_count)
		out->operation_count = s->slower;
	out->most_ratio = fmax(out->most_ratio, s->most_ratio);
}

/* Returns the place that all spans of slow instances share, most specific
 * first. */
static struct str find_place(const struct work *w, const bool *is_slow)
{
	const struct history_window *from = &w->h->windows[w->slow];

	for (uint32_t key = 0; key < CONTENTION_PLACES; key++) {
		uint32_t common = 0;
		bool is_one = true;

		for (uint32_t i = 0; i < from->span_count; i++) {
			const struct history_span *s = &from->spans[i];
			uint32_t place = key < w->h->key_count
						 ? history_attr(w->h, s, key)
						 : 0;
			uint32_t k = 0;

			while (k < w->instance_count &&
			       w->instances[k] != s->instance)
				k++;
			if (k == w->instance_count || !is_slow[k])
				continue;
			/* A host may be called as the instance is. */
			if (place == s->instance)
				place = 0;
			is_one &= place && (!common || place == common);
			common = place;
		}
		if (common && is_one)
			return history_text(w->h, common);
	}
	return STR("");
}

/* Finds the slow instances, if others are unchanged. */
static bool find_instances(struct work *w, struct contention *out,
			   struct error *err)
{
	struct contention found = { .instance_count = w->instance_count };
	bool is_slow[INSTANCES] = { false };
	uint32_t quick = 0;

	for (uint32_t i = 0; i < w->instance_count; i++) {
		struct slowing s;

		if (!take_instance(w, w->instances[i], err) ||
		    !contention_compare(w, w->part, &s, err))
			return false;
		quick += s.compared && !s.slower;
		if (!is_contention(&s))
			continue;
		contention_fill(&s, &found);
		found.instance = history_text(w->h, w->instances[i]);
		found.slow_instance_count++;
		is_slow[i] = true;
	}
	found.place = find_place(w, is_slow);
	if (quick && found.operation_count)
		*out = found;
	return true;
}

static bool contention_judge(struct work *w, struct contention *out,
			     struct error *err)
{
	struct slowing s;

	set_below(w);
	list_instances(w);
	if (!find_instances(w, out, err))
		return false;
	if (out->operation_count)
		return true;
	if (!contention_compare(w, w->slow, &s, err))
		return false;
	out->instance_count = w->instance_count;
	if (is_contention(&s))
		contention_fill(&s, out);
	return true;
}

bool contention_find(struct history *h, uint32_t slow, uint32_t base,
		     struct contention *out, struct error *err)
{
	struct work w = {
		.h = h, .slow = slow, .base = base, .part = h->window_count
	};
	bool is_done;

	*out = (struct contention){ .instance = STR(""), .place = STR("") };
	if (h->window_count == HISTORY_WINDOWS || !h->operation_count)
		return true;
	h->window_count++;
	h->windows[w.part].spans = NULL;
	arena_init(&w.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = contention_judge(&w, out, err);
	h->windows[w.part] =
		(struct history_window){ .slow_operation = OPERATION_NONE };
	h->window_count--;
	arena_release(&w.scratch);
	return is_done;
}

/* A pool of connections that ran out: which stacks wait for one, and whose
 * requests keep the connections. Who waits is seen in profiles, who holds only
 * in the traces. */

const struct history_key pool_keys[POOL_KEYS] = {
	{ { "db.system.name", 14 }, false },
	{ { "db.system", 9 }, false },
};

/* ---- who waits ---- */

/* Where drivers and pools wait for a connection, by the end of the name. */
static const char *const takers[] = {
	"database/sql.(*DB).conn",
	"pgxpool.(*Pool).Acquire",
	"HikariPool.getConnection",
	"GenericObjectPool.borrowObject",
	"jdbc/pool/ConnectionPool.getConnection",
	"QueuePool._do_get",
	"ConnectionPool.getconn",
};

static char slash_as_dot(char c)
{
	return c == '/' ? '.' : c;
}

static bool is_taker(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(takers); i++) {
		struct str end = str_from(takers[i]);
		const char *tail;
		size_t same = 0;

		if (name.len < end.len)
			continue;
		tail = name.ptr + (name.len - end.len);
		while (same < end.len &&
		       slash_as_dot(tail[same]) == slash_as_dot(end.ptr[same]))
			same++;
		if (same == end.len)
			return true;
	}
	return false;
}

double pool_wait_share(const struct profile *p, struct str function)
{
	int64_t all = 0, waiting = 0;

	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		const uint32_t *ids = &p->frame_ids[s->frame_first];
		bool has_function = false, has_taker = false;

		for (uint32_t k = 0; k < s->frame_count; k++) {
			struct str name =
				function_name(p, p->frames[ids[k]].function);

			has_function |= str_equal(name, function);
			has_taker |= is_taker(name);
		}
		if (!has_function)
			continue;
		all = sat_add_i64(all, s->value);
		waiting = sat_add_i64(waiting, has_taker ? s->value : 0);
	}
	return all > 0 ? (double)waiting / (double)all : 0;
}

/* ---- who holds ---- */

struct request {
	const struct history_span *span;
	int64_t held_ns;
	const struct history_span *longest; /* call, NULL none */
};

struct holding {
	const struct history *h;
	struct arena arena;
	struct request *requests; /* of one window */
	uint32_t count;
	uint32_t *first; /* of each trace's; one more than traces */
	int64_t *values;
};

static bool is_request(const struct history *h, const struct history_span *s)
{
	return span_kind_is_request(h->operations[s->operation].kind);
}

/* By trace, each trace's in order of time: a place for each is counted out
 * first. */
static void list_requests(struct holding *w, const struct history_window *from)
{
	for (uint32_t i = 0; i < from->span_count; i++)
		if (is_request(w->h, &from->spans[i]))
			w->first[from->spans[i].trace + 2]++;
	for (uint32_t i = 2; i < from->trace_count + 2; i++)
		w->first[i] += w->first[i - 1];
	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];

		if (is_request(w->h, s))
			w->requests[w->first[s->trace + 1]++] =
				(struct request){ .span = s };
	}
	w->count = w->first[from->trace_count];
}

/* The last one that began before the call and had not ended. */
static struct request *request_find(struct holding *w,
				    const struct history_span *s)
{
	for (uint32_t i = w->first[s->trace + 1]; i-- > w->first[s->trace];) {
		struct request *r = &w->requests[i];

		if (r->span->start_ns <= s->start_ns &&
		    s->start_ns - r->span->start_ns < r->span->duration_ns)
			return r;
	}
	return NULL;
}

static bool measure_holders(struct holding *w, uint32_t window,
			    struct error *err)
{
	const struct history_window *from = &w->h->windows[window];
	struct arena *a = &w->arena;

	w->requests = arena_array(a, from->span_count, sizeof *w->requests);
	w->first =
		arena_array(a, (size_t)from->trace_count + 2, sizeof *w->first);
	w->values = arena_array(a, from->span_count, sizeof *w->values);
	w->count = 0;
	if (!w->requests || !w->first || !w->values)
		return arena_fail(a, "who holds the pool", err);
	list_requests(w, from);
	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];
		struct request *r;
		uint32_t key = 0;

		/* Its call is of a database where it bears one of the keys. */
		while (key < w->h->key_count && !history_attr(w->h, s, key))
			key++;
		if (is_request(w->h, s) || key == w->h->key_count)
			continue;
		r = request_find(w, s);
		if (!r)
			continue;
		r->held_ns = sat_add_i64(r->held_ns, s->duration_ns);
		if (!r->longest || s->duration_ns > r->longest->duration_ns)
			r->longest = s;
	}
	return true;
}

/* Returns the sum over all requests of an operation that called a database;
 * *p50_ns: the median, -1 for too few. */
static int64_t sum_held(struct holding *w, uint32_t operation, int64_t *p50_ns)
{
	int64_t sum = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		const struct request *r = &w->requests[i];

		if (r->span->operation != operation || !r->longest)
			continue;
		w->values[n++] = r->held_ns;
		sum = sat_add_i64(sum, r->held_ns);
	}
	values_sort(w->values, n);
	*p50_ns = n < TYPICAL_MIN ? -1 : values_quantile(w->values, n, 50);
	return sum;
}

static uint32_t longest_call(const struct holding *w, uint32_t operation)
{
	const struct history_span *longest = NULL;

	for (uint32_t i = 0; i < w->count; i++) {
		const struct request *r = &w->requests[i];

		if (r->span->operation == operation && r->longest &&
		    (!longest ||
		     r->longest->duration_ns > longest->duration_ns))
			longest = r->longest;
	}
	return longest ? longest->operation : OPERATION_NONE;
}

static uint32_t find_slow(struct holding *w, struct pool_holder *out)
{
	int64_t all = 0, most = 0;
	uint32_t found = OPERATION_NONE;

	for (uint32_t i = 0; i < w->h->operation_count; i++) {
		int64_t p50_ns, sum = sum_held(w, i, &p50_ns);

		all = sat_add_i64(all, sum);
		if (sum <= most || p50_ns < 0)
			continue;
		most = sum;
		found = i;
		out->held_ns = p50_ns;
	}
	out->share = all > 0 ? (double)most / (double)all : 0;
	return found;
}

/* Minimum fraction of the time that connections are held, for a holder to be
 * reported. Half: then no other one holds as much. */
#define POOL_HOLDER_SHARE 0.5

static bool find_holders(struct holding *w, uint32_t slow, uint32_t base,
			 struct pool_holder *out, struct error *err)
{
	uint32_t holder, call;

	if (!measure_holders(w, slow, err))
		return false;
	holder = find_slow(w, out);
	if (holder == OPERATION_NONE || out->share < POOL_HOLDER_SHARE)
		return true;
	call = longest_call(w, holder);
	out->is_found = true;
	out->request = w->h->operations[holder].name;
	out->call = w->h->operations[call].name;
	if (!measure_holders(w, base, err))
		return false;
	(void)sum_held(w, holder, &out->typical_ns);
	return true;
}

bool pool_holder_find(const struct history *h, uint32_t slow, uint32_t base,
		      struct pool_holder *out, struct error *err)
{
	struct holding w = { .h = h };
	bool is_done;

	*out = (struct pool_holder){ .typical_ns = -1 };
	arena_init(&w.arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find_holders(&w, slow, base, out, err);
	arena_release(&w.arena);
	return is_done;
}
