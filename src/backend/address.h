/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of servers and files as options write them: which kind of server
 * they name, and where it is. Knows no server by name: prefixes and forms are
 * those of the table. Opens and sends nothing.
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
	const char *rest; /* the URL or path in the text; all of a project's */
};

/* "tempo+https://host/prefix" -> its row and "https://host/prefix";
 * "file:PATH" -> is_file and "PATH"; plain http(s), which a host with a port may
 * lack -> no row; "gcp://PROJECT" -> the row of the side. User info in a URL is refused (ERROR_USAGE, with the
 * option to use instead and without repeating the secret). */
bool address_parse(const char *text, enum server_side side,
		   struct address *address, struct error *err) MUST_CHECK;

/* Sets url and project of the endpoint; strings that are not parts of the text
 * live in the arena. */
bool address_set(const struct address *address, struct arena *arena,
		 struct endpoint *endpoint, struct error *err) MUST_CHECK;

/* The server that requests go to, whatever they ask. */
bool address_split(const char *text, struct url_parts *parts);

/* Where a side other than that of traces is asked: url, or when that is NULL
 * the project whose traces are asked for. NULL when neither names a place. */
const char *address_beside_traces(const char *traces_url, const char *url);

/* Where an export goes: a receiver at an address, each kind an object in a room
 * of its own, or a path. Does not know who exports what. */

struct destination {
	const struct receiver *receiver; /* NULL: a path */
	struct endpoint endpoint;
	const char *path;
	struct str name; /* for people, without secrets; in the arena */
};

/* "otlp+https://HOST[/PREFIX]", "file:PATH" or PATH; a plain address is the one
 * receiver's that takes traces, and of profiles ERROR_USAGE. The endpoint is
 * the side's with the address, and borrows from it and from text. */
bool destination_parse(struct destination *d, const struct side *to,
		       const char *text, bool is_of_profiles,
		       struct arena *arena, struct error *err) MUST_CHECK;

#endif
