/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of bytes in which Pyroscope packs a profile. Private to decode/.
 */
#ifndef DECODE_PYROSCOPE_TREE_H
#define DECODE_PYROSCOPE_TREE_H

#include "base/error.h"
#include "base/str.h"
#include "model/profile.h"

/* TREE bytes of Pyroscope into stacks; *cut_off grows by
 * what lies under "other". */
bool tree_read(struct str bytes, struct profile_build *build, int64_t *cut_off,
	       struct error *err) MUST_CHECK;

#endif
