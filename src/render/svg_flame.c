/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graph as SVG; for comparisons the union of both sides, with removed
 * frames hatched in place.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/out.h"
#include "model/source_path.h"
#include "render/flame.h"
#include "render/input.h"
#include "render/page.h"
#include "render/render.h"
#include "render/svg.h"
#include "render/units.h"

/* Writes a frame's text: the name alone on the first line. `between` separates
 * lines. */
static void svg_flame_says(struct out *out, const struct flame_words *w,
			   uint32_t node, const char *between)
{
	const struct flame_node *n = &w->f->nodes[node];
	const struct flame_function *fn = &w->f->functions[n->function];

	escape_xml(out, fn->name);
	out_text(out, between);
	if (node) {
		if (fn->file.len) {
			escape_xml(out, source_path_shorten(fn->file,
							    w->f->source_root));
			if (fn->line) {
				out_char(out, ':');
				out_int(out, fn->line);
			}
			out_text(out, ", ");
		}
		out_text(out, code_kind_words(fn->kind));
		out_text(out, between);
		flame_function_write(out, w, n);
		out_text(out, between);
		flame_measure_write(out, w, n);
		out_text(out, between);
	}
	flame_path_write(out, w, n, NULL);
	if (!w->f->has_baseline)
		return;
	out_text(out, between);
	flame_self_write(out, w, n, NULL);
}

void svg_flame_label(struct svg *s, struct str name, int64_t x, int64_t y,
		     int64_t width)
{
	struct str label = svg_fit(s, name, width - 6 * SVG_PX);

	if (label.len)
		svg_text(s, x + 3 * SVG_PX, y + 13 * SVG_PX, NULL, label);
}

void svg_flame_legend(struct svg *s, enum palette palette, uint64_t categories,
		      int64_t *y)
{
	int64_t x = SVG_MARGIN_PX * SVG_PX;
	struct flame_meaning m;
	size_t at = 0;

	while (flame_meaning_next(palette, categories, &at, &m))
		svg_legend(s, &x, y, m.color, str_from(m.text));
}

/* Size at which browsers draw many paths as fast as one. */
#define PATH_BYTES (32 * KIB)

/* Frames too narrow to be pointed at are not separate elements, since browsers
 * need seconds for tens of thousands: those of one color share a path, in which
 * neighbours in a row are a single rectangle. */
#define SVG_SLIVER_COLORS 24u

struct svg_slivers {
	struct svg *s;
	int64_t height; /* of a row */
	uint32_t row_count;
	struct svg_run {
		int64_t from, to, y;
		uint32_t color;
		bool is_open;
	} * rows;
	struct svg_pile {
		uint32_t color;
		struct buf path; /* its "d" */
	} piles[SVG_SLIVER_COLORS];
};

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

static void end_run(struct svg_slivers *v, struct svg_run *run)
{
	struct svg_pile *pile = v->piles;
	struct svg_pile *last = &v->piles[SVG_SLIVER_COLORS - 1];
	struct out out;

	/* With too many colors they share one pile, written out whenever the
	 * color changes. */
	while (pile->path.len && pile < last && pile->color != run->color)
		pile++;
	if (pile->color != run->color)
		write_pile(v, pile);
	pile->color = run->color;
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

/* Call from left to right within a row; y is its top. */
static void svg_sliver_add(struct svg_slivers *v, uint32_t row, int64_t y,
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

static void write_sliver_box(struct svg *s, const char *fill, int64_t x,
			     int64_t y, int64_t width)
{
	out_text(s->out, "<rect");
	svg_attr(s->out, "x", x);
	svg_attr(s->out, "y", y);
	svg_attr(s->out, "width", width);
	outf(s->out, " height=\"17\" fill=\"%s\"/>", fill);
}

/* Draws a striped box that represents several frames, with their number as a
 * title, in a group. color: below the stripes; NULL: as drawn before. */
static void svg_many(struct svg *s, uint32_t count, const char *color,
		     int64_t x, int64_t y, int64_t width)
{
	char text[UNIT_TEXT_BYTES];

	format_count(count, text);
	outf(s->out,
	     "<title>%s frames, each too narrow to be drawn</title>", text);
	if (color)
		write_sliver_box(s, color, x, y, width);
	write_sliver_box(s, "url(#many)", x, y, width);
}

#define FRAME_CPX (18 * SVG_PX)
#define FRAME_HEIGHT_CPX (17 * SVG_PX)
#define FRAME_HEIGHT_TEXT "17"
#define GAP_CPX 60
/* Frames up to this width have no gap, name or element. */
#define SLIVER_CPX (2 * GAP_CPX)
/* Texts of slivers are split, since XML parsers limit text to 10 MB. */
#define PIECE_BYTES MIB
/* Distance from the last row to the legend. */
#define LEGEND_CPX (2 * SVG_LINE_PX * SVG_PX - 6 * SVG_PX)
/* Lines below the picture for details of the frame pointed at. */
#define INFO_LINES 7

/* Resolution of positions for the script: fine enough to zoom into a tenth of a
 * pixel. */
#define PARTS 100000000.0

struct picture {
	struct svg s;
	const struct flame *f;
	const struct result *r;
	struct flame_words words;
	enum palette palette;
	struct flame_union places;
	uint32_t *rows; /* by node: row of its frame */
	/* By node: number of frames in its box; 0: none, since it is in another
	 * box or left out. */
	uint32_t *frames_of;
	uint32_t depth; /* last row with a frame */
	int64_t top;
	size_t frames;       /* number drawn */
	size_t slivers;      /* those too narrow for an element */
	bool has_left_out;   /* some frames are not drawn */
	bool has_new;        /* some frames are new */
	uint64_t categories; /* of frames drawn, as flame_color_bit() */
};

/* ---- layout ---- */

static int64_t picture_room(const struct picture *p)
{
	return p->s.width - 2 * SVG_MARGIN_PX * SVG_PX;
}

static int64_t width_cpx(const struct picture *p, uint32_t node)
{
	return (int64_t)(p->places.widths[node] * (double)picture_room(p));
}

static bool is_drawn(const struct picture *p, uint32_t node)
{
	return p->frames_of[node] && p->places.widths[node] > 0 &&
	       width_cpx(p, node) >= (int64_t)p->s.in->picture.min_width_cpx;
}

static bool is_sliver(const struct picture *p, uint32_t node)
{
	return width_cpx(p, node) <= SLIVER_CPX;
}

/* Left out although its caller is wide enough for it to be missed. */
static bool is_left_out(const struct picture *p, uint32_t node)
{
	uint32_t parent = p->f->nodes[node].parent;

	return p->frames_of[node] && p->places.widths[node] > 0 &&
	       !is_drawn(p, node) && is_drawn(p, parent) &&
	       !is_sliver(p, parent);
}

/* ---- folds ---- */

/* As in HTML reports: this many frames that each have a callee with at least
 * this part of their value become one box; with fewer at most a row would be
 * saved. */
#define FOLD_LEAST 3u
#define FOLD_PART 0.99

/* In reversed graphs callers come last, so the frame with the time is not among
 * them. */
static bool is_foldable(const struct picture *p, uint32_t node,
			const bool *is_caller)
{
	const struct flame_node *n = &p->f->nodes[node];
	const struct flame_function *fn = &p->f->functions[n->function];

	return node && !(p->f->is_reversed && !n->parent) && !fn->is_to_blame &&
	       !flame_has_verdict(p->r, fn, is_caller);
}

/* Returns the callee with at least FOLD_PART on both sides; 0: none. */
static uint32_t next_of_fold(const struct flame *f, uint32_t node)
{
	const struct flame_values *of = f->nodes[node].values;

	for (uint32_t i = node + 1; i < f->nodes[node].end;
	     i = f->nodes[i].end) {
		const struct flame_values *v = f->nodes[i].values;

		if ((double)v[FLAME_SLOW].total >=
			    FOLD_PART * (double)of[FLAME_SLOW].total &&
		    (double)v[FLAME_BASELINE].total >=
			    FOLD_PART * (double)of[FLAME_BASELINE].total)
			return i;
	}
	return 0;
}

/* Folds frames from node on, if there are enough. Sets the rows of the fold and
 * of the frame after it. */
static void fold_from(struct picture *p, uint32_t node, const bool *is_caller)
{
	uint32_t count = 0, end = node, next;

	while (is_foldable(p, end, is_caller) &&
	       (next = next_of_fold(p->f, end))) {
		/* The whole fold must have the value of its first frame. */
		if (count && p->places.widths[next] <
				     FOLD_PART * p->places.widths[node])
			break;
		end = next;
		count++;
	}
	if (count < FOLD_LEAST)
		return;
	for (next = next_of_fold(p->f, node); next != end;
	     next = next_of_fold(p->f, next)) {
		p->rows[next] = p->rows[node];
		p->frames_of[next] = 0;
	}
	p->rows[end] = p->rows[node] + 1;
	p->frames_of[end] = 1;
	p->frames_of[node] = count;
}

/* Callers come before callees. Row 0 is the root's; for others it means
 * unset. */
static void lay_rows(struct picture *p, bool has_folds, const bool *is_caller)
{
	p->frames_of[0] = 1;
	for (uint32_t i = 1; i < p->f->node_count; i++) {
		uint32_t parent = p->f->nodes[i].parent;
		bool is_beside = p->frames_of[parent] != 1;

		if (p->rows[i])
			continue;
		p->rows[i] = p->rows[parent] + !is_beside;
		p->frames_of[i] = !is_beside;
		if (has_folds && is_drawn(p, i) && !is_sliver(p, i))
			fold_from(p, i, is_caller);
	}
}

static bool picture_fold(struct picture *p)
{
	const struct render_input *in = p->s.in;
	const struct render_style style = {
		.limit = in->style.limit,
	};
	bool *is_caller = mem_calloc(p->r->function_count + 1,
				     sizeof *is_caller);
	struct page page;

	p->rows = mem_calloc(p->f->node_count, sizeof *p->rows);
	p->frames_of = mem_calloc(p->f->node_count, sizeof *p->frames_of);
	if (is_caller && p->rows && p->frames_of) {
		page_begin(&page, &style, p->s.out);
		table_callers(&page, p->r, is_caller);
		page_end(&page);
		lay_rows(p,
			 !in->style.has_callers && in->picture.min_width_cpx,
			 is_caller);
	}
	mem_free(is_caller);
	return is_caller && p->rows && p->frames_of;
}

static bool lay_out(struct picture *p)
{
	if (!flame_union_init(&p->places, p->f) || !picture_fold(p))
		return false;
	for (uint32_t i = 0; i < p->f->node_count; i++) {
		p->has_left_out |= i && is_left_out(p, i);
		if (!is_drawn(p, i))
			continue;
		p->frames++;
		p->has_new |= flame_is_new(p->f, &p->f->nodes[i]);
		p->slivers += is_sliver(p, i);
		if (p->rows[i] > p->depth)
			p->depth = p->rows[i];
	}
	return true;
}

/* ---- frames ---- */

static int64_t frame_top(const struct picture *p, uint32_t row)
{
	if (p->s.in->picture.has_root_below)
		row = p->depth - row;

	return p->top + (int64_t)row * FRAME_CPX;
}

static uint32_t color_of(struct picture *p, uint32_t node)
{
	p->categories |= flame_color_bit(p->f, p->palette, node);
	return flame_color(p->f, p->palette, node);
}

static int64_t x_of(const struct picture *p, double part)
{
	return SVG_MARGIN_PX * SVG_PX +
	       (int64_t)(part * (double)picture_room(p));
}

static void write_part(struct out *out, const char *before, double part)
{
	out_text(out, before);
	out_int(out, (int64_t)(part * PARTS));
}

static double end_of(const struct picture *p, uint32_t node)
{
	return p->places.starts[node] + p->places.widths[node];
}

static void write_box(struct picture *p, uint32_t node)
{
	struct out *out = p->s.out;
	int64_t width = width_cpx(p, node);

	out_text(out, "<rect");
	svg_attr(out, "x", x_of(p, p->places.starts[node]));
	svg_attr(out, "y", frame_top(p, p->rows[node]));
	/* A gap if there is room. */
	svg_attr(out, "width", width > SLIVER_CPX ? width - GAP_CPX : width);
	out_text(out, " height=\"" FRAME_HEIGHT_TEXT "\" fill=\"");
}

/* As in HTML reports: hatched is removed, dotted is new. */
static const char *texture_of(const struct picture *p,
			      const struct flame_node *n)
{
	if (flame_is_gone(n))
		return "gone";
	return flame_is_new(p->f, n) ? "new" : NULL;
}

static void open_frame(struct picture *p, uint32_t node, const char *class)
{
	struct out *out = p->s.out;

	outf(out, "<g class=\"%s\"", class);
	write_part(out, " data-x=\"", p->places.starts[node]);
	write_part(out, "\" data-w=\"", p->places.widths[node]);
	out_text(out, "\" data-d=\"");
	out_int(out, p->rows[node]);
	out_text(out, "\"><title>");
}

/* The names of a fold follow its text, one per line, for the script. Its color
 * is that of most of its frames. */
static void write_fold(struct picture *p, uint32_t node)
{
	uint32_t at = node, most = node, votes = 0;
	struct out *out = p->s.out;
	char count[COUNT_TEXT_BYTES], label[COUNT_TEXT_BYTES + 16];

	format_count(p->frames_of[node], count);
	snprintf(label, sizeof label, "%s callers", count);
	open_frame(p, node, "f k");
	outf(out, "%s\neach calls the next with all but 1 %% of its own\n",
	     label);
	flame_path_write(out, &p->words, &p->f->nodes[node], NULL);
	for (uint32_t i = 0; i < p->frames_of[node]; i++) {
		out_char(out, '\n');
		escape_xml(out,
			   p->f->functions[p->f->nodes[at].function].name);
		if (flame_color(p->f, p->palette, at) ==
		    flame_color(p->f, p->palette, most)) {
			votes++;
		} else if (votes-- <= 1) {
			most = at;
			votes = 1;
		}
		at = next_of_fold(p->f, at);
	}
	out_text(out, "</title>");
	write_box(p, node);
	svg_color(out, color_of(p, most));
	out_text(out, "\"/>");
	svg_flame_label(&p->s, str_from(label),
			x_of(p, p->places.starts[node]),
			frame_top(p, p->rows[node]), width_cpx(p, node));
	out_text(out, "</g>");
}

static void write_frame(struct picture *p, uint32_t node)
{
	const struct flame_node *n = &p->f->nodes[node];
	const struct flame_function *fn = &p->f->functions[n->function];
	struct out *out = p->s.out;

	open_frame(p, node, fn->is_to_blame ? "f r" : "f");
	svg_flame_says(out, &p->words, node, "\n");
	out_text(out, "</title>");
	write_box(p, node);
	svg_color(out, color_of(p, node));
	out_text(out, "\"/>");
	if (texture_of(p, n)) {
		write_box(p, node);
		outf(out, "url(#%s)\" class=\"%s\"/>", texture_of(p, n),
		     texture_of(p, n));
	}
	svg_flame_label(&p->s, fn->name, x_of(p, p->places.starts[node]),
			frame_top(p, p->rows[node]), width_cpx(p, node));
	out_text(out, "</g>");
}

/* ---- slivers ---- */

static bool draw_colors(struct picture *p)
{
	struct svg_slivers v = {
		.s = &p->s,
		.height = FRAME_HEIGHT_CPX,
		.row_count = p->depth + 1,
		.rows = mem_calloc((size_t)p->depth + 1, sizeof *v.rows),
	};

	if (!v.rows)
		return false;
	for (size_t i = 0; i < SVG_SLIVER_COLORS; i++)
		buf_init(&v.piles[i].path, LIMIT_PAGE_TEXT_BYTES);
	for (uint32_t i = 0; i < p->f->node_count; i++)
		if (is_drawn(p, i) && is_sliver(p, i)) {
			uint32_t row = p->rows[i];

			svg_sliver_add(&v, row, frame_top(p, row),
				       x_of(p, p->places.starts[i]),
				       x_of(p, end_of(p, i)), color_of(p, i));
		}
	for (uint32_t i = 0; i < v.row_count; i++)
		if (v.rows[i].is_open)
			end_run(&v, &v.rows[i]);
	for (size_t i = 0; i < SVG_SLIVER_COLORS; i++) {
		write_pile(&v, &v.piles[i]);
		buf_release(&v.piles[i].path);
	}
	mem_free(v.rows);
	return true;
}

/* Neighbours that together are wide enough to look like a frame. */
struct fused {
	int64_t from, to;
	uint32_t count;
};

static void end_fused(struct picture *p, struct fused *run, uint32_t depth)
{
	if (run->count > 1 && run->to - run->from > SLIVER_CPX) {
		out_text(p->s.out, "<g>");
		svg_many(&p->s, run->count, NULL, run->from,
			 frame_top(p, depth), run->to - run->from);
		out_text(p->s.out, "</g>\n");
	}
	run->count = 0;
}

static bool draw_textures(struct picture *p)
{
	struct fused *rows = mem_calloc((size_t)p->depth + 1, sizeof *rows);

	for (uint32_t i = 0; rows && i < p->f->node_count; i++) {
		uint32_t depth = p->rows[i];
		struct fused *run;
		int64_t from;

		if (!is_drawn(p, i) || !is_sliver(p, i))
			continue;
		run = &rows[depth];
		from = x_of(p, p->places.starts[i]);
		if (run->to != from)
			end_fused(p, run, depth);
		if (!run->count++)
			run->from = from;
		run->to = x_of(p, end_of(p, i));
	}
	for (uint32_t depth = 0; rows && depth <= p->depth; depth++)
		end_fused(p, &rows[depth], depth);
	mem_free(rows);
	return rows != NULL;
}

/* Consecutive siblings of which none is drawn. */
struct left_out {
	uint32_t first;
	uint32_t next;  /* node after the last one */
	uint32_t count; /* 0: none */
};

static void end_left_out(struct picture *p, struct left_out *run)
{
	double start = p->places.starts[run->first], width;
	int64_t from = x_of(p, start);
	uint32_t last = run->first, count;
	struct out *out = p->s.out;

	for (uint32_t i = last; i < run->next; i = p->f->nodes[i].end)
		last = i;
	width = end_of(p, last) - start;
	count = run->count;
	run->count = 0;
	if (count < 2 || x_of(p, start + width) - from <= SLIVER_CPX)
		return;
	write_part(out, "<g class=\"left\" data-x=\"", start);
	write_part(out, "\" data-w=\"", width);
	outf(out, "\" data-d=\"%u\">", (unsigned)p->rows[run->first]);
	svg_many(&p->s, count, "#e3e3e3", from,
		 frame_top(p, p->rows[run->first]),
		 x_of(p, start + width) - from);
	out_text(out, "</g>\n");
}

/* Draws a box for many frames narrower than --min-width; few are omitted. */
static void draw_left_out(struct picture *p)
{
	struct left_out run = { 0 };

	for (uint32_t i = 1; i < p->f->node_count;) {
		if (!is_left_out(p, i)) {
			end_left_out(p, &run);
			i++;
			continue;
		}
		if (run.next != i ||
		    p->f->nodes[run.first].parent != p->f->nodes[i].parent)
			end_left_out(p, &run);
		if (!run.count++)
			run.first = i;
		i = run.next = p->f->nodes[i].end;
	}
	end_left_out(p, &run);
}

/* "x w depth #color", with " r" if it is to blame, " g" if removed and " n" if
 * new; then its text, each line preceded by a space. */
static void tell_sliver(struct picture *p, uint32_t node)
{
	const struct flame_node *n = &p->f->nodes[node];
	struct out *out = p->s.out;

	write_part(out, "", p->places.starts[node]);
	write_part(out, " ", p->places.widths[node]);
	out_char(out, ' ');
	out_int(out, p->rows[node]);
	out_char(out, ' ');
	svg_color(out, color_of(p, node));
	if (p->f->functions[n->function].is_to_blame)
		out_text(out, " r");
	if (texture_of(p, n))
		outf(out, " %c", *texture_of(p, n));
	out_text(out, "\n ");
	svg_flame_says(out, &p->words, node, "\n ");
	out_char(out, '\n');
}

/* Writes slivers for the script, in the order of elements, of which "+3" stands
 * for three. */
static void tell_slivers(struct picture *p)
{
	const struct flame *f = p->f;
	struct out *out = p->s.out;
	uint32_t wide = 0;
	size_t bytes = 0;

	out_text(out, "<metadata>\n");
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct flame_function *fn =
			&f->functions[f->nodes[i].function];

		if (!is_drawn(p, i))
			continue;
		if (!is_sliver(p, i)) {
			wide++;
			continue;
		}
		if (wide) {
			out_char(out, '+');
			out_int(out, wide);
			out_char(out, '\n');
		}
		wide = 0;
		tell_sliver(p, i);
		bytes += fn->name.len + fn->file.len;
		if (bytes > PIECE_BYTES)
			out_text(out, "</metadata><metadata>\n");
		bytes = bytes > PIECE_BYTES ? 0 : bytes;
	}
	out_text(out, "</metadata>\n");
}

/* data-y: top of depth 0, data-step: distance of rows. */
static void write_frames(struct picture *p)
{
	struct out *out = p->s.out;

	out_text(out, "<g class=\"lane\" aria-label=\"frames\"");
	svg_attr(out, "data-y", frame_top(p, 0));
	svg_attr(out, "data-step",
		 p->s.in->picture.has_root_below ? -FRAME_CPX : FRAME_CPX);
	out_text(out, ">\n");
	for (uint32_t i = 0; i < p->f->node_count; i++) {
		if (!is_drawn(p, i) || is_sliver(p, i))
			continue;
		if (p->frames_of[i] > 1)
			write_fold(p, i);
		else
			write_frame(p, i);
		out_char(out, '\n');
	}
	if (p->slivers || p->has_left_out) {
		out_text(p->s.out, "<g class=\"n\">\n");
		if (!draw_colors(p) || !draw_textures(p))
			out_fail_memory(p->s.out);
		draw_left_out(p);
		out_text(p->s.out, "</g>\n");
	}
	if (p->slivers)
		tell_slivers(p);
	out_text(out, "</g>\n");
}

/* ---- picture ---- */

static void write_head(struct picture *p)
{
	struct page *page = &p->s.page;

	for (int i = 0; i < FLAME_HEAD_PARTS; i++) {
		flame_head_write(page, (enum flame_head_part)i, p->f, p->r);
		if (i == FLAME_HEAD_HOW) {
			page_text(page, p->has_new
						? "; dotted: grew from nothing; "
						: "; ");
			flame_head_colors(page, p->f, p->palette);
		}
		if (i == FLAME_HEAD_TITLE)
			svg_take_title(&p->s);
		else
			svg_take_paragraph(&p->s);
	}
}

static void picture_draw(struct picture *p)
{
	int64_t frames = p->frames ? ((int64_t)p->depth + 1) * FRAME_CPX : 0;
	int64_t y;

	write_head(p);
	p->top = svg_head_height(&p->s) + 10 * SVG_PX;
	svg_open(&p->s, "flame",
		 p->top + frames + (4 + INFO_LINES) * SVG_LINE_PX * SVG_PX);
	y = p->top + frames + LEGEND_CPX;
	/* Legends of kinds and languages are at the bottom, since which ones
	 * are needed is only known then. */
	if (!p->frames)
		svg_text(&p->s, SVG_MARGIN_PX * SVG_PX, p->top + 14 * SVG_PX,
			 NULL, STR("no samples to draw"));
	write_frames(p);
	svg_flame_legend(&p->s, p->palette, p->categories, &y);
	svg_info(&p->s, y + 24 * SVG_PX);
	svg_flame_dark(&p->s, p->palette, p->categories);
	svg_close(&p->s);
}

static void render_flame(const struct render_input *in, struct out *out)
{
	struct picture p = { .f = in->flame, .r = in->result };

	p.palette = flame_palette(in->flame, in->picture.palette);
	flame_words_init(&p.words, p.f, p.r);
	svg_begin(&p.s, in, out);
	if (lay_out(&p))
		picture_draw(&p);
	else
		out_fail_memory(out);
	flame_union_release(&p.places);
	mem_free(p.rows);
	mem_free(p.frames_of);
	svg_end(&p.s);
}

void render_svg(const struct render_input *in, struct out *out)
{
	if (in->flame)
		render_flame(in, out);
	else
		svg_waterfall(in, out);
}
