/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/num.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "decode/prices.h"
#include "report/cost_answer.h"
#include "report/texts.h"

/* Formats that are nothing but the size of an instance, or apply it. */
#define SCRIPTS "gcloud-apply kubernetes-apply"
#define DOCUMENTS "gcloud kubernetes " SCRIPTS

/* Reads the file where one was named; texts live in the options or the arena.
 */
static bool prices_read(const struct options *o, struct arena *arena,
			struct cost_prices *out, struct error *err)
{
	struct price_texts t = { o->price_cpu, o->price_memory, o->price_request,
			   o->currency, o->price_note };

	if (!o->prices)
		return prices_parse(&t, out, err);
	if (t.cpu || t.memory || t.request || t.currency || t.note)
		return error_set(err, ERROR_USAGE,
				 "--prices and single prices (--price-cpu, "
				 "--currency, ...) exclude each other");
	if (!prices_read_file(&t, o->prices, arena, err))
		return error_prefix(err, "--prices");
	return prices_parse(&t, out, err);
}

/* Reads the guard that a script has to keep. */
static bool read_guard(const struct options *o, struct cost_answer *a,
		       struct error *err)
{
	if (!output_count_of(o, SCRIPTS))
		return (!o->objective && !options_given(o, "threshold")) ||
		       error_set(err, ERROR_USAGE,
				 "--%s applies to the scripts that resize: -o "
				 "gcloud-apply or -o kubernetes-apply",
				 o->objective ? "objective" : "threshold");
	if (!o->objective)
		return error_set(err, ERROR_USAGE,
				 "a script that resizes rolls back when the "
				 "objective is missed: give --objective 99.9, "
				 "and --threshold 300ms for latency");
	if (options_given(o, "threshold"))
		a->threshold_ns = o->threshold_ns;
	return parse_f64(str_from(o->objective), &a->objective) ||
	       error_set(err, ERROR_INTERNAL, "--objective: %s", o->objective);
}

static bool check_files(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (o->service || o->selector || o->name)
		return error_set(err, ERROR_USAGE,
				 "files and --service, --selector or --name "
				 "exclude each other");
	if (o->right_size || output_count_of(o, DOCUMENTS))
		return error_set(err, ERROR_USAGE,
				 "--right-size needs days of metrics of a "
				 "service, not a file");
	return window_refuse_file(o, o->args[0], err);
}

static bool check_service(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (r->ctx.backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"%s is a file: name it as an argument, without "
			"--profiles-url",
			r->ctx.backends.profiles.path);
	return o->service ||
	       error_set(err, ERROR_USAGE,
			 "no service given: --service NAME (tracefind services "
			 "lists them), or profile files with --requests N");
}

static bool check_window(struct time_range window, struct error *err)
{
	int64_t length_ns = window.to_ns - window.from_ns;

	if (length_ns > COST_MOST_NS)
		return error_set(err, ERROR_USAGE,
				 "cost covers 7 days at most; use a shorter "
				 "window with --since or --from");
	return length_ns >= COST_LEAST_NS ||
	       error_set(err, ERROR_USAGE,
			 "cost needs a window of at least 1 m, better 1 h: "
			 "widen it with --since");
}

static bool read_baseline(struct run *r, const struct cost_want *want,
			  struct error *err)
{
	struct baseline_want *baseline = &r->question.baseline;
	bool is_file;

	if (!want->is_compared)
		return true;
	if (!baseline_parse(r->ctx.options, r->ctx.backends.now_ns, baseline,
			    err))
		return false;
	is_file = baseline->kind == BASELINE_WANT_FILE;
	if (baseline->kind == BASELINE_WANT_FAST ||
	    baseline->kind == BASELINE_WANT_NONE ||
	    is_file != (want->profiles.path_count > 0))
		return error_set(err, ERROR_USAGE,
				 want->profiles.path_count
					 ? "--compare of files needs a file: "
					   "--baseline FILE"
					 : "--baseline of cost is a window or "
					   "version=V");
	return true;
}

static bool cost_question(struct run *r, struct cost_want *want,
			  struct error *err)
{
	const struct options *o = r->ctx.options;
	struct request_counts requests, baseline_requests;

	if (!requests_read("--requests", o->requests, &r->ctx.arena, &requests,
			   err) ||
	    !requests_read("--baseline-requests", o->baseline_requests,
			   &r->ctx.arena, &baseline_requests, err))
		return false;
	*want = (struct cost_want){
		.profiles = { .service = str_from(o->service),
			      .paths = o->args,
			      .path_count = o->arg_count,
			      .baseline_selector = o->baseline_selector,
			      .slices = COMPARISON_PARTS },
		.is_compared =
			o->compare || o->baseline || o->baseline_selector,
		.requests = requests.sum,
		.baseline_requests = baseline_requests.sum,
		.cores = amount_of(o->vcpu),
		.memory_bytes = (double)o->limit_bytes,
		.instances = amount_of(o->instances),
		.has_operations = !o->arg_count && !o->name && !o->selector,
		.has_size = o->right_size || output_count_of(o, DOCUMENTS),
	};
	want->profiles.is_baseline_wanted = want->is_compared;
	if (o->name && o->selector)
		return error_set(
			err, ERROR_USAGE,
			"--name uses samples of requests on all instances: "
			"leave out --selector");
	if (o->name && want->is_compared)
		return error_set(err, ERROR_USAGE,
				 "--name covers one operation and --compare "
				 "the whole service: leave out one of them");
	if (!o->arg_count && !r->question.type)
		r->question.type = "cpu";
	if (o->arg_count)
		return check_files(r, err) && read_baseline(r, want, err);
	return check_service(r, err) &&
	       window_resolve(o, r->ctx.backends.now_ns, COST_WINDOW_NS,
			      &want->profiles.window, err) &&
	       check_window(want->profiles.window, err) &&
	       read_baseline(r, want, err);
}

/* A document with nothing in it would be taken for advice. */
static bool check_document(const struct run *r, const struct cost *c,
			   struct error *err)
{
	struct buf text;

	if (!c->size.refusal || !output_count_of(r->ctx.options, DOCUMENTS))
		return true;
	buf_init(&text, LIMIT_ERROR_BYTES);
	cost_refusal_text(&c->size, &text);
	error_set(err, ERROR_NOT_FOUND, "no suggested instance size: %s",
		  buf_text(&text));
	buf_release(&text);
	return false;
}

static bool cost_print(struct run *r, struct cost *c, struct cost_answer *a,
		       struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!cost_rows_build(c, &a->prices, (size_t)o->limit, &r->ctx.arena,
			     &a->rows, err) ||
	    !check_document(r, c, err))
		return false;
	comparison_notes_report(&r->result, &r->ctx.notes, &r->result.reasons);
	cost_notes_add(a, &r->ctx.notes);
	a->limit = (size_t)o->limit;
	a->servers = suggest_servers(&r->ctx, true);
	a->guard_servers = suggest_servers(&r->ctx, false);
	if (output_count_of(o, SCRIPTS) && !a->guard_servers.ptr)
		return error_set(err, ERROR_USAGE,
				 "the options that name the servers are too "
				 "long for a script: put them into a context "
				 "(tracefind config set)");
	if (!context_report(&r->ctx, &r->result, err))
		return false;
	a->notes = &r->result.notes;
	r->ctx.has_told_notes = output_answer(o, &cost_writer, a, err);
	return r->ctx.has_told_notes;
}

static bool cost_run(struct run *r, struct cost_want *want, struct cost *c,
		     struct error *err)
{
	struct cost_answer a = { .cost = c,
				 .result = &r->result,
				 .service = r->ctx.options->service,
				 .name = r->ctx.options->name };

	run_ask(r);
	if (!read_guard(r->ctx.options, &a, err) ||
	    !prices_read(r->ctx.options, &r->ctx.arena, &a.prices, err) ||
	    !cost_question(r, want, err))
		return false;
	if ((a.name &&
	     !cost_choose_requests(&r->investigation, str_from(a.name),
				   &want->profiles, err)) ||
	    !cost_investigate(c, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	return cost_print(r, c, &a, err);
}

int cmd_cost(const struct options *o)
{
	struct error err = { 0 };
	struct cost_want want = { .is_compared = false };
	struct cost c;
	struct run r;
	bool done;

	cost_init(&c, &r.investigation, &want);
	done = run_begin(&r, o, "cost", &err) && cost_run(&r, &want, &c, &err);
	cost_release(&c);
	return run_end(&r, done, &err);
}
