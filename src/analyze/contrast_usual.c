/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrast_usual.h"

#include <math.h>

#include "analyze/contrast_features.h"
#include "analyze/contrast_requests.h"
#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/num.h"

#define WHAT "requests like this one"

/* Requests of some time that bear it, or that do not. */
struct group {
	int64_t *durations; /* sorted */
	size_t count;
};

struct like {
	struct group with;
	struct group without;
	double reach_ns; /* the longest, at the size of the one in question */
};

struct usual {
	const struct contrast_want *want;
	struct contrast *c;
	struct arena arena;
	bool is_of_request; /* not of where it was served */
	bool is_own;        /* the request in question bears it */
	double own;         /* its number; 0: not known, or no numbers */
	struct like now;
};

/* What a duration is multiplied with to be that of the size in question, if time
 * grows as size does; smaller ones take as long. */
static double scale_of(const struct usual *u, const struct history_span *span)
{
	const struct history *h = u->want->history;
	const struct contrast_feature f = feature_of(u->c);
	int64_t ordered;
	double size;

	if (u->c->kind != CONTRAST_MORE ||
	    !feature_number(h, feature_value(h, &f, span), &ordered))
		return 1;
	size = feature_number_back(ordered);
	return size > 0 ? fmax(1, u->own / size) : 1;
}

static void add(struct group *g, int64_t duration_ns)
{
	g->durations[g->count++] = duration_ns;
}

static bool find_like(struct usual *u, const struct contrast_requests *r,
		      struct like *out, struct error *err)
{
	*out = (struct like){ .reach_ns = 0 };
	out->with.durations = arena_array(&u->arena, r->count, sizeof(int64_t));
	out->without.durations =
		arena_array(&u->arena, r->count, sizeof(int64_t));
	if (!out->with.durations || !out->without.durations)
		return arena_fail(&u->arena, WHAT, err);
	for (uint32_t i = 0; i < r->count; i++) {
		const struct history_span *span =
			contrast_request_span(r, i, u->c->operation);
		int bears = feature_bears(u->want->history, u->c, span);
		int64_t took_ns = r->items[i].duration_ns;

		if (bears == 1)
			out->reach_ns = fmax(out->reach_ns,
					     (double)took_ns *
						     scale_of(u, span));
		if (bears >= 0)
			add(bears ? &out->with : &out->without, took_ns);
	}
	values_sort(out->with.durations, out->with.count);
	values_sort(out->without.durations, out->without.count);
	return true;
}

static bool find_now(struct usual *u, struct error *err)
{
	struct contrast_requests r;

	contrast_requests_init(&r, u->want->history, u->want->operation,
			       &u->arena);
	return contrast_requests_add(&r, u->want->roles->slow,
				     u->want->slow_range, false, err) &&
	       find_like(u, &r, &u->now, err);
}

/* The same hours of days ago, when a fault of today had not begun. */
static bool find_days_ago(struct usual *u, struct like *out, struct error *err)
{
	static const enum baseline_slot slots[] = { BASELINE_DAY,
						    BASELINE_WEEK };
	const struct history *h = u->want->history;
	struct contrast_requests r;

	contrast_requests_init(&r, h, u->want->operation, &u->arena);
	for (size_t i = 0; i < 2; i++) {
		uint32_t window = u->want->roles->baselines[slots[i]];

		if (window < h->window_count &&
		    !contrast_requests_add(&r, window, h->windows[window].range,
					   false, err))
			return false;
	}
	return find_like(u, &r, out, err);
}

static bool find_base(struct usual *u, struct like *out, struct error *err)
{
	struct contrast_requests r;

	contrast_requests_init(&r, u->want->history, u->want->operation,
			       &u->arena);
	return contrast_requests_add(&r, u->want->base_window,
				     u->want->base_range, false, err) &&
	       find_like(u, &r, out, err);
}

static int64_t p50_of(const struct group *g)
{
	return values_quantile(g->durations, g->count, 50);
}

static bool is_known(const struct like *before)
{
	return before->with.count >= CONTRAST_MIN;
}

static bool took_as_long(const struct group *now, const struct group *before)
{
	int64_t p50 = p50_of(before);
	double ratio = (double)p50_of(now) / (double)(p50 > 0 ? p50 : 1), z;

	return ratio < USUAL_RATIO ||
	       (ratio < USUAL_CHANCE_RATIO &&
		rank_sum_test(now->durations, now->count, before->durations,
			      before->count, &z) >= USUAL_P);
}

static double all_of(const struct like *l)
{
	return (double)(l->with.count + l->without.count);
}

static bool were_as_many(const struct like *now, const struct like *before)
{
	double n = (double)now->with.count, b = (double)before->with.count;

	return n / all_of(now) < USUAL_SHARE * b / all_of(before) ||
	       fisher_mid_p(n, all_of(now), b, all_of(before)) >= USUAL_P;
}

/* Its place or its code is told against the others of the same time: they are
 * not of one machine or one load, and a busy hour is no change of them. */
static bool is_as_far_apart(const struct like *now, const struct like *before)
{
	double then = (double)p50_of(&before->with) /
		      fmax(1, (double)p50_of(&before->without));
	double apart = (double)p50_of(&now->with) /
		       fmax(1, (double)p50_of(&now->without));

	return then - 1 >= (apart - 1) / 2;
}

static enum contrast_since since(const struct usual *u,
				 const struct like *before)
{
	const struct like *now = &u->now;

	if (now->with.count < CONTRAST_MIN || all_of(before) < CONTRAST_MIN)
		return CONTRAST_SINCE_UNKNOWN;
	if (!is_known(before)) {
		if (were_as_many(now, before))
			return CONTRAST_SINCE_UNKNOWN;
		return before->with.count ? CONTRAST_MORE_OFTEN : CONTRAST_NEW;
	}
	if (!u->is_of_request && (now->without.count < CONTRAST_MIN ||
				  before->without.count < CONTRAST_MIN))
		return CONTRAST_SINCE_UNKNOWN;
	if (!u->is_of_request)
		return is_as_far_apart(now, before) ? CONTRAST_AS_EVER
						    : CONTRAST_SLOWER;
	if (!took_as_long(&now->with, &before->with))
		return CONTRAST_SLOWER;
	return were_as_many(now, before) ? CONTRAST_AS_EVER
					 : CONTRAST_MORE_OFTEN;
}

/* The request in question is one of those before, and the others are as ever. */
static bool is_usual(const struct usual *u, const struct like *before)
{
	const struct like *now = &u->now;
	bool is_rest_known = now->without.count >= CONTRAST_MIN &&
			     before->without.count >= CONTRAST_MIN;

	return u->is_own && u->is_of_request &&
	       (double)u->want->duration_ns <=
		       USUAL_REACH * before->reach_ns &&
	       (!is_rest_known ||
		took_as_long(&now->without, &before->without));
}

static void judge(struct usual *u, const struct like *base,
		  const struct like *days_ago)
{
	bool has_base = is_known(base), has_days = is_known(days_ago);
	const struct like *told = has_base || !has_days ? base : days_ago;
	struct contrast *c = u->c;

	c->like_count = (uint32_t)u->now.with.count;
	c->like_before_count = (uint32_t)told->with.count;
	c->like_p50_ns = p50_of(&u->now.with);
	c->like_before_p50_ns = p50_of(&told->with);
	c->since = since(u, told);
	if (c->since == CONTRAST_AS_EVER && has_days && told != days_ago)
		c->since = since(u, days_ago);
	c->is_usual = c->since == CONTRAST_AS_EVER && is_usual(u, told) &&
		      (!has_days || is_usual(u, days_ago));
}

static bool find(struct usual *u, struct error *err)
{
	struct like base, days_ago;

	if (!find_now(u, err) || !find_base(u, &base, err) ||
	    !find_days_ago(u, &days_ago, err))
		return false;
	judge(u, &base, &days_ago);
	return true;
}

bool contrast_usual_find(const struct contrast_want *want, struct contrast *c,
			 struct str own, struct error *err)
{
	struct usual u = { .want = want, .c = c, .is_own = c->own == 1 };
	bool is_done;

	u.is_of_request = c->of == CONTRAST_OF_ATTRIBUTE &&
			  !want->history->keys[c->key].is_of_process;
	if (c->kind != CONTRAST_VALUE &&
	    (!parse_f64(own, &u.own) || u.own <= 0)) {
		u.own = 0;
		u.is_own = false;
	}
	arena_init(&u.arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find(&u, err);
	arena_release(&u.arena);
	return is_done;
}
