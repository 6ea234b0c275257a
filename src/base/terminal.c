/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "base/system.h"

#define DEFAULT_COLUMNS 80u
#define COLUMNS_MIN 40u
#define COLUMNS_MAX 500u

static unsigned limit_columns(uint64_t columns)
{
	if (columns < COLUMNS_MIN)
		columns = COLUMNS_MIN;
	return columns > COLUMNS_MAX ? COLUMNS_MAX : (unsigned)columns;
}

unsigned terminal_columns_asked(void)
{
	const char *text = getenv("COLUMNS");
	uint64_t columns;

	if (!text || !parse_u64(str_from(text), &columns) || !columns)
		return 0;
	return limit_columns(columns);
}

unsigned terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return limit_columns(size.ws_col);
	return terminal_columns_asked() ? terminal_columns_asked()
					: DEFAULT_COLUMNS;
}

bool terminal_is_unicode(bool fallback)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") ||
			       strcasestr(value, "utf8");
	}
	return fallback;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* Convention of force-color.org and bixense.com/clicolors: 0 means not
 * forced. */
static bool is_forced(const char *variable)
{
	return is_set(variable) && strcmp(getenv(variable), "0") != 0;
}

bool terminal_wants_color(enum color_mode mode, bool is_terminal)
{
	/* DEC's terminals up to the VT420 had none, and terminfo marks those of
	 * others by their ending. */
	static const char *const plain[] = { "vt52", "vt1", "vt2",
					     "vt3",  "vt4", "dumb" };
	struct str term = str_from(getenv("TERM"));

	if (mode != COLOR_AUTO)
		return mode == COLOR_ALWAYS;
	if (is_set("NO_COLOR"))
		return false;
	if (is_forced("FORCE_COLOR") || is_forced("CLICOLOR_FORCE"))
		return true;
	for (size_t i = 0; i < COUNT_OF(plain); i++)
		if (str_starts(term, str_from(plain[i])))
			return false;
	return is_terminal && term.len && !str_ends(term, STR("-m")) &&
	       !str_ends(term, STR("-mono"));
}

bool terminal_has_256_colors(void)
{
	const char *term = getenv("TERM"), *depth = getenv("COLORTERM");

	return (term && strstr(term, "256color")) || (depth && *depth);
}

bool terminal_has_truecolor(void)
{
	const char *term = getenv("TERM"), *depth = getenv("COLORTERM");

	return (depth &&
		(!strcmp(depth, "truecolor") || !strcmp(depth, "24bit"))) ||
	       (term && strstr(term, "-direct"));
}

/* ---- the pager ---- */

/* Without less, as in containers, avoids the shell's error message. */
#define DEFAULT_PAGER "command -v less >/dev/null || exit 127; less"

/* Status of sh for a command that is not found (127) or not executable
 * (126). */
#define STATUS_NOT_RUN 126

const char *pager_command(bool is_off, const char *configured)
{
	const char *command = getenv("TRACEFIND_PAGER");
	const char *term = getenv("TERM");

	if (is_off || !isatty(STDOUT_FILENO) || !term ||
	    !strcmp(term, "dumb"))
		return NULL;
	if (!command)
		command = configured;
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = DEFAULT_PAGER;
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void set_signal(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(number, &action, NULL);
}

/* less: quit if it fits, pass colors, leave the text on the screen. Set by the
 * shell: between fork() and exec() locks of other threads may be held, such as
 * that of the environment. */
#define RUN_PAGER "export LESS=\"${LESS-FRX}\" LV=\"${LV--c}\"; eval \"$1\""

static void pager_run(const char *command, int input)
{
	if (dup2(input, STDIN_FILENO) < 0)
		_exit(STATUS_NOT_RUN);
	set_signal(SIGINT, SIG_DFL);
	set_signal(SIGQUIT, SIG_DFL);
	set_signal(SIGPIPE, SIG_DFL);
	set_signal(SIGXFSZ, SIG_DFL);
	set_signal(SIGTERM, SIG_DFL);
	set_signal(SIGHUP, SIG_DFL);
	execl("/bin/sh", "sh", "-c", RUN_PAGER, "sh", command, (char *)NULL);
	_exit(STATUS_NOT_RUN);
}

/* The child started by pager_prepare(). */
static struct {
	pid_t pid; /* 0: none */
	int input; /* write end of its standard input */
	int start; /* a byte starts it, end of file ends it */
} prepared;

void pager_prepare(const char *command)
{
	int start[2], input[2];
	ssize_t got;
	char turn;

	if (prepared.pid || system_pipe(start) < 0)
		return;
	if (system_pipe(input) < 0) {
		close(start[0]);
		close(start[1]);
		return;
	}
	prepared.pid = fork();
	if (prepared.pid == 0) {
		close(start[1]);
		close(input[1]);
		do
			got = read(start[0], &turn, 1);
		while (got < 0 && errno == EINTR);
		/* Nothing came: the process has ended without an answer. */
		if (got != 1)
			_exit(0);
		pager_run(command, input[0]);
	}
	close(start[0]);
	close(input[0]);
	prepared.start = start[1];
	prepared.input = input[1];
	if (prepared.pid > 0)
		return;
	prepared.pid = 0;
	close(start[1]);
	close(input[1]);
}

/* Starts the waiting child; returns whether there was one. */
static bool start_prepared(struct pager *p)
{
	ssize_t done;

	if (!prepared.pid)
		return false;
	do
		done = write(prepared.start, "", 1);
	while (done < 0 && errno == EINTR);
	p->pid = prepared.pid;
	p->fd = prepared.input;
	prepared.pid = 0;
	close(prepared.start);
	if (done == 1)
		return true;
	close(p->fd);
	return false;
}

static bool start_now(struct pager *p, const char *command)
{
	int ends[2];

	if (system_pipe(ends) < 0)
		return false;
	p->pid = fork();
	if (p->pid == 0)
		pager_run(command, ends[0]);
	close(ends[0]);
	if (p->pid < 0) {
		close(ends[1]);
		return false;
	}
	p->fd = ends[1];
	return true;
}

bool pager_start(struct pager *p, const char *command)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (!start_prepared(p) && !start_now(p, command))
		return false;
	sigaction(SIGINT, &ignore, &p->interrupt);
	sigaction(SIGQUIT, &ignore, &p->quit);
	return true;
}

bool pager_finish(struct pager *p)
{
	int status = 0;
	pid_t ended;

	close(p->fd);
	do
		ended = waitpid(p->pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	sigaction(SIGINT, &p->interrupt, NULL);
	sigaction(SIGQUIT, &p->quit, NULL);
	return ended < 0 || !WIFEXITED(status) ||
	       WEXITSTATUS(status) < STATUS_NOT_RUN;
}
