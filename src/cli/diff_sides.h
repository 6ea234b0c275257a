/* SPDX-License-Identifier: Apache-2.0
 *
 * Which two sides the options of `diff` mean: windows of a service, selectors,
 * spans, slow requests and fast ones, files. Compares nothing.
 */
#ifndef CLI_DIFF_SIDES_H
#define CLI_DIFF_SIDES_H

#include "cli/run.h"

/* What is asked for, and what it points to. */
struct diff {
	struct run *run;
	struct options changed; /* the run's options from then on */
	struct chosen_want want;
	const char *baseline_path; /* a file, whatever --baseline says */
	uint64_t span_ids[2];
};

/* Fills d->want, and in d->changed what the options come down to. Asks the
 * trace server where the sides are slow and fast requests. */
bool diff_sides_read(struct diff *d, struct error *err) MUST_CHECK;

/* As --baseline says, or the file. */
bool diff_baseline_read(const struct diff *d, struct baseline_want *out,
			struct error *err) MUST_CHECK;

#endif
