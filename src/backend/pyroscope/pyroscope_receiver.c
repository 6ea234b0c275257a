/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/pyroscope/pyroscope_receiver.h"

#include "base/ascii.h"
#include "base/wirew.h"

#define SUBJECT "pyroscope: push"

/* Field numbers. */
enum {
	PUSH_SERIES = 1,
	SERIES_LABELS = 1,
	SERIES_SAMPLES = 2,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	SAMPLE_PROFILE = 1,
};

/* Prometheus' names of labels: other bytes than these become "_". */
static void put_name(struct buf *b, struct str name)
{
	size_t at = wirew_open(b, LABEL_NAME);

	if (!name.len || ascii_is_digit(name.ptr[0]))
		buf_add_char(b, '_');
	for (size_t i = 0; i < name.len; i++)
		buf_add_char(b,
			     ascii_is_alnum(name.ptr[i]) ? name.ptr[i] : '_');
	wirew_close(b, at);
}

static void put_label(struct buf *b, struct str name, struct str value)
{
	size_t at = wirew_open(b, SERIES_LABELS);

	put_name(b, name);
	wirew_utf8(b, LABEL_VALUE, value);
	wirew_close(b, at);
}

/* Types are told by this name and by what the file says itself. */
static bool profile_request(const struct endpoint *endpoint,
			    const struct whole_profile *profile,
			    struct http_request *request, struct error *err)
{
	size_t series, sample;
	struct buf body;
	bool is_ok;

	buf_init(&body, LIMIT_BODY_PLAIN_BYTES);
	series = wirew_open(&body, PUSH_SERIES);
	put_label(&body, STR("__name__"), profile->kind);
	for (size_t i = 0; i < profile->label_count; i++)
		put_label(&body, profile->labels[i].name,
			  profile->labels[i].value);
	sample = wirew_open(&body, SERIES_SAMPLES);
	wirew_str(&body, SAMPLE_PROFILE, profile->bytes);
	wirew_close(&body, sample);
	wirew_close(&body, series);
	is_ok = buf_check(&body, "a profile", err) &&
		receiver_post(endpoint, "/push.v1.PusherService/Push",
			      "application/proto", buf_str(&body), request,
			      err);
	buf_release(&body);
	return is_ok;
}

static enum receipt answer(const struct endpoint *endpoint,
			   const struct http_response *response,
			   int64_t *rejected, struct error *err)
{
	*rejected = 0;
	return http_is_success(response)
		       ? RECEIPT_TAKEN
		       : receiver_fail(SUBJECT, endpoint, response, err);
}

const struct receiver receiver_pyroscope = {
	.title = "Pyroscope",
	.prefix = "pyroscope+",
	.profile_request = profile_request,
	.answer = answer,
};
