/* SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph of a page: one section with its controls, the data that
 * html_flame.js draws from, a picture that stands without it, and the hottest
 * path as text. Foreign text passes base/escape.
 */
#ifndef RENDER_HTML_FLAME_H
#define RENDER_HTML_FLAME_H

#include "base/out.h"
#include "render/flame_text.h"
#include "render/input.h"

/* html_flame.js and html_flame.css, each for an element of its own. The style
 * takes colours from the page: --ground --text --dim --line --accent
 * --focus. */
extern const char html_flame_script[], html_flame_script_hash[];
extern const char html_flame_style[], html_flame_style_hash[];

/* There is a flame graph, and it has a width. */
bool html_has_flame(const struct render_input *in);

/* <section id="flame">; nothing where there is none. */
void html_flame_write(const struct render_input *in, struct out *out);

/* Parts of the section, in files of their own. */

/* The element that html_flame.js reads: JSON, when it is large packed with gzip
 * in base64. False when memory ran out. */
bool html_flame_data(const struct render_input *in, struct out *out) MUST_CHECK;

/* The picture without a script. False when memory ran out. */
bool html_flame_picture(const struct render_input *in,
			struct out *out) MUST_CHECK;

/* What tables say of functions besides their total, and its values:
 * "self+lib". */
const char *html_flame_measure(const struct flame_words *w);
const int64_t *html_flame_measured(const struct flame_words *w,
				   const struct flame_function *fn);

/* What a node says of itself in one line: its function as a whole, in both
 * measures, then the path. */
void html_flame_says(struct out *out, const struct flame_words *w,
		     uint32_t node);

#endif
