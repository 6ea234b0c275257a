/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/commits.h"

#include "analyze/function_extent.h"
#include "backend/git_log.h"
#include "backend/input.h"
#include "base/limits.h"
#include "base/out.h"
#include "decode/git_log.h"

#define WHAT "commits of a function"

/* In front of a name; each costs a look into some folders. */
#define BUILD_FOLDERS_MOST 24u

/* The lines of the function in its source, then who changed them. */
static bool read_commits(struct result *r, const struct function_row *row,
			 const char *path, struct str source, struct error *err)
{
	struct commit found[COMMITS_MOST];
	struct function_extent lines;
	struct buf log;
	size_t count = 0;
	bool is_done = true;

	if (!function_extent_find(source, row->name, row->line, &lines)) {
		r->commits_gap = COMMITS_NO_FUNCTION;
		return true;
	}
	buf_init(&log, LIMIT_GIT_LOG_BYTES);
	r->commits_gap = git_log_read(path, lines.first, lines.last, &log);
	if (!r->commits_gap)
		r->commits_gap = git_log_decode(buf_str(&log), lines.text,
						found, &count);
	for (size_t i = 0; i < count && is_done; i++) {
		struct commit *c = &r->commits[i];

		c->hash = arena_str(&r->arena, found[i].hash);
		c->subject = arena_str(&r->arena, found[i].subject);
		c->time_ns = found[i].time_ns;
		is_done = c->hash.ptr && c->subject.ptr;
	}
	buf_release(&log);
	if (is_done)
		r->commit_count = count;
	return is_done || arena_fail(&r->arena, WHAT, err);
}

/* Paths may begin with folders known only to the build, such as the name of a
 * module, before those of the work tree. Whether the file contains the function
 * is checked later; a name alone, without a folder, may be that of many
 * files. */
static bool find_source(const struct source_places *places, struct str name,
			struct buf *path)
{
	for (unsigned i = 0; i < BUILD_FOLDERS_MOST; i++) {
		size_t slash = str_until(name, 0, '/');

		if (source_file_find(places, name, path))
			return true;
		name = str_slice(name, slash + 1, name.len);
		if (str_until(name, 0, '/') == name.len)
			break;
	}
	return false;
}

bool commits_find(const struct source_places *places, struct result *r,
		  struct error *err)
{
	const struct function_row *row = result_blamed(r);
	struct error why = { 0 };
	struct buf path, text;
	bool is_done = true;

	if (!row || !places->folders.len)
		return true;
	buf_init(&path, LIMIT_STRING_BYTES * 2);
	buf_init(&text, LIMIT_SOURCE_BYTES);
	if (!row->file.len || !row->line)
		r->commits_gap = COMMITS_NO_LINE;
	else if (!find_source(places, row->file, &path) ||
		 !file_read(buf_text(&path), &text, &why))
		r->commits_gap = COMMITS_NO_FILE;
	else
		is_done = read_commits(r, row, buf_text(&path), buf_str(&text),
				       err);
	buf_release(&path);
	buf_release(&text);
	return is_done;
}
