/* SPDX-License-Identifier: Apache-2.0 */
#include "render/svg.h"

#include "base/mem.h"
#include "render/units.h"

/* A browser draws many paths of this size as quickly as one. */
#define PATH_BYTES (32 * KIB)

bool svg_slivers_begin(struct svg_slivers *v, struct svg *s, uint32_t rows,
		       int64_t height)
{
	*v = (struct svg_slivers){
		.s = s,
		.height = height,
		.row_count = rows,
		.rows = mem_calloc(rows, sizeof *v->rows),
	};
	for (size_t i = 0; i < SVG_SLIVER_COLORS; i++)
		buf_init(&v->piles[i].path, LIMIT_PAGE_TEXT_BYTES);
	if (!v->rows)
		v->row_count = 0;
	return v->rows != NULL;
}

static void write_pile(struct svg_slivers *v, struct svg_pile *pile)
{
	struct out *out = v->s->out;

	if (pile->path.len) {
		out_text(out, "<path fill=\"");
		svg_color(out, pile->color);
		out_text(out, "\" d=\"");
		out_str(out, buf_str(&pile->path));
		out_text(out, "\"/>\n");
	}
	svg_clear(v->s, &pile->path);
}

/* That of the colour; where there are too many colours they share one, which
 * is written whenever another one comes. */
static struct svg_pile *pile_of(struct svg_slivers *v, uint32_t color)
{
	struct svg_pile *pile = v->piles;
	struct svg_pile *last = &v->piles[SVG_SLIVER_COLORS - 1];

	while (pile->path.len && pile < last && pile->color != color)
		pile++;
	if (pile->color != color)
		write_pile(v, pile);
	pile->color = color;
	return pile;
}

static void end_run(struct svg_slivers *v, struct svg_run *run)
{
	struct svg_pile *pile = pile_of(v, run->color);
	struct out out;

	out_init_memory(&out, &pile->path);
	out_char(&out, 'M');
	svg_number(&out, run->from);
	out_char(&out, ' ');
	svg_number(&out, run->y);
	out_char(&out, 'h');
	svg_number(&out, run->to - run->from);
	out_char(&out, 'v');
	svg_number(&out, v->height);
	out_char(&out, 'h');
	svg_number(&out, run->from - run->to);
	out_char(&out, 'z');
	if (pile->path.len >= PATH_BYTES)
		write_pile(v, pile);
	run->is_open = false;
}

void svg_sliver_add(struct svg_slivers *v, uint32_t row, int64_t y,
		    int64_t from, int64_t to, uint32_t color)
{
	struct svg_run *run = &v->rows[row];

	if (run->is_open && run->to == from && run->color == color) {
		run->to = to;
		return;
	}
	if (run->is_open)
		end_run(v, run);
	*run = (struct svg_run){
		.is_open = true, .from = from, .to = to, .y = y, .color = color
	};
}

void svg_slivers_end(struct svg_slivers *v)
{
	for (uint32_t i = 0; i < v->row_count; i++)
		if (v->rows[i].is_open)
			end_run(v, &v->rows[i]);
	for (size_t i = 0; i < SVG_SLIVER_COLORS; i++) {
		write_pile(v, &v->piles[i]);
		buf_release(&v->piles[i].path);
	}
	mem_free(v->rows);
}

static void write_box(struct svg *s, const char *fill, int64_t x, int64_t y,
		      int64_t width)
{
	out_text(s->out, "<rect");
	svg_attr(s->out, "x", x);
	svg_attr(s->out, "y", y);
	svg_attr(s->out, "width", width);
	outf(s->out, " height=\"17\" fill=\"%s\"/>", fill);
}

void svg_many(struct svg *s, uint32_t count, const char *color, int64_t x,
	      int64_t y, int64_t width)
{
	char text[UNIT_TEXT_BYTES];

	format_count(count, text);
	outf(s->out,
	     "<title>%s frames, each too narrow to be drawn</title>", text);
	if (color)
		write_box(s, color, x, y, width);
	write_box(s, "url(#many)", x, y, width);
}
