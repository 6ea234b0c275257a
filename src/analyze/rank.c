/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "analyze/category_share.h"
#include "analyze/diff.h"
#include "analyze/function_table.h"
#include "analyze/profile_analysis.h"
#include "analyze/rank_facts.h"
#include "analyze/snapshot_make.h"
#include "base/num.h"
#include "base/system.h"

/* The divisors of the sides of a ranking for comparing their values. */

/* Returns the first wanted normalization that is known for both sides. Values
 * in use are no rate. */
static enum normalize known_way(const struct rank_want *want, bool is_gauge)
{
	enum normalize way = want->normalize;

	if (is_gauge && way != NORMALIZE_SHARE)
		return NORMALIZE_VALUE;
	if (way == NORMALIZE_REQUEST &&
	    !(want->slow_requests > 0 && want->baseline_requests > 0))
		way = NORMALIZE_RATE;
	if (way == NORMALIZE_RATE &&
	    !(want->window_ns > 0 && want->baseline_ns > 0))
		way = NORMALIZE_VALUE;
	return way;
}

/* Fills what of the comparison the way wanted decides, or the next that is known
 * on both sides, which facts tell. */
static void rank_exposure_set(const struct rank_want *want,
			      struct diff_want *out, const struct profile *slow,
			      struct rank_facts *facts)
{
	double *exposure = out->exposure;

	out->normalize = known_way(want, slow->is_gauge);
	out->is_requests_sampled = want->is_requests_sampled;
	out->is_small_told = want->by == RANK_DELTA;
	out->is_interleaved = want->is_interleaved;
	out->is_of_runs = want->is_of_runs;
	exposure[SIDE_SLOW] = exposure[SIDE_BASELINE] = 1;
	if (out->normalize == NORMALIZE_REQUEST) {
		exposure[SIDE_SLOW] = want->slow_requests;
		exposure[SIDE_BASELINE] = want->baseline_requests;
	} else if (out->normalize == NORMALIZE_RATE) {
		exposure[SIDE_SLOW] = (double)want->window_ns / 1e9;
		exposure[SIDE_BASELINE] = (double)want->baseline_ns / 1e9;
	}
	facts->is_other_way =
		want->is_way_asked && out->normalize != want->normalize;
	facts->asked_way = want->normalize;
	facts->is_gauge = slow->is_gauge;
	/* A number of samples is time only with the sampling period, and the
	 * two sides may have been sampled at different ones. */
	facts->is_rate_of_samples =
		out->normalize == NORMALIZE_RATE &&
		str_equal(profile_type_name(slow), STR("samples")) &&
		!time_unit_ns(profile_unit(slow));
}

struct ranking {
	const struct func_table *t;
	const struct rank_want *want;
	const struct entry_diff *diffs; /* NULL without a comparison */
	struct diff diff;               /* of the ranked measure */
	struct diff total_diff;         /* of the loop's rows and of drawings */
	/* For totals: the comparison that decides. */
	struct changes changes;
	/* Borrowed by it: the ranked measure, totals, self+lib, self. */
	struct diff_want diff_want, total_want, self_lib_want, self_want;
	struct slice_values slices, total_slices, self_lib_slices, self_slices;
	struct slice_values peers; /* that tell what all have in common */
	struct diff_shared shared;
	uint32_t *order;
	size_t count;
	struct rank_facts *facts;
	/* The first rows, put there because they run the loop. They own little
	 * themselves: what they call counts. */
	size_t loop_count;
};

/* ---- order ---- */

static bool is_by_total(const struct ranking *r)
{
	return r->want->by == RANK_TOTAL || r->want->by == RANK_DELTA;
}

/* Grown, shrunk; possibly changed, changed with all others; unchanged. Within
 * each, rows that only pass on a change, and those too small to test, come
 * last. */
enum order_group {
	GROUP_UP = 0,
	GROUP_DOWN = 2,
	GROUP_UNCERTAIN = 4,
	GROUP_UNCHANGED = 6,
};

static int change_group(const struct ranking *r, uint32_t id)
{
	const struct entry_diff *d = r->diffs ? &r->diffs[id] : NULL;
	bool is_real = d && change_is_real(d->change);
	int group = GROUP_UP;

	if (!d)
		return GROUP_UNCHANGED;
	if (is_by_total(r) && !is_real &&
	    (d->is_with_all || d->change == CHANGE_NOISE))
		group = GROUP_UNCERTAIN;
	else if (!is_real)
		return GROUP_UNCHANGED;
	else if (r->want->by != RANK_DELTA && d->delta < 0)
		group = GROUP_DOWN;
	if (is_by_total(r) && is_real && d->through != ENTRY_NONE) {
		double own = r->changes.self_lib.rows[id].delta;

		/* It passes a change on that others ask for, but does the work
		 * itself: worth as much as who asks. */
		if (fabs(d->delta) >= DIFF_MIN_DELTA &&
		    (own > 0) == (d->delta > 0) &&
		    fabs(own) >= THROUGH_PART * fabs(d->delta))
			return group;
	}
	return group + (d->through != ENTRY_NONE || d->is_untraced);
}

/* No larger than that of whom it works for. */
static double told_delta(const struct ranking *r, const struct entry_diff *d)
{
	double size = fabs(d->delta);

	return d->through == ENTRY_NONE
		       ? size
		       : fmin(size, fabs(r->diffs[d->through].delta));
}

/* The largest first. Of a difference what grew, then what shrank, then what did
 * neither. */
static int compare_sizes(const struct ranking *r, int64_t a, int64_t b)
{
	int order;

	if (!r->t->sides[SIDE_SLOW].profile->is_difference)
		return compare_i64(b, a);
	order = (b > 0) - (a > 0);
	if (!order)
		order = (b != 0) - (a != 0);
	return order ? order : compare_magnitudes_i64(a, b);
}

/* By the ranked measure, then by all that lies beneath. */
static int compare_values(const struct ranking *r, uint32_t a, uint32_t b)
{
	/* The largest totals are those of main() and its like. */
	enum rank_by by = r->diffs && r->want->by != RANK_SELF ? RANK_SELF_LIB
							       : r->want->by;

	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct side_values *x = &r->t->entries[a].values[s];
		const struct side_values *y = &r->t->entries[b].values[s];
		int order = compare_sizes(r, side_value(x, by),
					  side_value(y, by));

		if (!order && !r->want->is_plain)
			order = compare_sizes(r, x->total, y->total);
		if (order)
			return order;
	}
	return 0;
}

/* Totals are shown by what they changed by, and certain is certain; who holds
 * a change before who works for it. */
static int compare_changes(const struct ranking *r, const struct entry_diff *a,
			   const struct entry_diff *b)
{
	int order;

	if (is_by_total(r)) {
		order = compare_f64(told_delta(r, b), told_delta(r, a));
		return order ? order
			     : (a->through != ENTRY_NONE) -
				       (b->through != ENTRY_NONE);
	}
	order = compare_f64(fabs(b->effect), fabs(a->effect));
	return order ? order : compare_f64(fabs(b->delta), fabs(a->delta));
}

/* Truncated values are last: they answer nothing. */
static int compare_entries(const void *left, const void *right, void *data)
{
	const struct ranking *r = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int group = change_group(r, a);
	int order = func_is_nameless(r->t, a) - func_is_nameless(r->t, b);

	if (!order)
		order = group - change_group(r, b);
	if (!order && group < GROUP_UNCHANGED)
		order = compare_changes(r, &r->diffs[a], &r->diffs[b]);
	if (!order)
		order = compare_values(r, a, b);
	return order ? order : func_compare_keys(r->t, a, b);
}

static void swap_ids(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

/* Lets what is at the top of a heap, the last in order, sink to its place. */
static void heap_sink(struct ranking *r, size_t count)
{
	uint32_t *ids = r->order;
	uint32_t sinking = ids[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count &&
		    compare_entries(&ids[child], &ids[child + 1], r) < 0)
			child++;
		if (compare_entries(&sinking, &ids[child], r) >= 0)
			break;
		ids[at] = ids[child];
		at = child;
	}
	ids[at] = sinking;
}

/* Moves the first `kept` rows to the front, in order, as some dozen of 100,000
 * functions are shown. Once sorted in reverse they are a heap. */
static void order_first(struct ranking *r, size_t kept)
{
	uint32_t *ids = r->order;

	system_sort(ids, kept, sizeof *ids, compare_entries, r);
	for (size_t i = 0; i < kept / 2; i++)
		swap_ids(&ids[i], &ids[kept - 1 - i]);
	for (size_t i = kept; i < r->count; i++) {
		if (compare_entries(&ids[i], &ids[0], r) >= 0)
			continue;
		swap_ids(&ids[i], &ids[0]);
		heap_sink(r, kept);
	}
	system_sort(ids, kept, sizeof *ids, compare_entries, r);
}

/* Moves the functions of the loop to the front, keeping the others' order. */
static bool loop_promote(struct ranking *r, struct error *err)
{
	uint32_t rows[LOOP_ROWS];

	if (!loop_rows_find(r->t, r->want->span_name, rows, &r->loop_count,
			    err))
		return false;
	for (size_t to = 0; to < r->loop_count; to++) {
		size_t from = to;

		while (from < r->count && r->order[from] != rows[to])
			from++;
		if (from == r->count)
			continue;
		for (; from > to; from--)
			r->order[from] = r->order[from - 1];
		r->order[to] = rows[to];
	}
	return true;
}

static bool ranking_order(struct ranking *r, struct error *err)
{
	size_t limit = r->want->limit;

	r->order = arena_array(r->t->arena, r->t->count, sizeof *r->order);
	if (!r->order)
		return arena_fail(r->t->arena, "ranking functions", err);
	/* Functions of the tables of a profile that are on no stack are no
	 * rows. */
	for (uint32_t id = 0; id < r->t->count; id++)
		if (r->t->entries[id].values[SIDE_SLOW].total ||
		    r->t->entries[id].values[SIDE_BASELINE].total)
			r->order[r->count++] = id;
	if (r->want->is_loop || !limit || limit >= r->count)
		system_sort(r->order, r->count, sizeof *r->order,
			    compare_entries, r);
	else
		order_first(r, limit);
	return !r->want->is_loop || loop_promote(r, err);
}

/* ---- rows ---- */

static void row_values(const struct ranking *r, const struct func_entry *e,
		       struct function_row *row)
{
	const struct profile *slow = r->t->sides[SIDE_SLOW].profile;
	const struct profile *base = r->t->sides[SIDE_BASELINE].profile;
	const struct side_values *now = &e->values[SIDE_SLOW];
	const struct side_values *was = &e->values[SIDE_BASELINE];

	row->self_lib = side_share(slow, now->self_lib);
	row->self = side_share(slow, now->self);
	row->total = side_share(slow, now->total);
	row->self_lib_value = now->self_lib;
	row->self_value = now->self;
	row->total_value = now->total;
	row->baseline_self_lib = side_share(base, was->self_lib);
	row->baseline_self = side_share(base, was->self);
	row->baseline_total = side_share(base, was->total);
	row->baseline_self_lib_value = was->self_lib;
	row->baseline_self_value = was->self;
	row->baseline_total_value = was->total;
}

/* Returns the comparison of the i-th row's change, NULL without one. */
static const struct diff *shown_diff(const struct ranking *r, size_t i)
{
	if (!r->diffs)
		return NULL;
	return i < r->loop_count ? &r->total_diff : &r->diff;
}

static void row_self(const struct ranking *r, uint32_t id,
		     struct function_row *row)
{
	const struct diff *d = &r->changes.self;
	const struct side_values *v = r->t->entries[id].values;
	struct growth_ranges growth;
	double before; /* beside what all functions have in common */

	if (!is_by_total(r) || !change_is_real(d->rows[id].change))
		return;
	growth = diff_growth_ranges(d, id);
	before = -diff_delta_beside(d, 0, v[SIDE_BASELINE].self);
	row->self_change = (struct self_change){
		.change = d->rows[id].change,
		.growth = before > 0 ? d->rows[id].delta / before : INFINITY,
		.low = growth.own.low,
		.high = growth.own.high,
		.beside_low = growth.beside.low,
		.q = d->rows[id].q,
	};
}

static void row_diff(const struct ranking *r, size_t i,
		     struct function_row *row)
{
	const struct diff *d = shown_diff(r, i), *part;
	struct interval range = { NAN, NAN };
	struct growth_ranges growth = { { NAN, NAN }, { NAN, NAN } };
	struct entry_diff shown = { .q = NAN, .change = CHANGE_NONE };
	uint32_t id = r->order[i];

	row->deviations = row->detectable = NAN;
	row->delta = 0;
	if (d) {
		const struct side_values *v = r->t->entries[id].values;

		row_self(r, id, row);
		/* The measure that is ranked, or a part that changed alone. */
		part = d->rows[id].measure == d->want->by ? d
		       : d->rows[id].measure == RANK_SELF
			       ? &r->changes.self
			       : &r->changes.self_lib;
		range = diff_range(part, id);
		growth = diff_growth_ranges(part, id);
		shown = d->rows[id];
		row->deviations = diff_deviations(d, id);
		row->detectable = diff_detectable(part, id);
		row->delta = diff_delta(
			part, side_value(&v[SIDE_SLOW], part->want->by),
			side_value(&v[SIDE_BASELINE], part->want->by));
		row->is_part = part != d;
		if (row->is_part)
			row->measure = part->want->by;
	}
	row->delta_low = range.low;
	row->delta_high = range.high;
	row->growth_low = growth.own.low;
	row->growth_high = growth.own.high;
	row->beside_low = growth.beside.low;
	row->q = shown.q;
	row->change = shown.change;
	row->is_with_all = shown.is_with_all;
}

/* Names of identities live in scratch memory; those of profiles stay. */
static bool name_take(const struct func_entry *e, struct arena *arena,
		      struct str *out)
{
	*out = func_is_named_by_table(e) ? arena_str(arena, e->name) : e->name;
	return out->ptr;
}

static bool row_texts(const struct ranking *r, size_t i, struct arena *arena,
		      struct function_row *row)
{
	const struct func_entry *e = &r->t->entries[r->order[i]];
	const struct func_entry *leaf = &r->t->entries[e->leaf];
	const struct diff *d = shown_diff(r, i);
	/* Who runs a loop holds what the loop costs. */
	uint32_t through = d && i >= r->loop_count
				   ? d->rows[r->order[i]].through
				   : ENTRY_NONE;
	uint32_t replaces = ENTRY_NONE;

	if (r->diffs && change_is_up(row->change))
		replaces = r->diffs[r->order[i]].replaces;
	if (replaces != ENTRY_NONE)
		row->replaced_value =
			r->t->entries[replaces].values[SIDE_BASELINE].total;
	row->file = e->file;
	row->line = e->line;
	row->is_asked = through != ENTRY_NONE && d->rows[r->order[i]].is_asked;
	return name_take(e, arena, &row->name) &&
	       (replaces == ENTRY_NONE ||
		name_take(&r->t->entries[replaces], arena, &row->replaces)) &&
	       (leaf == e || name_take(leaf, arena, &row->leaf)) &&
	       (through == ENTRY_NONE ||
		name_take(&r->t->entries[through], arena, &row->through));
}

static bool rows_write(const struct ranking *r, struct result *result,
		       struct error *err)
{
	size_t kept = r->count, listed;

	if (r->want->limit && kept > r->want->limit)
		kept = r->want->limit;
	listed = max_size(kept, min_size(r->count, r->want->listed));
	result->functions =
		arena_array(&result->arena, listed, sizeof *result->functions);
	if (!result->functions)
		return arena_fail(&result->arena, "ranking functions", err);
	for (size_t i = 0; i < listed; i++) {
		const struct func_entry *e = &r->t->entries[r->order[i]];
		struct function_row *row = &result->functions[i];

		row->rank = (uint32_t)i + 1;
		row->kind = code_kind_name(
			kind_within(r->t->sides[SIDE_SLOW].profile,
				    func_entry_kind(e)));
		row_values(r, e, row);
		row->measure = i < r->loop_count ? RANK_TOTAL : RANK_SELF_LIB;
		row_diff(r, i, row);
		if (!row_texts(r, i, &result->arena, row))
			return arena_fail(&result->arena, "ranking functions",
					  err);
	}
	result->function_count = kept;
	result->function_listed = listed;
	result->function_total = r->count;
	result->noise_count = result->change_total = 0;
	for (size_t i = 0; r->diffs && i < r->count; i++) {
		const struct entry_diff *rows = shown_diff(r, i)->rows;
		enum change change = rows[r->order[i]].change;

		result->noise_count += change == CHANGE_NOISE;
		result->change_total += change_is_real(change);
	}
	return true;
}

/* ---- changes, for drawings ---- */

static bool changes_write(const struct ranking *r, struct result *result,
			  struct error *err)
{
	result->change_count = 0;
	if (!r->diffs || !r->want->is_drawn)
		return true;
	result->changes = arena_array(&result->arena, r->t->count,
				      sizeof *result->changes);
	if (!result->changes)
		return arena_fail(&result->arena, "ranking functions", err);
	for (uint32_t id = 0; id < r->t->count; id++) {
		struct function_change c = {
			.change = r->diffs[id].change,
			.total_change = r->total_diff.rows[id].change,
		};

		if (!change_is_real(c.change) &&
		    !change_is_real(c.total_change))
			continue;
		c.key = arena_str(&result->arena, r->t->entries[id].key);
		if (!c.key.ptr)
			return arena_fail(&result->arena, "ranking functions",
					  err);
		result->changes[result->change_count++] = c;
	}
	return true;
}

/* Values of the baseline, multiplied, stand for as much as the slow side's. */
static void set_compared(const struct profile *slow,
			 const struct profile *baseline,
			 const struct diff_want *want, struct result *result)
{
	result->is_compared = baseline != NULL;
	result->baseline_scale = 1;
	result->exposure = result->baseline_exposure = 1;
	if (!baseline)
		return;
	result->normalize = want->normalize;
	if (want->normalize != NORMALIZE_SHARE) {
		result->exposure = want->exposure[SIDE_SLOW];
		result->baseline_exposure = want->exposure[SIDE_BASELINE];
	} else if (baseline->whole_total > 0) {
		result->exposure = (double)slow->whole_total;
		result->baseline_exposure = (double)baseline->whole_total;
	}
	result->baseline_scale = result->exposure / result->baseline_exposure;
}

static void whole_write(const struct ranking *r, struct result *result)
{
	const struct whole_diff *w = &r->diff.whole;

	result->whole = (struct whole_change){ .q = NAN,
					       .common = NAN,
					       .detectable = NAN,
					       .function_detectable = NAN };
	if (!r->diffs)
		return;
	result->whole = (struct whole_change){
		.delta = w->delta,
		.q = w->q,
		.delta_low = w->range.low,
		.delta_high = w->range.high,
		.growth_low = w->growth_range.low,
		.growth_high = w->growth_range.high,
		.is_changed = w->is_changed,
		.is_together = r->diff.is_together,
		.common = r->diff.has_drift ? r->diff.drift - 1 : NAN,
		.detectable = w->detectable,
		.function_detectable = diff_detectable_typical(&r->diff),
		.is_equal = r->diff.is_equal,
	};
}

/* ---- comparison ---- */

static bool build_slices(const struct ranking *r, enum rank_by by,
			 struct diff_want *want, struct slice_values *slices,
			 struct error *err)
{
	struct rank_want measure = *r->want;
	bool is_share = want->normalize == NORMALIZE_SHARE;

	measure.by = by;
	want->by = by;
	want->slices = want->peer_slices = NULL;
	if (!measure.slow_slices.count && !measure.baseline_slices.count &&
	    !r->want->baseline_snapshot)
		return true;
	want->peer_slices = &r->peers;
	/* Those that peers tell by were added up first. */
	if (slices != &r->peers && by == want->peers_by) {
		want->slices = &r->peers;
		return true;
	}
	if (!slice_values_build(slices, r->t, &measure, is_share, err) ||
	    (r->want->baseline_snapshot &&
	     !snapshot_slices(&slices->sides[SIDE_BASELINE], r->t,
			      r->want->baseline_snapshot, by, is_share, err)))
		return false;
	want->slices = slices;
	return true;
}

static bool measure_compare(const struct ranking *r, enum rank_by by,
			    struct diff_want *want, struct slice_values *slices,
			    struct diff *out, struct error *err)
{
	return build_slices(r, by, want, slices, err) &&
	       func_table_diff(out, r->t, want, err);
}

/* Totals are judged with their parts, and after what all functions have in
 * common. */
static bool compare_ranked(struct ranking *r, struct error *err)
{
	struct str reference = r->want->reference;
	struct diff_want peers_want;

	r->diff_want.reference = ENTRY_NONE;
	for (uint32_t id = 0; reference.len && id < r->t->count; id++)
		if (str_equal(r->t->entries[id].name, reference)) {
			r->diff_want.reference = id;
			break;
		}
	diff_want_peers(&r->diff_want, r->t);
	r->diff_want.shared = &r->shared;
	peers_want = r->diff_want;
	if (!build_slices(r, peers_want.peers_by, &peers_want, &r->peers, err))
		return false;
	if (!is_by_total(r))
		return measure_compare(r, r->want->by, &r->diff_want,
				       &r->slices, &r->diff, err);
	r->total_want = r->self_lib_want = r->self_want = r->diff_want;
	r->self_lib_want.tested_by = 1u << RANK_TOTAL;
	r->self_want.tested_by = 1u << RANK_TOTAL | 1u << RANK_SELF_LIB;
	if (!build_slices(r, RANK_TOTAL, &r->total_want, &r->total_slices,
			  err) ||
	    !build_slices(r, RANK_SELF_LIB, &r->self_lib_want,
			  &r->self_lib_slices, err) ||
	    !build_slices(r, RANK_SELF, &r->self_want, &r->self_slices, err) ||
	    !changes_find(&r->changes, r->t, &r->total_want, &r->self_lib_want,
			  &r->self_want, err))
		return false;
	r->diff = r->changes.total;
	return true;
}

static bool rank_compared(struct ranking *r, struct result *result,
			  struct error *err)
{
	const struct func_side *sides = r->t->sides;
	bool is_counted;

	if (!compare_ranked(r, err))
		return false;
	is_counted = diff_sample_values(sides[SIDE_SLOW].profile,
					sides[SIDE_BASELINE].profile,
					r->facts->sample_values);
	/* Blocks show the noise of values whatever they were sampled with;
	 * constants for it need samples. */
	r->facts->is_uncountable = !is_counted && !r->diff.want->slices;
	if (!r->facts->is_uncountable) {
		if (!explain_changes(&r->diff, r->facts, err) ||
		    (is_by_total(r) &&
		     !through_find(&r->diff, &r->changes.self_lib, err)))
			return false;
		r->diffs = r->diff.rows;
	}
	if (!ranking_order(r, err))
		return false;
	/* The loop's rows and drawings show totals, whatever is ranked. */
	if (is_by_total(r)) {
		r->total_diff = r->diff;
	} else if (r->diffs && (r->loop_count || r->want->is_drawn)) {
		r->total_want = r->diff_want;
		if (!measure_compare(r, RANK_TOTAL, &r->total_want,
				     &r->total_slices, &r->total_diff, err))
			return false;
	}
	whole_write(r, result);
	return rank_facts_take(r->facts, r->t, r->diffs ? &r->diff : NULL, err);
}

static bool ranking_make(struct ranking *r, struct func_table *t,
			 struct arena *arena, const struct profile *slow,
			 const struct profile *baseline, struct result *result,
			 struct error *err)
{
	struct diff_want *want = &r->diff_want;
	const struct snapshot *snapshot;
	enum func_naming naming;

	r->facts = arena_alloc(&result->arena, sizeof *r->facts);
	if (!r->facts)
		return arena_fail(&result->arena, "ranking functions", err);
	r->facts->arena = &result->arena;
	result->rank_facts = r->facts;
	if (baseline)
		rank_exposure_set(r->want, want, slow, r->facts);
	/* An empty side has no shares to compare; a rate can be zero. */
	if (baseline && (slow->whole_total <= 0 ||
			 (baseline->whole_total <= 0 &&
			  want->normalize == NORMALIZE_SHARE))) {
		r->facts->is_side_empty = true;
		r->facts->empty_side =
			slow->whole_total > 0 ? SIDE_BASELINE : SIDE_SLOW;
		baseline = NULL;
	}
	set_compared(slow, baseline, want, result);
	snapshot = baseline ? r->want->baseline_snapshot : NULL;
	naming = r->want->is_plain ? FUNC_NAMES_PLAIN
		 : snapshot	   ? FUNC_NAMES_STABLE
				   : FUNC_NAMES_MATCHED;
	if (!func_table_build(t, arena, slow, snapshot ? NULL : baseline,
			      r->want->rules, naming, err) ||
	    (snapshot && !snapshot_join(t, snapshot, baseline, err)))
		return false;
	if (baseline ? !rank_compared(r, result, err)
		     : !ranking_order(r, err) ||
			       !rank_facts_take(r->facts, t, NULL, err))
		return false;
	if (!rows_write(r, result, err) || !changes_write(r, result, err))
		return false;
	result->categories = t->sides[SIDE_SLOW].categories;
	result->baseline_categories = t->sides[SIDE_BASELINE].categories;
	result->source_root = func_table_root(t);
	return true;
}

bool functions_rank(const struct profile *slow, const struct profile *baseline,
		    const struct rank_want *want, struct result *result,
		    struct error *err)
{
	struct arena scratch;
	struct arena *arena = want->is_drawn ? &result->arena : &scratch;
	struct func_table *t;
	struct ranking r = { .want = want };
	bool is_done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	result->rank_by = want->by;
	result->table = NULL;
	r.t = t = arena_alloc(arena, sizeof *t);
	is_done = t ? ranking_make(&r, t, arena, slow, baseline, result, err)
		    : arena_fail(arena, "ranking functions", err);
	if (is_done && want->is_drawn)
		result->table = t;
	arena_release(&scratch);
	return is_done;
}
