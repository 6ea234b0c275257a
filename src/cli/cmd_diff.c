/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "backend/input.h"
#include "base/error.h"
#include "base/num.h"
#include "base/redact.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/chosen.h"
#include "report/texts.h"

/* Which two sides the options of `diff` mean: windows of a service, selectors,
 * spans, slow requests and fast ones, files. Compares nothing. */

#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

/* Span profiles are found by id, whenever they were sent; but a server looks
 * through all profiles of the window. */
#define SPAN_WINDOW_NS NS_PER_HOUR

static bool fail_mix(const char *one, const char *others, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s and %s exclude each other", one,
			 others);
}

static bool has_server_choice(const struct options *o)
{
	return o->service || o->selector;
}

static void want_file(struct diff *d, const char *const *path)
{
	d->want.paths = path;
	d->want.path_count = 1;
}

/* Two files: the first is before, the second after, as in diff(1). One file
 * is before what the server has of a service. */
static bool want_files(struct diff *d, struct error *err)
{
	const struct options *o = d->run->ctx.options;

	if (o->span || o->baseline_span)
		return fail_mix("files", "--span or --baseline-span", err);
	if (o->baseline || o->baseline_selector)
		return fail_mix("files", "--baseline or --baseline-selector",
				err);
	if (o->arg_count == 2 && has_server_choice(o))
		return fail_mix("two files", "--service or --selector", err);
	if (o->arg_count == 1 && !has_server_choice(o))
		return error_set(err, ERROR_USAGE,
				 "diff needs two files, BEFORE and AFTER, or "
				 "one and --service NAME; only %s given",
				 o->args[0]);
	for (size_t i = 0; i < o->arg_count; i++)
		if (!input_check(o->args[i], err))
			return false;
	d->baseline_path = o->args[0];
	if (o->arg_count == 2)
		want_file(d, &o->args[1]);
	return true;
}

static bool check_spans(const struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!o->span || !o->baseline_span)
		return error_set(err, ERROR_USAGE,
				 "--span and --baseline-span are needed "
				 "together: the two spans to compare");
	if (o->baseline || o->baseline_selector)
		return fail_mix("--baseline-span",
				"--baseline or --baseline-selector", err);
	if (r->ctx.backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"samples of spans need a profile server; %s is "
			"a file",
			r->ctx.backends.profiles.path);
	return true;
}

static bool read_span(const struct diff *d, const char *text, uint64_t *id,
		      struct str *name, struct error *err)
{
	struct arena *arena = &d->run->ctx.arena;

	if (!parse_hex_u64(str_from(text), id))
		return error_set(err, ERROR_USAGE,
				 "'%s' is not a span id of 16 hex digits",
				 value_quote(text).text);
	*name = arena_printf(arena, "span %016" PRIx64, *id);
	return name->ptr || arena_fail(arena, "the span", err);
}

static bool want_spans(struct diff *d, struct error *err)
{
	const struct options *o = d->run->ctx.options;
	struct chosen_want *want = &d->want;

	if (!check_spans(d->run, err) ||
	    !read_span(d, o->span, &d->span_ids[0], &want->only_text, err) ||
	    !read_span(d, o->baseline_span, &d->span_ids[1],
		       &want->baseline_text, err))
		return false;
	if (d->span_ids[0] == d->span_ids[1])
		return error_set(err, ERROR_USAGE,
				 "--span and --baseline-span are the same "
				 "span");
	want->only_spans = &d->span_ids[0];
	want->baseline_spans = &d->span_ids[1];
	want->only_span_count = want->baseline_span_count = 1;
	if (!has_server_choice(o))
		d->changed.selector = "{}"; /* ids are unique */
	return window_resolve(o, d->run->ctx.backends.now_ns, SPAN_WINDOW_NS,
			      &want->window, err);
}

static bool want_window(struct diff *d, struct error *err)
{
	const struct run *r = d->run;
	const struct options *o = r->ctx.options;

	if (!has_server_choice(o) && !r->ctx.backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "nothing to compare: give --service NAME, "
				 "--selector '{...}', --span with "
				 "--baseline-span, or two files");
	if (r->ctx.backends.profiles.path)
		want_file(d, &r->ctx.backends.profiles.path);
	d->want.baseline_selector = o->baseline_selector;
	return window_resolve(o, r->ctx.backends.now_ns, DEFAULT_WINDOW_NS,
			      &d->want.window, err);
}

static bool check_fast(const struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;

	if (o->baseline_selector || o->selector)
		return fail_mix("--baseline fast",
				"--selector or --baseline-selector", err);
	if (!o->service)
		return error_set(err, ERROR_USAGE,
				 "--baseline fast compares slow requests of a "
				 "service with fast ones: give --service NAME, "
				 "and --name SPAN to choose the operation");
	if (ctx->backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"--baseline fast needs a profile server; %s is "
			"a file",
			ctx->backends.profiles.path);
	return true;
}

/* Which requests were slow and which fast the traces tell. */
static bool want_fast(struct diff *d, struct error *err)
{
	struct context *ctx = &d->run->ctx;
	const struct options *o = ctx->options;
	struct chosen_want *want = &d->want;
	struct str name = str_from(o->name);
	struct fast_spans spans;

	if (!check_fast(ctx, err) ||
	    !window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			    &want->window, err) ||
	    (!o->name &&
	     !search_slow_operation(ctx, want->window, &name, err)) ||
	    (!fast_spans_find(&d->run->investigation, str_from(o->service),
			      name, want->window, &spans, err) &&
	     !shortfall_explain(&d->run->investigation.shortfall, err)))
		return false;
	want->only_text = fast_spans_words(&ctx->arena, name, spans.slow_count,
					   true, spans.slow_from_ns);
	want->baseline_text = fast_spans_words(
		&ctx->arena, name, spans.fast_count, false, spans.fast_to_ns);
	if (!want->only_text.ptr || !want->baseline_text.ptr)
		return arena_fail(&ctx->arena, "the spans", err);
	want->only_spans = spans.slow_ids;
	want->only_span_count = spans.slow_count;
	want->baseline_spans = spans.fast_ids;
	want->baseline_span_count = spans.fast_count;
	return true;
}

/* Fills d->want, and in d->changed what the options come down to. Asks the
 * trace server where the sides are slow and fast requests. */
static bool diff_sides_read(struct diff *d, struct error *err)
{
	const struct options *o = d->run->ctx.options;

	if (o->arg_count)
		return want_files(d, err) &&
		       (o->arg_count == 2 ||
			window_resolve(o, d->run->ctx.backends.now_ns,
				       DEFAULT_WINDOW_NS, &d->want.window,
				       err));
	if (o->span || o->baseline_span)
		return want_spans(d, err);
	if (o->baseline && !strcmp(o->baseline, "fast"))
		return want_fast(d, err);
	if (o->name)
		return error_set(err, ERROR_USAGE,
				 "--name works with --baseline fast only: "
				 "other profiles cover all requests");
	return want_window(d, err);
}

static bool diff_run(struct run *r, struct diff *d, struct chosen *chosen,
		     struct error *err)
{
	const struct options *o = r->ctx.options;
	struct baseline_want *baseline = &r->question.baseline;
	struct shortfall nothing = { .kind = SHORTFALL_BASELINE };

	*d = (struct diff){
		.run = r,
		.changed = *o,
		.want = { .service = str_from(o->service),
			  .is_baseline_wanted = true },
	};
	if (!window_refuse_file(o,
				o->arg_count == 2
					? o->args[1]
					: r->ctx.backends.profiles.path,
				err) ||
	    !diff_sides_read(d, err))
		return false;
	r->ctx.options = &d->changed;
	if (!profile_filters_init(&r->filters, &r->ctx, err))
		return false;
	run_ask(r);
	r->ctx.backends.file_order = run_file_order(r, false);
	/* As --baseline says, or the file. */
	*baseline = (struct baseline_want){ .kind = BASELINE_WANT_FILE,
					    .text = d->baseline_path,
					    .path = d->baseline_path };
	if ((!d->baseline_path &&
	     !baseline_parse(&d->changed, r->ctx.backends.now_ns, baseline,
			     err)) ||
	    !run_choose(r, chosen, err))
		return false;
	r->result.has_locations_in_names =
		r->filters.view.granularity != GRANULARITY_FUNCTION;
	if (d->want.baseline_span_count)
		nothing.name = d->want.baseline_text;
	if (!chosen->comparison.has_base)
		return shortfall_explain(&nothing, err);
	return chosen_report(chosen, &r->result, err) &&
	       (!output_shows_ranks(o) ||
		chosen_rank(chosen, RANK_DELTA, STR(""), false, err)) &&
	       run_find_commits(r, err) &&
	       run_render(r, err);
}

int cmd_diff(const struct options *o)
{
	struct error err = { 0 };
	struct diff d = { .baseline_path = NULL };
	struct chosen chosen;
	struct run r;
	bool done;

	chosen_init(&chosen, &r.investigation, &d.want);
	done = run_begin(&r, o, "diff", &err) &&
	       diff_run(&r, &d, &chosen, &err);
	/* A flame graph that is drawn of it looks like one of a comparison. */
	if (done && output_count_of(o, "folded") &&
	    !output_count_of(o, "difffolded") && !o->quiet)
		message_info("note: -o folded has the comparison only; -o "
			     "difffolded has both sides");
	chosen_release(&chosen);
	return run_end(&r, done, &err);
}
