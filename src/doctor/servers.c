/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/fetch_profile.h"
#include "backend/metrics.h"
#include "backend/selector.h"
#include "backend/table.h"
#include "base/num.h"
#include "doctor/doctor.h"
#include "investigate/service_metrics.h"

/* The metrics server, which is optional: it is only examined if given. Checks
 * which of the known metrics exist, for all services or for one. */

enum { ASK_PROOF, ASK_VERSION, ASK_METRICS_COUNT };

/* A query that every Prometheus-compatible server can evaluate, but no other
 * server. */
#define PROOF "vector(1)"

struct metrics_exam {
	struct exam exam;
	const struct metric_backend *server;
	struct metric_query proof;
	struct http_request requests[ASK_METRICS_COUNT];
	struct http_response responses[ASK_METRICS_COUNT];
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

static bool ask_metrics(struct doctor *d, struct metrics_exam *m,
			struct error *err)
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

/* ---- its metrics ---- */

/* Adds a line for a meaning, if there are metrics for it. */
static void check_meaning(struct doctor *d, enum metric_meaning meaning,
			  const struct metric_source *sources, size_t count)
{
	const char *service = d->question->service;
	struct buf text;

	buf_init(&text, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < count; i++) {
		const struct metric_source *s = &sources[i];

		/* Those of a service by meaning; in a list each once. */
		if (!s->name || (service ? i != (size_t)meaning
					 : s->name->meaning != meaning))
			continue;
		buf_addf(&text, "%s%s", text.len ? ", " : "", s->name->name);
		if (service)
			buf_addf(&text, " by %s", s->label);
		buf_addf(&text, " (%s%s)", s->name->from,
			 s->is_native ? ", native histogram" : "");
	}
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
			   "no known metric for \"%s\"", service);
	else
		check_warn(&d->checks, "metrics", "names",
			   "no known metric found");
	check_fix(&d->checks,
		  "Tempo's metrics generator, the collector's spanmetrics "
		  "connector or OpenTelemetry's HTTP metrics, sent to this "
		  "server");
}

static bool doctor_metrics_find(struct doctor *d, struct service_metrics *m,
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

	if (!doctor_metrics_find(d, &found, &sources, &count, &why)) {
		*err = why;
		if (error_ends_run(&why))
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
	done = ask_metrics(d, &m, err) &&
	       (!d->is_metrics_up || check_names(d, err));
	for (size_t i = 0; i < m.count; i++) {
		http_request_release(&m.requests[i]);
		http_response_release(&m.responses[i]);
	}
	return done;
}

/* Maximum number of label values listed. */
#define LISTED_VALUES 3u

#define LABELS (INSTANCE_LABELS + PLACE_LABELS)

struct places_round {
	const char *labels[LABELS];
	struct series_job jobs[LIMIT_CHECKED_SERVICES];
	struct doctor_service *rows[LIMIT_CHECKED_SERVICES];
	size_t count;
};

static bool row_narrow(struct doctor *d, struct doctor_service *row,
		       struct error *err)
{
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	selector_add(&text, STR("service_name"), row->found);
	for (size_t i = 0; i < row->places.count; i++)
		selector_add(&text, str_from(row->places.items[i].label),
			     row->places.items[i].value);
	selector_close(&text);
	row->selector = arena_str(&d->arena, buf_str(&text));
	buf_release(&text);
	return row->selector.ptr || arena_fail(&d->arena, "a selector", err);
}

/* Takes the responses for a service; missing ones are not judged, since slow
 * needs the same. */
static bool places_take(struct doctor *d, struct doctor_service *row,
			const struct series_job *job, struct error *err)
{
	const struct series_list *series = &job->series;
	struct place_rows rows = {
		.values = series->values,
		.label_count = series->label_count,
		.count = series->count,
		.place_first = INSTANCE_LABELS,
	};

	if (!job->job.has_answer)
		return true;
	rows.is_ours =
		arena_array(&d->arena, series->count + 1, sizeof *rows.is_ours);
	if (!rows.is_ours)
		return arena_fail(&d->arena, "the server's series", err);
	memset(rows.is_ours, true, series->count * sizeof *rows.is_ours);
	return places_choose(&rows, &d->trace, row->resource, false, &d->arena,
			     &row->places, err) &&
	       (!row->places.count || row_narrow(d, row, err));
}

bool doctor_places(struct doctor *d, struct time_range range, struct error *err)
{
	struct places_round *q = arena_alloc(&d->arena, sizeof *q);
	struct job *jobs[LIMIT_CHECKED_SERVICES];

	if (!q)
		return arena_fail(&d->arena, "the requests", err);
	q->count = 0;
	memcpy(q->labels, instance_labels, sizeof instance_labels);
	memcpy(q->labels + INSTANCE_LABELS, place_labels, sizeof place_labels);
	for (size_t i = 0; i < d->row_count; i++) {
		struct doctor_service *row = &d->rows[i];

		/* Only if the trace has attributes to distinguish them. */
		if (!doctor_service_is_found(row) || !row->types.count ||
		    row->resource == RESOURCE_NONE ||
		    !places_are_told(&d->trace, row->resource))
			continue;
		series_job_init(&q->jobs[q->count], row->selector.ptr,
				q->labels, LABELS, range);
		q->rows[q->count++] = row;
	}
	for (size_t i = 0; i < q->count; i++)
		jobs[i] = &q->jobs[i].job;
	if (q->count && !jobs_run(d->backends, jobs, q->count, err))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (!places_take(d, q->rows[i], &q->jobs[i], err))
			return false;
	return true;
}

/* ---- judging ---- */

static void judge_doubt(struct doctor *d, const struct doctor_service *row)
{
	const struct place_doubt *doubt = &row->places.doubt;
	const struct name_list *present = &doubt->present;
	struct buf values, map;

	buf_init(&values, LIMIT_CHECK_BYTES);
	buf_init(&map, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < present->count && i < LISTED_VALUES; i++)
		buf_addf(&values, "%s\"%.*s\"", i ? ", " : "",
			 STR_ARGS(present->items[i]));
	if (present->count > LISTED_VALUES)
		buf_addf(&values, " and %zu more",
			 present->count - LISTED_VALUES);
	selector_add(&map, STR("service_name"), row->found);
	selector_add(&map, str_from(doubt->label), present->items[0]);
	selector_close(&map);
	if (doubt->trouble == PLACES_ABSENT)
		check_warn(&d->checks, "profiles", "place",
			   "\"%.*s\" sends no profiles from where the trace is "
			   "(%s \"%.*s\"): existing ones have %s %s",
			   STR_ARGS(row->name), doubt->attr,
			   STR_ARGS(doubt->value), doubt->label,
			   buf_text(&values));
	else
		check_warn(&d->checks, "profiles", "place",
			   "\"%.*s\" sends profiles from several places (%s: "
			   "%s), and the trace does not show which one is its "
			   "own",
			   STR_ARGS(row->name), doubt->label,
			   buf_text(&values));
	check_fix(&d->checks,
		  "--map ATTRIBUTE=%s with an attribute of the trace that has "
		  "these values, or --selector '%s'",
		  doubt->label, buf_text(&map));
	buf_release(&values);
	buf_release(&map);
}

void doctor_judge_places(struct doctor *d)
{
	for (size_t i = 0; i < d->row_count; i++) {
		const struct doctor_service *row = &d->rows[i];

		for (size_t k = 0; k < row->places.count; k++) {
			const struct place *place = &row->places.items[k];

			check_ok(&d->checks, "profiles", "place",
				 "\"%.*s\" runs in several places: profiles "
				 "with %s=\"%.*s\" are used, as with --map "
				 "%s=%s",
				 STR_ARGS(row->name), place->label,
				 STR_ARGS(place->value), place->attr,
				 place->label);
		}
		if (row->places.doubt.trouble)
			judge_doubt(d, row);
	}
}

/* Requests that are only sent after a response shows another kind of server. */
enum {
	ASK_TRACES, /* one per candidate, as the next two */
	ASK_TRACES_VERSION = ASK_TRACES + TRACE_CANDIDATES,
	ASK_TRACES_LOGIN = ASK_TRACES_VERSION + TRACE_CANDIDATES,
	ASK_PROFILES = ASK_TRACES_LOGIN + TRACE_CANDIDATES, /* of the backend */
	ASK_COUNT = ASK_PROFILES + PROFILE_ASKS,
};

struct round {
	struct trace_candidate traces[TRACE_CANDIDATES];
	size_t traces_count;
	struct http_request requests[ASK_COUNT];
	struct http_response responses[ASK_COUNT];
	size_t place[ASK_COUNT]; /* 1 + index; 0: not requested */
	size_t count;
};

static const struct http_response *answer_of(const struct round *q, int ask)
{
	return q->place[ask] ? &q->responses[q->place[ask] - 1] : NULL;
}

static struct http_request *next_request(struct round *q, int ask)
{
	q->place[ask] = ++q->count;
	return &q->requests[q->count - 1];
}

static void round_release(struct round *q)
{
	for (size_t i = 0; i < q->count; i++) {
		http_request_release(&q->requests[i]);
		http_response_release(&q->responses[i]);
	}
}

/* ---- requests ---- */

static bool ask_candidate(struct round *q, size_t i, struct error *err)
{
	const struct trace_candidate *c = &q->traces[i];
	const struct trace_backend *t = c->row->traces;
	const char *paths[] = { c->probe->path, t->version_path,
				t->login_path };
	int ask = ASK_TRACES + (int)i;

	for (size_t k = 0; k < COUNT_OF(paths); k++, ask += TRACE_CANDIDATES)
		if (paths[k] &&
		    !traces_probe_request(&c->endpoint, paths[k],
					  next_request(q, ask), err))
			return false;
	return true;
}

static bool ask_traces(struct doctor *d, struct round *q, struct error *err)
{
	if (d->backends->traces.path || d->is_traces_up)
		return true;
	q->traces_count = backends_trace_candidates(d->backends, q->traces);
	for (size_t i = 0; i < q->traces_count; i++)
		if (!ask_candidate(q, i, err))
			return false;
	return true;
}

static bool ask_profiles(struct doctor *d, const struct profile_checkup *p,
			 struct round *q, struct error *err)
{
	if (d->backends->profiles.path)
		return true;
	for (size_t i = 0; i < p->ask_count; i++)
		if (!p->request(d->backends, i,
				next_request(q, ASK_PROFILES + (int)i), err))
			return false;
	return true;
}

/* ---- traces ---- */

/* Returns the most informative response. Default URLs belong to different
 * servers: any that is there is used. */
static size_t best_of(const struct http_response *all, size_t count,
		      bool is_default)
{
	size_t there = 0, silent = 0;

	for (size_t i = count; i-- > 0;)
		if (all[i].status)
			there = i;
		else
			silent++;
	return is_default && silent
		       ? there
		       : (size_t)(source_probe_best(all, count) - all);
}

/* Chooses the candidate that responded, or is most informative, as the run's
 * endpoint. There is at least one. */
static void settle_traces(const struct round *q, struct exam *e)
{
	struct side *side = e->side;
	struct http_response all[TRACE_CANDIDATES];
	size_t best = 0;

	for (size_t i = 0; i < q->traces_count; i++) {
		const struct http_response *r =
			answer_of(q, ASK_TRACES + (int)i);

		all[i] = r ? *r : (struct http_response){ .status = 0 };
		if (e->is_right ||
		    !traces_probe_matches(q->traces[i].probe, &all[i]))
			continue;
		e->is_right = true;
		side->row = q->traces[i].row;
		best = i;
	}
	if (!e->is_right)
		best = best_of(all, q->traces_count, side->is_default);
	e->best = answer_of(q, ASK_TRACES + (int)best);
	e->title = q->traces[best].row->title;
	e->version = answer_of(q, ASK_TRACES_VERSION + (int)best);
	if (e->is_right)
		e->login = answer_of(q, ASK_TRACES_LOGIN + (int)best);
	side->endpoint.url = q->traces[best].endpoint.url;
	/* Default URLs belong to different servers. */
	for (size_t i = 0; i < q->traces_count; i++)
		if (i == best || !side->is_default)
			exam_add_times(e, answer_of(q, ASK_TRACES + (int)i));
}

static bool judge_candidates(struct doctor *d, const struct round *q,
			     struct exam *e, struct error *err)
{
	struct buf wanted;
	bool done = true, is_unanswered;

	settle_traces(q, e);
	is_unanswered = e->side->is_default && !e->best->status;
	buf_init(&wanted, LIMIT_CHECK_BYTES);
	trace_candidates_name(q->traces, q->traces_count, is_unanswered,
			      &wanted);
	if (is_unanswered) {
		check_fail(&d->checks, ERROR_NETWORK, "traces", "connection",
			   "nothing answers at %s", buf_text(&wanted));
		check_fix(
			&d->checks,
			"--traces-url URL, or export TRACEFIND_TRACES_URL=URL");
	} else {
		e->wanted = buf_text(&wanted);
		done = exam_judge(d, e, err);
	}
	buf_release(&wanted);
	return done;
}

/* Examines servers of a known kind for which one response is sufficient. */
static bool examine_known(struct doctor *d, struct exam *e, struct error *err)
{
	struct http_request request = { 0 };
	struct http_response response = { 0 };
	bool done = e->traces->request(d->backends, &request, err);

	e->known = EXAM_ALLOWED | EXAM_PROVEN;
	e->best = &response;
	if (done && backends_send(d->backends, &request, &response, 1, err)) {
		exam_add_times(e, &response);
		done = exam_judge(d, e, err);
	} else if (done) {
		/* A failed login sends nothing: it is the problem. */
		done = err->code != ERROR_MEMORY &&
		       err->code != ERROR_INTERRUPTED &&
		       err->code != ERROR_STOPPED;
		if (done) {
			check_fail(&d->checks, err->code, e->name, "login",
				   "%s", err->message);
			error_clear(err);
		}
	}
	http_request_release(&request);
	http_response_release(&response);
	return done;
}

static bool examine_traces(struct doctor *d, const struct round *q,
			   struct error *err)
{
	struct side *side = &d->backends->traces;
	struct exam e = { .name = "traces",
			  .side = side,
			  .is_up = &d->is_traces_up,
			  .has_tenants = !side->endpoint.project,
			  .traces = trace_checkup_of(d->backends) };

	if (d->is_traces_up)
		return true;
	doctor_check_address(d, side, e.name);
	if (side->path) {
		d->is_traces_up = true;
		return true;
	}
	return e.traces->request ? examine_known(d, &e, err)
				 : judge_candidates(d, q, &e, err);
}

/* ---- profiles ---- */

static void exam_set_profiles(struct exam *e, const struct profile_checkup *p,
			      const struct round *q)
{
	e->profiles = p;
	e->title = p->title;
	e->has_tenants = p->has_tenants;
	e->best = e->answers = answer_of(q, ASK_PROFILES);
	e->is_right = e->best && p->is_proof(e->best);
	e->version = p->version_ask ? &e->answers[p->version_ask] : NULL;
}

bool exam_ask_other(struct doctor *d, const struct profile_checkup *p,
		    const struct exam *e, bool *is_found, struct error *err)
{
	struct exam other = *e;
	struct round q = { .count = 0 };
	bool done = ask_profiles(d, p, &q, err) &&
		    backends_send(d->backends, q.requests, q.responses, q.count,
				  err);

	if (done) {
		exam_set_profiles(&other, p, &q);
		other.known = EXAM_REACHED | EXAM_SECURED;
		*is_found = other.is_right;
	}
	if (done && *is_found) {
		exam_add_times(&other, other.best);
		done = exam_judge(d, &other, err);
	}
	round_release(&q);
	return done;
}

static bool examine_profiles(struct doctor *d, const struct profile_checkup *p,
			     const struct round *q, struct error *err)
{
	struct side *side = &d->backends->profiles;
	struct exam e = { .name = "profiles",
			  .side = side,
			  .is_up = &d->is_profiles_up,
			  .wanted = p->title };

	doctor_check_address(d, side, e.name);
	if (side->path) {
		d->is_profiles_up = true;
		return true;
	}
	if (p->examine)
		return p->examine(&d->checkup, &d->is_profiles_up, err);
	exam_set_profiles(&e, p, q);
	for (int ask = ASK_PROFILES; ask < ASK_COUNT; ask++)
		exam_add_times(&e, answer_of(q, ask));
	return exam_judge(d, &e, err);
}

/* Examines kinds that are requested last in a separate round. */
static bool judge_late(struct doctor *d, const struct round *q,
		       struct error *err)
{
	size_t last = q->traces_count - 1;
	struct round late = { .count = 0 };
	bool is_settled = false, is_found = false, done = true;

	/* A server of one of the kinds requested responded. */
	for (size_t i = 0; i < q->traces_count && !is_settled; i++) {
		const struct http_response *r =
			answer_of(q, ASK_TRACES + (int)i);

		is_settled = r && traces_probe_matches(q->traces[i].probe, r);
	}
	if (q->traces_count && !is_settled && !d->backends->traces.row)
		done = backends_probe_late(d->backends, &q->traces[last],
					   answer_of(q, ASK_TRACES + (int)last),
					   &is_found, err);
	if (done && is_found)
		done = ask_traces(d, &late, err) &&
		       backends_send(d->backends, late.requests, late.responses,
				     late.count, err);
	done = done && examine_traces(d, is_found ? &late : q, err);
	round_release(&late);
	return done;
}

bool doctor_servers(struct doctor *d, struct error *err)
{
	const struct profile_checkup *p = profile_checkup_of(d->backends);
	struct round q = { .count = 0 };
	bool done = ask_traces(d, &q, err) && ask_profiles(d, p, &q, err);

	if (done) {
		done = (!q.count && !d->backends->channel.show) ||
		       backends_send(d->backends, q.requests, q.responses,
				     q.count, err);
		/* In a dry run there are no responses: requests that would come
		 * later are shown, too. */
		if (err->code == ERROR_STOPPED &&
		    trace_checkup_of(d->backends)->request)
			done = examine_traces(d, &q, err);
		if (err->code == ERROR_STOPPED && p->examine)
			done = p->examine(&d->checkup, &d->is_profiles_up, err);
	}
	done = done && judge_late(d, &q, err) &&
	       examine_profiles(d, p, &q, err);
	round_release(&q);
	return done;
}
