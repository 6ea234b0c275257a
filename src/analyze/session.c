/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/session.h"

#include "base/num.h"

/* What ran up to where, while spans come in the order of their starts. */
struct pauses {
	int64_t start_ns;
	int64_t covered_to_ns;
	int64_t sum_ns;
	uint32_t count;
	uint32_t runs; /* spans that were added */
};

static void add(struct pauses *p, const struct span *s)
{
	int64_t pause_ns = sat_sub_i64(s->start_ns, p->covered_to_ns);

	if (!p->runs++) {
		p->start_ns = s->start_ns;
		p->covered_to_ns = s->end_ns;
		return;
	}
	if (pause_ns >= SESSION_PAUSE_NS) {
		p->count++;
		p->sum_ns = sat_add_i64(p->sum_ns, pause_ns);
	}
	if (s->end_ns > p->covered_to_ns)
		p->covered_to_ns = s->end_ns;
}

static int64_t length(const struct pauses *p)
{
	return sat_sub_i64(p->covered_to_ns, p->start_ns);
}

static bool is_enough(const struct pauses *p)
{
	return p->count >= SESSION_PAUSES &&
	       sat_mul_i64(p->sum_ns, 100) >=
		       sat_mul_i64(length(p), SESSION_PAUSE_PERCENT);
}

bool session_is_root(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];
	struct pauses p = { 0 };
	uint32_t failed = 0;

	if (s->parent != SPAN_NONE || s->kind != SPAN_KIND_INTERNAL)
		return false;
	for (uint32_t i = 0; i < s->child_count; i++) {
		const struct span *child =
			&t->spans[t->children[s->child_first + i]];

		add(&p, child);
		failed += (child->flags & SPAN_IS_ERROR) != 0;
	}
	return is_enough(&p) && failed * 2 <= s->child_count;
}

/* A request of the session, or the story of a message, or the session itself.
 */
static bool is_request(const struct trace *t, const struct trace_times *times,
		       uint32_t span)
{
	const struct span *s = &t->spans[span];

	if (times->tree[span] != span || session_is_root(t, span))
		return false;
	return s->parent == SPAN_NONE || (s->kind != SPAN_KIND_CONSUMER &&
					  !(s->flags & SPAN_IS_FOLLOWS_FROM));
}

bool session_find(const struct trace *t, const struct trace_times *times,
		  struct session *out)
{
	struct pauses p = { 0 };

	*out = (struct session){ .slowest = SPAN_NONE };
	for (uint32_t i = 0; i < t->span_count; i++) {
		if (!is_request(t, times, i))
			continue;
		add(&p, &t->spans[i]);
		/* As recorded: what never ended seems to last to the end. */
		if (out->slowest == SPAN_NONE ||
		    span_duration_ns(&t->spans[i]) >
			    span_duration_ns(&t->spans[out->slowest]))
			out->slowest = i;
	}
	if (!is_enough(&p)) {
		*out = (struct session){ .slowest = SPAN_NONE };
		return false;
	}
	out->request_count = p.runs;
	out->length_ns = length(&p);
	out->pause_ns = p.sum_ns;
	return true;
}

uint32_t session_poll_work(const struct trace *t,
			   const struct trace_times *times, uint32_t root)
{
	uint8_t kind = t->spans[root].kind;
	uint32_t longest = SPAN_NONE;

	if (kind != SPAN_KIND_CONSUMER && kind != SPAN_KIND_INTERNAL)
		return root;
	for (uint32_t i = 0; i < t->span_count; i++)
		if (times->tree[i] == i && i != root &&
		    (longest == SPAN_NONE ||
		     span_duration_ns(&t->spans[i]) >
			     span_duration_ns(&t->spans[longest])))
			longest = i;
	if (longest == SPAN_NONE ||
	    span_duration_ns(&t->spans[longest]) <
		    sat_mul_i64(times->through_ns[root], POLL_RATIO))
		return root;
	return longest;
}
