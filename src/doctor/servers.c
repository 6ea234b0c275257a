/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/answer.h"
#include "base/count.h"
#include "base/num.h"
#include "doctor/exam.h"

/* Not asked before an answer shows that something else is there. */
enum {
	ASK_TRACES, /* of each candidate, as the next two */
	ASK_TRACES_VERSION = ASK_TRACES + TRACE_CANDIDATES,
	ASK_TRACES_LOGIN = ASK_TRACES_VERSION + TRACE_CANDIDATES,
	ASK_PROFILES = ASK_TRACES_LOGIN + TRACE_CANDIDATES, /* of the room */
	ASK_COUNT = ASK_PROFILES + PROFILE_ASKS,
};

struct round {
	struct trace_candidate traces[TRACE_CANDIDATES];
	size_t traces_count;
	struct http_request requests[ASK_COUNT];
	struct http_response responses[ASK_COUNT];
	size_t place[ASK_COUNT]; /* 1 + index; 0: not asked */
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

/* ---- asking ---- */

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

/* The answer that tells most. By default they are of different servers: one
 * that is there counts. */
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

/* Which of the candidates answered, or tells most; the run's endpoint is set to
 * it. There is one at least. */
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
	/* By default they are different servers. */
	for (size_t i = 0; i < q->traces_count; i++)
		if (i == best || !side->is_default)
			exam_add_times(e, answer_of(q, ASK_TRACES + (int)i));
}

static void check_no_default(struct doctor *d, const struct round *q)
{
	struct buf names;

	buf_init(&names, LIMIT_CHECK_BYTES);
	trace_candidates_name(q->traces, q->traces_count, true, &names);
	check_fail(&d->checks, ERROR_NETWORK, "traces", "connection",
		   "nothing answers at %s", buf_text(&names));
	buf_release(&names);
	check_fix(&d->checks,
		  "--traces-url URL, or export TRACEFIND_TRACES_URL=URL");
}

static bool judge_candidates(struct doctor *d, const struct round *q,
			     struct exam *e, struct error *err)
{
	struct buf wanted;
	bool done;

	settle_traces(q, e);
	if (e->side->is_default && !e->best->status) {
		check_no_default(d, q);
		return true;
	}
	buf_init(&wanted, LIMIT_CHECK_BYTES);
	trace_candidates_name(q->traces, q->traces_count, false, &wanted);
	e->wanted = buf_text(&wanted);
	done = exam_judge(d, e, err);
	buf_release(&wanted);
	return done;
}

/* A login that fails sends nothing, and is what is to be told. */
static bool is_for_the_user(const struct error *why)
{
	return why->code == ERROR_MEMORY || why->code == ERROR_INTERRUPTED ||
	       why->code == ERROR_STOPPED;
}

/* Those whose kind is known, and who tell all by one answer. */
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
		done = !is_for_the_user(err);
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

/* Nobody answers a dry run: then those who are asked by themselves are shown,
 * too. */
static bool send_all(struct doctor *d, const struct profile_checkup *p,
		     struct round *q, struct error *err)
{
	bool done = (!q->count && !d->backends->channel.show) ||
		    backends_send(d->backends, q->requests, q->responses,
				  q->count, err);

	if (err->code == ERROR_STOPPED &&
	    trace_checkup_of(d->backends)->request)
		done = examine_traces(d, q, err);
	if (err->code == ERROR_STOPPED && p->examine)
		done = p->examine(&d->checkup, &d->is_profiles_up, err);
	return done;
}

/* Whether a server of the kinds that were asked for answered. */
static bool is_settled(const struct round *q)
{
	for (size_t i = 0; i < q->traces_count; i++) {
		const struct http_response *r =
			answer_of(q, ASK_TRACES + (int)i);

		if (r && traces_probe_matches(q->traces[i].probe, r))
			return true;
	}
	return false;
}

/* One of a kind that is asked for last is examined by a round of its own. */
static bool judge_late(struct doctor *d, const struct round *q,
		       struct error *err)
{
	size_t last = q->traces_count - 1;
	struct round late = { .count = 0 };
	bool is_found = false, done = true;

	if (q->traces_count && !is_settled(q) && !d->backends->traces.row)
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
	bool done = ask_traces(d, &q, err) && ask_profiles(d, p, &q, err) &&
		    send_all(d, p, &q, err) && judge_late(d, &q, err) &&
		    examine_profiles(d, p, &q, err);

	round_release(&q);
	return done;
}
