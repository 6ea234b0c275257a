/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/instance.h"
#include "base/map.h"
#include "base/num.h"
#include "model/symtab.h"
#include "model/trace_build.h"

void trace_init(struct trace *t)
{
	*t = (struct trace){ 0 };
	arena_init(&t->arena, LIMIT_DECODE_HEAP_BYTES);
}

void trace_release(struct trace *t)
{
	arena_release(&t->arena);
	trace_init(t);
}

void trace_move(struct trace *to, struct trace *from)
{
	*to = *from;
	to->symtab.table.arena = &to->arena;
	trace_init(from);
}

struct str trace_text(const struct trace *t, uint32_t symbol)
{
	return symtab_text(&t->symtab, symbol);
}

struct str span_name(const struct trace *t, uint32_t span)
{
	return trace_text(t, t->spans[span].name);
}

struct str span_service(const struct trace *t, uint32_t span)
{
	return trace_text(t, t->resources[t->spans[span].resource].service);
}

int64_t span_duration_ns(const struct span *s)
{
	return sat_sub_i64(s->end_ns, s->start_ns);
}

static struct str find_attr(const struct trace *t, uint32_t first,
			    uint32_t count, struct str key)
{
	uint32_t symbol = symtab_find(&t->symtab, key);

	for (uint32_t i = first; i < first + count; i++)
		if (t->attrs[i].key == symbol)
			return trace_text(t, t->attrs[i].value);
	return (struct str){ NULL, 0 };
}

struct str span_attr(const struct trace *t, uint32_t span, struct str key)
{
	const struct span *s = &t->spans[span];

	return find_attr(t, s->attr_first, s->attr_count, key);
}

struct str resource_attr(const struct trace *t, uint32_t resource,
			 struct str key)
{
	const struct resource *r = &t->resources[resource];

	return find_attr(t, r->attr_first, r->attr_count, key);
}

static struct str find_detail(const struct trace *t, uint32_t first,
			      uint32_t count, struct str key)
{
	uint32_t symbol = symtab_find(&t->symtab, key);

	for (uint32_t i = first; i < first + count; i++)
		if (t->details[i].kind == DETAIL_ATTR &&
		    t->details[i].key == symbol)
			return trace_text(t, t->details[i].value);
	return (struct str){ NULL, 0 };
}

struct str span_any_attr(const struct trace *t, uint32_t span, struct str key)
{
	const struct span *s = &t->spans[span];
	const struct resource *r = &t->resources[s->resource];
	struct str value = span_attr(t, span, key);

	if (!value.ptr)
		value = find_detail(t, s->detail_first, s->detail_count, key);
	if (!value.ptr)
		value = resource_attr(t, s->resource, key);
	return value.ptr
		       ? value
		       : find_detail(t, r->detail_first, r->detail_count, key);
}

struct str resource_instance(const struct trace *t, uint32_t resource)
{
	struct str value = { NULL, 0 };

	for (size_t i = 0; !value.len && i < INSTANCE_ATTRS; i++)
		value = resource_attr(t, resource, str_from(instance_attrs[i]));
	return value;
}

uint32_t trace_find_span(const struct trace *t, uint64_t span_id)
{
	uint32_t low = 0, high = t->span_count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->spans[t->by_id[mid]].span_id < span_id)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < t->span_count && t->spans[t->by_id[low]].span_id == span_id)
		return t->by_id[low];
	return SPAN_NONE;
}

bool trace_id_parse(struct str text, struct trace_id *id)
{
	char padded[32];

	if (text.len == 0 || text.len > sizeof padded)
		return false;
	memset(padded, '0', sizeof padded);
	memcpy(padded + sizeof padded - text.len, text.ptr, text.len);
	return hex_decode((struct str){ padded, sizeof padded }, id->bytes,
			  sizeof id->bytes);
}

void trace_id_format(const struct trace_id *id, char out[33])
{
	hex_encode(id->bytes, sizeof id->bytes, out);
}

bool trace_id_equal(const struct trace_id *a, const struct trace_id *b)
{
	return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

static uint64_t read_half(const unsigned char *bytes)
{
	uint64_t half = 0;

	for (size_t i = 0; i < 8; i++)
		half = half << 8 | bytes[i];
	return half;
}

/* Returns the lower 64 bits as a number. */
static uint64_t trace_id_half(const struct trace_id *id)
{
	return read_half(id->bytes + 8);
}

bool trace_id_is_half(const struct trace_id *id)
{
	return !read_half(id->bytes);
}

bool trace_id_is_same(const struct trace_id *a, const struct trace_id *b)
{
	uint64_t half = trace_id_half(a);

	return trace_id_equal(a, b) ||
	       (half && half == trace_id_half(b) &&
		(trace_id_is_half(a) || trace_id_is_half(b)));
}

bool trace_id_is_zero(const struct trace_id *id)
{
	static const struct trace_id zero;

	return trace_id_equal(id, &zero);
}

void span_id_format(uint64_t span_id, char out[17])
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(span_id >> (56 - 8 * i));
	hex_encode(bytes, sizeof bytes, out);
}

bool span_kind_parse(struct str name, enum span_kind *kind)
{
	static const struct {
		struct str name;
		enum span_kind kind;
	} kinds[] = {
		{ { "server", 6 }, SPAN_KIND_SERVER },
		{ { "client", 6 }, SPAN_KIND_CLIENT },
		{ { "internal", 8 }, SPAN_KIND_INTERNAL },
		{ { "producer", 8 }, SPAN_KIND_PRODUCER },
		{ { "consumer", 8 }, SPAN_KIND_CONSUMER },
		{ { "unspecified", 11 }, SPAN_KIND_INTERNAL },
	};

	*kind = SPAN_KIND_INTERNAL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_equal_nocase(kinds[i].name, name)) {
			*kind = kinds[i].kind;
			return true;
		}
	return false;
}

#define KEY(literal)                                                           \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

/* OpenTelemetry semantic conventions 1.44 with older names still in use,
 * additions of Jaeger and Pyroscope, and Jaeger's process tags. Sorted
 * bytewise: the index is both the search key and the order in which a span's
 * attributes are stored. */
static const struct str kept_keys[] = {
	KEY("@jaeger@warnings"),
	KEY("cloud.availability_zone"),
	KEY("cloud.region"),
	KEY("code.file.path"),
	KEY("code.filepath"),
	KEY("code.function"),
	KEY("code.function.name"),
	KEY("code.line.number"),
	KEY("code.lineno"),
	KEY("code.namespace"),
	KEY("code.stacktrace"),
	KEY("component"),
	KEY("container.id"),
	KEY("container.name"),
	KEY("db.client.connection.pool.name"),
	KEY("db.collection.name"),
	KEY("db.mongodb.collection"),
	KEY("db.name"),
	KEY("db.namespace"),
	KEY("db.operation"),
	KEY("db.operation.batch.size"),
	KEY("db.operation.name"),
	KEY("db.query.summary"),
	KEY("db.query.text"),
	KEY("db.response.returned_rows"),
	KEY("db.response.status_code"),
	KEY("db.sql.table"),
	KEY("db.statement"),
	KEY("db.stored_procedure.name"),
	KEY("db.system"),
	KEY("db.system.name"),
	KEY("deployment.environment"),
	KEY("deployment.environment.name"),
	KEY("error"),
	KEY("error.type"),
	KEY("exception.message"),
	KEY("exception.type"),
	KEY("faas.name"),
	KEY("graphql.operation.name"),
	KEY("graphql.operation.type"),
	KEY("host.id"),
	KEY("host.ip"),
	KEY("host.name"),
	KEY("hostname"),
	KEY("http.host"),
	KEY("http.method"),
	KEY("http.request.body.size"),
	KEY("http.request.method"),
	KEY("http.request.resend_count"),
	KEY("http.response.body.size"),
	KEY("http.response.status_code"),
	KEY("http.route"),
	KEY("http.status_code"),
	KEY("http.target"),
	KEY("http.url"),
	KEY("ip"),
	KEY("k8s.cluster.name"),
	KEY("k8s.container.name"),
	KEY("k8s.daemonset.name"),
	KEY("k8s.deployment.name"),
	KEY("k8s.namespace.name"),
	KEY("k8s.node.name"),
	KEY("k8s.pod.name"),
	KEY("k8s.pod.uid"),
	KEY("k8s.statefulset.name"),
	KEY("message_bus.destination"),
	KEY("messaging.batch.message_count"),
	KEY("messaging.consumer.group.name"),
	KEY("messaging.destination"),
	KEY("messaging.destination.name"),
	KEY("messaging.destination.partition.id"),
	KEY("messaging.eventhubs.message.enqueued_time"),
	KEY("messaging.kafka.offset"),
	KEY("messaging.operation"),
	KEY("messaging.operation.name"),
	KEY("messaging.operation.type"),
	KEY("messaging.servicebus.message.enqueued_time"),
	KEY("messaging.system"),
	KEY("net.peer.name"),
	KEY("net.peer.port"),
	KEY("network.peer.address"),
	KEY("peer.address"),
	KEY("peer.hostname"),
	KEY("peer.service"),
	KEY("process.command"),
	KEY("process.executable.name"),
	KEY("process.pid"),
	KEY("process.runtime.name"),
	KEY("process.runtime.version"),
	KEY("pyroscope.profile.id"),
	KEY("pyroscope.profile.url"),
	KEY("region"),
	KEY("rpc.grpc.status_code"),
	KEY("rpc.method"),
	KEY("rpc.response.status_code"),
	KEY("rpc.service"),
	KEY("rpc.status_code"),
	KEY("rpc.system"),
	KEY("rpc.system.name"),
	KEY("server.address"),
	KEY("server.port"),
	KEY("service.instance.id"),
	KEY("service.name"),
	KEY("service.namespace"),
	KEY("service.peer.name"),
	KEY("service.version"),
	KEY("telemetry.sdk.language"),
	KEY("thread.id"),
	KEY("thread.name"),
	KEY("url.full"),
	KEY("url.path"),
	KEY("url.query"),
	KEY("url.scheme"),
};

_Static_assert(sizeof kept_keys / sizeof *kept_keys == KEPT_COUNT,
	       "KEPT_COUNT counts this table");

struct str kept_key(unsigned index)
{
	return kept_keys[index];
}

static unsigned kept_hash(struct str key)
{
	return (unsigned)(word_of_ends(key) * 0x9E3779B97F4A7C15u >> 56);
}

_Static_assert(KEPT_PLACES == 256, "as many as hashes");

void kept_places_fill(unsigned char places[KEPT_PLACES])
{
	memset(places, 0, KEPT_PLACES);
	for (unsigned i = 0; i < KEPT_COUNT; i++) {
		unsigned at = kept_hash(kept_keys[i]);

		/* Less than half of the table is used. */
		while (places[at])
			at = (at + 1) % KEPT_PLACES;
		places[at] = (unsigned char)(i + 1);
	}
}

unsigned kept_find(const unsigned char places[KEPT_PLACES], struct str key)
{
	for (unsigned at = kept_hash(key); places[at];
	     at = (at + 1) % KEPT_PLACES)
		if (str_equal(kept_keys[places[at] - 1], key))
			return places[at] - 1u;
	return KEPT_COUNT;
}

bool attr_is_kept(struct str key)
{
	return str_is_among(key, kept_keys, KEPT_COUNT);
}

/* 2000-01-01 and 2100-01-01. A time outside of this range, next to one inside,
 * comes from a clock that was never set or a missing value; a single such span
 * would extend the trace over decades. A trace that is completely outside is
 * test data and left alone. */
#define PLAUSIBLE_FROM_NS ((int64_t)946684800 * 1000000000)
#define PLAUSIBLE_TO_NS ((int64_t)4102444800 * 1000000000)

static bool is_plausible(int64_t time_ns)
{
	return time_ns >= PLAUSIBLE_FROM_NS && time_ns < PLAUSIBLE_TO_NS;
}

static bool is_valid(int64_t time_ns)
{
	return time_ns >= 0;
}

static bool is_sane(const struct trace_seen *seen, int64_t time_ns)
{
	return seen->has_plausible ? is_plausible(time_ns) : is_valid(time_ns);
}

/* Adds the span as span_repair() would change it if only these times were
 * valid. */
static void extent_add(struct time_extent *e, const struct span *s,
		       bool is_start_sane, bool is_end_sane)
{
	int64_t start_ns = is_start_sane ? s->start_ns : s->end_ns;
	int64_t end_ns = is_end_sane ? s->end_ns : s->start_ns;

	if (!is_start_sane && !is_end_sane) {
		e->has_unknown = true;
		return;
	}
	if (start_ns < e->earliest_ns)
		e->earliest_ns = start_ns;
	if (end_ns < e->earliest_ns)
		e->earliest_ns = end_ns;
	if (start_ns < e->start_ns)
		e->start_ns = start_ns;
	if (end_ns < start_ns)
		end_ns = start_ns;
	if (end_ns > e->end_ns)
		e->end_ns = end_ns;
}

void trace_seen_add(struct trace_seen *seen, const struct span *s)
{
	bool is_start_plausible = is_plausible(s->start_ns);
	bool is_end_plausible = is_plausible(s->end_ns);

	seen->has_plausible |= is_start_plausible || is_end_plausible;
	extent_add(&seen->plausible, s, is_start_plausible, is_end_plausible);
	extent_add(&seen->valid, s, is_valid(s->start_ns),
		   s->end_ns && is_valid(s->end_ns));
}

/* Returns the time for spans without any. */
static int64_t earliest_of(const struct trace_seen *seen)
{
	int64_t earliest_ns = seen->has_plausible ? seen->plausible.earliest_ns
						  : seen->valid.earliest_ns;

	return earliest_ns == INT64_MAX ? 0 : earliest_ns;
}

int64_t trace_seen_length(const struct trace_seen *seen)
{
	const struct time_extent *e =
		seen->has_plausible ? &seen->plausible : &seen->valid;
	int64_t start_ns = e->start_ns, end_ns = e->end_ns;

	if (e->has_unknown && earliest_of(seen) < start_ns)
		start_ns = earliest_of(seen);
	return sat_sub_i64(end_ns, start_ns);
}

int64_t trace_seen_end(const struct trace_seen *seen)
{
	return seen->has_plausible ? seen->plausible.end_ns
				   : seen->valid.end_ns;
}

/* Replaces an invalid time so that the span has zero length at the best known
 * place. */
static void span_repair(struct span *s, const struct trace_seen *seen,
			int64_t earliest_ns, struct trace_oddities *r)
{
	bool is_end_sane = s->end_ns && is_sane(seen, s->end_ns);

	if (!is_sane(seen, s->start_ns)) {
		s->start_ns = is_end_sane ? s->end_ns : earliest_ns;
		r->impossible_count++;
	} else if (s->end_ns == 0) {
		r->open_count++;
	} else if (!is_end_sane) {
		r->impossible_count++;
	} else if (s->end_ns < s->start_ns) {
		r->backwards_count++;
	} else {
		return;
	}
	s->end_ns = s->start_ns;
	s->flags |= SPAN_IS_UNFINISHED;
}

void trace_times_repair(struct trace *t, struct trace_oddities *r)
{
	struct trace_seen seen = { .plausible = EXTENT_NONE,
				   .valid = EXTENT_NONE };

	for (uint32_t i = 0; i < t->span_count; i++)
		trace_seen_add(&seen, &t->spans[i]);
	for (uint32_t i = 0; i < t->span_count; i++)
		span_repair(&t->spans[i], &seen, earliest_of(&seen), r);
}

/* Map of traces by id, see trace.h. */

void trace_id_map_init(struct trace_id_map *m, struct arena *arena)
{
	map_init(&m->by_id, arena);
	map_init(&m->by_half, arena);
}

static struct str trace_id_whole(const struct trace_id *id)
{
	return (struct str){ (const char *)id->bytes, sizeof id->bytes };
}

uint32_t trace_id_map_find(const struct trace_id_map *m,
			   const struct trace_id *id)
{
	uint32_t found = map_find(&m->by_id, trace_id_whole(id));
	uint64_t half = trace_id_half(id);

	return found == MAP_NONE && half ? map_find_u64(&m->by_half, half)
					 : found;
}

bool trace_id_map_insert(struct trace_id_map *m, const struct trace_id *id,
			 uint32_t trace)
{
	struct str key = arena_str(m->by_id.arena, trace_id_whole(id));
	uint32_t there;

	return key.ptr && map_insert(&m->by_id, key, trace, &there) &&
	       map_insert_u64(&m->by_half, trace_id_half(id), trace, &there);
}
