/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/tools.h"

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
		 "start this long before the end, as 30m, 2h or 1d"),          \
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
		 "only what took so long, as 500ms"),
	ARGUMENT("errors", TOOL_FLAG, "errors", "only failed traces"),
	ARGUMENT("query", TOOL_TEXT, "query",
		 "TraceQL instead of service, operation and errors"),
	WINDOW,
	LIMIT("how many traces (10)"),
	END
};

static const struct tool_argument slow_arguments[] = {
	ARGUMENT("trace_id", TOOL_TRACE, NULL,
		 "the trace; without one a typical slow trace of the service "
		 "is looked for"),
	ARGUMENT("file", TOOL_FILE, NULL, "a trace in a file, instead"),
	SERVICE,
	ARGUMENT("span", TOOL_TEXT, "span", "id of the span to explain"),
	ARGUMENT("why", TOOL_FLAG, "why", "the whole reasoning"),
	TYPE,
	BASELINE,
	WINDOW,
	END
};

static const struct tool_argument show_arguments[] = {
	ARGUMENT("trace_id", TOOL_TRACE, NULL, "the trace"),
	ARGUMENT("file", TOOL_FILE, NULL, "a trace in a file, instead"),
	ARGUMENT("span", TOOL_TEXT, "span",
		 "id of a span of which all is wanted"),
	ARGUMENT("errors", TOOL_FLAG, "errors", "only spans that failed"),
	LIMIT("how many spans (all)"),
	END
};

static const struct tool_argument diff_arguments[] = {
	SERVICE,
	TYPE,
	BASELINE,
	ARGUMENT("selector", TOOL_TEXT, "selector",
		 "which profiles, as {version=\"2\"}"),
	ARGUMENT("baseline_selector", TOOL_TEXT, "baseline-selector",
		 "which profiles to compare with"),
	ARGUMENT("before_file", TOOL_FILE, NULL, "a profile from before"),
	ARGUMENT("after_file", TOOL_FILE, NULL, "a profile from after"),
	ARGUMENT("focus", TOOL_TEXT, "focus",
		 "only stacks with a function like this regular expression"),
	WINDOW,
	LIMIT("how many functions (100)"),
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
	LIMIT("how many functions (100)"),
	END
};

static const struct tool_argument services_arguments[] = {
	WINDOW, LIMIT("how many services (100)"), END
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
		 "limits, as total>3%,function>5%,new>1%,latency>10%"),
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
		 "what the difference to a baseline costs"),
	BASELINE,
	ARGUMENT("right_size", TOOL_FLAG, "right-size",
		 "which size of an instance would do"),
	WINDOW,
	END
};

static const struct tool_argument slo_arguments[] = {
	NEEDED_SERVICE,
	NEEDED("objective", TOOL_TEXT, "objective",
	       "percent of the requests that have to be good, as 99.9"),
	ARGUMENT("threshold", TOOL_TEXT, "threshold",
		 "a request that takes longer is bad, as 300ms"),
	ARGUMENT("operation", TOOL_TEXT, "name", "name of the span"),
	ARGUMENT("budget_window", TOOL_TEXT, "window",
		 "the time that the error budget is of (30d)"),
	ARGUMENT("sample", TOOL_COUNT, "sample",
		 "how many bad requests to investigate (20)"),
	WINDOW,
	END
};

static const struct tool_argument doctor_arguments[] = {
	ARGUMENT("trace_id", TOOL_TRACE, NULL, "what is there for this trace"),
	SERVICE, WINDOW, END
};

static const struct tool_argument more_arguments[] = {
	NEEDED("cursor", TOOL_TEXT, NULL,
	       "one of those in left_out of an earlier answer"),
	END
};

const struct tool tools[] = {
	{ "find_slow_traces", "Find slow traces",
	  "The slowest traces of a window (the last hour) and how long traces "
	  "took there.",
	  "search", NULL, search_arguments },
	{ "explain_trace", "Explain a slow trace",
	  "From a trace to the span that cost its time, why, and the functions "
	  "whose cost grew against a healthy time, with how sure that is.",
	  "slow", "--limit=100", slow_arguments },
	{ "show_trace", "Show a trace",
	  "The spans of a trace with self time and critical path.", "show",
	  NULL, show_arguments },
	{ "compare", "Compare profiles",
	  "Which functions of a service cost more than in a baseline, in "
	  "another version or in another file, told from noise.",
	  "diff", "--limit=100", diff_arguments },
	{ "function_detail", "A function in detail",
	  "A function of a profile with its callers and callees.", "profile",
	  "--limit=100", function_arguments },
	{ "list_services", "Services with profiles",
	  "Services that send profiles, most CPU first.", "services",
	  "--limit=100", services_arguments },
	{ "list_profile_types", "Types of profiles",
	  "Types of profiles that there are.", "types", NULL,
	  types_arguments },
	{ "since_when", "Since when is it slower",
	  "The time of a step in cost or duration, and which version, "
	  "instances or traffic changed then.",
	  "when", NULL, when_arguments },
	{ "check_change", "Did a change make it slower",
	  "Candidate against baseline with limits: what grew beyond noise.",
	  "check", NULL, check_arguments },
	{ "find_leak", "Does memory grow without end",
	  "Memory in use and goroutines of a service over hours, by function.",
	  "leak", NULL, leak_arguments },
	{ "cost", "What a request costs",
	  "CPU and memory of a service by request and function, in money where "
	  "prices are configured.",
	  "cost", NULL, cost_arguments },
	{ "slo", "What spends the error budget",
	  "Good requests of a service against an objective: what spent the "
	  "error budget by cause, service and function, how fast it goes.",
	  "slo", NULL, slo_arguments },
	{ "doctor", "Check the servers",
	  "Whether servers answer and what they hold, with the fix for what is "
	  "missing.",
	  "doctor", NULL, doctor_arguments },
	{ "more", "More of an answer",
	  "What an earlier answer had no room for.", NULL, NULL,
	  more_arguments },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};
