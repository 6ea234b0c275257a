/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <string.h>

#include "analyze/call_graph.h"
#include "analyze/profile_analysis.h"

/* Returns whether no value is below zero; of what cancelled out a part was. */
static bool is_positive(const struct profile *p)
{
	int64_t stackless, cancelled = 0;

	if (p)
		profile_rest(p, &stackless, &cancelled);
	if (cancelled)
		return false;
	for (uint32_t i = 0; p && i < p->stack_count; i++)
		if (p->stacks[i].value < 0)
			return false;
	return true;
}

bool drawings_possible(const struct render_input *in,
		       const struct render_format *f, struct error *err)
{
	const struct result *result = in->result;
	/* Anything but numbers of functions and of calls. */
	bool needs_stacks =
		(f->needs & (RENDER_NEEDS_STACKS | RENDER_NEEDS_POSITIVE |
			     RENDER_IS_BINARY | RENDER_TAKES_ALL)) ||
		((f->needs & RENDER_NEEDS_FLAME) &&
		 !(f->needs & RENDER_NEEDS_GRAPH));
	/* The trace of `show` is drawn instead. */
	bool needs_profile =
		(f->needs & RENDER_NEEDS_PROFILE) ||
		((f->needs & (RENDER_NEEDS_FLAME | RENDER_NEEDS_ONE)) &&
		 strcmp(result->command, "show") != 0);

	if (needs_profile && !result->has_profile)
		return error_set(err, ERROR_NOT_FOUND,
				 "-o %s needs a profile, and there is none",
				 f->name);
	if ((f->needs & RENDER_NEEDS_BASELINE) && !result->has_baseline)
		return error_set(err, ERROR_NOT_FOUND,
				 "-o %s needs a baseline, and there is none",
				 f->name);
	if (needs_stacks && ((in->profile && in->profile->is_of_calls) ||
			     (in->baseline && in->baseline->is_of_calls)))
		return error_set(err, ERROR_FORMAT,
				 "-o %s needs stacks, which callgrind does not "
				 "record: it counts functions and calls (use "
				 "-o table, csv, json or dot)",
				 f->name);
	if ((f->needs & RENDER_NEEDS_POSITIVE) &&
	    (!is_positive(in->profile) || !is_positive(in->baseline)))
		return error_set(err, ERROR_FORMAT,
				 "-o %s cannot hold negative values, which "
				 "this profile has: it is a difference",
				 f->name);
	return true;
}

void drawings_init(struct drawings *d, struct render_input *in,
		   const struct flame_want *want)
{
	*d = (struct drawings){ .in = in, .want = *want };
	arena_init(&d->arena, LIMIT_RESULT_BYTES);
	arena_init(&d->flame.arena, LIMIT_RESULT_BYTES);
	arena_init(&d->graph.arena, LIMIT_RESULT_BYTES);
}

void drawings_release(struct drawings *d)
{
	arena_release(&d->arena);
	arena_release(&d->flame.arena);
	arena_release(&d->graph.arena);
}

/* Stacks are added up only for the formats that print them. */
bool drawings_add(struct drawings *d, unsigned needs, struct error *err)
{
	struct render_input *in = d->in;
	struct stack_line *lines;

	if (!in->profile)
		return true;
	if ((needs & RENDER_NEEDS_STACKS) && !in->stacks) {
		if (!stack_lines_build(in->profile, in->baseline, &d->arena,
				       &lines, &in->stack_count, err))
			return false;
		in->stacks = lines;
	}
	if ((needs & RENDER_TAKES_ALL) && in->own_samples && !in->own_stacks) {
		if (!stack_lines_build(in->own_samples, NULL, &d->arena, &lines,
				       &in->own_stack_count, err))
			return false;
		in->own_stacks = lines;
	}
	if ((needs & RENDER_DRAWS_FLAME) && !in->flame) {
		if (!flame_build(&d->flame, in->profile, in->baseline,
				 in->result, &d->want, err))
			return false;
		in->flame = &d->flame;
	}
	if ((needs & RENDER_NEEDS_GRAPH) && !in->graph) {
		if (!drawn_graph_build(&d->graph, in->profile, err))
			return false;
		in->graph = &d->graph;
	}
	return true;
}
