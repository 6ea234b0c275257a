/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode.h"

#include "base/wirew.h"
#include "decode/wire.h"

/* State of rewriting a pprof message with fewer types. */
struct narrowing {
	uint64_t left_out; /* a bit per type */
	struct buf *out;
	struct buf sample, values;
	uint64_t dropped[64]; /* string indices of dropped type names */
	unsigned dropped_count;
};

_Static_assert(LIMIT_SAMPLE_TYPES <= 64, "a bit a type");

static bool is_left_out(const struct narrowing *n, unsigned type)
{
	return type < 64 && n->left_out >> type & 1;
}

/* Copies the field unchanged. */
static void copy_field(const struct wire *w, size_t at, struct buf *out)
{
	buf_add(out, w->bytes.ptr + at, w->at - at);
}

static void take_value(struct narrowing *n, unsigned type, uint64_t value,
		       bool *has_any)
{
	if (is_left_out(n, type))
		return;
	*has_any |= value != 0;
	wirew_element(&n->values, value);
}

/* Drops stacks without remaining values. */
static bool add_sample(struct narrowing *n, struct wire w)
{
	struct wire_field f;
	bool has_any = false;
	unsigned type = 0;
	uint64_t value;

	buf_clear(&n->sample);
	buf_clear(&n->values);
	for (size_t at = w.at; wire_next(&w, &f); at = w.at) {
		struct wire packed;

		switch (f.tag) {
		case WIRE_TAG(2, WIRE_VARINT):
			take_value(n, type++, f.value, &has_any);
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			packed = wire_inside(&w, &f);
			while (wire_next_varint(&packed, &value))
				take_value(n, type++, value, &has_any);
			if (packed.failure)
				return false;
			break;
		default:
			copy_field(&w, at, &n->sample);
		}
	}
	if (w.failure)
		return false;
	wirew_str(&n->sample, 2, buf_str(&n->values));
	if (has_any)
		wirew_str(n->out, 2, buf_str(&n->sample));
	return true;
}

/* Types may come after what refers to them. */
static void find_dropped(struct narrowing *n, struct str bytes)
{
	struct wire_field f;
	struct wire w, inside;
	unsigned type = 0;
	uint64_t name;

	wire_init(&w, bytes);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    is_left_out(n, type++)) {
			inside = wire_inside(&w, &f);
			name = 0;
			while (wire_next(&inside, &f))
				if (f.tag == WIRE_TAG(1, WIRE_VARINT))
					name = f.value;
			n->dropped[n->dropped_count++] = name;
		}
}

static void types_narrow(struct narrowing *n, struct wire *w)
{
	struct wire_field f;
	unsigned type = 0, dropped;

	for (size_t at = w->at; wire_next(w, &f); at = w->at)
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			if (!is_left_out(n, type++))
				copy_field(w, at, n->out);
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			if (!add_sample(n, wire_inside(w, &f)))
				wire_fail(w, "a sample cannot be read");
			break;
		case WIRE_TAG(14, WIRE_VARINT):
			dropped = 0;
			while (dropped < n->dropped_count &&
			       n->dropped[dropped] != f.value)
				dropped++;
			if (dropped == n->dropped_count)
				copy_field(w, at, n->out);
			break;
		default:
			copy_field(w, at, n->out);
		}
}

bool pprof_leave_out(struct str bytes, uint64_t types, struct buf *out,
		     struct error *err)
{
	struct narrowing n = { .left_out = types, .out = out };
	struct wire w;
	bool is_ok;

	buf_init(&n.sample, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&n.values, LIMIT_BODY_PLAIN_BYTES);
	find_dropped(&n, bytes);
	wire_init(&w, bytes);
	types_narrow(&n, &w);
	is_ok = wire_check(&w, "the pprof profile", err) &&
		buf_check(&n.sample, "a sample", err) &&
		buf_check(&n.values, "a sample", err) &&
		buf_check(out, "the profile", err);
	buf_release(&n.sample);
	buf_release(&n.values);
	return is_ok;
}
