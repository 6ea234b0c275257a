/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrast_usual.h"

#include "analyze/contrast_features.h"
#include "analyze/contrast_requests.h"
#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/num.h"

#define WHAT "requests like this one"

/* Requests of some time that bear it. */
struct like {
	int64_t *durations; /* sorted */
	size_t count;
	size_t all; /* of which it is known whether they do */
};

struct usual {
	const struct contrast_want *want;
	struct contrast *c;
	struct arena arena;
	double own; /* of numbers */
	struct like now;
};

/* 1, 0, -1 not known. */
static int is_like(const struct usual *u, const struct history_span *span)
{
	const struct history *h = u->want->history;
	const struct contrast_feature f = feature_of(u->c);
	uint32_t value = feature_value(h, &f, span);
	int64_t ordered;
	double number;

	if (u->c->kind == CONTRAST_VALUE || value == FEATURE_UNKNOWN)
		return feature_bears(h, u->c, span);
	if (!feature_number(h, value, &ordered))
		return -1;
	number = feature_number_back(ordered);
	return number >= u->own / USUAL_SIZE && number <= u->own * USUAL_SIZE;
}

static bool find_like(struct usual *u, const struct contrast_requests *r,
		      struct like *out, struct error *err)
{
	*out = (struct like){ 0 };
	out->durations = arena_array(&u->arena, r->count, sizeof(int64_t));
	if (!out->durations)
		return arena_fail(&u->arena, WHAT, err);
	for (uint32_t i = 0; i < r->count; i++) {
		int like = is_like(
			u, contrast_request_span(r, i, u->c->operation));

		out->all += like >= 0;
		if (like == 1)
			out->durations[out->count++] = r->items[i].duration_ns;
	}
	values_sort(out->durations, out->count);
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

static bool is_known(const struct like *before)
{
	return before->count >= CONTRAST_MIN;
}

static bool took_as_long(const struct usual *u, const struct like *before)
{
	int64_t now_p50 = values_quantile(u->now.durations, u->now.count, 50);
	int64_t p50 = values_quantile(before->durations, before->count, 50);
	int64_t p90 = values_quantile(before->durations, before->count, 90);
	double ratio = (double)now_p50 / (double)(p50 > 0 ? p50 : 1), z;

	if ((double)u->want->duration_ns > USUAL_REACH * (double)p90)
		return false;
	return ratio < USUAL_RATIO ||
	       (ratio < USUAL_CHANCE_RATIO &&
		rank_sum_test(u->now.durations, u->now.count, before->durations,
			      before->count, &z) >= USUAL_P);
}

static bool were_as_many(const struct usual *u, const struct like *before)
{
	double now = (double)u->now.count / (double)u->now.all;
	double share = (double)before->count / (double)before->all;

	return now < USUAL_SHARE * share ||
	       fisher_mid_p((double)u->now.count, (double)u->now.all,
			    (double)before->count,
			    (double)before->all) >= USUAL_P;
}

static bool is_as_before(const struct usual *u, const struct like *before)
{
	return took_as_long(u, before) && were_as_many(u, before);
}

static void judge(struct usual *u, const struct like *base,
		  const struct like *days_ago)
{
	const struct like *told = is_known(base) ? base : days_ago;
	struct contrast *c = u->c;

	c->like_count = (uint32_t)u->now.count;
	c->like_before_count = (uint32_t)told->count;
	c->like_p50_ns = values_quantile(u->now.durations, u->now.count, 50);
	c->like_before_p50_ns =
		values_quantile(told->durations, told->count, 50);
	c->is_usual = u->now.count >= CONTRAST_MIN && is_known(told) &&
		      is_as_before(u, told) &&
		      (!is_known(days_ago) || is_as_before(u, days_ago));
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
	struct usual u = { .want = want, .c = c };
	bool is_done;

	c->is_usual = false;
	if (c->kind != CONTRAST_VALUE &&
	    (!parse_f64(own, &u.own) || u.own <= 0))
		return true;
	arena_init(&u.arena, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find(&u, err);
	arena_release(&u.arena);
	return is_done;
}
