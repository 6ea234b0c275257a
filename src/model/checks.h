/* SPDX-License-Identifier: Apache-2.0
 *
 * What doctor finds: one entry a check, with the fix for all that is not
 * well, and what of it the exit status tells.
 */
#ifndef MODEL_CHECKS_H
#define MODEL_CHECKS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum check_status { CHECK_OK = 0, CHECK_WARNING, CHECK_FAILED };

struct check {
	enum check_status status;
	enum error_code code; /* of a failed one */
	const char *side;     /* "traces", "profiles", or "" */
	const char *name;     /* "server" */
	struct str text;      /* what was found; foreign text within */
	struct str fix;       /* a command or setting; empty when well */
};

struct checks {
	struct arena *arena; /* borrowed */
	struct check items[LIMIT_CHECKS];
	size_t count;
	size_t dropped; /* past the limit */
	bool is_failed; /* out of memory; told by checks_end() */
};

void checks_init(struct checks *c, struct arena *arena);

/* Each appends one check. side and name are constants. */
void check_ok(struct checks *c, const char *side, const char *name,
	      const char *format, ...) PRINTF_LIKE(4, 5);
void check_warn(struct checks *c, const char *side, const char *name,
		const char *format, ...) PRINTF_LIKE(4, 5);
void check_fail(struct checks *c, enum error_code code, const char *side,
		const char *name, const char *format, ...) PRINTF_LIKE(5, 6);

/* The fix of the check appended last. */
void check_fix(struct checks *c, const char *format, ...) PRINTF_LIKE(2, 3);

/* False when memory ran out on the way. */
bool checks_end(const struct checks *c, struct error *err) MUST_CHECK;

size_t checks_count(const struct checks *c, enum check_status status);

/* That of the first failed check; warnings do not count. */
int checks_exit_code(const struct checks *c);

/* "ok", "warning", "failed". */
const char *check_status_name(enum check_status status);

#endif
