/* SPDX-License-Identifier: Apache-2.0
 *
 * V8 files: .cpuprofile (node --cpu-prof, Chrome DevTools) and .heapprofile
 * (node --heap-prof). Nodes of both are calls: CPU profiles list them; heap
 * profiles, and CPU profiles before 2017, nest them.
 */
#include "decode/v8_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/path.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

/* V8 call trees, see v8_profile.h. */

/* Maximum time in us that both doubles and nanoseconds represent exactly. */
#define TIME_MAX_US 9e15
#define TIME_OUT_OF_RANGE "a time is out of range"

struct node {
	uint64_t id;
	uint64_t caller_id; /* 0: none, or given by the caller */
	uint32_t caller;    /* index, FRAME_NODE_NONE unknown */
	uint32_t name;      /* symbols, 0 none */
	uint32_t file;
	uint32_t line;
	bool is_root;
	bool is_idle;
	uint64_t hits;
	uint64_t bytes;
};

/* Samples of a node, stored separately, so that all of them fit into the
 * processor's cache. */
struct v8_tally {
	int64_t time_ns;
	uint64_t samples;
};

/* A node and its caller. */
struct call {
	uint32_t caller; /* index */
	uint64_t id;
};

static bool no_memory(const struct v8_calls *c, struct error *err)
{
	return arena_fail(c->arena, V8_WHAT, err);
}

static bool file_damaged(const char *why, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is damaged: %s", V8_WHAT, why);
}

static struct node *node_at(const struct v8_calls *c, size_t index)
{
	return (struct node *)c->nodes.items + index;
}

/* ---- document ----
 *
 * Functions that read return false for errors of their own only; those of the
 * parser stay there and are reported at the end. */

static bool add_node(struct v8_calls *c, uint32_t caller, uint32_t *index,
		     struct error *err)
{
	struct node *node;

	if (c->nodes.count == LIMIT_TREE_NODES)
		return error_set(err, ERROR_LIMIT, "%s has more than %u nodes",
				 V8_WHAT, LIMIT_TREE_NODES);
	*index = (uint32_t)c->nodes.count;
	node = column_add(c->arena, &c->nodes, sizeof *node);
	if (!node)
		return no_memory(c, err);
	*node = (struct node){ .caller = caller };
	return true;
}

enum {
	FIELD_NAME,
	FIELD_FILE,
	FIELD_LINE,
	FIELD_CALL_FRAME,
	FIELD_CHILDREN,
	FIELD_ID,
	FIELD_CALLER_ID,
	FIELD_HITS,
	FIELD_BYTES,
	FIELD_NODES,
	FIELD_HEAD,
	FIELD_SAMPLES,
	FIELD_START,
	FIELD_END,
	FIELD_DELTAS,
	FIELD_TIMES,
};

static struct json_fields node_fields = JSON_FIELDS(
	JSON_NAME("functionName", FIELD_NAME), JSON_NAME("url", FIELD_FILE),
	JSON_NAME("lineNumber", FIELD_LINE),
	JSON_NAME("callFrame", FIELD_CALL_FRAME),
	JSON_NAME("children", FIELD_CHILDREN), JSON_NAME("id", FIELD_ID),
	JSON_NAME("parent", FIELD_CALLER_ID), JSON_NAME("hitCount", FIELD_HITS),
	JSON_NAME("selfSize", FIELD_BYTES));

static struct json_fields place_fields = JSON_FIELDS(
	JSON_NAME("functionName", FIELD_NAME), JSON_NAME("url", FIELD_FILE),
	JSON_NAME("lineNumber", FIELD_LINE));

/* Reads the location fields of a node or its callFrame; older files have no
 * callFrame. */
static bool read_place(struct v8_calls *c, int field, struct node *node,
		       struct error *err)
{
	enum json_kind kind = json_peek(c->json);
	struct str text;

	if (field == FIELD_NAME && kind == JSON_STRING) {
		if (!json_text(c->json, &text))
			return true;
		node->is_root = str_equal(text, STR("(root)"));
		node->is_idle = str_equal(text, STR("(idle)"));
		c->has_states |= node->is_idle ||
				 str_equal(text, STR("(program)")) ||
				 str_equal(text, STR("(garbage collector)"));
		return !text.len ||
		       profile_build_text(c->build, text, &node->name, err);
	}
	if (field == FIELD_FILE && kind == JSON_STRING) {
		if (!json_text(c->json, &text))
			return true;
		if (str_starts(text, STR("file://")))
			text = str_slice(text, 7, text.len);
		return !text.len ||
		       profile_build_text(c->build, text, &node->file, err);
	}
	if (field == FIELD_LINE && kind == JSON_NUMBER) {
		double line;

		/* Lines count from 0; -1 is none. */
		if (json_f64(c->json, &line) && line >= 0 && line < INT32_MAX)
			node->line = (uint32_t)line + 1;
	} else {
		json_skip(c->json);
	}
	return true;
}

static bool read_called(struct v8_calls *c, uint32_t caller, struct error *err)
{
	if (!json_enter_nullable(c->json, JSON_ARRAY))
		return true;
	while (json_next_item(c->json)) {
		struct call *call =
			column_add(c->arena, &c->calls, sizeof *call);

		if (!call)
			return no_memory(c, err);
		*call = (struct call){ .caller = caller };
		if (!json_u64(c->json, &call->id))
			return true;
	}
	return true;
}

/* All fields except children. */
static bool read_node_field(struct v8_calls *c, int field, uint32_t index,
			    struct error *err)
{
	struct node *node = node_at(c, index);
	uint64_t *number;

	if (field == FIELD_CALL_FRAME) {
		if (!json_enter(c->json, JSON_OBJECT))
			return true;
		while ((field = json_next_field(c->json, &place_fields)) >= 0)
			if (!read_place(c, field, node, err))
				return false;
		return true;
	}
	if (field == FIELD_ID)
		number = &node->id;
	else if (field == FIELD_CALLER_ID)
		number = &node->caller_id;
	else if (field == FIELD_HITS)
		number = &node->hits;
	else if (field == FIELD_BYTES)
		number = &node->bytes;
	else
		return read_place(c, field, node, err);
	c->is_heap |= field == FIELD_BYTES;
	if (!json_u64(c->json, number))
		*number = 0;
	return true;
}

static bool read_nodes(struct v8_calls *c, struct error *err)
{
	uint32_t index;
	int field;

	if (!json_enter(c->json, JSON_ARRAY))
		return true;
	while (json_next_object(c->json)) {
		if (!add_node(c, FRAME_NODE_NONE, &index, err))
			return false;
		while ((field = json_next_field(c->json, &node_fields)) >= 0)
			if (!(field == FIELD_CHILDREN
				      ? read_called(c, index, err)
				      : read_node_field(c, field, index, err)))
				return false;
	}
	return true;
}

/* Reads nested nodes without recursion: after a node comes its next sibling, or
 * its caller continues. */
static bool read_tree(struct v8_calls *c, struct error *err)
{
	uint32_t at = FRAME_NODE_NONE;
	int field;

	if (!json_enter(c->json, JSON_OBJECT))
		return true;
	if (!add_node(c, at, &at, err))
		return false;
	while (at != FRAME_NODE_NONE && !json_failed(c->json)) {
		uint32_t list_of = at;

		field = json_next_field(c->json, &node_fields);
		if (field >= 0) {
			if (field != FIELD_CHILDREN) {
				if (!read_node_field(c, field, at, err))
					return false;
				continue;
			}
			if (!json_enter_nullable(c->json, JSON_ARRAY))
				continue;
		} else {
			list_of = node_at(c, at)->caller;
		}
		at = list_of;
		if (at != FRAME_NODE_NONE && json_next_object(c->json) &&
		    !add_node(c, list_of, &at, err))
			return false;
	}
	return true;
}

/* Samples in heap profiles are objects, which are skipped. whole: the value if
 * it was a plain number; else it is read next. */
static bool read_sample(struct v8_calls *c, const uint64_t *whole,
			struct error *err)
{
	uint64_t *id;

	if (!whole && json_peek(c->json) != JSON_NUMBER) {
		json_skip(c->json);
		return true;
	}
	if (c->samples.count == LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT,
				 "%s has more than %u samples", V8_WHAT,
				 LIMIT_SAMPLES);
	id = column_add(c->arena, &c->samples, sizeof *id);
	if (!id)
		return no_memory(c, err);
	if (whole)
		*id = *whole;
	else if (!json_u64(c->json, id))
		*id = 0;
	return true;
}

static bool read_number(struct v8_calls *c, double *number, struct error *err)
{
	*number = 0;
	if (!json_f64(c->json, number) ||
	    (*number > -TIME_MAX_US && *number < TIME_MAX_US))
		return true;
	return file_damaged(TIME_OUT_OF_RANGE, err);
}

static bool read_time(struct v8_calls *c, const uint64_t *whole,
		      struct error *err)
{
	double *time;

	if (c->times.count == LIMIT_SAMPLES)
		return error_set(err, ERROR_LIMIT, "%s has more than %u times",
				 V8_WHAT, LIMIT_SAMPLES);
	time = column_add(c->arena, &c->times, sizeof *time);
	if (!time)
		return no_memory(c, err);
	if (!whole || *whole >= (uint64_t)TIME_MAX_US)
		return whole ? file_damaged(TIME_OUT_OF_RANGE, err)
			     : read_number(c, time, err);
	*time = (double)*whole;
	return true;
}

static bool read_list(struct v8_calls *c,
		      bool (*read)(struct v8_calls *c, const uint64_t *whole,
				   struct error *err),
		      struct error *err)
{
	uint64_t whole;

	if (!json_enter_nullable(c->json, JSON_ARRAY))
		return true;
	for (;;) {
		bool is_whole = json_next_whole(c->json, &whole);

		if (!is_whole && !json_next_item(c->json))
			return true;
		if (!read(c, is_whole ? &whole : NULL, err))
			return false;
	}
}

static struct json_fields calls_fields = JSON_FIELDS(
	JSON_NAME("nodes", FIELD_NODES), JSON_NAME("head", FIELD_HEAD),
	JSON_NAME("samples", FIELD_SAMPLES), JSON_NAME("startTime", FIELD_START),
	JSON_NAME("endTime", FIELD_END), JSON_NAME("timeDeltas", FIELD_DELTAS),
	JSON_NAME("timestamps", FIELD_TIMES));

bool v8_calls_read(struct v8_calls *c, struct str key, struct error *err)
{
	int field = json_field(&calls_fields, key);

	switch (field) {
	case FIELD_NODES:
		return read_nodes(c, err);
	case FIELD_HEAD:
		return read_tree(c, err);
	case FIELD_SAMPLES:
		return read_list(c, read_sample, err);
	case FIELD_START:
		return read_number(c, &c->start_us, err);
	case FIELD_END:
		return read_number(c, &c->end_us, err);
	case FIELD_DELTAS:
	case FIELD_TIMES:
		c->has_deltas = field == FIELD_DELTAS;
		return read_list(c, read_time, err);
	default:
		json_skip(c->json);
		return true;
	}
}

/* ---- nodes ---- */

/* V8 numbers nodes from 1 on: an array suffices, unless ids are sparse. */
static bool index_ids(struct v8_calls *c, struct error *err)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < c->nodes.count; i++)
		largest = node_at(c, i)->id > largest ? node_at(c, i)->id
						      : largest;
	if (largest / 4 <= c->nodes.count) {
		c->by_id_count = (size_t)largest + 1;
		c->by_id = arena_array(c->arena, c->by_id_count,
				       sizeof *c->by_id);
		if (!c->by_id)
			return no_memory(c, err);
	}
	for (size_t i = 0; i < c->nodes.count; i++) {
		uint64_t id = node_at(c, i)->id;
		uint32_t first = (uint32_t)i;

		if (!c->by_id) {
			if (!map_insert_u64(&c->index_by_id, id, first, &first))
				return no_memory(c, err);
		} else if (c->by_id[id]) {
			first = UINT32_MAX;
		} else {
			c->by_id[id] = first + 1;
		}
		if (first != i)
			return file_damaged("two nodes have the same id", err);
	}
	return true;
}

/* Returns MAP_NONE if absent. */
static uint32_t find_index(const struct v8_calls *c, uint64_t id)
{
	if (!c->by_id)
		return map_find_u64(&c->index_by_id, id);
	return id < c->by_id_count ? c->by_id[id] - 1 : MAP_NONE;
}

static bool link_nodes(struct v8_calls *c, struct error *err)
{
	const struct call *calls = c->calls.items;

	for (size_t i = 0; i < c->calls.count; i++) {
		uint32_t called = find_index(c, calls[i].id);

		if (called == MAP_NONE)
			return file_damaged("a node is missing", err);
		node_at(c, called)->caller = calls[i].caller;
	}
	for (size_t i = 0; i < c->nodes.count; i++) {
		struct node *node = node_at(c, i);
		uint32_t index;

		if (!node->caller_id)
			continue;
		index = find_index(c, node->caller_id);
		if (index != MAP_NONE)
			node->caller = index;
		else if (!c->may_lack_nodes)
			return file_damaged("a node is missing", err);
	}
	return true;
}

/* ---- samples ---- */

/* Bun (1.4) has no idle samples, and none while waiting: the previous sample
 * lasts that long. V8 has nodes for such states. A gap of this many intervals,
 * with at least this many samples, is such a wait; delays of the sampler by CPU
 * contention are shorter. */
#define GAP_INTERVALS 50
#define GAP_SAMPLES 16

/* Determines the median interval; 0 if gaps are not meaningful. */
static bool interval_find(struct v8_calls *c, struct error *err)
{
	const double *times = c->times.items;
	size_t count = c->times.count;
	double *sorted;

	if (!c->has_deltas || c->has_states || count < GAP_SAMPLES)
		return true;
	sorted = arena_array(c->arena, count, sizeof *sorted);
	if (!sorted)
		return no_memory(c, err);
	memcpy(sorted, times, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, compare_f64_items);
	c->interval_us = fmax(sorted[count / 2], 0);
	return true;
}

/* A sample lasts until the next one, the last one until the end. Samples with a
 * time before their predecessors have no duration. Absolute times have other
 * units than the end, and without a start the end is meaningless. */
static void add_times(struct v8_calls *c)
{
	const uint64_t *samples = c->samples.items; /* converted to indices */
	const double *times = c->times.items;
	double at = c->start_us, next = 0, latest = -TIME_MAX_US;

	for (size_t i = 0; i <= c->samples.count; i++) {
		uint64_t index = i ? samples[i - 1] : MAP_NONE;

		next = at;
		if (i == c->samples.count && !c->has_end)
			next = c->has_deltas && c->start_us > 0 ? c->end_us
								: latest;
		else if (c->has_deltas)
			next += times[i];
		else
			next = times[i];
		if (index != MAP_NONE && next > latest) {
			double us = next - latest;

			/* Before a long gap it is limited to one interval. */
			if (c->interval_us > 0 &&
			    !(us < GAP_INTERVALS * c->interval_us)) {
				c->gaps_ns = sat_add_i64(
					c->gaps_ns,
					(int64_t)round((us - c->interval_us) *
						       1000));
				us = c->interval_us;
			}
			c->tallies[index].time_ns =
				sat_add_i64(c->tallies[index].time_ns,
					    (int64_t)round(us * 1000));
		}
		at = next;
		latest = fmax(latest, next);
	}
}

static bool add_samples(struct v8_calls *c, struct error *err)
{
	uint64_t *samples = c->samples.items;

	/* Before 2017 the end is among the times. */
	if (!c->has_deltas && c->times.count == c->samples.count + 1)
		c->has_end = true;
	else if (c->times.count && c->times.count != c->samples.count)
		return file_damaged("samples and times differ in number", err);
	for (size_t i = 0; i < c->samples.count; i++) {
		samples[i] = find_index(c, samples[i]);
		if (samples[i] != MAP_NONE)
			c->tallies[samples[i]].samples++;
		else if (!c->may_lack_nodes)
			return file_damaged("the node of a sample is missing",
					    err);
		else
			c->lost_count++;
	}
	for (size_t i = 0; i < c->nodes.count; i++)
		if (!node_at(c, i)->is_idle)
			c->sample_count += c->tallies[i].samples;
	if (!interval_find(c, err))
		return false;
	if (c->times.count)
		add_times(c);
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

/* Chooses time if known. */
static bool choose_type(const struct v8_group *g,
			const struct profile_want *want, enum type *type,
			struct error *err)
{
	bool is_heap = false, has_times = false;
	const struct type_name *offered;
	uint32_t count, chosen;

	for (size_t i = 0; i < g->count; i++) {
		is_heap |= g->all[i].is_heap;
		has_times |= g->all[i].times.count > 0;
	}
	offered = &type_names[is_heap ? TYPE_BYTES : TYPE_SAMPLES];
	count = !is_heap && has_times ? 3 : 1;
	for (uint32_t i = 0; i < count; i++)
		if (!profile_build_type(g->build, offered[i].type,
					offered[i].unit, err))
			return false;
	if (!type_choose(offered, count, STR(""), want, &chosen, err))
		return false;
	g->profile->type = chosen;
	*type = (enum type)(offered - type_names) + chosen;
	return true;
}

static int64_t value_of(const struct v8_calls *c, size_t index, enum type type)
{
	const struct node *node = node_at(c, index);
	const struct v8_tally *tally = &c->tallies[index];
	uint64_t count = c->samples.count ? tally->samples : node->hits;

	if (type == TYPE_BYTES)
		count = node->bytes;
	else if (type == TYPE_WALL)
		return tally->time_ns;
	else if (node->is_idle)
		return 0;
	else if (type == TYPE_CPU)
		return tally->time_ns;
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

/* Distinguishes anonymous functions by their location. */
static bool name_function(struct v8_calls *c, const struct node *node,
			  uint32_t *name, struct error *err)
{
	struct str base = path_base(profile_text(c->profile, node->file));
	struct str text = STR("(anonymous)");

	*name = node->name;
	if (*name)
		return true;
	if (base.len && !node->line)
		text = arena_printf(c->arena, "(anonymous %.*s)",
				    STR_ARGS(base));
	else if (base.len)
		text = arena_printf(c->arena, "(anonymous %.*s:%u)",
				    STR_ARGS(base), node->line);
	return text.ptr ? profile_build_text(c->build, text, name, err)
			: no_memory(c, err);
}

static bool add_stacks(struct v8_calls *c, enum type type, struct error *err)
{
	struct frame_node *rows;
	uint32_t idle;

	rows = arena_array(c->arena, c->nodes.count + 1, sizeof *rows);
	if (!rows)
		return no_memory(c, err);
	for (size_t i = 0; i < c->nodes.count; i++) {
		const struct node *node = node_at(c, i);
		struct function function = { .file = node->file };
		uint32_t index;

		rows[i].caller = node->caller;
		rows[i].value = value_of(c, i, type);
		rows[i].frame = FRAME_NODE_NONE;
		/* The root is not a function and hidden. */
		if (!(node->is_root && node->caller == FRAME_NODE_NONE) &&
		    (!name_function(c, node, &function.name, err) ||
		     !profile_build_interned(c->build, &function, &index,
					     err) ||
		     !profile_build_frame(c->build, index, node->line,
					  &rows[i].frame, err)))
			return false;
		if (node->is_idle)
			c->idle_ns = sat_add_i64(c->idle_ns,
						 c->tallies[i].time_ns);
	}
	if (type != TYPE_WALL || !c->gaps_ns)
		return frame_nodes_stacks(rows, c->nodes.count, c->build,
					  V8_WHAT, err);
	rows[c->nodes.count].caller = FRAME_NODE_NONE;
	rows[c->nodes.count].value = c->gaps_ns;
	return profile_build_function(c->build, STR("(idle)"), STR(""), &idle,
				      err) &&
	       profile_build_frame(c->build, idle, 0,
				   &rows[c->nodes.count].frame, err) &&
	       frame_nodes_stacks(rows, c->nodes.count + 1, c->build, V8_WHAT,
				  err);
}

static void v8_group_settle(const struct v8_group *g, enum type type,
			    struct notes *notes)
{
	struct profile *out = g->profile;
	uint64_t sample_count = 0, lost_count = 0;
	int64_t idle_ns = 0, gaps_ns = 0;

	type_settle(out);
	for (size_t i = 0; i < g->count; i++) {
		const struct v8_calls *c = &g->all[i];
		double us = c->has_deltas ? c->end_us - c->start_us : 0;

		sample_count += c->sample_count;
		lost_count += c->lost_count;
		idle_ns = sat_add_i64(idle_ns, c->idle_ns);
		gaps_ns = sat_add_i64(gaps_ns, c->gaps_ns);
		if (c->start_us > 0 && us * 1000 > (double)out->duration_ns)
			out->duration_ns = (int64_t)round(us * 1000);
	}
	if (type == TYPE_CPU && sample_count) {
		out->sample_count = (int64_t)sample_count;
		out->period = out->total / out->sample_count;
	}
	if (lost_count)
		notes_add(
			notes,
			"%llu samples are left out: the Chrome trace has lost "
			"their frames",
			(unsigned long long)lost_count);
	if (type == TYPE_CPU && idle_ns)
		notes_add(notes,
			  "%.1f ms in which nothing ran (idle) are left out; "
			  "--type wall shows them",
			  (double)idle_ns / 1e6);
	if (type == TYPE_CPU && gaps_ns)
		notes_add(notes,
			  "%.1f ms without samples are taken for waits and "
			  "left out, as the profile has no idle samples (Bun "
			  "writes none); --type wall shows them",
			  (double)gaps_ns / 1e6);
}

void v8_calls_init(struct v8_calls *c, const struct v8_group *g)
{
	*c = (struct v8_calls){
		.arena = g->arena,
		.json = g->json,
		.build = g->build,
		.profile = g->profile,
	};
	map_init(&c->index_by_id, c->arena);
}

bool v8_group_finish(struct v8_group *g, const struct profile_want *want,
		     struct notes *notes, struct error *err)
{
	enum type type = TYPE_SAMPLES;

	for (size_t i = 0; i < g->count; i++) {
		struct v8_calls *c = &g->all[i];

		c->tallies = arena_array(c->arena, c->nodes.count + 1,
					 sizeof *c->tallies);
		if (!c->tallies)
			return no_memory(c, err);
		if (!c->is_heap && (!index_ids(c, err) || !link_nodes(c, err) ||
				    !add_samples(c, err)))
			return false;
	}
	if (!choose_type(g, want, &type, err))
		return false;
	for (size_t i = 0; i < g->count; i++)
		if (!add_stacks(&g->all[i], type, err))
			return false;
	if (!profile_build_finish(g->build, notes, err))
		return false;
	v8_group_settle(g, type, notes);
	return true;
}

static bool read_document(struct v8_calls *c, struct error *err)
{
	struct str key;

	if (!json_enter(c->json, JSON_OBJECT))
		return json_check(c->json, err);
	while (json_next_key(c->json, &key))
		if (!v8_calls_read(c, key, err))
			return false;
	json_expect_end(c->json, "profile");
	return json_check(c->json, err);
}

bool decode_v8_profile(struct feed *feed, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err)
{
	struct arena arena;
	struct v8_calls calls;
	struct v8_group g = {
		.arena = &arena,
		.json = json_new_feed(feed, err),
		.profile = out,
		.all = &calls,
		.count = 1,
	};
	bool is_done = false;

	if (!g.json)
		return false;
	arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
	g.build = profile_build_new(out, err);
	if (g.build) {
		v8_calls_init(&calls, &g);
		is_done = read_document(&calls, err) &&
			  v8_group_finish(&g, want, notes, err);
	}
	profile_build_free(g.build);
	arena_release(&arena);
	json_free(g.json);
	return is_done;
}
