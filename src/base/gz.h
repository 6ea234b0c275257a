/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects gzip and zstd by content, decompresses files (several members
 * allowed) and HTTP streams, and compresses. Every expansion is limited in size
 * and ratio.
 */
#ifndef BASE_GZ_H
#define BASE_GZ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

/* Returns whether bytes begin with the gzip magic 1f 8b. */
bool gz_is(struct str bytes);

enum packing {
	PACKING_NONE,
	PACKING_GZIP,
	PACKING_ZSTD,
	/* zstd frames, each prefixed with its length, as written by the
	 * OpenTelemetry Collector's file exporter. Decompressed to the
	 * concatenated messages. */
	PACKING_ZSTD_MESSAGES,
};

static inline bool packing_is_zstd(enum packing packing)
{
	return packing == PACKING_ZSTD || packing == PACKING_ZSTD_MESSAGES;
}

/* Detects the compression from the first PACKING_FRONT_BYTES bytes, or all
 * there are. */
#define PACKING_FRONT_BYTES 8u
enum packing packing_of(struct str front);

/* Decompresses all members of a file and appends them to out, limited by its
 * max_bytes; uncompressed input is treated as (damaged) gzip. Errors
 * distinguish truncation, corruption and decompression bombs, each with `what`
 * as the subject ("before.pb.gz"). Data compressed twice is decompressed
 * once. */
bool gz_inflate(struct str bytes, const char *what, struct buf *out,
		struct error *err) MUST_CHECK;

/* Same in pieces, for a file of file_bytes. what: the subject of errors,
 * borrowed; NULL: none. Returns NULL when out of memory. */
struct gz_reader;
struct gz_reader *gz_reader_new(enum packing packing, const char *what,
				size_t file_bytes, size_t ceiling_bytes,
				struct error *err) MUST_CHECK;
void gz_reader_free(struct gz_reader *r);

/* Decompresses until the room is full or *packed, advanced past the bytes used,
 * is empty; in that case *len < room. Fast with 64 KiB of room or more. */
bool gz_reader_read(struct gz_reader *r, struct str *packed, char *into,
		    size_t room, size_t *len, struct error *err) MUST_CHECK;

/* Call after the last piece. Returns false if the data is truncated. */
bool gz_reader_finish(const struct gz_reader *r, struct error *err) MUST_CHECK;

/* Compresses into one member with a zero timestamp (equal input gives identical
 * bytes) and appends it to out. */
bool gz_deflate(struct str bytes, struct buf *out,
		struct error *err) MUST_CHECK;

/* Same in a third of the time; output is a few percent larger. */
bool gz_deflate_fast(struct str bytes, struct buf *out,
		     struct error *err) MUST_CHECK;

/* Streaming decompression of gzip or zlib HTTP content. */
struct gz_stream;

/* ceiling_bytes limits the decompressed total. NULL when out of memory. */
struct gz_stream *gz_stream_new(size_t ceiling_bytes, struct error *err);
void gz_stream_free(struct gz_stream *z);

/* Decompresses a piece and appends it to out. Returns false on corruption or a
 * decompression bomb. */
bool gz_stream_feed(struct gz_stream *z, struct str bytes, struct buf *out,
		    struct error *err) MUST_CHECK;

/* Call after the last piece. Returns false if the stream is truncated. */
bool gz_stream_finish(struct gz_stream *z, struct error *err) MUST_CHECK;

/* Stepwise decompression of a gzip file member by member: by ISA-L where the
 * build has it, else by zlib. ISA-L takes a third less time than libdeflate
 * and, unlike it, needs neither the complete input nor the complete output in
 * memory (docs/lab/performance.md, "ISA-L unpacks"). Both check header,
 * checksum and size. Limits are enforced by gz.c. Private to base/. */

struct gunzip;

enum gunzip_state {
	GUNZIP_MORE, /* needs more input or more room */
	GUNZIP_END,  /* of the member; the next step begins another */
	GUNZIP_DAMAGED,
	GUNZIP_NO_MEMORY,
	/* zstd only: the window is larger than allowed, or a dictionary is
	 * needed. */
	GUNZIP_WIDE,
	GUNZIP_DICTIONARY,
};

/* NULL when out of memory. */
struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *g);

/* Decompresses until *packed, advanced past the bytes used, or the room is
 * exhausted. *len: bytes written. */
enum gunzip_state gunzip_step(struct gunzip *g, struct str *packed, char *into,
			      size_t room, size_t *len);

/* Same for a zstd file, frame by frame, or message by message, each prefixed
 * with its length (has_lengths). Returns NULL also if libzstd is not
 * installed. */
struct unzstd;
struct unzstd *unzstd_new(bool has_lengths, struct error *err);
void unzstd_free(struct unzstd *u);
enum gunzip_state unzstd_step(struct unzstd *u, struct str *packed, char *into,
			      size_t room, size_t *len);

/* Allocator for zlib's state and window, overwritten when freed: they keep
 * decompressed data, and a response may hold a token. Private to base/. */

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
