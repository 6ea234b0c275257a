/* SPDX-License-Identifier: Apache-2.0
 *
 * Since when, in words, as rows and as a page. Knows no options.
 */
#ifndef REPORT_WHEN_ANSWER_H
#define REPORT_WHEN_ANSWER_H

#include "base/jsonw.h"
#include "investigate/when.h"
#include "render/answer_writer.h"

struct when_answer {
	const struct when *when;
	const struct notes *notes;
	/* Options that name the servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer when_writer; /* struct when_answer */

/* Too few steps to say anything. Always false, ERROR_NOT_FOUND. */
bool when_explain_few(const struct when *w, struct error *err);

/* ---- words that its formats share ---- */

/* "CPU per request", "duration", "requests a second"; JSON's words. */
void when_measure_text(const struct when *w, enum when_measure m,
		       struct buf *out);
const char *when_measure_word(enum when_measure m);
const char *when_result_word(enum series_kind kind);

/* Why it is not known, in room where it takes words; NULL: nobody said. */
const char *when_reason_text(const struct when *w, enum when_measure m,
			     struct error *room);

/* Whose it is: "GET /cart of web", "apply_discounts of pricing", "web". */
void when_subject(const struct when *w, struct buf *out);

/* "12.3 ms", "0.42 cores", "7.9". */
void when_level_text(const struct when *w, enum when_measure m, double level,
		     struct buf *out);

/* "1.43x" */
void when_ratio_text(double before, double after, struct buf *out);

/* As one paragraph, without a stop. Times are the caller's to write: what
 * stands before and behind them. */
void when_verdict(const struct when *w, struct buf *before, struct buf *behind);

/* How something went that has no step to be held against. */
void when_steadiness(const struct when *w, enum when_measure m,
		     struct buf *out);

/* The command that says which functions the step is of. */
void when_next_command(const struct when *w, struct str servers,
		       struct buf *out);

/* when_json.c, when_html.c */
void when_write_json(const void *answer, struct out *out);
void when_write_html(const void *answer, struct out *out);

#endif
