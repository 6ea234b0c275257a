/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/timefmt.h"
#include "render/reduce.h"

/* A tool call: its process and the output so far. */

/* Limit of error output: the last lines. */
#define MCP_TALK_BYTES (16 * KIB)

/* Size limit of an answer, sufficient for spans of a large trace; tools can
 * limit the number. */
#define MCP_ANSWER_BYTES (32 * MIB)

static void mcp_call_stop(struct mcp_call *c);

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

/* Terminates the process. */
static void mcp_call_stop(struct mcp_call *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGTERM);
}

/* Time between SIGTERM and SIGKILL for a cancelled call. */
#define MCP_STOP_SECONDS 5

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

/* ---- process ---- */

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
	c->begin_ns = clock_monotonic_ns();
	c->end_ns = c->begin_ns +
		    (int64_t)settings->call_seconds * NS_PER_S;
	return true;
}

/* ---- its output ---- */

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
		return STR("the answer has over 32 MiB: use a limit or a "
			   "shorter window");
	if (c->is_too_late)
		return STR("the call exceeded its time limit: use a limit or a "
			   "shorter window");
	if (str_starts(talk, STR("tracefind: ")))
		talk = str_slice(talk, 11, talk.len - 11);
	return talk.len ? talk : STR("the command ended without an answer");
}

/* Limits of queued and running calls; more calls get an error. */
#define WAITING_MOST 32u
#define RUNNING_MOST 4u
/* How long calls are processed one at a time, in order. */
#define ALONE_MS 3000

/* Limits of stored answers that more can be requested of. */
#define KEPT_MOST 8u
#define KEPT_BYTES (64 * MIB)

struct kept {
	uint64_t number; /* from 1; 0: unused */
	struct buf json;
};

struct server {
	const struct mcp_settings *settings;
	struct mcp_writer writer;
	struct buf input; /* incomplete line */
	bool has_ended;   /* input has ended */
	bool is_skipping; /* skipping the rest of a line that is too long */
	bool is_initialised;
	struct mcp_call *first; /* queue in order of arrival */
	unsigned count;
	unsigned running;
	struct kept kept[KEPT_MOST];
	uint64_t answers;
	struct error *err;
};

/* ---- stored answers ---- */

static struct kept *server_oldest(struct server *s)
{
	struct kept *found = NULL;

	for (size_t i = 0; i < KEPT_MOST; i++)
		if (s->kept[i].number &&
		    (!found || s->kept[i].number < found->number))
			found = &s->kept[i];
	return found;
}

static void kept_forget(struct kept *k)
{
	buf_release(&k->json);
	k->number = 0;
}

/* ---- answers of tools ---- */

static size_t budget_bytes(const struct server *s)
{
	return s->settings->budget_tokens * REDUCE_TOKEN_BYTES;
}

/* Stores the answer of the call, for which older ones may have to go; returns
 * it with its number. */
static struct kept *call_keep(struct server *s, struct mcp_call *c)
{
	struct kept *k = &s->kept[s->answers % KEPT_MOST];
	size_t sum = 0;

	kept_forget(k);
	k->json = c->texts[CALL_ANSWER];
	buf_init(&c->texts[CALL_ANSWER], 0);
	k->number = ++s->answers;
	for (size_t i = 0; i < KEPT_MOST; i++)
		sum += s->kept[i].json.len;
	while (sum > KEPT_BYTES && server_oldest(s) != k) {
		sum -= server_oldest(s)->json.len;
		kept_forget(server_oldest(s));
	}
	return k;
}

static void answer_call(struct server *s, struct mcp_call *c)
{
	int code = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1;
	struct buf command, reduced;
	struct error err = { 0 };
	struct kept *k;
	char number[24];
	struct reduction r;

	if (c->is_too_long || c->is_too_late || code < 0 ||
	    !c->texts[CALL_ANSWER].len) {
		struct buf words;

		buf_init(&words, 2 * MCP_TALK_BYTES);
		tool_words(mcp_call_talk(c), &words);
		mcp_write_trouble(&s->writer, &c->message, buf_str(&words));
		buf_release(&words);
		return;
	}
	k = call_keep(s, c);
	snprintf(number, sizeof number, "%" PRIu64, k->number);
	r = (struct reduction){ buf_str(&k->json), budget_bytes(s), number };
	buf_init(&command, LIMIT_OPTION_VALUE_BYTES);
	buf_init(&reduced, r.budget_bytes + 1);
	/* The equivalent shell command, without servers, which come from the
	 * user's configuration. */
	buf_add_text(&command, "tracefind");
	for (size_t i = 0; i < c->line.count; i++)
		shell_word_add(&command, str_from(c->line.items[i]));
	if (reduce(&r, &reduced, &err))
		mcp_write_result(&s->writer, &c->message, &command, code,
				 buf_str(&reduced));
	else
		mcp_write_trouble(&s->writer, &c->message,
				  str_from(err.message));
	buf_release(&command);
	buf_release(&reduced);
}

/* The tool `more`, which has no command. */
static void answer_more(struct server *s, struct mcp_call *c)
{
	struct tool_cursor cursor;
	struct buf part;
	struct error err = { 0 };
	char number[24];
	bool is_done = false;

	buf_init(&part, budget_bytes(s) + 1);
	if (tool_cursor_read(c->message.arguments, &c->arena, &cursor, &err)) {
		struct kept *k = NULL;

		for (size_t i = 0; i < KEPT_MOST && !k; i++)
			if (cursor.answer &&
			    s->kept[i].number == cursor.answer)
				k = &s->kept[i];
		snprintf(number, sizeof number, "%" PRIu64, cursor.answer);
		if (!k)
			error_set(&err, ERROR_NOT_FOUND,
				  "answer %s has expired: call its tool again",
				  number);
		else
			is_done = reduce_part(
				&(struct reduction){ buf_str(&k->json),
						     budget_bytes(s), number },
				cursor.pointer, cursor.offset, &part, &err);
	}
	if (is_done)
		mcp_write_result(&s->writer, &c->message, NULL, 0,
				 buf_str(&part));
	else
		mcp_write_trouble(&s->writer, &c->message,
				  str_from(err.message));
	buf_release(&part);
}

/* ---- calls ---- */

/* Removes a call through the pointer to it, which then points to the next
 * one. */
static void server_drop(struct server *s, struct mcp_call **at)
{
	struct mcp_call *c = *at;

	*at = c->next;
	s->count--;
	s->running -= c->pid > 0;
	mcp_call_free(c);
}

/* Returns whether it was started; if not, it was answered. */
static bool server_start(struct server *s, struct mcp_call *c)
{
	struct error err = { 0 };

	if (!c->tool->command) {
		answer_more(s, c);
	} else if (!c->is_cancelled) {
		if (mcp_call_start(c, s->settings, &err))
			return true;
		mcp_write_trouble(&s->writer, &c->message,
				  str_from(err.message));
	}
	return false;
}

/* Returns whether the answer of a call has to wait for an earlier one. */
static bool is_early(const struct server *s, const struct mcp_call *c,
		     bool is_behind)
{
	struct tool_cursor cursor;
	struct error err;
	struct arena arena;
	bool is_early;

	if (c->tool->command || !is_behind)
		return false;
	arena_init(&arena, 2 * MCP_LINE_BYTES);
	is_early = tool_cursor_read(c->message.arguments, &arena, &cursor,
				    &err) &&
		   cursor.answer > s->answers;
	arena_release(&arena);
	return is_early;
}

/* Returns how long it still has to run alone; 0: no longer. */
static int alone_ms(const struct mcp_call *c)
{
	int64_t ms = (clock_monotonic_ns() - c->begin_ns) / NS_PER_MS;

	return c->pid && ms < ALONE_MS ? ALONE_MS - (int)ms : 0;
}

static void start_next(struct server *s)
{
	struct mcp_call **at = &s->first;

	while (*at) {
		struct mcp_call *c = *at;

		if (alone_ms(c)) {
			return;
		} else if (c->pid || is_early(s, c, s->running > 0)) {
			at = &c->next;
		} else if (c->tool->command && s->running == RUNNING_MOST) {
			return;
		} else if (server_start(s, c)) {
			s->running++;
			at = &c->next;
		} else {
			server_drop(s, at);
		}
	}
}

/* Takes ownership of the call: queues or frees it. */
static void add_call(struct server *s, struct mcp_call *c)
{
	struct error err = { 0 };
	const char *problem = NULL;

	c->tool = tool_find(c->message.name);
	if (!c->tool) {
		mcp_write_fault(&s->writer, &c->message, MCP_INVALID_PARAMS,
				"no tool of this name; tools/list has them");
	} else if (s->count >= WAITING_MOST) {
		problem = "32 calls are waiting already: wait for their "
			  "answers";
	} else if (c->tool->command &&
		   !tool_line_make(c->tool, c->message.arguments,
				   s->settings->root, &c->arena, &c->line,
				   &err)) {
		problem = err.message;
	} else {
		struct mcp_call **at = &s->first;

		while (*at)
			at = &(*at)->next;
		*at = c;
		s->count++;
		start_next(s);
		return;
	}
	if (problem)
		mcp_write_trouble(&s->writer, &c->message, str_from(problem));
	mcp_call_free(c);
}

static void server_finish(struct server *s)
{
	struct mcp_call **at = &s->first;

	while (*at) {
		struct mcp_call *c = *at;

		if (!c->pid || !mcp_call_ended(c)) {
			at = &c->next;
			continue;
		}
		s->running--; /* its process has ended */
		if (!c->is_cancelled)
			answer_call(s, c);
		server_drop(s, at);
	}
	start_next(s);
}

/* ---- messages ---- */

static void on_unknown(struct server *s, const struct mcp_message *m)
{
	if (!m->has_meta_revision && !s->is_initialised)
		mcp_write_fault(&s->writer, m, MCP_INVALID_PARAMS,
				"neither initialize nor "
				"_meta[\"io.modelcontextprotocol/"
				"protocolVersion\"] came before");
	else
		mcp_write_fault(&s->writer, m, MCP_METHOD_NOT_FOUND,
				"no such method");
}

/* Returns whether the request is valid in its protocol variant; if not, writes
 * the error. */
static bool check_era(struct server *s, const struct mcp_message *m)
{
	if (!m->has_meta_revision)
		return s->is_initialised ||
		       str_equal(m->method, STR("initialize")) ||
		       str_equal(m->method, STR("ping"));
	if (!mcp_revision_is_stateless(m->meta_revision)) {
		mcp_write_unsupported(&s->writer, m);
		return false;
	}
	if (!m->has_capabilities)
		mcp_write_fault(&s->writer, m, MCP_INVALID_PARAMS,
				"_meta lacks io.modelcontextprotocol/"
				"clientCapabilities");
	return m->has_capabilities;
}

/* Returns true if it took ownership of the call. */
static bool on_request(struct server *s, struct mcp_call *c)
{
	const struct mcp_message *m = &c->message;
	bool is_stateless = m->has_meta_revision;

	if (!check_era(s, m)) {
		if (!is_stateless)
			on_unknown(s, m);
	} else if (!is_stateless && str_equal(m->method, STR("initialize"))) {
		s->is_initialised = true;
		mcp_write_initialized(&s->writer, m);
	} else if (!is_stateless && str_equal(m->method, STR("ping"))) {
		mcp_write_empty(&s->writer, m);
	} else if (is_stateless &&
		   str_equal(m->method, STR("server/discover"))) {
		mcp_write_discovered(&s->writer, m);
	} else if (str_equal(m->method, STR("tools/list"))) {
		if (m->cursor.len)
			mcp_write_fault(&s->writer, m, MCP_INVALID_PARAMS,
					"the list has one page, no cursor");
		else
			mcp_write_tools(&s->writer, m);
	} else if (str_equal(m->method, STR("tools/call"))) {
		add_call(s, c);
		return true;
	} else {
		on_unknown(s, m);
	}
	return false;
}

static void on_line(struct server *s, struct str line)
{
	struct mcp_call *c;
	enum mcp_fault fault;
	struct error err = { 0 };

	if (!str_trim(line).len)
		return;
	c = mcp_call_new();
	if (!c) {
		error_memory(s->err, "a message");
		return;
	}
	if (!mcp_message_read(&c->message, line, &c->arena, &fault, &err)) {
		mcp_write_fault(&s->writer, &c->message, fault, err.message);
	} else if (c->message.is_response) {
		; /* ignored */
	} else if (!c->message.id.is_given &&
		 str_equal(c->message.method, STR("notifications/cancelled"))) {
		struct mcp_call **at = &s->first;

		while (*at &&
		       !mcp_id_equal(&(*at)->message.id, &c->message.request))
			at = &(*at)->next;
		if (*at) {
			(*at)->is_cancelled = true;
			mcp_call_stop(*at);
		}
	} else if (c->message.id.is_given && on_request(s, c)) {
		return;
	}
	mcp_call_free(c);
}

/* ---- input ---- */

static void take_input(struct server *s, struct str bytes)
{
	const struct mcp_message none = { .is_response = false };
	while (bytes.len) {
		size_t end = str_until(bytes, 0, '\n');
		bool has_end = end < bytes.len;

		if (!s->is_skipping)
			buf_add(&s->input, bytes.ptr, end);
		if (!s->is_skipping && s->input.state != BUF_OK) {
			s->is_skipping = true;
			mcp_write_fault(&s->writer, &none, MCP_PARSE_ERROR,
					"a message has over 1 MiB");
		}
		if (has_end && !s->is_skipping)
			on_line(s, buf_str(&s->input));
		if (has_end) {
			s->is_skipping = false;
			end++;
		}
		if (has_end || s->is_skipping)
			buf_clear(&s->input);
		bytes = str_slice(bytes, end, bytes.len - end);
	}
}

static void read_input(struct server *s)
{
	char chunk[READ_BYTES];
	ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got > 0) {
		take_input(s, (struct str){ chunk, (size_t)got });
		return;
	}
	s->has_ended = true;
	if (!s->is_skipping && s->input.len)
		on_line(s, buf_str(&s->input));
}

/* ---- the loop ---- */

static void read_progress(struct server *s, struct mcp_call *c)
{
	struct buf *text = &c->texts[CALL_PROGRESS];
	struct str rest, line = { NULL, 0 };

	mcp_call_read(c, CALL_PROGRESS);
	rest = buf_str(text);
	/* Of several lines only the last is sent. */
	while (rest.len && memchr(rest.ptr, '\n', rest.len))
		line = str_take_line(&rest);
	if (line.ptr && c->message.progress.is_given && !c->is_cancelled)
		mcp_write_progress(&s->writer, &c->message, ++c->steps, line);
	if (line.ptr)
		buf_clear(text);
}

static void wait_and_read(struct server *s)
{
	struct mcp_call *running[RUNNING_MOST];
	struct pollfd polled[2 + RUNNING_MOST * CALL_STREAMS] = {
		{ .fd = s->has_ended ? -1 : STDIN_FILENO, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	struct pollfd *streams = polled + 2;
	size_t n = 0;
	int left_ms = -1;

	for (struct mcp_call *c = s->first; c; c = c->next) {
		int ms;

		if (!c->pid)
			continue;
		for (int i = 0; i < CALL_STREAMS; i++)
			streams[n * CALL_STREAMS + (size_t)i] = (struct pollfd){
				.fd = c->fds[i], .events = POLLIN
			};
		running[n++] = c;
		ms = mcp_call_time(c);
		if (c->next && alone_ms(c))
			ms = alone_ms(c);
		left_ms = left_ms < 0 || ms < left_ms ? ms : left_ms;
	}
	if (poll(polled, 2 + n * CALL_STREAMS, left_ms) < 0) {
		if (errno != EINTR)
			error_set(s->err, ERROR_INTERNAL, "poll: %s",
				  strerror(errno));
		return;
	}
	/* The client closed the pipe, which only shows in its state. */
	if (polled[1].revents & (POLLERR | POLLHUP)) {
		error_set(s->err, ERROR_OUTPUT, "the client has gone");
		return;
	}
	for (size_t i = 0; i < n * CALL_STREAMS; i++) {
		struct mcp_call *c = running[i / CALL_STREAMS];
		enum call_stream stream = i % CALL_STREAMS;

		if (streams[i].revents && stream == CALL_PROGRESS)
			read_progress(s, c);
		else if (streams[i].revents)
			mcp_call_read(c, stream);
	}
	server_finish(s);
	if (polled[0].revents)
		read_input(s);
}

bool mcp_serve(const struct mcp_settings *settings, struct error *err)
{
	struct server s = { .settings = settings, .err = err };

	error_clear(err);
	if (!mcp_writer_init(&s.writer, settings->version, err))
		return false;
	buf_init(&s.input, MCP_LINE_BYTES);
	while (err->code == ERROR_NONE && (!s.has_ended || s.first) &&
	       mcp_writer_check(&s.writer, err))
		wait_and_read(&s);
	for (struct mcp_call *c = s.first; c; c = c->next)
		mcp_call_stop(c); /* stop all before waiting for any */
	while (s.first)
		server_drop(&s, &s.first);
	for (size_t i = 0; i < KEPT_MOST; i++)
		kept_forget(&s.kept[i]);
	buf_release(&s.input);
	mcp_writer_release(&s.writer);
	return err->code == ERROR_NONE;
}
