/* SPDX-License-Identifier: Apache-2.0
 *
 * Options as the user gave them: the table, and the struct filled by parsing,
 * grouped by the stage that reads it. cli/context.c makes endpoints and queries
 * of it. --help, man page and completions
 * are checked against the table by a test.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/gates.h"
#include "backend/metrics.h"
#include "backend/sides.h"
#include "backend/table.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/terminal.h"

/* The value of -o: a format, a file, or both. Knows no other options. */

struct output_option {
	const char *format;
	const char *path; /* NULL: standard output */
};

struct command; /* commands.h */

/* FORMAT, FORMAT=FILE, or a file whose ending names the format. An unknown one
 * is answered with those that the command gives (NULL: with all). */
bool output_option_read(const char *value, const struct command *command,
			struct output_option *out,
			struct error *err) MUST_CHECK;

/* Returns whether this value of --output names a file. */
bool output_is_file(const char *value);

struct har;
struct completion_script; /* commands.h */

struct options {
	/* source */
	const char *context; /* of the configuration */
	const char *traces_url;
	const char *profiles_url;
	const char *metrics_url;
	/* Settings that exist for all sides; a side's own value
	 * (--traces-token-file) wins over the common one (--token-file).
	 * Strings are borrowed from argv, the environment or the configuration;
	 * NULL = not given. */
	struct side_settings common;
	struct side_settings sides[SERVER_SIDES];
	int64_t connect_timeout_ns;
	int64_t timeout_ns;
	uint64_t retry;
	/* time; text is resolved with the run's clock */
	const char *from;
	const char *to;
	const char *since;
	const char *around;
	const char *now; /* TRACEFIND_NOW: instead of the clock */
	int64_t pad_ns;
	/* choice */
	const char *span;
	const char *service;
	const char *blame; /* service */
	const char *name;
	/* Words: NULL stands for the first. */
	const char *by;    /* critical-path self duration */
	const char *scope; /* auto span cohort instance service */
	const char *type;  /* auto cpu alloc ... or a full id */
	const char *selector;
	const char *baseline; /* auto previous 1h 1d 7d fast FROM..TO
				 none FILE */
	const char *baseline_selector;
	const char *baseline_span;
	const char *normalize;           /* request share rate */
	const char *maps[LIMIT_HEADERS]; /* attr=label */
	size_t map_count;
	const char *rules; /* file of rules about kinds of code */
	/* of check */
	const char *against[LIMIT_ARGUMENTS];
	size_t against_count;
	const char *fail_on;                  /* total>3%,function>5% */
	const char *save;                     /* a snapshot */
	const char *resume;                   /* what --all asked so far */
	bool allow_empty;
	const char *path_maps[LIMIT_HEADERS]; /* FROM=TO */
	size_t path_map_count;
	/* of export */
	const char *to_traces; /* an address or a path */
	const char *to_profiles;
	bool findings; /* of traces, with them */
	const char *state;
	uint64_t rate; /* requests a second; 0: not given */
	/* choice of search */
	int64_t min_duration_ns;
	const char *above; /* p95 */
	const char *query; /* TraceQL */
	bool all;
	bool tags; /* of search */
	bool from_exemplar; /* of slow */
	/* view */
	bool events;                         /* of show, search */
	bool errors;                         /* of show */
	const char *collapse[LIMIT_HEADERS]; /* of show */
	size_t collapse_count;
	bool why;
	uint64_t limit;
	uint64_t budget;  /* tokens of a brief answer */
	const char *root; /* of mcp: files below it may be read */
	uint64_t limit_bytes; /* of leak and cost; 0: not given */
	/* of dash and alert */
	const char *platform;               /* cloud-run gke otel tempo */
	const char *metrics[LIMIT_HEADERS]; /* NAME or NAME{LABEL} */
	size_t metric_count;
	int64_t threshold_ns;
	int64_t for_ns;
	const char *quantile; /* p95 */
	const char *datasource; /* its uid */
	bool is_now; /* of alert: evaluate it */
	/* of slo */
	const char *objective; /* percent */
	int64_t window_ns;     /* of its budget */
	uint64_t sample;       /* bad requests that are looked at */
	/* of cost: numbers, see decode/prices.h */
	const char *vcpu;
	const char *instances;
	const char *requests;
	const char *baseline_requests;
	const char *reference;
	const char *price_cpu;
	const char *price_memory;
	const char *price_request;
	const char *currency;
	const char *price_note;
	const char *prices; /* a file */
	bool compare;
	bool right_size;
	const char *sort; /* owned self total delta */
	const char *focus;
	const char *ignore;
	const char *hide;
	const char *show;
	const char *show_from;
	bool callers;
	const char *tag_focus;
	const char *tag_ignore;
	const char *function;
	const char *granularity; /* function file line address */
	const char *peek;
	const char *list;
	bool tree;
	const char *trim_path;
	const char *source_url;
	const char *trace_link;
	const char *profile_link;
	const char *source_path;
	/* of pictures */
	const char *layout; /* icicle flame */
	bool reverse;
	uint64_t width_px;     /* 0: not given */
	const char *min_width; /* "0.5", in pixels; NULL: not given */
	const char *palette;   /* auto hot java kind diff */
	bool interactive;
	bool may_read_stdin; /* what is piped in may be taken without a "-" */
	struct output_option outputs[LIMIT_OUTPUTS];
	size_t output_count;
	bool has_case_trace;   /* args are the case's, for slow and show */
	bool has_case_outputs; /* recorded ones: the first new one replaces */
	enum color_mode color;
	bool no_pager;
	const char *pager; /* of the configuration */
	bool quiet;
	unsigned verbose;
	bool strict;
	bool guide;  /* of types */
	bool origin; /* of config view */
	/* case files */
	bool dry_run;
	bool cache;
	bool no_cache;
	const char *record;
	bool embed_case;
	const char *replay;
	struct har *replayed; /* the case at that path when it is open */
	bool takes_searches;  /* search: lists what the case's searches found */
	/* Of which they are options, once they are parsed. */
	const struct command *command;
	/* what is left */
	const char *args[LIMIT_ARGUMENTS];
	size_t arg_count;
	/* Those before --against, behind which a shell may have unfolded a pattern. */
	size_t args_before_against;
	/* The arguments with the command word that a case file keeps. */
	const char *const *raw_args;
	size_t raw_count;
	bool help;
	bool version;
	const struct completion_script *completions; /* of `completion` */
	const struct config *config; /* of this run, or NULL (config.h) */
	/* bit set of options given explicitly, by form number (options.c) */
	unsigned char given[128];
};

struct command; /* commands.h */
struct config;  /* config.h */
/* Groups of options that most commands share; the others have one of their own. */
#define OPTIONS_TIME "Time"
#define OPTIONS_PICTURES "Pages and pictures"
#define OPTIONS_PRINTING "Printing"
#define OPTIONS_SERVERS "Servers"
#define OPTIONS_CASES "Case files"
#define OPTIONS_GENERAL "General"

struct option_table;
struct option_form;

extern const struct option_table options_table;

/* Defaults. */
void options_init(struct options *o);

/* Fills from argv (after the command word) for one command; unknown options
 * name the nearest known one. */
bool options_parse(struct options *o, const struct command *command, int argc,
		   const char *const *argv, struct error *err) MUST_CHECK;

/* The same for the arguments of a case file, which may come from a stranger:
 * what concerns credentials, the network or files to write is passed over.
 * Without is_repeat only the servers' addresses are taken, as the defaults
 * of another command over the same case. */
bool options_parse_case(struct options *o, const struct command *command,
			int argc, const char *const *argv, bool is_repeat,
			struct error *err) MUST_CHECK;

/* After all of these: contradictions between options. */
bool options_check(const struct options *o, struct error *err) MUST_CHECK;

/* True when the option was given on the command line, by the environment or
 * by a configuration; name without dashes. */
bool options_given(const struct options *o, const char *name);

/* Makes it false. */
void options_unmark(struct options *o, const char *name);

/* The same of a side's own form or the common one. */
bool options_form_given(const struct options *o,
			const struct option_form *form);

/* Makes options_given() true. */
void options_mark(struct options *o, const struct option_form *form);

/* Returns the value that option_store() of this form was given, as text: item i
 * of a list, else 0. NULL: no value, or a flag. May point into number. */
const char *options_value_text(const struct option_form *form,
			       struct options *o, size_t i, char number[32]);

/* --min-width in hundredths of a pixel; the default when it was not given. */
unsigned options_centipixels(const char *min_width);

/* Returns whether --scope asks for this rung. */
bool options_scope_is(const struct options *o, const char *scope);

/* Where a value of `option` (without dashes) came from, for people:
 * "--traces-url", "TRACEFIND_TRACES_URL", "PROFILECLI_URL",
 * "/home/me/.config/tracefind/config:3". */
#define OPTION_ORIGIN_BYTES SIDE_ORIGIN_BYTES
void options_origin(const struct options *o, const char *value,
		    const char *option, char out[OPTION_ORIGIN_BYTES]);

/* The same of a side's value, common being what the option has that is of all
 * sides: "--traces-token-file" or "--token-file"; of the configuration with the
 * key, "FILE:3: token-file". */
void options_side_origin(const struct options *o, enum server_side side,
			 const char *value, const char *common,
			 const char *option, char out[OPTION_ORIGIN_BYTES]);

/* One side's settings, the common ones filled in where it has none. Its own
 * token or password replaces a common one of either kind. */
void options_side(const struct options *o, enum server_side side,
		  struct side_settings *out);

/* The address that was given for a side; NULL: none. */
const char *options_url(const struct options *o, enum server_side side);

/* The run's arguments for a case file, command first, in the arena: what
 * was given by options and environment, without credentials, network
 * settings and files written. */
bool options_record_args(const struct options *o, const struct command *command,
			 struct arena *arena, const char *const **args,
			 size_t *count, struct error *err) MUST_CHECK;

/* The checks of single values of options, beyond their kind: functions for
 * struct option_row, ERROR_USAGE with what is required. */

/* The value of --metric: "NAME" or "NAME{LABEL}". */

/* The metric and its label of the service's name, empty where it is not given;
 * ERROR_USAGE when it is none of those that are known. */
bool metric_option_read(const char *value, const struct metric_name **name,
			struct str *label, struct error *err) MUST_CHECK;

/* The limits of --fail-on, as text. */

#define FAIL_ON_DEFAULT "total>3%,function>5%,new>1%"

/* "total>3%,function>5%": limits that are not named are off. ERROR_USAGE. */
bool fail_on_parse(const char *text, struct gate_limits *out,
		   struct error *err) MUST_CHECK;

#endif
