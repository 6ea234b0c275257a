/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of more than one token, made of those of json.c.
 */
#include "base/json.h"
#include "base/num.h"

void json_each_object(struct json_reader *r,
		      void (*read)(struct json_reader *r, struct str key,
				   void *into),
		      void *into)
{
	struct str key;

	if (!json_enter(r, JSON_ARRAY))
		return;
	while (json_next_item(r)) {
		if (!json_enter(r, JSON_OBJECT))
			return;
		while (json_next_key(r, &key))
			read(r, key, into);
	}
}

bool json_next_object(struct json_reader *r)
{
	while (json_next_item(r))
		if (json_enter_nullable(r, JSON_OBJECT))
			return true;
	return false;
}

bool json_next_named(struct json_reader *r, struct str name)
{
	struct str key;

	while (json_next_key(r, &key)) {
		if (str_equal(key, name))
			return true;
		json_skip(r);
	}
	return false;
}

uint64_t json_u64_capped(struct json_reader *r)
{
	struct str text;
	uint64_t value = 0;

	if (json_peek(r) == JSON_NULL)
		json_skip(r);
	else if (json_number_text(r, &text) && !parse_u64(text, &value) &&
		 !parse_whole_u64(text, &value))
		value = UINT64_MAX;
	return value;
}
