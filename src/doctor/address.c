/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a side's server is said to be, and by what.
 */
#include "base/buf.h"
#include "doctor/doctor.h"
#include "wire/redact.h"

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

static const struct doctor_side *said_of(const struct doctor *d,
					 const struct side *s)
{
	if (s == &d->backends->metrics)
		return &d->question->metrics;
	return s == &d->backends->traces ? &d->question->traces
					 : &d->question->profiles;
}

static void check_defaults(struct doctor *d, const char *name)
{
	struct trace_candidate list[TRACE_CANDIDATES];
	size_t count = backends_trace_candidates(d->backends, list);
	struct buf text;

	buf_init(&text, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < count; i++)
		buf_addf(&text, "%s%s for %s", i ? ", else " : "",
			 list[i].endpoint.url, list[i].row->title);
	check_ok(&d->checks, name, "url", "%s, by default", buf_text(&text));
	buf_release(&text);
}

void doctor_check_address(struct doctor *d, const struct side *s,
			  const char *name)
{
	struct str origin = said_of(d, s)->url_origin;
	struct str url = shown_url(d, s->path ? s->path : s->endpoint.url);

	if (s->endpoint.project) {
		check_ok(&d->checks, name, "url", "project %s at %.*s, %.*s",
			 s->endpoint.project, STR_ARGS(url), STR_ARGS(origin));
	} else if (!s->is_default) {
		check_ok(&d->checks, name, "url", "%s%.*s, %.*s",
			 s->path ? "file " : "", STR_ARGS(url),
			 STR_ARGS(origin));
	} else if (s == &d->backends->traces) {
		check_defaults(d, name);
	} else {
		check_ok(&d->checks, name, "url", "%s, by default",
			 s->endpoint.url);
	}
}

void doctor_check_tenant(struct doctor *d, const struct side *s,
			 const char *name)
{
	const char *tenant = s->endpoint.tenant_id;
	struct str origin = said_of(d, s)->tenant_origin;

	if (tenant)
		check_ok(&d->checks, name, "tenant", "\"%s\" sent, %.*s",
			 tenant, STR_ARGS(origin));
	else
		check_ok(&d->checks, name, "tenant",
			 "none sent; needed where the server has several");
}
