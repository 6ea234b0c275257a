/* SPDX-License-Identifier: Apache-2.0
 *
 * Another opinion on JSON, of jansson; apart, since names of its header and of
 * base/json.h collide.
 */
#ifndef TESTS_JSON_GENERIC_H
#define TESTS_JSON_GENERIC_H

#include <stdbool.h>

#include "base/str.h"

/* Whether it takes the document. Not comparable: it refuses damaged UTF-8 and
 * numbers beyond its range, where ours leaves both to the caller. */
bool json_generic_takes(struct str bytes, bool *is_comparable);

#endif
