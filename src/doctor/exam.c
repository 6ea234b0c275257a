/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

#include <stdint.h>
#include <string.h>

#include "backend/checkup.h"
#include "backend/source.h"
#include "backend/table.h"
#include "base/buf.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/redact.h"
#include "base/timefmt.h"
#include "model/checks.h"
#include "wire/http_message.h"

static void fix_trouble(struct checks *c, enum trouble trouble,
			const struct endpoint *e);

/* Returns the URL of a side's server for display, with its origin. */

static const struct doctor_side *said_of(const struct doctor *d,
					 const struct side *s)
{
	if (s == &d->backends->metrics)
		return &d->question->metrics;
	return s == &d->backends->traces ? &d->question->traces
					 : &d->question->profiles;
}

static void check_defaults(struct doctor *d, const char *name)
{
	struct trace_candidate list[TRACE_CANDIDATES];
	size_t count = backends_trace_candidates(d->backends, list);
	struct buf text;

	buf_init(&text, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < count; i++)
		buf_addf(&text, "%s%s for %s", i ? ", else " : "",
			 list[i].endpoint.url, list[i].row->title);
	check_ok(&d->checks, name, "url", "%s, by default", buf_text(&text));
	buf_release(&text);
}

void doctor_check_address(struct doctor *d, const struct side *s,
			  const char *name)
{
	struct str origin = said_of(d, s)->url_origin;
	struct buf url;

	buf_init(&url, LIMIT_OPTION_VALUE_BYTES);
	url_redact(&url, str_from(s->path ? s->path : s->endpoint.url));

	if (s->endpoint.project) {
		check_ok(&d->checks, name, "url", "project %s at %s, %.*s",
			 s->endpoint.project, buf_text(&url), STR_ARGS(origin));
	} else if (!s->is_default) {
		check_ok(&d->checks, name, "url", "%s%s, %.*s",
			 s->path ? "file " : "", buf_text(&url),
			 STR_ARGS(origin));
	} else if (s == &d->backends->traces) {
		check_defaults(d, name);
	} else {
		check_ok(&d->checks, name, "url", "%s, by default",
			 s->endpoint.url);
	}
	buf_release(&url);
}

void exam_add_times(struct exam *e, const struct http_response *response)
{
	int64_t date_ns;

	if (!response || !response->status)
		return;
	if (!e->fastest_ns || response->duration_ns < e->fastest_ns)
		e->fastest_ns = response->duration_ns;
	if (e->clock_count < CLOCK_ANSWERS_MAX &&
	    status_date_read(response, &date_ns))
		e->clocks[e->clock_count++] =
			(struct clock_answer){ date_ns, response->duration_ns };
}

static bool doctor_is_https(const char *url)
{
	return str_equal_nocase(str_slice(str_from(url), 0, 6), STR("https:"));
}

/* ---- connection and authentication ---- */

static bool judge_connection(struct doctor *d, struct exam *e,
			     struct error *err)
{
	struct str host = url_authority(e->side->endpoint.url);
	enum trouble trouble = trouble_find(e->best);
	bool is_of_tls =
		trouble == TROUBLE_UNTRUSTED || trouble == TROUBLE_OTHER_NAME ||
		trouble == TROUBLE_OUT_OF_DATE || trouble == TROUBLE_TLS;
	char took[24];

	(void)err;
	if (e->best->status) {
		format_duration(e->fastest_ns, took);
		check_ok(&d->checks, e->name, "connection",
			 "%.*s answers in %s", STR_ARGS(host), took);
		e->known |= EXAM_REACHED;
		return true;
	}
	check_fail(&d->checks, e->best->err.code, e->name,
		   is_of_tls ? "tls" : "connection", "%s",
		   e->best->err.message);
	fix_trouble(&d->checks, trouble, &e->side->endpoint);
	return true;
}

static bool judge_tls(struct doctor *d, struct exam *e, struct error *err)
{
	const struct endpoint *at = &e->side->endpoint;

	(void)err;
	e->known |= EXAM_SECURED;
	if (!doctor_is_https(at->url)) {
		check_ok(&d->checks, e->name, "tls", "none: plain http");
	} else if (d->question->is_case) {
		/* A case does not contain how the connection was verified. */
		check_ok(&d->checks, e->name, "tls", "https");
	} else if (at->is_insecure) {
		check_warn(&d->checks, e->name, "tls",
			   "the certificate is not verified");
		check_fix(&d->checks, "%s-cacert FILE instead of --insecure",
			  side_prefix(at));
	} else {
		check_ok(&d->checks, e->name, "tls",
			 "the certificate is trusted");
	}
	return true;
}

static bool judge_login(struct doctor *d, struct exam *e, struct error *err)
{
	const struct http_response *r = e->login ? e->login : e->best;
	struct str host = url_authority(e->side->endpoint.url);
	enum trouble trouble = trouble_find(r);
	bool is_tenant =
		trouble == TROUBLE_TENANT || trouble == TROUBLE_TENANT_HEADER;
	bool is_login = is_tenant || trouble == TROUBLE_CREDENTIALS ||
			trouble == TROUBLE_RIGHTS ||
			trouble == TROUBLE_PROXY_LOGIN;
	struct reason reason;

	(void)err;
	if (!is_login) {
		if (e->is_right)
			check_ok(&d->checks, e->name, "login",
				 "read access");
		e->known |= EXAM_ALLOWED;
		return true;
	}
	reason_read(r, &reason);
	check_fail(&d->checks, ERROR_AUTH, e->name,
		   is_tenant ? "tenant" : "login", "%.*s answers %d%s%s%s%s",
		   STR_ARGS(host), r->status, reason.text[0] ? ": " : "",
		   reason.text, r->location[0] ? ", and would go to " : "",
		   r->location);
	fix_trouble(&d->checks, trouble, &e->side->endpoint);
	return true;
}

/* ---- which server it is ---- */

static void fail_server(struct doctor *d, const struct exam *e,
			const struct error *why)
{
	check_fail(&d->checks, why->code, e->name, "server", "%s",
		   why->message);
	fix_trouble(&d->checks, trouble_find(e->best), &e->side->endpoint);
}

/* Identifies a server of another kind at the URL, to name it. NULL: not
 * recognised. */
static bool find_stranger(struct doctor *d, const struct endpoint *e,
			  bool is_traces, const char **found, struct error *err)
{
	const struct backends there = { .traces.endpoint = *e,
					.profiles.endpoint = *e,
					.now_ns = d->backends->now_ns };
	const struct profile_checkup *p = profile_checkup_of(&there);
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

static bool judge_stranger(struct doctor *d, const struct exam *s,
			   struct error *err)
{
	struct str host = url_authority(s->side->endpoint.url);
	bool is_traces = s->traces != NULL;
	const char *found;
	struct error why = { 0 };

	if (!find_stranger(d, &s->side->endpoint, is_traces, &found, err))
		return false;
	if (found) {
		check_fail(&d->checks, ERROR_NETWORK, s->name, "server",
			   "%s answers at %.*s, not %s", found, STR_ARGS(host),
			   s->wanted);
		check_fix(&d->checks, "that address is for %s-url: %s-url %s",
			  is_traces ? "--profiles" : "--traces",
			  is_traces ? "--profiles" : "--traces",
			  s->side->endpoint.url);
		return true;
	}
	source_probe_fail(&s->side->endpoint, s->wanted, s->best, 1, &why);
	fail_server(d, s, &why);
	return true;
}

static void check_version(struct doctor *d, const struct exam *e)
{
	const struct http_response *response = e->version;
	char version[STATUS_VERSION_BYTES];

	if (response && status_version_read(response, version) && version[0])
		check_ok(&d->checks, e->name, "server", "%s %s", e->title,
			 version);
	else if (response && !response->status)
		check_ok(&d->checks, e->name, "server",
			 "%s; version unknown: %s", e->title,
			 response->err.message);
	else
		check_ok(&d->checks, e->name, "server",
			 "%s, version unknown", e->title);
}

static bool judge_server(struct doctor *d, struct exam *e, struct error *err)
{
	struct error why = { 0 };

	if (!e->is_right) {
		const struct profile_backend *p = NULL;
		bool is_found = false;

		/* Possibly another kind of profile server than assumed. */
		if (e->profiles && !e->side->is_kind_given)
			p = profiles_likely(backends_profiles(d->backends),
					    e->best);
		if (p && !exam_ask_other(d, p->checkup, e, &is_found, err))
			return false;
		return is_found || judge_stranger(d, e, err);
	}
	if (e->profiles && e->profiles->learn &&
	    !e->profiles->learn(d->backends, e->answers, &why)) {
		fail_server(d, e, &why);
		return true;
	}
	check_version(d, e);
	e->known |= EXAM_PROVEN;
	return true;
}

static bool judge_tenant(struct doctor *d, struct exam *e, struct error *err)
{
	const char *tenant = e->side->endpoint.tenant_id;
	struct str origin = said_of(d, e->side)->tenant_origin;

	(void)err;
	if (e->has_tenants && tenant)
		check_ok(&d->checks, e->name, "tenant", "\"%s\" sent, %.*s",
			 tenant, STR_ARGS(origin));
	else if (e->has_tenants)
		check_ok(&d->checks, e->name, "tenant",
			 "none sent; needed by multi-tenant servers");
	return true;
}

static bool judge_clock(struct doctor *d, struct exam *e, struct error *err)
{
	struct clock_offset clock;
	enum check_status status;
	char off[24];
	bool is_behind;

	(void)err;
	if (!e->clock_count) {
		check_ok(&d->checks, e->name, "clock",
			 "unknown: responses have no Date header");
		return true;
	}
	clock = clock_offset_find(e->clocks, e->clock_count,
				  d->backends->now_ns);
	status = clock_offset_judge(&clock);
	is_behind = clock.offset_ns < 0;
	if (status == CHECK_OK) {
		check_ok(&d->checks, e->name, "clock",
			 "within seconds of this machine's clock");
		return true;
	}
	format_duration(is_behind ? sat_sub_i64(0, clock.offset_ns)
				  : clock.offset_ns,
			off);
	if (status == CHECK_WARNING)
		check_warn(&d->checks, e->name, "clock",
			   "about %s %s this machine's", off,
			   is_behind ? "behind" : "ahead of");
	else
		check_fail(&d->checks, ERROR_INTERNAL, e->name, "clock",
			   "about %s %s this machine's: windows such as now-1h "
			   "miss new data",
			   off, is_behind ? "behind" : "ahead of");
	check_fix(&d->checks,
		  "timedatectl set-ntp true, on the machine whose clock is "
		  "wrong (TRACEFIND_NOW, if set, overrides this machine's)");
	return true;
}

static bool judge_own(struct doctor *d, struct exam *e, struct error *err)
{
	if (e->traces && e->traces->judge)
		return e->traces->judge(&d->checkup, e->best, e->is_up, err);
	*e->is_up = true;
	return !e->profiles || e->profiles->judge(&d->checkup, e->answers, err);
}

/* ---- order of checks ---- */

/* In order of the answer. A check is skipped if its prerequisites are unknown,
 * or if its own result is known already. */
static const struct {
	const char *id;
	unsigned needs;
	unsigned finds;
	bool (*judge)(struct doctor *d, struct exam *e, struct error *err);
} server_checks[] = {
	{ "connection", 0, EXAM_REACHED, judge_connection },
	{ "tls", EXAM_REACHED, EXAM_SECURED, judge_tls },
	{ "login", EXAM_REACHED, EXAM_ALLOWED, judge_login },
	{ "server", EXAM_REACHED | EXAM_ALLOWED, EXAM_PROVEN, judge_server },
	{ "tenant", EXAM_REACHED | EXAM_PROVEN, 0, judge_tenant },
	{ "clock", EXAM_REACHED | EXAM_PROVEN, 0, judge_clock },
	{ "its own", EXAM_REACHED | EXAM_PROVEN, 0, judge_own },
};

bool exam_judge(struct doctor *d, struct exam *e, struct error *err)
{
	for (size_t i = 0; e->best && i < COUNT_OF(server_checks); i++)
		if ((e->known & server_checks[i].needs) ==
			    server_checks[i].needs &&
		    !(e->known & server_checks[i].finds) &&
		    !server_checks[i].judge(d, e, err))
			return false;
	return true;
}

/* ---- commands ---- */

void fix_command_begin(struct fix_command *c, const struct doctor *d,
		       const char *lead, const char *command)
{
	c->d = d;
	buf_init(&c->text, LIMIT_CHECK_BYTES);
	buf_addf(&c->text, "%stracefind %s", lead, command);
	if (d->has_trace && d->question->trace_text && strcmp(command, "types"))
		shell_word_add(&c->text, str_from(d->question->trace_text));
}

void fix_command_option(struct fix_command *c, const char *name,
			struct str value)
{
	buf_addf(&c->text, " --%s", name);
	shell_word_add(&c->text, value);
}

void fix_command_map(struct fix_command *c, struct str traced, struct str sent)
{
	struct buf map;

	buf_init(&map, LIMIT_CHECK_BYTES);
	buf_addf(&map, "%.*s=%.*s", STR_ARGS(traced), STR_ARGS(sent));
	fix_command_option(c, "map", buf_str(&map));
	buf_release(&map);
}

void fix_command_end(struct fix_command *c, struct checks *checks,
		     const char *tail)
{
	const struct doctor_question *q = c->d->question;

	for (size_t i = 0; i < q->option_count; i++)
		fix_command_option(c, q->options[i].name,
				   str_from(q->options[i].value));
	check_fix(checks, "%s%s", buf_text(&c->text), tail);
	buf_release(&c->text);
}

/* ---- servers ---- */

/* Fixes. {side} stands for "--traces", {url} for the URL, {host} and {address}
 * for parts of it, {scheme} for the other scheme. */
static const struct {
	enum trouble trouble;
	const char *fix;
} trouble_fixes[] = {
	{ TROUBLE_REFUSED,
	  "start the server, or name its address: {side}-url URL" },
	{ TROUBLE_NO_HOST, "{side}-url with a name that resolves here: getent "
			   "hosts NAME" },
	{ TROUBLE_NO_PROXY,
	  "{side}-proxy URL, or unset https_proxy http_proxy" },
	{ TROUBLE_NO_CONNECTION,
	  "check firewall, VPN and {side}-url, the scheme too; by hand: curl "
	  "-v {url}" },
	{ TROUBLE_SLOW, "--timeout 5m; check whether {host} is overloaded" },
	{ TROUBLE_UNTRUSTED,
	  "{side}-cacert FILE with the CA certificate; to skip verification: "
	  "{side}-insecure" },
	{ TROUBLE_OTHER_NAME,
	  "{side}-url with a name that the certificate covers; to skip "
	  "verification: {side}-insecure" },
	{ TROUBLE_OUT_OF_DATE,
	  "renew the server's certificate, or correct this machine's clock "
	  "(date); to skip verification: {side}-insecure" },
	{ TROUBLE_TLS,
	  "{side}-url http://{address}, if the server does not use TLS" },
	{ TROUBLE_SCHEME, "{side}-url {scheme}://{address}, or another port" },
	{ TROUBLE_CERTIFICATE,
	  "{side}-cert FILE {side}-key FILE, if the server requires a client "
	  "certificate" },
	{ TROUBLE_SECRET,
	  "{side}-url https://{address}, or {side}-insecure-auth where the "
	  "network can be trusted" },
	{ TROUBLE_CREDENTIALS,
	  "{side}-token-file FILE, or {side}-username NAME with "
	  "{side}-password-file FILE" },
	{ TROUBLE_RIGHTS,
	  "a token with read access (Grafana Cloud: traces:read, "
	  "profiles:read, metrics:read) in {side}-token-file FILE" },
	{ TROUBLE_PROXY_LOGIN,
	  "USER:PASSWORD and an @ before the host of {side}-proxy" },
	{ TROUBLE_TENANT, "{side}-tenant-id NAME" },
	{ TROUBLE_TENANT_HEADER, "{side}-header 'x-tenant: NAME'" },
	{ TROUBLE_REDIRECT, "{side}-url with the final address" },
	{ TROUBLE_BUSY, "wait and try again: --retry 5 --timeout 5m" },
	{ TROUBLE_SERVER, "check the server's log" },
};

/* The fix for a server that responds, but unexpectedly. */
static const char other_fix[] =
	"{side}-url of the server itself, with its path prefix; through "
	"Grafana: https://GRAFANA/api/datasources/proxy/uid/UID";

static void add_part(struct buf *out, struct str name, const struct endpoint *e)
{
	struct str url = str_from(e->url);
	size_t at = str_find(url, STR("://"));

	if (str_equal(name, STR("side")))
		buf_add_text(out, side_prefix(e));
	else if (str_equal(name, STR("url")))
		buf_add_str(out, url);
	else if (str_equal(name, STR("host")))
		buf_add_str(out, url_authority(e->url));
	else if (str_equal(name, STR("scheme")))
		buf_add_text(out, doctor_is_https(e->url) ? "http" : "https");
	else
		buf_add_str(out, at == SIZE_MAX
					 ? url
					 : str_slice(url, at + 3, url.len));
}

/* Sets the fix for a problem with the server of `e`, for the check appended
 * last. */
static void fix_trouble(struct checks *c, enum trouble trouble,
			const struct endpoint *e)
{
	struct str rest = str_from(other_fix);
	struct buf text;
	size_t open;

	for (size_t i = 0; i < COUNT_OF(trouble_fixes); i++)
		if (trouble_fixes[i].trouble == trouble)
			rest = str_from(trouble_fixes[i].fix);
	buf_init(&text, 4 * LIMIT_OPTION_VALUE_BYTES);
	while ((open = str_find(rest, STR("{"))) != SIZE_MAX) {
		size_t close = str_find(rest, STR("}"));

		buf_add_str(&text, str_slice(rest, 0, open));
		add_part(&text, str_slice(rest, open + 1, close - open - 1), e);
		rest = str_slice(rest, close + 1, rest.len);
	}
	buf_add_str(&text, rest);
	check_fix(c, "%s", buf_text(&text));
	buf_release(&text);
}

void fix_span_profiles(struct checks *c, const struct profile_checkup *server,
		       struct str language)
{
	const char *fix = server->span_fix ? server->span_fix(language) : NULL;

	if (fix)
		check_fix(c, "%s", fix);
	else if (language.len)
		check_fix(c,
			  "none for %.*s; the profile of the whole service is "
			  "used",
			  STR_ARGS(language));
	else
		check_fix(c, "in the service: the span wrapper of its SDK "
			     "(man tracefind-doctor, TROUBLESHOOTING)");
}
