/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/gz.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/system.h"
#include "model/source_path.h"
#include "render/flame.h"
#include "render/input.h"
#include "render/page.h"
#include "render/render.h"
#include "render/svg.h"
#include "render/units.h"

/* Static flame graph of an HTML report, for print and without scripts: the
 * widest frames, with the most important facts of each. */

#define WIDTH_CPX (1200 * SVG_PX)
#define FRAME_CPX (18 * SVG_PX)
#define FRAME_HEIGHT_PX 17
#define GAP_CPX 60
/* Below everything: two lines suffice for all kinds of code. */
#define LEGEND_CPX (2 * SVG_LINE_PX * SVG_PX + 12 * SVG_PX)

/* Narrower frames are useless in print. */
#define MIN_PART 0.002
/* About 300 bytes each: a seventh of a page's budget. */
#define MAX_FRAMES 200
#define HALVINGS 30

struct picture {
	struct svg s;
	const struct flame *f;
	struct flame_words words;
	struct flame_union places;
	enum palette palette;
	double min_part;
	uint32_t depth;
	uint64_t categories; /* of frames drawn, as flame_color_bit() */
};

/* Skips everything below a narrow frame, which is narrower. */
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

static void picture_choose(struct picture *p)
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

/* Writes the values of the path only, since the table has the function's. */
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
	flame_path_write(out, w, &f->nodes[node], NULL);
	out_text(out, "</title>");
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
	uint32_t row = p->s.in->picture.has_root_below ? p->depth - n->depth
						       : n->depth;
	int64_t y = (int64_t)row * FRAME_CPX;
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

	picture_choose(p);
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

/* Writes the static picture. Returns false when out of memory. */
static bool html_flame_picture(const struct render_input *in, struct out *out)
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

/* Data for the flame graph script, in a compact form: functions sorted by name,
 * without the prefix shared with the previous one; numbers in little-endian
 * base 32, a letter per digit, column by column, which compresses well. A frame
 * is encoded relative to the previous one, with self values only: the script
 * computes sums. */

/* Digits 32 to 63 mean that another digit follows. */
static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz-_";
#define DIGIT_BITS 5
#define DIGIT_MORE 32u

/* Bits in the first digit of a frame: which of its fields follow. */
enum node_flags {
	/* Number of levels to go up; else the previous frame is the caller. */
	NODE_HAS_STEP = 1 << 0,
	NODE_HAS_SELF = 1 << 1,     /* and << 1 for the baseline */
	NODE_HAS_LEFT_OUT = 1 << 3, /* and << 1: of omitted descendants */
};
/* Bits above the change in a function's digit: it is to blame; its own value
 * changed, so it must not be folded. */
#define BLAMED_SHIFT 3
#define VERDICT_SHIFT 4

enum column {
	COLUMN_FILE_SHARED = 0,
	COLUMN_NAME_SHARED,
	/* From 1; as a difference to the previous function, see put_i64(). */
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_KIND,
	COLUMN_LANGUAGE,
	COLUMN_CHANGE,
	COLUMN_WHOLE, /* total of a function, one per side */
	COLUMN_MEASURED =
		COLUMN_WHOLE + FLAME_SIDES, /* as flame_measured() */
	COLUMN_FLAGS = COLUMN_MEASURED + FLAME_SIDES,
	COLUMN_STEP, /* with NODE_HAS_STEP; and so on */
	COLUMN_FUNCTION,
	COLUMN_SELF,
	COLUMN_LEFT_OUT = COLUMN_SELF + FLAME_SIDES,
	COLUMNS = COLUMN_LEFT_OUT + FLAME_SIDES,
};
static const char *const column_keys[COLUMNS] = {
	"file_shared",
	"name_shared",
	"file",
	"line",
	"kind",
	"language",
	"change",
	"function_after",
	"function_before",
	"measured_after",
	"measured_before",
	"flags",
	"step",
	"function",
	"self_after",
	"self_before",
	"left_out_after",
	"left_out_before",
};

struct data {
	const struct flame *f;
	struct flame_words words;
	struct jsonw json;
	uint64_t divisor[FLAME_SIDES]; /* of all values */
	double min_share;
	uint32_t *functions; /* those in use, by name */
	uint32_t *places;    /* by function: index among them */
	uint32_t *files;     /* by function, 0 for none */
	bool *is_caller;     /* by row of the result, see table_callers() */
	uint32_t count;
	struct buf columns[COLUMNS];
	struct buf shown;  /* text as displayed */
	struct buf before; /* the previous one */
	bool has_failed;   /* a buffer failed before it was cleared */
};

static void column_put(struct data *d, enum column column, uint64_t value)
{
	struct buf *out = &d->columns[column];

	while (value >= DIGIT_MORE) {
		buf_add_char(out, digits[value % DIGIT_MORE + DIGIT_MORE]);
		value >>= DIGIT_BITS;
	}
	buf_add_char(out, digits[value]);
}

/* Zigzag encoding: negative numbers are odd. */
static void put_i64(struct data *d, enum column column, int64_t value)
{
	column_put(d, column,
		   value < 0 ? 2 * (uint64_t)-value - 1 : 2 * (uint64_t)value);
}

/* ---- selection ---- */

/* Returns the node's share of its side's total, on the side where it is larger.
 * Never larger than its caller's. */
static double node_share(const struct flame *f, uint32_t node)
{
	double most = 0;

	for (int s = 0; s < FLAME_SIDES; s++) {
		int64_t whole = f->nodes[0].values[s].total;

		if (whole > 0)
			most = fmax(most,
				    (double)f->nodes[node].values[s].total /
					    (double)whole);
	}
	return most;
}

static bool is_kept(const struct data *d, uint32_t node)
{
	return !node || node_share(d->f, node) >= d->min_share;
}

/* Returns the next node that is kept, skipping everything below a narrow
 * one. */
static uint32_t next_kept(const struct data *d, uint32_t node)
{
	for (node++; node < d->f->node_count && !is_kept(d, node);)
		node = d->f->nodes[node].end;
	return node;
}

static uint32_t count_kept(const struct data *d)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < d->f->node_count; i = next_kept(d, i))
		count++;
	return count;
}

/* Chooses at least the minimum requested by the user, and large enough for the
 * number of frames a browser can handle. */
static void set_min_share(struct data *d, const struct picture_style *style)
{
	double width = style->width_px ? style->width_px : 1200;
	double low = (double)style->min_width_cpx / 100 / width, high = 1;

	d->min_share = fmin(low, 1);
	if (count_kept(d) <= LIMIT_PAGE_FRAMES)
		return;
	for (int i = 0; i < HALVINGS; i++) {
		d->min_share = (low + high) / 2;
		if (count_kept(d) <= LIMIT_PAGE_FRAMES)
			high = d->min_share;
		else
			low = d->min_share;
	}
	d->min_share = high;
}

/* Values of functions include what is not drawn: negative stacks. */
static uint64_t divisor_of(const struct flame_words *w, int side)
{
	const struct flame *f = w->f;
	uint64_t divisor = 0;

	for (uint32_t i = 0; i < f->node_count; i++)
		divisor = gcd_u64(divisor,
				  (uint64_t)f->nodes[i].values[side].self);
	for (uint32_t i = 0; i < f->function_count; i++) {
		const struct flame_function *fn = &f->functions[i];

		divisor = gcd_u64(divisor, magnitude_i64(fn->totals[side]));
		divisor = gcd_u64(divisor, magnitude_i64(flame_measured(
						   w, fn)[side]));
	}
	return divisor ? divisor : 1;
}

/* ---- functions ---- */

static int compare_names(const void *left, const void *right, void *data)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct flame_function *functions = data;
	int order = str_compare(functions[a].name, functions[b].name);

	return order ? order : compare_u64(a, b);
}

static int compare_files(const void *left, const void *right, void *data)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct flame_function *functions = data;
	int order = str_compare(functions[a].file, functions[b].file);

	return order ? order : compare_u64(a, b);
}

static bool functions_init(struct data *d)
{
	const struct flame *f = d->f;
	size_t size = f->function_count * sizeof(uint32_t);

	d->functions = mem_alloc(size);
	d->places = mem_alloc(size);
	d->files = mem_alloc(size);
	d->is_caller = mem_calloc(d->words.scale.result->function_count + 1,
				  sizeof *d->is_caller);
	if (!d->functions || !d->places || !d->files || !d->is_caller)
		return false;
	for (uint32_t i = 0; i < f->function_count; i++)
		d->places[i] = FLAME_NONE;
	for (uint32_t i = 0; i < f->node_count; i = next_kept(d, i)) {
		uint32_t function = f->nodes[i].function;

		if (d->places[function] == FLAME_NONE)
			d->functions[d->count++] = function;
		d->places[function] = 0;
	}
	return true;
}

static void text_clear(struct data *d, struct buf *text)
{
	d->has_failed |= text->state != BUF_OK;
	buf_clear(text);
}

/* Appends the text as displayed, without the prefix shared with the previous
 * one, whose length goes to a column. Only ASCII characters are shared, which
 * are one unit in strings of any language. */
static void put_text(struct data *d, enum column shared, struct str text)
{
	struct buf swap;
	struct str shown, before;
	size_t same = 0;

	text_clear(d, &d->shown);
	escape_terminal_buf(&d->shown, text);
	shown = buf_str(&d->shown);
	before = buf_str(&d->before);
	while (same < shown.len && same < before.len &&
	       shown.ptr[same] == before.ptr[same] && shown.ptr[same] >= ' ' &&
	       shown.ptr[same] <= '~')
		same++;
	column_put(d, shared, same);
	jsonw_str(&d->json, str_slice(shown, same, shown.len));
	swap = d->before;
	d->before = d->shown;
	d->shown = swap;
}

/* Each file once, sorted by name. */
static void write_files(struct data *d)
{
	struct str last = STR("");
	uint32_t count = 0;

	system_sort(d->functions, d->count, sizeof *d->functions, compare_files,
		    d->f->functions);
	text_clear(d, &d->before);
	jsonw_addf(&d->json, "files:[");
	for (uint32_t i = 0; i < d->count; i++) {
		struct str file = d->f->functions[d->functions[i]].file;

		if (file.len && !str_equal(file, last)) {
			put_text(d, COLUMN_FILE_SHARED,
				 source_path_shorten(file, d->f->source_root));
			last = file;
			count++;
		}
		d->files[d->functions[i]] = file.len ? count : 0;
	}
	jsonw_array_end(&d->json);
}

static void write_functions(struct data *d)
{
	const struct flame_function *functions = d->f->functions;
	uint32_t file, before = 0;

	system_sort(d->functions, d->count, sizeof *d->functions, compare_names,
		    d->f->functions);
	text_clear(d, &d->before);
	jsonw_addf(&d->json, "names:[");
	for (uint32_t i = 0; i < d->count; i++) {
		const struct flame_function *fn = &functions[d->functions[i]];
		int sides;

		d->places[d->functions[i]] = i;
		put_text(d, COLUMN_NAME_SHARED, name_shown(fn->name));
		file = d->files[d->functions[i]];
		put_i64(d, COLUMN_FILE, (int64_t)file - before);
		before = file;
		column_put(d, COLUMN_LINE, fn->line);
		column_put(d, COLUMN_KIND, fn->kind);
		column_put(d, COLUMN_LANGUAGE, fn->language);
		column_put(
			d, COLUMN_CHANGE,
			fn->change | (unsigned)fn->is_to_blame << BLAMED_SHIFT |
				(unsigned)flame_has_verdict(
					d->words.scale.result, fn, d->is_caller)
					<< VERDICT_SHIFT);
		sides = d->f->has_baseline ? FLAME_SIDES : 1;
		/* As put_i64(), since a sum with negative stacks may be
		 * negative. */
		for (int s = 0; s < sides; s++) {
			put_i64(d, COLUMN_WHOLE + (enum column)s,
				fn->totals[s] / (int64_t)d->divisor[s]);
			put_i64(d, COLUMN_MEASURED + (enum column)s,
				flame_measured(&d->words, fn)[s] /
					(int64_t)d->divisor[s]);
		}
	}
	jsonw_array_end(&d->json);
}

/* ---- frames ---- */

static void put_node(struct data *d, uint32_t node, uint32_t step)
{
	const struct flame_node *nodes = d->f->nodes, *n = &nodes[node];
	unsigned flags = step ? NODE_HAS_STEP : 0;
	uint64_t values[2 * FLAME_SIDES];

	for (int s = 0; s < FLAME_SIDES; s++) {
		int64_t left_out = 0; /* by omitted descendants */

		for (uint32_t i = node + 1; i < n->end; i = nodes[i].end)
			if (!is_kept(d, i))
				left_out = sat_add_i64(
					left_out, nodes[i].values[s].total);
		values[s] = (uint64_t)n->values[s].self / d->divisor[s];
		values[FLAME_SIDES + s] = (uint64_t)left_out / d->divisor[s];
		flags |= values[s] ? (unsigned)NODE_HAS_SELF << s : 0;
		flags |= values[FLAME_SIDES + s]
				 ? (unsigned)NODE_HAS_LEFT_OUT << s
				 : 0;
	}
	column_put(d, COLUMN_FLAGS, flags);
	if (step)
		column_put(d, COLUMN_STEP, step);
	column_put(d, COLUMN_FUNCTION, d->places[n->function]);
	for (int i = 0; i < 2 * FLAME_SIDES; i++)
		if (values[i])
			column_put(d, COLUMN_SELF + (enum column)i, values[i]);
}

static void write_nodes(struct data *d)
{
	const struct flame *f = d->f;
	uint32_t depth = 0, count = 0;

	for (uint32_t i = 0; i < f->node_count; i = next_kept(d, i)) {
		put_node(d, i, i ? depth + 1 - f->nodes[i].depth : 0);
		depth = f->nodes[i].depth;
		count++;
	}
	jsonw_addf(&d->json, "frame_count:%u, left_out:%u, min_share:%.9f",
		   count, f->node_count - count, d->min_share);
}

/* ---- metadata ---- */

static void write_head(struct data *d, const struct render_input *in)
{
	const struct flame *f = d->f;
	const struct result *r = in->result;
	struct jsonw *w = &d->json;
	struct scale scale;

	jsonw_pair_i64(w, "unit_ns", time_unit_ns(f->unit));
	jsonw_pair_bool(w, "is_bytes", str_equal(f->unit, STR("bytes")));
	jsonw_pair_bool(w, "has_baseline", f->has_baseline);
	jsonw_pair_text(w, "layout",
			in->picture.has_root_below ? "flame" : "icicle");
	jsonw_pair_bool(w, "is_reversed", f->is_reversed);
	jsonw_pair_text(w, "measure", flame_measure(&d->words));
	jsonw_pair_bool(w, "is_share", f->normalize == NORMALIZE_SHARE);
	jsonw_pair_f64(w, "baseline_scale", f->baseline_scale, -1);
	/* The unit of the table: it shows value / exposure / step, with this
	 * many decimals. */
	scale_init(&scale, r);
	jsonw_addf(w,
		   "scale:{exposure:[%g, %g], step:%g, decimals:%d, "
		   "unit:%s, per:%s}",
		   scale_exposure(r, false), scale_exposure(r, true),
		   scale.step, scale.decimals, scale.unit, scale_per(r));
	jsonw_addf(w, "whole:[");
	for (int s = 0; s < FLAME_SIDES; s++)
		jsonw_i64(w, f->whole[s]);
	jsonw_addf(w, "], sample_value:[");
	for (int s = 0; s < FLAME_SIDES; s++)
		jsonw_f64(w, f->sample_value[s], -1);
	jsonw_addf(w, "], divisor:[");
	for (int s = 0; s < FLAME_SIDES; s++)
		jsonw_i64(w, (int64_t)d->divisor[s]);
	jsonw_array_end(w);
}

static void write_color(struct jsonw *w, uint32_t color)
{
	char text[8];

	snprintf(text, sizeof text, "#%06x", (unsigned)color & 0xffffff);
	jsonw_text(w, text);
}

static void write_steps(struct jsonw *w, const char *key,
			const uint32_t colors[FLAME_STEPS])
{
	jsonw_addf(w, "%s:[", key);
	for (int i = 0; i < FLAME_STEPS; i++)
		write_color(w, colors[i]);
	jsonw_array_end(w);
}

/* A legend in the order of kinds or languages, with the kernel last. */
static void write_legend(struct jsonw *w, const char *key, enum palette palette)
{
	struct flame_meaning m;
	size_t at = 0;

	jsonw_addf(w, "%s:[", key);
	while (flame_meaning_next(palette, UINT64_MAX, &at, &m)) {
		jsonw_array(w);
		write_color(w, m.color);
		jsonw_addf(w, "%s]", m.text);
	}
	jsonw_array_end(w);
}

static void write_change_colors(struct jsonw *w)
{
	/* That the viewer can hide: runtime and libraries. */
	static const enum code_kind kinds[] = { CODE_GC_ALLOC, CODE_RUNTIME,
						CODE_KERNEL, CODE_IDLE };
	const struct flame_change_colors *c = &flame_change_colors;

	jsonw_key(w, "none");
	write_color(w, c->none);
	jsonw_key(w, "noise");
	write_color(w, c->noise);
	jsonw_key(w, "new");
	write_color(w, c->fresh);
	write_steps(w, "up", c->up);
	write_steps(w, "down", c->down);
	jsonw_addf(w, "steps:[");
	for (int i = 0; i < FLAME_STEPS; i++)
		jsonw_f64(w, c->from[i], -1);
	jsonw_addf(w, "], kernel_kind:%d, runtime_kinds:[", CODE_KERNEL);
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		jsonw_i64(w, kinds[i]);
	jsonw_addf(w, "], legends:{");
	write_legend(w, "diff", PALETTE_DIFF);
	write_legend(w, "kind", PALETTE_KIND);
	write_legend(w, "java", PALETTE_JAVA);
	jsonw_object_end(w);
}

static void write_object(struct data *d, const struct render_input *in)
{
	jsonw_object(&d->json);
	write_head(d, in);
	write_change_colors(&d->json);
	write_files(d);
	write_functions(d);
	write_nodes(d);
	for (int i = 0; i < COLUMNS; i++)
		jsonw_pair_str(&d->json, column_keys[i],
			       buf_str(&d->columns[i]));
	jsonw_object_end(&d->json);
}

/* Returns false when out of memory. */
static bool data_release(struct data *d)
{
	bool is_ok;

	text_clear(d, &d->shown);
	text_clear(d, &d->before);
	is_ok = !d->has_failed;
	for (int i = 0; i < COLUMNS; i++) {
		is_ok &= d->columns[i].state == BUF_OK;
		buf_release(&d->columns[i]);
	}
	buf_release(&d->shown);
	buf_release(&d->before);
	mem_free(d->functions);
	mem_free(d->places);
	mem_free(d->files);
	mem_free(d->is_caller);
	return is_ok;
}

static bool write_json(const struct render_input *in, struct out *out)
{
	const struct render_style style = {
		.limit = in->style.limit,
		.has_callers = in->style.has_callers,
	};
	struct data d = { .f = in->flame };
	struct page p;
	bool is_done;

	flame_words_init(&d.words, in->flame, in->result);
	page_begin(&p, &style, out);
	jsonw_init(&d.json, out, 0);
	for (int i = 0; i < COLUMNS; i++)
		buf_init(&d.columns[i], LIMIT_PAGE_TEXT_BYTES);
	buf_init(&d.shown, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&d.before, LIMIT_PAGE_TEXT_BYTES);
	set_min_share(&d, &in->picture);
	for (int s = 0; s < FLAME_SIDES; s++)
		d.divisor[s] = divisor_of(&d.words, s);
	is_done = functions_init(&d);
	if (is_done) {
		table_callers(&p, in->result, d.is_caller);
		write_object(&d, in);
	}
	page_end(&p);
	return data_release(&d) && is_done;
}

/* ---- compression ---- */

/* Smaller data is not compressed, so that small pages are readable. */
#define PACKED_BYTES (64 * KIB)

static bool write_packed(struct str json, struct out *out)
{
	struct error err;
	struct buf packed;
	char *text = NULL;
	bool is_done;

	buf_init(&packed, LIMIT_PAGE_TEXT_BYTES);
	is_done = gz_deflate(json, &packed, &err);
	if (is_done)
		text = mem_alloc(4 * ((packed.len + 2) / 3) + 1);
	if (text) {
		base64_encode((const unsigned char *)packed.data, packed.len,
			      text);
		out_text(out, text);
	}
	mem_free(text);
	buf_release(&packed);
	return is_done && text;
}

/* Writes the element that html_flame.js reads: JSON, when large as base64 of
 * gzip. Returns false when out of memory. */
static bool html_flame_data(const struct render_input *in, struct out *out)
{
	struct buf json;
	struct out memory;
	bool is_done, is_packed;

	buf_init(&json, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&memory, &json);
	is_done = write_json(in, &memory) && json.state == BUF_OK;
	is_packed = is_done && json.len > PACKED_BYTES;
	outf(out, "<script type=\"%s\" id=\"flame-data\">",
	     is_packed ? "application/gzip" : "application/json");
	if (is_packed)
		is_done = write_packed(buf_str(&json), out);
	else if (is_done)
		out_str(out, buf_str(&json));
	out_text(out, "</script>\n");
	buf_release(&json);
	return is_done;
}

/* ---- a single span ---- */

/* Writes its value, the number of frames shared with the previous stack, and
 * its other names. */
static void write_own_stack(struct jsonw *w, const struct stack_line *before,
			    const struct stack_line *line)
{
	uint32_t shared = 0;

	while (before && shared < before->count && shared < line->count &&
	       str_equal(before->names[shared], line->names[shared]))
		shared++;
	jsonw_array(w);
	jsonw_i64(w, line->after);
	jsonw_i64(w, shared);
	for (uint32_t i = shared; i < line->count; i++)
		jsonw_str(w, line->names[i]);
	jsonw_array_end(w);
}

/* Writes the samples of the span as stacks of names, which refer to frames of
 * the graph. A request has few; if there are too many for a page, writes
 * nothing. */
static void write_own(const struct render_input *in, struct out *out)
{
	struct buf json;
	struct out memory;
	struct jsonw w;
	char id[17];

	if (!in->own_stacks || !in->trace)
		return;
	span_id_format(in->trace->spans[in->own_span].span_id, id);
	buf_init(&json, PACKED_BYTES);
	out_init_memory(&memory, &json);
	jsonw_init(&w, &memory, 0);
	jsonw_object(&w);
	jsonw_pair_text(&w, "span", id);
	jsonw_key(&w, "stacks");
	jsonw_array(&w);
	for (size_t i = 0; i < in->own_stack_count; i++)
		write_own_stack(&w, i ? &in->own_stacks[i - 1] : NULL,
				&in->own_stacks[i]);
	jsonw_array_end(&w);
	jsonw_object_end(&w);
	if (json.state == BUF_OK) {
		out_text(out, "<script type=\"application/json\" "
			      "id=\"flame-own\">");
		out_str(out, buf_str(&json));
		out_text(out, "</script>\n");
	}
	buf_release(&json);
}

/* Maximum frames of the hottest path; deeper ones are a click away. */
#define PATH_FRAMES 40

/* Names used by --palette and the script. */
static const char *const palette_values[] = {
	[PALETTE_AUTO] = "auto", [PALETTE_HOT] = "hot",
	[PALETTE_JAVA] = "java", [PALETTE_KIND] = "kind",
	[PALETTE_DIFF] = "diff",
};

/* ---- description ---- */

static void flush_paragraph(struct page *p)
{
	if (!p->line.len)
		return;
	out_text(p->out, "<p class=\"flame-how\">");
	page_flush(p, PAINT_NONE, "", 0);
	out_text(p->out, "</p>\n");
}

static void write_paragraph(struct page *p, const struct render_input *in,
			    enum flame_head_part part)
{
	flame_head_write(p, part, in->flame, in->result);
	flush_paragraph(p);
}

/* Legends of all palettes; the script shows the selected one. */
static void write_colors(struct page *p, const struct render_input *in)
{
	static const enum palette palettes[] = { PALETTE_DIFF, PALETTE_KIND,
						 PALETTE_JAVA, PALETTE_HOT };
	enum palette shown = flame_palette(in->flame, in->picture.palette);

	for (size_t i = 0; i < COUNT_OF(palettes); i++) {
		enum palette palette = palettes[i];

		if (flame_palette(in->flame, palette) != palette)
			continue;
		outf(p->out, "<p class=\"flame-how\" data-palette=\"%s\"%s>",
		     palette_values[palette],
		     palette == shown ? "" : " hidden");
		flame_head_colors(p, in->flame, palette);
		page_flush(p, PAINT_NONE, "", 0);
		out_text(p->out, "</p>\n");
	}
	outf(p->out,
	     "<p class=\"flame-how\" data-palette=\"package\" hidden>colour "
	     "by package%s</p>\n",
	     flame_has_blamed(in->flame) ? "; outlined: the function to blame"
					 : "");
}

static void write_words(const struct render_input *in, struct out *out)
{
	const struct render_style style = { .use_unicode = true,
					    .is_html = true };
	struct page p;

	page_begin(&p, &style, out);
	/* Description of the static picture; the script replaces it. */
	out_text(p.out, "<p class=\"flame-how\" id=\"flame-caption\">");
	page_textf(&p, "%s; frame width: ",
		   in->flame->is_reversed ? "callees first" : "callers first");
	page_text(&p, in->flame->has_baseline
			      ? "the larger side of its stacks, baseline or "
				"comparison; hatched: gone in the comparison"
			      : "the value of its stacks");
	page_flush(&p, PAINT_NONE, "", 0);
	out_text(p.out, "</p>\n");
	flame_head_compared(&p, in->flame);
	flush_paragraph(&p);
	write_colors(&p, in);
	write_paragraph(&p, in, FLAME_HEAD_NEGATIVE);
	write_paragraph(&p, in, FLAME_HEAD_CUT);
	page_end(&p);
}

/* ---- controls for the script ---- */

static void palette_option(struct out *out, enum palette palette,
			   enum palette shown)
{
	outf(out, "<option value=\"%s\"%s>%s</option>", palette_values[palette],
	     palette == shown ? " selected" : "", flame_palette_words(palette));
}

static void write_controls(const struct render_input *in, struct out *out)
{
	enum palette palette;

	out_text(out, "<div class=\"flame-tools\" id=\"flame-tools\">\n"
		      "<div class=\"flame-search\"><label>Search <input "
		      "id=\"flame-find\" type=\"search\" maxlength=\"200\" "
		      "placeholder=\"regular expression\" autocomplete=\"off\" "
		      "spellcheck=\"false\"></label>\n"
		      "<output id=\"flame-matched\" for=\"flame-find\">"
		      "</output></div>\n");
	palette = flame_palette(in->flame, in->picture.palette);
	out_text(out, "<label>Colour <select id=\"flame-palette\">");
	if (in->flame->has_baseline)
		palette_option(out, PALETTE_DIFF, palette);
	palette_option(out, PALETTE_KIND, palette);
	palette_option(out, PALETTE_JAVA, palette);
	palette_option(out, PALETTE_HOT, palette);
	out_text(out, "</select></label>\n");
	out_text(out,
		 "</div>\n"
		 "<div class=\"flame-view\" id=\"flame-view\">"
		 "<canvas id=\"flame-canvas\" tabindex=\"0\" "
		 "role=\"application\" aria-label=\"flame graph\" "
		 "aria-describedby=\"flame-keys\"></canvas>"
		 "<div id=\"flame-tip\" hidden></div></div>\n"
		 "<p id=\"flame-live\" aria-live=\"polite\"></p>\n"
		 "<ul class=\"flame-legend\" id=\"flame-legend\"></ul>\n"
		 "<p class=\"flame-keys\" id=\"flame-keys\">Click or "
		 "<kbd>Enter</kbd> zooms, <kbd>Esc</kbd> goes back, arrow keys "
		 "move, <kbd>s</kbd> shows callers and callees, <kbd>/</kbd> "
		 "searches. <span id=\"flame-rest\"></span></p>\n"
		 "<figure class=\"flame-print\" id=\"flame-print\">"
		 "</figure>\n");
}

/* ---- the hottest path ---- */

static uint32_t hottest_child(const struct flame *f, uint32_t node)
{
	uint32_t best = FLAME_NONE;
	int64_t most = 0;

	for (uint32_t i = node + 1; i < f->nodes[node].end;
	     i = f->nodes[i].end) {
		int64_t value = f->nodes[i].values[FLAME_SLOW].total;

		if (value > most) {
			most = value;
			best = i;
		}
	}
	return best;
}

static void write_path(const struct render_input *in, struct out *out)
{
	const struct flame *f = in->flame;
	uint32_t node = hottest_child(f, 0);
	struct flame_words words;
	unsigned depth = 0, deeper = 0;

	if (node == FLAME_NONE)
		return;
	flame_words_init(&words, f, in->result);
	out_text(out, "<details class=\"flame-path\">\n<summary>The hottest "
		      "path as text</summary>\n");
	for (; node != FLAME_NONE && depth < PATH_FRAMES; depth++) {
		const struct flame_node *n = &f->nodes[node];

		out_text(out, "<ol><li><code>");
		escape_xml(out, name_shown(f->functions[n->function].name));
		out_text(out, "</code> ");
		flame_function_write(out, &words, n);
		out_text(out, "; ");
		flame_measure_write(out, &words, n);
		out_text(out, "; ");
		flame_path_write(out, &words, n, NULL);
		out_char(out, '\n');
		node = hottest_child(f, node);
	}
	for (; node != FLAME_NONE; node = hottest_child(f, node))
		deeper++;
	if (deeper)
		outf(out, "<p>and %u deeper</p>", deeper);
	out_repeat(out, "</li></ol>", depth);
	out_text(out, "\n</details>\n");
}

/* ---- section ---- */

bool html_has_flame(const struct render_input *in)
{
	const struct flame *f = in->flame;

	return f && (f->nodes[0].values[FLAME_SLOW].total > 0 ||
		     f->nodes[0].values[FLAME_BASELINE].total > 0);
}

void html_flame_write(const struct render_input *in, struct out *out)
{
	bool is_done;

	if (!html_has_flame(in))
		return;
	out_text(out, "<section id=\"flame\" "
		      "aria-labelledby=\"flame-title\">\n"
		      "<h2 id=\"flame-title\">Flame graph</h2>\n");
	write_words(in, out);
	write_controls(in, out);
	is_done = html_flame_picture(in, out);
	write_path(in, out);
	is_done &= html_flame_data(in, out);
	write_own(in, out);
	if (!is_done)
		out_fail_memory(out);
	out_text(out, "</section>\n");
}
