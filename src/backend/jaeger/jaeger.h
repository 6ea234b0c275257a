/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger, a server of traces that sends them whole, and what imitates it: each
 * question has a form of its newer API and one of the oldest.
 */
#ifndef BACKEND_JAEGER_H
#define BACKEND_JAEGER_H

#include "backend/trace_backend.h"

extern const struct trace_backend trace_jaeger;

#endif
