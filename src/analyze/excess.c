/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/excess.h"

#include <math.h>

#include "base/num.h"

/* Behind all that are larger. */
static void put(struct excess *x, const struct excess_part *part)
{
	size_t at = x->count++;

	for (; at && x->parts[at - 1].ns < part->ns; at--)
		x->parts[at] = x->parts[at - 1];
	x->parts[at] = *part;
}

/* As much of it as is left. */
static void take(struct excess *x, int64_t *left_ns, double ns,
		 struct excess_part part)
{
	part.ns = min_i64(*left_ns, sat_from_f64(ns));
	if (part.ns <= 0 || (part.kind != EXCESS_REST &&
			     part.ns < x->total_ns / EXCESS_LEAST_PART))
		return;
	*left_ns -= part.ns;
	put(x, &part);
}

void excess_sum(const struct excess_facts *f, struct excess *out)
{
	double cpu_ns = f->cpu_now_ns - f->cpu_before_ns;
	double gc_ns = cpu_ns * f->gc_share;
	/* Of more than there is others wait, too: how much each is not known. */
	bool is_waits_known = f->blocked_ns <= (double)f->total_ns;
	int64_t left_ns = f->total_ns;

	*out = (struct excess){ .total_ns = f->total_ns };
	if (f->total_ns <= 0) {
		out->total_ns = 0;
		return;
	}
	take(out, &left_ns, (double)f->queue_ns,
	     (struct excess_part){ .kind = EXCESS_QUEUE,
				   .now_ns = -1,
				   .before_ns = -1 });
	take(out, &left_ns, (double)f->call_ns,
	     (struct excess_part){ .kind = EXCESS_CALL,
				   .now_ns = -1,
				   .before_ns = -1 });
	if (!isnan(cpu_ns)) {
		take(out, &left_ns, cpu_ns - gc_ns,
		     (struct excess_part){
			     .kind = EXCESS_CPU,
			     .now_ns = sat_from_f64(f->cpu_now_ns),
			     .before_ns = sat_from_f64(f->cpu_before_ns) });
		take(out, &left_ns, gc_ns,
		     (struct excess_part){ .kind = EXCESS_ALLOC,
					   .now_ns = -1,
					   .before_ns = -1 });
	}
	take(out, &left_ns, f->blocked_ns,
	     (struct excess_part){
		     .kind = EXCESS_BLOCKED,
		     .now_ns = is_waits_known ? sat_from_f64(
						       f->blocked_ns +
						       f->blocked_before_ns)
					      : -1,
		     .before_ns = is_waits_known
					  ? sat_from_f64(f->blocked_before_ns)
					  : -1,
		     .name = f->blocked_in,
		     .by = f->by });
	take(out, &left_ns, (double)left_ns,
	     (struct excess_part){ .kind = EXCESS_REST,
				   .now_ns = -1,
				   .before_ns = -1 });
}
