/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_memo.h"

#include <string.h>

#include "analyze/code_rules.h"
#include "base/map.h"

struct code_memo {
	struct arena *arena;
	struct map numbers; /* key -> number of the function */
	struct code_known *items;
	size_t cap;
};

struct key {
	char data[CODE_MEMO_KEY_BYTES];
	size_t len;
};

_Static_assert(LANGUAGE_ANY <= UINT8_MAX, "languages fit a byte");
_Static_assert(CODE_MEMO_KEY_BYTES <= UINT16_MAX, "lengths fit two");

/* The length of the name tells where the file begins. */
#define KEY_HEAD 2

static bool key_make(struct key *key, struct str name, struct str file)
{
	if (name.len > sizeof key->data - KEY_HEAD ||
	    file.len > sizeof key->data - KEY_HEAD - name.len)
		return false;
	key->data[0] = (char)(name.len & 0xFF);
	key->data[1] = (char)(name.len >> 8);
	key->len = KEY_HEAD;
	if (name.len)
		memcpy(key->data + key->len, name.ptr, name.len);
	key->len += name.len;
	if (file.len)
		memcpy(key->data + key->len, file.ptr, file.len);
	key->len += file.len;
	return true;
}

struct code_memo *code_memo_new(struct arena *arena)
{
	struct code_memo *memo = arena_alloc(arena, sizeof *memo);

	if (!memo)
		return NULL;
	memo->arena = arena;
	map_init(&memo->numbers, arena);
	return memo;
}

static struct code_known *add(struct code_memo *memo, const struct key *key,
			      size_t name_len)
{
	uint32_t number = (uint32_t)memo->numbers.count, stored;
	struct code_known *known;
	struct str kept, name;

	if (number >= CODE_MEMO_FUNCTIONS ||
	    !arena_reserve(memo->arena, (void **)&memo->items, &memo->cap,
			   (size_t)number + 1, sizeof *memo->items))
		return NULL;
	kept = arena_str(memo->arena, (struct str){ key->data, key->len });
	if (!kept.ptr || !map_insert(&memo->numbers, kept, number, &stored))
		return NULL;
	name = str_slice(kept, KEY_HEAD, name_len);
	known = &memo->items[number];
	*known = (struct code_known){
		.subject = code_subject_of(
			name, str_slice(kept, KEY_HEAD + name_len, kept.len)),
	};
	return known;
}

struct code_known *code_memo_known(struct code_memo *memo, struct str name,
				   struct str file)
{
	struct key key;
	uint32_t number;

	if (!key_make(&key, name, file))
		return NULL;
	number = map_find(&memo->numbers, (struct str){ key.data, key.len });
	return number != MAP_NONE ? &memo->items[number]
				  : add(memo, &key, name.len);
}

void code_memo_vote(const struct code_rules *rules, struct str name,
		    struct str file, struct language_votes *votes)
{
	const struct code_known *known = NULL;

	if (rules && rules->memo)
		known = code_memo_known(rules->memo, name, file);
	language_votes_add(votes,
			   known ? known->subject.languages
				 : code_languages_of(name, file),
			   file.len > 0);
}

bool code_known_class(const struct code_known *known,
		      unsigned int profile_languages, struct code_class *out)
{
	for (unsigned int i = 0; i < known->class_count; i++)
		if (known->profile_languages[i] == profile_languages) {
			*out = code_class_unpack(known->classes[i]);
			return true;
		}
	return false;
}

void code_known_keep(struct code_known *known, unsigned int profile_languages,
		     const struct code_class *class)
{
	unsigned int i = known->class_count;

	if (i == CODE_KNOWN_CLASSES)
		i--;
	else
		known->class_count++;
	known->profile_languages[i] = (unsigned char)profile_languages;
	known->classes[i] = code_class_pack(class);
}
