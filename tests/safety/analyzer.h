/* SPDX-License-Identifier: Apache-2.0
 *
 * What clang's analyzer, which reads one file at a time, cannot see of others:
 * these functions always return false. Put in front of each source but those
 * that define them (analyze.py).
 */
#include "base/arena.h"
#include "base/error.h"

#define error_set(...) (error_set(__VA_ARGS__), false)
#define error_prefix(...) (error_prefix(__VA_ARGS__), false)
#define error_memory(...) (error_memory(__VA_ARGS__), false)
#define arena_fail(...) (arena_fail(__VA_ARGS__), false)
