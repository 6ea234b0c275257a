/* SPDX-License-Identifier: Apache-2.0
 *
 * What was odd about a trace as it came, in notes: spans without an end, of
 * other traces, at impossible times.
 */
#ifndef REPORT_TRACE_NOTES_H
#define REPORT_TRACE_NOTES_H

#include "base/notes.h"
#include "model/trace.h"

void trace_notes_add(const struct trace *t, struct notes *notes);

#endif
