/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to models. Decoders know formats, not where bytes came from, so each
 * runs on a file, a recorded answer, a test string or a fuzzer alike. Input
 * is plain (decode_plain() unpacks first) and untrusted.
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
	FORMAT_ZIPKIN_JSON,      /* v1, v2: spans, or lists */
	FORMAT_CLOUD_TRACE_JSON, /* v1: a trace, or a list of them */
	FORMAT_CHROME_SPANS,     /* of a Chrome trace */
	FORMAT_DATADOG_JSON,     /* as tracers send it; of its web page */
	FORMAT_XRAY_JSON,        /* of AWS: BatchGetTraces, or segments */
	/* profiles */
	FORMAT_PPROF,
	FORMAT_FOLDED,
	FORMAT_SPEEDSCOPE,
	FORMAT_PERF_SCRIPT,
	FORMAT_CALLGRIND,
	FORMAT_JFR,
	FORMAT_CHROME_TRACE,              /* its samples */
	FORMAT_V8_PROFILE,                /* .cpuprofile, .heapprofile */
	FORMAT_FIREFOX_PROFILE,           /* of the profiler, samply... */
	FORMAT_OTLP_PROFILES_PB,          /* ProfilesData */
	FORMAT_OTLP_PROFILES_JSON,        /* the same, one or one a line */
	FORMAT_PUSHED,                    /* bodies with profiles in them */
	FORMAT_PYROSCOPE_TREE_PB,         /* SelectMerge... answer, proto */
	FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, /* the same, JSON; flamegraph rows */
};

/* Human name, such as "OTLP JSON". */
const char *format_name(enum format f);
bool format_is_trace(enum format f);
bool format_is_profile(enum format f);

/* Recognises plain bytes by content. On FORMAT_UNKNOWN, looks_like (of size
 * bytes) says what it seems to be instead: "an HTML page (Grafana login?)",
 * "a Chrome trace", "a PNG picture", "empty", "text". Never fails. */
enum format format_sniff(struct str bytes, char *looks_like, size_t size);

/* Returns whether these first bytes of an input are those of no format that is
 * read, whatever follows: looks_like says what they seem to be. */
bool format_is_none(struct str front, char *looks_like, size_t size);

/* If bytes are packed (gz.h), unpacks into `storage` and returns a view of it,
 * else returns bytes. NULL ptr on failure; name is the subject of errors. */
struct str decode_plain(struct str bytes, const char *name, struct buf *storage,
			struct error *err) MUST_CHECK;

/* Returns whether it can be decoded while it is read, out of a feed of a file.
 */
bool format_is_streamed(enum format f);

/* Decodes into an initialised trace. want may be NULL. No spans at all is
 * not an error here: span_count is 0. */
bool decode_trace(enum format format, struct str bytes,
		  const struct trace_id *want, struct trace *out,
		  struct notes *notes, struct error *err) MUST_CHECK;
bool decode_trace_feed(enum format format, struct feed *feed,
		       const struct trace_id *want, struct trace *out,
		       struct notes *notes, struct error *err) MUST_CHECK;

/* One of several inputs that a trace is in; name is what errors begin with. */
struct trace_source {
	const char *name; /* NULL: nothing */
	enum format format;
	struct feed *feed;
};

/* The same out of all of them: what they have of the wanted trace, or of the
 * longest, is one trace, spans that are in two once. */
bool decode_trace_sources(const struct trace_source *sources, size_t count,
			  const struct trace_id *want, struct trace *out,
			  struct notes *notes, struct error *err) MUST_CHECK;

/* Looks them through for traces with a link to this one: a build for
 * trace_build_linking_hits(), and for the next, which takes another trace out of
 * the same inputs, into an initialised one, which is empty when it is in none. */
struct trace_build *decode_linking(const struct trace_source *sources,
				   size_t count, const struct trace_id *to,
				   struct error *err) MUST_CHECK;
bool decode_found_trace(const struct trace_source *sources, size_t count,
			const struct trace_build *survey,
			const struct trace_id *id, struct trace *out,
			struct error *err) MUST_CHECK;

/* Decodes each trace of an input in turn, with all its details, in the order in
 * which they begin there. The trace is take's to read, not to keep; false ends
 * it with err. Nothing is taken of an input that cannot be read. */
bool decode_each_trace(enum format format, struct feed *feed,
		       bool (*take)(void *context, const struct trace *t,
				    struct error *err),
		       void *context, struct notes *notes,
		       struct error *err) MUST_CHECK;

/* A feed of plain bytes, as the decoder of this format wants them. */
struct feed *decode_feed(enum format format, struct str bytes,
			 struct error *err) MUST_CHECK;

/* Decodes into an initialised profile. No samples is not an error:
 * stack_count is 0. */
bool decode_profile(enum format format, struct str bytes,
		    const struct profile_want *want, struct profile *out,
		    struct notes *notes, struct error *err) MUST_CHECK;
/* The same of a format that is streamed. */
bool decode_profile_feed(enum format format, struct feed *feed,
			 const struct profile_want *want, struct profile *out,
			 struct notes *notes, struct error *err) MUST_CHECK;

/* Writes a plain pprof message without those of its types whose bits are set,
 * counted from 0, and without samples that count nothing else. */
bool pprof_leave_out(struct str bytes, uint64_t types, struct buf *out,
		     struct error *err) MUST_CHECK;

#endif
