/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger, a server of traces that sends them whole, and what imitates it: each
 * question has a form of its newer API and one of the oldest.
 */
#ifndef BACKEND_JAEGER_H
#define BACKEND_JAEGER_H

#include "backend/trace_backend.h"

extern const struct trace_backend trace_jaeger;

/* The parts of the server that jaeger.c puts together, and what all searches
 * share, whatever they ask: the parameters of both APIs, and what an answer
 * means. See trace_backend.h for what each function is. */

/* The attempts, in this order. */
enum { JAEGER_V3, JAEGER_LEGACY };

#endif
