/* SPDX-License-Identifier: Apache-2.0 */
#include "report/documents.h"

#include <stdio.h>

#include "base/num.h"
#include "base/shell.h"
#include "base/timefmt.h"
#include "report/slo_answer.h"

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

void prometheus_burn_write(const void *document, struct out *out)
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
