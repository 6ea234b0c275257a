/* SPDX-License-Identifier: Apache-2.0
 *
 * How a service stands against its objective, in words and as the documents of
 * other programs. Knows no options.
 */
#ifndef REPORT_SLO_ANSWER_H
#define REPORT_SLO_ANSWER_H

#include "base/jsonw.h"
#include "investigate/slo.h"
#include "render/page.h"
#include "render/render.h"

/* The parts of the table: the numbers may stand there before the consumers of
 * the budget are known. */
enum slo_part { SLO_WHOLE = 0, SLO_NUMBERS, SLO_REST };

struct slo_answer {
	enum slo_part part;
	const struct slo *slo;
	const struct slo_spent *spent;
	const struct notes *notes;
	/* Options that name servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer slo_writer; /* struct slo_answer */

/* ---- pieces, for alerts on it ---- */

/* Lines of the objective and of what measured it, and the table of burn
 * rates. */
void slo_objective_write(struct page *p, const struct slo *s);
void slo_source_write(struct page *p, const struct slo *s);
void slo_burn_write(struct page *p, const struct slo *s);

/* Keys of the object that is being written. */
void slo_json_objective(struct jsonw *w, const struct slo *s);
void slo_json_pairs(struct jsonw *w, const struct slo *s);
void slo_json_source(struct jsonw *w, const struct slo *s);

/* ---- documents and sentences ---- */

/* Rules of Prometheus, and the definition of OpenSLO; by metrics only. */
void slo_prometheus_write(const void *answer, struct out *out);
void slo_openslo_write(const void *answer, struct out *out);

/* Service, objective and policies of Cloud Monitoring, one object. What it does
 * not take is an error with the way out; the metric is looked at once it is
 * known. Notes say what it counts otherwise, or leaves out. */
void google_slo_write(const void *answer, struct out *out);
bool google_slo_check(const struct slo *s, struct error *err);
void google_slo_notes(const struct slo *s, struct notes *notes);

/* More of the budget was used than there is. */
bool slo_is_spent(const struct slo *s);

/* How many pairs of windows burn too fast. */
size_t slo_firing(const struct slo *s);

/* "99.9 % of GET /cart within 300 ms and without error over 30 d" */
void slo_objective_text(const struct slo *s, struct buf *out);

/* Adds what weakens the answer. */
void slo_add_notes(const struct slo *s, struct notes *notes);
void slo_add_spent_notes(const struct slo_spent *s, struct notes *notes);

/* Why metrics do not tell. */
void slo_lack_text(const struct slo *s, struct buf *out);

#endif
