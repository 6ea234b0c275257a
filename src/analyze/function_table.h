/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of functions of both sides of a comparison. A function is one entry
 * whatever its file, build or process.
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
	struct str name; /* for display: the key if several share the name */
	struct str file; /* of the hottest line; NULL ptr: unknown */
	uint32_t line;
	uint32_t leaf; /* entry of the hottest leaf beneath it, or itself */
	bool is_application;
	bool is_beneath_kernel; /* on some stack; the same for the next */
	bool is_above_kernel;
	bool is_merged;      /* of several names */
	bool is_placed;      /* others have its name: the key has the file */
	bool is_joined;      /* functions of one name in several files */
	enum code_kind kind; /* of the hottest line */
	struct side_values values[SIDE_COUNT];
};

/* One profile seen through the table; profile is NULL if there is none. */
struct func_side {
	const struct profile *profile;
	uint32_t *entries; /* by function index of the profile */
	struct code_class *classes;
	bool is_of_goroutines;
	struct category_shares categories; /* for sides of a built table */
};

/* Maximum number of renamed packages that are kept for the report. */
#define FUNC_MOVES_MAX 8

/* A renamed package or namespace, see moved_join(). */
struct func_move {
	struct str from;
	struct str to;
	size_t count; /* number of functions */
};

struct func_table {
	struct arena *arena; /* owns everything here */
	struct map map;
	struct func_entry *entries;
	size_t count;
	size_t cap;
	size_t merged_count; /* entries of several names */
	uint32_t *moved_to;  /* by entry: itself or the entry with its new name;
			      * or NULL */
	struct func_move moves[FUNC_MOVES_MAX];
	size_t move_count;
	bool is_plain;                  /* names are used unchanged */
	bool has_placed;                /* entries whose key has a place */
	const struct code_rules *rules; /* the user's, or NULL */
	unsigned int languages;
	/* By entry, except those added later: its last function on the slow
	 * side + 1. */
	uint32_t *known;
	uint32_t known_count;
	/* By function of the snapshot that is the baseline, or NULL. */
	uint32_t *snapshot_ids;
	struct func_side sides[SIDE_COUNT];
};

/* Returns whether the display name lies in the table's arena, and not in a
 * profile. */
static inline bool func_is_named_by_table(const struct func_entry *e)
{
	return e->is_merged || e->is_placed;
}

/* Returns whether code of this kind can be the caller of a wait: neither the
 * wait itself nor the way into it. */
static inline bool kind_calls_wait(enum code_kind kind)
{
	return kind != CODE_IDLE && kind != CODE_LOCK && kind != CODE_RUNTIME &&
	       kind != CODE_KERNEL && kind != CODE_UNKNOWN;
}

/* Returns the function that a stack is charged to: the deepest application
 * function above the kernel; else, for goroutines, the deepest caller of a
 * wait, else the deepest known one. */
uint32_t func_side_owner(const struct func_side *side,
			 const struct stack *stack);

/* Returns the kind of an entry: application if one of its functions is. */
enum code_kind func_entry_kind(const struct func_entry *entry);

/* Returns the folder shared by the files of application functions; empty if
 * there is none. */
struct str func_table_root(const struct func_table *t);

/* Returns the profile's function at the i-th frame of a stack. */
uint32_t func_side_function(const struct func_side *side,
			    const struct stack *stack, uint32_t i);

/* Returns whether it is not a function: the "other" of a truncating server, or
 * an address. Where names are used unchanged addresses are accepted. */
bool func_is_nameless(const struct func_table *t, uint32_t id);

/* Compares by key, to break ties: the order of entries depends on the order of
 * files. */
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

/* Computes the values of functions on both sides of a comparison: recursion and
 * inlining count a stack once. Linear in the frames of the stacks. */

/* Builds the table. baseline may be NULL, and so may rules, the user's about
 * kinds. Names and files are borrowed from the profiles or live in the
 * arena. */
bool func_table_build(struct func_table *t, struct arena *arena,
		      const struct profile *slow,
		      const struct profile *baseline,
		      const struct code_rules *rules, enum func_naming naming,
		      struct error *err) MUST_CHECK;

/* Maps another profile, such as a slice of a side, to a built table: fills
 * side, whose profile is set. Functions that are not in the table get
 * ENTRY_NONE. */
bool func_side_bind(const struct func_table *t, struct func_side *side,
		    struct error *err) MUST_CHECK;

/* Return the entry of an identity, or ENTRY_NONE; func_table_add() adds a
 * missing one, whose identity is borrowed. */
uint32_t func_table_find(const struct func_table *t, struct str identity);
bool func_table_add(struct func_table *t, struct str identity, uint32_t *id,
		    struct error *err) MUST_CHECK;

/* Finds the entry of a function of another profile, or of a name with its
 * place, by the identities of the table; ENTRY_NONE: none. */
bool func_table_find_name(const struct func_table *t, struct str name,
			  struct str place, struct buf *key, uint32_t *id,
			  struct error *err) MUST_CHECK;

/* Compares function names without package paths, receivers, type arguments,
 * parameters and closures, to find the function that a span was named after. */

enum name_match {
	NAME_MATCH_NONE = 0,
	NAME_MATCH_CLOSURE, /* a closure inside that function */
	NAME_MATCH_FUNCTION,
};

/* Returns how well a function's name matches the span's: UserRepository.Find
 * matches "shop/store.(*UserRepository).Find", and so does "find". Case and
 * underscores are ignored; a class in span must match. Span names that are not
 * code, such as "GET /users", match nothing. */
enum name_match function_name_match(struct str name, struct str span);

/* Returns whether a name is near the root of any server's stacks and explains
 * nothing: main, run, ServeHTTP, dispatch. */
bool function_name_is_generic(struct str name);

/* Joins functions whose package, namespace or module was renamed between the
 * two sides: "Acme.Orders.Pricing.Quote" is "Acme.Sales.Orders.Pricing.Quote",
 * "shop/db.Find" is "shop/v2/db.Find". A deployment is rarely at the edge of a
 * window, so both names may be on both sides and neither is gone or new: they
 * must be joined before any test. */

/* Finds renamed packages between the sides of t, whose entries exist, and maps
 * the functions of its sides to the entries of the newer names. Fills t->moves,
 * most functions first. Linear in the frames of the stacks. */
bool moved_join(struct func_table *t, struct error *err) MUST_CHECK;

#endif
