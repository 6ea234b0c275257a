/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace_id_map.h"

void trace_id_map_init(struct trace_id_map *m, struct arena *arena)
{
	map_init(&m->by_id, arena);
	map_init(&m->by_half, arena);
}

static struct str whole(const struct trace_id *id)
{
	return (struct str){ (const char *)id->bytes, sizeof id->bytes };
}

uint32_t trace_id_map_find(const struct trace_id_map *m,
			   const struct trace_id *id)
{
	uint32_t found = map_find(&m->by_id, whole(id));
	uint64_t half = trace_id_half(id);

	return found == MAP_NONE && half ? map_find_u64(&m->by_half, half)
					 : found;
}

bool trace_id_map_insert(struct trace_id_map *m, const struct trace_id *id,
			 uint32_t trace)
{
	struct str key = arena_str(m->by_id.arena, whole(id));
	uint32_t there;

	return key.ptr && map_insert(&m->by_id, key, trace, &there) &&
	       map_insert_u64(&m->by_half, trace_id_half(id), trace, &there);
}
