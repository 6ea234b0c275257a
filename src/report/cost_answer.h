/* SPDX-License-Identifier: Apache-2.0
 *
 * What the requests of a service cost, in words and rows. Knows no options.
 */
#ifndef REPORT_COST_ANSWER_H
#define REPORT_COST_ANSWER_H

#include "base/jsonw.h"
#include "render/answer_writer.h"
#include "render/page.h"
#include "report/cost_rows.h"

struct cost_answer {
	const struct cost *cost;
	const struct result *result; /* of the comparison, if there is one */
	const char *service;         /* NULL: files */
	const char *name;            /* of an operation; NULL: all of them */
	struct cost_prices prices;
	struct cost_rows rows;
	size_t limit; /* functions that changed; 0: all */
	const struct notes *notes;
	/* Options that name servers and window; NULL ptr: none are known. */
	struct str servers;
};

extern const struct answer_writer cost_writer; /* struct cost_answer */

/* What weakens it and is seen here only, as notes. */
void cost_notes_add(const struct cost_answer *a, struct notes *notes);

/* ---- between the files of it ---- */

/* " USD", or nothing where the currency is not known. */
void cost_add_currency(const struct cost_answer *a, struct buf *out);

/* "1,240", "12.3", "0.0341": three digits that mean something. */
#define COST_TEXT_BYTES 48
void cost_format_money(double money, bool is_signed, char out[COST_TEXT_BYTES]);

/* Decimals that leave a number with so many digits that mean something. */
int cost_decimals(double largest, int digits);

/* The difference, functions and operations: cost_tables.c. */
void cost_write_tables(struct page *p, const struct cost_answer *a);

/* "request", or "traced request" where others were served that are in none of
 * these numbers. */
const char *cost_request_word(const struct cost_answer *a);

/* "given", "metrics", ...; NULL: not known. */
const char *cost_source_name(enum cost_source source);

/* "function", "cpu_idle"...: what programs are told. */
const char *cost_row_name(enum cost_row_kind kind);

/* What became of the advice on the size, as lines of a page. */
void cost_write_size(struct page *p, const struct cost_answer *a);

/* Why there is none, in words, where there is none. */
void cost_refusal_text(const struct cost_size *size, struct buf *out);
const char *cost_refusal_name(enum size_refusal refusal);

/* What an instance should ask for and be limited to; 0: not known. In cores and
 * bytes. */
struct cost_advised {
	double request[COST_WHATS];
	double limit[COST_WHATS];
};
void cost_advised(const struct cost_size *size, struct cost_advised *out);

/* cost_json.c, cost_size_text.c */
void cost_write_json(const void *answer, struct out *out);
void cost_write_gcloud(const void *answer, struct out *out);
void cost_write_kubernetes(const void *answer, struct out *out);

#endif
