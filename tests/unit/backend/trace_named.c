/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "backend/fetch_trace.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"

static void expect_id(const char *text, const char *hex)
{
	struct error err = { 0 };
	struct trace_arg arg;
	char got[33];

	if (!trace_arg_parse(text, &arg, &err))
		fail_msg("%s: %s", text, err.message);
	assert_null(arg.path);
	trace_id_format(&arg.id, got);
	assert_string_equal(got, hex);
}

static void expect_failure(const char *text, const char *part)
{
	struct error err = { 0 };
	struct trace_arg arg;

	if (trace_arg_parse(text, &arg, &err))
		fail_msg("%s was taken", text);
	assert_true(err.code == ERROR_USAGE || err.code == ERROR_NOT_FOUND);
	if (!strstr(err.message, part))
		fail_msg("%s: \"%s\" lacks \"%s\"", text, err.message, part);
}

static void ids_are_read_in_every_spelling(void **state)
{
	(void)state;
	expect_id(ID, ID);
	expect_id("4BF92F3577B34DA6A3CE929D0E0E4736", ID);
	expect_id("  " ID "\n", ID);
	expect_id("0x" ID, ID);
	expect_id("trace_id=" ID, ID);
	expect_id("traceID: " ID, ID);
	expect_id("\"traceId\": \"" ID "\",", ID);
	expect_id("traceparent: 00-" ID "-00f067aa0ba902b7-01", ID);
	expect_id("traceparent='00-" ID "-00f067aa0ba902b7-01'", ID);
	expect_failure("span_id=" ID, "is not a trace");
	expect_failure("trace_id=", "is not a trace");
}

static void short_ids_get_their_zeros_back(void **state)
{
	(void)state;
	expect_id("e1e1e1e1e1e1e1e1", "0000000000000000e1e1e1e1e1e1e1e1");
	expect_id("1", "00000000000000000000000000000001");
	expect_id("0x5", "00000000000000000000000000000005");
	expect_id("ABC", "00000000000000000000000000000abc");
	expect_id("4bf92f3577b34da6a3ce929d0e0e473",
		  "04bf92f3577b34da6a3ce929d0e0e473");
	expect_id("f067aa0ba902b7", "000000000000000000f067aa0ba902b7");
}

static void expect_doubt(const char *text, const char *doubt)
{
	struct error err = { 0 };
	struct trace_arg arg;
	struct buf out;

	assert_true(trace_arg_parse(text, &arg, &err));
	buf_init(&out, LIMIT_ERROR_BYTES);
	trace_arg_doubt(&arg, text, &out);
	assert_string_equal(buf_text(&out), doubt);
	buf_release(&out);
}

static void what_else_a_short_id_means_is_said(void **state)
{
	(void)state;
	expect_doubt(ID, "");
	expect_doubt("00-" ID "-00f067aa0ba902b7-01", "");
	expect_doubt("4bf92f3577b34da6a3ce929d0e0e473",
		     " (the 31 digits given, with zeros in front; no file has "
		     "that name either)");
	expect_doubt("http://localhost:16686/trace/5",
		     " (the 1 digit given, with zeros in front)");
	expect_doubt("00f067aa0ba902b7",
		     " (16 digits are also a span's id: give the trace's, and "
		     "the span's with --span)");
	expect_doubt("67667974448284343",
		     " (if this is a decimal number: give 00f067aa0ba902b7)");
	/* More than 64 bits hold. */
	expect_doubt("18446744073709551616",
		     " (the 20 digits given, with zeros in front; no file has "
		     "that name either)");
}

static void a_traceparent_gives_trace_and_span(void **state)
{
	struct error err = { 0 };
	struct trace_arg arg;

	(void)state;
	assert_true(
		trace_arg_parse("00-" ID "-00f067aa0ba902b7-01", &arg, &err));
	assert_int_equal(arg.span_id, 0x00f067aa0ba902b7);
	expect_id("00-" ID "-00f067aa0ba902b7-01", ID);
}

static void urls_of_user_interfaces_hold_ids(void **state)
{
	(void)state;
	expect_id("http://localhost:16686/trace/" ID "?uiFind=x", ID);
	expect_id("https://t.example/tempo/api/v2/traces/" ID, ID);
	expect_id("https://g.example/explore?left=%7B%22queries%22:%5B%7B%22"
		  "query%22:%22" ID "%22%7D%5D%7D",
		  ID);
	expect_id("https://g.example/explore?left=%257B%2522query%2522:%2522" ID
		  "%2522%257D",
		  ID);
	expect_id("http://localhost:16686/trace/e1e1e1e1e1e1e1e1",
		  "0000000000000000e1e1e1e1e1e1e1e1");
	expect_id("http://localhost:16686/trace/ab12",
		  "0000000000000000000000000000ab12");
	expect_id("http://localhost:16686/trace/ab12?uiFind=00f067aa0ba902b7",
		  "0000000000000000000000000000ab12");
	expect_id("https://g.example/api/traces/v1/a/tempo/api/traces/ab12/",
		  "0000000000000000000000000000ab12");
	expect_id("https://g.example/explore?left=%7B%22queries%22:%5B%7B%22"
		  "query%22:%22224fa3ad8d83888947811521f18b1c8%22%7D%5D%7D",
		  "0224fa3ad8d83888947811521f18b1c8");
	expect_failure("https://g.example/explore", "no trace id in the URL");
	expect_failure("http://localhost:16686/trace/abx", "no trace id");
	expect_failure("http://localhost:16686/trace/0", "no trace id");
}

static void slips_are_named(void **state)
{
	(void)state;
	expect_failure("00000000000000000000000000000000", "all zeros");
	expect_failure("0000000000000000", "all zeros");
	expect_failure("0", "all zeros");
	expect_failure(ID "00", "has 34 hex digits");
	expect_failure("100907463573849873987349873498734987349",
		       "decimal number of 39 digits");
	expect_failure("trace.json", "no such file");
	expect_failure("/no/such/trace", "no such file");
	expect_failure("hello", "is not a trace");
	expect_failure("", "is not a trace");
}

static void files_and_standard_input_are_paths(void **state)
{
	struct error err = { 0 };
	struct trace_arg arg;
	char path[] = "/tmp/trace-arg-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_true(trace_arg_parse("-", &arg, &err));
	assert_string_equal(arg.path, "-");
	assert_true(trace_arg_parse(path, &arg, &err));
	assert_string_equal(arg.path, path);
	close(fd);
	unlink(path);
}

/* A link to itself is there, and no file: as with a disk that fails. An id is
 * one all the same. */
static void a_file_that_cannot_be_read_is_not_missing(void **state)
{
	struct error err = { 0 };
	struct trace_arg arg;
	char folder[] = "/tmp/trace-arg-XXXXXX";
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/trace.json", folder);
	assert_int_equal(symlink("trace.json", path), 0);
	assert_false(trace_arg_parse(path, &arg, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, "cannot read: Too many levels"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void ids_of_xray(void **state)
{
	static const char id[] = "1-4bf92f35-77b34da6a3ce929d0e0e4736";

	(void)state;
	expect_id(id, ID);
	expect_id("Root=1-4bf92f35-77b34da6a3ce929d0e0e4736", ID);
	expect_id("Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent="
		  "53995c3f42cd8ad8;Sampled=1",
		  ID);
	expect_failure("1-4bf92f35-77b34da6a3ce929d0e0e473", "is not a trace");
	expect_failure("1-4bf92f35-77b34da6a3ce929d0e0e47366", "is not a trace");
	expect_failure("1-4bf92f3x-77b34da6a3ce929d0e0e4736", "is not a trace");
	expect_failure("1-00000000-000000000000000000000000", "is not a trace");
	expect_failure("Root=", "is not a trace");
}

static void ids_as_uuids(void **state)
{
	(void)state;
	expect_id("4bf92f35-77b3-4da6-a3ce-929d0e0e4736", ID);
	expect_failure("4bf92f35-77b3-4da6-a3ce-929d0e0e473", "is not a trace");
	expect_failure("4bf92f35-77b3-4da6-a3ce-929d0e0e47366", "is not a trace");
	expect_failure("4bf92f35-77b3-4da6-a3ce-929d0e0e473x", "is not a trace");
	expect_failure("4bf92f35-77b34-da6-a3ce-929d0e0e4736", "is not a trace");
	expect_failure("00000000-0000-0000-0000-000000000000", "is not a trace");
}

static void what_google_writes_holds_ids(void **state)
{
	struct error err = { 0 };
	struct trace_arg arg;

	(void)state;
	expect_id("projects/my-project/traces/" ID, ID);
	expect_id(ID "/0;o=0", ID);
	assert_true(trace_arg_parse(ID "/2205310701640571284;o=1", &arg, &err));
	assert_int_equal(arg.span_id, 2205310701640571284);
	assert_true(trace_arg_parse(ID "/18446744073709551615", &arg, &err));
	assert_true(arg.span_id == UINT64_MAX);
	expect_failure(ID "/18446744073709551616;o=1", "no such file");
	expect_failure(ID "/;o=1", "no such file");
	expect_failure(ID "/x", "no such file");
	expect_failure("projects/my-project/traces/4bf9", "no such file");
	expect_failure("projects/my-project/traces/" ID "0", "no such file");
	expect_failure("projects/p/traces/00000000000000000000000000000000",
		       "no such file");
	expect_failure("project/my-project/traces/" ID, "no such file");
}

UNIT_TESTS(trace_named)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_read_in_every_spelling),
		cmocka_unit_test(short_ids_get_their_zeros_back),
		cmocka_unit_test(what_else_a_short_id_means_is_said),
		cmocka_unit_test(a_traceparent_gives_trace_and_span),
		cmocka_unit_test(urls_of_user_interfaces_hold_ids),
		cmocka_unit_test(ids_of_xray),
		cmocka_unit_test(ids_as_uuids),
		cmocka_unit_test(what_google_writes_holds_ids),
		cmocka_unit_test(slips_are_named),
		cmocka_unit_test(files_and_standard_input_are_paths),
		cmocka_unit_test(a_file_that_cannot_be_read_is_not_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
