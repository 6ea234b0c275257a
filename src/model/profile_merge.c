/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_merge.h"

#include "base/num.h"

#define WHAT "adding up profiles"

/* Room for the ids of one part in the sum; freed as a whole. */
struct merge {
	struct profile_build *build;
	struct arena scratch;
	uint32_t *functions; /* by function of the part, from 1; 0 not yet */
	uint32_t *frames;    /* likewise */
	uint32_t ids[LIMIT_STACK_FRAMES];
};

/* Filters may have left no stack of what counts as the whole. */
static bool is_filled(const struct profile *p)
{
	return p->stack_count || p->whole_total > 0;
}

static const struct profile *first_filled(const struct profile *const *parts,
					  size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_filled(parts[i]))
			return parts[i];
	return NULL;
}

static bool is_same_type(const struct profile *a, const struct profile *b)
{
	return str_equal(profile_type_name(a), profile_type_name(b)) &&
	       str_equal(profile_unit(a), profile_unit(b));
}

static bool check_types(const struct profile *const *parts, size_t n,
			const struct profile *first, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct str type, unit, other, other_unit;

		if (!is_filled(parts[i]) || is_same_type(first, parts[i]))
			continue;
		type = profile_type_name(first);
		unit = profile_unit(first);
		other = profile_type_name(parts[i]);
		other_unit = profile_unit(parts[i]);
		return error_set(err, ERROR_FORMAT,
				 "cannot add up profiles of %.*s/%.*s and "
				 "%.*s/%.*s: ask for one profile type",
				 STR_ARGS(type), STR_ARGS(unit),
				 STR_ARGS(other), STR_ARGS(other_unit));
	}
	return true;
}

static bool merge_function(struct merge *m, const struct profile *p,
			   uint32_t function, uint32_t *id, struct error *err)
{
	uint32_t *known = &m->functions[function];

	if (!*known) {
		if (!profile_build_mapped(m->build, function_name(p, function),
					  function_file(p, function),
					  function_mapping(p, function),
					  p->functions[function].is_nameless,
					  id, err))
			return false;
		*known = *id + 1;
	}
	*id = *known - 1;
	return true;
}

static bool merge_frame(struct merge *m, const struct profile *p,
			uint32_t frame, uint32_t *id, struct error *err)
{
	uint32_t *known = &m->frames[frame];
	struct frame place = p->frames[frame];

	if (!*known) {
		if (!merge_function(m, p, place.function, &place.function,
				    err) ||
		    !profile_build_place(m->build, &place, id, err))
			return false;
		*known = *id + 1;
	}
	*id = *known - 1;
	return true;
}

static bool merge_stack(struct merge *m, const struct profile *p,
			const struct stack *stack, struct error *err)
{
	for (uint32_t i = 0; i < stack->frame_count; i++)
		if (!merge_frame(m, p, p->frame_ids[stack->frame_first + i],
				 &m->ids[i], err))
			return false;
	return profile_build_stack(m->build, m->ids, stack->frame_count,
				   stack->value, err);
}

static bool merge_part(struct merge *m, const struct profile *p,
		       struct error *err)
{
	arena_release(&m->scratch);
	m->functions = arena_array(&m->scratch, p->function_count,
				   sizeof *m->functions);
	m->frames = arena_array(&m->scratch, p->frame_count, sizeof *m->frames);
	if (!m->functions || !m->frames)
		return arena_fail(&m->scratch, WHAT, err);
	for (uint32_t i = 0; i < p->stack_count; i++)
		if (!merge_stack(m, p, &p->stacks[i], err))
			return false;
	return true;
}

/* What is said of the first part, as far as the next one agrees. */
static void merge_header(struct profile *out, const struct profile *p)
{
	if (p->period != out->period)
		out->period = 0;
	if (p->sample_count < 0 || out->sample_count < 0)
		out->sample_count = -1;
	else
		out->sample_count =
			sat_add_i64(out->sample_count, p->sample_count);
	if (p->time_ns && (!out->time_ns || p->time_ns < out->time_ns))
		out->time_ns = p->time_ns;
	out->duration_ns = sat_add_i64(out->duration_ns, p->duration_ns);
	out->is_gauge |= p->is_gauge;
	out->has_lines &= p->has_lines;
}

static void merge_headers(struct profile *out,
			  const struct profile *const *parts, size_t n,
			  const struct profile *first)
{
	double truncated = 0, total = 0;

	out->period = first->period;
	out->sample_count = 0;
	out->has_lines = true;
	out->whole_total = 0;
	for (size_t i = 0; i < n; i++) {
		out->whole_total =
			sat_add_i64(out->whole_total, parts[i]->whole_total);
		if (!is_filled(parts[i]))
			continue;
		merge_header(out, parts[i]);
		truncated +=
			parts[i]->truncated_share * (double)parts[i]->total;
		total += (double)parts[i]->total;
	}
	out->truncated_share = total > 0 ? truncated / total : 0;
}

static bool merge_all(struct merge *m, const struct profile *const *parts,
		      size_t n, const struct profile *first, struct error *err)
{
	if (!profile_build_type(m->build, profile_type_name(first),
				profile_unit(first), err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_filled(parts[i]) && !merge_part(m, parts[i], err))
			return false;
	return true;
}

bool profile_merge(struct profile *out, const struct profile *const *parts,
		   size_t n, struct notes *notes, struct error *err)
{
	const struct profile *first = first_filled(parts, n);
	struct merge m = { .build = profile_build_new(out, err) };
	bool is_done = m.build != NULL;

	arena_init(&m.scratch, LIMIT_DECODE_HEAP_BYTES);
	/* All empty: of the first part's type all the same. */
	if (is_done && first)
		is_done = check_types(parts, n, first, err) &&
			  merge_all(&m, parts, n, first, err);
	else if (is_done && n)
		is_done =
			profile_build_type(m.build, profile_type_name(parts[0]),
					   profile_unit(parts[0]), err);
	if (is_done)
		is_done = profile_build_finish(m.build, notes, err);
	if (is_done && first)
		merge_headers(out, parts, n, first);
	else if (is_done && n) {
		out->period = parts[0]->period;
		out->is_gauge = parts[0]->is_gauge;
	}
	arena_release(&m.scratch);
	profile_build_free(m.build);
	return is_done;
}
