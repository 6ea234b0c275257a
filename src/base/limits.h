/* SPDX-License-Identifier: Apache-2.0
 *
 * Every limit of the program, with its reason. Servers and files are untrusted:
 * nothing grows, nests or expands past a number defined here.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define KIB ((size_t)1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

/* Nesting. The deepest real documents are V8 heap profiles: stacks of up to 128
 * calls, two levels per call. Protobuf (OTLP with nested attribute values)
 * stays under 30. Both limits leave room and keep explicit stacks small. The
 * one for JSON is a multiple of 64: a bit per level. */
#define LIMIT_JSON_DEPTH 320
/* Documents parsed into a tree, which takes up to about forty times their size.
 * Error responses have a few KiB. */
#define LIMIT_DOCUMENT_BYTES MIB
#define LIMIT_PB_DEPTH 64
/* Nesting of JFR metadata elements and of values: fields in classes are at a
 * depth of 4, frames of stack traces at 2. */
#define LIMIT_JFR_DEPTH 16
/* Nested subsegments in AWS X-Ray. SDKs create one per instrumented call and up
 * to five per AWS call; documents are limited to 64 KiB, about a hundred. */
#define LIMIT_XRAY_DEPTH 100

/* Traces. The largest publicly reported traces have a few 100,000 spans, and of
 * a file with many traces one is kept; OpenTelemetry SDKs limit attributes to
 * 128 per span by default. */
#define LIMIT_SPANS 2000000u
#define LIMIT_SPAN_ATTRS 1024u
#define LIMIT_RESOURCES 200000u
/* Events and links of a span with their attributes, and its attributes that are
 * not stored elsewhere: SDKs limit each to 128 by default, at most 2 * 128 *
 * 129. */
#define LIMIT_SPAN_DETAILS 40000u
/* Spans of a trace that keep attributes not used by name in the analysis, to
 * find the attributes that set slow requests apart: a few dozen each; in larger
 * traces, of the first spans. */
#define LIMIT_ATTRIBUTED_SPANS 20000u

/* Missing spans for which substitutes are searched, the longest first: each
 * takes a pass over the trace. With more than a few dozen lost, single spans do
 * not matter. */
#define LIMIT_TRACE_GAPS 64u

/* Links of a trace: a batch lists some hundred messages, and SDKs limit links
 * to 128 per span by default. Few are followed. */
#define LIMIT_TRACE_LINKS 10000u

/* A single string. Tempo truncates attribute values at 2 KiB, SQL rarely
 * exceeds 64 KiB; longer text is truncated at a character boundary, with a
 * note. */
#define LIMIT_STRING_BYTES (64 * KIB)

/* Digits, sign and exponent of a number. The longest that printf() produces for
 * a double is 310. */
#define LIMIT_NUMBER_BYTES ((size_t)512)

/* Profiles. Pyroscope stores at most 1,000 frames per stack, async-profiler
 * 2,048 by default. Deeper stacks lose their middle frames, with a note. */
#define LIMIT_STACK_FRAMES 4096u
#define LIMIT_SAMPLES 5000000u
#define LIMIT_LOCATIONS 5000000u
#define LIMIT_FUNCTIONS 5000000u
#define LIMIT_SAMPLE_TYPES 64u

/* Profiles in a push request. Agents send about ten at a time; each is decoded,
 * so a body of many tiny ones would take minutes. */
#define LIMIT_PUSHED_PROFILES 1000u

/* Frames of all stacks together, counting repeats. The largest known merges
 * have some 100,000,000; a small file whose locations expand into thousands of
 * inlined frames each must not take minutes of CPU. */
#define LIMIT_STACK_FRAMES_TOTAL 400000000u

/* Nodes of the tree that stacks read from text are collected in, about 60 bytes
 * each: those of large services have some 500,000. Beyond this stacks share few
 * prefixes, and are kept as lists of four bytes per frame. */
#define LIMIT_STACK_TREE_NODES 2000000u

/* Nodes in a tree response. Servers truncate at 1,048,576 by default. */
#define LIMIT_TREE_NODES 5000000u

/* Frames of a flame graph. Merges over a day of a large service have some
 * 500,000; beyond this deeper frames are merged into their callers. */
#define LIMIT_FLAME_NODES 1000000u
/* Frames in an HTML report: a browser loads 100,000 in 0.1 s, in at most 1 MiB.
 * Beyond this the narrowest are left out. */
#define LIMIT_PAGE_FRAMES 100000u

/* HTML report: functions in its table, which take half a kilobyte each in a
 * page meant to be mailed, rows of its waterfall, bytes of span attributes,
 * events and links. Nobody reads further, and a browser lays this out in 0.1
 * s. */
#define LIMIT_PAGE_FUNCTIONS 200u
#define LIMIT_PAGE_SPANS 1000u
#define LIMIT_PAGE_DETAIL_BYTES MIB

/* Memory of a decoded model: all its arrays and strings. */
#define LIMIT_DECODE_HEAP_BYTES GIB

/* Temporary memory of one analysis: a few words per function, frame and stack
 * of two models that are themselves under the limit above. */
#define LIMIT_ANALYZE_HEAP_BYTES GIB

/* Responses. Tempo limits a trace to 5 MB by default; large untruncated profile
 * merges reach tens of MB compressed. */
#define LIMIT_BODY_WIRE_BYTES (64 * MIB)
#define LIMIT_BODY_PLAIN_BYTES (512 * MIB)
/* Responses of which little is kept: 1,000 profiles in a page of Cloud
 * Profiler's list, about 100 KiB each in base64, times ten. */
#define LIMIT_SIEVED_BYTES GIB
#define LIMIT_HEADER_BYTES (256 * KIB)
/* Folded header lines: long obsolete, and libcurl copies the whole value again
 * for each. */
#define LIMIT_HEADER_FOLDS 100u
#define LIMIT_ERROR_BODY_BYTES (64 * KIB)

/* Local files, compressed and decompressed. */
#define LIMIT_FILE_BYTES (2 * GIB)
#define LIMIT_FILE_PLAIN_BYTES (SIZE_MAX / 4 < GIB ? SIZE_MAX : 4 * GIB)

/* Requests. Four connections do not burden a shared server; a run that needs
 * more requests than this is stuck in a loop. */
#define LIMIT_PARALLEL_REQUESTS 4u
#define LIMIT_REQUESTS_PER_RUN 400u
/* check --all: about four requests per service. Some dozen functions of each
 * are kept, 150 bytes per function. */
#define LIMIT_FLEET_SERVICES 3000u
#define LIMIT_FLEET_REQUESTS (4 * LIMIT_FLEET_SERVICES + LIMIT_REQUESTS_PER_RUN)
#define LIMIT_FLEET_FUNCTIONS 400u
#define LIMIT_FLEET_HEAP_BYTES (96 * MIB)
#define LIMIT_FLEET_FILE_BYTES (256 * MIB)
/* Bad requests of an SLO that are investigated one by one, each with the
 * request limit of an ordinary `slow`; shares are then accurate to ten
 * percent. */
#define LIMIT_SLO_SAMPLE 100u
#define LIMIT_SLO_REQUESTS                                                     \
	(LIMIT_SLO_SAMPLE * LIMIT_ORDINARY_REQUESTS + LIMIT_REQUESTS_PER_RUN)
/* Requests of an export: three per trace (see LIMIT_EXPORT_KEPT), and as many
 * again for lists and profiles. */
#define LIMIT_REQUESTS_PER_EXPORT 600000u
/* An ordinary `slow` stays under this by requesting profiles in larger groups
 * for services that have many (investigate/comparison.h). Each further round
 * takes as long as its slowest response. Retries for older servers that reject
 * a form of request also count, but only the grouping adapts. */
#define LIMIT_ORDINARY_REQUESTS 40u
#define LIMIT_ORDINARY_ROUNDS 8u
/* Requests sent together; more than a verdict needs at once. */
#define LIMIT_BATCH 40u
/* Spans whose samples are requested together. Pyroscope takes 0.1 to 0.3 s for
 * 10,000, up to 50 s for 100,000; a verdict needs some hundred. */
#define LIMIT_COHORT_SPANS 2000u
/* Parts that a window is split into for servers that only accept short ones
 * (Pyroscope: a day by default): two months, within the request limit of a
 * run. */
#define LIMIT_WINDOW_PARTS 60u
/* Traces and spans of one history window; a few dozen are requested, but
 * servers do not always respect the requested limit. */
#define LIMIT_HISTORY_TRACES 2000u
#define LIMIT_HISTORY_SPANS 100000u
/* Attributes of their spans, over all windows: some dozen for each span that a
 * run requests, and 16 MiB. */
#define LIMIT_HISTORY_ATTRS 2000000u
#define LIMIT_RETRY_AFTER_MS 30000u

/* Trace IDs that an export remembers as sent, about 45 bytes each: one day at
 * two traces per second, in 9 MiB. */
#define LIMIT_EXPORT_KEPT 200000u

/* Names listed by a profile server (services, types). Thousands of services are
 * real; each is compared with the requested name to suggest the closest. */
#define LIMIT_NAMES 50000u

/* Series of one service in a day: types times pods times versions. A thousand
 * pods with twelve types have 12,000. */
#define LIMIT_SERIES 50000u

/* Processes of a service over days, including restarts under new names; each is
 * compared with those before it. */
#define LIMIT_LEAK_INSTANCES 2000u

/* Metrics. Queries aggregate by service, operation or instance: ten thousand
 * instances are more than anyone runs of one service. A series has a few dozen
 * labels; a response has one point per series and step. */
#define LIMIT_METRIC_SERIES 10000u
#define LIMIT_METRIC_LABELS 64u
#define LIMIT_METRIC_POINTS 2000000u
/* Steps of one query. Prometheus rejects more than 11,000; at most a point per
 * minute over half a week is needed. */
#define LIMIT_METRIC_STEPS 5000u

/* Profiles that a server lists individually (Cloud Profiler): one per minute
 * and type of a service, kept for 30 days, makes 43,200 per type. They are
 * listed 1,000 at a time, so more would exceed the request limit of a run. */
#define LIMIT_STORED_PROFILES 300000u
/* Labels of such a profile: its names and values are limited to 1,024 bytes,
 * for the deployment and for the profile each. */
#define LIMIT_STORED_LABELS 64u
/* About 300 bytes each, with the longest names that servers generate. */
#define LIMIT_PROFILE_LIST_BYTES (128 * MIB)
/* Page tokens come from the server and go into URLs. */
#define LIMIT_PAGE_TOKEN_BYTES (4 * KIB)
#define LIMIT_LIST_PAGES 320u

/* Case files contain complete responses as base64 in JSON. */
#define LIMIT_HAR_BYTES (512 * MIB)
/* An HTML report with its case is meant to be mailed: base64 of the page and of
 * the mail make this 21 MiB, and mail servers accept 25. */
#define LIMIT_EMBEDDED_CASE_BYTES (12 * MIB)
#define LIMIT_HAR_ENTRIES 4000u
/* The command line in a case: the maximum length on Linux. */
#define LIMIT_CASE_ARGS_BYTES (2 * MIB)

/* Notes of one run. A report with more would be unreadable. */
#define LIMIT_NOTES 64u
#define LIMIT_NOTE_BYTES 400u
#define LIMIT_ERROR_BYTES 600u

/* Checks of one run of doctor, and bytes of text for each: about twenty for the
 * servers, and those for the services of a trace. */
#define LIMIT_CHECKS 128u
#define LIMIT_CHECK_BYTES 2048u
/* Services whose profiles doctor checks with a few requests each: more would
 * load a shared server. */
#define LIMIT_CHECKED_SERVICES 32u

/* Rows, texts and findings of one answer, or the stacks of two profiles as
 * text: as much again as the analysis may use. */
#define LIMIT_RESULT_BYTES GIB

/* Memory of a run besides models and answers: URLs, headers, secrets and the
 * list of its requests. */
#define LIMIT_CONTEXT_BYTES (64 * MIB)

/* A paragraph or cell of a report. The longest names, escaped, in the longest
 * path shown take less than a quarter. */
#define LIMIT_PAGE_TEXT_BYTES (64 * MIB)

/* Options. Values come from scripts and the environment. */
#define LIMIT_OPTION_VALUE_BYTES (64 * KIB)
#define LIMIT_HEADERS 64u
#define LIMIT_OUTPUTS 16u
/* Files that are added up: one per five minutes of a day makes 288. Other
 * commands take at most two. */
#define LIMIT_ARGUMENTS 300u
#define LIMIT_SECRET_FILE_BYTES (64 * KIB)

/* Google Cloud credentials: delegation chains and request headers are written
 * by hand. Tokens are valid for an hour, or up to twelve where an organization
 * allows it. */
#define LIMIT_GOOGLE_DELEGATES 16u
#define LIMIT_GOOGLE_HEADERS 16u
#define LIMIT_GOOGLE_LIFETIME_S 43200

/* Responses stored by --cache. A quarter of an hour covers one look at an
 * incident; later, profiles of the same window may have grown. A run stores a
 * few dozen of about 100 KiB. */
#define LIMIT_CACHE_AGE_S 900
#define LIMIT_CACHE_FILES 4096u
#define LIMIT_CACHE_BYTES (256 * MIB)
#define LIMIT_CACHE_BODY_BYTES (32 * MIB)

/* Profiles stored by name, which never change: Cloud Profiler itself keeps them
 * for 30 days. Ten seconds compress to 10 to 100 KiB, so the size limit above
 * is reached before this count. */
#define LIMIT_PROFILE_CACHE_AGE_S (30 * 24 * 3600)
#define LIMIT_PROFILE_CACHE_FILES 32768u
#define LIMIT_PROFILE_CACHE_FILE_BYTES (8 * MIB)

/* Configuration files, written by hand. inih reads lines of up to 199 bytes and
 * section names of up to 49, including [context "..."]. */
#define LIMIT_CONFIG_BYTES (64 * KIB)
#define LIMIT_CONFIG_LINE_BYTES 190u
#define LIMIT_CONTEXT_NAME_BYTES 32u
/* A company has a few dozen servers; every value is compared with those before
 * it. */
#define LIMIT_CONTEXTS 200u
#define LIMIT_CONFIG_ENTRIES 2000u
/* Grafana provisioning files: a few dozen data sources, nested six deep. Header
 * names have the form httpHeaderName1 and so on. */
#define LIMIT_GRAFANA_BYTES (256 * KIB)
#define LIMIT_GRAFANA_SOURCES 200u
#define LIMIT_GRAFANA_HEADERS 8u
#define LIMIT_GRAFANA_TAGS 32u
#define LIMIT_YAML_DEPTH 32u
/* Directories from the working directory up to the root of its repository. */
#define LIMIT_FOLDER_DEPTH 64u

/* --rules files, written by hand: the built-in rules have half this size. Every
 * function of a profile is matched with each rule; the longest package names
 * and paths are under 200 bytes. */
#define LIMIT_RULE_FILE_BYTES (64 * KIB)

/* --prices files have five values; comments on their sources may take pages. */
#define LIMIT_PRICE_FILE_BYTES (16 * KIB)
/* --requests files have a number per run of a side, each with a comment as long
 * as a path; nobody compares more than a thousand runs. */
#define LIMIT_REQUESTS_FILE_BYTES (64 * KIB)
#define LIMIT_RULES 1000u
#define LIMIT_RULE_TEXT_BYTES 500u

/* Regular expressions from the user on names from untrusted input. A simple
 * pattern takes a few steps per byte; a million for one name (10 ms) means
 * catastrophic backtracking. Compiling recurses as deep as groups nest. */
#define LIMIT_REGEX_STEPS 1000000u
#define LIMIT_REGEX_DEPTH 250u
/* Drop patterns contained in a pprof file: those of allocators are 2 KiB long
 * and take some hundred steps per name; PCRE2 compiles at most 32 KiB. All
 * names of a file together get ten seconds. */
#define LIMIT_DROP_PATTERN_BYTES (16 * KIB)
#define LIMIT_DROP_STEPS_TOTAL 1000000000u
/* Patterns of one --tag-focus or --tag-ignore: bits of a word. */
#define LIMIT_LABEL_PATTERNS 16u

/* Selectors that are matched with labels in the program: about three matchers,
 * written by hand or from a mapping. */
#define LIMIT_SELECTOR_MATCHERS 128u
#define LIMIT_SELECTOR_BYTES (256 * KIB)

/* Mangled names. Deeply nested templates reach a few KiB and a depth of a few
 * dozen; back references can expand into more than fits in memory. */
#define LIMIT_MANGLED_BYTES (16 * KIB)
#define LIMIT_DEMANGLED_BYTES (16 * KIB)
#define LIMIT_MANGLED_DEPTH 200u
#define LIMIT_DEMANGLE_STEPS 100000u
/* C++ without parameters: as much as GCC's runtime reads; and the length it may
 * expand into (demangle/cpp_bound.c), about 5 ms. */
#define LIMIT_CPP_BYTES 1024u
#define LIMIT_UNFOLDED_BYTES MIB
/* All names of a profile together, in steps and bytes read and written, about
 * 15 ns each: three seconds. Enough for a million names of typical length. */
#define LIMIT_DEMANGLE_WORK 200000000u

/* `check` snapshots: about 200 bytes for each function that takes part, of
 * which large programs have some thousand, and a tree of eight times that while
 * it is read. A side has at most as many runs as there are arguments. */
#define LIMIT_SNAPSHOT_BYTES (16 * MIB)
#define LIMIT_SNAPSHOT_FUNCTIONS 50000u
#define LIMIT_SNAPSHOT_HEAP_BYTES (64 * MIB)

/* A source file whose lines are listed, and its path. Generated parsers reach a
 * few MiB. */
#define LIMIT_SOURCE_BYTES (16 * MIB)
#define LIMIT_PATH_BYTES 4096u

/* Output of git log: three changes of a function of 3,000 lines, old and
 * new. */
#define LIMIT_GIT_LOG_BYTES (2 * MIB)

/* A URL that contains a trace ID; browsers and servers accept less. */
#define LIMIT_URL_BYTES (32 * KIB)

/* An alert condition, which repeats a selector about a dozen times. */
#define LIMIT_RULE_BYTES (16 * LIMIT_URL_BYTES)

#endif
