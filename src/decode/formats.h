/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoders, one per format; decode.c has the tables that select them. All
 * take untrusted, uncompressed bytes.
 */
#ifndef DECODE_FORMATS_H
#define DECODE_FORMATS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/notes.h"
#include "base/str.h"
#include "model/metrics.h"
#include "model/profile.h"

struct history;
struct history_want;
struct profile_want;
struct taker;

/* Passes all spans of the input to a taker; the caller finishes it. */
typedef bool span_reader(struct feed *feed, struct taker *to,
			 struct error *err);

span_reader decode_otlp_json MUST_CHECK;
span_reader decode_otlp_pb MUST_CHECK;
span_reader decode_tempo_pb MUST_CHECK;
span_reader decode_jaeger_json MUST_CHECK;
span_reader decode_cloud_trace_json MUST_CHECK;
span_reader decode_zipkin_json MUST_CHECK;
span_reader decode_chrome_spans MUST_CHECK;
span_reader decode_datadog_json MUST_CHECK;
span_reader decode_xray_json MUST_CHECK;

/* Reads a search response with a span reader, see decode/history.h. */
bool decode_search(span_reader *read, struct str bytes, struct history *h,
		   const struct history_want *want,
		   struct error *err) MUST_CHECK;

/* Decode into an initialised profile, from memory or from a feed. */
typedef bool profile_decoder(struct str bytes, const struct profile_want *want,
			     struct profile *out, struct notes *notes,
			     struct error *err);
typedef bool profile_streamer(struct feed *feed,
			      const struct profile_want *want,
			      struct profile *out, struct notes *notes,
			      struct error *err);

profile_decoder decode_pprof MUST_CHECK;
profile_streamer decode_pprof_feed MUST_CHECK;
profile_decoder decode_folded MUST_CHECK;
profile_streamer decode_folded_feed MUST_CHECK;
profile_streamer decode_perf_script MUST_CHECK;
profile_decoder decode_callgrind MUST_CHECK;
profile_decoder decode_jfr MUST_CHECK;
profile_streamer decode_jfr_feed MUST_CHECK;
profile_streamer decode_chrome_trace MUST_CHECK;
profile_streamer decode_v8_profile MUST_CHECK;
profile_streamer decode_firefox_profile MUST_CHECK;
profile_decoder decode_otlp_profiles MUST_CHECK;
profile_decoder decode_otlp_profiles_json MUST_CHECK;
profile_decoder decode_pushed MUST_CHECK;
profile_decoder decode_pyroscope_tree MUST_CHECK;
profile_streamer decode_speedscope MUST_CHECK;
profile_decoder decode_flamegraph_json MUST_CHECK;

/* Detection of Callgrind files. Private to decode/. */

/* Returns whether one of the first lines declares the events counted, and
 * functions follow. */
bool callgrind_is(struct str text);

/* Detection of `perf script` output. Private to decode/. */

/* Returns whether the first sample of the text parses. */
bool perf_script_is(struct str text);

/* Pyroscope's binary tree of a profile. Private to decode/. */

/* Adds the stacks of a Pyroscope tree; *cut_off grows by the value of
 * "other". */
bool tree_read(struct str bytes, struct profile_build *build, int64_t *cut_off,
	       struct error *err) MUST_CHECK;

/* Responses of the Prometheus HTTP API: instant and range queries, exemplars,
 * label values and series. */

/* The kind of response, which the response itself does not contain. */
enum metric_form {
	METRIC_FORM_QUERY,
	METRIC_FORM_EXEMPLARS,
	METRIC_FORM_NAMES,
	METRIC_FORM_SERIES
};

/* Fills out, whose contents are in the arena. Non-finite values are left out.
 * ERROR_LIMIT past LIMIT_METRIC_SERIES or LIMIT_METRIC_POINTS. */
bool decode_prometheus(struct str body, enum metric_form form,
		       struct arena *arena, struct metric_answer *out,
		       struct error *err) MUST_CHECK;

/* Duration histograms. */

/* Decodes Tempo's response to histogram_over_time(), of an instant or a range
 * query. ERROR_PARTIAL if the server left spans out, ERROR_FORMAT on damage.
 * Without series the histogram is empty. */
bool decode_tempo_histogram(struct str bytes, struct duration_buckets *out,
			    struct error *err) MUST_CHECK;

/* Measurements of spans per time step, by an attribute. */

/* Decodes Tempo's response to a range query with by(ATTRIBUTE), whose steps
 * must be the server's. Rows live in the arena. Points outside the steps and
 * values that are not numbers are left out. ERROR_PARTIAL if the server left
 * spans out, ERROR_FORMAT on damage. */
bool decode_tempo_steps(struct str bytes, const struct steps *steps,
			struct arena *arena, struct step_rows *out,
			struct error *err) MUST_CHECK;

/* Stacks as a tree of nodes, each with a frame, a link to its caller and the
 * value of the stack that ends there. Private to decode/. */

#define FRAME_NODE_NONE UINT32_MAX

struct frame_node {
	uint32_t caller; /* index of a node, FRAME_NODE_NONE for a root */
	uint32_t frame;  /* of the model; FRAME_NODE_NONE: hidden */
	int64_t value;
};

/* Reverses the frames of a stack. */
void frames_turn_round(uint32_t *frames, size_t count);

/* Adds the stacks of all nodes with a value to the build. Callers must be valid
 * indices; a cycle is ERROR_FORMAT. `what` is the thing being read, such as
 * "the profile". */
bool frame_nodes_stacks(const struct frame_node *nodes, size_t count,
			struct profile_build *build, const char *what,
			struct error *err) MUST_CHECK;

#endif
