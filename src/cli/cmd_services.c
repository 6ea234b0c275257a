/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "report/answers.h"
#include "report/texts.h"

/* An hour holds every profiler's interval many times. */
#define DEFAULT_WINDOW_NS NS_PER_HOUR

static bool services_question(struct services *s, struct context *ctx,
			      struct error *err)
{
	const struct options *o = ctx->options;

	if (ctx->backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"services needs a server; for a file: tracefind "
			"profile %s",
			ctx->backends.profiles.path);
	*s = (struct services){
		.backends = &ctx->backends,
		.note = note_text_add,
		.service = o->service,
		.asks_kernel = true,
	};
	if (!window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			    &s->window, err))
		return false;
	return s->window.to_ns - s->window.from_ns <= SERVICES_MAX_NS ||
	       error_set(err, ERROR_USAGE,
			 "services covers 20 days at most; use a shorter "
			 "window with --since or --from");
}

static bool services_run(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct services s;
	struct name_list names = { .count = 0 };
	struct services_answer answer = {
		.services = &s,
		.limit = (size_t)o->limit,
		.is_limit_given = options_given(o, "limit"),
		.notes = &ctx->notes,
	};

	if (!services_question(&s, ctx, err) || !services_fetch(&s, err))
		return false;
	/* None of that name: which others there are is worth one more
	 * request. */
	if (!s.count && ((s.service && !services_ask_names(&s, &names, err)) ||
			 !services_explain_none(&s, &names, err)))
		return false;
	answer.servers = suggest_servers(ctx, true);
	return output_answer(o, &services_writer, &answer, err);
}

int cmd_services(const struct options *o)
{
	struct error err = { 0 };
	struct context ctx;
	bool done = context_init(&ctx, o, &err) &&
		    output_check(o, "services", &err) &&
		    services_run(&ctx, &err);

	return context_end(&ctx, done, &err);
}
