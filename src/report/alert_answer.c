/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <stdio.h>

#include "base/jsonw.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "investigate/slo.h"
#include "render/page.h"
#include "render/render.h"
#include "report/documents.h"
#include "report/slo_answer.h"

#define LABEL_COLUMNS 14u
#define VALUE_COLUMNS 11u
#define COUNT_COLUMNS 12u

static void format_seconds(double seconds, char out[24])
{
	format_duration(sat_round_f64(seconds * NS_PER_S), out);
}

static void write_verdict(struct page *p, const struct alert *a)
{
	char quantile[16], last[24], threshold[24], time[24];
	size_t firing = alert_firing(a), count = 0;
	bool is_one;

	for (size_t i = 0; i < a->count; i++)
		count += a->list[i].state != ALERT_SILENT;
	is_one = firing == 1 || count == 1;

	if (is_one) {
		page_name(p, a->list[0].name, 0);
		page_text(p, firing ? " is slow: " : " is not slow: ");
	} else if (firing) {
		page_textf(p, "%zu of %zu services are slow: ", firing, count);
	} else {
		page_textf(p, "none of %zu services is slow: ", count);
	}
	document_quantile(a->quantile, quantile);
	format_seconds(a->list[0].last_s, last);
	page_text(p, quantile);
	if (is_one)
		page_textf(p, " is %s,", last);
	format_seconds(a->threshold_s, threshold);
	format_duration(a->window.to_ns - a->window.from_ns, time);
	page_textf(p, " %sabove %s for %s%s", firing ? "" : "not ", threshold,
		   firing ? "" : "all of ", time);
	page_flush(p, PAINT_BOLD, "", 0);
}

/* ---- evidence ---- */

/* The slowest request; nothing where none was found. */
static void alert_slowest_write(struct page *p, const struct alert *a)
{
	const struct alert_trace *t = &a->slowest;
	char duration[24];

	if (!t->id[0])
		return;
	format_duration(t->duration_ns, duration);
	page_textf(p, "%s in ", duration);
	page_name(p, t->service, 0);
	if (t->name.len) {
		page_text(p, " ");
		page_name(p, t->name, 0);
	}
	page_textf(p, "%s, trace ", t->is_exemplar ? " (an exemplar)" : "");
	page_number(p, t->id);
	page_flush(p, PAINT_NONE, "  slowest", LABEL_COLUMNS);
}

static void write_row(struct page *p, const struct alert *a,
		      const struct alert_service *s)
{
	static const enum paint paints[] = { [ALERT_SILENT] = PAINT_DIM,
					     [ALERT_QUIET] = PAINT_NONE,
					     [ALERT_FIRES] = PAINT_BAD };
	char last[24] = "-", highest[24] = "-", above[48] = "no request";

	if (s->state != ALERT_SILENT) {
		format_seconds(s->last_s, last);
		format_seconds(s->highest_s, highest);
		snprintf(above, sizeof above, "%zu of %zu", s->above_count,
			 a->step_count);
	}
	page_field(p, PAINT_NONE, ALIGN_RIGHT, VALUE_COLUMNS, last);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, VALUE_COLUMNS, highest);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, COUNT_COLUMNS, above);
	page_paint(p, PAINT_NONE, "  ");
	page_cell(p, paints[s->state], s->name, 0, 0);
	page_paint(p, PAINT_NONE, "\n");
}

static void add_next(const struct alert_answer *answer, struct buf *out)
{
	if (answer->alert->slowest.id[0] && answer->servers.ptr)
		buf_addf(out, "tracefind slow %s%.*s",
			 answer->alert->slowest.id, STR_ARGS(answer->servers));
}

/* The command that looks at it. */
static void alert_next_write(struct page *p, const struct alert_answer *answer)
{
	struct buf command;

	buf_init(&command, LIMIT_OPTION_VALUE_BYTES);
	add_next(answer, &command);
	if (command.len && command.state == BUF_OK) {
		out_char(p->out, '\n');
		page_next(p, buf_str(&command), true);
		out_char(p->out, '\n');
	}
	buf_release(&command);
}

static void write_text(const void *data, const struct render_style *style,
		       struct out *out)
{
	const struct alert_answer *answer = data;
	const struct alert *a = answer->alert;
	struct page p;

	page_begin(&p, style, out);
	write_verdict(&p, a);
	out_char(out, '\n');
	if (a->source)
		page_textf(&p,
			   "%s (%s), over 5 minutes, evaluated every minute",
			   a->source->name->name, a->source->name->from);
	else
		page_text(&p, "traces that started in each minute");
	page_flush(&p, PAINT_NONE, "  source", LABEL_COLUMNS);
	page_window(&p, a->window, 0);
	page_flush(&p, PAINT_NONE, "  window", LABEL_COLUMNS);
	alert_slowest_write(&p, a);
	out_char(out, '\n');
	page_field(&p, PAINT_DIM, ALIGN_RIGHT, VALUE_COLUMNS, "at the end");
	page_field(&p, PAINT_DIM, ALIGN_RIGHT, VALUE_COLUMNS, "highest");
	page_field(&p, PAINT_DIM, ALIGN_RIGHT, COUNT_COLUMNS, "above");
	page_paint(&p, PAINT_DIM, "  service\n");
	for (size_t i = 0; i < a->count; i++)
		write_row(&p, a, &a->list[i]);
	if (!style->is_quiet && answer->notes->count) {
		out_char(out, '\n');
		page_notes(&p, answer->notes, STR(""));
	}
	if (!style->is_quiet)
		alert_next_write(&p, answer);
	page_end(&p);
}

/* ---- JSON ---- */

static void json_service(struct jsonw *w, const struct alert *a,
			 const struct alert_service *s)
{
	static const char *const states[] = { [ALERT_SILENT] = "no_requests",
					      [ALERT_QUIET] = "quiet",
					      [ALERT_FIRES] = "fires" };
	bool has_any = s->state != ALERT_SILENT;

	jsonw_addf(w,
		   "{service:%.*s, state:%s, steps:%zu, "
		   "steps_with_requests:%zu, steps_above:%zu, "
		   "last_ns:%-jd, highest_ns:%-jd}",
		   STR_WHOLE(s->name), states[s->state], a->step_count,
		   s->sample_count, s->above_count,
		   has_any ? sat_round_f64(s->last_s * NS_PER_S) : -1,
		   has_any ? sat_round_f64(s->highest_s * NS_PER_S) : -1);
}

static void alert_slowest_json(struct jsonw *w,
			       const struct alert_answer *answer)
{
	const struct alert_trace *t = &answer->alert->slowest;
	struct buf command;

	if (!jsonw_key_known(w, "slowest", t->id[0]))
		return;
	buf_init(&command, LIMIT_OPTION_VALUE_BYTES);
	add_next(answer, &command);
	jsonw_addf(w,
		   "{trace_id:%s, duration_ns:%jd, service:%.*s, "
		   "name:%-.*s, found_by:%s",
		   t->id, t->duration_ns, STR_WHOLE(t->service),
		   STR_WHOLE(t->name), t->is_exemplar ? "exemplar" : "search");
	jsonw_pair_known_str(w, "next", buf_str(&command));
	jsonw_object_end(w);
	buf_release(&command);
}

static void write_json(const void *data, struct out *out)
{
	const struct alert_answer *answer = data;
	const struct alert *a = answer->alert;
	struct jsonw w;

	json_begin(&w, out, "alert");
	jsonw_addf(&w, "fires:%i, quantile:%.4f, threshold_ns:%jd",
		   alert_firing(a) > 0, a->quantile,
		   sat_round_f64(a->threshold_s * NS_PER_S));
	json_range(&w, a->window);
	jsonw_addf(&w, "measured_by:%s, metric:%s, services:[",
		   a->source ? "metrics" : "traces",
		   a->source ? a->source->name->name : NULL);
	for (size_t i = 0; i < a->count; i++)
		json_service(&w, a, &a->list[i]);
	jsonw_array_end(&w);
	alert_slowest_json(&w, answer);
	json_end(&w, answer->notes);
}

const struct answer_writer alert_now_writer = { .table = write_text,
						.json = write_json };

/* ---- beside the answer ---- */

void alert_slowest_note(const struct alert *a, struct notes *notes)
{
	const char *reason = a->slowest.reason.message;

	if (!a->slowest.id[0])
		notes_add(notes, "no trace found: %s",
			  reason[0]         ? reason
			  : a->is_of_failed ? "no trace of a failed request "
					      "was kept"
					    : "no trace of a request as slow "
					      "was kept");
	else if (a->slowest.is_exemplar)
		notes_add(notes, "the trace is an exemplar: %s",
			  reason[0] ? reason
				    : "the trace server has none");
}

void alert_add_notes(const struct alert *a, const struct error *why,
		     struct notes *notes)
{
	bool is_sample = false, has_gap = false;

	for (size_t i = 0; i < a->count; i++) {
		const struct alert_service *s = &a->list[i];

		is_sample |= s->is_sample;
		has_gap |= s->state == ALERT_QUIET &&
			   s->sample_count < a->step_count;
	}
	if (why)
		notes_add(notes, "source: traces; no metrics: %s",
			  why->message);
	if (!a->source)
		notes_add(notes, "requests whose traces were not kept are not "
				 "counted");
	if (has_gap)
		notes_add(notes, "a minute without requests does not count as "
				 "above the threshold, as in the alert rule");
	if (alert_lacks(a))
		notes_add(notes, "a service without requests cannot be judged");
	if (is_sample)
		notes_add(notes,
			  "some minutes have more traces than one response "
			  "returns: their quantiles are from a sample");
	if (a->list[0].state == ALERT_FIRES)
		alert_slowest_note(a, notes);
}

bool alert_explain(const struct alert *a, const struct error *why,
		   struct error *err)
{
	char time[24];

	if (err->code != ERROR_NOT_FOUND || err->message[0])
		return false;
	format_duration(a->window.to_ns - a->window.from_ns, time);
	return error_set(err, ERROR_NOT_FOUND,
			 "nothing to evaluate: %s no requests in the last %s, "
			 "source: %s%s%s",
			 a->count == 1 ? "the service had" : "there were", time,
			 a->source ? "metrics" : "traces",
			 why ? "; no metrics: " : "",
			 why ? why->message : "");
}

/* An error budget that may be spent too fast now, by the pairs of windows that
 * an alert on it has, with the slowest of the bad requests. Knows no options.
 */

const struct burn_pair *burn_firing(const struct slo *s)
{
	for (size_t i = 0; i < s->pair_count; i++)
		if (slo_pair_fires(s, &s->pairs[i]))
			return &s->pairs[i];
	return NULL;
}

bool burn_is_open(const struct slo *s)
{
	bool is_open = false;

	for (size_t i = 0; i < s->pair_count; i++)
		is_open |= slo_pair_is_open(s, &s->pairs[i]);
	return is_open && !burn_firing(s);
}

static void add_rate(struct page *p, const struct slo *s, int64_t length_ns)
{
	char window[24], rate[24];

	format_duration(length_ns, window);
	snprintf(rate, sizeof rate, "%.2f",
		 burn_rate(slo_window(s, length_ns)->count, s->objective));
	page_number(p, rate);
	page_textf(p, " over %s", window);
}

static void write_burn_verdict(struct page *p, const struct slo *s)
{
	const struct burn_pair *pair = burn_firing(s);

	page_name(p, str_from(s->service), 0);
	if (burn_is_open(s)) {
		page_text(p, ": burn rate unknown: queries for the deciding "
			     "windows failed");
	} else if (!pair) {
		page_text(p, " does not burn its error budget too fast: no "
			     "pair of windows exceeds its limit");
	} else {
		page_text(p, " burns its error budget too fast: burn rate ");
		add_rate(p, s, pair->long_ns);
		page_text(p, " and ");
		add_rate(p, s, pair->short_ns);
		page_textf(p, "; the limit is %.4g (%s)", pair->rate,
			   pair->is_page ? "page" : "ticket");
	}
	page_flush(p, pair ? PAINT_BAD : PAINT_BOLD, "", 0);
}

static void write_burn_text(const void *data, const struct render_style *style,
			    struct out *out)
{
	const struct burn_answer *answer = data;
	const struct slo *s = answer->slo;
	struct page p;

	page_begin(&p, style, out);
	write_burn_verdict(&p, s);
	out_char(out, '\n');
	slo_objective_write(&p, s);
	slo_source_write(&p, s);
	alert_slowest_write(&p, answer->trace.alert);
	slo_burn_write(&p, s);
	if (!style->is_quiet && answer->trace.notes->count) {
		out_char(out, '\n');
		page_notes(&p, answer->trace.notes, STR(""));
	}
	if (!style->is_quiet)
		alert_next_write(&p, &answer->trace);
	page_end(&p);
}

static void write_burn_json(const void *data, struct out *out)
{
	const struct burn_answer *answer = data;
	const struct slo *s = answer->slo;
	struct jsonw w;

	json_begin(&w, out, "alert");
	jsonw_addf(&w, "fires:%-i",
		   burn_is_open(s) ? -1 : burn_firing(s) != NULL);
	slo_json_objective(&w, s);
	slo_json_pairs(&w, s);
	slo_json_source(&w, s);
	alert_slowest_json(&w, &answer->trace);
	json_end(&w, answer->trace.notes);
}

const struct answer_writer burn_now_writer = { .table = write_burn_text,
					       .json = write_burn_json };
