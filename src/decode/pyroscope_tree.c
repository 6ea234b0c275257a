/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf responses of Pyroscope's SelectMergeStacktraces and
 * SelectMergeSpanProfile. Servers may respond in another format than requested
 * (old ones ignore an unknown format), so the content decides.
 *
 * A tree is a sequence of nodes without header; all numbers are varints: length
 * of the name, name, self, number of children. It starts with a virtual root
 * without a name; nodes are in depth-first order; children are in reverse
 * order, as popped from a stack.
 */
#include "decode/formats.h"

#include "base/num.h"
#include "decode/flamebearer.h"
#include "decode/profile_type.h"
#include "decode/wire.h"

#define WHAT "the Pyroscope answer"
#define TREE_WHAT "the Pyroscope tree"

/* Nodes come in depth-first order; pending[d] is the number of children still
 * to come of the open node at depth d, path[] the open nodes. */
struct tree {
	struct wire w;
	struct profile_build *build;
	struct arena scratch;
	uint32_t *path;
	uint64_t *pending;
	size_t path_cap;
	size_t pending_cap;
	size_t depth;
	uint32_t node_count;
	int64_t cut_off;
};

struct tree_node {
	struct str name;
	int64_t self;
	uint64_t child_count;
};

static bool read_number(struct wire *w, uint64_t *value)
{
	if (wire_next_varint(w, value))
		return true;
	wire_fail(w, "it ends inside a node");
	return false;
}

static bool read_node(struct tree *t, struct tree_node *n)
{
	struct wire *w = &t->w;
	uint64_t len;
	uint64_t self;

	if (!read_number(w, &len))
		return false;
	if (len > w->bytes.len - w->at)
		return wire_fail(w, "a name is longer than what is left");
	n->name = str_slice(w->bytes, w->at, (size_t)len);
	w->at += (size_t)len;
	if (!read_number(w, &self) || !read_number(w, &n->child_count))
		return false;
	if (self > INT64_MAX)
		return wire_fail(w, "a value is negative");
	n->self = (int64_t)self;
	return true;
}

/* The first node is the sum of all, without a name. */
static bool add_node(struct tree *t, const struct tree_node *n,
		     struct error *err)
{
	void *path = t->path, *pending = t->pending;
	uint32_t function;

	if (++t->node_count > LIMIT_TREE_NODES)
		return error_set(err, ERROR_LIMIT, "%s has more than %u nodes",
				 TREE_WHAT, LIMIT_TREE_NODES);
	if (!arena_reserve(&t->scratch, &path, &t->path_cap, t->depth + 1,
			   sizeof *t->path) ||
	    !arena_reserve(&t->scratch, &pending, &t->pending_cap, t->depth + 1,
			   sizeof *t->pending))
		return arena_fail(&t->scratch, TREE_WHAT, err);
	t->path = path;
	t->pending = pending;
	t->pending[t->depth] = n->child_count;
	if (t->depth && (!profile_build_function(t->build, n->name, STR(""),
						 &function, err) ||
			 !profile_build_frame(t->build, function, 0,
					      &t->path[t->depth - 1], err)))
		return false;
	if (t->depth && n->child_count == 0 && str_equal(n->name, STR("other")))
		t->cut_off = sat_add_i64(t->cut_off, n->self);
	return profile_build_stack(t->build, t->path, (uint32_t)t->depth,
				   n->self, err);
}

static bool read_nodes(struct tree *t, struct error *err)
{
	struct tree_node n = { .self = 0 };

	if (!read_node(t, &n))
		return wire_check(&t->w, TREE_WHAT, err);
	if (!add_node(t, &n, err))
		return false;
	for (;;) {
		if (t->pending[t->depth] == 0) {
			if (t->depth-- == 0)
				break;
			continue;
		}
		t->pending[t->depth++]--;
		if (!read_node(t, &n))
			return wire_check(&t->w, TREE_WHAT, err);
		if (!add_node(t, &n, err))
			return false;
	}
	if (t->w.at < t->w.bytes.len)
		wire_fail(&t->w, "bytes are left after the last node");
	return wire_check(&t->w, TREE_WHAT, err);
}

bool tree_read(struct str bytes, struct profile_build *build, int64_t *cut_off,
	       struct error *err)
{
	struct tree t = { .build = build };
	bool is_done;

	if (bytes.len == 0)
		return true;
	wire_init(&t.w, bytes);
	arena_init(&t.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = read_nodes(&t, err);
	*cut_off = sat_add_i64(*cut_off, t.cut_off);
	arena_release(&t.scratch);
	return is_done;
}

/* ---- rows in protobuf ---- */

static bool read_level(struct flame *f, struct wire *parent,
		       const struct wire_field *field, struct error *err)
{
	struct wire w;
	struct wire packed;
	struct wire_field v;
	uint64_t value;

	w = wire_inside(parent, field);
	if (!flame_level(f, err))
		return false;
	while (wire_next(&w, &v)) {
		if (v.tag == WIRE_TAG(1, WIRE_VARINT) &&
		    !flame_value(f, (int64_t)v.value, err))
			return false;
		if (v.tag != WIRE_TAG(1, WIRE_BYTES))
			continue;
		packed = wire_inside(&w, &v);
		while (wire_next_varint(&packed, &value))
			if (!flame_value(f, (int64_t)value, err))
				return false;
		if (!wire_check(&packed, WHAT, err))
			return false;
	}
	return wire_check(&w, WHAT, err);
}

static bool read_flamegraph(struct flame *f, struct str bytes,
			    struct error *err)
{
	struct wire w;
	struct wire_field field;

	wire_init(&w, bytes);
	while (wire_next(&w, &field)) {
		if (field.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !flame_name(f, field.bytes, err))
			return false;
		if (field.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !read_level(f, &w, &field, err))
			return false;
	}
	return wire_check(&w, WHAT, err) && flame_finish(f, err);
}

/* ---- response ---- */

/* NULL ptr: absent. */
struct answer {
	struct str flamegraph;
	struct str tree;
	struct str dot;
	struct str pprof;
};

static bool read_pprof_field(struct wire *parent, const struct wire_field *f,
			     struct str *profile, struct error *err)
{
	struct wire w;
	struct wire_field inner;

	*profile = STR("");
	w = wire_inside(parent, f);
	while (wire_next(&w, &inner))
		if (inner.tag == WIRE_TAG(1, WIRE_BYTES))
			*profile = inner.bytes;
	return wire_check(&w, WHAT, err);
}

/* No server repeats a part; a pprof profile mistaken for a response has its
 * many samples in place of the tree. */
static bool take_part(struct str *part, struct str bytes, struct error *err)
{
	if (part->ptr)
		return error_set(
			err, ERROR_FORMAT,
			"%s holds a part twice; is it a pprof profile?", WHAT);
	*part = bytes;
	return true;
}

static bool read_part(struct answer *a, struct wire *w,
		      const struct wire_field *f, struct error *err)
{
	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		return take_part(&a->flamegraph, f->bytes, err);
	case WIRE_TAG(2, WIRE_BYTES):
		return take_part(&a->tree, f->bytes, err);
	case WIRE_TAG(3, WIRE_BYTES):
		return take_part(&a->dot, f->bytes, err);
	case WIRE_TAG(5, WIRE_BYTES):
		return read_pprof_field(w, f, &a->pprof, err);
	default:
		return true;
	}
}

static bool read_parts(const struct answer *a, struct profile_build *build,
		       int64_t *cut_off, struct error *err)
{
	struct flame f;
	bool is_done;

	if (a->tree.len || !a->flamegraph.len)
		return tree_read(a->tree, build, cut_off, err);
	flame_init(&f, build);
	is_done = read_flamegraph(&f, a->flamegraph, err);
	*cut_off = f.cut_off;
	flame_release(&f);
	return is_done;
}

bool decode_pyroscope_tree(struct str bytes, const struct profile_want *want,
			   struct profile *out, struct notes *notes,
			   struct error *err)
{
	struct answer a = { 0 };
	struct profile_build *build;
	int64_t cut_off = 0;
	bool is_done;
	struct wire w;
	struct wire_field f;

	wire_init(&w, bytes);
	while (wire_next(&w, &f))
		if (!read_part(&a, &w, &f, err))
			return false;
	if (!wire_check(&w, WHAT, err))
		return false;
	if (a.pprof.ptr)
		return decode_pprof(a.pprof, want, out, notes, err);
	if (a.dot.len && !a.tree.len && !a.flamegraph.len)
		return error_set(err, ERROR_FORMAT,
				 "%s is a drawing (DOT), not a profile", WHAT);
	build = profile_build_new(out, err);
	if (!build)
		return false;
	is_done = type_declare_implied(build, want, err) &&
		  read_parts(&a, build, &cut_off, err) &&
		  profile_build_finish(build, notes, err);
	if (is_done)
		flame_settle(out, cut_off);
	profile_build_free(build);
	return is_done;
}
