/* SPDX-License-Identifier: Apache-2.0
 *
 * What a pprof file holds, read by another implementation of the wire format.
 */
#include "../unit.h"
#include "../analyze/profile_making.h"

#include <stdio.h>

#include "../starving.h"
#include "base/gz.h"
#include "profile.pb-c.h"
#include "render/render.h"

struct written {
	struct buf packed;
	struct buf plain;
	Pproftest__Profile *m;
};

static void render(const struct render_input *in, struct buf *packed)
{
	struct out out;

	buf_init(packed, MIB);
	out_init_memory(&out, packed);
	render_find(STR("pprof"))->render(in, &out);
}

static void write_file(const struct render_input *in, struct written *w)
{
	render(in, &w->packed);
	assert_int_equal(w->packed.state, BUF_OK);
	buf_init(&w->plain, MIB);
	assert_ok(gz_inflate(buf_str(&w->packed), "it", &w->plain, &err));
	w->m = pproftest__profile__unpack(NULL, w->plain.len,
					  (const uint8_t *)w->plain.data);
	assert_non_null(w->m);
}

static void written_release(struct written *w)
{
	pproftest__profile__free_unpacked(w->m, NULL);
	buf_release(&w->packed);
	buf_release(&w->plain);
}

static struct str text_of(const struct written *w, int64_t number)
{
	assert_true(number >= 0 && (size_t)number < w->m->n_string_table);
	return (struct str){ (char *)w->m->string_table[number].data,
			     w->m->string_table[number].len };
}

static void add_text(const struct written *w, struct buf *text, int64_t number)
{
	buf_add_str(text, text_of(w, number));
}

static void describe_line(const struct written *w, const Pproftest__Line *line,
			  struct buf *text)
{
	const Pproftest__Function *f = w->m->function[line->function_id - 1];

	assert_int_equal(f->id, line->function_id);
	add_text(w, text, f->name);
	buf_add_text(text, "@");
	add_text(w, text, f->filename);
	buf_addf(text, ":%d", (int)line->line);
}

static void describe_location(const struct written *w, uint64_t id,
			      struct buf *text)
{
	const Pproftest__Location *l = w->m->location[id - 1];

	assert_int_equal(l->id, id);
	for (size_t k = 0; k < l->n_line; k++) {
		buf_add_text(text, k ? "<" : "");
		describe_line(w, l->line[k], text);
	}
	if (!l->mapping_id)
		return;
	buf_add_text(text, "{");
	add_text(w, text, w->m->mapping[l->mapping_id - 1]->filename);
	buf_add_text(text, "}");
}

/* "leaf@file:line;... value key=text"; ids count from 1 in order. */
static void describe(const struct written *w, const Pproftest__Sample *s,
		     struct buf *text)
{
	for (size_t i = 0; i < s->n_location_id; i++) {
		buf_add_text(text, i ? ";" : "");
		describe_location(w, s->location_id[i], text);
	}
	assert_int_equal(s->n_value, 1);
	buf_addf(text, " %lld", (long long)s->value[0]);
	for (size_t i = 0; i < s->n_label; i++) {
		buf_add_text(text, " ");
		add_text(w, text, s->label[i]->key);
		buf_add_text(text, "=");
		add_text(w, text, s->label[i]->str);
	}
	buf_add_text(text, "\n");
}

static void check_samples(const struct written *w, const char *wanted)
{
	struct buf text;

	buf_init(&text, MIB);
	for (size_t i = 0; i < w->m->n_sample; i++)
		describe(w, w->m->sample[i], &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_release(&text);
}

static const struct result empty_result = { .command = "profile" };

/* ---- one profile ---- */

static void test_profile(void **state)
{
	struct render_input in = { .result = &empty_result };
	struct profile p;
	struct written w;

	(void)state;
	make_profile(&p, "cpu", "nanoseconds", TEN_MS,
		     "main@m.go:7;work@w.go:12;leaf@w.go:3 20000000\n"
		     "main@m.go:7;work@w.go:14 30000000\n"
		     "main@m.go:8 10000000\n");
	p.time_ns = 1700000000000000000;
	p.duration_ns = 10000000000;
	in.profile = &p;
	write_file(&in, &w);
	check_samples(&w, "main@m.go:8 10000000\n"
			  "work@w.go:14;main@m.go:7 30000000\n"
			  "leaf@w.go:3;work@w.go:12;main@m.go:7 20000000\n");
	assert_int_equal(w.m->n_sample_type, 1);
	assert_ok(
		str_equal(text_of(&w, w.m->sample_type[0]->type), STR("cpu")));
	assert_true(str_equal(text_of(&w, w.m->sample_type[0]->unit),
			      STR("nanoseconds")));
	assert_int_equal(w.m->period, TEN_MS);
	assert_int_equal(w.m->period_type->type, w.m->sample_type[0]->type);
	assert_int_equal(w.m->time_nanos, 1700000000000000000);
	assert_int_equal(w.m->duration_nanos, 10000000000);
	assert_int_equal(w.m->n_function, 3);
	assert_int_equal(w.m->n_location, 5);
	assert_int_equal(w.m->n_mapping, 0);
	assert_int_equal(text_of(&w, 0).len, 0);
	written_release(&w);
	profile_release(&p);
}

static uint32_t place(struct profile_build *b, const char *name, uint32_t line,
		      bool is_inlined, bool is_nameless)
{
	struct whole_frame at = { .frame.line = line,
				  .detail.is_inlined = is_inlined };
	uint32_t frame;

	assert_ok(profile_build_mapped(b, str_from(name), STR(""),
				       STR("/lib/x"), is_nameless,
				       &at.frame.function, &err));
	assert_ok(profile_build_place(b, &at, &frame, &err));
	return frame;
}

/* Inlined frames are lines of one location, the innermost first; a frame
 * without a name has no line, unless readers made up another name for it.
 * Strings are UTF-8. */
static void test_places(void **state)
{
	struct render_input in = { .result = &empty_result };
	struct profile_build *b;
	struct notes notes;
	struct profile p;
	struct written w;
	uint32_t frames[6];

	(void)state;
	profile_init(&p);
	notes_init(&notes);
	b = profile_build_new(&p, &err);
	assert_ok(profile_build_type(b, STR("cpu"), STR("count"), &err));
	frames[0] = place(b, "main", 1, false, false);
	frames[1] = place(b, "in", 2, true, false);
	frames[2] = place(b, "deep", 3, true, false);
	frames[3] = place(b, "other", 4, false, false);
	frames[4] = place(b, "[x]", 0, false, true);
	frames[5] = place(b, "[unknown]\xFF", 0, false, true);
	assert_ok(profile_build_stack(b, frames, 6, 2, &err));
	assert_ok(profile_build_stack(b, frames, 2, 1, &err));
	assert_ok(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
	in.profile = &p;
	write_file(&in, &w);
	check_samples(
		&w,
		"in@:2<main@:1{/lib/x} 1\n"
		"[unknown]\xEF\xBF\xBD@:0{/lib/x};{/lib/x};other@:4{/lib/x};"
		"deep@:3<in@:2<main@:1{/lib/x} 2\n");
	assert_int_equal(w.m->n_mapping, 1);
	assert_true(w.m->mapping[0]->has_functions);
	assert_true(w.m->mapping[0]->has_inline_frames);
	assert_int_equal(w.m->n_location, 5);
	written_release(&w);
	profile_release(&p);
}

/* What check_samples() is to find of one stack, from the model. */
static void describe_stack(const struct profile *p, const struct stack *s,
			   struct buf *text)
{
	const uint32_t *ids = p->frame_ids + s->frame_first;

	for (uint32_t i = s->frame_count; i-- > 0;) {
		const struct frame *f = &p->frames[ids[i]];
		struct str name = function_name(p, f->function);
		bool is_inlined = i && is_frame_inlined(p, ids[i]);

		buf_addf(text, "%.*s@:%u%s", STR_ARGS(name), f->line,
			 is_inlined ? "<"
			 : i        ? "{/lib/x};"
				    : "{/lib/x}");
	}
	buf_addf(text, " %lld\n", (long long)s->value);
}

/* Neighbours share their beginnings, which end within a location or between
 * two, of either. */
static void test_shared_beginnings(void **state)
{
	struct render_input in = { .result = &empty_result };
	struct profile_build *b;
	struct notes notes;
	struct profile p;
	struct written w;
	struct buf wanted;
	uint32_t frames[4], random = 1;

	(void)state;
	profile_init(&p);
	notes_init(&notes);
	buf_init(&wanted, MIB);
	b = profile_build_new(&p, &err);
	assert_ok(profile_build_type(b, STR("cpu"), STR("count"), &err));
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t depth = i % 4 + 1;

		for (uint32_t k = 0; k < depth; k++) {
			random = random * 1664525u + 1013904223u;
			frames[k] = place(b, random >> 30 & 1 ? "a" : "b", 1,
					  random >> 31, false);
		}
		assert_ok(profile_build_stack(b, frames, depth, 1, &err));
	}
	assert_ok(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
	assert_true(p.stack_count > 150);
	for (uint32_t i = 0; i < p.stack_count; i++)
		describe_stack(&p, &p.stacks[i], &wanted);
	in.profile = &p;
	write_file(&in, &w);
	check_samples(&w, buf_text(&wanted));
	written_release(&w);
	buf_release(&wanted);
	profile_release(&p);
}

/* What a filter left out is a sample without a stack; what cancelled out are
 * two. */
static void test_rest(void **state)
{
	struct render_input in = { .result = &empty_result };
	struct profile p;
	struct written w;

	(void)state;
	make_cpu_profile(&p, "a;b 5\na;c -2\n");
	assert_int_equal(p.whole_total, 7);
	in.profile = &p;
	write_file(&in, &w);
	check_samples(&w, "b@:0;a@:0 5\nc@:0;a@:0 -2\n");
	written_release(&w);
	p.whole_total = 17;
	p.filtered = 6;
	p.omitted = 4;
	write_file(&in, &w);
	check_samples(&w, "b@:0;a@:0 5\nc@:0;a@:0 -2\n 10\n");
	written_release(&w);
	p.filtered = 0;
	write_file(&in, &w);
	check_samples(&w, "b@:0;a@:0 5\nc@:0;a@:0 -2\n 4\n 3\n -3\n");
	written_release(&w);
	profile_release(&p);
}

/* ---- two sides ---- */

static void fill_result(struct result *r)
{
	*r = (struct result){
		.command = "diff",
		.profile = { .selector = STR("{a=\"\x1b[2J\"}"),
			     .range = { 2000000000, 5000000000 } },
		.has_baseline = true,
		.baseline = { .kind = STR("previous"),
			      .range = { 1000000000, 2000000000 } },
	};
}

static void check_comments(const struct written *w, size_t count,
			   const char *const *wanted)
{
	assert_int_equal(w->m->n_comment, count);
	for (size_t i = 0; i < count; i++) {
		struct str text = text_of(w, w->m->comment[i]);

		if (!str_equal(text, str_from(wanted[i])))
			fail_msg("%.*s", STR_ARGS(text));
	}
}

/* The baseline's side: negative, labelled, of the same locations. The least
 * number there is has no counterpart. */
static void test_diff(void **state)
{
	static const char *const comments[] = {
		"made by: tracefind",
		"profile: {a=\"\\x1b[2J\"} 1970-01-01T00:00:02.000000000Z.."
		"1970-01-01T00:00:05.000000000Z",
		"baseline: previous 1970-01-01T00:00:01.000000000Z.."
		"1970-01-01T00:00:02.000000000Z",
		"sign: the baseline's values are negative, under the label "
		"pprof::base=true",
	};
	struct result r;
	struct render_input in = { .result = &r };
	struct profile slow, base;
	struct written w;

	(void)state;
	fill_result(&r);
	make_cpu_profile(&slow, "a;b 5\n");
	make_cpu_profile(&base, "a;b 3\na;c 1\nd -9223372036854775808\n");
	in.profile = &slow;
	in.baseline = &base;
	write_file(&in, &w);
	check_samples(&w, "b@:0;a@:0 5\n"
			  "b@:0;a@:0 -3 pprof::base=true\n"
			  "c@:0;a@:0 -1 pprof::base=true\n"
			  "d@:0 9223372036854775807 pprof::base=true\n");
	check_comments(&w, 4, comments);
	assert_int_equal(w.m->n_location, 4);
	assert_int_equal(w.m->time_nanos, 2000000000);
	assert_int_equal(w.m->duration_nanos, 3000000000);
	written_release(&w);
	profile_release(&slow);
	profile_release(&base);
}

/* Every single allocation fails once: nothing passes for whole. */
static void test_memory(void **state)
{
	struct result r;
	struct render_input in = { .result = &r };
	struct profile slow, base;
	bool has_failed = true;

	(void)state;
	fill_result(&r);
	make_cpu_profile(&slow, "a;b 5\n");
	make_cpu_profile(&base, "a;b 3\na;c 1\n");
	in.profile = &slow;
	in.baseline = &base;
	for (long n = 0; has_failed; n++) {
		struct buf packed;

		starve_once_after(n);
		render(&in, &packed);
		has_failed = stop_starving();
		assert_int_equal(has_failed, packed.state != BUF_OK);
		buf_release(&packed);
	}
	profile_release(&slow);
	profile_release(&base);
}

UNIT_TESTS(pprof)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_shared_beginnings),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
