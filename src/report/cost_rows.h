/* SPDX-License-Identifier: Apache-2.0
 *
 * What the requests of a service cost, as rows that add up: functions, what of
 * the machine lies idle, memory, and all of it, with what that is worth.
 * Numbers only; the formats have the words.
 */
#ifndef REPORT_COST_ROWS_H
#define REPORT_COST_ROWS_H

#include <math.h>

#include "base/arena.h"
#include "investigate/cost.h"

/* A month as clouds count it. */
#define COST_MONTH_S (730.0 * 3600)

#define COST_MILLION 1e6

/* The user's own; below 0: not known. */
struct cost_prices {
	double cpu;           /* of a second of a vCPU */
	double memory;        /* of a second of a GiB */
	double request;       /* of one */
	const char *currency; /* NULL: not known */
	const char *note;     /* of the user, about them; or NULL */
};

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

/* What so many seconds of CPU more per request, or cores where requests are not
 * known, cost a month; NaN: not known. */
double cost_of_change(const struct cost *c, const struct cost_prices *prices,
		      double value);

#endif
