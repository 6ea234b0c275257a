/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <string.h>

#include "base/bytes.h"
#include "base/system.h"

#define FIRST_SLOTS ((size_t)64)

struct map_slot {
	const char *ptr;   /* NULL for a number */
	uint64_t size;     /* length of the bytes, or the number itself */
	uint32_t hash;     /* stored, so that growing does not read keys */
	uint32_t value_up; /* value + 1; 0 marks an empty slot */
};

struct sip_state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t bits_rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static void sip_round(struct sip_state *s)
{
	s->v0 += s->v1;
	s->v1 = bits_rotate(s->v1, 13) ^ s->v0;
	s->v0 = bits_rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = bits_rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = bits_rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = bits_rotate(s->v1, 17) ^ s->v2;
	s->v2 = bits_rotate(s->v2, 32);
}

static void sip_word(struct sip_state *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	s->v0 ^= word;
}

/* Loads the bytes after the last whole word as load_word() would, padded with
 * zeros. With a word before them that is a single load. */
static uint64_t load_rest(const unsigned char *bytes, size_t len)
{
	size_t rest = len % 8;
	uint64_t word = 0;

	if (rest && len > 8)
		return load_word(bytes + len - 8) >> (8 * (8 - rest));
	for (size_t i = 0; i < rest; i++)
		word |= (uint64_t)bytes[len - rest + i] << (8 * i);
	return word;
}

static uint64_t sip_hash_13(const uint64_t key[2], const unsigned char *bytes,
			    size_t len)
{
	/* The initial state spells "somepseudorandomlygeneratedbytes". */
	struct sip_state s = {
		key[0] ^ 0x736f6d6570736575u,
		key[1] ^ 0x646f72616e646f6du,
		key[0] ^ 0x6c7967656e657261u,
		key[1] ^ 0x7465646279746573u,
	};

	for (size_t done = 0; len - done >= 8; done += 8)
		sip_word(&s, load_word(bytes + done));
	sip_word(&s, load_rest(bytes, len) | (uint64_t)len << 56);
	s.v2 ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

static uint64_t seed[2];

/* Runs before main(), so no other thread can hash with half of it or draw
 * another seed. Early after boot, when the kernel has no randomness yet, the
 * bytes passed at program start are used. */
__attribute__((constructor)) static void draw_seed(void)
{
	const void *given = system_random_of_start();

	if (!system_random(seed, sizeof seed) && given)
		memcpy(seed, given, sizeof seed);
}

uint64_t hash_bytes(const void *data, size_t len)
{
	return sip_hash_13(seed, data, len);
}

void map_init(struct map *m, struct arena *arena)
{
	*m = (struct map){ .arena = arena };
}

uint32_t map_hash(struct str key)
{
	return (uint32_t)hash_bytes(key.ptr ? key.ptr : "", key.len);
}

static struct map_slot slot_bytes(struct str key, uint32_t hash)
{
	return (struct map_slot){
		.ptr = key.ptr ? key.ptr : "",
		.size = key.len,
		.hash = hash,
	};
}

static struct map_slot slot_number(uint64_t key)
{
	return (struct map_slot){
		.size = key,
		.hash = (uint32_t)hash_bytes(&key, sizeof key),
	};
}

static bool is_same_key(const struct map_slot *a, const struct map_slot *b)
{
	if (a->hash != b->hash || a->size != b->size)
		return false;
	if (!a->ptr || !b->ptr)
		return a->ptr == b->ptr;
	return !memcmp(a->ptr, b->ptr, (size_t)a->size);
}

/* Returns the slot of the key, or the empty one where it belongs. The table is
 * never full, so the loop ends. */
static struct map_slot *slot_probe(struct map_slot *slots, size_t slot_count,
				   const struct map_slot *key)
{
	size_t i = key->hash & (slot_count - 1);

	while (slots[i].value_up && !is_same_key(&slots[i], key))
		i = (i + 1) & (slot_count - 1);
	return &slots[i];
}

static bool slots_resize(struct map *m, size_t slot_count)
{
	struct map_slot *slots =
		arena_array(m->arena, slot_count, sizeof *slots);

	if (!slots)
		return false;
	for (size_t i = 0; i < m->slot_count; i++)
		if (m->slots[i].value_up)
			*slot_probe(slots, slot_count, &m->slots[i]) =
				m->slots[i];
	arena_drop(m->arena, m->slots, m->slot_count * sizeof *slots);
	m->slots = slots;
	m->slot_count = slot_count;
	return true;
}

static uint32_t slot_find(const struct map *m, struct map_slot key)
{
	if (!m->count)
		return MAP_NONE;
	/* An empty slot holds 0, and 0 - 1 is MAP_NONE. */
	return slot_probe(m->slots, m->slot_count, &key)->value_up - 1;
}

static bool slot_insert(struct map *m, struct map_slot key, uint32_t value,
			uint32_t *slot_value)
{
	struct map_slot *slot;

	/* A quarter of the slots stays empty. */
	if (m->count >= m->slot_count / 4 * 3 &&
	    !slots_resize(m, m->slot_count ? m->slot_count * 2 : FIRST_SLOTS))
		return false;
	slot = slot_probe(m->slots, m->slot_count, &key);
	if (!slot->value_up && value != MAP_NONE) {
		*slot = key;
		slot->value_up = value + 1;
		m->count++;
	}
	*slot_value = slot->value_up - 1;
	return true;
}

uint32_t map_find(const struct map *m, struct str key)
{
	return m->count ? map_find_hashed(m, key, map_hash(key)) : MAP_NONE;
}

uint32_t map_find_hashed(const struct map *m, struct str key, uint32_t hash)
{
	return slot_find(m, slot_bytes(key, hash));
}

uint32_t map_find_u64(const struct map *m, uint64_t key)
{
	return m->count ? slot_find(m, slot_number(key)) : MAP_NONE;
}

bool map_insert(struct map *m, struct str key, uint32_t value,
		uint32_t *slot_value)
{
	return map_insert_hashed(m, key, map_hash(key), value, slot_value);
}

bool map_insert_hashed(struct map *m, struct str key, uint32_t hash,
		       uint32_t value, uint32_t *slot_value)
{
	return slot_insert(m, slot_bytes(key, hash), value, slot_value);
}

bool map_insert_u64(struct map *m, uint64_t key, uint32_t value,
		    uint32_t *slot_value)
{
	return slot_insert(m, slot_number(key), value, slot_value);
}

static void slot_approach(const struct map *m, uint32_t hash)
{
	if (m->slot_count)
		__builtin_prefetch(&m->slots[hash & (m->slot_count - 1)]);
}

void map_approach_all(const struct map *m, const uint32_t *hashes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		slot_approach(m, hashes[i]);
	for (size_t i = 0; m->slot_count && i < count; i++)
		__builtin_prefetch(
			m->slots[hashes[i] & (m->slot_count - 1)].ptr);
}

uint32_t map_approach_u64(const struct map *m, uint64_t key)
{
	uint32_t hash = slot_number(key).hash;

	slot_approach(m, hash);
	return hash;
}

bool map_insert_near_u64(struct map *m, uint64_t key, uint32_t hash,
			 uint32_t value, uint32_t *slot_value)
{
	struct map_slot slot = { .size = key, .hash = hash };

	return slot_insert(m, slot, value, slot_value);
}
