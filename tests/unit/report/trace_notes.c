/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

static void expect(const struct trace *t, const char *note)
{
	struct notes notes;

	notes_init(&notes);
	trace_notes_add(t, &notes);
	assert_int_equal(notes.count, note != NULL);
	if (note)
		assert_string_equal(notes.text[0], note);
}

#define EXPECT(note, ...)                                                      \
	expect(&(struct trace){ .oddities = { __VA_ARGS__ } }, note)

static void nothing_odd(void **state)
{
	(void)state;
	expect(&(struct trace){ .span_count = 3 }, NULL);
}

static void other_traces(void **state)
{
	(void)state;
	EXPECT("1 span belongs to another trace and was left out",
	       .foreign_count = 1);
	EXPECT("2 spans belong to other traces and were left out",
	       .foreign_count = 2);
	EXPECT("the input holds 2 traces; the longest, "
	       "00000000000000000000000000000000, was taken; there is "
	       "01000000000000000000000000000000 (--traces-url file:PATH and "
	       "an id choose)",
	       .trace_count = 2, .others = { { { 1 } } }, .other_count = 1);
	EXPECT("the input holds 9 traces; the longest, "
	       "00000000000000000000000000000000, was taken; there are "
	       "01000000000000000000000000000000, "
	       "02000000000000000000000000000000, ... (--traces-url file:PATH "
	       "and an id choose)",
	       .trace_count = 9, .others = { { { 1 } }, { { 2 } } },
	       .other_count = 2);
}

static void of_servers(void **state)
{
	(void)state;
	EXPECT("the server gave only the first spans of a longer trace",
	       .is_cut_by_server = true);
	EXPECT("the server moved 1 span in time to correct clock skew",
	       .moved_count = 1);
	EXPECT("2 spans were moved in time by the server to correct clock skew",
	       .moved_count = 2);
}

static void limits(void **state)
{
	(void)state;
	EXPECT("1 text over 64 KiB was cut to that length", .trimmed_count = 1);
	EXPECT("3 texts over 64 KiB were cut to that length",
	       .trimmed_count = 3);
	EXPECT("1 attribute past the 1024th of its span was left out",
	       .attrs_over_count = 1);
	EXPECT("2 attributes past the 1024th of their span were left out",
	       .attrs_over_count = 2);
	EXPECT("1 event, link or attribute past the 40,000th of its span was "
	       "left out",
	       .details_over_count = 1);
	EXPECT("2 events, links and attributes past the 40,000th of their span "
	       "were left out",
	       .details_over_count = 2);
}

static void times(void **state)
{
	(void)state;
	EXPECT("1 span has an impossible time (clock not set?); it counts as "
	       "zero length",
	       .impossible_count = 1);
	EXPECT("4 spans have impossible times (clock not set?); they count as "
	       "zero length",
	       .impossible_count = 4);
	EXPECT("1 span has no end (still running or lost?); it counts as zero "
	       "length",
	       .open_count = 1);
	EXPECT("2 spans have no end (still running or lost?); they count as "
	       "zero length",
	       .open_count = 2);
	EXPECT("1 span ends before it starts; it counts as zero length",
	       .backwards_count = 1);
	EXPECT("2 spans end before they start; they count as zero length",
	       .backwards_count = 2);
	EXPECT("1 span starts or ends outside its parent's time (clock skew?)",
	       .outside_count = 1);
	EXPECT("2 spans start or end outside their parent's time (clock skew?)",
	       .outside_count = 2);
	EXPECT("1 span went on after its caller had failed",
	       .abandoned_count = 1);
	EXPECT("2 spans went on after their callers had failed",
	       .abandoned_count = 2);
}

static void ids(void **state)
{
	(void)state;
	EXPECT("2 spans share one id; the longer was kept",
	       .duplicate_count = 1);
	EXPECT("2 spans repeat the id of another; the longest of each id was "
	       "kept",
	       .duplicate_count = 2);
	EXPECT("1 span had a parent chain that forms a cycle; it was cut",
	       .cycle_count = 1);
	EXPECT("2 spans had parent chains that form a cycle; they were cut",
	       .cycle_count = 2);
	expect(&(struct trace){ .orphan_count = 1 },
	       "1 span names a parent that is not in the trace (incomplete "
	       "trace?)");
	expect(&(struct trace){ .orphan_count = 1,
				.root_count = 1,
				.oddities = { .adopted_count = 1 } },
	       "1 span names a parent that is not in the trace; it counts "
	       "below the span whose unexplained time it fills");
	expect(&(struct trace){ .orphan_count = 2 },
	       "2 spans name a parent that is not in the trace (incomplete "
	       "trace?)");
}

UNIT_TESTS(trace_notes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_odd), cmocka_unit_test(other_traces),
		cmocka_unit_test(of_servers),  cmocka_unit_test(limits),
		cmocka_unit_test(times),       cmocka_unit_test(ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
