/* SPDX-License-Identifier: Apache-2.0
 *
 * The slowest traces that fit a description, from whichever trace server
 * answers. Servers give the first N that they find, in no order: the bound on
 * the duration is raised until all that is left fits into one answer.
 */
#ifndef CLI_TRACE_SEARCH_H
#define CLI_TRACE_SEARCH_H

#include "analyze/found.h"
#include "backend/trace_queries.h"
#include "cli/context.h"

struct trace_search {
	/* Set by the caller. */
	struct find_query query; /* range, service, name... */
	size_t wanted;           /* traces; 0: as many as one answer holds */
	unsigned above_permille; /* only those from this quantile on; 0: all */
	unsigned round_limit;    /* questions at most; 0: until complete */
	bool has_health_checks;  /* keep those too */
	/* The answer. Arrays live in the context's arena. */
	struct hits hits;      /* all found, health checks too */
	struct hit *items;     /* those to show, longest first */
	size_t count;          /* at most wanted */
	size_t fitting_count;  /* the same before that limit */
	size_t hidden_count;   /* health checks */
	int64_t *durations_ns; /* of the first answer, ascending */
	size_t duration_count;
	bool is_first_sample; /* that answer was full */
	/* Of all in the range, where that is so and the server counts; total
	 * is 0 otherwise. */
	struct duration_buckets buckets;
	enum find_counted counted;
	int64_t above_ns; /* the quantile; 0 without above_permille */
	int64_t bound_ns; /* the last that was asked for */
	unsigned rounds;
	bool is_sample;       /* slower ones may be missing */
	struct buf next_page; /* token of the answer's next page */
};

void trace_search_init(struct trace_search *s);
void trace_search_release(struct trace_search *s);

/* Fills query, wanted and the rest from --service, --name, --errors,
 * --min-duration, --above, --query, --all, -n and the time options. */
bool trace_search_options(struct trace_search *s, const struct context *ctx,
			  struct error *err) MUST_CHECK;

/* Asks the server. ERROR_NOT_FOUND with the nearest names when nothing
 * fits. */
bool trace_search_run(struct trace_search *s, struct context *ctx,
		      struct error *err) MUST_CHECK;

/* Appends what the durations are of: "a sample of 200 traces". */
void trace_search_basis(const struct trace_search *s, struct buf *out);

/* A quantile of the durations, of buckets a near one; duration_count > 0. */
int64_t trace_search_quantile(const struct trace_search *s, unsigned permille);

/* Says what the list leaves out. */
void trace_search_notes(const struct trace_search *s, struct notes *notes);

/* Says why nothing fits: names that there are not, with the nearest ones, or
 * times. Always false, ERROR_NOT_FOUND. */
bool trace_search_fail(const struct trace_search *s, struct context *ctx,
		       struct error *err);

/* The bound for the next question, given what was found so far (longest
 * first): as slow as the wanted-th of them, since no slower one is then missed.
 * At most `bound_ns` when nothing is won by asking again. */
int64_t trace_search_bound(const struct hit *items, size_t count, size_t wanted,
			   int64_t bound_ns);

#endif
