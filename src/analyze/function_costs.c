/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_costs.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff.h"
#include "analyze/function_table.h"
#include "analyze/stats.h"
#include "base/num.h"

#define LEVEL 0.05

struct costs {
	struct func_table t;
	struct slice_values slices;
	struct replicate_runs runs; /* of the slow side alone */
	struct replicate_noise noise;
	double sample_value; /* 0: values are no samples */
	bool is_by_slices;
};

/* Returns the relative error of a value whose variance is phi times that of
 * independent samples. */
static double relative_error(double value, double sample_value,
			     struct noise noise)
{
	double samples = value / sample_value;

	return samples > 0 ? student_two_sided_quantile(LEVEL, noise.df) *
				     sqrt(noise.phi / samples)
			   : NAN;
}

double cost_error(const double *values, const double *exposures, size_t count,
		  double sample_value)
{
	const struct replicate_runs runs = { .count = { count },
					     .sizes = { exposures },
					     .value = { sample_value, 1 } };
	const struct replicate_row row = { { values } };
	struct noise noise = { OVERDISPERSION_BASE, INFINITY };
	struct replicate_sums sums;
	double sum = 0;

	if (!(sample_value > 0))
		return NAN;
	sums = replicates_sums(&runs, &row, 0);
	if (sums.df > 0)
		noise = (struct noise){ fmax(1, sums.pearson / sums.df),
					sums.df };
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return relative_error(sum, sample_value, noise);
}

static struct replicate_row row_at(const struct costs *c, size_t id)
{
	const struct slice_side *side = &c->slices.sides[SIDE_SLOW];

	return (struct replicate_row){ { side->values + id * side->count } };
}

/* Estimates the noise from all functions, as few slices show little about
 * one. */
static bool find_noise(struct costs *c, struct error *err)
{
	const struct slice_side *side = &c->slices.sides[SIDE_SLOW];
	struct replicate_row *rows =
		arena_array(c->t.arena, c->t.count + 1, sizeof *rows);

	if (!rows)
		return arena_fail(c->t.arena, "functions", err);
	c->runs = (struct replicate_runs){
		.count = { side->count },
		.sizes = { side->exposures },
		.value = { c->sample_value > 0 ? c->sample_value : 1, 1 },
	};
	c->noise = (struct replicate_noise){ .least = c->sample_value > 0 };
	for (size_t id = 0; id < c->t.count; id++)
		rows[id] = row_at(c, id);
	return replicates_trend(&c->runs, rows, c->t.count, &c->noise, err);
}

static double error_at(const struct costs *c, size_t id, double value)
{
	struct noise noise = { OVERDISPERSION_BASE, INFINITY };
	double size = c->sample_value > 0 ? c->sample_value : 1;

	if (c->is_by_slices) {
		struct replicate_row row = row_at(c, id);
		struct replicate_sums sums =
			replicates_sums(&c->runs, &row, c->noise.drift);

		noise = replicates_row_noise(&c->noise, &sums, size / value, 0);
	} else if (!(c->sample_value > 0)) {
		return NAN;
	}
	return relative_error(value, size, noise);
}

static int compare_costs(const void *left, const void *right)
{
	const struct function_cost *a = left, *b = right;
	int order = compare_f64(b->value, a->value);

	return order ? order : str_compare(a->name, b->name);
}

static bool list_costs(const struct costs *c, struct function_costs *out,
		       struct error *err)
{
	const struct func_table *t = &c->t;

	out->items = arena_array(t->arena, t->count, sizeof *out->items);
	if (!out->items)
		return arena_fail(t->arena, "functions", err);
	for (size_t id = 0; id < t->count; id++) {
		const struct func_entry *e = &t->entries[id];
		double value = (double)e->values[SIDE_SLOW].self_lib;

		if (!(value > 0))
			continue;
		out->items[out->count++] = (struct function_cost){
			.name = e->name,
			.file = e->file,
			.line = e->line,
			.value = value,
			.error = error_at(c, id, value),
		};
		if (e->leaf != id)
			out->items[out->count - 1].leaf =
				t->entries[e->leaf].name;
	}
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_costs);
	return true;
}

bool function_costs_find(const struct profile *p,
			 const struct rank_slices *slices,
			 const struct code_rules *rules, struct arena *arena,
			 struct function_costs *out, struct error *err)
{
	const struct rank_want want = { .by = RANK_SELF_LIB,
					.slow_slices = *slices };
	struct costs c = { .sample_value = profile_sample_value(p) };
	const struct slice_side *side = &c.slices.sides[SIDE_SLOW];
	double value = (double)p->whole_total;

	*out = (struct function_costs){ .sample_value = c.sample_value };
	if (!func_table_build(&c.t, arena, p, NULL, rules, FUNC_NAMES_MATCHED,
			      err))
		return false;
	if (slices->count > 1 &&
	    !slice_values_build(&c.slices, &c.t, &want, false, err))
		return false;
	c.is_by_slices = side->count > 1;
	if ((c.is_by_slices && !find_noise(&c, err)) ||
	    !list_costs(&c, out, err))
		return false;
	out->is_by_slices = c.is_by_slices;
	out->whole = (struct function_cost){ .value = value };
	out->whole.error =
		c.is_by_slices
			? cost_error(side->wholes, side->exposures, side->count,
				     c.sample_value)
			: cost_error(&value, &value, 1, c.sample_value);
	return true;
}
