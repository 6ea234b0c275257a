/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings on time between spans: before and behind the callee, inside a span
 * with no child, between sender and receiver of a message.
 */
#include "analyze/collect.h"
#include "analyze/messages.h"
#include "analyze/skew.h"
#include "base/num.h"

/* The parts of a call that its callee does not cover. */
struct rim {
	uint32_t server; /* the first server side */
	int64_t before_ns;
	int64_t behind_ns;
	bool is_moved; /* by the clocks' difference: only the sum is known */
};

static int64_t moved_start(const struct collect *k, uint32_t span)
{
	return sat_add_i64(k->t->spans[span].start_ns,
			   k->times->shift_ns[span]);
}

static int64_t moved_end(const struct collect *k, uint32_t span)
{
	return sat_add_i64(k->t->spans[span].end_ns, k->times->shift_ns[span]);
}

/* Proxies may try several servers within one call. */
static struct rim find_rim(const struct collect *k, uint32_t client)
{
	const struct trace *t = k->t;
	const struct span *s = &t->spans[client];
	struct rim rim = { .server = span_server_side(t, client) };
	int64_t start_ns, end_ns;

	if (rim.server == SPAN_NONE)
		return rim;
	start_ns = moved_start(k, rim.server);
	end_ns = moved_end(k, rim.server);
	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];

		if (moved_start(k, child) < start_ns)
			start_ns = moved_start(k, child);
		if (moved_end(k, child) > end_ns)
			end_ns = moved_end(k, child);
		rim.is_moved |=
			clock_skew_ns(t, k->times->shift_ns, child) != 0;
	}
	/* Left alone by its caller, or on a clock of its own: then the times
	 * between the two say nothing. */
	if (start_ns >= moved_end(k, client) ||
	    end_ns <= moved_start(k, client))
		return rim;
	rim.before_ns = sat_sub_i64(start_ns, moved_start(k, client));
	rim.behind_ns = sat_sub_i64(moved_end(k, client), end_ns);
	rim.before_ns = rim.before_ns < 0 ? 0 : rim.before_ns;
	rim.behind_ns = rim.behind_ns < 0 ? 0 : rim.behind_ns;
	return rim;
}

static int64_t rim_ns(const struct rim *rim)
{
	if (rim->is_moved)
		return sat_add_i64(rim->before_ns, rim->behind_ns);
	return rim->before_ns > rim->behind_ns ? rim->before_ns
					       : rim->behind_ns;
}

static bool is_queue_gap(const struct collect *k, uint32_t client, int64_t ns)
{
	int64_t call_ns = span_duration_ns(&k->t->spans[client]);

	return sat_mul_i64(ns, 100) > sat_mul_i64(call_ns, QUEUE_PERCENT) &&
	       ns > FINDING_LEAST_NS &&
	       collect_matters(k, ns, FINDING_LEAST_NS, FINDING_LEAST_PERCENT);
}

static bool add_queue_gap(struct collect *k, const struct group *g)
{
	struct rim rim = find_rim(k, g->span);
	struct finding_facts facts = {
		.kind = FINDING_QUEUE_GAP,
		.span = g->span,
		.other = rim.server,
		.count = g->count,
		.time_ns = rim_ns(&rim),
		.rim = CALL_RIM_BEFORE,
	};

	if (rim.is_moved)
		facts.rim = CALL_RIM_BOTH;
	else if (rim.behind_ns > rim.before_ns)
		facts.rim = CALL_RIM_BEHIND;
	return collect_add(k, &facts, k->spans + g->first, g->count);
}

/* The way to a callee that the answer is about. */
static bool is_answered_gap(const struct collect *k, uint32_t span)
{
	const struct result *r = k->result;

	return r->has_cause && r->cause.kind == CAUSE_NETWORK &&
	       k->calls->like[r->span.span] == k->calls->like[span];
}

bool collect_queue_gaps(struct collect *k)
{
	k->item_count = 0;
	for (uint32_t i = 0; i < k->t->span_count; i++) {
		struct rim rim;

		if (k->t->spans[i].kind != SPAN_KIND_CLIENT ||
		    !k->times->is_on_path[i] ||
		    span_server_side(k->t, i) == SPAN_NONE ||
		    is_answered_gap(k, i))
			continue;
		rim = find_rim(k, i);
		if (!is_queue_gap(k, i, rim_ns(&rim)))
			continue;
		k->items[k->item_count++] = (struct item){
			.key = k->calls->like[i],
			.rank_ns = rim_ns(&rim),
			.span = i,
		};
	}
	collect_group(k);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		if (!add_queue_gap(k, &k->groups[i]))
			return false;
	}
	return collect_add_rest(k, FINDING_QUEUE_GAP, k->group_count);
}

struct stretch {
	int64_t offset_ns; /* from the start of the span */
	int64_t length_ns;
	bool has_children; /* that were waited for */
};

static void widen(struct stretch *s, int64_t from, int64_t to, int64_t start)
{
	int64_t length = sat_sub_i64(to, from);

	if (length <= s->length_ns)
		return;
	s->length_ns = length;
	s->offset_ns = sat_sub_i64(from, start);
}

/* The longest time in which no child ran. Children lie by recorded start;
 * moved ones of other hosts are inside their calls, so seldom among them. */
static struct stretch find_stretch(const struct collect *k, uint32_t span)
{
	const struct trace *t = k->t;
	const struct span *s = &t->spans[span];
	int64_t start = moved_start(k, span);
	int64_t covered_to = start;
	struct stretch found = { 0 };

	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];

		if (k->times->tree[child] == child)
			continue;
		found.has_children = true;
		widen(&found, covered_to, moved_start(k, child), start);
		if (moved_end(k, child) > covered_to)
			covered_to = moved_end(k, child);
	}
	widen(&found, covered_to, moved_end(k, span), start);
	return found;
}

static bool add_gap(struct collect *k, uint32_t span, const struct stretch *s)
{
	const struct finding_facts facts = {
		.kind = FINDING_GAP,
		.span = span,
		.time_ns = s->length_ns,
		.other_ns = s->offset_ns,
	};

	return collect_add(k, &facts, &span, 1);
}

/* Of a span without children the whole is one stretch, and nothing new. */
bool collect_gaps(struct collect *k)
{
	for (uint32_t i = 0; i < k->t->span_count; i++) {
		struct stretch s;

		if (!k->times->is_on_path[i] ||
		    k->calls->kind[i] != CALL_NONE ||
		    !k->t->spans[i].child_count)
			continue;
		s = find_stretch(k, i);
		if (!s.has_children ||
		    !collect_matters(k, s.length_ns, FINDING_LEAST_NS,
				     GAP_PERCENT))
			continue;
		if (!add_gap(k, i, &s))
			return false;
	}
	return true;
}

static bool add_message_delay(struct collect *k, const struct group *g)
{
	const struct finding_facts facts = {
		.kind = FINDING_MESSAGE_DELAY,
		.span = k->t->spans[g->span].parent,
		.other = g->span,
		.count = g->count,
		.time_ns = g->rank_ns,
	};

	return collect_add(k, &facts, k->spans + g->first, g->count);
}

/* What the answer is about needs no finding. */
static bool is_answer(const struct collect *k, uint32_t span)
{
	return k->result->has_cause && k->result->cause.kind == CAUSE_QUEUE &&
	       k->result->span.span == span;
}

static void add_delays(struct collect *k, const struct messages *messages)
{
	k->item_count = 0;
	for (size_t i = 0; i < messages->count; i++) {
		const struct message *m = &messages->items[i];

		if (m->wait_ns >= MESSAGE_DELAY_NS &&
		    !is_answer(k, m->receiver))
			k->items[k->item_count++] = (struct item){
				.key = k->calls->like[m->receiver],
				.rank_ns = m->wait_ns,
				.span = m->receiver,
			};
	}
}

bool collect_message_delays(struct collect *k)
{
	struct messages messages;

	if (!messages_find(k->t, k->times, &k->scratch, &messages, k->err))
		return false;
	add_delays(k, &messages);
	collect_group(k);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		if (!add_message_delay(k, &k->groups[i]))
			return false;
	}
	return collect_add_rest(k, FINDING_MESSAGE_DELAY, k->group_count);
}
