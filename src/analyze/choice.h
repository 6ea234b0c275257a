/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of the guilty span in the making, between choice.c, which chooses
 * and fills the result, and report/choice_texts.c, which puts it into words,
 * those of --why too.
 */
#ifndef ANALYZE_CHOICE_H
#define ANALYZE_CHOICE_H

#include "analyze/account.h"
#include "analyze/change_of_time.h"
#include "analyze/findings.h"
#include "model/result.h"

/* The reason for the time of the chosen one, as far as a trace shows it. */
enum choice_ground {
	CHOICE_OWN = 0,  /* code of its own, or a wait in it */
	CHOICE_LOOP,     /* calls that it repeats */
	CHOICE_PAUSES,   /* between attempts at a call */
	CHOICE_CALLEE,   /* a call: the server side explains it */
	CHOICE_GAP,      /* a call: most lies outside the server side */
	CHOICE_WAY,      /* so, and that is what grew */
	CHOICE_CALL,     /* a call to what sends no spans */
	CHOICE_QUEUE,    /* nothing: its message waited before it */
	CHOICE_EMBEDDED, /* a database inside the process */
	CHOICE_SET_UP,   /* a connection for a call, longer than usual */
	CHOICE_PLAN,     /* calls, more or one after another since a while */
};

/* The kind of span that was requested and is missing; then the candidates are
 * those to offer instead. */
enum choice_missing {
	CHOICE_MISSING_NONE = 0,
	CHOICE_MISSING_SPAN,    /* no such span, of the service at least */
	CHOICE_MISSING_SERVICE, /* nor such a service */
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
		*typical; /* NULL: nothing is known of other traces */
	struct time_changes time_changes; /* of all candidates, with usual */
	const struct candidate *best;
	struct change_choice change;
	bool is_by_change;              /* best is the one that grew most */
	const struct queue_wait *queue; /* before the best one, or NULL */
	const struct repeat *loop;      /* N+1, or NULL */
	struct retries retries;
	const struct retry *retry; /* that the best is part of, or NULL */
	int64_t retry_ns;          /* both together when that decided, else 0 */
	/* Of the account that decided: whose plan changed, or NULL. */
	const struct account_growth_cell *plan;
	uint32_t headline;         /* span of the first line */
	uint32_t server_side;      /* of the best span, or SPAN_NONE */
	int64_t loop_sum_ns;       /* all repeated calls of the loop's span */
	int64_t loop_through_ns;
	int64_t critical_ns; /* of the headline */
	int64_t path_ns;     /* of the headline's tree */
	int64_t next_ns;     /* own time of the next candidate on the path,
				its growth when that decides */
	uint32_t *steps;     /* the headline and those above it, but for calls
				whose server side is one */
	uint32_t step_count;
	enum choice_missing missing;
};

/* Returns whether the pauses of the retry are the reason, not its attempts. */
static inline bool choice_is_pause(const struct choice *c)
{
	return c->retry && c->best->span == c->retry->parent;
}

/* Returns whether the loop's span is the headline, not the calls. */
static inline bool choice_is_loop(const struct choice *c)
{
	return c->loop && c->headline == c->loop->parent;
}

/* The two halves of guilty_find(), for those who look at the choice between
 * them: fills result->trace, ranks and chooses; then fills the rest of what
 * guilty_find() fills. When no span is the one asked for choice_make() fails
 * with ERROR_NOT_FOUND and c->missing, and leaves the message to
 * report/texts.h. choice_release() follows, also after a failure. */
bool choice_make(struct choice *c, const struct trace *t,
		 const struct trace_times *times,
		 const struct guilty_want *want, const struct typical *typical,
		 struct result *result, struct error *err) MUST_CHECK;
bool choice_conclude(struct choice *c, struct result *result,
		     struct guilty_pick *pick, struct error *err) MUST_CHECK;
void choice_release(struct choice *c);

enum choice_ground choice_ground(const struct choice *c);

/* Returns the change of the best candidate, with c->usual. */
const struct time_change *choice_change(const struct choice *c);

/* Returns the time that the choice is measured by, and the whole it is a part
 * of. */
int64_t choice_measure(const struct choice *c, int64_t *whole_ns);

/* Returns the time of the server sides of the best candidate's calls together.
 */
int64_t choice_served_ns(const struct choice *c);

/* Fills result->span and result->cause but for their texts and the path. */
bool choice_fill(struct choice *c, struct result *result,
		 struct error *err) MUST_CHECK;

#endif
