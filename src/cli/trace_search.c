/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace_search.h"

#include <inttypes.h>
#include <string.h>

#include "backend/trace_answers.h"
#include "backend/trace_durations.h"
#include "base/num.h"
#include "cli/window.h"
#include "wire/har_held.h"

/* A server that gives pages lets each count towards a quota, whatever is in
 * it: two at most of the first question, which tells how durations lie. */
#define FIRST_PAGES 2u
/* Pages may hold less than was asked for, even nothing, with more behind. */
#define PAGES_MOST 4u

/* An hour, as people ask for recent traces. */
#define DEFAULT_WINDOW_NS NS_PER_HOUR

void trace_search_init(struct trace_search *s)
{
	memset(s, 0, sizeof *s);
	hits_init(&s->hits);
	buf_init(&s->next_page, LIMIT_URL_BYTES);
}

void trace_search_release(struct trace_search *s)
{
	buf_release(&s->next_page);
	hits_release(&s->hits);
}

bool trace_search_options(struct trace_search *s, const struct context *ctx,
			  struct error *err)
{
	const struct options *o = ctx->options;
	struct find_query *q = &s->query;

	if (o->query && (o->service || o->name || o->errors))
		return error_set(err, ERROR_USAGE,
				 "--query says all of the condition: write "
				 "--service, --name and --errors into it");
	q->service = str_from(o->service);
	q->name = str_from(o->name);
	q->is_error = o->errors;
	q->traceql = str_trim(str_from(o->query));
	q->min_duration_ns = o->min_duration_ns;
	s->wanted = (size_t)o->limit;
	s->has_health_checks = o->all;
	if (!o->all)
		q->uncounted_names = health_check_pattern();
	if (o->above && !quantile_parse(str_from(o->above), &s->above_permille))
		return error_set(err, ERROR_INTERNAL, "--above: %s", o->above);
	return window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			      &q->range, err);
}

/* ---- one question ---- */

struct find_job {
	struct job job;
	struct trace_search *search;
};

static bool find_request(struct job *base, struct backends *b,
			 struct http_request *request, struct error *err)
{
	struct find_job *job = (struct find_job *)base;

	return traces_find_request(backends_traces(b), &b->traces.endpoint,
				   &job->search->query, base->attempt, request,
				   err);
}

static bool decode(struct find_job *job, const struct backends *b,
		   search_decoder *read, struct str body)
{
	const struct trace_traits *traits = backends_trace_traits(b);
	const struct find_query *q = &job->search->query;
	struct hit_want hit = {
		.service = q->service,
		.name = q->name,
		.is_error = q->is_error,
		.is_by_span = find_is_by_span(q),
		.has_span = find_is_by_span(q) || q->is_error || q->traceql.len,
		.must_match = q->is_error && !traits->finds_errors_only,
		.min_duration_ns = q->min_duration_ns,
		.slack_ns = traits->duration_slack_ns,
		.range = q->range,
	};
	struct history_want want = { .hits = &job->search->hits,
				     .hit_want = &hit,
				     .next_page = &job->search->next_page,
				     .has_roots_only = !hit.has_span };

	return trace_answer_decode(b, read, body, NULL, &want, &job->job.err);
}

static bool find_answer(struct job *base, struct backends *b,
			const struct http_response *response)
{
	struct find_job *job = (struct find_job *)base;
	search_decoder *read;
	enum answer answer = backends_traces(b)->find_answer(
		&job->search->query, &base->attempt, &b->traces.endpoint,
		response, &read, &base->err);

	if (answer == ANSWER_OK) {
		base->has_answer =
			decode(job, b, read, buf_str(&response->body));
	} else if (answer == ANSWER_MISS) {
		base->has_answer = true;
		job->search->hits.answer_count = 0;
		error_clear(&base->err);
	}
	return answer != ANSWER_TRY_NEXT;
}

static const struct job_type find_type = { find_request, find_answer };

static bool ask_page(struct trace_search *s, struct context *ctx,
		     unsigned *attempt, struct error *err)
{
	struct find_job job = { .job.type = &find_type,
				.job.attempt = *attempt,
				.search = s };
	struct job *jobs[] = { &job.job };

	if (!jobs_run(&ctx->backends, jobs, 1, err))
		return false;
	*attempt = job.job.attempt;
	if (job.job.has_answer)
		return true;
	*err = job.job.err;
	return false;
}

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

static bool ask(struct trace_search *s, struct context *ctx, unsigned *attempt,
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
		if (!ask_page(s, ctx, attempt, err))
			return false;
		count += s->hits.answer_count;
		if (!s->next_page.len || count >= wish || ++pages == PAGES_MOST)
			break;
		token = arena_str(&ctx->arena, buf_str(&s->next_page));
		if (!token.ptr)
			return arena_fail(&ctx->arena, "a page", err);
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
static bool list_build(struct trace_search *s, struct context *ctx,
		       int64_t low_ns, struct error *err)
{
	s->items =
		arena_array(&ctx->arena, s->hits.count + 1, sizeof *s->items);
	if (!s->items)
		return arena_fail(&ctx->arena, "the traces found", err);
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

static bool durations_take(struct trace_search *s, struct context *ctx,
			   struct error *err)
{
	s->duration_count = s->fitting_count;
	s->durations_ns = arena_array(&ctx->arena, s->duration_count + 1,
				      sizeof *s->durations_ns);
	if (!s->durations_ns)
		return arena_fail(&ctx->arena, "durations", err);
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

/* A server that sorts gives the slowest in one answer; but by the whole of
 * the trace, which says where to look for spans only. */
static bool is_sorted(const struct trace_search *s)
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
static bool above_refine(struct trace_search *s, struct context *ctx,
			 unsigned *attempt, struct error *err)
{
	struct tail tail = buckets_tail(&s->buckets, s->above_permille);

	if (tail.from_ns > s->query.min_duration_ns) {
		s->query.min_duration_ns = tail.from_ns;
		if (!ask(s, ctx, attempt, err))
			return false;
	}
	if (!list_build(s, ctx, tail.from_ns, err))
		return false;
	if (s->fitting_count)
		s->above_ns = tail_quantile(&tail, s->items, s->fitting_count);
	return true;
}

/* The first answer tells how the durations lie, unless the server has counted
 * all and the answer is a sample; later ones tell only of the slow end. */
static bool first_run(struct trace_search *s, struct context *ctx,
		      unsigned *attempt, struct error *err)
{
	if (!ask(s, ctx, attempt, err) || !list_build(s, ctx, 0, err) ||
	    !durations_take(s, ctx, err))
		return false;
	s->is_first_sample = is_full(s);
	s->counted = traces_counted(backends_traces(&ctx->backends), &s->query);
	if (s->is_first_sample && s->counted != FIND_COUNTS_NONE &&
	    !trace_durations_ask(&ctx->backends, &s->query,
				 (int64_t)s->duration_count, &s->buckets, err))
		return false;
	if (!s->above_permille || !s->duration_count)
		return true;
	s->above_ns = durations_quantile(s->durations_ns, s->duration_count,
					 s->above_permille);
	return s->buckets.total == 0 || above_refine(s, ctx, attempt, err);
}

static bool rounds_run(struct trace_search *s, struct context *ctx,
		       struct error *err)
{
	struct find_query *q = &s->query;
	int64_t low_ns = q->min_duration_ns, next_ns;
	unsigned attempt = 0,
		 limit = round_limit(s, backends_trace_traits(&ctx->backends));

	if (!first_run(s, ctx, &attempt, err))
		return false;
	if (s->above_ns > low_ns)
		low_ns = s->above_ns;
	next_ns = low_ns;
	q->is_slowest_first =
		backends_trace_traits(&ctx->backends)->sorts_by_duration;
	while (is_full(s) && s->rounds < limit) {
		if (!list_build(s, ctx, low_ns, err))
			return false;
		next_ns = trace_search_bound(s->items, s->fitting_count,
					     s->wanted, next_ns);
		if (next_ns <= q->min_duration_ns && !is_sorted(s))
			break;
		q->min_duration_ns = next_ns;
		if (!ask(s, ctx, &attempt, err))
			return false;
		if (is_sorted(s) ||
		    !traces_find_is_bounded(backends_traces(&ctx->backends), q,
					    attempt))
			break;
	}
	s->is_sample = is_full(s) && !(is_sorted(s) && s->rounds > 1);
	return list_build(s, ctx, low_ns, err);
}

/* ---- what is said of it ---- */

void trace_search_basis(const struct trace_search *s, struct buf *out)
{
	static const char *const nouns[] = {
		[FIND_COUNTS_NONE] = "",
		[FIND_COUNTS_TRACES] = "traces",
		[FIND_COUNTS_REQUESTS] = "requests",
		[FIND_COUNTS_SPANS] = "spans",
	};
	char count[COUNT_TEXT_BYTES];

	if (s->buckets.total) {
		format_count(s->buckets.total, count);
		buf_addf(out, "all %s %s counted by the server", count,
			 nouns[s->counted]);
		return;
	}
	format_count((int64_t)s->duration_count, count);
	buf_addf(out, "%s%s trace%s", s->is_first_sample ? "a sample of " : "",
		 count, &"s"[s->duration_count == 1]);
}

int64_t trace_search_quantile(const struct trace_search *s, unsigned permille)
{
	/* The list is what there is of the longest. */
	int64_t longest_ns = s->count ? s->items[0].duration_ns : 0;

	if (s->buckets.total)
		return buckets_quantile(&s->buckets, permille, longest_ns);
	return durations_quantile(s->durations_ns, s->duration_count, permille);
}

void trace_search_notes(const struct trace_search *s, struct notes *notes)
{
	char bound[24];

	format_duration(s->bound_ns, bound);
	if (s->is_first_sample && is_sorted(s) && s->rounds > 1)
		notes_add(notes,
			  "the slowest are all here; the distribution is that "
			  "of the newest %zu traces",
			  s->duration_count);
	else if (s->is_first_sample && s->rounds > 1 && !s->is_sample)
		notes_add(notes,
			  "the server gives the first %u that it finds, so it "
			  "was asked again from %s on: the slowest are all "
			  "here%s",
			  s->query.trace_limit, bound,
			  s->buckets.total ? ""
					   : ", the distribution is that of "
					     "the first answer");
	else if (s->is_sample && s->bound_ns > 0)
		notes_add(notes,
			  "a sample: at least %u traces took %s or longer, and "
			  "the server gives the first that it finds; narrow it "
			  "with --since, --name or --min-duration",
			  s->query.trace_limit, bound);
	else if (s->is_sample)
		notes_add(notes,
			  "a sample: there are more than the %u traces that "
			  "the server found first; narrow it with --since, "
			  "--name or --min-duration",
			  s->query.trace_limit);
	if (s->buckets.total)
		notes_add(notes, "the distribution is from TraceQL metrics, "
				 "which count in steps of a factor of two: "
				 "quantiles are interpolated");
	if (s->hidden_count)
		notes_add(notes, "%zu health check%s hidden; --all shows %s",
			  s->hidden_count, &"s"[s->hidden_count == 1],
			  s -> hidden_count == 1 ? "it" : "them");
}

/* ---- of a case ---- */

static bool take_held(struct trace_search *s, struct context *ctx, size_t i,
		      struct error *err)
{
	struct find_job job = { .search = s };
	struct http_response response = { 0 };
	bool done = har_held_response(ctx->replay, i, &response, err);

	/* What is none of this server's searches is passed over. */
	if (done)
		(void)find_answer(&job.job, &ctx->backends, &response);
	http_response_release(&response);
	return done;
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
static bool case_run(struct trace_search *s, struct context *ctx,
		     struct error *err)
{
	size_t searches = 0;

	s->query.range = (struct time_range){ INT64_MIN, INT64_MAX };
	for (size_t i = 0; i < har_held_count(ctx->replay); i++) {
		struct har_held held = har_held_at(ctx->replay, i);

		if (!held.has_answer || !har_held_is_search(held.url))
			continue;
		if (!take_held(s, ctx, i, err))
			return false;
		searches++;
	}
	hits_range(s);
	if (!list_build(s, ctx, 0, err) || !durations_take(s, ctx, err))
		return false;
	if (!s->count)
		return trace_search_fail(s, ctx, err);
	notes_add(&ctx->notes,
		  "the traces that %zu search%s of the case found, whatever "
		  "%s looked for",
		  searches, searches == 1 ? "" : "es",
		  searches == 1 ? "it" : "they");
	return true;
}

bool trace_search_run(struct trace_search *s, struct context *ctx,
		      struct error *err)
{
	if (ctx->backends.traces.path)
		return error_set(err, ERROR_USAGE,
				 "search asks a server; for a file: tracefind "
				 "show %s",
				 ctx->backends.traces.path);
	if (!backends_probe_traces(&ctx->backends, err))
		return false;
	if (ctx->options->takes_searches)
		return case_run(s, ctx, err);
	s->query.trace_limit =
		limit_for(s, backends_trace_traits(&ctx->backends));
	if (!rounds_run(s, ctx, err))
		return false;
	return s->count > 0 || trace_search_fail(s, ctx, err);
}
