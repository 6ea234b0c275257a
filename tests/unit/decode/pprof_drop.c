/* SPDX-License-Identifier: Apache-2.0
 *
 * drop_frames and keep_frames, worked by hand after pprof's rules.
 */
#include "../unit.h"
#include "pprof_making.h"

/* Strings 3 to 9 are the functions 1 to 7. */
static const char *const names[] = {
	"main",
	"malloc(unsigned long)",
	"alloc::slow",
	"(anonymous namespace)::grab(int)",
	"Pool::operator()(int)",
	"malloc_hook",
	".malloc",
};

#define NAME_COUNT (sizeof names / sizeof *names)

/* A location whose lines are of these functions, innermost first. */
static void put_inlined(struct buf *b, uint64_t id, const uint64_t *functions,
			size_t count)
{
	struct buf inner;

	buf_init(&inner, MIB);
	put_int(&inner, 1, id);
	for (size_t i = 0; i < count; i++)
		PUT_INTS(&inner, 4, functions[i], 0);
	put_bytes(b, 4, buf_str(&inner));
	buf_release(&inner);
}

/* Location i is function i; 11 is malloc inlined into main; 12 main inlined
 * into malloc; 13 alloc::slow inlined into malloc inlined into main. */
static void start_profile(struct buf *b, const char *drop, const char *keep)
{
	static const char *const head[] = { "", "cpu", "nanoseconds" };

	buf_init(b, MIB);
	PUT_INTS(b, 1, 1, 2);
	for (size_t i = 0; i < 3; i++)
		put_bytes(b, 6, str_from(head[i]));
	for (uint64_t i = 1; i <= NAME_COUNT; i++) {
		put_bytes(b, 6, str_from(names[i - 1]));
		PUT_INTS(b, 5, i, i + 2);
		put_inlined(b, i, &i, 1);
	}
	put_inlined(b, 11, (const uint64_t[]){ 2, 1 }, 2);
	put_inlined(b, 12, (const uint64_t[]){ 1, 2 }, 2);
	put_inlined(b, 13, (const uint64_t[]){ 3, 2, 1 }, 3);
	put_bytes(b, 6, str_from(drop));
	put_bytes(b, 6, str_from(keep));
	put_int(b, 7, NAME_COUNT + 3);
	put_int(b, 8, *keep ? NAME_COUNT + 4 : 0);
}

/* One sample of this stack, leaf first, is left as these frames. */
#define ASSERT_LEFT(drop, keep, folded, ...)                                   \
	do {                                                                   \
		struct buf b;                                                  \
                                                                               \
		start_profile(&b, drop, keep);                                 \
		PUT_SAMPLE(&b, 5, __VA_ARGS__);                                \
		assert_decodes_to(&b, folded " 5\n");                          \
		assert_int_equal(notes.count, 0);                              \
	} while (0)

#define MAIN "main"
#define MALLOC "malloc(unsigned long)"

static void test_cuts_from_the_root(void **state)
{
	(void)state;
	/* malloc called malloc_hook: the outermost match ends the stack. */
	ASSERT_LEFT("malloc.*", "", MAIN, 6, 2, 1);
	ASSERT_LEFT("malloc_hook", "", MAIN ";" MALLOC, 6, 2, 1);
	/* What a dropped function called goes with it, whatever it is. */
	ASSERT_LEFT("malloc", "", MAIN, 1, 2, 1);
	ASSERT_LEFT("free", "", MAIN ";" MALLOC, 2, 1);
}

static void test_keeps_the_first_of_the_users(void **state)
{
	(void)state;
	/* Nothing of the user lies before it. */
	ASSERT_LEFT("malloc", "", MALLOC, 2);
	ASSERT_LEFT("malloc", "", MALLOC ";" MAIN, 1, 2);
	ASSERT_LEFT("malloc", "", MALLOC ";" MAIN, 2, 1, 2);
}

static void test_whole_names_without_parameters(void **state)
{
	(void)state;
	ASSERT_LEFT("mall", "", MAIN ";" MALLOC, 2, 1);
	ASSERT_LEFT("alloc", "", MAIN ";" MALLOC, 2, 1);
	ASSERT_LEFT("free|malloc", "", MAIN, 2, 1);
	ASSERT_LEFT("\\(anonymous namespace\\)::grab", "", MAIN, 4, 1);
	ASSERT_LEFT("grab", "", MAIN ";(anonymous namespace)::grab(int)", 4, 1);
	ASSERT_LEFT("Pool::operator\\(\\)", "", MAIN, 5, 1);
	/* The dot of PowerPC's entry points. */
	ASSERT_LEFT("malloc", "", MAIN, 7, 1);
}

static void test_keep_frames(void **state)
{
	(void)state;
	ASSERT_LEFT("malloc.*", "malloc_hook", MAIN ";malloc_hook", 6, 1);
	ASSERT_LEFT("malloc.*", "malloc_hook", MAIN, 6, 2, 1);
	/* Keeping is asked only about what would be dropped. */
	ASSERT_LEFT("nothing", "main", MAIN ";" MALLOC, 2, 1);
}

static void test_inlined(void **state)
{
	(void)state;
	ASSERT_LEFT("malloc", "", MAIN ";" MAIN, 3, 11, 1);
	ASSERT_LEFT("malloc", "", MAIN, 3, 12, 1);
	ASSERT_LEFT("malloc|alloc::slow", "", MAIN ";" MAIN, 13, 1);
	/* Lines of a location go even where its stack is not cut. */
	ASSERT_LEFT("malloc", "", MAIN ";alloc::slow", 3, 11);
	ASSERT_LEFT("malloc", "", MALLOC ";" MAIN ";alloc::slow", 3, 12);
}

/* Each name is judged once, for all of its functions; a string that is a name
 * here and a file there is read as a linker's in one place only. */
static void test_shared_strings(void **state)
{
	static const char *const drops[] = { "", "a::b" };
	static const char *const left[] = { "main;a::b 5\n", "main 5\n" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf b;

		start_profile(&b, drops[i], "");
		put_bytes(&b, 6, STR("_ZN1a1bEv"));
		for (uint64_t id = 20; id < 22; id++) {
			PUT_INTS(&b, 5, id, NAME_COUNT + 5, 0, NAME_COUNT + 5);
			put_inlined(&b, id, &id, 1);
		}
		PUT_SAMPLE(&b, 2, 20, 1);
		PUT_SAMPLE(&b, 3, 21, 1);
		assert_decodes_to(&b, left[i]);
	}
}

static void test_bad_patterns_drop_nothing(void **state)
{
	static const char *const bad[] = { "mal(loc", "(((((a*)*)*)*)*)*b|[" };
	struct buf b;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		start_profile(&b, bad[i], "");
		PUT_SAMPLE(&b, 5, 2, 1);
		assert_decodes_to(&b, MAIN ";" MALLOC " 5\n");
		assert_int_equal(notes.count, 1);
	}
	start_profile(&b, "malloc", "[");
	PUT_SAMPLE(&b, 5, 2, 1);
	assert_decodes_to(&b, MAIN ";" MALLOC " 5\n");
	assert_int_equal(notes.count, 1);
}

/* A pattern that is wrong in no way but takes for ever. */
static void test_endless_pattern(void **state)
{
	struct buf b;
	char name[60];

	(void)state;
	memset(name, 'a', sizeof name);
	start_profile(&b, "(a+)+[bc]", "");
	put_bytes(&b, 6, (struct str){ name, sizeof name });
	PUT_INTS(&b, 5, 8, NAME_COUNT + 5);
	PUT_SAMPLE(&b, 5, 2, 1);
	assert_decodes_to(&b, MAIN ";" MALLOC " 5\n");
	assert_int_equal(notes.count, 1);
}

/* Both sides of the longest pattern. */
static void test_longest_pattern(void **state)
{
	struct buf b;
	static char pattern[LIMIT_DROP_PATTERN_BYTES + 2];

	(void)state;
	memset(pattern, 'x', sizeof pattern - 1);
	memcpy(pattern, "malloc|", 7);
	for (size_t len = LIMIT_DROP_PATTERN_BYTES + 1;
	     len >= LIMIT_DROP_PATTERN_BYTES; len--) {
		bool is_longer = len > LIMIT_DROP_PATTERN_BYTES;

		pattern[len] = '\0';
		start_profile(&b, pattern, "");
		PUT_SAMPLE(&b, 5, 2, 1);
		assert_decodes_to(&b, is_longer ? MAIN ";" MALLOC " 5\n"
						: MAIN " 5\n");
		assert_int_equal(notes.count, is_longer);
	}
}

UNIT_TESTS(pprof_drop)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts_from_the_root),
		cmocka_unit_test(test_keeps_the_first_of_the_users),
		cmocka_unit_test(test_whole_names_without_parameters),
		cmocka_unit_test(test_keep_frames),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_shared_strings),
		cmocka_unit_test(test_bad_patterns_drop_nothing),
		cmocka_unit_test(test_endless_pattern),
		cmocka_unit_test(test_longest_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
