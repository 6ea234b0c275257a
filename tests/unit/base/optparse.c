/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/optparse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/suggest.h"
#include "base/timefmt.h"

struct part {
	const char *file;
	const char *tags[2];
	size_t tag_count;
};

struct target {
	bool flag;
	unsigned loud;
	int64_t wait_ns;
	uint64_t number;
	const char *word;
	int index;
	struct part both, left;
};

#define AT(member) .offset = offsetof(struct target, member)
#define IN_PART(member) .offset = offsetof(struct part, member)

static const char *const words[] = { "red", "green", NULL };

static const struct option_row rows[] = {
	{ .name = "flag", .letter = 'f', .flags = OPTION_NEGATABLE, AT(flag) },
	{ .name = "loud", .letter = 'l', .flags = OPTION_REPEATABLE, AT(loud) },
	{ .name = "wait", .letter = 'w', .kind = OPTION_DURATION,
	  .metavar = "DURATION", .min = 1, .max = 60000000000, AT(wait_ns) },
	{ .name = "number", .letter = 'n', .kind = OPTION_U64, .metavar = "N",
	  .min = 2, .max = 9, AT(number) },
	{ .name = "word", .kind = OPTION_WORD, .words = words,
	  .metavar = "WORD", AT(word) },
	{ .name = "index", .kind = OPTION_INDEX, .words = words,
	  .metavar = "WORD", AT(index) },
	{ .name = "file", .kind = OPTION_FILE, .flags = OPTION_SIDED,
	  .metavar = "FILE", IN_PART(file) },
	{ .name = "tag", .letter = 't', .kind = OPTION_STRING,
	  .flags = OPTION_SIDED | OPTION_REPEATABLE, .metavar = "TAG",
	  .count_offset = offsetof(struct part, tag_count), .max_count = 2,
	  IN_PART(tags) },
};

static const struct option_prefix prefixes[] = {
	{ "", offsetof(struct target, both) },
	{ "left-", offsetof(struct target, left) },
};

static const struct option_table table = { rows, 8, prefixes, 2 };

struct outcome {
	struct target target;
	const char *args[8];
	int arg_count;
	struct error err;
};

/* Reads and stores words that are separated by single blanks. */
static bool parse(const char *line, struct outcome *out)
{
	static char text[256];
	const char *argv[16];
	struct option_reader reader;
	struct option_token token;
	char *save = text;
	int argc = 0;

	memset(out, 0, sizeof *out);
	strncpy(text, line, sizeof text - 1);
	while (save && *save)
		argv[argc++] = strsep(&save, " ");
	option_reader_init(&reader, &table, argc, argv);
	while (option_reader_next(&reader, &token, &out->err)) {
		if (token.kind == OPTION_TOKEN_END)
			return true;
		if (token.kind == OPTION_TOKEN_ARGUMENT)
			out->args[out->arg_count++] = token.value;
		else if (!option_store(&token.form, token.value,
				       token.is_negated, "it", &out->target,
				       &out->err))
			return false;
	}
	return false;
}

static void assert_fails(const char *line, const char *message)
{
	struct outcome out;

	assert_false(parse(line, &out));
	assert_int_equal(out.err.code, ERROR_USAGE);
	assert_string_equal(out.err.message, message);
}

static void test_values(void **state)
{
	struct outcome out;

	(void)state;
	assert_true(parse("--flag --wait=1m --number 7 --word green "
			  "--index green --file=- -ll a",
			  &out));
	assert_true(out.target.flag);
	assert_int_equal(out.target.wait_ns, 60 * NS_PER_S);
	assert_int_equal(out.target.number, 7);
	assert_string_equal(out.target.word, "green");
	assert_int_equal(out.target.index, 1);
	assert_string_equal(out.target.both.file, "-");
	assert_int_equal(out.target.loud, 2);
	assert_int_equal(out.arg_count, 1);
	assert_string_equal(out.args[0], "a");
}

static void test_bundles(void **state)
{
	struct outcome out;

	(void)state;
	assert_true(parse("-fln5 x -flw 2s y -tone", &out));
	assert_int_equal(out.target.number, 5);
	assert_int_equal(out.target.wait_ns, 2 * NS_PER_S);
	assert_int_equal(out.target.loud, 2);
	assert_string_equal(out.target.both.tags[0], "one");
	assert_int_equal(out.arg_count, 2);
	assert_fails("-fx", "unknown option -x");
	assert_fails("-fn", "--number needs a value: --number N");
	assert_true(parse("-n=6 -t==x", &out));
	assert_int_equal(out.target.number, 6);
	assert_string_equal(out.target.both.tags[0], "=x");
	assert_fails("-t=", "it: the value is empty");
	assert_fails("-n=5x", "it: '5x' is not a whole number");
}

static void test_last_wins(void **state)
{
	struct outcome out;

	(void)state;
	assert_true(parse("--number 3 --number=4 --flag --no-flag", &out));
	assert_int_equal(out.target.number, 4);
	assert_false(out.target.flag);
}

static void test_prefixes(void **state)
{
	struct outcome out;

	(void)state;
	assert_true(parse("--left-file=l --file b --left-tag x", &out));
	assert_string_equal(out.target.left.file, "l");
	assert_string_equal(out.target.both.file, "b");
	assert_int_equal(out.target.left.tag_count, 1);
	assert_int_equal(out.target.both.tag_count, 0);
	assert_fails("--left-flag",
		     "unknown option --left-flag; did you mean --flag?");
}

static void test_end_of_options(void **state)
{
	struct outcome out;

	(void)state;
	assert_true(parse("- -- --flag -- -n", &out));
	assert_int_equal(out.arg_count, 4);
	assert_string_equal(out.args[0], "-");
	assert_string_equal(out.args[1], "--flag");
	assert_string_equal(out.args[2], "--");
	assert_string_equal(out.args[3], "-n");
	assert_false(out.target.flag);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_fails("--numbr 3",
		     "unknown option --numbr; did you mean --number?");
	assert_fails("--num 3",
		     "unknown option --num; did you mean --number?");
	assert_fails("-number",
		     "it: 'umber' is not a whole number");
	assert_fails("-word", "it: 'ord' is not a duration such as 500ms, "
			      "30s or 1h30m");
	assert_fails("-index", "unknown option -index; did you mean --index?");
}

static void test_values_refused(void **state)
{
	(void)state;
	assert_fails("--number", "--number needs a value: --number N");
	assert_fails("--number=", "it: the value is empty");
	assert_fails("--number -5",
		     "--number needs a value, and the next word is an option; "
		     "a value that begins with a dash is given as "
		     "--number=VALUE");
	assert_fails("--number 1", "it: 1 is outside 2 to 9");
	assert_fails("--number 99999999999999999999",
		     "it: '99999999999999999999' is not a whole number");
	assert_fails("--wait 2m", "it: 2m is outside 1ns to 1m");
	assert_fails("--wait 2", "it: '2' is not a duration such as 500ms, "
				 "30s or 1h30m");
	assert_fails("--word gren", "it: unknown value 'gren', did you mean "
				    "green? (one of red, green)");
	assert_fails("--word blue",
		     "it: unknown value 'blue' (one of red, green)");
	assert_fails("--flag=1", "--flag takes no value");
	assert_fails("--no-number", "unknown option --no-number");
	assert_fails("-ta -tb -tc", "it: given more than 2 times");
}

static void test_foreign_bytes(void **state)
{
	struct outcome out;

	(void)state;
	assert_fails("--tag a\xff", "it: the value is not valid UTF-8");
	assert_fails("--tag \xed\xa0\x80", "it: the value is not valid UTF-8");
	assert_fails("--tag \xc0\xaf", "it: the value is not valid UTF-8");
	assert_fails("--tag a\x1b[0m",
		     "it: the value holds a control character");
	assert_true(parse("--tag \xe2\x82\xac --file \xff", &out));
	assert_string_equal(out.target.both.file, "\xff");
}

/* The environment gives flags as words. */
static void test_flag_words(void **state)
{
	struct option_form form;
	struct target target = { 0 };
	struct error err;

	(void)state;
	assert_true(option_form_find(&table, STR("flag"), &form));
	assert_true(option_store(&form, "Yes", false, "X", &target, &err));
	assert_true(target.flag);
	assert_true(option_store(&form, "0", false, "X", &target, &err));
	assert_false(target.flag);
	assert_false(option_store(&form, "maybe", false, "X", &target, &err));
	assert_string_equal(err.message, "X: 'maybe' is neither yes nor no");
}

/* Where a value lies in argv, for overwriting secrets. */
static void test_positions(void **state)
{
	static const char *const argv[] = { "-ft", "a", "--tag=b", "-ftc" };
	static const int args[] = { 1, 2, 3 };
	static const size_t starts[] = { 0, 6, 3 };
	struct option_reader reader;
	struct option_token token;
	struct error err;
	size_t n = 0;

	(void)state;
	option_reader_init(&reader, &table, 4, argv);
	while (option_reader_next(&reader, &token, &err) &&
	       token.kind != OPTION_TOKEN_END) {
		if (!token.value)
			continue;
		assert_int_equal(token.arg, args[n]);
		assert_int_equal(token.value_at, starts[n]);
		assert_ptr_equal(token.value, argv[token.arg] + starts[n]);
		n++;
	}
	assert_int_equal(n, 3);
}

static void test_form_numbers(void **state)
{
	struct option_form form;
	char name[OPTION_NAME_BYTES];

	(void)state;
	assert_true(option_form_find(&table, STR("left-tag"), &form));
	assert_int_equal(form.number, 15);
	option_form_name(&form, name);
	assert_string_equal(name, "left-tag");
	assert_false(option_form_get(&table, 16, &form));
	assert_false(option_form_find(&table, STR("left-"), &form));
	assert_false(option_form_find(&table, STR(""), &form));
}

static const char *nearest(const char *wanted)
{
	static struct suggestion s;

	suggestion_init(&s, str_from(wanted));
	suggestion_offer(&s, "slow");
	suggestion_offer(&s, "show");
	suggestion_offer(&s, "profile");
	return s.best;
}

static void test_suggestions(void **state)
{
	char long_word[200];

	(void)state;
	assert_string_equal(nearest("slwo"), "slow");
	assert_string_equal(nearest("shw"), "show");
	assert_string_equal(nearest("prof"), "profile");
	assert_string_equal(nearest("porfiel"), "profile");
	assert_string_equal(nearest("zzzz"), "");
	assert_string_equal(nearest(""), "");
	memset(long_word, 's', sizeof long_word - 1);
	long_word[sizeof long_word - 1] = '\0';
	assert_string_equal(nearest(long_word), "");
}

UNIT_TESTS(optparse)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bundles),
		cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_end_of_options),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_values_refused),
		cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_flag_words),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_form_numbers),
		cmocka_unit_test(test_suggestions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
