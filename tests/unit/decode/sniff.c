/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "trace_oracle.h"

#define MEMRAY                                                                 \
	"allocations of memray (make speedscope of them: memray transform "    \
	"speedscope -o FILE.json FILE)"

#define CONSOLE                                                                \
	"spans as OpenTelemetry's console exporter prints them for people "    \
	"(write OTLP instead: OTEL_TRACES_EXPORTER=otlp, to a collector with " \
	"a file exporter)"

static void expect(struct str bytes, enum format format, const char *looks_like)
{
	char text[256];

	assert_string_equal(format_name(format_sniff(bytes, text, sizeof text)),
			    format_name(format));
	assert_string_equal(text, looks_like);
}

static void expect_file(const char *path, enum format format,
			const char *looks_like)
{
	struct str bytes = oracle_load(path);

	expect(bytes, format, looks_like);
	free((char *)(uintptr_t)bytes.ptr);
}

static void is_otlp_json(const char *path)
{
	if (!strstr(path, "zipkin"))
		expect_file(path, FORMAT_OTLP_JSON, "");
}

static void is_jaeger_json(const char *path)
{
	expect_file(path, FORMAT_JAEGER_JSON, "");
}

static void is_otlp_pb(const char *path)
{
	expect_file(path, FORMAT_OTLP_PB, "");
}

static void is_tempo_pb(const char *path)
{
	expect_file(path,
		    strstr(path, "-v1-") ? FORMAT_OTLP_PB : FORMAT_TEMPO_PB,
		    "");
}

static void test_recorded_traces(void **state)
{
	(void)state;
	/* All but answers to searches. */
	assert_int_equal(oracle_each("tempo/[!s]*/body.pb", is_tempo_pb), 14);
	assert_int_equal(oracle_each("tempo/*/body.pb.gz", is_tempo_pb), 2);
	assert_int_equal(oracle_each("tempo/trace-*/body.json*", is_otlp_json),
			 25);
	assert_int_equal(oracle_each("otlp/*.json*", is_otlp_json), 18);
	assert_int_equal(oracle_each("otlp/*.pb", is_otlp_pb), 12);
	assert_int_equal(oracle_each("jaeger/*-v3*/body.json", is_otlp_json),
			 16);
	assert_int_equal(
		oracle_each("jaeger/*-legacy*/body.json", is_jaeger_json), 13);
	expect_file("tempo/miss-v2-json/body.json", FORMAT_OTLP_JSON, "");
}

static void test_recorded_others(void **state)
{
	(void)state;
	expect_file("otlp/zipkin-shared.json", FORMAT_ZIPKIN_JSON, "");
	expect_file("google/trace.json", FORMAT_CLOUD_TRACE_JSON, "");
	expect_file("xray/batch-get-traces.json", FORMAT_XRAY_JSON, "");
	expect_file("xray/daemon.txt", FORMAT_XRAY_JSON, "");
	expect_file("datadog/agent.json", FORMAT_DATADOG_JSON, "");
	expect_file("datadog/page.json", FORMAT_DATADOG_JSON, "");
	expect_file("datadog/logged.json", FORMAT_DATADOG_JSON, "");
	expect_file("tempo/search-basic/body.json", FORMAT_UNKNOWN,
		    "Tempo search results, not a trace");
	expect_file("jaeger/summaries/body.json", FORMAT_UNKNOWN,
		    "Jaeger search results, not a trace");
	expect_file("jaeger/services/body.json", FORMAT_UNKNOWN,
		    "JSON of another kind");
	expect_file("jaeger/html-ready/body.html", FORMAT_UNKNOWN,
		    "an HTML page (Jaeger's; was the path wrong?)");
	expect_file("tempo/trace-b-nplus1-v2-zstd-offered/body.pb.zst",
		    FORMAT_TEMPO_PB, "");
}

static void is_pprof(const char *path)
{
	expect_file(path, FORMAT_PPROF, "");
}

/* No tree at all is an answer without bytes. */
static void is_tree(const char *path)
{
	struct str bytes = oracle_load(path);

	expect(bytes, bytes.len ? FORMAT_PYROSCOPE_TREE_PB : FORMAT_UNKNOWN,
	       bytes.len ? "" : "an empty file");
	free((char *)(uintptr_t)bytes.ptr);
}

static void is_flame_graph(const char *path)
{
	expect_file(path, FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, "");
}

static void test_recorded_profiles(void **state)
{
	(void)state;
	assert_true(oracle_each("pprof/*.pb.gz", is_pprof) >= 26);
	assert_true(oracle_each("pyroscope/*merge-profile*-proto/body.pb",
				is_pprof) >= 20);
	assert_true(oracle_each("pyroscope/*tree-proto/body.pb", is_tree) >=
		    10);
	assert_true(oracle_each("pyroscope/*flamegraph-json/body.json",
				is_flame_graph) >= 4);
}

static void test_pushed_profiles(void **state)
{
	(void)state;
	expect(STR("{\"tenant\":\"\",\"series\":[{\"labels\":[],\"samples\":"
		   "[{\"ID\":\"\",\"rawProfile\":\"\"}]}]}"),
	       FORMAT_PUSHED, "");
	expect(STR("{\"series\":[{\"labels\":[],\"samples\":[{\"value\":1}]}]}"),
	       FORMAT_UNKNOWN, "TraceQL metrics, not a trace");
	expect(STR("--x\r\nContent-Type: a/b\r\nContent-Disposition: "
		   "form-data; name=\"profile\"\r\n\r\n"),
	       FORMAT_PUSHED, "");
	expect(STR("--x\r\nContent-Type: a/b\r\n\r\n"), FORMAT_UNKNOWN, "text");
	/* The sample of a series is no profile. */
	expect(STR("\x0a\x06\x12\x04\x0a\x02\x1f\x8a"), FORMAT_UNKNOWN,
	       "binary data of no known kind");
	expect(STR("\x0a\x06\x12\x04\x0a\x02\x1f\x8b"), FORMAT_PUSHED, "");
	expect(STR("\x0a\x01t\x12\x06\x12\x04\x0a\x02\x1f\x8b\x18\x01"),
	       FORMAT_PUSHED, "");
}

static void test_json_shapes(void **state)
{
	(void)state;
	expect(STR(" {\"batches\": []}"), FORMAT_OTLP_JSON, "");
	expect(STR("{\"resource_spans\":[]}"), FORMAT_OTLP_JSON, "");
	expect(STR("\xef\xbb\xbf{\"resourceSpans\":[]}"), FORMAT_OTLP_JSON, "");
	expect(STR("{\"metrics\":{},\"trace\":{}}"), FORMAT_OTLP_JSON, "");
	expect(STR("{\"result\":{\"resourceSpans\":[]}}"), FORMAT_OTLP_JSON,
	       "");
	expect(STR("{\"result\":{\"series\":[]}}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"error\":{\"message\":\"no\"}}"), FORMAT_OTLP_JSON, "");
	expect(STR("{\"resourceProfiles\":[]}"), FORMAT_OTLP_PROFILES_JSON, "");
	expect(STR("{\"dictionary\":{},\"resourceProfiles\":[]}"),
	       FORMAT_OTLP_PROFILES_JSON, "");
	expect(STR("{\"error\":\"no\"}"), FORMAT_UNKNOWN,
	       "an error message of a server");
	expect(STR("{\"traceID\":\"1\",\"spans\":[{\"traceID\":\"1\","
		   "\"spanID\":\"2\"}],\"processes\":{}}"),
	       FORMAT_JAEGER_JSON, "");
	expect(STR("{\"data\":[],\"total\":0,\"errors\":null}"),
	       FORMAT_JAEGER_JSON, "");
	expect(STR("{\"data\":null,\"errors\":[{\"code\":404}]}"),
	       FORMAT_JAEGER_JSON, "");
	expect(STR("{\"data\":[\"web\"],\"errors\":null}"), FORMAT_UNKNOWN,
	       "a list of names from Jaeger, not a trace");
	expect(STR("{\"data\":[{\"x\":1}]}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"spans\":[{\"name\":1}]}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"projectId\":\"p\"}"), FORMAT_CLOUD_TRACE_JSON, "");
	expect(STR("[{\"resource\":\"r\",\"start\":1,\"span_id\":2,"
		   "\"trace_id\":3}]"),
	       FORMAT_DATADOG_JSON, "");
	expect(STR("{\"trace\":{\"spans\":{}}}"), FORMAT_DATADOG_JSON, "");
	expect(STR("{\"traces\":[[{\"a\":1}]]}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"traces\":[[]]}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"trace\":{\"spans\":[]}}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("[{\"Id\":\"1\",\"Segments\":[]}]"), FORMAT_XRAY_JSON, "");
	expect(STR("[{\"trace_id\":\"1-581cf771-a006649127e371903a2de979\"}]"),
	       FORMAT_XRAY_JSON, "");
	expect(STR("{\"trace_id\":\"581cf771a006649127e371903a2de979\"}"),
	       FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"format\":\"json\",\"version\":1}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"TraceSummaries\":[]}"), FORMAT_UNKNOWN,
	       "X-Ray's summaries, not a trace (get one: aws xray "
	       "batch-get-traces --trace-ids ID)");
	expect(STR("{\"spans\":[{\"kind\":1,\"spanId\":\"1\"}]}"),
	       FORMAT_CLOUD_TRACE_JSON, "");
	expect(STR("{\"spans\":[{\"spanID\":\"1\"}]}"), FORMAT_JAEGER_JSON, "");
	expect(STR("{\"spans\":[]}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"nextPageToken\":\"x\",\"traces\":[{\"traceId\":\"1\","
		   "\"projectId\":\"p\"}]}"),
	       FORMAT_CLOUD_TRACE_JSON, "");
	expect(STR("{\"traces\":[{\"traceID\":\"1\"}]}"), FORMAT_UNKNOWN,
	       "Tempo search results, not a trace");
	expect(STR("[{\"projectId\":\"p\",\"traceId\":\"1\"}]"),
	       FORMAT_CLOUD_TRACE_JSON, "");
	expect(STR("[[{\"traceId\":\"1\",\"id\":\"2\"}]]"), FORMAT_ZIPKIN_JSON,
	       "");
	expect(STR("{\"traceId\":\"1\",\"name\":\"a\",\"id\":\"2\"}"),
	       FORMAT_ZIPKIN_JSON, "");
	expect(STR("[{\"id\":\"2\",\"traceId\":\"1\"}]"), FORMAT_ZIPKIN_JSON,
	       "");
	expect(STR("[{\"ph\":\"X\"}]"), FORMAT_CHROME_TRACE, "");
	expect(STR("[]"), FORMAT_UNKNOWN, "an empty JSON list");
	expect(STR("{}"), FORMAT_UNKNOWN, "an empty JSON object");
	expect(STR("[{\"resourceSpans\":[]}]"), FORMAT_UNKNOWN,
	       "a list of OTLP documents (write them one a line)");
	expect(STR("[{\"x\":1}]"), FORMAT_UNKNOWN,
	       "a JSON list of another kind");
	expect(STR("{\"trace\":[]}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("[1]"), FORMAT_UNKNOWN, "a JSON list of another kind");
	expect(STR("{\"a\":"), FORMAT_UNKNOWN, "damaged JSON");
	expect(STR("{\"$schema\":\"https://www.speedscope.app/file-format-"
		   "schema.json\"}"),
	       FORMAT_SPEEDSCOPE, "");
	expect(STR("{\"$schema\":\"s\",\"shared\":{\"frames\":[]},"
		   "\"profiles\":[]}"),
	       FORMAT_SPEEDSCOPE, "");
	expect(STR("{\"$schema\":\"https://www.speedscope.app/"
		   "file-format-schema.json\",\"shared\":{\"frames\":["),
	       FORMAT_SPEEDSCOPE, "");
	expect(STR("{\"$schema\":\"https://example.org/\",\"head\":{}}"),
	       FORMAT_V8_PROFILE, "");
	expect(STR("{\"nodes\":[{\"id\":1,\"callFrame\":{}}]}"),
	       FORMAT_V8_PROFILE, "");
	expect(STR("{\"samples\":[],\"timeDeltas\":[]}"), FORMAT_V8_PROFILE,
	       "");
	expect(STR("{\"head\":{}}"), FORMAT_V8_PROFILE, "");
	expect(STR("{\"nodes\":[{\"id\":1}]}"), FORMAT_UNKNOWN,
	       "JSON of another kind");
	expect(STR("{\"snapshot\":{\"meta\":{}},\"nodes\":[1]}"),
	       FORMAT_UNKNOWN,
	       "a V8 heap snapshot, which has objects but no stacks (record "
	       "these: node --heap-prof PROGRAM)");
	expect(STR("{\"traceEvents\":[]}"), FORMAT_CHROME_TRACE, "");
	expect(STR("{\"log\":{\"version\":\"1.2\"}}"), FORMAT_UNKNOWN,
	       "a HAR recording (use --replay)");
	expect(STR("{\"flamegraph\":{}}"), FORMAT_PYROSCOPE_FLAMEGRAPH_JSON,
	       "");
	expect(STR("{\"version\":1,\"flamebearer\":{}}"),
	       FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, "");
	expect(STR("{\"trace\":{"), FORMAT_UNKNOWN, "damaged JSON");
	expect(STR("{\"trace\":{}}"), FORMAT_OTLP_JSON, "");
	expect(STR("{\"traces\":[]}"), FORMAT_UNKNOWN,
	       "Tempo search results, not a trace");
	expect(STR("{\"traces\":[1]}"), FORMAT_UNKNOWN,
	       "Tempo search results, not a trace");
	expect(STR("{\"traces\":[{\"traceID\":1}]}"), FORMAT_UNKNOWN,
	       "Tempo search results, not a trace");
	expect(STR("{\"traces\":7}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"spans\":[7]}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"spans\":7}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"data\":[7]}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"data\":null}"), FORMAT_UNKNOWN, "JSON of another kind");
	expect(STR("{\"data\":[],\"errors\":null}"), FORMAT_JAEGER_JSON, "");
}

static void test_profiles(void **state)
{
	(void)state;
	/* A sample type, a sample, two strings; then the empty answer. */
	expect(STR("\x0a\x04\x08\x01\x10\x01\x12\x03\x12\x01\x05\x32\x00\x32"
		   "\x03"
		   "cpu"),
	       FORMAT_PPROF, "");
	expect(STR("\x0a\x00\x32\x00\x5a\x00"), FORMAT_PPROF, "");
	expect(STR("\x12\x0a\x00\x00\x01\x04main\x05\x00"),
	       FORMAT_PYROSCOPE_TREE_PB, "");
	expect(STR("\x2a\x02\x0a\x00"), FORMAT_PYROSCOPE_TREE_PB, "");
	expect(STR("\x0a\x0d\x0a\x05total\x12\x04\x0a\x02\x00\x00"),
	       FORMAT_PYROSCOPE_TREE_PB, "");
	expect(STR("main;work 12\nmain 3\n"), FORMAT_FOLDED, "");
	expect(STR("# folded\r\n\r\na b;c d 12\r\n"), FORMAT_FOLDED, "");
	expect(STR("#<Class:Cart>#total;each 3\n"), FORMAT_FOLDED, "");
	expect(STR("# 5\n"), FORMAT_FOLDED, "");
	expect(STR("# mode: wall\n# interval: 100\nP1;main 3\n"), FORMAT_FOLDED,
	       "");
	expect(STR("# mode: wall\n# interval: 100\n"), FORMAT_UNKNOWN, "text");
	expect(STR("main;work -12\nmain 20\n"), FORMAT_FOLDED, "");
	expect(STR("main;work 1.5\n"), FORMAT_FOLDED, "");
	expect(STR("main;work -0.5\nmain 2.\n"), FORMAT_FOLDED, "");
	expect(STR("version 1.5\n"), FORMAT_UNKNOWN, "text");
	expect(STR("main;work 1.5.2\n"), FORMAT_UNKNOWN, "text");
	expect(STR("[unknown];main 5\n"), FORMAT_FOLDED, "");
	expect(STR("idle thread 5\nmain;work 1"), FORMAT_FOLDED, "");
	expect(STR("<module> (a.py:1);work (a.py:2) 7\n"), FORMAT_FOLDED, "");
	expect(STR("web 123 1.2: 10 cycles:\n\tffff main"), FORMAT_PERF_SCRIPT,
	       "");
	expect(STR("# a\n\nweb server 1/2 [001] 1.2: cycles:  ff main (w)\n"),
	       FORMAT_PERF_SCRIPT, "");
}

/* Of a large profile the end is not looked at, where the strings are. */
static void test_large_profile(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	buf_add_str(&b, STR("\x0a\x04\x08\x01\x10\x01"));
	for (unsigned i = 2; i < 128; i++)
		buf_add_str(&b, STR("\x12\x03\x12\x01\x05"));
	expect(buf_str(&b), FORMAT_UNKNOWN, "binary data of no known kind");
	buf_add_str(&b, STR("\x12\x03\x12\x01\x05"));
	expect(buf_str(&b), FORMAT_PPROF, "");
	/* Not where no sample type is told. */
	b.data[1] = 0;
	memmove(b.data + 2, b.data + 6, b.len - 6);
	b.len -= 4;
	expect(buf_str(&b), FORMAT_TEMPO_PB, "");
	buf_release(&b);
}

static void test_texts_of_tools(void **state)
{
	(void)state;
	expect(STR("heap_v2/524288\n"), FORMAT_UNKNOWN,
	       "a heap profile of jemalloc (make folded stacks of it: jeprof "
	       "--collapsed PROGRAM FILE > FILE.folded; its weights are --type "
	       "inuse_space/bytes)");
	expect(STR("NYTProf 5 0\n"), FORMAT_UNKNOWN,
	       "a profile of NYTProf (make folded stacks of it: nytprofcalls "
	       "FILE > FILE.folded)");
	expect(STR("@[\n    work+12\n]: 5\n"), FORMAT_UNKNOWN,
	       "the output of bpftrace (make folded stacks of it: "
	       "stackcollapse-bpftrace.pl FILE > FILE.folded, of FlameGraph)");
	expect(STR("Sampling at 49 Hertz of all threads\n"), FORMAT_UNKNOWN,
	       "the output of bcc's profile (let it write folded stacks: "
	       "profile -f > FILE.folded)");
	expect(STR("sample.interval=10000\n\"f\" \"g\" \n"), FORMAT_UNKNOWN,
	       "a profile of R's Rprof (make folded stacks of it: awk "
	       "'NR>1{gsub(/\"/,\"\");s=$NF;for(i=NF-1;i>0;i--)s=s\";\"$i;"
	       "n[s]++}END{for(s in n)print s,n[s]}' FILE > FILE.folded)");
	expect(STR("goroutine 1 [running]:\nmain.main()\n"), FORMAT_UNKNOWN,
	       "stacks of goroutines as text of Go (request it without "
	       "debug=2: /debug/pprof/goroutine)");
	expect(STR("--- mutex:\ncycles/second=1\n"), FORMAT_UNKNOWN,
	       "locks as text of Go (request it without debug=1: "
	       "/debug/pprof/mutex)");
	expect(STR("--- contention:\ncycles/second=1\n"), FORMAT_UNKNOWN,
	       "waits or locks as text of Go (request it without debug=1: "
	       "/debug/pprof/block, /debug/pprof/mutex)");
	expect(STR("jdk.ExecutionSample {\n  startTime = 01:16:32.562\n}\n"),
	       FORMAT_UNKNOWN,
	       "what jfr print made of a recording (give the recording itself, "
	       "FILE.jfr)");
	expect(STR("2026-11-28 12:00:00\nFull thread dump OpenJDK\n"),
	       FORMAT_UNKNOWN,
	       "threads of Java at one moment (record their stacks: jcmd PID "
	       "JFR.start duration=60s filename=FILE.jfr)");
	expect(STR("# Samples: 10\n# Overhead  Command\n"), FORMAT_UNKNOWN,
	       "a report of perf (make text of its samples: perf script > "
	       "perf.txt)");
	expect(STR("#\n# Children      Self  Command  Shared Object\n"),
	       FORMAT_UNKNOWN,
	       "a report of perf (make text of its samples: perf script > "
	       "perf.txt)");
	expect(STR("[{\"name\": \"a\", \"context\": {\"trace_id\": \"0x1\"}, "
		   "\"parent_id\": null}]"),
	       FORMAT_UNKNOWN, CONSOLE);
	expect(STR("{\"name\": \"a\", \"context\": {}, \"parent_id\": null}"),
	       FORMAT_UNKNOWN, CONSOLE);
}

static void test_other_kinds(void **state)
{
	(void)state;
	expect(STR(""), FORMAT_UNKNOWN, "an empty file");
	expect(STR(" \n\t\n"), FORMAT_UNKNOWN, "nothing but blanks");
	expect(STR("404 page not found\n"), FORMAT_UNKNOWN, "text");
	expect(STR("limit 262145 exceeds max limit 262144"), FORMAT_UNKNOWN,
	       "text");
	expect(STR("main;work\nmain;work 12\n"), FORMAT_UNKNOWN, "text");
	/* One good line is enough: the decoder names the bad one. */
	expect(STR("main;work 12\nmain;work\n"), FORMAT_FOLDED, "");
	expect(STR("web 123 1.2: 10 cycles:\n"), FORMAT_UNKNOWN, "text");
	expect(STR("<!DOCTYPE html><html><title>Grafana</title>"),
	       FORMAT_UNKNOWN, "an HTML page (Grafana login?)");
	expect(STR("<HTML><body>Sign in</body>"), FORMAT_UNKNOWN,
	       "an HTML page (login or proxy?)");
	expect(STR("<?xml version=\"1.0\"?><svg/>"), FORMAT_UNKNOWN,
	       "an SVG picture");
	expect(STR("<?xml version=\"1.0\"?><a/>"), FORMAT_UNKNOWN,
	       "an XML document");
	expect(STR("\x89PNG\r\n\x1a\n\0\0"), FORMAT_UNKNOWN, "a PNG picture");
	expect(STR("\x7f"
		   "ELF\x02\x01"),
	       FORMAT_UNKNOWN, "an ELF program or core dump");
	expect(STR("FLR\0\0\x02"), FORMAT_JFR, "");
	expect(STR("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0"), FORMAT_UNKNOWN,
	       "a CPU profile of gperftools (make pprof of it: go tool pprof "
	       "-proto -output=FILE.pb.gz PROGRAM FILE)");
	expect(STR("heap profile:   1: 2 [ 1: 2 ] @ heap_v2/1"), FORMAT_UNKNOWN,
	       "a heap profile of gperftools (make pprof of it: go tool pprof "
	       "-proto -output=FILE.pb.gz PROGRAM FILE)");
	expect(STR("heap profile: 1: 2 [1: 2] @ heap/1048576\n"),
	       FORMAT_UNKNOWN,
	       "a heap profile as text of Go (request it without debug=1: "
	       "/debug/pprof/heap)");
	expect(STR("goroutine profile: total 5\n"), FORMAT_UNKNOWN,
	       "goroutines as text of Go (request it without debug=1: "
	       "/debug/pprof/goroutine)");
	expect(STR("Nettrace\x14"), FORMAT_UNKNOWN,
	       "a .nettrace of .NET (make speedscope of it: dotnet-trace "
	       "convert --format Speedscope FILE)");
	expect(STR("\x04\x08{\x10"), FORMAT_UNKNOWN,
	       "a dump of stackprof (make folded stacks of it: stackprof "
	       "--stackcollapse FILE > FILE.folded)");
	expect(STR("{\"version\":1.2,\"samples\":3,\"gc_samples\":0}"),
	       FORMAT_UNKNOWN,
	       "a profile of stackprof (make folded stacks of it: stackprof "
	       "--stackcollapse FILE > FILE.folded)");
	expect(STR("\xfb)\x03\xfa"), FORMAT_UNKNOWN,
	       "a profile of Python's cProfile, which has no stacks (record "
	       "some: py-spy record --format raw -o FILE.folded -- python "
	       "PROGRAM)");
	expect(STR("MOJ\3\1austin\0004.0.0\0"), FORMAT_UNKNOWN,
	       "a MOJO file of austin (make folded stacks of it: mojo2austin "
	       "FILE FILE.austin)");
	expect(STR("rbspy02\n{\"sample_rate\":99}\n"), FORMAT_UNKNOWN,
	       "raw data of rbspy (make speedscope of it: rbspy report -f "
	       "speedscope -i FILE -o FILE.json)");
	expect(STR("memray\0\15\0\0\0"), FORMAT_UNKNOWN, MEMRAY);
	expect(STR("\4\x22\x4d\x18@@\xc0M=\0\0\xf9\5memray\0\15"),
	       FORMAT_UNKNOWN, MEMRAY);
	expect(STR("\4\x22\x4d\x18@@\xc0M=\0\0\xf9\5"), FORMAT_UNKNOWN,
	       "LZ4-compressed data (unpack it first)");
	expect(STR("{\"start_time\": 1.5,\"cpu_time\": 2,\"root_frame\": {}}"),
	       FORMAT_UNKNOWN,
	       "a report of pyinstrument (use another format: pyinstrument -r "
	       "speedscope -o FILE.json PROGRAM)");
	expect(STR("{\n  \"recording\": {\n    \"events\": []\n  }\n}"),
	       FORMAT_UNKNOWN,
	       "what jfr print made of a recording (give the recording itself, "
	       "FILE.jfr)");
	expect(STR("{\"start_time\": 1.5, \"start_call_stack\": []}"),
	       FORMAT_UNKNOWN,
	       "a session of pyinstrument (make speedscope of it: "
	       "pyinstrument --load FILE -r speedscope -o FILE.json)");
	expect(STR("{\"alloc_samples\": 17, \"args\": []}"), FORMAT_UNKNOWN,
	       "a profile of Scalene, which is of lines (scalene view FILE "
	       "shows it; record stacks: py-spy record --format raw -o "
	       "FILE.folded -- python PROGRAM)");
	expect(STR("# callgrind format\nversion: 1\n"), FORMAT_CALLGRIND, "");
	expect(STR("\nevents: Ticks\n\nfl=/tmp/n.pl\n"), FORMAT_CALLGRIND, "");
	expect(STR("v8-version,11,3,244,8,-node.23,0\n"
		   "shared-library,/usr/bin/node\n"),
	       FORMAT_UNKNOWN,
	       "the log of node --prof (record with node --cpu-prof)");
	expect(STR("<!doctype html>\n<html><title>memray - table</title>"),
	       FORMAT_UNKNOWN,
	       "a page of memray (make speedscope of the file that it is of: "
	       "memray transform speedscope -o FILE.json FILE)");
	expect(STR("{\"Name\":\"SELECT\",\"SpanContext\":{\"TraceID\":"
		   "\"e1d0\"},\"Parent\":{}}\n"),
	       FORMAT_UNKNOWN,
	       "spans as stdouttrace of OpenTelemetry's Go SDK prints them for "
	       "people (write OTLP instead: otlptracehttp, to a collector with "
	       "a file exporter)");
	expect(STR("desc: I1 cache:         32768 B, 64 B\ncmd: ./w\n"
		   "events: Ir I1mr\nfl=w.c\nfn=main\n1 2 3\n"),
	       FORMAT_UNKNOWN,
	       "a profile of Valgrind's cachegrind (cg_annotate FILE shows it; "
	       "callgrind counts calls as well)");
	expect(STR("desc: --massif\n"), FORMAT_UNKNOWN,
	       "a heap profile of Valgrind's massif (ms_print FILE shows it)");
	expect(STR("go 1.26 trace\0\0\0"), FORMAT_UNKNOWN,
	       "a Go execution trace (make pprof of its waits: go tool trace "
	       "-pprof=sync FILE > sync.pb.gz)");
	expect(STR("JAVA PROFILE 1.0.2\0"), FORMAT_UNKNOWN,
	       "a Java heap dump, which has objects but no stacks (record "
	       "these: jcmd PID JFR.start)");
	expect(STR("PERFILE2"), FORMAT_UNKNOWN,
	       "a perf.data file (make text of it: perf script > perf.txt)");
	expect(STR("\x1f\x8b\x08"), FORMAT_UNKNOWN,
	       "gzip inside compressed data");
	expect(STR("\x28\xb5\x2f\xfd"), FORMAT_UNKNOWN,
	       "zstd inside compressed data");
	expect(STR("\x01\x02\x03\xff"), FORMAT_UNKNOWN,
	       "binary data of no known kind");
}

/* What others keep of traces: each has a way on. */
static void test_other_tools(void **state)
{
	static const struct {
		const char *text, *looks_like;
	} files[] = {
		{ "{\n  resource: {\n    attributes: {\n      'service.name': 'x'\n"
		  "    }\n  },\n  traceId: '92bcc1f56dd6367e69067f2cdd4f17b3',\n",
		  "console exporter" },
		{ "{\"traceId\":\"a\",\"serviceInstance\":\"i\",\"spans\":"
		  "[{\"operationName\":\"/a\",\"spanId\":0}],\"service\":\"s\","
		  "\"traceSegmentId\":\"b\"}",
		  "SkyWalking" },
		{ "[{\"traceId\":\"a\",\"traceSegmentId\":\"b\",\"spans\":[]}]",
		  "SkyWalking" },
		{ "{\"data\":{\"trace\":{\"spans\":[{\"traceId\":\"a\"}]}}}",
		  "SkyWalking" },
		{ "{\"spans\":[{\"traceId\":\"a\",\"segmentId\":\"b\","
		  "\"spanId\":0}]}",
		  "SkyWalking" },
		{ "{\"metadata\":{\"process\":{\"pid\":1},\"service\":{\"name\":"
		  "\"s\"}}}\n{\"transaction\":{\"id\":\"a\"}}\n",
		  "Elastic APM" },
		{ "{\"transaction\":{\"id\":\"a\"}}", "Elastic APM" },
		{ "{\"_index\":\"traces-apm\",\"_source\":{\"trace\":{\"id\":"
		  "\"a\"}}}",
		  "Elastic APM" },
		{ "{\"took\":5,\"timed_out\":false,\"_shards\":{\"total\":1},"
		  "\"hits\":{\"hits\":[]}}",
		  "an answer of Elasticsearch" },
		{ "{\"event_id\":\"a\",\"sent_at\":\"b\",\"sdk\":{},\"trace\":"
		  "{\"trace_id\":\"c\"}}\n{\"type\":\"transaction\"}\n{}\n",
		  "an event of Sentry" },
		{ "{\"type\":\"transaction\",\"platform\":\"node\",\"event_id\":"
		  "\"a\",\"spans\":[]}",
		  "an event of Sentry" },
		{ "{\"spans\":[{\"start_timestamp\":1.5,\"span_id\":\"b\"}]}",
		  "an event of Sentry" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char text[256];

		assert_int_equal(format_sniff(str_from(files[i].text), text,
					      sizeof text),
				 FORMAT_UNKNOWN);
		if (!strstr(text, files[i].looks_like) ||
		    !strstr(text, "file exporter"))
			fail_msg("%zu: %s", i, text);
	}
	/* Theirs are their own members. */
	expect(STR("{\"id\":\"a\",\"metadata\":{\"service\":{}},\"trace_id\":"
		   "\"1-58406520-a006649127e371903a2de979\"}"),
	       FORMAT_XRAY_JSON, "");
	expect(STR("{\"metadata\":{\"command_line\":\"x\"},"
		   "\"traceEvents\":[]}"),
	       FORMAT_CHROME_TRACE, "");
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(format_name(FORMAT_TEMPO_PB), "Tempo protobuf");
	assert_string_equal(format_name((enum format)99), "unknown");
	assert_true(format_is_trace(FORMAT_JAEGER_JSON));
	assert_false(format_is_trace(FORMAT_PPROF));
	assert_false(format_is_trace(FORMAT_UNKNOWN));
	assert_true(format_is_profile(FORMAT_FOLDED));
	assert_false(format_is_profile(FORMAT_OTLP_PB));
	assert_false(format_is_profile(FORMAT_UNKNOWN));
	assert_int_equal(format_sniff(STR("{}"), NULL, 0), FORMAT_UNKNOWN);
}

/* Every beginning of every small trace: no crash, no read past the end. */
static void sniff_beginnings(const char *path)
{
	struct str bytes = oracle_load(path);
	char text[160];

	for (size_t len = 0; len < bytes.len && len < 3000; len++) {
		char *copy = malloc(len ? len : 1);

		memcpy(copy, bytes.ptr, len);
		format_sniff((struct str){ copy, len }, text, sizeof text);
		free(copy);
	}
	free((char *)(uintptr_t)bytes.ptr);
}

static void test_beginnings(void **state)
{
	(void)state;
	assert_int_equal(oracle_each("otlp/e1.*", sniff_beginnings), 2);
	assert_int_equal(
		oracle_each("tempo/trace-e1*/body.*", sniff_beginnings), 3);
	assert_int_equal(
		oracle_each("jaeger/trace-e1*/body.*", sniff_beginnings), 2);
}

static void test_json_nesting(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	for (unsigned i = 0; i < LIMIT_JSON_DEPTH; i++)
		buf_add_char(&b, '[');
	expect(buf_str(&b), FORMAT_UNKNOWN, "damaged JSON");
	buf_add_text(&b, "{\"id\":1}");
	expect(buf_str(&b), FORMAT_UNKNOWN, "damaged JSON");
	buf_clear(&b);
	for (unsigned i = 0; i < 2 * LIMIT_JSON_DEPTH; i++)
		buf_add_char(&b, '[');
	expect(buf_str(&b), FORMAT_UNKNOWN, "damaged JSON");
	buf_release(&b);
}

/* Parts of an answer of Pyroscope's that are none of its kinds. */
static void test_kinds_of_protobuf(void **state)
{
	static const char *const answers[] = {
		"\x0a\x03\x0a\x01x",         /* rows, but not of "total" */
		"\x12\x03\x01x\x01",         /* a tree whose root has a name */
		"\x2a\x02\x12\x00",          /* no profile */
		"\x2a\x05\x0a\x03\x0a\x01x", /* a profile of no type */
	};

	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		char text[160];
		struct str bytes = { answers[i], (size_t)answers[i][1] + 2 };

		assert_int_equal(format_sniff(bytes, text, sizeof text),
				 FORMAT_UNKNOWN);
	}
}

/* So many of these bytes, over and over. */
static bool is_none(const char *piece, size_t len, size_t total)
{
	char text[160];
	struct buf b;
	bool is_it;

	buf_init(&b, 32 * MIB);
	while (b.len < total)
		buf_add(&b, piece, len);
	is_it = format_is_none(buf_str(&b), text, sizeof text);
	buf_release(&b);
	return is_it;
}

/* What never becomes a format ends where it begins; a beginning does not. */
static void test_none_by_its_front(void **state)
{
	(void)state;
	assert_true(is_none("\0", 1, MIB));
	assert_true(is_none("y\n", 2, MIB));
	assert_true(is_none("\n", 1, MIB));
	assert_true(is_none("\x89PNG", 4, MIB));
	/* A folded line, as deep as it may be. */
	assert_false(is_none("a;", 2, MIB));
	assert_true(is_none("a;", 2, 17 * MIB));
	assert_false(is_none("a;b 1\n", 6, MIB));
	assert_false(is_none("{\"a\":1,", 7, MIB));
	assert_false(is_none("[unknown];b;", 12, MIB));
	assert_false(is_none("\x1f\x8b", 2, MIB));
	/* A field of 256 MiB of which 1 MiB is there. */
	assert_false(is_none("\x0a\x80\x80\x80\x80\x01", 6, 6));
}

UNIT_TESTS(sniff)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_traces),
		cmocka_unit_test(test_recorded_others),
		cmocka_unit_test(test_recorded_profiles),
		cmocka_unit_test(test_pushed_profiles),
		cmocka_unit_test(test_json_shapes),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_large_profile),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_other_tools),
		cmocka_unit_test(test_texts_of_tools),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_beginnings),
		cmocka_unit_test(test_json_nesting),
		cmocka_unit_test(test_kinds_of_protobuf),
		cmocka_unit_test(test_none_by_its_front),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
