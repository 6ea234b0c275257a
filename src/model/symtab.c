/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of its own, not a base/map: a text is found by its number in eight
 * bytes instead of 24.
 */
#include "model/symtab.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"

#define WHAT "the names and values"
#define FIRST_SLOTS ((size_t)64)
/* Texts that are looked up one after the other, and fetched side by side. */
#define GROUP 16u

struct symtab_slot {
	uint32_t hash;  /* kept so that growing reads no texts */
	uint32_t id_up; /* + 1; 0 marks an empty slot */
};

/* ---- slots ---- */

static size_t place_of(const struct symtab *t, uint32_t hash)
{
	return hash & (t->slot_count - 1);
}

/* The slot of the text, or the empty one where it belongs. The table is never
 * full, so the walk ends. */
static struct symtab_slot *probe(const struct symtab *t, struct str text,
				 uint32_t hash)
{
	size_t i = place_of(t, hash);

	while (t->slots[i].id_up &&
	       (t->slots[i].hash != hash ||
		!str_equal(t->texts[t->slots[i].id_up - 1], text)))
		i = (i + 1) & (t->slot_count - 1);
	return &t->slots[i];
}

static void drop_slots(struct symtab *t, struct symtab_slot *slots,
		       size_t count)
{
	arena_drop(t->arena, slots, count * sizeof *slots);
}

static bool resize(struct symtab *t, size_t slot_count)
{
	size_t old_count = t->slot_count;
	struct symtab_slot *old = t->slots;
	struct symtab_slot *slots =
		arena_array(t->arena, slot_count, sizeof *slots);

	if (!slots)
		return false;
	mem_touch(slots, slot_count * sizeof *slots);
	t->slots = slots;
	t->slot_count = slot_count;
	for (size_t i = 0; i < old_count; i++) {
		size_t at = place_of(t, old[i].hash);

		if (!old[i].id_up)
			continue;
		while (slots[at].id_up)
			at = (at + 1) & (slot_count - 1);
		slots[at] = old[i];
	}
	drop_slots(t, old, old_count);
	return true;
}

/* Keeps a quarter of the slots empty. */
static bool make_room(struct symtab *t)
{
	return t->is_settled || t->count < t->slot_count / 4 * 3 ||
	       resize(t, t->slot_count ? t->slot_count * 2 : FIRST_SLOTS);
}

bool symtab_reserve(struct symtab *t, size_t count, struct error *err)
{
	size_t slot_count = FIRST_SLOTS;
	void *texts = t->texts;

	while (slot_count / 4 * 3 < count)
		slot_count *= 2;
	if (!arena_reserve(t->arena, &texts, &t->cap, t->count + count,
			   sizeof *t->texts))
		return arena_fail(t->arena, WHAT, err);
	t->texts = texts;
	return slot_count <= t->slot_count || resize(t, slot_count) ||
	       arena_fail(t->arena, WHAT, err);
}

/* ---- texts ---- */

bool symtab_init(struct symtab *t, struct arena *arena, struct error *err)
{
	void *texts = NULL;

	*t = (struct symtab){ .arena = arena };
	if (!arena_reserve(arena, &texts, &t->cap, 1, sizeof *t->texts))
		return arena_fail(arena, WHAT, err);
	t->texts = texts;
	t->texts[t->count++] = STR("");
	return true;
}

/* slot: where it belongs, NULL in a settled table. */
static bool append(struct symtab *t, struct str text, uint32_t hash,
		   struct symtab_slot *slot, bool is_kept, struct error *err)
{
	void *texts = t->texts;

	if (t->count >= MAP_NONE)
		return error_set(err, ERROR_LIMIT,
				 "more than %u distinct names and values",
				 MAP_NONE);
	if (!arena_reserve(t->arena, &texts, &t->cap, t->count + 1,
			   sizeof *t->texts))
		return arena_fail(t->arena, WHAT, err);
	t->texts = texts;
	if (!is_kept)
		text = arena_str(t->arena, text);
	if (!text.ptr)
		return arena_fail(t->arena, WHAT, err);
	t->texts[t->count++] = text;
	if (slot)
		*slot = (struct symtab_slot){ hash, (uint32_t)t->count };
	return true;
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
	if (t->is_settled)
		return find_in_all(t, text);
	/* An empty slot holds 0, and 0 - 1 is MAP_NONE. */
	return t->slots ? probe(t, text, map_hash(text))->id_up - 1 : MAP_NONE;
}

static bool add(struct symtab *t, struct str text, uint32_t hash, bool is_kept,
		uint32_t *id, struct error *err)
{
	struct symtab_slot *slot = NULL;

	*id = 0;
	if (!text.len)
		return true;
	if (!make_room(t))
		return arena_fail(t->arena, WHAT, err);
	if (t->is_settled) {
		*id = find_in_all(t, text);
	} else {
		slot = probe(t, text, hash);
		*id = slot->id_up - 1;
	}
	if (*id != MAP_NONE)
		return true;
	*id = (uint32_t)t->count;
	return append(t, text, hash, slot, is_kept, err);
}

static uint32_t hash_of(const struct symtab *t, struct str text)
{
	return t->is_settled ? 0 : map_hash(text);
}

bool symtab_add(struct symtab *t, struct str text, uint32_t *id,
		struct error *err)
{
	return add(t, text, hash_of(t, text), false, id, err);
}

bool symtab_add_kept(struct symtab *t, struct str text, uint32_t *id,
		     struct error *err)
{
	return add(t, text, hash_of(t, text), true, id, err);
}

/* Begins to fetch what texts of these hashes are going to be compared with. */
static void approach(const struct symtab *t, const uint32_t *hashes,
		     size_t count)
{
	const struct symtab_slot *slots[GROUP];

	if (!t->slots)
		return;
	for (size_t i = 0; i < count; i++) {
		slots[i] = &t->slots[place_of(t, hashes[i])];
		__builtin_prefetch(slots[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (slots[i]->id_up)
			__builtin_prefetch(&t->texts[slots[i]->id_up - 1]);
	for (size_t i = 0; i < count; i++)
		if (slots[i]->id_up)
			__builtin_prefetch(t->texts[slots[i]->id_up - 1].ptr);
}

static bool add_some(struct symtab *t, const struct str *texts, size_t count,
		     uint32_t *ids, struct error *err)
{
	uint32_t hashes[GROUP];

	for (size_t i = 0; i < count; i++)
		hashes[i] = hash_of(t, texts[i]);
	approach(t, hashes, count);
	for (size_t i = 0; i < count; i++)
		if (!add(t, texts[i], hashes[i], false, &ids[i], err))
			return false;
	return true;
}

bool symtab_add_all(struct symtab *t, const struct symtab *from, uint32_t *ids,
		    struct error *err)
{
	for (size_t i = 0; i < from->count; i += GROUP)
		if (!add_some(t, &from->texts[i],
			      min_size(from->count - i, GROUP), &ids[i], err))
			return false;
	return true;
}

void symtab_settle(struct symtab *t)
{
	drop_slots(t, t->slots, t->slot_count);
	t->slots = NULL;
	t->slot_count = 0;
	t->is_settled = true;
}

struct str symtab_text(const struct symtab *t, uint32_t id)
{
	return t->texts[id];
}
