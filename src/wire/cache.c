/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/str.h"
#include "base/system.h"
#include "base/timefmt.h"
#include "wire/har.h"
#include "wire/http_message.h"

/* Cache folder: accessible to the user only, files named by a hash, limited in
 * age, number and size. */

/* Two 64-bit hashes in hex. */
#define HASH_DIGITS ((size_t)32)
#define NAME_BYTES (HASH_DIGITS + 16)

/* ---- names ---- */

/* FNV-1a, 64 bits (draft-eastlake-fnv), from two offset bases. The same in
 * every run, unlike hash_bytes(). */
static uint64_t fnv_add(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* 128 bits, the same in every run. */
struct cache_hash {
	uint64_t high;
	uint64_t low;
};

static void cache_hash_init(struct cache_hash *hash)
{
	*hash = (struct cache_hash){ UINT64_C(0xcbf29ce484222325),
				     UINT64_C(0x84222325cbf29ce4) };
}

static void cache_hash_add(struct cache_hash *hash, const void *data,
			   size_t len)
{
	hash->high = fnv_add(hash->high, data, len);
	hash->low = fnv_add(hash->low, data, len);
}

/* Includes the terminating NUL, so that "ab","c" and "a","bc" differ. NULL is
 * distinct. */
static void cache_hash_text(struct cache_hash *hash, const char *text)
{
	if (text)
		cache_hash_add(hash, text, strlen(text) + 1);
	else
		cache_hash_add(hash, "\xff", 1);
}

struct cache_folder {
	const char *path;
	const char *suffix; /* of its files: ".har.gz" */
	int64_t age_s;      /* maximum age of files */
	size_t files;
	int64_t size_bytes;
};

/* Writes the path for this hash; false if too long. */
static bool cache_folder_file(const struct cache_folder *folder,
			      const struct cache_hash *hash, char *path,
			      size_t size)
{
	int len = snprintf(path, size, "%s/%016" PRIx64 "%016" PRIx64 "%s",
			   folder->path, hash->high, hash->low, folder->suffix);

	return len > 0 && (size_t)len < size;
}

/* ---- the folder ---- */

/* Creates the folder with mode 0700 if missing; refuses one that others can
 * write to. */
static bool cache_folder_prepare(const char *folder, struct error *err)
{
	struct stat st;

	if (!folders_make(folder, err))
		return false;
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set(err, ERROR_OUTPUT,
				 "cannot make the folder %s: %s", folder,
				 strerror(errno));
	if (stat(folder, &st))
		return error_set(err, ERROR_OUTPUT, "cannot look at %s: %s",
				 folder, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return error_set(err, ERROR_OUTPUT, "%s is no folder", folder);
	if (st.st_uid == geteuid() && !(st.st_mode & 022))
		return true;
	return error_set(err, ERROR_OUTPUT,
			 "others may write to %s, so it cannot be trusted: "
			 "chmod 700 it",
			 folder);
}

/* ---- cleanup ---- */

struct kept {
	char name[NAME_BYTES];
	int64_t age_ns;
	int64_t size_bytes;
};

static int64_t age_ns(const struct stat *st)
{
	return clock_now_ns() -
	       ((int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec);
}

static bool is_young(const struct cache_folder *f, int64_t age)
{
	/* When the clock was set back, files from the future are expired. */
	return age >= 0 && age <= f->age_s * NS_PER_S;
}

/* Returns whether it is a regular file that has not expired. */
static bool cache_file_is_usable(const struct cache_folder *folder,
				 const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) &&
	       is_young(folder, age_ns(&st));
}

static int by_age(const void *a, const void *b)
{
	const struct kept *first = a, *second = b;

	if (first->age_ns != second->age_ns)
		return first->age_ns < second->age_ns ? -1 : 1;
	return strcmp(first->name, second->name);
}

static void entry_remove(const struct cache_folder *f, const char *name)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, "%s/%s", f->path, name);

	if (len > 0 && (size_t)len < sizeof path)
		unlink(path);
}

/* Files that exceed the list are deleted immediately: the folder is over its
 * limit anyway. */
static size_t list_entries(const struct cache_folder *f, DIR *folder,
			   struct kept *list)
{
	struct dirent *item;
	size_t count = 0;

	while ((item = readdir(folder))) {
		struct stat st;

		if (strlen(item->d_name) >= NAME_BYTES ||
		    strspn(item->d_name, "0123456789abcdef") != HASH_DIGITS ||
		    strcmp(item->d_name + HASH_DIGITS, f->suffix) ||
		    fstatat(dirfd(folder), item->d_name, &st,
			    AT_SYMLINK_NOFOLLOW))
			continue;
		if (!is_young(f, age_ns(&st)) || count >= f->files) {
			entry_remove(f, item->d_name);
			continue;
		}
		memcpy(list[count].name, item->d_name,
		       strlen(item->d_name) + 1);
		list[count].age_ns = age_ns(&st);
		list[count++].size_bytes = st.st_size;
	}
	return count;
}

/* Deletes expired files, then the oldest ones over the limits. */
static void cache_folder_tidy(const struct cache_folder *f)
{
	struct kept *list = mem_calloc(f->files, sizeof *list);
	DIR *folder = opendir(f->path);
	int64_t total = 0;
	size_t count;

	if (list && folder) {
		count = list_entries(f, folder, list);
		qsort(list, count, sizeof *list, by_age);
		for (size_t i = 0; i < count; i++) {
			total += list[i].size_bytes;
			if (total > f->size_bytes)
				entry_remove(f, list[i].name);
		}
	}
	if (folder)
		closedir(folder);
	mem_free(list);
}

struct cache {
	char *path;
	char *scope;
	struct cache_folder folder;
	bool is_changed;
};

/* ---- names ---- */

static bool entry_path(const struct cache *c,
		       const struct http_request *request, const char *url,
		       char path[PATH_MAX])
{
	const struct endpoint *e = request->endpoint;
	struct cache_hash hash;

	cache_hash_init(&hash);
	cache_hash_text(&hash, c->scope);
	cache_hash_text(&hash, e->tenant_id);
	cache_hash_text(&hash, e->username);
	cache_hash_text(&hash, request->method);
	cache_hash_text(&hash, url);
	cache_hash_text(&hash, request->accept);
	cache_hash_text(&hash, request->content_type);
	cache_hash_add(&hash, request->body.data, request->body.len);
	return cache_folder_file(&c->folder, &hash, path, PATH_MAX);
}

/* ---- the folder ---- */

struct cache *cache_open(const char *folder, const char *scope,
			 struct error *err)
{
	struct cache *c;

	if (!cache_folder_prepare(folder, err)) {
		error_prefix(err, "--cache");
		return NULL;
	}
	c = mem_calloc(1, sizeof *c);
	if (c) {
		c->path = mem_strdup(folder);
		c->folder = (struct cache_folder){
			.path = c->path,
			.suffix = ".har.gz",
			.age_s = LIMIT_CACHE_AGE_S,
			.files = LIMIT_CACHE_FILES,
			.size_bytes = (int64_t)LIMIT_CACHE_BYTES,
		};
		c->scope = mem_strdup(scope ? scope : "");
	}
	if (c && c->path && c->scope)
		return c;
	cache_close(c);
	error_memory(err, "the cache");
	return NULL;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	if (c->is_changed)
		cache_folder_tidy(&c->folder);
	mem_free(c->path);
	mem_free(c->scope);
	mem_free(c);
}

/* ---- responses ---- */

bool cache_find(struct cache *c, const struct http_request *request,
		const char *url, struct http_response *response)
{
	char path[PATH_MAX];
	struct error ignored;
	struct har *har;
	bool is_found;

	if (!entry_path(c, request, url, path) ||
	    !cache_file_is_usable(&c->folder, path))
		return false;
	har = har_open(path, &ignored);
	is_found = har && har_find(har, request, url, response, &ignored);
	har_free(har);
	if (!is_found) {
		http_response_release(response);
		memset(response, 0, sizeof *response);
	}
	return is_found;
}

bool cache_add(struct cache *c, const struct http_request *request,
	       const char *url, const struct http_response *response,
	       int64_t started_ns, struct error *err)
{
	char path[PATH_MAX];
	struct stat st;
	struct har *har;
	bool is_done;

	if (response->status < 200 || response->status > 299 ||
	    response->err.code != ERROR_NONE ||
	    response->body.len > LIMIT_CACHE_BODY_BYTES ||
	    !entry_path(c, request, url, path))
		return true;
	/* Anything else in place of an entry, such as a pipe, would be written
	 * to instead of replaced. */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode) && unlink(path))
		return true;
	har = har_new(err);
	is_done = har &&
		  har_add(har, request, url, response, started_ns, err) &&
		  har_write(har, path, err);
	har_free(har);
	c->is_changed |= is_done;
	return is_done || error_prefix(err, "--cache");
}

/* Profile cache, see cache.h. */

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

static bool profile_path(const struct profile_cache *c, struct str name,
			 char path[PATH_MAX])
{
	struct cache_hash hash = c->scope;

	cache_hash_add(&hash, name.ptr, name.len);
	return cache_folder_file(&c->folder, &hash, path, PATH_MAX);
}

/* A file starts with a line of the profile's name and size, to detect hash
 * collisions and truncation. */
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

	if (!profile_path(c, name, path) ||
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
	    name.len > LIMIT_STRING_BYTES || !profile_path(c, name, path))
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
