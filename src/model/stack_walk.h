/* SPDX-License-Identifier: Apache-2.0
 *
 * Goes through the stacks of a profile, in order or packed, for those who add
 * up: the order of packed ones says nothing, and equal ones come again.
 */
#ifndef MODEL_STACK_WALK_H
#define MODEL_STACK_WALK_H

#include "base/limits.h"
#include "model/profile.h"

/* Private. Places by their number, from the root's side on. */
struct stack_ahead {
	uint32_t kept;
	uint32_t count;
	int64_t value;
	uint32_t numbers[LIMIT_STACK_FRAMES];
};

/* Too large for a stack. */
struct stack_walk {
	const uint32_t *frames; /* of the stack, root first */
	uint32_t count;
	uint32_t kept; /* so many frames are those of the stack before */
	int64_t value;
	uint32_t index; /* of the next stack: this one's number from 1 */
	/* private */
	const struct profile *profile;
	const struct packed_chunk *chunk;
	const unsigned char *at; /* of it */
	struct stack_ahead next;
	uint16_t ends[LIMIT_STACK_FRAMES + 1]; /* of places, by their count */
	uint32_t room[LIMIT_STACK_FRAMES];
};

void stack_walk_init(struct stack_walk *w, const struct profile *p);

/* The next stack; false after the last. */
bool stack_walk_next(struct stack_walk *w);

#endif
