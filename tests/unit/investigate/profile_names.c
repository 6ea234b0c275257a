/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/profile_service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support.h"

static struct trace trace;
static struct arena arena;
static struct name_candidates candidates;

static void find_candidates(const char *const *attrs, const char *service)
{
	struct error err;

	trace_of(&trace, attrs);
	arena_init(&arena, MIB);
	assert_true(name_candidates_init(&candidates, attrs ? &trace : NULL, 0,
					 str_from(service), &arena, &err));
}

static void forget(void)
{
	trace_release(&trace);
	arena_release(&arena);
}

static void check_candidate(size_t index, const char *name, const char *how)
{
	assert_true(index < candidates.count);
	if (!str_equal(candidates.names[index], str_from(name)))
		fail_msg("%zu is %.*s, not %s", index,
			 STR_ARGS(candidates.names[index]), name);
	assert_string_equal(candidates.how[index], how);
}

static const char *const cart[] = { "service.name",
				    "cart",
				    "service.namespace",
				    "shop",
				    "k8s.namespace.name",
				    "prod",
				    "k8s.container.name",
				    "app",
				    "k8s.deployment.name",
				    "cart",
				    "container.name",
				    "cart-1",
				    NULL };

static void candidates_come_best_first(void **state)
{
	(void)state;
	find_candidates(cart, "cart");
	assert_int_equal(candidates.count, 7);
	check_candidate(0, "cart", "exact");
	check_candidate(1, "shop/cart", "namespace/name");
	check_candidate(2, "prod/cart", "namespace/name");
	check_candidate(3, "prod/app", "namespace/container");
	/* The deployment gives prod/cart once more. */
	check_candidate(4, "ebpf/prod/app", "ebpf/namespace/container");
	check_candidate(5, "ebpf/prod/cart", "ebpf/namespace/name");
	check_candidate(6, "cart-1", "container");
	forget();
}

/* A service of that name up to the NUL is another one. */
static void a_nul_does_not_end_a_name(void **state)
{
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(name_candidates_init(&candidates, NULL, 0,
					 STR("user-db\0x"), &arena, &err));
	assert_int_equal(candidates.count, 1);
	assert_true(str_equal(candidates.names[0], STR("user-db\0x")));
	arena_release(&arena);
}

static void a_name_alone_is_its_only_candidate(void **state)
{
	(void)state;
	find_candidates(NULL, "cart");
	assert_int_equal(candidates.count, 1);
	check_candidate(0, "cart", "exact");
	forget();
	find_candidates(NULL, "");
	assert_int_equal(candidates.count, 0);
	forget();
}

static void check_pattern(const char *const *attrs, const char *service,
			  const char *want)
{
	struct buf pattern;

	find_candidates(attrs, service);
	buf_init(&pattern, KIB);
	name_pattern(&candidates, &pattern);
	assert_string_equal(buf_text(&pattern), want);
	buf_release(&pattern);
	forget();
}

static void patterns_take_names_literally(void **state)
{
	static const char *const space[] = { "service.namespace", "a+b", NULL };

	(void)state;
	check_pattern(NULL, "cart", "(?i:(?:(?:.*/)?cart)(?:\\.cpu)?)");
	check_pattern(space, "c.t",
		      "(?i:(?:(?:.*/)?c\\.t|a\\+b/c\\.t)(?:\\.cpu)?)");
	check_pattern(NULL, "\\.+*?()|[]{}^$-",
		      "(?i:(?:(?:.*/)?\\\\\\.\\+\\*\\?\\(\\)\\|\\[\\]\\{\\}"
		      "\\^\\$-)(?:\\.cpu)?)");
	/* What is behind the last '/' may come under another prefix. */
	check_pattern(NULL, "eu/cart", "(?i:(?:(?:.*/)?cart)(?:\\.cpu)?)");
	check_pattern(NULL, "cart/", "(?i:(?:(?:.*/)?cart/)(?:\\.cpu)?)");
}

#define LIST_MAX 8

static struct name_choice choose(const char *const *present)
{
	struct str items[LIST_MAX];
	struct name_list list = { items, 0 };
	struct name_choice choice;

	for (; present[list.count]; list.count++)
		items[list.count] = str_from(present[list.count]);
	name_choose(&candidates, &list, &choice);
	return choice;
}

#define PRESENT(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void check_choice(const char *const *present, const char *name,
			 const char *how)
{
	struct name_choice choice = choose(present);

	assert_non_null(choice.name.ptr);
	if (!str_equal(choice.name, str_from(name)))
		fail_msg("%.*s, not %s", STR_ARGS(choice.name), name);
	assert_string_equal(choice.how, how);
	assert_int_equal(choice.doubt_count, 0);
}

static void check_doubt(const char *const *present, size_t doubt_count)
{
	struct name_choice choice = choose(present);

	assert_null(choice.name.ptr);
	assert_int_equal(choice.doubt_count, doubt_count);
}

static void the_best_that_exists_is_chosen(void **state)
{
	(void)state;
	find_candidates(cart, "cart");
	check_choice(PRESENT("prod/cart", "cart", "shop/cart"), "cart",
		     "exact");
	check_choice(PRESENT("prod/app", "prod/cart", "shop/cart"), "shop/cart",
		     "namespace/name");
	check_choice(PRESENT("ebpf/prod/app", "prod/app", "other/cart"),
		     "prod/app", "namespace/container");
	check_choice(PRESENT("ebpf/prod/app", "Cart"), "ebpf/prod/app",
		     "ebpf/namespace/container");
	check_choice(PRESENT("Cart", "eu/cart"), "Cart", "case");
	check_choice(PRESENT("PROD/APP", "eu/cart"), "PROD/APP", "case");
	check_choice(PRESENT("eu/Cart", "cart.cpu"), "eu/Cart", "suffix");
	check_choice(PRESENT("cart.cpu", "eu/cart.cpu"), "cart.cpu",
		     "without .cpu");
	check_choice(PRESENT("eu/cart.cpu", "card"), "eu/cart.cpu",
		     "without .cpu");
	forget();
}

static void equals_are_not_believed(void **state)
{
	(void)state;
	find_candidates(NULL, "cart");
	check_doubt(PRESENT("dev/cart", "eu/cart"), 2);
	check_doubt(PRESENT("CART", "Cart", "eu/cart"), 2);
	check_doubt(PRESENT("a/cart", "b/cart", "c/cart", "d/cart", "e/cart"),
		    NAME_DOUBTS_MAX);
	check_doubt(PRESENT("dev/cart.cpu", "eu/cart.cpu"), 2);
	/* Not after a '/': another service. */
	check_doubt(PRESENT("shopping-cart", "cart-db", "cart/db"), 0);
	forget();
}

static void a_prefix_of_the_trace_may_be_missing(void **state)
{
	(void)state;
	find_candidates(NULL, "eu/cart");
	check_choice(PRESENT("cart", "db"), "cart", "suffix");
	check_doubt(PRESENT("cart", "dev/cart"), 2);
	check_choice(PRESENT("cart", "eu/cart"), "eu/cart", "exact");
	forget();
}

static void an_environment_may_be_put_to_it(void **state)
{
	(void)state;
	find_candidates(cart, "cart");
	/* Its namespaces are prod and shop. */
	check_choice(PRESENT("prod-cart", "db"), "prod-cart", "environment");
	check_choice(PRESENT("Cart.Shop", "db"), "Cart.Shop", "environment");
	check_choice(PRESENT("eu/cart_dev", "db"), "eu/cart_dev",
		     "environment");
	check_choice(PRESENT("cart-prod.cpu"), "cart-prod.cpu", "environment");
	/* All that is better comes first, and of two none is believed. */
	check_choice(PRESENT("prod-cart", "eu/cart"), "eu/cart", "suffix");
	check_doubt(PRESENT("prod-cart", "cart-dev"), 2);
	/* Another service, or no separator, or nothing beside it. */
	check_doubt(PRESENT("shopping-cart", "cart-db", "prod-shopping-cart",
			    "prodcart", "cart-", "-cart", "prod+cart"),
		    0);
	forget();
	find_candidates(NULL, "cart");
	check_doubt(PRESENT("shop-cart"), 0);
	check_choice(PRESENT("staging-cart"), "staging-cart", "environment");
	forget();
}

static void without_a_name_nothing_is_chosen(void **state)
{
	(void)state;
	find_candidates(NULL, "");
	check_doubt(PRESENT("", "cart"), 0);
	forget();
}

/* Targets are lower case; "_" and "." may stand in them or become "-". */
static void targets_are_names_in_another_spelling(void **state)
{
	static const char *const run[] = {
		"service.name",       "Auth_Service.V2", "faas.name", "auth",
		"k8s.container.name", "server",          NULL
	};
	struct error err;

	(void)state;
	find_candidates(run, "Auth_Service.V2");
	assert_true(name_candidates_add_targets(&candidates, &trace, 0, &arena,
						&err));
	check_candidate(0, "Auth_Service.V2", "exact");
	check_candidate(1, "auth_service.v2", "target");
	check_candidate(2, "auth-service-v2", "target");
	check_candidate(3, "auth", "faas.name");
	check_candidate(4, "server", "container");
	assert_int_equal(candidates.count, 5);
	forget();
}

static void targets_begin_and_end_as_they_must(void **state)
{
	static const struct {
		const char *name;
		size_t count;
		const char *target;
	} cases[] = {
		{ "cart", 1, "cart" },        { "/api/cart/", 2, "api-cart" },
		{ "My Cart!", 2, "my-cart" }, { "__", 1, "__" },
		{ "caf\xc3\xa9", 2, "caf" },
	};
	char long_name[300];
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		find_candidates(NULL, cases[i].name);
		assert_true(name_candidates_add_targets(&candidates, NULL, 0,
							&arena, &err));
		assert_int_equal(candidates.count, cases[i].count);
		assert_true(str_equal(candidates.names[cases[i].count - 1],
				      str_from(cases[i].target)));
		forget();
	}
	memset(long_name, 'A', sizeof long_name);
	long_name[sizeof long_name - 1] = '\0';
	find_candidates(NULL, long_name);
	assert_true(name_candidates_add_targets(&candidates, NULL, 0, &arena,
						&err));
	assert_int_equal(candidates.names[1].len, 255);
	forget();
}

UNIT_TESTS(profile_names)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(candidates_come_best_first),
		cmocka_unit_test(a_name_alone_is_its_only_candidate),
		cmocka_unit_test(a_nul_does_not_end_a_name),
		cmocka_unit_test(patterns_take_names_literally),
		cmocka_unit_test(the_best_that_exists_is_chosen),
		cmocka_unit_test(equals_are_not_believed),
		cmocka_unit_test(a_prefix_of_the_trace_may_be_missing),
		cmocka_unit_test(an_environment_may_be_put_to_it),
		cmocka_unit_test(without_a_name_nothing_is_chosen),
		cmocka_unit_test(targets_are_names_in_another_spelling),
		cmocka_unit_test(targets_begin_and_end_as_they_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
