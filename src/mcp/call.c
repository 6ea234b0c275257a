/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/timefmt.h"

struct mcp_call *mcp_call_new(void)
{
	struct mcp_call *c = mem_calloc(1, sizeof *c);
	static const size_t most[CALL_STREAMS] = {
		[CALL_ANSWER] = MCP_ANSWER_BYTES,
		[CALL_TALK] = MCP_TALK_BYTES,
		[CALL_PROGRESS] = MCP_TALK_BYTES,
	};

	if (!c)
		return NULL;
	arena_init(&c->arena, 2 * MCP_LINE_BYTES);
	for (int i = 0; i < CALL_STREAMS; i++) {
		c->fds[i] = -1;
		buf_init(&c->texts[i], most[i]);
	}
	return c;
}

static void close_stream(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void wait_for(struct mcp_call *c)
{
	if (c->pid <= 0)
		return;
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

void mcp_call_free(struct mcp_call *c)
{
	if (!c)
		return;
	for (int i = 0; i < CALL_STREAMS; i++) {
		close_stream(&c->fds[i]);
		buf_release(&c->texts[i]);
	}
	mcp_call_stop(c);
	wait_for(c);
	arena_release(&c->arena);
	mem_free(c);
}

void mcp_call_stop(struct mcp_call *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGTERM);
}

int mcp_call_time(struct mcp_call *c)
{
	int64_t left_ns = c->end_ns - clock_monotonic_ns();

	if (left_ns <= 0 && c->pid > 0) {
		kill(c->pid, c->is_too_late ? SIGKILL : SIGTERM);
		c->is_too_late = true;
		left_ns = MCP_STOP_SECONDS * NS_PER_S;
		c->end_ns = clock_monotonic_ns() + left_ns;
	}
	return (int)(left_ns / NS_PER_MS) + 1;
}

/* ---- the process ---- */

static _Noreturn void be_child(struct mcp_call *c,
			       const struct mcp_settings *settings,
			       int pipes[CALL_STREAMS][2])
{
	int input = open("/dev/null", O_RDONLY);

	if (input < 0 || dup2(input, STDIN_FILENO) < 0 ||
	    dup2(pipes[CALL_ANSWER][1], STDOUT_FILENO) < 0 ||
	    dup2(pipes[CALL_TALK][1], STDERR_FILENO) < 0)
		_exit(error_exit_code(ERROR_INTERNAL));
	close(input);
	close(pipes[CALL_ANSWER][1]);
	close(pipes[CALL_TALK][1]);
	for (int i = 0; i < CALL_STREAMS; i++)
		close(pipes[i][0]);
	_exit(settings->run(settings->context, (int)c->line.count,
			    c->line.items, pipes[CALL_PROGRESS][1]));
}

static bool make_pipes(int pipes[CALL_STREAMS][2], struct error *err)
{
	for (int i = 0; i < CALL_STREAMS; i++) {
		if (pipe(pipes[i]) == 0)
			continue;
		error_set(err, ERROR_INTERNAL, "no pipe: %s", strerror(errno));
		while (i-- > 0) {
			close(pipes[i][0]);
			close(pipes[i][1]);
		}
		return false;
	}
	return true;
}

bool mcp_call_start(struct mcp_call *c, const struct mcp_settings *settings,
		    struct error *err)
{
	int pipes[CALL_STREAMS][2];
	pid_t pid;

	if (!make_pipes(pipes, err))
		return false;
	pid = fork();
	if (pid == 0)
		be_child(c, settings, pipes);
	for (int i = 0; i < CALL_STREAMS; i++) {
		close(pipes[i][1]);
		c->fds[i] = pipes[i][0];
	}
	if (pid < 0)
		return error_set(err, ERROR_INTERNAL, "no process: %s",
				 strerror(errno));
	c->pid = pid;
	c->end_ns = clock_monotonic_ns() +
		    (int64_t)settings->call_seconds * NS_PER_S;
	return true;
}

/* ---- what it prints ---- */

#define READ_BYTES (64 * KIB)

void mcp_call_read(struct mcp_call *c, enum call_stream stream)
{
	char chunk[READ_BYTES];
	ssize_t got = read(c->fds[stream], chunk, sizeof chunk);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		close_stream(&c->fds[stream]);
		return;
	}
	buf_add(&c->texts[stream], chunk, (size_t)got);
	if (stream == CALL_ANSWER && c->texts[stream].state != BUF_OK) {
		c->is_too_long = true;
		mcp_call_stop(c);
	}
}

bool mcp_call_ended(struct mcp_call *c)
{
	for (int i = 0; i < CALL_STREAMS; i++)
		if (c->fds[i] >= 0)
			return false;
	wait_for(c);
	return true;
}

struct str mcp_call_talk(struct mcp_call *c)
{
	struct str talk = str_trim(buf_str(&c->texts[CALL_TALK]));

	if (c->is_too_long)
		return STR("the answer has over 32 MiB; ask for less: a limit, "
			   "a shorter window");
	if (c->is_too_late)
		return STR("the call took longer than it may and was ended; "
			   "ask for less: a limit, a shorter window");
	if (str_starts(talk, STR("tracefind: ")))
		talk = str_slice(talk, 11, talk.len - 11);
	return talk.len ? talk : STR("the command ended without an answer");
}
