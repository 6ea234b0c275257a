/* SPDX-License-Identifier: Apache-2.0
 *
 * What a Pyroscope tells of itself: its version, what it holds, how much it
 * gives at once.
 */
#include <stdio.h>

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "base/num.h"

#define JSON "application/json"

#define PATH_BYTES ((size_t)256)

bool pyroscope_version_request(const struct endpoint *e,
			       struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_add_text(&path, "/api/v1/status/buildinfo");
	if (!request_fill(request, e, "GET", &path, NULL, err))
		return false;
	request->is_probe = true;
	return true;
}

bool pyroscope_stats_request(const struct endpoint *e,
			     struct http_request *request, struct error *err)
{
	struct buf body;

	buf_init(&body, PYROSCOPE_BODY_BYTES);
	buf_add_text(&body, "{}");
	if (!pyroscope_post(e, "GetProfileStats", JSON, &body, request, err))
		return false;
	request->is_probe = true;
	return true;
}

static void read_stats(struct json_reader *r, struct profile_stats *stats)
{
	struct str key;
	int64_t ms;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		bool is_oldest = str_equal(key, STR("oldestProfileTime"));

		if (str_equal(key, STR("dataIngested"))) {
			if (!json_bool(r, &stats->has_data))
				return;
		} else if (is_oldest ||
			   str_equal(key, STR("newestProfileTime"))) {
			if (!json_i64(r, &ms))
				return;
			*(is_oldest ? &stats->oldest_ns : &stats->newest_ns) =
				sat_mul_i64(ms, NS_PER_MS);
		} else {
			json_skip(r);
		}
	}
}

bool pyroscope_stats_read(const struct http_response *response,
			  struct profile_stats *stats)
{
	struct json_reader *r;
	struct error ignored;
	bool is_ok;

	*stats = (struct profile_stats){ .has_data = false };
	if (response->status != 200 || body_first(response) != '{')
		return false;
	r = json_new(buf_str(&response->body), &ignored);
	if (!r)
		return false;
	read_stats(r, stats);
	is_ok = !json_failed(r);
	json_free(r);
	return is_ok;
}

bool pyroscope_label_request(const struct endpoint *e, const char *label,
			     const char *selector, struct time_range range,
			     struct http_request *request, struct error *err)
{
	struct buf body;
	struct out out;
	struct jsonw w;

	buf_init(&body, PYROSCOPE_BODY_BYTES);
	out_init_memory(&out, &body);
	jsonw_init(&w, &out, 0);
	jsonw_object(&w);
	jsonw_pair_text(&w, "name", label);
	jsonw_key(&w, "matchers");
	jsonw_array(&w);
	jsonw_text(&w, selector);
	jsonw_array_end(&w);
	jsonw_pair_i64(&w, "start", range.from_ns / NS_PER_MS);
	jsonw_pair_i64(&w, "end", range.to_ns / NS_PER_MS);
	jsonw_object_end(&w);
	out_release(&out);
	return pyroscope_post(e, "LabelValues", JSON, &body, request, err);
}

/* "... exceeds the limit (max_query_length, actual: 48h0m0s, limit: 1d)" */
bool pyroscope_length_limit_read(const struct http_response *response,
				 char out[STATUS_VERSION_BYTES])
{
	static const struct str lead = { "limit: ", 7 };
	struct reason reason;
	struct str text;
	size_t at, end;

	out[0] = '\0';
	if (!body_contains(response, STR("max_query_length")))
		return false;
	reason_read(response, &reason);
	text = str_from(reason.text);
	at = str_find(text, lead);
	if (at == SIZE_MAX)
		return true;
	text = str_slice(text, at + lead.len, text.len);
	end = str_find(text, STR(")"));
	text = str_slice(text, 0, end);
	if (text.len < STATUS_VERSION_BYTES)
		snprintf(out, STATUS_VERSION_BYTES, "%.*s", STR_ARGS(text));
	return true;
}
