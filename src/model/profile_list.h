/* SPDX-License-Identifier: Apache-2.0
 *
 * List of stored profiles without their samples: service, labels, type, time.
 * For servers that list profiles individually and cannot select (Cloud
 * Profiler): 40,000 of them are a month of one service, so an entry takes about
 * 40 bytes besides its name, and texts are stored once.
 */
#ifndef MODEL_PROFILE_LIST_H
#define MODEL_PROFILE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/timefmt.h"
#include "model/symtab.h"

/* Profile types of Cloud Profiler. */
enum stored_type {
	STORED_UNKNOWN = 0,
	STORED_CPU,
	STORED_WALL,
	STORED_HEAP,
	STORED_THREADS,
	STORED_CONTENTION,
	STORED_PEAK_HEAP,
	STORED_HEAP_ALLOC,
	STORED_TYPES,
};

/* Symbols of the list. */
struct stored_label {
	uint32_t key;
	uint32_t value;
};

/* Profiles of one type with equal labels. */
struct stored_series {
	uint32_t service;     /* symbol */
	uint32_t label_first; /* index into profile_list.labels */
	uint32_t label_count;
	enum stored_type type;
};

/* A stored profile of [start_ns, end_ns); for a snapshot both are equal. */
struct stored_profile {
	struct str name; /* the server's; unique */
	int64_t start_ns;
	int64_t end_ns;
	uint32_t series;
	uint32_t page; /* page number in the server's list, from 0 */
};

struct profile_list {
	struct arena arena;
	struct symtab symtab;
	struct stored_profile *profiles; /* in the server's order */
	uint32_t count;
	struct stored_series *series;
	uint32_t series_count;
	struct stored_label *labels;
	/* private */
	size_t cap;
	size_t series_cap;
	size_t label_cap;
	uint32_t label_count;
	struct map by_name;
	struct map by_series;
};

/* A profile to add; texts are copied. */
struct stored_entry {
	struct str name;
	struct str service;
	enum stored_type type;
	int64_t start_ns;
	int64_t duration_ns; /* negative counts as 0 */
	uint32_t page;
	/* In any order; of equal keys the last counts. profile_list_add() sorts
	 * them. */
	struct {
		struct str key;
		struct str value;
	} labels[LIMIT_STORED_LABELS];
	uint32_t label_count;
};

bool profile_list_init(struct profile_list *list, struct error *err) MUST_CHECK;
void profile_list_release(struct profile_list *list);

/* Does nothing if the name is already present. Fails with ERROR_LIMIT past
 * LIMIT_STORED_PROFILES. */
bool profile_list_add(struct profile_list *list,
		      const struct stored_entry *entry,
		      struct error *err) MUST_CHECK;

/* Returns the index of the profile of this name, MAP_NONE if absent. */
uint32_t profile_list_find(const struct profile_list *list, struct str name);

/* Returns the value of a label, "" if absent. */
struct str stored_series_label(const struct profile_list *list,
			       const struct stored_series *series,
			       struct str key);
struct str stored_series_service(const struct profile_list *list,
				 const struct stored_series *series);

/* Returns whether the profile overlaps the range. */
bool stored_profile_is_in(const struct stored_profile *profile,
			  struct time_range range);

#endif
