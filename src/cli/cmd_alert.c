/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/search_summary.h"
#include "backend/metrics.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/slo.h"
#include "report/answers.h"
#include "report/slo_answer.h"

/* `alert --objective`: an alert on the error budget of one service. */

/* ERROR_USAGE for options that do not go with it. */
static bool alert_burn_check(const struct options *o, struct error *err)
{
	static const char *const of_latency[] = { "for", "quantile" };
	size_t services = o->arg_count ? o->arg_count : o->service != NULL;

	if (!o->objective)
		return !options_given(o, "window") ||
		       error_set(err, ERROR_USAGE,
				 "--window needs an error budget: give "
				 "--objective too, for example 99.9");
	for (size_t i = 0; i < sizeof of_latency / sizeof *of_latency; i++)
		if (options_given(o, of_latency[i]))
			return error_set(
				err, ERROR_USAGE,
				"--%s applies to latency alerts only: leave "
				"out that or --objective",
				of_latency[i]);
	if (o->all || services != 1)
		return error_set(err, ERROR_USAGE,
				 "--objective needs exactly one service: name "
				 "it");
	if (!o->platform && !o->metric_count)
		return true;
	if (o->is_now)
		return error_set(err, ERROR_USAGE,
				 "--now discovers the metrics: leave out --%s",
				 o->platform ? "platform" : "metric");
	return !options_given(o, "threshold") ||
	       error_set(err, ERROR_USAGE,
			 "--threshold with --objective needs the buckets of "
			 "the metric: leave out --%s, and give the server with "
			 "--metrics-url",
			 o->platform ? "platform" : "metric");
}

static bool fail_blind(struct error *err)
{
	return error_set(
		err, ERROR_USAGE,
		"no pair of windows can alert on this budget: use a higher "
		"--objective or a longer --window");
}

/* ---- the document ---- */

static void note_pair(const char *why, const struct burn_pair *pair,
		      struct notes *notes)
{
	char window[32];

	format_duration_option(pair->long_ns, window);
	notes_add(notes, "no condition over %s: %s", window, why);
}

/* Pairs that can never fire are left out; returns how many there are in each
 * document. */
static size_t leave_out(struct slo *s, const struct options *o,
			struct notes *notes)
{
	bool is_google = output_count_of(o, "google");
	size_t kept = 0, shown = 0;

	for (size_t i = 0; i < s->pair_count; i++) {
		const struct burn_pair pair = s->pairs[i];

		if (!burn_pair_can_fire(&pair, s->objective)) {
			note_pair("even with all requests bad, the budget is "
				  "not spent that fast",
				  &pair, notes);
			continue;
		}
		s->pairs[kept++] = pair;
		if (is_google && pair.long_ns > GOOGLE_LOOKBACK_NS)
			note_pair("Cloud Monitoring looks back 25 hours at "
				  "most",
				  &pair, notes);
		else
			shown++;
	}
	s->pair_count = kept;
	return is_google ? shown : kept;
}

static void tell_datasource(const struct document *d, const struct options *o,
			    struct notes *notes)
{
	if (output_count_of(o, "grafana") && !options_given(o, "datasource"))
		notes_add(notes,
			  "the metrics data source is assumed to have uid %s "
			  "(--datasource)",
			  d->datasource);
}

/* Takes a metric that was named, for which no server is queried: without a
 * threshold it needs no buckets. */
static bool take_told(const struct document_choice *c, struct slo *s,
		      struct error *err)
{
	const struct metric_source *source = &c->sources[METRIC_REQUESTS];

	if (!source->name || !source->name->error_label)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s which requests failed",
				 source->name ? "the metric does not show"
					      : "none of the metrics shows");
	s->indicator = (struct metric_indicator){ .source = *source,
						  .service = s->service,
						  .tells_errors = true };
	return true;
}

static bool write_burn_document(struct document_choice *c, struct context *ctx,
				struct slo *s, struct error *err)
{
	struct document *d = &c->document;

	if (!leave_out(s, ctx->options, &ctx->notes))
		return fail_blind(err);
	if (!(c->is_told ? take_told(c, s, err)
			 : slo_question_count(s, ctx, true, err)))
		return false;
	d->slo = s;
	ctx->is_answer_bare = true;
	if (!c->is_told)
		slo_add_notes(s, &ctx->notes);
	tell_datasource(d, ctx->options, &ctx->notes);
	return output_answer(ctx->options, &burn_writer, d, err);
}

/* ---- now ---- */

static bool find_slowest(struct alert *a, const struct slo *s,
			 const struct burn_pair *pair, struct error *err)
{
	*a = (struct alert){
		.backends = s->backends,
		.source =
			s->indicator.source.name ? &s->indicator.source : NULL,
		.threshold_s = (double)s->threshold_ns / NS_PER_S,
		.is_of_failed = !s->threshold_ns,
	};
	if (!pair)
		return true;
	a->window = (struct time_range){ s->to_ns - pair->short_ns, s->to_ns };
	return alert_find_slowest(a, str_from(s->service), err);
}

#define ALERT_EXIT_UNKNOWN 5

/* The exit status of --now: it fires, as a check of a pipeline fails; or
 * nothing fires of what was measured, which is not all that was asked for. */
#define ALERT_EXIT_FIRES 10

static bool evaluate_burn(struct context *ctx, struct slo *s, int *outcome,
			  struct error *err)
{
	struct alert a;
	struct burn_answer answer = {
		.slo = s, .trace = { .alert = &a, .notes = &ctx->notes }
	};
	const struct burn_pair *pair;
	bool can_fire = false;

	for (size_t i = 0; i < s->pair_count; i++)
		can_fire |= burn_pair_can_fire(&s->pairs[i], s->objective);
	if (!can_fire)
		return fail_blind(err);
	if (!slo_question_count(s, ctx, false, err) ||
	    !slo_question_has_requests(s, err))
		return false;
	pair = burn_firing(s);
	if (!find_slowest(&a, s, pair, err))
		return false;
	*outcome = pair              ? ALERT_EXIT_FIRES
		   : burn_is_open(s) ? ALERT_EXIT_UNKNOWN
				     : 0;
	slo_add_notes(s, &ctx->notes);
	if (pair)
		alert_slowest_note(&a, &ctx->notes);
	answer.trace.servers = suggest_servers(ctx, false);
	ctx->has_told_notes =
		output_answer(ctx->options, &burn_now_writer, &answer, err);
	return ctx->has_told_notes;
}

/* The limits of Cloud Monitoring. */
#define FILTER_MOST_BYTES 2048

/* Where OpenTelemetry's last bucket begins unless it was chosen. */
#define LAST_EDGE_S 10

#define DOCUMENTS "google grafana prometheus"

static bool alert_options_check(const struct options *o, struct error *err)
{
	if (!o->is_now && !output_is_only(o, DOCUMENTS))
		return error_set(err, ERROR_USAGE,
				 "no output format given: -o google, -o "
				 "grafana or -o prometheus; or evaluate the "
				 "alert once: --now");
	if (o->is_now && output_count_of(o, DOCUMENTS))
		return error_set(
			err, ERROR_USAGE,
			"--now evaluates the alert; -o google, -o grafana and "
			"-o prometheus write it: leave out one of them");
	if (o->for_ns % NS_PER_MIN)
		return error_set(err, ERROR_USAGE,
				 "--for must be whole minutes: each minute is "
				 "evaluated separately");
	return alert_burn_check(o, err) && output_check(o, "alert", err);
}

static bool check_latency(const struct document *d, const struct options *o,
			  struct error *err)
{
	struct metric_want want = document_want(d, METRIC_LATENCY);
	struct buf filter;
	bool fits;

	if (!d->sources[METRIC_LATENCY].name)
		return error_set(err, ERROR_NOT_FOUND,
				 "no metric of request durations: name one "
				 "with --metric");
	if (!output_count_of(o, "google"))
		return true;
	buf_init(&filter, FILTER_MOST_BYTES);
	metric_filter(&filter, &d->sources[METRIC_LATENCY], &want);
	fits = filter.state == BUF_OK;
	buf_release(&filter);
	return fits || error_set(err, ERROR_USAGE,
				 "the names of %zu services exceed the length "
				 "of a filter (%d bytes): name fewer services, "
				 "or none for all",
				 d->service_count, FILTER_MOST_BYTES);
}

static bool alert_read(struct document_choice *c, struct context *ctx,
			  struct error *err)
{
	const char *quantile = ctx->options->quantile;
	struct document *d = &c->document;
	unsigned permille = 950;

	if (!document_choose(c, ctx, err))
		return false;
	if (quantile && !quantile_parse(str_from(quantile), &permille))
		return error_set(err, ERROR_INTERNAL, "--quantile: %s",
				 quantile);
	d->quantile = permille / 1000.;
	d->for_ns = ctx->options->for_ns;
	return true;
}

static bool write_document(struct document_choice *c, struct context *ctx,
			   struct error *err)
{
	const struct document *d = &c->document;
	const struct metric_source *s = &d->sources[METRIC_LATENCY];

	if (!document_find_metrics(c, ctx, err) ||
	    !check_latency(d, ctx->options, err))
		return false;
	ctx->is_answer_bare = true;
	notes_add(&ctx->notes, "latency metric: %s (%s); service label: %s",
		  s->name->name, s->name->from, s->label);
	if (d->threshold_s >= LAST_EDGE_S && !s->is_native &&
	    !s->name->cloud_type)
		notes_add(&ctx->notes,
			  "a histogram measures up to its last bucket only, "
			  "often %d s: no alert fires above that",
			  LAST_EDGE_S);
	tell_datasource(d, ctx->options, &ctx->notes);
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
				  "none of them has request durations");
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
				 "--now needs servers, not a file");
	if (!a->service_count) {
		*err = *why;
		return error_prefix(err, "without metrics, traces are queried "
					 "per service: name the services; no "
					 "metrics");
	}
	return (uint64_t)steps * a->service_count <= ALERT_TRACED_STEPS ||
	       error_set(err, ERROR_USAGE,
			 "%zu services for %lld minutes are too many trace "
			 "queries: use a shorter --for or fewer services",
			 a->service_count, (long long)steps);
}

static bool alert_now_evaluate(struct document_choice *c, struct context *ctx,
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
	struct slo s;
	int outcome = 0, status;
	bool done;

	done = context_init(&ctx, o, &err) && alert_options_check(o, &err) &&
	       alert_read(&c, &ctx, &err);
	if (done && o->objective)
		done = slo_question_read(&s, &ctx, c.document.services[0],
					 &err) &&
		       (o->is_now ? evaluate_burn(&ctx, &s, &outcome, &err)
				  : write_burn_document(&c, &ctx, &s, &err));
	else if (done)
		done = o->is_now ? alert_now_evaluate(&c, &ctx, &outcome, &err)
				 : write_document(&c, &ctx, &err);
	status = context_end(&ctx, done, &err);

	return status ? status : outcome;
}
