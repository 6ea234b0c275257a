/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the JSON trace decoders: combines the pull parser and the taker. A
 * failure of either stops the parser, so that every loop ends;
 * trace_json_finish() reports which it was.
 */
#ifndef DECODE_TRACE_JSON_H
#define DECODE_TRACE_JSON_H

#include "base/feed.h"
#include "base/json.h"
#include "decode/taker.h"
#include "decode/values.h"

/* Longer than any key in use; those that are kept are under 64. */
#define ATTR_KEY_BYTES 256

struct trace_json {
	struct json_reader *r;
	struct taker *to;
	struct value_text value;
	struct buf late;    /* a value that has to wait for another */
	bool has_short_ids; /* producers omit leading zeros */
	bool is_enough;     /* no more spans are needed */
	struct error err;   /* of the taker, if any */
	/* The server's own error: the start of its message, and a code such as
	 * 404. */
	bool has_server_error;
	int64_t server_code;
	char server_error[LIMIT_NOTE_BYTES / 2];
};

/* A key that outlives the next call of the parser. */
struct attr_key {
	char text[ATTR_KEY_BYTES];
	size_t len;
};

/* Everything is borrowed until trace_json_finish(), which must be called if
 * this returns true. */
bool trace_json_init(struct trace_json *t, struct feed *feed, struct taker *to,
		     struct error *err) MUST_CHECK;

/* Resuming (model/trace.h): call when a list item begins that contains all of
 * its spans. Returns false if the decoder may stop, and sets is_enough. */
bool trace_json_at(struct trace_json *t);
/* Reports that the following spans are not in such an item. */
void trace_json_nowhere(struct trace_json *t);
/* Moves to the item where the second reading begins; returns true if there is
 * one. */
bool trace_json_resume(struct trace_json *t);
/* Skips to the end of the document, unless is_enough. */
void trace_json_leave(struct trace_json *t);

/* Reports the outcome and releases. `what` names the format. If a single trace
 * was requested, a server error without any span is a failure; with spans, the
 * trace is noted as partial. */
bool trace_json_finish(struct trace_json *t, const char *what,
		       struct error *err) MUST_CHECK;

/* Reads a string, "" for null, truncated to size and NUL-terminated. */
void trace_json_copy(struct trace_json *t, char *out, size_t size);

/* Read a string and intern it if the taker keeps it. */
uint32_t trace_json_symbol(struct trace_json *t);
void trace_json_name(struct trace_json *t, struct span_input *in);

/* Converts microseconds to nanoseconds. Saturates; takers handle absurd
 * times. */
uint64_t trace_json_ns(uint64_t time_us);

/* Read a string as an id (values.h); anything else fails. */
uint64_t trace_json_span_id(struct trace_json *t);
void trace_json_trace_id(struct trace_json *t, struct trace_id *id);

/* Enter the list of a span's events or links, if needed. */
bool trace_json_enter_events(struct trace_json *t) MUST_CHECK;
bool trace_json_enter_links(struct trace_json *t) MUST_CHECK;

/* Read a string into a key; if too long it becomes "". */
void trace_json_key(struct trace_json *t, struct attr_key *key);
void attr_key_set(struct attr_key *key, struct str text);
struct str attr_key_str(const struct attr_key *key);

/* Returns the value in t->value; false, having stopped the parser, when out of
 * memory. */
bool trace_json_value(struct trace_json *t, struct str *text) MUST_CHECK;

/* Adds the value in t->value under the key, if kept. */
void trace_json_attr(struct trace_json *t, struct str key);

/* Reads a string, number or boolean into t->value; skips anything else. */
void trace_json_plain_value(struct trace_json *t);

/* Recognises OpenTelemetry's status in formats that only have tags: if the tag
 * is one of its two, stores the text in *in; else returns false. */
bool trace_json_status_tag(struct trace_json *t, struct str key,
			   struct str text, struct span_input *in);

/* Reads a server's error object or list: message and code. */
void trace_json_server_error(struct trace_json *t);

/* Saves the raw bytes of the next value in t->late, unless there are some
 * already; trace_json_read_late() reads them with `read` and clears them. */
void trace_json_keep_late(struct trace_json *t);
void trace_json_read_late(struct trace_json *t,
			  void (*read)(struct trace_json *t));

/* Stops the parser if a call of the taker failed. */
bool trace_json_taken(struct trace_json *t, bool is_taken);

#endif
