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

void flame_words_init(struct flame_words *w, const struct flame *f,
		      const struct result *r)
{
	w->f = f;
	scale_init(&w->scale, r);
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

/* Values are told as samples only where they are something else. */
static bool has_samples(const struct flame *f, enum flame_side s)
{
	return f->sample_value[s] > 0 && f->sample_value[s] != 1;
}

static void write_count(struct out *out, const struct flame *f,
			enum flame_side s, int64_t value)
{
	char count[COUNT_TEXT_BYTES];

	format_count((int64_t)((double)value / f->sample_value[s] + 0.5),
		     count);
	out_text(out, count);
}

/* "65.0 %, 1.19 s, 119 samples" */
static void write_value(struct out *out, const struct flame *f, int64_t value)
{
	write_share(out, f, FLAME_SLOW, value);
	if (!has_samples(f, FLAME_SLOW))
		return;
	out_text(out, ", ");
	write_count(out, f, FLAME_SLOW, value);
	out_text(out, " samples");
}

static void write_steps(struct out *out, const struct flame_words *w,
			int64_t steps)
{
	char text[UNIT_TEXT_BYTES];

	scale_text(&w->scale, steps, text);
	out_text(out, text);
}

/* ", before 20 ms, change +1,180 ms" */
static void write_change(struct out *out, const struct flame_words *w,
			 int64_t now, int64_t before)
{
	char text[UNIT_TEXT_BYTES];

	out_text(out, ", before ");
	write_steps(out, w, before);
	scale_text_signed(&w->scale, now - before, text);
	out_text(out, ", change ");
	out_text(out, text);
}

/* "1,200 ms per second", of the slow side. */
static void write_now(struct out *out, const struct flame_words *w, int64_t now)
{
	write_steps(out, w, now);
	out_text(out, scale_per(w->scale.result));
}

/* How wide the frame is, where that is not the value itself. */
static void write_part(struct out *out, const struct flame_words *w,
		       const struct flame_node *n)
{
	char share[UNIT_TEXT_BYTES];

	if (w->f->normalize == NORMALIZE_SHARE || !n->values[FLAME_SLOW].total)
		return;
	format_share(flame_share(w->f, FLAME_SLOW,
				 (double)n->values[FLAME_SLOW].total),
		     share);
	outf(out, "; %s of the profile", share);
}

void flame_sides_write(struct out *out, const struct flame_words *w,
		       const int64_t values[FLAME_SIDES])
{
	int64_t now = scale_after(&w->scale, values[FLAME_SLOW]);

	if (!w->f->has_baseline) {
		write_share(out, w->f, FLAME_SLOW, values[FLAME_SLOW]);
		return;
	}
	write_now(out, w, now);
	write_change(out, w, now,
		     scale_before(&w->scale, values[FLAME_BASELINE]));
}

void flame_function_write(struct out *out, const struct flame_words *w,
			  const struct flame_node *n)
{
	const struct flame_function *fn = &w->f->functions[n->function];

	out_text(out, "whole function ");
	flame_sides_write(out, w, fn->totals);
	if (w->f->has_baseline && fn->is_to_blame)
		out_text(out, " (the function to blame)");
}

/* "new", "grew", "may be noise". */
static const char *change_words(const struct flame *f,
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

void flame_path_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label)
{
	bool is_root = n->parent == FLAME_NONE;
	int64_t now = scale_after(&w->scale, n->values[FLAME_SLOW].total);

	out_text(out, label ? label : is_root ? "total " : "this path ");
	if (!w->f->has_baseline) {
		write_value(out, w->f, n->values[FLAME_SLOW].total);
		out_text(out, "; self ");
		write_value(out, w->f, n->values[FLAME_SLOW].self);
		return;
	}
	write_now(out, w, now);
	write_change(out, w, now,
		     scale_before(&w->scale, n->values[FLAME_BASELINE].total));
	if (is_root)
		return;
	out_text(out, ": ");
	out_text(out, change_words(w->f, n));
	write_part(out, w, n);
}

void flame_self_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n)
{
	const struct flame *f = w->f;

	out_text(out, "self ");
	write_steps(out, w, scale_after(&w->scale, n->values[FLAME_SLOW].self));
	out_text(out, ", before ");
	write_steps(out, w,
		    scale_before(&w->scale, n->values[FLAME_BASELINE].self));
	if (!has_samples(f, FLAME_SLOW) || !has_samples(f, FLAME_BASELINE))
		return;
	out_text(out, "; samples ");
	write_count(out, f, FLAME_SLOW, n->values[FLAME_SLOW].total);
	out_text(out, ", before ");
	write_count(out, f, FLAME_BASELINE, n->values[FLAME_BASELINE].total);
}

double flame_moved(const struct flame *f, const struct flame_node *n)
{
	return (double)n->values[FLAME_SLOW].total - flame_before(f, n);
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
