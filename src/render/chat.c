/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer in six lines of Markdown, for a chat channel: the headline, the
 * best evidence, and the trace.
 */
#include "render/render.h"

#include <string.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/page.h"

/* Maximum lines of evidence; with headline and trace, six. */
#define EVIDENCE_LINES 4u

/* Chat programs show longer lines as a block. */
#define LINE_BYTES ((size_t)280)

/* Returns the length that fits, ending at a space outside of code, so that
 * foreign text is not cut out of its code span. Code ends with as many
 * backticks as it began with. */
static size_t line_fitting(struct str line)
{
	size_t end = 0, fence = 0, i = 0;

	if (line.len <= LINE_BYTES)
		return line.len;
	while (i < LINE_BYTES) {
		size_t run = 0;

		while (i + run < line.len && line.ptr[i + run] == '`')
			run++;
		if (line.ptr[i] == ' ' && !fence)
			end = i;
		if (line.ptr[i] == '\\' && !fence)
			i++; /* the escaped character, too */
		else if (run && !fence)
			fence = run;
		else if (run == fence)
			fence = 0;
		i += run ? run : 1;
	}
	return end;
}

static void write_evidence(const struct render_input *in, struct out *out)
{
	const struct render_style style = render_style_markdown(&in->style);
	size_t count = 0;
	struct out memory;
	struct page p;
	struct buf text;
	struct str rest;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&memory, &text);
	page_begin(&p, &style, &memory);
	p.source_root = in->result->source_root;
	words_find(in->result)->evidence(&p, in);
	page_end(&p);
	out_release(&memory);
	for (rest = buf_str(&text); rest.len && count < EVIDENCE_LINES;) {
		size_t end = str_until(rest, 0, '\n');
		struct str line = str_slice(rest, 0, end);
		bool is_last = str_starts(line, STR("- **confidence**"));

		rest = str_slice(rest, end + 1, rest.len);
		/* The last line is reserved for the confidence; the windows
		 * compared are a detail. */
		if (!str_starts(line, STR("- **")) ||
		    str_starts(line, STR("- **compared")) ||
		    str_starts(line, STR("- **note")) ||
		    (count == EVIDENCE_LINES - 1 && !is_last))
			continue;
		end = line_fitting(line);
		out_str(out, str_slice(line, 0, end));
		out_text(out, end < line.len ? " ...\n" : "\n");
		count++;
	}
	if (text.state != BUF_OK)
		out_fail_memory(out);
	buf_release(&text);
}

static void write_trace(const struct render_input *in, struct out *out)
{
	const struct result *r = in->result;
	struct page_time start;
	struct page p;

	page_begin(&p, &in->style, out);
	page_time(&p, r->trace.start_ns, r->trace.start_ns, &start);
	page_end(&p);
	out_text(out, "- **trace** ");
	if (r->trace.id.len) {
		escape_markdown_code(out, r->trace.id, false);
		out_text(out, ", ");
	}
	outf(out, "%s %.12s %s", start.date, start.clock, start.zone);
	out_char(out, '\n');
}

void render_chat(const struct render_input *in, struct out *out)
{
	const struct render_style style = render_style_markdown(&in->style);
	struct page p;

	page_begin(&p, &style, out);
	p.source_root = in->result->source_root;
	words_find(in->result)->answer(&p, in);
	page_end(&p);
	write_evidence(in, out);
	if (in->result->has_trace)
		write_trace(in, out);
}
