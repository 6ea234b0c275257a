/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of OpenTelemetry (opentelemetry-proto 1.9 to 1.11: ProfilesData of
 * profiles/v1development/profiles.proto, which is what is sent to receivers,
 * too), turned into one pprof message, so that types, labels, places in files
 * and addresses mean the same in both. What differs there: tables are one for
 * all profiles, and their first elements stand for nothing; stacks are a table;
 * each profile has one type; labels refer to texts, or hold other values.
 *
 * Revisions before 1.9 number the fields of samples in other ways, without
 * saying so: they are told by the types of these, and refused. Numbers may be
 * packed or not, as of any protobuf; async-profiler does not pack them.
 */
#include "decode/otlp_profiles.h"

#include "base/num.h"
#include "base/wirew.h"
#include "decode/formats.h"

/* Labels of one sample: usual ones have some hundred bytes. */
#define LABELS_BYTES (64 * KIB)

struct profile_head {
	struct otlp_type type;
	struct otlp_type period_type;
	uint64_t period;
	uint64_t start_ns;
	uint64_t duration_ns;
	uint32_t column;
	/* Samples times the period, where they are counted and this is time. */
	uint32_t times_column;
	bool has_times;
};

/* ---- samples ---- */

struct sample {
	uint64_t stack;
	uint64_t link;
	int64_t value;
	uint64_t times;
	bool has_values;
	bool has_second; /* field 2: attributes, or the values of 1.8 */
	bool has_packed_second;
	bool has_unpacked_fourth; /* a value, or the link of 1.8 */
};

static bool add_values(const struct wire *parent, const struct wire_field *f,
		       struct sample *s, struct error *err)
{
	struct wire w = wire_inside(parent, f);
	uint64_t value;

	s->has_values = true;
	while (wire_next_varint(&w, &value))
		s->value = sat_add_i64(s->value, (int64_t)value);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static bool read_sample(struct wire *w, struct sample *s, struct error *err)
{
	struct wire_field f;

	while (wire_next(w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_VARINT):
			s->stack = f.value;
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			s->has_second = s->has_packed_second = true;
			break;
		case WIRE_TAG(2, WIRE_VARINT):
			s->has_second = true;
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			s->link = f.value;
			break;
		case WIRE_TAG(3, WIRE_BYTES): /* 1.8 */
			return otlp_refuse_older(err);
		case WIRE_TAG(4, WIRE_VARINT):
			s->has_values = s->has_unpacked_fourth = true;
			s->value = sat_add_i64(s->value, (int64_t)f.value);
			break;
		case WIRE_TAG(4, WIRE_BYTES):
			if (!add_values(w, &f, s, err))
				return false;
			break;
		case WIRE_TAG(5, WIRE_BYTES):
			s->times += f.bytes.len / sizeof(uint64_t);
			break;
		case WIRE_TAG(5, WIRE_FIXED64):
			s->times++;
			break;
		default:
			break;
		}
	if (!wire_check(w, OTLP_PROFILES_WHAT, err))
		return false;
	if ((!s->has_values && !s->times && s->has_second) ||
	    (s->has_unpacked_fourth && s->has_packed_second))
		return otlp_refuse_older(err);
	return true;
}

/* Of a sample that was read. */
static void use_attributes(struct otlp_profiles *o, struct wire w)
{
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			otlp_use_attributes(o, f.bytes);
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			otlp_use_attribute(o, f.value);
}

static bool put_location(struct otlp_profiles *o, uint64_t location,
			 struct error *err)
{
	if (!otlp_check_place(o, LOCATIONS, location, "location", err))
		return false;
	wirew_varint(&o->out, 1, location);
	return true;
}

/* The locations of a stack, which are the ids of the message. */
static bool put_stack(struct otlp_profiles *o, uint64_t stack,
		      struct error *err)
{
	struct str row = otlp_row(o, STACKS, stack);
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
			if (!otlp_check_place(o, LOCATIONS, location,
					      "location", err))
				return false;
		if (!wire_check(&inside, OTLP_PROFILES_WHAT, err))
			return false;
		wirew_str(&o->out, 1, f.bytes);
	}
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
	const struct wire whole = *w;
	struct sample s = { .value = 0 };
	size_t shared = o->labels.len, at;

	if (++o->sample_count > LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u samples",
				 OTLP_PROFILES_WHAT, LIMIT_SAMPLES);
	if (!read_sample(w, &s, err))
		return false;
	if (o->want->labels) {
		use_attributes(o, whole);
		buf_add_str(&o->labels, otlp_row(o, LINKS, s.link));
	}
	at = wirew_open(&o->out, 2);
	if (!put_stack(o, s.stack, err))
		return false;
	put_values(o, h, s.has_values ? s.value : (int64_t)s.times);
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
		default:
			break;
		}
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

/* A count of samples, and what each of them stands for: receivers multiply. */
static bool counts_periods(const struct otlp_profiles *o,
			   const struct profile_head *h)
{
	return type_name_equal(name_of(o, h->type), otlp_counted) &&
	       h->period && h->period <= INT64_MAX &&
	       name_of(o, h->period_type).type.len;
}

/* Its columns. That of times is there where no profile has it already. */
static bool find_columns(struct otlp_profiles *o, struct profile_head *h,
			 struct error *err)
{
	if (!find_column(o, h->type, &h->column, err))
		return false;
	if (!counts_periods(o, h))
		return true;
	if (!find_column(o, h->period_type, &h->times_column, err))
		return false;
	h->has_times = h->times_column >= o->own_columns;
	return true;
}

/* Its type, and the time that it covers with the others. */
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
	while (o->want->labels && wire_next(&w, &f))
		if (f.tag == WIRE_TAG(11, WIRE_BYTES))
			otlp_use_attributes(o, f.bytes);
	w = *profile;
	while (wire_next(&w, &f)) {
		sample = wire_inside(&w, &f);
		if (f.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !put_sample(o, &h, &sample, err))
			return false;
	}
	buf_cut(&o->labels, shared);
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

/* ---- the whole ---- */

typedef bool profile_step(struct otlp_profiles *o, const struct wire *profile,
			  struct error *err);

/* The labels of a resource or scope: in its field 1, under this number. */
static void label_with(struct otlp_profiles *o, const struct wire *owner,
		       uint32_t field)
{
	struct wire w = *owner;
	struct wire_field f;

	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES))
			otlp_add_pairs(o, f.bytes, field);
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

/* The first text of a dictionary is empty; that of a further piece is not. */
static bool is_whole(struct wire dictionary)
{
	struct wire_field f;

	while (wire_next(&dictionary, &f))
		if (f.tag == WIRE_TAG(5, WIRE_BYTES))
			return !f.bytes.len;
	return false;
}

/* Messages of protobuf end to end read as one, whose samples would be told by
 * the wrong names. */
static bool fail_second(struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s holds two messages, one behind the other: their "
			 "names would be mixed up; give them as two files",
			 OTLP_PROFILES_WHAT);
}

/* Each profile of the message in turn; step NULL: its dictionary. */
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
				return fail_second(err);
			if (!otlp_read_dictionary(o, &inside, err))
				return false;
		} else if (step && f.tag == WIRE_TAG(1, WIRE_BYTES)) {
			if (!each_of_resource(o, &inside, step, err))
				return false;
		}
	}
	return wire_check(&w, OTLP_PROFILES_WHAT, err);
}

static void put_head(struct otlp_profiles *o)
{
	for (uint32_t i = 0; i < o->column_count; i++)
		otlp_type_put(&o->out, 1, o->columns[i]);
	if (o->period) {
		otlp_type_put(&o->out, 11, o->period_type);
		wirew_varint(&o->out, 12, o->period);
	}
	wirew_known(&o->out, 9, o->start_ns);
	wirew_known(&o->out, 10, o->end_ns - o->start_ns);
}

static bool convert(struct otlp_profiles *o, struct error *err)
{
	if (!each_profile(o, NULL, err) || !each_profile(o, learn_own, err) ||
	    !each_profile(o, learn_times, err))
		return false;
	put_head(o);
	if (!otlp_put_tables(o, err))
		return false;
	if (o->want->labels && !otlp_label_tables(o, err))
		return false;
	return each_profile(o, put_samples, err) &&
	       buf_check(&o->out, OTLP_PROFILES_WHAT, err);
}

bool otlp_profiles_decode(struct str bytes, bool is_joined,
			  const struct profile_want *want, struct profile *out,
			  struct notes *notes, struct error *err)
{
	struct otlp_profiles o = { .want = want,
				   .bytes = bytes,
				   .is_joined = is_joined };
	bool is_done;

	arena_init(&o.scratch, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&o.out, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&o.labels, LABELS_BYTES);
	is_done = convert(&o, err);
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
