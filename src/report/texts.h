/* SPDX-License-Identifier: Apache-2.0
 *
 * Wording of answers: names of facts, and sentences about them.
 */
#ifndef REPORT_TEXTS_H
#define REPORT_TEXTS_H

#include "analyze/baseline.h"
#include "analyze/calls.h"
#include "analyze/choice.h"
#include "analyze/code_kind.h"
#include "analyze/contrasts.h"
#include "analyze/verdict.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/notes.h"
#include "investigate/finding.h"
#include "investigate/investigation.h"
#include "investigate/symptom.h"
#include "model/result.h"
#include "model/trace.h"

/* Phrases shared by sentences of the report: names, durations, calls. */

/* Maximum length of names and queries within a sentence. */
#define WORDING_TEXT_BYTES 160u

/* Size limit of a sentence before its texts are truncated: a masked query. */
#define WORDING_BYTES (4 * LIMIT_STRING_BYTES)

/* Appends at most max_bytes of text, truncated at a character boundary and with
 * "...". */
void wording_add(struct buf *out, struct str text, size_t max_bytes);

/* Appends "612 ms". */
void wording_add_duration(struct buf *out, int64_t duration_ns);

/* Same for a computed value; negative becomes 0. */
void wording_add_ns(struct buf *out, double duration_ns);

/* Appends "user-db UserRepository.findByEmail". */
void wording_add_span(struct buf *out, const struct trace *t, uint32_t span);

/* Appends "SELECT * FROM users" in quotes. */
void wording_add_call(struct buf *out, const struct calls *c, uint32_t span);

/* Appends `before` and the callee; nothing if unknown. */
void wording_add_peer(struct buf *out, const char *before,
		      const struct calls *c, uint32_t span);

/* Appends the error message of a span, else its code, else "failed". */
void wording_add_failure(struct buf *out, const struct trace *t, uint32_t span);

/* "one after another", "partly in parallel" or "in parallel". */
const char *wording_manner(enum repeat_manner manner);

/* Appends what is known of ", 21 samples against 1,830"; is_unit_told: ", 21
 * against 1,830". */
void wording_add_samples(struct buf *out, const struct result *result,
			 bool is_unit_told);

/* Moves the sentence into the arena and empties the buffer. */
bool wording_take(struct buf *text, struct arena *arena, struct str *out,
		  struct error *err) MUST_CHECK;

/* Texts about baseline candidates: why each window was chosen or not. */

/* Appends "22:03-22:13 is healthy (p50 50 ms over 212 spans)", for a window
 * considered. */
void baseline_tell_window(const struct baseline_health *b, struct buf *out);

/* Appends "p50 50 ms over 212 spans", and more if it is no faster, for the
 * chosen window, which must exist. named: the operation to name, or NULL. */
void baseline_tell_chosen(const struct baseline_choice *choice,
			  const struct operation *named, struct buf *out);

/* Texts about the baseline of a slow request. */

/* Appends "p50 40 ms over 20 spans of version 1.2"; nothing without a
 * baseline. */
void baseline_words_add(const struct symptom *s, struct buf *out);

/* Sets result->baseline.text according to an inquiry. */
bool baseline_words_write(const struct profile_inquiry *q,
			  struct result *result, struct error *err) MUST_CHECK;

/* Returns "21 slow spans of POST /login, from 612 ms": one side of a comparison
 * of slow with fast requests. NULL ptr when out of memory. */
struct str fast_spans_words(struct arena *arena, struct str name, size_t count,
			    bool is_slow, int64_t edge_ns);

/* Texts of cause and confidence when a single profile, of files or of a span,
 * was compared manually. */

/* Sets the texts of result->cause, judged by cause_judge(); texts from the
 * trace are kept where the facts add nothing. */
bool cause_text_write(const struct cause_facts *facts, struct result *result,
		      struct error *err) MUST_CHECK;

/* Texts of the result of an investigation: cause, confidence, and the reasoning
 * for --why. */

/* Sets on_cpu_ns and text of result->cause. */
bool cause_words_write(const struct profile_inquiry *q,
		       struct error *err) MUST_CHECK;

/* Sets confidence and its basis in result->cause. */
bool confidence_words_write(const struct profile_inquiry *q,
			    struct error *err) MUST_CHECK;

/* Returns "mutex", "block", "CPU of the whole service" ... */
const char *wait_type_words(enum wait_type type);

/* Texts about the span to blame: what it spends time on, how much longer than
 * typical, and the path from the request to it. Decides nothing. */

/* Sets the texts of result->span, its path, result->cause and result->findings;
 * choice_conclude() has filled the rest. */
bool choice_texts_write(const struct choice *c, struct result *result,
			struct error *err) MUST_CHECK;

/* The choice of the span for --why: candidates, criteria, and why the others
 * lost. */

/* Appends the current plan of its caller, for a choice with c->plan. */
void wording_add_plan(struct buf *out, const struct choice *c);

/* Replaces `reasons` by the candidates and what became of each. */
void choice_reasons_report(const struct choice *c, struct notes *reasons);

/* Texts about slow requests among those of the same time: whether all became
 * slow, some, or only this one. */

/* Appends "the operation became slow as a whole: p50 500 ms over 22 spans, was
 * 50 ms over 22". */
void cohorts_tell(const struct cohorts *c, struct buf *out);

/* Appends the numbers behind it, for --why. */
void cohorts_tell_numbers(const struct cohorts *c, struct buf *out);

/* Texts about attributes that set slow requests apart. */

/* Appends "96 % of the slow requests have cache.hit=false, 4 % of the fast
 * ones". */
void contrast_tell(const struct symptom *s, const struct contrast *c,
		   struct buf *out);

/* Appends "usual for requests with export=true: they take 812 ms (p50 of 20),
 * before 805 ms (of 11)". */
void contrast_tell_usual(const struct symptom *s, const struct contrast *c,
			 struct buf *out);

/* Adds rows to the result; none if unknown. */
bool contrasts_report_write(const struct symptom *s, struct result *result,
			    struct error *err) MUST_CHECK;

/* Returns an attribute that all slow requests, including this one, have and no
 * others. NULL: none. */
const struct contrast *contrast_apart(const struct symptom *s);

/* Appends ", only on instance quotes-3", ", only with cache.hit=false". */
void contrast_tell_apart(const struct symptom *s, const struct contrast *c,
			 struct buf *out);

/* Appends "for its size", "with tenant=acme": similar requests. */
void contrast_tell_like(const struct symptom *s, const struct contrast *c,
			struct buf *out);

/* Texts about the confidence of an answer: its basis and weaknesses. */

/* Appends "samples of the slow requests themselves, 1,830 against 21": for the
 * result's profile, or its trace if there is none. */
void confidence_report_basis(const struct result *result, struct buf *out);

/* Appends ", few samples, what is usual is not known". */
void confidence_report_weaknesses(const struct confidence_rating *rating,
				  struct buf *out);

/* Adds that queries failed, which could have changed the answer. Call once per
 * result, when it is complete. */
bool confidence_report_gaps(struct result *result,
			    struct error *err) MUST_CHECK;

/* Texts of findings: what, where and how long. Finds nothing by itself. */

/* Sets the texts of result->findings, found by findings_collect() in the trace
 * of these calls. */
bool finding_texts_write(const struct calls *calls, struct result *result,
			 struct error *err) MUST_CHECK;

/* The cause as a few words at the end of the first line: what took the time,
 * and since when. */

/* Sets result->cause.headline, empty if the cause is unknown, and
 * result->span.typical_like. Call after the cause was decided. */
bool headline_write(const struct finding *f, struct result *result,
		    struct error *err) MUST_CHECK;

/* The error for a requested span that is not in the trace, listing those that
 * are. */

/* Call when choice_make() failed with c->missing set. Returns false. */
bool missing_span_explain(const struct choice *c, struct error *err);

/* Notes of an investigation: weaknesses of the answer. */

/* Adds the sentence of a note; for struct investigation. */
void note_text_add(const struct note *note, struct notes *notes);

/* Texts on why there is no profile: a wrong name, a wrong server, a window
 * without data or one too old, and what to do about each. */

/* Sets the message if an investigation left it empty; other errors stay.
 * Returns false. */
bool shortfall_explain(const struct shortfall *s, struct error *err);

/* Notes on irregularities of a trace: spans without an end, of other traces, at
 * impossible times. */

void trace_notes_add(const struct trace *t, struct notes *notes);

/* Errors in a file of --rules, with the words allowed there. */

/* Sets err after code_rules_parse() set a fault; name is the file's. Returns
 * false. */
bool rules_fault_explain(const struct rules_fault *fault, const char *name,
			 struct error *err);

/* Notes on a comparison of functions: methods that were not possible, how noise
 * was measured, what was attributed to load, renamed functions. */

struct rank_facts; /* analyze/rank_facts.h */
struct result;     /* model/result.h */

/* Adds notes on limitations of the answer, and a reason on how noise was
 * measured. */
void comparison_notes_add(const struct rank_facts *f, bool is_of_request,
			  struct notes *notes, struct notes *reasons);

/* Same for a result's comparison, if any, and how significant its first row
 * is. */
void comparison_notes_report(const struct result *r, struct notes *notes,
			     struct notes *reasons);

/* Sets the error if a service has no traces: existing names, and when there was
 * a trace last. Returns false with ERROR_NOT_FOUND. */
bool trace_lack_explain(const struct trace_lack *lack,
			const struct find_query *query, struct error *err);

/* Encoders of traces for exports (investigate/export.h): unchanged, or with
 * findings as events of their spans. */
bool trace_export_write(const struct trace *t, size_t part_bytes,
			bool (*take)(void *context, struct str part,
				     uint32_t span_count, struct error *err),
			void *context, uint64_t *finding_count,
			struct error *err) MUST_CHECK;
bool trace_export_findings(const struct trace *t, size_t part_bytes,
			   bool (*take)(void *context, struct str part,
					uint32_t span_count,
					struct error *err),
			   void *context, uint64_t *finding_count,
			   struct error *err) MUST_CHECK;

#endif
