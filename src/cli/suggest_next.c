/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run.h"

#include <string.h>

#include "base/escape.h"
#include "base/optparse.h"
#include "cli/commands.h"
#include "cli/options.h"

#define NEXT_MAX 5

/* How an answer was printed, which the next command chooses anew. */
static const char *const printing[] = { "--output", "--limit", "--sort",
					"--color",  "--quiet", "--strict" };
static const char *const writing[] = { "--output", "--color", "--quiet",
				       "--verbose" };

/* The options of a command that matter to `show`. */
static const char *const showing[] = { "--traces-", "--tenant-id", "--span",
				       "--name",    "--service",   "--blame" };

/* A case knows its servers. */
static const char *const serving[] = {
	"--traces-url",	      "--profiles-url",	      "--metrics-url",
	"--tenant-id",	      "--traces-tenant-id",   "--profiles-tenant-id",
	"--metrics-tenant-id"
};

static bool has_prefix(const char *const *list, size_t count, const char *arg)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(arg, list[i], strlen(list[i])))
			return true;
	return false;
}

/* Returns whether an argument makes sense in the next command: each has options
 * that another does not know. */
static bool is_understood(const struct run *r, const char *command,
			  const char *arg)
{
	struct str name = { arg + 2, strcspn(arg + 2, "=") };
	const struct command *c = command_find(str_from(command));
	struct option_form form;

	return c && option_form_find(&options_table, name, &form) &&
	       form.row->commands & c->bit &&
	       !(r->ctx.replay && has_prefix(serving, COUNT_OF(serving), arg));
}

/* No part of a case file, hence not among raw_args. */
static void add_context(const struct options *o, struct buf *out)
{
	if (!o->context || o->replay || !options_given(o, "context"))
		return;
	buf_add_text(out, " --context");
	shell_word_add(out, str_from(o->context));
}

static void add_servers(const struct options *o, bool has_window,
			struct buf *out)
{
	static const char *const kept[] = { "--traces-", "--profiles-",
					    "--metrics-", "--tenant-id",
					    "--username" };
	static const char *const times[] = { "--from=", "--to=", "--since=",
					     "--around=", "--pad=" };

	for (size_t i = 1; i < o->raw_count; i++)
		if (has_prefix(kept, COUNT_OF(kept), o->raw_args[i]) ||
		    (has_window &&
		     has_prefix(times, COUNT_OF(times), o->raw_args[i])))
			shell_word_add(out, str_from(o->raw_args[i]));
	add_context(o, out);
}

struct str suggest_servers(struct context *ctx, bool has_window)
{
	struct str kept = { NULL, 0 };
	struct buf text;

	if (ctx->options->replay)
		return STR("");
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	add_servers(ctx->options, has_window, &text);
	if (text.state == BUF_OK)
		kept = arena_str(&ctx->arena, buf_str(&text));
	buf_release(&text);
	return kept;
}

/* command NULL: the run's own once more. A case knows its trace, too. */
static void command_build(const struct run *r, const struct options *o,
			  const char *command, const char *tail,
			  struct buf *out)
{
	const char *next = command ? command : r->result.command;
	bool is_show = command && !strcmp(command, "show");

	buf_addf(out, "tracefind %s", next);
	for (size_t i = 0; i < o->arg_count && !o->has_case_trace; i++)
		shell_word_add(out, str_from(o->args[i]));
	for (size_t i = 1; i < o->raw_count; i++) {
		const char *arg = o->raw_args[i];
		bool is_printing =
			command ? has_prefix(printing, COUNT_OF(printing), arg)
				: has_prefix(writing, COUNT_OF(writing), arg);

		if (!strncmp(arg, "--", 2) && is_understood(r, next, arg) &&
		    !is_printing &&
		    (!is_show || has_prefix(showing, COUNT_OF(showing), arg)))
			shell_word_add(out, str_from(arg));
	}
	add_context(o, out);
	if (o->replay) {
		buf_add_text(out, " --replay");
		shell_word_add(out, str_from(o->replay));
	}
	buf_add_text(out, tail);
}

static bool reads_stdin(const struct options *o)
{
	return o->arg_count && !strcmp(o->args[0], "-");
}

void suggest_repeat(const struct run *r, struct buf *out)
{
	struct options o = *r->ctx.options;
	struct error err = { 0 };
	struct arena arena;

	if (reads_stdin(&o))
		return;
	arena_init(&arena, LIMIT_CASE_ARGS_BYTES);
	/* A replay keeps no words: it has those of the case, too. */
	if (!o.replay ||
	    options_record_args(&o, command_find(str_from(r->result.command)),
				&arena, &o.raw_args, &o.raw_count, &err))
		command_build(r, &o, NULL, "", out);
	arena_wipe(&arena);
	arena_release(&arena);
}

static void suggest_line(struct result *result, struct buf *text)
{
	struct str line = { NULL, 0 };

	if (!result->next)
		result->next = arena_array(&result->arena, NEXT_MAX,
					   sizeof *result->next);
	if (result->next && result->next_count < NEXT_MAX &&
	    text->state == BUF_OK)
		line = arena_str(&result->arena, buf_str(text));
	if (line.ptr)
		result->next[result->next_count++] = line;
	buf_release(text);
}

void suggest_next(struct run *r, const char *command, const char *tail)
{
	struct buf text;

	if (reads_stdin(r->ctx.options))
		return;
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	command_build(r, r->ctx.options, command, tail, &text);
	suggest_line(&r->result, &text);
}

void suggest_step(struct run *r)
{
	struct result *result = &r->result;
	bool is_live = !r->ctx.replay && !r->ctx.backends.traces.path;
	struct buf text;

	if (!result->step.len)
		return;
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	buf_add_str(&text, result->step);
	if (is_live)
		buf_add_text(&text, "; ten minutes later:");
	suggest_line(result, &text);
	if (!is_live)
		return;
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&text, "tracefind search --service");
	shell_word_add(&text, result->span.service);
	buf_add_text(&text, " --since 10m");
	buf_add_str(&text, suggest_servers(&r->ctx, false));
	suggest_line(result, &text);
}
