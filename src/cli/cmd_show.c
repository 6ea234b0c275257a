/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/guilty.h"
#include "cli/suggest_next.h"
#include "render/render.h"

static bool show(struct run *r, struct error *err)
{
	struct guilty g;

	if (!guilty_from_trace(r, &g, err))
		return false;
	if (!waterfall_build(&r->trace, &g.times, &g.pick, &r->result, err))
		return false;
	suggest_next(r, "slow", "");
	return run_render(r, err);
}

int cmd_show(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done =
		run_begin(&r, o, "show",
			  RENDER_NEEDS_PROFILE | RENDER_NEEDS_BASELINE, &err) &&
		show(&r, &err);

	return run_end(&r, done, &err);
}
