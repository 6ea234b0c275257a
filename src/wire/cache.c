/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/cache.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "wire/cache_folder.h"
#include "wire/har.h"

struct cache {
	char *path;
	char *scope;
	struct cache_folder folder;
	bool is_changed;
};

/* ---- names ---- */

static void hash_request(const struct cache *c,
			 const struct http_request *request, const char *url,
			 struct cache_hash *hash)
{
	const struct endpoint *e = request->endpoint;

	cache_hash_init(hash);
	cache_hash_text(hash, c->scope);
	cache_hash_text(hash, e->tenant_id);
	cache_hash_text(hash, e->username);
	cache_hash_text(hash, request->method);
	cache_hash_text(hash, url);
	cache_hash_text(hash, request->accept);
	cache_hash_text(hash, request->content_type);
	cache_hash_add(hash, request->body.data, request->body.len);
}

static bool entry_path(const struct cache *c,
		       const struct http_request *request, const char *url,
		       char path[PATH_MAX])
{
	struct cache_hash hash;

	hash_request(c, request, url, &hash);
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

/* ---- answers ---- */

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
