/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/chosen.h"

#include <string.h>

#include "base/num.h"
#include "investigate/comparison.h"
#include "investigate/profile_service.h"
#include "investigate/symptom.h"

/* The sides of a chosen comparison that come from a server. */

/* The order of types to try if none was given. */
static const char *const auto_types[] = { "cpu",   "wall",  "alloc",
					  "block", "mutex", "inuse" };

static const struct baseline_want *asked_baseline(const struct chosen *c)
{
	return &c->v->question->baseline;
}

static bool is_baseline_asked(const struct chosen *c)
{
	return c->want->is_baseline_wanted &&
	       asked_baseline(c)->kind != BASELINE_WANT_NONE &&
	       asked_baseline(c)->kind != BASELINE_WANT_FILE;
}

static bool is_cpu(struct str type_id)
{
	return str_starts(type_id, STR("process_cpu:"));
}

/* ---- one round ---- */

/* An answer without samples leaves what an earlier round brought. */
static void begin_round(struct chosen *c)
{
	struct comparison *all = &c->comparison;
	struct comparison_side slow = all->slow, base = all->base;
	enum scope scope = all->scope;

	comparison_release(all);
	comparison_init(all, c->type_id.ptr, scope);
	all->slow.range = slow.range;
	all->slow.selector = slow.selector;
	all->slow.span_ids = c->want->only_spans;
	all->slow.span_id_count = c->want->only_span_count;
	all->base.range = base.range;
	all->base.selector = base.selector;
	all->base.span_ids = c->want->baseline_spans;
	all->base.span_id_count = c->want->baseline_span_count;
	all->slow.has_exact_range = all->base.has_exact_range = true;
	all->has_base = is_baseline_asked(c);
	profile_release(&c->span);
	profile_init(&c->span);
}

/* Samples of one span in place of the service's. False: none are wanted. */
static bool ask_span(struct chosen *c, struct profile_fetch *fetch)
{
	const struct chosen_want *want = c->want;
	struct profile_query query = {
		.type_id = c->type_id.ptr,
		.selector = c->comparison.slow.selector.ptr,
		.range = c->comparison.slow.range,
		.span_ids = &c->asked_span_id,
		.span_id_count = 1,
	};

	if (want->only_span_count) {
		/* No span has this id: samples of it show a server that
		 * ignores ids. */
		c->asked_span_id = ~want->only_spans[0];
	} else if (want->span_id && is_cpu(c->type_id)) {
		c->asked_span_id = want->span_id;
		query.range = want->span_range;
	} else {
		return false;
	}
	profile_fetch_init(fetch, &query, &c->span);
	return true;
}

/* Trees leave out frames without symbols and all lines, so a tree is never
 * compared with a pprof: when one side had to fall back, both do. */
static bool align_forms(struct chosen *c, struct error *err)
{
	struct comparison *all = &c->comparison;
	struct job *jobs[2 * COMPARISON_PARTS];
	size_t trees = 0, n = 0;

	for (size_t i = 0; i < all->fetch_count; i++) {
		struct profile_fetch *f = &all->fetches[i];

		trees += f->job.has_answer && f->is_tree;
		if (f->job.has_answer && !f->is_tree && f->into->stack_count)
			jobs[n++] = &f->job;
	}
	if (!trees)
		return true;
	for (size_t i = 0; i < n; i++)
		profile_fetch_again_as_tree((struct profile_fetch *)jobs[i],
					    c->v->backends);
	return !n || jobs_run(c->v->backends, jobs, n, err);
}

/* Judges the names, whose faults matter only when no samples came. A mapping of
 * the user's that fits nothing is an error all the same. */
static bool judge_lookup(struct chosen *c, struct error *err)
{
	const struct profile_lookup *l = &c->lookup;
	bool has_samples = c->comparison.slow.profile.stack_count > 0;

	c->is_service_known =
		profile_lookup_apply(&c->lookup, c->v, &c->service, err);
	if (!c->is_service_known) {
		has_samples &= err->code != ERROR_MEMORY &&
			       !c->v->question->map_count &&
			       c->v->shortfall.kind != SHORTFALL_PLACE;
		if (has_samples)
			c->v->shortfall.kind = SHORTFALL_NONE;
		return has_samples;
	}
	for (size_t i = 0; i < l->job_count; i++)
		has_samples |= l->jobs[i]->has_answer;
	if (!has_samples)
		*err = l->jobs[0]->err;
	return has_samples;
}

/* Returns the number of slices: what is in use at a time is not spread over it.
 */
static size_t slices_of(const struct chosen *c)
{
	return c->want->slices && !c->is_gauge ? c->want->slices : 1;
}

/* Without the slow side there is no answer; the others are only noted. */
static bool take_round(struct chosen *c, const struct profile_fetch *span,
		       struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct profile_fetch *slow = &all->fetches[0];
	const struct profile_fetch *base = &all->fetches[slices_of(c)];

	if (slow->job.has_answer && !comparison_apply(all, c->v, err))
		return false;
	if (!slow->job.has_answer && all->has_base && !base->job.has_answer)
		investigation_note(
			c->v, (struct note){ .kind = NOTE_SIDE_MISSING,
					     .name = STR("baseline"),
					     .reason = base->job.err.message });
	if (span && !span->job.has_answer)
		investigation_note(
			c->v, (struct note){ .kind = NOTE_SPAN_SAMPLES_MISSING,
					     .reason = span->job.err.message });
	if (!slow->job.has_answer)
		*err = slow->job.err;
	return slow->job.has_answer;
}

/* Everything at once; with the lookup along in the first round. */
static bool fetch_round(struct chosen *c, bool with_lookup, struct error *err)
{
	struct profile_fetch span;
	struct job *jobs[2 * COMPARISON_PARTS + 3];
	bool has_span;
	size_t n = 0;

	begin_round(c);
	comparison_request(&c->comparison, slices_of(c), jobs, &n);
	has_span = ask_span(c, &span);
	if (has_span)
		jobs[n++] = &span.job;
	for (size_t i = 0; with_lookup && i < c->lookup.job_count; i++)
		jobs[n++] = c->lookup.jobs[i];
	if (!jobs_run(c->v->backends, jobs, n, err) ||
	    (is_baseline_asked(c) && !align_forms(c, err)))
		return false;
	return take_round(c, has_span ? &span : NULL, err) &&
	       (!with_lookup || judge_lookup(c, err));
}

/* ---- what the service really has ---- */

/* Replaces the first guess by the types that the service has. *is_changed: the
 * profiles must be fetched again. */
static bool settle_type(struct chosen *c, bool *is_changed, struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct name_list *types = &c->service.types;
	const char *word = c->v->question->type;
	struct arena *arena = c->v->backends->arena;
	struct error ignored;
	struct str id;
	bool is_other;
	size_t i = 0;

	*is_changed = c->is_service_known &&
		      !str_equal(c->service.selector, all->slow.selector);
	if (*is_changed && !c->want->baseline_selector)
		all->base.selector = c->service.selector;
	if (*is_changed)
		all->slow.selector = c->service.selector;
	if (types->count == 0)
		return true;
	if (!word) {
		while (i < COUNT_OF(auto_types) &&
		       !profile_type_resolve(str_from(auto_types[i]), types,
					     arena, &id, &c->is_gauge,
					     &ignored))
			i++;
		if (i == COUNT_OF(auto_types)) {
			id = types->items[0];
			c->is_gauge = false;
		}
	} else if (!profile_type_resolve(str_from(word), types, arena, &id,
					 &c->is_gauge, err)) {
		c->v->shortfall = (struct shortfall){
			.kind = SHORTFALL_TYPE,
			.service = c->want->service,
		};
		return false;
	}
	is_other = !str_equal(id, c->type_id);
	*is_changed |= is_other;
	c->type_id = id;
	if (is_other && !word && !is_cpu(id))
		investigation_note(
			c->v,
			(struct note){ .kind = NOTE_TYPE_INSTEAD, .name = id });
	return true;
}

/* Limits sides to the time in which each version ran: one that appeared within
 * a window has no rate over all of it, and no slices without it. Without an
 * answer nothing changes. */
static bool trim_to_versions(struct chosen *c, struct error *err)
{
	struct comparison_side *sides[] = { &c->comparison.slow,
					    &c->comparison.base };
	int64_t step_ns = coverage_step_ns(c->comparison.base.range);
	struct coverage covers[COUNT_OF(sides)];
	struct job *jobs[COUNT_OF(sides)];
	size_t n = 0;

	for (size_t i = 0; i < COUNT_OF(sides); i++)
		if (coverage_request(&covers[i], c->type_id.ptr,
				     sides[i]->selector.ptr, sides[i]->range,
				     sides[i]->range, step_ns))
			jobs[n++] = &covers[i].job.job;
	if (n && !jobs_run(c->v->backends, jobs, n, err))
		return false;
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		struct time_range there =
			coverage_of(&covers[i], sides[i]->range);

		if (there.to_ns)
			sides[i]->range = there;
	}
	return true;
}

/* By label: the other version also where it ran just before. */
static bool settle_version(struct chosen *c, bool *is_changed,
			   struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct baseline_want *asked = asked_baseline(c);
	struct symptom sides = { .base_version = asked->version,
				 .base_healthy = -1,
				 .is_base_beside = true };

	if (asked->kind != BASELINE_WANT_VERSION)
		return true;
	*is_changed = true;
	all->base.range =
		(struct time_range){ window_previous(all->slow.range).from_ns,
				     all->slow.range.to_ns };
	return version_baseline_check(c->v, &sides, &c->service, asked, err) &&
	       version_baseline_select(&sides, c->v, &c->service,
				       &all->slow.selector, &all->base.selector,
				       err) &&
	       trim_to_versions(c, err);
}

/* ---- what is missing ---- */

/* Why the slow side is empty. */
static bool fail_empty(const struct chosen *c, struct error *err)
{
	const struct backends *b = c->v->backends;
	struct shortfall s = {
		.kind = SHORTFALL_PROFILE,
		.missing = {
			.service = c->service.name,
			.type_id = c->type_id,
			.selector = c->v->question->selector,
			.window = c->comparison.slow.range,
			.now_ns = b->now_ns,
			.is_known = true,
			.has_tenant = b->profiles.endpoint.tenant_id != NULL,
			.server = backends_profiles(b)->title,
			.retention_ns =
				backends_profile_traits(b)->retention_ns,
			.has_trace = c->want->trace != NULL,
		},
	};

	if (c->want->only_span_count) {
		s.kind = SHORTFALL_SPANS;
		s.span_id = c->want->only_spans[0];
		s.count = c->want->only_span_count;
	} else if (asked_baseline(c)->kind == BASELINE_WANT_VERSION) {
		s.kind = SHORTFALL_OTHER_VERSION;
		s.value = asked_baseline(c)->version;
	}
	return investigation_fail(c->v, s, err);
}

/* ---- baselines further back ---- */

#define TRIES 3

/* auto: if the previous window is empty, the nearest earlier one with samples;
 * all are queried together, and the nearest is used. */
static bool widen_baseline(struct chosen *c, struct error *err)
{
	static const struct {
		int64_t shift_ns;
		const char *kind;
	} steps[TRIES] = { { NS_PER_HOUR, "1h" },
			   { NS_PER_DAY, "1d" },
			   { 7 * NS_PER_DAY, "7d" } };
	struct comparison *all = &c->comparison;
	struct comparison_side tries[TRIES];
	struct profile_fetch fetches[TRIES];
	struct job *jobs[TRIES];
	bool done;

	for (size_t i = 0; i < TRIES; i++) {
		comparison_side_like(&tries[i], &all->base);
		tries[i].range =
			window_shifted(all->slow.range, steps[i].shift_ns);
		comparison_side_request(&tries[i], c->type_id.ptr, &fetches[i]);
		jobs[i] = &fetches[i].job;
	}
	done = jobs_run(c->v->backends, jobs, TRIES, err);
	for (size_t i = 0; i < TRIES; i++) {
		if (done && !all->has_base &&
		    comparison_side_apply(&tries[i], &fetches[i])) {
			comparison_use_base(all, &tries[i]);
			c->baseline_kind = str_from(steps[i].kind);
			investigation_note(
				c->v,
				(struct note){ .kind = NOTE_BASELINE_EARLIER,
					       .name = c->baseline_kind });
		}
		comparison_side_release(&tries[i]);
	}
	return done;
}

static bool finish_baseline(struct chosen *c, struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct chosen_want *want = c->want;
	enum baseline_kind kind = asked_baseline(c)->kind;

	if (!is_baseline_asked(c))
		return true;
	/* Another time has a version that ran all along on both sides. */
	if (!want->baseline_selector && !want->only_span_count &&
	    kind != BASELINE_WANT_VERSION && c->service.versions.count > 1)
		investigation_note(c->v, (struct note){
						 .kind = NOTE_VERSIONS_BESIDE,
						 .names = &c->service.versions,
					 });
	if (kind == BASELINE_WANT_AUTO && !all->has_base &&
	    !want->baseline_selector && !want->baseline_span_count &&
	    !widen_baseline(c, err))
		return false;
	if (!all->has_base)
		investigation_note(c->v, (struct note){ NOTE_BASELINE_EMPTY });
	return true;
}

/* ---- the whole ---- */

static bool guess_profiles(struct chosen *c, struct error *err)
{
	static const struct name_list none;
	const struct chosen_want *want = c->want;
	const char *word = c->v->question->type;
	struct comparison *all = &c->comparison;

	if (!profile_type_resolve(str_from(word ? word : "cpu"), &none,
				  c->v->backends->arena, &c->type_id,
				  &c->is_gauge, err) ||
	    !profile_lookup_init(&c->lookup, c->v, want->trace, want->resource,
				 want->service, want->window, err) ||
	    !profile_lookup_guess(&c->lookup, c->v, &all->slow.selector, err))
		return false;
	all->base.selector = want->baseline_selector
				     ? str_from(want->baseline_selector)
				     : all->slow.selector;
	all->slow.range = want->window;
	all->base.range =
		want->baseline_selector || want->baseline_span_count
			? want->window
			: window_of_baseline(asked_baseline(c), want->window);
	return true;
}

/* Everything at once, and once more where the service proves to have other
 * names or types than was guessed. */
static bool chosen_fetch_live(struct chosen *c, struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct chosen_want *want = c->want;
	bool is_changed;

	if (!guess_profiles(c, err) || !fetch_round(c, true, err) ||
	    !settle_type(c, &is_changed, err) ||
	    !settle_version(c, &is_changed, err) ||
	    (is_changed && !fetch_round(c, false, err)))
		return false;
	if (want->only_span_count && c->span.stack_count)
		return investigation_fail(
			c->v, (struct shortfall){ SHORTFALL_SPANS_IGNORED },
			err);
	/* Samples removed by --tag-focus are not missing. */
	if (!all->slow.profile.stack_count &&
	    (!c->v->backends->want.labels ||
	     all->slow.profile.whole_total <= 0))
		return fail_empty(c, err);
	c->has_span = c->span.stack_count > 0;
	/* How much there is behind the answer, where that is little by
	 * nature. */
	comparison_note_extent(all, c->v,
			       want->trace ? &all->slow.range : NULL);
	return finish_baseline(c, err) &&
	       (!c->is_gauge ||
		comparison_divide(all, c->v, c->service.instance_label, err));
}

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

static bool is_baseline_file(const struct chosen *c)
{
	return c->want->is_baseline_wanted &&
	       asked_baseline(c)->kind == BASELINE_WANT_FILE;
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
	base->selector = str_from(strcmp(asked_baseline(c)->path, "-")
					  ? asked_baseline(c)->path
					  : "standard input");
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
	if (!jobs_run(c->v->backends, jobs, n, err))
		return false;
	if (!all->fetches[0].job.has_answer) {
		*err = all->fetches[0].job.err;
		return false;
	}
	c->is_gauge = all->slow.profile.is_gauge;
	if (all->slow.profile.whole_total <= 0)
		return fail_file(c, all->slow.selector, false, err);
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
	c->comparison.scope = c->want->only_span_count > 1 ? SCOPE_COHORT
			      : c->want->only_span_count   ? SCOPE_SPAN
							   : SCOPE_SERVICE;
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

bool chosen_filter(struct chosen *c, bool is_answer, struct error *err)
{
	struct comparison *all = &c->comparison;
	const struct profile_want *want = &c->v->backends->want;
	int64_t slow = all->slow.profile.whole_total;
	int64_t base = all->base.profile.whole_total;
	int64_t omitted = all->slow.profile.omitted;
	bool is_of_rest = is_answer && all->has_base;

	if (want->labels)
		c->untagged_value = sat_sub_i64(slow, all->slow.profile.total);
	note_zero_sum(c, &all->slow.profile, STR("profile"));
	if (all->has_base)
		note_zero_sum(c, &all->base.profile, STR("baseline"));
	if (view_is_plain(&c->v->question->view) && !want->labels) {
		if (want->omits_stackless && omitted > 0)
			investigation_note(
				c->v, (struct note){
					      .kind = NOTE_STACKLESS,
					      .percent = 100 * (double)omitted /
							 (double)slow,
				      });
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

bool chosen_report(const struct chosen *c, struct result *result,
		   struct error *err)
{
	const struct comparison *all = &c->comparison;
	struct str name = profile_type_name(&all->slow.profile);
	struct str unit = profile_unit(&all->slow.profile);
	struct str type = c->type_id, text = c->want->baseline_text;

	if (!type.len)
		type = arena_printf(&result->arena, "%.*s/%.*s", STR_ARGS(name),
				    STR_ARGS(unit));
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
		.unit = unit,
		.truncated_share = all->slow.profile.truncated_share,
		.total_value = all->slow.profile.whole_total,
		.untagged_value = c->is_of_rest ? 0 : c->untagged_value,
		.is_difference = all->slow.profile.is_difference,
		.net_value = all->slow.profile.total,
	};
	if (!all->has_base)
		return true;
	/* Separates the baseline when its window does not. A file has no
	 * window, and may be compared with itself. */
	if (!text.len && (str_equal(c->baseline_kind, STR("file")) ||
			  !str_equal(all->base.selector, all->slow.selector)))
		text = all->base.selector;
	result->has_baseline = true;
	result->baseline = (struct baseline_info){
		.kind = c->baseline_kind,
		.range = all->base.range,
		.samples = all->base.profile.sample_count,
		.healthy = -1,
		.text = text,
		.total_value = all->base.profile.whole_total,
	};
	return true;
}

static enum normalize chosen_normalize(const struct chosen *c)
{
	const struct question *q = c->v->question;
	const struct comparison *all = &c->comparison;
	enum normalize way = question_normalize(q, NORMALIZE_REQUEST);
	bool is_of_whole_runs;

	if (way != NORMALIZE_REQUEST || all->slow.profile.is_gauge)
		return way;
	/* The number of requests is not known here. */
	if (q->rows.has_normalize)
		investigation_note(c->v, (struct note){ NOTE_NOT_BY_REQUEST });
	/* Files of a process that ran until it was done are compared as they
	 * are. */
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

bool chosen_rank(struct chosen *c, enum rank_by by, struct str span_name,
		 bool is_loop, struct error *err)
{
	const struct question *q = c->v->question;
	struct rank_want want = {
		.by = question_measure(q, by),
		.normalize = chosen_normalize(c),
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
