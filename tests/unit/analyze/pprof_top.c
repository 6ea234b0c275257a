/* SPDX-License-Identifier: Apache-2.0
 *
 * Flat and cum of real profiles against what pprof -top prints for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "analyze/profile_analysis.h"
#include "analyze/rank_facts.h"
#include "decode/decode.h"

static struct error err;

static void read_file(const char *name, struct buf *out)
{
	char path[512], chunk[4096];
	size_t len;
	FILE *file;

	snprintf(path, sizeof path, "%s/pprof/%s", getenv("TESTDATA"), name);
	file = fopen(path, "rb");
	if (!file)
		fail_msg("cannot open %s", path);
	while ((len = fread(chunk, 1, sizeof chunk, file)) > 0)
		buf_add(out, chunk, len);
	fclose(file);
	assert_true(buf_check(out, path, &err));
}

static void read_profile(const char *name, struct profile *p)
{
	struct profile_want want = { .type = STR("") };
	struct buf packed, plain;
	struct notes notes;
	struct str bytes;
	char file[64];

	buf_init(&packed, 64 * MIB);
	buf_init(&plain, 64 * MIB);
	notes_init(&notes);
	profile_init(p);
	snprintf(file, sizeof file, "%s.pb.gz", name);
	read_file(file, &packed);
	bytes = decode_plain(buf_str(&packed), file, &plain, &err);
	if (!bytes.ptr ||
	    !decode_profile(FORMAT_PPROF, bytes, &want, p, &notes, &err))
		fail_msg("%s", err.message);
	buf_release(&packed);
	buf_release(&plain);
}

static const struct function_row *find_row(const struct result *r,
					   struct str name)
{
	for (size_t i = 0; i < r->function_count; i++)
		if (str_equal(r->functions[i].name, name))
			return &r->functions[i];
	return NULL;
}

/* "  30000000ns  1.55% 85.05% 150000000ns  7.73%  runtime.scanObject"; a zero
 * carries no unit. */
static void check_line(const struct result *r, const char *line, size_t len)
{
	long long flat = 0, cum;
	struct str name;
	const struct function_row *row;
	int at = 0, zero = 0;

	sscanf(line, " 0 %n", &zero);
	if (zero)
		sscanf(line, " 0 %*s %*s %lld%*s %*s %n", &cum, &at);
	else
		sscanf(line, "%lld%*s %*s %*s %lld%*s %*s %n", &flat, &cum,
		       &at);
	assert_true(at > 0);
	name = (struct str){ line + at, len - (size_t)at };
	if (str_ends(name, STR(" (inline)")))
		name.len -= strlen(" (inline)");
	row = find_row(r, name);
	if (!row)
		fail_msg("no row %.*s", STR_ARGS(name));
	else if (row->self_value != flat || row->total_value != cum)
		fail_msg("%.*s: %lld %lld", STR_ARGS(name),
			 (long long)row->self_value,
			 (long long)row->total_value);
}

static void check_profile(const char *name)
{
	struct rank_want want = { .by = RANK_SELF };
	struct result result = { 0 };
	struct profile p;
	struct buf text;
	const char *line;
	char file[64];
	size_t lines = 0;

	read_profile(name, &p);
	arena_init(&result.arena, 64 * MIB);
	notes_init(&result.notes);
	assert_true(functions_rank(&p, NULL, &want, &result, &err));
	buf_init(&text, MIB);
	snprintf(file, sizeof file, "%s.top.txt", name);
	read_file(file, &text);
	line = strstr(buf_text(&text), "cum%\n");
	assert_non_null(line);
	for (line += 5; *line; line += strcspn(line, "\n") + 1) {
		check_line(&result, line, strcspn(line, "\n"));
		lines++;
	}
	assert_int_equal(lines, result.function_total);
	buf_release(&text);
	arena_release(&result.arena);
	profile_release(&p);
}

static void test_like_pprof(void **state)
{
	(void)state;
	check_profile("real-go-cpu");
	check_profile("real-go-heap");
	check_profile("real-python-cpu");
}

/* Who owns the time of real programs: never the runtime beneath them. */
static void test_owners(void **state)
{
	struct rank_want want = { .limit = 2 };
	struct result result = { 0 };
	struct profile p;

	(void)state;
	read_profile("real-go-cpu", &p);
	arena_init(&result.arena, 64 * MIB);
	notes_init(&result.notes);
	assert_true(functions_rank(&p, NULL, &want, &result, &err));
	assert_true(str_equal(result.functions[0].name, STR("main.hashLoop")));
	assert_int_equal(result.functions[0].self_lib_value, 1500000000);
	assert_true(
		str_equal(result.functions[0].leaf,
			  STR("crypto/internal/fips140/sha256.blockSHANI")));
	arena_release(&result.arena);
	profile_release(&p);
	memset(&result, 0, sizeof result);
	read_profile("real-python-cpu", &p);
	arena_init(&result.arena, 64 * MIB);
	notes_init(&result.notes);
	assert_true(functions_rank(&p, NULL, &want, &result, &err));
	assert_true(str_equal(result.functions[0].name,
			      STR("crunch.<locals>.<genexpr>")));
	assert_true(str_equal(result.functions[1].name, STR("crunch")));
	assert_true(str_equal(result.functions[1].file, STR("/app/work.py")));
	arena_release(&result.arena);
	profile_release(&p);
}

UNIT_TESTS(pprof_top)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_pprof),
		cmocka_unit_test(test_owners),
	};

	return cmocka_run_group_tests_name("analyze/pprof_top", tests, NULL,
					   NULL);
}
