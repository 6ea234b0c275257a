/* SPDX-License-Identifier: Apache-2.0 */
#include "render/svg.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/escape.h"
#include "base/out.h"
#include "render/flame.h"
#include "render/input.h"
#include "render/page.h"

#define LETTERS_MIN 3
#define SWATCH_PX 12

/* Independent of the output's destination. */
static const struct render_style page_style = { .use_unicode = true };

#define SVG_WIDTH_PX 1200

void svg_begin(struct svg *s, const struct render_input *in, struct out *out)
{
	unsigned width_px = in->picture.width_px;

	memset(s, 0, sizeof *s);
	s->out = out;
	s->in = in;
	s->is_fluid = !width_px;
	s->width = (int64_t)(width_px ? width_px : SVG_WIDTH_PX) * SVG_PX;
	buf_init(&s->text, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&s->shown, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&s->cut, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&s->title, LIMIT_PAGE_TEXT_BYTES);
	for (size_t i = 0; i < SVG_PARAGRAPHS; i++)
		buf_init(&s->paragraphs[i], LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&s->memory, &s->text);
	page_begin(&s->page, &page_style, &s->memory);
}

void svg_clear(struct svg *s, struct buf *text)
{
	s->has_failed |= text->state != BUF_OK;
	buf_clear(text);
}

void svg_end(struct svg *s)
{
	page_end(&s->page);
	svg_clear(s, &s->text);
	svg_clear(s, &s->shown);
	svg_clear(s, &s->cut);
	svg_clear(s, &s->title);
	for (size_t i = 0; i < SVG_PARAGRAPHS; i++) {
		svg_clear(s, &s->paragraphs[i]);
		buf_release(&s->paragraphs[i]);
	}
	if (s->has_failed)
		out_fail_memory(s->out);
	out_release(&s->memory);
	buf_release(&s->text);
	buf_release(&s->shown);
	buf_release(&s->cut);
	buf_release(&s->title);
}

/* ---- numbers and text ---- */

void svg_number(struct out *out, int64_t value)
{
	int64_t size = value < 0 ? -value : value;

	if (value < 0)
		out_char(out, '-');
	out_int(out, size / 100);
	out_char(out, '.');
	out_char(out, (char)('0' + size / 10 % 10));
	out_char(out, (char)('0' + size % 10));
}

void svg_color(struct out *out, uint32_t color)
{
	static const char digits[] = "0123456789abcdef";
	char text[] = "#rrggbb";

	for (int i = 6; i > 0; i--, color >>= 4)
		text[i] = digits[color & 15];
	out_text(out, text);
}

void svg_attr(struct out *out, const char *name, int64_t value)
{
	out_char(out, ' ');
	out_text(out, name);
	out_text(out, "=\"");
	svg_number(out, value);
	out_char(out, '"');
}

void svg_text(struct svg *s, int64_t x, int64_t y, const char *class,
	      struct str text)
{
	out_text(s->out, "<text");
	if (class)
		outf(s->out, " class=\"%s\"", class);
	svg_attr(s->out, "x", x);
	svg_attr(s->out, "y", y);
	out_char(s->out, '>');
	escape_xml(s->out, text);
	out_text(s->out, "</text>\n");
}

static struct str cut_shown(struct svg *s, struct str text, size_t letters)
{
	struct cut cut = text_cut(text, letters, 1);

	if (!cut.is_cut)
		return text;
	svg_clear(s, &s->cut);
	buf_add_str(&s->cut, cut.head);
	buf_add_text(&s->cut, "…");
	buf_add_str(&s->cut, cut.tail);
	return buf_str(&s->cut);
}

struct str svg_fit(struct svg *s, struct str name, int64_t width)
{
	size_t letters = width > 0 ? (size_t)(width / SVG_LETTER_CPX) : 0;
	struct str text;

	svg_clear(s, &s->shown);
	if (letters < LETTERS_MIN)
		return STR("");
	escape_terminal_buf(&s->shown, name);
	text = buf_str(&s->shown);
	if (text_width(text) > letters)
		text = name_fit(text, letters);
	if (letters < NAME_LETTERS_MIN && text_width(text) > letters)
		return STR("");
	return cut_shown(s, text, letters);
}

struct str svg_cut(struct svg *s, struct str text, int64_t width)
{
	size_t letters = width > 0 ? (size_t)(width / SVG_LETTER_CPX) : 0;

	svg_clear(s, &s->shown);
	if (letters < LETTERS_MIN)
		return STR("");
	buf_add(&s->shown, text.ptr, text.len);
	return cut_shown(s, buf_str(&s->shown), letters);
}

/* ---- colours ---- */

const uint32_t svg_name_colors[SVG_NAME_COLORS] = {
	0x8ecae6, 0xf4a582, 0xb8d98a, 0xcab2e0, 0xfdd27b, 0x80cdc1,
	0xf1b6da, 0xc7b199, 0xa6bddb, 0xe6e07a, 0xf7a6a6, 0x9fd8a4,
};

size_t svg_color_place(struct str name)
{
	return fnv32_mixed(name) % SVG_NAME_COLORS;
}

/* ---- title and paragraphs ---- */

/* Without the final line feed. */
void svg_take(struct svg *s, struct buf *out)
{
	page_flush(&s->page, PAINT_NONE, "", 0);
	while (s->text.len && s->text.data[s->text.len - 1] == '\n')
		s->text.len--;
	buf_add(out, s->text.data, s->text.len);
	svg_clear(s, &s->text);
}

void svg_take_title(struct svg *s)
{
	svg_take(s, &s->title);
}

void svg_take_paragraph(struct svg *s)
{
	struct buf *next = &s->paragraphs[s->paragraph_count];

	if (s->paragraph_count == SVG_PARAGRAPHS)
		return;
	svg_take(s, next);
	s->paragraph_count += next->len > 0;
}

static size_t line_letters(const struct svg *s)
{
	int64_t room = s->width - 2 * SVG_MARGIN_PX * SVG_PX;

	return room > 20 * SVG_LETTER_CPX ? (size_t)(room / SVG_LETTER_CPX)
					  : 20;
}

/* Returns the bytes for the next line including trailing spaces: as many words
 * as fit, or a part of a word that is too long. */
static size_t next_line(struct str text, size_t letters)
{
	size_t fit = text_fit(text, letters);
	size_t at = fit;

	if (fit == text.len)
		return fit;
	while (at && text.ptr[at] != ' ')
		at--;
	if (!at)
		return fit ? fit : text.len;
	while (at < text.len && text.ptr[at] == ' ')
		at++;
	return at;
}

static size_t count_lines(const struct svg *s, const struct buf *paragraph)
{
	struct str rest = buf_str(paragraph);
	size_t lines = 0;

	while (rest.len) {
		size_t used = next_line(rest, line_letters(s));

		rest = str_slice(rest, used, rest.len);
		lines++;
	}
	return lines;
}

#define SVG_TITLE_PX 26

int64_t svg_head_height(const struct svg *s)
{
	size_t lines = 0;

	for (size_t i = 0; i < s->paragraph_count; i++)
		lines += count_lines(s, &s->paragraphs[i]);
	return (SVG_TITLE_PX + 8 + (int64_t)lines * SVG_LINE_PX) * SVG_PX;
}

/* The script reflows the lines to the window. */
static int64_t write_paragraph(struct svg *s, struct str rest, int64_t y)
{
	out_text(s->out, "<text class=\"p\">");
	while (rest.len) {
		size_t used = next_line(rest, line_letters(s));

		out_text(s->out, "<tspan");
		svg_attr(s->out, "x", SVG_MARGIN_PX * SVG_PX);
		svg_attr(s->out, "y", y);
		out_char(s->out, '>');
		escape_xml(s->out, str_slice(rest, 0, used));
		out_text(s->out, "</tspan>");
		rest = str_slice(rest, used, rest.len);
		y += SVG_LINE_PX * SVG_PX;
	}
	out_text(s->out, "</text>\n");
	return y;
}

static void write_head(struct svg *s)
{
	int64_t y = (SVG_TITLE_PX + 6) * SVG_PX;
	/* The title's letters are a quarter wider. */
	struct str title =
		svg_cut(s, buf_str(&s->title),
			(s->width - 2 * SVG_MARGIN_PX * SVG_PX) * 3 / 4);

	svg_text(s, SVG_MARGIN_PX * SVG_PX, (SVG_TITLE_PX - 6) * SVG_PX, "h",
		 title);
	y += 8 * SVG_PX;
	for (size_t i = 0; i < s->paragraph_count; i++)
		y = write_paragraph(s, buf_str(&s->paragraphs[i]), y);
}

/* Textures for removed frames, new ones, and several drawn as one. */
static const char textures[] =
	"<pattern id=\"gone\" width=\"6\" height=\"6\" "
	"patternUnits=\"userSpaceOnUse\"><path "
	"d=\"M0 6L6 0M-1 1L1 -1M5 7L7 5\"/></pattern>\n"
	"<pattern id=\"new\" width=\"4\" height=\"4\" "
	"patternUnits=\"userSpaceOnUse\"><path d=\"M1 1h1M3 3h1\"/></pattern>\n"
	"<pattern id=\"many\" width=\"3\" height=\"3\" "
	"patternUnits=\"userSpaceOnUse\"><path d=\"M.5 0V3\"/></pattern>\n";

void svg_open(struct svg *s, const char *kind, int64_t height)
{
	struct out *out = s->out;

	out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	outf(out, " version=\"1.1\" id=\"tracefind\" class=\"%s%s\"", kind,
	     s->is_fluid ? " fluid" : "");
	svg_attr(out, "width", s->width);
	svg_attr(out, "height", height);
	out_text(out, " viewBox=\"0 0 ");
	svg_number(out, s->width);
	out_char(out, ' ');
	svg_number(out, height);
	out_text(out, "\">\n<title>");
	escape_xml(out, buf_str(&s->title));
	out_text(out, "</title>\n<style>");
	out_text(out, svg_style);
	out_text(out, "</style>\n");
	out_text(out, textures);
	out_text(out, "<rect id=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	write_head(s);
	out_text(out, "<g id=\"body\">\n");
}

void svg_close(struct svg *s)
{
	out_text(s->out, "</g>\n<script><![CDATA[\n");
	out_text(s->out, svg_script);
	out_text(s->out, "]]></script>\n</svg>\n");
}

void svg_info(struct svg *s, int64_t y)
{
	out_text(s->out, "<text id=\"info\" data-y=\"");
	svg_number(s->out, y);
	out_text(s->out, "\"></text>\n");
}

void svg_legend(struct svg *s, int64_t *x, int64_t *y, uint32_t color,
		struct str meaning)
{
	int64_t width = (SWATCH_PX + 18) * SVG_PX +
			(int64_t)text_width(meaning) * SVG_LETTER_CPX;
	int64_t margin = SVG_MARGIN_PX * SVG_PX;

	if (*x > margin && *x + width > s->width - margin) {
		*x = margin;
		*y += SVG_LINE_PX * SVG_PX;
	}
	out_text(s->out, "<rect class=\"legend\"");
	svg_attr(s->out, "x", *x);
	svg_attr(s->out, "y", *y - (SWATCH_PX - 2) * SVG_PX);
	outf(s->out, " width=\"%d\" height=\"%d\" fill=\"", SWATCH_PX,
	     SWATCH_PX);
	svg_color(s->out, color);
	out_text(s->out, "\" stroke=\"#888\"/>");
	svg_text(s, *x + (SWATCH_PX + 6) * SVG_PX, *y, "l", meaning);
	*x += width;
}

/* Dark mode colors, as CSS rules, since the background of a picture depends on
 * where it is displayed. */

#define INK_DARK 0x111111u
#define INK_LIGHT 0xf4f4f4u

static unsigned color_channel(uint32_t rgb, int i)
{
	return rgb >> (16 - 8 * i) & 0xff;
}

/* Removes the white in a color: grey gets close to the background, hues stay
 * distinguishable. */
static uint32_t dark_tone(uint32_t rgb)
{
	double least = fmin(color_channel(rgb, 0),
			    fmin(color_channel(rgb, 1), color_channel(rgb, 2)));
	uint32_t tone = 0;

	for (int i = 0; i < 3; i++)
		tone = tone << 8 | (uint32_t)lround(color_channel(rgb, i) -
						    0.8 * least + 14);
	return tone;
}

/* Relative luminance as in WCAG 2. */
static double color_luminance(uint32_t rgb)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double part = color_channel(rgb, i) / 255.0;

		sum += weights[i] *
		       (part <= 0.04045 ? part / 12.92
					: pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

void svg_dark_begin(struct svg *s)
{
	out_text(s->out, "<style>@media screen and "
			 "(prefers-color-scheme:dark){\n");
}

void svg_dark_fill(struct svg *s, uint32_t rgb)
{
	uint32_t tone = dark_tone(rgb);

	out_text(s->out, "[fill=\"");
	svg_color(s->out, rgb);
	out_text(s->out, "\"]{fill:");
	svg_color(s->out, tone);
	/* Color of text on it, where black and white have equal contrast. */
	out_text(s->out, "}:where(.f:not(.s)>[fill=\"");
	svg_color(s->out, rgb);
	out_text(s->out, "\"])~text,:where([fill=\"");
	svg_color(s->out, rgb);
	out_text(s->out, "\"])~.i{fill:");
	svg_color(s->out, color_luminance(tone) > 0.179 ? INK_DARK : INK_LIGHT);
	out_text(s->out, "}\n");
}

void svg_dark_end(struct svg *s)
{
	out_text(s->out, "}</style>\n");
}

void svg_flame_dark(struct svg *s, enum palette palette, uint64_t categories)
{
	const struct flame_change_colors *c = &flame_change_colors;
	struct flame_meaning m;
	size_t at = 0;

	svg_dark_begin(s);
	/* Also for the root, in every palette. */
	svg_dark_fill(s, c->none);
	if (palette == PALETTE_DIFF) {
		svg_dark_fill(s, c->noise);
		for (int i = 0; i < FLAME_STEPS; i++) {
			svg_dark_fill(s, c->up[i]);
			svg_dark_fill(s, c->down[i]);
		}
	} else {
		while (flame_meaning_next(palette, categories, &at, &m))
			if (m.color != c->none)
				svg_dark_fill(s, m.color);
	}
	svg_dark_end(s);
}
