/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that try to break out: in every field, in every format, at several
 * widths.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../unit.h"
#include "../starving.h"
#include "base/escape.h"
#include "base/num.h"
#include "support.h"

typedef void (*sample_fn)(struct sample *s);

static const sample_fn samples[] = { sample_slow, sample_diff, sample_profile,
				     sample_show };

static struct str wide_name(void)
{
	return STR("\xe6\xbc\xa2\xe5\xad\x97\xe9\x96\xa2\xe6\x95\xb0\xe6\xbc"
		   "\xa2\xe5\xad\x97\xe9\x96\xa2\xe6\x95\xb0\xe6\xbc\xa2\xe5"
		   "\xad\x97\xe9\x96\xa2\xe6\x95\xb0\xe6\xbc\xa2\xe5\xad\x97"
		   "\xe9\x96\xa2\xe6\x95\xb0\xe6\xbc\xa2\xe5\xad\x97");
}

static struct str names(size_t i)
{
	switch (i) {
	case 0:
		return sample_hostile();
	case 1:
		return sample_huge();
	case 2:
		return wide_name();
	default:
		return STR("");
	}
}

/* The commands of the next line are printed whole, so they stay out. */
static void poison(struct sample *s, struct str text)
{
	s->result.next_count = 0;
	sample_poison(s, text);
}

static void check_table(sample_fn fill, struct str text, unsigned width,
			bool use_unicode)
{
	struct render_style style = { .width = width,
				      .use_unicode = use_unicode };
	struct sample s;
	struct buf out;

	fill(&s);
	poison(&s, text);
	render_to(&s, "table", style, &out);
	text_check(&out, width);
	assert_true(out.len > 0);
	buf_release(&out);
	sample_release(&s);
}

static void test_table(void **state)
{
	static const unsigned widths[] = { 0, 60, 61, 79, 80, 99, 100, 200 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++)
			for (size_t k = 0; k < 8; k++) {
				check_table(samples[i], names(j), widths[k],
					    true);
				check_table(samples[i], names(j), widths[k],
					    false);
			}
}

/* Not a terminal: the whole name is there. */
static void test_never_cut(void **state)
{
	const struct render_style style = { .use_unicode = true };
	struct str name = STR("a.very.long.name.that.would.not.fit.into.eighty."
			      "columns.of.any.terminal.at.all.because.it.is."
			      "java.Factory.create");

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sample s;
		struct buf out;

		samples[i](&s);
		poison(&s, name);
		render_to(&s, "table", style, &out);
		assert_true(str_find(buf_str(&out), STR("…")) == SIZE_MAX);
		assert_true(str_find(buf_str(&out), name) != SIZE_MAX);
		buf_release(&out);
		sample_release(&s);
	}
}

static json_t *load_json(const struct sample *s)
{
	struct buf out;
	json_error_t error;
	json_t *root;

	render_to(s, "json", (struct render_style){ 0 }, &out);
	root = json_loadb(buf_text(&out), out.len,
			  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (!root)
		fail_msg("%d: %s", error.line, error.text);
	text_check(&out, 0);
	buf_release(&out);
	return root;
}

static size_t count_text(struct str text, struct str part)
{
	size_t count = 0, at;

	while ((at = str_find(text, part)) != SIZE_MAX) {
		text = str_slice(text, at + part.len, text.len);
		count++;
	}
	return count;
}

/* No name opens or ends an element; tests/svg parses what comes out. */
static void check_svg(sample_fn fill, struct str text, unsigned width_px)
{
	struct sample s;
	struct buf out;

	fill(&s);
	if (s.result.has_profile)
		sample_flame(&s);
	poison(&s, text);
	s.picture.width_px = width_px;
	render_to(&s, "svg", (struct render_style){ 0 }, &out);
	assert_int_equal(count_text(buf_str(&out), STR("<script")), 1);
	assert_int_equal(count_text(buf_str(&out), STR("</svg>")), 1);
	assert_int_equal(count_text(buf_str(&out), STR("]]>")), 1);
	assert_int_equal(count_text(buf_str(&out), STR("<b>")), 0);
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.data[i] >= 0x20 ||
			    out.data[i] == '\n' || out.data[i] == '\t');
	buf_release(&out);
	sample_release(&s);
}

static void test_svg(void **state)
{
	static const unsigned widths_px[] = { 0, 200, 20000 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++)
			for (size_t k = 0; k < 3; k++)
				check_svg(samples[i], names(j), widths_px[k]);
}

static void test_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++) {
			struct sample s;

			samples[i](&s);
			sample_poison(&s, names(j));
			json_decref(load_json(&s));
			sample_release(&s);
		}
}

/* What goes in comes out, quotes, backslashes and newlines included. */
static void test_json_round_trip(void **state)
{
	struct str name = STR("a\"b\\c\nd\te<f>;\xe6\xbc\xa2");
	struct sample s;
	json_t *root;
	json_t *row;

	(void)state;
	sample_slow(&s);
	sample_poison(&s, name);
	s.rows[0].file = (struct str){ NULL, 0 };
	s.rows[0].line = 0;
	s.rows[0].q = s.rows[0].delta_low = (double)NAN;
	root = load_json(&s);
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(root, "span"), "name")),
			    name.ptr);
	row = json_array_get(json_object_get(root, "functions"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")),
			    name.ptr);
	assert_true(json_is_null(json_object_get(row, "file")));
	assert_true(json_is_null(json_object_get(row, "line")));
	assert_true(json_is_null(json_object_get(row, "q")));
	assert_true(json_is_null(json_object_get(row, "share_delta_low")));
	assert_true(fabs(json_real_value(json_object_get(row, "share_delta")) -
			 0.609155) < 1e-9);
	json_decref(root);
}

/* Reads "names... before after" and adds the numbers up. */
static void add_weights(struct str line, size_t numbers, int64_t *sums)
{
	for (size_t i = numbers; i-- > 0;) {
		size_t at = line.len;
		int64_t value;

		while (at && line.ptr[at - 1] != ' ')
			at--;
		assert_true(at > 0);
		assert_true(parse_i64(str_slice(line, at, line.len), &value));
		sums[i] += value;
		line = str_slice(line, 0, at - 1);
	}
	assert_true(line.len > 0);
	assert_int_not_equal(line.ptr[line.len - 1], ' ');
}

static size_t count_byte(struct str text, char byte)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == byte;
	return count;
}

/* Weights add up, lines are sorted, frames as many as there were. */
static void check_folded(const struct sample *s, const char *format,
			 size_t numbers, size_t lines, size_t separators,
			 const int64_t *want)
{
	int64_t sums[2] = { 0, 0 };
	struct str before = STR("");
	struct str rest;
	struct buf out;

	render_to(s, format, (struct render_style){ .width = 80 }, &out);
	text_check(&out, 0);
	rest = buf_str(&out);
	assert_int_equal(count_byte(rest, '\n'), lines);
	assert_int_equal(count_byte(rest, ';'), separators);
	while (rest.len) {
		size_t at = str_find(rest, STR("\n"));
		struct str line = str_slice(rest, 0, at);

		add_weights(line, numbers, sums);
		if (names(0).ptr != s->frames[0][0].ptr)
			assert_true(str_compare(before, line) < 0);
		before = line;
		rest = str_slice(rest, at + 1, rest.len);
	}
	for (size_t i = 0; i < numbers; i++)
		assert_true(sums[i] == want[i]);
	buf_release(&out);
}

static void test_folded(void **state)
{
	const int64_t sums[] = { 56, 62 };
	struct sample s;

	(void)state;
	sample_diff(&s);
	sample_stacks(&s);
	check_folded(&s, "difffolded", 2, 5, 7, sums);
	check_folded(&s, "folded", 1, 4, 6, &sums[1]);
	sample_poison(&s, sample_hostile());
	check_folded(&s, "difffolded", 2, 5, 7, sums);
}

/* A name of 64 KiB in every frame, and no frame at all. */
static void test_folded_extremes(void **state)
{
	struct sample s;
	struct buf out;

	(void)state;
	sample_diff(&s);
	sample_stacks(&s);
	sample_poison(&s, sample_huge());
	s.stacks[0].count = 0;
	render_to(&s, "folded", (struct render_style){ 0 }, &out);
	text_check(&out, 0);
	assert_true(str_starts(buf_str(&out), STR("[empty] 12\n")));
	buf_release(&out);
}

/* Every single allocation fails once: the output never passes for whole. */
static void test_memory(void **state)
{
	static const char *const formats[] = { "table",      "json", "folded",
					       "difffolded", "svg",  "markdown",
					       "chat",       "html", "term" };

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		size_t count = i == 8 ? 3 : 4; /* no flame graph of show */
		long n = 0;

		for (size_t j = 0; j < count; n++) {
			bool has_failed;
			struct sample s;
			struct buf out;

			samples[j](&s);
			sample_stacks(&s);
			if (s.result.has_profile)
				sample_flame(&s);
			starve_once_after(n);
			render_unchecked(&s, formats[i],
					 (struct render_style){ .width = 80 },
					 &out);
			has_failed = stop_starving();
			assert_int_equal(has_failed, out.state != BUF_OK);
			j += !has_failed;
			n = has_failed ? n : -1;
			buf_release(&out);
			sample_release(&s);
		}
	}
}

UNIT_TESTS(hostile)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_never_cut),
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_round_trip),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_folded_extremes),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
