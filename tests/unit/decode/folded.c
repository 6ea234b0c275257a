/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "decode/folded.h"

static struct notes notes;

static bool decode(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_folded(bytes, &want, p, &notes, &err);
}

static void assert_decodes_to(const char *text, const char *expected)
{
	struct profile p;

	assert_decoded(decode(str_from(text), "", &p));
	assert_true(profile_check(&p, &err));
	assert_folded(&p, expected);
	profile_release(&p);
}

static void test_forms_of_lines(void **state)
{
	(void)state;
	assert_decodes_to("", "");
	assert_decodes_to("main;b 2\nmain;a 1\nmain 3\n",
			  "main 3\nmain;a 1\nmain;b 2\n");
	assert_decodes_to("main;a 1\r\n\r\n# a comment 7\r\n  \nmain;b 2",
			  "main;a 1\nmain;b 2\n");
	assert_decodes_to("#<Class:Cart>#total;each 3\n#a 1\n#;b 2\n# 4\n",
			  "# 4\n#;b 2\n#<Class:Cart>#total;each 3\n#a 1\n");
	assert_decodes_to("# interval: 100\n#\tx;y 7\n#mode: wall\n#\n  # 1 2\n"
			  "P1;main 3\n# duration: 12\n",
			  "P1;main 3\n");
	assert_decodes_to("a;b 2\na;b 3\na;c 0\n", "a;b 5\n");
	assert_decodes_to("void f(int, char);operator new  4\n",
			  "void f(int, char);operator new 4\n");
	assert_decodes_to("a\t4\n", "a 4\n");
	assert_decodes_to("a 1.0\nb 2.\nc 0.000\n", "a 1\nb 2\n");
	assert_decodes_to("a -1\nb -2.00\nd -7\nd 2\nd;e -0\n",
			  "a -1\nb -2\nd -5\n");
	assert_decodes_to("a;;b 1\n", "a;[unknown];b 1\n");
	/* As heaptrack_print -F and Excimer write them. */
	assert_decodes_to("main;work; 5\nmain; 2\n", "main 2\nmain;work 5\n");
	assert_decodes_to(";main;work 5\n;main 2\nmain;work 1\n",
			  "main 2\nmain;work 6\n");
	assert_decodes_to(";;a;b;; 1\n; 2\n", "[unknown] 2\na;b 1\n");
	assert_decodes_to("\xef\xbb\xbfmain;a 1\nmain;b 2\n",
			  "main;a 1\nmain;b 2\n");
	/* uftrace's state at the end is no function; elsewhere it is a name. */
	assert_decodes_to("main;nap;linux:schedule 5\nmain;nap 2\n"
			  "main;linux:schedule;x 3\nlinux:schedule 1\n"
			  "main;nap;usleep;linux:schedule (pre-empted) 4\n",
			  "linux:schedule 1\nmain;linux:schedule;x 3\n"
			  "main;nap 7\nmain;nap;usleep 4\n");
	/* How a frame was run is no part of its name; the kernel's is one. */
	assert_decodes_to("a;read_[k] 1\na;read_[i] 1\na_[j];read_[0] 2\n"
			  "a_[1];read 3\na;_[j] 4\n",
			  "a;_[j] 4\na;read 6\na;read_[k] 1\n");
	assert_decodes_to("main<00000000004011a0>;big<0000000000401136> 1\n"
			  "main<0000000000502000>;big<0000000000503000> 2\n"
			  "main;f<401136> 3\n<0000000000401136> 4\n",
			  "<0000000000401136> 4\nmain;big 3\nmain;f<401136> 3\n");
}

/* As fgprof writes them; the root of goroutines elsewhere is a name. */
static void test_leaf_first(void **state)
{
	struct profile p;
	struct buf deep;
	uint32_t first;

	(void)state;
	assert_decodes_to("sleep;work;main;runtime.goexit 2\n"
			  "work;main;runtime.goexit 1\n"
			  "sleep;work;main;runtime.goexit 3\n"
			  "x;runtime.goexit 4\n",
			  "runtime.goexit;main;work 1\n"
			  "runtime.goexit;main;work;sleep 5\n"
			  "runtime.goexit;x 4\n");
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "turned round"));
	assert_decodes_to("main;a;runtime.goexit 2\nmain;a 1\n",
			  "main;a 1\nmain;a;runtime.goexit 2\n");
	assert_decodes_to("runtime.goexit;a 2\nruntime.goexit 1\n",
			  "runtime.goexit 1\nruntime.goexit;a 2\n");
	assert_int_equal(notes.count, 0);
	buf_init(&deep, 64 * KIB);
	buf_add_text(&deep, "leaf");
	for (unsigned i = 0; i < LIMIT_STACK_FRAMES; i++)
		buf_add_text(&deep, ";f");
	buf_add_text(&deep, ";runtime.goexit 1\n");
	profile_init(&p);
	assert_decoded(decode(buf_str(&deep), "", &p));
	first = p.frame_ids[p.stacks[0].frame_first];
	assert_true(str_equal(function_name(&p, p.frames[first].function),
			      STR("runtime.goexit")));
	profile_release(&p);
	buf_release(&deep);
}

/* As llvm-xray writes them, with all that is called; and lines that are not. */
static void test_totals(void **state)
{
	(void)state;
	assert_decodes_to("main; 100\nmain;a; 60\nmain;a;b; 50\n"
			  "main;a;b;c; 50\nmain;d; 30\n",
			  "main 10\nmain;a 10\nmain;a;b;c 50\nmain;d 30\n");
	/* One covers less than its callees; has no line; ends otherwise; and
	 * too few that cover. */
	assert_decodes_to("main; 100\nmain;a; 60\nmain;a;b; 50\n"
			  "main;a;b;c; 51\n",
			  "main 100\nmain;a 60\nmain;a;b 50\n"
			  "main;a;b;c 51\n");
	assert_decodes_to("main; 9\nmain;a; 8\nmain;a;b; 7\nmain;a;b;c; 6\n"
			  "x;y; 1\n",
			  "main 9\nmain;a 8\nmain;a;b 7\nmain;a;b;c 6\nx;y 1\n");
	assert_decodes_to("main; 9\nmain;a; 8\nmain;b;c; 7\nmain;b;c;d; 2\n"
			  "main;b;c;d;e; 1\n",
			  "main 9\nmain;a 8\nmain;b;c 7\nmain;b;c;d 2\n"
			  "main;b;c;d;e 1\n");
	assert_decodes_to("main; 9\nmain;a; 8\nmain;a;b; 7\nmain;a;b;c 6\n",
			  "main 9\nmain;a 8\nmain;a;b 7\nmain;a;b;c 6\n");
	assert_decodes_to("main; 9\nmain;a; 8\nmain;a;b; 7\n",
			  "main 9\nmain;a 8\nmain;a;b 7\n");
}

/* Places and threads as austin writes them, and what it says in front. */
static void test_austin(void **state)
{
	static const char lines[] =
		"# interval: 10000\n"
		"# mode: wall\n\n"
		"P17;T0:18;/a b/w.py:<module>:14;"
		"/a b/w.py:inner:4 11007\n"
		"P17;T0:18;c:\\w.py:f:99999999999;x;T;:7 5\n"
		"P17;T19 3\n";
	struct profile p;
	char text[512];

	(void)state;
	snprintf(text, sizeof text, "# austin: 4.0.0\n%s", lines);
	assert_decoded(decode(str_from(text), "", &p));
	assert_folded(&p, "<module>;inner 11007\n[unknown] 3\nf;x;T;:7 5\n");
	assert_true(str_equal(profile_type_name(&p), STR("wall")));
	assert_true(str_equal(profile_unit(&p), STR("microseconds")));
	assert_int_not_equal(symtab_find(&p.symtab, STR("/a b/w.py")),
			     TEXT_NONE);
	assert_int_not_equal(symtab_find(&p.symtab, STR("c:\\w.py")),
			     TEXT_NONE);
	for (uint32_t i = 0; i < p.frame_count; i++)
		if (str_equal(function_name(&p, p.frames[i].function),
			      STR("inner")))
			assert_int_equal(p.frames[i].line, 4);
	profile_release(&p);
	assert_decoded(decode(str_from(text), "samples/count", &p));
	assert_true(str_equal(profile_type_name(&p), STR("samples")));
	profile_release(&p);
	assert_decoded(
		decode(STR("# austin: 4.0.0\n# mode: memory\nP1 3\n"), "", &p));
	assert_folded(&p, "[unknown] 3\n");
	assert_true(str_equal(profile_type_name(&p), STR("samples")));
	profile_release(&p);
	/* What an editor put in front, and how long it took. */
	snprintf(text, sizeof text,
		 "\xef\xbb\xbf# austin: 3.6.0\n%s\n# duration: 383010\n", lines);
	assert_decoded(decode(str_from(text), "", &p));
	assert_folded(&p, "<module>;inner 11007\n[unknown] 3\nf;x;T;:7 5\n");
	assert_int_equal(p.duration_ns, 383010000);
	profile_release(&p);
	/* Of anyone else a name is a name. */
	assert_decodes_to("# mode: wall\nP17;w.py:f:3 5\n", "P17;w.py:f:3 5\n");
}

/* As many frames as a stack may have, and one more. */
static void test_deep_austin(void **state)
{
	(void)state;
	for (uint32_t more = 0; more < 2; more++) {
		struct profile p;
		struct buf b;

		buf_init(&b, MIB);
		buf_add_text(&b, "# austin: 4.0.0\nP1;T0:1");
		for (uint32_t i = 2; i < LIMIT_STACK_FRAMES + more; i++)
			buf_add_text(&b, i % 2 ? ";a.py:f:1" : ";a.py:g:2");
		buf_add_text(&b, " 7\n");
		assert_decoded(decode(buf_str(&b), "", &p));
		assert_true(profile_check(&p, &err));
		assert_int_equal(p.stack_count, 1);
		assert_int_equal(p.stacks[0].frame_count,
				 LIMIT_STACK_FRAMES - 2 + more);
		profile_release(&p);
		buf_release(&b);
	}
}

/* Frames of the line before are taken over; parts of names are not. */
static void test_neighbours_that_begin_alike(void **state)
{
	(void)state;
	assert_decodes_to("a;bc;d 1\na;b 2\na;bc 3\na;bcd;d 4\na;bc;d;e 5\n",
			  "a;b 2\na;bc 3\na;bc;d 1\na;bc;d;e 5\na;bcd;d 4\n");
	assert_decodes_to("a;b 1\nab;b 2\na;b; 3\na;b 4\na;;b 5\na; 6\n",
			  "a 6\na;[unknown];b 5\na;b 8\nab;b 2\n");
}

static void test_names_that_end_in_numbers(void **state)
{
	(void)state;
	assert_decodes_to("a;thread 7 12\na;b 3\n", "a;b 3\na;thread 7 12\n");
}

/* Which number is the weight is told by who says what it counts. */
static void test_leaves_that_all_end_in_numbers(void **state)
{
	static const char text[] = "main;line 10 5\nmain;line 20 7\n";
	struct profile p;

	(void)state;
	assert_refused(decode(str_from(text), "", &p), ERROR_FORMAT,
		       "--type samples/count");
	profile_release(&p);
	/* That of no unit is no proof. */
	assert_refused(decode(str_from(text), "samples", &p), ERROR_FORMAT,
		       "two numbers");
	profile_release(&p);
	assert_decoded(decode(str_from(text), "samples/count", &p));
	assert_folded(&p, text);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "a part of the function's name"));
	profile_release(&p);
}

static void assert_line_refused(const char *text, const char *part)
{
	struct profile p;

	assert_refused(decode(str_from(text), "", &p), ERROR_FORMAT, part);
	profile_release(&p);
}

static void test_bad_lines_are_numbered(void **state)
{
	(void)state;
	assert_line_refused("a 1\nnothing\n", "line 2: \"nothing\"");
	assert_line_refused("a 1\n\n\nb --5\n", "line 4: \"--5\"");
	assert_line_refused("a 1\nb -\n", "line 2: \"-\"");
	assert_line_refused("a 1\nb +5\n", "line 2: \"+5\"");
	assert_line_refused("a 1\nb -.5\n", "line 2: \"-.5\"");
	assert_line_refused("a 1x\n", "line 1: \"1x\"");
	assert_line_refused("a .\n", "line 1: \".\"");
	assert_line_refused("a 1.x\n", "line 1: \"1.x\"");
	assert_line_refused("a 1.2.3\n", "line 1: \"1.2.3\"");
	assert_line_refused("a 1.0\nb 1.5\n", "line 2: the weight 1.5 is no");
	assert_line_refused("a -0.01\n", "line 1: the weight -0.01 is no");
	assert_line_refused("a .5\n", "line 1: \".5\"");
	assert_line_refused("a 1e5\n", "line 1: \"1e5\"");
	assert_line_refused("a 9223372036854775808\n", "line 1");
	assert_line_refused("5\n", "no stack before the weight");
	assert_line_refused("a;b 1 2\na;c 0 4\n", "comparison");
	assert_line_refused("a;b 1 -2\na;c -1 4\n", "comparison");
}

static void test_weights_past_int64(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode(STR("a 9223372036854775807\nb 1\n"), "", &p));
	assert_int_equal(p.total, INT64_MAX);
	assert_int_equal(notes.count, 1);
	profile_release(&p);
}

static void test_a_missing_line_end_is_noted(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode(STR("a 12"), "", &p));
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "cut off"));
	profile_release(&p);
	assert_decoded(decode(STR("a 12\n"), "", &p));
	assert_int_equal(notes.count, 0);
	profile_release(&p);
}

static void assert_counted(const char *text, const char *type, int64_t samples,
			   int64_t period, const char *unit)
{
	struct profile p;

	assert_decoded(decode(str_from(text), type, &p));
	assert_int_equal(p.sample_count, samples);
	assert_int_equal(p.period, period);
	assert_true(str_equal(profile_unit(&p), str_from(unit)));
	profile_release(&p);
}

static void test_samples_behind_the_weights(void **state)
{
	struct buf text;

	(void)state;
	assert_counted("a 60\nb 40\n", "", 100, 1, "count");
	assert_counted("a 60\nb 40\n", "cpu", 100, 1, "count");
	assert_counted("", "", 0, 0, "count");
	assert_counted("a 60000000\nb 40000000\n", "", -1, 0, "count");
	assert_counted("a 60000000\nb 40000000\n", "cpu/nanoseconds", 10,
		       10000000, "nanoseconds");
	assert_counted("a 70000000\nb -30000000\n", "", -1, 0, "count");
	assert_counted("a 70000000\nb 45000000\n", "cpu/nanoseconds", -1, 0,
		       "nanoseconds");
	assert_counted("a 600\n", "memory:alloc_space:bytes:space:bytes", -1, 0,
		       "bytes");
	buf_init(&text, MIB);
	for (int i = 1; i <= 20; i++)
		buf_addf(&text, "f%d %d0000000\n", i, i);
	assert_counted(buf_text(&text), "cpu/nanoseconds", 210, 10000000,
		       "nanoseconds");
	assert_counted(buf_text(&text), "", -1, 0, "count");
	buf_release(&text);
}

static void test_a_type_with_its_unit_is_taken(void **state)
{
	struct profile p;

	(void)state;
	assert_decoded(decode(STR("a 1\n"), "inuse_space/bytes", &p));
	assert_true(p.is_gauge);
	assert_int_equal(p.type_count, 1);
	assert_true(str_equal(profile_type_name(&p), STR("inuse_space")));
	profile_release(&p);
}

/* What was read, written out and read again, is the same. */
static void test_round_trips(void **state)
{
	static const char *const files[] = { "pprof/real-go-cpu.pb.gz",
					     "pprof/real-python-cpu.pb.gz",
					     "pprof/wide.pb.gz",
					     "pprof/deep.pb.gz" };

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct profile_want want = want_of("");
		struct profile first;
		struct profile second;
		struct profile third;
		struct buf bytes;
		struct buf text;
		struct buf again;

		read_fixture(files[i], &bytes);
		profile_init(&first);
		assert_decoded(decode_pprof(buf_str(&bytes), &want, &first,
					    NULL, &err));
		print_folded(&first, &text);
		assert_decoded(decode(buf_str(&text), "", &second));
		assert_int_equal(second.total, first.total);
		print_folded(&second, &again);
		assert_decoded(decode(buf_str(&again), "", &third));
		assert_folded(&third, buf_text(&again));
		profile_release(&first);
		profile_release(&second);
		profile_release(&third);
		buf_release(&bytes);
		buf_release(&text);
		buf_release(&again);
	}
}

/* Lines of few names, many of them deeper than is kept, so that most stacks
 * have neighbours and nodes have many children. */
static void write_line(struct buf *out, unsigned i)
{
	static const char *const names[] = { "a",         "b",     "ab", "",
					     "[unknown]", "_Z1cv", "c()" };
	unsigned seed = i * 2654435761u;
	unsigned depth =
		i % 50 ? 1 + seed % 5 : LIMIT_STACK_FRAMES - 2 + i / 50;

	for (unsigned k = 0; k < depth; k++) {
		unsigned pick = (seed >> 3 * (k % 9)) % 8;

		buf_addf(out, "%s%s", k ? ";" : "x",
			 pick < 7 ? names[pick] : "wide");
		if (pick == 7)
			buf_addf(out, "%u", i % 40);
	}
	buf_addf(out, " %u\n", 1 + i % 3);
}

static void test_the_order_of_lines_tells_nothing(void **state)
{
	enum { LINES = 400 };
	struct buf forth, back, printed;
	struct profile p;

	(void)state;
	buf_init(&forth, 64 * MIB);
	buf_init(&back, 64 * MIB);
	for (unsigned i = 0; i < LINES; i++) {
		write_line(&forth, i);
		write_line(&back, (i * 7 + 3) % LINES);
	}
	assert_decoded(decode(buf_str(&forth), "", &p));
	assert_int_equal(p.total, 799);
	assert_int_equal(notes.count, 1);
	assert_true(profile_check(&p, &err));
	print_folded(&p, &printed);
	profile_release(&p);
	assert_decoded(decode(buf_str(&back), "", &p));
	assert_folded(&p, buf_text(&printed));
	profile_release(&p);
	buf_release(&printed);
	buf_release(&forth);
	buf_release(&back);
}

/* Stacks of 4,000 frames with nothing but the last ones in common, and short
 * ones before and after: as many nodes as the tree takes, and more. */
static void check_stacks(unsigned count)
{
	struct buf text;
	struct profile p;

	buf_init(&text, 64 * MIB);
	buf_addf(&text, "a;b 1\na 2\n");
	for (unsigned i = 0; i < count; i++) {
		buf_addf(&text, "s%u", i);
		for (unsigned k = 1; k < 4000; k++)
			buf_addf(&text, ";%c", 'a' + k % 26);
		buf_addf(&text, " %u\n", 1 + i % 2);
	}
	buf_addf(&text, "a;b 4\na;c 8\ns0 16\n");
	assert_decoded(decode(buf_str(&text), "", &p));
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.stack_count, count + 4);
	assert_int_equal(p.total, 31 + count + count / 2);
	assert_int_equal(p.stacks[0].value, 2);
	assert_int_equal(p.stacks[1].value, 5);
	assert_int_equal(p.stacks[2].value, 8);
	assert_int_equal(p.stacks[3].value, 16);
	profile_release(&p);
	buf_release(&text);
}

static void test_stacks_of_little_in_common(void **state)
{
	(void)state;
	check_stacks(LIMIT_STACK_TREE_NODES / 4000 - 2);
	check_stacks(LIMIT_STACK_TREE_NODES / 4000 + 20);
}

/* `starve` is called once the file is open. */
static bool decode_starving(struct str bytes, struct profile *p,
			    void (*starve)(long), long allocations)
{
	char path[] = "/tmp/tracefind-folded-XXXXXX";
	struct profile_want want = want_of("");
	int fd = mkstemp(path);
	struct feed *feed;
	bool is_regular, is_done;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
	close(fd);
	notes_init(&notes);
	profile_init(p);
	feed = feed_open(path, GIB, GIB, &is_regular, &err);
	assert_non_null(feed);
	if (starve)
		starve(allocations);
	is_done = decode_folded_feed(feed, &want, p, &notes, &err);
	stop_starving();
	feed_free(feed);
	unlink(path);
	return is_done;
}

static bool decode_file(struct str bytes, struct profile *p)
{
	return decode_starving(bytes, p, NULL, 0);
}

static void assert_file_is_the_same(struct str bytes)
{
	struct buf printed;
	struct profile p;
	size_t note_count;

	assert_decoded(decode(bytes, "", &p));
	note_count = notes.count;
	print_folded(&p, &printed);
	profile_release(&p);
	assert_decoded(decode_file(bytes, &p));
	assert_int_equal(notes.count, note_count);
	assert_folded(&p, buf_text(&printed));
	profile_release(&p);
	buf_release(&printed);
}

/* Pieces end within lines, and one line is longer than two of them. */
static void test_files_are_read_piece_by_piece(void **state)
{
	struct buf text;
	struct profile p;

	(void)state;
	buf_init(&text, 64 * MIB);
	for (unsigned i = 0; i < 3000; i++)
		write_line(&text, i);
	for (size_t size = 0; size < 2 * LINE_PIECE_BYTES; size += 6)
		buf_addf(&text, "deep%zu;", size / 6 % 7);
	buf_addf(&text, "end 5\n");
	for (unsigned i = 0; i < 3000; i++)
		write_line(&text, i);
	assert_file_is_the_same(buf_str(&text));
	buf_addf(&text, "cut;off 7");
	assert_file_is_the_same(buf_str(&text));
	assert_file_is_the_same(STR(""));
	assert_file_is_the_same(STR("\n\n"));
	buf_addf(&text, "\nno weight\n");
	assert_refused(decode_file(buf_str(&text), &p), ERROR_FORMAT,
		       "line 6003: \"weight\"");
	profile_release(&p);
	buf_release(&text);
}

/* The stack before is not the one of a piece that is gone, however little the
 * pieces between hold. */
static void test_pieces_without_stacks(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, 64 * MIB);
	for (unsigned pieces = 1; pieces < 3; pieces++) {
		buf_clear(&text);
		for (unsigned i = 0; i < LINE_PIECE_BYTES / 16; i++)
			buf_addf(&text, "aaaa;b%07u 1\n", i);
		for (unsigned i = 0; i < pieces * LINE_PIECE_BYTES / 16; i++)
			buf_add_text(&text, "#              \n");
		for (unsigned i = 0; i < 3 * LINE_PIECE_BYTES / 16; i++)
			buf_addf(&text, "cccc;b%07u 1\n", i);
		assert_file_is_the_same(buf_str(&text));
	}
	buf_release(&text);
}

static void test_every_cut(void **state)
{
	static const char text[] = "main;work;leaf 12\r\nmain 7\n# end\n";
	struct profile p;

	(void)state;
	for (size_t cut = 0; cut < sizeof text; cut++) {
		bool is_done = decode((struct str){ text, cut }, "", &p);

		if (is_done)
			assert_true(profile_check(&p, &err));
		if (is_done && p.total != 19 && p.total != 12 && p.total != 0)
			assert_int_equal(notes.count, 1);
		profile_release(&p);
	}
}

static void test_every_byte_value(void **state)
{
	char text[] = "a;b 1\nc 2\n";
	struct profile p;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof text; i++)
		for (int byte = 0; byte < 256; byte++) {
			char kept = text[i];

			text[i] = (char)byte;
			if (decode((struct str){ text, sizeof text - 1 }, "",
				   &p))
				assert_true(profile_check(&p, &err));
			profile_release(&p);
			text[i] = kept;
		}
}

static void test_lack_of_memory(void **state)
{
	struct buf text;

	(void)state;
	assert_survives_starvation(decode_folded,
				   STR("main;a 1\nmain;b 2\nmain 3\n"));
	/* Many names, nodes, and a stack that is deeper than one may be. */
	buf_init(&text, MIB);
	for (unsigned i = 0; i < 1000; i++)
		buf_addf(&text, "main;a%u;b 1\n", i);
	for (unsigned i = 0; i < LIMIT_STACK_FRAMES + 100; i++)
		buf_addf(&text, "deep%u;", i);
	buf_add_text(&text, "leaf 1\n");
	assert_survives_starvation(decode_folded, buf_str(&text));
	buf_release(&text);
}

/* New names where few are looked up at once: the last that a stack may have,
 * behind it, and behind what a batch has room for; each allocation fails by
 * itself. */
static void test_lack_of_memory_for_deep_stacks(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "main 1\n");
	for (unsigned i = 1; i <= 5 * LIMIT_STACK_FRAMES; i++)
		buf_addf(&text, i % 2048 ? "again;" : "new%u;", i);
	buf_add_text(&text, "leaf 1\nmain;leaf 2\n");
	arena_set_unshared(true);
	assert_survives_starvation(decode_folded, buf_str(&text));
	arena_set_unshared(false);
	buf_release(&text);
}

static void test_lack_of_memory_for_windows(void **state)
{
	bool is_done = false;
	struct buf text;

	(void)state;
	buf_init(&text, 64 * MIB);
	for (unsigned i = 0; i < 20000; i++)
		buf_addf(&text, "main;a%u;b 1\n", i);
	for (int n = 0; !is_done; n++) {
		struct profile p;

		assert_true(n < 1000);
		error_clear(&err);
		is_done = decode_starving(buf_str(&text), &p, starve_once_after,
					  n);
		if (!is_done)
			assert_int_equal(err.code, ERROR_MEMORY);
		profile_release(&p);
	}
	buf_release(&text);
}

/* Files of other programs, as they wrote them. */
static void test_recorded(void **state)
{
	static const struct {
		const char *file;
		int64_t total;
	} files[] = {
		{ "folded/py-spy.folded", 285 },
		{ "folded/async-profiler.collapsed", 830 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct buf bytes;
		struct profile p;
		struct profile_want want = want_of("");

		read_fixture(files[i].file, &bytes);
		assert_int_equal(format_sniff(buf_str(&bytes), NULL, 0),
				 FORMAT_FOLDED);
		profile_init(&p);
		assert_decoded(decode_profile(FORMAT_FOLDED, buf_str(&bytes),
					      &want, &p, NULL, &err));
		assert_int_equal(p.total, files[i].total);
		profile_release(&p);
		buf_release(&bytes);
	}
}

UNIT_TESTS(folded)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_lines),
		cmocka_unit_test(test_leaf_first),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_austin),
		cmocka_unit_test(test_deep_austin),
		cmocka_unit_test(test_neighbours_that_begin_alike),
		cmocka_unit_test(test_names_that_end_in_numbers),
		cmocka_unit_test(test_leaves_that_all_end_in_numbers),
		cmocka_unit_test(test_bad_lines_are_numbered),
		cmocka_unit_test(test_weights_past_int64),
		cmocka_unit_test(test_a_missing_line_end_is_noted),
		cmocka_unit_test(test_samples_behind_the_weights),
		cmocka_unit_test(test_a_type_with_its_unit_is_taken),
		cmocka_unit_test(test_the_order_of_lines_tells_nothing),
		cmocka_unit_test(test_stacks_of_little_in_common),
		cmocka_unit_test(test_files_are_read_piece_by_piece),
		cmocka_unit_test(test_pieces_without_stacks),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_every_byte_value),
		cmocka_unit_test(test_lack_of_memory),
		cmocka_unit_test(test_lack_of_memory_for_deep_stacks),
		cmocka_unit_test(test_lack_of_memory_for_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
