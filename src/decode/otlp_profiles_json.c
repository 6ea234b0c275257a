/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON of OTLP's profiles, turned into its protobuf (the mapping of proto3,
 * with ids as hex, as OTLP has it, or as base64). Collectors write a document a
 * line, each with a dictionary of its own: their tables are put one behind
 * another, and what refers to them is moved along.
 */
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/wirew.h"
#include "decode/formats.h"
#include "decode/ids.h"
#include "decode/otlp_profiles.h"

/* The deepest message is a value: data, resource profiles, resource, attribute,
 * value, each in an array. */
#define MOST_OPEN 16u

enum kind {
	MESSAGE,
	NUMBER,
	FIXED,
	TEXT,
	TRACE_ID,
	SPAN_ID,
	PLACE, /* in a table, of which `of` tells */
	OLDER, /* only revisions before 1.9 have it */
};

enum message {
	DATA,
	DICTIONARY,
	RESOURCE_PROFILES,
	RESOURCE,
	SCOPE_PROFILES,
	SCOPE,
	PROFILE,
	VALUE_TYPE,
	SAMPLE,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	LINK,
	ATTRIBUTE,
	STACK,
	PAIR,
	VALUE,
};

static const struct member {
	enum message in;
	const char *name;
	uint32_t number;
	enum kind kind;
	unsigned of; /* enum message or enum table */
} members[] = {
	{ DATA, "resourceProfiles", 1, MESSAGE, RESOURCE_PROFILES },
	{ DATA, "dictionary", 2, MESSAGE, DICTIONARY },
	{ DICTIONARY, "mappingTable", 1, MESSAGE, MAPPING },
	{ DICTIONARY, "locationTable", 2, MESSAGE, LOCATION },
	{ DICTIONARY, "functionTable", 3, MESSAGE, FUNCTION },
	{ DICTIONARY, "linkTable", 4, MESSAGE, LINK },
	{ DICTIONARY, "stringTable", 5, TEXT, 0 },
	{ DICTIONARY, "attributeTable", 6, MESSAGE, ATTRIBUTE },
	{ DICTIONARY, "stackTable", 7, MESSAGE, STACK },
	{ DICTIONARY, "attributeUnits", 0, OLDER, 0 },
	{ RESOURCE_PROFILES, "resource", 1, MESSAGE, RESOURCE },
	{ RESOURCE_PROFILES, "scopeProfiles", 2, MESSAGE, SCOPE_PROFILES },
	{ RESOURCE, "attributes", 1, MESSAGE, PAIR },
	{ SCOPE_PROFILES, "scope", 1, MESSAGE, SCOPE },
	{ SCOPE_PROFILES, "profiles", 2, MESSAGE, PROFILE },
	{ SCOPE, "attributes", 3, MESSAGE, PAIR },
	{ PROFILE, "sampleType", 1, MESSAGE, VALUE_TYPE },
	{ PROFILE, "samples", 2, MESSAGE, SAMPLE },
	{ PROFILE, "sample", 0, OLDER, 0 },
	{ PROFILE, "timeUnixNano", 3, FIXED, 0 },
	{ PROFILE, "durationNano", 4, NUMBER, 0 },
	{ PROFILE, "periodType", 5, MESSAGE, VALUE_TYPE },
	{ PROFILE, "period", 6, NUMBER, 0 },
	{ PROFILE, "attributeIndices", 11, PLACE, ATTRIBUTES },
	{ VALUE_TYPE, "typeStrindex", 1, PLACE, STRINGS },
	{ VALUE_TYPE, "unitStrindex", 2, PLACE, STRINGS },
	{ SAMPLE, "stackIndex", 1, PLACE, STACKS },
	{ SAMPLE, "attributeIndices", 2, PLACE, ATTRIBUTES },
	{ SAMPLE, "linkIndex", 3, PLACE, LINKS },
	{ SAMPLE, "values", 4, NUMBER, 0 },
	{ SAMPLE, "timestampsUnixNano", 5, FIXED, 0 },
	{ MAPPING, "memoryStart", 1, NUMBER, 0 },
	{ MAPPING, "memoryLimit", 2, NUMBER, 0 },
	{ MAPPING, "fileOffset", 3, NUMBER, 0 },
	{ MAPPING, "filenameStrindex", 4, PLACE, STRINGS },
	{ LOCATION, "mappingIndex", 1, PLACE, MAPPINGS },
	{ LOCATION, "address", 2, NUMBER, 0 },
	{ LOCATION, "lines", 3, MESSAGE, LINE },
	{ LINE, "functionIndex", 1, PLACE, FUNCTIONS },
	{ LINE, "line", 2, NUMBER, 0 },
	{ LINE, "column", 3, NUMBER, 0 },
	{ FUNCTION, "nameStrindex", 1, PLACE, STRINGS },
	{ FUNCTION, "systemNameStrindex", 2, PLACE, STRINGS },
	{ FUNCTION, "filenameStrindex", 3, PLACE, STRINGS },
	{ FUNCTION, "startLine", 4, NUMBER, 0 },
	{ LINK, "traceId", 1, TRACE_ID, 0 },
	{ LINK, "spanId", 2, SPAN_ID, 0 },
	{ ATTRIBUTE, "keyStrindex", 1, PLACE, STRINGS },
	{ ATTRIBUTE, "value", 2, MESSAGE, VALUE },
	{ STACK, "locationIndices", 1, PLACE, LOCATIONS },
	{ PAIR, "key", 1, TEXT, 0 },
	{ PAIR, "value", 2, MESSAGE, VALUE },
	{ PAIR, "keyStrindex", 3, PLACE, STRINGS },
	{ VALUE, "stringValue", 1, TEXT, 0 },
	{ VALUE, "intValue", 3, NUMBER, 0 },
	{ VALUE, "stringValueStrindex", 8, PLACE, STRINGS },
};

/* A message or an array of them that is being read. */
struct open {
	enum message message;
	const struct member *array_of; /* NULL: a message */
	size_t at;
};

struct converter {
	struct json_reader *json;
	struct buf out;
	struct open open[MOST_OPEN];
	unsigned depth;
	/* Elements of the tables: of all documents, of those before this one.
	 */
	uint64_t counts[TABLE_COUNT];
	uint64_t bases[TABLE_COUNT];
	bool is_older;
};

static const struct member *find_member(enum message message, struct str key)
{
	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (members[i].in == message &&
		    str_equal(key, str_from(members[i].name)))
			return &members[i];
	return NULL;
}

static void count_element(struct converter *c, const struct member *m)
{
	if (m->in == DICTIONARY)
		c->counts[m->number - 1]++;
}

/* ---- values ---- */

static uint64_t read_number(struct converter *c)
{
	int64_t value = 0;

	if (!json_i64(c->json, &value))
		return 0;
	return (uint64_t)value;
}

/* Places and numbers. */
static uint64_t read_whole(struct converter *c, const struct member *m)
{
	uint64_t value =
		m->kind == NUMBER ? read_number(c) : json_u64_capped(c->json);

	return m->kind == PLACE && value ? value + c->bases[m->of] : value;
}

static void put_fixed(struct buf *b, uint64_t value)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(value >> 8 * i);
	buf_add(b, bytes, sizeof bytes);
}

/* An array of numbers, packed. */
static void put_numbers(struct converter *c, const struct member *m)
{
	size_t at = wirew_open(&c->out, m->number);

	if (!json_enter(c->json, JSON_ARRAY))
		return;
	while (json_next_item(c->json))
		if (m->kind == FIXED)
			put_fixed(&c->out, read_whole(c, m));
		else
			wirew_element(&c->out, read_whole(c, m));
	wirew_close(&c->out, at);
}

static void put_text(struct converter *c, const struct member *m)
{
	struct str text;

	if (!json_text(c->json, &text))
		return;
	wirew_str(&c->out, m->number, text);
	count_element(c, m);
}

static void put_texts(struct converter *c, const struct member *m)
{
	if (!json_enter(c->json, JSON_ARRAY))
		return;
	while (json_next_item(c->json))
		put_text(c, m);
}

static void put_id(struct converter *c, const struct member *m)
{
	struct trace_id trace;
	uint64_t span;
	struct str text = json_text_nullable(c->json);

	if (m->kind == TRACE_ID && trace_id_from_text(text, &trace)) {
		wirew_str(&c->out, m->number,
			  (struct str){ (const char *)trace.bytes,
					sizeof trace.bytes });
	} else if (m->kind == SPAN_ID && span_id_from_text(text, &span)) {
		char bytes[8];

		for (unsigned i = 0; i < sizeof bytes; i++)
			bytes[i] = (char)(span >> (56 - 8 * i));
		wirew_str(&c->out, m->number,
			  (struct str){ bytes, sizeof bytes });
	}
}

/* ---- messages ---- */

static void push(struct converter *c, const struct member *m, bool is_array)
{
	struct open *o = &c->open[c->depth];

	if (!json_enter(c->json, is_array ? JSON_ARRAY : JSON_OBJECT))
		return;
	*o = (struct open){ .array_of = is_array ? m : NULL,
			    .message = (enum message)m->of };
	if (!is_array) {
		o->at = wirew_open(&c->out, m->number);
		count_element(c, m);
	}
	c->depth++;
}

static void read_member(struct converter *c, const struct member *m)
{
	bool is_array = json_peek(c->json) == JSON_ARRAY;

	switch (m->kind) {
	case MESSAGE:
		push(c, m, is_array);
		break;
	case TEXT:
		if (is_array)
			put_texts(c, m);
		else
			put_text(c, m);
		break;
	case TRACE_ID:
	case SPAN_ID:
		put_id(c, m);
		break;
	case OLDER:
		c->is_older = true;
		json_skip(c->json);
		break;
	case NUMBER:
	case FIXED:
	case PLACE:
		if (is_array)
			put_numbers(c, m);
		else if (m->kind == FIXED)
			wirew_fixed64(&c->out, m->number, read_whole(c, m));
		else
			wirew_varint(&c->out, m->number, read_whole(c, m));
		break;
	}
}

static void read_key(struct converter *c, struct str key)
{
	const struct member *m =
		find_member(c->open[c->depth - 1].message, key);

	if (m && json_peek(c->json) != JSON_NULL)
		read_member(c, m);
	else
		json_skip(c->json);
}

/* Goes on in the innermost message or array that is open. */
static void step(struct converter *c)
{
	struct open *o = &c->open[c->depth - 1];
	struct str key;

	if (o->array_of) {
		if (json_next_item(c->json))
			push(c, o->array_of, false);
		else
			c->depth--;
	} else if (json_next_key(c->json, &key)) {
		read_key(c, key);
	} else {
		if (c->depth > 1)
			wirew_close(&c->out, o->at);
		c->depth--;
	}
}

static void read_document(struct converter *c)
{
	memcpy(c->bases, c->counts, sizeof c->bases);
	if (!json_enter(c->json, JSON_OBJECT))
		return;
	c->open[0] = (struct open){ .message = DATA };
	c->depth = 1;
	while (c->depth && !json_failed(c->json))
		step(c);
}

static bool convert(struct converter *c, struct error *err)
{
	while (!json_at_end(c->json) && !json_failed(c->json))
		read_document(c);
	if (c->is_older)
		return otlp_refuse_older(err);
	return json_check(c->json, err) &&
	       buf_check(&c->out, OTLP_PROFILES_WHAT, err);
}

bool decode_otlp_profiles_json(struct str bytes,
			       const struct profile_want *want,
			       struct profile *out, struct notes *notes,
			       struct error *err)
{
	struct converter c = { .json = json_new(bytes, err) };
	bool is_done;

	if (!c.json)
		return false;
	buf_init(&c.out, LIMIT_DECODE_HEAP_BYTES);
	is_done = convert(&c, err);
	json_free(c.json);
	if (is_done)
		is_done = otlp_profiles_decode(buf_str(&c.out), true, want, out,
					       notes, err);
	buf_release(&c.out);
	return is_done;
}
