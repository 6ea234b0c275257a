/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises gzip and zstd by content, unpacks files (several members allowed)
 * and streams of HTTP content, packs. Every expansion is bounded in size and in
 * ratio.
 */
#ifndef BASE_GZ_H
#define BASE_GZ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

/* Begins with 1f 8b. */
bool gz_is(struct str bytes);

enum packing {
	PACKING_NONE,
	PACKING_GZIP,
	PACKING_ZSTD,
	/* Frames of zstd, the length in front of each: the collector's file
	 * exporter. The messages are given one after the other. */
	PACKING_ZSTD_MESSAGES,
};

static inline bool packing_is_zstd(enum packing packing)
{
	return packing == PACKING_ZSTD || packing == PACKING_ZSTD_MESSAGES;
}

/* By the first bytes, of which so many, or all, are looked at. */
#define PACKING_FRONT_BYTES 8u
enum packing packing_of(struct str front);

/* Unpacks all members of a file, appending to out, whose max_bytes is the
 * ceiling; what is not packed is taken for gzip. Errors name truncation, damage
 * and bombs apart, each with `what` as the subject ("before.pb.gz"). What is
 * packed twice is unpacked once. */
bool gz_inflate(struct str bytes, const char *what, struct buf *out,
		struct error *err) MUST_CHECK;

/* The same piece by piece, of a file of so many bytes. what: the subject of
 * errors, borrowed; NULL: they have none. NULL when out of memory. */
struct gz_reader;
struct gz_reader *gz_reader_new(enum packing packing, const char *what,
				size_t file_bytes, size_t ceiling_bytes,
				struct error *err) MUST_CHECK;
void gz_reader_free(struct gz_reader *r);

/* Unpacks until the room is full or *packed, of which it takes off what it has
 * used, is exhausted: then *len is less than room. It is fast where the room
 * is 64 KiB or more. */
bool gz_reader_read(struct gz_reader *r, struct str *packed, char *into,
		    size_t room, size_t *len, struct error *err) MUST_CHECK;

/* After the last piece: false when it ended in the middle. */
bool gz_reader_finish(const struct gz_reader *r, struct error *err) MUST_CHECK;

/* Packs into one member with a zero time stamp (byte-identical for equal
 * input), appending to out. */
bool gz_deflate(struct str bytes, struct buf *out,
		struct error *err) MUST_CHECK;

/* The same in a third of the time, and some percent larger. */
bool gz_deflate_fast(struct str bytes, struct buf *out,
		     struct error *err) MUST_CHECK;

/* Streaming inflate of gzip or zlib-wrapped HTTP content. */
struct gz_stream;

/* ceiling_bytes bounds the plain total. NULL when out of memory. */
struct gz_stream *gz_stream_new(size_t ceiling_bytes, struct error *err);
void gz_stream_free(struct gz_stream *z);

/* Feeds packed bytes, appends plain ones to out. False: damaged or a bomb. */
bool gz_stream_feed(struct gz_stream *z, struct str bytes, struct buf *out,
		    struct error *err) MUST_CHECK;

/* After the last feed: false when the stream ended in the middle. */
bool gz_stream_finish(struct gz_stream *z, struct error *err) MUST_CHECK;

/* One member of a gzip file after another, unpacked step by step: by ISA-L
 * where the build has it, which takes a third less time than libdeflate and,
 * unlike it, needs neither all of the input nor of the output at once
 * (docs/lab/performance.md, "ISA-L unpacks"); else by zlib. Both check header, check sum and size. Knows nothing of limits: gz.c
 * has them. Private to base/. */

struct gunzip;

enum gunzip_state {
	GUNZIP_MORE, /* wants more bytes, or more room */
	GUNZIP_END,  /* of the member: the next step begins another one */
	GUNZIP_DAMAGED,
	GUNZIP_NO_MEMORY,
	/* Of zstd: more has to be remembered than is allowed, or to be known. */
	GUNZIP_WIDE,
	GUNZIP_DICTIONARY,
};

/* NULL when out of memory. */
struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *g);

/* Unpacks until *packed, of which it takes off what it has used, or the room
 * is exhausted. *len: how much of the room was filled. */
enum gunzip_state gunzip_step(struct gunzip *g, struct str *packed, char *into,
			      size_t room, size_t *len);

/* One frame of a zstd file after another, likewise, or one message with its
 * length in front. NULL also when the library is not there. */
struct unzstd;
struct unzstd *unzstd_new(bool has_lengths, struct error *err);
void unzstd_free(struct unzstd *u);
enum gunzip_state unzstd_step(struct unzstd *u, struct str *packed, char *into,
			      size_t room, size_t *len);

/* State and window of zlib, in which what it unpacked stays behind: an answer may
 * hold a token. Private to base/. */

static inline void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	(void)opaque;
	return mem_wiped_calloc(count, size);
}

static inline void zlib_free(void *opaque, void *ptr)
{
	(void)opaque;
	mem_wiped_free(ptr);
}

#endif
