/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences that the forms of an answer of `check` have in common.
 */
#ifndef REPORT_CHECK_WORDS_H
#define REPORT_CHECK_WORDS_H

#include "report/check_answer.h"

/* "total", "function", "new", "latency": as --fail-on calls them. */
const char *gate_name(enum gate_kind gate);

/* " a run", " a second" or, of shares, nothing. */
const char *check_per(const struct check *c);

/* "CPU", "allocated bytes". */
const char *check_measure(const struct check_answer *a);

/* "total>3%, function>5%": the limits that are set. */
void check_limits(const struct gate_limits *limits, struct buf *out);

/* How much a function grew, for certain or not: "shop.find +31 % (-2 % to
 * +76 %)". */
void check_growth_text(const struct check_answer *a,
		       const struct function_row *row, struct buf *out);

/* "shop.Route takes 20 % more CPU a run (+15 % to +25 %); the limit is 5 %" */
void check_hit_text(const struct check_answer *a, const struct gate_hit *hit,
		    struct buf *out);

/* Why nothing can be said; and how much could have been seen. */
void check_lack_text(const struct check_answer *a, struct buf *out);
void check_power_text(const struct check_answer *a, struct buf *out);

/* The answer in one line. */
void check_headline(const struct check_answer *a, struct buf *out);

#endif
