/* SPDX-License-Identifier: Apache-2.0
 *
 * Internals of profile construction, shared by the files that do it:
 * profile_build.c collects stacks, deduplicates functions and frames, and
 * sorts; profile.c does so for stacks in a tree, and for packed ones later.
 */
#ifndef MODEL_PROFILE_BUILD_H
#define MODEL_PROFILE_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/profile.h"

/* Sorts sequences of numbers lexicographically: names packed into words, and
 * stacks. Private to model/. A merge sort that remembers the length of the
 * prefix each sequence shares with its predecessor, so that long common
 * prefixes (all stacks have them) are compared once and no input makes it
 * quadratic. */

struct sequence {
	const uint32_t *items;
	uint32_t count;
	uint32_t index;  /* set by the caller to identify it */
	uint32_t common; /* items shared with the previous sequence */
	uint64_t next;   /* rank of the item after those + 1, 0: none */
};

/* Sorts sequences[0..count), whose items, count and index are set, with scratch
 * of the same size. Prefixes come first; equal ones keep their order. With
 * rank, complete sequences are compared by rank[item] first, then by the
 * items. */
void sequence_sort(struct sequence *sequences, size_t count,
		   const uint32_t *rank, struct sequence *scratch);

/* Merges two sorted runs, [0..first) and [first..count), into `out`. `common`
 * then counts what each shares with its predecessor: with ranks, the ranks, the
 * end mark and the items; else the items. */
void sequence_merge(struct sequence *sequences, size_t first, size_t count,
		    const uint32_t *rank, struct sequence *out);

#define PROFILE_WHAT "the profile"

/* Items grouped by an owner's number, such as functions by name. Nearly all
 * groups are small and searched as a chain; items beyond that are in the
 * map. */
struct intern {
	uint32_t *heads; /* by owner: first item + 1 */
	uint32_t *next;  /* by item: next item + 1 */
	size_t head_cap;
	size_t next_cap;
	struct map others;
};

/* Arrays grow in `scratch`, except frame_ids, which grow in the profile's arena
 * and stay there: stacks are sorted by index, their frames are not moved.
 * stack_slots is an open-addressing hash table of stacks; it holds stack
 * indices + 1. */
struct profile_build {
	struct profile *out;
	struct arena scratch;
	struct str kept; /* range of texts that are not copied */
	struct intern functions_by_name;
	struct intern frames_by_function;
	struct map pair_map;    /* two words -> a number from 0 */
	struct map mangled_map; /* linker name -> symbol of the demangled one */
	struct demangler *demangler; /* NULL until a name needs it */
	struct function *functions;
	struct frame *frames;
	struct frame_detail *details; /* NULL until a frame has details */
	struct stack *stacks;
	uint32_t *stack_hashes;
	uint32_t *stack_slots;
	uint32_t *trimmed; /* room for one stack that is too deep */
	size_t function_cap;
	size_t frame_cap;
	size_t detail_cap;
	size_t stack_cap;
	size_t hash_cap;
	size_t slot_count;
	size_t type_cap;
	size_t frame_id_cap;
	uint64_t frames_seen;
	int64_t magnitude; /* sum of absolute values, see profile.whole_total */
	size_t trimmed_stacks;
	size_t trimmed_texts;
	uint32_t pair_count;
	uint32_t function_count;
	uint32_t frame_count;
	uint32_t stack_count;
	bool is_saturated;
	struct stack_tree tree; /* valid if has_tree */
	struct arena tree_arena;
	bool has_tree;
};

/* Continues a finished profile to add its stacks, from the frames it has. */
struct profile_build *profile_build_resume(struct profile *p,
					   struct error *err) MUST_CHECK;
bool profile_build_finish_stacks(struct profile_build *b,
				 struct error *err) MUST_CHECK;

/* Adds a stack that has been counted already, or adds to an equal one. *stack:
 * its index in b->stacks. */
bool profile_build_merge(struct profile_build *b, const uint32_t *frames,
			 uint32_t count, int64_t value, uint32_t *stack,
			 struct error *err) MUST_CHECK;

/* ---- profile.c ---- */

/* Adds a stack of at most LIMIT_STACK_FRAMES frames to the tree. */
bool profile_tree_add(struct profile_build *b, const uint32_t *frames,
		      uint32_t count, int64_t value,
		      struct error *err) MUST_CHECK;

/* Adds to the value of a node. */
bool profile_tree_value(struct profile_build *b, uint32_t node, int64_t value,
			struct error *err) MUST_CHECK;

/* Marks the frames used by stacks with a value. Returns false when out of
 * memory. */
bool profile_tree_mark(struct profile_build *b, bool *is_frame_used) MUST_CHECK;

/* Writes out the sorted stacks, frames renumbered by frame_place. Returns false
 * when out of memory in one of the two arenas. */
bool profile_tree_place(struct profile_build *b,
			const uint32_t *frame_place) MUST_CHECK;

#endif
