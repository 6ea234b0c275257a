/* SPDX-License-Identifier: Apache-2.0
 *
 * speedscope's file format: frames shared by all profiles, and profiles that
 * consist of samples with weights, or of events that open and close frames.
 * Profiles with the same unit (threads of a program) are added up. The shared
 * frames may come after the profiles, so the document is read twice.
 */
#include "base/json.h"
#include "base/num.h"
#include "decode/column.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

#define WHAT "the speedscope profile"

/* Known units. Values are read with `shift` more decimal places. */
static const struct unit {
	const char *name;
	const char *type;
	const char *unit;
	int shift;
} units[] = {
	{ "none", "samples", "count", 0 },
	{ "bytes", "size", "bytes", 0 },
	{ "nanoseconds", "time", "nanoseconds", 0 },
	{ "microseconds", "time", "nanoseconds", 3 },
	{ "milliseconds", "time", "nanoseconds", 6 },
	{ "seconds", "time", "nanoseconds", 9 },
};

/* A profile longer than its samples by this factor was partly idle. */
#define BUSY 1.001

#define UNIT_COUNT (sizeof units / sizeof *units)

/* Pseudo frames: dotnet-trace ends each stack with the state of the thread,
 * pyinstrument with "[self]" for functions that also call others. */
enum { STATE_CPU, STATE_OUTSIDE, STATE_SELF, STATE_COUNT };
static const char *const state_names[STATE_COUNT] = {
	[STATE_CPU] = "CPU_TIME",
	[STATE_OUTSIDE] = "UNMANAGED_CODE_TIME",
	[STATE_SELF] = "[self]",
};

struct event {
	struct str at; /* as written, since the unit may come later */
	uint32_t frame;
	bool is_open;
};

struct reader {
	struct json_reader *json;
	struct profile_build *build;
	struct arena scratch;
	struct column frames;  /* uint32_t: of the model */
	struct column ids;     /* uint32_t: frames of samples, root first */
	struct column ends;    /* size_t: end of each sample in ids */
	struct column weights; /* struct str */
	struct column events;
	const struct unit *unit; /* of the current profile */
	struct type_name offered[UNIT_COUNT];
	uint32_t offered_count;
	struct type_name shown[UNIT_COUNT]; /* the same, as displayed */
	/* The chosen one of those offered. */
	struct str type;
	bool is_second; /* second reading, for values */
	/* Of the current profile, as written, and of all profiles read. */
	struct str start, end;
	int64_t first_ns, last_ns;
	bool has_length;
	size_t open_count;  /* frames that are never closed */
	size_t other_count; /* profiles with other units, left out */
	bool has_state[STATE_COUNT];
	int64_t outside;              /* time in unmanaged code */
	uint32_t states[STATE_COUNT]; /* frames of the model */
	bool is_length_told; /* the length is more than the sum of samples */
};

static bool no_memory(const struct reader *r, struct error *err)
{
	return arena_fail(&r->scratch, WHAT, err);
}

static bool file_damaged(const char *why, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: %s", WHAT, why);
}

/* ---- numbers ---- */

/* Computes value * 10^scale, rounding halves away from zero; returns false on
 * overflow. */
static bool shift_decimal(int64_t value, int64_t scale, int64_t *out)
{
	int64_t digit = 0;

	for (; scale < 0 && value; scale++) {
		digit = value % 10;
		value /= 10;
	}
	if (digit >= 5 && scale == 0)
		value++;
	for (; scale > 0 && value; scale--)
		if (!mul_i64(value, 10, &value))
			return false;
	*out = value;
	return true;
}

/* Reads digits, ignoring those that do not fit. `scale` has to be applied
 * afterwards. */
static int64_t read_digits(struct str text, size_t *at, int64_t *scale)
{
	int64_t value = 0, next;
	bool is_fraction = false;

	for (; *at < text.len; ++*at) {
		char c = text.ptr[*at];

		if (c == '.') {
			is_fraction = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		if (mul_i64(value, 10, &next) &&
		    add_i64(next, c - '0', &next)) {
			value = next;
			*scale -= is_fraction;
		} else {
			*scale += !is_fraction;
		}
	}
	return value;
}

/* Computes a decimal times 10^shift as an integer, without floating point, so
 * that precision does not depend on magnitude. */
static bool read_decimal(struct str text, int shift, int64_t *out)
{
	bool is_negative = str_starts(text, STR("-"));
	size_t at = is_negative ? 1 : 0;
	int64_t scale = shift, exponent = 0, value;

	if (!is_decimal(text))
		return false;
	value = read_digits(text, &at, &scale);
	if (at < text.len) {
		at++;
		at += str_starts(str_slice(text, at, 1), STR("+")) ? 1 : 0;
		if (!parse_i64(str_slice(text, at, text.len - at), &exponent))
			return false;
	}
	if (!add_i64(scale, exponent, &scale) ||
	    !shift_decimal(value, scale, &value))
		return false;
	*out = is_negative ? -value : value;
	return true;
}

/* ---- document ----
 *
 * Functions that read return false for errors of their own only; those of the
 * parser stay there and are reported at the end. */

static bool read_list(struct reader *r,
		      bool (*read)(struct reader *r, struct error *err),
		      struct error *err)
{
	if (!json_enter(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json))
		if (!read(r, err))
			return false;
	return true;
}

static bool keep_text(struct reader *r, struct str text, struct str *kept,
		      struct error *err)
{
	*kept = arena_str(&r->scratch, text);
	return kept->ptr || no_memory(r, err);
}

enum {
	FIELD_NAME,
	FIELD_FILE,
	FIELD_LINE,
	FIELD_TYPE,
	FIELD_FRAME,
	FIELD_AT,
	FIELD_UNIT,
	FIELD_START,
	FIELD_END,
	FIELD_SAMPLES,
	FIELD_WEIGHTS,
	FIELD_EVENTS,
	FIELD_SHARED,
	FIELD_PROFILES,
};

static struct json_fields frame_fields =
	JSON_FIELDS(JSON_NAME("name", FIELD_NAME), JSON_NAME("file", FIELD_FILE),
		    JSON_NAME("line", FIELD_LINE));

static bool read_frame(struct reader *r, struct error *err)
{
	struct str text, name = STR(""), file = STR("");
	uint64_t line = 0;
	uint32_t function, *frame;
	int field;

	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	while ((field = json_next_field(r->json, &frame_fields)) >= 0)
		if (json_peek(r->json) !=
		    (field == FIELD_LINE ? JSON_NUMBER : JSON_STRING))
			json_skip(r->json);
		else if (field == FIELD_LINE && !json_u64(r->json, &line))
			json_skip(r->json);
		else if (field != FIELD_LINE && json_text(r->json, &text) &&
			 !keep_text(r, text,
				    field == FIELD_NAME ? &name : &file, err))
			return false;
	frame = column_add(&r->scratch, &r->frames, sizeof *frame);
	if (!frame)
		return no_memory(r, err);
	if (!profile_build_function(r->build, name, file, &function, err) ||
	    !profile_build_frame(r->build, function,
				 line > INT32_MAX ? 0 : (uint32_t)line, frame,
				 err))
		return false;
	for (unsigned i = 0; i < STATE_COUNT; i++)
		if (str_equal(name, str_from(state_names[i]))) {
			r->has_state[i] = true;
			r->states[i] = *frame;
		}
	return true;
}

/* Converts an index of `frames` to one of the model. whole: its value if it was
 * a plain number; else it is read next. */
static bool read_id(struct reader *r, const uint64_t *whole, uint32_t *id,
		    struct error *err)
{
	const uint32_t *frames = r->frames.items;
	uint64_t index = 0;

	if (whole)
		index = *whole;
	else if (!json_u64(r->json, &index))
		return true;
	if (index >= r->frames.count)
		return file_damaged("a frame is missing", err);
	*id = frames[index];
	return true;
}

static bool read_sample(struct reader *r, struct error *err)
{
	uint64_t whole;
	bool is_whole;
	size_t *end;

	if (!json_enter(r->json, JSON_ARRAY))
		return true;
	while ((is_whole = json_next_whole(r->json, &whole)) ||
	       json_next_item(r->json)) {
		uint32_t *id = column_add(&r->scratch, &r->ids, sizeof *id);

		if (!id)
			return no_memory(r, err);
		*id = 0;
		if (!read_id(r, is_whole ? &whole : NULL, id, err))
			return false;
	}
	end = column_add(&r->scratch, &r->ends, sizeof *end);
	if (!end)
		return no_memory(r, err);
	*end = r->ids.count;
	return true;
}

static bool read_weight(struct reader *r, struct error *err)
{
	struct str text, *weight;

	if (!json_number_text(r->json, &text))
		return true;
	weight = column_add(&r->scratch, &r->weights, sizeof *weight);
	return weight ? keep_text(r, text, weight, err) : no_memory(r, err);
}

static struct json_fields event_fields =
	JSON_FIELDS(JSON_NAME("type", FIELD_TYPE),
		    JSON_NAME("frame", FIELD_FRAME), JSON_NAME("at", FIELD_AT));

static bool read_event(struct reader *r, struct error *err)
{
	struct event *e = column_add(&r->scratch, &r->events, sizeof *e);
	struct str text;
	int field;

	if (!e)
		return no_memory(r, err);
	*e = (struct event){ .at = { NULL, 0 } };
	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	while ((field = json_next_field(r->json, &event_fields)) >= 0) {
		if (field == FIELD_FRAME && !read_id(r, NULL, &e->frame, err))
			return false;
		if (field == FIELD_TYPE && json_text(r->json, &text))
			e->is_open = str_equal(text, STR("O"));
		if (field == FIELD_AT && json_number_text(r->json, &text) &&
		    !keep_text(r, text, &e->at, err))
			return false;
	}
	return true;
}

/* ---- values ---- */

static bool read_value(const struct reader *r, struct str text, int64_t *out,
		       struct error *err)
{
	if (text.len && read_decimal(text, r->unit->shift, out))
		return true;
	return file_damaged("a time or weight is missing or out of range", err);
}

/* Adds a stack without its pseudo frame, whose time belongs to the caller. */
static bool add_stack(struct reader *r, const uint32_t *frames, size_t count,
		      int64_t value, struct error *err)
{
	uint32_t leaf = frames[count - 1];

	for (unsigned i = 0; count > 1 && i < STATE_COUNT; i++) {
		if (!r->has_state[i] || leaf != r->states[i])
			continue;
		if (i == STATE_OUTSIDE)
			r->outside = sat_add_i64(r->outside, value);
		count--;
		break;
	}
	return profile_build_stack(r->build, frames, (uint32_t)count, value,
				   err);
}

/* Without weights each sample counts as one. */
static bool add_samples(struct reader *r, int64_t *busy, struct error *err)
{
	const size_t *ends = r->ends.items;
	const struct str *weights = r->weights.items;
	const uint32_t *ids = r->ids.items;
	size_t first = 0;

	if (r->weights.count && r->weights.count != r->ends.count)
		return file_damaged("samples and weights differ in number",
				    err);
	for (size_t i = 0; i < r->ends.count; i++) {
		size_t count = ends[i] - first;
		int64_t value = 1;

		if (r->weights.count && !read_value(r, weights[i], &value, err))
			return false;
		/* A sample without frames is idle time. */
		if (count)
			*busy = sat_add_i64(*busy, value);
		if (count && !add_stack(r, ids + first, count, value, err))
			return false;
		first = ends[i];
	}
	return true;
}

/* Determines the duration. Profiles with samples mostly end at their sum:
 * py-spy omits idle samples, so this is not the length of the recording, unless
 * some of it was idle. */
static bool take_length(struct reader *r, int64_t busy, struct error *err)
{
	int64_t start, end, length;

	if (!r->start.len || !r->end.len || !time_unit_ns(str_from(r->unit->unit)))
		return true;
	if (!read_value(r, r->start, &start, err) ||
	    !read_value(r, r->end, &end, err))
		return false;
	if (!sub_i64(end, start, &length) || length <= 0)
		return true;
	r->first_ns = r->has_length ? min_i64(r->first_ns, start) : start;
	r->last_ns = r->has_length ? max_i64(r->last_ns, end) : end;
	r->has_length = true;
	r->is_length_told |= r->events.count ||
			     (double)length > BUSY * (double)busy;
	return true;
}

/* Closes frames still open when the recording was cut off: they last until its
 * end. */
static bool close_at_end(struct reader *r, const struct column *open,
			 int64_t last, struct error *err)
{
	int64_t end, value;

	r->open_count += open->count;
	if (!open->count || !r->end.len)
		return true;
	if (!read_value(r, r->end, &end, err))
		return false;
	if (end <= last || !sub_i64(end, last, &value))
		return true;
	return add_stack(r, open->items, open->count, value, err);
}

/* Time between two events belongs to the open frames. */
static bool add_events(struct reader *r, struct error *err)
{
	const struct event *events = r->events.items;
	struct column open = { .items = NULL };
	int64_t last = 0, at = 0, value;

	for (size_t i = 0; i < r->events.count; i++) {
		const struct event *e = &events[i];
		uint32_t *top;

		if (!read_value(r, e->at, &at, err))
			return false;
		if ((i && at < last) || !sub_i64(at, i ? last : at, &value))
			return file_damaged("events go back in time", err);
		if (open.count && value &&
		    !add_stack(r, open.items, open.count, value, err))
			return false;
		last = at;
		if (e->is_open) {
			top = column_add(&r->scratch, &open, sizeof *top);
			if (!top)
				return no_memory(r, err);
			*top = e->frame;
			continue;
		}
		top = open.items;
		if (!open.count || top[open.count - 1] != e->frame)
			return file_damaged(
				"a frame is closed that was not the "
				"last one opened",
				err);
		open.count--;
	}
	return close_at_end(r, &open, last, err);
}

/* ---- profiles ---- */

static struct json_fields profile_fields = JSON_FIELDS(
	JSON_NAME("unit", FIELD_UNIT), JSON_NAME("startValue", FIELD_START),
	JSON_NAME("endValue", FIELD_END), JSON_NAME("samples", FIELD_SAMPLES),
	JSON_NAME("weights", FIELD_WEIGHTS), JSON_NAME("events", FIELD_EVENTS));

static bool read_profile_field(struct reader *r, int field, struct error *err)
{
	bool is_unit = field == FIELD_UNIT;
	struct str text;

	if (field == FIELD_SAMPLES)
		return read_list(r, read_sample, err);
	if (field == FIELD_WEIGHTS)
		return read_list(r, read_weight, err);
	if (field == FIELD_EVENTS)
		return read_list(r, read_event, err);
	if (json_peek(r->json) != (is_unit ? JSON_STRING : JSON_NUMBER))
		json_skip(r->json);
	else if (is_unit && json_text(r->json, &text)) {
		r->unit = &units[0];
		for (size_t i = 0; i < UNIT_COUNT; i++)
			if (str_equal(text, str_from(units[i].name)))
				r->unit = &units[i];
	} else if (!is_unit && json_number_text(r->json, &text))
		return keep_text(r, text,
				 field == FIELD_START ? &r->start : &r->end,
				 err);
	return true;
}

static bool read_profile(struct reader *r, struct error *err)
{
	struct type_name type;
	int64_t busy = 0;
	uint32_t at = 0;
	int field;

	r->unit = &units[0];
	r->ids.count = r->ends.count = 0;
	r->weights.count = r->events.count = 0;
	r->start = r->end = STR("");
	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	while ((field = json_next_field(r->json, &profile_fields)) >= 0) {
		if ((field == FIELD_SAMPLES && r->ends.count) ||
		    (field == FIELD_EVENTS && r->events.count))
			return file_damaged(
				"a profile has two lists of samples", err);
		/* The first reading only needs the unit. */
		if (!r->is_second && field != FIELD_UNIT)
			json_skip(r->json);
		else if (!read_profile_field(r, field, err))
			return false;
	}
	if (json_failed(r->json))
		return true;
	type = (struct type_name){ str_from(r->unit->type),
				   str_from(r->unit->unit) };
	if (r->is_second && str_equal(r->type, type.type))
		return add_samples(r, &busy, err) && add_events(r, err) &&
		       take_length(r, busy, err);
	if (r->is_second) {
		r->other_count++;
		return true;
	}
	while (at < r->offered_count &&
	       !str_equal(r->offered[at].type, type.type))
		at++;
	if (at == r->offered_count)
		r->shown[at] = r->offered[r->offered_count++] = type;
	return true;
}

static struct json_fields document_fields = JSON_FIELDS(
	JSON_NAME("shared", FIELD_SHARED), JSON_NAME("profiles", FIELD_PROFILES));

static bool read_document(struct reader *r, struct error *err)
{
	int field;

	if (!json_enter(r->json, JSON_OBJECT))
		return json_check(r->json, err);
	while ((field = json_next_field(r->json, &document_fields)) >= 0)
		if (field != FIELD_SHARED) {
			if (!read_list(r, read_profile, err))
				return false;
		} else if (r->is_second) {
			json_skip(r->json);
		} else if (json_enter(r->json, JSON_OBJECT)) {
			while (json_next_named(r->json, STR("frames")))
				if (!read_list(r, read_frame, err))
					return false;
		}
	json_expect_end(r->json, "profile");
	return json_check(r->json, err);
}

static bool read_pass(struct reader *r, struct feed *feed, bool is_second,
		      struct error *err)
{
	bool is_done;

	r->is_second = is_second;
	feed_seek(feed, 0);
	r->json = json_new_feed(feed, err);
	if (!r->json)
		return false;
	is_done = read_document(r, err);
	json_free(r->json);
	return is_done;
}

/* Chooses the first profile's unit unless another is requested; a requested
 * type with its unit names what the file cannot. */
static bool declare_type(struct reader *r, const struct profile_want *want,
			 struct profile *out, struct error *err)
{
	struct type_name spelled;
	uint32_t chosen = 0;

	if (!r->offered_count)
		return type_declare_implied(r->build, want, err);
	if (type_spelled_out(want->type, &spelled) && r->offered_count == 1 &&
	    str_equal(spelled.unit, r->offered[0].unit))
		r->shown[0] = spelled;
	else if (!type_choose(r->shown, r->offered_count, r->offered[0].type,
			      want, &chosen, err))
		return false;
	for (uint32_t i = 0; i < r->offered_count; i++)
		if (!profile_build_type(r->build, r->shown[i].type,
					r->shown[i].unit, err))
			return false;
	r->type = r->offered[chosen].type;
	out->type = chosen;
	return true;
}

static void note_rest(const struct reader *r, const struct profile *out,
		      struct notes *notes)
{
	if (r->open_count)
		notes_add(notes,
			  "%zu frame%s open where the recording ends, as if "
			  "it was cut off: what is open lasts until then",
			  r->open_count,
			  r->open_count == 1 ? " is" : "s are");
	if (r->other_count)
		notes_add(notes,
			  "%zu profile%s of another unit %s left out; --type "
			  "names another one",
			  r->other_count, &"s"[r->other_count == 1],
			  r->other_count == 1 ? "is" : "are");
	if (r->outside && out->total)
		notes_add(notes,
			  "%.1f %% are in no managed code "
			  "(UNMANAGED_CODE_TIME), waiting or in libraries, and "
			  "named after their caller",
			  100 * (double)r->outside / (double)out->total);
}

bool decode_speedscope(struct feed *feed, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err)
{
	struct reader r = { .build = profile_build_new(out, err),
			    .states = { UINT32_MAX, UINT32_MAX } };
	bool is_done;

	if (!r.build)
		return false;
	arena_init(&r.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = read_pass(&r, feed, false, err) &&
		  declare_type(&r, want, out, err) &&
		  read_pass(&r, feed, true, err) &&
		  profile_build_finish(r.build, notes, err);
	if (is_done) {
		note_rest(&r, out, notes);
		type_settle(out);
		if (r.is_length_told)
			out->duration_ns =
				sat_sub_i64(r.last_ns, r.first_ns);
	}
	arena_release(&r.scratch);
	profile_build_free(r.build);
	return is_done;
}
