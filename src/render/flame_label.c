/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_label.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "render/flame_text.h"
#include "render/page.h"
#include "render/units.h"

/* Fewer letters of a name tell nothing. */
#define LETTERS_MIN 3

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

/* " (53.3 % in all)" of a function that has other paths; else nothing. */
static void whole_text(const struct flame *f, enum flame_side side,
		       const struct flame_node *n, const char *share,
		       char out[WHOLE_BYTES])
{
	int64_t total = f->functions[n->function].totals[side];
	char whole[UNIT_TEXT_BYTES];

	format_share(flame_share(f, side, (double)total), whole);
	out[0] = '\0';
	if (total > n->values[side].total && strcmp(whole, share) != 0)
		snprintf(out, WHOLE_BYTES, " (%s in all)", whole);
}

static void write_ends(const struct flame *f, enum flame_side side,
		       uint32_t node, bool is_changed,
		       char ends[ENDS][END_BYTES])
{
	const struct flame_node *n = &f->nodes[node];
	char share[UNIT_TEXT_BYTES], points[UNIT_TEXT_BYTES + 1] = "";
	char whole[WHOLE_BYTES];

	format_share(flame_share(f, side, (double)n->values[side].total),
		     share);
	whole_text(f, side, n, share, whole);
	if (is_changed && side != FLAME_BASELINE) {
		points[0] = ' ';
		format_points(flame_share(f, FLAME_SLOW, flame_moved(f, n)),
			      points + 1);
	}
	snprintf(ends[0], END_BYTES, " %s%s%s", share, points, whole);
	snprintf(ends[1], END_BYTES, " %s%s", share, points);
	snprintf(ends[2], END_BYTES, " %s", share);
	ends[3][0] = '\0';
}

void flame_labeler_init(struct flame_labeler *l, const struct flame *f,
			bool use_unicode)
{
	*l = (struct flame_labeler){ .f = f, .use_unicode = use_unicode };
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
	const struct flame *f = l->f;
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
	write_ends(f, side, node, *mark != '\0', ends);
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
