/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_types.h"

/* By type. */
static const struct cloud_type types[] = {
	{ STORED_CPU, "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "cpu",
	  "CPU", true }, /* of Python */
	{ STORED_WALL, "wall:wall:nanoseconds:wall:nanoseconds", "wall", "",
	  true },
	{ STORED_HEAP, "memory:inuse_space:bytes:space:bytes", "inuse", "space",
	  true }, /* of Node.js, as below */
	{ STORED_HEAP, "memory:inuse_objects:count:space:bytes",
	  "inuse_objects", "objects", false },
	{ STORED_THREADS, "goroutine:goroutine:count:goroutine:count",
	  "goroutine", "", true },
	{ STORED_CONTENTION, "mutex:delay:nanoseconds:contentions:count",
	  "mutex", "", true },
	{ STORED_CONTENTION, "mutex:contentions:count:contentions:count",
	  "contentions", "", false },
	{ STORED_PEAK_HEAP, "memory:peak_space:bytes:space:bytes", "", "",
	  true },
	{ STORED_HEAP_ALLOC, "memory:alloc_space:bytes:space:bytes", "alloc",
	  "", true },
	{ STORED_HEAP_ALLOC, "memory:alloc_objects:count:space:bytes",
	  "alloc_objects", "", false },
};

#define TYPE_COUNT (sizeof types / sizeof *types)

const struct cloud_type *cloud_types_of(enum stored_type type, size_t *count)
{
	size_t first = 0;

	while (first < TYPE_COUNT && types[first].type != type)
		first++;
	*count = 0;
	while (first + *count < TYPE_COUNT &&
	       types[first + *count].type == type)
		(*count)++;
	return types + (*count ? first : 0);
}

const struct cloud_type *cloud_type_find(struct str id)
{
	for (size_t i = 0; i < TYPE_COUNT; i++)
		if (str_equal(id, str_from(types[i].id)))
			return &types[i];
	return NULL;
}
