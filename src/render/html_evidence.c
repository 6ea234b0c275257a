/* SPDX-License-Identifier: Apache-2.0
 *
 * What the answer rests on: how it was decided, what servers were asked, and
 * the case itself, which a page may hold.
 */
#include "base/mem.h"
#include "base/num.h"
#include "base/page_case.h"
#include "render/formats.h"
#include "render/html.h"
#include "render/units.h"

static bool has_reasons(const struct result *r)
{
	return r->has_reasons && r->reasons.count;
}

bool html_has_evidence(const struct render_input *in)
{
	return !in->style.is_quiet &&
	       (has_reasons(in->result) || in->result->request_count ||
		in->embedded_case.len);
}

/* ---- how it was decided ---- */

static void write_reasons(struct html *h)
{
	if (!has_reasons(h->in->result))
		return;
	out_text(h->out, "<h3>How it was decided</h3>\n"
			 "<dl class=\"evidence wide\">\n");
	report_reasons(&h->page, &h->in->result->reasons);
	out_text(h->out, "</dl>\n");
}

/* ---- what was asked ---- */

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
		 "<h3>What servers were asked</h3>\n"
		 "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
		 "aria-label=\"Table of requests\">\n<table>\n<thead><tr>"
		 "<th scope=\"col\" class=\"num\">status</th>"
		 "<th scope=\"col\" class=\"num\">size</th>"
		 "<th scope=\"col\" class=\"num\">took</th>"
		 "<th scope=\"col\">method</th><th scope=\"col\">address</th>"
		 "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->request_count; i++)
		write_request(h, &r->requests[i]);
	out_text(h->out, "</tbody>\n</table>\n</div>\n");
}

/* ---- the case ---- */

static bool write_base64(struct html *h, struct str bytes)
{
	char *text = mem_alloc(4 * ((bytes.len + 2) / 3) + 1);

	if (text) {
		base64_encode((const unsigned char *)bytes.ptr, bytes.len,
			      text);
		out_text(h->out, text);
	}
	mem_free(text);
	return text != NULL;
}

/* The button to save it is the script's. */
static void write_case(struct html *h)
{
	struct str packed = h->in->embedded_case;
	char size[UNIT_TEXT_BYTES];

	if (!packed.len)
		return;
	format_size((int64_t)packed.len, size);
	outf(h->out,
	     "<h3>The case</h3>\n<p id=\"case-save\">This page holds all "
	     "answers of servers that it was made from, %s, without secrets: "
	     "<code>tracefind --replay</code> and the name of this file repeat "
	     "it without a network.</p>\n" PAGE_CASE_BEGIN,
	     size);
	if (!write_base64(h, packed))
		out_fail_memory(h->out);
	out_text(h->out, PAGE_CASE_END "\n");
}

void html_evidence_write(struct html *h)
{
	if (!html_has_evidence(h->in))
		return;
	out_text(h->out, "<section id=\"evidence\" "
			 "aria-labelledby=\"evidence-title\">\n"
			 "<h2 id=\"evidence-title\">Evidence</h2>\n");
	write_reasons(h);
	write_requests(h);
	write_case(h);
	out_text(h->out, "</section>\n");
}
