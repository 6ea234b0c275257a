/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of commands: from the results of investigate/ to the input of
 * render/.
 */
#ifndef REPORT_ANSWERS_H
#define REPORT_ANSWERS_H

#include "analyze/burn.h"
#include "analyze/flame.h"
#include "analyze/gates.h"
#include "backend/source.h"
#include "backend/trace_queries.h"
#include "base/jsonw.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "investigate/export.h"
#include "investigate/finding.h"
#include "investigate/leak.h"
#include "investigate/profile_service.h"
#include "investigate/slo.h"
#include "investigate/trace_search.h"
#include "investigate/when.h"
#include "model/fleet.h"
#include "model/result.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"

/* Answer of export: what was copied, what was not, and why. */

struct export_side {
	const struct export *export; /* NULL: none of this kind */
	struct str from;             /* "Cloud Trace shop-prod" */
};

struct export_answer {
	struct export_side traces, profiles;
	const struct notes *notes;
};

extern const struct answer_writer export_writer; /* struct export_answer */

/* Returns whether some of the data in the window was not copied completely. */
bool export_is_partial(const struct export_answer *a);

/* Returns whether there was anything to export. */
bool export_has_found(const struct export_answer *a);

/* Sets the error if nothing arrived at the target. Returns true if something
 * did. */
bool export_explain(const struct export_answer *a, struct error *err);

/* Answer of services: the list of services that send profiles. */

struct services_answer {
	const struct services *services;
	size_t limit;        /* rows in text; 0: all */
	bool is_limit_given; /* applies to machine-readable formats, too */
	const struct notes *notes;
	/* Options for servers and window; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer services_writer; /* struct services_answer */

/* Sets the error if there are none; names: those that exist besides the
 * requested service. Returns false with ERROR_NOT_FOUND. */
bool services_explain_none(const struct services *s,
			   const struct name_list *names, struct error *err);

/* Answer of search --tags: labels, or the values of one, one per line or as
 * JSON. */

struct tags_answer {
	struct tags_query query;
	struct name_list names;
	size_t shown; /* number of names to show */
};

extern const struct answer_writer tags_writer; /* struct tags_answer */

/* Sets the error if there are none. Returns false with ERROR_NOT_FOUND. */
bool tags_explain_none(const struct tags_query *query, struct error *err);

/* Answer of search: a list of traces. */

struct search_answer {
	const struct trace_search *search;
	/* Conditions of the search. */
	int64_t min_duration_ns;
	const char *above;           /* "p95", or NULL */
	struct str source;           /* name of the server */
	const struct result *result; /* for notes and requests */
	struct str servers; /* options for servers; NULL ptr: too long */
};

extern const struct answer_writer search_writer; /* struct search_answer */

/* Texts about a trace search: what its durations are of, what the list omits,
 * and why nothing was found. Makes no requests. */

/* Appends what the durations are based on: "a sample of 200 traces". */
void search_text_add_basis(const struct trace_search *s, struct buf *out);

/* Adds notes on what the list omits. */
void search_text_add_notes(const struct trace_search *s, struct notes *notes);

/* Adds a note on which trace represents the slow ones found. */
void search_text_add_choice(const struct trace_search *s,
			    const struct typical_hit *typical,
			    struct notes *notes);

/* Same if the search was for its operation. */
void search_text_add_operation(const struct trace_search *s,
			       const struct typical_hit *typical,
			       struct notes *notes);

/* Sets the message if trace_search_run() left it empty; other errors stay.
 * Returns false. */
bool search_text_explain(const struct trace_search *s, struct error *err);

/* Texts about choosing a trace by the metrics of its service. */

/* Adds a note on the trace chosen, and out of how many. */
void exemplar_text_add(const struct exemplar_choice *c, struct notes *notes);

/* Sets the message if there is none, according to lack. Returns false. */
bool exemplar_text_explain(const struct exemplar_choice *c, struct error *err);

/* Answer of types: the list of profile types of a service. */

extern const struct answer_writer types_writer; /* struct profile_types */

/* Sets the error if there are none. Returns false with ERROR_NOT_FOUND. */
bool types_explain_none(const struct profile_types *t, struct error *err);

/* Guide to profile types: which question each answers, what its numbers mean,
 * which runtimes support it and how to enable it. Needs no network. */

/* Ignores the answer passed to it, which may be NULL. */
extern const struct answer_writer types_guide_writer;

/* Answer of alert --now: which services meet its condition, how slow they are,
 * and the slowest request. */

struct alert_answer {
	const struct alert *alert;
	const struct notes *notes;
	/* Options for servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer alert_now_writer; /* struct alert_answer */

/* ---- pieces for other alerts ---- */

void alert_slowest_note(const struct alert *a, struct notes *notes);

/* ---- notes and errors ---- */

/* Adds notes on the limitations of the answer. why: the reason metrics were
 * unavailable, if traces were queried instead; else NULL. */
void alert_add_notes(const struct alert *a, const struct error *why,
		     struct notes *notes);

/* Sets the message if alert_evaluate() left it empty; others stay. why: as
 * above. Returns false. */
bool alert_explain(const struct alert *a, const struct error *why,
		   struct error *err);

/* Answer of alert on an error budget: whether it burns too fast now, by the
 * window pairs of the alert, with the slowest bad request. */

struct burn_answer {
	const struct slo *slo;
	/* The slowest bad request of the pair that fires; its notes are those
	 * of the answer. */
	struct alert_answer trace;
};

extern const struct answer_writer burn_now_writer; /* struct burn_answer */

/* Returns the firing pair with the highest limit, NULL if none. */
const struct burn_pair *burn_firing(const struct slo *s);

/* Returns whether none fires, but a pair without data might. */
bool burn_is_open(const struct slo *s);

/* Answer of leak: the leaks of a service, and the functions that may cause
 * them. */

struct leak_answer {
	const struct leak *leak;
	const struct document *document; /* for dashboard and alert formats */
	size_t limit;                    /* rows; 0: all */
	const struct notes *notes;
	/* Options for servers and window; NULL ptr: too long. */
	struct str servers;
};

/* For struct leak_answer; the formats "google" and "prometheus" are alerts. */
extern const struct answer_writer leak_writer;

/* Sets the message if leak_investigate() left it empty; others stay. Returns
 * false. */
bool leak_explain(const struct leak *l, struct error *err);

/* Answer of when: since when a service is slower, as text, rows and an HTML
 * page. */

struct when_answer {
	const struct when *when;
	const struct notes *notes;
	/* Options for servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer when_writer; /* struct when_answer */

/* Sets the error if there are too few intervals. Returns false with
 * ERROR_NOT_FOUND. */
bool when_explain_few(const struct when *w, struct error *err);

/* Texts of a finding: the answer, notes on the comparison, and the reasoning
 * that --why prints. Decides nothing. */

/* Writes why the span is to blame. */
bool suspect_report_write(const struct suspect *s, struct result *result,
			  struct error *err) MUST_CHECK;

/* Sets the message for an error of suspect_find(). Returns false. */
bool suspect_explain(const struct suspect *s, struct error *err);

/* Sets the message for an error of slow_investigate(). Returns false. */
bool finding_explain(const struct finding *f, const struct shortfall *shortfall,
		     struct error *err);

/* Writes all texts of a finding; without profiles, those about the trace. */
bool finding_report_write(const struct finding *f,
			  const struct baseline_want *asked,
			  struct result *result, struct error *err) MUST_CHECK;

/* Same after slow_without_profiles(), with the reason among the notes. */
bool finding_report_missing(const struct finding *f, const char *why,
			    const struct baseline_want *asked,
			    struct result *result, struct notes *notes,
			    struct error *err) MUST_CHECK;

/* Data for drawings of the profiles behind an answer, each computed when a
 * format first needs it: summed stacks, flame graph, call graph. */

struct drawings {
	struct render_input *in; /* receives the results */
	struct flame_want want;
	struct arena arena; /* for stacks */
	struct flame flame;
	struct drawn_graph graph;
};

/* in must contain the profiles already, if any. */
void drawings_init(struct drawings *d, struct render_input *in,
		   const struct flame_want *want);
void drawings_release(struct drawings *d);

/* Returns whether the data that the format requires is available; else the
 * error says what is missing. */
bool drawings_possible(const struct render_input *in,
		       const struct render_format *f,
		       struct error *err) MUST_CHECK;

/* Computes what is needed and adds it to the input, see enum render_needs. */
bool drawings_add(struct drawings *d, unsigned needs,
		  struct error *err) MUST_CHECK;

/* Reorders displayed function rows by something that is not a measure, after
 * the verdict was made. */

enum rows_order {
	ROWS_AS_RANKED = 0,
	ROWS_BY_NAME,
	ROWS_BY_BEFORE, /* largest baseline value first */
};

struct rows_order_want {
	enum rows_order order;
	size_t limit;  /* rows; 0: all */
	size_t listed; /* rows for HTML reports, if more */
};

/* Sorts the ranked rows, all of which must have been kept. The verdict's rows
 * stay in result->verdict_rows. */
bool rows_order_apply(const struct rows_order_want *want, struct result *r,
		      struct error *err) MUST_CHECK;

/* Answer of check, as text and in the formats of CI pipelines. */

struct check; /* investigate/check.h */
struct check_latency;
struct check_place;

struct check_answer {
	const struct check *check;
	const struct result *result;
	const struct notes *notes;
	const struct check_place *places; /* one for each hit of the gates */
	bool is_lack_accepted;            /* too little data is not a failure */
	/* A follow-up command; NULL ptr: none. */
	struct str next;
};

/* For struct check_answer. Also junit, sarif and github. */
extern const struct answer_writer check_writer;

/* Sentences shared by the formats of check. */

/* Returns "total", "function", "new", "latency", as in --fail-on. */
const char *gate_name(enum gate_kind gate);

/* Appends the limits that are set: "total>3%, function>5%". */
void check_limits(const struct gate_limits *limits, struct buf *out);

/* Appends "4.2 % more", "60 times as much", "3.0 % less". Returns whether it is
 * a factor. */
bool check_more(double growth, const char *more, const char *as,
		struct buf *out);

/* Same for a percent column: "+4.2", "x60", "new". */
void check_growth_cell(double growth, char out[UNIT_TEXT_BYTES]);

/* Texts of check about request durations. */

/* "requests of POST /login take 31 % longer, p50 12.1 ms, was 9.24 ms" */
void check_latency_hit(const struct gate_hit *hit, struct buf *out);

/* Appends why there is no result. */
void check_latency_lack(const struct check *c, struct buf *out);

/* Appends how much data there was, and the minimum detectable growth; nothing
 * unless requested. */
void check_latency_power(const struct check *c, struct buf *out);

/* Adds notes on its limitations; call before notes are written. */
void check_latency_notes(const struct check_latency *l, struct notes *notes);

/* Writes the table of operations. */
void check_latency_table(struct page *p, const struct check *c);

/* Writes "latency": null unless requested. */
void check_latency_json(struct jsonw *w, const struct check *c);

/* Answer of check --all: services of a fleet that grew. */

struct fleet_answer {
	const struct fleet *fleet;
	const struct gate_limits *limits;
	size_t limit;          /* rows in text; 0: all */
	bool is_lack_accepted; /* too little data is not a failure */
	/* Options for follow-up commands; NULL ptr: unknown. */
	struct str servers;
	const struct notes *notes;
};

extern const struct answer_writer fleet_writer; /* struct fleet_answer */

#endif
