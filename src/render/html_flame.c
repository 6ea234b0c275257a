/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html_flame.h"

#include "base/count.h"
#include "base/escape.h"
#include "render/flame_colors.h"
#include "render/flame_head.h"
#include "render/page.h"

/* Of the hottest path; what is deeper is a click away. */
#define PATH_FRAMES 40

/* As --palette and the script know them. */
static const char *const palette_values[] = {
	[PALETTE_AUTO] = "auto", [PALETTE_HOT] = "hot",
	[PALETTE_JAVA] = "java", [PALETTE_KIND] = "kind",
	[PALETTE_DIFF] = "diff",
};

/* ---- what it is of ---- */

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

/* Of the picture without a script; the script says it of what it shows. */
static void write_how(struct page *p, const struct flame *f)
{
	out_text(p->out, "<p class=\"flame-how\" id=\"flame-caption\">");
	page_textf(p, "%s; a frame is as wide as ",
		   f->is_reversed ? "callees first" : "callers first");
	page_text(p, f->has_baseline
			     ? "the larger side of its stacks, before or "
			       "after; hatched: not there after"
			     : "what its stacks took");
	page_flush(p, PAINT_NONE, "", 0);
	out_text(p->out, "</p>\n");
}

/* Of the palette that is chosen, by the script, too. */
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
	write_how(&p, in->flame);
	flame_head_compared(&p, in->flame);
	flush_paragraph(&p);
	write_colors(&p, in);
	write_paragraph(&p, in, FLAME_HEAD_NEGATIVE);
	write_paragraph(&p, in, FLAME_HEAD_CUT);
	page_end(&p);
}

/* ---- what the script fills ---- */

static void palette_option(struct out *out, enum palette palette,
			   enum palette shown)
{
	outf(out, "<option value=\"%s\"%s>%s</option>", palette_values[palette],
	     palette == shown ? " selected" : "", flame_palette_words(palette));
}

static void write_palettes(const struct render_input *in, struct out *out)
{
	enum palette palette = flame_palette(in->flame, in->picture.palette);

	out_text(out, "<label>Colour <select id=\"flame-palette\">");
	if (in->flame->has_baseline)
		palette_option(out, PALETTE_DIFF, palette);
	palette_option(out, PALETTE_KIND, palette);
	palette_option(out, PALETTE_JAVA, palette);
	palette_option(out, PALETTE_HOT, palette);
	out_text(out, "</select></label>\n");
}

static void write_controls(const struct render_input *in, struct out *out)
{
	out_text(out, "<div class=\"flame-tools\" id=\"flame-tools\">\n"
		      "<div class=\"flame-search\"><label>Search <input "
		      "id=\"flame-find\" type=\"search\" maxlength=\"200\" "
		      "placeholder=\"regular expression\" autocomplete=\"off\" "
		      "spellcheck=\"false\"></label>\n"
		      "<output id=\"flame-matched\" for=\"flame-find\">"
		      "</output></div>\n");
	write_palettes(in, out);
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

static void write_step(const struct flame_words *w, struct out *out,
		       uint32_t node)
{
	const struct flame_function *fn =
		&w->f->functions[w->f->nodes[node].function];

	out_text(out, "<ol><li><code>");
	escape_xml(out, name_shown(fn->name));
	out_text(out, "</code> ");
	html_flame_says(out, w, node);
	out_char(out, '\n');
}

/* Of the path, the node included. */
static unsigned frames_below(const struct flame *f, uint32_t node)
{
	unsigned count = 0;

	for (; node != FLAME_NONE; node = hottest_child(f, node))
		count++;
	return count;
}

static void write_path(const struct render_input *in, struct out *out)
{
	const struct flame *f = in->flame;
	uint32_t node = hottest_child(f, 0);
	struct flame_words words;
	int depth = 0;

	if (node == FLAME_NONE)
		return;
	flame_words_init(&words, f, in->result);
	out_text(out, "<details class=\"flame-path\">\n<summary>The hottest "
		      "path as text</summary>\n");
	for (; node != FLAME_NONE && depth < PATH_FRAMES; depth++) {
		write_step(&words, out, node);
		node = hottest_child(f, node);
	}
	if (node != FLAME_NONE)
		outf(out, "<p>and %u deeper</p>", frames_below(f, node));
	out_repeat(out, "</li></ol>", (size_t)depth);
	out_text(out, "\n</details>\n");
}

/* ---- the whole ---- */

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
	if (!is_done)
		out_fail_memory(out);
	out_text(out, "</section>\n");
}
