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

static bool count_message(struct pprof_table *t, uint32_t limit,
			  struct error *err)
{
	if (t->cap < limit) {
		t->cap++;
		return true;
	}
	return error_set(err, ERROR_LIMIT, "%s has more than %u %ss",
			 PPROF_WHAT, limit, t->what);
}

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
	case WIRE_TAG(3, WIRE_BYTES):
		return count_message(&p->mappings, LIMIT_LOCATIONS, err);
	case WIRE_TAG(4, WIRE_BYTES):
		return count_message(&p->locations, LIMIT_LOCATIONS, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return count_message(&p->functions, LIMIT_FUNCTIONS, err);
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

bool pprof_keep(struct pprof *p, const struct wire_field *f, struct str field,
		uint64_t offset, struct error *err)
{
	if (f->tag == WIRE_TAG(6, WIRE_BYTES))
		return keep_string(p, f->bytes, err);
	if (!count_field(p, f, err) || !note_gap(p, offset, err))
		return false;
	if (!p->bytes.len)
		(void)!buf_reserve(&p->bytes, FIRST_KEPT_BYTES);
	buf_add_str(&p->bytes, field);
	return buf_check(&p->bytes, PPROF_WHAT, err);
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

static bool table_init(struct pprof_table *t, struct arena *arena)
{
	t->fields = arena_array(arena, t->cap, sizeof *t->fields);
	t->is_counted = true;
	map_init(&t->map, arena);
	return t->fields;
}

_Static_assert(LIMIT_DECODE_HEAP_BYTES <= UINT32_MAX, "offsets fit 32 bits");

struct str pprof_message(const struct pprof *p, uint32_t field)
{
	struct wire w = { .bytes = buf_str(&p->bytes), .at = field };
	struct wire_field f = { .bytes = STR("") };

	/* All of them were read before. */
	return wire_next(&w, &f) ? f.bytes : STR("");
}

/* Functions, locations and mappings all have their id in field 1. 0: none, or
 * the reader says why. */
static uint64_t read_id(struct wire *w)
{
	struct wire_field f;
	uint64_t id = 0;

	while (id == 0 && wire_next(w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			id = f.value;
	return id;
}

static bool table_add(const struct pprof *p, struct pprof_table *t,
		      uint32_t field, struct str message, struct error *err)
{
	struct wire w;
	uint64_t id;

	pprof_wire(p, message, &w);
	id = read_id(&w);
	if (!pprof_check(p, &w, err))
		return false;
	if (id == 0)
		return pprof_malformed(err, t->what, t->count + 1u,
				       "has no id");
	t->fields[t->count++] = field;
	t->is_counted = t->is_counted && id == t->count;
	return true;
}

/* field: where it begins. */
static bool read_table_field(struct pprof *p, uint32_t field,
			     const struct wire_field *f, struct error *err)
{
	struct pprof_header *h = &p->header;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		h->type_messages[h->type_count++] = f->bytes;
		break;
	case WIRE_TAG(11, WIRE_BYTES):
		h->period_message = f->bytes;
		break;
	case WIRE_TAG(3, WIRE_BYTES):
		return table_add(p, &p->mappings, field, f->bytes, err);
	case WIRE_TAG(4, WIRE_BYTES):
		return table_add(p, &p->locations, field, f->bytes, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return table_add(p, &p->functions, field, f->bytes, err);
	default:
		break;
	}
	return true;
}

static bool fill_tables(struct pprof *p, struct error *err)
{
	struct wire w;
	struct wire_field f;
	uint32_t field = 0;

	if (!table_init(&p->mappings, &p->scratch) ||
	    !table_init(&p->locations, &p->scratch) ||
	    !table_init(&p->functions, &p->scratch))
		return pprof_no_memory(p, err);
	p->header.type_count = 0;
	pprof_wire(p, buf_str(&p->bytes), &w);
	while (wire_next(&w, &f)) {
		if (!read_table_field(p, field, &f, err))
			return false;
		field = (uint32_t)w.at;
	}
	return pprof_check(p, &w, err);
}

static uint64_t id_of(const struct pprof *p, const struct pprof_table *t,
		      uint32_t index)
{
	struct wire w;

	pprof_wire(p, pprof_message(p, t->fields[index]), &w);
	return read_id(&w);
}

static uint64_t highest_id(const struct pprof *p, const struct pprof_table *t)
{
	uint64_t highest = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t id = id_of(p, t, i);

		if (id > highest)
			highest = id;
	}
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
		uint64_t id = id_of(p, t, i);

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

	if (t->is_counted)
		return true;
	highest = highest_id(p, t);
	if (highest < (uint64_t)t->count * SLOTS_PER_MESSAGE)
		return index_small_ids(p, t, highest, err);
	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t id = id_of(p, t, i);
		uint32_t stored;

		if (!map_insert_u64(&t->map, id, i, &stored))
			return pprof_no_memory(p, err);
		if (stored != i)
			return twice(t, id, err);
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

bool pprof_load(struct pprof *p, struct error *err)
{
	keep_texts(p);
	return fill_tables(p, err) && index_ids(p, &p->mappings, err) &&
	       index_ids(p, &p->locations, err) &&
	       index_ids(p, &p->functions, err) && read_types(p, err) &&
	       prepare_columns(p, err) &&
	       profile_build_expect(p->build, p->string_count,
				    p->functions.count, p->locations.count,
				    err);
}
