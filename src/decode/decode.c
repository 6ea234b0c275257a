/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/gz.h"
#include "base/notes.h"
#include "base/num.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/history.h"
#include "decode/profile_type.h"
#include "decode/taker.h"
#include "model/profile.h"
#include "model/trace.h"

enum content { CONTENT_NONE, CONTENT_TRACE, CONTENT_PROFILE };

struct format_row {
	const char *name;
	enum content content;
	bool is_text;
	span_reader *decode; /* for profiles see decoders[] */
};

static const struct format_row formats[] = {
	[FORMAT_UNKNOWN] = { "unknown", CONTENT_NONE, false, NULL },
	[FORMAT_OTLP_JSON] = { "OTLP JSON", CONTENT_TRACE, true,
			       decode_otlp_json },
	[FORMAT_OTLP_PB] = { "OTLP protobuf", CONTENT_TRACE, false,
			     decode_otlp_pb },
	[FORMAT_TEMPO_PB] = { "Tempo protobuf", CONTENT_TRACE, false,
			      decode_tempo_pb },
	[FORMAT_JAEGER_JSON] = { "Jaeger JSON", CONTENT_TRACE, true,
				 decode_jaeger_json },
	[FORMAT_ZIPKIN_JSON] = { "Zipkin JSON", CONTENT_TRACE, true,
				 decode_zipkin_json },
	[FORMAT_CLOUD_TRACE_JSON] = { "Cloud Trace JSON", CONTENT_TRACE, true,
				      decode_cloud_trace_json },
	[FORMAT_CHROME_SPANS] = { "Chrome trace", CONTENT_TRACE, true,
				  decode_chrome_spans },
	[FORMAT_DATADOG_JSON] = { "Datadog JSON", CONTENT_TRACE, true,
				  decode_datadog_json },
	[FORMAT_XRAY_JSON] = { "AWS X-Ray JSON", CONTENT_TRACE, true,
			       decode_xray_json },
	[FORMAT_PPROF] = { "pprof", CONTENT_PROFILE, false, NULL },
	[FORMAT_FOLDED] = { "folded stacks", CONTENT_PROFILE, true, NULL },
	[FORMAT_PERF_SCRIPT] = { "perf script", CONTENT_PROFILE, true, NULL },
	[FORMAT_CALLGRIND] = { "callgrind", CONTENT_PROFILE, true, NULL },
	[FORMAT_SPEEDSCOPE] = { "speedscope", CONTENT_PROFILE, true, NULL },
	[FORMAT_JFR] = { "flight recording", CONTENT_PROFILE, false, NULL },
	[FORMAT_CHROME_TRACE] = { "Chrome trace", CONTENT_PROFILE, true, NULL },
	[FORMAT_V8_PROFILE] = { "V8 profile", CONTENT_PROFILE, true, NULL },
	[FORMAT_FIREFOX_PROFILE] = { "Firefox profile", CONTENT_PROFILE, true,
				     NULL },
	[FORMAT_OTLP_PROFILES_PB] = { "OTLP profiles", CONTENT_PROFILE, false,
				      NULL },
	[FORMAT_OTLP_PROFILES_JSON] = { "OTLP profiles in JSON",
					CONTENT_PROFILE, true, NULL },
	[FORMAT_PUSHED] = { "pushed profiles", CONTENT_PROFILE, false, NULL },
	[FORMAT_PYROSCOPE_TREE_PB] = { "Pyroscope tree", CONTENT_PROFILE, false,
				       NULL },
	[FORMAT_PYROSCOPE_FLAMEGRAPH_JSON] = { "Pyroscope flame graph JSON",
					       CONTENT_PROFILE, true, NULL },
};

static const struct format_row *row_of(enum format f)
{
	if ((unsigned)f >= sizeof formats / sizeof *formats)
		return &formats[FORMAT_UNKNOWN];
	return &formats[f];
}

const char *format_name(enum format f)
{
	return row_of(f)->name;
}

bool format_is_trace(enum format f)
{
	return row_of(f)->content == CONTENT_TRACE;
}

bool format_is_profile(enum format f)
{
	return row_of(f)->content == CONTENT_PROFILE;
}

/* Skips the byte order mark of Windows editors. */
static struct str format_unmarked(enum format f, struct str bytes)
{
	return row_of(f)->is_text && str_starts(bytes, STR("\xef\xbb\xbf"))
		       ? str_slice(bytes, 3, bytes.len)
		       : bytes;
}

/* Reads the input once; to the decoder, a read error looks like truncation. */
static bool read_once(span_reader *read, struct feed *feed, size_t index,
		      struct trace_build *b, struct notes *notes,
		      struct error *err)
{
	struct taker to = { .b = b, .notes = notes, .source = (uint32_t)index };
	bool is_read;

	feed_seek(feed, 0);
	is_read = read(feed, &to, err);
	return feed_check(feed, err) && is_read;
}

static bool read_source(const struct trace_source *s, size_t index,
			struct trace_build *b, struct notes *notes,
			struct error *err)
{
	const struct format_row *row = row_of(s->format);
	bool is_read =
		row->decode
			? read_once(row->decode, s->feed, index, b, notes, err)
			: error_set(err, ERROR_FORMAT,
				    "%s is not a trace format", row->name);

	if (!is_read && s->name)
		error_prefix(err, "%s", s->name);
	return is_read;
}

/* Times in a wrong unit, once corrected, are within these years. */
#define YEARS_FROM_NS (INT64_C(1262304000) * NS_PER_S) /* 2010 */
#define YEARS_TO_NS (INT64_C(2208988800) * NS_PER_S)   /* 2040 */

static void note_unit(const struct trace *t, struct notes *notes)
{
	static const struct {
		int64_t value;
		const char *text;
	} factors[] = { { 1000, "1,000" },
			{ 1000000, "1,000,000" },
			{ 1000000000, "1,000,000,000" } };
	char year[TIME_RFC3339_BYTES];

	for (size_t i = 0; i < COUNT_OF(factors); i++) {
		if (t->start_ns < YEARS_FROM_NS / factors[i].value ||
		    t->start_ns >= YEARS_TO_NS / factors[i].value)
			continue;
		format_rfc3339(t->start_ns * factors[i].value, year);
		notes_add(notes,
			  "times lie in 1970, and durations are as much too "
			  "short: %s times as long they would be of %.4s, so "
			  "that they seem to be of another unit than the "
			  "format's",
			  factors[i].text, year);
	}
}

bool decode_trace_sources(const struct trace_source *sources, size_t count,
			  const struct trace_id *want, struct trace *out,
			  struct notes *notes, struct error *err)
{
	struct trace_build *b = trace_build_new(out, want, err);
	bool is_decoded = true;

	if (!b)
		return false;
	if (count > 1)
		trace_build_unplaced(b);
	do {
		for (size_t i = 0; is_decoded && i < count; i++)
			is_decoded = read_source(&sources[i], i, b, notes, err);
	} while (is_decoded && trace_build_again(b));
	if (is_decoded && !trace_build_finish(b, err)) {
		if (sources->name)
			error_prefix(err, "%s", sources->name);
		is_decoded = false;
	}
	/* Browsers count from their start. */
	if (is_decoded && sources->format != FORMAT_CHROME_SPANS)
		note_unit(out, notes);
	trace_build_free(b);
	return is_decoded;
}

/* Notes were added in the first reading. */
static bool read_again(const struct trace_source *sources, size_t count,
		       struct trace_build *b, struct error *err)
{
	bool is_read = true;
	struct notes again;

	notes_init(&again);
	for (size_t i = 0; is_read && i < count; i++)
		is_read = read_source(&sources[i], i, b, &again, err);
	return is_read;
}

struct trace_build *decode_linking(const struct trace_source *sources,
				   size_t count, const struct trace_id *to,
				   struct error *err)
{
	struct trace_build *b = trace_build_linking(to, err);

	if (!b)
		return NULL;
	if (count > 1)
		trace_build_unplaced(b);
	if (read_again(sources, count, b, err))
		return b;
	trace_build_free(b);
	return NULL;
}

bool decode_found_trace(const struct trace_source *sources, size_t count,
			const struct trace_build *survey,
			const struct trace_id *id, struct trace *out,
			struct error *err)
{
	struct trace_build *b;
	bool is_done;
	size_t index;

	if (!trace_build_find(survey, id, &index))
		return true;
	b = trace_build_one(survey, index, out, err);
	is_done = b && read_again(sources, count, b, err) &&
		  trace_build_finish(b, err);
	trace_build_free(b);
	return is_done;
}

bool decode_trace_feed(enum format format, struct feed *feed,
		       const struct trace_id *want, struct trace *out,
		       struct notes *notes, struct error *err)
{
	const struct trace_source source = { .format = format, .feed = feed };

	return decode_trace_sources(&source, 1, want, out, notes, err);
}

struct feed *decode_feed(enum format format, struct str bytes,
			 struct error *err)
{
	return feed_new(format_unmarked(format, bytes), err);
}

bool decode_trace(enum format format, struct str bytes,
		  const struct trace_id *want, struct trace *out,
		  struct notes *notes, struct error *err)
{
	struct feed *feed = decode_feed(format, bytes, err);
	bool is_decoded;

	if (!feed)
		return false;
	is_decoded = decode_trace_feed(format, feed, want, out, notes, err);
	feed_free(feed);
	return is_decoded;
}

/* ---- all traces of an input ---- */

/* Notes were added in the survey. */
static bool read_one(span_reader *read, struct feed *feed,
		     const struct trace_build *survey, size_t index,
		     struct trace *t, struct error *err)
{
	struct notes again;
	struct trace_build *b;
	bool is_read;

	notes_init(&again);
	t->wants_details = true;
	b = trace_build_one(survey, index, t, err);
	if (!b)
		return false;
	is_read = read_once(read, feed, 0, b, &again, err) &&
		  trace_build_finish(b, err);
	trace_build_free(b);
	return is_read;
}

bool decode_each_trace(enum format format, struct feed *feed,
		       bool (*take)(void *context, const struct trace *t,
				    struct error *err),
		       void *context, struct notes *notes, struct error *err)
{
	span_reader *read = row_of(format)->decode;
	struct trace_build *b;
	struct trace t;
	bool is_done;
	size_t count;

	if (!read)
		return error_set(err, ERROR_FORMAT, "%s is not a trace format",
				 format_name(format));
	trace_init(&t);
	t.wants_details = true;
	b = trace_build_new(&t, NULL, err);
	is_done = b && read_once(read, feed, 0, b, notes, err);
	count = is_done ? trace_build_count(b) : 0;
	if (count == 1)
		is_done = trace_build_finish(b, err) &&
			  (!t.span_count || take(context, &t, err));
	for (size_t i = 0; count > 1 && is_done && i < count; i++) {
		trace_release(&t);
		trace_init(&t);
		is_done = read_one(read, feed, b, i, &t, err) &&
			  take(context, &t, err);
	}
	trace_release(&t);
	trace_build_free(b);
	return is_done;
}

struct str decode_plain(struct str bytes, const char *name, struct buf *storage,
			struct error *err)
{
	if (packing_of(bytes) == PACKING_NONE)
		return bytes;
	if (!gz_inflate(bytes, name, storage, err))
		return (struct str){ NULL, 0 };
	return buf_str(storage);
}

static const struct row {
	enum format format;
	profile_decoder *decode; /* for complete input, or NULL */
	profile_streamer *stream;
	bool has_labels; /* samples have labels */
} decoders[] = {
	{ FORMAT_PPROF, NULL, decode_pprof_feed, true },
	{ FORMAT_FOLDED, NULL, decode_folded_feed, false },
	{ FORMAT_SPEEDSCOPE, NULL, decode_speedscope, false },
	{ FORMAT_PERF_SCRIPT, NULL, decode_perf_script, false },
	{ FORMAT_CALLGRIND, decode_callgrind, NULL, false },
	{ FORMAT_JFR, NULL, decode_jfr_feed, false },
	{ FORMAT_CHROME_TRACE, NULL, decode_chrome_trace, false },
	{ FORMAT_V8_PROFILE, NULL, decode_v8_profile, false },
	{ FORMAT_FIREFOX_PROFILE, NULL, decode_firefox_profile, false },
	{ FORMAT_OTLP_PROFILES_PB, decode_otlp_profiles, NULL, true },
	{ FORMAT_OTLP_PROFILES_JSON, decode_otlp_profiles_json, NULL, true },
	{ FORMAT_PUSHED, decode_pushed, NULL, true },
	{ FORMAT_PYROSCOPE_TREE_PB, decode_pyroscope_tree, NULL, false },
	{ FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, decode_flamegraph_json, NULL,
	  false },
};

static const struct row *profile_row_of(enum format format)
{
	for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
		if (decoders[i].format == format)
			return &decoders[i];
	return NULL;
}

/* Returns whether a format can be streamed; Tempo's is only recognised as a
 * whole. */
bool format_is_streamed(enum format f)
{
	const struct row *row = profile_row_of(f);

	return row ? row->stream != NULL
		   : row_of(f)->decode && f != FORMAT_TEMPO_PB;
}

static bool stream_bytes(profile_streamer *stream, struct str bytes,
			 const struct profile_want *want, struct profile *out,
			 struct notes *notes, struct error *err)
{
	struct feed *feed = feed_new(bytes, err);
	bool is_done = feed && stream(feed, want, out, notes, err);

	feed_free(feed);
	return is_done;
}

bool decode_pprof(struct str bytes, const struct profile_want *want,
		  struct profile *out, struct notes *notes, struct error *err)
{
	return stream_bytes(decode_pprof_feed, bytes, want, out, notes, err);
}

bool decode_folded(struct str bytes, const struct profile_want *want,
		   struct profile *out, struct notes *notes, struct error *err)
{
	return stream_bytes(decode_folded_feed, bytes, want, out, notes, err);
}

bool decode_jfr(struct str bytes, const struct profile_want *want,
		struct profile *out, struct notes *notes, struct error *err)
{
	return stream_bytes(decode_jfr_feed, bytes, want, out, notes, err);
}

static bool refuse_labels(enum format format, const struct profile_want *want,
			  struct error *err)
{
	const struct row *row = profile_row_of(format);

	if (!want || !want->labels || (row && row->has_labels))
		return true;
	return error_set(err, ERROR_USAGE,
			 "samples of %s have no labels to choose them by",
			 format_name(format));
}

static const struct profile_want anything = { .type = { "", 0 } };

static bool fail_format(enum format format, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%s is not a profile",
			 format_name(format));
}

static bool profile_finish(const struct profile *out,
			   const struct profile_want *want, struct notes *notes,
			   struct error *err)
{
	type_note_others(out, want, notes);
	return profile_check(out, err);
}

bool decode_profile(enum format format, struct str bytes,
		    const struct profile_want *want, struct profile *out,
		    struct notes *notes, struct error *err)
{
	const struct row *row = profile_row_of(format);

	if (!refuse_labels(format, want, err))
		return false;
	if (!row)
		return fail_format(format, err);
	want = want ? want : &anything;
	bytes = format_unmarked(format, bytes);
	return (row->stream ? stream_bytes(row->stream, bytes, want, out, notes,
					   err)
			    : row->decode(bytes, want, out, notes, err)) &&
	       profile_finish(out, want, notes, err);
}

bool decode_profile_feed(enum format format, struct feed *feed,
			 const struct profile_want *want, struct profile *out,
			 struct notes *notes, struct error *err)
{
	const struct row *row = profile_row_of(format);
	bool is_read;

	if (!refuse_labels(format, want, err))
		return false;
	if (!row || !row->stream)
		return fail_format(format, err);
	want = want ? want : &anything;
	is_read = row->stream(feed, want, out, notes, err);
	/* To the decoder, a read error looks like truncation. */
	return feed_check(feed, err) && is_read &&
	       profile_finish(out, want, notes, err);
}

/* Search responses, collected from what span readers pass on. */

static bool read_answer(span_reader *read, struct str bytes, struct taker *to,
			struct error *err)
{
	struct feed *feed = feed_new(bytes, err);
	bool is_read;

	if (!feed)
		return false;
	taker_init(to);
	is_read = read(feed, to, err);
	taker_release(to);
	feed_free(feed);
	return is_read;
}

bool decode_search(span_reader *read, struct str bytes, struct history *h,
		   const struct history_want *want, struct error *err)
{
	struct gather gather;
	struct taker to = { .gather = &gather };

	gather_init(&gather, h, want);
	return gather_finish(&gather, read_answer(read, bytes, &to, err), err);
}

bool decode_jaeger_search(struct str bytes, struct history *h,
			  const struct history_want *want, struct error *err)
{
	return decode_search(decode_otlp_json, bytes, h, want, err);
}

bool decode_jaeger_search_legacy(struct str bytes, struct history *h,
				 const struct history_want *want,
				 struct error *err)
{
	return decode_search(decode_jaeger_json, bytes, h, want, err);
}

bool decode_cloud_trace_search(struct str bytes, struct history *h,
			       const struct history_want *want,
			       struct error *err)
{
	return decode_search(decode_cloud_trace_json, bytes, h, want, err);
}

bool decode_cloud_trace_services(struct str bytes, struct service_watch *watch,
				 struct error *err)
{
	struct taker to = { .watch = watch };

	return read_answer(decode_cloud_trace_json, bytes, &to, err);
}
