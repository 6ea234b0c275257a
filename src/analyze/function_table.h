/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of the functions of both sides of a comparison. A function is one
 * entry whatever its file, build or process.
 */
#ifndef ANALYZE_FUNCTION_TABLE_H
#define ANALYZE_FUNCTION_TABLE_H

#include <stdbool.h>

#include "analyze/code_kind.h"
#include "analyze/function_identity.h"
#include "analyze/profile_analysis.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"

#define ENTRY_NONE UINT32_MAX

struct side_values {
	int64_t self_lib;
	int64_t self;
	int64_t total;
};

struct func_entry {
	struct str key;  /* identity, see function_identity.h */
	struct str name; /* to show: the key when several names share it */
	struct str file; /* NULL unknown; of the hottest line */
	uint32_t line;
	uint32_t leaf; /* entry of the hottest leaf beneath it, or itself */
	bool is_application;
	bool is_beneath_kernel; /* on some stack, and so on */
	bool is_above_kernel;
	bool is_merged;      /* of several names */
	bool is_placed;      /* others have its name: the key tells the file */
	bool is_joined;      /* functions of one name in several files */
	enum code_kind kind; /* of the hottest line */
	struct side_values values[SIDE_COUNT];
};

/* One profile seen through the table; profile is NULL when absent. */
struct func_side {
	const struct profile *profile;
	uint32_t *entries; /* by function index of the profile */
	struct code_class *classes;
	bool is_of_goroutines;
	struct category_shares categories; /* of a built table's sides */
};

/* Fronts of names that are kept to be told of. */
#define FUNC_MOVES_MAX 8

/* A package or namespace under another name, see moved_join(). */
struct func_move {
	struct str from;
	struct str to;
	size_t count; /* functions */
};

struct func_table {
	struct arena *arena; /* of everything here */
	struct map map;
	struct func_entry *entries;
	size_t count;
	size_t cap;
	size_t merged_count; /* entries of several names */
	uint32_t *moved_to;  /* by entry: itself or its newer name's; or NULL */
	struct func_move moves[FUNC_MOVES_MAX];
	size_t move_count;
	bool is_plain;                  /* names count as they are */
	bool has_placed;                /* entries whose key tells a place */
	const struct code_rules *rules; /* the user's, or NULL */
	unsigned int languages;
	/* By entry, but of those that were added later: its last function of
	 * the slow side + 1. */
	uint32_t *known;
	uint32_t known_count;
	/* By function of the snapshot that stands for the baseline, or NULL. */
	uint32_t *snapshot_ids;
	struct func_side sides[SIDE_COUNT];
};

/* Returns whether the name to show lies in the table's arena, and not in a
 * profile. */
static inline bool func_is_named_by_table(const struct func_entry *e)
{
	return e->is_merged || e->is_placed;
}

/* Neither a wait nor the way into one: whose wait it is. */
static inline bool kind_calls_wait(enum code_kind kind)
{
	return kind != CODE_IDLE && kind != CODE_LOCK && kind != CODE_RUNTIME &&
	       kind != CODE_KERNEL && kind != CODE_UNKNOWN;
}

/* The function that a stack is charged to: the deepest of the application
 * above the kernel, else of goroutines the deepest that called for a wait, else
 * the deepest that is known. */
uint32_t func_side_owner(const struct func_side *side,
			 const struct stack *stack);

/* The kind of an entry: application when one of its functions is. */
enum code_kind func_entry_kind(const struct func_entry *entry);

/* The folder that the files of the team's own functions share; empty where
 * there is none. */
struct str func_table_root(const struct func_table *t);

/* The profile's function at the i-th frame of a stack. */
uint32_t func_side_function(const struct func_side *side,
			    const struct stack *stack, uint32_t i);

/* Returns whether it is what a server cut off, under the name "other", or an
 * address: no function, whatever its value. Where names count as they are
 * addresses are as good. */
bool func_is_nameless(const struct func_table *t, uint32_t id);

/* By key, for what is equal otherwise: numbers of entries follow the order of
 * the files, which says nothing. */
static inline int func_compare_keys(const struct func_table *t, uint32_t a,
				    uint32_t b)
{
	return str_compare(t->entries[a].key, t->entries[b].key);
}

/* Returns whether a comes before b, which may be ENTRY_NONE: the larger value
 * first, then by key. */
static inline bool func_is_larger(const struct func_table *t, uint32_t a,
				  double value_a, uint32_t b, double value_b)
{
	if (b == ENTRY_NONE || value_a != value_b)
		return b == ENTRY_NONE || value_a > value_b;
	return func_compare_keys(t, a, b) < 0;
}

/* Values of functions on both sides of a comparison, from their profiles:
 * recursion and inlining count a stack once. Linear in the frames of the
 * stacks. */

/* baseline may be NULL, and so may rules, the user's own about kinds. Names
 * and files are borrowed from the profiles or live in arena. */
bool func_table_build(struct func_table *t, struct arena *arena,
		      const struct profile *slow,
		      const struct profile *baseline,
		      const struct code_rules *rules, enum func_naming naming,
		      struct error *err) MUST_CHECK;

/* Sees one more profile, such as a block of a side, through a built table:
 * fills side, whose profile is set. Functions that the table does not hold
 * get ENTRY_NONE. */
bool func_side_bind(const struct func_table *t, struct func_side *side,
		    struct error *err) MUST_CHECK;

/* The entry of an identity, or ENTRY_NONE; and the same where one is added when
 * there is none. The identity of an added one is borrowed. */
uint32_t func_table_find(const struct func_table *t, struct str identity);
bool func_table_add(struct func_table *t, struct str identity, uint32_t *id,
		    struct error *err) MUST_CHECK;

/* The entry of a function of one more profile, or of a name with its place, by
 * the identities of the table; ENTRY_NONE where there is none. */
bool func_table_find_name(const struct func_table *t, struct str name,
			  struct str place, struct buf *key, uint32_t *id,
			  struct error *err) MUST_CHECK;

/* Function names as people compare them: package paths, receivers, type
 * arguments, parameters and closures do not matter. Used to find the function
 * that a span was named after. */

enum name_match {
	NAME_MATCH_NONE = 0,
	NAME_MATCH_CLOSURE, /* a closure inside that function */
	NAME_MATCH_FUNCTION,
};

/* Returns how far a function's name is what the span's says:
 * UserRepository.Find is "shop/store.(*UserRepository).Find", "find" is too.
 * Case and underscores do not count; a class in span must match. Span names
 * that are no code, such as "GET /users", match nothing. */
enum name_match function_name_match(struct str name, struct str span);

/* True for names that every server has high in its stacks and that explain
 * nothing: main, run, ServeHTTP, dispatch. */
bool function_name_is_generic(struct str name);

/* Functions whose package, namespace or module was renamed between the two
 * sides: "Acme.Orders.Pricing.Quote" is "Acme.Sales.Orders.Pricing.Quote",
 * "shop/db.Find" is "shop/v2/db.Find". A deploy seldom falls on the edge of a
 * window, so that some of each name is on both sides and neither is gone or
 * new: they must be one function before anything is tested. */

/* Finds moves between the sides of t, whose entries are interned, and lets
 * the functions of its sides stand for the entry of the newer name. Fills
 * t->moves, most functions first. Linear in the frames of the stacks. */
bool moved_join(struct func_table *t, struct error *err) MUST_CHECK;

#endif
