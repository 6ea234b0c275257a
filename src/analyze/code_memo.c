/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_memo.h"

#include <string.h>

#include "analyze/code_rules.h"
#include "base/map.h"

struct code_memo {
	struct arena *arena;
	struct map classes;   /* key -> packed class */
	struct map languages; /* key with 0 -> bits */
};

struct key {
	char data[CODE_MEMO_KEY_BYTES];
	size_t len;
};

_Static_assert(LANGUAGE_ANY <= UINT8_MAX, "languages fit a byte");
_Static_assert(CODE_MEMO_KEY_BYTES <= UINT16_MAX, "lengths fit two");

/* The length of the name tells where the file begins. */
static bool key_make(struct key *key, struct str name, struct str file,
		     unsigned int languages)
{
	const size_t head = 3;

	if (name.len > sizeof key->data - head ||
	    file.len > sizeof key->data - head - name.len)
		return false;
	key->data[0] = (char)languages;
	key->data[1] = (char)(name.len & 0xFF);
	key->data[2] = (char)(name.len >> 8);
	key->len = head;
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
	map_init(&memo->classes, arena);
	map_init(&memo->languages, arena);
	return memo;
}

bool code_memo_find(const struct code_memo *memo, struct str name,
		    struct str file, unsigned int profile_languages,
		    struct code_class *out)
{
	struct key key;
	uint32_t packed;

	if (!key_make(&key, name, file, profile_languages))
		return false;
	packed = map_find(&memo->classes, (struct str){ key.data, key.len });
	if (packed == MAP_NONE)
		return false;
	*out = code_class_unpack((unsigned char)packed);
	return true;
}

static void keep(struct code_memo *memo, struct map *map, const struct key *key,
		 uint32_t value)
{
	struct str kept;
	uint32_t stored;

	if (map->count >= CODE_MEMO_FUNCTIONS)
		return;
	kept = arena_str(memo->arena, (struct str){ key->data, key->len });
	if (kept.ptr)
		(void)!map_insert(map, kept, value, &stored);
}

static unsigned int languages_of(struct code_memo *memo, struct str name,
				 struct str file)
{
	struct key key;
	uint32_t languages;

	if (!memo || !key_make(&key, name, file, 0))
		return code_languages_of(name, file);
	languages =
		map_find(&memo->languages, (struct str){ key.data, key.len });
	if (languages != MAP_NONE)
		return languages;
	languages = code_languages_of(name, file);
	keep(memo, &memo->languages, &key, languages);
	return languages;
}

void code_memo_vote(const struct code_rules *rules, struct str name,
		    struct str file, struct language_votes *votes)
{
	struct code_memo *memo = rules ? rules->memo : NULL;

	language_votes_add(votes, languages_of(memo, name, file), file.len > 0);
}

void code_memo_add(struct code_memo *memo, struct str name, struct str file,
		   unsigned int profile_languages,
		   const struct code_class *class)
{
	struct key key;

	if (key_make(&key, name, file, profile_languages))
		keep(memo, &memo->classes, &key, code_class_pack(class));
}
