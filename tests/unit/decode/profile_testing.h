/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of profile decoders share: reading fixtures, flat and cum
 * computed from the model, comparison with the recorded figures.
 */
#ifndef PROFILE_TESTING_H
#define PROFILE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "../starving.h"
#include "base/gz.h"
#include "base/num.h"
#include "decode/decode.h"
#include "decode/formats.h"

static struct error err;

/* Fails the test with the decoder's own words. */
#define assert_decoded(call)                                                   \
	do {                                                                   \
		error_clear(&err);                                             \
		if (!(call))                                                   \
			fail_msg("%s", err.message);                           \
	} while (0)

#define assert_refused(call, error_code, part)                                 \
	do {                                                                   \
		error_clear(&err);                                             \
		assert_false(call);                                            \
		assert_int_equal(err.code, error_code);                        \
		if (!strstr(err.message, part))                                \
			fail_msg("\"%s\" lacks \"%s\"", err.message, part);    \
	} while (0)

static inline void read_fixture(const char *path, struct buf *out)
{
	char name[512];
	char chunk[4096];
	size_t len;
	struct buf packed;
	FILE *file;

	snprintf(name, sizeof name, "%s/%s", getenv("TESTDATA"), path);
	file = fopen(name, "rb");
	if (!file)
		fail_msg("cannot open %s", name);
	buf_init(&packed, 64 * MIB);
	buf_init(out, 64 * MIB);
	while ((len = fread(chunk, 1, sizeof chunk, file)) > 0)
		buf_add(&packed, chunk, len);
	fclose(file);
	if (gz_is(buf_str(&packed)))
		assert_true(gz_inflate(buf_str(&packed), path, out, &err));
	else
		buf_add_str(out, buf_str(&packed));
	assert_true(buf_check(out, path, &err));
	buf_release(&packed);
}

/* flat and cum by name, indexed by the name's symbol. */
struct figures {
	int64_t *flat;
	int64_t *cum;
	uint32_t *seen; /* 1 + the stack that counted last */
};

static inline uint32_t name_of(const struct profile *p, uint32_t frame)
{
	return p->functions[p->frames[frame].function].name;
}

static inline void figures_init(struct figures *f, const struct profile *p)
{
	size_t count = symtab_count(&p->symtab);

	f->flat = calloc(count, sizeof *f->flat);
	f->cum = calloc(count, sizeof *f->cum);
	f->seen = calloc(count, sizeof *f->seen);
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		const uint32_t *ids = &p->frame_ids[s->frame_first];
		uint32_t leaf = name_of(p, ids[s->frame_count - 1]);

		f->flat[leaf] = sat_add_i64(f->flat[leaf], s->value);
		for (uint32_t k = 0; k < s->frame_count; k++) {
			uint32_t name = name_of(p, ids[k]);

			if (f->seen[name] == i + 1)
				continue;
			f->seen[name] = i + 1;
			f->cum[name] = sat_add_i64(f->cum[name], s->value);
		}
	}
}

static inline void figures_release(struct figures *f)
{
	free(f->flat);
	free(f->cum);
	free(f->seen);
}

/* Frames without symbols are told by offset here, by address there. */
static inline const char *our_name(const char *recorded)
{
	static const char *const names[][2] = {
		{ "@/usr/lib/libfoo.so.1+0x401234", "[libfoo.so.1+0x1234]" },
		{ "@[vdso]+0x7ffc00001000", "[vdso+0x7ffc00001000]" },
		{ "@/usr/lib/libssl.so.3+0x41f2c0", "[libssl.so.3+0x1f2c0]" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(recorded, names[i][0]))
			return names[i][1];
	return recorded;
}

/* What a script can say exactly and int64 cannot is capped. */
static inline int64_t capped(const json_t *value)
{
	double number = json_number_value(value);

	return number >= 9223372036854775807.0 ? INT64_MAX : (int64_t)number;
}

static inline void assert_figures(const struct profile *p,
				  const int64_t *figures, json_t *expected,
				  const char *nameless)
{
	const char *name;
	json_t *value;
	size_t named = 0;

	json_object_foreach(expected, name, value)
	{
		uint32_t id =
			symtab_find(&p->symtab, str_from(*name ? our_name(name)
							       : nameless));

		if (id == TEXT_NONE || figures[id] != capped(value))
			fail_msg("\"%s\": %lld, expected %lld", name,
				 id == TEXT_NONE ? -1LL
						 : (long long)figures[id],
				 (long long)capped(value));
		named++;
	}
	for (size_t i = 0; i < symtab_count(&p->symtab); i++)
		named -= figures[i] != 0;
	assert_int_equal(named, 0);
}

/* Total, flat and cum of an entry of expected.json; nameless is what a
 * function without a name is called. */
static inline void assert_expected(const struct profile *p, json_t *entry,
				   const char *nameless)
{
	struct figures f;

	assert_true(profile_check(p, &err));
	assert_int_equal(p->total, capped(json_object_get(entry, "total")));
	if (!json_object_get(entry, "flat"))
		return;
	figures_init(&f, p);
	assert_figures(p, f.flat, json_object_get(entry, "flat"), nameless);
	assert_figures(p, f.cum, json_object_get(entry, "cum"), nameless);
	figures_release(&f);
}

static inline json_t *read_expected(void)
{
	struct buf text;
	json_t *root;

	read_fixture("pyroscope/expected.json", &text);
	root = json_loadb(text.data, text.len, JSON_DECODE_INT_AS_REAL, NULL);
	assert_non_null(root);
	buf_release(&text);
	return root;
}

static inline bool entry_is(json_t *entry, const char *key, const char *value)
{
	const char *text = json_string_value(json_object_get(entry, key));

	return text && !strcmp(text, value);
}

static inline void read_body(const char *name, json_t *entry, struct buf *body)
{
	char path[256];

	snprintf(path, sizeof path, "pyroscope/%s/%s", name,
		 json_string_value(json_object_get(entry, "body")));
	read_fixture(path, body);
}

static inline struct profile_want want_of(const char *type)
{
	return (struct profile_want){ .type = str_from(type) };
}

/* "main;work 12" lines of the whole profile, in its own order. */
static inline void print_folded(const struct profile *p, struct buf *out)
{
	buf_init(out, 64 * MIB);
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		for (uint32_t k = 0; k < s->frame_count; k++) {
			uint32_t id = p->frame_ids[s->frame_first + k];

			if (k)
				buf_add_char(out, ';');
			buf_add_str(out, profile_text(p, name_of(p, id)));
		}
		buf_addf(out, " %lld\n", (long long)s->value);
	}
}

static inline void assert_folded(const struct profile *p, const char *expected)
{
	struct buf text;

	print_folded(p, &text);
	assert_string_equal(buf_text(&text), expected);
	buf_release(&text);
}

/* Each allocation fails once: told as lack of memory, nothing left behind. */
static inline void assert_survives_starvation(profile_decoder *decode,
					      struct str bytes)
{
	struct profile_want want = want_of("");
	struct notes notes;
	bool is_done = false;

	notes_init(&notes);
	for (int n = 0; !is_done; n++) {
		struct profile p;

		assert_true(n < 10000);
		profile_init(&p);
		error_clear(&err);
		starve_after(n);
		is_done = decode(bytes, &want, &p, &notes, &err);
		stop_starving();
		if (!is_done)
			assert_int_equal(err.code, ERROR_MEMORY);
		profile_release(&p);
	}
}

#endif
