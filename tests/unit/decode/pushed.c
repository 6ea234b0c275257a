/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies of pushes: recorded and made ones, and what none should be like.
 */
#include "../unit.h"
#include "profile_testing.h"

#include "base/num.h"

static struct notes notes;

static bool decode_labelled(struct str bytes, const char *type,
			    struct label_filter *labels, struct profile *p)
{
	struct profile_want want = want_of(type);

	want.labels = labels;
	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_PUSHED, bytes, &want, p, &notes, &err);
}

static bool decode(struct str bytes, const char *type, struct profile *p)
{
	return decode_labelled(bytes, type, NULL, p);
}

/* A pprof profile of one type: five of it in a place without a name. */
#define PROFILE(type)                                                          \
	"\x0a\x02\x08\x01\x32\x00\x32\x01" type                                \
	"\x12\x06\x0a\x01\x01\x12\x01\x05\x22\x02\x08\x01"
#define A_IN_BASE64 "CgIIATIAMgFhEgYKAQESAQUiAggB"
#define C_IN_BASE64 "CgIIATIAMgFjEgYKAQESAQUiAggB"

static void expect(struct str bytes, const char *type, int64_t total,
		   size_t note_count)
{
	char looks_like[160];
	struct profile p;

	assert_int_equal(format_sniff(bytes, looks_like, sizeof looks_like),
			 FORMAT_PUSHED);
	assert_decoded(decode(bytes, type, &p));
	assert_int_equal(p.total, total);
	assert_int_equal(notes.count, note_count);
	profile_release(&p);
}

static void refuse(struct str bytes, enum error_code code, const char *part)
{
	struct profile p;

	assert_refused(decode(bytes, "", &p), code, part);
	profile_release(&p);
}

/* The sums are those of go tool pprof. */
static void test_files(void **state)
{
	static const struct {
		const char *path;
		int64_t total;
		size_t notes;
	} files[] = {
		{ "pushed/ingest.form", 1530000000, 0 },
		{ "pushed/ingest-end.form", 630000000, 0 },
		{ "pushed/pyroscope.pb", 2160000000, 1 },
		{ "pushed/pyroscope.json", 2160000000, 1 },
		{ "pushed/parca.pb", 2160000000, 1 },
		{ "pushed/parca.json", 2160000000, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct buf bytes;

		read_fixture(files[i].path, &bytes);
		expect(buf_str(&bytes), "", files[i].total, files[i].notes);
		if (files[i].notes)
			assert_string_equal(notes.text[0],
					    "2 pushed profiles are added up");
		expect(buf_str(&bytes), "samples", files[i].total / 10000000,
		       files[i].notes);
		buf_release(&bytes);
	}
}

static struct label_filter *filter_new(const char *text)
{
	struct label_filter *filter =
		label_filter_new(text, NULL, &err);

	assert_non_null(filter);
	return filter;
}

/* Labels of a series are those of its samples, wherever they stand. */
static void test_labels(void **state)
{
	static const char *const files[] = {
		"pushed/pyroscope.pb",
		"pushed/pyroscope.json",
		"pushed/parca.pb",
		"pushed/parca.json",
	};
	static const struct {
		const char *filter;
		int64_t total;
	} cases[] = {
		{ "region=eu", 1530000000 },
		{ "region=us", 630000000 },
		{ "process_cpu,us", 630000000 },
		{ "service_name=shop", 2160000000 },
		{ "region=asia", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct buf bytes;

		read_fixture(files[i], &bytes);
		for (size_t k = 0; k < COUNT_OF(cases); k++) {
			struct label_filter *filter =
				filter_new(cases[k].filter);
			struct profile p;

			assert_decoded(decode_labelled(buf_str(&bytes), "",
						       filter, &p));
			assert_int_equal(p.total, cases[k].total);
			assert_int_equal(p.whole_total, 2160000000);
			profile_release(&p);
			label_filter_free(filter);
		}
		buf_release(&bytes);
	}
}

/* Those of one push are not those of what is read after it. */
static void test_labels_end(void **state)
{
	struct label_filter *filter = filter_new("us");
	struct buf push, form;
	struct profile p;

	(void)state;
	read_fixture("pushed/pyroscope.pb", &push);
	read_fixture("pushed/ingest.form", &form);
	assert_decoded(decode_labelled(buf_str(&push), "", filter, &p));
	profile_release(&p);
	assert_decoded(decode_labelled(buf_str(&form), "", filter, &p));
	assert_int_equal(p.total, 0);
	profile_release(&p);
	label_filter_free(filter);
	buf_release(&push);
	buf_release(&form);
}

#define LABELS_LAST_JSON                                                            \
	"{\"x\":[1],\"series\":[null,{\"samples\":[{\"ID\":\"7\","                  \
	"\"rawProfile\":\"" A_IN_BASE64 "\"},{\"raw_profile\":\"" A_IN_BASE64       \
	"\"},null],\"y\":{},\"labels\":[null,"                                      \
	"{\"value\":\"us\",\"z\":0,\"name\":\"region\"}]},"                         \
	"{\"labels\":{\"labels\":null},\"samples\":[{\"rawProfile\":\"" A_IN_BASE64 \
	"\"}]},{}]}"
#define LABELS_LAST_PB                                                         \
	"\x0a\x27\x12\x17\x0a\x15" PROFILE("a") "\x0a\x0c\x0a\x06"             \
						"region\x12\x02us"

/* In any order, with what nobody knows in between. */
static void test_orders(void **state)
{
	const struct str bodies[] = { STR(LABELS_LAST_JSON),
				      STR(LABELS_LAST_PB) };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		struct label_filter *filter = filter_new("region=us");
		struct profile p;

		assert_decoded(decode_labelled(bodies[i], "", filter, &p));
		assert_int_equal(p.total, i ? 5 : 10);
		profile_release(&p);
		label_filter_free(filter);
	}
}

#define JSON_OF(samples) "{\"series\":[{\"samples\":[" samples "]}]}"
#define SAMPLE(text) "{\"rawProfile\":\"" text "\"}"

#define A_C_AND_A                                                              \
	JSON_OF(SAMPLE(A_IN_BASE64) "," SAMPLE(C_IN_BASE64) "," SAMPLE(        \
		A_IN_BASE64))

/* The first one's type holds for all. */
static void test_types(void **state)
{
	struct profile p;

	(void)state;
	expect(STR(A_C_AND_A), "", 10, 2);
	assert_string_equal(notes.text[1],
			    "1 of 3 pushed profiles are of other types and "
			    "left out (--type)");
	expect(STR(A_C_AND_A), "c", 5, 1);
	refuse(STR(JSON_OF("")), ERROR_FORMAT, "are none at all");
	assert_refused(decode(STR(A_C_AND_A), "cpu", &p), ERROR_NOT_FOUND,
		       "no sample type \"cpu\"; it has a/");
	profile_release(&p);
}

#define PART(name) "Content-Disposition: form-data; name=\"" name "\"\r\n\r\n"

/* Of zstd: a frame that says its 21 bytes, in one block that is as it was. */
#define ZSTD_FRAME "\x28\xb5\x2f\xfd\x20\x15\xa9\x00\x00"

/* Profiles may be packed as files are. */
static void test_zstd(void **state)
{
	(void)state;
	expect(STR("\x0a\x22\x12\x20\x0a\x1e" ZSTD_FRAME PROFILE("a")), "", 5,
	       0);
	expect(STR("--m\r\n" PART("profile") ZSTD_FRAME PROFILE("a")
			   "\r\n--m--\r\n"),
	       "", 5, 0);
	refuse(STR(JSON_OF(SAMPLE("KLUv/SAV"))), ERROR_FORMAT, "");
}

static void put_many(struct buf *b, unsigned count)
{
	buf_init(b, 64 * MIB);
	buf_add_text(b, "{\"series\":[{\"samples\":[");
	for (unsigned i = 0; i < count; i++)
		buf_add_text(b,
			     i ? "," SAMPLE(A_IN_BASE64) : SAMPLE(A_IN_BASE64));
	buf_add_text(b, "]}]}");
}

static void test_many(void **state)
{
	static const unsigned counts[] = { 15, 16, 17, 33,
					   LIMIT_PUSHED_PROFILES };
	struct buf b;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		put_many(&b, counts[i]);
		expect(buf_str(&b), "", 5 * (int64_t)counts[i], 1);
		buf_release(&b);
	}
	put_many(&b, LIMIT_PUSHED_PROFILES + 1);
	refuse(buf_str(&b), ERROR_LIMIT, "are more than 1000");
	buf_release(&b);
}

static void test_forms(void **state)
{
	(void)state;
	expect(STR("--m\r\n" PART("sample_type_config") "{}\r\n--m\r\n" PART(
		       "prev_profile")
			   PROFILE("a") "\r\n--m\r\n" PART("profile")
				   PROFILE("a") "\r\n--m--\r\n"),
	       "", 5, 1);
	assert_non_null(strstr(notes.text[0], "(prev_profile) is not taken"));
	expect(STR("--m\r\nContent-Type: x/y\r\n" PART("profile")
			   PROFILE("a") "\r\n--m--"),
	       "", 5, 0);
	refuse(STR("--m\r\n" PART("other") "x\r\n--m--\r\n"), ERROR_FORMAT,
	       "are none at all");
	refuse(STR("--m\r\nContent-Disposition: form-data; name=profile"
		   "\r\n\r\nx\r\n--m--\r\n"),
	       ERROR_FORMAT, "are none at all");
	refuse(STR("--m\r\n" PART("profile") "a;b 3\r\n--m--\r\n"),
	       ERROR_FORMAT, "the pprof profile");
	refuse(STR("--m\r\n" PART("jfr") "FLR\0x\r\n--m--\r\n"), ERROR_FORMAT,
	       "the flight recording is damaged");
	refuse(STR("--m"), ERROR_FORMAT, "damaged or cut off");
	refuse(STR("--m\r\n" PART("profile") PROFILE("a") "\r\n--m"),
	       ERROR_FORMAT, "damaged or cut off");
	refuse(STR("--m\r\n" PART("profile") PROFILE("a") "\r\n--m\r\n"),
	       ERROR_FORMAT, "damaged or cut off");
}

static void test_damage(void **state)
{
	(void)state;
	refuse(STR(JSON_OF(SAMPLE("*"))), ERROR_FORMAT, "one is no base64");
	refuse(STR(JSON_OF(SAMPLE(""))), ERROR_FORMAT, "one is no base64");
	refuse(STR(JSON_OF(SAMPLE("H4sI"))), ERROR_FORMAT, "");
	refuse(STR(JSON_OF("{\"rawProfile\":7}")), ERROR_FORMAT, "byte 37");
	refuse(STR("{\"series\":[{\"samples\":["), ERROR_FORMAT, "ends");
	refuse(STR("{\"series\":[7]}"), ERROR_FORMAT, "byte 11");
	refuse(STR("{\"series\":7} {}"), ERROR_FORMAT, "more behind the push");
	refuse(STR("{\"series\":7}"), ERROR_FORMAT, "are none at all");
	refuse(STR("\x0a\x7f\x0a"), ERROR_FORMAT, "longer than what is left");
	refuse(STR("\x0a\x03\x12\x05\x0a"), ERROR_FORMAT, "longer than");
	refuse(STR("\x0a\x03\x0a\x05\x0a"), ERROR_FORMAT, "longer than");
	refuse(STR("\x12\x03\x0a\x05\x0a"), ERROR_FORMAT, "longer than");
	refuse(STR("\x0a\x05\x12\x03\x0a\x05x"), ERROR_FORMAT, "longer than");
}

/* Cut anywhere, and with any byte changed, nothing breaks. */
static void test_mutations(void **state)
{
	static const char *const files[] = { "pushed/ingest-end.form",
					     "pushed/pyroscope.json",
					     "pushed/parca.pb" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct profile p;
		struct buf b;

		read_fixture(files[i], &b);
		for (size_t at = 0; at < b.len; at += 3) {
			char kept = b.data[at];

			b.data[at] = (char)(kept ^ 0x15);
			(void)decode(buf_str(&b), "", &p);
			profile_release(&p);
			b.data[at] = kept;
			(void)decode(str_slice(buf_str(&b), 0, at), "", &p);
			profile_release(&p);
		}
		buf_release(&b);
	}
	error_clear(&err);
}

static void test_starvation(void **state)
{
	static const char *const files[] = { "pushed/ingest-end.form",
					     "pushed/pyroscope.json",
					     "pushed/parca.pb" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct buf b;

		read_fixture(files[i], &b);
		assert_survives_starvation(decode_pushed, buf_str(&b));
		buf_release(&b);
	}
}

UNIT_TESTS(pushed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_labels_end),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
