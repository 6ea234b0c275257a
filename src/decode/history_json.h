/* SPDX-License-Identifier: Apache-2.0
 *
 * What the JSON decoders of searches have in common.
 */
#ifndef DECODE_HISTORY_JSON_H
#define DECODE_HISTORY_JSON_H

#include "base/json.h"
#include "decode/history.h"

struct search_json {
	struct json_reader *r;
	struct gather gather;
	struct span_facts facts;
	struct buf text; /* of a value that came before its key */
	struct buf late; /* an object that has to wait for another */
	struct error err;
};

bool search_json_init(struct search_json *s, struct str bytes,
		      struct history *h, const struct history_want *want,
		      struct error *err) MUST_CHECK;
/* Tells the outcome, hands over to the history, releases. */
bool search_json_finish(struct search_json *s, const char *what,
			struct error *err) MUST_CHECK;

/* Stops the reader when storing failed. */
bool search_json_stored(struct search_json *s, bool is_stored);

void search_json_trace_id(struct search_json *s, struct trace_id *id);
uint64_t search_json_span_id(struct search_json *s);
/* A number of 64 bits, 0 when null. */
uint64_t search_json_number(struct search_json *s);

/* What s->text holds becomes a fact. */
void search_json_text_set(struct search_json *s, struct str key);

/* A list of OTLP attributes: strings among them become facts. */
void search_json_attributes(struct search_json *s);

/* Reads what was kept in s->late with `read`, once. */
void search_json_late(struct search_json *s,
		      void (*read)(struct search_json *s));

#endif
