/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of servers there are: how an address names them, where one is by
 * default, and the object that asks it. Knows nothing of what they are asked.
 */
#ifndef BACKEND_TABLE_H
#define BACKEND_TABLE_H

#include "backend/source.h"

struct metric_backend;
struct profile_backend;
struct trace_backend;

struct backend_row {
	const char *name;        /* in messages: "tempo" */
	const char *title;       /* "Tempo" */
	const char *prefix;      /* before an address; NULL: none */
	const char *default_url; /* NULL: none */
	/* Whether an address names a project that it is of, and its parts: they
	 * point into text. ERROR_USAGE without repeating what may be a secret.
	 * NULL: it is called by a host. */
	bool (*is_project)(const char *text);
	bool (*project_parse)(const char *text, struct project_address *project,
			      struct error *err);
	const struct trace_backend *traces;     /* NULL: it holds none */
	const struct profile_backend *profiles; /* likewise */
	const struct metric_backend *metrics;
};

/* Returns whether it holds what this side is asked for. */
bool backend_row_holds(const struct backend_row *row, enum server_side side);

/* In the order in which they are tried. */
extern const struct backend_row backend_table[];
extern const size_t backend_table_count;

/* Files of profiles, which a job may name whichever server there is. */
extern const struct backend_row backend_files;

/* Returns the row of this server of profiles; NULL: that of a plain address. */
const struct backend_row *profiles_row(const struct profile_backend *profiles);

/* Returns the row of a plain address of metrics. */
const struct backend_row *metrics_row(void);

#endif
