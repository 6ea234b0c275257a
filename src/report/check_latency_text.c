/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <math.h>
#include <stdio.h>

#include "investigate/check.h"
#include "render/page.h"
#include "render/units.h"
#include "report/texts.h"

#define CHANGE_COLUMNS 7u
#define WORD_COLUMNS 8u
#define NUMBER_COLUMNS 7u
#define NAME_MIN_COLUMNS 20u
#define QUANTILES 6u

/* ---- sentences ---- */

void check_latency_hit(const struct gate_hit *hit, struct buf *out)
{
	const struct latency_row *row = hit->operation;

	buf_add_text(out, "requests of ");
	wording_add(out, name_shown(row->name), WORDING_TEXT_BYTES);
	buf_add_text(out, " take ");
	check_more(hit->growth, "longer", "long", out);
	buf_add_text(out, ", p50 ");
	wording_add_duration(out, row->after.quantiles.p50_ns);
	buf_add_text(out, ", was ");
	wording_add_duration(out, row->before.quantiles.p50_ns);
}

/* The busiest that was tested. */
static const struct latency_row *first_tested(const struct check_latency *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->rows[i].change != LATENCY_FEW)
			return &l->rows[i];
	return NULL;
}

void check_latency_lack(const struct check *c, struct buf *out)
{
	const struct check_latency *l = &c->latency;
	const struct latency_row *row = first_tested(l);
	enum gates_lack lack = c->gates.lacks[GATE_LATENCY];

	if (lack == GATES_LACK_ANSWER) {
		buf_addf(out, "latency unknown: %s", l->reason);
		return;
	}
	if (lack == GATES_LACK_LATENCY && row) {
		buf_add_text(out, "growth by half of what requests of ");
		wording_add(out, name_shown(row->name), WORDING_TEXT_BYTES);
		buf_add_text(out, " take is not detectable");
	} else if (l->after.requests + l->before.requests == 0) {
		buf_add_text(out, "the traces hold no request (a span of kind "
				  "server or consumer) of ");
		wording_add(out, c->want->live.service, WORDING_TEXT_BYTES);
	} else {
		buf_addf(out,
			 "no operation has %u requests, from %u intervals of "
			 "its window, on both sides (they have %zu and %zu in "
			 "all)",
			 LATENCY_MIN_REQUESTS, LATENCY_MIN_RUNS,
			 l->after.requests, l->before.requests);
	}
	buf_add_text(out, ": give a longer window (--since)");
}

static void add_window(const struct latency_window *w, struct buf *out)
{
	char requests[COUNT_TEXT_BYTES], counted[COUNT_TEXT_BYTES];

	format_count((int64_t)w->requests, requests);
	buf_add_text(out, requests);
	if (w->counted < (int64_t)w->requests)
		return;
	format_count(w->counted, counted);
	buf_addf(out, " of %s%s", counted,
		 w->is_counted_part ? " or more" : "");
}

void check_latency_power(const struct check *c, struct buf *out)
{
	const struct check_latency *l = &c->latency;
	const struct latency_row *row = first_tested(l);
	const struct gates *g = &c->gates;
	double limit = g->limits.limit[GATE_LATENCY];
	char growth[UNIT_TEXT_BYTES];

	if (!l->is_known) {
		if (l->reason && (g->outcome != GATES_UNKNOWN ||
				  g->lacking != GATE_LATENCY))
			buf_addf(out, "latency unknown: %s", l->reason);
		return;
	}
	add_window(&l->after, out);
	buf_add_text(out, " examined, in the baseline ");
	add_window(&l->before, out);
	if (g->lacks[GATE_LATENCY]) {
		/* Else it is what the first line says. */
		if (g->outcome != GATES_UNKNOWN || g->lacking != GATE_LATENCY) {
			buf_add_text(out, "; latency is not judged: ");
			check_latency_lack(c, out);
		}
		return;
	}
	if (!row)
		return;
	format_growth(row->detectable, false, growth);
	buf_addf(out, "; detectable: %s or more in ", growth);
	wording_add(out, name_shown(row->name), WORDING_TEXT_BYTES);
	if (row->detectable > limit)
		buf_addf(out, "; the limit of %g %% is below that",
			 100 * limit);
}

void check_latency_notes(const struct check_latency *l, struct notes *notes)
{
	const struct latency_row *most = NULL;

	for (size_t i = 0; i < l->count; i++)
		if (l->rows[i].alike >= LATENCY_ALIKE &&
		    (!most || l->rows[i].alike > most->alike))
			most = &l->rows[i];
	if (most)
		notes_add(notes,
			  "requests close in time have similar durations, so "
			  "intervals vary as if there were %.1f times fewer "
			  "requests (%.*s): counted as noise; a longer window "
			  "detects more",
			  most->alike, STR_ARGS(most->name));
	if (l->count >= HISTORY_LEARNED)
		notes_add(notes,
			  "the latency of the first %u operations found was "
			  "examined; there may be more",
			  HISTORY_LEARNED);
}

/* ---- the table ---- */

static const char *const change_words[] = {
	[LATENCY_NOISE] = "noise",
	[LATENCY_LONGER] = "longer",
	[LATENCY_SHORTER] = "shorter",
	[LATENCY_FEW] = "few",
};

/* The changes that are the answer come first. */
static const enum latency_change order[] = { LATENCY_LONGER, LATENCY_SHORTER,
					     LATENCY_NOISE, LATENCY_FEW };

/* Milliseconds, three digits of them. */
static void format_ms(int64_t ns, char out[32])
{
	double ms = (double)ns / NS_PER_MS;

	if (ns < 0)
		snprintf(out, 32, "-");
	else
		snprintf(out, 32, "%.*f",
			 ms < 9.995   ? 2
			 : ms < 99.95 ? 1
				      : 0,
			 ms);
}

static void write_row(struct page *p, const struct latency_row *row)
{
	static const enum paint paints[] = {
		[LATENCY_LONGER] = PAINT_BAD,
		[LATENCY_SHORTER] = PAINT_GOOD,
		[LATENCY_NOISE] = PAINT_DIM,
		[LATENCY_FEW] = PAINT_DIM,
	};
	const struct latency_quantiles *now = &row->after.quantiles;
	const struct latency_quantiles *was = &row->before.quantiles;
	const int64_t values[QUANTILES] = { now->p50_ns, was->p50_ns,
					    now->p95_ns, was->p95_ns,
					    now->p99_ns, was->p99_ns };
	char change[UNIT_TEXT_BYTES], cells[QUANTILES][32];
	size_t before = CHANGE_COLUMNS + 2 + WORD_COLUMNS +
			QUANTILES * NUMBER_COLUMNS + 2;
	size_t room = p->width > before + NAME_MIN_COLUMNS ? p->width - before
							   : NAME_MIN_COLUMNS;

	check_growth_cell(row->growth, change);
	for (size_t i = 0; i < QUANTILES; i++)
		format_ms(values[i], cells[i]);
	if (p->style.is_markdown) {
		markdown_cell(p, change);
		for (size_t i = 0; i < QUANTILES; i++)
			markdown_cell(p, cells[i]);
		markdown_cell(p, change_words[row->change]);
		markdown_name_cell(p, name_shown(row->name));
		markdown_row_end(p);
		return;
	}
	page_field(p, paints[row->change], ALIGN_RIGHT, CHANGE_COLUMNS, change);
	page_repeat(p, PAINT_NONE, " ", 2);
	page_field(p, paints[row->change], ALIGN_LEFT, WORD_COLUMNS,
		   change_words[row->change]);
	for (size_t i = 0; i < QUANTILES; i++)
		page_field(p, i % 2 ? PAINT_DIM : PAINT_NONE, ALIGN_RIGHT,
			   NUMBER_COLUMNS, cells[i]);
	page_repeat(p, PAINT_NONE, " ", 2);
	page_cell(p, PAINT_BOLD, name_shown(row->name), p->width ? room : 0, 0);
	out_char(p->out, '\n');
}

static void write_head(struct page *p)
{
	static const char *const names[] = { "change", "p50", "was",
					     "p95",    "was", "p99",
					     "was",    "",    "operation" };

	page_text(p, "latency by operation, ms; change in % of the duration");
	markdown_or_title(p);
	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, 9, 7);
		return;
	}
	page_field(p, PAINT_BOLD, ALIGN_RIGHT, CHANGE_COLUMNS, names[0]);
	page_repeat(p, PAINT_NONE, " ", 2 + WORD_COLUMNS);
	for (size_t i = 1; i <= QUANTILES; i++)
		page_field(p, PAINT_BOLD, ALIGN_RIGHT, NUMBER_COLUMNS,
			   names[i]);
	page_paint(p, PAINT_BOLD, "  ");
	page_paint(p, PAINT_BOLD, names[8]);
	out_char(p->out, '\n');
}

void check_latency_table(struct page *p, const struct check *c)
{
	const struct check_latency *l = &c->latency;
	size_t limit = p->style.limit ? p->style.limit : SIZE_MAX;
	size_t shown = 0;

	if (!l->count)
		return;
	out_char(p->out, '\n');
	write_head(p);
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < l->count && shown < limit; i++)
			if (l->rows[i].change == order[k]) {
				write_row(p, &l->rows[i]);
				shown++;
			}
	if (shown < l->count) {
		page_textf(p, "%zu more; -n 0 shows all", l->count - shown);
		page_flush(p, PAINT_DIM, "  ", 2);
	}
}

/* ---- for programs ---- */

static void json_window(struct jsonw *w, const char *key,
			const struct latency_window *window)
{
	jsonw_addf(w, "%s:{from:%+jd, to:%+jd, requests:%zu, counted:%-jd}",
		   key, window->range.from_ns, window->range.to_ns,
		   window->requests, window->counted);
}

static void json_side(struct jsonw *w, const char *key,
		      const struct latency_side *side)
{
	jsonw_addf(w,
		   "%s:{requests:%zu, p50_ns:%-jd, p95_ns:%-jd, "
		   "p99_ns:%-jd}",
		   key, side->count, side->quantiles.p50_ns,
		   side->quantiles.p95_ns, side->quantiles.p99_ns);
}

void check_latency_json(struct jsonw *w, const struct check *c)
{
	const struct check_latency *l = &c->latency;
	enum gates_lack lack = c->gates.lacks[GATE_LATENCY];

	if (!jsonw_key_known(w, "latency", c->want->latency))
		return;
	jsonw_addf(w, "{reason:%s",
		   !l->is_known                  ? "no_answer"
		   : lack == GATES_LACK_REQUESTS ? "requests"
		   : lack == GATES_LACK_LATENCY  ? "latency_power"
						 : NULL);
	json_window(w, "candidate", &l->after);
	json_window(w, "baseline", &l->before);
	jsonw_addf(w, "operations:[");
	for (size_t i = 0; i < l->count; i++) {
		const struct latency_row *row = &l->rows[i];

		jsonw_addf(w, "{name:%.*s, change:%s", STR_WHOLE(row->name),
			   change_words[row->change]);
		json_side(w, "candidate", &row->after);
		json_side(w, "baseline", &row->before);
		jsonw_addf(w,
			   "growth:%.6f, growth_low:%.6f, growth_high:%.6f, "
			   "q:%.9f, alike:%.6f, seen_growth:%.6f}",
			   row->growth, row->low, row->high, row->q, row->alike,
			   row->detectable);
	}
	jsonw_addf(w, "]}");
}
