/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the oracle share: spans as they see them, and the rules
 * of the model said once more.
 */
#ifndef TESTS_ORACLE_SPANS_H
#define TESTS_ORACLE_SPANS_H

#include <stdio.h>

#include "trace_oracle.h"

struct pair {
	char *key; /* escaped text of both */
	char *value;
};

struct seen_span {
	char trace_id[33];
	char span_id[17];
	char parent_id[17];
	char *name;
	char *status;
	int kind; /* enum span_kind */
	bool is_error;
	uint64_t start_ns, end_ns;
	struct pair pairs[200];
	size_t pair_count;
};

struct spans {
	struct seen_span *items;
	size_t count;
	size_t cap;
};

struct seen_span *add_span(struct spans *spans);
void free_span(struct seen_span *s);

/* Control bytes and separators made visible. Release with free(). */
char *escaped(const void *data, size_t len);

/* owned_value is taken, already escaped. A later equal key wins. */
void add_pair(struct seen_span *s, const char *prefix, struct str key,
	      char *owned_value);

/* Sorted lines, equal ones once. Frees the spans. */
char *dump(struct spans *spans, unsigned flags);

void mend_times(struct spans *spans);

char *double_text(double value);
void put_quoted(FILE *out, const char *text, size_t len);

/* enum span_kind of OTLP's number. */
int kind_of(int64_t otlp);

#endif
