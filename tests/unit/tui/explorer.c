/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer without a terminal: what keys change, and what is drawn, on
 * the small flame graph of the renderers' tests:
 *
 *   0 all > 1 main.main > 2 Cache.Load        50 after, 200 before
 *                         3 FindByEmail      650         40
 *                           4 Rows.Next      500          0
 *                         5 logRequest       200        190
 *                           6 do_syscall_64   40         40
 *                         7 oldHash            0        470
 *                           8 do_syscall_64    0         70
 *
 * in samples after, and in fives of them before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "../render/support.h"
#include "../starving.h"
#include "base/escape.h"
#include "base/num.h"
#include "tui/explorer.h"

#define ROWS_MAX 100u
#define ROW_BYTES 4096u

/* A screen that is read as text. Marks follow a text that looks special: '>'
 * for what is selected or found (white on a fill, or reversed). */
struct paper {
	struct surface surface;
	char text[ROWS_MAX][ROW_BYTES];
	bool is_marked[ROWS_MAX];
};

static struct sample sample;
static struct paper paper;

static void put(void *context, uint32_t row, uint32_t column, struct str text,
		const struct look *look)
{
	struct paper *p = context;
	size_t used;

	assert_true(row < p->surface.rows);
	assert_true(text.len > 0);
	assert_true(column + text_width(text) <= p->surface.columns);
	for (size_t i = 0; i < text.len; i++)
		assert_true((unsigned char)text.ptr[i] >= 0x20 &&
			    text.ptr[i] != 0x7f);
	if (look->is_filled)
		assert_true(look->fill <= 0xffffff);
	used = strlen(p->text[row]);
	if (used + text.len < ROW_BYTES)
		memcpy(p->text[row] + used, text.ptr, text.len);
	if ((look->is_light || look->is_reverse) && text_width(text) > 1)
		p->is_marked[row] = true;
}

static void draw(struct explorer *e)
{
	memset(paper.text, 0, sizeof paper.text);
	memset(paper.is_marked, 0, sizeof paper.is_marked);
	paper.surface = (struct surface){ .rows = e->rows,
					  .columns = e->columns,
					  .has_color = paper.surface.has_color,
					  .use_unicode = true,
					  .put = put,
					  .context = &paper };
	explorer_draw(e, &paper.surface);
}

static void begin(struct explorer *e, bool has_baseline, uint32_t rows,
		  uint32_t columns)
{
	static struct render_input in;

	if (has_baseline)
		sample_slow(&sample);
	else
		sample_profile(&sample);
	sample_flame(&sample);
	in = (struct render_input){ .result = &sample.result,
				    .flame = &sample.flame,
				    .style = { .use_unicode = true } };
	assert_true(explorer_init(e, &in, rows, columns));
	paper.surface.has_color = true;
}

static void end(struct explorer *e)
{
	explorer_release(e);
	sample_release(&sample);
}

static void key(struct explorer *e, enum tui_key k)
{
	const struct tui_event event = { .key = k };

	explorer_event(e, &event);
}

static void type(struct explorer *e, const char *text)
{
	for (; *text; text++) {
		const struct tui_event event = {
			.key = TUI_CHARACTER,
			.character = (unsigned char)*text,
		};

		explorer_event(e, &event);
	}
}

static bool is_on_paper(const char *text)
{
	for (uint32_t i = 0; i < paper.surface.rows; i++)
		if (strstr(paper.text[i], text))
			return true;
	return false;
}

static void check_on_paper(const char *text)
{
	if (is_on_paper(text))
		return;
	for (uint32_t i = 0; i < paper.surface.rows; i++)
		print_message("%s\n", paper.text[i]);
	fail_msg("not on the screen: %s", text);
}

/* ---- the graph ---- */

static void test_move(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	assert_int_equal(e.selected, 0);
	key(&e, TUI_DOWN);
	assert_int_equal(e.selected, 1);
	key(&e, TUI_DOWN); /* to the widest */
	assert_int_equal(e.selected, 3);
	type(&e, "j");
	assert_int_equal(e.selected, 4);
	type(&e, "j"); /* nothing beneath */
	assert_int_equal(e.selected, 4);
	key(&e, TUI_RIGHT);
	assert_int_equal(e.selected, 6);
	type(&e, "lk"); /* what is gone has its place */
	assert_int_equal(e.selected, 7);
	type(&e, "hhh");
	assert_int_equal(e.selected, 2);
	type(&e, "h");
	assert_int_equal(e.selected, 2);
	type(&e, "g");
	assert_int_equal(e.selected, 0);
	type(&e, "G");
	assert_int_equal(e.selected, 4);
	key(&e, TUI_PAGE_UP);
	assert_int_equal(e.selected, 0);
	key(&e, TUI_PAGE_DOWN);
	assert_int_equal(e.selected, 4);
	end(&e);
}

static void test_zoom(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "jjl");
	key(&e, TUI_ENTER);
	assert_int_equal(e.zoom, 5);
	draw(&e);
	check_on_paper("zoomed to 20.0 %");
	/* Callers fill the width, callees are to the scale of the frame. */
	check_on_paper("main.main 100.0 ms");
	assert_false(is_on_paper("FindByEmail 65"));
	type(&e, "kkj"); /* back down towards the zoom, not to the widest */
	assert_int_equal(e.selected, 1);
	type(&e, "j");
	assert_int_equal(e.selected, 5);
	key(&e, TUI_BACKSPACE);
	assert_int_equal(e.zoom, 1);
	key(&e, TUI_ESCAPE);
	assert_int_equal(e.zoom, 0);
	type(&e, "z0");
	assert_int_equal(e.zoom, 0);
	type(&e, " u");
	assert_int_equal(e.zoom, 1);
	end(&e);
}

/* Frames lie in rows from 2 on: FindByEmail from 4 to 47 of 80 columns. */
static void test_mouse(void **state)
{
	struct tui_event click = { .key = TUI_CLICK, .row = 4, .column = 30 };
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	explorer_event(&e, &click);
	assert_int_equal(e.selected, 3);
	assert_int_equal(e.zoom, 0);
	explorer_event(&e, &click);
	assert_int_equal(e.zoom, 3);
	click.row = 20; /* no frame there */
	explorer_event(&e, &click);
	click.row = 0;
	explorer_event(&e, &click);
	assert_int_equal(e.selected, 3);
	key(&e, TUI_WHEEL_UP);
	assert_int_equal(e.selected, 1);
	key(&e, TUI_WHEEL_DOWN);
	assert_int_equal(e.selected, 3);
	end(&e);
}

/* Seven rows hold three of the four levels. */
static void test_scroll(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 7, 80);
	assert_int_equal(explorer_body_rows(&e), 3);
	type(&e, "G");
	assert_int_equal(e.top, 1);
	draw(&e);
	check_on_paper("Rows");
	assert_null(strstr(paper.text[2], "all"));
	explorer_resize(&e, 24, 80);
	type(&e, "g");
	assert_int_equal(e.top, 0);
	end(&e);
}

static void test_details(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 100);
	type(&e, "jj");
	draw(&e);
	check_on_paper("main.(*UserRepository).FindByEmail  "
		       "user_repository.go:88  application");
	check_on_paper("total 65.0 ms per request, baseline 2.0 ms, "
		       "change +63.0 ms (the function to blame)");
	check_on_paper("this path 65.0 ms per request, baseline 2.0 ms, change "
		       "+63.0 ms: grew; 65.0 % of the profile");
	check_on_paper("self here 15.0 ms, baseline 2.0 ms; samples 650, baseline 200");
	check_on_paper("user-db  UserRepository.findByEmail  612 ms");
	end(&e);
}

/* The names of the views, all or the numbers of the others alone, and how what
 * is seen is looked at. */
static void test_names(void **state)
{
	static const char all[] = " 1 trace  2 flame  3 functions  4 sandwich "
				  " 5 history ";
	struct tui_event click = { .key = TUI_CLICK, .row = 1 };
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	draw(&e);
	assert_non_null(strstr(paper.text[0], "UserRepository.findByEmail"));
	assert_non_null(strstr(paper.text[1], all));
	assert_non_null(strstr(paper.text[1], "  both sides"));
	for (click.column = 0; click.column < 80; click.column++) {
		enum explorer_tab tab = explorer_tab_at(&e, click.column);

		assert_int_equal(tab, click.column < 9    ? TAB_TRACE
				      : click.column < 18 ? TAB_FLAME
				      : click.column < 31 ? TAB_FUNCTIONS
				      : click.column < 43 ? TAB_SANDWICH
				      : click.column < 54 ? TAB_HISTORY
							  : TABS);
	}
	click.column = 20;
	explorer_event(&e, &click);
	assert_int_equal(e.tab, TAB_FUNCTIONS);
	explorer_resize(&e, 24, 40);
	draw(&e);
	assert_non_null(strstr(paper.text[1], " 1  2  3 functions  4  5 "));
	assert_non_null(strstr(paper.text[1], "  by rank"));
	end(&e);
}

/* ---- one function in all views ---- */

static void check_call(const struct explorer *e, uint32_t row,
		       enum callers_role role, uint32_t function, int64_t now,
		       int64_t before)
{
	const struct callers_row *r = &e->calls.rows[row];

	assert_true(row < e->calls.count);
	assert_int_equal(r->role, role);
	assert_int_equal(r->function, function);
	assert_int_equal(r->values[FLAME_SLOW], now);
	assert_int_equal(r->values[FLAME_BASELINE], before);
}

/* FindByEmail: 65 of 100 after in main.main, 50 of them in Rows.Next. */
static void test_sandwich(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "jjw");
	draw(&e);
	assert_int_equal(e.tab, TAB_SANDWICH);
	assert_int_equal(e.calls.count, 3);
	check_call(&e, 0, CALLERS_CALLER, 1, 6500000000, 2000000000);
	check_call(&e, 1, CALLERS_THIS, 2, 6500000000, 2000000000);
	check_call(&e, 2, CALLERS_CALLEE, 3, 5000000000, 0);
	assert_int_equal(e.calls_list.selected, 1);
	check_on_paper("     65.0      2.0    +63.0       by main.main");
	check_on_paper("     50.0      0.0    +50.0 +     calls database/sql");
	type(&e, "k"); /* the caller, put into the middle */
	assert_int_equal(e.function, 1);
	key(&e, TUI_ENTER);
	check_call(&e, e.calls.place, CALLERS_THIS, 1, 10000000000,
		   50000000000);
	type(&e, "2");
	assert_int_equal(e.selected, 1);
	end(&e);
}

/* FindByEmail within itself calls nothing but itself, which is no call; a tree
 * that has callees first has its callers below. */
static void test_sandwich_odd(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	sample.nodes[4].function = 2;
	type(&e, "jjw");
	assert_int_equal(e.calls.count, 2);
	check_call(&e, 0, CALLERS_CALLER, 1, 6500000000, 2000000000);
	check_call(&e, 1, CALLERS_THIS, 2, 6500000000, 2000000000);
	end(&e);
	begin(&e, true, 24, 80);
	sample.flame.is_reversed = true;
	type(&e, "jjw");
	assert_int_equal(e.calls.count, 3);
	check_call(&e, 0, CALLERS_CALLER, 3, 5000000000, 0);
	check_call(&e, 2, CALLERS_CALLEE, 1, 6500000000, 2000000000);
	type(&e, "g4"); /* the root is called by none, and has no values */
	draw(&e);
	end(&e);
}

/* What is selected in one view is selected in the others. */
static void test_linked(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "jjj3");
	draw(&e);
	assert_int_equal(e.functions.rows[e.functions.list.selected].function,
			 3);
	type(&e, "4");
	assert_int_equal(e.calls.rows[e.calls_list.selected].function, 3);
	type(&e, "3g");
	draw(&e);
	assert_int_equal(e.function, 2);
	type(&e, "2");
	assert_int_equal(e.selected, 3);
	/* Outside of the zoom: all is shown again. */
	type(&e, "j");
	key(&e, TUI_ENTER);
	type(&e, "wk");
	key(&e, TUI_ENTER);
	type(&e, "k");
	assert_int_equal(e.function, 1);
	type(&e, "2");
	assert_int_equal(e.selected, 1);
	assert_int_equal(e.zoom, 0);
	end(&e);
}

static void test_missing_views(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, false, 24, 80);
	type(&e, "1");
	assert_int_equal(e.tab, TAB_FLAME);
	draw(&e);
	check_on_paper("there is no trace");
	type(&e, "5");
	assert_int_equal(e.tab, TAB_FLAME);
	draw(&e);
	check_on_paper("no other requests");
	key(&e, TUI_TAB);
	key(&e, TUI_TAB);
	key(&e, TUI_TAB); /* past both that are missing */
	assert_int_equal(e.tab, TAB_FLAME);
	end(&e);
}

/* ---- sides ---- */

static void test_sides(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "jjj");
	key(&e, TUI_ENTER);
	assert_int_equal(e.zoom, 4);
	type(&e, "b");
	assert_int_equal(e.side, EXPLORER_AFTER);
	assert_int_equal(explorer_palette(&e), PALETTE_KIND);
	assert_int_equal(e.zoom, 4);
	type(&e, "b"); /* it was not there before: to what was above it */
	assert_int_equal(e.side, EXPLORER_BEFORE);
	assert_int_equal(e.zoom, 3);
	type(&e, "0");
	draw(&e);
	check_on_paper("-main.oldHash 23.5 ms");
	assert_false(is_on_paper("Rows"));
	type(&e, "gjjl");
	assert_int_equal(e.selected, 7);
	type(&e, "b"); /* what is gone stands among the others, hatched */
	assert_int_equal(e.side, EXPLORER_BOTH);
	assert_int_equal(e.selected, 7);
	draw(&e);
	check_on_paper("-main.oldHash╱");
	end(&e);
}

static void test_no_baseline(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, false, 24, 80);
	type(&e, "jb");
	assert_int_equal(e.side, EXPLORER_BOTH);
	draw(&e);
	check_on_paper("there is no baseline");
	check_on_paper("this path 100.0 %");
	check_on_paper("total 100.0 %, 10 s");
	assert_false(is_on_paper("before"));
	type(&e, "ttsss"); /* by change is passed over */
	assert_int_equal(e.functions.order, FUNCTIONS_ANSWER);
	type(&e, "tsss");
	assert_int_equal(e.functions.order, FUNCTIONS_NAME);
	end(&e);
}

static void test_palettes(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "c");
	assert_int_equal(explorer_palette(&e), PALETTE_HOT);
	type(&e, "ccc");
	assert_int_equal(explorer_palette(&e), PALETTE_DIFF);
	end(&e);
	begin(&e, false, 24, 80);
	type(&e, "c"); /* of kind, java, hot */
	assert_int_equal(explorer_palette(&e), PALETTE_HOT);
	type(&e, "cc");
	assert_int_equal(explorer_palette(&e), PALETTE_KIND);
	end(&e);
}

/* ---- search ---- */

static void test_search(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "/rows");
	assert_true(e.is_typing);
	draw(&e);
	check_on_paper("/rows_");
	check_on_paper("matched 50.0 %");
	assert_true(paper.is_marked[5]);
	key(&e, TUI_ENTER);
	assert_false(e.is_typing);
	assert_int_equal(e.selected, 4);
	key(&e, TUI_ESCAPE);
	assert_false(e.search.is_active);
	/* Both logRequest and FindByEmail, of which what is beneath counts
	 * once. */
	type(&e, "/find|log|rows");
	key(&e, TUI_ENTER);
	draw(&e);
	check_on_paper("matched 85.0 %");
	type(&e, "n");
	assert_int_equal(e.selected, 5);
	type(&e, "n");
	assert_int_equal(e.selected, 3);
	type(&e, "N");
	assert_int_equal(e.selected, 5);
	end(&e);
}

static void test_search_typing(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "/(*User"); /* no expression: as it stands */
	assert_true(e.search.is_match[2]);
	assert_false(e.search.is_match[1]);
	key(&e, TUI_ESCAPE);
	assert_false(e.is_typing);
	type(&e, "/finD"); /* with upper case, exactly */
	assert_false(e.search.is_match[2]);
	for (int i = 0; i < 4; i++)
		key(&e, TUI_BACKSPACE);
	assert_true(e.is_typing);
	assert_false(e.search.is_active);
	key(&e, TUI_BACKSPACE);
	assert_false(e.is_typing);
	type(&e, "/q"); /* does not quit */
	assert_false(e.is_done);
	explorer_event(&e, &(struct tui_event){ .key = TUI_CHARACTER,
						.character = 0x6f22 });
	assert_int_equal(e.search.len, 4);
	key(&e, TUI_BACKSPACE);
	assert_string_equal(e.search.text, "q");
	for (int i = 0; i < 300; i++)
		type(&e, "x");
	assert_int_equal(e.search.len, SEARCH_BYTES);
	key(&e, TUI_ENTER);
	draw(&e);
	check_on_paper("no matching frame");
	end(&e);
}

/* ---- the table ---- */

static uint32_t row_function(const struct explorer *e, uint32_t row)
{
	assert_true(row < e->functions.count);
	return e->functions.rows[row].function;
}

static void test_table(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	key(&e, TUI_TAB);
	draw(&e);
	/* All that has a value on either side, but the root. */
	assert_int_equal(e.functions.count, 7);
	assert_int_equal(row_function(&e, 0), 2);
	check_on_paper("    total baseline   change    self+lib  function   "
		       "(CPU per request, ms)");
	check_on_paper("     65.0      2.0    +63.0 +!     65.0  main.(*User");
	check_on_paper("     50.0      0.0    +50.0 +       0.0  database/sql");
	check_on_paper("by rank");
	type(&e, "s");
	draw(&e);
	check_on_paper("by self+lib");
	assert_int_equal(row_function(&e, 0), 2);
	type(&e, "s");
	draw(&e);
	assert_int_equal(row_function(&e, 0), 1);
	type(&e, "s"); /* +63.0 before +50.0, -23.5 and -5.0 */
	draw(&e);
	assert_int_equal(row_function(&e, 0), 2);
	assert_int_equal(row_function(&e, 2), 5);
	type(&e, "r");
	draw(&e);
	assert_int_equal(row_function(&e, 6), 2);
	type(&e, "rjj");
	assert_int_equal(e.functions.list.selected, 2);
	draw(&e);
	check_on_paper("total 0.0 ms per request, baseline 23.5 ms, "
		       "change -23.5 ms");
	key(&e, TUI_ENTER); /* what is gone has its frame, but not after */
	assert_int_equal(e.tab, TAB_FLAME);
	assert_int_equal(e.selected, 7);
	type(&e, "tb");
	key(&e, TUI_ENTER);
	draw(&e);
	check_on_paper("not on this side");
	type(&e, "tgj");
	key(&e, TUI_ENTER);
	assert_int_equal(e.selected, 4);
	end(&e);
}

/* do_syscall_64 twice, beneath main.main 40 after; 5 times 110 before. */
static void test_table_zoomed(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "bbt");
	draw(&e);
	for (uint32_t i = 0; i < e.functions.count; i++)
		if (row_function(&e, i) == 7)
			assert_int_equal(e.functions.rows[i]
						 .values[FLAME_BASELINE]
						 .total,
					 5500000000);
	type(&e, "btjjjl");
	type(&e, "gjjl");
	key(&e, TUI_ENTER);
	assert_int_equal(e.zoom, 5);
	type(&e, "t");
	draw(&e);
	assert_int_equal(e.functions.count, 2);
	type(&e, "/sysc");
	key(&e, TUI_ENTER);
	type(&e, "n");
	assert_int_equal(row_function(&e, e.functions.list.selected), 7);
	end(&e);
}

static void test_table_recursion(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	sample.nodes[4].function = 2; /* FindByEmail within itself */
	type(&e, "ts");
	draw(&e);
	for (uint32_t i = 0; i < e.functions.count; i++)
		if (row_function(&e, i) == 2) {
			const struct flame_values *v =
				&e.functions.rows[i].values[FLAME_SLOW];

			assert_int_equal(v->total, 6500000000);
			assert_int_equal(v->self, 6500000000);
		}
	end(&e);
}

static void test_table_moves(void **state)
{
	struct tui_event click = { .key = TUI_CLICK, .row = 4 };
	struct explorer e;

	(void)state;
	begin(&e, true, 9, 80); /* five rows, the head one of them */
	type(&e, "tG");
	assert_int_equal(e.functions.list.selected, 6);
	assert_int_equal(e.functions.list.top, 3);
	key(&e, TUI_PAGE_UP);
	assert_int_equal(e.functions.list.selected, 2);
	type(&e, "gk");
	assert_int_equal(e.functions.list.selected, 0);
	explorer_event(&e, &click);
	assert_int_equal(e.functions.list.selected, 1);
	explorer_event(&e, &click);
	assert_int_equal(e.tab, TAB_FLAME);
	end(&e);
}

/* ---- the rest ---- */

static void test_overlays(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	type(&e, "?");
	draw(&e);
	check_on_paper("quit");
	type(&e, "q"); /* leaves the help only */
	assert_false(e.is_done);
	type(&e, "v");
	draw(&e);
	check_on_paper("took 612 ms");
	type(&e, "j");
	assert_int_equal(e.report_top, 1);
	draw(&e);
	assert_false(is_on_paper("took 612 ms"));
	type(&e, "Gg");
	assert_int_equal(e.report_top, 0);
	explorer_resize(&e, 24, 120);
	draw(&e);
	type(&e, "qq");
	assert_true(e.is_done);
	end(&e);
}

static void test_no_color(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	paper.surface.has_color = false;
	type(&e, "jj");
	draw(&e);
	check_on_paper("[main.main 100.0 ms===");
	check_on_paper("[+!main.(*UserRepository).FindByEmail");
	assert_true(paper.is_marked[4]);
	assert_false(paper.is_marked[3]);
	end(&e);
}

static const uint32_t sizes[][2] = { { 10, 40 },   { 24, 80 }, { 50, 200 },
				     { 100, 400 }, { 6, 20 },  { 5, 80 },
				     { 24, 19 },   { 1, 1 },   { 2, 300 } };

static void draw_all(struct explorer *e)
{
	static const char *const ways[] = { "",  "G",  "t",  "w",  "5",
					    "1", "t?", "xv", "v/a" };

	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		type(e, ways[i]);
		for (size_t j = 0; j < COUNT_OF(sizes); j++) {
			explorer_resize(e, sizes[j][0], sizes[j][1]);
			draw(e);
			assert_false(e->has_failed);
		}
	}
}

static void test_sizes(void **state)
{
	struct explorer e;

	(void)state;
	begin(&e, true, 24, 80);
	draw_all(&e);
	end(&e);
	begin(&e, true, 24, 80);
	sample_poison(&sample, sample_hostile());
	draw_all(&e);
	end(&e);
	begin(&e, true, 24, 80);
	sample_poison(&sample, sample_huge());
	draw_all(&e);
	end(&e);
	begin(&e, false, 24, 80);
	sample.nodes[0].values[FLAME_SLOW].total = 0;
	sample.nodes[0].end = sample.flame.node_count = 1;
	draw_all(&e);
	end(&e);
}

/* Keys at random, always the same: nothing leaves the screen or the tree. */
static void test_any_keys(void **state)
{
	static const char letters[] = "hjklgGnNzu0bctsrv?/ax(";
	struct explorer e;
	uint32_t x = 1;

	(void)state;
	begin(&e, true, 24, 80);
	for (int i = 0; i < 6000; i++) {
		struct tui_event event = { .row = x >> 8 & 31,
					   .column = x >> 12 & 127 };

		x = x * 1664525 + 1013904223;
		event.key = (enum tui_key)((x >> 16) % (TUI_WHEEL_DOWN + 1));
		if ((x >> 28) < 8)
			event.key = TUI_CHARACTER;
		event.character = (unsigned char)
			letters[(x >> 20) % (sizeof letters - 1)];
		explorer_event(&e, &event);
		if ((x >> 9) % 50 == 0)
			explorer_resize(&e, sizes[x % COUNT_OF(sizes)][0],
					sizes[x % COUNT_OF(sizes)][1]);
		draw(&e);
		assert_true(e.selected < e.f->node_count);
		assert_true(e.zoom < e.f->node_count);
		assert_false(e.has_failed || e.is_done);
	}
	end(&e);
}

/* Each allocation fails once: told, nothing leaks. */
static void test_starving(void **state)
{
	bool was_refused = true;

	(void)state;
	for (long n = 0; was_refused; n++) {
		struct render_input in = { .style = { .use_unicode = true } };
		struct explorer e;
		bool is_done;

		sample_slow(&sample);
		sample_flame(&sample);
		in.result = &sample.result;
		in.flame = &sample.flame;
		starve_once_after(n);
		is_done = explorer_init(&e, &in, 24, 80);
		if (is_done) {
			draw(&e);
			type(&e, "tv");
			draw(&e);
			type(&e, "q");
			draw(&e);
		}
		was_refused = stop_starving();
		assert_int_equal(!is_done || e.has_failed, was_refused);
		end(&e);
	}
}

UNIT_TESTS(explorer)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_move),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_scroll),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sandwich),
		cmocka_unit_test(test_sandwich_odd),
		cmocka_unit_test(test_linked),
		cmocka_unit_test(test_missing_views),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_no_baseline),
		cmocka_unit_test(test_palettes),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_search_typing),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_zoomed),
		cmocka_unit_test(test_table_recursion),
		cmocka_unit_test(test_table_moves),
		cmocka_unit_test(test_overlays),
		cmocka_unit_test(test_no_color),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_any_keys),
		cmocka_unit_test(test_starving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
