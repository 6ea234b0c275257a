/* SPDX-License-Identifier: Apache-2.0 */
#include "report/slo_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/count.h"
#include "base/num.h"
#include "render/markdown.h"
#include "render/page.h"
#include "render/units.h"

/* What computing with shares loses. */
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

void slo_share_text(const struct slo *s, double share,
		    char out[SLO_SHARE_BYTES])
{
	int digits = (int)ceil(-log10((1 - s->objective) * 100) - 1e-9) + 2;
	double scale;

	digits = digits < 2 ? 2 : digits > 8 ? 8 : digits;
	scale = pow(10, digits);
	snprintf(out, SLO_SHARE_BYTES, "%.*f %%", digits,
		 floor(share * 100 * scale + 1e-6) / scale);
}

static double good_share(const struct slo *s)
{
	struct burn_count c = slo_budget(s)->count;

	return 1 - c.bad / c.total;
}

static void add_good(const struct slo *s, struct buf *out)
{
	char text[24];

	if (s->threshold_ns) {
		format_duration(s->threshold_ns, text);
		buf_addf(out, "within %s and ", text);
	}
	buf_add_text(out, "without error");
}

void slo_objective_text(const struct slo *s, struct buf *out)
{
	char text[24];

	format_duration(s->window_ns, text);
	buf_addf(out, "%.10g %% of %s ", 100 * s->objective,
		 s->operation ? s->operation : "requests");
	add_good(s, out);
	buf_addf(out, " over %s", text);
}

/* ---- the first line ---- */

static const char *verdict_of(const struct slo *s)
{
	return slo_is_spent(s) ? " has no error budget left: "
	       : slo_firing(s) ? " spends its error budget too fast: "
			       : " keeps its objective: ";
}

static void write_verdict(struct page *p, const struct slo *s)
{
	char share[SLO_SHARE_BYTES], percent[UNIT_TEXT_BYTES];

	page_name(p, str_from(s->service), 0);
	if (s->operation) {
		page_text(p, " ");
		page_name(p, str_from(s->operation), 0);
	}
	page_text(p, verdict_of(s));
	slo_share_text(s, good_share(s), share);
	page_number(p, share);
	page_text(p, " of its requests are good, ");
	snprintf(percent, sizeof percent, "%.10g %%", 100 * s->objective);
	page_number(p, percent);
	page_text(p, " have to be");
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
	page_text(p, w->is_sample ? " traces looked at, " : ", ");
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
	page_text(p, " bad requests that the objective allows");
	page_flush(p, PAINT_NONE, "  budget", LABEL_COLUMNS);
}

static void write_forecast(struct page *p, const struct slo *s)
{
	const struct slo_window *now = slo_present(s);
	double rate = burn_rate(now->count, s->objective);
	double seconds = slo_seconds_left(s);
	char text[24];

	if (seconds <= 0) {
		page_text(p, "nothing is left to spend");
	} else if (isinf(seconds)) {
		page_text(p, "the budget lasts");
	} else {
		format_duration(sat_round_f64(seconds) * NS_PER_S, text);
		page_textf(p, "the budget is used up in %s", text);
	}
	format_duration(now->length_ns, text);
	page_textf(p,
		   ": at the rate of the last %s, %.2f times as fast as "
		   "the objective allows",
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
	page_flush(p, PAINT_NONE, "  measured by", LABEL_COLUMNS);
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

static void write_pair(struct page *p, const struct slo *s,
		       const struct burn_pair *pair)
{
	bool fires = slo_pair_fires(s, pair);
	const char *state = !burn_pair_can_fire(pair, s->objective)
				    ? "never reached"
			    : slo_pair_is_open(s, pair) ? "not known"
			    : !fires                    ? "quiet"
			    : pair->is_page             ? "fires: page"
							: "fires: ticket";
	char limit[24];

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
	bool is_markdown = p->style.is_markdown;

	if (!s->pair_count)
		return;
	out_char(p->out, '\n');
	page_text(p, "Burn rate, times as fast as the objective allows");
	page_flush(p, PAINT_NONE, is_markdown ? "" : "  ", is_markdown ? 0 : 2);
	if (is_markdown)
		out_char(p->out, '\n');
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
	write_verdict(&p, s);
	out_char(out, '\n');
	slo_spent_write(&p, answer);
	slo_objective_write(&p, s);
	write_requests(&p, s);
	write_budget(&p, s);
	write_forecast(&p, s);
	slo_source_write(&p, s);
	slo_burn_write(&p, s);
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
			{ NULL, NULL } },
};

/* ---- beside the answer ---- */

void slo_lack_text(const struct slo *s, struct buf *out)
{
	static const char *const texts[] = {
		[SLO_LACKS_METRIC] = "none of the known metrics names the "
				     "service",
		[SLO_LACKS_LATENCY] = "none of them tells how long its "
				      "requests take",
		[SLO_LACKS_OPERATION] = "its metric does not tell operations "
					"apart",
		[SLO_LACKS_BUCKETS] = "the buckets of its histogram end below "
				      "the threshold",
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
			  "no bucket ends at %s: what took %s or less counts "
			  "as good",
			  threshold, bound);
		return;
	}
	slo_share_text(s, 1 - s->other_bad / total, share);
	notes_add(notes,
		  "no bucket ends at %s: what took %s or less counts as good; "
		  "by %s it would be %s",
		  threshold, bound, other, share);
}

static void note_windows(const struct slo *s, struct notes *notes)
{
	size_t unknown = 0;

	for (size_t i = 0; i < s->window_count; i++)
		unknown += !s->windows[i].is_known;
	if (unknown)
		notes_add(notes, "%zu of %zu windows were not answered: %s",
			  unknown, s->window_count, s->why.message);
}

static void note_traces(const struct slo *s, struct notes *notes)
{
	struct buf why;

	buf_init(&why, LIMIT_ERROR_BYTES);
	slo_lack_text(s, &why);
	notes_add(notes, "counted by traces, since metrics do not tell: %s",
		  buf_text(&why));
	buf_release(&why);
	notes_add(notes,
		  "requests whose traces were not kept are not counted; where "
		  "slow ones are kept on purpose, too many seem to be bad; so "
		  "do they where a span of the service failed, but not the "
		  "request");
	if (slo_budget(s)->is_sample)
		notes_add(notes, "there are more traces than were looked at: "
				 "shares are those of a sample, bad where a "
				 "span of the trace failed");
}

void slo_add_notes(const struct slo *s, struct notes *notes)
{
	const struct metric_source *source = &s->indicator.source;

	if (!source->name)
		note_traces(s, notes);
	else if (!s->indicator.tells_errors)
		notes_add(notes,
			  "%s does not tell which requests failed: only slow "
			  "ones are bad",
			  source->name->name);
	note_bound(s, notes);
	note_windows(s, notes);
}
