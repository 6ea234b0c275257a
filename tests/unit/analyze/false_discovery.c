/* SPDX-License-Identifier: Apache-2.0
 *
 * How often a comparison of blocks claims what is not so. Two sides of ten
 * blocks are drawn from one random source with a fixed start: 200 functions,
 * 30,000 samples a side, ten of them truly grown by half or none. From block
 * to block each function varies by itself, and all vary with the load.
 */
#include "../unit.h"
#include "ranking.h"

#include "analyze/stats.h"
#include "model/profile.h"

#include "../random_draws.h"

#define ROUNDS 20
#define FUNCTIONS 200
#define GROWN 10
#define SLICES 10
#define SAMPLES_PER_SLICE 15.0 /* of one function */
#define SLICE_SECONDS 60

struct traffic {
	double function_cv;
	double load_cv;
	double change; /* of the first GROWN functions on the slow side */
};

/* One side: its blocks and their sum. */
struct drawn {
	struct profile slices[SLICES];
	const struct profile *list[SLICES];
	struct profile sum;
	double samples[FUNCTIONS];
	double all;
};

static void draw_slice(struct drawn *side, int slice,
		       const struct traffic *traffic, double change)
{
	double load = fmax(0.1, 1 + traffic->load_cv * random_normal());
	struct profile *p = &side->slices[slice];
	struct profile_build *b;

	profile_init(p);
	b = profile_build_new(p, &err);
	assert_non_null(b);
	assert_ok(profile_build_type(b, STR("samples"), STR("count"), &err));
	for (int f = 0; f < FUNCTIONS; f++) {
		double own =
			fmax(0.02, 1 + traffic->function_cv * random_normal());
		int n = random_poisson(SAMPLES_PER_SLICE * load * own *
				       (f < GROWN ? change : 1));
		uint32_t function, frame;
		char name[16];

		snprintf(name, sizeof name, "app.f%d", f);
		assert_ok(profile_build_function(b, str_from(name), STR(""),
						 &function, &err));
		assert_ok(profile_build_frame(b, function, 0, &frame, &err));
		assert_ok(profile_build_stack(b, &frame, 1, n, &err));
		side->samples[f] += n;
		side->all += n;
	}
	assert_ok(profile_build_finish(b, NULL, &err));
	profile_build_free(b);
	side->list[slice] = p;
}

static void draw_side(struct drawn *side, const struct traffic *traffic,
		      double change)
{
	memset(side, 0, sizeof *side);
	for (int i = 0; i < SLICES; i++)
		draw_slice(side, i, traffic, change);
	profile_init(&side->sum);
	assert_ok(profile_merge(&side->sum, side->list, SLICES, NULL, &err));
}

static void release_side(struct drawn *side)
{
	for (int i = 0; i < SLICES; i++)
		profile_release(&side->slices[i]);
	profile_release(&side->sum);
}

/* Claims of one or more rounds. */
struct claims {
	int right;
	int wrong;
	double false_part; /* summed over the rounds: wrong of all claims */
};

static bool is_grown(struct str name, const struct traffic *traffic)
{
	uint64_t number = FUNCTIONS;

	if (!parse_u64(str_slice(name, 5, name.len), &number))
		return false;
	return number < GROWN && traffic->change != 1;
}

static void count_claim(struct claims *round, bool is_true)
{
	if (is_true)
		round->right++;
	else
		round->wrong++;
}

static void add_round(struct claims *sum, const struct claims *round)
{
	int all = round->right + round->wrong;

	sum->right += round->right;
	sum->wrong += round->wrong;
	sum->false_part += all ? (double)round->wrong / all / ROUNDS : 0;
}

/* What the comparison says. */
static void count_ranked(struct claims *sum, const struct drawn *slow,
			 const struct drawn *base, enum normalize normalize,
			 const struct traffic *traffic)
{
	struct rank_want want = {
		.normalize = normalize,
		.window_ns = SLICES * SLICE_SECONDS * 1000000000LL,
		.baseline_ns = SLICES * SLICE_SECONDS * 1000000000LL,
		.slow_slices = { .profiles = slow->list, .count = SLICES },
		.baseline_slices = { .profiles = base->list, .count = SLICES },
	};
	static struct result result;
	struct claims round = { 0 };

	memset(&result, 0, sizeof result);
	arena_init(&result.arena, 64 * MIB);
	assert_ok(functions_rank(&slow->sum, &base->sum, &want, &result, &err));
	for (size_t i = 0; i < result.function_count; i++)
		if (result.functions[i].q <= 0.05)
			count_claim(&round, is_grown(result.functions[i].name,
						     traffic));
	add_round(sum, &round);
	arena_release(&result.arena);
}

/* As if samples were independent. */
static void count_plain(struct claims *sum, const struct drawn *slow,
			const struct drawn *base, enum exposure exposure,
			const struct traffic *traffic)
{
	double p[FUNCTIONS], q[FUNCTIONS];
	size_t order[FUNCTIONS];
	struct claims round = { 0 };

	for (int f = 0; f < FUNCTIONS; f++) {
		struct counts c = {
			.a = slow->samples[f],
			.b = base->samples[f],
			.n_a = exposure == EXPOSURE_SHARE ? slow->all : 1,
			.n_b = exposure == EXPOSURE_SHARE ? base->all : 1,
			.exposure = exposure,
		};

		p[f] = counts_test(&c, (struct noise){ 1, INFINITY });
	}
	false_discovery_adjust(p, q, order, FUNCTIONS);
	for (int f = 0; f < FUNCTIONS; f++)
		if (q[f] <= 0.05)
			count_claim(&round, f < GROWN && traffic->change != 1);
	add_round(sum, &round);
}

struct outcome {
	struct claims share;
	struct claims rate;
	struct claims plain_share;
	struct claims plain_rate;
};

static struct outcome simulate(const struct traffic *traffic)
{
	static struct drawn slow, base;
	struct outcome o = { 0 };

	random_state = 88172645463325252u;
	for (int round = 0; round < ROUNDS; round++) {
		draw_side(&slow, traffic, traffic->change);
		draw_side(&base, traffic, 1);
		count_ranked(&o.share, &slow, &base, NORMALIZE_SHARE, traffic);
		count_ranked(&o.rate, &slow, &base, NORMALIZE_RATE, traffic);
		count_plain(&o.plain_share, &slow, &base, EXPOSURE_SHARE,
			    traffic);
		count_plain(&o.plain_rate, &slow, &base, EXPOSURE_RATE,
			    traffic);
		release_side(&slow);
		release_side(&base);
	}
	return o;
}

/* Noise of a function, of the load: none, one, the other, both. */
static const double noises[][2] = {
	{ 0, 0 }, { 0, 0.2 }, { 0.3, 0 }, { 0.3, 0.2 }
};

/* Two of 20 rounds with a false claim are what chance lets 5 % of them be. */
#define FALSE_DISCOVERY (0.1 + 1e-9)

/* Of 80 rounds each, before 20 were chosen: shares and rates 0, 0, 0.025,
 * 0.0375. */
static void test_without_change(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct traffic traffic = { noises[i][0], noises[i][1], 1 };
		struct outcome o = simulate(&traffic);

		assert_true(o.share.false_part <= FALSE_DISCOVERY);
		assert_true(o.rate.false_part <= FALSE_DISCOVERY);
		/* Independent samples make claims as soon as there is noise;
		 * shares stand the load's. */
		if (noises[i][1] > 0)
			assert_true(o.plain_rate.false_part > 0.1);
		if (noises[i][0] > 0)
			assert_true(o.plain_share.false_part > 0.5);
	}
}

/* Of 40 rounds each: shares 0, 0, 0.01, 0.03; rates 0, 0, 0.01, 0. As if
 * samples were independent: shares 0.06, 0.07, 0.65, 0.66, rates 0.04, 0.24,
 * 0.63, 0.70. */
static void test_with_change(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct traffic traffic = { noises[i][0], noises[i][1], 1.5 };
		struct outcome o = simulate(&traffic);

		assert_true(o.share.false_part <= FALSE_DISCOVERY);
		assert_true(o.rate.false_part <= FALSE_DISCOVERY);
		if (noises[i][1] > 0)
			assert_true(o.plain_rate.false_part > 0.1);
		if (noises[i][0] > 0)
			assert_true(o.plain_share.false_part > 0.5);
		/* The price: growth by half is seen only without noise. */
		if (i == 0) {
			assert_true(o.share.right > ROUNDS);
			assert_true(o.rate.right > ROUNDS);
		}
	}
}

/* Three times as much is found whatever the noise. */
static void test_power(void **state)
{
	struct traffic traffic = { 0.3, 0.2, 3 };
	struct outcome o = simulate(&traffic);

	(void)state;
	assert_true(o.share.right >= 0.9 * ROUNDS * GROWN);
	assert_true(o.rate.right >= 0.9 * ROUNDS * GROWN);
	assert_true(o.share.false_part <= FALSE_DISCOVERY);
	assert_true(o.rate.false_part <= FALSE_DISCOVERY);
}

UNIT_TESTS(false_discovery)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_change),
		cmocka_unit_test(test_with_change),
		cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests_name("analyze/false_discovery", tests,
					   NULL, NULL);
}
