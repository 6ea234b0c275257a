/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/confine.h"
#include "base/num.h"
#include "base/optparse.h"
#include "base/terminal.h"
#include "cli/message.h"

/* ---- what is read ---- */

static void allow_argument(struct confine *c, const char *text)
{
	if (text)
		confine_allow_read(c,
				   text + (strncmp(text, "file:", 5) ? 0 : 5));
}

static void allow_inputs(struct confine *c, const struct context *ctx)
{
	const struct options *o = ctx->options;
	/* Only read from, but option_target() serves both ways. */
	struct options values = *o;
	struct option_form form;

	confine_allow_system(c);
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++)
		if (form.row->kind == OPTION_FILE)
			allow_argument(c, *(const char **)option_target(
						  &form, &values));
	for (size_t i = 0; i < o->arg_count; i++)
		allow_argument(c, o->args[i]);
	for (size_t i = 0; i < o->against_count; i++)
		allow_argument(c, o->against[i]);
	allow_argument(c, o->resume);
	allow_argument(c, ctx->backends.traces.path);
	allow_argument(c, ctx->backends.profiles.path);
	confine_allow_read_list(c, o->source_path);
}

/* ---- what is written ---- */

/* Allows the destination of an export that goes into files. */
static void allow_destination(struct confine *c, const char *text,
			      bool is_folder)
{
	if (!text || strstr(text, "://"))
		return;
	text += strncmp(text, "file:", 5) ? 0 : 5;
	if (is_folder) {
		/* For what earlier runs left unfinished. */
		confine_allow_read(c, text);
		confine_allow_write(c, text);
	} else {
		confine_allow_output(c, text);
	}
}

static void allow_outputs(struct confine *c, const struct context *ctx)
{
	const struct options *o = ctx->options;

	confine_allow_devices(c);
	for (size_t i = 0; i < o->output_count; i++)
		confine_allow_output(c, o->outputs[i].path);
	confine_allow_output(c, o->record);
	confine_allow_output(c, o->save);
	confine_allow_output(c, o->resume);
	allow_destination(c, o->to_traces, false);
	allow_destination(c, o->to_profiles, true);
	confine_allow_output(c, o->state);
	if (ctx->state_folder) {
		confine_allow_read(c, ctx->state_folder);
		confine_allow_write(c, ctx->state_folder);
	}
	for (size_t i = 0; i < COUNT_OF(ctx->cache_folders); i++) {
		if (!ctx->cache_folders[i])
			continue;
		confine_allow_read(c, ctx->cache_folders[i]);
		confine_allow_write(c, ctx->cache_folders[i]);
	}
}

/* ---- all of it ---- */

/* Why there is no sandbox at all, or NULL. */
static const char *why_none(const struct context *ctx)
{
#ifdef NO_SANDBOX
	(void)ctx;
	return NO_SANDBOX;
#else
	if (ctx->backends.traces.token_command ||
	    ctx->backends.profiles.token_command ||
	    ctx->backends.metrics.token_command ||
	    ctx->backends.to.token_command)
		return "token-command may start any program";
	return NULL;
#endif
}

/* Why any file may be read, or NULL. */
static const char *why_reading(const struct context *ctx)
{
	if (ctx->logins.google)
		return "credentials of Google Cloud name further files";
	if (ctx->options->list)
		return "--list reads sources that the profile names";
	return NULL;
}

/* The version of Landlock that is in force, 0: none, with errno. */
static int enter_files(const struct context *ctx)
{
	unsigned flags = (why_reading(ctx) ? 0u : CONFINE_READING) |
			 (ctx->replay ? CONFINE_NETWORK : 0u);
	struct confine c;

	if (!confine_begin(&c, flags))
		return 0;
	if (!why_reading(ctx))
		allow_inputs(&c, ctx);
	allow_outputs(&c, ctx);
	return confine_end(&c) ? c.version : 0;
}

static void sandbox_note(const struct context *ctx, int version,
			 const char *why_files, bool has_calls)
{
	const char *reading = why_reading(ctx);
	char files[256], calls[64] = "no seccomp filter";

	if (!ctx->options->verbose)
		return;
	if (version)
		snprintf(files, sizeof files, "%s (landlock %d)%s%s",
			 reading ? "files to write" : "files", version,
			 reading ? ", none to read: " : "",
			 reading ? reading : "");
	else
		snprintf(files, sizeof files, "no files, without landlock: %s",
			 why_files);
	if (has_calls)
		snprintf(calls, sizeof calls, "programs (seccomp)");
	message_info("sandbox: %s; %s", calls, files);
}

void sandbox_enter(const struct context *ctx)
{
	const char *none = why_none(ctx);
	const char *pager = pager_command(ctx->options->no_pager,
					  ctx->options->pager);
	const char *why_files;
	bool has_calls;
	int version;

	if (none) {
		if (ctx->options->verbose)
			message_info("sandbox: none, %s", none);
		return;
	}
	if (pager)
		pager_prepare(pager);
	version = enter_files(ctx);
	why_files = strerror(errno);
	has_calls = confine_calls();
	sandbox_note(ctx, version, why_files, has_calls);
}
