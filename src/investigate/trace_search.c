/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/trace_search.h"

#include <string.h>

#include "backend/fetch_hits.h"
#include "backend/held_searches.h"
#include "backend/trace_durations.h"
#include "base/num.h"
#include "investigate/windows.h"

/* A server that gives pages lets each count towards a quota, whatever is in
 * it: two at most of the first question, which tells how durations lie. */
#define FIRST_PAGES 2u
/* Pages may hold less than was asked for, even nothing, with more behind. */
#define PAGES_MOST 4u

/* Slow is what took as long as the slowest twentieth. An answer's worth of
 * those is enough to see what is typical: two questions, and so many wanted
 * traces that answers are no longer than those of a search. */
#define SLOW_PERMILLE 950u
#define SLOW_ROUNDS 2u
#define SLOW_TRACES 25u

void trace_search_init(struct trace_search *s)
{
	memset(s, 0, sizeof *s);
	hits_init(&s->hits);
	hits_init(&s->earlier);
	buf_init(&s->next_page, LIMIT_URL_BYTES);
}

void trace_search_release(struct trace_search *s)
{
	buf_release(&s->next_page);
	hits_release(&s->hits);
	hits_release(&s->earlier);
}

/* ---- one question ---- */

/* The search that slow begins with leaves most of the quota to the rest. */
static unsigned first_pages(const struct trace_search *s)
{
	return s->round_limit ? 1 : FIRST_PAGES;
}

/* Traces that make pages of one question enough. */
static size_t page_wish(const struct trace_search *s)
{
	bool is_bounded =
		s->rounds > 0 && s->wanted && s->wanted < s->query.trace_limit;

	return is_bounded ? s->wanted : s->query.trace_limit;
}

static bool ask(struct trace_search *s, struct backends *b, unsigned *attempt,
		struct error *err)
{
	size_t count = 0, wish = page_wish(s);
	unsigned pages = 0;
	struct str token;

	s->rounds++;
	s->bound_ns = s->query.min_duration_ns;
	s->query.page_token = STR("");
	for (;;) {
		buf_clear(&s->next_page);
		if (!hits_fetch(b, &s->query, attempt, &s->hits, &s->next_page,
				err))
			return false;
		count += s->hits.answer_count;
		if (!s->next_page.len || count >= wish || ++pages == PAGES_MOST)
			break;
		token = arena_str(b->arena, buf_str(&s->next_page));
		if (!token.ptr)
			return arena_fail(b->arena, "a page", err);
		s->query.page_token = token;
	}
	s->hits.answer_count = count;
	return true;
}

/* ---- rounds ---- */

static bool is_shown(const struct trace_search *s, const struct hit *hit)
{
	return s->has_health_checks || !hit_is_health_check(hit);
}

/* Fills the list from all that was found, from `low_ns` on. The hits stay
 * where they are: their index knows them by place. */
static bool list_build(struct trace_search *s, struct backends *b,
		       int64_t low_ns, struct error *err)
{
	s->items = arena_array(b->arena, s->hits.count + 1, sizeof *s->items);
	if (!s->items)
		return arena_fail(b->arena, "the traces found", err);
	s->fitting_count = 0;
	s->hidden_count = 0;
	for (size_t i = 0; i < s->hits.count; i++)
		if (!is_shown(s, &s->hits.items[i]))
			s->hidden_count++;
		else if (s->hits.items[i].duration_ns >= low_ns)
			s->items[s->fitting_count++] = s->hits.items[i];
	hits_sort(s->items, s->fitting_count);
	s->count = s->fitting_count;
	if (s->wanted && s->count > s->wanted)
		s->count = s->wanted;
	return true;
}

static bool durations_take(struct trace_search *s, struct backends *b,
			   struct error *err)
{
	s->duration_count = s->fitting_count;
	s->durations_ns = arena_array(b->arena, s->duration_count + 1,
				      sizeof *s->durations_ns);
	if (!s->durations_ns)
		return arena_fail(b->arena, "durations", err);
	for (size_t i = 0; i < s->duration_count; i++)
		s->durations_ns[i] = s->items[i].duration_ns;
	durations_sort(s->durations_ns, s->duration_count);
	return true;
}

int64_t trace_search_bound(const struct hit *items, size_t count, size_t wanted,
			   int64_t bound_ns)
{
	if (wanted == 0 || count < wanted ||
	    items[wanted - 1].duration_ns < bound_ns)
		return bound_ns;
	return items[wanted - 1].duration_ns;
}

static uint32_t limit_for(const struct trace_search *s,
			  const struct trace_traits *traits)
{
	uint32_t least = traits->search_least, most = traits->search_most;

	if (traits->page_of_spans)
		return first_pages(s) *
		       (find_is_by_span(&s->query) || s->query.is_error
				? traits->page_of_spans
				: traits->page_of_roots);
	if (s->wanted == 0 || s->wanted > most / 4)
		return most;
	return s->wanted * 4 > least ? (uint32_t)s->wanted * 4 : least;
}

static bool is_full(const struct trace_search *s)
{
	return s->next_page.len > 0 ||
	       s->hits.answer_count >= s->query.trace_limit;
}

bool trace_search_is_sorted(const struct trace_search *s)
{
	return s->query.is_slowest_first && !find_is_by_span(&s->query) &&
	       !s->query.is_error;
}

static unsigned round_limit(const struct trace_search *s,
			    const struct trace_traits *traits)
{
	unsigned limit = traits->search_rounds;

	return s->round_limit && s->round_limit < limit ? s->round_limit
							: limit;
}

/* The server's counts know only in which bucket the quantile lies; what lies
 * there, or a sample of it, tells where. */
static bool above_refine(struct trace_search *s, struct backends *b,
			 unsigned *attempt, struct error *err)
{
	struct tail tail = buckets_tail(&s->buckets, s->above_permille);

	if (tail.from_ns > s->query.min_duration_ns) {
		s->query.min_duration_ns = tail.from_ns;
		if (!ask(s, b, attempt, err))
			return false;
	}
	if (!list_build(s, b, tail.from_ns, err))
		return false;
	if (s->fitting_count)
		s->above_ns = tail_quantile(&tail, s->items, s->fitting_count);
	return true;
}

/* The first answer tells how the durations lie, unless the server has counted
 * all and the answer is a sample; later ones tell only of the slow end. */
static bool first_run(struct trace_search *s, struct backends *b,
		      unsigned *attempt, struct error *err)
{
	s->first_min_ns = s->query.min_duration_ns;
	if (!ask(s, b, attempt, err) || !list_build(s, b, 0, err) ||
	    !durations_take(s, b, err))
		return false;
	s->first_count = s->hits.count;
	s->is_first_sample = is_full(s);
	s->counted = traces_counted(backends_traces(b), &s->query);
	if (s->is_first_sample && s->counted != FIND_COUNTS_NONE &&
	    !trace_durations_ask(b, &s->query, (int64_t)s->duration_count,
				 &s->buckets, err))
		return false;
	if (!s->above_permille || !s->duration_count)
		return true;
	s->above_ns = durations_quantile(s->durations_ns, s->duration_count,
					 s->above_permille);
	return s->buckets.total == 0 || above_refine(s, b, attempt, err);
}

static bool rounds_run(struct trace_search *s, struct backends *b,
		       struct error *err)
{
	struct find_query *q = &s->query;
	int64_t low_ns = q->min_duration_ns, next_ns;
	unsigned attempt = 0, limit = round_limit(s, backends_trace_traits(b));

	if (!first_run(s, b, &attempt, err))
		return false;
	if (s->above_ns > low_ns)
		low_ns = s->above_ns;
	next_ns = low_ns;
	q->is_slowest_first = backends_trace_traits(b)->sorts_by_duration;
	while (is_full(s) && s->rounds < limit) {
		if (!list_build(s, b, low_ns, err))
			return false;
		next_ns = trace_search_bound(s->items, s->fitting_count,
					     s->wanted, next_ns);
		if (next_ns <= q->min_duration_ns && !trace_search_is_sorted(s))
			break;
		q->min_duration_ns = next_ns;
		if (!ask(s, b, &attempt, err))
			return false;
		if (trace_search_is_sorted(s) ||
		    !traces_find_is_bounded(backends_traces(b), q, attempt))
			break;
	}
	s->is_sample =
		is_full(s) && !(trace_search_is_sorted(s) && s->rounds > 1);
	return list_build(s, b, low_ns, err);
}

/* ---- what it says ---- */

int64_t trace_search_quantile(const struct trace_search *s, unsigned permille)
{
	/* The list is what there is of the longest. */
	int64_t longest_ns = s->count ? s->items[0].duration_ns : 0;

	if (s->buckets.total)
		return buckets_quantile(&s->buckets, permille, longest_ns);
	return durations_quantile(s->durations_ns, s->duration_count, permille);
}

/* ---- of a case ---- */

struct held_answers {
	struct trace_search *search;
	struct backends *backends;
};

/* What is none of this server's searches is passed over. */
static void take_held(void *context, const struct http_response *response)
{
	const struct held_answers *held = context;
	struct trace_search *s = held->search;
	struct hits_job job;

	hits_job_init(&job, &s->query, 0, &s->hits, &s->next_page);
	(void)job.job.type->answer(&job.job, held->backends, response);
}

static void hits_range(struct trace_search *s)
{
	struct time_range *range = &s->query.range;

	for (size_t i = 0; i < s->hits.count; i++) {
		int64_t start_ns = s->hits.items[i].start_ns;

		if (i == 0 || start_ns < range->from_ns)
			range->from_ns = start_ns;
		if (i == 0 || start_ns >= range->to_ns)
			range->to_ns = sat_add_i64(start_ns, 1);
	}
}

/* All traces that the case's searches found, whatever they looked for. */
static bool case_run(struct trace_search *s, struct backends *b,
		     struct error *err)
{
	struct held_answers held = { s, b };

	s->query.range = (struct time_range){ INT64_MIN, INT64_MAX };
	if (!held_searches_each(s->held, take_held, &held, &s->held_count, err))
		return false;
	hits_range(s);
	return list_build(s, b, 0, err) && durations_take(s, b, err);
}

bool trace_search_run(struct trace_search *s, struct backends *b,
		      struct error *err)
{
	if (!backends_probe_traces(b, err))
		return false;
	if (s->held) {
		if (!case_run(s, b, err))
			return false;
	} else {
		s->query.trace_limit = limit_for(s, backends_trace_traits(b));
		if (!rounds_run(s, b, err))
			return false;
	}
	return s->count > 0 || trace_search_fail(s, b, err);
}

bool trace_search_typical(struct trace_search *s, struct backends *b,
			  struct typical_hit *typical, struct error *err)
{
	s->wanted = SLOW_TRACES;
	s->above_permille = SLOW_PERMILLE;
	s->round_limit = SLOW_ROUNDS;
	return trace_search_run(s, b, err) &&
	       typical_hit_find(s->items, s->fitting_count, typical, err);
}

/* Health checks are always quick and many. */
static size_t drop_health_checks(struct hit *items, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!hit_is_health_check(&items[i]))
			items[kept++] = items[i];
	return kept;
}

static bool ask_earlier(struct trace_search *s, struct backends *b,
			struct error *err)
{
	struct trace_search earlier;
	struct error ignored = { 0 };
	unsigned attempt = 0;

	trace_search_init(&earlier);
	earlier.query = s->query;
	earlier.query.range = window_previous(s->query.range);
	earlier.query.min_duration_ns = s->first_min_ns;
	earlier.query.is_slowest_first = false;
	earlier.query.page_token = STR("");
	/* That there is no answer to it is no reason to give none. */
	if (ask(&earlier, b, &attempt, &ignored)) {
		hits_release(&s->earlier);
		s->earlier = earlier.hits;
		hits_init(&earlier.hits);
	}
	trace_search_release(&earlier);
	return ignored.code != ERROR_MEMORY || (*err = ignored, false);
}

bool trace_search_unusual(struct trace_search *s, struct backends *b,
			  struct error *err)
{
	if (s->held || backends_trace_traits(b)->is_metered)
		return true;
	if (!ask_earlier(s, b, err))
		return false;
	s->earlier.count =
		drop_health_checks(s->earlier.items, s->earlier.count);
	return unusual_find(s->hits.items, s->first_count, s->earlier.items,
			    s->earlier.count, &s->unusual, err);
}
