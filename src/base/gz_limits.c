/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gz_limits.h"

#include <stdint.h>

#include "base/limits.h"

size_t gz_honest_bytes(size_t packed_bytes)
{
	if (packed_bytes >
	    (SIZE_MAX - LIMIT_EXPANSION_FREE_BYTES) / LIMIT_EXPANSION_RATIO)
		return SIZE_MAX;
	return LIMIT_EXPANSION_FREE_BYTES +
	       packed_bytes * LIMIT_EXPANSION_RATIO;
}

/* what: the subject, or NULL where the caller has one. */
static bool fail(const char *what, struct error *err)
{
	return what ? error_prefix(err, "%s", what) : false;
}

bool gz_fail_bomb(const char *what, struct error *err)
{
	error_set(err, ERROR_LIMIT,
		  "unpacks to more than %u times its size; refused as a "
		  "decompression bomb",
		  LIMIT_EXPANSION_RATIO);
	return fail(what, err);
}

bool gz_fail_ceiling(const char *what, size_t ceiling_bytes, struct error *err)
{
	bool is_even = ceiling_bytes % MIB == 0;

	error_set(err, ERROR_LIMIT, "unpacks to more than the limit of %zu %s",
		  is_even ? ceiling_bytes / MIB : ceiling_bytes,
		  is_even ? "MiB" : "bytes");
	return fail(what, err);
}

bool gz_fail_truncated(const char *what, struct error *err)
{
	error_set(err, ERROR_FORMAT,
		  "truncated: the compressed data ends early");
	return fail(what, err);
}

bool gz_fail_damaged(const char *what, struct error *err)
{
	error_set(err, ERROR_FORMAT,
		  "damaged: the compressed data is not valid");
	return fail(what, err);
}
