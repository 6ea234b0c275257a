/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles for the tests, written as text: one stack a line, root first, and
 * its value: "main;store.Find@user.go:88;malloc 12". A file may follow a name
 * after '@', a line after the last ':', a column, below 10, after '^'.
 */
#ifndef PROFILE_MAKING_H
#define PROFILE_MAKING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "model/profile.h"
#include "model/result.h"

static struct error err;

#define assert_ok(call)                                                        \
	do {                                                                   \
		error_clear(&err);                                             \
		if (!(call))                                                   \
			fail_msg("%s", err.message);                           \
	} while (0)

static inline uint32_t make_frame(struct profile_build *b, struct str text)
{
	struct str name = text, file = { "", 0 };
	size_t at = str_find(text, STR("@"));
	struct whole_frame place = { .detail.column = 0 };
	uint64_t line = 0;
	uint32_t frame;

	if (text.len > 2 && text.ptr[text.len - 2] == '^') {
		place.detail.column = (uint32_t)(text.ptr[text.len - 1] - '0');
		name = text = str_slice(text, 0, text.len - 2);
	}
	if (at != SIZE_MAX) {
		size_t colon;

		name = str_slice(text, 0, at);
		file = str_slice(text, at + 1, text.len);
		colon = str_find(file, STR(":"));
		if (colon != SIZE_MAX) {
			assert_true(parse_u64(
				str_slice(file, colon + 1, file.len), &line));
			file = str_slice(file, 0, colon);
		}
	}
	assert_ok(profile_build_function(b, name, file, &place.frame.function,
					 &err));
	place.frame.line = (uint32_t)line;
	assert_ok(profile_build_place(b, &place, &frame, &err));
	return frame;
}

static inline void make_stack(struct profile_build *b, struct str line)
{
	uint32_t frames[64], count = 0;
	size_t blank = line.len;
	int64_t value;

	while (line.ptr[--blank] != ' ')
		;
	assert_true(parse_i64(str_slice(line, blank + 1, line.len), &value));
	line.len = blank;
	while (line.len) {
		size_t end = str_find(line, STR(";"));
		struct str frame = str_slice(line, 0, end);

		assert_true(count < 64);
		frames[count++] = make_frame(b, frame);
		line = str_slice(line, frame.len + 1, line.len);
	}
	assert_ok(profile_build_stack(b, frames, count, value, &err));
}

/* period 0: values are no samples. */
static inline void make_profile(struct profile *p, const char *type,
				const char *unit, int64_t period,
				const char *text)
{
	struct profile_build *b;
	static struct notes notes;
	struct str rest = str_from(text);

	profile_init(p);
	notes_init(&notes);
	b = profile_build_new(p, &err);
	assert_non_null(b);
	assert_ok(profile_build_type(b, str_from(type), str_from(unit), &err));
	while (rest.len) {
		size_t end = str_find(rest, STR("\n"));
		struct str line = str_slice(rest, 0, end);

		if (line.len)
			make_stack(b, line);
		rest = str_slice(rest, line.len + 1, rest.len);
	}
	assert_ok(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
	p->period = period;
	p->sample_count = period ? p->total / period : -1;
}

/* One sample is one unit of 10 ms. */
#define TEN_MS 10000000

static inline void make_cpu_profile(struct profile *p, const char *text)
{
	make_profile(p, "samples", "count", 1, text);
}

#endif
