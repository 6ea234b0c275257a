/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "base/buf.h"
#include "demangle/demangle.h"
#include "model/profile_build.h"

static struct error err;
static struct notes notes;

static uint32_t frame(struct profile_build *b, const char *name,
		      const char *file, uint32_t line)
{
	uint32_t function;
	uint32_t id;

	assert_true(profile_build_function(b, str_from(name), str_from(file),
					   &function, &err));
	assert_true(profile_build_frame(b, function, line, &id, &err));
	return id;
}

/* "a;b;c" without files and lines. */
static void add(struct profile_build *b, const char *stack, int64_t value)
{
	uint32_t ids[16];
	uint32_t count = 0;

	while (*stack) {
		char name[64];
		size_t len = strcspn(stack, ";");

		snprintf(name, sizeof name, "%.*s", (int)len, stack);
		ids[count++] = frame(b, name, "", 0);
		stack += len + (stack[len] == ';');
	}
	assert_true(profile_build_stack(b, ids, count, value, &err));
}

static struct profile_build *begin(struct profile *p)
{
	struct profile_build *b;

	notes_init(&notes);
	profile_init(p);
	b = profile_build_new(p, &err);
	assert_non_null(b);
	return b;
}

static void finish(struct profile_build *b)
{
	assert_true(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
}

static void assert_is(const struct profile *p, const char *expected)
{
	struct buf text;

	buf_init(&text, MIB);
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		for (uint32_t k = 0; k < s->frame_count; k++) {
			struct frame f =
				p->frames[p->frame_ids[s->frame_first + k]];
			struct str file = function_file(p, f.function);

			buf_add_text(&text, k ? ";" : "");
			buf_add_str(&text, function_name(p, f.function));
			if (file.len)
				buf_addf(&text, "@%.*s", STR_ARGS(file));
			if (f.line)
				buf_addf(&text, ":%u", f.line);
		}
		buf_addf(&text, " %lld\n", (long long)s->value);
	}
	assert_string_equal(buf_text(&text), expected);
	buf_release(&text);
	if (!profile_check(p, &err))
		fail_msg("%s", err.message);
}

static void test_an_empty_profile(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	assert_int_equal(p.sample_count, -1);
	assert_int_equal(profile_unit(&p).len, 0);
	assert_int_equal(profile_type_name(&p).len, 0);
	assert_int_equal(profile_text(&p, 7).len, 0);
	assert_true(profile_check(&p, &err));
	profile_release(&p);
	finish(begin(&p));
	assert_is(&p, "");
	assert_int_equal(p.total, 0);
	assert_int_equal(notes.count, 0);
	profile_release(&p);
}

static void test_stacks_are_merged_and_ordered(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	add(b, "main;b", 3);
	add(b, "main;a;x", 1);
	add(b, "main;b", 4);
	add(b, "main", 2);
	add(b, "idle", 5);
	add(b, "main;ab", 6);
	add(b, "main;a", 0);
	finish(b);
	assert_is(&p, "idle 5\nmain 2\nmain;a;x 1\nmain;ab 6\nmain;b 7\n");
	assert_int_equal(p.total, 21);
	assert_int_equal(p.function_count, 6);
	assert_false(p.has_lines);
	profile_release(&p);
}

/* By names of the whole stack first: what a flame graph joins stays
 * together, wherever its lines are. */
static void test_names_go_before_files_and_lines(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);
	uint32_t ids[2];

	(void)state;
	ids[0] = frame(b, "main", "b.c", 9);
	ids[1] = frame(b, "y", "", 0);
	assert_true(profile_build_stack(b, ids, 2, 1, &err));
	ids[1] = frame(b, "x", "", 0);
	assert_true(profile_build_stack(b, ids, 2, 2, &err));
	ids[0] = frame(b, "main", "a.c", 10);
	assert_true(profile_build_stack(b, ids, 2, 3, &err));
	ids[1] = frame(b, "y", "", 0);
	assert_true(profile_build_stack(b, ids, 2, 4, &err));
	ids[0] = frame(b, "main", "a.c", 2);
	assert_true(profile_build_stack(b, ids, 2, 5, &err));
	finish(b);
	assert_is(&p, "main@a.c:10;x 3\nmain@b.c:9;x 2\n"
		      "main@a.c:2;y 5\nmain@a.c:10;y 4\nmain@b.c:9;y 1\n");
	assert_true(p.has_lines);
	assert_int_equal(p.function_count, 4);
	assert_int_equal(p.frame_count, 5);
	profile_release(&p);
}

static void test_order_does_not_depend_on_input_order(void **state)
{
	static const char *const stacks[] = { "a;b;c", "a;b", "a",  "b;a",
					      "b;c;a", "c",   "a;c" };
	char texts[2][128];

	(void)state;
	for (size_t round = 0; round < 7; round++) {
		struct profile p;
		struct profile_build *b = begin(&p);
		size_t at = 0;

		for (size_t i = 0; i < 7; i++) {
			size_t k = (i * 3 + round) % 7;

			add(b, stacks[k], (int64_t)k + 1);
		}
		finish(b);
		for (uint32_t i = 0; i < p.stack_count; i++)
			at += (size_t)snprintf(texts[round > 0] + at,
					       sizeof *texts - at, "%lld ",
					       (long long)p.stacks[i].value);
		if (round)
			assert_string_equal(texts[0], texts[1]);
		profile_release(&p);
	}
	assert_string_equal(texts[0], "3 2 1 7 4 5 6 ");
}

static void test_what_cancels_out_is_gone(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	add(b, "main;gone", 5);
	add(b, "main;down", -3);
	add(b, "main;gone", -5);
	finish(b);
	assert_is(&p, "main;down -3\n");
	assert_int_equal(p.total, -3);
	assert_int_equal(p.function_count, 2);
	assert_int_equal(p.frame_count, 2);
	profile_release(&p);
}

static void test_no_frames_and_no_name(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	add(b, "", 4);
	assert_true(profile_build_stack(b, (uint32_t[]){ frame(b, "", "", 0) },
					1, 1, &err));
	finish(b);
	assert_is(&p, "[unknown] 5\n");
	profile_release(&p);
}

static void test_sums_are_capped(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	add(b, "a", INT64_MAX - 1);
	add(b, "a", 5);
	add(b, "b", INT64_MAX);
	finish(b);
	assert_int_equal(p.stacks[0].value, INT64_MAX);
	assert_int_equal(p.total, INT64_MAX);
	assert_int_equal(notes.count, 1);
	profile_release(&p);
	b = begin(&p);
	add(b, "a", INT64_MIN);
	add(b, "b", -1);
	finish(b);
	assert_int_equal(p.total, INT64_MIN);
	assert_int_equal(notes.count, 1);
	profile_release(&p);
}

static void test_snapshots_are_averaged(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	add(b, "a", 10);
	add(b, "a;b", 1);
	add(b, "a;c", 1);
	add(b, "a;d", 3);
	add(b, "e", -5);
	finish(b);
	profile_divide(&p, 1);
	assert_is(&p, "a 10\na;b 1\na;c 1\na;d 3\ne -5\n");
	/* 10 and no rest; 1 and 1 make 2, not enough; 5 with the last. */
	profile_divide(&p, 5);
	assert_is(&p, "a 2\na;d 1\ne -1\n");
	assert_int_equal(p.total, 2);
	profile_divide(&p, 100);
	assert_is(&p, "");
	assert_int_equal(p.total, 0);
	profile_release(&p);
}

static void test_types(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	assert_true(profile_build_type(b, STR("samples"), STR("count"), &err));
	assert_true(
		profile_build_type(b, STR("cpu"), STR("nanoseconds"), &err));
	p.type = 1;
	assert_true(str_equal(profile_type_name(&p), STR("cpu")));
	assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
	for (unsigned i = 2; i < LIMIT_SAMPLE_TYPES; i++)
		assert_true(profile_build_type(b, STR("x"), STR("y"), &err));
	assert_false(profile_build_type(b, STR("x"), STR("y"), &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(p.type_count, LIMIT_SAMPLE_TYPES);
	finish(b);
	profile_release(&p);
}

static void test_units_of_time(void **state)
{
	(void)state;
	assert_int_equal(time_unit_ns(STR("nanoseconds")), 1);
	assert_int_equal(time_unit_ns(STR("microseconds")), 1000);
	assert_int_equal(time_unit_ns(STR("milliseconds")), 1000000);
	assert_int_equal(time_unit_ns(STR("seconds")), 1000000000);
	assert_int_equal(time_unit_ns(STR("bytes")), 0);
}

static void test_restated(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	assert_true(profile_restate(&p, STR("x"), STR("y"), 2, &err));
	assert_true(profile_build_type(b, STR("sample"), STR("count"), &err));
	assert_true(
		profile_build_type(b, STR("WALL"), STR("microseconds"), &err));
	p.type = 1;
	p.period = 1000;
	add(b, "a", 3);
	add(b, "b", -4);
	add(b, "c", INT64_MAX / 100);
	finish(b);
	assert_true(profile_restate(&p, STR("wall"), STR("nanoseconds"), 1000,
				    &err));
	assert_is(&p, "a 3000\nb -4000\nc 9223372036854775807\n");
	assert_true(str_equal(profile_type_name(&p), STR("wall")));
	assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
	assert_int_equal(p.period, 1000000);
	assert_int_equal(p.total, INT64_MAX - 1000);
	profile_release(&p);
}

static void test_depth_limit(void **state)
{
	uint32_t *ids = malloc((LIMIT_STACK_FRAMES + 1) * sizeof *ids);

	(void)state;
	for (uint32_t more = 0; more < 2; more++) {
		struct profile p;
		struct profile_build *b = begin(&p);
		const uint32_t *kept;
		uint32_t middle = LIMIT_STACK_FRAMES / 2;

		for (uint32_t i = 0; i < LIMIT_STACK_FRAMES + more; i++) {
			char name[16];

			snprintf(name, sizeof name, "f%05u", i);
			ids[i] = frame(b, name, "", 0);
		}
		assert_true(profile_build_stack(
			b, ids, LIMIT_STACK_FRAMES + more, 7, &err));
		finish(b);
		assert_true(profile_check(&p, &err));
		assert_int_equal(p.stacks[0].frame_count, LIMIT_STACK_FRAMES);
		assert_int_equal(notes.count, more);
		kept = &p.frame_ids[p.stacks[0].frame_first];
		assert_true(str_equal(
			function_name(&p, p.frames[kept[middle]].function),
			more ? STR("[2 frames trimmed]") : STR("f02048")));
		assert_true(str_equal(
			function_name(&p, p.frames[kept[middle - 1]].function),
			STR("f02047")));
		assert_true(str_equal(
			function_name(&p, p.frames[kept[middle + 1]].function),
			more ? STR("f02050") : STR("f02049")));
		profile_release(&p);
	}
	free(ids);
}

static void test_text_limit(void **state)
{
	char *text = malloc(LIMIT_STRING_BYTES + 1);
	struct profile p;
	struct profile_build *b = begin(&p);
	uint32_t id;

	(void)state;
	memset(text, 'a', LIMIT_STRING_BYTES + 1);
	/* The last byte that fits begins a character of two. */
	text[LIMIT_STRING_BYTES - 1] = (char)0xC3;
	text[LIMIT_STRING_BYTES] = (char)0xA4;
	assert_true(profile_build_text(
		b, (struct str){ text, LIMIT_STRING_BYTES + 1 }, &id, &err));
	assert_int_equal(profile_text(&p, id).len, LIMIT_STRING_BYTES - 1);
	finish(b);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.text[0], "64 KiB"));
	profile_release(&p);
	free(text);
}

/* Past the work of all names the rest stays as it is, and a note says so. */
static void test_names_of_linkers(void **state)
{
	struct profile p;

	(void)state;
	for (unsigned is_over = 0; is_over < 2; is_over++) {
		struct profile_build *b = begin(&p);

		add(b, "_ZN1a1bEv;_ZN1a1bEv", 1);
		if (is_over)
			demangler_limit_work(b->demangler, 0);
		add(b, "_ZN1a1bEv", 1);
		add(b, "_ZN1a1cEv", 1);
		add(b, "_ZN1a1dEv", 1);
		finish(b);
		assert_int_equal(notes.count, is_over);
		assert_true(str_equal(
			profile_text(&p,
				     p.functions[p.function_count - 1].name),
			is_over ? STR("a::b") : STR("a::d")));
		assert_int_equal(p.function_count, 3);
		profile_release(&p);
	}
	assert_non_null(strstr(notes.text[0], "linkers"));
}

static void test_many_stacks(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);
	uint32_t ids[3];
	int64_t total = 0;

	(void)state;
	ids[0] = frame(b, "main", "", 0);
	for (uint32_t i = 0; i < 30000; i++) {
		char name[16];

		snprintf(name, sizeof name, "f%u", i * 7919 % 10000);
		ids[1] = frame(b, name, "", 0);
		ids[2] = frame(b, name, "", i % 2);
		assert_true(profile_build_stack(b, ids, 3, i + 1, &err));
		total += i + 1;
	}
	finish(b);
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.total, total);
	assert_int_equal(p.stack_count, 10000);
	profile_release(&p);
}

/* As code of the kernel and of a program lie. */
static void test_high_addresses(void **state)
{
	static const uint32_t highs[] = { UINT32_MAX, 0, 0x7FFF, UINT32_MAX };
	struct profile p;
	struct profile_build *b = begin(&p);

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct whole_frame place = {
			.frame.line = 3,
			.detail.address_high = highs[i],
			.detail.address_low = 0x400000 - i,
		};
		uint32_t id;

		assert_true(profile_build_function(
			b, STR("f"), STR(""), &place.frame.function, &err));
		assert_true(profile_build_place(b, &place, &id, &err));
		assert_true(profile_build_stack(b, &id, 1, i + 1, &err));
	}
	finish(b);
	assert_true(profile_check(&p, &err));
	assert_int_equal(p.frame_count, 4);
	assert_int_equal(p.details[0].address_high, 0);
	assert_int_equal(p.details[1].address_high, 0x7FFF);
	assert_int_equal(p.details[2].address_low, 0x400000 - 3);
	profile_release(&p);
}

#define SIBLINGS 40u
#define IS_INLINED(i) ((i) % 25 == 5) /* else as the one before it */

/* The i-th of functions of one name, or frames of one function, all of which
 * differ in one thing. */
static uint32_t sibling(struct profile_build *b, unsigned thing, uint32_t i)
{
	struct function f = { .name = thing + 1 };
	struct whole_frame place = { .frame.line = 1 };
	struct frame_detail *d = &place.detail;
	uint32_t *const things[] = {
		&f.file,    &f.mapping,       &place.frame.line,
		&d->column, &d->address_high, &d->address_low,
	};
	uint32_t id;

	d->is_inlined = IS_INLINED(i);
	*things[thing] = i + 2 - d->is_inlined;
	f.is_nameless = thing < 2 && d->is_inlined;
	assert_true(profile_build_interned(b, &f, &place.frame.function, &err));
	assert_true(profile_build_place(b, &place, &id, &err));
	return id;
}

/* More than are found in a chain. */
static void test_siblings(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);
	uint32_t text, ids[6][SIBLINGS], next = 0;

	(void)state;
	for (unsigned thing = 0; thing < 6; thing++) {
		char name[] = { (char)('a' + thing), '\0' };

		assert_true(profile_build_name(b, str_from(name), &text, &err));
		assert_int_equal(text, thing + 1);
	}
	for (unsigned thing = 0; thing < 6; thing++)
		for (uint32_t i = 0; i < SIBLINGS; i++) {
			ids[thing][i] = sibling(b, thing, i);
			assert_int_equal(ids[thing][i], next++);
		}
	for (unsigned thing = 0; thing < 6; thing++)
		for (uint32_t i = SIBLINGS; i-- > 0;)
			assert_int_equal(sibling(b, thing, i), ids[thing][i]);
	assert_int_equal(b->function_count, 2 * SIBLINGS + 4);
	assert_int_equal(b->frame_count, next);
	profile_build_free(b);
	profile_release(&p);
}

static void fill(struct profile *p, const char *type, const char *unit,
		 const int64_t *values, size_t count)
{
	struct profile_build *b = begin(p);

	assert_true(
		profile_build_type(b, str_from(type), str_from(unit), &err));
	for (size_t i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof name, "f%zu", i);
		add(b, name, values[i]);
	}
	finish(b);
	profile_infer_period(p);
}

static void test_inferred_period(void **state)
{
	static const struct {
		const char *type;
		const char *unit;
		int64_t step;
		size_t count;
		int64_t period;
	} cases[] = {
		{ "cpu", "nanoseconds", 10000000, 20, 10000000 },
		{ "cpu", "nanoseconds", 10000000, 19, 10000000 },
		{ "cpu", "nanoseconds", 800000000, 6, 10000000 },
		{ "cpu", "nanoseconds", 10309278, 8, 10309278 },
		{ "cpu", "nanoseconds", 20000000, 20, 20000000 },
		{ "cpu", "nanoseconds", 7000000, 20, 7000000 },
		{ "cpu", "nanoseconds", 7000000, 19, 0 },
		{ "cpu", "nanoseconds", 2, 6, 0 },
		{ "wall", "nanoseconds", 10309278, 25, 10309278 },
		{ "cpu", "nanoseconds", 100000, 20, 100000 },
		{ "cpu", "nanoseconds", 99999, 20, 0 },
		{ "cpu", "nanoseconds", 1000000000, 20, 1000000000 },
		{ "cpu", "nanoseconds", 1000000001, 20, 0 },
		{ "cpu", "microseconds", 10000000, 20, 0 },
		{ "delay", "nanoseconds", 10000000, 20, 0 },
		{ "alloc_space", "bytes", 524288, 20, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t values[32];
		struct profile p;

		for (size_t k = 0; k < cases[i].count; k++)
			values[k] = ((int64_t)k + 1) * cases[i].step;
		fill(&p, cases[i].type, cases[i].unit, values, cases[i].count);
		assert_int_equal(p.period, cases[i].period);
		assert_int_equal(p.sample_count,
				 cases[i].period ? p.total / cases[i].period
						 : -1);
		profile_release(&p);
	}
}

static void test_repeated_values_are_not_distinct(void **state)
{
	int64_t values[100];
	struct profile p;

	(void)state;
	for (int k = 0; k < 100; k++)
		values[k] = (k % 19 + 1) * (int64_t)7000000;
	fill(&p, "cpu", "nanoseconds", values, 100);
	assert_int_equal(p.period, 0);
	profile_release(&p);
	values[99] = 140000000;
	fill(&p, "cpu", "nanoseconds", values, 100);
	assert_int_equal(p.period, 7000000);
	profile_release(&p);
}

static void test_check_sees_damage(void **state)
{
	struct profile p;
	struct profile_build *b = begin(&p);
	struct stack kept;

	(void)state;
	add(b, "a;b", 1);
	add(b, "c", 2);
	finish(b);
	assert_true(profile_check(&p, &err));
	kept = p.stacks[0];
#define ASSERT_DAMAGE(change, undo)                                            \
	do {                                                                   \
		change;                                                        \
		assert_false(profile_check(&p, &err));                         \
		assert_int_equal(err.code, ERROR_INTERNAL);                    \
		undo;                                                          \
		assert_true(profile_check(&p, &err));                          \
	} while (0)
	ASSERT_DAMAGE(p.total++, p.total--);
	ASSERT_DAMAGE(p.type = 1, p.type = 0);
	ASSERT_DAMAGE(p.stacks[0].value = 0, p.stacks[0] = kept);
	ASSERT_DAMAGE(p.stacks[0].frame_count = 99, p.stacks[0] = kept);
	ASSERT_DAMAGE(p.stacks[0].frame_count = 0, p.stacks[0] = kept);
	ASSERT_DAMAGE(p.stacks[0].frame_first = 99, p.stacks[0] = kept);
	ASSERT_DAMAGE(p.stacks[0] = p.stacks[1], p.stacks[0] = kept);
	ASSERT_DAMAGE(p.frame_ids[0] += 99, p.frame_ids[0] -= 99);
	ASSERT_DAMAGE(p.frames[1].function += 99, p.frames[1].function -= 99);
	ASSERT_DAMAGE(p.frames[1].function -= 1, p.frames[1].function += 1);
	ASSERT_DAMAGE(p.functions[1].name += 99, p.functions[1].name -= 99);
	ASSERT_DAMAGE(p.functions[1].file = 99, p.functions[1].file = 0);
#undef ASSERT_DAMAGE
	profile_release(&p);
}

static bool build_some(struct profile *p)
{
	struct profile_build *b = profile_build_new(p, &err);
	uint32_t function;
	uint32_t id;
	bool is_done = b != NULL;

	for (int i = 0; is_done && i < 3000; i++) {
		char name[16];

		snprintf(name, sizeof name, "f%d", i);
		is_done = profile_build_function(b, str_from(name), STR("f.c"),
						 &function, &err) &&
			  profile_build_frame(b, function, 1, &id, &err) &&
			  profile_build_stack(b, &id, 1, 1, &err);
	}
	/* More lines of a function than its chain holds. */
	for (uint32_t line = 2; line < 20 && is_done; line++)
		is_done = profile_build_frame(b, 0, line, &id, &err);
	is_done = is_done && profile_build_finish(b, NULL, &err);
	profile_build_free(b);
	return is_done;
}

static void test_lack_of_memory(void **state)
{
	bool is_done = false;

	(void)state;
	for (int n = 0; !is_done; n++) {
		struct profile p;

		assert_true(n < 1000);
		profile_init(&p);
		starve_after(n);
		is_done = build_some(&p);
		stop_starving();
		if (!is_done)
			assert_int_equal(err.code, ERROR_MEMORY);
		profile_release(&p);
	}
}

UNIT_TESTS(profile)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_profile),
		cmocka_unit_test(test_stacks_are_merged_and_ordered),
		cmocka_unit_test(test_names_go_before_files_and_lines),
		cmocka_unit_test(test_order_does_not_depend_on_input_order),
		cmocka_unit_test(test_what_cancels_out_is_gone),
		cmocka_unit_test(test_no_frames_and_no_name),
		cmocka_unit_test(test_sums_are_capped),
		cmocka_unit_test(test_snapshots_are_averaged),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_units_of_time),
		cmocka_unit_test(test_restated),
		cmocka_unit_test(test_depth_limit),
		cmocka_unit_test(test_text_limit),
		cmocka_unit_test(test_names_of_linkers),
		cmocka_unit_test(test_many_stacks),
		cmocka_unit_test(test_high_addresses),
		cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_inferred_period),
		cmocka_unit_test(test_repeated_values_are_not_distinct),
		cmocka_unit_test(test_check_sees_damage),
		cmocka_unit_test(test_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
