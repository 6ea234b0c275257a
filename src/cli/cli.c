/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pages.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/optparse.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/str.h"
#include "cli/build_text.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/context.h"
#include "cli/guess.h"
#include "cli/message.h"
#include "cli/output.h"
#include "investigate/trace_search.h"
#include "wire/har.h"

/* A copy of the arguments, since secrets are overwritten in the process's
 * own. */
struct arguments {
	const char **items;
	int count;
	char *text;
	size_t text_bytes;
};

/* The outline of the command line, before its options are understood. */
struct outline {
	const char *word; /* the first argument */
	int word_at;
	const char *replay;
	bool has_argument; /* besides it */
	bool has_choice;   /* it says what to look at */
	bool has_help;
	bool has_version;
};

static void on_interrupt(int number)
{
	outfile_remove_unfinished();
	progress_clear_signal();
	if (number == SIGINT)
		_exit(error_exit_code(ERROR_INTERRUPTED));
	/* The handler was reset when it was entered: now it ends us. */
	raise(number);
}

static void catch_signal(int number)
{
	struct sigaction action = { .sa_handler = on_interrupt,
				    .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	/* nohup and background jobs of a script have them ignored. */
	if (!sigaction(number, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

static void process_prepare(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, NULL);
	/* A file that grows beyond what is allowed is a write that fails. */
	sigaction(SIGXFSZ, &ignore, NULL);
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
	/* Were a standard descriptor closed, the next file opened would take
	 * its place. The stand-in fails when used, as a closed one does. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			return;
}

static bool arguments_copy(struct arguments *a, int argc, char **argv)
{
	char *at;

	for (int i = 0; i < argc; i++)
		a->text_bytes += strlen(argv[i]) + 1;
	a->items = mem_calloc((size_t)argc + 1, sizeof *a->items);
	a->text = mem_alloc(a->text_bytes);
	if (!a->items || !a->text)
		return false;
	at = a->text;
	for (a->count = 0; a->count < argc; a->count++) {
		size_t size = strlen(argv[a->count]) + 1;

		a->items[a->count] = memcpy(at, argv[a->count], size);
		at += size;
	}
	return true;
}

static void hide_secrets(int argc, char **argv)
{
	struct option_reader reader;
	struct option_token token;
	struct error ignored;

	for (int i = 0; i < argc; i++)
		url_hide(argv[i], false);
	option_reader_init(&reader, &options_table, argc,
			   (const char *const *)argv);
	while (option_reader_next(&reader, &token, &ignored) &&
	       token.kind != OPTION_TOKEN_END) {
		char *value;

		if (token.kind != OPTION_TOKEN_OPTION)
			continue;
		value = argv[token.arg] + token.value_at;
		if (!strcmp(token.form.row->name, "proxy"))
			url_hide(value, true);
		if (token.form.row->flags & OPTION_SECRET)
			memset(value, '*', strlen(value));
	}
}

static bool outline_read(struct outline *line, const struct arguments *a,
			 struct error *err)
{
	/* Options without which a case says what there is to look at. */
	static const char choices[] =
		"span service selector baseline-span name query "
		"baseline-selector tags from to since around guide "
		"traces-url profiles-url errors above min-duration";
	struct option_reader reader;
	struct option_token token;

	option_reader_init(&reader, &options_table, a->count, a->items);
	while (option_reader_next(&reader, &token, err)) {
		if (token.kind == OPTION_TOKEN_END)
			return true;
		if (token.kind == OPTION_TOKEN_ARGUMENT) {
			line->has_argument |= line->word != NULL;
			if (!line->word) {
				line->word = token.value;
				line->word_at = token.arg;
			}
		} else if (words_have(choices,
				      str_from(token.form.row->name))) {
			line->has_choice = true;
		} else if (!strcmp(token.form.row->name, "replay")) {
			if (!option_check(&token.form, token.value, "--replay",
					  err))
				return false;
			line->replay = token.value;
		} else if (!strcmp(token.form.row->name, "help")) {
			line->has_help = true;
		} else if (!strcmp(token.form.row->name, "version")) {
			line->has_version = true;
		}
	}
	return false;
}

static int usage_fail(const struct error *err)
{
	message_error(err);
	return error_exit_code(err->code);
}

/* Ends output to standard output; a reader that left early is no error. */
static int finish_output(struct out *out)
{
	struct error err;
	bool is_done = out_finish(out, "standard output", &err);
	bool is_quiet = out_is_broken_pipe(out);

	out_release(out);
	return is_done || is_quiet ? 0 : usage_fail(&err);
}

static int write_help(const struct command *command, bool is_all)
{
	struct error err;
	struct out out;

	if (!out_init_fd(&out, STDOUT_FILENO, &err))
		return usage_fail(&err);
	help_write(command, is_all, &out);
	return finish_output(&out);
}

static int write_usage(void)
{
	struct error err;
	struct out out;

	if (!out_init_fd(&out, STDERR_FILENO, &err))
		return usage_fail(&err);
	help_write_short(&out);
	/* Were standard error closed, nobody could be told. */
	(void)!out_finish(&out, "standard error", &err);
	out_release(&out);
	return error_exit_code(ERROR_USAGE);
}

static int cmd_help(const struct options *o)
{
	const struct command *command = NULL;
	struct error err;

	if (o->arg_count && !strcmp(o->args[0], "options"))
		return write_help(NULL, true);
	if (o->arg_count) {
		command = command_find(str_from(o->args[0]));
		if (!command) {
			guess_fail_command(o->args[0], &err);
			return usage_fail(&err);
		}
	}
	return write_help(command, command && o->all);
}

static int cmd_version(const struct options *o)
{
	struct error err;
	struct out out;

	(void)o;
	if (!out_init_fd(&out, STDOUT_FILENO, &err))
		return usage_fail(&err);
	out_text(&out, "tracefind " TRACEFIND_VERSION "\n" BUILD_TEXT);
	return finish_output(&out);
}

static int page_run(const struct command *command, const struct options *o)
{
	static const struct {
		enum command_bit bit;
		int (*run)(const struct options *o);
	} pages[] = {
		{ COMMAND_SLOW, cmd_slow },
		{ COMMAND_DIFF, cmd_diff },
		{ COMMAND_SHOW, cmd_show },
		{ COMMAND_SEARCH, cmd_search },
		{ COMMAND_PROFILE, cmd_profile },
		{ COMMAND_LEAK, cmd_leak },
		{ COMMAND_COST, cmd_cost },
		{ COMMAND_SERVICES, cmd_services },
		{ COMMAND_WHEN, cmd_when },
		{ COMMAND_CHECK, cmd_check },
		{ COMMAND_EXPORT, cmd_export },
		{ COMMAND_CONVERT, cmd_convert },
		{ COMMAND_TYPES, cmd_types },
		{ COMMAND_DOCTOR, cmd_doctor },
		{ COMMAND_DASH, cmd_dash },
		{ COMMAND_ALERT, cmd_alert },
		{ COMMAND_SLO, cmd_slo },
		{ COMMAND_CONFIG, cmd_config },
		{ COMMAND_MCP, cmd_mcp },
		{ COMMAND_COMPLETION, cmd_completion },
		{ COMMAND_HELP, cmd_help },
	};

	/* What a command does not begin lies on what reading the options left,
	 * addresses with passwords among it, for as long as it runs. */
	mem_wipe_stack();
	for (size_t i = 0; i < COUNT_OF(pages); i++)
		if (command->bit == pages[i].bit)
			return pages[i].run(o);
	return cmd_version(o);
}

/* Arguments for the case file, with what the environment gave. */
static int run_recorded(const struct command *command, struct options *o)
{
	struct arena arena;
	struct error err;
	int status;

	arena_init(&arena, LIMIT_CASE_ARGS_BYTES);
	status = options_record_args(o, command, &arena, &o->raw_args,
				     &o->raw_count, &err)
			 ? page_run(command, o)
			 : usage_fail(&err);
	/* Addresses among them. */
	arena_wipe(&arena);
	arena_release(&arena);
	return status;
}

/* Whoever pastes the URL of a trace means the server that has it. With a login
 * at hand the address has to be given: a URL out of a chat is no place to send
 * it. */
static void take_server(const struct command *command, struct options *o,
			char url[STDIN_ID_BYTES])
{
	struct side_settings s;

	if (!(command->bit & (COMMAND_SLOW | COMMAND_SHOW | COMMAND_DOCTOR)) ||
	    !o->arg_count || o->traces_url || o->replay)
		return;
	options_side(o, SERVER_TRACES, &s);
	if (!s.token && !s.token_file && !s.token_command && !s.password &&
	    !s.password_file && !s.header_count && !s.cert &&
	    guess_server(o->args[0], url))
		o->traces_url = url;
}

static int run_checked(const struct command *command, struct options *o)
{
	char url[STDIN_ID_BYTES];
	struct error err;

	take_server(command, o, url);
	if (!options_check(o, &err))
		return usage_fail(&err);
	/* Only slow and doctor have a span to widen the window around. */
	if (!(command->bit & (COMMAND_SLOW | COMMAND_DOCTOR)) && !o->around &&
	    options_given(o, "pad")) {
		error_set(&err, ERROR_USAGE,
			  "--pad needs a time to pad: give --around too, or "
			  "--since instead");
		return usage_fail(&err);
	}
	if (!output_prepare(o, &err))
		return usage_fail(&err);
	/* It looks at the servers, not at what they said some time ago. */
	if (command->bit & COMMAND_DOCTOR)
		o->cache = false;
	return o->record || o->embed_case ? run_recorded(command, o)
					  : page_run(command, o);
}

/* The commands that are suggested repeat what was typed. What environment and
 * configuration add is there for them as well. */
static int run_typed(const struct command *command, struct options *o)
{
	struct config config;
	struct arena arena;
	struct error err;
	int status;

	arena_init(&arena, LIMIT_CASE_ARGS_BYTES);
	if (!options_record_args(o, command, &arena, &o->raw_args,
				 &o->raw_count, &err) ||
	    !options_environment(o, &err)) {
		status = usage_fail(&err);
	} else if (command->bit & (COMMAND_DATA | COMMAND_MCP)) {
		o->config = &config;
		status = config_load(&config, o, &err) &&
					 config_apply(&config, command, o, &err)
				 ? run_checked(command, o)
				 : usage_fail(&err);
		config_release(&config);
		o->config = NULL;
	} else {
		status = run_checked(command, o);
	}
	/* Addresses among them. */
	arena_wipe(&arena);
	arena_release(&arena);
	return status;
}

static bool parse_line(const struct command *command, struct options *o,
		       const struct arguments *a, int *status)
{
	struct error err;

	*status = 0;
	if (!options_parse(o, command, a->count, a->items, &err))
		*status = usage_fail(&err);
	else if (o->help)
		*status = write_help(command, false);
	else if (o->version)
		*status = cmd_version(o);
	else
		return true;
	return false;
}

/* A run over a case. */
struct replay {
	struct har *har;
	const char *path;
	const struct command *command; /* NULL: the recorded one */
	/* The line says what to look at: the case adds only addresses. */
	bool has_choice;
	/* Else the recorded command is repeated, or what another one needs is
	 * taken from the case. */
	bool is_filled;
};

/* The arguments in the case come first, so that those of this run win. */
static bool read_case(struct replay *r, struct options *o, struct error *err)
{
	const char *const *args = NULL;
	size_t count = har_args(r->har, &args);
	const struct command *recorded;
	bool is_repeat;

	if (count == 0 || count > INT_MAX) {
		r->is_filled = !r->has_choice;
		return r->command ||
		       error_set(err, ERROR_FORMAT,
				 "%s: no command was recorded; name one: "
				 "tracefind slow --replay FILE",
				 r->path);
	}
	recorded = command_find(str_from(args[0]));
	is_repeat = !r->command || (r->command == recorded && !r->has_choice);
	if (!r->command)
		r->command = recorded;
	if (!r->command || !(r->command->bit & COMMAND_DATA))
		return error_set(err, ERROR_FORMAT,
				 "%s: this version has no command '%s', which "
				 "was recorded",
				 r->path, value_quote(args[0]).text);
	r->is_filled = !is_repeat && !r->has_choice;
	if (options_parse_case(o, r->command, (int)count - 1, args + 1,
			       is_repeat, err))
		return true;
	err->code = ERROR_FORMAT;
	return error_prefix(err, "%s: the recorded arguments", r->path);
}

/* It asks neither environment nor configuration: its answers are those
 * recorded. */
static int run_case(struct replay *r, struct options *o,
		    const struct arguments *a)
{
	struct arena arena;
	struct error err;
	int status;

	if (!read_case(r, o, &err))
		return usage_fail(&err);
	if (!parse_line(r->command, o, a, &status))
		return status;
	o->has_case_trace = !r->has_choice &&
			    r->command->bit & (COMMAND_SLOW | COMMAND_SHOW);
	arena_init(&arena, LIMIT_CASE_ARGS_BYTES);
	status = !r->is_filled || case_fill(o, r->command, r->har, r->path,
					    &arena, &err)
			 ? run_checked(r->command, o)
			 : usage_fail(&err);
	arena_release(&arena);
	return status;
}

static int run_replay(const struct command *command, const struct outline *line,
		      struct options *o, const struct arguments *a)
{
	struct error err;
	struct replay r = { .har = har_open(line->replay, &err),
			    .path = line->replay,
			    .command = command,
			    .has_choice = line->has_choice };
	int status;

	if (!r.har)
		return usage_fail(&err);
	/* Borrowed: reading a case is most of the work of a replay. */
	o->replayed = r.har;
	status = run_case(&r, o, a);
	har_free(r.har);
	return status;
}

static void drop_word(struct arguments *a, const struct outline *line)
{
	a->count--;
	memmove(a->items + line->word_at, a->items + line->word_at + 1,
		(size_t)(a->count - line->word_at) * sizeof *a->items);
}

/* The command is taken off the arguments; one that is guessed of a trace or a
 * file stands there no more than that. NULL: there is none. */
static const struct command *read_command(struct arguments *a,
					  struct outline *line)
{
	const struct command *command = command_find(str_from(line->word));

	if (!command) {
		line->has_choice = true;
		return guess_command(line->word);
	}
	drop_word(a, line);
	/* What is shown of a trace does not say which. */
	if (command->bit & COMMAND_SHOW)
		line->has_choice = false;
	line->has_choice |= line->has_argument;
	return command;
}

/* Adds a hint to the error of an option that is not known. */
static void hint_habit(const struct arguments *a, struct error *err)
{
	const char *instead = NULL;
	char word[OPTION_NAME_BYTES];

	if (!str_starts(str_from(err->message), STR("unknown option ")))
		return;
	for (int i = 0; i < a->count && !instead; i++) {
		instead = a->items[i][0] == '-' ? habit_find(a->items[i])
						: NULL;
		if (instead)
			snprintf(word, sizeof word, "%.*s",
				 (int)strcspn(a->items[i], "="), a->items[i]);
	}
	if (instead)
		error_set(err, ERROR_USAGE, "unknown option %s; %s", word,
			  instead);
}

static int command_run(struct arguments *a, struct options *o)
{
	const struct command *command = NULL;
	struct outline line = { .replay = o->replay };
	struct error err;
	int status;

	if (!outline_read(&line, a, &err)) {
		hint_habit(a, &err);
		return usage_fail(&err);
	}
	if (line.word && !line.replay && guess_is_case(line.word)) {
		line.replay = o->replay = line.word;
		drop_word(a, &line);
	} else if (line.word) {
		command = read_command(a, &line);
		if (!command) {
			guess_fail_command(line.word, &err);
			return usage_fail(&err);
		}
	} else if (line.has_help) {
		return write_help(NULL, false);
	} else if (line.has_version) {
		return cmd_version(o);
	} else if (!line.replay) {
		error_set(&err, ERROR_USAGE,
			  "no command given; tracefind help lists the "
			  "commands");
		return usage_fail(&err);
	}
	if (line.replay && (!command || (command->bit & COMMAND_DATA)) &&
	    !line.has_help && !line.has_version)
		return run_replay(command, &line, o, a);
	if (!parse_line(command, o, a, &status))
		return status;
	/* config tells apart what comes from where. */
	return command->bit & COMMAND_CONFIG ? run_checked(command, o)
					     : run_typed(command, o);
}

/* Neither an answer that was put together while memory was lacking is to be
 * trusted, whatever its parts made of that, nor another reason. */
static int judge_memory(int status)
{
	struct error err;

	if (!mem_has_failed())
		return status;
	if (message_has_told_error())
		return error_exit_code(ERROR_MEMORY);
	error_memory(&err, "the answer, so something may be missing in it");
	return usage_fail(&err);
}

int cli_run_again(const struct options *first, int argc,
		  const char *const *argv)
{
	const char *items[LIMIT_ARGUMENTS];
	struct arguments a = { .items = items };
	struct options o = *first;
	struct error err;

	if (argc >= (int)COUNT_OF(items)) {
		error_set(&err, ERROR_USAGE, "too many arguments");
		return usage_fail(&err);
	}
	while (a.count < argc) {
		items[a.count] = argv[a.count];
		a.count++;
	}
	o.may_read_stdin = false; /* it is the assistant's */
	o.raw_args = NULL;
	o.raw_count = 0;
	o.no_cache = true;
	o.outputs[0] = (struct output_option){ "json", NULL };
	o.output_count = 1;
	return judge_memory(command_run(&a, &o));
}

int cli_run(int argc, char **argv, const struct completion_script *scripts)
{
	char piped[STDIN_ID_BYTES], *alone[] = { NULL, piped };
	struct arguments a = { NULL };
	struct options o;
	struct error err;
	int status;

	mem_init();
	process_prepare();
	if (argc < 2 && !stdin_read_id(piped)) {
		if (!*piped)
			return write_usage();
		error_set(&err, ERROR_USAGE,
			  "standard input is no trace ID: 'tracefind slow -' "
			  "reads a trace from it, 'tracefind profile -' a "
			  "profile");
		return usage_fail(&err);
	}
	if (argc < 2)
		argv = alone;
	if (arguments_copy(&a, argc < 2 ? 1 : argc - 1, argv + 1)) {
		hide_secrets(argc - 1, argv + 1);
		options_init(&o);
		o.may_read_stdin = true;
		o.completions = scripts;
		status = command_run(&a, &o);
	} else {
		error_memory(&err, "the arguments");
		status = usage_fail(&err);
	}
	if (a.text)
		mem_wipe(a.text, a.text_bytes);
	mem_free(a.text);
	mem_free(a.items);
	environment_wipe();
	return judge_memory(status);
}
