/* SPDX-License-Identifier: Apache-2.0
 *
 * How small a change is found: draws pairs of profiles in which one function
 * got dearer, compares them as `tracefind diff` does, and counts.
 *
 * usage: bench-sensitivity SAMPLES SHARE RATIO WINDOWS WANDER PAIRS [FUNCTIONS
 *                          [CLUMP]]
 *
 * SAMPLES of a side, over its WINDOWS; SHARE of the changed function before,
 * which takes RATIO times as much after; WANDER: relative standard deviation of
 * what a function takes from one window to the next, and half of that of what
 * a handler of requests does; samples come in clumps of CLUMP, as requests
 * bring them. Writes "found N wrong N of N": pairs in which the function was
 * said to have grown, and in which one was named that had not changed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile_analysis.h"
#include "base/mem.h"
#include "model/profile_merge.h"

#include "../../tests/unit/random_draws.h"

#define HANDLERS 20
#define MOST_WINDOWS 16
#define MOST_FUNCTIONS 20000
#define WINDOW_NS INT64_C(60000000000)

struct plan {
	double samples, share, ratio, wander, clump;
	int windows, pairs, functions;
};

struct side {
	struct profile windows[MOST_WINDOWS], sum;
	const struct profile *list[MOST_WINDOWS];
};

static double shares[MOST_FUNCTIONS];
/* Of large means as good as normal. */
static double random_count(double mean)
{
	return mean > 60 ? fmax(0, round(mean + sqrt(mean) * random_normal()))
			 : random_poisson(mean);
}

static double random_factor(double cv)
{
	return exp(cv * random_normal());
}

/* Zipf's law, nearly, as shares of functions have it; the first one is the one
 * that changes. */
static void share_out(const struct plan *plan)
{
	double sum = 0;

	for (int i = 1; i < plan->functions; i++)
		sum += shares[i] = pow(i + 3, -0.9);
	for (int i = 1; i < plan->functions; i++)
		shares[i] *= (1 - plan->share) / sum;
	shares[0] = plan->share;
}

static bool add_frame(struct profile_build *b, const char *kind, int number,
		      uint32_t *frame, struct error *err)
{
	char name[32];
	uint32_t function;

	snprintf(name, sizeof name, "app.%s%d", kind, number);
	return profile_build_function(b, str_from(name), STR(""), &function,
				      err) &&
	       profile_build_frame(b, function, 0, frame, err);
}

static bool add_function(struct profile_build *b, int i, double samples,
			 struct error *err)
{
	uint32_t frames[4];

	return add_frame(b, "main", 0, &frames[0], err) &&
	       add_frame(b, "serve", i % HANDLERS, &frames[1], err) &&
	       add_frame(b, "part", i % (4 * HANDLERS), &frames[2], err) &&
	       add_frame(b, "f", i, &frames[3], err) &&
	       profile_build_stack(b, frames, 4, (int64_t)samples, err);
}

static bool draw_window(const struct plan *plan, double ratio,
			struct profile *out, struct error *err)
{
	double handlers[HANDLERS];
	struct profile_build *b;
	bool done;

	profile_init(out);
	b = profile_build_new(out, err);
	done = b && profile_build_type(b, STR("samples"), STR("count"), err);
	for (int i = 0; i < HANDLERS; i++)
		handlers[i] = random_factor(plan->wander / 2);
	for (int i = 0; done && i < plan->functions; i++) {
		double mean = plan->samples / plan->windows * shares[i] *
			      handlers[i % HANDLERS] *
			      random_factor(plan->wander) * (i ? 1 : ratio);

		done = add_function(
			b, i, plan->clump * random_count(mean / plan->clump),
			err);
	}
	done = done && profile_build_finish(b, NULL, err);
	profile_build_free(b);
	out->period = 1;
	out->sample_count = out->total;
	return done;
}

static bool draw_side(const struct plan *plan, double ratio, struct side *side,
		      struct error *err)
{
	for (int i = 0; i < plan->windows; i++) {
		side->list[i] = &side->windows[i];
		if (!draw_window(plan, ratio, &side->windows[i], err))
			return false;
	}
	profile_init(&side->sum);
	return profile_merge(&side->sum, side->list, (size_t)plan->windows,
			     NULL, err);
}

static void side_release(const struct plan *plan, struct side *side)
{
	for (int i = 0; i < plan->windows; i++)
		profile_release(&side->windows[i]);
	profile_release(&side->sum);
}

/* Callers of what changed have changed, too. */
static bool is_right(struct str name)
{
	static const char *const names[] = { "app.f0", "app.part0",
					     "app.serve0", "app.main0" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_equal(name, str_from(names[i])))
			return true;
	return false;
}

static void count(const struct result *r, int *found, int *wrong)
{
	bool is_found = false, is_wrong = false;

	for (size_t i = 0; i < r->function_count; i++) {
		const struct function_row *row = &r->functions[i];

		is_found |= str_equal(row->name, STR("app.f0")) &&
			    change_is_up(row->change);
		is_wrong |= change_is_real(row->change) && !is_right(row->name);
	}
	*found += is_found;
	*wrong += is_wrong;
}

static bool compare(const struct plan *plan, int *found, int *wrong,
		    struct error *err)
{
	static struct side before, after;
	static struct result result;
	struct rank_want want = { .by = RANK_DELTA,
				  .normalize = NORMALIZE_RATE,
				  .window_ns = plan->windows * WINDOW_NS,
				  .baseline_ns = plan->windows * WINDOW_NS };
	bool done;

	if (plan->windows > 1) {
		want.slow_slices.profiles = after.list;
		want.baseline_slices.profiles = before.list;
		want.slow_slices.count = want.baseline_slices.count =
			(size_t)plan->windows;
	}
	memset(&result, 0, sizeof result);
	arena_init(&result.arena, 512 * MIB);
	done = draw_side(plan, 1, &before, err) &&
	       draw_side(plan, plan->ratio, &after, err) &&
	       functions_rank(&after.sum, &before.sum, &want, &result, err);
	if (done)
		count(&result, found, wrong);
	arena_release(&result.arena);
	side_release(plan, &before);
	side_release(plan, &after);
	return done;
}

static bool read_plan(int count, char **words, struct plan *plan)
{
	if (count < 7)
		return false;
	*plan = (struct plan){
		.samples = strtod(words[1], NULL),
		.share = strtod(words[2], NULL),
		.ratio = strtod(words[3], NULL),
		.windows = (int)strtol(words[4], NULL, 10),
		.wander = strtod(words[5], NULL),
		.pairs = (int)strtol(words[6], NULL, 10),
		.functions = count > 7 ? (int)strtol(words[7], NULL, 10) : 2000,
		.clump = count > 8 ? strtod(words[8], NULL) : 1,
	};
	return plan->windows >= 1 && plan->windows <= MOST_WINDOWS &&
	       plan->functions >= 2 && plan->functions <= MOST_FUNCTIONS &&
	       plan->clump >= 1;
}

int main(int argc, char **argv)
{
	static struct error err;
	int found = 0, wrong = 0;
	struct plan plan;

	if (!read_plan(argc, argv, &plan)) {
		fprintf(stderr, "usage: bench-sensitivity SAMPLES SHARE RATIO "
				"WINDOWS WANDER PAIRS [FUNCTIONS [CLUMP]]\n");
		return 2;
	}
	random_state = 88172645463325252u;
	share_out(&plan);
	for (int i = 0; i < plan.pairs; i++) {
		if (!compare(&plan, &found, &wrong, &err)) {
			fprintf(stderr, "bench-sensitivity: %s\n", err.message);
			return 1;
		}
	}
	printf("found %d wrong %d of %d\n", found, wrong, plan.pairs);
	return 0;
}
