/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

#include <stdlib.h>

#include "base/instance.h"
#include "base/num.h"

/* ---- clocks ---- */

#define CLOCK_WARN_NS (5 * NS_PER_S)
/* A window has five minutes of padding on both sides, but a profile covers 10
 * to 60 s. */
#define CLOCK_FAIL_NS (60 * NS_PER_S)

/* Date headers are truncated to seconds: on average half a second is
 * missing. */
#define DATE_HALF_NS (NS_PER_S / 2)

struct clock_offset clock_offset_find(const struct clock_answer *answers,
				      size_t n, int64_t now_ns)
{
	int64_t offsets[CLOCK_ANSWERS_MAX] = { 0 }, longest_ns = 0, low, high;

	n = min_size(n, CLOCK_ANSWERS_MAX);
	for (size_t i = 0; i < n; i++) {
		int64_t half_ns = answers[i].duration_ns / 2;
		int64_t there_ns =
			sat_add_i64(answers[i].date_ns, DATE_HALF_NS);

		offsets[i] =
			sat_sub_i64(there_ns, sat_add_i64(now_ns, half_ns));
		if (answers[i].duration_ns > longest_ns)
			longest_ns = answers[i].duration_ns;
	}
	qsort(offsets, n, sizeof *offsets, compare_i64_items);
	low = offsets[(n - 1) / 2];
	high = offsets[n / 2];
	return (struct clock_offset){
		.offset_ns = low + sat_sub_i64(high, low) / 2,
		.slack_ns = sat_add_i64(DATE_HALF_NS, longest_ns / 2),
	};
}

enum check_status clock_offset_judge(const struct clock_offset *clock)
{
	int64_t off_ns = clock->offset_ns < 0 ? sat_sub_i64(0, clock->offset_ns)
					      : clock->offset_ns;
	int64_t sure_ns = sat_sub_i64(off_ns, clock->slack_ns);

	if (sure_ns > CLOCK_FAIL_NS)
		return CHECK_FAILED;
	return sure_ns > CLOCK_WARN_NS ? CHECK_WARNING : CHECK_OK;
}

/* ---- names ---- */

struct name_found name_match_find(const struct name_candidates *candidates,
				  const struct name_list *list)
{
	struct name_found found = { .name = STR("") };
	struct name_choice choice;

	name_choose(candidates, list, &choice);
	found.nearest_count = nearest_names(list, candidates->names[0],
					    found.nearest, NEAREST_SHOWN);
	if (choice.name.ptr) {
		found.name = choice.name;
		found.match = str_equal(choice.name, candidates->names[0])
				      ? NAME_EXACT
				      : NAME_VARIED;
	} else if (choice.doubt_count) {
		found.match = NAME_DOUBT;
		found.nearest_count =
			min_size(choice.doubt_count, NEAREST_SHOWN);
		for (size_t i = 0; i < found.nearest_count; i++)
			found.nearest[i] = choice.doubts[i];
	} else if (found.nearest_count) {
		found.match = NAME_NEAR;
	}
	if (!found.name.len && found.nearest_count)
		found.name = found.nearest[0];
	return found;
}

/* Attributes that name a process or its workload, unlike namespaces and nodes,
 * which contain many. */
static const char *const naming_attrs[] = {
	"k8s.deployment.name", "k8s.statefulset.name",
	"k8s.daemonset.name",  "k8s.container.name",
	"container.name",      "process.executable.name",
	"faas.name",           "app",
};

static const char *naming_attr(size_t i)
{
	const size_t count = COUNT_OF(naming_attrs);

	return i < count ? naming_attrs[i] : instance_attrs[i - count];
}

const char *name_attr_find(const struct trace *t, uint32_t resource,
			   const struct name_list *list, struct str *value)
{
	for (size_t i = 0; i < COUNT_OF(naming_attrs) + INSTANCE_ATTRS; i++) {
		struct str held =
			resource_attr(t, resource, str_from(naming_attr(i)));

		for (size_t k = 0; held.len && k < list->count; k++)
			if (str_equal(held, list->items[k])) {
				*value = list->items[k];
				return naming_attr(i);
			}
	}
	return NULL;
}

/* ---- windows ---- */

/* Profiles are sent every 10 to 60 s, and become visible late. */
#define NEWEST_SLACK_NS (5 * NS_PER_MIN)

enum window_trouble window_judge(struct time_range window, int64_t now_ns,
				 const struct window_limits *limits)
{
	int64_t length_ns = sat_sub_i64(window.to_ns, window.from_ns);
	int64_t newest_ns = sat_add_i64(limits->newest_ns, NEWEST_SLACK_NS);

	if (limits->lookback_ns &&
	    window.from_ns < sat_sub_i64(now_ns, limits->lookback_ns))
		return WINDOW_PAST_LOOKBACK;
	if (limits->oldest_ns && window.to_ns <= limits->oldest_ns)
		return WINDOW_BEFORE_DATA;
	if (limits->newest_ns && window.from_ns > newest_ns)
		return WINDOW_AFTER_DATA;
	if (limits->length_ns && length_ns > limits->length_ns)
		return WINDOW_TOO_LONG;
	if (limits->oldest_ns && window.from_ns < limits->oldest_ns)
		return WINDOW_CUT_BY_DATA;
	return WINDOW_OK;
}

/* ---- span profiles ---- */

/* CPU is sampled every 10 ms; a span shorter than two periods may well have no
 * sample. */
#define SPAN_SHORT_NS (20 * NS_PER_MS)

bool is_span_profile_id(struct str value)
{
	unsigned char id[8];

	return value.len == 16 && hex_decode(value, id, sizeof id);
}

enum span_trouble span_profiles_judge(const struct span_facts *facts)
{
	if (!facts->profile_id.len)
		return SPANS_NO_ID;
	if (!is_span_profile_id(facts->profile_id))
		return SPANS_BAD_ID;
	if (!facts->has_service)
		return SPANS_NO_SERVICE;
	if (!facts->has_cpu)
		return SPANS_NOT_CPU;
	if (facts->is_selector_ignored)
		return SPANS_IGNORED;
	if (facts->has_samples)
		return SPANS_OK;
	return facts->duration_ns < SPAN_SHORT_NS ? SPANS_TOO_SHORT
						  : SPANS_NO_SAMPLES;
}
