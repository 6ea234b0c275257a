/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source_path.h"

#include "base/num.h"
#include "base/str.h"

/* What a compiler or an interpreter puts in front of a path. */
static const struct str schemes[] = { { "file://", 7 }, { "webpack://", 10 } };

/* Folders of caches and toolchains, and how many folders behind them are only
 * versions or hashes. */
struct cache {
	struct str folder;
	unsigned int skip;
	bool is_first; /* only at the front */
};

#define CACHE(folder, skip, is_first)                                          \
	{                                                                      \
		{ folder, sizeof(folder) - 1 }, skip, is_first                 \
	}

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
	/* .NET; /_/ stands for the root of a build that is to be the same on
	 * all machines. */
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

/* Behind so many more folders; 0 when there are not as many. */
static size_t skip_folders(struct str path, size_t at, unsigned int count)
{
	for (; count && at < path.len; at++)
		if (is_slash(path.ptr[at]))
			count--;
	return count ? 0 : at;
}

/* "go" of /usr/local/go/src, "go1.22.0" of ~/sdk, "go-1.22" of Debian,
 * "toolchain@v0.0.1-go1.22.5.linux-amd64" of the module cache. */
static bool is_go_root(struct str folder)
{
	size_t digit = folder.len > 2 && folder.ptr[2] == '-' ? 3 : 2;

	if (str_equal(folder, STR("go")) || str_equal(folder, STR("golang")) ||
	    str_starts(folder, STR("toolchain@")))
		return true;
	return str_starts(folder, STR("go")) && folder.len > digit &&
	       ascii_is_digit(folder.ptr[digit]);
}

/* Behind "/go/src/" at `at`, the slash behind "go"; 0 when it is none. */
static size_t go_root_end(struct str path, size_t at)
{
	struct str source = STR("/src/");
	size_t start = at;

	if (!has_at(path, at, source))
		return 0;
	while (start && !is_slash(path.ptr[start - 1]))
		start--;
	return is_go_root(str_slice(path, start, at - start)) ? at + source.len
							      : 0;
}

static size_t cache_end(struct str path, size_t at, const struct cache *cache)
{
	if ((cache->is_first && at) || !has_at(path, at, cache->folder))
		return 0;
	return skip_folders(path, at + cache->folder.len, cache->skip);
}

/* Where the path goes on behind the last cache's or toolchain's folder; 0
 * without one. */
static size_t caches_end(struct str path)
{
	size_t end = 0;

	for (size_t at = 0; at < path.len; at++) {
		size_t found = 0;

		if (at && !is_slash(path.ptr[at]))
			continue;
		found = go_root_end(path, at);
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

/* Of the path's folders, the last slash included. */
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
	/* Most files change nothing. */
	if (root->is_begun && has_at(file, 0, root->folder))
		return;
	most = folder_length(file);
	/* "<string>", "proc.go": of no folder that could be shared. */
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

	/* A single slash is where every whole path begins. */
	if (!end && root.len > 1 && root.len < path.len &&
	    has_at(path, 0, root))
		end = root.len;
	return str_slice(path, end, path.len);
}
