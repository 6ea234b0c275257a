/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/checkup.h"

#include <stdio.h>
#include <string.h>

#include "backend/backends.h"
#include "backend/fetch_profile.h"
#include "backend/source.h"
#include "backend/table.h"
#include "base/document.h"
#include "base/num.h"
#include "wire/http.h"
#include "wire/http_message.h"

bool checkup_find_recent(struct checkup *c, struct error *err)
{
	struct time_range hour = { sat_sub_i64(c->backends->now_ns,
					       NS_PER_HOUR),
				   c->backends->now_ns };
	struct names_job names;
	struct job *job = &names.job;

	services_job_init(&names, hour);
	if (!jobs_run(c->backends, &job, 1, err))
		return false;
	c->recent = names.names;
	return true;
}

/* The checks of self-hosted servers, and of files. */
static const struct trace_checkup own_server = {
	.cut_fix = "Tempo: overrides max_bytes_per_trace; Jaeger: "
		   "max_trace_size",
	.missing_fix =
		"paste the whole id; another tenant: --traces-tenant-id "
		"NAME; older than the server keeps, or not sampled: take a "
		"newer trace",
};

const struct trace_checkup *trace_checkup_of(const struct backends *b)
{
	const struct trace_backend *t = backends_traces(b);

	return t && t->checkup ? t->checkup : &own_server;
}

const struct profile_checkup *profile_checkup_of(const struct backends *b)
{
	return backends_profiles(b)->checkup;
}

/* Facts that servers report about themselves, version and clock, and the
 * diagnosis of other answers. */

/* ---- version ---- */

static bool take_version(const struct document *d,
			 char out[STATUS_VERSION_BYTES])
{
	struct str text = document_text_at(d, "version");
	size_t len = utf8_floor(text.ptr, text.len, STATUS_VERSION_BYTES - 1);

	if (!document_is_text(document_get(d, "version")))
		return false;
	snprintf(out, STATUS_VERSION_BYTES, "%.*s", (int)len, text.ptr);
	return true;
}

/* Tempo has the fields at the top level, others inside an object. */
bool status_version_read(const struct http_response *response,
			 char out[STATUS_VERSION_BYTES])
{
	const struct document *inner;
	struct document *d;
	struct error ignored;
	void *place = NULL;
	struct str key;
	bool is_found;

	out[0] = '\0';
	if (response->status != 200 || body_first(response) != '{')
		return false;
	d = document_read_object(buf_str(&response->body), &ignored);
	is_found = take_version(d, out);
	while (!is_found && document_next(d, &place, &key, &inner))
		is_found = take_version(inner, out);
	document_free(d);
	return is_found;
}

/* ---- clock ---- */

bool status_date_read(const struct http_response *response, int64_t *date_ns)
{
	return response->status != 0 &&
	       parse_http_date(str_from(response->server_date), date_ns);
}

/* ---- what is wrong ---- */

/* Must match wire/http_client.c: a case file keeps only these texts. */
static const struct {
	const char *words;
	enum trouble trouble;
} wire_troubles[] = {
	{ WIRE_SAYS_REFUSED, TROUBLE_REFUSED },
	{ WIRE_SAYS_NO_HOST, TROUBLE_NO_HOST },
	{ WIRE_SAYS_NO_PROXY, TROUBLE_NO_PROXY },
	{ WIRE_SAYS_NO_CONNECT, TROUBLE_NO_CONNECTION },
	{ WIRE_SAYS_CANNOT_CONNECT, TROUBLE_NO_CONNECTION },
	{ WIRE_SAYS_UNTRUSTED, TROUBLE_UNTRUSTED },
	{ WIRE_SAYS_OTHER_NAME, TROUBLE_OTHER_NAME },
	{ WIRE_SAYS_OUT_OF_DATE, TROUBLE_OUT_OF_DATE },
	{ WIRE_SAYS_NO_TLS, TROUBLE_TLS },
	{ WIRE_SAYS_SILENT, TROUBLE_SLOW },
	{ WIRE_SAYS_TIMED_OUT, TROUBLE_SLOW },
	{ WIRE_SAYS_CLOSED, TROUBLE_SCHEME },
	{ WIRE_SAYS_CLOSED_TLS, TROUBLE_CERTIFICATE },
	{ WIRE_SAYS_NOT_HTTP, TROUBLE_SCHEME },
};

static enum trouble wire_trouble(const struct error *err)
{
	struct str text = str_from(err->message);

	if (err->code == ERROR_AUTH)
		return TROUBLE_SECRET;
	for (size_t i = 0; i < sizeof wire_troubles / sizeof *wire_troubles;
	     i++)
		if (str_find(text, str_from(wire_troubles[i].words)) !=
		    SIZE_MAX)
			return wire_troubles[i].trouble;
	return TROUBLE_NO_CONNECTION;
}

static enum trouble response_refusal(const struct http_response *response)
{
	struct reason reason;
	struct str text;

	reason_read(response, &reason);
	text = str_from(reason.text);
	if (str_equal(text, STR("missing tenant header")) ||
	    str_equal(text, STR("unknown tenant")))
		return TROUBLE_TENANT_HEADER;
	if (str_find(text, STR("no org id")) != SIZE_MAX ||
	    str_find(text, STR("tenant")) != SIZE_MAX)
		return TROUBLE_TENANT;
	return response->status == 401 ? TROUBLE_CREDENTIALS : TROUBLE_RIGHTS;
}

enum trouble trouble_find(const struct http_response *response)
{
	int status = response->status;

	if (status == 0)
		return wire_trouble(&response->err);
	if (status == 401 || status == 403)
		return response_refusal(response);
	if (status == 407)
		return TROUBLE_PROXY_LOGIN;
	if (status >= 300 && status < 400)
		return strstr(response->location, "login") ? TROUBLE_CREDENTIALS
							   : TROUBLE_REDIRECT;
	if (status == 429 || status == 502 || status == 503 || status == 504)
		return TROUBLE_BUSY;
	if (body_contains(response, STR("tenant ID")) && status == 400)
		return TROUBLE_TENANT;
	if (status >= 500)
		return TROUBLE_SERVER;
	if (body_is_html(response))
		return TROUBLE_PAGE;
	return status < 300 ? TROUBLE_NONE : TROUBLE_OTHER;
}

/* Finds the kind of server at the traces address. */

size_t backends_trace_candidates(const struct backends *b,
				 struct trace_candidate out[TRACE_CANDIDATES])
{
	size_t count = 0;

	for (size_t i = 0; i < backend_table_count; i++) {
		const struct backend_row *row = &backend_table[i];
		const struct trace_probe *probe;

		if (!row->traces || count == TRACE_CANDIDATES ||
		    (b->traces.row ? b->traces.row != row
				   : !row->traces->probe.path))
			continue;
		probe = row->traces->probe.path ? &row->traces->probe
						: &row->traces->late_probe;
		if (!probe->path)
			continue;
		out[count] = (struct trace_candidate){ row, probe,
						       b->traces.endpoint };
		if (b->traces.is_default)
			out[count].endpoint.url = row->default_url;
		count++;
	}
	return count;
}

void trace_candidates_name(const struct trace_candidate *list, size_t count,
			   bool has_addresses, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_text(out, i + 1 < count ? ", " : " or ");
		if (has_addresses)
			buf_addf(out, "%s (%s)", list[i].endpoint.url,
				 list[i].row->title);
		else
			buf_add_text(out, list[i].row->title);
	}
}

/* The candidates, their requests and answers. Late requests follow the first
 * ones of all. */
struct probe {
	struct backends *backends;
	struct trace_candidate list[TRACE_CANDIDATES];
	size_t count; /* of the first requests */
	size_t total;
	struct http_request requests[TRACE_CANDIDATES];
	struct http_response responses[2 * TRACE_CANDIDATES];
	size_t answered;
};

static void candidate_settle(struct backends *b,
			     const struct trace_candidate *c)
{
	b->traces.row = c->row;
	b->traces.endpoint.url = c->endpoint.url;
}

static bool fail_all(const struct probe *p, struct error *err)
{
	const struct http_response *responses = p->responses;
	const struct side *s = &p->backends->traces;
	size_t n = p->answered, silent = 0, first = 0;
	struct buf names;

	for (size_t i = p->count; i-- > 0;) {
		silent += !responses[i].status;
		first = responses[i].status ? i : first;
	}
	buf_init(&names, LIMIT_ERROR_BYTES);
	if (s->is_default && silent == p->count) {
		trace_candidates_name(p->list, p->count, true, &names);
		error_set(err, ERROR_NETWORK,
			  "no trace server at %s: name yours with "
			  "--traces-url",
			  buf_text(&names));
	} else {
		/* Default addresses belong to different servers: use the one
		 * that exists. */
		if (s->is_default && silent) {
			responses += first;
			n = 1;
		}
		trace_candidates_name(p->list, p->total, false, &names);
		source_probe_fail(&s->endpoint, buf_text(&names), responses, n,
				  err);
	}
	buf_release(&names);
	return false;
}

/* Returns the first of `count` candidates with an unrecognised answer (with
 * default addresses servers need not exist); `count` if there is none. */
static size_t find_lost(const struct probe *p, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct http_response *r = &p->responses[i];
		enum trouble trouble = trouble_find(r);

		if (r->status ? r->status >= 400 && !answer_lacks_route(r)
			      : r->err.code != ERROR_NOT_FOUND &&
					trouble != TROUBLE_REFUSED &&
					trouble != TROUBLE_NO_HOST)
			return i;
	}
	return count;
}

/* Only a note, since many runs need no traces. */
static void tell_lost(struct probe *p, const struct error *err)
{
	p->backends->gaps.count++;
	gaps_tell(&p->backends->gaps, "the kind of trace server", err);
}

/* Adds kinds that have only a late probe, unless the address is the default of
 * another kind. */
static void add_late_candidates(struct probe *p)
{
	const struct side *s = &p->backends->traces;

	p->total = p->count;
	for (size_t i = 0; !s->is_default && i < backend_table_count; i++) {
		const struct backend_row *row = &backend_table[i];

		if (row->traces && !row->traces->probe.path &&
		    row->traces->late_probe.path && p->total < TRACE_CANDIDATES)
			p->list[p->total++] = (struct trace_candidate){
				row, &row->traces->late_probe, s->endpoint
			};
	}
}

/* Sends a late probe: a server that answers none of the first probes may
 * support another one. An additional request, which a case recorded earlier may
 * lack. *is_found: it matched. */
static bool ask_late(struct probe *p, const struct trace_candidate *c,
		     bool *is_found, struct error *err)
{
	const struct trace_probe *late = &c->row->traces->late_probe;
	struct http_response *response = &p->responses[p->answered++];
	struct http_request request = { 0 };
	bool done =
		traces_probe_request(&c->endpoint, late->path, &request, err);

	request.is_probe = false;
	request.is_optional = c->probe == late;
	done = done && backends_send(p->backends, &request, response, 1, err);
	http_request_release(&request);
	*is_found = done && traces_probe_matches(late, response);
	if (*is_found)
		candidate_settle(p->backends, c);
	return done;
}

/* Only if the route of the first probe is missing; kinds without one use the
 * last kind that has one. */
static bool ask_all_late(struct probe *p, size_t i, bool *is_found,
			 struct error *err)
{
	*is_found = false;
	for (; i < p->total && !*is_found; i++) {
		size_t first = i < p->count ? i : p->count - 1;

		if (p->list[i].row->traces->late_probe.path &&
		    answer_lacks_route(&p->responses[first]) &&
		    !ask_late(p, &p->list[i], is_found, err))
			return false;
	}
	return true;
}

bool backends_probe_late(struct backends *b, const struct trace_candidate *last,
			 const struct http_response *answer, bool *is_found,
			 struct error *err)
{
	struct probe p = { .backends = b,
			   .list = { *last },
			   .count = 1,
			   .responses = { *answer },
			   .answered = 1 };
	bool done;

	add_late_candidates(&p);
	done = ask_all_late(&p, p.count, is_found, err);
	for (size_t i = p.count; i < p.answered; i++)
		http_response_release(&p.responses[i]);
	return done;
}

static bool probe_judge(struct probe *p, struct error *err)
{
	struct error why = { 0 };
	bool is_found;

	p->answered = p->count;
	for (size_t i = 0; i < p->count; i++) {
		size_t lost;

		if (!traces_probe_matches(p->list[i].probe, &p->responses[i]))
			continue;
		candidate_settle(p->backends, &p->list[i]);
		/* One that would have been chosen instead. */
		lost = find_lost(p, i);
		if (lost == i)
			return true;
		answer_fail(p->list[lost].row->name, &p->list[lost].endpoint,
			    &p->responses[lost], &why);
		tell_lost(p, &why);
		return true;
	}
	add_late_candidates(p);
	if (!ask_all_late(p, 0, &is_found, err))
		return false;
	if (is_found)
		return true;
	p->backends->traces.endpoint.url = p->list[0].endpoint.url;
	fail_all(p, err);
	if (!p->backends->traces.is_default ||
	    find_lost(p, p->count) < p->count)
		tell_lost(p, err);
	return false;
}

static bool probe_show(struct probe *p, struct error *err)
{
	struct backends *b = p->backends;
	struct buf comment;
	bool done;

	buf_init(&comment, LIMIT_ERROR_BYTES);
	buf_addf(&comment,
		 "one of these responses identifies the server; %s is assumed "
		 "from here on",
		 p->list[0].row->title);
	done = b->channel.show(buf_text(&comment), p->requests, p->count, err);
	buf_release(&comment);
	candidate_settle(b, &p->list[0]);
	return done;
}

/* Probes all kinds concurrently; if several match the first of the table is
 * used. */
static bool traces_probe(struct backends *b, struct error *err)
{
	struct probe p = { .backends = b };
	bool done = true;

	p.count = backends_trace_candidates(b, p.list);
	for (size_t i = 0; done && i < p.count; i++)
		done = traces_probe_request(&p.list[i].endpoint,
					    p.list[i].probe->path,
					    &p.requests[i], err);
	if (done && b->channel.show)
		done = probe_show(&p, err);
	else if (done)
		done = backends_send(b, p.requests, p.responses, p.count,
				     err) &&
		       probe_judge(&p, err);
	for (size_t i = 0; i < p.count; i++)
		http_request_release(&p.requests[i]);
	for (size_t i = 0; i < 2 * TRACE_CANDIDATES; i++)
		http_response_release(&p.responses[i]);
	return done;
}

bool backends_probe_traces(struct backends *b, struct error *err)
{
	return b->traces.row || traces_probe(b, err);
}
