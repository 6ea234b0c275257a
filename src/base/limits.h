/* SPDX-License-Identifier: Apache-2.0
 *
 * Every ceiling of the program, one line of reason each. Servers and files
 * are untrusted: nothing grows, nests or expands past a number named here.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define KIB ((size_t)1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

/* Nesting. The deepest real documents are heap profiles of V8, with stacks of
 * up to 128 calls two levels a call; protobuf (OTLP with nested attribute
 * values) stays under 30. Both leave room and keep explicit stacks small. JSON's
 * is a multiple of 64: a bit each. */
#define LIMIT_JSON_DEPTH 320
/* A document that becomes a tree, of some forty times its size at most. Answers
 * that are errors have some KiB. */
#define LIMIT_DOCUMENT_BYTES MIB
#define LIMIT_PB_DEPTH 64
/* Elements that describe a flight recording, and values in it: fields stand in
 * classes at a depth of 4, frames of stack traces at 2. */
#define LIMIT_JFR_DEPTH 16
/* Subsegments of AWS X-Ray within each other. SDKs make one for each call that
 * is measured, of AWS up to five; documents are cut at 64 KiB, which some
 * hundred fill. */
#define LIMIT_XRAY_DEPTH 100

/* Traces. The largest traces seen in public reports hold a few 100,000
 * spans, and of a file of many traces one is kept; OpenTelemetry SDKs cap
 * attributes at 128 a span by default. */
#define LIMIT_SPANS 2000000u
#define LIMIT_SPAN_ATTRS 1024u
#define LIMIT_RESOURCES 200000u
/* Events and links of a span with their attributes, and its attributes that
 * are not kept otherwise: SDKs stop at 128 of each by default, so at 2 * 128
 * * 129 when all are full. */
#define LIMIT_SPAN_DETAILS 40000u
/* Spans of a trace of which attributes that analysis has no use for by name are
 * kept, to tell what slow requests have in common: some dozen each, of the
 * spans that came first where a trace has more. */
#define LIMIT_ATTRIBUTED_SPANS 20000u

/* Missing spans in whose place others are looked at, those of the longest time
 * first: each costs a walk over the trace. A trace that lost more than some
 * dozens is no matter of single spans. */
#define LIMIT_TRACE_GAPS 64u

/* Links of a trace: a batch lists some hundred messages, and SDKs stop at 128 a
 * span by default. A few are followed. */
#define LIMIT_TRACE_LINKS 10000u

/* One string. Tempo cuts attribute values at 2 KiB, SQL seldom passes
 * 64 KiB; longer text is trimmed at a character boundary and noted. */
#define LIMIT_STRING_BYTES (64 * KIB)

/* Digits, sign and exponent of one number. The longest that printf gives for
 * a double is 310; nobody means more. */
#define LIMIT_NUMBER_BYTES ((size_t)512)

/* Profiles. Pyroscope stores at most 1,000 frames a stack; async-profiler
 * 2,048 by default. Deeper stacks lose their middle, and a note says so. */
#define LIMIT_STACK_FRAMES 4096u
#define LIMIT_SAMPLES 5000000u
#define LIMIT_LOCATIONS 5000000u
#define LIMIT_FUNCTIONS 5000000u
#define LIMIT_SAMPLE_TYPES 64u

/* Profiles of one push. Agents send some ten at a time; each is decoded, so
 * that a body of small ones must not take minutes. */
#define LIMIT_PUSHED_PROFILES 1000u

/* Frames of all stacks together, repeats included. The largest merges known
 * hold some 100,000,000; a small file whose locations unfold into thousands
 * of inlined frames each must not keep the machine busy for minutes. */
#define LIMIT_STACK_FRAMES_TOTAL 400000000u

/* Nodes of the tree in which stacks of texts are collected, some 60 bytes each:
 * those of large services have some 500,000. Past it stacks have little in
 * common, and are kept as lists, of four bytes a frame. */
#define LIMIT_STACK_TREE_NODES 2000000u

/* Nodes of a tree answer. Servers cut at 1,048,576 by default. */
#define LIMIT_TREE_NODES 5000000u

/* Boxes of a flame graph. Merges of a large service's day have some 500,000;
 * past this many the deeper frames count for their callers. */
#define LIMIT_FLAME_NODES 1000000u
/* Those that a page holds: a browser reads 100,000 in a tenth of a second, in
 * a MiB or less. Past this many the narrowest are left out. */
#define LIMIT_PAGE_FRAMES 100000u

/* A page for people. Nobody reads further, and a browser lays so much out in a
 * tenth of a second: functions in its table, which are half a kilobyte each of a
 * page that is to be mailed, rows of its waterfall, bytes of the attributes,
 * events and links of its spans. */
#define LIMIT_PAGE_FUNCTIONS 200u
#define LIMIT_PAGE_SPANS 1000u
#define LIMIT_PAGE_DETAIL_BYTES MIB

/* Memory of one decoded model: all of its arrays and strings. */
#define LIMIT_DECODE_HEAP_BYTES GIB

/* Scratch of one analysis: a few words per function, frame and stack of two
 * models that themselves stay under the ceiling above. */
#define LIMIT_ANALYZE_HEAP_BYTES GIB

/* Transfer. Tempo's own default maximum for a trace is 5 MB; large
 * untruncated profile merges reach tens of MB compressed. */
#define LIMIT_BODY_WIRE_BYTES (64 * MIB)
#define LIMIT_BODY_PLAIN_BYTES (512 * MIB)
/* The bytes of an answer of which little is kept: 1,000 profiles of a page of
 * Cloud Profiler's list, of some 100 KiB in base64, and ten times that. */
#define LIMIT_SIEVED_BYTES GIB
#define LIMIT_HEADER_BYTES (256 * KIB)
/* Lines that go on with the one before: long out of use, and the library copies
 * the whole value again for each. */
#define LIMIT_HEADER_FOLDS 100u
#define LIMIT_ERROR_BODY_BYTES (64 * KIB)

/* Local files, as they lie on disk and unpacked. */
#define LIMIT_FILE_BYTES (2 * GIB)
#define LIMIT_FILE_PLAIN_BYTES (SIZE_MAX / 4 < GIB ? SIZE_MAX : 4 * GIB)

/* Requests. Four connections keep a shared server unburdened; a run that
 * needs more requests than this is a loop of ours. */
#define LIMIT_PARALLEL_REQUESTS 4u
#define LIMIT_REQUESTS_PER_RUN 400u
/* All services of a fleet are asked about four times each. Some dozen functions
 * of each are kept, 150 bytes a function. */
#define LIMIT_FLEET_SERVICES 3000u
#define LIMIT_FLEET_REQUESTS (4 * LIMIT_FLEET_SERVICES + LIMIT_REQUESTS_PER_RUN)
#define LIMIT_FLEET_FUNCTIONS 400u
#define LIMIT_FLEET_HEAP_BYTES (96 * MIB)
#define LIMIT_FLEET_FILE_BYTES (256 * MIB)
/* Bad requests of an objective that are looked at one by one, each with what an
 * ordinary `slow` may ask; a share is known to ten percent then. */
#define LIMIT_SLO_SAMPLE 100u
#define LIMIT_SLO_REQUESTS                                                     \
	(LIMIT_SLO_SAMPLE * LIMIT_ORDINARY_REQUESTS + LIMIT_REQUESTS_PER_RUN)
/* The requests of an export: three for each trace there may be, below, and as
 * many again for lists and profiles. */
#define LIMIT_REQUESTS_PER_EXPORT 600000u
/* An ordinary `slow` keeps to these by asking for profiles less finely when
 * a service offers much (investigate/comparison.h). Each further round costs the longest
 * answer once more. Old servers that refuse the form of a question and are
 * asked again count as well, but only the fineness yields to them. */
#define LIMIT_ORDINARY_REQUESTS 40u
#define LIMIT_ORDINARY_ROUNDS 8u
/* Requests that are sent together; more than a verdict needs at once. */
#define LIMIT_BATCH 40u
/* Spans whose samples are asked for together. Pyroscope answers 10,000 in
 * 0.1 to 0.3 s, 100,000 in up to 50 s; a verdict needs some hundred. */
#define LIMIT_COHORT_SPANS 2000u
/* Parts of one window, where a server takes short ones only (Pyroscope a day
 * by default): two months, within the requests of a run. */
#define LIMIT_WINDOW_PARTS 60u
/* Traces and spans of one window of history; some dozens are asked for, but
 * servers do not always keep to the limit. */
#define LIMIT_HISTORY_TRACES 2000u
#define LIMIT_HISTORY_SPANS 100000u
/* Attributes of their spans, of all windows: some dozen each of those that a
 * run asks for, and 16 MiB. */
#define LIMIT_HISTORY_ATTRS 2000000u
#define LIMIT_RETRY_AFTER_MS 30000u

/* The traces that an export remembers to have sent, a line of some 45 bytes
 * each: a day of two traces a second, in 9 MiB. */
#define LIMIT_EXPORT_KEPT 200000u

/* Names a profile server lists (services, types). Thousands of services are
 * real; each is compared with the wanted one to suggest the nearest. */
#define LIMIT_NAMES 50000u

/* Series of one service in a day: types times pods times versions. A thousand
 * pods of twelve types are 12,000. */
#define LIMIT_SERIES 50000u

/* Processes of a service over days, restarts under new names included; each is
 * compared with those before it. */
#define LIMIT_LEAK_INSTANCES 2000u

/* Metrics. Questions add up by service, operation or instance: ten thousand
 * instances are more than a platform runs of one service. Labels of a series
 * are some dozen; points of an answer are those series times the steps. */
#define LIMIT_METRIC_SERIES 10000u
#define LIMIT_METRIC_LABELS 64u
#define LIMIT_METRIC_POINTS 2000000u
/* Steps of one question. Prometheus refuses more than 11,000; nothing here
 * looks at more than a point a minute of half a week. */
#define LIMIT_METRIC_STEPS 5000u

/* Profiles that a server lists one by one (Cloud Profiler): one a minute for
 * each type of a service, kept for 30 days, are 43,200. The list is asked for
 * by the thousand, so that more would pass the requests of a run. */
#define LIMIT_STORED_PROFILES 300000u
/* Labels of one of them: their names and values have 1,024 bytes at most, of
 * the deployment and of the profile each. */
#define LIMIT_STORED_LABELS 64u
/* Some 300 bytes each, when names are as long as servers make them. */
#define LIMIT_PROFILE_LIST_BYTES (128 * MIB)
/* Names of pages are of the server's making; they go into addresses. */
#define LIMIT_PAGE_TOKEN_BYTES (4 * KIB)
#define LIMIT_LIST_PAGES 320u

/* Case files hold whole answers as base64 inside JSON. */
#define LIMIT_HAR_BYTES (512 * MIB)
/* A page with its case is mailed: in base64 of the page and of the mail this
 * becomes 21 MiB, and mail servers take 25. */
#define LIMIT_EMBEDDED_CASE_BYTES (12 * MIB)
#define LIMIT_HAR_ENTRIES 4000u
/* The command line inside a case: as long as Linux lets one be. */
#define LIMIT_CASE_ARGS_BYTES (2 * MIB)

/* The notes of one run. A report with more notes than this is noise itself. */
#define LIMIT_NOTES 64u
#define LIMIT_NOTE_BYTES 400u
#define LIMIT_ERROR_BYTES 600u

/* Checks of one run of doctor, each with a text of at most so many bytes: some
 * twenty of the servers, and those of the services of a trace. */
#define LIMIT_CHECKS 128u
#define LIMIT_CHECK_BYTES 2048u
/* Services whose profiles doctor looks at, a few requests each: more than that
 * and a shared server would feel it. */
#define LIMIT_CHECKED_SERVICES 32u

/* Rows, texts and findings of one answer, or the stacks of two profiles as
 * lines: what the analysis may hold, once more. */
#define LIMIT_RESULT_BYTES GIB

/* The memory of a run besides models and answers: addresses, headers, secrets
 * and the list of its requests. */
#define LIMIT_CONTEXT_BYTES (64 * MIB)

/* One paragraph or cell of a report. Names of the largest size, escaped, in a
 * path of the largest length shown stay under a quarter of it. */
#define LIMIT_PAGE_TEXT_BYTES (64 * MIB)

/* Options. Values come from scripts and from the environment. */
#define LIMIT_OPTION_VALUE_BYTES (64 * KIB)
#define LIMIT_HEADERS 64u
#define LIMIT_OUTPUTS 16u
/* Files that are added up: every five minutes of a day are 288. Other commands
 * take two at most. */
#define LIMIT_ARGUMENTS 300u
#define LIMIT_SECRET_FILE_BYTES (64 * KIB)

/* Credentials of Google Cloud: chains of accounts and headers of requests are
 * written by hand. Tokens live an hour, or at most twelve where an organisation
 * allows it. */
#define LIMIT_GOOGLE_DELEGATES 16u
#define LIMIT_GOOGLE_HEADERS 16u
#define LIMIT_GOOGLE_LIFETIME_S 43200

/* Answers kept by --cache. A quarter of an hour is one look at an incident;
 * after that profiles of the same window may have grown. A run keeps some
 * dozen, of some 100 KiB. */
#define LIMIT_CACHE_AGE_S 900
#define LIMIT_CACHE_FILES 4096u
#define LIMIT_CACHE_BYTES (256 * MIB)
#define LIMIT_CACHE_BODY_BYTES (32 * MIB)

/* Profiles kept by name, which never change: Cloud Profiler itself has them for
 * 30 days. One of ten seconds packs to some 10 to 100 KiB, so that the room
 * above is full before there are so many. */
#define LIMIT_PROFILE_CACHE_AGE_S (30 * 24 * 3600)
#define LIMIT_PROFILE_CACHE_FILES 32768u
#define LIMIT_PROFILE_CACHE_FILE_BYTES (8 * MIB)

/* Configuration files, written by hand. inih reads lines of at most 199 bytes
 * and names of sections of at most 49, [context "..."] included. */
#define LIMIT_CONFIG_BYTES (64 * KIB)
#define LIMIT_CONFIG_LINE_BYTES 190u
#define LIMIT_CONTEXT_NAME_BYTES 32u
/* A company has some dozen servers; every value is compared with those before
 * it. */
#define LIMIT_CONTEXTS 200u
#define LIMIT_CONFIG_ENTRIES 2000u
/* Grafana's provisioning files: some dozen data sources, nesting six deep. The
 * form of its headers' names is httpHeaderName1 and so on. */
#define LIMIT_GRAFANA_BYTES (256 * KIB)
#define LIMIT_GRAFANA_SOURCES 200u
#define LIMIT_GRAFANA_HEADERS 8u
#define LIMIT_GRAFANA_TAGS 32u
#define LIMIT_YAML_DEPTH 32u
/* Folders between the working one and the root of its repository. */
#define LIMIT_FOLDER_DEPTH 64u

/* Files of --rules, written by hand: the program's own rules fill half of
 * this. Every function of a profile is compared with each rule; the longest
 * package names and paths stay under 200 bytes. */
#define LIMIT_RULE_FILE_BYTES (64 * KIB)

/* Files of --prices hold five values; comments on where they come from may be
 * some pages. */
#define LIMIT_PRICE_FILE_BYTES (16 * KIB)
/* Files of --requests hold a number for each run of a side; a thousand runs are
 * more than anybody compares, each line with a comment as long as a path. */
#define LIMIT_REQUESTS_FILE_BYTES (64 * KIB)
#define LIMIT_RULES 1000u
#define LIMIT_RULE_TEXT_BYTES 500u

/* Regular expressions of the user over names of strangers. A plain pattern
 * needs some steps a byte; a million on one name (10 ms) is a pattern that
 * runs away. Compiling nests as deep as brackets do. */
#define LIMIT_REGEX_STEPS 1000000u
#define LIMIT_REGEX_DEPTH 250u
/* The patterns of functions that a pprof file itself wants dropped: those of
 * the allocators are 2 KiB long and need some hundred steps a name; PCRE2
 * compiles 32 KiB at most. All names of a file together get ten seconds. */
#define LIMIT_DROP_PATTERN_BYTES (16 * KIB)
#define LIMIT_DROP_STEPS_TOTAL 1000000000u
/* Patterns of one --tag-focus or --tag-ignore: bits of a word. */
#define LIMIT_LABEL_PATTERNS 16u

/* Selectors that are held against labels here: some three matchers, built by
 * hand or from a mapping. */
#define LIMIT_SELECTOR_MATCHERS 128u
#define LIMIT_SELECTOR_BYTES (256 * KIB)

/* Mangled names. Those of deeply nested templates reach some KiB and a depth
 * of some dozen; parts that refer to earlier ones can unfold into more than a
 * machine holds. */
#define LIMIT_MANGLED_BYTES (16 * KIB)
#define LIMIT_DEMANGLED_BYTES (16 * KIB)
#define LIMIT_MANGLED_DEPTH 200u
#define LIMIT_DEMANGLE_STEPS 100000u
/* C++, without parameters: as much as GCC's runtime reads; and what that may
 * unfold into (demangle/cpp_bound.c), some 5 ms. */
#define LIMIT_CPP_BYTES 1024u
#define LIMIT_UNFOLDED_BYTES MIB
/* All names of a profile together, in steps and bytes read and written, some
 * 15 ns each: three seconds. A million names of the usual length. */
#define LIMIT_DEMANGLE_WORK 200000000u

/* Snapshots of `check`: a line of some 200 bytes for each function that takes
 * part, of which large programs have some thousand, and a tree of eight times
 * that while it is read. Runs of one side are as many as there may be
 * arguments. */
#define LIMIT_SNAPSHOT_BYTES (16 * MIB)
#define LIMIT_SNAPSHOT_FUNCTIONS 50000u
#define LIMIT_SNAPSHOT_HEAP_BYTES (64 * MIB)

/* A source file to list lines of, and its path. Generated parsers reach some
 * MiB. */
#define LIMIT_SOURCE_BYTES (16 * MIB)
#define LIMIT_PATH_BYTES 4096u

/* Three changes of a function of 3,000 lines, old and new. */
#define LIMIT_GIT_LOG_BYTES (2 * MIB)

/* An address that holds a trace id; browsers and servers stop before. */
#define LIMIT_URL_BYTES (32 * KIB)

/* The condition of an alert, in which a selector stands a dozen times. */
#define LIMIT_RULE_BYTES (16 * LIMIT_URL_BYTES)

#endif
