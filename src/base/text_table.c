/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/bytes.h"
#include "base/num.h"

#define FIRST_SLOTS ((size_t)64)

struct text_slot {
	uint32_t hash;      /* stored, so that growing does not read texts */
	uint32_t number_up; /* + 1; 0 marks an empty slot */
};

void text_table_init(struct text_table *t, struct arena *arena)
{
	*t = (struct text_table){ .arena = arena };
	for (uint64_t i = 0; i < COUNT_OF(t->keys); i++)
		t->keys[i] = hash_bytes(&i, sizeof i);
	t->keys[COUNT_OF(t->keys) - 1] |= 1;
}

/* ---- hashes ---- */

static uint64_t load_few(const char *bytes, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
	return word;
}

/* Adds the halves of a word to those of the key and multiplies them. */
static uint64_t nh_step(uint64_t word, uint64_t key)
{
	uint64_t low = (uint32_t)(word + key);
	uint64_t high = (uint32_t)((word >> 32) + (key >> 32));

	return low * high;
}

/* NH of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999): for any two
 * texts, one in 2^32 keys gives equal sums; multiplications are independent of
 * each other. The last word may overlap the previous one, which with the length
 * is still unambiguous. Sums of numbered names are equidistant, which for some
 * keys would cluster in the table, so they are mixed. */
uint32_t text_table_hash(const struct text_table *t, struct str text)
{
	const uint64_t *key = t->keys;
	const uint64_t *last = &t->keys[COUNT_OF(t->keys) - 1];
	size_t at = 0;
	uint64_t sum;

	if (text.len > TEXT_HASHED_BYTES)
		return (uint32_t)hash_bytes(text.ptr, text.len);
	sum = nh_step(text.len, last[-1]);
	for (; text.len - at > 8; at += 8)
		sum += nh_step(load_word(text.ptr + at), *key++);
	sum += nh_step(text.len >= 8 ? load_word(text.ptr + (text.len - 8))
				     : load_few(text.ptr, text.len),
		       *key);
	return (uint32_t)((sum ^ sum >> 29) * *last >> 32);
}

/* ---- slots ---- */

static struct text_slot *slot_home(const struct text_table *t, uint32_t hash)
{
	return &t->slots[hash & (t->slot_count - 1)];
}

static struct text_slot *slot_next(const struct text_table *t,
				   struct text_slot *slot)
{
	return ++slot == t->slots + t->slot_count ? t->slots : slot;
}

/* The table is never full, so the loop ends. */
static void slot_put(struct text_table *t, struct text_slot item)
{
	struct text_slot *slot = slot_home(t, item.hash);

	while (slot->number_up)
		slot = slot_next(t, slot);
	*slot = item;
}

static bool slots_resize(struct text_table *t, size_t slot_count)
{
	size_t old_count = t->slot_count;
	struct text_slot *old = t->slots;
	struct text_slot *slots =
		arena_array(t->arena, slot_count, sizeof *slots);

	if (!slots)
		return false;
	t->slots = slots;
	t->slot_count = slot_count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].number_up)
			slot_put(t, old[i]);
	arena_drop(t->arena, old, old_count * sizeof *old);
	return true;
}

static bool make_room(struct text_table *t, size_t count,
		      arena_reserver *reserve)
{
	size_t slot_count = t->slot_count ? t->slot_count : FIRST_SLOTS;

	if (!reserve(t->arena, (void **)&t->texts, &t->cap, t->count + count,
		     sizeof *t->texts))
		return false;
	if (t->is_settled)
		return true;
	/* A quarter of the slots stays empty. */
	while (slot_count / 4 * 3 < t->count + count)
		slot_count *= 2;
	return slot_count == t->slot_count || slots_resize(t, slot_count);
}

bool text_table_reserve(struct text_table *t, size_t count)
{
	return make_room(t, count, arena_reserve_exactly);
}

void text_table_settle(struct text_table *t)
{
	arena_drop(t->arena, t->slots, t->slot_count * sizeof *t->slots);
	t->slots = NULL;
	t->slot_count = 0;
	t->is_settled = true;
}

/* ---- texts ---- */

static uint32_t find_in_all(const struct text_table *t, struct str text)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_equal(t->texts[i], text))
			return (uint32_t)i;
	return TEXT_NONE;
}

uint32_t text_table_find(const struct text_table *t, struct str text,
			 uint32_t hash)
{
	struct text_slot *slot;

	if (!t->slots)
		return find_in_all(t, text);
	for (slot = slot_home(t, hash); slot->number_up;
	     slot = slot_next(t, slot))
		if (slot->hash == hash &&
		    str_equal(t->texts[slot->number_up - 1], text))
			return slot->number_up - 1;
	return TEXT_NONE;
}

/* Prefetches the likely number of the text, or TEXT_NONE. */
static void fetch_number(const struct text_table *t, struct text_ref *ref)
{
	struct text_slot *slot = slot_home(t, ref->hash);

	while (slot->number_up && slot->hash != ref->hash)
		slot = slot_next(t, slot);
	if (!slot->number_up)
		return;
	ref->number = slot->number_up - 1;
	__builtin_prefetch(&t->texts[ref->number]);
}

void text_table_find_all(const struct text_table *t, struct text_ref *refs,
			 size_t count)
{
	if (!t->slots) {
		for (size_t i = 0; i < count; i++)
			refs[i].number = find_in_all(t, refs[i].text);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		refs[i].number = TEXT_NONE;
		__builtin_prefetch(slot_home(t, refs[i].hash));
	}
	for (size_t i = 0; i < count; i++)
		fetch_number(t, &refs[i]);
	for (size_t i = 0; i < count; i++)
		if (refs[i].number != TEXT_NONE)
			__builtin_prefetch(t->texts[refs[i].number].ptr);
	for (size_t i = 0; i < count; i++) {
		struct text_ref *ref = &refs[i];

		if (ref->number != TEXT_NONE &&
		    !str_equal(t->texts[ref->number], ref->text))
			ref->number = text_table_find(t, ref->text, ref->hash);
	}
}

uint32_t text_table_add(struct text_table *t, struct str text, uint32_t hash)
{
	if (t->count == TEXT_NONE - 1 || !make_room(t, 1, arena_reserve))
		return TEXT_NONE;
	t->texts[t->count++] = text;
	if (!t->is_settled)
		slot_put(t, (struct text_slot){ hash, (uint32_t)t->count });
	return (uint32_t)t->count - 1;
}
