/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortened source file paths for display: without leading folders that only
 * depend on the machine that compiled the code (caches, toolchains, builds).
 * Machine-readable outputs have the full path.
 */
#ifndef MODEL_SOURCE_PATH_H
#define MODEL_SOURCE_PATH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* The common folder of the application's own files. Initialize with 0. */
struct source_root {
	/* With a final slash; a part of the first file's path. */
	struct str folder;
	bool is_begun;
};

/* Adds one of the application's own files. Files of caches and toolchains, and
 * texts that are not paths, are ignored. */
void source_root_add(struct source_root *root, struct str file);

/* Returns the end of a path: "runtime/proc.go" of
 * "/usr/local/go/src/runtime/proc.go", "store/users.go" of
 * "/build/shop/store/users.go" if the root is "/build/shop/"; unchanged if no
 * known folder matches. Never empty unless the path is. Also accepts function
 * names that begin with a path. */
struct str source_path_shorten(struct str file, struct str root);

/* Returns the file name with its folder: "users/views.py" of
 * "/srv/users/views.py". */
struct str source_path_end(struct str path);

/* Appends the parts of the shortened path that are stable between builds:
 * "shop/views.py" of "/srv/shop/releases-7/..." and of
 * "/tmp/tmpab12cd_x/shop/v7/views.py", without folders of releases, layers and
 * temporary files. A hash or version in a name becomes '*': "js/main.*.js" of
 * "/js/main.3f2a91bc.js"; "libz.so" of "libz.so.1". Idempotent. */
void source_path_stable(struct str path, struct buf *out);

/* Returns whether a mapping is not a library but JIT-compiled code: a file
 * written by the process or its anonymous memory, named by number or not at all
 * ("/tmp/perf-123.map", "jitted-123-4.so", "//anon"). */
bool source_path_is_of_process(struct str path);

#endif
