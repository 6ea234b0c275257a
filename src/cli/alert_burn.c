/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alert_burn.h"

#include "cli/output.h"
#include "cli/slo_question.h"
#include "cli/suggest_next.h"
#include "report/burn_answer.h"

bool alert_burn_check(const struct options *o, struct error *err)
{
	static const char *const of_latency[] = { "for", "quantile" };
	size_t services = o->arg_count ? o->arg_count : o->service != NULL;

	if (!o->objective)
		return !options_given(o, "window") ||
		       error_set(err, ERROR_USAGE,
				 "--window is of an error budget: give "
				 "--objective, as 99.9");
	for (size_t i = 0; i < sizeof of_latency / sizeof *of_latency; i++)
		if (options_given(o, of_latency[i]))
			return error_set(
				err, ERROR_USAGE,
				"--%s is of an alert on latency, which "
				"has no --objective",
				of_latency[i]);
	if (o->all || services != 1)
		return error_set(err, ERROR_USAGE,
				 "an objective is of one service: name it");
	if (!o->platform && !o->metric_count)
		return true;
	if (o->is_now)
		return error_set(err, ERROR_USAGE,
				 "--now asks the server which metrics there "
				 "are: leave out --%s",
				 o->platform ? "platform" : "metric");
	return !options_given(o, "threshold") ||
	       error_set(err, ERROR_USAGE,
			 "--threshold counts requests by the buckets that "
			 "there are: leave out --%s, and name the server by "
			 "--metrics-url",
			 o->platform ? "platform" : "metric");
}

static bool fail_blind(struct error *err)
{
	return error_set(
		err, ERROR_USAGE,
		"no pair of windows can tell that this budget is spent "
		"too fast: a higher --objective, or a longer "
		"--window");
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
	bool is_google = document_is_for(o, "google");
	size_t kept = 0, shown = 0;

	for (size_t i = 0; i < s->pair_count; i++) {
		const struct burn_pair pair = s->pairs[i];

		if (!burn_pair_can_fire(&pair, s->objective)) {
			note_pair("not even with all requests bad the budget "
				  "is spent that fast",
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

static void tell(const struct document *d, const struct options *o,
		 struct notes *notes)
{
	if (document_is_for(o, "grafana") && !options_given(o, "datasource"))
		notes_add(notes,
			  "the data source of metrics is taken to have the uid "
			  "%s (--datasource)",
			  d->datasource);
}

/* Of a metric that was named no server is asked: without a threshold it needs
 * no buckets. */
static bool take_told(const struct document_choice *c, struct slo *s,
		      struct error *err)
{
	const struct metric_source *source = &c->sources[METRIC_REQUESTS];

	if (!source->name || !source->name->error_label)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s which requests failed",
				 source->name ? "the metric does not tell"
					      : "none of the metrics tells");
	s->indicator = (struct metric_indicator){ .source = *source,
						  .service = s->service,
						  .tells_errors = true };
	return true;
}

static bool write_document(struct document_choice *c, struct context *ctx,
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
	tell(d, ctx->options, &ctx->notes);
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

static bool can_fire(const struct slo *s)
{
	bool can = false;

	for (size_t i = 0; i < s->pair_count; i++)
		can |= burn_pair_can_fire(&s->pairs[i], s->objective);
	return can;
}

static bool evaluate(struct context *ctx, struct slo *s, int *outcome,
		     struct error *err)
{
	struct alert a;
	struct burn_answer answer = {
		.slo = s, .trace = { .alert = &a, .notes = &ctx->notes }
	};
	const struct burn_pair *pair;

	if (!can_fire(s))
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

bool alert_burn_run(struct document_choice *c, struct context *ctx,
		    int *outcome, struct error *err)
{
	struct slo s;

	if (!slo_question_read(&s, ctx, c->document.services[0], err))
		return false;
	return ctx->options->is_now ? evaluate(ctx, &s, outcome, err)
				    : write_document(c, ctx, &s, err);
}
