/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_label.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "render/page.h"
#include "render/units.h"

/* Fewer letters of a name that is cut tell nothing. */
#define LETTERS_MIN 5

/* On the side of the baseline nothing grew. */
static char direction(const struct flame *f, enum flame_side side,
		      const struct flame_node *n)
{
	enum change change = f->functions[n->function].change;
	double moved = flame_moved(f, n);

	if (change_is_down(change) && moved < 0)
		return '-';
	return side == FLAME_SLOW && change_is_up(change) && moved > 0 ? '+'
								       : '\0';
}

void flame_mark(const struct flame *f, enum flame_side side, uint32_t node,
		char out[FLAME_MARK_BYTES])
{
	const struct flame_node *n = &f->nodes[node];
	char *at = out;

	if (f->has_baseline && node) {
		*at = direction(f, side, n);
		at += *at != '\0';
		if (f->functions[n->function].is_to_blame)
			*at++ = '!';
	}
	*at = '\0';
}

/* The texts behind the name, the longer first; the last is empty. */
#define ENDS 4
#define WHOLE_BYTES (UNIT_TEXT_BYTES + 12)
#define END_BYTES (2 * UNIT_TEXT_BYTES + WHOLE_BYTES + 4)

/* As tables have it where two sides are compared, else a share. */
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

/* " (1,300 ms in all)" of a function that has other paths; else nothing. */
static void whole_text(const struct flame_words *w, enum flame_side side,
		       const struct flame_node *n, const char *value,
		       char out[WHOLE_BYTES])
{
	int64_t total = w->f->functions[n->function].totals[side];
	char whole[UNIT_TEXT_BYTES];

	value_text(w, side, total, whole);
	out[0] = '\0';
	if (total > n->values[side].total && strcmp(whole, value) != 0)
		snprintf(out, WHOLE_BYTES, " (%s in all)", whole);
}

/* " +1,180" */
static void change_text(const struct flame_words *w, const struct flame_node *n,
			char out[UNIT_TEXT_BYTES + 1])
{
	int64_t now = scale_after(&w->scale, n->values[FLAME_SLOW].total);
	int64_t before =
		scale_before(&w->scale, n->values[FLAME_BASELINE].total);

	out[0] = ' ';
	scale_format_signed(&w->scale, now - before, out + 1);
}

static void write_ends(const struct flame_words *w, enum flame_side side,
		       uint32_t node, bool is_changed,
		       char ends[ENDS][END_BYTES])
{
	const struct flame_node *n = &w->f->nodes[node];
	char value[UNIT_TEXT_BYTES], change[UNIT_TEXT_BYTES + 1] = "";
	char whole[WHOLE_BYTES];

	value_text(w, side, n->values[side].total, value);
	whole_text(w, side, n, value, whole);
	if (is_changed && side != FLAME_BASELINE)
		change_text(w, n, change);
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

static void clear(struct flame_labeler *l, struct buf *text)
{
	l->has_failed |= text->state != BUF_OK;
	buf_clear(text);
}

bool flame_labeler_release(struct flame_labeler *l)
{
	clear(l, &l->name);
	clear(l, &l->text);
	buf_release(&l->name);
	buf_release(&l->text);
	return !l->has_failed;
}

bool flame_labeler_is_good(const struct flame_labeler *l)
{
	return !l->has_failed && l->name.state == BUF_OK &&
	       l->text.state == BUF_OK;
}

/* Adds the name if it fits with what is behind it. */
static bool add_whole(struct flame_labeler *l, struct str name, const char *end,
		      size_t columns)
{
	if (text_width(name) + strlen(end) > columns)
		return false;
	buf_add_str(&l->text, name);
	buf_add_text(&l->text, end);
	return true;
}

static void add_cut(struct flame_labeler *l, struct str name, size_t columns)
{
	const char *dots = l->use_unicode ? "…" : "..";
	size_t room = columns - text_width(str_from(dots));

	if (columns < LETTERS_MIN)
		return;
	buf_add_str(&l->text, str_slice(name, 0, text_fit(name, room)));
	buf_add_text(&l->text, dots);
}

struct str flame_label(struct flame_labeler *l, enum flame_side side,
		       uint32_t node, size_t columns)
{
	const struct flame *f = l->words.f;
	char ends[ENDS][END_BYTES], mark[FLAME_MARK_BYTES];
	struct str name, name_end;

	clear(l, &l->name);
	clear(l, &l->text);
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
	name_end = flame_name_end(name);
	for (int i = 0; i < ENDS; i++)
		if (add_whole(l, name, ends[i], columns) ||
		    add_whole(l, name_end, ends[i], columns)) {
			l->has_whole |= !i && strcmp(ends[0], ends[1]) != 0;
			return buf_str(&l->text);
		}
	name_end = flame_name_fit(name, columns);
	if (!add_whole(l, name_end, "", columns))
		add_cut(l, name_end, columns);
	return buf_str(&l->text);
}
