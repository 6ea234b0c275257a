/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed stacks tell of their frames only what the stack before had not: they
 * must add up to the same as when each is looked at as a whole.
 */
#include <stdio.h>

#include "../decode/pprof_making.h"
#include "../random.h"
#include "analyze/flatcum.h"
#include "base/count.h"

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

static void put_function(struct buf *b, uint32_t number)
{
	char name[32];

	snprintf(name, sizeof name, number % 7 ? "main.f%u" : "runtime.g%u",
		 number);
	put_bytes(b, 6, str_from(name));
	PUT_INTS(b, 5, number + 1, number + 3);
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
		if (v->owned != w->owned || v->self != w->self ||
		    v->total != w->total)
			fail_msg("%.*s: owned %lld %lld self %lld %lld "
				 "total %lld %lld",
				 STR_ARGS(x->key), (long long)v->owned,
				 (long long)w->owned, (long long)v->self,
				 (long long)w->self, (long long)v->total,
				 (long long)w->total);
	}
	assert_memory_equal(&a->sides[SIDE_SLOW].kinds,
			    &b->sides[SIDE_SLOW].kinds,
			    sizeof a->sides[SIDE_SLOW].kinds);
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
	assert_decoded(func_table_build(&a, &arena, &ordered, NULL, NULL, false,
					&err));
	assert_decoded(
		func_table_build(&b, &arena, &packed, NULL, NULL, false, &err));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_many_places),
		cmocka_unit_test(test_deep_stacks),
		cmocka_unit_test(test_unpacked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
