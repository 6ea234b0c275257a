/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/pool_holders.h"

#include "analyze/ordering.h"
#include "analyze/typical.h"
#include "base/count.h"
#include "base/num.h"

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

static bool ends_alike(struct str name, struct str end)
{
	if (name.len < end.len)
		return false;
	for (size_t i = 0; i < end.len; i++)
		if (slash_as_dot(name.ptr[name.len - end.len + i]) !=
		    slash_as_dot(end.ptr[i]))
			return false;
	return true;
}

static bool is_taker(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(takers); i++)
		if (ends_alike(name, str_from(takers[i])))
			return true;
	return false;
}

struct passing {
	bool has_function;
	bool has_taker;
};

static struct passing look_at(const struct profile *p, const struct stack *s,
			      struct str function)
{
	const uint32_t *ids = &p->frame_ids[s->frame_first];
	struct passing out = { .has_function = false };

	for (uint32_t i = 0; i < s->frame_count; i++) {
		struct str name =
			function_name(p, p->frames[ids[i]].function);

		out.has_function |= str_equal(name, function);
		out.has_taker |= is_taker(name);
	}
	return out;
}

double pool_wait_share(const struct profile *p, struct str function)
{
	int64_t all = 0, waiting = 0;

	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++) {
		struct passing passing = look_at(p, &p->stacks[i], function);
		int64_t value = p->stacks[i].value;

		if (!passing.has_function)
			continue;
		all = sat_add_i64(all, value);
		waiting = sat_add_i64(waiting, passing.has_taker ? value : 0);
	}
	return all > 0 ? (double)waiting / (double)all : 0;
}

/* ---- who holds ---- */

struct request {
	const struct history_span *span;
	int64_t held_ns;
	const struct history_span *longest; /* call, NULL none */
};

struct work {
	const struct history *h;
	struct arena arena;
	struct request *requests; /* of one window */
	uint32_t count;
	uint32_t *first; /* of each trace's; one more than traces */
	int64_t *values;
};

static bool is_request(const struct history *h, const struct history_span *s)
{
	enum span_kind kind = h->operations[s->operation].kind;

	return kind == SPAN_KIND_SERVER || kind == SPAN_KIND_CONSUMER;
}

static bool is_database(const struct history *h, const struct history_span *s)
{
	for (uint32_t i = 0; i < h->key_count; i++)
		if (history_attr(h, s, i))
			return true;
	return false;
}

static bool reserve(struct work *w, const struct history_window *from,
		    struct error *err)
{
	w->requests = arena_array(&w->arena, from->span_count,
				  sizeof *w->requests);
	w->first = arena_array(&w->arena, (size_t)from->trace_count + 2,
			       sizeof *w->first);
	w->values =
		arena_array(&w->arena, from->span_count, sizeof *w->values);
	w->count = 0;
	return (w->requests && w->first && w->values) ||
	       arena_fail(&w->arena, "who holds the pool", err);
}

/* By trace, each trace's in order of time: a place for each is counted out
 * first. */
static void list_requests(struct work *w, const struct history_window *from)
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
static struct request *request_of(struct work *w, const struct history_span *s)
{
	for (uint32_t i = w->first[s->trace + 1]; i-- > w->first[s->trace];) {
		struct request *r = &w->requests[i];

		if (r->span->start_ns <= s->start_ns &&
		    s->start_ns - r->span->start_ns < r->span->duration_ns)
			return r;
	}
	return NULL;
}

static bool measure(struct work *w, uint32_t window, struct error *err)
{
	const struct history_window *from = &w->h->windows[window];

	if (!reserve(w, from, err))
		return false;
	list_requests(w, from);
	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];
		struct request *r;

		if (is_request(w->h, s) || !is_database(w->h, s))
			continue;
		r = request_of(w, s);
		if (!r)
			continue;
		r->held_ns = sat_add_i64(r->held_ns, s->duration_ns);
		if (!r->longest || s->duration_ns > r->longest->duration_ns)
			r->longest = s;
	}
	return true;
}

/* Of all requests of an operation that called a database: the sum, and the
 * median in *p50_ns, -1 of too few. */
static int64_t sum_held(struct work *w, uint32_t operation, int64_t *p50_ns)
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

static uint32_t longest_call(const struct work *w, uint32_t operation)
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

static uint32_t find_slow(struct work *w, struct pool_holder *out)
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

static bool find(struct work *w, uint32_t slow, uint32_t base,
		 struct pool_holder *out, struct error *err)
{
	uint32_t holder, call;

	if (!measure(w, slow, err))
		return false;
	holder = find_slow(w, out);
	if (holder == OPERATION_NONE || out->share < POOL_HOLDER_SHARE)
		return true;
	call = longest_call(w, holder);
	out->is_found = true;
	out->request = w->h->operations[holder].name;
	out->call = w->h->operations[call].name;
	if (!measure(w, base, err))
		return false;
	(void)sum_held(w, holder, &out->typical_ns);
	return true;
}

bool pool_holder_find(const struct history *h, uint32_t slow, uint32_t base,
		      struct pool_holder *out, struct error *err)
{
	struct work w = { .h = h };
	bool is_done;

	*out = (struct pool_holder){ .typical_ns = -1 };
	arena_init(&w.arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find(&w, slow, base, out, err);
	arena_release(&w.arena);
	return is_done;
}
