/* SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph of a page where no script runs, and on paper: the widest
 * frames, with what matters most of each.
 */
#include "base/escape.h"
#include "model/source_path.h"
#include "render/flame_colors.h"
#include "render/flame_text.h"
#include "render/flame_union.h"
#include "render/formats.h"
#include "render/html_flame.h"
#include "render/svg.h"

#define WIDTH_CPX (1200 * SVG_PX)
#define FRAME_CPX (18 * SVG_PX)
#define FRAME_HEIGHT_PX 17
#define GAP_CPX 60
/* Below all: two lines hold all kinds of code. */
#define LEGEND_CPX (2 * SVG_LINE_PX * SVG_PX + 12 * SVG_PX)

/* Narrower frames tell nothing on paper. */
#define MIN_PART 0.002
/* Some 300 bytes each: a fifth of what a page should have. */
#define MAX_FRAMES 300
#define HALVINGS 30

struct picture {
	struct svg s;
	const struct flame *f;
	struct flame_words words;
	struct flame_union places;
	enum palette palette;
	double min_part;
	uint32_t depth;
	uint64_t categories; /* drawn, as flame_color_bit() */
};

/* All beneath a narrow frame is narrower. */
static uint32_t next_drawn(const struct picture *p, uint32_t node)
{
	for (node++;
	     node < p->f->node_count && p->places.widths[node] < p->min_part;)
		node = p->f->nodes[node].end;
	return node;
}

static bool is_small(struct picture *p)
{
	uint32_t count = 0;

	p->depth = 0;
	for (uint32_t i = 0; i < p->f->node_count; i = next_drawn(p, i)) {
		count++;
		if (p->f->nodes[i].depth > p->depth)
			p->depth = p->f->nodes[i].depth;
	}
	return count <= MAX_FRAMES;
}

static void choose(struct picture *p)
{
	double low = MIN_PART, high = 1;

	p->min_part = low;
	if (is_small(p))
		return;
	for (int i = 0; i < HALVINGS; i++) {
		p->min_part = (low + high) / 2;
		if (is_small(p))
			high = p->min_part;
		else
			low = p->min_part;
	}
	p->min_part = high;
	(void)is_small(p);
}

static bool is_alone(const struct flame_words *w)
{
	static const struct function_row none = { .measure = RANK_SELF_LIB };

	return row_measure(w->scale.result, &none) == RANK_SELF;
}

const char *html_flame_measure(const struct flame_words *w)
{
	return is_alone(w) ? "self" : "own";
}

const int64_t *html_flame_measured(const struct flame_words *w,
				   const struct flame_function *fn)
{
	return is_alone(w) ? fn->self : fn->self_lib;
}

void html_flame_says(struct out *out, const struct flame_words *w,
		     uint32_t node)
{
	const struct flame_node *n = &w->f->nodes[node];
	const struct flame_function *fn = &w->f->functions[n->function];

	if (node) {
		flame_function_write(out, w, n);
		out_text(out, "; ");
		outf(out, "%s ", html_flame_measure(w));
		flame_sides_write(out, w, html_flame_measured(w, fn));
		out_text(out, "; ");
	}
	flame_path_write(out, w, n, NULL);
}

static void write_title(struct out *out, const struct flame_words *w,
			uint32_t node)
{
	const struct flame *f = w->f;
	const struct flame_function *fn =
		&f->functions[f->nodes[node].function];

	out_text(out, "<title>");
	escape_xml(out, name_shown(fn->name));
	if (fn->file.len) {
		out_char(out, '\n');
		escape_xml(out, source_path_shorten(fn->file, f->source_root));
		if (fn->line)
			outf(out, ":%u", (unsigned)fn->line);
	}
	out_char(out, '\n');
	html_flame_says(out, w, node);
	out_text(out, "</title>");
}

static int64_t frame_top(const struct picture *p, uint32_t depth)
{
	uint32_t row =
		p->s.in->picture.has_root_below ? p->depth - depth : depth;

	return (int64_t)row * FRAME_CPX;
}

static void write_box(struct picture *p, int64_t x, int64_t y, int64_t width)
{
	struct out *out = p->s.out;

	out_text(out, "<rect");
	svg_attr(out, "x", x);
	svg_attr(out, "y", y);
	svg_attr(out, "width", width > 2 * GAP_CPX ? width - GAP_CPX : width);
	outf(out, " height=\"%d\"", FRAME_HEIGHT_PX);
}

static void write_frame(struct picture *p, uint32_t node)
{
	const struct flame_node *n = &p->f->nodes[node];
	const struct flame_function *fn = &p->f->functions[n->function];
	int64_t x = (int64_t)(p->places.starts[node] * WIDTH_CPX);
	int64_t width = (int64_t)(p->places.widths[node] * WIDTH_CPX);
	int64_t y = frame_top(p, n->depth);
	struct out *out = p->s.out;

	p->categories |= flame_color_bit(p->f, p->palette, node);
	out_text(out, "<g>");
	write_title(out, &p->words, node);
	write_box(p, x, y, width);
	outf(out, " fill=\"#%06x\"",
	     (unsigned)flame_color(p->f, p->palette, node));
	if (fn->is_to_blame)
		out_text(out, " stroke=\"#5a1e00\"");
	out_text(out, "/>");
	if (flame_is_gone(n)) {
		write_box(p, x, y, width);
		out_text(out, " fill=\"url(#flame-gone)\"/>");
	}
	svg_flame_label(&p->s, name_shown(fn->name), x, y, width);
	out_text(out, "</g>\n");
}

static void write_picture(struct picture *p)
{
	int64_t height, legend;

	choose(p);
	height = ((int64_t)p->depth + 1) * FRAME_CPX;
	out_text(p->s.out, "<figure class=\"flame-static\">\n<svg "
			   "viewBox=\"0 0 1200 ");
	svg_number(p->s.out, height + LEGEND_CPX);
	out_text(p->s.out,
		 "\" role=\"img\" aria-label=\"flame graph\">\n"
		 "<pattern id=\"flame-gone\" width=\"6\" height=\"6\" "
		 "patternUnits=\"userSpaceOnUse\"><path d=\"M0 6 6 0M-1 1 "
		 "1-1M5 7 7 5\" stroke=\"#00000059\"/></pattern>\n");
	for (uint32_t i = 0; i < p->f->node_count; i = next_drawn(p, i))
		write_frame(p, i);
	legend = height + (SVG_LINE_PX + 4) * SVG_PX;
	svg_flame_legend(&p->s, p->palette, p->categories, &legend);
	out_text(p->s.out, "</svg>\n</figure>\n");
}

bool html_flame_picture(const struct render_input *in, struct out *out)
{
	struct picture p = { .f = in->flame };
	bool is_done;

	flame_words_init(&p.words, in->flame, in->result);
	svg_begin(&p.s, in, out);
	p.palette = flame_palette(in->flame, in->picture.palette);
	is_done = flame_union_init(&p.places, in->flame);
	if (is_done)
		write_picture(&p);
	flame_union_release(&p.places);
	svg_end(&p.s);
	return is_done;
}
