/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace in the protobuf of OpenTelemetry (opentelemetry-proto:
 * trace/v1/trace.proto, common/v1/common.proto), as it is sent to receivers.
 * Knows no receiver.
 */
#ifndef RENDER_OTLP_TRACES_H
#define RENDER_OTLP_TRACES_H

#include "model/trace.h"

/* Gives away an ExportTraceServiceRequest with the next spans; several behind
 * one another are a TracesData, too. A part ends with the span that takes it
 * to part_bytes. What the model does not hold is not there: the scopes of
 * instrumentations, the state of a trace and its flags, and the types of
 * attributes, which are text but for those that the conventions define as whole
 * numbers. take: false ends it with err. */
bool otlp_trace_write(const struct trace *t, size_t part_bytes,
		      bool (*take)(void *context, struct str part,
				   uint32_t span_count, struct error *err),
		      void *context, struct error *err) MUST_CHECK;

#endif
