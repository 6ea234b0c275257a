/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/otlp/otlp.h"

#include <string.h>

#include "backend/answer.h"
#include "decode/wire.h"

#define SUBJECT "OTLP"
#define PROTOBUF "application/x-protobuf"
#define ROUTE_TRACES "/v1/traces"

static bool traces_request(const struct endpoint *endpoint, struct str otlp,
			   struct http_request *request, struct error *err)
{
	return receiver_post(endpoint, ROUTE_TRACES, PROTOBUF, otlp, request,
			     err);
}

/* ExportTracePartialSuccess: rejected 1, message 2. */
static void read_partial(struct wire *w, int64_t *rejected, struct str *message)
{
	struct wire_field f;

	while (wire_next(w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			*rejected = (int64_t)f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			*message = f.bytes;
}

/* What is said in another encoding, or not at all, is no partial success. */
static enum receipt answer(const struct endpoint *endpoint,
			   const struct http_response *response,
			   int64_t *rejected, struct error *err)
{
	struct str message = STR("");
	struct wire w, partial;
	struct wire_field f;
	char line[240];

	*rejected = 0;
	if (!http_is_success(response))
		return receiver_fail(SUBJECT, endpoint, response, err);
	if (body_is_html(response)) {
		answer_fail(SUBJECT, endpoint, response, err);
		return RECEIPT_NONE;
	}
	wire_init(&w, buf_str(&response->body));
	while (!strcmp(response->content_type, PROTOBUF) && wire_next(&w, &f)) {
		if (f.tag != WIRE_TAG(1, WIRE_BYTES))
			continue;
		partial = wire_inside(&w, &f);
		read_partial(&partial, rejected, &message);
	}
	if (*rejected <= 0)
		return RECEIPT_TAKEN;
	line_copy(line, sizeof line, message);
	error_set(err, ERROR_FORMAT, "%s: %s", SUBJECT,
		  line[0] ? line : "rejected without a reason");
	return RECEIPT_PART;
}

const struct receiver receiver_otlp = {
	.title = "OTLP",
	.prefix = "otlp+",
	.suffix = ROUTE_TRACES,
	.traces_request = traces_request,
	.answer = answer,
};
