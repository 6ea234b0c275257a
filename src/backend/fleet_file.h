/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of check --all --resume: what a sweep has asked so far, so that one
 * that was stopped goes on from there. It is added to, a service at a time, and
 * gone when all was answered.
 */
#ifndef BACKEND_FLEET_FILE_H
#define BACKEND_FLEET_FILE_H

#include "base/error.h"
#include "model/fleet.h"

struct fleet_file {
	const char *path;
	int fd; /* -1: there is none, or not yet */
};

/* Reads the file into an initialised f, which stays empty where there is none
 * yet. question: what is asked, as text. ERROR_USAGE: the file is of another
 * question or too old; ERROR_FORMAT: it is no such file. path may be NULL.
 * Close it after failure, too. */
bool fleet_file_open(struct fleet_file *file, const char *path,
		      struct str question, struct fleet *f,
		      int64_t now_ns, struct error *err) MUST_CHECK;

/* Writes which services there are, of a sweep that begins. */
bool fleet_file_begin(struct fleet_file *file, const struct fleet *f,
		      struct str question, struct error *err) MUST_CHECK;

/* Adds a service that answered. */
bool fleet_file_take(struct fleet_file *file, const struct fleet *f,
		     size_t index, struct error *err) MUST_CHECK;

void fleet_file_close(struct fleet_file *file);

/* Nothing is left to go on with. */
bool fleet_file_remove(struct fleet_file *file, struct error *err) MUST_CHECK;

#endif
