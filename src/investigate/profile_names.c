/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_names.h"

#include <string.h>

#include "base/ascii.h"
#include "base/count.h"
#include "base/path.h"

/* What pyroscope agents of 2022 put behind each name. */
#define OLD_SUFFIX ".cpu"

static struct str attr_of(const struct trace *trace, uint32_t resource,
			  const char *key)
{
	return trace ? resource_attr(trace, resource, str_from(key))
		     : (struct str){ NULL, 0 };
}

struct candidate_parts {
	const char *prefix; /* "ebpf/" or "" */
	struct str space;   /* empty: none, and no '/' */
	struct str name;
};

static char *append(char *at, struct str text)
{
	if (text.len)
		memcpy(at, text.ptr, text.len);
	return at + text.len;
}

/* Not by a format, which would end at a NUL and name another service. */
static struct str join_parts(struct arena *arena,
			     const struct candidate_parts *p)
{
	struct str prefix = str_from(p->prefix);
	struct str slash = p->space.len ? STR("/") : STR("");
	size_t len = prefix.len + p->space.len + slash.len + p->name.len;
	char *text = arena_alloc(arena, len + 1), *at = text;

	if (!text)
		return (struct str){ NULL, 0 };
	at = append(at, prefix);
	at = append(at, p->space);
	at = append(at, slash);
	*append(at, p->name) = '\0';
	return (struct str){ text, len };
}

/* Those with a part missing are passed over. False without memory. */
static bool add(struct name_candidates *c, struct arena *arena,
		struct candidate_parts p, const char *how)
{
	struct str text;

	if (!p.name.len || c->count == NAME_CANDIDATES_MAX)
		return true;
	text = join_parts(arena, &p);
	if (!text.ptr)
		return false;
	if (str_is_among(text, c->names, c->count))
		return true;
	c->names[c->count] = text;
	c->how[c->count++] = how;
	return true;
}

/* The agent for Kubernetes writes namespace/container, or whatever the pod
 * says, which mostly is the workload's name. */
static bool add_workloads(struct name_candidates *c, struct arena *arena,
			  const struct trace *trace, uint32_t resource,
			  struct str space)
{
	static const char *const keys[] = { "k8s.container.name",
					    "k8s.deployment.name",
					    "k8s.statefulset.name",
					    "k8s.daemonset.name" };
	const size_t count = sizeof keys / sizeof *keys;

	for (size_t i = 0; i < count; i++)
		if (!add(c, arena,
			 (struct candidate_parts){
				 "", space, attr_of(trace, resource, keys[i]) },
			 "namespace/container"))
			return false;
	return true;
}

static bool add_all(struct name_candidates *c, const struct trace *trace,
		    uint32_t resource, struct str service, struct arena *arena)
{
	struct str logical = attr_of(trace, resource, "service.namespace");
	struct str k8s = attr_of(trace, resource, "k8s.namespace.name");
	struct str container = attr_of(trace, resource, "k8s.container.name");
	struct str docker = attr_of(trace, resource, "container.name");
	struct str none = STR("");
	struct candidate_parts p = { "", none, service };

	if (!add(c, arena, p, "exact"))
		return false;
	p.space = logical;
	if (logical.len && !add(c, arena, p, "namespace/name"))
		return false;
	p.space = k8s;
	if (k8s.len && (!add(c, arena, p, "namespace/name") ||
			!add_workloads(c, arena, trace, resource, k8s)))
		return false;
	p = (struct candidate_parts){ "ebpf/", k8s, container };
	if (k8s.len && !add(c, arena, p, "ebpf/namespace/container"))
		return false;
	p.name = service;
	if (k8s.len && !add(c, arena, p, "ebpf/namespace/name"))
		return false;
	p = (struct candidate_parts){ "", none, docker };
	return add(c, arena, p, "container");
}

static void add_space(struct name_candidates *c, struct str space)
{
	if (space.len && c->space_count < NAME_SPACES_MAX)
		c->spaces[c->space_count++] = space;
}

static void add_spaces(struct name_candidates *c, const struct trace *trace,
		       uint32_t resource)
{
	static const char *const keys[NAME_SPACES_MAX] = {
		"service.namespace", "k8s.namespace.name",
		"deployment.environment", "deployment.environment.name"
	};

	for (size_t i = 0; i < NAME_SPACES_MAX; i++)
		add_space(c, attr_of(trace, resource, keys[i]));
}

bool name_candidates_init(struct name_candidates *c, const struct trace *trace,
			  uint32_t resource, struct str service,
			  struct arena *arena, struct error *err)
{
	*c = (struct name_candidates){ .count = 0 };
	add_spaces(c, trace, resource);
	return add_all(c, trace, resource, service, arena) ||
	       arena_fail(arena, "the service's names", err);
}

/* ---- targets of Cloud Profiler ---- */

/* ^[a-z0-9]([-a-z0-9_.]{0,253}[a-z0-9])?$, by the proto of its API. */
#define TARGET_BYTES 255

static bool is_target_end(char c)
{
	return (c >= 'a' && c <= 'z') || ascii_is_digit(c);
}

/* With another separator for dots and underscores, or 0: as they are. */
static struct str target_of(struct str name, char separator,
			    char room[TARGET_BYTES])
{
	struct str target = { room, 0 };
	size_t start = 0;

	for (size_t i = 0; i < name.len && i < TARGET_BYTES; i++) {
		char c = ascii_lower(name.ptr[i]);

		if (!is_target_end(c) && (separator || (c != '_' && c != '.')))
			c = '-';
		room[target.len++] = c;
	}
	while (target.len && !is_target_end(room[target.len - 1]))
		target.len--;
	while (start < target.len && !is_target_end(room[start]))
		start++;
	return str_slice(target, start, target.len);
}

static bool add_targets(struct name_candidates *c, struct arena *arena,
			struct str name, const char *how)
{
	struct candidate_parts p = { .prefix = "" };
	char room[TARGET_BYTES];

	p.name = target_of(name, 0, room);
	if (!add(c, arena, p, how))
		return false;
	p.name = target_of(name, '-', room);
	return add(c, arena, p, how);
}

bool name_candidates_add_targets(struct name_candidates *c,
				 const struct trace *trace, uint32_t resource,
				 struct arena *arena, struct error *err)
{
	static const struct {
		const char *key;
		const char *how;
	} keys[] = {
		/* Cloud Run's service, App Engine's module. */
		{ "faas.name", "faas.name" },
		{ "k8s.container.name", "container" },
		{ "k8s.deployment.name", "deployment" },
		{ "container.name", "container" },
	};
	bool is_ok = add_targets(c, arena, c->names[0], "target");

	for (size_t i = 0; is_ok && i < sizeof keys / sizeof *keys; i++)
		is_ok = add_targets(c, arena,
				    attr_of(trace, resource, keys[i].key),
				    keys[i].how);
	return is_ok || arena_fail(arena, "the service's names", err);
}

/* ---- patterns ---- */

static void add_literal(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("\\.+*?()|[]{}^$", text.ptr[i]) && text.ptr[i])
			buf_add_char(out, '\\');
		buf_add_char(out, text.ptr[i]);
	}
}

void name_pattern(const struct name_candidates *c, struct buf *out)
{
	struct str last = path_base(c->names[0]);

	buf_add_text(out, "(?i:(?:(?:.*/)?");
	add_literal(out, last.len ? last : c->names[0]);
	/* An own name with '/' in it is covered as a prefix and the last. */
	for (size_t i = 1; i < c->count; i++) {
		buf_add_char(out, '|');
		add_literal(out, c->names[i]);
	}
	buf_add_text(out, ")(?:\\.cpu)?)");
}

/* ---- choosing ---- */

typedef bool (*name_matches)(struct str present, struct str wanted);

static bool is_same_but_case(struct str present, struct str wanted)
{
	return str_equal_nocase(present, wanted);
}

/* The part after the last '/' is the same: either may have a prefix. */
static bool is_same_last_part(struct str present, struct str wanted)
{
	struct str last = path_base(wanted);

	return last.len && str_equal_nocase(path_base(present), last);
}

static struct str without_old_suffix(struct str name)
{
	const size_t len = sizeof OLD_SUFFIX - 1;

	if (name.len > len &&
	    str_equal_nocase(str_slice(name, name.len - len, len),
			     STR(OLD_SUFFIX)))
		return str_slice(name, 0, name.len - len);
	return name;
}

static bool is_same_but_suffix(struct str present, struct str wanted)
{
	return str_equal_nocase(without_old_suffix(present), wanted);
}

static bool is_same_part_but_suffix(struct str present, struct str wanted)
{
	return is_same_last_part(without_old_suffix(present), wanted);
}

/* What people call the places where a service runs. Words that may as well be
 * a part of another service's name ("cart-db", "shopping-cart") are none. */
static const char *const environments[] = {
	"prod",  "production", "prd",     "live",        "staging",
	"stage", "stg",        "preprod", "test",        "testing",
	"qa",    "uat",        "dev",     "development", "canary",
};

static bool is_environment(const struct name_candidates *c, struct str word)
{
	for (size_t i = 0; i < c->space_count; i++)
		if (str_equal_nocase(word, c->spaces[i]))
			return true;
	return str_is_one_of_nocase(word, environments, COUNT_OF(environments));
}

static bool is_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

/* ENVIRONMENT-NAME or NAME-ENVIRONMENT. */
static bool is_in_environment(const struct name_candidates *c,
			      struct str present)
{
	struct str name = path_base(c->names[0]);
	size_t rest;

	present = path_base(without_old_suffix(present));
	if (!name.len || present.len < name.len + 2)
		return false;
	rest = present.len - name.len - 1;
	if (str_equal_nocase(str_slice(present, 0, name.len), name) &&
	    is_separator(present.ptr[name.len]))
		return is_environment(c,
				      str_slice(present, name.len + 1, rest));
	return str_equal_nocase(str_slice(present, rest + 1, name.len), name) &&
	       is_separator(present.ptr[rest]) &&
	       is_environment(c, str_slice(present, 0, rest));
}

/* True when it is settled: one is, or several are and none is believed. */
static bool settle(struct name_choice *out, size_t count, const char *how)
{
	if (count == 1) {
		out->name = out->doubts[0];
		out->how = how;
		return true;
	}
	out->doubt_count = count < NAME_DOUBTS_MAX ? count : NAME_DOUBTS_MAX;
	return count > 0;
}

static void add_match(struct name_choice *out, size_t *count, struct str name)
{
	if (*count < NAME_DOUBTS_MAX)
		out->doubts[*count] = name;
	(*count)++;
}

static bool choose_only(const struct name_list *present, struct str wanted,
			name_matches matches, const char *how,
			struct name_choice *out)
{
	size_t count = 0;

	for (size_t i = 0; i < present->count; i++)
		if (matches(present->items[i], wanted))
			add_match(out, &count, present->items[i]);
	return settle(out, count, how);
}

static void choose_environment(const struct name_candidates *c,
			       const struct name_list *present,
			       struct name_choice *out)
{
	size_t count = 0;

	for (size_t i = 0; i < present->count; i++)
		if (is_in_environment(c, present->items[i]))
			add_match(out, &count, present->items[i]);
	settle(out, count, "environment");
}

void name_choose(const struct name_candidates *c,
		 const struct name_list *present, struct name_choice *out)
{
	*out = (struct name_choice){ .how = NULL };
	for (size_t i = 0; i < c->count; i++)
		if (choose_only(present, c->names[i], str_equal, c->how[i],
				out))
			return;
	for (size_t i = 0; i < c->count; i++)
		if (choose_only(present, c->names[i], is_same_but_case, "case",
				out))
			return;
	if (!c->count ||
	    choose_only(present, c->names[0], is_same_last_part, "suffix", out))
		return;
	for (size_t i = 0; i < c->count; i++)
		if (choose_only(present, c->names[i], is_same_but_suffix,
				"without .cpu", out))
			return;
	if (!choose_only(present, c->names[0], is_same_part_but_suffix,
			 "without .cpu", out))
		choose_environment(c, present, out);
}
