/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/profile_cache.h"

#include <limits.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "wire/cache_folder.h"

struct profile_cache {
	char *path;
	struct cache_folder folder;
	struct cache_hash scope;
	bool is_changed;
};

struct profile_cache *profile_cache_open(const char *folder, const char *scope,
					 const char *url, struct error *err)
{
	struct profile_cache *c;

	if (!cache_folder_prepare(folder, err))
		return NULL;
	c = mem_calloc(1, sizeof *c);
	if (c)
		c->path = mem_strdup(folder);
	if (!c || !c->path) {
		mem_free(c);
		error_memory(err, "the cache");
		return NULL;
	}
	c->folder = (struct cache_folder){
		.path = c->path,
		.suffix = ".profile",
		.age_s = LIMIT_PROFILE_CACHE_AGE_S,
		.files = LIMIT_PROFILE_CACHE_FILES,
		.size_bytes = (int64_t)LIMIT_CACHE_BYTES,
	};
	cache_hash_init(&c->scope);
	cache_hash_text(&c->scope, scope);
	cache_hash_text(&c->scope, url);
	return c;
}

void profile_cache_close(struct profile_cache *c)
{
	if (!c)
		return;
	if (c->is_changed)
		cache_folder_tidy(&c->folder);
	mem_free(c->path);
	mem_free(c);
}

static bool entry_path(const struct profile_cache *c, struct str name,
		       char path[PATH_MAX])
{
	struct cache_hash hash = c->scope;

	cache_hash_add(&hash, name.ptr, name.len);
	return cache_folder_file(&c->folder, &hash, path, PATH_MAX);
}

/* A file holds a line with the name and the profile's size before it: names
 * whose hashes are equal are told apart, and what was cut is not believed. */
static bool head_of(struct str name, size_t size, struct buf *out)
{
	buf_init(out, LIMIT_STRING_BYTES + 64);
	buf_add_str(out, name);
	buf_addf(out, " %zu\n", size);
	return out->state == BUF_OK;
}

static bool read_file(struct str file, struct str name, struct buf *bytes)
{
	size_t line = str_find(file, STR("\n"));
	struct buf head;
	bool is_ours;

	if (line == SIZE_MAX)
		return false;
	is_ours = head_of(name, file.len - line - 1, &head) &&
		  str_starts(file, buf_str(&head));
	buf_release(&head);
	if (is_ours)
		buf_add_str(bytes, str_slice(file, line + 1, file.len));
	return is_ours && bytes->state == BUF_OK;
}

bool profile_cache_find(struct profile_cache *c, struct str name,
			struct buf *bytes)
{
	char path[PATH_MAX];
	struct error ignored;
	struct buf file;
	bool is_found;

	if (!entry_path(c, name, path) ||
	    !cache_file_is_usable(&c->folder, path))
		return false;
	buf_init(&file, LIMIT_PROFILE_CACHE_FILE_BYTES + LIMIT_STRING_BYTES);
	is_found = file_read(path, &file, &ignored) &&
		   read_file(buf_str(&file), name, bytes);
	buf_release(&file);
	return is_found;
}

bool profile_cache_add(struct profile_cache *c, struct str name,
		       struct str bytes, struct error *err)
{
	char path[PATH_MAX];
	struct outfile file;
	struct buf head;
	bool is_ok;

	if (bytes.len > LIMIT_PROFILE_CACHE_FILE_BYTES ||
	    name.len > LIMIT_STRING_BYTES || !entry_path(c, name, path))
		return true;
	c->is_changed = true;
	is_ok = head_of(name, bytes.len, &head)
			? outfile_open(&file, path, 0600, err)
			: error_memory(err, "a profile");
	if (is_ok) {
		out_str(&file.out, buf_str(&head));
		out_str(&file.out, bytes);
		is_ok = outfile_commit(&file, err);
	}
	buf_release(&head);
	return is_ok || error_prefix(err, "the cache of profiles");
}
