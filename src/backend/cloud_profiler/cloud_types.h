/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Profiler's types of profiles by the ids that other servers use, so
 * that --type and the ladder of evidence mean the same everywhere.
 */
#ifndef BACKEND_CLOUD_TYPES_H
#define BACKEND_CLOUD_TYPES_H

#include "base/str.h"
#include "model/profile_list.h"

struct cloud_type {
	enum stored_type type;
	const char *id;
	/* What its samples are called in files of most languages, as struct
	 * profile_want takes it; "": what the file takes for its own. */
	const char *sample;
	/* What agents of other languages call them; "": nothing else. */
	const char *other;
	bool is_main; /* the file's own type; the others are beside it */
};

/* Those that profiles of this type answer, best first; a file of the heap
 * holds bytes and objects. *count is set. */
const struct cloud_type *cloud_types_of(enum stored_type type, size_t *count);

/* NULL: Cloud Profiler has no such type. */
const struct cloud_type *cloud_type_find(struct str id);

#endif
