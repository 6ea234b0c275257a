/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of pprof without some of their types.
 */
#include "../unit.h"
#include "pprof_making.h"

static void leave_out(struct str bytes, uint64_t types, struct buf *out)
{
	buf_init(out, GIB);
	if (!pprof_leave_out(bytes, types, out, &err))
		fail_msg("%s", err.message);
}

/* Types 0 and 1 are what was allocated, 2 and 3 what is in use. */
static void test_heap(void **state)
{
	struct buf bytes, less;
	struct profile whole, p;

	(void)state;
	read_fixture("pprof/real-go-heap.pb.gz", &bytes);
	leave_out(buf_str(&bytes), 3, &less);
	assert_decoded(decode(buf_str(&bytes), "inuse", &whole));
	assert_decoded(decode(buf_str(&less), "", &p));
	assert_int_equal(p.type_count, 2);
	assert_true(str_equal(profile_type_name(&p), STR("inuse_space")));
	assert_int_equal(p.total, whole.total);
	assert_int_equal(p.stack_count, whole.stack_count);
	assert_int_equal(p.time_ns, whole.time_ns);
	profile_release(&p);
	assert_refused(decode(buf_str(&less), "alloc", &p), ERROR_NOT_FOUND,
		       "inuse_space");
	profile_release(&p);
	profile_release(&whole);
	assert_true(less.len < bytes.len);
	buf_release(&less);
	/* Nothing is left out: the same message. */
	leave_out(buf_str(&bytes), 0, &less);
	assert_decoded(decode(buf_str(&less), "alloc", &p));
	assert_int_equal(p.total, 1309519693);
	profile_release(&p);
	buf_release(&less);
	buf_release(&bytes);
}

/* A value a field, a default type that is no more, and a sample that counted
 * only what is left out. */
static void test_forms(void **state)
{
	static const char *const texts[] = { "", "alloc_space", "bytes",
					     "inuse_space", "main" };
	const uint64_t type = 1;
	struct buf b, inner, less;
	struct profile p;

	(void)state;
	buf_init(&b, MIB);
	put_int(&b, 14, type);
	for (uint64_t i = 0; i < 2; i++) {
		buf_init(&inner, MIB);
		put_int(&inner, 2, 100 + i);
		put_int(&inner, 1, 1);
		put_int(&inner, 2, 5 * i);
		put_bytes(&b, 2, buf_str(&inner));
		buf_release(&inner);
	}
	PUT_INTS(&b, 1, 1, 2);
	PUT_INTS(&b, 1, 3, 2);
	buf_init(&inner, MIB);
	put_int(&inner, 1, 1);
	PUT_INTS(&inner, 4, 1);
	put_bytes(&b, 4, buf_str(&inner));
	buf_release(&inner);
	PUT_INTS(&b, 5, 1, 4);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_bytes(&b, 6, str_from(texts[i]));
	leave_out(buf_str(&b), 1, &less);
	assert_decoded(decode(buf_str(&less), "", &p));
	assert_int_equal(p.type_count, 1);
	assert_int_equal(p.total, 5);
	assert_int_equal(p.stack_count, 1);
	profile_release(&p);
	buf_release(&less);
	buf_release(&b);
}

static void test_damaged(void **state)
{
	struct buf bytes, less;

	(void)state;
	read_fixture("pprof/real-go-heap.pb.gz", &bytes);
	for (size_t len = 0; len < bytes.len; len += 7) {
		buf_init(&less, MIB);
		error_clear(&err);
		if (!pprof_leave_out(str_slice(buf_str(&bytes), 0, len), 3,
				     &less, &err))
			assert_int_equal(err.code, ERROR_FORMAT);
		buf_release(&less);
	}
	/* A sample whose values end within a number. */
	assert_refused(pprof_leave_out(STR("\x12\x03\x12\x01\xff"), 1, &less,
				       &err),
		       ERROR_FORMAT, "a sample cannot be read");
	buf_init(&less, 16);
	assert_refused(pprof_leave_out(buf_str(&bytes), 3, &less, &err),
		       ERROR_LIMIT, "");
	buf_release(&less);
	buf_release(&bytes);
}

UNIT_TESTS(pprof_types)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
