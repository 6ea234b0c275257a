/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of a case: what stands between its head and its script, against
 * testdata/golden/; what of large cases is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/limits.h"
#include "base/mem.h"
#include "render/html.h"
#include "support.h"

#define CANARY                                                                 \
	STR("</script><script>canary()</script>\"'>"                           \
	    "<img src=x onerror=canary()><!-- ]]> </style>"                    \
	    "<b>&lt;b&gt;\x01\xff")

static size_t count_text(struct str text, struct str part)
{
	size_t count = 0, at;

	while ((at = str_find(text, part)) != SIZE_MAX) {
		text = str_slice(text, at + part.len, text.len);
		count++;
	}
	return count;
}

static struct str main_of(const struct buf *page)
{
	struct str text = buf_str(page);
	size_t from = str_find(text, STR("<main>"));
	size_t to = str_find(text, STR("</footer>"));

	assert_true(from != SIZE_MAX && to != SIZE_MAX && from < to);
	return str_slice(text, from, to - from);
}

static void check(const struct sample *s, const char *name)
{
	struct buf out;

	render_to(s, "html", (struct render_style){ 0 }, &out);
	golden_check_text(main_of(&out), name);
	buf_release(&out);
}

static void test_slow(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	check(&s, "slow.html");
}

static void test_diff(void **state)
{
	struct sample s;

	(void)state;
	sample_diff(&s);
	check(&s, "diff.html");
}

static void test_profile(void **state)
{
	struct sample s;

	(void)state;
	sample_profile(&s);
	check(&s, "profile.html");
}

static void test_show(void **state)
{
	struct sample s;

	(void)state;
	sample_show(&s);
	check(&s, "show.html");
	sample_release(&s);
}

/* It tells what there is, as `profile` does. */
static void test_command_without_words(void **state)
{
	struct sample s;
	struct buf out;

	(void)state;
	sample_profile(&s);
	s.result.command = "cost";
	render_to(&s, "html", (struct render_style){ 0 }, &out);
	golden_check_text(main_of(&out), "profile.html");
	buf_release(&out);
}

/* The answer, its evidence and what is drawn. */
static void test_quiet(void **state)
{
	struct sample s;
	struct buf out;

	(void)state;
	sample_slow(&s);
	render_to(&s, "html", (struct render_style){ .is_quiet = true }, &out);
	assert_int_equal(count_text(buf_str(&out), STR("<section id=")), 1);
	assert_int_equal(count_text(buf_str(&out), STR("<dt>cause</dt>")), 1);
	assert_int_equal(count_text(buf_str(&out), STR("<a href=")), 0);
	buf_release(&out);
}

/* A page in which every foreign text is the same. */
static void check_hostile(void (*fill)(struct sample *s), const char *name)
{
	struct sample s;
	struct buf out;

	fill(&s);
	sample_poison(&s, CANARY);
	check(&s, name);
	render_to(&s, "html", (struct render_style){ 0 }, &out);
	assert_true(count_text(buf_str(&out), STR("canary()")) > 5);
	assert_int_equal(count_text(buf_str(&out), STR("<script>canary")), 0);
	assert_int_equal(count_text(buf_str(&out), STR("<img")), 0);
	assert_int_equal(count_text(buf_str(&out), STR("<!--")), 0);
	assert_int_equal(count_text(buf_str(&out), STR(" style=")), 0);
	assert_int_equal(count_text(buf_str(&out), STR("\x01")), 0);
	buf_release(&out);
	sample_release(&s);
}

static void test_hostile(void **state)
{
	(void)state;
	check_hostile(sample_slow, "hostile-slow.html");
	check_hostile(sample_show, "hostile-show.html");
}

/* Names of any length and kind: the page ends as it should, and nothing in it
 * steers a display. */
static void check_name(void (*fill)(struct sample *s), struct str name)
{
	struct sample s;
	struct buf out;
	struct str page;

	fill(&s);
	sample_poison(&s, name);
	render_to(&s, "html", (struct render_style){ 0 }, &out);
	page = buf_str(&out);
	assert_true(str_starts(page, STR("<!DOCTYPE html>\n")));
	assert_int_equal(count_text(page, STR("</body>\n</html>\n")), 1);
	assert_int_equal(count_text(page, STR("<main>")), 1);
	assert_int_equal(count_text(page, STR("</main>")), 1);
	assert_int_equal(count_text(page, STR("\xe2\x80\xae")), 0);
	for (size_t i = 0; i < page.len; i++)
		assert_true((unsigned char)page.ptr[i] >= 0x20 ||
			    page.ptr[i] == '\n' || page.ptr[i] == '\t');
	buf_release(&out);
	sample_release(&s);
}

static void test_names(void **state)
{
	void (*const fills[])(struct sample *) = { sample_slow, sample_diff,
						   sample_profile,
						   sample_show };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		check_name(fills[i], sample_hostile());
		check_name(fills[i], sample_huge());
		check_name(fills[i], STR(""));
	}
}

/* ---- limits ---- */

/* A trace of so many rows: a root, those below it, one of them to blame. */
struct large {
	struct sample sample;
	struct waterfall_row *rows;
	size_t count;
	size_t guilty;
};

static void large_init(struct large *l, size_t count, uint32_t depth)
{
	struct sample *s = &l->sample;

	sample_show(s);
	l->count = count;
	l->guilty = count - 1;
	l->rows = mem_calloc(count, sizeof *l->rows);
	for (size_t i = 0; i < count; i++)
		l->rows[i] = (struct waterfall_row){
			.span = 3,
			.count = 1,
			.depth = i < depth ? (uint32_t)i : depth,
			.start_ns = s->trace.start_ns,
			.end_ns = s->trace.start_ns + (int64_t)(count - i),
			.duration_ns = (int64_t)(count - i),
			.is_guilty = i == l->guilty,
		};
	s->result.waterfall = l->rows;
	s->result.waterfall_count = count;
}

static void large_release(struct large *l)
{
	mem_free(l->rows);
	sample_release(&l->sample);
}

static size_t count_rows(const struct large *l, struct buf *out)
{
	render_to(&l->sample, "html", (struct render_style){ 0 }, out);
	return count_text(buf_str(out), STR("<li aria-level="));
}

static void test_rows(void **state)
{
	struct large l;
	struct buf out;

	(void)state;
	large_init(&l, LIMIT_PAGE_SPANS, 1);
	assert_int_equal(count_rows(&l, &out), LIMIT_PAGE_SPANS);
	assert_int_equal(count_text(buf_str(&out), STR(" rows: ")), 0);
	buf_release(&out);
	large_release(&l);
	large_init(&l, LIMIT_PAGE_SPANS + 5, 1);
	assert_int_equal(count_rows(&l, &out), LIMIT_PAGE_SPANS);
	assert_int_equal(
		count_text(buf_str(&out), STR("1,000 of 1,005 rows: ")), 1);
	assert_int_equal(
		count_text(buf_str(&out), STR("<span class=\"left\">+5<")), 1);
	assert_int_equal(count_text(buf_str(&out), STR("class=\"guilty\"")), 1);
	buf_release(&out);
	large_release(&l);
}

/* The way up to the one to blame is longer than all that may be drawn. */
static void test_deep(void **state)
{
	struct large l;
	struct buf out;

	(void)state;
	large_init(&l, 100000, 100000);
	assert_int_equal(count_rows(&l, &out), LIMIT_PAGE_SPANS);
	assert_int_equal(
		count_text(buf_str(&out), STR("<span class=\"left\">+99000<")),
		1);
	buf_release(&out);
	large_release(&l);
}

/* So many spans with one attribute each, all together just so large. */
static size_t count_details(size_t over_bytes)
{
	struct large l;
	struct buf out;
	struct attr attr = { 0 };
	struct trace *t = &l.sample.trace;
	size_t count;
	char *value;
	size_t bytes;

	large_init(&l, 2, 1);
	t->attrs = &attr;
	t->details = (struct detail[]){ { 0 } };
	l.sample.spans[3].attr_count = 1;
	bytes = html_span_bytes(t, 3);
	bytes = (LIMIT_PAGE_DETAIL_BYTES -
		 html_process_bytes(t, l.sample.spans[3].resource)) /
			2 -
		bytes + over_bytes;
	value = mem_alloc(bytes);
	memset(value, 'v', bytes);
	t->symtab.table.texts[symtab_count(&t->symtab) - 1] =
		(struct str){ value, bytes };
	attr.value = (uint32_t)symtab_count(&t->symtab) - 1;
	render_to(&l.sample, "html", (struct render_style){ 0 }, &out);
	count = count_text(buf_str(&out), STR("<div class=\"says\">"));
	buf_release(&out);
	mem_free(value);
	large_release(&l);
	return count;
}

static void test_details(void **state)
{
	(void)state;
	assert_int_equal(count_details(0), 2);
	assert_int_equal(count_details(1), 1);
}

static void test_percent(void **state)
{
	char text[HTML_PERCENT_BYTES];

	(void)state;
	html_percent(1, 3, text);
	assert_string_equal(text, "33.33%");
	html_percent(-1, 3, text);
	assert_string_equal(text, "0.00%");
	html_percent(INT64_MAX, 1, text);
	assert_string_equal(text, "100.00%");
	html_percent(1, 0, text);
	assert_string_equal(text, "0.00%");
	html_percent(INT64_MAX / 2, INT64_MAX, text);
	assert_string_equal(text, "50.00%");
}

/* More functions than a report keeps, and more than a page holds. */
static void test_functions(void **state)
{
	struct sample s;
	struct buf out;
	struct function_row *rows =
		mem_calloc(LIMIT_PAGE_FUNCTIONS + 1, sizeof *rows);

	(void)state;
	sample_diff(&s);
	for (size_t i = 0; i <= LIMIT_PAGE_FUNCTIONS; i++)
		rows[i] = s.rows[i % 5];
	s.result.functions = rows;
	s.result.function_count = 5;
	s.result.function_listed = LIMIT_PAGE_FUNCTIONS;
	s.result.function_total = LIMIT_PAGE_FUNCTIONS;
	render_to(&s, "html", (struct render_style){ .limit = 5 }, &out);
	assert_int_equal(count_text(buf_str(&out), STR("<th scope=\"row\">")),
			 LIMIT_PAGE_FUNCTIONS);
	assert_int_equal(count_text(main_of(&out), STR(" more\">")),
			 LIMIT_PAGE_FUNCTIONS - 5);
	assert_int_equal(count_text(main_of(&out), STR("more functions")), 0);
	buf_release(&out);
	s.result.function_listed = LIMIT_PAGE_FUNCTIONS + 1;
	s.result.function_total = LIMIT_PAGE_FUNCTIONS + 1;
	render_to(&s, "html", (struct render_style){ 0 }, &out);
	assert_int_equal(count_text(buf_str(&out), STR("<th scope=\"row\">")),
			 LIMIT_PAGE_FUNCTIONS);
	assert_int_equal(count_text(buf_str(&out), STR("1 more function,")), 1);
	buf_release(&out);
	mem_free(rows);
}

UNIT_TESTS(html)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_command_without_words),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
