/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/otlp_profiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/wirew.h"
#include "model/trace.h"

/* Of mappings and functions the fields that pprof has, too. */
#define LAST_SHIFTED 4u

bool otlp_refuse_older(struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is of the protocol before 1.9 (October 2025), "
			 "which numbered its fields otherwise: send it through "
			 "a current collector, or take pprof",
			 OTLP_PROFILES_WHAT);
}

/* ---- the dictionary ---- */

static bool keep_row(struct otlp_profiles *o, enum table table, struct str item,
		     struct error *err)
{
	struct rows *r = &o->tables[table];
	void *items = r->items;

	if (r->count == LIMIT_LOCATIONS)
		return error_set(err, ERROR_LIMIT,
				 "%s has a table of more than %u elements",
				 OTLP_PROFILES_WHAT, LIMIT_LOCATIONS);
	if (!arena_reserve(&o->scratch, &items, &r->cap, r->count + 1,
			   sizeof item))
		return arena_fail(&o->scratch, OTLP_PROFILES_WHAT, err);
	r->items = items;
	r->items[r->count++] = item;
	return true;
}

bool otlp_read_dictionary(struct otlp_profiles *o, struct wire *w,
			  struct error *err)
{
	struct wire_field f;

	while (wire_next(w, &f)) {
		uint32_t number = f.tag >> 3;

		if ((f.tag & 7) != WIRE_BYTES || number > TABLE_COUNT)
			continue;
		if (!keep_row(o, (enum table)(number - 1), f.bytes, err))
			return false;
	}
	return wire_check(w, OTLP_PROFILES_WHAT, err);
}

struct str otlp_row(const struct otlp_profiles *o, enum table table,
		    uint64_t index)
{
	const struct rows *r = &o->tables[table];

	return index && index < r->count ? r->items[index] : STR("");
}

bool otlp_check_place(const struct otlp_profiles *o, enum table table,
		      uint64_t index, const char *what, struct error *err)
{
	if (!index || index < o->tables[table].count)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off: %s %" PRIu64
			 " is not in its dictionary",
			 OTLP_PROFILES_WHAT, what, index);
}

/* ---- what both messages have, under other numbers ---- */

/* The fields of a row that are numbers, each under the next number: the first
 * is the id. Those from first_string to last_string are strings. */
static bool put_shifted(struct otlp_profiles *o, uint32_t field, uint32_t id,
			struct str row, uint32_t first_string,
			uint32_t last_string, struct error *err)
{
	size_t at = wirew_open(&o->out, field);
	struct wire_field f;
	struct wire w;

	wirew_varint(&o->out, 1, id);
	wire_init(&w, row);
	while (wire_next(&w, &f)) {
		uint32_t number = f.tag >> 3;

		if ((f.tag & 7) != WIRE_VARINT || number > LAST_SHIFTED)
			continue;
		if (number >= first_string && number <= last_string &&
		    !otlp_check_place(o, STRINGS, f.value, "string", err))
			return false;
		wirew_known(&o->out, number + 1, f.value);
	}
	wirew_close(&o->out, at);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

/* Lines are the same in both. */
static bool check_line(const struct otlp_profiles *o, struct str line,
		       struct error *err)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, line);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT) &&
		    !otlp_check_place(o, FUNCTIONS, f.value, "function", err))
			return false;
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static bool put_location(struct otlp_profiles *o, uint32_t id, struct str row,
			 struct error *err)
{
	size_t at = wirew_open(&o->out, 4);
	struct wire_field f;
	struct wire w;

	wirew_varint(&o->out, 1, id);
	wire_init(&w, row);
	while (wire_next(&w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_VARINT):
			if (!otlp_check_place(o, MAPPINGS, f.value, "mapping",
					      err))
				return false;
			wirew_known(&o->out, 2, f.value);
			break;
		case WIRE_TAG(2, WIRE_VARINT):
			wirew_known(&o->out, 3, f.value);
			break;
		case WIRE_TAG(3, WIRE_BYTES):
			if (!check_line(o, f.bytes, err))
				return false;
			wirew_str(&o->out, 4, f.bytes);
			break;
		default:
			break;
		}
	wirew_close(&o->out, at);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

bool otlp_put_tables(struct otlp_profiles *o, struct error *err)
{
	const struct rows *r = o->tables;

	wirew_str(&o->out, 6, STR(""));
	for (uint32_t i = 1; i < r[STRINGS].count; i++)
		wirew_str(&o->out, 6, r[STRINGS].items[i]);
	for (uint32_t i = 1; i < r[MAPPINGS].count; i++)
		if (!put_shifted(o, 3, i, r[MAPPINGS].items[i], 4, 4, err))
			return false;
	for (uint32_t i = 1; i < r[LOCATIONS].count; i++)
		if (!put_location(o, i, r[LOCATIONS].items[i], err))
			return false;
	for (uint32_t i = 1; i < r[FUNCTIONS].count; i++)
		if (!put_shifted(o, 5, i, r[FUNCTIONS].items[i], 1, 3, err))
			return false;
	return true;
}

/* ---- labels ---- */

/* A string of its own, behind those that were written; its number. */
static uint32_t put_extra(struct otlp_profiles *o, struct str text)
{
	uint32_t count = o->tables[STRINGS].count;

	wirew_str(&o->out, 6, text);
	return (count ? count : 1) + o->extra_strings++;
}

static void add_label(struct otlp_profiles *o, uint64_t key, uint64_t text)
{
	size_t at;

	if (!key || !text)
		return;
	at = wirew_open(&o->labels, 3);
	wirew_varint(&o->labels, 1, key);
	wirew_varint(&o->labels, 2, text);
	wirew_close(&o->labels, at);
}

/* The number of an AnyValue's text; 0 for what is none and no whole number. */
static uint64_t value_string(struct otlp_profiles *o, struct str value)
{
	char text[24];
	struct wire_field f;
	uint64_t number = 0;
	struct wire w;

	wire_init(&w, value);
	while (wire_next(&w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			number = put_extra(o, f.bytes);
			break;
		case WIRE_TAG(2, WIRE_VARINT):
			number = put_extra(o, f.value ? STR("true")
						      : STR("false"));
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			snprintf(text, sizeof text, "%" PRId64,
				 (int64_t)f.value);
			number = put_extra(o, str_from(text));
			break;
		case WIRE_TAG(8, WIRE_VARINT):
			number = f.value;
			break;
		default:
			break;
		}
	return number;
}

/* A pair of a resource or scope, whose key is 1 or, since 1.10, the string in
 * 3; or of the table, whose key is the string in 1. */
static void add_pair(struct otlp_profiles *o, struct str pair)
{
	struct str value = STR("");
	struct wire_field f;
	uint64_t key = 0;
	struct wire w;

	wire_init(&w, pair);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) && f.bytes.len)
			key = put_extra(o, f.bytes);
		else if (f.tag == WIRE_TAG(1, WIRE_VARINT) ||
			 (f.tag == WIRE_TAG(3, WIRE_VARINT) && !key))
			key = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			value = f.bytes;
	add_label(o, key, value_string(o, value));
}

void otlp_add_pairs(struct otlp_profiles *o, struct str message, uint32_t field)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(field, WIRE_BYTES))
			add_pair(o, f.bytes);
}

static void add_id(struct otlp_profiles *o, struct str key, struct str id)
{
	char hex[2 * sizeof(struct trace_id) + 1];

	if (id.len == 0 || id.len > sizeof(struct trace_id))
		return;
	for (size_t i = 0; i < id.len; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)id.ptr[i]);
	add_label(o, put_extra(o, key), put_extra(o, str_from(hex)));
}

/* Which span it was taken in, under the names that Pyroscope gives them. */
static void add_link(struct otlp_profiles *o, struct str link)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, link);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES))
			add_id(o, STR("trace_id"), f.bytes);
		else if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			add_id(o, STR("span_id"), f.bytes);
}

/* Elements of a table become the labels that they stand for. */
static bool label_rows(struct otlp_profiles *o, enum table table,
		       void (*add)(struct otlp_profiles *o, struct str row),
		       struct error *err)
{
	struct rows *r = &o->tables[table];

	for (uint32_t i = 1; i < r->count; i++) {
		buf_clear(&o->labels);
		add(o, r->items[i]);
		if (!buf_check(&o->labels, OTLP_PROFILES_WHAT, err) ||
		    !buf_check(&o->out, OTLP_PROFILES_WHAT, err))
			return false;
		r->items[i] = arena_str(&o->scratch, buf_str(&o->labels));
		if (!r->items[i].ptr)
			return arena_fail(&o->scratch, OTLP_PROFILES_WHAT, err);
	}
	buf_clear(&o->labels);
	return true;
}

void otlp_use_attribute(struct otlp_profiles *o, uint64_t index)
{
	buf_add_str(&o->labels, otlp_row(o, ATTRIBUTES, index));
}

void otlp_use_attributes(struct otlp_profiles *o, struct str packed)
{
	struct wire w;
	uint64_t index;

	wire_init(&w, packed);
	while (wire_next_varint(&w, &index))
		otlp_use_attribute(o, index);
}

bool otlp_label_tables(struct otlp_profiles *o, struct error *err)
{
	return label_rows(o, ATTRIBUTES, add_pair, err) &&
	       label_rows(o, LINKS, add_link, err);
}
