/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/question.h"

#include "base/num.h"

/* Go's CPU profiles as they are sent cover 30 s from their time stamp on. */
#define UPLOAD_GAP_NS (30 * NS_PER_S)

/* And so samples of a span lie in a profile stamped up to 30 s before it. */
#define SPAN_LEAD_NS (30 * NS_PER_S)
#define SPAN_TAIL_NS (15 * NS_PER_S)

struct time_range window_around(int64_t start_ns, int64_t end_ns,
				int64_t pad_ns, int64_t now_ns)
{
	struct time_range r = { sat_sub_i64(start_ns, pad_ns),
				sat_add_i64(end_ns, pad_ns) };

	if (r.to_ns > now_ns && now_ns > r.from_ns)
		r.to_ns = now_ns;
	return r;
}

struct time_range window_of_samples(int64_t start_ns, int64_t end_ns)
{
	return (struct time_range){ sat_sub_i64(start_ns, SPAN_LEAD_NS),
				    sat_add_i64(end_ns, SPAN_TAIL_NS) };
}

struct time_range window_shifted(struct time_range slow, int64_t shift_ns)
{
	return (struct time_range){ sat_sub_i64(slow.from_ns, shift_ns),
				    sat_sub_i64(slow.to_ns, shift_ns) };
}

struct time_range window_previous(struct time_range slow)
{
	int64_t length_ns = sat_sub_i64(slow.to_ns, slow.from_ns);

	return window_shifted(slow, sat_add_i64(length_ns, UPLOAD_GAP_NS));
}

struct time_range window_apart(struct time_range base, struct time_range slow)
{
	int64_t to_ns = sat_sub_i64(slow.from_ns, UPLOAD_GAP_NS);

	if (base.to_ns > to_ns && base.from_ns < slow.from_ns &&
	    sat_sub_i64(to_ns, base.from_ns) >= 2 * UPLOAD_GAP_NS)
		base.to_ns = to_ns;
	return base;
}

struct time_range window_of_baseline(const struct baseline_want *want,
				     struct time_range slow)
{
	switch (want->kind) {
	case BASELINE_WANT_SHIFT:
		return window_shifted(slow, want->shift_ns);
	case BASELINE_WANT_RANGE:
		return want->range;
	default:
		return window_previous(slow);
	}
}
