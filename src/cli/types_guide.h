/* SPDX-License-Identifier: Apache-2.0
 *
 * Which type of profile answers which question, what its numbers mean, which
 * runtimes have it and how to switch it on. Needs no network.
 */
#ifndef CLI_TYPES_GUIDE_H
#define CLI_TYPES_GUIDE_H

#include "cli/output.h"

/* The answer it writes is not looked at: NULL will do. */
extern const struct answer_writer types_guide_writer;

#endif
