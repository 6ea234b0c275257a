/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/optparse.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "cli/commands.h"
#include "render/reduce.h"

void options_init(struct options *o)
{
	memset(o, 0, sizeof *o);
	o->connect_timeout_ns = 10 * NS_PER_S;
	o->timeout_ns = 60 * NS_PER_S;
	o->retry = 2;
	o->pad_ns = 5 * NS_PER_MIN;
	o->threshold_ns = 2 * NS_PER_S;
	o->for_ns = 5 * NS_PER_MIN;
	o->window_ns = 30 * NS_PER_DAY;
	o->sample = 20;
	o->datasource = "prometheus";
	o->limit = 10;
	o->budget = BRIEF_TOKENS;
}

void options_mark(struct options *o, const struct option_form *form)
{
	o->given[form->number / 8] |= (unsigned char)(1u << form->number % 8);
}

static bool is_given(const struct options *o, const struct option_form *form)
{
	return o->given[form->number / 8] & 1u << form->number % 8;
}

bool options_given(const struct options *o, const char *name)
{
	struct option_form form;

	return option_form_find(&options_table, str_from(name), &form) &&
	       is_given(o, &form);
}

void options_unmark(struct options *o, const char *name)
{
	struct option_form form;

	if (option_form_find(&options_table, str_from(name), &form))
		o->given[form.number / 8] &=
			(unsigned char)~(1u << form.number % 8);
}

bool options_form_given(const struct options *o, const struct option_form *form)
{
	size_t row = form->number % options_table.row_count;
	struct option_form common;

	return is_given(o, form) ||
	       (!form->prefix->is_apart &&
		option_form_get(&options_table, row, &common) &&
		is_given(o, &common));
}

/* Less than that shows as nothing and makes most of a file. */
#define MIN_WIDTH_CENTIPIXELS 10

unsigned options_centipixels(const char *min_width)
{
	double px;

	if (!min_width || !parse_f64(str_from(min_width), &px))
		return MIN_WIDTH_CENTIPIXELS;
	return (unsigned)(px * 100 + 0.5);
}

static bool add_argument(struct options *o, const struct command *command,
			 const char *value, struct error *err)
{
	if (o->arg_count >= LIMIT_ARGUMENTS)
		return error_set(err, ERROR_USAGE,
				 "'%s' is one argument too many: at most %u "
				 "(merge profiles first: profile -o "
				 "pprof=FILE)",
				 value_quote(value).text, LIMIT_ARGUMENTS);
	if (o->arg_count >= command->max_args) {
		struct option_form form;
		/* A name alone is mostly one of a service. */
		bool is_service = !command->max_args &&
				  option_form_find(&options_table,
						   STR("service"), &form) &&
				  form.row->commands & command->bit;

		return error_set(err, ERROR_USAGE,
				 "unexpected argument '%s': usage: tracefind "
				 "%s%s",
				 value_quote(value).text, command->synopsis,
				 is_service ? "; for a service use --service"
					    : "");
	}
	if (strnlen(value, LIMIT_OPTION_VALUE_BYTES + 1) >
	    LIMIT_OPTION_VALUE_BYTES)
		return error_set(err, ERROR_USAGE,
				 "an argument is longer than %zu bytes",
				 LIMIT_OPTION_VALUE_BYTES);
	o->args[o->arg_count++] = value;
	return true;
}

static bool add_option(struct options *o, const struct command *command,
		       const struct option_token *token, struct error *err)
{
	char name[OPTION_NAME_BYTES];
	char subject[OPTION_NAME_BYTES + 8];
	const char letter[] = { token->form.row->letter, '\0' };

	option_form_name(&token->form, name);
	snprintf(subject, sizeof subject, "--%s%s",
		 token->is_negated ? "no-" : "", name);
	if (!(token->form.row->commands & command->bit) ||
	    (token->form.prefix->commands &&
	     !(token->form.prefix->commands & command->bit)))
		return error_set(
			err, ERROR_USAGE,
			"%s%s%s%s is not an option of tracefind %s; tracefind "
			"help %s --all lists its options",
			subject, *letter ? " (-" : "", letter,
			*letter ? ")" : "", command->name, command->name);
	if (!option_store(&token->form, token->value, token->is_negated,
			  subject, o, err))
		return false;
	options_mark(o, &token->form);
	if (o->against_count == 1 && !strcmp(token->form.row->name, "against"))
		o->args_before_against = o->arg_count;
	return true;
}

bool options_parse(struct options *o, const struct command *command, int argc,
		   const char *const *argv, struct error *err)
{
	struct option_reader reader;
	struct option_token token;

	o->command = command;
	option_reader_init(&reader, &options_table, argc, argv);
	while (option_reader_next(&reader, &token, err)) {
		if (token.kind == OPTION_TOKEN_END)
			return true;
		if (token.kind == OPTION_TOKEN_ARGUMENT
			    ? !add_argument(o, command, token.value, err)
			    : !add_option(o, command, &token, err))
			return false;
	}
	return false;
}

bool options_parse_case(struct options *o, const struct command *command,
			int argc, const char *const *argv, bool is_repeat,
			struct error *err)
{
	const struct option_row *row;
	struct option_reader reader;
	struct option_token token;

	o->command = command;
	option_reader_init(&reader, &options_table, argc, argv);
	while (option_reader_next(&reader, &token, err)) {
		if (token.kind == OPTION_TOKEN_END) {
			o->has_case_outputs = o->output_count > 0;
			return true;
		}
		if (token.kind == OPTION_TOKEN_ARGUMENT) {
			if (is_repeat &&
			    !add_argument(o, command, token.value, err))
				return false;
			continue;
		}
		row = token.form.row;
		/* What would act on this machine is not for a case file to
		 * say. */
		if (row->flags & OPTION_LOCAL ||
		    (!strcmp(row->name, "output") &&
		     output_is_file(token.value)))
			continue;
		if (!is_repeat &&
		    !words_have("traces-url profiles-url metrics-url tenant-id",
				str_from(row->name)))
			continue;
		if (!add_option(o, command, &token, err))
			return false;
	}
	return false;
}

const char *options_url(const struct options *o, enum server_side side)
{
	const char *const urls[SERVER_SIDES] = {
		[SERVER_TRACES] = o->traces_url,
		[SERVER_PROFILES] = o->profiles_url,
		[SERVER_METRICS] = o->metrics_url,
		[SERVER_TO] = NULL,
	};

	return urls[side];
}

void option_variable_name(const char *option, char out[OPTION_VARIABLE_BYTES])
{
	snprintf(out, OPTION_VARIABLE_BYTES, OPTION_VARIABLE_PREFIX "%s",
		 option);
	for (char *at = out; *at; at++)
		if (*at == '-')
			*at = '_';
		else if (ascii_is_lower(*at))
			*at = (char)(*at - 'a' + 'A');
}

bool side_has_secret(const struct side_settings *c)
{
	return c->password_file || c->token_file || c->token_command ||
	       c->token || c->password;
}

void options_side(const struct options *o, enum server_side side,
		  struct side_settings *out)
{
	static const struct side_settings none;
	const struct side_settings *own = &o->sides[side];
	/* What is for those who are asked is none of its business. */
	const struct side_settings *common =
		side == SERVER_TO ? &none : &o->common;
	const struct side_settings *credential =
		side_has_secret(own) ? own : common;
	size_t room = LIMIT_HEADERS - own->header_count;
	size_t shared =
		common->header_count < room ? common->header_count : room;

	*out = *own;
	out->tenant_id = own->tenant_id ? own->tenant_id : common->tenant_id;
	/* A side's own token takes the place of a common user's password. */
	if (!own->username && !own->token && !own->token_file &&
	    !own->token_command)
		out->username = common->username;
	out->password_file = credential->password_file;
	out->token_file = credential->token_file;
	out->token_command = credential->token_command;
	out->password = credential->password_file ? NULL : credential->password;
	out->token = credential->token_file ? NULL : credential->token;
	memcpy(out->headers, common->headers, shared * sizeof *out->headers);
	memcpy(out->headers + shared, own->headers,
	       own->header_count * sizeof *out->headers);
	out->header_count = shared + own->header_count;
	out->cacert = own->cacert ? own->cacert : common->cacert;
	out->cert = own->cert ? own->cert : common->cert;
	out->key = own->key ? own->key : common->key;
	out->proxy = own->proxy ? own->proxy : common->proxy;
	out->insecure = own->insecure || common->insecure;
	out->insecure_auth = own->insecure_auth || common->insecure_auth;
}

/* One of the ways to give the same, and its value. */
struct setting {
	const char *value; /* NULL: not given */
	const char *common;
	const char *name;
};

#define SETTING_OF(c, o, member, name)                                         \
	{                                                                      \
		(c)->member, (o)->common.member, name                          \
	}

/* Where the first of these that is given came from; false: none is. */
static bool setting_origin(const struct options *o, enum server_side side,
			   const struct setting *ways, size_t count,
			   char out[OPTION_ORIGIN_BYTES])
{
	for (size_t i = 0; i < count; i++) {
		if (!ways[i].value)
			continue;
		options_side_origin(o, side, ways[i].value, ways[i].common,
				    ways[i].name, out);
		return true;
	}
	return false;
}

static bool fail_both(const char *one, const char *other, enum server_side side,
		      struct error *err)
{
	return error_set(
		err, ERROR_USAGE,
		"%s and %s both set the login of the %s side; keep one", one,
		other, server_side_name(side));
}

static bool check_login(const struct options *o,
			const struct side_settings *c,
			enum server_side side, struct error *err)
{
	const struct setting tokens[] = {
		SETTING_OF(c, o, token_file, "token-file"),
		SETTING_OF(c, o, token_command, "token-command"),
		SETTING_OF(c, o, token, "token"),
	};
	const struct setting passwords[] = {
		SETTING_OF(c, o, password_file, "password-file"),
		SETTING_OF(c, o, password, "password"),
	};
	char token[OPTION_ORIGIN_BYTES], other[OPTION_ORIGIN_BYTES];
	bool has_token =
		setting_origin(o, side, tokens, COUNT_OF(tokens), token);

	if (c->token_file && setting_origin(o, side, tokens + 1, 1, other))
		return fail_both(token, other, side, err);
	if (!setting_origin(o, side, passwords, COUNT_OF(passwords), other))
		return true;
	if (has_token)
		return fail_both(token, other, side, err);
	return c->username ||
	       error_set(err, ERROR_USAGE,
			 "%s: a password without a user name for the %s side; "
			 "give --username",
			 other, server_side_name(side));
}

static bool check_certificate(const struct options *o,
			      const struct side_settings *c,
			      enum server_side side, struct error *err)
{
	const struct setting pair[] = {
		SETTING_OF(c, o, cert, "cert"),
		SETTING_OF(c, o, key, "key"),
	};
	char given[OPTION_ORIGIN_BYTES];

	if ((c->cert != NULL) == (c->key != NULL))
		return true;
	setting_origin(o, side, pair, COUNT_OF(pair), given);
	return error_set(err, ERROR_USAGE,
			 "%s: a certificate and its key are needed together; "
			 "the %s side has no --%s",
			 given, server_side_name(side),
			 c->cert ? "key" : "cert");
}

/* The second would take the place of the first without a word. */
static bool check_outputs(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < o->output_count; i++)
		for (size_t j = 0; j < i; j++)
			if (o->outputs[i].path && o->outputs[j].path &&
			    !strcmp(o->outputs[i].path, o->outputs[j].path))
				return error_set(err, ERROR_USAGE,
						 "two outputs would be written "
						 "to %.400s; give each its own "
						 "file",
						 o->outputs[i].path);
	return true;
}

bool options_check(const struct options *o, struct error *err)
{
	for (int i = 0; i < SERVER_SIDES; i++) {
		enum server_side side = (enum server_side)i;
		struct side_settings c;

		/* Traces and profiles have a default; a login for all of them
		 * needs no user for servers that are not asked. */
		if ((side == SERVER_METRICS && !o->metrics_url) ||
		    (side == SERVER_TO && !o->to_traces && !o->to_profiles))
			continue;
		options_side(o, side, &c);
		if (!check_login(o, &c, side, err) ||
		    !check_certificate(o, &c, side, err))
			return false;
	}
	return check_outputs(o, err);
}

const char *options_value_text(const struct option_form *form,
			       struct options *o, size_t i, char number[32])
{
	void *at = option_target(form, o);

	switch (form->row->kind) {
	case OPTION_FLAG:
		return NULL;
	case OPTION_DURATION:
		format_duration_option(*(int64_t *)at, number);
		return number;
	case OPTION_U64:
	case OPTION_SIZE:
		snprintf(number, 32, "%" PRIu64, *(uint64_t *)at);
		return number;
	case OPTION_INDEX:
		return form->row->words[*(int *)at];
	default:
		return ((const char **)at)[i];
	}
}

/* The list that is being filled; a failure of the arena is told at the end. */
struct argument_list {
	struct arena *arena;
	const char **items;
	size_t count;
	bool is_failed;
};

static void add_item(struct argument_list *list, struct str text)
{
	if (text.ptr)
		list->items[list->count++] = text.ptr;
	else
		list->is_failed = true;
}

static void add_value(struct argument_list *list, const char *name,
		      const char *value)
{
	add_item(list, value ? arena_printf(list->arena, "--%s=%s", name, value)
			     : arena_printf(list->arena, "--%s", name));
}

bool options_record_args(const struct options *o, const struct command *command,
			 struct arena *arena, const char *const **args,
			 size_t *count, struct error *err)
{
	struct argument_list list = { .arena = arena };
	/* Only read from, but option_target() serves both ways. */
	struct options values = *o;
	struct option_form form;
	bool has_dash = false;
	/* Forms, the lists of --map (the only one that is recorded) and
	 * --output, the command, "--" and the arguments. */
	size_t most = options_table.row_count * options_table.prefix_count +
		      LIMIT_HEADERS + LIMIT_OUTPUTS + LIMIT_ARGUMENTS + 2;

	list.items = arena_array(arena, most, sizeof *list.items);
	if (!list.items)
		return arena_fail(arena, "the recorded arguments", err);
	add_item(&list, str_from(command->name));
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		char name[OPTION_NAME_BYTES], number[32];
		size_t values_given;

		if (!is_given(o, &form) || form.row->store ||
		    form.row->flags & OPTION_LOCAL)
			continue;
		values_given = form.row->flags & OPTION_REPEATABLE
				       ? *option_target_count(&form, &values)
				       : 1;
		option_form_name(&form, name);
		for (size_t j = 0; j < values_given; j++)
			add_value(
				&list, name,
				options_value_text(&form, &values, j, number));
	}
	for (size_t i = 0; i < o->output_count; i++)
		if (!o->outputs[i].path)
			add_value(&list, "output", o->outputs[i].format);
	for (size_t i = 0; i < o->arg_count; i++)
		has_dash |= o->args[i][0] == '-' && o->args[i][1] != '\0';
	if (has_dash)
		add_item(&list, STR("--"));
	for (size_t i = 0; i < o->arg_count; i++)
		add_item(&list, arena_str(arena, str_from(o->args[i])));
	if (list.is_failed)
		return arena_fail(arena, "the recorded arguments", err);
	*args = list.items;
	*count = list.count;
	return true;
}
