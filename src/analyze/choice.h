/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of choosing the suspect span, shared by choice.c, which chooses and
 * fills the result, and report/choice_texts.c, which has the texts, also those
 * of --why.
 */
#ifndef ANALYZE_CHOICE_H
#define ANALYZE_CHOICE_H

#include "analyze/account.h"
#include "analyze/change_of_time.h"
#include "analyze/findings.h"
#include "model/result.h"

/* Why the chosen span took its time, as far as a trace shows it. */
enum choice_ground {
	CHOICE_OWN = 0,  /* its own code, or waits in it */
	CHOICE_LOOP,     /* calls that it repeats */
	CHOICE_PAUSES,   /* between attempts at a call */
	CHOICE_CALLEE,   /* a call that its server side explains */
	CHOICE_GAP,      /* a call, mostly outside the server side */
	CHOICE_WAY,      /* the same, and that part grew */
	CHOICE_CALL,     /* a call to a service without spans */
	CHOICE_QUEUE,    /* a message that waited before it */
	CHOICE_EMBEDDED, /* an embedded database */
	CHOICE_SET_UP,   /* connection setup of a call, longer than typical */
	CHOICE_PLAN,     /* more calls, or calls no longer concurrent */
};

/* The requested span or service that is missing; candidates then has
 * alternatives. */
enum choice_missing {
	CHOICE_MISSING_NONE = 0,
	CHOICE_MISSING_SPAN,    /* no such span, at least in the service */
	CHOICE_MISSING_SERVICE, /* no such service */
	CHOICE_MISSING_ALL,     /* the trace has no spans */
};

struct choice {
	const struct trace *t;
	const struct trace_times *times;
	const struct guilty_want *want;
	struct calls calls;
	struct candidates candidates;
	struct repeats repeats;
	struct arena scratch;
	const struct typical
		*typical; /* NULL: nothing is known about other traces */
	struct time_changes time_changes; /* of all candidates; needs typical */
	const struct candidate *best;
	struct change_choice change;
	bool is_by_change;              /* best is the candidate that grew
					 * most */
	const struct queue_wait *queue; /* before the best one, or NULL */
	const struct repeat *loop;      /* N+1, or NULL */
	struct retries retries;
	const struct retry *retry; /* that the best belongs to, or NULL */
	int64_t retry_ns;          /* of both together if that decided, else
				    * 0 */
	/* Term of the account that decided: a changed plan, or NULL. */
	const struct account_growth_cell *plan;
	uint32_t headline;         /* span of the headline */
	uint32_t server_side;      /* of the best span, or SPAN_NONE */
	int64_t loop_sum_ns;       /* total time of the loop's repeated calls */
	int64_t loop_through_ns;
	int64_t critical_ns; /* of the headline */
	int64_t path_ns;     /* of the headline's tree */
	int64_t next_ns;     /* self time on the path of the next candidate, or
			      * its growth if growth decides */
	uint32_t *steps;     /* the headline and the spans above it, without
			      * calls that have a server side among them */
	uint32_t step_count;
	enum choice_missing missing;
};

/* Returns whether the pauses of the retry are the cause, not its attempts. */
static inline bool choice_is_pause(const struct choice *c)
{
	return c->retry && c->best->span == c->retry->parent;
}

/* Returns whether the headline is the loop's span, not the calls. */
static inline bool choice_is_loop(const struct choice *c)
{
	return c->loop && c->headline == c->loop->parent;
}

/* The two halves of guilty_find(), for callers that inspect the choice:
 * choice_make() fills result->trace, ranks and chooses; choice_conclude() fills
 * the rest. If no span matches, choice_make() fails with ERROR_NOT_FOUND and
 * c->missing, and leaves the message to report/texts.h. Call choice_release()
 * also after a failure. */
bool choice_make(struct choice *c, const struct trace *t,
		 const struct trace_times *times,
		 const struct guilty_want *want, const struct typical *typical,
		 struct result *result, struct error *err) MUST_CHECK;
bool choice_conclude(struct choice *c, struct result *result,
		     struct guilty_pick *pick, struct error *err) MUST_CHECK;
void choice_release(struct choice *c);

enum choice_ground choice_ground(const struct choice *c);

/* Returns the change of the best candidate; needs c->typical. */
const struct time_change *choice_change(const struct choice *c);

/* Returns the time by which the choice is measured, and the total that it is a
 * part of. */
int64_t choice_measure(const struct choice *c, int64_t *whole_ns);

/* Returns the time of the server sides of all calls of the best candidate. */
int64_t choice_served_ns(const struct choice *c);

/* Fills result->span and result->cause except for their texts and the path. */
bool choice_fill(struct choice *c, struct result *result,
		 struct error *err) MUST_CHECK;

#endif
