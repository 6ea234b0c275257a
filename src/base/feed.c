/* SPDX-License-Identifier: Apache-2.0 */
#include "base/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"

/* Of a packed file at a time. */
#define PACKED_BYTES (32 * KIB)
/* What they unpack to at a time, with room for the worst ratio. */
#define PLAIN_BYTES (PACKED_BYTES * 1040)

struct feed {
	struct str memory;
	const char *path; /* NULL: in memory */
	int fd;
	uint64_t at; /* of the bytes handed out */
	size_t max_plain_bytes;
	struct error err;

	struct gz_stream *gz; /* NULL: read as it is */
	struct buf plain;     /* unpacked, from plain_at not handed out */
	size_t plain_at;
	char *packed;
};

struct feed *feed_new(struct str bytes, struct error *err)
{
	struct feed *f = mem_calloc(1, sizeof *f);

	if (!f) {
		error_memory(err, "the input");
		return NULL;
	}
	f->memory = bytes;
	f->fd = -1;
	return f;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	gz_stream_free(f->gz);
	buf_release(&f->plain);
	mem_free(f->packed);
	if (f->fd >= 0)
		close(f->fd);
	mem_free(f);
}

bool feed_in_memory(const struct feed *f, struct str *bytes)
{
	*bytes = f->memory;
	return !f->path;
}

bool feed_check(const struct feed *f, struct error *err)
{
	if (f->err.code != ERROR_NONE)
		*err = f->err;
	return f->err.code == ERROR_NONE;
}

/* From the file as it lies; 0 at its end and on failure. */
static size_t read_file(struct feed *f, char *into, size_t room)
{
	size_t len = 0;

	while (len < room && f->err.code == ERROR_NONE) {
		ssize_t got = read(f->fd, into + len, room - len);

		if (got == 0)
			break;
		if (got < 0)
			file_fail_read(f->path, errno, &f->err);
		else
			len += (size_t)got;
	}
	return len;
}

/* Unpacks the next piece of the file; false at the end and on failure. */
static bool unpack(struct feed *f)
{
	buf_clear(&f->plain);
	f->plain_at = 0;
	while (!f->plain.len) {
		size_t len = read_file(f, f->packed, PACKED_BYTES);
		struct str piece = { f->packed, len };

		if (f->err.code != ERROR_NONE)
			return false;
		if (!len) {
			(void)!gz_stream_finish(f->gz, &f->err);
			return false;
		}
		if (!gz_stream_feed(f->gz, piece, &f->plain, &f->err))
			return false;
	}
	return true;
}

static size_t read_packed(struct feed *f, char *into, size_t room)
{
	size_t len = 0;

	while (len < room) {
		size_t step = min_size(room - len, f->plain.len - f->plain_at);

		if (!step && (f->err.code != ERROR_NONE || !unpack(f)))
			break;
		memcpy(into + len, f->plain.data + f->plain_at, step);
		f->plain_at += step;
		len += step;
	}
	return len;
}

static size_t read_memory(struct feed *f, char *into, size_t room)
{
	struct str piece = str_slice(f->memory, (size_t)f->at, room);

	if (piece.len)
		memcpy(into, piece.ptr, piece.len);
	return piece.len;
}

size_t feed_read(struct feed *f, char *into, size_t room)
{
	size_t len;

	if (f->err.code != ERROR_NONE)
		return 0;
	if (!f->path)
		len = read_memory(f, into, room);
	else if (f->gz)
		len = read_packed(f, into, room);
	else
		len = read_file(f, into, room);
	f->at += len;
	return len;
}

/* Unpacking begins at the front of the file. */
static bool restart(struct feed *f)
{
	gz_stream_free(f->gz);
	f->gz = gz_stream_new(f->max_plain_bytes, &f->err);
	buf_clear(&f->plain);
	f->plain_at = 0;
	f->at = 0;
	if (f->gz && lseek(f->fd, 0, SEEK_SET) < 0)
		return file_fail_read(f->path, errno, &f->err);
	return f->gz;
}

static void seek_packed(struct feed *f, uint64_t offset)
{
	if (offset < f->at && !restart(f))
		return;
	while (f->at < offset) {
		size_t left = f->plain.len - f->plain_at;
		size_t step =
			offset - f->at < left ? (size_t)(offset - f->at) : left;

		if (!step && !unpack(f))
			return;
		f->plain_at += step;
		f->at += step;
	}
}

void feed_seek(struct feed *f, uint64_t offset)
{
	if (f->err.code != ERROR_NONE)
		return;
	if (f->gz) {
		seek_packed(f, offset);
		return;
	}
	f->at = offset;
	if (f->path && lseek(f->fd, (off_t)offset, SEEK_SET) < 0)
		file_fail_read(f->path, errno, &f->err);
}

/* Looks at the first two bytes. */
static bool prepare(struct feed *f, struct error *err)
{
	char start[2];
	ssize_t got = pread(f->fd, start, sizeof start, 0);

	if (got < 0)
		return file_fail_read(f->path, errno, err);
	if (!gz_is((struct str){ start, (size_t)got }))
		return true;
	buf_init(&f->plain, PLAIN_BYTES);
	f->packed = mem_alloc(PACKED_BYTES);
	if (!f->packed)
		return error_memory(err, f->path);
	return restart(f) || feed_check(f, err);
}

/* The first two and the last four bytes, which tell its size. */
static bool reads_small_gz(int fd, size_t max_packed_bytes,
			   size_t max_plain_bytes)
{
	char start[2], end[GZ_SIZE_BYTES];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size >= (off_t)sizeof end &&
	       (uintmax_t)st.st_size <= max_packed_bytes &&
	       pread(fd, start, sizeof start, 0) == sizeof start &&
	       gz_is((struct str){ start, sizeof start }) &&
	       pread(fd, end, sizeof end, st.st_size - (off_t)sizeof end) ==
		       sizeof end &&
	       gz_size(end) <= max_plain_bytes;
}

bool feed_is_small_gz(const char *path, size_t max_packed_bytes,
		      size_t max_plain_bytes)
{
	struct stat st;
	bool is_small = false;
	int fd;

	/* Opening a pipe would wake its writer up. */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_small = reads_small_gz(fd, max_packed_bytes, max_plain_bytes);
	close(fd);
	return is_small;
}

struct feed *feed_open(const char *path, size_t max_packed_bytes,
		       size_t max_plain_bytes, bool *is_regular,
		       struct error *err)
{
	struct feed *f;
	struct stat st;

	/* Opening a pipe would wake its writer up. */
	*is_regular = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		      (uintmax_t)st.st_size <= max_packed_bytes;
	f = *is_regular ? feed_new(STR(""), err) : NULL;
	if (!f)
		return NULL;
	f->fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	f->path = path;
	f->max_plain_bytes = max_plain_bytes;
	if (f->fd < 0)
		file_fail_read(path, errno, err);
	else if (prepare(f, err))
		return f;
	feed_free(f);
	return NULL;
}
