/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_head.h"

#include "render/flame_colors.h"
#include "render/units.h"

struct head {
	struct page *page;
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

	head_side(p, "before: ", &e, b->total_value,
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

static bool has_gone(const struct flame *f)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		if (flame_is_gone(&f->nodes[i]))
			return true;
	return false;
}

static void head_how(const struct head *p)
{
	struct page *page = p->page;

	page_textf(page, "%s; a frame is as wide as ",
		   p->f->is_reversed ? "callees first" : "callers first");
	if (p->f->has_baseline)
		page_textf(page,
			   "the larger side of its stacks, before or after; "
			   "%s",
			   has_gone(p->f) ? "hatched: not there after; " : "");
	else
		page_textf(page, "what it and all %s took",
			   p->f->is_reversed ? "callers before it"
					     : "beneath it");
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

static bool has_change(const struct flame *f)
{
	for (uint32_t i = 0; i < f->function_count; i++)
		if (change_is_real(f->functions[i].change))
			return true;
	return false;
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
	page_textf(page, "colour by %s", flame_palette_words(palette));
	if (palette == PALETTE_DIFF)
		page_text(page, has_change(f)
					? ": how much of the frame came or "
					  "went, only where the change of its "
					  "function is no noise"
					: ": no function changed for certain");
	if (flame_has_blamed(f))
		page_text(page, "; outlined: the function to blame");
}
