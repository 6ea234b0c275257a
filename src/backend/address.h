/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of servers and files as options write them: which kind of server
 * they name, and where it is. Knows no server by name: prefixes and forms are
 * those of the table. Opens and sends nothing.
 */
#ifndef BACKEND_ADDRESS_H
#define BACKEND_ADDRESS_H

#include "backend/table.h"
#include "base/arena.h"
#include "wire/url.h"

struct address {
	const struct backend_row *row; /* NULL: to be probed, or a file */
	bool is_file;
	const char *rest; /* the URL or path in the text; all of a project's */
};

/* "tempo+https://host/prefix" -> its row and "https://host/prefix";
 * "file:PATH" -> is_file and "PATH"; plain http(s) -> no row; "gcp://PROJECT"
 * -> the row of the side. User info in a URL is refused (ERROR_USAGE, with the
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

#endif
