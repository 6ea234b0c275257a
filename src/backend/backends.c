/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/backends.h"

#include <string.h>

#include "base/buf.h"
#include "wire/redact.h"
#include "wire/url.h"

bool backends_send(struct backends *b, struct http_request *requests,
		   struct http_response *responses, size_t n, struct error *err)
{
	return backends_send_each(b, requests, responses, n, NULL, err);
}

bool backends_send_each(struct backends *b, struct http_request *requests,
			struct http_response *responses, size_t n,
			const struct http_taker *taker, struct error *err)
{
	return b->channel.send(b->channel.context, requests, responses, n,
			       taker, err);
}

size_t backends_requests_left(const struct backends *b)
{
	const struct http_log_entry *log;
	size_t sent = b->client ? http_log(b->client, &log) : 0;

	if (backends_profile_traits(b)->is_list)
		return LIMIT_ORDINARY_REQUESTS;
	return sent < LIMIT_ORDINARY_REQUESTS ? LIMIT_ORDINARY_REQUESTS - sent
					      : 0;
}

unsigned backends_rounds_left(const struct backends *b)
{
	const struct http_log_entry *log;
	size_t sent = b->client ? http_log(b->client, &log) : 0;
	unsigned rounds = sent ? log[sent - 1].round : 0;

	if (backends_profile_traits(b)->is_list)
		return LIMIT_ORDINARY_ROUNDS;
	return rounds < LIMIT_ORDINARY_ROUNDS ? LIMIT_ORDINARY_ROUNDS - rounds
					      : 0;
}

static const enum source_kind probe_kinds[] = { SOURCE_TEMPO, SOURCE_JAEGER };

static bool probe_fail(struct backends *b,
		       const struct http_response *responses, size_t n,
		       struct error *err)
{
	if (b->traces.is_default && !responses[0].status &&
	    !responses[1].status)
		return error_set(err, ERROR_NETWORK,
				 "no trace server at " DEFAULT_TEMPO_URL
				 " (Tempo) or " DEFAULT_JAEGER_URL
				 " (Jaeger): name yours with --traces-url");
	/* By default they are different servers: the one that is there counts.
	 */
	if (b->traces.is_default &&
	    (!responses[0].status || !responses[1].status))
		return source_probe_fail(&b->traces.endpoint, "Tempo or Jaeger",
					 &responses[!responses[0].status], 1,
					 err);
	return source_probe_fail(&b->traces.endpoint, "Tempo or Jaeger",
				 responses, n, err);
}

void backends_trace_endpoints(const struct backends *b,
			      struct endpoint endpoints[2])
{
	endpoints[0] = endpoints[1] = b->traces.endpoint;
	if (!b->traces.is_default)
		return;
	endpoints[0].url = DEFAULT_TEMPO_URL;
	endpoints[1].url = DEFAULT_JAEGER_URL;
}

/* What answers neither question may still know the older one. */
static bool ask_old_jaeger(struct backends *b, const struct endpoint *e,
			   struct http_response *response, struct error *err)
{
	struct http_request request = { 0 };
	bool done = source_old_jaeger_request(e, &request, err) &&
		    backends_send(b, &request, response, 1, err);

	http_request_release(&request);
	return done;
}

static void settle(struct side *s, enum source_kind kind, const char *url)
{
	s->kind = kind;
	s->endpoint.url = url;
}

/* responses: of Tempo, of Jaeger, and room for that of an older one. */
static bool probe_judge(struct backends *b, const struct endpoint endpoints[2],
			struct http_response responses[3], struct error *err)
{
	struct side *s = &b->traces;
	size_t n = 2;

	for (size_t i = 0; i < 2; i++)
		if (source_probe_matches(probe_kinds[i], &responses[i])) {
			settle(s, probe_kinds[i], endpoints[i].url);
			return true;
		}
	if (source_old_jaeger_is_likely(&responses[1])) {
		if (!ask_old_jaeger(b, &endpoints[1], &responses[n++], err))
			return false;
		if (source_old_jaeger_matches(&responses[2])) {
			settle(s, SOURCE_JAEGER, endpoints[1].url);
			return true;
		}
	}
	s->endpoint.url = endpoints[0].url;
	return probe_fail(b, responses, n, err);
}

/* Both kinds are asked at once; Tempo wins where both answer. */
static bool probe(struct backends *b, struct error *err)
{
	struct endpoint endpoints[2];
	struct http_request requests[2] = { 0 };
	struct http_response responses[3] = { 0 };
	bool done = false;
	size_t i;

	backends_trace_endpoints(b, endpoints);
	for (i = 0; i < 2; i++)
		if (!source_probe_request(probe_kinds[i], &endpoints[i],
					  b->now_ns, &requests[i], err))
			goto out;
	if (b->channel.show) {
		done = b->channel.show(
			"one of these tells which kind of server it is; from "
			"here on as if it were Tempo",
			requests, 2, err);
		settle(&b->traces, SOURCE_TEMPO, endpoints[0].url);
		goto out;
	}
	done = backends_send(b, requests, responses, 2, err) &&
	       probe_judge(b, endpoints, responses, err);
out:
	for (i = 0; i < 2; i++)
		http_request_release(&requests[i]);
	for (i = 0; i < 3; i++)
		http_response_release(&responses[i]);
	return done;
}

bool backends_probe_traces(struct backends *b, struct error *err)
{
	return b->traces.kind != SOURCE_UNKNOWN || probe(b, err);
}

const struct trace_traits *backends_trace_traits(const struct backends *b)
{
	return trace_traits_of(b->traces.kind);
}

const struct profile_traits *backends_profile_traits(const struct backends *b)
{
	return profile_traits_of(b->profiles.kind, &b->profiles.endpoint);
}

struct str backends_side_name(struct backends *b, const struct side *side)
{
	struct buf url;
	struct str name;

	buf_init(&url, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&url,
		   str_from(side->endpoint.project ? side->endpoint.project
						   : side->endpoint.url));
	name = arena_printf(b->arena, "%s %s", source_kind_name(side->kind),
			    buf_text(&url));
	buf_release(&url);
	return name.ptr ? name : STR("");
}
