/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/stat.h>

#include "backend/input.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"

/* A file is opened twice: for what it is, and to be read. */
static bool check_path(const char *path, struct error *err)
{
	struct stat st;

	if (!input_check(path, err))
		return false;
	if (strcmp(path, "-") &&
	    (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return true;
	return error_set(err, ERROR_USAGE,
			 "%s can be read only once, and convert needs files: "
			 "write it to one, or use tracefind profile %s -o "
			 "FORMAT=FILE, or show",
			 path, path);
}

static bool convert_options_check(const struct options *o, struct error *err)
{
	if (!o->arg_count)
		return error_set(err, ERROR_USAGE,
				 "no file given: convert needs a profile or a "
				 "trace");
	if (!o->output_count)
		return error_set(err, ERROR_USAGE,
				 "no output given: -o FORMAT=FILE, for example "
				 "-o pprof=cpu.pb.gz (tracefind help convert "
				 "lists the formats)");
	for (size_t i = 0; i < o->arg_count; i++)
		if (!check_path(o->args[i], err))
			return false;
	return true;
}

/* Before anything is written. */
static bool check_formats(const struct options *o, bool is_trace,
			  struct error *err)
{
	const char *name = is_trace ? "show" : "profile";
	struct command fitting = *command_find(str_from(name));

	fitting.formats = o->command->formats;
	return output_check_as(o, &fitting,
			       is_trace ? "convert of a trace"
					: "convert of a profile",
			       err) &&
	       (!is_trace || !o->type ||
		error_set(err, ERROR_USAGE,
			  "--type applies to profiles; %s is a trace",
			  o->args[0]));
}

static bool convert_file(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct input in;
	/* Files behind the first are held against it where they are read. */
	bool done = input_open_either(&in, o->args[0], err);
	bool is_trace = done && format_is_trace(in.format);

	input_release(&in);
	if (!done || !check_formats(o, is_trace, err))
		return false;
	r->result.command = is_trace ? "show" : "profile";
	if (!(is_trace ? show_trace(r, err) : show_profile(r, err)))
		return false;
	/* Most formats have no room for what was left out. */
	r->ctx.has_told_notes = false;
	r->ctx.is_answer_bare = true;
	return true;
}

int cmd_convert(const struct options *o)
{
	struct options whole = *o;
	struct error err = { 0 };
	struct run r;
	bool done;

	if (!convert_options_check(o, &err)) {
		message_error(&err);
		return error_exit_code(err.code);
	}
	whole.limit = 0;
	done = run_begin(&r, &whole, "convert", &err) && convert_file(&r, &err);
	return run_end(&r, done, &err);
}
