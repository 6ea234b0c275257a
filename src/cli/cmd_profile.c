/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/files/input.h"
#include "cli/cli.h"
#include "cli/profile_details.h"
#include "cli/run.h"
#include "render/render.h"

/* Long enough for some thousand samples at 100 Hz, short enough to be "now". */
#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

static bool check_args(const struct options *o, struct error *err)
{
	size_t input_count = 0;

	for (size_t i = 0; i < o->arg_count; i++) {
		if (!input_check(o->args[i], err))
			return false;
		input_count += !strcmp(o->args[i], "-");
	}
	if (input_count > 1)
		return error_set(err, ERROR_USAGE,
				 "- stands there twice: standard input can be "
				 "read once");
	if (o->arg_count && (o->service || o->selector))
		return error_set(err, ERROR_USAGE,
				 "a file and --service or --selector exclude "
				 "each other");
	return true;
}

static bool profile(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct evidence_want want = { .service = str_from(o->service) };

	if (!check_args(o, err) || !profile_details_check(o, err))
		return false;
	if (o->arg_count) {
		want.slow_path = o->args[0];
		want.more_paths = o->args + 1;
		want.more_path_count = o->arg_count - 1;
	}
	if (!want.slow_path && !r->ctx.backends.profiles.path && !o->service &&
	    !o->selector)
		return error_set(err, ERROR_USAGE,
				 "whose profile? give --service NAME, "
				 "--selector '{...}', a file or -");
	if (!window_refuse_file(o,
				want.slow_path ? want.slow_path
					       : r->ctx.backends.profiles.path,
				err) ||
	    !window_resolve(o, r->ctx.backends.now_ns, DEFAULT_WINDOW_NS,
			    &want.window, err))
		return false;
	if (!profile_filters_init(&r->filters, &r->ctx, err))
		return false;
	run_ask(r);
	r->ctx.backends.want.detail = view_detail(&r->filters.view);
	r->ctx.backends.want.omits_stackless = true;
	if (!profile_details_wanted(o))
		r->ctx.backends.file_order =
			run_file_order(r, want.more_path_count);
	if (!evidence_fetch(&r->investigation, &r->ctx, &want, &r->evidence,
			    err) ||
	    !profile_filters_apply(&r->filters, &r->ctx, &r->evidence, err))
		return false;
	if (profile_details_wanted(o))
		return profile_details_show(r, err);
	r->has_evidence = true;
	r->is_plain = true;
	r->result.has_places_in_names =
		r->filters.view.granularity != GRANULARITY_FUNCTION;
	if (!evidence_report(&r->evidence, &r->result, err) ||
	    !run_rank_shown(r, RANK_SELF, err))
		return false;
	/* Kinds are known of functions, not of files and lines. */
	if (r->result.has_places_in_names)
		r->result.kinds.total = 0;
	return run_render(r, err);
}

int cmd_profile(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done = run_begin(&r, o, "profile", &err) && profile(&r, &err);

	return run_end(&r, done, &err);
}
