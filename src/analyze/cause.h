/* SPDX-License-Identifier: Apache-2.0
 *
 * From "this span" to "because": what the profile adds to the cause that the
 * trace alone suggests, and how sure the answer is.
 */
#ifndef ANALYZE_CAUSE_H
#define ANALYZE_CAUSE_H

#include "base/error.h"
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
 * CPU part went and the text says both. */
#define CAUSE_CPU_SHARE 0.5
#define CAUSE_WAIT_SHARE 0.2

/* A span whose own time is shorter offers fewer than twenty ticks at 100 Hz:
 * a share of one in five then has an interval of some 20 points either way,
 * too much to call the span computing or waiting. */
#define CAUSE_OWN_MIN_NS (200 * NS_PER_MS)

/* Completes result->cause: on_cpu_ns, kind (cpu or wait where the trace left
 * it unknown), text, confidence and its reason. Rules: no profile: weak.
 * Profile without baseline: weak. Compared with a baseline: fair when the
 * first function is new or grown and was tested for it, else weak. strong needs
 * span samples and a healthy baseline and is never given here without them. */
bool cause_complete(const struct cause_evidence *evidence,
		    struct result *result, struct error *err) MUST_CHECK;

#endif
