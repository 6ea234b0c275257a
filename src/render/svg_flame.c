/* SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph: what the slow side spent, and in a second lane below it
 * what vanished since the baseline, both to the same scale.
 */
#include <stdio.h>

#include "base/num.h"
#include "render/flame_colors.h"
#include "render/flame_head.h"
#include "render/flame_lanes.h"
#include "render/flame_text.h"
#include "render/formats.h"
#include "render/svg.h"
#include "render/units.h"

#define FRAME_CPX (18 * SVG_PX)
#define FRAME_HEIGHT_CPX (17 * SVG_PX)
#define FRAME_HEIGHT_TEXT "17"
#define GAP_CPX 60
/* Frames up to this width have no gap, no name and no element of their own. */
#define SLIVER_CPX (2 * GAP_CPX)
/* Texts of slivers come in pieces: XML parsers take 10 MB of text at most. */
#define PIECE_BYTES MIB
/* Lines below the picture for what is pointed at. */
#define INFO_LINES 6

/* Parts of the whole width that the script knows frames by: fine enough to
 * zoom into one of a tenth of a pixel. */
#define PARTS 100000000.0

/* How a lane is drawn. */
struct lane {
	const struct flame_lane *values;
	uint32_t depth; /* of what is drawn */
	int64_t top;
	size_t frames;     /* drawn */
	size_t slivers;    /* of these, too narrow for an element */
	uint32_t gone_end; /* nodes before are gone, while writing */
};

struct picture {
	struct svg s;
	const struct flame *f;
	const struct result *r;
	struct flame_words words;
	enum palette palette;
	struct flame_lanes lanes;
	struct lane slow;
	struct lane gone;
	uint64_t categories; /* drawn, as flame_color_bit() */
};

/* ---- layout ---- */

static int64_t room(const struct picture *p)
{
	return p->s.width - 2 * SVG_MARGIN_PX * SVG_PX;
}

static int64_t width_cpx(const struct picture *p, const struct lane *l,
			 uint32_t node)
{
	return (int64_t)(flame_lane_width(&p->lanes, l->values, node) *
			 (double)room(p));
}

static bool is_drawn(const struct picture *p, const struct lane *l,
		     uint32_t node)
{
	return l->values->widths[node] > 0 &&
	       width_cpx(p, l, node) >= (int64_t)p->s.in->picture.min_width_cpx;
}

static bool is_sliver(const struct picture *p, const struct lane *l,
		      uint32_t node)
{
	return width_cpx(p, l, node) <= SLIVER_CPX;
}

static void lane_measure(const struct picture *p, struct lane *l)
{
	for (uint32_t i = 0; i < p->f->node_count; i++) {
		if (!is_drawn(p, l, i))
			continue;
		l->frames++;
		l->slivers += is_sliver(p, l, i);
		if (p->f->nodes[i].depth > l->depth)
			l->depth = p->f->nodes[i].depth;
	}
}

static bool lay_out(struct picture *p)
{
	if (!flame_lanes_init(&p->lanes, p->f))
		return false;
	p->slow.values = &p->lanes.slow;
	p->gone.values = &p->lanes.gone;
	lane_measure(p, &p->slow);
	lane_measure(p, &p->gone);
	return true;
}

/* ---- frames ---- */

static int64_t frame_top(const struct picture *p, const struct lane *l,
			 uint32_t depth)
{
	uint32_t row = p->s.in->picture.has_root_below ? l->depth - depth : depth;

	return l->top + (int64_t)row * FRAME_CPX;
}

static uint32_t color_of(struct picture *p, const struct lane *l, uint32_t node)
{
	p->categories |= flame_color_bit(p->f, p->palette, node);
	return flame_color(p->f, p->palette, l->values->side, node,
			   node < l->gone_end);
}

static int64_t x_of(const struct picture *p, double part)
{
	return SVG_MARGIN_PX * SVG_PX + (int64_t)(part * (double)room(p));
}

/* With a gap behind it, where there is room for one. */
static int64_t gapped(int64_t width)
{
	return width > SLIVER_CPX ? width - GAP_CPX : width;
}

static void write_part(struct out *out, const char *before, double part)
{
	out_text(out, before);
	out_int(out, (int64_t)(part * PARTS));
}

static void write_frame(struct picture *p, const struct lane *l, uint32_t node)
{
	const struct flame_node *n = &p->f->nodes[node];
	const struct flame_function *fn = &p->f->functions[n->function];
	double from = flame_lane_start(&p->lanes, l->values, node);
	int64_t x = x_of(p, from);
	int64_t y = frame_top(p, l, n->depth);
	int64_t width = width_cpx(p, l, node);
	struct out *out = p->s.out;

	out_text(out, fn->is_to_blame ? "<g class=\"f r\"" : "<g class=\"f\"");
	write_part(out, " data-x=\"", from);
	write_part(out, "\" data-w=\"",
		   flame_lane_width(&p->lanes, l->values, node));
	out_text(out, "\" data-d=\"");
	out_int(out, n->depth);
	out_text(out, "\"><title>");
	svg_flame_says(out, &p->words, node, "\n");
	out_text(out, "</title><rect");
	svg_attr(out, "x", x);
	svg_attr(out, "y", y);
	svg_attr(out, "width", gapped(width));
	out_text(out, " height=\"" FRAME_HEIGHT_TEXT "\" fill=\"");
	svg_color(out, color_of(p, l, node));
	out_text(out, "\"/>");
	svg_flame_label(&p->s, fn->name, x, y, width);
	out_text(out, "</g>");
}

/* ---- slivers ---- */

/* Goes on to the next node of the lane; whether it is drawn. */
static bool visit(const struct picture *p, struct lane *l, uint32_t node)
{
	l->gone_end = flame_gone_end(p->f, node, node ? l->gone_end : 0);
	return is_drawn(p, l, node);
}

static void draw_sliver(struct picture *p, const struct lane *l, uint32_t node,
			struct svg_slivers *v)
{
	uint32_t depth = p->f->nodes[node].depth;
	double from = flame_lane_start(&p->lanes, l->values, node);
	double to = flame_lane_end(&p->lanes, l->values, node);

	svg_sliver_add(v, depth, frame_top(p, l, depth), x_of(p, from),
		       x_of(p, to), color_of(p, l, node));
}

static void draw_slivers(struct picture *p, struct lane *l)
{
	const struct flame *f = p->f;
	struct svg_slivers v;

	if (!svg_slivers_begin(&v, &p->s, l->depth + 1, FRAME_HEIGHT_CPX)) {
		out_fail_memory(p->s.out);
		svg_slivers_end(&v);
		return;
	}
	out_text(p->s.out, "<g class=\"n\"><title>frames too narrow to be "
			   "told apart</title>\n");
	for (uint32_t i = 0; i < f->node_count; i++)
		if (visit(p, l, i) && is_sliver(p, l, i))
			draw_sliver(p, l, i, &v);
	svg_slivers_end(&v);
	out_text(p->s.out, "</g>\n");
}

/* "x w depth #color", with " r" where it is to blame; then what it says, a
 * blank before each line. */
static void tell_sliver(struct picture *p, const struct lane *l, uint32_t node)
{
	const struct flame_node *n = &p->f->nodes[node];
	struct out *out = p->s.out;

	write_part(out, "", flame_lane_start(&p->lanes, l->values, node));
	write_part(out, " ", flame_lane_width(&p->lanes, l->values, node));
	out_char(out, ' ');
	out_int(out, n->depth);
	out_char(out, ' ');
	svg_color(out, color_of(p, l, node));
	if (p->f->functions[n->function].is_to_blame)
		out_text(out, " r");
	out_text(out, "\n ");
	svg_flame_says(out, &p->words, node, "\n ");
	out_char(out, '\n');
}

/* For the script: the slivers among the frames that are elements, of which
 * "+3" stands for three. */
static void tell_slivers(struct picture *p, struct lane *l)
{
	const struct flame *f = p->f;
	struct out *out = p->s.out;
	uint32_t wide = 0;
	size_t bytes = 0;

	out_text(out, "<metadata>\n");
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct flame_function *fn =
			&f->functions[f->nodes[i].function];

		if (!visit(p, l, i))
			continue;
		if (!is_sliver(p, l, i)) {
			wide++;
			continue;
		}
		if (wide) {
			out_char(out, '+');
			out_int(out, wide);
			out_char(out, '\n');
		}
		wide = 0;
		tell_sliver(p, l, i);
		bytes += fn->name.len + fn->file.len;
		if (bytes > PIECE_BYTES)
			out_text(out, "</metadata><metadata>\n");
		bytes = bytes > PIECE_BYTES ? 0 : bytes;
	}
	out_text(out, "</metadata>\n");
}

/* data-y: top of the row of depth 0, data-step: from there to the next. */
static void write_lane(struct picture *p, struct lane *l, const char *name)
{
	struct out *out = p->s.out;

	outf(out, "<g class=\"lane\" aria-label=\"%s\"", name);
	svg_attr(out, "data-y", frame_top(p, l, 0));
	svg_attr(out, "data-step",
		 p->s.in->picture.has_root_below ? -FRAME_CPX : FRAME_CPX);
	out_text(out, ">\n");
	for (uint32_t i = 0; i < p->f->node_count; i++) {
		if (!visit(p, l, i) || is_sliver(p, l, i))
			continue;
		write_frame(p, l, i);
		out_char(out, '\n');
	}
	if (l->slivers) {
		draw_slivers(p, l);
		tell_slivers(p, l);
	}
	out_text(out, "</g>\n");
}

/* ---- the whole ---- */

static int64_t lane_height(const struct lane *l)
{
	return l->frames ? ((int64_t)l->depth + 1) * FRAME_CPX : 0;
}

/* Legends of kinds and languages stand below: which of them are there is
 * known then. */
static void write_body(struct picture *p)
{
	int64_t y = p->gone.top + lane_height(&p->gone);
	char share[UNIT_TEXT_BYTES];

	if (!p->slow.frames && !p->gone.frames)
		svg_text(&p->s, SVG_MARGIN_PX * SVG_PX,
			 p->slow.top + 14 * SVG_PX, NULL,
			 STR("no samples to draw"));
	write_lane(p, &p->slow, "after");
	if (p->gone.frames) {
		char text[160];

		format_share(flame_share(p->f, FLAME_BASELINE,
					 (double)p->lanes.gone.widths[0]),
			     share);
		snprintf(text, sizeof text,
			 "gone since the baseline: %s of what was before, to "
			 "the same scale",
			 share);
		svg_text(&p->s, SVG_MARGIN_PX * SVG_PX,
			 p->gone.top - 6 * SVG_PX, "p2", str_from(text));
		write_lane(p, &p->gone, "gone");
	}
	y += 2 * SVG_LINE_PX * SVG_PX - 6 * SVG_PX;
	svg_flame_legend(&p->s, p->palette, p->categories, &y);
	svg_info(&p->s, y + 24 * SVG_PX);
}

static void write_head(struct picture *p)
{
	struct page *page = &p->s.page;

	for (int i = 0; i < FLAME_HEAD_PARTS; i++) {
		flame_head_write(page, (enum flame_head_part)i, p->f, p->r);
		if (i == FLAME_HEAD_HOW) {
			page_text(page, "; ");
			flame_head_colors(page, p->f, p->palette);
		}
		if (i == FLAME_HEAD_TITLE)
			svg_take_title(&p->s);
		else
			svg_take_paragraph(&p->s);
	}
}

static void draw(struct picture *p)
{
	int64_t gone_height, height;

	write_head(p);
	p->slow.top = svg_head_height(&p->s) + 10 * SVG_PX;
	gone_height = lane_height(&p->gone);
	p->gone.top = p->slow.top + lane_height(&p->slow) +
		      (p->gone.frames ? 30 * SVG_PX : 0);
	height = p->gone.top + gone_height +
		 (4 + INFO_LINES) * SVG_LINE_PX * SVG_PX;
	svg_open(&p->s, "flame", height);
	write_body(p);
	svg_close(&p->s);
}

static void render_flame(const struct render_input *in, struct out *out)
{
	struct picture p = { .f = in->flame, .r = in->result };

	p.palette = flame_palette(in->flame, in->picture.palette);
	flame_words_init(&p.words, p.f, p.r);
	svg_begin(&p.s, in, out);
	if (lay_out(&p))
		draw(&p);
	else
		out_fail_memory(out);
	flame_lanes_release(&p.lanes);
	svg_end(&p.s);
}

void render_svg(const struct render_input *in, struct out *out)
{
	if (in->flame)
		render_flame(in, out);
	else
		svg_waterfall(in, out);
}
