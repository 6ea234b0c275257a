/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to model/trace_*.c: state of trace construction. Times are stored as
 * received, cast to int64_t, until trace_times_repair(): negative means 2^63 or
 * more.
 */
#ifndef MODEL_TRACE_BUILD_H
#define MODEL_TRACE_BUILD_H

#include "base/map.h"
#include "model/trace.h"

/* Size of the table of kept attributes (trace.c). */
#define KEPT_COUNT 113
#define KEPT_WORDS ((KEPT_COUNT + 63) / 64)
#define KEPT_PLACES 256

/* A place that was never described. */
#define RESOURCE_NONE UINT32_MAX

/* Extent of spans, considering only some of their times. */
struct time_extent {
	int64_t start_ns;
	int64_t end_ns;
	int64_t earliest_ns; /* of all those times */
	bool has_unknown;    /* a span had none */
};

#define EXTENT_NONE                                                            \
	((struct time_extent){ .start_ns = INT64_MAX,                          \
			       .earliest_ns = INT64_MAX })

/* A trace in the input. */
struct trace_seen {
	struct trace_id id;
	uint32_t span_count;
	/* All spans are in places, by trace_build_at(). */
	bool is_placed;
	/* Has a link to the trace being searched for. */
	bool is_linking;
	struct feed_place first;      /* place of its first span */
	uint64_t last_offset;         /* offset of its last one */
	bool has_plausible;           /* some time is in a plausible year */
	struct time_extent plausible; /* by those times only */
	struct time_extent valid;     /* by all valid times */
};

enum build_phase {
	BUILD_ALL = 0, /* one trace so far, or the requested one */
	BUILD_SURVEY,  /* several: only `seen` is filled */
	BUILD_CHOSEN,  /* second reading: keeps the trace seen_at */
};

struct trace_build {
	struct trace *result; /* the caller's, set only by the finish */
	struct trace *out;    /* under construction: &made */
	struct trace made;
	struct arena scratch; /* freed with the build */
	bool has_want;
	struct trace_id want;
	bool may_have_links; /* in any trace */
	bool has_linking;
	struct trace_id linking; /* search for links to it */
	bool is_linking;         /* the next span has one */
	enum build_phase phase;

	size_t span_cap;
	struct trace_seen *seen;
	size_t seen_count;
	size_t seen_cap;
	uint32_t seen_at; /* trace of the last span, or the chosen trace */
	struct feed_place at;
	bool is_placed;   /* `at` is the place of the next spans */
	bool is_unplaced; /* places are unusable */
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
	/* Attributes collected since attrs_begin, by index of the kept key. */
	uint64_t pending_set[KEPT_WORDS];
	uint32_t pending[KEPT_COUNT];
	uint32_t key_symbols[KEPT_COUNT]; /* 0: not interned yet */
	size_t pending_offered;

	size_t detail_count;
	size_t detail_cap;
	size_t detail_pending; /* start of those of the next owner */
	size_t link_cap;
	uint32_t link_pending; /* start of those of the next span */
	size_t part_at;        /* index of the open event or link */
	bool is_part_open;
	bool is_of_process; /* collecting for a resource */
};

/* Sort key of spans: two numbers, then the index. */
struct span_key {
	uint64_t major;
	uint64_t minor;
	uint32_t index;
};

/* Sort buffers, separately allocated, of equal size. */
struct span_sort {
	struct span_key *keys;
	struct span_key *spare;
};

/* trace_build.c: sorts the first `count` keys in linear time. Stable. */
void span_keys_sort(const struct span_sort *sort, size_t count);

/* trace.c: hash table of kept keys; kept_find() returns an index, KEPT_COUNT if
 * absent. */
void kept_places_fill(unsigned char places[KEPT_PLACES]);
unsigned kept_find(const unsigned char places[KEPT_PLACES], struct str key);
struct str kept_key(unsigned index);

/* trace.c: repairs invalid times. */
void trace_times_repair(struct trace *t, struct trace_oddities *r);
/* Counts a span, times as received; the others return length and end of the
 * trace after repair. */
void trace_seen_add(struct trace_seen *seen, const struct span *s);
int64_t trace_seen_length(const struct trace_seen *seen);
int64_t trace_seen_end(const struct trace_seen *seen);
/* trace_survey.c: total order, the longest trace first. */
bool trace_seen_is_before(const struct trace_seen *a,
			  const struct trace_seen *b);

/* trace_build.c: discards what was kept, except `seen`. */
void trace_build_restart(struct trace_build *b);

/* trace_survey.c: sets seen_at to this trace. */
bool trace_build_see(struct trace_build *b, const struct trace_id *id,
		     struct error *err) MUST_CHECK;
/* Switches to BUILD_SURVEY when a second trace appears. */
bool trace_build_survey_begin(struct trace_build *b,
			      struct error *err) MUST_CHECK;

/* trace_parents.c: attaches spans with a missing parent to a span of another
 * service with a matching gap; reverses a browser page below the request that
 * delivered it. Call before children are filled; sort as below. */
bool trace_mend_parents(struct trace *t, struct arena *scratch,
			const struct span_sort *sort, struct trace_oddities *r,
			struct error *err) MUST_CHECK;

/* trace_build.c: sets parents, by_id, children and roots of sorted spans. sort
 * has room for one key per span. */
bool trace_link(struct trace *t, struct arena *scratch,
		const struct span_sort *sort, struct trace_oddities *r,
		struct error *err) MUST_CHECK;

#endif
