# SPDX-License-Identifier: Apache-2.0
"""Refusals in Google's words and shapes, as replies of server.py."""
import json

STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED",
          403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED",
          429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
          504: "DEADLINE_EXCEEDED"}
REASON = {200: "OK", 400: "Bad Request", 401: "Unauthorized",
          403: "Forbidden", 404: "Not Found", 429: "Too Many Requests",
          500: "Internal Server Error", 503: "Service Unavailable",
          504: "Gateway Timeout"}
JSON = "application/json; charset=UTF-8"
READING = {"cloudtrace.googleapis.com": "cloudtrace.traces.get",
           "cloudprofiler.googleapis.com": "cloudprofiler.profiles.list",
           "iamcredentials.googleapis.com":
               "iam.serviceAccounts.getAccessToken"}
TITLES = {"cloudtrace.googleapis.com": "Cloud Trace API",
          "cloudprofiler.googleapis.com": "Cloud Profiler API",
          "iamcredentials.googleapis.com": "IAM Service Account Credentials API"}


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status, body, shape, headers=None):
        super().__init__(status)
        self.status, self.body, self.shape = status, body, shape
        self.headers = headers or {}


def reply(status, value, headers=None):
    """Google indents what it answers."""
    return {"status": status, "reason": REASON.get(status, "Error"),
            "headers": {"Content-Type": JSON, "Vary": "Origin",
                        "Cache-Control": "private", **(headers or {})},
            "text": json.dumps(value, indent=2) + "\n"}


def typed(kind, **fields):
    return {"@type": "type.googleapis.com/google.rpc." + kind, **fields}


def info(reason, domain="googleapis.com", **metadata):
    fields = {"reason": reason, "domain": domain}
    if metadata:
        fields["metadata"] = {k: str(v) for k, v in metadata.items()}
    return typed("ErrorInfo", **fields)


def refuse(status, message, *details, headers=None):
    error = {"code": status, "message": message, "status": STATUS[status]}
    if details:
        error["details"] = list(details)
    return Refusal(status, {"error": error}, "ErrorBody", headers)


def oauth(status, error, description):
    return Refusal(status, {"error": error, "error_description": description},
                   "TokenError")


def bad_request(message, field=None):
    violation = {"description": message}
    if field:
        violation["field"] = field
    return refuse(400, message,
                  typed("BadRequest", fieldViolations=[violation]))


def unknown_parameter(name):
    return bad_request(
        f'Invalid JSON payload received. Unknown name "{name}": Cannot bind '
        f"query parameter. Field '{name}' could not be found in request "
        "message.")


def bad_token(reason, **metadata):
    if reason == "CREDENTIALS_MISSING":
        start = "Request is missing required authentication credential."
        challenge = 'Bearer realm="https://accounts.google.com/"'
    else:
        start = "Request had invalid authentication credentials."
        challenge = ('Bearer realm="https://accounts.google.com/", '
                     'error="invalid_token"')
    return refuse(
        401, start + " Expected OAuth 2 access token, login cookie or other "
        "valid authentication credential. See https://developers.google.com/"
        "identity/sign-in/web/devconsole-project.",
        info(reason, **metadata), headers={"WWW-Authenticate": challenge})


def scope_missing(service, method):
    return refuse(
        403, "Request had insufficient authentication scopes.",
        info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", service=service,
             method=method),
        headers={"WWW-Authenticate":
                 'Bearer realm="https://accounts.google.com/", '
                 'error="insufficient_scope"'})


def api_disabled(service, project):
    url = (f"https://console.developers.google.com/apis/api/{service}/"
           f"overview?project={project}")
    text = (f"{TITLES[service]} has not been used in project {project} before "
            f"or it is disabled. Enable it by visiting {url} then retry. If "
            "you enabled this API recently, wait a few minutes for the action "
            "to propagate to our systems and retry.")
    return refuse(
        403, text,
        info("SERVICE_DISABLED", service=service, serviceTitle=TITLES[service],
             consumer=f"projects/{project}", containerInfo=project,
             activationUrl=url),
        typed("LocalizedMessage", locale="en-US", message=text),
        typed("Help", links=[{"description":
                              "Google developers console API activation",
                              "url": url}]))


def no_quota_project(service):
    return refuse(
        403, "Your application is authenticating by using local Application "
        f"Default Credentials. The {service} API requires a quota project, "
        "which is not set by default. To learn how to set your quota project, "
        "see https://cloud.google.com/docs/authentication/adc-troubleshooting"
        "/user-creds .",
        info("SERVICE_DISABLED", service=service,
             consumer="projects/764086051850"))


def quota_project_denied(service, project):
    return refuse(
        403, f"Caller does not have required permission to use project "
        f"{project}. Grant the caller the roles/serviceusage."
        "serviceUsageConsumer role, or a custom role with the "
        "serviceusage.services.use permission.",
        info("USER_PROJECT_DENIED", service=service,
             consumer=f"projects/{project}"))


def no_project(service, project):
    return refuse(
        403, f"Permission denied on resource project {project}.",
        info("CONSUMER_INVALID", service=service,
             consumer=f"projects/{project}", containerInfo=project))


def permission_denied(permission, project):
    return refuse(
        403, f"Permission '{permission}' denied on resource "
        f"'projects/{project}' (or it may not exist).",
        info("IAM_PERMISSION_DENIED", permission=permission,
             resource=f"projects/{project}"))


def billing_disabled(service, project):
    return refuse(
        403, f"This API method requires billing to be enabled. Please enable "
        f"billing on project #{project} by visiting https://console.developers"
        f".google.com/billing/enable?project={project} then retry.",
        info("BILLING_DISABLED", service=service,
             consumer=f"projects/{project}"))


def quota_exceeded(service, project, metric, limit, unit, retry_s=None):
    """The names of metrics and limits are ours: the console alone has them."""
    headers = {"Retry-After": str(retry_s)} if retry_s is not None else None
    return refuse(
        429, f"Quota exceeded for quota metric '{metric}' and limit "
        f"'{metric} per {unit}' of service '{service}' for consumer "
        f"'project_number:{project}'.",
        info("RATE_LIMIT_EXCEEDED", service=service, quota_limit=limit,
             quota_location="global", quota_unit=f"1/{unit}/{{project}}",
             consumer=f"projects/{project}"), headers=headers)


def named(name, service, project, retry_s=None):
    """The refusal that a case's "faults" call by this name."""
    headers = {"Retry-After": str(retry_s)} if retry_s is not None else None
    if name == "unavailable":
        return refuse(503, "The service is currently unavailable.",
                      headers=headers)
    if name == "internal":
        return refuse(500, "Internal error encountered.")
    if name == "rate":
        return quota_exceeded(service, project, "Read requests",
                              "ReadRequestsPerMinutePerProject", "min",
                              retry_s)
    if name == "daily_quota":
        return quota_exceeded(service, project, "List profiles requests",
                              "ListProfilesRequestsPerDayPerProject", "d",
                              retry_s)
    simple = {
        "expired": lambda: bad_token("ACCESS_TOKEN_EXPIRED", service=service),
        "scope": lambda: scope_missing(service, "list"),
        "api_disabled": lambda: api_disabled(service, project),
        "billing": lambda: billing_disabled(service, project),
        "permission": lambda: permission_denied(READING[service], project),
        "project": lambda: no_project(service, project),
        "quota_project": lambda: no_quota_project(service),
        "not_found": lambda: refuse(404,
                                    "Requested entity was not found."),
        "invalid_grant": lambda: oauth(400, "invalid_grant", "Bad Request"),
    }
    if name not in simple:
        raise ValueError(f"no fault is called {name!r}")
    return simple[name]()
