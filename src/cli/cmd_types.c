/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "report/answers.h"

/* An hour holds every profiler's interval many times. */
#define DEFAULT_WINDOW_NS NS_PER_HOUR

static bool types_run(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct profile_types t = { .service = o->service };

	if (ctx->backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "types needs a server; for a file: tracefind "
				 "profile %s",
				 ctx->backends.profiles.path);
	return window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			      &t.window, err) &&
	       profile_types_ask(&t, &ctx->backends, err) &&
	       (t.ids.count || types_explain_none(&t, err)) &&
	       output_answer(o, &types_writer, &t, err);
}

int cmd_types(const struct options *o)
{
	struct error err = { 0 };
	struct context ctx;
	bool done;

	if (o->guide) {
		if (output_check(o, "types", &err) &&
		    output_answer(o, &types_guide_writer, NULL, &err))
			return 0;
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = context_init(&ctx, o, &err) && output_check(o, "types", &err) &&
	       types_run(&ctx, &err);
	return context_end(&ctx, done, &err);
}
