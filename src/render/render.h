/* SPDX-License-Identifier: Apache-2.0
 *
 * Results to bytes. One file a format, one row a format in the table; a
 * renderer gets a writer and the neutral result and knows no command.
 * Foreign text passes base/escape.
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
	RENDER_NEEDS_SPANS = 1 << 4, /* result.spans, of show only */
	RENDER_NEEDS_FLAME = 1 << 5,
	RENDER_NEEDS_POSITIVE = 1 << 6, /* values, on both sides */
	RENDER_NEEDS_GRAPH = 1 << 7,
	/* All that there is of a case: flame, waterfall with the attributes of
	 * spans, functions beyond the limit; but none of them has to be. */
	RENDER_TAKES_ALL = 1 << 8,
	/* Shows stacks only: no row, kind or note of the result. */
	RENDER_IS_UNRANKED = 1 << 9,
	/* One profile, or the trace of show: no comparison. */
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

/* NULL when there is no such format. */
const struct render_format *render_find(struct str name);

/* The table, ended by a row without a name. */
extern const struct render_format render_formats[];

/* How an answer that is no struct result (a list of traces, a guide) is
 * written, a function for each kind of format. Knows neither what the answers
 * are nor where the bytes go. */

/* A further format, by the name that -o knows. */
struct answer_format {
	const char *name; /* NULL ends a list */
	void (*write)(const void *answer, struct out *out);
};

struct answer_writer {
	/* And, of lists, markdown: the style says so. */
	void (*table)(const void *answer, const struct render_style *style,
		      struct out *out);
	void (*json)(const void *answer, struct out *out);
	/* Of lists; NULL where there are none. */
	void (*csv)(const void *answer, struct out *out);
	void (*id)(const void *answer, struct out *out);
	/* Of what goes over time. */
	void (*html)(const void *answer, struct out *out);
	const struct answer_format *others; /* NULL: none */
	/* The table is rows alone, without a sentence that is the answer. */
	bool is_list;
};

/* The functions that the files of this folder share: those behind the rows of
 * the format table and behind the commands of the table format. */

/* "  confidence  ", and the other labels of what an answer rests on. */
#define EVIDENCE_COLUMNS 14u

/* One row of the format table each; a failure stays in out. */
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

/* -o otlp, where there is a profile. */
void otlp_profile(const struct render_input *in, struct out *out);

/* "internal", "server" and so on. */
const char *span_kind_word(enum span_kind kind);

/* All attributes of one owner, by key text, of equal ones the last. */
struct attr_list {
	struct attr_text {
		struct str key;
		struct str value;
		size_t at; /* in the order of the trace */
	} * items;
	size_t count;
};

/* For a span; attr_list_release(). Empty when memory ran out, which makes
 * `out` fail. */
void attr_list_span(const struct trace *t, uint32_t span, struct out *out,
		    struct attr_list *list);
void attr_list_resource(const struct trace *t, uint32_t resource,
			struct out *out, struct attr_list *list);
/* The attributes of an event or a link among the details of a span, which end
 * at `end`. */
void attr_list_part(const struct trace *t, const struct detail *part,
		    const struct detail *end, struct out *out,
		    struct attr_list *list);
void attr_list_release(struct attr_list *list);

/* Writes them as members of an object that is open. */
void attr_list_json(const struct attr_list *list, struct jsonw *w);

/* The table format, by command. */
void report_slow(struct page *p, const struct render_input *in);
void report_diff(struct page *p, const struct render_input *in);
void report_profile(struct page *p, const struct render_input *in);
void waterfall_render(struct page *p, const struct render_input *in);

/* The words of those reports: the first line, and the paragraphs of evidence
 * under it. */
void slow_answer(struct page *p, const struct render_input *in);
void slow_evidence(struct page *p, const struct render_input *in);
void diff_answer(struct page *p, const struct render_input *in);
void diff_evidence(struct page *p, const struct render_input *in);
void profile_answer(struct page *p, const struct render_input *in);
/* Why a profile has no rows, which a note tells more about. */
const char *profile_without_rows(const struct result *r);
void profile_evidence(struct page *p, const struct render_input *in);
/* The answer about the trace, or about the one span of show --span. */
void show_answer(struct page *p, const struct render_input *in);
void show_evidence(struct page *p, const struct render_input *in);
/* Which trace, of when and from where. */
void trace_origin(struct page *p, const struct render_input *in);

/* The words of a command's answer; of one without words of its own those of
 * profile. */
struct words {
	const char *command;
	void (*answer)(struct page *p, const struct render_input *in);
	void (*evidence)(struct page *p, const struct render_input *in);
};
const struct words *words_find(const struct result *r);
/* Appends the first line of the table. */
void answer_line(const struct render_input *in, struct buf *out);

/* The note that tells why there is no profile, or NULL ptr. */
struct str missing_profile(const struct result *r);

/* The ranked functions.
 *
 * With a baseline, in one unit that stands above: the measure that is
 * compared, before, change, and one measure more of the slow side:
 *   by total:     total     before  change  own
 *   by self:      self      before  change  total
 *   by self+lib:  own       before  change  total
 * Rows that changed come first; those that did not are counted, unless none
 * did. Without a baseline: self self% total total%, ranked by owner own % self%
 * total%. */
void table_functions(struct page *p, const struct result *r);

/* Which of the rows that are kept it tells in one line, as callers that pass on
 * what another row holds: by row. The line, if any, goes into the paragraph. */
void table_callers(struct page *p, const struct result *r, bool *is_there);

/* "grown", "grown?" where that may be noise, "with all", "". */
const char *row_change_word(const struct function_row *row);

/* "calls " or "called by ", in front of whose change a row passes on. */
const char *row_link_word(const struct function_row *row);

/* The last commits of the function that is blamed, a line each. */
void evidence_commits(struct page *p, const struct result *r);

/* "; replaces store.loadAll (was 5.3 ms)" where it takes the place of a function
 * that is gone. */
void row_replaced(struct page *p, const struct result *r,
		  const struct function_row *row);

/* Returns the file or selector of the baseline, else its kind. */
struct str baseline_name(const struct result *r);

/* The word of `change` for programs; NULL for none. */
const char *change_name(enum change change);

/* One line: how much of the profile went into each kind of code, and what that
 * was where a baseline shows a clear change. Nothing when not known. */
void table_categories(struct page *p, const struct result *r);

/* The measure by which a row is ranked and compared: OWNED, SELF or TOTAL. */
enum rank_by row_measure(const struct result *r,
			 const struct function_row *row);
double row_share(const struct function_row *row, enum rank_by measure);

/* Everything under the table, nothing when quiet: findings not yet told,
 * notes, and the commands to go on with. The texts told already are left
 * out; NULL ptr when there are none. */
void report_tail(struct page *p, const struct result *r,
		 struct str told_finding, struct str told_note);

/* Parts of it. */
bool report_has_findings(const struct result *r, struct str told);
void report_findings(struct page *p, const struct result *r, struct str told);
void report_reasons(struct page *p, const struct notes *reasons);

/* A trace in the protobuf of OpenTelemetry (opentelemetry-proto:
 * trace/v1/trace.proto, common/v1/common.proto), as it is sent to receivers.
 * Knows no receiver. */

/* Gives away an ExportTraceServiceRequest with the next spans; several behind
 * one another are a TracesData, too. A part ends with the span that takes it
 * to part_bytes. What the model does not hold is not there: the scopes of
 * instrumentations, the state of a trace and its flags, and the types of
 * attributes, which are text but for those that the conventions define as whole
 * numbers. take: false ends it with err. */
/* Findings of the result become events of their spans, "tracefind.finding" with
 * tracefind.finding.kind and .text; NULL: none do. */
bool otlp_trace_write(const struct trace *t, const struct result *findings,
		      size_t part_bytes,
		      bool (*take)(void *context, struct str part,
				   uint32_t span_count, struct error *err),
		      void *context, struct error *err) MUST_CHECK;

/* Returns whether it is one of those: of a span, and not a count of further
 * ones. */
bool otlp_finding_is_written(const struct trace *t,
			     const struct trace_finding *f);

/* Callers and callees of functions, and their source lines: for people in the
 * columns that pprof has, and as JSON (tracefind-json(5)). */

/* struct call_graph; style.limit functions at most. */
extern const struct answer_writer call_graph_writer;

extern const struct answer_writer listings_writer; /* struct listings */

/* The parts that JSON answers share (tracefind-json(5)), in the object of the
 * answer. */

/* How every answer begins: the schema's version, the tool and the command; and
 * how it ends, most with their notes (NULL: without). */
void json_begin(struct jsonw *w, struct out *out, const char *command);
void json_end(struct jsonw *w, const struct notes *notes);

/* A list of texts. */
void json_notes(struct jsonw *w, const char *key, const struct notes *notes);

/* "requests": those of the result. */
void json_requests(struct jsonw *w, const struct result *result);

/* "from" and "to", null where the range is not known. */
void json_range(struct jsonw *w, struct time_range range);

/* "n_plus_one", "cpu": how answers name causes. */
const char *json_cause(enum cause_kind kind);

/* Findings as gauges in the text format of OpenMetrics 1.0, for the collector
 * of text files, a push gateway or a scrape: the numbers of the machine's
 * answer, in base units. */

/* Returns whether there is a row for answers of this command. */
bool openmetrics_has(const char *command);

/* json is the answer, an object. A failure stays in out. */
void openmetrics_write(struct str json, struct out *out);

/* Colours of pictures as near as a terminal of fewer colours has them. */

/* Returns the nearest of the 256 colours of xterm, from 16 on: the first 16 are
 * the user's own. */
unsigned ansi_256(uint32_t rgb);

/* Returns one of the 16 that text in black is read on: 2, 3, 5, 6, 7, 9 or 14.
 */
unsigned ansi_16(uint32_t rgb);

/* A little darker: rows of a picture that touch each other take turns. */
uint32_t ansi_shade(uint32_t rgb);

#endif
