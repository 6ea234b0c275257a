/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the table format that look different in Markdown: tables with bars,
 * code blocks. Everything else is paragraphs (page.c).
 */
#include "render/page.h"

#include <inttypes.h>

#include "base/escape.h"
#include "model/source_path.h"

struct render_style render_style_markdown(const struct render_style *style)
{
	return (struct render_style){
		.use_unicode = true,
		.limit = style->limit,
		.is_quiet = style->is_quiet,
		.is_markdown = true,
	};
}

/* ---- code blocks ---- */

/* At least three backticks, and more than any run in the text. */
static void write_fence(struct out *out, size_t backticks)
{
	out_repeat(out, "`", backticks < 3 ? 3 : backticks + 1);
	out_char(out, '\n');
}

void markdown_text(struct page *p, const struct render_input *in,
		   void (*render)(struct page *p,
				  const struct render_input *in))
{
	struct render_style style = p->style;
	struct out out;
	struct page text;
	struct buf block;
	size_t backticks;

	buf_init(&block, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&out, &block);
	style.is_markdown = false;
	page_begin(&text, &style, &out);
	text.source_root = p->source_root;
	render(&text, in);
	page_end(&text);
	backticks = text_backticks(buf_str(&block));
	write_fence(p->out, backticks);
	out_str(p->out, buf_str(&block));
	write_fence(p->out, backticks);
	if (block.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&block);
}

void markdown_commands(struct page *p, const struct str *commands, size_t count)
{
	size_t backticks = 0;

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		size_t run = text_backticks(commands[i]);

		backticks = run > backticks ? run : backticks;
	}
	out_char(p->out, '\n');
	write_fence(p->out, backticks);
	for (size_t i = 0; i < count; i++) {
		escape_terminal(p->out, commands[i]);
		out_char(p->out, '\n');
	}
	write_fence(p->out, backticks);
}

void markdown_next(struct page *p, struct str command, bool is_first)
{
	if (p->style.is_markdown) {
		markdown_commands(p, &command, 1);
		return;
	}
	page_next(p, command, is_first);
	out_char(p->out, '\n');
}

void markdown_next_line(struct page *p, struct buf *line, bool is_first)
{
	if (line->len && line->state == BUF_OK)
		markdown_next(p, buf_str(line), is_first);
	buf_release(line);
}

/* ---- tables ---- */

void markdown_or_title(struct page *p)
{
	page_flush(p, PAINT_NONE, p->style.is_markdown ? "" : "  ",
		   p->style.is_markdown ? 0 : 2);
}

void markdown_head(struct page *p, const char *const *names, size_t count,
		   size_t number_count)
{
	for (size_t i = 0; i < count; i++)
		outf(p->out, "| %s ", names[i]);
	out_text(p->out, "|\n");
	for (size_t i = 0; i < count; i++)
		out_text(p->out, i < number_count ? "| ---: " : "| --- ");
	out_text(p->out, "|\n");
}

void markdown_cell(struct page *p, const char *text)
{
	outf(p->out, "| %s ", text);
}

void markdown_or_field(struct page *p, enum paint paint, size_t columns,
		       const char *text)
{
	if (p->style.is_markdown)
		markdown_cell(p, text);
	else
		page_field(p, paint, ALIGN_RIGHT, columns, text);
}

void markdown_name_cell(struct page *p, struct str foreign)
{
	out_text(p->out, "| ");
	escape_markdown_code(p->out, foreign, true);
	out_text(p->out, foreign.len ? " " : "");
}

void markdown_place_cell(struct page *p, struct str file, uint32_t line)
{
	struct buf place;

	buf_init(&place, LIMIT_PAGE_TEXT_BYTES);
	if (file.len) {
		buf_add_str(&place, source_path_shorten(file, p->source_root));
		if (line)
			buf_addf(&place, ":%" PRIu32, line);
	}
	markdown_name_cell(p, buf_str(&place));
	if (place.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&place);
}

void markdown_link_cell(struct page *p, const char *word, struct str foreign)
{
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	buf_add_text(&text, word);
	buf_add_str(&text, foreign);
	markdown_name_cell(p, buf_str(&text));
	if (text.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&text);
}

void markdown_pair_cell(struct page *p, struct str first, struct str second)
{
	struct buf pair;

	buf_init(&pair, LIMIT_PAGE_TEXT_BYTES);
	buf_add_str(&pair, first);
	if (first.len && second.len)
		buf_add_char(&pair, ' ');
	buf_add_str(&pair, second);
	markdown_name_cell(p, buf_str(&pair));
	if (pair.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&pair);
}

void markdown_row_end(struct page *p)
{
	out_text(p->out, "|\n");
}
