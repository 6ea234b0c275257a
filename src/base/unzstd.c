/* SPDX-License-Identifier: Apache-2.0 */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/gz.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/num.h"

#define ZSTD_CALLS(X)                                                          \
	X(ZSTD_DCtx_setParameter)                                              \
	X(ZSTD_createDCtx)                                                     \
	X(ZSTD_decompressStream)                                               \
	X(ZSTD_freeDCtx)                                                       \
	X(ZSTD_getErrorCode)                                                   \
	X(ZSTD_isError)

LIBRARY_CALLS(ZSTD_CALLS, LIBRARY_ZSTD)

#define ZSTD_DCtx_setParameter LIBRARY_CALL(ZSTD_DCtx_setParameter)
#define ZSTD_createDCtx LIBRARY_CALL(ZSTD_createDCtx)
#define ZSTD_decompressStream LIBRARY_CALL(ZSTD_decompressStream)
#define ZSTD_freeDCtx LIBRARY_CALL(ZSTD_freeDCtx)
#define ZSTD_getErrorCode LIBRARY_CALL(ZSTD_getErrorCode)
#define ZSTD_isError LIBRARY_CALL(ZSTD_isError)

/* Maximum window size, as a power of two: 128 MiB, the largest of all zstd
 * levels without --long. */
#define ZSTD_WINDOW_BITS 27

/* Size of the length before a message, most significant byte first. */
#define LENGTH_BYTES 4u

struct unzstd {
	ZSTD_DCtx *context;
	bool has_lengths;
	bool is_inside;     /* within a frame */
	unsigned length_at; /* bytes of the length read */
	size_t left;        /* of the message, or the length read so far */
};

struct unzstd *unzstd_new(bool has_lengths, struct error *err)
{
	struct unzstd *u;

	if (!calls_load(err))
		return NULL;
	u = mem_calloc(1, sizeof *u);
	if (u) {
		u->has_lengths = has_lengths;
		u->context = ZSTD_createDCtx();
	}
	if (u && u->context &&
	    !ZSTD_isError(ZSTD_DCtx_setParameter(
		    u->context, ZSTD_d_windowLogMax, ZSTD_WINDOW_BITS)))
		return u;
	unzstd_free(u);
	error_memory(err, "unpacking");
	return NULL;
}

void unzstd_free(struct unzstd *u)
{
	if (u)
		ZSTD_freeDCtx(u->context);
	mem_free(u);
}

static enum gunzip_state state_of(size_t status)
{
	if (!ZSTD_isError(status))
		return status ? GUNZIP_MORE : GUNZIP_END;
	switch (ZSTD_getErrorCode(status)) {
	case ZSTD_error_memory_allocation:
		return GUNZIP_NO_MEMORY;
	case ZSTD_error_frameParameter_windowTooLarge:
		return GUNZIP_WIDE;
	case ZSTD_error_dictionary_wrong:
		return GUNZIP_DICTIONARY;
	default:
		return GUNZIP_DAMAGED;
	}
}

enum gunzip_state unzstd_step(struct unzstd *u, struct str *packed, char *into,
			      size_t room, size_t *len)
{
	ZSTD_outBuffer out = { into, room, 0 };
	enum gunzip_state state;
	ZSTD_inBuffer in;

	*len = 0;
	if (u->has_lengths && !u->is_inside && (u->length_at || !u->left)) {
		while (u->length_at < LENGTH_BYTES && packed->len) {
			u->left = u->left << 8 | (unsigned char)packed->ptr[0];
			u->length_at++;
			*packed = str_slice(*packed, 1, packed->len);
		}
		if (u->length_at < LENGTH_BYTES)
			return GUNZIP_MORE;
		u->length_at = 0;
		if (!u->left)
			return GUNZIP_END;
	}
	in = (ZSTD_inBuffer){ packed->ptr,
			      u->has_lengths ? min_size(packed->len, u->left)
					     : packed->len,
			      0 };
	state = state_of(ZSTD_decompressStream(u->context, &out, &in));
	*packed = str_slice(*packed, in.pos, packed->len);
	*len = out.pos;
	u->is_inside = state == GUNZIP_MORE;
	if (!u->has_lengths)
		return state;
	u->left -= in.pos;
	/* The frame is longer than its message. */
	return state == GUNZIP_MORE && !u->left && out.pos < room
		       ? GUNZIP_DAMAGED
		       : state;
}
