/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "ranking.h"

#include "../starving.h"

#define SERVE                                                                  \
	"net/http.(*conn).serve;net/http.HandlerFunc.ServeHTTP;"               \
	"shop/internal/httpx.Handler.ServeHTTP;"
#define BY_EMAIL                                                               \
	SERVE "shop/internal/userdb.(*server).byEmail;"                        \
	      "shop/internal/store.(*UserRepository).FindByEmail@u.go:60;"
#define QUERY "shop/internal/store.(*DB).query@db.go:70;"
#define SQL                                                                    \
	"database/sql.(*Rows).Next;database/sql.(*Rows).nextLocked;"           \
	"modernc.org/sqlite.(*rows).Next;modernc.org/sqlite/lib."

/* As the services of a shop show it: one scan of a table for each member of
 * a team. Other requests go on beside. */
static const char loop_slow[] = BY_EMAIL
	"shop/internal/store.(*UserRepository).loadPreferences;" QUERY SQL
	"_sqlite3VdbeExec 520\n" BY_EMAIL
	"shop/internal/store.(*UserRepository).loadPreferences;" QUERY SQL
	"_nocaseCollatingFunc 130\n" BY_EMAIL
	"shop/internal/store.(*UserRepository).findUser;" QUERY SQL
	"_sqlite3VdbeExec 12\n" BY_EMAIL "runtime.mallocgc 6\n" SERVE
	"shop/internal/userdb.(*server).history;"
	"shop/internal/store.(*OrderRepository).Stream;"
	"shop/internal/store.(*OrderRepository).scan;runtime.memmove 90\n" SERVE
	"shop/internal/userdb.(*server).history;"
	"shop/internal/httpx.WriteJSON;encoding/json.Marshal 130\n"
	"runtime.gcBgMarkWorker;runtime.gcDrain 60\n"
	"runtime.mcall;runtime.schedule 52\n";

static const char loop_base[] = BY_EMAIL
	"shop/internal/store.(*UserRepository).loadTeam;" QUERY SQL
	"_sqlite3VdbeExec 60\n" BY_EMAIL
	"shop/internal/store.(*UserRepository).findUser;" QUERY SQL
	"_sqlite3VdbeExec 30\n" SERVE "shop/internal/userdb.(*server).history;"
	"shop/internal/store.(*OrderRepository).Stream;"
	"shop/internal/store.(*OrderRepository).scan;runtime.memmove "
	"410\n" SERVE "shop/internal/userdb.(*server).history;"
	"shop/internal/httpx.WriteJSON;encoding/json.Marshal 520\n"
	"runtime.gcBgMarkWorker;runtime.gcDrain 240\n"
	"runtime.mcall;runtime.schedule 200\n";

#define STORE "shop/internal/store."

static void test_loop_named_by_span(void **state)
{
	struct fixture f;
	struct rank_want want = { .is_loop = true,
				  .span_name =
					  STR("UserRepository.FindByEmail") };
	const struct function_row *r;

	(void)state;
	rank_cpu(&f, loop_slow, loop_base, &want);
	ASSERT_ORDER(&f, STORE "(*UserRepository).FindByEmail",
		     STORE "(*DB).query",
		     STORE "(*UserRepository).loadPreferences");
	/* It owns 0.6 % itself: what it calls grew. */
	r = &f.result.functions[0];
	assert_int_equal(r->measure, RANK_TOTAL);
	assert_int_equal(r->change, CHANGE_GROWN);
	assert_close(r->total, 0.668);
	assert_close(r->delta, 0.668 - 90.0 / 1460);
	assert_true(r->q < 0.001);
	assert_int_equal(r->line, 60);
	assert_int_equal(f.result.functions[2].change, CHANGE_NEW);
	/* The rest speaks of what it owns, as usual. */
	assert_int_equal(f.result.functions[3].measure, RANK_SELF_LIB);
	/* All else fell alike: the loop took its share. */
	assert_quiet(row(&f, "shop/internal/httpx.WriteJSON"));
	release(&f);
}

/* The span may be the query itself, or a route. */
static void test_loop_without_name(void **state)
{
	static const char *const spans[] = { "SELECT preferences",
					     "GET /users/by-email", "",
					     "NoSuch.Function" };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		struct rank_want want = { .is_loop = true,
					  .span_name = str_from(spans[i]) };

		rank_cpu(&f, loop_slow, i % 2 ? loop_base : NULL, &want);
		ASSERT_ORDER(&f, STORE "(*DB).query",
			     STORE "(*UserRepository).loadPreferences",
			     STORE "(*UserRepository).FindByEmail");
		release(&f);
	}
}

/* Without a loop the span's name changes nothing. */
static void test_name_without_loop(void **state)
{
	struct fixture f;
	struct rank_want want = { .span_name =
					  STR("UserRepository.FindByEmail") };

	(void)state;
	rank_cpu(&f, loop_slow, NULL, &want);
	ASSERT_ORDER(&f, STORE "(*DB).query", "shop/internal/httpx.WriteJSON",
		     STORE "(*OrderRepository).scan");
	assert_int_equal(f.result.functions[0].measure, RANK_SELF_LIB);
	release(&f);
}

/* Servers, routers and handlers of everything explain no loop. */
static void test_loop_ignores_generic_callers(void **state)
{
	struct fixture f;
	struct rank_want want = { .is_loop = true };

	(void)state;
	rank_cpu(&f,
		 "main.main;shop/web.(*Router).dispatch;shop/web.route;"
		 "shop/cart.load;database/sql.(*DB).Query 150\n"
		 "main.main;shop/web.(*Router).dispatch;shop/web.route;"
		 "shop/page.render 140\n"
		 "main.main;shop/web.(*Router).dispatch;shop/web.route;"
		 "shop/page.encode 130\n"
		 "main.main;shop/web.(*Router).dispatch;shop/web.route;"
		 "shop/page.sign 120\n"
		 "main.main;shop/web.(*Router).dispatch;shop/web.route;"
		 "shop/page.pack 110\n",
		 NULL, &want);
	/* route() carries 650, more than four times load()'s 150. */
	ASSERT_ORDER(&f, "shop/cart.load", "shop/page.render",
		     "shop/page.encode");
	assert_int_equal(f.result.functions[1].measure, RANK_SELF_LIB);
	release(&f);
}

/* An RPC names handler and repository alike: the inner one runs the loop. */
static void test_loop_of_rpc(void **state)
{
	struct fixture f;
	struct rank_want want = { .is_loop = true,
				  .span_name =
					  STR("userdb.Users/FindByEmail") };

	(void)state;
	rank_cpu(&f,
		 "main.main;shop/api.(*Server).FindByEmail;"
		 "shop/store.(*Repo).FindByEmail;shop/store.(*Repo).prefs;"
		 "database/sql.(*DB).Query 500\n"
		 "main.main;shop/api.(*Server).FindByEmail;"
		 "shop/store.(*Repo).FindByEmail 20\n"
		 "main.main;shop/api.(*Server).FindByEmail;"
		 "encoding/json.Marshal 60\n"
		 "main.main;shop/api.(*Server).List;shop/api.pack 900\n",
		 NULL, &want);
	ASSERT_ORDER(&f, "shop/store.(*Repo).FindByEmail",
		     "shop/store.(*Repo).prefs", "shop/api.pack");
	release(&f);
}

/* Of a few samples all pass through handler and repository: the totals are
 * equal and the handler comes first by name, but the repository is deeper. */
static void test_loop_of_equal_totals(void **state)
{
	struct fixture f;
	struct rank_want want = { .is_loop = true,
				  .span_name =
					  STR("userdb.Users/FindByEmail") };

	(void)state;
	rank_cpu(&f,
		 "main.main;shop/api.(*Server).FindByEmail;"
		 "shop/store.(*Repo).FindByEmail;shop/store.(*Members).LoadAll;"
		 "database/sql.(*DB).Query 20\n"
		 "main.main;shop/api.(*Server).FindByEmail;"
		 "shop/store.(*Repo).FindByEmail;"
		 "encoding/json.Marshal 1\n",
		 NULL, &want);
	ASSERT_ORDER(&f, "shop/store.(*Repo).FindByEmail",
		     "shop/store.(*Members).LoadAll");
	release(&f);
}

/* A loop over a recursive function climbs past the recursion. */
static void test_loop_over_recursion(void **state)
{
	struct fixture f;
	struct rank_want want = { .is_loop = true };

	(void)state;
	rank_cpu(&f,
		 "main.main;shop/tree.Load;shop/tree.walk;shop/tree.walk;"
		 "shop/tree.walk;database/sql.(*DB).Query 500\n",
		 NULL, &want);
	ASSERT_ORDER(&f, "shop/tree.walk", "shop/tree.Load");
	assert_int_equal(f.result.functions[1].measure, RANK_TOTAL);
	assert_int_equal(row(&f, "main.main")->measure, RANK_SELF_LIB);
	release(&f);
}

static void test_memory_failures(void **state)
{
	struct rank_want want = { .is_loop = true };
	struct fixture f;
	bool is_done = false;
	long count;

	(void)state;
	make_cpu_profile(&f.slow, loop_slow);
	make_cpu_profile(&f.baseline, loop_base);
	for (count = 0; !is_done && count < 1000; count++) {
		memset(&f.result, 0, sizeof f.result);
		arena_init(&f.result.arena, 64 * MIB);
		starve_after(count);
		is_done = functions_rank(&f.slow, &f.baseline, &want, &f.result,
					 &err);
		stop_starving();
		if (!is_done) {
			assert_int_equal(err.code, ERROR_MEMORY);
			arena_release(&f.result.arena);
		}
	}
	assert_true(is_done && count > 2);
	release(&f);
}

UNIT_TESTS(loop)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_named_by_span),
		cmocka_unit_test(test_loop_without_name),
		cmocka_unit_test(test_name_without_loop),
		cmocka_unit_test(test_loop_ignores_generic_callers),
		cmocka_unit_test(test_loop_of_rpc),
		cmocka_unit_test(test_loop_of_equal_totals),
		cmocka_unit_test(test_loop_over_recursion),
		cmocka_unit_test(test_memory_failures),
	};

	return cmocka_run_group_tests_name("analyze/loop", tests, NULL, NULL);
}
