/* SPDX-License-Identifier: Apache-2.0
 *
 * What the requests of a service cost, in words and rows. Knows no options.
 */
#ifndef REPORT_COST_ANSWER_H
#define REPORT_COST_ANSWER_H

#include <math.h>

#include "base/arena.h"
#include "investigate/cost.h"
#include "model/prices.h"
#include "model/prices.h"
#include "render/page.h"
#include "render/render.h"

/* The cost of the requests of a service, as rows that add up: functions, what
 * of the machine lies idle, memory, and all of it, with what that is worth.
 * Numbers only; the formats have the words. */

/* A month as clouds count it. */
#define COST_MONTH_S (730.0 * 3600)

enum cost_row_kind {
	COST_ROW_FUNCTION = 0,
	COST_ROW_OTHERS,     /* functions that are not listed */
	COST_ROW_UNPROFILED, /* measured, and in no profile */
	COST_ROW_CPU,        /* of these the sum */
	COST_ROW_IDLE_CPU,   /* given, and not used */
	COST_ROW_MEMORY,
	COST_ROW_IDLE_MEMORY,
	COST_ROW_REQUESTS, /* what a request costs by itself */
	COST_ROW_BILL,     /* the sum of all but functions, if there are more
			    * than one */
};

/* NaN: not known. */
struct cost_row {
	enum cost_row_kind kind;
	const struct function_cost *function; /* of COST_ROW_FUNCTION */
	size_t count;                         /* of COST_ROW_OTHERS */
	double amount;                        /* cores, or GiB */
	double each;                          /* seconds of these per request */
	double low; /* 95 % interval of cost_row_value() */
	double high;
	double million; /* money, of a million requests */
	double month;   /* money */
};

/* Per request, where those are known. */
static inline double cost_row_value(const struct cost_row *row)
{
	return isnan(row->each) ? row->amount : row->each;
}

struct cost_rows {
	struct cost_row *items;
	size_t count;
	const struct cost_row *sum;  /* among them: of the functions */
	const struct cost_row *bill; /* NULL: no price is known */
	/* What is allocated is known of all that has a price. Else these are
	 * worths of what is used, and nothing is known to be idle. */
	bool is_bill;
	double idle; /* money a month */
};

/* limit: functions that are listed; 0: all that are told from noise. */
bool cost_rows_build(const struct cost *c, const struct cost_prices *prices,
		     size_t limit, struct arena *arena, struct cost_rows *out,
		     struct error *err) MUST_CHECK;

/* A row of an operation, which has no kind. */
void cost_operation_row(const struct cost *c, const struct cost_prices *prices,
			const struct cost_operation *o, struct cost_row *out);

/* Parts of the candidate's profile, as a comparison tells changes, in seconds
 * of CPU per request, or cores where requests are not known. */
double cost_change(const struct cost *c, const struct result *r, double part);

/* Returns the cost per month of more seconds of CPU per request, or of cores
 * where requests are not known; NaN: not known. */
double cost_of_change(const struct cost *c, const struct cost_prices *prices,
		      double value);

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
	/* Of scripts that apply a size: what has to be kept, and options that
	 * name the servers that tell. */
	double objective;     /* in percent */
	int64_t threshold_ns; /* 0: none */
	struct str guard_servers;
};

extern const struct answer_writer cost_writer; /* struct cost_answer */

/* Adds what weakens it and is seen here only, as notes. */
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

/* Writes the outcome of the advice on the size, as lines of a page. */
void cost_write_size(struct page *p, const struct cost_answer *a);

/* Why there is none, in words, where there is none. */
void cost_refusal_text(const struct cost_size *size, struct buf *out);
const char *cost_refusal_name(enum size_refusal refusal);

/* The advised requests and limits of an instance; 0: not known. In cores and
 * bytes. */
struct cost_advised {
	double request[COST_WHATS];
	double limit[COST_WHATS];
};
void cost_advised(const struct cost_size *size, struct cost_advised *out);

void cost_write_gcloud(const void *answer, struct out *out);
void cost_write_kubernetes(const void *answer, struct out *out);

/* Scripts that bring the service there, as long as the objective is kept. */
void cost_write_gcloud_apply(const void *answer, struct out *out);
void cost_write_kubernetes_apply(const void *answer, struct out *out);

/* Up, to what platforms count in; lines of comments on what it was made of. */
int64_t cost_milli_cores(double cores);
int64_t cost_mebibytes(double bytes);
void cost_write_inputs(const struct cost_size *size, struct out *out);

/* The size that Cloud Run has for it, and branches of `case` of which memory
 * goes with how many CPUs. */
struct cost_run_size {
	int cores;
	int64_t mib;
};
void cost_run_size(const struct cost_size *size, struct cost_run_size *out);
void cost_write_run_sizes(struct out *out);

#endif
