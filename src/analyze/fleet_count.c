/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/fleet_count.h"

#include "analyze/diff.h"
#include "analyze/function_totals.h"
#include "base/num.h"
#include "model/profile_merge.h"

/* What is worked out of the profiles of a service, in memory of its own. */
struct counting {
	struct arena arena;
	struct fleet *fleet;
	struct fleet_service *service;
	struct profile before; /* the sum */
	const struct profile *const *parts;
	struct func_table table;
	struct slice_values values;
	double sample[SIDE_COUNT]; /* its value */
};

static bool fail(const struct counting *c, struct error *err)
{
	return arena_fail(&c->fleet->arena, "the fleet", err);
}

static double share_of(const struct counting *c, uint32_t id, enum side s)
{
	const struct profile *p = s == SIDE_SLOW ? c->parts[0] : &c->before;

	return side_share(p, c->table.entries[id].values[s].self_lib);
}

static bool is_kept(const struct counting *c, uint32_t id)
{
	return !func_is_nameless(&c->table, id) &&
	       share_of(c, id, SIDE_SLOW) + share_of(c, id, SIDE_BASELINE) >=
		       FLEET_LEAST_SHARE;
}

static bool keep_function(struct counting *c, uint32_t id, struct error *err)
{
	const struct func_entry *e = &c->table.entries[id];
	const struct slice_side *before = &c->values.sides[SIDE_BASELINE];
	struct fleet_service *s = c->service;
	struct fleet_function *f = &s->functions[s->count++];
	struct arena *arena = &c->fleet->arena;

	*f = (struct fleet_function){
		.name = arena_str(arena, e->name),
		.file = e->file.ptr ? arena_str(arena, e->file) : e->file,
		.line = e->line,
		.after = (double)e->values[SIDE_SLOW].self_lib /
			 c->sample[SIDE_SLOW],
	};
	for (size_t i = 0; i < before->count; i++)
		f->before[i] = before->values[id * before->count + i] /
			       c->sample[SIDE_BASELINE];
	return (f->name.ptr && (f->file.ptr || !e->file.ptr)) ||
	       fail(c, err);
}

static bool keep_functions(struct counting *c, struct error *err)
{
	struct fleet_service *s = c->service;
	size_t count = 0;

	for (uint32_t id = 0; id < c->table.count; id++)
		count += is_kept(c, id);
	s->functions =
		arena_array(&c->fleet->arena, count + 1, sizeof *s->functions);
	if (!s->functions)
		return fail(c, err);
	for (uint32_t id = 0; id < c->table.count; id++)
		if (is_kept(c, id) && !keep_function(c, id, err))
			return false;
	return true;
}

static void count_sides(struct counting *c)
{
	const struct slice_side *before = &c->values.sides[SIDE_BASELINE];
	struct fleet_service *s = c->service;
	const struct profile *after = c->parts[0];
	double seconds = time_range_seconds(s->after.range);

	s->after_samples =
		(double)after->whole_total / c->sample[SIDE_SLOW];
	for (size_t i = 0; i < before->count; i++)
		s->before_samples[i] =
			before->wholes[i] / c->sample[SIDE_BASELINE];
	s->sample_cores = c->sample[SIDE_SLOW] *
			  (double)time_unit_ns(profile_unit(after)) /
			  NS_PER_S / seconds;
}

static bool count_functions(struct counting *c, const struct code_rules *rules,
			    struct error *err)
{
	const struct rank_want want = {
		.by = RANK_SELF_LIB,
		.slow_slices = { .profiles = c->parts, .count = 1 },
		.baseline_slices = { .profiles = c->parts + 1,
				     .count = FLEET_PARTS },
	};

	if (!diff_sample_values(c->parts[0], &c->before, c->sample) ||
	    !(c->sample[SIDE_SLOW] > 0)) {
		c->service->state = FLEET_NO_TEST;
		return true;
	}
	if (!func_table_build(&c->table, &c->arena, c->parts[0], &c->before,
			      rules, false, err) ||
	    !slice_values_build(&c->values, &c->table, &want, true, err))
		return false;
	c->service->state = FLEET_COMPARED;
	count_sides(c);
	return keep_functions(c, err);
}

bool fleet_count(struct fleet *f, struct fleet_service *s,
		 const struct profile *const profiles[FLEET_QUESTIONS],
		 const struct code_rules *rules, struct notes *notes,
		 struct error *err)
{
	struct counting c = { .fleet = f, .service = s, .parts = profiles };
	bool done;

	arena_init(&c.arena, LIMIT_ANALYZE_HEAP_BYTES);
	profile_init(&c.before);
	done = profile_merge(&c.before, profiles + 1, FLEET_PARTS, notes, err);
	if (done && profiles[0]->whole_total <= 0)
		s->state = FLEET_NO_CANDIDATE;
	else if (done && c.before.whole_total <= 0)
		s->state = FLEET_NO_BASELINE;
	else
		done = done && count_functions(&c, rules, err);
	profile_release(&c.before);
	arena_release(&c.arena);
	return done;
}
