/* SPDX-License-Identifier: Apache-2.0 */
#include "render/reduce.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"

/* Top-level members left out first: how the answer was obtained, and facts that
 * its first line contains. */
static const char *const lesser_members[] = {
	"history", "contrasts", "power", "compared",  "baseline", "profile",
	"trace",   "notes",     "span",  "candidate", "limits",
};

/* Settings from most to least detail; the first that fits is used. */
static const struct cut {
	unsigned items; /* per list */
	unsigned depth; /* levels of containers shown; the document is 1 */
	size_t text_bytes;
	unsigned lesser; /* for lesser_members, to make room for the rest */
	/* Drops top-level members that do not fit. */
	bool drops_members;
} cuts[] = {
	{ 20, 8, 400, 0, false }, { 10, 6, 300, 0, false },
	{ 5, 5, 200, 0, false },  { 3, 4, 160, 0, false },
	{ 2, 3, 120, 0, false },  { 2, 3, 120, 7, false },
	{ 1, 3, 80, 11, true },
};

/* Room for the first line, which is cut last. */
#define ANSWER_BYTES ((size_t)300)

/* A container being read. */
struct level {
	bool is_list;
	uint64_t count;  /* members read */
	uint64_t shown;  /* members written */
	size_t path_len; /* length of its pointer */
};

/* Limit of the list of what was left out; readers can request the container
 * around more. */
#define LEFT_OUT_MOST 16u
#define LEFT_OUT_BYTES ((size_t)4096)

struct copier {
	struct json_reader *reader;
	struct jsonw *w;
	const struct cut *cut;
	const char *cursor_front;
	struct level levels[LIMIT_JSON_DEPTH + 1];
	unsigned depth;
	bool is_whole;    /* the document, not a part of it */
	struct buf *text; /* output */
	/* Length of the output without the list of what was left out. */
	size_t body_bytes;
	size_t left_bytes; /* of that list */
	/* State before the current top-level member. */
	struct before {
		size_t text_len;
		struct jsonw w;
		size_t left_len;
		struct jsonw left_w;
		unsigned left_count;
	} before;
	struct buf path; /* JSON pointer of the current member */
	struct buf key;  /* its name, in an object */
	/* The list of what was left out, and how much of it has been
	 * written. */
	struct buf left;
	struct out left_out;
	struct jsonw left_w;
	unsigned left_count;
};

/* One part in this many of the budget is for that list. */
#define LEFT_THIRD 3u
/* Size of an empty list. */
#define LEFT_FRAME (sizeof ",\"left_out\":[]}")

static void copier_init(struct copier *c, const struct reduction *r,
			const struct cut *cut, struct json_reader *reader,
			struct jsonw *w, struct buf *text)
{
	memset(c, 0, sizeof *c);
	c->reader = reader;
	c->w = w;
	c->cut = cut;
	c->text = text;
	c->left_bytes = cut->drops_members ? r->budget_bytes / LEFT_THIRD
					   : r->budget_bytes;
	c->body_bytes = r->budget_bytes - c->left_bytes;
	c->body_bytes -= c->body_bytes < LEFT_FRAME ? c->body_bytes
						    : LEFT_FRAME;
	c->cursor_front = r->cursor_front;
	buf_init(&c->path, LIMIT_STRING_BYTES);
	buf_init(&c->key, LIMIT_STRING_BYTES);
	buf_init(&c->left, LEFT_OUT_BYTES);
	out_init_memory(&c->left_out, &c->left);
	jsonw_init(&c->left_w, &c->left_out, 0);
	jsonw_array(&c->left_w);
}

static void copier_release(struct copier *c)
{
	buf_release(&c->path);
	buf_release(&c->key);
	out_release(&c->left_out);
	buf_release(&c->left);
}

/* levels[0] is outside of the value: not a container. */
static struct level *level_innermost(struct copier *c)
{
	return &c->levels[c->depth];
}

/* ---- pointers ---- */

/* Removes the first name from a pointer, unescaped. */
static bool path_take(struct str *pointer, struct buf *name)
{
	size_t at = 1;

	buf_clear(name);
	if (!pointer->len || pointer->ptr[0] != '/')
		return false;
	for (; at < pointer->len && pointer->ptr[at] != '/'; at++) {
		bool is_escape =
			pointer->ptr[at] == '~' && at + 1 < pointer->len;

		if (is_escape)
			at++;
		buf_add_char(name, !is_escape		     ? pointer->ptr[at]
				   : pointer->ptr[at] == '1' ? '/'
							     : '~');
	}
	*pointer = str_slice(*pointer, at, pointer->len - at);
	return true;
}

/* ---- what was left out ---- */

/* of: length of a list; 0: an object that was not entered. */
static void left_add(struct copier *c, uint64_t shown, uint64_t of)
{
	size_t before = c->left.len;
	struct jsonw before_w = c->left_w;

	if (c->left_count >= LEFT_OUT_MOST)
		return;
	c->left_count++;
	jsonw_object(&c->left_w);
	jsonw_pair_str(&c->left_w, "path", buf_str(&c->path));
	if (of) {
		jsonw_addf(&c->left_w, "shown:%zu, of:%zu", shown, of);
	}
	if (c->cursor_front) {
		struct buf cursor;

		buf_init(&cursor, LEFT_OUT_BYTES);
		buf_addf(&cursor, "%s:%" PRIu64 ":%s", c->cursor_front, shown,
			 buf_text(&c->path));
		jsonw_pair_str(&c->left_w, "cursor", buf_str(&cursor));
		buf_release(&cursor);
	}
	jsonw_object_end(&c->left_w);
	if (c->left.len > c->left_bytes) {
		buf_cut(&c->left, before);
		c->left_w = before_w;
		c->left_count = LEFT_OUT_MOST;
	}
}

/* Within the open object. */
static void left_write(struct copier *c)
{
	if (!c->left_count)
		return;
	jsonw_array_end(&c->left_w);
	jsonw_key(c->w, "left_out");
	jsonw_raw(c->w, buf_str(&c->left));
}

/* ---- values ---- */

static void write_key(struct copier *c)
{
	level_innermost(c)->shown++;
	if (c->depth && !level_innermost(c)->is_list)
		jsonw_key_str(c->w, buf_str(&c->key));
}

static void copy_text(struct copier *c)
{
	struct str text;
	size_t most;

	if (!json_text(c->reader, &text))
		return;
	most = c->cut->text_bytes;
	if (c->depth == 1 && str_equal(buf_str(&c->key), STR("answer")))
		most = max_size(most, ANSWER_BYTES);
	write_key(c);
	if (text.len <= most) {
		jsonw_str(c->w, text);
	} else {
		struct buf trimmed;

		buf_init(&trimmed, LIMIT_STRING_BYTES);
		buf_add(&trimmed, text.ptr,
			utf8_floor(text.ptr, text.len, most));
		buf_add_text(&trimmed, "...");
		jsonw_str(c->w, buf_str(&trimmed));
		buf_release(&trimmed);
	}
}

static void copy_number(struct copier *c)
{
	struct str text;
	int64_t whole;
	double value;

	if (!json_number_text(c->reader, &text))
		return;
	write_key(c);
	if (parse_i64(text, &whole))
		jsonw_i64(c->w, whole);
	else if (parse_f64(text, &value))
		/* Four digits are enough for readers. */
		jsonw_f64(c->w, value,
			  fabs(value) >= 1000 ? 0
			  : fabs(value) >= 1  ? 3
					      : 6);
	else
		jsonw_null(c->w);
}

static bool has_no_room(struct copier *c)
{
	if (c->depth >= c->cut->depth)
		return true;
	for (size_t i = 0; i < c->cut->lesser; i++)
		if (c->is_whole && c->depth == 1 &&
		    str_equal(buf_str(&c->key), str_from(lesser_members[i])))
			return true;
	return false;
}

/* Empty containers are omitted. */
static void copier_enter(struct copier *c, enum json_kind kind)
{
	struct level *in;

	if (!json_enter(c->reader, kind))
		return;
	/* Lists have a line of their own for this. */
	if (has_no_room(c) && !level_innermost(c)->is_list &&
	    json_peek(c->reader) != JSON_END)
		left_add(c, 0, 0);
	if (c->depth && (has_no_room(c) || json_peek(c->reader) == JSON_END)) {
		struct str key;

		/* Skips the rest of the container. */
		while (kind == JSON_ARRAY ? json_next_item(c->reader)
					  : json_next_key(c->reader, &key))
			json_skip(c->reader);
		return;
	}
	write_key(c);
	in = &c->levels[++c->depth];
	*in = (struct level){ .is_list = kind == JSON_ARRAY,
			      .path_len = c->path.len };
	if (in->is_list)
		jsonw_array(c->w);
	else
		jsonw_object(c->w);
}

static void copy_value(struct copier *c)
{
	enum json_kind kind = json_peek(c->reader);
	bool value;

	switch (kind) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		copier_enter(c, kind);
		break;
	case JSON_STRING:
		copy_text(c);
		break;
	case JSON_NUMBER:
		copy_number(c);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		if (json_bool(c->reader, &value)) {
			write_key(c);
			jsonw_bool(c->w, value);
		}
		break;
	default:
		json_skip(c->reader);
	}
}

/* ---- containers ---- */

static void copier_leave(struct copier *c)
{
	struct level *in = level_innermost(c);

	if (in->is_list) {
		if (in->count > in->shown)
			left_add(c, in->shown, in->count);
		jsonw_array_end(c->w);
	} else {
		if (c->is_whole && c->depth == 1)
			left_write(c);
		jsonw_object_end(c->w);
	}
	c->depth--;
}

static void copy_element(struct copier *c)
{
	uint64_t index = level_innermost(c)->count++;

	if (!json_next_item(c->reader)) {
		level_innermost(c)->count--;
		copier_leave(c);
	} else if (index >= c->cut->items) {
		json_skip(c->reader);
	} else {
		buf_addf(&c->path, "/%" PRIu64, index);
		copy_value(c);
	}
}

static void copy_member(struct copier *c)
{
	/* About requests or the document's format. */
	static const char *const apparatus[] = { "schema_version", "tool",
						 "requests" };
	struct str key;

	if (!json_next_key(c->reader, &key)) {
		copier_leave(c);
	} else if (c->is_whole && c->depth == 1 &&
		   str_is_one_of(key, apparatus, COUNT_OF(apparatus))) {
		json_skip(c->reader);
	} else {
		buf_clear(&c->key);
		buf_add_str(&c->key, key);
		/* As a JSON pointer escapes it. */
		buf_add_char(&c->path, '/');
		for (size_t i = 0; i < key.len; i++)
			if (key.ptr[i] == '~')
				buf_add_text(&c->path, "~0");
			else if (key.ptr[i] == '/')
				buf_add_text(&c->path, "~1");
			else
				buf_add_char(&c->path, key.ptr[i]);
		copy_value(c);
	}
}

/* After a top-level member: removes it again if it does not fit. */
static void check_member(struct copier *c)
{
	if (!c->cut->drops_members || c->depth != 1 || !c->is_whole)
		return;
	if (c->before.text_len && c->text->len > c->body_bytes) {
		buf_cut(c->text, c->before.text_len);
		*c->w = c->before.w;
		buf_cut(&c->left, c->before.left_len);
		c->left_w = c->before.left_w;
		c->left_count = c->before.left_count;
		left_add(c, 0, 0);
	}
	c->before = (struct before){ c->text->len, *c->w, c->left.len,
				     c->left_w, c->left_count };
}

static void copier_copy(struct copier *c)
{
	copy_value(c);
	while (c->depth) {
		check_member(c);
		buf_cut(&c->path, level_innermost(c)->path_len);
		if (level_innermost(c)->is_list)
			copy_element(c);
		else
			copy_member(c);
	}
}

/* ---- attempts ---- */

/* One attempt; returns false if it does not fit, or with err. */
static bool try_cut(const struct reduction *r, const struct cut *cut,
		    struct buf *text, struct error *err)
{
	struct json_reader *reader = json_new(r->json, err);
	struct copier c;
	struct jsonw w;
	struct out out;
	bool fits = false;

	if (!reader)
		return false;
	out_init_memory(&out, text);
	jsonw_init(&w, &out, 0);
	copier_init(&c, r, cut, reader, &w, text);
	c.is_whole = true;
	if (json_peek(reader) != JSON_OBJECT)
		json_fail(reader, "no object");
	copier_copy(&c);
	json_expect_end(reader, "document");
	if (json_check(reader, err))
		fits = text->state == BUF_OK && text->len <= r->budget_bytes;
	copier_release(&c);
	out_release(&out);
	json_free(reader);
	return fits;
}

/* ---- a part ---- */

static bool find_member(struct json_reader *reader, struct str name)
{
	struct str key;

	if (!json_enter(reader, JSON_OBJECT))
		return false;
	while (json_next_key(reader, &key)) {
		if (str_equal(key, name))
			return true;
		json_skip(reader);
	}
	return false;
}

static bool find_element(struct json_reader *reader, struct str name)
{
	uint64_t index;

	if (!parse_u64(name, &index) || !json_enter(reader, JSON_ARRAY))
		return false;
	while (json_next_item(reader)) {
		if (index-- == 0)
			return true;
		json_skip(reader);
	}
	return false;
}

/* Moves to the value at the pointer. */
static bool find_part(struct json_reader *reader, struct str pointer)
{
	struct buf name;
	bool is_found = true;

	buf_init(&name, LIMIT_STRING_BYTES);
	while (is_found && pointer.len) {
		is_found = path_take(&pointer, &name) &&
			   (json_peek(reader) == JSON_ARRAY
				    ? find_element(reader, buf_str(&name))
				    : json_peek(reader) == JSON_OBJECT &&
					      find_member(reader,
							  buf_str(&name)));
	}
	buf_release(&name);
	return is_found;
}

/* Copies elements from this one on until one does not fit, which is removed.
 * Returns false if not even the first one fits. */
static bool copy_list(struct copier *c, struct str pointer, uint64_t offset,
		      struct buf *text, size_t budget_bytes)
{
	uint64_t index = 0, shown = 0;
	bool is_full = false;

	if (!json_enter(c->reader, JSON_ARRAY))
		return true;
	jsonw_addf(c->w, "items:[");
	for (; json_next_item(c->reader); index++) {
		size_t len = text->len;

		if (index < offset || is_full) {
			json_skip(c->reader);
			continue;
		}
		buf_clear(&c->path);
		buf_add_str(&c->path, pointer);
		buf_addf(&c->path, "/%" PRIu64, index);
		copier_copy(c);
		is_full = text->len > budget_bytes;
		if (is_full)
			buf_cut(text, len);
		else
			shown++;
	}
	jsonw_addf(c->w, "], offset:%zu, shown:%zu, of:%zu", offset, shown,
		   index);
	if (is_full && c->cursor_front) {
		struct buf cursor;

		buf_init(&cursor, LIMIT_STRING_BYTES);
		buf_addf(&cursor, "%s:%" PRIu64 ":%.*s", c->cursor_front,
			 offset + shown, STR_ARGS(pointer));
		jsonw_pair_str(c->w, "cursor", buf_str(&cursor));
		buf_release(&cursor);
	}
	return !is_full || shown;
}

/* Quarters of the budget for the elements; the rest follows them. */
#define LIST_QUARTERS 3u

static bool copy_part(struct copier *c, const struct reduction *r,
		      struct str pointer, uint64_t offset, struct buf *text)
{
	size_t list_bytes = r->budget_bytes / 4 * LIST_QUARTERS;
	bool fits = true;

	jsonw_addf(c->w, "{path:%.*s", STR_WHOLE(pointer));
	if (json_peek(c->reader) == JSON_ARRAY) {
		fits = copy_list(c, pointer, offset, text, list_bytes);
	} else {
		buf_add_str(&c->path, pointer);
		jsonw_key(c->w, "value");
		copier_copy(c);
	}
	left_write(c);
	jsonw_object_end(c->w);
	return fits && text->state == BUF_OK && text->len <= r->budget_bytes;
}

static bool try_part(const struct reduction *r, const struct cut *cut,
		     struct str pointer, uint64_t offset, struct buf *text,
		     struct error *err)
{
	struct json_reader *reader = json_new(r->json, err);
	struct copier c;
	struct jsonw w;
	struct out out;
	bool is_found, fits = false;

	if (!reader)
		return false;
	out_init_memory(&out, text);
	jsonw_init(&w, &out, 0);
	copier_init(&c, r, cut, reader, &w, text);
	is_found = find_part(reader, pointer);
	if (is_found)
		fits = copy_part(&c, r, pointer, offset, text);
	if (json_check(reader, err) && !is_found)
		error_set(err, ERROR_NOT_FOUND, "the answer has no part %.*s",
			  STR_ARGS(pointer));
	copier_release(&c);
	out_release(&out);
	json_free(reader);
	return fits && err->code == ERROR_NONE;
}

/* ---- search for the first that fits ---- */

/* Extra room for content that is written before it is found not to fit. */
#define ROOM_BYTES MIB

static bool first_fit(const struct reduction *r, bool is_whole,
		      struct str pointer, uint64_t offset, struct buf *out,
		      struct error *err)
{
	bool fits = false;

	error_clear(err);
	for (size_t i = 0; i < COUNT_OF(cuts) && !fits; i++) {
		struct buf text;

		buf_init(&text, r->budget_bytes + ROOM_BYTES);
		fits = is_whole ? try_cut(r, &cuts[i], &text, err)
				: try_part(r, &cuts[i], pointer, offset, &text,
					   err);
		if (fits)
			buf_add_str(out, buf_str(&text));
		if (text.state == BUF_OUT_OF_MEMORY)
			error_memory(err, "the answer in short");
		buf_release(&text);
		if (err->code != ERROR_NONE)
			return false;
	}
	return fits || error_set(err, ERROR_LIMIT,
				 "the answer does not fit into %zu bytes; give "
				 "a larger --budget",
				 r->budget_bytes);
}

bool reduce(const struct reduction *r, struct buf *out, struct error *err)
{
	return first_fit(r, true, STR(""), 0, out, err);
}

bool reduce_part(const struct reduction *r, struct str pointer, uint64_t offset,
		 struct buf *out, struct error *err)
{
	return first_fit(r, false, pointer, offset, out, err);
}

/* The format brief: the JSON answer, reduced, as lines of text. */

/* A top-level member is a line, or a line for each element of its list; deeper
 * values are in brackets within the line. */
struct lines {
	struct json_reader *reader;
	struct out *out;
	bool is_list[LIMIT_JSON_DEPTH]; /* by level; the object itself is 0 */
	bool has_members[LIMIT_JSON_DEPTH];
	unsigned depth;
};

/* Top-level lists have a line per element. */
static bool is_line_list(const struct lines *l)
{
	return l->depth == 2 && l->is_list[1];
}

/* Returns whether the innermost level is a line, without brackets. */
static bool is_line(const struct lines *l)
{
	return l->depth <= 2 || (l->depth == 3 && l->is_list[1]);
}

static void line_separate(struct lines *l)
{
	bool *has_members = &l->has_members[l->depth - 1];

	if (l->depth == 1 || is_line_list(l))
		out_text(l->out, l->depth == 1 ? "" : "  ");
	else if (*has_members)
		out_text(l->out, ", ");
	*has_members = true;
}

/* Called after a value of any kind. */
static void end_value(struct lines *l)
{
	if (l->depth == 1 || is_line_list(l))
		out_char(l->out, '\n');
}

static void open_container(struct lines *l, enum json_kind kind)
{
	if (!json_enter(l->reader, kind))
		return;
	l->is_list[l->depth] = kind == JSON_ARRAY;
	l->has_members[l->depth++] = false;
	if (is_line_list(l))
		out_char(l->out, '\n');
	else if (l->depth == 2)
		out_char(l->out, ' ');
	else if (!is_line(l))
		out_char(l->out, l->is_list[l->depth - 1] ? '[' : '{');
}

static void close_container(struct lines *l)
{
	bool was_line_list = is_line_list(l);

	if (!is_line(l))
		out_char(l->out, l->is_list[l->depth - 1] ? ']' : '}');
	l->depth--;
	if (l->depth && !was_line_list)
		end_value(l);
}

static void write_scalar(struct lines *l, enum json_kind kind)
{
	struct str text;
	bool value;

	if (l->depth == 1)
		out_char(l->out, ' ');
	if (kind == JSON_STRING && json_text(l->reader, &text))
		escape_terminal(l->out, text);
	else if (kind == JSON_NUMBER && json_number_text(l->reader, &text))
		out_str(l->out, text);
	else if ((kind == JSON_TRUE || kind == JSON_FALSE) &&
		 json_bool(l->reader, &value))
		out_text(l->out, value ? "yes" : "no");
	else
		json_skip(l->reader);
	end_value(l);
}

static void write_value(struct lines *l)
{
	enum json_kind kind = json_peek(l->reader);

	if (kind == JSON_OBJECT || kind == JSON_ARRAY)
		open_container(l, kind);
	else
		write_scalar(l, kind);
}

static void write_lines(struct lines *l)
{
	write_value(l);
	while (l->depth) {
		struct str key;

		if (l->is_list[l->depth - 1]) {
			if (!json_next_item(l->reader)) {
				close_container(l);
				continue;
			}
			line_separate(l);
		} else {
			if (!json_next_key(l->reader, &key)) {
				close_container(l);
				continue;
			}
			line_separate(l);
			escape_terminal(l->out, key);
			out_char(l->out, l->depth == 1 ? ':' : ' ');
		}
		write_value(l);
	}
}

void brief_write(struct str json, size_t tokens, struct out *out)
{
	const struct reduction r = {
		.json = json,
		.budget_bytes = tokens * REDUCE_TOKEN_BYTES,
	};
	struct lines l = { .out = out };
	struct error err;
	struct buf reduced;

	buf_init(&reduced, r.budget_bytes + 1);
	if (!reduce(&r, &reduced, &err) ||
	    !(l.reader = json_new(buf_str(&reduced), &err)))
		out_fail_memory(out);
	else
		write_lines(&l);
	json_free(l.reader);
	buf_release(&reduced);
}
