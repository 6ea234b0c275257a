/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/parca/parca_calls.h"

#include <stdlib.h>
#include <string.h>

#include "backend/answer.h"
#include "backend/backends.h"
#include "backend/gather.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/num.h"
#include "wire/http_error.h"

#define SUBJECT "parca"

/* What people and agents call a service, the most particular first. */
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
			 struct error *err)
{
	if (response->status != 200 || body_is_html(response)) {
		answer_fail(SUBJECT, endpoint, response, err);
		return false;
	}
	return body_first(response) == '{' ||
	       error_set(err, ERROR_FORMAT,
			 SUBJECT ": answers 200, but with no JSON object: is "
				 "there a Parca at this address? (%s-url)",
			 side_prefix(endpoint));
}

bool parca_read(const struct endpoint *endpoint,
		const struct http_response *response, struct str field,
		void (*read)(struct json_reader *r, void *into), void *into,
		struct error *err)
{
	return check_object(endpoint, response, err) &&
	       answer_read_field(response, field, read, into, SUBJECT, err);
}

/* ---- facts ---- */

struct facts_reader {
	struct arena *arena;
	struct parca_facts *facts;
	size_t cap;
	size_t label; /* the best so far, an index of service_labels */
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

/* The agent of Parca sends how often it saw a stack. Asked for that, the server
 * answers with time, samples times their period: it is the CPU time that others
 * send. Period parts are left out, as by some of those, so that both can be
 * there. */
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

static int compare_types(const void *a, const void *b)
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
		if (!parca_read(endpoint, response, STR("types"), read_types,
				&f, err))
			return false;
		if (f.is_failed)
			return arena_fail(arena, "the server's types", err);
		name_agent_cpu(facts);
		if (facts->type_count)
			qsort(facts->types, facts->type_count,
			      sizeof *facts->types, compare_types);
		return true;
	}
	if (!parca_read(endpoint, response, STR("labelNames"), read_label_names,
			&f, err))
		return false;
	facts->has_service_label = f.label < none;
	facts->service_label = service_labels[f.label < none ? f.label : 0];
	return true;
}

/* ---- names ---- */

bool parca_services_answer(const struct backends *b,
			   const struct http_response *response,
			   struct name_list *names, struct error *err)
{
	struct name_gatherer g;

	name_gatherer_init(&g, b->arena, names);
	return parca_read(&b->profiles.endpoint, response, STR("labelValues"),
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

/* "service_name" among the labels stands for the one used here. */
static size_t row_label(const struct rows_reader *s, struct str name)
{
	size_t i;

	for (i = 0; i < s->list->label_count; i++)
		if (str_equal(name,
			      str_from(parca_label(s->side, s->labels[i]))))
			break;
	return i;
}

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
	size_t label = s->list->label_count;
	struct str key, text, value = { NULL, 0 };

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("name"))) {
			if (json_text(r, &text))
				label = row_label(s, text);
		} else if (str_equal(key, STR("value"))) {
			if (json_text(r, &text)) {
				value = arena_str(s->arena, text);
				s->is_failed |= !value.ptr;
			}
		} else {
			json_skip(r);
		}
	}
	if (label < s->list->label_count)
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

bool parca_is_empty_range(const struct http_response *response)
{
	return response->status == (body_is_html(response) ? 200 : 404);
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
	if (!parca_read(&side->endpoint, response, STR("series"), read_rows, &s,
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

enum answer parca_snapshots_answer(const struct side *side,
				   const struct http_response *response,
				   int64_t *count, struct error *err)
{
	*count = 0;
	if (!parca_is_empty_range(response) &&
	    !parca_read(&side->endpoint, response, STR("series"),
			read_sample_count, count, err))
		return ANSWER_ERROR;
	if (*count > 0)
		return ANSWER_OK;
	error_set(err, ERROR_NOT_FOUND,
		  SUBJECT ": no snapshots in this window");
	return ANSWER_MISS;
}

/* ---- profiles ---- */

enum answer parca_profile_answer(struct side *side,
				 const struct profile_query *query,
				 unsigned attempt,
				 const struct http_response *response,
				 struct profile_form *form, struct error *err)
{
	(void)query;
	(void)attempt;
	*form = (struct profile_form){ .format = FORMAT_PPROF };
	if (parca_is_empty_range(response)) {
		error_set(err, ERROR_NOT_FOUND,
			  SUBJECT ": no samples in this window");
		return ANSWER_MISS;
	}
	return check_object(&side->endpoint, response, err) ? ANSWER_OK
							    : ANSWER_ERROR;
}

static void read_pprof(struct json_reader *r, void *into)
{
	if (!json_string_long(r, into))
		json_fail(r, "the profile is no text");
}

static bool decode_base64(const struct buf *base64, struct buf *out,
			  struct error *err)
{
	size_t size = base64->len / 4 * 3 + 3, len;
	char *room = buf_reserve(out, size);

	if (!room)
		return buf_check(out, "the profile", err);
	if (!base64_decode(buf_str(base64), (unsigned char *)room, size, &len))
		return error_set(err, ERROR_FORMAT, "damaged base64");
	buf_commit(out, len);
	return true;
}

/* {"pprof":"BASE64"}, of a gzip file. */
static bool unwrap(const struct buf *base64, struct buf *plain,
		   struct error *err)
{
	struct buf packed;
	bool done;

	buf_init(&packed, LIMIT_BODY_PLAIN_BYTES);
	done = buf_check(base64, "the profile", err) &&
	       decode_base64(base64, &packed, err);
	if (done && gz_is(buf_str(&packed)))
		done = gz_inflate(buf_str(&packed), "the profile", plain, err);
	else if (done)
		buf_add_str(plain, buf_str(&packed));
	buf_release(&packed);
	return done || error_prefix(err, SUBJECT);
}

bool parca_profile_unwrap(const struct side *side,
			  const struct http_response *response,
			  struct buf *plain, struct error *err)
{
	struct buf base64;
	bool done;

	buf_init(&base64, LIMIT_BODY_PLAIN_BYTES);
	done = parca_read(&side->endpoint, response, STR("pprof"), read_pprof,
			  &base64, err) &&
	       unwrap(&base64, plain, err);
	buf_release(&base64);
	return done;
}
