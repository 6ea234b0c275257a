/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of a service's requests: CPU by function and by operation, memory,
 * and the use of its instances, in cores, bytes and seconds; prices are left to
 * the reader. cost.c has the sequence of steps; cost_size.c the history for
 * right-sizing.
 */
#ifndef INVESTIGATE_COST_H
#define INVESTIGATE_COST_H

#include "analyze/function_costs.h"
#include "analyze/right_size.h"
#include "investigate/chosen.h"
#include "investigate/service_metrics.h"

/* Maximum number of operations, those with the most requests: each takes a
 * query for every part of its requests. */
#define COST_OPERATIONS 5

/* Default, minimum and maximum window: a longer one adds only functions with a
 * few samples per hour, and servers process one day at a time. */
#define COST_WINDOW_NS NS_PER_HOUR
#define COST_LEAST_NS NS_PER_MIN
#define COST_MOST_NS (7 * NS_PER_DAY)

/* The source of a number. */
enum cost_source {
	COST_UNKNOWN = 0,
	COST_GIVEN, /* the user */
	COST_OF_METRICS,
	COST_OF_TRACES, /* sampled traces */
	COST_OF_PROFILES,
	COST_OF_REQUESTS, /* CPU or memory requests of pods */
	COST_OF_LIMITS,
};

struct cost_want {
	struct chosen_want profiles;
	bool is_compared;
	double requests; /* served during the profile; 0: not given */
	double baseline_requests;
	/* Per instance; 0: not given. */
	double cores;
	double memory_bytes;
	double instances; /* 0: not given */
	bool has_operations;
	bool has_size; /* right-sizing is wanted */
};

/* A number and its source; 0 for COST_UNKNOWN. */
struct cost_number {
	double value;
	enum cost_source source;
};

/* Cores or bytes of all instances, mean over the window. */
struct cost_resource {
	struct cost_number used;
	struct cost_number allocated;
};

enum cost_what { COST_CPU = 0, COST_MEMORY, COST_WHATS };

struct cost_operation {
	struct str name;
	size_t spans; /* whose samples were fetched */
	double share; /* of the service's requests */
	double cpu_s; /* per request; low_s, high_s: its 95 % interval */
	double low_s;
	double high_s;
	bool is_known; /* there are samples with its spans */
};

/* Why there is no cost by operation. */
enum cost_lack {
	COST_LACK_NONE = 0,
	COST_LACK_ASKED,    /* not requested, or the profiles are files */
	COST_LACK_TRACES,   /* no traces server answers */
	COST_LACK_REQUESTS, /* none of the service was found */
	COST_LACK_SPANS,    /* samples carry no span ids */
};

/* The recommended size of an instance. */
struct cost_size {
	enum size_refusal {
		SIZE_ADVISED = 0,
		SIZE_NO_METRICS, /* no metrics server, or no usage in it */
		SIZE_SHORT,      /* too little history */
		SIZE_THROTTLED,  /* usage was capped by the limit */
	} refusal;
	double hours; /* of history */
	size_t instances;
	double throttled; /* fraction of CPU periods; below 0: not known */
	struct size_advice advice[COST_WHATS];
	/* Current values per instance; 0: not known. */
	double request[COST_WHATS];
	double limit[COST_WHATS];
};

struct cost {
	/* Set by the caller. */
	struct investigation *v;
	const struct cost_want *want;

	struct chosen chosen;
	/* The resource of the functions: CPU, or memory in use, of which the
	 * profile is a sample and metrics are the total. */
	enum cost_what what;
	struct function_costs functions;
	/* Seconds per value of a CPU profile; less than its unit where the
	 * kernel counted less. */
	double unit_s;
	double seconds; /* profiled; 0: not known, or of single requests */
	double requests_error;       /* relative, included in intervals of
				      * functions */
	struct cost_number requests; /* while it was profiled */
	struct cost_number baseline_requests;
	bool is_by_request; /* compared per request, else per second */
	struct service_metrics metrics;
	bool has_metrics; /* metrics are available */
	struct cost_resource resources[COST_WHATS];
	struct cost_number instances;
	struct cost_operation operations[COST_OPERATIONS];
	size_t operation_count;
	size_t operation_total; /* seen, examined or not */
	enum cost_lack operation_lack;
	struct cost_size size;
};

/* v and want must outlive c. Release also after failure. */
void cost_init(struct cost *c, struct investigation *v,
	       const struct cost_want *want);
void cost_release(struct cost *c);

/* Limits profiles to requests of one operation, by the span ids of samples:
 * sets the ids, which live in the arena of the backends. A shortfall if too few
 * are found. */
bool cost_choose_requests(struct investigation *v, struct str name,
			  struct chosen_want *want,
			  struct error *err) MUST_CHECK;

/* Runs the investigation. Returns false with ERROR_NOT_FOUND without a message:
 * v->shortfall has the reason. A comparison goes into v->result. */
bool cost_investigate(struct cost *c, struct error *err) MUST_CHECK;

/* Return the cost of `value` of the profile: in cores, or in GiB of the memory
 * of its processes; and in seconds of these per request. Below 0: not known. */
double cost_amount(const struct cost *c, double value);
double cost_per_request(const struct cost *c, double value);

/* Returns requests per second; below 0: not known. */
double cost_request_rate(const struct cost *c);

/* ---- shared by the files of it ---- */

bool cost_ask_size(struct cost *c, struct error *err) MUST_CHECK;

/* Sets the requests of a side: parts[] of its parts, from this source. */
void cost_count_side(struct comparison_side *side, const double *parts,
		     bool is_sampled, enum cost_source source,
		     struct cost_number *out);

/* Returns the user's window, which may differ from the sides'. */
static inline struct time_range cost_window(const struct cost *c)
{
	return c->chosen.comparison.slow.range;
}

#endif
