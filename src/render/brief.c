/* SPDX-License-Identifier: Apache-2.0 */
#include "render/brief.h"

#include "base/escape.h"
#include "base/json.h"
#include "render/reduce.h"

/* A member of the object is a line, or a line for each element of its list;
 * what lies deeper stands in brackets within the line. */
struct lines {
	struct json_reader *reader;
	struct out *out;
	bool is_list[LIMIT_JSON_DEPTH]; /* by level, the object itself is 0 */
	bool has_members[LIMIT_JSON_DEPTH];
	unsigned depth;
};

/* Lists right below the object have an element a line. */
static bool is_line_list(const struct lines *l)
{
	return l->depth == 2 && l->is_list[1];
}

/* Whether the innermost level stands in no brackets: it is a line. */
static bool is_line(const struct lines *l)
{
	return l->depth <= 2 || (l->depth == 3 && l->is_list[1]);
}

static void separate(struct lines *l)
{
	bool *has_members = &l->has_members[l->depth - 1];

	if (l->depth == 1 || is_line_list(l))
		out_text(l->out, l->depth == 1 ? "" : "  ");
	else if (*has_members)
		out_text(l->out, ", ");
	*has_members = true;
}

/* Behind a value that is no container, or a container. */
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
			separate(l);
		} else {
			if (!json_next_key(l->reader, &key)) {
				close_container(l);
				continue;
			}
			separate(l);
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
