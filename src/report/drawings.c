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

static bool is_of_calls(const struct profile *p)
{
	return p && p->is_of_calls;
}

/* Anything but numbers of functions and of calls. */
static bool draws_stacks(const struct render_format *f)
{
	return (f->needs & (RENDER_NEEDS_STACKS | RENDER_NEEDS_POSITIVE |
			    RENDER_IS_BINARY | RENDER_TAKES_ALL)) ||
	       ((f->needs & RENDER_NEEDS_FLAME) &&
		!(f->needs & RENDER_NEEDS_GRAPH));
}

bool drawings_possible(const struct render_input *in,
		       const struct render_format *f, struct error *err)
{
	const struct result *result = in->result;

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
	if ((is_of_calls(in->profile) || is_of_calls(in->baseline)) &&
	    draws_stacks(f))
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
static bool add_stacks(struct drawings *d, struct error *err)
{
	struct stack_line *lines;

	if (d->in->stacks)
		return true;
	if (!stack_lines_build(d->in->profile, d->in->baseline, &d->arena,
			       &lines, &d->in->stack_count, err))
		return false;
	d->in->stacks = lines;
	return true;
}

static bool add_own_stacks(struct drawings *d, struct error *err)
{
	struct stack_line *lines;

	if (!d->in->own_samples || d->in->own_stacks)
		return true;
	if (!stack_lines_build(d->in->own_samples, NULL, &d->arena, &lines,
			       &d->in->own_stack_count, err))
		return false;
	d->in->own_stacks = lines;
	return true;
}

static bool add_flame(struct drawings *d, struct error *err)
{
	if (d->in->flame)
		return true;
	if (!flame_build(&d->flame, d->in->profile, d->in->baseline,
			 d->in->result, &d->want, err))
		return false;
	d->in->flame = &d->flame;
	return true;
}

static bool add_graph(struct drawings *d, struct error *err)
{
	if (d->in->graph)
		return true;
	if (!drawn_graph_build(&d->graph, d->in->profile, err))
		return false;
	d->in->graph = &d->graph;
	return true;
}

bool drawings_add(struct drawings *d, unsigned needs, struct error *err)
{
	if (!d->in->profile)
		return true;
	return (!(needs & RENDER_NEEDS_STACKS) || add_stacks(d, err)) &&
	       (!(needs & RENDER_TAKES_ALL) || add_own_stacks(d, err)) &&
	       (!(needs & RENDER_DRAWS_FLAME) || add_flame(d, err)) &&
	       (!(needs & RENDER_NEEDS_GRAPH) || add_graph(d, err));
}
