/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/search_summary.h"
#include "backend/metric_filter.h"
#include "cli/alert_burn.h"
#include "cli/document_choice.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/suggest_next.h"
#include "investigate/alert.h"
#include "report/alert_answer.h"

/* What Cloud Monitoring takes. */
#define FILTER_MOST_BYTES 2048

/* Where OpenTelemetry's last bucket begins unless it was chosen. */
#define LAST_EDGE_S 10

static bool is_document(const char *format)
{
	return !strcmp(format, "google") || !strcmp(format, "grafana") ||
	       !strcmp(format, "prometheus");
}

static bool check(const struct options *o, struct error *err)
{
	size_t documents = 0;

	for (size_t i = 0; i < o->output_count; i++)
		documents += is_document(o->outputs[i].format);
	if (!o->is_now && (!documents || documents < o->output_count))
		return error_set(err, ERROR_USAGE,
				 "for whom? -o google, -o grafana or -o "
				 "prometheus; or evaluate it here: --now");
	if (o->is_now && documents)
		return error_set(
			err, ERROR_USAGE,
			"--now evaluates the alert, which -o google, "
			"-o grafana and -o prometheus write: leave out "
			"one of them");
	if (o->for_ns % NS_PER_MIN)
		return error_set(err, ERROR_USAGE,
				 "--for: whole minutes, since each is judged "
				 "by itself");
	return alert_burn_check(o, err) && output_check(o, "alert", err);
}

static bool read_quantile(const char *text, double *quantile, struct error *err)
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

static bool choose(struct document_choice *c, struct context *ctx,
		   struct error *err)
{
	struct document *d = &c->document;

	if (!document_choose(c, ctx, err) ||
	    !read_quantile(ctx->options->quantile, &d->quantile, err))
		return false;
	d->for_ns = ctx->options->for_ns;
	return true;
}

static bool write_document(struct document_choice *c, struct context *ctx,
			   struct error *err)
{
	const struct document *d = &c->document;

	if (!document_find_metrics(c, ctx, err) ||
	    !check_latency(d, ctx->options, err))
		return false;
	ctx->is_answer_bare = true;
	tell_limits(d, ctx->options, &ctx->notes);
	return output_answer(ctx->options, &alert_writer, d, err);
}

/* ---- now ---- */

/* Without metrics traces tell; but not when it was said where metrics are. */
static bool find_source(struct document_choice *c, struct context *ctx,
			struct error *why, struct error *err)
{
	const struct metric_source *latency = &c->sources[METRIC_LATENCY];

	if (document_find_metrics(c, ctx, why)) {
		if (!latency->name)
			error_set(why, ERROR_NOT_FOUND,
				  "none of them tells how long requests take");
		return true;
	}
	*err = *why;
	if (ctx->replay) /* it does not hold them */
		return false;
	return why->code == ERROR_NOT_FOUND ||
	       (why->code == ERROR_NETWORK && ctx->backends.metrics.is_default);
}

static bool check_traces(const struct alert *a, const struct context *ctx,
			 const struct error *why, struct error *err)
{
	int64_t steps = (a->window.to_ns - a->window.from_ns) / ALERT_STEP_NS;

	if (ctx->backends.traces.path)
		return error_set(err, ERROR_USAGE,
				 "--now asks servers; a file of traces has no "
				 "now");
	if (!a->service_count) {
		*err = *why;
		return error_prefix(err, "of traces services are asked for one "
					 "by one: name them; metrics do not "
					 "tell");
	}
	return (uint64_t)steps * a->service_count <= ALERT_TRACED_STEPS ||
	       error_set(err, ERROR_USAGE,
			 "%zu services for %lld minutes are too much to ask "
			 "of traces: a shorter --for, or fewer services",
			 a->service_count, (long long)steps);
}

static bool evaluate(struct document_choice *c, struct context *ctx,
		     int *outcome, struct error *err)
{
	const struct document *d = &c->document;
	struct error why = { 0 };
	struct alert a = {
		.backends = &ctx->backends,
		.services = d->services,
		.service_count = d->service_count,
		.pattern = d->pattern,
		.threshold_s = d->threshold_s,
		.quantile = d->quantile,
		.window = { c->window.to_ns - d->for_ns, c->window.to_ns },
	};
	struct alert_answer answer = { .alert = &a, .notes = &ctx->notes };

	if (!find_source(c, ctx, &why, err))
		return false;
	error_clear(err);
	if (d->sources[METRIC_LATENCY].name)
		a.source = &d->sources[METRIC_LATENCY];
	else if (!check_traces(&a, ctx, &why, err))
		return false;
	if (!alert_evaluate(&a, err))
		return alert_explain(&a, a.source ? NULL : &why, err);
	alert_add_notes(&a, a.source ? NULL : &why, &ctx->notes);
	*outcome = alert_firing(&a)  ? ALERT_EXIT_FIRES
		   : alert_lacks(&a) ? ALERT_EXIT_UNKNOWN
				     : 0;
	answer.servers = suggest_servers(ctx, false);
	ctx->has_told_notes =
		output_answer(ctx->options, &alert_now_writer, &answer, err);
	return ctx->has_told_notes;
}

int cmd_alert(const struct options *o)
{
	struct error err = { 0 };
	struct document_choice c;
	struct context ctx;
	int outcome = 0, status;
	bool done;

	done = context_init(&ctx, o, &err) && check(o, &err) &&
	       choose(&c, &ctx, &err) &&
	       (o->objective ? alert_burn_run(&c, &ctx, &outcome, &err)
		: o->is_now  ? evaluate(&c, &ctx, &outcome, &err)
			     : write_document(&c, &ctx, &err));
	status = context_end(&ctx, done, &err);

	return status ? status : outcome;
}
