/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sample types of profiles are called and mean: choosing the wanted
 * one among those offered, and what follows from it. Knows names only, no
 * format. Private to decode/.
 */
#ifndef DECODE_PROFILE_TYPE_H
#define DECODE_PROFILE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/notes.h"
#include "base/str.h"
#include "model/profile.h"

/* Which samples are wanted by their labels, as pprof's -tagfocus and -tagignore
 * say: a list of patterns separated by ',', each of which must be found in some
 * label, written "key:value"; behind "KEY=" one of which must be found in a
 * value of that key. Each label is matched once, however many samples carry it.
 */

struct label_filter;

/* focus: those that are wanted; ignore: those of them that are not. NULL is no
 * condition; both are borrowed. NULL with ERROR_USAGE when a pattern is wrong. */
struct label_filter *label_filter_new(const char *focus, const char *ignore,
				      struct error *err) MUST_CHECK;
void label_filter_free(struct label_filter *filter);

/* One sample: begin, add each of its labels, ask. */
void label_filter_begin(struct label_filter *filter);
bool label_filter_add(struct label_filter *filter, struct str key,
		      struct str value, struct error *err) MUST_CHECK;
bool label_filter_matches(const struct label_filter *filter);

/* Labels that are added between these two hold for all samples from then on:
 * label_filter_begin() begins with them. */
void label_filter_shared_begin(struct label_filter *filter);
void label_filter_shared_end(struct label_filter *filter);

/* The parts of a profile to be read: which of its types, which samples, in how
 * much detail. */

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

/* Chooses among the offered types (at least one): the wanted one as struct
 * profile_want says; nothing wanted: the one named by default_type, else the
 * last. ERROR_NOT_FOUND lists those offered. */
bool type_choose(const struct type_name *offered, uint32_t count,
		 struct str default_type, const struct profile_want *want,
		 uint32_t *chosen, struct error *err) MUST_CHECK;

/* For answers that do not say their type: what was asked for. False when that
 * names no type and unit. */
bool type_implied(const struct profile_want *want,
		  struct type_name *implied) MUST_CHECK;

/* "cpu/nanoseconds" or a full Pyroscope id: type and unit are spelled out,
 * so they hold whatever the input is. */
bool type_spelled_out(struct str wanted, struct type_name *type) MUST_CHECK;

/* A level, like memory in use: values of several snapshots do not add up. */
bool type_is_gauge(struct str type);

/* Plain counts of samples; async-profiler calls them "cpu" and "wall". */
bool type_is_sample_count(struct type_name type);

/* Names the only sample type of an answer that does not say it (type_implied)
 * before its stacks are added; a profile without types when that fails. */
bool type_declare_implied(struct profile_build *b,
			  const struct profile_want *want,
			  struct error *err) MUST_CHECK;

/* Settles by type and values of a finished profile what nothing else says:
 * whether it is a gauge, how many samples it holds. */
void type_settle(struct profile *out);

/* Notes which types there are besides, where the one that nobody asked for
 * holds nothing. */
void type_note_others(const struct profile *p, const struct profile_want *want,
		      struct notes *notes);

#endif
