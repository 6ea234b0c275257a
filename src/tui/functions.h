/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions beneath a node of a flame graph with what they took, sorted.
 */
#ifndef TUI_FUNCTIONS_H
#define TUI_FUNCTIONS_H

#include "model/flame.h"
#include "tui/list.h"

enum functions_order {
	FUNCTIONS_SELF = 0,
	FUNCTIONS_TOTAL,
	FUNCTIONS_CHANGE, /* without a baseline left out */
	FUNCTIONS_NAME,
	FUNCTIONS_ORDERS,
};

/* A function with recursion counted once. */
struct function_sum {
	uint32_t function;
	struct str name;
	struct flame_values values[FLAME_SIDES];
	int64_t own[FLAME_SIDES]; /* self, or with the libraries it calls */
	double key;               /* what is sorted by, the largest first */
};

struct functions {
	struct function_sum *rows;
	uint32_t count;
	enum functions_order order;
	bool is_reversed;
	struct list list;
	bool is_old; /* functions_build() is due */
};

/* Whether rows beneath the node tell self+lib, as tables that compare do: it is
 * known of whole functions. */
bool functions_have_self_lib(const struct flame *f, uint32_t node);

/* False when memory ran out. Keeps order and, as far as it goes, the row that
 * is selected. by_side: whose values are sorted by. */
bool functions_build(struct functions *t, const struct flame *f, uint32_t node,
		     enum flame_side by_side) MUST_CHECK;
void functions_release(struct functions *t);

#endif
