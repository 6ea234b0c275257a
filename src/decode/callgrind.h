/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises what callgrind writes, and others in its format. Private to
 * decode/.
 */
#ifndef DECODE_CALLGRIND_H
#define DECODE_CALLGRIND_H

#include <stdbool.h>

#include "base/str.h"

/* Whether a line of the first ones names the events that are counted, and
 * functions follow. */
bool callgrind_is(struct str text);

#endif
