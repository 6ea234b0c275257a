/* SPDX-License-Identifier: Apache-2.0
 *
 * A case as one page: its head, the verdict, and what stands under it.
 */
#include "render/html.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "render/formats.h"
#include "render/units.h"

/* Elements of their own, each let in by its hash. */
struct embedded {
	const char *text;
	const char *hash;
};

static const struct embedded scripts[] = {
	{ html_script, html_script_hash },
};

static const struct embedded styles[] = {
	{ html_style, html_style_hash },
};

#define SCRIPT_COUNT (sizeof scripts / sizeof *scripts)
#define STYLE_COUNT (sizeof styles / sizeof *styles)

typedef void (*words_fn)(struct page *p, const struct render_input *in);

static const struct words {
	const char *command;
	words_fn answer;
	words_fn evidence;
} words[] = {
	{ "slow", slow_answer, slow_evidence },
	{ "diff", diff_answer, diff_evidence },
	{ "profile", profile_answer, profile_evidence },
	{ "show", show_answer, NULL },
};

static const struct words *words_find(const struct result *r)
{
	struct str command = str_from(r->command);
	size_t i = 0;

	while (!str_equal(command, str_from(words[i].command)))
		i++;
	return &words[i];
}

/* ---- the head ---- */

static void write_policy(struct out *out)
{
	out_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
		      "default-src 'none'; base-uri 'none'; "
		      "form-action 'none'; script-src");
	for (size_t i = 0; i < SCRIPT_COUNT; i++)
		outf(out, " %s", scripts[i].hash);
	out_text(out, "; style-src");
	for (size_t i = 0; i < STYLE_COUNT; i++)
		outf(out, " %s", styles[i].hash);
	out_text(out, "\">\n");
}

/* The first line of the report, as text. */
static void write_title(struct html *h)
{
	const struct render_style style = { .use_unicode = true };
	struct buf text;
	struct out memory;
	struct page p;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&memory, &text);
	page_begin(&p, &style, &memory);
	words_find(h->in->result)->answer(&p, h->in);
	page_end(&p);
	if (text.state != BUF_OK)
		render_fail(h->out);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	out_text(h->out, "<title>");
	escape_xml(h->out, buf_str(&text));
	out_text(h->out, " - tracefind</title>\n");
	buf_release(&text);
}

static void write_head(struct html *h)
{
	struct out *out = h->out;

	out_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		      "<meta charset=\"utf-8\">\n");
	write_policy(out);
	out_text(out, "<meta name=\"viewport\" "
		      "content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n"
		      "<meta name=\"generator\" "
		      "content=\"tracefind " TRACEFIND_VERSION "\">\n");
	write_title(h);
	for (size_t i = 0; i < STYLE_COUNT; i++) {
		out_text(out, "<style>");
		out_text(out, styles[i].text);
		out_text(out, "</style>\n");
	}
	out_text(out, "</head>\n<body>\n<a class=\"skip\" href=\"#answer\">"
		      "Skip to the answer</a>\n");
}

/* ---- the answer ---- */

static void write_answer(struct html *h)
{
	const struct words *w = words_find(h->in->result);
	struct out *out = h->out;

	out_text(out, "<section id=\"answer\" aria-labelledby=\"verdict\">\n"
		      "<h1 id=\"verdict\">");
	w->answer(&h->page, h->in);
	out_text(out, "</h1>\n");
	if (h->in->result->has_trace && h->in->trace) {
		out_text(out, "<p class=\"origin\">");
		trace_origin(&h->page, h->in);
		out_text(out, "</p>\n");
	}
	if (w->evidence) {
		out_text(out, "<dl class=\"evidence\">\n");
		w->evidence(&h->page, h->in);
		out_text(out, "</dl>\n");
	}
	out_text(out, "</section>\n");
}

static void write_end(struct html *h)
{
	struct out *out = h->out;

	out_text(out, "</main>\n<footer><p>tracefind " TRACEFIND_VERSION
		      "</p></footer>\n");
	for (size_t i = 0; i < SCRIPT_COUNT; i++) {
		out_text(out, "<script>");
		out_text(out, scripts[i].text);
		out_text(out, "</script>\n");
	}
	out_text(out, "</body>\n</html>\n");
}

void render_html(const struct render_input *in, struct out *out)
{
	const struct render_style style = {
		.use_unicode = true,
		.is_quiet = in->style.is_quiet,
		.limit = in->style.limit,
		.is_html = true,
	};
	struct html h = { .in = in, .out = out };

	page_begin(&h.page, &style, out);
	write_head(&h);
	out_text(out, "<main>\n");
	write_answer(&h);
	write_end(&h);
	page_end(&h.page);
}
