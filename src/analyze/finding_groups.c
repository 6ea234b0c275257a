/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings on calls of one span that belong together: attempts, branches,
 * turns, one after another.
 */
#include "analyze/collect.h"
#include "base/num.h"

/* Calls side by side: each begins before the ones so far have ended. */
struct branches {
	const uint32_t *spans; /* by start */
	uint32_t count;
	uint32_t slowest;
	int64_t slowest_ns;
	int64_t start_ns;
	int64_t end_ns;
};

/* The branches' common name: of the call in a wrapper. */
static uint32_t call_of(const struct collect *k, uint32_t span)
{
	uint32_t leaf = calls_inside(k->calls, span);

	return leaf == SPAN_NONE ? span : leaf;
}

static bool add_retry(struct collect *k, const struct retry *r)
{
	const uint32_t *members = k->retries.members + r->member_first;
	const struct finding_facts facts = {
		.kind = FINDING_RETRY,
		.span = r->parent,
		.call = r->call,
		.other = r->server,
		.failed = r->error,
		.count = r->count,
		.failed_count = r->error_count,
		.time_ns = r->lost_ns,
		.other_ns = r->server_ns,
		.pause_ns = r->pause_ns,
	};

	for (uint32_t i = 0; i < r->count; i++) {
		k->is_told[members[i]] = true;
		k->is_told[call_of(k, members[i])] = true;
	}
	if (r->error != SPAN_NONE)
		k->is_told[r->error] = true;
	return collect_add(k, &facts, members, r->count);
}

bool collect_retries(struct collect *k)
{
	size_t count = 0;

	for (size_t i = 0; i < k->retries.count; i++) {
		const struct retry *r = &k->retries.items[i];

		if (!collect_matters(k, r->lost_ns, FINDING_LEAST_NS,
				     RETRY_LEAST_PERCENT))
			break;
		if (count++ < FINDINGS_PER_KIND && !add_retry(k, r))
			return false;
	}
	return collect_add_rest(k, FINDING_RETRY, count);
}

/* The branches that begin with spans[0]. */
static struct branches cut_branches(const struct trace *t,
				    const uint32_t *spans, uint32_t count)
{
	struct branches b = { .spans = spans, .slowest_ns = -1 };

	b.start_ns = b.end_ns = t->spans[spans[0]].start_ns;
	while (b.count < count) {
		const struct span *s = &t->spans[spans[b.count]];

		if (b.count && s->start_ns >= b.end_ns)
			break;
		if (span_duration_ns(s) > b.slowest_ns) {
			b.slowest_ns = span_duration_ns(s);
			b.slowest = spans[b.count];
		}
		b.end_ns = s->end_ns > b.end_ns ? s->end_ns : b.end_ns;
		b.count++;
	}
	return b;
}

static bool add_slow_shard(struct collect *k, const struct branches *b,
			   uint32_t parent, int64_t median_ns)
{
	const struct finding_facts facts = {
		.kind = FINDING_SLOW_SHARD,
		.span = parent,
		.call = call_of(k, b->slowest),
		.count = b->count,
		.time_ns = b->slowest_ns,
		.other_ns = median_ns,
	};

	return collect_add(k, &facts, &b->slowest, 1);
}

static bool add_fan_out(struct collect *k, const struct branches *b,
			uint32_t parent)
{
	const struct finding_facts facts = {
		.kind = FINDING_FAN_OUT,
		.span = parent,
		.call = call_of(k, b->slowest),
		.count = b->count,
		.time_ns = sat_sub_i64(b->end_ns, b->start_ns),
		.other_ns = b->slowest_ns,
	};

	return collect_add(k, &facts, b->spans, b->count);
}

/* A few at a time is a loop, which has been told as such. */
static bool is_at_once(const struct branches *b)
{
	return sat_sub_i64(b->end_ns, b->start_ns) <
	       sat_mul_i64(b->slowest_ns, REPEAT_PARALLEL_WAVES);
}

static bool add_branches(struct collect *k, const struct branches *b,
			 uint32_t parent)
{
	int64_t median_ns;

	if (b->count < SHARD_COUNT || !is_at_once(b) ||
	    !k->times->is_on_path[b->slowest] ||
	    !collect_matters(k, b->slowest_ns, FINDING_LEAST_NS,
			     FINDING_LEAST_PERCENT))
		return true;
	median_ns = collect_median(k, b->spans, b->count);
	if (k->t->spans[b->slowest].end_ns == b->end_ns &&
	    b->slowest_ns >= sat_mul_i64(median_ns, SHARD_TIMES) &&
	    collect_matters(k, sat_sub_i64(b->slowest_ns, median_ns),
			    FINDING_LEAST_NS, FINDING_LEAST_PERCENT))
		return add_slow_shard(k, b, parent, median_ns);
	return b->count < FAN_OUT_COUNT || add_fan_out(k, b, parent);
}

bool collect_fan_outs(struct collect *k)
{
	size_t before = k->result->finding_count;

	for (uint32_t i = 0; i < k->siblings.count; i++) {
		const struct sibling_group *g = &k->siblings.groups[i];
		const uint32_t *list = k->siblings.members + g->member_first;

		for (uint32_t at = 0; at < g->count;) {
			struct branches b =
				cut_branches(k->t, list + at, g->count - at);

			if (k->result->finding_count - before >=
			    FINDINGS_PER_KIND)
				return true;
			if (!add_branches(k, &b, g->parent))
				return false;
			at += b.count;
		}
	}
	return true;
}

static bool is_one_by_one(const struct trace *t, const uint32_t *spans,
			  uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		if (t->spans[spans[i]].start_ns < t->spans[spans[i - 1]].end_ns)
			return false;
	}
	return true;
}

static bool add_cold_call(struct collect *k, const struct sibling_group *g)
{
	const uint32_t *list = k->siblings.members + g->member_first;
	int64_t first_ns = span_duration_ns(&k->t->spans[list[0]]);
	struct finding_facts facts = {
		.kind = FINDING_COLD_CALL,
		.span = g->parent,
		.call = g->leaf,
		.count = g->count,
		.time_ns = first_ns,
	};

	if (g->leaf == SPAN_NONE || g->count < COLD_COUNT ||
	    !k->times->is_on_path[list[0]] ||
	    !collect_matters(k, first_ns, COLD_NS, FINDING_LEAST_PERCENT) ||
	    call_has_failed(k->calls, list[0]) ||
	    !is_one_by_one(k->t, list, g->count))
		return true;
	facts.other_ns = collect_median(k, list + 1, g->count - 1);
	return first_ns < sat_mul_i64(facts.other_ns, COLD_TIMES) ||
	       collect_add(k, &facts, list, 1);
}

bool collect_cold_calls(struct collect *k)
{
	size_t before = k->result->finding_count;

	for (uint32_t i = 0; i < k->siblings.count; i++) {
		if (k->result->finding_count - before >= FINDINGS_PER_KIND)
			break;
		if (!add_cold_call(k, &k->siblings.groups[i]))
			return false;
	}
	return true;
}

static bool is_long_remote(const struct collect *k, uint32_t span)
{
	uint32_t leaf;

	if (k->times->tree[span] == span || k->retries.is_member[span] ||
	    span_duration_ns(&k->t->spans[span]) < CONSECUTIVE_NS)
		return false;
	leaf = calls_inside(k->calls, span);
	return leaf != SPAN_NONE && (k->calls->kind[leaf] == CALL_HTTP ||
				     k->calls->kind[leaf] == CALL_RPC);
}

/* k->spans holds the run. */
static bool add_consecutive(struct collect *k, uint32_t parent, uint32_t count)
{
	int64_t sum_ns = 0, longest_ns = 0;
	uint32_t longest = k->spans[0];
	struct finding_facts facts = { .kind = FINDING_CONSECUTIVE,
				       .span = parent,
				       .count = count };

	for (uint32_t i = 0; i < count; i++) {
		int64_t ns = span_duration_ns(&k->t->spans[k->spans[i]]);

		sum_ns = sat_add_i64(sum_ns, ns);
		if (ns > longest_ns) {
			longest_ns = ns;
			longest = k->spans[i];
		}
	}
	facts.call = call_of(k, longest);
	facts.time_ns = sum_ns;
	facts.other_ns = sat_sub_i64(sum_ns, longest_ns);
	return count < CONSECUTIVE_COUNT ||
	       facts.other_ns < CONSECUTIVE_SAVING_NS ||
	       collect_add(k, &facts, k->spans, count);
}

static bool follows(const struct trace *t, uint32_t before, uint32_t after)
{
	int64_t gap_ns =
		sat_sub_i64(t->spans[after].start_ns, t->spans[before].end_ns);

	return gap_ns >= 0 && gap_ns <= CONSECUTIVE_GAP_NS;
}

static bool collect_below(struct collect *k, uint32_t parent)
{
	const struct trace *t = k->t;
	const struct span *p = &t->spans[parent];
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->child_count; i++) {
		uint32_t child = t->children[p->child_first + i];

		if (!is_long_remote(k, child))
			continue;
		if (count && !follows(t, k->spans[count - 1], child)) {
			if (!add_consecutive(k, parent, count))
				return false;
			count = 0;
		}
		k->spans[count++] = child;
	}
	return !count || add_consecutive(k, parent, count);
}

bool collect_consecutive(struct collect *k)
{
	size_t before = k->result->finding_count;

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		if (k->result->finding_count - before >= FINDINGS_PER_KIND)
			break;
		if (k->t->spans[i].child_count >= CONSECUTIVE_COUNT &&
		    !collect_below(k, i))
			return false;
	}
	return true;
}
