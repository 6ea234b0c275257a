/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps secrets out of messages and files: redacts what looks like a secret in
 * URLs, headers, messages and arguments.
 */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

#define REDACTED "[redacted]"

/* Returns whether the value of this request header may be shown; all others are
 * treated as secret. */
bool header_is_harmless(struct str name);

/* Name and value of a "Name: value" header; the name is empty without a
 * colon. */
struct str header_name(struct str header);
struct str header_value(struct str header);

/* Overwrites user info and secret parameters of URLs anywhere in text with '*',
 * in place, for the process list. is_address: text is a URL even without a
 * scheme. */
void url_hide(char *text, bool is_address);

/* Redacts a message that may quote user input, in particular a URL given in the
 * wrong place: "name:secret@" in any word becomes "[redacted]@". */
void message_redact(struct buf *out, struct str message);

/* The beginning of user input for use in a message. Redaction has to happen
 * before truncation: without its '@' a secret looks like a name. */
struct quoted {
	char text[64];
};
struct quoted value_quote(const char *value);
struct quoted text_quote(struct str text);

/* Redacts one command line argument for storage in a file: values of header
 * options and user info of URLs. `previous` is the argument before it, or
 * NULL. */
void argument_redact(struct buf *out, struct str argument, struct str previous);

/* Redacts a URL for messages: removes user info and values of secret-looking
 * query parameters, escapes control characters. */
void url_redact(struct buf *out, struct str url);

#endif
