/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf has no signature: an input is what it parses as, field for field,
 * at the levels that tell the formats apart.
 */
#include "base/gz.h"
#include "decode/sniff.h"
#include "decode/wire.h"

struct tags {
	const uint32_t *items;
	size_t count;
};

#define TAGS(tags) ((struct tags){ tags, sizeof(tags) / sizeof *(tags) })

static bool has_tag(struct tags tags, uint32_t tag)
{
	size_t i = 0;

	while (i < tags.count && tags.items[i] != tag)
		i++;
	return i < tags.count;
}

/* Whether every field of a message is of an expected number and type. */
static bool has_only(struct str message, struct tags tags)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (!has_tag(tags, f.tag))
			return false;
	return !w.failure;
}

#define HAS_ONLY(message, tags) has_only(message, TAGS(tags))

/* First field with this tag; false when there is none. */
static bool find_field(struct str message, uint32_t tag, struct str *bytes)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (f.tag == tag) {
			*bytes = f.bytes;
			return true;
		}
	return false;
}

/* ---- traces ---- */

/* Trace ids of 16 bytes, 64-bit ones, and hex that was base64-decoded. */
static bool is_span(struct str message)
{
	struct str id;

	return find_field(message, WIRE_TAG(1, WIRE_BYTES), &id) &&
	       (id.len == 16 || id.len == 8 || id.len == 24);
}

static bool is_resource_spans(struct str message, bool *has_span)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES),
		WIRE_TAG(1000, WIRE_BYTES),
	};
	struct str scope = STR(""), span;

	if (!HAS_ONLY(message, tags))
		return false;
	if (!find_field(message, WIRE_TAG(2, WIRE_BYTES), &scope))
		find_field(message, WIRE_TAG(1000, WIRE_BYTES), &scope);
	if (!find_field(scope, WIRE_TAG(2, WIRE_BYTES), &span))
		return true;
	*has_span = is_span(span);
	return *has_span;
}

/* TracesData: nothing but resource spans, a span among them. The first one
 * found decides, so that a large file costs no second reading. */
static bool is_traces_data(struct str message)
{
	bool has_span = false;
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (!has_span && wire_next(&w, &f))
		if (f.tag != WIRE_TAG(1, WIRE_BYTES) ||
		    !is_resource_spans(f.bytes, &has_span))
			return false;
	return has_span && !w.failure;
}

/* Tempo v2: the trace in field 1, metrics, status, message. A missing trace
 * is an empty field 1 with an empty field 2. */
static bool is_tempo_response(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_VARINT),
		WIRE_TAG(4, WIRE_BYTES),
	};
	struct str trace;

	if (!HAS_ONLY(message, tags) ||
	    !find_field(message, WIRE_TAG(1, WIRE_BYTES), &trace))
		return false;
	return trace.len == 0 || is_traces_data(trace);
}

/* ---- profiles ---- */

static bool is_value_type(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_VARINT),
		WIRE_TAG(2, WIRE_VARINT),
	};

	return HAS_ONLY(message, tags);
}

/* perftools.profiles.Profile. Its string table begins with "", which of a large
 * one is far away: after so many fields that are none but a profile's, with a
 * sample type among them, it need not be seen. Of stacks of 300 frames as many
 * are in the front of a feed. */
#define SURE_FIELDS 128u

static bool is_pprof(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),   WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES),   WIRE_TAG(4, WIRE_BYTES),
		WIRE_TAG(5, WIRE_BYTES),   WIRE_TAG(6, WIRE_BYTES),
		WIRE_TAG(7, WIRE_VARINT),  WIRE_TAG(8, WIRE_VARINT),
		WIRE_TAG(9, WIRE_VARINT),  WIRE_TAG(10, WIRE_VARINT),
		WIRE_TAG(11, WIRE_BYTES),  WIRE_TAG(12, WIRE_VARINT),
		WIRE_TAG(13, WIRE_VARINT), WIRE_TAG(13, WIRE_BYTES),
		WIRE_TAG(14, WIRE_VARINT), WIRE_TAG(15, WIRE_VARINT),
	};
	struct str type = { NULL, 0 }, text = { NULL, 0 };
	unsigned fields = 0;
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f)) {
		if (!has_tag(TAGS(tags), f.tag))
			return false;
		if (++fields == SURE_FIELDS && type.len && is_value_type(type))
			return true;
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) && !type.ptr)
			type = f.bytes;
		else if (f.tag == WIRE_TAG(6, WIRE_BYTES) && !text.ptr)
			text = f.bytes;
	}
	return !w.failure && type.ptr && is_value_type(type) && text.ptr &&
	       !text.len;
}

/* Labels, samples, annotations; the first of the samples is a profile. */
static bool is_pushed_series(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES),
	};
	struct str sample, profile;

	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(2, WIRE_BYTES), &sample) &&
	       find_field(sample, WIRE_TAG(1, WIRE_BYTES), &profile) &&
	       (gz_is(profile) || is_pprof(profile));
}

/* Pyroscope's PushRequest has series in field 1, Parca's WriteRawRequest in
 * field 2. */
static bool is_pushed(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_VARINT),
	};
	struct str series;

	return (find_field(message, WIRE_TAG(2, WIRE_BYTES), &series) ||
		find_field(message, WIRE_TAG(1, WIRE_BYTES), &series)) &&
	       is_pushed_series(series) && HAS_ONLY(message, tags);
}

/* A string table that begins with "", among six other tables. */
static bool is_profiles_dictionary(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES), WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES), WIRE_TAG(4, WIRE_BYTES),
		WIRE_TAG(5, WIRE_BYTES), WIRE_TAG(6, WIRE_BYTES),
		WIRE_TAG(7, WIRE_BYTES),
	};
	struct str text;

	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(5, WIRE_BYTES), &text) && !text.len;
}

/* False where the first thing in it is none but a span. */
static bool may_be_resource_profiles(struct str message)
{
	struct str scope, profile, type;

	return !find_field(message, WIRE_TAG(2, WIRE_BYTES), &scope) ||
	       !find_field(scope, WIRE_TAG(2, WIRE_BYTES), &profile) ||
	       !find_field(profile, WIRE_TAG(1, WIRE_BYTES), &type) ||
	       is_value_type(type);
}

/* Of a large trace its first field tells that it is none. */
static bool is_otlp_profiles(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
	};
	struct str first, dictionary;

	if (find_field(message, WIRE_TAG(1, WIRE_BYTES), &first) &&
	    !may_be_resource_profiles(first))
		return false;
	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(2, WIRE_BYTES), &dictionary) &&
	       is_profiles_dictionary(dictionary);
}

/* The first node of a tree: no name, no value, some children. */
static bool is_tree(struct str bytes)
{
	uint64_t name_bytes, self, children;
	struct wire w;

	wire_init(&w, bytes);
	return wire_next_varint(&w, &name_bytes) && name_bytes == 0 &&
	       wire_next_varint(&w, &self) && self == 0 &&
	       wire_next_varint(&w, &children) && children > 0;
}

/* FlameGraph: names, levels, total, max_self; the first name is "total". */
static bool is_flame_graph(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_VARINT),
		WIRE_TAG(4, WIRE_VARINT),
	};
	struct str name;

	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(1, WIRE_BYTES), &name) &&
	       str_equal(name, STR("total"));
}

/* SelectMerge...Response with a tree, a profile or flame graph rows. */
static struct guess sniff_pyroscope(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(5, WIRE_BYTES),
	};
	struct str part, profile;

	if (!HAS_ONLY(message, tags))
		return GUESS_OTHER(NULL);
	if (find_field(message, WIRE_TAG(2, WIRE_BYTES), &part) &&
	    is_tree(part))
		return GUESS_FORMAT(FORMAT_PYROSCOPE_TREE_PB);
	if (find_field(message, WIRE_TAG(1, WIRE_BYTES), &part) &&
	    is_flame_graph(part))
		return GUESS_FORMAT(FORMAT_PYROSCOPE_TREE_PB);
	if (find_field(message, WIRE_TAG(5, WIRE_BYTES), &part) &&
	    find_field(part, WIRE_TAG(1, WIRE_BYTES), &profile) &&
	    (profile.len == 0 || is_pprof(profile)))
		return GUESS_FORMAT(FORMAT_PYROSCOPE_TREE_PB);
	return GUESS_OTHER(NULL);
}

struct guess sniff_protobuf(struct str bytes)
{
	if (is_pprof(bytes))
		return GUESS_FORMAT(FORMAT_PPROF);
	if (is_pushed(bytes))
		return GUESS_FORMAT(FORMAT_PUSHED);
	if (is_otlp_profiles(bytes))
		return GUESS_FORMAT(FORMAT_OTLP_PROFILES_PB);
	if (is_tempo_response(bytes))
		return GUESS_FORMAT(FORMAT_TEMPO_PB);
	if (is_traces_data(bytes))
		return GUESS_FORMAT(FORMAT_OTLP_PB);
	return sniff_pyroscope(bytes);
}
