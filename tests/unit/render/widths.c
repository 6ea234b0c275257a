/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns stand under each other whatever the names are written in: wide
 * characters, marks that combine, emoji, text that is escaped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/escape.h"
#include "support.h"

static const char *const names[] = {
	"main.handle",
	"注文サービス.検索", /* two columns each */
	"e\xCC\x81\xCC\xA7te\xCC\x81.re\xCC\x81sume\xCC\x81", /* combining */
	"\xF0\x9F\x9A\x80.launch\xF0\x9F\x94\xA5",            /* emoji */
	"한국어.함수",
	"हिन्दी.काम",               /* spacing and nonspacing marks */
	"a\x1b[31m\xE2\x80\xAE.b", /* escaped */
	"長い名前の関数はその中央が切り取られるので幅を数える必要があります",
};

#define NAMES (sizeof names / sizeof *names)

/* The columns before `part` in the line that text begins with; SIZE_MAX when
 * the line has none. */
static size_t columns_before(struct str line, const char *part, bool is_last)
{
	size_t found = SIZE_MAX, from = 0;

	for (;;) {
		struct str rest = str_slice(line, from, line.len);
		size_t at = str_find(rest, str_from(part));

		if (at == SIZE_MAX || (found != SIZE_MAX && !is_last))
			break;
		found = from + at;
		from = found + 1;
	}
	return found == SIZE_MAX ? SIZE_MAX
				 : text_width(str_slice(line, 0, found));
}

/* How many lines hold `part`; all of them at the same column. */
static size_t check_columns(const struct buf *text, const char *part,
			    bool is_last)
{
	struct str rest = buf_str(text);
	size_t column = SIZE_MAX, lines = 0;

	while (rest.len) {
		size_t end = str_find(rest, STR("\n"));
		struct str line = str_slice(rest, 0, end);
		size_t here = columns_before(line, part, is_last);

		rest = str_slice(rest, line.len + 1, rest.len);
		if (here == SIZE_MAX)
			continue;
		if (column != SIZE_MAX && here != column)
			fail_msg("column %zu, not %zu: %.*s", here, column,
				 STR_ARGS(line));
		column = here;
		lines++;
	}
	return lines;
}

static void set_rows(struct sample *s)
{
	s->result.function_count = NAMES;
	for (size_t i = 0; i < NAMES; i++) {
		s->rows[i] = s->rows[0];
		s->rows[i].rank = (uint32_t)i + 1;
		s->rows[i].name = str_from(names[i]);
		s->rows[i].file = STR("f.go");
		s->rows[i].line = 7;
	}
}

static void check_functions(struct sample *s, unsigned width)
{
	struct buf text;

	set_rows(s);
	render_to(s, "table",
		  (struct render_style){ .width = width, .use_unicode = true },
		  &text);
	assert_int_equal(check_columns(&text, "f.go:7", false), NAMES);
	buf_release(&text);
	sample_release(s);
}

static void functions_align(void **state)
{
	static const unsigned widths[] = { 200, 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sample s;

		sample_diff(&s);
		check_functions(&s, widths[i]);
		sample_profile(&s);
		check_functions(&s, widths[i]);
	}
}

/* A long name is no reason for other rows to lose their place, nor for its
 * own: that stands below it. */
static void no_row_loses_its_place(void **state)
{
	static const unsigned widths[] = { 60, 80, 100, 120, 200 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
		struct render_style style = { .width = widths[i / 2],
					      .use_unicode = true };
		size_t places = 0;
		struct sample s;
		struct buf text;

		if (i % 2)
			sample_diff(&s);
		else
			sample_profile(&s);
		set_rows(&s);
		render_to(&s, "table", style, &text);
		for (const char *at = buf_text(&text);
		     (at = strstr(at, "f.go:7")); at++)
			places++;
		assert_int_equal(places, NAMES);
		buf_release(&text);
		sample_release(&s);
	}
}

/* Where nothing is cut, names align up to PAGE_ALIGN_COLUMNS. The unit of the
 * last number in a row, self time, ends a column. */
static void spans_align(void **state)
{
	static const unsigned widths[] = { 80, 200, 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct sample s;
		struct buf text;
		struct error err;

		sample_show(&s);
		for (size_t k = 0; k < s.trace.span_count; k++)
			assert_true(symtab_add(&s.trace.symtab,
					       str_from(names[k % NAMES]),
					       &s.spans[k].name, &err));
		render_to(&s, "table",
			  (struct render_style){ .width = widths[i],
						 .use_unicode = true },
			  &text);
		assert_true(check_columns(&text, " ms  ", true) >= NAMES);
		buf_release(&text);
		sample_release(&s);
	}
}

UNIT_TESTS(widths)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_align),
		cmocka_unit_test(no_row_loses_its_place),
		cmocka_unit_test(spans_align),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
