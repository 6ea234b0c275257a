/* SPDX-License-Identifier: Apache-2.0
 *
 * Answer of cost: what requests of a service cost, as text and rows.
 */
#ifndef REPORT_COST_ANSWER_H
#define REPORT_COST_ANSWER_H

#include <math.h>

#include "base/arena.h"
#include "investigate/cost.h"
#include "model/prices.h"
#include "render/page.h"
#include "render/render.h"

/* Cost of the requests of a service, as rows that add up: functions, idle
 * capacity, memory, and the total, with their prices. Numbers only; the formats
 * add words. */

/* A month as billed by cloud providers. */
#define COST_MONTH_S (730.0 * 3600)

enum cost_row_kind {
	COST_ROW_FUNCTION = 0,
	COST_ROW_OTHERS,     /* functions that are not listed */
	COST_ROW_UNPROFILED, /* measured CPU that is in no profile */
	COST_ROW_CPU,        /* the sum of these */
	COST_ROW_IDLE_CPU,   /* allocated but unused */
	COST_ROW_MEMORY,
	COST_ROW_IDLE_MEMORY,
	COST_ROW_REQUESTS, /* price per request */
	/* The sum of all but functions, if there is more than one row. */
	COST_ROW_BILL,
};

/* NaN: unknown. */
struct cost_row {
	enum cost_row_kind kind;
	const struct function_cost *function; /* for COST_ROW_FUNCTION */
	size_t count;                         /* for COST_ROW_OTHERS */
	double amount;                        /* cores, or GiB */
	/* Core or GiB seconds per request. */
	double each;
	double low; /* 95 % interval of cost_row_value() */
	double high;
	double million; /* price per million requests */
	double month;   /* price per month */
};

/* Per request if the number of requests is known. */
static inline double cost_row_value(const struct cost_row *row)
{
	return isnan(row->each) ? row->amount : row->each;
}

struct cost_rows {
	struct cost_row *items;
	size_t count;
	const struct cost_row *sum;  /* in items: the sum of the functions */
	const struct cost_row *bill; /* in items; NULL: no prices */
	/* The allocation of everything with a price is known. Otherwise prices
	 * are those of actual usage, and idle capacity is unknown. */
	bool is_bill;
	double idle; /* price per month */
};

/* limit: number of functions to list; 0: all significant ones. */
bool cost_rows_build(const struct cost *c, const struct cost_prices *prices,
		     size_t limit, struct arena *arena, struct cost_rows *out,
		     struct error *err) MUST_CHECK;

/* Fills the row of an operation; it has no kind. */
void cost_operation_row(const struct cost *c, const struct cost_prices *prices,
			const struct cost_operation *o, struct cost_row *out);

/* Converts a change, relative to the candidate's profile as in a comparison, to
 * CPU seconds per request, or to cores if the number of requests is unknown. */
double cost_change(const struct cost *c, const struct result *r, double part);

/* Returns the price per month of additional CPU seconds per request, or of
 * cores if the number of requests is unknown; NaN: unknown. */
double cost_of_change(const struct cost *c, const struct cost_prices *prices,
		      double value);

struct cost_answer {
	const struct cost *cost;
	const struct result *result; /* of the comparison, or NULL */
	const char *service;         /* NULL: files */
	const char *name;            /* of an operation; NULL: all */
	struct cost_prices prices;
	struct cost_rows rows;
	size_t limit; /* functions that changed; 0: all */
	const struct notes *notes;
	/* Options for servers and window; NULL ptr: none. */
	struct str servers;
	/* For scripts that apply a size: the objective to keep, and options for
	 * the servers that measure it. */
	double objective;     /* percent */
	int64_t threshold_ns; /* 0: none */
	struct str guard_servers;
};

extern const struct answer_writer cost_writer; /* struct cost_answer */

/* Adds notes on limitations that are not noted elsewhere. */
void cost_notes_add(const struct cost_answer *a, struct notes *notes);

/* ---- shared by its files ---- */

/* Appends " USD", or nothing if the currency is unknown. */
void cost_add_currency(const struct cost_answer *a, struct buf *out);

/* "1,240", "12.3", "0.0341": three significant digits. */
#define COST_TEXT_BYTES 48
void cost_format_money(double money, bool is_signed, char out[COST_TEXT_BYTES]);

/* Returns the decimals that give a number this many significant digits. */
int cost_decimals(double largest, int digits);

/* Writes the tables of the difference, functions and operations:
 * cost_tables.c. */
void cost_write_tables(struct page *p, const struct cost_answer *a);

/* Returns "request", or "traced request" if untraced ones are not in the
 * numbers. */
const char *cost_request_word(const struct cost_answer *a);

/* Writes the sizing recommendation, as lines of a page. */
void cost_write_size(struct page *p, const struct cost_answer *a);

/* Appends why there is none, if so. */
void cost_refusal_text(const struct cost_size *size, struct buf *out);
const char *cost_refusal_name(enum size_refusal refusal);

/* Recommended requests and limits of an instance, in cores and bytes; 0:
 * unknown. */
struct cost_advised {
	double request[COST_WHATS];
	double limit[COST_WHATS];
};
void cost_advised(const struct cost_size *size, struct cost_advised *out);

void cost_write_gcloud(const void *answer, struct out *out);
void cost_write_kubernetes(const void *answer, struct out *out);

/* Scripts that apply the recommended size as long as the objective is met. */
void cost_write_gcloud_apply(const void *answer, struct out *out);
void cost_write_kubernetes_apply(const void *answer, struct out *out);

/* Rounded up to the units of platforms; cost_write_inputs() writes comment
 * lines with the input of the recommendation. */
int64_t cost_milli_cores(double cores);
int64_t cost_mebibytes(double bytes);
void cost_write_inputs(const struct cost_size *size, struct out *out);

/* The corresponding size on Cloud Run, and `case` branches for which memory
 * goes with how many CPUs. */
struct cost_run_size {
	int cores;
	int64_t mib;
};
void cost_run_size(const struct cost_size *size, struct cost_run_size *out);
void cost_write_run_sizes(struct out *out);

#endif
