/* SPDX-License-Identifier: Apache-2.0
 *
 * From a location to the frames of the model. Of its lines the first is the
 * innermost.
 */
#include "decode/pprof.h"

#include <string.h>

#include "base/path.h"

/* A string of the table by its number there. */
struct text {
	struct str text;
	uint64_t number;
};

static bool read_mapping(const struct pprof *p, struct pprof_mapping *m,
			 struct error *err)
{
	uint32_t index = pprof_find(&p->mappings, m->id);
	struct wire w;
	struct wire_field f;

	if (index == PPROF_NONE)
		return pprof_malformed(err, "mapping", m->id, "is missing");
	pprof_wire(p, pprof_message(p, p->mapping_fields[index]), &w);
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
	return pprof_check(p, &w, err) &&
	       pprof_string(p, m->file_number, &m->file, err);
}

/* As it was looked at last: most locations are of the same as the one before.
 * NULL: err is set. Locations without one have 0. */
static const struct pprof_mapping *find_mapping(struct pprof *p, uint64_t id,
						struct error *err)
{
	struct pprof_mapping m = { .id = id, .file = STR("") };

	if (p->mapping.file.ptr && p->mapping.id == id)
		return &p->mapping;
	if (id && !read_mapping(p, &m, err))
		return NULL;
	p->mapping = m;
	return &p->mapping;
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
	const struct pprof_mapping *m;
	struct str name = STR("");
	struct str file;
	uint64_t address = l->address;

	if (p->detail)
		return add_unmapped(p, l, function, err);
	m = find_mapping(p, l->mapping_id, err);
	if (!m)
		return false;
	if (address >= m->start && address < m->limit)
		address = address - m->start + m->offset;
	file = base_name(m->file);
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
	return pprof_string(p, number, &text->text, err);
}

/* Fields 2, 3 and 4 are string numbers: name, system name, file. */
enum { FUNCTION_FIELDS = 5 };

static bool read_function_message(const struct pprof *p, uint32_t field,
				  uint64_t fields[FUNCTION_FIELDS],
				  struct error *err)
{
	struct wire w;
	struct wire_field f;

	pprof_wire(p, pprof_message(p, field), &w);
	while (wire_next(&w, &f))
		if (f.tag >> 3 < FUNCTION_FIELDS && (f.tag & 7) == WIRE_VARINT)
			fields[f.tag >> 3] = f.value;
	return pprof_check(p, &w, err);
}

static bool read_function(const struct pprof *p, uint32_t index,
			  struct function_texts *texts, struct error *err)
{
	struct pprof_function row = p->function_rows[index];
	uint64_t fields[FUNCTION_FIELDS] = { 0, 0, row.name, row.system_name,
					     row.file };
	struct text system_name;

	if (row.name == PPROF_NONE) {
		memset(fields, 0, sizeof fields);
		if (!read_function_message(p, row.file, fields, err))
			return false;
	}
	if (!read_text(p, fields[2], &texts->name, err) ||
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

/* A function without any name is named by its location and so not kept. With
 * detail it is another one in each mapping: that of the last one is kept. */
static bool resolve_function(struct pprof *p, uint64_t id,
			     const struct location *l, uint32_t *function,
			     struct error *err)
{
	uint32_t index = pprof_find(&p->functions, id);
	struct function_texts texts;
	struct pprof_known *known;

	if (id == 0)
		return add_nameless(p, l, function, err);
	if (index == PPROF_NONE)
		return pprof_malformed(err, "function", id, "is missing");
	known = &p->known[index];
	*function = known->function;
	if (*function != PPROF_NONE && known->mapping == l->mapping.number)
		return true;
	if (!read_function(p, index, &texts, err))
		return false;
	if (texts.name.text.len == 0)
		return add_nameless(p, l, function, err);
	if (!add_function(p, &texts, &l->mapping, function, err))
		return false;
	*known = (struct pprof_known){ *function, (uint32_t)l->mapping.number };
	return true;
}

struct line {
	uint64_t function_id;
	uint64_t number;
	uint64_t column;
	bool is_outermost;
};

/* Appends to the frames of the location being unfolded. */
static bool push_frame(struct pprof *p, const struct line *line,
		       const struct location *l, struct error *err)
{
	void *frames = p->frames;
	struct whole_frame place = { .frame.line =
					     pprof_place_number(line->number) };
	struct frame_detail *detail = &place.detail;

	if (!resolve_function(p, line->function_id, l, &place.frame.function,
			      err))
		return false;
	if (p->detail >= PROFILE_DETAIL_ADDRESSES) {
		detail->column = pprof_place_number(line->column);
		detail->address_high = (uint32_t)(l->address >> 32);
		detail->address_low = (uint32_t)l->address;
	}
	detail->is_inlined = p->detail && !line->is_outermost;
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
	return pprof_check(p, &w, err) && push_frame(p, &line, l, err);
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
		if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			l->mapping_id = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			l->address = f.value;
	}
	return pprof_check(p, &w, err);
}

/* The file of its mapping, where the wanted detail needs it. */
static bool find_file(struct pprof *p, struct location *l, struct error *err)
{
	const struct pprof_mapping *m;

	l->mapping = (struct text){ .text = STR("") };
	if (!p->detail)
		return true;
	m = find_mapping(p, l->mapping_id, err);
	if (!m)
		return false;
	l->mapping = (struct text){ m->file, m->file_number };
	return true;
}

/* The wire has the innermost line first: the frames are turned round. Of the
 * lines so many, at the front, were dropped. */
static bool unfold_message(struct pprof *p, const struct pprof_location *row,
			   uint32_t dropped, struct error *err)
{
	struct str message = pprof_message(p, (uint32_t)row->place);
	size_t first = p->frame_count;
	struct location l;
	struct wire w;
	struct wire_field f;
	uint32_t line = 0;

	if (!read_location(p, message, &l, err) || !find_file(p, &l, err))
		return false;
	pprof_wire(p, message, &w);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(4, WIRE_BYTES) && ++line > dropped &&
		    !unfold_line(p, &w, &f, &l, line == row->line, err))
			return false;
	if (p->frame_count == first &&
	    !push_frame(p, &(struct line){ .is_outermost = true }, &l, err))
		return false;
	reverse(p->frames + first, p->frame_count - first);
	return true;
}

/* Its one line is dropped with all of it, or not. */
static bool unfold_usual(struct pprof *p, const struct pprof_location *row,
			 struct error *err)
{
	struct line line = {
		.function_id = row->function,
		.number = row->line,
		.is_outermost = true,
	};
	struct location l = {
		.mapping_id = pprof_mapping_id(row),
		.address = pprof_address(row),
	};

	return find_file(p, &l, err) && push_frame(p, &line, &l, err);
}

bool pprof_unfold(struct pprof *p, uint64_t id, uint32_t location,
		  struct pprof_unfolded *out, struct error *err)
{
	const struct pprof_location *row;
	size_t first = p->frame_count;
	uint32_t dropped;

	if (location == PPROF_NONE)
		return pprof_malformed(err, "location", id, "is missing");
	row = &p->location_rows[location];
	/* The stack was cut before, so that all of it is known. */
	dropped = p->is_dropped ? p->dropped_lines[location] : 0;
	if (!(row->function == PPROF_NONE ? unfold_message(p, row, dropped, err)
					  : unfold_usual(p, row, err)))
		return false;
	*out = (struct pprof_unfolded){ (uint32_t)first,
					(uint32_t)(p->frame_count - first) };
	return true;
}
