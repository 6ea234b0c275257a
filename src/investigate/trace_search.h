/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the slowest traces that match a query, with any traces server. Servers
 * return the first N that they find, in no order: the minimum duration is
 * raised until the rest fits into one answer.
 */
#ifndef INVESTIGATE_TRACE_SEARCH_H
#define INVESTIGATE_TRACE_SEARCH_H

#include "analyze/search_summary.h"
#include "backend/backends.h"
#include "backend/trace_queries.h"
#include "investigate/service_metrics.h"

struct har; /* wire/har.h */

/* Why nothing matches. */
enum search_lack {
	SEARCH_LACKS_NOTHING = 0, /* or err has a message */
	SEARCH_LACKS_SERVICE,     /* names: the existing services */
	SEARCH_LACKS_OPERATION,   /* names: those of the service */
	SEARCH_LACKS_TRACES,      /* none in this window, of these durations */
};

struct trace_lack {
	enum search_lack kind;
	struct name_list names;
	/* The search in the day before the window: */
	bool is_looked_back;
	bool is_last;     /* else there may be later ones */
	int64_t found_ns; /* start of the latest one found; 0: none */
};

/* Finds why nothing matches a query with a service: queries the existing names
 * and, unless the server has a quota, the time of the last matching trace.
 * Facts without an answer stay unknown. */
bool trace_lack_ask(struct backends *b, const struct find_query *query,
		    struct trace_lack *lack, struct error *err) MUST_CHECK;

struct trace_search {
	/* Set by the caller. */
	struct find_query query; /* range, service, name... */
	size_t wanted;           /* traces; 0: as many as fit into one answer */
	unsigned above_permille; /* only those above this quantile; 0: all */
	unsigned round_limit;    /* maximum number of queries; 0: no limit */
	bool has_health_checks;  /* do not remove them */
	/* A case whose recorded searches provide the traces, whatever their
	 * queries; NULL: query the server. */
	const struct har *held;
	/* The answer. Arrays live in the backends'
	 * arena. */
	struct hits hits;      /* all found, including health checks */
	struct hit *items;     /* those to show, longest first */
	size_t count;          /* at most wanted */
	size_t fitting_count;  /* before that limit */
	size_t hidden_count;   /* health checks */
	int64_t *durations_ns; /* of the first answer, ascending */
	size_t duration_count;
	bool is_first_sample; /* the first answer was full */
	/* Distribution over all traces in the range, if the first answer was
	 * full and the server counts them; else total is 0. */
	struct duration_buckets buckets;
	enum find_counted counted;
	int64_t above_ns; /* value of the quantile; 0 without above_permille */
	int64_t bound_ns; /* minimum duration of the last query */
	unsigned rounds;
	bool is_sample;         /* slower ones may be missing */
	struct buf next_page;   /* token of the next page */
	size_t held_count;      /* searches in the case */
	size_t first_count;     /* hits of the first answer */
	int64_t first_min_ns;   /* its minimum duration */
	struct hits earlier;    /* same search, one window earlier */
	struct unusual unusual; /* by these; its hits are of both */
	/* Why there is no result. */
	struct trace_lack lack;
};

void trace_search_init(struct trace_search *s);
void trace_search_release(struct trace_search *s);

/* Runs the search. ERROR_NOT_FOUND without a message if nothing matches:
 * lack.kind is then SEARCH_LACKS_TRACES, which trace_lack_ask() refines. */
bool trace_search_run(struct trace_search *s, struct backends *b,
		      struct error *err) MUST_CHECK;

/* Runs the search for the slow matches, and picks one that is typical of
 * them. */
bool trace_search_typical(struct trace_search *s, struct backends *b,
			  struct typical_hit *typical,
			  struct error *err) MUST_CHECK;

/* Finds which slow traces are unusual, by the results of the same search in the
 * window before (one more query if the server does not count durations). After
 * trace_search_typical(). Without an answer nothing is unusual. */
bool trace_search_unusual(struct trace_search *s, struct backends *b,
			  struct error *err) MUST_CHECK;

/* Returns a quantile of the durations, approximated by buckets; duration_count
 * > 0. */
int64_t trace_search_quantile(const struct trace_search *s, unsigned permille);

/* Returns whether later answers have the slowest first: servers that sort
 * return them at once; but they sort by duration of the trace, which for spans
 * is only a hint. */
bool trace_search_is_sorted(const struct trace_search *s);

/* Returns the minimum duration for the next query, from the hits so far
 * (longest first): that of the wanted-th hit, so that no slower one is missed.
 * A value of at most `bound_ns` means that another query is of no use. */
int64_t trace_search_bound(const struct hit *items, size_t count, size_t wanted,
			   int64_t bound_ns);

/* Values for search terms: the names of span attributes, or the values of
 * one. */

/* Queries the traces server; names live in the backends' arena. ERROR_USAGE for
 * a tag that it cannot list. */
bool tags_ask(struct backends *b, const struct tags_query *query,
	      struct name_list *names, struct error *err) MUST_CHECK;

/* Chooses a trace that represents a service's slow requests by its metrics: an
 * exemplar of the latency histogram from the buckets of the slowest 5 %. */

enum exemplar_lack {
	EXEMPLAR_FOUND = 0,
	EXEMPLAR_NO_METRICS, /* no known metric of the service */
	EXEMPLAR_NO_LATENCY,
	EXEMPLAR_NO_OPERATION, /* the histogram has no operations */
	EXEMPLAR_NONE,         /* it has no exemplars */
};

struct exemplar_choice {
	struct service_metrics metrics;
	const char *operation; /* NULL: all */
	struct time_range window;

	enum exemplar_lack lack;
	struct exemplar exemplar; /* value in seconds */
	size_t count;             /* exemplars in the window */
	size_t slow_count;        /* of these, in the buckets from p95 on; the
				   * median was chosen. 0: the longest was
				   * chosen */
	double p95_s;             /* 0: not known */
};

/* Runs the queries. service and operation are borrowed. Returns false if no
 * query was answered; if there is no exemplar lack is set. */
bool exemplar_choose(struct exemplar_choice *c, struct backends *b,
		     const char *service, const char *operation,
		     struct time_range window, struct error *err) MUST_CHECK;

/* Chooses from exemplars in seconds; reorders the list. */
void exemplar_pick(struct exemplar_choice *c, struct exemplar *list,
		   size_t count);

#endif
