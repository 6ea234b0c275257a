/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

uint64_t fnv64(uint64_t hash, struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		hash = (hash ^ (unsigned char)bytes.ptr[i]) *
		       UINT64_C(0x100000001b3);
	return hash;
}

uint32_t fnv32_mixed(struct str bytes)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < bytes.len; i++)
		hash = (hash ^ (unsigned char)bytes.ptr[i]) * 16777619u;
	return hash ^ hash >> 15;
}
