/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages made by hand: every order and form of fields that writers may use,
 * and those that none should.
 */
#include "../unit.h"
#include "base/num.h"
#include "pprof_making.h"

static void put_location(struct buf *b, uint64_t id, uint64_t function,
			 uint64_t line)
{
	struct buf inner;

	buf_init(&inner, MIB);
	put_int(&inner, 1, id);
	PUT_INTS(&inner, 4, function, line);
	put_bytes(b, 4, buf_str(&inner));
	buf_release(&inner);
}

static void put_strings(struct buf *b)
{
	static const char *const texts[] = { "",     "cpu",  "nanoseconds",
					     "main", "work", "leaf",
					     "a.c" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_bytes(b, 6, str_from(texts[i]));
}

/* Functions 1..3 (main, work, leaf in a.c) at locations 1..3. */
static void put_tables(struct buf *b)
{
	for (uint64_t i = 1; i <= 3; i++) {
		put_location(b, i, i, 10 * i);
		PUT_INTS(b, 5, i, i + 2, 0, 6);
	}
}

static void start(struct buf *b)
{
	buf_init(b, 64 * MIB);
	PUT_INTS(b, 1, 1, 2);
}

static void assert_not_decoded(struct buf *b, enum error_code code,
			       const char *part)
{
	struct profile p;

	assert_refused(decode(buf_str(b), "", &p), code, part);
	profile_release(&p);
	buf_release(b);
}

static void test_any_order_of_fields(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	PUT_SAMPLE(&b, 5, 3, 2, 1);
	PUT_SAMPLE(&b, 3, 2, 1);
	put_tables(&b);
	put_strings(&b);
	assert_decodes_to(&b, "main;work 3\nmain;work;leaf 5\n");

	buf_init(&b, MIB);
	put_strings(&b);
	put_tables(&b);
	PUT_SAMPLE(&b, 5, 3, 2, 1);
	PUT_SAMPLE(&b, 3, 2, 1);
	PUT_INTS(&b, 1, 1, 2);
	assert_decodes_to(&b, "main;work 3\nmain;work;leaf 5\n");
}

/* Unpacked numbers, packed ones in pieces, values before locations, labels
 * and fields nobody knows. */
static void test_any_form_of_numbers(void **state)
{
	struct buf b;
	struct buf sample;

	(void)state;
	start(&b);
	put_tables(&b);
	buf_init(&sample, MIB);
	put_int(&sample, 2, 7);
	put_int(&sample, 1, 3);
	put_packed(&sample, 1, (const uint64_t[]){ 2 }, 1);
	put_int(&sample, 99, 1);
	PUT_INTS(&sample, 3, 1, 2);
	put_int(&sample, 1, 1);
	put_bytes(&b, 2, buf_str(&sample));
	put_bytes(&b, 77, STR("whatever"));
	put_strings(&b);
	buf_release(&sample);
	assert_decodes_to(&b, "main;work;leaf 7\n");
}

static void put_far_ids(struct buf *b, uint64_t factor, uint64_t offset)
{
	start(b);
	for (uint64_t i = 3; i > 0; i--) {
		uint64_t id = i * factor + offset;

		put_location(b, id, id + 1, i);
		PUT_INTS(b, 5, id + 1, i + 2, 0, 6);
	}
	PUT_SAMPLE(b, 9, 3 * factor + offset, 2 * factor + offset,
		   factor + offset);
	put_strings(b);
}

static void test_ids_need_not_count(void **state)
{
	struct buf b;

	(void)state;
	put_far_ids(&b, 1, 0);
	assert_decodes_to(&b, "main;work;leaf 9\n");
	put_far_ids(&b, 3, 0);
	assert_decodes_to(&b, "main;work;leaf 9\n");
	put_far_ids(&b, 1000, UINT64_MAX - 4000);
	assert_decodes_to(&b, "main;work;leaf 9\n");
	put_far_ids(&b, 200, 0);
	assert_decodes_to(&b, "main;work;leaf 9\n");
}

/* As a client of Pyroscope for .NET wrote them. */
static void test_functions_without_ids(void **state)
{
	struct buf b;

	(void)state;
	for (uint64_t factor = 1; factor <= 300; factor += 299) {
		start(&b);
		for (uint64_t i = 1; i <= 3; i++) {
			put_location(&b, i * factor, i * factor, 10 * i);
			PUT_INTS(&b, 5, 0, i + 2, 0, 6);
		}
		PUT_SAMPLE(&b, 9, 3 * factor, 2 * factor, factor);
		put_strings(&b);
		assert_decodes_to(&b, "main;work;leaf 9\n");
	}
	assert_int_equal(notes.count, 1);

	start(&b);
	put_tables(&b);
	put_location(&b, 4, 4, 1);
	PUT_INTS(&b, 5, 0, 3, 0, 6);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "function 4 has no id");

	start(&b);
	PUT_INTS(&b, 5, 0, 3, 0, 6);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "function 1 has no id");

	start(&b);
	PUT_INTS(&b, 3, 0, 0x1000);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "mapping 1 has no id");
}

static void test_inlined_lines_and_names(void **state)
{
	struct buf b;
	struct buf l;

	(void)state;
	start(&b);
	put_tables(&b);
	PUT_INTS(&b, 5, 4, 0, 5, 6); /* only a system name: leaf */
	PUT_INTS(&b, 5, 5);
	PUT_INTS(&b, 3, 1, 0x1000, 0x9000, 0x200, 6);
	buf_init(&l, MIB);
	put_int(&l, 1, 4);
	PUT_INTS(&l, 4, 4, 7);
	PUT_INTS(&l, 4, 2, 8);
	put_bytes(&b, 4, buf_str(&l));
	buf_release(&l);
	PUT_INTS(&b, 4, 5, 1, 0x1234);
	PUT_INTS(&b, 4, 6, 0, 0xabc);
	PUT_INTS(&b, 4, 7, 1);
	put_location(&b, 8, 5, 1);
	put_location(&b, 9, 0, 0);
	PUT_SAMPLE(&b, 1, 4, 1);
	PUT_SAMPLE(&b, 2, 5, 1);
	PUT_SAMPLE(&b, 3, 6, 1);
	PUT_SAMPLE(&b, 4, 7, 1);
	PUT_SAMPLE(&b, 5, 8, 1);
	PUT_SAMPLE(&b, 6, 9, 1);
	put_sample(&b, NULL, 0, 10);
	put_strings(&b);
	assert_decodes_to(&b, "[unknown] 10\n"
			      "main;0xabc 3\n"
			      "main;[a.c+0x434] 2\n"
			      "main;[a.c] 4\n"
			      "main;[unknown] 6\n"
			      "main;[unknown] 5\n"
			      "main;work;leaf 1\n");
}

static void test_equal_stacks_add_up(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	put_tables(&b);
	put_strings(&b);
	PUT_SAMPLE(&b, 5, 2, 1);
	PUT_SAMPLE(&b, 0, 3, 1);
	PUT_SAMPLE(&b, 6, 2, 1);
	PUT_SAMPLE(&b, 4, 3, 2, 1);
	PUT_SAMPLE(&b, -4, 3, 2, 1);
	PUT_SAMPLE(&b, -9, 1);
	assert_decodes_to(&b, "main -9\nmain;work 11\n");
}

static void test_sums_past_int64(void **state)
{
	struct buf b;
	struct profile p;

	(void)state;
	start(&b);
	put_tables(&b);
	put_strings(&b);
	PUT_SAMPLE(&b, INT64_MAX, 2, 1);
	PUT_SAMPLE(&b, 2, 2, 1);
	PUT_SAMPLE(&b, 5, 1);
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.stacks[1].value, INT64_MAX);
	assert_int_equal(p.total, INT64_MAX);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "64 bits"));
	profile_release(&p);
	buf_release(&b);
}

static void test_default_type_and_types_at_the_limit(void **state)
{
	struct buf b;
	struct buf sample;
	struct profile p;
	uint64_t values[LIMIT_SAMPLE_TYPES + 1];

	(void)state;
	for (unsigned count = LIMIT_SAMPLE_TYPES - 1;
	     count <= LIMIT_SAMPLE_TYPES; count++) {
		start(&b);
		for (unsigned i = 0; i < count; i++)
			PUT_INTS(&b, 1, 3 + i % 3, 2);
		for (unsigned i = 0; i <= count; i++)
			values[i] = 100 + i;
		buf_init(&sample, MIB);
		put_int(&sample, 1, 1);
		put_packed(&sample, 2, values, count + 1);
		put_bytes(&b, 2, buf_str(&sample));
		buf_release(&sample);
		put_tables(&b);
		put_strings(&b);
		put_int(&b, 14, 4);
		if (count == LIMIT_SAMPLE_TYPES) {
			assert_not_decoded(&b, ERROR_LIMIT,
					   "more than 64 sample types");
			continue;
		}
		assert_decoded(decode(buf_str(&b), "", &p));
		assert_int_equal(p.type, 2);
		assert_int_equal(p.total, 102);
		assert_int_equal(p.type_count, 64);
		profile_release(&p);
		buf_release(&b);
	}
}

static void test_deep_stacks_lose_their_middle(void **state)
{
	uint64_t ids[LIMIT_STACK_FRAMES + 4];
	struct buf b;
	struct profile p;

	(void)state;
	for (size_t i = 0; i < LIMIT_STACK_FRAMES + 4; i++)
		ids[i] = i < 2 ? 3 : 2;
	start(&b);
	put_tables(&b);
	put_strings(&b);
	ids[LIMIT_STACK_FRAMES - 1] = 1;
	put_sample(&b, ids, LIMIT_STACK_FRAMES, 1);
	ids[LIMIT_STACK_FRAMES - 1] = 2;
	ids[LIMIT_STACK_FRAMES + 3] = 1;
	put_sample(&b, ids, LIMIT_STACK_FRAMES + 4, 2);
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.stack_count, 2);
	assert_int_equal(p.stacks[0].frame_count, LIMIT_STACK_FRAMES);
	assert_int_equal(p.stacks[1].frame_count, LIMIT_STACK_FRAMES);
	assert_int_equal(p.total, 3);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "1 stacks deeper than 4096"));
	assert_int_not_equal(symtab_find(&p.symtab, STR("[5 frames trimmed]")),
			     TEXT_NONE);
	profile_release(&p);
	buf_release(&b);
}

static void test_long_names_are_cut(void **state)
{
	char *name = malloc(LIMIT_STRING_BYTES + 1);
	struct buf b;
	struct profile p;

	(void)state;
	memset(name, 'x', LIMIT_STRING_BYTES + 1);
	for (size_t more = 0; more < 2; more++) {
		start(&b);
		put_strings(&b);
		put_bytes(&b, 6,
			  (struct str){ name, LIMIT_STRING_BYTES + more });
		put_location(&b, 1, 1, 0);
		PUT_INTS(&b, 5, 1, 7);
		/* Another function of that name, which is read once. */
		put_location(&b, 2, 2, 0);
		PUT_INTS(&b, 5, 2, 7, 0, 1);
		PUT_SAMPLE(&b, 1, 1, 2);
		assert_decoded(decode(buf_str(&b), "", &p));
		assert_int_equal(p.function_count, 2);
		assert_int_equal(function_name(&p, 0).len, LIMIT_STRING_BYTES);
		assert_int_equal(notes.count, more);
		if (more)
			assert_true(str_starts(str_from(notes.text[0]),
					       STR("1 name")));
		profile_release(&p);
		buf_release(&b);
	}
	free(name);
}

/* A few bytes a sample that unfold into thousands of frames. */
static void test_unfolding_is_bounded(void **state)
{
	uint64_t ids[1000];
	struct buf b;
	struct buf l;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		ids[i] = 1;
	start(&b);
	buf_init(&l, MIB);
	put_int(&l, 1, 1);
	for (unsigned i = 0; i < 20000; i++)
		PUT_INTS(&l, 4, 1);
	put_bytes(&b, 4, buf_str(&l));
	buf_release(&l);
	PUT_INTS(&b, 5, 1, 3);
	put_strings(&b);
	for (unsigned i = 0; i < 60; i++)
		put_sample(&b, ids, 1000, 1);
	assert_not_decoded(&b, ERROR_LIMIT, "more than 400000000 frames");
}

/* One function in two programs and in none, by turns. */
static void put_shared_function(struct buf *b)
{
	static const uint64_t mappings[] = { 7, 9, 7, 0 };

	start(b);
	for (uint64_t i = 0; i < 4; i++) {
		struct buf inner;

		buf_init(&inner, MIB);
		put_int(&inner, 1, i + 1);
		put_int(&inner, 2, mappings[i]);
		PUT_INTS(&inner, 4, 1, i + 1);
		put_bytes(b, 4, buf_str(&inner));
		buf_release(&inner);
	}
	PUT_INTS(b, 3, 7, 0, 0, 0, 4);
	PUT_INTS(b, 3, 9, 0, 0, 0, 5);
	PUT_INTS(b, 5, 1, 3, 0, 6);
	put_strings(b);
	PUT_SAMPLE(b, 1, 4, 3, 2, 1);
}

static void test_function_in_many_mappings(void **state)
{
	static const char *const files[] = { "work", "leaf", "work", "" };
	struct profile_want want = want_of("");
	struct profile p;
	struct buf b;

	(void)state;
	put_shared_function(&b);
	for (int is_detailed = 0; is_detailed < 2; is_detailed++) {
		if (is_detailed)
			want.detail = PROFILE_DETAIL_PLACES;
		profile_init(&p);
		assert_decoded(
			decode_pprof(buf_str(&b), &want, &p, &notes, &err));
		assert_int_equal(p.function_count, is_detailed ? 3 : 1);
		assert_int_equal(p.frame_id_count, 4);
		for (size_t i = 0; i < 4; i++) {
			uint32_t frame = p.frame_ids[i];
			struct str file =
				function_mapping(&p, p.frames[frame].function);

			assert_int_equal(p.frames[frame].line, i + 1);
			assert_true(str_equal(
				file, str_from(is_detailed ? files[i] : "")));
		}
		profile_release(&p);
	}
	buf_release(&b);
}

/* Numbers at the edge of what a row holds, and beyond it. */
struct edge {
	const char *file;
	uint64_t mapping;
	uint64_t address;
	uint64_t function;
	uint64_t line;
	uint64_t column;
};

#define TOP_BIT (UINT64_C(1) << 47)

static const struct edge edges[] = {
	{ "", 0, 0, 1, 7, 0 },
	{ "leaf", UINT16_MAX, TOP_BIT - 1, 1, INT32_MAX, 0 },
	{ "a.c", UINT16_MAX + 1, 5, 1, (uint64_t)INT32_MAX + 1, 0 },
	{ "work", 7, TOP_BIT, 1, 3, 0 },
	{ "work", 7, UINT64_C(0xffffffff81000000), UINT32_MAX - 1, 3, 0 },
	{ "work", 7, UINT64_MAX, UINT32_MAX, 3, 0 },
	{ "work", 7, (uint64_t)INT64_MIN, UINT64_MAX, 3, 0 },
	{ "work", 7, -TOP_BIT, 1, 3, INT32_MAX },
	{ "work", 7, -TOP_BIT - 1, 1, 3, (uint64_t)INT32_MAX + 1 },
};

static void put_edges(struct buf *b, uint64_t first_id)
{
	uint64_t ids[COUNT_OF(edges)];

	start(b);
	for (size_t i = 0; i < COUNT_OF(edges); i++) {
		const struct edge *e = &edges[i];
		struct buf inner;

		ids[COUNT_OF(edges) - 1 - i] = first_id + i;
		buf_init(&inner, MIB);
		put_int(&inner, 1, first_id + i);
		put_int(&inner, 2, e->mapping);
		put_int(&inner, 3, e->address);
		PUT_INTS(&inner, 4, e->function, e->line, e->column);
		put_bytes(b, 4, buf_str(&inner));
		buf_release(&inner);
	}
	PUT_INTS(b, 3, 7, 0, 0, 0, 4);
	PUT_INTS(b, 3, UINT16_MAX, 0, 0, 0, 5);
	PUT_INTS(b, 3, UINT16_MAX + 1, 0, 0, 0, 6);
	PUT_INTS(b, 5, 1, 3, 0, 6);
	PUT_INTS(b, 5, UINT32_MAX - 1, 3, 0, 6);
	PUT_INTS(b, 5, UINT32_MAX, 3, 0, 6);
	PUT_INTS(b, 5, UINT64_MAX, 3, 0, 6);
	put_strings(b);
	put_sample(b, ids, COUNT_OF(ids), 1);
}

static void assert_edge(const struct profile *p, uint32_t frame,
			const struct edge *e)
{
	const struct whole_frame f = whole_frame(p, frame);
	uint64_t address =
		(uint64_t)f.detail.address_high << 32 | f.detail.address_low;

	assert_true(address == e->address);
	assert_int_equal(f.frame.line, e->line > INT32_MAX ? 0 : e->line);
	assert_int_equal(f.detail.column,
			 e->column > INT32_MAX ? 0 : e->column);
	assert_true(str_equal(function_mapping(p, f.frame.function),
			      str_from(e->file)));
}

static void test_edges_of_rows(void **state)
{
	static const uint64_t first_ids[] = { 1, 3, UINT64_C(1) << 40 };
	struct profile_want want = want_of("");

	(void)state;
	want.detail = PROFILE_DETAIL_ADDRESSES;
	for (size_t i = 0; i < COUNT_OF(first_ids); i++) {
		struct profile p;
		struct buf b;

		put_edges(&b, first_ids[i]);
		profile_init(&p);
		assert_decoded(
			decode_pprof(buf_str(&b), &want, &p, &notes, &err));
		assert_int_equal(p.stack_count, 1);
		assert_int_equal(p.frame_id_count, COUNT_OF(edges));
		for (size_t k = 0; k < COUNT_OF(edges); k++)
			assert_edge(&p, p.frame_ids[k], &edges[k]);
		profile_release(&p);
		assert_decodes_to(
			&b, "main;main;main;main;main;main;main;main;main 1\n");
	}
}

static void test_dangling_references(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	put_tables(&b);
	put_strings(&b);
	PUT_SAMPLE(&b, 1, 4, 1);
	assert_not_decoded(&b, ERROR_FORMAT, "location 4 is missing");

	start(&b);
	put_location(&b, 1, 9, 0);
	put_strings(&b);
	PUT_SAMPLE(&b, 1, 1);
	assert_not_decoded(&b, ERROR_FORMAT, "function 9 is missing");

	start(&b);
	put_location(&b, 1, 1, 0);
	PUT_INTS(&b, 5, 1, 50);
	put_strings(&b);
	PUT_SAMPLE(&b, 1, 1);
	assert_not_decoded(&b, ERROR_FORMAT, "string 50 is missing");

	start(&b);
	PUT_INTS(&b, 4, 1, 8, 5);
	put_strings(&b);
	PUT_SAMPLE(&b, 1, 1);
	assert_not_decoded(&b, ERROR_FORMAT, "mapping 8 is missing");

	start(&b);
	PUT_INTS(&b, 4, 0, 8);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "location 1 has no id");

	start(&b);
	put_location(&b, 1, 1, 0);
	PUT_INTS(&b, 5, 1, (UINT64_C(1) << 32) + 3);
	put_strings(&b);
	PUT_SAMPLE(&b, 1, 1);
	assert_not_decoded(&b, ERROR_FORMAT, "string 4294967299 is missing");
}

/* What is wrong with a table may be the fault of the input. */
static void test_tables_are_judged_at_the_end(void **state)
{
	struct buf b;

	(void)state;
	start(&b);
	PUT_INTS(&b, 4, 0, 8);
	PUT_INTS(&b, 5, 0, 3);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "location 1 has no id");

	start(&b);
	PUT_INTS(&b, 4, 0, 8);
	put_bytes(&b, 5, STR("\x08"));
	buf_add_char(&b, 0x12);
	assert_not_decoded(&b, ERROR_FORMAT, "ends");

	start(&b);
	PUT_INTS(&b, 4, 0, 8);
	for (size_t i = 0; i < LIMIT_SAMPLE_TYPES; i++)
		PUT_INTS(&b, 1, 1, 2);
	assert_not_decoded(&b, ERROR_LIMIT, "sample types");
}

static void test_nonsense_is_refused(void **state)
{
	struct buf b;
	struct buf sample;

	(void)state;
	buf_init(&b, MIB);
	put_tables(&b);
	put_strings(&b);
	PUT_SAMPLE(&b, 1, 1);
	assert_not_decoded(&b, ERROR_FORMAT, "no sample type");

	start(&b);
	put_tables(&b);
	put_strings(&b);
	buf_init(&sample, MIB);
	put_int(&sample, 1, 1);
	put_packed(&sample, 2, (const uint64_t[]){ 1, 2 }, 2);
	put_bytes(&b, 2, buf_str(&sample));
	buf_release(&sample);
	assert_not_decoded(&b, ERROR_FORMAT, "2 values for 1 sample types");

	start(&b);
	put_tables(&b);
	put_tables(&b);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "files joined");

	start(&b);
	put_location(&b, 1u << 20, 1, 1);
	put_location(&b, 1u << 20, 1, 1);
	put_strings(&b);
	assert_not_decoded(&b, ERROR_FORMAT, "two locations with id 1048576");
}

static void test_empty_forms(void **state)
{
	static const char blank[] = "\x0a\x00\x32\x00\x5a\x00";
	struct buf b;
	struct profile p;

	(void)state;
	assert_decoded(decode(STR(""), "cpu", &p));
	assert_int_equal(p.stack_count, 0);
	assert_int_equal(p.sample_count, 0);
	assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
	profile_release(&p);
	assert_decoded(decode((struct str){ blank, 6 }, "", &p));
	assert_int_equal(p.stack_count, 0);
	assert_int_equal(p.total, 0);
	profile_release(&p);
	start(&b);
	put_tables(&b);
	put_strings(&b);
	assert_decoded(decode(buf_str(&b), "alloc", &p));
	assert_int_equal(p.stack_count, 0);
	assert_int_equal(p.type_count, 1);
	profile_release(&p);
	buf_release(&b);
}

/* A first sample whose packed ids are there, but none in number. */
static void test_sample_without_ids(void **state)
{
	static const uint64_t none[1];
	struct buf b;
	struct profile p;

	(void)state;
	start(&b);
	put_sample(&b, none, 0, 4);
	PUT_SAMPLE(&b, 3, 2, 1);
	put_tables(&b);
	put_strings(&b);
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.stack_count, 2);
	assert_int_equal(p.total, 7);
	profile_release(&p);
	buf_release(&b);
}

/* As pprof has it: in the total, in no row. */
static void test_sample_without_ids_left_out(void **state)
{
	static const uint64_t none[1];
	const struct profile_want want = { .type = STR(""),
					   .omits_stackless = true };
	struct buf b;
	struct profile p;

	(void)state;
	start(&b);
	put_sample(&b, none, 0, 4);
	PUT_SAMPLE(&b, 3, 2, 1);
	put_tables(&b);
	put_strings(&b);
	profile_init(&p);
	assert_true(decode_profile(FORMAT_PPROF, buf_str(&b), &want, &p, NULL,
				   &err));
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.stack_count, 1);
	assert_int_equal(p.total, 3);
	assert_int_equal(p.whole_total, 7);
	assert_int_equal(p.omitted, 4);
	profile_release(&p);
	buf_release(&b);
}

/* Samples that are counted, with a period in time: as Parca's agent and the
 * profiler of OpenTelemetry write them. Strings: samples 1, count 2, cpu 3,
 * nanoseconds 4, wall 5, cycles 6, work 7. */
static void put_counted(struct buf *b, unsigned period_type, int64_t period)
{
	static const char *const texts[] = {
		"",	       "samples", "count",  "cpu",
		"nanoseconds", "wall",	  "cycles", "work",
	};

	buf_init(b, MIB);
	PUT_INTS(b, 1, 1, 2);
	PUT_SAMPLE(b, 3, 1, 2);
	PUT_SAMPLE(b, 4, 2);
	for (uint64_t i = 1; i <= 2; i++) {
		put_location(b, i, 1, i);
		PUT_INTS(b, 5, i, 7);
	}
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		put_bytes(b, 6, str_from(texts[i]));
	PUT_INTS(b, 11, period_type, period_type == 6 ? 2 : 4);
	put_int(b, 12, (uint64_t)period);
}

static void test_counted_samples_of_a_period(void **state)
{
	static const struct {
		unsigned period_type;
		int64_t period;
		const char *asked;
		const char *type;
		int64_t total;
		int64_t each;
	} cases[] = {
		{ 3, 50000000, "", "cpu", 350000000, 50000000 },
		{ 3, 52631578, "cpu", "cpu", 368421046, 52631578 },
		{ 5, 10000000, "", "wall", 70000000, 10000000 },
		{ 3, 50000000, "samples", "samples", 7, 1 },
		{ 3, 50000000, "samples/count", "samples", 7, 1 },
		/* Made up, none, and no time. */
		{ 3, 1000000000, "", "samples", 7, 1 },
		{ 3, 1, "", "samples", 7, 1 },
		{ 3, 0, "", "samples", 7, 1 },
		{ 6, 50000000, "", "samples", 7, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct profile p;
		struct buf b;

		put_counted(&b, cases[i].period_type, cases[i].period);
		assert_decoded(decode(buf_str(&b), cases[i].asked, &p));
		assert_true(profile_check(&p, &err));
		assert_true(str_equal(profile_type_name(&p),
				      str_from(cases[i].type)));
		assert_int_equal(p.total, cases[i].total);
		assert_int_equal(p.whole_total, cases[i].total);
		assert_int_equal(p.period, cases[i].each);
		assert_int_equal(p.sample_count, 7);
		profile_release(&p);
		buf_release(&b);
	}
}

/* The other side of a comparison counts samples: so does this one. */
static void test_counted_samples_like_others(void **state)
{
	static const struct type_name counted = { { "samples", 7 },
						  { "count", 5 } };
	struct profile_want want = { .like = &counted };
	struct profile p;
	struct buf b;

	(void)state;
	put_counted(&b, 3, 50000000);
	profile_init(&p);
	notes_init(&notes);
	assert_decoded(decode_pprof(buf_str(&b), &want, &p, &notes, &err));
	assert_int_equal(p.total, 7);
	profile_release(&p);
	buf_release(&b);
}

UNIT_TESTS(pprof_messages)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted_samples_of_a_period),
		cmocka_unit_test(test_counted_samples_like_others),
		cmocka_unit_test(test_any_order_of_fields),
		cmocka_unit_test(test_any_form_of_numbers),
		cmocka_unit_test(test_ids_need_not_count),
		cmocka_unit_test(test_functions_without_ids),
		cmocka_unit_test(test_inlined_lines_and_names),
		cmocka_unit_test(test_equal_stacks_add_up),
		cmocka_unit_test(test_sums_past_int64),
		cmocka_unit_test(test_default_type_and_types_at_the_limit),
		cmocka_unit_test(test_deep_stacks_lose_their_middle),
		cmocka_unit_test(test_long_names_are_cut),
		cmocka_unit_test(test_unfolding_is_bounded),
		cmocka_unit_test(test_function_in_many_mappings),
		cmocka_unit_test(test_edges_of_rows),
		cmocka_unit_test(test_dangling_references),
		cmocka_unit_test(test_tables_are_judged_at_the_end),
		cmocka_unit_test(test_nonsense_is_refused),
		cmocka_unit_test(test_empty_forms),
		cmocka_unit_test(test_sample_without_ids),
		cmocka_unit_test(test_sample_without_ids_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
