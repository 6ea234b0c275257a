/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/pprof.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/map.h"
#include "base/notes.h"
#include "base/num.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/profile_type.h"
#include "decode/wire.h"
#include "model/profile.h"

/* Field numbers are those of perftools.profiles.Profile. Writers put fields in
 * any order, strings often last; ids are arbitrary, though nearly all count 1,
 * 2, 3. */

/* Maximum slots per message of a table by id, above which a map is smaller. */
#define SLOTS_PER_MESSAGE 4

bool pprof_malformed(struct error *err, const char *what, uint64_t id,
		     const char *why)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off: %s %llu "
			 "%s",
			 PPROF_WHAT, what, (unsigned long long)id, why);
}

/* ---- what is kept ---- */

/* Counts a field; of repeated header fields the last one counts, as in any
 * protobuf. */
static bool count_field(struct pprof *p, const struct wire_field *f,
			struct error *err)
{
	struct pprof_header *h = &p->header;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		if (h->type_count == LIMIT_SAMPLE_TYPES)
			return error_set(err, ERROR_LIMIT,
					 "%s has more than %u sample types",
					 PPROF_WHAT, LIMIT_SAMPLE_TYPES);
		h->type_count++;
		break;
	case WIRE_TAG(7, WIRE_VARINT):
		h->drop_frames = f->value;
		break;
	case WIRE_TAG(8, WIRE_VARINT):
		h->keep_frames = f->value;
		break;
	case WIRE_TAG(9, WIRE_VARINT):
		h->time_ns = (int64_t)f->value;
		break;
	case WIRE_TAG(10, WIRE_VARINT):
		h->duration_ns = (int64_t)f->value;
		break;
	case WIRE_TAG(12, WIRE_VARINT):
		h->period = (int64_t)f->value;
		break;
	case WIRE_TAG(14, WIRE_VARINT):
		h->default_type = f->value;
		break;
	default:
		break;
	}
	return true;
}

/* Unused memory costs nothing, while growing means copying. */
#define FIRST_KEPT_BYTES (256 * KIB)

static bool keep_string(struct pprof *p, struct str text, struct error *err)
{
	void *texts = p->texts, *strings = p->strings;
	char *end;

	if (!arena_reserve(
		    p->kept, &texts, &p->texts_cap,
		    max_size(p->texts_len + text.len + 1, FIRST_KEPT_BYTES),
		    sizeof *p->texts))
		return arena_fail(p->kept, PPROF_WHAT, err);
	p->texts = texts;
	if (!arena_reserve(&p->scratch, &strings, &p->string_cap,
			   p->string_count + 1, sizeof *p->strings))
		return pprof_no_memory(p, err);
	p->strings = strings;
	p->strings[p->string_count++] = (uint32_t)p->texts_len;
	end = p->texts + p->texts_len;
	if (text.len)
		memcpy(end, text.ptr, text.len);
	end[text.len] = '\0';
	p->texts_len += text.len + 1;
	return true;
}

_Static_assert(LIMIT_DECODE_HEAP_BYTES <= UINT32_MAX, "offsets fit 32 bits");

struct kept_field {
	struct str bytes;
	uint64_t offset; /* in the input */
};

/* *at: its offset in p->bytes. */
static bool keep_bytes(struct pprof *p, const struct kept_field *field,
		       uint32_t *at, struct error *err)
{
	uint64_t left_out = field->offset - p->bytes.len;
	void *gaps = p->gaps;

	*at = (uint32_t)p->bytes.len;
	if (p->gap_count ? p->gaps[p->gap_count - 1].left_out != left_out
			 : left_out) {
		/* It does not directly follow what was kept last. */
		if (!arena_reserve(&p->scratch, &gaps, &p->gap_cap,
				   p->gap_count + 1, sizeof *p->gaps))
			return pprof_no_memory(p, err);
		p->gaps = gaps;
		p->gaps[p->gap_count++] =
			(struct pprof_gap){ p->bytes.len, left_out };
	}
	buf_add_str(&p->bytes, field->bytes);
	return buf_check(&p->bytes, PPROF_WHAT, err);
}

/* ---- rows ---- */

/* Appends an uninitialised row of that size; returns NULL when out of
 * memory. */
static void *table_add(struct pprof *p, struct pprof_table *t, uint64_t id,
		       void **rows, size_t *cap, size_t size, struct error *err)
{
	bool was_counted = !t->ids;
	void *ids = t->ids;

	if (t->count == t->limit) {
		error_set(err, ERROR_LIMIT, "%s has more than %u %ss",
			  PPROF_WHAT, t->limit, t->what);
		return NULL;
	}
	t->idless_count += id == 0;
	/* Stores ids from the first one on that is not consecutive. */
	if (!was_counted || id != t->count + 1u) {
		if (!arena_reserve(&p->scratch, &ids, &t->id_cap, t->count + 1u,
				   sizeof *t->ids)) {
			pprof_no_memory(p, err);
			return NULL;
		}
		t->ids = ids;
		for (uint32_t i = 0; was_counted && i < t->count; i++)
			t->ids[i] = i + 1u;
		t->ids[t->count] = id;
	}
	if (!arena_reserve(&p->scratch, rows, cap, t->count + 1u, size)) {
		pprof_no_memory(p, err);
		return NULL;
	}
	return (char *)*rows + size * t->count++;
}

/* Keeps an unusual message encoded. In functions, locations and mappings the id
 * is field 1; 0: none. */
static bool keep_message(struct pprof *p, const struct kept_field *field,
			 uint32_t *at, uint64_t *id, struct error *err)
{
	struct wire_field f;
	struct wire w;
	struct error why;

	if (!keep_bytes(p, field, at, err))
		return false;
	*id = 0;
	pprof_wire(p, pprof_message(p, *at), &w);
	while (*id == 0 && wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			*id = f.value;
	if (!pprof_check(p, &w, &why) && p->damage.code == ERROR_NONE)
		p->damage = why;
	return true;
}

static bool read_usual_line(struct str message, bool has_columns,
			    struct pprof_location *row)
{
	struct wire w = { .bytes = message };
	struct wire_field f;
	uint64_t function = 0, line = 0, column = 0;

	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			function = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			line = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			column = f.value;
	}
	row->function = (uint32_t)function;
	row->line = pprof_place_number(line);
	return !w.failure && function < PPROF_NONE && !(has_columns && column);
}

static bool read_usual_location(struct str message, bool has_columns,
				uint64_t *id, struct pprof_location *row)
{
	struct wire w = { .bytes = message };
	struct wire_field f;
	uint64_t mapping = 0, address = 0;
	bool has_line = false;

	*id = 0;
	*row = (struct pprof_location){ 0 };
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT) && !*id)
			*id = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			mapping = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			address = f.value;
		else if (f.tag == WIRE_TAG(4, WIRE_BYTES)) {
			if (has_line ||
			    !read_usual_line(f.bytes, has_columns, row))
				return false;
			has_line = true;
		}
	}
	row->place = mapping << PPROF_ADDRESS_BITS |
		     (address & ((UINT64_C(1) << PPROF_ADDRESS_BITS) - 1));
	return !w.failure && *id && mapping <= UINT16_MAX &&
	       pprof_address(row) == address;
}

static bool keep_location(struct pprof *p, struct str message,
			  const struct kept_field *field, struct error *err)
{
	bool has_columns = p->detail >= PROFILE_DETAIL_ADDRESSES;
	struct pprof_location row, *added;
	struct wire w = { .bytes = message };
	struct wire_field f;
	uint64_t id;
	uint32_t at;

	if (!read_usual_location(message, has_columns, &id, &row)) {
		if (!keep_message(p, field, &at, &id, err))
			return false;
		row = (struct pprof_location){ .function = PPROF_NONE,
					       .place = at };
		/* Counts lines up to an error, which is reported when the
		 * location is decoded. */
		while (wire_next(&w, &f))
			row.line += f.tag == WIRE_TAG(4, WIRE_BYTES);
	}
	added = table_add(p, &p->locations, id, (void **)&p->location_rows,
			  &p->location_row_cap, sizeof row, err);
	if (added)
		*added = row;
	p->frames_expected += pprof_frames_of(&row);
	return added;
}

/* Fields 2, 3 and 4 are string indices: name, system name, file. */
static bool read_usual_function(struct str message, uint64_t *id,
				struct pprof_function *row)
{
	struct wire w = { .bytes = message };
	struct wire_field f;
	uint64_t fields[5] = { 0 };

	*id = 0;
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT) && !*id)
			*id = f.value;
		if (f.tag >> 3 <= 4 && (f.tag & 7) == WIRE_VARINT)
			fields[f.tag >> 3] = f.value;
	}
	*row = (struct pprof_function){
		.name = (uint32_t)fields[2],
		.system_name = (uint32_t)fields[3],
		.file = (uint32_t)fields[4],
	};
	return !w.failure && *id &&
	       (fields[2] | fields[3] | fields[4]) < PPROF_NONE;
}

static bool keep_function(struct pprof *p, struct str message,
			  const struct kept_field *field, struct error *err)
{
	struct pprof_function row, *added;
	uint64_t id;
	uint32_t at;

	if (!read_usual_function(message, &id, &row)) {
		if (!keep_message(p, field, &at, &id, err))
			return false;
		row = (struct pprof_function){ .name = PPROF_NONE, .file = at };
	}
	added = table_add(p, &p->functions, id, (void **)&p->function_rows,
			  &p->function_row_cap, sizeof row, err);
	if (added)
		*added = row;
	return added;
}

static bool keep_mapping(struct pprof *p, const struct kept_field *field,
			 struct error *err)
{
	uint32_t at, *added;
	uint64_t id;

	if (!keep_message(p, field, &at, &id, err))
		return false;
	added = table_add(p, &p->mappings, id, (void **)&p->mapping_fields,
			  &p->mapping_field_cap, sizeof at, err);
	if (added)
		*added = at;
	return added;
}

/* Counts a field of the message other than samples, and keeps it: the text of a
 * string, a row, or all bytes, which begin at this input offset. */
static bool pprof_keep(struct pprof *p, const struct wire_field *f,
		       struct str field, uint64_t offset, struct error *err)
{
	struct kept_field kept = { field, offset };
	uint32_t at;

	switch (f->tag) {
	case WIRE_TAG(3, WIRE_BYTES):
		return keep_mapping(p, &kept, err);
	case WIRE_TAG(4, WIRE_BYTES):
		return keep_location(p, f->bytes, &kept, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return keep_function(p, f->bytes, &kept, err);
	case WIRE_TAG(6, WIRE_BYTES):
		return keep_string(p, f->bytes, err);
	default:
		return count_field(p, f, err) && keep_bytes(p, &kept, &at, err);
	}
}

/* For a truncated message, reports its end instead of the gap after it. */
bool pprof_check(const struct pprof *p, const struct wire *w, struct error *err)
{
	struct wire moved = *w;
	size_t i = p->gap_count;

	if (!w->failure)
		return true;
	while (i && p->gaps[i - 1].at >= w->failed_at)
		i--;
	if (i)
		moved.failed_at += (size_t)p->gaps[i - 1].left_out;
	return wire_check(&moved, PPROF_WHAT, err);
}

/* ---- the tables ---- */

struct str pprof_message(const struct pprof *p, uint32_t field)
{
	struct wire w = { .bytes = buf_str(&p->bytes), .at = field };
	struct wire_field f = { .bytes = STR("") };

	/* All of them were parsed before. */
	return wire_next(&w, &f) ? f.bytes : STR("");
}

/* Decodes messages in the header that refer to types. */
static bool read_header(struct pprof *p, struct error *err)
{
	struct pprof_header *h = &p->header;
	struct wire w;
	struct wire_field f;

	h->type_count = 0;
	pprof_wire(p, buf_str(&p->bytes), &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_BYTES))
			h->type_messages[h->type_count++] = f.bytes;
		else if (f.tag == WIRE_TAG(11, WIRE_BYTES))
			h->period_message = f.bytes;
	}
	return pprof_check(p, &w, err);
}

/* Concatenated profiles parse as one message with duplicate ids; their sum
 * would not be meaningful. */
static bool id_is_twice(const struct pprof_table *t, uint64_t id,
			struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s has two %ss with id %llu; were several files "
			 "joined? Merge them with pprof -proto instead",
			 PPROF_WHAT, t->what, (unsigned long long)id);
}

/* Most writers use consecutive ids, some other small numbers; hashes and
 * addresses are also legal. */
static bool index_ids(struct pprof *p, struct pprof_table *t, struct error *err)
{
	uint64_t highest = 0;

	if (!t->ids)
		return true;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->ids[i] > highest)
			highest = t->ids[i];
	if (highest < (uint64_t)t->count * SLOTS_PER_MESSAGE) {
		t->by_id_len = highest + 1;
		t->by_id = arena_array(&p->scratch, (size_t)t->by_id_len,
				       sizeof *t->by_id);
		if (!t->by_id)
			return pprof_no_memory(p, err);
		for (uint32_t i = 0; i < t->count; i++) {
			uint64_t id = t->ids[i];

			if (t->by_id[id])
				return id_is_twice(t, id, err);
			t->by_id[id] = i + 1;
		}
		return true;
	}
	map_init(&t->map, &p->scratch);
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t stored;

		if (!map_insert_u64(&t->map, t->ids[i], i, &stored))
			return pprof_no_memory(p, err);
		if (stored != i)
			return id_is_twice(t, t->ids[i], err);
	}
	return true;
}

/* String 0 is the empty string even if the table is missing, as in empty
 * responses of Pyroscope. */
bool pprof_string(const struct pprof *p, uint64_t index, struct str *text,
		  struct error *err)
{
	*text = STR("");
	if (index == 0)
		return true;
	if (index >= p->string_count)
		return pprof_malformed(err, "string", index, "is missing");
	*text = pprof_text(p, (size_t)index);
	return true;
}

/* Units as pprof reads them, too: austin2pprof writes "μs" and "B". */
static struct str unit_in_full(struct str unit)
{
	static const struct {
		const char *brief;
		const char *full;
	} units[] = {
		{ "ns", "nanoseconds" },  { "us", "microseconds" },
		{ "μs", "microseconds" }, { "ms", "milliseconds" },
		{ "s", "seconds" },	  { "B", "bytes" },
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_equal(unit, str_from(units[i].brief)))
			return str_from(units[i].full);
	return unit;
}

static bool read_type(const struct pprof *p, struct str message,
		      struct type_name *type, struct error *err)
{
	struct wire w;
	struct wire_field f;
	uint64_t name = 0;
	uint64_t unit = 0;

	pprof_wire(p, message, &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			name = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			unit = f.value;
	}
	if (!pprof_check(p, &w, err) ||
	    !pprof_string(p, name, &type->type, err) ||
	    !pprof_string(p, unit, &type->unit, err))
		return false;
	type->unit = unit_in_full(type->unit);
	return true;
}

static bool check_ids(const struct pprof_table *t, struct error *err)
{
	uint32_t at = 0;

	if (!t->idless_count)
		return true;
	while (t->ids[at])
		at++;
	return pprof_malformed(err, t->what, at + 1u, "has no id");
}

/* Called after all fields: builds the tables. */
static bool pprof_load(struct pprof *p, struct notes *notes, struct error *err)
{
	struct pprof_header *h = &p->header;
	struct pprof_table *functions = &p->functions;

	if (p->damage.code != ERROR_NONE) {
		*err = p->damage;
		return false;
	}
	if (!check_ids(&p->mappings, err) || !check_ids(&p->locations, err))
		return false;
	if (functions->count && functions->idless_count >= functions->count &&
	    functions->count == p->locations.count) {
		/* Pyroscope's client for .NET wrote functions without ids that
		 * correspond to the locations, of which there are as many. */
		functions->ids = p->locations.ids;
		notes_add(notes, "no function of the profile has an id: each "
				 "is taken for that of the location in its "
				 "place");
	} else if (!check_ids(functions, err)) {
		return false;
	}
	arena_trim(p->kept, (void **)&p->texts, &p->texts_cap, p->texts_len, 1);
	profile_build_keep(p->build, (struct str){ p->texts, p->texts_len });
	/* The input is complete: frees unused memory. */
	arena_trim(&p->scratch, (void **)&p->strings, &p->string_cap,
		   p->string_count, sizeof *p->strings);
	arena_trim(&p->scratch, (void **)&p->location_rows,
		   &p->location_row_cap, p->locations.count,
		   sizeof *p->location_rows);
	arena_trim(&p->scratch, (void **)&p->function_rows,
		   &p->function_row_cap, p->functions.count,
		   sizeof *p->function_rows);
	if (!read_header(p, err) || !index_ids(p, &p->mappings, err) ||
	    !index_ids(p, &p->locations, err) || !index_ids(p, functions, err))
		return false;
	for (uint32_t i = 0; i < h->type_count; i++)
		if (!read_type(p, h->type_messages[i], &h->types[i], err))
			return false;
	if (h->period_message.ptr &&
	    !read_type(p, h->period_message, &h->period_type, err))
		return false;
	/* Arrays used to resolve locations, which resolve each function
	 * once. */
	p->known = arena_array(&p->scratch, functions->count, sizeof *p->known);
	p->text_ids = arena_array(&p->scratch, p->string_count,
				  2 * sizeof *p->text_ids);
	if (!p->known || !p->text_ids)
		return pprof_no_memory(p, err);
	for (uint32_t i = 0; i < functions->count; i++)
		p->known[i].function = PPROF_NONE;
	return profile_build_expect(p->build, p->string_count,
				    p->functions.count, p->frames_expected,
				    err);
}

/* Plausible sampling periods. Pyroscope's responses have made-up ones: 1 s for
 * CPU, 1 ns for wall-clock time, whatever the sampler used. */
#define PERIOD_MIN_NS (NS_PER_MS / 10)
#define PERIOD_END_NS NS_PER_S

/* Maximum number of values on the fast path: Go's heap profiles have this
 * many. */
#define USUAL_TYPES 4u

/* A decoded Sample message. */
struct sample {
	uint64_t *ids; /* leaf first */
	size_t id_cap, id_count;
	struct str varints; /* ids in one piece, not decoded yet */
	size_t varints_start;
	uint32_t value_count;
	int64_t value;
};

struct samples {
	struct pprof *p;
	const struct profile_want *want;
	struct label_filter *labels; /* or NULL */
	struct pprof_pack pack;
	struct sample now;
	/* Names of types and labels may come after the samples: the first
	 * reading guesses the type and ignores labels. A second one is needed
	 * if that was wrong. */
	bool is_guess;
	bool is_wrong;
	uint32_t type;
	int64_t sums[LIMIT_SAMPLE_TYPES]; /* over all samples */
	int64_t left_out;                 /* sum of absolute values */
	int64_t stackless_sum, cancelled; /* for samples without a stack */
	uint32_t counting_type;           /* PPROF_NONE: none */
	/* Samples are counted, and the period is a time: this time is offered
	 * before the declared types. */
	uint32_t timed_type; /* PPROF_NONE: none */
	bool is_timed;       /* it was chosen; `type` is the column */
	bool has_plausible_period;
	/* Used if stacks are not packed. */
	struct pprof_unfolded *unfolded; /* by location */
	uint32_t *frames;
	size_t frame_cap;
	uint64_t frames_seen;
};

static bool reserve_ids(struct samples *s, size_t more, struct error *err)
{
	void *ids = s->now.ids;

	if (!arena_reserve(&s->p->scratch, &ids, &s->now.id_cap,
			   s->now.id_count + more, sizeof *s->now.ids))
		return pprof_no_memory(s->p, err);
	s->now.ids = ids;
	return true;
}

/* Short varints are the common case. A packed array of n bytes has at most n
 * elements, so they fit. */
static bool read_ids(struct samples *s, struct wire *w, struct error *err)
{
	const unsigned char *bytes = (const unsigned char *)w->bytes.ptr;
	uint64_t *ids = s->now.ids + s->now.id_count;

	while (w->at < w->bytes.len) {
		unsigned len = 0;

		if (w->bytes.len - w->at >= 3)
			len = varint_short(bytes + w->at, ids);
		w->at += len;
		if (!len && !wire_next_varint(w, ids))
			break;
		ids++;
	}
	s->now.id_count = (size_t)(ids - s->now.ids);
	return wire_check(w, PPROF_WHAT, err);
}

/* Decodes the ids that were deferred, if any. */
static bool read_varints(struct samples *s, struct error *err)
{
	struct wire varints = { .bytes = s->now.varints,
				.start = s->now.varints_start };

	s->now.varints.len = 0;
	return !varints.bytes.len || (reserve_ids(s, varints.bytes.len, err) &&
				      read_ids(s, &varints, err));
}

static void put_off(struct samples *s, struct str varints, size_t start)
{
	s->now.varints = varints;
	s->now.varints_start = start;
}

static void add_value(struct samples *s, uint64_t value)
{
	uint32_t column = s->now.value_count++;

	if (column == s->type)
		s->now.value = (int64_t)value;
	if (column < LIMIT_SAMPLE_TYPES)
		s->sums[column] = sat_add_i64(s->sums[column], (int64_t)value);
}

/* Labels with a number never match. */
static bool read_label(struct samples *s, struct wire *w, struct error *err)
{
	const struct pprof *p = s->p;
	struct wire_field f;
	uint64_t key = 0, text = 0;

	while (wire_next(w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			key = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			text = f.value;
	}
	if (!wire_check(w, PPROF_WHAT, err))
		return false;
	if (!text || text >= p->string_count || key >= p->string_count)
		return true;
	return label_filter_add(s->labels, pprof_text(p, (size_t)key),
				pprof_text(p, (size_t)text), err);
}

static bool read_sample_field(struct samples *s, const struct wire *sample,
			      const struct wire_field *f, struct error *err)
{
	struct wire inside;
	uint64_t value;
	bool is_first;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		inside = wire_inside(sample, f);
		if (!inside.bytes.len)
			return true;
		is_first = !s->now.id_count && !s->now.varints.len;
		if (!read_varints(s, err))
			return false;
		put_off(s, inside.bytes, inside.start);
		/* Nearly always all ids are in one piece. */
		return is_first || read_varints(s, err);
	case WIRE_TAG(1, WIRE_VARINT):
		if (!read_varints(s, err) || !reserve_ids(s, 1, err))
			return false;
		s->now.ids[s->now.id_count++] = f->value;
		return true;
	case WIRE_TAG(2, WIRE_BYTES):
		inside = wire_inside(sample, f);
		while (wire_next_varint(&inside, &value))
			add_value(s, value);
		return wire_check(&inside, PPROF_WHAT, err);
	case WIRE_TAG(2, WIRE_VARINT):
		add_value(s, f->value);
		return true;
	case WIRE_TAG(3, WIRE_BYTES):
		if (!s->labels)
			return true;
		inside = wire_inside(sample, f);
		return read_label(s, &inside, err);
	default:
		return true;
	}
}

/* Reads a length of one or two bytes and the bytes after it; returns NULL for
 * anything else. */
static const unsigned char *take_short(const unsigned char *at,
				       const unsigned char *end,
				       struct str *bytes)
{
	size_t len;

	if (end - at < 2)
		return NULL;
	len = *at++;
	if (len >= 0x80)
		len = (len & 0x7F) | (size_t)*at++ << 7;
	if (len >= (size_t)1 << 14 || len > (size_t)(end - at))
		return NULL;
	*bytes = (struct str){ (const char *)at, len };
	return at + len;
}

/* Reads all values of the message, if there are no others. */
static bool take_values(struct samples *s, struct str bytes)
{
	uint64_t values[USUAL_TYPES] = { 0 };
	uint32_t count = s->p->header.type_count;
	struct wire w = { .bytes = bytes };

	if (count > USUAL_TYPES)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!wire_next_varint(&w, &values[i]))
			return false;
	if (w.at != bytes.len)
		return false;
	for (uint32_t i = 0; i < count; i++)
		add_value(s, values[i]);
	return true;
}

/* Fast path for samples as nearly all writers encode them: ids, values, and
 * labels that are not needed. Returns false, having read nothing, for
 * others. */
static bool read_usual(struct samples *s, const struct wire *w)
{
	const unsigned char *at = (const unsigned char *)w->bytes.ptr;
	const unsigned char *end = at + w->bytes.len;
	struct str ids, values = { NULL, 0 }, label;

	if (s->labels || at == end || *at != WIRE_TAG(1, WIRE_BYTES))
		return false;
	at = take_short(at + 1, end, &ids);
	if (!at || at == end || *at != WIRE_TAG(2, WIRE_BYTES))
		return false;
	at = take_short(at + 1, end, &values);
	while (at && at < end && *at == WIRE_TAG(3, WIRE_BYTES))
		at = take_short(at + 1, end, &label);
	if (at != end || !take_values(s, values))
		return false;
	put_off(s, ids, w->start + (size_t)(ids.ptr - w->bytes.ptr));
	return true;
}

static bool read_sample(struct samples *s, struct wire *w, struct error *err)
{
	uint32_t types = s->p->header.type_count;
	struct wire_field f;

	s->now.id_count = 0;
	s->now.varints.len = 0;
	s->now.value_count = 0;
	s->now.value = 0;
	if (read_usual(s, w))
		return true;
	if (s->labels)
		label_filter_begin(s->labels);
	while (wire_next(w, &f))
		if (!read_sample_field(s, w, &f, err))
			return false;
	if (!wire_check(w, PPROF_WHAT, err))
		return false;
	if (s->now.value_count == types)
		return true;
	/* Types may follow the samples, so the first reading cannot check their
	 * number. */
	s->is_wrong = true;
	return s->is_guess ||
	       error_set(err, ERROR_FORMAT,
			 "%s is damaged: a sample has %u values for %u sample "
			 "types",
			 PPROF_WHAT, s->now.value_count, types);
}

static bool take_sample(struct samples *s, struct error *err)
{
	struct sample *now = &s->now;
	int64_t magnitude, before, grown;

	if (!s->labels && now->varints.len && now->value &&
	    pprof_pack_add_varints(&s->pack, now->varints, now->value))
		return true;
	if (!read_varints(s, err))
		return false;
	if (!(s->labels && !label_filter_matches(s->labels)) &&
	    !(s->want->omits_stackless && !now->id_count))
		return !now->value ||
		       pprof_pack_add(&s->pack, now->ids, now->id_count,
				      now->value, err);
	magnitude = sat_magnitude_i64(now->value);
	s->left_out = sat_add_i64(s->left_out, magnitude);
	if (now->id_count)
		return true;
	/* Samples without a stack, which are dropped, may also cancel out. */
	before = sat_magnitude_i64(s->stackless_sum);
	s->stackless_sum = sat_add_i64(s->stackless_sum, now->value);
	grown = sat_magnitude_i64(s->stackless_sum) - before;
	s->cancelled = sat_add_i64(s->cancelled, sat_sub_i64(magnitude, grown));
	return true;
}

/* ---- messages ---- */

/* Returns all bytes of the field read last. */
static inline struct str wire_feed_field(const struct wire_feed *wf)
{
	size_t first = (size_t)(wf->field_start - wf->w.start);

	return str_slice(wf->w.bytes, first, wf->w.at - first);
}

static bool read_fields(struct samples *s, struct wire_feed *wf,
			struct error *err)
{
	bool keeps_tables = s->is_guess;
	struct pprof *p = s->p;
	struct wire_field f;
	struct wire w;

	while (wire_feed_next(wf, &f)) {
		if (f.tag != WIRE_TAG(2, WIRE_BYTES)) {
			if (keeps_tables &&
			    !pprof_keep(p, &f, wire_feed_field(wf),
					wf->field_start, err))
				return false;
			continue;
		}
		if (++p->sample_count > LIMIT_SAMPLES)
			return error_set(err, ERROR_LIMIT,
					 "%s has more than %u samples",
					 PPROF_WHAT, LIMIT_SAMPLES);
		/* By default, with few exceptions, the last type is chosen. */
		if (s->is_guess && p->sample_count == 1 && p->header.type_count)
			s->type = p->header.type_count - 1;
		w = wire_inside(&wf->w, &f);
		if (!read_sample(s, &w, err) || !take_sample(s, err))
			return false;
	}
	return wire_feed_check(wf, PPROF_WHAT, err);
}

/* Reads a message; a read error looks like truncation. */
static bool read_message(struct samples *s, struct feed *feed,
			 uint64_t *size_bytes, struct error *err)
{
	struct wire_feed wf;
	bool is_read;

	s->p->sample_count = 0;
	wire_feed_init(&wf, feed);
	is_read = read_fields(s, &wf, err);
	*size_bytes = wf.field_start;
	wire_feed_release(&wf);
	return feed_check(feed, err) && is_read;
}

/* ---- the stacks ---- */

/* Replaces the ids by location indices and counts their frames. */
static bool samples_locate(struct samples *s, size_t *frame_count,
			   struct error *err)
{
	struct sample *now = &s->now;

	*frame_count = 0;
	for (size_t i = 0; i < now->id_count; i++) {
		uint64_t id = now->ids[i];
		uint32_t location = pprof_find(&s->p->locations, id);
		struct pprof_unfolded u;

		if (location == PPROF_NONE || !s->unfolded[location].count) {
			if (!pprof_unfold(s->p, id, location, &u, err))
				return false;
			s->unfolded[location] = u;
		}
		now->ids[i] = location;
		*frame_count += s->unfolded[location].count;
	}
	s->frames_seen += *frame_count;
	if (s->frames_seen <= LIMIT_STACK_FRAMES_TOTAL)
		return true;
	return error_set(err, ERROR_LIMIT,
			 "%s has more than %u frames in all its stacks",
			 PPROF_WHAT, LIMIT_STACK_FRAMES_TOTAL);
}

static bool add_sample(struct samples *s, struct error *err)
{
	struct sample *now = &s->now;
	void *frames = s->frames;
	size_t count, first;
	uint32_t *at;

	if (!pprof_drop_cut(s->p, now->ids, now->id_count, &first, err))
		return false;
	if (first) {
		/* Applies drop_frames, from the leaf on. */
		now->id_count -= first;
		memmove(now->ids, now->ids + first,
			now->id_count * sizeof *now->ids);
	}
	if (!samples_locate(s, &count, err))
		return false;
	if (!arena_reserve(&s->p->scratch, &frames, &s->frame_cap, count,
			   sizeof *s->frames))
		return pprof_no_memory(s->p, err);
	at = s->frames = frames;
	for (size_t i = s->now.id_count; i-- > 0;) {
		struct pprof_unfolded u = s->unfolded[s->now.ids[i]];

		for (uint32_t k = 0; k < u.count; k++)
			*at++ = s->p->frames[u.first + k];
	}
	return profile_build_stack(s->p->build, s->frames, (uint32_t)count,
				   s->now.value, err);
}

/* ---- types ---- */

static bool declare_types(const struct samples *s, struct error *err)
{
	const struct pprof *p = s->p;
	const struct pprof_header *h = &p->header;

	if (s->timed_type != PPROF_NONE &&
	    !profile_build_type(p->build, h->period_type.type,
				h->period_type.unit, err))
		return false;
	for (uint32_t i = 0; i < h->type_count; i++)
		if (!profile_build_type(p->build, h->types[i].type,
					h->types[i].unit, err))
			return false;
	return true;
}

static bool is_plausible_period(const struct pprof_header *h)
{
	int64_t unit_ns = time_unit_ns(h->period_type.unit);
	int64_t period_ns = sat_mul_i64(h->period, unit_ns);

	if (h->period <= 0)
		return false;
	return !unit_ns ||
	       (period_ns >= PERIOD_MIN_NS && period_ns < PERIOD_END_NS);
}

/* Parca and OpenTelemetry's profiler count samples, and have a period of CPU
 * time. */
static uint32_t find_timed_type(const struct samples *s)
{
	const struct pprof_header *h = &s->p->header;
	uint32_t found = PPROF_NONE;
	int64_t total;

	if (!time_unit_ns(h->period_type.unit) || !is_plausible_period(h) ||
	    h->type_count == LIMIT_SAMPLE_TYPES ||
	    !(str_equal(h->period_type.type, STR("cpu")) ||
	      str_equal(h->period_type.type, STR("wall"))))
		return PPROF_NONE;
	for (uint32_t i = 0; i < h->type_count; i++) {
		if (time_unit_ns(h->types[i].unit))
			return PPROF_NONE;
		if (found == PPROF_NONE && type_is_sample_count(h->types[i]) &&
		    mul_i64(s->sums[i], h->period, &total))
			found = i;
	}
	return found;
}

static bool choose_column(struct samples *s, const struct profile_want *want,
			  struct str default_type, uint32_t *type,
			  struct error *err)
{
	const struct pprof_header *h = &s->p->header;
	struct type_name offered[LIMIT_SAMPLE_TYPES];

	s->is_timed = false;
	if (s->timed_type == PPROF_NONE)
		return type_choose(h->types, h->type_count, default_type, want,
				   type, err);
	offered[0] = h->period_type;
	for (uint32_t i = 0; i < h->type_count; i++)
		offered[i + 1] = h->types[i];
	/* The time type if its column is the default one. */
	if (default_type.len
		    ? str_equal(default_type, h->types[s->timed_type].type)
		    : s->timed_type == h->type_count - 1)
		default_type = h->period_type.type;
	if (!type_choose(offered, h->type_count + 1, default_type, want, type,
			 err))
		return false;
	s->is_timed = *type == 0;
	*type = s->is_timed ? s->timed_type : *type - 1;
	return true;
}

/* Chooses the type; if there are no samples any will do. */
static bool choose_type(struct samples *s, const struct profile_want *want,
			uint32_t *type, struct error *err)
{
	const struct pprof *p = s->p;
	const struct pprof_header *h = &p->header;
	struct str default_type = STR("");
	bool has_named_type = false;

	*type = 0;
	s->timed_type = find_timed_type(s);
	for (uint32_t i = 0; i < h->type_count; i++)
		has_named_type |= h->types[i].type.len > 0;
	/* Empty responses of Pyroscope have one unnamed type, or none. */
	if (p->sample_count == 0 && !has_named_type)
		return type_declare_implied(p->build, want, err);
	if (h->type_count == 0)
		return error_set(err, ERROR_FORMAT,
				 "%s is damaged or cut off: it has samples but "
				 "no sample type",
				 PPROF_WHAT);
	if (h->default_type < p->string_count)
		default_type = pprof_text(p, (size_t)h->default_type);
	if (!declare_types(s, err))
		return false;
	if (choose_column(s, want, default_type, type, err))
		return true;
	if (p->sample_count)
		return false;
	error_clear(err);
	return true;
}

static int64_t samples_counted(const struct samples *s)
{
	return s->counting_type == PPROF_NONE ? 0 : s->sums[s->counting_type];
}

/* Uses the best evidence: the stated period, the sample counts next to the
 * values, the values themselves. */
static void set_period(const struct samples *s, struct profile *out)
{
	struct type_name type = { profile_type_name(out), profile_unit(out) };
	int64_t stated = s->has_plausible_period ? s->p->header.period : 0;
	struct packed_stacks *packed = out->packed;

	type_settle(out);
	if (out->stack_count == 0 || type_is_sample_count(type))
		return;
	if (packed && packed->is_for_later) {
		packed->stated_period = stated;
		packed->counted = samples_counted(s);
	} else {
		profile_ground_period(out, stated, samples_counted(s));
	}
}

/* ---- entry points ---- */

static struct type_name chosen_type(const struct samples *s)
{
	const struct pprof_header *h = &s->p->header;

	return s->is_timed ? h->period_type : h->types[s->type];
}

/* Returns whether the period can only be inferred from values of distinct
 * stacks: for times, and for "samples" that are not counts. */
static bool is_period_of_sums(const struct samples *s)
{
	const struct pprof_header *h = &s->p->header;
	struct type_name type = chosen_type(s);

	if (type_is_sample_count(type) ||
	    (s->has_plausible_period &&
	     (int64_t)s->pack.divisor % h->period == 0))
		return false;
	if (!time_unit_ns(type.unit))
		return str_equal(type.type, STR("samples"));
	return samples_counted(s) <= 0;
}

static bool build_stacks(struct samples *s, uint64_t size_bytes,
			 struct profile *out, struct error *err)
{
	struct pprof_pack *pack = &s->pack;
	struct packed_stacks *packed = NULL;
	struct pprof_unpack u;

	profile_build_omit(s->p->build, s->left_out);
	s->now.id_count = 0;
	pprof_pack_end(pack);
	if (!reserve_ids(s, pack->longest, err))
		return false;
	if (size_bytes >= s->want->packed_min_bytes &&
	    size_bytes <= s->want->packed_max_bytes && pack->count &&
	    (s->want->packs_for_later || !is_period_of_sums(s)) &&
	    !pprof_pack_build(pack, &out->arena, s->now.ids, &packed, err))
		return false;
	if (packed) {
		buf_release(&s->p->bytes);
		arena_release(&s->p->scratch);
		packed->is_for_later = s->want->packs_for_later;
		profile_build_packed(s->p->build, packed, pack->count,
				     pack->total);
		return true;
	}
	s->unfolded = arena_array(&s->p->scratch, s->p->locations.count,
				  sizeof *s->unfolded);
	if (!s->unfolded)
		return pprof_no_memory(s->p, err);
	pprof_unpack_begin(&u, pack, s->now.ids);
	while (pprof_unpack_next(&u, pack)) {
		s->now.id_count = u.count;
		s->now.value = u.value;
		if (!add_sample(s, err))
			return false;
	}
	return true;
}

static bool read_samples(struct samples *s, struct feed *feed,
			 uint64_t *size_bytes, struct notes *notes,
			 struct error *err)
{
	struct pprof *p = s->p;
	uint32_t type;

	s->is_guess = true;
	if (!pprof_pack_init(&s->pack, p, err) ||
	    !read_message(s, feed, size_bytes, err) ||
	    !pprof_load(p, notes, err) ||
	    !choose_type(s, s->want, &type, err) ||
	    !pprof_drop_prepare(p, notes, err))
		return false;
	if (!p->sample_count ||
	    !(s->is_wrong || s->type != type || s->want->labels)) {
		s->type = type;
		return true;
	}
	/* Once more, from the front, all being known. */
	pprof_pack_release(&s->pack);
	*s = (struct samples){
		.p = p,
		.want = s->want,
		.labels = s->want->labels,
		.type = type,
		.timed_type = s->timed_type,
		.is_timed = s->is_timed,
	};
	feed_seek(feed, 0);
	return pprof_pack_init(&s->pack, p, err) &&
	       read_message(s, feed, size_bytes, err);
}

static bool samples_decode(struct samples *s, struct feed *feed,
			   struct profile *out, struct notes *notes,
			   struct error *err)
{
	const struct pprof_header *h = &s->p->header;
	bool is_difference = false;
	uint64_t size_bytes;

	if (!read_samples(s, feed, &size_bytes, notes, err))
		return false;
	/* pprof -diff_base labels what it subtracted; -base leaves negative
	 * values. */
	for (size_t i = 0; i < s->p->string_count && !is_difference; i++)
		is_difference =
			str_equal(pprof_text(s->p, i), STR("pprof::base"));
	out->type = s->is_timed ? 0 : s->type + (s->timed_type != PPROF_NONE);
	s->counting_type = s->is_timed ? s->type : PPROF_NONE;
	if (s->type < h->type_count && time_unit_ns(h->types[s->type].unit))
		for (uint32_t i = h->type_count; !s->is_timed && i-- > 0;)
			if (type_is_sample_count(h->types[i]))
				s->counting_type = i;
	s->has_plausible_period =
		s->type < h->type_count && is_plausible_period(h) &&
		type_name_equal(chosen_type(s), h->period_type);
	if (!build_stacks(s, size_bytes, out, err) ||
	    !profile_build_finish(s->p->build, notes, err))
		return false;
	out->omitted = s->left_out - s->cancelled;
	if (s->is_timed)
		profile_multiply(out, h->period);
	out->time_ns = max_i64(h->time_ns, 0);
	out->duration_ns = max_i64(h->duration_ns, 0);
	set_period(s, out);
	for (uint32_t i = 0; !out->packed && i < out->stack_count; i++)
		is_difference |= out->stacks[i].value < 0;
	out->is_difference = is_difference;
	if (is_difference)
		notes_add(notes,
			  "the profile is a difference, as pprof -base, "
			  "-diff_base and Go's ?seconds= write it: values "
			  "below 0 shrank");
	return true;
}

bool decode_pprof_feed(struct feed *feed, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err)
{
	struct pprof p = {
		.mappings = { .what = "mapping", .limit = LIMIT_LOCATIONS },
		.locations = { .what = "location", .limit = LIMIT_LOCATIONS },
		.functions = { .what = "function", .limit = LIMIT_FUNCTIONS },
		.detail = want->detail,
		.kept = &out->arena,
	};
	struct samples s = { .p = &p, .want = want };
	bool is_done;

	p.build = profile_build_new(out, err);
	if (!p.build)
		return false;
	arena_init(&p.scratch, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&p.bytes, LIMIT_DECODE_HEAP_BYTES);
	is_done = samples_decode(&s, feed, out, notes, err);
	pprof_pack_release(&s.pack);
	buf_release(&p.bytes);
	arena_release(&p.scratch);
	profile_build_free(p.build);
	return is_done;
}
