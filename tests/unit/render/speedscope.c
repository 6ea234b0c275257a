/* SPDX-License-Identifier: Apache-2.0
 *
 * What a speedscope file holds, read by another reader of JSON and held
 * against the constraints of the format's specification.
 */
#include "../unit.h"
#include "../analyze/profile_making.h"

#include <jansson.h>

#include "../starving.h"
#include "render/render.h"

static void render(const struct render_input *in, struct buf *text)
{
	struct out out;

	buf_init(text, MIB);
	out_init_memory(&out, text);
	render_find(STR("speedscope"))->render(in, &out);
}

static json_t *load(const struct render_input *in)
{
	struct buf text;
	json_error_t error;
	json_t *root;

	render(in, &text);
	assert_int_equal(text.state, BUF_OK);
	root = json_loadb(buf_text(&text), text.len, JSON_REJECT_DUPLICATES,
			  &error);
	if (!root)
		fail_msg("%s", error.text);
	buf_release(&text);
	return root;
}

static const char *text_at(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

/* ---- the specification ---- */

static void check_frame(json_t *frame)
{
	const char *key;
	json_t *value;

	assert_true(*text_at(frame, "name") != '\0');
	json_object_foreach(frame, key, value)
		assert_true(!strcmp(key, "name") || !strcmp(key, "file"));
}

static bool is_unit(const char *unit)
{
	static const char *const units[] = { "none",         "nanoseconds",
					     "microseconds", "milliseconds",
					     "seconds",      "bytes" };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(unit, units[i]))
			return true;
	return false;
}

/* Weights as many as samples and above zero, frames that are there, an end
 * that is the sum. Returns that. */
static json_int_t check_profile(json_t *p, size_t frame_count)
{
	json_t *samples = json_object_get(p, "samples");
	json_t *weights = json_object_get(p, "weights");
	json_int_t sum = 0;

	assert_int_equal(json_object_size(p), 7);
	assert_string_equal(text_at(p, "type"), "sampled");
	assert_true(*text_at(p, "name") != '\0');
	assert_true(is_unit(text_at(p, "unit")));
	assert_int_equal(json_array_size(samples), json_array_size(weights));
	for (size_t i = 0; i < json_array_size(samples); i++) {
		json_t *stack = json_array_get(samples, i);
		json_int_t weight =
			json_integer_value(json_array_get(weights, i));

		assert_true(weight > 0);
		sum += weight;
		for (size_t k = 0; k < json_array_size(stack); k++) {
			json_t *frame = json_array_get(stack, k);

			assert_true(json_is_integer(frame));
			assert_in_range(json_integer_value(frame), 0,
					frame_count - 1);
		}
	}
	assert_int_equal(json_integer_value(json_object_get(p, "startValue")),
			 0);
	assert_int_equal(json_integer_value(json_object_get(p, "endValue")),
			 sum);
	return sum;
}

static json_t *check_file(json_t *root, size_t profile_count)
{
	json_t *frames =
		json_object_get(json_object_get(root, "shared"), "frames");
	json_t *profiles = json_object_get(root, "profiles");

	assert_string_equal(
		text_at(root, "$schema"),
		"https://www.speedscope.app/file-format-schema.json");
	assert_int_equal(json_object_size(root), 5);
	assert_true(str_starts(str_from(text_at(root, "exporter")),
			       STR("tracefind@")));
	for (size_t i = 0; i < json_array_size(frames); i++)
		check_frame(json_array_get(frames, i));
	assert_int_equal(json_array_size(profiles), profile_count);
	assert_int_equal(
		json_integer_value(json_object_get(root, "activeProfileIndex")),
		profile_count - 1);
	for (size_t i = 0; i < profile_count; i++)
		check_profile(json_array_get(profiles, i),
			      json_array_size(frames));
	return profiles;
}

/* ---- what is in it ---- */

static void check_unit(const char *unit, const char *wanted)
{
	static const struct result r = { .command = "profile" };
	struct render_input in = { .result = &r };
	struct profile p;
	json_t *root;

	make_profile(&p, "x", unit, 0, "a 1\n");
	in.profile = &p;
	root = load(&in);
	assert_string_equal(
		text_at(json_array_get(check_file(root, 1), 0), "unit"),
		wanted);
	json_decref(root);
	profile_release(&p);
}

static void test_units(void **state)
{
	(void)state;
	check_unit("nanoseconds", "nanoseconds");
	check_unit("seconds", "seconds");
	check_unit("bytes", "bytes");
	check_unit("count", "none");
	check_unit("goroutines", "none");
}

static void fill(struct result *r, struct render_input *in,
		 struct profile *slow, struct profile *base)
{
	*r = (struct result){
		.command = "diff",
		.has_baseline = true,
		.profile = { .selector = STR("</script>{a=\"b\"}") },
		.baseline = { .kind = STR("1d"),
			      .range = { 1000000000, 2000000000 } },
	};
	make_profile(slow, "cpu", "nanoseconds", 1,
		     "main@m.go:7;work@w.go:12;work@w.go:3 20\n"
		     "main@m.go:8;work@x.go:14 30\n");
	make_profile(base, "cpu", "nanoseconds", 1,
		     "old@o.go:7;work@w.go:12 4\nmain@m.go:1 5\n");
	*in = (struct render_input){ .result = r,
				     .profile = slow,
				     .baseline = base };
}

/* A function of two lines is one frame, of two files it is two. */
static void test_diff(void **state)
{
	struct result r;
	struct render_input in;
	struct profile slow, base;
	json_t *root, *profiles;

	(void)state;
	fill(&r, &in, &slow, &base);
	root = load(&in);
	profiles = check_file(root, 2);
	assert_int_equal(json_array_size(json_object_get(
				 json_object_get(root, "shared"), "frames")),
			 4);
	assert_string_equal(text_at(json_array_get(profiles, 0), "name"),
			    "before: cpu 1d 1970-01-01T00:00:01.000000000Z.."
			    "1970-01-01T00:00:02.000000000Z");
	assert_string_equal(text_at(json_array_get(profiles, 1), "name"),
			    "after: cpu </script>{a=\"b\"}");
	assert_int_equal(check_profile(json_array_get(profiles, 0), 4), 9);
	assert_int_equal(check_profile(json_array_get(profiles, 1), 4), 50);
	json_decref(root);
	profile_release(&slow);
	profile_release(&base);
}

/* Every single allocation fails once: nothing passes for whole. */
static void test_memory(void **state)
{
	struct result r;
	struct render_input in;
	struct profile slow, base;
	bool has_failed = true;

	(void)state;
	fill(&r, &in, &slow, &base);
	for (long n = 0; has_failed; n++) {
		struct buf text;

		starve_once_after(n);
		render(&in, &text);
		has_failed = stop_starving();
		assert_int_equal(has_failed, text.state != BUF_OK);
		buf_release(&text);
	}
	profile_release(&slow);
	profile_release(&base);
}

UNIT_TESTS(speedscope)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
