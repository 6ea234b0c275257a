/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_view.h"

#include <stdio.h>
#include <string.h>

#include "backend/address.h"
#include "base/escape.h"
#include "cli/commands.h"
#include "cli/config_edit.h"
#include "cli/context.h"
#include "wire/redact.h"

/* The stages by which a value may have been set, the later ones over what the
 * earlier ones left open. */
struct view {
	const struct config *config;
	const struct options *given;  /* the command line */
	const struct options *around; /* and the environment */
	struct options all;           /* and the configuration */
	bool is_origin;
	struct out *out;
};

void config_value_show(struct out *out, const struct option_form *form,
		       const char *value)
{
	struct str text = str_from(value);
	struct buf shown;

	buf_init(&shown, LIMIT_OPTION_VALUE_BYTES * 4);
	if (form->row->flags & OPTION_SECRET) {
		struct str name = header_name(text);

		if (header_is_harmless(str_trim(name)))
			buf_add_str(&shown, text);
		else
			buf_addf(&shown, "%.*s: " REDACTED, STR_ARGS(name));
	} else if (str_find(text, STR("://")) != SIZE_MAX) {
		url_redact(&shown, text);
	} else {
		buf_add_str(&shown, text);
	}
	escape_terminal(out, buf_str(&shown));
	buf_release(&shown);
}

/* ---- origins ---- */

static void variable_name(const char *option, char out[OPTION_ORIGIN_BYTES])
{
	size_t len = (size_t)snprintf(out, OPTION_ORIGIN_BYTES, "TRACEFIND_%s",
				      option);

	for (size_t i = 0; i < len; i++)
		if (out[i] == '-')
			out[i] = '_';
		else if (out[i] >= 'a' && out[i] <= 'z')
			out[i] = (char)(out[i] - 'a' + 'A');
}

/* The entry that holds for a form: in the context, else before it. */
static const struct config_entry *entry_of(const struct config *c,
					   const struct option_form *form)
{
	const struct config_entry *e = NULL;

	if (c->context)
		e = config_file_find(&c->user, c->context, form);
	return e ? e : config_file_find(&c->user, NULL, form);
}

static bool origin_of_form(const struct view *v, const struct option_form *form,
			   char out[OPTION_ORIGIN_BYTES])
{
	const struct config_entry *e = entry_of(v->config, form);
	char name[OPTION_NAME_BYTES];

	option_form_name(form, name);
	if (options_given(v->given, name)) {
		snprintf(out, OPTION_ORIGIN_BYTES, "--%s", name);
	} else if (options_given(v->around, name)) {
		bool is_text = form->row->kind == OPTION_STRING &&
			       !(form->row->flags & OPTION_REPEATABLE);
		struct options around = *v->around;

		variable_name(name, out);
		if (is_text)
			options_origin(
				v->around,
				*(const char **)option_target(form, &around),
				name, out);
	} else if (e) {
		snprintf(out, OPTION_ORIGIN_BYTES, "%s:%u",
			 v->config->user.path, e->line);
	} else {
		return false;
	}
	return true;
}

/* A side's value may come from the form for both. */
static void find_origin(const struct view *v, const struct option_form *form,
			char out[OPTION_ORIGIN_BYTES])
{
	struct option_form common;

	if (origin_of_form(v, form, out))
		return;
	if (form->prefix->text[0] &&
	    option_form_find(&options_table, str_from(form->row->name),
			     &common) &&
	    origin_of_form(v, &common, out))
		return;
	snprintf(out, OPTION_ORIGIN_BYTES, "default");
}

/* ---- lines ---- */

/* Behind a ';', so that what is printed can be read as a configuration. */
static void end_line(struct view *v, const char *origin)
{
	if (v->is_origin) {
		out_text(v->out, "   ; ");
		escape_terminal(v->out, str_from(origin));
	}
	out_char(v->out, '\n');
}

static void write_value(struct view *v, const struct option_form *form,
			const char *value, const char *origin)
{
	char name[OPTION_NAME_BYTES];

	bool is_quoted = config_value_is_quoted(value);

	option_form_name(form, name);
	outf(v->out, "%s = %s", name, is_quoted ? "\"" : "");
	config_value_show(v->out, form, value);
	out_text(v->out, is_quoted ? "\"" : "");
	end_line(v, origin);
}

/* A list may come from several lines of the configuration. */
static const char *item_origin(const struct view *v, const char *value,
			       const char *origin,
			       char out[OPTION_ORIGIN_BYTES])
{
	const struct config_entry *e;
	const char *path;

	e = config_source(v->config, value, &path);
	if (!e)
		return origin;
	snprintf(out, OPTION_ORIGIN_BYTES, "%s:%u", path, e->line);
	return out;
}

static void write_form(struct view *v, const struct option_form *form,
		       struct options *values)
{
	bool is_list = form->row->flags & OPTION_REPEATABLE;
	size_t count = is_list ? *option_target_count(form, values) : 1;
	char origin[OPTION_ORIGIN_BYTES], own[OPTION_ORIGIN_BYTES];
	char number[32];

	find_origin(v, form, origin);
	for (size_t i = 0; i < count; i++) {
		const char *value;

		if (form->row->kind == OPTION_FLAG)
			value = *(bool *)option_target(form, values) ? "yes"
								     : "no";
		else
			value = options_value_text(form, values, i, number);
		if (value &&
		    (form->row->kind != OPTION_FLAG || value[0] == 'y' ||
		     strcmp(origin, "default") != 0))
			write_value(v, form, value,
				    item_origin(v, value, origin, own));
	}
}

static void write_secret(struct view *v, const char *key, const char *value)
{
	char variable[OPTION_ORIGIN_BYTES];

	if (!value)
		return;
	options_origin(v->around, value, key, variable);
	outf(v->out, "; %s is set", key);
	if (v->is_origin)
		outf(v->out, ": %s", variable);
	out_char(v->out, '\n');
}

static void write_secrets(struct view *v, enum server_side side,
			  const struct connection_options *c)
{
	char key[OPTION_NAME_BYTES];

	snprintf(key, sizeof key, "%s-token", server_side_name(side));
	write_secret(v, key, c->token);
	snprintf(key, sizeof key, "%s-password", server_side_name(side));
	write_secret(v, key, c->password);
}

/* The first that is tried, and the next. */
static void write_default_traces(struct view *v)
{
	const struct backends none = { .traces.is_default = true };
	struct trace_candidate list[TRACE_CANDIDATES];
	size_t count = backends_trace_candidates(&none, list);
	struct buf origin;

	buf_init(&origin, LIMIT_ERROR_BYTES);
	buf_add_text(&origin, "default");
	for (size_t i = 1; i < count; i++)
		buf_addf(&origin, ", else %s", list[i].endpoint.url);
	outf(v->out, "traces-url = %s", list[0].endpoint.url);
	end_line(v, buf_text(&origin));
	buf_release(&origin);
}

/* Of a side that a project of the traces is one of, too. */
static void write_default(struct view *v, enum server_side side,
			  const struct backend_row *row)
{
	const char *url = address_beside_traces(v->all.traces_url, NULL);

	if (options_url(&v->all, side))
		return;
	outf(v->out, "%s-url = %s", server_side_name(side),
	     url ? url : row->default_url);
	end_line(v, url ? "default, as traces-url" : "default");
}

static void write_defaults(struct view *v)
{
	if (!v->all.traces_url)
		write_default_traces(v);
	write_default(v, SERVER_PROFILES, profiles_row(NULL));
	write_default(v, SERVER_METRICS, metrics_row());
}

static void write_all(struct view *v)
{
	struct options values = v->all;
	struct option_form form;

	for (int side = 0; side < SERVER_SIDES; side++)
		options_side(&v->all, (enum server_side)side,
			     &values.sides[side]);
	if (v->config->context)
		outf(v->out, "; context %s\n", v->config->context);
	write_defaults(v);
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		bool is_sided = form.row->flags & OPTION_SIDED;

		if (form.row->flags & (OPTION_CONFIG | OPTION_REPOSITORY) &&
		    is_sided == (form.prefix->text[0] != '\0') &&
		    !form.prefix->is_apart)
			write_form(v, &form, &values);
	}
	for (int side = 0; side < SERVER_TO; side++)
		write_secrets(v, (enum server_side)side, &values.sides[side]);
}

bool config_view(const struct config *c, const struct options *given,
		 bool is_origin, struct out *out, struct error *err)
{
	struct options around = *given;
	struct view v = { .config = c,
			  .given = given,
			  .around = &around,
			  .is_origin = is_origin,
			  .out = out };

	if (!options_environment(&around, err))
		return false;
	around.config = NULL;
	v.all = around;
	v.all.arg_count = 0;
	/* For a command that would take a repository's service. */
	if (!config_apply(c, command_find(STR("profile")), &v.all, err))
		return false;
	v.all.config = c;
	write_all(&v);
	return true;
}
