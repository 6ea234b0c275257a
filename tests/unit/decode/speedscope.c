/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#define FRAMES                                                                 \
	"\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.c\","         \
	"\"line\":3},{\"name\":\"f\"},{\"name\":\"g\",\"col\":1}]}"
#define DOCUMENT(profiles) "{" FRAMES ",\"profiles\":[" profiles "]}"
#define SAMPLED(unit, samples, weights)                                        \
	"{\"type\":\"sampled\",\"unit\":\"" unit "\",\"samples\":" samples     \
	",\"weights\":" weights "}"
#define EVENTED(unit, events)                                                  \
	"{\"type\":\"evented\",\"unit\":\"" unit "\",\"events\":[" events "]}"
#define OPEN(frame, at) "{\"type\":\"O\",\"frame\":" frame ",\"at\":" at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" frame ",\"at\":" at "}"

static struct notes notes;

static bool decode(const char *text, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_SPEEDSCOPE, str_from(text), &want, p,
			      &notes, &err);
}

static void expect(const char *text, const char *folded)
{
	struct profile p;

	assert_decoded(decode(text, "", &p));
	assert_folded(&p, folded);
	profile_release(&p);
}

static void refuse(const char *text, enum error_code code, const char *part)
{
	struct profile p;

	assert_refused(decode(text, "", &p), code, part);
	profile_release(&p);
}

static void test_samples(void **state)
{
	struct profile p;

	(void)state;
	expect(DOCUMENT(SAMPLED("none", "[[0],[0,1],[0,1]]", "[1,2,3]")),
	       "main 1\nmain;f 5\n");
	expect(DOCUMENT("{\"type\":\"sampled\",\"unit\":\"none\","
			"\"samples\":[[0],[0],[]]}"),
	       "main 2\n");
	/* Frames, weights and the unit may stand behind what needs them. */
	expect("{\"profiles\":[{\"weights\":[4],\"samples\":[[2]],"
	       "\"unit\":\"microseconds\"}]," FRAMES "}",
	       "g 4000\n");
	assert_decoded(decode(
		DOCUMENT(SAMPLED("milliseconds", "[[0]]", "[1.5]")), "", &p));
	assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
	assert_true(str_equal(profile_type_name(&p), STR("time")));
	assert_int_equal(p.total, 1500000);
	assert_int_equal(p.frames[0].line, 3);
	assert_true(str_equal(function_file(&p, 0), STR("a.c")));
	profile_release(&p);
}

static void test_events(void **state)
{
	(void)state;
	expect(DOCUMENT(EVENTED(
		       "milliseconds",
		       OPEN("0", "5") "," OPEN("1", "7") "," CLOSE("1", "8.5") "," CLOSE(
			       "0", "9") "," OPEN("2", "20") "," CLOSE("2",
								       "21"))),
	       "g 1000000\nmain 2500000\nmain;f 1500000\n");
	/* A frame that is never closed has no time behind its last event. */
	expect(DOCUMENT(EVENTED("none", OPEN("0", "1") "," OPEN("1", "3"))),
	       "main 2\n");
}

#define ENDS(kind, from, to, rest)                                             \
	"{\"type\":\"" kind "\",\"unit\":\"seconds\",\"startValue\":" from   \
	",\"endValue\":" to "," rest "}"
#define BUSY "\"samples\":[[0],[1]],\"weights\":[4,2]"
#define IDLE "\"samples\":[[0],[]],\"weights\":[4,2]"
#define RUN "\"events\":[" OPEN("0", "3") "," CLOSE("0", "7") "]"

/* Where it is told, and not only what the samples add up to. */
static void test_length(void **state)
{
	static const struct {
		const char *text;
		int64_t length_ns;
	} cases[] = {
		{ DOCUMENT(ENDS("evented", "2", "12", RUN)), 10000000000 },
		{ DOCUMENT(ENDS("evented", "2", "12", RUN) "," ENDS(
			  "evented", "0.5", "9", RUN)),
		  11500000000 },
		{ DOCUMENT(ENDS("sampled", "0", "6", IDLE)), 6000000000 },
		{ DOCUMENT(ENDS("sampled", "0", "6", BUSY)), 0 },
		{ DOCUMENT(ENDS("sampled", "0", "10", BUSY)), 10000000000 },
		{ DOCUMENT(ENDS("sampled", "0", "null", BUSY)), 0 },
		{ DOCUMENT(ENDS("evented", "12", "2", RUN)), 0 },
		{ DOCUMENT(EVENTED("seconds", OPEN("0", "3") "," CLOSE(
						      "0", "7"))),
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile p;

		assert_decoded(decode(cases[i].text, "", &p));
		assert_int_equal(p.duration_ns, cases[i].length_ns);
		profile_release(&p);
	}
}

/* Cut off: what is open lasts until the end, or to the last event. */
static void test_open_frames(void **state)
{
	static const char opened[] = "\"events\":[" OPEN("0", "0") "," OPEN(
		"1", "0.01") "]";
	struct profile p;
	char text[1024];

	(void)state;
	for (unsigned has_end = 0; has_end < 2; has_end++) {
		snprintf(text, sizeof text,
			 "{" FRAMES ",\"profiles\":[{\"type\":\"evented\","
			 "\"unit\":\"seconds\",%s%s}]}",
			 has_end ? "\"startValue\":0,\"endValue\":0.05," : "",
			 opened);
		assert_decoded(decode(text, "", &p));
		assert_folded(&p, has_end ? "main 10000000\nmain;f 40000000\n"
					  : "main 10000000\n");
		assert_int_equal(notes.count, 1);
		assert_non_null(strstr(notes.text[0], "2 frames are open"));
		profile_release(&p);
	}
}

/* Units of time add up; bytes beside them are told to be left out. */
static void test_units_of_threads(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode(
		DOCUMENT(SAMPLED("milliseconds", "[[0]]", "[1]") "," SAMPLED(
			"seconds", "[[1]]", "[2]") "," SAMPLED("bytes", "[[2]]",
							       "[3]")),
		"", &p));
	assert_folded(&p, "f 2000000000\nmain 1000000\n");
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "1 profile of another unit is "));
	profile_release(&p);
}

/* dotnet-trace ends stacks in what the thread did. */
static void test_states(void **state)
{
	static const char text[] =
		"{\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"CPU_TIME\"}"
		",{\"name\":\"UNMANAGED_CODE_TIME\"}]},\"profiles\":[" SAMPLED(
			"milliseconds", "[[0,1],[0,2],[2]]",
			"[6,3,1]") "]}";
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", &p));
	assert_folded(&p, "UNMANAGED_CODE_TIME 1000000\nmain 9000000\n");
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "30.0 % are in no managed code"));
	profile_release(&p);
}

/* pyinstrument gives what a function does itself a frame of its own. Alone it
 * is a name, and a first frame at the end of a stack is one that recurs. */
static void test_self(void **state)
{
	static const char text[] =
		"{\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"[self]\"}"
		",{\"name\":\"busy\"}]},\"profiles\":[" SAMPLED(
			"none", "[[0,1],[0,2,1],[0,2,0],[1]]",
			"[6,3,2,1]") "]}";
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", &p));
	assert_folded(&p, "[self] 1\nmain 6\nmain;busy 3\nmain;busy;main 2\n");
	assert_int_equal(notes.count, 0);
	profile_release(&p);
}

static void test_numbers(void **state)
{
	(void)state;
	expect(DOCUMENT(SAMPLED("seconds", "[[0]]", "[1.0000000004]")),
	       "main 1000000000\n");
	expect(DOCUMENT(SAMPLED("seconds", "[[0]]", "[1.0000000005]")),
	       "main 1000000001\n");
	expect(DOCUMENT(SAMPLED("none", "[[0]]", "[2.5e+1]")), "main 25\n");
	expect(DOCUMENT(SAMPLED("none", "[[0]]", "[1e-99999999999]")), "");
	expect(DOCUMENT(SAMPLED("none", "[[0]]", "[-3]")), "main -3\n");
	expect(DOCUMENT(SAMPLED("nanoseconds", "[[0]]",
				"[9223372036854775807]")),
	       "main 9223372036854775807\n");
	refuse(DOCUMENT(SAMPLED("nanoseconds", "[[0]]", "[1e19]")),
	       ERROR_FORMAT, "out of range");
	refuse(DOCUMENT(SAMPLED("seconds", "[[0]]", "[9223372037]")),
	       ERROR_FORMAT, "out of range");
}

/* Threads are added up; of several units one is chosen. */
static void test_several(void **state)
{
	static const char *const text =
		DOCUMENT(SAMPLED("bytes", "[[0]]", "[10]") "," SAMPLED(
			"seconds", "[[1]]", "[1]") "," SAMPLED("milliseconds",
							       "[[1]]", "[2]"));
	struct profile p;

	(void)state;
	expect(text, "main 10\n");
	assert_decoded(decode(text, "time", &p));
	assert_folded(&p, "f 1002000000\n");
	profile_release(&p);
	assert_refused(decode(text, "mutex", &p), ERROR_NOT_FOUND, "time");
	profile_release(&p);
	assert_decoded(decode(DOCUMENT(SAMPLED("seconds", "[[1]]", "[1]")),
			      "cpu/nanoseconds", &p));
	assert_true(str_equal(profile_type_name(&p), STR("cpu")));
	profile_release(&p);
}

static void test_damage(void **state)
{
	(void)state;
	expect("{\"profiles\":[]}", "");
	refuse(DOCUMENT(SAMPLED("none", "[[3]]", "[1]")), ERROR_FORMAT,
	       "a frame is missing");
	refuse(DOCUMENT(SAMPLED("none", "[[0]]", "[1,2]")), ERROR_FORMAT,
	       "differ in number");
	refuse(DOCUMENT(EVENTED("none", OPEN("0", "1") "," CLOSE("1", "2"))),
	       ERROR_FORMAT, "not the last one opened");
	refuse(DOCUMENT(EVENTED("none", CLOSE("0", "1"))), ERROR_FORMAT,
	       "not the last one opened");
	refuse(DOCUMENT(EVENTED("none", OPEN("0", "2") "," CLOSE("0", "1"))),
	       ERROR_FORMAT, "back in time");
	refuse(DOCUMENT(EVENTED("none", "{\"type\":\"O\",\"frame\":0}")),
	       ERROR_FORMAT, "missing or out of range");
	refuse("{\"profiles\":[{\"samples\":[[0", ERROR_FORMAT, "");
	refuse(DOCUMENT("") "x", ERROR_FORMAT, "");
}

/* Cut anywhere, and with any byte changed, nothing breaks. */
static void test_mutations(void **state)
{
	static const char text[] = DOCUMENT(
		SAMPLED("seconds", "[[0],[0,1]]", "[1,2.5]") "," EVENTED(
			"none", OPEN("0", "1") "," CLOSE("0", "2")));
	char changed[sizeof text];
	struct profile p;

	(void)state;
	for (size_t i = 0; i < sizeof text - 1; i++) {
		for (const char *c = "09-[]{}\",x"; *c; c++) {
			memcpy(changed, text, sizeof text);
			changed[i] = *c;
			(void)decode(changed, "", &p);
			profile_release(&p);
		}
		memcpy(changed, text, sizeof text);
		changed[i] = '\0';
		assert_false(decode(changed, "", &p));
		profile_release(&p);
	}
	error_clear(&err);
}

static bool decode_bytes(struct str bytes, const struct profile_want *want,
			 struct profile *p, struct notes *said,
			 struct error *failed)
{
	return decode_profile(FORMAT_SPEEDSCOPE, bytes, want, p, said, failed);
}

static void test_starvation(void **state)
{
	(void)state;
	assert_survives_starvation(
		decode_bytes,
		STR(DOCUMENT(SAMPLED("seconds", "[[0],[0,1]]", "[1,2]"))));
}

UNIT_TESTS(speedscope)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_open_frames),
		cmocka_unit_test(test_units_of_threads),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
