/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check` found, in words and in the forms that pipelines read. Knows no
 * options.
 */
#ifndef REPORT_CHECK_ANSWER_H
#define REPORT_CHECK_ANSWER_H

#include "analyze/gates.h"
#include "base/jsonw.h"
#include "investigate/check.h"
#include "model/fleet.h"
#include "render/page.h"
#include "render/render.h"

struct check_answer {
	const struct check *check;
	const struct result *result;
	const struct notes *notes;
	const struct check_place *places; /* of each hit of the gates */
	bool is_lack_accepted;            /* too little data is no failure */
	/* A command to go on with; NULL ptr: none. */
	struct str next;
};

/* struct check_answer. Also junit, sarif and github. */
extern const struct answer_writer check_writer;

/* Sentences that the forms of an answer of `check` have in common. */

/* "total", "function", "new", "latency": as --fail-on calls them. */
const char *gate_name(enum gate_kind gate);

/* "total>3%, function>5%": the limits that are set. */
void check_limits(const struct gate_limits *limits, struct buf *out);

/* What `check` says of how long requests take. */

/* Whether it was looked for, and nothing can be said of it. */
bool check_latency_is_unjudged(const struct check *c);

/* "requests of POST /login take 31 % longer, p50 12.1 ms, was 9.24 ms" */
void check_latency_hit(const struct gate_hit *hit, struct buf *out);

/* Why nothing can be said of it. */
void check_latency_lack(const struct check *c, enum gates_lack lack,
			struct buf *out);

/* How much was looked at, and the smallest growth that would have been seen;
 * nothing when it was not asked for. */
void check_latency_power(const struct check *c, struct buf *out);

/* What weakens it, before the notes are told. */
void check_latency_notes(const struct check_latency *l, struct notes *notes);

/* The table of operations. */
void check_latency_table(struct page *p, const struct check *c);

/* "latency": null where it was not asked for. */
void check_latency_json(struct jsonw *w, const struct check *c);

/* What grew in a fleet, as a list. Knows no options. */

struct fleet_answer {
	const struct fleet *fleet;
	const struct gate_limits *limits;
	size_t limit;          /* rows for people; 0: all */
	bool is_lack_accepted; /* too little data is no failure */
	struct str servers; /* options of commands to go on with; NULL ptr: none
			     * can be told */
	const struct notes *notes;
};

extern const struct answer_writer fleet_writer; /* struct fleet_answer */

#endif
