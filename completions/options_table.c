/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints what the program's tables say, one row a line, tab-separated, for
 * generate.py to make completions of and for the lint tests to compare with
 * help, man page and test cases:
 *
 *   command NAME SUMMARY SYNOPSIS WORDS FORMATS
 *   option  NAME LETTER KIND METAVAR COMMANDS WORDS FLAGS HELP
 *   format  NAME
 *   exit    STATUS
 *
 * WORDS of a command are what its first argument may be; lists are separated
 * by commas.
 */
#include <stdio.h>

#include "base/optparse.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/pages.h"

static const char *kind_name(const struct option_row *row)
{
	switch (row->kind) {
	case OPTION_FLAG:
		return "flag";
	case OPTION_FILE:
		return "file";
	case OPTION_STRING:
		return row->words ? "open" : "string";
	case OPTION_WORD:
	case OPTION_INDEX:
		return "word";
	case OPTION_DURATION:
	case OPTION_U64:
	case OPTION_SIZE:
		return "number";
	}
	return "?";
}

static void print_commands(unsigned bits)
{
	const char *comma = "";

	for (const struct command *c = commands; c->name; c++) {
		if (!(c->bit & bits))
			continue;
		printf("%s%s", comma, c->name);
		comma = ",";
	}
}

static void print_words(const char *const *words)
{
	for (size_t i = 0; words && words[i]; i++)
		printf("%s%s", i ? "," : "", words[i]);
}

static void print_form(const struct option_form *form)
{
	const struct option_row *row = form->row;
	char name[OPTION_NAME_BYTES];

	option_form_name(form, name);
	printf("option\t%s\t", name);
	if (row->letter && !form->prefix->text[0])
		putchar(row->letter);
	printf("\t%s\t%s\t", kind_name(row), row->metavar ? row->metavar : "");
	print_commands(form->prefix->commands ? row->commands & form->prefix->commands
					      : row->commands);
	putchar('\t');
	print_words(row->words);
	printf("\t%s%s%s%s%s\t%s\n", row->flags & OPTION_SIDED ? "s" : "",
	       row->flags & OPTION_REPEATABLE ? "r" : "",
	       row->flags & OPTION_ENVIRONMENT ? "e" : "",
	       row->flags & OPTION_CONFIG && !form->prefix->is_apart ? "c" : "",
	       row->flags & OPTION_REPOSITORY ? "p" : "", row->help);
}

/* What the first argument may be. */
static void print_first_words(const struct command *c)
{
	const char *name;

	if (c->bit == COMMAND_HELP) {
		print_commands(COMMAND_ALL);
		printf(",options");
	}
	/* What the scripts themselves ask for is no word of people. */
	if (c->bit == COMMAND_COMPLETION)
		printf("bash,zsh,fish");
	if (c->bit == COMMAND_CONFIG)
		for (size_t i = 0; (name = config_action_name(i)); i++)
			printf("%s%s", i ? "," : "", name);
}

static void print_command(const struct command *c)
{
	const char *name;
	const char *comma = "";

	printf("command\t%s\t%s\t%s\t", c->name, c->summary, c->synopsis);
	print_first_words(c);
	putchar('\t');
	for (size_t i = 0; (name = output_format_name(i)); i++) {
		if (!output_gives(c, name))
			continue;
		printf("%s%s", comma, name);
		comma = ",";
	}
	putchar('\n');
}

int main(void)
{
	struct option_form form;
	const char *name;

	for (const struct command *c = commands; c->name; c++)
		print_command(c);
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++)
		if (!form.prefix->text[0] || (form.row->flags & OPTION_SIDED))
			print_form(&form);
	for (size_t i = 0; (name = output_format_name(i)); i++)
		printf("format\t%s\n", name);
	for (int code = ERROR_NONE; code <= ERROR_INTERNAL; code++)
		printf("exit\t%d\n", error_exit_code((enum error_code)code));
	return 0;
}
