/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/account.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/findings.h"
#include "base/map.h"
#include "base/num.h"

double account_path_ns(const struct account_place *p)
{
	double sum = 0;

	for (unsigned i = 0; i < ACCOUNT_STATES; i++)
		sum += p->path_ns[i];
	return sum;
}

/* ---- of the trace ---- */

struct accounting {
	const struct calls *calls;
	const struct trace *t;
	const struct trace_times *times;
	uint32_t *place; /* by span, OPERATION_NONE: none above either */
	struct retries retries;
	struct arena scratch;
};

/* Spans of other operations are part of the operation above them. Parents may
 * come later: on another clock. */
static void find_places(struct accounting *a, const struct operation *operations,
			uint32_t count)
{
	for (uint32_t i = 0; i < a->t->span_count; i++)
		a->place[i] = operations_find_span(operations, count, a->t, i);
	for (uint32_t i = 0; i < a->t->span_count; i++) {
		uint32_t above = i, place;

		if (a->times->tree[i] != a->times->root)
			continue;
		while (a->place[above] == OPERATION_NONE &&
		       a->times->tree[above] != above)
			above = a->t->spans[above].parent;
		place = a->place[above];
		for (above = i; a->place[above] != place;
		     above = a->t->spans[above].parent)
			a->place[above] = place;
	}
}

/* calls: NULL of traces of the past, of which attributes are not known. */
static enum account_state state_of(const struct trace *t,
				   const struct calls *calls, uint32_t span)
{
	const struct span *s = &t->spans[span];

	if (span_server_side(t, span) != SPAN_NONE)
		return ACCOUNT_GAP;
	for (uint32_t i = 0; s->kind == SPAN_KIND_PRODUCER && i < s->child_count;
	     i++)
		if (t->spans[t->children[s->child_first + i]].flags &
		    SPAN_IS_AWAITED)
			return ACCOUNT_QUEUE;
	if (calls && calls_set_up(calls, span) != SPAN_NONE)
		return ACCOUNT_SET_UP;
	return s->kind == SPAN_KIND_CLIENT || s->kind == SPAN_KIND_PRODUCER
		       ? ACCOUNT_CALL
		       : ACCOUNT_SELF;
}

/* Pauses are a part of what their span does itself. */
static void add_pauses(const struct accounting *a, struct account *out)
{
	for (size_t i = 0; i < a->retries.count; i++) {
		const struct retry *r = &a->retries.items[i];
		struct account_place *p;
		double pause_ns = (double)r->pause_ns;

		if (a->place[r->parent] == OPERATION_NONE ||
		    a->times->tree[r->parent] != a->times->root)
			continue;
		p = &out->places[a->place[r->parent]];
		pause_ns = fmin(pause_ns,
				(double)a->times->critical_ns[r->parent]);
		pause_ns = fmin(pause_ns, p->path_ns[ACCOUNT_SELF]);
		p->path_ns[ACCOUNT_SELF] -= pause_ns;
		p->path_ns[ACCOUNT_PAUSE] += pause_ns;
	}
}

static void add_caller(const struct accounting *a, uint32_t span,
		       uint32_t counts[OPERATIONS_MAX][OPERATIONS_MAX],
		       struct account_callers *callers)
{
	uint32_t place = a->place[span];
	uint32_t above = a->t->spans[span].parent;
	uint32_t first = callers->span[place];

	if (first == SPAN_NONE ||
	    (a->times->is_on_path[span] && !a->times->is_on_path[first]))
		callers->span[place] = span;
	if (a->times->tree[span] == span || a->place[above] == place)
		return;
	callers->all[place] |= 1u << a->place[above];
	counts[place][a->place[above]]++;
}

static void sum_trace(const struct accounting *a,
		      const struct operation *operations, struct account *out,
		      struct account_callers *callers)
{
	uint32_t counts[OPERATIONS_MAX][OPERATIONS_MAX] = { { 0 } };

	for (uint32_t i = 0; i < a->t->span_count; i++) {
		struct account_place *p;
		double critical = (double)a->times->critical_ns[i];

		if (a->times->tree[i] != a->times->root ||
		    a->place[i] == OPERATION_NONE)
			continue;
		p = &out->places[a->place[i]];
		if (operations_find_span(&operations[a->place[i]], 1, a->t,
					 i) != 0) {
			/* self time of the operation above */
			p->self_ns += critical;
			p->path_ns[ACCOUNT_SELF] += critical;
			continue;
		}
		p->calls += !(a->retries.is_member[i] &&
			      call_has_failed(a->calls, i));
		p->self_ns += (double)a->times->self_ns[i];
		p->path_ns[state_of(a->t, a->calls, i)] += critical;
		p->through_ns += (double)a->times->through_ns[i];
		add_caller(a, i, counts, callers);
	}
	for (uint32_t i = 0; i < out->count; i++)
		for (uint32_t j = 0; j < out->count; j++)
			if (counts[i][j] &&
			    (callers->of[i] == OPERATION_NONE ||
			     counts[i][j] > counts[i][callers->of[i]]))
				callers->of[i] = j;
	for (uint32_t i = 0; i < out->count; i++) {
		uint32_t above = callers->of[i];

		if (above != OPERATION_NONE &&
		    (operations[i].kind == SPAN_KIND_CLIENT ||
		     !str_equal(operations[i].service,
				operations[above].service)))
			callers->remote |= 1u << i;
	}
}

bool account_of_trace(const struct calls *c, const struct trace_times *times,
		      const struct operation *operations, uint32_t count,
		      struct account *out, struct account_callers *callers,
		      struct error *err)
{
	struct accounting a = { .calls = c, .t = c->t, .times = times };
	struct siblings siblings;
	bool is_done;

	arena_init(&a.scratch, LIMIT_DECODE_HEAP_BYTES);
	a.place = arena_array(&a.scratch, c->t->span_count, sizeof *a.place);
	is_done =
		a.place ? siblings_find(c, times, &a.scratch, &siblings, err) &&
				  retries_find(c, times, &siblings, &a.scratch,
					       &a.retries, err)
			: arena_fail(&a.scratch, "the trace", err);
	*out = (struct account){ .count = count, .requests = 1 };
	*callers = (struct account_callers){ 0 };
	for (uint32_t i = 0; i < OPERATIONS_MAX; i++)
		callers->of[i] = callers->span[i] = OPERATION_NONE;
	if (is_done && c->t->span_count) {
		find_places(&a, operations, count);
		sum_trace(&a, operations, out, callers);
		add_pauses(&a, out);
		out->total_ns = (double)times->path_ns;
	}
	arena_release(&a.scratch);
	return is_done;
}

/* ---- of other requests ---- */

/* Spans of an operation that are looked at for the caller of one: the last ones
 * that began before it. */
#define CALLERS_MOST 32u

/* Spans of its trace that began after one, of which its caller may be: on
 * another clock. */
#define LATE_MOST 32u

/* No account is made from containment in time alone if more than this
 * percentage of the spans that need a caller have none. */
#define UNPLACED_PERCENT 10

/* The requests before, one trace at a time, as far as their spans are of known
 * operations. */
struct past {
	const struct history *h;
	const struct history_window *w;
	const struct account_callers *callers;
	struct trace t; /* of one request; spans, children and roots are ours */
	uint32_t *operation; /* by span */
	uint64_t *parent_id; /* by span, 0: none, or not known */
	struct map by_id;    /* spans placed so far */
	uint32_t root;
	/* The last spans of each operation, and how many there were. */
	uint32_t recent[OPERATIONS_MAX][CALLERS_MOST];
	uint32_t seen[OPERATIONS_MAX];
	uint32_t placed;
	uint32_t unplaced;
	struct account *out;
	struct arena scratch;
};

static bool past_init(struct past *p, const struct history *h, uint32_t window,
		      struct error *err)
{
	struct trace *t = &p->t;
	uint32_t n = h->windows[window].span_count;

	p->w = &h->windows[window];
	trace_init(t);
	arena_init(&p->scratch, LIMIT_DECODE_HEAP_BYTES);
	t->spans = arena_array(&p->scratch, n, sizeof *t->spans);
	t->children = arena_array(&p->scratch, n, sizeof *t->children);
	t->roots = arena_array(&p->scratch, n, sizeof *t->roots);
	p->operation = arena_array(&p->scratch, n, sizeof *p->operation);
	p->parent_id = arena_array(&p->scratch, n, sizeof *p->parent_id);
	t->resources = arena_array(&p->scratch, h->operation_count,
				   sizeof *t->resources);
	if (!t->spans || !t->children || !t->roots || !p->operation ||
	    !p->parent_id || !t->resources)
		return arena_fail(&p->scratch, "the history", err);
	if (!symtab_init(&t->symtab, &p->scratch, err))
		return false;
	/* One process a service. */
	for (uint32_t i = 0; i < h->operation_count; i++)
		if (!symtab_add(&t->symtab, h->operations[i].service,
				   &t->resources[i].service, err))
			return false;
	t->resource_count = h->operation_count;
	return true;
}

/* How well a span fits as another's caller. */
static bool is_better_caller(const struct trace *t, uint32_t span,
			     uint32_t candidate, uint32_t than)
{
	const struct span *s = &t->spans[span];
	const struct span *a = &t->spans[candidate], *b;
	bool is_in, was_in;

	if (than == SPAN_NONE)
		return true;
	b = &t->spans[than];
	/* A call has one server side. */
	if (s->kind == SPAN_KIND_SERVER && a->kind == SPAN_KIND_CLIENT &&
	    !a->child_count != !b->child_count)
		return !a->child_count;
	is_in = s->end_ns <= a->end_ns;
	was_in = s->end_ns <= b->end_ns;
	if (is_in != was_in)
		return is_in;
	return span_duration_ns(a) < span_duration_ns(b);
}

/* Spans come in the order of their starts. One that none has called before it
 * may have been by one that seems to begin while it runs. */
static uint32_t find_caller(const struct past *p, uint32_t span)
{
	const struct trace *t = &p->t;
	uint32_t callers = p->callers->all[p->operation[span]];
	uint32_t found = SPAN_NONE;

	for (uint32_t o = 0; o < p->h->operation_count; o++) {
		uint32_t seen = callers & 1u << o ? p->seen[o] : 0;

		for (uint32_t i = 0; i < seen && i < CALLERS_MOST; i++) {
			uint32_t above = p->recent[o][i];

			if (t->spans[above].end_ns > t->spans[span].start_ns &&
			    is_better_caller(t, span, above, found))
				found = above;
		}
	}
	for (uint32_t i = span + 1; found == SPAN_NONE && i < t->span_count &&
				    i <= span + LATE_MOST;
	     i++)
		if (callers & 1u << p->operation[i] &&
		    t->spans[i].start_ns < t->spans[span].end_ns)
			found = i;
	return found;
}

static bool place_span(struct past *p, uint32_t span)
{
	struct span *s = &p->t.spans[span];
	uint32_t operation = p->operation[span], same;

	/* The recorded parent, if its operation was queried and it began
	 * before: this cannot form a cycle. */
	s->parent = p->parent_id[span]
			    ? map_find_u64(&p->by_id, p->parent_id[span])
			    : MAP_NONE;
	if (s->parent == MAP_NONE)
		s->parent = find_caller(p, span);
	p->recent[operation][p->seen[operation]++ % CALLERS_MOST] = span;
	if (s->parent == SPAN_NONE)
		p->t.roots[p->t.root_count++] = span;
	else
		p->t.spans[s->parent].child_count++;
	if (s->parent != SPAN_NONE)
		p->placed++;
	else if (p->callers->all[operation] && !p->parent_id[span])
		p->unplaced++;
	return map_insert_u64(&p->by_id, s->span_id, span, &same);
}

static bool link_spans(struct past *p, struct arena *arena, struct error *err)
{
	struct trace *t = &p->t;
	uint32_t next = 0;

	t->root_count = 0;
	for (uint32_t i = 0; i < OPERATIONS_MAX; i++)
		p->seen[i] = 0;
	map_init(&p->by_id, arena);
	for (uint32_t i = 0; i < t->span_count; i++)
		if (!place_span(p, i))
			return arena_fail(arena, "the history", err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		t->spans[i].child_first = next;
		next += t->spans[i].child_count;
		t->spans[i].child_count = 0;
	}
	for (uint32_t i = 0; i < t->span_count; i++) {
		struct span *above;

		if (t->spans[i].parent == SPAN_NONE)
			continue;
		above = &t->spans[t->spans[i].parent];
		t->children[above->child_first + above->child_count++] = i;
	}
	return true;
}

static void sum_past(struct past *p, const struct trace_times *times)
{
	const struct trace *t = &p->t;

	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t top = times->tree[i];
		struct account_place *place = &p->out->places[p->operation[i]];

		if (p->operation[top] != p->root ||
		    t->spans[top].parent != SPAN_NONE)
			continue;
		if (top == i) {
			p->out->requests++;
			p->out->total_ns += (double)times->through_ns[i];
		}
		place->calls++;
		place->self_ns += (double)times->self_ns[i];
		place->path_ns[state_of(t, NULL, i)] +=
			(double)times->critical_ns[i];
		place->through_ns += (double)times->through_ns[i];
	}
}

static void add_past_span(struct past *p, const struct history_span *s)
{
	uint32_t i = p->t.span_count++, process = 0;

	while (p->t.resources[process].service !=
	       p->t.resources[s->operation].service)
		process++;
	p->operation[i] = s->operation;
	p->parent_id[i] = s->parent_id;
	p->t.spans[i] = (struct span){
		.span_id = s->span_id,
		.start_ns = s->start_ns,
		.end_ns = sat_add_i64(s->start_ns, s->duration_ns),
		.resource = process,
		.kind = (uint8_t)p->h->operations[s->operation].kind,
		.flags = s->is_error ? SPAN_IS_ERROR : 0,
	};
}

static bool account_past(struct past *p, struct error *err)
{
	struct trace_times times;
	struct arena arena;
	bool is_done;

	if (!p->t.span_count)
		return true;
	arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
	is_done = link_spans(p, &arena, err) &&
		  trace_times_compute(&p->t, &arena, &times, err);
	if (is_done)
		sum_past(p, &times);
	arena_release(&arena);
	return is_done;
}

/* For spans that begin together: the root first, then callers before
 * callees. */
static int compare_start(const void *left, const void *right)
{
	const struct history_span *a =
		*(const struct history_span *const *)left;
	const struct history_span *b =
		*(const struct history_span *const *)right;
	int order = compare_i64(a->trace, b->trace);

	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	if (!order)
		order = compare_i64(b->duration_ns, a->duration_ns);
	if (!order)
		order = compare_i64(a->operation, b->operation);
	return order ? order : compare_u64(a->span_id, b->span_id);
}

static bool list_spans(const struct past *p, struct time_range range,
		       struct arena *arena, const struct history_span ***list,
		       size_t *count, struct error *err)
{
	*count = 0;
	*list = arena_array(arena, p->w->span_count, sizeof **list);
	if (!*list)
		return arena_fail(arena, "the history", err);
	for (uint32_t i = 0; i < p->w->span_count; i++)
		if (history_range_has(range, p->w->spans[i].start_ns) &&
		    p->w->spans[i].operation < p->h->operation_count)
			(*list)[(*count)++] = &p->w->spans[i];
	if (*count)
		qsort((void *)*list, *count, sizeof **list, compare_start);
	return true;
}

static void take_means(struct account *a)
{
	double n = a->requests ? a->requests : 1;

	a->total_ns /= n;
	for (uint32_t i = 0; i < a->count; i++) {
		struct account_place *p = &a->places[i];

		p->calls /= n;
		p->self_ns /= n;
		p->through_ns /= n;
		for (unsigned s = 0; s < ACCOUNT_STATES; s++)
			p->path_ns[s] /= n;
	}
}

bool account_of_history(const struct history *h, uint32_t window,
			struct time_range range, uint32_t root,
			const struct account_callers *callers,
			struct account *out, struct error *err)
{
	struct past p = { .h = h, .callers = callers, .root = root, .out = out };
	const struct history_span **list = NULL;
	size_t count = 0;
	bool is_done;

	*out = (struct account){ .count = h->operation_count };
	is_done = past_init(&p, h, window, err) &&
		  list_spans(&p, range, &p.scratch, &list, &count, err);
	for (size_t i = 0, end; is_done && i < count; i = end) {
		p.t.span_count = 0;
		for (end = i; end < count && list[end]->trace == list[i]->trace;
		     end++)
			add_past_span(&p, list[end]);
		is_done = account_past(&p, err);
	}
	/* Too many lie in none: what each took by itself is not known. */
	if ((uint64_t)p.unplaced * 100 >
	    (uint64_t)(p.placed + p.unplaced) * UNPLACED_PERCENT)
		out->requests = 0;
	take_means(out);
	arena_release(&p.scratch);
	trace_release(&p.t);
	return is_done;
}

/* ---- the growth ---- */

/* Its calls, the own time of one, and the part of that on the path. */
struct factors {
	double of[3];
};

static const enum account_why factor_whys[3] = {
	ACCOUNT_MORE_CALLS, ACCOUNT_SLOWER, ACCOUNT_LESS_OVERLAP
};

/* Below the resolution of any clock: zero on one side, so the other side is all
 * change. */
#define NOTHING_NS 1e-6

static struct factors factors_of(const struct account_place *p)
{
	double path_ns = fmax(account_path_ns(p), NOTHING_NS);
	double self_ns = p->self_ns > 0 ? p->self_ns : path_ns;
	double calls = fmax(p->calls, NOTHING_NS);

	return (struct factors){
		{ calls, self_ns / calls, path_ns / self_ns }
	};
}

/* The logarithmic mean of two numbers above 0. */
static double log_mean(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(a, b) ? a : (a - b) / log(a / b);
}

struct comparing {
	const struct account *before;
	const struct account *now;
	const struct account_callers *callers;
	double change_ns[OPERATIONS_MAX][ACCOUNT_WHYS];
	/* Of the charged growth: the callee with the largest part. */
	uint32_t of[OPERATIONS_MAX][ACCOUNT_WHYS];
	double of_ns[OPERATIONS_MAX][ACCOUNT_WHYS];
};

/* From here on a factor is another one than before. */
#define PLAN_RATIO 1.25

static bool is_changed(double before, double now)
{
	return before <= 0 || now > before * PLAN_RATIO ||
	       now < before / PLAN_RATIO;
}

/* Returns the first operation above that makes as many calls as before: its
 * calls then changed in number. */
static uint32_t who_calls(const struct comparing *k, uint32_t place)
{
	uint32_t above = k->callers->of[place];

	for (uint32_t i = 0; i < k->now->count && above != OPERATION_NONE; i++) {
		double now = k->now->places[place].calls /
			     fmax(k->now->places[above].calls, NOTHING_NS);
		double before = k->before->places[place].calls /
				fmax(k->before->places[above].calls, NOTHING_NS);

		if (is_changed(before, now))
			return above;
		place = above;
		above = k->callers->of[place];
	}
	return place;
}

/* The first above the topmost of the calls that were not made before and led to a place,
 * else the place itself: code that is new there is no call. */
static uint32_t who_calls_anew(const struct comparing *k, uint32_t place)
{
	uint32_t to = place;

	for (uint32_t i = 0; i < k->now->count && place != OPERATION_NONE &&
			     k->before->places[place].calls <= 0;
	     i++) {
		if (k->callers->remote & 1u << place)
			to = k->callers->of[place];
		place = k->callers->of[place];
	}
	return to;
}

/* Returns the fraction of the path in the total time of a place; the caller
 * whose own fraction is unchanged now lets its calls overlap less. */
static double part_through(const struct account *a, uint32_t place)
{
	const struct account_place *p = &a->places[place];
	double path_ns = account_path_ns(p);

	return path_ns / fmax(p->self_ns, NOTHING_NS);
}

static uint32_t who_waits(const struct comparing *k, uint32_t place)
{
	uint32_t above = k->callers->of[place];

	for (uint32_t i = 0; i < k->now->count && above != OPERATION_NONE; i++) {
		if (!is_changed(part_through(k->before, above),
				part_through(k->now, above)))
			return above;
		place = above;
		above = k->callers->of[place];
	}
	return place;
}

static void account_charge(struct comparing *k, uint32_t place,
			   enum account_why why, double change_ns)
{
	uint32_t to = place;

	if (why == ACCOUNT_MORE_CALLS)
		to = who_calls(k, place);
	else if (why == ACCOUNT_LESS_OVERLAP)
		to = who_waits(k, place);
	else if (why == ACCOUNT_NEW)
		to = who_calls_anew(k, place);
	if (why == ACCOUNT_NEW && to != place)
		why = ACCOUNT_MORE_CALLS;
	k->change_ns[to][why] += change_ns;
	if (to != place && fabs(change_ns) > k->of_ns[to][why]) {
		k->of_ns[to][why] = fabs(change_ns);
		k->of[to][why] = place;
	}
}

/* A place that was, or is, on the path for less than this part of its time ran
 * behind others. Ratios to hardly anything would call all of it overlap. */
#define HIDDEN_PART 0.01

/* Growth of self time comes onto the path last, and leaves it first; the rest
 * of the change is overlap. */
static void compare_hidden(struct comparing *k, uint32_t place,
			   const struct factors *x, const struct factors *y)
{
	double was_ns = account_path_ns(&k->before->places[place]);
	double is_ns = account_path_ns(&k->now->places[place]);
	double self_before = x->of[0] * x->of[1];
	double self_now = y->of[0] * y->of[1];
	double mean = log_mean(self_before, self_now);
	double part = fmax(is_ns, was_ns) / fmax(self_before, self_now);
	double left_ns = is_ns - was_ns;

	if ((self_now > self_before) != (is_ns > was_ns))
		part = 0;
	for (unsigned i = 0; i < 2; i++) {
		double change_ns = part * mean * log(y->of[i] / x->of[i]);

		account_charge(k, place, factor_whys[i], change_ns);
		left_ns -= change_ns;
	}
	account_charge(k, place, ACCOUNT_LESS_OVERLAP, left_ns);
}

static void compare_place(struct comparing *k, uint32_t place)
{
	const struct account_place *before = &k->before->places[place];
	const struct account_place *now = &k->now->places[place];
	double was_ns = account_path_ns(before), is_ns = account_path_ns(now);
	struct factors x = factors_of(before), y = factors_of(now);
	double mean = log_mean(fmax(is_ns, NOTHING_NS), fmax(was_ns, NOTHING_NS));

	if (before->calls <= 0 || now->calls <= 0) {
		account_charge(k, place,
			       before->calls <= 0 ? ACCOUNT_NEW : ACCOUNT_GONE,
			       is_ns - was_ns);
		return;
	}
	if ((x.of[2] < HIDDEN_PART) != (y.of[2] < HIDDEN_PART)) {
		compare_hidden(k, place, &x, &y);
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		account_charge(k, place, factor_whys[i],
			       mean * log(y.of[i] / x.of[i]));
}

static int compare_cell(const void *left, const void *right)
{
	const struct account_growth_cell *a = left;
	const struct account_growth_cell *b = right;

	if (a->change_ns != b->change_ns)
		return a->change_ns < b->change_ns ? 1 : -1;
	return a->place != b->place ? compare_i64(a->place, b->place)
				    : compare_i64(a->why, b->why);
}

void account_compare(const struct account *before, const struct account *now,
		     const struct account_callers *callers,
		     struct account_growth *out)
{
	struct comparing k = { .before = before, .now = now,
			       .callers = callers };

	*out = (struct account_growth){ 0 };
	for (uint32_t i = 0; i < now->count; i++)
		for (unsigned w = 0; w < ACCOUNT_WHYS; w++)
			k.of[i][w] = OPERATION_NONE;
	for (uint32_t i = 0; i < now->count; i++)
		compare_place(&k, i);
	for (uint32_t i = 0; i < now->count; i++) {
		for (unsigned w = 0; w < ACCOUNT_WHYS; w++) {
			/* less is the rounding of sums */
			if (fabs(k.change_ns[i][w]) < 0.5)
				continue;
			out->cells[out->count++] = (struct account_growth_cell){
				i, (enum account_why)w, k.change_ns[i][w],
				k.of[i][w]
			};
			out->total_ns += k.change_ns[i][w];
		}
	}
	qsort(out->cells, out->count, sizeof *out->cells, compare_cell);
}

/* ---- a plan that changed ---- */

/* Growth of a request from which a changed plan is reported: a quarter. The
 * part that is also new for others counts if it is a tenth of the time, a
 * quarter of the growth, and most of what is new for the others. */
#define PLAN_GROWN 0.25
#define PLAN_OF_PATH 0.1
#define PLAN_OF_GROWTH 0.25
#define PLAN_OF_SHARED 0.6

/* Half of the growth is these calls, including growth of their self time: other
 * waits have other explanations. */
#define PLAN_HOLDS 0.5

/* A callee that is slower comes out from behind others, too: calls wait for one
 * another when all of them together take longer by themselves by less than this
 * part of what waiting costs. */
#define PLAN_OF_SELF 0.5

/* A caller whose self time fell by this fraction of the cost of its new calls
 * made them before, under an unknown name. */
#define PLAN_RENAMED 0.15

/* So many calls of the requests before would there have been, had they made as many as
 * others do now: that there was none is then no chance (e^-5). */
#define PLAN_NEW_CALLS 5.0

static const struct account_growth_cell *
find_cell(const struct account_growth *g, uint32_t place, enum account_why why)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (g->cells[i].place == place && g->cells[i].why == why)
			return &g->cells[i];
	return NULL;
}

/* Returns the growth of self time below the caller, for others of its time. */
static double self_growth(const struct account_change *a, uint32_t caller)
{
	double sum = 0;

	for (uint32_t i = 0; i < a->now.count; i++)
		if (i != caller)
			sum += a->others.places[i].self_ns -
			       a->before.places[i].self_ns;
	return sum;
}

/* Returns whether calls of the cell were not made before. */
static bool is_of_new_calls(const struct account_change *a,
			    const struct account_growth_cell *cell)
{
	return cell->why == ACCOUNT_MORE_CALLS && cell->of != OPERATION_NONE &&
	       a->before.places[cell->of].calls <= 0;
}

/* Returns whether the caller called the same by another name before, by others of its
 * time: one request may wait for it long. */
static bool is_renamed(const struct account_change *a,
		       const struct account_growth_cell *cell)
{
	const struct account_growth *g = &a->others_growth;
	const struct account_growth_cell *calls =
		find_cell(g, cell->place, cell->why);
	const struct account_growth_cell *own =
		find_cell(g, cell->place, ACCOUNT_SLOWER);

	return is_of_new_calls(a, cell) && calls && own &&
	       -own->change_ns > calls->change_ns * PLAN_RENAMED;
}

/* Returns the part of the cell that is also new for others: their growth of the
 * same kind; for calls that were never made before, the growth of those that
 * make them. */
static double shared_ns(const struct account_change *a,
			const struct account_growth_cell *cell)
{
	const struct account_growth_cell *others =
		find_cell(&a->others_growth, cell->place, cell->why);
	double part = 1;

	if (!others)
		return 0;
	if (is_of_new_calls(a, cell)) {
		double made = fmin(1, a->others.places[cell->of].calls);

		if (a->before.requests * made >= PLAN_NEW_CALLS)
			part = made;
	}
	return fmax(0, fmin(others->change_ns / part, cell->change_ns));
}

uint32_t account_called(const struct account_change *a,
			const struct account_growth_cell *cell)
{
	uint32_t called = cell->of;

	for (uint32_t i = 0; i < a->now.count && called != OPERATION_NONE; i++) {
		if (a->callers.of[called] == cell->place)
			return called;
		called = a->callers.of[called];
	}
	return OPERATION_NONE;
}

/* Returns the growth of the request in the calls of the cell, including those
 * below them. */
static double held_ns(const struct account_change *a,
		      const struct account_growth_cell *cell, uint32_t called)
{
	double sum = cell->change_ns;

	for (uint32_t i = 0; i < a->growth.count; i++) {
		uint32_t place = a->growth.cells[i].place;

		for (uint32_t k = 0; k < a->now.count && place != called &&
				     place != OPERATION_NONE;
		     k++)
			place = a->callers.of[place];
		if (place == called)
			sum += a->growth.cells[i].change_ns;
	}
	return sum;
}

const struct account_growth_cell *
account_changed_plan(const struct account_change *a)
{
	const struct account_growth_cell *cell = NULL;
	double most_ns = 0, sum_ns = 0;
	uint32_t called;

	for (uint32_t i = 0; i < a->growth.count; i++) {
		const struct account_growth_cell *c = &a->growth.cells[i];
		double ns = shared_ns(a, c);

		sum_ns += ns;
		if (ns <= most_ns)
			continue;
		most_ns = ns;
		cell = c;
	}
	if (!cell ||
	    (cell->why != ACCOUNT_MORE_CALLS &&
	     cell->why != ACCOUNT_LESS_OVERLAP) ||
	    cell->of == OPERATION_NONE || is_renamed(a, cell) ||
	    a->growth.total_ns < a->before.total_ns * PLAN_GROWN ||
	    most_ns < a->now.total_ns * PLAN_OF_PATH ||
	    most_ns < a->growth.total_ns * PLAN_OF_GROWTH ||
	    most_ns < sum_ns * PLAN_OF_SHARED)
		return NULL;
	called = account_called(a, cell);
	if (called == OPERATION_NONE ||
	    held_ns(a, cell, called) < a->growth.total_ns * PLAN_HOLDS)
		return NULL;
	/* More calls within a process are visible in its code. */
	if (cell->why == ACCOUNT_MORE_CALLS)
		return a->callers.remote & 1u << called ? cell : NULL;
	return self_growth(a, cell->place) > most_ns * PLAN_OF_SELF ? NULL : cell;
}

uint32_t account_served(const struct account_change *a, uint32_t called)
{
	for (uint32_t i = 0; i < a->now.count && called != OPERATION_NONE; i++)
		if (a->callers.of[i] == called && a->callers.remote & 1u << i)
			return i;
	return called;
}
