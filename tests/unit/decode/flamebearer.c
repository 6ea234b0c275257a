/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

static struct notes notes;

static bool decode_pb(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_pyroscope_tree(bytes, &want, p, &notes, &err);
}

static bool decode_json(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_flamegraph_json(bytes, &want, p, &notes, &err);
}

static void test_recorded_answers(void **state)
{
	json_t *root = read_expected();
	const char *name;
	json_t *entry;
	unsigned cases = 0;

	(void)state;
	json_object_foreach(root, name, entry)
	{
		bool is_json = entry_is(entry, "body", "body.json");
		struct buf body;
		struct profile p;

		if (!json_object_get(entry, "shape"))
			continue;
		read_body(name, entry, &body);
		if (is_json)
			assert_decoded(decode_json(buf_str(&body), "cpu", &p));
		else
			assert_decoded(decode_pb(buf_str(&body), "", &p));
		assert_expected(&p, entry,
				entry_is(entry, "shape", "pprof")
					? "[server]"
					: "[unknown]");
		if (json_object_get(entry, "samples"))
			assert_int_equal(p.stack_count,
					 json_number_value(json_object_get(
						 entry, "samples")));
		profile_release(&p);
		buf_release(&body);
		cases++;
	}
	assert_int_equal(cases, 46);
	json_decref(root);
}

static void fold_fixture(const char *path, bool is_json, struct buf *out)
{
	struct buf body;
	struct profile p;

	read_fixture(path, &body);
	assert_decoded(is_json ? decode_json(buf_str(&body), "cpu", &p)
			       : decode_pb(buf_str(&body), "cpu", &p));
	assert_true(profile_check(&p, &err));
	print_folded(&p, out);
	profile_release(&p);
	buf_release(&body);
}

/* One question, asked in every form: one answer. */
static void test_forms_agree(void **state)
{
	static const struct {
		const char *path;
		bool is_json;
	} forms[] = {
		{ "pyroscope/tree-proto/body.pb", false },
		{ "pyroscope/tree-json/body.json", true },
		{ "pyroscope/flamegraph-proto/body.pb", false },
		{ "pyroscope/flamegraph-json/body.json", true },
		{ "pyroscope/pprof-format-proto/body.pb", false },
		{ "pyroscope/dual-flamegraph-json/body.json", true },
		{ "pyroscope/render-json/body.json", true },
		{ "pyroscope/v1.13-span-stacktraces-pprof-proto/body.pb",
		  false },
	};
	struct buf first;

	(void)state;
	fold_fixture(forms[0].path, forms[0].is_json, &first);
	assert_non_null(strstr(buf_text(&first),
			       "runtime.main;main.main;main.serve;"
			       "main.handlePay;main.chargeCard 96000000000\n"));
	for (size_t i = 1; i < sizeof forms / sizeof *forms; i++) {
		struct buf other;

		fold_fixture(forms[i].path, forms[i].is_json, &other);
		assert_string_equal(buf_text(&first), buf_text(&other));
		buf_release(&other);
	}
	buf_release(&first);
}

static void assert_truncated(const char *path, bool is_json, double share)
{
	struct buf body;
	struct profile p;

	read_fixture(path, &body);
	assert_decoded(is_json ? decode_json(buf_str(&body), "cpu", &p)
			       : decode_pb(buf_str(&body), "cpu", &p));
	if (p.truncated_share < share - 1e-9 ||
	    p.truncated_share > share + 1e-9)
		fail_msg("%s: %.12f", path, p.truncated_share);
	profile_release(&p);
	buf_release(&body);
}

static void test_truncated_share(void **state)
{
	json_t *root = read_expected();
	json_t *wide = json_object_get(root, "wide-tree-50-proto");
	double other = json_number_value(
		json_object_get(json_object_get(wide, "flat"), "other"));

	(void)state;
	assert_true(other > 0);
	assert_truncated(
		"pyroscope/wide-tree-50-proto/body.pb", false,
		other / json_number_value(json_object_get(wide, "total")));
	assert_truncated("pyroscope/tree-proto/body.pb", false, 0);
	assert_truncated("pyroscope/snake-case-json/body.json", true, 1);
	/* A function really called so looks the same. */
	assert_truncated("pyroscope/other-tree-5-proto/body.pb", false,
			 0.12 / 0.99);
	json_decref(root);
}

static void test_type_is_what_was_asked_for(void **state)
{
	struct buf body;
	struct profile p;

	(void)state;
	read_fixture("pyroscope/tree-proto/body.pb", &body);
	assert_decoded(decode_pb(buf_str(&body), "", &p));
	assert_int_equal(p.type_count, 0);
	assert_int_equal(profile_unit(&p).len, 0);
	assert_int_equal(p.sample_count, -1);
	profile_release(&p);
	assert_decoded(decode_pb(buf_str(&body),
				 "process_cpu:samples:count:cpu:nanoseconds",
				 &p));
	assert_int_equal(p.sample_count, p.total);
	profile_release(&p);
	assert_decoded(decode_pb(buf_str(&body),
				 "memory:inuse_space:bytes:space:bytes", &p));
	assert_true(p.is_gauge);
	assert_true(str_equal(profile_unit(&p), STR("bytes")));
	profile_release(&p);
	buf_release(&body);
	read_fixture("pyroscope/other-merge-profile-proto/body.pb", &body);
	assert_refused(decode_pb(buf_str(&body), "cpu", &p), ERROR_FORMAT,
		       "pprof");
	profile_release(&p);
	buf_release(&body);
}

static void test_period_is_inferred(void **state)
{
	struct buf body;
	struct profile p;

	(void)state;
	read_fixture("pyroscope/odd-flamegraph-json/body.json", &body);
	assert_decoded(decode_json(buf_str(&body), "cpu", &p));
	assert_int_equal(p.period, 10000000);
	assert_int_equal(p.sample_count, 585);
	profile_release(&p);
	buf_release(&body);
	read_fixture("pyroscope/tree-proto/body.pb", &body);
	assert_decoded(decode_pb(buf_str(&body), "cpu", &p));
	assert_int_equal(p.period, 10000000);
	assert_int_equal(p.sample_count, 35120);
	profile_release(&p);
	buf_release(&body);
}

static void test_empty_answers(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"flamegraph\":{}}",
		"{\"flamegraph\":{\"names\":[\"total\"],\"levels\":[{"
		"\"values\":"
		"[\"0\",\"0\",\"0\",\"0\"]}]}}",
		"{\"pprof\":{\"profile\":{}}}",
		("{\"sampleType\":[{}],\"stringTable\":[\"\"],"
		 "\"periodType\":{}}"),
		"{\"pprof\":{\"x\":[1],\"profile\":null}}",
		"{\"pprof\":{\"profile\":5}}",
		"{\"pprof\":null}",
		"{\"pprof\":{\"profile\":{\"x\":1}}}",
		"{\"tree\":\"\"}",
	};
	struct profile p;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_decoded(decode_json(str_from(texts[i]), "cpu", &p));
		assert_int_equal(p.stack_count, 0);
		assert_int_equal(p.sample_count, 0);
		assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
		profile_release(&p);
	}
}

static void assert_json_refused(const char *path, const char *part)
{
	struct buf body;
	struct profile p;

	read_fixture(path, &body);
	assert_refused(decode_json(buf_str(&body), "cpu", &p), ERROR_FORMAT,
		       part);
	profile_release(&p);
	buf_release(&body);
}

static void test_other_answers_are_refused(void **state)
{
	static const char dot[] = "\x1a\x05graph";
	struct profile p;

	(void)state;
	assert_json_refused("pyroscope/diff-json/body.json", "two profiles");
	assert_json_refused("pyroscope/pprof-format-json/body.json",
			    "application/proto");
	assert_json_refused("pyroscope/merge-profile-json/body.json",
			    "application/proto");
	assert_refused(decode_pb((struct str){ dot, 7 }, "", &p), ERROR_FORMAT,
		       "DOT");
	profile_release(&p);
	assert_refused(decode_json(STR("{\"tree\":\"A\"}"), "", &p),
		       ERROR_FORMAT, "base64");
	profile_release(&p);
	assert_refused(decode_json(STR("{}{}"), "", &p), ERROR_FORMAT,
		       "more behind");
	profile_release(&p);
}

/* ---- hand-made trees ---- */

/* Wraps TREE bytes into field 2. */
static void wrap(struct str tree, struct buf *out)
{
	size_t len = tree.len;

	buf_init(out, 64 * MIB);
	buf_add_char(out, 0x12);
	for (; len >= 0x80; len >>= 7)
		buf_add_char(out, (char)(len | 0x80));
	buf_add_char(out, (char)len);
	buf_add_str(out, tree);
}

static bool decode_tree(struct str tree, struct profile *p)
{
	struct buf answer;
	bool is_done;

	wrap(tree, &answer);
	is_done = decode_pb(buf_str(&answer), "cpu", p);
	buf_release(&answer);
	return is_done;
}

#define WORKED "\0\0\1\4main\0\2\1c\2\0\1a\3\1\1b\5\0"

static void test_worked_example(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode_tree(STR(WORKED), &p));
	assert_folded(&p, "main;a 3\nmain;a;b 5\nmain;c 2\n");
	assert_int_equal(p.total, 10);
	profile_release(&p);
	assert_decoded(decode_json(
		STR("{\"flamegraph\":{\"levels\":[{\"values\":[0,10,0,0]},"
		    "{\"values\":[0,\"10\",0,1]},"
		    "{\"values\":[0,8,3,3,0,2,2,2]},"
		    "{\"values\":[3,5,5,4]}],\"total\":\"10\","
		    "\"names\":[\"total\",\"main\",\"c\",\"a\",\"b\"]}}"),
		"cpu", &p));
	assert_folded(&p, "main;a 3\nmain;a;b 5\nmain;c 2\n");
	profile_release(&p);
}

static void test_value_of_the_root_is_kept(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode_tree(STR("\0\7\1\4main\1\0"), &p));
	assert_folded(&p, "[unknown] 7\nmain 1\n");
	profile_release(&p);
}

static void test_every_cut_of_a_tree(void **state)
{
	struct str tree = STR(WORKED);
	struct profile p;

	(void)state;
	for (size_t cut = 1; cut < tree.len; cut++) {
		assert_refused(decode_tree(str_slice(tree, 0, cut), &p),
			       ERROR_FORMAT, "cut off");
		profile_release(&p);
	}
	assert_refused(decode_tree(STR(WORKED "\0"), &p), ERROR_FORMAT,
		       "bytes are left");
	profile_release(&p);
}

static void test_damaged_trees(void **state)
{
	struct profile p;

	(void)state;
	assert_refused(decode_tree(STR("\0\0\1\x70main"), &p), ERROR_FORMAT,
		       "longer than what is left");
	profile_release(&p);
	assert_refused(
		decode_tree(STR("\0\0\1\1a\xff\xff\xff\xff\xff\xff\xff\xff\xff"
				"\1\0"),
			    &p),
		ERROR_FORMAT, "negative");
	profile_release(&p);
	assert_refused(
		decode_tree(STR("\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),
			    &p),
		ERROR_FORMAT, "ends inside");
	profile_release(&p);
}

static void test_every_cut_and_byte_of_answers(void **state)
{
	static const char *const paths[] = {
		"pyroscope/tree-proto/body.pb",
		"pyroscope/flamegraph-proto/body.pb",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf body;
		struct profile p;

		read_fixture(paths[i], &body);
		for (size_t at = 0; at < body.len; at++) {
			bool is_done = decode_pb(
				str_slice(buf_str(&body), 0, at), "cpu", &p);

			if (is_done)
				assert_true(p.stack_count == 0);
			profile_release(&p);
			body.data[at] = (char)~body.data[at];
			if (decode_pb(buf_str(&body), "cpu", &p))
				assert_true(profile_check(&p, &err));
			profile_release(&p);
			body.data[at] = (char)~body.data[at];
		}
		buf_release(&body);
	}
}

static void test_every_cut_of_json(void **state)
{
	struct buf body;
	struct profile p;

	(void)state;
	read_fixture("pyroscope/flamegraph-json/body.json", &body);
	while (body.len && body.data[body.len - 1] != '}')
		body.len--;
	for (size_t cut = 0; cut < body.len; cut++) {
		assert_false(decode_json(str_slice(buf_str(&body), 0, cut),
					 "cpu", &p));
		assert_int_equal(err.code, ERROR_FORMAT);
		profile_release(&p);
	}
	buf_release(&body);
}

static void assert_rows_refused(const char *levels, const char *part)
{
	char text[512];
	struct profile p;

	snprintf(
		text, sizeof text,
		"{\"flamebearer\":{\"names\":[\"total\",\"a\"],\"levels\":%s}}",
		levels);
	assert_refused(decode_json(str_from(text), "", &p), ERROR_FORMAT, part);
	profile_release(&p);
}

static void test_damaged_rows(void **state)
{
	(void)state;
	assert_rows_refused("[[0,10,0]]", "ends inside a node");
	assert_rows_refused("[[0,10,0,0],[0,10,5]]", "level 1 ends inside");
	assert_rows_refused("[[0,10,0,0],[0,10],[0,10]]", "level 1 ends");
	assert_rows_refused("[[0,10,0,0],[0,10,11,1]]", "impossible");
	assert_rows_refused("[[0,10,0,0],[0,-1,0,1]]", "impossible");
	assert_rows_refused("[[0,10,0,0],[-1,1,1,1]]", "impossible");
	assert_rows_refused("[[0,10,0,0],[0,10,10,-1]]", "impossible");
	assert_rows_refused("[[0,10,0,0],[9223372036854775807,1,1,1]]",
			    "impossible");
	assert_rows_refused("[[0,10,0,0],[0,10,10,2]]", "name 2 is missing");
	assert_rows_refused("[[0,10,0,0],[0,11,11,1]]", "without a parent");
	assert_rows_refused("[[0,10,0,0],[1,10,10,1]]", "without a parent");
	assert_rows_refused("[[0,10,0,0],[0,4,0,1,2,4,0,1],[3,2,2,1]]",
			    "without a parent");
	assert_rows_refused("[[0,10,0,0],[],[0,10,10,1]]", "without a parent");
	assert_rows_refused("7", "");
	assert_rows_refused("[7]", "");
	assert_rows_refused("[[\"x\"]]", "");
}

#define DEPTH 4096
#define LEAVES 100000

static void put_chain(struct buf *tree, unsigned depth, const char *node)
{
	buf_init(tree, 64 * MIB);
	buf_add(tree, "\0\0\1", 3);
	for (unsigned i = 1; i < depth; i++)
		buf_add(tree, node, 4);
}

static void test_deep_chains_are_trimmed(void **state)
{
	struct buf tree;
	struct profile p;

	(void)state;
	put_chain(&tree, 6001, "\1a\1\1");
	buf_add(&tree, "\1b\1\0", 4);
	assert_decoded(decode_tree(buf_str(&tree), &p));
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.total, 6001);
	assert_int_equal(p.stack_count, 6001);
	assert_int_equal(notes.count, 1);
	profile_release(&p);
	buf_release(&tree);
}

/* Few bytes, no memory, but each leaf costs the whole depth. */
static void test_frames_of_trees_are_bounded(void **state)
{
	struct buf tree;
	struct profile p;

	(void)state;
	put_chain(&tree, DEPTH - 1, "\1a\0\1");
	buf_add(&tree, "\1a\0\xa0\x8d\6", 6); /* 100,000 children */
	for (unsigned i = 0; i < LEAVES; i++)
		buf_add(&tree, "\1b\1\0", 4);
	assert_refused(decode_tree(buf_str(&tree), &p), ERROR_LIMIT,
		       "more than 400000000");
	profile_release(&p);
	buf_release(&tree);
}

static void test_frames_of_rows_are_bounded(void **state)
{
	struct buf text;
	struct profile p;

	(void)state;
	buf_init(&text, 64 * MIB);
	buf_add_text(&text, "{\"flamebearer\":{\"names\":[\"a\"],\"levels\":[");
	for (int i = 0; i < DEPTH; i++)
		buf_addf(&text, "[0,%d,0,0],", LEAVES);
	for (int i = 0; i < LEAVES; i++)
		buf_addf(&text, "%s0,1,1,0", i ? "," : "[");
	buf_add_text(&text, "]]}}");
	assert_refused(decode_json(buf_str(&text), "", &p), ERROR_LIMIT,
		       "more than 400000000");
	profile_release(&p);
	buf_release(&text);
}

static void test_lack_of_memory(void **state)
{
	struct buf body;

	(void)state;
	read_fixture("pyroscope/tree-proto/body.pb", &body);
	assert_survives_starvation(decode_pyroscope_tree, buf_str(&body));
	buf_release(&body);
	read_fixture("pyroscope/flamegraph-proto/body.pb", &body);
	assert_survives_starvation(decode_pyroscope_tree, buf_str(&body));
	buf_release(&body);
	read_fixture("pyroscope/flamegraph-json/body.json", &body);
	assert_survives_starvation(decode_flamegraph_json, buf_str(&body));
	buf_release(&body);
	read_fixture("pyroscope/tree-json/body.json", &body);
	assert_survives_starvation(decode_flamegraph_json, buf_str(&body));
	buf_release(&body);
}

UNIT_TESTS(flamebearer)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_answers),
		cmocka_unit_test(test_forms_agree),
		cmocka_unit_test(test_truncated_share),
		cmocka_unit_test(test_type_is_what_was_asked_for),
		cmocka_unit_test(test_period_is_inferred),
		cmocka_unit_test(test_empty_answers),
		cmocka_unit_test(test_other_answers_are_refused),
		cmocka_unit_test(test_worked_example),
		cmocka_unit_test(test_value_of_the_root_is_kept),
		cmocka_unit_test(test_every_cut_of_a_tree),
		cmocka_unit_test(test_damaged_trees),
		cmocka_unit_test(test_every_cut_and_byte_of_answers),
		cmocka_unit_test(test_every_cut_of_json),
		cmocka_unit_test(test_damaged_rows),
		cmocka_unit_test(test_deep_chains_are_trimmed),
		cmocka_unit_test(test_frames_of_trees_are_bounded),
		cmocka_unit_test(test_frames_of_rows_are_bounded),
		cmocka_unit_test(test_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
