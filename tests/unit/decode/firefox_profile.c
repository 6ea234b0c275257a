/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of the Firefox Profiler: the same one with tables of each thread and
 * with shared ones, and what no such file should be like.
 */
#include "../unit.h"
#include "profile_testing.h"

static struct notes notes;

static bool decode(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_FIREFOX_PROFILE, bytes, &want, p, &notes,
			      &err);
}

static void test_files(void **state)
{
	static const char *const files[] = { "firefox/own.json",
					     "firefox/shared.json" };

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char looks_like[80];
		struct profile p;
		struct buf bytes;
		uint32_t name;

		read_fixture(files[i], &bytes);
		assert_int_equal(format_sniff(buf_str(&bytes), looks_like,
					      sizeof looks_like),
				 FORMAT_FIREFOX_PROFILE);
		assert_decoded(decode(buf_str(&bytes), "", &p));
		assert_folded(&p, "main 1\nmain;parse 3\nmain;render 2\n");
		assert_int_equal(p.total, 6);
		assert_int_equal(p.sample_count, 6);
		name = symtab_find(&p.symtab, STR("lexer.js"));
		assert_int_not_equal(name, TEXT_NONE);
		profile_release(&p);
		buf_release(&bytes);
	}
}

#define TABLES                                                                 \
	"\"stringArray\":[\"a\",\"b\"],\"funcTable\":{\"name\":[0,1]},"        \
	"\"frameTable\":{\"func\":[0,1],\"line\":[7,-1]},"
#define STACKS "\"stackTable\":{\"frame\":[0,1],\"prefix\":[null,0]},"
#define PROFILE(content) "{\"threads\":[{" content "}]}"

static void expect(const char *text, const char *type, const char *folded)
{
	struct profile p;

	assert_decoded(decode(str_from(text), type, &p));
	assert_folded(&p, folded);
	profile_release(&p);
}

/* Threads may tell different things; one kind is read at a time. */
static void test_weights(void **state)
{
	static const char text[] =
		"{\"threads\":[{" TABLES STACKS
		"\"samples\":{\"stack\":[0,1,1],\"weight\":[2,3,-1],"
		"\"weightType\":\"bytes\"}},{" TABLES STACKS
		"\"samples\":{\"stack\":[1,null],\"weightType\":\"tracing-ms\","
		"\"weight\":[1.5,9]}}]}";
	struct profile p;

	(void)state;
	expect(text, "", "a 2\na;b 2\n");
	expect(text, "size/bytes", "a 2\na;b 2\n");
	expect(text, "time", "a;b 1500000\n");
	assert_refused(decode(str_from(text), "cpu", &p), ERROR_NOT_FOUND,
		       "it has size/bytes, time/nanoseconds");
	profile_release(&p);
	expect("{\"meta\":{},\"threads\":[]}", "", "");
}

/* Frames that threads share are made once, others by each: told by the count
 * of those without a name. */
static void test_shared_frames(void **state)
{
#define SHARED                                                                 \
	"\"shared\":{\"stringArray\":[\"a\",\"0x7\"],"                          \
	"\"funcTable\":{\"name\":[0,1]},\"frameTable\":{\"func\":[0,1]}}"
#define SAMPLED STACKS "\"samples\":{\"stack\":[1]}"

	(void)state;
	expect("{" SHARED ",\"threads\":[{" SAMPLED "},{" SAMPLED "}]}", "",
	       "a;0x7 2\n");
	assert_non_null(strstr(notes.text[0], "1 of 2 places have addresses"));
	expect("{" SHARED ",\"threads\":[{" SAMPLED "},{"
	       "\"funcTable\":{\"name\":[1,0]}," SAMPLED "},{" SAMPLED "}]}",
	       "", "0x7;a 1\na;0x7 2\n");
	assert_non_null(strstr(notes.text[0], "2 of 4 places have addresses"));
}

/* Places whose symbols nobody looked up, as samply leaves them. */
static void test_addresses(void **state)
{
	static const char text[] =
		"{\"libs\":[null,{\"path\":\"/x/libm.so.6\",\"name\":"
		"\"libm.so.6\"},{}],\"threads\":[{"
		"\"stringArray\":[\"0x702db\",\"0x7\",\"0xyz\",\"0x\"],"
		"\"funcTable\":{\"name\":[0,1,2,3,0,1],"
		"\"resource\":[0,1,0,0,-1,2]},"
		"\"resourceTable\":{\"lib\":[1,0,9]},"
		"\"frameTable\":{\"func\":[0,1,2,3,4,5]},"
		"\"stackTable\":{\"frame\":[0,1,2,3,4,5],"
		"\"prefix\":[null,0,1,2,3,4]},"
		"\"samples\":{\"stack\":[5]}}]}";
	struct profile_want want = { .detail = PROFILE_DETAIL_PLACES };
	uint32_t nameless = 0;
	struct profile p;

	(void)state;
	expect(text, "", "[libm.so.6+0x702db];0x7;0xyz;0x;0x702db;0x7 1\n");
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "4 of 6 places have addresses"));
	profile_init(&p);
	assert_decoded(decode_profile(FORMAT_FIREFOX_PROFILE, str_from(text),
				      &want, &p, &notes, &err));
	for (uint32_t i = 0; i < p.function_count; i++)
		if (p.functions[i].is_nameless) {
			nameless++;
			assert_true(str_equal(function_name(&p, i),
					      STR("[libm.so.6]")));
			assert_true(str_equal(function_mapping(&p, i),
					      STR("libm.so.6")));
		}
	assert_int_equal(nameless, 1);
	profile_release(&p);
}

static void test_damage(void **state)
{
	static const struct {
		const char *text;
		const char *part;
	} cases[] = {
		{ PROFILE(TABLES STACKS "\"samples\":{\"stack\":[2]}"),
		  "a sample has a stack" },
		{ PROFILE(TABLES "\"stackTable\":{\"frame\":[2],\"prefix\":"
				 "[null]},\"samples\":{\"stack\":[0]}"),
		  "a stack has a frame" },
		{ PROFILE(TABLES "\"stackTable\":{\"frame\":[0],\"prefix\":[1]}"
				 ",\"samples\":{\"stack\":[0]}"),
		  "a stack has a caller" },
		{ PROFILE(TABLES "\"stackTable\":{\"frame\":[0],"
				 "\"prefixOffset\":[1]},"
				 "\"samples\":{\"stack\":[0]}"),
		  "a stack has a caller" },
		{ PROFILE(TABLES "\"stackTable\":{\"frame\":[0,1],\"prefix\":"
				 "[1,0]},\"samples\":{\"stack\":[0]}"),
		  "the Firefox profile" },
		{ PROFILE("\"funcTable\":{\"name\":[0]},\"frameTable\":{"
			  "\"func\":[1]}," STACKS
			  "\"samples\":{\"stack\":[0]}"),
		  "a frame has a function" },
		{ PROFILE("\"samples\":{\"schema\":{},\"data\":[]}"),
		  "open it in profiler.firefox.com" },
		{ "{\"threads\":[\"{}\"]}", "open it in profiler.firefox.com" },
		{ "{\"threads\":[{\"name\":\"x\"}", "ends" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile p;

		assert_refused(decode(str_from(cases[i].text), "", &p),
			       ERROR_FORMAT, cases[i].part);
		profile_release(&p);
	}
}

static void test_cuts(void **state)
{
	struct profile p;
	struct buf bytes;

	(void)state;
	read_fixture("firefox/shared.json", &bytes);
	/* But for the line's end all of it is needed. */
	for (size_t len = 1; len + 1 < bytes.len; len += 7) {
		error_clear(&err);
		assert_false(
			decode(str_slice(buf_str(&bytes), 0, len), "", &p));
		profile_release(&p);
	}
	buf_release(&bytes);
}

static bool decode_bytes(struct str bytes, const struct profile_want *want,
			 struct profile *p, struct notes *said,
			 struct error *failed)
{
	return decode_profile(FORMAT_FIREFOX_PROFILE, bytes, want, p, said, failed);
}

static void test_starvation(void **state)
{
	struct buf bytes;

	(void)state;
	read_fixture("firefox/shared.json", &bytes);
	assert_survives_starvation(decode_bytes, buf_str(&bytes));
	buf_release(&bytes);
}

UNIT_TESTS(firefox_profile)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_shared_frames),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
