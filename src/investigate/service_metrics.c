/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/service_metrics.h"

#include "backend/metrics.h"
#include "base/num.h"

/* A metric that was written within this time before the end of a window is one
 * of the window; more would only be more to read for the server. */
#define PRESENCE_NS NS_PER_HOUR

/* The label that tells which candidate an answer is of. */
#define MARK "found"

/* Names, twice for histograms, by labels. */
#define CANDIDATES_MAX 160

struct candidates {
	struct metric_source list[CANDIDATES_MAX];
	size_t count;
};

/* ---- which there are ---- */

static void add_labels(struct candidates *c, const struct metric_name *name,
		       bool is_native)
{
	for (size_t i = 0; i < METRIC_SERVICE_LABELS; i++)
		if (name->service_labels[i] && c->count < CANDIDATES_MAX)
			c->list[c->count++] = (struct metric_source){
				name, is_native, name->service_labels[i]
			};
}

/* In the order of the table, native histograms before classic ones: those are
 * finer. */
static void list_candidates(struct candidates *c, bool is_cloud,
			    bool of_allocation)
{
	c->count = 0;
	for (size_t i = 0; i < metric_name_count; i++) {
		const struct metric_name *name = &metric_names[i];

		if ((name->cloud_type && !is_cloud) ||
		    metric_is_of_allocation(name->meaning) != of_allocation)
			continue;
		if (name->is_histogram)
			add_labels(c, name, true);
		add_labels(c, name, false);
	}
}

/* One answer tells of all: each that is there, by its number. of_requests:
 * requests and what they took, or what the process took of its machine. */
static void add_presence(struct buf *out, const struct candidates *c,
			 bool of_requests, const struct service_metrics *m,
			 int64_t over_ns)
{
	const struct metric_want want = { .service = m->service,
					  .services = m->services };
	const char *joint = "";

	for (size_t i = 0; i < c->count; i++) {
		bool is_of_requests =
			c->list[i].name->meaning <= METRIC_LATENCY;

		if (is_of_requests != of_requests)
			continue;
		buf_addf(out, "%slabel_replace(count(last_over_time(", joint);
		metric_selector(out, &c->list[i], &want);
		buf_addf(out, "[%llds])),\"" MARK "\",\"%zu\",\"\",\"\")",
			 (long long)(over_ns / NS_PER_S), i);
		joint = " or ";
	}
}

/* The question that the text asks, which is released. */
static bool begin_job(struct metric_job *job, struct metric_query *query,
		      struct buf *text, struct arena *arena, struct error *err)
{
	if (text->state == BUF_OK)
		query->expression = arena_str(arena, buf_str(text));
	buf_release(text);
	metric_job_init(job, query);
	return query->expression.ptr || arena_fail(arena, "a question", err);
}

static bool presence_init(struct metric_job *job, const struct candidates *c,
			  bool of_requests, const struct service_metrics *m,
			  struct time_range window, struct error *err)
{
	int64_t length_ns = sat_sub_i64(window.to_ns, window.from_ns);
	struct metric_query query = { .ask = METRIC_ASK_NOW, .range = window };
	struct buf text;

	if (length_ns > PRESENCE_NS)
		length_ns = PRESENCE_NS;
	buf_init(&text, LIMIT_URL_BYTES);
	add_presence(&text, c, of_requests, m,
		     length_ns < NS_PER_MIN ? NS_PER_MIN : length_ns);
	return begin_job(job, &query, &text, m->backends->arena, err);
}

static void take_presence(struct service_metrics *m, const struct candidates *c,
			  const struct metric_answer *answer)
{
	bool is_there[CANDIDATES_MAX] = { false };

	for (size_t i = 0; i < answer->series_count; i++) {
		uint64_t number;

		if (parse_u64(metric_label_find(&answer->series[i], STR(MARK)),
			      &number) &&
		    number < c->count && answer->series[i].point_count)
			is_there[number] = true;
	}
	for (size_t i = 0; i < c->count; i++)
		if (is_there[i])
			metric_source_take(m->sources, &c->list[i]);
}

static bool metrics_find(struct service_metrics *m, struct time_range window,
			 struct error *err)
{
	struct backends *b = m->backends;
	struct metric_job jobs[2];
	struct job *list[] = { &jobs[0].job, &jobs[1].job };
	struct candidates c;

	list_candidates(&c, backends_metrics(b)->is_cloud, false);
	for (size_t i = 0; i < COUNT_OF(jobs); i++) {
		if (!presence_init(&jobs[i], &c, i == 0, m, window, err))
			return false;
		jobs[i].is_extra = m->is_extra;
	}
	if (!jobs_run(b, list, COUNT_OF(list), err))
		return false;
	for (size_t i = 0; i < COUNT_OF(jobs); i++) {
		if (!jobs[i].job.has_answer) {
			*err = jobs[i].job.err;
			m->is_unheld = m->is_extra &&
				       err->code == ERROR_NOT_FOUND &&
				       !jobs[i].job.status;
			return false;
		}
		take_presence(m, &c, &jobs[i].answer);
	}
	return true;
}

bool service_metrics_find(struct service_metrics *m, struct backends *b,
			  const char *service, struct time_range window,
			  struct error *err)
{
	*m = (struct service_metrics){ .backends = b, .service = service };
	return metrics_find(m, window, err);
}

bool service_metrics_find_several(struct service_metrics *m, struct backends *b,
				  const char *services,
				  struct time_range window, struct error *err)
{
	*m = (struct service_metrics){ .backends = b, .services = services };
	return metrics_find(m, window, err);
}

bool service_metrics_find_extra(struct service_metrics *m, struct backends *b,
				const char *service, struct time_range window,
				struct error *err)
{
	*m = (struct service_metrics){ .backends = b,
				       .service = service,
				       .services = service ? NULL : ".+",
				       .is_extra = true };
	return metrics_find(m, window, err);
}

bool service_metrics_find_allocation(struct service_metrics *m,
				     struct time_range window,
				     struct error *err)
{
	struct metric_job job;
	struct job *list[] = { &job.job };
	struct candidates c;

	list_candidates(&c, backends_metrics(m->backends)->is_cloud, true);
	if (!presence_init(&job, &c, false, m, window, err) ||
	    !jobs_run(m->backends, list, 1, err))
		return false;
	if (!job.job.has_answer) {
		*err = job.job.err;
		return false;
	}
	take_presence(m, &c, &job.answer);
	return true;
}

/* ---- one of them ---- */

static bool question_init(struct metric_job *job,
			  const struct service_metrics *m,
			  const struct service_metric *q, struct error *err)
{
	const struct metric_want want = {
		.meaning = q->meaning,
		.over = q->over,
		.service = m->service,
		.services = m->services,
		.is_by_service = m->services != NULL,
		.operation = q->operation,
		.quantile = q->quantile,
		.rate_ns = q->rate_ns   ? q->rate_ns
			   : q->step_ns ? q->step_ns
					: q->range.to_ns - q->range.from_ns,
		.peak_ns = q->is_peak ? q->step_ns : 0,
	};
	struct metric_query query = {
		.ask = q->step_ns ? METRIC_ASK_RANGE : METRIC_ASK_NOW,
		.range = { sat_add_i64(q->range.from_ns, q->step_ns),
			   q->range.to_ns },
		.step_ns = q->step_ns,
	};
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	if (!metric_expression(&text, &m->sources[q->meaning], &want)) {
		buf_release(&text);
		return error_set(err, ERROR_NOT_FOUND, "%s",
				 metric_meaning_name(q->meaning));
	}
	return begin_job(job, &query, &text, m->backends->arena, err);
}

static void take_answer(const struct service_metrics *m,
			struct service_metric *q, const struct metric_job *job)
{
	const struct metric_answer *a = &job->answer;
	double unit = m->sources[q->meaning].name->unit;

	q->has_answer = job->job.has_answer;
	q->err = job->job.err;
	if (!q->has_answer || !a->series_count)
		return;
	q->series = a->series;
	q->series_count = a->series_count;
	q->points = a->series[0].points;
	q->point_count = a->series[0].point_count;
	for (size_t i = 0; i < a->series_count; i++)
		for (size_t k = 0; k < a->series[i].point_count; k++)
			a->series[i].points[k].value *= unit;
}

bool service_metrics_ask(const struct service_metrics *m,
			 struct service_metric *list, size_t count,
			 struct error *err)
{
	struct arena *arena = m->backends->arena;
	struct metric_job *jobs = arena_array(arena, count, sizeof *jobs);
	struct job **asked = arena_array(arena, count, sizeof *asked);
	size_t n = 0;

	if (!jobs || !asked)
		return arena_fail(arena, "the questions", err);
	for (size_t i = 0; i < count; i++) {
		if (question_init(&jobs[i], m, &list[i], &list[i].err)) {
			asked[n++] = &jobs[i].job;
		} else if (list[i].err.code == ERROR_MEMORY) {
			*err = list[i].err;
			return false;
		}
	}
	if (n && !jobs_run(m->backends, asked, n, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (jobs[i].job.type)
			take_answer(m, &list[i], &jobs[i]);
	return true;
}

/* ---- what a server lists ---- */

static bool name_sources(const struct candidates *c, struct arena *arena,
			 struct str *names, struct error *err)
{
	for (size_t i = 0; i < c->count; i++) {
		struct buf text;

		buf_init(&text, LIMIT_SELECTOR_BYTES);
		metric_listed_name(&text, &c->list[i]);
		names[i] = arena_str(arena, buf_str(&text));
		buf_release(&text);
		if (!names[i].ptr)
			return arena_fail(arena, "names", err);
	}
	return true;
}

bool service_metrics_list(struct backends *b, struct time_range window,
			  struct metric_source **sources, size_t *count,
			  struct error *err)
{
	struct metric_query query = { .ask = METRIC_ASK_NAMES,
				      .range = window };
	struct str names[CANDIDATES_MAX];
	struct metric_job job;
	struct job *list[] = { &job.job };
	struct candidates c;
	size_t kept = 0;

	list_candidates(&c, backends_metrics(b)->is_cloud, false);
	/* One of each name: which label has the service does not matter. */
	for (size_t i = 0; i < c.count; i++)
		if (!kept || c.list[kept - 1].name != c.list[i].name ||
		    c.list[kept - 1].is_native != c.list[i].is_native)
			c.list[kept++] = c.list[i];
	c.count = kept;
	if (!name_sources(&c, b->arena, names, err))
		return false;
	query.names = names;
	query.name_count = c.count;
	metric_job_init(&job, &query);
	if (!jobs_run(b, list, 1, err))
		return false;
	if (!job.job.has_answer) {
		*err = job.job.err;
		return false;
	}
	*sources = arena_array(b->arena, c.count, sizeof **sources);
	if (!*sources)
		return arena_fail(b->arena, "names", err);
	*count = 0;
	for (size_t i = 0; i < c.count; i++)
		if (str_is_among(names[i], job.answer.names,
				 job.answer.name_count))
			(*sources)[(*count)++] = c.list[i];
	return true;
}
