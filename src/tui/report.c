/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer in words over the whole screen.
 */
#include "base/num.h"
#include "render/render.h"
#include "tui/explorer.h"

static void write_report(struct explorer *e)
{
	const struct render_format *table = render_find(STR("table"));
	struct render_input in = *e->in;
	struct out out;

	if (e->report_columns == e->columns)
		return;
	buf_clear(&e->report);
	out_init_memory(&out, &e->report);
	in.style.width = e->columns;
	in.style.use_color = false;
	table->render(&in, &out);
	out_release(&out);
	e->has_failed |= e->report.state != BUF_OK;
	e->report_columns = e->columns;
}

static uint32_t count_lines(const struct explorer *e)
{
	uint32_t count = 0;

	for (size_t i = 0; i < e->report.len; i++)
		count += e->report.data[i] == '\n';
	return count;
}

static void scroll_to(struct explorer *e, uint32_t line)
{
	uint32_t count = count_lines(e), page = e->rows - 1;

	e->report_top =
		(uint32_t)min_size(line, count > page ? count - page : 0);
}

void report_event(struct explorer *e, const struct tui_event *event)
{
	uint32_t top = e->report_top, page = e->rows > 2 ? e->rows - 2 : 1;

	if (event->key == TUI_UP || event->key == TUI_WHEEL_UP)
		scroll_to(e, top ? top - 1 : 0);
	else if (event->key == TUI_DOWN || event->key == TUI_WHEEL_DOWN)
		scroll_to(e, top + 1);
	else if (event->key == TUI_PAGE_UP)
		scroll_to(e, top > page ? top - page : 0);
	else if (event->key == TUI_PAGE_DOWN)
		scroll_to(e, top + page);
	else if (event->key == TUI_HOME || event->key == TUI_END)
		scroll_to(e, event->key == TUI_END ? UINT32_MAX : 0);
	else if (event->key != TUI_CLICK)
		e->has_report = false;
}

void report_draw(struct explorer *e, const struct surface *s)
{
	static const struct look plain = { 0 }, dim = { .is_dim = true };
	struct str rest;

	write_report(e);
	scroll_to(e, e->report_top);
	rest = buf_str(&e->report);
	for (uint32_t i = 0; rest.len && i < e->report_top; i++)
		str_take_line(&rest);
	for (uint32_t row = 0; row + 1 < s->rows; row++)
		surface_text(s, row, 0, s->columns,
			     rest.len ? str_take_line(&rest) : STR(""), &plain);
	surface_text(s, s->rows - 1, 0, s->columns,
		     STR("arrows scroll, Esc goes back"), &dim);
}
