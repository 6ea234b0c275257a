/* SPDX-License-Identifier: Apache-2.0
 *
 * An alert of high latency as a file of rules of Prometheus.
 */
#include "base/timefmt.h"
#include "report/documents.h"
#include "report/prometheus_rules.h"

#define INDENT 8u

static void write_text(struct out *out, const char *before, struct buf *text)
{
	if (text->state != BUF_OK)
		out_fail_memory(out);
	out_text(out, before);
	yaml_text(out, buf_str(text));
	out_char(out, '\n');
	buf_release(text);
}

static void write_expression(struct out *out, const struct document *d)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf text;

	want.quantile = d->quantile;
	want.rate = "5m";
	buf_init(&text, LIMIT_URL_BYTES);
	metric_expression(&text, &d->sources[METRIC_LATENCY], &want);
	buf_addf(&text, " > %.15g", document_threshold(d));
	if (text.state != BUF_OK)
		out_fail_memory(out);
	yaml_pair(out, INDENT, "expr", buf_str(&text));
	buf_release(&text);
}

void prometheus_alert_write(const void *document, struct out *out)
{
	const struct document *d = document;
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	buf_add_text(&text, "tracefind latency: ");
	document_name_services(d, &text);
	write_text(out, "groups:\n  - name: ", &text);
	out_text(out, "    rules:\n"
		      "      - alert: HighLatency\n");
	write_expression(out, d);
	outf(out,
	     "        for: %llds\n"
	     "        labels:\n"
	     "          severity: warning\n"
	     "        annotations:\n",
	     (long long)(d->for_ns / NS_PER_S));
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	document_alert_summary(d, &text);
	write_text(out, "          summary: ", &text);
	buf_init(&text, LIMIT_SELECTOR_BYTES);
	document_alert_next(d, &text);
	write_text(out, "          description: ", &text);
}
