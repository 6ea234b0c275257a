/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_history.h"

#include <string.h>

#include "backend/jobs.h"
#include "backend/trace_names.h"
#include "base/num.h"

/* Maximum number of steps of a count: the server has to keep them, and the
 * analysis needs only some dozens. */
#define COUNT_STEPS 2000

static const char *kind_word(enum span_kind kind)
{
	switch (kind) {
	case SPAN_KIND_SERVER:
		return "server";
	case SPAN_KIND_CLIENT:
		return "client";
	case SPAN_KIND_PRODUCER:
		return "producer";
	case SPAN_KIND_CONSUMER:
		return "consumer";
	case SPAN_KIND_INTERNAL:
		break;
	}
	return "internal";
}

/* A query and the operations it points to. */
struct search {
	struct search_query query;
	struct search_operation operations[SEARCH_OPERATIONS];
	struct search_operation slow;
	struct search_key keys[HISTORY_KEYS];
};

static struct search_operation operation_of(const struct operation *o)
{
	return (struct search_operation){ o->service, o->name,
					  kind_word(o->kind) };
}

static void search_make(const struct history_job *job, struct search *s)
{
	const struct history *h = job->history;
	const struct history_window *w = &h->windows[job->window];
	uint32_t count = h->operation_count < SEARCH_OPERATIONS
				 ? h->operation_count
				 : SEARCH_OPERATIONS;

	s->query = (struct search_query){
		.root_service = job->root_service,
		.root_name = job->root_name,
		.is_root_called = job->is_root_called,
		.operations = s->operations,
		.operation_count = count,
		.min_duration_ns = w->min_duration_ns,
		.keys = s->keys,
		.key_count = h->key_count,
		.range = job->range,
		.trace_limit = job->trace_limit ? job->trace_limit : 1,
		.page_token = job->page_token,
	};
	for (uint32_t i = 0; i < count; i++)
		s->operations[i] = operation_of(&h->operations[i]);
	for (uint32_t i = 0; i < h->key_count; i++)
		s->keys[i] = (struct search_key){ h->keys[i].name,
						  h->keys[i].is_of_process };
	if (h->service.len) {
		s->operations[0] =
			(struct search_operation){ h->service, STR(""), "" };
		s->query.operation_count = 1;
	}
	if (w->slow_operation < h->operation_count) {
		s->slow = operation_of(&h->operations[w->slow_operation]);
		s->query.slow = &s->slow;
	}
}

static bool history_request(struct job *base, struct backends *b,
			    struct http_request *request, struct error *err)
{
	struct search s;

	search_make((const struct history_job *)base, &s);
	if (!traces_search_request(backends_traces(b), &b->traces.endpoint,
				   &s.query, base->attempt, request, err))
		return false;
	request->is_optional = true;
	return true;
}

/* Returns whether to fetch the next page; pages that are not fetched make the
 * window a sample. */
static bool turn_page(struct history_job *job, struct backends *b,
		      uint32_t trace_limit, struct str token)
{
	const struct trace_backend *t = backends_traces(b);
	struct history_window *w = &job->history->windows[job->window];
	bool is_short = job->trace_count < trace_limit;

	job->page_token = STR("");
	if (!token.len)
		return false;
	if (is_short && b->more_pages < t->traits.history_more_pages) {
		b->more_pages++;
		job->page_token = arena_str(b->arena, token);
	}
	if (job->page_token.len)
		return true;
	w->is_sample = true;
	if (!job->trace_count) {
		/* Differs from a window without traces. */
		w->is_answered = w->trace_count > 0;
		job->job.has_answer = error_set(
			&job->job.err, ERROR_PARTIAL,
			"%s: search: pages without traces, though there are "
			"more",
			t->name);
	} else if (is_short)
		notes_add(b->notes,
			  "%s returned only some of the other traces: the "
			  "baseline rests on those",
			  t->name);
	return false;
}

/* Returns false if another page follows. */
static bool keep_answer(struct history_job *job, struct backends *b,
			const struct search_query *query,
			search_decoder *decode,
			const struct http_response *response)
{
	struct history_window *w = &job->history->windows[job->window];
	uint32_t before = w->trace_count;
	struct buf next_page;
	bool is_more;
	struct history_want want = {
		.window = job->window,
		.except = job->except,
		.trace_limit = traces_search_limit(backends_traces(b),
						   query->trace_limit),
		.next_page = &next_page,
	};

	if (!job->is_root_called) {
		want.root_service = job->root_service;
		want.root_name = job->root_name;
	}
	buf_init(&next_page, LIMIT_URL_BYTES);
	job->job.has_answer =
		trace_answer_decode(b, decode, buf_str(&response->body),
				    job->history, &want, &job->job.err);
	job->trace_count += w->trace_count - before;
	w->is_sample |= job->is_newest_part;
	is_more = job->job.has_answer &&
		  turn_page(job, b, want.trace_limit, buf_str(&next_page));
	buf_release(&next_page);
	return !is_more;
}

static bool history_answer(struct job *base, struct backends *b,
			   const struct http_response *response)
{
	struct history_job *job = (struct history_job *)base;
	struct search s;
	search_decoder *decode;
	enum answer answer;

	search_make(job, &s);
	answer = backends_traces(b)->search_answer(
		&s.query, &base->attempt, &b->traces.endpoint, response,
		&decode, &base->err);
	if (answer == ANSWER_OK)
		return keep_answer(job, b, &s.query, decode, response);
	if (answer == ANSWER_MISS) {
		base->has_answer = true;
		job->history->windows[job->window].is_answered = true;
		error_clear(&base->err);
	}
	return answer != ANSWER_TRY_NEXT;
}

static struct time_range history_range(const struct job *base)
{
	return ((const struct history_job *)base)->range;
}

static const struct job_type history_type = { .request = history_request,
					      .answer = history_answer,
					      .about = ABOUT_OTHER_TRACES,
					      .range = history_range };

/* Ends a job that cannot send a request, with the reason. */
static void job_refuse(struct job *job, const char *why)
{
	error_set(&job->err, ERROR_USAGE, "%s", why);
	job->is_done = true;
}

void history_job_init(struct history_job *job, struct history *history,
		      uint32_t window, uint32_t trace_limit)
{
	const struct history_window *w = &history->windows[window];

	*job = (struct history_job){ .job.type = &history_type,
				     .history = history,
				     .window = window,
				     .range = w->range,
				     .trace_limit = trace_limit };
	if (history->operation_count == 0 && !history->service.len)
		job_refuse(&job->job, "no operation to search for");
	else if (w->range.to_ns <= w->range.from_ns)
		job_refuse(&job->job, "no time to search in");
}

/* ---- counts ---- */

static struct count_query count_query_of(const struct count_job *job)
{
	return (struct count_query){ job->service,      job->range,
				     job->step_ns,      job->name,
				     job->root_service, job->root_name };
}

static bool count_request(struct job *base, struct backends *b,
			  struct http_request *request, struct error *err)
{
	const struct count_job *job = (const struct count_job *)base;
	struct count_query query = count_query_of(job);

	if (!traces_count_request(backends_traces(b), &b->traces.endpoint,
				  &query, request, err))
		return false;
	request->is_optional = true;
	return true;
}

static bool count_answer(struct job *base, struct backends *b,
			 const struct http_response *response)
{
	struct count_job *job = (struct count_job *)base;
	const struct trace_backend *t = backends_traces(b);
	struct count_query query = count_query_of(job);
	struct step_counts out;

	job->counts =
		arena_array(b->arena, job->step_count, sizeof *job->counts);
	if (!job->counts) {
		arena_fail(b->arena, "counts", &base->err);
		job->step_count = 0;
		return true;
	}
	for (uint32_t i = 0; i < job->step_count; i++)
		job->counts[i] = -1;
	if (t->count_answer(&b->traces.endpoint, response, &base->err) !=
	    ANSWER_OK)
		return true;
	out = (struct step_counts){ job->range.from_ns, job->step_ns,
				    job->counts, job->step_count };
	base->has_answer = t->count_decode(buf_str(&response->body), &query,
					   &out, &job->is_sample, &base->err) ||
			   error_prefix(&base->err, "%s: counts", t->name);
	for (uint32_t i = 0; !base->has_answer && i < job->step_count; i++)
		job->counts[i] = -1;
	return true;
}

static struct time_range count_range(const struct job *base)
{
	return ((const struct count_job *)base)->range;
}

static const struct job_type count_type = { .request = count_request,
					    .answer = count_answer,
					    .about = ABOUT_REQUEST_COUNT,
					    .is_newer = true,
					    .range = count_range };

static const struct job_type count_aid_type = { .request = count_request,
						.answer = count_answer,
						.about = ABOUT_REQUEST_COUNT,
						.is_aid = true,
						.range = count_range };

static void count_init(struct count_job *job, const struct job_type *type,
		       struct str service, struct time_range range,
		       int64_t step_ns)
{
	*job = (struct count_job){ .job.type = type,
				   .service = service,
				   .range = range,
				   .step_ns = step_ns };
	if (step_ns <= 0 || range.to_ns <= range.from_ns ||
	    (range.to_ns - 1) / step_ns - range.from_ns / step_ns >=
		    COUNT_STEPS)
		job_refuse(&job->job, "not a window of at most 2,000 steps");
	else
		job->step_count =
			(uint32_t)((range.to_ns - range.from_ns + step_ns - 1) /
				   step_ns);
}

void count_job_init(struct count_job *job, struct str service,
		    struct time_range range, int64_t step_ns)
{
	count_init(job, &count_type, service, range, step_ns);
}

void count_job_init_aid(struct count_job *job, struct str service,
			struct time_range range, int64_t step_ns)
{
	count_init(job, &count_aid_type, service, range, step_ns);
}

static struct time_range step_range(const struct count_job *job, uint32_t i)
{
	int64_t from_ns = job->range.from_ns + job->step_ns * (int64_t)i;

	return (struct time_range){ from_ns, from_ns + job->step_ns };
}

struct time_range count_newest_part(const struct count_job *job,
				    struct time_range range, double wanted)
{
	double sum = 0;

	for (uint32_t i = job->job.has_answer ? job->step_count : 0; i-- > 0;) {
		struct time_range step = step_range(job, i);

		if (step.from_ns >= range.to_ns)
			continue;
		if (step.from_ns < range.from_ns)
			break;
		/* Unknown steps may be 0, and a step beyond the end may have
		 * all of its requests there. */
		if (job->counts[i] > 0 && step.to_ns <= range.to_ns)
			sum += (double)job->counts[i];
		if (sum < wanted)
			continue;
		/* Assumes an even distribution within the step. */
		range.from_ns =
			step.from_ns +
			(int64_t)((sum - wanted) / (double)job->counts[i] *
				  (double)job->step_ns);
		break;
	}
	return range;
}

double count_within(const struct count_job *job, struct time_range range)
{
	double sum = 0;

	if (!job->job.has_answer)
		return -1;
	for (uint32_t i = 0; i < job->step_count; i++) {
		struct time_range step = step_range(job, i);

		if (step.from_ns >= range.to_ns || step.to_ns <= range.from_ns)
			continue;
		if (job->counts[i] < 0)
			return -1;
		sum += (double)job->counts[i];
	}
	return sum;
}

double count_rate(const struct count_job *job)
{
	double sum = 0, steps = 0;

	for (uint32_t i = 0; job->job.has_answer && i < job->step_count; i++)
		if (job->counts[i] >= 0) {
			sum += (double)job->counts[i];
			steps++;
		}
	return steps > 0 ? sum * (double)NS_PER_S /
				   (steps * (double)job->step_ns)
			 : 0;
}

/* ---- measured by version ---- */

static bool steps_request(struct job *base, struct backends *b,
			  struct http_request *request, struct error *err)
{
	const struct steps_job *job = (const struct steps_job *)base;

	return traces_steps_request(backends_traces(b), &b->traces.endpoint,
				    &job->query, request, err);
}

static bool steps_answer(struct job *base, struct backends *b,
			 const struct http_response *response)
{
	struct steps_job *job = (struct steps_job *)base;
	const struct trace_backend *t = backends_traces(b);

	if (t->count_answer(&b->traces.endpoint, response, &base->err) !=
	    ANSWER_OK)
		return true;
	base->has_answer =
		t->steps_decode(buf_str(&response->body), &job->query.steps,
				b->arena, &job->rows, &base->err) ||
		error_prefix(&base->err, "%s: TraceQL metrics", t->name);
	return true;
}

static const struct job_type steps_type = { .request = steps_request,
					    .answer = steps_answer,
					    .about = ABOUT_REQUEST_STEPS,
					    .is_newer = true };

void steps_job_init(struct steps_job *job, const struct steps_query *query)
{
	*job = (struct steps_job){ .job.type = &steps_type, .query = *query };
}

/* The distribution of durations, where the traces server counts them. */

struct durations_job {
	struct job job;
	struct find_query query;
	struct duration_buckets buckets;
	int64_t longest_ns; /* not 0: the range is too long; the longest
			     * accepted one */
};

static bool durations_request(struct job *base, struct backends *b,
			      struct http_request *request, struct error *err)
{
	struct durations_job *job = (struct durations_job *)base;

	if (!traces_durations_request(backends_traces(b), &b->traces.endpoint,
				      &job->query, base->attempt, request, err))
		return false;
	request->is_optional = true;
	return true;
}

/* Returns the number of parts; 0: cannot be split. */
static int64_t part_count(const struct durations_job *job)
{
	struct time_range range = job->query.range;
	int64_t length_ns = sat_sub_i64(range.to_ns, range.from_ns), n;

	if (!job->longest_ns)
		return 0;
	n = (length_ns - 1) / job->longest_ns + 1;
	return n < 2 || n > LIMIT_BATCH ? 0 : n;
}

static bool durations_answer(struct job *base, struct backends *b,
			     const struct http_response *response)
{
	struct durations_job *job = (struct durations_job *)base;
	const struct trace_backend *t = backends_traces(b);

	job->longest_ns = t->durations_limit_ns(base->attempt, response);
	switch (t->durations_answer(base->attempt, &b->traces.endpoint,
				    response, &base->err)) {
	case ANSWER_OK:
		base->has_answer = t->durations_decode(
			buf_str(&response->body), &job->buckets, &base->err);
		return true;
	case ANSWER_TRY_NEXT:
		base->attempt++;
		return false;
	case ANSWER_MISS:
	case ANSWER_ERROR:
		/* The refusal has the limit for the next query. */
		base->is_gap = part_count(job) > 0;
		break;
	}
	return true;
}

static const struct job_type durations_type = { .request = durations_request,
						.answer = durations_answer,
						.about = ABOUT_DURATIONS,
						.is_newer = true };

/* Sends all parts concurrently; without one of them the sum is useless. */
static bool ask_parts(struct backends *b, const struct durations_job *whole,
		      struct duration_buckets *out, struct error *err)
{
	struct time_range range = whole->query.range;
	int64_t n = part_count(whole), part_ns;
	struct durations_job parts[LIMIT_BATCH];
	struct job *jobs[LIMIT_BATCH] = { NULL };

	if (!n)
		return true;
	/* All have the same length: a short last one could end where nothing is
	 * counted yet, which servers refuse. */
	part_ns = (range.to_ns - range.from_ns) / n;
	for (int64_t i = 0; i < n; i++) {
		parts[i] = (struct durations_job){
			.job.type = &durations_type,
			.query = whole->query,
		};
		parts[i].query.range.from_ns = range.from_ns + i * part_ns;
		if (i + 1 < n)
			parts[i].query.range.to_ns =
				range.from_ns + (i + 1) * part_ns;
		jobs[i] = &parts[i].job;
	}
	if (!jobs_run(b, jobs, (size_t)n, err))
		return false;
	for (int64_t i = 0; i < n; i++) {
		if (!parts[i].job.has_answer) {
			*out = (struct duration_buckets){ .total = 0 };
			return true;
		}
		for (size_t k = 0; k < DURATION_BUCKETS; k++)
			out->counts[k] = sat_add_i64(
				out->counts[k], parts[i].buckets.counts[k]);
		out->total = sat_add_i64(out->total, parts[i].buckets.total);
	}
	return true;
}

bool trace_durations_ask(struct backends *b, const struct find_query *query,
			 int64_t least, struct duration_buckets *out,
			 struct error *err)
{
	struct durations_job whole = { .job.type = &durations_type,
				       .query = *query };
	struct job *jobs[] = { &whole.job };

	*out = (struct duration_buckets){ .total = 0 };
	if (!jobs_run(b, jobs, 1, err))
		return false;
	if (whole.job.has_answer)
		*out = whole.buckets;
	else if (!ask_parts(b, &whole, out, err))
		return false;
	if (out->total < least)
		*out = (struct duration_buckets){ .total = 0 };
	return true;
}
