/* SPDX-License-Identifier: Apache-2.0
 *
 * HTML report: title, verdict, and sections below.
 */
#include "render/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/page_case.h"
#include "base/timefmt.h"
#include "render/input.h"
#include "render/page.h"
#include "render/render.h"
#include "render/source_link.h"
#include "render/units.h"

static void html_links_write(struct html *h);

/* The evidence of the answer: reasoning, queries to servers, and the case
 * itself, which a page may contain. */

static bool has_reasons(const struct result *r)
{
	return r->has_reasons && r->reasons.count;
}

static bool html_has_evidence(const struct render_input *in)
{
	return !in->style.is_quiet &&
	       (has_reasons(in->result) || in->result->request_count ||
		in->embedded_case.len);
}

/* ---- reasoning ---- */

/* ---- queries ---- */

static void write_request(struct html *h, const struct request_info *request)
{
	char took[24], size[UNIT_TEXT_BYTES] = "-";

	format_duration(request->duration_ns, took);
	if (request->bytes >= 0)
		format_size(request->bytes, size);
	outf(h->out,
	     "<tr><td class=\"num\">%d</td><td class=\"num\">%s</td>"
	     "<td class=\"num\">%s</td><td>",
	     request->status, size, took);
	html_text(h, request->method);
	out_text(h->out, "</td><td><code>");
	html_text(h, request->url);
	out_text(h->out, "</code></td></tr>\n");
}

static void write_requests(struct html *h)
{
	const struct result *r = h->in->result;

	if (!r->request_count)
		return;
	out_text(h->out,
		 "<h3>Queries to servers</h3>\n"
		 "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
		 "aria-label=\"Table of requests\">\n<table>\n<thead><tr>"
		 "<th scope=\"col\" class=\"num\">status</th>"
		 "<th scope=\"col\" class=\"num\">size</th>"
		 "<th scope=\"col\" class=\"num\">time</th>"
		 "<th scope=\"col\">method</th><th scope=\"col\">address</th>"
		 "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->request_count; i++)
		write_request(h, &r->requests[i]);
	out_text(h->out, "</tbody>\n</table>\n</div>\n");
}

/* ---- the case ---- */

/* The script adds a button to save it. */
static void write_case(struct html *h)
{
	struct str packed = h->in->embedded_case;
	char size[UNIT_TEXT_BYTES], *text;

	if (!packed.len)
		return;
	format_size((int64_t)packed.len, size);
	outf(h->out,
	     "<h3>The case</h3>\n<p id=\"case-save\">This page holds all "
	     "answers of servers that it was made from, %s, without secrets: "
	     "<code>tracefind --replay</code> and the name of this file repeat "
	     "it without a network.</p>\n" PAGE_CASE_BEGIN,
	     size);
	text = mem_alloc(4 * ((packed.len + 2) / 3) + 1);
	if (text) {
		base64_encode((const unsigned char *)packed.ptr, packed.len,
			      text);
		out_text(h->out, text);
	} else {
		out_fail_memory(h->out);
	}
	mem_free(text);
	out_text(h->out, PAGE_CASE_END "\n");
}

static void html_evidence_write(struct html *h)
{
	if (!html_has_evidence(h->in))
		return;
	out_text(h->out, "<section id=\"evidence\" "
			 "aria-labelledby=\"evidence-title\">\n"
			 "<h2 id=\"evidence-title\">Evidence</h2>\n"
			 "<details>\n<summary>");
	if (has_reasons(h->in->result))
		out_text(h->out, "how it was decided");
	if (h->in->result->request_count)
		outf(h->out, "%squeries to servers: %zu request%s",
		     has_reasons(h->in->result) ? "; " : "",
		     h->in->result->request_count,
		     h->in->result->request_count == 1 ? "" : "s");
	if (h->in->embedded_case.len)
		out_text(h->out, "; the case");
	out_text(h->out, "</summary>\n");
	if (has_reasons(h->in->result)) {
		out_text(h->out, "<h3>How it was decided</h3>\n"
				 "<dl class=\"evidence wide\">\n");
		report_reasons(&h->page, &h->in->result->reasons);
		out_text(h->out, "</dl>\n");
	}
	write_requests(h);
	write_case(h);
	out_text(h->out, "</details>\n</section>\n");
}

/* Embedded elements, each allowed by its hash. */
struct embedded {
	const char *text;
	const char *hash;
};

static const struct embedded scripts[] = {
	{ html_script, html_script_hash },
	{ html_flame_script, html_flame_script_hash },
};

static const struct embedded styles[] = {
	{ html_style, html_style_hash },
	{ html_flame_style, html_flame_style_hash },
};

/* ---- small pieces ---- */

void html_text(struct html *h, struct str foreign)
{
	escape_xml(h->out, foreign);
}

void html_duration(struct html *h, const char *unseen, int64_t duration_ns)
{
	char text[24];

	format_duration(duration_ns, text);
	outf(h->out,
	     "<span class=\"num\"><span class=\"vh\">%s</span>%s</span>",
	     unseen, text);
}

void html_percent(int64_t part, int64_t whole, char out[HTML_PERCENT_BYTES])
{
	int64_t hundredths = 0;

	if (part > 0 && whole > 0)
		hundredths =
			llround(fmin((double)part / (double)whole, 1) * 10000);
	snprintf(out, HTML_PERCENT_BYTES, "%d.%02d%%", (int)hundredths / 100,
		 (int)hundredths % 100);
}

#define SCRIPT_COUNT (sizeof scripts / sizeof *scripts)
#define STYLE_COUNT (sizeof styles / sizeof *styles)

/* ---- title ---- */

static void write_title(struct html *h)
{
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	answer_line(h->in, &text);
	if (text.state != BUF_OK)
		out_fail_memory(h->out);
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
	out_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
		      "default-src 'none'; base-uri 'none'; "
		      "form-action 'none'; script-src");
	for (size_t i = 0; i < SCRIPT_COUNT; i++)
		outf(out, " %s", scripts[i].hash);
	out_text(out, "; style-src");
	for (size_t i = 0; i < STYLE_COUNT; i++)
		outf(out, " %s", styles[i].hash);
	out_text(out, "\">\n");
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
	if (h->in->result->has_trace) {
		out_text(out, "<p class=\"origin\">");
		trace_origin(&h->page, h->in);
		out_text(out, "</p>\n");
	}
	html_links_write(h);
	/* The view of a whole trace is complete. */
	if (h->in->result->view.is_one ||
	    !str_equal(str_from(h->in->result->command), STR("show"))) {
		out_text(out, "<dl class=\"evidence\">\n");
		w->evidence(&h->page, h->in);
		out_text(out, "</dl>\n");
	}
	out_text(out, "</section>\n");
}

/* ---- notes and commands ---- */

static void result_texts(const struct result *r, struct str *finding,
			 struct str *note)
{
	*finding = *note = STR("");
	if (!str_equal(str_from(r->command), STR("slow")))
		return;
	*finding = r->span.why;
	*note = missing_profile(r);
}

static bool has_findings(const struct result *r)
{
	struct str finding, note;

	result_texts(r, &finding, &note);
	return report_has_findings(r, finding);
}

static bool has_notes(const struct result *r)
{
	struct str finding, note;

	result_texts(r, &finding, &note);
	for (size_t i = 0; i < r->notes.count; i++)
		if (!str_equal(str_from(r->notes.text[i]), note))
			return true;
	return r->notes.dropped > 0;
}

static void write_notes(struct html *h)
{
	const struct result *r = h->in->result;
	struct out *out = h->out;
	struct str finding, note;

	result_texts(r, &finding, &note);
	h->page.is_list = true;
	if (has_findings(r)) {
		out_text(out, "<h3>Also found</h3>\n<ul>\n");
		report_findings(&h->page, r, finding);
		out_text(out, "</ul>\n");
	}
	if (has_notes(r)) {
		out_text(out, "<h3>Notes</h3>\n<ul>\n");
		page_notes(&h->page, &r->notes, note);
		out_text(out, "</ul>\n");
	}
	h->page.is_list = false;
}

/* Returns whether there are notes on the answer. */
static bool has_any_note(const struct render_input *in)
{
	const struct result *r = in->result;

	return !in->style.is_quiet &&
	       (has_findings(r) || has_notes(r));
}

static void write_command(struct html *h, const char *label, struct str command)
{
	if (*label)
		outf(h->out, "<dt>%s</dt>", label);
	out_text(h->out, "<dd><pre><code>");
	html_text(h, command);
	out_text(h->out, "</code></pre></dd>\n");
}

static void write_commands(struct html *h)
{
	const struct result *r = h->in->result;
	struct str repeat = h->in->repeat;

	out_text(h->out, "<dl class=\"evidence\">\n");
	if (repeat.len)
		write_command(h, "again", repeat);
	/* A replay has a case already. */
	if (repeat.len && !h->in->is_replay) {
		out_text(h->out, "<dt>keep</dt><dd><pre><code>");
		html_text(h, repeat);
		out_text(h->out, " --record case.har.gz</code></pre></dd>\n");
	}
	for (size_t i = 0; i < r->next_count; i++)
		write_command(h, i ? "" : "next", r->next[i]);
	out_text(h->out, "</dl>\n");
}

static bool has_commands(const struct render_input *in)
{
	return !in->style.is_quiet &&
	       (in->repeat.len || in->result->next_count);
}

/* ---- the document ---- */

static void section_write(struct html *h, const char *id, const char *title,
			  void (*write)(struct html *h))
{
	outf(h->out,
	     "<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
	     "<h2 id=\"%s-title\">%s</h2>\n",
	     id, id, id, title);
	write(h);
	out_text(h->out, "</section>\n");
}

static void write_sections(struct html *h)
{
	const struct render_input *in = h->in;

	html_flame_write(in, h->out);
	html_spans_write(h);
	html_functions_write(h);
	html_history_write(h);
	if (has_any_note(in))
		section_write(h, "notes", "Notes", write_notes);
	if (has_commands(in))
		section_write(h, "commands", "Commands", write_commands);
	html_evidence_write(h);
}

/* Links to sections, at the top of the page. */
static void write_links(struct html *h)
{
	const struct render_input *in = h->in;
	const struct {
		bool is_there;
		const char *id;
		const char *title;
	} links[] = {
		{ h->has_flame, "flame", "Flame graph" },
		{ html_has_spans(in), "spans", "Spans" },
		{ html_has_functions(in), "functions", "Functions" },
		{ html_has_history(in), "history", "History" },
		{ has_any_note(in), "notes", "Notes" },
		{ has_commands(in), "commands", "Commands" },
		{ html_has_evidence(in), "evidence", "Evidence" },
	};

	bool has_any = false;

	outf(h->out, "<header>\n<p class=\"brand\">tracefind %s</p>\n",
	     in->result->command);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		if (!links[i].is_there)
			continue;
		out_text(h->out,
			 has_any ? "" : "<nav aria-label=\"Sections\">\n");
		outf(h->out, "<a href=\"#%s\">%s</a>\n", links[i].id,
		     links[i].title);
		has_any = true;
	}
	out_text(h->out, has_any ? "</nav>\n</header>\n" : "</header>\n");
}

static void write_footer(struct html *h)
{
	int64_t asked_ns = h->in->asked_ns;
	struct page_time asked;

	out_text(h->out,
		 "<footer>\n<p>Written by tracefind " TRACEFIND_VERSION);
	if (asked_ns) {
		page_time(&h->page, asked_ns, asked_ns, &asked);
		outf(h->out, ", servers were queried %s %.8s %s", asked.date,
		     asked.clock, asked.zone);
	}
	out_text(h->out, ". Times are UTC. This file is self-contained "
			 "and loads nothing.</p>\n</footer>\n");
}

static void write_end(struct html *h)
{
	struct out *out = h->out;

	out_text(out, "</main>\n");
	write_footer(h);
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
		.has_callers = in->style.has_callers,
		.is_html = true,
	};
	struct html h = { .in = in,
			  .out = out,
			  .has_flame = html_has_flame(in) };

	page_begin(&h.page, &style, out);
	h.page.source_root = in->result->source_root;
	write_head(&h);
	write_links(&h);
	out_text(out, "<main>\n");
	write_answer(&h);
	write_sections(&h);
	write_end(&h);
	page_end(&h.page);
}

#define MS_BYTES 24

static void fill_trace(const struct html *h, struct buf *out)
{
	const struct trace_info *t = &h->in->result->trace;
	const struct link_value values[] = { { STR("{trace_id}"), t->id } };

	if (!t->id.len)
		return;
	if (h->in->trace_link)
		link_pattern_fill(h->in->trace_link, values, COUNT_OF(values),
				  out);
	else
		buf_add(out, t->page.ptr, t->page.len);
}

static bool has_address(const struct html *h, const struct buf *address)
{
	if (address->state != BUF_OK)
		out_fail_memory(h->out);
	return address->state == BUF_OK && address->len;
}

static void write_link(struct html *h, const struct buf *address,
		       const char *text)
{
	if (!has_address(h, address))
		return;
	out_text(h->out, "<a rel=\"noreferrer\" href=\"");
	html_text(h, buf_str(address));
	outf(h->out, "\">%s</a>\n", text);
}

/* Links to other UIs for trace and profile. */
static void html_links_write(struct html *h)
{
	struct buf trace, profile;
	const struct profile_info *p = &h->in->result->profile;
	char from[MS_BYTES], to[MS_BYTES];

	buf_init(&trace, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&profile, LIMIT_PAGE_TEXT_BYTES);
	fill_trace(h, &trace);
	snprintf(from, sizeof from, "%" PRId64, p->range.from_ns / NS_PER_MS);
	snprintf(to, sizeof to, "%" PRId64, p->range.to_ns / NS_PER_MS);
	/* Not for files, or for spans by id, which no UI shows. */
	if (h->in->profile_link && !p->is_file &&
	    str_starts(p->selector, STR("{"))) {
		const struct link_value values[] = {
			{ STR("{type}"), p->type },
			{ STR("{selector}"), p->selector },
			{ STR("{from_ms}"), str_from(from) },
			{ STR("{to_ms}"), str_from(to) },
		};

		link_pattern_fill(h->in->profile_link, values, COUNT_OF(values),
				  &profile);
	}
	if (has_address(h, &trace) || has_address(h, &profile)) {
		out_text(h->out, "<p class=\"origin\">");
		write_link(h, &trace, "open the trace");
		write_link(h, &profile, "open the profile");
		out_text(h->out, "</p>\n");
	}
	buf_release(&trace);
	buf_release(&profile);
}
