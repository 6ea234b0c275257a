/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/guilty.h"

static bool show(struct run *r, struct error *err)
{
	struct guilty g;

	if (!guilty_from_trace(r, &g, err))
		return false;
	if (!waterfall_build(&r->trace, &g.times, &g.pick, &r->result, err))
		return false;
	run_suggest(r, "tracefind slow %.*s", STR_ARGS(r->result.trace.id));
	return run_render(r, err);
}

int cmd_show(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done = run_begin(&r, o, "show", &err) && show(&r, &err);

	return run_end(&r, done, &err);
}
