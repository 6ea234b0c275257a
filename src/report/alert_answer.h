/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an alert fires now, in words: which services, how slow they are, and
 * the slowest request. Knows no options.
 */
#ifndef REPORT_ALERT_ANSWER_H
#define REPORT_ALERT_ANSWER_H

#include "investigate/alert.h"
#include "base/jsonw.h"
#include "render/answer_writer.h"
#include "render/page.h"

struct alert_answer {
	const struct alert *alert;
	const struct notes *notes;
	/* Options that name servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer alert_now_writer; /* struct alert_answer */

/* ---- pieces, for other alerts ---- */

/* The slowest request; nothing where none was found. */
void alert_slowest_write(struct page *p, const struct alert *a);
void alert_slowest_json(struct jsonw *w, const struct alert_answer *answer);
void alert_slowest_note(const struct alert *a, struct notes *notes);

/* The command that looks at it. */
void alert_next_write(struct page *p, const struct alert_answer *answer);

/* ---- beside the answer ---- */

/* What weakens the answer. why: of the metrics, when traces were asked instead;
 * NULL: they were not asked. */
void alert_add_notes(const struct alert *a, const struct error *why,
		     struct notes *notes);

/* The words for an error that alert_evaluate() left without any; others stay as
 * they are. why: as above. Always false. */
bool alert_explain(const struct alert *a, const struct error *why,
		   struct error *err);

#endif
