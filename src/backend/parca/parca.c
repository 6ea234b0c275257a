/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/parca/parca_calls.h"

#include <inttypes.h>
#include <string.h>

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/backends.h"
#include "base/ascii.h"
#include "base/limits.h"
#include "base/num.h"
#include "wire/url.h"

#define SUBJECT "parca"
#define ROOT "/api/profiles/"

/* Selectors are percent-encoded, which makes three bytes of one. */
#define PATH_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* Below every scraper's interval: each sample is one snapshot. */
#define SNAPSHOT_STEP_S 1

/* ---- requests ---- */

static void add_param(struct buf *path, const char *name, struct str value)
{
	buf_add_char(path,
		     str_find(buf_str(path), STR("?")) == SIZE_MAX ? '?' : '&');
	buf_add_text(path, name);
	buf_add_char(path, '=');
	url_encode(path, value);
}

/* Both ends are inclusive, and what is stored has milliseconds. */
static void add_range(struct buf *path, const char *start, const char *end,
		      struct time_range range)
{
	char text[TIME_RFC3339_BYTES];

	format_rfc3339(range.from_ns, text);
	add_param(path, start, str_from(text));
	format_rfc3339(sat_sub_i64(range.to_ns, 1), text);
	add_param(path, end, str_from(text));
}

const struct parca_facts *parca_facts_of(const struct side *side)
{
	return side->room;
}

static bool is_label_char(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || c == '_' || c == '.';
}

static size_t quoted_length(struct str text)
{
	size_t i = 1;

	while (i < text.len && text.ptr[i] != text.ptr[0])
		i += text.ptr[i] == '\\' && text.ptr[0] != '`' ? 2 : 1;
	return i < text.len ? i + 1 : text.len;
}

void parca_selector(struct buf *out, const char *service_label,
		    struct str selector)
{
	size_t i = 0;

	while (i < selector.len) {
		struct str rest = str_slice(selector, i, selector.len);
		size_t len = 0;

		if (strchr("\"'`", rest.ptr[0]) && rest.ptr[0]) {
			rest.len = quoted_length(rest);
			buf_add_str(out, rest);
			i += rest.len;
			continue;
		}
		while (len < rest.len && is_label_char(rest.ptr[len]))
			len++;
		if (str_equal(str_slice(rest, 0, len), STR("service_name")))
			buf_add_text(out, service_label);
		else
			buf_add_str(out, str_slice(rest, 0, len ? len : 1));
		i += len ? len : 1;
	}
}

static bool is_wanted_as(const char *wanted, struct str id)
{
	struct str text = str_from(wanted);

	return str_starts(text, id) &&
	       (text.len == id.len ||
		str_equal(str_slice(text, id.len, text.len), STR(":delta")));
}

const struct parca_type *parca_type_find(const struct parca_facts *facts,
					 struct str id)
{
	for (size_t i = 0; i < facts->type_count; i++)
		if (str_equal(facts->types[i].id, id) ||
		    is_wanted_as(facts->types[i].wanted, id))
			return &facts->types[i];
	return NULL;
}

static bool add_query(struct buf *path, const char *name,
		      const struct parca_facts *facts, const char *type,
		      const char *selector, struct error *err)
{
	struct buf text;
	bool is_ok;

	buf_init(&text, 2 * LIMIT_OPTION_VALUE_BYTES);
	buf_add_text(&text, type);
	parca_selector(&text, facts->service_label, str_from(selector));
	is_ok = buf_check(&text, "the selector", err);
	if (is_ok)
		add_param(path, name, buf_str(&text));
	buf_release(&text);
	return is_ok;
}

static bool get(const struct endpoint *endpoint, struct buf *path,
		struct http_request *request, struct error *err)
{
	if (!request_fill(request, endpoint, "GET", path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

static void path_init(struct buf *path, const char *method)
{
	buf_init(path, PATH_BYTES);
	buf_add_text(path, ROOT);
	buf_add_text(path, method);
}

bool parca_facts_request(const struct endpoint *endpoint, enum parca_fact fact,
			 struct http_request *request, struct error *err)
{
	struct buf path;

	path_init(&path, fact == PARCA_TYPES ? "types" : "labels");
	if (!get(endpoint, &path, request, err))
		return false;
	request->is_optional = true;
	return true;
}

bool parca_services_request(const struct side *side, struct time_range range,
			    struct http_request *request, struct error *err)
{
	struct buf path;

	path_init(&path, "labels/");
	url_encode(&path, str_from(parca_facts_of(side)->service_label));
	buf_add_text(&path, "/values");
	add_range(&path, "start", "end", range);
	return get(&side->endpoint, &path, request, err);
}

const char *parca_label(const struct side *side, const char *label)
{
	return strcmp(label, "service_name")
		       ? label
		       : parca_facts_of(side)->service_label;
}

/* One step as long as the window: the series matter, not their points. */
bool parca_type_request(const struct side *side, size_t type,
			const struct series_query *query,
			struct http_request *request, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(side);
	struct time_range range = query->range;
	int64_t step_s = 1 + sat_sub_i64(range.to_ns, range.from_ns) / NS_PER_S;
	struct buf path;

	path_init(&path, "query_range");
	if (!add_query(&path, "query", facts, facts->types[type].wanted,
		       query->selector, err)) {
		buf_release(&path);
		return false;
	}
	add_range(&path, "start", "end", range);
	buf_addf(&path, "&step=%" PRId64 "s", step_s);
	for (size_t i = 0; i < query->label_count; i++)
		if (strcmp(query->labels[i], "__profile_type__") != 0)
			add_param(
				&path, "sumBy",
				str_from(parca_label(side, query->labels[i])));
	return get(&side->endpoint, &path, request, err);
}

static const struct parca_type *type_of(const struct side *side,
					const char *type_id, struct error *err)
{
	const struct parca_type *type =
		parca_type_find(parca_facts_of(side), str_from(type_id));

	if (!type)
		error_set(err, ERROR_NOT_FOUND,
			  SUBJECT ": no profiles of type %s at all", type_id);
	return type;
}

unsigned parca_profile_attempts(const struct profile_query *query)
{
	(void)query;
	return 1;
}

unsigned parca_names_attempt(const struct profile_query *query)
{
	(void)query;
	return 0;
}

bool parca_profile_request(const struct side *side,
			   const struct profile_query *query, unsigned attempt,
			   struct http_request *request, struct error *err)
{
	const struct parca_type *type = type_of(side, query->type_id, err);
	struct buf path;

	(void)attempt;
	if (!type)
		return false;
	if (query->span_id_count)
		return error_set(err, ERROR_NOT_FOUND,
				 SUBJECT ": samples are not kept by span");
	path_init(&path, "query?mode=MODE_MERGE&reportType=REPORT_TYPE_PPROF");
	if (!add_query(&path, "merge.query", parca_facts_of(side), type->wanted,
		       query->selector, err)) {
		buf_release(&path);
		return false;
	}
	add_range(&path, "merge.start", "merge.end", query->range);
	return get(&side->endpoint, &path, request, err);
}

/* A query_range of one type; the step is for the caller to add. */
static bool range_path(struct buf *path, const struct side *side,
		       const char *type_id, const char *selector,
		       struct time_range range, struct error *err)
{
	const struct parca_type *type = type_of(side, type_id, err);

	if (!type)
		return false;
	path_init(path, "query_range");
	if (!add_query(path, "query", parca_facts_of(side), type->wanted,
		       selector, err)) {
		buf_release(path);
		return false;
	}
	add_range(path, "start", "end", range);
	return true;
}

bool parca_snapshots_request(const struct side *side,
			     const struct profile_query *query,
			     const char *instance_label, unsigned attempt,
			     struct http_request *request, struct error *err)
{
	struct buf path;

	(void)instance_label;
	(void)attempt;
	if (!range_path(&path, side, query->type_id, query->selector,
			query->range, err))
		return false;
	buf_addf(&path, "&step=%ds", SNAPSHOT_STEP_S);
	return get(&side->endpoint, &path, request, err);
}

bool parca_totals_request(const struct side *side,
			  const struct totals_query *query,
			  struct http_request *request, struct error *err)
{
	int64_t length_ms = query->step_ms * (int64_t)query->step_count;
	struct time_range range = { query->from_ms * NS_PER_MS,
				    (query->from_ms + length_ms) * NS_PER_MS };
	struct buf path;

	if (!range_path(&path, side, query->type_id, query->selector, range,
			err))
		return false;
	buf_addf(&path, "&step=%" PRId64 "s", parca_totals_step_s(query));
	add_param(&path, "sumBy", str_from(parca_label(side, query->label)));
	if (query->beside)
		add_param(&path, "sumBy",
			  str_from(parca_label(side, query->beside)));
	return get(&side->endpoint, &path, request, err);
}
