/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed stacks tell of their frames only what the stack before had not: they
 * must add up to the same as when each is looked at as a whole.
 */
#include <stdio.h>

#include "../decode/pprof_making.h"
#include "../random.h"
#include "../unit.h"
#include "analyze/function_table.h"
#include "analyze/profile_analysis.h"
#include "base/num.h"

#define FUNCTIONS 40u
#define STACKS 3000u

static uint32_t draw(uint32_t *state, uint32_t below)
{
	return next_random(state) % below;
}

#define HIGHEST_ID 40000u

/* Of one byte to three; of those of more, many end with the same bytes. */
static uint64_t id_of(uint32_t place)
{
	static const uint64_t steps[] = { 1, 128, 129, 16386, 16384 + 130 };
	uint64_t id = steps[place % COUNT_OF(steps)] +
		      256 * (place / COUNT_OF(steps));

	assert_true(id <= HIGHEST_ID);
	return id;
}

static const char *symbol_of(uint32_t number, char name[32])
{
	snprintf(name, 32, number % 7 ? "main.f%u" : "runtime.g%u", number);
	return name;
}

/* Every third function is named like the one before it; what lies in a file is
 * in one that is called like the function. */
static void put_function(struct buf *b, uint32_t number)
{
	uint32_t named = number % 3 ? number : number - number / 3 % 2;
	char name[32];

	put_bytes(b, 6, str_from(symbol_of(number, name)));
	if (number % 5)
		PUT_INTS(b, 5, number + 1, named + 3, 0, number + 3);
	else
		PUT_INTS(b, 5, number + 1, named + 3);
}

/* A function has several places, and every fifth place is of two functions. */
static void put_place(struct buf *b, uint64_t id)
{
	struct buf location;

	buf_init(&location, MIB);
	put_int(&location, 1, id);
	PUT_INTS(&location, 4, 1 + id % FUNCTIONS, id);
	if (id % 5 == 0)
		PUT_INTS(&location, 4, 1 + id / 5 % FUNCTIONS, 7);
	put_bytes(b, 4, buf_str(&location));
	buf_release(&location);
}

/* Places from the leaf on, as the message has them. */
struct path {
	uint64_t ids[LIMIT_STACK_FRAMES / 2];
	size_t count;
};

/* Leaves places of the leaf's side, and goes on from there. */
static void change(struct path *p, uint32_t *state, uint32_t places,
		   uint32_t deepest)
{
	size_t left = p->count ? draw(state, (uint32_t)p->count + 1) : 0;
	size_t more = draw(state, deepest - (uint32_t)(p->count - left) + 1);

	p->count -= left;
	memmove(p->ids + more, p->ids + left, p->count * sizeof *p->ids);
	p->count += more;
	while (more--)
		p->ids[more] = id_of(draw(state, places));
}

/* last: value of one more sample. */
static void make(struct buf *b, uint32_t seed, uint32_t places,
		 uint32_t deepest, int64_t last)
{
	struct path path = { .count = 0 };
	uint32_t state = seed;

	buf_init(b, 64 * MIB);
	PUT_INTS(b, 1, 1, 2);
	for (uint32_t i = 0; i < STACKS; i++) {
		change(&path, &state, places, deepest);
		if (path.count)
			put_sample(b, path.ids, path.count,
				   1 + draw(&state, 1000));
	}
	PUT_SAMPLE(b, last, 1);
	put_bytes(b, 6, STR(""));
	put_bytes(b, 6, STR("samples"));
	put_bytes(b, 6, STR("count"));
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_function(b, i);
	for (uint64_t id = 1; id <= HIGHEST_ID; id++)
		put_place(b, id);
}

static void assert_same_values(const struct func_table *a,
			       const struct func_table *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct func_entry *x = &a->entries[i];
		uint32_t id = map_find(&b->map, x->key);
		const struct side_values *v = &x->values[SIDE_SLOW], *w;

		assert_int_not_equal(id, MAP_NONE);
		w = &b->entries[id].values[SIDE_SLOW];
		assert_int_equal(x->line, b->entries[id].line);
		if (v->self_lib != w->self_lib || v->self != w->self ||
		    v->total != w->total)
			fail_msg("%.*s: owned %lld %lld self %lld %lld "
				 "total %lld %lld",
				 STR_ARGS(x->key), (long long)v->self_lib,
				 (long long)w->self_lib, (long long)v->self,
				 (long long)w->self, (long long)v->total,
				 (long long)w->total);
	}
	assert_memory_equal(&a->sides[SIDE_SLOW].categories,
			    &b->sides[SIDE_SLOW].categories,
			    sizeof a->sides[SIDE_SLOW].categories);
}

static void compare_with(uint32_t seed, uint32_t places, uint32_t deepest,
			 int64_t last)
{
	struct profile_want want = want_of("");
	struct profile ordered, packed;
	struct func_table a, b;
	struct arena arena;
	struct notes said;
	struct buf bytes;

	make(&bytes, seed, places, deepest, last);
	notes_init(&said);
	arena_init(&arena, 64 * MIB);
	assert_decoded(decode(buf_str(&bytes), "", &ordered));
	assert_decoded(
		decode_summed(buf_str(&bytes), &want, &packed, &said, &err));
	assert_int_equal(packed.packed != NULL, last > 0);
	assert_decoded(func_table_build(&a, &arena, &ordered, NULL, NULL, FUNC_NAMES_MATCHED,
					&err));
	assert_decoded(
		func_table_build(&b, &arena, &packed, NULL, NULL, FUNC_NAMES_MATCHED, &err));
	assert_same_values(&a, &b);
	arena_release(&arena);
	profile_release(&ordered);
	profile_release(&packed);
	buf_release(&bytes);
}

static void compare(uint32_t seed, uint32_t places, uint32_t deepest)
{
	compare_with(seed, places, deepest, 1);
}

/* The last value is negative, which packed stacks cannot be: they are put into
 * order after all. */
static void test_unpacked_again(void **state)
{
	(void)state;
	compare_with(7, 100, 40, -1);
	compare_with(8, 20, 300, -1);
}

/* Few places: nearly all come again on a stack. */
static void test_recursion(void **state)
{
	(void)state;
	compare(1, 3, 12);
	compare(2, 10, 30);
}

static void test_many_places(void **state)
{
	(void)state;
	compare(3, 400, 25);
	compare(4, 200, 1);
}

/* More are kept than one byte counts. */
static void test_deep_stacks(void **state)
{
	(void)state;
	compare(5, 300, 700);
	compare(6, 20, LIMIT_STACK_FRAMES / 2);
}

/* By names only, and one that is nowhere else. */
static void make_names(struct profile *p)
{
	uint32_t frames[FUNCTIONS + 1], function;
	struct profile_build *b;
	struct notes said;
	char name[32];

	profile_init(p);
	notes_init(&said);
	b = profile_build_new(p, &err);
	assert_non_null(b);
	for (uint32_t i = 0; i <= FUNCTIONS; i++)
		if (!profile_build_function(b, str_from(symbol_of(i, name)),
					    STR(""), &function, &err) ||
		    !profile_build_frame(b, function, 0, &frames[i], &err))
			fail_msg("%s", err.message);
	assert_true(profile_build_stack(b, frames, FUNCTIONS + 1, 1, &err));
	assert_true(profile_build_finish(b, &said, &err));
	profile_build_free(b);
}

static void take(struct profile *p, const struct profile *from)
{
	make_names(p);
	assert_true(profiles_take_files(&p, 1, &from, 1, NULL, &err));
	assert_true(profiles_take_lines(&p, 1, &from, 1, &err));
}

/* How many functions got a file. */
static uint32_t assert_same_places(const struct profile *a,
				   const struct profile *b)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a->function_count; i++) {
		assert_true(
			str_equal(function_file(a, i), function_file(b, i)));
		count += function_file(a, i).len > 0;
	}
	for (uint32_t i = 0; i < a->frame_count; i++)
		assert_int_equal(a->frames[i].line, b->frames[i].line);
	return count;
}

/* Who may yet be put into order tells where functions lie, and stays packed. */
static void test_places_of_packed(void **state)
{
	struct profile_want want = want_of("");
	struct profile ordered, packed, a, b;
	struct notes said;
	struct buf bytes;

	(void)state;
	want.packs_for_later = true;
	for (uint32_t seed = 10; seed < 20; seed++) {
		make(&bytes, seed, 60, 30, 1);
		notes_init(&said);
		assert_decoded(decode(buf_str(&bytes), "", &ordered));
		assert_decoded(decode_summed(buf_str(&bytes), &want, &packed,
					     &said, &err));
		take(&a, &ordered);
		take(&b, &packed);
		assert_true(assert_same_places(&a, &b) > FUNCTIONS / 4);
		assert_non_null(packed.packed);
		profile_release(&a);
		profile_release(&b);
		profile_release(&ordered);
		profile_release(&packed);
		buf_release(&bytes);
	}
}

UNIT_TESTS(packed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_many_places),
		cmocka_unit_test(test_deep_stacks),
		cmocka_unit_test(test_unpacked_again),
		cmocka_unit_test(test_places_of_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
