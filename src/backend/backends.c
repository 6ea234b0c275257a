/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/backends.h"

#include <string.h>

#include "backend/table.h"
#include "base/buf.h"
#include "base/redact.h"
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

struct side *backends_side(struct backends *b, enum server_side side)
{
	struct side *const sides[SERVER_SIDES] = {
		[SERVER_TRACES] = &b->traces,
		[SERVER_PROFILES] = &b->profiles,
		[SERVER_METRICS] = &b->metrics,
		[SERVER_TO] = &b->to,
	};

	return sides[side];
}

size_t backends_requests_sent(const struct backends *b)
{
	const struct http_log_entry *log;

	return b->client ? http_log(b->client, &log) : 0;
}

static unsigned rounds_sent(const struct backends *b)
{
	const struct http_log_entry *log;
	size_t sent = b->client ? http_log(b->client, &log) : 0;

	return sent ? log[sent - 1].round : 0;
}

void backends_begin(struct backends *b)
{
	b->earlier_requests = backends_requests_sent(b);
	b->earlier_rounds = rounds_sent(b);
	b->saved_requests = 0;
}

void backends_save_requests(struct backends *b, size_t count)
{
	b->saved_requests += count;
}

size_t backends_requests_left(const struct backends *b)
{
	size_t sent = backends_requests_sent(b) - b->earlier_requests +
		      b->saved_requests;

	if (backends_profile_traits(b)->is_list)
		return LIMIT_ORDINARY_REQUESTS;
	return sent < LIMIT_ORDINARY_REQUESTS ? LIMIT_ORDINARY_REQUESTS - sent
					      : 0;
}

unsigned backends_rounds_left(const struct backends *b)
{
	unsigned rounds = rounds_sent(b) - b->earlier_rounds;

	if (backends_profile_traits(b)->is_list)
		return LIMIT_ORDINARY_ROUNDS;
	return rounds < LIMIT_ORDINARY_ROUNDS ? LIMIT_ORDINARY_ROUNDS - rounds
					      : 0;
}

const struct trace_backend *backends_traces(const struct backends *b)
{
	return b->traces.row ? b->traces.row->traces : NULL;
}

const struct trace_traits *backends_trace_traits(const struct backends *b)
{
	const struct trace_backend *t = backends_traces(b);

	return t ? &t->traits : &backend_table[0].traces->traits;
}

const struct profile_backend *backends_profiles(const struct backends *b)
{
	const struct backend_row *row = b->profiles.row;

	return row && row->profiles ? row->profiles
				    : profiles_row(NULL)->profiles;
}

const struct profile_traits *backends_profile_traits(const struct backends *b)
{
	return &backends_profiles(b)->traits;
}

struct str backends_side_name(struct backends *b, const struct side *side)
{
	struct buf url;
	struct str name;

	buf_init(&url, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&url,
		   str_from(side->endpoint.project ? side->endpoint.project
						   : side->endpoint.url));
	name = arena_printf(b->arena, "%s %s",
			    side->row    ? side->row->name
			    : side->path ? "file"
					 : "server",
			    buf_text(&url));
	buf_release(&url);
	return name.ptr ? name : STR("");
}

struct str backends_trace_page(struct backends *b, const struct trace_id *id)
{
	const struct side *side = &b->traces;
	const struct endpoint *e = &side->endpoint;
	struct str page = STR("");
	char hex[33];
	struct buf path;

	if (side->path || !side->row || !side->row->traces->page_path ||
	    (e->url && strchr(e->url, '@')))
		return page;
	trace_id_format(id, hex);
	buf_init(&path, LIMIT_OPTION_VALUE_BYTES);
	side->row->traces->page_path(e, hex, &path);
	if (path.state == BUF_OK)
		page = arena_printf(b->arena, "%s%s", e->project ? "" : e->url,
				    buf_text(&path));
	buf_release(&path);
	return page.ptr ? page : STR("");
}
