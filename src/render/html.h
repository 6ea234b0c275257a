/* SPDX-License-Identifier: Apache-2.0
 *
 * The sections of a case's page (html.c). One file that refers to nothing
 * outside: its policy lets in the scripts and styles that are written here, by
 * their hashes, and no attribute holds either. What is placed by data is
 * therefore SVG. Foreign text passes escape_xml().
 *
 * Without scripts all of it is there and readable; html_*.js sort, fold, find
 * and keep the views in step. Colours are custom properties of html.css.
 */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

#include "base/out.h"
#include "render/page.h"
#include "render/input.h"

/* The scripts html_*.js and html.css, and what lets them in. */
extern const char html_script[], html_script_hash[];
extern const char html_style[], html_style_hash[];

struct html {
	const struct render_input *in;
	struct out *out;
	struct page page; /* words of the reports */
	bool has_flame;
};

/* Where trace and profile can be looked at elsewhere. */
void html_links_write(struct html *h);

/* Sections; nothing where there is nothing to show. */
void html_spans_write(struct html *h);
void html_functions_write(struct html *h);
void html_evidence_write(struct html *h);
bool html_has_evidence(const struct render_input *in);
bool html_has_spans(const struct render_input *in);
bool html_has_functions(const struct render_input *in);

/* What a span says besides its times: what the page may hold of it, in bytes,
 * and the element that shows it. */
size_t html_span_bytes(const struct trace *t, uint32_t span);
/* numbers: of processes, from 1, by index of the resource. */
void html_span_details(struct html *h, const struct waterfall_row *row,
		       const uint32_t *numbers);
/* The same of the processes that they point at, as resources in the order of
 * their numbers. */
size_t html_process_bytes(const struct trace *t, uint32_t resource);
void html_processes(struct html *h, const uint32_t *resources, uint32_t count);

/* ---- small pieces ---- */

/* Foreign text between tags or in an attribute. */
void html_text(struct html *h, struct str foreign);
/* <tag class="..."> of a duration, with words before it that are not seen. */
void html_duration(struct html *h, const char *unseen, int64_t duration_ns);
/* "12.34%": what part is of whole, within 0 and 100 %. */
#define HTML_PERCENT_BYTES 16
void html_percent(int64_t part, int64_t whole, char out[HTML_PERCENT_BYTES]);

#endif
