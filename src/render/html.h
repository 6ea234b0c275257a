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
#include "render/input.h"
#include "render/page.h"

/* The scripts html_*.js and html.css, and what lets them in. */
extern const char html_script[], html_script_hash[];
extern const char html_style[], html_style_hash[];

struct html {
	const struct render_input *in;
	struct out *out;
	struct page page; /* words of the reports */
	bool has_flame;
};

/* Sections; nothing where there is nothing to show. */
void html_spans_write(struct html *h);
void html_functions_write(struct html *h);
bool html_has_spans(const struct render_input *in);
bool html_has_functions(const struct render_input *in);

/* The details of a span besides its times: how much the page may hold of them,
 * in bytes, and the element that shows it. */
size_t html_span_bytes(const struct trace *t, uint32_t span);
/* The same of the processes that they point at, as resources in the order of
 * their numbers. */
size_t html_process_bytes(const struct trace *t, uint32_t resource);

/* ---- small pieces ---- */

/* Foreign text between tags or in an attribute. */
void html_text(struct html *h, struct str foreign);
/* <tag class="..."> of a duration, with words before it that are not seen. */
void html_duration(struct html *h, const char *unseen, int64_t duration_ns);
/* "12.34%": what part is of whole, within 0 and 100 %. */
#define HTML_PERCENT_BYTES 16
void html_percent(int64_t part, int64_t whole, char out[HTML_PERCENT_BYTES]);

/* The flame graph of a page: one section with its controls, the data that
 * html_flame.js draws from, a picture that stands without it, and the hottest
 * path as text. Foreign text passes base/escape. */

/* html_flame.js and html_flame.css, each for an element of its own. The style
 * takes colours from the page: --ground --text --dim --line --accent
 * --focus. */
extern const char html_flame_script[], html_flame_script_hash[];
extern const char html_flame_style[], html_flame_style_hash[];

/* There is a flame graph, and it has a width. */
bool html_has_flame(const struct render_input *in);

/* <section id="flame">; nothing where there is none. */
void html_flame_write(const struct render_input *in, struct out *out);

/* The history of a page: how long the operation's requests took, drawn as a
 * histogram and over time. A bar is a link to examples of what it counts, which
 * stand under the drawings, closed. The figures are those of "history" in
 * tracefind-json(5). */

bool html_has_history(const struct render_input *in);

/* <section id="history">; nothing where there is none. */
void html_history_write(struct html *h);

#endif
