/* SPDX-License-Identifier: Apache-2.0
 *
 * Where configuration lies and what it means for a run: the user's file with
 * its contexts, and the .tracefind of a repository. Fills struct options after
 * command line and environment, which both win over it.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "cli/config_file.h"
#include "cli/options.h"

struct command;

struct config {
	struct arena arena;
	const char *user_path; /* NULL: there is no home folder */
	struct config_file user;
	struct config_file repository; /* path NULL: there is none */
	const char *context;           /* the one in force, or NULL */
};

/* Empty; config_release() is harmless from here on. */
void config_init(struct config *c);

/* Finds and reads both files; one that does not exist is no error. The context
 * is that of o, else current-context; a missing one is an error that names the
 * nearest. Release also after failure. */
bool config_load(struct config *c, const struct options *o,
		 struct error *err) MUST_CHECK;
void config_release(struct config *c);

/* The user's file only, whatever context it says is in force. */
bool config_load_user(struct config *c, struct error *err) MUST_CHECK;

/* Whether the user's file has this context; the error names the nearest. */
bool config_context_check(const struct config *c, const char *name,
			  struct error *err) MUST_CHECK;

/* Fills what command line and environment left open. Settings that belong to a
 * server are left out where o already names another server for that side: a
 * context's credentials are for its own. Values are borrowed from c. */
bool config_apply(const struct config *c, const struct command *command,
		  struct options *o, struct error *err) MUST_CHECK;

/* The entry that config_apply() took this value from, and its file; NULL when
 * it is not from c. */
const struct config_entry *config_source(const struct config *c,
					 const char *value, const char **path);

#endif
