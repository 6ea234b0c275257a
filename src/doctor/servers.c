/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/answer.h"
#include "base/count.h"
#include "base/num.h"
#include "doctor/doctor.h"
#include "wire/http_error.h"

/* Not asked before an answer shows that something else is there. */
enum {
	ASK_TRACES, /* of each candidate, as the next two */
	ASK_TRACES_VERSION = ASK_TRACES + TRACE_CANDIDATES,
	ASK_TRACES_LOGIN = ASK_TRACES_VERSION + TRACE_CANDIDATES,
	ASK_PROFILES = ASK_TRACES_LOGIN + TRACE_CANDIDATES, /* of the room */
	ASK_COUNT = ASK_PROFILES + PROFILE_ASKS,
};

struct round {
	struct trace_candidate traces[TRACE_CANDIDATES];
	size_t traces_count;
	struct http_request requests[ASK_COUNT];
	struct http_response responses[ASK_COUNT];
	size_t place[ASK_COUNT]; /* 1 + index; 0: not asked */
	size_t count;
};

static const struct http_response *answer_of(const struct round *q, int ask)
{
	return q->place[ask] ? &q->responses[q->place[ask] - 1] : NULL;
}

static struct http_request *next_request(struct round *q, int ask)
{
	q->place[ask] = ++q->count;
	return &q->requests[q->count - 1];
}

static void round_release(struct round *q)
{
	for (size_t i = 0; i < q->count; i++) {
		http_request_release(&q->requests[i]);
		http_response_release(&q->responses[i]);
	}
}

/* ---- asking ---- */

static bool ask_candidate(struct round *q, size_t i, struct error *err)
{
	const struct trace_candidate *c = &q->traces[i];
	const struct trace_backend *t = c->row->traces;
	const char *paths[] = { c->probe->path, t->version_path,
				t->login_path };
	int ask = ASK_TRACES + (int)i;

	for (size_t k = 0; k < COUNT_OF(paths); k++, ask += TRACE_CANDIDATES)
		if (paths[k] &&
		    !traces_probe_request(&c->endpoint, paths[k],
					  next_request(q, ask), err))
			return false;
	return true;
}

static bool ask_traces(struct doctor *d, struct round *q, struct error *err)
{
	if (d->backends->traces.path || d->is_traces_up)
		return true;
	q->traces_count = backends_trace_candidates(d->backends, q->traces);
	for (size_t i = 0; i < q->traces_count; i++)
		if (!ask_candidate(q, i, err))
			return false;
	return true;
}

static bool ask_profiles(struct doctor *d, const struct profile_checkup *p,
			 struct round *q, struct error *err)
{
	if (d->backends->profiles.path)
		return true;
	for (size_t i = 0; i < p->ask_count; i++)
		if (!p->request(d->backends, i,
				next_request(q, ASK_PROFILES + (int)i), err))
			return false;
	return true;
}

/* ---- one side's answers ---- */

struct side_answers {
	const char *name; /* "traces" */
	const char *wanted;
	const struct endpoint *endpoint;
	const struct http_response *best;  /* proof, or most telling failure */
	const struct http_response *login; /* proves more, or NULL */
	bool is_right;                     /* the kind of server looked for */
	struct clock_answer clocks[ASK_COUNT];
	size_t clock_count;
	int64_t fastest_ns;
};

static void take_times(struct side_answers *s,
		       const struct http_response *response)
{
	int64_t date_ns;

	if (!response || !response->status)
		return;
	if (!s->fastest_ns || response->duration_ns < s->fastest_ns)
		s->fastest_ns = response->duration_ns;
	if (status_date_read(response, &date_ns))
		s->clocks[s->clock_count++] =
			(struct clock_answer){ date_ns, response->duration_ns };
}

static bool is_login_trouble(enum trouble trouble)
{
	return trouble == TROUBLE_CREDENTIALS || trouble == TROUBLE_RIGHTS ||
	       trouble == TROUBLE_PROXY_LOGIN || trouble == TROUBLE_TENANT ||
	       trouble == TROUBLE_TENANT_HEADER;
}

static bool is_tls_trouble(enum trouble trouble)
{
	return trouble == TROUBLE_UNTRUSTED || trouble == TROUBLE_OTHER_NAME ||
	       trouble == TROUBLE_OUT_OF_DATE || trouble == TROUBLE_TLS;
}

static bool has_scheme_tls(const char *url)
{
	return str_equal_nocase(str_slice(str_from(url), 0, 6), STR("https:"));
}

static void check_tls(struct doctor *d, const struct side_answers *s)
{
	const struct endpoint *e = s->endpoint;

	if (!has_scheme_tls(e->url))
		check_ok(&d->checks, s->name, "tls", "none: plain http");
	else if (d->question->is_case)
		/* How it was checked is no part of a case. */
		check_ok(&d->checks, s->name, "tls", "https");
	else if (e->is_insecure) {
		check_warn(&d->checks, s->name, "tls",
			   "the certificate is not verified");
		check_fix(&d->checks, "%s-cacert FILE instead of --insecure",
			  side_prefix(e));
	} else {
		check_ok(&d->checks, s->name, "tls",
			 "the certificate is trusted");
	}
}

/* False when nothing more can be told of this side. */
static bool check_connection(struct doctor *d, const struct side_answers *s)
{
	struct str host = url_authority(s->endpoint->url);
	const struct error *why;
	enum trouble trouble;
	char took[24];

	if (!s->best)
		return false; /* it was asked nothing */
	why = &s->best->err;
	if (s->best->status) {
		format_duration(s->fastest_ns, took);
		check_ok(&d->checks, s->name, "connection",
			 "%.*s answers in %s", STR_ARGS(host), took);
		check_tls(d, s);
		return true;
	}
	trouble = trouble_find(s->best);
	check_fail(&d->checks, why->code, s->name,
		   is_tls_trouble(trouble) ? "tls" : "connection", "%s",
		   why->message);
	fix_trouble(&d->checks, trouble, s->endpoint);
	return false;
}

static bool check_login(struct doctor *d, const struct side_answers *s)
{
	const struct http_response *r = s->login ? s->login : s->best;
	struct str host = url_authority(s->endpoint->url);
	enum trouble trouble = trouble_find(r);
	bool is_tenant =
		trouble == TROUBLE_TENANT || trouble == TROUBLE_TENANT_HEADER;
	struct reason reason;

	if (!is_login_trouble(trouble)) {
		if (s->is_right)
			check_ok(&d->checks, s->name, "login",
				 "reading is allowed");
		return true;
	}
	reason_read(r, &reason);
	check_fail(&d->checks, ERROR_AUTH, s->name,
		   is_tenant ? "tenant" : "login", "%.*s answers %d%s%s%s%s",
		   STR_ARGS(host), r->status, reason.text[0] ? ": " : "",
		   reason.text, r->location[0] ? ", and would go to " : "",
		   r->location);
	fix_trouble(&d->checks, trouble, s->endpoint);
	return false;
}

static void check_clock(struct doctor *d, const struct side_answers *s)
{
	struct clock_offset clock;
	enum check_status status;
	char off[24];
	bool is_behind;

	if (!s->clock_count) {
		check_ok(&d->checks, s->name, "clock",
			 "not known: the answers carry no Date");
		return;
	}
	clock = clock_offset_find(s->clocks, s->clock_count,
				  d->backends->now_ns);
	status = clock_offset_judge(&clock);
	is_behind = clock.offset_ns < 0;
	if (status == CHECK_OK) {
		check_ok(&d->checks, s->name, "clock",
			 "agrees with this machine's to some seconds");
		return;
	}
	format_duration(is_behind ? sat_sub_i64(0, clock.offset_ns)
				  : clock.offset_ns,
			off);
	if (status == CHECK_WARNING)
		check_warn(&d->checks, s->name, "clock",
			   "about %s %s this machine's", off,
			   is_behind ? "behind" : "ahead of");
	else
		check_fail(&d->checks, ERROR_INTERNAL, s->name, "clock",
			   "about %s %s this machine's: windows such as now-1h "
			   "miss what was sent",
			   off, is_behind ? "behind" : "ahead of");
	check_fix(&d->checks,
		  "timedatectl set-ntp true, on whichever is wrong (where "
		  "TRACEFIND_NOW is set, that is this machine's)");
}

/* ---- other servers than looked for ---- */

/* A wrong kind behind an address is worth its name. NULL: not recognised. */
static bool find_stranger(struct doctor *d, const struct endpoint *e,
			  bool is_traces, const char **found, struct error *err)
{
	const struct backends there = { .traces.endpoint = *e,
					.profiles.endpoint = *e,
					.now_ns = d->backends->now_ns };
	const struct profile_checkup *p = profile_checkup_of(SOURCE_UNKNOWN);
	struct trace_candidate list[TRACE_CANDIDATES];
	struct http_request requests[TRACE_CANDIDATES] = { 0 };
	struct http_response responses[TRACE_CANDIDATES] = { 0 };
	size_t n = is_traces ? 1 : backends_trace_candidates(&there, list), i;
	bool done = true;

	*found = NULL;
	for (i = 0; done && i < n; i++)
		done = is_traces ? p->request(&there, 0, &requests[i], err)
				 : traces_probe_request(e, list[i].probe->path,
							&requests[i], err);
	done = done && backends_send(d->backends, requests, responses, n, err);
	for (i = 0; done && i < n && !*found; i++)
		if (is_traces) {
			if (p->is_proof(&responses[i]))
				*found = p->title;
		} else if (traces_probe_matches(list[i].probe, &responses[i])) {
			*found = list[i].row->title;
		}
	for (i = 0; i < n; i++) {
		http_request_release(&requests[i]);
		http_response_release(&responses[i]);
	}
	return done;
}

static bool check_stranger(struct doctor *d, const struct side_answers *s,
			   struct error *err)
{
	struct str host = url_authority(s->endpoint->url);
	bool is_traces = s->endpoint == &d->backends->traces.endpoint;
	const char *found;
	struct error why = { 0 };

	if (!find_stranger(d, s->endpoint, is_traces, &found, err))
		return false;
	if (found) {
		check_fail(&d->checks, ERROR_NETWORK, s->name, "server",
			   "%s answers at %.*s, not %s", found, STR_ARGS(host),
			   s->wanted);
		check_fix(&d->checks, "that address is for %s-url: %s-url %s",
			  is_traces ? "--profiles" : "--traces",
			  is_traces ? "--profiles" : "--traces",
			  s->endpoint->url);
		return true;
	}
	source_probe_fail(s->endpoint, s->wanted, s->best, 1, &why);
	check_fail(&d->checks, why.code, s->name, "server", "%s", why.message);
	fix_trouble(&d->checks, trouble_find(s->best), s->endpoint);
	return true;
}

/* ---- traces ---- */

static void check_version(struct doctor *d, const char *name, const char *kind,
			  const struct http_response *response)
{
	char version[STATUS_VERSION_BYTES];

	if (response && status_version_read(response, version) && version[0])
		check_ok(&d->checks, name, "server", "%s %s", kind, version);
	else if (response && !response->status)
		check_ok(&d->checks, name, "server",
			 "%s; its version could not be asked: %s", kind,
			 response->err.message);
	else
		check_ok(&d->checks, name, "server",
			 "%s, which does not tell its version", kind);
}

/* The answer that tells most. By default they are of different servers: one
 * that is there counts. */
static size_t best_of(const struct http_response *all, size_t count,
		      bool is_default)
{
	size_t there = 0, silent = 0;

	for (size_t i = count; i-- > 0;)
		if (all[i].status)
			there = i;
		else
			silent++;
	return is_default && silent
		       ? there
		       : (size_t)(source_probe_best(all, count) - all);
}

/* Which of the candidates answered, or tells most; the run's endpoint is set to
 * it. There is one at least. */
static const struct trace_candidate *settle_traces(struct doctor *d,
						   const struct round *q,
						   struct side_answers *s)
{
	struct side *side = &d->backends->traces;
	struct http_response all[TRACE_CANDIDATES];
	size_t best = 0;

	for (size_t i = 0; i < q->traces_count; i++) {
		const struct http_response *r =
			answer_of(q, ASK_TRACES + (int)i);

		all[i] = r ? *r : (struct http_response){ .status = 0 };
		if (s->is_right ||
		    !traces_probe_matches(q->traces[i].probe, &all[i]))
			continue;
		s->is_right = true;
		side->row = q->traces[i].row;
		best = i;
	}
	if (!s->is_right)
		best = best_of(all, q->traces_count, side->is_default);
	s->best = answer_of(q, ASK_TRACES + (int)best);
	if (s->is_right)
		s->login = answer_of(q, ASK_TRACES_LOGIN + (int)best);
	side->endpoint.url = q->traces[best].endpoint.url;
	/* By default they are different servers. */
	for (size_t i = 0; i < q->traces_count; i++)
		if (i == best || !side->is_default)
			take_times(s, answer_of(q, ASK_TRACES + (int)i));
	return &q->traces[best];
}

static void check_no_default(struct doctor *d, const struct round *q)
{
	struct buf names;

	buf_init(&names, LIMIT_CHECK_BYTES);
	trace_candidates_name(q->traces, q->traces_count, true, &names);
	check_fail(&d->checks, ERROR_NETWORK, "traces", "connection",
		   "nothing answers at %s", buf_text(&names));
	buf_release(&names);
	check_fix(&d->checks,
		  "--traces-url URL, or export TRACEFIND_TRACES_URL=URL");
}

static bool judge_candidates(struct doctor *d, const struct round *q,
			     const char *wanted, struct error *err)
{
	struct side_answers s = { .name = "traces",
				  .wanted = wanted,
				  .endpoint = &d->backends->traces.endpoint };
	const struct trace_candidate *c;

	c = settle_traces(d, q, &s);
	if (d->backends->traces.is_default && !s.best->status) {
		check_no_default(d, q);
		return true;
	}
	if (!check_connection(d, &s) || !check_login(d, &s))
		return true;
	if (!s.is_right)
		return check_stranger(d, &s, err);
	check_version(d, "traces", c->row->title,
		      answer_of(q, ASK_TRACES_VERSION + (int)(c - q->traces)));
	doctor_check_tenant(d, &d->backends->traces, "traces");
	check_clock(d, &s);
	d->is_traces_up = true;
	return true;
}

/* A login that fails sends nothing, and is what is to be told. */
static bool is_for_the_user(const struct error *why)
{
	return why->code == ERROR_MEMORY || why->code == ERROR_INTERRUPTED ||
	       why->code == ERROR_STOPPED;
}

static bool judge_only_answer(struct doctor *d,
			      const struct http_response *response,
			      struct error *err)
{
	struct side_answers s = { .name = "traces",
				  .endpoint = &d->backends->traces.endpoint,
				  .best = response };

	take_times(&s, response);
	if (!check_connection(d, &s))
		return true;
	check_clock(d, &s);
	return trace_checkup_of(d->backends)
		->judge(&d->checkup, response, &d->is_traces_up, err);
}

/* Those whose kind is known, and who tell all by one answer. */
static bool examine_traces(struct doctor *d, struct error *err)
{
	struct http_request request = { 0 };
	struct http_response response = { 0 };
	bool done = trace_checkup_of(d->backends)
			    ->request(d->backends, &request, err);

	if (done && backends_send(d->backends, &request, &response, 1, err)) {
		done = judge_only_answer(d, &response, err);
	} else if (done) {
		done = !is_for_the_user(err);
		if (done) {
			check_fail(&d->checks, err->code, "traces", "login",
				   "%s", err->message);
			error_clear(err);
		}
	}
	http_request_release(&request);
	http_response_release(&response);
	return done;
}

static bool judge_traces(struct doctor *d, const struct round *q,
			 struct error *err)
{
	struct buf wanted;
	bool done;

	if (d->is_traces_up)
		return true;
	doctor_check_address(d, &d->backends->traces, "traces");
	if (d->backends->traces.path) {
		d->is_traces_up = true;
		return true;
	}
	if (trace_checkup_of(d->backends)->request)
		return examine_traces(d, err);
	buf_init(&wanted, LIMIT_CHECK_BYTES);
	trace_candidates_name(q->traces, q->traces_count, false, &wanted);
	done = judge_candidates(d, q, buf_text(&wanted), err);
	buf_release(&wanted);
	return done;
}

/* ---- profiles ---- */

static bool judge_profiles(struct doctor *d, const struct profile_checkup *p,
			   const struct side_answers *s,
			   const struct http_response *answers,
			   struct error *err)
{
	struct error why = { 0 };

	if (p->learn && !p->learn(d->backends, answers, &why)) {
		check_fail(&d->checks, why.code, s->name, "server", "%s",
			   why.message);
		fix_trouble(&d->checks, trouble_find(s->best), s->endpoint);
		return true;
	}
	check_version(d, s->name, p->title,
		      p->version_ask ? &answers[p->version_ask] : NULL);
	if (p->has_tenants)
		doctor_check_tenant(d, &d->backends->profiles, s->name);
	check_clock(d, s);
	d->is_profiles_up = true;
	return p->judge(&d->checkup, answers, err);
}

/* False in *is_found: what answers is no such server, as far as can be
 * told. */
static bool find_other(struct doctor *d, const struct profile_checkup *p,
		       const struct side_answers *s, bool *is_found,
		       struct error *err)
{
	struct side_answers own = *s;
	struct round q = { .count = 0 };
	bool done = ask_profiles(d, p, &q, err) &&
		    backends_send(d->backends, q.requests, q.responses, q.count,
				  err);

	own.best = answer_of(&q, ASK_PROFILES);
	*is_found = done && own.best && p->is_proof(own.best);
	if (*is_found) {
		own.is_right = true;
		take_times(&own, own.best);
		done = !check_login(d, &own) ||
		       judge_profiles(d, p, &own, own.best, err);
	}
	round_release(&q);
	return done;
}

static bool judge_stranger(struct doctor *d, const struct side_answers *s,
			   struct error *err)
{
	const struct profile_checkup *p = NULL;
	bool is_found = false;

	if (!d->backends->profiles.is_kind_given)
		p = profile_checkup_likely(s->best);
	if (p && !find_other(d, p, s, &is_found, err))
		return false;
	return is_found || check_stranger(d, s, err);
}

static bool examine_profiles(struct doctor *d, const struct profile_checkup *p,
			     const struct round *q, struct error *err)
{
	struct side_answers s = { .name = "profiles",
				  .wanted = p->title,
				  .endpoint = &d->backends->profiles.endpoint };

	doctor_check_address(d, &d->backends->profiles, s.name);
	if (d->backends->profiles.path) {
		d->is_profiles_up = true;
		return true;
	}
	if (p->examine)
		return p->examine(&d->checkup, &d->is_profiles_up, err);
	s.best = answer_of(q, ASK_PROFILES);
	s.is_right = p->is_proof(s.best);
	for (int ask = ASK_PROFILES; ask < ASK_COUNT; ask++)
		take_times(&s, answer_of(q, ask));
	if (!check_connection(d, &s) || !check_login(d, &s))
		return true;
	return s.is_right ? judge_profiles(d, p, &s, s.best, err)
			  : judge_stranger(d, &s, err);
}

/* Nobody answers a dry run: what is asked first is all there is to show. */
static bool show_requests(struct doctor *d, const struct profile_checkup *p,
			  struct round *q, struct error *err)
{
	bool done = backends_send(d->backends, q->requests, q->responses,
				  q->count, err);

	if (err->code == ERROR_STOPPED &&
	    trace_checkup_of(d->backends)->request)
		done = examine_traces(d, err);
	if (err->code == ERROR_STOPPED && p->examine)
		done = p->examine(&d->checkup, &d->is_profiles_up, err);
	return done;
}

bool doctor_servers(struct doctor *d, struct error *err)
{
	const struct profile_checkup *p =
		profile_checkup_of(d->backends->profiles.kind);
	struct round q = { .count = 0 };
	bool done = ask_traces(d, &q, err) && ask_profiles(d, p, &q, err);

	if (done && d->backends->channel.show)
		done = show_requests(d, p, &q, err);
	else if (done && q.count)
		done = backends_send(d->backends, q.requests, q.responses,
				     q.count, err);
	done = done && judge_traces(d, &q, err) &&
	       examine_profiles(d, p, &q, err);
	round_release(&q);
	return done;
}
