/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/grafana.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/num.h"

#define KEY_BYTES 64
#define TAGS "datasources.jsonData.tracesToProfiles.tags"

/* An open mapping or sequence. */
struct level {
	bool is_mapping;
	bool has_key; /* the value of `key` comes next */
	char key[KEY_BYTES];
};

struct reading {
	struct grafana *grafana;
	struct arena *arena;
	const char *path;
	struct level levels[LIMIT_YAML_DEPTH];
	size_t depth;
	/* Number of each header of the source being read. */
	struct grafana_source *source;
	struct error *err;
};

static bool yaml_fail(struct reading *r, const yaml_mark_t *mark,
		      const char *what)
{
	return error_set(r->err, ERROR_FORMAT, "%s:%zu: %s", r->path,
			 mark->line + 1, what);
}

/* ---- position in the document ---- */

/* Writes the keys of open mappings, separated by dots, without sequences. */
static void path_of(const struct reading *r, char out[256])
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < r->depth && len < 256; i++)
		if (r->levels[i].is_mapping)
			len += (size_t)snprintf(out + len, 256 - len, "%s%s",
						len ? "." : "",
						r->levels[i].key);
}

static bool is_true(struct str value)
{
	return str_equal_nocase(value, STR("true")) ||
	       str_equal_nocase(value, STR("yes")) ||
	       str_equal_nocase(value, STR("on"));
}

static bool value_keep(struct reading *r, const char **to, struct str value)
{
	struct str copy = arena_str(r->arena, value);

	*to = copy.ptr;
	return copy.ptr || arena_fail(r->arena, r->path, r->err);
}

/* ---- fields ---- */

/* Returns the header for httpHeaderName1 or httpHeaderValue1, which share the
 * number; NULL for other keys. */
static struct grafana_header *header_of(struct reading *r, struct str key,
					struct str prefix)
{
	uint64_t number;

	if (!str_starts(key, prefix) ||
	    !parse_u64(str_slice(key, prefix.len, key.len), &number) ||
	    number < 1 || number > LIMIT_GRAFANA_HEADERS)
		return NULL;
	return &r->source->headers[number - 1];
}

static bool take_setting(struct reading *r, struct str key, struct str value)
{
	struct grafana_source *s = r->source;
	struct grafana_header *h = header_of(r, key, STR("httpHeaderName"));

	if (h)
		return value_keep(r, &h->name, value);
	if (str_equal(key, STR("tracesToProfiles.datasourceUid")))
		return value_keep(r, &s->profiles_uid, value);
	if (str_equal(key, STR("tracesToProfiles.profileTypeId")))
		return value_keep(r, &s->profile_type, value);
	if (str_equal(key, STR("tlsSkipVerify")))
		s->is_insecure = is_true(value);
	else if (str_equal(key, STR("tlsAuthWithCACert")))
		s->has_cacert = is_true(value);
	else if (str_equal(key, STR("tlsAuth")))
		s->has_cert = is_true(value);
	return true;
}

static bool take_field(struct reading *r, struct str key, struct str value)
{
	static const char *const pyroscopes[] = {
		"grafana-pyroscope-datasource", "phlare"
	};
	struct grafana_source *s = r->source;

	if (str_equal(key, STR("name")))
		return value_keep(r, &s->name, value);
	if (str_equal(key, STR("uid")))
		return value_keep(r, &s->uid, value);
	if (str_equal(key, STR("url")))
		return value_keep(r, &s->url, value);
	if (str_equal(key, STR("basicAuthUser")))
		return value_keep(r, &s->user, value);
	if (str_equal(key, STR("type")))
		s->type =
			str_equal(value, STR("tempo"))    ? GRAFANA_TEMPO
			: str_equal(value, STR("jaeger")) ? GRAFANA_JAEGER
			: str_is_one_of(value, pyroscopes, COUNT_OF(pyroscopes))
				? GRAFANA_PYROSCOPE
				: GRAFANA_OTHER;
	else if (str_equal(key, STR("basicAuth")))
		s->is_basic = is_true(value);
	return true;
}

static bool begin_tag(struct reading *r)
{
	struct grafana_source *s = r->source;

	if (s->tag_count >= LIMIT_GRAFANA_TAGS)
		return error_set(r->err, ERROR_LIMIT,
				 "%s: more than %u tags of a data source",
				 r->path, LIMIT_GRAFANA_TAGS);
	s->tags[s->tag_count++] = (struct grafana_tag){ NULL, NULL };
	return true;
}

static bool take_tag(struct reading *r, const char *path, struct str value)
{
	struct grafana_tag *tag;

	/* In old versions a list of names. */
	if (!strcmp(path, TAGS))
		return begin_tag(r) &&
		       value_keep(
			       r,
			       &r->source->tags[r->source->tag_count - 1].key,
			       value);
	if (!r->source->tag_count)
		return true;
	tag = &r->source->tags[r->source->tag_count - 1];
	if (!strcmp(path, TAGS ".key"))
		return value_keep(r, &tag->key, value);
	if (!strcmp(path, TAGS ".value") && value.len)
		return value_keep(r, &tag->value, value);
	return true;
}

static bool take_value(struct reading *r, struct str value)
{
	static const char settings[] = "datasources.jsonData.";
	static const char secrets[] = "datasources.secureJsonData.";
	static const char fields[] = "datasources.";
	char path[256];

	path_of(r, path);
	if (!r->source)
		return true;
	if (!strncmp(path, TAGS, sizeof TAGS - 1))
		return take_tag(r, path, value);
	if (!strncmp(path, settings, sizeof settings - 1))
		return take_setting(r, str_from(path + sizeof settings - 1),
				    value);
	if (!strncmp(path, secrets, sizeof secrets - 1)) {
		struct grafana_header *h =
			header_of(r, str_from(path + sizeof secrets - 1),
				  STR("httpHeaderValue"));

		if (!h)
			return true;
		h->is_secret_there = true;
		if (h->name &&
		    str_equal_nocase(str_from(h->name), STR("x-scope-orgid")))
			return value_keep(r, &h->value, value);
		return true;
	}
	if (!strncmp(path, fields, sizeof fields - 1))
		return take_field(r, str_from(path + sizeof fields - 1), value);
	return true;
}

static bool begin_source(struct reading *r, const yaml_mark_t *mark)
{
	struct grafana *g = r->grafana;

	if (g->count >= LIMIT_GRAFANA_SOURCES)
		return error_set(r->err, ERROR_LIMIT,
				 "%s: more than %u data sources", r->path,
				 LIMIT_GRAFANA_SOURCES);
	if (!arena_reserve(r->arena, (void **)&g->sources, &g->cap,
			   g->count + 1, sizeof *g->sources))
		return arena_fail(r->arena, r->path, r->err);
	r->source = &g->sources[g->count++];
	memset(r->source, 0, sizeof *r->source);
	r->source->line = (unsigned)mark->line + 1;
	return true;
}

/* ---- events ---- */

static struct level *level_top(struct reading *r)
{
	return r->depth ? &r->levels[r->depth - 1] : NULL;
}

/* Called at the end of a value. */
static void end_value(struct reading *r)
{
	if (level_top(r))
		level_top(r)->has_key = false;
}

static bool begin_collection(struct reading *r, bool is_mapping,
			     const yaml_mark_t *mark)
{
	char path[256];

	if (r->depth >= LIMIT_YAML_DEPTH)
		return yaml_fail(r, mark, "it nests too deep");
	path_of(r, path);
	if (is_mapping && r->depth == 2 && !strcmp(path, "datasources") &&
	    !begin_source(r, mark))
		return false;
	if (is_mapping && r->source && !strcmp(path, TAGS) && !begin_tag(r))
		return false;
	r->levels[r->depth++] = (struct level){ .is_mapping = is_mapping };
	return true;
}

static bool take_scalar(struct reading *r, const yaml_event_t *event)
{
	struct level *level = level_top(r);
	struct str text = { (const char *)event->data.scalar.value,
			    event->data.scalar.length };
	bool is_done;

	if (!level)
		return true;
	if (level->is_mapping && !level->has_key) {
		/* Longer keys are none of those needed. */
		snprintf(level->key, sizeof level->key, "%.*s",
			 (int)min_size(text.len, KEY_BYTES - 1), text.ptr);
		level->has_key = true;
		return true;
	}
	is_done = take_value(r, text);
	end_value(r);
	return is_done;
}

static bool take_event(struct reading *r, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_MAPPING_START_EVENT:
		return begin_collection(r, true, &event->start_mark);
	case YAML_SEQUENCE_START_EVENT:
		return begin_collection(r, false, &event->start_mark);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		if (r->depth)
			r->depth--;
		if (r->depth <= 2)
			r->source = NULL;
		end_value(r);
		return true;
	case YAML_SCALAR_EVENT:
		return take_scalar(r, event);
	case YAML_ALIAS_EVENT:
		return yaml_fail(
			r, &event->start_mark,
			"aliases (*name) are not understood; write the "
			"value out");
	default:
		return true;
	}
}

bool grafana_parse(struct grafana *g, const char *path, struct str text,
		   struct arena *arena, struct error *err)
{
	struct reading r = {
		.grafana = g, .arena = arena, .path = path, .err = err
	};
	yaml_parser_t parser;
	bool is_done = true, is_end = false;

	*g = (struct grafana){ NULL };
	if (!yaml_parser_initialize(&parser))
		return error_memory(err, path);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr,
				     text.len);
	while (is_done && !is_end) {
		yaml_event_t event;

		if (!yaml_parser_parse(&parser, &event)) {
			const char *problem = parser.problem;

			is_done =
				parser.error == YAML_MEMORY_ERROR
					? error_memory(err, path)
					: yaml_fail(
						  &r, &parser.problem_mark,
						  problem ? problem
							  : "this is no YAML");
			break;
		}
		is_end = event.type == YAML_STREAM_END_EVENT;
		is_done = take_event(&r, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return is_done;
}
