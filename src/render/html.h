/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections of an HTML report (html.c): one self-contained file. Its content
 * security policy only allows the embedded scripts and styles, by their hashes,
 * and neither in attributes; so elements positioned by data are SVG. Foreign
 * text passes escape_xml().
 *
 * Complete and readable without scripts; html_*.js add sorting, folding, search
 * and synchronised views. Colors are custom properties of html.css.
 */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

#include "base/out.h"
#include "render/input.h"
#include "render/page.h"

/* The scripts html_*.js, html.css, and their hashes for the policy. */
extern const char html_script[], html_script_hash[];
extern const char html_style[], html_style_hash[];

struct html {
	const struct render_input *in;
	struct out *out;
	struct page page; /* text formatting as in reports */
	bool has_flame;
};

/* Sections; empty if there is nothing to show. */
void html_spans_write(struct html *h);
void html_functions_write(struct html *h);
bool html_has_spans(const struct render_input *in);
bool html_has_functions(const struct render_input *in);

/* Returns the bytes that the details of a span (besides times) take, which are
 * limited per page. */
size_t html_span_bytes(const struct trace *t, uint32_t span);
/* Same for a resource. */
size_t html_process_bytes(const struct trace *t, uint32_t resource);

/* ---- small pieces ---- */

/* Writes foreign text, between tags or in an attribute. */
void html_text(struct html *h, struct str foreign);
/* Writes a duration in <tag class="...">, preceded by text for screen readers
 * only. */
void html_duration(struct html *h, const char *unseen, int64_t duration_ns);
/* "12.34%": part relative to whole, clamped to 0..100 %. */
#define HTML_PERCENT_BYTES 16
void html_percent(int64_t part, int64_t whole, char out[HTML_PERCENT_BYTES]);

/* Flame graph of an HTML report: a section with controls, the data
 * html_flame.js draws from, a static picture for when there are no scripts, and
 * the hottest path as text. Foreign text passes base/escape.h. */

/* html_flame.js and html_flame.css, each in an element of its own. The style
 * uses the colors of the page: --ground --text --dim --line --accent
 * --focus. */
extern const char html_flame_script[], html_flame_script_hash[];
extern const char html_flame_style[], html_flame_style_hash[];

/* Returns whether there is a flame graph with a width. */
bool html_has_flame(const struct render_input *in);

/* Writes <section id="flame">, or nothing. */
void html_flame_write(const struct render_input *in, struct out *out);

/* Request history of an HTML report: durations of the operation's requests as a
 * histogram and over time. A bar links to examples of its requests, in closed
 * elements below the drawings. The numbers are those of "history" in
 * tracefind-json(5). */

bool html_has_history(const struct render_input *in);

/* Writes <section id="history">, or nothing. */
void html_history_write(struct html *h);

#endif
