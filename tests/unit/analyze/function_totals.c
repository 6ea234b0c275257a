/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_making.h"

#include <stdio.h>

#include "analyze/function_table.h"

struct fixture {
	struct profile slow;
	struct profile baseline;
	struct arena arena;
	struct func_table t;
};

static void build(struct fixture *f, const char *slow, const char *baseline)
{
	make_cpu_profile(&f->slow, slow);
	make_cpu_profile(&f->baseline, baseline ? baseline : "");
	arena_init(&f->arena, 64 * MIB);
	assert_ok(func_table_build(&f->t, &f->arena, &f->slow,
				   baseline ? &f->baseline : NULL, NULL, FUNC_NAMES_MATCHED,
				   &err));
}

static void release(struct fixture *f)
{
	arena_release(&f->arena);
	profile_release(&f->slow);
	profile_release(&f->baseline);
}

static const struct func_entry *entry(const struct fixture *f, const char *name)
{
	uint32_t id = map_find(&f->t.map, str_from(name));

	if (id == MAP_NONE)
		fail_msg("no entry %s", name);
	return &f->t.entries[id];
}

static void assert_values(const struct fixture *f, const char *name,
			  int64_t self_lib, int64_t self, int64_t total)
{
	const struct side_values *v = &entry(f, name)->values[SIDE_SLOW];

	if (v->self_lib != self_lib || v->self != self || v->total != total)
		fail_msg("%s: owned %lld self %lld total %lld", name,
			 (long long)v->self_lib, (long long)v->self,
			 (long long)v->total);
}

static void assert_text(struct str have, const char *want)
{
	if (!str_equal(have, str_from(want)))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARGS(have), want);
}

/* Worked by hand. */
static void test_values(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "main.main;shop/store.(*Repo).Find;database/sql.(*DB).Query;"
	      "runtime.mallocgc 30\n"
	      "main.main;shop/store.(*Repo).Find;database/sql.(*DB).Query 20\n"
	      "main.main;shop/store.(*Repo).Find 5\n"
	      "main.main;encoding/json.Marshal 7\n"
	      "runtime.mcall;runtime.schedule 11\n",
	      NULL);
	assert_values(&f, "main.main", 7, 0, 62);
	assert_values(&f, "shop/store.(*Repo).Find", 55, 5, 55);
	assert_values(&f, "database/sql.(*DB).Query", 0, 20, 50);
	assert_values(&f, "runtime.mallocgc", 0, 30, 30);
	assert_values(&f, "encoding/json.Marshal", 0, 7, 7);
	assert_values(&f, "runtime.schedule", 11, 11, 11);
	assert_values(&f, "runtime.mcall", 0, 0, 11);
	release(&f);
}

/* a > b > a > b: each counts a stack once. */
static void test_recursion(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "app.a;app.b;app.a;app.b 10\n"
	      "app.a;app.b;app.a 4\n"
	      "app.a;app.a;app.a 1\n",
	      NULL);
	assert_values(&f, "app.a", 5, 5, 15);
	assert_values(&f, "app.b", 10, 10, 14);
	release(&f);
}

/* An inlined function is a frame like any other, on its own line. */
static void test_inlined_frames(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "main.main@m.go:3;main.outer@m.go:10;main.inner@m.go:31 8\n"
	      "main.main@m.go:3;main.outer@m.go:11 2\n",
	      NULL);
	assert_values(&f, "main.inner", 8, 8, 8);
	assert_values(&f, "main.outer", 2, 2, 10);
	assert_int_equal(entry(&f, "main.outer")->line, 10);
	assert_text(entry(&f, "main.outer")->file, "m.go");
	release(&f);
}

/* One name in two files is two rows, on both sides, where both tell files. */
static void test_name_in_two_files(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "handle@/app/work.py:5;parse@/app/work.py:9 6\n"
	      "handle@/app/work.py:5;"
	      "parse@/usr/lib/python3/site-packages/x/y.py:70 10\n",
	      "handle@/v1/app/work.py:5;parse@/v1/app/work.py:8 6\n");
	assert_values(&f, "parse (app/work.py)", 6, 6, 6);
	assert_values(&f, "parse (x/y.py)", 0, 10, 10);
	assert_values(&f, "handle", 10, 0, 16);
	assert_int_equal(entry(&f, "parse (x/y.py)")->line, 70);
	assert_int_equal(entry(&f, "parse (app/work.py)")
				 ->values[SIDE_BASELINE]
				 .total,
			 6);
	assert_text(f.t.entries[entry(&f, "handle")->leaf].name,
		    "parse (x/y.py)");
	release(&f);
	build(&f, "a@x/a.py:1;f@x/a.py:2 1\na@x/a.py:1;f@x/b.py:2 2\n",
	      "a;f 4\n");
	assert_values(&f, "f", 3, 3, 3);
	assert_int_equal(entry(&f, "f")->values[SIDE_BASELINE].total, 4);
	release(&f);
}

/* Of one of Go that was sampled in a line of another one, too, there is one. */
static void test_name_of_go_in_two_files(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "main.main@/app/main.go:5;runtime.growslice@runtime/slice.go:9 6\n"
	      "main.main@/app/main.go:5;"
	      "runtime.growslice@runtime/msize.go:26 10\n",
	      "main.main@/app/main.go:5;runtime.growslice@runtime/slice.go:9 7\n");
	assert_values(&f, "runtime.growslice", 0, 16, 16);
	assert_int_equal(
		entry(&f, "runtime.growslice")->values[SIDE_BASELINE].total, 7);
	release(&f);
}

/* What one side knows of a name holds on the other for the same file only. */
static void test_name_in_other_file_of_baseline(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "handle@/app/work.py:5;parse@/app/work.py:9 6\n",
	      "handle@/app/work.py:5;"
	      "parse@/usr/lib/python3/site-packages/x/y.py:70 10\n");
	/* Functions are in the order of their names: handle, parse. */
	assert_int_equal(f.t.sides[SIDE_SLOW].classes[1].kind,
			 CODE_APPLICATION);
	assert_int_equal(f.t.sides[SIDE_BASELINE].classes[0].kind,
			 CODE_APPLICATION);
	assert_int_equal(f.t.sides[SIDE_BASELINE].classes[1].kind,
			 CODE_LIBRARY);
	release(&f);
}

static void test_leaf_and_line(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "main.f@f.go:1;strings.Split 3\n"
	      "main.f@f.go:2;strings.Split;runtime.mallocgc 4\n"
	      "main.f@f.go:2;strings.Map 2\n"
	      "main.f@f.go:3;strings.Split 2\n"
	      "main.g@g.go:9 5\n"
	      "main.g;runtime.memmove 4\n",
	      NULL);
	/* Split 3 + 2 is more than mallocgc 4; line 2 has 4 + 2. */
	assert_text(f.t.entries[entry(&f, "main.f")->leaf].name,
		    "strings.Split");
	assert_int_equal(entry(&f, "main.f")->line, 2);
	assert_ptr_equal(&f.t.entries[entry(&f, "main.g")->leaf],
			 entry(&f, "main.g"));
	assert_int_equal(entry(&f, "main.g")->line, 9);
	assert_null(entry(&f, "strings.Map")->file.ptr);
	release(&f);
}

/* What is gone is described by the baseline. */
static void test_gone_function(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "main.a 1\n", "main.b@b.go:7;strings.Map 9\nmain.a 2\n");
	assert_int_equal(entry(&f, "main.b")->values[SIDE_SLOW].total, 0);
	assert_int_equal(entry(&f, "main.b")->values[SIDE_BASELINE].self_lib,
			 9);
	assert_int_equal(entry(&f, "main.b")->line, 7);
	assert_text(f.t.entries[entry(&f, "main.b")->leaf].name, "strings.Map");
	assert_int_equal(entry(&f, "main.a")->values[SIDE_BASELINE].self_lib,
			 2);
	release(&f);
}

/* Beneath a system call nothing is the team's, whatever its name. */
static void test_kernel_frames(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "_start;main;flush_log;write;entry_SYSCALL_64_after_hwframe;"
	      "do_syscall_64;some_driver_write 12\n",
	      NULL);
	assert_values(&f, "flush_log", 12, 0, 12);
	assert_values(&f, "some_driver_write", 0, 12, 12);
	release(&f);
}

/* The same lambda in two processes, with other addresses. */
static void test_generated_names(void **state)
{
	struct fixture f;
	const struct func_entry *e;

	(void)state;
	build(&f,
	      "java/lang/Thread.run;"
	      "com/acme/Cart$$Lambda/0x00007f1c2c0a1a40.apply 10\n",
	      "java/lang/Thread.run;"
	      "com/acme/Cart$$Lambda/0x00007f9999999999.apply 30\n");
	e = entry(&f, "com/acme/Cart$$Lambda.apply");
	assert_int_equal(e->values[SIDE_SLOW].self_lib, 10);
	assert_int_equal(e->values[SIDE_BASELINE].self_lib, 30);
	assert_text(e->name, "com/acme/Cart$$Lambda.apply");
	assert_int_equal(f.t.merged_count, 1);
	release(&f);
}

/* Of one name, even a generated one, the name itself is shown. */
static void test_single_generated_name(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "main;copy_items.constprop.0 3\n", "main 1\n");
	assert_text(entry(&f, "copy_items")->name, "copy_items.constprop.0");
	assert_int_equal(f.t.merged_count, 0);
	release(&f);
}

static void test_saturation(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "a;b 9223372036854775807\na;c 5\n", NULL);
	assert_int_equal(entry(&f, "a")->values[SIDE_SLOW].total, INT64_MAX);
	release(&f);
}

static void test_empty(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "", "");
	assert_int_equal(f.t.count, 0);
	release(&f);
}

UNIT_TESTS(function_totals)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_inlined_frames),
		cmocka_unit_test(test_name_in_two_files),
		cmocka_unit_test(test_name_of_go_in_two_files),
		cmocka_unit_test(test_name_in_other_file_of_baseline),
		cmocka_unit_test(test_leaf_and_line),
		cmocka_unit_test(test_gone_function),
		cmocka_unit_test(test_kernel_frames),
		cmocka_unit_test(test_generated_names),
		cmocka_unit_test(test_single_generated_name),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("analyze/flatcum", tests, NULL,
					   NULL);
}
