/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace.h"

#include <string.h>

#include "base/instance.h"
#include "base/num.h"

void trace_init(struct trace *t)
{
	*t = (struct trace){ 0 };
	arena_init(&t->arena, LIMIT_DECODE_HEAP_BYTES);
}

void trace_release(struct trace *t)
{
	arena_release(&t->arena);
	trace_init(t);
}

void trace_move(struct trace *to, struct trace *from)
{
	*to = *from;
	to->symtab.table.arena = &to->arena;
	trace_init(from);
}

struct str trace_text(const struct trace *t, uint32_t symbol)
{
	return symtab_text(&t->symtab, symbol);
}

struct str span_name(const struct trace *t, uint32_t span)
{
	return trace_text(t, t->spans[span].name);
}

struct str span_service(const struct trace *t, uint32_t span)
{
	return trace_text(t, t->resources[t->spans[span].resource].service);
}

int64_t span_duration_ns(const struct span *s)
{
	return sat_sub_i64(s->end_ns, s->start_ns);
}

static struct str find_attr(const struct trace *t, uint32_t first,
			    uint32_t count, struct str key)
{
	uint32_t symbol = symtab_find(&t->symtab, key);

	for (uint32_t i = first; i < first + count; i++)
		if (t->attrs[i].key == symbol)
			return trace_text(t, t->attrs[i].value);
	return (struct str){ NULL, 0 };
}

struct str span_attr(const struct trace *t, uint32_t span, struct str key)
{
	const struct span *s = &t->spans[span];

	return find_attr(t, s->attr_first, s->attr_count, key);
}

struct str resource_attr(const struct trace *t, uint32_t resource,
			 struct str key)
{
	const struct resource *r = &t->resources[resource];

	return find_attr(t, r->attr_first, r->attr_count, key);
}

static struct str find_detail(const struct trace *t, uint32_t first,
			      uint32_t count, struct str key)
{
	uint32_t symbol = symtab_find(&t->symtab, key);

	for (uint32_t i = first; i < first + count; i++)
		if (t->details[i].kind == DETAIL_ATTR &&
		    t->details[i].key == symbol)
			return trace_text(t, t->details[i].value);
	return (struct str){ NULL, 0 };
}

struct str span_any_attr(const struct trace *t, uint32_t span, struct str key)
{
	const struct span *s = &t->spans[span];
	const struct resource *r = &t->resources[s->resource];
	struct str value = span_attr(t, span, key);

	if (!value.ptr)
		value = find_detail(t, s->detail_first, s->detail_count, key);
	if (!value.ptr)
		value = resource_attr(t, s->resource, key);
	return value.ptr
		       ? value
		       : find_detail(t, r->detail_first, r->detail_count, key);
}

struct str resource_instance(const struct trace *t, uint32_t resource)
{
	struct str value = { NULL, 0 };

	for (size_t i = 0; !value.len && i < INSTANCE_ATTRS; i++)
		value = resource_attr(t, resource, str_from(instance_attrs[i]));
	return value;
}

uint32_t trace_find_span(const struct trace *t, uint64_t span_id)
{
	uint32_t low = 0, high = t->span_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->spans[t->by_id[mid]].span_id < span_id)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < t->span_count && t->spans[t->by_id[low]].span_id == span_id)
		return t->by_id[low];
	return SPAN_NONE;
}

bool trace_id_parse(struct str text, struct trace_id *id)
{
	char padded[32];

	if (text.len == 0 || text.len > sizeof padded)
		return false;
	memset(padded, '0', sizeof padded);
	memcpy(padded + sizeof padded - text.len, text.ptr, text.len);
	return hex_decode((struct str){ padded, sizeof padded }, id->bytes,
			  sizeof id->bytes);
}

void trace_id_format(const struct trace_id *id, char out[33])
{
	hex_encode(id->bytes, sizeof id->bytes, out);
}

bool trace_id_equal(const struct trace_id *a, const struct trace_id *b)
{
	return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

static uint64_t read_half(const unsigned char *bytes)
{
	uint64_t half = 0;

	for (size_t i = 0; i < 8; i++)
		half = half << 8 | bytes[i];
	return half;
}

uint64_t trace_id_half(const struct trace_id *id)
{
	return read_half(id->bytes + 8);
}

bool trace_id_is_half(const struct trace_id *id)
{
	return !read_half(id->bytes);
}

bool trace_id_is_same(const struct trace_id *a, const struct trace_id *b)
{
	uint64_t half = trace_id_half(a);

	return trace_id_equal(a, b) ||
	       (half && half == trace_id_half(b) &&
		(trace_id_is_half(a) || trace_id_is_half(b)));
}

bool trace_id_is_zero(const struct trace_id *id)
{
	static const struct trace_id zero;

	return trace_id_equal(id, &zero);
}

void span_id_format(uint64_t span_id, char out[17])
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(span_id >> (56 - 8 * i));
	hex_encode(bytes, sizeof bytes, out);
}

bool span_kind_parse(struct str name, enum span_kind *kind)
{
	static const struct {
		struct str name;
		enum span_kind kind;
	} kinds[] = {
		{ { "server", 6 }, SPAN_KIND_SERVER },
		{ { "client", 6 }, SPAN_KIND_CLIENT },
		{ { "internal", 8 }, SPAN_KIND_INTERNAL },
		{ { "producer", 8 }, SPAN_KIND_PRODUCER },
		{ { "consumer", 8 }, SPAN_KIND_CONSUMER },
		{ { "unspecified", 11 }, SPAN_KIND_INTERNAL },
	};

	*kind = SPAN_KIND_INTERNAL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_equal_nocase(kinds[i].name, name)) {
			*kind = kinds[i].kind;
			return true;
		}
	return false;
}
