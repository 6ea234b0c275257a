/* SPDX-License-Identifier: Apache-2.0
 *
 * What a dashboard or an alert is of: from options, and from what the server of
 * metrics has, to a document.
 */
#ifndef CLI_DOCUMENT_CHOICE_H
#define CLI_DOCUMENT_CHOICE_H

#include "cli/context.h"
#include "investigate/service_metrics.h"
#include "report/documents.h"

struct document_choice {
	struct document document;
	struct metric_source sources[METRIC_MEANINGS];
	struct time_range window;
	bool is_told; /* the platform or the names of metrics: ask no server */
};

/* Services, threshold, window and metrics as far as options tell them.
 * ERROR_USAGE. What it points to lives in the context's arena or in c. */
bool document_choose(struct document_choice *c, struct context *ctx,
		     struct error *err) MUST_CHECK;

/* Which metrics there are, where the options do not tell. That none is of the
 * services is ERROR_NOT_FOUND. */
bool document_find_metrics(struct document_choice *c, struct context *ctx,
			   struct error *err) MUST_CHECK;

/* Which of the services send profiles; that it is not known is a note. */
bool document_find_profiles(struct document_choice *c, struct context *ctx,
			    struct error *err) MUST_CHECK;

/* Whether -o asks for this format. */
bool document_is_for(const struct options *o, const char *format);

#endif
