/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http_error.h"

#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/timefmt.h"
#include "wire/url.h"

struct str url_authority(const char *url)
{
	struct url_parts parts;

	return url && url_split(str_from(url), &parts) ? parts.authority
						       : STR("the server");
}

const char *side_prefix(const struct endpoint *e)
{
	return e->option_prefix ? e->option_prefix : "-";
}

const char *side_url(const struct endpoint *e)
{
	static const char *const options[] = { "--traces-url", "--profiles-url",
					       "--metrics-url" };
	struct str side = str_from(side_prefix(e));

	if (e->url_option)
		return e->url_option;
	for (size_t i = 0; i < COUNT_OF(options); i++)
		if (str_starts(str_from(options[i]), side) && side.len > 2)
			return options[i];
	return "--url";
}

void wire_prefix(const char *url, struct error *err)
{
	struct str host = url_authority(url);

	error_prefix(err, "%.*s", STR_ARGS(host));
}

/* The library tells lack of memory and all else alike. */
static bool fail_library(struct error *err, const char *what, const char *words)
{
	return mem_has_failed() ? error_memory(err, what)
				: error_set(err, ERROR_INTERNAL, "%s", words);
}

bool wire_fail_start(struct error *err)
{
	return fail_library(err, "the network client",
			    "cannot start the network client: the system may "
			    "be out of descriptors");
}

bool wire_fail_wait(struct error *err)
{
	return fail_library(err, "the connections",
			    "cannot wait for the servers' answers: the system "
			    "failed to");
}

static void show_ms(int64_t ms, char out[24])
{
	format_duration(ms * NS_PER_MS, out);
}

/* Seldom a name comes without an errno; its text would say "Success". */
static const char *system_reason(const struct wire_facts *f)
{
	return f->os_error ? strerror(f->os_error) : f->detail;
}

/* Codes follow the exit statuses: 6 for all that another try, another address
 * or another setting may mend. */
static void describe_connect(enum wire_failure failure,
			     const struct wire_facts *f, struct error *err)
{
	struct str host = url_authority(f->url);
	const char *side = side_prefix(f->endpoint);
	char limit[24];

	switch (failure) {
	case WIRE_REFUSED:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_REFUSED ": is the server running "
			  "there? (%s)",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_NO_SUCH_HOST:
		error_set(err, ERROR_NETWORK,
			  WIRE_SAYS_NO_HOST ": %.*s (check %s, DNS, VPN)",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_NO_SUCH_PROXY:
		error_set(err, ERROR_NETWORK,
			  WIRE_SAYS_NO_PROXY
			  " on the way to %.*s (check "
			  "%s-proxy or the environment's proxy)",
			  STR_ARGS(host), side);
		break;
	case WIRE_CONNECT_TIMEOUT:
		show_ms(f->connect_ms, limit);
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_NO_CONNECT " within %s: check "
			  "%s, firewall and VPN, or raise "
			  "--connect-timeout",
			  STR_ARGS(host), limit, side_url(f->endpoint));
		break;
	default:
		error_set(err, ERROR_NETWORK,
			  WIRE_SAYS_CANNOT_CONNECT " to %.*s: %s",
			  STR_ARGS(host), system_reason(f));
		break;
	}
}

static bool says(const struct wire_facts *f, const char *words)
{
	return strstr(f->detail, words) != NULL;
}

/* What is wrong with the certificate is told by curl's words for names and
 * OpenSSL's for times; all else is about who signed it. */
static void describe_distrust(const struct wire_facts *f, struct error *err)
{
	struct str host = url_authority(f->url);
	const char *side = side_prefix(f->endpoint);

	if (says(f, "target host name"))
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_OTHER_NAME " (%s): put a name "
			  "that it is for into %s; --insecure skips the "
			  "check",
			  STR_ARGS(host), f->detail, side_url(f->endpoint));
	else if (says(f, "expired") || says(f, "not yet valid"))
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_OUT_OF_DATE " (%s): the server "
			  "needs a new one, or this machine's clock is wrong; "
			  "--insecure skips the check",
			  STR_ARGS(host), f->detail);
	else
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_UNTRUSTED " (%s): name "
			  "its authority with %s-cacert FILE; --insecure "
			  "skips the check",
			  STR_ARGS(host), f->detail, side);
}

static void describe_tls(enum wire_failure failure, const struct wire_facts *f,
			 struct error *err)
{
	struct str host = url_authority(f->url);
	const char *side = side_prefix(f->endpoint);

	switch (failure) {
	case WIRE_TLS_UNTRUSTED:
		describe_distrust(f, err);
		break;
	case WIRE_TLS_FILES:
		error_set(err, ERROR_USAGE,
			  "a certificate or key file cannot be used (%s): "
			  "check %s-cacert, %s-cert, %s-key",
			  f->detail, side, side, side);
		break;
	default:
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_NO_TLS
			  " (%s): does the server speak "
			  "https (TLS 1.2 or newer) on this port? (%s)",
			  STR_ARGS(host), f->detail, side_url(f->endpoint));
		break;
	}
}

static void describe_answer(enum wire_failure failure,
			    const struct wire_facts *f, struct error *err)
{
	struct str host = url_authority(f->url);
	char limit[24];

	switch (failure) {
	case WIRE_STALLED:
		show_ms(f->stall_ms, limit);
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_SILENT " %s (%lld bytes had come): "
			  "the server is busy or hung; a shorter window asks "
			  "less of it",
			  STR_ARGS(host), limit, (long long)f->body_bytes);
		break;
	case WIRE_OUT_OF_TIME:
		show_ms(f->timeout_ms, limit);
		error_set(err, ERROR_NETWORK,
			  "%.*s: " WIRE_SAYS_OUT_OF_TIME
			  " %s are used up (raise "
			  "--timeout, or ask for a shorter window)",
			  STR_ARGS(host), limit);
		break;
	case WIRE_NO_ANSWER:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_CLOSED " (%s): "
			  "does it speak http or https there? (%s)",
			  STR_ARGS(host), f->detail, side_url(f->endpoint));
		break;
	case WIRE_NO_ANSWER_TLS:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_CLOSED_TLS ", without an answer "
			  "(%s): does it want a client certificate, or another "
			  "one (%s-cert)?",
			  STR_ARGS(host), f->detail, side_prefix(f->endpoint));
		break;
	default:
		error_set(err, ERROR_NETWORK,
			  "%.*s cut the connection in the middle of the "
			  "answer, after %lld bytes: try again",
			  STR_ARGS(host), (long long)f->body_bytes);
		break;
	}
}

void wire_describe(enum wire_failure failure, const struct wire_facts *f,
		   struct error *err)
{
	struct str host = url_authority(f->url);

	switch (failure) {
	case WIRE_REFUSED:
	case WIRE_UNREACHABLE:
	case WIRE_NO_SUCH_HOST:
	case WIRE_NO_SUCH_PROXY:
	case WIRE_CONNECT_TIMEOUT:
		describe_connect(failure, f, err);
		break;
	case WIRE_TLS_UNTRUSTED:
	case WIRE_TLS:
	case WIRE_TLS_FILES:
		describe_tls(failure, f, err);
		break;
	case WIRE_STALLED:
	case WIRE_OUT_OF_TIME:
	case WIRE_NO_ANSWER:
	case WIRE_NO_ANSWER_TLS:
	case WIRE_CUT:
		describe_answer(failure, f, err);
		break;
	case WIRE_NOT_HTTP:
		error_set(err, ERROR_NETWORK,
			  "%.*s " WIRE_SAYS_NOT_HTTP ": check scheme and "
			  "port of %s",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_LONG_HEADER:
		error_set(err, ERROR_LIMIT,
			  "%.*s: the answer has a header too large to take: "
			  "is this the right server? (%s)",
			  STR_ARGS(host), side_url(f->endpoint));
		break;
	case WIRE_BAD_URL:
		error_set(err, ERROR_USAGE, "%s is not a usable URL",
			  side_url(f->endpoint));
		break;
	case WIRE_MEMORY:
		error_memory(err, "a connection");
		break;
	case WIRE_OK:
	case WIRE_OTHER:
		error_set(err, ERROR_NETWORK, "%.*s: %s", STR_ARGS(host),
			  f->detail[0] ? f->detail : "the transfer failed");
		break;
	}
}
