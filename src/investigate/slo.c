/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slo.h"

#include <math.h>

#include "backend/fetch_metrics.h"
#include "base/num.h"

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

static bool lacks(struct slo *s, enum slo_lack lack)
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
		return lacks(s, m->sources[METRIC_REQUESTS].name
					? SLO_LACKS_LATENCY
					: SLO_LACKS_METRIC);
	if (s->operation && !source->name->operation_label)
		return lacks(s, SLO_LACKS_OPERATION);
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
static bool add(struct questions *q, struct buf *text, struct error *err)
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

static bool run(struct questions *q, struct error *err)
{
	struct job *jobs[QUESTIONS];

	for (size_t i = 0; i < q->count; i++)
		jobs[i] = &q->jobs[i].job;
	return jobs_run(q->slo->backends, jobs, q->count, err);
}

/* Without a series nothing was counted. */
static double value(const struct questions *q, size_t i)
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

/* Of both ends the one that is nearer, by their ratio; the other one tells how
 * much hangs on that. */
static bool choose_bucket(struct slo *s, const struct metric_answer *a,
			  struct metric_indicator *other, bool *is_told,
			  struct error *err)
{
	double below, above, bound, rest = 0;

	find_ends(s, a, &below, &above);
	if (above == 0) {
		*is_told = lacks(s, SLO_LACKS_BUCKETS);
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
		if (!add(q, &text, err))
			return false;
	}
	if (s->indicator.source.name->error_label) {
		buf_init(&text, LIMIT_URL_BYTES);
		metric_errors_expression(&text, &s->indicator, EDGES_NS);
		if (!add(q, &text, err))
			return false;
	}
	if (q->count && !run(q, err))
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
	return add(q, &text, err);
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
		double total = value(q, 2 * i);

		w->is_known = q->jobs[2 * i].job.has_answer &&
			      q->jobs[2 * i + 1].job.has_answer;
		if (w->is_known)
			w->count = (struct burn_count){
				total, fmax(0, total - value(q, 2 * i + 1))
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
			s->failed = value(q, next);
		next++;
	}
	if (s->other_ns && q->jobs[next].job.has_answer)
		s->other_bad = fmax(0, all->total - value(q, next));
	return true;
}

static bool count(struct slo *s, const struct metric_indicator *other,
		  struct error *err)
{
	struct questions q = { .slo = s };

	return add_counts(&q, s, other, err) && run(&q, err) &&
	       take_counts(s, &q, err);
}

static bool ask(struct slo *s, bool *is_told, struct error *err)
{
	const struct time_range window = { s->to_ns - s->window_ns, s->to_ns };
	struct metric_indicator other = { .service = NULL };
	struct service_metrics m;

	if (!service_metrics_find(&m, s->backends, s->service, window, err))
		return false;
	*is_told = choose_metric(s, &m);
	return !*is_told || (look_at_series(s, &other, is_told, err) &&
			     (!*is_told || count(s, &other, err)));
}

bool slo_is_final(const struct error *err)
{
	return err->code == ERROR_MEMORY || err->code == ERROR_STOPPED ||
	       err->code == ERROR_INTERRUPTED;
}

bool slo_ask_metrics(struct slo *s, bool *is_told, struct error *err)
{
	*is_told = false;
	if (!ask(s, is_told, &s->why)) {
		*is_told = lacks(s, SLO_LACKS_SERVER);
		if (slo_is_final(&s->why)) {
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

static bool burns(const struct slo *s, const struct slo_window *w,
		  const struct burn_pair *pair)
{
	return !w->is_known || burn_rate(w->count, s->objective) > pair->rate;
}

bool slo_pair_is_open(const struct slo *s, const struct burn_pair *pair)
{
	const struct slo_window *l = slo_window(s, pair->long_ns);
	const struct slo_window *k = slo_window(s, pair->short_ns);

	return !(l->is_known && k->is_known) && burns(s, l, pair) &&
	       burns(s, k, pair) && burn_pair_can_fire(pair, s->objective);
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
