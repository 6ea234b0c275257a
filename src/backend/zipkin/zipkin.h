/* SPDX-License-Identifier: Apache-2.0
 *
 * Zipkin, a server of traces that sends them whole, and what imitates its
 * second API. Searching yields candidates there: which conditions one span has
 * to meet depends on its storage, so that the decoder looks again.
 */
#ifndef BACKEND_ZIPKIN_H
#define BACKEND_ZIPKIN_H

#include "backend/trace_backend.h"

extern const struct trace_backend trace_zipkin;

#endif
