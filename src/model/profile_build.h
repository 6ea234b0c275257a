/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a profile in the making, shared by the files that build it:
 * profile_build.c collects stacks, recognises functions and frames that were
 * there already, and puts all into order; profile.c does so for stacks that
 * are texts, and later.
 */
#ifndef MODEL_PROFILE_BUILD_H
#define MODEL_PROFILE_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/profile.h"

/* Orders number sequences lexicographically: names packed into words, and
 * stacks. Private to model/. A merge sort that remembers how much each sequence
 * shares with the one before it, so long common beginnings (every stack has
 * them) are compared once and no input makes it quadratic. */

struct sequence {
	const uint32_t *items;
	uint32_t count;
	uint32_t index;  /* the caller's, to know it again */
	uint32_t common; /* items shared with the sequence before it */
	uint64_t next;   /* rank of the item after those + 1, 0: none */
};

/* Orders sequences[0..count), of which items, count and index are set, using
 * scratch of the same size. Shorter ones come first on a tie, equal ones keep
 * their order. With rank, items are compared by rank[item] over the whole
 * sequence first and by themselves after. */
void sequence_sort(struct sequence *sequences, size_t count,
		   const uint32_t *rank, struct sequence *scratch);

/* The same of two ordered runs, [0..first) and [first..count), into `out`,
 * where `common` then counts what each shares with the one before it: ranks,
 * the end mark and items where there are ranks, items else. */
void sequence_merge(struct sequence *sequences, size_t first, size_t count,
		    const uint32_t *rank, struct sequence *out);

#define PROFILE_WHAT "the profile"

/* Things by the number of what they are of. Nearly all have few siblings and
 * are found in a chain of these; those beyond it are in the map. */
struct intern {
	uint32_t *heads; /* by what they are of: the first + 1 */
	uint32_t *next;  /* by thing: the next one + 1 */
	size_t head_cap;
	size_t next_cap;
	struct map others;
};

/* Columns grow in `scratch`, frame_ids in the profile's own arena, where they
 * stay: stacks are put into order by their index, their frames are not moved.
 * stack_slots is an open-addressing table over frame sequences; it holds
 * stack indices + 1. */
struct profile_build {
	struct profile *out;
	struct arena scratch;
	struct str kept; /* texts that are not copied */
	struct intern functions_by_name;
	struct intern frames_by_function;
	struct map pair_map;    /* two words -> a number from 0 */
	struct map mangled_map; /* name of a linker -> text of the source's */
	struct demangler *demangler; /* NULL until a name needs it */
	struct function *functions;
	struct frame *frames;
	struct frame_detail *details; /* none until a frame says something */
	struct stack *stacks;
	uint32_t *stack_hashes;
	uint32_t *stack_slots;
	uint32_t *trimmed; /* room for one stack that was too deep */
	size_t function_cap;
	size_t frame_cap;
	size_t detail_cap;
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
	struct stack_tree tree; /* where profile_build_tree() was called */
	struct arena tree_arena;
	bool has_tree;
};

/* A finished profile that is to get its stacks now, of the frames it has. */
struct profile_build *profile_build_resume(struct profile *p,
					   struct error *err) MUST_CHECK;
bool profile_build_finish_stacks(struct profile_build *b,
				 struct error *err) MUST_CHECK;

/* Adds a distinct or equal stack that was counted before. *stack: its number
 * in b->stacks. */
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

/* Marks the frames of stacks with a value. False: no memory. */
bool profile_tree_mark(struct profile_build *b, bool *is_frame_used) MUST_CHECK;

/* Writes the stacks in their order; frames by their new place. False: no
 * memory in one of the two arenas. */
bool profile_tree_place(struct profile_build *b,
			const uint32_t *frame_place) MUST_CHECK;

#endif
