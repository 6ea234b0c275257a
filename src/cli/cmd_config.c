/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/address.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/optparse.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/pages.h"

/* The values in force for a run, and where each comes from. */

/* The stages by which a value may have been set, the later ones over what the
 * earlier ones left open. */
struct config_shown {
	const struct config *config;
	const struct options *given;  /* the command line */
	const struct options *around; /* and the environment */
	struct options all;           /* and the configuration */
	bool is_origin;
	struct out *out;
};

/* "[redacted]" in place of what a value may hide: user info in a URL, the
 * value of a header that is not known to be harmless. */
static void config_value_show(struct out *out, const struct option_form *form,
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

static bool origin_of_form(const struct config_shown *v,
			   const struct option_form *form,
			   char out[OPTION_ORIGIN_BYTES])
{
	const struct config *c = v->config;
	const struct config_entry *e = NULL;
	char name[OPTION_NAME_BYTES];

	/* What holds: the entry in the context, else the one before it. */
	if (c->context)
		e = config_file_find(&c->user, c->context, form);
	if (!e)
		e = config_file_find(&c->user, NULL, form);
	option_form_name(form, name);
	if (options_given(v->given, name)) {
		snprintf(out, OPTION_ORIGIN_BYTES, "--%s", name);
	} else if (options_given(v->around, name)) {
		bool is_text = form->row->kind == OPTION_STRING &&
			       !(form->row->flags & OPTION_REPEATABLE);
		struct options around = *v->around;

		option_variable_name(name, out);
		if (is_text)
			options_origin(
				v->around,
				*(const char **)option_target(form, &around),
				name, out);
	} else if (e) {
		snprintf(out, OPTION_ORIGIN_BYTES, "%s:%u", c->user.path,
			 e->line);
	} else {
		return false;
	}
	return true;
}

/* A side's value may come from the form for both. */
static void find_origin(const struct config_shown *v,
			const struct option_form *form,
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
static void end_line(struct config_shown *v, const char *origin)
{
	if (v->is_origin) {
		out_text(v->out, "   ; ");
		escape_terminal(v->out, str_from(origin));
	}
	out_char(v->out, '\n');
}

static void write_form(struct config_shown *v, const struct option_form *form,
		       struct options *values)
{
	bool is_list = form->row->flags & OPTION_REPEATABLE;
	bool is_flag = form->row->kind == OPTION_FLAG;
	size_t count = is_list ? *option_target_count(form, values) : 1;
	char origin[OPTION_ORIGIN_BYTES], own[OPTION_ORIGIN_BYTES];
	char name[OPTION_NAME_BYTES], number[32];

	option_form_name(form, name);
	find_origin(v, form, origin);
	for (size_t i = 0; i < count; i++) {
		const struct config_entry *e;
		const char *value, *path, *quote;

		if (is_flag)
			value = *(bool *)option_target(form, values) ? "yes"
								     : "no";
		else
			value = options_value_text(form, values, i, number);
		if (!value ||
		    (is_flag && value[0] != 'y' && !strcmp(origin, "default")))
			continue;
		/* A list may come from several lines of the configuration. */
		e = config_source(v->config, value, &path);
		if (e)
			snprintf(own, sizeof own, "%s:%u", path, e->line);
		quote = config_value_is_quoted(value) ? "\"" : "";
		outf(v->out, "%s = %s", name, quote);
		config_value_show(v->out, form, value);
		out_text(v->out, quote);
		end_line(v, e ? own : origin);
	}
}

static void write_secret(struct config_shown *v, const char *key,
			 const char *value)
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

/* The first that is tried, and the next. */
static void write_default_traces(struct config_shown *v)
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

/* Writes the default of a side, also of one that the project of the traces has.
 */
static void write_default(struct config_shown *v, enum server_side side,
			  const struct backend_row *row)
{
	const char *url = address_beside_traces(v->all.traces_url, NULL);

	if (options_url(&v->all, side))
		return;
	outf(v->out, "%s-url = %s", server_side_name(side),
	     url ? url : row->default_url);
	end_line(v, url ? "default, as traces-url" : "default");
}

static void write_all(struct config_shown *v)
{
	struct options values = v->all;
	struct option_form form;

	for (int side = 0; side < SERVER_SIDES; side++)
		options_side(&v->all, (enum server_side)side,
			     &values.sides[side]);
	if (v->config->context)
		outf(v->out, "; context %s\n", v->config->context);
	if (!v->all.traces_url)
		write_default_traces(v);
	write_default(v, SERVER_PROFILES, profiles_row(NULL));
	write_default(v, SERVER_METRICS, metrics_row());
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		bool is_sided = form.row->flags & OPTION_SIDED;

		if (form.row->flags & (OPTION_CONFIG | OPTION_REPOSITORY) &&
		    is_sided == (form.prefix->text[0] != '\0') &&
		    !form.prefix->is_apart)
			write_form(v, &form, &values);
	}
	for (int side = 0; side < SERVER_TO; side++) {
		const char *name = server_side_name((enum server_side)side);
		char key[OPTION_NAME_BYTES];

		snprintf(key, sizeof key, "%s-token", name);
		write_secret(v, key, values.sides[side].token);
		snprintf(key, sizeof key, "%s-password", name);
		write_secret(v, key, values.sides[side].password);
	}
}

/* Writes "key = value" lines of all that option, environment and configuration
 * set, and of defaults; with is_origin each with its origin. `given` are the
 * options as the command line left them. Secrets are not written. */
static bool config_view(const struct config *c, const struct options *given,
			bool is_origin, struct out *out, struct error *err)
{
	struct options around = *given;
	struct config_shown v = { .config = c,
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

/* The output of `tracefind config list` and `get` about the configuration's
 * files. */

static const char *url_of(const struct config *c, const char *context,
			  const char *key, struct option_form *form)
{
	const struct config_entry *e;

	if (!option_form_find(&options_table, str_from(key), form))
		return NULL;
	e = config_file_find(&c->user, context, form);
	if (!e)
		e = config_file_find(&c->user, NULL, form);
	return e ? e->value : NULL;
}

/* Columns of the longest name and the longest address of traces. */
struct widths {
	size_t name;
	size_t url;
};

static void columns_widen(size_t *columns, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (*columns < len)
		*columns = len;
}

static void list_context(const struct config *c, const char *name,
			 const struct widths *w, struct out *out)
{
	bool is_used = c->context && !strcmp(c->context, name);
	struct option_form form;
	const char *url;

	url = url_of(c, name, "traces-url", &form);
	outf(out, "%c %-*s  ", is_used ? '*' : ' ', (int)w->name, name);
	config_value_show(out, &form, url ? url : "-");
	out_repeat(out, " ", w->url - strlen(url ? url : "-") + 2);
	url = url_of(c, name, "profiles-url", &form);
	config_value_show(out, &form, url ? url : "-");
	out_char(out, '\n');
}

/* All contexts with the addresses of their servers, the one in force marked. */
static void config_list(const struct config *c, struct out *out)
{
	const struct config_file *f = &c->user;
	struct widths w = { 0, 1 };
	struct option_form form;

	for (size_t i = 0; i < f->context_count; i++) {
		const char *name = f->contexts[i].name;

		columns_widen(&w.name, name);
		columns_widen(&w.url, url_of(c, name, "traces-url", &form));
	}
	for (size_t i = 0; i < f->context_count; i++)
		list_context(c, f->contexts[i].name, &w, out);
}

static size_t print_values(const struct config *c, const char *context,
			   const struct option_form *form, struct out *out)
{
	const struct config_file *f = &c->user;
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct config_entry *e = &f->entries[i];
		bool is_here =
			context ? e->context && !strcmp(e->context, context)
				: !e->context;

		if (!is_here || e->form.number != form->number)
			continue;
		/* Without a list the last one counts. */
		if (!(form->row->flags & OPTION_REPEATABLE) &&
		    e != config_file_find(f, context, form))
			continue;
		config_value_show(out, form, e->value);
		out_char(out, '\n');
		count++;
	}
	return count;
}

/* The values of a key in the context in force, else before all contexts.
 * ERROR_NOT_FOUND when it is not set. */
static bool config_get(const struct config *c, const char *key, struct out *out,
		       struct error *err)
{
	const char *context = c->context;
	struct option_form form;

	if (!strcmp(key, "current-context")) {
		if (!context)
			return error_set(err, ERROR_NOT_FOUND,
					 "no context is active");
		outf(out, "%s\n", context);
		return true;
	}
	if (!config_key_find(CONFIG_USER, str_from(key), &form, err))
		return false;
	if ((context && print_values(c, context, &form, out)) ||
	    print_values(c, NULL, &form, out))
		return true;
	return error_set(err, ERROR_NOT_FOUND, "%s is not set%s%s", key,
			 context ? " in context " : "", context ? context : "");
}

/* The actions of `tracefind config`: init, list, get, set, unset, use, view,
 * import. */

/* One run of the command. given: before the environment. */
struct config_run {
	struct config config;
	const struct options *given;
	struct options options;
	struct out out;
};

static bool need_path(const struct config_run *s, struct error *err)
{
	return s->config.user_path ||
	       error_set(err, ERROR_USAGE,
			 "no folder for the configuration: set HOME or "
			 "XDG_CONFIG_HOME");
}

/* ---- list, get, view ---- */

static bool run_list(struct config_run *s, const char *const *args,
		     struct error *err)
{
	(void)args;
	(void)err;
	config_list(&s->config, &s->out);
	if (!s->config.user.context_count)
		message_info("no contexts in %s; to create one: tracefind "
			     "config set --context NAME traces-url URL",
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
				 "to switch contexts: tracefind config use "
				 "%s", args[1]);
	return need_path(s, err) &&
	       config_key_find(CONFIG_USER, str_from(args[0]), &form, err) &&
	       config_value_check(&form, args[0], args[1], err) &&
	       (!change.context || context_name_check(change.context, err)) &&
	       config_edit_file(s->config.user_path, &change, 1, err);
}

static bool run_unset(struct config_run *s, const char *const *args,
		      struct error *err)
{
	bool is_current = !strcmp(args[0], "current-context");
	const struct config_change change = {
		is_current ? NULL : s->config.context, args[0], NULL
	};

	return need_path(s, err) &&
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

/* ---- init ---- */

static const struct {
	const char *key;
	const char *question;
	const char *usual; /* where one is by default */
} questions[] = {
	{ "traces-url", "Where is your Tempo, Jaeger or Zipkin?",
	  "http://localhost:3200" },
	{ "profiles-url", "Where is your Pyroscope or Parca?",
	  "http://localhost:4040" },
	{ "metrics-url", "Where is your Prometheus?", "http://localhost:9090" },
};

#define QUESTIONS COUNT_OF(questions)

/* No address is longer. */
#define ANSWER_BYTES 2048u

static bool put_question(size_t i, const struct option_form *form,
			 const char *now, struct error *err)
{
	struct out out;
	bool is_done;

	if (!out_init_fd(&out, STDERR_FILENO, err))
		return false;
	outf(&out, "%s [", questions[i].question);
	config_value_show(&out, form, now ? now : questions[i].usual);
	out_text(&out, "] ");
	is_done = out_finish(&out, "the terminal", err);
	out_release(&out);
	return is_done;
}

/* Without its end; false: there is none, or it was too long. */
static bool read_line(char line[ANSWER_BYTES])
{
	size_t len = 0;
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1) {
		if (c == '\n') {
			line[min_size(len, ANSWER_BYTES - 1)] = '\0';
			return len < ANSWER_BYTES;
		}
		if (len < ANSWER_BYTES)
			line[len++] = c;
	}
	return false;
}

/* Until it is understood; an empty answer leaves what is in force. */
static bool overwrite_confirm(const struct config_run *s, size_t i,
			      char answer[ANSWER_BYTES], struct error *err)
{
	const char *key = questions[i].key;
	struct option_form form;
	const char *now = url_of(&s->config, s->config.context, key, &form);
	struct error wrong;

	for (;;) {
		if (!put_question(i, &form, now, err))
			return false;
		if (!read_line(answer))
			return error_set(err, ERROR_USAGE,
					 "no answer, so nothing was written");
		if (!answer[0] ||
		    config_value_check(&form, key, answer, &wrong))
			return true;
		message_error(&wrong);
	}
}

static bool run_init(struct config_run *s, const char *const *args,
		     struct error *err)
{
	char answers[QUESTIONS][ANSWER_BYTES];
	struct config_change changes[QUESTIONS];
	size_t count = 0;

	(void)args;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return error_set(err, ERROR_USAGE,
				 "config init needs a terminal; without one: "
				 "tracefind config set traces-url URL");
	if (!need_path(s, err) ||
	    (s->config.context && !context_name_check(s->config.context, err)))
		return false;
	for (size_t i = 0; i < QUESTIONS; i++) {
		if (!overwrite_confirm(s, i, answers[i], err))
			return false;
		if (answers[i][0])
			changes[count++] = (struct config_change){
				s->config.context, questions[i].key, answers[i],
				false
			};
	}
	if (count &&
	    !config_edit_file(s->config.user_path, changes, count, err))
		return false;
	message_info("%s %s; check the servers with: tracefind doctor",
		     count ? "written to" : "nothing new for",
		     s->config.user_path);
	return true;
}

/* ---- import ---- */

static bool run_import(struct config_run *s, const char *const *args,
		       struct error *err)
{
	if (strcmp(args[0], "grafana") != 0)
		return error_set(err, ERROR_USAGE,
				 "cannot import from '%s'; from Grafana: "
				 "tracefind config import grafana FILE",
				 value_quote(args[0]).text);
	return need_path(s, err) &&
	       config_import_grafana(&s->config, args[1], s->options.context,
				     &s->out, err);
}

/* ---- all of them ---- */

struct config_action {
	const char *name;
	size_t args; /* behind the name */
	const char *usage;
	bool (*run)(struct config_run *s, const char *const *args,
		    struct error *err);
	bool is_change;    /* of the user's file */
	bool takes_origin; /* --origin */
};

static const struct config_action actions[] = {
	{ "init", 0, "init", run_init, true, false },
	{ "list", 0, "list", run_list, false, false },
	{ "get", 1, "get KEY", run_get, false, false },
	{ "set", 2, "set KEY VALUE", run_set, true, false },
	{ "unset", 1, "unset KEY", run_unset, true, false },
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
			  "unknown action '%s' of config; did you mean %s?",
			  value_quote(name).text, near.best);
	else if (*name)
		error_set(err, ERROR_USAGE,
			  "unknown action '%s' of config (one of %s)",
			  value_quote(name).text, buf_text(&names));
	else
		error_set(err, ERROR_USAGE, "no action given: one of %s",
			  buf_text(&names));
	buf_release(&names);
	return false;
}

/* The action that the arguments name; NULL with ERROR_USAGE: none. */
static const struct config_action *config_action_find(const struct options *o,
						      struct error *err)
{
	for (size_t i = 0; o->arg_count && i < ACTION_COUNT; i++) {
		const struct config_action *a = &actions[i];

		if (strcmp(a->name, o->args[0]) != 0)
			continue;
		if (o->arg_count - 1 == a->args)
			return a;
		error_set(err, ERROR_USAGE, "usage: tracefind config %s",
			  a->usage);
		return NULL;
	}
	fail_action(o->arg_count ? o->args[0] : NULL, err);
	return NULL;
}

static bool action_run(struct config_run *s, struct error *err)
{
	const struct config_action *a = config_action_find(s->given, err);

	if (!a)
		return false;
	if (s->given->origin && !a->takes_origin)
		return error_set(err, ERROR_USAGE,
				 "--origin is for tracefind config view");
	if (!options_environment(&s->options, err))
		return false;
	/* set and import make the context they name, and use mends one that is
	 * wrong. */
	if (a->is_change) {
		if (!config_load_user(&s->config, err))
			return false;
		s->config.context = s->options.context ? s->options.context
						       : s->config.user.current;
	} else if (!config_load(&s->config, &s->options, err)) {
		return false;
	}
	return a->run(s, s->given->args + 1, err);
}

int cmd_config(const struct options *o)
{
	struct error err = { 0 };
	struct config_run s = { .given = o, .options = *o };
	bool done;

	config_init(&s.config);
	if (!out_init_fd(&s.out, STDOUT_FILENO, &err)) {
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = action_run(&s, &err);
	if (done && !out_finish(&s.out, "standard output", &err) &&
	    !out_is_broken_pipe(&s.out))
		done = false;
	if (!done && err.code != ERROR_NONE)
		message_error(&err);
	out_release(&s.out);
	config_release(&s.config);
	return done ? 0 : error_exit_code(err.code);
}
