/* SPDX-License-Identifier: Apache-2.0
 *
 * One side's server under examination: what it was asked, what it answered,
 * and what is known of it so far. Does not know what was asked of it and why.
 */
#ifndef DOCTOR_EXAM_H
#define DOCTOR_EXAM_H

#include "doctor/doctor.h"

/* What a check needs to be known first. */
enum {
	EXAM_REACHED = 1, /* it answers */
	EXAM_SECURED = 2, /* and how its connection is kept is told */
	EXAM_ALLOWED = 4, /* reading is */
	EXAM_PROVEN = 8,  /* it is the kind of server looked for */
};

struct exam {
	const char *name; /* "traces" */
	struct side *side;
	bool *is_up;        /* set when it answers as it should */
	const char *wanted; /* the kinds looked for */
	const char *title;  /* of its kind, once known */
	bool has_tenants;
	bool is_right;                       /* `best` proves it */
	unsigned known;                      /* EXAM_REACHED... */
	const struct http_response *best;    /* proof, or tells most */
	const struct http_response *login;   /* proves more, or NULL */
	const struct http_response *version; /* or NULL */
	const struct http_response *answers; /* all that its room asked for */
	const struct trace_checkup *traces;  /* the room's, of one side */
	const struct profile_checkup *profiles;
	struct clock_answer clocks[CLOCK_ANSWERS_MAX];
	size_t clock_count;
	int64_t fastest_ns;
};

/* Learns how long the answer took, and the server's time. NULL: not asked. */
void exam_add_times(struct exam *e, const struct http_response *response);

/* Its checks, in their order; nothing without `best`. */
bool exam_judge(struct doctor *d, struct exam *e, struct error *err) MUST_CHECK;

/* The server may be another than it was taken for: asks it as such, and then
 * judges it. False in *is_found: it is none. */
bool exam_ask_other(struct doctor *d, const struct profile_checkup *p,
		    const struct exam *e, bool *is_found,
		    struct error *err) MUST_CHECK;

#endif
