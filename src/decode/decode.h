/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoders: bytes to models. They do not depend on where the bytes came from,
 * so each runs on a file, a recorded response, a test string or a fuzzer alike.
 * Input is decompressed (by decode_plain()) and untrusted.
 */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/notes.h"
#include "base/str.h"
#include "decode/profile_type.h"
#include "model/profile.h"
#include "model/trace.h"

enum format {
	FORMAT_UNKNOWN = 0,
	/* traces */
	FORMAT_OTLP_JSON, /* OTLP, Tempo v1 and v2, Jaeger v3, file exporter */
	FORMAT_OTLP_PB,   /* TracesData; Tempo v1 */
	FORMAT_TEMPO_PB,  /* Tempo v2 TraceByIDResponse */
	FORMAT_JAEGER_JSON,
	FORMAT_ZIPKIN_JSON,      /* v1, v2: spans, or lists of them */
	FORMAT_CLOUD_TRACE_JSON, /* v1: a trace, or a list of traces */
	FORMAT_CHROME_SPANS,     /* spans in a Chrome trace */
	/* As sent by tracers; as exported by the web UI. */
	FORMAT_DATADOG_JSON,
	FORMAT_XRAY_JSON, /* AWS: BatchGetTraces, or segments */
	/* profiles */
	FORMAT_PPROF,
	FORMAT_FOLDED,
	FORMAT_SPEEDSCOPE,
	FORMAT_PERF_SCRIPT,
	FORMAT_CALLGRIND,
	FORMAT_JFR,
	FORMAT_CHROME_TRACE,     /* samples in it */
	FORMAT_V8_PROFILE,       /* .cpuprofile, .heapprofile */
	FORMAT_FIREFOX_PROFILE,  /* Firefox Profiler, samply... */
	FORMAT_OTLP_PROFILES_PB, /* ProfilesData */
	/* Same, one document or one per line. */
	FORMAT_OTLP_PROFILES_JSON,
	/* Push requests containing profiles. */
	FORMAT_PUSHED,
	/* SelectMerge... response, protobuf. */
	FORMAT_PYROSCOPE_TREE_PB,
	FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, /* same, JSON; flame graph rows */
};

/* Returns a display name such as "OTLP JSON". */
const char *format_name(enum format f);
bool format_is_trace(enum format f);
bool format_is_profile(enum format f);

/* Detects the format of uncompressed bytes by content. For FORMAT_UNKNOWN,
 * looks_like (of size bytes) is set to what they seem to be: "an HTML page
 * (Grafana login?)", "a Chrome trace", "a PNG picture", "empty", "text". Never
 * fails. */
enum format format_sniff(struct str bytes, char *looks_like, size_t size);

/* Returns whether these first bytes rule out every supported format, whatever
 * follows; looks_like as above. */
bool format_is_none(struct str front, char *looks_like, size_t size);

/* If bytes are compressed (gz.h), decompresses into `storage` and returns a
 * view of it, else returns bytes. NULL ptr on failure; name is the subject of
 * errors. */
struct str decode_plain(struct str bytes, const char *name, struct buf *storage,
			struct error *err) MUST_CHECK;

/* Returns whether the format can be decoded from a feed, without having all of
 * the input in memory. */
bool format_is_streamed(enum format f);

/* Decode into an initialised trace. want: the trace to decode, or NULL (see
 * trace_build_new()). No spans at all is not an error: span_count is 0. */
bool decode_trace(enum format format, struct str bytes,
		  const struct trace_id *want, struct trace *out,
		  struct notes *notes, struct error *err) MUST_CHECK;
bool decode_trace_feed(enum format format, struct feed *feed,
		       const struct trace_id *want, struct trace *out,
		       struct notes *notes, struct error *err) MUST_CHECK;

/* One of several inputs that may contain a trace; name is the prefix of
 * errors. */
struct trace_source {
	const char *name; /* NULL: none */
	enum format format;
	struct feed *feed;
};

/* Same from several inputs: merges the requested, or the longest, trace of all
 * of them; spans that are in two appear once. */
bool decode_trace_sources(const struct trace_source *sources, size_t count,
			  const struct trace_id *want, struct trace *out,
			  struct notes *notes, struct error *err) MUST_CHECK;

/* decode_linking() searches the inputs for traces with a link to this one; pass
 * its result to trace_build_linking_hits(), and to decode_found_trace(), which
 * decodes another trace of the same inputs into an initialised one; that stays
 * empty if the trace is in none of them. */
struct trace_build *decode_linking(const struct trace_source *sources,
				   size_t count, const struct trace_id *to,
				   struct error *err) MUST_CHECK;
bool decode_found_trace(const struct trace_source *sources, size_t count,
			const struct trace_build *survey,
			const struct trace_id *id, struct trace *out,
			struct error *err) MUST_CHECK;

/* Decodes all traces of an input with all details, in order of their first
 * appearance. take must not keep the trace; returning false, with err, ends
 * decoding. If the input is damaged, take is not called at all. */
bool decode_each_trace(enum format format, struct feed *feed,
		       bool (*take)(void *context, const struct trace *t,
				    struct error *err),
		       void *context, struct notes *notes,
		       struct error *err) MUST_CHECK;

/* Returns a feed over uncompressed bytes, set up for this format. */
struct feed *decode_feed(enum format format, struct str bytes,
			 struct error *err) MUST_CHECK;

/* Decodes into an initialised profile. No samples is not an error: stack_count
 * is 0. */
bool decode_profile(enum format format, struct str bytes,
		    const struct profile_want *want, struct profile *out,
		    struct notes *notes, struct error *err) MUST_CHECK;
/* Same for formats that are streamed. */
bool decode_profile_feed(enum format format, struct feed *feed,
			 const struct profile_want *want, struct profile *out,
			 struct notes *notes, struct error *err) MUST_CHECK;

/* Rewrites an uncompressed pprof message without the sample types whose bits
 * are set in types (bit 0: the first), dropping samples without other
 * values. */
bool pprof_leave_out(struct str bytes, uint64_t types, struct buf *out,
		     struct error *err) MUST_CHECK;

#endif
