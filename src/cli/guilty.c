/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guilty.h"

#include <string.h>

#include "analyze/growth.h"
#include "base/num.h"
#include "cli/fetch_trace.h"
#include "report/choice_reasons.h"
#include "report/choice_texts.h"
#include "report/missing_span.h"

static bool want_init(const struct options *o, struct guilty_want *want,
		      struct error *err)
{
	/* Of a trace that was found by a search --service is gone. */
	*want = (struct guilty_want){
		.service = str_from(o->blame ? o->blame : o->service),
		.name = str_from(o->name),
	};
	if (o->by && !strcmp(o->by, "self"))
		want->by = GUILTY_BY_SELF;
	if (o->by && !strcmp(o->by, "duration"))
		want->by = GUILTY_BY_DURATION;
	if (o->span && (strlen(o->span) != 16 ||
			!parse_hex_u64(str_from(o->span), &want->span_id)))
		return error_set(err, ERROR_USAGE,
				 "--span \"%s\": a span id has 16 hex digits",
				 o->span);
	return true;
}

static bool find(struct run *r, struct guilty *g,
		 const struct guilty_want *want, const struct usual *usual,
		 struct error *err)
{
	struct choice c;
	bool is_done = choice_make(&c, &r->trace, &g->times, want, usual,
				   &r->result, err);

	if (!is_done && c.missing)
		missing_span_explain(&c, err);
	if (is_done && r->result.has_reasons)
		choice_reasons_tell(&c, &r->result.reasons);
	is_done = is_done && choice_conclude(&c, &r->result, &g->pick, err) &&
		  choice_texts_write(&c, &r->result, err);
	choice_release(&c);
	return is_done;
}

bool guilty_from_trace(struct run *r, struct guilty *g, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct guilty_want want;
	struct str source;

	if (!want_init(o, &want, err))
		return false;
	if (o->arg_count > 1)
		return error_set(err, ERROR_USAGE,
				 "one trace at a time: \"%s\" is one too many",
				 o->args[1]);
	if (!fetch_trace(&r->ctx, o->arg_count ? o->args[0] : NULL, &r->trace,
			 &source, err))
		return false;
	if (!trace_times_compute(&r->trace, &r->result.arena, &g->times, err))
		return false;
	r->result.trace.source = source;
	return find(r, g, &want, NULL, err);
}

bool guilty_again(struct run *r, struct guilty *g, const struct usual *usual,
		  bool has_gap_of_caller, struct error *err)
{
	struct guilty_want want;

	r->result.finding_count = 0;
	if (!want_init(r->ctx.options, &want, err))
		return false;
	want.has_gap_of_caller = has_gap_of_caller;
	if (want.by == GUILTY_BY_CRITICAL_PATH && !guilty_want_is_narrow(&want))
		trace_times_focus(
			&r->trace, &g->times,
			growths_find_tree(&r->trace, &g->times, usual));
	return find(r, g, &want, usual, err);
}
