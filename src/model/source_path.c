/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source_path.h"

#include "base/num.h"
#include "base/str.h"

/* Schemes that compilers and interpreters prepend to paths. */
static const struct str schemes[] = { { "file://", 7 }, { "webpack://", 10 } };

/* Folders of caches and toolchains, with the number of folders below them that
 * are versions or hashes. */
struct cache {
	struct str folder;
	unsigned int skip;
	bool is_first; /* only at the start of the path */
};

#define CACHE(folder, skip, is_first)                                          \
	{ { folder, sizeof(folder) - 1 }, skip, is_first }

static const struct cache caches[] = {
	/* Go: "pkg/mod/github.com/lib/pq@v1.10.9/conn.go" */
	CACHE("/pkg/mod/", 0, false),
	CACHE("/hostedtoolcache/go/", 3, false),
	/* Rust: "registry/src/index.crates.io-6f17d22bba15001f/serde-1.0" */
	CACHE("/registry/src/", 1, false),
	CACHE("/git/checkouts/", 0, false),
	CACHE("/rustlib/src/rust/library/", 0, false),
	CACHE("/rustc/", 2, true),
	/* JavaScript */
	CACHE("/node_modules/", 0, false),
	CACHE("node_modules/", 0, true),
	CACHE("./node_modules/", 0, true),
	/* Python: "/usr/lib/python3.11/json/decoder.py" */
	CACHE("/site-packages/", 0, false),
	CACHE("/dist-packages/", 0, false),
	CACHE("/lib/python3", 1, false),
	CACHE("/lib/python2", 1, false),
	/* Ruby: "/usr/local/lib/ruby/3.2.0/json/common.rb" */
	CACHE("/gems/", 0, false),
	CACHE("/lib/ruby/", 1, false),
	/* .NET; /_/ is the root in deterministic builds. */
	CACHE("/.nuget/packages/", 0, false),
	CACHE("/_/", 0, true),
	/* C, C++ */
	CACHE("/usr/include/", 0, true),
};

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool is_same(char a, char b)
{
	return a == b || (is_slash(a) && is_slash(b));
}

static bool has_at(struct str path, size_t at, struct str part)
{
	if (part.len > path.len - at)
		return false;
	for (size_t i = 0; i < part.len; i++)
		if (!is_same(path.ptr[at + i], part.ptr[i]))
			return false;
	return true;
}

/* Returns whether it is "go" of /usr/local/go/src, "go1.22.0" of ~/sdk,
 * "go-1.22" of Debian, or "toolchain@v0.0.1-go1.22.5.linux-amd64" of the module
 * cache. */
static bool is_go_root(struct str folder)
{
	size_t digit = folder.len > 2 && folder.ptr[2] == '-' ? 3 : 2;

	if (str_equal(folder, STR("go")) || str_equal(folder, STR("golang")) ||
	    str_starts(folder, STR("toolchain@")))
		return true;
	return str_starts(folder, STR("go")) && folder.len > digit &&
	       ascii_is_digit(folder.ptr[digit]);
}

static size_t cache_end(struct str path, size_t at, const struct cache *cache)
{
	size_t end = at + cache->folder.len;
	unsigned count = cache->skip;

	if ((cache->is_first && at) || !has_at(path, at, cache->folder))
		return 0;
	/* With as many folders below it; 0 if there are fewer. */
	for (; count && end < path.len; end++)
		if (is_slash(path.ptr[end]))
			count--;
	return count ? 0 : end;
}

/* Returns the end of the last cache or toolchain folder; 0 without one. */
static size_t caches_end(struct str path)
{
	struct str source = STR("/src/");
	size_t end = 0;

	for (size_t at = 0; at < path.len; at++) {
		size_t found = 0, start = at;

		if (at && !is_slash(path.ptr[at]))
			continue;
		/* "/go/src/": the folder before this slash. */
		if (has_at(path, at, source)) {
			while (start && !is_slash(path.ptr[start - 1]))
				start--;
			if (is_go_root(str_slice(path, start, at - start)))
				found = at + source.len;
		}
		for (size_t i = 0; !found && i < COUNT_OF(caches); i++)
			found = cache_end(path, at, &caches[i]);
		if (found > end && found < path.len)
			end = found;
	}
	return end;
}

static struct str without_scheme(struct str path)
{
	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		if (str_starts(path, schemes[i]) && path.len > schemes[i].len)
			return str_slice(path, schemes[i].len, path.len);
	return path;
}

/* Returns the length of the path's folders including the final slash. */
static size_t folder_length(struct str path)
{
	size_t end = path.len;

	while (end && !is_slash(path.ptr[end - 1]))
		end--;
	return end;
}

void source_root_add(struct source_root *root, struct str file)
{
	size_t same = 0, most;

	file = without_scheme(file);
	/* Most files do not change it. */
	if (root->is_begun && has_at(file, 0, root->folder))
		return;
	most = folder_length(file);
	/* "<string>", "proc.go": no common folder. */
	if (!most || file.ptr[0] == '<' || caches_end(file))
		return;
	if (!root->is_begun) {
		root->is_begun = true;
		root->folder = str_slice(file, 0, most);
		return;
	}
	if (most > root->folder.len)
		most = root->folder.len;
	while (same < most && is_same(file.ptr[same], root->folder.ptr[same]))
		same++;
	root->folder.len = folder_length(str_slice(file, 0, same));
}

struct str source_path_shorten(struct str file, struct str root)
{
	struct str path = without_scheme(file);
	size_t end = caches_end(path);

	/* A root of "/" matches every absolute path. */
	if (!end && root.len > 1 && root.len < path.len &&
	    has_at(path, 0, root))
		end = root.len;
	return str_slice(path, end, path.len);
}

/* ---- across builds ---- */

/* Minimum length of a hex hash. */
#define HASH_DIGITS 7

/* Length of bundle hashes that are not hex: esbuild's and Rollup's. */
#define BUNDLE_HASH 8

/* Minimum changes between kinds of characters in a base64 or base32 hash. */
#define KIND_CHANGES 3

static bool is_hex_hash(struct str s)
{
	bool has_digit = false;

	for (size_t i = 0; i < s.len; i++) {
		if (!ascii_is_hex(s.ptr[i]))
			return false;
		has_digit |= ascii_is_digit(s.ptr[i]);
	}
	return s.len >= HASH_DIGITS && has_digit;
}

static int kind_of(char c)
{
	if (ascii_is_digit(c))
		return 'd';
	if (ascii_is_upper(c))
		return 'u';
	return ascii_is_lower(c) ? 'l' : '_';
}

/* Returns whether it is like "BxT3k2aQ" of Rollup, "5QYZ2XKM" of esbuild; not
 * "Settings", "Version2", "userInfo". */
static bool is_bundle_hash(struct str s)
{
	unsigned changes = 0;
	bool has_upper = false;

	if (s.len != BUNDLE_HASH)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!ascii_is_alnum(s.ptr[i]) && s.ptr[i] != '-' &&
		    s.ptr[i] != '_')
			return false;
		has_upper |= ascii_is_upper(s.ptr[i]);
		changes += i && kind_of(s.ptr[i]) != kind_of(s.ptr[i - 1]);
	}
	return has_upper && changes >= KIND_CHANGES;
}

/* Returns whether it is like "1.2.3", "v7", "20261129", "1.2.3-rc1".
 * min_points: required number of points, so that "handlers-2" does not
 * match. */
static bool is_release(struct str s, unsigned min_points)
{
	size_t at = s.len && s.ptr[0] == 'v';
	unsigned points = 0;

	if (at >= s.len || !ascii_is_digit(s.ptr[at]))
		return false;
	while (at < s.len && (ascii_is_digit(s.ptr[at]) ||
			      (s.ptr[at] == '.' && at + 1 < s.len &&
			       ascii_is_digit(s.ptr[at + 1]))))
		points += s.ptr[at++] == '.';
	return points >= min_points &&
	       (at == s.len || s.ptr[at] == '-' || s.ptr[at] == '+');
}

/* Returns whether it is a name made by mkdtemp() or mktemp: "tmpab12cd_x" of
 * Python, "tmp.Qe3kXw91Lb", "_MEI123456" of PyInstaller, "go-build123". */
static bool is_temporary(struct str s)
{
	static const struct str fronts[] = { { "tmp.", 4 },
					     { "_MEI", 4 },
					     { "go-build", 8 } };
	struct str python = STR("tmp");

	for (size_t i = 0; i < COUNT_OF(fronts); i++)
		if (str_starts(s, fronts[i]) && s.len > fronts[i].len)
			return true;
	if (!str_starts(s, python) || s.len != python.len + 8)
		return false;
	for (size_t i = python.len; i < s.len; i++)
		if (kind_of(s.ptr[i]) == 'u' ||
		    (kind_of(s.ptr[i]) == '_' && s.ptr[i] != '_'))
			return false;
	return true;
}

/* Returns the length of a name before its version: "app-1.2.3",
 * "express@4.18.2", "python3.11", "web.3f2a91bc"; the whole length if there is
 * none. */
static size_t release_start(struct str s, bool is_bundle)
{
	size_t digits = s.len;

	for (size_t at = 1; at < s.len; at++) {
		struct str rest = str_slice(s, at, s.len);
		char before = s.ptr[at - 1];

		if (before != '-' && before != '_' && before != '@' &&
		    before != '.')
			continue;
		if ((before != '.' &&
		     is_release(rest, before != '@' && *rest.ptr != 'v')) ||
		    is_hex_hash(rest) || (is_bundle && is_bundle_hash(rest)))
			return at;
	}
	while (digits &&
	       (ascii_is_digit(s.ptr[digits - 1]) || s.ptr[digits - 1] == '.'))
		digits--;
	return digits && is_release(str_slice(s, digits, s.len), 1) ? digits
								    : s.len;
}

/* Returns the start of a file's extensions: ".min.js", ".chunk.js", ".py",
 * ".so.1.2". */
static size_t extension_start(struct str s)
{
	static const struct str inner[] = { { ".min", 4 },
					    { ".chunk", 6 },
					    { ".bundle", 7 } };
	size_t at = str_find(s, STR(".so"));

	if (at != SIZE_MAX && (at + 3 == s.len || s.ptr[at + 3] == '.'))
		return at;
	at = str_behind_last(s, '.');
	if (!at)
		return s.len;
	s.len = at - 1;
	for (size_t i = 0; i < COUNT_OF(inner); i++)
		if (str_ends(s, inner[i]))
			return s.len - inner[i].len;
	return s.len;
}

static bool is_script(struct str extension)
{
	static const char *const scripts[] = { "js", "mjs", "cjs", "jsx",
					       "ts" };

	return str_is_one_of(str_slice(extension,
				       str_behind_last(extension, '.'),
				       extension.len),
			     scripts, COUNT_OF(scripts));
}

static void add_file(struct str name, struct buf *out)
{
	size_t stem = extension_start(name), kept;
	struct str extension = str_slice(name, stem, name.len);
	struct str front = str_slice(name, 0, stem);

	if (is_hex_hash(front) ||
	    (is_script(extension) && is_bundle_hash(front)))
		kept = 0;
	else
		kept = release_start(front, is_script(extension));
	buf_add_str(out, str_slice(front, 0, kept));
	if (kept < front.len)
		buf_add_char(out, '*');
	/* What follows are versions. */
	if (str_starts(extension, STR(".so")))
		extension.len = 3;
	buf_add_str(out, extension);
}

/* Removes the last component of a path and returns it. */
static struct str take_last(struct str *path)
{
	struct str part;
	size_t at = folder_length(*path);

	part = str_slice(*path, at, path->len);
	path->len = at ? at - 1 : 0;
	return part;
}

static bool is_release_folder(struct str s)
{
	return !s.len || is_release(s, 0) || is_hex_hash(s) || is_temporary(s);
}

void source_path_stable(struct str path, struct buf *out)
{
	struct str rest = path, name, folder;
	size_t query = str_until(path, 0, '?'), kept;

	if (query < path.len && str_find(path, STR("://")) != SIZE_MAX)
		rest.len = query;
	if (str_ends(rest, STR(" (deleted)")))
		rest.len -= STR(" (deleted)").len;
	name = take_last(&rest);
	do
		folder = take_last(&rest);
	while (rest.len && is_release_folder(folder));
	if (!is_release_folder(folder)) {
		kept = release_start(folder, false);
		buf_add_str(out, str_slice(folder, 0, kept));
		buf_add_text(out, kept < folder.len ? "*/" : "/");
	}
	add_file(name, out);
}

struct str source_path_end(struct str path)
{
	size_t at = folder_length(path);

	if (at)
		at = folder_length(str_slice(path, 0, at - 1));
	return str_slice(path, at, path.len);
}

/* Returns whether it is "PID" or "PID-N" between `front` and `end`. */
static bool is_numbered(struct str name, struct str front, struct str end)
{
	size_t at = front.len;

	if (!str_starts(name, front) || !str_ends(name, end) ||
	    name.len <= front.len + end.len)
		return false;
	while (at < name.len - end.len &&
	       (ascii_is_digit(name.ptr[at]) || name.ptr[at] == '-'))
		at++;
	return at == name.len - end.len;
}

bool source_path_is_of_process(struct str path)
{
	static const struct str fronts[] = {
		{ "//anon", 6 },    { "[anon", 5 },
		{ "[JIT]", 5 },     { "[heap]", 6 },
		{ "[stack", 6 },    { "anon_inode:", 11 },
		{ "/memfd:", 7 },   { "memfd:", 6 },
		{ "/dev/zero", 9 }, { "/anon_hugepage", 14 },
		{ "/SYSV", 5 },
	};
	struct str name = str_slice(path, folder_length(path), path.len);

	for (size_t i = 0; i < COUNT_OF(fronts); i++)
		if (str_starts(path, fronts[i]))
			return true;
	return is_numbered(name, STR("perf-"), STR(".map")) ||
	       is_numbered(name, STR("jitted-"), STR(".so")) ||
	       is_numbered(name, STR("jit-"), STR(".dump"));
}
