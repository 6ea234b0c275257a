/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What sh gives for a command that it does not find or may not run. */
#define STATUS_NOT_RUN 126

const char *pager_command(const struct options *o)
{
	const char *command = getenv("TRACEFIND_PAGER");
	const char *term = getenv("TERM");

	if (o->no_pager || !isatty(STDOUT_FILENO) || !term ||
	    !strcmp(term, "dumb"))
		return NULL;
	if (!command)
		command = o->pager;
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void set_signal(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(number, &action, NULL);
}

/* less: quit when it fits, pass colours, leave the text on the screen. */
static void run(const char *command, int input)
{
	if (dup2(input, STDIN_FILENO) < 0)
		_exit(STATUS_NOT_RUN);
	set_signal(SIGINT, SIG_DFL);
	set_signal(SIGQUIT, SIG_DFL);
	set_signal(SIGPIPE, SIG_DFL);
	set_signal(SIGXFSZ, SIG_DFL);
	set_signal(SIGTERM, SIG_DFL);
	set_signal(SIGHUP, SIG_DFL);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(STATUS_NOT_RUN);
}

bool pager_start(struct pager *p, const char *command)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	p->pid = fork();
	if (p->pid == 0)
		run(command, ends[0]);
	close(ends[0]);
	if (p->pid < 0) {
		close(ends[1]);
		return false;
	}
	p->fd = ends[1];
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
