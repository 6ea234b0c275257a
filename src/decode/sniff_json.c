/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells JSON documents apart by their outermost keys. The pull reader stops
 * at the first key that decides, so a large trace is not read twice.
 */
#include "base/json.h"
#include "decode/sniff.h"

/* A key of the outermost object that decides alone, when its value is of
 * this kind. */
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
	SIGN("batches", JSON_ARRAY, FORMAT_OTLP_JSON, NULL),
	/* The decoder tells what the server said. */
	SIGN("error", JSON_OBJECT, FORMAT_OTLP_JSON, NULL),
	/* Cloud Trace: of a trace the first key. */
	SIGN("projectId", JSON_STRING, FORMAT_CLOUD_TRACE_JSON, NULL),
	/* AWS X-Ray: an answer, and one trace of it. */
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
		   "a Pyroscope tree in JSON (ask for application/proto)"),
	SIGN_OTHER("sampleType", JSON_ARRAY,
		   "a pprof profile in JSON (ask for application/proto)"),
	SIGN_OTHER("pprof", JSON_OBJECT,
		   "a pprof profile in JSON (ask for application/proto)"),
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
		   "a report of pyinstrument (ask for another: pyinstrument -r "
		   "speedscope -o FILE.json PROGRAM)"),
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
	SIGN_OTHER("log", JSON_OBJECT, "a HAR recording (use --replay)"),
};

#define GUESS_CONSOLE                                                            \
	GUESS_OTHER("spans as OpenTelemetry's console exporter prints them for " \
		    "people (write OTLP instead: OTEL_TRACES_EXPORTER=otlp, to " \
		    "a collector with a file exporter)")

#define GUESS_OPEN ((struct guess){ FORMAT_UNKNOWN, NULL })
#define GUESS_JAEGER ((struct guess){ FORMAT_JAEGER_JSON, NULL })

/* Skips to the first of two keys in the object that is entered. */
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

/* {"trace":{...}} of Tempo v2, or of Datadog, and {"result":{...}} of Jaeger
 * v3, entered; empty ones are an answer, too. */
static struct guess sniff_wrapped(struct json_reader *r)
{
	struct str key;

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

/* "data" of Jaeger's envelope: traces, names, or nothing. */
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

/* "series" of a push of profiles, or of numbers. */
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

/* "spans" of a bare trace: of Jaeger, or of Cloud Trace. */
static struct guess sniff_spans(struct json_reader *r)
{
	struct str key;

	if (!json_enter(r, JSON_ARRAY) || !json_next_item(r) ||
	    json_peek(r) != JSON_OBJECT || !json_enter(r, JSON_OBJECT))
		return GUESS_OTHER("JSON of another kind");
	while (json_next_key(r, &key)) {
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

/* The value of "trace_id" comes next: "1-58406520-a006649127e371903a2de979"
 * of AWS X-Ray, or another's. */
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

/* "nodes" of a CPU profile of V8, which has calls, or of something else. */
static struct guess sniff_nodes(struct json_reader *r)
{
	if (json_enter(r, JSON_ARRAY) && json_next_item(r) &&
	    json_peek(r) == JSON_OBJECT && json_enter(r, JSON_OBJECT) &&
	    find_key(r, STR("callFrame"), STR("functionName")))
		return GUESS_FORMAT(FORMAT_V8_PROFILE);
	return GUESS_OTHER("JSON of another kind");
}

/* A span of Datadog begins or goes on; others call theirs otherwise. */
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

/* Lists of spans as tracers of Datadog log them; the outer one is entered. */
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

/* "traces": a list of Cloud Trace or Datadog, or what a Tempo found. */
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

/* Marks the signs with this key; looked up before the value, since asking
 * for that loses the key. */
static bool mark_signs(struct str key, bool is_marked[SIGN_COUNT])
{
	bool has_any = false;

	for (size_t i = 0; i < SIGN_COUNT; i++) {
		is_marked[i] = str_equal(key, signs[i].key);
		has_any |= is_marked[i];
	}
	return has_any;
}

/* What this key says, its value unread. Without a verdict the value is
 * consumed. */
static struct guess sniff_key(struct json_reader *r, struct str key)
{
	bool is_data = str_equal(key, STR("data"));
	bool is_spans = str_equal(key, STR("spans"));
	bool is_traces = str_equal(key, STR("traces"));
	bool is_series = str_equal(key, STR("series"));
	bool is_nodes = str_equal(key, STR("nodes"));
	bool is_wrapper =
		str_equal(key, STR("trace")) || str_equal(key, STR("result"));
	bool is_trace_id = str_equal(key, STR("trace_id"));
	bool is_marked[SIGN_COUNT];
	bool has_signs = mark_signs(key, is_marked);
	enum json_kind kind = json_peek(r);

	for (size_t i = 0; has_signs && i < SIGN_COUNT; i++)
		if (is_marked[i] && signs[i].kind == kind)
			return signs[i].guess;
	if (is_trace_id)
		return sniff_trace_id(r);
	if (is_wrapper && kind == JSON_OBJECT && json_enter(r, JSON_OBJECT))
		return sniff_wrapped(r);
	if (is_traces && kind == JSON_ARRAY)
		return sniff_traces(r);
	if (is_series && kind == JSON_ARRAY)
		return sniff_series(r);
	if (is_nodes && kind == JSON_ARRAY)
		return sniff_nodes(r);
	if (is_spans && kind == JSON_ARRAY)
		return sniff_spans(r);
	if (is_data && kind == JSON_ARRAY)
		return sniff_data(r);
	json_skip(r);
	return GUESS_OPEN;
}

static bool is_verdict(struct guess guess)
{
	return guess.format != FORMAT_UNKNOWN || guess.looks_like;
}

/* An object that is entered. *is_header: it says of what format comes behind
 * it, as SDKs of AWS X-Ray do. */
static struct guess sniff_object(struct json_reader *r, bool *is_header)
{
	bool has_data = false, has_errors = false, is_empty = true;
	bool has_format = false, has_version = false;
	bool has_trace_id = false, has_id = false, has_context = false;
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
		is_empty = false;
		guess = sniff_key(r, key);
		if (is_verdict(guess))
			return guess;
	}
	if (json_failed(r))
		return GUESS_OPEN;
	*is_header = has_format && has_version;
	/* Jaeger's envelope with no trace in it. */
	if (has_data && has_errors)
		return GUESS_JAEGER;
	return GUESS_OTHER(is_empty ? "an empty JSON object"
				    : "JSON of another kind");
}

static struct guess sniff_objects(struct json_reader *r)
{
	struct guess guess = GUESS_OPEN;
	bool is_header = true;

	while (is_header && json_enter(r, JSON_OBJECT)) {
		guess = sniff_object(r, &is_header);
		is_header = is_header && !json_at_end(r);
	}
	return guess;
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

struct guess sniff_json(struct str text)
{
	struct error err;
	struct json_reader *r = json_new(text, &err);
	struct guess guess;

	if (!r)
		return GUESS_OTHER("JSON that there is no memory for");
	if (text.ptr[0] == '[')
		guess = sniff_array(r);
	else
		guess = sniff_objects(r);
	if (guess.format == FORMAT_UNKNOWN && json_failed(r))
		guess = GUESS_OTHER("damaged JSON");
	json_free(r);
	return guess;
}
