/* SPDX-License-Identifier: Apache-2.0
 *
 * What the head of a flame graph says: of what it is, of when, how much lies
 * behind it, and how to read it.
 */
#include "render/svg.h"
#include "render/formats.h"
#include "render/units.h"

struct head {
	struct svg *s;
	const struct flame *f;
	const struct result *r;
};

static const char *const scope_texts[] = {
	[SCOPE_SERVICE] = "all requests of the service",
	[SCOPE_INSTANCE] = "one instance of the service",
	[SCOPE_COHORT] = "requests slow like this one",
	[SCOPE_SPAN] = "this span",
};

/* The type says nothing of what was measured: that of files, often. */
static bool is_unnamed(const struct result *r)
{
	return str_equal(str_from(measure_word(r->profile.type)),
			 STR("the profile"));
}

static void head_title(const struct head *p)
{
	const struct result *r = p->r;
	struct page *page = &p->s->page;
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
	svg_take_title(p->s);
}

static void head_side(const struct head *p, const char *label,
		      const struct extent *e, int64_t total, struct str name)
{
	struct page *page = &p->s->page;
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
	if (is_slow)
		page_textf(&p->s->page, ", %s", scope_texts[i->scope]);
	svg_take_paragraph(p->s);
}

static void head_before(const struct head *p)
{
	const struct baseline_info *b = &p->r->baseline;
	const struct extent e = { b->range, b->samples, b->instances,
				  b->requests, b->is_requests_sampled };

	head_side(p, "before: ", &e, b->total_value,
		  b->text.len ? b->text : b->kind);
	svg_take_paragraph(p->s);
}

static bool has_change(const struct flame *f)
{
	for (uint32_t i = 0; i < f->function_count; i++)
		if (change_is_real(f->functions[i].change))
			return true;
	return false;
}

static void head_how(const struct head *p)
{
	static const char *const ways[] = {
		[NORMALIZE_SHARE] = "shares of each side",
		[NORMALIZE_RATE] = "values a second",
		[NORMALIZE_REQUEST] = "values a request",
	};
	struct page *page = &p->s->page;

	page_textf(page, "%s; a frame is as wide as what it and all %s took%s",
		   p->f->is_reversed ? "callees first" : "callers first",
		   p->f->is_reversed ? "callers before it" : "beneath it",
		   p->f->has_baseline ? " after" : "");
	if (p->f->has_baseline)
		page_textf(page,
			   "; compared: %s; colour: how much of the frame is "
			   "a change, only where the function's is no noise; "
			   "dark edge: functions to blame",
			   ways[p->f->normalize]);
	if (p->f->has_baseline && !has_change(p->f))
		page_text(page, "; no function changed for certain");
	svg_take_paragraph(p->s);
}

static void head_left_out(const struct head *p)
{
	const struct flame *f = p->f;
	struct page *page = &p->s->page;
	char value[UNIT_TEXT_BYTES];

	if (f->negative[FLAME_SLOW] || f->negative[FLAME_BASELINE]) {
		format_value(f->negative[FLAME_SLOW]
				     ? f->negative[FLAME_SLOW]
				     : f->negative[FLAME_BASELINE],
			     f->unit, value);
		page_textf(page, "not drawn: stacks of negative values, %s",
			   value);
		svg_take_paragraph(p->s);
	}
	if (f->cut_stacks) {
		page_textf(page,
			   "%u stacks are cut off: the tree is larger "
			   "than %u frames",
			   (unsigned)f->cut_stacks, LIMIT_FLAME_NODES);
		svg_take_paragraph(p->s);
	}
}

void svg_flame_head(struct svg *s, const struct flame *f,
		    const struct result *r)
{
	const struct head p = { s, f, r };

	head_title(&p);
	head_after(&p);
	if (f->has_baseline)
		head_before(&p);
	head_how(&p);
	head_left_out(&p);
}
