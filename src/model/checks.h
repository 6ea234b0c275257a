/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of doctor: one entry per check, with a fix for each problem, and the
 * exit status they lead to.
 */
#ifndef MODEL_CHECKS_H
#define MODEL_CHECKS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum check_status { CHECK_OK = 0, CHECK_WARNING, CHECK_FAILED };

struct check {
	enum check_status status;
	enum error_code code; /* of a failed check */
	const char *side;     /* "traces", "profiles", or "" */
	const char *name;     /* "server" */
	struct str text;      /* the result; contains foreign text */
	struct str fix;       /* a command or setting; empty when OK */
};

struct checks {
	struct arena *arena; /* borrowed */
	struct check items[LIMIT_CHECKS];
	size_t count;
	size_t dropped; /* number past the limit */
	bool is_failed; /* out of memory; reported by checks_end() */
};

void checks_init(struct checks *c, struct arena *arena);

/* Append a check. side and name must be static strings. */
void check_ok(struct checks *c, const char *side, const char *name,
	      const char *format, ...) PRINTF_LIKE(4, 5);
void check_warn(struct checks *c, const char *side, const char *name,
		const char *format, ...) PRINTF_LIKE(4, 5);
void check_fail(struct checks *c, enum error_code code, const char *side,
		const char *name, const char *format, ...) PRINTF_LIKE(5, 6);

/* Sets the fix of the check appended last. */
void check_fix(struct checks *c, const char *format, ...) PRINTF_LIKE(2, 3);

/* Returns false and sets the error if memory ran out. */
bool checks_end(const struct checks *c, struct error *err) MUST_CHECK;

size_t checks_count(const struct checks *c, enum check_status status);

/* Returns the exit status of the first failed check, 0 if none; warnings do not
 * count. */
int checks_exit_code(const struct checks *c);

/* Returns "ok", "warning" or "failed". */
const char *check_status_name(enum check_status status);

#endif
