/* SPDX-License-Identifier: Apache-2.0
 *
 * What no server adds up over time: a function, whose profiles are fetched
 * slice by slice, and the spans of an operation where they can only be searched
 * for. The step is then looked for in halves of the slices beside it.
 */
#include <math.h>
#include <string.h>

#include "analyze/function_table.h"
#include "backend/fetch_history.h"
#include "backend/fetch_profile.h"
#include "base/num.h"
#include "investigate/when.h"
#include "model/profile.h"

#define SLICES_MOST 48

/* Traces per slice: their median is mostly accurate to 5 %. */
#define SLICE_TRACES 100

/* Left for the instances around the step. */
#define REQUESTS_BESIDE 1

/* The measurement of a part of the window. */
struct slice {
	struct time_range range;
	double amount;
	double count; /* 0: nothing is known */
	double rest;  /* of a function: what all others take */
};

/* ---- a function ---- */

#define NAMES_TOLD 4

/* The function as it is called in the profiles. */
struct function_names {
	struct arena *arena;
	struct str wanted;
	struct str names[NAMES_TOLD]; /* that it may be */
	size_t count;
	bool is_exact;
};

static void names_add(struct function_names *f, struct str name)
{
	bool is_exact = str_equal(name, f->wanted);

	if (f->is_exact || (!is_exact && function_name_match(name, f->wanted) !=
						 NAME_MATCH_FUNCTION))
		return;
	if (is_exact)
		f->count = 0;
	f->is_exact = is_exact;
	for (size_t i = 0; i < f->count; i++)
		if (str_equal(f->names[i], name))
			return;
	if (f->count < NAMES_TOLD)
		f->names[f->count++] = arena_str(f->arena, name);
}

static double function_value(const struct profile *p, struct str name,
			     struct stack_walk *walk)
{
	double sum = 0;

	stack_walk_init(walk, p);
	while (stack_walk_next(walk)) {
		uint32_t i = 0;

		while (i < walk->count &&
		       !str_equal(function_name(
					  p,
					  p->frames[walk->frames[i]].function),
				  name))
			i++;
		if (i < walk->count)
			sum += (double)walk->value;
	}
	return sum;
}

/* One of that name. */
static bool names_settle(struct when *w, struct function_names *f,
			 struct error *err)
{
	struct shortfall s = { .kind = f->count ? SHORTFALL_FUNCTIONS
						: SHORTFALL_FUNCTION,
			       .service = w->want.service,
			       .name = w->want.function };

	if (f->count == 1) {
		w->function = f->names[0];
		return true;
	}
	s.names.count = f->count;
	s.names.items = arena_array(f->arena, f->count + 1, sizeof *f->names);
	if (!s.names.items)
		return arena_fail(f->arena, "the functions", err);
	memcpy(s.names.items, f->names, f->count * sizeof *f->names);
	return investigation_fail(w->v, s, err);
}

static bool read_profiles(struct when *w, const struct profile *profiles,
			  struct slice *slices, size_t n, struct error *err)
{
	struct function_names f = { .arena = w->v->backends->arena,
				    .wanted = w->want.function };
	struct stack_walk *walk =
		arena_array(w->v->backends->arena, 1, sizeof *walk);

	if (!walk)
		return arena_fail(w->v->backends->arena, "the profiles", err);
	for (size_t i = 0; !w->function.len && i < n; i++)
		for (uint32_t k = 0; k < profiles[i].function_count; k++)
			names_add(&f, function_name(&profiles[i], k));
	if (!w->function.len && !names_settle(w, &f, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!(profiles[i].total > 0))
			continue;
		slices[i].amount = function_value(&profiles[i], w->function,
						  walk);
		slices[i].count =
			w->requests.count
				? when_requests_in(w, slices[i].range)
				: time_range_seconds(slices[i].range);
		slices[i].rest = (double)profiles[i].total - slices[i].amount;
	}
	return true;
}

static bool fetch_profiles(struct when *w, struct profile *profiles,
			   struct slice *slices, size_t n, struct error *err)
{
	struct profile_fetch *fetches =
		arena_array(w->v->backends->arena, n, sizeof *fetches);
	struct job *jobs[SLICES_MOST];

	if (!fetches)
		return arena_fail(w->v->backends->arena, "the profiles", err);
	for (size_t i = 0; i < n; i++) {
		const struct profile_query query = {
			.type_id = w->type_id.ptr,
			.selector = w->profiles.selector.ptr,
			.range = slices[i].range,
			.is_continued = i > 0,
		};

		profile_fetch_init(&fetches[i], &query, &profiles[i]);
		jobs[i] = &fetches[i].job;
	}
	if (!when_run(w, jobs, n, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!fetches[i].job.has_answer) {
			*err = fetches[i].job.err;
			return false;
		}
	return true;
}

static bool measure_function(struct when *w, struct slice *slices, size_t n,
			     struct error *err)
{
	struct profile *profiles =
		arena_array(w->v->backends->arena, n, sizeof *profiles);
	bool done;

	if (!profiles)
		return arena_fail(w->v->backends->arena, "the profiles", err);
	for (size_t i = 0; i < n; i++)
		profile_init(&profiles[i]);
	done = fetch_profiles(w, profiles, slices, n, err) &&
	       read_profiles(w, profiles, slices, n, err);
	for (size_t i = 0; i < n; i++)
		profile_release(&profiles[i]);
	return done;
}

/* ---- spans of an operation ---- */

#define KINDS 5

static const enum span_kind kinds[KINDS] = {
	SPAN_KIND_SERVER,   SPAN_KIND_INTERNAL, SPAN_KIND_CLIENT,
	SPAN_KIND_CONSUMER, SPAN_KIND_PRODUCER,
};

/* Logarithms: the mean of those is not carried off by one that hangs. */
static void slice_add(struct slice *slice, const struct history_span *span)
{
	slice->amount += log(fmax((double)span->duration_ns, 1));
	slice->count += 1;
}

/* A slice's spans are divided into groups by time, of at least GROUP_SPANS:
 * more groups show the variance of levels better. */
#define GROUPS 4
#define GROUP_SPANS 8u

struct points {
	struct slice items[SLICES_MOST * GROUPS];
	size_t count;
};

static void add_groups(struct points *out, const struct history_span *spans,
		       size_t count)
{
	size_t groups = min_size(max_size(count / GROUP_SPANS, 1), GROUPS);

	for (size_t i = 0; count && i < groups; i++) {
		size_t from = count * i / groups, to = count * (i + 1) / groups;
		struct slice *x = &out->items[out->count++];

		*x = (struct slice){ .range.from_ns = spans[from].start_ns };
		for (size_t k = from; k < to; k++)
			slice_add(x, &spans[k]);
	}
}

/* Spans are sorted by start, like slices. */
static void read_spans(const struct history *h, struct slice *slices, size_t n,
		       struct points *out)
{
	const struct history_window *window = &h->windows[0];
	uint32_t i = 0;

	for (size_t k = 0; k < n; k++) {
		uint32_t first = i;

		while (i < window->span_count &&
		       window->spans[i].start_ns < slices[k].range.to_ns)
			slice_add(&slices[k], &window->spans[i++]);
		if (out)
			add_groups(out, window->spans + first, i - first);
	}
}

/* Counted apart from requests, of which these are but some. */
static bool learn_versions(struct when *w, const struct history *h,
			   struct error *err)
{
	const struct history_window *window = &h->windows[0];

	for (uint32_t i = 0; i < window->span_count; i++) {
		const struct history_span *span = &window->spans[i];
		int64_t since_ms =
			span->start_ns / NS_PER_MS - w->steps.from_ms;
		size_t step = (size_t)(since_ms / w->steps.step_ms);

		if (!span->version || since_ms < 0 || step >= w->steps.count)
			continue;
		if (!when_count_version(w,
					symtab_text(&h->symtab, span->version),
					step, err))
			return false;
	}
	return true;
}

static bool search_spans(struct when *w, struct history *h,
			 struct slice *slices, size_t n, struct error *err)
{
	struct history_job *searches =
		arena_array(w->v->backends->arena, n, sizeof *searches);
	struct job *jobs[SLICES_MOST];

	if (!searches)
		return arena_fail(w->v->backends->arena, "the searches", err);
	h->windows[0].range = (struct time_range){ slices[0].range.from_ns,
						   slices[n - 1].range.to_ns };
	h->windows[0].slow_operation = OPERATION_NONE;
	h->window_count = 1;
	for (size_t i = 0; i < n; i++) {
		history_job_init(&searches[i], h, 0, SLICE_TRACES);
		searches[i].range = slices[i].range;
		jobs[i] = &searches[i].job;
	}
	if (!when_run(w, jobs, n, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!searches[i].job.has_answer) {
			*err = searches[i].job.err;
			return false;
		}
	return true;
}

static bool measure_spans(struct when *w, struct slice *slices, size_t n,
			  struct points *out, struct error *err)
{
	struct operation operations[KINDS];
	struct history h;
	bool done;

	for (size_t i = 0; i < KINDS; i++)
		operations[i] = (struct operation){ w->want.service,
						    w->want.name, kinds[i] };
	history_init(&h, operations, KINDS);
	done = search_spans(w, &h, slices, n, err);
	if (done) {
		read_spans(&h, slices, n, out);
		done = learn_versions(w, &h, err);
	}
	history_release(&h);
	return done;
}

/* ---- slices ---- */

/* out: receives details of the slices; NULL: none. */
static bool slices_measure(struct when *w, struct slice *slices, size_t n,
			   struct points *out, struct error *err)
{
	if (w->lead == WHEN_DURATION)
		return measure_spans(w, slices, n, out, err);
	if (!measure_function(w, slices, n, err))
		return false;
	if (out) {
		memcpy(out->items, slices, n * sizeof *slices);
		out->count = n;
	}
	return true;
}

/* Halves down to a minute. */
static size_t halves_of(int64_t length_ns)
{
	size_t n = 0;

	while (length_ns > NS_PER_MIN) {
		length_ns = (length_ns + 1) / 2;
		n++;
	}
	return n;
}

/* The halvings for a function: the levels of the slices beside the change point
 * place it to some minutes; of spans, which are the newest of each, halves have
 * to. */
#define HALVES_OF_FUNCTION 2

/* As many as leave enough for those. */
static size_t count_slices(const struct when *w)
{
	int64_t length_ns = w->want.window.to_ns - w->want.window.from_ns;
	size_t left =
		w->request_limit -
		min_size(w->request_limit, w->request_count + REQUESTS_BESIDE);
	size_t n = min_size(left, SLICES_MOST);

	if (w->lead == WHEN_FUNCTION)
		return max_size(n - min_size(n, HALVES_OF_FUNCTION),
				CHANGE_STEPS_MIN);
	while (n > CHANGE_STEPS_MIN &&
	       n + halves_of(2 * length_ns / (int64_t)n) > left)
		n--;
	return max_size(n, CHANGE_STEPS_MIN);
}

static int64_t minute_of(int64_t time_ns)
{
	return time_ns - time_ns % NS_PER_MIN;
}

static bool fill_series(struct when *w, struct when_series *s,
			const struct points *points, struct error *err)
{
	if (!when_series_make(w, s, points->count, err))
		return false;
	for (size_t i = 0; i < points->count; i++) {
		s->starts[i] = points->items[i].range.from_ns;
		s->amounts[i] = points->items[i].amount;
		s->counts[i] = points->items[i].count;
		s->is_known |= points->items[i].count > 0;
	}
	s->starts[points->count] = w->want.window.to_ns;
	s->is_sliced = true;
	s->is_log = w->lead == WHEN_DURATION;
	s->is_per_request = s->is_log || w->requests.count;
	return s->is_known || when_fail_operation(w, err);
}

/* ---- halves ---- */

/* Part of the way from one level to the other that is seen at least, and by
 * how many times its noise. */
#define PART_SEEN 0.2
#define NOISE_SEEN 2.0

/* A half that cannot be assigned to before or after ends the search. */
#define PART_MOST 0.5

static double log_level(const struct when_series *s, double level)
{
	return s->is_log ? level : log(fmax(level, 1e-300));
}

/* How far a level is from the one before to the one after. */
static double part_after(const struct change_point *p, double level)
{
	return (level - p->before) / (p->after - p->before);
}

/* Returns the noise of a change point in parts of its height, where so much was
 * counted. */
static double noise_of(const struct when_series *s,
		       const struct change_point *p, double counted)
{
	double jump = log_level(s, p->after) - log_level(s, p->before);
	double count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += s->counts[i] / (double)s->count;
	return s->found.noise * sqrt(count / counted) / fabs(jump);
}

/* Where the step lies: in [from, to), if noise misled no one from first on. */
struct bracket {
	int64_t first_ns;
	int64_t from_ns;
	int64_t to_ns;
};

/* The first half of it has the level of before, or of after from some time in
 * it on; what is too little of that to be seen lies at its end. */
static void bracket_narrow(struct bracket *b, int64_t half_ns, double part,
			   double seen)
{
	if (part >= seen) {
		b->to_ns = half_ns;
		/* A part of it is still at the level of before, so the change
		 * came after its beginning. */
		if (part < PART_MOST)
			b->first_ns = b->from_ns;
		return;
	}
	b->first_ns = min_i64(
		b->from_ns,
		half_ns - (int64_t)(2 * seen * (double)(half_ns - b->from_ns)));
	b->from_ns = half_ns;
}

/* s: the series that the step was found in, by levels of the same kind. */
static bool step_halve(struct when *w, const struct when_series *s,
		       bool is_rest, struct time_range *at, struct error *err)
{
	const struct change_point *p = &s->found.items[s->found.largest];
	struct bracket b = { minute_of(at->from_ns), minute_of(at->from_ns),
			     minute_of(at->to_ns + NS_PER_MIN - 1) };

	while (b.to_ns - b.from_ns > NS_PER_MIN &&
	       w->request_count + REQUESTS_BESIDE < w->request_limit) {
		int64_t half_ns =
			minute_of(b.from_ns + (b.to_ns - b.from_ns) / 2);
		struct slice x = { .range = { b.from_ns, half_ns } };
		double seen, counted;

		if (!slices_measure(w, &x, 1, NULL, err))
			return false;
		counted = is_rest ? x.rest : x.count;
		if (!(counted > 0))
			break;
		seen = fmax(PART_SEEN, NOISE_SEEN * noise_of(s, p, counted));
		if (seen > PART_MOST)
			break;
		bracket_narrow(&b, half_ns, part_after(p, x.amount / counted),
			       seen);
	}
	*at = (struct time_range){ b.first_ns, b.to_ns };
	return true;
}

/* Slices measured as a whole show which part of them is at the new level: the
 * change came that long before the last of them ends, within the noise. */
#define WIDTH_NOISE 2.5

static void step_interpolate(const struct when_series *s, struct time_range *at)
{
	const struct change_point *p = &s->found.items[s->found.largest];
	double after_ns = 0, off_ns = 0;
	int64_t at_ns, width_ns;

	for (size_t i = p->low - 1; i <= p->high; i++) {
		double length_ns = (double)(s->starts[i + 1] - s->starts[i]);
		double noise = noise_of(s, p, s->counts[i]) * length_ns;

		after_ns +=
			part_after(p, s->amounts[i] / s->counts[i]) * length_ns;
		off_ns = sqrt(off_ns * off_ns + noise * noise);
	}
	if (!isfinite(after_ns) || !isfinite(off_ns) ||
	    off_ns > (double)(at->to_ns - at->from_ns))
		return;
	at_ns = at->to_ns - (int64_t)after_ns;
	width_ns = (int64_t)(WIDTH_NOISE * off_ns) + NS_PER_MIN;
	at->from_ns = max_i64(at->from_ns,
			      min_i64(at_ns - width_ns, at->to_ns - width_ns));
	at->to_ns = min_i64(at->to_ns,
			    max_i64(at_ns + width_ns, at->from_ns + width_ns));
}

/* ---- a function beside the others ---- */

/* The least part of the whole that a rest can be compared with. */
#define REST_LEAST 0.1

/* The number of requests is known to a twentieth where few are traced, and all
 * functions go by it: a function is held against all others. */
static bool make_odds(struct when *w, struct when_series *odds,
		      const struct when_series *s, const struct points *points,
		      struct error *err)
{
	double amount = 0, rest = 0;

	if (!when_series_make(w, odds, s->count, err))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		odds->starts[i] = s->starts[i];
		odds->amounts[i] = s->amounts[i];
		odds->counts[i] = s->counts[i] > 0 ? points->items[i].rest : 0;
		amount += s->amounts[i];
		rest += odds->counts[i];
	}
	odds->starts[s->count] = s->starts[s->count];
	odds->is_sliced = true;
	odds->is_known = rest > REST_LEAST * (amount + rest);
	return true;
}

static double level_between(const struct when_series *s, size_t from, size_t to)
{
	double amount = 0, count = 0;

	for (size_t i = from; i < to; i++) {
		amount += s->amounts[i];
		count += s->counts[i];
	}
	return amount / count;
}

/* The part of a change point that another measure has to have, too. */
#define AGREED 0.5

static double jump_of(const struct change_point *p)
{
	return log(fmax(p->after, 1e-9) / fmax(p->before, 1e-9));
}

/* The steps that were found in another series, with the levels of this one;
 * false where there are none, or one of them is not in this one. */
static bool steps_agree(const struct when_series *s,
			const struct change_points *found,
			struct change_points *out)
{
	*out = *found;
	for (size_t i = 0; i < out->count; i++) {
		struct change_point *p = &out->items[i];
		size_t from = i ? p[-1].at : 0;
		size_t to = i + 1 < out->count ? p[1].at : s->count;

		p->before = level_between(s, from, p->at);
		p->after = level_between(s, p->at, to);
		if (jump_of(p) / jump_of(&found->items[i]) < AGREED)
			return false;
	}
	return out->kind == SERIES_STEP;
}

/* Judges the slices; spans have nothing to be compared with. */
static bool judge_slices(struct when *w, struct when_series *s,
			 struct when_series *odds, const struct points *points,
			 struct error *err)
{
	struct change_points found;

	if (!when_judge(w, s, err))
		return false;
	if (w->lead != WHEN_FUNCTION)
		return true;
	if (!make_odds(w, odds, s, points, err) || !when_judge(w, odds, err))
		return false;
	/* All functions together are no change of this one: a second has more
	 * requests. */
	if (odds->is_known && !odds->found.recent_count)
		s->found.recent_count = 0;
	if (odds->is_known && !s->is_per_request &&
	    s->found.kind == SERIES_STEP && !steps_agree(odds, &s->found,
							 &found))
		s->found = (struct change_points){
			.kind = SERIES_STEADY,
			.least_ratio = odds->found.least_ratio,
			.noise = s->found.noise,
			.first = s->found.first,
			.last = s->found.last,
		};
	odds->is_known = odds->is_known && steps_agree(s, &odds->found, &found);
	if (odds->is_known)
		s->found = found;
	return true;
}

/* ---- all of it ---- */

bool when_ask_slices(struct when *w, struct error *err)
{
	struct when_series *s = &w->series[w->lead], odds = { 0 };
	struct slice slices[SLICES_MOST] = { 0 };
	struct points *points =
		arena_array(w->v->backends->arena, 1, sizeof *points);
	struct time_range window = w->want.window;
	const struct when_series *found = &odds;
	const struct change_point *p;
	size_t n = count_slices(w);
	int64_t length_ns = (window.to_ns - window.from_ns) / (int64_t)n;

	if (!points)
		return arena_fail(w->v->backends->arena, "the slices", err);
	for (size_t i = 0; i < n; i++) {
		int64_t from_ns = window.from_ns + length_ns * (int64_t)i;

		slices[i].range =
			(struct time_range){ minute_of(from_ns),
					     minute_of(from_ns + length_ns) };
	}
	slices[n - 1].range.to_ns = window.to_ns;
	if (!slices_measure(w, slices, n, points, err) ||
	    !fill_series(w, s, points, err))
		return false;
	if (w->lead == WHEN_DURATION)
		when_find_versions(w);
	if (!judge_slices(w, s, &odds, points, err))
		return false;
	if (s->found.kind != SERIES_STEP)
		return true;
	/* The slices beside it may hold a part of it each. */
	if (!odds.is_known)
		found = s;
	p = &found->found.items[found->found.largest];
	w->step = when_step_of(s, found->found.largest);
	w->step.at = (struct time_range){ found->starts[p->low - 1],
					  found->starts[p->high + 1] };
	if (w->lead == WHEN_FUNCTION)
		step_interpolate(found, &w->step.at);
	return step_halve(w, found, odds.is_known, &w->step.at, err);
}
