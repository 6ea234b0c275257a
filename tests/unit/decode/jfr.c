/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#include <unistd.h>

#include "../write_file.h"

#include "base/num.h"

/* ---- recordings made by hand ---- */

static struct notes notes;

struct made_field {
	const char *name;
	const char *class;
	bool is_pooled;
	bool is_array;
};

struct made_class {
	const char *name;
	const char *id;
	struct made_field fields[4];
};

#define ID_SYMBOL 10
#define ID_CLASS 11
#define ID_METHOD 12
#define ID_TRACE 14
#define ID_KIND 15
#define ID_SAMPLE 20
#define ID_MONITOR 21

static const struct made_class classes[] = {
	{ "long", "1", { { 0 } } },
	{ "int", "2", { { 0 } } },
	{ "boolean", "3", { { 0 } } },
	{ "java.lang.String", "4", { { 0 } } },
	{ "double", "5", { { 0 } } },
	{ "float", "6", { { 0 } } },
	{ "jdk.types.Symbol", "10", { { "string", "4", false, false } } },
	{ "java.lang.Class", "11", { { "name", "10", true, false } } },
	{ "jdk.types.Method",
	  "12",
	  { { "type", "11", true, false }, { "name", "10", true, false } } },
	{ "jdk.types.StackFrame",
	  "13",
	  { { "method", "12", true, false },
	    { "lineNumber", "2", false, false },
	    { "type", "15", true, false } } },
	{ "jdk.types.FrameType",
	  "15",
	  { { "description", "4", false, false } } },
	{ "jdk.types.StackTrace",
	  "14",
	  { { "truncated", "3", false, false },
	    { "frames", "13", false, true } } },
	{ "jdk.ExecutionSample",
	  "20",
	  { { "startTime", "1", false, false },
	    { "stackTrace", "14", true, false } } },
	{ "jdk.JavaMonitorEnter",
	  "21",
	  { { "cost", "5", false, false },
	    { "share", "6", false, false },
	    { "duration", "1", false, false },
	    { "stackTrace", "14", true, false } } },
};

static void put(struct buf *b, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buf_add_char(b, (char)(number | 0x80));
	buf_add_char(b, (char)number);
}

/* Sizes of events have four bytes, whatever they are. */
static void put_event(struct buf *b, uint64_t type, const struct buf *body)
{
	struct buf kind;
	size_t size;

	buf_init(&kind, KIB);
	put(&kind, type);
	size = 4 + kind.len + body->len;
	for (unsigned i = 0; i < 4; i++)
		buf_add_char(b, (char)(size >> 7 * i | (i < 3 ? 0x80 : 0)));
	buf_add_str(b, buf_str(&kind));
	buf_add_str(b, buf_str(body));
	buf_release(&kind);
}

static void put_text(struct buf *b, const char *text)
{
	buf_add_char(b, 3);
	put(b, strlen(text));
	buf_add_text(b, text);
}

/* Texts of a description, and its elements. */
struct maker {
	struct buf texts;
	struct buf elements;
	uint64_t text_count;
};

static void put_word(struct maker *m, const char *word)
{
	put_text(&m->texts, word);
	put(&m->elements, m->text_count++);
}

static void put_attribute(struct maker *m, const char *key, const char *value)
{
	put_word(m, key);
	put_word(m, value);
}

static void put_element(struct maker *m, const char *name, uint64_t attributes)
{
	put_word(m, name);
	put(&m->elements, attributes);
}

static void put_class(struct maker *m, const struct made_class *c)
{
	uint64_t count = 0;

	while (count < COUNT_OF(c->fields) && c->fields[count].name)
		count++;
	put_element(m, "class", 2);
	put_attribute(m, "name", c->name);
	put_attribute(m, "id", c->id);
	put(&m->elements, count);
	for (uint64_t i = 0; i < count; i++) {
		const struct made_field *f = &c->fields[i];

		put_element(m, "field", 2u + f->is_pooled + f->is_array);
		put_attribute(m, "name", f->name);
		put_attribute(m, "class", f->class);
		if (f->is_pooled)
			put_attribute(m, "constantPool", "true");
		if (f->is_array)
			put_attribute(m, "dimension", "1");
		put(&m->elements, 0);
	}
}

static void maker_init(struct maker *m)
{
	m->text_count = 0;
	buf_init(&m->texts, MIB);
	buf_init(&m->elements, MIB);
	put_element(m, "root", 0);
	put(&m->elements, 1);
	put_element(m, "metadata", 0);
}

/* The event of a description, whose maker is released. */
static void maker_finish(struct maker *m, struct buf *body)
{
	buf_init(body, MIB);
	for (unsigned i = 0; i < 3; i++)
		put(body, i);
	put(body, m->text_count);
	buf_add_str(body, buf_str(&m->texts));
	buf_add_str(body, buf_str(&m->elements));
	buf_release(&m->texts);
	buf_release(&m->elements);
}

static void describe(const struct made_class *made, size_t count,
		     struct buf *body)
{
	struct maker m;

	maker_init(&m);
	put(&m.elements, count);
	for (size_t i = 0; i < count; i++)
		put_class(&m, &made[i]);
	maker_finish(&m, body);
}

static void put_long(struct buf *b, uint64_t number)
{
	for (unsigned i = 8; i-- > 0;)
		buf_add_char(b, (char)(number >> 8 * i));
}

#define START_NS UINT64_C(1700000000000000000)

/* A chunk of these events and this description, both released. */
static void put_chunk(struct buf *b, struct buf *events, struct buf *body)
{
	struct buf description;

	buf_init(&description, 64 * MIB);
	put_event(&description, 0, body);
	buf_add(b, "FLR\0\0\2\0\1", 8);
	put_long(b, 68 + events->len + description.len);
	put_long(b, 68);
	put_long(b, 68 + events->len);
	put_long(b, START_NS);
	put_long(b, 5000);
	put_long(b, 0);
	put_long(b, 1000000); /* ticks in a second */
	buf_add(b, "\0\0\0\1", 4);
	buf_add_str(b, buf_str(events));
	buf_add_str(b, buf_str(&description));
	buf_release(&description);
	buf_release(events);
	buf_release(body);
}

static void begin_pools(struct buf *b, uint64_t count)
{
	buf_init(b, 64 * MIB);
	for (unsigned i = 0; i < 4; i++)
		put(b, 0);
	put(b, count);
}

/* Symbols from 1 on, a class "A" of each symbol's number, methods likewise. */
static void put_names(struct buf *b, const char *const *names, uint64_t count)
{
	struct buf pools;

	begin_pools(&pools, 3);
	put(&pools, ID_METHOD);
	put(&pools, count);
	for (uint64_t i = 1; i <= count; i++) {
		put(&pools, i);
		put(&pools, 1);
		put(&pools, i);
	}
	put(&pools, ID_CLASS);
	put(&pools, 1);
	put(&pools, 1);
	put(&pools, 1);
	put(&pools, ID_SYMBOL);
	put(&pools, count);
	for (uint64_t i = 1; i <= count; i++) {
		put(&pools, i);
		put_text(&pools, names[i - 1]);
	}
	put_event(b, 1, &pools);
	buf_release(&pools);
}

/* Stack traces 1: "b" line 7, of kind 1, called by "a" line 3, of kind 2; 2,
 * cut off: "a" line 4, of kind 2. */
static void put_traces(struct buf *b)
{
	static const unsigned char traces[] = { 1, 0, 2, 3, 7, 1, 2, 3,
						2, 2, 1, 1, 2, 4, 2 };
	struct buf pools;

	begin_pools(&pools, 1);
	put(&pools, ID_TRACE);
	put(&pools, 2);
	buf_add(&pools, traces, sizeof traces);
	put_event(b, 1, &pools);
	buf_release(&pools);
}

/* Kinds of frames, 1 and 2. */
static void put_kinds(struct buf *b, const char *one, const char *two)
{
	struct buf pools;

	begin_pools(&pools, 1);
	put(&pools, ID_KIND);
	put(&pools, 2);
	put(&pools, 1);
	put_text(&pools, one);
	put(&pools, 2);
	put_text(&pools, two);
	put_event(b, 1, &pools);
	buf_release(&pools);
}

static void put_sample(struct buf *b, uint64_t trace)
{
	struct buf body;

	buf_init(&body, KIB);
	put(&body, 1);
	put(&body, trace);
	put_event(b, ID_SAMPLE, &body);
	buf_release(&body);
}

static void put_monitor(struct buf *b, uint64_t ticks, uint64_t trace)
{
	struct buf body;

	buf_init(&body, KIB);
	buf_add(&body, "12345678abcd", 12);
	put(&body, ticks);
	put(&body, trace);
	put_event(b, ID_MONITOR, &body);
	buf_release(&body);
}

static const char *const names[] = { "shop/A", "a", "b" };

/* Three samples, of which one has no stack; two waits. */
static void put_recording(struct buf *b)
{
	struct buf events, body;

	buf_init(&events, MIB);
	put_sample(&events, 1);
	put_names(&events, names, 3);
	put_monitor(&events, 1500, 2);
	put_sample(&events, 1);
	put_sample(&events, 9);
	put_traces(&events);
	put_monitor(&events, 200, 1);
	describe(classes, COUNT_OF(classes), &body);
	put_chunk(b, &events, &body);
}

static bool decode(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_JFR, bytes, &want, p, &notes, &err);
}

static void expect(const struct buf *b, const char *type, const char *folded)
{
	struct profile p;

	assert_decoded(decode(buf_str(b), type, &p));
	assert_folded(&p, folded);
	profile_release(&p);
}

/* Releases what it was given. */
static void refuse(struct buf *b, enum error_code code, const char *part)
{
	struct profile p;

	assert_refused(decode(buf_str(b), "", &p), code, part);
	profile_release(&p);
	buf_release(b);
}

/* ---- tests ---- */

static void test_samples(void **state)
{
	struct profile p;
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	put_recording(&b);
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_folded(&p, "[unknown] 1\nshop/A.a;shop/A.b 2\n");
	assert_true(str_equal(profile_type_name(&p), STR("samples")));
	assert_int_equal(p.type_count, 3);
	assert_int_equal(p.sample_count, 3);
	assert_int_equal(p.time_ns, START_NS);
	assert_int_equal(p.duration_ns, 5000);
	assert_int_equal(notes.count, 0);
	for (uint32_t i = 0; i < p.frame_count; i++)
		if (str_equal(function_name(&p, p.frames[i].function),
			      STR("shop/A.b")))
			assert_int_equal(p.frames[i].line, 7);
	profile_release(&p);
	expect(&b, "contentions", "shop/A.a 1\nshop/A.a;shop/A.b 1\n");
	assert_int_equal(notes.count, 1); /* one has no callers */
	expect(&b, "delay", "shop/A.a 1500000\nshop/A.a;shop/A.b 200000\n");
	assert_refused(decode(buf_str(&b), "alloc", &p), ERROR_NOT_FOUND,
		       "it has samples/count, contentions/count");
	profile_release(&p);
	/* Chunks end to end. */
	put_recording(&b);
	expect(&b, "", "[unknown] 2\nshop/A.a;shop/A.b 4\n");
	buf_release(&b);
}

static void test_no_samples(void **state)
{
	struct buf b, events, body;

	(void)state;
	buf_init(&b, MIB);
	buf_init(&events, KIB);
	describe(classes, COUNT_OF(classes), &body);
	put_chunk(&b, &events, &body);
	expect(&b, "", "");
	buf_release(&b);
}

/* Numbers that differ in every run are no part of a name. */
static void test_names_of_classes(void **state)
{
	static const char *const lambdas[][2] = {
		{ "java.lang.L$$Lambda$8+0x0000ff/12", "run" },
		{ "java/lang/L$$Lambda$8.0x0000ff", "run" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lambdas); i++) {
		struct buf b, events, body;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		put_names(&events, lambdas[i], 2);
		put_traces(&events);
		put_sample(&events, 2);
		describe(classes, COUNT_OF(classes), &body);
		put_chunk(&b, &events, &body);
		expect(&b, "", "java/lang/L$$Lambda$8.run 1\n");
		buf_release(&b);
	}
}

/* To async-profiler, which alone knows the kernel, the class of what is not
 * Java is a library; to the JDK "Native" is Java. */
static void test_kinds_of_frames(void **state)
{
	static const char *const of_libc[] = { "libc.so.6", "wait", "futex" };
	static const char *const marked[] = { "", "wait", "futex_[k]" };
	static const struct {
		const char *const *names;
		const char *one;
		const char *two;
		const char *folded;
	} cases[] = {
		{ of_libc, "Kernel", "Native", "wait;futex_[k] 1\n" },
		{ of_libc, "Kernel", "C++", "wait;futex_[k] 1\n" },
		{ of_libc, "Kernel", "Inlined",
		  "libc.so.6.wait;futex_[k] 1\n" },
		{ marked, "Kernel", "Native", "wait;futex_[k] 1\n" },
		{ of_libc, "Inlined", "Native",
		  "libc.so.6.wait;libc.so.6.futex 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf b, events, body;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		put_names(&events, cases[i].names, 3);
		put_kinds(&events, cases[i].one, cases[i].two);
		put_traces(&events);
		put_sample(&events, 1);
		describe(classes, COUNT_OF(classes), &body);
		put_chunk(&b, &events, &body);
		expect(&b, "", cases[i].folded);
		buf_release(&b);
	}
}

/* Where places are wanted, libraries come along. */
static void test_libraries(void **state)
{
	static const char *const of_libc[] = { "libc.so.6", "wait", "futex" };
	struct profile_want want = { .detail = PROFILE_DETAIL_PLACES };
	struct buf b, events, body;
	struct profile p;

	(void)state;
	buf_init(&b, MIB);
	buf_init(&events, MIB);
	put_names(&events, of_libc, 3);
	put_kinds(&events, "Kernel", "Native");
	put_traces(&events);
	put_sample(&events, 2);
	describe(classes, COUNT_OF(classes), &body);
	put_chunk(&b, &events, &body);
	notes_init(&notes);
	profile_init(&p);
	assert_decoded(decode_profile(FORMAT_JFR, buf_str(&b), &want, &p,
				      &notes, &err));
	assert_int_equal(p.frame_count, 1);
	assert_true(str_equal(function_mapping(&p, p.frames[0].function),
			      STR("libc.so.6")));
	profile_release(&p);
	buf_release(&b);
}

/* Old recordings of wall time have the event of CPU time. */
static void test_sleeping(void **state)
{
	static const struct made_class sleeping[] = {
		{ "java.lang.String", "4", { { 0 } } },
		{ "jdk.types.ThreadState",
		  "30",
		  { { "name", "4", false, false } } },
		{ "jdk.ExecutionSample",
		  "20",
		  { { "state", "30", true, false } } },
	};
	static const char *const states[] = { "STATE_RUNNABLE",
					      "STATE_SLEEPING" };

	(void)state;
	for (uint64_t slept = 0; slept < 2; slept++) {
		struct buf b, events, pools, body;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		begin_pools(&pools, 1);
		put(&pools, 30);
		put(&pools, 2);
		for (uint64_t i = 0; i < 2; i++) {
			put(&pools, i);
			put_text(&pools, states[i]);
		}
		put_event(&events, 1, &pools);
		buf_release(&pools);
		for (uint64_t i = 0; i < 3; i++) {
			buf_init(&body, KIB);
			put(&body, i ? slept : 0);
			put_event(&events, ID_SAMPLE, &body);
			buf_release(&body);
		}
		describe(sleeping, COUNT_OF(sleeping), &body);
		put_chunk(&b, &events, &body);
		expect(&b, "", "[unknown] 3\n");
		assert_int_equal(notes.count, slept);
		if (slept)
			assert_non_null(strstr(notes.text[0],
					       "2 of 3 samples are of threads "
					       "that slept"));
		buf_release(&b);
	}
}

/* One event of a kind, with 77 in the field that it is summed up by. */
static void test_events(void **state)
{
	static const struct {
		const char *event;
		const char *field;
		const char *type;
		const char *folded;
	} kinds[] = {
		{ "jdk.CPUTimeSample", "biased", "cpu", "shop/A.a 1\n" },
		{ "profiler.WallClockSample", "samples", "wall",
		  "shop/A.a 77\n" },
		{ "profiler.LiveObject", "allocationSize", "inuse",
		  "shop/A.a 77\n" },
		{ "profiler.LiveObject", "allocationSize", "live",
		  "shop/A.a 1\n" },
		{ "profiler.Malloc", "size", "malloc_bytes", "shop/A.a 77\n" },
		{ "profiler.Malloc", "size", "malloc_objects", "shop/A.a 1\n" },
		{ "profiler.NativeLock", "duration", "native_contentions",
		  "shop/A.a 1\n" },
		{ "profiler.NativeLock", "duration", "native_delay",
		  "shop/A.a 77000\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct made_class made[COUNT_OF(classes)];
		struct made_class *last = &made[COUNT_OF(made) - 1];
		struct buf b, events, body;

		memcpy(made, classes, sizeof classes);
		*last = (struct made_class){ .name = kinds[i].event,
					     .id = "21" };
		last->fields[0] = (struct made_field){ .name = kinds[i].field,
						       .class = "1" };
		last->fields[1] =
			(struct made_field){ "stackTrace", "14", true, false };
		buf_init(&b, MIB);
		buf_init(&events, MIB);
		buf_init(&body, KIB);
		put(&body, 77);
		put(&body, 2);
		put_event(&events, ID_MONITOR, &body);
		buf_release(&body);
		put_names(&events, names, 3);
		put_traces(&events);
		describe(made, COUNT_OF(made), &body);
		put_chunk(&b, &events, &body);
		expect(&b, kinds[i].type, kinds[i].folded);
		buf_release(&b);
	}
}

/* ---- the time that samples stand for ---- */

#define ID_SETTING 40
#define ID_CPU_TIME 41
#define ID_LOST 42
#define ID_WALL 43
#define ID_STATE 30
#define ID_RECORDING 44

static const struct made_class timed_classes[] = {
	{ "long", "1", { { 0 } } },
	{ "int", "2", { { 0 } } },
	{ "boolean", "3", { { 0 } } },
	{ "java.lang.String", "4", { { 0 } } },
	{ "jdk.types.ThreadState", "30", { { "name", "4", false, false } } },
	{ "jdk.ExecutionSample",
	  "20",
	  { { "startTime", "1", false, false },
	    { "state", "30", true, false } } },
	{ "jdk.ActiveSetting",
	  "40",
	  { { "startTime", "1", false, false },
	    { "id", "1", false, false },
	    { "name", "4", false, false },
	    { "value", "4", false, false } } },
	{ "jdk.CPUTimeSample",
	  "41",
	  { { "startTime", "1", false, false },
	    { "samplingPeriod", "1", false, false },
	    { "biased", "3", false, false } } },
	{ "jdk.CPUTimeSamplesLost",
	  "42",
	  { { "lostSamples", "2", false, false } } },
	{ "profiler.WallClockSample",
	  "43",
	  { { "samples", "2", false, false } } },
	{ "jdk.ActiveRecording", "44", { { 0 } } },
};

static void put_numbers(struct buf *b, uint64_t type, const uint64_t *numbers,
			size_t count)
{
	struct buf body;

	buf_init(&body, KIB);
	for (size_t i = 0; i < count; i++)
		put(&body, numbers[i]);
	put_event(b, type, &body);
	buf_release(&body);
}

static void put_setting(struct buf *b, uint64_t ticks, uint64_t of,
			const char *name, const char *value)
{
	struct buf body;

	buf_init(&body, KIB);
	put(&body, ticks);
	put(&body, of);
	put_text(&body, name);
	put_text(&body, value);
	put_event(b, ID_SETTING, &body);
	buf_release(&body);
}

/* Releases the events. */
static void put_timed(struct buf *b, struct buf *events)
{
	struct buf body;

	describe(timed_classes, COUNT_OF(timed_classes), &body);
	put_chunk(b, events, &body);
}

/* Of ticks that are microseconds, as in all chunks here. */
static void put_cpu_time(struct buf *b, uint64_t period, bool is_biased)
{
	put_numbers(b, ID_CPU_TIME, (uint64_t[]){ 1, period, is_biased }, 3);
}

static void assert_type(const struct profile *p, const char *type,
			const char *unit, int64_t total, int64_t samples)
{
	assert_true(str_equal(profile_type_name(p), str_from(type)));
	assert_true(str_equal(profile_unit(p), str_from(unit)));
	assert_int_equal(p->total, total);
	assert_int_equal(p->sample_count, samples);
}

/* Two chunks, one of which says that it began then and took so long. */
static void expect_times(uint64_t start, uint64_t duration)
{
	struct buf b, events, times;
	struct profile p;

	buf_init(&b, MIB);
	buf_init(&times, MIB);
	put_long(&times, start);
	put_long(&times, duration);
	for (unsigned i = 0; i < 2; i++) {
		buf_init(&events, MIB);
		put_cpu_time(&events, 50000, false);
		put_timed(&b, &events);
		if (!i)
			memcpy(b.data + 32, times.data, times.len);
	}
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_type(&p, "cpu", "nanoseconds", 100000000, 2);
	assert_int_equal(p.time_ns, START_NS);
	assert_int_equal(p.duration_ns, 5000);
	profile_release(&p);
	buf_release(&times);
	buf_release(&b);
}

static void test_impossible_times(void **state)
{
	(void)state;
	expect_times(START_NS, 5000);
	expect_times(0, 5000);
	expect_times(UINT64_C(1) << 63, 5000);
	expect_times(START_NS, UINT64_MAX);
	expect_times(INT64_MAX, 1);
	expect_times(START_NS, INT64_MAX);
}

/* Java 25: each sample has its own period, and goes before execution samples.
 */
static void test_cpu_time(void **state)
{
	struct buf b, events;
	struct profile p;

	(void)state;
	buf_init(&b, MIB);
	buf_init(&events, MIB);
	put_setting(&events, 0, ID_SAMPLE, "period", "20 ms");
	put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 1, 0 }, 2);
	put_cpu_time(&events, 50000, true);
	put_cpu_time(&events, 10000, true);
	put_cpu_time(&events, 10000, false);
	put_numbers(&events, ID_LOST, (uint64_t[]){ 7 }, 1);
	put_numbers(&events, ID_LOST, (uint64_t[]){ 2 }, 1);
	put_timed(&b, &events);
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_type(&p, "cpu", "nanoseconds", 70000000, 3);
	assert_int_equal(p.period, 70000000 / 3);
	assert_int_equal(p.type_count, 3);
	assert_int_equal(notes.count, 2);
	assert_non_null(strstr(notes.text[0], "2 of 3 samples are biased"));
	assert_non_null(strstr(notes.text[1], "lost 9 samples of CPU time "
					      "beside the 3 that it kept"));
	profile_release(&p);
	assert_decoded(decode(buf_str(&b), "cpu_samples", &p));
	assert_type(&p, "cpu_samples", "count", 3, 3);
	profile_release(&p);
	assert_decoded(decode(buf_str(&b), "samples", &p));
	assert_type(&p, "samples", "count", 1, 1);
	assert_int_equal(notes.count, 0);
	profile_release(&p);
	buf_release(&b);
}

/* What async-profiler and the JDK say of jdk.ExecutionSample, and what it makes
 * of three of them. */
static void test_execution_periods(void **state)
{
	static const struct {
		const char *settings[4][2]; /* "event" is of the recording */
		const char *type;
		int64_t total;
	} cases[] = {
		{ { { "period", "20 ms" } }, "cpu", 60000000 },
		{ { { "period", "1 s" } }, "cpu", 3000000000 },
		{ { { "period", "everyChunk" } }, "samples", 3 },
		{ { { "enabled", "true" } }, "samples", 3 },
		{ { { "event", "cpu" }, { "interval", "1000000" } },
		  "cpu",
		  3000000 },
		{ { { "event", "itimer" }, { "interval", "0" } },
		  "cpu",
		  30000000 },
		{ { { "event", "wall" }, { "interval", "5000000" } },
		  "wall",
		  15000000 },
		{ { { "event", "wall" }, { "interval", "0" } },
		  "wall",
		  150000000 },
		{ { { "event", "cache-misses" }, { "interval", "1000" } },
		  "samples",
		  3 },
		/* Both clocks, in events of two kinds and of one. */
		{ { { "event", "cpu" },
		    { "interval", "1000000" },
		    { "wall", "20000000" },
		    { "nobatch", "false" } },
		  "cpu",
		  3000000 },
		{ { { "event", "cpu" },
		    { "interval", "1000000" },
		    { "wall", "20000000" },
		    { "nobatch", "true" } },
		  "samples",
		  3 },
		{ { { "event", "cpu" },
		    { "interval", "1000000" },
		    { "wall", "20000000" } },
		  "samples",
		  3 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf b, events;
		struct profile p;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		for (size_t k = 0; k < 3; k++)
			put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 9, 0 },
				    2);
		/* Settings may stand behind what they are of. */
		for (size_t k = 0; k < 4 && cases[i].settings[k][0]; k++) {
			const char *name = cases[i].settings[k][0];

			put_setting(&events, 1,
				    strcmp(name, "event") ? ID_SAMPLE
							  : ID_RECORDING,
				    name, cases[i].settings[k][1]);
		}
		put_timed(&b, &events);
		assert_decoded(decode(buf_str(&b), "", &p));
		assert_type(&p, cases[i].type,
			    strcmp(cases[i].type, "samples") ? "nanoseconds"
							     : "count",
			    cases[i].total, 3);
		profile_release(&p);
		if (strcmp(cases[i].type, "samples"))
			expect(&b, "samples", "[unknown] 3\n");
		buf_release(&b);
	}
}

/* A period counts from its setting on, and in its chunk only. */
static void test_changed_periods(void **state)
{
	struct buf b, events;
	struct profile p;

	(void)state;
	buf_init(&b, MIB);
	buf_init(&events, MIB);
	put_setting(&events, 100, ID_SAMPLE, "period", "10 ms");
	put_setting(&events, 200, ID_SAMPLE, "period", "50 ms");
	put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 250, 0 }, 2);
	put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 150, 0 }, 2);
	put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 50, 0 }, 2);
	put_timed(&b, &events);
	expect(&b, "", "[unknown] 70000000\n");
	buf_init(&events, MIB);
	for (unsigned i = 0; i < 40; i++) /* more than are kept */
		put_setting(&events, i, ID_SAMPLE, "period",
			    i % 2 ? "20 ms" : "10 ms");
	put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 250, 0 }, 2);
	put_timed(&b, &events);
	expect(&b, "", "[unknown] 90000000\n");
	/* A chunk that does not tell: no time is claimed. */
	buf_init(&events, MIB);
	put_numbers(&events, ID_SAMPLE, (uint64_t[]){ 250, 0 }, 2);
	put_timed(&b, &events);
	assert_decoded(decode(buf_str(&b), "", &p));
	assert_type(&p, "samples", "count", 5, 5);
	profile_release(&p);
	buf_release(&b);
}

/* Samples of threads that slept are told as a number of them. */
static void test_wall_time(void **state)
{
	static const struct {
		const char *event;
		const char *name;
		const char *value;
		int64_t total;
	} cases[] = {
		{ "cpu", "wall", "20000000", 1665 * INT64_C(20000000) },
		{ "wall", "interval", "20000000", 1665 * INT64_C(20000000) },
		{ "wall", "interval", "0", 1665 * INT64_C(50000000) },
		{ "cpu", "interval", "1000000", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf b, events;
		struct profile p;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		put_setting(&events, 1, ID_RECORDING, "event", cases[i].event);
		put_setting(&events, 1, ID_SAMPLE, cases[i].name,
			    cases[i].value);
		put_numbers(&events, ID_WALL, (uint64_t[]){ 1000 }, 1);
		put_numbers(&events, ID_WALL, (uint64_t[]){ 665 }, 1);
		put_timed(&b, &events);
		assert_decoded(decode(buf_str(&b), "", &p));
		if (cases[i].total)
			assert_type(&p, "wall", "nanoseconds", cases[i].total,
				    1665);
		else
			assert_type(&p, "wall", "count", 1665, 1665);
		profile_release(&p);
		buf_release(&b);
	}
}

/* The same program, recorded by one JDK at two rates. */
static void test_rates_of_java_25(void **state)
{
	static const struct {
		const char *file;
		int64_t samples;
		int64_t total_ns;
	} recordings[] = {
		{ "jfr/cpu-time-50ms.jfr.gz", 75, 3750000000 },
		{ "jfr/cpu-time-10ms.jfr.gz", 326, 3270000000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(recordings); i++) {
		struct buf bytes;
		struct profile p;

		read_fixture(recordings[i].file, &bytes);
		assert_decoded(decode(buf_str(&bytes), "", &p));
		assert_int_equal(p.sample_count, recordings[i].samples);
		assert_int_equal(p.total, recordings[i].total_ns);
		assert_int_equal(notes.count, 1); /* most are biased */
		profile_release(&p);
		buf_release(&bytes);
	}
}

/* Names in each form that texts have. */
static void test_texts(void **state)
{
	static const struct {
		struct str text;
		const char *folded;
	} forms[] = {
		{ { "\0", 1 }, "[unknown] 1\n" },
		{ { "\1", 1 }, "[unknown] 1\n" },
		{ { "\2\5", 2 }, "[unknown] 1\n" },
		{ { "\3\2xy", 4 }, "xy 1\n" },
		{ { "\4\4x\xe9\1\xac\x40\x80\xb0\x03", 10 },
		  "x\xc3\xa9\xe2\x80\xac\xef\xbf\xbd 1\n" },
		{ { "\5\2\xe9z", 4 }, "\xc3\xa9z 1\n" },
		{ { "\6\1x", 3 }, NULL },
		{ { "\3\x7fx", 3 }, NULL },
		{ { "\5\x7fx", 3 }, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		struct buf b, events, pools, body;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		begin_pools(&pools, 2);
		put(&pools, ID_METHOD);
		put(&pools, 1);
		buf_add(&pools, "\2\0\5", 3); /* of no class */
		put(&pools, ID_SYMBOL);
		put(&pools, 1);
		put(&pools, 5);
		buf_add_str(&pools, forms[i].text);
		put_event(&events, 1, &pools);
		buf_release(&pools);
		put_traces(&events);
		put_sample(&events, 2);
		describe(classes, COUNT_OF(classes), &body);
		put_chunk(&b, &events, &body);
		if (forms[i].folded) {
			expect(&b, "", forms[i].folded);
			buf_release(&b);
		} else {
			refuse(&b, ERROR_FORMAT, "damaged");
		}
	}
}

static void alter(size_t at, const char *bytes, size_t len, const char *part)
{
	struct buf b;

	buf_init(&b, MIB);
	put_recording(&b);
	memcpy(b.data + at, bytes, len);
	refuse(&b, ERROR_FORMAT, part);
}

static void test_headers(void **state)
{
	struct buf b;

	(void)state;
	alter(0, "x", 1, "no beginning");
	alter(4, "\0\0", 2, "version that is not read");
	alter(4, "\0\3", 2, "version that is not read");
	alter(4, "\1\2", 2, "version that is not read");
	alter(8, "\0\0\0\0\0\0\0\0", 8, "cut off, or still being written");
	alter(8, "\0\0\0\0\0\0\0\x43", 8, "cut off, or still being written");
	alter(8, "\1", 1, "cut off, or still being written");
	alter(24, "\0\0\0\0\0\0\0\x43", 8, "no description");
	alter(24, "\1", 1, "no description");
	alter(24, "\0\0\0\0\0\0\0\x44", 8, "no description");
	alter(67, "\0", 1, "numbers of fixed size");
	alter(68, "\0", 1, "an event has a wrong size");
	alter(68, "\xff\xff\xff\x7f", 4, "an event has a wrong size");
	buf_init(&b, MIB);
	put_recording(&b);
	buf_add_text(&b, "FLR");
	refuse(&b, ERROR_FORMAT, "no beginning");
}

/* An event of pools that holds these bytes alone. */
static void refuse_pools(struct str bytes, const char *part)
{
	struct buf b, events, pools, body;

	buf_init(&b, MIB);
	buf_init(&events, MIB);
	buf_init(&pools, MIB);
	buf_add_str(&pools, bytes);
	put_sample(&events, 1);
	put_event(&events, 1, &pools);
	buf_release(&pools);
	describe(classes, COUNT_OF(classes), &body);
	put_chunk(&b, &events, &body);
	refuse(&b, ERROR_FORMAT, part);
}

static void test_pools(void **state)
{
	(void)state;
	refuse_pools(STR("\0\0\0\0\1\x63\1\1\1"), "of no class");
	refuse_pools(STR("\0\0\0\0\2\x0a\1\1\1"), "cut off");
	refuse_pools(STR("\0\0\0\0\1\x0a\2\1\1"), "goes over the end");
	refuse_pools(STR("\0\0\0\0\1\x0e\1\1\0\x7f\1\1"), "goes over the end");
	refuse_pools(STR("\0\0\0\0\1\x0e\1\1\0\xff\xff\xff\xff\xff\xff\xff\xff"
			 "\xff"),
		     "goes over the end");
}

/* Refused with these classes instead. */
static void refuse_classes(const struct made_class *made, size_t count,
			   const char *part)
{
	struct buf b, events, body;

	buf_init(&b, MIB);
	buf_init(&events, MIB);
	describe(made, count, &body);
	put_chunk(&b, &events, &body);
	refuse(&b, ERROR_FORMAT, part);
}

static void test_descriptions(void **state)
{
	static const struct made_class twice[] = { { "a", "1", { { 0 } } },
						   { "b", "1", { { 0 } } } };
	static const struct made_class nameless[] = { { "a", "x", { { 0 } } } };
	static const struct made_class lost[] = {
		{ "a", "1", { { "f", "2", false, false } } }
	};
	static const struct made_class odd[] = {
		{ "a", "1", { { "f", "", false, false } } }
	};
	struct buf b, events, body;

	(void)state;
	refuse_classes(twice, 2, "the same number");
	refuse_classes(nameless, 1, "a class has no number");
	refuse_classes(lost, 1, "a field is of no class");
	refuse_classes(odd, 1, "a field is of no class");
	buf_init(&b, MIB);
	buf_init(&events, MIB);
	buf_init(&body, MIB);
	buf_add_str(&body, STR("\0\0\0\1\3\5field\0\0\0"));
	put_chunk(&b, &events, &body);
	refuse(&b, ERROR_FORMAT, "a field has no class");
	buf_init(&b, MIB);
	buf_init(&events, MIB);
	buf_init(&body, MIB);
	buf_add_str(&body, STR("\0\0\0\x7f\3\5field\0\0\0"));
	put_chunk(&b, &events, &body);
	refuse(&b, ERROR_FORMAT, "description is cut off");
}

/* Elements each of which holds the next. */
static void test_depth_of_elements(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct buf b, events;
		struct buf body;

		buf_init(&b, MIB);
		buf_init(&events, MIB);
		buf_init(&body, MIB);
		buf_add_str(&body, STR("\0\0\0\0"));
		for (unsigned i = 1; i < LIMIT_JFR_DEPTH + more; i++)
			buf_add(&body,
				i + 1 < LIMIT_JFR_DEPTH + more ? "\0\0\1"
							       : "\0\0\0",
				3);
		put_chunk(&b, &events, &body);
		if (more) {
			refuse(&b, ERROR_LIMIT, "nested deeper than 15 levels");
		} else {
			expect(&b, "", "");
			buf_release(&b);
		}
	}
}

/* A sample of a class in a class in a class... */
static void test_depth_of_values(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct made_class made[LIMIT_JFR_DEPTH + 2] = { 0 };
		char ids[LIMIT_JFR_DEPTH + 2][4];
		unsigned count = LIMIT_JFR_DEPTH + more;
		struct buf b, events, body;

		for (unsigned i = 0; i <= count; i++)
			snprintf(ids[i], sizeof ids[i], "%u", ID_SAMPLE + i);
		for (unsigned i = 0; i < count; i++) {
			made[i].name = i ? "c" : "jdk.ExecutionSample";
			made[i].id = ids[i];
			made[i].fields[0].name = "f";
			made[i].fields[0].class = ids[i + 1];
		}
		made[count].name = "int";
		made[count].id = ids[count];
		buf_init(&b, MIB);
		buf_init(&events, MIB);
		put_sample(&events, 0);
		describe(made, count + 1, &body);
		put_chunk(&b, &events, &body);
		if (more) {
			refuse(&b, ERROR_LIMIT, "nested deeper than 16 levels");
		} else {
			expect(&b, "", "[unknown] 1\n");
			buf_release(&b);
		}
	}
}

/* Lists of lists of nothing would take forever. */
static void test_values_of_nothing(void **state)
{
	static const struct made_class made[] = {
		{ "nothing", "1", { { 0 } } },
		{ "jdk.ExecutionSample", "20", { { "f", "1", false, true } } },
	};
	struct buf b, events, body, sample;

	(void)state;
	buf_init(&b, MIB);
	buf_init(&events, MIB);
	buf_init(&sample, KIB);
	put(&sample, UINT64_C(1) << 60);
	put_event(&events, ID_SAMPLE, &sample);
	buf_release(&sample);
	describe(made, COUNT_OF(made), &body);
	put_chunk(&b, &events, &body);
	refuse(&b, ERROR_FORMAT, "more values than bytes");
}

/* Cut anywhere, and with any byte changed, nothing breaks. */
static void test_mutations(void **state)
{
	static const unsigned char others[] = {
		0, 1, 2, 3, 9, 0x7f, 0x80, 0xff
	};
	struct profile p;
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	put_recording(&b);
	for (size_t i = 0; i < b.len; i++) {
		char kept = b.data[i];

		for (size_t k = 0; k < sizeof others; k++) {
			b.data[i] = (char)others[k];
			(void)decode(buf_str(&b), k % 2 ? "delay" : "", &p);
			profile_release(&p);
		}
		b.data[i] = kept;
		if (i)
			assert_false(
				decode(str_slice(buf_str(&b), 0, i), "", &p));
		profile_release(&p);
	}
	buf_release(&b);
	error_clear(&err);
}

/* Held against sums over what `jfr print` says of the file. */
static void test_real(void **state)
{
	static const struct {
		const char *type;
		const char *name;
		int64_t flat;
		int64_t cum;
		int64_t total;
	} figures[] = {
		{ "samples", "Work.sortWords", 1, 28, 31 },
		{ "alloc_sample_bytes", "Work.keepRecords", 41863368, 41863368,
		  139983088 },
		{ "alloc_in_new_tlab_bytes", "Work.keepRecords", 42642144,
		  43140560, 130544744 },
		{ "delay", "Work.hold", 199447639, 199447639, 199447639 },
		{ "parks", "Work.hold", 0, 241, 241 },
		{ "park_time", "Work.main", 0, 828040046, 1076153252 },
	};
	struct buf bytes;

	(void)state;
	read_fixture("jfr/work.jfr.gz", &bytes);
	for (size_t i = 0; i < COUNT_OF(figures); i++) {
		struct figures f;
		struct profile p;
		uint32_t name;

		assert_decoded(decode(buf_str(&bytes), figures[i].type, &p));
		figures_init(&f, &p);
		name = symtab_find(&p.symtab, str_from(figures[i].name));
		assert_int_equal(f.flat[name], figures[i].flat);
		assert_int_equal(f.cum[name], figures[i].cum);
		assert_int_equal(p.total, figures[i].total);
		figures_release(&f);
		profile_release(&p);
	}
	buf_release(&bytes);
}

/* Chunks of a file come one by one, and may have descriptions of their own. */
static void test_chunks_of_a_file(void **state)
{
	char path[] = "/tmp/tracefind-jfr-XXXXXX";
	int fd = mkstemp(path);
	struct profile_want want = want_of("samples");
	struct buf work, other, large, events, body, all;
	struct profile p;
	struct feed *feed;
	bool is_regular;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	read_fixture("jfr/work.jfr.gz", &work);
	read_fixture("jfr/cpu-time-50ms.jfr.gz", &other);
	buf_init(&all, 64 * MIB);
	buf_init(&large, 64 * MIB);
	buf_init(&events, 64 * MIB);
	for (unsigned i = 0; i < 2; i++)
		buf_add_str(&all, buf_str(&work));
	buf_add_str(&all, buf_str(&other));
	buf_add_str(&all, buf_str(&work));
	/* An event of no known kind. */
	assert_non_null(buf_reserve(&large, 5 * MIB));
	memset(large.data, 7, 5 * MIB);
	buf_commit(&large, 5 * MIB);
	put_event(&events, 77, &large);
	put_sample(&events, 1);
	describe(classes, COUNT_OF(classes), &body);
	put_chunk(&all, &events, &body);
	write_file(path, buf_str(&all));
	feed = feed_open(path, 64 * MIB, 64 * MIB, &is_regular, &err);
	assert_non_null(feed);
	notes_init(&notes);
	profile_init(&p);
	assert_decoded(decode_profile_feed(FORMAT_JFR, feed, &want, &p, &notes,
					   &err));
	assert_int_equal(p.total, 3 * 31 + 1);
	profile_release(&p);
	feed_free(feed);
	assert_decoded(decode(buf_str(&all), "samples", &p));
	assert_int_equal(p.total, 3 * 31 + 1);
	profile_release(&p);
	buf_release(&all);
	buf_release(&large);
	buf_release(&other);
	buf_release(&work);
	unlink(path);
}

static void test_starvation(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	put_recording(&b);
	assert_survives_starvation(decode_jfr, buf_str(&b));
	buf_release(&b);
}

UNIT_TESTS(jfr)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_no_samples),
		cmocka_unit_test(test_names_of_classes),
		cmocka_unit_test(test_kinds_of_frames),
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_sleeping),
		cmocka_unit_test(test_cpu_time),
		cmocka_unit_test(test_impossible_times),
		cmocka_unit_test(test_execution_periods),
		cmocka_unit_test(test_changed_periods),
		cmocka_unit_test(test_wall_time),
		cmocka_unit_test(test_rates_of_java_25),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_depth_of_elements),
		cmocka_unit_test(test_depth_of_values),
		cmocka_unit_test(test_values_of_nothing),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_chunks_of_a_file),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
