/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/shell.h"
#include "doctor/doctor.h"
#include "wire/http_error.h"

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

static const char *after_scheme(const char *url)
{
	const char *colon = strstr(url, "://");

	return colon ? colon + 3 : url;
}

static bool is_https(const char *url)
{
	return str_equal_nocase(str_slice(str_from(url), 0, 6), STR("https:"));
}

static void fix_wire(struct checks *c, enum trouble trouble,
		     const struct endpoint *e)
{
	const char *side = side_prefix(e);
	struct str host = url_authority(e->url);

	switch (trouble) {
	case TROUBLE_REFUSED:
		check_fix(c,
			  "start the server, or name its address: %s-url URL",
			  side);
		break;
	case TROUBLE_NO_HOST:
		check_fix(c,
			  "%s-url with a name that is known here: getent "
			  "hosts NAME",
			  side);
		break;
	case TROUBLE_NO_PROXY:
		check_fix(c, "%s-proxy URL, or unset https_proxy http_proxy",
			  side);
		break;
	case TROUBLE_SLOW:
		check_fix(c, "--timeout 5m; see whether %.*s is overloaded",
			  STR_ARGS(host));
		break;
	case TROUBLE_UNTRUSTED:
		check_fix(c,
			  "%s-cacert FILE with the authority's certificate; "
			  "to try without the check: %s-insecure",
			  side, side);
		break;
	case TROUBLE_OTHER_NAME:
		check_fix(c,
			  "%s-url with a name that the certificate is for; "
			  "to try without the check: %s-insecure",
			  side, side);
		break;
	case TROUBLE_OUT_OF_DATE:
		check_fix(c,
			  "a new certificate on the server, or the right time "
			  "here (date); to try without the check: "
			  "%s-insecure",
			  side);
		break;
	case TROUBLE_TLS:
		check_fix(c, "%s-url http://%s, if the server does without TLS",
			  side, after_scheme(e->url));
		break;
	case TROUBLE_SCHEME:
		check_fix(c, "%s-url %s://%s, or another port", side,
			  is_https(e->url) ? "http" : "https",
			  after_scheme(e->url));
		break;
	case TROUBLE_CERTIFICATE:
		check_fix(c,
			  "%s-cert FILE %s-key FILE, if the server lets in "
			  "those with a certificate only",
			  side, side);
		break;
	case TROUBLE_SECRET:
		check_fix(c,
			  "%s-url https://%s, or %s-insecure-auth where the "
			  "network can be trusted",
			  side, after_scheme(e->url), side);
		break;
	default:
		check_fix(c,
			  "check firewall, VPN and %s-url, the scheme too; by "
			  "hand: curl -v %s",
			  side, e->url);
		break;
	}
}

static void fix_login(struct checks *c, enum trouble trouble,
		      const struct endpoint *e)
{
	const char *side = side_prefix(e);

	switch (trouble) {
	case TROUBLE_TENANT:
		check_fix(c, "%s-tenant-id NAME", side);
		break;
	case TROUBLE_TENANT_HEADER:
		check_fix(c, "%s-header 'x-tenant: NAME'", side);
		break;
	case TROUBLE_PROXY_LOGIN:
		check_fix(c,
			  "USER:PASSWORD and an @ before the host of "
			  "%s-proxy",
			  side);
		break;
	case TROUBLE_RIGHTS:
		check_fix(c,
			  "a token with the right to read (Grafana Cloud: "
			  "traces:read, profiles:read) in %s-token-file FILE",
			  side);
		break;
	default:
		check_fix(c,
			  "%s-token-file FILE, or %s-username NAME with "
			  "%s-password-file FILE",
			  side, side, side);
		break;
	}
}

void fix_trouble(struct checks *c, enum trouble trouble,
		 const struct endpoint *e)
{
	const char *side = side_prefix(e);

	switch (trouble) {
	case TROUBLE_CREDENTIALS:
	case TROUBLE_RIGHTS:
	case TROUBLE_TENANT:
	case TROUBLE_TENANT_HEADER:
	case TROUBLE_PROXY_LOGIN:
		fix_login(c, trouble, e);
		break;
	case TROUBLE_REDIRECT:
		check_fix(c, "%s-url with the final address", side);
		break;
	case TROUBLE_PAGE:
	case TROUBLE_NONE:
	case TROUBLE_OTHER:
		check_fix(c,
			  "%s-url of the server itself, with its path "
			  "prefix; through Grafana: "
			  "https://GRAFANA/api/datasources/proxy/uid/UID",
			  side);
		break;
	case TROUBLE_BUSY:
		check_fix(c, "wait and try again: --retry 5 --timeout 5m");
		break;
	case TROUBLE_SERVER:
		check_fix(c, "the server's own log tells why");
		break;
	default:
		fix_wire(c, trouble, e);
		break;
	}
}

void fix_span_profiles(struct checks *c, const struct profile_checkup *server,
		       struct str language)
{
	const char *fix = server->span_fix ? server->span_fix(language) : NULL;

	if (fix)
		check_fix(c, "%s", fix);
	else if (language.len)
		check_fix(c,
			  "none for %.*s; the profile of the whole service "
			  "is taken",
			  STR_ARGS(language));
	else
		check_fix(c, "in the service: the span wrapper of its SDK "
			     "(man tracefind-doctor, TROUBLESHOOTING)");
}
