/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacking: the whole input at once and in pieces, of gzip by two libraries,
 * give the same bytes or both nothing; but what is too large is found by one of them
 * before, and by the other after the end is known.
 */
#include <string.h>

#include "base/gz.h"
#include "base/limits.h"
#include "decode/decode.h"
#include "fuzz.h"

#define CEILING_BYTES (4 * MIB)
/* Odd, so that pieces end anywhere within a block. */
#define PIECE_BYTES 37u

static bool feed_all(struct gz_stream *z, struct str bytes, struct buf *out,
		     struct error *err)
{
	for (size_t at = 0; at < bytes.len; at += PIECE_BYTES)
		if (!gz_stream_feed(z, str_slice(bytes, at, PIECE_BYTES), out,
				    err))
			return false;
	return gz_stream_finish(z, err);
}

static bool inflate_in_pieces(struct str bytes, struct buf *out,
			      struct error *err)
{
	struct gz_stream *z = gz_stream_new(CEILING_BYTES, err);
	bool is_done;

	FUZZ_CHECK(z != NULL, "%s", err->message);
	is_done = feed_all(z, bytes, out, err);
	fuzz_check_outcome(is_done, err);
	gz_stream_free(z);
	return is_done;
}

/* Of zstd there is one library: into rooms of another size. */
static bool read_pieces(struct str bytes, struct buf *out, struct error *err)
{
	struct gz_reader *r = gz_reader_new(packing_of(bytes), NULL, bytes.len,
					    CEILING_BYTES, err);
	size_t len = PIECE_BYTES;
	bool is_done = true;

	FUZZ_CHECK(r != NULL, "%s", err->message);
	while (is_done && len == PIECE_BYTES) {
		char *into = buf_reserve(out, PIECE_BYTES);

		FUZZ_CHECK(into != NULL, "no memory");
		is_done = gz_reader_read(r, &bytes, into, PIECE_BYTES, &len,
					 err);
		buf_commit(out, len);
	}
	is_done = is_done && gz_reader_finish(r, err);
	fuzz_check_outcome(is_done, err);
	gz_reader_free(r);
	return is_done;
}

static void check_round_trip(struct str plain)
{
	struct error err = { 0 };
	struct buf packed, again;

	buf_init(&packed, CEILING_BYTES * 2);
	buf_init(&again, CEILING_BYTES);
	FUZZ_CHECK(gz_deflate(plain, &packed, &err), "%s", err.message);
	/* What packs too well is taken for a bomb. */
	if (gz_inflate(buf_str(&packed), "packed", &again, &err))
		FUZZ_CHECK(str_equal(buf_str(&again), plain), "not the same");
	else
		FUZZ_CHECK(err.code == ERROR_LIMIT, "%s", err.message);
	buf_release(&packed);
	buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = fuzz_str(data, size);
	struct error err = { 0 }, pieces_err = { 0 };
	struct buf whole, pieces;
	bool is_whole, are_pieces;

	check_round_trip(bytes);
	if (packing_of(bytes) == PACKING_NONE)
		return 0;
	buf_init(&whole, CEILING_BYTES);
	buf_init(&pieces, CEILING_BYTES);
	is_whole = gz_inflate(bytes, "input", &whole, &err);
	fuzz_check_outcome(is_whole, &err);
	are_pieces = gz_is(bytes)
			     ? inflate_in_pieces(bytes, &pieces, &pieces_err)
			     : read_pieces(bytes, &pieces, &pieces_err);
	if (is_whole && are_pieces)
		FUZZ_CHECK(str_equal(buf_str(&whole), buf_str(&pieces)),
			   "%zu and %zu bytes", whole.len, pieces.len);
	FUZZ_CHECK(is_whole == are_pieces || err.code == ERROR_LIMIT ||
			   pieces_err.code == ERROR_LIMIT,
		   "one of them fails: %s%s", err.message, pieces_err.message);
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
