/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds up two profiles whose functions, frames and stacks are in the order of
 * the model: ordered lists are merged, nothing is hashed but new texts, and
 * nothing is put into order again. Private to model/.
 */
#ifndef MODEL_PROFILE_JOIN_H
#define MODEL_PROFILE_JOIN_H

#include "model/profile.h"

/* Fills functions, frames, stacks, total and the one type of out, which must be
 * initialised and empty, with texts of its own. Stacks that cancel each other
 * out leave, with what only they used. *is_saturated is set when a sum does not
 * fit 64 bits. Either side may be without stacks. Fails on limits. */
bool profile_join(struct profile *out, const struct profile *a,
		  const struct profile *b, bool *is_saturated,
		  struct error *err) MUST_CHECK;

/* The same where no order is asked for: sides may be packed or loose, and out
 * is loose. Most stacks have neighbours that begin as they do; frames are
 * numbered from the largest values on. Nothing but chance sets two equal stacks
 * apart, and their values are right then, too. What only stacks used that
 * cancel each other out stays. */
bool profile_join_loose(struct profile *out, const struct profile *a,
			const struct profile *b, bool *is_saturated,
			struct error *err) MUST_CHECK;

/* What a function is in out. texts: by symbol of p, that of out. */
struct function profile_join_function(const struct profile *p,
				      const uint32_t *texts, uint32_t function);

/* What a frame is in out. functions: by function of p, that of out. */
struct whole_frame profile_join_frame(const struct profile *p,
				      const uint32_t *functions,
				      uint32_t frame);

/* Room in out for all functions and frames of both. */
bool profile_join_room(struct profile *out, const struct profile *a,
		       const struct profile *b) MUST_CHECK;

/* Where there is room for it. */
void profile_put_frame(struct profile *out, uint32_t at,
		       const struct whole_frame *f);

/* Gives out the type of p. */
bool profile_join_type(struct profile *out, const struct profile *p,
		       struct error *err) MUST_CHECK;

#endif
