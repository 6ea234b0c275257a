/* SPDX-License-Identifier: Apache-2.0
 *
 * What OTLP has otherwise than pprof: ids become places in tables whose first
 * element stands for nothing, stacks and labels are tables, each type is a
 * profile of its own (opentelemetry-proto, profiles/v1development).
 */
#include "decode/otlp_profiles_write.h"

#include "base/num.h"
#include "base/wirew.h"
#include "decode/otlp_profiles_gather.h"

/* What OTLP has of mappings and functions ends with this number of pprof's. */
#define LAST_OF_ROW 5u

/* The number of a text that the message need not have. */
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

/* Numbers of a row from 2 on, each under the number before it; those from
 * first_string to last_string are strings. */
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

/* Of each table first what stands for nothing. */
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

/* CPU time that its period divides. */
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

/* The type that counts samples; type_count: there is none. */
static uint32_t counting_type(const struct otlp_writer *w)
{
	uint32_t i = 0;

	while (i < w->type_count &&
	       !type_name_equal(name_of(w, w->types[i]), otlp_counted))
		i++;
	return i;
}

/* Whether the counts tell the times, too. */
static bool is_told_by_counts(const struct otlp_writer *w, uint32_t type,
			      uint32_t counting)
{
	for (uint32_t i = 0; i < w->samples.count; i++)
		if (value_of(w, i, counting) !=
		    value_of(w, i, type) / (int64_t)w->period)
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
	uint32_t counting = counting_type(w);
	int64_t divisor = 1;
	size_t at;

	if (is_of_periods(w, type)) {
		if (counting < w->type_count &&
		    is_told_by_counts(w, type, counting))
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

/* Keys and values as they are: not all receivers know references here. */
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

/* ---- the whole ---- */

static void writer_init(struct otlp_writer *w, struct str pprof,
			struct buf *out)
{
	struct otlp_ids *const all[] = { &w->mappings,   &w->locations,
					 &w->functions,  &w->stacks,
					 &w->attributes, &w->samples };
	struct buf *const bufs[] = { &w->extra_part,     &w->stack_part,
				     &w->attribute_part, &w->stack,
				     &w->label,          &w->labels };

	*w = (struct otlp_writer){ .pprof = pprof, .out = out };
	arena_init(&w->arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&w->extra, &w->arena);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		map_init(&all[i]->map, &w->arena);
	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		buf_init(bufs[i], LIMIT_DECODE_HEAP_BYTES);
}

static bool writer_end(struct otlp_writer *w, bool is_done, struct error *err)
{
	struct buf *const bufs[] = { &w->extra_part,     &w->stack_part,
				     &w->attribute_part, &w->stack,
				     &w->label,          &w->labels };

	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) {
		is_done = is_done && buf_check(bufs[i], OTLP_SOURCE_WHAT, err);
		buf_release(bufs[i]);
	}
	arena_release(&w->arena);
	return is_done;
}

bool otlp_profiles_write(struct str pprof, const struct otlp_attribute *about,
			 size_t about_count, int64_t start_ns, struct buf *out,
			 struct error *err)
{
	struct otlp_writer w;
	bool is_done;

	writer_init(&w, pprof, out);
	is_done = otlp_gather_tables(&w, err) && otlp_gather_samples(&w, err) &&
		  put_all(&w, about, about_count, start_ns, err);
	return writer_end(&w, is_done, err);
}
