/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#define EVENT(name, pid, id, data)                                             \
	"{\"args\":{\"data\":{" data "}},\"cat\":\"c\",\"id\":" id             \
	",\"name\":\"" name "\",\"ph\":\"P\",\"pid\":" pid ",\"tid\":1}"
#define NODE(id, caller, name)                                                 \
	"{\"id\":" id ",\"parent\":" caller                                    \
	",\"callFrame\":{\"functionName\":\"" name "\"}}"
#define CHUNK(pid, id, nodes, samples, deltas)                                 \
	EVENT("ProfileChunk", pid, id,                                         \
	      "\"cpuProfile\":{\"nodes\":[" nodes "],\"samples\":[" samples    \
	      "]},\"timeDeltas\":[" deltas "]")
#define START(pid, id) EVENT("Profile", pid, id, "\"startTime\":100")
#define END(pid, id) EVENT("ProfileChunk", pid, id, "\"endTime\":200")
#define ROOT NODE("1", "0", "(root)")

static struct notes notes;

static bool decode(const char *text, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_CHROME_TRACE, str_from(text), &want, p,
			      &notes, &err);
}

static void expect(const char *text, const char *folded, unsigned note_count)
{
	struct profile p;

	assert_decoded(decode(text, "", &p));
	assert_folded(&p, folded);
	assert_int_equal(notes.count, note_count);
	profile_release(&p);
}

static void refuse(const char *text, const char *part)
{
	struct profile p;

	assert_refused(decode(text, "", &p), ERROR_FORMAT, part);
	profile_release(&p);
}

#define ONE                                                                                                                        \
	START("7", "\"0x1\"")                                                                                                      \
	"," CHUNK("7", "\"0x1\"", ROOT "," NODE("2", "1", "f"), "2", "10") ",{\"name\":\"other\",\"args\":{\"data\":[1]}}," CHUNK( \
		"7", "\"0x1\"", NODE("3", "2", "g"), "3,2",                                                                        \
		"20,30") "," END("7", "\"0x1\"")

static void test_chunks(void **state)
{
	(void)state;
	expect("{\"traceEvents\":[" ONE "]}", "f 60000\nf;g 30000\n", 0);
	expect("[" ONE ",null]", "f 60000\nf;g 30000\n", 0);
	/* Without an end the last sample lasts no time; without a start the
	 * end says nothing. */
	expect("[" START("7", "1") "," CHUNK("7", "1",
					     ROOT "," NODE("2", "1", "f"),
					     "2,2", "0,5") "]",
	       "f 5000\n", 0);
	expect("[" CHUNK("7", "1", ROOT "," NODE("2", "1", "f"), "2,2",
			 "0,5") "," END("7", "1") "]",
	       "f 5000\n", 0);
	expect("[" EVENT(
		       "CpuProfile", "7", "1",
		       "\"cpuProfile\":{\"nodes\":[" ROOT "," NODE(
			       "2", "1",
			       "f") "],\"startTime\":10,\"endTime\":30,\"samples\":[2],"
				    "\"timeDeltas\":[5]}") "]",
	       "f 15000\n", 0);
}

/* The same numbers in another process or thread are others. */
static void test_threads(void **state)
{
	(void)state;
	expect("[" ONE "," START("8", "\"0x1\"") "," CHUNK(
		       "8", "\"0x1\"", ROOT "," NODE("2", "1", "h"), "2",
		       "99") "," END("8",
				     "\"0x1\"") "," START("7",
							  "\"0x2\"") "," CHUNK("7",
									       "\"0x2\"",
									       ROOT
									       "," NODE(
										       "2",
										       "1",
										       "h"),
									       "2",
									       "98") "," END("7",
											     "\"0x2\"") "]",
	       "f 60000\nf;g 30000\nh 3000\n", 1);
}

/* Whole ones have no id. */
static void test_whole_profiles(void **state)
{
	(void)state;
	expect("[{\"name\":\"CpuProfile\",\"pid\":7,\"tid\":1,\"args\":{\"data\":"
	       "{\"cpuProfile\":{\"nodes\":[" NODE(
		       "2", "0",
		       "f") "],"
			    "\"samples\":[2,2],\"timeDeltas\":[1,2]}}}},{\"name\":"
			    "\"CpuProfile\",\"pid\":7,\"tid\":2,\"args\":{\"data\":"
			    "{\"cpuProfile\":{\"nodes\":[" NODE(
				    "2", "0",
				    "g") "],"
					 "\"samples\":[2,2],\"timeDeltas\":[1,3]}}}}]",
	       "f 2000\ng 3000\n", 1);
}

/* Chunks may be lost, and with them nodes. */
static void test_lost_nodes(void **state)
{
	(void)state;
	expect("[" START("7", "1") "," CHUNK("7", "1", NODE("2", "9", "f"),
					     "2,5,2",
					     "0,4,6") "," END("7", "1") "]",
	       "f 94000\n", 1);
}

/* The format lets a list go without its end, but not within an event. */
static void test_list_without_end(void **state)
{
	(void)state;
	expect("[" ONE, "f 60000\nf;g 30000\n", 1);
	expect("[" ONE ",", "f 60000\nf;g 30000\n", 1);
	refuse("[" ONE ",{", "");
}

static void test_damage(void **state)
{
	(void)state;
	refuse("[]", "no samples of functions (record it with the category");
	refuse("[{\"cat\":\"py-spy\",\"name\":\"f\",\"ph\":\"B\",\"ts\":1}]",
	       "no samples of functions (record some: py-spy record --format "
	       "speedscope; its spans");
	refuse("[{\"cat\":\"__metadata\",\"name\":\"node\",\"ph\":\"M\"}]",
	       "no samples of functions (record some: node --cpu-prof; its "
	       "spans");
	refuse("{\"traceEvents\":[{\"name\":\"X\"}]}",
	       "no samples of functions");
	refuse("{\"traceEvents\":[" ONE, "");
	refuse("[" CHUNK("7", "1", ROOT, "1,1", "5") "]", "differ in number");
	refuse("[" CHUNK("7", "1", ROOT "," ROOT, "1", "5") "]", "same id");
}

/* Cut anywhere, and with any byte changed, nothing breaks. */
static void test_mutations(void **state)
{
	static const char text[] = "{\"traceEvents\":[" ONE "]}";
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

/* Held against sums that a script of its own made of the file. */
static void test_real(void **state)
{
	struct figures f;
	struct profile p;
	struct buf text;
	uint32_t name;

	(void)state;
	read_fixture("v8/page.trace.json", &text);
	assert_decoded(decode(buf_text(&text), "", &p));
	figures_init(&f, &p);
	assert_int_equal(p.total, 55010000);
	name = symtab_find(&p.symtab, STR("sortWords"));
	assert_int_equal(f.flat[name], 30876000);
	name = symtab_find(&p.symtab, STR("main"));
	assert_int_equal(f.flat[name], 2428000);
	assert_int_equal(f.cum[name], 38270000);
	figures_release(&f);
	profile_release(&p);
	buf_release(&text);
}

static bool decode_bytes(struct str bytes, const struct profile_want *want,
			 struct profile *p, struct notes *said,
			 struct error *failed)
{
	return decode_profile(FORMAT_CHROME_TRACE, bytes, want, p, said, failed);
}

static void test_starvation(void **state)
{
	(void)state;
	assert_survives_starvation(decode_bytes,
				   STR("{\"traceEvents\":[" ONE "]}"));
}

UNIT_TESTS(chrome_trace)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_whole_profiles),
		cmocka_unit_test(test_lost_nodes),
		cmocka_unit_test(test_list_without_end),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
