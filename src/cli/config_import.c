/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config.h"

#include <stdio.h>
#include <string.h>

#include "backend/address.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/out.h"
#include "base/str.h"
#include "decode/grafana.h"

/* From Grafana's data sources to contexts of the configuration. */

/* The changes of contexts: two addresses each and what belongs to them, and
 * tags. */
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
				 "%s: more than %u values to import",
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

static void import_hint(struct import *m, const char *context, const char *side,
			const char *what, const char *key)
{
	buf_addf(&m->report,
		 "  not imported: %s; put it into a separate file, and: "
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
		import_hint(m, context, side, "the header Authorization",
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
		import_hint(m, context, side, "the password", "password-file");
	if (s->is_insecure &&
	    !add_sided(m, context, side, "insecure", "yes", err))
		return false;
	if (s->has_cacert)
		import_hint(m, context, side, "the certificate to trust",
			    "cacert");
	if (s->has_cert)
		import_hint(m, context, side, "the certificate to show",
			    "cert");
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
			 "  Grafana queries profiles of --type %s\n",
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
	bool is_taken;

	name_of(traces ? traces : profiles, own);
	context = arena_str(&m->arena, str_from(name ? name : own));
	if (!context.ptr)
		return arena_fail(&m->arena, m->path, err);
	if (!context_name_check(context.ptr, err))
		return false;
	is_taken = config_file_context(&m->config->user, context.ptr) != NULL;
	for (size_t i = 0; i < m->count && !is_taken; i++)
		is_taken = m->changes[i].context &&
			   !strcmp(m->changes[i].context, context.ptr);
	if (is_taken)
		return error_set(err, ERROR_USAGE,
				 "context %s exists already; give another name "
				 "with --context, or remove that section from "
				 "%s",
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
			 "  its profiles are in data source %s, which is not "
			 "in the file\n",
			 traces->profiles_uid);
	return !traces || add_tags(m, context.ptr, traces, err);
}

static bool is_traces(const struct grafana_source *s)
{
	return s->type == GRAFANA_TEMPO || s->type == GRAFANA_JAEGER;
}

static bool add_contexts(struct import *m, const char *name, struct error *err)
{
	const struct grafana *g = &m->grafana;
	size_t traces = 0, profiles = 0, count;

	for (size_t i = 0; i < g->count; i++) {
		traces += is_traces(&g->sources[i]);
		profiles += g->sources[i].type == GRAFANA_PYROSCOPE;
	}
	/* One for each server of traces; else for each of profiles. */
	count = traces ? traces : profiles;
	if (!count)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s: no data source of type tempo, jaeger or "
				 "grafana-pyroscope-datasource",
				 m->path);
	if (name && count > 1)
		return error_set(err, ERROR_USAGE,
				 "%s has %zu servers, --context names one: "
				 "leave it out to use Grafana's names",
				 m->path, count);
	for (size_t i = 0; i < g->count; i++) {
		const struct grafana_source *s = &g->sources[i];

		if (traces ? !is_traces(s) : s->type != GRAFANA_PYROSCOPE)
			continue;
		if (!add_context(m, traces ? s : NULL,
				 traces ? find_profiles(g, s->profiles_uid) : s,
				 name, err))
			return false;
	}
	return true;
}

bool config_import_grafana(const struct config *c, const char *path,
			   const char *name, struct out *out, struct error *err)
{
	struct import m = { .config = c, .path = path };
	struct str rest;
	struct buf text;
	bool is_done;

	arena_init(&m.arena, LIMIT_CONTEXT_BYTES);
	buf_init(&m.report, LIMIT_CONTEXT_BYTES);
	buf_init(&text, LIMIT_GRAFANA_BYTES);
	is_done =
		file_read(path, &text, err) &&
		grafana_parse(&m.grafana, path, buf_str(&text), &m.arena, err);
	buf_wipe(&text);
	buf_release(&text);
	is_done = is_done && add_contexts(&m, name, err) &&
		  (c->user.current ||
		   add_change(&m, NULL, "current-context", m.first, err)) &&
		  config_edit_file(c->user_path, m.changes, m.count, err) &&
		  buf_check(&m.report, "the report", err);
	/* Line by line: what came from the file may hold anything. */
	rest = is_done ? buf_str(&m.report) : STR("");
	while (rest.len) {
		size_t end = str_find(rest, STR("\n"));

		escape_terminal(out, str_slice(rest, 0, end));
		out_char(out, '\n');
		rest = str_slice(rest, end + 1, rest.len);
	}
	buf_release(&m.report);
	arena_wipe(&m.arena);
	arena_release(&m.arena);
	return is_done;
}
