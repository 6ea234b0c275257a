/* SPDX-License-Identifier: Apache-2.0
 *
 * One configuration file in memory. Its keys are the long names of those rows
 * of the option table that carry OPTION_CONFIG (in the user's own file) or
 * OPTION_REPOSITORY (in a repository's .tracefind). The .c is the only file
 * that includes inih. Knows no paths but the one it is told, for messages.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/optparse.h"

enum config_kind {
	CONFIG_USER = 0,
	/* Comes with a clone, so from a stranger: names only. */
	CONFIG_REPOSITORY,
};

/* One "key = value". Strings live in the file's arena. */
struct config_entry {
	const char *context; /* NULL: before the first section */
	struct option_form form;
	const char *value; /* as written, without quotes around it */
	/* What the run takes: names of files with "~/" and the folder of the
	 * file filled in; else the same pointer. */
	const char *used;
	unsigned line;
};

struct config_context {
	const char *name;
	unsigned line; /* of its first section */
};

struct config_file {
	enum config_kind kind;
	const char *path;
	struct config_entry *entries; /* in the order of the file */
	size_t count;
	size_t cap;
	struct config_context *contexts;
	size_t context_count;
	size_t context_cap;
	const char *current; /* of current-context, or NULL */
	unsigned current_line;
};

/* Fills f from the text of the file at path; all it holds lives in arena.
 * ERROR_USAGE with "path:line: " for what is not understood: the first. */
bool config_file_parse(struct config_file *f, enum config_kind kind,
		       const char *path, struct str text, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* The last entry of this form in a context (NULL: before the first section),
 * or NULL. */
const struct config_entry *config_file_find(const struct config_file *f,
					    const char *context,
					    const struct option_form *form);

const struct config_context *config_file_context(const struct config_file *f,
						 const char *name);

/* Whether the name may stand in [context "NAME"]: letters, digits and "._-",
 * at most LIMIT_CONTEXT_NAME_BYTES. */
bool context_name_check(const char *name, struct error *err) MUST_CHECK;

/* The form of a key that this kind of file may hold. ERROR_USAGE names the
 * nearest key, or says why this one may not stand there. */
bool config_key_find(enum config_kind kind, struct str key,
		     struct option_form *form, struct error *err) MUST_CHECK;

#endif
