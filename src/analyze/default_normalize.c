/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "analyze/profile_analysis.h"

/* Lengths within this part of each other are the same. */
#define SAME_LENGTH 0.02

/* A profiler stops up to so much after the time it was asked for, more where
 * several profiles were added up, and its first and last sample lie as much
 * less apart. */
#define STOP_S 0.25
#define STOP_PART 0.01

/* Times people ask for are multiples of that, or whole seconds below. */
#define TYPICAL_S 5.0

static double seconds(const struct profile *p)
{
	return (double)p->duration_ns / 1e9;
}

/* How far a is from a multiple of step. */
static double off(double a, double step)
{
	return fabs(a - step * round(a / step));
}

static bool is_taken_for_a_time(double length_s)
{
	double late = fmax(STOP_S, STOP_PART * length_s);

	if (length_s < 1 - STOP_PART)
		return false;
	if (off(length_s, 1) <= STOP_PART)
		return true;
	return length_s >= TYPICAL_S - late &&
	       off(length_s, TYPICAL_S) <= late;
}

enum normalize profiles_default_normalize(const struct profile *slow,
					  const struct profile *baseline,
					  bool *is_of_whole_runs)
{
	double after = seconds(slow), before = seconds(baseline);

	*is_of_whole_runs = false;
	/* Instructions of a whole run, not those of a time. */
	if (slow->is_of_calls && baseline->is_of_calls)
		return NORMALIZE_VALUE;
	if (slow->is_gauge || !slow->whole_total || !baseline->whole_total)
		return NORMALIZE_VALUE;
	if (!(after > 0) || !(before > 0))
		return NORMALIZE_SHARE;
	if (fabs(after - before) <= SAME_LENGTH * fmax(after, before))
		return NORMALIZE_VALUE;
	if (is_taken_for_a_time(after) && is_taken_for_a_time(before))
		return NORMALIZE_RATE;
	*is_of_whole_runs = true;
	return NORMALIZE_VALUE;
}
