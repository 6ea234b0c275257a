/* SPDX-License-Identifier: Apache-2.0
 *
 * FNV-1a (draft-eastlake-fnv): the same on every machine and in every run, for
 * what is kept or shown. Whoever chooses the text chooses the hash: tables are
 * base/map.h.
 */
#ifndef BASE_FNV_H
#define BASE_FNV_H

#include <stdint.h>

#include "base/str.h"

#define FNV64_BEGIN UINT64_C(0xcbf29ce484222325)

/* Of a second hash beside it, where 64 bits are not enough. */
#define FNV64_OTHER_BEGIN UINT64_C(0x84222325cbf29ce4)

/* Goes on from a hash, or from FNV64_BEGIN. */
uint64_t fnv64(uint64_t hash, struct str bytes);

/* Of 32 bits, the upper half mixed into the lower: names that differ in one
 * letter only differ in low bits. */
uint32_t fnv32_mixed(struct str bytes);

#endif
