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

/* Share of a span's own time on CPU from which it counts as computing, and
 * below which it counts as waiting. Between them the profile shows where the
 * CPU part went and both are said. */
#define CAUSE_CPU_SHARE 0.5
#define CAUSE_WAIT_SHARE 0.2

/* A span whose own time is shorter offers fewer than twenty ticks at 100 Hz:
 * a share of one in five then has an interval of some 20 points either way,
 * too much to call the span computing or waiting. */
#define CAUSE_OWN_MIN_NS (200 * NS_PER_MS)

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

/* What report/cause_text.h has the words for. */
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

#endif
