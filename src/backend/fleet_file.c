/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fleet_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/out.h"
#include "base/timefmt.h"
#include "decode/snapshot.h"

/* Maximum age of a file: "the last hour" of an old sweep is not what the user
 * means today. */
#define MOST_AGE_NS NS_PER_DAY

#define TAIL_BYTES 4096

static bool fail_system(const struct fleet_file *file, const char *what,
			struct error *err)
{
	return error_set(err, ERROR_OUTPUT, "--resume: cannot %s %s: %s", what,
			 file->path, strerror(errno));
}

/* ---- what is there ---- */

/* Cuts off an incomplete last line of an interrupted run. *size: the rest. */
static bool cut_tail(struct fleet_file *file, off_t *size, struct error *err)
{
	char tail[TAIL_BYTES];
	off_t end = *size;

	while (end > 0) {
		off_t from = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
		ssize_t n = pread(file->fd, tail, (size_t)(end - from), from);
		size_t lines;

		if (n != end - from)
			return fail_system(file, "read", err);
		lines = str_behind_last((struct str){ tail, (size_t)n }, '\n');
		end = from + (off_t)lines;
		if (lines)
			break;
	}
	if (end < *size && ftruncate(file->fd, end) != 0)
		return fail_system(file, "write", err);
	*size = end;
	return true;
}

static bool check_question(const struct fleet_file *file,
			   const struct fleet *f, struct str kept,
			   struct str question, int64_t now_ns,
			   struct error *err)
{
	if (!str_equal(kept, question))
		return error_set(err, ERROR_USAGE,
				 "--resume: %s belongs to another query (%.*s, "
				 "not %.*s): name another file, or remove it",
				 file->path, STR_ARGS(kept), STR_ARGS(question));
	if (now_ns - f->started_ns > MOST_AGE_NS)
		return error_set(err, ERROR_USAGE,
				 "--resume: %s belongs to a sweep that began "
				 "more than a day ago: remove it to start "
				 "again",
				 file->path);
	return true;
}

static bool read_state(struct fleet_file *file, struct str question,
		       struct fleet *f, int64_t now_ns, struct error *err)
{
	struct str kept = { NULL, 0 };
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_FLEET_FILE_BYTES);
	done = file_read(file->path, &text, err) &&
	       (fleet_state_read(f, buf_str(&text), &kept, err) ||
		error_prefix(err, "--resume: %s is not a file of check --all",
			     file->path));
	buf_release(&text);
	return done &&
	       check_question(file, f, kept, question, now_ns, err);
}

bool fleet_file_open(struct fleet_file *file, const char *path,
			    struct str question, struct fleet *f,
			    int64_t now_ns, struct error *err)
{
	struct stat st;
	off_t size;

	*file = (struct fleet_file){ .path = path, .fd = -1 };
	if (!path)
		return true;
	file->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (file->fd < 0 && errno == ENOENT)
		return true;
	if (file->fd < 0 || fstat(file->fd, &st) != 0)
		return fail_system(file, "open", err);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "--resume: %s is not a regular file", path);
	size = st.st_size;
	return cut_tail(file, &size, err) &&
	       (!size || read_state(file, question, f, now_ns, err));
}

/* ---- what is added ---- */

static bool fleet_file_add(struct fleet_file *file, struct str text,
			   struct error *err)
{
	while (text.len) {
		ssize_t n = write(file->fd, text.ptr, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_system(file, "write", err);
		text = str_slice(text, (size_t)n, text.len);
	}
	return true;
}

static bool add_buf(struct fleet_file *file, struct out *out, struct buf *text,
		    struct error *err)
{
	bool done = out_finish(out, file->path, err) &&
		    fleet_file_add(file, buf_str(text), err);

	out_release(out);
	buf_release(text);
	return done;
}

bool fleet_file_begin(struct fleet_file *file, const struct fleet *f,
			     struct str question, struct error *err)
{
	struct buf text;
	struct out out;

	if (!file->path)
		return true;
	if (file->fd >= 0 && ftruncate(file->fd, 0) != 0)
		return fail_system(file, "write", err);
	if (file->fd < 0)
		file->fd = open(file->path,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				0600);
	if (file->fd < 0)
		return fail_system(file, "write", err);
	buf_init(&text, LIMIT_FLEET_FILE_BYTES);
	out_init_memory(&out, &text);
	fleet_state_write(f, question, &out);
	return add_buf(file, &out, &text, err);
}

bool fleet_file_take(struct fleet_file *file, const struct fleet *f,
		     size_t index, struct error *err)
{
	struct buf text;
	struct out out;

	if (file->fd < 0)
		return true;
	buf_init(&text, LIMIT_FLEET_FILE_BYTES);
	out_init_memory(&out, &text);
	fleet_state_add(f, index, &out);
	return add_buf(file, &out, &text, err);
}

void fleet_file_close(struct fleet_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

bool fleet_file_remove(struct fleet_file *file, struct error *err)
{
	return !file->path || unlink(file->path) == 0 ||
	       fail_system(file, "remove", err);
}
