/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/chosen.h"

#include <string.h>

#include "base/count.h"
#include "investigate/chosen_sides.h"

void chosen_init(struct chosen *c, struct investigation *v,
		 const struct chosen_want *want)
{
	memset(c, 0, sizeof *c);
	c->v = v;
	c->want = want;
	comparison_init(&c->comparison, "", SCOPE_SERVICE);
	profile_init(&c->span);
}

void chosen_release(struct chosen *c)
{
	comparison_release(&c->comparison);
	profile_release(&c->span);
}

/* ---- what is wanted ---- */

static const struct baseline_want *asked_baseline(const struct chosen *c)
{
	return &c->v->question->baseline;
}

static bool is_baseline_file(const struct chosen *c)
{
	return c->want->is_baseline_wanted &&
	       asked_baseline(c)->kind == BASELINE_WANT_FILE;
}

static enum scope scope_of(const struct chosen_want *want)
{
	return want->only_span_count > 1 ? SCOPE_COHORT
	       : want->only_span_count   ? SCOPE_SPAN
					 : SCOPE_SERVICE;
}

static struct str kind_of(const struct chosen *c)
{
	const struct chosen_want *want = c->want;

	if (want->baseline_selector)
		return STR("selector");
	if (want->baseline_span_count == 1)
		return STR("span");
	if (want->baseline_span_count)
		return STR("fast");
	switch (asked_baseline(c)->kind) {
	case BASELINE_WANT_VERSION:
		return STR("version");
	case BASELINE_WANT_AUTO:
		return STR("previous");
	case BASELINE_WANT_RANGE:
		return STR("range");
	default:
		return str_from(asked_baseline(c)->text);
	}
}

/* ---- files ---- */

/* Files have a default of their own. */
static const char *type_in_file(const struct chosen *c)
{
	return c->v->question->type ? c->v->question->type : "";
}

static struct str name_of(const char *path)
{
	return str_from(strcmp(path, "-") ? path : "standard input");
}

static bool fail_file(const struct chosen *c, struct str name, bool is_baseline,
		      struct error *err)
{
	return investigation_fail(
		c->v,
		(struct shortfall){ .kind = is_baseline
						    ? SHORTFALL_BASELINE_FILE
						    : SHORTFALL_FILE,
				    .name = name },
		err);
}

static bool take_slow_file(struct chosen *c, struct error *err)
{
	struct comparison *all = &c->comparison;

	if (!all->fetches[0].job.has_answer) {
		*err = all->fetches[0].job.err;
		return false;
	}
	c->is_gauge = all->slow.profile.is_gauge;
	return all->slow.profile.whole_total > 0 ||
	       fail_file(c, all->slow.selector, false, err);
}

static bool take_baseline_file(struct chosen *c,
			       const struct profile_fetch *fetch,
			       struct error *err)
{
	struct comparison *all = &c->comparison;

	if (!fetch->job.has_answer) {
		*err = fetch->job.err;
		return false;
	}
	all->has_base = all->base.profile.whole_total > 0;
	return all->has_base || fail_file(c, all->base.selector, true, err);
}

static void set_baseline_file(struct chosen *c)
{
	struct comparison_side *base = &c->comparison.base;

	c->baseline_kind = STR("file");
	base->paths = &asked_baseline(c)->path;
	base->path_count = 1;
	base->selector = name_of(asked_baseline(c)->path);
	base->range = (struct time_range){ 0, 0 };
	c->comparison.has_base = true;
}

/* The slow side's, and the baseline's where it is one, too. */
static bool fetch_files(struct chosen *c, struct error *err)
{
	const struct chosen_want *want = c->want;
	struct comparison *all = &c->comparison;
	struct job *jobs[2];
	size_t n = 0;

	all->type_id = type_in_file(c);
	all->slow.paths = want->paths;
	all->slow.path_count = want->path_count;
	all->slow.selector = profile_files_name(c->v->backends, want->paths,
						want->path_count);
	if (!all->slow.selector.ptr)
		return arena_fail(c->v->backends->arena, "the names of files",
				  err);
	if (is_baseline_file(c))
		set_baseline_file(c);
	comparison_request(all, 1, jobs, &n);
	if (!jobs_run(c->v->backends, jobs, n, err) || !take_slow_file(c, err))
		return false;
	return n == 1 || take_baseline_file(c, &all->fetches[1], err);
}

/* A file beside what a server has: of the same type. */
static bool fetch_baseline_file(struct chosen *c, struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct profile *slow = &all->slow.profile;
	const struct type_name like = { profile_type_name(slow),
					profile_unit(slow) };
	struct profile_query query = { .type_id = type_in_file(c) };
	struct profile_fetch fetch;
	struct job *job = &fetch.job;

	set_baseline_file(c);
	profile_fetch_init(&fetch, &query, &all->base.profile);
	fetch.paths = all->base.paths;
	fetch.path_count = 1;
	fetch.like = &like;
	return jobs_run(c->v->backends, &job, 1, err) &&
	       take_baseline_file(c, &fetch, err);
}

/* ---- the whole ---- */

static bool side_to_nanoseconds(struct comparison_side *side, struct error *err)
{
	bool is_done = profile_to_nanoseconds(&side->profile, err);

	for (size_t i = 0; side->part_count > 1 && i < side->part_count; i++)
		is_done = is_done &&
			  profile_to_nanoseconds(&side->parts[i], err);
	return is_done;
}

/* Values of different units cannot be subtracted, but for times. */
static bool check_units(struct chosen *c, struct error *err)
{
	struct comparison *all = &c->comparison;
	struct str slow = profile_unit(&all->slow.profile);
	struct str before = profile_unit(&all->base.profile);

	if (all->has_base && (all->slow.profile.is_difference ||
			      all->base.profile.is_difference))
		return investigation_fail(
			c->v,
			(struct shortfall){
				.kind = SHORTFALL_DIFFERENCE,
				.count = !all->base.profile.is_difference },
			err);
	if (!all->has_base || str_equal(slow, before))
		return true;
	if (time_unit_ns(slow) && time_unit_ns(before))
		return side_to_nanoseconds(&all->slow, err) &&
		       side_to_nanoseconds(&all->base, err);
	return investigation_fail(c->v,
				  (struct shortfall){ .kind = SHORTFALL_UNITS,
						      .name = before,
						      .value = slow },
				  err);
}

bool chosen_fetch(struct chosen *c, struct error *err)
{
	if (c->want->path_count &&
	    asked_baseline(c)->kind == BASELINE_WANT_VERSION)
		return investigation_fail(
			c->v, (struct shortfall){ SHORTFALL_VERSION_OF_FILE },
			err);
	c->is_file = c->want->path_count > 0;
	c->baseline_kind = kind_of(c);
	c->comparison.scope = scope_of(c->want);
	return (c->is_file ? fetch_files(c, err)
			   : chosen_fetch_live(c, err) &&
				     (!is_baseline_file(c) ||
				      fetch_baseline_file(c, err))) &&
	       check_units(c, err);
}

bool chosen_turn_to_span(struct chosen *c, bool has_id, struct str id,
			 struct error *err)
{
	struct comparison *all = &c->comparison;
	struct profile service = all->slow.profile;

	if (!c->has_span)
		return investigation_fail(
			c->v,
			(struct shortfall){ .kind = SHORTFALL_SPAN_BY_HAND,
					    .has_id = has_id },
			err);
	all->slow.profile = c->span;
	c->span = service;
	all->has_base = false;
	all->slow.selector = id;
	all->slow.range = c->want->span_range;
	all->slow.profiled_s = 0;
	c->is_of_span = true;
	investigation_note(c->v, (struct note){ NOTE_SPAN_HAS_NO_BASELINE });
	return true;
}

/* ---- filters ---- */

/* Stacks of both signs, which may be the same stacks. */
static void note_zero_sum(const struct chosen *c, const struct profile *p,
			  struct str side)
{
	if (p->total == 0 && p->whole_total > p->omitted)
		investigation_note(c->v, (struct note){ .kind = NOTE_ZERO_SUM,
							.name = side });
}

static void note_stackless(const struct chosen *c, const struct profile *p)
{
	if (p->omitted > 0)
		investigation_note(
			c->v,
			(struct note){ .kind = NOTE_STACKLESS,
				       .percent = 100 * (double)p->omitted /
						  (double)p->whole_total });
}

bool chosen_filter(struct chosen *c, bool is_answer, struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct profile_want *want = &c->v->backends->want;
	int64_t slow = all->slow.profile.whole_total;
	int64_t base = all->base.profile.whole_total;
	bool is_of_rest = is_answer && all->has_base;

	note_zero_sum(c, &all->slow.profile, STR("profile"));
	if (all->has_base)
		note_zero_sum(c, &all->base.profile, STR("baseline"));
	if (view_is_plain(&c->v->question->view) && !want->labels) {
		if (want->omits_stackless)
			note_stackless(c, &all->slow.profile);
		return true;
	}
	if (!comparison_filter(all, c->v, is_of_rest, err))
		return false;
	c->is_of_rest = all->slow.profile.whole_total != slow ||
			all->base.profile.whole_total != base;
	return all->slow.profile.stack_count || all->base.profile.stack_count ||
	       investigation_fail(
		       c->v, (struct shortfall){ SHORTFALL_FILTERED }, err);
}

/* ---- the answer ---- */

static struct str type_text(const struct chosen *c, struct arena *arena)
{
	struct str name = profile_type_name(&c->comparison.slow.profile);
	struct str unit = profile_unit(&c->comparison.slow.profile);

	if (c->type_id.len)
		return c->type_id;
	return arena_printf(arena, "%.*s/%.*s", STR_ARGS(name), STR_ARGS(unit));
}

/* What tells the baseline apart when its window does not. A file has no
 * window, and may be compared with itself. */
static struct str baseline_text(const struct chosen *c)
{
	const struct comparison *all = &c->comparison;
	bool is_file = str_equal(c->baseline_kind, STR("file"));

	if (c->want->baseline_text.len)
		return c->want->baseline_text;
	if (!is_file && str_equal(all->base.selector, all->slow.selector))
		return (struct str){ NULL, 0 };
	return all->base.selector;
}

bool chosen_report(const struct chosen *c, struct result *result,
		   struct error *err)
{
	const struct comparison *all = &c->comparison;
	struct str type = type_text(c, &result->arena);

	if (!type.ptr)
		return arena_fail(&result->arena, "the answer", err);
	result->has_profile = true;
	result->profile = (struct profile_info){
		.type = type,
		.scope = c->is_of_span ? SCOPE_SPAN : all->scope,
		.is_file = c->is_file,
		.is_of_rest = c->is_of_rest,
		.selector = all->slow.selector,
		.text = c->want->only_text,
		.range = all->slow.range,
		.samples = all->slow.profile.sample_count,
		.unit = profile_unit(&all->slow.profile),
		.truncated_share = all->slow.profile.truncated_share,
		.total_value = all->slow.profile.whole_total,
	};
	if (!all->has_base)
		return true;
	result->has_baseline = true;
	result->baseline = (struct baseline_info){
		.kind = c->baseline_kind,
		.range = all->base.range,
		.samples = all->base.profile.sample_count,
		.healthy = -1,
		.text = baseline_text(c),
		.total_value = all->base.profile.whole_total,
	};
	return true;
}

/* Files of a process that ran until it was done are compared as they are. */
static enum normalize default_normalize(const struct chosen *c)
{
	const struct comparison *all = &c->comparison;
	bool is_of_whole_runs;
	enum normalize way;

	if (all->slow.range.to_ns || all->base.range.to_ns)
		return NORMALIZE_RATE;
	way = profiles_default_normalize(&all->slow.profile, &all->base.profile,
					 &is_of_whole_runs);
	if (way == NORMALIZE_SHARE)
		investigation_note(c->v, (struct note){ NOTE_LENGTH_UNKNOWN });
	if (is_of_whole_runs)
		investigation_note(
			c->v,
			(struct note){ .kind = NOTE_WHOLE_RUNS,
				       .slow_ns = all->slow.profile.duration_ns,
				       .base_ns =
					       all->base.profile.duration_ns });
	return way;
}

/* How many requests there were, nobody knows here. */
static enum normalize way_of(const struct chosen *c)
{
	const struct question *q = c->v->question;
	enum normalize asked = question_normalize(q, NORMALIZE_REQUEST);

	if (asked != NORMALIZE_REQUEST || c->comparison.slow.profile.is_gauge)
		return asked;
	if (q->rows.has_normalize)
		investigation_note(c->v, (struct note){ NOTE_NOT_BY_REQUEST });
	return default_normalize(c);
}

bool chosen_rank(struct chosen *c, enum rank_by by, struct str span_name,
		 bool is_loop, struct error *err)
{
	const struct question *q = c->v->question;
	struct rank_want want = {
		.by = question_measure(q, by),
		.normalize = way_of(c),
		.is_way_asked = q->rows.has_normalize,
		.limit = q->rows.limit,
		.listed = q->rows.listed,
		.span_name = span_name,
		.is_loop = is_loop,
		.rules = q->rules,
		.is_plain = q->rows.is_plain,
		.is_drawn = q->rows.is_drawn,
	};

	return comparison_rank(&c->comparison, &want, c->v->result, err);
}
