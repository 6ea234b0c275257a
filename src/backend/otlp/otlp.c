/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/rooms.h"

#include <string.h>

#include "backend/source.h"
#include "decode/decode.h"
#include "decode/otlp_profiles.h"
#include "decode/wire.h"

#define PROTOBUF "application/x-protobuf"
#define ROUTE_TRACES "/v1/traces"
#define ROUTE_PROFILES "/v1development/profiles"

static bool traces_request(const struct endpoint *endpoint, struct str otlp,
			   struct http_request *request, struct error *err)
{
	return receiver_post(endpoint, ROUTE_TRACES, PROTOBUF, otlp, request,
			     err);
}

static bool post_profile(const struct endpoint *endpoint,
			 const struct whole_profile *w, struct str pprof,
			 struct buf *body, struct http_request *request,
			 struct error *err)
{
	struct otlp_attribute about[LIMIT_STORED_LABELS + 1];

	for (size_t i = 0; i < w->label_count; i++) {
		struct str key = w->labels[i].name;

		/* The semantic conventions name it differently. */
		if (str_equal(key, STR("service_name")))
			key = STR("service.name");
		about[i] = (struct otlp_attribute){ key, w->labels[i].value };
	}
	return otlp_profiles_write(pprof, about, w->label_count, w->start_ns,
				   body, err) &&
	       buf_check(body, "a profile", err) &&
	       receiver_post(endpoint, ROUTE_PROFILES, PROTOBUF, buf_str(body),
			     request, err);
}

static bool profile_request(const struct endpoint *endpoint,
			    const struct whole_profile *profile,
			    struct http_request *request, struct error *err)
{
	struct buf plain, body;
	struct str pprof;
	bool is_ok;

	buf_init(&plain, LIMIT_FILE_PLAIN_BYTES);
	buf_init(&body, LIMIT_BODY_PLAIN_BYTES);
	pprof = decode_plain(profile->bytes, "a profile", &plain, err);
	is_ok = pprof.ptr &&
		post_profile(endpoint, profile, pprof, &body, request, err);
	buf_release(&plain);
	buf_release(&body);
	return is_ok;
}

/* Evaluates an answer; another encoding or an empty body is not a partial
 * success. */
static enum receipt otlp_answer(const struct receiver *to,
				const struct endpoint *endpoint,
				const struct http_response *response,
				int64_t *rejected, struct error *err)
{
	struct str message = STR("");
	struct wire w, partial;
	struct wire_field f;
	char line[240];

	*rejected = 0;
	if (!http_is_success(response))
		return receiver_fail(to->title, endpoint, response, err);
	if (body_is_html(response)) {
		answer_fail(to->title, endpoint, response, err);
		return RECEIPT_NONE;
	}
	wire_init(&w, buf_str(&response->body));
	while (!strcmp(response->content_type, PROTOBUF) && wire_next(&w, &f)) {
		if (f.tag != WIRE_TAG(1, WIRE_BYTES))
			continue;
		/* ExportTracePartialSuccess and that of profiles: rejected 1,
		 * message 2. */
		partial = wire_inside(&w, &f);
		while (wire_next(&partial, &f))
			if (f.tag == WIRE_TAG(1, WIRE_VARINT))
				*rejected = (int64_t)f.value;
			else if (f.tag == WIRE_TAG(2, WIRE_BYTES))
				message = f.bytes;
	}
	if (*rejected <= 0)
		return RECEIPT_TAKEN;
	line_copy(line, sizeof line, message);
	error_set(err, ERROR_FORMAT, "%s: %s", to->title,
		  line[0] ? line : "rejected without a reason");
	return RECEIPT_PART;
}

const struct receiver receiver_otlp = {
	.title = "OTLP",
	.prefix = "otlp+",
	.traces_suffix = ROUTE_TRACES,
	.profiles_suffix = ROUTE_PROFILES,
	.traces_request = traces_request,
	.profile_request = profile_request,
	.answer = otlp_answer,
};

/* Intakes of the same protocol that require their own kind of key. They do not
 * accept OTLP profiles. Documentation: docs.newrelic.com, "New Relic OTLP
 * endpoint"; docs.datadoghq.com, "Datadog OTLP Intake Endpoint". */

const struct receiver receiver_newrelic = {
	.title = "New Relic",
	.prefix = "newrelic+",
	.token_header = "api-key",
	.token_name = "licence key",
	.no_profiles = "New Relic does not accept profiles",
	.traces_suffix = ROUTE_TRACES,
	.traces_request = traces_request,
	.answer = otlp_answer,
};

const struct receiver receiver_datadog = {
	.title = "Datadog",
	.prefix = "datadog+",
	.token_header = "dd-api-key",
	.token_name = "API key",
	.no_profiles = "Datadog accepts profiles of its own profilers only, "
		       "and not over OTLP",
	.traces_suffix = ROUTE_TRACES,
	.traces_request = traces_request,
	.answer = otlp_answer,
};
