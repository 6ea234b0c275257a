/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/comparison.h"

#include <math.h>
#include <string.h>

#include "analyze/category_share.h"
#include "analyze/profile_analysis.h"
#include "analyze/rank_facts.h"
#include "backend/fetch_profile.h"
#include "base/num.h"
#include "investigate/question.h"
#include "model/profile.h"

/* Requests per part are believed when nearly all of it was counted, and when
 * there are more than a handful. */
#define COUNTED_SHARE 0.9
#define COUNTED_REQUESTS 20

static void side_init(struct comparison_side *side)
{
	memset(side, 0, sizeof *side);
	side->requests = -1;
	profile_init(&side->profile);
	for (size_t i = 0; i < COMPARISON_PARTS; i++)
		profile_init(&side->parts[i]);
}

void comparison_side_release(struct comparison_side *side)
{
	profile_release(&side->profile);
	for (size_t i = 0; i < COMPARISON_PARTS; i++)
		profile_release(&side->parts[i]);
}

void comparison_side_like(struct comparison_side *side,
			  const struct comparison_side *other)
{
	side_init(side);
	side->selector = other->selector;
	side->has_exact_range = other->has_exact_range;
}

void comparison_init(struct comparison *c, const char *type_id,
		     enum scope scope)
{
	memset(c, 0, sizeof *c);
	c->type_id = type_id;
	c->scope = scope;
	side_init(&c->slow);
	side_init(&c->base);
}

void comparison_release(struct comparison *c)
{
	comparison_side_release(&c->slow);
	comparison_side_release(&c->base);
}

/* An undivided side is its only part. */
static const struct profile *side_part(const struct comparison_side *side,
				       size_t i)
{
	return side->part_count == 1 ? &side->profile : &side->parts[i];
}

static int64_t part_edge(struct time_range range, size_t i, size_t parts)
{
	int64_t length = range.to_ns - range.from_ns;

	return range.from_ns + length / (int64_t)parts * (int64_t)i +
	       (i == parts ? length % (int64_t)parts : 0);
}

/* Returns the seconds of a part of the range for which the service was there;
 * of several instances in the same time the seconds of each count. */
static double side_lively_seconds(const struct comparison_side *side,
				  struct time_range range)
{
	const struct time_range *lively = &side->lively;
	double instances = side->instances ? side->instances : 1;

	if (!lively->to_ns)
		return instances * time_range_seconds(range);
	if (range.from_ns < lively->from_ns)
		range.from_ns = lively->from_ns;
	if (range.to_ns > lively->to_ns)
		range.to_ns = lively->to_ns;
	return range.to_ns > range.from_ns
		       ? instances * time_range_seconds(range)
		       : 0;
}

static struct time_range side_part_range(const struct comparison_side *side,
					 size_t i)
{
	return (struct time_range){
		part_edge(side->range, i, side->part_count),
		part_edge(side->range, i + 1, side->part_count),
	};
}

static void side_cover(struct comparison_side *side, struct time_range lively)
{
	side->lively = lively;
	for (size_t i = 0; !side->span_id_count && i < side->part_count; i++)
		side->exposure[i] =
			side_lively_seconds(side, side_part_range(side, i));
}

void comparison_cover(struct comparison *c, struct time_range slow,
		      struct time_range base)
{
	side_cover(&c->slow, slow);
	side_cover(&c->base, base);
}

static void side_part_ask(struct comparison_side *side, const char *type_id,
			  size_t i, struct profile_fetch *f)
{
	size_t parts = side->part_count;
	struct profile_query query = { .type_id = type_id,
				       .selector = side->selector.ptr };

	if (side->span_id_count) {
		size_t from = side->span_id_count * i / parts;
		size_t to = side->span_id_count * (i + 1) / parts;

		/* Some spans, over the whole range: theirs are spread over it
		 * anyhow. */
		query.span_ids = side->span_ids + from;
		query.span_id_count = to - from;
		query.range = side->has_exact_range
				      ? side->range
				      : window_of_samples(side->range.from_ns,
							  side->range.to_ns);
		side->exposure[i] = (double)(to - from);
	} else {
		query.range = side_part_range(side, i);
		query.is_continued = i > 0;
		side->exposure[i] = time_range_seconds(query.range);
	}
	profile_fetch_init(f, &query,
			   parts == 1 ? &side->profile : &side->parts[i]);
	f->paths = side->paths;
	f->path_count = side->path_count;
}

void comparison_side_request(struct comparison_side *side, const char *type_id,
			     struct profile_fetch *fetch)
{
	side->part_count = 1;
	side_part_ask(side, type_id, 0, fetch);
}

static void side_ask(struct comparison *c, struct comparison_side *side,
		     size_t parts, struct job **jobs, size_t *n)
{
	if (side->span_id_count && parts > side->span_id_count)
		parts = side->span_id_count;
	side->part_count = parts;
	for (size_t i = 0; i < parts; i++) {
		struct profile_fetch *f = &c->fetches[c->fetch_count++];

		side_part_ask(side, c->type_id, i, f);
		f->packs_for_later = c->packs_for_later && parts == 1;
		jobs[(*n)++] = &f->job;
	}
}

void comparison_request(struct comparison *c, size_t parts, struct job **jobs,
			size_t *n)
{
	c->is_asked = true;
	side_ask(c, &c->slow, parts, jobs, n);
	if (c->has_base)
		side_ask(c, &c->base, parts, jobs, n);
}

/* Where profiles are taken now and then, only that time counts. */
static void side_take_profiled(struct comparison_side *side,
			       const struct profile_fetch *fetches)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < side->part_count; i++)
		sum_ns = sat_add_i64(sum_ns, fetches[i].profiled_ns);
	side->profiled_s = (double)sum_ns / NS_PER_S;
	for (size_t i = 0; sum_ns && i < side->part_count; i++)
		side->exposure[i] = (double)fetches[i].profiled_ns / NS_PER_S;
}

static bool side_take(struct comparison_side *side,
		      const struct profile_fetch *fetches, struct str name,
		      struct investigation *v, struct error *err)
{
	const struct profile *parts[COMPARISON_PARTS];
	struct profile *whole = &side->profile;
	bool is_whole = side->part_count == 1;
	size_t n = 0;

	for (size_t i = 0; i < side->part_count; i++) {
		if (!fetches[i].job.has_answer) {
			investigation_note(
				v, (struct note){
					   .kind = NOTE_SIDE_MISSING,
					   .name = name,
					   .reason = fetches[i].job.err.message,
				   });
			continue;
		}
		parts[n++] = side_part(side, i);
	}
	/* Half a side compares with nothing. */
	if (n < side->part_count)
		n = 0;
	if (n > 0)
		side_take_profiled(side, fetches);
	if (n == 0)
		side->part_count = 0;
	if (!is_whole)
		return profile_merge(whole, parts, n, v->backends->notes, err);
	/* As a sum of parts would be: nothing where there is no answer, of an
	 * unknown number of samples where there are none. */
	if (n == 0)
		profile_release(whole);
	if (!whole->stack_count && whole->whole_total <= 0)
		whole->sample_count = -1;
	return true;
}

bool comparison_side_apply(struct comparison_side *side,
			   const struct profile_fetch *fetch)
{
	if (!fetch->job.has_answer || !side->profile.stack_count)
		return false;
	side_take_profiled(side, fetch);
	return true;
}

void comparison_use_base(struct comparison *c, struct comparison_side *base)
{
	comparison_side_release(&c->base);
	c->base = *base;
	c->has_base = true;
	side_init(base);
}

bool comparison_apply(struct comparison *c, struct investigation *v,
		      struct error *err)
{
	const struct profile_fetch *base = c->fetches + c->slow.part_count;

	/* The first refusal. That nothing was found is none. */
	c->slow_error = NULL;
	for (size_t i = 0; i < c->slow.part_count && !c->slow_error; i++)
		if (!c->fetches[i].job.has_answer &&
		    c->fetches[i].job.err.code != ERROR_NOT_FOUND)
			c->slow_error = &c->fetches[i].job.err;
	if (!side_take(&c->slow, c->fetches, STR("profile"), v, err))
		return false;
	if (c->has_base && !side_take(&c->base, base, STR("baseline"), v, err))
		return false;
	c->has_base = c->has_base && c->base.profile.stack_count > 0;
	return true;
}

bool comparison_unpack(struct comparison *c, struct error *err)
{
	/* Profiles from files may stay packed: their order is irrelevant. */
	return !c->packs_for_later || (profile_unpack(&c->slow.profile, err) &&
				       profile_unpack(&c->base.profile, err));
}

#define PROFILES_MAX ((size_t)2 * (1 + COMPARISON_PARTS))

static size_t side_list(struct comparison_side *side, struct profile **out)
{
	size_t n = 0;

	out[n++] = &side->profile;
	for (size_t i = 0; side->part_count > 1 && i < side->part_count; i++)
		out[n++] = &side->parts[i];
	return n;
}

static size_t comparison_list(struct comparison *c, struct profile **out)
{
	size_t n = side_list(&c->slow, out);

	return c->has_base ? n + side_list(&c->base, out + n) : n;
}

bool comparison_apply_files(struct comparison *c,
			    const struct comparison *service,
			    const struct code_rules *rules, struct error *err)
{
	struct profile *profiles[PROFILES_MAX];
	const struct profile *from[] = { &service->slow.profile,
					 &service->base.profile };
	size_t n = comparison_list(c, profiles);

	return profiles_take_files(profiles, n, from, 2, rules, err);
}

bool comparison_apply_lines(struct comparison *c,
			    const struct comparison *service, struct error *err)
{
	struct profile *profiles[PROFILES_MAX];
	const struct profile *from[] = { &service->slow.profile,
					 &service->base.profile };
	size_t n = comparison_list(c, profiles);

	return profiles_take_lines(profiles, n, from, 2, err);
}

double comparison_keep_roots(struct comparison *c,
			     const struct request_roots *roots)
{
	struct profile *profiles[PROFILES_MAX];
	size_t n = comparison_list(c, profiles);

	return request_roots_keep(roots, profiles, n);
}

bool comparison_leave_out_calls(struct comparison *c,
				const struct code_rules *rules, bool are_all,
				bool *has_less, struct error *err)
{
	struct profile *profiles[PROFILES_MAX];
	size_t n = comparison_list(c, profiles);
	int64_t before = c->slow.profile.total;

	if (!calls_leave_out(profiles, n, rules, are_all, err))
		return false;
	*has_less = c->slow.profile.total < before;
	return true;
}

static bool view_apply(struct investigation *v, struct profile *p,
		       struct error *err)
{
	struct profile seen;

	if (view_is_plain(&v->question->view))
		return true;
	if (p->is_of_calls)
		return investigation_fail(
			v, (struct shortfall){ .kind = SHORTFALL_STACKS }, err);
	profile_init(&seen);
	if (!profile_view(p, &v->question->view, &seen, v->backends->notes,
			  err)) {
		profile_release(&seen);
		return false;
	}
	profile_release(p);
	*p = seen;
	return true;
}

static void note_filtered(struct investigation *v, enum note_kind kind,
			  const struct profile *p, struct str side)
{
	if (p->total == p->whole_total || p->whole_total <= 0)
		return;
	investigation_note(v,
			   (struct note){ .kind = kind,
					  .name = side,
					  .percent = 100 * (double)p->total /
						     (double)p->whole_total });
}

bool comparison_filter(struct comparison *c, struct investigation *v,
		       bool is_of_rest, struct error *err)
{
	enum note_kind note = is_of_rest ? NOTE_FILTERED_SIDE : NOTE_FILTERED;
	struct profile *profiles[PROFILES_MAX];
	size_t n = comparison_list(c, profiles);

	for (size_t i = 0; i < n; i++)
		if (!view_apply(v, profiles[i], err))
			return false;
	if (!c->slow.profile.stack_count && !c->base.profile.stack_count)
		return true;
	note_filtered(v, note, &c->slow.profile, STR("profile"));
	if (c->has_base)
		note_filtered(v, note, &c->base.profile, STR("baseline"));
	for (size_t i = 0; is_of_rest && i < n; i++)
		profile_forget_rest(profiles[i]);
	return true;
}

void comparison_note_extent(const struct comparison *c, struct investigation *v,
			    const struct time_range *around)
{
	const struct profile_query query = { .type_id = c->type_id,
					     .selector = c->slow.selector.ptr,
					     .range = c->slow.range };

	const struct profile_backend *p = backends_profiles(v->backends);

	if (p->note_extent)
		p->note_extent(v->backends, &query,
			       c->slow.profile.sample_count, around);
}

bool comparison_divide(struct comparison *c, struct investigation *v,
		       struct str instance_label, struct error *err)
{
	struct comparison_side *from[] = { &c->slow, &c->base };
	struct snapshots_side sides[2];

	for (size_t i = 0; i < 2; i++)
		sides[i] = (struct snapshots_side){
			.query = { .type_id = c->type_id,
				   .selector = from[i]->selector.ptr,
				   .range = from[i]->range },
			.profile = &from[i]->profile,
		};
	c->is_gauge = true;
	return snapshots_divide(v->backends, sides, c->has_base ? 2 : 1,
				instance_label.ptr, err);
}

/* Spans that are queried in parts are each in only one of them, so the smallest
 * part is checked. An instance's profile is not comparable with the
 * service's. */
bool comparison_is_of_spans(const struct comparison *c,
			    const struct comparison *service)
{
	const struct comparison_side *side = &c->slow;
	int64_t least = INT64_MAX;
	bool has_others;

	if (!side->part_count || service->scope != SCOPE_SERVICE)
		return true;
	for (size_t i = 0; i < side->part_count; i++)
		if (side_part(side, i)->total < least)
			least = side_part(side, i)->total;
	has_others = side->part_count > 1 ||
		     service->slow.requests > (double)side->span_id_count;
	return span_answer_is_believable(least, service->slow.profile.total,
					 has_others);
}

static bool count_part(const struct count_job *counts, struct time_range range,
		       double *out)
{
	double covered = 0;

	*out = 0;
	for (uint32_t i = 0; i < counts->step_count; i++) {
		int64_t from =
			counts->range.from_ns + (int64_t)i * counts->step_ns;
		int64_t within = min_i64(from + counts->step_ns, range.to_ns) -
				 max_i64(from, range.from_ns);
		double part = (double)within / (double)counts->step_ns;

		if (counts->counts[i] < 0 || within <= 0)
			continue;
		*out += part * (double)counts->counts[i];
		covered += part * (double)counts->step_ns;
	}
	return covered >= COUNTED_SHARE * (double)(range.to_ns - range.from_ns);
}

void comparison_count(struct comparison_side *side,
		      const struct count_job *counts)
{
	double parts[COMPARISON_PARTS] = { 0 }, sum = 0;

	/* Whose requests were served while profiles were taken is not known. */
	if (!counts->job.has_answer || counts->is_sample ||
	    side->span_id_count || side->profiled_s > 0)
		return;
	for (size_t i = 0; i < side->part_count; i++) {
		if (!count_part(counts, side_part_range(side, i), &parts[i]))
			return;
		sum += parts[i];
	}
	if (sum < COUNTED_REQUESTS)
		return;
	side->requests = sum;
	side->is_requests_sampled = true;
	memcpy(side->exposure, parts, sizeof parts);
}

void comparison_slices(const struct comparison_side *side,
		       const struct profile *parts[COMPARISON_PARTS],
		       double exposure[COMPARISON_PARTS],
		       struct rank_slices *slices)
{
	size_t n = 0;

	for (size_t i = 0; i < side->part_count; i++) {
		if (side->exposure[i] <= 0)
			continue;
		exposure[n] = side->exposure[i];
		parts[n++] = side_part(side, i);
	}
	*slices = (struct rank_slices){ .profiles = parts,
					.exposure = exposure,
					.count = n };
}

double comparison_seconds(const struct comparison_side *side)
{
	return side->profiled_s > 0 ? side->profiled_s
				    : side_lively_seconds(side, side->range);
}

/* A file has no window, but may know how long it is. */
static int64_t side_profiled_ns(const struct comparison_side *side)
{
	int64_t ns = (int64_t)(comparison_seconds(side) * NS_PER_S);

	return ns > 0 ? ns : side->profile.duration_ns;
}

/* Chances that a function which was not there before is there by. */
#define NEW_Q 0.01

void rows_settle_new(struct result *r)
{
	for (size_t i = 0; i < result_listed(r); i++) {
		struct function_row *row = &r->functions[i];
		bool is_sure = !isnan(row->q) && row->q <= NEW_Q;

		if (!row->is_with_all ||
		    (row->baseline_total_value && row->total_value))
			continue;
		row->is_with_all = false;
		r->noise_count -= row->change == CHANGE_NOISE;
		r->noise_count += !is_sure;
		r->change_total += is_sure;
		row->change = CHANGE_NOISE;
		if (is_sure)
			row->change = row->total_value ? CHANGE_NEW
						       : CHANGE_GONE;
	}
}

bool comparison_rank(struct comparison *c, const struct rank_want *want,
		     struct result *result, struct error *err)
{
	const struct profile *slow[COMPARISON_PARTS], *base[COMPARISON_PARTS];
	double slow_exposure[COMPARISON_PARTS], base_exposure[COMPARISON_PARTS];
	struct rank_slices slow_slices, base_slices;
	struct rank_want w = *want;

	comparison_slices(&c->slow, slow, slow_exposure, &slow_slices);
	comparison_slices(&c->base, base, base_exposure, &base_slices);
	if (slow_slices.count > 1 && base_slices.count > 1) {
		w.slow_slices = slow_slices;
		w.baseline_slices = base_slices;
	}
	w.slow_requests = fmax(0, c->slow.requests);
	w.baseline_requests = fmax(0, c->base.requests);
	w.is_requests_sampled = c->slow.is_requests_sampled;
	w.window_ns = side_profiled_ns(&c->slow);
	w.baseline_ns = side_profiled_ns(&c->base);
	/* A snapshot is of no length. */
	if (c->is_gauge)
		w.window_ns = w.baseline_ns = NS_PER_S;
	if (!comparison_unpack(c, err) ||
	    !functions_rank(&c->slow.profile,
			    c->has_base ? &c->base.profile : NULL, &w, result,
			    err))
		return false;
	rows_settle_new(result);
	return true;
}

static void side_uncount(struct comparison_side *side)
{
	side->requests = -1;
	side->is_requests_sampled = false;
	if (side->profiled_s > 0)
		return;
	side_cover(side, side->lively);
}

void comparison_uncount(struct comparison *c)
{
	side_uncount(&c->slow);
	side_uncount(&c->base);
}

double comparison_exposure(const struct comparison_side *side)
{
	return side->requests > 0 ? side->requests : comparison_seconds(side);
}

double comparison_cores(const struct comparison_side *side)
{
	double unit = (double)time_unit_ns(profile_unit(&side->profile));
	double length = comparison_seconds(side);

	return length > 0 ? (double)side->profile.total * unit / 1e9 / length
			  : 0;
}

double comparison_rate(const struct comparison_side *side, int64_t value)
{
	double exposure = comparison_exposure(side);

	return exposure > 0 ? (double)value / exposure : 0;
}

bool comparison_report(const struct comparison *c, struct result *result,
		       struct error *err)
{
	struct str type = arena_str(&result->arena, str_from(c->type_id));

	if (!type.ptr)
		return arena_fail(&result->arena, "the answer", err);
	result->has_profile = true;
	result->profile = (struct profile_info){
		.type = type,
		.scope = c->scope,
		.selector = c->slow.selector,
		.range = c->slow.range,
		.samples = c->slow.profile.sample_count,
		.unit = profile_unit(&c->slow.profile),
		.truncated_share = c->slow.profile.truncated_share,
		.total_value = c->slow.profile.total,
		.requests = (int64_t)c->slow.requests,
		.instances = c->slow.instances,
	};
	result->has_baseline = c->has_base;
	if (!c->has_base)
		return true;
	result->baseline = (struct baseline_info){
		.range = c->base.range,
		.samples = c->base.profile.sample_count,
		.healthy = -1,
		.total_value = c->base.profile.total,
		.requests = (int64_t)c->base.requests,
		.instances = c->base.instances,
	};
	return true;
}
