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
uint32_t name_table_find(const struct name_table *t, struct str name,
			 uint64_t hash)
{
	size_t at;

	if (!t->slot_count)
		return NAME_NONE;
	for (at = home(t, hash); t->slots[at];
	     at = (at + 1) & (t->slot_count - 1)) {
		uint32_t number = (uint32_t)t->slots[at] - 1;

		if (!((t->slots[at] ^ hash) & TAG_MASK) &&
		    str_equal(t->names[number], name))
			return number;
	}
	return NAME_NONE;
}

/* What is likely to be the number of that name, or NAME_NONE where it is not
 * there. */
static void fetch_number(const struct name_table *t, struct name_ref *ref)
{
	size_t at = home(t, ref->hash);

	while (t->slots[at] && (t->slots[at] ^ ref->hash) & TAG_MASK)
		at = (at + 1) & (t->slot_count - 1);
	if (!t->slots[at])
		return;
	ref->number = (uint32_t)t->slots[at] - 1;
	__builtin_prefetch(&t->names[ref->number]);
}

void name_table_find_all(const struct name_table *t, struct name_ref *refs,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		refs[i].number = NAME_NONE;
		if (t->slot_count)
			__builtin_prefetch(&t->slots[home(t, refs[i].hash)]);
	}
	if (!t->slot_count)
		return;
	for (size_t i = 0; i < count; i++)
		fetch_number(t, &refs[i]);
	for (size_t i = 0; i < count; i++)
		if (refs[i].number != NAME_NONE)
			__builtin_prefetch(t->names[refs[i].number].ptr);
	for (size_t i = 0; i < count; i++) {
		struct name_ref *ref = &refs[i];

		if (ref->number != NAME_NONE &&
		    !str_equal(t->names[ref->number], ref->name))
			ref->number = name_table_find(t, ref->name, ref->hash);
	}
}

static void put(struct name_table *t, uint64_t hash, uint32_t number)
{
	size_t at = home(t, hash);

	while (t->slots[at])
		at = (at + 1) & (t->slot_count - 1);
	t->slots[at] = (hash & TAG_MASK) | (number + UINT64_C(1));
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
	for (size_t i = 0; i < t->count; i++)
		put(t, name_table_hash(t, t->names[i]), (uint32_t)i);
	return true;
}

uint32_t name_table_add(struct name_table *t, struct str name, uint64_t hash)
{
	uint32_t number = (uint32_t)t->count;

	if (t->count >= NAME_NONE - 1 || !grow(t) ||
	    !arena_reserve(t->arena, (void **)&t->names, &t->cap, t->count + 1,
			   sizeof *t->names))
		return NAME_NONE;
	put(t, hash, number);
	t->names[t->count++] = name;
	return number;
}
