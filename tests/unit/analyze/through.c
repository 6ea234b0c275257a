/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds a change, and who only passes it on.
 */
#include "../unit.h"
#include "ranking.h"

#include "analyze/diff.h"

#define STILL "main;still 20000\n"

static void compare(struct fixture *f, const char *before, const char *after)
{
	static const struct rank_want want = { .by = RANK_DELTA,
					       .normalize = NORMALIZE_VALUE };

	make_profile(&f->slow, "samples", "count", 1, after);
	make_profile(&f->baseline, "samples", "count", 1, before);
	rank(f, true, &want);
}

/* through: NULL for those that hold it. */
static void expect(const struct fixture *f, const char *name,
		   const char *through)
{
	struct str have = row(f, name)->through;

	if (!str_equal(have, through ? str_from(through) : STR("")))
		fail_msg("%s is through \"%.*s\"", name, STR_ARGS(have));
}

#define GO "@/usr/local/go/src/encoding/json/encode.go:9"
#define JSON "encoding/json.Marshal" GO
#define PAY "main.main@/src/main.go:1;main.pay@/src/pay.go:2"
#define CART "main.main@/src/main.go:1;main.cart@/src/cart.go:2"

/* A library does what it is called for, an application's helper what it does
 * itself. */
static void test_library(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL PAY ";" JSON " 1000\n", STILL PAY ";" JSON " 3000\n");
	expect(&f, "main.pay", NULL);
	expect(&f, "encoding/json.Marshal", "main.pay");
	expect(&f, "main.main", "main.pay");
	release(&f);
	compare(&f, STILL PAY ";main.sign@/src/sign.go:3 1000\n",
		STILL PAY ";main.sign@/src/sign.go:3 3000\n");
	expect(&f, "main.sign", NULL);
	expect(&f, "main.pay", "main.sign");
	expect(&f, "main.main", "main.sign");
	release(&f);
}

/* When all that call it pay alike it is the library. */
static void test_library_of_two(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL PAY ";" JSON " 1000\n" CART ";" JSON " 1000\n",
		STILL PAY ";" JSON " 3000\n" CART ";" JSON " 3000\n");
	expect(&f, "encoding/json.Marshal", NULL);
	expect(&f, "main.pay", "encoding/json.Marshal");
	expect(&f, "main.cart", "encoding/json.Marshal");
	release(&f);
}

/* However deep it calls itself it is one function. */
static void test_recursion(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;walk;walk;walk 1000\n",
		STILL "main;walk;walk;walk 2000\nmain;walk 1000\n");
	assert_int_equal(row(&f, "walk")->total_value, 3000);
	expect(&f, "walk", NULL);
	expect(&f, "main", "walk");
	release(&f);
}

/* Of two that call each other the one that is entered first is above. */
static void test_mutual_recursion(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;even;odd;even;odd 1000\n",
		STILL "main;even;odd;even;odd 3000\n");
	expect(&f, "odd", NULL);
	expect(&f, "even", "odd");
	expect(&f, "main", "odd");
	release(&f);
	compare(&f, STILL "main;even;odd 1000\nmain;odd;even 100\n",
		STILL "main;even;odd 3000\nmain;odd;even 300\n");
	expect(&f, "odd", NULL);
	expect(&f, "even", "odd");
	release(&f);
}

/* As often above as below: neither passes on the other's. */
static void test_no_circle(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;even;odd 1000\nmain;odd;even 1000\n",
		STILL "main;even;odd 3000\nmain;odd;even 3000\n");
	expect(&f, "odd", NULL);
	expect(&f, "even", NULL);
	release(&f);
}

/* THROUGH_PART: how much of a change a callee must hold. */
static void test_part(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;a 1000\nmain;a;h 1000\n",
		STILL "main;a 1390\nmain;a;h 2610\n");
	expect(&f, "a", "h");
	release(&f);
	compare(&f, STILL "main;a 1000\nmain;a;h 1000\n",
		STILL "main;a 1410\nmain;a;h 2590\n");
	expect(&f, "a", NULL);
	expect(&f, "h", NULL);
	release(&f);
}

/* THROUGH_OTHERS_PART: how much of a helper must be called from elsewhere to
 * tell that it did not change itself. */
static void test_others_part(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;a;h 890\nmain;b;h 110\n",
		STILL "main;a;h 2890\nmain;b;h 110\n");
	expect(&f, "h", "a");
	expect(&f, "a", NULL);
	release(&f);
	compare(&f, STILL "main;a;h 910\nmain;b;h 90\n",
		STILL "main;a;h 2910\nmain;b;h 90\n");
	expect(&f, "h", NULL);
	expect(&f, "a", "h");
	release(&f);
}

/* THROUGH_OTHERS_STILL: what is called from elsewhere moved, too, by half of
 * what it took. */
static void test_others_still(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;a;h 1700\nmain;b;h 300\n",
		STILL "main;a;h 4700\nmain;b;h 440\n");
	expect(&f, "h", "a");
	release(&f);
	compare(&f, STILL "main;a;h 1700\nmain;b;h 300\n",
		STILL "main;a;h 4700\nmain;b;h 600\n");
	expect(&f, "h", NULL);
	expect(&f, "a", "h");
	release(&f);
}

/* What is called from elsewhere, too, and wanders there, is the caller's where
 * that grew by more: a helper of 57 % whose caller of 17 % grew by a third. */
static void test_others_wander(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;a;h 10200\nmain;b;h 24000\n",
		STILL "main;a;h 13700\nmain;b;h 25200\n");
	expect(&f, "h", "a");
	expect(&f, "a", NULL);
	release(&f);
	compare(&f, STILL "main;a;h 10200\nmain;b;h 24000\n",
		STILL "main;a;h 13700\nmain;b;h 27000\n");
	expect(&f, "h", NULL);
	release(&f);
}

/* What shrank is told by what is left. */
static void test_shrunk(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, STILL "main;a;h 3000\nmain;b;h 1000\n",
		STILL "main;a;h 500\nmain;b;h 1000\n");
	expect(&f, "a", NULL);
	expect(&f, "h", "a");
	release(&f);
}

UNIT_TESTS(through)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_library_of_two),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_mutual_recursion),
		cmocka_unit_test(test_no_circle),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_others_part),
		cmocka_unit_test(test_others_still),
		cmocka_unit_test(test_others_wander),
		cmocka_unit_test(test_shrunk),
	};

	return cmocka_run_group_tests_name("analyze/through", tests, NULL,
					   NULL);
}
