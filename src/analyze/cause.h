/* SPDX-License-Identifier: Apache-2.0
 *
 * From "this span" to "because": what the profile adds to the cause that the
 * trace alone suggests, and how sure the answer is.
 */
#ifndef ANALYZE_CAUSE_H
#define ANALYZE_CAUSE_H

#include "analyze/verdict.h"
#include "model/profile.h"
#include "model/result.h"

struct cause_evidence {
	const struct profile *span; /* CPU samples of the span, NULL: none */
	/* Of the span that carries the samples, usually the entry of its
	 * process: its time less what it waited for other services. */
	int64_t span_own_ns;
};

/* What the profile adds to what the trace said. */
enum cause_said {
	CAUSE_SAYS_NOTHING = 0,
	CAUSE_SAYS_CPU_SHARE,     /* of the span, in the trace's place */
	CAUSE_SAYS_CPU_SHARE_TOO, /* of a loop's span, behind the trace's */
	/* Too few samples of the span itself; in the profile of its service */
	CAUSE_SAYS_WHERE, /* there was nothing to compare with */
	CAUSE_SAYS_GROWN, /* a function grew */
	CAUSE_SAYS_NOT_GROWN,
};

/* What report/texts.h has the words for. */
struct cause_facts {
	enum cause_said said;
	int64_t own_ns; /* of a CPU share, that result->cause.on_cpu_ns is of */
	struct confidence_rating rating;
	bool is_span_measured; /* beside a profile that is not the span's */
};

/* Completes result->cause but for its texts: on_cpu_ns, kind (cpu or wait
 * where the trace left it unknown), confidence. Rules: no profile: weak.
 * Profile without baseline: weak. Compared with a baseline: fair when the
 * first function is new or grown and was tested for it, else weak. A queue is
 * told by the traces: fair when the usual wait is known. strong needs
 * span samples and a healthy baseline and is never given here without them. */
void cause_judge(const struct cause_evidence *evidence, struct result *result,
		 struct cause_facts *facts);

/* Where the time went that a span takes beyond what is usual: a sum of what
 * spans and profiles tell, and of what nothing does. Pure functions of numbers.
 */

/* Per request. What is 0 or less is not known or did not grow. */
struct excess_facts {
	int64_t total_ns; /* what the span grew by */
	int64_t queue_ns; /* of it, by its spans */
	int64_t call_ns;
	double cpu_now_ns; /* on CPU, in requests like it */
	double cpu_before_ns; /* NaN: not known */
	double gc_share;      /* of the growth on CPU, 0..1 */
	double blocked_ns;    /* what grew in the profile that tells of waits */
	double blocked_before_ns;
	struct str blocked_in; /* the function that leads it */
	const char *by;        /* the type of that profile */
};

/* The largest part first, whatever it is; of equal ones in the order of their
 * kinds. They add up to the whole: where more is measured than is left of it
 * (threads side by side), the part is cut to that, spans before CPU, CPU
 * before waits. Nothing (total_ns 0) where nothing grew. */
void excess_sum(const struct excess_facts *f, struct excess *out);

#endif
