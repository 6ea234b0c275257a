/* SPDX-License-Identifier: Apache-2.0
 *
 * Tags of Datadog's spans and what OpenTelemetry calls them. What is of the
 * process stands among those of a span, of one span of a process at least.
 * Source: "Span Tag Semantics" of Datadog's documentation.
 */
#ifndef DECODE_DATADOG_NAMES_H
#define DECODE_DATADOG_NAMES_H

#include <stdbool.h>

#include "base/str.h"

enum datadog_process {
	DATADOG_SERVICE, /* what the process is, where a span says another */
	DATADOG_VERSION,
	DATADOG_ENV,
	DATADOG_INSTANCE,
	DATADOG_HOST,
	DATADOG_LANGUAGE,
	DATADOG_PID,
	DATADOG_CONTAINER,
	DATADOG_POD,
	DATADOG_PROCESS_KEYS,
};

/* One of those; DATADOG_PROCESS_KEYS: it is of the span. */
unsigned datadog_process_key(struct str tag);
struct str datadog_process_name(unsigned key);

/* The name of an attribute: the tag's own where OpenTelemetry has none. */
struct str datadog_span_key(struct str tag);

/* Whether spans of this type are calls of a database, whose resource is a
 * query. */
bool datadog_type_is_database(struct str type);

#endif
