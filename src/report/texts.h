/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of answers: what facts are called, and sentences about them.
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

/* Pieces that sentences of the report have in common: names, durations, calls.
 */

/* Names and queries inside a sentence: longer ones would hide the rest. */
#define WORDING_TEXT_BYTES 160u

/* Ceiling of one sentence before its texts are trimmed: a masked query. */
#define WORDING_BYTES (4 * LIMIT_STRING_BYTES)

/* Appends at most max_bytes of text, cut at a character and with "...". */
void wording_add(struct buf *out, struct str text, size_t max_bytes);

/* "612 ms" */
void wording_add_duration(struct buf *out, int64_t duration_ns);

/* The same of what was reckoned; 0 of less. */
void wording_add_ns(struct buf *out, double duration_ns);

/* "user-db UserRepository.findByEmail" */
void wording_add_span(struct buf *out, const struct trace *t, uint32_t span);

/* "SELECT * FROM users" in quotes. */
void wording_add_call(struct buf *out, const struct calls *c, uint32_t span);

/* `before` and who was called; nothing when that is not known. */
void wording_add_peer(struct buf *out, const char *before,
		      const struct calls *c, uint32_t span);

/* Appends the failure of a span in its own words, else its code, else "failed".
 */
void wording_add_failure(struct buf *out, const struct trace *t, uint32_t span);

/* "one after another", "some at a time" or "side by side". */
const char *wording_manner(enum repeat_manner manner);

/* ", 21 samples against 1,830": what is known; is_unit_told: ", 21 against
 * 1,830". */
void wording_add_samples(struct buf *out, const struct result *result,
			 bool is_unit_told);

/* Moves the sentence into the arena and empties the buffer. */
bool wording_take(struct buf *text, struct arena *arena, struct str *out,
		  struct error *err) MUST_CHECK;

/* Windows before the slow one in words: why each was taken or not. */

/* "22:03-22:13 is healthy (p50 50 ms over 212 spans)"; of one that was
 * weighed. */
void baseline_tell_window(const struct baseline_health *b, struct buf *out);

/* "p50 50 ms over 212 spans", and more when it is no faster: of the chosen
 * one, which there must be. named: whose spans, when that is to be said. */
void baseline_tell_chosen(const struct baseline_choice *choice,
			  const struct operation *named, struct buf *out);

/* The baseline of a slow request, in words. */

/* "p50 40 ms over 20 spans of version 1.2"; appends nothing without a
 * baseline. */
void baseline_words_add(const struct symptom *s, struct buf *out);

/* Fills result->baseline.text of what an inquiry shows. */
bool baseline_words_write(const struct profile_inquiry *q,
			  struct result *result, struct error *err) MUST_CHECK;

/* "21 slow spans of POST /login, from 612 ms": one side of a comparison of slow
 * requests with fast ones. NULL ptr without memory. */
struct str fast_spans_words(struct arena *arena, struct str name, size_t count,
			    bool is_slow, int64_t edge_ns);

/* The cause in words, and what its confidence rests on, where one profile of
 * files or of a span was compared by hand. */

/* Fills the texts of result->cause, which cause_judge() has judged; what the
 * trace said stays where the facts add nothing. */
bool cause_text_write(const struct cause_facts *facts, struct result *result,
		      struct error *err) MUST_CHECK;

/* The outcome of an investigation, in words: cause, how sure, and the reasoning
 * that --why prints. */

/* result->cause: on_cpu_ns and text. */
bool cause_words_write(const struct profile_inquiry *q,
		       struct error *err) MUST_CHECK;

/* result->cause: confidence and what it rests on. */
bool confidence_words_write(const struct profile_inquiry *q,
			    struct error *err) MUST_CHECK;

/* "mutex", "block", "CPU of the whole service" ... */
const char *wait_type_words(enum wait_type type);

/* Why a span is to blame, in words: what it spends its time on, how much more
 * than usual, and the way from the request to it. It chooses nothing. */

/* Fills the texts of result->span, its path, those of result->cause and of
 * result->findings; choice_conclude() has filled the rest. */
bool choice_texts_write(const struct choice *c, struct result *result,
			struct error *err) MUST_CHECK;

/* The choice of the span as --why tells it: who competed, by what, and why
 * the others lost. */

/* Appends the plan that its caller has now, of a choice with c->plan. */
void wording_add_plan(struct buf *out, const struct choice *c);

/* Begins `reasons` anew with the candidates and what became of each. */
void choice_reasons_report(const struct choice *c, struct notes *reasons);

/* Slow requests among those of the same minutes in words: whether all became
 * slow, or some, or none but this one. */

/* "the operation became slow as a whole: p50 500 ms over 22 spans, was 50 ms
 * over 22" */
void cohorts_tell(const struct cohorts *c, struct buf *out);

/* The numbers behind it, for --why. */
void cohorts_tell_numbers(const struct cohorts *c, struct buf *out);

/* The attributes that set slow requests apart, in words. */

/* "96 % of the slow requests have cache.hit=false, 4 % of the fast ones". */
void contrast_tell(const struct symptom *s, const struct contrast *c,
		   struct buf *out);

/* "usual for requests with export=true: they take 812 ms (p50 of 20), before
 * 805 ms (of 11)". */
void contrast_tell_usual(const struct symptom *s, const struct contrast *c,
			 struct buf *out);

/* Rows of the result; none when none are known. */
bool contrasts_report_write(const struct symptom *s, struct result *result,
			    struct error *err) MUST_CHECK;

/* Returns the attribute that sets the slow requests apart, this one among them:
 * all of them have it and none of the others. NULL: there is none. */
const struct contrast *contrast_apart(const struct symptom *s);

/* ", only on instance quotes-3", ", only with cache.hit=false". */
void contrast_tell_apart(const struct symptom *s, const struct contrast *c,
			 struct buf *out);

/* "for its size", "with tenant=acme": requests like this one. */
void contrast_tell_like(const struct symptom *s, const struct contrast *c,
			struct buf *out);

/* How sure an answer is, in words: what it rests on and what it lacks. */

/* "samples of the slow requests themselves, 1,830 against 21": of the
 * result's profile, or of its trace where it has none. */
void confidence_report_basis(const struct result *result, struct buf *out);

/* ", few samples, what is usual is not known" */
void confidence_report_weaknesses(const struct confidence_rating *rating,
				  struct buf *out);

/* Questions got lost: the answer could have been another with them. Once a
 * result, when all of it is written. */
bool confidence_report_gaps(struct result *result,
			    struct error *err) MUST_CHECK;

/* Findings in words: each says what was found, where and how long it took.
 * It looks for nothing itself. */

/* Fills the texts of result->findings, which findings_collect() found in the
 * trace of these calls. */
bool finding_texts_write(const struct calls *calls, struct result *result,
			 struct error *err) MUST_CHECK;

/* The cause in the few words that end the first line: what took the time, and
 * since when. */

/* Fills result->cause.headline, which stays empty where the cause is not
 * known, and result->span.typical_like. After the cause was decided. */
bool headline_write(const struct finding *f, struct result *result,
		    struct error *err) MUST_CHECK;

/* The error when no span of the trace is the one asked for, with the names of
 * those that are there. */

/* After choice_make() failed with c->missing set. Always returns false. */
bool missing_span_explain(const struct choice *c, struct error *err);

/* The weaknesses of an answer, in words: the notes of an investigation. */

/* For struct investigation: adds the note's sentence. */
void note_text_add(const struct note *note, struct notes *notes);

/* Why there is no profile, in words: the difference between a wrong name, a
 * wrong server, a quiet window and one too far back, and what to do about each.
 */

/* The words for an error that an investigation left without any; other errors
 * stay as they are. Always false. */
bool shortfall_explain(const struct shortfall *s, struct error *err);

/* The oddities of a trace as it came, in notes: spans without an end, of other
 * traces, at impossible times. */

void trace_notes_add(const struct trace *t, struct notes *notes);

/* The faults of a file of the user's rules, and the words that may stand there.
 */

/* Fills err after code_rules_parse() set a fault; name is the file's. Always
 * false. */
bool rules_fault_explain(const struct rules_fault *fault, const char *name,
			 struct error *err);

/* The weaknesses of a comparison of functions, in notes: which way of comparing
 * was not possible, how noise was measured, what was put down to the load,
 * which functions were renamed. */

struct rank_facts; /* analyze/rank_facts.h */
struct result;     /* model/result.h */

/* Adds a note for what weakens the answer, and a reason for how noise was
 * measured. */
void comparison_notes_add(const struct rank_facts *f, bool is_of_request,
			  struct notes *notes, struct notes *reasons);

/* The same of a result's comparison, where there is one, and how clear its
 * first row is. */
void comparison_notes_report(const struct result *r, struct notes *notes,
			     struct notes *reasons);

/* Why there are no traces of a service: the names that there are, and when such
 * a trace was seen. Always false, ERROR_NOT_FOUND. */
bool trace_lack_explain(const struct trace_lack *lack,
			const struct find_query *query, struct error *err);

/* Encoders of traces for exports (investigate/export.h): as they are, and with
 * what they say by themselves as events of their spans. */
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
