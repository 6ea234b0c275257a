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
#include "report/slo_answer.h"

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

/* The quantile of distributions is taken once, of all instances: a mean of
 * quantiles is none. */
static void write_aggregation(struct jsonw *w, const struct metric_source *s,
			      const struct metric_want *want)
{
	bool is_quantile = is_distribution(s, want);
	bool is_rate = s->name->is_counter;
	struct buf label;

	buf_init(&label, LIMIT_SELECTOR_BYTES);
	add_label(&label, s);
	jsonw_addf(w,
		   "{alignmentPeriod:%s, perSeriesAligner:%s, "
		   "crossSeriesReducer:%s, groupByFields:[%s]}",
		   PERIOD,
		   is_quantile ? "ALIGN_DELTA"
		   : is_rate   ? "ALIGN_RATE"
			       : "ALIGN_MAX",
		   is_quantile ? percentile_reducer(want->quantile)
		   : is_rate   ? "REDUCE_SUM"
			       : "REDUCE_MAX",
		   buf_text(&label));
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

static void write_legend(struct jsonw *w, const struct metric_source *s,
			 const struct metric_want *want)
{
	char quantile[16] = "";
	struct buf text;

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
	jsonw_addf(w, "{plotType:%s, targetAxis:Y1",
		   meaning == METRIC_REQUESTS ? "STACKED_AREA" : "LINE");
	if (has_filter(s, &want)) {
		write_legend(w, s, &want);
		jsonw_addf(w,
			   "minAlignmentPeriod:%s, timeSeriesQuery:{"
			   "timeSeriesFilter:{",
			   PERIOD);
		write_filter(w, s, &want);
		jsonw_key(w, "aggregation");
		write_aggregation(w, s, &want);
		jsonw_addf(w, "}}}");
	} else {
		jsonw_addf(w, "timeSeriesQuery:{");
		write_promql(w, "prometheusQuery", s, &want, 0);
		jsonw_addf(w, "}}");
	}
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

/* A chart of one service has more quantiles; of several they would cover each
 * other. */
static void write_chart(struct jsonw *w, const struct document *d,
			enum metric_meaning meaning)
{
	bool is_latency = meaning == METRIC_LATENCY;
	bool is_spread = is_latency && d->service_count == 1;
	char label[24];

	jsonw_addf(w, "xyChart:{dataSets:[");
	if (is_spread)
		write_data_set(w, d, meaning, 0.5);
	write_data_set(w, d, meaning, 0.95);
	if (is_spread)
		write_data_set(w, d, meaning, 0.99);
	jsonw_addf(w, "]");
	format_duration(sat_round_f64(d->threshold_s * NS_PER_S), label);
	if (is_latency)
		jsonw_addf(w,
			   "thresholds:[{label:%s, value:%.6f, targetAxis:Y1}]",
			   label, document_threshold(d));
	jsonw_addf(w, "yAxis:{label:%s, scale:LINEAR}}",
		   unit_label(&d->sources[meaning], meaning));
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
	jsonw_addf(w, "{xPos:%zu, yPos:%zu, width:%d, height:%d, widget:{",
		   i % 2 * COLUMNS / 2, i / 2 * TILE_HEIGHT,
		   is_alone ? COLUMNS : COLUMNS / 2, TILE_HEIGHT);
	document_pair(w, "title", &title);
	write_chart(w, d, tile->meaning);
	jsonw_addf(w, "}}");
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
	jsonw_addf(&w, "mosaicLayout:{columns:%d, tiles:[", COLUMNS);
	for (size_t i = 0; i < count; i++)
		write_tile(&w, d, &tiles[i], i, count);
	jsonw_addf(&w, "]}}");
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

	jsonw_addf(w, "conditionThreshold:{");
	write_filter(w, s, want);
	jsonw_addf(w, "aggregations:[");
	write_aggregation(w, s, want);
	jsonw_addf(w, "], comparison:COMPARISON_GT, thresholdValue:%.6f",
		   document_threshold(d));
	pair_seconds(w, "duration", d->for_ns);
	jsonw_addf(w, "trigger:{count:1}");
	if (d->for_ns)
		jsonw_addf(w, "evaluationMissingData:"
			      "EVALUATION_MISSING_DATA_INACTIVE");
	jsonw_addf(w, "}");
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
	if (has_filter(&d->sources[METRIC_LATENCY], &want)) {
		write_by_filter(w, d, &want);
	} else {
		jsonw_addf(w, "conditionPrometheusQueryLanguage:{");
		write_promql(w, "query", &d->sources[METRIC_LATENCY], &want,
			     document_threshold(d));
		pair_seconds(w, "duration", d->for_ns);
		/* The metric may not have been written yet. */
		jsonw_addf(w,
			   "evaluationInterval:%s, ruleGroup:tracefind, "
			   "alertRule:HighLatency, "
			   "disableMetricValidation:true}",
			   PERIOD);
	}
	jsonw_object_end(w);
}

/* The text is released. */
static void pair_markdown(struct jsonw *w, struct buf *text)
{
	jsonw_addf(w, "documentation:{");
	document_pair(w, "content", text);
	jsonw_addf(w, "mimeType:text/markdown}, conditions:[");
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

/* Behind the conditions. */
static void end_policy(struct jsonw *w, const char *severity)
{
	jsonw_addf(w,
		   "], combiner:OR, enabled:true, severity:%s, "
		   "alertStrategy:{autoClose:'1800s'}, "
		   "notificationChannels:[]}",
		   severity);
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
	jsonw_addf(w, "conditionPrometheusQueryLanguage:{");
	write_burn_query(w, d, pair);
	pair_seconds(w, "duration", NS_PER_MIN);
	jsonw_addf(w,
		   "evaluationInterval:%s, labels:{severity:%s}, "
		   "ruleGroup:tracefind, alertRule:ErrorBudgetBurn, "
		   "disableMetricValidation:true}}",
		   PERIOD, pair->is_page ? "page" : "ticket");
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
	for (size_t i = 0; i < d->slo->pair_count; i++)
		if (d->slo->pairs[i].long_ns <= GOOGLE_LOOKBACK_NS)
			write_burn_condition(&w, d, &d->slo->pairs[i]);
	end_policy(&w, "ERROR");
}

/* ---- objectives: google.monitoring.v3.ServiceLevelObjective ---- */

/* The goals and windows that it accepts, as its comments say. */
#define GOAL_MOST 0.9999
#define ROLLING_MOST_NS (30 * NS_PER_DAY)
/* Where it is not known. */
#define PROJECT "PROJECT_ID"

static bool check_period(const struct slo *s, struct error *err)
{
	if (s->objective > GOAL_MOST)
		return error_set(err, ERROR_USAGE,
				 "Cloud Monitoring accepts objectives up to "
				 "99.99 %%, not %.10g %%: -o prometheus writes "
				 "rules of any",
				 100 * s->objective);
	return (s->window_ns % NS_PER_DAY == 0 &&
		s->window_ns <= ROLLING_MOST_NS) ||
	       error_set(err, ERROR_USAGE,
			 "Cloud Monitoring accepts windows of whole days, 30 "
			 "at most: --window 28d, or -o prometheus");
}

bool google_slo_check(const struct slo *s, struct error *err)
{
	const struct metric_name *n = s->indicator.source.name;

	if (!check_period(s, err))
		return false;
	if (!n || s->threshold_ns)
		return true;
	if (n->is_histogram)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s is a distribution of durations, in which "
				 "Cloud Monitoring cannot count failures: give "
				 "--threshold",
				 n->name);
	return s->indicator.tells_errors ||
	       error_set(err, ERROR_NOT_FOUND,
			 "%s does not show which requests failed", n->name);
}

static const char *slo_project(const struct slo *s)
{
	const struct backends *b = s->backends;

	return b->metrics.endpoint.project  ? b->metrics.endpoint.project
	       : b->traces.endpoint.project ? b->traces.endpoint.project
					    : NULL;
}

static bool has_policy(const struct slo *s, const struct burn_pair *pair)
{
	return pair->long_ns <= GOOGLE_LOOKBACK_NS &&
	       burn_pair_can_fire(pair, s->objective);
}

void google_slo_notes(const struct slo *s, struct notes *notes)
{
	char window[32];

	if (!slo_project(s))
		notes_add(notes,
			  "the project is unknown: replace %s with its id",
			  PROJECT);
	if (s->threshold_ns && s->indicator.tells_errors)
		notes_add(notes, "fast failed requests count as good: Cloud "
				 "Monitoring splits a distribution by duration "
				 "only; an objective without --threshold "
				 "counts failures");
	for (size_t i = 0; i < s->pair_count; i++) {
		if (has_policy(s, &s->pairs[i]))
			continue;
		format_duration_option(s->pairs[i].long_ns, window);
		notes_add(notes, "no policy over %s: %s", window,
			  burn_pair_can_fire(&s->pairs[i], s->objective)
				  ? "Cloud Monitoring looks back 25 hours at "
				    "most"
				  : "even with all requests bad, the budget is "
				    "not spent that fast");
	}
}

/* "projects/p/services/checkout" */
static void add_service_name(struct buf *out, const struct slo *s)
{
	const char *project = slo_project(s);
	struct buf id;

	buf_init(&id, LIMIT_OPTION_VALUE_BYTES);
	document_id_add(&id, str_from(s->service));
	buf_addf(out, "projects/%s/services/%s", project ? project : PROJECT,
		 id.len ? buf_text(&id) : "service");
	buf_release(&id);
}

/* One of its own for each objective of a service. */
static void add_slo_name(struct buf *out, const struct slo *s)
{
	char text[40];
	struct buf id;

	buf_init(&id, LIMIT_OPTION_VALUE_BYTES);
	snprintf(text, sizeof text, "%.10g", 100 * s->objective);
	document_id_add(&id, str_from(text));
	format_duration_option(s->threshold_ns, text);
	if (s->threshold_ns)
		document_id_add(&id, str_from(text));
	format_duration_option(s->window_ns, text);
	document_id_add(&id, str_from(text));
	document_id_add(&id, str_from(s->operation));
	add_service_name(out, s);
	buf_addf(out, "/serviceLevelObjectives/%s", buf_text(&id));
	buf_release(&id);
}

static void write_part(struct jsonw *w, const char *key, const struct slo *s,
		       enum metric_part part)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_part_filter(&text, &s->indicator, part);
	document_pair(w, key, &text);
}

/* A cut where a bucket ends is exact. */
static void write_indicator(struct jsonw *w, const struct slo *s)
{
	int64_t cut_ns = s->bound_ns ? s->bound_ns : s->threshold_ns;

	jsonw_addf(w, "serviceLevelIndicator:{requestBased:{");
	if (s->threshold_ns) {
		jsonw_addf(w, "distributionCut:{");
		write_part(w, "distributionFilter", s, METRIC_PART_ALL);
		jsonw_addf(w, "range:{min:0, max:%.9f}}",
			   (double)cut_ns / NS_PER_S /
				   s->indicator.source.name->unit);
	} else {
		jsonw_addf(w, "goodTotalRatio:{");
		write_part(w, "badServiceFilter", s, METRIC_PART_FAILED);
		write_part(w, "totalServiceFilter", s, METRIC_PART_ALL);
		jsonw_object_end(w);
	}
	jsonw_addf(w, "}}");
}

static void write_slo(struct jsonw *w, const struct slo *s)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	jsonw_addf(w, "service:{");
	add_service_name(&text, s);
	document_pair(w, "name", &text);
	jsonw_addf(w, "displayName:%s, custom:{}}, serviceLevelObjective:{",
		   s->service);
	buf_init(&text, LIMIT_URL_BYTES);
	add_slo_name(&text, s);
	document_pair(w, "name", &text);
	buf_init(&text, LIMIT_URL_BYTES);
	slo_objective_text(s, &text);
	document_pair(w, "displayName", &text);
	write_indicator(w, s);
	jsonw_addf(w, "goal:%.10f", s->objective);
	pair_seconds(w, "rollingPeriod", s->window_ns);
	jsonw_object_end(w);
}

/* Aggregations there are none: the selector makes one series. */
static void write_rate_condition(struct jsonw *w, const struct slo *s,
				 double rate, int64_t window_ns)
{
	char window[32];
	struct buf text;

	format_duration_option(window_ns, window);
	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "burn rate above %.3g over %s", rate, window);
	jsonw_object(w);
	document_pair(w, "displayName", &text);
	jsonw_addf(w, "conditionThreshold:{");
	buf_init(&text, LIMIT_URL_BYTES);
	buf_add_text(&text, "select_slo_burn_rate(\"");
	add_slo_name(&text, s);
	buf_addf(&text, "\", \"%llds\")", (long long)(window_ns / NS_PER_S));
	document_pair(w, "filter", &text);
	jsonw_addf(w,
		   "comparison:COMPARISON_GT, thresholdValue:%.10f, "
		   "duration:'0s', trigger:{count:1}}}",
		   rate);
}

/* Both windows have to burn: a policy for each pair. */
static void write_rate_policy(struct jsonw *w, const struct document *d,
			      const struct burn_pair *pair)
{
	struct buf text;

	jsonw_object(w);
	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "Error budget: %s, ", d->slo->service);
	document_burn_condition(pair, &text);
	document_pair(w, "displayName", &text);
	write_burn_documentation(w, d);
	write_rate_condition(w, d->slo, pair->rate, pair->long_ns);
	write_rate_condition(w, d->slo, pair->rate, pair->short_ns);
	jsonw_addf(w,
		   "], combiner:AND, enabled:true, severity:%s, "
		   "alertStrategy:{autoClose:'1800s'}, "
		   "notificationChannels:[]}",
		   pair->is_page ? "CRITICAL" : "WARNING");
}

void google_slo_write(const void *answer, struct out *out)
{
	const struct slo *s = ((const struct slo_answer *)answer)->slo;
	const struct document d = { .slo = s };
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	write_slo(&w, s);
	jsonw_addf(&w, "alertPolicies:[");
	for (size_t i = 0; i < s->pair_count; i++)
		if (has_policy(s, &s->pairs[i]))
			write_rate_policy(&w, &d, &s->pairs[i]);
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}

/* ---- growing memory ---- */

/* Long enough that the saw teeth of a garbage collector are one peak. */
#define GROWTH_PERIOD "300s"

/* Each instance by itself, where there is a label for it. */
static void write_growth_aggregation(struct jsonw *w,
				     const struct metric_source *s,
				     const struct metric_want *want,
				     const struct document_growth *g)
{
	if (is_distribution(s, want)) {
		write_aggregation(w, s, want);
		return;
	}
	jsonw_object(w);
	if (g->horizon_ns)
		jsonw_addf(w, "alignmentPeriod:%s", GROWTH_PERIOD);
	else
		pair_seconds(w, "alignmentPeriod", g->over_ns);
	jsonw_addf(w, "perSeriesAligner:%s}",
		   g->horizon_ns ? "ALIGN_MAX" : "ALIGN_PERCENT_CHANGE");
}

/* A condition up to what ends it. */
static void begin_growth_condition(struct jsonw *w, const struct document *d,
				   const struct document_growth *g,
				   struct buf *name)
{
	const struct metric_source *s = &d->sources[g->meaning];
	struct metric_want want = document_want(d, g->meaning);

	want.quantile = 0.99;
	jsonw_object(w);
	document_pair(w, "displayName", name);
	jsonw_addf(w, "conditionThreshold:{");
	write_filter(w, s, &want);
	jsonw_addf(w, "aggregations:[");
	write_growth_aggregation(w, s, &want, g);
	jsonw_addf(w, "], comparison:COMPARISON_GT, thresholdValue:%.6f",
		   g->horizon_ns ? g->threshold : g->percent);
}

static void write_growth_condition(struct jsonw *w, const struct document *d,
				   const struct document_growth *g)
{
	struct buf name;

	buf_init(&name, LIMIT_URL_BYTES);
	document_growth_condition(d, g, &name);
	begin_growth_condition(w, d, g, &name);
	pair_seconds(w, "duration", DOCUMENT_GROWTH_FOR_NS);
	jsonw_addf(w, "trigger:{count:1}");
	if (g->horizon_ns) {
		jsonw_addf(w, "forecastOptions:{");
		pair_seconds(w, "forecastHorizon", g->horizon_ns);
		jsonw_object_end(w);
	}
	jsonw_addf(w, "}}");
}

void google_growth_write(const struct document *d, struct out *out)
{
	struct document_growth g;
	struct buf text;
	struct jsonw w;

	if (!document_growth(d, &g))
		return;
	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	write_name(&w, d, "Growing memory: ");
	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "%s: ", d->services[0]);
	document_growth_condition(d, &g, &text);
	buf_add_text(&text, ". ");
	document_growth_measured(d, &text);
	buf_add_text(&text, "Next: `");
	document_growth_next(d, &text);
	buf_add_char(&text, '`');
	pair_markdown(&w, &text);
	write_growth_condition(&w, d, &g);
	if (g.horizon_ns) {
		/* A process may be ended before the forecast has learnt: what
		 * it has now. */
		buf_init(&text, LIMIT_URL_BYTES);
		document_full_condition(d, &text);
		begin_growth_condition(&w, d, &g, &text);
		jsonw_addf(&w, "duration:'60s', trigger:{count:1}}}");
	}
	end_policy(&w, "WARNING");
}
