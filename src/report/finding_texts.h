/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings in words: each says what was found, where and how long it took.
 * It looks for nothing itself.
 */
#ifndef REPORT_FINDING_TEXTS_H
#define REPORT_FINDING_TEXTS_H

#include "analyze/calls.h"
#include "base/error.h"
#include "model/result.h"

/* Fills the texts of result->findings, which findings_collect() found in the
 * trace of these calls. */
bool finding_texts_write(const struct calls *calls, struct result *result,
			 struct error *err) MUST_CHECK;

#endif
