/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode.h"
#include "decode/formats.h"

typedef bool (*profile_decoder)(struct str bytes,
				const struct profile_want *want,
				struct profile *out, struct notes *notes,
				struct error *err);

static const struct {
	enum format format;
	profile_decoder decode;
} decoders[] = {
	{ FORMAT_PPROF, decode_pprof },
	{ FORMAT_FOLDED, decode_folded },
	{ FORMAT_SPEEDSCOPE, decode_speedscope },
	{ FORMAT_PERF_SCRIPT, decode_perf_script },
	{ FORMAT_PYROSCOPE_TREE_PB, decode_pyroscope_tree },
	{ FORMAT_PYROSCOPE_FLAMEGRAPH_JSON, decode_flamegraph_json },
};

static bool refuse_labels(enum format format, const struct profile_want *want,
			  struct error *err)
{
	if (!want || !want->labels || format == FORMAT_PPROF)
		return true;
	return error_set(err, ERROR_USAGE,
			 "samples of %s have no labels to choose them by",
			 format_name(format));
}

static const struct profile_want anything = { .type = { "", 0 } };

bool decode_profile(enum format format, struct str bytes,
		    const struct profile_want *want, struct profile *out,
		    struct notes *notes, struct error *err)
{
	if (!refuse_labels(format, want, err))
		return false;
	for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
		if (decoders[i].format == format)
			return decoders[i].decode(bytes,
						  want ? want : &anything, out,
						  notes, err) &&
			       profile_check(out, err);
	return error_set(err, ERROR_FORMAT, "%s is not a profile",
			 format_name(format));
}

bool decode_profile_feed(enum format format, struct feed *feed,
			 const struct profile_want *want, struct profile *out,
			 struct notes *notes, struct error *err)
{
	if (!refuse_labels(format, want, err))
		return false;
	if (format != FORMAT_FOLDED)
		return error_set(err, ERROR_FORMAT, "%s is not a profile",
				 format_name(format));
	return decode_folded_feed(feed, want ? want : &anything, out, notes,
				  err) &&
	       profile_check(out, err);
}
