/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/count.h"
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

/* {side} stands for "--traces", {url} for the address, {host} and {address}
 * for what of it is behind the scheme, {scheme} for the other scheme. */
static const struct {
	enum trouble trouble;
	const char *fix;
} trouble_fixes[] = {
	{ TROUBLE_REFUSED,
	  "start the server, or name its address: {side}-url URL" },
	{ TROUBLE_NO_HOST, "{side}-url with a name that is known here: getent "
			   "hosts NAME" },
	{ TROUBLE_NO_PROXY,
	  "{side}-proxy URL, or unset https_proxy http_proxy" },
	{ TROUBLE_NO_CONNECTION,
	  "check firewall, VPN and {side}-url, the scheme too; by hand: curl "
	  "-v {url}" },
	{ TROUBLE_SLOW, "--timeout 5m; see whether {host} is overloaded" },
	{ TROUBLE_UNTRUSTED,
	  "{side}-cacert FILE with the authority's certificate; to try without "
	  "the check: {side}-insecure" },
	{ TROUBLE_OTHER_NAME,
	  "{side}-url with a name that the certificate is for; to try without "
	  "the check: {side}-insecure" },
	{ TROUBLE_OUT_OF_DATE,
	  "a new certificate on the server, or the right time here (date); to "
	  "try without the check: {side}-insecure" },
	{ TROUBLE_TLS,
	  "{side}-url http://{address}, if the server does without TLS" },
	{ TROUBLE_SCHEME, "{side}-url {scheme}://{address}, or another port" },
	{ TROUBLE_CERTIFICATE,
	  "{side}-cert FILE {side}-key FILE, if the server lets in those with "
	  "a certificate only" },
	{ TROUBLE_SECRET,
	  "{side}-url https://{address}, or {side}-insecure-auth where the "
	  "network can be trusted" },
	{ TROUBLE_CREDENTIALS,
	  "{side}-token-file FILE, or {side}-username NAME with "
	  "{side}-password-file FILE" },
	{ TROUBLE_RIGHTS,
	  "a token with the right to read (Grafana Cloud: traces:read, "
	  "profiles:read, metrics:read) in {side}-token-file FILE" },
	{ TROUBLE_PROXY_LOGIN,
	  "USER:PASSWORD and an @ before the host of {side}-proxy" },
	{ TROUBLE_TENANT, "{side}-tenant-id NAME" },
	{ TROUBLE_TENANT_HEADER, "{side}-header 'x-tenant: NAME'" },
	{ TROUBLE_REDIRECT, "{side}-url with the final address" },
	{ TROUBLE_BUSY, "wait and try again: --retry 5 --timeout 5m" },
	{ TROUBLE_SERVER, "the server's own log tells why" },
};

/* What answers, and not as it should. */
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

void fix_trouble(struct checks *c, enum trouble trouble,
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
			  "none for %.*s; the profile of the whole service "
			  "is taken",
			  STR_ARGS(language));
	else
		check_fix(c, "in the service: the span wrapper of its SDK "
			     "(man tracefind-doctor, TROUBLESHOOTING)");
}
