/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/otlp_profiles_gather.h"

#include "base/num.h"
#include "base/wirew.h"

bool otlp_no_memory(const struct otlp_writer *w, struct error *err)
{
	return arena_fail(&w->arena, OTLP_SOURCE_WHAT, err);
}

static bool fail_damaged(struct error *err, const char *what, uint64_t id)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off: %s %llu is not there",
			 OTLP_SOURCE_WHAT, what, (unsigned long long)id);
}

/* ---- what is numbered ---- */

/* The place of what these bytes describe; *is_new when it is met first, and
 * *bytes are a copy that stays then. */
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

bool otlp_find_id(const struct otlp_ids *ids, uint64_t id, const char *what,
		  uint64_t *place, struct error *err)
{
	uint32_t found = id ? map_find_u64(&ids->map, id) : 0;

	*place = found;
	return found != MAP_NONE || fail_damaged(err, what, id);
}

bool otlp_check_string(const struct otlp_writer *w, uint64_t number,
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

/* The id is field 1 of mappings, locations and functions. */
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

static bool keep_type(struct otlp_writer *w, struct str message,
		      struct error *err)
{
	if (w->type_count == LIMIT_SAMPLE_TYPES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u sample types",
				 OTLP_SOURCE_WHAT, LIMIT_SAMPLE_TYPES);
	w->types[w->type_count++] = otlp_type_read(message);
	return true;
}

static bool keep_field(struct otlp_writer *w, const struct wire *message,
		       const struct wire_field *f, struct error *err)
{
	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		return keep_type(w, f->bytes, err);
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

bool otlp_gather_tables(struct otlp_writer *w, struct error *err)
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

static bool add_locations(struct otlp_writer *w, struct wire *packed,
			  struct error *err)
{
	uint64_t id;

	while (wire_next_varint(packed, &id))
		if (!add_location(w, id, err))
			return false;
	return wire_check(packed, OTLP_SOURCE_WHAT, err);
}

static void put_value(struct otlp_writer *w, uint64_t text, uint64_t number)
{
	size_t at = wirew_open(&w->label, 2);

	if (text)
		wirew_utf8(&w->label, 1, w->strings[text]);
	else
		wirew_varint(&w->label, 3, number);
	wirew_close(&w->label, at);
}

/* Label{key, str, num, num_unit} to KeyValueAndUnit{key, value, unit}. */
static bool add_label(struct otlp_writer *w, struct wire *label,
		      struct error *err)
{
	uint64_t fields[5] = { 0 };
	struct wire_field f;
	struct str bytes;
	uint32_t place;
	bool is_new;

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
	put_value(w, fields[2], fields[3]);
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

static bool make_room(struct otlp_writer *w, struct error *err)
{
	void *heads = w->heads, *values = w->values;
	size_t count = w->samples.count;

	if (!arena_reserve(&w->arena, &heads, &w->head_cap, count,
			   sizeof *w->heads) ||
	    !arena_reserve(&w->arena, &values, &w->value_cap,
			   count * w->type_count, sizeof *w->values))
		return otlp_no_memory(w, err);
	w->heads = heads;
	w->values = values;
	return true;
}

/* What a sample begins with is what tells it from others. */
static bool find_sample(struct otlp_writer *w, uint32_t *sample,
			struct error *err)
{
	struct str bytes;
	uint32_t stack;
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
	if (!make_room(w, err))
		return false;
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
			if (!add_locations(w, &inside, err))
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

bool otlp_gather_samples(struct otlp_writer *w, struct error *err)
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
