/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_parts.h"

#define SCHEMA_VERSION 1

void json_head(struct jsonw *w, const char *command)
{
	jsonw_pair_i64(w, "schema_version", SCHEMA_VERSION);
	jsonw_pair_text(w, "tool", "tracefind " TRACEFIND_VERSION);
	jsonw_pair_text(w, "command", command);
}

void json_notes(struct jsonw *w, const char *key, const struct notes *notes)
{
	jsonw_key(w, key);
	jsonw_array(w);
	for (size_t i = 0; i < notes->count; i++)
		jsonw_text(w, notes->text[i]);
	jsonw_array_end(w);
}

void json_range(struct jsonw *w, struct time_range range)
{
	if (range.from_ns || range.to_ns) {
		jsonw_pair_time(w, "from", range.from_ns);
		jsonw_pair_time(w, "to", range.to_ns);
	} else {
		jsonw_pair_null(w, "from");
		jsonw_pair_null(w, "to");
	}
}

static void json_request(struct jsonw *w, const struct request_info *request)
{
	jsonw_object(w);
	jsonw_pair_known_str(w, "method", request->method);
	jsonw_pair_known_str(w, "url", request->url);
	jsonw_pair_known(w, "status", request->status ? request->status : -1);
	jsonw_pair_known(w, "bytes", request->bytes);
	jsonw_pair_known(w, "duration_ns", request->duration_ns);
	jsonw_object_end(w);
}

void json_requests(struct jsonw *w, const struct result *result)
{
	jsonw_key(w, "requests");
	jsonw_array(w);
	for (size_t i = 0; i < result->request_count; i++)
		json_request(w, &result->requests[i]);
	jsonw_array_end(w);
}
