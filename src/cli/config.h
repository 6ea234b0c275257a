/* SPDX-License-Identifier: Apache-2.0
 *
 * Where configuration lies and what it means for a run: the user's file with
 * its contexts, and the .tracefind of a repository. Fills struct options after
 * command line and environment, which both win over it.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/optparse.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/options.h"

/* One configuration file in memory. Its keys are the long names of those rows
 * of the option table that carry OPTION_CONFIG (in the user's own file) or
 * OPTION_REPOSITORY (in a repository's .tracefind). The .c is the only file
 * that includes inih. Knows no paths but the one it is told, for messages. */

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

/* Returns whether the name may stand in [context "NAME"]: letters, digits and
 * "._-", at most LIMIT_CONTEXT_NAME_BYTES. */
bool context_name_check(const char *name, struct error *err) MUST_CHECK;

/* The form of a key that this kind of file may hold. ERROR_USAGE names the
 * nearest key, or says why this one may not stand there. */
bool config_key_find(enum config_kind kind, struct str key,
		     struct option_form *form, struct error *err) MUST_CHECK;

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

/* Returns whether the user's file has this context; the error names the
 * nearest. */
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

/* Changes to the user's configuration that leave every other line as it is:
 * comments, order and indentation are the user's own. */

/* One change. */
struct config_change {
	const char *context; /* NULL: before the first section */
	const char *key;     /* a key of the user's file, or current-context */
	const char *value;   /* NULL: its line is taken out */
	bool is_added; /* a further value of a key that may be repeated */
};

/* Writes `text`, the content of the file at path (empty: there is none), with
 * the change to out. A value that stands there is replaced, a comment behind it
 * kept; else a line is added, with a section if need be. False when the text is
 * not understood, when the key has several values, and when the form of the
 * file cannot hold the value. */
bool config_edit(struct buf *out, const char *path, struct str text,
		 const struct config_change *change,
		 struct error *err) MUST_CHECK;

/* Returns whether a value stands between quotes in a file. */
bool config_value_is_quoted(const char *value);

/* Reads the file at path, makes the changes in this order and replaces it at
 * once, mode 0600; folders on the way are made with mode 0700. */
bool config_edit_file(const char *path, const struct config_change *changes,
		      size_t count, struct error *err) MUST_CHECK;

/* From Grafana's data sources to contexts of the configuration. */

/* Makes a context of every server of traces in Grafana's provisioning file at
 * path (and of servers of profiles that none leads to), and adds them to the
 * user's file. name: the one context's, or NULL for those in Grafana. What was
 * taken over goes to out, and what has to be done by hand. */
bool config_import_grafana(const struct config *c, const char *path,
			   const char *name, struct out *out,
			   struct error *err) MUST_CHECK;

/* The values that may be written into the configuration from a command line. */

/* As the run would take it, so that it does not fail later, and no secret.
 * ERROR_USAGE. */
bool config_value_check(const struct option_form *form, const char *key,
			const char *value, struct error *err) MUST_CHECK;

/* Fills what was not given from TRACEFIND_* (and PROFILECLI_* for the profile
 * side). */
bool options_environment(struct options *o, struct error *err) MUST_CHECK;

/* At the end of the program: overwrites the secrets that stand in the
 * environment, tokens, passwords, and logins of proxies. */
void environment_wipe(void);

/* Returns whether the command line or the environment, as far as `before` has
 * them, leave no room for a value of this form: they give it, in the side's own
 * form or the common one, or another credential. */
bool options_settled(const struct options *before,
		     const struct option_form *form);

#endif
