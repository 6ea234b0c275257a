/* SPDX-License-Identifier: Apache-2.0 */
#include "report/documents.h"

#include <math.h>
#include <stdio.h>

#include "backend/metrics.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "investigate/leak.h"
#include "investigate/slo.h"
#include "render/render.h"
#include "render/units.h"
#include "report/slo_answer.h"

static void prometheus_burn_write(const void *document, struct out *out);

/* An objective as other programs read it: rules of Prometheus, and OpenSLO v1
 * (github.com/OpenSLO/OpenSLO). */

void slo_prometheus_write(const void *answer, struct out *out)
{
	const struct slo *s = ((const struct slo_answer *)answer)->slo;
	const struct prometheus_rules rules = {
		.indicator = s->indicator,
		.objective = s->objective,
		.threshold_ns = s->threshold_ns,
		.window_ns = s->window_ns,
	};

	prometheus_rules_write(&rules, out);
}

/* ---- OpenSLO ---- */

/* The length of a name of an object, of a-z, 0-9 and '-'. */
#define NAME_MOST 63u

void document_id_add(struct buf *out, struct str text)
{
	bool is_next = out->len > 0; /* what comes is apart from that */

	for (size_t i = 0; i < text.len && out->len < NAME_MOST - 1; i++) {
		if (!ascii_is_alnum(text.ptr[i])) {
			is_next = out->len > 0;
			continue;
		}
		if (is_next)
			buf_add_char(out, '-');
		is_next = false;
		buf_add_char(out, ascii_lower(text.ptr[i]));
	}
}

static void write_name(struct out *out, const struct slo *s, const char *indent)
{
	struct buf name;

	buf_init(&name, LIMIT_OPTION_VALUE_BYTES);
	document_id_add(&name, str_from(s->service));
	document_id_add(&name, str_from(s->operation));
	if (name.state != BUF_OK)
		out_fail_memory(out);
	outf(out, "%sname: ", indent);
	yaml_text(out, name.len ? buf_str(&name) : STR("slo"));
	out_char(out, '\n');
	buf_release(&name);
}

static void write_count(struct out *out, const struct slo *s, const char *key,
			enum metric_part part)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_part_expression(&text, &s->indicator, part, "increase",
			       s->window_ns);
	if (text.state != BUF_OK)
		out_fail_memory(out);
	outf(out,
	     "        %s:\n"
	     "          metricSource:\n"
	     "            type: Prometheus\n"
	     "            spec:\n",
	     key);
	yaml_pair(out, 14, "query", buf_str(&text));
	buf_release(&text);
}

/* Windows are of whole units there. */
static void write_window(struct out *out, int64_t window_ns)
{
	static const struct {
		int64_t unit_ns;
		char letter;
	} units[] = { { NS_PER_DAY, 'd' },
		      { NS_PER_HOUR, 'h' },
		      { NS_PER_MIN, 'm' } };
	size_t i = 0;

	while (i < 2 && window_ns % units[i].unit_ns)
		i++;
	outf(out,
	     "  timeWindow:\n"
	     "    - duration: %lld%c\n"
	     "      isRolling: true\n",
	     (long long)(window_ns / units[i].unit_ns), units[i].letter);
}

void slo_openslo_write(const void *answer, struct out *out)
{
	const struct slo *s = ((const struct slo_answer *)answer)->slo;
	struct buf text;

	buf_init(&text, LIMIT_SELECTOR_BYTES);
	slo_objective_text(s, &text);
	out_text(out, "apiVersion: openslo/v1\n"
		      "kind: SLO\n"
		      "metadata:\n");
	write_name(out, s, "  ");
	out_text(out, "spec:\n  description: ");
	yaml_text(out, buf_str(&text));
	out_text(out, "\n  service: ");
	yaml_text(out, str_from(s->service));
	out_text(out, "\n  indicator:\n    metadata:\n");
	write_name(out, s, "      ");
	out_text(out, "    spec:\n"
		      "      ratioMetric:\n"
		      "        counter: false\n");
	write_count(out, s, "good", METRIC_PART_GOOD);
	write_count(out, s, "total", METRIC_PART_ALL);
	write_window(out, s->window_ns);
	outf(out,
	     "  budgetingMethod: Occurrences\n"
	     "  objectives:\n"
	     "    - target: %.10g\n",
	     s->objective);
	buf_release(&text);
}

static const struct answer_format dashboards[] = {
	{ "google", google_dashboard_write },
	{ "grafana", grafana_dashboard_write },
	{ NULL, NULL },
};

const struct answer_writer dashboard_writer = { .others = dashboards };

static const struct answer_format alerts[] = {
	{ "google", google_alert_write },
	{ "grafana", grafana_alert_write },
	{ "prometheus", prometheus_alert_write },
	{ NULL, NULL },
};

const struct answer_writer alert_writer = { .others = alerts };

static const struct answer_format burns[] = {
	{ "google", google_burn_write },
	{ "grafana", grafana_burn_write },
	{ "prometheus", prometheus_burn_write },
	{ NULL, NULL },
};

const struct answer_writer burn_writer = { .others = burns };

/* The first that there is a source of. */
static size_t add_tile(const struct document *d, enum metric_meaning meaning,
		       enum metric_meaning instead, const char *title,
		       struct document_tile *out)
{
	if (!d->sources[meaning].name)
		meaning = instead;
	*out = (struct document_tile){ .meaning = meaning, .title = title };
	return d->sources[meaning].name != NULL;
}

size_t document_tiles(const struct document *d,
		      struct document_tile out[DOCUMENT_TILES])
{
	size_t n = add_tile(d, METRIC_LATENCY, METRIC_LATENCY, "Latency", out);

	n += add_tile(d, METRIC_REQUESTS, METRIC_REQUESTS, "Requests", out + n);
	n += add_tile(d, METRIC_CPU, METRIC_CPU_SHARE, "CPU", out + n);
	n += add_tile(d, METRIC_MEMORY, METRIC_MEMORY_SHARE, "Memory", out + n);
	return n;
}

struct metric_want document_want(const struct document *d,
				 enum metric_meaning meaning)
{
	bool is_one = d->service_count == 1;

	return (struct metric_want){
		.meaning = meaning,
		.service = is_one ? d->services[0] : NULL,
		.services = d->service_count > 1 ? d->pattern : NULL,
		.quantile = 0.95,
		.is_by_service = true,
	};
}

void document_name_services(const struct document *d, struct buf *out)
{
	for (size_t i = 0; i < d->service_count; i++)
		buf_addf(out, "%s%s", i ? ", " : "", d->services[i]);
	buf_add_text(out, d->service_count ? "" : "all services");
}

void document_pair(struct jsonw *w, const char *key, struct buf *text)
{
	if (text->state != BUF_OK)
		out_fail_memory(w->out);
	jsonw_pair_str(w, key, buf_str(text));
	buf_release(text);
}

void document_quantile(double quantile, char out[16])
{
	snprintf(out, 16, "p%g", quantile * 100);
}

double document_threshold(const struct document *d)
{
	return d->threshold_s / d->sources[METRIC_LATENCY].name->unit;
}

void document_condition(const struct document *d, struct buf *out)
{
	char quantile[16], threshold[24], time[32];

	document_quantile(d->quantile, quantile);
	format_duration(sat_round_f64(d->threshold_s * NS_PER_S), threshold);
	format_duration_option(d->for_ns, time);
	buf_addf(out, "%s latency above %s for %s", quantile, threshold, time);
}

void document_alert_summary(const struct document *d, struct buf *out)
{
	buf_addf(out, "{{ $labels.%s }}: ",
		 metric_series_label(&d->sources[METRIC_LATENCY]));
	document_condition(d, out);
}

void document_objective(const struct document *d, struct buf *out)
{
	slo_objective_text(d->slo, out);
}

void document_burn_next(const struct document *d, struct buf *out)
{
	const struct slo *s = d->slo;
	char text[32];

	buf_add_text(out, "tracefind slo --service");
	shell_word_add(out, str_from(s->service));
	buf_addf(out, " --objective %.10g", 100 * s->objective);
	if (s->threshold_ns) {
		format_duration_option(s->threshold_ns, text);
		buf_addf(out, " --threshold %s", text);
	}
	format_duration_option(s->window_ns, text);
	buf_addf(out, " --window %s", text);
}

void document_burn_condition(const struct burn_pair *pair, struct buf *out)
{
	char long_window[32], short_window[32];

	format_duration_option(pair->long_ns, long_window);
	format_duration_option(pair->short_ns, short_window);
	buf_addf(out, "burn rate above %.3g over %s and %s", pair->rate,
		 long_window, short_window);
}

static void prometheus_burn_write(const void *document, struct out *out)
{
	const struct slo_answer answer = {
		.slo = ((const struct document *)document)->slo
	};

	slo_prometheus_write(&answer, out);
}

void document_alert_next(const struct document *d, struct buf *out)
{
	buf_addf(out, "tracefind slow --service '{{ $labels.%s }}'",
		 metric_series_label(&d->sources[METRIC_LATENCY]));
}

/* ---- growing memory ---- */

/* Nobody sees a process at its limit: it is ended there. */
#define FULL_ENOUGH 0.9
/* The horizons that Cloud Monitoring forecasts (google.monitoring.v3,
 * ForecastOptions). */
#define HORIZON_LEAST_NS NS_PER_HOUR
#define HORIZON_MOST_NS (60 * NS_PER_HOUR)
/* The horizon without a leak: a day to do something in. */
#define HORIZON_USUAL_NS NS_PER_DAY

static const struct growth *growth_leaking(const struct document *d)
{
	const struct leak_subject *s = &d->leak->subjects[LEAK_MEMORY];

	return s->is_leak && s->total.per_hour > 0 ? &s->total : NULL;
}

/* Half of what was measured, of what the metric has: the rest of a process is
 * not in its profiles. */
static bool growth_by_percent(const struct document *d, const struct growth *g,
			      struct document_growth *out)
{
	const struct leak *l = d->leak;
	int64_t window_ns = l->window.to_ns - l->window.from_ns;
	double base = l->memory_bytes > 0 ? l->memory_bytes : g ? g->end : 0;

	if (!g || !(base > 0))
		return false;
	if (window_ns > GOOGLE_LOOKBACK_NS - NS_PER_HOUR)
		window_ns = GOOGLE_LOOKBACK_NS - NS_PER_HOUR;
	out->over_ns = (window_ns + NS_PER_HOUR - 1) / NS_PER_HOUR * NS_PER_HOUR;
	out->percent = ceil(50 * g->per_hour / base *
			    (double)(out->over_ns / NS_PER_HOUR));
	return true;
}

bool document_growth(const struct document *d, struct document_growth *out)
{
	const struct metric_name *bytes = d->sources[METRIC_MEMORY].name;
	const struct growth *g = growth_leaking(d);
	double limit = d->leak->limit_bytes;

	*out = (struct document_growth){
		.meaning = bytes ? METRIC_MEMORY : METRIC_MEMORY_SHARE
	};
	if (!bytes && !d->sources[METRIC_MEMORY_SHARE].name)
		return false;
	if (bytes && !(limit > 0))
		return growth_by_percent(d, g, out);
	out->threshold = bytes ? round(FULL_ENOUGH * limit / bytes->unit)
			       : FULL_ENOUGH;
	if (g && limit > 0)
		out->full_ns = sat_round_f64(FULL_ENOUGH * limit / g->per_hour *
					     (double)NS_PER_HOUR);
	/* A quarter of a life: what is asked for earlier would fire always. */
	out->horizon_ns = (out->full_ns / 4 + NS_PER_HOUR / 2) / NS_PER_HOUR *
			  NS_PER_HOUR;
	out->horizon_ns =
		!out->full_ns
			? HORIZON_USUAL_NS
			: min_i64(max_i64(out->horizon_ns, HORIZON_LEAST_NS),
				  HORIZON_MOST_NS);
	return true;
}

void document_growth_condition(const struct document *d,
			       const struct document_growth *g, struct buf *out)
{
	char limit[UNIT_TEXT_BYTES], time[24];

	if (!(g->threshold > 0)) {
		format_duration(g->over_ns, time);
		buf_addf(out, "memory grew by more than %.0f %% in %s",
			 g->percent, time);
		return;
	}
	buf_addf(out, "memory on the way to %.0f %% of its limit",
		 100 * FULL_ENOUGH);
	if (d->leak->limit_bytes > 0) {
		format_size(sat_round_f64(d->leak->limit_bytes), limit);
		buf_addf(out, " of %s", limit);
	}
	format_duration(g->horizon_ns, time);
	buf_addf(out, " within %s", time);
}

void document_full_condition(const struct document *d, struct buf *out)
{
	char limit[UNIT_TEXT_BYTES];

	buf_addf(out, "memory above %.0f %% of its limit", 100 * FULL_ENOUGH);
	if (d->leak->limit_bytes > 0) {
		format_size(sat_round_f64(d->leak->limit_bytes), limit);
		buf_addf(out, " of %s", limit);
	}
}

void document_growth_measured(const struct document *d, struct buf *out)
{
	const struct growth *g = growth_leaking(d);
	char rate[UNIT_TEXT_BYTES], from[TIME_RFC3339_BYTES];

	if (!g)
		return;
	format_size(sat_round_f64(g->per_hour), rate);
	format_rfc3339(d->leak->window.to_ns, from);
	buf_addf(out, "It grew by %s per hour until %.19sZ. ", rate, from);
}

void document_growth_next(const struct document *d, struct buf *out)
{
	buf_add_text(out, "tracefind leak --service");
	shell_word_add(out, str_from(d->services[0]));
	if (d->leak->limit_bytes > 0 && !d->leak->is_limit_known)
		buf_addf(out, " --limit-bytes %.0f", d->leak->limit_bytes);
}

bool document_growth_explain(const struct document *d, struct error *err)
{
	if (!d->sources[METRIC_MEMORY].name &&
	    !d->sources[METRIC_MEMORY_SHARE].name)
		return error_set(err, ERROR_NOT_FOUND,
				 "no metric for the memory of \"%s\": name the "
				 "platform (--platform), the metric (--metric) "
				 "or its server (--metrics-url)",
				 d->services[0]);
	return error_set(err, ERROR_NOT_FOUND,
			 "no alert: the memory of \"%s\" does not leak, and "
			 "its limit is not known (--limit-bytes)",
			 d->services[0]);
}

static void note_horizon(const struct document *d,
			 const struct document_growth *g, bool is_google,
			 struct notes *notes)
{
	char horizon[24], full[24], learning[24], rate[UNIT_TEXT_BYTES];
	const struct growth *found = growth_leaking(d);

	format_duration(g->horizon_ns, horizon);
	if (g->full_ns && found) {
		format_duration(g->full_ns / NS_PER_MIN * NS_PER_MIN, full);
		format_size(sat_round_f64(found->per_hour), rate);
		notes_add(notes,
			  "looks %s ahead: %s per hour fill %.0f %% of the "
			  "limit in %s; a quarter of that, between 1 h and 60 "
			  "h%s",
			  horizon, rate, 100 * FULL_ENOUGH, full,
			  is_google ? ", as Cloud Monitoring forecasts" : "");
	} else {
		notes_add(notes, "looks %s ahead: %s", horizon,
			  found ? "without --limit-bytes the time to the limit "
				  "is unknown"
				     : "nothing leaks, so there is no measured "
				       "time");
	}
	if (!is_google)
		return;
	format_duration(2 * g->horizon_ns, learning);
	notes_add(notes,
		  "Cloud Monitoring needs twice as long, %s, before its first "
		  "forecast; until then the other condition fires, above %.0f "
		  "%% of the limit",
		  learning, 100 * FULL_ENOUGH);
}

void document_growth_notes(const struct document *d, bool is_google,
			   struct notes *notes)
{
	struct document_growth g;
	const struct metric_source *s;

	if (!document_growth(d, &g))
		return;
	s = &d->sources[g.meaning];
	notes_add(notes, "memory metric: %s (%s); service label: %s",
		  s->name->name, s->name->from, s->label);
	if (g.horizon_ns)
		note_horizon(d, &g, is_google, notes);
	else
		notes_add(notes,
			  "the limit is unknown: the alert fires on half of "
			  "the measured growth, without a forecast; "
			  "--limit-bytes adds one");
	if (g.meaning == METRIC_MEMORY_SHARE)
		notes_add(notes,
			  "the metric has no instance label: the 99th "
			  "percentile over all instances is watched");
	if (d->leak->subjects[LEAK_THREADS].is_leak)
		notes_add(notes,
			  "the alert covers memory only: no known metric "
			  "counts what else leaks");
}
