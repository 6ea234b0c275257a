/* SPDX-License-Identifier: Apache-2.0
 *
 * The cause in the few words that end the first line: what took the time, and
 * since when.
 */
#ifndef REPORT_HEADLINE_H
#define REPORT_HEADLINE_H

#include "investigate/finding.h"

/* Fills result->cause.headline, which stays empty where the cause is not
 * known, and result->span.typical_like. After the cause was decided. */
bool headline_write(const struct finding *f, struct result *result,
		    struct error *err) MUST_CHECK;

#endif
