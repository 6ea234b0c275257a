/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks told as nodes, each with one frame, the node of its caller and the
 * value of the stack that ends there. Private to decode/.
 */
#ifndef DECODE_FRAME_NODES_H
#define DECODE_FRAME_NODES_H

#include "model/profile.h"

#define FRAME_NODE_NONE UINT32_MAX

struct frame_node {
	uint32_t caller; /* index of a node, FRAME_NODE_NONE of a root */
	uint32_t frame;  /* of the model, FRAME_NODE_NONE: not shown */
	int64_t value;
};

/* Adds the stacks of all nodes with a value to the build. Callers must be
 * indices in range; a node that calls itself by others is ERROR_FORMAT. `what`
 * is the thing being read, such as "the profile". */
bool frame_nodes_stacks(const struct frame_node *nodes, size_t count,
			struct profile_build *build, const char *what,
			struct error *err) MUST_CHECK;

#endif
