/* SPDX-License-Identifier: Apache-2.0 */
#include "model/symtab.h"

#define WHAT "the names and values"

/* The arena holds the copy before the map sees it: map keys are borrowed. */
static bool append(struct symtab *t, struct str text, uint32_t hash,
		   uint32_t *id, struct error *err)
{
	void *texts = t->texts;
	struct str copy;
	uint32_t stored;

	if (t->count >= MAP_NONE)
		return error_set(err, ERROR_LIMIT,
				 "more than %u distinct names and values",
				 MAP_NONE);
	if (!arena_reserve(t->arena, &texts, &t->cap, t->count + 1,
			   sizeof *t->texts))
		return arena_fail(t->arena, WHAT, err);
	t->texts = texts;
	copy = arena_str(t->arena, text);
	if (!copy.ptr ||
	    (!t->is_settled && !map_insert_hashed(&t->map, copy, hash,
						  (uint32_t)t->count, &stored)))
		return arena_fail(t->arena, WHAT, err);
	*id = (uint32_t)t->count;
	t->texts[t->count++] = copy;
	return true;
}

bool symtab_init(struct symtab *t, struct arena *arena, struct error *err)
{
	uint32_t empty;

	*t = (struct symtab){ .arena = arena };
	map_init(&t->map, arena);
	return append(t, STR(""), map_hash(STR("")), &empty, err);
}

bool symtab_reserve(struct symtab *t, size_t count, struct error *err)
{
	return map_reserve(&t->map, count) || arena_fail(t->arena, WHAT, err);
}

static uint32_t find_in_all(const struct symtab *t, struct str text)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_equal(t->texts[i], text))
			return (uint32_t)i;
	return MAP_NONE;
}

uint32_t symtab_find(const struct symtab *t, struct str text)
{
	if (!text.len)
		return 0;
	return t->is_settled ? find_in_all(t, text) : map_find(&t->map, text);
}

static bool add(struct symtab *t, struct str text, uint32_t hash, uint32_t *id,
		struct error *err)
{
	if (!text.len)
		*id = 0;
	else
		*id = t->is_settled ? find_in_all(t, text)
				    : map_find_hashed(&t->map, text, hash);
	return *id != MAP_NONE || append(t, text, hash, id, err);
}

bool symtab_add(struct symtab *t, struct str text, uint32_t *id,
		struct error *err)
{
	return add(t, text, t->is_settled ? 0 : map_hash(text), id, err);
}

/* So many texts ahead the slot is fetched, and the text in it. */
#define SLOT_AHEAD 16u
#define TEXT_AHEAD 8u

bool symtab_add_all(struct symtab *t, const struct symtab *from, uint32_t *ids,
		    struct error *err)
{
	uint32_t hashes[SLOT_AHEAD];

	for (size_t i = 0; i < from->count + SLOT_AHEAD; i++) {
		size_t text = i - TEXT_AHEAD, now = i - SLOT_AHEAD;

		if (i >= SLOT_AHEAD &&
		    !add(t, from->texts[now], hashes[now % SLOT_AHEAD],
			 &ids[now], err))
			return false;
		if (i < from->count) {
			hashes[i % SLOT_AHEAD] = map_hash(from->texts[i]);
			map_approach(&t->map, hashes[i % SLOT_AHEAD]);
		}
		if (i >= TEXT_AHEAD && text < from->count)
			map_approach_key(&t->map, hashes[text % SLOT_AHEAD]);
	}
	return true;
}

void symtab_settle(struct symtab *t)
{
	map_drop(&t->map);
	t->is_settled = true;
}

struct str symtab_text(const struct symtab *t, uint32_t id)
{
	return t->texts[id];
}
