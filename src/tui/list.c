/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/list.h"

#include "base/num.h"

void list_select(struct list *l, uint32_t row, uint32_t count, uint32_t page)
{
	l->selected = count ? (uint32_t)min_size(row, count - 1) : 0;
	if (l->selected < l->top)
		l->top = l->selected;
	if (l->selected >= l->top + page)
		l->top = l->selected - page + 1;
}

void list_move(struct list *l, enum tui_key key, uint32_t count, uint32_t page)
{
	uint32_t row = l->selected;

	if (key == TUI_DOWN || key == TUI_WHEEL_DOWN)
		row++;
	else if (key == TUI_UP || key == TUI_WHEEL_UP)
		row -= row > 0;
	else if (key == TUI_PAGE_DOWN)
		row += page;
	else if (key == TUI_PAGE_UP)
		row -= row > page ? page : row;
	else if (key == TUI_HOME)
		row = 0;
	else if (key == TUI_END)
		row = count;
	list_select(l, row, count, page);
}
