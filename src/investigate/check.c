/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/check.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/rank_facts.h"
#include "analyze/snapshot_make.h"
#include "base/mem.h"
#include "base/num.h"

void check_init(struct check *c, struct investigation *v,
		const struct check_want *want)
{
	*c = (struct check){ .v = v, .want = want };
	profile_init(&c->candidate.sum);
	profile_init(&c->baseline.sum);
	profile_init(&c->snapshot_whole);
	chosen_init(&c->chosen, v, &want->live);
}

static void side_release(struct check_side *side)
{
	profile_runs_release(&side->files);
	profile_release(&side->sum);
}

void check_release(struct check *c)
{
	side_release(&c->candidate);
	side_release(&c->baseline);
	profile_release(&c->snapshot_whole);
	chosen_release(&c->chosen);
}

/* ---- files: a run each ---- */

/* Reads a file, of the type given or like another; it is let go of as soon as
 * it is folded. */
static bool read_file(struct check *c, struct check_side *side,
		      const char *path, const struct type_name *like,
		      struct error *err)
{
	const char *word = c->v->question->type;
	const struct snapshot *s = c->want->snapshot;
	struct profile_query query = { .type_id = word ? word : "" };
	struct profile_fetch fetch;
	struct job *job = &fetch.job;
	struct profile p;
	bool is_baseline = side == &c->baseline, is_done;

	profile_init(&p);
	profile_fetch_init(&fetch, &query, &p);
	fetch.paths = &path;
	fetch.path_count = 1;
	fetch.like = like;
	is_done = jobs_run(c->v->backends, &job, 1, err);
	if (is_done && !fetch.job.has_answer) {
		*err = fetch.job.err;
		is_done = false;
	}
	if (is_done && p.whole_total <= 0)
		is_done = investigation_fail(
			c->v,
			(struct shortfall){
				.kind = is_baseline ? SHORTFALL_BASELINE_FILE
						    : SHORTFALL_FILE,
				.name = str_from(path) },
			err);
	/* Times of any unit are compared in nanoseconds, but with a snapshot in
	 * another one. */
	if (is_done && (!s || str_equal(s->unit, STR("nanoseconds"))))
		is_done = profile_to_nanoseconds(&p, err);
	is_done = is_done && profile_runs_add(&side->files, &p, err);
	profile_release(&p);
	return is_done;
}

static struct type_name type_of(const struct profile *p)
{
	return (struct type_name){ profile_type_name(p), profile_unit(p) };
}

/* Returns whether files add up; what is in use at a time is in runs of a
 * program no series of one process: each is a value of its own, which counts as
 * often as there are runs. */
static bool files_add_up(struct check *c, struct check_side *side,
			 struct error *err)
{
	struct profile_runs *files = &side->files;
	const struct profile **parts = arena_array(c->v->backends->arena,
						   files->count, sizeof *parts);

	if (!parts)
		return arena_fail(c->v->backends->arena, "the profiles", err);
	for (size_t i = 0; i < files->count; i++) {
		parts[i] = &files->heads[i];
		/* A process that ended did its work; a profile that was taken
		 * for a time holds what that time brought, and each of them
		 * looks like it: one may by chance. */
		side->is_of_whole_runs |= !profile_is_of_a_time(parts[i]);
		if (files->count > 1)
			files->heads[i].is_gauge = false;
	}
	side->runs = (struct rank_slices){ .profiles = parts,
					   .count = files->count,
					   .folded = files };
	side->whole = &side->sum;
	return profile_runs_finish(files, c->v->backends->notes, err);
}

static bool side_of_files(struct check *c, struct check_side *side,
			  const struct check_files *files,
			  const struct type_name *like, struct error *err)
{
	struct type_name own;

	side->is_of_files = true;
	side->name =
		profile_files_name(c->v->backends, files->paths, files->count);
	if (!side->name.ptr)
		return arena_fail(c->v->backends->arena, "the names of files",
				  err);
	if (!profile_runs_init(&side->files, &side->sum, files->count, err))
		return false;
	for (size_t i = 0; i < files->count; i++) {
		if (!read_file(c, side, files->paths[i], i ? &own : like, err))
			return false;
		own = type_of(&side->sum);
	}
	if (!files_add_up(c, side, err))
		return false;
	side->samples = side->sum.sample_count;
	return true;
}

/* ---- windows: a slice each ---- */

static void side_of_window(struct check_side *side,
			   const struct comparison_side *from)
{
	side->name = from->selector;
	side->range = from->range;
	side->whole = &from->profile;
	side->samples = from->profile.sample_count;
	comparison_slices(from, side->parts, side->exposure, &side->runs);
}

/* ---- what values are of ---- */

static bool set_exposure(struct check *c, struct check_side *side,
			 bool is_length, struct error *err)
{
	struct arena *arena = c->v->backends->arena;
	double *exposure =
		arena_array(arena, side->runs.count, sizeof *exposure);

	if (!exposure)
		return arena_fail(arena, "the profiles", err);
	for (size_t i = 0; i < side->runs.count; i++)
		exposure[i] =
			is_length ? (double)side->files.heads[i].duration_ns /
					    NS_PER_S
				  : 1;
	side->runs.exposure = exposure;
	return true;
}

/* Each run its own; else among the runs, by their exposures so far. */
static bool share_requests(struct check *c, struct check_side *side,
			   const struct request_counts *requests,
			   struct error *err)
{
	struct arena *arena = c->v->backends->arena;
	size_t count = side->runs.count;
	double *exposure = arena_array(arena, count, sizeof *exposure);
	double all = 0;

	if (!exposure)
		return arena_fail(arena, "the profiles", err);
	for (size_t i = 0; i < count; i++)
		all += side->runs.exposure[i];
	for (size_t i = 0; i < count && all > 0; i++)
		exposure[i] = side->is_of_files && requests->count == count
				      ? requests->each[i]
				      : requests->sum * side->runs.exposure[i] /
						all;
	side->runs.exposure = exposure;
	return true;
}

static bool is_length_known(const struct check_side *side)
{
	for (size_t i = 0; i < side->files.count; i++)
		if (side->files.heads[i].duration_ns <= 0)
			return false;
	return true;
}

/* Runs that were taken for a time are as long as each other to this part. */
#define SAME_RUNS 0.02

static bool is_of_one_length(const struct profile_runs *files)
{
	int64_t least = INT64_MAX, most = 0;

	for (size_t i = 0; i < files->count; i++) {
		least = min_i64(least, files->heads[i].duration_ns);
		most = max_i64(most, files->heads[i].duration_ns);
	}
	return (double)(most - least) <= SAME_RUNS * (double)most;
}

/* Returns whether the runs were taken for a time, and not for the same. */
static bool is_taken_for_times(const struct check *c)
{
	const struct profile *files = c->candidate.files.heads;
	const struct profile *base = c->baseline.files.heads;
	size_t count = c->candidate.files.count;
	size_t base_count = c->baseline.files.count;
	size_t pairs = count > base_count ? count : base_count;
	bool is_of_whole_runs;

	if (c->candidate.is_of_whole_runs || c->baseline.is_of_whole_runs ||
	    !is_of_one_length(&c->candidate.files) ||
	    !is_of_one_length(&c->baseline.files))
		return false;
	if (c->want->snapshot) {
		base = &c->snapshot_whole;
		base_count = 1;
	}
	for (size_t i = 0; base && i < pairs; i++)
		if (profiles_default_normalize(
			    &files[i % count], &base[i % base_count],
			    &is_of_whole_runs) == NORMALIZE_RATE)
			return true;
	return false;
}

/* Sets the length of the snapshot in this measure, and returns whether it has
 * one; shares need none. */
static bool take_length(struct check *c)
{
	struct snapshot *s = &c->snapshot;

	if (!c->want->snapshot || c->per == NORMALIZE_SHARE)
		return true;
	if (c->is_by_request) {
		s->length = c->want->baseline_requests.sum / s->runs;
		return true;
	}
	if (c->per == s->per)
		return true;
	s->length = s->seconds;
	return c->per == NORMALIZE_RATE && s->seconds > 0;
}

static bool set_exposures(struct check *c, bool is_timed, struct error *err)
{
	struct check_side *sides[] = { &c->candidate, &c->baseline };
	const struct request_counts *requests[] = {
		&c->want->requests, &c->want->baseline_requests
	};

	for (size_t s = 0; s < 2; s++) {
		bool is_length = c->per == NORMALIZE_RATE ||
				 (c->is_by_request && is_timed &&
				  is_length_known(sides[s]));

		if (sides[s]->files.count &&
		    !set_exposure(c, sides[s], is_length, err))
			return false;
		if (c->is_by_request &&
		    !share_requests(c, sides[s], requests[s], err))
			return false;
	}
	return true;
}

/* A run of a program is a unit of work, unless the profiles were taken for a
 * time. */
static bool choose_per(struct check *c, struct error *err)
{
	const struct snapshot *s = c->want->snapshot;
	bool has_requests = c->want->requests.count &&
			    c->want->baseline_requests.count;
	bool is_of_times =
		!c->candidate.is_of_files ||
		(c->baseline.whole && !c->baseline.is_of_files && !s) ||
		(s && s->per == NORMALIZE_RATE) || is_taken_for_times(c);

	c->per = question_normalize(c->v->question,
				    is_of_times && !has_requests
					    ? NORMALIZE_RATE
					    : NORMALIZE_REQUEST);
	if (c->per == NORMALIZE_RATE &&
	    (!is_length_known(&c->candidate) || !is_length_known(&c->baseline)))
		c->per = NORMALIZE_REQUEST;
	if (c->per == NORMALIZE_VALUE)
		c->per = NORMALIZE_REQUEST; /* a run as it is */
	c->is_by_request = c->per == NORMALIZE_REQUEST && has_requests;
	if (c->per == NORMALIZE_REQUEST && !c->is_by_request &&
	    !c->candidate.is_of_files)
		c->per = NORMALIZE_RATE;
	if (!take_length(c))
		return investigation_fail(
			c->v, (struct shortfall){ SHORTFALL_SNAPSHOT_LENGTH },
			err);
	return set_exposures(c, is_of_times, err);
}

/* ---- both sides ---- */

struct moment {
	int64_t time_ns;
	bool is_candidate;
};

static int moment_compare(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;
	int order = compare_i64(a->time_ns, b->time_ns);

	return order ? order : a->is_candidate - b->is_candidate;
}

static size_t list_moments(const struct check_side *side, bool is_candidate,
			   struct moment *out)
{
	size_t n = 0;

	for (size_t i = 0; i < side->files.count; i++)
		if (side->files.heads[i].time_ns > 0)
			out[n++] = (struct moment){
				side->files.heads[i].time_ns, is_candidate };
	return n;
}

/* By turns, or in an order by chance: the side changes more often than half of
 * the shorter side's runs. Chance alone does so ten times of ten runs a side,
 * and less than six times in one case of forty. */
static bool is_interleaved(const struct check *c)
{
	struct moment moments[2 * LIMIT_ARGUMENTS];
	size_t a = list_moments(&c->candidate, true, moments);
	size_t b = list_moments(&c->baseline, false, moments + a);
	size_t turns = 0;

	if (a != c->candidate.runs.count || b != c->baseline.runs.count ||
	    a < 2 || b < 2)
		return false;
	qsort(moments, a + b, sizeof *moments, moment_compare);
	for (size_t i = 1; i < a + b; i++)
		turns += moments[i].is_candidate != moments[i - 1].is_candidate;
	return turns >= 1 + ((a < b ? a : b) + 1) / 2;
}

static bool check_types(struct check *c, struct error *err)
{
	const struct profile *base = c->baseline.whole;
	struct type_name a = type_of(c->candidate.whole), b;

	if (!base)
		return true;
	b = type_of(base);
	if (str_equal(a.unit, b.unit))
		return true;
	return investigation_fail(c->v,
				  (struct shortfall){ .kind = SHORTFALL_UNITS,
						      .name = b.unit,
						      .value = a.unit },
				  err);
}

/* ---- requests ---- */

static bool fetch_latency(struct check *c, struct error *err)
{
	const struct chosen_want *live = &c->want->live;
	const struct baseline_want *want = &c->v->question->baseline;
	struct time_range base = window_of_baseline(want, live->window);

	/* The window in which profiles were compared; else the requested
	 * one. */
	if (want->kind == BASELINE_WANT_VERSION)
		base.to_ns = live->window.to_ns;
	if (c->baseline.range.to_ns)
		base = c->baseline.range;
	return !c->want->latency ||
	       check_latency_find(&c->latency, c->v, live->service,
				  live->window, base, c->want->latency, err);
}

bool check_fetch(struct check *c, struct error *err)
{
	const struct check_want *want = c->want;
	const struct comparison *all = &c->chosen.comparison;
	struct type_name like;

	if (want->is_latency_alone) {
		c->candidate.samples = c->baseline.samples = -1;
		c->candidate.name = c->baseline.name = want->live.service;
		if (!fetch_latency(c, err))
			return false;
		c->candidate.range = c->latency.after.range;
		c->baseline.range = c->latency.before.range;
		return true;
	}
	c->v->backends->file_order = STACKS_SUMMED;
	if (want->candidate.count) {
		if (!side_of_files(c, &c->candidate, &want->candidate, NULL,
				   err))
			return false;
	} else {
	if (!chosen_fetch(&c->chosen, err) ||
	    !chosen_filter(&c->chosen, false, err))
			return false;
		side_of_window(&c->candidate, &all->slow);
		if (want->live.is_baseline_wanted && all->has_base)
			side_of_window(&c->baseline, &all->base);
	}
	like = type_of(c->candidate.whole);
	if (want->baseline.count &&
	    !side_of_files(c, &c->baseline, &want->baseline, &like, err))
		return false;
	if (want->snapshot) {
		c->snapshot = *want->snapshot;
		c->baseline.name = c->snapshot.source;
		c->baseline.samples = c->snapshot.samples;
		c->baseline.whole = &c->snapshot_whole;
		if (!snapshot_profile(want->snapshot, &c->snapshot_whole, err))
			return false;
	}
	if (!check_types(c, err) || !choose_per(c, err))
		return false;
	c->is_interleaved = is_interleaved(c);
	return fetch_latency(c, err);
}

/* ---- the comparison ---- */

static double all_exposure(const struct check_side *side)
{
	double sum = 0;

	for (size_t i = 0; i < side->runs.count; i++)
		sum += side->runs.exposure[i];
	return sum;
}

static struct rank_want rank_want_of(const struct check *c)
{
	const struct snapshot *s = c->want->snapshot ? &c->snapshot : NULL;
	double after = all_exposure(&c->candidate);
	double before = s ? s->length * s->runs : all_exposure(&c->baseline);
	bool has_runs = c->candidate.runs.count > 1 ||
			(s ? s->runs > 1 : c->baseline.runs.count > 1);
	struct rank_want want = {
		.by = RANK_DELTA,
		.normalize = c->per,
		.baseline_snapshot = s,
		.is_interleaved = c->is_interleaved,
		.is_of_runs = c->candidate.is_of_files,
		.rules = c->v->question->rules,
		.reference = c->want->reference,
	};

	if (has_runs || s)
		want.slow_slices = c->candidate.runs;
	if (has_runs && !s)
		want.baseline_slices = c->baseline.runs;
	if (c->per == NORMALIZE_REQUEST) {
		want.slow_requests = after;
		want.baseline_requests = before;
	} else {
		want.window_ns = sat_from_f64(after * NS_PER_S);
		want.baseline_ns = sat_from_f64(before * NS_PER_S);
	}
	return want;
}

static bool report_sides(struct check *c, struct error *err)
{
	struct result *r = c->v->result;
	struct type_name type = type_of(c->candidate.whole);
	struct str text = c->chosen.type_id;

	if (!text.len)
		text = arena_printf(&r->arena, "%.*s/%.*s", STR_ARGS(type.type),
				    STR_ARGS(type.unit));
	if (!text.ptr)
		return arena_fail(&r->arena, "the answer", err);
	r->has_profile = true;
	r->profile = (struct profile_info){
		.type = text,
		.is_file = c->candidate.is_of_files,
		.selector = c->candidate.name,
		.range = c->candidate.range,
		.samples = c->candidate.samples,
		.requests = -1,
		.unit = profile_unit(c->candidate.whole),
		.total_value = c->candidate.whole->whole_total,
	};
	r->has_baseline = c->baseline.whole != NULL;
	if (!r->has_baseline)
		return true;
	r->baseline = (struct baseline_info){
		.range = c->baseline.range,
		.samples = c->baseline.samples,
		.healthy = -1,
		.text = c->baseline.name,
		.total_value = c->baseline.whole->whole_total,
	};
	return true;
}

static bool judge_profiles(struct check *c, struct error *err)
{
	const struct check_side *candidate = &c->candidate;
	struct gate_limits limits = c->want->limits;
	bool is_by_turns, is_of_instructions;
	struct rank_want want;

	if (c->want->is_latency_alone) {
		gates_init(&c->gates, &c->want->limits);
		return true;
	}
	is_by_turns = c->per == NORMALIZE_REQUEST && c->is_interleaved &&
		      candidate->is_of_whole_runs &&
		      c->baseline.is_of_whole_runs;
	/* A busy or slow machine takes longer for them, and not more. */
	is_of_instructions = candidate->files.count &&
			     (str_equal(type_of(candidate->whole).type,
					STR("instructions")) ||
			      candidate->files.heads->is_of_calls);
	/* A growth of all of it is the code's where what else would grow it is
	 * known, or hits both sides. */
	if (is_by_turns || is_of_instructions || c->want->reference.len)
		limits.is_total_open = false;
	want = rank_want_of(c);
	return report_sides(c, err) &&
	       functions_rank(c->candidate.whole, c->baseline.whole, &want,
			      c->v->result, err) &&
	       gates_judge(&c->gates, &limits, c->v->result, err);
}

bool check_judge(struct check *c, struct error *err)
{
	const struct check_latency *l = &c->latency;

	if (!judge_profiles(c, err))
		return false;
	if (c->want->latency && !l->is_known)
		gates_miss_latency(&c->gates);
	return !l->is_known ||
	       gates_judge_latency(&c->gates, l->rows, l->count,
				   &c->v->result->arena, err);
}

bool check_snapshot(struct check *c, struct snapshot *s, struct error *err)
{
	struct type_name type = type_of(c->candidate.whole);

	s->type = arena_str(&s->arena, type.type);
	s->unit = arena_str(&s->arena, type.unit);
	s->source = arena_str(&s->arena, c->candidate.name);
	s->per = c->per == NORMALIZE_RATE ? NORMALIZE_RATE : NORMALIZE_REQUEST;
	s->is_of_runs = s->per == NORMALIZE_REQUEST;
	if (!s->type.ptr || !s->unit.ptr || !s->source.ptr)
		return arena_fail(&s->arena, "the snapshot", err);
	return snapshot_make(s, c->candidate.whole, &c->candidate.runs,
			     c->v->question->rules, err);
}
