/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace model, independent of formats: spans in one array, strings
 * interned, tree links as indices. Decoders of every format append to a struct
 * trace_build; trace_build_finish() repairs duplicates, missing parents, cycles
 * and absurd times, and counts them. Afterwards: parent links form a forest,
 * children are sorted by start, end_ns >= start_ns.
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

/* Returns whether spans of this kind are the entry of a service. */
static inline bool span_kind_is_request(enum span_kind kind)
{
	return kind == SPAN_KIND_SERVER || kind == SPAN_KIND_CONSUMER;
}

enum span_flags {
	SPAN_IS_ERROR = 1 << 0,
	/* Its parent is missing from the trace. */
	SPAN_IS_ORPHAN = 1 << 1,
	SPAN_IS_FOLLOWS_FROM = 1 << 2, /* the parent did not wait for it */
	SPAN_IS_CUT_CYCLE = 1 << 3,    /* made a root to break a cycle */
	SPAN_IS_UNFINISHED = 1 << 4,   /* end was missing or before start */
	SPAN_IS_LINKED = 1 << 5,       /* from another trace: trace_join() */
	/* Work started by a message, whose end its parent waits for:
	 * trace_join(). */
	SPAN_IS_AWAITED = 1 << 6,
};

struct trace_id {
	unsigned char bytes[16];
};

struct attr {
	uint32_t key;   /* symtab */
	uint32_t value; /* symtab; numbers and booleans as text */
};

/* Details that are only read on request, see trace->wants_details. Attributes
 * of an event or a link follow it. */
enum detail_kind {
	DETAIL_ATTR = 0, /* not one of those in attrs */
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

/* Link from a span to another, mostly in another trace, such as from the
 * receiver of a message to its sender. */
struct span_link {
	uint64_t from_id; /* the span that contains the link */
	struct trace_id trace_id;
	uint64_t span_id;
};

/* The source of spans: one process. Equal content means equal index. */
struct resource {
	uint32_t service; /* symtab: service.name, "" if absent */
	uint32_t attr_first;
	uint32_t attr_count; /* sorted by key text */
	uint32_t detail_first;
	uint32_t detail_count;
};

struct span {
	uint64_t span_id;   /* the 8 bytes as a big-endian number, 0 = none */
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

/* Number of other trace ids of the input that are kept. */
#define TRACE_OTHER_IDS 4u

/* Irregularities of the input that were repaired or dropped. */
struct trace_oddities {
	/* If the input has several traces of which the longest was taken, their
	 * number, else 0; and the ids of the longest others. */
	size_t trace_count;
	struct trace_id others[TRACE_OTHER_IDS];
	size_t other_count;
	size_t foreign_count; /* spans of traces not requested */
	bool may_have_links;  /* some span of the input has or may have links */
	size_t trimmed_count; /* texts over LIMIT_STRING_BYTES */
	size_t attrs_over_count;   /* past LIMIT_SPAN_ATTRS */
	size_t details_over_count; /* past LIMIT_SPAN_DETAILS */
	size_t moved_count;        /* spans whose times the server corrected */
	bool is_cut_by_server;   /* the server returned only the first spans */
	size_t impossible_count; /* times unset or out of range */
	size_t open_count;       /* no end */
	size_t backwards_count;  /* end before start */
	size_t duplicate_count;  /* dropped although contents differed */
	size_t twin_count;       /* same id as another span of the same kind */
	size_t cycle_count;
	/* With a missing parent, attached to a span with a matching gap. */
	size_t adopted_count;
	size_t outside_count;   /* extend beyond the parent's time */
	size_t abandoned_count; /* same, after the parent had failed */
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
	struct span_link *links; /* in input order */
	uint32_t link_count;     /* at most LIMIT_TRACE_LINKS */
	uint32_t *children;      /* indices; those of a span sorted by start */
	uint32_t *by_id; /* all indices, sorted by span_id, then index */
	uint32_t *roots; /* indices, longest extent first */
	uint32_t root_count;
	uint32_t orphan_count; /* roots that have a parent id */
	int64_t start_ns;      /* extent of all spans */
	int64_t end_ns;
	uint32_t service_count; /* distinct names */
	bool is_partial;        /* as reported by the server */
	/* After trace_join(): the longest root of the main trace; 0: not
	 * joined. */
	uint64_t joined_root_id;
	struct trace_oddities oddities;
	/* Set before decoding, to also read details that analysis does not
	 * need. */
	bool wants_details;
	/* Same, but only attributes, of LIMIT_ATTRIBUTED_SPANS spans and all
	 * resources. */
	bool wants_attrs;
};

void trace_init(struct trace *t);
void trace_release(struct trace *t);
/* Moves the contents to *to, which must be empty; *from is then empty. */
void trace_move(struct trace *to, struct trace *from);

/* Borrowed from the trace. */
struct str trace_text(const struct trace *t, uint32_t symbol);
struct str span_name(const struct trace *t, uint32_t span);
struct str span_service(const struct trace *t, uint32_t span);
/* Never negative in a finished trace. */
int64_t span_duration_ns(const struct span *s);

/* Return the value of an attribute of a span or resource; ptr is NULL if
 * absent. */
struct str span_attr(const struct trace *t, uint32_t span, struct str key);
struct str resource_attr(const struct trace *t, uint32_t resource,
			 struct str key);

/* Returns the name of the instance: the first non-empty attribute of
 * instance_attrs[]; empty if none. */
struct str resource_instance(const struct trace *t, uint32_t resource);

/* Returns the value of any attribute of a span, else of its resource, including
 * those that are read on request; ptr is NULL if absent. */
struct str span_any_attr(const struct trace *t, uint32_t span, struct str key);

/* Returns the index of the (first) span with this id, SPAN_NONE if absent. */
uint32_t trace_find_span(const struct trace *t, uint64_t span_id);

/* Parses "server" and so on, ignoring case; "unspecified" is internal. For
 * others returns false and sets internal. */
bool span_kind_parse(struct str name, enum span_kind *kind);

/* Parses 1 to 32 hex digits of either case; short ids are zero-padded on the
 * left. Returns false on anything else. */
bool trace_id_parse(struct str text, struct trace_id *id) MUST_CHECK;
/* Writes 32 lower-case digits. */
void trace_id_format(const struct trace_id *id, char out[33]);
bool trace_id_equal(const struct trace_id *a, const struct trace_id *b);
/* Returns whether only the lower 64 bits of an id are set. */
bool trace_id_is_half(const struct trace_id *id);
/* Returns whether ids are equal or one is the lower half of the other, as
 * propagated by 64-bit tracers. */
bool trace_id_is_same(const struct trace_id *a, const struct trace_id *b);
bool trace_id_is_zero(const struct trace_id *id);
void span_id_format(uint64_t span_id, char out[17]);

/* ---- building ---- */

/* Returns whether an attribute is kept: those that analysis and display use
 * (service, database, HTTP, RPC, messaging, code, peer, profile link, Jaeger
 * warnings). Decoders drop others, so that a million spans fit into memory. */
bool attr_is_kept(struct str key);

struct trace_build; /* state of decoding; owned by the decoder's caller */

/* want: the trace to keep, or NULL for the longest in the input, with a note of
 * how many others there are. Since the longest is only known at the end, an
 * input with several traces is read twice (trace_build_again()). Options in out
 * are read; the result is stored in it by trace_build_finish() and not before,
 * so an input that cannot be read to its end yields no trace. */
struct trace_build *trace_build_new(struct trace *out,
				    const struct trace_id *want,
				    struct error *err);
void trace_build_free(struct trace_build *b);

/* Interns text, truncated to LIMIT_STRING_BYTES (counted). */
bool trace_build_text(struct trace_build *b, struct str text, uint32_t *id,
		      struct error *err) MUST_CHECK;

/* Call at the end of the input. Returns whether it must be read again, from the
 * start or from trace_build_resume(). */
bool trace_build_again(struct trace_build *b) MUST_CHECK;

/* Returns the number of traces in an input read once: 1 if trace_build_finish()
 * can complete it, more if it has to be read again for each. */
size_t trace_build_count(const struct trace_build *b);

/* Starts a build of one of them, in order of first appearance, into an
 * initialised trace; `survey`, the first build, must stay alive. */
struct trace_build *trace_build_one(const struct trace_build *survey,
				    size_t index, struct trace *out,
				    struct error *err);

/* Starts a build that reads all traces of an input once and keeps none, only to
 * find those with a link to this one. */
struct trace_build *trace_build_linking(const struct trace_id *to,
					struct error *err);

/* Finds the index of a trace. Returns false if absent. */
bool trace_build_find(const struct trace_build *survey,
		      const struct trace_id *id, size_t *index);

/* Adds the traces with such a link, except itself; if there are many, those
 * that end last. */
struct hits; /* model/history.h */
bool trace_build_linking_hits(const struct trace_build *b, struct hits *hits,
			      struct error *err) MUST_CHECK;

/* Call before the first reading if the input consists of several parts, so that
 * places cannot be used. */
void trace_build_unplaced(struct trace_build *b);

/* Called by decoders that can resume at a place: following spans are in a group
 * that begins there; NULL: not in a group. Returns false if no more spans are
 * needed and the decoder may stop. */
bool trace_build_at(struct trace_build *b,
		    const struct feed_place *place) MUST_CHECK;

/* Returns whether this is the second reading and everything needed comes from
 * this place on. */
bool trace_build_resume(const struct trace_build *b,
			struct feed_place *place) MUST_CHECK;

/* Returns whether spans of this trace are not kept, so that only their ids and
 * times are needed. */
bool trace_build_skips(const struct trace_build *b, const struct trace_id *id);

/* Begin collecting attributes for the next span or resource;
 * trace_build_process_begin() is for resources only. */
void trace_build_attrs_begin(struct trace_build *b);
void trace_build_process_begin(struct trace_build *b);

/* Adds one; ignored if not kept, counted if over LIMIT_SPAN_ATTRS. Of equal
 * keys the last wins. */
bool trace_build_attr(struct trace_build *b, struct str key, struct str value,
		      struct error *err) MUST_CHECK;

/* Ends a resource, interned by content (in any order of attributes).
 * service.name is taken from the attributes. */
bool trace_build_resource(struct trace_build *b, uint32_t *resource,
			  struct error *err) MUST_CHECK;

/* For formats that refer to a resource before describing it: reserves one that
 * spans can use at once; describing it takes the attributes collected since
 * attrs_begin. Without a description it has no attributes. */
bool trace_build_resource_reserve(struct trace_build *b, uint32_t *resource,
				  struct error *err) MUST_CHECK;
bool trace_build_resource_describe(struct trace_build *b, uint32_t resource,
				   struct error *err) MUST_CHECK;

/* A span as decoded; times as received, unsigned. */
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

/* Returns whether an attribute with this key is kept. */
bool trace_build_wants(const struct trace_build *b, struct str key);

/* Returns whether events and links are kept. */
bool trace_build_has_details(const struct trace_build *b);

/* Reports that skipped spans, whose links are not decoded, may have some. */
void trace_build_may_have_links(struct trace_build *b);

/* Between begin and end, attributes belong to an event (DETAIL_EVENT) or a link
 * (DETAIL_LINK) of the next span. Both do nothing unless trace->wants_details,
 * except that trace_build_link_end() records the link; details over
 * LIMIT_SPAN_DETAILS are counted. */
bool trace_build_part_begin(struct trace_build *b, enum detail_kind kind,
			    struct error *err) MUST_CHECK;
/* name: symtab. */
void trace_build_event_end(struct trace_build *b, uint64_t time_unix_ns,
			   uint32_t name);
bool trace_build_link_end(struct trace_build *b,
			  const struct trace_id *trace_id, uint64_t span_id,
			  struct error *err) MUST_CHECK;

/* Appends a span with the attributes collected since attrs_begin. Spans of
 * other traces than the requested one are counted and dropped. */
bool trace_build_span(struct trace_build *b, const struct span_input *in,
		      struct error *err) MUST_CHECK;

/* Records that the server reported missing spans. */
void trace_build_partial(struct trace_build *b);

/* Counts texts that were truncated before they came here. */
void trace_build_trimmed(struct trace_build *b, size_t count);

/* Repairs and sorts everything and fills the result: absurd times clamped,
 * duplicates merged (same span id, kind, service and start; if contents differ
 * the longer is kept), client/server spans with a shared id separated, tree
 * links built, self-parents and cycles cut, orphans and children outside their
 * parent's time counted: oddities of the result has the numbers. A document
 * without spans gives span_count 0 and true: its meaning depends on the
 * source. */
bool trace_build_finish(struct trace_build *b, struct error *err) MUST_CHECK;

/* Map of traces by id. Some tracers propagate only the lower 64 bits of an id,
 * so spans of one trace come with 128 bits and with those 64: both are
 * found. */

struct trace_id_map {
	struct map by_id;   /* keys of 16 bytes */
	struct map by_half; /* the first trace with these lower 64 bits */
};

void trace_id_map_init(struct trace_id_map *m, struct arena *arena);

/* Returns a trace that may have this id, MAP_NONE if none. Compare both ids
 * with trace_id_is_same() if the trace was added with another one. */
uint32_t trace_id_map_find(const struct trace_id_map *m,
			   const struct trace_id *id);

/* Also accepts a trace already present by its lower half. Returns false only
 * when out of memory. */
bool trace_id_map_insert(struct trace_id_map *m, const struct trace_id *id,
			 uint32_t trace) MUST_CHECK;

#endif
