/* SPDX-License-Identifier: Apache-2.0
 *
 * How a service stands against its objective, in words and as the documents of
 * other programs. Knows no options.
 */
#ifndef REPORT_SLO_ANSWER_H
#define REPORT_SLO_ANSWER_H

#include "base/jsonw.h"
#include "investigate/slo_spent.h"
#include "render/answer_writer.h"
#include "render/page.h"

struct slo_answer {
	const struct slo *slo;
	const struct slo_spent *spent;
	const struct notes *notes;
	/* Options that name servers; NULL ptr: too long. */
	struct str servers;
};

extern const struct answer_writer slo_writer; /* struct slo_answer */

void slo_json_write(const void *answer, struct out *out);
void slo_html_write(const void *answer, struct out *out);

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

/* More of the budget was used than there is. */
bool slo_is_spent(const struct slo *s);

/* How many pairs of windows burn too fast. */
size_t slo_firing(const struct slo *s);

/* "99.9 % of GET /cart within 300 ms and without error over 30 d" */
void slo_objective_text(const struct slo *s, struct buf *out);

/* A share of requests in percent, with digits enough for the objective. It is
 * rounded down: what misses the objective never looks as if it met it. */
#define SLO_SHARE_BYTES 32
void slo_share_text(const struct slo *s, double share,
		    char out[SLO_SHARE_BYTES]);

/* What weakens the answer. */
void slo_add_notes(const struct slo *s, struct notes *notes);
void slo_add_spent_notes(const struct slo_spent *s, struct notes *notes);

/* "n_plus_one", or "error" of a request that failed. */
const char *slo_cause_name(const struct spent_request *r);

/* "N+1", "failed". */
const char *slo_cause_words(const struct spent_request *r);

/* The command that looks at the example of a row; nothing where servers are not
 * known. */
void slo_next(const struct slo_answer *answer, const struct spent_request *r,
	      struct buf *out);

/* The table of what spent the budget. */
void slo_spent_write(struct page *p, const struct slo_answer *answer);

/* Why metrics do not tell. */
void slo_lack_text(const struct slo *s, struct buf *out);

#endif
