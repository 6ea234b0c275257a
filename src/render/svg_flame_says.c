/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"
#include "render/flame_text.h"
#include "render/svg.h"

static void write_values(struct out *out, const struct flame *f,
			 const struct flame_node *n, enum flame_side s,
			 const char *label)
{
	out_text(out, label);
	out_text(out, "total ");
	flame_value_write(out, f, s, n->values[s].total);
	out_text(out, "; self ");
	flame_value_write(out, f, s, n->values[s].self);
}

static void write_place(struct out *out, const struct flame_function *fn)
{
	if (fn->file.len) {
		escape_xml(out, fn->file);
		if (fn->line) {
			out_char(out, ':');
			out_int(out, fn->line);
		}
		out_text(out, ", ");
	}
	out_text(out, code_kind_words(fn->kind));
}

void svg_flame_says(struct out *out, const struct flame *f, uint32_t node,
		    const char *between)
{
	const struct flame_node *n = &f->nodes[node];
	const struct flame_function *fn = &f->functions[n->function];

	escape_xml(out, fn->name);
	out_text(out, between);
	if (node) {
		write_place(out, fn);
		out_text(out, between);
	}
	write_values(out, f, n, FLAME_SLOW, f->has_baseline ? "after   " : "");
	if (!f->has_baseline)
		return;
	out_text(out, between);
	write_values(out, f, n, FLAME_BASELINE, "before  ");
	if (!node)
		return;
	out_text(out, between);
	out_text(out, "change ");
	flame_change_write(out, f, n);
}
