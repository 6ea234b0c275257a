/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graphs as Pyroscope's JSON answers ("flamegraph") and its older
 * render calls ("flamebearer") give them.
 */
#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "decode/flamebearer.h"
#include "decode/formats.h"
#include "decode/profile_type.h"
#include "decode/pyroscope_tree.h"

#define WHAT "the flame graph"

struct reader {
	struct json_reader *json;
	struct flame flame;
	struct buf tree; /* base64 */
	bool is_diff;
	bool is_pprof;
};

/* Functions that read give false for failures of their own only; what the
 * JSON reader met sticks there and is told in check_answer(). */
static bool read_list(struct reader *r,
		      bool (*read)(struct reader *r, struct error *err),
		      struct error *err)
{
	if (!json_enter(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json))
		if (!read(r, err))
			return false;
	return true;
}

static bool read_name(struct reader *r, struct error *err)
{
	struct str name;

	return !json_text(r->json, &name) || flame_name(&r->flame, name, err);
}

static bool read_value(struct reader *r, struct error *err)
{
	int64_t value;

	return !json_i64(r->json, &value) || flame_value(&r->flame, value, err);
}

/* {"values": [...]} or, in older answers, the bare numbers. */
static bool read_level(struct reader *r, struct error *err)
{
	if (!flame_level(&r->flame, err))
		return false;
	if (json_peek(r->json) != JSON_OBJECT ||
	    !json_enter(r->json, JSON_OBJECT))
		return read_list(r, read_value, err);
	while (json_next_named(r->json, STR("values")))
		if (!read_list(r, read_value, err))
			return false;
	return true;
}

static bool is_diff_key(struct str key)
{
	return str_equal(key, STR("leftTicks")) ||
	       str_equal(key, STR("rightTicks"));
}

static bool read_graph(struct reader *r, struct error *err)
{
	struct str key;

	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	while (json_next_key(r->json, &key)) {
		bool is_done = true;

		r->is_diff = r->is_diff || is_diff_key(key);
		if (str_equal(key, STR("names")))
			is_done = read_list(r, read_name, err);
		else if (str_equal(key, STR("levels")) && !r->is_diff)
			is_done = read_list(r, read_level, err);
		else
			json_skip(r->json);
		if (!is_done)
			return false;
	}
	return true;
}

/* {"profile": {...}}; a profile without samples is an empty answer. */
static void read_pprof(struct reader *r)
{
	struct str key;

	if (!json_enter_nullable(r->json, JSON_OBJECT))
		return;
	while (json_next_named(r->json, STR("profile"))) {
		if (!json_enter_if(r->json, JSON_OBJECT))
			continue;
		while (json_next_key(r->json, &key)) {
			r->is_pprof =
				r->is_pprof || str_equal(key, STR("sample"));
			json_skip(r->json);
		}
	}
}

static bool read_answer(struct reader *r, struct error *err)
{
	struct str key;

	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	while (json_next_key(r->json, &key)) {
		r->is_diff = r->is_diff || is_diff_key(key);
		r->is_pprof = r->is_pprof || str_equal(key, STR("sample"));
		if (str_equal(key, STR("flamegraph")) ||
		    str_equal(key, STR("flamebearer"))) {
			if (!read_graph(r, err))
				return false;
		} else if (str_equal(key, STR("tree"))) {
			if (!json_string_long(r->json, &r->tree))
				return true;
		} else if (str_equal(key, STR("pprof"))) {
			read_pprof(r);
		} else {
			json_skip(r->json);
		}
	}
	json_expect_end(r->json, "flame graph");
	return true;
}

static bool check_answer(const struct reader *r, struct error *err)
{
	if (!json_check(r->json, err) ||
	    !buf_check(&r->tree, "the tree in the answer", err))
		return false;
	if (r->is_diff)
		return error_set(err, ERROR_FORMAT,
				 "%s compares two profiles; give the two "
				 "profiles instead",
				 WHAT);
	if (r->is_pprof)
		return error_set(err, ERROR_FORMAT,
				 "a pprof profile written as JSON is not read; "
				 "ask the server for protobuf "
				 "(application/proto)");
	return true;
}

static bool read_tree(struct reader *r, int64_t *cut_off, struct error *err)
{
	struct str text = buf_str(&r->tree);
	unsigned char *bytes = mem_alloc(text.len);
	size_t len;
	bool is_done;

	if (!bytes)
		return error_memory(err, WHAT);
	if (base64_decode(text, bytes, text.len, &len))
		is_done = tree_read((struct str){ (const char *)bytes, len },
				    r->flame.build, cut_off, err);
	else
		is_done = error_set(err, ERROR_FORMAT,
				    "the tree in the answer is not base64");
	mem_free(bytes);
	return is_done;
}

static bool read_all(struct reader *r, int64_t *cut_off, struct error *err)
{
	if (!read_answer(r, err) || !check_answer(r, err))
		return false;
	if (r->tree.len)
		return read_tree(r, cut_off, err);
	if (!flame_finish(&r->flame, err))
		return false;
	*cut_off = r->flame.cut_off;
	return true;
}

/* Comparisons have rows of seven numbers; what tells them apart follows only
 * after these. */
static bool mentions_two_sides(struct str bytes)
{
	return str_find(bytes, STR("\"leftTicks\":")) != SIZE_MAX ||
	       str_find(bytes, STR("\"rightTicks\":")) != SIZE_MAX;
}

bool decode_flamegraph_json(struct str bytes, const struct profile_want *want,
			    struct profile *out, struct notes *notes,
			    struct error *err)
{
	struct reader r = { .json = json_new(bytes, err),
			    .is_diff = mentions_two_sides(bytes) };
	struct profile_build *build;
	int64_t cut_off = 0;
	bool is_done = false;

	if (!r.json)
		return false;
	build = profile_build_new(out, err);
	flame_init(&r.flame, build);
	buf_init(&r.tree, LIMIT_BODY_PLAIN_BYTES);
	if (build)
		is_done = type_declare_implied(build, want, err) &&
			  read_all(&r, &cut_off, err) &&
			  profile_build_finish(build, notes, err);
	if (is_done)
		flame_settle(out, cut_off);
	buf_release(&r.tree);
	flame_release(&r.flame);
	profile_build_free(build);
	json_free(r.json);
	return is_done;
}
