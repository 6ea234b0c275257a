/* SPDX-License-Identifier: Apache-2.0
 *
 * Which samples are wanted by their labels, as pprof's -tagfocus and -tagignore
 * say: a list of patterns separated by ',', each of which must be found in some
 * label, written "key:value"; behind "KEY=" one of which must be found in a
 * value of that key. Each label is matched once, however many samples carry it.
 */
#ifndef DECODE_LABEL_FILTER_H
#define DECODE_LABEL_FILTER_H

#include "base/error.h"
#include "base/str.h"

struct label_filter;

/* focus: those that are wanted; ignore: those of them that are not. NULL is no
 * condition; both are borrowed. NULL with ERROR_USAGE when a pattern is wrong. */
struct label_filter *label_filter_new(const char *focus, const char *ignore,
				      struct error *err) MUST_CHECK;
void label_filter_free(struct label_filter *filter);

/* One sample: begin, add each of its labels, ask. */
void label_filter_begin(struct label_filter *filter);
bool label_filter_add(struct label_filter *filter, struct str key,
		      struct str value, struct error *err) MUST_CHECK;
bool label_filter_matches(const struct label_filter *filter);

/* Labels that are added between these two hold for all samples from then on:
 * label_filter_begin() begins with them. */
void label_filter_shared_begin(struct label_filter *filter);
void label_filter_shared_end(struct label_filter *filter);

#endif
