/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenTelemetry profiles (opentelemetry-proto 1.8 to 1.11: ProfilesData of
 * profiles/v1development/profiles.proto, which is also what receivers get),
 * converted to one pprof message, so that types, labels, locations and
 * addresses are handled alike. Differences: tables are shared by all profiles,
 * and their first elements are null entries; stacks are a table; each profile
 * has one type; labels refer to strings, or have other values.
 *
 * Before 1.10 the fields of samples had other numbers (otlp_numbering.c), in
 * 1.8 also some of profiles; older versions are recognised by field types and
 * refused. Numbers may be packed or not, as in any protobuf; async-profiler
 * does not pack them.
 *
 * A first element that is not empty violates the protocol. Python's
 * opentelemetry-sdk-extension-profiling (0.63b4) has them, and refers to them.
 */
#include "decode/otlp_profiles.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/num.h"
#include "base/wirew.h"
#include "decode/formats.h"
#include "decode/profile_type.h"
#include "decode/values.h"
#include "decode/wire.h"
#include "model/trace.h"

/* The last field of mappings and functions that is also in pprof. */
#define LAST_SHIFTED 4u

/* ---- the dictionary ---- */

struct otlp_profiles {
	const struct profile_want *want;
	struct str bytes;
	/* The message was joined from several documents, whose tables are
	 * concatenated. */
	bool is_joined;
	struct arena scratch;
	struct rows tables[TABLE_COUNT];
	struct otlp_evidence evidence;
	const struct otlp_numbering *numbering; /* of samples */
	/* Sample types of the output message: a sample has a value for each. */
	struct otlp_type columns[LIMIT_SAMPLE_TYPES];
	uint32_t column_count;
	uint32_t own_columns; /* those that profiles declare */
	struct otlp_type period_type;
	uint64_t period;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t sample_count;
	uint32_t extra_strings; /* after those of the dictionary */
	struct buf out;
	struct buf labels; /* of the current resource and profile */
};

/* Adds the elements of a dictionary's tables. */
static bool otlp_read_dictionary(struct otlp_profiles *o, struct wire *w,
				 struct error *err)
{
	struct wire_field f;

	while (wire_next(w, &f)) {
		uint32_t number = f.tag >> 3;
		struct rows *r;
		void *items;

		if ((f.tag & 7) != WIRE_BYTES || number > TABLE_COUNT)
			continue;
		r = &o->tables[number - 1];
		if (r->count == LIMIT_LOCATIONS)
			return error_set(
				err, ERROR_LIMIT,
				"%s has a table of more than %u elements",
				OTLP_PROFILES_WHAT, LIMIT_LOCATIONS);
		items = r->items;
		if (!arena_reserve(&o->scratch, &items, &r->cap, r->count + 1,
				   sizeof f.bytes))
			return arena_fail(&o->scratch, OTLP_PROFILES_WHAT, err);
		r->items = items;
		r->items[r->count++] = f.bytes;
	}
	return wire_check(w, OTLP_PROFILES_WHAT, err);
}

/* Returns whether row 0 can be a real one. In links and mappings it means none,
 * in strings it is empty. */
static bool may_have_first(enum table table)
{
	return table != LINKS && table != MAPPINGS && table != STRINGS;
}

/* Determines the tables in which row 0 is real: a zero message, however
 * encoded, is not. */
static void find_first_rows(struct otlp_profiles *o)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		struct rows *r = &o->tables[i];
		struct wire_field f;
		struct wire w;

		if (!r->count || !may_have_first((enum table)i))
			continue;
		wire_init(&w, r->items[0]);
		while (!r->has_first && wire_next(&w, &f))
			r->has_first = f.value != 0;
	}
}

/* Returns the row, empty if absent. */
static struct str otlp_row(const struct otlp_profiles *o, enum table table,
			   uint64_t index)
{
	const struct rows *r = &o->tables[table];

	return index >= first_row(r) && index < r->count
		       ? r->items[index]
		       : STR("");
}

/* Returns the id of a row in pprof, where 0 is none. */
static uint64_t id_of(const struct otlp_profiles *o, enum table table,
		      uint64_t index)
{
	const struct rows *r = &o->tables[table];

	return index || !r->has_first ? index : r->count;
}

/* Returns false if the table has no such row; `what` names it. */
static bool otlp_check_place(const struct otlp_profiles *o, enum table table,
			     uint64_t index, const char *what,
			     struct error *err)
{
	if (!index || index < o->tables[table].count)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off: %s %" PRIu64
			 " is not in its dictionary",
			 OTLP_PROFILES_WHAT, what, index);
}

/* ---- parts shared by both, with other numbers ---- */

/* Writes the numeric fields of a row, each under the next field number, after
 * the id. Fields first_string to last_string are strings. */
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

static bool put_line(struct otlp_profiles *o, struct str line,
		     struct error *err)
{
	size_t at = wirew_open(&o->out, 4);
	uint64_t function = 0;
	struct wire_field f;
	struct wire w;

	wire_init(&w, line);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			function = f.value;
		else if ((f.tag & 7) == WIRE_VARINT)
			wirew_known(&o->out, f.tag >> 3, f.value);
	if (!otlp_check_place(o, FUNCTIONS, function, "function", err))
		return false;
	wirew_known(&o->out, 1, id_of(o, FUNCTIONS, function));
	wirew_close(&o->out, at);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static bool table_location(struct otlp_profiles *o, uint32_t id, struct str row,
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
			if (!put_line(o, f.bytes, err))
				return false;
			break;
		default:
			break;
		}
	wirew_close(&o->out, at);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

/* Writes strings, mappings, locations and functions. */
static bool otlp_put_tables(struct otlp_profiles *o, struct error *err)
{
	const struct rows *r = o->tables;

	wirew_str(&o->out, 6, STR(""));
	for (uint32_t i = 1; i < r[STRINGS].count; i++)
		wirew_str(&o->out, 6, r[STRINGS].items[i]);
	for (uint32_t i = 1; i < r[MAPPINGS].count; i++)
		if (!put_shifted(o, 3, i, r[MAPPINGS].items[i], 4, 4, err))
			return false;
	for (uint32_t i = first_row(&r[LOCATIONS]); i < r[LOCATIONS].count; i++)
		if (!table_location(o, (uint32_t)id_of(o, LOCATIONS, i),
				    r[LOCATIONS].items[i], err))
			return false;
	for (uint32_t i = first_row(&r[FUNCTIONS]); i < r[FUNCTIONS].count; i++)
		if (!put_shifted(o, 5, (uint32_t)id_of(o, FUNCTIONS, i),
				 r[FUNCTIONS].items[i], 1, 3, err))
			return false;
	return true;
}

/* ---- labels ---- */

/* Adds a string after those written; returns its index. */
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

/* Returns the index of an AnyValue's text; 0 unless it is a string or an
 * integer. */
static uint64_t put_value_string(struct otlp_profiles *o, struct str value)
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

/* Adds an attribute of a resource or scope, whose key is in field 1 or, since
 * 1.10, a string index in 3; or of the table, whose key is a string index in
 * 1. */
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
	add_label(o, key, put_value_string(o, value));
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

/* Adds the span of a sample, as Pyroscope's labels. */
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

/* Converts rows of a table to labels. */
static bool label_rows(struct otlp_profiles *o, enum table table,
		       void (*add)(struct otlp_profiles *o, struct str row),
		       struct error *err)
{
	struct rows *r = &o->tables[table];

	for (uint32_t i = first_row(r); i < r->count; i++) {
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

/* ValueType, see otlp_profiles.h. */

const struct type_name otlp_counted = { { "samples", 7 }, { "count", 5 } };

struct otlp_type otlp_type_read(struct str message)
{
	struct otlp_type t = { 0, 0 };
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			t.type = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			t.unit = f.value;
	return t;
}

void otlp_type_put(struct buf *b, uint32_t field, struct otlp_type t)
{
	size_t at = wirew_open(b, field);

	wirew_known(b, 1, t.type);
	wirew_known(b, 2, t.unit);
	wirew_close(b, at);
}

/* Limit for labels of a sample, which typically have some hundred bytes. */
#define LABELS_BYTES (64 * KIB)

struct profile_head {
	struct otlp_type type;
	struct otlp_type period_type;
	uint64_t period;
	uint64_t start_ns;
	uint64_t duration_ns;
	uint32_t column;
	/* The column of samples times period, if samples are counted and the
	 * period is a time. */
	uint32_t times_column;
	bool has_times;
	bool is_1_8; /* has fields that 1.9 removed or renumbered */
};

/* ---- samples ---- */

/* Adds the attributes of a sample or profile. */
static void use_attributes(struct otlp_profiles *o, struct wire w,
			   uint32_t field)
{
	struct wire_field f;
	struct wire packed;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(field, WIRE_BYTES)) {
			uint64_t index;

			wire_init(&packed, f.bytes);
			while (wire_next_varint(&packed, &index))
				buf_add_str(&o->labels,
					    otlp_row(o, ATTRIBUTES, index));
		} else if (f.tag == WIRE_TAG(field, WIRE_VARINT)) {
			buf_add_str(&o->labels,
				    otlp_row(o, ATTRIBUTES, f.value));
		}
}

static bool put_location(struct otlp_profiles *o, uint64_t location,
			 struct error *err)
{
	if (!otlp_check_place(o, LOCATIONS, location, "location", err))
		return false;
	wirew_element(&o->out, id_of(o, LOCATIONS, location));
	return true;
}

static bool put_stack(struct otlp_profiles *o, uint64_t stack,
		      struct error *err)
{
	struct str row = otlp_row(o, STACKS, stack);
	size_t at = wirew_open(&o->out, 1);
	struct wire_field f;
	struct wire w, inside;
	uint64_t location;

	if (!otlp_check_place(o, STACKS, stack, "stack", err))
		return false;
	wire_init(&w, row);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT) &&
		    !put_location(o, f.value, err))
			return false;
		if (f.tag != WIRE_TAG(1, WIRE_BYTES))
			continue;
		inside = wire_inside(&w, &f);
		while (wire_next_varint(&inside, &location))
			if (!put_location(o, location, err))
				return false;
		if (!wire_check(&inside, OTLP_PROFILES_WHAT, err))
			return false;
	}
	wirew_close(&o->out, at);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static void put_values(struct otlp_profiles *o, const struct profile_head *h,
		       int64_t value)
{
	size_t at = wirew_open(&o->out, 2);

	for (uint32_t i = 0; i < o->column_count; i++)
		if (i == h->column)
			wirew_element(&o->out, (uint64_t)value);
		else if (h->has_times && i == h->times_column)
			wirew_element(&o->out,
				      (uint64_t)sat_mul_i64(
					      value, (int64_t)h->period));
		else
			wirew_element(&o->out, 0);
	wirew_close(&o->out, at);
}

static bool put_sample(struct otlp_profiles *o, const struct profile_head *h,
		       struct wire *w, struct error *err)
{
	const struct otlp_numbering *n = o->numbering;
	const struct wire whole = *w;
	const struct otlp_numbers *values;
	struct otlp_sample s;
	size_t shared = o->labels.len, at;

	if (++o->sample_count > LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u samples",
				 OTLP_PROFILES_WHAT, LIMIT_SAMPLES);
	if (!otlp_sample_read(w, &s, err) ||
	    (!o->is_joined && !otlp_sample_check(&s, n, err)))
		return false;
	if (o->want->labels) {
		use_attributes(o, whole, n->attributes);
		buf_add_str(&o->labels,
			    otlp_row(o, LINKS, s.fields[n->link].last));
	}
	values = &s.fields[n->values];
	at = wirew_open(&o->out, 2);
	if (!put_stack(o, s.stack, err))
		return false;
	put_values(o, h, values->count ? values->sum : (int64_t)s.times);
	buf_add_str(&o->out, buf_str(&o->labels));
	wirew_close(&o->out, at);
	buf_cut(&o->labels, shared);
	return buf_check(&o->out, OTLP_PROFILES_WHAT, err) &&
	       buf_check(&o->labels, OTLP_PROFILES_WHAT, err);
}

/* ---- profiles ---- */

static struct type_name name_of(const struct otlp_profiles *o,
				struct otlp_type c)
{
	return (struct type_name){ otlp_row(o, STRINGS, c.type),
				   otlp_row(o, STRINGS, c.unit) };
}

static bool find_column(struct otlp_profiles *o, struct otlp_type c,
			uint32_t *column, struct error *err)
{
	for (*column = 0; *column < o->column_count; (*column)++)
		if (type_name_equal(name_of(o, o->columns[*column]),
				    name_of(o, c)))
			return true;
	if (o->column_count == LIMIT_SAMPLE_TYPES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u sample types",
				 OTLP_PROFILES_WHAT, LIMIT_SAMPLE_TYPES);
	o->columns[o->column_count++] = c;
	return true;
}

static bool read_head(const struct wire *profile, struct profile_head *h,
		      struct error *err)
{
	struct wire w = *profile;
	struct wire_field f;

	*h = (struct profile_head){ .period = 0 };
	while (wire_next(&w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			h->type = otlp_type_read(f.bytes);
			break;
		case WIRE_TAG(3, WIRE_FIXED64):
			h->start_ns = f.value;
			break;
		case WIRE_TAG(4, WIRE_VARINT):
			h->duration_ns = f.value;
			break;
		case WIRE_TAG(5, WIRE_BYTES):
			h->period_type = otlp_type_read(f.bytes);
			break;
		case WIRE_TAG(6, WIRE_VARINT):
			h->period = f.value;
			break;
		case WIRE_TAG(7, WIRE_VARINT):  /* comment */
		case WIRE_TAG(8, WIRE_BYTES):   /* profile id */
		case WIRE_TAG(9, WIRE_VARINT):  /* dropped attributes */
		case WIRE_TAG(12, WIRE_VARINT): /* attributes */
		case WIRE_TAG(12, WIRE_BYTES):
			h->is_1_8 = true;
			break;
		case WIRE_TAG(3, WIRE_VARINT): /* locations in 1.7 */
		case WIRE_TAG(3, WIRE_BYTES):
		case WIRE_TAG(5, WIRE_VARINT): /* duration */
		case WIRE_TAG(6, WIRE_BYTES):  /* period type */
			return otlp_refuse_older(err);
		default:
			break;
		}
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

/* Adds the columns of a profile; that of times unless a profile has it
 * already. */
static bool find_columns(struct otlp_profiles *o, struct profile_head *h,
			 struct error *err)
{
	if (!find_column(o, h->type, &h->column, err))
		return false;
	/* Receivers multiply a sample count by the period. */
	if (!(type_name_equal(name_of(o, h->type), otlp_counted) && h->period &&
	      h->period <= INT64_MAX && name_of(o, h->period_type).type.len))
		return true;
	if (!find_column(o, h->period_type, &h->times_column, err))
		return false;
	h->has_times = h->times_column >= o->own_columns;
	return true;
}

/* Adds the profile's type, and extends the time range. */
static bool learn_own(struct otlp_profiles *o, const struct wire *profile,
		      struct error *err)
{
	struct profile_head h;
	uint64_t end_ns;

	if (!read_head(profile, &h, err) ||
	    !otlp_check_place(o, STRINGS, h.type.type, "string", err) ||
	    !otlp_check_place(o, STRINGS, h.type.unit, "string", err) ||
	    !find_column(o, h.type, &h.column, err))
		return false;
	o->own_columns = o->column_count;
	if (h.is_1_8)
		o->evidence.is_not[OTLP_NEWER] = true;
	if (h.period && !o->period) {
		o->period = h.period;
		o->period_type = h.period_type;
	}
	end_ns = h.start_ns + h.duration_ns;
	if (h.start_ns && (!o->start_ns || h.start_ns < o->start_ns))
		o->start_ns = h.start_ns;
	if (h.start_ns && end_ns >= h.start_ns && end_ns > o->end_ns)
		o->end_ns = end_ns;
	return true;
}

/* Collects evidence on the numbering of its samples. */
static bool learn_numbering(struct otlp_profiles *o, const struct wire *profile,
			    struct error *err)
{
	struct wire w = *profile, inside;
	struct otlp_sample s;
	struct wire_field f;

	while (!otlp_evidence_is_firm(&o->evidence) && wire_next(&w, &f)) {
		uint32_t number = f.tag >> 3;

		if (number == 11 || number == 12)
			o->evidence.has_profile_attributes = true;
		if (f.tag != WIRE_TAG(2, WIRE_BYTES))
			continue;
		inside = wire_inside(&w, &f);
		if (!otlp_sample_read(&inside, &s, err))
			return false;
		otlp_evidence_add(&o->evidence, &s, o->tables);
	}
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static bool learn_times(struct otlp_profiles *o, const struct wire *profile,
			struct error *err)
{
	struct profile_head h;

	return read_head(profile, &h, err) && find_columns(o, &h, err);
}

static bool put_samples(struct otlp_profiles *o, const struct wire *profile,
			struct error *err)
{
	struct wire w = *profile, sample;
	size_t shared = o->labels.len;
	struct profile_head h;
	struct wire_field f;

	if (!read_head(profile, &h, err) || !find_columns(o, &h, err))
		return false;
	if (o->want->labels)
		use_attributes(o, w, h.is_1_8 ? 12 : 11);
	while (wire_next(&w, &f)) {
		sample = wire_inside(&w, &f);
		if (f.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !put_sample(o, &h, &sample, err))
			return false;
	}
	buf_cut(&o->labels, shared);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

/* ---- message ---- */

typedef bool profile_step(struct otlp_profiles *o, const struct wire *profile,
			  struct error *err);

/* Adds labels of a resource or scope: in its field 1, under this number. */
static void label_with(struct otlp_profiles *o, const struct wire *owner,
		       uint32_t field)
{
	struct wire w = *owner, pairs;
	struct wire_field f;

	while (wire_next(&w, &f)) {
		if (f.tag != WIRE_TAG(1, WIRE_BYTES))
			continue;
		wire_init(&pairs, f.bytes);
		while (wire_next(&pairs, &f))
			if (f.tag == WIRE_TAG(field, WIRE_BYTES))
				add_pair(o, f.bytes);
	}
}

static bool each_of_scope(struct otlp_profiles *o, struct wire *scope,
			  profile_step *step, struct error *err)
{
	size_t shared = o->labels.len;
	struct wire_field f;
	struct wire profile;

	if (step == put_samples && o->want->labels)
		label_with(o, scope, 3);
	while (wire_next(scope, &f)) {
		profile = wire_inside(scope, &f);
		if (f.tag == WIRE_TAG(2, WIRE_BYTES) && !step(o, &profile, err))
			return false;
	}
	buf_cut(&o->labels, shared);
	return wire_check(scope, OTLP_PROFILES_WHAT, err);
}

static bool each_of_resource(struct otlp_profiles *o, struct wire *resource,
			     profile_step *step, struct error *err)
{
	struct wire_field f;
	struct wire scope;

	if (step == put_samples && o->want->labels)
		label_with(o, resource, 1);
	while (wire_next(resource, &f)) {
		scope = wire_inside(resource, &f);
		if (f.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !each_of_scope(o, &scope, step, err))
			return false;
	}
	buf_clear(&o->labels);
	return wire_check(resource, OTLP_PROFILES_WHAT, err);
}

/* Returns whether a dictionary is complete: its first string is empty, that of
 * a further part is not. */
static bool is_whole(struct wire dictionary)
{
	struct wire_field f;

	while (wire_next(&dictionary, &f))
		if (f.tag == WIRE_TAG(5, WIRE_BYTES))
			return !f.bytes.len;
	return false;
}

/* Calls step for each profile of the message; step NULL: reads its
 * dictionary. */
static bool each_profile(struct otlp_profiles *o, profile_step *step,
			 struct error *err)
{
	struct wire_field f;
	struct wire w, inside;

	wire_init(&w, o->bytes);
	while (wire_next(&w, &f)) {
		inside = wire_inside(&w, &f);
		if (!step && f.tag == WIRE_TAG(2, WIRE_BYTES)) {
			if (!o->is_joined && o->tables[STRINGS].count &&
			    is_whole(inside))
				/* Concatenated messages parse as one, whose
				 * samples would refer to wrong strings. */
				return error_set(
					err, ERROR_FORMAT,
					"%s holds two messages, one behind the "
					"other: their names would be mixed up; "
					"give them as two files",
					OTLP_PROFILES_WHAT);
			if (!otlp_read_dictionary(o, &inside, err))
				return false;
		} else if (step && f.tag == WIRE_TAG(1, WIRE_BYTES)) {
			if (!each_of_resource(o, &inside, step, err))
				return false;
		}
	}
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static bool profiles_convert(struct otlp_profiles *o, struct error *err)
{
	if (!each_profile(o, NULL, err))
		return false;
	find_first_rows(o);
	if (!each_profile(o, learn_own, err) ||
	    !each_profile(o, learn_times, err))
		return false;
	/* In JSON fields have names. */
	o->evidence.is_not[OTLP_OLDER] = o->is_joined;
	if (!each_profile(o, learn_numbering, err) ||
	    !otlp_numbering_choose(&o->evidence, o->tables, &o->numbering, err))
		return false;
	for (uint32_t i = 0; i < o->column_count; i++)
		otlp_type_put(&o->out, 1, o->columns[i]);
	if (o->period) {
		otlp_type_put(&o->out, 11, o->period_type);
		wirew_varint(&o->out, 12, o->period);
	}
	wirew_known(&o->out, 9, o->start_ns);
	wirew_known(&o->out, 10, o->end_ns - o->start_ns);
	if (!otlp_put_tables(o, err))
		return false;
	/* Attributes and links become labels, which adds strings. */
	if (o->want->labels && (!label_rows(o, ATTRIBUTES, add_pair, err) ||
				!label_rows(o, LINKS, add_link, err)))
		return false;
	return each_profile(o, put_samples, err) &&
	       buf_check(&o->out, OTLP_PROFILES_WHAT, err);
}

/* decode_otlp_profiles(), also for several dictionaries combined. */
static bool otlp_profiles_decode(struct str bytes, bool is_joined,
				 const struct profile_want *want,
				 struct profile *out, struct notes *notes,
				 struct error *err)
{
	struct otlp_profiles o = { .want = want,
				   .bytes = bytes,
				   .is_joined = is_joined };
	bool is_done;

	arena_init(&o.scratch, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&o.out, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&o.labels, LABELS_BYTES);
	is_done = profiles_convert(&o, err);
	arena_release(&o.scratch);
	buf_release(&o.labels);
	if (is_done)
		is_done = decode_pprof(buf_str(&o.out), want, out, notes, err);
	buf_release(&o.out);
	return is_done;
}

bool decode_otlp_profiles(struct str bytes, const struct profile_want *want,
			  struct profile *out, struct notes *notes,
			  struct error *err)
{
	return otlp_profiles_decode(bytes, false, want, out, notes, err);
}

/* OTLP profiles in JSON, converted to protobuf (proto3 mapping, with ids in
 * hex, as in OTLP, or base64). Collectors write a document per line, each with
 * its own dictionary: the tables are concatenated, and references are
 * shifted. */

/* Maximum nesting, of an attribute value: data, resource profiles, resource,
 * attribute, value, each in an array. */
#define MOST_OPEN 16u

enum kind {
	MESSAGE,
	NUMBER,
	FIXED,
	TEXT,
	TRACE_ID,
	SPAN_ID,
	PLACE, /* index in the table `of` */
	OLDER, /* only in revisions before 1.8 */
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
	{ PROFILE, "sample", 2, MESSAGE, SAMPLE }, /* before 1.9 */
	{ PROFILE, "locationIndices", 0, OLDER, 0 },
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
	{ SAMPLE, "value", 0, OLDER, 0 },
	{ MAPPING, "memoryStart", 1, NUMBER, 0 },
	{ MAPPING, "memoryLimit", 2, NUMBER, 0 },
	{ MAPPING, "fileOffset", 3, NUMBER, 0 },
	{ MAPPING, "filenameStrindex", 4, PLACE, STRINGS },
	{ LOCATION, "mappingIndex", 1, PLACE, MAPPINGS },
	{ LOCATION, "address", 2, NUMBER, 0 },
	{ LOCATION, "lines", 3, MESSAGE, LINE },
	{ LOCATION, "line", 3, MESSAGE, LINE }, /* before 1.9 */
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

/* An open message or array. */
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
	/* Number of rows: of all documents, and of those before the current
	 * one. */
	uint64_t counts[TABLE_COUNT];
	uint64_t bases[TABLE_COUNT];
	bool is_older;
};

static void count_element(struct converter *c, const struct member *m)
{
	if (m->in == DICTIONARY)
		c->counts[m->number - 1]++;
}

/* ---- values ---- */

/* Reads an index or a number. */
static uint64_t read_whole(struct converter *c, const struct member *m)
{
	uint64_t value;
	int64_t number = 0;

	if (m->kind == NUMBER)
		return json_i64(c->json, &number) ? (uint64_t)number : 0;
	value = json_u64_capped(c->json);
	return m->kind == PLACE && (value || may_have_first((enum table)m->of))
		       ? value + c->bases[m->of]
		       : value;
}

/* Reads an array of numbers, packed. */
static void put_numbers(struct converter *c, const struct member *m)
{
	size_t at = wirew_open(&c->out, m->number);

	if (!json_enter(c->json, JSON_ARRAY))
		return;
	while (json_next_item(c->json))
		if (m->kind == FIXED) {
			uint64_t value = read_whole(c, m);
			char bytes[8];

			for (unsigned i = 0; i < sizeof bytes; i++)
				bytes[i] = (char)(value >> 8 * i);
			buf_add(&c->out, bytes, sizeof bytes);
		} else {
			wirew_element(&c->out, read_whole(c, m));
		}
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

static void member_push(struct converter *c, const struct member *m,
			bool is_array)
{
	struct open *o = &c->open[c->depth];

	if (!json_enter(c->json, is_array ? JSON_ARRAY : JSON_OBJECT))
		return;
	*o = (struct open){ .array_of = is_array ? m : NULL,
			    .message = (enum message)m->of };
	if (!is_array) {
		o->at = wirew_open(&c->out, m->number);
		count_element(c, m);
		/* Missing references mean row 0 of this document. */
		if (o->message == SAMPLE)
			wirew_known(&c->out, 1, c->bases[STACKS]);
		else if (o->message == LINE)
			wirew_known(&c->out, 1, c->bases[FUNCTIONS]);
	}
	c->depth++;
}

static void read_member(struct converter *c, const struct member *m)
{
	bool is_array = json_peek(c->json) == JSON_ARRAY;

	switch (m->kind) {
	case MESSAGE:
		member_push(c, m, is_array);
		break;
	case TEXT:
		if (is_array) {
			if (json_enter(c->json, JSON_ARRAY))
				while (json_next_item(c->json))
					put_text(c, m);
		} else {
			put_text(c, m);
		}
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

/* Continues in the innermost open message or array. */
static void convert_step(struct converter *c)
{
	struct open *o = &c->open[c->depth - 1];
	struct str key;

	if (o->array_of) {
		if (json_next_item(c->json))
			member_push(c, o->array_of, false);
		else
			c->depth--;
	} else if (json_next_key(c->json, &key)) {
		const struct member *m = NULL;

		for (size_t i = 0; i < COUNT_OF(members) && !m; i++)
			if (members[i].in == o->message &&
			    str_equal(key, str_from(members[i].name)))
				m = &members[i];
		if (m && json_peek(c->json) != JSON_NULL)
			read_member(c, m);
		else
			json_skip(c->json);
	} else {
		if (c->depth > 1)
			wirew_close(&c->out, o->at);
		c->depth--;
	}
}

static bool convert_json(struct converter *c, struct error *err)
{
	while (!json_at_end(c->json) && !json_failed(c->json)) {
		memcpy(c->bases, c->counts, sizeof c->bases);
		if (!json_enter(c->json, JSON_OBJECT))
			break;
		c->open[0] = (struct open){ .message = DATA };
		c->depth = 1;
		while (c->depth && !json_failed(c->json))
			convert_step(c);
	}
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
	is_done = convert_json(&c, err);
	json_free(c.json);
	if (is_done)
		is_done = otlp_profiles_decode(buf_str(&c.out), true, want, out,
					       notes, err);
	buf_release(&c.out);
	return is_done;
}
