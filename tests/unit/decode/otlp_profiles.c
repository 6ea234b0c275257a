/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of OpenTelemetry: real pprof there and back, and messages made by
 * hand for what no pprof is like.
 */
#include "../unit.h"
#include "profile_testing.h"

#include <inttypes.h>

#include "base/wirew.h"
#include "decode/profile_type.h"
#include "decode/otlp_profiles.h"

static struct notes notes;

static bool decode(struct str bytes, struct profile_want want,
		   struct profile *p)
{
	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_OTLP_PROFILES_PB, bytes, &want, p, &notes,
			      &err);
}

/* ---- there and back ---- */

/* Others drop frames (drop_frames), which no field of OTLP says. */
static const char *const files[] = {
	"go-process_cpu-normal",
	"go-memory-normal",
	"go-mutex-incident",
	"go-block-normal",
	"go-goroutine-normal",
	"java-cpu",
	"java-wall",
	"python-cpu",
	"ebpf-cpu-97hz",
	"odd",
	"deep",
	"real-go-cpu",
	"real-go-mutex",
	"go-memory-incident",
	"real-go-block",
	"real-go-goroutine",
	"real-python-cpu",
};

static void assert_alike(struct str pprof, struct str otlp, const char *type)
{
	struct profile_want want = want_of(type);
	struct profile before, after;
	struct buf expected;

	want.detail = PROFILE_DETAIL_ADDRESSES;
	profile_init(&before);
	notes_init(&notes);
	assert_decoded(decode_profile(FORMAT_PPROF, pprof, &want, &before,
				      &notes, &err));
	assert_decoded(decode(otlp, want, &after));
	print_folded(&before, &expected);
	assert_folded(&after, buf_text(&expected));
	assert_int_equal(after.total, before.total);
	assert_int_equal(after.period, before.period);
	assert_int_equal(after.sample_count, before.sample_count);
	assert_int_equal(after.time_ns, before.time_ns);
	assert_int_equal(after.duration_ns, before.duration_ns);
	assert_int_equal(after.frame_count, before.frame_count);
	buf_release(&expected);
	profile_release(&before);
	profile_release(&after);
}

/* Each type of the file. */
static void assert_comes_back(struct str pprof)
{
	struct profile_want any = want_of("");
	char looks_like[80], type[128];
	struct profile p;
	struct buf otlp;

	buf_init(&otlp, 64 * MIB);
	assert_decoded(otlp_profiles_write(pprof, NULL, 0, 0, &otlp, &err));
	assert_int_equal(otlp.state, BUF_OK);
	assert_int_equal(
		format_sniff(buf_str(&otlp), looks_like, sizeof looks_like),
		FORMAT_OTLP_PROFILES_PB);
	profile_init(&p);
	notes_init(&notes);
	assert_decoded(
		decode_profile(FORMAT_PPROF, pprof, &any, &p, &notes, &err));
	assert_alike(pprof, buf_str(&otlp), "");
	for (uint32_t i = 0; i < p.type_count; i++) {
		struct str name = profile_text(&p, p.types[i].type);
		struct str unit = profile_text(&p, p.types[i].unit);

		snprintf(type, sizeof type, "%.*s/%.*s", STR_ARGS(name),
			 STR_ARGS(unit));
		assert_alike(pprof, buf_str(&otlp), type);
	}
	profile_release(&p);
	buf_release(&otlp);
}

static void test_there_and_back(void **state)
{
	char path[128];
	struct buf bytes;

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "pprof/%s.pb.gz", files[i]);
		read_fixture(path, &bytes);
		assert_comes_back(buf_str(&bytes));
		buf_release(&bytes);
	}
}

/* ---- made by hand ---- */

/* Strings of the messages below. */
enum { NOTHING, CPU, NANOSECONDS, SAMPLES, COUNT, MAIN, WORK, WAIT, THREAD };

static const char *const texts[] = { "",        "cpu",   "nanoseconds",
				     "samples", "count", "main",
				     "work",    "wait",  "thread.name" };

static void put_pair(struct buf *b, uint32_t field, uint64_t one, uint64_t two)
{
	size_t at = wirew_open(b, field);

	wirew_known(b, 1, one);
	wirew_known(b, 2, two);
	wirew_close(b, at);
}

static bool is_unpacked; /* numbers, as some write them */

static void put_numbers(struct buf *b, uint32_t field, const int64_t *numbers,
			size_t count)
{
	size_t at;

	for (size_t i = 0; is_unpacked && i < count; i++)
		wirew_varint(b, field, (uint64_t)numbers[i]);
	if (is_unpacked)
		return;
	at = wirew_open(b, field);
	for (size_t i = 0; i < count; i++)
		wirew_element(b, (uint64_t)numbers[i]);
	wirew_close(b, at);
}

static void put_thread(struct buf *b)
{
	size_t value;

	wirew_varint(b, 1, THREAD);
	value = wirew_open(b, 2);
	wirew_str(b, 1, STR("io"));
	wirew_close(b, value);
}

/* Functions 1 to 3 are main, work, wait; locations are one each; stack 1 is
 * main;work, stack 2 main;wait. Attribute 1 is thread.name=io. */
static void put_dictionary(struct buf *b)
{
	static const int64_t working[] = { 2, 1 }, waiting[] = { 3, 1 };
	static const char id[16] = { 1, 2, 3 };
	size_t dictionary = wirew_open(b, 2), at;

	for (uint32_t table = 1; table <= 7; table++)
		wirew_str(b, table, STR(""));
	for (size_t i = 1; i < sizeof texts / sizeof *texts; i++)
		wirew_str(b, 5, str_from(texts[i]));
	for (uint64_t i = 1; i <= 3; i++) {
		put_pair(b, 3, MAIN + i - 1, 0);
		at = wirew_open(b, 2);
		put_pair(b, 3, i, 10 * i);
		wirew_close(b, at);
	}
	at = wirew_open(b, 7);
	put_numbers(b, 1, working, 2);
	wirew_close(b, at);
	at = wirew_open(b, 7);
	put_numbers(b, 1, waiting, 2);
	wirew_close(b, at);
	at = wirew_open(b, 6);
	put_thread(b);
	wirew_close(b, at);
	at = wirew_open(b, 4);
	wirew_str(b, 1, (struct str){ id, sizeof id });
	wirew_str(b, 2, (struct str){ id, 8 });
	wirew_close(b, at);
	wirew_close(b, dictionary);
}

static bool is_older; /* the numbers of samples' fields before 1.10 */

static void put_sample(struct buf *b, uint64_t stack, int64_t attribute,
		       uint64_t link, int64_t value)
{
	size_t at = wirew_open(b, 2);

	wirew_known(b, 1, stack);
	if (attribute)
		put_numbers(b, is_older ? 3 : 2, &attribute, 1);
	wirew_known(b, is_older ? 4 : 3, link);
	put_numbers(b, is_older ? 2 : 4, &value, 1);
	wirew_close(b, at);
}

/* What is put between these is in the only profile of the only service. */
static size_t begin(struct buf *b, size_t opened[2])
{
	size_t resource, pair, value;

	buf_init(b, MIB);
	opened[0] = wirew_open(b, 1);
	resource = wirew_open(b, 1);
	pair = wirew_open(b, 1);
	wirew_str(b, 1, STR("service.name"));
	value = wirew_open(b, 2);
	wirew_str(b, 1, STR("shop"));
	wirew_close(b, value);
	wirew_close(b, pair);
	wirew_close(b, resource);
	opened[1] = wirew_open(b, 2);
	return wirew_open(b, 2);
}

static void end(struct buf *b, size_t opened[2], size_t profile)
{
	wirew_close(b, profile);
	wirew_close(b, opened[1]);
	wirew_close(b, opened[0]);
}

static void put_counts(struct buf *b)
{
	size_t opened[2], profile = begin(b, opened);

	put_pair(b, 1, SAMPLES, COUNT);
	put_sample(b, 1, 1, 0, 3);
	put_sample(b, 2, 0, 1, 4);
	put_sample(b, 1, 0, 0, 2);
	wirew_fixed64(b, 3, 1700000000000000000);
	wirew_varint(b, 4, 10000000000);
	put_pair(b, 5, CPU, NANOSECONDS);
	wirew_varint(b, 6, 20000000);
	end(b, opened, profile);
	put_dictionary(b);
}

static void test_counts(void **state)
{
	struct profile p;
	struct buf b;

	(void)state;
	put_counts(&b);
	assert_decoded(decode(buf_str(&b), want_of(""), &p));
	assert_folded(&p, "main;wait 80000000\nmain;work 100000000\n");
	assert_int_equal(p.sample_count, 9);
	assert_int_equal(p.period, 20000000);
	assert_int_equal(p.time_ns, 1700000000000000000);
	assert_int_equal(p.duration_ns, 10000000000);
	assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
	profile_release(&p);
	assert_decoded(decode(buf_str(&b), want_of("samples/count"), &p));
	assert_folded(&p, "main;wait 4\nmain;work 5\n");
	profile_release(&p);
	buf_release(&b);
}

/* Numbers one by one, as async-profiler has them. */
static void test_unpacked(void **state)
{
	struct profile_want want = want_of("samples");
	struct profile p;
	struct buf b;

	(void)state;
	is_unpacked = true;
	put_counts(&b);
	is_unpacked = false;
	assert_decoded(decode(buf_str(&b), want, &p));
	assert_folded(&p, "main;wait 4\nmain;work 5\n");
	profile_release(&p);
	want.labels = label_filter_new("thread.name=io", NULL, &err);
	assert_non_null(want.labels);
	assert_decoded(decode(buf_str(&b), want, &p));
	assert_folded(&p, "main;work 3\n");
	profile_release(&p);
	label_filter_free(want.labels);
	buf_release(&b);
}

/* Times instead of values, one by one. */
static void test_unpacked_times(void **state)
{
	size_t opened[2], profile, at;
	struct profile p;
	struct buf b;

	(void)state;
	profile = begin(&b, opened);
	put_pair(&b, 1, SAMPLES, COUNT);
	at = wirew_open(&b, 2);
	wirew_varint(&b, 1, 1);
	wirew_varint(&b, 2, 1);
	wirew_fixed64(&b, 5, 1700000000000000000);
	wirew_fixed64(&b, 5, 1700000000000000001);
	wirew_close(&b, at);
	end(&b, opened, profile);
	put_dictionary(&b);
	assert_decoded(decode(buf_str(&b), want_of(""), &p));
	assert_folded(&p, "main;work 2\n");
	profile_release(&p);
	buf_release(&b);
}

/* Of the sample, of its span, of what was profiled. */
static void check_labels(void)
{
	static const struct {
		const char *filter;
		const char *folded;
	} cases[] = {
		{ "thread.name=io", "main;work 3\n" },
		{ "span_id=0102030000000000", "main;wait 4\n" },
		{ "trace_id=01020300000000000000000000000000",
		  "main;wait 4\n" },
		{ "service.name=shop", "main;wait 4\nmain;work 5\n" },
		{ "service.name=other", "" },
	};
	struct profile p;
	struct buf b;

	put_counts(&b);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile_want want = want_of("samples");

		want.labels = label_filter_new(cases[i].filter, NULL, &err);
		assert_non_null(want.labels);
		assert_decoded(decode(buf_str(&b), want, &p));
		assert_folded(&p, cases[i].folded);
		profile_release(&p);
		label_filter_free(want.labels);
	}
	buf_release(&b);
}

static void test_labels(void **state)
{
	(void)state;
	check_labels();
}

/* The same content, as 1.8 and 1.9 have it, packed and one by one. */
static void test_older(void **state)
{
	(void)state;
	is_older = true;
	test_counts(NULL);
	check_labels();
	is_unpacked = true;
	test_counts(NULL);
	check_labels();
	is_older = is_unpacked = false;
}

/* A sample of times alone counts them. */
static void test_timestamps(void **state)
{
	size_t opened[2], profile, at, times;
	struct profile p;
	struct buf b;

	(void)state;
	profile = begin(&b, opened);
	put_pair(&b, 1, SAMPLES, COUNT);
	at = wirew_open(&b, 2);
	wirew_varint(&b, 1, 1);
	times = wirew_open(&b, 5);
	buf_add(&b, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 24);
	wirew_close(&b, times);
	wirew_close(&b, at);
	end(&b, opened, profile);
	put_dictionary(&b);
	assert_decoded(decode(buf_str(&b), want_of(""), &p));
	assert_folded(&p, "main;work 3\n");
	profile_release(&p);
	buf_release(&b);
}

static void refuse(struct buf *b, enum error_code code, const char *part)
{
	struct profile p;

	assert_refused(decode(buf_str(b), want_of(""), &p), code, part);
	profile_release(&p);
	buf_release(b);
}

/* What no place of a table is behind. */
static void test_places(void **state)
{
	size_t opened[2], profile;
	struct buf b;

	(void)state;
	profile = begin(&b, opened);
	put_pair(&b, 1, SAMPLES, COUNT);
	put_sample(&b, 3, 0, 0, 1);
	end(&b, opened, profile);
	put_dictionary(&b);
	refuse(&b, ERROR_FORMAT, "stack 3 is not in its dictionary");
	profile = begin(&b, opened);
	put_pair(&b, 1, THREAD + 1, COUNT);
	end(&b, opened, profile);
	put_dictionary(&b);
	refuse(&b, ERROR_FORMAT, "string 9 is not in its dictionary");
	/* Two messages, one behind the other. */
	profile = begin(&b, opened);
	put_pair(&b, 1, SAMPLES, COUNT);
	end(&b, opened, profile);
	put_dictionary(&b);
	put_dictionary(&b);
	refuse(&b, ERROR_FORMAT, "two messages, one behind the other");
}

/* Tables that begin with what the protocol wants behind an empty element:
 * location 0 is in main, 1 in work, stack 0 has both, attribute 0 is of it. */
static void test_first_elements(void **state)
{
	static const int64_t working[] = { 1, 0 }, attribute = 0, value = 5;
	struct profile_want want = want_of("");
	size_t opened[2], profile, at, inside;
	struct profile p;
	struct buf b;

	(void)state;
	profile = begin(&b, opened);
	put_pair(&b, 1, SAMPLES, COUNT);
	at = wirew_open(&b, 2);
	put_numbers(&b, 2, &attribute, 1);
	put_numbers(&b, 4, &value, 1);
	wirew_close(&b, at);
	end(&b, opened, profile);
	at = wirew_open(&b, 2);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		wirew_str(&b, 5, str_from(texts[i]));
	for (uint64_t i = 0; i < 2; i++) {
		put_pair(&b, 3, MAIN + i, 0);
		inside = wirew_open(&b, 2);
		put_pair(&b, 3, i, 10);
		wirew_close(&b, inside);
	}
	inside = wirew_open(&b, 7);
	put_numbers(&b, 1, working, 2);
	wirew_close(&b, inside);
	inside = wirew_open(&b, 6);
	put_thread(&b);
	wirew_close(&b, inside);
	wirew_close(&b, at);
	want.labels = label_filter_new("thread.name=io", NULL, &err);
	assert_non_null(want.labels);
	assert_decoded(decode(buf_str(&b), want, &p));
	assert_folded(&p, "main;work 5\n");
	profile_release(&p);
	label_filter_free(want.labels);
	buf_release(&b);
}

/* ---- which numbers samples have ---- */

static uint64_t take_number(const char **at)
{
	char *end;
	uint64_t number = strtoull(*at, &end, 10);

	*at = end;
	return number;
}

static void put_shape_field(struct buf *b, const char **at)
{
	uint32_t field = (uint32_t)take_number(at);
	char form = *(*at)++;
	uint64_t number;
	size_t opened;

	if (form == '[') {
		opened = wirew_open(b, field);
		for (; **at != ']'; *at += **at == ',')
			wirew_element(b, take_number(at));
		++*at;
		wirew_close(b, opened);
		return;
	}
	number = take_number(at);
	if (form == '=')
		wirew_varint(b, field, number);
	for (; form == '!' && number > 0; number--)
		wirew_fixed64(b, field, 1700000000000000000);
}

/* "2[7,1] 4=1; 5!2": one sample with packed numbers and one that is not, and
 * one with two times; all have stack 1. */
static void put_shapes(struct buf *b, const char *text)
{
	size_t at = wirew_open(b, 2);

	wirew_varint(b, 1, 1);
	while (*text)
		if (*text == ';') {
			wirew_close(b, at);
			at = wirew_open(b, 2);
			wirew_varint(b, 1, 1);
			text++;
		} else if (*text == ' ') {
			text++;
		} else {
			put_shape_field(b, &text);
		}
	wirew_close(b, at);
}

/* Fields of the profile, its samples, what they are worth or why not. The
 * dictionary has attribute 1 and link 1. */
static const struct {
	const char *profile, *samples, *expected;
} shapes[] = {
	/* By what must be there, and types. */
	{ "", "2[7]", "7" },
	{ "", "2=7", "7" },
	{ "", "4[3]", "3" },
	{ "", "4=3", "3" },
	{ "", "5!3", "3" },
	{ "", "2[1] 3[1] 4=1", "1" },
	{ "", "2[5] 3[1] 4=1 5!1", "5" },
	{ "", "2[5,6] 3[1] 5!2", "11" },
	{ "", "3[1] 5!2", "2" },
	{ "", "3=1 3=1 5!2", "2" },
	{ "", "2[1] 3=1 4[5]", "5" },
	{ "", "2=1 3=1 4=5 4=6", "11" },
	{ "", "3=1 4=5", "5" },
	{ "", "2=5 3=1", "5" },
	{ "", "2=1 3=1 4=1; 2=5 3=1", "6" },
	{ "", "2=1 3=1 4=1; 4=9", "10" },
	/* By places. */
	{ "", "2[9] 4=1", "9" },
	{ "", "2=9 3=1 4=1", "9" },
	{ "", "2=1 3=1 4=9", "9" },
	{ "", "2[9] 5!1", "9" },
	{ "", "2=9 3=1 5!1", "9" },
	{ "", "2=1 3=2 5!1; 2=1 3=1 5!1", "neither" },
	/* By the number of values. */
	{ "", "2[1] 5!3", "3" },
	{ "", "2=1 3=1 5!3; 2=1 3=1 5!1", "4" },
	/* By who refers to attributes. */
	{ "", "2[1] 5!1", "1" },
	{ "", "2=1 4=1", "1" },
	{ "", "2=0 4=1", "1" },
	/* By fields of the profile that only 1.8 has. */
	{ "7=1", "2=3 3=1 4=1", "3" },
	{ "8[1]", "2=1 3=1 4=0", "1" },
	{ "9=1", "2=1 3=1 4=0", "1" },
	{ "12[1]", "2[0] 5!1", "0" },
	{ "12=1", "2[0] 5!1", "0" },
	/* By nothing. */
	{ "", "2=1 3=1 4=1", "does not show" },
	{ "", "2[1] 5!1; 2[1] 3=1 5!1", "does not show" },
	{ "11[1]", "2[1] 5!1", "does not show" },
	/* Of both, of none. */
	{ "", "2[7]; 4[7]", "neither" },
	{ "", "4[7]; 2[7]", "neither" },
	{ "", "2[7] 3[1]; 2[1] 4[3]", "neither" },
	{ "", "3[1]", "neither" },
	{ "", "2[9,8] 5!3", "neither" },
	{ "8[1]", "4[3]", "neither" },
	/* Earlier ones. */
	{ "3[1,2]", "1=0 2=2 3[7]", "before 1.8 (September 2025)" },
	{ "3=1", "1=0 2=1 3=7", "before 1.8" },
	{ "5=1", "2[7]", "before 1.8" },
	{ "6[1]", "2[7]", "before 1.8" },
	{ "", "2=2 3[7] 5=1", "before 1.8" },
	{ "", "2=2 3[7] 6=1", "before 1.8" },
	{ "", "2=2 3[7] 6[1]", "before 1.8" },
};

static void check_shape(size_t i)
{
	bool is_read, expects_value = strspn(shapes[i].expected, "0123456789");
	const char *profile_field = shapes[i].profile;
	size_t opened[2], profile;
	struct profile p;
	struct buf b;

	profile = begin(&b, opened);
	put_pair(&b, 1, SAMPLES, COUNT);
	if (*profile_field)
		put_shape_field(&b, &profile_field);
	put_shapes(&b, shapes[i].samples);
	end(&b, opened, profile);
	put_dictionary(&b);
	error_clear(&err);
	is_read = decode(buf_str(&b), want_of(""), &p);
	if (is_read != expects_value ||
	    (is_read ? p.total != strtol(shapes[i].expected, NULL, 10)
		     : !strstr(err.message, shapes[i].expected)))
		fail_msg("%s: %" PRId64 " %s", shapes[i].samples, p.total,
			 err.message);
	assert_int_equal(err.code, is_read ? 0 : ERROR_FORMAT);
	profile_release(&p);
	buf_release(&b);
}

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check_shape(i);
}

/* Attributes that are of a mapping or a location need not be of a sample. */
static void test_attributes_of_others(void **state)
{
	static const struct {
		uint32_t table, field;
	} others[] = { { 1, 5 }, { 2, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		size_t opened[2], at, row, profile;
		struct buf b;

		profile = begin(&b, opened);
		put_pair(&b, 1, SAMPLES, COUNT);
		put_shapes(&b, "2[1] 5!1");
		end(&b, opened, profile);
		put_dictionary(&b);
		at = wirew_open(&b, 2);
		row = wirew_open(&b, others[i].table);
		wirew_str(&b, others[i].field, STR("\x1"));
		wirew_close(&b, row);
		wirew_close(&b, at);
		refuse(&b, ERROR_FORMAT, "does not show");
	}
}

/* Attributes of a profile are field 12 in 1.8, where 11 is what it was made of,
 * and 11 later. */
static void check_profile_attributes(uint32_t attributes, uint32_t other)
{
	struct profile_want want = want_of("");
	size_t opened[2], profile, at;
	char looks_like[80];
	struct profile p;
	struct buf b;

	profile = begin(&b, opened);
	at = wirew_open(&b, 1);
	wirew_varint(&b, 1, SAMPLES);
	wirew_varint(&b, 2, COUNT);
	wirew_varint(&b, 3, 1); /* of 1.8: whether it is a difference */
	wirew_close(&b, at);
	put_shapes(&b, "2[7]");
	wirew_str(&b, other, STR("\x0"));
	wirew_str(&b, attributes, STR("\x1"));
	end(&b, opened, profile);
	put_dictionary(&b);
	assert_int_equal(format_sniff(buf_str(&b), looks_like,
				      sizeof looks_like),
			 FORMAT_OTLP_PROFILES_PB);
	want.labels = label_filter_new("thread.name=io", NULL, &err);
	assert_non_null(want.labels);
	assert_decoded(decode(buf_str(&b), want, &p));
	assert_folded(&p, "main;work 7\n");
	profile_release(&p);
	label_filter_free(want.labels);
	buf_release(&b);
}

static void test_profile_attributes(void **state)
{
	(void)state;
	check_profile_attributes(12, 11);
	check_profile_attributes(11, 10);
}

static void put_types(struct buf *b, size_t count)
{
	size_t opened[2], profile = begin(b, opened), at;
	char name[16];

	for (size_t i = 0; i < count; i++) {
		put_pair(b, 1, THREAD + 1 + i, COUNT);
		put_sample(b, 1, 0, 0, 1);
		wirew_close(b, profile);
		profile = wirew_open(b, 2);
	}
	put_pair(b, 1, THREAD + 1, COUNT);
	end(b, opened, profile);
	put_dictionary(b);
	at = wirew_open(b, 2);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof name, "t%zu", i);
		wirew_str(b, 5, str_from(name));
	}
	wirew_close(b, at);
}

/* The dictionary may come in pieces, as all messages of protobuf may. */
static void test_types(void **state)
{
	struct profile p;
	struct buf b;

	(void)state;
	put_types(&b, LIMIT_SAMPLE_TYPES);
	assert_decoded(decode(buf_str(&b), want_of("t63/count"), &p));
	assert_int_equal(p.type_count, LIMIT_SAMPLE_TYPES);
	assert_folded(&p, "main;work 1\n");
	profile_release(&p);
	buf_release(&b);
	put_types(&b, LIMIT_SAMPLE_TYPES + 1);
	refuse(&b, ERROR_LIMIT, "more than 64 sample types");
}

/* ---- JSON ---- */

static bool decode_json(const char *text, struct profile *p)
{
	struct profile_want want = want_of("");

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_OTLP_PROFILES_JSON, str_from(text), &want,
			      p, &notes, &err);
}

#define DOCUMENT(name, value)                                                  \
	"{\"dictionary\":{\"stringTable\":[\"\",\"" name                       \
	"\",\"alloc\",\"bytes\"],"                                             \
	"\"functionTable\":[{},{\"nameStrindex\":1}],"                         \
	"\"locationTable\":[{},{\"lines\":[{\"functionIndex\":1}]}],"          \
	"\"stackTable\":[{},{\"locationIndices\":[1]}]},"                      \
	"\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{"           \
	"\"sampleType\":{\"typeStrindex\":2,\"unitStrindex\":3},"              \
	"\"samples\":[{\"stackIndex\":1,\"values\":[" value "]}]}]}]}]}\n"

/* Each document has tables of its own; numbers may be texts. */
static void test_documents(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode_json(DOCUMENT("a", "1,\"2\"") DOCUMENT("b", "40")
					   DOCUMENT("a", "3"),
				   &p));
	assert_folded(&p, "a 6\nb 40\n");
	profile_release(&p);
}

#define NO_EMPTY_ELEMENTS                                                      \
	"{\"dictionary\":{\"stringTable\":[\"\",\"a\",\"alloc\",\"bytes\"],"       \
	"\"functionTable\":[{\"nameStrindex\":1}],"                             \
	"\"locationTable\":[{\"lines\":[{\"line\":7}]}],"                       \
	"\"stackTable\":[{\"locationIndices\":[0]}]},"                          \
	"\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{"           \
	"\"sampleType\":{\"typeStrindex\":2,\"unitStrindex\":3},"              \
	"\"samples\":[{\"values\":[4]}]}]}]}]}\n"

/* 1.8, whose names tell what is what; 1.7 has other ones. */
static void test_older_document(void **state)
{
	static const char text[] =
		"{\"dictionary\":{\"stringTable\":[\"\",\"a\"],"
		"\"functionTable\":[{},{\"nameStrindex\":1}],"
		"\"locationTable\":[{},{\"line\":[{\"functionIndex\":1}]}],"
		"\"stackTable\":[{},{\"locationIndices\":[1]}],"
		"\"attributeTable\":[{},{\"keyStrindex\":1}]},"
		"\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{"
		"\"sampleType\":{\"typeStrindex\":1,"
		"\"aggregationTemporality\":1},\"sample\":[{"
		"\"stackIndex\":1,\"values\":[1],\"attributeIndices\":[1],"
		"\"linkIndex\":0}]}]}]}]}";
	struct profile p;

	(void)state;
	assert_decoded(decode_json(text, &p));
	assert_folded(&p, "a 1\n");
	profile_release(&p);
}

/* Each has a place 0 of its own. */
static void test_first_of_documents(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode_json(NO_EMPTY_ELEMENTS, &p));
	assert_folded(&p, "a 4\n");
	profile_release(&p);
	assert_decoded(decode_json(DOCUMENT("b", "1") NO_EMPTY_ELEMENTS
					   DOCUMENT("c", "2"),
				   &p));
	assert_folded(&p, "a 4\nb 1\nc 2\n");
	profile_release(&p);
}

static void test_bad_documents(void **state)
{
	static const struct {
		const char *text;
		const char *part;
	} cases[] = {
		{ "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":["
		  "{\"sample\":[{\"value\":[1]}]}]}]}]}",
		  "before 1.8" },
		{ "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":["
		  "{\"locationIndices\":[1]}]}]}]}",
		  "before 1.8" },
		{ "{\"dictionary\":{\"stringTable\":[1]}}", "a string" },
		{ "{\"dictionary\":[{\"stringTable\":[]}", "the text ends" },
		{ "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":["
		  "{\"period\":\"much\"}]}]}]}",
		  "number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile p;

		assert_refused(decode_json(cases[i].text, &p), ERROR_FORMAT,
			       cases[i].part);
		profile_release(&p);
	}
}

/* Cut anywhere it is told, or read; never more than that. */
static void test_cuts(void **state)
{
	struct profile p;
	struct buf b;

	(void)state;
	put_counts(&b);
	for (size_t len = 0; len < b.len; len++) {
		error_clear(&err);
		if (!decode(str_slice(buf_str(&b), 0, len), want_of(""), &p))
			assert_true(err.code != 0);
		profile_release(&p);
	}
	buf_release(&b);
}

static void test_starvation(void **state)
{
	struct buf b;

	(void)state;
	put_counts(&b);
	assert_survives_starvation(decode_otlp_profiles, buf_str(&b));
	buf_release(&b);
}

/* The writer, too. */
static void test_starved_writer(void **state)
{
	bool is_done = false;
	struct buf bytes, out;

	(void)state;
	read_fixture("pprof/go-process_cpu-normal.pb.gz", &bytes);
	for (int n = 0; !is_done; n++) {
		assert_true(n < 10000);
		error_clear(&err);
		buf_init(&out, MIB);
		starve_after(n);
		is_done = otlp_profiles_write(buf_str(&bytes), NULL, 0, 0, &out,
					      &err) &&
			  buf_check(&out, "it", &err);
		stop_starving();
		if (!is_done)
			assert_int_equal(err.code, ERROR_MEMORY);
		buf_release(&out);
	}
	buf_release(&bytes);
}

UNIT_TESTS(otlp_profiles)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_unpacked),
		cmocka_unit_test(test_unpacked_times),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_first_elements),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_attributes_of_others),
		cmocka_unit_test(test_profile_attributes),
		cmocka_unit_test(test_older_document),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_first_of_documents),
		cmocka_unit_test(test_bad_documents),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_starvation),
		cmocka_unit_test(test_starved_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
