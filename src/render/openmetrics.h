/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as gauges in the text format of OpenMetrics 1.0, for the collector
 * of text files, a push gateway or a scrape: the numbers of the machine's
 * answer, in base units.
 */
#ifndef RENDER_OPENMETRICS_H
#define RENDER_OPENMETRICS_H

#include <stdbool.h>

#include "base/out.h"
#include "base/str.h"

#define GAUGE_LABELS 6u

/* A number of the answer of a command. Paths are member names joined by dots. */
struct gauge {
	const char *command;
	/* A list of objects, each with a sample; NULL: the answer itself. */
	const char *list;
	/* Of the number, the truth or the text; "": 1 for each. What is null
	 * or absent gives no sample. */
	const char *value;
	const char *reads;  /* of a text: 1 when it is this one, else 0 */
	const char *only;   /* "path=text": where the answer has this */
	double divisor;     /* to base units; 0: none */
	const char *name;   /* of the family; rows of one follow each other */
	const char *help;   /* of its first row */
	/* "label=path", from the answer itself "label=/path", of a fixed text
	 * "label:text". A label without a value is left out. */
	const char *labels[GAUGE_LABELS];
};

/* Ended by a row without a command. */
extern const struct gauge openmetrics_gauges[];

/* Whether there is a row for answers of this command. */
bool openmetrics_has(const char *command);

/* json is the answer, an object. A failure stays in out. */
void openmetrics_write(struct str json, struct out *out);

#endif
