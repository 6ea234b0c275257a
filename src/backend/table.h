/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of servers there are: how an address names them, where one is by
 * default, and the object that asks it. Knows nothing of what they are asked.
 */
#ifndef BACKEND_TABLE_H
#define BACKEND_TABLE_H

#include "backend/source.h"

struct trace_backend;

struct backend_row {
	enum source_kind kind;
	const char *name;                   /* in messages: "tempo" */
	const char *title;                  /* "Tempo" */
	const char *prefix;                 /* before an address; NULL: none */
	const char *default_url;            /* NULL: none */
	const struct trace_backend *traces; /* NULL: it holds none */
};

/* In the order in which they are tried. */
extern const struct backend_row backend_table[];
extern const size_t backend_table_count;

/* NULL: unknown, or files. */
const struct backend_row *backend_row_of(enum source_kind kind);

/* NULL also for a server of profiles. */
const struct trace_backend *trace_backend_of(enum source_kind kind);

#endif
