/* SPDX-License-Identifier: Apache-2.0
 *
 * The services that sent profiles in a window: how much CPU each took, how
 * that went over the window, and its types of profiles.
 */
#ifndef CLI_SERVICES_H
#define CLI_SERVICES_H

#include "cli/context.h"
#include "cli/output.h"
#include "cli/window.h"

/* Steps of a window at most; 20, 30 and 60 columns show them evenly. */
#define SERVICES_STEPS 60

/* Longer windows would need steps so long that hardly any fit into the day
 * that a server answers at once. */
#define SERVICES_MAX_NS (20 * NS_PER_DAY)

struct service_row {
	struct str name;
	struct name_list types; /* full ids */
	struct str cpu_type;    /* empty: it sends no CPU profiles */
	double *cpu_ns;         /* of each step; NULL: not known */
	double total_ns;
};

struct services {
	struct context ctx;
	struct time_range window; /* whole steps */
	int64_t step_ms;
	size_t step_count;
	struct str selector;
	struct service_row *rows; /* most CPU first */
	size_t count;
};

/* Asks for all of it; ctx and window are set. No rows: none sent profiles.
 * Without an answer about CPU the rest is there, and a note. */
bool services_fetch(struct services *s, struct error *err) MUST_CHECK;

extern const struct answer_writer services_writer;

#endif
