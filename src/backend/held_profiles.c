/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/held_profiles.h"

#include <string.h>

#include "backend/source.h"
#include "base/num.h"
#include "decode/wire.h"
#include "wire/har_held.h"

/* SelectMergeProfileRequest of querier.proto. */
static bool read_request(struct str body, struct held_profile *out)
{
	struct wire w;
	struct wire_field f;
	struct error ignored;

	*out = (struct held_profile){ .from_ms = 0 };
	wire_init(&w, body);
	while (wire_next(&w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			out->type = f.bytes;
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			out->selector = f.bytes;
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			out->from_ms = f.value;
			break;
		case WIRE_TAG(4, WIRE_VARINT):
			out->to_ms = f.value;
			break;
		}
	return wire_check(&w, "a request of the case", &ignored) &&
	       out->type.len && out->selector.len &&
	       out->to_ms > out->from_ms && out->to_ms < INT64_MAX;
}

static bool held_profile_at(const struct har *har, size_t i,
			    struct held_profile *out)
{
	struct har_held held = har_held_at(har, i);

	return held.has_answer &&
	       strstr(held.url, "/querier.v1.QuerierService/"
				"SelectMergeProfile") &&
	       read_request(held.body, out);
}

static bool is_wanted(const char *wanted, const struct held_profile *p)
{
	struct str type = p->type;
	const struct name_list one = { .items = &type, .count = 1 };
	struct arena arena;
	struct str id;
	struct error ignored;
	bool is_gauge, is_it;

	if (!wanted)
		return true;
	arena_init(&arena, LIMIT_OPTION_VALUE_BYTES * 2);
	is_it = profile_type_resolve(str_from(wanted), &one, &arena, &id,
				     &is_gauge, &ignored) &&
		str_equal(id, p->type);
	arena_release(&arena);
	return is_it;
}

bool held_profile_latest(const struct har *har, const char *type,
			 struct held_profile *latest)
{
	struct held_profile p;
	bool is_found = false;

	for (size_t i = 0; i < har_held_count(har); i++)
		if (held_profile_at(har, i, &p) && is_wanted(type, &p) &&
		    (!is_found || p.to_ms > latest->to_ms)) {
			*latest = p;
			is_found = true;
		}
	return is_found;
}

bool held_profile_before(const struct har *har, const struct held_profile *of,
			 struct held_profile *before)
{
	struct held_profile p;
	bool is_found = false;

	for (size_t i = 0; i < har_held_count(har); i++)
		if (held_profile_at(har, i, &p) && p.to_ms <= of->from_ms &&
		    str_equal(p.type, of->type) &&
		    str_equal(p.selector, of->selector) &&
		    (!is_found || p.from_ms < before->from_ms)) {
			*before = p;
			is_found = true;
		}
	return is_found;
}

/* A number of a request of ours, which is JSON without blanks. */
static bool read_number(struct str body, struct str key, uint64_t *out)
{
	size_t at = str_find(body, key), len = 0;
	struct str rest;

	if (at == SIZE_MAX)
		return false;
	rest = str_slice(body, at + key.len, body.len);
	while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9')
		len++;
	return parse_u64(str_slice(rest, 0, len), out) && *out < INT64_MAX;
}

bool held_list_window(const struct har *har, uint64_t *from_ms, uint64_t *to_ms)
{
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);

		if (held.has_answer && strstr(held.url, "/Series") &&
		    read_number(held.body, STR("\"start\":"), from_ms) &&
		    read_number(held.body, STR("\"end\":"), to_ms))
			return true;
	}
	return false;
}
