/* SPDX-License-Identifier: Apache-2.0 */
#include "report/documents.h"

#include <stdio.h>

#include "backend/metrics.h"
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "investigate/slo.h"
#include "render/render.h"
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

/* What takes a name of an object: at most so many of a-z, 0-9 and '-'. */
#define NAME_MOST 63u

static void add_name(struct buf *out, struct str text)
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
	add_name(&name, str_from(s->service));
	add_name(&name, str_from(s->operation));
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
