/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/metrics.h"
#include "backend/selector.h"
#include "base/bytes.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "investigate/slo.h"
#include "render/source_link.h"
#include "report/documents.h"

/* Rules of Grafana's alerting, as a file that it loads (provisioning). */

/* ---- names ---- */

#define UID_MOST 40

/* "uid" and "title", each beginning so: the same services have the same. A uid
 * is of letters, digits, '-' and '_', UID_MOST at most. */
static void grafana_write_names(struct jsonw *w, const struct document *d,
				const char *uid, const char *title)
{
	const char *name = d->service_count ? d->services[0] : "all";
	bool is_plain = d->service_count <= 1;
	uint64_t hash = FNV64_BEGIN;
	struct buf text;

	for (const char *c = name; *c; c++)
		is_plain &= ascii_is_alnum(*c) || *c == '-' || *c == '_';
	for (size_t i = 0; i < d->service_count; i++)
		hash = fnv64(fnv64(hash, str_from(d->services[i])),
			     (struct str){ "", 1 });
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	if (is_plain && strlen(uid) + strlen(name) <= UID_MOST)
		buf_addf(&text, "%s%s", uid, name);
	else
		buf_addf(&text, "%s%016llx", uid, (unsigned long long)hash);
	document_pair(w, "uid", &text);
	buf_init(&text, LIMIT_URL_BYTES);
	buf_add_text(&text, title);
	document_name_services(d, &text);
	document_pair(w, "title", &text);
}

/* ---- rules ---- */

#define EXPRESSION_UID "__expr__" /* as Grafana calls its own expressions */

/* A question to the data source; the text is released. */
static void write_query(struct jsonw *w, const struct document *d,
			const char *ref, struct buf *expression)
{
	jsonw_addf(w,
		   "{refId:%s, relativeTimeRange:{from:600, to:0}, "
		   "datasourceUid:%s, model:{refId:%s",
		   ref, d->datasource, ref);
	document_pair(w, "expr", expression);
	jsonw_addf(w, "instant:true, range:false}}");
}

/* One of Grafana's own, up to what it computes. */
static void begin_expression(struct jsonw *w, const char *ref, const char *type)
{
	jsonw_addf(w,
		   "{refId:%s, datasourceUid:%s, model:{refId:%s, type:%s, "
		   "datasource:{type:%s, uid:%s}",
		   ref, EXPRESSION_UID, ref, type, EXPRESSION_UID,
		   EXPRESSION_UID);
}

/* The words without what the file's reader would take for a variable of the
 * environment: only "${...}" is one in annotations, and nothing of labels
 * begins with a dollar. */
static void write_words(struct jsonw *w, struct buf *summary, struct buf *next,
			const char *severity)
{
	jsonw_addf(w, "annotations:{");
	document_pair(w, "summary", summary);
	document_pair(w, "description", next);
	jsonw_addf(w, "}, labels:{severity:%s}, data:[", severity);
}

/* The state of a rule, up to its query. */
static void write_state(struct jsonw *w, const char *condition, int64_t for_ns)
{
	char text[32];

	snprintf(text, sizeof text, "%llds", (long long)(for_ns / NS_PER_S));
	jsonw_addf(w, "condition:%s, for:%s, noDataState:OK, execErrState:Error",
		   condition, text);
}

static void write_rule(struct jsonw *w, const struct document *d)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf summary, next, evaluated;

	buf_init(&summary, LIMIT_SELECTOR_BYTES);
	document_alert_summary(d, &summary);
	buf_init(&next, LIMIT_SELECTOR_BYTES);
	document_alert_next(d, &next);
	jsonw_object(w);
	grafana_write_names(w, d, "tracefind-latency-", "High latency: ");
	write_state(w, "B", d->for_ns);
	write_words(w, &summary, &next, "warning");
	want.quantile = d->quantile;
	want.rate = "5m";
	buf_init(&evaluated, LIMIT_URL_BYTES);
	metric_expression(&evaluated, &d->sources[METRIC_LATENCY], &want);
	write_query(w, d, "A", &evaluated);
	begin_expression(w, "B", "threshold");
	jsonw_addf(w,
		   "expression:A, "
		   "conditions:[{evaluator:{type:gt, params:[%.6f]}}]}}]}",
		   document_threshold(d));
}

static void begin_file(struct jsonw *w, struct out *out)
{
	jsonw_init(w, out, 2);
	jsonw_addf(w, "{apiVersion:1, groups:[");
}

static void begin_group(struct jsonw *w, const struct document *d,
			const char *before, const char *interval)
{
	struct buf name;

	buf_init(&name, LIMIT_URL_BYTES);
	buf_add_text(&name, before);
	document_name_services(d, &name);
	jsonw_addf(w, "{orgId:1");
	document_pair(w, "name", &name);
	jsonw_addf(w, "folder:tracefind, interval:%s, rules:[", interval);
}

void grafana_alert_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct jsonw w;

	begin_file(&w, out);
	begin_group(&w, d, "latency: ", "1m");
	write_rule(&w, d);
	jsonw_addf(&w, "]}]}");
	out_char(out, '\n');
}

/* ---- error budgets ---- */

static void write_bad_part(struct jsonw *w, const struct document *d,
			   const char *ref, int64_t window_ns)
{
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	prometheus_bad_part(&text, &d->slo->indicator, window_ns);
	write_query(w, d, ref, &text);
}

static void write_burn_rule(struct jsonw *w, const struct document *d,
			    const struct burn_pair *pair)
{
	double limit = pair->rate * (1 - d->slo->objective);
	char threshold[32] = "errors", window[32], uid[80], title[80];
	struct buf summary, next, both;

	/* "burn-2s-1h-" and "Error budget, over 1h: ": a service may have
	 * objectives of errors and of some thresholds. */
	if (d->slo->threshold_ns)
		format_duration_option(d->slo->threshold_ns, threshold);
	format_duration_option(pair->long_ns, window);
	snprintf(uid, sizeof uid, "burn-%s-%s-", threshold, window);
	snprintf(title, sizeof title, "Error budget, over %s: ", window);
	buf_init(&summary, LIMIT_SELECTOR_BYTES);
	document_name_services(d, &summary);
	buf_add_text(&summary, ": ");
	document_burn_condition(pair, &summary);
	buf_add_text(&summary, ": ");
	document_objective(d, &summary);
	buf_init(&next, LIMIT_SELECTOR_BYTES);
	document_burn_next(d, &next);
	jsonw_object(w);
	grafana_write_names(w, d, uid, title);
	write_state(w, "C", 0);
	write_words(w, &summary, &next, pair->is_page ? "page" : "ticket");
	write_bad_part(w, d, "A", pair->long_ns);
	write_bad_part(w, d, "B", pair->short_ns);
	/* Dollars stay as they are in what is computed. */
	buf_init(&both, LIMIT_URL_BYTES);
	buf_addf(&both, "$A > %.10g && $B > %.10g", limit, limit);
	begin_expression(w, "C", "math");
	document_pair(w, "expression", &both);
	jsonw_addf(w, "}}]}");
}

/* Days are not read anew each minute. */
static void write_burn_group(struct jsonw *w, const struct document *d,
			     bool is_page)
{
	bool has_any = false;

	for (size_t i = 0; i < d->slo->pair_count; i++) {
		const struct burn_pair *pair = &d->slo->pairs[i];

		if (pair->is_page != is_page)
			continue;
		if (!has_any)
			begin_group(w, d,
				    is_page ? "error budget: "
					    : "error budget, slow: ",
				    is_page ? "1m" : "15m");
		has_any = true;
		write_burn_rule(w, d, pair);
	}
	if (has_any)
		jsonw_addf(w, "]}");
}

void grafana_burn_write(const void *document, struct out *out)
{
	struct jsonw w;

	begin_file(&w, out);
	write_burn_group(&w, document, true);
	write_burn_group(&w, document, false);
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}

/* Dashboards of Grafana, in the JSON that every version reads. */

#define COLUMNS 24
#define PANEL_HEIGHT 8
#define FLAME_HEIGHT 14
/* The schema of 2024: newer ones are understood by newer programs only, which
 * read older ones. */
#define SCHEMA_VERSION 39

/* ---- sources of data ---- */

/* Variables of the dashboard, which has them filled in where it is loaded. */
enum data { DATA_METRICS = 0, DATA_TRACES, DATA_PROFILES };

static const struct {
	const char *name;
	const char *uid;
	const char *label;
	const char *type;
} data_kinds[] = {
	[DATA_METRICS] = { "metrics", "${metrics}", "Metrics", "prometheus" },
	[DATA_TRACES] = { "traces", "${traces}", "Traces", "tempo" },
	[DATA_PROFILES] = { "profiles", "${profiles}", "Profiles",
			    "grafana-pyroscope-datasource" },
};

static void write_data(struct jsonw *w, enum data kind)
{
	jsonw_addf(w, "datasource:{type:%s, uid:%s}", data_kinds[kind].type,
		   data_kinds[kind].uid);
}

static void write_data_variable(struct jsonw *w, enum data kind)
{
	jsonw_addf(w, "{name:%s, label:%s, type:datasource, query:%s, refresh:1}",
		   data_kinds[kind].name, data_kinds[kind].label,
		   data_kinds[kind].type);
}

/* ---- the variable of services ---- */

/* The names that were given: commas separate them. */
static void write_named_services(struct jsonw *w, const struct document *d)
{
	struct buf list;

	buf_init(&list, LIMIT_URL_BYTES);
	for (size_t i = 0; i < d->service_count; i++) {
		buf_add_text(&list, i ? "," : "");
		for (const char *c = d->services[i]; *c; c++)
			buf_addf(&list, "%s%c", *c == ',' ? "\\" : "", *c);
	}
	jsonw_addf(w, "type:custom");
	document_pair(w, "query", &list);
}

/* Those that the metric has. */
static void write_found_services(struct jsonw *w, const struct metric_source *s)
{
	const struct metric_want want = { .is_by_service = true };
	bool is_renamed = metric_series_label(s) != s->label;
	struct buf query;

	buf_init(&query, LIMIT_SELECTOR_BYTES);
	buf_add_text(&query, "label_values(");
	metric_selector(&query, s, &want);
	buf_addf(&query, ", %s)", s->label);
	jsonw_addf(w, "type:query");
	write_data(w, DATA_METRICS);
	document_pair(w, "query", &query);
	jsonw_addf(w, "refresh:2, sort:1, regex:%s, allValue:'.+'",
		   is_renamed ? "/(?:.+\\/)?(.+)/" : "");
}

static void write_variables(struct jsonw *w, const struct document *d,
			    const struct document_tile *first)
{
	jsonw_addf(w, "templating:{list:[");
	write_data_variable(w, DATA_METRICS);
	write_data_variable(w, DATA_TRACES);
	if (d->profile_count)
		write_data_variable(w, DATA_PROFILES);
	jsonw_addf(w, "{name:service, label:Service");
	if (d->service_count)
		write_named_services(w, d);
	else
		write_found_services(w, &d->sources[first->meaning]);
	jsonw_addf(w, "multi:true, includeAll:true, "
		      "current:{text:All, value:$__all}}]}");
}

/* ---- links ---- */

/* Appends encoded JSON; the dashboard fills in what is between "${" and "}". */
static void add_encoded(struct buf *out, struct str json)
{
	while (json.len) {
		bool is_variable = str_starts(json, STR("${"));
		size_t end = is_variable ? str_until(json, 0, '}') + 1
					 : str_find(json, STR("${"));
		struct str part = str_slice(json, 0, end);

		if (is_variable)
			buf_add_str(out, part);
		else
			link_escape(out, "", part);
		json = str_slice(json, part.len, json.len);
	}
}

/* A link to a query of another source of data, in the time of the dashboard. */
struct link {
	struct buf panes;
	struct out out;
	struct jsonw query;
};

static void link_begin(struct link *l, enum data kind)
{
	buf_init(&l->panes, LIMIT_URL_BYTES);
	out_init_memory(&l->out, &l->panes);
	jsonw_init(&l->query, &l->out, 0);
	jsonw_addf(&l->query, "{a:{datasource:%s, queries:[{refId:A",
		   data_kinds[kind].uid);
	write_data(&l->query, kind);
}

static void link_end(struct link *l, struct jsonw *w, const char *title)
{
	struct buf url;

	jsonw_addf(&l->query,
		   "}], range:{from:'${__from}', to:'${__to}'}}}");
	buf_init(&url, LIMIT_URL_BYTES);
	buf_add_text(&url, "/explore?schemaVersion=1&panes=");
	add_encoded(&url, buf_str(&l->panes));
	jsonw_addf(w, "{title:%s", title);
	document_pair(w, "url", &url);
	jsonw_addf(w, "targetBlank:true}");
	out_release(&l->out);
	buf_release(&l->panes);
}

static void write_trace_link(struct jsonw *w, const struct document *d,
			     const struct metric_source *s, bool is_slow)
{
	struct link l;
	struct buf query;

	buf_init(&query, LIMIT_URL_BYTES);
	buf_addf(&query, "{ resource.service.name = \"${__field.labels.%s}\"",
		 metric_series_label(s));
	if (is_slow)
		buf_addf(&query, " && duration > %lldms",
			 (long long)sat_round_f64(d->threshold_s * NS_PER_S /
						  NS_PER_MS));
	buf_add_text(&query, " }");
	link_begin(&l, DATA_TRACES);
	jsonw_addf(&l.query, "queryType:traceql, query:%s, limit:20, "
			     "tableType:traces, filters:[]",
		   buf_text(&query));
	link_end(&l, w, is_slow ? "Slow traces" : "Traces");
	buf_release(&query);
}

static void write_profile_link(struct jsonw *w, const struct document *d,
			       const struct metric_source *s)
{
	struct link l;
	struct buf selector;

	buf_init(&selector, LIMIT_URL_BYTES);
	buf_addf(&selector, "{service_name=\"${__field.labels.%s}\"}",
		 metric_series_label(s));
	link_begin(&l, DATA_PROFILES);
	jsonw_addf(&l.query, "queryType:both, profileTypeId:%s, "
			     "labelSelector:%s, groupBy:[]",
		   d->profiles[0].type_id, buf_text(&selector));
	link_end(&l, w, "Profiles");
	buf_release(&selector);
}

/* ---- panels of metrics ---- */

static const char *unit_id(const struct metric_source *s,
			   enum metric_meaning meaning)
{
	switch (meaning) {
	case METRIC_LATENCY:
		return s->name->unit < 1 ? "ms" : "s";
	case METRIC_REQUESTS:
		return "reqps";
	case METRIC_CPU:
		return "cores";
	case METRIC_MEMORY:
		return "bytes";
	default:
		return "percentunit";
	}
}

static void write_field(struct jsonw *w, const struct document *d,
			enum metric_meaning meaning)
{
	const struct metric_source *s = &d->sources[meaning];
	bool is_latency = meaning == METRIC_LATENCY;
	bool is_stacked = meaning == METRIC_REQUESTS;
	double above = is_latency ? document_threshold(d) : 0;

	jsonw_addf(w, "fieldConfig:{defaults:{unit:%s, min:0",
		   unit_id(s, meaning));
	jsonw_addf(w,
		   "custom:{drawStyle:line, lineWidth:1, fillOpacity:%d, "
		   "showPoints:never, stacking:{mode:%s, group:A}",
		   is_stacked ? 30 : 0, is_stacked ? "normal" : "none");
	if (is_latency)
		jsonw_addf(w,
			   "thresholdsStyle:{mode:line}}, "
			   "thresholds:{mode:absolute, "
			   "steps:[{color:green, value:null}, "
			   "{color:red, value:%.6f}]}",
			   above > 0 ? above : NAN);
	else
		jsonw_object_end(w);
	jsonw_addf(w, "links:[");
	write_trace_link(w, d, s, is_latency);
	if (d->profile_count && meaning != METRIC_REQUESTS)
		write_profile_link(w, d, s);
	jsonw_addf(w, "]}, overrides:[]}");
}

static void write_target(struct jsonw *w, const struct document *d,
			 enum metric_meaning meaning, double quantile,
			 bool has_exemplars, const char *id)
{
	const struct metric_source *s = &d->sources[meaning];
	const struct metric_want want = {
		.meaning = meaning,
		.services = "$service",
		.quantile = quantile,
		.rate = "$__rate_interval",
		.is_by_service = true,
	};
	char name[16] = "";
	struct buf text, legend;

	buf_init(&text, LIMIT_URL_BYTES);
	buf_init(&legend, LIMIT_SELECTOR_BYTES);
	metric_expression(&text, s, &want);
	if (s->name->is_histogram && meaning == s->name->meaning)
		document_quantile(quantile, name);
	buf_addf(&legend, "{{%s}}%s%s", metric_series_label(s),
		 name[0] ? " " : "", name);
	jsonw_addf(w, "{refId:%s", id);
	write_data(w, DATA_METRICS);
	jsonw_addf(w, "editorMode:code");
	document_pair(w, "expr", &text);
	document_pair(w, "legendFormat", &legend);
	jsonw_addf(w, "range:true, exemplar:%i}", has_exemplars);
}

struct place {
	int64_t x, y, width, height;
};

static void begin_panel(struct jsonw *w, size_t id, const char *type,
			struct place at)
{
	jsonw_addf(w, "{id:%zu, type:%s, gridPos:{x:%jd, y:%jd, w:%jd, h:%jd}",
		   id, type, at.x, at.y, at.width, at.height);
}

/* Two in a row; the last one alone is as wide as both. */
static struct place tile_place(size_t i, size_t count, int64_t height)
{
	bool is_alone = i % 2 == 0 && i + 1 == count;

	return (struct place){ (int64_t)(i % 2) * COLUMNS / 2,
			       (int64_t)(i / 2) * height,
			       is_alone ? COLUMNS : COLUMNS / 2, height };
}

static void write_panel(struct jsonw *w, const struct document *d,
			const struct document_tile *tile, size_t i,
			size_t count)
{
	bool is_latency = tile->meaning == METRIC_LATENCY;
	char title[32];

	snprintf(title, sizeof title, "%s by service", tile->title);
	begin_panel(w, i + 1, "timeseries", tile_place(i, count, PANEL_HEIGHT));
	jsonw_addf(w, "title:%s", title);
	write_data(w, DATA_METRICS);
	write_field(w, d, tile->meaning);
	jsonw_addf(w, "options:{legend:{showLegend:true, displayMode:list, "
		      "placement:bottom, calcs:[]}, "
		      "tooltip:{mode:multi, sort:desc}}, targets:[");
	write_target(w, d, tile->meaning, 0.95, is_latency, "A");
	if (is_latency)
		write_target(w, d, tile->meaning, 0.5, false, "B");
	jsonw_addf(w, "]}");
}

/* ---- flame graphs ---- */

static void write_flame_target(struct jsonw *w,
			       const struct document_profile *p)
{
	struct buf selector;

	buf_init(&selector, LIMIT_SELECTOR_BYTES);
	selector_add(&selector, STR("service_name"), str_from(p->service));
	selector_close(&selector);
	jsonw_addf(w, "targets:[{refId:A");
	write_data(w, DATA_PROFILES);
	jsonw_addf(w, "queryType:profile, profileTypeId:%s", p->type_id);
	document_pair(w, "labelSelector", &selector);
	jsonw_addf(w, "groupBy:[]}]");
}

static void write_flame(struct jsonw *w, const struct document *d, size_t i,
			size_t tiles)
{
	const struct document_profile *p = &d->profiles[i];
	struct place at = tile_place(i, d->profile_count, FLAME_HEIGHT);
	struct buf title;

	at.y += (int64_t)((tiles + 1) / 2) * PANEL_HEIGHT;
	buf_init(&title, LIMIT_SELECTOR_BYTES);
	buf_addf(&title, "Flame graph of %s", p->service);
	begin_panel(w, tiles + i + 1, "flamegraph", at);
	document_pair(w, "title", &title);
	write_data(w, DATA_PROFILES);
	write_flame_target(w, p);
	jsonw_object_end(w);
}

/* ---- dashboards ---- */

void grafana_dashboard_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct document_tile tiles[DOCUMENT_TILES];
	size_t count = document_tiles(d, tiles);
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	grafana_write_names(&w, d, "tracefind-", "tracefind: ");
	jsonw_addf(&w,
		   "tags:[tracefind], schemaVersion:%d, annotations:{list:[]}, "
		   "timezone:browser, editable:true, refresh:'30s', "
		   "time:{from:now-1h, to:now}",
		   SCHEMA_VERSION);
	write_variables(&w, d, &tiles[0]);
	jsonw_addf(&w, "panels:[");
	for (size_t i = 0; i < count; i++)
		write_panel(&w, d, &tiles[i], i, count);
	for (size_t i = 0; i < d->profile_count; i++)
		write_flame(&w, d, i, count);
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
}
