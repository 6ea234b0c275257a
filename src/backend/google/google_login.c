/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/google/google_token.h"
#include "backend/google_login.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/url.h"

/* A token with less time left is renewed first. */
#define SPARE_NS (60 * NS_PER_S)

/* The metadata server is on the local network, or does not exist. */
#define METADATA_CONNECT_MS 1000

#define STALL_MS 15000

#define FILE_NAME "application_default_credentials.json"

struct google_login {
	struct google_credential credential;
	char path[LIMIT_PATH_BYTES]; /* "": the metadata server */
	/* gcloud's default path, if nothing was found there. */
	char default_path[LIMIT_PATH_BYTES];
	char metadata_url[LIMIT_PATH_BYTES];
	struct error fault; /* of the file; reported when a token is needed */
	bool is_open;       /* others can read the secret file */
	bool is_absent;     /* no credentials anywhere */
	int64_t expires_ns; /* 0: no token yet */
	char token[TOKEN_BYTES];
};

static const char *env_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* ---- finding them ---- */

static void load_file(struct google_login *l, const char *path)
{
	const struct google_credential *base = &l->credential;
	struct stat st;

	snprintf(l->path, sizeof l->path, "%s", path);
	if (!google_credential_load(&l->credential, path, &l->fault))
		return;
	error_clear(&l->fault);
	if (base->source)
		base = base->source;
	l->is_open = (base->fields[CREDENTIAL_PRIVATE_KEY] ||
		      base->fields[CREDENTIAL_CLIENT_SECRET]) &&
		     !stat(path, &st) && S_ISREG(st.st_mode) &&
		     st.st_mode & (S_IRGRP | S_IROTH);
}

struct google_login *google_login_new(struct error *err)
{
	struct google_login *l = mem_calloc(1, sizeof *l);
	const char *named = env_get("GOOGLE_APPLICATION_CREDENTIALS");
	const char *folder = env_get("CLOUDSDK_CONFIG");
	const char *home = env_get("HOME");
	const char *host = env_get("GCE_METADATA_HOST");
	struct stat st;

	if (!l) {
		error_memory(err, "credentials");
		return NULL;
	}
	if (folder)
		snprintf(l->default_path, sizeof l->default_path,
			 "%s/" FILE_NAME, folder);
	else if (home)
		snprintf(l->default_path, sizeof l->default_path,
			 "%s/.config/gcloud/" FILE_NAME, home);
	if (host)
		snprintf(l->metadata_url, sizeof l->metadata_url, "http://%s",
			 host);
	else
		snprintf(l->metadata_url, sizeof l->metadata_url,
			 GOOGLE_METADATA_URL);
	if (named)
		load_file(l, named);
	else if (l->default_path[0] &&
		 (!stat(l->default_path, &st) || errno == EACCES))
		load_file(l, l->default_path);
	return l;
}

void google_login_free(struct google_login *l)
{
	if (!l)
		return;
	google_credential_release(&l->credential);
	mem_wipe(l->token, sizeof l->token);
	mem_free(l);
}

const char *google_login_token(const struct google_login *l)
{
	return l->token;
}

const char *google_quota_project(const struct google_login *l,
				 const char *side_project)
{
	const char *named = env_get("GOOGLE_CLOUD_QUOTA_PROJECT");

	if (named || !l)
		return named;
	if (l->credential.fields[CREDENTIAL_QUOTA_PROJECT])
		return l->credential.fields[CREDENTIAL_QUOTA_PROJECT];
	return l->credential.kind == GOOGLE_USER ||
			       l->credential.kind == GOOGLE_WORKFORCE
		       ? side_project
		       : NULL;
}

/* ---- words ---- */

/* Reports where credentials were searched, and the result. */
static bool fail_none(struct google_login *l, const char *why,
		      const struct endpoint *side, struct error *err)
{
	l->is_absent = true;
	return error_set(
		err, ERROR_AUTH,
		"no Google credentials: GOOGLE_APPLICATION_CREDENTIALS "
		"is not set; %.200s%s; no metadata server at %.60s "
		"(%s). Log in with gcloud auth application-default "
		"login, or give a token with %s-token-file",
		l->default_path[0] ? l->default_path : "HOME",
		l->default_path[0] ? " is not there" : " is not set",
		l->metadata_url + strlen("http://"), why, side->option_prefix);
}

/* Adds the credentials to the message. */
static bool fail_with(const struct google_login *l, struct error *err)
{
	if (!l->path[0])
		return error_prefix(err, "Google credentials");
	return error_prefix(err, "Google credentials of %s", l->path);
}

/* Tokens are valid in one cloud only. */
static bool check_universe(const struct google_login *l,
			   const struct endpoint *side, struct error *err)
{
	static const struct str own = { "." GOOGLE_UNIVERSE,
					sizeof GOOGLE_UNIVERSE };
	const char *universe = google_credential_universe(&l->credential);
	struct url_parts parts;
	struct str name;

	if (!strcmp(universe, GOOGLE_UNIVERSE) ||
	    !url_split(str_from(side->url), &parts) ||
	    !str_ends(parts.host, own))
		return true;
	name = str_slice(parts.host, 0, parts.host.len - own.len);
	error_set(err, ERROR_AUTH,
		  "they are of the cloud %.100s, not of " GOOGLE_UNIVERSE
		  ": name its address in %s-url, such as "
		  "gcp+https://%.*s.%.100s/projects/%s",
		  universe, side->option_prefix, STR_ARGS(name), universe,
		  side->project ? side->project : "PROJECT");
	return fail_with(l, err);
}

/* ---- buying a token ---- */

/* Fixed link-local addresses are not reached through a proxy. */
static bool is_next_door(const struct google_login *l,
			 const struct google_flow *f)
{
	return google_flow_step(f) == GOOGLE_STEP_INSTANCE
		       ? !host_is_loopback(l->metadata_url)
		       : google_url_is_metadata(f->endpoint.url);
}

static bool run_step(struct google_login *l, struct google_flow *f,
		     const struct endpoint *side,
		     const struct google_login_want *want, int64_t end_ns,
		     struct error *err)
{
	bool is_near = is_next_door(l, f);
	bool is_instance = google_flow_step(f) == GOOGLE_STEP_INSTANCE;
	int64_t connect_ms = want->connect_timeout_ns / NS_PER_MS;
	int64_t left_ms =
		sat_sub_i64(end_ns, clock_monotonic_ns()) / NS_PER_MS;
	struct http_settings settings = {
		.connect_timeout_ms =
			is_instance && connect_ms > METADATA_CONNECT_MS
				? METADATA_CONNECT_MS
				: connect_ms,
		.stall_timeout_ms = STALL_MS,
		/* Never 0, which would end it at once without naming the
		 * request. */
		.timeout_ms = max_i64(left_ms, 1),
		.retries = want->retries,
	};
	struct http_client *client = http_client_new(&settings, err);
	struct http_response response = { .status = 0 };
	bool is_ok;

	if (!client)
		return false;
	f->endpoint.option_prefix = side->option_prefix;
	if (is_near)
		f->endpoint.proxy = "";
	else if (!host_is_loopback(f->endpoint.url))
		f->endpoint.proxy = side->proxy;
	/* --insecure does not apply to token servers. */
	f->endpoint.cacert = side->cacert;
	is_ok = http_run(client, &f->request, &response, 1, err);
	/* Any host may answer instead of a metadata server. */
	if (is_ok && is_instance && response.status == 0)
		is_ok = fail_none(l, "nothing answers", side, err);
	else if (is_ok && is_instance &&
		 strcmp(response.metadata_flavor, "Google"))
		is_ok = fail_none(l, "something else answers there", side, err);
	if (is_ok && !google_flow_take(f, &response, clock_now_ns(), err))
		is_ok = fail_with(l, err);
	buf_wipe(&response.body);
	http_response_release(&response);
	http_client_free(client);
	return is_ok;
}

static void login_tell(const struct google_login *l,
		       const struct google_login_want *want)
{
	char left[24];

	if (l->is_open)
		want->say("others may read the secret in %s: chmod 600 it",
			  l->path);
	if (!want->is_verbose)
		return;
	format_duration(l->expires_ns - clock_now_ns(), left);
	want->say("Google credentials: %s%s%s, for another %s",
		  google_kind_name(l->credential.kind),
		  l->path[0] ? " of " : "", l->path, left);
}

static bool run_flow(struct google_login *l, struct google_flow *f,
		     const struct endpoint *side,
		     const struct google_login_want *want, struct error *err)
{
	int64_t end_ns = sat_add_i64(clock_monotonic_ns(), want->timeout_ns);
	bool is_done = false;

	for (;;) {
		if (!google_flow_next(f, clock_now_ns(), &is_done, err))
			return fail_with(l, err);
		if (is_done)
			break;
		if (!run_step(l, f, side, want, end_ns, err))
			return false;
	}
	if (strlen(f->token) >= sizeof l->token)
		return error_set(err, ERROR_LIMIT, "a token of over %zu bytes",
				 sizeof l->token);
	mem_wipe(l->token, sizeof l->token);
	memcpy(l->token, f->token, strlen(f->token) + 1);
	l->expires_ns = f->expires_ns;
	login_tell(l, want);
	l->is_open = false; /* report it only once */
	return true;
}

bool google_login_again(struct google_login *l, const struct endpoint *side,
			const struct google_login_want *want, struct error *err)
{
	struct google_flow flow;
	bool is_ok;

	if (l->fault.code != ERROR_NONE) {
		*err = l->fault;
		return false;
	}
	l->is_absent = false;
	if (!check_universe(l, side, err))
		return false;
	if (!l->path[0] && !host_is_loopback(l->metadata_url) &&
	    !google_url_is_metadata(l->metadata_url) && !side->is_insecure_auth)
		return error_set(err, ERROR_AUTH,
				 "GCE_METADATA_HOST is neither this machine "
				 "nor the metadata server's address: a token "
				 "would come over plain http (--insecure-auth "
				 "allows that)");
	google_flow_init(&flow, &l->credential, l->metadata_url);
	is_ok = run_flow(l, &flow, side, want, err);
	google_flow_release(&flow);
	return is_ok;
}

bool google_login_ensure(struct google_login *l, const struct endpoint *side,
			 const struct google_login_want *want,
			 struct error *err)
{
	/* A local stand-in for Google may need no token; if it does, its 401
	 * leads to another try, which reports the reason. */
	bool is_local = host_is_loopback(side->url);

	if (!check_universe(l, side, err))
		return false;
	if (l->expires_ns && clock_now_ns() + SPARE_NS < l->expires_ns)
		return true;
	if (l->is_absent && is_local)
		return true;
	return google_login_again(l, side, want, err) ||
	       (l->is_absent && is_local);
}
