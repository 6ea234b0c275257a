/* SPDX-License-Identifier: Apache-2.0
 *
 * The neutral trace: spans in one array, strings interned, tree links as
 * indices. Decoders of every format append to a struct trace_build and end
 * in trace_build_finish(), the door where duplicates, missing parents, cycles
 * and absurd times are put in order and noted. Everything behind the door may
 * trust: parent links form a forest, children are sorted by start, times are
 * ordered (end_ns >= start_ns).
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/map.h"
#include "model/symtab.h"

#define SPAN_NONE UINT32_MAX

enum span_kind {
	SPAN_KIND_INTERNAL = 0, /* also "unspecified" */
	SPAN_KIND_SERVER,
	SPAN_KIND_CLIENT,
	SPAN_KIND_PRODUCER,
	SPAN_KIND_CONSUMER,
};

/* Returns whether a service is entered with it. */
static inline bool span_kind_is_request(enum span_kind kind)
{
	return kind == SPAN_KIND_SERVER || kind == SPAN_KIND_CONSUMER;
}

enum span_flags {
	SPAN_IS_ERROR = 1 << 0,
	SPAN_IS_ORPHAN = 1 << 1,       /* its parent is not in the trace */
	SPAN_IS_FOLLOWS_FROM = 1 << 2, /* the parent did not wait for it */
	SPAN_IS_CUT_CYCLE = 1 << 3,    /* made a root to break a cycle */
	SPAN_IS_UNFINISHED = 1 << 4,   /* end was missing or before start */
	SPAN_IS_LINKED = 1 << 5,       /* of another trace: trace_join() */
	SPAN_IS_AWAITED = 1 << 6,      /* work that a message set off, for whose
					  end its parent waits: trace_join() */
};

struct trace_id {
	unsigned char bytes[16];
};

struct attr {
	uint32_t key;   /* symtab */
	uint32_t value; /* symtab; numbers and booleans as text */
};

/* The details that are read only on demand, see trace->wants_details. The
 * attributes of an event or a link follow it. */
enum detail_kind {
	DETAIL_ATTR = 0, /* none of those in attrs */
	DETAIL_EVENT,    /* key: its name */
	DETAIL_EVENT_ATTR,
	DETAIL_LINK, /* key: trace id, value: span id, both in hex */
	DETAIL_LINK_ATTR,
};

struct detail {
	int64_t time_ns; /* of an event, as received */
	uint32_t key;    /* symtab */
	uint32_t value;  /* symtab */
	uint8_t kind;    /* enum detail_kind */
};

/* From a span to another, most often of another trace: how those who take
 * messages point to those who sent them. */
struct span_link {
	uint64_t from_id; /* the span that has it */
	struct trace_id trace_id;
	uint64_t span_id;
};

/* The producer of spans: one process. Equal content means equal index. */
struct resource {
	uint32_t service; /* symtab: service.name, "" when absent */
	uint32_t attr_first;
	uint32_t attr_count; /* sorted by key text */
	uint32_t detail_first;
	uint32_t detail_count;
};

struct span {
	uint64_t span_id;   /* big-endian number of the 8 bytes, 0 = none */
	uint64_t parent_id; /* as received */
	int64_t start_ns;
	int64_t end_ns;
	uint32_t name;     /* symtab */
	uint32_t resource; /* index */
	uint32_t attr_first;
	uint32_t parent;      /* index or SPAN_NONE */
	uint32_t child_first; /* into trace->children */
	uint32_t child_count;
	uint32_t detail_first; /* into trace->details */
	uint32_t detail_count;
	uint16_t attr_count;
	uint8_t kind;            /* enum span_kind */
	uint8_t flags;           /* enum span_flags */
	uint32_t status_message; /* symtab, often 0 */
};

/* Ids of other traces of the input that are kept. */
#define TRACE_OTHER_IDS 4u

/* The oddities of the input, mended when the model was built. */
struct trace_oddities {
	/* Traces in the input of which the longest was taken, else 0; and the
	 * longest of the others. */
	size_t trace_count;
	struct trace_id others[TRACE_OTHER_IDS];
	size_t other_count;
	size_t foreign_count; /* spans of traces that are not wanted */
	bool may_have_links;  /* some span of the input, of whatever trace */
	size_t trimmed_count; /* texts over LIMIT_STRING_BYTES */
	size_t attrs_over_count;   /* past LIMIT_SPAN_ATTRS */
	size_t details_over_count; /* past LIMIT_SPAN_DETAILS */
	size_t moved_count;      /* spans whose times the server corrected */
	bool is_cut_by_server;   /* it gave the first spans only */
	size_t impossible_count; /* times unset or out of range */
	size_t open_count;       /* no end */
	size_t backwards_count;  /* end before start */
	size_t duplicate_count;  /* dropped, contents differed */
	size_t twin_count; /* have the id of another span of their kind */
	size_t cycle_count;
	size_t adopted_count; /* of those that name a parent which is missing:
				 they lie in the hole of another */
	size_t outside_count;   /* outside the parent's time */
	size_t abandoned_count; /* the same, after the parent had failed */
};

struct trace {
	struct arena arena;
	struct symtab symtab;
	struct trace_id id;
	struct span *spans; /* sorted by start, then span_id */
	uint32_t span_count;
	struct resource *resources;
	uint32_t resource_count;
	struct attr *attrs;
	struct detail *details;
	struct span_link *links; /* in the order of the input */
	uint32_t link_count;     /* at most LIMIT_TRACE_LINKS */
	uint32_t *children; /* indices; a span's children sorted by start */
	uint32_t *by_id;    /* all indices, sorted by span_id, then index */
	uint32_t *roots;    /* indices sorted by extent (longest first) */
	uint32_t root_count;
	uint32_t orphan_count; /* roots that named a parent */
	int64_t start_ns;      /* extent of all spans */
	int64_t end_ns;
	uint32_t service_count; /* distinct names */
	bool is_partial;        /* the server said so */
	/* After trace_join(): the longest root of the trace that others were
	 * joined to; 0: none were. */
	uint64_t joined_root_id;
	struct trace_oddities oddities;
	/* Set before decoding: also read what analysis does not need. */
	bool wants_details;
	/* Of that the attributes alone, of LIMIT_ATTRIBUTED_SPANS spans and all
	 * processes. */
	bool wants_attrs;
};

void trace_init(struct trace *t);
void trace_release(struct trace *t);
/* *to, which holds nothing, takes all; *from is then empty. */
void trace_move(struct trace *to, struct trace *from);

/* Borrowed from the trace. */
struct str trace_text(const struct trace *t, uint32_t symbol);
struct str span_name(const struct trace *t, uint32_t span);
struct str span_service(const struct trace *t, uint32_t span);
/* Never negative in a finished trace. */
int64_t span_duration_ns(const struct span *s);

/* Value of a span's or resource's attribute; empty str with NULL ptr when
 * absent. */
struct str span_attr(const struct trace *t, uint32_t span, struct str key);
struct str resource_attr(const struct trace *t, uint32_t resource,
			 struct str key);

/* Which of several processes of its service it is: the first of
 * instance_attrs[] that says something; empty when none does. */
struct str resource_instance(const struct trace *t, uint32_t resource);

/* Value of any attribute of a span, else of its process, those included that
 * are read on demand; NULL ptr when absent. */
struct str span_any_attr(const struct trace *t, uint32_t span, struct str key);

/* Index of the span with this id (the first in order when several), or
 * SPAN_NONE. */
uint32_t trace_find_span(const struct trace *t, uint64_t span_id);

/* "server" and so on, in capitals or not; "unspecified" is internal. False, and
 * internal, for any other. */
bool span_kind_parse(struct str name, enum span_kind *kind);

/* 1 to 32 hex digits, either case; short ids are padded on the left.
 * False on anything else. */
bool trace_id_parse(struct str text, struct trace_id *id) MUST_CHECK;
/* Always 32 lower-case digits. */
void trace_id_format(const struct trace_id *id, char out[33]);
bool trace_id_equal(const struct trace_id *a, const struct trace_id *b);
/* Returns whether an id has 64 bits alone. */
bool trace_id_is_half(const struct trace_id *id);
/* Equal, or one is the lower half of the other, as tracers of 64 bits pass it
 * on. */
bool trace_id_is_same(const struct trace_id *a, const struct trace_id *b);
bool trace_id_is_zero(const struct trace_id *id);
void span_id_format(uint64_t span_id, char out[17]);

/* ---- building ---- */

/* Attributes worth keeping: those the analysis and the display use
 * (who, database, HTTP, RPC, messaging, code, peer, profile link, Jaeger
 * warnings). Others are dropped at the decoder, so that a
 * million spans fit. */
bool attr_is_kept(struct str key);

struct trace_build; /* appends spans; owned by the decoder's caller */

/* want: the trace to keep, or NULL for "whatever comes": then the trace with
 * the longest extent of those in the input wins and a note names the others'
 * number. Which one that is shows at the end only, so that an input of
 * several traces is read twice (trace_build_again()). out, which tells what is
 * wanted of it, receives the result at finish and is not touched before: of an
 * input that could not be read to its end there is no trace. */
struct trace_build *trace_build_new(struct trace *out,
				    const struct trace_id *want,
				    struct error *err);
void trace_build_free(struct trace_build *b);

/* Interns text, trimming to LIMIT_STRING_BYTES (counted, noted at finish). */
bool trace_build_text(struct trace_build *b, struct str text, uint32_t *id,
		      struct error *err) MUST_CHECK;

/* At the end of the input: whether it must be read once more from the front,
 * or from where trace_build_resume() says. */
bool trace_build_again(struct trace_build *b) MUST_CHECK;

/* How many traces there are in an input that was read once; 1 where
 * trace_build_finish() has it, more where it is to be read again for each. */
size_t trace_build_count(const struct trace_build *b);

/* A build of one of them, by the order in which they began in the input, into
 * an initialised trace; the first build has to stay. */
struct trace_build *trace_build_one(const struct trace_build *survey,
				    size_t index, struct trace *out,
				    struct error *err);

/* A build that only looks, at all traces of an input that is read once, for
 * those with a link to this one. */
struct trace_build *trace_build_linking(const struct trace_id *to,
					struct error *err);

/* Which of the traces in it this one is. False: it has none such. */
bool trace_build_find(const struct trace_build *survey,
		      const struct trace_id *id, size_t *index);

/* Adds those with the link, but itself: of many those that end last. */
struct hits; /* model/history.h */
bool trace_build_linking_hits(const struct trace_build *b, struct hits *hits,
			      struct error *err) MUST_CHECK;

/* Before the first reading: the input is several, whose places mean nothing. */
void trace_build_unplaced(struct trace_build *b);

/* Told by decoders that can take an input up again: the spans to come stand
 * in a group that begins at this place; NULL: in none. False when nothing
 * that is wanted comes any more and the decoder may stop. */
bool trace_build_at(struct trace_build *b,
		    const struct feed_place *place) MUST_CHECK;

/* When this is the second reading and all that is wanted comes from this
 * place on. */
bool trace_build_resume(const struct trace_build *b,
			struct feed_place *place) MUST_CHECK;

/* Returns whether spans of this trace are not kept, so that nothing but their
 * ids and times is wanted. */
bool trace_build_skips(const struct trace_build *b, const struct trace_id *id);

/* Begins collecting attributes for the next span or resource; the second is for
 * resources alone. */
void trace_build_attrs_begin(struct trace_build *b);
void trace_build_process_begin(struct trace_build *b);

/* Adds one; dropped silently when not kept, counted when over
 * LIMIT_SPAN_ATTRS. A later equal key wins. */
bool trace_build_attr(struct trace_build *b, struct str key, struct str value,
		      struct error *err) MUST_CHECK;

/* Ends a resource: interned by content (attribute order does not matter).
 * service.name is taken from the attributes. */
bool trace_build_resource(struct trace_build *b, uint32_t *resource,
			  struct error *err) MUST_CHECK;

/* For formats that name a producer before describing it: reserves a resource
 * that spans may use at once; describing it later takes the attributes
 * collected since attrs_begin. Never described means no attributes. */
bool trace_build_resource_reserve(struct trace_build *b, uint32_t *resource,
				  struct error *err) MUST_CHECK;
bool trace_build_resource_describe(struct trace_build *b, uint32_t resource,
				   struct error *err) MUST_CHECK;

/* The facts that a decoder has of a span; times as received, unsigned. */
struct span_input {
	struct trace_id trace_id;
	uint64_t span_id;
	uint64_t parent_id; /* 0 = root */
	uint32_t name;
	uint32_t resource;
	uint64_t start_unix_ns;
	uint64_t end_unix_ns; /* 0 = unknown */
	uint32_t status_message;
	uint8_t kind;
	uint8_t flags; /* SPAN_IS_ERROR, _FOLLOWS_FROM, _LINKED, _AWAITED */
};

/* Returns whether an attribute with this key will be taken. */
bool trace_build_wants(const struct trace_build *b, struct str key);

/* Returns whether events and links will be taken. */
bool trace_build_has_details(const struct trace_build *b);

/* Links of spans that are skipped will not be told, though there may be some. */
void trace_build_may_have_links(struct trace_build *b);

/* Between begin and end, attributes are those of an event (DETAIL_EVENT) or a
 * link (DETAIL_LINK) of the next span. Both do nothing unless
 * trace->wants_details, but for the ends of links; what is over
 * LIMIT_SPAN_DETAILS is counted. */
bool trace_build_part_begin(struct trace_build *b, enum detail_kind kind,
			    struct error *err) MUST_CHECK;
/* name: symtab. */
void trace_build_event_end(struct trace_build *b, uint64_t time_unix_ns,
			   uint32_t name);
bool trace_build_link_end(struct trace_build *b,
			  const struct trace_id *trace_id, uint64_t span_id,
			  struct error *err) MUST_CHECK;

/* Appends a span with the attributes collected since attrs_begin. Spans of
 * other traces than the wanted one are counted and dropped. */
bool trace_build_span(struct trace_build *b, const struct span_input *in,
		      struct error *err) MUST_CHECK;

/* The server said that spans are missing. */
void trace_build_partial(struct trace_build *b);

/* Counts texts that a reader trimmed before they came here. */
void trace_build_trimmed(struct trace_build *b, size_t count);

/* Puts everything in order and fills `out`: absurd times clamped, duplicates
 * merged ((span id, kind, service, start); of different contents the longer
 * kept), shared
 * client/server ids separated, links built, self-parents and cycles cut,
 * orphans counted, and children outside their parent's time: out->oddities has
 * the numbers. A document without spans gives span_count 0 and true: the caller
 * knows what that means for its source. */
bool trace_build_finish(struct trace_build *b, struct error *err) MUST_CHECK;

/* Traces by their ids. Some tracers pass on no more than the lower 64 bits of
 * an id, so that spans of one trace come under 128 bits and under those 64:
 * they are found under either. */

struct trace_id_map {
	struct map by_id;   /* 16 bytes */
	struct map by_half; /* the lower ones: the first trace with them */
};

void trace_id_map_init(struct trace_id_map *m, struct arena *arena);

/* A trace whose id may be this one, MAP_NONE: none is. Whoever knows it under
 * another id holds both against each other by trace_id_is_same(). */
uint32_t trace_id_map_find(const struct trace_id_map *m,
			   const struct trace_id *id);

/* Also for a trace that is there under its lower half. False only when memory
 * failed. */
bool trace_id_map_insert(struct trace_id_map *m, const struct trace_id *id,
			 uint32_t trace) MUST_CHECK;

#endif
