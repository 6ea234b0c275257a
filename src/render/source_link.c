/* SPDX-License-Identifier: Apache-2.0 */
#include "render/source_link.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "model/source_path.h"

/* URL patterns, see source_link.h. */

bool link_pattern_check(const char *pattern, const char *name, const char *what,
			const char *example, struct error *err)
{
	struct str text = str_from(pattern);
	size_t i = 0;

	while (i < text.len && text.ptr[i] > ' ' && text.ptr[i] < 0x7f &&
	       !strchr("\"'<>\\^`|", text.ptr[i]))
		i++;
	if (i < text.len || (!str_starts(text, STR("https://")) &&
			     !str_starts(text, STR("http://"))))
		return error_set(err, ERROR_USAGE,
				 "needs an http:// or https:// address, for "
				 "example %s",
				 example);
	if (str_find(text, str_from(name)) == SIZE_MAX)
		return error_set(err, ERROR_USAGE,
				 "must contain %s, where %s goes", name,
				 what);
	return true;
}

void link_escape(struct buf *out, const char *kept, struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		if (isalnum(c) || (c && (strchr("-_.~", c) || strchr(kept, c))))
			buf_add_char(out, (char)c);
		else
			buf_addf(out, "%%%02X", c);
	}
}

void link_pattern_fill(const char *pattern, const struct link_value *values,
		       size_t count, struct buf *out)
{
	struct str rest = str_from(pattern);

	while (rest.len) {
		size_t i = 0;

		while (i < count && !str_starts(rest, values[i].name))
			i++;
		if (i < count)
			link_escape(out, "", values[i].value);
		else
			buf_add_char(out, rest.ptr[0]);
		rest = str_slice(rest, i < count ? values[i].name.len : 1,
				 rest.len);
	}
}

/* Prefix of module paths with versioned files. */
#define GITHUB "github.com/"

/* Digits of a commit in a pseudo version: v0.0.0-20240102030405-0123... */
#define COMMIT_DIGITS 12u

bool source_pattern_check(const char *pattern, struct error *err)
{
	return link_pattern_check(pattern, "{path}", "the file",
				  "https://host/{path}#L{line}", err);
}

/* ---- paths within URLs ---- */

static bool has_part(struct str path, struct str part)
{
	while (path.len) {
		size_t slash = str_until(path, 0, '/');

		if (str_equal(str_slice(path, 0, slash), part))
			return true;
		path = str_slice(path, slash < path.len ? slash + 1 : slash,
				 path.len);
	}
	return false;
}

/* ---- patterns ---- */

static bool by_pattern(struct str pattern, struct str path, uint32_t line,
		       struct buf *out)
{
	/* Without a line, links to the file. */
	if (!line)
		pattern = str_slice(pattern, 0,
				    str_until(pattern, 0, '#'));
	for (size_t i = 0; i < pattern.len;) {
		struct str rest = str_slice(pattern, i, pattern.len);

		if (str_starts(rest, STR("{path}"))) {
			link_escape(out, "/", path);
			i += STR("{path}").len;
		} else if (str_starts(rest, STR("{line}"))) {
			buf_addf(out, "%" PRIu32, line);
			i += STR("{line}").len;
		} else {
			buf_add_char(out, pattern.ptr[i++]);
		}
	}
	return true;
}

/* ---- Go modules ---- */

struct module {
	struct str repository; /* "owner/name" */
	/* Folder of the module in the repository, may be empty. */
	struct str folder;
	struct str version;
	struct str file;
};

static bool next_part(struct str *rest, struct str *part)
{
	size_t slash = str_until(*rest, 0, '/');

	*part = str_slice(*rest, 0, slash);
	*rest = str_slice(*rest, slash < rest->len ? slash + 1 : slash,
			  rest->len);
	return part->len > 0;
}

/* Returns whether it is "v2", a path element for the major version. */
static bool is_major(struct str part)
{
	size_t i = 1;

	if (part.len < 2 || part.ptr[0] != 'v')
		return false;
	while (i < part.len && isdigit((unsigned char)part.ptr[i]))
		i++;
	return i == part.len;
}

/* Parses "github.com/owner/name/folder@v1.2.3/file.go". The module cache
 * escapes upper case as "!x". */
static bool find_module(struct str path, struct module *m)
{
	struct str rest, owner, name, module;
	size_t at;

	if (!str_starts(path, STR(GITHUB)))
		return false;
	at = str_until(path, 0, '@');
	if (at == path.len)
		return false;
	module = str_slice(path, STR(GITHUB).len, at - STR(GITHUB).len);
	rest = str_slice(path, at + 1, path.len);
	if (!next_part(&rest, &m->version) || !rest.len)
		return false;
	m->file = rest;
	rest = module;
	if (!next_part(&rest, &owner) || !next_part(&rest, &name))
		return false;
	m->repository = str_slice(module, 0, owner.len + 1 + name.len);
	m->folder = rest;
	return m->version.ptr[0] == 'v';
}

/* Appends the version's tag, or the commit. */
static void add_version(struct buf *out, const struct module *m)
{
	struct str version = m->version;
	struct str tail;
	size_t plus = str_until(version, 0, '+');

	version = str_slice(version, 0, plus);
	tail = version.len > COMMIT_DIGITS + 1
		       ? str_slice(version, version.len - COMMIT_DIGITS - 1,
				   version.len)
		       : STR("");
	if (tail.len && tail.ptr[0] == '-' &&
	    str_until(str_slice(tail, 1, tail.len), 0, '.') == COMMIT_DIGITS &&
	    str_until(str_slice(tail, 1, tail.len), 0, '-') == COMMIT_DIGITS) {
		link_escape(out, "/", str_slice(tail, 1, tail.len));
		return;
	}
	if (m->folder.len) {
		link_escape(out, "/", m->folder);
		buf_add_char(out, '/');
	}
	link_escape(out, "/", version);
}

static bool by_module(struct str path, uint32_t line, struct buf *out)
{
	struct buf plain;
	struct module m;
	bool is_one;

	buf_init(&plain, LIMIT_STRING_BYTES);
	/* A '!' stands before what is a capital letter. */
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '!' && i + 1 < path.len)
			buf_add_char(
				&plain,
				(char)toupper((unsigned char)path.ptr[++i]));
		else
			buf_add_char(&plain, path.ptr[i]);
	is_one = plain.state == BUF_OK && find_module(buf_str(&plain), &m);
	if (is_one) {
		size_t slash = m.folder.len;

		/* The last path element may be the major version only. */
		while (slash && m.folder.ptr[slash - 1] != '/')
			slash--;
		if (is_major(str_slice(m.folder, slash, m.folder.len)))
			m.folder =
				str_slice(m.folder, 0, slash ? slash - 1 : 0);
		buf_add_text(out, "https://" GITHUB);
		link_escape(out, "/", m.repository);
		buf_add_text(out, "/blob/");
		add_version(out, &m);
		if (m.folder.len) {
			buf_add_char(out, '/');
			link_escape(out, "/", m.folder);
		}
		buf_add_char(out, '/');
		link_escape(out, "/", m.file);
		if (line)
			buf_addf(out, "#L%" PRIu32, line);
	}
	buf_release(&plain);
	return is_one;
}

bool source_link(const char *pattern, struct str root, struct str file,
		 uint32_t line, struct buf *out)
{
	struct str path = source_path_shorten(file, root);

	/* Only a file below a folder has a link. */
	if (!path.len || path.ptr[0] == '/' || has_part(path, STR("..")) ||
	    has_part(path, STR(".")) || has_part(path, STR("")))
		return false;
	/* A version means that it is third-party code. */
	if (str_until(path, 0, '@') < path.len)
		return by_module(path, line, out);
	return pattern && by_pattern(str_from(pattern), path, line, out);
}
