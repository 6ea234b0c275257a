/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a side's server is said to be, and by what.
 */
#include <stdio.h>

#include "cli/doctor.h"

#define ORIGIN_BYTES (OPTION_ORIGIN_BYTES + 8)

static struct str shown_url(struct doctor *d, const char *url)
{
	struct buf text;
	struct str copy;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&text, str_from(url));
	copy = arena_str(&d->arena, buf_str(&text));
	buf_release(&text);
	return copy.ptr ? copy : STR("");
}

/* A case keeps what was given, but not by which means. */
static void find_origin(const struct doctor *d, const char *value,
			const char *option, char out[ORIGIN_BYTES])
{
	const struct options *o = d->ctx.options;
	char origin[OPTION_ORIGIN_BYTES];

	options_origin(o, value, option, origin);
	if (o->record || o->replay)
		snprintf(out, ORIGIN_BYTES, "as given");
	else
		snprintf(out, ORIGIN_BYTES, "from %s", origin);
}

void doctor_check_address(struct doctor *d, const struct side *s,
			  const char *given, const char *name)
{
	bool is_traces = s == &d->ctx.backends.traces;
	char origin[ORIGIN_BYTES], option[32];
	struct endpoint defaults[2];
	struct str url;

	if (s->endpoint.project) {
		find_origin(d, d->ctx.options->traces_url, "traces-url",
			    origin);
		if (!s->is_default)
			find_origin(d, given,
				    is_traces ? "traces-url" : "profiles-url",
				    origin);
		url = shown_url(d, s->endpoint.url);
		check_ok(&d->checks, name, "url", "project %s at %.*s, %s",
			 s->endpoint.project, STR_ARGS(url), origin);
		return;
	}
	if (s->is_default) {
		backends_trace_endpoints(&d->ctx.backends, defaults);
		if (is_traces)
			check_ok(&d->checks, name, "url",
				 "%s for Tempo, else %s for Jaeger, by default",
				 defaults[0].url, defaults[1].url);
		else
			check_ok(&d->checks, name, "url", "%s, by default",
				 s->endpoint.url);
		return;
	}
	snprintf(option, sizeof option, "%s-url", name);
	find_origin(d, given, option, origin);
	url = shown_url(d, s->path ? s->path : s->endpoint.url);
	check_ok(&d->checks, name, "url", "%s%.*s, %s", s->path ? "file " : "",
		 STR_ARGS(url), origin);
}

void doctor_check_tenant(struct doctor *d, const struct side *s,
			 const char *name)
{
	const char *tenant = s->endpoint.tenant_id;
	char option[32], origin[ORIGIN_BYTES];

	if (!tenant) {
		check_ok(&d->checks, name, "tenant",
			 "none sent; needed where the server has several");
		return;
	}
	snprintf(option, sizeof option, "%s-tenant-id", name);
	if (!options_given(d->ctx.options, option))
		snprintf(option, sizeof option, "tenant-id");
	find_origin(d, tenant, option, origin);
	check_ok(&d->checks, name, "tenant", "\"%s\" sent, %s", tenant, origin);
}
