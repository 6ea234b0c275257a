/* SPDX-License-Identifier: Apache-2.0
 *
 * What V8 writes: .cpuprofile (node --cpu-prof, Chrome's DevTools) and
 * .heapprofile (node --heap-prof). Of both, nodes are calls: CPU profiles list
 * them, with the nodes at which samples met the program and the microseconds
 * between samples; heap profiles, and CPU profiles before 2017, nest them.
 * The format is described by the Chrome DevTools Protocol, domains Profiler
 * and HeapProfiler.
 */
#include <math.h>

#include "base/json.h"
#include "base/map.h"
#include "base/num.h"
#include "base/path.h"
#include "decode/column.h"
#include "decode/formats.h"
#include "decode/frame_nodes.h"
#include "decode/profile_type.h"

#define WHAT "the V8 profile"

/* Microseconds, as far as doubles and nanoseconds tell them exactly. */
#define TIME_MAX_US 9e15

struct node {
	uint64_t id;
	uint64_t caller_id; /* 0: none, or told by the caller */
	uint32_t caller;    /* index, FRAME_NODE_NONE unknown */
	uint32_t name;      /* symbols, 0 none */
	uint32_t file;
	uint32_t line;
	bool is_root;
	bool is_idle;
	uint64_t hits;
	uint64_t bytes;
	uint64_t samples;
	int64_t time_ns;
};

/* A node that is called by another one. */
struct call {
	uint32_t caller; /* index */
	uint64_t id;
};

struct reader {
	struct json_reader *json;
	struct profile_build *build;
	struct profile *out;
	struct arena scratch;
	struct column nodes;
	struct column calls;
	struct column samples; /* uint64_t: ids of nodes */
	struct column times;   /* double: microseconds */
	struct map index_by_id;
	double start_us;
	double end_us;
	bool has_deltas; /* times tell differences */
	bool is_heap;
	uint64_t sample_count; /* those that are not idle */
	int64_t idle_ns;
};

static bool no_memory(const struct reader *r, struct error *err)
{
	return arena_fail(&r->scratch, WHAT, err);
}

static bool damaged(const char *why, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: %s", WHAT, why);
}

static struct node *node_at(const struct reader *r, size_t index)
{
	return (struct node *)r->nodes.items + index;
}

/* ---- what is in the document ----
 *
 * Functions that read give false for failures of their own only; what the
 * JSON reader met sticks there and is told at the end. */

static bool add_node(struct reader *r, uint32_t caller, uint32_t *index,
		     struct error *err)
{
	struct node *node;

	if (r->nodes.count == LIMIT_TREE_NODES)
		return error_set(err, ERROR_LIMIT, "%s has more than %u nodes",
				 WHAT, LIMIT_TREE_NODES);
	*index = (uint32_t)r->nodes.count;
	node = column_add(&r->scratch, &r->nodes, sizeof *node);
	if (!node)
		return no_memory(r, err);
	*node = (struct node){ .caller = caller };
	return true;
}

static bool read_name(struct reader *r, struct node *node, struct error *err)
{
	struct str text;

	if (!json_text(r->json, &text))
		return true;
	node->is_root = str_equal(text, STR("(root)"));
	node->is_idle = str_equal(text, STR("(idle)"));
	return !text.len ||
	       profile_build_text(r->build, text, &node->name, err);
}

static bool read_file(struct reader *r, struct node *node, struct error *err)
{
	struct str text;

	if (!json_text(r->json, &text))
		return true;
	if (str_starts(text, STR("file://")))
		text = str_slice(text, 7, text.len);
	return !text.len ||
	       profile_build_text(r->build, text, &node->file, err);
}

/* Lines are counted from 0; -1 is none. */
static void read_line(struct reader *r, struct node *node)
{
	double line;

	if (json_f64(r->json, &line) && line >= 0 && line < INT32_MAX)
		node->line = (uint32_t)line + 1;
}

/* Of a node and of its callFrame alike: older files have none. */
static bool read_place(struct reader *r, struct str key, struct node *node,
		       struct error *err)
{
	bool is_name = str_equal(key, STR("functionName"));
	bool is_file = str_equal(key, STR("url"));
	bool is_line = str_equal(key, STR("lineNumber"));
	enum json_kind kind = json_peek(r->json);

	if (is_name && kind == JSON_STRING)
		return read_name(r, node, err);
	if (is_file && kind == JSON_STRING)
		return read_file(r, node, err);
	if (is_line && kind == JSON_NUMBER)
		read_line(r, node);
	else
		json_skip(r->json);
	return true;
}

static bool read_call_frame(struct reader *r, struct node *node,
			    struct error *err)
{
	struct str key;

	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	while (json_next_key(r->json, &key))
		if (!read_place(r, key, node, err))
			return false;
	return true;
}

static bool read_called(struct reader *r, uint32_t caller, struct error *err)
{
	if (!json_enter_nullable(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json)) {
		struct call *call =
			column_add(&r->scratch, &r->calls, sizeof *call);

		if (!call)
			return no_memory(r, err);
		*call = (struct call){ .caller = caller };
		if (!json_u64(r->json, &call->id))
			return true;
	}
	return true;
}

/* All but the children. */
static bool read_node_key(struct reader *r, struct str key, uint32_t index,
			  struct error *err)
{
	struct node *node = node_at(r, index);
	uint64_t *number = NULL;

	if (str_equal(key, STR("callFrame")))
		return read_call_frame(r, node, err);
	if (str_equal(key, STR("id")))
		number = &node->id;
	else if (str_equal(key, STR("parent")))
		number = &node->caller_id;
	else if (str_equal(key, STR("hitCount")))
		number = &node->hits;
	else if (str_equal(key, STR("selfSize")))
		number = &node->bytes;
	r->is_heap = r->is_heap || number == &node->bytes;
	if (!number)
		return read_place(r, key, node, err);
	if (!json_u64(r->json, number))
		*number = 0;
	return true;
}

static bool read_nodes(struct reader *r, struct error *err)
{
	struct str key;
	uint32_t index;

	if (!json_enter(r->json, JSON_ARRAY))
		return true;
	while (json_next_object(r->json)) {
		if (!add_node(r, FRAME_NODE_NONE, &index, err))
			return false;
		while (json_next_key(r->json, &key)) {
			bool is_list = str_equal(key, STR("children"));

			if (!(is_list ? read_called(r, index, err)
				      : read_node_key(r, key, index, err)))
				return false;
		}
	}
	return true;
}

/* Nodes inside their callers, without recursion: behind a node comes its next
 * sibling, or its caller goes on. */
static bool read_tree(struct reader *r, struct error *err)
{
	uint32_t at = FRAME_NODE_NONE;
	struct str key;

	if (!json_enter(r->json, JSON_OBJECT))
		return true;
	if (!add_node(r, at, &at, err))
		return false;
	while (at != FRAME_NODE_NONE && !json_failed(r->json)) {
		uint32_t list_of = at;

		if (json_next_key(r->json, &key)) {
			if (!str_equal(key, STR("children"))) {
				if (!read_node_key(r, key, at, err))
					return false;
				continue;
			}
			if (!json_enter_nullable(r->json, JSON_ARRAY))
				continue;
		} else {
			list_of = node_at(r, at)->caller;
		}
		at = list_of;
		if (at != FRAME_NODE_NONE && json_next_object(r->json) &&
		    !add_node(r, list_of, &at, err))
			return false;
	}
	return true;
}

/* Samples of heap profiles are objects, and add nothing. */
static bool read_sample(struct reader *r, struct error *err)
{
	uint64_t *id;

	if (json_peek(r->json) != JSON_NUMBER) {
		json_skip(r->json);
		return true;
	}
	if (r->samples.count == LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u samples", WHAT,
				 LIMIT_SAMPLES);
	id = column_add(&r->scratch, &r->samples, sizeof *id);
	if (!id)
		return no_memory(r, err);
	if (!json_u64(r->json, id))
		*id = 0;
	return true;
}

static bool read_number(struct reader *r, double *number, struct error *err)
{
	*number = 0;
	if (!json_f64(r->json, number) ||
	    (*number > -TIME_MAX_US && *number < TIME_MAX_US))
		return true;
	return damaged("a time is out of range", err);
}

static bool read_time(struct reader *r, struct error *err)
{
	double *time;

	if (r->times.count == LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT, "%s has more than %u times",
				 WHAT, LIMIT_SAMPLES);
	time = column_add(&r->scratch, &r->times, sizeof *time);
	return time ? read_number(r, time, err) : no_memory(r, err);
}

static bool read_list(struct reader *r,
		      bool (*read)(struct reader *r, struct error *err),
		      struct error *err)
{
	if (!json_enter_nullable(r->json, JSON_ARRAY))
		return true;
	while (json_next_item(r->json))
		if (!read(r, err))
			return false;
	return true;
}

static bool read_key(struct reader *r, struct str key, struct error *err)
{
	bool is_deltas = str_equal(key, STR("timeDeltas"));

	if (str_equal(key, STR("nodes")))
		return read_nodes(r, err);
	if (str_equal(key, STR("head")))
		return read_tree(r, err);
	if (str_equal(key, STR("samples")))
		return read_list(r, read_sample, err);
	if (str_equal(key, STR("startTime")))
		return read_number(r, &r->start_us, err);
	if (str_equal(key, STR("endTime")))
		return read_number(r, &r->end_us, err);
	if (!is_deltas && !str_equal(key, STR("timestamps"))) {
		json_skip(r->json);
		return true;
	}
	r->has_deltas = is_deltas;
	return read_list(r, read_time, err);
}

static bool read_document(struct reader *r, struct error *err)
{
	struct str key;

	if (!json_enter(r->json, JSON_OBJECT))
		return json_check(r->json, err);
	while (json_next_key(r->json, &key))
		if (!read_key(r, key, err))
			return false;
	json_expect_end(r->json, "profile");
	return json_check(r->json, err);
}

/* ---- nodes ---- */

static bool index_ids(struct reader *r, struct error *err)
{
	for (size_t i = 0; i < r->nodes.count; i++) {
		uint32_t first;

		if (!map_insert_u64(&r->index_by_id, node_at(r, i)->id,
				    (uint32_t)i, &first))
			return no_memory(r, err);
		if (first != i)
			return damaged("two nodes have the same id", err);
	}
	return true;
}

static struct node *find_node(const struct reader *r, uint64_t id)
{
	uint32_t index = map_find_u64(&r->index_by_id, id);

	return index == MAP_NONE ? NULL : node_at(r, index);
}

static bool link_nodes(struct reader *r, struct error *err)
{
	const struct call *calls = r->calls.items;

	for (size_t i = 0; i < r->calls.count; i++) {
		struct node *called = find_node(r, calls[i].id);

		if (!called)
			return damaged("a node is missing", err);
		called->caller = calls[i].caller;
	}
	for (size_t i = 0; i < r->nodes.count; i++) {
		struct node *node = node_at(r, i);
		uint32_t index;

		if (!node->caller_id)
			continue;
		index = map_find_u64(&r->index_by_id, node->caller_id);
		if (index == MAP_NONE)
			return damaged("a node is missing", err);
		node->caller = index;
	}
	return true;
}

/* ---- samples ---- */

/* A sample lasts until the next one, the last one until the end. Some stand
 * earlier than those before them: these last no time at all. */
static void add_times(struct reader *r)
{
	const uint64_t *samples = r->samples.items;
	const double *times = r->times.items;
	double at = r->start_us, next = 0, latest = -TIME_MAX_US;

	for (size_t i = 0; i <= r->samples.count; i++) {
		struct node *node = i ? find_node(r, samples[i - 1]) : NULL;

		next = at;
		if (i == r->samples.count)
			next = r->has_deltas ? r->end_us : latest;
		else if (r->has_deltas)
			next += times[i];
		else
			next = times[i];
		if (node && next > latest)
			node->time_ns = sat_add_i64(
				node->time_ns,
				(int64_t)round((next - latest) * 1000));
		at = next;
		latest = fmax(latest, next);
	}
}

static bool add_samples(struct reader *r, struct error *err)
{
	const uint64_t *samples = r->samples.items;

	if (r->times.count && r->times.count != r->samples.count)
		return damaged("samples and times differ in number", err);
	for (size_t i = 0; i < r->samples.count; i++) {
		struct node *node = find_node(r, samples[i]);

		if (!node)
			return damaged("the node of a sample is missing", err);
		node->samples++;
		r->sample_count += !node->is_idle;
	}
	if (r->times.count)
		add_times(r);
	return true;
}

/* ---- values ---- */

enum type { TYPE_BYTES, TYPE_SAMPLES, TYPE_WALL, TYPE_CPU };

static const struct type_name type_names[] = {
	[TYPE_BYTES] = { { "inuse_space", 11 }, { "bytes", 5 } },
	[TYPE_SAMPLES] = { { "samples", 7 }, { "count", 5 } },
	[TYPE_WALL] = { { "wall", 4 }, { "nanoseconds", 11 } },
	[TYPE_CPU] = { { "cpu", 3 }, { "nanoseconds", 11 } },
};

/* Time when it is told. */
static bool choose_type(struct reader *r, const struct profile_want *want,
			enum type *type, struct error *err)
{
	const struct type_name *offered =
		&type_names[r->is_heap ? TYPE_BYTES : TYPE_SAMPLES];
	uint32_t count = !r->is_heap && r->times.count ? 3 : 1;
	uint32_t chosen;

	for (uint32_t i = 0; i < count; i++)
		if (!profile_build_type(r->build, offered[i].type,
					offered[i].unit, err))
			return false;
	if (!type_choose(offered, count, STR(""), want, &chosen, err))
		return false;
	r->out->type = chosen;
	*type = (enum type)(offered - type_names) + chosen;
	return true;
}

static int64_t value_of(const struct reader *r, const struct node *node,
			enum type type)
{
	uint64_t count = r->samples.count ? node->samples : node->hits;

	if (type == TYPE_BYTES)
		count = node->bytes;
	else if (type == TYPE_WALL)
		return node->time_ns;
	else if (node->is_idle)
		return 0;
	else if (type == TYPE_CPU)
		return node->time_ns;
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

/* Functions without a name are told apart by where they are. */
static bool name_function(struct reader *r, const struct node *node,
			  uint32_t *name, struct error *err)
{
	struct str base = path_base(profile_text(r->out, node->file));
	struct str text = STR("(anonymous)");

	*name = node->name;
	if (*name)
		return true;
	if (base.len)
		text = arena_printf(&r->scratch, "(anonymous %.*s:%u)",
				    STR_ARGS(base), node->line);
	return text.ptr ? profile_build_text(r->build, text, name, err)
			: no_memory(r, err);
}

/* The root is nobody's code, and not shown. */
static bool add_frame(struct reader *r, const struct node *node,
		      uint32_t *frame, struct error *err)
{
	struct function function = { .file = node->file };
	uint32_t index;

	*frame = FRAME_NODE_NONE;
	if (node->is_root && node->caller == FRAME_NODE_NONE)
		return true;
	return name_function(r, node, &function.name, err) &&
	       profile_build_interned(r->build, &function, &index, err) &&
	       profile_build_frame(r->build, index, node->line, frame, err);
}

static bool add_stacks(struct reader *r, enum type type, struct error *err)
{
	struct frame_node *rows;

	rows = arena_array(&r->scratch, r->nodes.count + 1, sizeof *rows);
	if (!rows)
		return no_memory(r, err);
	for (size_t i = 0; i < r->nodes.count; i++) {
		const struct node *node = node_at(r, i);

		rows[i].caller = node->caller;
		rows[i].value = value_of(r, node, type);
		if (!add_frame(r, node, &rows[i].frame, err))
			return false;
		if (node->is_idle)
			r->idle_ns = sat_add_i64(r->idle_ns, node->time_ns);
	}
	return frame_nodes_stacks(rows, r->nodes.count, r->build, WHAT, err);
}

static void settle(const struct reader *r, enum type type, struct notes *notes)
{
	struct profile *out = r->out;

	type_settle(out);
	if (r->end_us > r->start_us && r->has_deltas)
		out->duration_ns =
			(int64_t)round((r->end_us - r->start_us) * 1000);
	if (type == TYPE_CPU && r->sample_count) {
		out->sample_count = (int64_t)r->sample_count;
		out->period = out->total / out->sample_count;
	}
	if (type == TYPE_CPU && r->idle_ns)
		notes_add(notes,
			  "%.1f ms in which nothing ran (idle) are left out; "
			  "--type wall shows them",
			  (double)r->idle_ns / 1e6);
}

static bool read_profile(struct reader *r, const struct profile_want *want,
			 struct notes *notes, struct error *err)
{
	enum type type;

	if (!read_document(r, err) ||
	    (!r->is_heap && (!index_ids(r, err) || !link_nodes(r, err) ||
			     !add_samples(r, err))) ||
	    !choose_type(r, want, &type, err) || !add_stacks(r, type, err) ||
	    !profile_build_finish(r->build, notes, err))
		return false;
	settle(r, type, notes);
	return true;
}

bool decode_v8_profile(struct str bytes, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err)
{
	struct reader r = { .json = json_new(bytes, err), .out = out };
	bool is_done = false;

	if (!r.json)
		return false;
	arena_init(&r.scratch, LIMIT_DECODE_HEAP_BYTES);
	map_init(&r.index_by_id, &r.scratch);
	r.build = profile_build_new(out, err);
	if (r.build)
		is_done = read_profile(&r, want, notes, err);
	profile_build_free(r.build);
	arena_release(&r.scratch);
	json_free(r.json);
	return is_done;
}
