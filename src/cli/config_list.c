/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_list.h"

#include <string.h>

#include "cli/config_view.h"

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

static void widen(size_t *columns, const char *text)
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

void config_list(const struct config *c, struct out *out)
{
	const struct config_file *f = &c->user;
	struct widths w = { 0, 1 };
	struct option_form form;

	for (size_t i = 0; i < f->context_count; i++) {
		const char *name = f->contexts[i].name;

		widen(&w.name, name);
		widen(&w.url, url_of(c, name, "traces-url", &form));
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

bool config_get(const struct config *c, const char *key, struct out *out,
		struct error *err)
{
	const char *context = c->context;
	struct option_form form;

	if (!strcmp(key, "current-context")) {
		if (!context)
			return error_set(err, ERROR_NOT_FOUND,
					 "no context is in force");
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
