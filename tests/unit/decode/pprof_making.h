/* SPDX-License-Identifier: Apache-2.0
 *
 * pprof messages made by hand, field by field.
 */
#ifndef PPROF_MAKING_H
#define PPROF_MAKING_H

#include "pprof_testing.h"

#include "decode/wire.h"

static inline void put_varint(struct buf *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_add_char(b, (char)(value | 0x80));
	buf_add_char(b, (char)value);
}

static inline void put_int(struct buf *b, unsigned number, uint64_t value)
{
	put_varint(b, WIRE_TAG(number, WIRE_VARINT));
	put_varint(b, value);
}

static inline void put_bytes(struct buf *b, unsigned number, struct str bytes)
{
	put_varint(b, WIRE_TAG(number, WIRE_BYTES));
	put_varint(b, bytes.len);
	buf_add_str(b, bytes);
}

/* A message of integer fields 1, 2, ...; zeros are left out. */
static inline void put_ints(struct buf *b, unsigned number,
			    const uint64_t *values, unsigned count)
{
	struct buf inner;

	buf_init(&inner, MIB);
	for (unsigned i = 0; i < count; i++)
		if (values[i])
			put_int(&inner, i + 1, values[i]);
	put_bytes(b, number, buf_str(&inner));
	buf_release(&inner);
}

#define PUT_INTS(b, number, ...)                                               \
	put_ints(b, number, (const uint64_t[]){ __VA_ARGS__ },                 \
		 sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static inline void put_packed(struct buf *b, unsigned number,
			      const uint64_t *values, size_t count)
{
	struct buf inner;

	buf_init(&inner, MIB);
	for (size_t i = 0; i < count; i++)
		put_varint(&inner, values[i]);
	put_bytes(b, number, buf_str(&inner));
	buf_release(&inner);
}

static inline void put_sample(struct buf *b, const uint64_t *ids, size_t count,
			      int64_t value)
{
	struct buf inner;
	uint64_t values[1] = { (uint64_t)value };

	buf_init(&inner, MIB);
	put_packed(&inner, 1, ids, count);
	put_packed(&inner, 2, values, 1);
	put_bytes(b, 2, buf_str(&inner));
	buf_release(&inner);
}

#define PUT_SAMPLE(b, value, ...)                                              \
	put_sample(b, (const uint64_t[]){ __VA_ARGS__ },                       \
		   sizeof((const uint64_t[]){ __VA_ARGS__ }) /                 \
			   sizeof(uint64_t),                                   \
		   value)

static inline void assert_decodes_to(struct buf *b, const char *folded)
{
	struct profile p;

	assert_decoded(decode(buf_str(b), "", &p));
	assert_true(profile_check(&p, &err));
	assert_folded(&p, folded);
	profile_release(&p);
	buf_release(b);
}

#endif
