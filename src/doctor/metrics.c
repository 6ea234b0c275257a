/* SPDX-License-Identifier: Apache-2.0
 *
 * The server of metrics, which nothing needs: it is examined where it was
 * named. Which of the known metrics there are, of all services or of one.
 */
#include "backend/fetch_metrics.h"
#include "doctor/exam.h"
#include "investigate/service_metrics.h"

enum { ASK_PROOF, ASK_VERSION, ASK_COUNT };

/* What any server of metrics can work out, and nothing else. */
#define PROOF "vector(1)"

struct metrics_exam {
	struct exam exam;
	const struct metric_backend *server;
	struct metric_query proof;
	struct http_request requests[ASK_COUNT];
	struct http_response responses[ASK_COUNT];
	size_t count;
};

static bool build_requests(struct doctor *d, struct metrics_exam *m,
			   struct error *err)
{
	const struct endpoint *e = &m->exam.side->endpoint;

	m->proof = (struct metric_query){ .expression = STR(PROOF),
					  .range.to_ns = d->backends->now_ns };
	m->count = 1;
	if (!metrics_request(d->backends, &m->proof, &m->requests[ASK_PROOF],
			     err))
		return false;
	if (!m->server->version_path)
		return true;
	m->count = 2;
	return traces_probe_request(e, m->server->version_path,
				    &m->requests[ASK_VERSION], err);
}

static bool is_proof(struct doctor *d, struct metrics_exam *m)
{
	struct metric_answer answer;
	struct error ignored;

	return m->server->answer(&m->proof, &m->exam.side->endpoint,
				 &m->responses[ASK_PROOF], &d->arena, &answer,
				 &ignored) == ANSWER_OK &&
	       answer.series_count == 1;
}

static bool ask(struct doctor *d, struct metrics_exam *m, struct error *err)
{
	struct exam *e = &m->exam;

	if (!build_requests(d, m, err) ||
	    !backends_send(d->backends, m->requests, m->responses, m->count,
			   err))
		return false;
	e->best = &m->responses[ASK_PROOF];
	if (m->count > ASK_VERSION)
		e->version = &m->responses[ASK_VERSION];
	e->is_right = is_proof(d, m);
	for (size_t i = 0; i < m->count; i++)
		exam_add_times(e, &m->responses[i]);
	return exam_judge(d, e, err);
}

/* ---- what it has ---- */

static void add_source(struct buf *out, const struct metric_source *s,
		       const char *service)
{
	buf_addf(out, "%s%s", out->len ? ", " : "", s->name->name);
	if (service)
		buf_addf(out, " by %s", s->label);
	buf_addf(out, " (%s%s)", s->name->from,
		 s->is_native ? ", native histogram" : "");
}

/* Those of a service stand by what they tell; a list has each once. */
static bool is_of(const struct doctor *d, const struct metric_source *s,
		  size_t index, enum metric_meaning meaning)
{
	if (!s->name)
		return false;
	return d->question->service ? index == (size_t)meaning
				    : s->name->meaning == meaning;
}

/* One line a meaning; those that nothing tells are left out. */
static void check_meaning(struct doctor *d, enum metric_meaning meaning,
			  const struct metric_source *sources, size_t count)
{
	struct buf text;

	buf_init(&text, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < count; i++)
		if (is_of(d, &sources[i], i, meaning))
			add_source(&text, &sources[i], d->question->service);
	if (text.len)
		check_ok(&d->checks, "metrics", metric_meaning_name(meaning),
			 "%s", buf_text(&text));
	buf_release(&text);
}

static void check_none(struct doctor *d)
{
	const char *service = d->question->service;

	if (service)
		check_warn(&d->checks, "metrics", "service",
			   "none of the known metrics is of \"%s\"", service);
	else
		check_warn(&d->checks, "metrics", "names",
			   "none of the known metrics is there");
	check_fix(&d->checks,
		  "Tempo's metrics generator, the collector's spanmetrics "
		  "connector or OpenTelemetry's HTTP metrics, sent to this "
		  "server");
}

static bool find(struct doctor *d, struct service_metrics *m,
		 struct metric_source **sources, size_t *count,
		 struct error *err)
{
	const struct doctor_question *q = d->question;
	struct time_range window = q->window;

	if (!window.to_ns)
		window = (struct time_range){ d->backends->now_ns - NS_PER_HOUR,
					      d->backends->now_ns };
	if (!q->service)
		return service_metrics_list(d->backends, window, sources, count,
					    err);
	*sources = m->sources;
	*count = METRIC_MEANINGS;
	return service_metrics_find(m, d->backends, q->service, window, err);
}

static bool check_names(struct doctor *d, struct error *err)
{
	struct service_metrics found;
	struct metric_source *sources = NULL;
	size_t count = 0, known = d->checks.count;
	struct error why = { 0 };

	if (!find(d, &found, &sources, &count, &why)) {
		*err = why;
		if (why.code == ERROR_MEMORY || why.code == ERROR_STOPPED ||
		    why.code == ERROR_INTERRUPTED)
			return false;
		error_clear(err);
		check_fail(&d->checks, why.code, "metrics", "names", "%s",
			   why.message);
		return true;
	}
	for (int i = 0; i < METRIC_MEANINGS; i++)
		check_meaning(d, (enum metric_meaning)i, sources, count);
	if (d->checks.count == known)
		check_none(d);
	return true;
}

bool doctor_metrics(struct doctor *d, struct error *err)
{
	struct side *side = &d->backends->metrics;
	struct metrics_exam m = {
		.exam = { .name = "metrics",
			  .side = side,
			  .is_up = &d->is_metrics_up,
			  .has_tenants = !side->endpoint.project },
		.server = backends_metrics(d->backends),
	};
	bool done;

	if (side->is_default)
		return true;
	m.exam.wanted = m.exam.title = m.server->title;
	doctor_check_address(d, side, m.exam.name);
	done = ask(d, &m, err) && (!d->is_metrics_up || check_names(d, err));
	for (size_t i = 0; i < m.count; i++) {
		http_request_release(&m.requests[i]);
		http_response_release(&m.responses[i]);
	}
	return done;
}
