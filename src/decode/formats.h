/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoders, one a format; decode.c and decode_profile.c hold the tables
 * that choose among them. All take untrusted plain bytes.
 */
#ifndef DECODE_FORMATS_H
#define DECODE_FORMATS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/feed.h"
#include "base/notes.h"
#include "base/str.h"
#include "model/profile.h"

struct history;
struct history_want;
struct profile_want;
struct taker;

/* Hands the spans of its input to a taker; the caller finishes. */
typedef bool span_reader(struct feed *feed, struct taker *to,
			 struct error *err);

bool decode_otlp_json(struct feed *feed, struct taker *to,
		      struct error *err) MUST_CHECK;
bool decode_otlp_pb(struct feed *feed, struct taker *to,
		    struct error *err) MUST_CHECK;
bool decode_tempo_pb(struct feed *feed, struct taker *to,
		     struct error *err) MUST_CHECK;
bool decode_jaeger_json(struct feed *feed, struct taker *to,
			struct error *err) MUST_CHECK;
bool decode_cloud_trace_json(struct feed *feed, struct taker *to,
			     struct error *err) MUST_CHECK;
bool decode_zipkin_json(struct feed *feed, struct taker *to,
			struct error *err) MUST_CHECK;

/* What is read is a search's answer: see decode/history.h. */
bool decode_search(span_reader *read, struct str bytes, struct history *h,
		   const struct history_want *want,
		   struct error *err) MUST_CHECK;

/* Each fills an initialised profile. */
bool decode_pprof(struct str bytes, const struct profile_want *want,
		  struct profile *out, struct notes *notes,
		  struct error *err) MUST_CHECK;
bool decode_pprof_feed(struct feed *feed, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err) MUST_CHECK;
bool decode_folded(struct str bytes, const struct profile_want *want,
		   struct profile *out, struct notes *notes,
		   struct error *err) MUST_CHECK;
bool decode_folded_feed(struct feed *feed, const struct profile_want *want,
			struct profile *out, struct notes *notes,
			struct error *err) MUST_CHECK;
bool decode_perf_script(struct str bytes, const struct profile_want *want,
			struct profile *out, struct notes *notes,
			struct error *err) MUST_CHECK;
bool decode_pyroscope_tree(struct str bytes, const struct profile_want *want,
			   struct profile *out, struct notes *notes,
			   struct error *err) MUST_CHECK;
bool decode_speedscope(struct str bytes, const struct profile_want *want,
		       struct profile *out, struct notes *notes,
		       struct error *err) MUST_CHECK;
bool decode_flamegraph_json(struct str bytes, const struct profile_want *want,
			    struct profile *out, struct notes *notes,
			    struct error *err) MUST_CHECK;

#endif
