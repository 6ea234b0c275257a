/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/optparse.h"
#include "cli/commands.h"
#include "cli/options.h"

#define LINE_COLUMNS 79
#define TEXT_COLUMN 30

static void write_commands(struct out *out)
{
	for (const struct command *c = commands; c->name; c++)
		outf(out, "  %-10s %s\n", c->name, c->summary);
}

void help_write_short(struct out *out)
{
	out_text(out, "usage: tracefind COMMAND [OPTIONS] [ARGUMENTS]\n\n");
	write_commands(out);
	out_text(out, "\n'tracefind help COMMAND' shows the options of one.\n");
}

static void write_general(struct out *out)
{
	out_text(out,
		 "usage: tracefind COMMAND [OPTIONS] [ARGUMENTS]\n"
		 "       tracefind TRACE|FILE [OPTIONS]\n"
		 "       tracefind --replay FILE [OPTIONS]\n"
		 "\n"
		 "From a slow trace to the guilty span, to the profile of its\n"
		 "service at that time, to the function that made it slow.\n"
		 "\n"
		 "Commands:\n");
	write_commands(out);
	out_text(
		out,
		"\n"
		"'tracefind help COMMAND' shows the options of one. A trace\n"
		"without a command is one for slow, a file with a profile one\n"
		"for profile. With --replay and no command, a recorded run is\n"
		"repeated.\n"
		"\n"
		"Examples:\n"
		"  tracefind slow 4bf92f3577b34da6a3ce929d0e0e4736\n"
		"  tracefind slow --service user-db --since 30m\n"
		"  tracefind search --service user-db --above p95\n"
		"  tracefind diff old.pb.gz new.pb.gz\n"
		"  tracefind --replay case.har.gz\n"
		"\n"
		"Servers are named by --traces-url and --profiles-url, by\n"
		"TRACEFIND_TRACES_URL and TRACEFIND_PROFILES_URL, or for good\n"
		"with 'tracefind config'; else they are looked for on this\n"
		"machine. 'tracefind doctor' checks them. See tracefind(1) for\n"
		"the environment and the exit status.\n");
}

/* Breaks text at blanks; every line begins at TEXT_COLUMN. `column` is where
 * the writer stands. */
static void write_wrapped(struct out *out, const char *text, size_t column)
{
	if (column >= TEXT_COLUMN) {
		out_char(out, '\n');
		column = 0;
	}
	out_repeat(out, " ", TEXT_COLUMN - column);
	column = TEXT_COLUMN;
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > TEXT_COLUMN && column + 1 + len > LINE_COLUMNS) {
			out_char(out, '\n');
			out_repeat(out, " ", TEXT_COLUMN);
			column = TEXT_COLUMN;
		} else if (column > TEXT_COLUMN) {
			out_char(out, ' ');
			column++;
		}
		out_add(out, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
	out_char(out, '\n');
}

#define OPTION_USAGE_BYTES 96

/* "  -n, --limit N"; its length. */
static size_t option_usage(const struct option_row *row,
			   char usage[OPTION_USAGE_BYTES])
{
	snprintf(usage, OPTION_USAGE_BYTES, "  %c%c%c --%s%s%s%s",
		 row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
		 row->letter ? ',' : ' ', row->name, row->metavar ? " " : "",
		 row->metavar ? row->metavar : "",
		 row->flags & OPTION_SIDED ? " *" : "");
	return strlen(usage);
}

static void write_option(struct out *out, const struct option_row *row,
			 const struct command *command)
{
	char usage[OPTION_USAGE_BYTES], text[256];
	size_t len = option_usage(row, usage);
	struct buf formats;

	buf_init(&formats, sizeof text);
	if (!strcmp(row->name, "output"))
		output_list_formats(command, &formats);
	snprintf(text, sizeof text, "%s%s%s%s", row->help,
		 formats.len ? ": " : "", buf_text(&formats),
		 row->kind != OPTION_FLAG && row->flags & OPTION_REPEATABLE
			 ? "; may be repeated"
			 : "");
	buf_release(&formats);
	out_text(out, usage);
	/* Two blanks at least between an option and its text. */
	write_wrapped(out, text,
		      len + 2 > TEXT_COLUMN ? TEXT_COLUMN : len);
}

static void write_options(struct out *out, const struct command *command)
{
	const char *group = NULL;
	bool has_sided = false;

	for (size_t i = 0; i < options_table.row_count; i++) {
		const struct option_row *row = &options_table.rows[i];

		if (!(row->commands & command->bit))
			continue;
		if (!group || strcmp(group, row->group))
			outf(out, "\n%s:\n", row->group);
		group = row->group;
		has_sided |= (row->flags & OPTION_SIDED) != 0;
		write_option(out, row, command);
	}
	if (has_sided)
		out_text(out,
			 "\n* also --traces-..., --profiles-... and "
			 "--metrics-..., for one side:\n  "
			 "--traces-token-file\n");
}

/* ---- what fits on a screen ---- */

#define SHOWN_EXAMPLES 3u

/* A line with its end. */
static struct str next_line(const char **text)
{
	size_t len = strcspn(*text, "\n") + 1;
	struct str line = { *text, len };

	*text += len;
	return line;
}

/* The first paragraph and the first examples. */
static void write_brief(const char *details, struct out *out)
{
	const char *examples = strstr(details, "\n\nExamples:\n");
	const char *end = strstr(details, "\n\n");
	unsigned count = 0;

	while (*details && (!end || details <= end))
		out_str(out, next_line(&details));
	if (!examples)
		return;
	examples += 2;
	out_char(out, '\n');
	out_str(out, next_line(&examples));
	while (*examples) {
		count += str_starts(str_from(examples), STR("  tracefind"));
		if (count > SHOWN_EXAMPLES)
			break;
		out_str(out, next_line(&examples));
	}
}

static const struct option_row *row_of(const struct command *command,
				       struct str name)
{
	for (size_t i = 0; i < options_table.row_count; i++) {
		const struct option_row *row = &options_table.rows[i];

		if (row->commands & command->bit &&
		    str_equal(name, str_from(row->name)))
			return row;
	}
	return NULL;
}

static void write_short(const struct option_row *row, struct out *out)
{
	char usage[OPTION_USAGE_BYTES];
	size_t len = option_usage(row, usage);

	out_text(out, usage);
	write_wrapped(out, row->brief ? row->brief : row->help,
		      len + 2 > TEXT_COLUMN ? TEXT_COLUMN : len);
}

static void write_common(const struct command *command, struct out *out)
{
	const char *names = command->common;

	if (*names)
		out_text(out, "\nOptions:\n");
	while (*names) {
		struct str name = { names, strcspn(names, " ") };
		const struct option_row *row = row_of(command, name);

		if (row)
			write_short(row, out);
		names += name.len + strspn(names + name.len, " ");
	}
	if (*command->common)
		outf(out, "\nAll options: tracefind help %s --all\n",
		     command->name);
}

void help_write(const struct command *command, bool is_all, struct out *out)
{
	if (!command) {
		write_general(out);
		return;
	}
	outf(out, "usage: tracefind %s\n\n", command->synopsis);
	if (is_all) {
		out_text(out, command->details);
		write_options(out, command);
	} else {
		write_brief(command->details, out);
		write_common(command, out);
	}
}
