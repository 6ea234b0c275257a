/* SPDX-License-Identifier: Apache-2.0
 *
 * A table-driven parser of command line options, independent of any program:
 * the table defines what options mean. Long names are never abbreviated, "--"
 * ends options, options and arguments may be mixed.
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
	OPTION_FILE,     /* same, but arbitrary bytes (a file name) */
	OPTION_DURATION, /* int64_t nanoseconds */
	OPTION_U64,      /* uint64_t */
	OPTION_SIZE,     /* same, in bytes */
	OPTION_WORD,     /* const char *, one of the row's words */
	OPTION_INDEX,    /* int: index of one of the row's words */
};

enum option_flags {
	OPTION_REPEATABLE = 1 << 0,
	OPTION_SECRET = 1 << 1,      /* value is hidden from the process list */
	OPTION_SIDED = 1 << 2,       /* has a form for each prefix */
	OPTION_NEGATABLE = 1 << 3,   /* has a --no- form */
	OPTION_ENVIRONMENT = 1 << 4, /* can be set in the environment */
	OPTION_LOCAL = 1 << 5,       /* affects one run only: not recorded */
	OPTION_CONFIG = 1 << 6,      /* a key of the user's configuration */
	OPTION_REPOSITORY = 1 << 7,  /* a key of a repository's .tracefind */
};

/* Help text of an option for some commands. */
struct option_text {
	unsigned commands; /* bit mask; 0 ends a list */
	const char *help;
};

/* An option. Offsets are into the target struct; those of a sided row are into
 * the part of it that belongs to the prefix. */
struct option_row {
	const char *name; /* long name without dashes */
	char letter;      /* 0: none */
	enum option_kind kind;
	unsigned flags;
	unsigned commands; /* bit mask of commands that accept it */
	const char *metavar;
	const char *group; /* heading in the help */
	const char *help;  /* must fit on the line of the option */
	/* Other help for some commands, or NULL. */
	const struct option_text *texts;
	size_t offset;
	size_t count_offset; /* of the size_t that counts a list */
	size_t max_count;
	const char *const *words; /* NULL-terminated */
	uint64_t min;             /* of a number, or of a duration in ns */
	uint64_t max;
	const char *alias; /* another long name, or NULL */
	/* Further validation of a value. */
	bool (*check)(const char *value, struct error *err);
	/* Stores the value instead of the default by kind. */
	bool (*store)(void *target, const char *value, struct error *err);
};

/* A group of option forms. The first has the empty prefix: --NAME; then
 * "traces-": --traces-NAME. */
struct option_prefix {
	const char *text;
	size_t offset;
	/* Bit mask of commands that accept this form; 0: those of the row. */
	unsigned commands;
	/* Values given without a prefix, or in a configuration, do not apply to
	 * it. */
	bool is_apart;
};

struct option_table {
	const struct option_row *rows;
	size_t row_count;
	const struct option_prefix *prefixes;
	size_t prefix_count;
};

/* One way to write an option: a row with a prefix. */
struct option_form {
	const struct option_row *row;
	const struct option_prefix *prefix;
	size_t number; /* unique within the table, dense */
};

#define OPTION_NAME_BYTES 64

/* Returns the form with this number, in table order; false past the last. */
bool option_form_get(const struct option_table *table, size_t number,
		     struct option_form *form);

/* Finds the form with this name, without dashes. */
bool option_form_find(const struct option_table *table, struct str name,
		      struct option_form *form);

/* Formats the long name, without dashes. */
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
	size_t value_at;   /* offset in argv[arg] where the value begins */
};

struct option_reader {
	const struct option_table *table;
	int argc;
	const char *const *argv;
	int next;
	const char *bundle; /* remaining letters of "-qv" */
	bool has_ended;     /* "--" was read */
};

/* Reads argv[0..argc), which excludes the program name. */
void option_reader_init(struct option_reader *r,
			const struct option_table *table, int argc,
			const char *const *argv);

/* Reads the next option or argument. Returns false on a usage error; the
 * message names the option and suggests the nearest known one. */
bool option_reader_next(struct option_reader *r, struct option_token *token,
			struct error *err) MUST_CHECK;

/* Validates a value and stores it in target. Errors begin with `subject`: the
 * option as the user knows it ("--timeout", "TRACEFIND_TIMEOUT"). Flags take
 * NULL or a word (yes, no, true, false, 1, 0), for the environment. */
bool option_store(const struct option_form *form, const char *value,
		  bool is_negated, const char *subject, void *target,
		  struct error *err) MUST_CHECK;

/* Validates the text of a value as option_store() does: not empty, not too
 * long, no control characters, valid UTF-8 unless it names a file. */
bool option_check(const struct option_form *form, const char *value,
		  const char *subject, struct error *err) MUST_CHECK;

/* Return where in target the value of a form, or the length of its list, is
 * stored. */
void *option_target(const struct option_form *form, void *target);
size_t *option_target_count(const struct option_form *form, void *target);

#endif
