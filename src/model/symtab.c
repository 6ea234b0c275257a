/* SPDX-License-Identifier: Apache-2.0 */
#include "model/symtab.h"

#define WHAT "the names and values"

/* The arena holds the copy before the map sees it: map keys are borrowed. */
static bool append(struct symtab *t, struct str text, uint32_t *id,
		   struct error *err)
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
	    !map_insert(&t->map, copy, (uint32_t)t->count, &stored))
		return arena_fail(t->arena, WHAT, err);
	t->texts[t->count++] = copy;
	*id = stored;
	return true;
}

bool symtab_init(struct symtab *t, struct arena *arena, struct error *err)
{
	uint32_t empty;

	*t = (struct symtab){ .arena = arena };
	map_init(&t->map, arena);
	return append(t, STR(""), &empty, err);
}

bool symtab_add(struct symtab *t, struct str text, uint32_t *id,
		struct error *err)
{
	*id = symtab_find(t, text);
	return *id != MAP_NONE || append(t, text, id, err);
}

uint32_t symtab_find(const struct symtab *t, struct str text)
{
	return text.len ? map_find(&t->map, text) : 0;
}

struct str symtab_text(const struct symtab *t, uint32_t id)
{
	return t->texts[id];
}
