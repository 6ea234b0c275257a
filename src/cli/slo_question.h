/* SPDX-License-Identifier: Apache-2.0
 *
 * The objective that options name, and its requests counted.
 */
#ifndef CLI_SLO_QUESTION_H
#define CLI_SLO_QUESTION_H

#include "cli/context.h"
#include "investigate/slo.h"

/* --objective of this service with --name, --threshold, --window and the time
 * where it ends. ERROR_USAGE. */
bool slo_question_read(struct slo *s, struct context *ctx, const char *service,
		       struct error *err) MUST_CHECK;

/* By metrics; else by traces, of which no document can be made and which are no
 * way out where it was said where metrics are. */
bool slo_question_count(struct slo *s, struct context *ctx, bool is_document,
			struct error *err) MUST_CHECK;

/* ERROR_NOT_FOUND where there was none. */
bool slo_question_has_requests(const struct slo *s,
			       struct error *err) MUST_CHECK;

#endif
