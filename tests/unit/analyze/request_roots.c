/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/request_history.h"

#include <stdio.h>

#include "profile_making.h"

#define HANDLER "net/http.(*Server).Serve.gowrap3;net/http.(*conn).serve;"
#define LOOP "net/http.(*Transport).dialConn.gowrap3;net/http.(*persistConn)."

static struct request_roots roots;

static void find(struct profile *labelled)
{
	const struct profile *const profiles[] = { labelled };

	request_roots_find(profiles, 1, NULL, &roots);
}

/* Of CPU samples, one a unit. */
static void find_in(struct profile *p, const char *text)
{
	make_cpu_profile(p, text);
	find(p);
}

static void roots_run_code_of_the_application(void **state)
{
	struct profile p;

	(void)state;
	find_in(&p, HANDLER "shop/api.(*server).Checkout;shop/db.Save 8\n" LOOP
			    "readLoop;net.(*conn).Read 9\n");
	assert_int_equal(roots.count, 1);
	assert_true(str_equal(roots.names[0], STR("net/http.(*conn).serve")));
	profile_release(&p);
}

static void few_samples_tell_nothing(void **state)
{
	struct profile p;

	(void)state;
	find_in(&p, HANDLER "shop/api.Save 2\n");
	assert_int_equal(roots.count, 0);
	profile_release(&p);
	find_in(&p, HANDLER "shop/api.Save 3\n");
	assert_int_equal(roots.count, 1);
	profile_release(&p);
}

static void a_small_part_is_no_root(void **state)
{
	struct profile p;

	(void)state;
	find_in(&p, HANDLER "shop/api.Save 81\nshop/cache.fill 19\n");
	assert_int_equal(roots.count, 1);
	profile_release(&p);
	find_in(&p, HANDLER "shop/api.Save 80\nshop/cache.fill 20\n");
	assert_int_equal(roots.count, 2);
	profile_release(&p);
}

/* More than are told apart: of such a program nothing is known. */
static void too_many_roots(void **state)
{
	struct profile p;
	char text[4096];
	size_t len = 0;

	(void)state;
	for (int count = 64; count <= 65; count++) {
		len = 0;
		for (int i = 0; i < count; i++)
			len += (size_t)snprintf(
				text + len, sizeof text - len,
				"shop/work.task%c%c;shop/work.do %d\n",
				'a' + i / 26, 'a' + i % 26, i ? 1 : 100);
		find_in(&p, text);
		assert_int_equal(roots.count, count == 64 ? 1 : 0);
		profile_release(&p);
	}
}

static double keep(struct profile *p)
{
	return request_roots_keep(&roots, &p, 1);
}

static void only_what_serves_requests_is_kept(void **state)
{
	struct profile labelled, waits;

	(void)state;
	find_in(&labelled, HANDLER "shop/api.Save 30\n");
	/* The wrapper is missing in some types of profiles. */
	make_profile(&waits, "delay", "nanoseconds", 0,
		     HANDLER "shop/api.Save;shop/db.(*DB).exec 30\n"
			     "net/http.(*conn).serve;shop/api.Load 10\n" LOOP
			     "writeLoop;runtime.selectgo 960\n");
	assert_true(keep(&waits) == 0.96);
	assert_int_equal(waits.stack_count, 2);
	assert_int_equal(waits.total, 40);
	assert_int_equal(waits.whole_total, 40);
	assert_true(keep(&waits) == 0);
	profile_release(&waits);
	profile_release(&labelled);
}

/* Roots that a profile does not have at all are of another kind of stacks. */
static void without_them_all_is_kept(void **state)
{
	struct profile labelled, waits;

	(void)state;
	find_in(&labelled, HANDLER "shop/api.Save 30\n");
	make_profile(&waits, "delay", "nanoseconds", 0,
		     LOOP "writeLoop;runtime.selectgo 960\n");
	assert_true(keep(&waits) == 0);
	assert_int_equal(waits.total, 960);
	roots.count = 0;
	assert_true(keep(&waits) == 0);
	profile_release(&waits);
	profile_release(&labelled);
}

/* What served requests waited for nothing before: background work was no wait of theirs
 * then, either. */
static void a_side_without_them_is_empty(void **state)
{
	struct profile labelled, waits, before;
	struct profile *sides[] = { &waits, &before };

	(void)state;
	find_in(&labelled, HANDLER "shop/api.Save 30\n");
	make_profile(&waits, "delay", "nanoseconds", 0,
		     HANDLER "shop/api.Save;shop/db.(*DB).exec 40\n" LOOP
			     "writeLoop;runtime.selectgo 960\n");
	make_profile(&before, "delay", "nanoseconds", 0,
		     LOOP "writeLoop;runtime.selectgo 950\n");
	assert_true(request_roots_keep(&roots, sides, 2) == 0.96);
	assert_int_equal(waits.total, 40);
	assert_int_equal(before.stack_count, 0);
	assert_int_equal(before.total, 0);
	profile_release(&before);
	profile_release(&waits);
	profile_release(&labelled);
}

/* No request met the profiler: servers that are known begin somewhere. */
static void known_servers_have_known_roots(void **state)
{
	struct profile waits;

	(void)state;
	roots.count = 0;
	make_profile(&waits, "delay", "nanoseconds", 0,
		     HANDLER "shop/api.Save;shop/db.(*DB).exec 30\n"
			     "shop/db.(*Archiver).loop;shop/db.sleep 70\n");
	assert_true(keep(&waits) == 0.7);
	assert_int_equal(waits.total, 30);
	profile_release(&waits);
}

UNIT_TESTS(request_roots)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roots_run_code_of_the_application),
		cmocka_unit_test(few_samples_tell_nothing),
		cmocka_unit_test(a_small_part_is_no_root),
		cmocka_unit_test(too_many_roots),
		cmocka_unit_test(only_what_serves_requests_is_kept),
		cmocka_unit_test(without_them_all_is_kept),
		cmocka_unit_test(a_side_without_them_is_empty),
		cmocka_unit_test(known_servers_have_known_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
