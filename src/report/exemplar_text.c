/* SPDX-License-Identifier: Apache-2.0 */
#include "report/exemplar_text.h"

#include "backend/fetch_metrics.h"
#include "base/num.h"

static void format_seconds(double seconds, char out[24])
{
	format_duration(sat_from_f64(seconds * (double)NS_PER_S), out);
}

void exemplar_text_add(const struct exemplar_choice *c, struct notes *notes)
{
	const char *name = c->metrics.sources[METRIC_LATENCY].name->name;
	char took[24], p95[24];

	format_seconds(c->exemplar.value, took);
	format_seconds(c->p95_s, p95);
	if (c->slow_count)
		notes_add(notes,
			  "took trace %.*s: an exemplar of %s that took %s, "
			  "the median of %zu in the buckets from that of p95 "
			  "(~%s) on, of %zu",
			  STR_ARGS(c->exemplar.trace_id), name, took,
			  c->slow_count, p95, c->count);
	else
		notes_add(notes,
			  "took trace %.*s: the longest of %zu exemplars of "
			  "%s, %s; p95 is %s",
			  STR_ARGS(c->exemplar.trace_id), c->count, name, took,
			  c->p95_s > 0 ? p95 : "not known");
}

static bool explain_none(const struct exemplar_choice *c, struct error *err)
{
	const struct metric_backend *server =
		backends_metrics(c->metrics.backends);

	return error_set(
		err, ERROR_NOT_FOUND,
		"%s has no exemplars of %s%s%s in this window: the "
		"application has to send them, and Prometheus keeps them with "
		"--enable-feature=exemplar-storage; without them: tracefind "
		"slow --service",
		server->title, c->metrics.sources[METRIC_LATENCY].name->name,
		c->operation ? " for " : "", c->operation ? c->operation : "");
}

bool exemplar_text_explain(const struct exemplar_choice *c, struct error *err)
{
	const char *service = c->metrics.service;
	const struct metric_backend *server =
		backends_metrics(c->metrics.backends);

	switch (c->lack) {
	case EXEMPLAR_FOUND:
		break;
	case EXEMPLAR_NO_METRICS:
		return error_set(err, ERROR_NOT_FOUND,
				 "%s has none of the known metrics of \"%s\" "
				 "in this window: is that its name there? "
				 "tracefind doctor --metrics-url lists which "
				 "metrics there are",
				 server->title, service);
	case EXEMPLAR_NO_LATENCY:
		return error_set(
			err, ERROR_NOT_FOUND,
			"%s has metrics of \"%s\", but no histogram of "
			"its latency, of which exemplars are a part",
			server->title, service);
	case EXEMPLAR_NO_OPERATION:
		return error_set(err, ERROR_NOT_FOUND,
				 "%s does not tell operations apart: leave out "
				 "--name",
				 c->metrics.sources[METRIC_LATENCY].name->name);
	case EXEMPLAR_NONE:
		return explain_none(c, err);
	}
	return false;
}
