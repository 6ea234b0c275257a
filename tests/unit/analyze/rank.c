/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/code_kind.h"
#include "base/buf.h"
#include "ranking.h"

#include "../one_processor.h"

/* ---- one side ---- */

static const char one_side[] =
	"main.main;shop/store.(*Repo).Find@/src/repo.go:88;"
	"database/sql.(*DB).Query;runtime.mallocgc 30\n"
	"main.main;shop/store.(*Repo).Find@/src/repo.go:90 20\n"
	"main.main;shop/web.render;strings.Map 40\n"
	"runtime.mcall;runtime.schedule 10\n";

static void test_without_baseline(void **state)
{
	struct fixture f;
	struct rank_want want = { .limit = 3 };
	const struct function_row *r;

	(void)state;
	rank_cpu(&f, one_side, NULL, &want);
	ASSERT_ORDER(&f, "shop/store.(*Repo).Find", "shop/web.render",
		     "runtime.schedule");
	assert_int_equal(f.result.function_count, 3);
	assert_int_equal(f.result.function_total, 8);
	assert_int_equal(f.result.noise_count, 0);
	r = &f.result.functions[0];
	assert_close(r->self_lib, 0.5);
	assert_close(r->self, 0.2);
	assert_close(r->total, 0.5);
	assert_int_equal(r->self_lib_value, 50);
	assert_int_equal(r->self_value, 20);
	assert_int_equal(r->line, 88);
	assert_true(str_equal(r->file, STR("/src/repo.go")));
	assert_true(str_equal(r->leaf, STR("runtime.mallocgc")));
	assert_int_equal(r->change, CHANGE_NONE);
	assert_true(isnan(r->q) && isnan(r->delta_low));
	assert_null(f.result.functions[2].leaf.ptr);
	assert_null(f.result.functions[2].file.ptr);
	assert_int_equal(f.result.notes.count, 0);
	release(&f);
}

/* A page lists more than what is kept, but never less. */
static void test_listed(void **state)
{
	const size_t wanted[] = { 0, 2, 5, 9 };
	const size_t listed[] = { 3, 3, 5, 8 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct rank_want want = { .limit = 3, .listed = wanted[i] };
		struct fixture f;

		rank_cpu(&f, one_side, NULL, &want);
		assert_int_equal(f.result.function_count, 3);
		assert_int_equal(result_listed(&f.result), listed[i]);
		assert_int_equal(f.result.functions[listed[i] - 1].rank,
				 listed[i]);
		assert_true(f.result.functions[listed[i] - 1].name.len > 0);
		release(&f);
	}
}

/* A function may be called "other"; what a server cut off is none. */
static void test_what_was_cut_off_is_last(void **state)
{
	static const char text[] =
		"main;other 70\nmain;work 20\nmain;rest 10\n";
	struct rank_want want = { .by = RANK_SELF };
	struct fixture f;

	(void)state;
	rank_cpu(&f, text, NULL, &want);
	assert_order(&f, (const char *[]){ "other", "work", "rest", "main" },
		     4);
	arena_release(&f.result.arena);
	f.slow.truncated_share = 0.7;
	rank(&f, false, &want);
	assert_order(&f, (const char *[]){ "work", "rest", "main", "other" },
		     4);
	assert_int_equal(row(&f, "other")->self_value, 70);
	release(&f);
}

/* An address is no name: it neither owns a stack that has another name, nor is
 * it the first row, nor grown. */
static void test_addresses_answer_nothing(void **state)
{
	struct rank_want want = { .by = RANK_SELF_LIB };
	struct fixture f;

	(void)state;
	rank_cpu(&f, "_start;0x4005d0 700\n0x4005d8 200\nmain;work 50\n",
		 "_start;0x4005d0 70\n0x4005d8 200\nmain;work 50\n", &want);
	assert_int_equal(row(&f, "_start")->self_lib_value, 700);
	assert_int_equal(row(&f, "0x4005d0")->self_lib_value, 0);
	assert_int_equal(row(&f, "0x4005d0")->self_value, 700);
	assert_quiet(row(&f, "0x4005d0"));
	/* Nothing else is known of it. */
	assert_int_equal(row(&f, "0x4005d8")->self_lib_value, 200);
	for (size_t i = 0; i < 3; i++)
		assert_false(str_starts(f.result.functions[i].name, STR("0x")));
	release(&f);
	/* Where rows are to be as pprof has them it stands where it does. */
	want.is_plain = true;
	want.by = RANK_SELF;
	rank_cpu(&f, "_start;0x4005d0 700\nmain;work 50\n", NULL, &want);
	assert_string_equal(f.result.functions[0].name.ptr, "0x4005d0");
	release(&f);
}

static void test_measures(void **state)
{
	struct fixture f;
	struct rank_want self = { .by = RANK_SELF };
	struct rank_want total = { .by = RANK_TOTAL };

	(void)state;
	rank_cpu(&f, one_side, NULL, &self);
	ASSERT_ORDER(&f, "strings.Map", "runtime.mallocgc",
		     "shop/store.(*Repo).Find", "runtime.schedule");
	assert_int_equal(f.result.rank_by, RANK_SELF);
	release(&f);
	rank_cpu(&f, one_side, NULL, &total);
	ASSERT_ORDER(&f, "main.main", "shop/store.(*Repo).Find",
		     "shop/web.render", "strings.Map");
	release(&f);
}

/* Of rows and of both sides; the shares of one_side are 30, 20, 40, 10. */
static void test_kinds(void **state)
{
	struct fixture f;
	struct rank_want want = { .by = RANK_SELF };

	(void)state;
	rank_cpu(
		&f, one_side,
		"main.main 3\n"
		"main.main;sync.(*Mutex).Lock;entry_SYSCALL_64;some_driver 7\n",
		&want);
	assert_string_equal(row(&f, "runtime.mallocgc")->kind, "gc_alloc");
	assert_string_equal(row(&f, "shop/web.render")->kind, "application");
	assert_string_equal(row(&f, "database/sql.(*DB).Query")->kind,
			    "database");
	assert_string_equal(row(&f, "runtime.schedule")->kind, "runtime");
	assert_string_equal(row(&f, "some_driver")->kind, "kernel");
	assert_int_equal(f.result.categories.total, 100);
	assert_int_equal(f.result.categories.value[CODE_GC_ALLOC], 30);
	assert_int_equal(f.result.categories.value[CODE_APPLICATION], 20);
	assert_int_equal(f.result.categories.value[CODE_STDLIB], 40);
	assert_int_equal(f.result.categories.value[CODE_RUNTIME], 10);
	assert_int_equal(f.result.baseline_categories.total, 10);
	assert_int_equal(f.result.baseline_categories.value[CODE_LOCK], 7);
	release(&f);
}

/* Threads that wait have rows, of a kind that no verdict blames. */
static void test_idle_rows(void **state)
{
	struct fixture f;
	struct rank_want want = { .limit = 0 };

	(void)state;
	rank_cpu(&f,
		 "net/http.(*conn).serve;bufio.(*Reader).Peek;"
		 "internal/poll.runtime_pollWait;runtime.gopark 90\n"
		 "net/http.(*conn).serve;main.handle;sync.(*Mutex).Lock;"
		 "runtime.gopark 9\n",
		 NULL, &want);
	ASSERT_ORDER(&f, "runtime.gopark", "main.handle");
	assert_string_equal(row(&f, "runtime.gopark")->kind, "idle");
	assert_string_equal(row(&f, "main.handle")->kind, "application");
	assert_int_equal(f.result.categories.value[CODE_IDLE], 90);
	assert_int_equal(f.result.categories.value[CODE_LOCK], 9);
	release(&f);
}

/* The user's rules decide who owns a stack. */
static void test_rules(void **state)
{
	struct code_rule rule = { LANGUAGE_GO, CODE_APPLICATION, OP_PKG,
				  STR("database/sql") };
	struct code_rules rules = { &rule, 1 };
	struct rank_want want = { .rules = &rules };
	struct fixture f;

	(void)state;
	rank_cpu(&f, one_side, NULL, &want);
	ASSERT_ORDER(&f, "shop/web.render", "database/sql.(*DB).Query",
		     "shop/store.(*Repo).Find");
	release(&f);
}

static void test_empty(void **state)
{
	struct fixture f;
	struct rank_want want = { .is_loop = true, .span_name = STR("x") };

	(void)state;
	rank_cpu(&f, "", NULL, &want);
	assert_int_equal(f.result.function_count, 0);
	assert_int_equal(f.result.function_total, 0);
	release(&f);
	rank_cpu(&f, one_side, "", &want);
	assert_int_equal(row(&f, "main.main")->change, CHANGE_NONE);
	assert_true(has_note(&f, "the baseline profile is empty"));
	release(&f);
}

/* ---- order and noise ---- */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Frames a.f0 .. a.f19 below one of three callers; value by table. */
static void make_shuffled(char *text, size_t size, const int *values,
			  bool is_shuffled)
{
	int order[60];
	size_t len = 0;

	for (int i = 0; i < 60; i++)
		order[i] = i;
	for (int i = 59; is_shuffled && i > 0; i--) {
		int k = (int)random_below((uint64_t)i + 1), held = order[i];

		order[i] = order[k];
		order[k] = held;
	}
	for (int i = 0; i < 60; i++)
		len += (size_t)snprintf(text + len, size - len,
					"main.main;a.c%d@c.go:%d;a.f%d@f.go:%d;"
					"strings.m%d %d\n",
					order[i] / 20, order[i] % 7,
					order[i] % 20, order[i], order[i] % 3,
					values[order[i]]);
}

static void assert_same_rows(const struct result *a, const struct result *b)
{
	assert_int_equal(a->function_count, b->function_count);
	for (size_t i = 0; i < a->function_count; i++) {
		const struct function_row *x = &a->functions[i];
		const struct function_row *y = &b->functions[i];

		assert_true(str_equal(x->name, y->name));
		assert_true(str_equal(x->file, y->file));
		assert_true(str_equal(x->leaf, y->leaf));
		assert_int_equal(x->line, y->line);
		assert_int_equal(x->self_lib_value, y->self_lib_value);
		assert_int_equal(x->change, y->change);
		assert_memory_equal(&x->delta, &y->delta, sizeof x->delta);
		assert_memory_equal(&x->q, &y->q, sizeof x->q);
	}
}

/* Many equal values, so that ties decide the order. */
static void test_input_order_does_not_matter(void **state)
{
	static char slow[8192], base[8192];
	struct rank_want want = { .is_loop = true };
	struct fixture plain, other;
	int now[60], was[60];

	(void)state;
	for (int i = 0; i < 60; i++) {
		now[i] = 10 + i % 4 * 30;
		was[i] = 10 + i % 3 * 20;
	}
	make_shuffled(slow, sizeof slow, now, false);
	make_shuffled(base, sizeof base, was, false);
	rank_cpu(&plain, slow, base, &want);
	for (int round = 0; round < 10; round++) {
		make_shuffled(slow, sizeof slow, now, true);
		make_shuffled(base, sizeof base, was, true);
		rank_cpu(&other, slow, base, &want);
		assert_same_rows(&plain.result, &other.result);
		release(&other);
	}
	release(&plain);
}

/* Samples of 60 unchanged stacks, in bursts of three. */
static void draw(int *values, int bursts)
{
	memset(values, 0, 60 * sizeof *values);
	for (int i = 0; i < bursts; i++)
		values[random_below(60) * random_below(60) / 59] += 3;
	for (int i = 0; i < 60; i++)
		values[i] += values[i] == 0;
}

/* A control: the same code twice says nothing grew. 5 claims in 100 pairs at most are
 * accepted, 3 are seen with this seed. */
static void test_no_change_is_quiet(void **state)
{
	static char slow[8192], base[8192];
	struct rank_want want = { 0 };
	struct fixture f;
	int now[60], was[60], claims = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		draw(now, 300 + round * 10);
		draw(was, 600);
		make_shuffled(slow, sizeof slow, now, false);
		make_shuffled(base, sizeof base, was, false);
		rank_cpu(&f, slow, base, &want);
		for (size_t i = 0; i < f.result.function_count; i++)
			claims += f.result.functions[i].change == CHANGE_NEW ||
				  f.result.functions[i].change == CHANGE_GROWN;
		release(&f);
	}
	assert_in_range(claims, 0, 5);
}

/* ---- large sides ---- */

#define MANY 5000u

static void add_function(struct buf *b, unsigned form, unsigned name,
			 unsigned file)
{
	switch (form % 5) {
	case 0:
		buf_addf(b, "shop/pkg%u.(*T).Do@/src/f%u.go", name, file);
		break;
	case 1:
		buf_addf(b, "com.shop.S%u.run@S%u.java", name, file);
		break;
	case 2:
		buf_addf(b, "work_%u@/app/f%u.py", name, file);
		break;
	case 3:
		buf_addf(b, "com.shop.P$$Lambda$%u.apply@P%u.java", name, file);
		break;
	default:
		buf_addf(b, "runtime.f%u@/go/src/runtime/f%u.go", name, file);
	}
}

/* Stacks of two of many functions; some are only there before or after, some
 * grow, some have another file, some a number that is made up. */
static char *many_stacks(bool is_after)
{
	struct buf b;
	char *text;

	buf_init(&b, 64 * MIB);
	for (unsigned i = 0; i < MANY; i++) {
		unsigned file = i + (is_after && i % 11 == 0);
		unsigned value = 4 + i % 37;

		if (i % 13 == is_after)
			continue;
		if (i % 1700 == 0)
			value *= is_after ? 900 : 300;
		buf_add_text(&b, "main.main@/src/main.go:1;");
		add_function(&b, i, i, file);
		buf_addf(&b, ":%u;", i % 7 + 1);
		add_function(&b, i + 1, i / 2, i / 2);
		buf_addf(&b, " %u\n", value);
	}
	assert_true(buf_check(&b, "the stacks", &err));
	text = strdup(b.data);
	assert_non_null(text);
	buf_release(&b);
	return text;
}

static struct fixture many;

static void rank_many(void **state)
{
	struct rank_want want = { .limit = SIZE_MAX };

	(void)state;
	rank(&many, true, &want);
}

static void assert_same_row(const struct function_row *a,
			    const struct function_row *b)
{
	assert_true(str_equal(a->name, b->name));
	assert_true(str_equal(a->file, b->file));
	assert_int_equal(a->line, b->line);
	assert_string_equal(a->kind, b->kind);
	assert_true(str_equal(a->leaf, b->leaf));
	assert_int_equal(a->self_lib_value, b->self_lib_value);
	assert_int_equal(a->total_value, b->total_value);
	assert_int_equal(a->baseline_self_value, b->baseline_self_value);
	assert_int_equal(a->change, b->change);
	assert_memory_equal(&a->delta, &b->delta, sizeof a->delta);
	assert_memory_equal(&a->delta_high, &b->delta_high,
			    sizeof a->delta_high);
	assert_memory_equal(&a->q, &b->q, sizeof a->q);
}

/* Halves and sides of so many functions are looked at at once. */
static void test_one_processor_or_two(void **state)
{
	char *after = many_stacks(true), *before = many_stacks(false);
	struct result alone;
	size_t changes = 0, tested = 0;

	make_cpu_profile(&many.slow, after);
	make_cpu_profile(&many.baseline, before);
	assert_true(many.slow.function_count > MANY);
	on_one_processor(rank_many, state);
	alone = many.result;
	rank_many(state);
	assert_int_equal(many.result.function_count, alone.function_count);
	for (size_t i = 0; i < alone.function_count; i++) {
		assert_same_row(&many.result.functions[i], &alone.functions[i]);
		changes += alone.functions[i].change == CHANGE_GROWN;
		tested += isnan(alone.functions[i].q) ? 0 : 1;
	}
	assert_true(changes > 0);
	/* Those that are large enough for a change that is told. */
	assert_true(tested > 0);
	arena_release(&alone.arena);
	release(&many);
	free(after);
	free(before);
}

UNIT_TESTS(rank)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_baseline),
		cmocka_unit_test(test_listed),
		cmocka_unit_test(test_what_was_cut_off_is_last),
		cmocka_unit_test(test_addresses_answer_nothing),
		cmocka_unit_test(test_measures),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_idle_rows),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_input_order_does_not_matter),
		cmocka_unit_test(test_no_change_is_quiet),
		cmocka_unit_test(test_one_processor_or_two),
	};

	return cmocka_run_group_tests_name("analyze/rank", tests, NULL, NULL);
}
