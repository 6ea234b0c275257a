/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "model/profile_build.h"
#include "model/stack_walk.h"

/* Equal ones meet here. */
static bool add_stacks(struct profile_build *b, struct error *err)
{
	struct stack_walk *w = mem_alloc(sizeof *w);
	bool is_done = w || error_memory(err, PROFILE_WHAT);

	if (is_done)
		stack_walk_init(w, b->out);
	while (is_done && stack_walk_next(w))
		is_done = profile_build_stack(b, w->frames, w->count, w->value,
					      err);
	mem_free(w);
	return is_done;
}

/* Shares are of what was left out of the stacks, too. */
static bool finish(struct profile_build *b, struct error *err)
{
	struct profile *p = b->out;
	const struct packed_stacks *packed = p->packed;

	b->magnitude = p->whole_total;
	packed_chunks_free(packed->chunks);
	p->packed = NULL;
	if (!profile_build_finish_stacks(b, err))
		return false;
	profile_infer_period(p);
	profile_ground_period(p, packed->stated_period, packed->counted);
	return true;
}

bool profile_unpack(struct profile *p, struct error *err)
{
	struct profile_build *b;
	bool is_done;

	if (!p->packed || !p->packed->is_for_later)
		return true;
	b = profile_build_resume(p, err);
	is_done = b && add_stacks(b, err) && finish(b, err);
	profile_build_free(b);
	return is_done && profile_check(p, err);
}
