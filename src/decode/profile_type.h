/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and meaning of sample types: choosing the requested one among those
 * offered, and what follows from it. Independent of formats. Private to
 * decode/.
 */
#ifndef DECODE_PROFILE_TYPE_H
#define DECODE_PROFILE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/notes.h"
#include "base/str.h"
#include "model/profile.h"

/* Filter for samples by label, as pprof's -tagfocus and -tagignore: a list of
 * patterns separated by ',', each of which must match some label written
 * "key:value"; with "KEY=" in front, one of them must match a value of that
 * key. Each label is matched once, however many samples have it. */

struct label_filter;

/* focus: keep these; ignore: except these. NULL: no condition; both are
 * borrowed. Returns NULL with ERROR_USAGE if a pattern is invalid. */
struct label_filter *label_filter_new(const char *focus, const char *ignore,
				      struct error *err) MUST_CHECK;
void label_filter_free(struct label_filter *filter);

/* For each sample: begin, add its labels, then query label_filter_matches(). */
void label_filter_begin(struct label_filter *filter);
bool label_filter_add(struct label_filter *filter, struct str key,
		      struct str value, struct error *err) MUST_CHECK;
bool label_filter_matches(const struct label_filter *filter);

/* Labels added between these two apply to all later samples:
 * label_filter_begin() starts with them. */
void label_filter_shared_begin(struct label_filter *filter);
void label_filter_shared_end(struct label_filter *filter);

/* Which sample type of a profile to read, which samples, in how much detail. */

struct type_name {
	struct str type; /* "cpu" */
	struct str unit; /* "nanoseconds" */
};

static inline bool type_name_equal(struct type_name a, struct type_name b)
{
	return str_equal(a.type, b.type) && str_equal(a.unit, b.unit);
}

/* type: the requested sample type; empty = the profile's default, else the
 * last. Compared with "cpu/nanoseconds", then "cpu", then the middle parts of a
 * full Pyroscope id; the option's words (cpu alloc inuse goroutine mutex block
 * wall) map to candidates. Of equal types the last is taken, unless the default
 * is the first. An absent type is ERROR_NOT_FOUND with a list of those
 * present. */
struct profile_want {
	struct str type;
	/* Type of the profile it will be compared with or added to, or NULL.
	 * Takes precedence over `type`, which then only applies to profiles
	 * without type names. */
	const struct type_name *like;
	enum profile_detail detail; /* if the format supports it */
	/* Only samples matching this, or NULL: all. ERROR_USAGE if the format
	 * has no labels. */
	struct label_filter *labels;
	/* pprof: samples without any frame only count for whole_total, as in
	 * pprof; else they get a frame "[unknown]". */
	bool omits_stackless;
	/* For callers that only sum stacks: a pprof message of this size may
	 * keep its samples packed, see packed_stacks in model/profile.h. 0:
	 * never. */
	uint64_t packed_min_bytes;
	uint64_t packed_max_bytes;
	/* For callers that may need more later: packed stacks can be sorted by
	 * profile_unpack(), which then also infers the period. */
	bool packs_for_later;
};

/* Chooses the type requested by want among those offered (at least one); if
 * none is requested, default_type, else the last. ERROR_NOT_FOUND lists those
 * offered. */
bool type_choose(const struct type_name *offered, uint32_t count,
		 struct str default_type, const struct profile_want *want,
		 uint32_t *chosen, struct error *err) MUST_CHECK;

/* Returns the requested type, for responses that do not contain theirs. Returns
 * false if the request has no type and unit. */
bool type_implied(const struct profile_want *want,
		  struct type_name *implied) MUST_CHECK;

/* Parses "cpu/nanoseconds" or a full Pyroscope id, which contain type and unit
 * independently of the input. */
bool type_spelled_out(struct str wanted, struct type_name *type) MUST_CHECK;

/* Returns whether it is a level, such as memory in use: values of several
 * snapshots cannot be added. */
bool type_is_gauge(struct str type);

/* Returns whether values are numbers of samples; async-profiler calls these
 * "cpu" and "wall". */
bool type_is_sample_count(struct type_name type);

/* Declares the type of a response that does not contain it (type_implied()),
 * before stacks are added; if that fails the profile has no types. */
bool type_declare_implied(struct profile_build *b,
			  const struct profile_want *want,
			  struct error *err) MUST_CHECK;

/* Infers from type and values of a finished profile whether it is a gauge and
 * how many samples it has, if unknown. */
void type_settle(struct profile *out);

/* Adds a note listing the other types if the type chosen by default is
 * empty. */
void type_note_others(const struct profile *p, const struct profile_want *want,
		      struct notes *notes);

#endif
