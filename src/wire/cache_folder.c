/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/system.h"
#include "base/timefmt.h"

/* Two hashes in hex. */
#define HASH_DIGITS ((size_t)32)
#define NAME_BYTES (HASH_DIGITS + 16)

/* ---- names ---- */

/* FNV-1a, 64 bits (draft-eastlake-fnv), from two offset bases. Equal in every
 * run, unlike hash_bytes(). */
static uint64_t fnv_add(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

void cache_hash_init(struct cache_hash *hash)
{
	*hash = (struct cache_hash){ UINT64_C(0xcbf29ce484222325),
				     UINT64_C(0x84222325cbf29ce4) };
}

void cache_hash_add(struct cache_hash *hash, const void *data, size_t len)
{
	hash->high = fnv_add(hash->high, data, len);
	hash->low = fnv_add(hash->low, data, len);
}

void cache_hash_text(struct cache_hash *hash, const char *text)
{
	if (text)
		cache_hash_add(hash, text, strlen(text) + 1);
	else
		cache_hash_add(hash, "\xff", 1);
}

bool cache_folder_file(const struct cache_folder *folder,
		       const struct cache_hash *hash, char *path, size_t size)
{
	int len = snprintf(path, size, "%s/%016" PRIx64 "%016" PRIx64 "%s",
			   folder->path, hash->high, hash->low, folder->suffix);

	return len > 0 && (size_t)len < size;
}

/* ---- the folder ---- */

bool cache_folder_prepare(const char *folder, struct error *err)
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
			 "others may write to %s, so what it says "
			 "cannot be believed: chmod 700 it",
			 folder);
}

/* ---- tidying ---- */

struct kept {
	char name[NAME_BYTES];
	int64_t age_ns;
	int64_t size_bytes;
};

static bool is_entry(const struct cache_folder *f, const char *name)
{
	return strlen(name) < NAME_BYTES &&
	       strspn(name, "0123456789abcdef") == HASH_DIGITS &&
	       !strcmp(name + HASH_DIGITS, f->suffix);
}

static int64_t age_ns(const struct stat *st)
{
	return clock_now_ns() -
	       ((int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec);
}

static bool is_young(const struct cache_folder *f, int64_t age)
{
	/* A clock that was set back makes no answer younger. */
	return age >= 0 && age <= f->age_s * NS_PER_S;
}

bool cache_file_is_usable(const struct cache_folder *folder, const char *path)
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

/* Past the room of the list, files go at once: the folder is full anyway. */
static size_t list_entries(const struct cache_folder *f, DIR *folder,
			   struct kept *list)
{
	struct dirent *item;
	size_t count = 0;

	while ((item = readdir(folder))) {
		struct stat st;

		if (!is_entry(f, item->d_name) ||
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

/* The oldest go first. */
void cache_folder_tidy(const struct cache_folder *f)
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
