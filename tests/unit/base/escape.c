/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/escape.h"

typedef void (*escape_fn)(struct out *out, struct str text);

static char escaped[4096];

static const char *run(escape_fn escape, struct str text)
{
	struct buf b;
	struct out out;

	buf_init(&b, sizeof escaped - 1);
	out_init_memory(&out, &b);
	escape(&out, text);
	assert_int_equal(b.state, BUF_OK);
	memcpy(escaped, buf_text(&b), b.len + 1);
	buf_release(&b);
	return escaped;
}

static size_t put_code(char *text, unsigned code)
{
	if (code < 0x80) {
		text[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		text[0] = (char)(0xC0 | code >> 6);
		text[1] = (char)(0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		text[0] = (char)(0xE0 | code >> 12);
		text[1] = (char)(0x80 | (code >> 6 & 63));
		text[2] = (char)(0x80 | (code & 63));
		return 3;
	}
	text[0] = (char)(0xF0 | code >> 18);
	text[1] = (char)(0x80 | (code >> 12 & 63));
	text[2] = (char)(0x80 | (code >> 6 & 63));
	text[3] = (char)(0x80 | (code & 63));
	return 4;
}

static const char *run_code(escape_fn escape, unsigned code)
{
	char text[6] = "a";
	size_t len = 1 + put_code(text + 1, code);

	text[len++] = 'b';
	return run(escape, (struct str){ text, len });
}

static void test_terminal_controls(void **state)
{
	char expected[16];

	(void)state;
	for (unsigned code = 0; code < 0xA0; code++) {
		if (code >= 0x20 && code < 0x7F)
			continue;
		if (code == '\n' || code == '\r' || code == '\t')
			snprintf(expected, sizeof expected, "a\\%cb",
				 code == '\n'   ? 'n'
				 : code == '\r' ? 'r'
						: 't');
		else if (code < 0x80)
			snprintf(expected, sizeof expected, "a\\x%02xb", code);
		else
			snprintf(expected, sizeof expected, "a\\u%04xb", code);
		assert_string_equal(run_code(escape_terminal, code), expected);
	}
}

static const unsigned steering[] = {
	0x061C, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028,
	0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060,
	0x2066, 0x2067, 0x2068, 0x2069, 0xFEFF, 0x00AD,
};

static void test_terminal_steering(void **state)
{
	char expected[24];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(steering); i++) {
		snprintf(expected, sizeof expected, "a\\u%04xb", steering[i]);
		assert_string_equal(run_code(escape_terminal, steering[i]),
				    expected);
	}
	assert_string_equal(run_code(escape_terminal, 0xE0041),
			    "a\\U000e0041b");
}

static void test_terminal_plain(void **state)
{
	const char *text = "GET /caf\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80 "
			   "e\xCC\x81 \\n <a>";

	(void)state;
	assert_string_equal(run(escape_terminal, str_from(text)), text);
	assert_string_equal(run(escape_terminal, STR("")), "");
	assert_string_equal(run(escape_terminal, STR("\x1b[2Jx")), "\\x1b[2Jx");
	assert_string_equal(run(escape_terminal, STR("\0")), "\\x00");
}

struct pair {
	const char *given;
	const char *expected;
};

static void test_damaged_utf8(void **state)
{
	static const struct pair cases[] = {
		{ "a\xFFz", "a\\xffz" },
		{ "\x80", "\\x80" },
		{ "\xC3", "\\xc3" },
		{ "\xC3(", "\\xc3(" },
		{ "\xC0\xAF", "\\xc0\\xaf" },
		{ "\xE0\x80\x80", "\\xe0\\x80\\x80" },
		{ "\xE2\x82", "\\xe2\\x82" },
		{ "\xED\xA0\x80", "\\xed\\xa0\\x80" },
		{ "\xF0\x9F\x98", "\\xf0\\x9f\\x98" },
		{ "\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xF8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(
			run(escape_terminal, str_from(cases[i].given)),
			cases[i].expected);
	assert_string_equal(run(escape_json, STR("a\xFFz\xC3")),
			    "a\xEF\xBF\xBDz\xEF\xBF\xBD");
	assert_string_equal(run(escape_folded, STR("a\xFFz")),
			    "a\xEF\xBF\xBDz");
	assert_string_equal(
		run(escape_utf8, STR("\xC3(\xF0\x9F\x98")),
		"\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
	assert_string_equal(
		run(escape_utf8, STR("\n\x1b;<\"\xC3\xA9\xE2\x80\xAE")),
		"\n\x1b;<\"\xC3\xA9\xE2\x80\xAE");
}

static void test_json(void **state)
{
	char expected[16];

	(void)state;
	for (unsigned code = 0; code < 0xA0; code++) {
		const char *shorts = strchr("\bb\ff\nn\rr\tt", (int)code);

		if (code >= 0x20 && code < 0x7F)
			continue;
		if (code && shorts)
			snprintf(expected, sizeof expected, "a\\%cb",
				 shorts[1]);
		else
			snprintf(expected, sizeof expected, "a\\u%04xb", code);
		assert_string_equal(run_code(escape_json, code), expected);
	}
	assert_string_equal(run(escape_json, STR("\"\\/<>\xC3\xA9")),
			    "\\\"\\\\/\\u003c>\xC3\xA9");
	assert_string_equal(run_code(escape_json, 0x2028), "a\\u2028b");
	assert_string_equal(run_code(escape_json, 0x2029), "a\\u2029b");
	assert_string_equal(run_code(escape_json, 0x202E), "a\\u202eb");
	assert_string_equal(run_code(escape_json, 0x2069), "a\\u2069b");
	assert_string_equal(run_code(escape_json, 0x061C), "a\\u061cb");
	assert_string_equal(run_code(escape_json, 0x200D), "a\xE2\x80\x8D"
							   "b");
	assert_string_equal(run_code(escape_json, 0xFFFE), "a\\ufffeb");
	assert_string_equal(run_code(escape_json, 0xFDEF), "a\\ufdefb");
	assert_string_equal(run_code(escape_json, 0x1FFFF), "a\\ud83f\\udfffb");
	assert_string_equal(run_code(escape_json, 0x10FFFE),
			    "a\\udbff\\udffeb");
	assert_string_equal(run_code(escape_json, 0xFDF0), "a\xEF\xB7\xB0"
							   "b");
	assert_string_equal(run_code(escape_json, 0x1F600), "a\xF0\x9F\x98\x80"
							    "b");
}

static void test_folded(void **state)
{
	static const struct pair cases[] = {
		{ "main", "main" },
		{ "a;b;c", "a:b:c" },
		{ "", "[empty]" },
		{ "  \n ", "[empty]" },
		{ "  a  b  ", "a  b" },
		{ "a\nb\tc\x1b[0m", "a b c [0m" },
		{ "operator new(unsigned long)",
		  "operator new(unsigned long)" },
		{ "a\xE2\x80\xAE"
		  "b",
		  "a b" },
		{ "\xC3\xA9;", "\xC3\xA9:" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(
			run(escape_folded, str_from(cases[i].given)),
			cases[i].expected);
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(text_width(STR("")), 0);
	assert_int_equal(text_width(STR("abc")), 3);
	assert_int_equal(text_width(STR("\xC3\xA9")), 1);
	assert_int_equal(text_width(STR("e\xCC\x81")), 1);
	assert_int_equal(text_width(STR("\xE6\x97\xA5\xE6\x9C\xAC")), 4);
	assert_int_equal(text_width(STR("\xE2\x96\x88")), 1);
	assert_int_equal(text_width(STR("\xFF")), 1);
	assert_int_equal(text_width(STR("\xF0\x9F\x9A\x80")), 2); /* rocket */
	assert_int_equal(text_width(STR("\xED\x95\x9C")), 2);     /* Hangul */
	assert_int_equal(text_width(STR("e\xCC\x81\xCC\xA7")), 1);
	assert_int_equal(text_width(STR("\xEF\xBC\xA1")), 2); /* full width */
}

static void test_fit(void **state)
{
	const struct str wide = STR("a\xE6\x97\xA5\xE6\x9C\xAC");
	const struct str accent = STR("e\xCC\x81x");

	(void)state;
	assert_int_equal(text_fit(wide, 0), 0);
	assert_int_equal(text_fit(wide, 1), 1);
	assert_int_equal(text_fit(wide, 2), 1);
	assert_int_equal(text_fit(wide, 3), 4);
	assert_int_equal(text_fit(wide, 4), 4);
	assert_int_equal(text_fit(wide, 5), 7);
	assert_int_equal(text_fit(wide, 99), 7);
	/* The accent stays with its letter. */
	assert_int_equal(text_fit(accent, 1), 3);
	assert_int_equal(text_fit(STR(""), 5), 0);
}

/* Whatever the bytes, a terminal sees no control and a width is found. */
static void test_csv(void **state)
{
	(void)state;
	assert_string_equal(run(escape_csv, STR("a,b")), "\"a,b\"");
	assert_string_equal(run(escape_csv, STR("")), "\"\"");
	assert_string_equal(run(escape_csv, STR("a\"b\"\"")),
			    "\"a\"\"b\"\"\"\"\"");
	assert_string_equal(run(escape_csv, STR("a\r\n\x1b[m")),
			    "\"a\\r\\n\\x1b[m\"");
	/* Formulas, and what only looks like one further on. */
	assert_string_equal(run(escape_csv, STR("=1+1")), "\"'=1+1\"");
	assert_string_equal(run(escape_csv, STR("+1")), "\"'+1\"");
	assert_string_equal(run(escape_csv, STR("-1")), "\"'-1\"");
	assert_string_equal(run(escape_csv, STR("@a")), "\"'@a\"");
	assert_string_equal(run(escape_csv, STR("\t=1")), "\"\\t=1\"");
	assert_string_equal(run(escape_csv, STR("(*T).F")), "\"(*T).F\"");
}

static void test_xml(void **state)
{
	(void)state;
	assert_string_equal(run(escape_xml, STR("a<b>&\"c\"'")),
			    "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
	assert_string_equal(run(escape_xml, STR("]]>\r\n\t\0")),
			    "]]&gt;\\r\\n\\t\\x00");
	assert_string_equal(run(escape_xml, STR("\xff\xed\xa0\x80")),
			    "\\xff\\xed\\xa0\\x80");
	/* No characters of XML 1.0, and the last that is one. */
	assert_string_equal(run_code(escape_xml, 0xFFFE), "a\\ufffeb");
	assert_string_equal(run_code(escape_xml, 0xFFFF), "a\\uffffb");
	assert_string_equal(run_code(escape_xml, 0xFDD0), "a\\ufdd0b");
	assert_string_equal(run_code(escape_xml, 0x2FFFE), "a\\U0002fffeb");
	assert_string_equal(run_code(escape_xml, 0xFFFD), "a\xEF\xBF\xBD"
							  "b");
	assert_string_equal(run_code(escape_xml, 0x202E), "a\\u202eb");
	assert_string_equal(run_code(escape_xml, 0x1F600), "a\xF0\x9F\x98\x80"
							   "b");
}

static void test_all_byte_pairs_are_tame(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 0x10000; i++) {
		char text[2] = { (char)(i >> 8), (char)(i & 0xFF) };
		const char *out = run(escape_terminal, (struct str){ text, 2 });

		for (const char *p = out; *p; p++)
			assert_true((unsigned char)*p >= 0x20 && *p != 0x7F);
		assert_true(text_width(str_from(out)) <= 8);
		assert_int_equal(text_fit(str_from(out), 8), strlen(out));
	}
}

/* ---- Markdown ---- */

static void test_markdown(void **state)
{
	static const struct pair cases[] = {
		{ "", "" },
		{ "plain text, 50 % (of it)", "plain text, 50 % (of it)" },
		{ "a*b_c`d`", "a\\*b\\_c\\`d\\`" },
		{ "[x](http://y)", "\\[x\\](http:&#8288;//y)" },
		{ "<b>&amp;", "&lt;b&gt;&amp;amp;" },
		{ "@team me@x.org", "@&#8288;team me@&#8288;x.org" },
		{ "#12 ![i]", "\\#&#8288;12 \\!\\[i\\]" },
		{ "www.x WwW.y vwww.z ww.x .",
		  "www&#8288;.x WwW&#8288;.y vwww&#8288;.z ww.x ." },
		{ "a:b c:/d e::f", "a:b c:/d e::f" },
		{ "a|b~c$d^e{f}", "a\\|b\\~c\\$d\\^e\\{f\\}" },
		{ "- a", "\\- a" },
		{ "a - b + c", "a - b + c" },
		{ "+1", "\\+1" },
		{ "12. a 3. b", "12\\. a 3. b" },
		{ "12) a", "12\\) a" },
		{ "a\nb\x1b[m\\", "a\\\\nb\\\\x1b\\[m\\\\" },
		{ "\xE2\x80\xAE\xFF", "\\\\u202e\\\\xff" },
		{ "\xE6\x97\xA5*", "\xE6\x97\xA5\\*" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(
			run(escape_markdown, str_from(cases[i].given)),
			cases[i].expected);
	assert_string_equal(run(escape_markdown, STR("\0")), "\\\\x00");
}

static void code_line(struct out *out, struct str text)
{
	escape_markdown_code(out, text, false);
}

static void code_cell(struct out *out, struct str text)
{
	escape_markdown_code(out, text, true);
}

static void test_markdown_code(void **state)
{
	static const struct {
		const char *given;
		const char *line;
		const char *cell;
	} cases[] = {
		{ "", "", "" },
		{ "a<b>&@x", "`a<b>&@x`", "`a<b>&@x`" },
		{ "a`b", "``a`b``", "``a`b``" },
		{ "a``b`", "``` a``b` ```", "``` a``b` ```" },
		{ "`", "`` ` ``", "`` ` ``" },
		{ " a", "`  a `", "`  a `" },
		{ " ", "` `", "` `" },
		{ "  ", "`  `", "`  `" },
		{ "a|b||", "`a|b||`", "`a\\|b\\|\\|`" },
		{ "a\\|b\\", "`a\\|b\\`", "`a\\x5c\\|b\\`" },
		{ "|", "`|`", "`\\|`" },
		{ "a\nb", "`a\\nb`", "`a\\nb`" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_string_equal(run(code_line, str_from(cases[i].given)),
				    cases[i].line);
		assert_string_equal(run(code_cell, str_from(cases[i].given)),
				    cases[i].cell);
	}
}

static void test_dot(void **state)
{
	static const struct pair cases[] = {
		{ "", "" },
		{ "a<b>;{}|", "a<b>;{}|" },
		{ "\"\\N&amp;", "\\\"\\\\N&amp;amp;" },
		{ "a\nb\x1b", "a\\\\nb\\\\x1b" },
		{ "\xE2\x80\xAE\xFF\xE6\x97\xA5",
		  "\\\\u202e\\\\xff\xE6\x97\xA5" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(run(escape_dot, str_from(cases[i].given)),
				    cases[i].expected);
}

static void test_backticks(void **state)
{
	(void)state;
	assert_int_equal(text_backticks(STR("")), 0);
	assert_int_equal(text_backticks(STR("abc")), 0);
	assert_int_equal(text_backticks(STR("``a```b`")), 3);
	assert_int_equal(text_backticks(STR("````")), 4);
}

UNIT_TESTS(escape)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_markdown_code),
		cmocka_unit_test(test_dot),
		cmocka_unit_test(test_backticks),
		cmocka_unit_test(test_terminal_controls),
		cmocka_unit_test(test_terminal_steering),
		cmocka_unit_test(test_terminal_plain),
		cmocka_unit_test(test_damaged_utf8),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_all_byte_pairs_are_tame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
