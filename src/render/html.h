/* SPDX-License-Identifier: Apache-2.0
 *
 * The sections of a case's page (html.c). One file that refers to nothing
 * outside: its policy lets in the scripts and styles that are written here, by
 * their hashes, and no attribute holds either. What moves or is coloured by
 * data is therefore SVG. Foreign text passes escape_xml().
 *
 * Without scripts all of it is there and readable; html.js sorts, folds and
 * finds. Colours are custom properties of html.css: --ground --raise --text
 * --dim --line --accent --up --down --same --focus.
 */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

#include "base/out.h"
#include "render/page.h"
#include "render/render.h"

/* html.js and html.css as they stand, and what lets them in. */
extern const char html_script[], html_script_hash[];
extern const char html_style[], html_style_hash[];

struct html {
	const struct render_input *in;
	struct out *out;
	struct page page; /* words of the reports */
};

#endif
