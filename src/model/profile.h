/* SPDX-License-Identifier: Apache-2.0
 *
 * The neutral profile: one value per distinct stack, frames as indices of
 * functions with a line. Decoders append through profile_build and end in
 * profile_build_finish(), where stacks are merged and put into a stable
 * order. One sample type is decoded; the others present are only named.
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

/* Stacks in the making as a tree of their frames from the root on: what
 * stacks begin with is there once, equal stacks meet in one node, and putting
 * them into order is putting siblings into order. For decoders of texts, where
 * neighbours have most frames in common; see profile_build_tree(). */

/* No node; 0 is the root, which has no frame. */
#define STACK_TREE_NONE 0u

struct stack_node {
	uint32_t parent;
	uint32_t frame;
	uint32_t first_child; /* this and the next: from ordering on */
	uint32_t next_sibling;
	int64_t value; /* of the stack that ends here */
};

struct stack_tree {
	struct arena *arena;
	struct stack_node *nodes; /* children later than their parents */
	size_t count;
	size_t cap;
	/* Where nodes are found, by the hashes of their paths. */
	struct stack_slot *slots;
	size_t slot_count;
	uint64_t keys[2]; /* of this tree's hashes */
};

/* A node and the hash of its path; all zero is the root. */
struct stack_place {
	uint64_t hash;
	uint32_t node;
};

/* False: no memory in the arena, which must outlive it. */
bool stack_tree_init(struct stack_tree *t, struct arena *arena) MUST_CHECK;

/* From places[0] on, frame after frame, to places[count]; nodes that are not
 * there are added. False: no memory. */
bool stack_tree_walk(struct stack_tree *t, const uint32_t *frames,
		     uint32_t count, struct stack_place *places) MUST_CHECK;

/* Puts the children of every node into the order of place[frame]; places from
 * frame_count on are none, and such children leave. Nothing can be found in
 * it any more. False: no memory. */
bool stack_tree_order(struct stack_tree *t, const uint32_t *place,
		      uint32_t frame_count) MUST_CHECK;

/* The node after this one in depth-first order, or STACK_TREE_NONE after the
 * last. *depth (of the root: 0) is kept up to date. */
uint32_t stack_tree_next(const struct stack_tree *t, uint32_t node,
			 uint32_t *depth);

struct function {
	uint32_t name; /* symtab; never empty: "[libc.so.6+0x1f]" at worst */
	uint32_t file; /* symtab, 0 unknown */
	/* Where decoded with PROFILE_DETAIL_PLACES or more, and where it tells
	 * functions of one name apart. */
	uint32_t mapping; /* symtab: the program or library, 0 unknown */
	bool is_nameless; /* the name stands for the mapping */
};

struct frame {
	uint32_t function; /* index */
	uint32_t line;     /* 0 unknown */
};

/* The details of a frame that most commands do not need, which lie apart. */
struct frame_detail {
	/* Only where decoded with PROFILE_DETAIL_ADDRESSES. */
	uint32_t column; /* 0 unknown */
	/* Only where decoded with PROFILE_DETAIL_PLACES or more. */
	uint32_t is_inlined; /* 1: into the frame before it, its caller */
	/* Only where decoded with PROFILE_DETAIL_ADDRESSES. */
	uint32_t address_high;
	uint32_t address_low; /* both 0 unknown */
};

/* All that tells frames apart, all of it uint32_t: they are put into order as
 * sequences of words. */
struct whole_frame {
	struct frame frame;
	struct frame_detail detail;
};

/* How finely frames are told apart. More detail makes more frames and stacks,
 * the values of functions stay the same. */
enum profile_detail {
	PROFILE_DETAIL_LINES = 0,
	PROFILE_DETAIL_PLACES, /* mappings, inlining; nameless frames are one
				  a mapping */
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

/* The frames of a place of a program, mostly one, sometimes two: the leaf's
 * side first, then PACKED_NONE where there is no other. PACKED_RUN | n: there
 * are more, the runs[n] ones behind runs[n], root first. */
struct packed_place {
	uint32_t frames[2];
};

#define PACKED_RUN (UINT32_C(1) << 31)
#define PACKED_NONE UINT32_MAX

/* Bytes of packed stacks, none of which goes over the end, nor do eight bytes
 * from any number on. There may be none. */
struct packed_chunk {
	struct packed_chunk *next;
	size_t len;
	unsigned number_bytes; /* of a place, two or three */
	uint64_t value_unit;   /* values are told in these */
	unsigned char bytes[];
};

/* Stacks as a pprof file has them: places by their number there, nothing put
 * into order or added up, all values above 0. Where only sums over stacks are
 * asked for they take a fraction of the time and of the memory
 * (docs/lab/performance.md, "packed samples of files", and "packed answers"). */
struct packed_stacks {
	/* A stack: how many places it has in common with the one before, how
	 * many others, the numbers of those from the root's side on, how many
	 * of the chunk's units its value is. Numbers have as many bytes as the
	 * chunk says, all else are varints. */
	struct packed_chunk *chunks;
	struct packed_place *places; /* by number */
	uint32_t place_count;
	uint32_t *runs;
	uint32_t run_count;
	int64_t *sums;   /* by number: values of the stacks, once a mention */
	int64_t divisor; /* greatest common one of the values */
	/* Functions and frames are in order, stacks may be put into theirs by
	 * profile_unpack(). What one sample is worth may take the values of
	 * distinct ones and is told then, by these: 0 each: unknown. */
	bool is_for_later;
	int64_t stated_period;
	int64_t counted;
};

struct profile {
	struct arena arena;
	struct symtab symtab;
	struct function
		*functions; /* functions[0..): distinct (name, file...) */
	uint32_t function_count;
	struct frame *frames;         /* distinct (function, line...) */
	struct frame_detail *details; /* by frame; NULL: all of them 0 */
	uint32_t frame_count;
	/* Stacks' frames, root first; others, of stacks that cancelled out,
	 * mean nothing. */
	uint32_t *frame_ids;
	size_t frame_id_count;
	struct stack *stacks; /* distinct, ordered by names root first */
	uint32_t stack_count;
	/* Then there are no frame_ids and stacks; NULL otherwise. They are
	 * walked through with struct stack_walk. */
	struct packed_stacks *packed;
	bool is_loose; /* functions, frames and stacks are in no order of names
			*/
	struct sample_type *types; /* all that the source offered */
	uint32_t type_count;
	uint32_t type;          /* the one that was decoded */
	int64_t total;          /* sum of values, saturating */
	int64_t whole_total;    /* what shares are of: sum of the magnitudes of
				   all values, those filtered out included */
	int64_t omitted;        /* the part of it that no stack ever had */
	int64_t filtered;       /* the part of it that a view left out */
	int64_t sample_count;   /* samples behind whole_total, -1 unknown */
	int64_t period;         /* value of one sample, 0 unknown */
	int64_t time_ns;        /* 0 unknown */
	int64_t duration_ns;    /* 0 unknown */
	double truncated_share; /* of total under "other", 0 when whole */
	bool is_gauge;
	bool is_difference; /* of two profiles: what is negative shrank */
	bool has_lines;
	/* Of functions and of the calls between two: stacks are pairs that add
	 * up to those (decode/callgrind.c), and show nothing else. */
	bool is_of_calls;
};

void packed_chunks_free(struct packed_chunk *first);

/* From the end of a chunk on to the next one that is not empty; false behind
 * the last. */
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

/* Borrowed from the profile; "" when it has none. */
struct str profile_text(const struct profile *p, uint32_t symbol);
struct str function_name(const struct profile *p, uint32_t function);
struct str function_file(const struct profile *p, uint32_t function);
struct str function_mapping(const struct profile *p, uint32_t function);
struct whole_frame whole_frame(const struct profile *p, uint32_t frame);

/* By function, then line, then column... as sequences of words. */
int whole_frame_compare(const struct whole_frame *a,
			const struct whole_frame *b);

/* "nanoseconds", "bytes", "count"; what the values are counted in. */
struct str profile_unit(const struct profile *p);
struct str profile_type_name(const struct profile *p);

static inline bool is_frame_inlined(const struct profile *p, uint32_t frame)
{
	return p->details && p->details[frame].is_inlined;
}

/* Returns the number that the values of all stacks are multiples of; 0 where
 * there are none. */
int64_t profile_divisor(const struct profile *p);

/* Computes what is missing from the magnitudes of the stacks' values:
 * *stackless was omitted or filtered, *cancelled were equal stacks of both
 * signs. */
void profile_rest(const struct profile *p, int64_t *stackless,
		  int64_t *cancelled);

/* Makes what is left the whole, of which shares are; where a view took samples
 * away, their number is what their time says. */
void profile_forget_rest(struct profile *p);

/* Adds values of the profile: modulo 2^64, so that what is too much can be
 * taken off again, but saturating where whole_total is. */
static inline int64_t profile_sum(const struct profile *p, int64_t a, int64_t b)
{
	return p->whole_total == INT64_MAX ? sat_add_i64(a, b)
					   : wrap_add_i64(a, b);
}

/* sums[0..frame_count): the values of the stacks that a frame is on, counted
 * as often as it is; of profile_sum(). */
void profile_frame_sums(const struct profile *p, int64_t *sums);

/* Nanoseconds in one unit of time, 0 when the unit is none. */
int64_t time_unit_ns(struct str unit);

/* ---- building ---- */

struct profile_build;

/* out is borrowed until the build is freed; NULL when memory is lacking. */
struct profile_build *profile_build_new(struct profile *out,
					struct error *err) MUST_CHECK;
void profile_build_free(struct profile_build *b);

/* Makes room for so many texts, functions and frames, where a file tells how
 * many it has at most; more may come. */
bool profile_build_expect(struct profile_build *b, size_t texts,
			  size_t functions, size_t frames,
			  struct error *err) MUST_CHECK;

/* Texts within these lie in the profile's arena, each with a NUL behind it, and
 * are not copied from here on. */
void profile_build_keep(struct profile_build *b, struct str texts);

/* Text trimmed to LIMIT_STRING_BYTES, counted. */
bool profile_build_text(struct profile_build *b, struct str text, uint32_t *id,
			struct error *err) MUST_CHECK;

/* Declares an offered sample type, in order. */
bool profile_build_type(struct profile_build *b, struct str type,
			struct str unit, struct error *err) MUST_CHECK;

/* The name of the source for one of a linker (demangle/demangle.h), borrowed
 * until the next call; others stay. Functions that are interned are named so. */
bool profile_build_demangle(struct profile_build *b, struct str *name,
			    struct error *err) MUST_CHECK;

/* The name of a function, once it is read; empty: "[unknown]". */
bool profile_build_name(struct profile_build *b, struct str name, uint32_t *id,
			struct error *err) MUST_CHECK;

/* Interns a function / a frame. An empty name becomes "[unknown]". */
bool profile_build_function(struct profile_build *b, struct str name,
			    struct str file, uint32_t *function,
			    struct error *err) MUST_CHECK;
bool profile_build_frame(struct profile_build *b, uint32_t function,
			 uint32_t line, uint32_t *frame,
			 struct error *err) MUST_CHECK;

/* The same with what lies in the mapping of that name; the name of a nameless
 * one is made up by the decoder. */
bool profile_build_mapped(struct profile_build *b, struct str name,
			  struct str file, struct str mapping, bool is_nameless,
			  uint32_t *function, struct error *err) MUST_CHECK;
/* The same where its texts are interned already. */
bool profile_build_interned(struct profile_build *b, const struct function *f,
			    uint32_t *function, struct error *err) MUST_CHECK;
/* The same with all that a frame may say. */
bool profile_build_place(struct profile_build *b,
			 const struct whole_frame *place, uint32_t *frame,
			 struct error *err) MUST_CHECK;

/* Adds a stack, root first, with its value. Deeper than LIMIT_STACK_FRAMES:
 * the middle is replaced by one frame "[N frames trimmed]", counted. Value 0
 * is ignored; equal stacks are added up (saturating, noted). */
bool profile_build_stack(struct profile_build *b, const uint32_t *frames,
			 uint32_t count, int64_t value,
			 struct error *err) MUST_CHECK;

/* The tree in which the stacks are collected instead, for decoders whose frames
 * are names only; NULL: no memory. Before the first stack. */
struct stack_tree *profile_build_tree(struct profile_build *b,
				      struct error *err) MUST_CHECK;

/* Without the tree again, which is gone then: its stacks are kept as those of
 * profile_build_stack(). */
bool profile_build_untree(struct profile_build *b,
			  struct error *err) MUST_CHECK;

/* Adds the stack of a node of the tree, so deep, at most LIMIT_STACK_FRAMES. */
bool profile_build_node(struct profile_build *b, uint32_t node, uint32_t depth,
			int64_t value, struct error *err) MUST_CHECK;

/* Gives the frames of all stacks other numbers: place[0..frame_count). */
void profile_place_frames(struct profile *p, const uint32_t *place);

/* Counts a value that a filter left out into whole_total. */
void profile_build_omit(struct profile_build *b, int64_t value);

/* Instead of stacks: packed ones, in the profile's arena but for the bytes,
 * which it owns from then on. Frames are those of the build. Then
 * profile_build_finish(). */
void profile_build_packed(struct profile_build *b, struct packed_stacks *packed,
			  uint32_t count, int64_t total);

/* Merges, orders and totals. Header fields (type, period, time_ns...) are set
 * by the decoder on the out profile before or after. */
bool profile_build_finish(struct profile_build *b, struct notes *notes,
			  struct error *err) MUST_CHECK;

/* After every decode: indices in range, stacks distinct and sorted, values
 * non-zero and of the sum that the profile states. */
bool profile_check(const struct profile *p, struct error *err) MUST_CHECK;

/* Infers the value of one sample of a CPU or wall profile from its values
 * (profilers count whole periods, and sums stay multiples): their gcd when at
 * least 20 are distinct and it lies in 0.1 ms..1 s; else the profilers' usual
 * 10 ms (100 Hz) or 10,309,278 ns (97 Hz), when all values are whole multiples
 * of it. Sets period and sample_count; leaves them when neither applies. */
void profile_infer_period(struct profile *p);

/* Sets both by better grounds, where there are any: a period that the source
 * states, when all values are multiples of it; so many samples counted. 0 each:
 * none. */
void profile_ground_period(struct profile *p, int64_t stated, int64_t counted);

/* Puts stacks that were packed for later into order, as if they had never been
 * packed; others are left alone. After a failure the profile is only to be
 * released. */
bool profile_unpack(struct profile *p, struct error *err) MUST_CHECK;

/* Calls what was decoded by another name, in a unit of which the old one is so
 * many (saturating). Does nothing to a profile without samples. */
bool profile_restate(struct profile *p, struct str type, struct str unit,
		     int64_t factor, struct error *err) MUST_CHECK;

/* A time in another unit in nanoseconds; what would not fit, and what is no time,
 * stays as it is. */
bool profile_to_nanoseconds(struct profile *p, struct error *err) MUST_CHECK;

/* All values so many times (saturating); of packed stacks the total must fit. */
void profile_multiply(struct profile *p, int64_t factor);

/* Values per snapshot instead of their sum. What is lost by rounding goes to
 * the next stack, so that no subtree is off by more than one unit; stacks of
 * nothing are dropped. */
void profile_divide(struct profile *p, int64_t divisor);

/* Adds up profiles: the blocks of a window, the pods of a service. */

/* Adds up n profiles of one sample type into out, which must be initialised
 * and empty; its texts are its own. Empty parts count for nothing, those that
 * filters emptied for whole_total. What all other parts agree on is kept: the
 * period (else 0), lines (has_lines), a known sample_count (else -1). The time
 * is the earliest, durations are added up, a gauge stays one and is not
 * divided. Of the types offered only the decoded one is named. Where a part is
 * packed or loose, out is loose. n may be 0. Fails on parts of different types
 * and on limits; out is to be released then too. */
bool profile_merge(struct profile *out, const struct profile *const *parts,
		   size_t n, struct notes *notes, struct error *err) MUST_CHECK;

/* Merges the head of the sum: all but its functions, frames, stacks, total and
 * types. */
void profile_merge_heads(struct profile *out,
			 const struct profile *const *parts, size_t n);

/* Goes through the stacks of a profile, in order or packed, for those who add
 * up: the order of packed ones says nothing, and equal ones come again. */

/* Private. Places by their number, from the root's side on. */
struct stack_ahead {
	uint32_t kept;
	uint32_t count;
	int64_t value;
	uint32_t numbers[LIMIT_STACK_FRAMES];
};

/* Too large for a stack. */
struct stack_walk {
	const uint32_t *frames; /* of the stack, root first */
	uint32_t count;
	uint32_t kept; /* so many frames are those of the stack before */
	int64_t value;
	uint32_t index; /* of the next stack: this one's number from 1 */
	/* private */
	const struct profile *profile;
	const struct packed_chunk *chunk;
	const unsigned char *at; /* of it */
	struct stack_ahead next;
	uint16_t ends[LIMIT_STACK_FRAMES + 1]; /* of places, by their count */
	uint32_t room[LIMIT_STACK_FRAMES];
};

void stack_walk_init(struct stack_walk *w, const struct profile *p);

/* The next stack; false after the last. */
bool stack_walk_next(struct stack_walk *w);

/* Leaves the stacks that are kept (by their number) of profiles that are compared, as if
 * there were no more of them; returns which part of the first was left out, 0..1. They stay
 * as they are (0) when one is packed, or when none or all of all of them are kept. */
double profiles_keep_stacks(struct profile *const *profiles, size_t count,
			    bool *const *is_kept);

/* Adds up two profiles whose functions, frames and stacks are in the order of
 * the model: ordered lists are merged, nothing is hashed but new texts, and
 * nothing is put into order again. Private to model/. */

/* Returns the function that it is in out. texts: by symbol of p, that of out.
 */
struct function profile_join_function(const struct profile *p,
				      const uint32_t *texts, uint32_t function);

/* Returns the frame that it is in out. functions: by function of p, that of
 * out. */
struct whole_frame profile_join_frame(const struct profile *p,
				      const uint32_t *functions,
				      uint32_t frame);

#endif
