/* SPDX-License-Identifier: Apache-2.0
 *
 * Answer of slo: compliance of a service with its objective, as text and as
 * configuration of other programs.
 */
#ifndef REPORT_SLO_ANSWER_H
#define REPORT_SLO_ANSWER_H

#include "base/jsonw.h"
#include "investigate/slo.h"
#include "render/page.h"
#include "render/render.h"

/* Parts of the table, so that the numbers can be shown before it is known what
 * consumed the budget. */
enum slo_part { SLO_WHOLE = 0, SLO_NUMBERS, SLO_REST };

struct slo_answer {
	enum slo_part part;
	const struct slo *slo;
	const struct slo_spent *spent;
	const struct notes *notes;
	/* Options for servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer slo_writer; /* struct slo_answer */

/* ---- pieces for alerts on it ---- */

/* Write lines on the objective and its data source, and the table of burn
 * rates. */
void slo_objective_write(struct page *p, const struct slo *s);
void slo_source_write(struct page *p, const struct slo *s);
void slo_burn_write(struct page *p, const struct slo *s);

/* Write keys of the open object. */
void slo_json_objective(struct jsonw *w, const struct slo *s);
void slo_json_pairs(struct jsonw *w, const struct slo *s);
void slo_json_source(struct jsonw *w, const struct slo *s);

/* ---- configuration and sentences ---- */

/* Prometheus rules and an OpenSLO definition; metrics only. */
void slo_prometheus_write(const void *answer, struct out *out);
void slo_openslo_write(const void *answer, struct out *out);

/* Service, objective and alert policies of Cloud Monitoring, as one object.
 * google_slo_check() fails for what it does not support, with a suggestion; the
 * metric is checked once known. Notes explain what is counted differently or
 * left out. */
void google_slo_write(const void *answer, struct out *out);
bool google_slo_check(const struct slo *s, struct error *err);
void google_slo_notes(const struct slo *s, struct notes *notes);

/* Returns whether more than the whole budget was used. */
bool slo_is_spent(const struct slo *s);

/* Returns the number of window pairs that burn too fast. */
size_t slo_firing(const struct slo *s);

/* Appends "99.9 % of GET /cart within 300 ms and without error over 30 d". */
void slo_objective_text(const struct slo *s, struct buf *out);

/* Add notes on the limitations of the answer. */
void slo_add_notes(const struct slo *s, struct notes *notes);
void slo_add_spent_notes(const struct slo_spent *s, struct notes *notes);

/* Appends why metrics are insufficient. */
void slo_lack_text(const struct slo *s, struct buf *out);

#endif
