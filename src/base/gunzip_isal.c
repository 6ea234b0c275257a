/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses the header of a member here, since ISA-L 2.30 reads uninitialized data
 * when an extra field, a name or a comment crosses the end of a piece.
 */
#include <limits.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "base/gz.h"
#include "base/mem.h"
#include "base/num.h"

/* RFC 1952. */
#define FIXED_BYTES 10u
#define METHOD_DEFLATE 8
#define FLAG_HEADER_CRC 0x02
#define FLAG_EXTRA 0x04
#define FLAG_NAME 0x08
#define FLAG_COMMENT 0x10
#define FLAGS_RESERVED 0xE0

/* Parts of the header, in this order. */
enum part {
	PART_FIXED,
	PART_EXTRA_SIZE,
	PART_EXTRA,
	PART_NAME,
	PART_COMMENT,
	PART_CRC,
	PART_NONE, /* header is complete */
};

struct gunzip {
	enum part part;
	unsigned at; /* bytes of this part read */
	unsigned flags;
	unsigned number; /* value of a two-byte number */
	uint32_t crc;    /* of the header */
	struct inflate_state state;
};

static void begin_member(struct gunzip *g)
{
	g->part = PART_FIXED;
	g->at = g->flags = g->number = 0;
	g->crc = 0;
	isal_inflate_init(&g->state);
	g->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
}

struct gunzip *gunzip_new(void)
{
	struct gunzip *g = mem_calloc(1, sizeof *g);

	if (g)
		begin_member(g);
	return g;
}

void gunzip_free(struct gunzip *g)
{
	if (g)
		mem_wipe(g, sizeof *g);
	mem_free(g);
}

/* ---- the header ---- */

static bool has_part(const struct gunzip *g)
{
	switch (g->part) {
	case PART_EXTRA_SIZE:
		return g->flags & FLAG_EXTRA;
	case PART_EXTRA:
		return g->flags & FLAG_EXTRA && g->number;
	case PART_NAME:
		return g->flags & FLAG_NAME;
	case PART_COMMENT:
		return g->flags & FLAG_COMMENT;
	case PART_CRC:
		return g->flags & FLAG_HEADER_CRC;
	default:
		return true;
	}
}

static void end_part(struct gunzip *g)
{
	g->at = 0;
	do
		g->part++;
	while (!has_part(g));
}

static bool take_fixed(struct gunzip *g, unsigned char byte)
{
	static const unsigned char start[] = { 0x1f, 0x8b, METHOD_DEFLATE };

	if (g->at < sizeof start && byte != start[g->at])
		return false;
	if (g->at == sizeof start)
		g->flags = byte;
	if (++g->at == FIXED_BYTES)
		end_part(g);
	return !(g->flags & FLAGS_RESERVED);
}

/* False: not a header. */
static bool take_byte(struct gunzip *g, unsigned char byte)
{
	if (g->part != PART_CRC)
		g->crc = crc32_gzip_refl(g->crc, &byte, 1);
	switch (g->part) {
	case PART_FIXED:
		return take_fixed(g, byte);
	case PART_EXTRA:
		if (++g->at == g->number)
			end_part(g);
		return true;
	case PART_NAME:
	case PART_COMMENT:
		if (!byte)
			end_part(g);
		return true;
	default:
		break;
	}
	/* A number of two bytes, little-endian. */
	if (!g->at++) {
		g->number = byte;
		return true;
	}
	g->number |= (unsigned)byte << CHAR_BIT;
	if (g->part == PART_CRC && g->number != (g->crc & 0xFFFF))
		return false;
	end_part(g);
	return true;
}

/* ---- the rest ---- */

enum gunzip_state gunzip_step(struct gunzip *g, struct str *packed, char *into,
			      size_t room, size_t *len)
{
	struct inflate_state *s = &g->state;
	uint32_t offered, most;
	size_t at = 0;
	int status;

	*len = 0;
	while (g->part != PART_NONE && at < packed->len)
		if (!take_byte(g, (unsigned char)packed->ptr[at++]))
			return GUNZIP_DAMAGED;
	*packed = str_slice(*packed, at, packed->len);
	if (g->part != PART_NONE)
		return GUNZIP_MORE;
	offered = (uint32_t)min_size(packed->len, INT_MAX);
	most = (uint32_t)min_size(room, INT_MAX);
	/* ISA-L does not write to it, but lacks const. */
	s->next_in = (unsigned char *)(uintptr_t)packed->ptr;
	s->avail_in = offered;
	s->next_out = (unsigned char *)into;
	s->avail_out = most;
	status = isal_inflate(s);
	*packed = str_slice(*packed, offered - s->avail_in, packed->len);
	*len = most - s->avail_out;
	if (status != ISAL_DECOMP_OK)
		return GUNZIP_DAMAGED;
	if (s->block_state != ISAL_BLOCK_FINISH)
		return GUNZIP_MORE;
	begin_member(g);
	return GUNZIP_END;
}
