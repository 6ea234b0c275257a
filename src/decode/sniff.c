/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/formats.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/num.h"
#include "base/str.h"
#include "decode/decode.h"
#include "decode/folded.h"
#include "decode/wire.h"

/* Detects JSON formats by their outermost keys. Parsing stops at the first key
 * that decides, so a large trace is not read twice. */

struct guess {
	enum format format;
	const char *looks_like;
};

#define SKYWALKING                                                             \
	"spans of SkyWalking (send them to OpenTelemetry's collector, whose "  \
	"skywalking receiver takes those of its agents, with a file exporter)"
#define ELASTIC                                                                \
	"data of Elastic APM (have OpenTelemetry's collector, which sends to " \
	"Elastic, write a file as well: its file exporter)"
#define SENTRY                                                                 \
	"an event of Sentry (have OpenTelemetry's SDK beside it write OTLP, "  \
	"to a collector with a file exporter)"

/* A key of the outermost object that decides by itself if its value is of this
 * kind. */
struct sign {
	struct str key;
	enum json_kind kind;
	struct guess guess;
};

#define SIGN(literal, kind, format, text)                                      \
	{                                                                      \
		{ literal, sizeof(literal) - 1 }, kind,                        \
		{                                                              \
			format, text                                           \
		}                                                              \
	}
#define SIGN_OTHER(literal, kind, text)                                        \
	SIGN(literal, kind, FORMAT_UNKNOWN, text)

static const struct sign signs[] = {
	SIGN("resourceSpans", JSON_ARRAY, FORMAT_OTLP_JSON, NULL),
	SIGN("resource_spans", JSON_ARRAY, FORMAT_OTLP_JSON, NULL),
	/* A single resource. */
	SIGN("scopeSpans", JSON_ARRAY, FORMAT_OTLP_JSON, NULL),
	SIGN("batches", JSON_ARRAY, FORMAT_OTLP_JSON, NULL),
	/* The decoder reports the server's error. */
	SIGN("error", JSON_OBJECT, FORMAT_OTLP_JSON, NULL),
	/* Cloud Trace: first key of a trace. */
	SIGN("projectId", JSON_STRING, FORMAT_CLOUD_TRACE_JSON, NULL),
	/* AWS X-Ray: a response, and a trace in it. */
	SIGN("Traces", JSON_ARRAY, FORMAT_XRAY_JSON, NULL),
	SIGN("Segments", JSON_ARRAY, FORMAT_XRAY_JSON, NULL),
	SIGN_OTHER("TraceSummaries", JSON_ARRAY,
		   "X-Ray's summaries, not a trace (get one: aws xray "
		   "batch-get-traces --trace-ids ID)"),
	SIGN("flamegraph", JSON_OBJECT, FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, NULL),
	SIGN("flamebearer", JSON_OBJECT, FORMAT_PYROSCOPE_FLAMEGRAPH_JSON,
	     NULL),
	SIGN_OTHER("error", JSON_STRING, "an error message of a server"),
	SIGN_OTHER("tree", JSON_STRING,
		   "a Pyroscope tree in JSON (request application/proto)"),
	SIGN_OTHER("sampleType", JSON_ARRAY,
		   "a pprof profile in JSON (request application/proto)"),
	SIGN_OTHER("pprof", JSON_OBJECT,
		   "a pprof profile in JSON (request application/proto)"),
	SIGN("profiles", JSON_ARRAY, FORMAT_SPEEDSCOPE, NULL),
	SIGN("traceEvents", JSON_ARRAY, FORMAT_CHROME_TRACE, NULL),
	SIGN("threads", JSON_ARRAY, FORMAT_FIREFOX_PROFILE, NULL),
	SIGN("resourceProfiles", JSON_ARRAY, FORMAT_OTLP_PROFILES_JSON, NULL),
	SIGN("dictionary", JSON_OBJECT, FORMAT_OTLP_PROFILES_JSON, NULL),
	SIGN("timeDeltas", JSON_ARRAY, FORMAT_V8_PROFILE, NULL),
	SIGN("head", JSON_OBJECT, FORMAT_V8_PROFILE, NULL),
	SIGN_OTHER(
		"snapshot", JSON_OBJECT,
		"a V8 heap snapshot, which has objects but no stacks (record "
		"these: node --heap-prof PROGRAM)"),
	SIGN_OTHER(
		"gc_samples", JSON_NUMBER,
		"a profile of stackprof (make folded stacks of it: stackprof "
		"--stackcollapse FILE > FILE.folded)"),
	SIGN_OTHER("root_frame", JSON_OBJECT,
		   "a report of pyinstrument (use another format: pyinstrument "
		   "-r speedscope -o FILE.json PROGRAM)"),
	SIGN_OTHER("start_call_stack", JSON_ARRAY,
		   "a session of pyinstrument (make speedscope of it: "
		   "pyinstrument --load FILE -r speedscope -o FILE.json)"),
	SIGN_OTHER("alloc_samples", JSON_NUMBER,
		   "a profile of Scalene, which is of lines (scalene view FILE "
		   "shows it; record stacks: py-spy record --format raw -o "
		   "FILE.folded -- python PROGRAM)"),
	SIGN_OTHER("summaries", JSON_ARRAY,
		   "Jaeger search results, not a trace"),
	SIGN_OTHER("resourceMetrics", JSON_ARRAY, "OTLP metrics, not traces"),
	SIGN_OTHER("resourceLogs", JSON_ARRAY, "OTLP logs, not traces"),
	SIGN_OTHER("recording", JSON_OBJECT,
		   "what jfr print made of a recording (give the recording "
		   "itself, FILE.jfr)"),
	SIGN_OTHER("linux-perf-json-version", JSON_NUMBER,
		   "what perf data convert --to-json made, which lacks periods "
		   "(make text of the same file: perf script > perf.txt)"),
	SIGN_OTHER("traceSegmentId", JSON_STRING, SKYWALKING),
	SIGN_OTHER("serviceInstance", JSON_STRING, SKYWALKING),
	SIGN_OTHER("_source", JSON_OBJECT, ELASTIC),
	SIGN_OTHER("_shards", JSON_OBJECT,
		   "an answer of Elasticsearch (have OpenTelemetry's "
		   "collector, which sends to Elastic, write a file as well: "
		   "its file exporter)"),
	SIGN_OTHER("transaction", JSON_OBJECT, ELASTIC),
	SIGN_OTHER("log", JSON_OBJECT, "a HAR recording (use --replay)"),
};

#define GUESS_OTHER(text) ((struct guess){ FORMAT_UNKNOWN, text })
#define GUESS_STDOUTTRACE                                                        \
	GUESS_OTHER("spans as stdouttrace of OpenTelemetry's Go SDK prints "     \
		    "them for people (write OTLP instead: otlptracehttp, to a "  \
		    "collector with a file exporter)")
#define GUESS_CONSOLE                                                            \
	GUESS_OTHER("spans as OpenTelemetry's console exporter prints them for " \
		    "people (write OTLP instead: OTEL_TRACES_EXPORTER=otlp, to " \
		    "a collector with a file exporter)")

#define GUESS_OPEN ((struct guess){ FORMAT_UNKNOWN, NULL })
#define GUESS_JAEGER ((struct guess){ FORMAT_JAEGER_JSON, NULL })

/* How much of a page or text is examined. */
#define LOOK_BYTES ((size_t)16384)

static bool has_text(struct str text, struct str needle)
{
	return str_find(str_slice(text, 0, LOOK_BYTES), needle) != SIZE_MAX;
}

/* Skips to the first of two keys in the current object. */
static bool find_key(struct json_reader *r, struct str one, struct str other)
{
	struct str key;

	while (json_next_key(r, &key)) {
		if (str_equal(key, one) || str_equal(key, other))
			return true;
		json_skip(r);
	}
	return false;
}

#define GUESS_FORMAT(format) ((struct guess){ format, NULL })

/* In the current object: {"trace":{...}} of Tempo v2 or Datadog,
 * {"result":{...}} of Jaeger v3; empty ones are responses, too. */
static struct guess sniff_wrapped(struct json_reader *r)
{
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return GUESS_OPEN;
	if (json_peek(r) == JSON_END)
		return json_failed(r) ? GUESS_OPEN
				      : GUESS_FORMAT(FORMAT_OTLP_JSON);
	while (json_next_key(r, &key)) {
		bool is_spans = str_equal(key, STR("spans"));

		if (str_equal(key, STR("resourceSpans")) ||
		    str_equal(key, STR("batches")))
			return GUESS_FORMAT(FORMAT_OTLP_JSON);
		if (str_equal(key, STR("root_id")) ||
		    (is_spans && json_peek(r) == JSON_OBJECT))
			return GUESS_FORMAT(FORMAT_DATADOG_JSON);
		json_skip(r);
	}
	return GUESS_OTHER("JSON of another kind");
}

/* "data" of Jaeger's response: traces, names, or null. */
static struct guess sniff_data(struct json_reader *r)
{
	if (!json_enter(r, JSON_ARRAY) || !json_next_item(r))
		return GUESS_OPEN;
	if (json_peek(r) == JSON_STRING)
		return GUESS_OTHER("a list of names from Jaeger, not a trace");
	if (json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
	    find_key(r, STR("spans"), STR("processes")))
		return GUESS_JAEGER;
	return GUESS_OTHER("JSON of another kind");
}

/* "series" in a push request, or of numbers. */
static struct guess sniff_series(struct json_reader *r)
{
	if (json_enter(r, JSON_ARRAY) && json_next_item(r) &&
	    json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
	    json_next_named(r, STR("samples")) && json_peek(r) == JSON_ARRAY &&
	    json_enter(r, JSON_ARRAY) && json_next_item(r) &&
	    json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
	    find_key(r, STR("rawProfile"), STR("raw_profile")))
		return GUESS_FORMAT(FORMAT_PUSHED);
	return GUESS_OTHER("TraceQL metrics, not a trace");
}

/* "metadata" at the beginning of data from Elastic agents. */
static struct guess sniff_metadata(struct json_reader *r)
{
	struct str key;

	if (json_enter_if(r, JSON_OBJECT))
		while (json_next_key(r, &key)) {
			if (str_equal(key, STR("service")) &&
			    json_peek(r) == JSON_OBJECT)
				return GUESS_OTHER(ELASTIC);
			json_skip(r);
		}
	return GUESS_OPEN;
}

/* "spans" of a bare trace: of Jaeger, or of Cloud Trace. */
static struct guess sniff_spans(struct json_reader *r)
{
	struct str key;

	if (!json_enter(r, JSON_ARRAY) || !json_next_item(r) ||
	    json_peek(r) != JSON_OBJECT || !json_enter(r, JSON_OBJECT))
		return GUESS_OTHER("JSON of another kind");
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("segmentId")))
			return GUESS_OTHER(SKYWALKING);
		if (str_equal(key, STR("start_timestamp")))
			return GUESS_OTHER(SENTRY);
		if (str_equal(key, STR("spanID")) ||
		    str_equal(key, STR("operationName")))
			return GUESS_JAEGER;
		if (str_equal(key, STR("spanId")) ||
		    str_equal(key, STR("startTime")))
			return GUESS_FORMAT(FORMAT_CLOUD_TRACE_JSON);
		json_skip(r);
	}
	return GUESS_OTHER("JSON of another kind");
}

/* At the value of "trace_id": "1-58406520-a006649127e371903a2de979" of AWS
 * X-Ray, or another one. */
static struct guess sniff_trace_id(struct json_reader *r)
{
	struct str text;

	if (json_peek(r) != JSON_STRING || !json_text(r, &text)) {
		json_skip(r);
		return GUESS_OPEN;
	}
	return text.len == 35 && str_starts(text, STR("1-"))
		       ? GUESS_FORMAT(FORMAT_XRAY_JSON)
		       : GUESS_OPEN;
}

/* "nodes" of a V8 CPU profile, or of something else. */
static struct guess sniff_nodes(struct json_reader *r)
{
	if (json_enter(r, JSON_ARRAY) && json_next_item(r) &&
	    json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
	    find_key(r, STR("callFrame"), STR("functionName")))
		return GUESS_FORMAT(FORMAT_V8_PROFILE);
	return GUESS_OTHER("JSON of another kind");
}

/* "$schema" of speedscope, which may come before many frames, or of something
 * else. */
static struct guess sniff_schema(struct json_reader *r)
{
	struct str text;

	return json_text(r, &text) &&
			       str_find(text, STR("speedscope")) != SIZE_MAX
		       ? GUESS_FORMAT(FORMAT_SPEEDSCOPE)
		       : GUESS_OPEN;
}

/* Returns whether it is a key of a Datadog span; other formats use other
 * names. */
static bool is_datadog_key(struct str key, unsigned *seen)
{
	static const struct str keys[] = { { "trace_id", 8 },
					   { "span_id", 7 },
					   { "start", 5 },
					   { "resource", 8 } };

	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
		if (str_equal(key, keys[i]))
			*seen |= 1u << i;
	return *seen == (1u << sizeof keys / sizeof *keys) - 1;
}

/* Lists of spans as logged by Datadog tracers; the outer one is entered. */
static struct guess sniff_logged_traces(struct json_reader *r)
{
	unsigned seen = 0;
	struct str key;

	if (json_enter(r, JSON_ARRAY) && json_next_item(r) &&
	    json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT))
		while (json_next_key(r, &key)) {
			if (is_datadog_key(key, &seen))
				return GUESS_FORMAT(FORMAT_DATADOG_JSON);
			json_skip(r);
		}
	return GUESS_OTHER("JSON of another kind");
}

/* "traces": a list of Cloud Trace or Datadog, or Tempo search results. */
static struct guess sniff_traces(struct json_reader *r)
{
	if (!json_enter(r, JSON_ARRAY) || !json_next_item(r))
		return GUESS_OTHER("Tempo search results, not a trace");
	if (json_peek(r) == JSON_ARRAY)
		return sniff_logged_traces(r);
	if (json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
	    find_key(r, STR("projectId"), STR("spans")))
		return GUESS_FORMAT(FORMAT_CLOUD_TRACE_JSON);
	return GUESS_OTHER("Tempo search results, not a trace");
}

#define SIGN_COUNT (sizeof signs / sizeof *signs)

/* Formats by a key and the kind of its value, unread. */
static const struct {
	struct str key;
	enum json_kind kind;
	struct guess (*sniff)(struct json_reader *r);
} values[] = {
	{ { "trace", 5 }, JSON_OBJECT, sniff_wrapped },
	{ { "result", 6 }, JSON_OBJECT, sniff_wrapped },
	{ { "traces", 6 }, JSON_ARRAY, sniff_traces },
	{ { "series", 6 }, JSON_ARRAY, sniff_series },
	{ { "nodes", 5 }, JSON_ARRAY, sniff_nodes },
	{ { "$schema", 7 }, JSON_STRING, sniff_schema },
	{ { "spans", 5 }, JSON_ARRAY, sniff_spans },
	{ { "data", 4 }, JSON_ARRAY, sniff_data },
	{ { "trace_id", 8 }, JSON_STRING, sniff_trace_id },
};

/* Returns the format this key implies, leaving its value unread. Otherwise
 * consumes the value. */
static struct guess sniff_key(struct json_reader *r, struct str key)
{
	bool is_marked[SIGN_COUNT], has_signs = false, is_data;
	size_t value = 0;
	enum json_kind kind;

	/* Compares all keys before looking at the value, which invalidates the
	 * key. */
	for (size_t i = 0; i < SIGN_COUNT; i++) {
		is_marked[i] = str_equal(key, signs[i].key);
		has_signs |= is_marked[i];
	}
	is_data = str_equal(key, STR("data"));
	while (value < COUNT_OF(values) && !str_equal(key, values[value].key))
		value++;
	kind = json_peek(r);
	for (size_t i = 0; has_signs && i < SIGN_COUNT; i++)
		if (is_marked[i] && signs[i].kind == kind)
			return signs[i].guess;
	if (value < COUNT_OF(values) && values[value].kind == kind)
		return values[value].sniff(r);
	if (is_data && kind == JSON_OBJECT) {
		/* "data" of GraphQL, as in SkyWalking:
		 * {"data":{"trace":{"spans":[...]}}} */
		if (json_enter(r, JSON_OBJECT) &&
		    json_next_named(r, STR("trace")) &&
		    json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
		    json_next_named(r, STR("spans")))
			return GUESS_OTHER(SKYWALKING);
		return GUESS_OTHER("JSON of another kind");
	}
	json_skip(r);
	return GUESS_OPEN;
}

static bool is_verdict(struct guess guess)
{
	return guess.format != FORMAT_UNKNOWN || guess.looks_like;
}

/* Examines an entered object. *is_header: it declares the format of what
 * follows, as in AWS X-Ray SDKs. */
static struct guess sniff_object(struct json_reader *r, bool *is_header)
{
	static const char *const of_sentry[] = { "sent_at", "dsn", "sdk",
						 "platform", "contexts" };
	bool has_data = false, has_errors = false, is_empty = true;
	bool has_format = false, has_version = false;
	bool has_trace_id = false, has_id = false, has_context = false;
	bool has_name = false, has_event_id = false, has_sentry = false;
	struct str key;

	*is_header = false;
	while (json_next_key(r, &key)) {
		struct guess guess;

		has_data |= str_equal(key, STR("data"));
		has_errors |= str_equal(key, STR("errors"));
		has_format |= str_equal(key, STR("format"));
		has_version |= str_equal(key, STR("version"));
		has_trace_id |= str_equal(key, STR("traceId"));
		has_id |= str_equal(key, STR("id"));
		has_context |= str_equal(key, STR("context"));
		if (has_trace_id && has_id)
			return GUESS_FORMAT(FORMAT_ZIPKIN_JSON);
		if (has_context && str_equal(key, STR("parent_id")))
			return GUESS_CONSOLE;
		if (has_name && str_equal(key, STR("SpanContext")))
			return GUESS_STDOUTTRACE;
		has_name |= str_equal(key, STR("Name"));
		has_event_id |= str_equal(key, STR("event_id"));
		has_sentry |=
			str_is_one_of(key, of_sentry, COUNT_OF(of_sentry));
		if (has_event_id && has_sentry)
			return GUESS_OTHER(SENTRY);
		guess = is_empty && str_equal(key, STR("metadata"))
				? sniff_metadata(r)
				: sniff_key(r, key);
		is_empty = false;
		if (is_verdict(guess))
			return guess;
	}
	if (json_failed(r))
		return GUESS_OPEN;
	*is_header = has_format && has_version;
	/* A response of Jaeger without traces. */
	if (has_data && has_errors)
		return GUESS_JAEGER;
	return GUESS_OTHER(is_empty ? "an empty JSON object"
				    : "JSON of another kind");
}

static struct guess sniff_item(struct json_reader *r)
{
	bool has_trace_id = false, has_id = false, has_context = false;
	unsigned of_datadog = 0;
	struct str key;

	while (json_next_key(r, &key)) {
		has_trace_id |= str_equal(key, STR("traceId"));
		has_id |= str_equal(key, STR("id"));
		has_context |= str_equal(key, STR("context"));
		if (has_trace_id && has_id)
			return GUESS_FORMAT(FORMAT_ZIPKIN_JSON);
		if (has_context && str_equal(key, STR("parent_id")))
			return GUESS_CONSOLE;
		if (is_datadog_key(key, &of_datadog))
			return GUESS_FORMAT(FORMAT_DATADOG_JSON);
		if (str_equal(key, STR("projectId")))
			return GUESS_FORMAT(FORMAT_CLOUD_TRACE_JSON);
		if (str_equal(key, STR("Segments")) ||
		    str_equal(key, STR("Document")))
			return GUESS_FORMAT(FORMAT_XRAY_JSON);
		if (str_equal(key, STR("trace_id"))) {
			struct guess guess = sniff_trace_id(r);

			if (is_verdict(guess))
				return guess;
			continue;
		}
		if (str_equal(key, STR("ph")))
			return GUESS_FORMAT(FORMAT_CHROME_TRACE);
		if (str_equal(key, STR("traceSegmentId")) ||
		    str_equal(key, STR("serviceInstance")))
			return GUESS_OTHER(SKYWALKING);
		if (str_equal(key, STR("start_timestamp")))
			return GUESS_OTHER(SENTRY);
		if (str_equal(key, STR("_source")))
			return GUESS_OTHER(ELASTIC);
		if (str_equal(key, STR("resourceSpans")))
			return GUESS_OTHER("a list of OTLP documents (write "
					   "them one a line)");
		json_skip(r);
	}
	return GUESS_OTHER("a JSON list of another kind");
}

static struct guess sniff_array(struct json_reader *r)
{
	do {
		if (!json_enter(r, JSON_ARRAY))
			return GUESS_OPEN;
		if (!json_next_item(r))
			return GUESS_OTHER("an empty JSON list");
	} while (json_peek(r) == JSON_ARRAY);
	if (json_peek(r) != JSON_OBJECT)
		return GUESS_OTHER("a JSON list of another kind");
	if (!json_enter(r, JSON_OBJECT))
		return GUESS_OPEN;
	return sniff_item(r);
}

/* text begins with '{' or '['. */
static struct guess sniff_json(struct str text)
{
	struct error err;
	struct json_reader *r = json_new(text, &err);
	struct guess guess = GUESS_OPEN;
	bool is_header = true;

	if (!r)
		return GUESS_OTHER("JSON that there is no memory for");
	if (text.ptr[0] == '[') {
		guess = sniff_array(r);
	} else {
		while (is_header && json_enter(r, JSON_OBJECT)) {
			guess = sniff_object(r, &is_header);
			is_header = is_header && !json_at_end(r);
		}
	}
	/* Node prints objects in JavaScript syntax. */
	if (guess.format == FORMAT_UNKNOWN && json_failed(r))
		guess = has_text(text, STR("\n  traceId: '"))
				? GUESS_CONSOLE
				: GUESS_OTHER("damaged JSON");
	json_free(r);
	return guess;
}

/* Protobuf has no signature: input is what it parses as, field by field, down
 * to the levels that distinguish the formats. */

struct tags {
	const uint32_t *items;
	size_t count;
};

#define TAGS(tags) ((struct tags){ tags, sizeof(tags) / sizeof *(tags) })

static bool has_field(struct tags tags, uint32_t tag)
{
	size_t i = 0;

	while (i < tags.count && tags.items[i] != tag)
		i++;
	return i < tags.count;
}

/* Returns whether every field of a message has an expected number and type. */
static bool has_only(struct str message, struct tags tags)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (!has_field(tags, f.tag))
			return false;
	return !w.failure;
}

#define HAS_ONLY(message, tags) has_only(message, TAGS(tags))

/* Finds the first field with this tag. */
static bool find_field(struct str message, uint32_t tag, struct str *bytes)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f))
		if (f.tag == tag) {
			*bytes = f.bytes;
			return true;
		}
	return false;
}

/* ---- traces ---- */

static bool is_resource_spans(struct str message, bool *has_span)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES),
		WIRE_TAG(1000, WIRE_BYTES),
	};
	struct str scope = STR(""), span;
	struct str id;

	if (!HAS_ONLY(message, tags))
		return false;
	if (!find_field(message, WIRE_TAG(2, WIRE_BYTES), &scope))
		find_field(message, WIRE_TAG(1000, WIRE_BYTES), &scope);
	if (!find_field(scope, WIRE_TAG(2, WIRE_BYTES), &span))
		return true;
	/* Trace ids of 16 bytes, of 64 bits, and hex decoded as base64. */
	*has_span = find_field(span, WIRE_TAG(1, WIRE_BYTES), &id) &&
		    (id.len == 16 || id.len == 8 || id.len == 24);
	return *has_span;
}

/* TracesData: only resource spans, with at least one span. The first one found
 * decides, so that a large file is not read twice. */
static bool is_traces_data(struct str message)
{
	bool has_span = false;
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (!has_span && wire_next(&w, &f))
		if (f.tag != WIRE_TAG(1, WIRE_BYTES) ||
		    !is_resource_spans(f.bytes, &has_span))
			return false;
	return has_span && !w.failure;
}

/* Tempo v2: the trace in field 1, metrics, status, message. For a missing trace
 * fields 1 and 2 are empty. */
static bool is_tempo_response(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_VARINT),
		WIRE_TAG(4, WIRE_BYTES),
	};
	struct str trace;

	if (!HAS_ONLY(message, tags) ||
	    !find_field(message, WIRE_TAG(1, WIRE_BYTES), &trace))
		return false;
	return trace.len == 0 || is_traces_data(trace);
}

/* ---- profiles ---- */

static bool is_value_type(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_VARINT),
		WIRE_TAG(2, WIRE_VARINT),
		WIRE_TAG(3, WIRE_VARINT), /* in OTLP before 1.9 */
	};

	return HAS_ONLY(message, tags);
}

/* perftools.profiles.Profile. Its string table begins with "", which may be far
 * away in a large one: after this many fields that only occur in profiles,
 * including a sample type, it is not required. The beginning of a feed has as
 * many with stacks of 300 frames. */
#define SURE_FIELDS 128u

static bool is_pprof(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),   WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES),   WIRE_TAG(4, WIRE_BYTES),
		WIRE_TAG(5, WIRE_BYTES),   WIRE_TAG(6, WIRE_BYTES),
		WIRE_TAG(7, WIRE_VARINT),  WIRE_TAG(8, WIRE_VARINT),
		WIRE_TAG(9, WIRE_VARINT),  WIRE_TAG(10, WIRE_VARINT),
		WIRE_TAG(11, WIRE_BYTES),  WIRE_TAG(12, WIRE_VARINT),
		WIRE_TAG(13, WIRE_VARINT), WIRE_TAG(13, WIRE_BYTES),
		WIRE_TAG(14, WIRE_VARINT), WIRE_TAG(15, WIRE_VARINT),
	};
	struct str type = { NULL, 0 }, text = { NULL, 0 };
	unsigned fields = 0;
	struct wire_field f;
	struct wire w;

	wire_init(&w, message);
	while (wire_next(&w, &f)) {
		if (!has_field(TAGS(tags), f.tag))
			return false;
		if (++fields == SURE_FIELDS && type.len && is_value_type(type))
			return true;
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) && !type.ptr)
			type = f.bytes;
		else if (f.tag == WIRE_TAG(6, WIRE_BYTES) && !text.ptr)
			text = f.bytes;
	}
	return !w.failure && type.ptr && is_value_type(type) && text.ptr &&
	       !text.len;
}

/* Labels, samples, annotations; the first sample is a profile. */
static bool is_pushed_series(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES),
	};
	struct str sample, profile;

	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(2, WIRE_BYTES), &sample) &&
	       find_field(sample, WIRE_TAG(1, WIRE_BYTES), &profile) &&
	       (packing_of(profile) != PACKING_NONE || is_pprof(profile));
}

/* Series are field 1 of Pyroscope's PushRequest, and field 2 of Parca's
 * WriteRawRequest. */
static bool is_pushed(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_VARINT),
	};
	struct str series;

	return (find_field(message, WIRE_TAG(2, WIRE_BYTES), &series) ||
		find_field(message, WIRE_TAG(1, WIRE_BYTES), &series)) &&
	       is_pushed_series(series) && HAS_ONLY(message, tags);
}

/* A string table that begins with "", and six other tables. */
static bool is_profiles_dictionary(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES), WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_BYTES), WIRE_TAG(4, WIRE_BYTES),
		WIRE_TAG(5, WIRE_BYTES), WIRE_TAG(6, WIRE_BYTES),
		WIRE_TAG(7, WIRE_BYTES),
	};
	struct str text;

	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(5, WIRE_BYTES), &text) && !text.len;
}

/* Returns whether it is a profiles message; the first field of a large trace
 * rules that out. */
static bool is_otlp_profiles(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
	};
	struct str first, scope, profile, type, dictionary;

	/* What comes first in it is a span, no profile. */
	if (find_field(message, WIRE_TAG(1, WIRE_BYTES), &first) &&
	    find_field(first, WIRE_TAG(2, WIRE_BYTES), &scope) &&
	    find_field(scope, WIRE_TAG(2, WIRE_BYTES), &profile) &&
	    find_field(profile, WIRE_TAG(1, WIRE_BYTES), &type) &&
	    !is_value_type(type))
		return false;
	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(2, WIRE_BYTES), &dictionary) &&
	       is_profiles_dictionary(dictionary);
}

/* The first node of a tree: no name, no value, some children. */
static bool is_tree(struct str bytes)
{
	uint64_t name_bytes, self, children;
	struct wire w;

	wire_init(&w, bytes);
	return wire_next_varint(&w, &name_bytes) && name_bytes == 0 &&
	       wire_next_varint(&w, &self) && self == 0 &&
	       wire_next_varint(&w, &children) && children > 0;
}

/* FlameGraph: names, levels, total, max_self; the first name is "total". */
static bool is_flame_graph(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(3, WIRE_VARINT),
		WIRE_TAG(4, WIRE_VARINT),
	};
	struct str name;

	return HAS_ONLY(message, tags) &&
	       find_field(message, WIRE_TAG(1, WIRE_BYTES), &name) &&
	       str_equal(name, STR("total"));
}

/* SelectMerge...Response with a tree, a profile or flame graph rows. */
static struct guess sniff_pyroscope(struct str message)
{
	static const uint32_t tags[] = {
		WIRE_TAG(1, WIRE_BYTES),
		WIRE_TAG(2, WIRE_BYTES),
		WIRE_TAG(5, WIRE_BYTES),
	};
	struct str part, profile;

	if (!HAS_ONLY(message, tags))
		return GUESS_OTHER(NULL);
	if (find_field(message, WIRE_TAG(2, WIRE_BYTES), &part) &&
	    is_tree(part))
		return GUESS_FORMAT(FORMAT_PYROSCOPE_TREE_PB);
	if (find_field(message, WIRE_TAG(1, WIRE_BYTES), &part) &&
	    is_flame_graph(part))
		return GUESS_FORMAT(FORMAT_PYROSCOPE_TREE_PB);
	if (find_field(message, WIRE_TAG(5, WIRE_BYTES), &part) &&
	    find_field(part, WIRE_TAG(1, WIRE_BYTES), &profile) &&
	    (profile.len == 0 || is_pprof(profile)))
		return GUESS_FORMAT(FORMAT_PYROSCOPE_TREE_PB);
	return GUESS_OTHER(NULL);
}

/* The first message of a Collector file ("format: proto"), after its length. */
static bool find_exported(struct str bytes, struct str *message)
{
	uint32_t len = 0;

	if (bytes.len <= WIRE_LENGTH_BYTES ||
	    bytes.ptr[WIRE_LENGTH_BYTES] != WIRE_TAG(1, WIRE_BYTES))
		return false;
	for (size_t i = 0; i < WIRE_LENGTH_BYTES; i++)
		len = len << 8 | (unsigned char)bytes.ptr[i];
	*message = str_slice(bytes, WIRE_LENGTH_BYTES, len);
	return len <= LIMIT_BODY_WIRE_BYTES;
}

static struct guess sniff_protobuf(struct str bytes)
{
	struct str message;

	if (find_exported(bytes, &message) && is_traces_data(message))
		return GUESS_FORMAT(FORMAT_OTLP_PB);
	if (is_pprof(bytes))
		return GUESS_FORMAT(FORMAT_PPROF);
	if (is_pushed(bytes))
		return GUESS_FORMAT(FORMAT_PUSHED);
	if (is_otlp_profiles(bytes))
		return GUESS_FORMAT(FORMAT_OTLP_PROFILES_PB);
	if (is_tempo_response(bytes))
		return GUESS_FORMAT(FORMAT_TEMPO_PB);
	if (is_traces_data(bytes))
		return GUESS_FORMAT(FORMAT_OTLP_PB);
	return sniff_pyroscope(bytes);
}

/* How much is examined. */
#define LOOK_LINES 20
#define LOOK_MEMRAY_BYTES 32
#define LOOK_FORM_BYTES 80

struct magic {
	struct str start;
	const char *looks_like;
};

#define MAGIC(literal, text)                                                   \
	{                                                                      \
		{ literal, sizeof(literal) - 1 }, text                         \
	}

#define MEMRAY                                                                 \
	"allocations of memray (make speedscope of them: memray transform "    \
	"speedscope -o FILE.json FILE)"

#define BPFTRACE                                                               \
	"the output of bpftrace (make folded stacks of it: "                   \
	"stackcollapse-bpftrace.pl FILE > FILE.folded, of FlameGraph)"

#define RPROF                                                                  \
	"a profile of R's Rprof with lines or memory (record without: "        \
	"Rprof(\"FILE\"), whose stacks can be folded)"

static const struct magic magics[] = {
	MAGIC("\x1f\x8b", "gzip inside compressed data"),
	MAGIC("\x28\xb5\x2f\xfd", "zstd inside compressed data"),
	MAGIC("\x04\x22\x4d\x18", "LZ4-compressed data (unpack it first)"),
	MAGIC("\xfd\x37zXZ", "xz-compressed data (unpack it first)"),
	MAGIC("BZh", "bzip2-compressed data (unpack it first)"),
	MAGIC("PK\x03\x04", "a zip archive"),
	MAGIC("\x89PNG", "a PNG picture"),
	MAGIC("GIF8", "a GIF picture"),
	MAGIC("\xff\xd8\xff", "a JPEG picture"),
	MAGIC("%PDF-", "a PDF document"),
	MAGIC("\x7f"
	      "ELF",
	      "an ELF program or core dump"),
	MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0",
	      "a CPU profile of gperftools (make pprof of it: go tool pprof "
	      "-proto -output=FILE.pb.gz PROGRAM FILE)"),
	MAGIC("heap profile: ",
	      "a heap profile of gperftools (make pprof of it: go tool pprof "
	      "-proto -output=FILE.pb.gz PROGRAM FILE)"),
	MAGIC("heap_v2/",
	      "a heap profile of jemalloc (make folded stacks of it: jeprof "
	      "--collapsed PROGRAM FILE > FILE.folded; its weights are "
	      "--type inuse_space/bytes)"),
	MAGIC("JAVA PROFILE", "a Java heap dump, which has objects but no "
			      "stacks (record these: jcmd PID JFR.start)"),
	MAGIC("Nettrace", "a .nettrace of .NET (make speedscope of it: "
			  "dotnet-trace convert --format Speedscope FILE)"),
	MAGIC("\x04\x08{", "a dump of stackprof (make folded stacks of it: "
			   "stackprof --stackcollapse FILE > FILE.folded)"),
	MAGIC("\xfb)\x03",
	      "a profile of Python's cProfile, which has no stacks "
	      "(record some: py-spy record --format raw -o "
	      "FILE.folded -- python PROGRAM)"),
	MAGIC("MOJ", "a MOJO file of austin (make folded stacks of it: "
		     "mojo2austin FILE FILE.austin)"),
	MAGIC("memray\0", MEMRAY),
	MAGIC("v8-version,",
	      "the log of node --prof (record with node --cpu-prof)"),
	MAGIC("rbspy0",
	      "raw data of rbspy (make speedscope of it: rbspy report "
	      "-f speedscope -i FILE -o FILE.json)"),
	MAGIC("desc: I1 cache:", "a profile of Valgrind's cachegrind "
				 "(cg_annotate FILE shows it; callgrind "
				 "counts calls as well)"),
	MAGIC("desc: ", "a heap profile of Valgrind's massif (ms_print FILE "
			"shows it)"),
	MAGIC("goroutine profile: total ",
	      "goroutines as text of Go (request it without debug=1: "
	      "/debug/pprof/goroutine)"),
	MAGIC("--- contention:\n",
	      "waits or locks as text of Go (request it without debug=1: "
	      "/debug/pprof/block, /debug/pprof/mutex)"),
	MAGIC("--- mutex:\n", "locks as text of Go (request it without "
			      "debug=1: /debug/pprof/mutex)"),
	MAGIC("threadcreate profile: total ",
	      "threads as text of Go (request it without debug=1: "
	      "/debug/pprof/threadcreate)"),
	MAGIC("goroutine ", "stacks of goroutines as text of Go (request it "
			    "without debug=2: /debug/pprof/goroutine)"),
	MAGIC("NYTProf ", "a profile of NYTProf (make folded stacks of it: "
			  "nytprofcalls FILE > FILE.folded)"),
	MAGIC("sample.interval=",
	      "a profile of R's Rprof (make folded stacks of it: awk "
	      "'NR>1{gsub(/\"/,\"\");s=$NF;for(i=NF-1;i>0;i--)s=s\";\"$i;"
	      "n[s]++}END{for(s in n)print s,n[s]}' FILE > FILE.folded)"),
	MAGIC("line profiling: ", RPROF),
	MAGIC("memory profiling: ", RPROF),
	MAGIC("Attaching ", BPFTRACE),
	MAGIC("@[", BPFTRACE),
	MAGIC("Sampling at ", "the output of bcc's profile (let it write "
			      "folded stacks: profile -f > FILE.folded)"),
	MAGIC("PERFILE2", "a perf.data file (make text of it: "
			  "perf script > perf.txt)"),
	MAGIC("go 1.", "a Go execution trace (make pprof of its waits: go tool "
		       "trace -pprof=sync FILE > sync.pb.gz)"),
	MAGIC("SQLite format 3", "an SQLite database"),
	MAGIC("\xff\xfe", "UTF-16 text (save it as UTF-8)"),
	MAGIC("\xfe\xff", "UTF-16 text (save it as UTF-8)"),
};

static const char *find_magic(struct str bytes)
{
	struct str line = bytes;

	/* An LZ4 frame whose first block begins with literal bytes. */
	if (str_starts(bytes, STR("\x04\x22\x4d\x18")) &&
	    str_find(str_slice(bytes, 0, LOOK_MEMRAY_BYTES), STR("memray\0")) !=
		    SIZE_MAX)
		return MEMRAY;
	/* Go's heap profiles begin like those of gperftools. */
	if (str_starts(bytes, STR("heap profile: ")) &&
	    str_find(str_take_line(&line), STR("] @ heap/")) != SIZE_MAX)
		return "a heap profile as text of Go (request it without "
		       "debug=1: /debug/pprof/heap)";
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (str_starts(bytes, magics[i].start))
			return magics[i].looks_like;
	return NULL;
}

/* Searches for a tag in upper or lower case. */
static bool has_tag(struct str text, struct str tag)
{
	text = str_slice(text, 0, LOOK_BYTES);
	for (size_t at = 0; at + tag.len <= text.len; at++)
		if (text.ptr[at] == '<' &&
		    str_equal_nocase(str_slice(text, at, tag.len), tag))
			return true;
	return false;
}

static const char *describe_markup(struct str text)
{
	if (has_tag(text, STR("<svg")))
		return "an SVG picture";
	if (has_tag(text, STR("<?xml")) && !has_tag(text, STR("<html")))
		return "an XML document";
	if (has_text(text, STR("Grafana")) || has_text(text, STR("grafana")))
		return "an HTML page (Grafana login?)";
	if (has_text(text, STR("memray")))
		return "a page of memray (make speedscope of the file that it "
		       "is of: memray transform speedscope -o FILE.json FILE)";
	if (has_text(text, STR("Jaeger")))
		return "an HTML page (Jaeger's; was the path wrong?)";
	return "an HTML page (login or proxy?)";
}

enum folded_verdict { FOLDED_NO, FOLDED_MAYBE, FOLDED_SURELY };

/* Returns whether it is "12", "-12" or "12.5". */
static bool is_weight(struct str word, bool *is_whole)
{
	size_t point = str_until(word, 0, '.');
	bool is_negative = word.len && word.ptr[0] == '-';
	uint64_t count;

	*is_whole = point >= word.len;
	return parse_u64(str_slice(word, is_negative, point - is_negative),
			 &count) &&
	       (point + 1 >= word.len ||
		str_is_digits(str_slice(word, point + 1, word.len)));
}

/* Judges a line as "frame;frame 12": text, a space, a number. Sentences may end
 * in a number, too, but contain spaces and no semicolon; a version may follow a
 * name. */
static enum folded_verdict judge_folded(struct str line)
{
	size_t blank = line.len;
	struct str stack;
	bool is_whole;

	while (blank > 0 && line.ptr[blank - 1] != ' ')
		blank--;
	if (blank < 2 ||
	    !is_weight(str_slice(line, blank, line.len), &is_whole))
		return FOLDED_NO;
	stack = str_trim(str_slice(line, 0, blank));
	if (folded_is_comment(stack))
		return FOLDED_NO;
	if (str_find(stack, STR(";")) != SIZE_MAX ||
	    (is_whole && str_find(stack, STR(" ")) == SIZE_MAX))
		return FOLDED_SURELY;
	return FOLDED_MAYBE;
}

/* Only the first lines are examined; the decoder checks the others, and reports
 * the line of an error. */
static bool is_folded(struct str text)
{
	bool is_sure = false;
	unsigned lines = 0;

	while (text.len && lines < LOOK_LINES) {
		struct str line = str_trim(str_take_line(&text));
		enum folded_verdict verdict;

		if (line.len == 0)
			continue;
		verdict = judge_folded(line);
		if (verdict == FOLDED_NO && line.ptr[0] == '#')
			continue;
		if (verdict == FOLDED_NO)
			break;
		is_sure |= verdict == FOLDED_SURELY;
		lines++;
	}
	return is_sure;
}

static bool is_text(struct str bytes)
{
	bytes = str_slice(bytes, 0, LOOK_BYTES);
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = (unsigned char)bytes.ptr[i];

		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' &&
		    c != '\f')
			return false;
	}
	return true;
}

static struct guess sniff_text(struct str text)
{
	if (callgrind_is(text))
		return GUESS_FORMAT(FORMAT_CALLGRIND);
	/* Without times a sample begins with "work  1234". */
	if (perf_script_is(text))
		return GUESS_FORMAT(FORMAT_PERF_SCRIPT);
	/* A folded line may begin with "<module>". */
	if (is_folded(text))
		return GUESS_FORMAT(FORMAT_FOLDED);
	if (text.ptr[0] == '<')
		return GUESS_OTHER(describe_markup(text));
	if (has_text(text, STR("Full thread dump ")))
		return GUESS_OTHER(
			"threads of Java at one moment (record their stacks: "
			"jcmd PID JFR.start duration=60s filename=FILE.jfr)");
	if (str_starts(text, STR("jdk.")) && has_text(text, STR(" {\n")))
		return GUESS_OTHER("what jfr print made of a recording (give "
				   "the recording itself, FILE.jfr)");
	/* With call graphs perf has the column "Children", which comes
	 * first. */
	if (has_text(text, STR("# Overhead ")) ||
	    has_text(text, STR("# Children ")))
		return GUESS_OTHER("a report of perf (make text of its "
				   "samples: perf script > perf.txt)");
	return GUESS_OTHER("text");
}

static struct guess bytes_sniff(struct str bytes)
{
	struct str text = bytes, rest = bytes, line = str_take_line(&rest);
	struct guess guess;

	if (bytes.len == 0)
		return GUESS_OTHER("an empty file");
	if (str_starts(bytes, STR("FLR\0")))
		return GUESS_FORMAT(FORMAT_JFR);
	if (find_magic(bytes))
		return GUESS_OTHER(find_magic(bytes));
	/* The body of a form begins with a boundary line. */
	if (str_starts(line, STR("--")) && line.len <= LOOK_FORM_BYTES &&
	    str_starts(rest, STR("Content-")) &&
	    has_text(rest, STR("form-data; name=\"")))
		return GUESS_FORMAT(FORMAT_PUSHED);
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_slice(text, 3, text.len);
	text = str_trim(text);
	if (text.len && (text.ptr[0] == '{' || text.ptr[0] == '[')) {
		guess = sniff_json(text);
		/* A folded line may begin with "[unknown]". */
		if (guess.format == FORMAT_UNKNOWN && is_folded(text))
			return GUESS_FORMAT(FORMAT_FOLDED);
		return guess;
	}
	guess = sniff_protobuf(bytes);
	if (guess.format != FORMAT_UNKNOWN || guess.looks_like)
		return guess;
	if (text.len == 0)
		return GUESS_OTHER("nothing but blanks");
	if (is_text(text))
		return sniff_text(text);
	return GUESS_OTHER("binary data of no known kind");
}

enum format format_sniff(struct str bytes, char *looks_like, size_t size)
{
	struct guess guess = bytes_sniff(bytes);

	if (size)
		snprintf(looks_like, size, "%s",
			 guess.looks_like ? guess.looks_like : "");
	return guess.format;
}

/* Maximum length of a line of text: the deepest folded stack. */
#define LINE_BYTES (16 * MIB)

bool format_is_none(struct str front, char *looks_like, size_t size)
{
	struct wire_field f;
	struct wire w;
	struct str text = front;

	if (packing_of(front) != PACKING_NONE ||
	    format_sniff(front, looks_like, size) != FORMAT_UNKNOWN)
		return false;
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_slice(text, 3, text.len);
	text = str_trim(text);
	if (text.len && (text.ptr[0] == '{' || text.ptr[0] == '['))
		return false;
	if (find_magic(front))
		return true;
	/* A stack may be longer than the input so far. */
	if (is_text(text))
		return str_find(front, STR("\n")) != SIZE_MAX ||
		       front.len >= LINE_BYTES;
	/* Truncated protobuf may still be protobuf, invalid fields never. */
	(void)find_exported(front, &front);
	wire_init(&w, front);
	while (wire_next(&w, &f))
		;
	return w.failure && !w.is_short;
}
