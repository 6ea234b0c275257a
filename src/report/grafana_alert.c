/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of Grafana's alerting, as a file that it loads (provisioning).
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fnv.h"
#include "base/timefmt.h"
#include "report/documents.h"
#include "report/prometheus_rules.h"

/* ---- names ---- */

/* The same services are the same dashboard. */
static uint64_t hash_services(const struct document *d)
{
	uint64_t hash = FNV64_BEGIN;

	for (size_t i = 0; i < d->service_count; i++)
		hash = fnv64(fnv64(hash, str_from(d->services[i])),
			     (struct str){ "", 1 });
	return hash;
}

#define UID_MOST 40

/* Of letters, digits, '-' and '_', UID_MOST at most. */
static void write_uid(struct jsonw *w, const struct document *d,
		      const char *before)
{
	const char *name = d->service_count ? d->services[0] : "all";
	struct buf uid;
	bool is_plain = d->service_count <= 1;

	for (const char *c = name; *c; c++)
		is_plain &= ascii_is_alnum(*c) || *c == '-' || *c == '_';
	buf_init(&uid, LIMIT_SELECTOR_BYTES);
	if (is_plain && strlen(before) + strlen(name) <= UID_MOST)
		buf_addf(&uid, "%s%s", before, name);
	else
		buf_addf(&uid, "%s%016llx", before,
			 (unsigned long long)hash_services(d));
	document_pair(w, "uid", &uid);
}

static void write_title(struct jsonw *w, const struct document *d,
			const char *before)
{
	struct buf name;

	buf_init(&name, LIMIT_URL_BYTES);
	buf_add_text(&name, before);
	document_name_services(d, &name);
	document_pair(w, "title", &name);
}

void grafana_write_names(struct jsonw *w, const struct document *d,
			 const char *uid, const char *title)
{
	write_uid(w, d, uid);
	write_title(w, d, title);
}

/* ---- rules ---- */

#define EXPRESSION_UID "__expr__" /* as Grafana calls its own expressions */

/* A question to the data source; the text is released. */
static void write_query(struct jsonw *w, const struct document *d,
			const char *ref, struct buf *expression)
{
	jsonw_object(w);
	jsonw_pair_text(w, "refId", ref);
	jsonw_key(w, "relativeTimeRange");
	jsonw_object(w);
	jsonw_pair_i64(w, "from", 600);
	jsonw_pair_i64(w, "to", 0);
	jsonw_object_end(w);
	jsonw_pair_text(w, "datasourceUid", d->datasource);
	jsonw_key(w, "model");
	jsonw_object(w);
	jsonw_pair_text(w, "refId", ref);
	document_pair(w, "expr", expression);
	jsonw_pair_bool(w, "instant", true);
	jsonw_pair_bool(w, "range", false);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void write_evaluated(struct jsonw *w, const struct document *d)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf text;

	want.quantile = d->quantile;
	want.rate = "5m";
	buf_init(&text, LIMIT_URL_BYTES);
	metric_expression(&text, &d->sources[METRIC_LATENCY], &want);
	write_query(w, d, "A", &text);
}

/* One of Grafana's own, up to what it computes. */
static void begin_expression(struct jsonw *w, const char *ref, const char *type)
{
	jsonw_object(w);
	jsonw_pair_text(w, "refId", ref);
	jsonw_pair_text(w, "datasourceUid", EXPRESSION_UID);
	jsonw_key(w, "model");
	jsonw_object(w);
	jsonw_pair_text(w, "refId", ref);
	jsonw_pair_text(w, "type", type);
	jsonw_key(w, "datasource");
	jsonw_object(w);
	jsonw_pair_text(w, "type", EXPRESSION_UID);
	jsonw_pair_text(w, "uid", EXPRESSION_UID);
	jsonw_object_end(w);
}

static void write_condition(struct jsonw *w, const struct document *d)
{
	begin_expression(w, "B", "threshold");
	jsonw_pair_text(w, "expression", "A");
	jsonw_key(w, "conditions");
	jsonw_array(w);
	jsonw_object(w);
	jsonw_key(w, "evaluator");
	jsonw_object(w);
	jsonw_pair_text(w, "type", "gt");
	jsonw_key(w, "params");
	jsonw_array(w);
	jsonw_f64(w, document_threshold(d), 6);
	jsonw_array_end(w);
	jsonw_object_end(w);
	jsonw_object_end(w);
	jsonw_array_end(w);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

/* What the file's reader would take for a variable of the environment is not
 * in it: only "${...}" is one in annotations, and nothing of labels begins with
 * a dollar. */
static void write_words(struct jsonw *w, struct buf *summary, struct buf *next,
			const char *severity)
{
	jsonw_key(w, "annotations");
	jsonw_object(w);
	document_pair(w, "summary", summary);
	document_pair(w, "description", next);
	jsonw_object_end(w);
	jsonw_key(w, "labels");
	jsonw_object(w);
	jsonw_pair_text(w, "severity", severity);
	jsonw_object_end(w);
}

/* What a rule says of itself, up to what it asks. */
static void write_state(struct jsonw *w, const char *condition, int64_t for_ns)
{
	char text[32];

	snprintf(text, sizeof text, "%llds", (long long)(for_ns / NS_PER_S));
	jsonw_pair_text(w, "condition", condition);
	jsonw_pair_text(w, "for", text);
	jsonw_pair_text(w, "noDataState", "OK");
	jsonw_pair_text(w, "execErrState", "Error");
}

static void write_rule(struct jsonw *w, const struct document *d)
{
	struct buf summary, next;

	buf_init(&summary, LIMIT_SELECTOR_BYTES);
	document_alert_summary(d, &summary);
	buf_init(&next, LIMIT_SELECTOR_BYTES);
	document_alert_next(d, &next);
	jsonw_object(w);
	grafana_write_names(w, d, "tracefind-latency-", "High latency: ");
	write_state(w, "B", d->for_ns);
	write_words(w, &summary, &next, "warning");
	jsonw_key(w, "data");
	jsonw_array(w);
	write_evaluated(w, d);
	write_condition(w, d);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void begin_file(struct jsonw *w, struct out *out)
{
	jsonw_init(w, out, 2);
	jsonw_object(w);
	jsonw_pair_i64(w, "apiVersion", 1);
	jsonw_key(w, "groups");
	jsonw_array(w);
}

static void begin_group(struct jsonw *w, const struct document *d,
			const char *before, const char *interval)
{
	struct buf name;

	jsonw_object(w);
	jsonw_pair_i64(w, "orgId", 1);
	buf_init(&name, LIMIT_URL_BYTES);
	buf_add_text(&name, before);
	document_name_services(d, &name);
	document_pair(w, "name", &name);
	jsonw_pair_text(w, "folder", "tracefind");
	jsonw_pair_text(w, "interval", interval);
	jsonw_key(w, "rules");
	jsonw_array(w);
}

static void end_list(struct jsonw *w)
{
	jsonw_array_end(w);
	jsonw_object_end(w);
}

void grafana_alert_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct jsonw w;

	begin_file(&w, out);
	begin_group(&w, d, "latency: ", "1m");
	write_rule(&w, d);
	end_list(&w);
	end_list(&w);
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

/* Dollars stay as they are in what is computed. */
static void write_both(struct jsonw *w, const struct document *d,
		       const struct burn_pair *pair)
{
	double limit = pair->rate * (1 - d->slo->objective);
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	buf_addf(&text, "$A > %.10g && $B > %.10g", limit, limit);
	begin_expression(w, "C", "math");
	document_pair(w, "expression", &text);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

/* "burn-2s-1h-" and "Error budget, over 1h: ": a service may have objectives of
 * errors and of some thresholds. */
static void write_burn_names(struct jsonw *w, const struct document *d,
			     const struct burn_pair *pair)
{
	char threshold[32] = "errors", window[32], uid[80], title[80];

	if (d->slo->threshold_ns)
		format_duration_option(d->slo->threshold_ns, threshold);
	format_duration_option(pair->long_ns, window);
	snprintf(uid, sizeof uid, "burn-%s-%s-", threshold, window);
	snprintf(title, sizeof title, "Error budget, over %s: ", window);
	grafana_write_names(w, d, uid, title);
}

static void write_burn_rule(struct jsonw *w, const struct document *d,
			    const struct burn_pair *pair)
{
	struct buf summary, next;

	buf_init(&summary, LIMIT_SELECTOR_BYTES);
	document_name_services(d, &summary);
	buf_add_text(&summary, ": ");
	document_burn_condition(pair, &summary);
	buf_add_text(&summary, ": ");
	document_objective(d, &summary);
	buf_init(&next, LIMIT_SELECTOR_BYTES);
	document_burn_next(d, &next);
	jsonw_object(w);
	write_burn_names(w, d, pair);
	write_state(w, "C", 0);
	write_words(w, &summary, &next, pair->is_page ? "page" : "ticket");
	jsonw_key(w, "data");
	jsonw_array(w);
	write_bad_part(w, d, "A", pair->long_ns);
	write_bad_part(w, d, "B", pair->short_ns);
	write_both(w, d, pair);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static size_t count_pairs(const struct slo *s, bool is_page)
{
	size_t count = 0;

	for (size_t i = 0; i < s->pair_count; i++)
		count += s->pairs[i].is_page == is_page;
	return count;
}

/* Days are not read anew each minute. */
static void write_burn_group(struct jsonw *w, const struct document *d,
			     bool is_page)
{
	const struct slo *s = d->slo;

	if (!count_pairs(s, is_page))
		return;
	begin_group(w, d, is_page ? "error budget: " : "error budget, slow: ",
		    is_page ? "1m" : "15m");
	for (size_t i = 0; i < s->pair_count; i++)
		if (s->pairs[i].is_page == is_page)
			write_burn_rule(w, d, &s->pairs[i]);
	end_list(w);
}

void grafana_burn_write(const void *document, struct out *out)
{
	struct jsonw w;

	begin_file(&w, out);
	write_burn_group(&w, document, true);
	write_burn_group(&w, document, false);
	end_list(&w);
	out_char(out, '\n');
}
