/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of Grafana's alerting, as a file that it loads (provisioning).
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/timefmt.h"
#include "report/documents.h"

/* ---- names ---- */

/* FNV-1a: the same services are the same dashboard. */
static uint64_t hash_services(const struct document *d)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < d->service_count; i++)
		for (const char *c = d->services[i];; c++) {
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
			if (!*c)
				break;
		}
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

static void write_evaluated(struct jsonw *w, const struct document *d)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf text;

	want.quantile = d->quantile;
	want.rate = "5m";
	buf_init(&text, LIMIT_URL_BYTES);
	metric_expression(&text, &d->sources[METRIC_LATENCY], &want);
	jsonw_object(w);
	jsonw_pair_text(w, "refId", "A");
	jsonw_key(w, "relativeTimeRange");
	jsonw_object(w);
	jsonw_pair_i64(w, "from", 600);
	jsonw_pair_i64(w, "to", 0);
	jsonw_object_end(w);
	jsonw_pair_text(w, "datasourceUid", d->datasource);
	jsonw_key(w, "model");
	jsonw_object(w);
	jsonw_pair_text(w, "refId", "A");
	document_pair(w, "expr", &text);
	jsonw_pair_bool(w, "instant", true);
	jsonw_pair_bool(w, "range", false);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void write_condition(struct jsonw *w, const struct document *d)
{
	jsonw_object(w);
	jsonw_pair_text(w, "refId", "B");
	jsonw_pair_text(w, "datasourceUid", EXPRESSION_UID);
	jsonw_key(w, "model");
	jsonw_object(w);
	jsonw_pair_text(w, "refId", "B");
	jsonw_pair_text(w, "type", "threshold");
	jsonw_key(w, "datasource");
	jsonw_object(w);
	jsonw_pair_text(w, "type", EXPRESSION_UID);
	jsonw_pair_text(w, "uid", EXPRESSION_UID);
	jsonw_object_end(w);
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
static void write_words(struct jsonw *w, const struct document *d)
{
	struct buf text;

	buf_init(&text, LIMIT_SELECTOR_BYTES);
	document_alert_summary(d, &text);
	jsonw_key(w, "annotations");
	jsonw_object(w);
	document_pair(w, "summary", &text);
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	document_alert_next(d, &text);
	document_pair(w, "description", &text);
	jsonw_object_end(w);
	jsonw_key(w, "labels");
	jsonw_object(w);
	jsonw_pair_text(w, "severity", "warning");
	jsonw_object_end(w);
}

static void write_rule(struct jsonw *w, const struct document *d)
{
	char text[32];

	snprintf(text, sizeof text, "%llds", (long long)(d->for_ns / NS_PER_S));
	jsonw_object(w);
	grafana_write_names(w, d, "tracefind-latency-", "High latency: ");
	jsonw_pair_text(w, "condition", "B");
	jsonw_pair_text(w, "for", text);
	jsonw_pair_text(w, "noDataState", "OK");
	jsonw_pair_text(w, "execErrState", "Error");
	write_words(w, d);
	jsonw_key(w, "data");
	jsonw_array(w);
	write_evaluated(w, d);
	write_condition(w, d);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

void grafana_alert_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct buf name;
	struct jsonw w;

	jsonw_init(&w, out, 2);
	jsonw_object(&w);
	jsonw_pair_i64(&w, "apiVersion", 1);
	jsonw_key(&w, "groups");
	jsonw_array(&w);
	jsonw_object(&w);
	jsonw_pair_i64(&w, "orgId", 1);
	buf_init(&name, LIMIT_URL_BYTES);
	buf_add_text(&name, "latency: ");
	document_name_services(d, &name);
	document_pair(&w, "name", &name);
	jsonw_pair_text(&w, "folder", "tracefind");
	jsonw_pair_text(&w, "interval", "1m");
	jsonw_key(&w, "rules");
	jsonw_array(&w);
	write_rule(&w, d);
	jsonw_array_end(&w);
	jsonw_object_end(&w);
	jsonw_array_end(&w);
	jsonw_object_end(&w);
	out_char(out, '\n');
}
