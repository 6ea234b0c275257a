/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces by their ids. Some tracers pass on no more than the lower 64 bits of
 * an id, so that spans of one trace come under 128 bits and under those 64:
 * they are found under either.
 */
#ifndef MODEL_TRACE_ID_MAP_H
#define MODEL_TRACE_ID_MAP_H

#include "base/map.h"
#include "model/trace.h"

struct trace_id_map {
	struct map by_id;   /* 16 bytes */
	struct map by_half; /* the lower ones: the first trace with them */
};

void trace_id_map_init(struct trace_id_map *m, struct arena *arena);

/* A trace whose id may be this one, MAP_NONE: none is. Whoever knows it under
 * another id holds both against each other by trace_id_is_same(). */
uint32_t trace_id_map_find(const struct trace_id_map *m,
			   const struct trace_id *id);

/* Also for a trace that is there under its lower half. False only when memory
 * failed. */
bool trace_id_map_insert(struct trace_id_map *m, const struct trace_id *id,
			 uint32_t trace) MUST_CHECK;

#endif
