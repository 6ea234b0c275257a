/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/search_summary.h"
#include "backend/metric_filter.h"
#include "cli/document_choice.h"
#include "cli/output.h"
#include "cli/pages.h"

/* What Cloud Monitoring takes. */
#define FILTER_MOST_BYTES 2048

/* Where OpenTelemetry's last bucket begins unless it was chosen. */
#define LAST_EDGE_S 10

static bool check(const struct options *o, struct error *err)
{
	if (!o->output_count)
		return error_set(err, ERROR_USAGE,
				 "for whom? -o google, -o grafana or -o "
				 "prometheus");
	if (o->for_ns % NS_PER_MIN)
		return error_set(err, ERROR_USAGE,
				 "--for: whole minutes, since each is judged "
				 "by itself");
	return output_check(o, "alert", err);
}

static bool read_quantile(const char *text, double *quantile,
			  struct error *err)
{
	unsigned permille = 950;

	if (text && !quantile_parse(str_from(text), &permille))
		return error_set(err, ERROR_INTERNAL, "--quantile: %s", text);
	*quantile = permille / 1000.;
	return true;
}

static bool check_latency(const struct document *d, const struct options *o,
			  struct error *err)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf filter;
	bool fits;

	if (!d->sources[METRIC_LATENCY].name)
		return error_set(err, ERROR_NOT_FOUND,
				 "no metric tells how long requests take: name "
				 "one by --metric");
	if (!document_is_for(o, "google"))
		return true;
	buf_init(&filter, FILTER_MOST_BYTES);
	metric_filter(&filter, &d->sources[METRIC_LATENCY], &want);
	fits = filter.state == BUF_OK;
	buf_release(&filter);
	return fits || error_set(err, ERROR_USAGE,
				 "the names of %zu services are more than a "
				 "filter holds (%d bytes): name fewer, or none "
				 "for all of them",
				 d->service_count, FILTER_MOST_BYTES);
}

static void tell_limits(const struct document *d, const struct options *o,
			struct notes *notes)
{
	const struct metric_source *s = &d->sources[METRIC_LATENCY];

	notes_add(notes, "latency by %s (%s), services by label %s",
		  s->name->name, s->name->from, s->label);
	if (d->threshold_s >= LAST_EDGE_S && !s->is_native &&
	    !s->name->cloud_type)
		notes_add(notes,
			  "a histogram tells no more than where its last "
			  "bucket begins, often %d s: beyond that no alert "
			  "fires",
			  LAST_EDGE_S);
	if (document_is_for(o, "grafana") && !options_given(o, "datasource"))
		notes_add(notes,
			  "the data source of metrics is taken to have the uid "
			  "%s (--datasource)",
			  d->datasource);
}

static bool alert(struct context *ctx, struct error *err)
{
	struct document_choice c;
	struct document *d = &c.document;

	if (!document_choose(&c, ctx, err) ||
	    !read_quantile(ctx->options->quantile, &d->quantile, err))
		return false;
	d->for_ns = ctx->options->for_ns;
	if (!document_find_metrics(&c, ctx, err) || !check_latency(d, ctx->options, err))
		return false;
	ctx->is_answer_bare = true;
	tell_limits(d, ctx->options, &ctx->notes);
	return output_answer(ctx->options, &alert_writer, d, err);
}

int cmd_alert(const struct options *o)
{
	struct error err = { 0 };
	struct context ctx;
	bool done = context_init(&ctx, o, &err) && check(o, &err) &&
		    alert(&ctx, &err);

	return context_end(&ctx, done, &err);
}
