/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/metric_filter.h"

#include <string.h>

/* Labels of the resource prometheus_target; others are the metric's. */
static const char *const target_labels[] = { "job",	 "instance",
					     "namespace", "cluster",
					     "location",  NULL };

/* Those of the platform have the service in their resource. */
const char *metric_filter_scope(const struct metric_source *source)
{
	size_t i = 0;

	while (target_labels[i] && strcmp(target_labels[i], source->label) != 0)
		i++;
	return source->name->cloud_type || target_labels[i] ? "resource"
							     : "metric";
}

static void add_quoted(struct buf *out, struct str text)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"' || text.ptr[i] == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, text.ptr[i]);
	}
	buf_add_char(out, '"');
}

static void add_value(struct buf *out, const char *op, struct str value)
{
	bool is_pattern = op[1] == '~';

	buf_addf(out, " %s %s", op[0] == '!' ? "!=" : "=",
		 is_pattern ? "monitoring.regex.full_match(" : "");
	add_quoted(out, value);
	buf_add_text(out, is_pattern ? ")" : "");
}

static void add_service(struct buf *out, const struct metric_source *s,
			const struct metric_want *w)
{
	struct buf pattern;

	buf_addf(out, " AND %s.labels.%s", metric_filter_scope(s), s->label);
	buf_init(&pattern, LIMIT_SELECTOR_BYTES);
	metric_service_pattern(&pattern, s->label, w);
	if (w->service && !strpbrk(buf_text(&pattern), "+\\"))
		add_value(out, "=", str_from(w->service));
	else
		add_value(out, "=~", buf_str(&pattern));
	buf_release(&pattern);
}

static const char *kind(const struct metric_name *n)
{
	return n->is_histogram ? "histogram" : n->is_counter ? "counter" : "gauge";
}

void metric_filter(struct buf *out, const struct metric_source *source,
		   const struct metric_want *want)
{
	const struct metric_name *n = source->name;

	if (n->cloud_type)
		buf_addf(out, "metric.type = \"%s\" AND resource.type = \"%s\"",
			 n->cloud_type, n->cloud_resource);
	else
		buf_addf(out,
			 "metric.type = \"prometheus.googleapis.com/%s/%s\" "
			 "AND resource.type = \"prometheus_target\"",
			 n->name, kind(n));
	if (want->service || want->services)
		add_service(out, source, want);
	for (size_t i = 0; i < METRIC_MATCHERS && n->matchers[i].label; i++) {
		const struct metric_matcher *m = &n->matchers[i];

		/* The resource was named already. */
		if (!strcmp(m->label, "monitored_resource"))
			continue;
		buf_addf(out, " AND metric.labels.%s", m->label);
		add_value(out, m->op, str_from(m->value));
	}
}
