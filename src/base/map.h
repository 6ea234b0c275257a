/* SPDX-License-Identifier: Apache-2.0
 *
 * Hash map from bytes or 64-bit numbers to a 32-bit index, in an arena. Keys
 * are hashed with a seed drawn once per process (SipHash-1-3), so that chosen
 * input cannot pile up in one bucket. Byte keys are borrowed: they must live
 * as long as the map. Iteration order is not offered: output must not depend
 * on the seed.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

#define MAP_NONE UINT32_MAX

struct map_slot;

struct map {
	struct arena *arena;
	struct map_slot *slots;
	size_t slot_count; /* a power of two, or 0 */
	size_t count;
};

/* Empty, without memory yet; slots will live in the arena. */
void map_init(struct map *m, struct arena *arena);

/* MAP_NONE when absent. */
uint32_t map_find(const struct map *m, struct str key);
uint32_t map_find_u64(const struct map *m, uint64_t key);

/* Adds key -> value unless present. *slot_value receives the value now in
 * the map (the old one when present). False only when memory failed
 * (arena_fail() of the arena tells how). Do not mix str and u64 keys. */
bool map_insert(struct map *m, struct str key, uint32_t value,
		uint32_t *slot_value) MUST_CHECK;
bool map_insert_u64(struct map *m, uint64_t key, uint32_t value,
		    uint32_t *slot_value) MUST_CHECK;

/* The same with the hash of the key, worked out once for both. */
uint32_t map_hash(struct str key);
uint32_t map_find_hashed(const struct map *m, struct str key, uint32_t hash);
bool map_insert_hashed(struct map *m, struct str key, uint32_t hash,
		       uint32_t value, uint32_t *slot_value) MUST_CHECK;

/* Keys that are looked up one after the other, and fetched side by side. */
#define MAP_GROUP 16u

/* Begins to fetch what keys of these hashes are going to be compared with. */
void map_approach_all(const struct map *m, const uint32_t *hashes,
		      size_t count);

/* map_insert_u64() in two steps, for those who have something else to do until
 * the slot is near: the hash is that of the key, and stays. */
uint32_t map_approach_u64(const struct map *m, uint64_t key);
bool map_insert_near_u64(struct map *m, uint64_t key, uint32_t hash,
			 uint32_t value, uint32_t *slot_value) MUST_CHECK;

/* Keyed hash of bytes with the process seed. */
uint64_t hash_bytes(const void *data, size_t len);

/* Numbers for texts, from 0 on: equal texts have the same one. A text is found
 * by its number in eight bytes a slot, which stay in the processor's cache
 * where those of struct map do not. */

#define TEXT_NONE UINT32_MAX

/* Longer texts take hash_bytes(). */
#define TEXT_HASHED_BYTES 256

struct text_slot;

struct text_table {
	struct arena *arena;
	/* Nobody knows them: so many words of a text, its length, the end. */
	uint64_t keys[TEXT_HASHED_BYTES / 8 + 2];
	struct text_slot *slots; /* by hash */
	size_t slot_count;       /* a power of two, or 0 */
	struct str *texts;       /* by number */
	size_t count;
	size_t cap;
	bool is_settled;
};

/* Empty; memory comes from the arena, which must outlive it. */
void text_table_init(struct text_table *t, struct arena *arena);

/* Makes room for so many more texts, of which most are distinct, and for no
 * others: once, where they are counted. */
bool text_table_reserve(struct text_table *t, size_t count) MUST_CHECK;

/* Returns the hash of a text, for this table. */
uint32_t text_table_hash(const struct text_table *t, struct str text);

/* Returns the number of a text whose hash is known, or TEXT_NONE. */
uint32_t text_table_find(const struct text_table *t, struct str text,
			 uint32_t hash);

/* A text to look up, and its hash. */
struct text_ref {
	struct str text;
	uint32_t hash;
	uint32_t number;
};

/* Fills in the numbers of so many texts, as text_table_find() would. They are
 * looked up side by side: one after the other, the processor would wait for
 * memory longer than it works. */
void text_table_find_all(const struct text_table *t, struct text_ref *refs,
			 size_t count);

/* Gives the next number to a text that is not there, borrowed. TEXT_NONE: no
 * memory in the arena. */
uint32_t text_table_add(struct text_table *t, struct str text,
			uint32_t hash) MUST_CHECK;

/* No more texts, or few, are going to be added or looked for: then each costs a
 * look at all of them, and less memory is held. */
void text_table_settle(struct text_table *t);

#endif
