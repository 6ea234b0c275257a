/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/address.h"
#include "backend/source.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "wire/redact.h"
#include "wire/url.h"

#define REPOSITORY_FILE ".tracefind"

/* ---- finding and reading ---- */

/* XDG Base Directory Specification: a relative path counts as not set. */
static bool find_user_path(struct config *c, struct error *err)
{
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	struct str path;

	if (base && *base == '/')
		path = arena_printf(&c->arena, "%s/tracefind/config", base);
	else if (home && *home)
		path = arena_printf(&c->arena, "%s/.config/tracefind/config",
				    home);
	else
		return true;
	c->user_path = path.ptr;
	return path.ptr || arena_fail(&c->arena, "the configuration", err);
}

static bool read_file(struct config *c, struct config_file *f,
		      enum config_kind kind, const char *path,
		      struct error *err)
{
	struct buf text;
	bool is_done;

	buf_init(&text, LIMIT_CONFIG_BYTES);
	is_done = file_read(path, &text, err) &&
		  config_file_parse(f, kind, path, buf_str(&text), &c->arena,
				    err);
	buf_wipe(&text);
	buf_release(&text);
	return is_done;
}

/* A pipe of that name would hold up every run. */
static bool is_plain_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A command in a file that others may write to is theirs. */
static bool check_commands(const struct config_file *f, const struct stat *st,
			   struct error *err)
{
	bool is_ours = (st->st_uid == geteuid() || st->st_uid == 0) &&
		       !(st->st_mode & 022);

	for (size_t i = 0; i < f->count && !is_ours; i++)
		if (!strcmp(f->entries[i].form.row->name, "token-command"))
			return error_set(err, ERROR_USAGE,
					 "%s:%u: token-command: others may "
					 "write to this file, so it is not "
					 "run: chmod 600 it",
					 f->path, f->entries[i].line);
	return true;
}

static bool read_user(struct config *c, struct error *err)
{
	struct stat st;

	if (!find_user_path(c, err))
		return false;
	c->user.path = c->user_path;
	if (!c->user_path)
		return true;
	/* A home of /dev/null, as services have it, is none. */
	if (stat(c->user_path, &st))
		return file_is_absent(errno) ||
		       file_fail_read(c->user_path, errno, err);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "%s is no file: no configuration can be read "
				 "there",
				 c->user_path);
	return read_file(c, &c->user, CONFIG_USER, c->user_path, err) &&
	       check_commands(&c->user, &st, err);
}

static bool is_root(const char *folder)
{
	char path[PATH_MAX];
	struct stat st;
	int len = snprintf(path, sizeof path, "%s/.git", folder);

	return len > 0 && (size_t)len < sizeof path && stat(path, &st) == 0;
}

/* The nearest file from the working folder up to the repository's root.
 * Without a root none counts: /tmp is everybody's. */
static bool find_repository_file(char path[PATH_MAX])
{
	char folder[PATH_MAX];
	bool is_found = false;

	if (!getcwd(folder, sizeof folder) || folder[0] != '/')
		return false;
	for (unsigned i = 0; i < LIMIT_FOLDER_DEPTH; i++) {
		char here[PATH_MAX];
		int len = snprintf(here, sizeof here, "%s/" REPOSITORY_FILE,
				   folder);

		if (!is_found && len > 0 && (size_t)len < sizeof here &&
		    is_plain_file(here)) {
			memcpy(path, here, (size_t)len + 1);
			is_found = true;
		}
		if (is_root(folder))
			return is_found;
		*strrchr(folder, '/') = '\0';
		if (!folder[0])
			return false;
	}
	return false;
}

static bool read_repository(struct config *c, struct error *err)
{
	char path[PATH_MAX];
	struct str copy;

	if (!find_repository_file(path))
		return true;
	copy = arena_str(&c->arena, str_from(path));
	if (!copy.ptr)
		return arena_fail(&c->arena, "the configuration", err);
	return read_file(c, &c->repository, CONFIG_REPOSITORY, copy.ptr, err);
}

static bool fail_context(const struct config *c, const char *name,
			 struct error *err)
{
	struct suggestion near;

	suggestion_init(&near, str_from(name));
	for (size_t i = 0; i < c->user.context_count; i++)
		suggestion_offer(&near, c->user.contexts[i].name);
	if (near.best[0])
		return error_set(err, ERROR_USAGE,
				 "there is no context '%s' in %s; did you "
				 "mean %s?",
				 value_quote(name).text, c->user_path,
				 near.best);
	return error_set(err, ERROR_USAGE,
			 "there is no context '%s' in %s; tracefind config "
			 "list shows those there are",
			 value_quote(name).text,
			 c->user_path ? c->user_path : "no file");
}

bool config_context_check(const struct config *c, const char *name,
			  struct error *err)
{
	return config_file_context(&c->user, name) ||
	       fail_context(c, name, err);
}

static bool choose_context(struct config *c, const struct options *o,
			   struct error *err)
{
	const char *name = o->context ? o->context : c->user.current;
	char origin[OPTION_ORIGIN_BYTES];

	c->context = name;
	if (!name || config_context_check(c, name, err))
		return true;
	if (!o->context)
		return error_prefix(err, "%s:%u", c->user.path,
				    c->user.current_line);
	options_origin(o, o->context, "context", origin);
	return error_prefix(err, "%s", origin);
}

void config_init(struct config *c)
{
	memset(c, 0, sizeof *c);
	arena_init(&c->arena, LIMIT_CONTEXT_BYTES);
}

bool config_load_user(struct config *c, struct error *err)
{
	config_init(c);
	return read_user(c, err);
}

bool config_load(struct config *c, const struct options *o, struct error *err)
{
	return config_load_user(c, err) && read_repository(c, err) &&
	       choose_context(c, o, err);
}

void config_release(struct config *c)
{
	/* Headers among it. */
	arena_wipe(&c->arena);
	arena_release(&c->arena);
}

/* ---- applying ---- */

static bool store_entry(const struct config_file *f,
			const struct config_entry *e, struct options *o,
			struct error *err)
{
	char name[OPTION_NAME_BYTES];
	char subject[PATH_MAX + OPTION_NAME_BYTES + 16];

	option_form_name(&e->form, name);
	snprintf(subject, sizeof subject, "%s:%u: %s", f->path, e->line, name);
	if (!option_store(&e->form, e->used, false, subject, o, err))
		return false;
	options_mark(o, &e->form);
	return true;
}

/* The entries of a context; NULL: those before the first section. */
static bool store_entries(const struct config_file *f, const char *context,
			  struct options *o, struct error *err)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct config_entry *e = &f->entries[i];
		bool is_here =
			context ? e->context && !strcmp(e->context, context)
				: !e->context;

		if (is_here && !store_entry(f, e, o, err))
			return false;
	}
	return true;
}

static bool is_same_server(const char *a, const char *b)
{
	struct url_parts first, second;

	return address_split(a, &first) && address_split(b, &second) &&
	       first.is_https == second.is_https &&
	       str_equal_nocase(first.authority, second.authority);
}

/* Whether the configuration's settings of a side are for the server that the
 * run will ask. Without any address they are not bound to one. */
static bool is_ours(const struct options *before, const struct options *ours,
		    enum server_side side)
{
	const char *given_url = options_url(before, side);
	const char *our_url = options_url(ours, side);

	if (side != SERVER_TRACES)
		our_url = address_beside_traces(ours->traces_url, our_url);
	if (side != SERVER_TRACES && !our_url)
		given_url =
			address_beside_traces(before->traces_url, given_url);
	/* Which nothing needs, so that servers of a company often go without:
	 * the default is on this machine, and no business of theirs. */
	if (!given_url && (our_url || side != SERVER_METRICS))
		return true;
	return our_url ? is_same_server(given_url, our_url)
		       : !ours->traces_url && !ours->profiles_url &&
				 !ours->metrics_url;
}

static size_t value_bytes(const struct option_row *row)
{
	bool is_list = row->flags & OPTION_REPEATABLE;

	switch (row->kind) {
	case OPTION_FLAG:
		return is_list ? sizeof(unsigned) : sizeof(bool);
	case OPTION_DURATION:
		return sizeof(int64_t);
	case OPTION_U64:
	case OPTION_SIZE:
		return sizeof(uint64_t);
	case OPTION_INDEX:
		return sizeof(int);
	default:
		return sizeof(const char *) * (is_list ? row->max_count : 1);
	}
}

static bool is_text(const struct option_row *row)
{
	return row->kind == OPTION_STRING || row->kind == OPTION_FILE ||
	       row->kind == OPTION_WORD;
}

static void copy_value(struct options *to, struct options *from,
		       const struct option_form *form)
{
	const struct option_row *row = form->row;

	/* Not the side's: another credential took its place. */
	if (is_text(row) && !*(const char **)option_target(form, from))
		return;
	memcpy(option_target(form, to), option_target(form, from),
	       value_bytes(row));
	if (is_text(row) && (row->flags & OPTION_REPEATABLE))
		*option_target_count(form, to) =
			*option_target_count(form, from);
	options_mark(to, form);
}

/* Common values belong to a side here, since one side may be left out. */
static void merge(struct options *o, const struct options *before,
		  struct options *ours)
{
	struct options sides = *ours;
	bool is_side_ours[SERVER_SIDES];
	struct option_form form;

	for (int i = 0; i < SERVER_SIDES; i++) {
		enum server_side side = (enum server_side)i;

		is_side_ours[i] = is_ours(before, ours, side);
		options_side(ours, side, &sides.sides[i]);
	}
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		bool is_sided = form.row->flags & OPTION_SIDED;

		if (!(form.row->flags & OPTION_CONFIG) ||
		    is_sided != (form.prefix->text[0] != '\0') ||
		    form.prefix->is_apart)
			continue;
		/* Behind the prefix of the common ones. */
		if (is_sided &&
		    !is_side_ours[form.prefix - options_table.prefixes - 1])
			continue;
		if (options_form_given(ours, &form) &&
		    !options_settled(before, &form))
			copy_value(o, &sides, &form);
	}
}

/* Where one is needed, and nothing else says whose profiles are meant. */
static bool wants_service(const struct command *command,
			  const struct options *o)
{
	return command->bit & (COMMAND_DIFF | COMMAND_PROFILE) &&
	       !o->arg_count && !o->selector && !o->service;
}

static bool apply_repository(const struct config_file *f,
			     const struct command *command,
			     const struct options *before, struct options *o,
			     struct error *err)
{
	bool wants = wants_service(command, o);

	for (size_t i = 0; i < f->count; i++) {
		const struct config_entry *e = &f->entries[i];
		bool is_service = !strcmp(e->form.row->name, "service");

		if (is_service ? !wants : options_settled(before, &e->form))
			continue;
		if (!store_entry(f, e, o, err))
			return false;
	}
	return true;
}

bool config_apply(const struct config *c, const struct command *command,
		  struct options *o, struct error *err)
{
	const struct options before = *o;
	struct options ours;

	memset(&ours, 0, sizeof ours);
	if (!store_entries(&c->user, NULL, &ours, err) ||
	    (c->context && !store_entries(&c->user, c->context, &ours, err)))
		return false;
	merge(o, &before, &ours);
	return apply_repository(&c->repository, command, &before, o, err);
}

const struct config_entry *config_source(const struct config *c,
					 const char *value, const char **path)
{
	const struct config_file *files[] = { &c->user, &c->repository };

	for (size_t i = 0; value && i < 2; i++)
		for (size_t k = 0; k < files[i]->count; k++)
			if (files[i]->entries[k].used == value) {
				*path = files[i]->path;
				return &files[i]->entries[k];
			}
	return NULL;
}
