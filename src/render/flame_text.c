/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/out.h"
#include "model/flame.h"
#include "render/input.h"
#include "render/page.h"
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

bool flame_has_verdict(const struct result *r, const struct flame_function *fn,
		       const bool *is_caller)
{
	const struct function_row *row =
		fn->row ? &r->functions[fn->row - 1] : NULL;

	if (!row || !change_is_real(row->change) || r->is_healthy)
		return false;
	return fn->row > r->function_count ? !row->through.len
					   : !is_caller[fn->row - 1];
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

/* Returns whether sample counts are shown: only if values are something
 * else. */
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

	out_text(out, ", baseline ");
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

/* "1,200 ms per second, baseline 20 ms, change +1,180 ms"; for one profile
 * "57.1 %, 200 ms". */
static void write_sides(struct out *out, const struct flame_words *w,
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

	out_text(out, "total ");
	write_sides(out, w, fn->totals);
	if (w->f->has_baseline && fn->is_to_blame)
		out_text(out, " (the function to blame)");
}

const char *flame_measure(const struct flame_words *w)
{
	return w->scale.result->rank_by == RANK_SELF ? "self" : "self+lib";
}

const int64_t *flame_measured(const struct flame_words *w,
			      const struct flame_function *fn)
{
	return w->scale.result->rank_by == RANK_SELF ? fn->self
						     : fn->self_lib;
}

void flame_measure_write(struct out *out, const struct flame_words *w,
			 const struct flame_node *n)
{
	outf(out, "%s ", flame_measure(w));
	write_sides(out, w, flame_measured(w, &w->f->functions[n->function]));
}

/* Returns the growth of the node's total, in values of the slow side. */
static double flame_moved(const struct flame *f, const struct flame_node *n)
{
	return (double)n->values[FLAME_SLOW].total - flame_before(f, n);
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
	char share[UNIT_TEXT_BYTES];

	out_text(out, label ? label : is_root ? "total " : "this path ");
	if (!w->f->has_baseline) {
		write_value(out, w->f, n->values[FLAME_SLOW].total);
		out_text(out, label ? "; self " : "; self here ");
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
	/* The width of the frame, if it is not the value itself. */
	if (w->f->normalize != NORMALIZE_SHARE && n->values[FLAME_SLOW].total) {
		format_share(flame_share(w->f, FLAME_SLOW,
					 (double)n->values[FLAME_SLOW].total),
			     share);
		outf(out, "; %s of the profile", share);
	}
}

void flame_self_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label)
{
	const struct flame *f = w->f;

	out_text(out, label ? label : "self here ");
	write_steps(out, w, scale_after(&w->scale, n->values[FLAME_SLOW].self));
	out_text(out, ", baseline ");
	write_steps(out, w,
		    scale_before(&w->scale, n->values[FLAME_BASELINE].self));
	if (!has_samples(f, FLAME_SLOW) || !has_samples(f, FLAME_BASELINE))
		return;
	out_text(out, "; samples ");
	write_count(out, f, FLAME_SLOW, n->values[FLAME_SLOW].total);
	out_text(out, ", baseline ");
	write_count(out, f, FLAME_BASELINE, n->values[FLAME_BASELINE].total);
}

/* Labels of frames in character cells. */

void flame_mark(const struct flame *f, enum flame_side side, uint32_t node,
		char out[FLAME_MARK_BYTES])
{
	const struct flame_node *n = &f->nodes[node];
	char *at = out;

	if (f->has_baseline && node) {
		const struct flame_function *fn = &f->functions[n->function];
		double moved = flame_moved(f, n);

		/* Nothing grew on the baseline's side. */
		if (change_is_down(fn->change) && moved < 0)
			*at++ = '-';
		else if (side == FLAME_SLOW && change_is_up(fn->change) &&
			 moved > 0)
			*at++ = '+';
		if (fn->is_to_blame)
			*at++ = '!';
	}
	*at = '\0';
}

/* Texts after the name, longest first; the last is empty. */
#define ENDS 4
#define WHOLE_BYTES (UNIT_TEXT_BYTES + 12)
#define END_BYTES (2 * UNIT_TEXT_BYTES + WHOLE_BYTES + 4)

/* Formats as in tables for a comparison, else a share. */
static void value_text(const struct flame_words *w, enum flame_side side,
		       int64_t value, char out[UNIT_TEXT_BYTES])
{
	if (!w->f->has_baseline)
		format_share(flame_share(w->f, side, (double)value), out);
	else if (side == FLAME_BASELINE)
		scale_text(&w->scale, scale_before(&w->scale, value), out);
	else
		scale_text(&w->scale, scale_after(&w->scale, value), out);
}

static void write_ends(const struct flame_words *w, enum flame_side side,
		       uint32_t node, bool is_changed,
		       char ends[ENDS][END_BYTES])
{
	const struct flame_node *n = &w->f->nodes[node];
	int64_t total = w->f->functions[n->function].totals[side];
	int64_t now = scale_after(&w->scale, n->values[FLAME_SLOW].total);
	int64_t before =
		scale_before(&w->scale, n->values[FLAME_BASELINE].total);
	char value[UNIT_TEXT_BYTES], change[UNIT_TEXT_BYTES + 1] = "";
	char whole[WHOLE_BYTES] = "", all[UNIT_TEXT_BYTES];

	value_text(w, side, n->values[side].total, value);
	/* " (total 1,300 ms)" for a function with other paths */
	value_text(w, side, total, all);
	if (total > n->values[side].total && strcmp(all, value) != 0)
		snprintf(whole, WHOLE_BYTES, " (total %s)", all);
	/* " +1,180" */
	if (is_changed && side != FLAME_BASELINE) {
		change[0] = ' ';
		scale_format_signed(&w->scale, now - before, change + 1);
	}
	snprintf(ends[0], END_BYTES, " %s%s%s", value, change, whole);
	snprintf(ends[1], END_BYTES, " %s%s", value, change);
	snprintf(ends[2], END_BYTES, " %s", value);
	ends[3][0] = '\0';
}

void flame_labeler_init(struct flame_labeler *l, const struct flame *f,
			const struct result *r, bool use_unicode)
{
	*l = (struct flame_labeler){ .use_unicode = use_unicode };
	flame_words_init(&l->words, f, r);
	buf_init(&l->name, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&l->text, LIMIT_PAGE_TEXT_BYTES);
}

static void labeler_clear(struct flame_labeler *l, struct buf *text)
{
	l->has_failed |= text->state != BUF_OK;
	buf_clear(text);
}

bool flame_labeler_release(struct flame_labeler *l)
{
	labeler_clear(l, &l->name);
	labeler_clear(l, &l->text);
	buf_release(&l->name);
	buf_release(&l->text);
	return !l->has_failed;
}

bool flame_labeler_is_good(const struct flame_labeler *l)
{
	return !l->has_failed && l->name.state == BUF_OK &&
	       l->text.state == BUF_OK;
}

/* Appends the name if it fits together with the text after it. */
static bool add_whole(struct flame_labeler *l, struct str name, const char *end,
		      size_t columns)
{
	if (text_width(name) + strlen(end) > columns)
		return false;
	buf_add_str(&l->text, name);
	buf_add_text(&l->text, end);
	return true;
}

struct str flame_label(struct flame_labeler *l, enum flame_side side,
		       uint32_t node, size_t columns)
{
	const struct flame *f = l->words.f;
	char ends[ENDS][END_BYTES], mark[FLAME_MARK_BYTES];
	const char *dots = l->use_unicode ? "…" : "..";
	struct str name, end;
	struct cut cut;

	labeler_clear(l, &l->name);
	labeler_clear(l, &l->text);
	flame_mark(f, side, node, mark);
	if (columns < strlen(mark))
		mark[columns] = '\0';
	columns -= strlen(mark);
	buf_add_text(&l->text, mark);
	escape_terminal_buf(
		&l->name,
		name_shown(f->functions[f->nodes[node].function].name));
	write_ends(&l->words, side, node, *mark != '\0', ends);
	name = buf_str(&l->name);
	end = name_end(name);
	for (int i = 0; i < ENDS; i++)
		if (add_whole(l, name, ends[i], columns) ||
		    add_whole(l, end, ends[i], columns)) {
			l->has_whole |= !i && strcmp(ends[0], ends[1]) != 0;
			return buf_str(&l->text);
		}
	end = name_fit(name, columns);
	if (!add_whole(l, end, "", columns) && columns >= NAME_LETTERS_MIN) {
		cut = text_cut(end, columns, text_width(str_from(dots)));
		buf_add_str(&l->text, cut.head);
		buf_add_text(&l->text, dots);
		buf_add_str(&l->text, cut.tail);
	}
	return buf_str(&l->text);
}

/* Paragraphs above a flame graph, see flame.h. */

struct head {
	struct page *page;
	const struct flame *f;
	const struct result *r;
};

static const char *const scope_texts[] = {
	[SCOPE_SERVICE] = "all requests of the service",
	[SCOPE_INSTANCE] = "one instance of the service",
	[SCOPE_COHORT] = "similar slow requests",
	[SCOPE_SPAN] = "this span",
};

/* Returns whether the type does not say what was measured, as often in
 * files. */
static bool is_unnamed(const struct result *r)
{
	return str_equal(str_from(measure_word(r->profile.type)),
			 STR("the profile"));
}

static void head_title(const struct head *p)
{
	const struct result *r = p->r;
	struct page *page = p->page;
	char took[24];

	if (r->has_span) {
		format_duration(r->span.duration_ns, took);
		page_name(page, r->span.service, 0);
		page_text(page, "  ");
		page_name(page, r->span.name, 0);
		page_textf(page, "  %s", took);
	} else {
		if (!is_unnamed(r))
			page_textf(page, "%s  ", measure_word(r->profile.type));
		page_foreign(page, r->profile.text.len ? r->profile.text
						       : r->profile.selector);
	}
}

static void head_side(const struct head *p, const char *label,
		      const struct extent *e, int64_t total, struct str name)
{
	struct page *page = p->page;
	char value[UNIT_TEXT_BYTES];

	page_text(page, label);
	if (e->range.from_ns || e->range.to_ns) {
		page_window(page, e->range, 0);
		page_text(page, ", ");
	}
	if (e->range.to_ns || e->samples >= 0)
		page_extent(page, e);
	if (e->samples != total || !is_unnamed(p->r)) {
		if (e->range.to_ns || e->samples >= 0)
			page_text(page, ", ");
		format_value(total, p->r->profile.unit, value);
		page_textf(page, "%s of %s", value,
			   measure_word(p->r->profile.type));
	}
	if (name.len) {
		page_text(page, ", ");
		page_foreign(page, name);
	}
}

static void head_after(const struct head *p)
{
	const struct profile_info *i = &p->r->profile;
	const struct extent e = { i->range, i->samples, i->instances,
				  i->requests, i->is_requests_sampled };
	bool is_slow = p->r->has_span;

	head_side(p, p->f->has_baseline ? "after: " : "", &e, i->total_value,
		  is_slow ? i->selector : STR(""));
	if (is_slow && i->is_file)
		page_text(p->page, ", a profile file");
	else if (is_slow)
		page_textf(p->page, ", %s", scope_texts[i->scope]);
}

static void head_before(const struct head *p)
{
	const struct baseline_info *b = &p->r->baseline;
	const struct extent e = { b->range, b->samples, b->instances,
				  b->requests, b->is_requests_sampled };

	head_side(p, "baseline: ", &e, b->total_value,
		  b->text.len ? b->text : b->kind);
}

void flame_head_compared(struct page *page, const struct flame *f)
{
	static const char *const ways[] = {
		[NORMALIZE_SHARE] = "shares of each side",
		[NORMALIZE_RATE] = "values per second",
		[NORMALIZE_REQUEST] = "values per request",
		[NORMALIZE_VALUE] = "the values of each side",
	};

	if (f->has_baseline)
		page_textf(page, "compared: %s", ways[f->normalize]);
}

static void head_how(const struct head *p)
{
	struct page *page = p->page;
	bool has_gone = false;

	for (uint32_t i = 0; i < p->f->node_count && !has_gone; i++)
		has_gone = flame_is_gone(&p->f->nodes[i]);
	page_textf(page, "%s; frame width: ",
		   p->f->is_reversed ? "callees first" : "callers first");
	if (p->f->has_baseline)
		page_textf(page,
			   "the larger side of its stacks, baseline or "
			   "comparison; %s",
			   has_gone ? "hatched: gone in the comparison; " : "");
	else
		page_textf(page, "its value and all %s",
			   p->f->is_reversed ? "callers above it"
					     : "below it");
	flame_head_compared(page, p->f);
}

static void head_negative(const struct head *p)
{
	const struct flame *f = p->f;
	char value[UNIT_TEXT_BYTES];

	if (!f->negative[FLAME_SLOW] && !f->negative[FLAME_BASELINE])
		return;
	format_value(f->negative[FLAME_SLOW] ? f->negative[FLAME_SLOW]
					     : f->negative[FLAME_BASELINE],
		     f->unit, value);
	page_textf(p->page, "not drawn: stacks of negative values, %s", value);
}

static void head_cut(const struct head *p)
{
	if (p->f->cut_stacks)
		page_textf(p->page,
			   "%u stacks are cut off: the tree is larger "
			   "than %u frames",
			   (unsigned)p->f->cut_stacks, LIMIT_FLAME_NODES);
}

void flame_head_write(struct page *page, enum flame_head_part part,
		      const struct flame *f, const struct result *r)
{
	static void (*const parts[FLAME_HEAD_PARTS])(const struct head *p) = {
		[FLAME_HEAD_TITLE] = head_title,
		[FLAME_HEAD_AFTER] = head_after,
		[FLAME_HEAD_BEFORE] = head_before,
		[FLAME_HEAD_HOW] = head_how,
		[FLAME_HEAD_NEGATIVE] = head_negative,
		[FLAME_HEAD_CUT] = head_cut,
	};
	const struct head p = { page, f, r };

	if (part != FLAME_HEAD_BEFORE || f->has_baseline)
		parts[part](&p);
}

bool flame_has_blamed(const struct flame *f)
{
	for (uint32_t i = 0; i < f->function_count; i++)
		if (f->functions[i].is_to_blame)
			return true;
	return false;
}

void flame_head_colors(struct page *page, const struct flame *f,
		       enum palette palette)
{
	bool has_change = false;

	for (uint32_t i = 0; i < f->function_count && !has_change; i++)
		has_change = change_is_real(f->functions[i].change);
	page_textf(page, "colour by %s", flame_palette_words(palette));
	if (palette == PALETTE_DIFF)
		page_text(page,
			  has_change ? ": how much of the frame came or "
				       "went, only where the change of its "
				       "function is no noise"
				     : ": no function changed significantly");
	if (flame_has_blamed(f))
		page_text(page, "; outlined: the function to blame");
}
