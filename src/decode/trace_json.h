/* SPDX-License-Identifier: Apache-2.0
 *
 * Common ground of the readers of spans in JSON: the pull reader and the taker
 * side by side. Failures of either stop the reader, so that every loop ends;
 * trace_json_finish() tells which it was.
 */
#ifndef DECODE_TRACE_JSON_H
#define DECODE_TRACE_JSON_H

#include "base/feed.h"
#include "base/json.h"
#include "decode/taker.h"
#include "decode/values.h"

/* Longer keys than any convention has; those that are kept stay under 64. */
#define ATTR_KEY_BYTES 256

struct trace_json {
	struct json_reader *r;
	struct taker *to;
	struct value_text value;
	struct buf late;    /* a value that has to wait for another */
	bool has_short_ids; /* producers leave zeros out in front */
	bool is_enough;     /* nothing that is wanted comes any more */
	struct error err;   /* failure of the taker, if any */
	/* The server's own error: its first words, and 404 or the like. */
	bool has_server_error;
	int64_t server_code;
	char server_error[LIMIT_NOTE_BYTES / 2];
};

/* A key that outlives the next call of the reader. */
struct attr_key {
	char text[ATTR_KEY_BYTES];
	size_t len;
};

/* Everything is borrowed until trace_json_finish(), which is due when this
 * gave true. */
bool trace_json_init(struct trace_json *t, struct feed *feed, struct taker *to,
		     struct error *err) MUST_CHECK;

/* Taking the input up again (model/trace.h): an item of a list is announced
 * whose spans stand in it alone. False when the decoder may stop, which
 * is_enough says from then on. */
bool trace_json_at(struct trace_json *t);
/* Spans to come stand in no such item. */
void trace_json_nowhere(struct trace_json *t);
/* True when an item is announced where the second reading begins. */
bool trace_json_resume(struct trace_json *t);
/* To the end of the document, unless it is enough. */
void trace_json_leave(struct trace_json *t);

/* Tells the outcome and releases. `what` names the format. Where one trace is
 * wanted, nothing but a server's error is a failure. */
bool trace_json_finish(struct trace_json *t, const char *what,
		       struct error *err) MUST_CHECK;

/* A string's text, "" for null, cut to size and NUL-terminated. */
void trace_json_copy(struct trace_json *t, char *out, size_t size);

/* The same, interned where the taker keeps it. */
uint32_t trace_json_symbol(struct trace_json *t);
void trace_json_name(struct trace_json *t, struct span_input *in);

/* Microseconds as nanoseconds. Out of range becomes the largest time, which
 * takers sort out. */
uint64_t trace_json_ns(uint64_t time_us);

/* A string that is an id (values.h); any other fails. */
uint64_t trace_json_span_id(struct trace_json *t);
void trace_json_trace_id(struct trace_json *t, struct trace_id *id);

/* The list of a span's events or of its links, entered if they are wanted. */
bool trace_json_enter_events(struct trace_json *t) MUST_CHECK;
bool trace_json_enter_links(struct trace_json *t) MUST_CHECK;

/* A string into a key; one that is too long becomes "". */
void trace_json_key(struct trace_json *t, struct attr_key *key);
void attr_key_set(struct attr_key *key, struct str text);
struct str attr_key_str(const struct attr_key *key);

/* Returns the value that t->value holds; false, and the reader stopped, when
 * memory failed. */
bool trace_json_value(struct trace_json *t, struct str *text) MUST_CHECK;

/* Adds what t->value holds under the key, when kept. */
void trace_json_attr(struct trace_json *t, struct str key);

/* A string, number or boolean into t->value; any other is passed over. */
void trace_json_plain_value(struct trace_json *t);

/* OpenTelemetry's status where there are only tags: when the tag is one of
 * its two, the text goes into *in; else false. */
bool trace_json_status_tag(struct trace_json *t, struct str key,
			   struct str text, struct span_input *in);

/* A server's error object or list: message and code. */
void trace_json_server_error(struct trace_json *t);

/* Keeps the value that comes next, its bytes, in t->late, unless there is one;
 * trace_json_read_late() reads it with `read` and forgets it. */
void trace_json_keep_late(struct trace_json *t);
void trace_json_read_late(struct trace_json *t,
			  void (*read)(struct trace_json *t));

/* Stops the reader when a call of the taker failed. */
bool trace_json_taken(struct trace_json *t, bool is_taken);

#endif
