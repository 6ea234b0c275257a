/* SPDX-License-Identifier: Apache-2.0
 *
 * The JDK tells the period of jdk.ExecutionSample in words, "20 ms".
 * async-profiler tells `interval` and `wall` in nanoseconds, 0 for its defaults
 * (arguments.h and wallClock.cpp of its version 4.5), and `event`, by which the
 * interval is time at all: of "cache-misses" it is a count of those.
 */
#include "decode/jfr_settings.h"

#include <string.h>

#include "base/count.h"
#include "base/num.h"
#include "base/timefmt.h"

#define CPU_DEFAULT_NS (10 * NS_PER_MS)
#define WALL_DEFAULT_NS (50 * NS_PER_MS)

/* "20 ms" */
static bool parse_period(struct str text, int64_t *ns)
{
	char joined[32];
	struct str words = { joined, 0 };

	if (text.len > sizeof joined)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != ' ')
			joined[words.len++] = text.ptr[i];
	return parse_duration(words, ns);
}

/* What does not fit replaces the last one. */
static void add_change(struct jfr_settings *s, uint64_t ticks, int64_t ns)
{
	if (s->change_count == JFR_PERIOD_CHANGES)
		s->change_count--;
	s->changes[s->change_count++] = (struct jfr_change){ ticks, ns };
}

static void take_event(struct jfr_settings *s, struct str event)
{
	static const char *const clocks[] = { "cpu", "itimer", "ctimer",
					      "cpu-clock" };

	if (str_is_one_of(event, clocks, COUNT_OF(clocks)))
		s->event = JFR_CPU_CLOCK;
	else if (str_equal(event, STR("wall")))
		s->event = JFR_WALL_CLOCK;
}

void jfr_settings_take(struct jfr_settings *s, struct str class,
		       const struct jfr_value *setting)
{
	struct str name = setting->setting_name;
	struct str value = setting->setting_value;
	int64_t number = 0;

	if (str_equal(name, STR("event"))) {
		take_event(s, value);
		return;
	}
	if (!str_equal(class, STR("jdk.ExecutionSample")))
		return;
	if (str_equal(name, STR("period"))) {
		if (!parse_period(value, &number))
			number = 0;
		add_change(s, setting->numbers[JFR_START], number);
	} else if (str_equal(name, STR("interval"))) {
		s->has_interval = parse_i64(value, &s->interval) &&
				  s->interval >= 0;
	} else if (str_equal(name, STR("wall"))) {
		s->has_wall = parse_i64(value, &s->wall_ns) && s->wall_ns >= 0;
	} else if (str_equal(name, STR("nobatch"))) {
		s->is_batched = str_equal(value, STR("false"));
	}
}

static int64_t wall_or_default(int64_t ns)
{
	return ns ? ns : WALL_DEFAULT_NS;
}

/* Before version 4 samples of both clocks may be one event. */
static bool is_mixed(const struct jfr_settings *s)
{
	return s->has_wall && s->event == JFR_CPU_CLOCK && !s->is_batched;
}

static int64_t interval_ns(const struct jfr_settings *s)
{
	if (s->event == JFR_COUNTER || is_mixed(s))
		return 0;
	if (s->event == JFR_WALL_CLOCK)
		return wall_or_default(s->has_wall ? s->wall_ns : s->interval);
	return s->interval ? s->interval : CPU_DEFAULT_NS;
}

int64_t jfr_settings_execution_ns(const struct jfr_settings *s, uint64_t ticks)
{
	unsigned at = s->change_count;

	if (s->has_interval)
		return interval_ns(s);
	if (!at)
		return 0;
	while (at > 1 && s->changes[at - 1].ticks > ticks)
		at--;
	return s->changes[at - 1].ns;
}

bool jfr_settings_execution(const struct jfr_settings *s, bool *is_wall)
{
	*is_wall = s->has_interval && s->event == JFR_WALL_CLOCK;
	if (s->has_interval)
		return interval_ns(s) > 0;
	for (unsigned i = 0; i < s->change_count; i++)
		if (s->changes[i].ns <= 0)
			return false;
	return s->change_count > 0;
}

int64_t jfr_settings_wall_ns(const struct jfr_settings *s)
{
	if (s->has_wall)
		return wall_or_default(s->wall_ns);
	return s->has_interval && s->event == JFR_WALL_CLOCK
		       ? wall_or_default(s->interval)
		       : 0;
}
