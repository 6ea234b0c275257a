/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/redact.h"
#include "cli/output.h"
#include "cli/pages.h"

static bool dash_options_check(const struct options *o, struct error *err)
{
	if (!o->output_count)
		return error_set(err, ERROR_USAGE,
				 "no output format given: -o google or -o "
				 "grafana");
	if (o->type && strcmp(o->type, "cpu") != 0 && !strchr(o->type, ':'))
		return error_set(err, ERROR_USAGE,
				 "--type %s: a flame graph of a dashboard "
				 "shows cpu or a full profile type id "
				 "(tracefind types lists them)",
				 value_quote(o->type).text);
	return output_check(o, "dash", err);
}

/* Notes what is drawn, and what is not. */
static void tell_sources(const struct document *d, struct notes *notes)
{
	static const enum metric_meaning wanted[][2] = {
		{ METRIC_LATENCY, METRIC_LATENCY },
		{ METRIC_REQUESTS, METRIC_REQUESTS },
		{ METRIC_CPU, METRIC_CPU_SHARE },
		{ METRIC_MEMORY, METRIC_MEMORY_SHARE },
	};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const struct metric_source *s = &d->sources[wanted[i][0]];

		if (!s->name)
			s = &d->sources[wanted[i][1]];
		if (s->name)
			notes_add(notes, "%s metric: %s (%s); service label: "
					 "%s",
				  metric_meaning_name(wanted[i][0]),
				  s->name->name, s->name->from, s->label);
		else
			notes_add(notes,
				  "no panel for %s: no metric found (name one "
				  "with --metric)",
				  metric_meaning_name(wanted[i][0]));
	}
}

static bool dash_run(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct document_choice c;

	if (!document_choose(&c, ctx, err) ||
	    !document_find_metrics(&c, ctx, err))
		return false;
	ctx->is_answer_bare = true;
	tell_sources(&c.document, &ctx->notes);
	if (output_count_of(o, "grafana") && !document_find_profiles(&c, ctx, err))
		return false;
	return output_answer(o, &dashboard_writer, &c.document, err);
}

int cmd_dash(const struct options *o)
{
	struct error err = { 0 };
	struct context ctx;
	bool done = context_init(&ctx, o, &err) &&
		    dash_options_check(o, &err) && dash_run(&ctx, &err);

	return context_end(&ctx, done, &err);
}
