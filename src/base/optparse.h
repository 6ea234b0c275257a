/* SPDX-License-Identifier: Apache-2.0
 *
 * A table-driven parser of command line options. Knows rows, not programs:
 * what an option means is in the table. Long names are never
 * abbreviated, "--" ends options, options and arguments may be mixed.
 */
#ifndef BASE_OPTPARSE_H
#define BASE_OPTPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum option_kind {
	OPTION_FLAG = 0, /* bool; counted into an unsigned when repeatable */
	OPTION_STRING,   /* const char *, or a list of them when repeatable */
	OPTION_FILE,     /* the same; any bytes, the system decides */
	OPTION_DURATION, /* int64_t nanoseconds */
	OPTION_U64,      /* uint64_t */
	OPTION_SIZE,     /* the same, in bytes */
	OPTION_WORD,     /* const char * of the row's own words */
	OPTION_INDEX,    /* int: position among the words */
};

enum option_flags {
	OPTION_REPEATABLE = 1 << 0,
	OPTION_SECRET = 1 << 1,      /* value leaves the process list */
	OPTION_SIDED = 1 << 2,       /* has a form for each prefix */
	OPTION_NEGATABLE = 1 << 3,   /* has a --no- form */
	OPTION_ENVIRONMENT = 1 << 4, /* may come from the environment */
	OPTION_LOCAL = 1 << 5,       /* true of one run only: not recorded */
	OPTION_CONFIG = 1 << 6,      /* a key of the user's configuration */
	OPTION_REPOSITORY = 1 << 7,  /* a key of a repository's .tracefind */
};

/* One option. Offsets are into the target struct, those of a sided row into
 * the part that a prefix names. */
/* The text of an option for a command. */
struct option_text {
	unsigned commands; /* bits; 0 ends a list */
	const char *help;
};

struct option_row {
	const char *name; /* long name without dashes */
	char letter;      /* 0: none */
	enum option_kind kind;
	unsigned flags;
	unsigned commands; /* bits of the commands that take it */
	const char *metavar;
	const char *group; /* heading in the help */
	const char *help;  /* fits on the line of its option */
	const struct option_text *texts; /* of some commands instead, or NULL */
	size_t offset;
	size_t count_offset; /* of a list's size_t count */
	size_t max_count;
	const char *const *words; /* ends with NULL */
	uint64_t min;             /* of a number or a duration in ns */
	uint64_t max;
	const char *alias; /* another long name, or NULL */
	/* Further demands on a text. */
	bool (*check)(const char *value, struct error *err);
	/* Replaces storing by kind. */
	bool (*store)(void *target, const char *value, struct error *err);
};

/* The empty prefix comes first: --NAME; then "traces-": --traces-NAME. */
struct option_prefix {
	const char *text;
	size_t offset;
	/* The commands that take such a form; 0: those of the row. */
	unsigned commands;
	/* What was given without a prefix is not meant for it, and what a
	 * configuration says neither. */
	bool is_apart;
};

struct option_table {
	const struct option_row *rows;
	size_t row_count;
	const struct option_prefix *prefixes;
	size_t prefix_count;
};

/* One way to write an option: a row under a prefix. */
struct option_form {
	const struct option_row *row;
	const struct option_prefix *prefix;
	size_t number; /* distinct within the table, dense */
};

#define OPTION_NAME_BYTES 64

/* All forms in the order of the table; false past the last. */
bool option_form_get(const struct option_table *table, size_t number,
		     struct option_form *form);

/* The form with this name, without dashes; false when there is none. */
bool option_form_find(const struct option_table *table, struct str name,
		      struct option_form *form);

/* The long name without dashes. */
void option_form_name(const struct option_form *form,
		      char out[OPTION_NAME_BYTES]);

enum option_token_kind {
	OPTION_TOKEN_END = 0,
	OPTION_TOKEN_ARGUMENT,
	OPTION_TOKEN_OPTION,
};

struct option_token {
	enum option_token_kind kind;
	struct option_form form;
	bool is_negated;
	const char *value; /* argument or option value; NULL for a flag */
	int arg;           /* argv index of the value or argument */
	size_t value_at;   /* where in argv[arg] the value begins */
};

struct option_reader {
	const struct option_table *table;
	int argc;
	const char *const *argv;
	int next;
	const char *bundle; /* letters left of "-qv" */
	bool has_ended;     /* "--" was read */
};

/* Reads argv[0..argc): there is no program name in it. */
void option_reader_init(struct option_reader *r,
			const struct option_table *table, int argc,
			const char *const *argv);

/* The next option or argument; false on a usage error, whose message names
 * the option and the nearest known one. */
bool option_reader_next(struct option_reader *r, struct option_token *token,
			struct error *err) MUST_CHECK;

/* Checks a value and stores it. Errors begin with `subject`: the option as
 * the user knows it ("--timeout", "TRACEFIND_TIMEOUT"). Flags take NULL or
 * a word (yes, no, true, false, 1, 0), as the environment needs. */
bool option_store(const struct option_form *form, const char *value,
		  bool is_negated, const char *subject, void *target,
		  struct error *err) MUST_CHECK;

/* Returns whether option_store() would take a text: neither empty nor too long,
 * no control characters, UTF-8 unless it names a file. */
bool option_check(const struct option_form *form, const char *value,
		  const char *subject, struct error *err) MUST_CHECK;

/* Where a form keeps its value in target, and the length of its list. */
void *option_target(const struct option_form *form, void *target);
size_t *option_target_count(const struct option_form *form, void *target);

#endif
