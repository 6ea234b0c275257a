/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths of source files as people read them: without the folders that only
 * say where a cache, a toolchain or a build lies on the machine that compiled
 * it. For tables and pictures; machines get the whole path.
 */
#ifndef MODEL_SOURCE_PATH_H
#define MODEL_SOURCE_PATH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* The folder that the team's own files share. Start with all of it 0. */
struct source_root {
	struct str folder; /* with its last slash; a piece of the first file */
	bool is_begun;
};

/* One more file of the team's own. Those of caches and toolchains, and texts
 * that are no path, are left out. */
void source_root_add(struct source_root *root, struct str file);

/* The end of a path: "runtime/proc.go" of "/usr/local/go/src/runtime/proc.go",
 * "store/users.go" of "/build/shop/store/users.go" when the root is
 * "/build/shop/". Never empty where the path is not; as it is where nothing of
 * this is known. A function's name that begins with a path may be given, too.
 */
struct str source_path_shorten(struct str file, struct str root);

/* The name of a file with its folder: "users/views.py" of
 * "/srv/users/views.py". */
struct str source_path_end(struct str path);

/* Appends the same of what stays from one build to the next: "shop/views.py" of
 * "/srv/shop/releases-7/..." and of "/tmp/tmpab12cd_x/shop/v7/views.py",
 * without folders of releases, layers and temporary files; a hash or version in
 * a name is a '*': "js/main.*.js" of "/js/main.3f2a91bc.js", "libz.so" of
 * "libz.so.1". Appended to a path already stable, it stays as it is. */
void source_path_stable(struct str path, struct buf *out);

/* Returns whether a library is none: what a process wrote, or memory of its
 * own, named by its number or not at all ("/tmp/perf-123.map",
 * "jitted-123-4.so", "//anon"), where functions of compilers that run beside it
 * lie. */
bool source_path_is_of_process(struct str path);

#endif
