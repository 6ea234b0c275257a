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

/* Whether there is a row for answers of this command. */
bool openmetrics_has(const char *command);

/* json is the answer, an object. A failure stays in out. */
void openmetrics_write(struct str json, struct out *out);

#endif
