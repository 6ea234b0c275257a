/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/auth.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/system.h"
#include "base/timefmt.h"

/* Enough for the reason: the last line counts. */
#define COMPLAINT_BYTES 4096

/* How often to check whether it has ended. */
#define POLL_MS 20

enum { TOKEN = 0, COMPLAINT, STREAMS };

struct child {
	pid_t pid;
	int fds[STREAMS]; /* -1 once closed */
	struct buf texts[STREAMS];
	int status;
	bool has_ended;
};

/* ---- starting ---- */

/* Only async-signal-safe calls, between fork and exec. */
static _Noreturn void command_become(const char *command,
				     const int ends[STREAMS])
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	int null = open("/dev/null", O_RDONLY);

	sigaction(SIGPIPE, &usual, NULL);
	sigaction(SIGXFSZ, &usual, NULL);
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	    dup2(ends[TOKEN], STDOUT_FILENO) >= 0 &&
	    dup2(ends[COMPLAINT], STDERR_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void close_all(int fds[STREAMS])
{
	for (size_t i = 0; i < STREAMS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static bool open_pipes(int ours[STREAMS], int theirs[STREAMS])
{
	for (size_t i = 0; i < STREAMS; i++) {
		int ends[2];

		if (system_pipe(ends))
			return false;
		ours[i] = ends[0];
		theirs[i] = ends[1];
		if (fcntl(ends[0], F_SETFL, O_NONBLOCK))
			return false;
	}
	return true;
}

static bool child_start(struct child *c, const char *command, struct error *err)
{
	int theirs[STREAMS] = { -1, -1 };

	if (!open_pipes(c->fds, theirs) || (c->pid = fork()) < 0) {
		error_set(err, ERROR_INTERNAL,
			  "token-command: cannot be started: %s",
			  strerror(errno));
		close_all(theirs);
		return false;
	}
	if (c->pid == 0)
		command_become(command, theirs);
	close_all(theirs);
	return true;
}

/* ---- reading ---- */

/* Reads available data. Returns false if over the limit. */
static bool listen_to(struct child *c, size_t stream)
{
	struct buf *text = &c->texts[stream];
	char chunk[1024];
	ssize_t got = 1;
	bool is_ok = true;

	while (c->fds[stream] >= 0 && got > 0 && is_ok) {
		got = read(c->fds[stream], chunk, sizeof chunk);
		if (got == 0) {
			close(c->fds[stream]);
			c->fds[stream] = -1;
		} else if (got > 0 && stream == COMPLAINT &&
			   text->len + (size_t)got > text->max_bytes - 1) {
			buf_clear(text);
		}
		if (got > 0)
			buf_add(text, chunk, (size_t)got);
		is_ok = text->state == BUF_OK;
	}
	mem_wipe(chunk, sizeof chunk);
	return is_ok;
}

static void wait_for(struct child *c, int options)
{
	if (!c->has_ended)
		c->has_ended = waitpid(c->pid, &c->status, options) == c->pid;
}

/* Reads until the command ends; background children may keep the pipes open. */
static bool child_listen(struct child *c, int64_t timeout_ms, struct error *err)
{
	int64_t end_ns = clock_monotonic_ns() + timeout_ms * NS_PER_MS;
	char limit[24];

	format_duration(timeout_ms * NS_PER_MS, limit);
	while (!c->has_ended) {
		struct pollfd fds[STREAMS] = {
			{ .fd = c->fds[TOKEN], .events = POLLIN },
			{ .fd = c->fds[COMPLAINT], .events = POLLIN },
		};

		if (clock_monotonic_ns() > end_ns)
			return error_set(err, ERROR_NETWORK,
					 "token-command: it took longer than "
					 "%s; --timeout sets how long",
					 limit);
		(void)poll(fds, STREAMS, POLL_MS);
		wait_for(c, WNOHANG);
		for (size_t i = 0; i < STREAMS; i++)
			if (!listen_to(c, i))
				return error_set(err, ERROR_LIMIT,
						 "token-command: it printed "
						 "more than %zu bytes",
						 LIMIT_SECRET_FILE_BYTES);
	}
	return true;
}

/* ---- result ---- */

static bool check_status(const struct child *c, struct error *err)
{
	struct str text = str_trim(buf_str(&c->texts[COMPLAINT]));
	struct str said = str_slice(text, str_behind_last(text, '\n'), 300);
	const char *colon = said.len ? ": " : "";

	if (WIFSIGNALED(c->status))
		return error_set(err, ERROR_AUTH,
				 "token-command: signal %d ended it%s%.*s",
				 WTERMSIG(c->status), colon, STR_ARGS(said));
	if (WEXITSTATUS(c->status) == 0)
		return true;
	return error_set(err, ERROR_AUTH,
			 "token-command: it ended with status %d%s%.*s",
			 WEXITSTATUS(c->status), colon, STR_ARGS(said));
}

static bool take_token(const struct child *c, char token[TOKEN_BYTES],
		       struct error *err)
{
	char *secret = secret_take(buf_str(&c->texts[TOKEN]), "its output",
				   "token-command", err);

	if (!secret)
		return false;
	mem_wipe(token, TOKEN_BYTES);
	memcpy(token, secret, strlen(secret) + 1);
	secret_free(secret);
	return true;
}

bool token_command_run(const char *command, int64_t timeout_ms,
		       char token[TOKEN_BYTES], struct error *err)
{
	struct child c = { .fds = { -1, -1 } };
	bool is_done;

	buf_init(&c.texts[TOKEN], LIMIT_SECRET_FILE_BYTES);
	buf_init(&c.texts[COMPLAINT], COMPLAINT_BYTES);
	/* Reserved at full size: growing would leave copies behind. */
	if (!buf_reserve(&c.texts[TOKEN], LIMIT_SECRET_FILE_BYTES))
		is_done = error_memory(err, "a credential");
	else
		is_done = child_start(&c, command, err) &&
			  child_listen(&c, timeout_ms, err) &&
			  check_status(&c, err) && take_token(&c, token, err);
	if (c.pid > 0 && !c.has_ended) {
		kill(c.pid, SIGKILL);
		wait_for(&c, 0);
	}
	close_all(c.fds);
	buf_wipe(&c.texts[TOKEN]);
	for (size_t i = 0; i < STREAMS; i++)
		buf_release(&c.texts[i]);
	return is_done;
}
