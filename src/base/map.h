/* SPDX-License-Identifier: Apache-2.0
 *
 * Hash map from bytes or 64-bit numbers to a 32-bit index, in an arena. Keys
 * are hashed with a seed drawn once per process (SipHash-1-3), so that crafted
 * input cannot collide on purpose. Byte keys are borrowed and must outlive the
 * map. There is no iteration: output must not depend on the seed.
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

/* Allocates nothing yet; slots come from the arena. */
void map_init(struct map *m, struct arena *arena);

/* Return the value, MAP_NONE if absent. */
uint32_t map_find(const struct map *m, struct str key);
uint32_t map_find_u64(const struct map *m, uint64_t key);

/* Adds key -> value unless present. *slot_value receives the value now in the
 * map (the old one if present). Returns false only when out of memory
 * (arena_fail() of the arena reports how). Do not mix str and u64 keys. */
bool map_insert(struct map *m, struct str key, uint32_t value,
		uint32_t *slot_value) MUST_CHECK;
bool map_insert_u64(struct map *m, uint64_t key, uint32_t value,
		    uint32_t *slot_value) MUST_CHECK;

/* Same with a precomputed hash, to use for both. */
uint32_t map_hash(struct str key);
uint32_t map_find_hashed(const struct map *m, struct str key, uint32_t hash);
bool map_insert_hashed(struct map *m, struct str key, uint32_t hash,
		       uint32_t value, uint32_t *slot_value) MUST_CHECK;

/* Number of keys whose slots are prefetched together. */
#define MAP_GROUP 16u

/* Prefetches the slots for keys with these hashes. */
void map_approach_all(const struct map *m, const uint32_t *hashes,
		      size_t count);

/* map_insert_u64() in two steps, with other work in between while the slot is
 * prefetched: map_approach_u64() returns the hash, which stays valid. */
uint32_t map_approach_u64(const struct map *m, uint64_t key);
bool map_insert_near_u64(struct map *m, uint64_t key, uint32_t hash,
			 uint32_t value, uint32_t *slot_value) MUST_CHECK;

/* Returns a hash keyed with the process seed. */
uint64_t hash_bytes(const void *data, size_t len);

/* Text table: numbers distinct texts from 0 on. Slots have eight bytes, so
 * lookups stay in the processor's cache where those of struct map do not. */

#define TEXT_NONE UINT32_MAX

/* Longer texts are hashed by hash_bytes(). */
#define TEXT_HASHED_BYTES 256

struct text_slot;

struct text_table {
	struct arena *arena;
	/* Secret hash keys: a word for each 8 bytes of text, the length and the
	 * end. */
	uint64_t keys[TEXT_HASHED_BYTES / 8 + 2];
	struct text_slot *slots; /* by hash */
	size_t slot_count;       /* a power of two, or 0 */
	struct str *texts;       /* by number */
	size_t count;
	size_t cap;
	bool is_settled;
};

/* Initially empty; memory comes from the arena, which must outlive the
 * table. */
void text_table_init(struct text_table *t, struct arena *arena);

/* Makes room for exactly `count` more texts, most of them distinct. Call once,
 * when their number is known. */
bool text_table_reserve(struct text_table *t, size_t count) MUST_CHECK;

/* Returns the hash of a text for this table. */
uint32_t text_table_hash(const struct text_table *t, struct str text);

/* Returns the number of a text given its hash, TEXT_NONE if absent. */
uint32_t text_table_find(const struct text_table *t, struct str text,
			 uint32_t hash);

/* A text to look up, and its hash. */
struct text_ref {
	struct str text;
	uint32_t hash;
	uint32_t number;
};

/* Looks up the numbers of `count` texts as by text_table_find(), with memory
 * accesses overlapped: one by one, the processor would wait for memory longer
 * than it works. */
void text_table_find_all(const struct text_table *t, struct text_ref *refs,
			 size_t count);

/* Adds a text that is absent, borrowed, and returns its number; TEXT_NONE when
 * out of memory. */
uint32_t text_table_add(struct text_table *t, struct str text,
			uint32_t hash) MUST_CHECK;

/* Frees memory when few or no texts will be added or looked up any more; each
 * such call then scans all texts. */
void text_table_settle(struct text_table *t);

#endif
