/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/system.h"
#include "model/trace.h"

#define WHAT "the trace"

struct trace_build *trace_build_new(struct trace *out,
				    const struct trace_id *want,
				    struct error *err)
{
	struct trace_build *b = mem_calloc(1, sizeof *b);

	if (!b) {
		error_memory(err, WHAT);
		return NULL;
	}
	b->result = out;
	b->out = &b->made;
	trace_init(b->out);
	arena_init(&b->scratch, LIMIT_DECODE_HEAP_BYTES);
	trace_id_map_init(&b->seen_by_id, &b->scratch);
	map_init(&b->resource_by_attrs, &b->scratch);
	kept_places_fill(b->kept_places);
	b->warnings_at = kept_find(b->kept_places, STR("@jaeger@warnings"));
	if (want) {
		b->has_want = true;
		b->want = *want;
	}
	if (!symtab_init(&b->out->symtab, &b->out->arena, err)) {
		trace_build_free(b);
		return NULL;
	}
	return b;
}

void trace_build_free(struct trace_build *b)
{
	if (!b)
		return;
	arena_release(&b->scratch);
	trace_release(&b->made);
	mem_free(b);
}

void trace_build_restart(struct trace_build *b)
{
	map_init(&b->resource_by_attrs, &b->scratch);
	memset(b->key_symbols, 0, sizeof b->key_symbols);
	memset(b->pending_set, 0, sizeof b->pending_set);
	b->span_cap = b->resource_cap = 0;
	b->attr_count = b->attr_cap = 0;
	b->detail_count = b->detail_cap = b->detail_pending = 0;
	b->pending_offered = b->place_count = 0;
	b->link_cap = b->link_pending = 0;
	b->is_part_open = false;
	b->out->oddities = (struct trace_oddities){ 0 };
}

void trace_build_partial(struct trace_build *b)
{
	b->out->is_partial = true;
}

void trace_build_trimmed(struct trace_build *b, size_t count)
{
	b->out->oddities.trimmed_count += count;
}

bool trace_build_text(struct trace_build *b, struct str text, uint32_t *id,
		      struct error *err)
{
	if (b->phase == BUILD_SURVEY) {
		*id = 0;
		return true;
	}
	if (text.len > LIMIT_STRING_BYTES) {
		text.len = utf8_floor(text.ptr, text.len, LIMIT_STRING_BYTES);
		b->out->oddities.trimmed_count++;
	}
	return symtab_add(&b->out->symtab, text, id, err);
}

/* ---- attributes ---- */

void trace_build_attrs_begin(struct trace_build *b)
{
	memset(b->pending_set, 0, sizeof b->pending_set);
	b->pending_offered = 0;
	b->detail_count = b->detail_pending;
	b->is_part_open = b->is_of_process = false;
}

void trace_build_process_begin(struct trace_build *b)
{
	trace_build_attrs_begin(b);
	b->is_of_process = true;
}

/* Resources are distinguished by all of their attributes, regardless of the
 * spans read before. */
static bool wants_all_attrs(const struct trace_build *b)
{
	return b->result->wants_details ||
	       (b->result->wants_attrs &&
		(b->is_of_process ||
		 b->out->span_count < LIMIT_ATTRIBUTED_SPANS));
}

bool trace_build_wants(const struct trace_build *b, struct str key)
{
	return b->phase != BUILD_SURVEY &&
	       (wants_all_attrs(b) ||
		kept_find(b->kept_places, key) < KEPT_COUNT);
}

bool trace_build_has_details(const struct trace_build *b)
{
	return b->phase != BUILD_SURVEY && b->result->wants_details;
}

void trace_build_may_have_links(struct trace_build *b)
{
	b->may_have_links = true;
}

/* Adds a detail; past the limit it is counted and dropped. */
static bool detail_add(struct trace_build *b, enum detail_kind kind,
		       struct str key, struct str value, struct error *err)
{
	struct arena *arena = &b->out->arena;
	void *all = b->out->details;
	struct detail d = { .kind = (uint8_t)kind };

	if (b->detail_count - b->detail_pending >= LIMIT_SPAN_DETAILS) {
		b->out->oddities.details_over_count++;
		return true;
	}
	if (!trace_build_text(b, key, &d.key, err) ||
	    !trace_build_text(b, value, &d.value, err))
		return false;
	/* The arena's limit keeps detail_count far below 2^32. */
	if (!arena_reserve(arena, &all, &b->detail_cap, b->detail_count + 1,
			   sizeof d))
		return arena_fail(arena, WHAT, err);
	b->out->details = all;
	b->out->details[b->detail_count++] = d;
	return true;
}

bool trace_build_part_begin(struct trace_build *b, enum detail_kind kind,
			    struct error *err)
{
	b->part_at = b->detail_count;
	b->is_part_open = trace_build_has_details(b);
	return !b->is_part_open || detail_add(b, kind, STR(""), STR(""), err);
}

/* Closes and returns the open event or link; NULL if none. */
static struct detail *part_close(struct trace_build *b)
{
	bool has_part = b->is_part_open && b->part_at < b->detail_count;

	b->is_part_open = false;
	return has_part ? &b->out->details[b->part_at] : NULL;
}

void trace_build_event_end(struct trace_build *b, uint64_t time_unix_ns,
			   uint32_t name)
{
	struct detail *part = part_close(b);

	if (!part)
		return;
	part->time_ns = (int64_t)time_unix_ns;
	part->key = name;
}

/* Adds a link of the next span. */
static bool link_add(struct trace_build *b, const struct trace_id *trace_id,
		     uint64_t span_id, struct error *err)
{
	struct arena *arena = &b->out->arena;
	void *all = b->out->links;

	b->may_have_links = true;
	b->is_linking |= b->has_linking &&
			 trace_id_is_same(trace_id, &b->linking);
	if (b->phase == BUILD_SURVEY || trace_id_is_zero(trace_id) ||
	    b->out->link_count >= LIMIT_TRACE_LINKS)
		return true;
	if (!arena_reserve(arena, &all, &b->link_cap, b->out->link_count + 1,
			   sizeof *b->out->links))
		return arena_fail(arena, WHAT, err);
	b->out->links = all;
	b->out->links[b->out->link_count++] =
		(struct span_link){ 0, *trace_id, span_id };
	return true;
}

bool trace_build_link_end(struct trace_build *b,
			  const struct trace_id *trace_id, uint64_t span_id,
			  struct error *err)
{
	struct detail *part = part_close(b);
	char trace_hex[33], span_hex[17];

	if (!link_add(b, trace_id, span_id, err))
		return false;
	if (!part)
		return true;
	trace_id_format(trace_id, trace_hex);
	span_id_format(span_id, span_hex);
	return trace_build_text(b, str_from(trace_hex), &part->key, err) &&
	       trace_build_text(b, str_from(span_hex), &part->value, err);
}

static bool part_attr(struct trace_build *b, struct str key, struct str value,
		      struct error *err)
{
	/* The event or link itself was over the limit. */
	if (b->part_at >= b->detail_count) {
		b->out->oddities.details_over_count++;
		return true;
	}
	return detail_add(b,
			  b->out->details[b->part_at].kind == DETAIL_EVENT
				  ? DETAIL_EVENT_ATTR
				  : DETAIL_LINK_ATTR,
			  key, value, err);
}

/* Assigns the details collected so far to their owner. */
static void details_take(struct trace_build *b, uint32_t *first,
			 uint32_t *count)
{
	*first = (uint32_t)b->detail_pending;
	*count = (uint32_t)(b->detail_count - b->detail_pending);
	b->detail_pending = b->detail_count;
}

bool trace_build_attr(struct trace_build *b, struct str key, struct str value,
		      struct error *err)
{
	unsigned at;

	if (b->phase == BUILD_SURVEY)
		return true;
	at = kept_find(b->kept_places, key);
	if (b->is_part_open)
		return part_attr(b, key, value, err);
	if (at == KEPT_COUNT)
		return !wants_all_attrs(b) ||
		       detail_add(b, DETAIL_ATTR, key, value, err);
	if (++b->pending_offered > LIMIT_SPAN_ATTRS) {
		b->out->oddities.attrs_over_count++;
		return true;
	}
	if (!b->key_symbols[at] &&
	    !trace_build_text(b, key, &b->key_symbols[at], err))
		return false;
	b->pending_set[at / 64] |= (uint64_t)1 << (at % 64);
	return trace_build_text(b, value, &b->pending[at], err);
}

/* Writes the collected attributes, in table order, to attrs. Returns their
 * number. */
static uint32_t pending_take(struct trace_build *b, struct attr *attrs)
{
	uint32_t count = 0;

	for (unsigned word = 0; word < KEPT_WORDS; word++) {
		uint64_t left = b->pending_set[word];

		for (; left; left &= left - 1) {
			unsigned at =
				word * 64 + (unsigned)__builtin_ctzll(left);

			attrs[count++] = (struct attr){ b->key_symbols[at],
							b->pending[at] };
		}
	}
	memset(b->pending_set, 0, sizeof b->pending_set);
	b->pending_offered = 0;
	return count;
}

/* Appends attributes to the model; *first is the index of the first. */
static bool attrs_append(struct trace_build *b, const struct attr *attrs,
			 uint32_t count, uint32_t *first, struct error *err)
{
	struct arena *arena = &b->out->arena;
	void *all = b->out->attrs;

	/* The arena's limit keeps attr_count far below 2^32. */
	if (!arena_reserve(arena, &all, &b->attr_cap, b->attr_count + count,
			   sizeof *attrs))
		return arena_fail(arena, WHAT, err);
	b->out->attrs = all;
	*first = (uint32_t)b->attr_count;
	if (count)
		memcpy(b->out->attrs + b->attr_count, attrs,
		       count * sizeof *attrs);
	b->attr_count += count;
	return true;
}

/* ---- resources ---- */

static bool resource_append(struct trace_build *b, const struct attr *attrs,
			    uint32_t count, struct error *err)
{
	struct arena *arena = &b->out->arena;
	struct resource *r;
	uint32_t service = symtab_find(&b->out->symtab, STR("service.name"));
	void *all = b->out->resources;

	if (b->out->resource_count >= LIMIT_RESOURCES)
		return error_set(err, ERROR_LIMIT,
				 "the trace names more than %u processes",
				 LIMIT_RESOURCES);
	if (!arena_reserve(arena, &all, &b->resource_cap,
			   b->out->resource_count + 1, sizeof *r))
		return arena_fail(arena, WHAT, err);
	b->out->resources = all;
	r = &b->out->resources[b->out->resource_count];
	*r = (struct resource){ .attr_count = count };
	for (uint32_t i = 0; i < count; i++)
		if (attrs[i].key == service) {
			r->service = attrs[i].value;
			break;
		}
	if (!attrs_append(b, attrs, count, &r->attr_first, err))
		return false;
	details_take(b, &r->detail_first, &r->detail_count);
	b->out->resource_count++;
	return true;
}

static int compare_attrs(const void *left, const void *right)
{
	const struct attr *a = left, *b = right;
	int order = compare_u64(a->key, b->key);

	return order ? order : compare_u64(a->value, b->value);
}

/* Returns the key that a resource is interned by: its attributes, and details
 * in an order independent of the input. NULL ptr when out of memory. */
static struct str resource_key(struct trace_build *b, const struct attr *attrs,
			       uint32_t count)
{
	size_t extra = b->detail_count - b->detail_pending;
	const struct detail *details = b->out->details;
	struct attr *all;

	if (!extra)
		return (struct str){ (const char *)attrs,
				     count * sizeof *attrs };
	all = arena_array(&b->scratch, count + extra, sizeof *all);
	if (!all)
		return (struct str){ NULL, 0 };
	if (count)
		memcpy(all, attrs, count * sizeof *all);
	for (size_t i = 0; i < extra; i++)
		all[count + i] =
			(struct attr){ details[b->detail_pending + i].key,
				       details[b->detail_pending + i].value };
	qsort(all + count, extra, sizeof *all, compare_attrs);
	return (struct str){ (const char *)all, (count + extra) * sizeof *all };
}

bool trace_build_resource(struct trace_build *b, uint32_t *resource,
			  struct error *err)
{
	struct attr attrs[KEPT_COUNT];
	uint32_t count;
	struct str key;

	if (b->phase == BUILD_SURVEY) {
		*resource = 0;
		return true;
	}
	count = pending_take(b, attrs);
	key = resource_key(b, attrs, count);
	if (!key.ptr)
		return arena_fail(&b->scratch, WHAT, err);
	*resource = map_find(&b->resource_by_attrs, key);
	if (*resource != MAP_NONE) {
		b->detail_count = b->detail_pending;
		return true;
	}
	if (!resource_append(b, attrs, count, err))
		return false;
	/* The model's array moves when it grows; the map needs a permanent
	 * copy. */
	key = arena_str(&b->scratch, key);
	if (!key.ptr || !map_insert(&b->resource_by_attrs, key,
				    b->out->resource_count - 1, resource))
		return arena_fail(&b->scratch, WHAT, err);
	return true;
}

/* Flag of resource numbers returned by trace_build_resource_reserve(). */
#define RESOURCE_IS_PLACE (1u << 31)

bool trace_build_resource_reserve(struct trace_build *b, uint32_t *resource,
				  struct error *err)
{
	void *places = b->places;

	if (b->phase == BUILD_SURVEY) {
		*resource = RESOURCE_IS_PLACE;
		return true;
	}
	if (b->place_count >= LIMIT_SPANS)
		return error_set(err, ERROR_LIMIT,
				 "the trace names more than %u processes",
				 LIMIT_SPANS);
	if (!arena_reserve(&b->scratch, &places, &b->place_cap,
			   b->place_count + 1, sizeof *b->places))
		return arena_fail(&b->scratch, WHAT, err);
	b->places = places;
	b->places[b->place_count] = RESOURCE_NONE;
	*resource = (uint32_t)b->place_count++ | RESOURCE_IS_PLACE;
	return true;
}

bool trace_build_resource_describe(struct trace_build *b, uint32_t resource,
				   struct error *err)
{
	return b->phase == BUILD_SURVEY ||
	       trace_build_resource(
		       b, &b->places[resource & ~RESOURCE_IS_PLACE], err);
}

/* ---- spans ---- */

static bool spans_reserve(struct trace_build *b, struct error *err)
{
	size_t need = (size_t)b->out->span_count + 1;
	void *spans = b->out->spans;

	if (need > LIMIT_SPANS)
		return error_set(err, ERROR_LIMIT,
				 "the trace has more than %u spans",
				 LIMIT_SPANS);
	if (!arena_reserve(&b->out->arena, &spans, &b->span_cap, need,
			   sizeof *b->out->spans))
		return arena_fail(&b->out->arena, WHAT, err);
	b->out->spans = spans;
	return true;
}

static bool text_contains(struct str text, struct str part)
{
	return str_find(text, part) != SIZE_MAX;
}

/* Appends a span with the attributes collected for it. */
static bool span_append(struct trace_build *b, struct span s, struct error *err)
{
	struct attr attrs[KEPT_COUNT];
	uint32_t count = pending_take(b, attrs);
	uint32_t key = b->key_symbols[b->warnings_at];
	struct str warnings = { NULL, 0 };

	/* Of the Jaeger server, about the span. */
	for (uint32_t i = 0; key && i < count; i++)
		if (attrs[i].key == key) {
			warnings = trace_text(b->out, attrs[i].value);
			break;
		}

	if (warnings.len) {
		if (text_contains(warnings, STR("trace has more than")))
			b->out->oddities.is_cut_by_server = true;
		if (text_contains(warnings, STR("timestamps were adjusted by")))
			b->out->oddities.moved_count++;
		/* A span that ended at or before its start is stored with a
		 * length of 1 ns. */
		if (sat_sub_i64(s.end_ns, s.start_ns) == 1 &&
		    text_contains(warnings, STR("Negative duration detected")))
			s.end_ns = s.start_ns;
	}
	s.attr_count = (uint16_t)count;
	if (!spans_reserve(b, err) ||
	    !attrs_append(b, attrs, count, &s.attr_first, err))
		return false;
	details_take(b, &s.detail_first, &s.detail_count);
	b->out->spans[b->out->span_count++] = s;
	return true;
}

static bool is_wanted(struct trace_build *b, const struct trace_id *id)
{
	if (!b->has_want)
		return true;
	if (trace_id_is_same(&b->want, id)) {
		/* The full id becomes the trace's name. */
		if (trace_id_is_half(&b->want))
			b->want = *id;
		return true;
	}
	b->detail_count = b->detail_pending;
	b->out->oddities.foreign_count++;
	return false;
}

/* Finds the trace of the span; the first span of a second trace starts the
 * survey. */
static bool span_see(struct trace_build *b, const struct trace_id *id,
		     struct error *err)
{
	struct trace_seen *seen;

	if (b->phase == BUILD_CHOSEN)
		return true;
	if (!trace_build_see(b, id, err))
		return false;
	seen = &b->seen[b->seen_at];
	seen->span_count++;
	seen->last_offset = b->at.offset;
	seen->is_placed &= b->is_placed;
	return b->seen_count < 2 || b->phase == BUILD_SURVEY ||
	       trace_build_survey_begin(b, err);
}

bool trace_build_span(struct trace_build *b, const struct span_input *in,
		      struct error *err)
{
	struct span s = {
		.span_id = in->span_id,
		.parent_id = in->parent_id,
		.start_ns = (int64_t)in->start_unix_ns,
		.end_ns = (int64_t)in->end_unix_ns,
		.name = in->name,
		.resource = in->resource,
		.parent = SPAN_NONE,
		.kind = in->kind <= SPAN_KIND_CONSUMER ? in->kind
						       : SPAN_KIND_INTERNAL,
		.flags = in->flags & (SPAN_IS_ERROR | SPAN_IS_FOLLOWS_FROM |
				      SPAN_IS_LINKED | SPAN_IS_AWAITED),
		.status_message = in->status_message,
	};
	bool is_kept = is_wanted(b, &in->trace_id);

	b->is_part_open = false;
	/* The links collected so far belong to the span, or are dropped with
	 * it. */
	if (!is_kept)
		b->out->link_count = b->link_pending;
	for (; b->link_pending < b->out->link_count; b->link_pending++)
		b->out->links[b->link_pending].from_id = in->span_id;
	if (!is_kept)
		return true;
	if (!span_see(b, &in->trace_id, err))
		return false;
	if (b->phase != BUILD_SURVEY)
		return span_append(b, s, err);
	trace_seen_add(&b->seen[b->seen_at], &s);
	b->seen[b->seen_at].is_linking |= b->is_linking;
	b->is_linking = false;
	return true;
}

/* Radix sort by bytes, the last one first: linear for any input. Each pass is
 * stable; some are skipped. */

#define DIGITS 16u /* bytes of minor, then of major, lowest first */
#define VALUES 256u

static unsigned digit_of(const struct span_key *key, unsigned digit)
{
	uint64_t number = digit < 8 ? key->minor : key->major;

	return number >> (digit % 8 * 8) & 0xFF;
}

void span_keys_sort(const struct span_sort *sort, size_t count)
{
	uint32_t counts[DIGITS][VALUES];
	struct span_key *from = sort->keys, *to = sort->spare;
	size_t sorted = 1;

	while (sorted < count &&
	       (from[sorted - 1].major < from[sorted].major ||
		(from[sorted - 1].major == from[sorted].major &&
		 from[sorted - 1].minor <= from[sorted].minor)))
		sorted++;
	if (sorted >= count)
		return;
	memset(counts, 0, sizeof counts);
	for (size_t i = 0; i < count; i++)
		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit][digit_of(&from[i], digit)]++;
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		struct span_key *dealt = to;
		uint32_t place[VALUES], next = 0;

		if (counts[digit][digit_of(&from[0], digit)] == count)
			continue;
		for (unsigned value = 0; value < VALUES; value++) {
			place[value] = next;
			next += counts[digit][value];
		}
		for (size_t i = 0; i < count; i++)
			to[place[digit_of(&from[i], digit)]++] = from[i];
		to = from;
		from = dealt;
	}
	if (from != sort->keys)
		memcpy(sort->keys, from, count * sizeof *from);
}

/* ---- parents ---- */

/* Returns the first key with this id among keys sorted by id; *count is 0 if
 * absent. */
static const struct span_key *find_id(const struct span_key *keys,
				      uint32_t key_count, uint64_t span_id,
				      uint32_t *count)
{
	uint32_t low = 0, high = key_count, end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (keys[mid].major < span_id)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < key_count && keys[end].major == span_id; end++)
		;
	*count = end - low;
	return keys + low;
}

static bool is_callee(enum span_kind kind)
{
	return kind == SPAN_KIND_SERVER || kind == SPAN_KIND_CONSUMER;
}

/* Maximum number of spans with equal ids that are considered, those that began
 * last before the child: forked workers are a few dozen, and thousands of
 * crafted ones must not take quadratic time. */
#define TWINS_MOST 128u

/* Score of a span as the parent of another. */
enum fit {
	FIT_KIND = 1,
	FIT_END = 2,     /* it ends no earlier */
	FIT_START = 4,   /* the other starts within it */
	FIT_SERVICE = 8, /* both are of one service */
	FIT_CALLEE = 16, /* the other is the entry of a service */
	FIT_WANTED = 32, /* of the kind looked for */
};

/* Jaeger's older API truncates starts and durations to microseconds
 * independently, so a child may appear to exceed its parent by one. */
#define SPAN_ROUNDING_NS 1000

static unsigned fit_times(const struct span *parent, const struct span *child)
{
	bool is_started =
		child->start_ns >=
			sat_sub_i64(parent->start_ns, SPAN_ROUNDING_NS) &&
		child->start_ns <= sat_add_i64(parent->end_ns, SPAN_ROUNDING_NS);
	bool is_ended = child->end_ns <=
			sat_add_i64(parent->end_ns, SPAN_ROUNDING_NS);

	return (is_started ? FIT_START : 0) |
	       (is_started && is_ended ? FIT_END : 0);
}

/* Prefers the callee's copy if the child runs in its service, then other spans
 * of its service, then one whose time contains it, then the caller's copy. */
static unsigned fit_parent(const struct trace *t, const struct span *parent,
			   const struct span *child)
{
	bool is_same = t->resources[parent->resource].service ==
		       t->resources[child->resource].service;
	bool is_caller = parent->kind == SPAN_KIND_CLIENT ||
			 parent->kind == SPAN_KIND_PRODUCER;

	return fit_times(parent, child) | (is_caller ? FIT_KIND : 0) |
	       (is_same ? FIT_SERVICE : 0) |
	       (is_same && is_callee(parent->kind) ? FIT_CALLEE : 0);
}

/* Returns the first candidate in a group sorted by start. */
static uint32_t first_near(const struct trace *t, const struct span_key *group,
			   uint32_t count, const struct span *child)
{
	uint32_t low = 0, high = count;

	if (count <= TWINS_MOST)
		return 0;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->spans[group[mid].index].start_ns <= child->start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	/* Includes a few later ones, since clocks differ. */
	low = low < TWINS_MOST - TWINS_MOST / 8
		      ? 0
		      : low - (TWINS_MOST - TWINS_MOST / 8);
	return low < count - TWINS_MOST ? low : count - TWINS_MOST;
}

/* Returns the best match among spans with equal ids, the first of several;
 * SPAN_NONE if none matches. */
static uint32_t find_best(const struct trace *t, const struct span_key *group,
			  uint32_t count, const struct span *child,
			  bool is_of_own_id)
{
	uint32_t first = first_near(t, group, count, child);
	uint32_t best = is_of_own_id ? SPAN_NONE : group[first].index;
	/* Zipkin style: client and server share an id, and the server's copy is
	 * a child of the client's. */
	enum span_kind twin = child->kind == SPAN_KIND_SERVER
				      ? SPAN_KIND_CLIENT
				      : SPAN_KIND_PRODUCER;
	unsigned best_fit = 0;

	for (uint32_t i = first; i < count && i < first + TWINS_MOST; i++) {
		const struct span *s = &t->spans[group[i].index];
		unsigned fit = 0;

		if (!is_of_own_id)
			fit = fit_parent(t, s, child);
		else if (s->kind == twin)
			fit = FIT_WANTED | fit_times(s, child);

		if (fit > best_fit) {
			best = group[i].index;
			best_fit = fit;
		}
	}
	return best;
}

/* group: all spans with the id of s. */
static void link_parent(struct trace *t, const struct span_key *keys,
			const struct span_key *group, uint32_t group_count,
			struct span *s, struct trace_oddities *r)
{
	const struct span_key *parents;
	uint32_t count;

	s->parent = s->span_id && is_callee(s->kind)
			    ? find_best(t, group, group_count, s, true)
			    : SPAN_NONE;
	if (s->parent != SPAN_NONE || s->parent_id == 0)
		return;
	if (s->parent_id == s->span_id) {
		s->flags |= SPAN_IS_CUT_CYCLE;
		r->cycle_count++;
		return;
	}
	parents = find_id(keys, t->span_count, s->parent_id, &count);
	if (count) {
		s->parent = find_best(t, parents, count, s, false);
	} else {
		s->flags |= SPAN_IS_ORPHAN;
		t->orphan_count++;
	}
}

/* Afterwards keys are sorted by id. */
static void link_parents(struct trace *t, const struct span_sort *sort,
			 struct trace_oddities *r)
{
	uint32_t count = t->span_count, last;
	struct span_key *keys = sort->keys;

	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct span_key){ t->spans[i].span_id, 0, i };
	span_keys_sort(sort, count);
	for (uint32_t first = 0; first < count; first = last) {
		last = first + 1;
		while (last < count && keys[last].major == keys[first].major)
			last++;
		for (uint32_t i = first; i < last; i++)
			link_parent(t, keys, keys + first, last - first,
				    &t->spans[keys[i].index], r);
	}
}

/* Walks up from every span, marking spans with the number of the walk. Meeting
 * the current number means a cycle. */
static bool cut_cycles(struct trace *t, struct arena *scratch,
		       struct trace_oddities *r, struct error *err)
{
	uint32_t *colour = arena_array(scratch, t->span_count, sizeof *colour);

	if (!colour)
		return arena_fail(scratch, WHAT, err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t at = i, earliest;

		while (at != SPAN_NONE && !colour[at]) {
			colour[at] = i + 1;
			at = t->spans[at].parent;
		}
		if (at == SPAN_NONE || colour[at] != i + 1)
			continue;
		/* Cut at its earliest span. */
		earliest = at;
		for (uint32_t k = t->spans[at].parent; k != at;
		     k = t->spans[k].parent)
			if (k < earliest)
				earliest = k;
		t->spans[earliest].parent = SPAN_NONE;
		t->spans[earliest].flags |= SPAN_IS_CUT_CYCLE;
		r->cycle_count++;
	}
	return true;
}

/* ---- children and roots ---- */

/* Spans are sorted by start, so appending in order sorts each span's
 * children. */
static void fill_children(struct trace *t)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (t->spans[i].parent != SPAN_NONE)
			t->spans[t->spans[i].parent].child_count++;
	for (uint32_t i = 0; i < t->span_count; i++) {
		t->spans[i].child_first = next;
		next += t->spans[i].child_count;
		t->spans[i].child_count = 0;
	}
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t parent = t->spans[i].parent;
		struct span *p;

		if (parent == SPAN_NONE) {
			t->roots[t->root_count++] = i;
			continue;
		}
		p = &t->spans[parent];
		t->children[p->child_first + p->child_count++] = i;
	}
}

struct extent {
	int64_t start_ns;
	int64_t end_ns;
};

/* Computes extents of subtrees: spans in breadth-first order, processed
 * backwards, so that children come before their parent. */
static void find_extents(const struct trace *t, uint32_t *order,
			 struct extent *extents)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < t->root_count; i++)
		order[filled++] = t->roots[i];
	for (uint32_t i = 0; i < filled; i++) {
		const struct span *s = &t->spans[order[i]];

		extents[order[i]] = (struct extent){ s->start_ns, s->end_ns };
		for (uint32_t j = 0; j < s->child_count; j++)
			order[filled++] = t->children[s->child_first + j];
	}
	while (filled-- > 0) {
		const struct extent *own = &extents[order[filled]];
		uint32_t parent = t->spans[order[filled]].parent;

		if (parent == SPAN_NONE)
			continue;
		if (own->start_ns < extents[parent].start_ns)
			extents[parent].start_ns = own->start_ns;
		if (own->end_ns > extents[parent].end_ns)
			extents[parent].end_ns = own->end_ns;
	}
}

static bool sort_roots(struct trace *t, struct arena *scratch,
		       const struct span_sort *sort, struct error *err)
{
	struct span_key *keys = sort->keys;
	uint32_t *order = arena_array(scratch, t->span_count, sizeof *order);
	struct extent *extents =
		arena_array(scratch, t->span_count, sizeof *extents);

	if (!order || !extents)
		return arena_fail(scratch, WHAT, err);
	find_extents(t, order, extents);
	for (uint32_t i = 0; i < t->root_count; i++) {
		const struct extent *e = &extents[t->roots[i]];

		keys[i] = (struct span_key){
			UINT64_MAX - (uint64_t)(e->end_ns - e->start_ns), 0,
			t->roots[i]
		};
	}
	span_keys_sort(sort, t->root_count);
	for (uint32_t i = 0; i < t->root_count; i++)
		t->roots[i] = keys[i].index;
	return true;
}

/* Within a process, a child that ends after its parent is background work, as
 * are consumers anywhere; between processes clocks may differ. */
static bool is_outside(const struct span *s, const struct span *parent)
{
	if ((s->flags & SPAN_IS_FOLLOWS_FROM) ||
	    s->kind == SPAN_KIND_CONSUMER ||
	    ((s->flags | parent->flags) & SPAN_IS_UNFINISHED))
		return false;
	if (s->start_ns < sat_sub_i64(parent->start_ns, SPAN_ROUNDING_NS))
		return true;
	return s->resource != parent->resource &&
	       s->end_ns > sat_add_i64(parent->end_ns, SPAN_ROUNDING_NS);
}

static void count_outside(const struct trace *t, struct trace_oddities *r)
{
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		const struct span *parent;

		if (s->parent == SPAN_NONE)
			continue;
		parent = &t->spans[s->parent];
		if (!is_outside(s, parent))
			continue;
		/* A failed caller has given up (timed out) on a callee that
		 * continued: no sign of clock skew. */
		if ((parent->flags & SPAN_IS_ERROR) &&
		    s->start_ns >=
			    sat_sub_i64(parent->start_ns, SPAN_ROUNDING_NS))
			r->abandoned_count++;
		else
			r->outside_count++;
	}
}

bool trace_link(struct trace *t, struct arena *scratch,
		const struct span_sort *sort, struct trace_oddities *r,
		struct error *err)
{
	size_t count = t->span_count;

	t->by_id = arena_array(&t->arena, count, sizeof *t->by_id);
	t->children = arena_array(&t->arena, count, sizeof *t->children);
	t->roots = arena_array(&t->arena, count, sizeof *t->roots);
	if (!t->by_id || !t->children || !t->roots)
		return arena_fail(&t->arena, WHAT, err);
	link_parents(t, sort, r);
	for (size_t i = 0; i < count; i++)
		t->by_id[i] = sort->keys[i].index;
	if (!cut_cycles(t, scratch, r, err) ||
	    !trace_mend_parents(t, scratch, sort, r, err))
		return false;
	fill_children(t);
	count_outside(t, r);
	return sort_roots(t, scratch, sort, err);
}

/* Spans with equal ids, or equal times and ids. Which one is kept, and their
 * order, depend on their contents, not on their order in the input, which also
 * determines numbers of texts and resources. */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_texts(const struct trace *t, uint32_t a, uint32_t b)
{
	return a == b ? 0 : str_compare(trace_text(t, a), trace_text(t, b));
}

/* Orders lists of attributes: the longer first. */
static int compare_attr_lists(const struct trace *t, const struct attr *a,
			      size_t a_count, const struct attr *b,
			      size_t b_count)
{
	int order = compare_numbers(b_count, a_count);

	for (size_t i = 0; !order && i < a_count; i++) {
		order = compare_texts(t, a[i].key, b[i].key);
		if (!order)
			order = compare_texts(t, a[i].value, b[i].value);
	}
	return order;
}

static int compare_details(const struct trace *t, const struct detail *a,
			   size_t a_count, const struct detail *b,
			   size_t b_count)
{
	int order = compare_numbers(b_count, a_count);

	for (size_t i = 0; !order && i < a_count; i++) {
		order = compare_numbers(a[i].kind, b[i].kind);
		if (!order)
			order = compare_numbers((uint64_t)a[i].time_ns,
						(uint64_t)b[i].time_ns);
		if (!order)
			order = compare_texts(t, a[i].key, b[i].key);
		if (!order)
			order = compare_texts(t, a[i].value, b[i].value);
	}
	return order;
}

static int compare_resources(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct resource *x = &t->resources[a], *y = &t->resources[b];
	int order = 0;

	if (a != b)
		order = compare_texts(t, x->service, y->service);
	if (a != b && !order)
		order = compare_attr_lists(
			t, t->attrs + x->attr_first, x->attr_count,
			t->attrs + y->attr_first, y->attr_count);
	if (a != b && !order)
		order = compare_details(
			t, t->details + x->detail_first, x->detail_count,
			t->details + y->detail_first, y->detail_count);
	return order;
}

static int compare_heads(const struct span *a, const struct span *b)
{
	int order = compare_numbers((uint64_t)span_duration_ns(b),
				    (uint64_t)span_duration_ns(a));

	if (!order)
		order = compare_numbers((uint64_t)a->start_ns,
					(uint64_t)b->start_ns);
	if (!order)
		order = compare_numbers(a->kind, b->kind);
	if (!order)
		order = compare_numbers(a->parent_id, b->parent_id);
	if (!order)
		order = compare_numbers(a->flags, b->flags);
	return order;
}

/* Longest first; returns 0 only for identical spans. */
static int compare_spans(const struct trace *t, const struct span *a,
			 const struct span *b)
{
	int order = compare_heads(a, b);

	if (!order)
		order = compare_texts(t, a->name, b->name);
	if (!order)
		order = compare_texts(t, a->status_message, b->status_message);
	if (!order)
		order = compare_resources(t, a->resource, b->resource);
	if (!order)
		order = compare_attr_lists(
			t, t->attrs + a->attr_first, a->attr_count,
			t->attrs + b->attr_first, b->attr_count);
	if (!order)
		order = compare_details(
			t, t->details + a->detail_first, a->detail_count,
			t->details + b->detail_first, b->detail_count);
	return order;
}

/* ---- copies ---- */

/* Marks all copies of a span, keys[first] to keys[last - 1], except one as
 * dropped. */
static void merge_copies(const struct trace *t, const struct span_key *keys,
			 size_t first, size_t last, bool *is_dropped,
			 struct trace_oddities *r)
{
	uint32_t best = keys[first].index;

	for (size_t i = first + 1; i < last; i++)
		if (compare_spans(t, &t->spans[keys[i].index],
				  &t->spans[best]) < 0)
			best = keys[i].index;
	for (size_t i = first; i < last; i++) {
		uint32_t copy = keys[i].index;

		is_dropped[copy] = copy != best;
		r->duplicate_count +=
			compare_spans(t, &t->spans[copy], &t->spans[best]) != 0;
	}
}

/* Merges spans with equal id and kind; those that are not copies of another are
 * kept. */
static void merge_group(const struct trace *t, const struct span_sort *sort,
			size_t count, bool *is_dropped,
			struct trace_oddities *r)
{
	struct span_key *keys = sort->keys;
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		const struct span *s = &t->spans[keys[i].index];

		keys[i].major = t->resources[s->resource].service;
		keys[i].minor = (uint64_t)s->start_ns;
	}
	span_keys_sort(sort, count);
	for (size_t i = 1; i <= count; i++) {
		const struct span *a = &t->spans[keys[first].index];
		const struct span *b = a;

		if (i < count)
			b = &t->spans[keys[i].index];
		/* One that was sent twice, possibly before and after it ended,
		 * as opposed to spans of two processes forked with the same
		 * random state. */
		if (i < count &&
		    t->resources[a->resource].service ==
			    t->resources[b->resource].service &&
		    (b->start_ns - a->start_ns <= SPAN_ROUNDING_NS ||
		     (((a->flags | b->flags) & SPAN_IS_UNFINISHED) &&
		      a->name == b->name)))
			continue;
		merge_copies(t, keys, first, i, is_dropped, r);
		r->twin_count += first > 0;
		first = i;
	}
}

/* Keeps one, the longest, of spans with equal id, kind, service and start;
 * is_dropped must be false for all. Spans without an id (0) are never
 * copies. */
static void trace_copies_drop(struct trace *t, const struct span_sort *sort,
			      bool *is_dropped, struct trace_oddities *r)
{
	size_t count = t->span_count, first = 0;
	struct span_key *keys = sort->keys;
	uint32_t kept = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct span_key){ t->spans[i].span_id,
					     t->spans[i].kind, (uint32_t)i };
	span_keys_sort(sort, count);
	for (size_t i = 1; i <= count; i++) {
		const struct span_sort group = { keys + first, sort->spare };

		if (i < count && keys[i].major == keys[first].major &&
		    keys[i].minor == keys[first].minor)
			continue;
		if (keys[first].major != 0 && i > first + 1)
			merge_group(t, &group, i - first, is_dropped, r);
		first = i;
	}
	for (size_t i = 0; i < count; i++)
		if (!is_dropped[i])
			t->spans[kept++] = t->spans[i];
	t->span_count = kept;
}

/* ---- ties ---- */

static int compare_ties(const void *a, const void *b, void *trace)
{
	return compare_spans(trace, a, b);
}

/* Sorts spans of equal start and id by content, after sorting by those. */
static void trace_ties_order(struct trace *t)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i <= t->span_count; i++) {
		if (i < t->span_count &&
		    t->spans[i].start_ns == t->spans[first].start_ns &&
		    t->spans[i].span_id == t->spans[first].span_id)
			continue;
		if (i > first + 1)
			system_sort(t->spans + first, i - first,
				    sizeof *t->spans, compare_ties, t);
		first = i;
	}
}

/* Replaces reserved resource numbers by the final ones. */
static bool resolve_locations(struct trace_build *b, struct error *err)
{
	for (uint32_t i = 0; i < b->out->span_count; i++) {
		uint32_t *resource = &b->out->spans[i].resource;
		uint32_t *place;

		if (!(*resource & RESOURCE_IS_PLACE))
			continue;
		place = &b->places[*resource & ~RESOURCE_IS_PLACE];
		if (*place == RESOURCE_NONE) {
			trace_build_attrs_begin(b);
			if (!trace_build_resource(b, place, err))
				return false;
		}
		*resource = *place;
	}
	return true;
}

/* ---- order ---- */

/* Moves spans[keys[i].index] to spans[i], for all i, cycle by cycle. */
static void spans_permute(struct span *spans, struct span_key *keys,
			  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct span first = spans[i];
		uint32_t at = i;

		while (keys[at].index != i) {
			uint32_t from = keys[at].index;

			spans[at] = spans[from];
			keys[at].index = at;
			at = from;
		}
		spans[at] = first;
		keys[at].index = at;
	}
}

static bool count_services(struct trace *t, struct arena *scratch,
			   struct error *err)
{
	bool *is_counted = arena_array(scratch, symtab_count(&t->symtab), 1);

	if (!is_counted)
		return arena_fail(scratch, WHAT, err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t service = t->resources[t->spans[i].resource].service;

		t->service_count += !is_counted[service];
		is_counted[service] = true;
	}
	return true;
}

/* ---- other traces ---- */

/* Returns the next longest one, or NULL. */
static const struct trace_seen *seen_after(const struct trace_build *b,
					   const struct trace_seen *last)
{
	const struct trace_seen *next = NULL;

	for (size_t i = 0; i < b->seen_count; i++) {
		const struct trace_seen *s = &b->seen[i];

		if (trace_seen_is_before(last, s) &&
		    (!next || trace_seen_is_before(s, next)))
			next = s;
	}
	return next;
}

/* ---- finish ---- */

static bool put_in_order(struct trace_build *b, struct trace_oddities *r,
			 struct error *err)
{
	struct trace *t = b->out;
	struct span_sort sort;
	bool *is_dropped;
	struct span_key *keys;

	trace_times_repair(t, r);
	sort.keys = arena_array(&b->scratch, t->span_count, sizeof *sort.keys);
	sort.spare =
		arena_array(&b->scratch, t->span_count, sizeof *sort.spare);
	is_dropped = arena_array(&b->scratch, t->span_count, 1);
	if (!sort.keys || !sort.spare || !is_dropped)
		return arena_fail(&b->scratch, WHAT, err);
	trace_copies_drop(t, &sort, is_dropped, r);
	keys = sort.keys;
	for (uint32_t i = 0; i < t->span_count; i++)
		keys[i] = (struct span_key){ (uint64_t)t->spans[i].start_ns,
					     t->spans[i].span_id, i };
	span_keys_sort(&sort, t->span_count);
	spans_permute(t->spans, keys, t->span_count);
	trace_ties_order(t);
	t->start_ns = t->spans[0].start_ns;
	t->end_ns = t->spans[0].end_ns;
	for (uint32_t i = 1; i < t->span_count; i++)
		if (t->spans[i].end_ns > t->end_ns)
			t->end_ns = t->spans[i].end_ns;
	return trace_link(t, &b->scratch, &sort, r, err) &&
	       count_services(t, &b->scratch, err);
}

bool trace_build_finish(struct trace_build *b, struct error *err)
{
	struct trace_oddities *odd = &b->out->oddities;

	if (b->phase == BUILD_SURVEY)
		return error_set(err, ERROR_INTERNAL,
				 "one trace of several was not chosen");
	if (b->has_want)
		b->out->id = b->want;
	else if (b->seen_count)
		b->out->id = b->seen[0].id;
	b->out->is_partial |= odd->is_cut_by_server;
	if (b->out->span_count > 0 &&
	    (!resolve_locations(b, err) || !put_in_order(b, odd, err)))
		return false;
	if (b->phase == BUILD_CHOSEN) {
		const struct trace_seen *other = &b->seen[b->seen_at];

		/* The longest traces not taken. */
		odd->trace_count = b->seen_count;
		while (odd->other_count < TRACE_OTHER_IDS &&
		       (other = seen_after(b, other)))
			odd->others[odd->other_count++] = other->id;
	}
	odd->may_have_links = b->may_have_links;
	b->out->wants_details = b->result->wants_details;
	b->out->wants_attrs = b->result->wants_attrs;
	trace_release(b->result);
	trace_move(b->result, b->out);
	return true;
}
