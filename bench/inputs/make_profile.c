/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/map.h"
#include "base/wirew.h"
#include "make_stacks.h"
#include "random.h"

/* As in profile.proto of pprof. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
};

#define START_NS 1700000000000000000u
#define HOUR_NS 3600000000000u
#define DURATION_NS 30000000000u
#define PERIOD_NS 10000000u

struct writer {
	struct stacks stacks;
	struct arena arena;
	struct map texts; /* text -> index in the table */
	struct buf table; /* the strings, as fields of the profile */
	struct buf message, part;
	uint32_t text_count;
	uint32_t *function_ids, *location_ids;
};

/* Ids 1..count, in another order on the later side. */
static uint32_t *make_ids(struct writer *w, uint32_t count)
{
	uint32_t *ids = arena_array(&w->arena, count, sizeof *ids);
	uint64_t random = count;

	for (uint32_t i = 0; ids && i < count; i++)
		ids[i] = i + 1;
	for (uint32_t i = count; ids && w->stacks.shape->is_later && i > 1;
	     i--) {
		uint32_t at = random_below(&random, i);
		uint32_t id = ids[at];

		ids[at] = ids[i - 1];
		ids[i - 1] = id;
	}
	return ids;
}

static uint32_t intern(struct writer *w, const char *text)
{
	struct str copy = arena_str(&w->arena, str_from(text));
	uint32_t index = 0;

	if (!copy.ptr || !map_insert(&w->texts, copy, w->text_count, &index))
		return 0;
	if (index == w->text_count) {
		w->text_count++;
		wirew_str(&w->table, PROFILE_STRING, str_from(text));
	}
	return index;
}

static void put_type(struct writer *w, unsigned field, const char *type,
		     const char *unit, struct buf *out)
{
	buf_clear(&w->message);
	wirew_varint(&w->message, 1, intern(w, type));
	wirew_varint(&w->message, 2, intern(w, unit));
	wirew_str(out, field, buf_str(&w->message));
}

static void put_sample(struct writer *w, struct buf *out)
{
	const struct stacks *s = &w->stacks;

	buf_clear(&w->message);
	buf_clear(&w->part);
	for (uint32_t n = s->node; n; n = s->nodes[n].caller)
		wirew_element(&w->part, w->location_ids[s->nodes[n].place]);
	wirew_str(&w->message, 1, buf_str(&w->part));
	buf_clear(&w->part);
	wirew_element(&w->part, s->count);
	wirew_element(&w->part, s->cpu_ns);
	wirew_str(&w->message, 2, buf_str(&w->part));
	wirew_str(out, PROFILE_SAMPLE, buf_str(&w->message));
}

static void put_mapping(struct writer *w, uint32_t id, uint64_t start,
			const char *file, struct buf *out)
{
	buf_clear(&w->message);
	wirew_varint(&w->message, 1, id);
	wirew_varint(&w->message, 2, start);
	wirew_varint(&w->message, 3, start + 0x800000);
	wirew_varint(&w->message, 5, intern(w, file));
	wirew_varint(&w->message, 7, 1); /* functions are known */
	wirew_str(out, PROFILE_MAPPING, buf_str(&w->message));
}

static void put_line(struct writer *w, uint32_t function, uint32_t line)
{
	buf_clear(&w->part);
	wirew_varint(&w->part, 1, w->function_ids[function]);
	wirew_varint(&w->part, 2, line);
	wirew_str(&w->message, 4, buf_str(&w->part));
}

static void put_location(struct writer *w, uint32_t i, struct buf *out)
{
	const struct place *p = &w->stacks.places[i];

	buf_clear(&w->message);
	wirew_varint(&w->message, 1, w->location_ids[i]);
	wirew_varint(&w->message, 2, 1);
	wirew_varint(&w->message, 3, 0x400000 + (uint64_t)i * 37);
	if (p->inlined != NO_FUNCTION)
		put_line(w, p->inlined, p->line / 2 + 1);
	put_line(w, p->function, p->line);
	wirew_str(out, PROFILE_LOCATION, buf_str(&w->message));
}

static void put_function(struct writer *w, uint32_t f, struct buf *out)
{
	char name[NAME_BYTES], file[NAME_BYTES];
	uint32_t index;

	made_name(w->stacks.shape, f, name);
	made_file(f, name, file);
	index = intern(w, name);
	buf_clear(&w->message);
	wirew_varint(&w->message, 1, w->function_ids[f]);
	wirew_varint(&w->message, 2, index);
	wirew_varint(&w->message, 3, index);
	wirew_varint(&w->message, 4, intern(w, file));
	wirew_varint(&w->message, 5, f % 900 + 1);
	wirew_str(out, PROFILE_FUNCTION, buf_str(&w->message));
}

static void put_all(struct writer *w, struct buf *out)
{
	const struct profile_shape *shape = w->stacks.shape;

	put_type(w, PROFILE_SAMPLE_TYPE, "samples", "count", out);
	put_type(w, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds", out);
	while (stacks_next(&w->stacks))
		if (w->stacks.count)
			put_sample(w, out);
	put_mapping(w, 1, 0x400000, "/usr/local/bin/shopd", out);
	put_mapping(w, 2, 0x7f0000000000u, "/usr/lib/libc.so.6", out);
	for (uint32_t i = 0; i < shape->locations; i++)
		put_location(w, i, out);
	for (uint32_t f = 0; f < shape->functions; f++)
		put_function(w, f, out);
	put_type(w, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds", out);
	wirew_varint(out, PROFILE_PERIOD, PERIOD_NS);
	buf_add_str(out, buf_str(&w->table));
	wirew_varint(out, PROFILE_TIME_NS,
		     START_NS + (shape->is_later ? HOUR_NS : 0));
	wirew_varint(out, PROFILE_DURATION_NS, DURATION_NS);
}

bool make_pprof(const struct profile_shape *shape, struct buf *out)
{
	struct writer w = { 0 };
	bool done = stacks_init(&w.stacks, shape);

	arena_init(&w.arena, MADE_BYTES);
	map_init(&w.texts, &w.arena);
	buf_init(&w.table, MADE_BYTES);
	buf_init(&w.message, MADE_BYTES);
	buf_init(&w.part, MADE_BYTES);
	w.function_ids = make_ids(&w, shape->functions);
	w.location_ids = make_ids(&w, shape->locations);
	done = done && w.function_ids && w.location_ids;
	if (done) {
		intern(&w, "");
		put_all(&w, out);
	}
	done = done && w.stacks.made >= shape->stacks && !w.table.state;
	buf_release(&w.table);
	buf_release(&w.message);
	buf_release(&w.part);
	arena_release(&w.arena);
	stacks_release(&w.stacks);
	return done;
}

/* ---- folded ---- */

/* The separator is data, too. */
static void add_name(const struct stacks *s, uint32_t f, struct buf *out)
{
	char name[NAME_BYTES];

	made_name(s->shape, f, name);
	for (char *c = strchr(name, ';'); c; c = strchr(c, ';'))
		*c = ':';
	buf_add_text(out, name);
}

static void put_stack(const struct stacks *s, uint32_t *path, struct buf *out)
{
	uint32_t depth = 0;

	for (uint32_t n = s->node; n; n = s->nodes[n].caller)
		path[depth++] = s->nodes[n].place;
	for (uint32_t i = depth; i-- > 0;) {
		const struct place *p = &s->places[path[i]];

		add_name(s, p->function, out);
		if (p->inlined != NO_FUNCTION) {
			buf_add_char(out, ';');
			add_name(s, p->inlined, out);
		}
		buf_add_char(out, i ? ';' : ' ');
	}
	buf_addf(out, "%llu\n", (unsigned long long)s->count);
}

bool make_folded(const struct profile_shape *shape, struct buf *out)
{
	struct stacks s;
	bool done = stacks_init(&s, shape);
	uint32_t frames = shape->kind == STACKS_ONE ? shape->stacks
						    : shape->depth * 3 + 2;
	uint32_t *path = arena_array(&s.arena, frames, sizeof *path);

	while (done && path && stacks_next(&s))
		if (s.count)
			put_stack(&s, path, out);
	done = done && path && s.made >= shape->stacks;
	stacks_release(&s);
	return done;
}
