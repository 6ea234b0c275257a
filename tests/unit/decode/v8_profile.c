/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#define CALL(name, url, line)                                                  \
	"\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"9\","     \
	"\"url\":\"" url "\",\"lineNumber\":" line ",\"columnNumber\":1}"
#define NODE(id, call, children)                                               \
	"{\"id\":" id "," call ",\"hitCount\":1,\"children\":[" children "]}"
#define NODES                                                                  \
	NODE("1", CALL("(root)", "", "-1"), "2,3,4")                           \
	"," NODE("2", CALL("main", "file:///a/b.js", "0"),                     \
		 "5") "," NODE("3", CALL("(idle)", "", "-1"),                  \
			       "") "," NODE("4",                               \
					    CALL("(garbage "                   \
						 "collector)",                 \
						 "", "-1"),                    \
					    "") "," NODE("5",                  \
							 CALL("",              \
							      "file:///a/"     \
							      "b.js",          \
							      "6"),            \
							 "")
#define CPU(samples, deltas)                                                   \
	"{\"nodes\":[" NODES "],\"startTime\":1000,\"endTime\":2000,"          \
	"\"samples\":[" samples "],\"timeDeltas\":[" deltas "]}"
#define HEAP_NODE(call, size, children)                                        \
	"{" call ",\"selfSize\":" size ",\"id\":1,\"children\":[" children "]}"

static struct notes notes;

static bool decode(const char *text, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_V8_PROFILE, str_from(text), &want, p,
			      &notes, &err);
}

static void expect(const char *text, const char *type, const char *folded)
{
	struct profile p;

	assert_decoded(decode(text, type, &p));
	assert_folded(&p, folded);
	profile_release(&p);
}

static void refuse(const char *text, enum error_code code, const char *part)
{
	struct profile p;

	assert_refused(decode(text, "", &p), code, part);
	profile_release(&p);
}

/* A sample lasts until the next, the last one until the end. */
static void test_cpu(void **state)
{
	static const char *const text = CPU("2,5,3,4", "100,200,50,150");
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", &p));
	assert_folded(&p, "(garbage collector) 500000\nmain 200000\n"
			  "main;(anonymous b.js:7) 50000\n");
	assert_true(str_equal(profile_type_name(&p), STR("cpu")));
	assert_int_equal(p.type_count, 3);
	assert_int_equal(p.sample_count, 3);
	assert_int_equal(p.period, 250000);
	assert_int_equal(p.duration_ns, 1000000);
	assert_int_equal(notes.count, 1);
	for (uint32_t i = 0; i < p.frame_count; i++) {
		struct frame frame = p.frames[i];

		if (str_equal(function_name(&p, frame.function), STR("main"))) {
			assert_int_equal(frame.line, 1);
			assert_true(str_equal(function_file(&p, frame.function),
					      STR("/a/b.js")));
		}
	}
	profile_release(&p);
	expect(text, "wall",
	       "(garbage collector) 500000\n(idle) 150000\nmain 200000\n"
	       "main;(anonymous b.js:7) 50000\n");
	expect(text, "samples",
	       "(garbage collector) 1\nmain 1\nmain;(anonymous b.js:7) 1\n");
}

/* What is told late has no time, and takes none from others. */
static void test_times(void **state)
{
	(void)state;
	expect(CPU("2,5,2", "0,-10,110"), "",
	       "main 900000\n"
	       "main;(anonymous b.js:7) 100000\n");
	expect(CPU("2,5", "0,2000"), "", "main 2000000\n");
	refuse(CPU("2", "1e300"), ERROR_FORMAT, "out of range");
	refuse(CPU("2", "\"NaN\""), ERROR_FORMAT, "out of range");
	refuse(CPU("2,2", "1"), ERROR_FORMAT, "differ in number");
}

#define BUN(name, deltas)                                                      \
	"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},"   \
	"\"children\":[2,3]},{\"id\":2,\"callFrame\":{\"functionName\":"       \
	"\"work\"}},{\"id\":3,\"callFrame\":{\"functionName\":\"" name         \
	"\"}}],\"startTime\":1000,\"endTime\":0,"                              \
	"\"samples\":[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2],"                     \
	"\"timeDeltas\":[" deltas "]}"

#define SEVEN "10,10,10,10,10,10,10,"

/* Without idle samples, as Bun has it, a gap of many intervals is a wait. */
static void test_gaps(void **state)
{
	(void)state;
	expect(BUN("now", "10," SEVEN "500," SEVEN "10"), "", "work 160000\n");
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "0.5 ms without samples"));
	expect(BUN("now", "10," SEVEN "500," SEVEN "10"), "wall",
	       "(idle) 490000\nwork 160000\n");
	assert_int_equal(notes.count, 0);
	/* A late sample; and one that V8 would have called idle. */
	expect(BUN("now", "10," SEVEN "499," SEVEN "10"), "", "work 649000\n");
	expect(BUN("(program)", "10," SEVEN "500," SEVEN "10"), "",
	       "work 650000\n");
	assert_int_equal(notes.count, 0);
}

/* Without samples the nodes say how often they were hit. */
static void test_hits(void **state)
{
	(void)state;
	expect("{\"nodes\":[" NODES "]}", "",
	       "(garbage collector) 1\n[unknown] 1\nmain 1\n"
	       "main;(anonymous b.js:7) 1\n");
}

/* Some name the caller instead of those that are called. */
static void test_callers(void **state)
{
	(void)state;
	expect("{\"nodes\":[{\"id\":7,\"parent\":3,\"hitCount\":4,"
	       "\"callFrame\":{\"functionName\":\"f\"}},{\"id\":3,"
	       "\"callFrame\":{\"functionName\":\"(root)\"}}]}",
	       "", "f 4\n");
	refuse("{\"nodes\":[{\"id\":7,\"parent\":3,\"hitCount\":4}]}",
	       ERROR_FORMAT, "a node is missing");
	refuse("{\"nodes\":[{\"id\":7,\"parent\":7,\"hitCount\":4}]}",
	       ERROR_FORMAT, "a stack has no root");
	refuse("{\"nodes\":[{\"id\":1,\"children\":[2],\"hitCount\":1},"
	       "{\"id\":2,\"children\":[1]}]}",
	       ERROR_FORMAT, "a stack has no root");
}

/* Before 2017: nested, times as they are, no callFrame. */
static void test_nested_cpu(void **state)
{
	(void)state;
	expect("{\"head\":{\"functionName\":\"(root)\",\"id\":1,\"children\":["
	       "{\"functionName\":\"\",\"url\":\"\",\"id\":2,\"children\":[]},"
	       "{\"functionName\":\"g\",\"id\":3,\"children\":null}]},"
	       "\"startTime\":1.5,\"endTime\":2.5,\"samples\":[2,3,2],"
	       "\"timestamps\":[1000,1500,1600]}",
	       "", "(anonymous) 500000\ng 100000\n");
	expect("{\"head\":{\"functionName\":\"f\",\"id\":1},\"samples\":[1],"
	       "\"timestamps\":[1000,1500]}",
	       "", "f 500000\n");
}

static void test_heap(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode(
		"{\"head\":" HEAP_NODE(
			CALL("(root)", "", "-1"), "0",
			HEAP_NODE(CALL("f", "", "-1"), "5", "") "," HEAP_NODE(
				CALL("g", "node:x", "9"), "0",
				HEAP_NODE(CALL("f", "", "-1"), "7",
					  ""))) ",\"samples\":[{\"size\":5,"
						"\"nodeId\":1}]}",
		"", &p));
	assert_folded(&p, "f 5\ng;f 7\n");
	assert_true(str_equal(profile_type_name(&p), STR("inuse_space")));
	assert_true(str_equal(profile_unit(&p), STR("bytes")));
	assert_true(p.is_gauge);
	profile_release(&p);
	/* Members of a node may stand behind its children. */
	expect("{\"head\":{\"children\":[{\"selfSize\":3}],\"selfSize\":2,"
	       "\"callFrame\":{\"functionName\":\"f\"}}}",
	       "", "f 2\nf;(anonymous) 3\n");
}

/* V8 tells 128 calls at most. */
static void test_depth(void **state)
{
	struct profile p;
	struct buf b;

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		unsigned depth = LIMIT_JSON_DEPTH / 2 - 1 + more;

		buf_init(&b, MIB);
		buf_add_text(&b, "{\"head\":");
		for (unsigned i = 0; i < depth; i++)
			buf_add_text(&b, "{\"selfSize\":1,\"children\":[");
		buf_add_text(&b, "{\"selfSize\":1}");
		for (unsigned i = 0; i < depth; i++)
			buf_add_text(&b, "]}");
		buf_add_text(&b, "}");
		if (more) {
			refuse(buf_text(&b), ERROR_LIMIT, "nested deeper");
		} else {
			assert_decoded(decode(buf_text(&b), "", &p));
			assert_int_equal(p.total, depth + 1);
			profile_release(&p);
		}
		buf_release(&b);
	}
}

static void test_damage(void **state)
{
	(void)state;
	refuse("{\"nodes\":[{\"id\":1},{\"id\":1}]}", ERROR_FORMAT, "same id");
	refuse(CPU("9", "1"), ERROR_FORMAT, "node of a sample is missing");
	refuse("{\"nodes\":[{\"id\":1,\"children\":[9]}]}", ERROR_FORMAT,
	       "a node is missing");
	refuse("{\"nodes\":[{\"id\":1", ERROR_FORMAT, "");
	refuse("{\"head\":{\"children\":[", ERROR_FORMAT, "");
	refuse("{\"head\":{}} x", ERROR_FORMAT, "");
	refuse("{\"nodes\":[{\"id\":-1}]}", ERROR_FORMAT, "");
}

/* Cut anywhere, and with any byte changed, nothing breaks. */
static void test_mutations(void **state)
{
	static const char *const texts[] = {
		CPU("2,5,3", "1,2,3"),
		"{\"head\":" HEAP_NODE(
			CALL("f", "", "-1"), "5",
			HEAP_NODE(CALL("g", "u", "1"), "5", "")) "}",
	};
	struct profile p;

	(void)state;
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
		size_t len = strlen(texts[t]);
		char *changed = strdup(texts[t]);

		for (size_t i = 0; i < len; i++) {
			for (const char *c = "09-[]{}\",x"; *c; c++) {
				changed[i] = *c;
				(void)decode(changed, "", &p);
				profile_release(&p);
			}
			changed[i] = '\0';
			assert_false(decode(changed, "", &p));
			profile_release(&p);
			changed[i] = texts[t][i];
		}
		free(changed);
	}
	error_clear(&err);
}

/* Held against sums that a script of its own made of the files. */
static void test_real(void **state)
{
	static const struct {
		const char *path;
		const char *name;
		int64_t flat;
		int64_t cum;
		int64_t total;
	} files[] = {
		{ "v8/work.cpuprofile", "sortWords", 46797000, 46797000,
		  100717000 },
		{ "v8/work.heapprofile", "keepRecords", 6241944, 6241944,
		  6505400 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct figures f;
		struct profile p;
		struct buf text;
		uint32_t name;

		read_fixture(files[i].path, &text);
		assert_decoded(decode(buf_text(&text), "", &p));
		figures_init(&f, &p);
		name = symtab_find(&p.symtab, str_from(files[i].name));
		assert_int_equal(f.flat[name], files[i].flat);
		assert_int_equal(f.cum[name], files[i].cum);
		assert_int_equal(p.total, files[i].total);
		figures_release(&f);
		profile_release(&p);
		buf_release(&text);
	}
}

static bool decode_bytes(struct str bytes, const struct profile_want *want,
			 struct profile *p, struct notes *said,
			 struct error *failed)
{
	return decode_profile(FORMAT_V8_PROFILE, bytes, want, p, said, failed);
}

static void test_starvation(void **state)
{
	(void)state;
	assert_survives_starvation(decode_bytes, STR(CPU("2,5,3", "1,2,3")));
}

UNIT_TESTS(v8_profile)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_hits),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_nested_cpu),
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
