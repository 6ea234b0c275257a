/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/search_question.h"

#include "cli/window.h"

bool search_has_server(const struct context *ctx, struct error *err)
{
	const char *path = ctx->backends.traces.path;

	return !path || error_set(err, ERROR_USAGE,
				  "search asks a server; for a file: tracefind "
				  "show %s",
				  path);
}

bool search_question(struct trace_search *s, const struct context *ctx,
		     struct error *err)
{
	const struct options *o = ctx->options;
	struct find_query *q = &s->query;

	if (o->query && (o->service || o->name || o->errors))
		return error_set(err, ERROR_USAGE,
				 "--query says all of the condition: write "
				 "--service, --name and --errors into it");
	q->service = str_from(o->service);
	q->name = str_from(o->name);
	q->is_error = o->errors;
	q->traceql = str_trim(str_from(o->query));
	q->min_duration_ns = o->min_duration_ns;
	s->wanted = (size_t)o->limit;
	s->has_health_checks = o->all;
	s->held = o->takes_searches ? ctx->replay : NULL;
	if (!o->all)
		q->uncounted_names = health_check_pattern();
	if (o->above && !quantile_parse(str_from(o->above), &s->above_permille))
		return error_set(err, ERROR_INTERNAL, "--above: %s", o->above);
	return window_resolve(o, ctx->backends.now_ns, SEARCH_WINDOW_NS,
			      &q->range, err) &&
	       search_has_server(ctx, err);
}
