/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/burn.h"
#include "analyze/operations.h"
#include "analyze/search_summary.h"
#include "backend/fetch_history.h"
#include "backend/fetch_trace.h"
#include "backend/metrics.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "investigate/finding.h"
#include "investigate/investigation.h"
#include "investigate/question.h"
#include "investigate/service_metrics.h"
#include "model/trace_join.h"

/* Edges of buckets are those of the last hour. */
#define EDGES_NS NS_PER_HOUR

/* The same edge but for how its text was rounded. */
#define EDGE_SLACK 1e-6

void slo_init(struct slo *s)
{
	int64_t list[BURN_WINDOWS];

	s->pair_count = burn_pairs(s->window_ns, s->pairs);
	s->window_count =
		burn_windows(s->pairs, s->pair_count, s->window_ns, list, 0);
	for (size_t i = 0; i < s->window_count; i++)
		s->windows[i] = (struct slo_window){ .length_ns = list[i] };
	s->bound_ns = s->threshold_ns;
	s->failed = s->other_bad = -1;
}

/* ---- which metric ---- */

static bool slo_lacks(struct slo *s, enum slo_lack lack)
{
	s->lack = lack;
	return false;
}

static bool choose_metric(struct slo *s, const struct service_metrics *m)
{
	enum metric_meaning meaning =
		s->threshold_ns ? METRIC_LATENCY : METRIC_REQUESTS;
	const struct metric_source *source = &m->sources[meaning];

	if (!source->name)
		return slo_lacks(s, m->sources[METRIC_REQUESTS].name
					    ? SLO_LACKS_LATENCY
					    : SLO_LACKS_METRIC);
	if (s->operation && !source->name->operation_label)
		return slo_lacks(s, SLO_LACKS_OPERATION);
	s->indicator = (struct metric_indicator){ .source = *source,
						  .service = s->service,
						  .operation = s->operation };
	return true;
}

/* ---- questions ---- */

/* Expressions, each at the end of all windows: all and good of each, failed,
 * and good by the bucket's other end. */
#define QUESTIONS (2 * BURN_WINDOWS + 2)

struct questions {
	const struct slo *slo;
	struct metric_job jobs[QUESTIONS];
	size_t count;
};

/* The question that the text asks, which is released. */
static bool question_add(struct questions *q, struct buf *text,
			 struct error *err)
{
	struct arena *arena = q->slo->backends->arena;
	struct metric_query query = {
		.ask = METRIC_ASK_NOW, .range = { q->slo->to_ns, q->slo->to_ns }
	};

	if (text->state == BUF_OK)
		query.expression = arena_str(arena, buf_str(text));
	buf_release(text);
	metric_job_init(&q->jobs[q->count++], &query);
	return query.expression.ptr || arena_fail(arena, "a question", err);
}

static bool questions_run(struct questions *q, struct error *err)
{
	struct job *jobs[QUESTIONS];

	for (size_t i = 0; i < q->count; i++)
		jobs[i] = &q->jobs[i].job;
	return jobs_run(q->slo->backends, jobs, q->count, err);
}

/* Without a series nothing was counted. */
static double question_value(const struct questions *q, size_t i)
{
	const struct metric_answer *a = &q->jobs[i].answer;

	return a->series_count && a->series[0].point_count
		       ? fmax(0, a->series[0].points[0].value)
		       : 0;
}

/* ---- the bucket ---- */

static double edge_ns(const struct slo *s, struct str le)
{
	double value;

	return parse_f64(le, &value) && isfinite(value) && value > 0
		       ? value * s->indicator.source.name->unit * NS_PER_S
		       : 0;
}

/* The ends of the bucket that holds the threshold; 0: there is none. */
static void find_ends(const struct slo *s, const struct metric_answer *a,
		      double *below, double *above)
{
	double most = (double)s->threshold_ns * (1 + EDGE_SLACK);
	double least = (double)s->threshold_ns * (1 - EDGE_SLACK);

	*below = *above = 0;
	for (size_t i = 0; i < a->series_count; i++) {
		double edge =
			edge_ns(s, metric_label_find(&a->series[i], STR("le")));

		if (edge > 0 && edge <= most)
			*below = fmax(*below, edge);
		if (edge >= least && (*above == 0 || edge < *above))
			*above = edge;
	}
}

/* The texts that mean this edge. */
static bool take_edges(struct slo *s, const struct metric_answer *a,
		       double edge, struct metric_indicator *out,
		       struct error *err)
{
	struct arena *arena = s->backends->arena;
	struct str *edges = arena_array(arena, a->series_count, sizeof *edges);

	if (!edges)
		return arena_fail(arena, "the buckets", err);
	out->edge_count = 0;
	for (size_t i = 0; i < a->series_count; i++) {
		struct str le = metric_label_find(&a->series[i], STR("le"));

		if (fabs(edge_ns(s, le) - edge) <= EDGE_SLACK * edge)
			edges[out->edge_count++] = le;
	}
	out->edges = edges;
	return true;
}

/* Chooses the nearer end of the bucket, by their ratio; the other one shows how
 * much hangs on that. */
static bool choose_bucket(struct slo *s, const struct metric_answer *a,
			  struct metric_indicator *other, bool *is_told,
			  struct error *err)
{
	double below, above, bound, rest = 0;

	find_ends(s, a, &below, &above);
	if (above == 0) {
		*is_told = slo_lacks(s, SLO_LACKS_BUCKETS);
		return true;
	}
	bound = below > 0 && (double)s->threshold_ns / below <=
					above / (double)s->threshold_ns
			? below
			: above;
	if (below != above)
		rest = bound == below ? above : below;
	*other = s->indicator;
	s->bound_ns = sat_round_f64(bound);
	s->other_ns = sat_round_f64(rest);
	return take_edges(s, a, bound, &s->indicator, err) &&
	       (rest == 0 || take_edges(s, a, rest, other, err));
}

static bool ask_series(struct questions *q, struct slo *s, bool has_buckets,
		       struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	if (has_buckets) {
		metric_edges_expression(&text, &s->indicator, EDGES_NS);
		if (!question_add(q, &text, err))
			return false;
	}
	if (s->indicator.source.name->error_label) {
		buf_init(&text, LIMIT_URL_BYTES);
		metric_errors_expression(&text, &s->indicator, EDGES_NS);
		if (!question_add(q, &text, err))
			return false;
	}
	if (q->count && !questions_run(q, err))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (!q->jobs[i].job.has_answer) {
			*err = q->jobs[i].job.err;
			return false;
		}
	return true;
}

/* Which buckets there are, and whether they tell errors. */
static bool look_at_series(struct slo *s, struct metric_indicator *other,
			   bool *is_told, struct error *err)
{
	const struct metric_source *source = &s->indicator.source;
	bool has_buckets = s->threshold_ns && !source->is_native;
	struct questions q = { .slo = s };

	if (!ask_series(&q, s, has_buckets, err))
		return false;
	if (source->name->error_label)
		s->indicator.tells_errors =
			q.jobs[q.count - 1].answer.series_count > 0;
	if (s->threshold_ns && source->is_native) {
		s->is_interpolated = true;
		s->indicator.native_edge =
			(double)s->threshold_ns / NS_PER_S / source->name->unit;
	}
	return !has_buckets ||
	       choose_bucket(s, &q.jobs[0].answer, other, is_told, err);
}

/* ---- counts ---- */

static bool add_part(struct questions *q, const struct metric_indicator *of,
		     enum metric_part part, int64_t window_ns,
		     struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_part_expression(&text, of, part, "increase", window_ns);
	return question_add(q, &text, err);
}

static bool add_counts(struct questions *q, const struct slo *s,
		       const struct metric_indicator *other, struct error *err)
{
	for (size_t i = 0; i < s->window_count; i++)
		if (!add_part(q, &s->indicator, METRIC_PART_ALL,
			      s->windows[i].length_ns, err) ||
		    !add_part(q, &s->indicator, METRIC_PART_GOOD,
			      s->windows[i].length_ns, err))
			return false;
	if (s->indicator.tells_errors &&
	    !add_part(q, &s->indicator, METRIC_PART_FAILED, s->window_ns, err))
		return false;
	return !s->other_ns ||
	       add_part(q, other, METRIC_PART_GOOD, s->window_ns, err);
}

/* A server may refuse what reads too much of it: of shorter windows it still
 * tells. */
static bool take_counts(struct slo *s, const struct questions *q,
			struct error *err)
{
	size_t next = 2 * s->window_count;
	const struct burn_count *all = &slo_budget(s)->count;

	for (size_t i = 0; i < s->window_count; i++) {
		struct slo_window *w = &s->windows[i];
		double total = question_value(q, 2 * i);

		w->is_known = q->jobs[2 * i].job.has_answer &&
			      q->jobs[2 * i + 1].job.has_answer;
		if (w->is_known)
			w->count = (struct burn_count){
				total,
				fmax(0, total - question_value(q, 2 * i + 1))
			};
		else
			s->why = q->jobs[2 * i + q->jobs[2 * i].job.has_answer]
					 .job.err;
	}
	if (!slo_budget(s)->is_known) {
		*err = s->why;
		return false;
	}
	if (s->indicator.tells_errors) {
		if (q->jobs[next].job.has_answer)
			s->failed = question_value(q, next);
		next++;
	}
	if (s->other_ns && q->jobs[next].job.has_answer)
		s->other_bad = fmax(0, all->total - question_value(q, next));
	return true;
}

static bool ask_metrics(struct slo *s, bool *is_told, struct error *err)
{
	const struct time_range window = { s->to_ns - s->window_ns, s->to_ns };
	struct metric_indicator other = { .service = NULL };
	struct questions q = { .slo = s };
	struct service_metrics m;

	if (!service_metrics_find(&m, s->backends, s->service, window, err))
		return false;
	*is_told = choose_metric(s, &m);
	if (!*is_told)
		return true;
	if (!look_at_series(s, &other, is_told, err))
		return false;
	return !*is_told ||
	       (add_counts(&q, s, &other, err) && questions_run(&q, err) &&
		take_counts(s, &q, err));
}

bool slo_ask_metrics(struct slo *s, bool *is_told, struct error *err)
{
	*is_told = false;
	if (!ask_metrics(s, is_told, &s->why)) {
		*is_told = slo_lacks(s, SLO_LACKS_SERVER);
		if (error_ends_run(&s->why)) {
			*err = s->why;
			return false;
		}
	}
	if (!*is_told) {
		s->indicator.source.name = NULL;
		s->bound_ns = s->threshold_ns;
		s->other_ns = 0;
		s->is_interpolated = false;
	}
	return true;
}

/* ---- what it comes down to ---- */

const struct slo_window *slo_window(const struct slo *s, int64_t length_ns)
{
	size_t i = 0;

	while (i + 1 < s->window_count && s->windows[i].length_ns < length_ns)
		i++;
	return &s->windows[i];
}

bool slo_pair_fires(const struct slo *s, const struct burn_pair *pair)
{
	return burn_pair_fires(pair, s->objective,
			       slo_window(s, pair->long_ns)->count,
			       slo_window(s, pair->short_ns)->count);
}

static bool slo_burns(const struct slo *s, const struct slo_window *w,
		      const struct burn_pair *pair)
{
	return !w->is_known || burn_rate(w->count, s->objective) > pair->rate;
}

bool slo_pair_is_open(const struct slo *s, const struct burn_pair *pair)
{
	const struct slo_window *l = slo_window(s, pair->long_ns);
	const struct slo_window *k = slo_window(s, pair->short_ns);

	return !(l->is_known && k->is_known) && slo_burns(s, l, pair) &&
	       slo_burns(s, k, pair) && burn_pair_can_fire(pair, s->objective);
}

const struct slo_window *slo_present(const struct slo *s)
{
	for (size_t i = 0; i < s->window_count; i++)
		if (s->windows[i].length_ns >= NS_PER_HOUR &&
		    s->windows[i].count.bad >= BURN_BAD_LEAST)
			return &s->windows[i];
	return slo_budget(s);
}

/* At a rate of 1 or less a window that rolls on never spends all of it. */
double slo_seconds_left(const struct slo *s)
{
	double left = burn_left(slo_budget(s)->count, s->objective);
	double rate = burn_rate(slo_present(s)->count, s->objective);

	return left > 0 && rate <= 1
		       ? INFINITY
		       : burn_seconds_left(left, rate, s->window_ns);
}

/* One bad request of a service, investigated as a slow trace is. Knows no
 * options and has no words. */

/* A trace begins before and ends after the time at which it was found. */
#define PAD_NS NS_PER_HOUR

/* ---- the request ---- */

uint32_t slo_request_span(const struct slo *s, const struct trace *t,
			  bool *is_failed)
{
	uint32_t slow = SPAN_NONE, failed = SPAN_NONE;
	int64_t longest_ns = s->bound_ns;

	for (uint32_t i = 0; i < t->span_count; i++) {
		int64_t duration_ns = span_duration_ns(&t->spans[i]);
		bool is_entry =
			s->operation ? str_equal(span_name(t, i),
						 str_from(s->operation))
				     : span_entry(t, i) == i;

		if (!is_entry ||
		    !str_equal(span_service(t, i), str_from(s->service)))
			continue;
		if (s->threshold_ns && duration_ns > longest_ns) {
			longest_ns = duration_ns;
			slow = i;
		}
		if (failed == SPAN_NONE && t->spans[i].flags & SPAN_IS_ERROR)
			failed = i;
	}
	*is_failed = slow == SPAN_NONE;
	return *is_failed ? failed : slow;
}

/* ---- what made it bad ---- */

/* A question within another: its notes are nobody's. */
struct looking {
	const struct slo *slo;
	struct trace trace;
	struct result result;
	struct finding finding;
	struct investigation v;
	struct notes notes;
};

static bool name_keep(struct arena *arena, struct str text, struct str *out,
		      struct error *err)
{
	*out = arena_str(arena, text);
	return out->ptr || arena_fail(arena, "a name", err);
}

/* Returns the typical duration of the operation; -1 where it is not known, or
 * not good. */
static int64_t usual_ns(const struct looking *l)
{
	const struct operation_history *h = &l->finding.history;
	uint32_t operation = OPERATION_NONE;
	int64_t usual_ns = -1;

	if (l->finding.has_symptom && h->has_typical)
		operation =
			operation_history_find(h, &l->trace, l->trace.roots[0]);
	if (operation != OPERATION_NONE)
		usual_ns = h->typical.items[operation].span_p50_ns;
	return usual_ns >= 0 && usual_ns < l->slo->bound_ns ? usual_ns : -1;
}

/* By how much the span to blame grew; of an operation that is always bad, its
 * part of the critical path. */
static void request_take_excess(const struct looking *l,
				struct spent_request *out)
{
	int64_t usual = usual_ns(l);
	int64_t change_ns = l->finding.suspect.pick.change_ns;
	int64_t whole_ns = out->duration_ns - usual;

	if (usual < 0 || change_ns < 0) {
		change_ns = l->result.span.critical_ns;
		whole_ns = out->duration_ns;
	}
	out->excess_ns = max_i64(
		0, out->duration_ns - (usual < 0 ? l->slo->bound_ns : usual));
	if (whole_ns > 0)
		out->explained = fmin(1, (double)max_i64(0, change_ns) /
						 (double)whole_ns);
}

static bool request_take_slow(struct looking *l, struct spent_request *out,
			      struct error *err)
{
	struct arena *arena = l->slo->backends->arena;
	const struct result *r = &l->result;
	const struct function_row *row = result_verdict(r);

	/* The first row, where it is what grew. */
	if (!r->has_profile || !result_verdict_count(r) ||
	    (r->has_baseline && !change_is_up(row->change)))
		row = NULL;
	out->cause = r->cause.kind;
	request_take_excess(l, out);
	if (row)
		out->line = row->line;
	return name_keep(arena, r->span.service, &out->service, err) &&
	       name_keep(arena, r->span.name, &out->operation, err) &&
	       (!row || (name_keep(arena, row->name, &out->function, err) &&
			 name_keep(arena, row->file, &out->file, err)));
}

static bool request_look_slow(struct looking *l, struct spent_request *out,
			      struct error *err)
{
	struct error missing = { 0 };

	if (!slow_investigate(&l->v, &l->finding, &missing)) {
		if (error_ends_run(&missing)) {
			*err = missing;
			return false;
		}
		slow_without_profiles(&l->v, &l->finding);
	}
	return request_take_slow(l, out, err);
}

static bool request_look(struct looking *l, const struct question *question,
			 bool is_failed, struct spent_request *out,
			 struct error *err)
{
	struct backends *b = l->slo->backends;
	struct notes *notes = b->notes;
	const struct result *r = &l->result;
	uint32_t span = l->trace.roots[0];
	bool done;

	l->v = (struct investigation){ .question = question,
				       .backends = b,
				       .trace = &l->trace,
				       .result = &l->result };
	memset(&l->result, 0, sizeof l->result);
	arena_init(&l->result.arena, LIMIT_RESULT_BYTES);
	notes_init(&l->result.notes);
	notes_init(&l->result.reasons);
	notes_init(&l->notes);
	finding_init(&l->finding, &l->v);
	b->notes = &l->notes;
	out->duration_ns = l->trace.end_ns - l->trace.start_ns;
	done = suspect_find(&l->v, &l->finding.suspect, err);
	if (done && is_failed) {
		/* Where the failure began, as far as the trace tells. */
		for (size_t i = r->finding_count; i--;)
			if (r->findings[i].facts.kind == FINDING_ERROR &&
			    r->findings[i].facts.is_fatal)
				span = r->findings[i].facts.span;
		out->is_failed = true;
		out->explained = 1;
		done = name_keep(b->arena, span_service(&l->trace, span),
				 &out->service, err) &&
		       name_keep(b->arena, span_name(&l->trace, span),
				 &out->operation, err);
	} else if (done) {
		done = request_look_slow(l, out, err);
	}
	b->notes = notes;
	finding_release(&l->finding);
	arena_release(&l->result.arena);
	return done;
}

/* ---- its trace ---- */

/* Reads the trace, takes the part of it that is the request, and finds what
 * made it bad. Texts live in the backends' arena. False: it cannot be read;
 * ERROR_NOT_FOUND without words when it is not there, or shows no bad
 * request. */
static bool slo_request_look(const struct slo *s,
			     const struct question *question,
			     const struct trace_id *id, struct time_range range,
			     struct spent_request *out, struct error *err)
{
	const struct time_range window = { sat_sub_i64(range.from_ns, PAD_NS),
					   sat_add_i64(range.to_ns, PAD_NS) };
	struct looking l = { .slo = s };
	enum trace_found found;
	struct trace whole;
	bool is_failed, done;
	uint32_t span = SPAN_NONE;

	backends_begin(s->backends);
	*out = (struct spent_request){ .cause = CAUSE_UNKNOWN };
	trace_id_format(id, out->trace_id);
	trace_init(&whole);
	whole.wants_attrs = true;
	done = trace_fetch(s->backends, id, &window, &whole, &found, err);
	if (done && found && whole.span_count)
		span = slo_request_span(s, &whole, &is_failed);
	if (done && span == SPAN_NONE)
		done = error_set(err, ERROR_NOT_FOUND, "%s", "");
	if (done) {
		done = trace_part(&whole, span, &l.trace, err) &&
		       request_look(&l, question, is_failed, out, err);
		trace_release(&l.trace);
	}
	trace_release(&whole);
	return done;
}

/* The consumers of an error budget: a sample of the bad requests, each
 * investigated as a slow one is. Where metrics count the bad ones over time,
 * the sample follows them; else what searches find. Knows no options and has no
 * words. */

/* Steps of the count of bad requests: an incident of half an hour is not lost
 * in a month. */
#define STEPS 2000

/* Parts of the range that are searched without such a count. */
#define PARTS 20u

/* Bad requests of one kind in one step. */
struct cell {
	bool is_failed;
	double weight; /* how many there are */
	size_t taken;  /* of them into the sample */
	bool is_asked;
	struct find_query query;
	struct hits hits;
	struct buf page;
	struct hits_job job;
};

struct sampling {
	struct slo_spent *s;
	struct backends *b;
	struct cell *cells; /* by kind, then by time */
	size_t count;
};

/* ---- cells ---- */

static struct cell *cell_add(struct sampling *m, struct time_range range,
			     bool is_failed, double weight)
{
	const struct trace_traits *traits = backends_trace_traits(m->b);
	const struct slo *slo = m->s->slo;
	struct cell *c = &m->cells[m->count++];

	c->is_failed = is_failed;
	c->weight = weight;
	c->query = (struct find_query){
		.service = str_from(slo->service),
		.name = str_from(slo->operation),
		.is_error = is_failed,
		.min_duration_ns = is_failed ? 0 : slo->bound_ns,
		.range = range,
		.trace_limit = traits->page_of_spans ? traits->page_of_spans
						     : traits->search_least,
	};
	hits_init(&c->hits);
	buf_init(&c->page, LIMIT_URL_BYTES);
	return c;
}

static bool cells_reserve(struct sampling *m, size_t count, struct error *err)
{
	m->cells = arena_array(m->b->arena, count + 1, sizeof *m->cells);
	return m->cells || arena_fail(m->b->arena, "bad requests", err);
}

/* ---- by metrics ---- */

enum { ASK_ALL, ASK_GOOD, ASK_FAILED, ASKED };

static int64_t step_of(struct time_range range)
{
	int64_t step_ns = (range.to_ns - range.from_ns) / STEPS;

	step_ns -= step_ns % NS_PER_S;
	return step_ns < NS_PER_MIN ? NS_PER_MIN : step_ns;
}

static bool count_job_begin(const struct sampling *m, struct metric_job *job,
			    enum metric_part part, struct error *err)
{
	struct time_range range = m->s->range;
	int64_t step_ns = step_of(range);
	struct metric_query query = {
		.ask = METRIC_ASK_RANGE,
		.range = { sat_add_i64(range.from_ns, step_ns), range.to_ns },
		.step_ns = step_ns,
	};
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_part_expression(&text, &m->s->slo->indicator, part, "increase",
			       step_ns);
	if (text.state == BUF_OK)
		query.expression = arena_str(m->b->arena, buf_str(&text));
	buf_release(&text);
	metric_job_init(job, &query);
	return query.expression.ptr ||
	       arena_fail(m->b->arena, "a question", err);
}

/* At each step; where it says nothing there was nothing. */
static void take_points(const struct metric_job *job, struct time_range range,
			int64_t step_ns, double *counts)
{
	const struct metric_answer *a = &job->answer;

	for (size_t i = 0; a->series_count && i < a->series[0].point_count;
	     i++) {
		const struct metric_point *p = &a->series[0].points[i];
		int64_t at = (p->time_ns - range.from_ns) / step_ns - 1;

		if (at >= 0 && at <= STEPS)
			counts[at] = p->value;
	}
}

static bool cells_count(struct sampling *m, const struct metric_job *jobs,
			struct error *err)
{
	struct time_range range = m->s->range;
	int64_t step_ns = step_of(range);
	double(*counts)[STEPS + 1] =
		arena_array(m->b->arena, ASKED, sizeof *counts);

	if (!counts)
		return arena_fail(m->b->arena, "bad requests", err);
	for (size_t i = 0; i < ASKED; i++)
		take_points(&jobs[i], range, step_ns, counts[i]);
	if (!cells_reserve(m, 2 * (STEPS + 1), err))
		return false;
	for (int kind = 0; kind < 2; kind++)
		for (size_t i = 0; i <= STEPS; i++) {
			double bad = counts[ASK_ALL][i] - counts[ASK_GOOD][i];
			double failed = fmin(bad, counts[ASK_FAILED][i]);
			double weight = kind ? failed : bad - failed;
			int64_t from_ns = range.from_ns + (int64_t)i * step_ns;

			if (weight > 0)
				cell_add(m,
					 (struct time_range){
						 from_ns, from_ns + step_ns },
					 kind == 1, weight);
		}
	return true;
}

static bool count_metrics(struct sampling *m, struct error *err)
{
	static const enum metric_part parts[ASKED] = { METRIC_PART_ALL,
						       METRIC_PART_GOOD,
						       METRIC_PART_FAILED };
	struct metric_job jobs[ASKED];
	struct job *list[ASKED];
	size_t asked = m->s->slo->indicator.tells_errors ? ASKED : ASK_FAILED;

	memset(jobs, 0, sizeof jobs);
	for (size_t i = 0; i < asked; i++) {
		if (!count_job_begin(m, &jobs[i], parts[i], err))
			return false;
		list[i] = &jobs[i].job;
	}
	if (!jobs_run(m->b, list, asked, err))
		return false;
	for (size_t i = 0; i < asked; i++)
		if (!jobs[i].job.has_answer) {
			*err = jobs[i].job.err;
			return false;
		}
	return cells_count(m, jobs, err);
}

/* ---- searches ---- */

/* Those that are wanted and were not asked for. */
static bool cells_search(struct sampling *m, struct error *err)
{
	struct job **jobs =
		arena_array(m->b->arena, m->count + 1, sizeof *jobs);
	size_t n = 0;

	if (!jobs)
		return arena_fail(m->b->arena, "searches", err);
	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];

		if (!c->taken || c->is_asked)
			continue;
		c->is_asked = true;
		hits_job_init(&c->job, &c->query, 0, &c->hits, &c->page);
		jobs[n++] = &c->job.job;
	}
	if (n && !jobs_run(m->b, jobs, n, err))
		return false;
	for (size_t i = 0; i < m->count; i++) {
		const struct job *job = &m->cells[i].job.job;

		if (!m->cells[i].is_asked || job->has_answer)
			continue;
		if (error_ends_run(&job->err)) {
			*err = job->err;
			return false;
		}
		if (m->s->reason.code == ERROR_NONE)
			m->s->reason = job->err;
	}
	return true;
}

static bool search_parts(struct sampling *m, struct error *err)
{
	struct time_range range = m->s->range;
	int64_t part_ns = (range.to_ns - range.from_ns) / PARTS;

	if (!cells_reserve(m, (size_t)2 * PARTS, err))
		return false;
	for (int kind = m->s->slo->threshold_ns ? 0 : 1; kind < 2; kind++)
		for (size_t i = 0; i < PARTS; i++) {
			int64_t from_ns = range.from_ns + (int64_t)i * part_ns;

			cell_add(m,
				 (struct time_range){ from_ns,
						      from_ns + part_ns },
				 kind == 1, 0)
				->taken = 1;
		}
	if (!cells_search(m, err))
		return false;
	for (size_t i = 0; i < m->count; i++)
		m->cells[i].weight = (double)m->cells[i].hits.count;
	return true;
}

/* ---- the sample ---- */

static double cells_weight(const struct sampling *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->count; i++)
		sum += m->cells[i].weight;
	return sum;
}

/* Every so many bad requests one is taken. */
static void cells_take(struct sampling *m)
{
	double each = cells_weight(m) / (double)m->s->wanted;
	double next = each / 2, sum = 0;

	for (size_t i = 0; i < m->count; i++) {
		m->cells[i].taken = 0;
		sum += m->cells[i].weight;
		for (; next < sum && each > 0; next += each)
			m->cells[i].taken++;
	}
}

/* Traces may not be kept as long as metrics are: what lies before the first
 * that is found is left out. */
static bool drop_forgotten(struct sampling *m)
{
	int64_t first_ns = INT64_MAX;
	double all = cells_weight(m);
	bool has_dropped = false;

	for (size_t i = 0; i < m->count; i++)
		if (m->cells[i].hits.count)
			first_ns = min_i64(first_ns,
					   m->cells[i].query.range.from_ns);
	if (first_ns == INT64_MAX)
		return false;
	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];

		if (c->query.range.from_ns >= first_ns)
			continue;
		has_dropped |= c->taken > 0;
		c->weight = 0;
	}
	m->s->from.from_ns = has_dropped ? first_ns : m->s->range.from_ns;
	m->s->kept = all > 0 ? cells_weight(m) / all : 1;
	return has_dropped;
}

/* Ids are random: the first ones by id are a sample. */
static int hit_compare_ids(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return memcmp(x->id.bytes, y->id.bytes, sizeof x->id.bytes);
}

/* The index of the hits is of no use from here on. */
static size_t cells_choose(struct sampling *m, struct trace_id *ids,
			   struct time_range *ranges)
{
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];
		size_t left = c->taken;

		if (c->hits.count)
			qsort(c->hits.items, c->hits.count,
			      sizeof *c->hits.items, hit_compare_ids);
		for (size_t k = 0; left && k < c->hits.count; k++) {
			const struct hit *hit = &c->hits.items[k];
			size_t known = 0;

			while (known < count &&
			       !trace_id_equal(&ids[known], &hit->id))
				known++;
			if (known < count || hit_is_health_check(hit))
				continue;
			ranges[count] = c->query.range;
			ids[count++] = hit->id;
			left--;
		}
		m->s->missing_count += left;
	}
	return count;
}

/* ---- all of it ---- */

static bool look_at(struct slo_spent *s, const struct trace_id *ids,
		    const struct time_range *ranges, size_t n,
		    struct error *err)
{
	struct backends *b = s->slo->backends;
	size_t count = 0;

	s->requests = arena_array(b->arena, n + 1, sizeof *s->requests);
	if (!s->requests)
		return arena_fail(b->arena, "bad requests", err);
	for (size_t i = 0; i < n; i++) {
		struct error why = { 0 };

		if (i && s->end_ns && clock_monotonic_ns() >= s->end_ns) {
			s->late_count = n - i;
			break;
		}
		if (slo_request_look(s->slo, s->question, &ids[i], ranges[i],
				     &s->requests[count], &why)) {
			count++;
			continue;
		}
		if (error_ends_run(&why)) {
			*err = why;
			return false;
		}
		if (why.code == ERROR_NOT_FOUND && !why.message[0]) {
			s->missing_count++;
			continue;
		}
		gaps_count(&b->gaps, &why);
		if (!s->unread_count++)
			s->reason = why;
	}
	return spent_sum(s->requests, count, b->arena, &s->spent, err);
}

static bool spent_sample(struct sampling *m, struct error *err)
{
	bool has_counts = m->s->slo->indicator.source.name != NULL;
	struct trace_id ids[LIMIT_SLO_SAMPLE];
	struct time_range ranges[LIMIT_SLO_SAMPLE];

	if (!(has_counts ? count_metrics(m, err) : search_parts(m, err)))
		return false;
	m->s->bad = cells_weight(m);
	cells_take(m);
	if (!cells_search(m, err))
		return false;
	if (has_counts && drop_forgotten(m)) {
		cells_take(m);
		if (!cells_search(m, err))
			return false;
	}
	return look_at(m->s, ids, ranges, cells_choose(m, ids, ranges), err);
}

bool slo_spent_find(struct slo_spent *s, struct error *err)
{
	struct sampling m = { .s = s, .b = s->slo->backends };
	struct error why = { 0 };
	bool done;

	s->kept = 1;
	s->from = s->range;
	done = backends_probe_traces(m.b, &why) && spent_sample(&m, &why);
	for (size_t i = 0; i < m.count; i++) {
		hits_release(&m.cells[i].hits);
		buf_release(&m.cells[i].page);
	}
	if (done)
		return true;
	if (error_ends_run(&why)) {
		*err = why;
		return false;
	}
	s->reason = why;
	return true;
}

/* Requests counted by their traces: all of them where the server counts or one
 * answer holds them, else a sample. */

/* Servers refuse longer ones: Tempo takes a week unless told otherwise. */
#define PART_NS (6 * NS_PER_DAY)

struct tally {
	double count;
	double bad; /* slow, or with a span that failed */
	double failed;
	bool is_sample; /* so many were seen, and there are more */
};

/* How many there are; of a sample, *seen, what bad requests it holds. */
static bool count_query(const struct slo *s, const struct find_query *query,
			struct tally *seen, struct tally *out,
			struct error *err)
{
	struct backends *b = s->backends;
	struct duration_buckets buckets = { .total = 0 };
	unsigned attempt = 0;
	struct hits hits;
	struct buf page;
	bool done;

	*seen = (struct tally){ .is_sample = true };
	hits_init(&hits);
	buf_init(&page, LIMIT_URL_BYTES);
	done = hits_fetch(b, query, &attempt, &hits, &page, err);
	for (size_t i = 0; done && i < hits.count; i++) {
		const struct hit *hit = &hits.items[i];

		if (hit_is_health_check(hit))
			continue;
		seen->count++;
		seen->bad +=
			hit->error_count ||
			(s->threshold_ns && hit->duration_ns > s->threshold_ns);
	}
	*out = (struct tally){ .count = seen->count };
	out->is_sample = page.len || hits.answer_count >= query->trace_limit;
	if (done && out->is_sample &&
	    traces_counted(backends_traces(b), query) != FIND_COUNTS_NONE)
		done = trace_durations_ask(b, query, (int64_t)seen->count,
					   &buckets, err);
	if (buckets.total)
		*out = (struct tally){ .count = (double)buckets.total };
	buf_release(&page);
	hits_release(&hits);
	return done;
}

/* Slow, failed, and both, which are counted once. */
static bool count_bad(const struct slo *s, struct find_query query,
		      struct tally *all, struct error *err)
{
	struct tally slow = { 0 }, failed, both = { 0 }, seen;

	query.min_duration_ns = s->threshold_ns;
	if (s->threshold_ns && !count_query(s, &query, &seen, &slow, err))
		return false;
	query.min_duration_ns = 0;
	query.is_error = true;
	if (!count_query(s, &query, &seen, &failed, err))
		return false;
	query.min_duration_ns = s->threshold_ns;
	if (slow.count > 0 && failed.count > 0 &&
	    !count_query(s, &query, &seen, &both, err))
		return false;
	all->is_sample = slow.is_sample || failed.is_sample || both.is_sample;
	all->failed = failed.count;
	all->bad = slow.count + failed.count - both.count;
	return true;
}

/* Counts a range; what cannot be counted as a whole is judged by a sample of
 * it. */
static bool count_range(const struct slo *s, struct time_range range,
			struct tally *out, struct error *err)
{
	const struct trace_traits *traits = backends_trace_traits(s->backends);
	const struct find_query query = {
		.service = str_from(s->service),
		.name = str_from(s->operation),
		.range = range,
		.trace_limit = traits->page_of_spans ? traits->page_of_spans
						     : traits->search_most,
		.uncounted_names = health_check_pattern(),
	};
	struct tally sample;

	if (!count_query(s, &query, &sample, out, err))
		return false;
	if (!out->is_sample && out->count > 0 && !count_bad(s, query, out, err))
		return false;
	if (out->is_sample)
		*out = sample;
	return true;
}

/* ---- windows ---- */

/* Requests of one window and those within it. Samples say nothing of how many
 * there are: each weighs by the time that it is of. */
struct sum {
	double total, bad, failed;
	double seconds, bad_seconds;
	bool is_sample;
};

/* Adds the window that lies before those that are summed up already. */
static bool add_window(const struct slo *s, int64_t before_ns,
		       int64_t length_ns, struct sum *sum, struct error *err)
{
	while (before_ns < length_ns) {
		int64_t next_ns = min_i64(length_ns, before_ns + PART_NS);
		const struct time_range part = { s->to_ns - next_ns,
						 s->to_ns - before_ns };
		double seconds = time_range_seconds(part);
		struct tally t;

		if (!count_range(s, part, &t, err))
			return false;
		before_ns = next_ns;
		if (t.count == 0)
			continue;
		sum->total += t.count;
		sum->bad += t.bad;
		sum->failed += t.failed;
		sum->seconds += seconds;
		sum->bad_seconds += seconds * t.bad / t.count;
		sum->is_sample |= t.is_sample;
	}
	return true;
}

bool slo_ask_traces(struct slo *s, struct error *err)
{
	struct sum sum = { 0 };
	int64_t before_ns = 0;

	if (!backends_probe_traces(s->backends, err))
		return false;
	for (size_t i = 0; i < s->window_count; i++) {
		struct slo_window *w = &s->windows[i];

		if (!add_window(s, before_ns, w->length_ns, &sum, err))
			return false;
		before_ns = w->length_ns;
		w->is_known = true;
		w->is_sample = sum.is_sample;
		w->count.total = sum.total;
		w->count.bad = sum.is_sample ? sum.total * sum.bad_seconds /
						       sum.seconds
					     : sum.bad;
	}
	s->failed = sum.is_sample ? -1 : sum.failed;
	return true;
}
