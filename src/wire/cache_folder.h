/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of the user's alone with files that are kept for later runs: named
 * by a hash of what they are for, bounded in age, number and size.
 */
#ifndef WIRE_CACHE_FOLDER_H
#define WIRE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

struct cache_folder {
	const char *path;
	const char *suffix; /* of its files, ".har.gz" */
	int64_t age_s;      /* files older than this are gone */
	size_t files;
	int64_t size_bytes;
};

/* 128 bits, equal in every run. */
struct cache_hash {
	uint64_t high;
	uint64_t low;
};

void cache_hash_init(struct cache_hash *hash);
void cache_hash_add(struct cache_hash *hash, const void *data, size_t len);
/* With its end, so that "ab","c" and "a","bc" differ. NULL is a text, too. */
void cache_hash_text(struct cache_hash *hash, const char *text);

/* Makes the folder with mode 0700 when it is not there; refuses one that
 * others may write to. */
bool cache_folder_prepare(const char *path, struct error *err) MUST_CHECK;

/* The file for this hash; false when its path is too long. */
bool cache_folder_file(const struct cache_folder *folder,
		       const struct cache_hash *hash, char *path,
		       size_t size) MUST_CHECK;

/* A regular file, and young enough. */
bool cache_file_is_usable(const struct cache_folder *folder, const char *path);

/* Removes files that are too old, then the oldest of too many. */
void cache_folder_tidy(const struct cache_folder *folder);

#endif
