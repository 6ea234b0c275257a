/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_trace/cloud_trace_query.h"

#include <string.h>

#include "backend/backend.h"
#include "base/ascii.h"
#include "wire/url.h"

/* Google's page of quotas of Cloud Trace: a list costs as much as so many
 * traces by id. */
#define LIST_UNITS 25u

/* So many there are a minute, unless the project was given more. */
#define UNITS_A_MINUTE 300u

/* What the language takes without quotes: [a-zA-Z0-9./_][a-zA-Z0-9./_-]*. */
static bool is_plain(struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (!ascii_is_alnum(c) && !(c && strchr("./_", c)) &&
		    !(c == '-' && i > 0))
			return false;
	}
	return value.len > 0;
}

static void add_value(struct buf *filter, struct str value)
{
	if (is_plain(value)) {
		buf_add_str(filter, value);
		return;
	}
	buf_add_char(filter, '"');
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '"' || value.ptr[i] == '\\')
			buf_add_char(filter, '\\');
		buf_add_char(filter, value.ptr[i]);
	}
	buf_add_char(filter, '"');
}

void cloud_filter_add(struct buf *filter, const char *key, struct str value)
{
	if (filter->len)
		buf_add_char(filter, ' ');
	buf_addf(filter, "%s:", key);
	add_value(filter, value);
}

void cloud_filter_add_latency(struct buf *filter, int64_t duration_ns)
{
	struct buf text;

	if (duration_ns <= 0)
		return;
	buf_init(&text, 64);
	if (duration_ns % NS_PER_MS == 0)
		buf_addf(&text, "%lldms", (long long)(duration_ns / NS_PER_MS));
	else
		buf_addf(&text, "%lldns", (long long)duration_ns);
	cloud_filter_add(filter, "latency", buf_str(&text));
	buf_release(&text);
}

void cloud_list_path(const struct cloud_list *list, struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	uint32_t most =
		list->has_spans ? CLOUD_TRACE_PAGE : CLOUD_TRACE_PAGE_ROOTS;

	format_rfc3339(list->range.from_ns, from);
	format_rfc3339(list->range.to_ns, to);
	buf_addf(out,
		 "/traces?view=%s&pageSize=%u&startTime=%s&endTime=%s"
		 "&orderBy=",
		 list->has_spans ? "COMPLETE" : "ROOTSPAN",
		 list->traces < most ? list->traces : most, from, to);
	url_encode(out, str_from(list->order));
	if (list->owned_filter) {
		if (list->owned_filter->len)
			buf_add_text(out, "&filter=");
		url_encode_built(out, list->owned_filter);
	}
	if (list->page_token.len) {
		buf_add_text(out, "&pageToken=");
		url_encode(out, list->page_token);
	}
}

bool cloud_trace_recent_request(const struct endpoint *endpoint,
				struct time_range range,
				struct http_request *request, struct error *err)
{
	const struct cloud_list list = { .has_spans = true,
					 .traces = CLOUD_TRACE_PAGE,
					 .order = "start desc",
					 .range = range };
	struct buf path;

	project_path_init(&path, endpoint, LIMIT_URL_BYTES);
	cloud_list_path(&list, &path);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

unsigned cloud_trace_units(struct str path)
{
	size_t v1 = str_find(path, STR("/v1/projects/"));
	struct str rest =
		str_slice(path, v1 == SIZE_MAX ? path.len : v1, path.len);

	if (str_find(rest, STR("/traces?")) != SIZE_MAX)
		return LIST_UNITS;
	return str_find(rest, STR("/traces/")) != SIZE_MAX;
}

void cloud_trace_spent(const struct http_log_entry *log, size_t count,
		       struct buf *out)
{
	unsigned units = 0;

	for (size_t i = 0; i < count; i++)
		if (!log[i].is_cached && log[i].status)
			units += cloud_trace_units(str_from(log[i].url));
	buf_addf(out,
		 "Cloud Trace: %u read unit%s of the %u that a project has a "
		 "minute by default",
		 units, &"s"[units == 1], UNITS_A_MINUTE);
}
