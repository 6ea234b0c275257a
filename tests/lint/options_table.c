/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints what the program's tables say, one row a line, tab-separated, for
 * options_sync.py to compare with help, man page and completions:
 *
 *   command NAME SUMMARY
 *   option  NAME LETTER KIND METAVAR COMMANDS WORDS FLAGS HELP
 *   format  NAME
 *   exit    STATUS
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/optparse.h"
#include "cli/output.h"
#include "render/render.h"

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
	print_commands(row->commands);
	putchar('\t');
	print_words(row->words);
	printf("\t%s%s%s%s%s\t%s\n", row->flags & OPTION_SIDED ? "s" : "",
	       row->flags & OPTION_REPEATABLE ? "r" : "",
	       row->flags & OPTION_ENVIRONMENT ? "e" : "",
	       row->flags & OPTION_CONFIG ? "c" : "",
	       row->flags & OPTION_REPOSITORY ? "p" : "", row->help);
}

int main(void)
{
	struct option_form form;

	for (const struct command *c = commands; c->name; c++)
		printf("command\t%s\t%s\n", c->name, c->summary);
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++)
		if (!form.prefix->text[0] || (form.row->flags & OPTION_SIDED))
			print_form(&form);
	for (const struct render_format *f = render_formats; f->name; f++)
		printf("format\t%s\n", f->name);
	for (size_t i = 0; output_list_formats[i]; i++)
		printf("format\t%s\n", output_list_formats[i]);
	for (int code = ERROR_NONE; code <= ERROR_INTERNAL; code++)
		printf("exit\t%d\n", error_exit_code((enum error_code)code));
	return 0;
}
