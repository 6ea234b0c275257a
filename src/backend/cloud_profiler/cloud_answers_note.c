/* SPDX-License-Identifier: Apache-2.0
 *
 * How many profiles a window has, and whether a wider one would have more.
 */
#include <inttypes.h>
#include <stdio.h>

#include "backend/cloud_profiler/cloud_answers.h"
#include "backend/cloud_profiler/cloud_choice.h"
#include "backend/fetch_profile.h"
#include "base/num.h"

/* With so many, a function of 1 % of them that doubled is beyond doubt. */
#define SAMPLES_ENOUGH 10000

/* A wider window is worth a word when it brings several times as much. */
#define WIDER_FACTOR 3

static uint32_t count_profiles(const struct profile_list *list,
			       const struct profile_query *query,
			       struct time_range range)
{
	struct profile_query wider = *query;
	struct error ignored;
	uint32_t count;

	wider.range = range;
	return cloud_choose_profiles(list, &wider, NULL, &count, &ignored)
		       ? count
		       : 0;
}

/* Around a trace it is widened on both sides, else it ends where it did. Where
 * it was cut to the time of slowness, a wider one is cut there as well. */
static struct time_range widen(struct time_range range, int64_t length_ns,
			       const struct time_range *around)
{
	int64_t middle_ns;

	if (!around)
		return (struct time_range){ sat_sub_i64(range.to_ns, length_ns),
					    range.to_ns };
	middle_ns = around->from_ns + (around->to_ns - around->from_ns) / 2;
	return (struct time_range){
		range.from_ns > around->from_ns
			? range.from_ns
			: sat_sub_i64(middle_ns, length_ns),
		range.to_ns < around->to_ns ? range.to_ns
					    : sat_add_i64(middle_ns, length_ns),
	};
}

/* The least of some usual lengths that brings enough; 0: none does. */
static int64_t find_wider(const struct profile_list *list,
			  const struct profile_query *query, uint32_t count,
			  int64_t now_ns, const struct time_range *around,
			  uint32_t *more)
{
	static const int64_t steps_ns[] = {
		15 * NS_PER_MIN, 30 * NS_PER_MIN,  NS_PER_HOUR,
		3 * NS_PER_HOUR, 12 * NS_PER_HOUR, NS_PER_DAY,
	};

	for (size_t i = 0; i < sizeof steps_ns / sizeof *steps_ns; i++) {
		struct time_range wider =
			widen(query->range, steps_ns[i], around);

		if (wider.to_ns > now_ns)
			wider.to_ns = now_ns;
		*more = count_profiles(list, query, wider);
		if (*more >= WIDER_FACTOR * count)
			return steps_ns[i];
	}
	return 0;
}

void cloud_answers_note(struct backends *b, const struct profile_query *query,
			int64_t samples, const struct time_range *around)
{
	char length[32], offer[80] = "";
	const struct profile_list *list;
	struct error ignored;
	int64_t wider_ns = 0;
	uint32_t count, more;
	bool is_fatal;

	list = cloud_profiles_list(b, &is_fatal, &ignored);
	count = list ? count_profiles(list, query, query->range) : 0;
	if (!count)
		return;
	if (samples < SAMPLES_ENOUGH)
		wider_ns = find_wider(list, query, count, b->now_ns, around,
				      &more);
	if (wider_ns) {
		format_duration_option(wider_ns, length);
		/* The slowness may turn out to be shorter than that. */
		snprintf(offer, sizeof offer,
			 "; --%s %s would bring %s%" PRIu32 " instead",
			 around ? "pad" : "since", length,
			 around ? "up to " : "", more);
	}
	notes_add(b->notes,
		  "Cloud Profiler looks at one instance at a time: %" PRIu32
		  " profile%s in this window%s",
		  count, &"s"[count == 1], offer);
}
