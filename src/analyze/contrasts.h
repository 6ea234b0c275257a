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
#include "analyze/operations.h"
#include "model/history.h"

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

/* Whether an attribute may say what requests have in common. Not those that
 * name the request, measure its time, or are the same for a whole service. */
bool contrast_key_is_telling(struct str key);

/* Whether it tells how a request ended: rather what came of its slowness. */
bool contrast_key_is_outcome(struct str key);

/* Slow requests are those of the windows `slow` and `slow_only` from
 * threshold_ns on, fast ones the others of `slow`; where those are less than
 * CONTRAST_MIN, all of the baseline. Requests whose trace shows no span of an
 * operation do not count for its attributes. *out borrows nothing. */
bool contrasts_find(const struct contrast_want *want, struct contrasts *out,
		    struct error *err) MUST_CHECK;

#endif
