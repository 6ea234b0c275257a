/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graph as text: rows of character cells, with colors on terminals that
 * support them, else with marks.
 */
#include "render/render.h"

#include <math.h>

#include "base/escape.h"
#include "render/flame.h"
#include "render/units.h"

/* Approximation of colors on terminals with fewer colors. */

#define CUBE_START 16u
#define GREY_START 232u
#define GREYS 24u

static const int cube_levels[] = { 0, 95, 135, 175, 215, 255 };

static int color_red(uint32_t rgb)
{
	return (int)(rgb >> 16 & 0xff);
}

static int color_green(uint32_t rgb)
{
	return (int)(rgb >> 8 & 0xff);
}

static int color_blue(uint32_t rgb)
{
	return (int)(rgb & 0xff);
}

static unsigned level_of(int value)
{
	unsigned i = 0;

	while (i < 5 && cube_levels[i + 1] - value <= value - cube_levels[i])
		i++;
	return i;
}

static int color_distance(uint32_t rgb, int r, int g, int b)
{
	int dr = color_red(rgb) - r, dg = color_green(rgb) - g,
	    db = color_blue(rgb) - b;

	return dr * dr + dg * dg + db * db;
}

unsigned ansi_256(uint32_t rgb)
{
	unsigned r = level_of(color_red(rgb)), g = level_of(color_green(rgb));
	unsigned b = level_of(color_blue(rgb)), grey;
	/* The greys are 8, 18, 28 ... 238. */
	int nearest =
		((color_red(rgb) + color_green(rgb) + color_blue(rgb)) / 3 -
		 3) /
		10;
	int value;

	grey = nearest < 0                 ? 0
	       : (unsigned)nearest < GREYS ? (unsigned)nearest
					   : GREYS - 1;
	value = 8 + 10 * (int)grey;

	if (color_distance(rgb, value, value, value) <
	    color_distance(rgb, cube_levels[r], cube_levels[g], cube_levels[b]))
		return GREY_START + grey;
	return CUBE_START + 36 * r + 6 * g + b;
}

unsigned ansi_16(uint32_t rgb)
{
	static const struct {
		int end;
		unsigned color;
	} hues[] = { { 15, 9 },  { 75, 3 },  { 165, 2 }, { 190, 14 },
		     { 255, 6 }, { 340, 5 }, { 360, 9 } };
	int r = color_red(rgb), g = color_green(rgb), b = color_blue(rgb);
	int most = r > g ? r : g, least = r < g ? r : g;
	int range, hue;
	size_t i = 0;

	most = most > b ? most : b;
	least = least < b ? least : b;
	range = most - least;
	if (range < 16)
		return 7;
	/* In degrees: 0 red, 60 yellow, 120 green, 180 cyan, 240 blue, 300
	 * magenta. */
	hue = most == r   ? (60 * (g - b) / range + 360) % 360
	      : most == g ? 120 + 60 * (b - r) / range
			  : 240 + 60 * (r - g) / range;
	while (hue >= hues[i].end)
		i++;
	return hues[i].color;
}

uint32_t ansi_shade(uint32_t rgb)
{
	return (uint32_t)(color_red(rgb) * 23 / 24) << 16 |
	       (uint32_t)(color_green(rgb) * 23 / 24) << 8 |
	       (uint32_t)(color_blue(rgb) * 23 / 24);
}

/* Pixels per column, for --width and --min-width. */
#define COLUMN_PX 8u
/* Default width: enough for most names, narrow enough for a ticket. */
#define COLUMNS_UNKNOWN 100u
#define COLUMNS_MAX 2500u

/* Two screens of a typical terminal: deeper frames are rarely wide. */
#define ROWS 48u
/* A last row filled less than this part of the first is left out. */
#define ROW_PARTS 20u

struct drawing {
	const struct render_input *in;
	const struct flame *f;
	struct out *out;
	struct page page;
	struct flame_union places;
	struct flame_labeler labels;
	enum palette palette;
	uint32_t columns;
	uint64_t drawn; /* flame_color_bit() of all frames */
	bool has_many;  /* some siblings are drawn as one */
	bool has_gone;
	bool has_failed;
};

/* ---- frames ---- */

static bool has_many_colors(const struct drawing *d)
{
	return d->in->style.has_truecolor || d->in->style.has_256_colors;
}

static void color_on(const struct drawing *d, uint32_t rgb)
{
	const struct render_style *style = &d->in->style;
	unsigned color;

	if (style->has_truecolor) {
		outf(d->out, "\033[38;2;17;17;17;48;2;%u;%u;%um",
		     (unsigned)(rgb >> 16), (unsigned)(rgb >> 8 & 0xff),
		     (unsigned)(rgb & 0xff));
	} else if (style->has_256_colors) {
		outf(d->out, "\033[38;5;16;48;5;%um", ansi_256(rgb));
	} else {
		color = ansi_16(rgb);
		outf(d->out, "\033[30;%um",
		     color < 8 ? 40 + color : 100 + color - 8);
	}
}

static void color_off(const struct drawing *d)
{
	out_text(d->out, "\033[m");
}

/* Pads with spaces after the label, or with characters that represent
 * hatching. */
static void write_label(struct drawing *d, const struct flame_bar *bar,
			size_t columns, const char *fill)
{
	struct str label =
		flame_label(&d->labels, FLAME_SLOW, bar->node, columns);
	size_t used = text_width(label);

	if (flame_is_gone(&d->f->nodes[bar->node])) {
		fill = d->in->style.use_unicode ? "╱" : "/";
		d->has_gone = true;
	}
	out_str(d->out, label);
	out_repeat(d->out, fill, columns - used);
}

/* The left edge is a line, if the frame is wide enough. */
static void colored_frame(struct drawing *d, const struct flame_bar *bar)
{
	const struct flame_function *fn =
		&d->f->functions[d->f->nodes[bar->node].function];
	uint32_t rgb = flame_color(d->f, d->palette, bar->node);

	d->drawn |= flame_color_bit(d->f, d->palette, bar->node);
	if (d->in->style.has_truecolor && bar->depth & 1)
		rgb = ansi_shade(rgb);
	color_on(d, rgb);
	/* Many 16-color terminals show bold black as grey. */
	if (d->f->has_baseline && fn->is_to_blame && has_many_colors(d))
		out_text(d->out, "\033[1m");
	out_text(d->out, d->in->style.use_unicode ? "▏" : "|");
	write_label(d, bar, bar->columns - 1, " ");
	color_off(d);
}

/* Between edges; in a single column only the mark. */
static void plain_frame(struct drawing *d, const struct flame_bar *bar)
{
	bool use_unicode = d->in->style.use_unicode;
	char mark[FLAME_MARK_BYTES];

	if (bar->columns == 1) {
		flame_mark(d->f, FLAME_SLOW, bar->node, mark);
		mark[1] = '\0';
		out_text(d->out, *mark ? mark : use_unicode ? "│" : "|");
		return;
	}
	out_text(d->out, use_unicode ? "├" : "[");
	write_label(d, bar, bar->columns - 2, use_unicode ? "─" : "=");
	out_text(d->out, use_unicode ? "┤" : "]");
}

static void write_row(struct drawing *d, const struct flame_grid *g,
		      uint32_t row)
{
	uint32_t column = 0;

	for (size_t i = g->row_starts[row]; i < g->row_starts[row + 1]; i++) {
		const struct flame_bar *bar = &g->bars[i];

		out_repeat(d->out, " ", bar->column - column);
		if (bar->count > 1) {
			const struct render_style *style = &d->in->style;

			d->has_many = true;
			if (style->use_color)
				out_text(d->out, "\033[2m");
			out_repeat(d->out, style->use_unicode ? "·" : ":",
				   bar->columns);
			if (style->use_color)
				color_off(d);
		} else if (d->in->style.use_color) {
			colored_frame(d, bar);
		} else {
			plain_frame(d, bar);
		}
		column = bar->column + bar->columns;
	}
	out_char(d->out, '\n');
}

/* Rows of the grid that are drawn. */
struct rows {
	uint32_t count;
	uint32_t hidden;
	/* Part of the width that reaches the first hidden row. */
	double hidden_part;
};

static uint32_t row_columns(const struct flame_grid *g, uint32_t row)
{
	uint32_t columns = 0;

	for (size_t i = g->row_starts[row]; i < g->row_starts[row + 1]; i++)
		columns += g->bars[i].columns;
	return columns;
}

/* Drops the deepest rows if they only have a few narrow frames, unless the
 * number of rows was requested. */
static struct rows choose_rows(const struct drawing *d,
			       const struct flame_grid *g)
{
	struct rows rows = { g->row_count, g->hidden_rows, g->hidden_part };
	uint32_t least = g->row_count ? row_columns(g, 0) / ROW_PARTS : 0;

	while (!d->in->style.has_limit && rows.count > 1 &&
	       row_columns(g, rows.count - 1) < least) {
		rows.count--;
		rows.hidden++;
		rows.hidden_part =
			(double)row_columns(g, rows.count) / d->columns;
	}
	return rows;
}

static void write_hidden(struct drawing *d, const struct rows *rows)
{
	char share[UNIT_TEXT_BYTES];

	if (!rows->hidden)
		return;
	format_share(rows->hidden_part, share);
	page_textf(&d->page,
		   "%u deeper row%s left out, %s of the width; -n 0 shows all",
		   (unsigned)rows->hidden, rows->hidden == 1 ? "" : "s", share);
	page_flush(&d->page, PAINT_DIM, "", 0);
}

static void write_frames(struct drawing *d)
{
	unsigned min_cpx = d->in->picture.min_width_cpx;
	const struct render_style *style = &d->in->style;
	uint32_t limit = style->limit && style->limit < UINT32_MAX
				 ? (uint32_t)style->limit
				 : UINT32_MAX;
	const struct flame_view view = {
		.f = d->f,
		.places = &d->places,
		.columns = d->columns,
		.min_columns = (double)min_cpx / (100 * COLUMN_PX),
		.rows = style->has_limit ? limit : ROWS,
	};
	struct flame_grid g;

	if (flame_grid_init(&g, &view)) {
		struct rows rows = choose_rows(d, &g);
		bool is_flame = d->in->picture.has_root_below;

		if (is_flame)
			write_hidden(d, &rows);
		for (uint32_t i = 0; i < rows.count; i++)
			write_row(d, &g, is_flame ? rows.count - 1 - i : i);
		if (!is_flame)
			write_hidden(d, &rows);
	} else {
		d->has_failed = true;
	}
	flame_grid_release(&g);
}

/* ---- around them ---- */

static void write_head(struct drawing *d)
{
	struct page *p = &d->page;

	for (int i = 0; i < FLAME_HEAD_PARTS; i++) {
		if (i == FLAME_HEAD_HOW && d->in->style.is_quiet)
			continue;
		flame_head_write(p, (enum flame_head_part)i, d->f,
				 d->in->result);
		if (i == FLAME_HEAD_HOW && d->in->style.use_color)
			page_textf(p, "; colour by %s",
				   flame_palette_words(d->palette));
		page_flush(p, i == FLAME_HEAD_TITLE ? PAINT_BOLD : PAINT_NONE,
			   "", i == FLAME_HEAD_TITLE ? 0 : 2);
	}
	out_char(d->out, '\n');
}

static void legend_item(struct drawing *d, size_t *used, uint32_t color,
			const char *text)
{
	size_t columns = text_width(str_from(text)) + 5;

	/* With few colors it looks the same as a large change. */
	if (!has_many_colors(d) && str_ends(str_from(text), STR(" a little")))
		return;
	if (*used && *used + columns > d->columns) {
		out_char(d->out, '\n');
		*used = 0;
	}
	out_text(d->out, *used ? "  " : "");
	color_on(d, color);
	out_text(d->out, "  ");
	color_off(d);
	outf(d->out, " %s", text);
	*used += columns;
}

static void write_legend(struct drawing *d)
{
	struct page *p = &d->page;
	struct flame_meaning m;
	size_t at = 0, used = 0;

	while (d->in->style.use_color &&
	       flame_meaning_next(d->palette, d->drawn, &at, &m)) {
		if (!used)
			out_char(d->out, '\n');
		legend_item(d, &used, m.color, m.text);
	}
	if (used || d->f->has_baseline || d->has_many || d->labels.has_whole)
		out_char(d->out, '\n');
	if (d->f->has_baseline)
		page_text(p, "+ grew or new, - shrank or gone, ! the function "
			     "to blame; no mark: the same, or may be noise");
	if (d->labels.has_whole)
		page_textf(p,
			   "%stotal: on all paths of the function, as in "
			   "tables",
			   p->line.len ? "; " : "");
	if (d->has_gone)
		page_textf(p, "%s%s gone in the "
			      "comparison", p->line.len ? "; " : "",
			   d->in->style.use_unicode ? "╱╱╱" : "///");
	if (d->has_many)
		page_textf(p, "%s%s frames too narrow to draw",
			   p->line.len ? "; " : "",
			   d->in->style.use_unicode ? "···" : ":::");
	page_flush(p, PAINT_DIM, "", 0);
}

void render_term(const struct render_input *in, struct out *out)
{
	struct drawing d = { .in = in, .f = in->flame, .out = out };
	struct render_style style = in->style;
	uint32_t wanted = in->picture.width_px / COLUMN_PX;

	d.columns = style.width           ? style.width
		    : in->picture.columns ? in->picture.columns
					  : COLUMNS_UNKNOWN;
	if (wanted && (!style.width || wanted < d.columns))
		d.columns = wanted;
	d.columns = d.columns < COLUMNS_MAX ? d.columns : COLUMNS_MAX;
	style.width = d.columns;
	d.palette = flame_palette(d.f, in->picture.palette);
	page_begin(&d.page, &style, out);
	flame_labeler_init(&d.labels, d.f, in->result, style.use_unicode);
	if (flame_union_init(&d.places, d.f)) {
		write_head(&d);
		if (d.places.widths[0] > 0)
			write_frames(&d);
		else
			out_text(d.out, "no samples to draw\n");
		if (!d.in->style.is_quiet)
			write_legend(&d);
	} else {
		d.has_failed = true;
	}
	flame_union_release(&d.places);
	if (!flame_labeler_release(&d.labels) || d.has_failed)
		out_fail_memory(out);
	page_end(&d.page);
}
