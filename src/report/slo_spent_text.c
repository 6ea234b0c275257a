/* SPDX-License-Identifier: Apache-2.0
 *
 * What spent an error budget, as a table: a row for each cause, and below it
 * the command that shows one of its requests.
 */
#include <stdio.h>

#include "base/count.h"
#include "base/num.h"
#include "render/json_parts.h"
#include "render/markdown.h"
#include "render/page.h"
#include "render/units.h"
#include "report/slo_answer.h"

#define SHARE_COLUMNS 9u
#define INTERVAL_COLUMNS 14u
#define CAUSE_COLUMNS 12u
#define WHERE_COLUMN (SHARE_COLUMNS + INTERVAL_COLUMNS + 2 + CAUSE_COLUMNS)

const char *slo_cause_name(const struct spent_request *r)
{
	return r->is_failed ? "error" : json_cause(r->cause);
}

const char *slo_cause_words(const struct spent_request *r)
{
	static const char *const words[] = {
		[CAUSE_UNKNOWN] = "unknown",  [CAUSE_CPU] = "computing",
		[CAUSE_ALLOC] = "allocation", [CAUSE_LOCK] = "lock",
		[CAUSE_WAIT] = "waiting",     [CAUSE_DOWNSTREAM] = "a call",
		[CAUSE_N_PLUS_ONE] = "N+1",   [CAUSE_NETWORK] = "network",
		[CAUSE_QUEUE] = "queue",      [CAUSE_CONTENTION] = "CPU short",
	};

	return r->is_failed ? "failed" : words[r->cause];
}

void slo_next(const struct slo_answer *answer, const struct spent_request *r,
	      struct buf *out)
{
	if (answer->servers.ptr)
		buf_addf(out, "tracefind slow %s%.*s", r->trace_id,
			 STR_ARGS(answer->servers));
}

static void put_share(struct page *p, double share, double low, double high)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(text, sizeof text, "%.1f", 100 * share);
	markdown_or_field(p, PAINT_BOLD, SHARE_COLUMNS, text);
	snprintf(text, sizeof text, "%.0f to %.0f", 100 * low, 100 * high);
	markdown_or_field(p, PAINT_NONE, INTERVAL_COLUMNS, text);
}

static void write_head(struct page *p, const struct slo_answer *answer)
{
	static const char *const names[] = { "share", "95 % interval", "cause",
					     "where", "function",      "next" };
	const struct slo_spent *s = answer->spent;
	char count[COUNT_TEXT_BYTES], bad[COUNT_TEXT_BYTES];

	format_count((int64_t)s->spent.count, count);
	format_count(sat_round_f64(s->bad), bad);
	page_textf(p,
		   "What spent it, %% of the bad requests: %s of %s looked "
		   "at",
		   count, bad);
	page_flush(p, PAINT_NONE, p->style.is_markdown ? "" : "  ",
		   p->style.is_markdown ? 0 : 2);
	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), 1);
		return;
	}
	markdown_or_field(p, PAINT_DIM, SHARE_COLUMNS, names[0]);
	markdown_or_field(p, PAINT_DIM, INTERVAL_COLUMNS, names[1]);
	page_paint(p, PAINT_DIM, "  cause       where\n");
}

/* In the columns beside the row's figures. */
static void write_where(struct page *p, const struct spent_request *r,
			const char *figures)
{
	page_name(p, r->service, 0);
	page_text(p, " ");
	page_name(p, r->operation, 0);
	if (r->function.len) {
		page_text(p, " in ");
		page_name(p, r->function, 0);
	}
	if (r->function.len && r->file.len) {
		page_text(p, " ");
		page_place_text(p, r->file, r->line);
	}
	page_flush(p, PAINT_NONE, figures, WHERE_COLUMN);
}

static void write_row(struct page *p, const struct spent_row *row,
		      struct str next)
{
	const struct spent_request *r = row->example;
	char interval[32], figures[96];

	snprintf(interval, sizeof interval, "%.0f to %.0f", 100 * row->low,
		 100 * row->high);
	snprintf(figures, sizeof figures, "%*.1f%*s  %s", (int)SHARE_COLUMNS,
		 100 * row->share, (int)INTERVAL_COLUMNS, interval,
		 slo_cause_words(r));
	write_where(p, r, figures);
	if (!next.len || p->style.is_quiet)
		return;
	page_repeat(p, PAINT_NONE, " ", SHARE_COLUMNS + INTERVAL_COLUMNS + 2);
	out_str(p->out, next);
	out_char(p->out, '\n');
}

static void write_markdown_row(struct page *p, const struct spent_row *row,
			       struct str next)
{
	const struct spent_request *r = row->example;

	put_share(p, row->share, row->low, row->high);
	markdown_cell(p, slo_cause_words(r));
	markdown_pair_cell(p, r->service, r->operation);
	markdown_name_cell(p, r->function);
	markdown_name_cell(p, next);
	markdown_row_end(p);
}

/* Less is what rounding leaves. */
#define UNEXPLAINED_LEAST 0.0005

static void write_unexplained(struct page *p, const struct spent *s)
{
	if (s->unexplained < UNEXPLAINED_LEAST)
		return;
	put_share(p, s->unexplained, s->unexplained_low, s->unexplained_high);
	if (!p->style.is_markdown) {
		page_paint(p, PAINT_DIM, "  not explained\n");
		return;
	}
	markdown_cell(p, "not explained");
	for (int i = 0; i < 3; i++)
		markdown_cell(p, "");
	markdown_row_end(p);
}

void slo_spent_write(struct page *p, const struct slo_answer *answer)
{
	const struct spent *s = &answer->spent->spent;
	struct buf next;

	if (!s->count)
		return;
	write_head(p, answer);
	buf_init(&next, LIMIT_OPTION_VALUE_BYTES);
	for (size_t i = 0; i < s->row_count; i++) {
		buf_clear(&next);
		slo_next(answer, s->rows[i].example, &next);
		if (p->style.is_markdown)
			write_markdown_row(p, &s->rows[i], buf_str(&next));
		else
			write_row(p, &s->rows[i], buf_str(&next));
	}
	if (next.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&next);
	write_unexplained(p, s);
	out_char(p->out, '\n');
}

/* ---- notes ---- */

static void note_kept(const struct slo_spent *s, struct notes *notes)
{
	char share[UNIT_TEXT_BYTES], time[TIME_RFC3339_BYTES];

	format_share(s->kept, share);
	format_rfc3339(s->from.from_ns, time);
	notes_add(notes,
		  "what spent it is of the %s of the bad requests since "
		  "%.19sZ: of earlier ones no traces are kept",
		  share, time);
}

void slo_add_spent_notes(const struct slo_spent *s, struct notes *notes)
{
	if (s->wanted && !s->spent.count && s->reason.code != ERROR_NONE)
		notes_add(notes, "what spent it is not known: %s",
			  s->reason.message);
	else if (s->wanted && !s->spent.count && s->missing_count)
		notes_add(notes, "what spent it is not known: no trace of a "
				 "bad request was found");
	if (!s->spent.count)
		return;
	if (s->from.from_ns > s->range.from_ns)
		note_kept(s, notes);
	if (s->missing_count)
		notes_add(notes,
			  "of %zu bad requests of the sample there is no trace",
			  s->missing_count);
	if (s->unread_count)
		notes_add(notes, "%zu traces of bad requests were not read: %s",
			  s->unread_count, s->reason.message);
}
