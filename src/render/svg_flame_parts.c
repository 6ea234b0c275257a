/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"
#include "model/source_path.h"
#include "render/flame_colors.h"
#include "render/flame_text.h"
#include "render/kind_words.h"
#include "render/svg.h"

static void write_place(struct out *out, const struct flame *f,
			const struct flame_function *fn)
{
	if (fn->file.len) {
		escape_xml(out, source_path_shorten(fn->file, f->source_root));
		if (fn->line) {
			out_char(out, ':');
			out_int(out, fn->line);
		}
		out_text(out, ", ");
	}
	out_text(out, code_kind_words(fn->kind));
}

void svg_flame_says(struct out *out, const struct flame_words *w, uint32_t node,
		    const char *between)
{
	const struct flame_node *n = &w->f->nodes[node];
	const struct flame_function *fn = &w->f->functions[n->function];

	escape_xml(out, fn->name);
	out_text(out, between);
	if (node) {
		write_place(out, w->f, fn);
		out_text(out, between);
		flame_function_write(out, w, n);
		out_text(out, between);
	}
	flame_path_write(out, w, n, NULL);
	if (!w->f->has_baseline)
		return;
	out_text(out, between);
	flame_self_write(out, w, n);
}

void svg_flame_label(struct svg *s, struct str name, int64_t x, int64_t y,
		     int64_t width)
{
	struct str label = svg_fit(s, name, width - 6 * SVG_PX);

	if (label.len)
		svg_text(s, x + 3 * SVG_PX, y + 13 * SVG_PX, NULL, label);
}

void svg_flame_legend(struct svg *s, enum palette palette, uint64_t categories,
		      int64_t *y)
{
	int64_t x = SVG_MARGIN_PX * SVG_PX;
	struct flame_meaning m;
	size_t at = 0;

	while (flame_meaning_next(palette, categories, &at, &m))
		svg_legend(s, &x, y, m.color, str_from(m.text));
}
