/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of which one is selected and some are seen, for the explorer's views
 * that are lists.
 */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/event.h"

struct list {
	uint32_t selected; /* row */
	uint32_t top;      /* the first that is seen */
};

/* Selects a row, or the last of `count`, and scrolls as far as it takes to see
 * it among `page` rows, 1 and more. */
void list_select(struct list *l, uint32_t row, uint32_t count, uint32_t page);

/* What arrows, pages, ends and the wheel do. */
void list_move(struct list *l, enum tui_key key, uint32_t count, uint32_t page);

#endif
