/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/name_table.h"

#define FIRST_SLOTS ((size_t)1024)
#define TAG_MASK (~(uint64_t)UINT32_MAX)

void name_table_init(struct name_table *t, struct arena *arena)
{
	*t = (struct name_table){ .arena = arena };
}

static size_t home(const struct name_table *t, uint64_t hash)
{
	return hash & (t->slot_count - 1);
}

/* The table is never full, so the walk ends. */
const struct name_item *name_table_find(const struct name_table *t,
					struct str name, uint64_t hash)
{
	size_t at;

	if (!t->slot_count)
		return NULL;
	for (at = home(t, hash); t->slots[at];
	     at = (at + 1) & (t->slot_count - 1)) {
		const struct name_item *item;

		if ((t->slots[at] ^ hash) & TAG_MASK)
			continue;
		item = &t->items[(uint32_t)t->slots[at] - 1];
		if (str_equal(item->name, name))
			return item;
	}
	return NULL;
}

static void put(struct name_table *t, uint64_t hash, uint32_t item)
{
	size_t at = home(t, hash);

	while (t->slots[at])
		at = (at + 1) & (t->slot_count - 1);
	t->slots[at] = (hash & TAG_MASK) | (item + UINT64_C(1));
}

/* Keeps a quarter of the slots empty. The lower halves of the hashes are not
 * kept: growing makes them anew. */
static bool grow(struct name_table *t)
{
	size_t slot_count = t->slot_count ? t->slot_count * 2 : FIRST_SLOTS;
	uint64_t *slots;

	if (t->count < t->slot_count / 4 * 3)
		return true;
	slots = arena_array(t->arena, slot_count, sizeof *slots);
	if (!slots)
		return false;
	t->slots = slots;
	t->slot_count = slot_count;
	for (size_t i = 0; i < t->count; i++) {
		struct str name = t->items[i].name;

		put(t, hash_bytes(name.ptr, name.len), (uint32_t)i);
	}
	return true;
}

const struct name_item *name_table_add(struct name_table *t, struct str name,
				       uint64_t hash, uint32_t frame)
{
	if (t->count >= UINT32_MAX - 1 || !grow(t) ||
	    !arena_reserve(t->arena, (void **)&t->items, &t->cap, t->count + 1,
			   sizeof *t->items))
		return NULL;
	put(t, hash, (uint32_t)t->count);
	t->items[t->count] = (struct name_item){ name, frame };
	return &t->items[t->count++];
}
