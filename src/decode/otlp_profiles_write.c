/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a pprof message as OTLP profiles. Differences: ids become indices in
 * tables whose first row is a null entry, stacks and labels are tables, each
 * type is a profile of its own (opentelemetry-proto, profiles/v1development).
 */
#include "decode/otlp_profiles.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "base/num.h"
#include "base/wirew.h"
#include "decode/profile_type.h"
#include "decode/wire.h"

/* The pprof message, renumbered for OTLP. */

/* Ids of a kind of elements: their indices are 1, 2, 3... */
struct otlp_ids {
	struct map map;
	uint32_t count;
};

struct otlp_writer {
	struct arena arena;
	struct str pprof;
	struct buf *out;
	struct str *strings;
	uint32_t string_count;
	size_t string_cap;
	struct map extra; /* strings added to those of the message */
	struct buf extra_part;
	uint32_t extra_count;
	struct otlp_type types[LIMIT_SAMPLE_TYPES];
	uint32_t type_count;
	struct otlp_type period_type;
	uint64_t period;
	uint64_t time_ns;
	uint64_t duration_ns;
	struct otlp_ids mappings;
	struct otlp_ids locations;
	struct otlp_ids functions;
	/* Keyed by their encoded bytes. */
	struct otlp_ids stacks;
	struct otlp_ids attributes;
	struct otlp_ids samples; /* keyed by stack and attributes */
	struct buf stack_part;
	struct buf attribute_part;
	struct str *heads; /* of samples */
	size_t head_cap;
	int64_t *values; /* by sample and type */
	size_t value_cap;
	/* Encoding of the current sample. */
	struct buf stack;
	struct buf label;
	struct buf labels; /* indices */
};

#define OTLP_SOURCE_WHAT "the pprof profile"

/* Sets err. Returns false. */
static bool otlp_no_memory(const struct otlp_writer *w, struct error *err)
{
	return arena_fail(&w->arena, OTLP_SOURCE_WHAT, err);
}

static bool fail_damaged(struct error *err, const char *what, uint64_t id)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off: %s %llu is not there",
			 OTLP_SOURCE_WHAT, what, (unsigned long long)id);
}

/* ---- numbering ---- */

/* Finds or adds the index for these bytes; *is_new when added, in which case
 * *bytes becomes a permanent copy. */
static bool place_of(struct otlp_writer *w, struct otlp_ids *ids,
		     struct str *bytes, uint32_t *place, bool *is_new,
		     struct error *err)
{
	*place = map_find(&ids->map, *bytes);
	*is_new = *place == MAP_NONE;
	if (!*is_new)
		return true;
	*bytes = arena_str(&w->arena, *bytes);
	if (ids->count == LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u samples",
				 OTLP_SOURCE_WHAT, LIMIT_SAMPLES);
	if (!bytes->ptr ||
	    !map_insert(&ids->map, *bytes, ids->count + 1, place))
		return otlp_no_memory(w, err);
	ids->count++;
	return true;
}

/* Finds the index of an id; 0 is none. */
static bool otlp_find_id(const struct otlp_ids *ids, uint64_t id,
			 const char *what, uint64_t *place, struct error *err)
{
	uint32_t found = id ? map_find_u64(&ids->map, id) : 0;

	*place = found;
	return found != MAP_NONE || fail_damaged(err, what, id);
}

/* Returns false if there is no such string. */
static bool otlp_check_string(const struct otlp_writer *w, uint64_t number,
			      struct error *err)
{
	return number < w->string_count || !number ||
	       fail_damaged(err, "string", number);
}

/* ---- the message ---- */

static bool keep_string(struct otlp_writer *w, struct str text,
			struct error *err)
{
	void *strings = w->strings;

	if (!arena_reserve(&w->arena, &strings, &w->string_cap,
			   w->string_count + 1, sizeof text))
		return otlp_no_memory(w, err);
	w->strings = strings;
	w->strings[w->string_count++] = text;
	return true;
}

/* In mappings, locations and functions the id is field 1. */
static bool keep_id(struct otlp_writer *w, struct otlp_ids *ids,
		    const struct wire *parent, const struct wire_field *field,
		    struct error *err)
{
	struct wire message = wire_inside(parent, field);
	struct wire_field f;
	uint64_t id = 0;
	uint32_t place;

	while (wire_next(&message, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			id = f.value;
	if (!wire_check(&message, OTLP_SOURCE_WHAT, err))
		return false;
	if (ids->count == LIMIT_LOCATIONS)
		return error_set(err, ERROR_LIMIT,
				 "%s has a table of more than %u elements",
				 OTLP_SOURCE_WHAT, LIMIT_LOCATIONS);
	if (!map_insert_u64(&ids->map, id, ids->count + 1, &place))
		return otlp_no_memory(w, err);
	ids->count++;
	return true;
}

static bool keep_field(struct otlp_writer *w, const struct wire *message,
		       const struct wire_field *f, struct error *err)
{
	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		if (w->type_count == LIMIT_SAMPLE_TYPES)
			return error_set(err, ERROR_LIMIT,
					 "%s has more than %u sample types",
					 OTLP_SOURCE_WHAT, LIMIT_SAMPLE_TYPES);
		w->types[w->type_count++] = otlp_type_read(f->bytes);
		return true;
	case WIRE_TAG(3, WIRE_BYTES):
		return keep_id(w, &w->mappings, message, f, err);
	case WIRE_TAG(4, WIRE_BYTES):
		return keep_id(w, &w->locations, message, f, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return keep_id(w, &w->functions, message, f, err);
	case WIRE_TAG(6, WIRE_BYTES):
		return keep_string(w, f->bytes, err);
	case WIRE_TAG(9, WIRE_VARINT):
		w->time_ns = f->value;
		return true;
	case WIRE_TAG(10, WIRE_VARINT):
		w->duration_ns = f->value;
		return true;
	case WIRE_TAG(11, WIRE_BYTES):
		w->period_type = otlp_type_read(f->bytes);
		return true;
	case WIRE_TAG(12, WIRE_VARINT):
		w->period = f->value;
		return true;
	default:
		return true;
	}
}

/* Collects types, strings and ids of everything that samples refer to. */
static bool otlp_gather_tables(struct otlp_writer *w, struct error *err)
{
	struct wire_field f;
	struct wire message;

	wire_init(&message, w->pprof);
	while (wire_next(&message, &f))
		if (!keep_field(w, &message, &f, err))
			return false;
	if (!wire_check(&message, OTLP_SOURCE_WHAT, err))
		return false;
	for (uint32_t i = 0; i < w->type_count; i++)
		if (!otlp_check_string(w, w->types[i].type, err) ||
		    !otlp_check_string(w, w->types[i].unit, err))
			return false;
	return otlp_check_string(w, w->period_type.type, err) &&
	       otlp_check_string(w, w->period_type.unit, err);
}

/* ---- samples ---- */

static bool add_location(struct otlp_writer *w, uint64_t id, struct error *err)
{
	uint64_t place;

	if (!otlp_find_id(&w->locations, id, "location", &place, err))
		return false;
	wirew_element(&w->stack, place);
	return true;
}

/* Converts Label{key, str, num, num_unit} to KeyValueAndUnit{key, value,
 * unit}. */
static bool add_label(struct otlp_writer *w, struct wire *label,
		      struct error *err)
{
	uint64_t fields[5] = { 0 };
	struct wire_field f;
	struct str bytes;
	uint32_t place;
	bool is_new;
	size_t at;

	while (wire_next(label, &f))
		if ((f.tag & 7) == WIRE_VARINT && f.tag >> 3 < 5)
			fields[f.tag >> 3] = f.value;
	if (!wire_check(label, OTLP_SOURCE_WHAT, err) ||
	    !otlp_check_string(w, fields[1], err) ||
	    !otlp_check_string(w, fields[2], err) ||
	    !otlp_check_string(w, fields[4], err))
		return false;
	buf_clear(&w->label);
	wirew_known(&w->label, 1, fields[1]);
	at = wirew_open(&w->label, 2);
	if (fields[2])
		wirew_utf8(&w->label, 1, w->strings[fields[2]]);
	else
		wirew_varint(&w->label, 3, fields[3]);
	wirew_close(&w->label, at);
	wirew_known(&w->label, 3, fields[4]);
	bytes = buf_str(&w->label);
	if (!place_of(w, &w->attributes, &bytes, &place, &is_new, err))
		return false;
	if (is_new)
		wirew_str(&w->attribute_part, ATTRIBUTE_TABLE, bytes);
	wirew_element(&w->labels, place);
	return true;
}

static bool place_of_stack(struct otlp_writer *w, uint32_t *place,
			   struct error *err)
{
	struct str bytes = buf_str(&w->stack);
	bool is_new;
	size_t at;

	*place = 0;
	if (!bytes.len)
		return true;
	if (!place_of(w, &w->stacks, &bytes, place, &is_new, err))
		return false;
	if (!is_new)
		return true;
	at = wirew_open(&w->stack_part, STACK_TABLE);
	wirew_str(&w->stack_part, 1, bytes);
	wirew_close(&w->stack_part, at);
	return true;
}

/* Finds a sample by what it begins with, which separates it from others. */
static bool find_sample(struct otlp_writer *w, uint32_t *sample,
			struct error *err)
{
	void *heads, *values;
	struct str bytes;
	uint32_t stack;
	size_t count;
	bool is_new;

	if (!place_of_stack(w, &stack, err))
		return false;
	buf_clear(&w->label);
	wirew_known(&w->label, SAMPLE_STACK, stack);
	if (w->labels.len)
		wirew_str(&w->label, SAMPLE_ATTRIBUTES, buf_str(&w->labels));
	bytes = buf_str(&w->label);
	if (!place_of(w, &w->samples, &bytes, sample, &is_new, err))
		return false;
	--*sample;
	if (!is_new)
		return true;
	count = w->samples.count;
	heads = w->heads;
	values = w->values;
	if (!arena_reserve(&w->arena, &heads, &w->head_cap, count,
			   sizeof *w->heads) ||
	    !arena_reserve(&w->arena, &values, &w->value_cap,
			   count * w->type_count, sizeof *w->values))
		return otlp_no_memory(w, err);
	w->heads = heads;
	w->values = values;
	w->heads[*sample] = bytes;
	for (uint32_t i = 0; i < w->type_count; i++)
		w->values[(size_t)*sample * w->type_count + i] = 0;
	return true;
}

static bool fail_values(struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged: a sample has not one value for each "
			 "sample type",
			 OTLP_SOURCE_WHAT);
}

static bool read_sample(struct otlp_writer *w, const struct wire *sample,
			int64_t *values, struct error *err)
{
	struct wire message = *sample, inside;
	uint32_t count = 0;
	struct wire_field f;
	uint64_t value;

	while (wire_next(&message, &f)) {
		inside = wire_inside(&message, &f);
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_VARINT):
			if (!add_location(w, f.value, err))
				return false;
			break;
		case WIRE_TAG(1, WIRE_BYTES):
			while (wire_next_varint(&inside, &value))
				if (!add_location(w, value, err))
					return false;
			if (!wire_check(&inside, OTLP_SOURCE_WHAT, err))
				return false;
			break;
		case WIRE_TAG(2, WIRE_VARINT):
			if (count == w->type_count)
				return fail_values(err);
			values[count++] = (int64_t)f.value;
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			while (wire_next_varint(&inside, &value)) {
				if (count == w->type_count)
					return fail_values(err);
				values[count++] = (int64_t)value;
			}
			if (!wire_check(&inside, OTLP_SOURCE_WHAT, err))
				return false;
			break;
		case WIRE_TAG(3, WIRE_BYTES):
			if (!add_label(w, &inside, err))
				return false;
			break;
		default:
			break;
		}
	}
	return wire_check(&message, OTLP_SOURCE_WHAT, err) &&
	       (count == w->type_count || fail_values(err));
}

static bool keep_sample(struct otlp_writer *w, const struct wire *message,
			struct error *err)
{
	int64_t values[LIMIT_SAMPLE_TYPES];
	int64_t *kept;
	uint32_t sample;

	buf_clear(&w->stack);
	buf_clear(&w->labels);
	if (!read_sample(w, message, values, err) ||
	    !buf_check(&w->stack, OTLP_SOURCE_WHAT, err) ||
	    !buf_check(&w->labels, OTLP_SOURCE_WHAT, err) ||
	    !find_sample(w, &sample, err))
		return false;
	kept = w->values + (size_t)sample * w->type_count;
	for (uint32_t i = 0; i < w->type_count; i++)
		kept[i] = sat_add_i64(kept[i], values[i]);
	return true;
}

/* Collects the samples, with their stacks and labels. */
static bool otlp_gather_samples(struct otlp_writer *w, struct error *err)
{
	struct wire_field f;
	struct wire message, sample;

	wire_init(&message, w->pprof);
	while (wire_next(&message, &f)) {
		sample = wire_inside(&message, &f);
		if (f.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !keep_sample(w, &sample, err))
			return false;
	}
	return true;
}

/* The last field of pprof's mappings and functions that is also in OTLP. */
#define LAST_OF_ROW 5u

/* Returns the index of a string, adding it if the message lacks it. */
static bool extra_string(struct otlp_writer *w, struct str text,
			 uint64_t *number, struct error *err)
{
	uint32_t next = w->string_count + w->extra_count, known;

	if (!map_insert(&w->extra, text, next, &known))
		return otlp_no_memory(w, err);
	*number = known;
	if (known == next) {
		w->extra_count++;
		wirew_utf8(&w->extra_part, STRING_TABLE, text);
	}
	return true;
}

/* ---- the dictionary ---- */

/* Writes numbers of a row from field 2 on, each under the previous field
 * number; those from first_string to last_string are strings. */
static bool put_row(struct otlp_writer *w, uint32_t table, struct str row,
		    uint32_t first_string, uint32_t last_string,
		    struct error *err)
{
	size_t at = wirew_open(w->out, table);
	struct wire_field f;
	struct wire message;

	wire_init(&message, row);
	while (wire_next(&message, &f)) {
		uint32_t number = f.tag >> 3;

		if ((f.tag & 7) != WIRE_VARINT || number < 2 ||
		    number > LAST_OF_ROW)
			continue;
		if (number >= first_string && number <= last_string &&
		    !otlp_check_string(w, f.value, err))
			return false;
		wirew_known(w->out, number - 1, f.value);
	}
	wirew_close(w->out, at);
	return true;
}

static bool put_line(struct otlp_writer *w, struct str line, struct error *err)
{
	size_t at = wirew_open(w->out, 3);
	struct wire_field f;
	struct wire message;
	uint64_t value;

	wire_init(&message, line);
	while (wire_next(&message, &f)) {
		value = f.value;
		if ((f.tag & 7) != WIRE_VARINT || f.tag >> 3 > 3)
			continue;
		if (f.tag >> 3 == 1 && !otlp_find_id(&w->functions, f.value,
						     "function", &value, err))
			return false;
		wirew_known(w->out, f.tag >> 3, value);
	}
	wirew_close(w->out, at);
	return wire_check(&message, OTLP_SOURCE_WHAT, err);
}

static bool put_location(struct otlp_writer *w, struct str row,
			 struct error *err)
{
	size_t at = wirew_open(w->out, LOCATION_TABLE);
	struct wire_field f;
	struct wire message;
	uint64_t mapping;

	wire_init(&message, row);
	while (wire_next(&message, &f))
		if (f.tag == WIRE_TAG(2, WIRE_VARINT)) {
			if (!otlp_find_id(&w->mappings, f.value, "mapping",
					  &mapping, err))
				return false;
			wirew_known(w->out, 1, mapping);
		} else if (f.tag == WIRE_TAG(3, WIRE_VARINT)) {
			wirew_known(w->out, 2, f.value);
		} else if (f.tag == WIRE_TAG(4, WIRE_BYTES)) {
			if (!put_line(w, f.bytes, err))
				return false;
		}
	wirew_close(w->out, at);
	return wire_check(&message, OTLP_SOURCE_WHAT, err);
}

/* Writes the tables, each with a null entry first. */
static bool put_tables(struct otlp_writer *w, struct error *err)
{
	static const char no_ids[24];
	struct wire_field f;
	struct wire message;
	size_t link;

	for (uint32_t t = MAPPING_TABLE; t <= STACK_TABLE; t++)
		if (t != LINK_TABLE)
			wirew_str(w->out, t, STR(""));
	link = wirew_open(w->out, LINK_TABLE);
	wirew_str(w->out, 1, (struct str){ no_ids, 16 });
	wirew_str(w->out, 2, (struct str){ no_ids, 8 });
	wirew_close(w->out, link);
	for (uint32_t i = 1; i < w->string_count; i++)
		wirew_utf8(w->out, STRING_TABLE, w->strings[i]);
	wire_init(&message, w->pprof);
	while (wire_next(&message, &f))
		switch (f.tag) {
		case WIRE_TAG(3, WIRE_BYTES):
			if (!put_row(w, MAPPING_TABLE, f.bytes, 5, 5, err))
				return false;
			break;
		case WIRE_TAG(4, WIRE_BYTES):
			if (!put_location(w, f.bytes, err))
				return false;
			break;
		case WIRE_TAG(5, WIRE_BYTES):
			if (!put_row(w, FUNCTION_TABLE, f.bytes, 2, 4, err))
				return false;
			break;
		default:
			break;
		}
	buf_add_str(w->out, buf_str(&w->extra_part));
	buf_add_str(w->out, buf_str(&w->attribute_part));
	buf_add_str(w->out, buf_str(&w->stack_part));
	return true;
}

/* ---- profiles ---- */

static struct type_name name_of(const struct otlp_writer *w, struct otlp_type t)
{
	if (!w->string_count)
		return (struct type_name){ STR(""), STR("") };
	return (struct type_name){ w->strings[t.type], w->strings[t.unit] };
}

static int64_t value_of(const struct otlp_writer *w, uint32_t sample,
			uint32_t type)
{
	return w->values[(size_t)sample * w->type_count + type];
}

static const struct type_name cpu_time = { { "cpu", 3 },
					   { "nanoseconds", 11 } };

/* Returns whether it is CPU time in multiples of the period. */
static bool is_of_periods(const struct otlp_writer *w, uint32_t type)
{
	struct type_name name = name_of(w, w->types[type]);

	if (!type_name_equal(name, cpu_time) ||
	    !type_name_equal(name, name_of(w, w->period_type)) || !w->period ||
	    w->period > INT64_MAX)
		return false;
	for (uint32_t i = 0; i < w->samples.count; i++)
		if (value_of(w, i, type) % (int64_t)w->period)
			return false;
	return true;
}

static void put_samples(struct otlp_writer *w, uint32_t type, int64_t divisor)
{
	for (uint32_t i = 0; i < w->samples.count; i++) {
		int64_t value = value_of(w, i, type) / divisor;
		size_t at, packed;

		if (!value)
			continue;
		at = wirew_open(w->out, PROFILE_SAMPLES);
		buf_add_str(w->out, w->heads[i]);
		packed = wirew_open(w->out, SAMPLE_VALUES);
		wirew_element(w->out, (uint64_t)value);
		wirew_close(w->out, packed);
		wirew_close(w->out, at);
	}
}

static bool put_profile(struct otlp_writer *w, uint32_t type, int64_t start_ns,
			struct error *err)
{
	struct otlp_type name = w->types[type];
	uint32_t counting = 0; /* type_count: no type counts samples */
	int64_t divisor = 1;
	size_t at;

	while (counting < w->type_count &&
	       !type_name_equal(name_of(w, w->types[counting]), otlp_counted))
		counting++;
	if (is_of_periods(w, type)) {
		bool is_told = counting < w->type_count;

		for (uint32_t i = 0; i < w->samples.count && is_told; i++)
			is_told = value_of(w, i, counting) ==
				  value_of(w, i, type) / (int64_t)w->period;
		if (is_told)
			return true;
		if (counting == w->type_count) {
			divisor = (int64_t)w->period;
			if (!extra_string(w, otlp_counted.type, &name.type,
					  err) ||
			    !extra_string(w, otlp_counted.unit, &name.unit,
					  err))
				return false;
		}
	}
	at = wirew_open(w->out, 2);
	otlp_type_put(w->out, PROFILE_TYPE, name);
	put_samples(w, type, divisor);
	wirew_fixed64(w->out, PROFILE_TIME,
		      w->time_ns ? w->time_ns : (uint64_t)start_ns);
	wirew_known(w->out, PROFILE_DURATION, w->duration_ns);
	if (w->period) {
		otlp_type_put(w->out, PROFILE_PERIOD_TYPE, w->period_type);
		wirew_varint(w->out, PROFILE_PERIOD, w->period);
	}
	wirew_close(w->out, at);
	return true;
}

/* Writes keys and values inline: not all receivers support references here. */
static void put_about(struct otlp_writer *w, const struct otlp_attribute *about,
		      size_t count)
{
	size_t resource = wirew_open(w->out, 1), pair, value;

	for (size_t i = 0; i < count; i++) {
		pair = wirew_open(w->out, 1);
		wirew_utf8(w->out, 1, about[i].key);
		value = wirew_open(w->out, 2);
		wirew_utf8(w->out, 1, about[i].value);
		wirew_close(w->out, value);
		wirew_close(w->out, pair);
	}
	wirew_close(w->out, resource);
}

static bool put_all(struct otlp_writer *w, const struct otlp_attribute *about,
		    size_t about_count, int64_t start_ns, struct error *err)
{
	size_t resource, scope, at;

	resource = wirew_open(w->out, 1);
	put_about(w, about, about_count);
	scope = wirew_open(w->out, 2);
	at = wirew_open(w->out, 1);
	wirew_str(w->out, 1, STR("tracefind"));
	wirew_close(w->out, at);
	for (uint32_t i = 0; i < w->type_count; i++)
		if (!put_profile(w, i, start_ns, err))
			return false;
	wirew_close(w->out, scope);
	wirew_close(w->out, resource);
	at = wirew_open(w->out, 2);
	if (!put_tables(w, err))
		return false;
	wirew_close(w->out, at);
	return true;
}

/* ---- message ---- */

bool otlp_profiles_write(struct str pprof, const struct otlp_attribute *about,
			 size_t about_count, int64_t start_ns, struct buf *out,
			 struct error *err)
{
	struct otlp_writer w = { .pprof = pprof, .out = out };
	struct otlp_ids *const all[] = { &w.mappings,   &w.locations,
					 &w.functions,  &w.stacks,
					 &w.attributes, &w.samples };
	struct buf *const bufs[] = { &w.extra_part,     &w.stack_part,
				     &w.attribute_part, &w.stack,
				     &w.label,          &w.labels };
	bool is_done;

	arena_init(&w.arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&w.extra, &w.arena);
	for (size_t i = 0; i < COUNT_OF(all); i++)
		map_init(&all[i]->map, &w.arena);
	for (size_t i = 0; i < COUNT_OF(bufs); i++)
		buf_init(bufs[i], LIMIT_DECODE_HEAP_BYTES);
	is_done = otlp_gather_tables(&w, err) && otlp_gather_samples(&w, err) &&
		  put_all(&w, about, about_count, start_ns, err);
	for (size_t i = 0; i < COUNT_OF(bufs); i++) {
		is_done = is_done && buf_check(bufs[i], OTLP_SOURCE_WHAT, err);
		buf_release(bufs[i]);
	}
	arena_release(&w.arena);
	return is_done;
}
