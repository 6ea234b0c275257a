/* SPDX-License-Identifier: Apache-2.0
 *
 * Folded stacks: "root;child;leaf 42", and for comparisons "root;child;leaf 40
 * 42", baseline first. Lines are in the order of `LC_ALL=C sort`.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/mem.h"
#include "render/render.h"

/* Iterates over a line's bytes without building it: names joined by ';'. */
struct cursor {
	const struct stack_line *line;
	uint32_t name;
	size_t at;
};

/* Returns the number of spaces to skip: "# " at the start of a line begins a
 * comment, "#" does not. */
static size_t blanks_behind_mark(struct str root)
{
	size_t count = 0;

	if (root.len && root.ptr[0] == '#')
		while (count + 1 < root.len && root.ptr[count + 1] == ' ')
			count++;
	return count;
}

/* Returns the next byte of the line as it will be written, ' ' at its end,
 * where the value follows. Only separators are mapped: other escapes replace
 * bytes that do not occur in real names, and only need a stable order. */
static int cursor_next(struct cursor *c)
{
	struct str name;

	if (c->name == c->line->count)
		return ' ';
	name = c->line->names[c->name];
	if (c->at == 1 && c->name == 0)
		c->at += blanks_behind_mark(name);
	if (c->at < name.len) {
		unsigned char byte = (unsigned char)name.ptr[c->at++];

		return byte == ';' ? ':' : byte;
	}
	c->name++;
	c->at = 0;
	return c->name == c->line->count ? ' ' : ';';
}

static bool cursor_is_done(const struct cursor *c)
{
	return c->name == c->line->count;
}

/* Returns the number of common leading names; the rest decides. Equal names are
 * nearly always the same pointer. The last name of a line is not counted, since
 * its end is followed by another byte than within a line. */
static uint32_t count_shared(const struct stack_line *a,
			     const struct stack_line *b)
{
	uint32_t most = a->count < b->count ? a->count : b->count;
	uint32_t i = 0;

	while (i + 1 < most && a->names[i].ptr == b->names[i].ptr &&
	       a->names[i].len == b->names[i].len)
		i++;
	return i;
}

static int line_compare(const void *a, const void *b)
{
	const struct stack_line *const *left = a;
	const struct stack_line *const *right = b;
	uint32_t shared = count_shared(*left, *right);
	struct cursor l = { .line = *left, .name = shared };
	struct cursor r = { .line = *right, .name = shared };

	while (!cursor_is_done(&l) || !cursor_is_done(&r)) {
		int x = cursor_next(&l);
		int y = cursor_next(&r);

		if (x != y)
			return x < y ? -1 : 1;
	}
	/* For equal text, the order of the input, so that the output is
	 * stable. */
	return (*left > *right) - (*left < *right);
}

static void write_line(struct out *out, const struct stack_line *line,
		       bool has_before)
{
	struct str root = line->count ? line->names[0] : STR("");
	size_t blanks = blanks_behind_mark(root);

	if (!line->after && !(has_before && line->before))
		return;
	if (blanks) {
		out_char(out, '#');
		root = str_slice(root, 1 + blanks, root.len);
	}
	escape_folded(out, root);
	for (uint32_t i = 1; i < line->count; i++) {
		out_char(out, ';');
		escape_folded(out, line->names[i]);
	}
	if (has_before)
		outf(out, " %" PRId64, line->before);
	outf(out, " %" PRId64 "\n", line->after);
}

static void write_lines(const struct render_input *in, struct out *out,
			bool has_before)
{
	size_t count = in->stack_count;
	const struct stack_line **lines;

	lines = count > SIZE_MAX / sizeof *lines
			? NULL
			: mem_alloc(count * sizeof *lines);
	if (!lines) {
		out_fail_memory(out);
		return;
	}
	for (size_t i = 0; i < count; i++)
		lines[i] = &in->stacks[i];
	qsort(lines, count, sizeof *lines, line_compare);
	for (size_t i = 0; i < count; i++)
		write_line(out, lines[i], has_before);
	mem_free(lines);
}

void render_folded(const struct render_input *in, struct out *out)
{
	write_lines(in, out, false);
}

void render_difffolded(const struct render_input *in, struct out *out)
{
	write_lines(in, out, true);
}
