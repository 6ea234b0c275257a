# SPDX-License-Identifier: Apache-2.0
"""The places where Google hands out tokens, and the check of tokens.

RS256 is checked here with integers alone (RFC 8017 section 8.2.2), so that
neither a library nor a program is needed.
"""
import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from urllib.parse import parse_qs, urlsplit

from google_errors import bad_token, info, no_quota_project, oauth, \
    quota_project_denied, refuse, reply, scope_missing

AUTH = "https://www.googleapis.com/auth/"
CLOUD = AUTH + "cloud-platform"
SCOPES = {
    "cloudtrace.googleapis.com": (CLOUD, AUTH + "trace.readonly"),
    "cloudprofiler.googleapis.com": (CLOUD, AUTH + "monitoring",
                                     AUTH + "monitoring.write"),
    "iamcredentials.googleapis.com": (CLOUD, AUTH + "iam"),
}
KNOWN_SCOPES = {s for scopes in SCOPES.values() for s in scopes}
SKEW_S = 300  # iat may lie so far in the future
LIFETIME_MAX_S = 3600
JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token"
# DigestInfo of SHA-256: RFC 8017 section 9.2, note 1.
SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


def der_items(data):
    """The elements of one level: tag, content."""
    at = 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        if length & 128:
            count = length & 127
            length = int.from_bytes(data[at:at + count], "big")
            at += count
        yield tag, data[at:at + length]
        at += length


def public_key(pem):
    """Modulus and exponent of a SubjectPublicKeyInfo in PEM."""
    lines = [line for line in pem.splitlines() if not line.startswith("---")]
    (_, outer), = der_items(base64.b64decode("".join(lines)))
    bits = list(der_items(outer))[1][1][1:]
    (_, numbers), = der_items(bits)
    n, e = (int.from_bytes(content, "big") for _, content in
            der_items(numbers))
    return n, e


def signature_fits(key, message, signature):
    n, e = key
    size = (n.bit_length() + 7) // 8
    if len(signature) != size:
        return False
    tail = SHA256_INFO + hashlib.sha256(message).digest()
    wanted = b"\x00\x01" + b"\xff" * (size - len(tail) - 3) + b"\x00" + tail
    found = pow(int.from_bytes(signature, "big"), e, n).to_bytes(size, "big")
    return hmac.compare_digest(wanted, found)


def from_base64url(text):
    if "=" in text or not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise ValueError("not base64url without padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Token:
    def __init__(self, kind, scopes, lives_s, uses):
        self.kind = kind  # "user", "service", "federated"
        self.scopes = set(scopes)
        self.ends = time.monotonic() + lives_s
        self.uses = uses


class Authority:
    """Accounts, the tokens given out, and what they are good for."""

    def __init__(self, settings, clock, project, read_text):
        self.settings = settings
        self.clock = clock  # seconds since the epoch, as the case has it
        self.project = project
        self.keys = {}
        for email, account in settings.get("service_accounts", {}).items():
            pem = account.get("public_key") or \
                read_text(account["public_key_file"])
            self.keys[email] = (public_key(pem), account.get("key_id"))
        self.tokens = {}
        self.given = 0
        for text, token in settings.get("tokens", {}).items():
            self.tokens[text] = Token(
                token.get("kind", "service"), token.get("scopes", [CLOUD]),
                token.get("expires_in", LIFETIME_MAX_S), token.get("uses"))

    # Giving out

    def issue(self, kind, scopes):
        self.given += 1
        text = f"ya29.stub-{kind}-{self.given}"
        lives_s = self.settings.get("expires_in", LIFETIME_MAX_S - 1)
        # A token that a server takes for dead although its time is not over.
        self.tokens[text] = Token(
            kind, scopes, self.settings.get("dies_after_s", lives_s),
            self.settings.get("uses"))
        return text, lives_s

    def answer(self, request):
        """The reply to a request to one of these places, or None."""
        url = urlsplit(request.path)
        posts = {self.settings.get("token_path", "/token"): self.token,
                 "/oauth2/v4/token": self.token,
                 "/v1/token": self.exchange}
        if url.path in posts:
            if request.method != "POST":
                return reply(404, {"error": "invalid_request"})
            return posts[url.path](request)
        if url.path.startswith("/computeMetadata/"):
            return self.metadata(request, url)
        if url.path == self.settings.get("subject_token_path"):
            return self.subject_token(request)
        found = re.fullmatch(r"/v1/projects/([^/]+)/serviceAccounts/([^/:]+)"
                             ":(generateAccessToken)", url.path)
        return self.impersonate(request, *found.groups()) if found else None

    def form(self, request):
        kind = request.headers.get("content-type", "").split(";")[0]
        if kind == "application/json":
            try:
                return json.loads(request.body)
            except ValueError:
                raise oauth(400, "invalid_request", "Bad JSON") from None
        if kind != "application/x-www-form-urlencoded":
            raise oauth(400, "invalid_request",
                        f"Invalid content type: {kind!r}")
        fields = parse_qs(request.body.decode("latin-1"), True)
        for name, values in fields.items():
            if len(values) > 1:
                raise oauth(400, "invalid_request",
                            f"Parameter specified multiple times: {name}")
        return {name: values[0] for name, values in fields.items()}

    def token(self, request):
        form = self.form(request)
        grant = form.get("grant_type")
        if grant == JWT_GRANT:
            scopes = self.assertion(form.get("assertion", ""))
            text, lives_s = self.issue("service", scopes)
        elif grant == "refresh_token":
            scopes = self.refresh(form)
            text, lives_s = self.issue("user", scopes)
        else:
            raise oauth(400, "unsupported_grant_type",
                        f"Invalid grant_type: {grant}")
        body = {"access_token": text, "expires_in": lives_s,
                "token_type": "Bearer"}
        if grant == "refresh_token":
            body["scope"] = " ".join(scopes)
        return reply(200, body)

    def claims(self, jwt):
        """The checked content of a signed token; ValueError says why not."""
        parts = jwt.split(".")
        if len(parts) != 3:
            raise ValueError("Invalid JWT: Failed audience check.")
        head, claims, signature = (from_base64url(part) for part in parts)
        head, claims = json.loads(head), json.loads(claims)
        if head.get("alg") != "RS256" or head.get("typ") != "JWT":
            raise ValueError("Invalid JWT: alg must be RS256, typ JWT.")
        if claims.get("iss") not in self.keys:
            raise ValueError("Invalid grant: account not found")
        key, key_id = self.keys[claims["iss"]]
        if key_id and head.get("kid") != key_id:
            raise ValueError("Invalid JWT Signature.")
        message = jwt.rpartition(".")[0].encode()
        if not signature_fits(key, message, signature):
            raise ValueError("Invalid JWT Signature.")
        issued, ends = claims.get("iat"), claims.get("exp")
        now = self.clock()
        if (not isinstance(issued, int) or not isinstance(ends, int) or
                issued > now + SKEW_S or ends <= now or ends <= issued or
                ends - issued > LIFETIME_MAX_S):
            raise ValueError(
                "Invalid JWT: Token must be a short-lived token (60 minutes) "
                "and in a reasonable timeframe. Check your iat and exp values "
                "in the JWT claim.")
        return claims

    def assertion(self, jwt):
        try:
            claims = self.claims(jwt)
        except (ValueError, binascii.Error) as error:
            text = str(error)
            raise oauth(400, "invalid_grant", text if
                        text.startswith("Invalid") else "Invalid JWT: " +
                        text) from None
        wanted = self.settings.get("audience")
        path = self.settings.get("token_path", "/token")
        if (claims.get("aud") != wanted if wanted else
                urlsplit(claims.get("aud", "")).path != path):
            raise oauth(400, "invalid_grant",
                        "Invalid JWT: Failed audience check.")
        scopes = claims.get("scope", "").split()
        if not scopes or not set(scopes) <= KNOWN_SCOPES:
            raise oauth(400, "invalid_scope",
                        "Invalid OAuth scope or ID token audience provided.")
        return scopes

    def refresh(self, form):
        user = self.settings.get("users", {}).get(form.get("refresh_token"))
        for name in ("client_id", "client_secret", "refresh_token"):
            if not form.get(name):
                raise oauth(400, "invalid_request",
                            f"Missing required parameter: {name}")
        if user is None or user.get("revoked"):
            raise oauth(400, "invalid_grant",
                        "Token has been expired or revoked.")
        if form["client_id"] != user["client_id"]:
            raise oauth(401, "invalid_client",
                        "The OAuth client was not found.")
        if form["client_secret"] != user["client_secret"]:
            raise oauth(401, "invalid_client", "Unauthorized")
        return user.get("scopes", [CLOUD])

    def exchange(self, request):
        form = self.form(request)
        rule = self.settings.get("exchange", {})
        wanted = {"grant_type": EXCHANGE_GRANT,
                  "requested_token_type": ACCESS_TOKEN_TYPE,
                  "audience": rule.get("audience"),
                  "subject_token_type": rule.get("subject_token_type")}
        names = {k: k for k in wanted}
        if request.headers.get("content-type", "").startswith(
                "application/json"):
            names = {"grant_type": "grantType", "audience": "audience",
                     "requested_token_type": "requestedTokenType",
                     "subject_token_type": "subjectTokenType"}
        for name, value in wanted.items():
            if form.get(names[name]) != value:
                raise oauth(400, "invalid_request",
                            f"Invalid value for \"{name}\".")
        if not form.get("scope"):
            raise oauth(400, "invalid_scope", "Scope(s) must be specified.")
        token = form.get("subject_token", form.get("subjectToken"))
        if token != rule.get("subject_token"):
            raise oauth(400, "invalid_grant",
                        "The given credential is rejected by the attribute "
                        "condition.")
        text, lives_s = self.issue("federated", form["scope"].split())
        return reply(200, {"access_token": text, "expires_in": lives_s,
                           "token_type": "Bearer",
                           "issued_token_type": ACCESS_TOKEN_TYPE})

    def impersonate(self, request, project, email, _method):
        if request.method != "POST":
            return reply(404, {"error": "not found"})
        self.check(request, "iamcredentials.googleapis.com",
                   "google.iam.credentials.v1.IAMCredentials."
                   "GenerateAccessToken")
        try:
            body = json.loads(request.body)
        except ValueError:
            raise refuse(400, "Invalid JSON payload received.") from None
        unknown = set(body) - {"scope", "lifetime", "delegates"}
        if project != "-" or unknown or not body.get("scope"):
            raise refuse(400, "Request contains an invalid argument.")
        lifetime = re.fullmatch(r"(\d+)s", body.get("lifetime", "3600s"))
        if not lifetime or int(lifetime[1]) > LIFETIME_MAX_S:
            raise refuse(400, "The max lifetime of the token is 3600s.")
        if email not in self.settings.get("impersonated", []):
            raise refuse(
                403, "Permission 'iam.serviceAccounts.getAccessToken' denied "
                "on resource (or it may not exist).",
                info("IAM_PERMISSION_DENIED", "iam.googleapis.com",
                     permission="iam.serviceAccounts.getAccessToken"))
        text, lives_s = self.issue("service", body["scope"])
        end = time.strftime("%Y-%m-%dT%H:%M:%SZ",
                            time.gmtime(self.clock() + lives_s))
        return reply(200, {"accessToken": text, "expireTime": end})

    def metadata(self, request, url):
        flavor = {"Metadata-Flavor": "Google",
                  "Server": "Metadata Server for VM"}
        rule = self.settings.get("metadata")
        if rule is None:
            return {"status": 404, "reason": "Not Found", "text": ""}
        if request.headers.get("metadata-flavor") != "Google":
            return {"status": 403, "reason": "Forbidden", "headers": flavor,
                    "text": "Missing Metadata-Flavor:Google header.\n"}
        base = "/computeMetadata/v1/"
        account = base + "instance/service-accounts/default/"
        plain = {base + "project/project-id": rule.get("project",
                                                       self.project),
                 account + "email": rule.get("email", "default")}
        if url.path in plain:
            return {"headers": {"Content-Type": "application/text", **flavor},
                    "text": plain[url.path]}
        if url.path != account + "token" or rule.get("no_account"):
            return {"status": 404, "reason": "Not Found", "headers": flavor,
                    "text": "Not Found\n"}
        asked = parse_qs(url.query).get("scopes", [""])[0]
        held = rule.get("scopes", [CLOUD])
        scopes = [s for s in asked.split(",") if s] or held
        text, lives_s = self.issue("service", set(scopes) & set(held) or held)
        answer = reply(200, {"access_token": text, "expires_in": lives_s,
                             "token_type": "Bearer"}, flavor)
        answer["headers"]["Content-Type"] = "application/json"
        return answer

    def subject_token(self, request):
        """A workload's own identity provider, for URL-sourced accounts."""
        for name, value in self.settings.get("subject_headers", {}).items():
            if request.headers.get(name.lower()) != value:
                return {"status": 403, "reason": "Forbidden", "text": "no\n"}
        token = self.settings.get("exchange", {}).get("subject_token", "")
        field = self.settings.get("subject_token_field")
        if field:
            return reply(200, {field: token})
        return {"text": token, "headers": {"Content-Type": "text/plain"}}

    # Checking

    def check(self, request, service, method):
        """Raises a Refusal unless the request may call this method."""
        if not self.settings.get("required", True):
            return
        header = request.headers.get("authorization")
        if header is None:
            raise bad_token("CREDENTIALS_MISSING", service=service,
                            method=method)
        kind, _, text = header.partition(" ")
        if kind != "Bearer" or not text or " " in text:
            raise bad_token("ACCESS_TOKEN_TYPE_UNSUPPORTED", service=service,
                            method=method)
        token = self.tokens.get(text)
        if token is None:
            return self.check_signed(text, service, method)
        if token.uses == 0 or time.monotonic() >= token.ends:
            raise bad_token("ACCESS_TOKEN_EXPIRED", service=service,
                            method=method)
        if token.uses is not None:
            token.uses -= 1
        if not token.scopes & set(SCOPES[service]):
            raise scope_missing(service, method)
        return self.check_quota_project(request, token, service)

    def check_quota_project(self, request, token, service):
        named = request.headers.get("x-goog-user-project")
        if named is not None and named not in self.settings.get(
                "quota_projects", [self.project]):
            raise quota_project_denied(service, named)
        if (token.kind == "user" and named is None and
                service != "iamcredentials.googleapis.com" and
                self.settings.get("quota_project_required", True)):
            raise no_quota_project(service)

    def check_signed(self, text, service, method):
        """A JWT that the account signed for itself, instead of a token."""
        try:
            claims = self.claims(text)
        except (ValueError, binascii.Error):
            raise bad_token("ACCESS_TOKEN_TYPE_UNSUPPORTED", service=service,
                            method=method) from None
        audience = f"https://{service}/"
        scopes = set(claims.get("scope", "").split())
        if (claims.get("sub") != claims["iss"] or
                not (claims.get("aud") == audience or
                     scopes & set(SCOPES[service]))):
            raise bad_token("ACCESS_TOKEN_TYPE_UNSUPPORTED", service=service,
                            method=method)
