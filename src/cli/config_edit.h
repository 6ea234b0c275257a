/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes to the user's configuration that leave every other line as it is:
 * comments, order and indentation are the user's own.
 */
#ifndef CLI_CONFIG_EDIT_H
#define CLI_CONFIG_EDIT_H

#include "base/buf.h"
#include "cli/config_file.h"

/* One change. */
struct config_change {
	const char *context; /* NULL: before the first section */
	const char *key;     /* a key of the user's file, or current-context */
	const char *value;
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

/* Whether a value stands between quotes in a file. */
bool config_value_is_quoted(const char *value);

/* Reads the file at path, makes the changes in this order and replaces it at
 * once, mode 0600; folders on the way are made with mode 0700. */
bool config_edit_file(const char *path, const struct config_change *changes,
		      size_t count, struct error *err) MUST_CHECK;

#endif
