/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/trace_search.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/search_summary.h"
#include "backend/backends.h"
#include "backend/fetch_history.h"
#include "backend/fetch_trace.h"
#include "backend/metrics.h"
#include "backend/trace_names.h"
#include "backend/trace_queries.h"
#include "base/num.h"
#include "investigate/question.h"
#include "investigate/service_metrics.h"

/* Nothing was found: the names that the server does have. */

struct names_job {
	struct job job;
	enum trace_names what;
	const struct find_query *query;
	struct name_list names;
};

static bool names_request(struct job *base, struct backends *b,
			  struct http_request *request, struct error *err)
{
	struct names_job *job = (struct names_job *)base;
	const struct names_query query = { job->what, job->query->service,
					   job->query->range };

	if (!traces_names_request(backends_traces(b), &b->traces.endpoint,
				  &query, base->attempt, request, err))
		return false;
	request->is_optional = true;
	return true;
}

static bool names_answer(struct job *base, struct backends *b,
			 const struct http_response *response)
{
	struct names_job *job = (struct names_job *)base;

	return trace_names_answer(base, b, response, &job->names);
}

static const struct job_type names_type = { .request = names_request,
					    .answer = names_answer,
					    .about = ABOUT_NAMES };

static bool is_missing(const struct names_job *job, struct str name)
{
	return job->job.has_answer && job->names.count &&
	       !name_list_has(&job->names, name);
}

/* A day is looked through in a second; longer ones take servers long. */
#define BACK_NS NS_PER_DAY

/* Traces to search for the latest, where the server does not sort. */
#define BACK_TRACES 20u

bool trace_lack_ask(struct backends *b, const struct find_query *query,
		    struct trace_lack *lack, struct error *err)
{
	struct find_query back = *query;
	struct names_job services = { .job.type = &names_type,
				      .what = TRACE_SERVICES,
				      .query = query };
	struct names_job operations = { .job.type = &names_type,
					.what = TRACE_OPERATIONS,
					.query = query };
	struct job *jobs[3] = { &services.job };
	struct hits_job hits_job;
	struct hits hits;
	struct buf page;
	size_t n = 1;
	bool done;

	*lack = (struct trace_lack){ .kind = SEARCH_LACKS_TRACES };
	back.range = (struct time_range){
		sat_sub_i64(query->range.from_ns, BACK_NS),
		query->range.from_ns,
	};
	back.trace_limit = BACK_TRACES;
	back.is_slowest_first = false;
	back.page_token = STR("");
	hits_init(&hits);
	buf_init(&page, LIMIT_URL_BYTES);
	hits_job_init(&hits_job, &back, 0, &hits, &page);
	hits_job.is_extra = true;
	if (query->name.len)
		jobs[n++] = &operations.job;
	if (!backends_trace_traits(b)->is_metered)
		jobs[n++] = &hits_job.job;
	done = jobs_run(b, jobs, n, err);
	lack->is_looked_back = done && hits_job.job.has_answer;
	for (size_t i = 0; lack->is_looked_back && i < hits.count; i++)
		if (!hit_is_health_check(&hits.items[i]))
			lack->found_ns = max_i64(lack->found_ns,
						 hits.items[i].start_ns);
	lack->is_last = hits.answer_count < back.trace_limit && !page.len;
	buf_release(&page);
	hits_release(&hits);
	if (done && is_missing(&services, query->service)) {
		lack->kind = SEARCH_LACKS_SERVICE;
		lack->names = services.names;
	} else if (done && is_missing(&operations, query->name)) {
		lack->kind = SEARCH_LACKS_OPERATION;
		lack->names = operations.names;
	}
	return done;
}

/* Pages count towards a quota, whatever their size: at most two for the first
 * query, which shows the distribution of durations. */
#define FIRST_PAGES 2u
/* Pages may be shorter than requested, even empty, with more to follow. */
#define PAGES_MOST 4u

/* Slow traces are the slowest 5 %. One answer with them suffices to find the
 * typical one: two queries, with as many wanted traces as in an ordinary
 * search. */
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

static bool search_ask(struct trace_search *s, struct backends *b,
		       unsigned *attempt, struct error *err)
{
	size_t count = 0, wish = s->query.trace_limit;
	unsigned pages = 0;
	struct str token;

	/* Traces that make pages of one question enough. */
	if (s->rounds > 0 && s->wanted && s->wanted < wish)
		wish = s->wanted;

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

/* Fills the list from all hits, from `low_ns` on. The hits are not moved: their
 * index refers to positions. */
static bool list_build(struct trace_search *s, struct backends *b,
		       int64_t low_ns, struct error *err)
{
	s->items = arena_array(b->arena, s->hits.count + 1, sizeof *s->items);
	if (!s->items)
		return arena_fail(b->arena, "the traces found", err);
	s->fitting_count = 0;
	s->hidden_count = 0;
	for (size_t i = 0; i < s->hits.count; i++) {
		const struct hit *hit = &s->hits.items[i];

		if (!s->has_health_checks && hit_is_health_check(hit))
			s->hidden_count++;
		else if (hit->duration_ns >= low_ns)
			s->items[s->fitting_count++] = *hit;
	}
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

static uint32_t search_limit(const struct trace_search *s,
			     const struct trace_traits *traits)
{
	uint32_t least = traits->search_least, most = traits->search_most;
	/* The search that slow begins with leaves most of the quota to the
	 * rest. */
	unsigned first_pages = s->round_limit ? 1 : FIRST_PAGES;

	if (traits->page_of_spans)
		return first_pages *
		       (find_is_by_span(&s->query) || s->query.is_error
				? traits->page_of_spans
				: traits->page_of_roots);
	if (s->wanted == 0 || s->wanted > most / 4)
		return most;
	return s->wanted * 4 > least ? (uint32_t)s->wanted * 4 : least;
}

static bool search_is_full(const struct trace_search *s)
{
	return s->next_page.len > 0 ||
	       s->hits.answer_count >= s->query.trace_limit;
}

bool trace_search_is_sorted(const struct trace_search *s)
{
	return s->query.is_slowest_first && !find_is_by_span(&s->query) &&
	       !s->query.is_error;
}

/* The server's counts only show the bucket of the quantile; durations in it, or
 * a sample of them, refine it. */
static bool above_refine(struct trace_search *s, struct backends *b,
			 unsigned *attempt, struct error *err)
{
	struct tail tail = buckets_tail(&s->buckets, s->above_permille);

	if (tail.from_ns > s->query.min_duration_ns) {
		s->query.min_duration_ns = tail.from_ns;
		if (!search_ask(s, b, attempt, err))
			return false;
	}
	if (!list_build(s, b, tail.from_ns, err))
		return false;
	if (s->fitting_count)
		s->above_ns = tail_quantile(&tail, s->items, s->fitting_count);
	return true;
}

/* The first answer shows the distribution of durations, unless the server has
 * counted all and the answer is a sample; later ones cover only the slow
 * end. */
static bool first_run(struct trace_search *s, struct backends *b,
		      unsigned *attempt, struct error *err)
{
	s->first_min_ns = s->query.min_duration_ns;
	if (!search_ask(s, b, attempt, err) || !list_build(s, b, 0, err) ||
	    !durations_take(s, b, err))
		return false;
	s->first_count = s->hits.count;
	s->is_first_sample = search_is_full(s);
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
	unsigned attempt = 0, limit = backends_trace_traits(b)->search_rounds;

	if (s->round_limit && s->round_limit < limit)
		limit = s->round_limit;

	if (!first_run(s, b, &attempt, err))
		return false;
	if (s->above_ns > low_ns)
		low_ns = s->above_ns;
	next_ns = low_ns;
	q->is_slowest_first = backends_trace_traits(b)->sorts_by_duration;
	while (search_is_full(s) && s->rounds < limit) {
		if (!list_build(s, b, low_ns, err))
			return false;
		next_ns = trace_search_bound(s->items, s->fitting_count,
					     s->wanted, next_ns);
		if (next_ns <= q->min_duration_ns && !trace_search_is_sorted(s))
			break;
		q->min_duration_ns = next_ns;
		if (!search_ask(s, b, &attempt, err))
			return false;
		if (trace_search_is_sorted(s) ||
		    !traces_find_is_bounded(backends_traces(b), q, attempt))
			break;
	}
	s->is_sample = search_is_full(s) &&
		       !(trace_search_is_sorted(s) && s->rounds > 1);
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

/* Takes a held answer; what is none of this server's searches is passed over.
 */
static void take_held(void *context, const struct http_response *response)
{
	const struct held_answers *held = context;
	struct trace_search *s = held->search;
	struct hits_job job;

	hits_job_init(&job, &s->query, 0, &s->hits, &s->next_page);
	(void)job.job.type->answer(&job.job, held->backends, response);
}

bool trace_search_run(struct trace_search *s, struct backends *b,
		      struct error *err)
{
	struct held_answers held = { s, b };
	struct time_range *range = &s->query.range;

	if (!backends_probe_traces(b, err))
		return false;
	if (s->held) {
		/* All traces that the case's searches found, whatever they
		 * looked for. */
		*range = (struct time_range){ INT64_MIN, INT64_MAX };
		if (!held_searches_each(s->held, take_held, &held,
					&s->held_count, err))
			return false;
		for (size_t i = 0; i < s->hits.count; i++) {
			int64_t start_ns = s->hits.items[i].start_ns;

			if (i == 0 || start_ns < range->from_ns)
				range->from_ns = start_ns;
			if (i == 0 || start_ns >= range->to_ns)
				range->to_ns = sat_add_i64(start_ns, 1);
		}
		if (!list_build(s, b, 0, err) || !durations_take(s, b, err))
			return false;
	} else {
		s->query.trace_limit = search_limit(s,
						    backends_trace_traits(b));
		if (!rounds_run(s, b, err))
			return false;
	}
	if (s->count)
		return true;
	s->lack.kind = SEARCH_LACKS_TRACES;
	return error_set(err, ERROR_NOT_FOUND, "%s", "");
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
	/* A failure of this query is not one of the search. */
	if (search_ask(&earlier, b, &attempt, &ignored)) {
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
	struct hits *earlier = &s->earlier;
	size_t kept = 0;

	if (s->held || backends_trace_traits(b)->is_metered)
		return true;
	if (!ask_earlier(s, b, err))
		return false;
	/* Health checks are always quick and many. */
	for (size_t i = 0; i < earlier->count; i++)
		if (!hit_is_health_check(&earlier->items[i]))
			earlier->items[kept++] = earlier->items[i];
	earlier->count = kept;
	return unusual_find(s->hits.items, s->first_count, earlier->items,
			    earlier->count, &s->unusual, err);
}

/* The terms of searches: the names of the labels of spans, or the values of one
 * of them. Knows no options. */

struct tags_job {
	struct job job;
	const struct tags_query *query;
	struct name_list names;
};

static bool tags_request(struct job *base, struct backends *b,
			 struct http_request *request, struct error *err)
{
	struct tags_job *job = (struct tags_job *)base;

	return traces_tags_request(backends_traces(b), &b->traces.endpoint,
				   job->query, base->attempt, request, err);
}

static bool tags_answer(struct job *base, struct backends *b,
			const struct http_response *response)
{
	struct tags_job *job = (struct tags_job *)base;

	return trace_names_answer(base, b, response, &job->names);
}

static const struct job_type tags_type = { .request = tags_request,
					   .answer = tags_answer,
					   .about = ABOUT_NAMES };

bool tags_ask(struct backends *b, const struct tags_query *query,
	      struct name_list *names, struct error *err)
{
	struct tags_job job = { .job.type = &tags_type, .query = query };
	struct job *jobs[] = { &job.job };

	if (!backends_probe_traces(b, err) || !jobs_run(b, jobs, 1, err))
		return false;
	if (job.job.has_answer)
		*names = job.names;
	else
		*err = job.job.err;
	return job.job.has_answer;
}

/* Chooses a trace that represents a service's slow requests by its metrics: an
 * exemplar of the latency histogram from the buckets of the slowest 5 %. */

static int exemplar_compare(const void *a, const void *b)
{
	const struct exemplar *x = a, *y = b;
	int order = compare_f64(x->value, y->value);

	if (!order)
		order = compare_i64(x->time_ns, y->time_ns);
	return order ? order : str_compare(x->trace_id, y->trace_id);
}

/* The longest may be an outlier of its own kind; the median of the slow ones is
 * what the tail is made of. */
void exemplar_pick(struct exemplar_choice *c, struct exemplar *list,
		   size_t count)
{
	size_t slow = 0;

	c->count = count;
	c->lack = count ? EXEMPLAR_FOUND : EXEMPLAR_NONE;
	if (!count)
		return;
	qsort(list, count, sizeof *list, exemplar_compare);
	c->exemplar = list[count - 1];
	/* p95 is interpolated within its bucket, so all of that one counts. */
	for (size_t i = 0; c->p95_s > 0 && i < count; i++)
		if (list[i].edge >= c->p95_s)
			list[slow++] = list[i];
	c->slow_count = slow;
	if (slow)
		c->exemplar = list[(slow - 1) / 2];
}

static bool ask_exemplars(struct metric_job *job, struct exemplar_choice *c,
			  struct error *err)
{
	struct metric_query query = { .ask = METRIC_ASK_EXEMPLARS,
				      .range = c->window };
	struct arena *arena = c->metrics.backends->arena;
	struct job *list[] = { &job->job };
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_exemplars(&text, &c->metrics.sources[METRIC_LATENCY],
			 c->metrics.service, c->operation);
	query.expression = arena_str(arena, buf_str(&text));
	buf_release(&text);
	if (!query.expression.ptr)
		return arena_fail(arena, "a question", err);
	metric_job_init(job, &query);
	if (!jobs_run(c->metrics.backends, list, 1, err))
		return false;
	*err = job->job.err;
	return job->job.has_answer;
}

/* p95 of all requests: exemplars are a few of them, not drawn evenly. */
static bool ask_p95(struct exemplar_choice *c, struct error *err)
{
	struct service_metric q = { .meaning = METRIC_LATENCY,
				    .operation = c->operation,
				    .quantile = 0.95,
				    .range = c->window };

	if (!service_metrics_ask(&c->metrics, &q, 1, err))
		return false;
	if (q.has_answer && q.point_count)
		c->p95_s = q.points[0].value;
	return true;
}

static enum exemplar_lack lack_of(const struct exemplar_choice *c)
{
	const struct metric_source *sources = c->metrics.sources;
	bool has_any = false;

	for (int i = 0; i < METRIC_MEANINGS; i++)
		has_any |= sources[i].name != NULL;
	if (!has_any)
		return EXEMPLAR_NO_METRICS;
	if (!sources[METRIC_LATENCY].name)
		return EXEMPLAR_NO_LATENCY;
	return c->operation && !sources[METRIC_LATENCY].name->operation_label
		       ? EXEMPLAR_NO_OPERATION
		       : EXEMPLAR_FOUND;
}

bool exemplar_choose(struct exemplar_choice *c, struct backends *b,
		     const char *service, const char *operation,
		     struct time_range window, struct error *err)
{
	struct metric_job job;
	double unit;

	*c = (struct exemplar_choice){ .operation = operation,
				       .window = window };
	if (!service_metrics_find(&c->metrics, b, service, window, err))
		return false;
	c->lack = lack_of(c);
	if (c->lack != EXEMPLAR_FOUND)
		return true;
	if (!ask_p95(c, err) || !ask_exemplars(&job, c, err))
		return false;
	unit = c->metrics.sources[METRIC_LATENCY].name->unit;
	for (size_t i = 0; i < job.answer.exemplar_count; i++) {
		job.answer.exemplars[i].value *= unit;
		job.answer.exemplars[i].edge *= unit;
	}
	exemplar_pick(c, job.answer.exemplars, job.answer.exemplar_count);
	return true;
}
