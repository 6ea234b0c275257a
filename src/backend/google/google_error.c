/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_error.h"

#include <string.h>

#include "backend/source.h"
#include "base/document.h"
#include "base/str.h"
#include "wire/http_message.h"

/* Addresses of Google Cloud: projects, see table.h. */

/* From Google's documentation on creating projects: 6 to 30 characters. Ids
 * with an organisation are older than the rule and may be shorter. */
#define ID_MIN 6u
#define ID_MAX 30u
/* Longest host name (RFC 1035). */
#define DOMAIN_MAX 253u
/* Digits of an int64. */
#define NUMBER_DIGITS 19u

static const struct str own = { "gcp://", 6 };
static const struct str other = { "gcp+", 4 };
static const struct str projects_folder = { "/projects/", 10 };

static bool has_prefix(struct str text, struct str prefix)
{
	return str_equal_nocase(str_slice(text, 0, prefix.len), prefix);
}

bool google_address_is(const char *text)
{
	struct str all = str_from(text);

	return has_prefix(all, own) || has_prefix(all, other);
}

/* ---- projects ---- */

static bool is_id(struct str id, size_t min)
{
	if (id.len < min || id.len > ID_MAX || !ascii_is_lower(id.ptr[0]) ||
	    id.ptr[id.len - 1] == '-')
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (!ascii_is_lower(id.ptr[i]) && !ascii_is_digit(id.ptr[i]) &&
		    id.ptr[i] != '-')
			return false;
	return true;
}

/* "example.com": at least two labels, none of them empty. */
static bool is_domain(struct str domain)
{
	char before = '.';
	bool has_dot = false;

	if (domain.len > DOMAIN_MAX)
		return false;
	for (size_t i = 0; i < domain.len; i++) {
		char c = domain.ptr[i];

		if (c == '.' ? before == '.'
			     : !ascii_is_lower(c) && !ascii_is_digit(c) &&
				       c != '-')
			return false;
		has_dot |= c == '.';
		before = c;
	}
	return has_dot && before != '.';
}

bool google_project_check(struct str project, struct error *err)
{
	size_t colon = str_find(project, STR(":"));

	if (project.len == 0)
		return error_set(err, ERROR_USAGE,
				 "an address of Google Cloud names a project: "
				 "gcp://PROJECT");
	if (colon != SIZE_MAX
		    ? is_domain(str_slice(project, 0, colon)) &&
			      is_id(str_slice(project, colon + 1, project.len),
				    1)
		    : is_id(project, ID_MIN) || (str_is_digits(project) &&
						 project.len <= NUMBER_DIGITS))
		return true;
	return error_set(err, ERROR_USAGE,
			 "gcp://PROJECT: the project is not written as an id "
			 "(6 to 30 lower-case letters, digits and hyphens, as "
			 "in gcloud projects list) nor as a number");
}

/* ---- addresses ---- */

static struct str without_slash(struct str text, size_t from)
{
	struct str rest = str_slice(text, from, text.len);

	return str_slice(rest, 0, rest.len - str_ends(rest, STR("/")));
}

bool google_address_parse(const char *text, struct project_address *address,
			  struct error *err)
{
	struct str all = str_from(text);
	size_t at = SIZE_MAX;

	*address = (struct project_address){ .base = STR("") };
	if (has_prefix(all, own)) {
		address->project = without_slash(all, own.len);
		return google_project_check(address->project, err);
	}
	all = str_slice(all, other.len, all.len);
	/* The last one, as a prefix may contain the word, too. */
	for (size_t i = all.len; i-- > 0 && at == SIZE_MAX;)
		if (str_starts(str_slice(all, i, all.len), projects_folder))
			at = i;
	if (at == SIZE_MAX || at == 0)
		return error_set(err, ERROR_USAGE,
				 "an address of Google Cloud by another host "
				 "ends with the project: "
				 "gcp+https://HOST/projects/PROJECT");
	address->base = str_slice(all, 0, at);
	address->project = without_slash(all, at + projects_folder.len);
	return google_project_check(address->project, err);
}

const struct google_api google_trace_api = {
	.name = "Cloud Trace",
	.service = "cloudtrace.googleapis.com",
	.role = "roles/cloudtrace.user",
	.what = "traces",
	.scope = "https://www.googleapis.com/auth/trace.readonly",
	.quota = "a search takes 25 of 300 read units a minute and project, a "
		 "trace takes 1: wait a minute",
};

const struct google_api google_profiler_api = {
	.name = "Cloud Profiler",
	.service = "cloudprofiler.googleapis.com",
	.role = "roles/cloudprofiler.user",
	.what = "profiles",
	.scope = "https://www.googleapis.com/auth/monitoring",
	.quota = "lists of profiles are counted by the day: wait, or have the "
		 "limit raised on the console's page of quotas",
};

/* ---- reading ---- */

/* Accepts only letters, digits and "._/-": such names are shown in commands. */
static void keep_name(char *text)
{
	for (const char *c = text; *c; c++)
		if (!ascii_is_alnum(*c) && !strchr("._/-", *c)) {
			*text = '\0';
			return;
		}
}

/* "projects/123" -> "123"; empty if it is not a project. */
static void keep_project(char *text)
{
	static const struct str folder = { "projects/", 9 };
	struct str project = str_from(text);
	struct error ignored;

	if (str_starts(project, folder))
		project = str_slice(project, folder.len, project.len);
	if (!google_project_check(project, &ignored))
		project.len = 0;
	memmove(text, project.ptr, project.len);
	text[project.len] = '\0';
}

/* Details have several types; only ErrorInfo has a reason. The older list of
 * errors also has one, with other names. */
static void read_reasons(const struct document *error, struct google_refusal *f)
{
	const struct document *details = document_get(error, "details");
	const struct document *old = document_get(error, "errors");

	for (size_t i = 0; i < document_count(old); i++)
		line_take(document_get(document_at(old, i), "reason"),
			  f->reason, sizeof f->reason);
	for (size_t i = 0; i < document_count(details); i++) {
		const struct document *d = document_at(details, i);
		const struct document *more = document_get(d, "metadata");

		line_take(document_get(d, "reason"), f->reason,
			  sizeof f->reason);
		line_take(document_get(more, "consumer"), f->consumer,
			  sizeof f->consumer);
		line_take(document_get(more, "permission"), f->permission,
			  sizeof f->permission);
		line_take(document_get(more, "quota_metric"), f->metric,
			  sizeof f->metric);
		line_take(document_get(more, "quota_limit"), f->limit,
			  sizeof f->limit);
		line_take(document_get(more, "quota_limit_value"),
			  f->limit_value, sizeof f->limit_value);
	}
}

static bool read_body(struct str body, struct google_refusal *f)
{
	struct error ignored;
	struct document *d = document_read_object(body, &ignored);
	const struct document *error = document_get(d, "error");

	line_take(document_get(error, "message"), f->message,
		  sizeof f->message);
	line_take(document_get(error, "status"), f->code, sizeof f->code);
	read_reasons(error, f);
	document_free(d);
	return f->message[0] || f->code[0];
}

/* ---- judging ---- */

/* Reasons of google.api.ErrorReason, then those of the older list. */
static const struct {
	const char *reason;
	enum google_trouble trouble;
} reasons[] = {
	{ "SERVICE_DISABLED", GOOGLE_DISABLED },
	{ "BILLING_DISABLED", GOOGLE_BILLING },
	{ "RATE_LIMIT_EXCEEDED", GOOGLE_QUOTA },
	{ "RESOURCE_QUOTA_EXCEEDED", GOOGLE_QUOTA },
	{ "USER_PROJECT_DENIED", GOOGLE_QUOTA_PROJECT },
	{ "CONSUMER_SUSPENDED", GOOGLE_NO_PROJECT },
	{ "CONSUMER_INVALID", GOOGLE_NO_PROJECT },
	{ "RESOURCE_PROJECT_INVALID", GOOGLE_NO_PROJECT },
	{ "GCP_SUSPENDED", GOOGLE_NO_PROJECT },
	{ "SECURITY_POLICY_VIOLATED", GOOGLE_PERIMETER },
	{ "ACCESS_TOKEN_EXPIRED", GOOGLE_EXPIRED },
	{ "ACCESS_TOKEN_SCOPE_INSUFFICIENT", GOOGLE_SCOPE },
	{ "ACCOUNT_STATE_INVALID", GOOGLE_LOGIN },
	{ "ACCESS_TOKEN_TYPE_UNSUPPORTED", GOOGLE_LOGIN },
	{ "CREDENTIALS_MISSING", GOOGLE_LOGIN },
	{ "JWT_TOKEN_INVALID", GOOGLE_LOGIN },
	{ "CREDENTIAL_TYPE_UNSUPPORTED", GOOGLE_LOGIN },
	{ "API_KEY_INVALID", GOOGLE_LOGIN },
	{ "IAM_PERMISSION_DENIED", GOOGLE_RIGHTS },
	{ "accessNotConfigured", GOOGLE_DISABLED },
	{ "rateLimitExceeded", GOOGLE_QUOTA },
	{ "dailyLimitExceeded", GOOGLE_QUOTA },
	{ "quotaExceeded", GOOGLE_QUOTA },
	{ "authError", GOOGLE_LOGIN },
	{ "insufficientPermissions", GOOGLE_RIGHTS },
};

static bool refusal_says(const struct google_refusal *f, const char *words)
{
	return strstr(f->message, words) != NULL;
}

/* Not all of Google's services send details. */
static enum google_trouble trouble_by_status(const struct google_refusal *f)
{
	switch (f->status) {
	case 401:
		return GOOGLE_LOGIN;
	case 403:
		if (refusal_says(f, "has not been used in project"))
			return GOOGLE_DISABLED;
		if (refusal_says(f, "requires a quota project"))
			return GOOGLE_NO_QUOTA_PROJECT;
		if (refusal_says(f, "billing") || refusal_says(f, "Billing"))
			return GOOGLE_BILLING;
		return refusal_says(f, "scope") ? GOOGLE_SCOPE : GOOGLE_RIGHTS;
	case 404:
		return GOOGLE_NOT_FOUND;
	case 429:
		return GOOGLE_QUOTA;
	case 400:
		return refusal_says(f, "page token") ||
				       refusal_says(f, "page_token") ||
				       refusal_says(f, "pageToken")
			       ? GOOGLE_PAGE_TOKEN
			       : GOOGLE_OTHER;
	default:
		return f->status >= 500 ? GOOGLE_BUSY : GOOGLE_OTHER;
	}
}

void google_refusal_read(const struct http_response *response,
			 struct google_refusal *refusal)
{
	*refusal = (struct google_refusal){ .status = response->status };
	if (response->status < 300 || body_first(response) != '{' ||
	    !read_body(buf_str(&response->body), refusal))
		return;
	keep_project(refusal->consumer);
	keep_name(refusal->permission);
	keep_name(refusal->metric);
	keep_name(refusal->limit);
	keep_name(refusal->limit_value);
	refusal->trouble = trouble_by_status(refusal);
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (!strcmp(reasons[i].reason, refusal->reason))
			refusal->trouble = reasons[i].trouble;
	/* gcloud's own projects, which are charged for a user's token without a
	 * quota project: nobody can enable an API there. */
	if (refusal->trouble == GOOGLE_DISABLED &&
	    (!strcmp(refusal->consumer, "764086051850") ||
	     !strcmp(refusal->consumer, "32555940559")))
		refusal->trouble = GOOGLE_NO_QUOTA_PROJECT;
}

/* ---- telling ---- */

struct teller {
	const struct google_api *api;
	const char *subject;
	const struct google_refusal *f;
	const char *side;    /* "--traces" */
	const char *project; /* of the request */
	const char *counted; /* the project charged, often the same */
};

static void tell_login(const struct teller *t, struct error *err)
{
	const struct google_refusal *f = t->f;

	/* Uses the answer and not the request, which a recorded case lacks, so
	 * that a replay has the same result. */
	if (!strcmp(f->reason, "CREDENTIALS_MISSING") ||
	    (!f->reason[0] &&
	     refusal_says(f, "missing required authentication")))
		error_set(err, ERROR_AUTH,
			  "%s: Google wants credentials (%d): log in with "
			  "gcloud auth application-default login, or give a "
			  "token with %s-token-file",
			  t->subject, f->status, t->side);
	else if (f->trouble == GOOGLE_EXPIRED)
		error_set(err, ERROR_AUTH,
			  "%s: Google does not take the access token (%d): "
			  "such tokens last an hour; log in again (gcloud auth "
			  "application-default login), or give a new one with "
			  "%s-token-file",
			  t->subject, f->status, t->side);
	else
		error_set(err, ERROR_AUTH,
			  "%s: Google does not take the access token (%d%s%s): "
			  "log in again (gcloud auth application-default "
			  "login), or give a new one with %s-token-file; one "
			  "that a key file signed fails when this machine's "
			  "clock is wrong, too (tracefind doctor compares it)",
			  t->subject, f->status, f->reason[0] ? " " : "",
			  f->reason, t->side);
}

static void tell_projects(const struct teller *t, struct error *err)
{
	const struct google_refusal *f = t->f;

	switch (f->trouble) {
	case GOOGLE_DISABLED:
		error_set(err, ERROR_AUTH,
			  "%s: the API is off in project %s (%d): gcloud "
			  "services enable %s --project %s, then wait some "
			  "minutes",
			  t->subject, t->counted, f->status, t->api->service,
			  t->counted);
		break;
	case GOOGLE_NO_QUOTA_PROJECT:
		error_set(err, ERROR_AUTH,
			  "%s: a user's requests need a quota project (%d): "
			  "gcloud auth application-default set-quota-project "
			  "%s, or %s-header 'x-goog-user-project: %s'",
			  t->subject, f->status, t->project, t->side,
			  t->project);
		break;
	case GOOGLE_QUOTA_PROJECT:
		error_set(err, ERROR_AUTH,
			  "%s: not allowed to use project %s as the quota "
			  "project (%d): "
			  "roles/serviceusage.serviceUsageConsumer is needed "
			  "there, or another x-goog-user-project",
			  t->subject, t->counted, f->status);
		break;
	case GOOGLE_BILLING:
		error_set(err, ERROR_AUTH,
			  "%s: billing is off in project %s (%d): turn it on "
			  "at https://console.cloud.google.com/billing/"
			  "linkedaccount?project=%s",
			  t->subject, t->counted, f->status, t->counted);
		break;
	case GOOGLE_PERIMETER:
		error_set(err, ERROR_AUTH,
			  "%s: VPC Service Controls of project %s deny access "
			  "from here (%d): run it inside the perimeter, or "
			  "have this account allowed",
			  t->subject, t->project, f->status);
		break;
	default:
		error_set(err, ERROR_NOT_FOUND,
			  "%s: project %s does not exist or is suspended (%d "
			  "%s): see gcloud projects list",
			  t->subject, t->counted, f->status,
			  f->reason[0] ? f->reason : f->code);
		break;
	}
}

static void tell_request(const struct teller *t, struct error *err)
{
	const struct google_refusal *f = t->f;

	switch (f->trouble) {
	case GOOGLE_NOT_FOUND:
		error_set(err, ERROR_NOT_FOUND,
			  "%s: not found in project %s (%d: %s)", t->subject,
			  t->project, f->status, f->message);
		break;
	case GOOGLE_PAGE_TOKEN:
		error_set(err, ERROR_NETWORK,
			  "%s: the server no longer knows its page (%d: %s): "
			  "run it again",
			  t->subject, f->status, f->message);
		break;
	case GOOGLE_BUSY:
		error_set(err, ERROR_NETWORK,
			  "%s: not available (%d %s: %s): try again later",
			  t->subject, f->status, f->code, f->message);
		break;
	default:
		error_set(err, ERROR_INTERNAL, "%s: refused (%d %s: %s)",
			  t->subject, f->status,
			  f->reason[0] ? f->reason : f->code, f->message);
		break;
	}
}

static void refusal_tell(const struct teller *t, struct error *err)
{
	const struct google_refusal *f = t->f;

	switch (f->trouble) {
	case GOOGLE_LOGIN:
	case GOOGLE_EXPIRED:
		tell_login(t, err);
		break;
	case GOOGLE_SCOPE:
		error_set(err, ERROR_AUTH,
			  "%s: the access token is made for other things "
			  "(%d): it needs the scope %s, or "
			  "https://www.googleapis.com/auth/cloud-platform",
			  t->subject, f->status, t->api->scope);
		break;
	case GOOGLE_RIGHTS:
		error_set(err, ERROR_AUTH,
			  "%s: not allowed to read the %s of project %s "
			  "(%d%s%s), or there is no such project: gcloud "
			  "projects add-iam-policy-binding %s --role=%s "
			  "--member=user:EMAIL",
			  t->subject, t->api->what, t->project, f->status,
			  f->permission[0] ? " " : "", f->permission,
			  t->project, t->api->role);
		break;
	case GOOGLE_QUOTA:
		error_set(err, ERROR_NETWORK,
			  "%s: the quota of project %s is used up "
			  "(%d%s%s%s%s%s%s): %s",
			  t->subject, t->counted, f->status,
			  f->metric[0] ? " " : "", f->metric,
			  f->limit[0] ? ", " : "", f->limit,
			  f->limit_value[0] ? " = " : "", f->limit_value,
			  t->api->quota);
		break;
	case GOOGLE_DISABLED:
	case GOOGLE_NO_QUOTA_PROJECT:
	case GOOGLE_QUOTA_PROJECT:
	case GOOGLE_BILLING:
	case GOOGLE_PERIMETER:
	case GOOGLE_NO_PROJECT:
		tell_projects(t, err);
		break;
	default:
		tell_request(t, err);
		break;
	}
}

enum answer google_fail(const struct google_api *api, const char *subject,
			const struct endpoint *e,
			const struct http_response *response, struct error *err)
{
	struct google_refusal refusal;
	struct teller t = { .api = api,
			    .subject = subject,
			    .f = &refusal,
			    .side = side_prefix(e),
			    .project = e->project ? e->project : "PROJECT" };

	google_refusal_read(response, &refusal);
	if (refusal.trouble == GOOGLE_NONE)
		return answer_fail(subject, e, response, err);
	t.counted = refusal.consumer[0] ? refusal.consumer : t.project;
	refusal_tell(&t, err);
	return ANSWER_ERROR;
}
