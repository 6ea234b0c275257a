/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers of commands, from what investigate/ found to what render/ draws.
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

/* The outcome of an export: what it copied and what it did not, and why. Knows
 * no options. */

struct export_side {
	const struct export *export; /* NULL: there was none of this kind */
	struct str from;             /* "Cloud Trace shop-prod" */
};

struct export_answer {
	struct export_side traces, profiles;
	const struct notes *notes;
};

extern const struct answer_writer export_writer; /* struct export_answer */

/* Returns whether not all that is in the window came over whole. */
bool export_is_partial(const struct export_answer *a);

/* Returns whether there was anything to export. */
bool export_has_found(const struct export_answer *a);

/* Explains an export after which there is nothing at the other end. True where
 * there is something. */
bool export_explain(const struct export_answer *a, struct error *err);

/* How the services that sent profiles are listed. Knows no options. */

struct services_answer {
	const struct services *services;
	size_t limit;        /* rows for people; 0: all */
	bool is_limit_given; /* so programs get no more, either */
	const struct notes *notes;
	/* Options that name servers and window; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer services_writer; /* struct services_answer */

/* Why there are none; names: what there is instead of the service wanted.
 * Always false, ERROR_NOT_FOUND. */
bool services_explain_none(const struct services *s,
			   const struct name_list *names, struct error *err);

/* How labels, or the values of one, are listed: one a line or as JSON. Knows
 * no options. */

struct tags_answer {
	struct tags_query query;
	struct name_list names;
	size_t shown; /* of the names */
};

extern const struct answer_writer tags_writer; /* struct tags_answer */

/* There are none. Always false, ERROR_NOT_FOUND. */
bool tags_explain_none(const struct tags_query *query, struct error *err);

/* How the traces that a search found are written. Knows no options. */

struct search_answer {
	const struct trace_search *search;
	/* What was asked for. */
	int64_t min_duration_ns;
	const char *above;           /* "p95", or NULL */
	struct str source;           /* the server */
	const struct result *result; /* notes and requests */
	struct str servers; /* options that name them; NULL ptr: too long */
};

extern const struct answer_writer search_writer; /* struct search_answer */

/* A search for traces in words: what its durations are of, what its list
 * leaves out, and why nothing was found. Asks nothing. */

/* Appends what the durations are of: "a sample of 200 traces". */
void search_text_add_basis(const struct trace_search *s, struct buf *out);

/* Says what the list leaves out. */
void search_text_add_notes(const struct trace_search *s, struct notes *notes);

/* Says which trace stands for the slow ones that were found. */
void search_text_add_choice(const struct trace_search *s,
			    const struct typical_hit *typical,
			    struct notes *notes);

/* The same where its operation was looked for. */
void search_text_add_operation(const struct trace_search *s,
			       const struct typical_hit *typical,
			       struct notes *notes);

/* The words for an error that trace_search_run() left without any; other
 * errors stay as they are. Always false. */
bool search_text_explain(const struct trace_search *s, struct error *err);

/* The choice of a trace by the metrics of its service, in words. */

/* Says which trace was taken, and of how many. */
void exemplar_text_add(const struct exemplar_choice *c, struct notes *notes);

/* Why there is none, where lack says that. Always false. */
bool exemplar_text_explain(const struct exemplar_choice *c, struct error *err);

/* How the types of profiles that a service sends are listed. Knows no options.
 */

extern const struct answer_writer types_writer; /* struct profile_types */

/* There are none. Always false, ERROR_NOT_FOUND. */
bool types_explain_none(const struct profile_types *t, struct error *err);

/* Which type of profile answers which question, what its numbers mean, which
 * runtimes have it and how to switch it on. Needs no network. */

/* The answer it writes is not looked at: NULL will do. */
extern const struct answer_writer types_guide_writer;

/* An alert that is evaluated now, in words: which services, how slow they are,
 * and the slowest request. Knows no options. */

struct alert_answer {
	const struct alert *alert;
	const struct notes *notes;
	/* Options that name servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer alert_now_writer; /* struct alert_answer */

/* ---- pieces, for other alerts ---- */

void alert_slowest_note(const struct alert *a, struct notes *notes);

/* ---- beside the answer ---- */

/* Adds what weakens the answer. why: the lack of metrics, when traces were
 * queried instead; NULL: they were not. */
void alert_add_notes(const struct alert *a, const struct error *why,
		     struct notes *notes);

/* The words for an error that alert_evaluate() left without any; others stay as
 * they are. why: as above. Always false. */
bool alert_explain(const struct alert *a, const struct error *why,
		   struct error *err);

/* An error budget that may be spent too fast now, by the pairs of windows that
 * an alert on it has, with the slowest of the bad requests. Knows no options.
 */

struct burn_answer {
	const struct slo *slo;
	/* The slowest bad request of the pair that fires; its notes are those
	 * of the answer. */
	struct alert_answer trace;
};

extern const struct answer_writer burn_now_writer; /* struct burn_answer */

/* The pair that fires with the highest limit; NULL: none does. */
const struct burn_pair *burn_firing(const struct slo *s);

/* Returns whether none fires, but one might, had its windows been answered. */
bool burn_is_open(const struct slo *s);

/* The leaks of a service, in words, and the functions that it may be. Knows no
 * options. */

struct leak_answer {
	const struct leak *leak;
	const struct document *document; /* of the formats that are one */
	size_t limit; /* rows; 0: all */
	const struct notes *notes;
	/* Options that name servers and window; NULL ptr: too long. */
	struct str servers;
};

/* The writer of struct leak_answer; "google" and "prometheus" write an alert.
 */
extern const struct answer_writer leak_writer;

/* The words for an error that leak_investigate() left without any; others stay
 * as they are. Always false. */
bool leak_explain(const struct leak *l, struct error *err);

/* Since when, in words, as rows and as a page. Knows no options. */

struct when_answer {
	const struct when *when;
	const struct notes *notes;
	/* Options that name the servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer when_writer; /* struct when_answer */

/* Too few steps to say anything. Always false, ERROR_NOT_FOUND. */
bool when_explain_few(const struct when *w, struct error *err);

/* A finding in words: the texts of the answer, its notes on the comparison, and
 * the reasoning that --why prints. Decides nothing. */

/* Why the span is to blame. */
bool suspect_report_write(const struct suspect *s, struct result *result,
			  struct error *err) MUST_CHECK;

/* The words for an error of suspect_find(). Always false. */
bool suspect_explain(const struct suspect *s, struct error *err);

/* The words for an error of slow_investigate(). Always false. */
bool finding_explain(const struct finding *f, const struct shortfall *shortfall,
		     struct error *err);

/* All there is to say of a finding; without profiles, what the trace says. */
bool finding_report_write(const struct finding *f,
			  const struct baseline_want *asked,
			  struct result *result, struct error *err) MUST_CHECK;

/* The same after slow_without_profiles(), with the reason among the notes. */
bool finding_report_missing(const struct finding *f, const char *why,
			    const struct baseline_want *asked,
			    struct result *result, struct notes *notes,
			    struct error *err) MUST_CHECK;

/* The drawings of the profiles behind an answer, each made when the first
 * format needs it: stacks added up, the flame graph, the call graph. Knows no
 * options, and not where the bytes go. */

struct drawings {
	struct render_input *in; /* gets what is made */
	struct flame_want want;
	struct arena arena; /* of stacks */
	struct flame flame;
	struct drawn_graph graph;
};

/* in has the profiles already, or none. */
void drawings_init(struct drawings *d, struct render_input *in,
		   const struct flame_want *want);
void drawings_release(struct drawings *d);

/* Returns whether there is what the format cannot do without; else the error
 * says what is missing. */
bool drawings_possible(const struct render_input *in,
		       const struct render_format *f,
		       struct error *err) MUST_CHECK;

/* Adds to the input what is needed, see enum render_needs. */
bool drawings_add(struct drawings *d, unsigned needs,
		  struct error *err) MUST_CHECK;

/* Rows of functions in an order that is no measure: of what is shown, after the
 * verdict is made. Knows no options. */

enum rows_order {
	ROWS_AS_RANKED = 0,
	ROWS_BY_NAME,
	ROWS_BY_BEFORE, /* most in the baseline first */
};

struct rows_order_want {
	enum rows_order order;
	size_t limit;  /* rows; 0: all */
	size_t listed; /* for pages, where that is more */
};

/* Puts the ranked rows, all of which were kept, into this order. What the
 * verdict rests on stays in result->verdict_rows. */
bool rows_order_apply(const struct rows_order_want *want, struct result *r,
		      struct error *err) MUST_CHECK;

/* The findings of `check`, in words and in the forms that pipelines read. Knows
 * no options. */

struct check; /* investigate/check.h */
struct check_latency;
struct check_place;

struct check_answer {
	const struct check *check;
	const struct result *result;
	const struct notes *notes;
	const struct check_place *places; /* of each hit of the gates */
	bool is_lack_accepted;            /* too little data is no failure */
	/* A command to go on with; NULL ptr: none. */
	struct str next;
};

/* struct check_answer. Also junit, sarif and github. */
extern const struct answer_writer check_writer;

/* Sentences that the forms of an answer of `check` have in common. */

/* "total", "function", "new", "latency": as --fail-on calls them. */
const char *gate_name(enum gate_kind gate);

/* "total>3%, function>5%": the limits that are set. */
void check_limits(const struct gate_limits *limits, struct buf *out);

/* "4.2 % more", "60 times as much", "3.0 % less". Whether it is times. */
bool check_more(double growth, const char *more, const char *as,
		struct buf *out);

/* The same in a column of percents: "+4.2", "x60", "new". */
void check_growth_cell(double growth, char out[UNIT_TEXT_BYTES]);

/* The words of `check` for the duration of requests. */

/* "requests of POST /login take 31 % longer, p50 12.1 ms, was 9.24 ms" */
void check_latency_hit(const struct gate_hit *hit, struct buf *out);

/* Why nothing can be said of it. */
void check_latency_lack(const struct check *c, struct buf *out);

/* How much was looked at, and the smallest growth that would have been seen;
 * nothing when it was not asked for. */
void check_latency_power(const struct check *c, struct buf *out);

/* Adds what weakens it, before the notes are written. */
void check_latency_notes(const struct check_latency *l, struct notes *notes);

/* The table of operations. */
void check_latency_table(struct page *p, const struct check *c);

/* "latency": null where it was not asked for. */
void check_latency_json(struct jsonw *w, const struct check *c);

/* The growth in a fleet, as a list. Knows no options. */

struct fleet_answer {
	const struct fleet *fleet;
	const struct gate_limits *limits;
	size_t limit;          /* rows for people; 0: all */
	bool is_lack_accepted; /* too little data is no failure */
	struct str servers; /* options of commands to go on with; NULL ptr: none
			     * can be told */
	const struct notes *notes;
};

extern const struct answer_writer fleet_writer; /* struct fleet_answer */

#endif
