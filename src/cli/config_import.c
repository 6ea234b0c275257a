/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "backend/address.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"

/* Grafana's provisioned data sources (YAML): which servers of traces and
 * profiles there are, and how the one leads to the other. The .c is the only
 * file that includes libyaml. Secrets are passed over, never kept. */

#define KEY_BYTES 64
#define TAGS "datasources.jsonData.tracesToProfiles.tags"

/* One open collection. */
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
	/* Of the source that is read, among its headers by number. */
	struct grafana_source *source;
	struct error *err;
};

static bool fail(struct reading *r, const yaml_mark_t *mark, const char *what)
{
	return error_set(r->err, ERROR_FORMAT, "%s:%zu: %s", r->path,
			 mark->line + 1, what);
}

/* ---- where in the document ---- */

/* Keys of the open mappings with dots between; sequences have none. */
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

static bool keep(struct reading *r, const char **to, struct str value)
{
	struct str copy = arena_str(r->arena, value);

	*to = copy.ptr;
	return copy.ptr || arena_fail(r->arena, r->path, r->err);
}

/* ---- what is there ---- */

static enum grafana_type type_of(struct str name)
{
	if (str_equal(name, STR("tempo")))
		return GRAFANA_TEMPO;
	if (str_equal(name, STR("jaeger")))
		return GRAFANA_JAEGER;
	if (str_equal(name, STR("grafana-pyroscope-datasource")) ||
	    str_equal(name, STR("phlare")))
		return GRAFANA_PYROSCOPE;
	return GRAFANA_OTHER;
}

/* httpHeaderName1 and httpHeaderValue1 belong together; NULL: another key. */
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

static bool take_secret(struct reading *r, struct str key, struct str value)
{
	struct grafana_header *h = header_of(r, key, STR("httpHeaderValue"));

	if (!h)
		return true;
	h->is_secret_there = true;
	if (h->name &&
	    str_equal_nocase(str_from(h->name), STR("x-scope-orgid")))
		return keep(r, &h->value, value);
	return true;
}

static bool take_setting(struct reading *r, struct str key, struct str value)
{
	struct grafana_source *s = r->source;
	struct grafana_header *h = header_of(r, key, STR("httpHeaderName"));

	if (h)
		return keep(r, &h->name, value);
	if (str_equal(key, STR("tracesToProfiles.datasourceUid")))
		return keep(r, &s->profiles_uid, value);
	if (str_equal(key, STR("tracesToProfiles.profileTypeId")))
		return keep(r, &s->profile_type, value);
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
	struct grafana_source *s = r->source;

	if (str_equal(key, STR("name")))
		return keep(r, &s->name, value);
	if (str_equal(key, STR("uid")))
		return keep(r, &s->uid, value);
	if (str_equal(key, STR("url")))
		return keep(r, &s->url, value);
	if (str_equal(key, STR("basicAuthUser")))
		return keep(r, &s->user, value);
	if (str_equal(key, STR("type")))
		s->type = type_of(value);
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

	/* Old Grafana: a list of names. */
	if (!strcmp(path, TAGS))
		return begin_tag(r) &&
		       keep(r, &r->source->tags[r->source->tag_count - 1].key,
			    value);
	if (!r->source->tag_count)
		return true;
	tag = &r->source->tags[r->source->tag_count - 1];
	if (!strcmp(path, TAGS ".key"))
		return keep(r, &tag->key, value);
	if (!strcmp(path, TAGS ".value") && value.len)
		return keep(r, &tag->value, value);
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
	if (!strncmp(path, secrets, sizeof secrets - 1))
		return take_secret(r, str_from(path + sizeof secrets - 1),
				   value);
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

static struct level *top(struct reading *r)
{
	return r->depth ? &r->levels[r->depth - 1] : NULL;
}

/* The value that a key waited for is there. */
static void end_value(struct reading *r)
{
	if (top(r))
		top(r)->has_key = false;
}

static bool begin_collection(struct reading *r, bool is_mapping,
			     const yaml_mark_t *mark)
{
	char path[256];

	if (r->depth >= LIMIT_YAML_DEPTH)
		return fail(r, mark, "it nests too deep");
	path_of(r, path);
	if (is_mapping && r->depth == 2 && !strcmp(path, "datasources") &&
	    !begin_source(r, mark))
		return false;
	if (is_mapping && r->source && !strcmp(path, TAGS) && !begin_tag(r))
		return false;
	r->levels[r->depth++] = (struct level){ .is_mapping = is_mapping };
	return true;
}

static void end_collection(struct reading *r)
{
	if (r->depth)
		r->depth--;
	if (r->depth <= 2)
		r->source = NULL;
	end_value(r);
}

static bool take_scalar(struct reading *r, const yaml_event_t *event)
{
	struct level *level = top(r);
	struct str text = { (const char *)event->data.scalar.value,
			    event->data.scalar.length };
	bool is_done;

	if (!level)
		return true;
	if (level->is_mapping && !level->has_key) {
		/* Longer ones are not among those looked for. */
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
		end_collection(r);
		return true;
	case YAML_SCALAR_EVENT:
		return take_scalar(r, event);
	case YAML_ALIAS_EVENT:
		return fail(r, &event->start_mark,
			    "aliases (*name) are not understood; write the "
			    "value out");
	default:
		return true;
	}
}

static bool fail_syntax(struct reading *r, const yaml_parser_t *parser)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return error_memory(r->err, r->path);
	return fail(r, &parser->problem_mark,
		    parser->problem ? parser->problem : "this is no YAML");
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
			is_done = fail_syntax(&r, &parser);
			break;
		}
		is_end = event.type == YAML_STREAM_END_EVENT;
		is_done = take_event(&r, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return is_done;
}

/* Of one context: two addresses and what belongs to them, and tags. */
#define MAX_CHANGES (LIMIT_CONTEXTS * 16)

struct import {
	const struct config *config;
	const char *path;
	struct arena arena;
	struct grafana grafana;
	struct config_change *changes;
	size_t count;
	size_t cap;
	struct buf report; /* escaped by who writes it */
	const char *first; /* context */
};

/* ---- changes ---- */

static bool add_change(struct import *m, const char *context, const char *key,
		       const char *value, struct error *err)
{
	if (m->count >= MAX_CHANGES)
		return error_set(err, ERROR_LIMIT,
				 "%s: more than %u values to take over",
				 m->path, (unsigned)MAX_CHANGES);
	if (!arena_reserve(&m->arena, (void **)&m->changes, &m->cap,
			   m->count + 1, sizeof *m->changes))
		return arena_fail(&m->arena, m->path, err);
	m->changes[m->count++] =
		(struct config_change){ context, key, value, true };
	buf_addf(&m->report, "  %s = %s\n", key, value);
	return true;
}

static bool add_sided(struct import *m, const char *context, const char *side,
		      const char *key, const char *value, struct error *err)
{
	struct str name = arena_printf(&m->arena, "%s-%s", side, key);

	return name.ptr ? add_change(m, context, name.ptr, value, err)
			: arena_fail(&m->arena, m->path, err);
}

static void hint(struct import *m, const char *context, const char *side,
		 const char *what, const char *key)
{
	buf_addf(&m->report,
		 "  not taken over: %s; put it into a file of its own, and: "
		 "tracefind config set --context %s %s-%s FILE\n",
		 what, context, side, key);
}

/* "$NAME" and "${NAME}" stand for variables of Grafana's environment. */
static bool is_variable(const char *value)
{
	return strchr(value, '$') != NULL;
}

/* ---- one server ---- */

static bool add_header(struct import *m, const char *context, const char *side,
		       const struct grafana_header *h, struct error *err)
{
	if (!h->name)
		return true;
	if (h->value && !is_variable(h->value) && *h->value)
		return add_sided(m, context, side, "tenant-id", h->value, err);
	if (str_equal_nocase(str_from(h->name), STR("authorization")))
		hint(m, context, side, "the header Authorization",
		     "token-file");
	else
		buf_addf(&m->report,
			 "  not taken over: the header %s; add it to %s by "
			 "hand: %s-header = NAME: VALUE\n",
			 h->name, m->config->user_path, side);
	return true;
}

static bool add_login(struct import *m, const char *context, const char *side,
		      const struct grafana_source *s, struct error *err)
{
	if (s->is_basic && s->user && !is_variable(s->user) &&
	    !add_sided(m, context, side, "username", s->user, err))
		return false;
	if (s->is_basic)
		hint(m, context, side, "the password", "password-file");
	if (s->is_insecure &&
	    !add_sided(m, context, side, "insecure", "yes", err))
		return false;
	if (s->has_cacert)
		hint(m, context, side, "the certificate to trust", "cacert");
	if (s->has_cert)
		hint(m, context, side, "the certificate to show", "cert");
	for (size_t i = 0; i < LIMIT_GRAFANA_HEADERS; i++)
		if (!add_header(m, context, side, &s->headers[i], err))
			return false;
	return true;
}

static void skip_address(struct import *m, const char *context,
			 const char *side, const struct grafana_source *s,
			 const char *why)
{
	buf_addf(&m->report,
		 "  not taken over: the address of %s: %s; set it: "
		 "tracefind config set --context %s %s-url URL\n",
		 s->name ? s->name : "a data source", why, context, side);
}

static bool add_address(struct import *m, const char *context, const char *side,
			const struct grafana_source *s, struct error *err)
{
	const char *kind = s->type == GRAFANA_TEMPO    ? "tempo+"
			   : s->type == GRAFANA_JAEGER ? "jaeger+"
						       : "";
	struct error why = { 0 };
	struct address known;
	struct str text;

	if (!s->url || is_variable(s->url)) {
		skip_address(m, context, side, s,
			     s->url ? "a variable of Grafana's"
				    : "none is given");
		return true;
	}
	text = arena_printf(&m->arena, "%s%s", kind, s->url);
	if (!text.ptr)
		return arena_fail(&m->arena, m->path, err);
	/* One with a login, say, which no run would take. */
	if (!address_parse(text.ptr, SERVER_TRACES, &known, &why)) {
		skip_address(m, context, side, s, why.message);
		return true;
	}
	return add_sided(m, context, side, "url", text.ptr, err);
}

static bool add_server(struct import *m, const char *context, const char *side,
		       const struct grafana_source *s, struct error *err)
{
	return add_address(m, context, side, s, err) &&
	       add_login(m, context, side, s, err);
}

static bool add_tags(struct import *m, const char *context,
		     const struct grafana_source *s, struct error *err)
{
	for (size_t i = 0; i < s->tag_count; i++) {
		const struct grafana_tag *tag = &s->tags[i];
		struct str text;

		if (!tag->key || !*tag->key)
			continue;
		text = arena_printf(&m->arena, "%s=%s", tag->key,
				    tag->value ? tag->value : tag->key);
		if (!text.ptr)
			return arena_fail(&m->arena, m->path, err);
		if (!add_change(m, context, "map", text.ptr, err))
			return false;
	}
	if (s->profile_type)
		buf_addf(&m->report,
			 "  Grafana asks for profiles of --type %s\n",
			 s->profile_type);
	return true;
}

/* ---- contexts ---- */

/* "My Tempo (EU)" -> "my-tempo-eu". */
static void name_of(const struct grafana_source *s,
		    char out[LIMIT_CONTEXT_NAME_BYTES + 1])
{
	const char *at = s->name && *s->name ? s->name : s->uid;
	size_t len = 0;

	for (; at && *at && len < LIMIT_CONTEXT_NAME_BYTES; at++) {
		if (ascii_is_alnum(*at))
			out[len++] = ascii_lower(*at);
		else if (len && out[len - 1] != '-')
			out[len++] = '-';
	}
	while (len && out[len - 1] == '-')
		len--;
	out[len] = '\0';
	if (!len)
		snprintf(out, LIMIT_CONTEXT_NAME_BYTES + 1, "grafana-%u",
			 s->line);
}

static bool is_taken(const struct import *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->changes[i].context &&
		    !strcmp(m->changes[i].context, name))
			return true;
	return config_file_context(&m->config->user, name) != NULL;
}

static const struct grafana_source *find_profiles(const struct grafana *g,
						  const char *uid)
{
	const struct grafana_source *only = NULL;

	for (size_t i = 0; i < g->count; i++) {
		const struct grafana_source *s = &g->sources[i];

		if (s->type != GRAFANA_PYROSCOPE)
			continue;
		if (uid && s->uid && !strcmp(s->uid, uid))
			return s;
		/* Of several none may be guessed. */
		if (only && !uid)
			return NULL;
		only = s;
	}
	return uid ? NULL : only;
}

static bool add_context(struct import *m, const struct grafana_source *traces,
			const struct grafana_source *profiles, const char *name,
			struct error *err)
{
	char own[LIMIT_CONTEXT_NAME_BYTES + 1];
	struct str context;

	name_of(traces ? traces : profiles, own);
	context = arena_str(&m->arena, str_from(name ? name : own));
	if (!context.ptr)
		return arena_fail(&m->arena, m->path, err);
	if (!context_name_check(context.ptr, err))
		return false;
	if (is_taken(m, context.ptr))
		return error_set(err, ERROR_USAGE,
				 "there is a context %s already; give another "
				 "name with --context, or take that section "
				 "out of %s",
				 context.ptr, m->config->user_path);
	if (!m->first)
		m->first = context.ptr;
	buf_addf(&m->report, "%s\n", context.ptr);
	if (traces && !add_server(m, context.ptr, "traces", traces, err))
		return false;
	if (profiles && !add_server(m, context.ptr, "profiles", profiles, err))
		return false;
	if (traces && traces->profiles_uid && !profiles)
		buf_addf(&m->report,
			 "  its profiles are in a data source %s, which the "
			 "file does not have\n",
			 traces->profiles_uid);
	return !traces || add_tags(m, context.ptr, traces, err);
}

static bool is_traces(const struct grafana_source *s)
{
	return s->type == GRAFANA_TEMPO || s->type == GRAFANA_JAEGER;
}

/* Servers of traces; else those of profiles. */
static size_t count_contexts(const struct grafana *g, bool *has_traces)
{
	size_t traces = 0, profiles = 0;

	for (size_t i = 0; i < g->count; i++) {
		traces += is_traces(&g->sources[i]);
		profiles += g->sources[i].type == GRAFANA_PYROSCOPE;
	}
	*has_traces = traces > 0;
	return traces ? traces : profiles;
}

static bool add_contexts(struct import *m, const char *name, struct error *err)
{
	const struct grafana *g = &m->grafana;
	bool has_traces;
	size_t count = count_contexts(g, &has_traces);

	if (!count)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s: no data source of type tempo, jaeger or "
				 "grafana-pyroscope-datasource",
				 m->path);
	if (name && count > 1)
		return error_set(err, ERROR_USAGE,
				 "%s holds %zu servers, and --context names "
				 "one; without it they keep Grafana's names",
				 m->path, count);
	for (size_t i = 0; i < g->count; i++) {
		const struct grafana_source *s = &g->sources[i];

		if (has_traces ? !is_traces(s) : s->type != GRAFANA_PYROSCOPE)
			continue;
		if (!add_context(m, has_traces ? s : NULL,
				 has_traces ? find_profiles(g, s->profiles_uid)
					    : s,
				 name, err))
			return false;
	}
	return true;
}

static bool read_grafana(struct import *m, struct error *err)
{
	struct buf text;
	bool is_done;

	buf_init(&text, LIMIT_GRAFANA_BYTES);
	is_done = file_read(m->path, &text, err) &&
		  grafana_parse(&m->grafana, m->path, buf_str(&text), &m->arena,
				err);
	buf_wipe(&text);
	buf_release(&text);
	return is_done;
}

static bool write_changes(struct import *m, struct error *err)
{
	if (!m->config->user.current &&
	    !add_change(m, NULL, "current-context", m->first, err))
		return false;
	return config_edit_file(m->config->user_path, m->changes, m->count,
				err);
}

/* Line by line: what came from the file may hold anything. */
static void write_report(const struct buf *report, struct out *out)
{
	struct str rest = buf_str(report);

	while (rest.len) {
		size_t end = str_find(rest, STR("\n"));

		escape_terminal(out, str_slice(rest, 0, end));
		out_char(out, '\n');
		rest = str_slice(rest, end + 1, rest.len);
	}
}

bool config_import_grafana(const struct config *c, const char *path,
			   const char *name, struct out *out, struct error *err)
{
	struct import m = { .config = c, .path = path };
	bool is_done;

	arena_init(&m.arena, LIMIT_CONTEXT_BYTES);
	buf_init(&m.report, LIMIT_CONTEXT_BYTES);
	is_done = read_grafana(&m, err) && add_contexts(&m, name, err) &&
		  write_changes(&m, err) &&
		  buf_check(&m.report, "the report", err);
	if (is_done)
		write_report(&m.report, out);
	buf_release(&m.report);
	arena_wipe(&m.arena);
	arena_release(&m.arena);
	return is_done;
}
