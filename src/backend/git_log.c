/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/git_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/system.h"
#include "base/timefmt.h"

/* Time limit: long histories take git some seconds per function, and an
 * engineer on call will not wait longer. */
#define WAIT_MS 3000

/* A limit in case the parent is gone. */
#define CPU_SECONDS 10u

/* The request that is sent through the pipe. */
struct request {
	uint32_t first;
	uint32_t last;
	char folder[LIMIT_PATH_BYTES];
	char file[LIMIT_PATH_BYTES];
};

/* The waiting child. */
static struct {
	pid_t pid;  /* 0: none */
	int ask;    /* pipe for the request; the child ends at its EOF */
	int answer; /* pipe for the answer */
} prepared;

/* ---- the program ---- */

/* Relative entries of PATH are skipped: they may lead into the work tree. */
static bool find_git(char path[LIMIT_PATH_BYTES])
{
	struct str rest = str_from(getenv("PATH")), folder;
	struct stat st;

	while (path_list_next(&rest, &folder))
		if (folder.ptr[0] == '/' &&
		    snprintf(path, LIMIT_PATH_BYTES, "%.*s/git",
			     STR_ARGS(folder)) < (int)LIMIT_PATH_BYTES &&
		    !access(path, X_OK) && !stat(path, &st) &&
		    S_ISREG(st.st_mode))
			return true;
	return false;
}

/* The user's configuration is used, for its safe.directory; programs and
 * remotes that it or the work tree may configure are disabled. */
static const char *const fixed_environment[] = {
	"PATH=/usr/bin:/bin",       "LC_ALL=C",
	"GIT_CONFIG_NOSYSTEM=1",    "GIT_ATTR_NOSYSTEM=1",
	"GIT_OPTIONAL_LOCKS=0",     "GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1",      "GIT_ALLOW_PROTOCOL=none",
	"GIT_NO_REPLACE_OBJECTS=1",
};

static const char *const arguments[] = {
	"git",
	"--no-pager",
	"--no-optional-locks",
	"--literal-pathspecs",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"core.attributesFile=/dev/null",
	"-c",
	"safe.bareRepository=explicit",
	"-c",
	"protocol.allow=never",
	"-c",
	"log.showSignature=false",
	"-c",
	"diff.suppressBlankEmpty=false",
	"-C",
	NULL, /* the folder */
	"log",
	"--max-count=3",
	"--no-show-signature",
	"--no-ext-diff",
	"--no-textconv",
	"--no-color",
	"--no-notes",
	"--encoding=UTF-8",
	"--decorate-refs=refs/none",
	/* %D shows the mark of a commit whose parents are missing. */
	"--format=commit %H %ct %D%nsubject %s",
	NULL, /* the lines */
};

static const char *home_variable(const char *name, char *text, size_t size)
{
	const char *value = getenv(name);

	return value && snprintf(text, size, "%s=%s", name, value) < (int)size
		       ? text
		       : NULL;
}

static _Noreturn void become_git(const char *git, const struct request *r)
{
	char home[LIMIT_PATH_BYTES], config[LIMIT_PATH_BYTES];
	char lines[LIMIT_PATH_BYTES + 64];
	struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	struct confine c;
	const char *environment[COUNT_OF(fixed_environment) + 3];
	const char *words[COUNT_OF(arguments) + 1];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(fixed_environment); i++)
		environment[count++] = fixed_environment[i];
	environment[count] = home_variable("HOME", home, sizeof home);
	count += environment[count] != NULL;
	environment[count] =
		home_variable("XDG_CONFIG_HOME", config, sizeof config);
	count += environment[count] != NULL;
	environment[count] = NULL;
	snprintf(lines, sizeof lines, "-L%" PRIu32 ",%" PRIu32 ":%s", r->first,
		 r->last, r->file);
	count = 0;
	for (size_t i = 0; i < COUNT_OF(arguments); i++)
		words[i] = arguments[i] ? arguments[i]
			   : count++    ? lines
					: r->folder;
	words[COUNT_OF(arguments)] = NULL;
	setrlimit(RLIMIT_CPU, &cpu);
	if (confine_begin(&c, CONFINE_NETWORK)) {
		confine_allow_program(&c, git);
		confine_allow_devices(&c);
		(void)!confine_end(&c);
	}
	/* Declared without const for historical reasons. */
	execve(git, (char *const *)(uintptr_t)words,
	       (char *const *)(uintptr_t)environment);
	_exit(127);
}

/* ---- the child ---- */

static bool read_all(int fd, void *data, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = read(fd, (char *)data + got, size - got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return false;
		got += (size_t)more;
	}
	return true;
}

static _Noreturn void wait_for_turn(const char *git, int ask, int answer)
{
	static const int signals[] = { SIGINT,	SIGQUIT, SIGPIPE,
				       SIGXFSZ, SIGTERM, SIGHUP };
	struct sigaction usual = { .sa_handler = SIG_DFL };
	static struct request r;
	int null = open("/dev/null", O_RDWR);

	for (size_t i = 0; i < COUNT_OF(signals); i++)
		sigaction(signals[i], &usual, NULL);
	/* EOF: the run ended without a function to look up. */
	if (!read_all(ask, &r, sizeof r))
		_exit(0);
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	    dup2(answer, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
		become_git(git, &r);
	_exit(127);
}

void git_log_prepare(void)
{
	char git[LIMIT_PATH_BYTES];
	int ask[2], answer[2];

	if (prepared.pid || !find_git(git) || system_pipe(ask) < 0)
		return;
	if (system_pipe(answer) < 0) {
		close(ask[0]);
		close(ask[1]);
		return;
	}
	prepared.pid = fork();
	if (prepared.pid == 0) {
		close(ask[1]);
		close(answer[0]);
		wait_for_turn(git, ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	prepared.ask = ask[1];
	prepared.answer = answer[0];
	if (prepared.pid > 0)
		return;
	prepared.pid = 0;
	close(ask[1]);
	close(answer[0]);
}

/* ---- asking ---- */

static bool send_request(const struct request *r)
{
	size_t sent = 0;

	while (sent < sizeof *r) {
		ssize_t more = write(prepared.ask, (const char *)r + sent,
				     sizeof *r - sent);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return false;
		sent += (size_t)more;
	}
	return true;
}

/* Returns whether all was read and no limit reached. */
static bool listen_to(struct buf *out)
{
	int64_t end_ns = clock_monotonic_ns() + WAIT_MS * NS_PER_MS;
	struct pollfd fd = { .fd = prepared.answer, .events = POLLIN };
	char chunk[16 * KIB];

	for (;;) {
		int64_t left_ns = end_ns - clock_monotonic_ns();
		ssize_t got;

		if (left_ns <= 0 || out->state != BUF_OK)
			return false;
		if (poll(&fd, 1, (int)(left_ns / NS_PER_MS) + 1) <= 0)
			continue;
		got = read(prepared.answer, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		buf_add(out, chunk, (size_t)got);
	}
}

/* Returns whether git itself succeeded. */
static bool end_child(bool is_whole)
{
	int status = 0;

	close(prepared.ask);
	close(prepared.answer);
	if (!is_whole)
		kill(prepared.pid, SIGKILL);
	while (waitpid(prepared.pid, &status, 0) < 0 && errno == EINTR)
		;
	prepared.pid = 0;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

enum commits_gap git_log_read(const char *path, uint32_t first, uint32_t last,
			      struct buf *out)
{
	struct request r = { .first = first, .last = last };
	struct str file = path_base(str_from(path));
	size_t len = strlen(path) - file.len;
	bool is_whole;

	if (!prepared.pid)
		return COMMITS_NO_GIT;
	if (!file.len || file.len >= sizeof r.file || len >= sizeof r.folder)
		return COMMITS_NO_FILE;
	memcpy(r.file, file.ptr, file.len);
	memcpy(r.folder, len ? path : ".", len ? len : 1);
	is_whole = send_request(&r) && listen_to(out);
	/* If it was stopped, the newest commits are already there. */
	if (!end_child(is_whole) && (is_whole || !out->len))
		return is_whole ? COMMITS_NO_TREE : COMMITS_LATE;
	return COMMITS_GAP_NONE;
}
