/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the JSON of Cloud Trace v1, whoever wants its spans: a trace
 * ({"projectId", "traceId", "spans"}), a page of a list ({"traces",
 * "nextPageToken"}), or several of them. Nothing is kept but the span being
 * read.
 */
#ifndef DECODE_CLOUD_TRACE_H
#define DECODE_CLOUD_TRACE_H

#include "base/error.h"
#include "base/str.h"
#include "decode/google_labels.h"

/* Texts are valid during the call only. */
struct cloud_span {
	struct trace_id trace_id;
	uint64_t span_id;
	uint64_t parent_id; /* 0: none */
	int64_t start_ns;
	int64_t end_ns; /* 0: not told */
	enum span_kind kind;
	struct str name;
	const struct google_labels *labels;
};

/* Each that may fail gives false, with *err set, to end the reading; NULL: not
 * wanted. */
struct cloud_sink {
	void (*begin)(void *context); /* a span */
	bool (*attr)(void *context, struct str key, struct str value,
		     struct error *err);
	bool (*span)(void *context, const struct cloud_span *span,
		     struct error *err); /* it ends */
	bool (*trace)(void *context, const struct trace_id *id,
		      size_t span_count, struct error *err);
	bool (*next_page)(void *context, struct str token, struct error *err);
};

/* *trimmed counts texts that were too long. */
bool cloud_trace_read(struct str bytes, const struct cloud_sink *sink,
		      void *context, size_t *trimmed,
		      struct error *err) MUST_CHECK;

#endif
