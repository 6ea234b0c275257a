/* SPDX-License-Identifier: Apache-2.0
 *
 * What spent an error budget, as a table: a row for each cause, and below it
 * the command that shows one of its requests.
 */
#include <stdio.h>

#include "base/num.h"
#include "render/json_parts.h"
#include "render/page.h"
#include "render/units.h"
#include "report/slo_answer.h"

#define SHARE_COLUMNS 9u
#define INTERVAL_COLUMNS 14u
#define CAUSE_COLUMNS 12u

const char *slo_cause_name(const struct spent_request *r)
{
	return r->is_failed ? "error" : json_cause(r->cause);
}

static const char *cause_words(const struct spent_request *r)
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
	char text[UNIT_TEXT_BYTES], interval[2 * UNIT_TEXT_BYTES];

	snprintf(text, sizeof text, "%.1f", 100 * share);
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, SHARE_COLUMNS, text);
	snprintf(interval, sizeof interval, "%.0f to %.0f", 100 * low,
		 100 * high);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, INTERVAL_COLUMNS, interval);
	page_paint(p, PAINT_NONE, "  ");
}

static void write_head(struct page *p, const struct slo_answer *answer)
{
	const struct slo_spent *s = answer->spent;
	char count[COUNT_TEXT_BYTES], bad[COUNT_TEXT_BYTES];

	format_count((int64_t)s->spent.count, count);
	format_count(sat_round_f64(s->bad), bad);
	page_textf(p,
		   "What spent it, %% of the bad requests: %s of %s looked "
		   "at",
		   count, bad);
	page_flush(p, PAINT_NONE, "  ", 2);
	page_field(p, PAINT_DIM, ALIGN_RIGHT, SHARE_COLUMNS, "share");
	page_field(p, PAINT_DIM, ALIGN_RIGHT, INTERVAL_COLUMNS,
		   "95 % interval");
	page_paint(p, PAINT_DIM, "  cause       where\n");
}

static void write_row(struct page *p, const struct slo_answer *answer,
		      const struct spent_row *row)
{
	const struct spent_request *r = row->example;
	struct buf next;

	put_share(p, row->share, row->low, row->high);
	page_field(p, PAINT_NONE, ALIGN_LEFT, CAUSE_COLUMNS, cause_words(r));
	page_name(p, r->service, 0);
	page_text(p, " ");
	page_name(p, r->operation, 0);
	if (r->function.len) {
		page_text(p, " in ");
		page_name(p, r->function, 0);
		if (r->file.len) {
			page_text(p, " ");
			page_place_text(p, r->file, r->line);
		}
	}
	page_flush(p, PAINT_NONE, "", 0);
	buf_init(&next, LIMIT_OPTION_VALUE_BYTES);
	slo_next(answer, r, &next);
	if (next.len && next.state == BUF_OK && !p->style.is_quiet) {
		page_repeat(p, PAINT_NONE, " ",
			    SHARE_COLUMNS + INTERVAL_COLUMNS + 2);
		page_paint(p, PAINT_DIM, buf_text(&next));
		page_paint(p, PAINT_NONE, "\n");
	}
	buf_release(&next);
}

/* Less is what rounding leaves. */
#define UNEXPLAINED_LEAST 0.0005

void slo_spent_write(struct page *p, const struct slo_answer *answer)
{
	const struct spent *s = &answer->spent->spent;

	if (!s->count)
		return;
	write_head(p, answer);
	for (size_t i = 0; i < s->row_count; i++)
		write_row(p, answer, &s->rows[i]);
	if (s->unexplained >= UNEXPLAINED_LEAST) {
		put_share(p, s->unexplained, s->unexplained_low,
			  s->unexplained_high);
		page_paint(p, PAINT_DIM, "not explained\n");
	}
	page_paint(p, PAINT_NONE, "\n");
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
