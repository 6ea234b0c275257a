/* SPDX-License-Identifier: Apache-2.0
 *
 * What gz.c and gz_stream.c hold against what they unpack, and how they tell.
 * `what` is the subject of an error, or NULL where the caller has one. All of
 * these return false. Private to base/.
 */
#ifndef BASE_GZ_LIMITS_H
#define BASE_GZ_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Plain bytes that so many packed ones may honestly stand for. */
size_t gz_honest_bytes(size_t packed_bytes);

bool gz_fail_bomb(const char *what, struct error *err);
bool gz_fail_ceiling(const char *what, size_t ceiling_bytes, struct error *err);
bool gz_fail_truncated(const char *what, struct error *err);
bool gz_fail_damaged(const char *what, struct error *err);

#endif
