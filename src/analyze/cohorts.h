/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow spans of an operation against fast ones: whether the whole operation
 * became slow, a part of it, or none, and the spans to compare.
 */
#ifndef ANALYZE_COHORTS_H
#define ANALYZE_COHORTS_H

#include "analyze/baseline.h"
#include "base/error.h"
#include "model/history.h"

/* Whether slow spans come from one instance or one version while the others
 * are fast in the same minutes: then those are the ones to compare with. A
 * new pod has no past. */

#define CONCENTRATION_ORDER_P 0.001

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

/* Spans of an operation that start in the range of a window. */
struct concentration_spans {
	uint32_t window; /* out of reach: none */
	struct time_range range;
};

struct concentration_want {
	const struct history *history;
	struct concentration_spans now;
	struct concentration_spans before;
	uint32_t operation;
	int64_t threshold_ns; /* slow from here */
	enum concentration_by by;
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

/* Spans needed to speak of a population. */
#define COHORT_MIN 5u

#define COHORT_P 0.01

#define COHORT_SMALL_P 0.001

/* The slowest of the baseline, one in twenty, are so many now that it is hardly
 * chance, and one in twenty takes COHORT_RATIO times as long: that is a change
 * too, whatever the one in question took. */
#define COHORT_TAIL_PERCENT 95

#define COHORT_UNSURE_P 0.1

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

#endif
