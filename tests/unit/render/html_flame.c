/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "render/html.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/gz.h"
#include "base/num.h"
#include "support.h"

static void write_section(const struct sample *s, struct buf *out)
{
	struct render_input in = {
		.result = &s->result,
		.flame = s->has_flame ? &s->flame : NULL,
		.picture = s->picture,
	};
	struct out memory;
	struct error err;

	buf_init(out, 256 * MIB);
	out_init_memory(&memory, out);
	html_flame_write(&in, &memory);
	if (!buf_check(out, "the section", &err))
		fail_msg("%s", err.message);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		count++;
	return count;
}

/* ---- reading it back ---- */

static json_t *unpack(const char *text, size_t len)
{
	unsigned char *packed = malloc(len);
	struct str bytes = { (char *)packed, 0 };
	struct buf plain;
	struct error err;
	json_t *json;

	assert_non_null(packed);
	assert_true(base64_decode((struct str){ text, len }, packed, len,
				  &bytes.len));
	buf_init(&plain, 256 * MIB);
	assert_true(gz_inflate(bytes, "data", &plain, &err));
	json = json_loadb(plain.data, plain.len, 0, NULL);
	buf_release(&plain);
	free(packed);
	return json;
}

static json_t *data_of(const struct buf *section, bool *is_packed)
{
	const char *at = strstr(buf_text(section), "id=\"flame-data\">");
	const char *end;
	json_t *json;

	assert_non_null(at);
	at += strlen("id=\"flame-data\">");
	end = strchr(at, '<');
	assert_non_null(end);
	assert_int_equal(strncmp(end, "</script>", 9), 0);
	*is_packed = *at != '{';
	json = *is_packed ? unpack(at, (size_t)(end - at))
			  : json_loadb(at, (size_t)(end - at), 0, NULL);
	assert_non_null(json);
	return json;
}

static const char *column(const json_t *data, const char *key)
{
	const char *text = json_string_value(json_object_get(data, key));

	if (!text)
		fail_msg("no column %s", key);
	return text;
}

static uint64_t next(const char **at)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz-_";
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 5) {
		const char *digit = **at ? strchr(digits, *(*at)++) : NULL;
		uint64_t bits;

		assert_non_null(digit);
		bits = (uint64_t)(digit - digits);
		value |= (bits & 31) << shift;
		if (bits < 32)
			return value;
	}
}

/* A frame as the script reads it. */
struct read_frame {
	uint32_t depth;
	uint64_t function;
	uint64_t self[2];
	uint64_t left_out[2];
	uint64_t total[2];
};

static size_t read_frames(const json_t *data, struct read_frame *frames,
			  size_t max)
{
	static const char *const keys[] = { "self_after", "self_before",
					    "left_out_after",
					    "left_out_before" };
	const json_t *divisor = json_object_get(data, "divisor");
	size_t count = (size_t)json_integer_value(
		json_object_get(data, "frame_count"));
	const char *flags = column(data, "flags"), *step = column(data, "step");
	const char *function = column(data, "function"), *values[4];
	uint32_t depth = UINT32_MAX;

	assert_true(count <= max);
	for (int k = 0; k < 4; k++)
		values[k] = column(data, keys[k]);
	for (size_t i = 0; i < count; i++) {
		uint64_t flag = next(&flags), read[4] = { 0 };

		depth += 1 - (uint32_t)(flag & 1 ? next(&step) : 0);
		for (unsigned k = 0; k < 4; k++)
			if (flag & 2u << k)
				read[k] =
					next(&values[k]) *
					(uint64_t)json_integer_value(
						json_array_get(divisor, k % 2));
		frames[i] =
			(struct read_frame){ .depth = depth,
					     .function = next(&function),
					     .self = { read[0], read[1] },
					     .left_out = { read[2], read[3] } };
	}
	assert_int_equal(*flags | *step | *function, 0);
	return count;
}

static void add_totals(struct read_frame *frames, size_t count)
{
	for (size_t i = count; i-- > 0;)
		for (int s = 0; s < 2; s++) {
			frames[i].total[s] =
				frames[i].self[s] + frames[i].left_out[s];
			for (size_t k = i + 1;
			     k < count && frames[k].depth > frames[i].depth;
			     k++)
				if (frames[k].depth == frames[i].depth + 1)
					frames[i].total[s] +=
						frames[k].total[s];
		}
}

static void read_names(const json_t *data, const char *key, const char *shared,
		       char names[][256])
{
	const json_t *rests = json_object_get(data, key), *rest;
	const char *at = column(data, shared);
	char before[256] = "";
	size_t i;

	json_array_foreach(rests, i, rest)
	{
		size_t same = (size_t)next(&at);

		assert_true(same <= strlen(before));
		snprintf(before + same, sizeof before - same, "%s",
			 json_string_value(rest));
		memcpy(names[i], before, sizeof before);
	}
	assert_int_equal(*at, 0);
}

/* ---- what is there ---- */

static void test_frames_read_back(void **state)
{
	struct read_frame frames[16];
	char names[16][256];
	struct sample s;
	struct buf section;
	bool is_packed;
	json_t *data;
	(void)state;

	sample_diff(&s);
	sample_flame(&s);
	write_section(&s, &section);
	data = data_of(&section, &is_packed);
	assert_false(is_packed);
	assert_int_equal(read_frames(data, frames, 16), 9);
	add_totals(frames, 9);
	read_names(data, "names", "name_shared", names);
	for (size_t i = 0; i < 9; i++) {
		const struct flame_node *n = &s.nodes[i];

		assert_int_equal(frames[i].depth, n->depth);
		assert_string_equal(names[frames[i].function],
				    s.functions[n->function].name.ptr);
		for (int side = 0; side < 2; side++) {
			assert_int_equal(frames[i].self[side],
					 n->values[side].self);
			assert_int_equal(frames[i].total[side],
					 n->values[side].total);
			assert_int_equal(frames[i].left_out[side], 0);
		}
	}
	/* Values of both sides come in 10 ms: 1,000 samples, divided by 10. */
	assert_int_equal(json_integer_value(json_array_get(
				 json_object_get(data, "divisor"), 0)),
			 100000000);
	json_decref(data);
	buf_release(&section);
}

static void test_functions_read_back(void **state)
{
	char names[16][256], files[16][256];
	const char *file, *line, *kind, *language, *change;
	int64_t place = 0;
	struct sample s;
	struct buf section;
	bool is_packed;
	json_t *data;
	(void)state;

	sample_diff(&s);
	sample_flame(&s);
	write_section(&s, &section);
	data = data_of(&section, &is_packed);
	read_names(data, "names", "name_shared", names);
	read_names(data, "files", "file_shared", files);
	file = column(data, "file");
	line = column(data, "line");
	kind = column(data, "kind");
	language = column(data, "language");
	change = column(data, "change");
	assert_int_equal(json_array_size(json_object_get(data, "names")), 8);
	for (size_t i = 0; i < 8; i++) {
		const struct flame_function *fn = s.functions;
		uint64_t step = next(&file);

		place +=
			step & 1 ? -(int64_t)(step + 1) / 2 : (int64_t)step / 2;
		while (strcmp(fn->name.ptr, names[i]))
			fn++;
		assert_int_equal(next(&line), fn->line);
		assert_int_equal(next(&kind), fn->kind);
		assert_int_equal(next(&language), fn->language);
		assert_int_equal(next(&change),
				 fn->change | (fn->is_to_blame ? 8 : 0));
		assert_int_equal(place != 0, fn->file.len != 0);
		if (place)
			assert_string_equal(files[place - 1], fn->file.ptr);
	}
	json_decref(data);
	buf_release(&section);
}

static int64_t signed_next(const char **at)
{
	uint64_t word = next(at);

	return word & 1 ? -(int64_t)(word + 1) / 2 : (int64_t)word / 2;
}

/* What the table says of them, to the last unit: with stacks of negative
 * values it is no multiple of what frames have. */
static void test_values_read_back(void **state)
{
	static const char *const keys[2][2] = {
		{ "function_after", "measured_after" },
		{ "function_before", "measured_before" },
	};
	char names[16][256];
	struct sample s;
	struct buf section;
	bool is_packed;
	json_t *data;
	(void)state;

	sample_diff(&s);
	sample_flame(&s);
	s.functions[3].totals[FLAME_SLOW] = 7;
	s.functions[3].self_lib[FLAME_BASELINE] = -3;
	write_section(&s, &section);
	data = data_of(&section, &is_packed);
	read_names(data, "names", "name_shared", names);
	assert_string_equal(json_string_value(json_object_get(data, "measure")),
			    "self+lib");
	for (int side = 0; side < 2; side++) {
		int64_t divisor = json_integer_value(json_array_get(
			json_object_get(data, "divisor"), (size_t)side));
		const char *total = column(data, keys[side][0]);
		const char *own = column(data, keys[side][1]);

		for (size_t i = 0; i < 8; i++) {
			const struct flame_function *fn = s.functions;

			while (strcmp(fn->name.ptr, names[i]))
				fn++;
			assert_int_equal(signed_next(&total) * divisor,
					 fn->totals[side]);
			assert_int_equal(signed_next(&own) * divisor,
					 fn->self_lib[side]);
		}
	}
	json_decref(data);
	buf_release(&section);
}

/* Of 1,000: what is narrower than 5 % is left out, and its callers say so. */
static void test_narrow_frames_left_out(void **state)
{
	struct read_frame frames[16];
	struct sample s;
	struct buf section;
	bool is_packed;
	json_t *data;
	size_t count;
	(void)state;

	sample_diff(&s);
	sample_flame(&s);
	s.picture.width_px = 1000;
	s.picture.min_width_cpx = 5001;
	write_section(&s, &section);
	data = data_of(&section, &is_packed);
	count = read_frames(data, frames, 16);
	add_totals(frames, count);
	/* Without do_syscall_64 of 40 in the slow side's 1,000. */
	assert_int_equal(count, 8);
	assert_int_equal(frames[5].left_out[0], 40 * 10000000);
	assert_int_equal(frames[5].total[0], 200 * 10000000);
	assert_int_equal(frames[0].total[1], 1000LL * 50000000);
	assert_int_equal(json_integer_value(json_object_get(data, "left_out")),
			 1);
	json_decref(data);
	buf_release(&section);
	/* At 4 % exactly it stays. */
	s.picture.min_width_cpx = 4000;
	write_section(&s, &section);
	data = data_of(&section, &is_packed);
	assert_int_equal(read_frames(data, frames, 16), 9);
	json_decref(data);
	buf_release(&section);
}

static void test_nothing_to_draw(void **state)
{
	struct sample s;
	struct buf section;
	(void)state;

	sample_diff(&s);
	write_section(&s, &section);
	assert_int_equal(section.len, 0);
	sample_flame(&s);
	memset(s.nodes[0].values, 0, sizeof s.nodes[0].values);
	write_section(&s, &section);
	assert_int_equal(section.len, 0);
	/* Only the baseline has a width. */
	s.nodes[0].values[FLAME_BASELINE].total = 1;
	write_section(&s, &section);
	assert_true(section.len > 0);
	buf_release(&section);
}

static void test_without_baseline(void **state)
{
	struct sample s;
	struct buf section;
	(void)state;

	sample_profile(&s);
	sample_flame(&s);
	write_section(&s, &section);
	*strstr(section.data, "<script") = '\0';
	assert_null(strstr(section.data, "before"));
	assert_null(strstr(section.data, "id=\"flame-show\""));
	assert_non_null(
		strstr(section.data, "<option value=\"kind\" selected>"));
	buf_release(&section);
}

static void check_hostile(struct str text)
{
	struct sample s;
	struct buf section;
	bool is_packed;

	sample_diff(&s);
	sample_flame(&s);
	sample_poison(&s, text);
	write_section(&s, &section);
	assert_int_equal(count_of(section.data, "<script"), 1);
	assert_int_equal(count_of(section.data, "</script"), 1);
	assert_int_equal(count_of(section.data, "<section"), 1);
	assert_int_equal(count_of(section.data, " style="), 0);
	assert_int_equal(count_of(section.data, " onerror="), 0);
	json_decref(data_of(&section, &is_packed));
	buf_release(&section);
}

static void test_hostile_names(void **state)
{
	(void)state;
	check_hostile(sample_hostile());
	check_hostile(STR("</script><script>alert(1)</script><!--"));
	check_hostile(STR("\"><image href=x onerror\t=alert(1)>"));
	check_hostile(STR("]]>&lt;section&gt;\xe2\x80\xa8"));
	check_hostile(STR(""));
}

/* ---- large ones ---- */

/* A root with as many callees, one sample each; the last with `more`. */
static void wide_flame(struct sample *s, uint32_t count, int64_t more)
{
	struct flame_node *nodes = calloc(count + 1, sizeof *nodes);

	assert_non_null(nodes);
	for (uint32_t i = 1; i <= count; i++)
		nodes[i] = (struct flame_node){
			.function = 1 + i % 7,
			.depth = 1,
			.end = i + 1,
			.values = { { 1, 1 }, { 0, 0 } },
		};
	nodes[count].values[0].self += more;
	nodes[count].values[0].total += more;
	nodes[0].parent = FLAME_NONE;
	nodes[0].end = count + 1;
	nodes[0].values[0].total = count + more;
	s->flame.nodes = nodes;
	s->flame.node_count = count + 1;
	s->picture.min_width_cpx = 0;
}

static uint32_t wide_frame_count(uint32_t count, bool *is_packed)
{
	static struct read_frame frames[LIMIT_PAGE_FRAMES];
	struct sample s;
	struct buf section;
	json_t *data;
	size_t kept;

	sample_profile(&s);
	sample_flame(&s);
	wide_flame(&s, count, 5);
	write_section(&s, &section);
	data = data_of(&section, is_packed);
	kept = read_frames(data, frames, LIMIT_PAGE_FRAMES);
	assert_int_equal(kept + (size_t)json_integer_value(
					json_object_get(data, "left_out")),
			 count + 1);
	for (size_t i = 1; i < kept; i++)
		frames[0].left_out[0] += frames[i].self[0];
	assert_int_equal(frames[0].left_out[0], count + 5);
	/* The picture keeps to far fewer. */
	assert_true(count_of(section.data, "<g>") <= 300);
	json_decref(data);
	buf_release(&section);
	free(s.flame.nodes);
	return (uint32_t)kept;
}

static void test_as_many_as_a_page_holds(void **state)
{
	bool is_packed;
	(void)state;

	assert_int_equal(wide_frame_count(100, &is_packed), 101);
	assert_false(is_packed);
	assert_int_equal(wide_frame_count(LIMIT_PAGE_FRAMES - 1, &is_packed),
			 LIMIT_PAGE_FRAMES);
	assert_true(is_packed);
	/* One more, all of one width but the last: only that one is wider. */
	assert_int_equal(wide_frame_count(LIMIT_PAGE_FRAMES, &is_packed), 2);
}

/* A stack of 100 frames: the path as text ends after 40. */
static void test_path_is_bounded(void **state)
{
	struct flame_node nodes[101];
	struct sample s;
	struct buf section;
	(void)state;

	sample_profile(&s);
	sample_flame(&s);
	for (uint32_t i = 0; i < 101; i++)
		nodes[i] = (struct flame_node){
			.function = i ? 1 + i % 7 : 0,
			.parent = i ? i - 1 : FLAME_NONE,
			.depth = i,
			.end = 101,
			.values = { { i == 100 ? 8 : 0, 8 } },
		};
	s.flame.nodes = nodes;
	s.flame.node_count = 101;
	write_section(&s, &section);
	assert_int_equal(count_of(section.data, "<ol>"), 40);
	assert_int_equal(count_of(section.data, "</ol>"), 40);
	assert_non_null(strstr(section.data, "and 60 deeper"));
	buf_release(&section);
}

UNIT_TESTS(html_flame)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_read_back),
		cmocka_unit_test(test_functions_read_back),
		cmocka_unit_test(test_values_read_back),
		cmocka_unit_test(test_narrow_frames_left_out),
		cmocka_unit_test(test_nothing_to_draw),
		cmocka_unit_test(test_without_baseline),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_as_many_as_a_page_holds),
		cmocka_unit_test(test_path_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
