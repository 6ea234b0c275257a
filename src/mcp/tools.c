/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/server.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/document.h"
#include "base/num.h"
#include "base/str.h"
#include "base/timefmt.h"

static const char *const types[] = { "auto",      "cpu",   "alloc", "inuse",
				     "goroutine", "mutex", "block", "wall",
				     NULL };

#define ARGUMENT(name, kind, option, help)                                     \
	{                                                                      \
		name, kind, option, help, NULL, false                          \
	}
#define NEEDED(name, kind, option, help)                                       \
	{                                                                      \
		name, kind, option, help, NULL, true                           \
	}
#define SERVICE                                                                \
	ARGUMENT("service", TOOL_TEXT, "service", "name of the service")
#define NEEDED_SERVICE                                                         \
	NEEDED("service", TOOL_TEXT, "service", "name of the service")
#define TYPE                                                                   \
	{                                                                      \
		"type", TOOL_WORD, "type", "type of profile", types, false     \
	}
#define WINDOW                                                                 \
	ARGUMENT("since", TOOL_TEXT, "since",                                  \
		 "length of the window: 30m, 2h, 1d"),          \
		ARGUMENT("from", TOOL_TEXT, "from",                            \
			 "start: RFC 3339 or now-1h"),                         \
		ARGUMENT("to", TOOL_TEXT, "to", "end, in the same forms")
#define LIMIT(help) ARGUMENT("limit", TOOL_COUNT, "limit", help)
#define BASELINE                                                               \
	ARGUMENT("baseline", TOOL_BASELINE, "baseline",                        \
		 "compare with: auto, previous, 1h, 1d, 7d, fast, version=V "  \
		 "or FROM..TO")
#define END                                                                    \
	{                                                                      \
		NULL, TOOL_TEXT, NULL, NULL, NULL, false                       \
	}

static const struct tool_argument search_arguments[] = {
	SERVICE,
	ARGUMENT("operation", TOOL_TEXT, "name", "name of the span"),
	ARGUMENT("min_duration", TOOL_TEXT, "min-duration",
		 "minimum duration, for example 500ms"),
	ARGUMENT("errors", TOOL_FLAG, "errors", "only failed traces"),
	ARGUMENT("query", TOOL_TEXT, "query",
		 "TraceQL instead of service, operation and errors"),
	WINDOW,
	LIMIT("number of traces (10)"),
	END
};

static const struct tool_argument slow_arguments[] = {
	ARGUMENT("trace_id", TOOL_TRACE, NULL,
		 "the trace; without one a typical slow trace of the service "
		 "is chosen"),
	ARGUMENT("file", TOOL_FILE, NULL, "a trace in a file, instead"),
	SERVICE,
	ARGUMENT("span", TOOL_TEXT, "span", "id of the span to explain"),
	ARGUMENT("why", TOOL_FLAG, "why", "include the full reasoning"),
	TYPE,
	BASELINE,
	WINDOW,
	END
};

static const struct tool_argument show_arguments[] = {
	ARGUMENT("trace_id", TOOL_TRACE, NULL, "the trace"),
	ARGUMENT("file", TOOL_FILE, NULL, "a trace in a file, instead"),
	ARGUMENT("span", TOOL_TEXT, "span",
		 "id of a span to show in full"),
	ARGUMENT("errors", TOOL_FLAG, "errors", "only failed spans"),
	LIMIT("number of spans (all)"),
	END
};

static const struct tool_argument diff_arguments[] = {
	SERVICE,
	TYPE,
	BASELINE,
	ARGUMENT("selector", TOOL_TEXT, "selector",
		 "profile selector, for example {version=\"2\"}"),
	ARGUMENT("baseline_selector", TOOL_TEXT, "baseline-selector",
		 "profile selector of the baseline"),
	ARGUMENT("before_file", TOOL_FILE, NULL, "the baseline profile"),
	ARGUMENT("after_file", TOOL_FILE, NULL, "the comparison profile"),
	ARGUMENT("focus", TOOL_TEXT, "focus",
		 "only stacks with a function that matches this regular "
		 "expression"),
	WINDOW,
	LIMIT("number of functions (100)"),
	END
};

static const struct tool_argument function_arguments[] = {
	NEEDED("function", TOOL_TEXT, "peek",
	       "regular expression for its name"),
	SERVICE,
	ARGUMENT("file", TOOL_FILE, NULL, "a profile in a file, instead"),
	{ "granularity", TOOL_WORD, "granularity",
	  "rows of functions, or of their lines",
	  (const char *const[]){ "function", "line", NULL }, false },
	TYPE,
	WINDOW,
	LIMIT("number of functions (100)"),
	END
};

static const struct tool_argument services_arguments[] = {
	WINDOW, LIMIT("number of services (100)"), END
};

static const struct tool_argument types_arguments[] = { SERVICE, WINDOW, END };

static const struct tool_argument when_arguments[] = {
	NEEDED_SERVICE,
	ARGUMENT("operation", TOOL_TEXT, "name", "name of the span"),
	ARGUMENT("function", TOOL_TEXT, "function",
		 "a function of the service, instead"),
	TYPE,
	WINDOW,
	END
};

static const struct tool_argument check_arguments[] = {
	SERVICE,
	BASELINE,
	ARGUMENT("file", TOOL_FILE, NULL,
		 "profile, folder of profiles or snapshot to judge"),
	ARGUMENT("against", TOOL_OPTION_FILE, "against",
		 "profile, folder or snapshot to compare with"),
	ARGUMENT("fail_on", TOOL_TEXT, "fail-on",
		 "limits, for example total>3%,function>5%,new>1%,latency>10%"),
	TYPE,
	WINDOW,
	END
};

static const struct tool_argument leak_arguments[] = {
	SERVICE,
	ARGUMENT("file", TOOL_FILE, NULL,
		 "a folder of heap profiles, instead of a service"),
	TYPE,
	WINDOW,
	END
};

static const struct tool_argument cost_arguments[] = {
	NEEDED_SERVICE,
	ARGUMENT("compare", TOOL_FLAG, "compare",
		 "price the difference from a baseline"),
	BASELINE,
	ARGUMENT("right_size", TOOL_FLAG, "right-size",
		 "suggest an instance size"),
	WINDOW,
	END
};

static const struct tool_argument slo_arguments[] = {
	NEEDED_SERVICE,
	NEEDED("objective", TOOL_TEXT, "objective",
	       "percentage of requests that must be good, for example 99.9"),
	ARGUMENT("threshold", TOOL_TEXT, "threshold",
		 "slower requests are bad, for example 300ms"),
	ARGUMENT("operation", TOOL_TEXT, "name", "name of the span"),
	ARGUMENT("budget_window", TOOL_TEXT, "window",
		 "length of the SLO window (30d)"),
	ARGUMENT("sample", TOOL_COUNT, "sample",
		 "number of bad requests to investigate (20)"),
	WINDOW,
	END
};

static const struct tool_argument doctor_arguments[] = {
	ARGUMENT("trace_id", TOOL_TRACE, NULL, "check the data of this trace"),
	SERVICE, WINDOW, END
};

static const struct tool_argument more_arguments[] = {
	NEEDED("cursor", TOOL_TEXT, NULL,
	       "a cursor from left_out of an earlier answer"),
	END
};

const struct tool tools[] = {
	{ "find_slow_traces", "Find slow traces",
	  "The slowest traces of a window (the last hour) and the distribution "
	  "of durations.",
	  "search", NULL, search_arguments },
	{ "explain_trace", "Explain a slow trace",
	  "The span that made a trace slow, the cause, the functions that grew "
	  "compared with a healthy baseline, and the confidence.",
	  "slow", "--limit=100", slow_arguments },
	{ "show_trace", "Show a trace",
	  "The spans of a trace with self time and critical path.", "show",
	  NULL, show_arguments },
	{ "compare", "Compare profiles",
	  "Functions of a service that use significantly more than in a "
	  "baseline, another version or another file.",
	  "diff", "--limit=100", diff_arguments },
	{ "function_detail", "A function in detail",
	  "A function of a profile with its callers and callees.", "profile",
	  "--limit=100", function_arguments },
	{ "list_services", "Services with profiles",
	  "Services that send profiles, most CPU first.", "services",
	  "--limit=100", services_arguments },
	{ "list_profile_types", "Profile types",
	  "Available profile types.", "types", NULL,
	  types_arguments },
	{ "since_when", "Since when a service is slower",
	  "The change point of cost or duration, and which version, instances "
	  "or traffic changed then.",
	  "when", NULL, when_arguments },
	{ "check_change", "Check a change",
	  "Candidate against baseline with limits: what grew beyond noise.",
	  "check", NULL, check_arguments },
	{ "find_leak", "Find memory leaks",
	  "Memory in use and goroutines of a service over hours, by function.",
	  "leak", NULL, leak_arguments },
	{ "cost", "Cost per request",
	  "CPU and memory of a service by request and function, in money where "
	  "prices are configured.",
	  "cost", NULL, cost_arguments },
	{ "slo", "SLO and error budget",
	  "SLO compliance of a service: error budget, burn rate, and what "
	  "consumed the budget by cause, service and function.",
	  /* Clients time out after a minute, of which the sample takes half. */
	  "slo", "--timeout=40s", slo_arguments },
	{ "doctor", "Check the servers",
	  "Checks whether servers respond and which data they have, with a fix "
	  "for each problem.",
	  "doctor", NULL, doctor_arguments },
	{ "more", "More of an answer",
	  "The parts that an earlier answer left out.", NULL, NULL,
	  more_arguments },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

/* Maximum number of arguments of a tool. */
#define ARGUMENTS_MOST 16u

/* Size limit of texts, which are names and times; arena_printf() would truncate
 * longer ones. */
#define TEXT_BYTES_MOST 4000u

/* The command, the fixed option, "--", NULL. */
#define WORDS_BESIDE 6u

struct call_values {
	const struct tool *tool;
	const char *root;
	struct arena *arena;
	/* In table order; empty: not given. */
	struct str values[ARGUMENTS_MOST];
};

const struct tool *tool_find(struct str name)
{
	for (const struct tool *t = tools; t->name; t++)
		if (str_equal(str_from(t->name), name))
			return t;
	return NULL;
}

/* ---- values ---- */

static bool fail_value(const struct tool_argument *a, const char *what,
		       struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s: %s", a->name, what);
}

/* Returns whether it is 16 or 32 hex digits, or a traceparent, so that it
 * cannot be a path. */
static bool is_trace(struct str value)
{
	static const size_t dashes[] = { 2, 35, 52 };
	bool is_parent = value.len == 55;

	if (value.len != 16 && value.len != 32 && !is_parent)
		return false;
	for (size_t i = 0; i < value.len; i++) {
		bool is_dash = is_parent &&
			       (i == dashes[0] || i == dashes[1] ||
				i == dashes[2]);

		if (is_dash ? value.ptr[i] != '-' : !ascii_is_hex(value.ptr[i]))
			return false;
	}
	return true;
}

static bool is_time(struct str text)
{
	struct error ignored;
	int64_t time_ns;

	return parse_time(text, 0, &time_ns, &ignored);
}

/* Anything else would be a file name. */
static bool is_baseline(struct str value)
{
	static const char *const words[] = { "auto", "previous", "1h", "1d",
					     "7d",   "fast",	 "none", NULL };
	size_t dots = str_find(value, STR(".."));

	for (size_t i = 0; words[i]; i++)
		if (str_equal(value, str_from(words[i])))
			return true;
	if (str_starts(value, STR("version=")))
		return true;
	return dots < value.len && is_time(str_slice(value, 0, dots)) &&
	       is_time(str_slice(value, dots + 2, value.len - dots - 2));
}

/* Resolves links and dots in the path; fails unless it is below the root. */
static bool value_resolve(const struct call_values *v,
			  const struct tool_argument *a, struct str *value,
			  struct error *err)
{
	char root[PATH_MAX], path[PATH_MAX];
	struct str joined;
	struct stat st;
	size_t len;

	if (!v->root)
		return fail_value(a,
				  "no file may be read; tracefind mcp --root "
				  "FOLDER allows those in a folder",
				  err);
	joined = value->ptr[0] == '/'
			 ? *value
			 : arena_printf(v->arena, "%s/%.*s", v->root,
					STR_ARGS(*value));
	if (!joined.ptr)
		return arena_fail(v->arena, "the arguments", err);
	if (!realpath(v->root, root))
		return fail_value(a, "the folder of --root is not there", err);
	len = strlen(root);
	if (!realpath(joined.ptr, path))
		return fail_value(a, "no such file below --root", err);
	if (strncmp(path, root, len) != 0 ||
	    (root[len - 1] != '/' && path[len] != '/' && path[len]))
		return fail_value(a, "lies outside of --root", err);
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return fail_value(a, "not a regular file", err);
	*value = arena_str(v->arena, str_from(path));
	return value->ptr || arena_fail(v->arena, "the arguments", err);
}

static bool check_value(const struct call_values *v,
			const struct tool_argument *a, struct str *value,
			struct error *err)
{
	struct buf list;

	if (memchr(value->ptr, '\0', value->len))
		return fail_value(a, "contains a NUL byte", err);
	switch (a->kind) {
	case TOOL_WORD:
		for (size_t i = 0; a->words[i]; i++)
			if (str_equal(*value, str_from(a->words[i])))
				return true;
		buf_init(&list, LIMIT_ERROR_BYTES);
		for (size_t i = 0; a->words[i]; i++)
			buf_addf(&list, "%s%s", i ? ", " : "", a->words[i]);
		error_set(err, ERROR_USAGE, "%s: one of %s", a->name,
			  buf_text(&list));
		buf_release(&list);
		return false;
	case TOOL_TRACE:
		return is_trace(*value) ||
		       fail_value(a,
				  "a trace id of 16 or 32 hex digits, or a "
				  "traceparent",
				  err);
	case TOOL_BASELINE:
		return is_baseline(*value) ||
		       fail_value(a,
				  "auto, previous, 1h, 1d, 7d, fast, none, "
				  "version=V or FROM..TO",
				  err);
	case TOOL_FILE:
	case TOOL_OPTION_FILE:
		return value_resolve(v, a, value, err);
	default:
		return true;
	}
}

/* ---- arguments ---- */

/* Accepts numbers as their digits. */
static bool read_text(struct call_values *v, const struct document *d,
		      const struct tool_argument *a, struct str *value,
		      struct error *err)
{
	struct str text = document_text(d);
	struct buf digits;

	buf_init(&digits, LIMIT_ERROR_BYTES);
	if (document_is_number(d)) {
		document_write(d, &digits);
		text = buf_str(&digits);
	} else if (!document_is_text(d)) {
		return fail_value(a, "a text", err);
	}
	*value = arena_str(v->arena, text);
	buf_release(&digits);
	if (value->len > TEXT_BYTES_MOST)
		return fail_value(a, "over 4,000 bytes", err);
	return value->ptr || arena_fail(v->arena, "the arguments", err);
}

static bool read_value(struct call_values *v, const struct document *d,
		       const struct tool_argument *a, struct error *err)
{
	struct str *value = &v->values[a - v->tool->arguments];

	if (document_is_null(d))
		return true;
	if (a->kind == TOOL_FLAG) {
		*value = document_is_true(d) ? STR("true") : STR("");
		return value->len || document_is_false(d) ||
		       fail_value(a, "true or false", err);
	}
	if (a->kind == TOOL_COUNT) {
		int64_t count;

		if (!document_i64(d, &count) || count < 0)
			return fail_value(a, "a whole number", err);
		*value = arena_printf(v->arena, "%" PRId64, count);
		return value->ptr || arena_fail(v->arena, "the arguments", err);
	}
	if (!read_text(v, d, a, value, err))
		return false;
	return !value->len || check_value(v, a, value, err);
}

static bool fail_name(const struct tool *tool, struct str name,
		      struct error *err)
{
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (const struct tool_argument *a = tool->arguments; a->name; a++)
		buf_addf(&list, "%s%s", list.len ? ", " : "", a->name);
	error_set(err, ERROR_USAGE, "%s has no argument '%.*s'; it takes %s",
		  tool->name, name.len < 64 ? (int)name.len : 64, name.ptr,
		  buf_text(&list));
	buf_release(&list);
	return false;
}

static bool check_needed(const struct call_values *v, struct error *err)
{
	const struct tool_argument *a = v->tool->arguments;

	for (size_t i = 0; a[i].name; i++)
		if (a[i].is_needed && !v->values[i].len)
			return error_set(err, ERROR_USAGE, "%s needs %s: %s",
					 v->tool->name, a[i].name, a[i].help);
	return true;
}

static bool read_arguments(struct call_values *v, struct str arguments,
			   struct error *err)
{
	const struct document *value;
	void *place = NULL;
	struct document *d;
	struct str name;
	bool is_read;

	if (!arguments.len)
		return check_needed(v, err);
	d = document_read(arguments, err);
	if (!d)
		return false;
	is_read = document_is_object(d) ||
		  error_set(err, ERROR_USAGE, "the arguments are no object");
	while (is_read && document_next(d, &place, &name, &value)) {
		const struct tool_argument *a = v->tool->arguments;

		while (a->name && !str_equal(name, str_from(a->name)))
			a++;
		is_read = a->name ? read_value(v, value, a, err)
				  : fail_name(v->tool, name, err);
	}
	document_free(d);
	return is_read && check_needed(v, err);
}

/* ---- command line ---- */

static void tool_line_add(struct tool_line *line, const char *word,
			  bool *is_failed)
{
	if (word)
		line->items[line->count++] = word;
	else
		*is_failed = true;
}

/* Builds the command line; positional arguments come after "--", so they cannot
 * be options. */
static bool make_line(const struct call_values *v, struct tool_line *line,
		      struct error *err)
{
	const struct tool_argument *a = v->tool->arguments;
	const char *fixed = v->tool->fixed;
	bool is_failed = false, has_dashes = false;

	line->count = 0;
	line->items = arena_array(v->arena, ARGUMENTS_MOST + WORDS_BESIDE,
				  sizeof *line->items);
	if (!line->items)
		return arena_fail(v->arena, "the arguments", err);
	tool_line_add(line, v->tool->command, &is_failed);
	/* Unless the call has that option. */
	for (size_t i = 0; fixed && a[i].name; i++)
		if (a[i].option && v->values[i].len &&
		    !strncmp(fixed + 2, a[i].option, strlen(a[i].option)))
			fixed = NULL;
	if (fixed)
		tool_line_add(line, fixed, &is_failed);
	for (size_t i = 0; a[i].name; i++) {
		struct str option;

		if (!v->values[i].len || !a[i].option)
			continue;
		option = a[i].kind == TOOL_FLAG
				 ? arena_printf(v->arena, "--%s", a[i].option)
				 : arena_printf(v->arena, "--%s=%.*s",
						a[i].option,
						STR_ARGS(v->values[i]));
		tool_line_add(line, option.ptr, &is_failed);
	}
	for (size_t i = 0; a[i].name; i++) {
		if (!v->values[i].len || a[i].option)
			continue;
		if (!has_dashes)
			tool_line_add(line, "--", &is_failed);
		has_dashes = true;
		tool_line_add(line, v->values[i].ptr, &is_failed);
	}
	line->items[line->count] = NULL;
	return !is_failed || arena_fail(v->arena, "the arguments", err);
}

bool tool_line_make(const struct tool *tool, struct str arguments,
		    const char *root, struct arena *arena,
		    struct tool_line *line, struct error *err)
{
	struct call_values v = { .tool = tool, .root = root, .arena = arena };

	return read_arguments(&v, arguments, err) && make_line(&v, line, err);
}

/* ---- output of a command ---- */

static bool is_of_word(char c)
{
	return ascii_is_alnum(c) || c == '-';
}

/* Replaces an option or command at the start of rest by its name as a tool or
 * argument. */
static bool take_name(struct str *rest, struct buf *out)
{
	bool is_option = str_starts(*rest, STR("--"));
	size_t head = is_option ? 2 : strlen("tracefind "), end = head;
	const char *name = NULL;
	struct str word;

	if (!is_option && !str_starts(*rest, STR("tracefind ")))
		return false;
	while (end < rest->len && is_of_word(rest->ptr[end]))
		end++;
	word = str_slice(*rest, head, end - head);
	for (const struct tool *t = tools; t->name && !name; t++) {
		const struct tool_argument *a = t->arguments;

		while (is_option && a->name &&
		       (!a->option || !str_equal(word, str_from(a->option))))
			a++;
		if (is_option)
			name = a->name;
		else if (t->command && str_equal(word, str_from(t->command)))
			name = t->name;
	}
	if (!name)
		return false;
	buf_addf(out, "%s%s", is_option ? "" : "the tool ", name);
	*rest = str_slice(*rest, head + word.len, rest->len);
	return true;
}

void tool_words(struct str talk, struct buf *out)
{
	bool is_begin = true;

	while (talk.len) {
		if (is_begin && take_name(&talk, out)) {
			is_begin = false;
			continue;
		}
		is_begin = !is_of_word(talk.ptr[0]);
		buf_add_char(out, talk.ptr[0]);
		talk = str_slice(talk, 1, talk.len);
	}
}

/* ---- cursors ---- */

static bool number_split(struct str *rest, uint64_t *number)
{
	size_t at = str_until(*rest, 0, ':');

	if (at >= rest->len || !parse_whole_u64(str_slice(*rest, 0, at), number))
		return false;
	*rest = str_slice(*rest, at + 1, rest->len - at - 1);
	return true;
}

bool tool_cursor_read(struct str arguments, struct arena *arena,
		      struct tool_cursor *cursor, struct error *err)
{
	struct call_values v = { .tool = tool_find(STR("more")),
				 .arena = arena };
	struct str rest;

	if (!read_arguments(&v, arguments, err))
		return false;
	rest = v.values[0];
	if (!number_split(&rest, &cursor->answer) ||
	    !number_split(&rest, &cursor->offset))
		return error_set(err, ERROR_USAGE,
				 "cursor: a cursor from left_out of an earlier "
				 "answer, unchanged");
	cursor->pointer = rest;
	return true;
}

/* ---- list of tools ---- */

static void write_type(struct jsonw *w, const struct tool_argument *a)
{
	jsonw_pair_text(w, "type",
			a->kind == TOOL_FLAG	? "boolean"
			: a->kind == TOOL_COUNT ? "integer"
						: "string");
	if (a->kind == TOOL_COUNT)
		jsonw_pair_i64(w, "minimum", 0);
	if (a->kind != TOOL_WORD)
		return;
	jsonw_addf(w, "enum:[");
	for (size_t i = 0; a->words[i]; i++)
		jsonw_text(w, a->words[i]);
	jsonw_array_end(w);
}

static void write_input(struct jsonw *w, const struct tool *t)
{
	bool has_needed = false;

	jsonw_addf(w, "inputSchema:{type:object, properties:{");
	for (const struct tool_argument *a = t->arguments; a->name; a++) {
		jsonw_addf(w, "%s:{", a->name);
		write_type(w, a);
		jsonw_addf(w, "description:%s}", a->help);
		has_needed |= a->is_needed;
	}
	jsonw_object_end(w);
	if (has_needed) {
		jsonw_addf(w, "required:[");
		for (const struct tool_argument *a = t->arguments; a->name; a++)
			if (a->is_needed)
				jsonw_text(w, a->name);
		jsonw_array_end(w);
	}
	jsonw_addf(w, "additionalProperties:false}");
}

static void write_output(struct jsonw *w, const struct tool *t)
{
	jsonw_addf(w, "outputSchema:{type:object, properties:{");
	if (t->command)
		jsonw_addf(w,
			   "command:{type:string, description:'the same as a "
			   "shell command'}, exit_code:{type:integer, "
			   "description:%s}",
			   "0; 10: the check failed; 5: inconclusive");
	jsonw_addf(w, "answer:{type:object, description:%s}}, required:[",
		   t->command
			   ? "output of -o json, reduced; left_out has cursors "
			     "for the tool more"
			   : "the requested part");
	if (t->command)
		jsonw_addf(w, "command, exit_code");
	jsonw_addf(w, "answer]}");
}

void tools_write(struct jsonw *w)
{
	jsonw_array(w);
	for (const struct tool *t = tools; t->name; t++) {
		jsonw_addf(w, "{name:%s, title:%s, description:%s", t->name,
			   t->title, t->help);
		write_input(w, t);
		write_output(w, t);
		jsonw_addf(w, "annotations:{readOnlyHint:true, "
			      "openWorldHint:true}}");
	}
	jsonw_array_end(w);
}
