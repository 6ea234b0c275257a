/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode.h"
#include "decode/formats.h"
#include "decode/profile_type.h"

static const struct row {
	enum format format;
	profile_decoder *decode;
	profile_streamer *stream; /* or NULL */
	bool has_labels;          /* of samples */
} decoders[] = {
	{ FORMAT_PPROF, decode_pprof, decode_pprof_feed, true },
	{ FORMAT_FOLDED, decode_folded, decode_folded_feed, false },
	{ FORMAT_SPEEDSCOPE, decode_speedscope, NULL, false },
	{ FORMAT_PERF_SCRIPT, decode_perf_script, NULL, false },
	{ FORMAT_CALLGRIND, decode_callgrind, NULL, false },
	{ FORMAT_JFR, decode_jfr, NULL, false },
	{ FORMAT_CHROME_TRACE, decode_chrome_trace, NULL, false },
	{ FORMAT_V8_PROFILE, decode_v8_profile, NULL, false },
	{ FORMAT_FIREFOX_PROFILE, decode_firefox_profile, NULL, false },
	{ FORMAT_OTLP_PROFILES_PB, decode_otlp_profiles, NULL, true },
	{ FORMAT_OTLP_PROFILES_JSON, decode_otlp_profiles_json, NULL, true },
	{ FORMAT_PUSHED, decode_pushed, NULL, true },
	{ FORMAT_PYROSCOPE_TREE_PB, decode_pyroscope_tree, NULL, false },
	{ FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, decode_flamegraph_json, NULL,
	  false },
};

static const struct row *row_of(enum format format)
{
	for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
		if (decoders[i].format == format)
			return &decoders[i];
	return NULL;
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

static bool refuse_labels(enum format format, const struct profile_want *want,
			  struct error *err)
{
	const struct row *row = row_of(format);

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

static bool finish(const struct profile *out, const struct profile_want *want,
		   struct notes *notes, struct error *err)
{
	type_note_others(out, want, notes);
	return profile_check(out, err);
}

bool decode_profile(enum format format, struct str bytes,
		    const struct profile_want *want, struct profile *out,
		    struct notes *notes, struct error *err)
{
	const struct row *row = row_of(format);

	if (!refuse_labels(format, want, err))
		return false;
	if (!row)
		return fail_format(format, err);
	want = want ? want : &anything;
	return row->decode(format_unmarked(format, bytes), want, out, notes,
			   err) &&
	       finish(out, want, notes, err);
}

bool decode_profile_feed(enum format format, struct feed *feed,
			 const struct profile_want *want, struct profile *out,
			 struct notes *notes, struct error *err)
{
	const struct row *row = row_of(format);

	if (!refuse_labels(format, want, err))
		return false;
	if (!row || !row->stream)
		return fail_format(format, err);
	want = want ? want : &anything;
	return row->stream(feed, want, out, notes, err) &&
	       finish(out, want, notes, err);
}
