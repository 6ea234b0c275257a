/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/flamebearer.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

#define WHAT "the flame graph"
#define NO_PARENT UINT32_MAX

void flame_init(struct flame *f, struct profile_build *build)
{
	*f = (struct flame){ .build = build };
	arena_init(&f->scratch, LIMIT_DECODE_HEAP_BYTES);
}

void flame_release(struct flame *f)
{
	arena_release(&f->scratch);
}

static bool flame_damaged(const struct flame *f, const char *why,
			  struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: level %zu %s", WHAT,
			 f->level_count - 1, why);
}

bool flame_name(struct flame *f, struct str name, struct error *err)
{
	void *names = f->names;
	struct flame_name *added;
	uint32_t function;

	if (!arena_reserve(&f->scratch, &names, &f->name_cap, f->name_count + 1,
			   sizeof *f->names))
		return arena_fail(&f->scratch, WHAT, err);
	f->names = names;
	added = &f->names[f->name_count++];
	added->is_other = str_equal(name, STR("other"));
	return profile_build_function(f->build, name, STR(""), &function,
				      err) &&
	       profile_build_frame(f->build, function, 0, &added->frame, err);
}

bool flame_level(struct flame *f, struct error *err)
{
	void *levels = f->levels;

	if (f->row_fill)
		return flame_damaged(f, "ends inside a node", err);
	if (!arena_reserve(&f->scratch, &levels, &f->level_cap,
			   f->level_count + 1, sizeof *f->levels))
		return arena_fail(&f->scratch, WHAT, err);
	f->levels = levels;
	f->levels[f->level_count++] = (uint32_t)f->node_count;
	f->right = 0;
	return true;
}

/* Input is untrusted: checks that widths do not overflow, and that self does
 * not exceed total. */
static bool add_node(struct flame *f, struct error *err)
{
	void *nodes = f->nodes;
	struct flame_node node = {
		.total = f->row[1],
		.self = f->row[2],
		.name = (uint32_t)f->row[3],
		.parent = NO_PARENT,
	};

	if (f->row[0] < 0 || node.self < 0 || node.self > node.total ||
	    f->row[3] < 0 || f->row[3] > UINT32_MAX ||
	    !add_i64(f->right, f->row[0], &node.x) ||
	    !add_i64(node.x, node.total, &f->right))
		return flame_damaged(f, "has impossible numbers", err);
	if (f->node_count == LIMIT_TREE_NODES)
		return error_set(err, ERROR_LIMIT, "%s has more than %u nodes",
				 WHAT, LIMIT_TREE_NODES);
	if (!arena_reserve(&f->scratch, &nodes, &f->node_cap, f->node_count + 1,
			   sizeof *f->nodes))
		return arena_fail(&f->scratch, WHAT, err);
	f->nodes = nodes;
	f->nodes[f->node_count++] = node;
	return true;
}

bool flame_value(struct flame *f, int64_t value, struct error *err)
{
	f->row[f->row_fill++] = value;
	if (f->row_fill < 4)
		return true;
	f->row_fill = 0;
	return add_node(f, err);
}

static size_t level_end(const struct flame *f, size_t level)
{
	return level + 1 < f->level_count ? f->levels[level + 1]
					  : f->node_count;
}

/* Both levels are ordered from left to right, so a single pass finds all
 * parents. */
static bool link_level(struct flame *f, size_t level, struct error *err)
{
	size_t parent = f->levels[level - 1];
	size_t parent_end = f->levels[level];

	for (size_t i = f->levels[level]; i < level_end(f, level); i++) {
		struct flame_node *n = &f->nodes[i];

		while (parent < parent_end &&
		       f->nodes[parent].x + f->nodes[parent].total <
			       n->x + n->total)
			parent++;
		if (parent == parent_end || f->nodes[parent].x > n->x)
			return error_set(err, ERROR_FORMAT,
					 "%s is damaged: level %zu has a node "
					 "without a parent",
					 WHAT, level);
		n->parent = (uint32_t)parent;
	}
	return true;
}

/* Level 0 is the total, not a function. */
static bool add_stack(struct flame *f, size_t index, size_t level,
		      uint32_t *path, struct error *err)
{
	const struct flame_node *leaf = &f->nodes[index];

	for (size_t at = level; at > 0; at--) {
		const struct flame_node *n = &f->nodes[index];

		if (n->name >= f->name_count)
			return error_set(err, ERROR_FORMAT,
					 "%s is damaged: name %u is missing",
					 WHAT, n->name);
		path[at - 1] = f->names[n->name].frame;
		index = n->parent;
	}
	if (level && leaf->self == leaf->total && f->names[leaf->name].is_other)
		f->cut_off = sat_add_i64(f->cut_off, leaf->self);
	return profile_build_stack(f->build, path, (uint32_t)level, leaf->self,
				   err);
}

/* A chain of nodes takes quadratic time, so frames are limited. */
static bool add_level(struct flame *f, size_t level, uint32_t *path,
		      uint64_t *frames_seen, struct error *err)
{
	for (size_t i = f->levels[level]; i < level_end(f, level); i++) {
		if (f->nodes[i].self == 0)
			continue;
		*frames_seen += level;
		if (*frames_seen > LIMIT_STACK_FRAMES_TOTAL)
			return error_set(err, ERROR_LIMIT,
					 "%s has more than %u frames in all "
					 "its stacks",
					 WHAT, LIMIT_STACK_FRAMES_TOTAL);
		if (!add_stack(f, i, level, path, err))
			return false;
	}
	return true;
}

bool flame_finish(struct flame *f, struct error *err)
{
	uint32_t *path = arena_array(&f->scratch, f->level_count, sizeof *path);
	uint64_t frames_seen = 0;

	if (!path)
		return arena_fail(&f->scratch, WHAT, err);
	if (f->row_fill)
		return flame_damaged(f, "ends inside a node", err);
	for (size_t level = 0; level < f->level_count; level++) {
		if (level && !link_level(f, level, err))
			return false;
		if (!add_level(f, level, path, &frames_seen, err))
			return false;
	}
	return true;
}

void flame_settle(struct profile *out, int64_t cut_off)
{
	type_settle(out);
	if (out->total > 0)
		out->truncated_share = (double)cut_off / (double)out->total;
}

/* Flame graphs in Pyroscope's JSON responses ("flamegraph") and in its older
 * render API ("flamebearer"). */

struct reader {
	struct json_reader *json;
	struct flame flame;
	struct buf tree; /* base64 */
	bool is_diff;
	bool is_pprof;
};

/* Functions that read return false for errors of their own only; those of the
 * parser stay there, for check_answer(). */
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

/* Reads {"values": [...]} or, in older responses, only the numbers. */
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

/* {"profile": {...}}; a profile without samples is an empty response. */
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
				 "request protobuf from the server "
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

bool decode_flamegraph_json(struct str bytes, const struct profile_want *want,
			    struct profile *out, struct notes *notes,
			    struct error *err)
{
	/* Comparisons have rows of seven numbers, which is only declared after
	 * them. */
	struct reader r = {
		.json = json_new(bytes, err),
		.is_diff =
			(str_find(bytes, STR("\"leftTicks\":")) != SIZE_MAX ||
			 str_find(bytes, STR("\"rightTicks\":")) != SIZE_MAX)
	};
	struct profile_build *build;
	int64_t cut_off = 0;
	bool is_done;

	if (!r.json)
		return false;
	build = profile_build_new(out, err);
	flame_init(&r.flame, build);
	buf_init(&r.tree, LIMIT_BODY_PLAIN_BYTES);
	is_done = build && type_declare_implied(build, want, err) &&
		  read_answer(&r, err) && check_answer(&r, err);
	if (is_done && r.tree.len) {
		is_done = read_tree(&r, &cut_off, err);
	} else if (is_done) {
		is_done = flame_finish(&r.flame, err);
		cut_off = r.flame.cut_off;
	}
	is_done = is_done && profile_build_finish(build, notes, err);
	if (is_done)
		flame_settle(out, cut_off);
	buf_release(&r.tree);
	flame_release(&r.flame);
	profile_build_free(build);
	json_free(r.json);
	return is_done;
}
