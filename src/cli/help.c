/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pages.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
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
		"without a command is passed to slow, a file with a profile to\n"
		"profile. With --replay and no command, the recorded command\n"
		"is repeated.\n"
		"\n"
		"Examples:\n"
		"  tracefind slow 4bf92f3577b34da6a3ce929d0e0e4736\n"
		"  tracefind slow --service user-db --since 30m\n"
		"  tracefind search --service user-db --above p95\n"
		"  tracefind diff old.pb.gz new.pb.gz\n"
		"  tracefind --replay case.har.gz\n"
		"\n"
		"Servers are named by --traces-url and --profiles-url, by\n"
		"TRACEFIND_TRACES_URL and TRACEFIND_PROFILES_URL, or permanently\n"
		"with 'tracefind config'; the default is localhost. 'tracefind doctor' checks them. See tracefind(1) for\n"
		"the environment and the exit status.\n");
}

/* Breaks text at blanks; every line begins at TEXT_COLUMN, the first one two
 * blanks behind what stands there already, at `column`. */
static void write_wrapped(struct out *out, const char *text, size_t column)
{
	size_t start = column + 2 > TEXT_COLUMN ? column + 2 : TEXT_COLUMN;

	out_repeat(out, " ", start - column);
	column = start;
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > start && column + 1 + len > LINE_COLUMNS) {
			out_char(out, '\n');
			out_repeat(out, " ", TEXT_COLUMN);
			start = column = TEXT_COLUMN;
		} else if (column > start) {
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

/* "  -n, --limit N", then the text for the command; NULL: that of most. With
 * is_all, the formats of --output. */
static void write_option(struct out *out, const struct option_row *row,
			 const struct command *command, bool is_all)
{
	const struct option_text *text = row->texts;
	const char *help = row->help;
	char usage[OPTION_USAGE_BYTES];
	struct buf formats;

	for (; command && text && text->commands; text++)
		if (text->commands & command->bit)
			help = text->help;
	snprintf(usage, sizeof usage, "  %c%c%c --%s%s%s%s",
		 row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
		 row->letter ? ',' : ' ', row->name, row->metavar ? " " : "",
		 row->metavar ? row->metavar : "",
		 row->flags & OPTION_SIDED ? " *" : "");
	buf_init(&formats, LIMIT_OPTION_VALUE_BYTES);
	if (is_all && command && !strcmp(row->name, "output"))
		output_list_formats(command, &formats);
	out_text(out, usage);
	write_wrapped(out, formats.len ? buf_text(&formats) : help,
		      strlen(usage));
	buf_release(&formats);
}

/* Options that most commands share have a page of their own. */
static bool is_shared(const struct option_row *row)
{
	static const char *const groups[] = {
		OPTIONS_TIME,    OPTIONS_PICTURES, OPTIONS_PRINTING,
		OPTIONS_SERVERS, OPTIONS_CASES,	   OPTIONS_GENERAL,
	};

	for (size_t i = 0; i < COUNT_OF(groups); i++)
		if (!strcmp(row->group, groups[i]))
			return true;
	return false;
}

/* command NULL: those that commands share. */
static void write_options(struct out *out, const struct command *command)
{
	unsigned bits = command ? command->bit : COMMAND_DATA;
	bool has_shared = bits & COMMAND_DATA;
	const char *group = NULL;
	bool has_sided = false;

	for (size_t i = 0; i < options_table.row_count; i++) {
		const struct option_row *row = &options_table.rows[i];

		if (!(row->commands & bits) ||
		    (has_shared && is_shared(row) != !command))
			continue;
		if (!group || strcmp(group, row->group))
			outf(out, "\n%s:\n", row->group);
		group = row->group;
		has_sided |= (row->flags & OPTION_SIDED) != 0;
		write_option(out, row, command, true);
	}
	if (has_sided)
		out_text(out,
			 "\n* also --traces-..., --profiles-... and "
			 "--metrics-..., for one side:\n  "
			 "--traces-token-file\n");
	if (has_shared && command)
		out_text(out, "\nTime, pictures, servers, logins, case files: "
			      "tracefind help options\n");
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

/* The description and the first examples; with is_all, all examples. */
static void write_details(const char *details, bool is_all, struct out *out)
{
	const char *examples = strstr(details, "\n\nExamples:\n");
	unsigned count = 0;

	while (*details && !(is_all && examples) &&
	       (!examples || details <= examples))
		out_str(out, next_line(&details));
	if (!examples)
		return;
	examples += 2;
	if (!is_all)
		out_char(out, '\n');
	out_str(out, next_line(&examples));
	while (*examples) {
		count += str_starts(str_from(examples), STR("  tracefind"));
		if (count > SHOWN_EXAMPLES && !is_all)
			break;
		out_str(out, next_line(&examples));
	}
}

static void write_common(const struct command *command, struct out *out)
{
	const char *names = command->common;

	if (*names)
		out_text(out, "\nOptions:\n");
	while (*names) {
		struct str name = { names, strcspn(names, " ") };

		for (size_t i = 0; i < options_table.row_count; i++) {
			const struct option_row *row = &options_table.rows[i];

			if (row->commands & command->bit &&
			    str_equal(name, str_from(row->name))) {
				write_option(out, row, command, false);
				break;
			}
		}
		names += name.len + strspn(names + name.len, " ");
	}
	if (*command->common)
		outf(out, "\nAll options: tracefind help %s --all\n",
		     command->name);
}

void help_write(const struct command *command, bool is_all, struct out *out)
{
	if (!command && is_all) {
		out_text(out, "Options that most commands share:\n");
		write_options(out, NULL);
		return;
	}
	if (!command) {
		write_general(out);
		return;
	}
	outf(out, "usage: tracefind %s\n\n", command->synopsis);
	write_details(command->details, is_all, out);
	if (is_all)
		write_options(out, command);
	else
		write_common(command, out);
}
