/* SPDX-License-Identifier: Apache-2.0
 *
 * A pprof message in the protobuf of OpenTelemetry's profiles, as it is sent to
 * receivers; decode/otlp_profiles.c reads it back. Knows no receiver.
 */
#ifndef DECODE_OTLP_PROFILES_WRITE_H
#define DECODE_OTLP_PROFILES_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* An attribute of what was profiled. */
struct otlp_attribute {
	struct str key; /* "service.name" */
	struct str value;
};

/* Adds an ExportProfilesServiceRequest (opentelemetry-proto 1.9 and later) to
 * out, whose state keeps failures. pprof is plain. Samples that differ in
 * nothing but their values become one. CPU time that is a whole multiple of
 * its period goes as counted samples: receivers multiply, and Pyroscope then
 * knows it as process_cpu. What the message wants left out of stacks
 * (drop_frames) is not told. start_ns: where the message does not say. */
bool otlp_profiles_write(struct str pprof, const struct otlp_attribute *about,
			 size_t about_count, int64_t start_ns, struct buf *out,
			 struct error *err) MUST_CHECK;

#endif
