/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/trace_durations.h"

#include "backend/jobs.h"
#include "base/num.h"

struct durations_job {
	struct job job;
	struct find_query query;
	struct duration_buckets buckets;
	int64_t longest_ns; /* not 0: the range is too long, this one is not */
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
		break;
	}
	return true;
}

static const struct job_type durations_type = { .request = durations_request,
						.answer = durations_answer,
						.about = ABOUT_DURATIONS };

static void buckets_add(struct duration_buckets *sum,
			const struct duration_buckets *part)
{
	for (size_t i = 0; i < DURATION_BUCKETS; i++)
		sum->counts[i] = sat_add_i64(sum->counts[i], part->counts[i]);
	sum->total = sat_add_i64(sum->total, part->total);
}

/* The ith of n parts. All are of one length: a short last one could end where
 * nothing is counted yet, which is refused. */
static struct time_range part_of(struct time_range whole, int64_t i, int64_t n)
{
	int64_t length_ns = whole.to_ns - whole.from_ns;
	int64_t step_ns = length_ns / n;

	return (struct time_range){
		whole.from_ns + i * step_ns,
		i + 1 == n ? whole.to_ns : whole.from_ns + (i + 1) * step_ns,
	};
}

/* All at once; a part that is missing makes the sum worth nothing. */
static bool ask_parts(struct backends *b, const struct durations_job *whole,
		      struct duration_buckets *out, struct error *err)
{
	struct time_range range = whole->query.range;
	int64_t length_ns = sat_sub_i64(range.to_ns, range.from_ns);
	int64_t n = (length_ns - 1) / whole->longest_ns + 1;
	struct durations_job parts[LIMIT_BATCH];
	struct job *jobs[LIMIT_BATCH];

	if (n < 2 || n > LIMIT_BATCH)
		return true;
	for (int64_t i = 0; i < n; i++) {
		parts[i] = (struct durations_job){
			.job.type = &durations_type,
			.query = whole->query,
		};
		parts[i].query.range = part_of(range, i, n);
		jobs[i] = &parts[i].job;
	}
	if (!jobs_run(b, jobs, (size_t)n, err))
		return false;
	for (int64_t i = 0; i < n; i++) {
		if (!parts[i].job.has_answer) {
			*out = (struct duration_buckets){ .total = 0 };
			return true;
		}
		buckets_add(out, &parts[i].buckets);
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
	else if (whole.longest_ns && !ask_parts(b, &whole, out, err))
		return false;
	if (out->total < least)
		*out = (struct duration_buckets){ .total = 0 };
	return true;
}
