/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../skipping.h"
#include "testing.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/jsonw.h"
#include "base/num.h"

struct sink {
	struct buf buf;
	struct out out;
	struct jsonw w;
};

static struct jsonw *begin(struct sink *s, int indent)
{
	buf_init(&s->buf, 10000);
	out_init_memory(&s->out, &s->buf);
	jsonw_init(&s->w, &s->out, indent);
	return &s->w;
}

static void end(struct sink *s, const char *expected)
{
	assert_string_equal(buf_text(&s->buf), expected);
	buf_release(&s->buf);
}

static void write_sample(struct jsonw *w)
{
	jsonw_object(w);
	jsonw_key(w, "list");
	jsonw_array(w);
	jsonw_i64(w, 1);
	jsonw_array(w);
	jsonw_array_end(w);
	jsonw_object(w);
	jsonw_key(w, "x");
	jsonw_null(w);
	jsonw_object_end(w);
	jsonw_array_end(w);
	jsonw_key(w, "ok");
	jsonw_bool(w, true);
	jsonw_key(w, "empty");
	jsonw_object(w);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void test_template(void **state)
{
	const struct str name = STR("a\"b"), none = STR("");
	const struct str no_text = { NULL, 0 };
	const char *missing = *state; /* NULL, which the compiler cannot see */
	struct sink s;

	jsonw_addf(begin(&s, 0),
		   "{a:b, 'x y':'1s, {', n:[-12, 0.5, 1m, true, false, null],"
		   "\n t:%s u:%s k:{%s:%.*s}, %.*s:{}",
		   "text", missing, "key", STR_WHOLE(name), STR_WHOLE(name));
	jsonw_addf(&s.w, "k:[%.*s, %-.*s, %-.*s]", STR_WHOLE(none),
		   STR_WHOLE(none), STR_WHOLE(name));
	jsonw_addf(&s.w, "m:[%*s, %*s, %*s, %.*s]}", STR_WHOLE(no_text),
		   STR_WHOLE(none), STR_WHOLE(name), STR_WHOLE(no_text));
	end(&s, "{\"a\":\"b\",\"x y\":\"1s, {\","
		"\"n\":[-12,0.5,\"1m\",true,false,null],"
		"\"t\":\"text\",\"u\":null,\"k\":{\"key\":\"a\\\"b\"},"
		"\"a\\\"b\":{},\"k\":[\"\",null,\"a\\\"b\"],"
		"\"m\":[null,\"\",\"a\\\"b\",\"\"]}");
}

static void test_template_numbers(void **state)
{
	struct sink s;

	(void)state;
	jsonw_addf(begin(&s, 0), "[%d, %jd, %-d, %-jd, %-d, %+jd", -1,
		   INT64_MIN, -1, (int64_t)-1, 0, (int64_t)1500000000);
	jsonw_addf(&s.w, "%u, %zu, %-u, %-zu, %-u", 0u, SIZE_MAX / 2, 0u,
		   (size_t)0, 7u);
	jsonw_addf(
		&s.w,
		"%.3f, %.0f, %.12f, %-.1f, %-.1f, %.1f, %g, %i, %i, %-i, %-i]",
		1.23456, 2.5, 1e-12, -0.5, 0., (double)NAN, 0.1, true, false,
		-1, 1);
	end(&s, "[-1,-9223372036854775808,null,null,0,"
		"\"1970-01-01T00:00:01.500000000Z\","
		"0,9223372036854775807,null,null,7,"
		"1.235,2,0.000000000001,null,0,null,0.1,true,false,null,true]");
}

/* What is left open is closed later, with its commas and lines. */
static void test_template_parts(void **state)
{
	struct sink s;

	(void)state;
	jsonw_addf(begin(&s, 2), "{list:[1");
	jsonw_i64(&s.w, 2);
	jsonw_addf(&s.w, "], of:");
	jsonw_addf(&s.w, "{}}");
	end(&s, "{\n"
		"  \"list\": [\n"
		"    1,\n"
		"    2\n"
		"  ],\n"
		"  \"of\": {}\n"
		"}");
}

static void test_one_line(void **state)
{
	struct sink s;

	(void)state;
	write_sample(begin(&s, 0));
	end(&s, "{\"list\":[1,[],{\"x\":null}],\"ok\":true,\"empty\":{}}");
}

static void test_indented(void **state)
{
	struct sink s;

	(void)state;
	write_sample(begin(&s, 2));
	end(&s, "{\n"
		"  \"list\": [\n"
		"    1,\n"
		"    [],\n"
		"    {\n"
		"      \"x\": null\n"
		"    }\n"
		"  ],\n"
		"  \"ok\": true,\n"
		"  \"empty\": {}\n"
		"}");
}

static void test_documents_in_a_row(void **state)
{
	struct sink s;
	struct jsonw *w = begin(&s, 0);

	(void)state;
	jsonw_array(w);
	jsonw_array_end(w);
	out_char(&s.out, '\n');
	jsonw_i64(w, 1);
	end(&s, "[]\n1");
}

static void test_scalars(void **state)
{
	struct sink s;
	struct jsonw *w = begin(&s, 0);

	(void)state;
	jsonw_array(w);
	jsonw_i64(w, INT64_MIN);
	jsonw_text(w, NULL);
	jsonw_text(w, "a\"b");
	jsonw_str(w, (struct str){ "\0<", 2 });
	jsonw_bool(w, false);
	jsonw_array_end(w);
	end(&s, "[-9223372036854775808,null,\"a\\\"b\","
		"\"\\u0000\\u003c\",false]");
}

static void check_f64(double value, int max_decimals, const char *expected)
{
	struct sink s;

	jsonw_f64(begin(&s, 0), value, max_decimals);
	end(&s, expected);
}

static void test_doubles(void **state)
{
	(void)state;
	check_f64(0, 4, "0");
	check_f64(-0.0, 4, "0");
	check_f64(-0.00001, 4, "0");
	check_f64(0.65, 4, "0.65");
	check_f64(0.123456, 4, "0.1235");
	check_f64(1, 4, "1");
	check_f64(100, 0, "100");
	check_f64(1234567.891, 2, "1234567.89");
	check_f64(1e300, 2, "1e+300");
	check_f64(NAN, 2, "null");
	check_f64(INFINITY, 2, "null");
	check_f64(-INFINITY, -1, "null");
	check_f64(0.1, -1, "0.1");
	check_f64(1.0 / 3, -1, "0.3333333333333333");
	check_f64(5e-324, -1, "4.94065645841247e-324");
	check_f64(DBL_MAX, -1, "1.7976931348623157e+308");
	check_f64(9007199254740993.0, -1, "9007199254740992");
	check_f64(-2.5, -1, "-2.5");
}

static void test_exact_doubles_read_back(void **state)
{
	double value = 1.0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct sink s;
		double back = 0;

		value = value * 1.37 + 0.001;
		if (!isfinite(value))
			value = 1e-300;
		jsonw_f64(begin(&s, 0), value, -1);
		assert_true(parse_f64(buf_str(&s.buf), &back));
		assert_true(back >= value && back <= value);
		buf_release(&s.buf);
	}
}

static void test_no_locale(void **state)
{
	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		SKIP_BECAUSE(NO_GERMAN);
	check_f64(0.5, 2, "0.5");
	check_f64(1234.5, -1, "1234.5");
	setlocale(LC_NUMERIC, "C");
}

static void check_thousandths(int64_t value, const char *expected)
{
	struct sink s;
	struct jsonw *w = begin(&s, 0);

	jsonw_thousandths(w, value);
	assert_string_equal(buf_text(&s.buf), expected);
	buf_release(&s.buf);
}

static void test_thousandths(void **state)
{
	(void)state;
	check_thousandths(0, "0.000");
	check_thousandths(7, "0.007");
	check_thousandths(-1999, "-1.999");
	check_thousandths(INT64_MAX, "9223372036854775.807");
	check_thousandths(INT64_MIN, "-9223372036854775.808");
}

/* Past the depth that readers take, nothing breaks. */
static void test_too_deep(void **state)
{
	struct sink s;
	struct jsonw *w = begin(&s, 0);
	unsigned depth = LIMIT_JSON_DEPTH + 5;

	(void)state;
	for (unsigned i = 0; i < depth; i++)
		jsonw_array(w);
	for (unsigned i = 0; i < depth; i++)
		jsonw_array_end(w);
	assert_int_equal(s.buf.len, 2 * depth);
	assert_int_equal(w->depth, 0);
	buf_release(&s.buf);
}

UNIT_TESTS(jsonw)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_template),
		cmocka_unit_test(test_template_numbers),
		cmocka_unit_test(test_template_parts),
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_indented),
		cmocka_unit_test(test_documents_in_a_row),
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_exact_doubles_read_back),
		cmocka_unit_test(test_no_locale),
		cmocka_unit_test(test_thousandths),
		cmocka_unit_test(test_too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
