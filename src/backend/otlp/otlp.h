/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever receives OpenTelemetry's protocol over HTTP (opentelemetry-proto,
 * docs/specification.md): collectors, and servers that take it themselves.
 */
#ifndef BACKEND_OTLP_H
#define BACKEND_OTLP_H

#include "backend/receiver.h"

extern const struct receiver receiver_otlp;

#endif
