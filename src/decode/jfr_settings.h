/* SPDX-License-Identifier: Apache-2.0
 *
 * How much time a sample of a flight recording stands for, by the settings that
 * each chunk repeats (jdk.ActiveSetting). Private to jfr*.c.
 */
#ifndef DECODE_JFR_SETTINGS_H
#define DECODE_JFR_SETTINGS_H

#include "decode/jfr_types.h"

/* Changes of a period that are kept, of one chunk; the JDK begins another chunk
 * when a recording starts or ends, so that there is nearly always one. */
#define JFR_PERIOD_CHANGES 16u

struct jfr_change {
	uint64_t ticks; /* from then on */
	int64_t ns;     /* 0: no time */
};

/* Zeroed: nothing is told. */
struct jfr_settings {
	struct jfr_change changes[JFR_PERIOD_CHANGES];
	unsigned change_count;
	/* async-profiler: */
	bool has_interval;
	int64_t interval; /* in nanoseconds where the event is a clock; 0: its
			     default */
	bool has_wall;
	int64_t wall_ns; /* 0: its default */
	bool is_batched; /* samples of wall time are no execution samples */
	enum { JFR_COUNTER = 0, JFR_CPU_CLOCK, JFR_WALL_CLOCK } event;
};

/* Takes a jdk.ActiveSetting that is of events of that class. */
void jfr_settings_take(struct jfr_settings *s, struct str class,
		       const struct jfr_value *setting);

/* What execution samples of this chunk tell, and how much of it a sample is;
 * false: no time. */
bool jfr_settings_execution(const struct jfr_settings *s, bool *is_wall);
int64_t jfr_settings_execution_ns(const struct jfr_settings *s, uint64_t ticks);

/* Of a sample of profiler.WallClockSample; 0: not told. */
int64_t jfr_settings_wall_ns(const struct jfr_settings *s);

#endif
