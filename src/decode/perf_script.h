/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises what `perf script` prints. Private to decode/.
 */
#ifndef DECODE_PERF_SCRIPT_H
#define DECODE_PERF_SCRIPT_H

#include <stdbool.h>

#include "base/str.h"

/* Whether the first sample of the text reads like one. */
bool perf_script_is(struct str text);

#endif
