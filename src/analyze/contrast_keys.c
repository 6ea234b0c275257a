/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrasts.h"
#include "base/count.h"
#include "base/instance.h"

/* Of these some are of processes, where zone, node and region stand. */
#define PROCESS_KEYS 8u

/* What begins so is the same for all requests of a service, names the request
 * or its text, or is looked at elsewhere. */
static const struct str silent[] = {
	{ "@jaeger", 7 },
	{ "client.port", 11 },
	{ "code.", 5 },
	{ "component", 9 },
	{ "container.", 10 },
	{ "db.query.text", 13 },
	{ "db.statement", 12 },
	{ "db.system", 9 },
	{ "exception.", 10 },
	{ "host.arch", 9 },
	{ "host.id", 7 },
	{ "host.ip", 7 },
	{ "http.flavor", 11 },
	{ "http.method", 11 },
	{ "http.request.method", 19 },
	{ "http.scheme", 11 },
	{ "http.target", 11 },
	{ "http.url", 8 },
	{ "internal.", 9 },
	{ "jaeger.", 7 },
	{ "k8s.pod.uid", 11 },
	{ "messaging.kafka.message.offset", 30 },
	{ "messaging.kafka.offset", 22 },
	{ "messaging.message.id", 20 },
	{ "messaging.system", 16 },
	{ "net.peer.port", 13 },
	{ "net.sock.", 9 },
	{ "network.peer.port", 17 },
	{ "network.protocol", 16 },
	{ "opencensus.", 11 },
	{ "os.", 3 },
	{ "otel.", 5 },
	{ "process.", 8 },
	{ "pyroscope.", 10 },
	{ "rpc.system", 10 },
	{ "sampler.", 8 },
	{ "telemetry.", 10 },
	{ "thread.", 7 },
	{ "url.full", 8 },
	{ "url.path", 8 },
	{ "url.query", 9 },
	{ "url.scheme", 10 },
	{ "user_agent.", 11 },
};

/* So are these; and intrinsics of TraceQL, where answers do not tell them from
 * attributes. */
static const struct str silent_words[] = {
	{ "duration", 8 },
	{ "hostname", 8 },
	{ "ip", 2 },
	{ "kind", 4 },
	{ "name", 4 },
	{ "service.name", 12 },
	{ "service.namespace", 17 },
	{ "service.version", 15 },
	{ "span.kind", 9 },
	{ "status", 6 },
};

/* How names of measured times end. */
static const struct str times[] = {
	{ "_ms", 3 },       { ".ms", 3 },      { "_ns", 3 },
	{ "_us", 3 },       { "_seconds", 8 }, { "_millis", 7 },
	{ "duration", 8 },  { "elapsed", 7 },  { "latency", 7 },
	{ "timestamp", 9 }, { "_time", 5 },    { ".time", 5 },
};

static const struct str outcomes[] = {
	{ "db.response.status_code", 23 },
	{ "error", 5 },
	{ "error.type", 10 },
	{ "grpc.code", 9 },
	{ "http.response.status_code", 25 },
	{ "http.status_code", 16 },
	{ "rpc.grpc.status_code", 20 },
	{ "rpc.response.status_code", 24 },
	{ "rpc.status_code", 15 },
};

bool contrast_key_is_outcome(struct str key)
{
	return str_is_among(key, outcomes, COUNT_OF(outcomes));
}

/* Names nothing but an instance, which is looked at whatever tells it. A host
 * may be the machine of several. */
static bool is_instance(struct str key)
{
	return str_equal(key, STR(INSTANCE_POD)) ||
	       str_equal(key, STR(INSTANCE_ID));
}

bool contrast_key_is_telling(struct str key)
{
	if (!key.len || is_instance(key) ||
	    str_is_among(key, silent_words, COUNT_OF(silent_words)))
		return false;
	for (size_t i = 0; i < COUNT_OF(silent); i++)
		if (str_starts(key, silent[i]))
			return false;
	for (size_t i = 0; i < COUNT_OF(times); i++)
		if (str_ends(key, times[i]))
			return false;
	return true;
}

/* ---- of a trace ---- */

struct collecting {
	const struct trace *t;
	struct history_key *keys;
	uint32_t count;
	uint32_t most;
	bool is_of_process;
};

static void add(struct collecting *c, uint32_t symbol)
{
	struct str key = trace_text(c->t, symbol);

	for (uint32_t i = 0; i < c->count; i++)
		if (str_equal(c->keys[i].name, key))
			return;
	if (c->count < c->most && contrast_key_is_telling(key))
		c->keys[c->count++] =
			(struct history_key){ key, c->is_of_process };
}

static void add_all(struct collecting *c, uint32_t attr_first,
		    uint32_t attr_count, uint32_t detail_first,
		    uint32_t detail_count)
{
	for (uint32_t i = attr_first; i < attr_first + attr_count; i++)
		add(c, c->t->attrs[i].key);
	for (uint32_t i = detail_first; i < detail_first + detail_count; i++)
		if (c->t->details[i].kind == DETAIL_ATTR)
			add(c, c->t->details[i].key);
}

/* The first span of each operation; SPAN_NONE: among none of those looked at.
 */
static void find_members(const struct trace *t, const struct operations *o,
			 uint32_t members[OPERATIONS_MAX])
{
	uint32_t left = o->count;

	for (uint32_t i = 0; i < OPERATIONS_MAX; i++)
		members[i] = SPAN_NONE;
	for (uint32_t i = 0;
	     left && i < t->span_count && i < LIMIT_ATTRIBUTED_SPANS; i++) {
		uint32_t at = operations_find_span(o->items, o->count, t, i);

		if (at == OPERATION_NONE || members[at] != SPAN_NONE)
			continue;
		members[at] = i;
		left--;
	}
}

uint32_t contrast_keys_collect(const struct trace *t,
			       const struct operations *operations,
			       struct history_key *keys)
{
	struct collecting c = { .t = t, .keys = keys, .most = PROCESS_KEYS };
	uint32_t members[OPERATIONS_MAX];

	find_members(t, operations, members);
	c.is_of_process = true;
	for (uint32_t i = 0; i < operations->count; i++) {
		const struct resource *r;

		if (members[i] == SPAN_NONE)
			continue;
		r = &t->resources[t->spans[members[i]].resource];
		add_all(&c, r->attr_first, r->attr_count, r->detail_first,
			r->detail_count);
	}
	c.is_of_process = false;
	c.most = HISTORY_KEYS;
	for (uint32_t i = 0; i < operations->count; i++) {
		const struct span *s;

		if (members[i] == SPAN_NONE)
			continue;
		s = &t->spans[members[i]];
		add_all(&c, s->attr_first, s->attr_count, s->detail_first,
			s->detail_count);
	}
	return c.count;
}
