/* SPDX-License-Identifier: Apache-2.0
 *
 * Filters by hand. A frame is written "name", inlined into the one before it
 * "+name"; every function name.x lies in file x.c and in the mapping /lib/x.
 */
#include <stdio.h>

#include "../unit.h"
#include "analyze/view.h"
#include "base/buf.h"
#include "profile_making.h"

struct fixture {
	struct profile in;
	struct profile out;
	struct view view;
	struct notes notes;
};

static uint32_t place(struct profile_build *b, struct str text)
{
	bool is_inlined = str_starts(text, STR("+"));
	struct whole_frame frame = { .detail.is_inlined = is_inlined };
	char file[32], mapping[32];
	struct str name = str_slice(text, is_inlined, text.len);
	bool is_nameless = str_equal(name, STR("?"));
	size_t dot = str_find(name, STR("."));
	uint32_t id;

	snprintf(file, sizeof file, "%s", "");
	snprintf(mapping, sizeof mapping, "/lib/%s", "other");
	if (dot != SIZE_MAX) {
		snprintf(file, sizeof file, "./%.*s.c",
			 (int)(name.len - dot - 1), name.ptr + dot + 1);
		snprintf(mapping, sizeof mapping, "/lib/%.*s",
			 (int)(name.len - dot - 1), name.ptr + dot + 1);
		frame.frame.line = (uint32_t)name.len;
	}
	assert_ok(profile_build_mapped(b, name, str_from(file),
				       str_from(mapping), is_nameless,
				       &frame.frame.function, &err));
	assert_ok(profile_build_place(b, &frame, &id, &err));
	return id;
}

/* "a;b;+c 3" */
static void add_line(struct profile_build *b, struct str line)
{
	size_t blank = str_find(line, STR(" "));
	struct str stack = str_slice(line, 0, blank);
	uint32_t frames[16], count = 0;
	int64_t value;

	assert_true(parse_i64(str_slice(line, blank + 1, line.len), &value));
	while (stack.len) {
		size_t end = str_find(stack, STR(";"));
		struct str frame = str_slice(stack, 0, end);

		frames[count++] = place(b, frame);
		stack = str_slice(stack, frame.len + 1, stack.len);
	}
	assert_ok(profile_build_stack(b, frames, count, value, &err));
}

static void begin(struct fixture *f, const char *text)
{
	struct str rest = str_from(text);
	struct profile_build *b;

	*f = (struct fixture){ .view = { .focus = NULL } };
	profile_init(&f->in);
	profile_init(&f->out);
	notes_init(&f->notes);
	b = profile_build_new(&f->in, &err);
	assert_non_null(b);
	assert_ok(profile_build_type(b, STR("cpu"), STR("count"), &err));
	while (rest.len) {
		size_t end = str_find(rest, STR("\n"));
		struct str line = str_slice(rest, 0, end);

		add_line(b, line);
		rest = str_slice(rest, line.len + 1, rest.len);
	}
	assert_ok(profile_build_finish(b, &f->notes, &err));
	profile_build_free(b);
}

static struct regex *re(const char *pattern)
{
	struct regex *made = regex_new(str_from(pattern), "test", &err);

	assert_non_null(made);
	return made;
}

static void add_name(struct buf *text, const struct profile *p, uint32_t frame)
{
	struct str name = function_name(p, p->frames[frame].function);

	if (text->len && text->data[text->len - 1] != '\n')
		buf_add_char(text, ';');
	if (is_frame_inlined(p, frame))
		buf_add_char(text, '+');
	buf_add_str(text, name);
}

/* Runs the view, compares, releases everything. */
static void expect(struct fixture *f, const char *wanted)
{
	struct buf text;

	assert_ok(profile_view(&f->in, &f->view, &f->out, &f->notes, &err));
	assert_ok(profile_check(&f->out, &err));
	assert_int_equal(f->out.whole_total, f->in.total);
	buf_init(&text, 4 * KIB);
	for (uint32_t i = 0; i < f->out.stack_count; i++) {
		const struct stack *s = &f->out.stacks[i];

		for (uint32_t k = 0; k < s->frame_count; k++)
			add_name(&text, &f->out,
				 f->out.frame_ids[s->frame_first + k]);
		buf_addf(&text, " %d\n", (int)s->value);
	}
	assert_string_equal(buf_text(&text), wanted);
	buf_release(&text);
	regex_free(f->view.focus);
	regex_free(f->view.ignore);
	regex_free(f->view.hide);
	regex_free(f->view.show);
	regex_free(f->view.show_from);
	profile_release(&f->in);
	profile_release(&f->out);
}

#define STACKS "main;a.x;b 1\nmain;a.x;c.y 2\nmain;d 4"

static void test_focus_and_ignore(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, STACKS);
	f.view.focus = re("^a");
	expect(&f, "main;a.x;b 1\nmain;a.x;c.y 2\n");
	begin(&f, STACKS);
	f.view.focus = re("y\\.c$"); /* a file */
	expect(&f, "main;a.x;c.y 2\n");
	begin(&f, STACKS);
	f.view.focus = re("/lib/x"); /* a mapping */
	f.view.ignore = re("b");
	expect(&f, "");
	begin(&f, STACKS);
	f.view.focus = re("^a");
	f.view.ignore = re("^b$");
	expect(&f, "main;a.x;c.y 2\n");
	begin(&f, STACKS);
	f.view.focus = re("nothing");
	expect(&f, "");
}

static void test_hide_and_show(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, STACKS);
	f.view.hide = re("^a");
	expect(&f, "main;b 1\nmain;c.y 2\nmain;d 4\n");
	begin(&f, STACKS);
	f.view.show = re("main|^b$");
	expect(&f, "main 6\nmain;b 1\n");
	begin(&f, STACKS);
	f.view.show = re("^b$|d"); /* a stack without frames is no stack */
	expect(&f, "b 1\nd 4\n");
	begin(&f, STACKS);
	f.view.focus = re("^b$"); /* before it is hidden */
	f.view.hide = re("^b$");
	expect(&f, "main;a.x 1\n");
	begin(&f, "main;?;+a.x 1\nmain;? 2");
	f.view.show = re("."); /* a frame without a name is never shown */
	expect(&f, "main 2\nmain;a.x 1\n");
	begin(&f, "main;? 2");
	f.view.hide = re("[?]"); /* its name is ours */
	expect(&f, "main;? 2\n");
}

static void test_show_from(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, STACKS);
	f.view.show_from = re("^a");
	expect(&f, "a.x;b 1\na.x;c.y 2\n");
	begin(&f, "r;b;a;b;c 1");
	f.view.show_from = re("^b"); /* the first from the root */
	expect(&f, "b;a;b;c 1\n");
	/* Of a location that was inlined the callers leave too, and its first
	 * frame is inlined into nothing any more. */
	begin(&f, "r;a;+b;+c;d 1");
	f.view.show_from = re("^b");
	expect(&f, "b;+c;d 1\n");
	begin(&f, "r;a;+b.x;+c;d 1");
	f.view.show_from = re("/lib/x"); /* a mapping takes the whole */
	expect(&f, "a;+b.x;+c;d 1\n");
	begin(&f, "b;a;+b;c 1"); /* wherever it stands */
	f.view.show_from = re("^b");
	expect(&f, "b;b;c 1\n");
	begin(&f, "r;a;+b;c 1");
	f.view.hide = re("^b");
	f.view.show_from = re("^b|^c");
	expect(&f, "c 1\n");
}

static void test_hide_outermost(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "r;a;+b;+c 1");
	f.view.hide = re("^a");
	expect(&f, "r;b;+c 1\n");
}

static void test_granularity(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, STACKS);
	f.view.granularity = GRANULARITY_FILE;
	expect(&f, "[other];[other] 4\n[other];x.c;[other] 1\n"
		   "[other];x.c;y.c 2\n");
	begin(&f, STACKS "\n? 1");
	f.view.granularity = GRANULARITY_LINE;
	expect(&f, "? 1\nmain;a.x x.c:3;b 1\nmain;a.x x.c:3;c.y y.c:3 2\n"
		   "main;d 4\n");
}

static void test_addresses(void **state)
{
	struct fixture f;
	struct profile_build *b;
	struct whole_frame frame = {
		.frame.line = 7,
		.detail.address_high = 1,
		.detail.address_low = 0x2a,
	};
	uint32_t id;

	(void)state;
	begin(&f, "");
	profile_release(&f.in);
	b = profile_build_new(&f.in, &err);
	assert_ok(profile_build_function(b, STR("f"), STR("f.c"),
					 &frame.frame.function, &err));
	assert_ok(profile_build_place(b, &frame, &id, &err));
	assert_ok(profile_build_stack(b, &id, 1, 5, &err));
	frame.detail.is_inlined = 1;
	assert_ok(profile_build_place(b, &frame, &id, &err));
	frame.detail.address_low++;
	frame.detail.is_inlined = 0;
	assert_ok(profile_build_place(b, &frame, &id, &err));
	assert_int_equal(id, 2);
	assert_ok(profile_build_stack(b, &id, 1, 6, &err));
	frame.detail.column = 3;
	assert_ok(profile_build_place(b, &frame, &id, &err));
	assert_int_equal(id, 3);
	assert_ok(profile_build_stack(b, &id, 1, 7, &err));
	assert_ok(profile_build_finish(b, &f.notes, &err));
	profile_build_free(b);
	assert_ok(profile_check(&f.in, &err));
	f.view.granularity = GRANULARITY_ADDRESS;
	expect(&f, "000000010000002a f f.c:7 5\n000000010000002b f f.c:7 6\n"
		   "000000010000002b f f.c:7:3 7\n");
}

static void test_detail(void **state)
{
	struct view v = { .focus = NULL };

	(void)state;
	assert_int_equal(view_detail(&v), PROFILE_DETAIL_PLACES);
	assert_true(view_is_plain(&v));
	v.granularity = GRANULARITY_ADDRESS;
	assert_int_equal(view_detail(&v), PROFILE_DETAIL_ADDRESSES);
	assert_false(view_is_plain(&v));
}

UNIT_TESTS(view)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_focus_and_ignore),
		cmocka_unit_test(test_hide_and_show),
		cmocka_unit_test(test_show_from),
		cmocka_unit_test(test_hide_outermost),
		cmocka_unit_test(test_granularity),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
