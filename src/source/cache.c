/* SPDX-License-Identifier: Apache-2.0 */
#include "source/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "source/har.h"

#define SUFFIX ".har.gz"
/* Two hashes in hex and the suffix. */
#define NAME_BYTES (32 + sizeof SUFFIX)

struct cache {
	char *folder;
	char *scope;
	bool is_changed;
};

/* ---- names ---- */

/* FNV-1a, 64 bits (draft-eastlake-fnv); the offset basis is given, so that two
 * of them make 128 bits. Equal in every run, unlike hash_bytes(). */
static uint64_t fnv_add(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* With its end, so that "ab","c" and "a","bc" differ. */
static uint64_t fnv_text(uint64_t hash, const char *text)
{
	return text ? fnv_add(hash, text, strlen(text) + 1)
		    : fnv_add(hash, "\xff", 1);
}

static uint64_t request_hash(const struct cache *c,
			     const struct http_request *request,
			     const char *url, uint64_t hash)
{
	const struct endpoint *e = request->endpoint;

	hash = fnv_text(hash, c->scope);
	hash = fnv_text(hash, e->tenant_id);
	hash = fnv_text(hash, e->username);
	hash = fnv_text(hash, request->method);
	hash = fnv_text(hash, url);
	hash = fnv_text(hash, request->accept);
	hash = fnv_text(hash, request->content_type);
	return fnv_add(hash, request->body.data, request->body.len);
}

static bool entry_path(const struct cache *c,
		       const struct http_request *request, const char *url,
		       char path[PATH_MAX])
{
	uint64_t high =
		request_hash(c, request, url, UINT64_C(0xcbf29ce484222325));
	uint64_t low =
		request_hash(c, request, url, UINT64_C(0x84222325cbf29ce4));
	int len =
		snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%016" PRIx64 SUFFIX,
			 c->folder, high, low);

	return len > 0 && len < PATH_MAX;
}

/* ---- the folder ---- */

static bool folder_prepare(const char *folder, struct error *err)
{
	struct stat st;

	if (!folders_make(folder, err))
		return false;
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set(err, ERROR_OUTPUT,
				 "--cache: cannot make the folder %s: %s",
				 folder, strerror(errno));
	if (stat(folder, &st) || !S_ISDIR(st.st_mode))
		return error_set(err, ERROR_OUTPUT, "--cache: %s is no folder",
				 folder);
	if (st.st_uid == geteuid() && !(st.st_mode & 022))
		return true;
	return error_set(err, ERROR_OUTPUT,
			 "--cache: others may write to %s, so what it says "
			 "cannot be believed: chmod 700 it",
			 folder);
}

struct cache *cache_open(const char *folder, const char *scope,
			 struct error *err)
{
	struct cache *c;

	if (!folder_prepare(folder, err))
		return NULL;
	c = mem_calloc(1, sizeof *c);
	if (c) {
		c->folder = mem_strdup(folder);
		c->scope = mem_strdup(scope ? scope : "");
	}
	if (c && c->folder && c->scope)
		return c;
	cache_close(c);
	error_memory(err, "the cache");
	return NULL;
}

/* ---- tidying ---- */

struct kept {
	char name[NAME_BYTES];
	int64_t age_ns;
	int64_t size_bytes;
};

static bool is_entry(const char *name)
{
	size_t len = strlen(name);

	return len == NAME_BYTES - 1 &&
	       strspn(name, "0123456789abcdef") == 32 &&
	       !strcmp(name + 32, SUFFIX);
}

static int64_t age_ns(const struct stat *st)
{
	return clock_now_ns() -
	       ((int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec);
}

static bool is_young(int64_t age)
{
	/* A clock that was set back makes no answer younger. */
	return age >= 0 && age <= LIMIT_CACHE_AGE_S * NS_PER_S;
}

static int by_age(const void *a, const void *b)
{
	const struct kept *first = a, *second = b;

	if (first->age_ns != second->age_ns)
		return first->age_ns < second->age_ns ? -1 : 1;
	return strcmp(first->name, second->name);
}

static void entry_remove(const struct cache *c, const char *name)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, "%s/%s", c->folder, name);

	if (len > 0 && (size_t)len < sizeof path)
		unlink(path);
}

/* Past the room of the list, files go at once: the folder is full anyway. */
static size_t list_entries(const struct cache *c, DIR *folder,
			   struct kept *list)
{
	struct dirent *item;
	size_t count = 0;

	while ((item = readdir(folder))) {
		struct stat st;

		if (!is_entry(item->d_name) ||
		    fstatat(dirfd(folder), item->d_name, &st,
			    AT_SYMLINK_NOFOLLOW))
			continue;
		if (!is_young(age_ns(&st)) || count >= LIMIT_CACHE_FILES) {
			entry_remove(c, item->d_name);
			continue;
		}
		memcpy(list[count].name, item->d_name, NAME_BYTES);
		list[count].age_ns = age_ns(&st);
		list[count++].size_bytes = st.st_size;
	}
	return count;
}

/* The oldest go first. */
static void tidy(const struct cache *c)
{
	struct kept *list = mem_calloc(LIMIT_CACHE_FILES, sizeof *list);
	DIR *folder = opendir(c->folder);
	int64_t total = 0;
	size_t count;

	if (list && folder) {
		count = list_entries(c, folder, list);
		qsort(list, count, sizeof *list, by_age);
		for (size_t i = 0; i < count; i++) {
			total += list[i].size_bytes;
			if (total > (int64_t)LIMIT_CACHE_BYTES)
				entry_remove(c, list[i].name);
		}
	}
	if (folder)
		closedir(folder);
	mem_free(list);
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	if (c->is_changed)
		tidy(c);
	mem_free(c->folder);
	mem_free(c->scope);
	mem_free(c);
}

/* ---- answers ---- */

bool cache_find(struct cache *c, const struct http_request *request,
		const char *url, struct http_response *response)
{
	char path[PATH_MAX];
	struct error ignored;
	struct har *har;
	struct stat st;
	bool is_found;

	if (!entry_path(c, request, url, path) || lstat(path, &st) ||
	    !S_ISREG(st.st_mode) || !is_young(age_ns(&st)))
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

/* Something else in an entry's place, such as a pipe, would be written into
 * rather than replaced. */
static bool clear_place(const char *path)
{
	struct stat st;

	return lstat(path, &st) || S_ISREG(st.st_mode) || !unlink(path);
}

bool cache_add(struct cache *c, const struct http_request *request,
	       const char *url, const struct http_response *response,
	       int64_t started_ns, struct error *err)
{
	char path[PATH_MAX];
	struct har *har;
	bool is_done;

	if (response->status < 200 || response->status > 299 ||
	    response->err.code != ERROR_NONE ||
	    response->body.len > LIMIT_CACHE_BODY_BYTES ||
	    !entry_path(c, request, url, path) || !clear_place(path))
		return true;
	har = har_new(err);
	is_done = har &&
		  har_add(har, request, url, response, started_ns, err) &&
		  har_write(har, path, err);
	har_free(har);
	c->is_changed |= is_done;
	return is_done || error_prefix(err, "--cache");
}
