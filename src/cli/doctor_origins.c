/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor_origins.h"

/* A case keeps what was given, but not by which means. */
static struct str origin_of(struct context *ctx, const char *value,
			    const char *option)
{
	char origin[OPTION_ORIGIN_BYTES];

	if (!value || ctx->options->record || ctx->options->replay)
		return STR("as given");
	options_origin(ctx->options, value, option, origin);
	return arena_printf(&ctx->arena, "from %s", origin);
}

static struct str tenant_origin(struct context *ctx, const struct side *s,
				const char *option)
{
	return origin_of(ctx, s->endpoint.tenant_id,
			 options_given(ctx->options, option) ? option
							     : "tenant-id");
}

static bool set_origins(struct doctor_question *q, struct context *ctx,
			struct error *err)
{
	const struct options *o = ctx->options;
	struct doctor_side *traces = &q->traces;
	struct doctor_side *profiles = &q->profiles;
	struct doctor_side *metrics = &q->metrics;

	traces->url_origin = origin_of(ctx, o->traces_url, "traces-url");
	/* A project for traces is one for profiles, too. */
	profiles->url_origin = o->profiles_url ? origin_of(ctx, o->profiles_url,
							   "profiles-url")
					       : traces->url_origin;
	traces->tenant_origin =
		tenant_origin(ctx, &ctx->backends.traces, "traces-tenant-id");
	profiles->tenant_origin = tenant_origin(ctx, &ctx->backends.profiles,
						"profiles-tenant-id");
	metrics->url_origin = origin_of(ctx, o->metrics_url, "metrics-url");
	metrics->tenant_origin =
		tenant_origin(ctx, &ctx->backends.metrics, "metrics-tenant-id");
	return (traces->url_origin.ptr && profiles->url_origin.ptr &&
		metrics->url_origin.ptr && traces->tenant_origin.ptr &&
		profiles->tenant_origin.ptr && metrics->tenant_origin.ptr) ||
	       arena_fail(&ctx->arena, "an address", err);
}

/* Those that decide what is found; files of credentials may be named in the
 * environment as well. */
static void set_options(struct doctor_question *q, const struct options *o)
{
	const struct doctor_option given[DOCTOR_OPTIONS] = {
		{ "traces-url", o->traces_url },
		{ "profiles-url", o->profiles_url },
		{ "tenant-id", o->common.tenant_id },
		{ "traces-tenant-id", o->sides[SERVER_TRACES].tenant_id },
		{ "profiles-tenant-id", o->sides[SERVER_PROFILES].tenant_id },
		{ "metrics-url", o->metrics_url },
		{ "metrics-tenant-id", o->sides[SERVER_METRICS].tenant_id },
		{ "context", o->context },
	};

	if (o->replay)
		q->options[q->option_count++] =
			(struct doctor_option){ "replay", o->replay };
	for (size_t i = 0; i < DOCTOR_OPTIONS && !o->replay; i++)
		if (given[i].value && options_given(o, given[i].name))
			q->options[q->option_count++] = given[i];
}

bool doctor_question_origins(struct doctor_question *q, struct context *ctx,
			     struct error *err)
{
	set_options(q, ctx->options);
	return set_origins(q, ctx, err);
}
