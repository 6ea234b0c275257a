/* SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph: what the slow side spent, and in a second lane below it
 * what vanished since the baseline, both to the same scale.
 */
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/num.h"
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

#define COLOR_NONE "#e3e3e3"
#define COLOR_NOISE "#d3d3d3"

struct lane {
	enum flame_side side;
	int64_t *widths; /* by node, in the side's values */
	int64_t *starts;
	double scale;   /* values to those of the slow side */
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
	double unit; /* values across the whole width */
	struct lane slow;
	struct lane gone;
	uint64_t kinds; /* drawn, as bits of code_kind or flame_language */
};

/* ---- layout ---- */

static bool lane_init(struct lane *l, enum flame_side side, double scale,
		      uint32_t count)
{
	*l = (struct lane){ .side = side,
			    .scale = scale,
			    .widths = mem_alloc(count * sizeof *l->widths),
			    .starts = mem_alloc(count * sizeof *l->starts) };
	return l->widths && l->starts;
}

static void lane_release(struct lane *l)
{
	mem_free(l->widths);
	mem_free(l->starts);
}

/* starts[] of a parent holds where its next child begins until all of them
 * are placed, and is put back then. */
static void lane_place(struct lane *l, const struct flame *f)
{
	l->starts[0] = 0;
	for (uint32_t i = 1; i < f->node_count; i++) {
		uint32_t parent = f->nodes[i].parent;

		l->starts[i] = l->starts[parent];
		l->starts[parent] =
			sat_add_i64(l->starts[parent], l->widths[i]);
	}
	for (uint32_t i = f->node_count; i-- > 1;)
		l->starts[f->nodes[i].parent] = l->starts[i];
	l->starts[0] = 0;
}

static void lay_slow(struct picture *p)
{
	const struct flame *f = p->f;

	for (uint32_t i = 0; i < f->node_count; i++)
		p->slow.widths[i] = f->nodes[i].values[FLAME_SLOW].total;
	lane_place(&p->slow, f);
}

/* Tells nodes beneath one that is gone, before starts[] hold anything else. */
#define IS_BENEATH 1

/* What is gone, all beneath it, and above it as much as leads there. */
static void lay_gone(struct picture *p)
{
	const struct flame *f = p->f;
	int64_t *widths = p->gone.widths;
	int64_t *marks = p->gone.starts;

	for (uint32_t i = 0; i < f->node_count;) {
		const struct flame_node *n = &f->nodes[i];
		bool is_gone = f->has_baseline && flame_is_gone(f, n);
		uint32_t end = is_gone ? n->end : i + 1;

		widths[i] = is_gone ? n->values[FLAME_BASELINE].total : 0;
		marks[i] = 0;
		while (++i < end) {
			widths[i] = f->nodes[i].values[FLAME_BASELINE].total;
			marks[i] = IS_BENEATH;
		}
	}
	for (uint32_t i = f->node_count; i-- > 1;)
		if (!marks[i])
			widths[f->nodes[i].parent] = sat_add_i64(
				widths[f->nodes[i].parent], widths[i]);
	lane_place(&p->gone, f);
}

static double part(const struct picture *p, const struct lane *l, int64_t value)
{
	return p->unit > 0 ? fmin(1, (double)value * l->scale / p->unit) : 0;
}

static int64_t room(const struct picture *p)
{
	return p->s.width - 2 * SVG_MARGIN_PX * SVG_PX;
}

/* Sums that saturated are narrower than what they are of. */
static double width_part(const struct picture *p, const struct lane *l,
			 uint32_t node)
{
	return fmin(part(p, l, l->widths[node]),
		    1 - part(p, l, l->starts[node]));
}

static int64_t width_cpx(const struct picture *p, const struct lane *l,
			 uint32_t node)
{
	return (int64_t)(width_part(p, l, node) * (double)room(p));
}

static bool is_drawn(const struct picture *p, const struct lane *l,
		     uint32_t node)
{
	int64_t width = width_cpx(p, l, node);

	return l->widths[node] > 0 &&
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
	const struct flame *f = p->f;
	double scale = f->baseline_scale;

	if (!lane_init(&p->slow, FLAME_SLOW, 1, f->node_count) ||
	    !lane_init(&p->gone, FLAME_BASELINE, scale, f->node_count))
		return false;
	lay_slow(p);
	lay_gone(p);
	p->unit = fmax((double)p->slow.widths[0],
		       (double)p->gone.widths[0] * scale);
	lane_measure(p, &p->slow);
	lane_measure(p, &p->gone);
	return true;
}

/* ---- colours ---- */

static const char *const kind_colors[CODE_KIND_COUNT] = {
	[CODE_APPLICATION] = "#f4a259", [CODE_DATABASE] = "#7fb3d9",
	[CODE_HTTP_CLIENT] = "#8fd3c7", [CODE_SERIALISATION] = "#c8b0e0",
	[CODE_LOCK] = "#ee8f8f",        [CODE_GC_ALLOC] = "#e8d66b",
	[CODE_RUNTIME] = "#cbd5c0",     [CODE_KERNEL] = "#d9a58b",
	[CODE_IDLE] = "#e3e3e3",        [CODE_LIBRARY] = "#a9d18e",
	[CODE_STDLIB] = "#bcd0e8",
};

static const struct {
	const char *color;
	const char *word;
} languages[] = {
	[FLAME_LANGUAGE_UNKNOWN] = { "#f2a0a0", "unknown" },
	[FLAME_GO] = { "#8fd3e8", "Go" },
	[FLAME_JVM] = { "#9ad68a", "JVM" },
	[FLAME_PYTHON] = { "#a5bde6", "Python" },
	[FLAME_NODE] = { "#c5dd7d", "JavaScript" },
	[FLAME_DOTNET] = { "#c8b0e0", ".NET" },
	[FLAME_RUBY] = { "#f0a8c0", "Ruby" },
	[FLAME_RUST] = { "#dfb18f", "Rust" },
	[FLAME_NATIVE] = { "#eedb6e", "C, C++" },
};
#define KERNEL_BIT 63
#define KERNEL_COLOR "#f4a259"

/* From a small part of the frame to nearly all: told apart by people who do
 * not tell red from green, and in grey by their lightness. */
#define STEPS 4
static const char *const up_colors[STEPS] = { "#fde0c0", "#fdbe85", "#fa9a4b",
					      "#f4812b" };
static const char *const down_colors[STEPS] = { "#d6e6f4", "#abcfe8", "#7ab3dc",
						"#4a94cd" };
static const double step_from[STEPS] = { 0, 0.15, 0.35, 0.65 };

static int step_of(double part)
{
	int step = STEPS - 1;

	while (step > 0 && part < step_from[step])
		step--;
	return step;
}

/* By how much of the frame itself came or went, where the function changed
 * for certain and this frame went the same way. */
static const char *diff_color(const struct flame *f, const struct flame_node *n)
{
	enum change change = f->functions[n->function].change;
	double after = (double)n->values[FLAME_SLOW].total;
	double before = flame_before(f, n);
	double moved = after - before, most = fmax(after, before);

	if (n->parent == FLAME_NONE || !(most > 0))
		return COLOR_NONE;
	if (change_is_up(change) && moved > 0)
		return up_colors[step_of(moved / most)];
	if (change_is_down(change) && moved < 0)
		return down_colors[step_of(-moved / most)];
	return change == CHANGE_NOISE ? COLOR_NOISE : COLOR_NONE;
}

static const char *language_color(struct picture *p,
				  const struct flame_function *fn)
{
	bool is_kernel = fn->kind == CODE_KERNEL;

	p->kinds |= (uint64_t)1 << (is_kernel ? KERNEL_BIT : fn->language);
	return is_kernel ? KERNEL_COLOR : languages[fn->language].color;
}

/* In the lane of what is gone callers are only the way there. */
static const char *gone_color(const struct flame *f, const struct flame_node *n,
			      bool is_gone)
{
	if (!is_gone)
		return COLOR_NONE;
	return down_colors[flame_is_gone(f, n) ? STEPS - 1 : 1];
}

static const char *color_of(struct picture *p, const struct lane *l,
			    uint32_t node, char hot[SVG_COLOR_BYTES])
{
	const struct flame_node *n = &p->f->nodes[node];
	const struct flame_function *fn = &p->f->functions[n->function];

	if (p->palette == PALETTE_DIFF && l->side == FLAME_BASELINE)
		return gone_color(p->f, n, node < l->gone_end);
	if (p->palette == PALETTE_DIFF)
		return diff_color(p->f, n);
	if (n->parent == FLAME_NONE)
		return COLOR_NONE;
	if (p->palette == PALETTE_JAVA)
		return language_color(p, fn);
	if (p->palette == PALETTE_KIND) {
		p->kinds |= (uint64_t)1 << fn->kind;
		return kind_colors[fn->kind];
	}
	svg_color_hot(fn->name, hot);
	return hot;
}

static enum palette palette_of(const struct render_input *in)
{
	enum palette wanted = in->picture.palette;

	if (!in->flame->has_baseline)
		return wanted == PALETTE_AUTO || wanted == PALETTE_DIFF
			       ? PALETTE_KIND
			       : wanted;
	return wanted == PALETTE_AUTO ? PALETTE_DIFF : wanted;
}

/* ---- what a frame says ---- */

static double share_of(const struct flame *f, enum flame_side s, double value)
{
	return f->whole[s] > 0 ? value / (double)f->whole[s] : 0;
}

/* "65.0 %  1.19 s  119 samples" */
static void write_value(struct out *out, const struct flame *f,
			enum flame_side s, int64_t value)
{
	char share[UNIT_TEXT_BYTES], text[UNIT_TEXT_BYTES];
	char count[COUNT_TEXT_BYTES];

	format_share(share_of(f, s, (double)value), share);
	format_value(value, f->unit, text);
	outf(out, "%s, %s", share, text);
	if (!(f->sample_value[s] > 0) || f->sample_value[s] == 1)
		return;
	format_count((int64_t)((double)value / f->sample_value[s] + 0.5),
		     count);
	outf(out, ", %s samples", count);
}

static void write_values(struct out *out, const struct flame *f,
			 const struct flame_node *n, enum flame_side s,
			 const char *label)
{
	outf(out, "\n%stotal ", label);
	write_value(out, f, s, n->values[s].total);
	outf(out, "; self ");
	write_value(out, f, s, n->values[s].self);
}

static const char *change_words(const struct flame *f,
				const struct flame_node *n, double moved)
{
	enum change change = f->functions[n->function].change;
	bool is_same_way = change_is_up(change) ? moved > 0 : moved < 0;

	if (change == CHANGE_NOISE)
		return "may be noise";
	if (!change_is_real(change))
		return "the function is the same";
	if (!is_same_way)
		return change_is_up(change) ? "the function as a whole grew"
					    : "the function as a whole shrank";
	if (change_is_down(change))
		return n->values[FLAME_SLOW].total ? "shrank" : "gone";
	return n->values[FLAME_BASELINE].total ? "grew" : "new";
}

static void write_change(struct out *out, const struct flame *f,
			 const struct flame_node *n)
{
	double moved = (double)n->values[FLAME_SLOW].total - flame_before(f, n);
	char points[UNIT_TEXT_BYTES];

	format_points(share_of(f, FLAME_SLOW, moved), points);
	outf(out, "\nchange %s points: %s", points, change_words(f, n, moved));
	if (f->functions[n->function].is_ranked_change)
		out_text(out, " (one of the functions to blame)");
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
		if (node)
			write_change(out, f, n);
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
	double from = part(p, l, l->starts[node]);
	double width = width_part(p, l, node);
	int64_t x = SVG_MARGIN_PX * SVG_PX + (int64_t)(from * (double)room(p));
	int64_t y = frame_top(p, l, n->depth);
	struct out *out = p->s.out;
	char hot[SVG_COLOR_BYTES];
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
	outf(out, " height=\"%d\" fill=\"%s\"/>", FRAME_HEIGHT_CPX / SVG_PX,
	     color_of(p, l, node, hot));
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
		if (i >= l->gone_end && f->has_baseline &&
		    flame_is_gone(f, &f->nodes[i]))
			l->gone_end = f->nodes[i].end;
		if (is_drawn(p, l, i))
			write_frame(p, l, i);
	}
	out_text(p->s.out, "</g>\n");
}

/* ---- legend ---- */

static void write_legend(struct picture *p, int64_t *y)
{
	int64_t x = SVG_MARGIN_PX * SVG_PX;
	struct svg *s = &p->s;

	if (p->palette == PALETTE_DIFF) {
		svg_legend(s, &x, y, up_colors[3], STR("grew or new"));
		svg_legend(s, &x, y, up_colors[0], STR("grew a little"));
		svg_legend(s, &x, y, COLOR_NONE, STR("same or noise"));
		svg_legend(s, &x, y, down_colors[0], STR("shrank a little"));
		svg_legend(s, &x, y, down_colors[3], STR("shrank or gone"));
	}
	for (int k = 0; p->palette == PALETTE_KIND && k < CODE_KIND_COUNT; k++)
		if (p->kinds >> k & 1)
			svg_legend(
				s, &x, y, kind_colors[k],
				str_from(code_kind_words((enum code_kind)k)));
	if (p->palette != PALETTE_JAVA)
		return;
	for (size_t k = 0; k < sizeof languages / sizeof *languages; k++)
		if (p->kinds >> k & 1)
			svg_legend(s, &x, y, languages[k].color,
				   str_from(languages[k].word));
	if (p->kinds >> KERNEL_BIT & 1)
		svg_legend(s, &x, y, KERNEL_COLOR, STR("kernel"));
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

		format_share(share_of(p->f, FLAME_BASELINE,
				      (double)p->gone.widths[0]),
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

static void draw(struct picture *p)
{
	int64_t gone_height, height;

	svg_flame_head(&p->s, p->f, p->r);
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

	p.palette = palette_of(in);
	svg_begin(&p.s, in, out);
	if (lay_out(&p))
		draw(&p);
	else
		render_fail(out);
	lane_release(&p.slow);
	lane_release(&p.gone);
	svg_end(&p.s);
}

void render_svg(const struct render_input *in, struct out *out)
{
	if (in->flame)
		render_flame(in, out);
	else
		svg_waterfall(in, out);
}
