/* SPDX-License-Identifier: Apache-2.0
 *
 * What the script of a page draws a flame graph from, kept small: functions in
 * the order of their names, each without what it shares with the one before;
 * numbers in little-endian digits of 32, one letter each, those of a column
 * together, which then pack well. A frame is told by how it follows the one
 * before, and by its own values: sums are left to the reader.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/escape.h"
#include "base/gz.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/system.h"
#include "model/source_path.h"
#include "render/flame_colors.h"
#include "render/html_flame.h"
#include "render/page.h"
#include "render/scale.h"

/* Digits 32 to 63 say that another one follows. */
static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz-_";
#define DIGIT_BITS 5
#define DIGIT_MORE 32u

/* What is there of a frame, as bits of its first digit. */
enum node_flags {
	NODE_HAS_STEP = 1 << 0,     /* callers to go back, not the one before */
	NODE_HAS_SELF = 1 << 1,     /* and << 1 for the baseline */
	NODE_HAS_LEFT_OUT = 1 << 3, /* and << 1: of frames beneath */
};
/* Above the change in a function's digit. */
#define RANKED_SHIFT 3

enum column {
	COLUMN_FILE_SHARED = 0,
	COLUMN_NAME_SHARED,
	COLUMN_FILE, /* from 1; less that of the function before, see put_i64()
		      */
	COLUMN_LINE,
	COLUMN_KIND,
	COLUMN_LANGUAGE,
	COLUMN_CHANGE,
	COLUMN_WHOLE, /* of a function, as many as there are sides */
	COLUMN_MEASURED =
		COLUMN_WHOLE + FLAME_SIDES, /* as html_flame_measured() */
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
	uint32_t *functions; /* used ones, by name */
	uint32_t *places;    /* of a function among them */
	uint32_t *files;     /* of a function, 0 for none */
	uint32_t count;
	struct buf columns[COLUMNS];
	struct buf shown;  /* a text as it is displayed */
	struct buf before; /* the one before it */
	bool has_failed;   /* one of these, cleared since */
};

static void put(struct data *d, enum column column, uint64_t value)
{
	struct buf *out = &d->columns[column];

	while (value >= DIGIT_MORE) {
		buf_add_char(out, digits[value % DIGIT_MORE + DIGIT_MORE]);
		value >>= DIGIT_BITS;
	}
	buf_add_char(out, digits[value]);
}

/* Negative ones are odd. */
static void put_i64(struct data *d, enum column column, int64_t value)
{
	put(d, column,
	    value < 0 ? 2 * (uint64_t)-value - 1 : 2 * (uint64_t)value);
}

/* ---- what is kept ---- */

/* Of its side's whole picture, on the side where that is more. Never more
 * than that of its caller. */
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

/* The next one that is kept: all beneath a narrow one is narrower. */
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

/* Halvings until the bound is known to a 2^-30 of the whole width. */
#define HALVINGS 30

/* At least what the user wants, and so much that no more are left than a
 * browser takes at once. */
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

/* Those of functions hold what is not drawn, too: stacks of negative values. */
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
		divisor = gcd_u64(divisor, magnitude_i64(html_flame_measured(
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
	if (!d->functions || !d->places || !d->files)
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

static void clear(struct data *d, struct buf *text)
{
	d->has_failed |= text->state != BUF_OK;
	buf_clear(text);
}

/* The text as it is displayed, without what it shares with the one before; how
 * much that is goes to a column. Only of letters that are one unit of a string
 * in any program. */
static void put_text(struct data *d, enum column shared, struct str text)
{
	struct buf swap;
	struct str shown, before;
	size_t same = 0;

	clear(d, &d->shown);
	escape_terminal_buf(&d->shown, text);
	shown = buf_str(&d->shown);
	before = buf_str(&d->before);
	while (same < shown.len && same < before.len &&
	       shown.ptr[same] == before.ptr[same] && shown.ptr[same] >= ' ' &&
	       shown.ptr[same] <= '~')
		same++;
	put(d, shared, same);
	jsonw_str(&d->json, str_slice(shown, same, shown.len));
	swap = d->before;
	d->before = d->shown;
	d->shown = swap;
}

/* Each file once, in the order of their names. */
static void write_files(struct data *d)
{
	struct str last = STR("");
	uint32_t count = 0;

	system_sort(d->functions, d->count, sizeof *d->functions, compare_files,
		    d->f->functions);
	clear(d, &d->before);
	jsonw_key(&d->json, "files");
	jsonw_array(&d->json);
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

/* In the digits of put_i64(): a sum with negative stacks may be one. */
static void put_totals(struct data *d, const struct flame_function *fn)
{
	int sides = d->f->has_baseline ? FLAME_SIDES : 1;

	for (int s = 0; s < sides; s++) {
		put_i64(d, COLUMN_WHOLE + (enum column)s,
			fn->totals[s] / (int64_t)d->divisor[s]);
		put_i64(d, COLUMN_MEASURED + (enum column)s,
			html_flame_measured(&d->words, fn)[s] /
				(int64_t)d->divisor[s]);
	}
}

static void write_functions(struct data *d)
{
	const struct flame_function *functions = d->f->functions;
	uint32_t file, before = 0;

	system_sort(d->functions, d->count, sizeof *d->functions, compare_names,
		    d->f->functions);
	clear(d, &d->before);
	jsonw_key(&d->json, "names");
	jsonw_array(&d->json);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct flame_function *fn = &functions[d->functions[i]];

		d->places[d->functions[i]] = i;
		put_text(d, COLUMN_NAME_SHARED, name_shown(fn->name));
		file = d->files[d->functions[i]];
		put_i64(d, COLUMN_FILE, (int64_t)file - before);
		before = file;
		put(d, COLUMN_LINE, fn->line);
		put(d, COLUMN_KIND, fn->kind);
		put(d, COLUMN_LANGUAGE, fn->language);
		put(d, COLUMN_CHANGE,
		    fn->change | (unsigned)fn->is_to_blame << RANKED_SHIFT);
		put_totals(d, fn);
	}
	jsonw_array_end(&d->json);
}

/* ---- frames ---- */

/* Of frames beneath that are left out. */
static uint64_t left_out(const struct data *d, uint32_t node, int side)
{
	const struct flame *f = d->f;
	int64_t sum = 0;

	for (uint32_t i = node + 1; i < f->nodes[node].end; i = f->nodes[i].end)
		if (!is_kept(d, i))
			sum = sat_add_i64(sum, f->nodes[i].values[side].total);
	return (uint64_t)sum / d->divisor[side];
}

static void put_node(struct data *d, uint32_t node, uint32_t step)
{
	const struct flame_node *n = &d->f->nodes[node];
	unsigned flags = step ? NODE_HAS_STEP : 0;
	uint64_t values[2 * FLAME_SIDES];

	for (int s = 0; s < FLAME_SIDES; s++) {
		values[s] = (uint64_t)n->values[s].self / d->divisor[s];
		values[FLAME_SIDES + s] = left_out(d, node, s);
		flags |= values[s] ? (unsigned)NODE_HAS_SELF << s : 0;
		flags |= values[FLAME_SIDES + s]
				 ? (unsigned)NODE_HAS_LEFT_OUT << s
				 : 0;
	}
	put(d, COLUMN_FLAGS, flags);
	if (step)
		put(d, COLUMN_STEP, step);
	put(d, COLUMN_FUNCTION, d->places[n->function]);
	for (int i = 0; i < 2 * FLAME_SIDES; i++)
		if (values[i])
			put(d, COLUMN_SELF + (enum column)i, values[i]);
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
	jsonw_pair_i64(&d->json, "frame_count", count);
	jsonw_pair_i64(&d->json, "left_out", f->node_count - count);
	jsonw_pair_f64(&d->json, "min_share", d->min_share, 9);
}

/* ---- the rest ---- */

/* The unit of the table: a value by its exposure by the step is what it shows,
 * with the decimals behind the point. */
static void write_scale(struct jsonw *w, const struct result *r)
{
	struct scale s;

	scale_init(&s, r);
	jsonw_key(w, "scale");
	jsonw_object(w);
	jsonw_key(w, "exposure");
	jsonw_array(w);
	jsonw_f64(w, scale_exposure(r, false), -1);
	jsonw_f64(w, scale_exposure(r, true), -1);
	jsonw_array_end(w);
	jsonw_pair_f64(w, "step", s.step, -1);
	jsonw_pair_i64(w, "decimals", s.decimals);
	jsonw_pair_text(w, "unit", s.unit);
	jsonw_pair_text(w, "per", scale_per(r));
	jsonw_object_end(w);
}

static void write_head(struct data *d, const struct render_input *in)
{
	const struct flame *f = d->f;
	struct jsonw *w = &d->json;

	jsonw_pair_i64(w, "unit_ns", time_unit_ns(f->unit));
	jsonw_pair_bool(w, "is_bytes", str_equal(f->unit, STR("bytes")));
	jsonw_pair_bool(w, "has_baseline", f->has_baseline);
	jsonw_pair_text(w, "layout",
			in->picture.has_root_below ? "flame" : "icicle");
	jsonw_pair_bool(w, "is_reversed", f->is_reversed);
	jsonw_pair_text(w, "measure", html_flame_measure(&d->words));
	jsonw_pair_bool(w, "is_share", f->normalize == NORMALIZE_SHARE);
	jsonw_pair_f64(w, "baseline_scale", f->baseline_scale, -1);
	write_scale(w, in->result);
	jsonw_key(w, "whole");
	jsonw_array(w);
	for (int s = 0; s < FLAME_SIDES; s++)
		jsonw_i64(w, f->whole[s]);
	jsonw_array_end(w);
	jsonw_key(w, "sample_value");
	jsonw_array(w);
	for (int s = 0; s < FLAME_SIDES; s++)
		jsonw_f64(w, f->sample_value[s], -1);
	jsonw_array_end(w);
	jsonw_key(w, "divisor");
	jsonw_array(w);
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
	jsonw_key(w, key);
	jsonw_array(w);
	for (int i = 0; i < FLAME_STEPS; i++)
		write_color(w, colors[i]);
	jsonw_array_end(w);
}

/* A legend in the order of kinds or languages, the kernel behind these. */
static void write_legend(struct jsonw *w, const char *key, enum palette palette)
{
	struct flame_meaning m;
	size_t at = 0;

	jsonw_key(w, key);
	jsonw_array(w);
	while (flame_meaning_next(palette, UINT64_MAX, &at, &m)) {
		jsonw_array(w);
		write_color(w, m.color);
		jsonw_text(w, m.text);
		jsonw_array_end(w);
	}
	jsonw_array_end(w);
}

/* What a viewer may hide: what runs on behalf of others' code. */
static void write_runtime_kinds(struct jsonw *w)
{
	static const enum code_kind kinds[] = { CODE_GC_ALLOC, CODE_RUNTIME,
						CODE_KERNEL, CODE_IDLE };

	jsonw_key(w, "runtime_kinds");
	jsonw_array(w);
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		jsonw_i64(w, kinds[i]);
	jsonw_array_end(w);
}

static void write_colors(struct jsonw *w)
{
	const struct flame_change_colors *c = &flame_change_colors;

	jsonw_key(w, "none");
	write_color(w, c->none);
	jsonw_key(w, "noise");
	write_color(w, c->noise);
	write_steps(w, "up", c->up);
	write_steps(w, "down", c->down);
	jsonw_key(w, "steps");
	jsonw_array(w);
	for (int i = 0; i < FLAME_STEPS; i++)
		jsonw_f64(w, c->from[i], -1);
	jsonw_array_end(w);
	jsonw_pair_i64(w, "kernel_kind", CODE_KERNEL);
	write_runtime_kinds(w);
	jsonw_key(w, "legends");
	jsonw_object(w);
	write_legend(w, "diff", PALETTE_DIFF);
	write_legend(w, "kind", PALETTE_KIND);
	write_legend(w, "java", PALETTE_JAVA);
	jsonw_object_end(w);
}

static void write_object(struct data *d, const struct render_input *in)
{
	jsonw_object(&d->json);
	write_head(d, in);
	write_colors(&d->json);
	write_files(d);
	write_functions(d);
	write_nodes(d);
	for (int i = 0; i < COLUMNS; i++)
		jsonw_pair_str(&d->json, column_keys[i],
			       buf_str(&d->columns[i]));
	jsonw_object_end(&d->json);
}

static void data_init(struct data *d, struct out *out)
{
	jsonw_init(&d->json, out, 0);
	for (int i = 0; i < COLUMNS; i++)
		buf_init(&d->columns[i], LIMIT_PAGE_TEXT_BYTES);
	buf_init(&d->shown, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&d->before, LIMIT_PAGE_TEXT_BYTES);
}

/* False when memory ran out. */
static bool data_release(struct data *d)
{
	bool is_ok;

	clear(d, &d->shown);
	clear(d, &d->before);
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
	return is_ok;
}

static bool write_json(const struct render_input *in, struct out *out)
{
	struct data d = { .f = in->flame };
	bool is_done;

	flame_words_init(&d.words, in->flame, in->result);
	data_init(&d, out);
	set_min_share(&d, &in->picture);
	for (int s = 0; s < FLAME_SIDES; s++)
		d.divisor[s] = divisor_of(&d.words, s);
	is_done = functions_init(&d);
	if (is_done)
		write_object(&d, in);
	return data_release(&d) && is_done;
}

/* ---- packed ---- */

/* Below, it is left as it is: all of a page that is small can be read. */
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

bool html_flame_data(const struct render_input *in, struct out *out)
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
