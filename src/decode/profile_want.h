/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a profile is to be read: which of its types, which samples, in how
 * much detail.
 */
#ifndef DECODE_PROFILE_WANT_H
#define DECODE_PROFILE_WANT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "decode/label_filter.h"
#include "model/profile.h"

struct type_name {
	struct str type; /* "cpu" */
	struct str unit; /* "nanoseconds" */
};

static inline bool type_name_equal(struct type_name a, struct type_name b)
{
	return str_equal(a.type, b.type) && str_equal(a.unit, b.unit);
}

/* Which sample type: empty = the profile's default, else the last. Matches
 * what is offered letter by letter ("cpu/nanoseconds", then "cpu"), then a full
 * Pyroscope id's middle parts; the plain words of the option (cpu alloc inuse
 * goroutine mutex block wall) map to candidates. Of equal types it is the last
 * one, or the first where it is the profile's default. A type that is absent is
 * ERROR_NOT_FOUND and the message lists those present. */
struct profile_want {
	struct str type;
	/* What the profile is to be compared with or added to is of this type
	 * (NULL: there is none): it goes before `type`, which then says only
	 * what a profile holds that names no type. */
	const struct type_name *like;
	enum profile_detail detail; /* where the format has it */
	/* Samples with such labels only, or NULL: all. ERROR_USAGE where the
	 * format has no labels. */
	struct label_filter *labels;
	/* pprof files: samples without any frame count for whole_total only,
	 * as pprof has it; else they are of one frame "[unknown]". */
	bool omits_stackless;
	/* For callers who only add up stacks: those of a pprof message of so
	 * many bytes may stay as they are, see packed_stacks in
	 * model/profile.h. No more than 0: never. */
	uint64_t packed_min_bytes;
	uint64_t packed_max_bytes;
	/* For callers who may want more of them yet: those can be put into
	 * order by profile_unpack(), which then tells the period, too. */
	bool packs_for_later;
};

#endif
