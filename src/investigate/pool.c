/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/pool.h"

#include "analyze/verdict.h"
#include "investigate/budget.h"

/* Newest traces with the service: some dozens of each operation. */
#define POOL_TRACES 200u

static bool may_ask(const struct profile_inquiry *q, bool has_parts)
{
	const struct backends *b = q->v->backends;
	size_t needed = POOL_JOBS + (has_parts ? 2 * BUDGET_LAST_PARTS : 0);

	return q->s->has_history && q->s->has_base && !b->traces.path &&
	       !backends_trace_traits(b)->is_metered &&
	       backends_rounds_left(b) > 0 &&
	       backends_requests_left(b) >= needed;
}

static bool waits_for_pool(const struct profile_inquiry *q)
{
	return q->wait != WAIT_NEIGHBOUR &&
	       q->v->result->span.kind != SPAN_KIND_CLIENT &&
	       pool_wait_share(&q->waits[q->wait].slow.profile,
			       q->measures[q->wait].name) >= VERDICT_EXPLAINED;
}

void pool_question_init(struct pool_question *p,
			const struct profile_inquiry *q, bool has_parts,
			struct job **jobs, size_t *n)
{
	const struct time_range ranges[POOL_JOBS] = { q->s->slow, q->s->base };

	history_init_service(&p->h, q->s->service);
	p->h.keys = pool_keys;
	p->h.key_count = POOL_KEYS;
	if (!waits_for_pool(q) || !may_ask(q, has_parts))
		return;
	for (uint32_t i = 0; i < POOL_JOBS; i++) {
		p->h.windows[p->h.window_count++].range = ranges[i];
		history_job_init(&p->jobs[i], &p->h, i, POOL_TRACES);
		p->jobs[i].range = ranges[i];
		jobs[(*n)++] = &p->jobs[i].job;
	}
}

void pool_question_release(struct pool_question *p)
{
	history_release(&p->h);
}

/* Beyond the history that they are of. */
static bool keep_names(struct profile_inquiry *q, struct error *err)
{
	struct arena *arena = &q->v->result->arena;
	struct pool_holder *holder = &q->holder;

	holder->request = arena_str(arena, holder->request);
	holder->call = arena_str(arena, holder->call);
	return (holder->request.ptr && holder->call.ptr) ||
	       arena_fail(arena, "the answer", err);
}

bool pool_question_answer(struct pool_question *p, struct profile_inquiry *q,
			  struct error *err)
{
	if (!p->h.window_count)
		return true;
	return pool_holder_find(&p->h, 0, 1, &q->holder, err) &&
	       (!q->holder.is_found || keep_names(q, err));
}
