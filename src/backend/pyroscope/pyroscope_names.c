/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/backends.h"
#include "backend/gather.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "wire/http_error.h"

#define JSON "application/json"

/* The whole of a service's metadata in the last hour is cheap to ask for. */
#define PROBE_WINDOW_NS NS_PER_HOUR

bool pyroscope_ask(const struct endpoint *endpoint, const char *method,
		   struct time_range range,
		   void (*add)(struct jsonw *w, const void *what),
		   const void *what, struct http_request *request,
		   struct error *err)
{
	int64_t start_ms, end_ms;
	struct buf body;
	struct out out;
	struct jsonw w;

	pyroscope_range_ms(range, &start_ms, &end_ms);
	buf_init(&body, PYROSCOPE_BODY_BYTES);
	out_init_memory(&out, &body);
	jsonw_init(&w, &out, 0);
	jsonw_object(&w);
	add(&w, what);
	jsonw_pair_i64(&w, "start", start_ms);
	jsonw_pair_i64(&w, "end", end_ms);
	jsonw_object_end(&w);
	out_release(&out);
	return pyroscope_post(endpoint, method, JSON, &body, request, err);
}

static void add_label_name(struct jsonw *w, const void *what)
{
	jsonw_pair_text(w, "name", what);
}

/* One matcher: of several, v1 stores take any and v2 stores all. */
static void add_matcher(struct jsonw *w, const void *what)
{
	const struct series_query *query = what;

	jsonw_key(w, "matchers");
	jsonw_array(w);
	jsonw_text(w, query->selector);
	jsonw_array_end(w);
	jsonw_key(w, "labelNames");
	jsonw_array(w);
	for (size_t i = 0; i < query->label_count; i++)
		jsonw_text(w, query->labels[i]);
	jsonw_array_end(w);
}

bool pyroscope_services_request(const struct side *side,
				struct time_range range,
				struct http_request *request, struct error *err)
{
	return pyroscope_ask(&side->endpoint, "LabelValues", range,
			     add_label_name, "service_name", request, err);
}

bool pyroscope_types_request(const struct side *side,
			     const struct series_query *query,
			     struct http_request *request, struct error *err)
{
	static const char *const label = "__profile_type__";
	const struct series_query types = { query->selector, &label, 1,
					    query->range };

	return pyroscope_ask(&side->endpoint, "Series", query->range,
			     add_matcher, &types, request, err);
}

bool pyroscope_series_request(const struct side *side,
			      const struct series_query *query,
			      struct http_request *request, struct error *err)
{
	if (!pyroscope_ask(&side->endpoint, "Series", query->range, add_matcher,
			   query, request, err))
		return false;
	/* Otherwise labels with dots in their names stay hidden. */
	request->accept = "*/*;allow-utf8-labelnames=true";
	return true;
}

bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request, struct error *err)
{
	struct time_range range = { sat_sub_i64(now_ns, PROBE_WINDOW_NS),
				    now_ns };

	if (!pyroscope_ask(endpoint, "LabelValues", range, add_label_name,
			   "service_name", request, err))
		return false;
	request->is_probe = true;
	return true;
}

bool pyroscope_probe_matches(const struct http_response *response)
{
	char code[40];

	if (!response->status || answer_is_denied(response) ||
	    strcmp(response->content_type, JSON) != 0)
		return false;
	if (response->status == 200)
		return body_has_key(response, STR("names"), true);
	connect_code_read(response, code, sizeof code);
	return code[0] != '\0';
}

struct type_reader {
	struct name_gatherer *types;
	bool is_other; /* the label being read */
};

/* {"name":"__profile_type__","value":".."}: only that name is asked for, but a
 * case may hold an answer with others. */
static void read_label(struct json_reader *r, struct str key, void *reader)
{
	struct type_reader *t = reader;
	bool is_name = str_equal(key, STR("name"));
	struct str text;

	if (!is_name && !str_equal(key, STR("value"))) {
		json_skip(r);
		return;
	}
	if (!json_text(r, &text))
		return;
	if (!is_name && !t->is_other)
		name_gatherer_add(t->types, text);
	t->is_other = is_name && !str_equal(text, STR("__profile_type__"));
}

/* {"labels":[..]} */
static void read_label_set(struct json_reader *r, struct str key, void *reader)
{
	if (str_equal(key, STR("labels")))
		json_each_object(r, read_label, reader);
	else
		json_skip(r);
}

static void read_label_sets(struct json_reader *r, void *names)
{
	struct type_reader reader = { .types = names };

	json_each_object(r, read_label_set, &reader);
}

static bool check_list(const struct endpoint *endpoint,
		       const struct http_response *response, struct error *err)
{
	struct str host;

	if (response->status != 200 || body_is_html(response)) {
		answer_fail("pyroscope", endpoint, response, err);
		return false;
	}
	if (body_first(response) == '{')
		return true;
	host = url_authority(endpoint->url);
	return error_set(err, ERROR_FORMAT,
			 "pyroscope: %.*s answers 200, but with no "
			 "list: is there a Pyroscope at this address? "
			 "(%s-url)",
			 STR_ARGS(host), side_prefix(endpoint));
}

bool pyroscope_read(const struct endpoint *endpoint,
		    const struct http_response *response, struct str field,
		    void (*read)(struct json_reader *r, void *into), void *into,
		    struct error *err)
{
	return check_list(endpoint, response, err) &&
	       answer_read_field(response, field, read, into, "pyroscope", err);
}

static bool names_answer(const struct backends *b,
			 const struct http_response *response, struct str field,
			 void (*read)(struct json_reader *r, void *into),
			 struct name_list *list, struct error *err)
{
	struct name_gatherer g;

	name_gatherer_init(&g, b->arena, list);
	return pyroscope_read(&b->profiles.endpoint, response, field, read, &g,
			      err) &&
	       name_gatherer_finish(&g, err);
}

bool pyroscope_services_answer(const struct backends *b,
			       const struct http_response *response,
			       struct name_list *names, struct error *err)
{
	return names_answer(b, response, STR("names"), name_gatherer_read,
			    names, err);
}

bool pyroscope_types_answer(struct backends *b,
			    const struct series_query *query,
			    const struct http_response *response,
			    struct name_list *types, struct error *err)
{
	(void)query;
	return names_answer(b, response, STR("labelsSet"), read_label_sets,
			    types, err);
}

/* ---- series ---- */

struct series_reader {
	struct arena *arena;
	const char *const *labels;
	struct series_list *series;
	size_t cap; /* values */
	bool is_failed;
};

static size_t label_index(const struct series_reader *s, struct str name)
{
	size_t i = 0;

	while (i < s->series->label_count &&
	       !str_equal(name, str_from(s->labels[i])))
		i++;
	return i;
}

/* Neighbours mostly share their values; those are kept once. */
static struct str series_text(struct series_reader *s, size_t label,
			      struct str text)
{
	const struct series_list *list = s->series;
	struct str copy;

	if (list->count > 0 && label < list->label_count) {
		size_t before = (list->count - 1) * list->label_count + label;

		if (list->values[before].ptr &&
		    str_equal(list->values[before], text))
			return list->values[before];
	}
	copy = arena_str(s->arena, text);
	s->is_failed |= !copy.ptr;
	return copy;
}

/* {"name":"pod","value":"a"}, in either order. */
static void read_series_label(struct json_reader *r, struct series_reader *s,
			      struct str *row)
{
	size_t label = s->series->label_count;
	struct str value = { NULL, 0 }, text;
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("name"))) {
			if (json_text(r, &text))
				label = label_index(s, text);
		} else if (str_equal(key, STR("value"))) {
			if (json_text(r, &text))
				value = series_text(s, label, text);
		} else {
			json_skip(r);
		}
	}
	if (label < s->series->label_count)
		row[label] = value;
}

/* Room for one more row, empty; NULL past the limit or without memory. */
static struct str *series_row(struct series_reader *s)
{
	struct series_list *list = s->series;
	size_t used = list->count * list->label_count;
	void *values = list->values;

	if (s->is_failed || list->count >= LIMIT_SERIES)
		return NULL;
	if (!arena_reserve(s->arena, &values, &s->cap, used + list->label_count,
			   sizeof *list->values)) {
		s->is_failed = true;
		return NULL;
	}
	list->values = values;
	memset(list->values + used, 0,
	       list->label_count * sizeof *list->values);
	return list->values + used;
}

static void read_series_labels(struct json_reader *r, struct series_reader *s)
{
	struct str *row = series_row(s);

	if (!row) {
		json_skip(r);
		return;
	}
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_series_label(r, s, row);
	s->series->count++;
}

/* {"labels":[..]} */
static void read_one_series(struct json_reader *r, struct str key, void *into)
{
	if (str_equal(key, STR("labels")))
		read_series_labels(r, into);
	else
		json_skip(r);
}

static void read_series(struct json_reader *r, void *into)
{
	json_each_object(r, read_one_series, into);
}

bool pyroscope_series_answer(struct backends *b,
			     const struct series_query *query,
			     const struct http_response *response,
			     struct series_list *series, struct error *err)
{
	struct series_reader s = { .arena = b->arena,
				   .labels = query->labels,
				   .series = series };

	*series = (struct series_list){ .label_count = query->label_count };
	if (!pyroscope_read(&b->profiles.endpoint, response, STR("labelsSet"),
			    read_series, &s, err))
		return false;
	if (s.is_failed)
		return arena_fail(b->arena, "the server's series", err);
	return true;
}

bool pyroscope_kept_names(struct backends *b, const char *url, struct str asked,
			  const struct http_response *response, bool is_types,
			  struct name_list *names, struct error *err)
{
	const char *const label =
		is_types ? "__profile_type__" : "service_name";
	const struct series_query query = { .labels = &label,
					    .label_count = 1 };
	struct series_list series;

	if (strstr(url, "/LabelValues") && !is_types &&
	    str_find(asked, STR("\"service_name\"")) != SIZE_MAX)
		return pyroscope_services_answer(b, response, names, err);
	if (!strstr(url, "/Series") ||
	    !pyroscope_series_answer(b, &query, response, &series, err))
		return false;
	*names = (struct name_list){ series.values, series.count };
	return true;
}
