/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person does: a key, or the mouse. Knows no terminal.
 */
#ifndef TUI_EVENT_H
#define TUI_EVENT_H

#include <stdint.h>

enum tui_key {
	TUI_NONE = 0,
	TUI_CHARACTER,
	TUI_UP,
	TUI_DOWN,
	TUI_LEFT,
	TUI_RIGHT,
	TUI_PAGE_UP,
	TUI_PAGE_DOWN,
	TUI_HOME,
	TUI_END,
	TUI_ENTER,
	TUI_ESCAPE,
	TUI_BACKSPACE,
	TUI_TAB,
	TUI_CLICK,
	TUI_WHEEL_UP,
	TUI_WHEEL_DOWN,
};

struct tui_event {
	enum tui_key key;
	uint32_t character; /* code point of TUI_CHARACTER */
	uint32_t row;       /* of TUI_CLICK */
	uint32_t column;
};

#endif
