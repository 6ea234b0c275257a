/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes that set slow requests of an operation apart from fast ones: a
 * tenant, a shard, a cache miss, a pod, a size. Tests every attribute of the
 * spans on the path, and reports the few that separate slow from fast best. A
 * correlation is not a cause.
 */
#ifndef ANALYZE_CONTRASTS_H
#define ANALYZE_CONTRASTS_H

#include "analyze/baseline.h"
#include "analyze/groups.h"
#include "analyze/operations.h"
#include "base/error.h"
#include "model/history.h"

/* Compares slow spans of an operation with fast ones: whether all of the
 * operation became slow, a part of it, or nothing, and which spans to
 * compare. */

/* The concentration of slow spans on one instance or version while others are
 * fast at the same time: then the others are the comparison, also since a new
 * pod has no past. */

struct concentration {
	bool is_found;
	bool is_by_order; /* slower as a whole; else it has most slow spans */
	bool is_as_ever;  /* found, but it was slower before, too */
	struct str value; /* the instance or version; borrowed */
	uint32_t slow_count;
	uint32_t span_count;       /* slow and fast, with this value */
	uint32_t other_slow_count; /* with any other value */
	uint32_t other_count;
	uint32_t value_count; /* distinct values */
	int64_t p50_ns;
	int64_t other_p50_ns;
	double p; /* of Fisher's exact test, or of the rank test */
};

enum concentration_by { CONCENTRATION_INSTANCE, CONCENTRATION_VERSION };

struct concentration_want {
	struct group_spans now;
	struct group_spans before;
	int64_t threshold_ns; /* minimum duration of slow spans */
	enum concentration_by by;
	struct str lead; /* known value; empty: to be found */
};

/* Finds the concentration; spans without the label are left out. */
bool concentration_find(const struct concentration_want *want,
			struct concentration *out,
			struct error *err) MUST_CHECK;

enum cohort_mode {
	COHORT_UNKNOWN = 0, /* too few spans */
	COHORT_WINDOW,      /* the operation became slow as a whole */
	COHORT_BIMODAL,     /* some spans are slow, others fast at the same
			     * time */
	COHORT_UNSURE,      /* more slow spans than typical, possibly by
			     * chance */
	COHORT_HEALTHY,     /* no more slow spans than typical */
};

/* The tail of durations: if significantly more spans are above this percentile
 * of the baseline, and the percentile itself is COHORT_RATIO times as long,
 * that is a change, too, whatever the duration of the span in question. */
#define COHORT_TAIL_PERCENT 95

struct cohort {
	struct time_range range;
	uint64_t *profile_ids; /* distinct, ascending; if there are more than
				* LIMIT_COHORT_SPANS / 2, every n-th */
	size_t count;
	uint32_t span_count;     /* with and without profile ids */
	double mean_duration_ns; /* of the spans of profile_ids, NaN without */
	int64_t p50_ns;          /* of all; -1: none */
};

/* An instance or version known to be slow, from attributes of slow requests;
 * empty value: none. */
struct cohort_lead {
	enum concentration_by by;
	struct str value;
};

struct cohort_want {
	const struct history *history;
	struct cohort_lead lead;
	const struct window_roles *roles;
	uint32_t operation;
	int64_t duration_ns;                    /* of the span in question */
	uint64_t profile_id;                    /* 0: none */
	struct time_range slow_range;           /* limited to the slow part */
	const struct baseline_choice *baseline; /* NULL: none */
};

struct cohorts {
	enum cohort_mode mode;
	/* Operation of the spans if it is not that of the suspect; set by the
	 * caller. */
	const struct operation *named;
	struct cohort slow;
	struct cohort fast;     /* at the same time */
	struct cohort baseline; /* empty without a healthy window */
	/* Compare the slow spans with fast ones of the same time; else with the
	 * baseline. */
	bool is_against_fast;
	bool is_judged;        /* the fields below are set */
	int64_t threshold_ns;  /* minimum duration of slow spans */
	uint32_t window_count; /* spans in slow_range */
	uint32_t slow_count;   /* of these, spans above the threshold */
	int64_t p50_ns;        /* of all of them; -1: none */
	uint32_t before_count; /* the same for the baseline */
	uint32_t before_slow_count;
	int64_t before_p50_ns;
	/* Sum of the windows before the baseline. */
	uint32_t earlier_count;
	uint32_t earlier_slow_count;
	int64_t p99_ns; /* -1: fewer than COHORT_P99_MIN, like the next */
	int64_t before_p99_ns;
	/* Bimodal: medians of both parts; is_new: the baseline has no slow
	 * part; is_as_before: it has one of a similar size. */
	int64_t slow_p50_ns;
	int64_t fast_p50_ns;
	bool is_new;
	bool is_as_before;
	/* The change is below COHORT_DRIFT_RATIO. */
	bool is_small_move;
	double wander;        /* relative variation of earlier medians; NaN: not
			       * known */
	bool is_part_as_ever; /* two modes, as before */
	bool is_tail;         /* bimodal only by COHORT_TAIL_PERCENT */
	double part_p; /* of more slow spans than before; NaN: not tested */
	double p; /* rank-sum test of the window against the baseline; NaN: not
		   * tested */
	double z; /* its test statistic */
	double percentile;             /* fraction of faster spans in the slow
					* window (else in the baseline), 0..1;
					* NaN: not known */
	struct concentration instance; /* of slow spans */
	struct concentration version;  /* of slow spans */
};

/* Finds the cohorts. The span's own profile id is always in the slow cohort.
 * *out lives in the arena. */
bool cohorts_find(const struct cohort_want *want, struct arena *arena,
		  struct cohorts *out, struct error *err) MUST_CHECK;

/* The number of a service's instances in the traces of a window. */

/* Returns the number of distinct instances in the spans of a service that start
 * in a range; of one version only, unless version is empty. 0: not known, as
 * spans have no instance or are too few to include all. */
uint32_t instances_count(const struct history *h, uint32_t window,
			 struct time_range range, struct str service,
			 struct str version);

/* Maximum number that are reported: users hardly look at a fourth. */
#define CONTRASTS_TOLD 3u

/* Minimum number of requests per side, and of those with a value. */
#define CONTRAST_MIN 5u

/* Maximum number of values of an attribute. Ids, addresses and texts differ
 * from request to request; a service has some dozens of tenants, shards or pods
 * among the hundreds of requests examined. */
#define CONTRAST_VALUES 64u

enum contrast_kind {
	CONTRAST_VALUE, /* slow requests have a value */
	CONTRAST_MORE,  /* slow requests have larger numbers */
	CONTRAST_LESS,
};

enum contrast_of {
	CONTRAST_OF_ATTRIBUTE,
	CONTRAST_OF_VERSION,
	CONTRAST_OF_INSTANCE,
};

/* The change of requests with the attribute since the baseline. */
enum contrast_since {
	CONTRAST_SINCE_UNKNOWN, /* too few, now or before */
	CONTRAST_AS_EVER,       /* same duration, same number */
	CONTRAST_SLOWER,
	CONTRAST_MORE_OFTEN,
	CONTRAST_NEW, /* there were none */
};

static inline bool contrast_has_changed(enum contrast_since since)
{
	return since == CONTRAST_SLOWER || since == CONTRAST_MORE_OFTEN ||
	       since == CONTRAST_NEW;
}

struct contrast {
	enum contrast_kind kind;
	enum contrast_of of;
	uint32_t operation; /* whose spans have it */
	uint32_t key;       /* of the history; for attributes */
	uint32_t value;     /* symbol, for CONTRAST_VALUE */
	/* Requests with the attribute, and those among them with the value or,
	 * for numbers, on its side of the cut. */
	uint32_t slow_count, slow_with;
	uint32_t fast_count, fast_with;
	/* For numbers, else NaN: the medians, and the midpoint between them. */
	double slow_median, fast_median, cut;
	double effect; /* sort key, 0..1 */
	double p;
	double q; /* over all that were tested */
	/* Medians of the operation's requests with and without it, in the slow
	 * window; -1: not known. */
	int64_t with_p50_ns;
	int64_t without_p50_ns;
	int own; /* the request in question has it: 1, 0, -1: unknown */
	enum contrast_since since;
	/* Requests with it are unchanged, the others took as long before, and
	 * the request in question has it and is normal for its size. */
	bool is_usual;
	uint32_t like_count; /* comparable requests, now and before */
	uint32_t like_before_count;
	int64_t like_p50_ns;
	int64_t like_before_p50_ns;
};

struct contrasts {
	struct contrast items[CONTRASTS_TOLD]; /* best first */
	uint32_t count;
	uint32_t operation; /* of the requests */
	uint32_t tested;
	uint32_t slow_count; /* requests per side */
	uint32_t fast_count;
	bool is_against_before; /* the fast side is the baseline */
};

struct contrast_want {
	const struct trace *trace; /* contains the request in question */
	const struct history *history;
	const struct window_roles *roles;
	uint32_t operation;           /* of the slow requests */
	struct time_range slow_range; /* as in struct cohort_want */
	int64_t threshold_ns;         /* minimum duration of slow requests */
	int64_t duration_ns;          /* of the span in question */
	uint32_t base_window; /* compared with if hardly any request is fast;
			       * may be WINDOW_NONE */
	struct time_range base_range;
};

/* Collects the attributes to query: those of the first spans of the operations
 * that describe the request or where it was served. keys has room for
 * HISTORY_KEYS; they borrow from the trace. */
uint32_t contrast_keys_collect(const struct trace *t,
			       const struct operations *operations,
			       struct history_key *keys);

/* Returns whether an attribute can describe a group of requests. Not those that
 * identify the request, measure its time, or are the same for a whole
 * service. */
bool contrast_key_is_telling(struct str key);

/* Returns whether an attribute describes how a request ended, which is a result
 * of slowness rather than its cause. */
bool contrast_key_is_outcome(struct str key);

/* Finds the contrasts. Slow requests are those of the windows `slow` and
 * `slow_only` from threshold_ns on, fast ones the others of `slow`; if these
 * are fewer than CONTRAST_MIN, all of the baseline. Requests whose trace has no
 * span of an operation do not count for its attributes. *out borrows
 * nothing. */
bool contrasts_find(const struct contrast_want *want, struct contrasts *out,
		    struct error *err) MUST_CHECK;

#endif
