/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/run.h"

#define DEFAULT_WINDOW_NS (15 * NS_PER_MIN)

/* Two files: the first is before, the second after, as in diff(1). */
static bool want_files(const struct options *o, struct options *changed,
		       struct evidence_want *want, struct error *err)
{
	if (o->arg_count != 2)
		return error_set(err, ERROR_USAGE,
				 "diff takes two files, BEFORE and AFTER; %zu "
				 "given",
				 o->arg_count);
	if (o->service || o->selector || o->baseline || o->baseline_selector)
		return error_set(err, ERROR_USAGE,
				 "two files and --service, --selector or "
				 "--baseline exclude each other");
	*changed = *o;
	changed->baseline = o->args[0];
	want->slow_path = o->args[1];
	return true;
}

static bool want_window(struct run *r, struct evidence_want *want,
			struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!o->service && !o->selector && !r->ctx.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "compare what? give --service NAME, "
				 "--selector '{...}', or two files");
	want->baseline_selector = o->baseline_selector;
	return window_resolve(o, r->ctx.now_ns, DEFAULT_WINDOW_NS,
			      &want->window, err);
}

static bool diff(struct run *r, struct options *changed, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct evidence_want want = { .service = str_from(o->service),
				      .is_baseline_wanted = true };

	if (o->arg_count) {
		if (!want_files(o, changed, &want, err))
			return false;
		r->ctx.options = changed;
	} else if (!want_window(r, &want, err)) {
		return false;
	}
	if (!profile_filters_init(&r->filters, &r->ctx, err) ||
	    !evidence_fetch(&r->ctx, &want, &r->evidence, err) ||
	    !profile_filters_apply(&r->filters, &r->ctx, &r->evidence, err))
		return false;
	r->has_evidence = true;
	r->result.has_places_in_names =
		r->filters.view.granularity != GRANULARITY_FUNCTION;
	if (!r->evidence.has_baseline)
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples in the baseline: nothing to "
				 "compare with; try another --baseline");
	return evidence_report(&r->evidence, &r->result, err) &&
	       run_rank(r, RANK_OWNED, STR(""), false, err) &&
	       run_render(r, err);
}

int cmd_diff(const struct options *o)
{
	struct error err = { 0 };
	struct options changed;
	struct run r;
	bool done =
		run_begin(&r, o, "diff", 0, &err) && diff(&r, &changed, &err);

	return run_end(&r, done, &err);
}
