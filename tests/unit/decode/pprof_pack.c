/* SPDX-License-Identifier: Apache-2.0
 *
 * Which samples stay packed and which must be put into order. That both say
 * the same the other tests of pprof check on every message of theirs.
 */
#include "../unit.h"
#include "base/num.h"
#include "decode/pprof.h"
#include "pprof_making.h"

/* Locations 1..3 of functions 1..3; the last one is of two lines, function 3
 * inlined into 2. */
static void put_tables(struct buf *b)
{
	static const char *const texts[] = { "",        "cpu",  "nanoseconds",
					     "main",    "work", "leaf",
					     "samples", "count" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_bytes(b, 6, str_from(texts[i]));
	for (uint64_t i = 1; i <= 3; i++) {
		struct buf location;

		buf_init(&location, MIB);
		put_int(&location, 1, i);
		PUT_INTS(&location, 4, i, 10 * i);
		if (i == 3)
			PUT_INTS(&location, 4, 2, 25);
		put_bytes(b, 4, buf_str(&location));
		buf_release(&location);
		PUT_INTS(b, 5, i, i + 2);
	}
}

/* Of a type that counts its samples itself, so that no period is sought. */
static void start(struct buf *b)
{
	buf_init(b, 64 * MIB);
	PUT_INTS(b, 1, 6, 7);
}

static void summed(struct buf *b, struct profile *p)
{
	struct profile_want want = want_of("");
	struct profile ordered;
	struct notes said;

	put_tables(b);
	notes_init(&said);
	assert_decoded(decode_summed(buf_str(b), &want, p, &said, &err));
	assert_decoded(decode(buf_str(b), "", &ordered));
	profile_release(&ordered);
	buf_release(b);
}

static void assert_summed(struct buf *b, bool is_packed)
{
	struct profile p;

	summed(b, &p);
	assert_int_equal(p.packed != NULL, is_packed);
	profile_release(&p);
}

static void test_stacks_come_as_they_are(void **state)
{
	static const uint32_t depths[] = { 4, 1, 4 };
	static const int64_t values[] = { 300, 5, 70000 };
	struct stack_walk w;
	struct profile p;
	struct buf b;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, 300, 3, 2, 1);
	PUT_SAMPLE(&b, 0, 3, 1);
	PUT_SAMPLE(&b, 5, 1);
	PUT_SAMPLE(&b, 70000, 3, 2, 1);
	summed(&b, &p);
	assert_non_null(p.packed);
	assert_int_equal(p.stack_count, 3);
	assert_int_equal(p.total, 70305);
	assert_int_equal(profile_divisor(&p), 5);
	stack_walk_init(&w, &p);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(stack_walk_next(&w));
		assert_int_equal(w.index, i + 1);
		assert_int_equal(w.count, depths[i]);
		assert_true(w.value == values[i]);
	}
	assert_false(stack_walk_next(&w));
	profile_release(&p);
}

/* Units get smaller from one to the next, or stay. */
static const int64_t halves[] = {
	INT64_C(3) << 40, INT64_C(9) << 40, 768, 96, 96, 1, 1000
};

static void put_halves(struct buf *b, size_t count, int64_t *sum)
{
	start(b);
	*sum = 0;
	for (size_t i = 0; i < count; i++) {
		PUT_SAMPLE(b, halves[i], 1 + i % 3, 1);
		*sum += halves[i];
	}
}

static void test_smaller_units(void **state)
{
	struct stack_walk w;
	struct profile p;
	struct buf b;
	int64_t sum;

	(void)state;
	put_halves(&b, COUNT_OF(halves), &sum);
	summed(&b, &p);
	assert_non_null(p.packed);
	assert_true(p.total == sum);
	assert_int_equal(profile_divisor(&p), 1);
	stack_walk_init(&w, &p);
	for (size_t i = 0; i < COUNT_OF(halves); i++) {
		assert_true(stack_walk_next(&w));
		assert_true(w.value == halves[i]);
	}
	profile_release(&p);
}

/* One that is put off to be ordered has no unit. */
static void test_units_of_stacks_to_be_ordered(void **state)
{
	struct profile p;
	struct buf b;
	int64_t sum;

	(void)state;
	put_halves(&b, 5, &sum);
	PUT_SAMPLE(&b, -7, 2, 1);
	PUT_SAMPLE(&b, 21, 3, 1);
	summed(&b, &p);
	assert_null(p.packed);
	assert_true(p.total == sum + 14);
	profile_release(&p);
}

static void test_values_that_may_cancel_out(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, 5, 2, 1);
	PUT_SAMPLE(&b, -5, 2, 1);
	PUT_SAMPLE(&b, 1, 1);
	assert_summed(&b, false);
}

static void test_largest_total(void **state)
{
	const int64_t most = INT64_MAX / LIMIT_STACK_FRAMES;
	struct buf b;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, most - 1, 1);
	PUT_SAMPLE(&b, 1, 2, 1);
	assert_summed(&b, true);
	start(&b);
	PUT_SAMPLE(&b, most - 1, 1);
	PUT_SAMPLE(&b, 2, 2, 1);
	assert_summed(&b, false);
}

static void test_stack_without_frames(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, 1, 1);
	put_sample(&b, NULL, 0, 1);
	assert_summed(&b, false);
}

/* Counted, and nothing else. */
static void test_stacks_left_out(void **state)
{
	struct profile_want want = want_of("");
	struct profile ordered, later;
	struct notes said;
	struct buf b;

	(void)state;
	want.omits_stackless = want.packs_for_later = true;
	start(&b);
	PUT_SAMPLE(&b, 3, 1);
	put_sample(&b, NULL, 0, 4);
	PUT_SAMPLE(&b, 1, 1);
	put_tables(&b);
	notes_init(&said);
	profile_init(&ordered);
	assert_decoded(decode_pprof(buf_str(&b), &want, &ordered, &said, &err));
	assert_decoded(decode_later(buf_str(&b), &want, &later, &said, &err));
	assert_int_equal(later.stack_count, 1);
	assert_int_equal(later.whole_total, 8);
	assert_same_profile(&ordered, &later);
	profile_release(&ordered);
	profile_release(&later);
	buf_release(&b);
}

/* The inlined line counts. */
static void test_deepest_stack(void **state)
{
	uint64_t ids[LIMIT_STACK_FRAMES];
	struct buf b;

	(void)state;
	for (size_t i = 0; i < LIMIT_STACK_FRAMES; i++)
		ids[i] = i ? 2 : 3;
	for (size_t more = 0; more < 2; more++) {
		start(&b);
		put_sample(&b, ids, LIMIT_STACK_FRAMES - 1 + more, 1);
		assert_summed(&b, !more);
	}
}

static size_t asked_bytes;

static int count_asked(size_t size)
{
	asked_bytes += size;
	return 1;
}

static size_t bytes_to_decode(struct str bytes, bool is_summed)
{
	struct profile_want want = want_of("");
	struct profile p;

	if (is_summed)
		want.packed_max_bytes = UINT64_MAX;
	notes_init(&notes);
	profile_init(&p);
	asked_bytes = 0;
	mem_set_gate(count_asked);
	assert_decoded(decode_pprof(bytes, &want, &p, &notes, &err));
	mem_set_gate(NULL);
	assert_null(p.packed);
	assert_int_equal(p.stack_count, 1);
	profile_release(&p);
	return asked_bytes;
}

/* Too deep to stay packed, which is found out before all the places, whose
 * names take room, are unfolded. */
static void test_deep_stacks_are_unfolded_once(void **state)
{
	static uint64_t ids[LIMIT_STACK_FRAMES];
	char file[1000];
	struct buf b;

	(void)state;
	start(&b);
	for (size_t i = 0; i < LIMIT_STACK_FRAMES; i++) {
		struct buf location;

		ids[i] = i + 4;
		buf_init(&location, MIB);
		put_int(&location, 1, i + 4);
		put_int(&location, 2, 1);
		put_int(&location, 3, 4096 + i);
		PUT_INTS(&location, 4, 0, 1);
		PUT_INTS(&location, 4, 0, 2);
		put_bytes(&b, 4, buf_str(&location));
		buf_release(&location);
	}
	put_sample(&b, ids, LIMIT_STACK_FRAMES, 5);
	put_tables(&b);
	PUT_INTS(&b, 3, 1, 0, 0, 0, 8);
	memset(file, 'f', sizeof file);
	put_bytes(&b, 6, (struct str){ file, sizeof file });
	assert_true(bytes_to_decode(buf_str(&b), true) <
		    bytes_to_decode(buf_str(&b), false) * 11 / 10);
	buf_release(&b);
}

/* One place in four stacks' depth, whose sum would be 2^64: nothing. */
static void test_deeper_than_a_stack(void **state)
{
	static uint64_t ids[4 * LIMIT_STACK_FRAMES];
	struct buf b;

	(void)state;
	for (size_t i = 0; i < 4 * LIMIT_STACK_FRAMES; i++)
		ids[i] = 2;
	start(&b);
	put_sample(&b, ids, 4 * LIMIT_STACK_FRAMES, INT64_C(1) << 50);
	assert_summed(&b, false);
}

static void test_many_types(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	for (int i = 0; i < 4; i++)
		PUT_INTS(&b, 1, 6, 7);
	put_bytes(&b, 2, STR("\x0a\x02\x02\x01\x12\x05\x01\x02\x03\x04\x05"));
	put_bytes(&b, 2, STR("\x0a\x02\x03\x01\x12\x05\x06\x07\x08\x09\x0a"));
	assert_summed(&b, true);
}

/* Stacks that are packed have a ceiling, as an arena has. */
static void test_ceiling(void **state)
{
	struct pprof p = { .sample_count = 0 };
	const uint64_t id = 1;
	struct pprof_pack pack;

	(void)state;
	arena_init(&p.scratch, MIB);
	assert_true(pprof_pack_init(&pack, &p, &err));
	assert_true(pprof_pack_add(&pack, &id, 1, 1, &err));
	pack.room = pack.last->len;
	pack.size_bytes = LIMIT_DECODE_HEAP_BYTES;
	assert_false(pprof_pack_add(&pack, &id, 1, 1, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	pprof_pack_release(&pack);
	arena_release(&p.scratch);
}

static void test_period_sought_in_values(void **state)
{
	struct buf b;

	(void)state;
	for (int has_period = 0; has_period < 2; has_period++) {
		buf_init(&b, MIB);
		PUT_INTS(&b, 1, 1, 2);
		if (has_period) {
			PUT_INTS(&b, 11, 1, 2);
			put_int(&b, 12, 10000000);
		}
		PUT_SAMPLE(&b, 20000000, 2, 1);
		assert_summed(&b, has_period);
	}
}

static void test_fields_between_samples(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, 1, 1);
	put_int(&b, 9, 1);
	PUT_SAMPLE(&b, 2, 1);
	assert_summed(&b, true);
}

static void test_ids_that_are_hashes(void **state)
{
	struct buf b, location;
	struct profile p;
	struct profile_want want = want_of("");
	struct notes said;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, 1, UINT64_MAX - 1);
	put_tables(&b);
	buf_init(&location, MIB);
	put_int(&location, 1, UINT64_MAX - 1);
	PUT_INTS(&location, 4, 1);
	put_bytes(&b, 4, buf_str(&location));
	buf_release(&location);
	notes_init(&said);
	assert_decoded(decode_summed(buf_str(&b), &want, &p, &said, &err));
	assert_null(p.packed);
	profile_release(&p);
	buf_release(&b);
}

/* Of functions as their ids say; in front of them come the ones inlined. */
static void put_location(struct buf *b, uint64_t id, const uint64_t *functions,
			 size_t count)
{
	struct buf location;

	buf_init(&location, MIB);
	put_int(&location, 1, id);
	for (size_t i = 0; i < count; i++)
		PUT_INTS(&location, 4, functions[i], 100 * id + i);
	put_bytes(b, 4, buf_str(&location));
	buf_release(&location);
}

/* Of one, two and three frames; with ids of one to four bytes as varints, and
 * two and three when packed: 65535 is there before and after. The last one ends
 * like 16386, and its first byte is that of 1. */
static void test_places_of_several_frames(void **state)
{
	static const uint64_t ids[] = { 100,     300,     16384,  65536,
					2097151, 2097152, 2097409 };
	static const uint64_t functions[] = { 1, 2, 3 };
	struct buf b;

	(void)state;
	start(&b);
	/* Others, so that those ids are small ones. */
	for (uint64_t id = 6; id <= ids[COUNT_OF(ids) - 1]; id += 3)
		if (id != 300)
			put_location(&b, id, functions, 1);
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		put_location(&b, ids[i], functions, 1 + i % 3);
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		PUT_SAMPLE(&b, 7, ids[i], 3, 1);
		PUT_SAMPLE(&b, 11, 2, ids[i], ids[i], 1);
		PUT_SAMPLE(&b, 13, ids[i]);
		PUT_SAMPLE(&b, 17, ids[i], 65535, 1);
		PUT_SAMPLE(&b, 19, 65535, 65535, 1);
	}
	assert_summed(&b, true);
}

/* The second stack wants a chunk of its own, and then, for the one large id,
 * one of wider ids: the first of both stays empty. */
static void assert_empty_chunk(uint64_t large, bool is_packed)
{
	static const uint64_t functions[] = { 1 };
	uint64_t ids[LIMIT_STACK_FRAMES - 10];
	struct buf b;

	start(&b);
	/* Others, so that 65536 is a small one. */
	for (uint64_t id = 6; id < 65536; id += 3)
		put_location(&b, id, functions, 1);
	put_location(&b, large, functions, 1);
	for (size_t i = 0; i < COUNT_OF(ids); i++)
		ids[i] = 1 + i % 2;
	ids[0] = large;
	PUT_SAMPLE(&b, 7, 2, 1);
	put_sample(&b, ids, COUNT_OF(ids), 5);
	PUT_SAMPLE(&b, 11, 2, 1);
	assert_summed(&b, is_packed);
}

static void test_empty_chunk(void **state)
{
	(void)state;
	assert_empty_chunk(65536, true);
	assert_empty_chunk(UINT64_C(1) << 63, false);
}

/* Two pieces, single ids, longer varints than needed: all are the same. */
static void test_ids_in_pieces(void **state)
{
	const struct str samples[] = {
		STR("\x0a\x02\x03\x02\x0a\x01\x01\x12\x01\x05"),
		STR("\x08\x03\x08\x02\x0a\x01\x01\x12\x01\x05"),
		STR("\x0a\x02\x03\x02\x08\x01\x12\x01\x05"),
		STR("\x0a\x00\x0a\x03\x03\x02\x01\x12\x01\x05"),
		STR("\x0a\x05\x83\x00\x82\x00\x01\x12\x01\x05"),
		STR("\x0a\x06\x03\x82\x80\x80\x00\x01\x12\x01\x05"),
		STR("\x12\x01\x05\x0a\x03\x03\x02\x01"),
	};
	struct profile p;
	struct buf b;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct stack_walk w;

		start(&b);
		put_bytes(&b, 2, samples[i]);
		summed(&b, &p);
		assert_non_null(p.packed);
		stack_walk_init(&w, &p);
		assert_true(stack_walk_next(&w));
		assert_int_equal(w.count, 4);
		assert_true(w.value == 5);
		profile_release(&p);
	}
}

/* Also of samples that say nothing. */
static void test_ids_that_end_early(void **state)
{
	const struct str samples[] = {
		STR("\x0a\x02\x03\x82\x12\x01\x05"),
		STR("\x0a\x02\x03\x82\x12\x01\x00"),
		STR("\x0a\x02\x03\x82\x0a\x01\x01\x12\x01\x05"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct buf b;
		struct profile p;

		start(&b);
		put_bytes(&b, 2, samples[i]);
		put_tables(&b);
		assert_refused(decode(buf_str(&b), "", &p), ERROR_FORMAT,
			       "is damaged or cut off");
		profile_release(&p);
		buf_release(&b);
	}
}

static void test_missing_location(void **state)
{
	static const uint64_t ids[] = { 0, 4, 1000000 };

	(void)state;
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct buf b;
		struct profile p;

		start(&b);
		PUT_SAMPLE(&b, 1, ids[i], 1);
		put_tables(&b);
		assert_refused(decode(buf_str(&b), "", &p), ERROR_FORMAT,
			       "is missing");
		profile_release(&p);
		buf_release(&b);
	}
}

/* In an arena of so many bytes. */
static bool decode_within(const struct buf *b, size_t max_bytes,
			  struct profile *p)
{
	struct profile_want want = want_of("");
	struct notes said;

	notes_init(&said);
	want.packed_max_bytes = UINT64_MAX;
	profile_init(p);
	p->arena.max_bytes = max_bytes;
	return decode_pprof(buf_str(b), &want, p, &said, &err);
}

static size_t packed_bytes(const struct profile *p)
{
	size_t sum = 0;

	for (const struct packed_chunk *c = p->packed->chunks; c; c = c->next)
		sum += c->len;
	return sum;
}

/* They are memory of the model as its arrays are; chunks have some to spare. */
static void test_stacks_count_as_memory(void **state)
{
	size_t stacks, others;
	struct profile p;
	struct buf b;

	(void)state;
	start(&b);
	for (unsigned i = 0; i < 200000; i++)
		PUT_SAMPLE(&b, 5, 3, 2, 1);
	put_tables(&b);
	assert_true(decode_within(&b, 64 * MIB, &p));
	assert_non_null(p.packed);
	stacks = packed_bytes(&p);
	others = p.arena.used_bytes;
	assert_true(others < stacks / 2);
	profile_release(&p);
	assert_true(decode_within(&b, stacks * 3 / 2 + others, &p));
	profile_release(&p);
	assert_false(decode_within(&b, stacks - 1, &p));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.message, "the limit for one input"));
	error_clear(&err);
	profile_release(&p);
	buf_release(&b);
}

/* A location without lines and functions that nothing is of, none of which is a
 * row. */
static void put_unusual(struct buf *b)
{
	struct buf location;

	buf_init(&location, MIB);
	put_int(&location, 1, 4);
	put_int(&location, 2, UINT64_C(1) << 16);
	put_bytes(b, 4, buf_str(&location));
	buf_release(&location);
	PUT_INTS(b, 3, UINT64_C(1) << 16, 0, 0, 0, 3);
	for (uint64_t i = 0; i < 100; i++)
		PUT_INTS(b, 5, 100 + i, UINT64_C(1) << 40);
}

/* Refuses one allocation more each time. */
static void starve(struct str bytes, const struct profile_want *want)
{
	struct error starved = { 0 };
	bool is_refused = true;
	struct notes said;

	for (long count = 0; is_refused; count++) {
		struct profile p;
		bool is_done;

		notes_init(&said);
		profile_init(&p);
		error_clear(&starved);
		arena_set_unshared(true);
		starve_after(count);
		is_done = decode_pprof(bytes, want, &p, &said, &starved) &&
			  profile_unpack(&p, &starved);
		is_refused = stop_starving();
		arena_set_unshared(false);
		/* Giving back memory may fail: then it is kept. */
		if (!is_done)
			assert_int_equal(starved.code, ERROR_MEMORY);
		else
			assert_int_equal(p.total, 305);
		profile_release(&p);
	}
}

static void test_starvation(void **state)
{
	struct profile_want want = want_of("");
	struct buf b;

	(void)state;
	want.packed_max_bytes = UINT64_MAX;
	start(&b);
	PUT_SAMPLE(&b, 300, 3, 2, 1);
	PUT_SAMPLE(&b, 5, 4, 1);
	put_tables(&b);
	put_unusual(&b);
	starve(buf_str(&b), &want);
	want.packs_for_later = true;
	starve(buf_str(&b), &want);
	buf_release(&b);
}

UNIT_TESTS(pprof_pack)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_come_as_they_are),
		cmocka_unit_test(test_smaller_units),
		cmocka_unit_test(test_units_of_stacks_to_be_ordered),
		cmocka_unit_test(test_values_that_may_cancel_out),
		cmocka_unit_test(test_largest_total),
		cmocka_unit_test(test_stack_without_frames),
		cmocka_unit_test(test_stacks_left_out),
		cmocka_unit_test(test_deepest_stack),
		cmocka_unit_test(test_deep_stacks_are_unfolded_once),
		cmocka_unit_test(test_deeper_than_a_stack),
		cmocka_unit_test(test_many_types),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_period_sought_in_values),
		cmocka_unit_test(test_fields_between_samples),
		cmocka_unit_test(test_ids_that_are_hashes),
		cmocka_unit_test(test_places_of_several_frames),
		cmocka_unit_test(test_empty_chunk),
		cmocka_unit_test(test_ids_in_pieces),
		cmocka_unit_test(test_ids_that_end_early),
		cmocka_unit_test(test_missing_location),
		cmocka_unit_test(test_stacks_count_as_memory),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
