/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/suggest.h"
#include "cli/config_edit.h"
#include "cli/config_import.h"
#include "cli/config_list.h"
#include "cli/config_value.h"
#include "cli/config_view.h"
#include "cli/message.h"
#include "cli/pages.h"
#include "wire/redact.h"

/* One run of the command. given: before the environment. */
struct setup {
	struct config config;
	const struct options *given;
	struct options options;
	struct out out;
};

struct action {
	const char *name;
	size_t args; /* behind the name */
	const char *usage;
	bool (*run)(struct setup *s, const char *const *args,
		    struct error *err);
};

static bool need_path(const struct setup *s, struct error *err)
{
	return s->config.user_path ||
	       error_set(err, ERROR_USAGE,
			 "there is no place for the configuration: neither "
			 "XDG_CONFIG_HOME nor HOME is set");
}

/* ---- list, get, view ---- */

static bool run_list(struct setup *s, const char *const *args,
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

static bool run_get(struct setup *s, const char *const *args, struct error *err)
{
	return config_get(&s->config, args[0], &s->out, err);
}

static bool run_view(struct setup *s, const char *const *args,
		     struct error *err)
{
	(void)args;
	return config_view(&s->config, s->given, s->given->origin, &s->out,
			   err);
}

/* ---- set, use ---- */

static bool run_set(struct setup *s, const char *const *args, struct error *err)
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

static bool run_use(struct setup *s, const char *const *args, struct error *err)
{
	const struct config_change change = { NULL, "current-context",
					      args[0] };

	return need_path(s, err) &&
	       config_context_check(&s->config, args[0], err) &&
	       config_edit_file(s->config.user_path, &change, 1, err);
}

static bool run_import(struct setup *s, const char *const *args,
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

/* ---- the command ---- */

static const struct action actions[] = {
	{ "list", 0, "list", run_list },
	{ "get", 1, "get KEY", run_get },
	{ "set", 2, "set KEY VALUE", run_set },
	{ "use", 1, "use CONTEXT", run_use },
	{ "view", 0, "view [--origin]", run_view },
	{ "import", 2, "import grafana FILE", run_import },
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

static const struct action *find_action(const struct options *o,
					struct error *err)
{
	for (size_t i = 0; o->arg_count && i < ACTION_COUNT; i++) {
		const struct action *a = &actions[i];

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

/* set and import make the context they name, and use mends one that is wrong.
 */
static bool load(struct setup *s, const struct action *a, struct error *err)
{
	bool is_change =
		a->run != run_list && a->run != run_get && a->run != run_view;

	if (!options_environment(&s->options, err))
		return false;
	if (!is_change)
		return config_load(&s->config, &s->options, err);
	if (!config_load_user(&s->config, err))
		return false;
	s->config.context = s->options.context ? s->options.context
					       : s->config.user.current;
	return true;
}

static bool run(struct setup *s, struct error *err)
{
	const struct action *a = find_action(s->given, err);

	if (!a)
		return false;
	if (s->given->origin && a->run != run_view)
		return error_set(err, ERROR_USAGE,
				 "--origin is for tracefind config view");
	return load(s, a, err) && a->run(s, s->given->args + 1, err);
}

int cmd_config(const struct options *o)
{
	struct error err = { 0 };
	struct setup s = { .given = o, .options = *o };
	bool done;

	config_init(&s.config);
	if (!out_init_fd(&s.out, STDOUT_FILENO, &err)) {
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = run(&s, &err);
	if (done && !out_finish(&s.out, "standard output", &err) &&
	    !out_is_broken_pipe(&s.out))
		done = false;
	if (!done && err.code != ERROR_NONE)
		message_error(&err);
	out_release(&s.out);
	config_release(&s.config);
	return done ? 0 : error_exit_code(err.code);
}
