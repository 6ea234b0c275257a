/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/parca/parca.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backends.h"
#include "backend/checkup.h"
#include "backend/jobs.h"
#include "backend/profile_backend.h"
#include "backend/rooms.h"
#include "backend/source.h"
#include "base/buf.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/str.h"
#include "wire/http_message.h"
#include "wire/url.h"

#define SUBJECT "parca"
#define ROOT "/api/profiles/"

/* Maximum length: selectors are percent-encoded, three bytes for one. */
#define PATH_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* Below any scrape interval: each sample is one snapshot. */
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

/* Both ends are inclusive, and timestamps have milliseconds. */
static void add_range(struct buf *path, const char *start, const char *end,
		      struct time_range range)
{
	char text[TIME_RFC3339_BYTES];

	format_rfc3339(range.from_ns, text);
	add_param(path, start, str_from(text));
	format_rfc3339(sat_sub_i64(range.to_ns, 1), text);
	add_param(path, end, str_from(text));
}

/* Returns the facts; NULL: not known yet. */
static const struct parca_facts *parca_facts_of(const struct side *side)
{
	return side->room;
}

void parca_selector(struct buf *out, const char *service_label,
		    struct str selector)
{
	size_t i = 0;

	while (i < selector.len) {
		struct str rest = str_slice(selector, i, selector.len);
		char quote = rest.ptr[0];
		size_t len = 0;

		if (quote && strchr("\"'`", quote)) {
			len = 1;
			while (len < rest.len && rest.ptr[len] != quote)
				len += rest.ptr[len] == '\\' && quote != '`'
					       ? 2
					       : 1;
			rest = str_slice(rest, 0, len + 1);
			buf_add_str(out, rest);
			i += rest.len;
			continue;
		}
		while (len < rest.len &&
		       (ascii_is_alnum(rest.ptr[len]) ||
			rest.ptr[len] == '_' || rest.ptr[len] == '.'))
			len++;
		if (str_equal(str_slice(rest, 0, len), STR("service_name")))
			buf_add_text(out, service_label);
		else
			buf_add_str(out, str_slice(rest, 0, len ? len : 1));
		i += len ? len : 1;
	}
}

const struct parca_type *parca_type_find(const struct parca_facts *facts,
					 struct str id)
{
	for (size_t i = 0; i < facts->type_count; i++) {
		const struct parca_type *type = &facts->types[i];
		struct str wanted = str_from(type->wanted);

		if (str_equal(type->id, id) || str_equal(wanted, id) ||
		    (str_starts(wanted, id) &&
		     str_equal(str_slice(wanted, id.len, wanted.len),
			       STR(":delta"))))
			return type;
	}
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

static bool parca_get(const struct endpoint *endpoint, struct buf *path,
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

/* Builds the two requests for the facts. */
static bool parca_facts_request(const struct endpoint *endpoint,
				enum parca_fact fact,
				struct http_request *request, struct error *err)
{
	struct buf path;

	path_init(&path, fact == PARCA_TYPES ? "types" : "labels");
	if (!parca_get(endpoint, &path, request, err))
		return false;
	request->is_optional = true;
	return true;
}

static bool parca_services_request(const struct side *side,
				   struct time_range range,
				   struct http_request *request,
				   struct error *err)
{
	struct buf path;

	path_init(&path, "labels/");
	url_encode(&path, str_from(parca_facts_of(side)->service_label));
	buf_add_text(&path, "/values");
	add_range(&path, "start", "end", range);
	return parca_get(&side->endpoint, &path, request, err);
}

/* Returns Parca's name of a label. */
static const char *parca_label(const struct side *side, const char *label)
{
	return strcmp(label, "service_name")
		       ? label
		       : parca_facts_of(side)->service_label;
}

/* Requests the series of one type; query is for all types. The step is as long
 * as the window: the points are not needed. */
static bool parca_type_request(const struct side *side, size_t type,
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
	return parca_get(&side->endpoint, &path, request, err);
}

/* Types cover intervals, are of one moment, or are totals since process
 * start. */
enum type_group { DELTAS, GAUGES, TOTALS };

static enum type_group type_group(const struct parca_type *type)
{
	if (type->is_delta)
		return DELTAS;
	return profile_type_is_gauge(type->id) ? GAUGES : TOTALS;
}

static const struct parca_type *type_of(const struct side *side,
					const char *type_id, struct error *err)
{
	const struct parca_type *type =
		parca_type_find(parca_facts_of(side), str_from(type_id));

	if (!type)
		error_set(err, ERROR_NOT_FOUND,
			  SUBJECT ": no profiles of type %s", type_id);
	return type;
}

static unsigned parca_profile_attempts(const struct profile_query *query)
{
	(void)query;
	return 1;
}

static unsigned parca_names_attempt(const struct profile_query *query)
{
	(void)query;
	return 0;
}

static bool parca_profile_request(const struct side *side,
				  const struct profile_query *query,
				  unsigned attempt,
				  struct http_request *request,
				  struct error *err)
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
	return parca_get(&side->endpoint, &path, request, err);
}

/* Begins a query_range of one type; the caller adds the step. */
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

static bool parca_snapshots_request(const struct side *side,
				    const struct profile_query *query,
				    const char *instance_label,
				    unsigned attempt,
				    struct http_request *request,
				    struct error *err)
{
	struct buf path;

	(void)instance_label;
	(void)attempt;
	if (!range_path(&path, side, query->type_id, query->selector,
			query->range, err))
		return false;
	buf_addf(&path, "&step=%ds", SNAPSHOT_STEP_S);
	return parca_get(&side->endpoint, &path, request, err);
}

static bool parca_totals_request(const struct side *side,
				 const struct totals_query *query,
				 struct http_request *request,
				 struct error *err)
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
	return parca_get(&side->endpoint, &path, request, err);
}

/* The labels of users and agents for a service, the most specific first. */
static const char *const service_labels[] = {
	"service_name", "app_kubernetes_io_name", "app", "job", "container",
	"comm",         "systemd_unit",
};

bool parca_is(const struct http_response *response)
{
	return response->status == 200 &&
	       !strcmp(response->content_type, "application/json") &&
	       body_has_key(response, STR("types"), true);
}

static bool check_object(const struct endpoint *endpoint,
			 const struct http_response *response,
			 const char *field, struct error *err)
{
	/* Empty fields are included. */
	const struct answer_form form = { { field } };

	if (response->status != 200 || body_is_html(response)) {
		answer_fail(SUBJECT, endpoint, response, err);
		return false;
	}
	return answer_has_form(response, &form) ||
	       error_set(err, ERROR_FORMAT,
			 SUBJECT ": answers 200, but with no \"%s\": is "
				 "there a Parca at this address? (%s-url)",
			 field, side_prefix(endpoint));
}

/* Reads the JSON object of an answer: calls read for the value of the field.
 * Returns false with err for any other answer. */
static bool parca_read(const struct endpoint *endpoint,
		       const struct http_response *response, const char *field,
		       void (*read)(struct json_reader *r, void *into),
		       void *into, struct error *err)
{
	return check_object(endpoint, response, field, err) &&
	       answer_read_field(response, str_from(field), read, into, SUBJECT,
				 err);
}

/* ---- facts ---- */

struct facts_reader {
	struct arena *arena;
	struct parca_facts *facts;
	size_t cap;
	size_t label; /* best label so far, an index of service_labels */
	bool is_failed;
};

static const char *const type_keys[] = { "name", "sampleType", "sampleUnit",
					 "periodType", "periodUnit" };

#define TYPE_PARTS (sizeof type_keys / sizeof *type_keys)

static bool facts_add(struct facts_reader *f, const struct str *parts,
		      bool is_delta)
{
	void *types = f->facts->types;
	struct parca_type *type;
	struct str wanted;

	if (f->facts->type_count >= LIMIT_SAMPLE_TYPES)
		return true;
	if (!arena_reserve(f->arena, &types, &f->cap, f->facts->type_count + 1,
			   sizeof *f->facts->types))
		return false;
	f->facts->types = types;
	type = &f->facts->types[f->facts->type_count];
	type->is_delta = is_delta;
	type->id = arena_printf(f->arena, "%.*s:%.*s:%.*s:%.*s:%.*s",
				STR_ARGS(parts[0]), STR_ARGS(parts[1]),
				STR_ARGS(parts[2]), STR_ARGS(parts[3]),
				STR_ARGS(parts[4]));
	wanted = arena_printf(f->arena, "%.*s%s", STR_ARGS(type->id),
			      is_delta ? ":delta" : "");
	type->wanted = wanted.ptr;
	if (!type->id.ptr || !wanted.ptr)
		return false;
	f->facts->type_count++;
	return true;
}

static bool read_part(struct json_reader *r, struct facts_reader *f,
		      struct str key, struct str *parts)
{
	struct str text;

	for (size_t i = 0; i < TYPE_PARTS; i++) {
		if (!str_equal(key, str_from(type_keys[i])))
			continue;
		if (json_text(r, &text)) {
			parts[i] = arena_str(f->arena, text);
			f->is_failed |= !parts[i].ptr;
		}
		return true;
	}
	return false;
}

/* {"name":"process_cpu","sampleType":"cpu",..,"delta":true}, in any order. */
static void read_type(struct json_reader *r, struct facts_reader *f)
{
	struct str parts[TYPE_PARTS] = { { NULL, 0 } };
	bool is_delta = false;
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (read_part(r, f, key, parts))
			continue;
		if (!str_equal(key, STR("delta")))
			json_skip(r);
		else if (!json_bool(r, &is_delta))
			return;
	}
	f->is_failed |= !facts_add(f, parts, is_delta);
}

static void read_types(struct json_reader *r, void *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_type(r, into);
}

static void read_label_names(struct json_reader *r, void *into)
{
	struct facts_reader *f = into;
	struct str text;

	if (!json_enter(r, JSON_ARRAY))
		return;
	while (json_next_item(r)) {
		if (!json_text(r, &text))
			return;
		for (size_t i = 0; i < f->label; i++)
			if (str_equal(text, str_from(service_labels[i])))
				f->label = i;
	}
}

/* Parca's agent sends the number of samples per stack. The server converts it
 * to time on request, samples times their period: that is the CPU time of other
 * senders. Periods are omitted, like by some of those, so that both can
 * coexist. */
static void name_agent_cpu(struct parca_facts *facts)
{
	static const char *const agents[] = {
		"parca_agent:samples:count:cpu:nanoseconds",
		"parca_agent_cpu:samples:count:cpu:nanoseconds",
		"otel_profiling_agent_on_cpu:samples:count:cpu:nanoseconds",
	};

	for (size_t a = 0; a < sizeof agents / sizeof *agents; a++) {
		for (size_t i = 0; i < facts->type_count; i++) {
			struct parca_type *type = &facts->types[i];

			if (!type->is_delta ||
			    !str_equal(type->id, str_from(agents[a])))
				continue;
			facts->agent_cpu = agents[a];
			type->id = STR(PARCA_AGENT_CPU);
			return;
		}
	}
}

static int type_compare(const void *a, const void *b)
{
	const struct parca_type *x = a, *y = b;
	int order = str_compare(x->id, y->id);

	return order ? order : (int)y->is_delta - (int)x->is_delta;
}

bool parca_facts_answer(const struct endpoint *endpoint, enum parca_fact fact,
			const struct http_response *response,
			struct arena *arena, struct parca_facts *facts,
			struct error *err)
{
	const size_t none = sizeof service_labels / sizeof *service_labels;
	struct facts_reader f = { .arena = arena,
				  .facts = facts,
				  .label = none };

	if (fact == PARCA_TYPES) {
		facts->type_count = 0;
		facts->agent_cpu = NULL;
		if (!parca_read(endpoint, response, "types", read_types,
				&f, err))
			return false;
		if (f.is_failed)
			return arena_fail(arena, "the server's types", err);
		name_agent_cpu(facts);
		if (facts->type_count)
			qsort(facts->types, facts->type_count,
			      sizeof *facts->types, type_compare);
		return true;
	}
	if (!parca_read(endpoint, response, "labelNames", read_label_names,
			&f, err))
		return false;
	facts->has_service_label = f.label < none;
	facts->service_label = service_labels[f.label < none ? f.label : 0];
	return true;
}

/* ---- names ---- */

static bool parca_services_answer(const struct backends *b,
				  const struct http_response *response,
				  struct name_list *names, struct error *err)
{
	struct name_gatherer g;

	name_gatherer_init(&g, b->arena, names);
	return parca_read(&b->profiles.endpoint, response, "labelValues",
			  name_gatherer_read, &g, err) &&
	       name_gatherer_finish(&g, err);
}

/* ---- series ---- */

struct rows_reader {
	const struct side *side;
	const char *const *labels;
	struct str type;
	struct arena *arena;
	struct series_list *list;
	size_t cap;
	bool is_failed;
};

static struct str *row_new(struct rows_reader *s)
{
	struct series_list *list = s->list;
	size_t used = list->count * list->label_count;
	void *values = list->values;
	struct str *row;

	if (!list->label_count) { /* only their number is wanted */
		list->count++;
		return NULL;
	}
	if (list->count >= LIMIT_SERIES ||
	    !arena_reserve(s->arena, &values, &s->cap, used + list->label_count,
			   sizeof *row)) {
		s->is_failed |= list->count < LIMIT_SERIES;
		return NULL;
	}
	list->values = values;
	row = list->values + used;
	for (size_t i = 0; i < list->label_count; i++)
		row[i] = strcmp(s->labels[i], "__profile_type__")
				 ? (struct str){ NULL, 0 }
				 : s->type;
	list->count++;
	return row;
}

/* {"name":"job","value":"cart"} */
static void read_row_label(struct json_reader *r, struct rows_reader *s,
			   struct str *row)
{
	const size_t count = s->list->label_count;
	struct str key, text, value = { NULL, 0 };
	size_t label = count;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("name"))) {
			if (!json_text(r, &text))
				continue;
			/* "service_name" means the label used here. */
			label = 0;
			while (label < count &&
			       !str_equal(text, str_from(parca_label(
							s->side,
							s->labels[label]))))
				label++;
		} else if (str_equal(key, STR("value"))) {
			if (json_text(r, &text)) {
				value = arena_str(s->arena, text);
				s->is_failed |= !value.ptr;
			}
		} else {
			json_skip(r);
		}
	}
	if (label < count)
		row[label] = value;
}

/* {"labels":[..]} */
static void read_labelset(struct json_reader *r, struct rows_reader *s,
			  struct str *row)
{
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (!row || !str_equal(key, STR("labels")))
			json_skip(r);
		else if (json_enter_if(r, JSON_ARRAY))
			while (json_next_item(r))
				read_row_label(r, s, row);
	}
}

/* [{"labelset":{"labels":[..]},"samples":[..]}] */
static void read_rows(struct json_reader *r, void *into)
{
	struct rows_reader *s = into;
	struct str key;

	if (!json_enter(r, JSON_ARRAY))
		return;
	while (json_next_item(r)) {
		struct str *row = row_new(s);

		if (!json_enter(r, JSON_OBJECT))
			return;
		while (json_next_key(r, &key)) {
			if (str_equal(key, STR("labelset")))
				read_labelset(r, s, row);
			else
				json_skip(r);
		}
	}
}

/* Releases answer 404 for a range without samples, or their web page instead if
 * they include it. */
static bool parca_is_empty_range(const struct http_response *response)
{
	/* Its own page, or that of a build without one. */
	if (body_is_html(response))
		return response->status == 200 &&
		       (body_contains(response, STR("Parca")) ||
			str_equal(str_trim(buf_str(&response->body)),
				  STR("<html></html>")));
	return response->status == 404 && answer_lacks_own_route(response);
}

bool parca_type_answer(const struct backends *b, size_t type,
		       const struct series_query *query,
		       const struct http_response *response,
		       struct series_list *series, struct error *err)
{
	const struct side *side = &b->profiles;
	struct rows_reader s = { .side = side,
				 .labels = query->labels,
				 .type = parca_facts_of(side)->types[type].id,
				 .arena = b->arena,
				 .list = series };

	*series = (struct series_list){ .label_count = query->label_count };
	if (parca_is_empty_range(response))
		return true;
	if (!parca_read(&side->endpoint, response, "series", read_rows, &s,
			err))
		return false;
	return !s.is_failed || arena_fail(b->arena, "the server's series", err);
}

/* ---- snapshots ---- */

/* {"samples":[..]} */
static void count_samples(struct json_reader *r, struct str key, void *into)
{
	int64_t *count = into;

	if (!str_equal(key, STR("samples"))) {
		json_skip(r);
		return;
	}
	if (!json_enter_if(r, JSON_ARRAY))
		return;
	while (json_next_item(r)) {
		json_skip(r);
		*count = sat_add_i64(*count, 1);
	}
}

static void read_sample_count(struct json_reader *r, void *into)
{
	json_each_object(r, count_samples, into);
}

static enum answer parca_snapshots_answer(const struct side *side,
					  const struct http_response *response,
					  int64_t *count, struct error *err)
{
	*count = 0;
	if (!parca_is_empty_range(response) &&
	    !parca_read(&side->endpoint, response, "series",
			read_sample_count, count, err))
		return ANSWER_ERROR;
	if (*count > 0)
		return ANSWER_OK;
	error_set(err, ERROR_NOT_FOUND,
		  SUBJECT ": no snapshots in this window");
	return ANSWER_MISS;
}

/* ---- profiles ---- */

static enum answer parca_profile_answer(struct side *side,
					const struct profile_query *query,
					unsigned attempt,
					const struct http_response *response,
					struct profile_form *form,
					struct error *err)
{
	(void)query;
	(void)attempt;
	*form = (struct profile_form){ .format = FORMAT_PPROF };
	if (parca_is_empty_range(response)) {
		error_set(err, ERROR_NOT_FOUND,
			  SUBJECT ": no samples in this window");
		return ANSWER_MISS;
	}
	return check_object(&side->endpoint, response, "pprof", err)
		       ? ANSWER_OK
		       : ANSWER_ERROR;
}

static void read_pprof(struct json_reader *r, void *into)
{
	if (!json_string_long(r, into))
		json_fail(r, "the profile is no text");
}

/* {"pprof":"BASE64"}, of a file that may be packed. */
static bool profile_unwrap(const struct buf *base64, struct buf *plain,
			   struct error *err)
{
	size_t size = base64->len / 4 * 3 + 3, len;
	struct buf packed;
	char *room = NULL;
	bool done;

	buf_init(&packed, LIMIT_BODY_PLAIN_BYTES);
	done = buf_check(base64, "the profile", err);
	if (done) {
		room = buf_reserve(&packed, size);
		done = buf_check(&packed, "the profile", err);
	}
	if (done)
		done = base64_decode(buf_str(base64), (unsigned char *)room,
				     size, &len) ||
		       error_set(err, ERROR_FORMAT, "damaged base64");
	if (done)
		buf_commit(&packed, len);
	if (done && packing_of(buf_str(&packed)) != PACKING_NONE)
		done = gz_inflate(buf_str(&packed), "the profile", plain, err);
	else if (done)
		buf_add_str(plain, buf_str(&packed));
	buf_release(&packed);
	return done || error_prefix(err, SUBJECT);
}

static bool parca_profile_unwrap(const struct side *side,
				 const struct http_response *response,
				 struct buf *plain, struct error *err)
{
	struct buf base64;
	bool done;

	buf_init(&base64, LIMIT_BODY_PLAIN_BYTES);
	done = parca_read(&side->endpoint, response, "pprof", read_pprof,
			  &base64, err) &&
	       profile_unwrap(&base64, plain, err);
	buf_release(&base64);
	return done;
}

/* Parca's steps begin at multiples of their length, ours end with the window:
 * shorter ones are requested, and each is added to the step that contains its
 * middle. */
#define STEPS_IN_ONE 12

int64_t parca_totals_step_s(const struct totals_query *query)
{
	int64_t step_s = query->step_ms / 1000 / STEPS_IN_ONE;

	return step_s > 1 ? step_s : 1;
}

struct reader {
	const struct side *side;
	int64_t step_ms; /* Parca's */
	struct total_gatherer into;
};

/* {"name":"job","value":"cart"}: types that are not a delta return all labels,
 * whichever were requested. */
static void read_label(struct json_reader *json, struct reader *r,
		       struct total *into)
{
	const struct totals_query *q = r->into.query;
	const char *label = parca_label(r->side, q->label);
	const char *beside = q->beside ? parca_label(r->side, q->beside) : NULL;
	struct str key, text, value = STR("");
	bool is_label = false, is_beside = false;

	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (str_equal(key, STR("name"))) {
			if (!json_text(json, &text))
				return;
			is_label = str_equal(text, str_from(label));
			is_beside = beside && str_equal(text, str_from(beside));
		} else if (str_equal(key, STR("value"))) {
			if (json_text(json, &text)) {
				value = arena_str(r->into.arena, text);
				r->into.is_failed |= !value.ptr;
			}
		} else {
			json_skip(json);
		}
	}
	if (is_label)
		into->name = value;
	else if (is_beside)
		into->beside = value;
}

/* {"labels":[..]} */
static void read_total_labels(struct json_reader *json, struct reader *r,
			      struct total *into)
{
	struct str key;

	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (!str_equal(key, STR("labels"))) {
			json_skip(json);
			continue;
		}
		if (!json_enter(json, JSON_ARRAY))
			return;
		while (json_next_item(json))
			read_label(json, r, into);
	}
}

/* Steps at the edges extend beyond the window, their samples do not. */
static void keep_sample(const struct reader *r, int64_t start_ns, double value,
			struct total *into)
{
	const struct totals_query *q = r->into.query;
	int64_t count = (int64_t)q->step_count, after_ms, step;

	if (!(value > 0) ||
	    !sub_i64(start_ns / NS_PER_MS, q->from_ms, &after_ms) ||
	    after_ms < -r->step_ms || after_ms > count * q->step_ms)
		return;
	step = (after_ms + r->step_ms / 2) / q->step_ms;
	step = step < 0 ? 0 : step >= count ? count - 1 : step;
	into->values[step] += value;
}

/* {"timestamp":"2026-11-21T16:00:00Z","value":"34800000000","duration":"0",
 * "count":2}: for snapshots, which have no duration, a step has the value of
 * the first, used here for all of them. */
static void read_sample(struct json_reader *json, const struct reader *r,
			struct total *into)
{
	int64_t start_ns = INT64_MIN, value = 0, duration_ns = -1, count = 1;
	struct str key, text;

	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (str_equal(key, STR("timestamp"))) {
			if (!json_text(json, &text))
				return;
			if (!parse_rfc3339(text, &start_ns))
				start_ns = INT64_MIN;
		} else if (str_equal(key, STR("value"))) {
			if (!json_i64(json, &value))
				return;
		} else if (str_equal(key, STR("duration"))) {
			if (!json_i64(json, &duration_ns))
				return;
		} else if (str_equal(key, STR("count"))) {
			if (!json_i64(json, &count))
				return;
		} else {
			json_skip(json);
		}
	}
	if (!duration_ns && count > 1)
		keep_sample(r, start_ns, (double)value * (double)count, into);
	else
		keep_sample(r, start_ns, (double)value, into);
}

static void read_one(struct json_reader *json, struct reader *r)
{
	struct total *into = total_gatherer_add(&r->into);
	struct str key;

	if (!into) {
		json_skip(json);
		return;
	}
	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (str_equal(key, STR("labelset"))) {
			read_total_labels(json, r, into);
		} else if (str_equal(key, STR("samples"))) {
			if (!json_enter(json, JSON_ARRAY))
				return;
			while (json_next_item(json))
				read_sample(json, r, into);
		} else {
			json_skip(json);
		}
	}
}

/* [{"labelset":{..},"samples":[..]}] */
static void read_all(struct json_reader *json, void *into)
{
	if (json_enter(json, JSON_ARRAY))
		while (json_next_item(json))
			read_one(json, into);
}

static bool parca_totals_answer(const struct backends *b,
				const struct totals_query *query,
				const struct http_response *response,
				struct totals *totals, struct error *err)
{
	struct reader r = { .side = &b->profiles,
			    .step_ms = 1000 * parca_totals_step_s(query) };

	total_gatherer_init(&r.into, query, b->arena, totals);
	if (parca_is_empty_range(response))
		return true;
	return parca_read(&b->profiles.endpoint, response, "series",
			  read_all, &r, err) &&
	       total_gatherer_finish(&r.into, err);
}

static const struct parca_facts *facts_of(const struct checkup *c)
{
	return parca_facts_of(&c->backends->profiles);
}

static void check_label(struct checkup *c)
{
	const struct parca_facts *facts = facts_of(c);

	if (facts->has_service_label) {
		check_ok(c->checks, "profiles", "label",
			 "services are identified by the label \"%s\"",
			 facts->service_label);
		return;
	}
	check_warn(c->checks, "profiles", "label",
		   "no known label identifies services: neither service_name "
		   "nor job or app");
	check_fix(c->checks, "external labels of parca-agent, or "
			     "relabel_configs in Parca's scrape_configs, that "
			     "set service_name");
}

/* ---- types ---- */

static struct str family_of(struct str id)
{
	return str_slice(id, 0, str_find(id, STR(":")));
}

static void add_group(struct checkup *c, enum type_group group,
		      const char *head, const struct name_list *ids,
		      struct buf *out)
{
	const struct parca_facts *facts = facts_of(c);
	struct buf names;

	buf_init(&names, LIMIT_CHECK_BYTES);
	for (size_t i = 0; i < facts->type_count; i++) {
		struct str id = ids->items[i], family = family_of(id);
		struct str word = profile_type_word(id, ids);
		bool has_word = word.len > 0, is_named = has_word;

		/* Ids without a word for --type are named if their whole family
		 * has none. */
		for (size_t k = 0; !has_word && k < ids->count; k++)
			has_word =
				str_equal(family_of(ids->items[k]), family) &&
				profile_type_word(ids->items[k], ids).len;
		if (!is_named)
			word = id;
		if (type_group(&facts->types[i]) == group &&
		    (is_named || !has_word))
			buf_addf(&names, " %.*s", STR_ARGS(word));
	}
	if (names.len)
		buf_addf(out, "%s%s%s", out->len ? "; " : "", head,
			 buf_text(&names));
	buf_release(&names);
}

/* Only deltas and gauges can be compared between two windows. */
static bool check_types(struct checkup *c, struct error *err)
{
	const struct parca_facts *facts = facts_of(c);
	struct name_list ids = { .count = facts->type_count };
	bool has_cpu_delta = false;
	struct buf text;

	ids.items = arena_array(c->checks->arena, ids.count + 1,
				sizeof *ids.items);
	if (!ids.items)
		return arena_fail(c->checks->arena, "the types", err);
	for (size_t i = 0; i < ids.count; i++) {
		ids.items[i] = facts->types[i].id;
		has_cpu_delta |=
			facts->types[i].is_delta &&
			str_find(ids.items[i], STR(":cpu:nanoseconds")) !=
				SIZE_MAX;
	}
	buf_init(&text, LIMIT_CHECK_BYTES);
	add_group(c, DELTAS, "over intervals:", &ids, &text);
	add_group(c, GAUGES, "snapshots:", &ids, &text);
	add_group(c, TOTALS,
		  "totals since each process began, not compared:", &ids,
		  &text);
	if (has_cpu_delta) {
		check_ok(c->checks, "profiles", "types", "%s", buf_text(&text));
	} else {
		check_warn(c->checks, "profiles", "types",
			   "no CPU profiles over intervals (delta): %s", buf_text(&text));
		check_fix(c->checks,
			  "in Parca's scrape_configs: profiling_config: "
			  "pprof_config: process_cpu: with enabled and delta "
			  "true");
	}
	buf_release(&text);
	return true;
}

/* ---- data ---- */

/* Sets the profile server to a Parca with the facts from its answers to
 * PARCA_TYPES and PARCA_LABELS, in this order; returns false if they are not
 * from a Parca. */
static bool parca_adopt(struct backends *b,
			const struct http_response *responses,
			struct error *err)
{
	struct parca_facts *facts = arena_alloc(b->arena, sizeof *facts);

	if (!facts)
		return arena_fail(b->arena, "the server's types", err);
	if (responses[PARCA_TYPES].status == 200 &&
	    !parca_is(&responses[PARCA_TYPES]))
		return error_set(err, ERROR_FORMAT,
				 "%s answers, but not as Parca does: is the "
				 "address, with its path prefix, right? "
				 "(--profiles-url)",
				 b->profiles.endpoint.url);
	for (int i = 0; i < PARCA_FACTS; i++)
		if (!parca_facts_answer(&b->profiles.endpoint,
					(enum parca_fact)i, &responses[i],
					b->arena, facts, err))
			return false;
	profiles_settle(&b->profiles, &profile_parca, facts);
	return true;
}

static bool checkup_judge(struct checkup *c,
			  const struct http_response *answers,
			  struct error *err)
{
	(void)answers;
	if (!facts_of(c)->type_count) {
		check_fail(c->checks, ERROR_NOT_FOUND, "profiles", "data",
			   "the server has no profiles");
		check_fix(c->checks,
			  "scrape_configs in its parca.yaml, or parca-agent "
			  "with --remote-store-address of it");
		return true;
	}
	check_label(c);
	return check_types(c, err) && checkup_find_recent(c, err);
}

static bool checkup_request(const struct backends *b, size_t ask,
			    struct http_request *request, struct error *err)
{
	if (!parca_facts_request(&b->profiles.endpoint, (enum parca_fact)ask,
				 request, err))
		return false;
	request->is_probe = true;
	return true;
}

const struct profile_checkup checkup_parca = {
	.title = "Parca",
	.ask_count = PARCA_FACTS,
	.request = checkup_request,
	.is_proof = parca_is,
	.learn = parca_adopt,
	.judge = checkup_judge,
	.add_fix = "have Parca scrape it, or run parca-agent beside it",
	.logs_fix = "look at the logs of the SDKs or of Alloy; ",
	.elsewhere_fix = "another tenant: --profiles-tenant-id NAME",
	.nowhere_fix = "another server: --profiles-url URL",
};

struct type_job {
	struct job job; /* for jobs_run() */
	const struct series_query *query;
	size_t type;
	struct series_list *list;
};

static bool type_request(struct job *job, struct backends *b,
			 struct http_request *request, struct error *err)
{
	const struct type_job *t = (const struct type_job *)job;

	return parca_type_request(&b->profiles, t->type, t->query, request,
				  err);
}

static bool type_answer(struct job *job, struct backends *b,
			const struct http_response *response)
{
	struct type_job *t = (struct type_job *)job;

	job->has_answer = parca_type_answer(b, t->type, t->query, response,
					    t->list, &job->err);
	return true;
}

static const struct job_type type_job = { .request = type_request,
					  .answer = type_answer,
					  .about = ABOUT_SERIES };

/* *lists: one per type, in b->arena; that of the first type is read from the
 * response, the others are queried, or left empty if they are totals and these
 * are not wanted. Returns false if any failed. */
static bool all_types(struct backends *b, const struct series_query *query,
		      const struct http_response *first, bool wants_totals,
		      struct series_list **lists, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(&b->profiles);
	size_t count = facts->type_count, job_count = 0;
	struct type_job types[LIMIT_SAMPLE_TYPES];
	struct job *jobs[LIMIT_SAMPLE_TYPES];

	*lists = arena_array(b->arena, count ? count : 1, sizeof **lists);
	if (!*lists)
		return arena_fail(b->arena, "the server's series", err);
	for (size_t i = 1; i < count && i < LIMIT_SAMPLE_TYPES; i++) {
		if (type_group(&facts->types[i]) == TOTALS && !wants_totals)
			continue;
		types[job_count] =
			(struct type_job){ .job = { .type = &type_job },
					   .query = query,
					   .type = i,
					   .list = &(*lists)[i] };
		jobs[job_count] = &types[job_count].job;
		job_count++;
	}
	if (!parca_type_answer(b, 0, query, first, &(*lists)[0], err) ||
	    (job_count && !jobs_run(b, jobs, job_count, err)))
		return false;
	for (size_t i = 0; i < job_count; i++)
		if (!types[i].job.has_answer) {
			*err = types[i].job.err;
			return false;
		}
	return true;
}

/* Parca lists series of one type at a time: the first one is queried, and all
 * others concurrently after its answer. */
static bool parca_types_request(const struct side *side,
				const struct series_query *query,
				struct http_request *request, struct error *err)
{
	if (!parca_facts_of(side)->type_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "parca: the server holds no profiles");
	return parca_type_request(side, 0, query, request, err);
}

/* Returns the types for which the selection has samples. */
static bool parca_types_answer(struct backends *b,
			       const struct series_query *query,
			       const struct http_response *response,
			       struct name_list *types, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(&b->profiles);
	struct series_list *lists;

	if (!all_types(b, query, response, true, &lists, err))
		return false;
	*types = (struct name_list){ arena_array(b->arena, facts->type_count,
						 sizeof *types->items) };
	if (!types->items)
		return arena_fail(b->arena, "the types", err);
	for (size_t i = 0; i < facts->type_count; i++)
		if (lists[i].count)
			types->items[types->count++] = facts->types[i].id;
	return true;
}

static bool parca_counts_totals(const struct side *side, struct str type_id)
{
	const struct parca_type *type =
		parca_type_find(parca_facts_of(side), type_id);

	return type && type_group(type) == TOTALS;
}

/* Totals grow with the age of a process: they are always larger than in an
 * earlier baseline. So they are no evidence, unless requested by their full
 * id. */
static bool parca_series_answer(struct backends *b,
				const struct series_query *query,
				const struct http_response *response,
				struct series_list *series, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(&b->profiles);
	struct series_list *lists;
	bool done = all_types(b, query, response, false, &lists, err);

	*series = (struct series_list){ .label_count = query->label_count };
	for (size_t i = 0; done && i < facts->type_count; i++)
		if (type_group(&facts->types[i]) != TOTALS)
			done = series_list_add(series, b->arena, &lists[i],
					       err);
	return done;
}

static bool ask_facts(struct backends *b, struct http_response *responses,
		      struct error *err)
{
	struct http_request requests[PARCA_FACTS] = { 0 };
	bool done = true;

	for (int i = 0; done && i < PARCA_FACTS; i++)
		done = parca_facts_request(&b->profiles.endpoint,
					   (enum parca_fact)i, &requests[i],
					   err);
	done = done && backends_send(b, requests, responses, PARCA_FACTS, err);
	for (int i = 0; i < PARCA_FACTS; i++)
		http_request_release(&requests[i]);
	return done;
}

/* Parcas with a web UI return its start page at any address; routers answer 405
 * if the page exists for another method. */
static bool is_likely(const struct http_response *response)
{
	return response->status == 404 || response->status == 405 ||
	       (response->status == 200 && body_is_html(response));
}

static bool backend_learn(struct backends *b, struct error *err)
{
	struct http_response responses[PARCA_FACTS] = { 0 };
	const struct parca_facts *facts;
	bool done;

	if (backends_profiles(b) == &profile_parca &&
	    parca_facts_of(&b->profiles))
		return true;
	done = ask_facts(b, responses, err) && parca_adopt(b, responses, err);
	for (int i = 0; i < PARCA_FACTS; i++)
		http_response_release(&responses[i]);
	if (!done)
		return false;
	facts = parca_facts_of(&b->profiles);
	if (facts->agent_cpu)
		notes_add(b->notes,
			  "Parca: CPU time is %s, counted samples that the "
			  "server turns into time",
			  facts->agent_cpu);
	if (str_equal(str_from(facts->service_label), STR("service_name")))
		return true;
	notes_add(b->notes,
		  "Parca: services are identified by the label \"%s\" instead "
		  "of service_name",
		  facts->service_label);
	return true;
}

const struct profile_backend profile_parca = {
	.name = "parca",
	.title = "Parca",
	.checkup = &checkup_parca,
	.learn = backend_learn,
	.is_likely = is_likely,
	.asks_on = true,
	.services_request = parca_services_request,
	.services_answer = parca_services_answer,
	.types_request = parca_types_request,
	.types_answer = parca_types_answer,
	.series_request = parca_types_request,
	.series_answer = parca_series_answer,
	.profile_attempts = parca_profile_attempts,
	.names_attempt = parca_names_attempt,
	.profile_request = parca_profile_request,
	.profile_answer = parca_profile_answer,
	.profile_unwrap = parca_profile_unwrap,
	.counts_totals = parca_counts_totals,
	.snapshots_attempts = 1,
	.snapshots_request = parca_snapshots_request,
	.snapshots_answer = parca_snapshots_answer,
	.totals_request = parca_totals_request,
	.totals_answer = parca_totals_answer,
};
