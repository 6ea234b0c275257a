/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/notes.h"

static void test_equal_notes_once(void **state)
{
	static struct notes n;

	(void)state;
	notes_init(&n);
	notes_add(&n, "clock of %s is ahead", "cart");
	notes_add(&n, "other");
	notes_add(&n, "clock of cart is ahead");
	assert_int_equal(n.count, 2);
	assert_string_equal(n.text[0], "clock of cart is ahead");
	assert_string_equal(n.text[1], "other");
	assert_int_equal(n.dropped, 0);
	notes_add(NULL, "nobody listens");
}

static void test_limit_from_both_sides(void **state)
{
	static struct notes n;

	(void)state;
	notes_init(&n);
	for (unsigned i = 0; i < LIMIT_NOTES; i++)
		notes_add(&n, "note %u", i);
	assert_int_equal(n.count, LIMIT_NOTES);
	assert_int_equal(n.dropped, 0);
	notes_add(&n, "one more");
	notes_add(&n, "note 0");
	assert_int_equal(n.count, LIMIT_NOTES);
	assert_int_equal(n.dropped, 1);
}

static void test_long_notes_are_cut(void **state)
{
	static struct notes n;
	char text[LIMIT_NOTE_BYTES + 2];

	(void)state;
	notes_init(&n);
	memset(text, 'x', sizeof text);
	text[LIMIT_NOTE_BYTES - 1] = '\0';
	notes_add(&n, "%s", text);
	assert_string_equal(n.text[0], text);
	text[LIMIT_NOTE_BYTES - 1] = 'x';
	text[LIMIT_NOTE_BYTES] = '\0';
	notes_add(&n, "%s", text);
	assert_int_equal(strlen(n.text[1]), LIMIT_NOTE_BYTES - 1);
	assert_string_equal(n.text[1] + LIMIT_NOTE_BYTES - 5, "x...");
	/* A two-byte character across the cut goes whole. */
	memcpy(text + LIMIT_NOTE_BYTES - 5, "\xC3\xA9", 2);
	notes_add(&n, "%s", text);
	assert_string_equal(n.text[2] + LIMIT_NOTE_BYTES - 6, "x...");
}

static void test_append(void **state)
{
	static struct notes a;
	static struct notes b;

	(void)state;
	notes_init(&a);
	notes_init(&b);
	notes_add(&a, "one");
	notes_add(&b, "one");
	notes_add(&b, "two");
	b.dropped = 3;
	notes_append(&a, &b);
	assert_int_equal(a.count, 2);
	assert_string_equal(a.text[1], "two");
	assert_int_equal(a.dropped, 3);
	notes_append(&a, &a);
	assert_int_equal(a.dropped, 3);
}

static void test_drop(void **state)
{
	static struct notes n;

	(void)state;
	notes_init(&n);
	notes_add(&n, "profile: refused");
	notes_add(&n, "clocks differ");
	notes_add(&n, "baseline: refused (again)");
	notes_drop(&n, "refused");
	assert_int_equal(n.count, 1);
	assert_string_equal(n.text[0], "clocks differ");
	notes_drop(&n, "");
	notes_drop(&n, NULL);
	notes_drop(NULL, "clocks");
	assert_int_equal(n.count, 1);
	notes_drop(&n, "clocks");
	assert_int_equal(n.count, 0);
}

UNIT_TESTS(notes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_notes_once),
		cmocka_unit_test(test_limit_from_both_sides),
		cmocka_unit_test(test_long_notes_are_cut),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
