/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of check --all --resume: the results of a sweep so far, so that an
 * interrupted one can be resumed. Appended to after each service, and removed
 * when the sweep is complete.
 */
#ifndef BACKEND_FLEET_FILE_H
#define BACKEND_FLEET_FILE_H

#include "base/error.h"
#include "model/fleet.h"

struct fleet_file {
	const char *path;
	int fd; /* -1: none, or not opened yet */
};

/* Reads the file into an initialized f, which stays empty if there is no file
 * yet. question: the query as text. ERROR_USAGE: the file is of another query
 * or too old; ERROR_FORMAT: not a file of this kind. path may be NULL. Close it
 * after failure, too. */
bool fleet_file_open(struct fleet_file *file, const char *path,
		      struct str question, struct fleet *f,
		      int64_t now_ns, struct error *err) MUST_CHECK;

/* Writes the list of services when a sweep begins. */
bool fleet_file_begin(struct fleet_file *file, const struct fleet *f,
		      struct str question, struct error *err) MUST_CHECK;

/* Appends the result of a service. */
bool fleet_file_take(struct fleet_file *file, const struct fleet *f,
		     size_t index, struct error *err) MUST_CHECK;

void fleet_file_close(struct fleet_file *file);

/* Removes the file: the sweep is complete. */
bool fleet_file_remove(struct fleet_file *file, struct error *err) MUST_CHECK;

#endif
