/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of the requests of a service: CPU by function and by operation,
 * memory, and the use of its machine, in cores, bytes and seconds; their price
 * is the reader's to say. The road is cost.c; cost_size.c has the history for
 * a better size.
 */
#ifndef INVESTIGATE_COST_H
#define INVESTIGATE_COST_H

#include "analyze/function_costs.h"
#include "analyze/right_size.h"
#include "investigate/chosen.h"
#include "investigate/service_metrics.h"

/* Operations that are looked at, by the number of their requests: each takes a
 * question for every part of its requests. */
#define COST_OPERATIONS 5

/* A function of some samples an hour is all a long window adds, and servers
 * look at a day at a time. */
#define COST_WINDOW_NS NS_PER_HOUR
#define COST_LEAST_NS NS_PER_MIN
#define COST_MOST_NS (7 * NS_PER_DAY)

/* Who says so. */
enum cost_source {
	COST_UNKNOWN = 0,
	COST_GIVEN, /* the user */
	COST_OF_METRICS,
	COST_OF_TRACES, /* those that were kept */
	COST_OF_PROFILES,
	COST_OF_REQUESTS, /* what pods ask for */
	COST_OF_LIMITS,
};

struct cost_want {
	struct chosen_want profiles;
	bool is_compared;
	double requests; /* that the profile is of; 0: not given */
	double baseline_requests;
	/* Of an instance; 0: not given. */
	double cores;
	double memory_bytes;
	double instances; /* 0: not given */
	bool has_operations;
	bool has_size; /* advice is wanted */
};

/* A number with who says so; 0 where that is COST_UNKNOWN. */
struct cost_number {
	double value;
	enum cost_source source;
};

/* The cores or bytes of all instances, on average over the window. */
struct cost_resource {
	struct cost_number used;
	struct cost_number allocated;
};

enum cost_what { COST_CPU = 0, COST_MEMORY, COST_WHATS };

struct cost_operation {
	struct str name;
	size_t spans; /* whose samples were looked at */
	double share; /* of the service's requests */
	double cpu_s; /* of one request; and its 95 % interval */
	double low_s;
	double high_s;
	bool is_known; /* the samples carry its spans */
};

/* Why operations are not told apart. */
enum cost_lack {
	COST_LACK_NONE = 0,
	COST_LACK_ASKED,    /* nobody asked, or of files */
	COST_LACK_TRACES,   /* no server of traces answers */
	COST_LACK_REQUESTS, /* none of the service was found */
	COST_LACK_SPANS,    /* samples carry no spans of theirs */
};

/* A better size of an instance. */
struct cost_size {
	enum size_refusal {
		SIZE_ADVISED = 0,
		SIZE_NO_METRICS, /* no server of them, or it has no use */
		SIZE_SHORT,      /* too little history */
		SIZE_THROTTLED,  /* its use is what it was allowed */
	} refusal;
	double hours; /* of history */
	size_t instances;
	double throttled; /* part of the periods; below 0: not known */
	struct size_advice advice[COST_WHATS];
	/* What an instance has now; 0: not known. */
	double request[COST_WHATS];
	double limit[COST_WHATS];
};

struct cost {
	/* Set by the caller. */
	struct investigation *v;
	const struct cost_want *want;

	struct chosen chosen;
	/* What the functions are of: CPU, or memory in use, of which the
	 * profile holds samples and metrics tell all. */
	enum cost_what what;
	struct function_costs functions;
	/* Of one value of a profile of CPU; less than its unit where the kernel
	 * counted less. */
	double unit_s;
	double seconds; /* profiled; 0: not known, or of single requests */
	double requests_error;       /* relative, as of functions */
	struct cost_number requests; /* while it was profiled */
	struct cost_number baseline_requests;
	bool is_by_request; /* compared so, else by the second */
	struct service_metrics metrics;
	bool has_metrics; /* somebody answers for them */
	struct cost_resource resources[COST_WHATS];
	struct cost_number instances;
	struct cost_operation operations[COST_OPERATIONS];
	size_t operation_count;
	size_t operation_total; /* seen, looked at or not */
	enum cost_lack operation_lack;
	struct cost_size size;
};

/* v and want must outlive it. Release also after failure. */
void cost_init(struct cost *c, struct investigation *v,
	       const struct cost_want *want);
void cost_release(struct cost *c);

/* Only some requests of one operation, by the spans that samples carry: fills
 * in which; they live in the arena of the backends. A shortfall when too few
 * are found. */
bool cost_choose_requests(struct investigation *v, struct str name,
			  struct chosen_want *want,
			  struct error *err) MUST_CHECK;

/* False with ERROR_NOT_FOUND without words: v->shortfall says why. A comparison
 * goes into v->result. */
bool cost_investigate(struct cost *c, struct error *err) MUST_CHECK;

/* So much of the profile in cores, or in GiB of what its processes take, and in
 * seconds of these per request; below 0: not known. */
double cost_amount(const struct cost *c, double value);
double cost_per_request(const struct cost *c, double value);

/* Requests a second; below 0: not known. */
double cost_request_rate(const struct cost *c);

/* ---- between the files of it ---- */

bool cost_ask_size(struct cost *c, struct error *err) MUST_CHECK;

/* Requests of a side: parts[] of its parts, told by source. */
void cost_count_side(struct comparison_side *side, const double *parts,
		     bool is_sampled, enum cost_source source,
		     struct cost_number *out);

/* The user's window, in which the sides lie or not. */
static inline struct time_range cost_window(const struct cost *c)
{
	return c->chosen.comparison.slow.range;
}

#endif
