/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles from files; and of two files the second while the first is read.
 */
#ifndef BACKEND_FILES_H
#define BACKEND_FILES_H

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

/* Several profiles from files, added up to one. */

/* Reads all paths, two at a time where there are processors for it, into an
 * initialised profile. type as in struct profile_want says which one of the
 * first file that has samples; the others are asked for the same. Files
 * without samples are noted. Fails, naming both files, where two count
 * different things. backends.file_order must not be STACKS_SUMMED; with
 * STACKS_ANY_ORDER the sum of large ones may be loose. */
bool fetch_profile_files(struct backends *b, const char *const *paths,
			 size_t count, struct str type, struct profile *profile,
			 struct error *err) MUST_CHECK;

#endif
