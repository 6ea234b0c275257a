/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/metrics.h"
#include "base/num.h"
#include "base/str.h"
#include "investigate/investigation.h"
#include "investigate/trace_search.h"
#include "model/history.h"

/* ---- the condition ---- */

void alert_judge(struct alert_service *s, const double *values, size_t count,
		 size_t step_count, double threshold_s)
{
	s->sample_count = count;
	for (size_t i = 0; i < count; i++) {
		s->above_count += values[i] > threshold_s;
		s->highest_s = fmax(s->highest_s, values[i]);
		s->last_s = values[i];
	}
	s->state = s->above_count >= step_count ? ALERT_FIRES
		   : count                      ? ALERT_QUIET
						: ALERT_SILENT;
}

static int service_compare(const void *a, const void *b)
{
	const struct alert_service *x = a, *y = b;
	int order = compare_u64(y->state, x->state);

	if (!order)
		order = compare_f64(y->last_s, x->last_s);
	return order ? order : str_compare(x->name, y->name);
}

size_t alert_firing(const struct alert *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->count; i++)
		count += a->list[i].state == ALERT_FIRES;
	return count;
}

bool alert_lacks(const struct alert *a)
{
	bool lacks = false;

	for (size_t i = 0; i < a->count && a->service_count; i++)
		lacks |= a->list[i].state == ALERT_SILENT;
	return lacks;
}

/* Maximum number of services; nobody reads more rows. */
#define ALERT_SERVICES 300u

/* ---- by metrics ---- */

/* The rates of metrics, as in rules: instances may be measured a minute apart.
 */
#define ALERT_RATE "5m"

static bool question_init(const struct alert *a, struct metric_job *job,
			  struct error *err)
{
	const struct metric_want want = {
		.meaning = METRIC_LATENCY,
		.service = a->service_count == 1 ? a->services[0] : NULL,
		.services = a->service_count > 1 ? a->pattern : NULL,
		.quantile = a->quantile,
		.rate = ALERT_RATE,
		.is_by_service = true,
	};
	struct metric_query query = { .ask = METRIC_ASK_RANGE,
				      .range = a->window,
				      .step_ns = ALERT_STEP_NS };
	struct arena *arena = a->backends->arena;
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_expression(&text, a->source, &want);
	query.expression = arena_str(arena, buf_str(&text));
	if (text.state != BUF_OK)
		query.expression.ptr = NULL;
	buf_release(&text);
	metric_job_init(job, &query);
	return query.expression.ptr || arena_fail(arena, "a question", err);
}

/* A service with several series, such as namespaces of the same name, is as
 * slow as the slowest of them. */
static bool take_series(struct alert *a, const struct metric_series *series,
			struct error *err)
{
	const char *label = metric_series_label(a->source);
	struct arena *arena = a->backends->arena;
	struct alert_service one = { .state = ALERT_SILENT };
	double *values =
		arena_array(arena, series->point_count + 1, sizeof *values);
	size_t at = 0;

	if (!values)
		return arena_fail(arena, "the values", err);
	for (size_t i = 0; i < series->point_count; i++)
		values[i] = series->points[i].value * a->source->name->unit;
	one.name = metric_label_find(series, str_from(label));
	while (at < a->count && !str_equal(a->list[at].name, one.name))
		at++;
	if (at == a->count) {
		if (a->service_count || a->count == ALERT_SERVICES)
			return true;
		a->list[a->count++].name = one.name;
	}
	alert_judge(&one, values, series->point_count, a->step_count,
		    a->threshold_s);
	if (service_compare(&one, &a->list[at]) < 0)
		a->list[at] = one;
	return true;
}

/* A value at each edge of the minutes, as a rule is evaluated. */
static bool ask_metrics(struct alert *a, struct error *err)
{
	struct metric_job job;
	struct job *list[] = { &job.job };

	a->step_count = (size_t)((a->window.to_ns - a->window.from_ns) /
				 ALERT_STEP_NS) +
			1;
	if (!question_init(a, &job, err) ||
	    !jobs_run(a->backends, list, 1, err))
		return false;
	if (!job.job.has_answer) {
		*err = job.job.err;
		return false;
	}
	for (size_t i = 0; i < job.answer.series_count; i++)
		if (!take_series(a, &job.answer.series[i], err))
			return false;
	return true;
}

/* ---- by traces ---- */

static void search_init(struct trace_search *s, struct str service,
			struct time_range range)
{
	trace_search_init(s);
	s->query.service = service;
	s->query.range = range;
	s->query.uncounted_names = health_check_pattern();
}

static bool run_search(struct alert *a, struct trace_search *s,
		       struct error *err)
{
	if (trace_search_run(s, a->backends, err))
		return true;
	/* Without requests there is no message, like for other missing data. */
	if (err->code != ERROR_NOT_FOUND || err->message[0])
		return false;
	error_clear(err);
	return true;
}

static unsigned alert_permille(const struct alert *a)
{
	return (unsigned)lround(a->quantile * 1000);
}

static struct time_range step_range(const struct alert *a, size_t i)
{
	int64_t from_ns = a->window.from_ns + (int64_t)i * ALERT_STEP_NS;

	return (struct time_range){ from_ns, from_ns + ALERT_STEP_NS };
}

/* One answer is too small: each minute is queried separately, and counted where
 * the server can. */
static bool ask_step(struct alert *a, struct alert_service *service, size_t i,
		     double *values, size_t *count, struct error *err)
{
	struct trace_search s;
	bool done;

	search_init(&s, service->name, step_range(a, i));
	s.round_limit = 1;
	done = run_search(a, &s, err);
	if (done && (s.buckets.total > 0 || s.duration_count > 0))
		values[(*count)++] =
			(double)trace_search_quantile(&s, alert_permille(a)) /
			NS_PER_S;
	service->is_sample |= s.is_first_sample && !s.buckets.total;
	trace_search_release(&s);
	return done;
}

/* The quantile of those that began within the step; false: none did. */
static bool step_quantile(const struct alert *a, const struct trace_search *s,
			  size_t i, int64_t *durations_ns, double *value)
{
	struct time_range range = step_range(a, i);
	size_t n = 0;

	for (size_t k = 0; k < s->fitting_count; k++)
		if (time_range_has(range, s->items[k].start_ns))
			durations_ns[n++] = s->items[k].duration_ns;
	durations_sort(durations_ns, n);
	if (n)
		*value = (double)durations_quantile(durations_ns, n,
						    alert_permille(a)) /
			 NS_PER_S;
	return n > 0;
}

static bool ask_service(struct alert *a, struct alert_service *service,
			double *values, struct error *err)
{
	struct arena *arena = a->backends->arena;
	struct trace_search s;
	int64_t *durations_ns = NULL;
	size_t count = 0;
	bool done;

	search_init(&s, service->name, a->window);
	s.round_limit = 1;
	done = run_search(a, &s, err);
	if (done && !s.is_first_sample) {
		durations_ns = arena_array(arena, s.fitting_count + 1,
					   sizeof *durations_ns);
		done = durations_ns || arena_fail(arena, "durations", err);
	}
	for (size_t i = 0; done && i < a->step_count; i++)
		if (s.is_first_sample)
			done = ask_step(a, service, i, values, &count, err);
		else
			count += step_quantile(a, &s, i, durations_ns,
					       &values[count]);
	if (done)
		alert_judge(service, values, count, a->step_count,
			    a->threshold_s);
	trace_search_release(&s);
	return done;
}

static bool ask_traces(struct alert *a, struct error *err)
{
	struct arena *arena = a->backends->arena;
	double *values;

	a->step_count =
		(size_t)((a->window.to_ns - a->window.from_ns) / ALERT_STEP_NS);
	values = arena_array(arena, a->step_count + 1, sizeof *values);
	if (!values)
		return arena_fail(arena, "the values", err);
	for (size_t i = 0; i < a->count; i++)
		if (!ask_service(a, &a->list[i], values, err))
			return false;
	return true;
}

/* ---- the slowest ---- */

static bool search_slowest(struct alert *a, struct error *err)
{
	struct arena *arena = a->backends->arena;
	struct alert_trace *t = &a->slowest;
	const struct hit *hit;
	struct trace_search s;
	bool done;

	search_init(&s, t->service, a->window);
	s.wanted = 1;
	s.query.min_duration_ns = sat_from_f64(a->threshold_s * NS_PER_S);
	s.query.is_error = a->is_of_failed;
	done = trace_search_run(&s, a->backends, err);
	if (done) {
		hit = &s.items[0];
		trace_id_format(&hit->id, t->id);
		t->duration_ns = hit->duration_ns;
		t->name = arena_str(arena, hit->name.len ? hit->name
							 : hit->root_name);
		done = t->name.ptr || arena_fail(arena, "a name", err);
	}
	trace_search_release(&s);
	return done;
}

static void keep_exemplar(struct alert *a, const struct metric_answer *answer)
{
	double unit = a->source->name->unit;
	struct alert_trace *t = &a->slowest;
	double longest = 0;

	for (size_t i = 0; i < answer->exemplar_count; i++) {
		const struct exemplar *e = &answer->exemplars[i];
		struct str id = e->trace_id;
		size_t hex = 0;

		/* It is foreign, and is to be pasted. */
		while (hex < id.len && ascii_is_hex(id.ptr[hex]))
			hex++;
		if (e->value <= longest || hex < id.len ||
		    (id.len != 16 && id.len != 32))
			continue;
		longest = e->value;
		memcpy(t->id, id.ptr, id.len);
		t->id[id.len] = '\0';
		t->duration_ns = sat_round_f64(e->value * unit * NS_PER_S);
		t->is_exemplar = true;
	}
}

/* Without one the reason is that of the search. */
static bool ask_exemplar(struct alert *a, struct error *err)
{
	struct metric_query query = { .ask = METRIC_ASK_EXEMPLARS,
				      .range = a->window };
	struct arena *arena = a->backends->arena;
	struct str service = arena_str(arena, a->slowest.service);
	struct metric_job job;
	struct job *list[] = { &job.job };
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	if (service.ptr)
		metric_exemplars(&text, a->source, service.ptr, NULL);
	query.expression = arena_str(arena, buf_str(&text));
	buf_release(&text);
	if (!service.ptr || !query.expression.ptr)
		return arena_fail(arena, "a question", err);
	metric_job_init(&job, &query);
	job.is_extra = true;
	if (!jobs_run(a->backends, list, 1, err))
		return false;
	if (job.job.has_answer)
		keep_exemplar(a, &job.answer);
	return true;
}

bool alert_find_slowest(struct alert *a, struct str service, struct error *err)
{
	struct alert_trace *t = &a->slowest;

	t->service = service;
	if (search_slowest(a, &t->reason))
		return true;
	if (error_ends_run(&t->reason)) {
		*err = t->reason;
		return false;
	}
	return !a->source || a->is_of_failed || ask_exemplar(a, err);
}

bool alert_evaluate(struct alert *a, struct error *err)
{
	bool has_any = false;

	a->list = arena_array(a->backends->arena, ALERT_SERVICES,
			      sizeof *a->list);
	if (!a->list)
		return arena_fail(a->backends->arena, "the services", err);
	a->count = a->service_count;
	for (size_t i = 0; i < a->count; i++)
		a->list[i].name = str_from(a->services[i]);
	if (!(a->source ? ask_metrics(a, err) : ask_traces(a, err)))
		return false;
	qsort(a->list, a->count, sizeof *a->list, service_compare);
	for (size_t i = 0; i < a->count; i++)
		has_any |= a->list[i].state != ALERT_SILENT;
	if (!has_any)
		return error_set(err, ERROR_NOT_FOUND, "%s", "");
	return a->list[0].state != ALERT_FIRES ||
	       alert_find_slowest(a, a->list[0].name, err);
}
