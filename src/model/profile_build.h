/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a profile in the making, shared by the two files that build
 * it: profile_build.c collects, profile_finish.c puts into order.
 */
#ifndef MODEL_PROFILE_BUILD_H
#define MODEL_PROFILE_BUILD_H

#include "base/map.h"
#include "model/profile.h"

#define PROFILE_WHAT "the profile"

/* Columns grow in `scratch`, frame_ids in the profile's own arena, where they
 * stay: stacks are put into order by their index, their frames are not moved.
 * stack_slots is an open-addressing table over frame sequences; it holds
 * stack indices + 1. */
struct profile_build {
	struct profile *out;
	struct arena scratch;
	struct map function_map; /* name, file -> index */
	struct map frame_map;    /* function, line -> index */
	struct map pair_map;     /* two words -> a number from 0 */
	struct map mangled_map;  /* name of a linker -> text of the source's */
	struct demangler *demangler; /* NULL until a name needs it */
	struct function *functions;
	struct frame *frames;
	struct stack *stacks;
	uint64_t *stack_hashes;
	uint32_t *stack_slots;
	uint32_t *trimmed; /* room for one stack that was too deep */
	size_t function_cap;
	size_t frame_cap;
	size_t stack_cap;
	size_t hash_cap;
	size_t slot_count;
	size_t type_cap;
	size_t frame_id_cap;
	uint64_t frames_seen;
	int64_t magnitude; /* of all values, see profile.whole_total */
	size_t trimmed_stacks;
	size_t trimmed_texts;
	uint32_t pair_count;
	uint32_t function_count;
	uint32_t frame_count;
	uint32_t stack_count;
	bool is_saturated;
};

#endif
