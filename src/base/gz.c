/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gz.h"

#include <stdint.h>

#include "base/gunzip.h"
#include "base/gz_limits.h"
#include "base/mem.h"
#include "base/num.h"

#define FIRST_ROOM (64 * KIB)

/* So much a file may begin with, whatever it packs to; and room is taken for
 * it on the word of a file. */
#define UNMEASURED_BYTES (64 * MIB)

/* Smallest member: 10 bytes header, 2 of data, 8 of check sum and size. */
#define MEMBER_BYTES 20
#define SIZE_BYTES 4u /* at its end, modulo 2^32 */

bool gz_is(struct str bytes)
{
	return str_starts(bytes, STR("\x1f\x8b"));
}

struct gz_reader {
	struct gunzip *gunzip;
	const char *what;
	size_t file_bytes; /* packed */
	size_t ceiling_bytes;
	size_t packed_bytes; /* so far */
	size_t plain_bytes;
	bool is_inside; /* of a member */
	bool has_ended; /* a member has */
	bool is_padded; /* zeros have followed it */
};

struct gz_reader *gz_reader_new(const char *what, size_t file_bytes,
				size_t ceiling_bytes, struct error *err)
{
	struct gz_reader *r = mem_calloc(1, sizeof *r);

	if (r)
		r->gunzip = gunzip_new();
	if (!r || !r->gunzip) {
		mem_free(r);
		error_memory(err, what ? what : "unpacking");
		return NULL;
	}
	r->what = what;
	r->file_bytes = file_bytes;
	r->ceiling_bytes = ceiling_bytes;
	return r;
}

void gz_reader_free(struct gz_reader *r)
{
	if (!r)
		return;
	gunzip_free(r->gunzip);
	mem_free(r);
}

/* Some tools pad archives with zeros behind the last member. */
static bool take_padding(struct gz_reader *r, struct str *packed)
{
	size_t at = 0;

	while (at < packed->len && !packed->ptr[at])
		at++;
	r->is_padded |= at > 0;
	*packed = str_slice(*packed, at, packed->len);
	return !packed->len || !r->is_padded;
}

/* All of the file may unpack to so much, and what was seen of it, where that is
 * large or has ended. */
static size_t most_bytes(const struct gz_reader *r)
{
	size_t seen = gz_honest_bytes(r->packed_bytes);

	if (r->is_inside)
		seen = max_size(seen, UNMEASURED_BYTES);
	return min_size(gz_honest_bytes(r->file_bytes), seen);
}

/* One step inside of a member. */
static bool read_step(struct gz_reader *r, struct str *packed, char *into,
		      size_t room, size_t *len, struct error *err)
{
	size_t offered = packed->len;
	enum gunzip_state state =
		gunzip_step(r->gunzip, packed, into, room, len);

	r->packed_bytes += offered - packed->len;
	r->plain_bytes += *len;
	r->is_inside = state == GUNZIP_MORE;
	r->has_ended |= state == GUNZIP_END;
	if (state == GUNZIP_NO_MEMORY)
		return error_memory(err, r->what ? r->what : "unpacking");
	if (r->plain_bytes > r->ceiling_bytes)
		return gz_fail_ceiling(r->what, r->ceiling_bytes, err);
	if (r->plain_bytes > most_bytes(r))
		return gz_fail_bomb(r->what, err);
	return state != GUNZIP_DAMAGED || gz_fail_damaged(r->what, err);
}

bool gz_reader_read(struct gz_reader *r, struct str *packed, char *into,
		    size_t room, size_t *len, struct error *err)
{
	*len = 0;
	while (*len < room) {
		size_t offered, got = 0;

		if (!r->is_inside) {
			if (r->has_ended && !take_padding(r, packed))
				return gz_fail_damaged(r->what, err);
			if (!packed->len)
				return true;
			r->is_inside = true;
		}
		offered = packed->len;
		if (!read_step(r, packed, into + *len, room - *len, &got, err))
			return false;
		*len += got;
		if (!got && r->is_inside && packed->len == offered)
			return !offered || gz_fail_damaged(r->what, err);
	}
	return true;
}

bool gz_reader_finish(const struct gz_reader *r, struct error *err)
{
	return !r->is_inside || gz_fail_truncated(r->what, err);
}

/* With room for the last step, which finds the end. */
static size_t and_one(size_t bytes)
{
	return bytes < SIZE_MAX ? bytes + 1 : bytes;
}

/* What the last member says that it unpacks to, which is not to be trusted. */
static size_t first_room(struct str bytes)
{
	size_t hint = 0;

	for (size_t i = 0; bytes.len >= MEMBER_BYTES && i < SIZE_BYTES; i++)
		hint = hint << 8 | (unsigned char)bytes.ptr[bytes.len - 1 - i];
	return and_one(max_size(hint, FIRST_ROOM));
}

static bool inflate_all(struct gz_reader *r, struct str bytes, struct buf *out,
			struct error *err)
{
	size_t room = first_room(bytes), len;

	r->is_inside = true;
	do {
		size_t left = out->max_bytes - out->len;
		char spare[1], *into = spare;

		/* Even if nothing more fits, there may be nothing more. */
		room = min_size(room, and_one(most_bytes(r) - r->plain_bytes));
		room = left ? min_size(room, left) : sizeof spare;
		if (left)
			into = buf_reserve(out, room);
		if (!into)
			return error_memory(err, r->what);
		if (!gz_reader_read(r, &bytes, into, room, &len, err))
			return false;
		if (left)
			buf_commit(out, len);
		room = max_size(out->len, FIRST_ROOM);
	} while (len);
	return gz_reader_finish(r, err);
}

bool gz_inflate(struct str bytes, const char *what, struct buf *out,
		struct error *err)
{
	struct gz_reader *r;
	bool is_done;

	if (!buf_check(out, what, err))
		return false;
	r = gz_reader_new(what, bytes.len, out->max_bytes - out->len, err);
	if (!r)
		return false;
	is_done = inflate_all(r, bytes, out, err);
	gz_reader_free(r);
	return is_done;
}
