/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/num.h"
#include "render/json_parts.h"
#include "report/slo_answer.h"

static void write_state(struct jsonw *w, const struct slo *s)
{
	jsonw_pair_text(w, "state",
			slo_is_spent(s) ? "spent"
			: slo_firing(s) ? "burning"
					: "kept");
}

void slo_json_objective(struct jsonw *w, const struct slo *s)
{
	const struct time_range window = { s->to_ns - s->window_ns, s->to_ns };

	jsonw_pair_text(w, "service", s->service);
	jsonw_pair_text(w, "operation", s->operation);
	jsonw_pair_f64(w, "objective", s->objective, 12);
	jsonw_pair_known(w, "threshold_ns",
			 s->threshold_ns ? s->threshold_ns : -1);
	jsonw_pair_i64(w, "window_ns", s->window_ns);
	json_range(w, window);
}

static void write_requests(struct jsonw *w, const struct slo *s)
{
	const struct slo_window *b = slo_budget(s);

	jsonw_pair_f64(w, "good_share", 1 - b->count.bad / b->count.total, 9);
	jsonw_pair_f64(w, "requests", b->count.total, 1);
	jsonw_pair_f64(w, "bad_requests", b->count.bad, 1);
	jsonw_pair_f64(w, "failed_requests", s->failed >= 0 ? s->failed : NAN,
		       1);
	jsonw_pair_bool(w, "is_sample", b->is_sample);
	jsonw_pair_f64(w, "budget_spent", burn_rate(b->count, s->objective), 6);
	jsonw_pair_f64(w, "budget_left", burn_left(b->count, s->objective), 6);
}

static void write_row(struct jsonw *w, const struct slo_answer *answer,
		      const struct spent_row *row)
{
	const struct spent_request *r = row->example;
	struct buf next;

	jsonw_object(w);
	jsonw_pair_f64(w, "share", row->share, 6);
	jsonw_pair_f64(w, "share_low", row->low, 6);
	jsonw_pair_f64(w, "share_high", row->high, 6);
	jsonw_pair_i64(w, "requests", (int64_t)row->count);
	jsonw_pair_i64(w, "excess_ns", row->excess_ns);
	jsonw_pair_text(w, "cause", slo_cause_name(r));
	jsonw_pair_str(w, "service", r->service);
	jsonw_pair_known_str(w, "operation", r->operation);
	jsonw_pair_known_str(w, "function", r->function);
	jsonw_pair_known_str(w, "file", r->file);
	jsonw_pair_known(w, "line", r->line ? (int64_t)r->line : -1);
	jsonw_pair_text(w, "trace_id", r->trace_id);
	jsonw_pair_i64(w, "duration_ns", r->duration_ns);
	buf_init(&next, LIMIT_OPTION_VALUE_BYTES);
	slo_next(answer, r, &next);
	jsonw_pair_known_str(w, "next", buf_str(&next));
	buf_release(&next);
	jsonw_object_end(w);
}

static void write_sample(struct jsonw *w, const struct slo_spent *s)
{
	jsonw_key(w, "sample");
	jsonw_object(w);
	json_range(w, s->from);
	jsonw_pair_f64(w, "bad_requests", s->bad, 1);
	jsonw_pair_f64(w, "kept_share", s->kept, 6);
	jsonw_pair_i64(w, "investigated", (int64_t)s->spent.count);
	jsonw_pair_i64(w, "missing", (int64_t)s->missing_count);
	jsonw_pair_i64(w, "unread", (int64_t)s->unread_count);
	jsonw_pair_i64(w, "excess_ns", s->spent.excess_ns);
	jsonw_pair_f64(w, "unexplained", s->spent.unexplained, 6);
	jsonw_pair_f64(w, "unexplained_low", s->spent.unexplained_low, 6);
	jsonw_pair_f64(w, "unexplained_high", s->spent.unexplained_high, 6);
	jsonw_object_end(w);
}

static void write_spent(struct jsonw *w, const struct slo_answer *answer)
{
	const struct slo_spent *s = answer->spent;

	jsonw_key(w, "spent");
	jsonw_array(w);
	for (size_t i = 0; i < s->spent.row_count; i++)
		write_row(w, answer, &s->spent.rows[i]);
	jsonw_array_end(w);
	if (s->spent.count)
		write_sample(w, s);
	else
		jsonw_pair_null(w, "sample");
}

static void write_forecast(struct jsonw *w, const struct slo *s)
{
	const struct slo_window *now = slo_present(s);
	double seconds = round(slo_seconds_left(s));

	jsonw_key(w, "forecast");
	jsonw_object(w);
	jsonw_pair_f64(w, "rate", burn_rate(now->count, s->objective), 6);
	jsonw_pair_i64(w, "rate_of_ns", now->length_ns);
	jsonw_pair_f64(w, "seconds_left", seconds, 0);
	if (isfinite(seconds))
		jsonw_pair_time(w, "used_up_at",
				sat_add_i64(s->to_ns,
					    sat_round_f64(seconds * NS_PER_S)));
	else
		jsonw_pair_null(w, "used_up_at");
	jsonw_object_end(w);
}

static void write_rate(struct jsonw *w, const char *key, const struct slo *s,
		       int64_t length_ns)
{
	const struct slo_window *window = slo_window(s, length_ns);
	bool has_any = window->is_known && window->count.total > 0;

	jsonw_pair_f64(w, key,
		       has_any ? burn_rate(window->count, s->objective) : NAN,
		       6);
}

void slo_json_pairs(struct jsonw *w, const struct slo *s)
{
	jsonw_key(w, "burn");
	jsonw_array(w);
	for (size_t i = 0; i < s->pair_count; i++) {
		const struct burn_pair *pair = &s->pairs[i];

		jsonw_object(w);
		jsonw_pair_i64(w, "long_ns", pair->long_ns);
		jsonw_pair_i64(w, "short_ns", pair->short_ns);
		write_rate(w, "long_rate", s, pair->long_ns);
		write_rate(w, "short_rate", s, pair->short_ns);
		jsonw_pair_f64(w, "limit", pair->rate, 6);
		jsonw_pair_text(w, "severity",
				pair->is_page ? "page" : "ticket");
		jsonw_pair_bool(w, "can_fire",
				burn_pair_can_fire(pair, s->objective));
		if (slo_pair_is_open(s, pair))
			jsonw_pair_null(w, "fires");
		else
			jsonw_pair_bool(w, "fires", slo_pair_fires(s, pair));
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void write_windows(struct jsonw *w, const struct slo *s)
{
	jsonw_key(w, "windows");
	jsonw_array(w);
	for (size_t i = 0; i < s->window_count; i++) {
		const struct slo_window *window = &s->windows[i];
		bool is_known = window->is_known;

		jsonw_object(w);
		jsonw_pair_i64(w, "length_ns", window->length_ns);
		jsonw_pair_f64(w, "requests",
			       is_known ? window->count.total : NAN, 1);
		jsonw_pair_f64(w, "bad_requests",
			       is_known ? window->count.bad : NAN, 1);
		jsonw_pair_bool(w, "is_sample", window->is_sample);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

void slo_json_source(struct jsonw *w, const struct slo *s)
{
	const struct metric_name *name = s->indicator.source.name;

	jsonw_pair_text(w, "measured_by", name ? "metrics" : "traces");
	jsonw_pair_text(w, "metric", name ? name->name : NULL);
	jsonw_pair_known(w, "bound_ns", s->bound_ns ? s->bound_ns : -1);
	jsonw_pair_known(w, "other_bound_ns", s->other_ns ? s->other_ns : -1);
	jsonw_pair_f64(w, "other_bad_requests",
		       s->other_bad >= 0 ? s->other_bad : NAN, 1);
	jsonw_pair_bool(w, "is_interpolated", s->is_interpolated);
}

void slo_json_write(const void *data, struct out *out)
{
	const struct slo_answer *answer = data;
	const struct slo *s = answer->slo;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	json_head(&w, "slo");
	write_state(&w, s);
	slo_json_objective(&w, s);
	write_requests(&w, s);
	write_spent(&w, answer);
	write_forecast(&w, s);
	slo_json_pairs(&w, s);
	write_windows(&w, s);
	slo_json_source(&w, s);
	json_notes(&w, "notes", answer->notes);
	jsonw_object_end(&w);
	out_char(out, '\n');
}
