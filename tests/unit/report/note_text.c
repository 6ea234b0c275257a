/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "analyze/contrasts.h"
#include "base/num.h"
#include "report/slo_answer.h"
#include "report/texts.h"

static struct notes notes;

static int setup(void **state)
{
	(void)state;
	notes_init(&notes);
	return 0;
}

static void expect(struct note note, const char *want)
{
	size_t count = notes.count;

	note_text_add(&note, &notes);
	assert_int_equal(notes.count, count + 1);
	assert_string_equal(notes.text[count], want);
}

/* Whatever an investigation can say has a sentence, and only one. */
static void each_fact_has_words(void **state)
{
	const struct cohorts cohorts = { .window_count = 4 };
	struct str values[] = { STR("a"), STR("b"), STR("c"), STR("d") };
	const struct name_list names = { values, COUNT_OF(values) };
	struct note note = { .name = STR("name"),
			     .text = STR("text"),
			     .cohorts = &cohorts,
			     .names = &names,
			     .reason = "why",
			     .count = 2,
			     .total = 3 };

	(void)state;
	for (int i = 0; i < NOTE_KINDS; i++) {
		notes_init(&notes);
		note.kind = (enum note_kind)i;
		note_text_add(&note, &notes);
		assert_int_equal(notes.count, 1);
		assert_null(strstr(notes.text[0], "(null)"));
	}
}

static void numbers_and_names_stand_in_them(void **state)
{
	(void)state;
	expect((struct note){ .kind = NOTE_LINKS_FOLLOWED,
			      .count = 1,
			      .total = 1 },
	       "1 other trace, found by span links, is part of this answer");
	expect((struct note){ .kind = NOTE_LINKS_FOLLOWED,
			      .count = 3,
			      .total = 12 },
	       "3 other traces, found by span links, are part of this answer; "
	       "links lead to more");
	expect((struct note){ .kind = NOTE_LINKS_NOT_ASKED,
			      .reason = "Jaeger" },
	       "consumers of its messages may be in other traces: Jaeger "
	       "cannot search for traces that link to this one");
	expect((struct note){ .kind = NOTE_WHOLE_RUNS,
			      .slow_ns = 8510000000,
			      .base_ns = 6360000000 },
	       "the profiles cover 6.4 s (baseline) and 8.5 s, like whole "
	       "runs: compared per run; --normalize rate compares per second");
	expect((struct note){ NOTE_LENGTH_UNKNOWN },
	       "the recording time is not known: compared by share of the "
	       "total; --normalize value compares absolute values");
	expect((struct note){ .kind = NOTE_FILTERED,
			      .name = STR("baseline"),
			      .percent = 12.34 },
	       "the filters leave 12.3 % of the baseline; shares are of the "
	       "whole");
	expect((struct note){ .kind = NOTE_FILTERED_SIDE,
			      .name = STR("profile"),
			      .percent = 46.2 },
	       "the filters keep 46.2 % of the profile; the whole answer "
	       "covers that part");
	expect((struct note){ .kind = NOTE_SIDE_MISSING,
			      .name = STR("profile"),
			      .reason = "no route" },
	       "profile: no route");
	expect((struct note){ .kind = NOTE_QUESTIONS_UNANSWERED,
			      .count = 2,
			      .total = 9,
			      .reason = "quota" },
	       "2 of 9 queries for other traces failed: quota");
	expect((struct note){ .kind = NOTE_NAME_OTHER, .name = STR("eu/shop") },
	       "profiles of this service are sent as \"eu/shop\"");
	expect((struct note){ .kind = NOTE_UNLIKE_OTHERS },
	       "most other requests in these minutes are no slower than normal "
	       "where this one was slow");
	expect((struct note){ .kind = NOTE_UNLIKE_OTHERS,
			      .name = STR("auth"),
			      .text = STR("GET /session"),
			      .slow_ns = 4250000,
			      .base_ns = 59000 },
	       "most other requests in these minutes are no slower than normal "
	       "where this one was slow; they became slower in auth GET "
	       "/session: 4.25 ms self time, normally 59 us");
	expect((struct note){ .kind = NOTE_BACKGROUND_LEFT_OUT,
			      .percent = 96.4 },
	       "only stacks that serve requests are shown: 96 % of the profile "
	       "is background work");
	expect((struct note){ .kind = NOTE_CALLS_LEFT_OUT },
	       "waits for other services are left out of the profile: the "
	       "spans of those calls show them");
}

/* What of a sample was not looked at, one of them and several. */
static void one_is_not_several(void **state)
{
	struct slo_spent s = { .wanted = 20,
			       .spent = { .count = 17 },
			       .missing_count = 1,
			       .unread_count = 1,
			       .late_count = 1 };

	(void)state;
	strcpy(s.reason.message, "why");
	slo_add_spent_notes(&s, &notes);
	assert_string_equal(notes.text[0], "no trace was found for 1 bad "
					   "request of the sample");
	assert_string_equal(notes.text[1],
			    "1 trace of a bad request was not read: why");
	assert_string_equal(notes.text[2],
			    "1 of 20 bad requests of the sample was not "
			    "examined within --timeout");
	s.unread_count = 2;
	notes_init(&notes);
	slo_add_spent_notes(&s, &notes);
	assert_string_equal(notes.text[1],
			    "2 traces of bad requests were not read: why");
}

UNIT_TESTS(note_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_fact_has_words, setup),
		cmocka_unit_test_setup(numbers_and_names_stand_in_them, setup),
		cmocka_unit_test_setup(one_is_not_several, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
