/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands under every table: findings, notes, commands to go on with.
 */
#include <stdio.h>

#include "base/escape.h"
#include "render/formats.h"

/* "  baseline  " */
#define TOPIC_COLUMNS 12u

/* More would push the answer off the screen; JSON has them all. */
#define FINDINGS_SHOWN 8u

/* A finding opens with its place ("user-db find: 52 x ..."); the evidence may
 * have told the rest of it already. */
static bool is_told(struct str text, struct str told)
{
	size_t at = str_find(text, STR(": "));
	struct str rest =
		at == SIZE_MAX ? text : str_slice(text, at + 2, text.len);

	return rest.len && told.len && str_find(told, rest) != SIZE_MAX;
}

bool report_has_findings(const struct result *r, struct str told)
{
	for (size_t i = 0; i < r->finding_count; i++)
		if (r->findings[i].text.len &&
		    !is_told(r->findings[i].text, told))
			return true;
	return false;
}

void report_findings(struct page *p, const struct result *r, struct str told)
{
	size_t shown = 0;
	size_t left = 0;

	for (size_t i = 0; i < r->finding_count; i++) {
		struct str text = r->findings[i].text;

		if (!text.len || is_told(text, told))
			continue;
		if (shown == FINDINGS_SHOWN && !p->style.is_html) {
			left++;
			continue;
		}
		page_sentence(p, text);
		page_flush(p, PAINT_NONE, "also", PAGE_LABEL_COLUMNS);
		shown++;
	}
	if (!left)
		return;
	page_textf(p, "%zu more finding%s, -o json lists them", left,
		   left == 1 ? "" : "s");
	page_flush(p, PAINT_DIM, "also", PAGE_LABEL_COLUMNS);
}

/* "type: mutex did not grow" stands as a line of its topic, whose name is
 * written once; the topics come in the order of the reasoning. */
void report_reasons(struct page *p, const struct notes *reasons)
{
	char label[TOPIC_COLUMNS + 1];
	struct str last = STR("");

	for (size_t i = 0; i < reasons->count; i++) {
		struct str text = str_from(reasons->text[i]);
		size_t colon = str_find(text, STR(": "));
		struct str topic = str_slice(text, 0, colon);

		if (colon > TOPIC_COLUMNS - 3)
			topic.len = 0;
		else
			text = str_slice(text, colon + 2, text.len);
		snprintf(label, sizeof label, "  %.*s",
			 (int)(str_equal(topic, last) ? 0 : topic.len),
			 topic.ptr);
		last = topic;
		page_sentence(p, text);
		page_flush(p, PAINT_NONE, label, TOPIC_COLUMNS);
	}
}

static void write_reasons(struct page *p, const struct notes *reasons)
{
	if (!reasons->count)
		return;
	out_text(p->out, p->style.is_markdown ? "\n**how it was decided**\n\n"
					      : "\nhow it was decided\n");
	report_reasons(p, reasons);
	if (!p->style.is_markdown)
		out_char(p->out, '\n');
}

/* A line each, however wide the terminal is: a line is what is copied. */
static void write_next(struct page *p, const struct result *r)
{
	if (p->style.is_markdown) {
		markdown_commands(p, r->next, r->next_count);
		return;
	}
	for (size_t i = 0; i < r->next_count; i++) {
		page_next(p, r->next[i], i == 0);
		out_char(p->out, '\n');
	}
}

void report_tail(struct page *p, const struct result *r,
		 struct str told_finding, struct str told_note)
{
	if (p->style.is_quiet)
		return;
	if (r->finding_count || r->notes.count || r->next_count)
		out_char(p->out, '\n');
	report_findings(p, r, told_finding);
	page_notes(p, &r->notes, told_note);
	if (r->shows_reasons)
		write_reasons(p, &r->reasons);
	write_next(p, r);
}
