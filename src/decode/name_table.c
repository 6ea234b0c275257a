/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/name_table.h"

#include <string.h>

#include "base/count.h"

#define FIRST_SLOTS ((size_t)1024)
#define TAG_MASK (~(uint64_t)UINT32_MAX)

void name_table_init(struct name_table *t, struct arena *arena)
{
	*t = (struct name_table){ .arena = arena };
	for (uint64_t i = 0; i < COUNT_OF(t->keys); i++)
		t->keys[i] = hash_bytes(&i, sizeof i);
	t->keys[COUNT_OF(t->keys) - 1] |= 1;
}

static uint64_t load(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

static uint64_t load_few(const char *bytes, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
	return word;
}

/* Each half of a word is added to the key's, and both are multiplied. */
static uint64_t nh_step(uint64_t word, uint64_t key)
{
	uint64_t low = (uint32_t)(word + key);
	uint64_t high = (uint32_t)((word >> 32) + (key >> 32));

	return low * high;
}

/* NH of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999): for every two
 * names, keys that make them collide are one in 2^32; products of words do not
 * wait for each other. The last word may overlap the one before: with the
 * length it says the same. */
uint64_t name_table_hash(const struct name_table *t, struct str name)
{
	const uint64_t *key = t->keys;
	const uint64_t *last = &t->keys[COUNT_OF(t->keys) - 1];
	size_t at = 0;
	uint64_t sum;

	if (name.len > NAME_HASHED_BYTES)
		return hash_bytes(name.ptr, name.len);
	sum = nh_step(name.len, last[-1]);
	for (; name.len - at > 8; at += 8)
		sum += nh_step(load(name.ptr + at), *key++);
	sum += nh_step(name.len >= 8 ? load(name.ptr + (name.len - 8))
				     : load_few(name.ptr, name.len),
		       *key);
	sum *= *last;
	return sum ^ sum >> 32;
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

/* What is likely to be the item of that name, or NULL where it is not there. */
static void fetch_item(const struct name_table *t, struct name_ref *ref)
{
	size_t at = home(t, ref->hash);

	while (t->slots[at] && (t->slots[at] ^ ref->hash) & TAG_MASK)
		at = (at + 1) & (t->slot_count - 1);
	if (!t->slots[at])
		return;
	ref->item = &t->items[(uint32_t)t->slots[at] - 1];
	__builtin_prefetch(ref->item);
}

void name_table_find_all(const struct name_table *t, struct name_ref *refs,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		refs[i].item = NULL;
		refs[i].hash = name_table_hash(t, refs[i].name);
		if (t->slot_count)
			__builtin_prefetch(&t->slots[home(t, refs[i].hash)]);
	}
	if (!t->slot_count)
		return;
	for (size_t i = 0; i < count; i++)
		fetch_item(t, &refs[i]);
	for (size_t i = 0; i < count; i++)
		if (refs[i].item)
			__builtin_prefetch(refs[i].item->name.ptr);
	for (size_t i = 0; i < count; i++)
		if (refs[i].item &&
		    !str_equal(refs[i].item->name, refs[i].name))
			refs[i].item =
				name_table_find(t, refs[i].name, refs[i].hash);
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

		put(t, name_table_hash(t, name), (uint32_t)i);
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
