/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../skipping.h"
#include "testing.h"

#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/num.h"

static void test_size_zero_is_no_failure(void **state)
{
	void *p = mem_alloc(0);
	void *q = mem_calloc(0, 8);
	void *r = mem_realloc(NULL, 0);

	(void)state;
	assert_non_null(p);
	assert_non_null(q);
	assert_non_null(r);
	r = mem_realloc(r, 0);
	assert_non_null(r);
	mem_free(p);
	mem_free(q);
	mem_free(r);
	mem_free(NULL);
}

static void test_calloc_checks_and_zeroes(void **state)
{
	unsigned char *p = mem_calloc(100, 3);

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(p[i], 0);
	mem_free(p);
	assert_null(mem_calloc(SIZE_MAX / 2, 3));
}

static void test_copies(void **state)
{
	char *text = mem_strdup("abc");
	char *part = mem_strndup("a\0bc", 3);
	char *none = mem_strndup(NULL, 0);

	(void)state;
	assert_string_equal(text, "abc");
	assert_memory_equal(part, "a\0b\0", 4);
	assert_string_equal(none, "");
	assert_null(mem_strndup("x", SIZE_MAX));
	mem_free(text);
	mem_free(part);
	mem_free(none);
}

static void test_wipe(void **state)
{
	char secret[] = "secret";

	(void)state;
	mem_wipe(secret, sizeof secret);
	for (size_t i = 0; i < sizeof secret; i++)
		assert_int_equal(secret[i], 0);
}

static void test_gate(void **state)
{
	void *p = mem_alloc(8);
	void *q;

	(void)state;
	starve_once_after(1);
	q = mem_alloc(1);
	assert_non_null(q);
	assert_null(mem_realloc(p, 100));
	starve_once_after(0);
	assert_null(mem_calloc(1, 1));
	starve_once_after(0);
	assert_null(mem_strdup("x"));
	assert_true(stop_starving());
	mem_free(p);
	mem_free(q);
}

/* That it is wiped, tests/net/canary.py sees, from without. */
static void test_wiped_memory(void **state)
{
	char *data = mem_wiped_strdup("canary"), *moved;
	unsigned char *zero = mem_wiped_calloc(3, 5);

	(void)state;
	assert_string_equal(data, "canary");
	for (size_t i = 0; i < 15; i++)
		assert_int_equal(zero[i], 0);
	assert_int_equal((uintptr_t)zero % _Alignof(max_align_t), 0);
	moved = mem_wiped_realloc(data, 100);
	assert_string_equal(moved, "canary");
	moved = mem_wiped_realloc(moved, 3);
	assert_memory_equal(moved, "can", 3);
	mem_wiped_free(moved);
	mem_wiped_free(zero);
	mem_wiped_free(NULL);
	mem_wiped_free(mem_wiped_alloc(0));
	mem_wiped_free(mem_wiped_realloc(NULL, 5));
	assert_null(mem_wiped_calloc(SIZE_MAX / 2, 3));
	assert_null(mem_wiped_alloc(SIZE_MAX));
}

/* Reads to the mapping of that address; false: it is another than the heap. */
static bool find_in_heap(FILE *smaps, const void *ptr)
{
	char line[512];

	while (fgets(line, sizeof line, smaps)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx ", &from, &to) == 2 &&
		    from <= (uintptr_t)ptr && (uintptr_t)ptr < to)
			return strstr(line, "[heap]");
	}
	return false;
}

static bool has_flag(FILE *smaps, const char *flag)
{
	char line[512];

	while (fgets(line, sizeof line, smaps))
		if (!strncmp(line, "VmFlags:", 8))
			return strstr(line, flag);
	return false;
}

/* Sanitizers have another heap than the system's. */
static bool has_large_pages(const char *piece, size_t size, bool *is_in_heap)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	bool has_them;

	assert_non_null(smaps);
	*is_in_heap = find_in_heap(smaps, piece + size / 2);
	has_them = has_flag(smaps, " hg");
	fclose(smaps);
	return has_them;
}

/* One, near the beginning of the heap, none beyond. */
static void test_large_pages(void **state)
{
	static const size_t sizes[] = { MIB, 8 * MIB };

	(void)state;
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK) ||
	    access("/proc/self/smaps", R_OK))
		SKIP_BECAUSE(
			"no large pages in this kernel, or no /sys and /proc");
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char *piece = mem_alloc(sizes[i]);
		bool has_them, is_in_heap;

		assert_non_null(piece);
		has_them = has_large_pages(piece, sizes[i], &is_in_heap);
		if (is_in_heap)
			assert_int_equal(has_them, i == 0);
		mem_free(piece);
	}
}

UNIT_TESTS(mem)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_zero_is_no_failure),
		cmocka_unit_test(test_calloc_checks_and_zeroes),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_wipe),
		cmocka_unit_test(test_wiped_memory),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_large_pages),
	};

	mem_init(); /* at the start, as the program does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
