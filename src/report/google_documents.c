/* SPDX-License-Identifier: Apache-2.0
 *
 * Dashboards and alerting policies of Cloud Monitoring: the JSON of
 * google.monitoring.dashboard.v1.Dashboard and
 * google.monitoring.v3.AlertPolicy.
 */
#include "report/documents.h"

#include <math.h>
#include <stdio.h>

#include "backend/metrics.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/timefmt.h"

#define COLUMNS 12
#define TILE_HEIGHT 4
#define PERIOD "60s" /* the finest there is */

static bool is_distribution(const struct metric_source *s,
			    const struct metric_want *want)
{
	return s->name->is_histogram && want->meaning == s->name->meaning;
}

/* There is a reducer for few quantiles; NULL: none for this one. */
static const char *percentile_reducer(double quantile)
{
	static const struct {
		double quantile;
		const char *name;
	} reducers[] = { { 0.99, "REDUCE_PERCENTILE_99" },
			 { 0.95, "REDUCE_PERCENTILE_95" },
			 { 0.5, "REDUCE_PERCENTILE_50" },
			 { 0.05, "REDUCE_PERCENTILE_05" } };

	for (size_t i = 0; i < COUNT_OF(reducers); i++)
		if (fabs(quantile - reducers[i].quantile) < 1e-9)
			return reducers[i].name;
	return NULL;
}

/* Filters have no number of requests of a distribution, and few quantiles. */
static bool has_filter(const struct metric_source *s,
		       const struct metric_want *want)
{
	if (is_distribution(s, want))
		return percentile_reducer(want->quantile) != NULL;
	return !s->name->is_histogram;
}

static void write_filter(struct jsonw *w, const struct metric_source *s,
			 const struct metric_want *want)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_filter(&text, s, want);
	document_pair(w, "filter", &text);
}

static void add_label(struct buf *out, const struct metric_source *s)
{
	buf_addf(out, "%s.labels.%s", metric_filter_scope(s), s->label);
}

/* Of distributions the quantile is taken once, of all instances: a mean of
 * quantiles is none. */
static void write_aggregation(struct jsonw *w, const struct metric_source *s,
			      const struct metric_want *want)
{
	bool is_quantile = is_distribution(s, want);
	bool is_rate = s->name->is_counter;
	struct buf label;

	jsonw_pair_text(w, "alignmentPeriod", PERIOD);
	jsonw_pair_text(w, "perSeriesAligner",
			is_quantile ? "ALIGN_DELTA"
			: is_rate   ? "ALIGN_RATE"
				    : "ALIGN_MAX");
	jsonw_pair_text(w, "crossSeriesReducer",
			is_quantile ? percentile_reducer(want->quantile)
			: is_rate   ? "REDUCE_SUM"
				    : "REDUCE_MAX");
	buf_init(&label, LIMIT_SELECTOR_BYTES);
	add_label(&label, s);
	jsonw_key(w, "groupByFields");
	jsonw_array(w);
	jsonw_str(w, buf_str(&label));
	jsonw_array_end(w);
	buf_release(&label);
}

static void write_promql(struct jsonw *w, const char *key,
			 const struct metric_source *s,
			 const struct metric_want *want, double above)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_expression(&text, s, want);
	if (above > 0)
		buf_addf(&text, " > %.15g", above);
	document_pair(w, key, &text);
}

/* ---- dashboards ---- */

static void write_query(struct jsonw *w, const struct metric_source *s,
			const struct metric_want *want)
{
	jsonw_key(w, "timeSeriesQuery");
	jsonw_object(w);
	if (has_filter(s, want)) {
		jsonw_key(w, "timeSeriesFilter");
		jsonw_object(w);
		write_filter(w, s, want);
		jsonw_key(w, "aggregation");
		jsonw_object(w);
		write_aggregation(w, s, want);
		jsonw_object_end(w);
		jsonw_object_end(w);
	} else {
		write_promql(w, "prometheusQuery", s, want, 0);
	}
	jsonw_object_end(w);
}

static void write_legend(struct jsonw *w, const struct metric_source *s,
			 const struct metric_want *want)
{
	char quantile[16] = "";
	struct buf text;

	if (!has_filter(s, want))
		return; /* the series' own labels */
	if (is_distribution(s, want))
		document_quantile(want->quantile, quantile);
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	buf_addf(&text, "%s%s${", quantile, quantile[0] ? " " : "");
	add_label(&text, s);
	buf_add_char(&text, '}');
	document_pair(w, "legendTemplate", &text);
}

static void write_data_set(struct jsonw *w, const struct document *d,
			   enum metric_meaning meaning, double quantile)
{
	const struct metric_source *s = &d->sources[meaning];
	struct metric_want want = document_want(d, meaning);

	want.quantile = quantile;
	want.rate = "${__interval}";
	jsonw_object(w);
	jsonw_pair_text(w, "plotType",
			meaning == METRIC_REQUESTS ? "STACKED_AREA" : "LINE");
	jsonw_pair_text(w, "targetAxis", "Y1");
	write_legend(w, s, &want);
	if (has_filter(s, &want))
		jsonw_pair_text(w, "minAlignmentPeriod", PERIOD);
	write_query(w, s, &want);
	jsonw_object_end(w);
}

/* Of one service more quantiles; of several they would cover each other. */
static void write_data_sets(struct jsonw *w, const struct document *d,
			    enum metric_meaning meaning)
{
	bool is_spread = meaning == METRIC_LATENCY && d->service_count == 1;

	jsonw_key(w, "dataSets");
	jsonw_array(w);
	if (is_spread)
		write_data_set(w, d, meaning, 0.5);
	write_data_set(w, d, meaning, 0.95);
	if (is_spread)
		write_data_set(w, d, meaning, 0.99);
	jsonw_array_end(w);
}

static const char *unit_label(const struct metric_source *s,
			      enum metric_meaning meaning)
{
	switch (meaning) {
	case METRIC_LATENCY:
		return s->name->unit < 1 ? "ms" : "s";
	case METRIC_REQUESTS:
		return "requests/s";
	case METRIC_CPU:
		return "cores";
	case METRIC_MEMORY:
		return "bytes";
	default:
		return "share of the limit";
	}
}

static void write_threshold(struct jsonw *w, const struct document *d)
{
	char label[24];

	format_duration(sat_round_f64(d->threshold_s * NS_PER_S), label);
	jsonw_key(w, "thresholds");
	jsonw_array(w);
	jsonw_object(w);
	jsonw_pair_text(w, "label", label);
	jsonw_pair_f64(w, "value", document_threshold(d), 6);
	jsonw_pair_text(w, "targetAxis", "Y1");
	jsonw_object_end(w);
	jsonw_array_end(w);
}

static void write_chart(struct jsonw *w, const struct document *d,
			enum metric_meaning meaning)
{
	jsonw_key(w, "xyChart");
	jsonw_object(w);
	write_data_sets(w, d, meaning);
	if (meaning == METRIC_LATENCY)
		write_threshold(w, d);
	jsonw_key(w, "yAxis");
	jsonw_object(w);
	jsonw_pair_text(w, "label", unit_label(&d->sources[meaning], meaning));
	jsonw_pair_text(w, "scale", "LINEAR");
	jsonw_object_end(w);
	jsonw_object_end(w);
}

/* Two in a row; the last one alone is as wide as both. */
static void write_tile(struct jsonw *w, const struct document *d,
		       const struct document_tile *tile, size_t i, size_t count)
{
	bool is_alone = i % 2 == 0 && i + 1 == count;
	struct buf title;

	buf_init(&title, LIMIT_SELECTOR_BYTES);
	buf_addf(&title, "%s by service (%s)", tile->title,
		 unit_label(&d->sources[tile->meaning], tile->meaning));
	jsonw_object(w);
	jsonw_pair_i64(w, "xPos", (int64_t)(i % 2) * COLUMNS / 2);
	jsonw_pair_i64(w, "yPos", (int64_t)(i / 2) * TILE_HEIGHT);
	jsonw_pair_i64(w, "width", is_alone ? COLUMNS : COLUMNS / 2);
	jsonw_pair_i64(w, "height", TILE_HEIGHT);
	jsonw_key(w, "widget");
	jsonw_object(w);
	document_pair(w, "title", &title);
	write_chart(w, d, tile->meaning);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void write_name(struct jsonw *w, const struct document *d,
		       const char *before)
{
	struct buf name;

	buf_init(&name, LIMIT_URL_BYTES);
	buf_add_text(&name, before);
	document_name_services(d, &name);
	document_pair(w, "displayName", &name);
}

void google_dashboard_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct document_tile tiles[DOCUMENT_TILES];
	size_t count = document_tiles(d, tiles);
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	write_name(&w, d, "tracefind: ");
	jsonw_key(&w, "mosaicLayout");
	jsonw_object(&w);
	jsonw_pair_i64(&w, "columns", COLUMNS);
	jsonw_key(&w, "tiles");
	jsonw_array(&w);
	for (size_t i = 0; i < count; i++)
		write_tile(&w, d, &tiles[i], i, count);
	jsonw_array_end(&w);
	jsonw_object_end(&w);
	jsonw_object_end(&w);
	out_char(out, '\n');
}

/* ---- alerts ---- */

static void pair_seconds(struct jsonw *w, const char *key, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof text, "%llds", (long long)(ns / NS_PER_S));
	jsonw_pair_text(w, key, text);
}

static void write_by_filter(struct jsonw *w, const struct document *d,
			    const struct metric_want *want)
{
	const struct metric_source *s = &d->sources[METRIC_LATENCY];

	jsonw_key(w, "conditionThreshold");
	jsonw_object(w);
	write_filter(w, s, want);
	jsonw_key(w, "aggregations");
	jsonw_array(w);
	jsonw_object(w);
	write_aggregation(w, s, want);
	jsonw_object_end(w);
	jsonw_array_end(w);
	jsonw_pair_text(w, "comparison", "COMPARISON_GT");
	jsonw_pair_f64(w, "thresholdValue", document_threshold(d), 6);
	pair_seconds(w, "duration", d->for_ns);
	jsonw_key(w, "trigger");
	jsonw_object(w);
	jsonw_pair_i64(w, "count", 1);
	jsonw_object_end(w);
	if (d->for_ns)
		jsonw_pair_text(w, "evaluationMissingData",
				"EVALUATION_MISSING_DATA_INACTIVE");
	jsonw_object_end(w);
}

static void write_by_promql(struct jsonw *w, const struct document *d,
			    const struct metric_want *want)
{
	jsonw_key(w, "conditionPrometheusQueryLanguage");
	jsonw_object(w);
	write_promql(w, "query", &d->sources[METRIC_LATENCY], want,
		     document_threshold(d));
	pair_seconds(w, "duration", d->for_ns);
	jsonw_pair_text(w, "evaluationInterval", PERIOD);
	jsonw_pair_text(w, "ruleGroup", "tracefind");
	jsonw_pair_text(w, "alertRule", "HighLatency");
	/* The metric may not have been written yet. */
	jsonw_pair_bool(w, "disableMetricValidation", true);
	jsonw_object_end(w);
}

/* One of all of them, each a series of its own: a policy has six at most. */
static void write_condition(struct jsonw *w, const struct document *d)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf name;

	want.quantile = d->quantile;
	want.rate = "5m";
	buf_init(&name, LIMIT_URL_BYTES);
	document_condition(d, &name);
	jsonw_object(w);
	document_pair(w, "displayName", &name);
	if (has_filter(&d->sources[METRIC_LATENCY], &want))
		write_by_filter(w, d, &want);
	else
		write_by_promql(w, d, &want);
	jsonw_object_end(w);
}

/* The text is released. */
static void pair_markdown(struct jsonw *w, struct buf *text)
{
	jsonw_key(w, "documentation");
	jsonw_object(w);
	document_pair(w, "content", text);
	jsonw_pair_text(w, "mimeType", "text/markdown");
	jsonw_object_end(w);
}

static void write_documentation(struct jsonw *w, const struct document *d)
{
	const struct metric_source *s = &d->sources[METRIC_LATENCY];
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf text;

	want.quantile = d->quantile;
	buf_init(&text, LIMIT_URL_BYTES);
	document_condition(d, &text);
	buf_add_text(&text, ". Next: `tracefind slow --service");
	if (d->service_count == 1)
		shell_word_add(&text, str_from(d->services[0]));
	else if (has_filter(s, &want))
		buf_addf(&text, " '${%s.label.%s}'", metric_filter_scope(s),
			 s->label);
	else
		buf_add_text(&text, " NAME");
	buf_add_char(&text, '`');
	pair_markdown(w, &text);
}

static void begin_conditions(struct jsonw *w)
{
	jsonw_key(w, "conditions");
	jsonw_array(w);
}

/* Behind the conditions. */
static void end_policy(struct jsonw *w, const char *severity)
{
	jsonw_array_end(w);
	jsonw_pair_text(w, "combiner", "OR");
	jsonw_pair_bool(w, "enabled", true);
	jsonw_pair_text(w, "severity", severity);
	jsonw_key(w, "alertStrategy");
	jsonw_object(w);
	jsonw_pair_text(w, "autoClose", "1800s");
	jsonw_object_end(w);
	jsonw_key(w, "notificationChannels");
	jsonw_array(w);
	jsonw_array_end(w);
	jsonw_object_end(w);
	out_char(w->out, '\n');
}

void google_alert_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	write_name(&w, d, "High latency: ");
	write_documentation(&w, d);
	begin_conditions(&w);
	write_condition(&w, d);
	end_policy(&w, "WARNING");
}

/* ---- error budgets ---- */

static void write_burn_query(struct jsonw *w, const struct document *d,
			     const struct burn_pair *pair)
{
	const int64_t windows[] = { pair->long_ns, pair->short_ns };
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	for (size_t i = 0; i < COUNT_OF(windows); i++) {
		buf_add_text(&text, i ? "\nand\n" : "");
		prometheus_bad_part(&text, &d->slo->indicator, windows[i]);
		buf_addf(&text, " > %.10g * %.10g", pair->rate,
			 1 - d->slo->objective);
	}
	document_pair(w, "query", &text);
}

static void write_burn_condition(struct jsonw *w, const struct document *d,
				 const struct burn_pair *pair)
{
	struct buf name;

	buf_init(&name, LIMIT_URL_BYTES);
	document_burn_condition(pair, &name);
	jsonw_object(w);
	document_pair(w, "displayName", &name);
	jsonw_key(w, "conditionPrometheusQueryLanguage");
	jsonw_object(w);
	write_burn_query(w, d, pair);
	pair_seconds(w, "duration", NS_PER_MIN);
	jsonw_pair_text(w, "evaluationInterval", PERIOD);
	jsonw_key(w, "labels");
	jsonw_object(w);
	jsonw_pair_text(w, "severity", pair->is_page ? "page" : "ticket");
	jsonw_object_end(w);
	jsonw_pair_text(w, "ruleGroup", "tracefind");
	jsonw_pair_text(w, "alertRule", "ErrorBudgetBurn");
	jsonw_pair_bool(w, "disableMetricValidation", true);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void write_burn_documentation(struct jsonw *w, const struct document *d)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	document_objective(d, &text);
	buf_add_text(&text, ". Next: `");
	document_burn_next(d, &text);
	buf_add_char(&text, '`');
	pair_markdown(w, &text);
}

void google_burn_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	write_name(&w, d, "Error budget: ");
	write_burn_documentation(&w, d);
	begin_conditions(&w);
	for (size_t i = 0; i < d->slo->pair_count; i++)
		if (d->slo->pairs[i].long_ns <= GOOGLE_LOOKBACK_NS)
			write_burn_condition(&w, d, &d->slo->pairs[i]);
	end_policy(&w, "ERROR");
}
