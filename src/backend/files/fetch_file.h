/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles from files; and of two files the second while the first is read.
 */
#ifndef BACKEND_FETCH_FILE_H
#define BACKEND_FETCH_FILE_H

#include "backend/backends.h"
#include "base/thread.h"
#include "model/profile.h"

/* Reads the profile at path ("-": standard input). type and like as in struct
 * profile_want. */
bool fetch_profile_file(struct backends *b, const char *path, struct str type,
			const struct type_name *like, struct profile *profile,
			struct error *err) MUST_CHECK;

/* A file that is being read. */
struct file_ahead {
	struct thread thread;
	const char *path; /* NULL: none is */
	struct profile_want want;
	enum stack_order order;
	struct profile *profile;
	struct notes notes;
	struct error err;
	bool is_read;
};

/* Nothing is being read. Its notes take much room and stay as they are. */
void file_ahead_init(struct file_ahead *a);

/* Starts to read the second of two files into an initialised profile, when
 * both are large and there are processors for it. type and like as above. */
void file_ahead_start(struct file_ahead *a, const struct backends *b,
		      const char *first, const char *second, struct str type,
		      const struct type_name *like, struct profile *profile);

/* Waits for it. False: it is to be read (again), as there is nothing, or
 * nothing that is surely what fetch_profile_file reads when asked for the type
 * like that (NULL: it is not wanted). The profile is empty then. Call it in any
 * case; a may be NULL. */
bool file_ahead_take(struct file_ahead *a, struct backends *b,
		     const struct type_name *like);

#endif
