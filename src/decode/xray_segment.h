/* SPDX-License-Identifier: Apache-2.0
 *
 * One segment document of AWS X-Ray: a segment with its subsegments, or a
 * subsegment that was sent by itself. Members come in any order, and what all
 * of it belongs to (its trace, its process) may come last, so a document is
 * held until it is whole: X-Ray takes none of more than 64 KiB.
 * Source: "AWS X-Ray segment documents", X-Ray developer guide.
 */
#ifndef DECODE_XRAY_SEGMENT_H
#define DECODE_XRAY_SEGMENT_H

#include "base/arena.h"
#include "base/json.h"
#include "decode/value_text.h"
#include "model/trace.h"

/* A part of the document's texts. */
struct xray_text {
	size_t at;
	size_t len;
};

enum xray_note_kind {
	XRAY_ATTR,       /* of the span */
	XRAY_OF_PROCESS, /* of what the segment ran in */
	XRAY_EXCEPTION,  /* an event begins */
	XRAY_OF_EVENT,   /* an attribute of it */
	XRAY_LINK,       /* value: a struct xray_link */
};

struct xray_link {
	struct trace_id trace_id;
	uint64_t span_id;
};

/* What a span says beside its times. */
struct xray_note {
	enum xray_note_kind kind;
	uint32_t next; /* of the same span, plus 1; 0: the last */
	struct xray_text key;
	struct xray_text value;
};

/* The segment, or a subsegment. */
struct xray_span {
	uint64_t id;
	int64_t start_ns;
	int64_t end_ns;    /* 0: in progress */
	uint32_t parent;   /* index of the span around it, plus 1 */
	uint32_t note;     /* the first, plus 1 */
	uint32_t note_end; /* the last, plus 1 */
	struct xray_text name;
	struct xray_text operation; /* of a call of AWS */
	struct xray_text message;   /* of the first exception */
	bool is_error;
	bool is_call; /* of something else: "namespace" is there */
	bool is_aws;  /* of AWS itself */
};

/* spans[0] is the document itself. */
struct xray_segment {
	struct arena arena;
	struct xray_span *spans;
	size_t span_count, span_cap;
	struct xray_note *notes;
	size_t note_count, note_cap;
	struct buf texts;
	struct buf raw;
	struct value_text value;
	struct trace_id trace_id;
	uint64_t parent_id;
	bool has_trace_id;
	bool is_subsegment;
	bool is_inferred; /* by X-Ray, from the call of another */
	bool is_any;      /* a member of a segment was met */
	struct error err; /* other than of the document */
};

/* A member of "http", "aws", "sql" or "service" by its path, such as
 * "http.request.url", and what OpenTelemetry calls it. */
struct xray_naming {
	struct str path;
	struct str key;
	enum xray_note_kind kind;
};

/* NULL: it is called by its path. */
const struct xray_naming *xray_naming(struct str path);

void xray_segment_init(struct xray_segment *s);
void xray_segment_release(struct xray_segment *s);

/* Ready for the next document; memory is kept. */
void xray_segment_begin(struct xray_segment *s, struct json_reader *r);

/* Reads the member of the document whose key came last, to its end;
 * others than those of a segment are passed over. Stops the reader on
 * failure; unless that is the document's fault, s->err says why. */
void xray_segment_member(struct xray_segment *s, struct json_reader *r,
			 struct str key);

/* Judges what is complete. False, the reader stopped, when something is
 * lacking that a segment must have. */
bool xray_segment_end(struct xray_segment *s, struct json_reader *r) MUST_CHECK;

/* Borrowed until the next document. */
struct str xray_segment_text(const struct xray_segment *s,
			     struct xray_text text);

#endif
