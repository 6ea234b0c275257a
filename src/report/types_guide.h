/* SPDX-License-Identifier: Apache-2.0
 *
 * Which type of profile answers which question, what its numbers mean, which
 * runtimes have it and how to switch it on. Needs no network.
 */
#ifndef REPORT_TYPES_GUIDE_H
#define REPORT_TYPES_GUIDE_H

#include "render/answer_writer.h"

/* The answer it writes is not looked at: NULL will do. */
extern const struct answer_writer types_guide_writer;

#endif
