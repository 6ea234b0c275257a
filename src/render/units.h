/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for people, the same in every locale: shares, differences, counts
 * with thousands separators, sizes, and what a profile's values mean in
 * words. Durations come from base/timefmt.h.
 */
#ifndef RENDER_UNITS_H
#define RENDER_UNITS_H

#include <stdint.h>

#include "base/str.h"

/* Room that every function below is content with. */
#define UNIT_TEXT_BYTES 40

/* 0..1 as "65.0 %"; "-" when it is not a number. */
void format_share(double share, char out[UNIT_TEXT_BYTES]);

/* 0..1 as "65 %"; "-" when it is not a number. */
void format_percent(double share, char out[UNIT_TEXT_BYTES]);

/* Three significant digits: "512 B", "1.50 MiB". */
void format_size(int64_t size_bytes, char out[UNIT_TEXT_BYTES]);

/* A profile's value by its unit: a duration, a size or a count. */
void format_value(int64_t value, struct str unit, char out[UNIT_TEXT_BYTES]);

/* What a share is a share of: "CPU", "wall time", "allocated bytes"... for a
 * full profile type id or a file's "cpu/nanoseconds"; "the profile" when the
 * type is not a known one. */
const char *measure_word(struct str type);

/* What is measured, at the head of a table or a sentence: "CPU", "samples";
 * "value" when the type is not a known one. */
const char *measure_subject(struct str type);

/* What a count is one of: "allocations"...; "in all" when that is not known. */
const char *measure_noun(struct str type);

#endif
