/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/har_held.h"

#include <string.h>

#include "base/ascii.h"
#include "base/count.h"
#include "wire/har_entry.h"

size_t har_held_count(const struct har *h)
{
	return h->count;
}

struct har_held har_held_at(const struct har *h, size_t i)
{
	const struct har_entry *e = &h->entries[i];

	return (struct har_held){
		.url = e->url,
		.body = buf_str(&e->request_body),
		.has_answer =
			e->response.status == 200 && e->response.body.len > 0,
	};
}

bool har_held_response(const struct har *h, size_t i,
		       struct http_response *response, struct error *err)
{
	return har_entry_copy(&h->entries[i], response, err);
}

void har_relax(struct har *h)
{
	h->is_relaxed = true;
}

static struct str path_of(const char *url)
{
	return (struct str){ url, strcspn(url, "?") };
}

#define TRACE_ID_DIGITS 32

struct str har_held_trace(const char *url)
{
	struct str path = path_of(url), id = STR("");
	size_t at = str_find(path, STR("/traces/"));

	if (at == SIZE_MAX)
		return id;
	id = str_slice(path, at + 8, path.len);
	if (id.len > TRACE_ID_DIGITS)
		return STR("");
	for (size_t i = 0; i < id.len; i++)
		if (!ascii_is_hex(id.ptr[i]))
			return STR("");
	return id;
}

bool har_held_is_search(const char *url)
{
	struct str path = path_of(url);

	return url[path.len] == '?' && (str_ends(path, STR("/api/search")) ||
					str_ends(path, STR("/traces")));
}

/* What comes before and after TraceQL's "|select(...)"; false without it. */
static bool part_at_select(struct str url, struct str *before,
			   struct str *after)
{
	static const struct str begins = { "%7Cselect%28", 12 };
	static const struct str ends = { "%29", 3 };
	size_t from = str_find(url, begins), to;

	if (from == SIZE_MAX)
		return false;
	*before = str_slice(url, 0, from);
	*after = str_slice(url, from + begins.len, url.len);
	to = str_find(*after, ends);
	*after =
		str_slice(*after, to == SIZE_MAX ? after->len : to, after->len);
	return true;
}

static struct str skip_digits(struct str s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
		n++;
	return str_slice(s, n, s.len);
}

/* Without what says how many: of Tempo traces and spans of each, of Jaeger and
 * Zipkin traces. */
static bool is_same_but_numbers(struct str a, struct str b)
{
	static const char *const names[] = { "limit=", "spss=",
					     "query.num_traces=", "pageSize=" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str name = str_from(names[i]);
		size_t at_a = str_find(a, name), at_b = str_find(b, name);

		if (at_a == SIZE_MAX || at_a != at_b)
			continue;
		at_a += name.len;
		if (!str_equal(str_slice(a, 0, at_a), str_slice(b, 0, at_a)))
			return false;
		a = skip_digits(str_slice(a, at_a, a.len));
		b = skip_digits(str_slice(b, at_a, b.len));
	}
	return str_equal(a, b);
}

bool har_held_is_same_search(struct str a, struct str b, bool of_any_number)
{
	struct str before_a, after_a, before_b, after_b;
	bool has_parts = part_at_select(a, &before_a, &after_a) &&
			 part_at_select(b, &before_b, &after_b);

	if (!of_any_number)
		return has_parts && str_equal(before_a, before_b) &&
		       str_equal(after_a, after_b);
	return has_parts ? str_equal(before_a, before_b) &&
				   is_same_but_numbers(after_a, after_b)
			 : is_same_but_numbers(a, b);
}

/* What comes before and after the list of labels; false without it. */
static bool part_at_labels(struct str body, struct str *before,
			   struct str *after)
{
	static const struct str begins = { "\"labelNames\":[", 14 };
	size_t from = str_find(body, begins), to;

	if (from == SIZE_MAX)
		return false;
	*before = str_slice(body, 0, from);
	*after = str_slice(body, from + begins.len, body.len);
	to = str_find(*after, STR("]"));
	*after = str_slice(*after, to == SIZE_MAX ? after->len : to,
			   after->len);
	return true;
}

bool har_held_is_same_series(const char *url, struct str a, struct str b)
{
	static const struct str series = {
		"/querier.v1.QuerierService/Series", 33
	};
	struct str before_a, after_a, before_b, after_b;

	return str_ends(str_from(url), series) &&
	       part_at_labels(a, &before_a, &after_a) &&
	       part_at_labels(b, &before_b, &after_b) &&
	       str_equal(before_a, before_b) && str_equal(after_a, after_b);
}

static bool is_profile(const char *url)
{
	static const char *const parts[] = {
		"/querier.v1.QuerierService/SelectMerge",
		"/pyroscope/render",
		"/api/profiles/query?",
		"/profiles?",
	};

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (strstr(url, parts[i]))
			return true;
	return false;
}

bool har_held_is_list(const char *url)
{
	return strstr(url, "/querier.v1.QuerierService/Series") ||
	       strstr(url, "/querier.v1.QuerierService/LabelValues") ||
	       strstr(url, "/querier.v1.QuerierService/ProfileTypes");
}

static void add_count(struct buf *out, size_t count, const char *one,
		      const char *many)
{
	if (count)
		buf_addf(out, "%s%zu %s", out->len ? ", " : "", count,
			 count == 1 ? one : many);
}

static bool is_address(const char *argument)
{
	return !strncmp(argument, "--traces-", 9) ||
	       !strncmp(argument, "--profiles-", 11) ||
	       !strncmp(argument, "--metrics-", 10) ||
	       !strncmp(argument, "--tenant-id", 11);
}

/* Enough to know the run by. */
#define COMMAND_BYTES 200

static void add_command(const struct har *h, struct buf *out)
{
	size_t start = out->len;

	if (!h->arg_count)
		return;
	buf_add_text(out, " (recorded by tracefind");
	for (size_t i = 0; i < h->arg_count; i++) {
		if (is_address(h->args[i]))
			continue;
		if (out->len - start > COMMAND_BYTES) {
			buf_add_text(out, " ...");
			break;
		}
		buf_addf(out, " %.*s", COMMAND_BYTES, h->args[i]);
	}
	buf_add_text(out, ")");
}

void har_describe(const struct har *h, struct buf *out)
{
	size_t traces = 0, searches = 0, profiles = 0, lists = 0;
	struct str first = STR("");

	for (size_t i = 0; i < h->count; i++) {
		struct har_held held = har_held_at(h, i);
		struct str id = har_held_trace(held.url);

		if (!held.has_answer)
			continue;
		if (id.len && !traces++)
			first = id;
		searches += har_held_is_search(held.url);
		profiles += is_profile(held.url);
		lists += har_held_is_list(held.url);
	}
	if (traces == 1)
		buf_addf(out, "trace %.*s", STR_ARGS(first));
	else
		add_count(out, traces, "trace", "traces");
	add_count(out, searches, "search", "searches");
	add_count(out, profiles, "profile", "profiles");
	if (!out->len && lists)
		buf_add_text(out, "names of services and types");
	else if (!out->len)
		buf_add_text(out, "neither trace nor search nor profile");
	add_command(h, out);
}
