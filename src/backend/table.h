/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of servers: the form of their addresses, their default URL, and
 * their implementation.
 */
#ifndef BACKEND_TABLE_H
#define BACKEND_TABLE_H

#include "backend/source.h"

struct metric_backend;
struct profile_backend;
struct trace_backend;

struct backend_row {
	const char *name;        /* at the start of messages: "tempo" */
	const char *title;       /* "Tempo" */
	const char *prefix;      /* before an address; NULL: none */
	const char *default_url; /* NULL: none */
	/* Returns whether an address names a project of this kind;
	 * project_parse() splits it into parts that point into text.
	 * ERROR_USAGE without repeating what may be a secret. NULL: addressed
	 * by host. */
	bool (*is_project)(const char *text);
	bool (*project_parse)(const char *text, struct project_address *project,
			      struct error *err);
	const struct trace_backend *traces;     /* NULL: holds none */
	const struct profile_backend *profiles; /* NULL: holds none */
	const struct metric_backend *metrics;
};

/* Returns whether this kind of server holds the data of the side. */
bool backend_row_holds(const struct backend_row *row, enum server_side side);

/* In the order in which they are probed. */
extern const struct backend_row backend_table[];
extern const size_t backend_table_count;

/* Profile files, which a job may name whatever the profile server is. */
extern const struct backend_row backend_files;

/* Returns the row of this profile server; NULL: that of a plain address. */
const struct backend_row *profiles_row(const struct profile_backend *profiles);

/* Returns the row of a plain metrics address. */
const struct backend_row *metrics_row(void);

#endif
