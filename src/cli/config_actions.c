/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_actions.h"

#include <string.h>

#include "base/suggest.h"
#include "cli/config_edit.h"
#include "cli/config_import.h"
#include "cli/config_list.h"
#include "cli/config_value.h"
#include "cli/config_view.h"
#include "cli/message.h"
#include "cli/pages.h"
#include "wire/redact.h"

static bool need_path(const struct config_run *s, struct error *err)
{
	return s->config.user_path ||
	       error_set(err, ERROR_USAGE,
			 "there is no place for the configuration: neither "
			 "XDG_CONFIG_HOME nor HOME is set");
}

/* ---- list, get, view ---- */

static bool run_list(struct config_run *s, const char *const *args,
		     struct error *err)
{
	(void)args;
	(void)err;
	config_list(&s->config, &s->out);
	if (!s->config.user.context_count)
		message_info("no contexts in %s; for one: tracefind config set "
			     "--context NAME traces-url URL",
			     s->config.user_path ? s->config.user_path
						 : "any file");
	return true;
}

static bool run_get(struct config_run *s, const char *const *args,
		    struct error *err)
{
	return config_get(&s->config, args[0], &s->out, err);
}

static bool run_view(struct config_run *s, const char *const *args,
		     struct error *err)
{
	(void)args;
	return config_view(&s->config, s->given, s->given->origin, &s->out,
			   err);
}

/* ---- set, use ---- */

static bool run_set(struct config_run *s, const char *const *args,
		    struct error *err)
{
	const struct config_change change = { s->config.context, args[0],
					      args[1] };
	struct option_form form;

	if (!strcmp(args[0], "current-context"))
		return error_set(err, ERROR_USAGE,
				 "for that: tracefind config use %s", args[1]);
	return need_path(s, err) &&
	       config_key_find(CONFIG_USER, str_from(args[0]), &form, err) &&
	       config_value_check(&form, args[0], args[1], err) &&
	       (!change.context || context_name_check(change.context, err)) &&
	       config_edit_file(s->config.user_path, &change, 1, err);
}

static bool run_use(struct config_run *s, const char *const *args,
		    struct error *err)
{
	const struct config_change change = { NULL, "current-context",
					      args[0] };

	return need_path(s, err) &&
	       config_context_check(&s->config, args[0], err) &&
	       config_edit_file(s->config.user_path, &change, 1, err);
}

static bool run_import(struct config_run *s, const char *const *args,
		       struct error *err)
{
	if (strcmp(args[0], "grafana") != 0)
		return error_set(err, ERROR_USAGE,
				 "from '%s' nothing can be imported; "
				 "from Grafana: tracefind config import "
				 "grafana FILE",
				 value_quote(args[0]).text);
	return need_path(s, err) &&
	       config_import_grafana(&s->config, args[1], s->options.context,
				     &s->out, err);
}

/* ---- all of them ---- */

static const struct config_action actions[] = {
	{ "list", 0, "list", run_list, false, false },
	{ "get", 1, "get KEY", run_get, false, false },
	{ "set", 2, "set KEY VALUE", run_set, true, false },
	{ "use", 1, "use CONTEXT", run_use, true, false },
	{ "view", 0, "view [--origin]", run_view, false, true },
	{ "import", 2, "import grafana FILE", run_import, true, false },
};

const char *config_action_name(size_t i)
{
	return i < sizeof actions / sizeof *actions ? actions[i].name : NULL;
}

#define ACTION_COUNT (sizeof actions / sizeof *actions)

static bool fail_action(const char *name, struct error *err)
{
	struct suggestion near;
	struct buf names;

	if (!name)
		name = "";
	suggestion_init(&near, str_from(name));
	buf_init(&names, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < ACTION_COUNT; i++) {
		suggestion_offer(&near, actions[i].name);
		buf_addf(&names, "%s%s", i ? ", " : "", actions[i].name);
	}
	if (near.best[0])
		error_set(err, ERROR_USAGE,
			  "config cannot '%s'; did you mean %s?",
			  value_quote(name).text, near.best);
	else
		error_set(err, ERROR_USAGE, "what about the configuration? %s",
			  buf_text(&names));
	buf_release(&names);
	return false;
}

const struct config_action *config_action_find(const struct options *o,
					       struct error *err)
{
	for (size_t i = 0; o->arg_count && i < ACTION_COUNT; i++) {
		const struct config_action *a = &actions[i];

		if (strcmp(a->name, o->args[0]) != 0)
			continue;
		if (o->arg_count - 1 == a->args)
			return a;
		error_set(err, ERROR_USAGE, "usage is tracefind config %s",
			  a->usage);
		return NULL;
	}
	fail_action(o->arg_count ? o->args[0] : NULL, err);
	return NULL;
}
