/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../starving.h"
#include "analyze/code_memo.h"
#include "analyze/code_rules.h"

static const struct code_class lock = { CODE_LOCK, true, false };
static const struct code_class idle = { CODE_IDLE, false, true };

static bool is_same(struct code_class a, struct code_class b)
{
	return a.kind == b.kind && a.is_kernel_entry == b.is_kernel_entry &&
	       a.is_leaf_only == b.is_leaf_only;
}

static bool knows_one(struct code_memo *memo, struct str name, struct str file,
		      unsigned int languages, struct code_class *found)
{
	const struct code_known *known = code_memo_known(memo, name, file);

	return known && code_known_class(known, languages, found);
}

static bool knows(struct code_memo *memo, struct str name, struct str file,
		  unsigned int languages, struct code_class want)
{
	struct code_class found;

	return knows_one(memo, name, file, languages, &found) &&
	       is_same(found, want);
}

static void keep(struct code_memo *memo, struct str name, struct str file,
		 unsigned int languages, const struct code_class *class)
{
	struct code_known *known = code_memo_known(memo, name, file);

	if (known)
		code_known_keep(known, languages, class);
}

static void keeps_what_was_added(void **state)
{
	struct code_class found;
	struct code_memo *memo;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	memo = code_memo_new(&arena);
	assert_false(knows_one(memo, STR("a"), STR("b"), 1, &found));
	keep(memo, STR("a"), STR("b"), LANGUAGE_GO, &lock);
	keep(memo, STR(""), STR(""), 0, &idle);
	assert_true(knows(memo, STR("a"), STR("b"), LANGUAGE_GO, lock));
	assert_true(knows(memo, STR(""), STR(""), 0, idle));
	/* The same bytes cut elsewhere, and another language. */
	assert_false(knows_one(memo, STR("ab"), STR(""), LANGUAGE_GO, &found));
	assert_false(knows_one(memo, STR(""), STR("ab"), LANGUAGE_GO, &found));
	assert_false(
		knows_one(memo, STR("a"), STR("b"), LANGUAGE_NATIVE, &found));
	arena_release(&arena);
}

/* Of more profiles, those of the first and of the last. */
static void two_classes_are_kept(void **state)
{
	struct code_memo *memo;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	memo = code_memo_new(&arena);
	keep(memo, STR("a"), STR("b"), LANGUAGE_GO, &lock);
	keep(memo, STR("a"), STR("b"), LANGUAGE_RUBY, &idle);
	assert_true(knows(memo, STR("a"), STR("b"), LANGUAGE_GO, lock));
	assert_true(knows(memo, STR("a"), STR("b"), LANGUAGE_RUBY, idle));
	keep(memo, STR("a"), STR("b"), 0, &lock);
	assert_true(knows(memo, STR("a"), STR("b"), LANGUAGE_GO, lock));
	assert_true(knows(memo, STR("a"), STR("b"), 0, lock));
	assert_false(knows(memo, STR("a"), STR("b"), LANGUAGE_RUBY, idle));
	arena_release(&arena);
}

/* What rules see of it does not lie in the profile, which may go. */
static void subject_lies_in_the_memo(void **state)
{
	char name[] = "handle", file[] = "/app/work.py";
	const struct code_known *known;
	struct code_memo *memo;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	memo = code_memo_new(&arena);
	assert_non_null(code_memo_known(memo, str_from(name), str_from(file)));
	memset(name, 'x', sizeof name - 1);
	memset(file, 'x', sizeof file - 1);
	known = code_memo_known(memo, STR("handle"), STR("/app/work.py"));
	assert_true(str_equal(known->subject.name, STR("handle")));
	assert_true(str_equal(known->subject.file, STR("/app/work.py")));
	assert_int_equal(known->subject.languages, LANGUAGE_PYTHON);
	arena_release(&arena);
}

/* The second vote comes from the memo, and counts the same. */
static void votes_are_those_of_the_name(void **state)
{
	struct language_votes once = { { 0 } }, twice = { { 0 } };
	struct code_rules rules = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	rules.memo = code_memo_new(&arena);
	for (int i = 0; i < 2; i++) {
		code_memo_vote(&rules, STR("handle"), STR("/app/work.py"),
			       &twice);
		code_memo_vote(&rules, STR("json.dumps"), STR(""), &twice);
	}
	language_votes_add(&once, LANGUAGE_PYTHON, true);
	assert_int_equal(language_votes_result(&twice), LANGUAGE_PYTHON);
	assert_int_equal(twice.with_file, 2);
	for (int i = 0; i < LANGUAGE_COUNT; i++)
		assert_int_equal(twice.sure[i], 2 * once.sure[i]);
	arena_release(&arena);
}

static void long_names_are_not_kept(void **state)
{
	char text[CODE_MEMO_KEY_BYTES];
	const size_t room = CODE_MEMO_KEY_BYTES - 2;
	struct code_class found;
	struct code_memo *memo;
	struct arena arena;

	(void)state;
	memset(text, 'x', sizeof text);
	arena_init(&arena, MIB);
	memo = code_memo_new(&arena);
	for (size_t len = room - 1; len <= room + 1; len++) {
		struct str name = { text, len - 100 }, file = { text, 100 };

		keep(memo, name, file, 1, &lock);
		assert_int_equal(knows_one(memo, name, file, 1, &found),
				 len <= room);
	}
	arena_release(&arena);
}

static void full_memo_keeps_the_first(void **state)
{
	struct code_memo *memo;
	struct arena arena;
	struct code_class found;
	char name[16];

	(void)state;
	arena_init(&arena, GIB);
	memo = code_memo_new(&arena);
	for (unsigned i = 0; i <= CODE_MEMO_FUNCTIONS; i++) {
		snprintf(name, sizeof name, "f%u", i);
		keep(memo, str_from(name), STR(""), 1, &lock);
	}
	assert_false(knows_one(memo, str_from(name), STR(""), 1, &found));
	snprintf(name, sizeof name, "f%u", CODE_MEMO_FUNCTIONS - 1);
	assert_true(knows(memo, str_from(name), STR(""), 1, lock));
	arena_release(&arena);
}

static void without_memory_nothing_is_kept(void **state)
{
	struct code_class found;
	struct code_memo *memo;
	struct arena arena;

	(void)state;
	arena_init(&arena, 16);
	assert_null(code_memo_new(&arena));
	arena_init(&arena, MIB);
	memo = code_memo_new(&arena);
	starve_after(0);
	for (char c = 'a'; c <= 'z'; c++)
		keep(memo, (struct str){ &c, 1 }, STR(""), 1, &lock);
	mem_set_gate(NULL);
	arena_release(&arena);
	arena_init(&arena, MIB);
	memo = code_memo_new(&arena);
	keep(memo, STR("a"), STR(""), 1, &idle);
	assert_true(knows_one(memo, STR("a"), STR(""), 1, &found));
	arena_release(&arena);
}

/* The rules are asked once: what is kept is believed. */
static void classify_asks_the_memo(void **state)
{
	struct code_rules rules = { .count = 0 };
	struct arena arena;
	struct str name = STR("runtime.mallocgc");
	struct code_class plain = code_classify(NULL, name, STR(""), 0);

	(void)state;
	arena_init(&arena, MIB);
	rules.memo = code_memo_new(&arena);
	assert_true(is_same(code_classify(&rules, name, STR(""), 0), plain));
	assert_true(knows(rules.memo, name, STR(""), 0, plain));
	assert_true(is_same(code_classify(&rules, name, STR(""), 0), plain));
	keep(rules.memo, STR("main.main"), STR(""), 0, &lock);
	assert_true(is_same(code_classify(&rules, STR("main.main"), STR(""), 0),
			    lock));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_was_added),
		cmocka_unit_test(two_classes_are_kept),
		cmocka_unit_test(subject_lies_in_the_memo),
		cmocka_unit_test(votes_are_those_of_the_name),
		cmocka_unit_test(long_names_are_not_kept),
		cmocka_unit_test(full_memo_keeps_the_first),
		cmocka_unit_test(without_memory_nothing_is_kept),
		cmocka_unit_test(classify_asks_the_memo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
