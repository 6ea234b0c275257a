/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels of Cloud Trace. Spans there have nothing else: what OpenTelemetry
 * keeps apart, attributes of the span and of its process, status and kind, is
 * a label each, under OpenTelemetry's own names or under older ones of
 * Google's agents and of OpenCensus ("/http/method", "g.co/r/...").
 */
#ifndef DECODE_GOOGLE_LABELS_H
#define DECODE_GOOGLE_LABELS_H

#include <stdbool.h>

#include "base/buf.h"
#include "model/trace.h"

/* Names of the process that are kept, see google_resource_key(). */
#define GOOGLE_RESOURCE_KEYS 29u

/* What the labels of one span say that is no attribute of its own. */
struct google_labels {
	struct buf values[GOOGLE_RESOURCE_KEYS];
	unsigned char ranks[GOOGLE_RESOURCE_KEYS]; /* 0: not said */
	struct buf message;                        /* of a failure */
	bool has_message;
	bool is_error;
	enum span_kind kind; /* internal when not said */
};

void google_labels_init(struct google_labels *l);
void google_labels_release(struct google_labels *l);
/* For the next span; memory is kept. */
void google_labels_clear(struct google_labels *l);

/* Takes one label in. True when it is an attribute of the span: *key is its
 * name in OpenTelemetry's words (or the label's own), borrowed from label or
 * constant. */
bool google_labels_take(struct google_labels *l, struct str label,
			struct str value, struct str *key);

/* "service.name" and so on; what the process says under it, in *value. False
 * when it says nothing. */
struct str google_resource_key(unsigned index);
bool google_labels_resource(const struct google_labels *l, unsigned index,
			    struct str *value);

/* False when memory for a text was lacking. */
bool google_labels_are_complete(const struct google_labels *l);

/* "RPC_SERVER", or the number of the enumeration; the rest is internal. */
enum span_kind google_kind(struct str text);

#endif
