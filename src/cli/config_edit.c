/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_edit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/lock.h"
#include "base/outfile.h"
#include "cli/options.h"

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

static void add_line(struct buf *out, const struct config_change *change)
{
	buf_addf(out, "%s%s = ", change->context ? "\t" : "", change->key);
	add_value(out, change->value);
	buf_add_char(out, '\n');
}

static void end_line(struct buf *out)
{
	if (out->len && out->data[out->len - 1] != '\n')
		buf_add_char(out, '\n');
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

static void replace_line(struct buf *out, struct str text, unsigned line,
			 const struct config_change *change)
{
	struct str rest = copy_lines(out, text, line - 1);
	size_t end = str_find(rest, STR("\n"));
	struct str old = str_slice(rest, 0, end);
	size_t tail = old.len && old.ptr[old.len - 1] == '\r' ? 1 : 0;

	replace_value(out, str_slice(old, 0, old.len - tail), change->value);
	buf_add_str(out, str_slice(rest, old.len - tail, rest.len));
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
	end_line(out);
	if (is_new)
		buf_addf(out, "%s[context \"%s\"]\n", out->len ? "\n" : "",
			 change->context);
	add_line(out, change);
	if (is_first && rest.len)
		buf_add_char(out, '\n');
	buf_add_str(out, rest);
}

/* ---- the whole ---- */

static bool holds(const struct config_file *f,
		  const struct config_change *change)
{
	const struct config_entry *e;
	struct option_form form;

	if (is_current(change))
		return f->current && !strcmp(f->current, change->value);
	if (!option_form_find(&options_table, str_from(change->key), &form))
		return false;
	e = config_file_find(f, change->context, &form);
	return e && !strcmp(e->value, change->value);
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
	return holds(&f, change) ||
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
		replace_line(out, text, line, change);
	else if (is_done)
		insert_line(out, text, &f, change);
	is_done = is_done && check_result(out, path, change, &arena, err);
	arena_wipe(&arena);
	arena_release(&arena);
	return is_done;
}

static bool write_text(const char *path, struct str text, struct error *err)
{
	struct outfile file;

	if (!outfile_open(&file, path, 0600, err))
		return false;
	out_str(&file.out, text);
	out_wipe(&file.out);
	return outfile_commit(&file, err);
}

static bool read_text(const char *path, struct buf *text, struct error *err)
{
	struct stat st;

	if (stat(path, &st))
		return file_is_absent(errno) ||
		       file_fail_read(path, errno, err);
	return file_read(path, text, err);
}

static bool edit_file(const char *path, const struct config_change *changes,
		      size_t count, struct error *err)
{
	struct buf texts[2];
	size_t i;
	bool is_done;

	for (i = 0; i < 2; i++) {
		buf_init(&texts[i], LIMIT_CONFIG_BYTES);
		/* At once, as the file may hold secrets. */
		(void)!buf_reserve(&texts[i], LIMIT_CONFIG_BYTES);
	}
	is_done = buf_check(&texts[0], path, err) &&
		  buf_check(&texts[1], path, err) &&
		  read_text(path, &texts[0], err);
	for (i = 0; i < count && is_done; i++) {
		buf_clear(&texts[(i + 1) % 2]);
		is_done = config_edit(&texts[(i + 1) % 2], path,
				      buf_str(&texts[i % 2]), &changes[i], err);
	}
	is_done = is_done && write_text(path, buf_str(&texts[count % 2]), err);
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
