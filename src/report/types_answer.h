/* SPDX-License-Identifier: Apache-2.0
 *
 * How the types of profiles that a service sends are listed. Knows no options.
 */
#ifndef REPORT_TYPES_ANSWER_H
#define REPORT_TYPES_ANSWER_H

#include "investigate/profile_types.h"
#include "render/answer_writer.h"

extern const struct answer_writer types_writer; /* struct profile_types */

/* There are none. Always false, ERROR_NOT_FOUND. */
bool types_explain_none(const struct profile_types *t, struct error *err);

#endif
