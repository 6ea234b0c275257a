/* SPDX-License-Identifier: Apache-2.0
 *
 * Options as given by the user: the table, and struct options, which parsing
 * fills, grouped by the stage that reads it. cli/context.c derives endpoints
 * and queries. A test checks --help, man pages and completions against the
 * table.
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
#include "base/optparse.h"
#include "base/terminal.h"

/* Value of -o: a format, a file, or both. */

struct output_option {
	const char *format;
	const char *path; /* NULL: standard output */
};

struct command; /* commands.h */

/* Parses FORMAT, FORMAT=FILE, or a file whose suffix implies the format. For an
 * unknown one the error lists those of the command (NULL: all). */
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
	 * (--traces-token-file) takes precedence over the common one
	 * (--token-file). Strings are borrowed from argv, the environment or
	 * the configuration; NULL = unset. */
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
	const char *now; /* TRACEFIND_NOW: replaces the clock */
	int64_t pad_ns;
	/* choice */
	const char *span;
	const char *service;
	const char *blame; /* service */
	const char *name;
	/* One of these words; NULL stands for the first. */
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
	const char *rules; /* file of rules on kinds of code */
	/* of check */
	const char *against[LIMIT_ARGUMENTS];
	size_t against_count;
	const char *fail_on; /* total>3%,function>5% */
	const char *save;    /* snapshot to write */
	const char *resume;  /* state file of --all */
	bool allow_empty;
	const char *path_maps[LIMIT_HEADERS]; /* FROM=TO */
	size_t path_map_count;
	/* of export */
	const char *to_traces; /* a URL or a path */
	const char *to_profiles;
	bool findings; /* export findings with traces */
	const char *state;
	uint64_t rate; /* requests per second; 0: unset */
	/* choice of search */
	int64_t min_duration_ns;
	const char *above; /* p95 */
	const char *query; /* TraceQL */
	bool all;
	bool tags;          /* search --tags */
	bool from_exemplar; /* slow --from-exemplar */
	/* view */
	bool events;                         /* of show, search */
	bool errors;                         /* of show */
	const char *collapse[LIMIT_HEADERS]; /* of show */
	size_t collapse_count;
	bool why;
	uint64_t limit;
	uint64_t budget;      /* tokens of a brief answer */
	const char *root;     /* mcp: files below it may be read */
	uint64_t limit_bytes; /* of leak and cost; 0: unset */
	/* of dash and alert */
	const char *platform;               /* cloud-run gke otel tempo */
	const char *metrics[LIMIT_HEADERS]; /* NAME or NAME{LABEL} */
	size_t metric_count;
	int64_t threshold_ns;
	int64_t for_ns;
	const char *quantile;   /* p95 */
	const char *datasource; /* uid */
	bool is_now;            /* alert --now: evaluate it */
	/* of slo */
	const char *objective; /* percent */
	int64_t window_ns;     /* of the error budget */
	uint64_t sample;       /* number of bad requests to investigate */
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
	/* of flame graphs and HTML reports */
	const char *layout; /* icicle flame */
	bool reverse;
	uint64_t width_px;     /* 0: unset */
	const char *min_width; /* "0.5", in pixels; NULL: unset */
	const char *palette;   /* auto hot java kind diff */
	bool interactive;
	bool may_read_stdin; /* piped input may be read without "-" */
	struct output_option outputs[LIMIT_OUTPUTS];
	size_t output_count;
	bool has_case_trace; /* args are from the case, for slow and show */
	/* Outputs are recorded ones: the first new one replaces them. */
	bool has_case_outputs;
	enum color_mode color;
	bool no_pager;
	const char *pager; /* from the configuration */
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
	struct har *replayed; /* the case at that path once opened */
	bool takes_searches;  /* search: list results of the case's searches */
	/* The command they belong to, once parsed. */
	const struct command *command;
	/* positional arguments */
	const char *args[LIMIT_ARGUMENTS];
	size_t arg_count;
	/* Number of those before --against, where a shell may have expanded a
	 * pattern. */
	size_t args_before_against;
	/* Arguments including the command, for the case file. */
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
/* Help groups shared by most commands; others have their own. */
#define OPTIONS_TIME "Time"
#define OPTIONS_PICTURES "Pages and pictures"
#define OPTIONS_PRINTING "Printing"
#define OPTIONS_SERVERS "Servers"
#define OPTIONS_CASES "Case files"
#define OPTIONS_GENERAL "General"

struct option_table;
struct option_form;

extern const struct option_table options_table;

/* Sets defaults. */
void options_init(struct options *o);

/* Parses argv (after the command) for a command; unknown options get a
 * suggestion. */
bool options_parse(struct options *o, const struct command *command, int argc,
		   const char *const *argv, struct error *err) MUST_CHECK;

/* Same for the arguments recorded in a case file, which may be untrusted:
 * options on credentials, the network and files to write are skipped. Without
 * is_repeat only the servers' URLs are used, as defaults for another command on
 * the same case. */
bool options_parse_case(struct options *o, const struct command *command,
			int argc, const char *const *argv, bool is_repeat,
			struct error *err) MUST_CHECK;

/* Checks for contradictory options, after all sources were applied. */
bool options_check(const struct options *o, struct error *err) MUST_CHECK;

/* Returns whether the option was set by command line, environment or
 * configuration; name without dashes. */
bool options_given(const struct options *o, const char *name);

/* Makes options_given() false. */
void options_unmark(struct options *o, const char *name);

/* Same for a side's own form or the common one. */
bool options_form_given(const struct options *o,
			const struct option_form *form);

/* Makes options_given() true. */
void options_mark(struct options *o, const struct option_form *form);

/* Returns the value of this form as text that option_store() accepts: item i of
 * a list, else i = 0. NULL: no value, or a flag. May point into number. */
const char *options_value_text(const struct option_form *form,
			       struct options *o, size_t i, char number[32]);

/* Returns --min-width in hundredths of a pixel, the default if unset. */
unsigned options_centipixels(const char *min_width);

/* Describes where a value of `option` (without dashes) was set: "--traces-url",
 * "TRACEFIND_TRACES_URL", "PROFILECLI_URL",
 * "/home/me/.config/tracefind/config:3". */
#define OPTION_ORIGIN_BYTES SIDE_ORIGIN_BYTES
void options_origin(const struct options *o, const char *value,
		    const char *option, char out[OPTION_ORIGIN_BYTES]);

/* Same for a side's value; common: the value for all sides. Gives
 * "--traces-token-file" or "--token-file"; for configuration, with the key:
 * "FILE:3: token-file". */
void options_side_origin(const struct options *o, enum server_side side,
			 const char *value, const char *common,
			 const char *option, char out[OPTION_ORIGIN_BYTES]);

/* Begins the names of environment variables; room for a name such as
 * "TRACEFIND_TOKEN_FILE". */
#define OPTION_VARIABLE_PREFIX "TRACEFIND_"
#define OPTION_VARIABLE_BYTES (OPTION_NAME_BYTES + 16)

/* Gives the environment variable of an option. */
void option_variable_name(const char *option, char out[OPTION_VARIABLE_BYTES]);

/* Returns whether a side has a token or a password, or what holds one. */
bool side_has_secret(const struct side_settings *c);

/* Returns the settings of a side, with the common ones as defaults. Its own
 * token or password replaces common credentials of either kind. */
void options_side(const struct options *o, enum server_side side,
		  struct side_settings *out);

/* Returns the URL set for a side, NULL if none. */
const char *options_url(const struct options *o, enum server_side side);

/* Returns the run's arguments for a case file, command first, in the arena:
 * what options and environment set, without credentials, network settings and
 * files written. */
bool options_record_args(const struct options *o, const struct command *command,
			 struct arena *arena, const char *const **args,
			 size_t *count, struct error *err) MUST_CHECK;

/* Validation of single option values beyond their kind: functions for struct
 * option_row, with ERROR_USAGE. */

/* Value of --metric: "NAME" or "NAME{LABEL}". */

/* Parses the metric and its label for the service name, empty if absent;
 * ERROR_USAGE if the metric is not supported. */
bool metric_option_read(const char *value, const struct metric_name **name,
			struct str *label, struct error *err) MUST_CHECK;

/* Value of --fail-on. */

#define FAIL_ON_DEFAULT "total>3%,function>5%,new>1%"

/* Parses "total>3%,function>5%"; limits not named are off. ERROR_USAGE. */
bool fail_on_parse(const char *text, struct gate_limits *out,
		   struct error *err) MUST_CHECK;

#endif
