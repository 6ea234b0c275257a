/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_text.h"

#include <string.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/units.h"

double flame_share(const struct flame *f, enum flame_side s, double value)
{
	return f->whole[s] > 0 ? value / (double)f->whole[s] : 0;
}

/* "65.0 %, 1.19 s" */
static void write_share(struct out *out, const struct flame *f,
			enum flame_side s, int64_t value)
{
	char share[UNIT_TEXT_BYTES], text[UNIT_TEXT_BYTES];

	format_share(flame_share(f, s, (double)value), share);
	format_value(value, f->unit, text);
	out_text(out, share);
	out_text(out, ", ");
	out_text(out, text);
}

void flame_value_write(struct out *out, const struct flame *f,
		       enum flame_side s, int64_t value)
{
	char count[COUNT_TEXT_BYTES];

	write_share(out, f, s, value);
	if (!(f->sample_value[s] > 0) || f->sample_value[s] == 1)
		return;
	format_count((int64_t)((double)value / f->sample_value[s] + 0.5),
		     count);
	out_text(out, ", ");
	out_text(out, count);
	out_text(out, " samples");
}

void flame_path_write(struct out *out, const struct flame *f,
		      const struct flame_node *n, enum flame_side s)
{
	out_text(out, n->parent == FLAME_NONE ? "total " : "this path ");
	flame_value_write(out, f, s, n->values[s].total);
	out_text(out, "; self ");
	flame_value_write(out, f, s, n->values[s].self);
}

void flame_function_write(struct out *out, const struct flame *f,
			  const struct flame_node *n)
{
	const struct flame_function *fn = &f->functions[n->function];

	out_text(out,
		 f->has_baseline ? "whole function after " : "whole function ");
	write_share(out, f, FLAME_SLOW, fn->totals[FLAME_SLOW]);
	if (!f->has_baseline)
		return;
	out_text(out, "; before ");
	write_share(out, f, FLAME_BASELINE, fn->totals[FLAME_BASELINE]);
}

double flame_moved(const struct flame *f, const struct flame_node *n)
{
	return (double)n->values[FLAME_SLOW].total - flame_before(f, n);
}

const char *flame_change_words(const struct flame *f,
			       const struct flame_node *n)
{
	double moved = flame_moved(f, n);
	enum change change = f->functions[n->function].change;
	bool is_same_way = change_is_up(change) ? moved > 0 : moved < 0;

	if (change == CHANGE_NOISE)
		return "may be noise";
	if (!change_is_real(change))
		return "the function no more than the rest";
	if (!is_same_way)
		return change_is_up(change) ? "the function as a whole grew"
					    : "the function as a whole shrank";
	if (change_is_down(change))
		return n->values[FLAME_SLOW].total ? "shrank" : "gone";
	return n->values[FLAME_BASELINE].total ? "grew" : "new";
}

void flame_change_write(struct out *out, const struct flame *f,
			const struct flame_node *n)
{
	char points[UNIT_TEXT_BYTES];

	format_points(flame_share(f, FLAME_SLOW, flame_moved(f, n)), points);
	out_text(out, points);
	out_text(out, " points: ");
	out_text(out, flame_change_words(f, n));
	if (f->functions[n->function].is_to_blame)
		out_text(out, " (the function to blame)");
}

/* Where they begin. Arguments have separators of their own. */
static size_t end_start(struct str name)
{
	size_t end = 0, slash = 0, dot = 0, before = 0;

	while (end < name.len && !strchr("(<[ ", name.ptr[end])) {
		if (name.ptr[end] == '/')
			slash = end + 1;
		if (name.ptr[end] == '.') {
			before = dot;
			dot = end + 1;
		}
		end++;
	}
	if (slash)
		return slash < name.len ? slash : 0;
	return before && dot < end ? before : 0;
}

struct str flame_name_end(struct str name)
{
	return str_slice(name, end_start(name), name.len);
}

/* A bracket that closes, read from the end, is one that opens. */
static size_t depth_before(char c, size_t depth)
{
	if (c == ')' || c == '>' || c == ']')
		return depth + 1;
	if (depth && (c == '(' || c == '<' || c == '['))
		return depth - 1;
	return depth;
}

/* Does what begins at `at`, outside of brackets, look like a name? Versions
 * and numbers of lines do not. */
static bool is_part(struct str name, size_t at)
{
	char before = name.ptr[at - 1], first = name.ptr[at];

	if (before != '.' &&
	    !(before == ':' && at >= 2 && name.ptr[at - 2] == ':'))
		return false;
	return first != '.' && first != ':' && first != ' ' &&
	       !(first >= '0' && first <= '9');
}

struct str flame_name_fit(struct str name, size_t columns)
{
	struct str end = flame_name_end(name);
	size_t start = end.len, width = 0, depth = 0;

	if (text_width(end) <= columns)
		return end;
	for (size_t at = end.len; at-- > 1;) {
		depth = depth_before(end.ptr[at], depth);
		if (depth || !is_part(end, at))
			continue;
		width += text_width(str_slice(end, at, start - at));
		if (width > columns && start < end.len)
			break;
		start = at;
		if (width > columns)
			break;
	}
	return start < end.len ? str_slice(end, start, end.len) : end;
}
