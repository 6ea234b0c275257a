/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/source.h"

#include "../wire/support.h"

static struct name_list list_of(struct str *items, size_t count)
{
	return (struct name_list){ items, count };
}

static void test_nearest_names_best_first(void **state)
{
	struct str items[] = {
		STR("Checkout"),     STR("cart"),
		STR("checkout.cpu"), STR("checkuot"),
		STR("ebpf/prod/x"),  STR("prod/checkout"),
		STR("checkout2"),    STR("my-checkout-service"),
	};
	const struct name_list list = list_of(items, COUNT(items));
	struct str near[8];

	(void)state;
	assert_int_equal(nearest_names(&list, STR("checkout"), near, 8), 6);
	assert_true(str_equal(near[0], STR("Checkout")));
	assert_true(str_equal(near[1], STR("checkout.cpu")));
	assert_true(str_equal(near[2], STR("prod/checkout")));
	/* Whole within another comes before letters that differ. */
	assert_true(str_equal(near[3], STR("my-checkout-service")));
	assert_true(str_equal(near[4], STR("checkout2")));
	assert_true(str_equal(near[5], STR("checkuot")));
	assert_int_equal(nearest_names(&list, STR("checkout"), near, 2), 2);
	assert_true(str_equal(near[1], STR("checkout.cpu")));
}

static void test_a_name_within_another(void **state)
{
	struct str items[] = { STR("payment-h02"), STR("payment-h36s"),
			       STR("payment_h36_prod") };
	const struct name_list list = list_of(items, COUNT(items));
	struct str near[3];

	(void)state;
	assert_int_equal(nearest_names(&list, STR("payment-h36"), near, 3), 3);
	assert_true(str_equal(near[0], STR("payment_h36_prod")));
	assert_true(str_equal(near[1], STR("payment-h36s")));
	assert_true(str_equal(near[2], STR("payment-h02")));
}

static void test_separators_and_long_names(void **state)
{
	static char long_name[70000];
	struct str items[] = { STR("user_db"),
			       { long_name, sizeof long_name } };
	const struct name_list list = list_of(items, COUNT(items));
	struct str near[4];

	(void)state;
	memset(long_name, 'a', sizeof long_name);
	assert_int_equal(nearest_names(&list, STR("user-db"), near, 4), 1);
	assert_true(str_equal(near[0], STR("user_db")));
	assert_int_equal(nearest_names(&list, STR("zzz"), near, 4), 0);
	assert_int_equal(nearest_names(&list, STR(""), near, 4), 0);
	assert_int_equal(nearest_names(&list, STR("user-db"), near, 0), 0);
}

static const char *const go_types[] = {
	"block:contentions:count:contentions:count",
	"block:delay:nanoseconds:contentions:count",
	"goroutines:goroutine:count:goroutine:count",
	"memory:alloc_space:bytes:space:bytes",
	"memory:inuse_space:bytes:space:bytes",
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds",
	"process_cpu:samples:count:cpu:nanoseconds",
};

static const char *const java_types[] = {
	"memory:alloc_in_new_tlab_bytes:bytes:space:bytes",
	"memory:live:count:objects:count",
	"mutex:delay:nanoseconds:mutex:count",
	"process_cpu:cpu:nanoseconds::nanoseconds",
	"wall:wall:nanoseconds:wall:nanoseconds",
};

/* Room for the larger of the two. */
struct types {
	struct str items[8];
	struct name_list list;
};

static const struct name_list *types_init(struct types *t,
					  const char *const *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		t->items[i] = str_from(ids[i]);
	t->list = list_of(t->items, count);
	return &t->list;
}

static void check_type(const struct name_list *present, const char *word,
		       const char *want, bool want_gauge)
{
	struct arena arena;
	struct error err;
	struct str id;
	bool is_gauge;

	arena_init(&arena, MIB);
	assert_true(profile_type_resolve(str_from(word), present, &arena, &id,
					 &is_gauge, &err));
	assert_string_equal(id.ptr, want);
	assert_int_equal(is_gauge, want_gauge);
	arena_release(&arena);
}

static void test_words_mean_what_the_service_has(void **state)
{
	struct types go_room, java_room;
	const struct name_list *go =
		types_init(&go_room, go_types, COUNT(go_types));
	const struct name_list *java =
		types_init(&java_room, java_types, COUNT(java_types));
	const struct name_list none = { NULL, 0 };

	(void)state;
	check_type(go, "cpu", "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
		   false);
	check_type(java, "CPU", "process_cpu:cpu:nanoseconds::nanoseconds",
		   false);
	check_type(go, "goroutine",
		   "goroutines:goroutine:count:goroutine:count", true);
	check_type(go, "heap", "memory:inuse_space:bytes:space:bytes", true);
	check_type(java, "inuse", "memory:live:count:objects:count", true);
	check_type(java, "alloc",
		   "memory:alloc_in_new_tlab_bytes:bytes:space:bytes", false);
	check_type(go, "lock", "block:delay:nanoseconds:contentions:count",
		   false);
	check_type(java, "wall", "wall:wall:nanoseconds:wall:nanoseconds",
		   false);
	check_type(go, "samples", "process_cpu:samples:count:cpu:nanoseconds",
		   false);
	check_type(&none, "cpu", "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
		   false);
	check_type(&none, "inuse", "memory:inuse_space:bytes:space:bytes",
		   true);
	check_type(go, "a:b:c:d:e", "a:b:c:d:e", false);
	check_type(&none, "memory:inuse_space:bytes::",
		   "memory:inuse_space:bytes::", true);
}

/* As Cloud Profiler calls its types. */
static void test_words_of_google(void **state)
{
	static const char *const types[] = {
		"goroutine:goroutine:count:goroutine:count",
		"memory:alloc_space:bytes:space:bytes",
		"memory:peak_space:bytes:space:bytes",
		"mutex:delay:nanoseconds:contentions:count",
	};
	struct types room;
	const struct name_list *list = types_init(&room, types, COUNT(types));

	(void)state;
	check_type(list, "THREADS", types[0], true);
	check_type(list, "HEAP_ALLOC", types[1], false);
	check_type(list, "peak", types[2], true);
	check_type(list, "PEAK_HEAP", types[2], true);
	check_type(list, "CONTENTION", types[3], false);
}

static void test_absent_and_unknown_types(void **state)
{
	struct types go_room;
	const struct name_list *go =
		types_init(&go_room, go_types, COUNT(go_types));
	const struct name_list none = { NULL, 0 };
	struct arena arena;
	struct error err;
	struct str id;
	bool is_gauge;

	(void)state;
	arena_init(&arena, MIB);
	assert_false(profile_type_resolve(STR("wall"), go, &arena, &id,
					  &is_gauge, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_contains(err.message, "block:delay");
	assert_contains(err.message, "process_cpu:cpu");
	assert_false(profile_type_resolve(STR("cpuu"), go, &arena, &id,
					  &is_gauge, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_false(profile_type_resolve(STR("cpuu"), &none, &arena, &id,
					  &is_gauge, &err));
	assert_false(profile_type_resolve(STR(""), go, &arena, &id, &is_gauge,
					  &err));
	arena_release(&arena);
}

static void check_word(const struct name_list *present, const char *id,
		       const char *want)
{
	assert_true(str_equal(profile_type_word(str_from(id), present),
			      str_from(want)));
}

/* The word of an id is the one that finds it again. */
static void test_words_of_ids(void **state)
{
	struct types go_room, java_room;
	const struct name_list *go =
		types_init(&go_room, go_types, COUNT(go_types));
	const struct name_list *java =
		types_init(&java_room, java_types, COUNT(java_types));

	(void)state;
	check_word(go, "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "cpu");
	check_word(go, "process_cpu:samples:count:cpu:nanoseconds", "");
	check_word(go, "block:contentions:count:contentions:count", "");
	check_word(java, "process_cpu:cpu:nanoseconds::nanoseconds", "cpu");
	check_word(java, "memory:live:count:objects:count", "inuse");
	check_word(java, "memory:alloc_in_new_tlab_bytes:bytes:space:bytes",
		   "alloc");
	assert_true(
		profile_type_is_gauge(STR("goroutines:goroutine:count:::")));
	assert_false(profile_type_is_gauge(STR("memory:alloc_space:bytes::")));
}

UNIT_TESTS(names)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest_names_best_first),
		cmocka_unit_test(test_a_name_within_another),
		cmocka_unit_test(test_separators_and_long_names),
		cmocka_unit_test(test_words_mean_what_the_service_has),
		cmocka_unit_test(test_words_of_google),
		cmocka_unit_test(test_absent_and_unknown_types),
		cmocka_unit_test(test_words_of_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
