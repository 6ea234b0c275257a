/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/case_args.h"

#include <string.h>

/* Options that stay out, with and without a side's prefix; all take a value.
 * Kept apart from the option table, since this list is about safety: what is
 * not certain to be harmless is dropped. */
static const char *const dropped[] = {
	"header",     "password-file", "token-file", "username", "cacert",
	"cert",	      "key",	       "proxy",	     "record",	 "replay",
};

static bool is_dropped(struct str name)
{
	static const struct str sides[] = { STR("traces-"), STR("profiles-") };

	for (size_t i = 0; i < 2; i++)
		if (str_starts(name, sides[i]))
			name = str_slice(name, sides[i].len, name.len);
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (str_equal(name, str_from(dropped[i])))
			return true;
	return false;
}

static bool names_file(struct str format)
{
	return str_find(format, STR("=")) != SIZE_MAX;
}

/* How many arguments, from this one on, to leave out. */
static size_t dropped_count(const char *arg, const char *next)
{
	struct str text = str_from(arg), name;
	size_t equals = str_find(text, STR("="));
	bool is_output = str_equal(text, STR("-o")) ||
			 str_equal(text, STR("--output"));

	if (is_output)
		return next && names_file(str_from(next)) ? 2 : 0;
	if (str_starts(text, STR("--output=")))
		return names_file(str_slice(text, 9, text.len)) ? 1 : 0;
	if (str_starts(text, STR("--"))) {
		name = str_slice(text, 2,
				 equals == SIZE_MAX ? text.len : equals - 2);
		if (!is_dropped(name))
			return 0;
		return equals == SIZE_MAX ? 2 : 1;
	}
	if (text.len > 1 && text.ptr[0] == '-') {
		if (memchr(text.ptr, 'H', text.len))
			return text.ptr[text.len - 1] == 'H' ? 2 : 1;
		if (memchr(text.ptr, 'o', text.len) && names_file(text))
			return 1;
	}
	return 0;
}

bool case_args_filter(size_t argc, const char *const *argv,
		      struct arena *arena, const char ***kept,
		      size_t *kept_count, struct error *err)
{
	*kept_count = 0;
	*kept = arena_array(arena, argc + 1, sizeof **kept);
	if (!*kept)
		return arena_fail(arena, "the arguments", err);
	for (size_t i = 0; i < argc;) {
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;
		size_t skip = dropped_count(argv[i], next);

		if (skip) {
			i += skip;
			continue;
		}
		(*kept)[(*kept_count)++] = argv[i++];
	}
	return true;
}

bool case_args_record(struct har *har, int64_t now_ns, const struct options *o,
		      struct error *err)
{
	struct arena arena;
	const char **kept;
	size_t count;
	bool done;

	arena_init(&arena, LIMIT_OPTION_VALUE_BYTES * LIMIT_HEADERS);
	done = case_args_filter(o->raw_count, o->raw_args, &arena, &kept,
				&count, err);
	if (done)
		har_set_run(har, now_ns, (int)count, kept);
	arena_release(&arena);
	return done;
}
