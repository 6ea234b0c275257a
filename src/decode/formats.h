/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoders, one a format; decode.c holds the tables that choose among them.
 * All take untrusted plain bytes.
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

/* Hands the spans of its input to a taker; the caller finishes. */
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

/* Reads a search's answer: see decode/history.h. */
bool decode_search(span_reader *read, struct str bytes, struct history *h,
		   const struct history_want *want,
		   struct error *err) MUST_CHECK;

/* Fills an initialised profile, of bytes or of a format that is streamed. */
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

/* Recognises what callgrind writes, and others in its format. Private to
 * decode/. */

/* Returns whether a line of the first ones names the events that are counted,
 * and functions follow. */
bool callgrind_is(struct str text);

/* Recognises what `perf script` prints. Private to decode/. */

/* Returns whether the first sample of the text reads like one. */
bool perf_script_is(struct str text);

/* The tree of bytes in which Pyroscope packs a profile. Private to decode/. */

/* TREE bytes of Pyroscope into stacks; *cut_off grows by
 * what lies under "other". */
bool tree_read(struct str bytes, struct profile_build *build, int64_t *cut_off,
	       struct error *err) MUST_CHECK;

/* Answers of Prometheus' HTTP API: instant and range queries, exemplars, lists
 * of label values and of series. */

/* Which of them it is: the answer itself does not say. */
enum metric_form {
	METRIC_FORM_QUERY,
	METRIC_FORM_EXEMPLARS,
	METRIC_FORM_NAMES,
	METRIC_FORM_SERIES
};

/* Fills out with what the arena then holds. Values that are no finite numbers
 * are left out. ERROR_LIMIT past LIMIT_METRIC_SERIES or LIMIT_METRIC_POINTS. */
bool decode_prometheus(struct str body, enum metric_form form,
		       struct arena *arena, struct metric_answer *out,
		       struct error *err) MUST_CHECK;

/* Answers that count durations. */

/* Tempo's answer to histogram_over_time(), of an instant or a range query.
 * ERROR_PARTIAL when the server says that it left spans out, ERROR_FORMAT on
 * damage. No series is a histogram without durations. */
bool decode_tempo_histogram(struct str bytes, struct duration_buckets *out,
			    struct error *err) MUST_CHECK;

/* Answers that measure spans in steps of time, by an attribute. */

/* Tempo's answer to a range query with by(ATTRIBUTE), a value for each step,
 * which is the server's own. Rows live in the arena. Points outside the steps
 * and values that are no numbers are left out. ERROR_PARTIAL when the server
 * says that it left spans out, ERROR_FORMAT on damage. */
bool decode_tempo_steps(struct str bytes, const struct steps *steps,
			struct arena *arena, struct step_rows *out,
			struct error *err) MUST_CHECK;

/* Stacks told as nodes, each with one frame, the node of its caller and the
 * value of the stack that ends there. Private to decode/. */

#define FRAME_NODE_NONE UINT32_MAX

struct frame_node {
	uint32_t caller; /* index of a node, FRAME_NODE_NONE of a root */
	uint32_t frame;  /* of the model, FRAME_NODE_NONE: not shown */
	int64_t value;
};

/* Turns the frames of a stack round. */
void frames_turn_round(uint32_t *frames, size_t count);

/* Adds the stacks of all nodes with a value to the build. Callers must be
 * indices in range; a node that calls itself by others is ERROR_FORMAT. `what`
 * is the thing being read, such as "the profile". */
bool frame_nodes_stacks(const struct frame_node *nodes, size_t count,
			struct profile_build *build, const char *what,
			struct error *err) MUST_CHECK;

#endif
