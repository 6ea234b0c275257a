/* SPDX-License-Identifier: Apache-2.0 */
#include "report/documents.h"

#include <stdio.h>

#include "base/num.h"
#include "base/timefmt.h"

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

void document_alert_next(const struct document *d, struct buf *out)
{
	buf_addf(out, "tracefind slow --service '{{ $labels.%s }}'",
		 metric_series_label(&d->sources[METRIC_LATENCY]));
}
