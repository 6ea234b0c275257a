/* SPDX-License-Identifier: Apache-2.0
 *
 * The slowest traces that fit a description, from whichever trace server
 * answers. Servers give the first N that they find, in no order: the bound on
 * the duration is raised until all that is left fits into one answer. Knows no
 * options and has no words: what can be said stands in the struct.
 */
#ifndef INVESTIGATE_TRACE_SEARCH_H
#define INVESTIGATE_TRACE_SEARCH_H

#include "analyze/search_summary.h"
#include "backend/backends.h"
#include "backend/trace_queries.h"
#include "investigate/service_metrics.h"

struct har; /* wire/har.h */

/* Why nothing fits. */
enum search_lack {
	SEARCH_LACKS_NOTHING = 0, /* or err has words of its own */
	SEARCH_LACKS_SERVICE,     /* names: the services that there are */
	SEARCH_LACKS_OPERATION,   /* names: those of the service */
	SEARCH_LACKS_TRACES,      /* in this window, of these durations */
};

struct trace_lack {
	enum search_lack kind;
	struct name_list names;
	/* Where such traces were looked for in the day before the window: */
	bool is_looked_back;
	bool is_last;     /* else there may be younger ones */
	int64_t found_ns; /* when the youngest found began; 0: none was */
};

/* Why nothing fits the query, which has a service: asks which names there are
 * and, where the server does not let each question count, when the last such
 * trace began. What is not answered is not known. */
bool trace_lack_ask(struct backends *b, const struct find_query *query,
		    struct trace_lack *lack, struct error *err) MUST_CHECK;

struct trace_search {
	/* Set by the caller. */
	struct find_query query; /* range, service, name... */
	size_t wanted;           /* traces; 0: as many as one answer holds */
	unsigned above_permille; /* only those from this quantile on; 0: all */
	unsigned round_limit;    /* questions at most; 0: until complete */
	bool has_health_checks;  /* keep those too */
	/* Instead of asking: what all searches of this case found, whatever
	 * they looked for. NULL: ask. */
	const struct har *held;
	/* The answer. Arrays live in the backends'
	 * arena. */
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
	bool is_sample;         /* slower ones may be missing */
	struct buf next_page;   /* token of the answer's next page */
	size_t held_count;      /* searches of the case */
	size_t first_count;     /* hits of the first answer */
	int64_t first_min_ns;   /* the bound it had */
	struct hits earlier;    /* of the same search one window earlier */
	struct unusual unusual; /* by these; its hits are of both */
	/* Why there is no answer. */
	struct trace_lack lack;
};

void trace_search_init(struct trace_search *s);
void trace_search_release(struct trace_search *s);

/* Asks the server. ERROR_NOT_FOUND without words when nothing fits:
 * lack.kind is SEARCH_LACKS_TRACES then, which trace_lack_ask() knows better. */
bool trace_search_run(struct trace_search *s, struct backends *b,
		      struct error *err) MUST_CHECK;

/* The same for the slow ones of what the query describes, and one that is
 * typical of them. */
bool trace_search_typical(struct trace_search *s, struct backends *b,
			  struct typical_hit *typical,
			  struct error *err) MUST_CHECK;

/* After trace_search_typical(): which of what is slow is not so usually, by
 * what the same search finds in the window before (one question more, where the
 * server does not count them). Without an answer nothing is unusual. */
bool trace_search_unusual(struct trace_search *s, struct backends *b,
			  struct error *err) MUST_CHECK;

/* A quantile of the durations, of buckets a near one; duration_count > 0. */
int64_t trace_search_quantile(const struct trace_search *s, unsigned permille);

/* Returns whether later answers hold the slowest first: a server that sorts
 * gives them in one; but by the whole of the trace, which says where to look
 * for spans only. */
bool trace_search_is_sorted(const struct trace_search *s);

/* The bound for the next question, given what was found so far (longest
 * first): as slow as the wanted-th of them, since no slower one is then missed.
 * At most `bound_ns` when nothing is won by asking again. */
int64_t trace_search_bound(const struct hit *items, size_t count, size_t wanted,
			   int64_t bound_ns);

/* The terms of searches: the names of the labels of spans, or the values of one
 * of them. Knows no options. */

/* Asks the trace server; names lie in the backends' arena. ERROR_USAGE for
 * what it cannot list. */
bool tags_ask(struct backends *b, const struct tags_query *query,
	      struct name_list *names, struct error *err) MUST_CHECK;

/* Which trace stands for the slow requests of a service by its metrics: an
 * exemplar of the latency histogram from the buckets of the slowest 5 %. */

enum exemplar_lack {
	EXEMPLAR_FOUND = 0,
	EXEMPLAR_NO_METRICS, /* none of the known ones names the service */
	EXEMPLAR_NO_LATENCY,
	EXEMPLAR_NO_OPERATION, /* the histogram has none */
	EXEMPLAR_NONE,         /* it has no exemplars */
};

struct exemplar_choice {
	struct service_metrics metrics;
	const char *operation; /* NULL: all of them */
	struct time_range window;

	enum exemplar_lack lack;
	struct exemplar exemplar; /* the value in seconds */
	size_t count;             /* of all in the window */
	size_t slow_count;        /* in the buckets from that of p95 on, of
				     which it is the median; 0: it is the
				     longest */
	double p95_s;             /* 0: not known */
};

/* service and operation are borrowed. False: nothing was answered; that there
 * is none is in lack. */
bool exemplar_choose(struct exemplar_choice *c, struct backends *b,
		     const char *service, const char *operation,
		     struct time_range window, struct error *err) MUST_CHECK;

/* The choice itself, of exemplars in seconds, whose order changes. */
void exemplar_pick(struct exemplar_choice *c, struct exemplar *list,
		   size_t count);

#endif
