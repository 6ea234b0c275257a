/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to model/trace_*.c: the state of a build. Times stay as received,
 * cast to int64_t, until trace_times_repair(): below 0 means past 2^63.
 */
#ifndef MODEL_TRACE_BUILD_H
#define MODEL_TRACE_BUILD_H

#include "base/map.h"
#include "model/trace.h"

/* Entries of the table of kept attributes (trace.c). */
#define KEPT_COUNT 113
#define KEPT_WORDS ((KEPT_COUNT + 63) / 64)
#define KEPT_PLACES 256

/* A place that was never described. */
#define RESOURCE_NONE UINT32_MAX

/* From when to when spans last, as far as some of their times count. */
struct time_extent {
	int64_t start_ns;
	int64_t end_ns;
	int64_t earliest_ns; /* of all those times */
	bool has_unknown;    /* a span had none */
};

#define EXTENT_NONE                                                            \
	((struct time_extent){ .start_ns = INT64_MAX,                          \
			       .earliest_ns = INT64_MAX })

/* One of the traces in the input. */
struct trace_seen {
	struct trace_id id;
	uint32_t span_count;
	bool is_placed;          /* all of it, by trace_build_at() */
	bool is_linking;         /* to the trace that is asked about */
	struct feed_place first; /* where its first span stands */
	uint64_t last_offset;    /* and its last one */
	bool has_plausible;      /* some time lies in the years that can be */
	struct time_extent plausible; /* by those times only */
	struct time_extent valid;     /* by all that are times */
};

enum build_phase {
	BUILD_ALL = 0, /* one trace so far, or the wanted one */
	BUILD_SURVEY,  /* several: only seen is filled */
	BUILD_CHOSEN,  /* the second reading: that of seen_at is kept */
};

struct trace_build {
	struct trace *result; /* the caller's: filled by the finish alone */
	struct trace *out;    /* what is read so far: made */
	struct trace made;
	struct arena scratch; /* freed with the build */
	bool has_want;
	struct trace_id want;
	bool may_have_links; /* of any trace */
	bool has_linking;
	struct trace_id linking; /* links to it are looked for */
	bool is_linking; /* the span that comes next has one */
	enum build_phase phase;

	size_t span_cap;
	struct trace_seen *seen;
	size_t seen_count;
	size_t seen_cap;
	uint32_t seen_at; /* of the last span, or of the trace chosen */
	struct feed_place at;
	bool is_placed; /* at says where spans stand */
	bool is_unplaced; /* and never may */
	struct trace_id_map seen_by_id;

	size_t attr_count;
	size_t attr_cap;
	size_t resource_cap;
	struct map resource_by_attrs; /* keys: runs of struct attr */
	uint32_t *places;
	size_t place_count;
	size_t place_cap;

	unsigned char kept_places[KEPT_PLACES];
	uint32_t warnings_at; /* "@jaeger@warnings", among kept keys */
	/* Attributes collected since attrs_begin, by position in the table. */
	uint64_t pending_set[KEPT_WORDS];
	uint32_t pending[KEPT_COUNT];
	uint32_t key_symbols[KEPT_COUNT]; /* 0: not interned yet */
	size_t pending_offered;

	size_t detail_count;
	size_t detail_cap;
	size_t detail_pending; /* where those of the next owner begin */
	size_t link_cap;
	uint32_t link_pending; /* where those of the next span begin */
	size_t part_at;        /* of the event or link that is open */
	bool is_part_open;
	bool is_of_process; /* what is collected */
};

/* The key that spans are sorted by: two numbers; of equal ones the index rises.
 */
struct span_key {
	uint64_t major;
	uint64_t minor;
	uint32_t index;
};

/* Keys in a memory of their own, with as much beside it to move them by. */
struct span_sort {
	struct span_key *keys;
	struct span_key *spare;
};

/* trace_build.c: the first keys, in time that grows as their number does. Those
 * that are equal stay in their order. */
void span_keys_sort(const struct span_sort *sort, size_t count);

/* trace.c: position of a kept key, or KEPT_COUNT, by a table of their hashes. */
void kept_places_fill(unsigned char places[KEPT_PLACES]);
unsigned kept_find(const unsigned char places[KEPT_PLACES], struct str key);
struct str kept_key(unsigned index);

/* trace.c: makes times sane. */
void trace_times_repair(struct trace *t, struct trace_oddities *r);
/* Counts a span, its times as received, and tells the length of all: what is
 * left of it once they are sane. */
void trace_seen_add(struct trace_seen *seen, const struct span *s);
int64_t trace_seen_length(const struct trace_seen *seen);
int64_t trace_seen_end(const struct trace_seen *seen);
/* trace_survey.c: the longest trace first; no two are equal. */
bool trace_seen_is_before(const struct trace_seen *a,
			  const struct trace_seen *b);

/* trace_build.c: forgets all that was kept, but not what was seen. */
void trace_build_restart(struct trace_build *b);

/* trace_survey.c: sets seen_at for a span of this trace. */
bool trace_build_see(struct trace_build *b, const struct trace_id *id,
		     struct error *err) MUST_CHECK;
/* A second trace was met: from now on they are only looked at. */
bool trace_build_survey_begin(struct trace_build *b,
			      struct error *err) MUST_CHECK;

/* trace_parents.c: gives spans whose parent is missing the one in whose hole
 * they lie, in another service; and turns a page round that hangs below the
 * request which delivered it. Before children are filled; sort as below. */
bool trace_mend_parents(struct trace *t, struct arena *scratch,
			const struct span_sort *sort, struct trace_oddities *r,
			struct error *err) MUST_CHECK;

/* trace_build.c: sorted spans get parents, by_id, children and roots. sort is
 * room for one key a span. */
bool trace_link(struct trace *t, struct arena *scratch,
		const struct span_sort *sort, struct trace_oddities *r,
		struct error *err) MUST_CHECK;

#endif
