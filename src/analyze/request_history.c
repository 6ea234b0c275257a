/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/request_history.h"

#include <stdlib.h>

#include "analyze/baseline.h"
#include "analyze/code_kind.h"
#include "analyze/contrasts.h"
#include "analyze/ordering.h"
#include "analyze/search_summary.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "model/history.h"
#include "model/profile.h"

_Static_assert(REQUEST_BUCKETS == HISTOGRAM_ROWS, "a bucket is a row");

struct request {
	const struct history_span *span;
	struct trace_id trace_id;
	enum request_role role;
	bool is_selected; /* found by its duration alone */
	bool is_slow;
	bool is_baseline;
};

struct work {
	const struct request_history_want *want;
	struct arena *arena;
	struct request_history *out;
	struct request *items;
	int64_t *durations; /* of the items, ascending */
	size_t count;
};

/* ---- collecting ---- */

static const struct history_window *window_of(const struct work *w,
					      enum request_role role)
{
	const struct window_roles *roles = w->want->roles;
	uint32_t window = role == REQUESTS_NOW
				  ? roles->slow
				  : roles->baselines[role - REQUESTS_PREVIOUS];

	return window < w->want->history->window_count
		       ? &w->want->history->windows[window]
		       : NULL;
}

/* Returns whether the window was compared with. */
static bool is_chosen(const struct work *w, enum request_role role)
{
	const struct baseline_choice *b = w->want->baseline;

	return b && role != REQUESTS_NOW &&
	       b->chosen == (uint32_t)(role - REQUESTS_PREVIOUS);
}

static void window_add(struct work *w, const struct history_window *from,
		       enum request_role role, bool is_selected)
{
	const struct request_history_want *want = w->want;
	const struct baseline_choice *b =
		is_chosen(w, role) ? want->baseline : NULL;
	int64_t slow_ns = w->out->threshold_ns;

	for (uint32_t i = 0; from && i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];

		if (s->operation != want->operation)
			continue;
		w->items[w->count++] = (struct request){
			.span = s,
			.trace_id = from->traces[s->trace].id,
			.role = role,
			.is_selected = is_selected,
			.is_slow = role == REQUESTS_NOW && slow_ns > 0 &&
				   s->duration_ns >= slow_ns &&
				   time_range_has(want->slow_range,
						  s->start_ns),
			/* Without the part that was slow already. */
			.is_baseline =
				b && time_range_has(b->slots[b->chosen].range,
						    s->start_ns),
		};
	}
}

/* A request that is found both ways is one of its window. */
static int by_span(const void *left, const void *right)
{
	const struct request *a = left, *b = right;
	int order = compare_u64(a->span->span_id, b->span->span_id);

	if (!order)
		order = compare_i64(a->span->start_ns, b->span->start_ns);
	return order ? order : (int)a->is_selected - (int)b->is_selected;
}

static bool requests_collect(struct work *w, struct error *err)
{
	const struct history *h = w->want->history;
	uint32_t slow_only = w->want->roles->slow_only;
	const struct history_window *selected =
		slow_only < h->window_count ? &h->windows[slow_only] : NULL;
	size_t most = selected ? selected->span_count : 0, kept = 0;

	for (unsigned i = 0; i < REQUEST_ROLES; i++)
		most += window_of(w, i) ? window_of(w, i)->span_count : 0;
	w->items = mem_calloc(most + 1, sizeof *w->items);
	w->durations = mem_calloc(most + 1, sizeof *w->durations);
	if (!w->items || !w->durations)
		return error_memory(err, "the history of requests");
	for (unsigned i = 0; i < REQUEST_ROLES; i++)
		window_add(w, window_of(w, i), i, false);
	window_add(w, selected, REQUESTS_NOW, true);
	qsort(w->items, w->count, sizeof *w->items, by_span);
	for (size_t i = 0; i < w->count; i++) {
		const struct history_span *s = w->items[i].span;

		if (kept && w->items[kept - 1].span->span_id == s->span_id &&
		    w->items[kept - 1].span->start_ns == s->start_ns)
			continue;
		w->items[kept++] = w->items[i];
	}
	w->count = kept;
	return true;
}

/* ---- by duration ---- */

/* Slow ones first, then those of the same minutes, then the longest. */
static int by_interest(const void *left, const void *right)
{
	const struct request *a = left, *b = right;
	int order = (int)b->is_slow - (int)a->is_slow;

	if (!order)
		order = (int)a->role - (int)b->role;
	if (!order)
		order = compare_i64(b->span->duration_ns, a->span->duration_ns);
	if (!order)
		order = compare_i64(a->span->start_ns, b->span->start_ns);
	return order ? order
		     : compare_u64(a->span->span_id, b->span->span_id);
}

static struct request_example example_of(const struct request *r)
{
	return (struct request_example){
		.trace_id = r->trace_id,
		.start_ns = r->span->start_ns,
		.duration_ns = r->span->duration_ns,
		.role = r->role,
	};
}

/* Those of other windows than the two compared stand only over time. */
static bool is_drawn(const struct request *r)
{
	return r->role == REQUESTS_NOW || r->is_baseline;
}

static void buckets_build(struct work *w)
{
	struct request_history *out = w->out;
	struct histogram h;
	size_t count = 0;

	for (size_t i = 0; i < w->count; i++)
		if (is_drawn(&w->items[i]))
			w->durations[count++] = w->items[i].span->duration_ns;
	/* The request in question has its place in the histogram, too. */
	w->durations[count++] = w->want->duration_ns;
	values_sort(w->durations, count);
	histogram_build(w->durations, count, &h);
	out->bucket_count = h.row_count;
	for (size_t i = 0; i < h.row_count; i++) {
		out->buckets[i].from_ns = h.edges_ns[i];
		out->buckets[i].to_ns = h.edges_ns[i + 1];
	}
	for (size_t i = 0; i < w->count; i++) {
		const struct request *r = &w->items[i];
		struct request_bucket *b = out->buckets;

		if (!is_drawn(r))
			continue;
		while (b + 1 < out->buckets + h.row_count &&
		       r->span->duration_ns >= b[1].from_ns)
			b++;
		b->now_count += r->role == REQUESTS_NOW && !r->is_selected;
		b->slow_count += r->is_slow && !r->is_selected;
		b->baseline_count += r->is_baseline;
		b->selected_count += r->is_selected;
		if (b->example_count < REQUEST_EXAMPLES)
			b->examples[b->example_count++] = example_of(r);
		out->selected_count += r->is_selected;
	}
}

/* ---- over time ---- */

static int by_role_and_time(const void *left, const void *right)
{
	const struct request *a = left, *b = right;
	int order = (int)a->is_selected - (int)b->is_selected;

	if (!order)
		order = (int)a->role - (int)b->role;
	if (!order)
		order = compare_i64(a->span->start_ns, b->span->start_ns);
	return order ? order
		     : compare_u64(a->span->span_id, b->span->span_id);
}

/* The part of its window that a time falls into. */
static unsigned slot_of(struct time_range range, int64_t time_ns)
{
	double length = (double)range.to_ns - (double)range.from_ns;
	double part = ((double)time_ns - (double)range.from_ns) / length;
	int slot = length > 0 ? (int)(part * REQUEST_SLOTS) : 0;

	return slot < 0 ? 0
	       : slot >= (int)REQUEST_SLOTS ? REQUEST_SLOTS - 1
					    : (unsigned)slot;
}

static int64_t slot_edge(struct time_range range, unsigned slot)
{
	return range.from_ns +
	       (range.to_ns - range.from_ns) / REQUEST_SLOTS * slot;
}

/* Its requests stand together, in order of time. */
static void slots_add(struct work *w, const struct request *first, size_t count,
		      const struct request_window *window)
{
	for (size_t i = 0; i < count;) {
		unsigned number = slot_of(window->range, first[i].span->start_ns);
		struct request_slot *slot =
			&w->out->slots[w->out->slot_count++];
		size_t end = i;

		while (end < count && slot_of(window->range,
					      first[end].span->start_ns) ==
					      number)
			end++;
		slot->role = window->role;
		slot->count = (uint32_t)(end - i);
		slot->longest = example_of(&first[i]);
		slot->range = (struct time_range){
			slot_edge(window->range, number),
			number + 1 == REQUEST_SLOTS
				? window->range.to_ns
				: slot_edge(window->range, number + 1)
		};
		for (size_t k = i; k < end; k++) {
			const struct request *r = &first[k];

			w->durations[k - i] = r->span->duration_ns;
			slot->slow_count += r->is_slow;
			slot->error_count += r->span->is_error;
			if (r->span->duration_ns > slot->longest.duration_ns)
				slot->longest = example_of(r);
		}
		values_sort(w->durations, end - i);
		slot->shortest_ns = w->durations[0];
		slot->p50_ns = values_quantile(w->durations, end - i, 50);
		i = end;
	}
}

static void windows_build(struct work *w)
{
	size_t at = 0;

	qsort(w->items, w->count, sizeof *w->items, by_role_and_time);
	for (unsigned role = 0; role < REQUEST_ROLES; role++) {
		const struct history_window *from = window_of(w, role);
		const struct request *first = w->items + at;
		struct request_window *window;
		size_t count = 0;

		for (; at < w->count && !w->items[at].is_selected &&
		       w->items[at].role == role;
		     at++)
			w->durations[count++] = w->items[at].span->duration_ns;
		if (!from || !from->is_answered)
			continue;
		values_sort(w->durations, count);
		window = &w->out->windows[w->out->window_count++];
		*window = (struct request_window){
			.role = role,
			.range = from->range,
			.count = (uint32_t)count,
			.is_baseline = is_chosen(w, role),
			.is_sample = from->is_sample,
			.p50_ns = values_quantile(w->durations, count, 50),
		};
		slots_add(w, first, count, window);
	}
}

/* ---- the whole ---- */

static bool history_begin(struct work *w, struct error *err)
{
	const struct request_history_want *want = w->want;
	const struct operation *o = &want->history->operations[want->operation];
	struct request_history *out = arena_alloc(w->arena, sizeof *out);
	const struct cohorts *c = want->cohorts;
	/* If the operation is not slower than before no request counts as
	 * slow. */
	bool has_slow = c && c->is_judged &&
			(c->mode == COHORT_WINDOW || c->mode == COHORT_BIMODAL);

	if (!out)
		return arena_fail(w->arena, "the history of requests", err);
	*out = (struct request_history){
		.service = o->service,
		.name = o->name,
		.this_start_ns = want->start_ns,
		.this_duration_ns = want->duration_ns,
		.threshold_ns = has_slow ? c->threshold_ns : 0,
		.slow = want->slow_range,
		.onset_ns = want->onset && want->onset->is_found &&
					    want->onset->has_start
				    ? want->onset->start_ns
				    : 0,
	};
	out->slots = arena_array(w->arena, REQUEST_ROLES * REQUEST_SLOTS,
				 sizeof *out->slots);
	w->out = out;
	return out->slots || arena_fail(w->arena, "the history of requests", err);
}

bool request_history_build(const struct request_history_want *want,
			   struct arena *arena, struct request_history **out,
			   struct error *err)
{
	struct work w = { .want = want, .arena = arena };
	bool done;

	*out = NULL;
	if (want->operation >= want->history->operation_count)
		return true;
	done = history_begin(&w, err) && requests_collect(&w, err);
	if (done && w.count) {
		qsort(w.items, w.count, sizeof *w.items, by_interest);
		buckets_build(&w);
		windows_build(&w);
		*out = w.out;
	}
	mem_free(w.items);
	mem_free(w.durations);
	return done;
}

/* Which stacks of a profile serve requests. Samples that carry the id of a span
 * do, and what they begin with tells the others: loops of uploaders, tickers
 * and idle workers begin elsewhere, and no request waits in them. */

/* Different outermost functions among the samples; a program whose requests
 * begin in more places has no such roots. */
#define ROOTS_SEEN 64u

struct seen {
	struct str name;
	int64_t value;
};

/* Returns the root function of a stack. The wrapper that Go's compiler
 * generates for `go f(x)` is skipped: only some types of profiles have it as
 * the outermost function. */
static struct str root_of(const struct profile *p, const struct stack *s)
{
	const uint32_t *ids = &p->frame_ids[s->frame_first];
	struct str name = function_name(p, p->frames[ids[0]].function);
	size_t end = name.len;

	while (end && ascii_is_digit(name.ptr[end - 1]))
		end--;
	return s->frame_count > 1 && end < name.len &&
			       str_ends(str_slice(name, 0, end), STR(".gowrap"))
		       ? function_name(p, p->frames[ids[1]].function)
		       : name;
}

/* The classification of functions so far: each is classified once. */
enum known { KNOWN_NOT = 0, KNOWN_APPLICATION, KNOWN_OTHER };

struct reader {
	const struct profile *p;
	const struct code_rules *rules;
	unsigned char *known; /* by function, enum known */
};

static bool has_application(const struct reader *r, const struct stack *s)
{
	const uint32_t *ids = &r->p->frame_ids[s->frame_first];

	for (uint32_t i = 0; i < s->frame_count; i++) {
		uint32_t f = r->p->frames[ids[i]].function;
		unsigned char *known = &r->known[f];

		if (*known == KNOWN_NOT)
			*known = code_classify(r->rules,
					       function_name(r->p, f),
					       function_file(r->p, f), 0)
							 .kind ==
						 CODE_APPLICATION
					 ? KNOWN_APPLICATION
					 : KNOWN_OTHER;
		if (*known == KNOWN_APPLICATION)
			return true;
	}
	return false;
}

/* False when there are too many. */
static bool root_see(struct seen *seen, size_t *count, struct str name,
		     int64_t value)
{
	size_t i = 0;

	while (i < *count && !str_equal(seen[i].name, name))
		i++;
	if (i == ROOTS_SEEN)
		return false;
	if (i == *count)
		seen[(*count)++] = (struct seen){ name, 0 };
	seen[i].value = sat_add_i64(seen[i].value, value);
	return true;
}

static bool is_read(const struct profile *p)
{
	return p && !p->packed && p->stack_count > 0;
}

/* Adds what one profile says; false when there are too many roots, or no
 * memory to tell. */
static bool profile_see(const struct profile *p, const struct code_rules *rules,
			struct seen *seen, size_t *count, int64_t *total)
{
	struct reader r = { .p = p, .rules = rules };
	bool is_done;

	r.known = mem_calloc(p->function_count, sizeof *r.known);
	is_done = r.known != NULL;
	for (uint32_t i = 0; is_done && i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		if (s->value <= 0 || !s->frame_count || !has_application(&r, s))
			continue;
		is_done = root_see(seen, count, root_of(p, s), s->value);
		*total = sat_add_i64(*total, s->value);
	}
	mem_free(r.known);
	return is_done;
}

/* Samples of spans that tell the roots: few, where requests hardly compute and
 * snapshots meet one of them now and then. */
#define REQUEST_ROOT_SAMPLES 3

/* A root holds this part of the samples of spans at least, beneath which code
 * of the application runs. Threads that a request starts carry its id for as
 * long as they live (loops of connections that are kept), and run none. */
#define REQUEST_ROOT_SHARE 0.2

void request_roots_find(const struct profile *const *profiles, size_t count,
			const struct code_rules *rules,
			struct request_roots *out)
{
	struct seen seen[ROOTS_SEEN];
	size_t seen_count = 0;
	int64_t total = 0, samples = 0;

	*out = (struct request_roots){ .count = 0 };
	for (size_t i = 0; i < count; i++)
		if (is_read(profiles[i]) && profiles[i]->sample_count > 0)
			samples = sat_add_i64(samples,
					      profiles[i]->sample_count);
	if (samples < REQUEST_ROOT_SAMPLES)
		return;
	for (size_t i = 0; i < count; i++)
		if (is_read(profiles[i]) &&
		    !profile_see(profiles[i], rules, seen, &seen_count, &total))
			return;
	for (size_t i = 0; i < seen_count; i++)
		if ((double)seen[i].value >=
			    REQUEST_ROOT_SHARE * (double)total &&
		    out->count < REQUEST_ROOTS)
			out->names[out->count++] = seen[i].name;
}

/* Where servers of Go begin with a request, each in a thread of its own. */
static const char *const known_roots[] = {
	"net/http.(*conn).serve",
	"net/http.(*http2serverConn).runHandler",
	"golang.org/x/net/http2.(*serverConn).runHandler",
	"google.golang.org/grpc.(*Server).handleStream",
	"google.golang.org/grpc.(*Server).serveStreams.func2.1",
	"google.golang.org/grpc.(*Server).serveStreams.func1.1",
	"github.com/valyala/fasthttp.(*workerPool).workerFunc",
};

double request_roots_keep(const struct request_roots *roots,
			  struct profile *const *profiles, size_t count)
{
	double left_out = 0;
	struct arena arena;
	bool **is_kept;

	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_kept = arena_array(&arena, count, sizeof *is_kept);
	for (size_t i = 0; is_kept && i < count; i++) {
		const struct profile *p = profiles[i];
		uint32_t stacks = p->packed ? 0 : p->stack_count;

		is_kept[i] = arena_array(&arena, stacks, sizeof **is_kept);
		if (!is_kept[i])
			is_kept = NULL;
		for (uint32_t k = 0; is_kept && k < stacks; k++) {
			const struct stack *s = &p->stacks[k];

			if (s->frame_count && roots->count)
				is_kept[i][k] = str_is_among(
					root_of(p, s), roots->names,
					roots->count);
			else if (s->frame_count)
				is_kept[i][k] = str_is_one_of(
					root_of(p, s), known_roots,
					COUNT_OF(known_roots));
		}
	}
	if (is_kept)
		left_out = profiles_keep_stacks(profiles, count, is_kept);
	arena_release(&arena);
	return left_out;
}
