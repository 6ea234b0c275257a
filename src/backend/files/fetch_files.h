/* SPDX-License-Identifier: Apache-2.0
 *
 * Several profiles from files, added up to one.
 */
#ifndef BACKEND_FETCH_FILES_H
#define BACKEND_FETCH_FILES_H

#include "backend/backends.h"
#include "model/profile.h"

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
