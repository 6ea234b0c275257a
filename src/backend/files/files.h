/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles from files; the second of two files is read while the first is.
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

/* A file that is being read in the background. */
struct file_ahead {
	struct thread thread;
	const char *path; /* NULL: none */
	struct profile_want want;
	enum stack_order order;
	struct profile *profile;
	struct notes notes;
	struct error err;
	bool is_read;
};

/* Starts to read the second of two files into an initialized profile if both
 * are large and there are processors for it. type and like as above. */
void file_ahead_start(struct file_ahead *a, const struct backends *b,
		      const char *first, const char *second, struct str type,
		      const struct type_name *like, struct profile *profile);

/* Waits for the file. Returns false if it has to be read (again), because
 * nothing was read, or because the result may differ from that of
 * fetch_profile_file() for the type `like` (NULL: not wanted). The profile is
 * empty then. Must always be called; a may be NULL. */
bool file_ahead_take(struct file_ahead *a, struct backends *b,
		     const struct type_name *like);

/* Several profiles from files, added up. */

/* Reads all paths, two at a time where there are processors for it, into an
 * initialized profile. type, as in struct profile_want, selects the type in the
 * first file with samples; the same type is read from the others. Files without
 * samples are noted. Fails, naming both files, if two of them have different
 * types. backends.file_order must not be STACKS_SUMMED; with STACKS_ANY_ORDER
 * the sum of large ones may be loose. */
bool fetch_profile_files(struct backends *b, const char *const *paths,
			 size_t count, struct str type, struct profile *profile,
			 struct error *err) MUST_CHECK;

#endif
