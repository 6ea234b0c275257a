/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../unit.h"
#include "../random.h"
#include "model/profile_build.h"

#define COUNT_MAX 600
#define LENGTH_MAX 12

static uint32_t items[COUNT_MAX][LENGTH_MAX];
static struct sequence sequences[COUNT_MAX];
static const uint32_t *ranks;

static void sort(uint32_t count, struct sequence *order)
{
	struct sequence scratch[COUNT_MAX];

	for (uint32_t i = 0; i < count; i++) {
		order[i] = sequences[i];
		order[i].index = i;
	}
	sequence_sort(order, count, ranks, scratch);
}

static int compare_items(const struct sequence *a, const struct sequence *b,
			 const uint32_t *rank)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++) {
		uint32_t x = rank ? rank[a->items[i]] : a->items[i];
		uint32_t y = rank ? rank[b->items[i]] : b->items[i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a->count > b->count) - (a->count < b->count);
}

static int compare(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a;
	uint32_t k = *(const uint32_t *)b;
	int order = compare_items(&sequences[i], &sequences[k], ranks);

	if (!order)
		order = compare_items(&sequences[i], &sequences[k], NULL);
	return order ? order : (i > k) - (i < k);
}

/* Few values and lengths: many ties, long common beginnings. */
static void assert_sorted_like_qsort(uint32_t count, uint32_t values,
				     uint32_t seed)
{
	struct sequence order[COUNT_MAX];
	uint32_t expected[COUNT_MAX];

	for (uint32_t i = 0; i < count; i++) {
		sequences[i] =
			(struct sequence){ items[i], next_random(&seed) %
							     (LENGTH_MAX + 1) };
		for (uint32_t k = 0; k < LENGTH_MAX; k++)
			items[i][k] = next_random(&seed) % values;
		expected[i] = i;
	}
	qsort(expected, count, sizeof *expected, compare);
	sort(count, order);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(order[i].index, expected[i]);
}

static void test_against_qsort(void **state)
{
	static const uint32_t groups[] = { 3, 0, 3, 1, 0, 0, 2, 1 };

	(void)state;
	for (uint32_t seed = 1; seed <= 60; seed++) {
		uint32_t count = seed < 20 ? seed - 1 : seed * 10;

		for (uint32_t values = 1; values <= 8; values *= 2) {
			ranks = NULL;
			assert_sorted_like_qsort(count, values, seed);
			ranks = groups;
			assert_sorted_like_qsort(count, values, seed);
		}
	}
}

/* A sequence as it is compared: ranks + 1, an end mark, items + 1. */
static uint32_t word_at(const struct sequence *s, uint32_t at)
{
	if (!ranks)
		return s->items[at] + 1;
	if (at < s->count)
		return ranks[s->items[at]] + 1;
	return at == s->count ? 0 : s->items[at - s->count - 1] + 1;
}

static uint32_t shared(const struct sequence *a, const struct sequence *b)
{
	uint32_t x = ranks ? 2 * a->count + 1 : a->count;
	uint32_t y = ranks ? 2 * b->count + 1 : b->count;
	uint32_t at = 0;

	while (at < x && at < y && word_at(a, at) == word_at(b, at))
		at++;
	return at;
}

/* Cut anywhere, each part ordered by itself. */
static void assert_merged(uint32_t count, uint32_t first)
{
	struct sequence order[COUNT_MAX], runs[COUNT_MAX], merged[COUNT_MAX];
	struct sequence scratch[COUNT_MAX];

	sort(count, order);
	for (uint32_t i = 0; i < count; i++) {
		runs[i] = sequences[i];
		runs[i].index = i;
	}
	sequence_sort(runs, first, ranks, scratch);
	sequence_sort(runs + first, count - first, ranks, scratch);
	sequence_merge(runs, first, count, ranks, merged);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(merged[i].index, order[i].index);
		assert_int_equal(merged[i].common,
				 i ? shared(&merged[i - 1], &merged[i]) : 0);
	}
}

static void test_two_runs(void **state)
{
	static const uint32_t groups[] = { 3, 0, 3, 1, 0, 0, 2, 1 };

	(void)state;
	for (uint32_t seed = 1; seed <= 40; seed++) {
		uint32_t count = seed * 5 - 5;

		ranks = seed % 2 ? groups : NULL;
		assert_sorted_like_qsort(count, seed % 8 + 1, seed);
		assert_merged(count, 0);
		assert_merged(count, count);
		assert_merged(count, count / 3);
	}
}

/* Addresses of the kernel begin with the largest word there is. */
static void test_largest_words(void **state)
{
	static const uint32_t words[][2] = {
		{ UINT32_MAX, 1 }, { 0, 2 }, { UINT32_MAX - 1, UINT32_MAX },
		{ UINT32_MAX, 0 }, { 0, 0 },
	};
	static const uint32_t expected[] = { 5, 4, 1, 2, 3, 0 };
	struct sequence order[6];

	(void)state;
	ranks = NULL;
	for (uint32_t i = 0; i < 6; i++)
		sequences[i] = (struct sequence){ words[i % 5], i < 5 ? 2 : 0 };
	sort(6, order);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(order[i].index, expected[i]);
}

static void test_already_ordered_and_reversed(void **state)
{
	struct sequence order[COUNT_MAX];

	(void)state;
	ranks = NULL;
	for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
		for (uint32_t i = 0; i < COUNT_MAX; i++) {
			items[i][0] = is_reversed ? COUNT_MAX - i : i;
			sequences[i] = (struct sequence){ .items = items[i],
							  .count = 1 };
		}
		sort(COUNT_MAX, order);
		for (uint32_t i = 0; i < COUNT_MAX; i++)
			assert_int_equal(order[i].index,
					 is_reversed ? COUNT_MAX - 1 - i : i);
	}
}

UNIT_TESTS(sequence)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_qsort),
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_largest_words),
		cmocka_unit_test(test_already_ordered_and_reversed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
