/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "base/path.h"

/* Lines shown before the first and after the last with a value. */
#define MARGIN 5u

#define WHAT "reading source files"

/* Names come from the profile: devices and pipes are not opened. */
static bool path_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Searches the folder and those above it. */
static bool find_under(struct str folder, struct str file, struct buf *path)
{
	while (folder.len) {
		size_t len = folder.len - path_base(folder).len;
		struct str above;

		while (len > 1 && folder.ptr[len - 1] == '/')
			len--;
		above = str_slice(folder, 0, len);
		buf_clear(path);
		buf_add_str(path, folder);
		if (!str_ends(folder, STR("/")))
			buf_add_char(path, '/');
		buf_add_str(path, file);
		if (path->state == BUF_OK && path_is_file(buf_text(path)))
			return true;
		if (above.len == folder.len)
			return false;
		folder = above;
	}
	return false;
}

bool source_file_find(const struct source_places *places, struct str name,
		      struct buf *path)
{
	struct str search = places->folders, folder;
	struct str file = path_trim(name, places->trim_path, search);

	if (memchr(file.ptr, '\0', file.len))
		return false;
	if (str_starts(file, STR("/"))) {
		buf_clear(path);
		buf_add_str(path, file);
		return path->state == BUF_OK && path_is_file(buf_text(path));
	}
	while (path_list_next(&search, &folder))
		if (find_under(folder, file, path))
			return true;
	return false;
}

/* Advances by one line; returns it without its end. */
static struct str next_line(struct str *rest)
{
	size_t end = str_find(*rest, STR("\n"));
	struct str line = str_slice(*rest, 0, end);
	size_t next = end == SIZE_MAX ? rest->len : end + 1;

	*rest = str_slice(*rest, next, rest->len - next);
	if (str_ends(line, STR("\r")))
		line.len--;
	return line;
}

/* Replaces tabs, which would be escaped, by four blanks. */
static struct str line_text(struct arena *arena, struct str line)
{
	struct buf text;
	struct str kept;

	buf_init(&text, LIMIT_STRING_BYTES);
	for (size_t i = 0; i < line.len && text.len + 4 < text.max_bytes; i++)
		if (line.ptr[i] == '\t')
			buf_add_text(&text, "    ");
		else
			buf_add_char(&text, line.ptr[i]);
	kept = text.state == BUF_OK ? arena_str(arena, buf_str(&text))
				    : (struct str){ NULL, 0 };
	buf_release(&text);
	return kept;
}

/* A listing in progress: known lines and those around them. */
struct join {
	const struct source_line *known;
	size_t known_count;
	size_t at; /* number of known lines already added */
	struct source_line *lines;
	size_t count;
};

static void take_known(struct join *j)
{
	j->lines[j->count++] = j->known[j->at++];
}

/* Lines unknown to the profile come first, those beyond the end of a file of
 * another version last, both without text. */
static bool show_lines(struct listings *l, struct listing *item,
		       struct str text, struct error *err)
{
	struct join j = { .known = item->lines,
			  .known_count = item->line_count };
	uint32_t first, last = j.known[j.known_count - 1].number;
	size_t room = j.known_count;

	for (struct str rest = text; rest.len; room++)
		(void)next_line(&rest);
	j.lines = arena_array(&l->arena, room, sizeof *j.lines);
	if (!j.lines)
		return arena_fail(&l->arena, WHAT, err);
	while (j.at < j.known_count && !j.known[j.at].number)
		take_known(&j);
	first = j.known[j.at].number;
	first = first > MARGIN ? first - MARGIN : 1;
	for (uint32_t n = 1; text.len && n <= last + MARGIN; n++) {
		struct source_line *line = &j.lines[j.count];
		struct str here = next_line(&text);

		if (n < first)
			continue;
		if (j.at < j.known_count && j.known[j.at].number == n)
			take_known(&j);
		else
			j.lines[j.count++] =
				(struct source_line){ .number = n };
		line->text = line_text(&l->arena, here);
		if (!line->text.ptr)
			return arena_fail(&l->arena, WHAT, err);
	}
	while (j.at < j.known_count)
		take_known(&j);
	item->lines = j.lines;
	item->line_count = j.count;
	return true;
}

static bool listing_explain(struct listings *l, struct listing *item,
			    const char *why, struct error *err)
{
	item->reason = arena_str(&l->arena, str_from(why));
	return item->reason.ptr || arena_fail(&l->arena, WHAT, err);
}

static bool read_one(const struct source_places *places, struct listings *l,
		     struct listing *item, struct error *err)
{
	struct buf path, text;
	struct error why = { 0 };
	bool is_done;

	if (!item->file.len)
		return listing_explain(l, item, "the profile names no file",
				       err);
	/* Sorted by number: the last one is the highest. */
	if (!item->lines[item->line_count - 1].number)
		return listing_explain(l, item, "the profile names no lines",
				       err);
	buf_init(&path, LIMIT_STRING_BYTES * 2);
	buf_init(&text, LIMIT_SOURCE_BYTES);
	if (!source_file_find(places, item->file, &path))
		is_done = listing_explain(
			l, item,
			"the file is not here; give the folder of "
			"the sources with --source-path, and what "
			"to cut off its name with --trim-path",
			err);
	else if (!file_read(buf_text(&path), &text, &why))
		is_done = listing_explain(l, item, why.message, err);
	else
		is_done = show_lines(l, item, buf_str(&text), err);
	buf_release(&path);
	buf_release(&text);
	return is_done;
}

bool source_files_read(const struct source_places *places, struct listings *l,
		       struct error *err)
{
	struct source_places known = *places;
	char here[LIMIT_PATH_BYTES];

	if (!known.folders.len && getcwd(here, sizeof here))
		known.folders = str_from(here);
	for (size_t i = 0; i < l->count; i++)
		if (!read_one(&known, l, &l->items[i], err))
			return false;
	return true;
}
