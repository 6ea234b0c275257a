/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison whose sides the user named: windows of a service, selectors,
 * spans, files. It goes through the same comparison as what `slow` finds, but
 * asks nothing of traces and believes what it is told. No words.
 */
#ifndef INVESTIGATE_CHOSEN_H
#define INVESTIGATE_CHOSEN_H

#include "investigate/comparison.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"

struct chosen_want {
	struct str service;        /* value of service_name */
	const struct trace *trace; /* for --map; NULL without a trace */
	uint32_t resource;         /* of the span under suspicion */
	struct time_range window;
	/* Files instead of the server, added up. */
	const char *const *paths;
	size_t path_count;
	uint64_t span_id; /* whose own samples are wanted, too; 0: none */
	struct time_range span_range;
	const char *baseline_selector; /* NULL: the same selector */
	/* Only samples of these spans, on either side; the baseline is then of
	 * the same window. Count 0: all. */
	const uint64_t *only_spans;
	size_t only_span_count;
	const uint64_t *baseline_spans;
	size_t baseline_span_count;
	struct str only_text; /* what these spans are, for people */
	struct str baseline_text;
	bool is_baseline_wanted; /* that of the question */
	/* A side is asked for in so many slices of its time, whose spread tells
	 * the noise; 0: as a whole. At most COMPARISON_PARTS. */
	size_t slices;
};

struct chosen {
	struct investigation *v;
	const struct chosen_want *want;
	struct comparison comparison;
	struct profile span; /* samples of the span itself */
	bool has_span;       /* at least one */
	bool is_file;        /* the slow side is one, or several */
	bool is_of_span;     /* the slow side is the span's own samples */
	int64_t untagged_value; /* of the samples that labels leave out */
	bool is_of_rest;     /* both sides are what filters leave, no more */
	struct str baseline_kind;
	struct str type_id; /* of a server; empty: the files say */
	bool is_gauge;
	/* private */
	struct profile_lookup lookup;
	struct profile_service service;
	bool is_service_known; /* else assumed, and samples came */
	uint64_t asked_span_id;
};

/* want and v must outlive it. Release also after failure. */
void chosen_init(struct chosen *c, struct investigation *v,
		 const struct chosen_want *want);
void chosen_release(struct chosen *c);

/* A shortfall or an error when there is no profile: service not known, type
 * absent, empty window. A missing baseline is a note, not a failure. */
bool chosen_fetch(struct chosen *c, struct error *err) MUST_CHECK;

/* The span's own samples take the place of the service's: --scope span. */
bool chosen_turn_to_span(struct chosen *c, bool has_id, struct str id,
			 struct error *err) MUST_CHECK;

/* Replaces both sides by what the question's view leaves of them; a shortfall
 * when that is nothing at all. is_answer: a comparison is of what is left then;
 * else shares stay those of the whole. */
bool chosen_filter(struct chosen *c, bool is_answer,
		   struct error *err) MUST_CHECK;

/* Fills result->profile and result->baseline. */
bool chosen_report(const struct chosen *c, struct result *result,
		   struct error *err) MUST_CHECK;

/* Ranks the functions into the result; is_loop and span_name as in struct
 * rank_want. */
bool chosen_rank(struct chosen *c, enum rank_by by, struct str span_name,
		 bool is_loop, struct error *err) MUST_CHECK;

/* The slow and the fast requests of one operation in a window, by the ids under
 * which profiles hold their samples; from a search of the traces. */

struct fast_spans {
	uint64_t *slow_ids;
	size_t slow_count;
	uint64_t *fast_ids;
	size_t fast_count;
	int64_t slow_from_ns; /* the shortest of them */
	int64_t fast_to_ns;   /* the longest of them */
};

/* Slow is the slowest tenth, fast the faster half. In v->backends->arena.
 * A shortfall when there are too few. */
bool fast_spans_find(struct investigation *v, struct str service,
		     struct str name, struct time_range range,
		     struct fast_spans *out, struct error *err) MUST_CHECK;

#endif
