/* SPDX-License-Identifier: Apache-2.0
 *
 * What slow requests of an operation have in common and fast ones have not: a
 * tenant, a shard, a cache that missed, a pod, a size. Every attribute of the
 * spans on the path is tested, and the few are told that tell most of the slow
 * ones from the fast ones. That they go together says nothing of why.
 */
#ifndef ANALYZE_CONTRASTS_H
#define ANALYZE_CONTRASTS_H

#include "analyze/baseline.h"
#include "analyze/groups.h"
#include "analyze/operations.h"
#include "base/error.h"
#include "model/history.h"

/* Slow spans of an operation against fast ones: whether the whole operation
 * became slow, a part of it, or none, and the spans to compare. */

/* The concentration of slow spans on one instance or one version while the
 * others are fast in the same minutes: then those are the ones to compare with.
 * A new pod has no past. */

struct concentration {
	bool is_found;
	bool is_by_order; /* slower as a whole; else it holds the slow ones */
	bool is_as_ever;  /* found, but that it was slower before */
	struct str value; /* the instance or version; borrowed */
	uint32_t slow_count;
	uint32_t span_count;       /* slow and fast, of this value */
	uint32_t other_slow_count; /* of all others */
	uint32_t other_count;
	uint32_t value_count; /* distinct values seen */
	int64_t p50_ns;
	int64_t other_p50_ns;
	double p; /* Fisher's exact test, or by rank */
};

enum concentration_by { CONCENTRATION_INSTANCE, CONCENTRATION_VERSION };

struct concentration_want {
	struct group_spans now;
	struct group_spans before;
	int64_t threshold_ns; /* slow from here */
	enum concentration_by by;
	struct str lead; /* known to be the one; empty: is looked for */
};

/* Spans without the label are left out. */
bool concentration_find(const struct concentration_want *want,
			struct concentration *out,
			struct error *err) MUST_CHECK;

enum cohort_mode {
	COHORT_UNKNOWN = 0, /* too few spans to tell */
	COHORT_WINDOW,      /* the operation became slow as a whole */
	COHORT_BIMODAL,     /* some are slow, others of the minutes fast */
	COHORT_UNSURE,      /* more slow ones than usual, maybe by chance */
	COHORT_HEALTHY,     /* no more slow ones than usual */
};

/* The slowest of the baseline, one in twenty, are so many now that it is hardly
 * chance, and one in twenty takes COHORT_RATIO times as long: that is a change
 * too, whatever the one in question took. */
#define COHORT_TAIL_PERCENT 95

struct cohort {
	struct time_range range;
	uint64_t *profile_ids; /* distinct, ascending; of more than
				  LIMIT_COHORT_SPANS / 2 every n-th */
	size_t count;
	uint32_t span_count;     /* with and without profile ids */
	double mean_duration_ns; /* of those with profile ids that were taken,
				    NaN without */
	int64_t p50_ns;          /* of all; -1 none */
};

/* One instance or version that is known to be the slow one, by what slow
 * requests have in common; of neither: value is empty. */
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
	struct time_range slow_range;           /* trimmed to the slow part */
	const struct baseline_choice *baseline; /* NULL: none */
};

struct cohorts {
	enum cohort_mode mode;
	/* Whose spans they are, when not those of the span that is blamed;
	 * set by who knows that. */
	const struct operation *named;
	struct cohort slow;
	struct cohort fast;     /* of the same minutes */
	struct cohort baseline; /* empty without a healthy window */
	/* Compare the slow ones with the fast ones of the same minutes; else
	 * with the baseline. */
	bool is_against_fast;
	bool is_judged;        /* all of this was looked at */
	int64_t threshold_ns;  /* slow from here */
	uint32_t window_count; /* spans of slow_range */
	uint32_t slow_count;   /* of these from the threshold on */
	int64_t p50_ns;        /* of all of them; -1 none */
	uint32_t before_count; /* the same of the baseline */
	uint32_t before_slow_count;
	int64_t before_p50_ns;
	/* Of windows further back than the baseline, together. */
	uint32_t earlier_count;
	uint32_t earlier_slow_count;
	int64_t p99_ns; /* -1: fewer than COHORT_P99_MIN, as the next */
	int64_t before_p99_ns;
	/* Bimodal: medians of the two parts; the baseline has no such part, or
	 * one about as large. */
	int64_t slow_p50_ns;
	int64_t fast_p50_ns;
	bool is_new;
	bool is_as_before;
	/* Of a move under COHORT_DRIFT_RATIO. */
	bool is_small_move;
	double wander;        /* of earlier medians, relative; NaN not known */
	bool is_part_as_ever; /* two modes, as there always were */
	bool is_tail;         /* bimodal by COHORT_TAIL_PERCENT alone */
	double part_p; /* that slow ones are more than before; NaN */
	double p; /* rank-sum of the window against the baseline; NaN not
		     tested */
	double z; /* its statistic */
	double percentile;             /* part of the slow window's (else of the
					  baseline's) spans that were faster, 0..1; NaN
					  not known */
	struct concentration instance; /* slow ones on one instance */
	struct concentration version;  /* of one version */
};

/* The span's own profile id is always in the slow cohort. *out lives in the
 * arena. */
bool cohorts_find(const struct cohort_want *want, struct arena *arena,
		  struct cohorts *out, struct error *err) MUST_CHECK;

/* How many instances of a service a window's traces saw. */

/* Distinct instances in the spans of a service that start in a range; of one
 * version only, unless version is empty. 0: not known, as spans carry no
 * instance or are too few to have seen all. */
uint32_t instances_count(const struct history *h, uint32_t window,
			 struct time_range range, struct str service,
			 struct str version);

/* So many are told: who has three to look at looks at none of a fourth. */
#define CONTRASTS_TOLD 3u

/* Requests that a side needs, and those that bear a value. */
#define CONTRAST_MIN 5u

/* An attribute of more values than this is no kind of request. Ids, addresses
 * and texts differ from request to request; tenants, shards and pods of a
 * service are some dozens among the hundreds of requests that are looked at. */
#define CONTRAST_VALUES 64u

enum contrast_kind {
	CONTRAST_VALUE, /* they bear a value */
	CONTRAST_MORE,  /* their numbers are larger */
	CONTRAST_LESS,
};

enum contrast_of {
	CONTRAST_OF_ATTRIBUTE,
	CONTRAST_OF_VERSION,
	CONTRAST_OF_INSTANCE,
};

/* Requests that bear it, against those that bore it before. */
enum contrast_since {
	CONTRAST_SINCE_UNKNOWN, /* too few of them, now or before */
	CONTRAST_AS_EVER,       /* as long, and as many */
	CONTRAST_SLOWER,
	CONTRAST_MORE_OFTEN,
	CONTRAST_NEW, /* none bore it */
};

static inline bool contrast_has_changed(enum contrast_since since)
{
	return since == CONTRAST_SLOWER || since == CONTRAST_MORE_OFTEN ||
	       since == CONTRAST_NEW;
}

struct contrast {
	enum contrast_kind kind;
	enum contrast_of of;
	uint32_t operation; /* whose spans bear it */
	uint32_t key;       /* of the history; of attributes */
	uint32_t value;     /* symbol, of CONTRAST_VALUE */
	/* Requests of which it is known, and those of them that bear it; of
	 * numbers, that are on its side of the cut. */
	uint32_t slow_count, slow_with;
	uint32_t fast_count, fast_with;
	/* Of numbers, else NaN: the medians, and half way between them. */
	double slow_median, fast_median, cut;
	double effect; /* by which they are ordered, 0..1 */
	double p;
	double q; /* among all that were tested */
	/* The operation in question, with it and without it, in the slow
	 * window; -1 not known. */
	int64_t with_p50_ns;
	int64_t without_p50_ns;
	int own; /* the request in question bears it: 1, 0, -1 unknown */
	enum contrast_since since;
	/* Requests that bear it are as ever, the others took as long before,
	 * and the one in question bears it and is no exception for its size. */
	bool is_usual;
	uint32_t like_count; /* now, and before */
	uint32_t like_before_count;
	int64_t like_p50_ns;
	int64_t like_before_p50_ns;
};

struct contrasts {
	struct contrast items[CONTRASTS_TOLD]; /* the clearest first */
	uint32_t count;
	uint32_t operation; /* whose requests they are */
	uint32_t tested;
	uint32_t slow_count; /* requests on both sides */
	uint32_t fast_count;
	bool is_against_before; /* fast ones are those of the baseline */
};

struct contrast_want {
	const struct trace *trace; /* in which the request in question is */
	const struct history *history;
	const struct window_roles *roles;
	uint32_t operation;           /* whose requests are slow */
	struct time_range slow_range; /* as in struct cohort_want */
	int64_t threshold_ns;         /* slow from here */
	int64_t duration_ns;          /* of the span in question */
	uint32_t base_window; /* compared with when hardly any is fast; may be
				 WINDOW_NONE */
	struct time_range base_range;
};

/* The keys worth asking for: those of the spans that the operations' first
 * members bear, which say something of the request or of where it was served.
 * keys has room for HISTORY_KEYS; they borrow the trace. */
uint32_t contrast_keys_collect(const struct trace *t,
			       const struct operations *operations,
			       struct history_key *keys);

/* Returns whether an attribute may say what requests have in common. Not those
 * that name the request, measure its time, or are the same for a whole service.
 */
bool contrast_key_is_telling(struct str key);

/* Returns whether it tells how a request ended: rather what came of its
 * slowness. */
bool contrast_key_is_outcome(struct str key);

/* Slow requests are those of the windows `slow` and `slow_only` from
 * threshold_ns on, fast ones the others of `slow`; where those are less than
 * CONTRAST_MIN, all of the baseline. Requests whose trace shows no span of an
 * operation do not count for its attributes. *out borrows nothing. */
bool contrasts_find(const struct contrast_want *want, struct contrasts *out,
		    struct error *err) MUST_CHECK;

#endif
