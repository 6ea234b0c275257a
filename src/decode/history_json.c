/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/history_json.h"

#include <string.h>

#include "base/num.h"
#include "decode/ids.h"
#include "decode/trace_json.h"

bool search_json_init(struct search_json *s, struct str bytes,
		      struct history *h, const struct history_want *want,
		      struct error *err)
{
	*s = (struct search_json){ .r = json_new(bytes, err) };
	if (!s->r)
		return false;
	gather_init(&s->gather, h, want);
	facts_init(&s->facts);
	buf_init(&s->text, LIMIT_STRING_BYTES);
	buf_init(&s->late, LIMIT_BODY_PLAIN_BYTES);
	return true;
}

bool search_json_finish(struct search_json *s, const char *what,
			struct error *err)
{
	bool is_read = s->err.code == ERROR_NONE;

	if (!is_read)
		*err = s->err;
	else if (!json_check(s->r, err))
		is_read = error_prefix(err, "damaged or cut-off %s", what);
	json_free(s->r);
	buf_release(&s->late);
	buf_release(&s->text);
	facts_release(&s->facts);
	return gather_finish(&s->gather, is_read, err);
}

bool search_json_stored(struct search_json *s, bool is_stored)
{
	return is_stored || json_fail(s->r, "%s", s->err.message);
}

void search_json_trace_id(struct search_json *s, struct trace_id *id)
{
	struct str text = json_text_nullable(s->r);

	if (!trace_id_from_short_text(text, id))
		json_fail(s->r, "'%.*s' is no trace id", STR_ARGS(text));
}

uint64_t search_json_span_id(struct search_json *s)
{
	struct str text = json_text_nullable(s->r);
	uint64_t id = 0;

	if (!span_id_from_short_text(text, &id))
		json_fail(s->r, "'%.*s' is no span id", STR_ARGS(text));
	return id;
}

/* Tempo writes the length of a span that ends before it begins as 2^64. */
uint64_t search_json_number(struct search_json *s)
{
	struct str text;
	uint64_t number = 0;

	if (json_peek(s->r) == JSON_NULL) {
		json_skip(s->r);
		return 0;
	}
	if (!json_number_text(s->r, &text))
		return 0;
	return parse_whole_u64(text, &number) ? number : UINT64_MAX;
}

/* ---- attributes ---- */

/* The text of {"stringValue": "..."}; of any other value "". */
static void read_value(struct search_json *s)
{
	struct str key;

	buf_clear(&s->text);
	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		if (str_equal(key, STR("stringValue")))
			buf_add_str(&s->text, json_text_nullable(s->r));
		else
			json_skip(s->r);
}

void search_json_text_set(struct search_json *s, struct str key)
{
	if (s->text.state == BUF_OUT_OF_MEMORY)
		search_json_stored(s, error_memory(&s->err, "other traces"));
	facts_set(&s->facts, facts_find(&s->facts, key), buf_str(&s->text));
}

static void read_attribute(struct search_json *s)
{
	char name[ATTR_KEY_BYTES];
	struct str key = { name, 0 }, member;
	bool has_key = false;

	buf_clear(&s->text);
	while (json_next_key(s->r, &member))
		if (str_equal(member, STR("key"))) {
			struct str text = json_text_nullable(s->r);

			has_key = true;
			key.len = text.len < sizeof name ? text.len : 0;
			memcpy(name, text.ptr, key.len);
		} else if (str_equal(member, STR("value")) &&
			   (!has_key ||
			    facts_find(&s->facts, key) != FACT_NONE)) {
			read_value(s);
		} else {
			json_skip(s->r);
		}
	search_json_text_set(s, key);
}

void search_json_attributes(struct search_json *s)
{
	if (!json_enter_nullable(s->r, JSON_ARRAY))
		return;
	while (json_next_item(s->r))
		if (json_enter_nullable(s->r, JSON_OBJECT))
			read_attribute(s);
}

void search_json_late(struct search_json *s,
		      void (*read)(struct search_json *s))
{
	struct json_reader *outer = s->r;

	if (s->late.len == 0)
		return;
	s->r = json_new(buf_str(&s->late), &s->err);
	if (s->r) {
		read(s);
		if (s->err.code == ERROR_NONE)
			(void)!json_check(s->r, &s->err);
		json_free(s->r);
	}
	s->r = outer;
	buf_clear(&s->late);
	search_json_stored(s, s->err.code == ERROR_NONE);
}
