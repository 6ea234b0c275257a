/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses addresses of servers and files as options give them: the kind of
 * server and its location. Prefixes and forms come from the table (table.h);
 * nothing is opened or sent.
 */
#ifndef BACKEND_ADDRESS_H
#define BACKEND_ADDRESS_H

#include "backend/backends.h"
#include "backend/receiver.h"
#include "backend/table.h"
#include "base/arena.h"
#include "wire/url.h"

struct address {
	const struct backend_row *row; /* NULL: to be probed, or a file */
	bool is_file;
	const char *rest; /* URL or path without the prefix; for a project the
			   * whole text */
};

/* Parses an address: "tempo+https://host/prefix" -> its row and
 * "https://host/prefix"; "file:PATH" -> is_file and "PATH"; plain http(s),
 * optional for HOST:PORT -> no row; "gcp://PROJECT" -> the row of the side.
 * Refuses user info in a URL (ERROR_USAGE, which names the option to use
 * instead and does not repeat the secret). */
bool address_parse(const char *text, enum server_side side,
		   struct address *address, struct error *err) MUST_CHECK;

/* Sets URL and project of the endpoint; strings that are not parts of the text
 * live in the arena. */
bool address_set(const struct address *address, struct arena *arena,
		 struct endpoint *endpoint, struct error *err) MUST_CHECK;

/* Splits the address into the parts of its server's URL. */
bool address_split(const char *text, struct url_parts *parts);

/* Returns the address of a side other than traces: url, or if that is NULL the
 * project of the traces. NULL if neither names a server. */
const char *address_beside_traces(const char *traces_url, const char *url);

/* The target of an export: a receiver at an address, or a path. */

struct destination {
	const struct receiver *receiver; /* NULL: a path */
	struct endpoint endpoint;
	const char *path;
	struct str name; /* for messages, without secrets; in the arena */
};

/* Parses "otlp+https://HOST[/PREFIX]", "file:PATH" or PATH. A plain address
 * means the default receiver for traces, and is ERROR_USAGE for profiles. The
 * endpoint is that of the side with the address, and borrows from it and from
 * text. */
bool destination_parse(struct destination *d, const struct side *to,
		       const char *text, bool is_of_profiles,
		       struct arena *arena, struct error *err) MUST_CHECK;

#endif
