/* SPDX-License-Identifier: Apache-2.0
 *
 * Files instead of a server of profiles: whoever asks names them, and they
 * answer by themselves. Two are read side by side. Knows no server.
 */
#ifndef BACKEND_FILES_ANSWERS_H
#define BACKEND_FILES_ANSWERS_H

#include "backend/backends.h"
#include "backend/jobs.h"
#include "backend/whole_profile.h"

extern const struct profile_backend profile_files;

/* One by one, as they are; for struct profile_backend. */
bool files_each(struct backends *b, const struct whole_query *query,
		const struct whole_taker *taker,
		struct error *err) MUST_CHECK;

#endif
