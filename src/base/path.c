/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <stdint.h>

struct str path_base(struct str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/')
		at--;
	return str_slice(path, at, path.len - at);
}

bool path_list_next(struct str *list, struct str *item)
{
	while (list->len) {
		size_t end = str_find(*list, STR(":"));
		size_t next = end == SIZE_MAX ? list->len : end + 1;

		*item = str_slice(*list, 0, end);
		*list = str_slice(*list, next, list->len - next);
		if (item->len)
			return true;
	}
	return false;
}

/* The path being cleaned; it begins at `start` in the buffer, and ".." must not
 * remove anything before `keep`. */
struct clean {
	struct buf *out;
	size_t start;
	size_t keep;
	bool is_rooted;
};

static void clean_part(struct clean *c, struct str part)
{
	bool is_up = str_equal(part, STR(".."));
	size_t len = c->out->len;

	if (part.len == 0 || str_equal(part, STR(".")))
		return;
	if (is_up && len > c->keep) {
		while (len > c->keep && c->out->data[len - 1] != '/')
			len--;
		buf_cut(c->out, len > c->keep ? len - 1 : len);
		return;
	}
	if (is_up && c->is_rooted)
		return;
	if (c->out->len > c->start + c->is_rooted)
		buf_add_char(c->out, '/');
	buf_add_str(c->out, part);
	if (is_up)
		c->keep = c->out->len;
}

void path_clean(struct str path, struct buf *out)
{
	struct clean c = { .out = out, .start = out->len };
	size_t at = 0;

	if (str_starts(path, STR("/"))) {
		buf_add_char(out, '/');
		c.is_rooted = true;
	}
	c.keep = out->len;
	while (at < path.len) {
		size_t end = at;

		while (end < path.len && path.ptr[end] != '/')
			end++;
		clean_part(&c, str_slice(path, at, end - at));
		at = end + 1;
	}
	if (out->len == c.start)
		buf_add_char(out, '.');
}

/* Returns the offset after "/last component of folder/" in path, SIZE_MAX if
 * absent. */
static size_t find_folder(struct str path, struct str folder)
{
	struct str base = path_base(folder);

	while (str_ends(folder, STR("/")) && folder.len > 1) {
		folder = str_slice(folder, 0, folder.len - 1);
		base = path_base(folder);
	}
	for (size_t at = 0; base.len && at + base.len + 1 < path.len; at++)
		if (path.ptr[at] == '/' && path.ptr[at + base.len + 1] == '/' &&
		    str_equal(str_slice(path, at + 1, base.len), base))
			return at + base.len + 2;
	return SIZE_MAX;
}

static bool take_front(struct str *path, struct str front)
{
	bool has_slash = str_ends(front, STR("/"));

	if (!str_starts(*path, front) ||
	    (!has_slash &&
	     (path->len == front.len || path->ptr[front.len] != '/')))
		return false;
	front.len += !has_slash;
	*path = str_slice(*path, front.len, path->len - front.len);
	return true;
}

struct str path_trim(struct str path, struct str trim, struct str search)
{
	struct str item;

	while (!trim.len && path_list_next(&search, &item)) {
		size_t at = find_folder(path, item);

		if (at != SIZE_MAX)
			return str_slice(path, at, path.len - at);
	}
	while (path_list_next(&trim, &item))
		if (take_front(&path, item))
			return path;
	/* Name of Bazel's build directory. */
	if (!take_front(&path, STR("/proc/self/cwd/./")))
		(void)take_front(&path, STR("/proc/self/cwd/"));
	return path;
}
