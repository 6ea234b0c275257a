/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/jobs.h"

#include <string.h>

#include "backend/table.h"
#include "base/buf.h"
#include "base/mem.h"

const struct profile_backend *profiles_likely(
	const struct profile_backend *known,
	const struct http_response *response)
{
	for (size_t i = 0; i < backend_table_count; i++) {
		const struct profile_backend *p = backend_table[i].profiles;

		if (p && p != known && p->is_likely && p->is_likely(response))
			return p;
	}
	return NULL;
}

bool profiles_kept_names(const char *url, struct str asked,
			 const struct http_response *response, bool is_types,
			 struct arena *arena, struct name_list *names)
{
	struct backends b = { .arena = arena };
	struct error ignored;

	b.profiles.endpoint.url = url;
	for (size_t i = 0; i < backend_table_count; i++) {
		const struct profile_backend *p = backend_table[i].profiles;

		if (p && p->kept_names &&
		    p->kept_names(&b, url, asked, response, is_types, names,
				  &ignored))
			return true;
	}
	return false;
}

bool profiles_prepare(struct backends *b, struct job *job, struct error *err)
{
	const struct profile_backend *p = backends_profiles(b);

	if (p->learn && !p->learn(b, err))
		return false;
	job->asked = p;
	return true;
}

bool profiles_recognise(struct backends *b, const struct job *job,
			const struct http_response *response)
{
	const struct profile_backend *known = backends_profiles(b), *likely;
	struct error err;

	if (job->asked && job->asked != known)
		return true;
	likely = profiles_likely(known, response);
	if (!likely || b->profiles.is_kind_given)
		return false;
	/* Once a run. */
	b->profiles.is_kind_given = true;
	return likely->learn(b, &err);
}

void profiles_settle(struct side *side, const struct profile_backend *profiles,
		     void *room)
{
	profiles_release(side);
	side->row = profiles_row(profiles);
	side->room = room;
}

void profiles_release(struct side *side)
{
	const struct profile_backend *p =
		side->row ? side->row->profiles : NULL;

	if (p && p->release && side->room)
		p->release(side->room);
	side->room = NULL;
}

/* The requests of one round, and their jobs. */
struct round {
	struct backends *backends;
	struct http_request requests[LIMIT_BATCH];
	struct http_response responses[LIMIT_BATCH];
	struct job *jobs[LIMIT_BATCH];
	size_t count;
	size_t answered; /* number of jobs, in order */
};

static bool round_fill(struct backends *b, struct round *r,
		       struct job *const *jobs, size_t n, struct error *err)
{
	for (size_t i = 0; i < n && r->count < LIMIT_BATCH; i++) {
		struct job *job = jobs[i];

		if (job->is_done)
			continue;
		if (job->type->request(job, b, &r->requests[r->count],
				       &job->err)) {
			r->jobs[r->count++] = job;
			continue;
		}
		http_request_release(&r->requests[r->count]);
		memset(&r->requests[r->count], 0, sizeof *r->requests);
		job->is_done = true;
		/* A dry run has shown its preliminary request. */
		if (job->err.code == ERROR_MEMORY ||
		    job->err.code == ERROR_STOPPED) {
			*err = job->err;
			return false;
		}
	}
	return true;
}

/* Frees the answer once it is used: all at once would take much memory. */
static void round_answer_next(struct round *r)
{
	struct http_response *response = &r->responses[r->answered];
	struct job *job = r->jobs[r->answered++];
	struct error before = job->err;
	bool is_held;

	error_clear(&job->err);
	/* A case that was recorded with an answer has no later attempt. */
	is_held = response->status || response->err.code != ERROR_NOT_FOUND;
	if (is_held) {
		job->status = response->status;
		job->is_route_missing = response->status &&
					answer_lacks_own_route(response);
	}
	job->is_done = job->type->answer(job, r->backends, response);
	if (!is_held && before.code)
		job->err = before;
	http_response_release(response);
}

static void round_take(void *context, size_t index)
{
	struct round *r = context;
	const struct profile_backend *known = backends_profiles(r->backends);

	/* Not while other requests are in flight, if the answer may cause
	 * more. */
	if (r->answered == index &&
	    (r->jobs[index]->type->question == QUESTION_SERVER ||
	     !(known->asks_on ||
	       profiles_likely(known, &r->responses[index]))))
		round_answer_next(r);
}

static bool round_run(struct backends *b, struct round *r,
		      struct job *const *jobs, size_t n, struct error *err)
{
	const struct http_taker taker = { round_take, r };
	bool done;

	memset(r, 0, sizeof *r);
	r->backends = b;
	/* Jobs without a request are done and leave nothing to send. */
	done = round_fill(b, r, jobs, n, err) &&
	       (r->count == 0 ||
		backends_send_each(b, r->requests, r->responses, r->count,
				   &taker, err));
	while (done && r->answered < r->count)
		round_answer_next(r);
	for (size_t i = 0; i < r->count; i++) {
		http_request_release(&r->requests[i]);
		http_response_release(&r->responses[i]);
	}
	return done;
}

/* ---- what got lost ---- */

/* The length of a time to the second. */
#define CLOCK_BYTES 19

/* Gaps that share a note: same subject, same reason. */
struct group {
	const struct job *first;
	size_t count;
};

/* Returns whether a job got no answer. An empty result is an answer, in the
 * form of the server's API (answer_has_form()); a refusal is not. */
static bool job_is_lost(const struct job *job)
{
	switch (job->err.code) {
	case ERROR_NONE:
	case ERROR_USAGE:
	case ERROR_NOT_FOUND:
	case ERROR_STOPPED:
		return false;
	case ERROR_INTERNAL: /* not supported by this kind of server */
		return !job->has_answer && job->status && !job->type->is_aid;
	default:
		return !job->has_answer && !job->type->is_aid &&
		       !(job->type->is_newer && job->is_route_missing);
	}
}

static const char *job_subject(const struct job *job)
{
	static const char *const words[] = {
		[ABOUT_SOMETHING] = "data",
		[ABOUT_OTHER_TRACES] = "other traces",
		[ABOUT_LINKED_TRACE] = "a linked trace",
		[ABOUT_LINKING_TRACES] = "traces that link to this one",
		[ABOUT_TRACES] = "traces",
		[ABOUT_REQUEST_COUNT] = "the number of requests",
		[ABOUT_REQUEST_STEPS] = "requests by version",
		[ABOUT_DURATIONS] = "durations of requests",
		[ABOUT_PROFILE] = "a profile",
		[ABOUT_PROFILE_NAMES] = "names of services with profiles",
		[ABOUT_SERIES] = "the types of profiles",
		[ABOUT_SNAPSHOTS] = "the number of snapshots",
		[ABOUT_TOTALS] = "sums over time",
		[ABOUT_METRIC] = "a metric",
		[ABOUT_NAMES] = "names",
	};

	return words[job->type->about];
}

static void add_time_range(struct buf *out, const struct job *job)
{
	struct time_range range;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	size_t same;

	if (!job->type->range)
		return;
	range = job->type->range(job);
	if (range.to_ns <= range.from_ns)
		return;
	format_rfc3339(range.from_ns, from);
	format_rfc3339(range.to_ns, to);
	/* On the same day show only the time. */
	same = strncmp(from, to, 11) ? 0 : 11;
	buf_addf(out, " from %.*sZ to %.*sZ", CLOCK_BYTES, from,
		 CLOCK_BYTES - (int)same, to + same);
}

static void note_lost(struct backends *b, struct job *const *jobs, size_t n)
{
	struct group groups[GAPS_TOLD];
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct job *job = jobs[i];
		size_t at = 0;

		if (job->is_gap || !job_is_lost(job))
			continue;
		job->is_gap = true;
		gaps_count(&b->gaps, &job->err);
		while (at < count &&
		       (groups[at].first->type->about != job->type->about ||
			strcmp(groups[at].first->err.message,
			       job->err.message)))
			at++;
		if (at == GAPS_TOLD)
			at--;
		else if (at == count)
			groups[count++] = (struct group){ .first = job };
		groups[at].count++;
	}
	for (size_t i = 0; i < count; i++) {
		const struct group *g = &groups[i];
		struct buf about;

		buf_init(&about, LIMIT_ERROR_BYTES);
		buf_add_text(&about, job_subject(g->first));
		add_time_range(&about, g->first);
		if (g->count > 1)
			buf_addf(&about, " and %zu more", g->count - 1);
		gaps_tell(&b->gaps, buf_text(&about), &g->first->err);
		buf_release(&about);
	}
}

/* ---- rounds ---- */

bool jobs_run(struct backends *b, struct job *const *jobs, size_t n,
	      struct error *err)
{
	const struct profile_backend *profiles = backends_profiles(b);
	struct round *r = mem_alloc(sizeof *r);
	size_t first = 0; /* that is not done */
	bool done;

	if (!r)
		return error_memory(err, "requests");
	done = backend_files.profiles->answer_jobs(b, jobs, n, err);
	if (done && profiles->answer_jobs)
		done = profiles->answer_jobs(b, jobs, n, err);
	for (;;) {
		while (first < n && jobs[first]->is_done)
			first++;
		if (!done || first == n)
			break;
		done = round_run(b, r, jobs, n, err);
	}
	if (done)
		note_lost(b, jobs, n);
	mem_free(r);
	return done;
}
