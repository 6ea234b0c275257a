/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "../unit.h"
#include "analyze/function_table.h"

#define NONE NAME_MATCH_NONE
#define CLOSURE NAME_MATCH_CLOSURE
#define FUNCTION NAME_MATCH_FUNCTION

static const struct {
	const char *name;
	const char *span;
	enum name_match match;
} pairs[] = {
	{ "shop/internal/store.(*UserRepository).FindByEmail",
	  "UserRepository.FindByEmail", FUNCTION },
	{ "shop/internal/store.(*UserRepository).FindByEmail", "findByEmail",
	  FUNCTION },
	{ "shop/internal/store.(*UserRepository).FindByEmail", "find_by_email",
	  FUNCTION },
	{ "shop/internal/store.(*UserRepository).FindByEmail",
	  "shop/internal/store.(*UserRepository).FindByEmail", FUNCTION },
	{ "shop/internal/store.(*UserRepository).FindByEmail.func1",
	  "UserRepository.FindByEmail", CLOSURE },
	{ "shop/internal/store.(*UserRepository).FindByEmail.func1.2",
	  "FindByEmail", CLOSURE },
	{ "shop/internal/store.(*UserRepository).FindByEmail",
	  "OrderRepository.FindByEmail", NONE },
	{ "shop/internal/store.(*UserRepository).FindByEmail", "ByEmail",
	  NONE },
	{ "shop/internal/store.(*UserRepository).FindByEmail",
	  "GET /users/by-email", NONE },
	{ "shop/internal/userdb.(*server).byEmail", "GET /users/by-email",
	  NONE },
	{ "shop/internal/store.(*DB).query", "SELECT preferences", NONE },
	{ "shop/internal/store.(*DB).query", "", NONE },
	{ "shop/internal/store.(*DB).query", "/users/query", NONE },
	{ "github.com/acme/userdb/server.(*UserServer).FindByEmail",
	  "userdb.UserService/FindByEmail", FUNCTION },
	{ "github.com/acme/store.(*Repo[go.shape.int]).Find", "Repo.Find",
	  FUNCTION },
	{ "github.com/acme/store.Find[go.shape.string]", "store.Find",
	  FUNCTION },
	{ "com/acme/UserRepository.findByEmail(Ljava/lang/String;)V",
	  "UserRepository.findByEmail", FUNCTION },
	{ "com/acme/UserRepository.lambda$findByEmail$0",
	  "UserRepository.findByEmail", CLOSURE },
	{ "com.acme.UserRepository$Inner.find", "Inner.find", FUNCTION },
	{ "acme.users.UserRepository.find_by_email",
	  "UserRepository.findByEmail", FUNCTION },
	{ "acme.users.find.<locals>.<lambda>", "users.find", CLOSURE },
	{ "Acme.Users.UserRepository+<FindAsync>d__5.MoveNext", "FindAsync",
	  CLOSURE },
	{ "UserRepository#find_by_email", "UserRepository.find_by_email",
	  FUNCTION },
	{ "shop::users::Repo::find", "Repo::find", FUNCTION },
	{ "shop::users::find::{{closure}}", "users::find", CLOSURE },
	{ "std::vector<int, std::allocator<int> >::push_back(int&&)",
	  "vector.push_back", FUNCTION },
	{ "(((", "find", NONE },
	{ "", "find", NONE },
	{ ")", "find", NONE },
};

static void test_pairs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		enum name_match have = function_name_match(
			str_from(pairs[i].name), str_from(pairs[i].span));

		if (have != pairs[i].match)
			fail_msg("\"%s\" as \"%s\": %d", pairs[i].name,
				 pairs[i].span, (int)have);
	}
}

static void test_generic(void **state)
{
	(void)state;
	assert_true(function_name_is_generic(STR("main.main")));
	assert_true(function_name_is_generic(STR("main.main.func1")));
	assert_true(function_name_is_generic(
		STR("shop/internal/httpx.Handler.ServeHTTP")));
	assert_true(function_name_is_generic(
		STR("github.com/acme/x/internal/worker.(*Pool).run")));
	assert_true(function_name_is_generic(STR("<module>")));
	assert_false(function_name_is_generic(
		STR("shop/internal/store.(*DB).query")));
	assert_false(function_name_is_generic(
		STR("shop/internal/userdb.(*server).byEmail")));
}

/* Nested brackets must not be matched over and over. */
static void test_hostile(void **state)
{
	static char name[60000];

	(void)state;
	memset(name, '(', sizeof name / 2);
	memset(name + sizeof name / 2, ')', sizeof name / 2);
	assert_int_equal(function_name_match((struct str){ name, sizeof name },
					     STR("find")),
			 NONE);
}

UNIT_TESTS(function_match)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_generic),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("analyze/function_match", tests,
					   NULL, NULL);
}
