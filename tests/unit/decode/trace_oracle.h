/* SPDX-License-Identifier: Apache-2.0
 *
 * A second, naive opinion on trace documents, through jansson and generated
 * protobuf code. Both opinions become the same text: one line a span, sorted.
 */
#ifndef TESTS_TRACE_ORACLE_H
#define TESTS_TRACE_ORACLE_H

#include "decode/decode.h"

/* What a dump leaves out, so that formats that lose it can be compared. */
enum dump_flags {
	DUMP_MICROSECONDS = 1 << 0, /* start and length in whole us */
	DUMP_NO_WARNINGS = 1 << 1,  /* @jaeger@warnings */
};

/* Contents of a file under TESTDATA, unpacked when gzip; fails the test when
 * it cannot be read. Release with free(). */
struct str oracle_load(const char *path);

/* All files that match the pattern under TESTDATA; calls back with the path
 * relative to it. Returns how many. */
int oracle_each(const char *pattern, void (*call)(const char *path));

/* Release with free(). want is 32 hex digits or NULL for all spans. */
char *oracle_dump_model(const struct trace *t, unsigned flags);
char *oracle_dump_json(struct str bytes, const char *want, unsigned flags);
char *oracle_dump_pb(struct str bytes, bool is_tempo, unsigned flags);

/* Decodes and dumps; fails the test when decoding fails. */
char *oracle_decode(enum format format, struct str bytes, const char *want,
		    unsigned flags);

/* Fails the test, showing the first line that differs. */
void oracle_compare(const char *path, const char *got, const char *expected);

#endif
