/* SPDX-License-Identifier: Apache-2.0
 *
 * Grafana Tempo, a server of traces that is asked in TraceQL. What it tells
 * depends on its release, so most questions have several forms.
 */
#ifndef BACKEND_TEMPO_H
#define BACKEND_TEMPO_H

#include "backend/trace_backend.h"

extern const struct trace_backend trace_tempo;

#endif
