/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_merge.h"

#include "base/mem.h"
#include "base/num.h"
#include "model/profile_join.h"

#define WHAT "adding up profiles"

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

/* ---- adding up ---- */

/* A part, or a sum of some. */
struct node {
	const struct profile *profile;
	struct profile *owned; /* NULL: a part */
};

struct merge {
	struct node *nodes;
	size_t count;
	struct profile *sums; /* room for all of them */
	size_t sum_count;
	bool is_loose; /* a part is in no order, so no sum is */
	bool is_saturated;
};

static bool join(struct merge *m, struct profile *out, const struct profile *a,
		 const struct profile *b, struct error *err)
{
	return m->is_loose
		       ? profile_join_loose(out, a, b, &m->is_saturated, err)
		       : profile_join(out, a, b, &m->is_saturated, err);
}

static bool add_up(struct merge *m, size_t first, struct node *sum,
		   struct error *err)
{
	struct profile *into = &m->sums[m->sum_count++];

	profile_init(into);
	if (!join(m, into, m->nodes[first].profile, m->nodes[first + 1].profile,
		  err))
		return false;
	for (size_t i = first; i < first + 2; i++)
		if (m->nodes[i].owned)
			profile_release(m->nodes[i].owned);
	*sum = (struct node){ into, into };
	return true;
}

/* Pairs, pairs of pairs and so on: nothing is walked through more often than
 * the logarithm of their count. */
static bool add_up_all(struct merge *m, struct profile *out, struct error *err)
{
	struct profile empty;

	while (m->count > 2) {
		for (size_t i = 0; i + 1 < m->count; i += 2)
			if (!add_up(m, i, &m->nodes[i / 2], err))
				return false;
		if (m->count % 2)
			m->nodes[m->count / 2] = m->nodes[m->count - 1];
		m->count = (m->count + 1) / 2;
	}
	profile_init(&empty);
	return join(m, out, m->nodes[0].profile,
		    m->count > 1 ? m->nodes[1].profile : &empty, err);
}

static bool merge_parts(struct merge *m, struct profile *out,
			const struct profile *const *parts, size_t n,
			struct error *err)
{
	bool is_done;

	m->nodes = mem_calloc(n, sizeof *m->nodes);
	m->sums = mem_calloc(n, sizeof *m->sums);
	if (!m->nodes || !m->sums)
		is_done = error_memory(err, WHAT);
	else {
		for (size_t i = 0; i < n; i++)
			if (is_filled(parts[i])) {
				m->nodes[m->count++].profile = parts[i];
				m->is_loose |=
					parts[i]->packed || parts[i]->is_loose;
			}
		is_done = add_up_all(m, out, err);
	}
	for (size_t i = 0; i < m->sum_count; i++)
		profile_release(&m->sums[i]);
	mem_free(m->sums);
	mem_free(m->nodes);
	return is_done;
}

/* What is said of the first part, as far as the next one agrees. */
static void merge_header(struct profile *out, const struct profile *p,
			 bool *is_length_known)
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
	*is_length_known &= p->duration_ns > 0;
	out->is_gauge |= p->is_gauge;
	out->is_difference |= p->is_difference;
	out->has_lines &= p->has_lines;
	out->is_of_calls |= p->is_of_calls;
}

void profile_merge_heads(struct profile *out,
			 const struct profile *const *parts, size_t n)
{
	const struct profile *first = first_filled(parts, n);
	double truncated = 0, total = 0;
	bool is_length_known = true;

	out->period = first ? first->period : 0;
	out->sample_count = 0;
	out->has_lines = true;
	out->whole_total = out->omitted = out->filtered = 0;
	for (size_t i = 0; i < n; i++) {
		out->whole_total =
			sat_add_i64(out->whole_total, parts[i]->whole_total);
		out->omitted = sat_add_i64(out->omitted, parts[i]->omitted);
		out->filtered = sat_add_i64(out->filtered, parts[i]->filtered);
		if (!is_filled(parts[i]))
			continue;
		merge_header(out, parts[i], &is_length_known);
		truncated +=
			parts[i]->truncated_share * (double)parts[i]->total;
		total += (double)parts[i]->total;
	}
	if (!is_length_known)
		out->duration_ns = 0;
	out->truncated_share = total > 0 ? truncated / total : 0;
}

/* All are empty: of the first part's type all the same. */
static bool merge_nothing(struct profile *out,
			  const struct profile *const *parts, size_t n,
			  struct error *err)
{
	struct profile empty;
	bool is_saturated = false;

	profile_init(&empty);
	if (!profile_join(out, n ? parts[0] : &empty, &empty, &is_saturated,
			  err))
		return false;
	out->type_count = n > 0;
	out->period = n ? parts[0]->period : 0;
	out->is_gauge = n && parts[0]->is_gauge;
	return true;
}

bool profile_merge(struct profile *out, const struct profile *const *parts,
		   size_t n, struct notes *notes, struct error *err)
{
	const struct profile *first = first_filled(parts, n);
	struct merge m = { .count = 0 };

	if (!first)
		return merge_nothing(out, parts, n, err);
	if (!check_types(parts, n, first, err) ||
	    !merge_parts(&m, out, parts, n, err))
		return false;
	if (m.is_saturated)
		notes_add(notes, "values add up to more than 64 bits hold: "
				 "totals and shares are too small");
	profile_merge_heads(out, parts, n);
	return true;
}
