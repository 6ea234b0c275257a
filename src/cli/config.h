/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration: finds the user's file, which has contexts, and the .tracefind
 * of a repository, and applies them to struct options after command line and
 * environment, which take precedence.
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

/* A configuration file in memory. Its keys are the long names of options with
 * the flag OPTION_CONFIG (user's file) or OPTION_REPOSITORY (a repository's
 * .tracefind). The only user of inih. path is only used in messages. */

enum config_kind {
	CONFIG_USER = 0,
	/* Comes with a clone, so it is untrusted: only names are allowed. */
	CONFIG_REPOSITORY,
};

/* A "key = value". Strings live in the file's arena. */
struct config_entry {
	const char *context; /* NULL: before the first section */
	struct option_form form;
	const char *value; /* as written, without quotes */
	/* The effective value: in file names "~/" and relative paths are
	 * resolved; else the same pointer. */
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
	struct config_entry *entries; /* in file order */
	size_t count;
	size_t cap;
	struct config_context *contexts;
	size_t context_count;
	size_t context_cap;
	const char *current; /* value of current-context, or NULL */
	unsigned current_line;
};

/* Parses the text of the file at path into f, which lives in arena. The first
 * error is reported as ERROR_USAGE with "path:line: ". */
bool config_file_parse(struct config_file *f, enum config_kind kind,
		       const char *path, struct str text, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* Returns the last entry of this form in a context (NULL: before the first
 * section), NULL if absent. */
const struct config_entry *config_file_find(const struct config_file *f,
					    const char *context,
					    const struct option_form *form);

const struct config_context *config_file_context(const struct config_file *f,
						 const char *name);

/* Validates a name for [context "NAME"]: letters, digits and "._-", at most
 * LIMIT_CONTEXT_NAME_BYTES. */
bool context_name_check(const char *name, struct error *err) MUST_CHECK;

/* Finds the option for a key of this kind of file. ERROR_USAGE suggests the
 * nearest key, or says why this one is not allowed. */
bool config_key_find(enum config_kind kind, struct str key,
		     struct option_form *form, struct error *err) MUST_CHECK;

struct command;

struct config {
	struct arena arena;
	const char *user_path; /* NULL: no home directory */
	struct config_file user;
	struct config_file repository; /* path NULL: none */
	const char *context;           /* the selected one, or NULL */
};

/* Initializes as empty; config_release() is safe from here on. */
void config_init(struct config *c);

/* Finds and reads both files; missing files are not an error. The context is
 * that of o, else current-context; an unknown one is an error that suggests the
 * nearest. Release even after a failure. */
bool config_load(struct config *c, const struct options *o,
		 struct error *err) MUST_CHECK;
void config_release(struct config *c);

/* Reads the user's file only, whatever context it selects. */
bool config_load_user(struct config *c, struct error *err) MUST_CHECK;

/* Returns whether the user's file has this context; the error suggests the
 * nearest. */
bool config_context_check(const struct config *c, const char *name,
			  struct error *err) MUST_CHECK;

/* Sets options that command line and environment left unset. Settings of a
 * server are skipped if o already names another server for that side: a
 * context's credentials are for its own servers only. Values are borrowed from
 * c. */
bool config_apply(const struct config *c, const struct command *command,
		  struct options *o, struct error *err) MUST_CHECK;

/* Returns the entry that config_apply() took this value from, and its file;
 * NULL if it is not from c. */
const struct config_entry *config_source(const struct config *c,
					 const char *value, const char **path);

/* Edits the user's configuration without changing other lines, comments, order
 * or indentation. */

/* A single change. */
struct config_change {
	const char *context; /* NULL: before the first section */
	const char *key;     /* a key of the user's file, or current-context */
	const char *value;   /* NULL: delete its line */
	bool is_added;       /* add another value of a repeatable key */
};

/* Writes `text`, the content of the file at path ("" if there is none), with
 * the change to out. An existing value is replaced, keeping a comment after it;
 * otherwise a line is added, with a section if needed. Fails if the text is
 * invalid, the key has several values, or the syntax cannot represent the
 * value. */
bool config_edit(struct buf *out, const char *path, struct str text,
		 const struct config_change *change,
		 struct error *err) MUST_CHECK;

/* Returns whether a value needs quotes in a file. */
bool config_value_is_quoted(const char *value);

/* Reads the file at path, applies the changes in order and replaces it
 * atomically, mode 0600; missing folders are created with mode 0700. */
bool config_edit_file(const char *path, const struct config_change *changes,
		      size_t count, struct error *err) MUST_CHECK;

/* Importing Grafana's data sources as contexts. */

/* Adds a context to the user's file for each trace server in Grafana's
 * provisioning file at path, and for profile servers without a link from one.
 * name: that of the only context, or NULL for Grafana's names. Writes to out
 * what was imported, and what is left to do manually. */
bool config_import_grafana(const struct config *c, const char *path,
			   const char *name, struct out *out,
			   struct error *err) MUST_CHECK;

/* Validation of values to be written into the configuration. */

/* Validates a value as a run would, and rejects secrets. ERROR_USAGE. */
bool config_value_check(const struct option_form *form, const char *key,
			const char *value, struct error *err) MUST_CHECK;

/* Sets unset options from TRACEFIND_* (and PROFILECLI_* for the profile
 * side). */
bool options_environment(struct options *o, struct error *err) MUST_CHECK;

/* Overwrites secrets in the environment, for the end of the program: tokens,
 * passwords, and proxy credentials. */
void environment_wipe(void);

/* Returns whether a value of this form is already determined by command line or
 * environment, as far as in `before`: by the side's option, the common one, or
 * another credential. */
bool options_settled(const struct options *before,
		     const struct option_form *form);

#endif
