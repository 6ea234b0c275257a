/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_making.h"

#include "analyze/category_share.h"
#include "analyze/code_kind.h"

static struct category_shares shares;

static void compute(const char *type, const char *text)
{
	struct profile p;

	make_profile(&p, type, "nanoseconds", 0, text);
	assert_ok(category_shares_compute(&p, NULL, &shares, NULL, &err));
	assert_int_equal(shares.total, p.total);
	profile_release(&p);
}

/* The kind of a single stack. */
static void assert_kind(const char *stack, const char *kind)
{
	char line[400];

	assert_true(strlen(stack) + 4 < sizeof line);
	memcpy(line, stack, strlen(stack));
	memcpy(line + strlen(stack), " 10", 4);
	compute("cpu", line);
	for (int k = 0; k < CODE_KIND_COUNT; k++)
		if (shares.value[k] &&
		    strcmp(code_kind_name((enum code_kind)k), kind) != 0)
			fail_msg("%s: %s, not %s", stack,
				 code_kind_name((enum code_kind)k), kind);
}

static void test_leaf_decides(void **state)
{
	(void)state;
	assert_kind("main.main;main.f;0x7f0012345678", "unknown");
	assert_kind("main.f;syscall.write;do_syscall_64;[unknown]", "kernel");
	assert_kind("serve;spin", "application");
	assert_kind("main.main;main.f", "application");
	assert_kind("main.main;main.f;strings.Split", "stdlib");
	assert_kind("main.main;strings.Split;runtime.memmove", "runtime");
	assert_kind("main.main;os.(*File).Write;syscall.write;"
		    "internal/runtime/syscall.Syscall6",
		    "kernel");
	assert_kind("main.main;github.com/go-chi/chi/v5.(*Mux).ServeHTTP",
		    "library");
}

static void test_what_it_is_for_decides(void **state)
{
	(void)state;
	assert_kind("main.f;runtime.mallocgc;runtime.memmove", "gc_alloc");
	assert_kind("main.f;database/sql.(*DB).Query;"
		    "github.com/lib/pq.(*conn).send;net.(*conn).Write;"
		    "internal/runtime/syscall.Syscall6",
		    "database");
	assert_kind("main.f;encoding/json.Marshal;"
		    "runtime.memclrNoHeapPointers",
		    "serialisation");
	assert_kind("main.f;net/http.(*Client).do;runtime.selectgo;"
		    "runtime.gopark",
		    "http_client");
	assert_kind("main.f;time.Sleep;runtime.gopark", "idle");
}

/* gc_alloc > lock > database > http_client > serialisation > idle */
static void test_precedence(void **state)
{
	(void)state;
	assert_kind("main.f;sync.(*Mutex).Lock;runtime.mallocgc", "gc_alloc");
	assert_kind("main.f;database/sql.(*DB).conn;sync.(*Mutex).Lock;"
		    "runtime.gopark",
		    "lock");
	assert_kind("main.f;github.com/go-resty/resty/v2.(*Client).R;"
		    "database/sql.(*DB).Query;encoding/json.Marshal",
		    "database");
	assert_kind("main.f;net/http.(*Client).do;encoding/json.Marshal",
		    "http_client");
	assert_kind("main.f;encoding/json.Marshal;time.Sleep", "serialisation");
}

/* What the application does when a driver calls it back is its own. */
static void test_above_application_does_not_count(void **state)
{
	(void)state;
	assert_kind("main.f;encoding/json.Marshal;main.(*T).MarshalJSON",
		    "application");
	assert_kind("database/sql.(*DB).Query;main.hook;strings.Map", "stdlib");
	assert_kind("net/http.(*Client).do;main.f;runtime.mallocgc",
		    "gc_alloc");
}

static void test_without_application(void **state)
{
	(void)state;
	assert_kind("net/http.(*persistConn).readLoop;runtime.selectgo;"
		    "runtime.gopark",
		    "idle");
	assert_kind("runtime.gcBgMarkWorker;runtime.gopark", "idle");
	assert_kind("runtime.gcBgMarkWorker;runtime.gcDrain;"
		    "runtime.scanobject",
		    "gc_alloc");
	assert_kind("go.uber.org/zap.(*Logger).Info;sync.(*Mutex).Lock;"
		    "runtime.gopark",
		    "lock");
	assert_kind("runtime.mcall;runtime.schedule;runtime.findRunnable",
		    "runtime");
}

/* A synchronised block runs others' code; alone it waits for the lock. */
static void test_leaf_only(void **state)
{
	(void)state;
	assert_kind("Acme::Cart#total;Monitor#synchronize;Redis::Client#call;"
		    "IO#read",
		    "database");
	assert_kind("Acme::Cart#total;Monitor#synchronize", "lock");
}

/* Functions beneath the entry into the kernel are the kernel's. */
static void test_kernel(void **state)
{
	(void)state;
	assert_kind("_start;main;flush_log;write;"
		    "entry_SYSCALL_64_after_hwframe;do_syscall_64;"
		    "some_driver_write",
		    "kernel");
}

/* In block profiles a channel's time is waiting, in CPU profiles it is work. */
static void test_waiting_profile(void **state)
{
	(void)state;
	compute("delay", "main.main;main.f;runtime.chanrecv1 7\n");
	assert_int_equal(shares.value[CODE_IDLE], 7);
	compute("delay", "net/http.(*persistConn).readLoop;runtime.selectgo 5\n"
			 "main.f;net/http.(*Client).do;runtime.selectgo 3\n"
			 "main.f;sync.(*Mutex).Lock 2\n");
	assert_int_equal(shares.value[CODE_IDLE], 5);
	assert_int_equal(shares.value[CODE_HTTP_CLIENT], 3);
	assert_int_equal(shares.value[CODE_LOCK], 2);
	compute("cpu", "main.main;main.f;runtime.chanrecv1 7\n");
	assert_int_equal(shares.value[CODE_RUNTIME], 7);
}

static void test_sums(void **state)
{
	(void)state;
	compute("cpu", "main.f;runtime.mallocgc 30\n"
		       "main.f;runtime.gcAssistAlloc 10\n"
		       "main.f;encoding/json.Marshal 20\n"
		       "main.f 40\n");
	assert_int_equal(shares.total, 100);
	assert_int_equal(shares.value[CODE_GC_ALLOC], 40);
	assert_int_equal(shares.value[CODE_SERIALISATION], 20);
	assert_int_equal(shares.value[CODE_APPLICATION], 40);
	assert_float_equal(kind_share(&shares, CODE_GC_ALLOC), 0.4, 1e-12);
	compute("cpu", "");
	assert_float_equal(kind_share(&shares, CODE_GC_ALLOC), 0, 0);
}

static void test_user_rules(void **state)
{
	struct code_rule rule = { LANGUAGE_ANY, CODE_DATABASE, OP_NAME_IS,
				  STR("main.f") };
	struct code_rules rules = { &rule, 1 };
	struct profile p;

	(void)state;
	make_cpu_profile(&p, "main.main;main.f;strings.Split 3\nmain.main 1\n");
	assert_ok(category_shares_compute(&p, &rules, &shares, NULL, &err));
	assert_int_equal(shares.value[CODE_DATABASE], 3);
	assert_int_equal(shares.value[CODE_APPLICATION], 1);
	profile_release(&p);
}

/* Over 10 requests before and 20 after, a request takes
 *   gc_alloc     20/10 = 2  ->  160/20 = 8    +6
 *   application  50/10 = 5  ->  140/20 = 7    +2
 *   database     40/10 = 4  ->   20/20 = 1    -3, which is no growth
 * so gc_alloc holds 6 of 8. */
static void test_change_share(void **state)
{
	struct category_shares base = { .total = 110 }, slow = { .total = 320 };

	(void)state;
	base.value[CODE_GC_ALLOC] = 20;
	base.value[CODE_APPLICATION] = 50;
	base.value[CODE_DATABASE] = 40;
	slow.value[CODE_GC_ALLOC] = 160;
	slow.value[CODE_APPLICATION] = 140;
	slow.value[CODE_DATABASE] = 20;
	assert_float_equal(
		category_change_share(&slow, 20, &base, 10, CODE_GC_ALLOC),
		0.75, 1e-12);
	assert_float_equal(
		category_change_share(&slow, 20, &base, 10, CODE_APPLICATION),
		0.25, 1e-12);
	assert_float_equal(
		category_change_share(&slow, 20, &base, 10, CODE_DATABASE), 0,
		0);
	assert_float_equal(
		category_change_share(&slow, 20, &base, 10, CODE_LOCK), 0, 0);
	/* Nothing grew; no exposure. */
	assert_float_equal(
		category_change_share(&base, 10, &base, 10, CODE_GC_ALLOC), 0,
		0);
	assert_float_equal(
		category_change_share(&slow, 0, &base, 10, CODE_GC_ALLOC), 0,
		0);
	assert_float_equal(
		category_change_share(&slow, 20, &base, -1, CODE_GC_ALLOC), 0,
		0);
}

/* A collector beside the application serves whatever allocates. */
static void stacks_of_the_application_alone(void **state)
{
	struct category_shares own;
	struct profile p;

	(void)state;
	make_profile(&p, "cpu", "nanoseconds", 0,
		     "main;shop/api.Grants;runtime.mallocgc 30\n"
		     "main;shop/api.Grants 50\n"
		     "runtime.gcBgMarkWorker;runtime.gcDrain 400\n");
	assert_ok(category_shares_compute(&p, NULL, &shares, &own, &err));
	assert_int_equal(own.total, 80);
	assert_int_equal(own.value[CODE_GC_ALLOC], 30);
	assert_int_equal(shares.total, 480);
	assert_int_equal(shares.value[CODE_GC_ALLOC], 430);
	profile_release(&p);
}

static const char waits[] =
	"main.f;net/http.(*Client).do;go.opentelemetry.io/contrib/"
	"instrumentation/net/http/otelhttp.(*Transport).RoundTrip;"
	"runtime.selectgo 60\n"
	"main.f;net/http.(*Client).do;runtime.selectgo 30\n"
	"main.f;main.g;runtime.chanrecv1 10\n";

/* Those with a span for certain, all of them, and all there is; a side of such calls alone
 * has nothing that the other one's rest is compared with. */
static void calls_that_are_left_out(void **state)
{
	static const char calls[] =
		"main.f;net/http.(*Client).do;runtime.selectgo 30\n";
	struct profile p, before;
	struct profile *sides[] = { &p, &before };

	(void)state;
	make_profile(&p, "delay", "nanoseconds", 0, waits);
	assert_ok(calls_leave_out(sides, 1, NULL, false, &err));
	assert_int_equal(p.stack_count, 2);
	assert_int_equal(p.total, 40);
	assert_int_equal(p.whole_total, 40);
	assert_ok(calls_leave_out(sides, 1, NULL, true, &err));
	assert_int_equal(p.total, 10);
	profile_release(&p);
	make_profile(&p, "delay", "nanoseconds", 0, calls);
	assert_ok(calls_leave_out(sides, 1, NULL, true, &err));
	assert_int_equal(p.total, 30);
	profile_release(&p);
	make_profile(&p, "delay", "nanoseconds", 0, waits);
	make_profile(&before, "delay", "nanoseconds", 0, calls);
	assert_ok(calls_leave_out(sides, 2, NULL, true, &err));
	assert_int_equal(p.total, 10);
	assert_int_equal(before.total, 0);
	profile_release(&before);
	profile_release(&p);
}

UNIT_TESTS(category_share)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf_decides),
		cmocka_unit_test(test_what_it_is_for_decides),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_above_application_does_not_count),
		cmocka_unit_test(test_without_application),
		cmocka_unit_test(test_leaf_only),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_waiting_profile),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_user_rules),
		cmocka_unit_test(test_change_share),
		cmocka_unit_test(stacks_of_the_application_alone),
		cmocka_unit_test(calls_that_are_left_out),
	};

	return cmocka_run_group_tests_name("analyze/kind_share", tests, NULL,
					   NULL);
}
