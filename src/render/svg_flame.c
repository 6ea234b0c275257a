/* SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph: what the slow side spent, and in a second lane below it
 * what vanished since the baseline, both to the same scale.
 */
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
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
#define GAP_CPX 60
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
	uint32_t gone_end; /* nodes before are gone, while writing */
};

struct picture {
	struct svg s;
	const struct flame *f;
	const struct result *r;
	enum palette palette;
	struct flame_lanes lanes;
	struct lane slow;
	struct lane gone;
	uint64_t kinds; /* drawn, as flame_color_bit() */
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
	int64_t width = width_cpx(p, l, node);

	return l->values->widths[node] > 0 &&
	       width >= (int64_t)p->s.in->picture.min_width_cpx;
}

static void lane_measure(const struct picture *p, struct lane *l)
{
	for (uint32_t i = 0; i < p->f->node_count; i++) {
		if (!is_drawn(p, l, i))
			continue;
		l->frames++;
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

/* ---- what a frame says ---- */

static void write_values(struct out *out, const struct flame *f,
			 const struct flame_node *n, enum flame_side s,
			 const char *label)
{
	outf(out, "\n%stotal ", label);
	flame_value_write(out, f, s, n->values[s].total);
	out_text(out, "; self ");
	flame_value_write(out, f, s, n->values[s].self);
}

/* The name alone on the first line: the script searches it. */
static void write_title(struct out *out, const struct flame *f, uint32_t node)
{
	const struct flame_node *n = &f->nodes[node];
	const struct flame_function *fn = &f->functions[n->function];

	out_text(out, "<title>");
	escape_xml(out, fn->name);
	if (node) {
		out_char(out, '\n');
		if (fn->file.len) {
			escape_xml(out, fn->file);
			if (fn->line)
				outf(out, ":%u", (unsigned)fn->line);
			out_text(out, ", ");
		}
		out_text(out, code_kind_words(fn->kind));
	}
	write_values(out, f, n, FLAME_SLOW, f->has_baseline ? "after   " : "");
	if (f->has_baseline) {
		write_values(out, f, n, FLAME_BASELINE, "before  ");
		if (node) {
			out_text(out, "\nchange ");
			flame_change_write(out, f, n);
		}
	}
	out_text(out, "</title>");
}

/* ---- frames ---- */

static int64_t frame_top(const struct picture *p, const struct lane *l,
			 uint32_t depth)
{
	uint32_t row = p->s.in->picture.is_inverted ? depth : l->depth - depth;

	return l->top + (int64_t)row * FRAME_CPX;
}

/* With a gap behind it, where there is room for one. */
static int64_t gapped(int64_t width)
{
	return width > 2 * GAP_CPX ? width - GAP_CPX : width;
}

static void write_frame(struct picture *p, const struct lane *l, uint32_t node)
{
	const struct flame_node *n = &p->f->nodes[node];
	const struct flame_function *fn = &p->f->functions[n->function];
	double from = flame_lane_start(&p->lanes, l->values, node);
	double width = flame_lane_width(&p->lanes, l->values, node);
	int64_t x = SVG_MARGIN_PX * SVG_PX + (int64_t)(from * (double)room(p));
	int64_t y = frame_top(p, l, n->depth);
	struct out *out = p->s.out;
	struct str label;

	outf(out,
	     "<g class=\"f%s\" data-x=\"%.0f\" data-w=\"%.0f\" "
	     "data-d=\"%u\">",
	     fn->is_ranked_change ? " r" : "", floor(from * PARTS),
	     floor(width * PARTS), (unsigned)n->depth);
	write_title(out, p->f, node);
	out_text(out, "<rect");
	svg_attr(out, "x", x);
	svg_attr(out, "y", y);
	svg_attr(out, "width", gapped(width_cpx(p, l, node)));
	outf(out, " height=\"%d\" fill=\"#%06x\"/>", FRAME_HEIGHT_CPX / SVG_PX,
	     (unsigned)flame_color(p->f, p->palette, l->values->side, node,
				   node < l->gone_end));
	p->kinds |= flame_color_bit(p->f, p->palette, node);
	label = svg_fit(&p->s, fn->name, width_cpx(p, l, node) - 6 * SVG_PX);
	if (label.len)
		svg_text(&p->s, x + 3 * SVG_PX, y + 13 * SVG_PX, NULL, label);
	out_text(out, "</g>\n");
}

static void write_lane(struct picture *p, struct lane *l, const char *name)
{
	const struct flame *f = p->f;

	outf(p->s.out, "<g class=\"lane\" aria-label=\"%s\">\n", name);
	for (uint32_t i = 0; i < f->node_count; i++) {
		l->gone_end = flame_gone_end(f, i, l->gone_end);
		if (is_drawn(p, l, i))
			write_frame(p, l, i);
	}
	out_text(p->s.out, "</g>\n");
}

/* ---- legend ---- */

static void write_legend(struct picture *p, int64_t *y)
{
	int64_t x = SVG_MARGIN_PX * SVG_PX;
	struct flame_meaning m;
	size_t at = 0;

	while (flame_meaning_next(p->palette, p->kinds, &at, &m)) {
		char color[sizeof "#rrggbb"];

		snprintf(color, sizeof color, "#%06x", (unsigned)m.color);
		svg_legend(&p->s, &x, y, color, str_from(m.text));
	}
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
	write_legend(p, &y);
	svg_info(&p->s, y + 24 * SVG_PX);
}

static void write_head(struct picture *p)
{
	struct page *page = &p->s.page;

	for (int i = 0; i < FLAME_HEAD_PARTS; i++) {
		flame_head_write(page, (enum flame_head_part)i, p->f, p->r);
		if (i == FLAME_HEAD_HOW && p->f->has_baseline)
			page_textf(page,
				   "; colour: how much of the frame is a "
				   "change, only where the function's is no "
				   "noise; dark edge: functions to blame%s",
				   flame_has_change(p->f)
					   ? ""
					   : "; no function changed for "
					     "certain");
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
	svg_begin(&p.s, in, out);
	if (lay_out(&p))
		draw(&p);
	else
		render_fail(out);
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
