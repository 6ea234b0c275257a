/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for texts, from 0 on: equal texts have the same one. A text is found
 * by its number in eight bytes a slot, which stay in the processor's cache
 * where those of struct map do not.
 */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

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

/* Of a text, for this table. */
uint32_t text_table_hash(const struct text_table *t, struct str text);

/* Of a text whose hash is known, or TEXT_NONE. */
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
