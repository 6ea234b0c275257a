/* SPDX-License-Identifier: Apache-2.0 */
#include "base/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/mem.h"
#include "base/num.h"

/* The capacity of a pipe; larger chunks save no calls. */
#define CHUNK_BYTES (64 * KIB)

bool out_init_fd(struct out *o, int fd, struct error *err)
{
	*o = (struct out){ .fd = fd, .chunk = mem_alloc(CHUNK_BYTES) };
	return o->chunk || error_memory(err, "the output");
}

void out_init_memory(struct out *o, struct buf *memory)
{
	*o = (struct out){ .fd = -1, .memory = memory };
}

void out_release(struct out *o)
{
	mem_free(o->chunk);
	*o = (struct out){ .fd = -1 };
}

static void out_fail(struct out *o, int error_number)
{
	o->is_failed = true;
	o->error_number = error_number;
}

void out_fail_memory(struct out *o)
{
	if (o->memory)
		o->memory->state = BUF_OUT_OF_MEMORY;
	else if (!o->is_failed)
		out_fail(o, ENOMEM);
}

static bool is_worth_retry(int fd, int error_number)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (error_number == EINTR)
		return true;
	/* Non-blocking terminals or pipes, set so by another process. */
	if (error_number != EAGAIN)
		return false;
	return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static void write_all(struct out *o, const char *data, size_t len)
{
	while (len && !o->is_failed) {
		ssize_t done = write(o->fd, data, len);

		if (done >= 0) {
			data += done;
			len -= (size_t)done;
		} else if (!is_worth_retry(o->fd, errno)) {
			out_fail(o, errno);
		}
	}
}

static void out_flush(struct out *o)
{
	write_all(o, o->chunk, o->used);
	o->used = 0;
}

void out_wipe(struct out *o)
{
	size_t used = o->used;

	out_flush(o);
	if (o->chunk)
		mem_wipe(o->chunk, used);
}

void out_add(struct out *o, const void *data, size_t len)
{
	if (o->memory) {
		buf_add(o->memory, data, len);
		return;
	}
	if (o->is_failed || !len)
		return;
	if (len > CHUNK_BYTES - o->used)
		out_flush(o);
	if (len >= CHUNK_BYTES) {
		write_all(o, data, len);
		return;
	}
	memcpy(o->chunk + o->used, data, len);
	o->used += len;
}

void out_str(struct out *o, struct str text)
{
	out_add(o, text.ptr, text.len);
}

void out_text(struct out *o, const char *text)
{
	out_add(o, text, strlen(text));
}

void out_char(struct out *o, char c)
{
	out_add(o, &c, 1);
}

void out_repeat(struct out *o, const char *text, size_t times)
{
	size_t len = strlen(text);

	while (times--)
		out_add(o, text, len);
}

void out_int(struct out *o, int64_t value)
{
	char text[1 + DIGITS_U64] = "-";
	char *digits = text + (value < 0);

	out_add(o, text,
		(size_t)(put_u64(digits, magnitude_i64(value), 1) - text));
}

/* Formats text that is too long for the stack in a heap buffer. */
static PRINTF_LIKE(3, 0) void add_long(struct out *o, size_t len,
				       const char *format, va_list args)
{
	char *text = mem_alloc(len + 1);

	if (!text) {
		out_fail_memory(o);
		return;
	}
	vsnprintf(text, len + 1, format, args);
	out_add(o, text, len);
	mem_free(text);
}

void outf(struct out *o, const char *format, ...)
{
	char text[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len < sizeof text) {
		out_add(o, text, (size_t)len);
		return;
	}
	va_start(args, format);
	add_long(o, (size_t)len, format, args);
	va_end(args);
}

bool out_finish(struct out *o, const char *name, struct error *err)
{
	if (o->memory)
		return buf_check(o->memory, name, err);
	out_flush(o);
	if (!o->is_failed)
		return true;
	return error_set(err, ERROR_OUTPUT, "%s: cannot write: %s", name,
			 strerror(o->error_number));
}

bool out_is_broken_pipe(const struct out *o)
{
	return o->is_failed && o->error_number == EPIPE;
}

/* Atomic file output, see out.h. */

/* Lock files for the state of an export and for the configuration. */
#define LOCKS 2

/* Outputs of a run, its case file, and a spare one. */
#define MAX_UNFINISHED (LIMIT_OUTPUTS + 2 + LOCKS)

/* Maximum number of existing temporary files to skip. */
#define MAX_NAME_TRIES 1000

/* Prefix and suffix of temporary files. */
#define TEMP_START ".tracefind-"
#define TEMP_END ".tmp"

/* Initial buffer if the size is unknown. */
#define READ_BYTES (64 * KIB)

/* Read by the signal handler: a pointer is only added once its file exists, and
 * removed before its text is freed. */
static _Atomic(const char *) unfinished[MAX_UNFINISHED];

static bool fail_write(struct error *err, const char *path, int error_number)
{
	return error_set(err, ERROR_OUTPUT, "%s: cannot write: %s", path,
			 strerror(error_number));
}

bool outfile_remember(const char *temp_path)
{
	for (size_t i = 0; i < MAX_UNFINISHED; i++) {
		const char *none = NULL;

		if (atomic_compare_exchange_strong(&unfinished[i], &none,
						   temp_path))
			return true;
	}
	return false;
}

void outfile_forget(const char *temp_path)
{
	for (size_t i = 0; i < MAX_UNFINISHED; i++) {
		const char *mine = temp_path;

		if (atomic_compare_exchange_strong(&unfinished[i], &mine, NULL))
			return;
	}
}

void outfile_remove_unfinished(void)
{
	int saved = errno;

	for (size_t i = 0; i < MAX_UNFINISHED; i++) {
		const char *path = atomic_exchange(&unfinished[i], NULL);

		if (path)
			unlink(path);
	}
	errno = saved;
}

/* Returns the descriptor of a name like /dev/stdout, or -1. Opening the name
 * again would lose the position and append mode of a redirection. */
static int named_fd(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t fd;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(folders[i]);

		if (!strncmp(path, folders[i], len) &&
		    parse_u64(str_from(path + len), &fd) && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static bool open_in_place(struct outfile *f, struct error *err)
{
	int given = named_fd(f->path);

	f->fd = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 3)
			   : open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return f->fd >= 0 || fail_write(err, f->path, errno);
}

/* Creates the file and adds it to the list with signals blocked, so that no
 * handler runs in between. */
static int create_remembered(const char *temp_path, unsigned mode)
{
	sigset_t all;
	sigset_t before;
	int error_number;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	fd = open(temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	error_number = errno;
	if (fd >= 0 && !outfile_remember(temp_path)) {
		unlink(temp_path);
		close(fd);
		fd = -1;
		error_number = EMFILE;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error_number;
	return fd;
}

/* Minimum age: another machine, whose processes are unknown here, may be
 * writing to the same folder. */
#define SWEEP_AGE_S 3600

static bool is_left_behind(int folder, const char *name)
{
	struct str start = STR(TEMP_START), digits = str_from(name);
	struct stat st;
	uint64_t pid;

	/* ".tracefind-PID-NUMBER.tmp" */
	if (!str_starts(digits, start) || !str_ends(digits, STR(TEMP_END)))
		return false;
	digits = str_slice(digits, start.len, digits.len);
	digits = str_slice(digits, 0, str_find(digits, STR("-")));
	return parse_u64(digits, &pid) && pid && pid <= INT_MAX &&
	       kill((pid_t)pid, 0) && errno == ESRCH &&
	       !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > SWEEP_AGE_S;
}

void outfile_sweep(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_left_behind(dirfd(dir), entry->d_name))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* Opens a temporary file in the folder of the target, so that the rename does
 * not cross file systems. */
static bool open_neighbour(struct outfile *f, const char *target, unsigned mode,
			   struct error *err)
{
	const char *slash = strrchr(target, '/');
	size_t folder_len = slash ? (size_t)(slash - target) + 1 : 0;
	size_t size = folder_len + 64;

	f->temp_path = mem_alloc(size);
	if (!f->temp_path)
		return error_memory(err, f->path);
	for (unsigned i = 0; i < MAX_NAME_TRIES && f->fd < 0; i++) {
		snprintf(f->temp_path, size, "%.*s" TEMP_START "%ld-%u" TEMP_END,
			 (int)folder_len, target, (long)getpid(), i);
		f->fd = create_remembered(f->temp_path, mode);
		if (f->fd < 0 && errno != EEXIST)
			break;
	}
	if (f->fd >= 0)
		return true;
	fail_write(err, f->path, errno);
	mem_free(f->temp_path);
	f->temp_path = NULL;
	return false;
}

/* Determines what path is. A link is followed: its target is replaced. The new
 * file gets the permissions of the existing one. */
static bool open_target(struct outfile *f, unsigned mode, struct error *err)
{
	char resolved[PATH_MAX];
	struct stat st;

	if (named_fd(f->path) >= 0)
		return open_in_place(f, err);
	if (stat(f->path, &st)) {
		if (errno != ENOENT || !*f->path)
			return fail_write(err, f->path, errno);
		return open_neighbour(f, f->path, mode, err);
	}
	if (S_ISDIR(st.st_mode))
		return fail_write(err, f->path, EISDIR);
	if (!S_ISREG(st.st_mode))
		return open_in_place(f, err);
	if (access(f->path, W_OK) || !realpath(f->path, resolved))
		return fail_write(err, f->path, errno);
	mem_free(f->path);
	f->path = mem_strdup(resolved);
	if (!f->path)
		return error_memory(err, "a file name");
	if (!open_neighbour(f, resolved, mode, err))
		return false;
	if (fchmod(f->fd, st.st_mode & mode & 0777))
		return fail_write(err, f->path, errno);
	return true;
}

bool outfile_open(struct outfile *f, const char *path, unsigned mode,
		  struct error *err)
{
	*f = (struct outfile){ .fd = -1, .out.fd = -1 };
	f->path = mem_strdup(path);
	if (!f->path)
		return error_memory(err, "a file name");
	if (open_target(f, mode, err) && out_init_fd(&f->out, f->fd, err))
		return true;
	outfile_abort(f);
	return false;
}

/* Frees the struct; does not touch the file. */
static void outfile_release(struct outfile *f)
{
	out_release(&f->out);
	if (f->fd >= 0)
		close(f->fd);
	if (f->temp_path)
		outfile_forget(f->temp_path);
	mem_free(f->temp_path);
	mem_free(f->path);
	*f = (struct outfile){ .fd = -1, .out.fd = -1 };
}

void outfile_abort(struct outfile *f)
{
	if (f->temp_path)
		unlink(f->temp_path);
	if (f->path || f->temp_path)
		outfile_release(f);
}

/* Some file systems and all pipes do not support sync; that is not an error. */
static bool sync_and_close(struct outfile *f)
{
	int fd = f->fd;

	if (f->temp_path && fsync(fd) && errno != EINVAL && errno != ENOTSUP)
		return false;
	f->fd = -1;
	return close(fd) == 0 || errno == EINTR;
}

/* So that the new name survives a power failure, where supported. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) + 1 : 1;
	int fd;

	if ((size_t)len >= sizeof folder)
		return;
	snprintf(folder, sizeof folder, "%.*s", len, slash ? path : ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

bool outfile_commit(struct outfile *f, struct error *err)
{
	bool is_done = out_finish(&f->out, f->path, err);

	if (is_done && !sync_and_close(f))
		is_done = fail_write(err, f->path, errno);
	if (is_done && f->temp_path && rename(f->temp_path, f->path))
		is_done = fail_write(err, f->path, errno);
	if (!is_done) {
		outfile_abort(f);
		return false;
	}
	if (f->temp_path)
		sync_folder(f->path);
	outfile_release(f);
	return true;
}

bool folders_make(const char *path, struct error *err)
{
	char folder[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof folder)
		return error_set(err, ERROR_OUTPUT, "%s: the name is too long",
				 path);
	memcpy(folder, path, len + 1);
	for (size_t i = 1; i < len; i++) {
		if (folder[i] != '/')
			continue;
		folder[i] = '\0';
		if (mkdir(folder, 0700) && errno != EEXIST)
			return error_set(err, ERROR_OUTPUT,
					 "%s: cannot make this folder: %s",
					 folder, strerror(errno));
		folder[i] = '/';
	}
	return true;
}

bool file_is_absent(int error_number)
{
	return error_number == ENOENT || error_number == ENOTDIR;
}

bool file_fail_read(const char *name, int error_number, struct error *err)
{
	enum error_code code = ERROR_FORMAT;

	if (file_is_absent(error_number))
		return error_set(err, ERROR_USAGE, "%s: no such file", name);
	if (error_number == EACCES || error_number == EPERM)
		code = ERROR_AUTH;
	else if (error_number == EISDIR)
		code = ERROR_USAGE;
	else if (error_number == EINTR)
		code = ERROR_INTERRUPTED;
	return error_set(err, code, "%s: cannot read: %s", name,
			 strerror(error_number));
}

/* Growth factor between calls of may_go_on(). */
#define LOOK_FACTOR 16

struct judge {
	bool (*may_go_on)(void *context, struct str front, struct error *err);
	void *context;
};

/* The last read, which detects the end, goes to a byte on the stack: the buffer
 * only grows when there is data for it. */
static bool read_to_end(int fd, const char *name, struct buf *out,
			const struct judge *judge, struct error *err)
{
	size_t look_at = judge ? FILE_FRONT_BYTES : SIZE_MAX;
	char probe = 0;

	for (;;) {
		size_t room = out->cap ? out->cap - out->len - 1 : 0;
		ssize_t got;

		if (out->len >= look_at) {
			if (!judge->may_go_on(judge->context, buf_str(out),
					      err))
				return false;
			look_at *= LOOK_FACTOR;
		}
		if (room > look_at - out->len)
			room = look_at - out->len;
		got = read(fd, room ? out->data + out->len : &probe,
			   room ? room : 1);

		if (got < 0)
			return file_fail_read(name, errno, err);
		if (got == 0)
			return true;
		if (room)
			buf_commit(out, (size_t)got);
		else
			buf_add_char(out, probe);
		if (out->state != BUF_OK)
			return buf_check(out, name, err);
	}
}

/* Refuses unreadable files and reserves memory: for all of a regular file, or
 * for a chunk of anything else. */
static bool prepare_read(int fd, const char *name, struct buf *out,
			 struct error *err)
{
	size_t room = READ_BYTES < out->max_bytes ? READ_BYTES : out->max_bytes;
	struct stat st;

	if (fstat(fd, &st))
		return file_fail_read(name, errno, err);
	if (S_ISDIR(st.st_mode))
		return file_fail_read(name, EISDIR, err);
	if (S_ISREG(st.st_mode) && st.st_size > 0)
		room = (uintmax_t)st.st_size < SIZE_MAX ? (size_t)st.st_size
							: SIZE_MAX;
	return buf_reserve(out, room) || buf_check(out, name, err);
}

static bool read_file(const char *path, struct buf *out,
		      const struct judge *judge, struct error *err)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	int fd = STDIN_FILENO;
	bool is_done;

	if (!is_stdin)
		fd = confine_open(path, O_RDONLY | O_NOCTTY);
	if (fd < 0)
		return file_fail_read(name, errno, err);
	is_done = prepare_read(fd, name, out, err) &&
		  read_to_end(fd, name, out, judge, err);
	if (!is_stdin)
		close(fd);
	return is_done;
}

bool file_read(const char *path, struct buf *out, struct error *err)
{
	return read_file(path, out, NULL, err);
}

bool file_read_judged(const char *path, struct buf *out,
		      bool (*may_go_on)(void *context, struct str front,
					struct error *err),
		      void *context, struct error *err)
{
	const struct judge judge = { may_go_on, context };

	return read_file(path, out, &judge, err);
}
