/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/num.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/trace_search.h"
#include "report/texts.h"
#include "report/slo_answer.h"

/* The objective that options name, and its requests counted. */

bool slo_question_read(struct slo *s, struct context *ctx, const char *service,
		       struct error *err)
{
	const struct options *o = ctx->options;
	struct time_range window;
	double percent;

	if (o->window_ns % NS_PER_MIN)
		return error_set(err, ERROR_USAGE, "--window must be whole "
						   "minutes");
	if (!parse_f64(str_from(o->objective), &percent))
		return error_set(err, ERROR_INTERNAL, "--objective: %s",
				 o->objective);
	if (!window_resolve(o, ctx->backends.now_ns, o->window_ns, &window,
			    err))
		return false;
	*s = (struct slo){
		.backends = &ctx->backends,
		.service = service,
		.operation = o->name,
		.objective = percent / 100,
		.threshold_ns =
			options_given(o, "threshold") ? o->threshold_ns : 0,
		.window_ns = o->window_ns,
		.to_ns = window.to_ns,
	};
	slo_init(s);
	return true;
}

static bool count_traces(struct slo *s, struct context *ctx, bool is_document,
			 struct error *err)
{
	struct buf why;

	if (s->lack == SLO_LACKS_SERVER && !ctx->backends.metrics.is_default) {
		*err = s->why;
		return false;
	}
	buf_init(&why, LIMIT_ERROR_BYTES);
	slo_lack_text(s, &why);
	if (is_document)
		error_set(err, ERROR_NOT_FOUND,
			  "rules and SLOs need metrics: %s",
			  buf_text(&why));
	else if (ctx->backends.traces.path)
		error_set(err, ERROR_USAGE,
			  "%s is a file and does not count requests; no "
			  "metrics: %s",
			  ctx->backends.traces.path, buf_text(&why));
	if (err->code == ERROR_NONE && !slo_ask_traces(s, err) &&
	    !error_ends_run(err))
		error_prefix(err, "no metrics (%s), and traces failed",
			     buf_text(&why));
	buf_release(&why);
	return err->code == ERROR_NONE;
}

bool slo_question_count(struct slo *s, struct context *ctx, bool is_document,
			struct error *err)
{
	bool is_told;

	return slo_ask_metrics(s, &is_told, err) &&
	       (is_told || count_traces(s, ctx, is_document, err));
}

/* Servers refuse longer ones: Tempo takes a week unless told otherwise. */
#define NAMES_NS (6 * NS_PER_DAY)

static bool explain_no_traces(const struct slo *s, struct error *err)
{
	const struct find_query query = {
		.service = str_from(s->service),
		.name = str_from(s->operation),
		.range = { s->to_ns - min_i64(s->window_ns, NAMES_NS),
			   s->to_ns },
	};
	struct gaps *gaps = &s->backends->gaps;
	struct trace_lack lack;

	if (!trace_lack_ask(s->backends, &query, &lack, err))
		return false;
	/* The services are known: that no metrics come from where nobody said
	 * that there are any is no reason to doubt their names. */
	if (lack.kind == SEARCH_LACKS_SERVICE && s->lack == SLO_LACKS_SERVER &&
	    s->backends->metrics.is_default &&
	    !strcmp(gaps->first.message, s->why.message))
		gaps->first.code = ERROR_NONE;
	return trace_lack_explain(&lack, &query, err);
}

bool slo_question_has_requests(const struct slo *s, struct error *err)
{
	if (slo_budget(s)->count.total > 0)
		return true;
	if (!s->indicator.source.name)
		return explain_no_traces(s, err);
	return error_set(err, ERROR_NOT_FOUND,
			 "%s%s%s had no request in the window, by metrics",
			 s->service, s->operation ? " " : "",
			 s->operation ? s->operation : "");
}

/* Traces are fetched and compared one after another. */
#define TIMEOUT_NS (10 * NS_PER_MIN)
/* The part of it for the sample, so that the last one comes to its end. */
#define SAMPLE_PART 0.75

/* As a check of a pipeline fails. */
#define EXIT_SPENT 10

#define DOCUMENTS "prometheus openslo google"

static bool slo_question(struct slo *s, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!o->service)
		return error_set(err, ERROR_USAGE,
				 "no service given: --service NAME");
	if (!o->objective)
		return error_set(err, ERROR_USAGE,
				 "no objective given: --objective PERCENT of "
				 "good requests, for example 99.9");
	run_ask(r);
	r->ctx.most_requests = LIMIT_SLO_REQUESTS;
	if (!options_given(o, "timeout"))
		r->ctx.most_ns = TIMEOUT_NS;
	return slo_question_read(s, &r->ctx, o->service, err);
}

/* Checks what an output does not accept, before servers are queried and once
 * the metric is known. */
static bool check_google(const struct slo *s, const struct options *o,
			 struct error *err)
{
	return !output_count_of(o, "google") || google_slo_check(s, err);
}

/* Finds the consumers of the budget, where somebody reads it. */
static bool find_spent(struct slo_spent *spent, const struct slo *s,
		       int64_t begin_ns, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	int64_t most_ns = r->ctx.most_ns ? r->ctx.most_ns : o->timeout_ns;

	*spent = (struct slo_spent){ .slo = s,
				     .question = &r->question,
				     .wanted = (size_t)o->sample };
	if (!r->ctx.replay) /* which takes no time of servers */
		spent->end_ns = begin_ns +
				(int64_t)(SAMPLE_PART * (double)most_ns);
	if (!window_resolve(o, r->ctx.backends.now_ns, o->window_ns,
			    &spent->range, err))
		return false;
	if (!spent->wanted || output_is_only(o, DOCUMENTS) ||
	    slo_budget(s)->count.bad <= 0)
		return true;
	if (r->ctx.backends.traces.path) {
		error_set(&spent->reason, ERROR_NOT_FOUND,
			  "slo needs a trace server, and %s is a file: give "
			  "--traces-url",
			  r->ctx.backends.traces.path);
		return true;
	}
	return slo_spent_find(spent, err);
}

static bool slo_print(struct run *r, const struct slo *s,
		      const struct slo_spent *spent, bool is_told,
		      struct error *err)
{
	struct slo_answer answer = { .part = is_told ? SLO_REST : SLO_WHOLE,
				     .slo = s,
				     .spent = spent,
				     .notes = &r->ctx.notes };

	slo_add_notes(s, &r->ctx.notes);
	slo_add_spent_notes(spent, &r->ctx.notes);
	if (output_count_of(r->ctx.options, "google"))
		google_slo_notes(s, &r->ctx.notes);
	r->ctx.is_answer_bare = output_is_only(r->ctx.options, DOCUMENTS);
	answer.servers = suggest_servers(&r->ctx, false);
	if (!output_answer(r->ctx.options, &slo_writer, &answer, err))
		return false;
	r->ctx.has_told_notes = !r->ctx.is_answer_bare;
	return true;
}

int cmd_slo(const struct options *o)
{
	struct error err = { 0 };
	struct slo s = { .window_count = 0 };
	struct slo_spent spent = { .wanted = 0 };
	const struct slo_answer numbers = { .part = SLO_NUMBERS, .slo = &s };
	struct run r;
	bool is_told = output_is_table_alone(o);
	int64_t begin_ns = clock_monotonic_ns();
	/* The numbers first: traces take their time to be searched and
	 * compared. */
	bool done =
		run_begin(&r, o, "slo", &err) && slo_question(&s, &r, &err) &&
		check_google(&s, o, &err) &&
		slo_question_count(&s, &r.ctx, output_count_of(o, DOCUMENTS),
				   &err) &&
		check_google(&s, o, &err) &&
		slo_question_has_requests(&s, &err) &&
		(!is_told || output_answer(o, &slo_writer, &numbers, &err)) &&
		find_spent(&spent, &s, begin_ns, &r, &err) &&
		slo_print(&r, &s, &spent, is_told, &err);
	bool is_bad = done && (slo_is_spent(&s) || slo_firing(&s));
	int status = run_end(&r, done, &err);

	return status == 0 && is_bad ? EXIT_SPENT : status;
}
