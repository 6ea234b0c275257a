/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/flamebearer.h"

#include "base/num.h"
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

static bool damaged(const struct flame *f, const char *why, struct error *err)
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
		return damaged(f, "ends inside a node", err);
	if (!arena_reserve(&f->scratch, &levels, &f->level_cap,
			   f->level_count + 1, sizeof *f->levels))
		return arena_fail(&f->scratch, WHAT, err);
	f->levels = levels;
	f->levels[f->level_count++] = (uint32_t)f->node_count;
	f->right = 0;
	return true;
}

/* Untrusted numbers: widths add up without overflow, and no node has more of
 * its own than in all. */
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
		return damaged(f, "has impossible numbers", err);
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

/* Both levels run from left to right, so one sweep finds all parents. */
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

/* Level 0 is the sum of all, no function. */
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

/* A chain of nodes costs the square of its length, so frames are counted. */
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
		return damaged(f, "ends inside a node", err);
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
