/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/calls.h"
#include "base/ascii.h"
#include "base/count.h"

/* Attributes that name a service, then those that name a host; newer names
 * before older ones of the same meaning. */
static const char *const services[] = { "service.peer.name", "peer.service" };
static const char *const hosts[] = { "server.address", "net.peer.name",
				     "http.host" };

#define SERVICES (sizeof services / sizeof *services)
#define HOSTS (sizeof hosts / sizeof *hosts)

/* Each host may have a name in its cluster, too. */
_Static_assert(SERVICES + 2 * HOSTS <= CALLEE_NAMES, "room for all names");

/* "pricing" of "pricing.prod.svc.cluster.local": of other domains the first
 * part may be anything. */
static struct str name_in_cluster(struct str host)
{
	size_t end = str_find(host, STR(".")), after;
	struct str rest;

	if (end == SIZE_MAX)
		return STR("");
	rest = str_slice(host, end + 1, host.len);
	after = str_find(rest, STR("."));
	if (after == SIZE_MAX)
		return STR("");
	rest = str_slice(rest, after + 1, rest.len);
	return str_equal(rest, STR("svc")) || str_starts(rest, STR("svc."))
		       ? str_slice(host, 0, end)
		       : STR("");
}

size_t calls_callee_names(const struct calls *c, uint32_t span,
			  struct str names[CALLEE_NAMES])
{
	size_t n = 0;

	for (size_t i = 0; i < SERVICES; i++) {
		struct str name = span_attr(c->t, span, str_from(services[i]));

		if (name.len)
			names[n++] = name;
	}
	for (size_t i = 0; i < HOSTS; i++) {
		struct str host = span_attr(c->t, span, str_from(hosts[i]));
		struct str inner;

		host = str_slice(host, 0, str_find(host, STR(":")));
		inner = name_in_cluster(host);
		if (host.len)
			names[n++] = host;
		if (inner.len)
			names[n++] = inner;
	}
	return n;
}

/* Words in names of spans that set up a connection: "http.tls", "dns.lookup",
 * "tcp.connect", "TLS client handshake shop.example". */
static const char *const set_up_words[] = { "dns",       "tls",     "ssl",
					    "handshake", "connect", "dial" };

/* Spans between one of these and its call. */
#define SET_UP_LEVELS 3

static bool is_set_up_word(struct str word)
{
	return str_is_one_of_nocase(word, set_up_words, COUNT_OF(set_up_words));
}

static bool has_set_up_word(struct str name)
{
	size_t start = 0;

	for (size_t i = 0; i <= name.len; i++) {
		if (i < name.len && ascii_is_letter(name.ptr[i]))
			continue;
		if (is_set_up_word(str_slice(name, start, i - start)))
			return true;
		start = i + 1;
	}
	return false;
}

uint32_t calls_set_up(const struct calls *c, uint32_t span)
{
	const struct span *s = &c->t->spans[span];
	uint32_t at = s->parent;

	if (s->kind == SPAN_KIND_SERVER || s->kind == SPAN_KIND_CONSUMER ||
	    !has_set_up_word(span_name(c->t, span)))
		return SPAN_NONE;
	for (int i = 0; i < SET_UP_LEVELS && at != SPAN_NONE; i++) {
		const struct span *above = &c->t->spans[at];

		if (above->resource != s->resource)
			break;
		if (above->kind == SPAN_KIND_CLIENT)
			return at;
		at = above->parent;
	}
	return SPAN_NONE;
}
