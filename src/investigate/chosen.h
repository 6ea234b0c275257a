/* SPDX-License-Identifier: Apache-2.0
 *
 * A comparison whose sides the user chose: windows of a service, selectors,
 * spans, files. It is compared like the profiles that `slow` finds, but without
 * queries to traces, and the user's choice is not questioned.
 */
#ifndef INVESTIGATE_CHOSEN_H
#define INVESTIGATE_CHOSEN_H

#include "investigate/comparison.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"

struct chosen_want {
	struct str service;        /* value of service_name */
	const struct trace *trace; /* for --map; NULL without a trace */
	uint32_t resource;         /* of the suspect span */
	struct time_range window;
	/* Files to add up, instead of the server. */
	const char *const *paths;
	size_t path_count;
	uint64_t span_id; /* span whose own samples are wanted, too; 0: none */
	struct time_range span_range;
	const char *baseline_selector; /* NULL: same as selector */
	/* Limits samples to these spans, on either side; the baseline then has
	 * the same window. Count 0: no limit. */
	const uint64_t *only_spans;
	size_t only_span_count;
	const uint64_t *baseline_spans;
	size_t baseline_span_count;
	struct str only_text; /* description of these spans, for messages */
	struct str baseline_text;
	bool is_baseline_wanted; /* as in the question */
	/* Number of slices into which a side's time is divided, whose variance
	 * is the noise; 0: undivided. At most COMPARISON_PARTS. */
	size_t slices;
};

struct chosen {
	struct investigation *v;
	const struct chosen_want *want;
	struct comparison comparison;
	struct profile span; /* samples of the span itself */
	bool has_span;       /* at least one */
	bool is_file;        /* the slow side consists of files */
	bool is_of_span;     /* the slow side is the span's own samples */
	int64_t untagged_value; /* of samples excluded by label filters */
	bool is_of_rest;     /* filters were applied to both sides: shares are
			      * of what they leave */
	struct str baseline_kind;
	struct str type_id; /* for a server; empty: given by the files */
	bool is_gauge;
	/* private */
	struct profile_lookup lookup;
	struct profile_service service;
	bool is_service_known; /* else assumed, and there were samples */
	uint64_t asked_span_id;
};

/* want and v must outlive c. Release also after failure. */
void chosen_init(struct chosen *c, struct investigation *v,
		 const struct chosen_want *want);
void chosen_release(struct chosen *c);

/* Fetches both sides. Sets a shortfall or an error if there is no profile:
 * service not known, type absent, empty window. A missing baseline is only
 * noted. */
bool chosen_fetch(struct chosen *c, struct error *err) MUST_CHECK;

/* Replaces the service's samples by the span's own: --scope span. */
bool chosen_turn_to_span(struct chosen *c, bool has_id, struct str id,
			 struct error *err) MUST_CHECK;

/* Applies the question's view to both sides; a shortfall if nothing is left.
 * is_answer: the comparison, too, is of what is left; else shares stay those of
 * the whole. */
bool chosen_filter(struct chosen *c, bool is_answer,
		   struct error *err) MUST_CHECK;

/* Fills result->profile and result->baseline. */
bool chosen_report(const struct chosen *c, struct result *result,
		   struct error *err) MUST_CHECK;

/* Ranks the functions into the result; is_loop and span_name as in struct
 * rank_want. */
bool chosen_rank(struct chosen *c, enum rank_by by, struct str span_name,
		 bool is_loop, struct error *err) MUST_CHECK;

/* The slow and the fast requests of one operation in a window, by their ids in
 * profiles; from a search of the traces. */

struct fast_spans {
	uint64_t *slow_ids;
	size_t slow_count;
	uint64_t *fast_ids;
	size_t fast_count;
	int64_t slow_from_ns; /* shortest duration of the slow ones */
	int64_t fast_to_ns;   /* longest duration of the fast ones */
};

/* Finds them: slow is the slowest tenth, fast the faster half. Arrays live in
 * v->backends->arena. Sets a shortfall if there are too few. */
bool fast_spans_find(struct investigation *v, struct str service,
		     struct str name, struct time_range range,
		     struct fast_spans *out, struct error *err) MUST_CHECK;

#endif
