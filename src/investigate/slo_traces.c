/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests counted by their traces: all of them where the server counts or one
 * answer holds them, else a sample.
 */
#include "analyze/search_summary.h"
#include "backend/fetch_hits.h"
#include "backend/trace_durations.h"
#include "base/num.h"
#include "investigate/slo.h"

/* Servers refuse longer ones: Tempo takes a week unless told otherwise. */
#define PART_NS (6 * NS_PER_DAY)

struct tally {
	double count;
	double bad; /* slow, or with a span that failed */
	double failed;
	bool is_sample; /* so many were seen, and there are more */
};

static bool is_bad(const struct slo *s, const struct hit *hit)
{
	return hit->error_count ||
	       (s->threshold_ns && hit->duration_ns > s->threshold_ns);
}

static void take_hits(const struct slo *s, const struct hits *hits,
		      struct tally *out)
{
	for (size_t i = 0; i < hits->count; i++) {
		if (hit_is_health_check(&hits->items[i]))
			continue;
		out->count++;
		out->bad += is_bad(s, &hits->items[i]);
	}
}

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
	if (done)
		take_hits(s, &hits, seen);
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

static struct find_query query_of(const struct slo *s, struct time_range range)
{
	const struct trace_traits *traits = backends_trace_traits(s->backends);

	return (struct find_query){
		.service = str_from(s->service),
		.name = str_from(s->operation),
		.range = range,
		.trace_limit = traits->page_of_spans ? traits->page_of_spans
						     : traits->search_most,
		.uncounted_names = health_check_pattern(),
	};
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

/* What cannot be counted as a whole is judged by a sample of it. */
static bool count_range(const struct slo *s, struct time_range range,
			struct tally *out, struct error *err)
{
	const struct find_query query = query_of(s, range);
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

static bool add_range(const struct slo *s, struct time_range range,
		      struct sum *sum, struct error *err)
{
	double seconds = time_range_seconds(range);
	struct tally t;

	if (!count_range(s, range, &t, err))
		return false;
	if (t.count == 0)
		return true;
	sum->total += t.count;
	sum->bad += t.bad;
	sum->failed += t.failed;
	sum->seconds += seconds;
	sum->bad_seconds += seconds * t.bad / t.count;
	sum->is_sample |= t.is_sample;
	return true;
}

/* What lies before the windows that are summed up already. */
static bool add_window(const struct slo *s, int64_t before_ns,
		       int64_t length_ns, struct sum *sum, struct error *err)
{
	while (before_ns < length_ns) {
		int64_t next_ns = min_i64(length_ns, before_ns + PART_NS);
		const struct time_range part = { s->to_ns - next_ns,
						 s->to_ns - before_ns };

		if (!add_range(s, part, sum, err))
			return false;
		before_ns = next_ns;
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
