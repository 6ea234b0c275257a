/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of when.h share.
 */
#ifndef INVESTIGATE_WHEN_PARTS_H
#define INVESTIGATE_WHEN_PARTS_H

#include "investigate/when.h"

/* ---- when_steps.c: what servers add up over time ---- */

/* The window in whole steps: minutes where there are not too many. */
void when_cut_window(struct when *w);

/* Asks for requests and durations by version (is_traced), for the profiles'
 * names (has_profiles), and then for what the profiles add up to. What a server
 * does not tell is left unknown. */
bool when_ask_steps(struct when *w, bool is_traced, bool has_profiles,
		    struct error *err) MUST_CHECK;

/* Fills the series of what was answered, and looks for changes in them. */
bool when_judge_steps(struct when *w, struct error *err) MUST_CHECK;

/* In one series; versions that came are known to matter. */
bool when_judge(const struct when *w, struct when_series *s,
		struct error *err) MUST_CHECK;

/* Room for so many steps, all of them unknown. */
bool when_series_make(struct when *w, struct when_series *s, size_t count,
		      struct error *err) MUST_CHECK;

/* Requests of a part of the window, all versions; 0: not known. */
double when_requests_in(const struct when *w, struct time_range range);

/* Where steps are longer than a minute: asks once more for the minutes around
 * the lead's step. */
bool when_narrow(struct when *w, struct error *err) MUST_CHECK;

/* ---- when_slices.c: what has to be fetched ---- */

/* The lead in slices, as many as requests are left for, then halves. */
bool when_ask_slices(struct when *w, struct error *err) MUST_CHECK;

/* ---- when_beside.c: what else changed ---- */

/* A span of a version in a step, where only searches tell. */
bool when_count_version(struct when *w, struct str version, size_t step,
			struct error *err) MUST_CHECK;

/* By which versions there are requests, or profiles: fills versions. */
void when_find_versions(struct when *w);

/* Which of them came with the step, and the instances around it. */
bool when_ask_beside(struct when *w, struct error *err) MUST_CHECK;

/* An error's words, kept. */
const char *when_reason(const struct when *w, const struct error *err);

/* Runs jobs, counted. */
bool when_run(struct when *w, struct job *const *jobs, size_t count,
	      struct error *err) MUST_CHECK;

#endif
