/* SPDX-License-Identifier: Apache-2.0
 *
 * The error when no span of the trace is the one asked for, with the names of
 * those that are there.
 */
#ifndef REPORT_MISSING_SPAN_H
#define REPORT_MISSING_SPAN_H

#include "analyze/choice.h"

/* After choice_make() failed with c->missing set. Always returns false. */
bool missing_span_explain(const struct choice *c, struct error *err);

#endif
