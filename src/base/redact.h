/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping secrets out of what people and files get to see: what
 * looks like a secret in addresses, headers, messages and arguments.
 */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

#define REDACTED "[redacted]"

/* A request header whose value may be shown; everything else is secret. */
bool header_is_harmless(struct str name);

/* Name of a "Name: value" header, empty when there is no colon. */
struct str header_name(struct str header);
struct str header_value(struct str header);

/* In place, for the list of processes: user info and secret parameters of a
 * URL, wherever in the text it begins, become '*'. is_address: it is one, even
 * without a scheme. */
void url_hide(char *text, bool is_address);

/* A message that may quote what somebody typed, an address where none was
 * expected above all: "name:secret@" in any word becomes "[redacted]@". */
void message_redact(struct buf *out, struct str message);

/* The front of what somebody typed, fit for a message, which cannot tell a
 * name from a secret once the '@' behind them is cut off. */
struct quoted {
	char text[64];
};
struct quoted value_quote(const char *value);
struct quoted text_quote(struct str text);

/* One command-line argument, fit for a file: header options lose their
 * values, URLs their user info. `previous` is the argument before, or NULL. */
void argument_redact(struct buf *out, struct str argument, struct str previous);

/* A URL fit for messages: user info and values of secret-looking query
 * parameters removed, controls escaped. */
void url_redact(struct buf *out, struct str url);

#endif
