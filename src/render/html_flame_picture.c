/* SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph of a page where no script runs, and on paper: the widest
 * frames, with what matters most of each.
 */
#include "base/escape.h"
#include "model/source_path.h"
#include "render/flame_colors.h"
#include "render/flame_lanes.h"
#include "render/flame_text.h"
#include "render/html_flame.h"
#include "render/svg.h"
#include "render/units.h"

#define WIDTH_CPX (1200 * SVG_PX)
#define FRAME_CPX (18 * SVG_PX)
#define FRAME_HEIGHT_PX 17
#define GAP_CPX 60
/* Above the lane of what is gone. */
#define NAME_CPX (24 * SVG_PX)
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
	struct flame_lanes lanes;
	enum palette palette;
	double min_part;
	uint64_t categories; /* drawn, as flame_color_bit() */
};

struct lane {
	const struct flame_lane *values;
	uint32_t depth;
	uint32_t frames;
	int64_t top;
};

static bool is_drawn(const struct picture *p, const struct lane *l,
		     uint32_t node)
{
	return l->values->widths[node] > 0 &&
	       flame_lane_width(&p->lanes, l->values, node) >= p->min_part;
}

/* All beneath a narrow frame is narrower. */
static uint32_t next_drawn(const struct picture *p, const struct lane *l,
			   uint32_t node)
{
	for (node++; node < p->f->node_count && !is_drawn(p, l, node);)
		node = p->f->nodes[node].end;
	return node;
}

static void lane_measure(const struct picture *p, struct lane *l)
{
	l->depth = l->frames = 0;
	if (!is_drawn(p, l, 0))
		return;
	for (uint32_t i = 0; i < p->f->node_count; i = next_drawn(p, l, i)) {
		l->frames++;
		if (p->f->nodes[i].depth > l->depth)
			l->depth = p->f->nodes[i].depth;
	}
}

static bool is_small(struct picture *p, struct lane lanes[2])
{
	lane_measure(p, &lanes[0]);
	lane_measure(p, &lanes[1]);
	return lanes[0].frames + lanes[1].frames <= MAX_FRAMES;
}

static void choose(struct picture *p, struct lane lanes[2])
{
	double low = MIN_PART, high = 1;

	p->min_part = low;
	if (is_small(p, lanes))
		return;
	for (int i = 0; i < HALVINGS; i++) {
		p->min_part = (low + high) / 2;
		if (is_small(p, lanes))
			high = p->min_part;
		else
			low = p->min_part;
	}
	p->min_part = high;
	(void)is_small(p, lanes);
}

void html_flame_says(struct out *out, const struct flame_words *w,
		     uint32_t node)
{
	const struct flame_node *n = &w->f->nodes[node];

	if (node) {
		flame_function_write(out, w, n);
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

static int64_t frame_top(const struct picture *p, const struct lane *l,
			 uint32_t depth)
{
	uint32_t row = p->s.in->picture.has_root_below ? l->depth - depth : depth;

	return l->top + (int64_t)row * FRAME_CPX;
}

static void write_frame(struct picture *p, const struct lane *l, uint32_t node,
			bool is_gone)
{
	const struct flame_node *n = &p->f->nodes[node];
	int64_t x = (int64_t)(flame_lane_start(&p->lanes, l->values, node) *
			      WIDTH_CPX);
	int64_t width = (int64_t)(flame_lane_width(&p->lanes, l->values, node) *
				  WIDTH_CPX);
	int64_t y = frame_top(p, l, n->depth);
	struct out *out = p->s.out;

	p->categories |= flame_color_bit(p->f, p->palette, node);
	out_text(out, "<g>");
	write_title(out, &p->words, node);
	out_text(out, "<rect");
	svg_attr(out, "x", x);
	svg_attr(out, "y", y);
	svg_attr(out, "width", width > 2 * GAP_CPX ? width - GAP_CPX : width);
	outf(out, " height=\"%d\" fill=\"#%06x\"", FRAME_HEIGHT_PX,
	     (unsigned)flame_color(p->f, p->palette, l->values->side, node,
				   is_gone));
	if (p->f->functions[n->function].is_to_blame)
		out_text(out, " stroke=\"#5a1e00\"");
	out_text(out, "/>");
	svg_flame_label(&p->s, name_shown(p->f->functions[n->function].name), x,
			y, width);
	out_text(out, "</g>\n");
}

static void write_lane(struct picture *p, const struct lane *l)
{
	uint32_t gone_end = 0;

	if (!l->frames)
		return;
	for (uint32_t i = 0; i < p->f->node_count; i = next_drawn(p, l, i)) {
		gone_end = flame_gone_end(p->f, i, gone_end);
		write_frame(p, l, i, i < gone_end);
	}
}

static void write_picture(struct picture *p, struct lane lanes[2])
{
	int64_t height, legend;

	choose(p, lanes);
	lanes[1].top = ((int64_t)lanes[0].depth + 1) * FRAME_CPX + NAME_CPX;
	height = lanes[1].frames ? lanes[1].top + ((int64_t)lanes[1].depth +
						   1) * FRAME_CPX
				 : lanes[1].top - NAME_CPX;
	out_text(p->s.out, "<figure class=\"flame-static\">\n<svg "
			   "viewBox=\"0 0 1200 ");
	svg_number(p->s.out, height + LEGEND_CPX);
	out_text(p->s.out, "\" role=\"img\" aria-label=\"flame graph\">\n");
	write_lane(p, &lanes[0]);
	if (lanes[1].frames)
		svg_text(&p->s, 0, lanes[1].top - 7 * SVG_PX, "flame-lane-name",
			 STR("gone since the baseline, to the same scale"));
	write_lane(p, &lanes[1]);
	legend = height + (SVG_LINE_PX + 4) * SVG_PX;
	svg_flame_legend(&p->s, p->palette, p->categories, &legend);
	out_text(p->s.out, "</svg>\n</figure>\n");
}

bool html_flame_picture(const struct render_input *in, struct out *out)
{
	struct picture p = { .f = in->flame };
	struct lane lanes[2] = { { .values = &p.lanes.slow },
				 { .values = &p.lanes.gone } };
	bool is_done;

	flame_words_init(&p.words, in->flame, in->result);
	svg_begin(&p.s, in, out);
	p.palette = flame_palette(in->flame, in->picture.palette);
	is_done = flame_lanes_init(&p.lanes, in->flame);
	if (is_done)
		write_picture(&p, lanes);
	flame_lanes_release(&p.lanes);
	svg_end(&p.s);
	return is_done;
}
