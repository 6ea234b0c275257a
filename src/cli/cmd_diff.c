/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/diff_sides.h"
#include "cli/output_wanted.h"
#include "cli/pages.h"
#include "cli/window.h"
#include "report/shortfall_text.h"

static bool fail_baseline(const struct diff *d, struct error *err)
{
	const struct shortfall nothing = {
		.kind = SHORTFALL_BASELINE,
		.name = d->want.baseline_span_count ? d->want.baseline_text
						    : (struct str){ NULL, 0 },
	};

	return shortfall_explain(&nothing, err);
}

static bool diff(struct run *r, struct diff *d, struct chosen *chosen,
		 struct error *err)
{
	const struct options *o = r->ctx.options;

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
	if (!diff_baseline_read(d, &r->question.baseline, err) ||
	    !run_choose(r, chosen, err))
		return false;
	r->result.has_locations_in_names =
		r->filters.view.granularity != GRANULARITY_FUNCTION;
	if (!chosen->comparison.has_base)
		return fail_baseline(d, err);
	return chosen_report(chosen, &r->result, err) &&
	       (!output_shows_ranks(o) ||
		chosen_rank(chosen, RANK_DELTA, STR(""), false, err)) &&
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
	done = run_begin(&r, o, "diff", &err) && diff(&r, &d, &chosen, &err);
	chosen_release(&chosen);
	return run_end(&r, done, &err);
}
