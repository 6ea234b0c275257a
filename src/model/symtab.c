/* SPDX-License-Identifier: Apache-2.0 */
#include "model/symtab.h"

#include "base/num.h"

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

static bool add_some(struct symtab *t, const struct str *texts, size_t count,
		     uint32_t *ids, struct error *err)
{
	uint32_t hashes[MAP_GROUP];

	for (size_t i = 0; i < count; i++)
		hashes[i] = map_hash(texts[i]);
	map_approach_all(&t->map, hashes, count);
	for (size_t i = 0; i < count; i++)
		if (!add(t, texts[i], hashes[i], &ids[i], err))
			return false;
	return true;
}

bool symtab_add_all(struct symtab *t, const struct symtab *from, uint32_t *ids,
		    struct error *err)
{
	for (size_t i = 0; i < from->count; i += MAP_GROUP)
		if (!add_some(t, &from->texts[i],
			      min_size(from->count - i, MAP_GROUP), &ids[i],
			      err))
			return false;
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
