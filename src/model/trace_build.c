/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

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

/* Processes are told apart by all of their attributes, whatever span is read
 * before them. */
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
	       (wants_all_attrs(b) || attr_is_kept(key));
}

bool trace_build_has_details(const struct trace_build *b)
{
	return b->phase != BUILD_SURVEY && b->result->wants_details;
}

bool trace_build_has_links(const struct trace_build *b)
{
	return b->phase != BUILD_SURVEY;
}

/* What is past the limit is counted and left out. */
static bool detail_add(struct trace_build *b, enum detail_kind kind,
		       struct str key, struct str value, struct error *err)
{
	struct arena *arena = &b->out->arena;
	void *all = b->out->details;
	struct detail d = { .kind = (uint8_t)kind };

	if (b->detail_count - b->detail_pending >= LIMIT_SPAN_DETAILS) {
		b->out->oddities.attrs_over_count++;
		return true;
	}
	if (!trace_build_text(b, key, &d.key, err) ||
	    !trace_build_text(b, value, &d.value, err))
		return false;
	/* The ceiling of the arena keeps detail_count far below 2^32. */
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

/* The part that is open, which is closed thereby; NULL when there is none. */
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

/* Of the span that comes next. */
static bool link_add(struct trace_build *b, const struct trace_id *trace_id,
		     uint64_t span_id, struct error *err)
{
	struct arena *arena = &b->out->arena;
	void *all = b->out->links;

	if (!trace_build_has_links(b) || trace_id_is_zero(trace_id) ||
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

/* Hands the links collected so far to their span, or to nobody. */
static void links_take(struct trace_build *b, uint64_t span_id, bool is_kept)
{
	if (!is_kept)
		b->out->link_count = b->link_pending;
	for (; b->link_pending < b->out->link_count; b->link_pending++)
		b->out->links[b->link_pending].from_id = span_id;
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
	/* The part itself was over the limit. */
	if (b->part_at >= b->detail_count) {
		b->out->oddities.attrs_over_count++;
		return true;
	}
	return detail_add(b,
			  b->out->details[b->part_at].kind == DETAIL_EVENT
				  ? DETAIL_EVENT_ATTR
				  : DETAIL_LINK_ATTR,
			  key, value, err);
}

/* Hands the details collected so far to their owner. */
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
	at = kept_find(key);
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

/* Writes the collected attributes, in the order of the table, to attrs.
 * Returns how many. */
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

/* Appends attributes to the model's; *first tells where they begin. */
static bool attrs_append(struct trace_build *b, const struct attr *attrs,
			 uint32_t count, uint32_t *first, struct error *err)
{
	struct arena *arena = &b->out->arena;
	void *all = b->out->attrs;

	/* The ceiling of the arena keeps attr_count far below 2^32. */
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

static uint32_t service_of(const struct trace_build *b,
			   const struct attr *attrs, uint32_t count)
{
	uint32_t key = symtab_find(&b->out->symtab, STR("service.name"));

	for (uint32_t i = 0; i < count; i++)
		if (attrs[i].key == key)
			return attrs[i].value;
	return 0;
}

static bool resource_append(struct trace_build *b, const struct attr *attrs,
			    uint32_t count, struct error *err)
{
	struct arena *arena = &b->out->arena;
	struct resource *r;
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
	*r = (struct resource){ .service = service_of(b, attrs, count),
				.attr_count = count };
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

/* What a resource is interned by: its attributes, with details in an order
 * that does not depend on the input's. NULL ptr when memory ran out. */
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
	/* The model's array moves when it grows; the map needs a copy that
	 * stays. */
	key = arena_str(&b->scratch, key);
	if (!key.ptr || !map_insert(&b->resource_by_attrs, key,
				    b->out->resource_count - 1, resource))
		return arena_fail(&b->scratch, WHAT, err);
	return true;
}

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

/* What Jaeger's server remarks about a span; NULL ptr for nothing. */
static struct str warnings_of(const struct trace_build *b,
			      const struct attr *attrs, uint32_t count)
{
	uint32_t key = b->key_symbols[kept_find(STR("@jaeger@warnings"))];

	for (uint32_t i = 0; key && i < count; i++)
		if (attrs[i].key == key)
			return trace_text(b->out, attrs[i].value);
	return (struct str){ NULL, 0 };
}

static bool contains(struct str text, struct str part)
{
	return str_find(text, part) != SIZE_MAX;
}

static void heed_warnings(struct trace_build *b, struct str warnings,
			  struct span *s)
{
	if (contains(warnings, STR("trace has more than")))
		b->out->oddities.is_cut_by_server = true;
	if (contains(warnings, STR("timestamps were adjusted by")))
		b->out->oddities.moved_count++;
	/* A span that ended at or before its start is stored as 1 ns long. */
	if (sat_sub_i64(s->end_ns, s->start_ns) == 1 &&
	    contains(warnings, STR("Negative duration detected")))
		s->end_ns = s->start_ns;
}

/* The next span of the model, with the attributes collected for it. */
static bool span_append(struct trace_build *b, struct span s, struct error *err)
{
	struct attr attrs[KEPT_COUNT];
	uint32_t count = pending_take(b, attrs);
	struct str warnings = warnings_of(b, attrs, count);

	if (warnings.len)
		heed_warnings(b, warnings, &s);
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
		/* The one with all bits is its name. */
		if (trace_id_is_half(&b->want))
			b->want = *id;
		return true;
	}
	b->detail_count = b->detail_pending;
	b->out->oddities.foreign_count++;
	return false;
}

/* Notes to which trace the span belongs; of a second one the first span
 * begins the survey. */
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
	links_take(b, in->span_id, is_kept);
	if (!is_kept)
		return true;
	if (!span_see(b, &in->trace_id, err))
		return false;
	if (b->phase != BUILD_SURVEY)
		return span_append(b, s, err);
	trace_seen_add(&b->seen[b->seen_at], &s);
	return true;
}
