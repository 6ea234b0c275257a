/* SPDX-License-Identifier: Apache-2.0
 *
 * The only file that draws with ncurses. Signals are blocked except while
 * waiting for a key, so that handlers only need to record them; only the main
 * loop leaves and enters the terminal mode.
 */
#include "base/system.h"
#include "render/render.h"
#include "tui/tui.h"

#ifdef HAVE_NCURSES

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "tui/curses_calls.h"
#include "tui/explorer.h"

/* How long to wait after Escape for the rest of a key sequence. */
#define ESCAPE_MS 25

#define KEY_CTRL_L 12
#define KEY_ASCII_ESCAPE 27
#define KEY_ASCII_DELETE 127

/* Two for each of 256 colors, and some. */
#define PAIRS_MAX 1000

static const int caught[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
			      SIGTSTP, SIGCONT, SIGWINCH };
#define CAUGHT (sizeof caught / sizeof *caught)

static volatile sig_atomic_t has_come[CAUGHT];

struct pair {
	int fg;
	int bg;
};

struct terminal {
	struct explorer explorer;
	SCREEN *screen;
	struct surface surface;
	struct pair pairs[PAIRS_MAX];
	int pair_count; /* pair i is pairs[i - 1] */
	struct sigaction before[CAUGHT];
	sigset_t mask; /* mask during waits */
	int ended_by;  /* signal, or 0 */
	bool is_closed;
};

/* ---- signals ---- */

static void on_signal(int number)
{
	for (size_t i = 0; i < CAUGHT; i++)
		if (caught[i] == number)
			has_come[i] = 1;
}

/* ncurses only replaces default handlers. */
static void catch_signals(struct terminal *t)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < CAUGHT; i++) {
		has_come[i] = 0;
		sigaddset(&blocked, caught[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, &t->mask);
	for (size_t i = 0; i < CAUGHT; i++) {
		struct sigaction action = { .sa_handler = on_signal };

		sigemptyset(&action.sa_mask);
		sigaction(caught[i], &action, &t->before[i]);
		/* Ignored by nohup and in background jobs of scripts. */
		if (t->before[i].sa_handler == SIG_IGN)
			sigaction(caught[i], &t->before[i], NULL);
	}
}

/* ---- drawing ---- */

static int color_number(uint32_t rgb, bool is_light)
{
	unsigned color;

	if (COLORS > 0x10000)
		return (int)rgb;
	if (COLORS >= 256)
		return (int)ansi_256(rgb);
	color = ansi_16(rgb);
	/* White on cyan is unreadable. */
	if (is_light && color == 6)
		color = COLOR_BLUE;
	return (int)(COLORS >= 16 ? color : color % 8);
}

/* Returns 0 if the limit is reached. */
static int pair_of(struct terminal *t, const struct look *look)
{
	struct pair wanted = { look->is_light ? COLOR_WHITE : COLOR_BLACK,
			       color_number(look->fill, look->is_light) };
	int i = 0;

	if (COLORS > 0x10000)
		wanted.fg = look->is_light ? 0xffffff : 0x111111;
	else if (COLORS >= 256)
		wanted.fg = look->is_light ? 231 : 16;

	while (i < t->pair_count &&
	       (t->pairs[i].fg != wanted.fg || t->pairs[i].bg != wanted.bg))
		i++;
	if (i < t->pair_count)
		return i + 1;
	if (i == PAIRS_MAX || i + 1 >= COLOR_PAIRS ||
	    init_extended_pair(i + 1, wanted.fg, wanted.bg) == ERR)
		return 0;
	t->pairs[t->pair_count++] = wanted;
	return t->pair_count;
}

static void set_look(struct terminal *t, const struct look *look)
{
	attr_t attributes = A_NORMAL;
	int pair = look->is_filled ? pair_of(t, look) : 0;

	/* Many terminals show bold black as grey. */
	if (look->is_bold && (!pair || look->is_light || COLORS >= 256))
		attributes |= A_BOLD;
	if (look->is_dim)
		attributes |= A_DIM;
	if (look->is_reverse || (look->is_filled && !pair))
		attributes |= A_REVERSE;
	attr_set(attributes, (short)pair, &pair);
}

/* If the character set is ASCII only. */
static void add_plain(struct str text)
{
	size_t start = 0;

	while (start < text.len) {
		size_t end = start;

		while (end < text.len && (unsigned char)text.ptr[end] < 0x80)
			end++;
		addnstr(text.ptr + start, (int)(end - start));
		start = end;
		if (end == text.len)
			return;
		do
			end++;
		while (end < text.len && (text.ptr[end] & 0xc0) == 0x80);
		for (size_t i = text_width(str_slice(text, start, end - start));
		     i; i--)
			addch('?');
		start = end;
	}
}

static void screen_put(void *context, uint32_t row, uint32_t column,
		       struct str text, const struct look *look)
{
	struct terminal *t = context;

	set_look(t, look);
	move((int)row, (int)column);
	if (t->surface.use_unicode)
		addnstr(text.ptr, (int)text.len);
	else
		add_plain(text);
}

static void take_size(struct terminal *t)
{
	struct winsize size;
	int rows = getmaxy(stdscr), columns = getmaxx(stdscr);

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row &&
	    size.ws_col) {
		rows = size.ws_row;
		columns = size.ws_col;
	}
	resizeterm(rows, columns);
	t->surface.rows = (uint32_t)rows;
	t->surface.columns = (uint32_t)columns;
	explorer_resize(&t->explorer, t->surface.rows, t->surface.columns);
}

/* ---- keys ---- */

static enum tui_key key_of(wint_t code)
{
	static const struct {
		int code;
		enum tui_key key;
	} keys[] = {
		{ KEY_UP, TUI_UP },         { KEY_DOWN, TUI_DOWN },
		{ KEY_LEFT, TUI_LEFT },     { KEY_RIGHT, TUI_RIGHT },
		{ KEY_PPAGE, TUI_PAGE_UP }, { KEY_NPAGE, TUI_PAGE_DOWN },
		{ KEY_HOME, TUI_HOME },     { KEY_END, TUI_END },
		{ KEY_ENTER, TUI_ENTER },   { KEY_BACKSPACE, TUI_BACKSPACE },
		{ KEY_DC, TUI_BACKSPACE },
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if ((wint_t)keys[i].code == code)
			return keys[i].key;
	return TUI_NONE;
}

static enum tui_key control_of(wint_t c)
{
	switch (c) {
	case '\r':
	case '\n':
		return TUI_ENTER;
	case '\t':
		return TUI_TAB;
	case '\b':
	case KEY_ASCII_DELETE:
		return TUI_BACKSPACE;
	case KEY_ASCII_ESCAPE:
		return TUI_ESCAPE;
	default:
		return c < 0x20 ? TUI_NONE : TUI_CHARACTER;
	}
}

static struct tui_event mouse_event(void)
{
	struct tui_event event = { .key = TUI_NONE };
	MEVENT mouse;

	if (getmouse(&mouse) != OK || mouse.x < 0 || mouse.y < 0)
		return event;
	event.row = (uint32_t)mouse.y;
	event.column = (uint32_t)mouse.x;
	if (mouse.bstate & BUTTON1_PRESSED)
		event.key = TUI_CLICK;
	else if (mouse.bstate & BUTTON4_PRESSED)
		event.key = TUI_WHEEL_UP;
	else if (mouse.bstate & BUTTON5_PRESSED)
		event.key = TUI_WHEEL_DOWN;
	return event;
}

/* Reads all keys available. */
static void read_keys(struct terminal *t)
{
	int status;
	wint_t code;

	while (!t->explorer.is_done && (status = get_wch(&code)) != ERR) {
		struct tui_event event = { .character = (uint32_t)code };

		if (status == KEY_CODE_YES && code == KEY_MOUSE)
			event = mouse_event();
		else if (status == KEY_CODE_YES)
			event.key = key_of(code);
		else if (code == KEY_CTRL_L)
			clearok(curscr, TRUE);
		else
			event.key = control_of(code);
		explorer_event(&t->explorer, &event);
	}
}

/* ---- main loop ---- */

static void handle_signals(struct terminal *t)
{
	struct sigaction typical = { .sa_handler = SIG_DFL }, ours;
	sigset_t blocked;
	for (size_t i = 0; i < CAUGHT; i++) {
		if (!has_come[i])
			continue;
		has_come[i] = 0;
		/* Stops the process with the default action. */
		if (caught[i] == SIGTSTP) {
			endwin();
			sigaction(SIGTSTP, &typical, &ours);
			raise(SIGTSTP);
			sigprocmask(SIG_SETMASK, &t->mask, &blocked);
			sigprocmask(SIG_SETMASK, &blocked, NULL);
			sigaction(SIGTSTP, &ours, NULL);
		}
		if (caught[i] == SIGTSTP || caught[i] == SIGCONT) {
			reset_prog_mode();
			clearok(curscr, TRUE);
		}
		if (caught[i] == SIGTSTP || caught[i] == SIGCONT ||
		    caught[i] == SIGWINCH)
			take_size(t);
		else
			t->ended_by = caught[i];
	}
}

static void wait_and_read(struct terminal *t)
{
	int there = 0;

	if (system_wait_input(STDIN_FILENO, &t->mask) < 0) {
		t->is_closed = errno != EINTR && errno != EAGAIN;
		return;
	}
	/* Readable without data: the other end was closed. */
	if (ioctl(STDIN_FILENO, FIONREAD, &there) || !there)
		t->is_closed = true;
	else
		read_keys(t);
}

static void set_up(const struct render_input *in, struct terminal *t)
{
	/* For terminals that stay in the other keypad mode. */
	static const struct {
		const char *text;
		int code;
	} arrows[] = { { "\033[A", KEY_UP },    { "\033[B", KEY_DOWN },
		       { "\033[C", KEY_RIGHT }, { "\033[D", KEY_LEFT },
		       { "\033[H", KEY_HOME },  { "\033[F", KEY_END } };
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
		define_key(arrows[i].text, arrows[i].code);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	if (in->style.use_color && has_colors() && start_color() == OK &&
	    COLORS >= 8) {
		use_default_colors();
		t->surface.has_color = true;
	}
}

static bool screen_show(const struct render_input *in, struct terminal *t,
			struct error *err)
{
	use_env(FALSE);
	use_tioctl(TRUE);
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen)
		return error_set(err, ERROR_OUTPUT,
				 "--interactive: cannot set up the terminal");
	set_up(in, t);
	take_size(t);
	while (!(t->explorer.is_done || t->explorer.has_failed || t->ended_by ||
		 t->is_closed)) {
		erase();
		explorer_draw(&t->explorer, &t->surface);
		refresh();
		wait_and_read(t);
		handle_signals(t);
	}
	endwin();
	delscreen(t->screen);
	return !t->explorer.has_failed || error_memory(err, "the explorer");
}

bool tui_run(const struct render_input *in, struct error *err)
{
	struct terminal t = { .surface = { .use_unicode = in->style.use_unicode,
					   .put = screen_put } };
	bool is_done;

	t.surface.context = &t;
	if (explorer_init(&t.explorer, in, 24, 80)) {
		setlocale(LC_CTYPE, "");
		catch_signals(&t);
		is_done = screen_show(in, &t, err);
		for (size_t i = 0; i < CAUGHT; i++)
			sigaction(caught[i], &t.before[i], NULL);
		sigprocmask(SIG_SETMASK, &t.mask, NULL);
		setlocale(LC_CTYPE, "C");
	} else {
		is_done = error_memory(err, "the explorer");
	}
	explorer_release(&t.explorer);
	if (t.ended_by)
		raise(t.ended_by);
	return is_done;
}

bool tui_prepare(struct error *err)
{
	return calls_load(err);
}

bool tui_check(struct error *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set(err, ERROR_USAGE,
				 "--interactive needs a terminal, and standard "
				 "%s is none; -o term and -o html need none",
				 isatty(STDIN_FILENO) ? "output" : "input");
	return tui_prepare(err) && terminfo_check(err);
}

#else

bool tui_prepare(struct error *err)
{
	(void)err;
	return true;
}

bool tui_check(struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "--interactive: this tracefind was built without "
			 "ncurses; -o term draws the same graph, -o "
			 "html=FILE one to explore in a browser");
}

bool tui_run(const struct render_input *in, struct error *err)
{
	(void)in;
	return tui_check(err);
}

#endif
