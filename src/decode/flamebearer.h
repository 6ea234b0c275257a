/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graphs as rows of [gap, total, self, name], one row per level,
 * collected in any order and converted to stacks at the end. The gap counts
 * from the right edge of the previous node in the row; the parent is the node
 * of the level above that spans it. Private to decode/.
 */
#ifndef DECODE_FLAMEBEARER_H
#define DECODE_FLAMEBEARER_H

#include "base/arena.h"
#include "model/profile.h"

struct flame_node {
	int64_t x;
	int64_t total;
	int64_t self;
	uint32_t name;
	uint32_t parent;
};

struct flame_name {
	uint32_t frame;
	bool is_other; /* the server's name for truncated parts */
};

struct flame {
	struct profile_build *build;
	struct arena scratch;
	struct flame_name *names;
	struct flame_node *nodes;
	uint32_t *levels; /* index of the first node of each */
	size_t name_count;
	size_t node_count;
	size_t level_count;
	size_t name_cap;
	size_t node_cap;
	size_t level_cap;
	int64_t row[4];
	unsigned row_fill;
	int64_t right; /* right edge of the previous node in this level */
	int64_t cut_off;
};

/* build is borrowed. Allocates nothing. */
void flame_init(struct flame *f, struct profile_build *build);
void flame_release(struct flame *f);

/* Adds the next name of the table. Names may come after the levels. */
bool flame_name(struct flame *f, struct str name, struct error *err) MUST_CHECK;

/* Starts a level; flame_value() adds its numbers, four per node. */
bool flame_level(struct flame *f, struct error *err) MUST_CHECK;
bool flame_value(struct flame *f, int64_t value, struct error *err) MUST_CHECK;

/* Adds the stacks to the build. */
bool flame_finish(struct flame *f, struct error *err) MUST_CHECK;

/* Sets header fields of the finished profile; cut_off is the part of its total
 * that the server truncated. */
void flame_settle(struct profile *out, int64_t cut_off);

#endif
