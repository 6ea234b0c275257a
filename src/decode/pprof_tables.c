/* SPDX-License-Identifier: Apache-2.0
 *
 * Field numbers are those of perftools.profiles.Profile. Writers put fields
 * in any order, strings often last; ids are arbitrary, though nearly all
 * count 1, 2, 3.
 */
#include "decode/pprof.h"

#include <string.h>

#include "base/num.h"

/* A table by id may take this many slots a message before a map is smaller. */
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

static bool count_type(struct pprof *p, struct error *err)
{
	struct pprof_header *h = &p->header;

	if (h->type_count == LIMIT_SAMPLE_TYPES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u sample types", PPROF_WHAT,
				 LIMIT_SAMPLE_TYPES);
	h->type_count++;
	return true;
}

/* Of header fields that come twice the last one holds, as in any protobuf. */
static bool count_field(struct pprof *p, const struct wire_field *f,
			struct error *err)
{
	struct pprof_header *h = &p->header;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		return count_type(p, err);
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

/* Where the next field that is kept comes from. */
static bool note_gap(struct pprof *p, uint64_t offset, struct error *err)
{
	uint64_t left_out = offset - p->bytes.len;
	void *gaps = p->gaps;

	if (p->gap_count ? p->gaps[p->gap_count - 1].left_out == left_out
			 : !left_out)
		return true;
	if (!arena_reserve(&p->scratch, &gaps, &p->gap_cap, p->gap_count + 1,
			   sizeof *p->gaps))
		return pprof_no_memory(p, err);
	p->gaps = gaps;
	p->gaps[p->gap_count++] = (struct pprof_gap){ p->bytes.len, left_out };
	return true;
}

/* Room that is not used costs nothing, and to grow is to copy. */
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

/* *at: where it begins in p->bytes. */
static bool keep_bytes(struct pprof *p, const struct kept_field *field,
		       uint32_t *at, struct error *err)
{
	*at = (uint32_t)p->bytes.len;
	if (!note_gap(p, field->offset, err))
		return false;
	buf_add_str(&p->bytes, field->bytes);
	return buf_check(&p->bytes, PPROF_WHAT, err);
}

/* ---- rows ---- */

static void note_damage(struct pprof *p, const struct error *why)
{
	if (p->damage.code == ERROR_NONE)
		p->damage = *why;
}

/* Ids are kept from the first on that does not count on. */
static bool keep_id(struct pprof *p, struct pprof_table *t, uint64_t id,
		    struct error *err)
{
	bool was_counted = !t->ids;
	void *ids = t->ids;

	if (was_counted && id == t->count + 1u)
		return true;
	if (!arena_reserve(&p->scratch, &ids, &t->id_cap, t->count + 1u,
			   sizeof *t->ids))
		return pprof_no_memory(p, err);
	t->ids = ids;
	for (uint32_t i = 0; was_counted && i < t->count; i++)
		t->ids[i] = i + 1u;
	t->ids[t->count] = id;
	return true;
}

/* Adds a row of that size behind the others, which the caller fills; NULL: no
 * room. */
static void *table_add(struct pprof *p, struct pprof_table *t, uint64_t id,
		       void **rows, size_t *cap, size_t size, struct error *err)
{
	if (t->count == t->limit) {
		error_set(err, ERROR_LIMIT, "%s has more than %u %ss",
			  PPROF_WHAT, t->limit, t->what);
		return NULL;
	}
	t->idless_count += id == 0;
	if (!keep_id(p, t, id, err))
		return NULL;
	if (!arena_reserve(&p->scratch, rows, cap, t->count + 1u, size)) {
		pprof_no_memory(p, err);
		return NULL;
	}
	return (char *)*rows + size * t->count++;
}

/* One that is no row. Of functions, locations and mappings alike the id is
 * field 1; 0: there is none. */
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
	if (!pprof_check(p, &w, &why))
		note_damage(p, &why);
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

static bool set_place(struct pprof_location *row, uint64_t mapping,
		      uint64_t address)
{
	row->place = mapping << PPROF_ADDRESS_BITS |
		     (address & ((UINT64_C(1) << PPROF_ADDRESS_BITS) - 1));
	return mapping <= UINT16_MAX && pprof_address(row) == address;
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
	return !w.failure && *id && set_place(row, mapping, address);
}

/* Up to what is wrong with it, which is told when it is unfolded. */
static uint32_t count_lines(struct str message)
{
	struct wire w = { .bytes = message };
	struct wire_field f;
	uint32_t count = 0;

	while (wire_next(&w, &f))
		count += f.tag == WIRE_TAG(4, WIRE_BYTES);
	return count;
}

static bool keep_location(struct pprof *p, struct str message,
			  const struct kept_field *field, struct error *err)
{
	bool has_columns = p->detail >= PROFILE_DETAIL_ADDRESSES;
	struct pprof_location row, *added;
	uint64_t id;
	uint32_t at;

	if (!read_usual_location(message, has_columns, &id, &row)) {
		if (!keep_message(p, field, &at, &id, err))
			return false;
		row = (struct pprof_location){ .function = PPROF_NONE,
					       .line = count_lines(message),
					       .place = at };
	}
	added = table_add(p, &p->locations, id, (void **)&p->location_rows,
			  &p->location_row_cap, sizeof row, err);
	if (added)
		*added = row;
	p->frames_expected += pprof_frames_of(&row);
	return added;
}

/* Fields 2, 3 and 4 are string numbers: name, system name, file. */
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

bool pprof_keep(struct pprof *p, const struct wire_field *f, struct str field,
		uint64_t offset, struct error *err)
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

/* Where a message ends early, its end is told, not the gap behind it. */
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

	/* All of them were read before. */
	return wire_next(&w, &f) ? f.bytes : STR("");
}

/* The messages that types have in the header. */
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

static uint64_t highest_id(const struct pprof_table *t)
{
	uint64_t highest = 0;

	for (uint32_t i = 0; i < t->count; i++)
		if (t->ids[i] > highest)
			highest = t->ids[i];
	return highest;
}

/* Several profiles written one after another parse as one message in which
 * ids come twice; adding them up is not what anybody meant. */
static bool twice(const struct pprof_table *t, uint64_t id, struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s has two %ss with id %llu; were several files "
			 "joined? Merge them with pprof -proto instead",
			 PPROF_WHAT, t->what, (unsigned long long)id);
}

static bool index_small_ids(struct pprof *p, struct pprof_table *t,
			    uint64_t highest, struct error *err)
{
	t->by_id_len = highest + 1;
	t->by_id = arena_array(&p->scratch, (size_t)t->by_id_len,
			       sizeof *t->by_id);
	if (!t->by_id)
		return pprof_no_memory(p, err);
	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t id = t->ids[i];

		if (t->by_id[id])
			return twice(t, id, err);
		t->by_id[id] = i + 1;
	}
	return true;
}

/* Most writers count their ids; some hand out other small numbers; ids that
 * are hashes or addresses are legal too. */
static bool index_ids(struct pprof *p, struct pprof_table *t, struct error *err)
{
	uint64_t highest;

	if (!t->ids)
		return true;
	highest = highest_id(t);
	if (highest < (uint64_t)t->count * SLOTS_PER_MESSAGE)
		return index_small_ids(p, t, highest, err);
	map_init(&t->map, &p->scratch);
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t stored;

		if (!map_insert_u64(&t->map, t->ids[i], i, &stored))
			return pprof_no_memory(p, err);
		if (stored != i)
			return twice(t, t->ids[i], err);
	}
	return true;
}

/* Number 0 is the empty string even where the table is missing: the empty
 * answers of Pyroscope have none. */
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
	return pprof_check(p, &w, err) &&
	       pprof_string(p, name, &type->type, err) &&
	       pprof_string(p, unit, &type->unit, err);
}

static bool read_types(struct pprof *p, struct error *err)
{
	struct pprof_header *h = &p->header;

	for (uint32_t i = 0; i < h->type_count; i++)
		if (!read_type(p, h->type_messages[i], &h->types[i], err))
			return false;
	return !h->period_message.ptr ||
	       read_type(p, h->period_message, &h->period_type, err);
}

/* What locations resolve: each function once. */
static bool prepare_columns(struct pprof *p, struct error *err)
{
	p->known =
		arena_array(&p->scratch, p->functions.count, sizeof *p->known);
	p->text_ids = arena_array(&p->scratch, p->string_count,
				  2 * sizeof *p->text_ids);
	if (!p->known || !p->text_ids)
		return pprof_no_memory(p, err);
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->known[i].function = PPROF_NONE;
	return true;
}

static void keep_texts(struct pprof *p)
{
	arena_trim(p->kept, (void **)&p->texts, &p->texts_cap, p->texts_len, 1);
	profile_build_keep(p->build, (struct str){ p->texts, p->texts_len });
}

/* All has come: what there is too much room for serves what follows. */
static void trim_tables(struct pprof *p)
{
	arena_trim(&p->scratch, (void **)&p->strings, &p->string_cap,
		   p->string_count, sizeof *p->strings);
	arena_trim(&p->scratch, (void **)&p->location_rows,
		   &p->location_row_cap, p->locations.count,
		   sizeof *p->location_rows);
	arena_trim(&p->scratch, (void **)&p->function_rows,
		   &p->function_row_cap, p->functions.count,
		   sizeof *p->function_rows);
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

/* A client of Pyroscope for .NET gave its functions no ids, and meant those of
 * the locations, of which it had as many. */
static bool give_functions_ids(struct pprof *p, struct notes *notes,
			       struct error *err)
{
	struct pprof_table *t = &p->functions;

	if (!t->count || t->idless_count < t->count ||
	    t->count != p->locations.count)
		return check_ids(t, err);
	t->ids = p->locations.ids;
	notes_add(notes, "no function of the profile has an id: each is taken "
			 "for that of the location in its place");
	return true;
}

bool pprof_load(struct pprof *p, struct notes *notes, struct error *err)
{
	if (p->damage.code != ERROR_NONE) {
		*err = p->damage;
		return false;
	}
	if (!check_ids(&p->mappings, err) || !check_ids(&p->locations, err) ||
	    !give_functions_ids(p, notes, err))
		return false;
	keep_texts(p);
	trim_tables(p);
	return read_header(p, err) && index_ids(p, &p->mappings, err) &&
	       index_ids(p, &p->locations, err) &&
	       index_ids(p, &p->functions, err) && read_types(p, err) &&
	       prepare_columns(p, err) &&
	       profile_build_expect(p->build, p->string_count,
				    p->functions.count, p->frames_expected,
				    err);
}
