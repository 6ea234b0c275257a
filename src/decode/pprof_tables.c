/* SPDX-License-Identifier: Apache-2.0
 *
 * Field numbers are those of perftools.profiles.Profile. Writers put fields
 * in any order, strings often last; ids are arbitrary, though nearly all
 * count 1, 2, 3. Of a location's lines the first is the innermost.
 */
#include "decode/pprof.h"

#include "base/path.h"

/* A table by id may take this many slots a message before a map is smaller. */
#define SLOTS_PER_MESSAGE 4

static bool malformed(struct error *err, const char *what, uint64_t id,
		      const char *why)
{
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off: %s %llu "
			 "%s",
			 PPROF_WHAT, what, (unsigned long long)id, why);
}

/* ---- first pass ---- */

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

static bool add_type(struct pprof *p, const struct wire_field *f,
		     struct error *err)
{
	struct pprof_header *h = &p->header;

	if (h->type_count == LIMIT_SAMPLE_TYPES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u sample types", PPROF_WHAT,
				 LIMIT_SAMPLE_TYPES);
	h->type_messages[h->type_count++] = f->bytes;
	return true;
}

/* Of header fields that come twice the last one holds, as in any protobuf. */
static bool count_field(struct pprof *p, const struct wire_field *f,
			struct error *err)
{
	struct pprof_header *h = &p->header;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		return add_type(p, f, err);
	case WIRE_TAG(2, WIRE_BYTES):
		if (++p->sample_count <= LIMIT_SAMPLES)
			return true;
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u samples", PPROF_WHAT,
				 LIMIT_SAMPLES);
	case WIRE_TAG(3, WIRE_BYTES):
		return count_message(&p->mappings, LIMIT_LOCATIONS, err);
	case WIRE_TAG(4, WIRE_BYTES):
		return count_message(&p->locations, LIMIT_LOCATIONS, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return count_message(&p->functions, LIMIT_FUNCTIONS, err);
	case WIRE_TAG(6, WIRE_BYTES):
		p->string_cap++;
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
	case WIRE_TAG(11, WIRE_BYTES):
		h->period_message = f->bytes;
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

/* Later passes need not look where nothing of theirs is. */
static void note_place(struct pprof *p, uint32_t tag, size_t first, size_t end)
{
	if (tag == WIRE_TAG(2, WIRE_BYTES)) {
		if (p->sample_count == 1)
			p->samples_first = p->samples_end = first;
		p->are_samples_together &= p->samples_end == first;
		p->samples_end = end;
	} else if (tag >= WIRE_TAG(3, WIRE_BYTES) &&
		   tag <= WIRE_TAG(6, WIRE_BYTES)) {
		if (!p->tables_end)
			p->tables_first = first;
		p->tables_end = end;
	}
}

static bool count_fields(struct pprof *p, struct error *err)
{
	struct wire w;
	struct wire_field f;
	size_t first = 0;

	p->are_samples_together = true;
	wire_init(&w, p->bytes);
	while (wire_next(&w, &f)) {
		if (!count_field(p, &f, err))
			return false;
		note_place(p, f.tag, first, w.at);
		first = w.at;
	}
	return wire_check(&w, PPROF_WHAT, err);
}

/* ---- second pass ---- */

static bool table_init(struct pprof_table *t, struct arena *arena)
{
	t->messages = arena_array(arena, t->cap, sizeof *t->messages);
	t->ids = arena_array(arena, t->cap, sizeof *t->ids);
	t->is_counted = true;
	map_init(&t->map, arena);
	return t->messages && t->ids;
}

/* Functions, locations and mappings all have their id in field 1. */
static bool table_add(const struct pprof *p, struct pprof_table *t,
		      struct str message, struct error *err)
{
	struct wire w;
	struct wire_field f = { 0 };
	uint64_t id = 0;

	pprof_wire(p, message, &w);
	while (id == 0 && wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			id = f.value;
	if (!wire_check(&w, PPROF_WHAT, err))
		return false;
	if (id == 0)
		return malformed(err, t->what, t->count + 1u, "has no id");
	t->messages[t->count] = message;
	t->ids[t->count++] = id;
	t->is_counted = t->is_counted && id == t->count;
	return true;
}

static bool read_table_field(struct pprof *p, const struct wire_field *f,
			     struct error *err)
{
	switch (f->tag) {
	case WIRE_TAG(3, WIRE_BYTES):
		return table_add(p, &p->mappings, f->bytes, err);
	case WIRE_TAG(4, WIRE_BYTES):
		return table_add(p, &p->locations, f->bytes, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return table_add(p, &p->functions, f->bytes, err);
	case WIRE_TAG(6, WIRE_BYTES):
		p->strings[p->string_count++] = f->bytes;
		break;
	default:
		break;
	}
	return true;
}

static bool fill_tables(struct pprof *p, struct error *err)
{
	struct wire w;
	struct wire_field f;

	p->strings =
		arena_array(&p->scratch, p->string_cap, sizeof *p->strings);
	if (!p->strings || !table_init(&p->mappings, &p->scratch) ||
	    !table_init(&p->locations, &p->scratch) ||
	    !table_init(&p->functions, &p->scratch))
		return pprof_no_memory(p, err);
	pprof_wire_part(p, p->tables_first, p->tables_end, &w);
	while (wire_next(&w, &f))
		if (!read_table_field(p, &f, err))
			return false;
	return wire_check(&w, PPROF_WHAT, err);
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
static bool twice(const struct pprof_table *t, uint32_t index,
		  struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s has two %ss with id %llu; were several files "
			 "joined? Merge them with pprof -proto instead",
			 PPROF_WHAT, t->what,
			 (unsigned long long)t->ids[index]);
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
		if (t->by_id[t->ids[i]])
			return twice(t, i, err);
		t->by_id[t->ids[i]] = i + 1;
	}
	return true;
}

/* Most writers count their ids; some hand out other small numbers; ids that
 * are hashes or addresses are legal too. */
static bool index_ids(struct pprof *p, struct pprof_table *t, struct error *err)
{
	uint64_t highest = highest_id(t);

	if (t->is_counted)
		return true;
	if (highest < (uint64_t)t->count * SLOTS_PER_MESSAGE)
		return index_small_ids(p, t, highest, err);
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t stored;

		if (!map_insert_u64(&t->map, t->ids[i], i, &stored))
			return pprof_no_memory(p, err);
		if (stored != i)
			return twice(t, i, err);
	}
	return true;
}

/* Number 0 is the empty string even where the table is missing: the empty
 * answers of Pyroscope have none. */
static bool read_string(const struct pprof *p, uint64_t index, struct str *text,
			struct error *err)
{
	*text = STR("");
	if (index == 0)
		return true;
	if (index >= p->string_count)
		return malformed(err, "string", index, "is missing");
	*text = p->strings[index];
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
	return wire_check(&w, PPROF_WHAT, err) &&
	       read_string(p, name, &type->type, err) &&
	       read_string(p, unit, &type->unit, err);
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

/* What samples resolve: each location and function once. */
static bool prepare_columns(struct pprof *p, struct error *err)
{
	p->unfolded = arena_array(&p->scratch, p->locations.count,
				  sizeof *p->unfolded);
	p->function_ids = arena_array(&p->scratch, p->functions.count,
				      sizeof *p->function_ids);
	p->text_ids = arena_array(&p->scratch, p->string_count,
				  2 * sizeof *p->text_ids);
	if (!p->unfolded || !p->function_ids || !p->text_ids)
		return pprof_no_memory(p, err);
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->function_ids[i] = PPROF_NONE;
	return true;
}

bool pprof_load(struct pprof *p, struct error *err)
{
	p->mappings.what = "mapping";
	p->locations.what = "location";
	p->functions.what = "function";
	return count_fields(p, err) && fill_tables(p, err) &&
	       index_ids(p, &p->mappings, err) &&
	       index_ids(p, &p->locations, err) &&
	       index_ids(p, &p->functions, err) && read_types(p, err) &&
	       prepare_columns(p, err);
}

/* ---- resolving ---- */

/* A string of the table by its number there. */
struct text {
	struct str text;
	uint64_t number;
};

struct mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	uint64_t file_number; /* of a string */
	struct str file;
};

static bool read_mapping(const struct pprof *p, uint64_t id, struct mapping *m,
			 struct error *err)
{
	uint32_t index = pprof_find(&p->mappings, id);
	struct wire w;
	struct wire_field f;

	*m = (struct mapping){ .file = STR("") };
	if (id == 0)
		return true;
	if (index == PPROF_NONE)
		return malformed(err, "mapping", id, "is missing");
	pprof_wire(p, p->mappings.messages[index], &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			m->start = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			m->limit = f.value;
		else if (f.tag == WIRE_TAG(4, WIRE_VARINT))
			m->offset = f.value;
		else if (f.tag == WIRE_TAG(5, WIRE_VARINT))
			m->file_number = f.value;
	}
	return wire_check(&w, PPROF_WHAT, err) &&
	       read_string(p, m->file_number, &m->file, err);
}

/* "/usr/lib/libc.so.6" is libc.so.6, "[vdso]" vdso. */
static struct str base_name(struct str path)
{
	path = path_base(path);
	if (str_starts(path, STR("[")) && str_ends(path, STR("]")))
		path = str_slice(path, 1, path.len - 2);
	return path;
}

struct location {
	uint64_t id;
	uint64_t mapping_id;
	uint64_t address;
	struct text mapping; /* its file, where places are wanted */
};

/* A frame that nobody could name, as pprof shows it: by its mapping. */
static bool add_unmapped(struct pprof *p, const struct location *l,
			 uint32_t *function, struct error *err)
{
	struct str name = STR("<unknown>");
	struct str base = path_base(l->mapping.text);

	if (base.len)
		name = arena_printf(&p->scratch, "[%.*s]", STR_ARGS(base));
	if (!name.ptr)
		return pprof_no_memory(p, err);
	return profile_build_mapped(p->build, name, STR(""), l->mapping.text,
				    true, function, err);
}

/* A frame that nobody could name: the place in its file, which is the same
 * in every process, else the address, else nothing at all. */
static bool add_nameless(struct pprof *p, const struct location *l,
			 uint32_t *function, struct error *err)
{
	struct mapping m;
	struct str name = STR("");
	struct str file;
	uint64_t address = l->address;

	if (p->detail)
		return add_unmapped(p, l, function, err);
	if (!read_mapping(p, l->mapping_id, &m, err))
		return false;
	if (address >= m.start && address < m.limit)
		address = address - m.start + m.offset;
	file = base_name(m.file);
	if (file.len && l->address)
		name = arena_printf(&p->scratch, "[%.*s+0x%llx]",
				    STR_ARGS(file),
				    (unsigned long long)address);
	else if (file.len)
		name = arena_printf(&p->scratch, "[%.*s]", STR_ARGS(file));
	else if (l->address)
		name = arena_printf(&p->scratch, "0x%llx",
				    (unsigned long long)l->address);
	if (!name.ptr)
		return pprof_no_memory(p, err);
	return profile_build_function(p->build, name, STR(""), function, err);
}

struct function_texts {
	struct text name;
	struct text file;
};

static bool read_text(const struct pprof *p, uint64_t number, struct text *text,
		      struct error *err)
{
	text->number = number;
	return read_string(p, number, &text->text, err);
}

/* Fields 2, 3 and 4 are string numbers: name, system name, file. */
static bool read_function(const struct pprof *p, uint32_t index,
			  struct function_texts *texts, struct error *err)
{
	struct wire w;
	struct wire_field f;
	struct text system_name;
	uint64_t fields[5] = { 0 };

	pprof_wire(p, p->functions.messages[index], &w);
	while (wire_next(&w, &f))
		if (f.tag >> 3 <= 4 && (f.tag & 7) == WIRE_VARINT)
			fields[f.tag >> 3] = f.value;
	if (!wire_check(&w, PPROF_WHAT, err) ||
	    !read_text(p, fields[2], &texts->name, err) ||
	    !read_text(p, fields[3], &system_name, err) ||
	    !read_text(p, fields[4], &texts->file, err))
		return false;
	if (texts->name.text.len == 0)
		texts->name = system_name;
	return true;
}

bool pprof_function_name(const struct pprof *p, uint32_t index,
			 struct str *name, struct error *err)
{
	struct function_texts texts;

	if (!read_function(p, index, &texts, err))
		return false;
	*name = texts.name.text;
	return true;
}

static bool intern(struct pprof *p, const struct text *text, bool is_name,
		   uint32_t *id, struct error *err)
{
	uint32_t *known;

	if (text->text.len == 0)
		return profile_build_text(p->build, text->text, id, err);
	known = &p->text_ids[2 * text->number + is_name];
	if (!*known) {
		if (!(is_name ? profile_build_name(p->build, text->text, id,
						   err)
			      : profile_build_text(p->build, text->text, id,
						   err)))
			return false;
		*known = *id + 1;
	}
	*id = *known - 1;
	return true;
}

static bool add_function(struct pprof *p, const struct function_texts *texts,
			 const struct text *mapping, uint32_t *function,
			 struct error *err)
{
	struct function f = { .is_nameless = false };

	return intern(p, &texts->name, true, &f.name, err) &&
	       intern(p, &texts->file, false, &f.file, err) &&
	       intern(p, mapping, false, &f.mapping, err) &&
	       profile_build_interned(p->build, &f, function, err);
}

/* A function without any name is named by its location and so not kept; one
 * that may lie in several mappings is not kept either. */
static bool resolve_function(struct pprof *p, uint64_t id,
			     const struct location *l, uint32_t *function,
			     struct error *err)
{
	uint32_t index = pprof_find(&p->functions, id);
	struct function_texts texts;

	if (id == 0)
		return add_nameless(p, l, function, err);
	if (index == PPROF_NONE)
		return malformed(err, "function", id, "is missing");
	*function = p->function_ids[index];
	if (*function != PPROF_NONE && !p->detail)
		return true;
	if (!read_function(p, index, &texts, err))
		return false;
	if (texts.name.text.len == 0)
		return add_nameless(p, l, function, err);
	if (!add_function(p, &texts, &l->mapping, function, err))
		return false;
	p->function_ids[index] = *function;
	return true;
}

struct line {
	uint64_t function_id;
	uint64_t number;
	uint64_t column;
	bool is_outermost;
};

/* Numbers are signed on the wire; one that cannot be is unknown. */
static uint32_t place_number(uint64_t number)
{
	return number > INT32_MAX ? 0 : (uint32_t)number;
}

/* Appends to the frames of the location being unfolded. */
static bool push_frame(struct pprof *p, const struct line *line,
		       const struct location *l, struct error *err)
{
	void *frames = p->frames;
	struct frame place = { .line = place_number(line->number) };

	if (!resolve_function(p, line->function_id, l, &place.function, err))
		return false;
	if (p->detail >= PROFILE_DETAIL_ADDRESSES) {
		place.column = place_number(line->column);
		place.address_high = (uint32_t)(l->address >> 32);
		place.address_low = (uint32_t)l->address;
	}
	place.is_inlined = p->detail && !line->is_outermost;
	if (!arena_reserve(&p->scratch, &frames, &p->frame_cap,
			   p->frame_count + 1, sizeof *p->frames) ||
	    p->frame_count >= UINT32_MAX)
		return pprof_no_memory(p, err);
	p->frames = frames;
	if (!profile_build_place(p->build, &place, &p->frames[p->frame_count],
				 err))
		return false;
	p->frame_count++;
	return true;
}

static bool unfold_line(struct pprof *p, struct wire *parent,
			const struct wire_field *field,
			const struct location *l, bool is_outermost,
			struct error *err)
{
	struct line line = { .is_outermost = is_outermost };
	struct wire w;
	struct wire_field f;

	w = wire_inside(parent, field);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			line.function_id = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			line.number = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			line.column = f.value;
	}
	return wire_check(&w, PPROF_WHAT, err) && push_frame(p, &line, l, err);
}

static void reverse(uint32_t *items, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t kept = items[i];

		items[i] = items[count - 1 - i];
		items[count - 1 - i] = kept;
	}
}

static bool read_location(const struct pprof *p, struct str message,
			  struct location *l, struct error *err)
{
	struct wire w;
	struct wire_field f;

	*l = (struct location){ 0 };
	pprof_wire(p, message, &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			l->id = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			l->mapping_id = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			l->address = f.value;
	}
	return wire_check(&w, PPROF_WHAT, err);
}

/* Reads the location with what the wanted detail needs besides. line_count:
 * all of its lines, the outermost last. */
static bool prepare_location(const struct pprof *p, struct str message,
			     struct location *l, uint32_t *line_count,
			     struct error *err)
{
	struct mapping m;
	struct wire w;
	struct wire_field f;

	*line_count = 0;
	if (!read_location(p, message, l, err))
		return false;
	l->mapping = (struct text){ .text = STR("") };
	if (!p->detail)
		return true;
	if (!read_mapping(p, l->mapping_id, &m, err))
		return false;
	l->mapping = (struct text){ m.file, m.file_number };
	pprof_wire(p, message, &w);
	while (wire_next(&w, &f))
		*line_count += f.tag == WIRE_TAG(4, WIRE_BYTES);
	return wire_check(&w, PPROF_WHAT, err);
}

bool pprof_missing_location(uint64_t id, struct error *err)
{
	return malformed(err, "location", id, "is missing");
}

/* The wire has the innermost line first: the frames are turned round. */
bool pprof_unfold(struct pprof *p, uint64_t id, uint32_t location,
		  struct error *err)
{
	size_t first = p->frame_count;
	struct location l;
	struct wire w;
	struct wire_field f;
	struct str message;
	uint32_t line_count, dropped, line = 0;

	if (location == PPROF_NONE)
		return pprof_missing_location(id, err);
	message = p->locations.messages[location];
	if (!prepare_location(p, message, &l, &line_count, err))
		return false;
	/* The stack was cut before, so that all of it is known. */
	dropped = p->is_dropped ? p->dropped_lines[location] : 0;
	pprof_wire(p, message, &w);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(4, WIRE_BYTES) && ++line > dropped &&
		    !unfold_line(p, &w, &f, &l, line == line_count, err))
			return false;
	if (p->frame_count == first &&
	    !push_frame(p, &(struct line){ .is_outermost = true }, &l, err))
		return false;
	reverse(p->frames + first, p->frame_count - first);
	p->unfolded[location] =
		(struct pprof_unfolded){ (uint32_t)first,
					 (uint32_t)(p->frame_count - first) };
	return true;
}
