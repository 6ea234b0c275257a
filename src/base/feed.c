/* SPDX-License-Identifier: Apache-2.0 */
#include "base/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"

/* Size of reads from a compressed file. */
#define PACKED_BYTES (64 * KIB)
/* Size of reads when skipping forward. */
#define SKIPPED_BYTES (64 * KIB)

struct feed {
	struct str memory;
	const char *path; /* NULL: in memory */
	int fd;
	uint64_t at;      /* bytes returned so far */
	uint64_t file_at; /* bytes read from the file, decompressed */
	char *front;      /* its first FEED_FRONT_BYTES, or NULL */
	size_t front_len;
	size_t file_bytes;
	size_t max_plain_bytes;
	struct error err;

	enum packing packing;
	struct gz_reader *gz; /* NULL: not compressed */
	char *packed;         /* PACKED_BYTES */
	struct str rest;      /* the part of packed not yet decompressed */
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
	gz_reader_free(f->gz);
	mem_free(f->packed);
	mem_free(f->front);
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

/* Reads raw bytes of the file; 0 at its end and on failure. */
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

static size_t read_packed(struct feed *f, char *into, size_t room)
{
	size_t len = 0, got;

	while (gz_reader_read(f->gz, &f->rest, into + len, room - len, &got,
			      &f->err)) {
		len += got;
		if (len == room)
			return len;
		f->rest.ptr = f->packed;
		f->rest.len = read_file(f, f->packed, PACKED_BYTES);
		if (!f->rest.len)
			break;
	}
	if (f->err.code == ERROR_NONE)
		(void)!gz_reader_finish(f->gz, &f->err);
	return len;
}

/* Continues reading at file_at. */
static size_t read_on(struct feed *f, char *into, size_t room)
{
	size_t len = 0;

	if (f->err.code == ERROR_NONE && room)
		len = f->gz ? read_packed(f, into, room)
			    : read_file(f, into, room);
	f->file_at += len;
	return len;
}

static void drop_front(struct feed *f)
{
	mem_free(f->front);
	f->front = NULL;
	f->front_len = 0;
}

struct str feed_front(struct feed *f)
{
	if (!f->path)
		return str_slice(f->memory, 0, FEED_FRONT_BYTES);
	if (!f->front && f->err.code == ERROR_NONE) {
		f->front = mem_alloc(FEED_FRONT_BYTES);
		if (!f->front)
			error_memory(&f->err, "the input");
		else
			f->front_len = read_on(f, f->front, FEED_FRONT_BYTES);
	}
	return (struct str){ f->front ? f->front : "", f->front_len };
}

size_t feed_read(struct feed *f, char *into, size_t room)
{
	size_t len = 0;

	if (!f->path) {
		struct str piece = str_slice(f->memory, (size_t)f->at, room);

		if (piece.len)
			memcpy(into, piece.ptr, piece.len);
		f->at += piece.len;
		return piece.len;
	}
	if (f->at < f->front_len) {
		len = min_size(room, f->front_len - (size_t)f->at);
		memcpy(into, f->front + f->at, len);
	}
	if (len < room) {
		drop_front(f);
		len += read_on(f, into + len, room - len);
	}
	f->at += len;
	return len;
}

/* Restarts decompression from the beginning of the file. */
static bool feed_restart(struct feed *f)
{
	gz_reader_free(f->gz);
	f->gz = gz_reader_new(f->packing, NULL, f->file_bytes,
			      f->max_plain_bytes, &f->err);
	f->rest = STR("");
	f->file_at = 0;
	if (f->gz && lseek(f->fd, 0, SEEK_SET) < 0)
		return file_fail_read(f->path, errno, &f->err);
	return f->gz;
}

static void seek_packed(struct feed *f, uint64_t offset)
{
	char *skipped;

	if (offset < f->file_at && !feed_restart(f))
		return;
	if (offset == f->file_at)
		return;
	skipped = mem_alloc(SKIPPED_BYTES);
	if (!skipped)
		error_memory(&f->err, "the input");
	while (skipped && f->file_at < offset) {
		uint64_t left = offset - f->file_at;
		size_t room =
			left < SKIPPED_BYTES ? (size_t)left : SKIPPED_BYTES;

		if (!read_on(f, skipped, room))
			break;
	}
	mem_free(skipped);
}

void feed_seek(struct feed *f, uint64_t offset)
{
	if (f->err.code != ERROR_NONE)
		return;
	f->at = offset;
	if (!f->path || offset < f->front_len)
		return;
	drop_front(f);
	if (f->gz)
		seek_packed(f, offset);
	else if (lseek(f->fd, (off_t)offset, SEEK_SET) < 0)
		file_fail_read(f->path, errno, &f->err);
	else
		f->file_at = offset;
}

/* Detects compression by the first bytes. */
static bool feed_prepare(struct feed *f, struct error *err)
{
	char start[PACKING_FRONT_BYTES];
	ssize_t got = pread(f->fd, start, sizeof start, 0);

	if (got < 0)
		return file_fail_read(f->path, errno, err);
	f->packing = packing_of((struct str){ start, (size_t)got });
	if (f->packing == PACKING_NONE)
		return true;
	f->packed = mem_alloc(PACKED_BYTES);
	if (!f->packed)
		return error_memory(err, f->path);
	return feed_restart(f) || feed_check(f, err);
}

struct feed *feed_open(const char *path, size_t max_packed_bytes,
		       size_t max_plain_bytes, bool *is_regular,
		       struct error *err)
{
	struct feed *f;
	struct stat st;

	/* Opening a pipe would have side effects on its writer. */
	*is_regular = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		      (uintmax_t)st.st_size <= max_packed_bytes;
	f = *is_regular ? feed_new(STR(""), err) : NULL;
	if (!f)
		return NULL;
	f->fd = confine_open(path, O_RDONLY | O_NOCTTY);
	f->path = path;
	f->file_bytes = (size_t)st.st_size;
	f->max_plain_bytes = max_plain_bytes;
	if (f->fd < 0)
		file_fail_read(path, errno, err);
	else if (feed_prepare(f, err))
		return f;
	feed_free(f);
	return NULL;
}
