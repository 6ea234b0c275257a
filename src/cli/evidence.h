/* SPDX-License-Identifier: Apache-2.0
 *
 * The profiles behind a verdict: the slow side, its baseline and, for a span
 * that carries a profile id, the span's own samples. From Pyroscope or from
 * files, with the reason told when there are none.
 */
#ifndef CLI_EVIDENCE_H
#define CLI_EVIDENCE_H

#include "cli/context.h"
#include "cli/window.h"
#include "investigate/investigation.h"
#include "model/profile.h"
#include "model/result.h"

struct evidence_want {
	struct str service;        /* value of service_name */
	const struct trace *trace; /* for --map; NULL without a trace */
	uint32_t resource;         /* of the span under suspicion */
	struct time_range window;
	const char *slow_path; /* a file instead of the server, or NULL */
	const char *const *more_paths; /* those that are added to it */
	size_t more_path_count;
	const char *span_id; /* 16 hex digits, or NULL */
	struct time_range span_range;
	const char *baseline_path;     /* a file, whatever --baseline says */
	const char *baseline_selector; /* NULL: the same selector */
	/* Only samples of these spans, on either side; the baseline is then of
	 * the same window. Count 0: all. */
	const uint64_t *only_spans;
	size_t only_span_count;
	const uint64_t *baseline_spans;
	size_t baseline_span_count;
	struct str only_text; /* what these spans are, for people */
	struct str baseline_text;
	bool is_baseline_wanted;
};

struct evidence {
	struct profile slow;
	struct profile baseline;
	struct profile span;
	bool has_baseline;
	bool has_span; /* at least one sample */
	struct str type_id;
	struct str selector;
	bool is_file; /* and selector the name of it */
	struct str baseline_selector;
	struct time_range window;
	struct time_range baseline_window; /* both 0 for files */
	int64_t profiled_ns; /* time of the window that was; 0: all of it */
	int64_t baseline_profiled_ns;
	struct str baseline_kind;
	bool is_gauge;
	enum scope scope;
	struct str text; /* which samples, when only those of some spans */
	struct str baseline_text;
};

/* No allocation of models happens before evidence_fetch. */
void evidence_init(struct evidence *ev);
void evidence_release(struct evidence *ev);

/* ERROR_NOT_FOUND when there is no profile, with the reason: service not
 * known (nearest names), type absent (those present), empty window. A
 * missing baseline is a note, not a failure. */
bool evidence_fetch(struct investigation *v, struct context *ctx,
		    const struct evidence_want *want, struct evidence *ev,
		    struct error *err) MUST_CHECK;

/* Fills result->profile and result->baseline. */
bool evidence_report(const struct evidence *ev, struct result *result,
		     struct error *err) MUST_CHECK;

#endif
