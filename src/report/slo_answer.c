/* SPDX-License-Identifier: Apache-2.0 */
#include "report/slo_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/jsonw.h"
#include "base/num.h"
#include "investigate/slo.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"
#include "report/chart.h"

/* The consumers of an error budget, as a table: a row for each cause, and below
 * it the command that shows one of its requests. */

#define SHARE_COLUMNS 9u
#define INTERVAL_COLUMNS 14u
#define CAUSE_COLUMNS 12u
#define WHERE_COLUMN (SHARE_COLUMNS + INTERVAL_COLUMNS + 2 + CAUSE_COLUMNS)

static void slo_html_write(const void *answer, struct out *out);
static void slo_json_write(const void *answer, struct out *out);

/* "N+1", "failed". */
static const char *slo_cause_words(const struct spent_request *r)
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

/* The command that looks at the example of a row; nothing where servers are not
 * known. */
static void slo_next(const struct slo_answer *answer,
		     const struct spent_request *r, struct buf *out)
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
		   "What consumed the budget, %% of the bad requests: %s of %s "
		   "examined",
		   count, bad);
	markdown_or_title(p);
	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), 1);
		return;
	}
	markdown_or_field(p, PAINT_DIM, SHARE_COLUMNS, names[0]);
	markdown_or_field(p, PAINT_DIM, INTERVAL_COLUMNS, names[1]);
	page_paint(p, PAINT_DIM, "  cause       where\n");
}

static void write_spent_row(struct page *p, const struct spent_row *row,
			    struct str next)
{
	const struct spent_request *r = row->example;
	char interval[32], figures[96];

	if (p->style.is_markdown) {
		put_share(p, row->share, row->low, row->high);
		markdown_cell(p, slo_cause_words(r));
		markdown_pair_cell(p, r->service, r->operation);
		markdown_name_cell(p, r->function);
		markdown_name_cell(p, next);
		markdown_row_end(p);
		return;
	}
	snprintf(interval, sizeof interval, "%.0f to %.0f", 100 * row->low,
		 100 * row->high);
	snprintf(figures, sizeof figures, "%*.1f%*s  %s", (int)SHARE_COLUMNS,
		 100 * row->share, (int)INTERVAL_COLUMNS, interval,
		 slo_cause_words(r));
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
	if (!next.len || p->style.is_quiet)
		return;
	page_repeat(p, PAINT_NONE, " ", SHARE_COLUMNS + INTERVAL_COLUMNS + 2);
	out_str(p->out, next);
	out_char(p->out, '\n');
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

/* The table of what spent the budget. */
static void slo_spent_write(struct page *p, const struct slo_answer *answer)
{
	const struct spent *s = &answer->spent->spent;
	struct buf next;

	if (!s->count)
		return;
	out_char(p->out, '\n');
	write_head(p, answer);
	buf_init(&next, LIMIT_OPTION_VALUE_BYTES);
	for (size_t i = 0; i < s->row_count; i++) {
		buf_clear(&next);
		slo_next(answer, s->rows[i].example, &next);
		write_spent_row(p, &s->rows[i], buf_str(&next));
	}
	if (next.state != BUF_OK)
		out_fail_memory(p->out);
	buf_release(&next);
	write_unexplained(p, s);
}

/* ---- notes ---- */

/* ---- notes ---- */

void slo_add_spent_notes(const struct slo_spent *s, struct notes *notes)
{
	char share[UNIT_TEXT_BYTES], time[TIME_RFC3339_BYTES];

	if (s->wanted && !s->spent.count && s->reason.code != ERROR_NONE)
		notes_add(notes, "what consumed the budget is unknown: %s",
			  s->reason.message);
	else if (s->wanted && !s->spent.count && s->missing_count)
		notes_add(notes, "what consumed the budget is unknown: no "
				 "trace of a bad request was found");
	if (!s->spent.count)
		return;
	if (s->from.from_ns > s->range.from_ns) {
		format_share(s->kept, share);
		format_rfc3339(s->from.from_ns, time);
		notes_add(notes,
			  "the breakdown covers the %s of the bad requests "
			  "since %.19sZ: earlier traces are not kept",
			  share, time);
	}
	if (s->missing_count)
		notes_add(notes,
			  "no trace was found for %zu bad request%s of the "
			  "sample",
			  s->missing_count, &"s"[s->missing_count == 1]);
	if (s->unread_count)
		notes_add(notes, "%zu %s not read: %s", s->unread_count,
			  s->unread_count == 1
				  ? "trace of a bad request was"
				  : "traces of bad requests were",
			  s->reason.message);
	if (s->late_count)
		notes_add(notes,
			  "%zu of %zu bad requests of the sample %s not "
			  "examined within --timeout",
			  s->late_count,
			  s->late_count + s->spent.count + s->missing_count +
				  s->unread_count,
			  s->late_count == 1 ? "was" : "were");
}

/* The error of computing with shares. */
#define ROUNDED 1e-9

#define LABEL_COLUMNS 14u
#define WINDOW_COLUMNS 8u
#define RATE_COLUMNS 9u

bool slo_is_spent(const struct slo *s)
{
	return burn_left(slo_budget(s)->count, s->objective) < -ROUNDED;
}

size_t slo_firing(const struct slo *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->pair_count; i++)
		count += slo_pair_fires(s, &s->pairs[i]);
	return count;
}

/* A share of requests in percent, with digits enough for the objective. It is
 * rounded down: what misses the objective never looks as if it met it. */
#define SLO_SHARE_BYTES 32

static void slo_share_text(const struct slo *s, double share,
			   char out[SLO_SHARE_BYTES])
{
	int digits = (int)ceil(-log10((1 - s->objective) * 100) - 1e-9) + 2;
	double scale;

	digits = digits < 2 ? 2 : digits > 8 ? 8 : digits;
	scale = pow(10, digits);
	snprintf(out, SLO_SHARE_BYTES, "%.*f %%", digits,
		 floor(share * 100 * scale + 1e-6) / scale);
}

void slo_objective_text(const struct slo *s, struct buf *out)
{
	char text[24];

	buf_addf(out, "%.10g %% of %s ", 100 * s->objective,
		 s->operation ? s->operation : "requests");
	if (s->threshold_ns) {
		format_duration(s->threshold_ns, text);
		buf_addf(out, "within %s and ", text);
	}
	format_duration(s->window_ns, text);
	buf_addf(out, "without error over %s", text);
}

/* ---- the first line ---- */

static void write_verdict(struct page *p, const struct slo *s)
{
	struct burn_count c = slo_budget(s)->count;
	char share[SLO_SHARE_BYTES], percent[UNIT_TEXT_BYTES];

	page_name(p, str_from(s->service), 0);
	if (s->operation) {
		page_text(p, " ");
		page_name(p, str_from(s->operation), 0);
	}
	page_text(p, slo_is_spent(s) ? " has no error budget left: "
		     : slo_firing(s) ? " burns its error budget too fast: "
				     : " keeps its objective: ");
	slo_share_text(s, 1 - c.bad / c.total, share);
	page_number(p, share);
	page_text(p, " of requests are good, the objective is ");
	snprintf(percent, sizeof percent, "%.10g %%", 100 * s->objective);
	page_number(p, percent);
	page_flush(p, slo_is_spent(s) || slo_firing(s) ? PAINT_BAD : PAINT_BOLD,
		   "", 0);
}

/* ---- how it stands ---- */

static void page_count(struct page *p, double count)
{
	char text[COUNT_TEXT_BYTES];

	format_count(sat_round_f64(count), text);
	page_number(p, text);
}

void slo_objective_write(struct page *p, const struct slo *s)
{
	struct time_range window = { s->to_ns - s->window_ns, s->to_ns };
	char share[24];

	snprintf(share, sizeof share, "%.10g %%", 100 * s->objective);
	page_number(p, share);
	page_text(p, " of ");
	if (s->operation)
		page_name(p, str_from(s->operation), 0);
	else
		page_text(p, "requests");
	if (s->threshold_ns) {
		format_duration(s->threshold_ns, share);
		page_textf(p, " within %s and", share);
	}
	page_text(p, " without error, ");
	page_window(p, window, 0);
	page_flush(p, PAINT_NONE, "  objective", LABEL_COLUMNS);
}

static void write_requests(struct page *p, const struct slo *s)
{
	const struct slo_window *w = slo_budget(s);

	page_count(p, w->count.total);
	page_text(p, w->is_sample ? " traces examined, " : ", ");
	page_count(p, w->count.bad);
	page_text(p, " of them bad");
	if (s->failed >= 0) {
		page_text(p, ", ");
		page_count(p, s->failed);
		page_text(p, " failed");
	}
	page_flush(p, PAINT_NONE, "  requests", LABEL_COLUMNS);
}

static void write_budget(struct page *p, const struct slo *s)
{
	struct burn_count c = slo_budget(s)->count;
	double spent = burn_rate(c, s->objective);
	double allowed = c.total * (1 - s->objective);
	char text[UNIT_TEXT_BYTES];

	format_share(spent, text);
	page_number(p, text);
	page_text(p, " spent: ");
	page_count(p, c.bad);
	page_text(p, " of ");
	if (allowed < 10)
		snprintf(text, sizeof text, "%.2g", allowed);
	else
		format_count(sat_round_f64(allowed), text);
	page_number(p, text);
	page_text(p, " bad requests allowed");
	page_flush(p, PAINT_NONE, "  budget", LABEL_COLUMNS);
}

static void write_forecast(struct page *p, const struct slo *s)
{
	const struct slo_window *now = slo_present(s);
	double rate = burn_rate(now->count, s->objective);
	double seconds = slo_seconds_left(s);
	char text[24];

	if (seconds <= 0) {
		page_text(p, "no budget is left");
	} else if (isinf(seconds)) {
		page_text(p, "the budget lasts");
	} else {
		format_duration(sat_round_f64(seconds) * NS_PER_S, text);
		page_textf(p, "the budget is used up in %s", text);
	}
	format_duration(now->length_ns, text);
	page_textf(p,
		   ": %s burn rate %.2f",
		   text, rate);
	page_flush(p, PAINT_NONE, "  forecast", LABEL_COLUMNS);
}

void slo_source_write(struct page *p, const struct slo *s)
{
	const struct metric_source *source = &s->indicator.source;

	if (source->name)
		page_textf(p, "%s (%s)", source->name->name,
			   source->name->from);
	else
		page_text(p, "traces");
	page_flush(p, PAINT_NONE, "  source", LABEL_COLUMNS);
}

/* ---- burn rates ---- */

static void put_rate(struct page *p, const struct slo *s, int64_t length_ns,
		     bool is_above)
{
	const struct slo_window *w = slo_window(s, length_ns);
	char window[24], rate[24] = "-";

	format_duration(length_ns, window);
	if (w->is_known && w->count.total > 0)
		snprintf(rate, sizeof rate, "%.2f",
			 burn_rate(w->count, s->objective));
	markdown_or_field(p, PAINT_NONE, WINDOW_COLUMNS, window);
	markdown_or_field(p, is_above ? PAINT_BAD : PAINT_NONE, RATE_COLUMNS,
			  rate);
}

/* "quiet: no requests in 5 m" */
#define STATE_BYTES 48

static void write_pair(struct page *p, const struct slo *s,
		       const struct burn_pair *pair)
{
	bool fires = slo_pair_fires(s, pair);
	const struct slo_window *brief = slo_window(s, pair->short_ns);
	char limit[24], length[24], state[STATE_BYTES];

	format_duration(pair->short_ns, length);
	if (!burn_pair_can_fire(pair, s->objective))
		snprintf(state, sizeof state, "never reached");
	else if (slo_pair_is_open(s, pair))
		snprintf(state, sizeof state, "not known");
	else if (fires)
		snprintf(state, sizeof state, "fires: %s",
			 pair->is_page ? "page" : "ticket");
	else if (brief->is_known && !(brief->count.total > 0))
		snprintf(state, sizeof state, "quiet: no requests in %s",
			 length);
	else
		snprintf(state, sizeof state, "quiet");

	put_rate(p, s, pair->long_ns, fires);
	put_rate(p, s, pair->short_ns, fires);
	snprintf(limit, sizeof limit, "%.4g", pair->rate);
	markdown_or_field(p, PAINT_NONE, RATE_COLUMNS, limit);
	if (p->style.is_markdown) {
		markdown_cell(p, state);
		markdown_row_end(p);
		return;
	}
	page_paint(p, PAINT_NONE, "  ");
	page_paint(p, fires ? PAINT_BAD : PAINT_DIM, state);
	page_paint(p, PAINT_NONE, "\n");
}

static void write_burn_head(struct page *p)
{
	static const char *const names[] = { "window", "rate",  "window",
					     "rate",   "limit", "state" };

	if (p->style.is_markdown) {
		out_char(p->out, '\n');
		markdown_head(p, names, COUNT_OF(names), COUNT_OF(names) - 1);
		return;
	}
	for (size_t i = 0; i + 1 < COUNT_OF(names); i++)
		markdown_or_field(p, PAINT_DIM,
				  i == 0 || i == 2 ? WINDOW_COLUMNS
						   : RATE_COLUMNS,
				  names[i]);
	page_paint(p, PAINT_NONE, "\n");
}

void slo_burn_write(struct page *p, const struct slo *s)
{
	if (!s->pair_count)
		return;
	out_char(p->out, '\n');
	page_text(p, "Burn rate (1: the budget lasts exactly the window)");
	markdown_or_title(p);
	write_burn_head(p);
	for (size_t i = 0; i < s->pair_count; i++)
		write_pair(p, s, &s->pairs[i]);
}

static void write_text(const void *data, const struct render_style *style,
		       struct out *out)
{
	const struct slo_answer *answer = data;
	const struct slo *s = answer->slo;
	struct page p;

	page_begin(&p, style, out);
	if (answer->part != SLO_REST) {
		write_verdict(&p, s);
		out_char(out, '\n');
		slo_objective_write(&p, s);
		write_requests(&p, s);
		write_budget(&p, s);
		write_forecast(&p, s);
		slo_source_write(&p, s);
		slo_burn_write(&p, s);
	}
	if (answer->part == SLO_NUMBERS) {
		page_end(&p);
		return;
	}
	slo_spent_write(&p, answer);
	if (!style->is_quiet && answer->notes->count) {
		out_char(out, '\n');
		page_notes(&p, answer->notes, STR(""));
	}
	page_end(&p);
}

const struct answer_writer slo_writer = {
	.table = write_text,
	.json = slo_json_write,
	.html = slo_html_write,
	.others =
		(const struct answer_format[]){
			{ "prometheus", slo_prometheus_write },
			{ "openslo", slo_openslo_write },
			{ "google", google_slo_write },
			{ NULL, NULL } },
};

/* ---- beside the answer ---- */

void slo_lack_text(const struct slo *s, struct buf *out)
{
	static const char *const texts[] = {
		[SLO_LACKS_METRIC] = "no known metric has this service",
		[SLO_LACKS_LATENCY] = "none of the known metrics has request "
				      "durations",
		[SLO_LACKS_OPERATION] = "the metric does not separate "
					"operations",
		[SLO_LACKS_BUCKETS] = "the histogram's buckets end below the "
				      "threshold",
	};

	buf_add_text(out, s->lack == SLO_LACKS_SERVER ? s->why.message
						      : texts[s->lack]);
}

static void note_bound(const struct slo *s, struct notes *notes)
{
	char threshold[24], bound[24], other[24], share[SLO_SHARE_BYTES];
	double total = slo_budget(s)->count.total;

	format_duration(s->threshold_ns, threshold);
	format_duration(s->bound_ns, bound);
	format_duration(s->other_ns, other);
	if (s->is_interpolated)
		notes_add(notes,
			  "the native histogram is interpolated at %s within "
			  "its bucket",
			  threshold);
	if (!s->other_ns)
		return;
	if (s->other_bad < 0) {
		notes_add(notes,
			  "no bucket ends at %s: requests up to %s count as "
			  "good",
			  threshold, bound);
		return;
	}
	slo_share_text(s, 1 - s->other_bad / total, share);
	notes_add(notes,
		  "no bucket ends at %s: requests up to %s count as good; up "
		  "to %s the share would be %s",
		  threshold, bound, other, share);
}

static void note_traces(const struct slo *s, struct notes *notes)
{
	struct buf why;

	buf_init(&why, LIMIT_ERROR_BYTES);
	slo_lack_text(s, &why);
	notes_add(notes, "source: traces; no metrics: %s",
		  buf_text(&why));
	buf_release(&why);
	notes_add(notes,
		  "only requests with kept traces are counted; tail sampling "
		  "that keeps slow traces makes the bad share too high, and so "
		  "do failed spans in requests that succeeded");
	if (slo_budget(s)->is_sample)
		notes_add(notes, "more traces exist than were examined: shares "
				 "are from a sample, in which a trace with a "
				 "failed span counts as bad");
}

void slo_add_notes(const struct slo *s, struct notes *notes)
{
	const struct metric_source *source = &s->indicator.source;
	size_t unknown = 0;

	if (!source->name)
		note_traces(s, notes);
	else if (!s->indicator.tells_errors)
		notes_add(notes,
			  "%s does not show which requests failed: only slow "
			  "requests count as bad",
			  source->name->name);
	note_bound(s, notes);
	for (size_t i = 0; i < s->window_count; i++)
		unknown += !s->windows[i].is_known;
	if (unknown)
		notes_add(notes, "queries for %zu of %zu windows failed: %s",
			  unknown, s->window_count, s->why.message);
}

/* A page of its own: what spent the error budget as bars with their intervals,
 * and the report below them. */

/* A row: a line of words, and its bar below that. */
#define ROW 46
#define BAR_TOP 20
#define BAR_HEIGHT 14
/* The scale ends before the share that stands behind a whole bar. */
#define FULL (CHART_WIDTH - 80)

static void draw_bar(const struct chart *c, size_t i, struct str text,
		     const double share[3])
{
	double y = (double)(i * ROW), middle = y + BAR_TOP + BAR_HEIGHT / 2.;
	char percent[16];

	chart_text(c, 0, y + BAR_TOP - 6, "start", text);
	outf(c->out,
	     "<rect x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
	     "fill=\"var(--bad)\" fill-opacity=\"0.6\"/>\n"
	     "<path stroke=\"currentColor\" d=\"M%.1f %.1fH%.1f\"/>\n",
	     y + BAR_TOP, FULL * share[0], BAR_HEIGHT, FULL * share[1], middle,
	     FULL * share[2]);
	snprintf(percent, sizeof percent, "%.1f %%", 100 * share[0]);
	chart_text(c, FULL * share[2] + 8, middle + 4, "start",
		   str_from(percent));
}

static void write_bars(const struct spent *s, struct out *out)
{
	const struct chart c = { .out = out };
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	outf(out,
	     "<svg viewBox=\"0 0 %d %zu\" width=\"100%%\" role=\"img\" "
	     "aria-label=\"shares of the bad requests\">\n",
	     CHART_WIDTH, (s->row_count + 1) * ROW);
	for (size_t i = 0; i < s->row_count; i++) {
		const struct spent_row *row = &s->rows[i];
		const struct spent_request *r = row->example;
		const double share[] = { row->share, row->low, row->high };

		buf_clear(&text);
		buf_addf(&text, "%s: ", slo_cause_words(r));
		buf_add_str(&text, r->service);
		buf_add_char(&text, ' ');
		buf_add_str(&text, r->operation);
		if (r->function.len) {
			buf_add_text(&text, " in ");
			buf_add_str(&text, r->function);
		}
		draw_bar(&c, i, buf_str(&text), share);
	}
	draw_bar(&c, s->row_count, STR("not explained"),
		 (const double[]){ s->unexplained, s->unexplained_low,
				   s->unexplained_high });
	out_text(out, "</svg>\n");
	if (text.state != BUF_OK)
		out_fail_memory(out);
	buf_release(&text);
}

static void slo_html_write(const void *answer, struct out *out)
{
	const struct slo_answer *a = answer;
	struct buf subject;

	buf_init(&subject, LIMIT_PAGE_TEXT_BYTES);
	buf_addf(&subject, "%s: ", a->slo->service);
	slo_objective_text(a->slo, &subject);
	chart_page_begin(out, "error budget: ", buf_str(&subject));
	if (a->spent->spent.count)
		write_bars(&a->spent->spent, out);
	chart_page_end(out, &slo_writer, a);
	buf_release(&subject);
}

void slo_json_objective(struct jsonw *w, const struct slo *s)
{
	const struct time_range window = { s->to_ns - s->window_ns, s->to_ns };

	jsonw_addf(w,
		   "service:%s, operation:%s, objective:%.12f, "
		   "threshold_ns:%-jd, window_ns:%jd",
		   s->service, s->operation, s->objective,
		   s->threshold_ns ? s->threshold_ns : -1, s->window_ns);
	json_range(w, window);
}

static void write_json_requests(struct jsonw *w, const struct slo *s)
{
	const struct slo_window *b = slo_budget(s);

	jsonw_addf(w,
		   "good_share:%.9f, requests:%.1f, bad_requests:%.1f, "
		   "failed_requests:%-.1f",
		   1 - b->count.bad / b->count.total, b->count.total,
		   b->count.bad, s->failed);
	jsonw_addf(w, "is_sample:%i, budget_spent:%.6f, budget_left:%.6f",
		   b->is_sample, burn_rate(b->count, s->objective),
		   burn_left(b->count, s->objective));
}

static void write_row(struct jsonw *w, const struct slo_answer *answer,
		      const struct spent_row *row)
{
	const struct spent_request *r = row->example;
	struct buf next;

	jsonw_addf(w,
		   "{share:%.6f, share_low:%.6f, share_high:%.6f, "
		   "requests:%zu, excess_ns:%jd, cause:%s, service:%.*s",
		   row->share, row->low, row->high, row->count, row->excess_ns,
		   r->is_failed ? "error" : json_cause(r->cause),
		   STR_WHOLE(r->service));
	jsonw_addf(w,
		   "operation:%-.*s, function:%-.*s, file:%-.*s, line:%-u, "
		   "trace_id:%s, duration_ns:%jd",
		   STR_WHOLE(r->operation), STR_WHOLE(r->function),
		   STR_WHOLE(r->file), r->line, r->trace_id, r->duration_ns);
	buf_init(&next, LIMIT_OPTION_VALUE_BYTES);
	slo_next(answer, r, &next);
	jsonw_pair_known_str(w, "next", buf_str(&next));
	buf_release(&next);
	jsonw_object_end(w);
}

static void write_sample(struct jsonw *w, const struct slo_spent *s)
{
	jsonw_object(w);
	json_range(w, s->from);
	jsonw_addf(w,
		   "bad_requests:%.1f, kept_share:%.6f, investigated:%zu, "
		   "missing:%zu, unread:%zu, late:%zu",
		   s->bad, s->kept, s->spent.count, s->missing_count,
		   s->unread_count, s->late_count);
	jsonw_addf(w,
		   "excess_ns:%jd, unexplained:%.6f, unexplained_low:%.6f, "
		   "unexplained_high:%.6f}",
		   s->spent.excess_ns, s->spent.unexplained,
		   s->spent.unexplained_low, s->spent.unexplained_high);
}

static void write_json_forecast(struct jsonw *w, const struct slo *s)
{
	const struct slo_window *now = slo_present(s);
	double seconds = round(slo_seconds_left(s));

	jsonw_addf(w, "forecast:{rate:%.6f, rate_of_ns:%jd, seconds_left:%.0f",
		   burn_rate(now->count, s->objective), now->length_ns,
		   seconds);
	if (jsonw_key_known(w, "used_up_at", isfinite(seconds)))
		jsonw_addf(w, "%+jd",
			   sat_add_i64(s->to_ns,
				       sat_round_f64(seconds * NS_PER_S)));
	jsonw_object_end(w);
}

static double rate_of(const struct slo *s, int64_t length_ns)
{
	const struct slo_window *window = slo_window(s, length_ns);
	bool has_any = window->is_known && window->count.total > 0;

	return has_any ? burn_rate(window->count, s->objective) : NAN;
}

void slo_json_pairs(struct jsonw *w, const struct slo *s)
{
	jsonw_addf(w, "burn:[");
	for (size_t i = 0; i < s->pair_count; i++) {
		const struct burn_pair *pair = &s->pairs[i];

		jsonw_addf(w,
			   "{long_ns:%jd, short_ns:%jd, long_rate:%.6f, "
			   "short_rate:%.6f",
			   pair->long_ns, pair->short_ns,
			   rate_of(s, pair->long_ns),
			   rate_of(s, pair->short_ns));
		jsonw_addf(w, "limit:%.6f, severity:%s, can_fire:%i, fires:%-i}",
			   pair->rate, pair->is_page ? "page" : "ticket",
			   burn_pair_can_fire(pair, s->objective),
			   slo_pair_is_open(s, pair) ? -1
						     : slo_pair_fires(s, pair));
	}
	jsonw_array_end(w);
}

void slo_json_source(struct jsonw *w, const struct slo *s)
{
	const struct metric_name *name = s->indicator.source.name;

	jsonw_addf(w,
		   "measured_by:%s, metric:%s, bound_ns:%-jd, "
		   "other_bound_ns:%-jd, other_bad_requests:%-.1f, "
		   "is_interpolated:%i",
		   name ? "metrics" : "traces", name ? name->name : NULL,
		   s->bound_ns ? s->bound_ns : -1,
		   s->other_ns ? s->other_ns : -1, s->other_bad,
		   s->is_interpolated);
}

static void slo_json_write(const void *data, struct out *out)
{
	const struct slo_answer *answer = data;
	const struct slo *s = answer->slo;
	const struct slo_spent *spent = answer->spent;
	struct jsonw w;

	json_begin(&w, out, "slo");
	jsonw_addf(&w, "state:%s",
		   slo_is_spent(s) ? "spent"
		   : slo_firing(s) ? "burning"
				   : "kept");
	slo_json_objective(&w, s);
	write_json_requests(&w, s);
	jsonw_addf(&w, "spent:[");
	for (size_t i = 0; i < spent->spent.row_count; i++)
		write_row(&w, answer, &spent->spent.rows[i]);
	jsonw_array_end(&w);
	if (jsonw_key_known(&w, "sample", spent->spent.count))
		write_sample(&w, spent);
	write_json_forecast(&w, s);
	slo_json_pairs(&w, s);
	jsonw_addf(&w, "windows:[");
	for (size_t i = 0; i < s->window_count; i++) {
		const struct slo_window *v = &s->windows[i];

		jsonw_addf(&w,
			   "{length_ns:%jd, requests:%.1f, bad_requests:%.1f, "
			   "is_sample:%i}",
			   v->length_ns, v->is_known ? v->count.total : NAN,
			   v->is_known ? v->count.bad : NAN, v->is_sample);
	}
	jsonw_array_end(&w);
	slo_json_source(&w, s);
	json_end(&w, answer->notes);
}
