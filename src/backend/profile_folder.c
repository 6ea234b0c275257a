/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/profile_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/input.h"
#include "base/count.h"
#include "wire/redact.h"

/* What tools call profiles; anything else beside them, such as the output of a
 * benchmark, is none. */
static const char *const suffixes[] = {
	".pb.gz", ".pb",     ".pprof",      ".prof",
	".out",   ".folded", ".collapsed",  ".speedscope.json",
	".perf",  ".jfr",    ".cpuprofile", ".heapprofile",
};

static bool is_profile_name(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		struct str end = str_from(suffixes[i]);

		if (name.len > end.len && name.ptr[0] != '.' &&
		    str_ends(name, end))
			return true;
	}
	return false;
}

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool add(struct path_list *out, const char *path, struct error *err)
{
	if (out->count >= LIMIT_ARGUMENTS)
		return error_set(err, ERROR_LIMIT,
				 "more than %u profiles of one side",
				 LIMIT_ARGUMENTS);
	out->items[out->count++] = path;
	return true;
}

static bool add_entry(struct path_list *out, const char *folder,
		      const char *name, struct arena *arena, struct error *err)
{
	size_t len = strlen(folder);
	bool has_slash = len && folder[len - 1] == '/';
	struct stat st;
	struct str path;

	if (!is_profile_name(str_from(name))) {
		out->passed += name[0] != '.';
		return true;
	}
	path = arena_printf(arena, "%s%s%s", folder, has_slash ? "" : "/",
			    name);
	if (!path.ptr)
		return arena_fail(arena, "the names of files", err);
	/* A pipe would be waited for; what is gone is told when it is read. */
	if (!stat(path.ptr, &st) && !S_ISREG(st.st_mode)) {
		out->passed++;
		return true;
	}
	return add(out, path.ptr, err);
}

static bool fail_folder(const char *path, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s: %s", value_quote(path).text,
			 strerror(errno));
}

static bool add_folder(struct path_list *out, const char *path,
		       struct arena *arena, struct error *err)
{
	size_t first = out->count;
	const struct dirent *entry;
	DIR *folder = opendir(path);
	bool done = folder || fail_folder(path, err);

	while (done && folder && (entry = readdir(folder)))
		done = add_entry(out, path, entry->d_name, arena, err);
	if (folder)
		closedir(folder);
	if (!done)
		return false;
	if (out->count == first)
		return error_set(err, ERROR_NOT_FOUND,
				 "no profile in %s (files that end in .pb.gz, "
				 ".pprof, .prof, .out, .folded...)",
				 value_quote(path).text);
	qsort(out->items + first, out->count - first, sizeof *out->items,
	      compare_paths);
	return true;
}

bool profile_paths_expand(struct path_list *out, const char *const *paths,
			  size_t count, struct arena *arena, struct error *err)
{
	struct stat st;

	*out = (struct path_list){ .items = arena_array(arena, LIMIT_ARGUMENTS,
							sizeof *out->items) };
	if (!out->items)
		return arena_fail(arena, "the names of files", err);
	for (size_t i = 0; i < count; i++) {
		bool is_folder = strcmp(paths[i], "-") != 0 &&
				 !stat(paths[i], &st) && S_ISDIR(st.st_mode);

		if (!(is_folder ? add_folder(out, paths[i], arena, err)
				: input_check(paths[i], err) &&
					  add(out, paths[i], err)))
			return false;
	}
	return true;
}
