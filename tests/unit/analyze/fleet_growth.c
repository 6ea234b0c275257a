/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/growth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/limits.h"

#include "../random_draws.h"

#define FUNCTIONS 40
#define SERVICES 300
#define CORES 1e-4 /* of a sample */

static const struct gate_limits limits = { { 0.03, 0.05, 0.01 } };
static struct error err;

/* What a fleet is like. */
struct shape {
	const char *name;
	size_t services;
	double samples; /* of a side */
	double wander;  /* of functions, from one side to the other */
	size_t restless; /* services that wander by a fifth */
	size_t planted;  /* in which the function of `share` takes... */
	double share;
	double factor; /* ...so many times as much */
	double drift;  /* what all of a service do */
	double uneven; /* standard deviation of the logarithm of the wander */
};

static double drawn(double mean)
{
	return fmax(0, round(mean + sqrt(mean) * random_normal()));
}

/* The first of them has `share` of all. */
static void draw_service(struct fleet *f, const struct shape *s, size_t index)
{
	struct fleet_service *out = &f->items[index];
	double weights[FUNCTIONS], sum = 0;
	double wander = (index < s->restless ? 0.2 : s->wander) *
			exp(s->uneven * random_normal());
	double factor = index >= s->services - s->planted ? s->factor : 1;

	*out = (struct fleet_service){ .state = FLEET_COMPARED,
				       .sample_cores = CORES };
	out->name = arena_printf(&f->arena, "s%03zu", index);
	out->functions =
		arena_array(&f->arena, FUNCTIONS, sizeof *out->functions);
	assert_non_null(out->functions);
	for (size_t k = 1; k < FUNCTIONS; k++)
		sum += weights[k] = exp(1.2 * random_normal());
	weights[0] = sum * s->share / (1 - s->share);
	sum += weights[0];
	for (size_t k = 0; k < FUNCTIONS; k++) {
		struct fleet_function *to = &out->functions[k];
		double mean = weights[k] / sum * s->samples;

		to->name = arena_printf(&f->arena, "f%02zu", k);
		to->after = drawn(mean * (s->drift > 0 ? s->drift : 1) *
				  exp(wander * random_normal()) *
				  (k ? 1 : factor));
		out->after_samples += to->after;
		for (size_t i = 0; i < FLEET_PARTS; i++) {
			to->before[i] = drawn(mean / FLEET_PARTS);
			out->before_samples[i] += to->before[i];
		}
	}
	out->count = FUNCTIONS;
}

static void draw_fleet(struct fleet *f, const struct shape *s)
{
	*f = (struct fleet){ .count = s->services };
	arena_init(&f->arena, GIB);
	f->items = arena_array(&f->arena, f->count, sizeof *f->items);
	assert_non_null(f->items);
	for (size_t i = 0; i < f->count; i++)
		draw_service(f, s, i);
}

/* Services claimed whose function 0 did not grow, or another did beside. */
static size_t judge(struct fleet *f, const struct shape *s, size_t *found)
{
	size_t wrong = 0;
	struct str first = s->planted
				   ? f->items[s->services - s->planted].name
				   : STR("");

	assert_true(fleet_growth_find(f, &limits, &err));
	*found = 0;
	for (size_t i = 0; i < f->grown; i++) {
		const struct fleet_service *g = &f->items[i];
		bool is_planted = s->planted && g->grown == 1 &&
				  str_compare(g->name, first) >= 0 &&
				  str_equal(g->functions[0].name, STR("f00"));

		*found += is_planted;
		wrong += !is_planted;
	}
	return wrong;
}

struct expected {
	struct shape shape;
	size_t fleets;
	size_t least_found; /* in all of them */
	size_t most_wrong;
};

/* False claims are to be one in a hundred: of ten fleets without a change one or
 * none, of ten in which 30 grew three, and as many functions beside. */
static void test_drawn_fleets(void **state)
{
	static const struct expected cases[] = {
		{ { "equal", SERVICES, 60000 }, 10, 0, 1 },
		{ { "equal, wander 3 %", SERVICES, 60000, .03 }, 10, 0, 1 },
		{ { "equal, some restless", SERVICES, 60000, .01, 30 },
		  10, 0, 1 },
		{ { "equal, twice the load", SERVICES, 60000, .drift = 2 },
		  10, 0, 1 },
		{ { "equal, ten services", 10, 60000, .01 }, 100, 0, 3 },
		{ { "equal, wander of its own each", SERVICES, 60000, .02,
		    .uneven = 1 },
		  10, 0, 1 },
		{ { "the same, ten services", 10, 60000, .02, .uneven = 1 },
		  100, 0, 3 },
		{ { "10 %, 1.3 times", SERVICES, 60000, 0, 0, 30, .1, 1.3 },
		  10, 294, 8 },
		{ { "10 %, 1.5 times, wander 3 %", SERVICES, 60000, .03, 0, 30,
		    .1, 1.5 },
		  10, 294, 8 },
		{ { "the same, some restless", SERVICES, 60000, .03, 30, 30,
		    .1, 1.5 },
		  10, 294, 8 },
		{ { "one of ten services", 10, 60000, .01, 0, 1, .1, 1.5 },
		  20, 19, 1 },
		{ { "half of it, 1.3 times", SERVICES, 60000, 0, 0, 30, .5,
		    1.3 },
		  10, 294, 8 },
		{ { "within the limit", SERVICES, 1e7, 0, 0, 30, .1, 1.04 },
		  2, 0, 1 },
		{ { "too few samples", SERVICES, 1000, 0, 0, 30, .1, 1.3 },
		  2, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct expected *e = &cases[i];
		size_t found = 0, wrong = 0, judged = 0;

		random_state = 7;
		for (size_t k = 0; k < e->fleets; k++) {
			struct fleet f;
			size_t right;

			draw_fleet(&f, &e->shape);
			wrong += judge(&f, &e->shape, &right);
			found += right;
			judged += f.compared;
			arena_release(&f.arena);
		}
		print_message("%-30s found %zu of %zu, wrong %zu, judged %zu\n",
			      e->shape.name, found,
			      e->fleets * e->shape.planted, wrong, judged);
		assert_true(found >= e->least_found);
		assert_true(wrong <= e->most_wrong);
	}
}

static const struct shape plain = { "plain", 40, 60000, .share = .1 };

/* One service of the fleet as a test changes it. */
static struct fleet_service *named(struct fleet *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_equal(f->items[i].name, str_from(name)))
			return &f->items[i];
	fail();
	return NULL;
}

/* What comes and goes did so before, and says nothing when it comes. */
static void test_restless_function(void **state)
{
	struct fleet f;
	struct fleet_service *s;

	(void)state;
	random_state = 1;
	draw_fleet(&f, &plain);
	s = &f.items[0];
	s->functions[0].before[0] = 0;
	s->functions[0].before[1] = 9000;
	s->functions[0].before[2] = 300;
	s->functions[0].after = 15000;
	assert_true(fleet_growth_find(&f, &limits, &err));
	assert_int_equal(f.grown, 0);
	assert_int_equal(named(&f, "s000")->state, FLEET_COMPARED);
	arena_release(&f.arena);
}

static void test_new_function(void **state)
{
	static const struct gate_limits no_new = { { -1, 0.05, -1 } };
	struct fleet f;
	struct fleet_service *s;

	(void)state;
	random_state = 1;
	draw_fleet(&f, &plain);
	s = &f.items[3];
	for (size_t i = 0; i < FLEET_PARTS; i++)
		s->functions[5].before[i] = 0;
	s->functions[5].after = 3000;
	assert_true(fleet_growth_find(&f, &limits, &err));
	assert_int_equal(f.grown, 1);
	assert_string_equal(f.items[0].name.ptr, "s003");
	assert_int_equal(f.items[0].grown, 1);
	assert_true(f.items[0].functions[0].is_new);
	assert_true(f.items[0].functions[0].added == 3000);
	assert_true(fleet_growth_find(&f, &no_new, &err));
	assert_int_equal(f.grown, 0);
	arena_release(&f.arena);
}

/* The dearest first, whatever is surest; and its interval holds the truth. */
static void test_order(void **state)
{
	struct fleet f;

	(void)state;
	random_state = 1;
	draw_fleet(&f, &plain);
	f.items[4].functions[0].after *= 2;
	f.items[9].functions[0].after *= 1.5;
	f.items[9].sample_cores = 10 * CORES;
	assert_true(fleet_growth_find(&f, &limits, &err));
	assert_int_equal(f.grown, 2);
	assert_string_equal(f.items[0].name.ptr, "s009");
	assert_string_equal(f.items[1].name.ptr, "s004");
	assert_string_equal(f.items[2].name.ptr, "s000");
	assert_true(f.items[1].functions[0].low < 1);
	assert_true(f.items[1].functions[0].high > 1);
	assert_true(f.items[1].functions[0].growth > 0.9);
	assert_true(f.items[1].functions[0].growth < 1.1);
	arena_release(&f.arena);
}

/* Why a service was not judged. */
static void test_unjudged(void **state)
{
	struct fleet f;

	(void)state;
	random_state = 1;
	draw_fleet(&f, &plain);
	f.items[0].state = FLEET_NO_BASELINE;
	f.items[1].count = FLEET_PEERS - 1;
	f.items[2].after_samples = GATES_MIN_SAMPLES - 1;
	f.items[2].count = FLEET_PEERS - 1;
	assert_true(fleet_growth_find(&f, &limits, &err));
	assert_int_equal(named(&f, "s000")->state, FLEET_NO_BASELINE);
	assert_int_equal(named(&f, "s001")->state, FLEET_FEW_FUNCTIONS);
	assert_int_equal(named(&f, "s002")->state, FLEET_FEW_SAMPLES);
	assert_int_equal(f.compared, 37);
	assert_int_equal(f.grown, 0);
	f.count = 0;
	assert_true(fleet_growth_find(&f, &limits, &err));
	assert_int_equal(f.compared, 0);
	arena_release(&f.arena);
}

UNIT_TESTS(fleet_growth)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drawn_fleets),
		cmocka_unit_test(test_restless_function),
		cmocka_unit_test(test_new_function),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_unjudged),
	};

	return cmocka_run_group_tests_name("fleet_growth", tests, NULL, NULL);
}
