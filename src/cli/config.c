/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/address.h"
#include "base/buf.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "wire/url.h"

/* One configuration file in memory. Its keys are the long names of those rows
 * of the option table that carry OPTION_CONFIG (in the user's own file) or
 * OPTION_REPOSITORY (in a repository's .tracefind). The .c is the only file
 * that includes inih. Knows no paths but the one it is told, for messages. */

/* A file that is being read. The library is given one line at a time, without
 * the blanks before it: it takes an indented line for more of the value before,
 * and such files are commonly indented. */
struct reading {
	struct config_file *file;
	struct arena *arena;
	struct str rest;
	unsigned line;
	const char *context; /* whose section the line stands in */
	bool is_check;       /* it stands in that of a check */
	struct error *err;
	bool is_failed;
};

static bool line_fail(struct reading *r)
{
	r->is_failed = true;
	return error_prefix(r->err, "%s:%u", r->file->path, r->line);
}

/* The flag of the rows that a kind of file may hold. */
static unsigned kind_flag(enum config_kind kind)
{
	return kind == CONFIG_USER ? OPTION_CONFIG : OPTION_REPOSITORY;
}

/* ---- keys ---- */

static bool is_key(const struct option_form *form, unsigned flag)
{
	return (form->row->flags & flag) && !form->prefix->is_apart &&
	       (!form->prefix->text[0] || (form->row->flags & OPTION_SIDED));
}

static bool is_secret_key(struct str key)
{
	return str_ends(key, STR("token")) || str_ends(key, STR("password"));
}

static bool fail_unknown_key(enum config_kind kind, struct str key,
			     struct error *err)
{
	struct suggestion near;
	struct option_form form;
	char name[OPTION_NAME_BYTES];

	suggestion_init(&near, key);
	for (size_t i = 0; option_form_get(&options_table, i, &form); i++) {
		if (!is_key(&form, kind_flag(kind)))
			continue;
		option_form_name(&form, name);
		suggestion_offer(&near, name);
	}
	if (kind == CONFIG_USER)
		suggestion_offer(&near, "current-context");
	if (near.best[0])
		return error_set(err, ERROR_USAGE,
				 "unknown key '%s'; did you mean %s?",
				 text_quote(key).text, near.best);
	return error_set(err, ERROR_USAGE,
			 "unknown key '%s'; tracefind-config(5) lists them",
			 text_quote(key).text);
}

static bool fail_not_here(enum config_kind kind, struct str key,
			  struct error *err)
{
	if (kind == CONFIG_REPOSITORY)
		return error_set(err, ERROR_USAGE,
				 "%.*s may not come with a repository, only "
				 "service and map may; it belongs into your "
				 "user configuration: tracefind config set "
				 "%.*s ...",
				 STR_ARGS(key), STR_ARGS(key));
	return error_set(err, ERROR_USAGE,
			 "--%.*s is an option only, not a key of this file",
			 STR_ARGS(key));
}

bool config_key_find(enum config_kind kind, struct str key,
		     struct option_form *form, struct error *err)
{
	if (option_form_find(&options_table, key, form))
		return is_key(form, kind_flag(kind)) ||
		       fail_not_here(kind, key, err);
	if (is_secret_key(key) && key.len < OPTION_NAME_BYTES)
		return error_set(
			err, ERROR_USAGE,
			"%.*s: a secret is not kept in this file; "
			"name what holds it: token-file, token-command "
			"or password-file",
			STR_ARGS(key));
	return fail_unknown_key(kind, key, err);
}

/* ---- contexts ---- */

bool context_name_check(const char *name, struct error *err)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!ascii_is_alnum(name[i]) && !strchr("._-", name[i]))
			return error_set(err, ERROR_USAGE,
					 "'%s' is not the name of a "
					 "context: letters, digits, '.', '_' "
					 "and '-' make one",
					 value_quote(name).text);
	if (len == 0 || len > LIMIT_CONTEXT_NAME_BYTES)
		return error_set(err, ERROR_USAGE,
				 "the name of a context has 1 to %u bytes",
				 LIMIT_CONTEXT_NAME_BYTES);
	return true;
}

const struct config_context *config_file_context(const struct config_file *f,
						 const char *name)
{
	for (size_t i = 0; i < f->context_count; i++)
		if (!strcmp(f->contexts[i].name, name))
			return &f->contexts[i];
	return NULL;
}

const struct config_entry *config_file_find(const struct config_file *f,
					    const char *context,
					    const struct option_form *form)
{
	for (size_t i = f->count; i-- > 0;) {
		const struct config_entry *e = &f->entries[i];
		bool is_here =
			context ? e->context && !strcmp(e->context, context)
				: !e->context;

		if (is_here && e->form.number == form->number)
			return e;
	}
	return NULL;
}

static bool add_context(struct reading *r, const char *name)
{
	struct config_file *f = r->file;
	const struct config_context *known = config_file_context(f, name);
	struct str copy;

	if (known) {
		r->context = known->name;
		return true;
	}
	if (f->context_count >= LIMIT_CONTEXTS)
		return error_set(r->err, ERROR_LIMIT, "more than %u contexts",
				 LIMIT_CONTEXTS);
	copy = arena_str(r->arena, str_from(name));
	if (!copy.ptr ||
	    !arena_reserve(r->arena, (void **)&f->contexts, &f->context_cap,
			   f->context_count + 1, sizeof *f->contexts))
		return arena_fail(r->arena, "the configuration", r->err);
	f->contexts[f->context_count++] =
		(struct config_context){ copy.ptr, r->line };
	r->context = copy.ptr;
	return true;
}

static bool fail_name_length(const struct reading *r)
{
	return error_set(r->err, ERROR_USAGE,
			 "the name of a %s has 1 to %u bytes",
			 r->file->kind == CONFIG_USER ? "context" : "check",
			 LIMIT_CONTEXT_NAME_BYTES);
}

/* A repository's sections are its checks, which no command of this version
 * reads: that they have the form is all that is asked of them. */
static bool enter_section(struct reading *r, const char *section)
{
	bool is_user = r->file->kind == CONFIG_USER;
	const char *head = is_user ? "context \"" : "check \"";
	size_t len = strlen(section), head_len = strlen(head);
	char name[LIMIT_CONFIG_LINE_BYTES + 1];

	if (strncmp(section, head, head_len) || len <= head_len ||
	    section[len - 1] != '"')
		return error_set(r->err, ERROR_USAGE,
				 "[%s] is not of the form [%sNAME\"]",
				 value_quote(section).text, head);
	snprintf(name, sizeof name, "%.*s", (int)(len - head_len - 1),
		 section + head_len);
	if (is_user)
		return context_name_check(name, r->err) && add_context(r, name);
	r->is_check = true;
	return name[0] || fail_name_length(r);
}

/* ---- values ---- */

static struct str without_quotes(const char *value)
{
	struct str text = str_from(value);

	if (text.len >= 2 && text.ptr[0] == '"' &&
	    text.ptr[text.len - 1] == '"')
		return str_slice(text, 1, text.len - 2);
	return text;
}

/* As in a shell "~/", and else from where the file lies: it is read from
 * whatever folder the run began in. */
static struct str resolve_path(struct reading *r, struct str value)
{
	const char *home = getenv("HOME");
	const char *slash = strrchr(r->file->path, '/');

	if (str_starts(value, STR("~/")) && home && *home)
		return arena_printf(r->arena, "%s%.*s", home,
				    (int)value.len - 1, value.ptr + 1);
	if (value.len == 0 || value.ptr[0] == '/' ||
	    str_equal(value, STR("-")) || !slash)
		return arena_str(r->arena, value);
	return arena_printf(r->arena, "%.*s/%.*s", (int)(slash - r->file->path),
			    r->file->path, STR_ARGS(value));
}

static bool add_entry(struct reading *r, const struct option_form *form,
		      struct str value)
{
	struct config_file *f = r->file;
	struct str copy, used;

	if (f->count >= LIMIT_CONFIG_ENTRIES)
		return error_set(r->err, ERROR_LIMIT, "more than %u values",
				 LIMIT_CONFIG_ENTRIES);
	copy = arena_str(r->arena, value);
	used = form->row->kind == OPTION_FILE ? resolve_path(r, value) : copy;
	if (!copy.ptr || !used.ptr ||
	    !arena_reserve(r->arena, (void **)&f->entries, &f->cap,
			   f->count + 1, sizeof *f->entries))
		return arena_fail(r->arena, "the configuration", r->err);
	f->entries[f->count++] =
		(struct config_entry){ r->context, *form, copy.ptr, used.ptr,
				       r->line };
	return true;
}

static bool set_current(struct reading *r, struct str value)
{
	struct str name = arena_str(r->arena, value);

	if (!name.ptr)
		return arena_fail(r->arena, "the configuration", r->err);
	if (r->context)
		return error_set(r->err, ERROR_USAGE,
				 "current-context stands before the first "
				 "section");
	r->file->current = name.ptr;
	r->file->current_line = r->line;
	return context_name_check(name.ptr, r->err);
}

/* Checks a pair, of whose key no more is known than that it is a word; nothing
 * secret comes with a clone. */
static bool check_pair(struct reading *r, const char *name, const char *value)
{
	struct str key = str_from(name);
	struct buf shown;
	bool is_open;

	for (size_t i = 0; i < key.len; i++)
		if (!ascii_is_alnum(key.ptr[i]) && key.ptr[i] != '-')
			return error_set(r->err, ERROR_USAGE,
					 "'%s' is not a key: letters, digits "
					 "and '-' make one",
					 value_quote(name).text);
	buf_init(&shown, KIB);
	message_redact(&shown, str_from(value));
	is_open = shown.state == BUF_OK &&
		  str_equal(buf_str(&shown), str_from(value));
	buf_release(&shown);
	if (is_open && !is_secret_key(key))
		return true;
	return error_set(r->err, ERROR_USAGE,
			 "%.*s: a secret may not come with a repository",
			 STR_ARGS(key));
}

/* ---- the library's side ---- */

static int on_pair(void *user, const char *section, const char *name,
		   const char *value)
{
	struct reading *r = user;
	struct option_form form;
	bool is_taken;

	/* next_line() saw its line: it tells sections without a key, too. */
	(void)section;
	/* It goes on after an error; the first is the one to tell. */
	if (r->is_failed)
		return 0;
	if (r->is_check)
		is_taken = check_pair(r, name, value);
	else if (r->file->kind == CONFIG_USER &&
		 !strcmp(name, "current-context"))
		is_taken = set_current(r, without_quotes(value));
	else
		is_taken = config_key_find(r->file->kind, str_from(name), &form,
					   r->err) &&
			   add_entry(r, &form, without_quotes(value));
	return is_taken || line_fail(r);
}

static bool see_section(struct reading *r, struct str line)
{
	size_t end = str_find(line, STR("]"));
	char section[LIMIT_CONFIG_LINE_BYTES + 1];

	if (line.ptr[0] != '[' || end == SIZE_MAX)
		return true;
	/* inih cuts the name of a section after this many bytes. */
	if (end - 1 > LIMIT_CONTEXT_NAME_BYTES + strlen("context \"\""))
		return fail_name_length(r);
	snprintf(section, sizeof section, "%.*s", (int)end - 1, line.ptr + 1);
	return enter_section(r, section);
}

static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' && text.ptr[i] != '\t')
			return true;
	return false;
}

/* size is that of the library's own buffer. A message begins with the key, if
 * the line has a decent one. */
static bool check_line(struct reading *r, struct str line, size_t size)
{
	size_t equals = str_find(line, STR("="));
	struct str key = str_trim(str_slice(line, 0, equals));
	char subject[OPTION_NAME_BYTES] = "";

	if (equals != SIZE_MAX && key.len && !has_control(key) &&
	    key.len + 3 <= sizeof subject)
		snprintf(subject, sizeof subject, "%.*s: ", STR_ARGS(key));
	if (line.len > LIMIT_CONFIG_LINE_BYTES || line.len >= size)
		return error_set(r->err, ERROR_LIMIT,
				 "%sthe line is longer than %u bytes", subject,
				 LIMIT_CONFIG_LINE_BYTES);
	if (has_control(line))
		return error_set(r->err, ERROR_USAGE,
				 "%sthe line holds a control character",
				 subject);
	return line.len == 0 || see_section(r, line);
}

/* In the manner of fgets(). */
static char *next_line(char *line, int size, void *user)
{
	struct reading *r = user;
	size_t end = str_find(r->rest, STR("\n"));
	struct str text = str_slice(r->rest, 0, end);

	if (r->is_failed || r->rest.len == 0 || size < 1)
		return NULL;
	r->rest = end == SIZE_MAX ? STR("")
				  : str_slice(r->rest, end + 1, r->rest.len);
	r->line++;
	if (r->line == 1 && str_starts(text, STR("\xEF\xBB\xBF")))
		text = str_slice(text, 3, text.len);
	text = str_trim(text);
	if (!check_line(r, text, (size_t)size)) {
		line_fail(r);
		return NULL;
	}
	snprintf(line, (size_t)size, "%.*s", (int)text.len, text.ptr);
	return line;
}

bool config_file_parse(struct config_file *f, enum config_kind kind,
		       const char *path, struct str text, struct arena *arena,
		       struct error *err)
{
	struct reading r = {
		.file = f, .arena = arena, .rest = text, .err = err
	};
	int bad_line;

	*f = (struct config_file){ .kind = kind, .path = path };
	bad_line = ini_parse_stream(next_line, &r, on_pair, &r);
	mem_wipe_stack();
	if (r.is_failed)
		return false;
	if (bad_line < 0)
		return error_memory(err, path);
	if (bad_line == 0)
		return true;
	return error_set(err, ERROR_USAGE,
			 "%s:%d: neither KEY = VALUE, nor a [section], nor a "
			 "comment",
			 path, bad_line);
}

#define REPOSITORY_FILE ".tracefind"

/* ---- finding and reading ---- */

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
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	struct str path;
	struct stat st;

	/* XDG Base Directory Specification: a relative path counts as not
	 * set. */
	if (base && *base == '/')
		path = arena_printf(&c->arena, "%s/tracefind/config", base);
	else if (home && *home)
		path = arena_printf(&c->arena, "%s/.config/tracefind/config",
				    home);
	else
		return true;
	if (!path.ptr)
		return arena_fail(&c->arena, "the configuration", err);
	c->user_path = c->user.path = path.ptr;
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
		struct stat st;
		int len = snprintf(here, sizeof here, "%s/" REPOSITORY_FILE,
				   folder);

		/* A pipe of that name would hold up every run. */
		if (!is_found && len > 0 && (size_t)len < sizeof here &&
		    stat(here, &st) == 0 && S_ISREG(st.st_mode)) {
			memcpy(path, here, (size_t)len + 1);
			is_found = true;
		}
		len = snprintf(here, sizeof here, "%s/.git", folder);
		if (len > 0 && (size_t)len < sizeof here &&
		    stat(here, &st) == 0)
			return is_found;
		*strrchr(folder, '/') = '\0';
		if (!folder[0])
			return false;
	}
	return false;
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
				 "no context '%s' in %s; did you mean %s?",
				 value_quote(name).text, c->user_path,
				 near.best);
	return error_set(err, ERROR_USAGE,
			 "no context '%s' in %s; tracefind config list shows "
			 "the contexts",
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
	char path[PATH_MAX];
	struct str copy;

	if (!config_load_user(c, err))
		return false;
	if (find_repository_file(path)) {
		copy = arena_str(&c->arena, str_from(path));
		if (!copy.ptr)
			return arena_fail(&c->arena, "the configuration", err);
		if (!read_file(c, &c->repository, CONFIG_REPOSITORY, copy.ptr,
			       err))
			return false;
	}
	return choose_context(c, o, err);
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

/* Returns whether the configuration's settings of a side are for the server
 * that the run will ask. Without any address they are not bound to one. */
static bool is_ours(const struct options *before, const struct options *ours,
		    enum server_side side)
{
	const char *given_url = options_url(before, side);
	const char *our_url = options_url(ours, side);
	struct url_parts given, our;

	if (side != SERVER_TRACES)
		our_url = address_beside_traces(ours->traces_url, our_url);
	if (side != SERVER_TRACES && !our_url)
		given_url =
			address_beside_traces(before->traces_url, given_url);
	/* Which nothing needs, so that servers of a company often go without:
	 * the default is on this machine, and no business of theirs. */
	if (!given_url && (our_url || side != SERVER_METRICS))
		return true;
	if (!our_url)
		return !ours->traces_url && !ours->profiles_url &&
		       !ours->metrics_url;
	return address_split(given_url, &given) &&
	       address_split(our_url, &our) && given.is_https == our.is_https &&
	       str_equal_nocase(given.authority, our.authority);
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
static void options_merge(struct options *o, const struct options *before,
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

static bool apply_repository(const struct config_file *f,
			     const struct command *command,
			     const struct options *before, struct options *o,
			     struct error *err)
{
	/* Where one is needed, and nothing else says whose profiles are
	 * meant. */
	bool wants = command->bit & (COMMAND_DIFF | COMMAND_PROFILE) &&
		     !o->arg_count && !o->selector && !o->service;

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
	options_merge(o, &before, &ours);
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

/* Changes to the user's configuration that leave every other line as it is:
 * comments, order and indentation are the user's own. */

/* For another run to write a few kilobytes. */
#define CONFIG_WAIT_MS 10000u

/* Past any line. */
#define WHOLE_TEXT 0xFFFFFFFFu

static bool is_current(const struct config_change *change)
{
	return !strcmp(change->key, "current-context");
}

/* ---- where ---- */

/* 1-based line that holds the value, 0 when none does. */
static bool find_line(const struct config_file *f,
		      const struct config_change *change, unsigned *line,
		      struct error *err)
{
	const struct config_entry *e;
	struct option_form form;

	*line = 0;
	if (is_current(change)) {
		*line = f->current_line;
		return true;
	}
	if (!config_key_find(CONFIG_USER, str_from(change->key), &form, err))
		return false;
	e = config_file_find(f, change->context, &form);
	if (!e || (change->is_added && form.row->flags & OPTION_REPEATABLE))
		return true;
	*line = e->line;
	for (size_t i = 0; i < f->count; i++)
		if (form.row->flags & OPTION_REPEATABLE &&
		    f->entries[i].form.number == form.number &&
		    f->entries[i].context == e->context && &f->entries[i] != e)
			return error_set(err, ERROR_USAGE,
					 "%s has several values; edit %s",
					 change->key, f->path);
	return true;
}

/* The line after which a new one goes: the last of its section. */
static unsigned last_line(const struct config_file *f, const char *context)
{
	const struct config_context *c =
		context ? config_file_context(f, context) : NULL;
	unsigned line = c ? c->line : f->current_line;

	for (size_t i = 0; i < f->count; i++) {
		const char *own = f->entries[i].context;
		bool is_here = context ? own && !strcmp(own, context) : !own;

		if (is_here && f->entries[i].line > line)
			line = f->entries[i].line;
	}
	return line;
}

/* ---- lines ---- */

bool config_value_is_quoted(const char *value)
{
	struct str text = str_from(value);

	return text.len &&
	       (str_trim(text).len != text.len || text.ptr[0] == '"');
}

static void add_value(struct buf *out, const char *value)
{
	buf_addf(out, config_value_is_quoted(value) ? "\"%s\"" : "%s", value);
}

/* Where a comment behind a value begins, with the blanks before it. */
static size_t comment_at(struct str line)
{
	for (size_t i = 1; i < line.len; i++) {
		size_t start = i;

		if (line.ptr[i] != ';' || !strchr(" \t", line.ptr[i - 1]))
			continue;
		while (start > 0 && strchr(" \t", line.ptr[start - 1]))
			start--;
		return start;
	}
	return line.len;
}

/* The line with another value; without its newline. */
static void replace_value(struct buf *out, struct str line, const char *value)
{
	size_t at = strcspn(line.ptr, "=:") + 1;
	size_t comment = comment_at(line);

	while (at < line.len && strchr(" \t", line.ptr[at]))
		at++;
	if (comment < at)
		comment = at;
	buf_add(out, line.ptr, at);
	add_value(out, value);
	buf_add_str(out, str_slice(line, comment, line.len));
}

/* Copies lines up to and with number `line` (1-based); returns what is left. */
static struct str copy_lines(struct buf *out, struct str text, unsigned line)
{
	for (unsigned i = 0; i < line && text.len; i++) {
		size_t end = str_find(text, STR("\n"));

		end = end == SIZE_MAX ? text.len : end + 1;
		buf_add(out, text.ptr, end);
		text = str_slice(text, end, text.len);
	}
	return text;
}

/* Gives a line another value; without one takes it out. */
static void line_change(struct buf *out, struct str text, unsigned line,
			const char *value)
{
	struct str rest = copy_lines(out, text, line - 1);
	size_t end = str_find(rest, STR("\n"));
	struct str old = str_slice(rest, 0, end);
	size_t tail = old.len && old.ptr[old.len - 1] == '\r' ? 1 : 0;

	if (value) {
		replace_value(out, str_slice(old, 0, old.len - tail), value);
		buf_add_str(out, str_slice(rest, old.len - tail, rest.len));
	} else if (end != SIZE_MAX) {
		buf_add_str(out, str_slice(rest, end + 1, rest.len));
	}
}

/* A blank line sets sections apart. */
static void insert_line(struct buf *out, struct str text,
			const struct config_file *f,
			const struct config_change *change)
{
	bool is_new =
		change->context && !config_file_context(f, change->context);
	unsigned line = last_line(f, change->context);
	bool is_first = !change->context && line == 0;
	struct str rest;

	if (is_new)
		line = WHOLE_TEXT;
	else if (is_first)
		line = f->context_count ? f->contexts[0].line - 1 : WHOLE_TEXT;
	rest = copy_lines(out, text, line);
	if (out->len && out->data[out->len - 1] != '\n')
		buf_add_char(out, '\n');
	if (is_new)
		buf_addf(out, "%s[context \"%s\"]\n", out->len ? "\n" : "",
			 change->context);
	buf_addf(out, "%s%s = ", change->context ? "\t" : "", change->key);
	add_value(out, change->value);
	buf_add_char(out, '\n');
	if (is_first && rest.len)
		buf_add_char(out, '\n');
	buf_add_str(out, rest);
}

/* ---- the whole ---- */

static bool config_file_holds(const struct config_file *f,
			      const struct config_change *change)
{
	const struct config_entry *e;
	struct option_form form;

	if (is_current(change))
		return change->value ? f->current &&
					       !strcmp(f->current,
						       change->value)
				     : !f->current;
	if (!option_form_find(&options_table, str_from(change->key), &form))
		return false;
	e = config_file_find(f, change->context, &form);
	return change->value ? e && !strcmp(e->value, change->value) : !e;
}

/* Only reading it again tells that the value came through. */
static bool check_result(const struct buf *out, const char *path,
			 const struct config_change *change,
			 struct arena *arena, struct error *err)
{
	struct config_file f;

	if (!buf_check(out, path, err) ||
	    !config_file_parse(&f, CONFIG_USER, path, buf_str(out), arena, err))
		return false;
	if (!change->value && !config_file_holds(&f, change))
		return error_set(err, ERROR_USAGE,
				 "%s: set more than once; edit %s",
				 change->key, path);
	return config_file_holds(&f, change) ||
	       error_set(err, ERROR_USAGE,
			 "%s: the file cannot hold this value: a blank and a "
			 "';' begin a comment",
			 change->key);
}

bool config_edit(struct buf *out, const char *path, struct str text,
		 const struct config_change *change, struct error *err)
{
	struct config_file f;
	struct arena arena;
	unsigned line;
	bool is_done;

	arena_init(&arena, LIMIT_CONTEXT_BYTES);
	is_done = config_file_parse(&f, CONFIG_USER, path, text, &arena, err) &&
		  find_line(&f, change, &line, err);
	/* An editor's byte order mark, which only the first line may have. */
	if (str_starts(text, STR("\xEF\xBB\xBF")))
		text = str_slice(text, 3, text.len);
	if (is_done && line)
		line_change(out, text, line, change->value);
	else if (is_done && change->value)
		insert_line(out, text, &f, change);
	else if (is_done)
		is_done = error_set(err, ERROR_NOT_FOUND, "%s is not set%s%s",
				    change->key,
				    change->context ? " in context " : "",
				    change->context ? change->context : "");
	is_done = is_done && check_result(out, path, change, &arena, err);
	arena_wipe(&arena);
	arena_release(&arena);
	return is_done;
}

static bool edit_file(const char *path, const struct config_change *changes,
		      size_t count, struct error *err)
{
	struct buf texts[2];
	struct outfile file;
	struct stat st;
	size_t i;
	bool is_done;

	for (i = 0; i < 2; i++) {
		buf_init(&texts[i], LIMIT_CONFIG_BYTES);
		/* At once, as the file may hold secrets. */
		(void)!buf_reserve(&texts[i], LIMIT_CONFIG_BYTES);
	}
	is_done = buf_check(&texts[0], path, err) &&
		  buf_check(&texts[1], path, err);
	if (is_done && stat(path, &st))
		is_done = file_is_absent(errno) ||
			  file_fail_read(path, errno, err);
	else if (is_done)
		is_done = file_read(path, &texts[0], err);
	for (i = 0; i < count && is_done; i++) {
		buf_clear(&texts[(i + 1) % 2]);
		is_done = config_edit(&texts[(i + 1) % 2], path,
				      buf_str(&texts[i % 2]), &changes[i], err);
	}
	is_done = is_done && outfile_open(&file, path, 0600, err);
	if (is_done) {
		out_str(&file.out, buf_str(&texts[count % 2]));
		out_wipe(&file.out);
		is_done = outfile_commit(&file, err);
	}
	for (i = 0; i < 2; i++) {
		buf_wipe(&texts[i]);
		buf_release(&texts[i]);
	}
	return is_done;
}

bool config_edit_file(const char *path, const struct config_change *changes,
		      size_t count, struct error *err)
{
	struct lock lock;
	bool is_done;

	if (!folders_make(path, err) ||
	    !lock_take(&lock, path, CONFIG_WAIT_MS, err))
		return false;
	is_done = edit_file(path, changes, count, err);
	lock_release(&lock);
	return is_done;
}

/* The values that may be written into the configuration from a command line. */

/* A password in an address would lie in a file that is no place for it, and
 * no request would go out with it. */
static bool check_address(const struct option_form *form, const char *key,
			  const char *value, struct error *err)
{
	const char *name = form->row->name;
	struct address address;
	struct url_parts parts;

	if (!strcmp(name, "traces-url") || !strcmp(name, "profiles-url") ||
	    !strcmp(name, "metrics-url"))
		return address_parse(value, SERVER_TRACES, &address, err) ||
		       error_prefix(err, "%s", key);
	if (strcmp(name, "proxy") || !url_split(str_from(value), &parts) ||
	    !parts.user_info.len)
		return true;
	return error_set(err, ERROR_USAGE,
			 "%s: an address with a password does not belong on a "
			 "command line; write it into the file with an editor",
			 key);
}

bool config_value_check(const struct option_form *form, const char *key,
			const char *value, struct error *err)
{
	struct options scratch;
	struct str name = header_name(str_from(value));

	if (form->row->flags & OPTION_SECRET &&
	    !header_is_harmless(str_trim(name)))
		return error_set(err, ERROR_USAGE,
				 "%s: a header that may be secret does not "
				 "belong on a command line; write it into the "
				 "file with an editor, or use a token-file",
				 key);
	options_init(&scratch);
	return option_store(form, value, false, key, &scratch, err) &&
	       check_address(form, key, value, err);
}
