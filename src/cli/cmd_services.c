/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/fetch_profile.h"
#include "cli/cli.h"
#include "cli/services.h"

/* An hour holds every profiler's interval many times. */
#define DEFAULT_WINDOW_NS NS_PER_HOUR

/* The longest range that servers answer at once by default. */
#define NAMES_WINDOW_NS NS_PER_DAY

static bool fail_window(const struct services *s, struct error *err)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(s->window.from_ns, from);
	format_rfc3339(s->window.to_ns, to);
	return error_set(err, ERROR_NOT_FOUND,
			 "no profiles between %.19sZ and %.19sZ; %sask "
			 "tracefind doctor",
			 from, to,
			 s->window.to_ns - s->window.from_ns < NS_PER_DAY
				 ? "widen with --since 24h, or "
				 : "");
}

/* None of that name: which others there are is worth one more request. */
static bool fail_service(struct services *s, struct error *err)
{
	const char *service = s->ctx.options->service;
	struct time_range range = s->window;
	struct names_job names;
	struct job *job = &names.job;
	struct str near;

	if (range.to_ns - range.from_ns > NAMES_WINDOW_NS)
		range.from_ns = range.to_ns - NAMES_WINDOW_NS;
	services_job_init(&names, range);
	if (!jobs_run(&s->ctx.backends, &job, 1, err))
		return false;
	if (!job->has_answer || !names.names.count)
		return fail_window(s, err);
	if (nearest_names(&names.names, str_from(service), &near, 1))
		return error_set(err, ERROR_NOT_FOUND,
				 "no profiles of service \"%s\" in this "
				 "window; nearest: \"%.*s\"",
				 service, STR_ARGS(near));
	return error_set(err, ERROR_NOT_FOUND,
			 "no profiles of service \"%s\" in this window; %zu "
			 "others have some: tracefind services lists them",
			 service, names.names.count);
}

static bool fail_empty(struct services *s, struct error *err)
{
	return s->ctx.options->service ? fail_service(s, err)
				       : fail_window(s, err);
}

static bool services(struct services *s, struct error *err)
{
	const struct options *o = s->ctx.options;

	if (s->ctx.backends.profiles.path)
		return error_set(
			err, ERROR_USAGE,
			"services asks a server; for a file: tracefind "
			"profile %s",
			s->ctx.backends.profiles.path);
	return window_resolve(o, s->ctx.backends.now_ns, DEFAULT_WINDOW_NS,
			      &s->window, err) &&
	       services_fetch(s, err) && (s->count || fail_empty(s, err)) &&
	       output_answer(o, &services_writer, s, err);
}

int cmd_services(const struct options *o)
{
	struct error err = { 0 };
	struct services s;
	bool done;

	memset(&s, 0, sizeof s);
	done = context_init(&s.ctx, o, &err) &&
	       output_check(o, "services", &err) && services(&s, &err);
	done = context_finish(&s.ctx, done, &err);
	if (!done)
		message_error(&err);
	context_release(&s.ctx);
	return done ? 0 : error_exit_code(err.code);
}
