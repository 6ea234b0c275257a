/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/answers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void basis_is(const struct trace_search *s, const char *wanted)
{
	struct buf out;

	buf_init(&out, LIMIT_ERROR_BYTES);
	search_text_add_basis(s, &out);
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

static void test_basis(void **state)
{
	struct trace_search s = { .duration_count = 200 };

	(void)state;
	basis_is(&s, "200 traces");
	s.duration_count = 1;
	basis_is(&s, "1 trace");
	s.is_first_sample = true;
	s.duration_count = 1200;
	basis_is(&s, "a sample of 1,200 traces");
	s.buckets.total = 5;
	s.counted = FIND_COUNTS_REQUESTS;
	basis_is(&s, "all 5 requests counted by the server");
}

static void note_is(const struct trace_search *s, const char *wanted)
{
	struct notes notes;

	notes_init(&notes);
	search_text_add_notes(s, &notes);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.text[0], wanted);
}

static void test_notes(void **state)
{
	const struct trace_search one = { .hidden_count = 1 };
	const struct trace_search held = { .held_count = 2 };
	const struct trace_search sample = {
		.is_sample = true,
		.bound_ns = 2 * NS_PER_S,
		.query.trace_limit = 100,
	};

	(void)state;
	note_is(&one, "1 health check hidden; --all shows it");
	note_is(&held, "the traces that 2 searches of the case found, "
		       "whatever they looked for");
	note_is(&sample,
		"a sample: at least 100 traces took 2 s or longer, and the "
		"server returns the first matches; narrow it with --since, "
		"--name or --min-duration");
}

static void test_unusual(void **state)
{
	struct hit login = { .root_service = STR("web"),
			     .root_name = STR("login"),
			     .duration_ns = 40 * NS_PER_MS };
	struct hit session = { .root_service = STR("web"),
			       .root_name = STR("session"),
			       .duration_ns = 26 * NS_PER_MS };
	struct trace_search s = {
		.unusual = { .hit = &session,
			     .count = 133,
			     .now_ns = 25 * NS_PER_MS,
			     .usual_ns = 2 * NS_PER_MS,
			     .percent = 50,
			     .as_ever = &login },
	};
	const struct typical_hit typical = { 0, 0 };
	struct notes notes;

	(void)state;
	notes_init(&notes);
	search_text_add_choice(&s, &typical, &notes);
	assert_string_equal(
		notes.text[0],
		"chose trace 00000000000000000000000000000000: web session, 26 "
		"ms; its p50 is 12.5x the baseline, 25 ms instead of 2 ms, "
		"over 133 traces; longer, but no slower than normal: web "
		"login");
}

static void lack_is(const struct trace_search *s, const char *wanted)
{
	struct error err = { 0 };

	error_set(&err, ERROR_NOT_FOUND, "%s", "");
	assert_false(search_text_explain(s, &err));
	assert_string_equal(err.message, wanted);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
}

static void test_nothing_found(void **state)
{
	struct str names[] = { STR("cart"), STR("front") };
	struct str many[] = { STR("service 1"), STR("service 2"),
			      STR("service 3"), STR("service 4"),
			      STR("service 5"), STR("service 6"),
			      STR("service 7"), STR("service 8"),
			      STR("service 9"), STR("service 10"),
			      STR("service 11") };
	struct trace_search s = {
		.query = { .service = STR("carts"), .name = STR("GET /") },
		.lack = { .kind = SEARCH_LACKS_SERVICE, .names = { names, 2 } },
	};

	(void)state;
	lack_is(&s, "no traces with service \"carts\"; nearest: \"cart\"");
	s.lack.kind = SEARCH_LACKS_OPERATION;
	lack_is(&s, "no traces of service \"carts\" with operation \"GET /\"; "
		    "there are \"cart\", \"front\"");
	s.lack.names.count = 11;
	s.query.name = STR("-");
	s.lack.names.items = many;
	lack_is(&s, "no traces of service \"carts\" with operation \"-\"; the "
		    "trace server has 11 others");
	s.query.name = STR("");
	s.lack.kind = SEARCH_LACKS_TRACES;
	lack_is(&s, "no traces of service \"carts\" between "
		    "1970-01-01T00:00:00Z and 1970-01-01T00:00:00Z; widen with "
		    "--since 24h, or run tracefind doctor");
	s.lack.is_looked_back = true;
	s.lack.found_ns = NS_PER_MIN;
	lack_is(&s, "no traces of service \"carts\" between "
		    "1970-01-01T00:00:00Z and 1970-01-01T00:00:00Z; earlier "
		    "seen at 1970-01-01T00:01:00Z: --around "
		    "1970-01-01T00:01:00Z");
	s.hidden_count = 3;
	lack_is(&s, "only health checks found (3); --all shows them");
}

/* What failed for another reason has its words already. */
static void test_other_errors_stay(void **state)
{
	const struct trace_search s = { .lack.kind = SEARCH_LACKS_NOTHING };
	struct error err;

	(void)state;
	error_set(&err, ERROR_NETWORK, "no way");
	assert_false(search_text_explain(&s, &err));
	assert_string_equal(err.message, "no way");
}

UNIT_TESTS(search_text)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basis),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_unusual),
		cmocka_unit_test(test_nothing_found),
		cmocka_unit_test(test_other_errors_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
