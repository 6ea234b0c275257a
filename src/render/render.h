/* SPDX-License-Identifier: Apache-2.0
 *
 * Renderers: results to bytes. One file and one table row per format; a
 * renderer gets a writer and a struct render_input, and does not know the
 * command. Foreign text passes base/escape.h.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/jsonw.h"
#include "base/notes.h"
#include "base/out.h"
#include "base/str.h"
#include "model/result.h"
#include "model/trace.h"
#include "render/input.h"
#include "render/page.h"

enum render_needs {
	RENDER_NEEDS_PROFILE = 1 << 0,
	RENDER_NEEDS_BASELINE = 1 << 1,
	RENDER_IS_BINARY = 1 << 2,
	RENDER_NEEDS_STACKS = 1 << 3,
	RENDER_NEEDS_SPANS = 1 << 4, /* result.spans, set by show only */
	RENDER_NEEDS_FLAME = 1 << 5,
	/* Values must be positive on both sides. */
	RENDER_NEEDS_POSITIVE = 1 << 6,
	RENDER_NEEDS_GRAPH = 1 << 7,
	/* Everything available: flame graph, waterfall with span attributes,
	 * functions beyond the limit; none of them is required. */
	RENDER_TAKES_ALL = 1 << 8,
	/* Renders stacks only, and no rows, kinds or notes of the result. */
	RENDER_IS_UNRANKED = 1 << 9,
	/* A single profile, or the trace of show: no comparison. */
	RENDER_NEEDS_ONE = 1 << 10,
	RENDER_DRAWS_FLAME = RENDER_NEEDS_FLAME | RENDER_TAKES_ALL,
};

struct render_format {
	const char *name;   /* "table" */
	const char *suffix; /* ".json" */
	unsigned needs;
	const char *help;
	void (*render)(const struct render_input *in, struct out *out);
};

/* Returns the format of this name, NULL if unknown. */
const struct render_format *render_find(struct str name);

/* Ends with a row without a name. */
extern const struct render_format render_formats[];

/* Writers for answers that are not a struct result (a list of traces, a guide),
 * a function for each kind of format. */

/* A further format, by its name for -o. */
struct answer_format {
	const char *name; /* NULL ends a list */
	void (*write)(const void *answer, struct out *out);
};

struct answer_writer {
	/* Table; for lists also markdown, as selected by the style. */
	void (*table)(const void *answer, const struct render_style *style,
		      struct out *out);
	void (*json)(const void *answer, struct out *out);
	/* For lists, else NULL. */
	void (*csv)(const void *answer, struct out *out);
	void (*id)(const void *answer, struct out *out);
	/* For time series. */
	void (*html)(const void *answer, struct out *out);
	const struct answer_format *others; /* NULL: none */
	/* The table consists of rows only, without a sentence that gives the
	 * answer. */
	bool is_list;
};

/* Functions shared by the files of this folder: renderers of the formats, and
 * parts of the table format by command. */

/* "  confidence  ": width of the labels of evidence. */
#define EVIDENCE_COLUMNS 14u

/* One per row of the format table; failures stay in out. */
void render_json(const struct render_input *in, struct out *out);
void render_chat(const struct render_input *in, struct out *out);
void render_csv(const struct render_input *in, struct out *out);
void render_folded(const struct render_input *in, struct out *out);
void render_difffolded(const struct render_input *in, struct out *out);
void render_pprof(const struct render_input *in, struct out *out);
void render_speedscope(const struct render_input *in, struct out *out);
void render_dot(const struct render_input *in, struct out *out);
void render_chrome(const struct render_input *in, struct out *out);
void render_otlp(const struct render_input *in, struct out *out);
void render_svg(const struct render_input *in, struct out *out);
void render_html(const struct render_input *in, struct out *out);
void render_term(const struct render_input *in, struct out *out);

/* -o otlp, if there is a profile. */
void otlp_profile(const struct render_input *in, struct out *out);

/* Returns "internal", "server" and so on. */
const char *span_kind_word(enum span_kind kind);

/* All attributes of a span, resource, event or link, sorted by key; of equal
 * keys the last. */
struct attr_list {
	struct attr_text {
		struct str key;
		struct str value;
		size_t at; /* position in the trace */
	} * items;
	size_t count;
};

/* Fill the list; free with attr_list_release(). When out of memory the list is
 * empty and `out` fails. */
void attr_list_span(const struct trace *t, uint32_t span, struct out *out,
		    struct attr_list *list);
void attr_list_resource(const struct trace *t, uint32_t resource,
			struct out *out, struct attr_list *list);
/* Attributes of an event or a link, from the details of a span that end at
 * `end`. */
void attr_list_part(const struct trace *t, const struct detail *part,
		    const struct detail *end, struct out *out,
		    struct attr_list *list);
void attr_list_release(struct attr_list *list);

/* Writes them as members of the open object. */
void attr_list_json(const struct attr_list *list, struct jsonw *w);

/* The table format, by command. */
void report_slow(struct page *p, const struct render_input *in);
void report_diff(struct page *p, const struct render_input *in);
void report_profile(struct page *p, const struct render_input *in);
void waterfall_render(struct page *p, const struct render_input *in);

/* Text of those reports: the first line, and the paragraphs of evidence below
 * it. */
void slow_answer(struct page *p, const struct render_input *in);
void slow_evidence(struct page *p, const struct render_input *in);
void diff_answer(struct page *p, const struct render_input *in);
void diff_evidence(struct page *p, const struct render_input *in);
void profile_answer(struct page *p, const struct render_input *in);
/* Returns why a profile has no rows; a note has details. */
const char *profile_without_rows(const struct result *r);
void profile_evidence(struct page *p, const struct render_input *in);
/* About the trace, or about the span of show --span. */
void show_answer(struct page *p, const struct render_input *in);
void show_evidence(struct page *p, const struct render_input *in);
/* Writes the trace's id, time and source. */
void trace_origin(struct page *p, const struct render_input *in);

/* Text functions of a command; commands without an entry use those of
 * profile. */
struct words {
	const char *command;
	void (*answer)(struct page *p, const struct render_input *in);
	void (*evidence)(struct page *p, const struct render_input *in);
};
const struct words *words_find(const struct result *r);
/* Appends the first line of the table format. */
void answer_line(const struct render_input *in, struct buf *out);

/* Returns the note that explains why there is no profile, or NULL ptr. */
struct str missing_profile(const struct result *r);

/* Writes the table of functions.
 *
 * With a baseline, all columns have the unit shown above: the measure that is
 * compared, its baseline value, the change, and a second measure of the slow
 * side:
 *   by total:     total     before  change  own
 *   by self:      self      before  change  total
 *   by self+lib:  own       before  change  total
 * Rows that changed come first; unchanged ones are only counted, unless none
 * changed. Without a baseline: self self% total total%, or, ranked by self+lib,
 * own % self% total%. */
void table_functions(struct page *p, const struct result *r);

/* Sets is_there by row: those summarised in one line, as callers that pass on
 * the change of another row. Appends that line, if any, to the paragraph. */
void table_callers(struct page *p, const struct result *r, bool *is_there);

/* Returns "grown", "grown?" if possibly noise, "with all", "". */
const char *row_change_word(const struct function_row *row);

/* Returns "calls " or "called by ", for the function whose change a row passes
 * on. */
const char *row_link_word(const struct function_row *row);

/* Writes the latest commits of the blamed function, a line each. */
void evidence_commits(struct page *p, const struct result *r);

/* Appends "; replaces store.loadAll (was 5.3 ms)" for a function that replaces
 * a removed one. */
void row_replaced(struct page *p, const struct result *r,
		  const struct function_row *row);

/* Returns the file or selector of the baseline, else its kind. */
struct str baseline_name(const struct result *r);

/* Returns `change` as in JSON; NULL for none. */
const char *change_name(enum change change);

/* Writes a line with the profile's shares by kind of code, and their baseline
 * values if they changed clearly. Nothing if unknown. */
void table_categories(struct page *p, const struct result *r);

/* Returns the measure that a row is ranked and compared by; never
 * RANK_DELTA. */
enum rank_by row_measure(const struct result *r,
			 const struct function_row *row);
double row_share(const struct function_row *row, enum rank_by measure);

/* Writes everything below the table: findings, notes and follow-up commands,
 * except the finding and note shown already (NULL ptr: none). Nothing if
 * quiet. */
void report_tail(struct page *p, const struct result *r,
		 struct str told_finding, struct str told_note);

/* Parts of it. */
bool report_has_findings(const struct result *r, struct str told);
void report_findings(struct page *p, const struct result *r, struct str told);
void report_reasons(struct page *p, const struct notes *reasons);

/* Writes a trace as OpenTelemetry protobuf (opentelemetry-proto:
 * trace/v1/trace.proto, common/v1/common.proto), for receivers. Independent of
 * any receiver. */

/* Passes the spans to take in parts, each an ExportTraceServiceRequest;
 * concatenated, they are also a TracesData. A part ends with the span that
 * makes it reach part_bytes. Data that the model lacks is missing:
 * instrumentation scopes, trace state and flags, and attribute types, which are
 * strings except for those that conventions define as integers. take: returning
 * false, with err, stops. */
/* findings: become events "tracefind.finding" of their spans, with
 * tracefind.finding.kind and .text; may be NULL. */
bool otlp_trace_write(const struct trace *t, const struct result *findings,
		      size_t part_bytes,
		      bool (*take)(void *context, struct str part,
				   uint32_t span_count, struct error *err),
		      void *context, struct error *err) MUST_CHECK;

/* Returns whether a finding is written: it has a span, and is not a count of
 * further ones. */
bool otlp_finding_is_written(const struct trace *t,
			     const struct trace_finding *f);

/* Callers and callees of functions, and source listings: as text in pprof's
 * columns, and as JSON (tracefind-json(5)). */

/* struct call_graph; at most style.limit functions. */
extern const struct answer_writer call_graph_writer;

extern const struct answer_writer listings_writer; /* struct listings */

/* Parts shared by JSON answers (tracefind-json(5)). */

/* Begin and end of every answer: schema version, tool and command; notes (NULL:
 * none). */
void json_begin(struct jsonw *w, struct out *out, const char *command);
void json_end(struct jsonw *w, const struct notes *notes);

/* Writes notes as a list of strings. */
void json_notes(struct jsonw *w, const char *key, const struct notes *notes);

/* Writes "requests" of the result. */
void json_requests(struct jsonw *w, const struct result *result);

/* Writes "from" and "to", null if the range is unknown. */
void json_range(struct jsonw *w, struct time_range range);

/* Returns the name of a cause in JSON: "n_plus_one", "cpu". */
const char *json_cause(enum cause_kind kind);

/* Results as gauges in the OpenMetrics 1.0 text format, for a textfile
 * collector, a push gateway or a scrape: the numbers of the JSON answer, in
 * base units. */

/* Returns whether answers of this command are supported. */
bool openmetrics_has(const char *command);

/* json is the answer, an object. Failures stay in out. */
void openmetrics_write(struct str json, struct out *out);

/* Approximation of colors on terminals with fewer colors. */

/* Returns the nearest of xterm's 256 colors, from 16 on: the first 16 are
 * user-defined. */
unsigned ansi_256(uint32_t rgb);

/* Returns one of the 16 colors on which black text is readable: 2, 3, 5, 6, 7,
 * 9 or 14. */
unsigned ansi_16(uint32_t rgb);

/* Slightly darker, to alternate adjacent rows. */
uint32_t ansi_shade(uint32_t rgb);

#endif
