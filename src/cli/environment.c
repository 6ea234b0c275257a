/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/optparse.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/message.h"
#include "cli/options.h"

/* POSIX leaves it to the program to declare it. */
extern char **environ;

static const char *environment_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool has_file(const struct side_settings *c)
{
	return c->password_file || c->token_file;
}

static bool has_any_price(const struct options *o)
{
	return o->price_cpu || o->price_memory || o->price_request ||
	       o->price_note || o->currency || o->prices;
}

/* The command line wins, in the side's own form or the common one: an
 * environment meant for another server must not mix in. */
bool options_settled(const struct options *before,
		     const struct option_form *form)
{
	const struct side_settings *side =
		(const void *)((const char *)before + form->prefix->offset);
	struct str name = str_from(form->row->name);

	if (options_form_given(before, form))
		return true;
	/* Those of one place are taken together: a price in one currency does
	 * not go with one in another. */
	if ((str_starts(name, STR("price")) ||
	     str_equal(name, STR("currency"))) &&
	    has_any_price(before))
		return true;
	return words_have("password-file token-file token-command", name) &&
	       ((side_has_secret(&before->common) && !form->prefix->is_apart) ||
		side_has_secret(side));
}

static bool read_form(struct options *o, const struct options *before,
		      const struct option_form *form, struct error *err)
{
	char option[OPTION_NAME_BYTES], variable[OPTION_VARIABLE_BYTES];
	const char *value;

	option_form_name(form, option);
	option_variable_name(option, variable);
	value = environment_get(variable);
	if (!value || options_settled(before, form))
		return true;
	if (!option_store(form, value, false, variable, o, err))
		return false;
	options_mark(o, form);
	return true;
}

static bool read_options(struct options *o, const struct options *before,
			 struct error *err)
{
	struct option_form form;

	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		bool is_sided = form.row->flags & OPTION_SIDED;

		if (!(form.row->flags & OPTION_ENVIRONMENT) ||
		    (form.prefix->text[0] && !is_sided))
			continue;
		if (!read_form(o, before, &form, err))
			return false;
	}
	return true;
}

/* A secret itself is never an option, only the file that holds it. side NULL:
 * the one of all sides. */
static void read_secret(const char *side, const char *what,
			const struct side_settings *common,
			const struct side_settings *own,
			const char **secret)
{
	char option[OPTION_NAME_BYTES], variable[OPTION_VARIABLE_BYTES];

	snprintf(option, sizeof option, "%s%s%s", side ? side : "",
		 side ? "-" : "", what);
	option_variable_name(option, variable);
	if (!has_file(common) && !has_file(own))
		*secret = environment_get(variable);
}

static void read_secrets(struct options *o, const struct options *before)
{
	const struct side_settings *common = &before->common;

	read_secret(NULL, "token", common, common, &o->common.token);
	read_secret(NULL, "password", common, common, &o->common.password);
	for (int side = 0; side < SERVER_SIDES; side++) {
		const struct side_settings *own = &before->sides[side];
		const char *name = server_side_name((enum server_side)side);

		if (side == SERVER_TO)
			common = own;
		read_secret(name, "token", common, own, &o->sides[side].token);
		read_secret(name, "password", common, own,
			    &o->sides[side].password);
	}
}

/* As if its option were given, so that a case file keeps it. */
static void fall_back(struct options *o, const char **value, const char *common,
		      const char *variable, const char *option)
{
	struct option_form form;

	if (*value || common)
		return;
	*value = environment_get(variable);
	if (*value && option_form_find(&options_table, str_from(option), &form))
		options_mark(o, &form);
}

/* Those who use Pyroscope's own command line have these set already. */
static void read_profilecli(struct options *o)
{
	struct side_settings *own = &o->sides[SERVER_PROFILES];
	const struct side_settings *common = &o->common;

	fall_back(o, &o->profiles_url, NULL, "PROFILECLI_URL", "profiles-url");
	fall_back(o, &own->tenant_id, common->tenant_id, "PROFILECLI_TENANT_ID",
		  "profiles-tenant-id");
	if (side_has_secret(own) || side_has_secret(common))
		return;
	own->token = environment_get("PROFILECLI_TOKEN");
	if (own->token)
		return;
	fall_back(o, &own->username, common->username, "PROFILECLI_USERNAME",
		  "profiles-username");
	own->password = environment_get("PROFILECLI_PASSWORD");
}

static struct str without_prefix(const char *variable)
{
	return str_from(variable + sizeof OPTION_VARIABLE_PREFIX - 1);
}

static const char *const secrets[] = { "token", "password" };

/* Judges the name of a variable, as "TRACES_URL" of TRACEFIND_TRACES_URL:
 * *is_known, or the nearest one. */
static void judge_name(struct str name, struct suggestion *near, bool *is_known)
{
	char variable[OPTION_VARIABLE_BYTES], option[OPTION_NAME_BYTES];
	struct option_form form;

	*is_known = str_equal(name, STR("NOW")) || str_equal(name, STR("PAGER"));
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		if (!(form.row->flags & OPTION_ENVIRONMENT))
			continue;
		option_form_name(&form, option);
		option_variable_name(option, variable);
		*is_known |= str_equal(name, without_prefix(variable));
		suggestion_offer_text(near, without_prefix(variable));
	}
	for (int side = -1; side < SERVER_SIDES; side++)
		for (size_t i = 0; i < COUNT_OF(secrets); i++) {
			const char *own =
				side < 0 ? ""
					 : server_side_name(
						   (enum server_side)side);

			snprintf(option, sizeof option, "%s%s%s", own,
				 side < 0 ? "" : "-", secrets[i]);
			option_variable_name(option, variable);
			*is_known |= str_equal(name, without_prefix(variable));
			suggestion_offer_text(near, without_prefix(variable));
		}
}

/* Else a server that was named by a slip is not asked, and another is. */
static void tell_slips(void)
{
	for (char **at = environ; at && *at; at++) {
		struct str line = str_from(*at);
		struct str name = str_slice(line, 0, str_until(line, 0, '='));
		struct suggestion near;
		bool is_known;

		if (!str_starts(name, STR(OPTION_VARIABLE_PREFIX)))
			continue;
		name = str_slice(name, sizeof OPTION_VARIABLE_PREFIX - 1,
				 name.len);
		suggestion_init(&near, name);
		judge_name(name, &near, &is_known);
		if (!is_known && near.best[0])
			message_info("%s%s is not read; did you mean %s%s?",
				     OPTION_VARIABLE_PREFIX,
				     text_quote(name).text,
				     OPTION_VARIABLE_PREFIX, near.best);
	}
}

bool options_environment(struct options *o, struct error *err)
{
	const struct options before = *o;

	if (!o->quiet)
		tell_slips();
	if (!read_options(o, &before, err))
		return false;
	read_secrets(o, &before);
	read_profilecli(o);
	o->now = environment_get("TRACEFIND_NOW");
	return true;
}

/* Values are borrowed, so the place tells where they came from. */
void options_origin(const struct options *o, const char *value,
		    const char *option, char out[OPTION_ORIGIN_BYTES])
{
	const struct config_entry *entry = NULL;
	const char *path = NULL;

	static const char *const others[] = {
		"PROFILECLI_URL",      "PROFILECLI_TENANT_ID",
		"PROFILECLI_USERNAME", "PROFILECLI_PASSWORD",
		"PROFILECLI_TOKEN",    "TRACEFIND_TOKEN",
		"TRACEFIND_PASSWORD",
	};
	char variable[OPTION_VARIABLE_BYTES];

	if (o->config)
		entry = config_source(o->config, value, &path);
	if (entry) {
		snprintf(out, OPTION_ORIGIN_BYTES, "%s:%u", path, entry->line);
		return;
	}
	option_variable_name(option, variable);
	if (value == getenv(variable)) {
		snprintf(out, OPTION_ORIGIN_BYTES, "%s", variable);
		return;
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (value == getenv(others[i])) {
			snprintf(out, OPTION_ORIGIN_BYTES, "%s", others[i]);
			return;
		}
	snprintf(out, OPTION_ORIGIN_BYTES, "--%s", option);
}

void options_side_origin(const struct options *o, enum server_side side,
			 const char *value, const char *common,
			 const char *option, char out[OPTION_ORIGIN_BYTES])
{
	const struct config_entry *entry = NULL;
	char name[OPTION_NAME_BYTES];
	const char *path = NULL;

	snprintf(name, sizeof name, "%s%s%s",
		 value == common ? "" : server_side_name(side),
		 value == common ? "" : "-", option);
	if (o->config)
		entry = config_source(o->config, value, &path);
	if (!entry) {
		options_origin(o, value, name, out);
		return;
	}
	option_form_name(&entry->form, name);
	snprintf(out, OPTION_ORIGIN_BYTES, "%s:%u: %s", path, entry->line,
		 name);
}

/* ---- the end ---- */

void environment_wipe(void)
{
	for (char **at = environ; at && *at; at++) {
		struct str line = str_from(*at);
		size_t equals = str_find(line, STR("="));
		struct str name = str_slice(line, 0, equals);
		/* Headers and addresses hold secrets, too. */
		bool may_be_secret =
			str_starts(name, STR(OPTION_VARIABLE_PREFIX)) ||
			str_starts(name, STR("PROFILECLI_")) ||
			str_ends(name, STR("_proxy")) ||
			str_ends(name, STR("_PROXY"));

		if (equals != SIZE_MAX && may_be_secret)
			mem_wipe(*at + equals + 1, line.len - equals - 1);
	}
}
