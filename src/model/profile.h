/* SPDX-License-Identifier: Apache-2.0
 *
 * The profile model, independent of formats: one value per distinct stack;
 * frames are indices of functions, with a line. Decoders append through a
 * struct profile_build; profile_build_finish() merges stacks and puts them into
 * a stable order. Only one sample type is decoded; the others are listed by
 * name.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/notes.h"
#include "base/num.h"
#include "model/symtab.h"

/* Stacks under construction as a tree (trie) of frames from the root: common
 * prefixes are stored once, equal stacks meet in one node, and sorting stacks
 * means sorting siblings. For decoders of text formats, where adjacent stacks
 * share most frames; see profile_build_tree(). */

/* No node. 0 is the root, which has no frame. */
#define STACK_TREE_NONE 0u

struct stack_node {
	uint32_t parent;
	uint32_t frame;
	uint32_t first_child; /* this and the next: set by stack_tree_order() */
	uint32_t next_sibling;
	int64_t value; /* of the stack that ends here */
};

struct stack_tree {
	struct arena *arena;
	struct stack_node *nodes; /* children come after their parents */
	size_t count;
	size_t cap;
	/* Hash table of nodes, by the hash of their path. */
	struct stack_slot *slots;
	size_t slot_count;
	uint64_t keys[2]; /* hash keys of this tree */
};

/* A node and the hash of its path; all zero is the root. */
struct stack_place {
	uint64_t hash;
	uint32_t node;
};

/* The arena must outlive the tree. Returns false when out of memory. */
bool stack_tree_init(struct stack_tree *t, struct arena *arena) MUST_CHECK;

/* Walks from places[0] along the frames, storing each node in places[1] to
 * places[count]; missing nodes are added. Returns false when out of memory. */
bool stack_tree_walk(struct stack_tree *t, const uint32_t *frames,
		     uint32_t count, struct stack_place *places) MUST_CHECK;

/* Sorts the children of every node by place[frame]; children whose place is
 * frame_count or more are removed. No lookups are possible afterwards. Returns
 * false when out of memory. */
bool stack_tree_order(struct stack_tree *t, const uint32_t *place,
		      uint32_t frame_count) MUST_CHECK;

/* Returns the next node in depth-first order, STACK_TREE_NONE after the last.
 * *depth (0 for the root) is updated. */
uint32_t stack_tree_next(const struct stack_tree *t, uint32_t node,
			 uint32_t *depth);

struct function {
	uint32_t name; /* symtab; never empty, "[libc.so.6+0x1f]" if unknown */
	uint32_t file; /* symtab, 0 unknown */
	/* Set from PROFILE_DETAIL_PLACES on, or if needed to distinguish
	 * functions of the same name. */
	uint32_t mapping; /* symtab: the binary or library, 0 unknown */
	bool is_nameless; /* the name was made up from the mapping */
};

struct frame {
	uint32_t function; /* index */
	uint32_t line;     /* 0 unknown */
};

/* Frame details that most commands do not need, stored separately. */
struct frame_detail {
	/* From PROFILE_DETAIL_ADDRESSES on. */
	uint32_t column; /* 0 unknown */
	/* From PROFILE_DETAIL_PLACES on. */
	uint32_t is_inlined; /* 1: into the frame before it, its caller */
	/* From PROFILE_DETAIL_ADDRESSES on. */
	uint32_t address_high;
	uint32_t address_low; /* both 0 unknown */
};

/* Everything that distinguishes frames, all uint32_t, so that frames can be
 * sorted as sequences of words. */
struct whole_frame {
	struct frame frame;
	struct frame_detail detail;
};

/* How finely frames are distinguished. More detail gives more frames and
 * stacks; the values of functions do not change. */
enum profile_detail {
	PROFILE_DETAIL_LINES = 0,
	/* Mappings and inlining; nameless frames are merged per mapping. */
	PROFILE_DETAIL_PLACES,
	PROFILE_DETAIL_ADDRESSES,
};

struct sample_type {
	uint32_t type; /* symtab: "cpu" */
	uint32_t unit; /* symtab: "nanoseconds" */
};

struct stack {
	uint32_t frame_first; /* into profile->frame_ids */
	uint32_t frame_count; /* root first */
	int64_t value;
};

/* Frames of a location, mostly one, sometimes two: the leaf's side first, then
 * PACKED_NONE if there is no second. PACKED_RUN | n: more frames, namely the
 * runs[n] entries after runs[n], root first. */
struct packed_place {
	uint32_t frames[2];
};

#define PACKED_RUN (UINT32_C(1) << 31)
#define PACKED_NONE UINT32_MAX

/* Encoded stacks. No stack crosses the end of a chunk, and eight bytes can be
 * read at any number in it. A chunk may be empty. */
struct packed_chunk {
	struct packed_chunk *next;
	size_t len;
	unsigned number_bytes; /* per location number, two or three */
	uint64_t value_unit;   /* values are multiples of this */
	unsigned char bytes[];
};

/* Stacks as in a pprof file: locations by their index there, unsorted and not
 * merged, all values above 0. If only sums over stacks are needed, this takes a
 * fraction of the time and memory (docs/lab/performance.md, "packed samples of
 * files", and "packed answers"). */
struct packed_stacks {
	/* Encoding of a stack: number of locations shared with the previous
	 * stack, number of other locations, their indices from the root's side,
	 * value in units of the chunk. Indices have number_bytes bytes each,
	 * the other numbers are varints. */
	struct packed_chunk *chunks;
	struct packed_place *places; /* by index */
	uint32_t place_count;
	uint32_t *runs;
	uint32_t run_count;
	/* By location index: values of its stacks, once per occurrence. */
	int64_t *sums;
	int64_t divisor; /* greatest common divisor of the values */
	/* Functions and frames are sorted; profile_unpack() can sort the
	 * stacks. The period, which may have to be inferred from the values of
	 * distinct stacks, is then computed from these; 0: unknown. */
	bool is_for_later;
	int64_t stated_period;
	int64_t counted;
};

struct profile {
	struct arena arena;
	struct symtab symtab;
	struct function *functions; /* distinct (name, file...) */
	uint32_t function_count;
	struct frame *frames;         /* distinct (function, line...) */
	struct frame_detail *details; /* by frame; NULL: all of them 0 */
	uint32_t frame_count;
	/* Frames of stacks, root first. Parts not referenced, of stacks that
	 * cancelled out, are meaningless. */
	uint32_t *frame_ids;
	size_t frame_id_count;
	struct stack *stacks; /* distinct, sorted by names, root first */
	uint32_t stack_count;
	/* If not NULL, there are no frame_ids and stacks; iterate with struct
	 * stack_walk. */
	struct packed_stacks *packed;
	bool is_loose; /* functions, frames and stacks are not sorted by name */
	struct sample_type *types; /* all that the source offers */
	uint32_t type_count;
	uint32_t type; /* index of the decoded one */
	int64_t total; /* sum of values, saturating */
	/* Total that shares refer to: sum of the absolute values, including
	 * what was filtered out. */
	int64_t whole_total;
	/* Part of it that never had a stack. */
	int64_t omitted;
	int64_t filtered; /* part of it that a view filtered out */
	/* Number of samples in whole_total, -1 unknown. */
	int64_t sample_count;
	int64_t period;      /* value of one sample, 0 unknown */
	int64_t time_ns;     /* 0 unknown */
	int64_t duration_ns; /* 0 unknown */
	/* Share of total under "other", 0 if complete. */
	double truncated_share;
	bool is_gauge;
	bool is_difference; /* of two profiles: negative values shrank */
	bool has_lines;
	/* Callgrind: contains functions and calls only; stacks are made-up
	 * pairs that add up to those (decode/callgrind.c) and mean nothing
	 * else. */
	bool is_of_calls;
};

void packed_chunks_free(struct packed_chunk *first);

/* At the end of a chunk, moves to the next non-empty one; false after the
 * last. */
static inline bool packed_next(const struct packed_chunk **chunk,
			       const unsigned char **at)
{
	while (*at == (*chunk)->bytes + (*chunk)->len) {
		if (!(*chunk)->next)
			return false;
		*chunk = (*chunk)->next;
		*at = (*chunk)->bytes;
	}
	return true;
}

void profile_init(struct profile *p);
void profile_release(struct profile *p);

/* Borrowed from the profile; "" if absent. */
struct str profile_text(const struct profile *p, uint32_t symbol);
struct str function_name(const struct profile *p, uint32_t function);
struct str function_file(const struct profile *p, uint32_t function);
struct str function_mapping(const struct profile *p, uint32_t function);
struct whole_frame whole_frame(const struct profile *p, uint32_t frame);

/* Compares by function, line, column and so on, as sequences of words. */
int whole_frame_compare(const struct whole_frame *a,
			const struct whole_frame *b);

/* Returns the unit of the values: "nanoseconds", "bytes", "count". */
struct str profile_unit(const struct profile *p);
struct str profile_type_name(const struct profile *p);

static inline bool is_frame_inlined(const struct profile *p, uint32_t frame)
{
	return p->details && p->details[frame].is_inlined;
}

/* Returns the greatest common divisor of all values; 0 if there are none. */
int64_t profile_divisor(const struct profile *p);

/* Splits the difference between whole_total and the magnitudes of all stacks:
 * *stackless was omitted or filtered, *cancelled were equal stacks of opposite
 * sign. */
void profile_rest(const struct profile *p, int64_t *stackless,
		  int64_t *cancelled);

/* Makes the remaining stacks the whole that shares refer to; sample_count is
 * scaled by the value left. */
void profile_forget_rest(struct profile *p);

/* Adds values of the profile: modulo 2^64, so that an overflow can be
 * subtracted again, but saturating if whole_total is saturated. */
static inline int64_t profile_sum(const struct profile *p, int64_t a, int64_t b)
{
	return p->whole_total == INT64_MAX ? sat_add_i64(a, b)
					   : wrap_add_i64(a, b);
}

/* Sets sums[0..frame_count) to the total value of the stacks each frame occurs
 * in, once per occurrence; computed by profile_sum(). */
void profile_frame_sums(const struct profile *p, int64_t *sums);

/* Returns the nanoseconds in a unit of time, 0 for other units. */
int64_t time_unit_ns(struct str unit);

/* ---- building ---- */

struct profile_build;

/* out is borrowed until the build is freed. Returns NULL when out of memory. */
struct profile_build *profile_build_new(struct profile *out,
					struct error *err) MUST_CHECK;
void profile_build_free(struct profile_build *b);

/* Reserves room for this many texts, functions and frames, for formats that
 * declare upper bounds; more may be added. */
bool profile_build_expect(struct profile_build *b, size_t texts,
			  size_t functions, size_t frames,
			  struct error *err) MUST_CHECK;

/* Texts within this range, which must be in the profile's arena and each
 * NUL-terminated, are no longer copied. */
void profile_build_keep(struct profile_build *b, struct str texts);

/* Interns text, truncated to LIMIT_STRING_BYTES (counted). */
bool profile_build_text(struct profile_build *b, struct str text, uint32_t *id,
			struct error *err) MUST_CHECK;

/* Adds an offered sample type, in order. */
bool profile_build_type(struct profile_build *b, struct str type,
			struct str unit, struct error *err) MUST_CHECK;

/* Replaces a linker name by the demangled one (demangle/demangle.h), borrowed
 * until the next call; other names are left alone. Interned functions are
 * demangled automatically. */
bool profile_build_demangle(struct profile_build *b, struct str *name,
			    struct error *err) MUST_CHECK;

/* Interns the name of a function, demangled and without decorations
 * (model/function_name.h); an empty one as "[unknown]". */
bool profile_build_name(struct profile_build *b, struct str name, uint32_t *id,
			struct error *err) MUST_CHECK;

/* Intern a function or a frame. An empty name becomes "[unknown]". */
bool profile_build_function(struct profile_build *b, struct str name,
			    struct str file, uint32_t *function,
			    struct error *err) MUST_CHECK;
bool profile_build_frame(struct profile_build *b, uint32_t function,
			 uint32_t line, uint32_t *frame,
			 struct error *err) MUST_CHECK;

/* Same for a function in a mapping of this name; is_nameless: name was made up
 * by the decoder. */
bool profile_build_mapped(struct profile_build *b, struct str name,
			  struct str file, struct str mapping, bool is_nameless,
			  uint32_t *function, struct error *err) MUST_CHECK;
/* Same with texts already interned. */
bool profile_build_interned(struct profile_build *b, const struct function *f,
			    uint32_t *function, struct error *err) MUST_CHECK;
/* Same with all frame details. */
bool profile_build_place(struct profile_build *b,
			 const struct whole_frame *place, uint32_t *frame,
			 struct error *err) MUST_CHECK;

/* Adds a stack, root first, with its value. In stacks deeper than
 * LIMIT_STACK_FRAMES the middle is replaced by a frame "[N frames trimmed]",
 * counted. Value 0 is ignored; equal stacks are added up (saturating, with a
 * note). */
bool profile_build_stack(struct profile_build *b, const uint32_t *frames,
			 uint32_t count, int64_t value,
			 struct error *err) MUST_CHECK;

/* Switches to collecting stacks in a tree, for decoders whose frames are only
 * names. Call before the first stack. Returns NULL when out of memory. */
struct stack_tree *profile_build_tree(struct profile_build *b,
				      struct error *err) MUST_CHECK;

/* Switches back: moves the stacks out of the tree, which is freed. */
bool profile_build_untree(struct profile_build *b,
			  struct error *err) MUST_CHECK;

/* Adds the stack of a tree node at this depth, at most LIMIT_STACK_FRAMES. */
bool profile_build_node(struct profile_build *b, uint32_t node, uint32_t depth,
			int64_t value, struct error *err) MUST_CHECK;

/* Renumbers the frames of all stacks: place[0..frame_count). */
void profile_place_frames(struct profile *p, const uint32_t *place);

/* Adds a filtered value to whole_total. */
void profile_build_omit(struct profile_build *b, int64_t value);

/* Sets packed stacks instead of adding stacks. The bytes are owned by the
 * profile from then on, everything else must be in its arena. Frames are those
 * of the build. Call profile_build_finish() next. */
void profile_build_packed(struct profile_build *b, struct packed_stacks *packed,
			  uint32_t count, int64_t total);

/* Merges and sorts stacks, computes totals. The decoder sets header fields
 * (type, period, time_ns...) on the out profile before or after. */
bool profile_build_finish(struct profile_build *b, struct notes *notes,
			  struct error *err) MUST_CHECK;

/* Checks invariants after decoding: indices in range, stacks distinct and
 * sorted, values non-zero and adding up to the total. */
bool profile_check(const struct profile *p, struct error *err) MUST_CHECK;

/* Infers the period (value of one sample) of a CPU or wall-clock profile from
 * its values, which are multiples of it: their greatest common divisor if at
 * least 20 are distinct and it is 0.1 ms to 1 s; else a common default, 10 ms
 * (100 Hz) or 10,309,278 ns (97 Hz), if all values are multiples of it. Sets
 * period and sample_count; leaves them unchanged if neither applies. */
void profile_infer_period(struct profile *p);

/* Sets period and sample_count by better evidence: a period stated by the
 * source if all values are multiples of it, else the number of samples counted.
 * 0: none. */
void profile_ground_period(struct profile *p, int64_t stated, int64_t counted);

/* Sorts stacks packed with is_for_later, as if they had never been packed; does
 * nothing to others. After a failure the profile can only be released. */
bool profile_unpack(struct profile *p, struct error *err) MUST_CHECK;

/* Renames the decoded sample type and converts it to a unit of which the old
 * one has `factor` (saturating). Does nothing if there are no samples. */
bool profile_restate(struct profile *p, struct str type, struct str unit,
		     int64_t factor, struct error *err) MUST_CHECK;

/* Converts a time unit to nanoseconds; does nothing if the unit is not a time
 * or values would overflow. */
bool profile_to_nanoseconds(struct profile *p, struct error *err) MUST_CHECK;

/* Multiplies all values by factor (saturating); for packed stacks the total
 * must not overflow. */
void profile_multiply(struct profile *p, int64_t factor);

/* Divides all values, to turn a sum of snapshots into their average. Rounding
 * errors are carried to the next stack, so no subtree is off by more than one
 * unit; stacks that become 0 are dropped. */
void profile_divide(struct profile *p, int64_t divisor);

/* Merging profiles: parts of a window, pods of a service. */

/* Adds up n profiles of one sample type into out, which must be initialized and
 * empty; texts are copied. Parts without samples are ignored, but if filters
 * emptied them they count for whole_total. Kept if all other parts agree: the
 * period (else 0), has_lines, a known sample_count (else -1). The time is the
 * earliest, durations are summed, a gauge stays one and is not divided. Of the
 * sample types only the decoded one is listed. If a part is packed or loose,
 * out is loose. n may be 0. Fails on parts of different types and on limits;
 * release out then, too. */
bool profile_merge(struct profile *out, const struct profile *const *parts,
		   size_t n, struct notes *notes, struct error *err) MUST_CHECK;

/* Merges the header fields: everything except functions, frames, stacks, total
 * and types. */
void profile_merge_heads(struct profile *out,
			 const struct profile *const *parts, size_t n);

/* Iterator over the stacks of a profile, sorted or packed, for sums: packed
 * stacks come in arbitrary order, and equal ones repeatedly. */

/* Private. Location indices, from the root's side. */
struct stack_ahead {
	uint32_t kept;
	uint32_t count;
	int64_t value;
	uint32_t numbers[LIMIT_STACK_FRAMES];
};

/* Too large for the C stack. */
struct stack_walk {
	const uint32_t *frames; /* of the current stack, root first */
	uint32_t count;
	uint32_t kept; /* leading frames shared with the previous stack */
	int64_t value;
	/* Index of the next stack, which is the number of the current one from
	 * 1. */
	uint32_t index;
	/* private */
	const struct profile *profile;
	const struct packed_chunk *chunk;
	const unsigned char *at; /* position in it */
	struct stack_ahead next;
	/* End of each location's frames. */
	uint16_t ends[LIMIT_STACK_FRAMES + 1];
	uint32_t room[LIMIT_STACK_FRAMES];
};

void stack_walk_init(struct stack_walk *w, const struct profile *p);

/* Advances to the next stack; false after the last. */
bool stack_walk_next(struct stack_walk *w);

/* Reduces compared profiles to the stacks selected by is_kept (by stack
 * number), adjusting totals accordingly. Returns the share of the first profile
 * that was removed, 0..1. Does nothing and returns 0 if one is packed, or if
 * none or all of all stacks are kept. */
double profiles_keep_stacks(struct profile *const *profiles, size_t count,
			    bool *const *is_kept);

/* Merging of two profiles whose functions, frames and stacks are sorted: sorted
 * lists are merged, only new texts are hashed, and nothing is sorted again.
 * Private to model/. */

/* Returns a function of p with its texts renumbered for out. texts: symbols of
 * out, by symbol of p. */
struct function profile_join_function(const struct profile *p,
				      const uint32_t *texts, uint32_t function);

/* Returns a frame of p with its function renumbered for out. functions: those
 * of out, by function of p. */
struct whole_frame profile_join_frame(const struct profile *p,
				      const uint32_t *functions,
				      uint32_t frame);

#endif
