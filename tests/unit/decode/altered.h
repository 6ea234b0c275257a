/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents that hold every member a decoder knows, and what is read of them
 * as text. Tests alter them a little at a time: what must not matter leaves
 * the text as it was, what does damage is refused in words, and what becomes
 * of a lack of memory is told.
 */
#ifndef TESTS_ALTERED_H
#define TESTS_ALTERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../starving.h"
#include "base/buf.h"
#include "base/error.h"

/* What was read, a line each, appended to `told`. */
typedef bool (*teller)(struct str bytes, struct buf *told, struct error *err);

bool tell_otlp_json(struct str bytes, struct buf *told, struct error *err);
bool tell_otlp_pb(struct str bytes, struct buf *told, struct error *err);
bool tell_tempo_pb(struct str bytes, struct buf *told, struct error *err);
bool tell_jaeger(struct str bytes, struct buf *told, struct error *err);
bool tell_zipkin(struct str bytes, struct buf *told, struct error *err);
bool tell_chrome_spans(struct str bytes, struct buf *told, struct error *err);
bool tell_datadog(struct str bytes, struct buf *told, struct error *err);
bool tell_xray(struct str bytes, struct buf *told, struct error *err);
bool tell_cloud_trace(struct str bytes, struct buf *told, struct error *err);

/* Searches, as lists of traces and as spans of operations. */
bool tell_tempo_hits(struct str bytes, struct buf *told, struct error *err);
bool tell_tempo_history(struct str bytes, struct buf *told, struct error *err);
bool tell_tempo_pb_hits(struct str bytes, struct buf *told, struct error *err);
bool tell_tempo_pb_history(struct str bytes, struct buf *told,
			   struct error *err);
bool tell_jaeger_hits(struct str bytes, struct buf *told, struct error *err);
bool tell_jaeger_history(struct str bytes, struct buf *told, struct error *err);
bool tell_legacy_hits(struct str bytes, struct buf *told, struct error *err);
bool tell_legacy_history(struct str bytes, struct buf *told, struct error *err);
bool tell_cloud_hits(struct str bytes, struct buf *told, struct error *err);
bool tell_cloud_history(struct str bytes, struct buf *told, struct error *err);

bool tell_tempo_counts(struct str bytes, struct buf *told, struct error *err);
bool tell_jaeger_counts(struct str bytes, struct buf *told, struct error *err);
bool tell_histogram(struct str bytes, struct buf *told, struct error *err);
bool tell_cloud_page(struct str bytes, struct buf *told, struct error *err);
bool tell_cloud_take(struct str bytes, struct buf *told, struct error *err);

bool tell_labelled(struct str bytes, struct buf *told, struct error *err);
bool tell_pprof(struct str bytes, struct buf *told, struct error *err);
bool tell_otlp_profiles(struct str bytes, struct buf *told, struct error *err);
bool tell_pyroscope(struct str bytes, struct buf *told, struct error *err);
bool tell_flame_json(struct str bytes, struct buf *told, struct error *err);
bool tell_speedscope(struct str bytes, struct buf *told, struct error *err);
bool tell_chrome(struct str bytes, struct buf *told, struct error *err);
bool tell_v8(struct str bytes, struct buf *told, struct error *err);
bool tell_folded(struct str bytes, struct buf *told, struct error *err);
bool tell_perf(struct str bytes, struct buf *told, struct error *err);

/* What came of a reading. */
struct told {
	bool is_read;
	struct buf text;
	struct error err;
};

/* Fails the test when the outcome contradicts itself. */
void told_read(struct told *t, teller tell, struct str bytes);
void told_release(struct told *t);
bool told_equal(const struct told *a, const struct told *b);

/* Every allocation fails, once and from then on: read as ever, or told. */
void expect_starving_told(const char *name, teller tell, struct str bytes);

#endif
