/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "cli/options.h"
#include "wire/redact.h"

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

static bool fail(struct reading *r)
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
				 "service and map may; it belongs into a file "
				 "of your own: tracefind config set %.*s ...",
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

/* Of a key no more is known than that it is a word; nothing secret comes with
 * a clone. */
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

static bool take_pair(struct reading *r, const char *name, const char *value)
{
	struct option_form form;

	if (r->is_check)
		return check_pair(r, name, value);
	if (r->file->kind == CONFIG_USER && !strcmp(name, "current-context"))
		return set_current(r, without_quotes(value));
	return config_key_find(r->file->kind, str_from(name), &form, r->err) &&
	       add_entry(r, &form, without_quotes(value));
}

/* ---- the library's side ---- */

static int on_pair(void *user, const char *section, const char *name,
		   const char *value)
{
	struct reading *r = user;

	/* next_line() saw its line: it tells sections without a key, too. */
	(void)section;
	/* It goes on after an error; the first is the one to tell. */
	if (r->is_failed)
		return 0;
	return take_pair(r, name, value) || fail(r);
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

/* "KEY: " of a line whose value is no good, else nothing. */
static struct str line_subject(struct str line, char out[OPTION_NAME_BYTES])
{
	size_t equals = str_find(line, STR("="));
	struct str key = str_trim(str_slice(line, 0, equals));

	if (equals == SIZE_MAX || !key.len || has_control(key) ||
	    key.len + 3 > OPTION_NAME_BYTES)
		return STR("");
	snprintf(out, OPTION_NAME_BYTES, "%.*s: ", STR_ARGS(key));
	return str_from(out);
}

/* size is that of the library's own buffer. */
static bool check_line(struct reading *r, struct str line, size_t size)
{
	char name[OPTION_NAME_BYTES];
	struct str subject = line_subject(line, name);

	if (line.len > LIMIT_CONFIG_LINE_BYTES || line.len >= size)
		return error_set(r->err, ERROR_LIMIT,
				 "%.*sthe line is longer than %u bytes",
				 STR_ARGS(subject), LIMIT_CONFIG_LINE_BYTES);
	if (has_control(line))
		return error_set(r->err, ERROR_USAGE,
				 "%.*sthe line holds a control character",
				 STR_ARGS(subject));
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
		fail(r);
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
