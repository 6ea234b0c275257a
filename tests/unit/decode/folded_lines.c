/* SPDX-License-Identifier: Apache-2.0
 *
 * Put together again, numbers and shared frames are the lines that were cut,
 * on one processor and on several.
 */
#include "../unit.h"
#include "../base/testing.h"

#include "../one_processor.h"
#include "base/buf.h"
#include "decode/folded.h"

#define MOST_BYTES (64 * MIB)
/* More than all batches hold together. */
#define MANY_LINES 50000u

static struct error err;

/* What a reader knows of the lines so far. */
struct reader {
	struct str *texts;
	size_t text_count;
	uint32_t *stack; /* numbers */
	unsigned batches;
	struct buf got;
};

static void reader_init(struct reader *r)
{
	*r = (struct reader){ 0 };
	r->texts = test_calloc(MANY_LINES, sizeof *r->texts);
	r->stack = test_calloc(LIMIT_LOCATIONS, sizeof *r->stack);
	buf_init(&r->got, MOST_BYTES);
}

static void reader_release(struct reader *r)
{
	test_free(r->texts);
	test_free(r->stack);
	buf_release(&r->got);
}

static void write_line(struct reader *r, uint32_t depth, int64_t weight)
{
	for (uint32_t i = 0; i < depth; i++) {
		assert_true(r->stack[i] < r->text_count);
		buf_add_text(&r->got, i ? ";" : "");
		buf_add_str(&r->got, r->texts[r->stack[i]]);
	}
	buf_addf(&r->got, " %lld\n", (long long)weight);
}

static void take(struct reader *r, const struct folded_batch *b)
{
	const uint32_t *names = b->names;

	for (size_t i = 0; i < b->text_count; i++) {
		assert_true(r->text_count < MANY_LINES);
		r->texts[r->text_count++] = b->texts[i];
	}
	for (uint32_t i = 0; i < b->line_count; i++) {
		const struct folded_line *line = &b->lines[i];

		assert_true(line->shared + line->count <= LIMIT_LOCATIONS);
		memcpy(r->stack + line->shared, names,
		       line->count * sizeof *names);
		names += line->count;
		write_line(r, line->shared + line->count, line->weight);
	}
	assert_ptr_equal(names, b->names + b->name_count);
	r->batches++;
}

/* At most so many batches; false: they ended in an error. */
static bool read_lines(struct str text, struct reader *r, unsigned most)
{
	struct feed *feed = feed_new(text, &err);
	struct folded_lines *f;
	bool is_last = false;

	assert_non_null(feed);
	f = folded_lines_new(feed, &err);
	assert_non_null(f);
	while (!is_last && r->batches < most) {
		const struct folded_batch *b = folded_lines_next(f);

		is_last = b->is_last;
		if (b->err.code != ERROR_NONE)
			err = b->err;
		else
			take(r, b);
	}
	folded_lines_free(f);
	feed_free(feed);
	return err.code == ERROR_NONE;
}

static void expect_same(struct str text, unsigned fewest)
{
	struct reader r;

	reader_init(&r);
	assert_true(read_lines(text, &r, UINT32_MAX));
	assert_int_equal(r.got.len, text.len);
	assert_memory_equal(r.got.data, text.ptr, text.len);
	assert_true(r.batches >= fewest);
	reader_release(&r);
}

static void add_line(struct buf *b, unsigned i)
{
	for (unsigned k = 0; k < 3 + i % 7; k++)
		buf_addf(b, "%sname%u", k ? ";" : "", k < 3 ? k : i % 1000 + k);
	buf_addf(b, " %u\n", i + 1);
}

static void add_deep(struct buf *b, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		buf_addf(b, "%sname%u", i ? ";" : "", i % 100);
	buf_add_text(b, " 5\n");
}

static void many_lines(struct buf *b)
{
	buf_init(b, MOST_BYTES);
	for (unsigned i = 0; i < MANY_LINES; i++) {
		if (i % 20000 == 7)
			add_deep(b, LIMIT_STACK_FRAMES + i % 20001);
		add_line(b, i);
	}
	assert_true(buf_check(b, "the lines", &err));
}

static void test_lines(void **state)
{
	struct buf b;

	(void)state;
	many_lines(&b);
	expect_same(buf_str(&b), 5);
	expect_same(STR(""), 1);
	expect_same(STR("a 1\n"), 1);
	expect_same(STR("a;;c 2\na;;b 3\n"), 1);
	buf_release(&b);
}

static void test_lines_on_one_processor(void **state)
{
	on_one_processor(test_lines, state);
}

/* The most frames that are cut as usual, and one more, between others. */
static void test_depths(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, MOST_BYTES);
	for (unsigned i = 0; i < 20; i++) {
		add_line(&b, i);
		add_deep(&b, LIMIT_STACK_FRAMES + i % 2);
	}
	expect_same(buf_str(&b), 1);
	buf_release(&b);
}

static void test_leaving_in_between(void **state)
{
	struct reader r;
	struct buf b;

	(void)state;
	many_lines(&b);
	for (unsigned most = 0; most < 7; most++) {
		reader_init(&r);
		assert_true(read_lines(buf_str(&b), &r, most));
		assert_int_equal(r.batches, most);
		reader_release(&r);
	}
	buf_release(&b);
}

static void test_bad_line_at_the_end(void **state)
{
	struct reader r;
	struct buf b;

	(void)state;
	many_lines(&b);
	buf_add_text(&b, "a;b x\n");
	reader_init(&r);
	assert_false(read_lines(buf_str(&b), &r, UINT32_MAX));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, "line 50004: \"x\""));
	assert_true(str_starts(buf_str(&b), buf_str(&r.got)));
	assert_true(r.batches > 4);
	error_clear(&err);
	reader_release(&r);
	buf_release(&b);
}

UNIT_TESTS(folded_lines)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_lines_on_one_processor),
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_leaving_in_between),
		cmocka_unit_test(test_bad_line_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
