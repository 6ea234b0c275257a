/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_service.h"

#include <string.h>

#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "base/instance.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"

/* Traces and profiles name the same service differently: agents put the
 * namespace in front, some the word "ebpf" too, old ones ".cpu" behind. Which
 * names a process of a trace may go by, and which of those that exist is
 * meant. Nothing here asks a server. */

/* The suffix of names by pyroscope agents of 2022. */
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

static char *text_append(char *at, struct str text)
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
	at = text_append(at, prefix);
	at = text_append(at, p->space);
	at = text_append(at, slash);
	*text_append(at, p->name) = '\0';
	return (struct str){ text, len };
}

/* Those with a part missing are passed over. False without memory. */
static bool candidate_add(struct name_candidates *c, struct arena *arena,
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
		if (!candidate_add(c, arena,
				   (struct candidate_parts){
					   "", space,
					   attr_of(trace, resource, keys[i]) },
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

	if (!candidate_add(c, arena, p, "exact"))
		return false;
	p.space = logical;
	if (logical.len && !candidate_add(c, arena, p, "namespace/name"))
		return false;
	p.space = k8s;
	if (k8s.len && (!candidate_add(c, arena, p, "namespace/name") ||
			!add_workloads(c, arena, trace, resource, k8s)))
		return false;
	p = (struct candidate_parts){ "ebpf/", k8s, container };
	if (k8s.len && !candidate_add(c, arena, p, "ebpf/namespace/container"))
		return false;
	p.name = service;
	if (k8s.len && !candidate_add(c, arena, p, "ebpf/namespace/name"))
		return false;
	p = (struct candidate_parts){ "", none, docker };
	return candidate_add(c, arena, p, "container");
}

bool name_candidates_init(struct name_candidates *c, const struct trace *trace,
			  uint32_t resource, struct str service,
			  struct arena *arena, struct error *err)
{
	static const char *const keys[NAME_SPACES_MAX] = {
		"service.namespace", "k8s.namespace.name",
		"deployment.environment", "deployment.environment.name"
	};

	*c = (struct name_candidates){ .count = 0 };
	for (size_t i = 0; i < NAME_SPACES_MAX; i++) {
		struct str space = attr_of(trace, resource, keys[i]);

		if (space.len)
			c->spaces[c->space_count++] = space;
	}
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
	if (!candidate_add(c, arena, p, how))
		return false;
	p.name = target_of(name, '-', room);
	return candidate_add(c, arena, p, how);
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

/* The names of places where a service runs. Words that may as well be a part of
 * another service's name ("cart-db", "shopping-cart") are none. */
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
static bool choice_settle(struct name_choice *out, size_t count,
			  const char *how)
{
	if (count == 1) {
		out->name = out->doubts[0];
		out->how = how;
		return true;
	}
	out->doubt_count = count < NAME_DOUBTS_MAX ? count : NAME_DOUBTS_MAX;
	return count > 0;
}

static void choice_add(struct name_choice *out, size_t *count, struct str name)
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
			choice_add(out, &count, present->items[i]);
	return choice_settle(out, count, how);
}

void name_choose(const struct name_candidates *c,
		 const struct name_list *present, struct name_choice *out)
{
	size_t count = 0;

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
	if (choose_only(present, c->names[0], is_same_part_but_suffix,
			"without .cpu", out))
		return;
	for (size_t i = 0; i < present->count; i++)
		if (is_in_environment(c, present->items[i]))
			choice_add(out, &count, present->items[i]);
	choice_settle(out, count, "environment");
}

/* Names and types are asked for over a day, the longest query a server takes
 * by default, so that "no samples in this window" and "no such service" can
 * be told apart. */
#define METADATA_RANGE_NS (NS_PER_DAY - NS_PER_S)

const char *const version_labels[VERSION_LABELS] = {
	"version",         "service_version", "service.version",
	"service_git_ref", "app_version",
};

/* The first of instance_labels[], which name a pod. */
#define POD_LABELS 3

enum {
	LABEL_SERVICE,
	LABEL_TYPE,
	LABEL_INSTANCE,
	LABEL_VERSION = LABEL_INSTANCE + INSTANCE_LABELS,
	LABEL_MAP = LABEL_VERSION + VERSION_LABELS,
	LABEL_MAX = LABEL_MAP + LIMIT_HEADERS + PLACE_LABELS,
};

/* One --map whose attribute the process has. */
struct mapping {
	struct str attr;
	struct str label;
	struct str value;
	bool is_name; /* takes the place of service_name="NAME" */
};

struct profile_lookup_state {
	struct str service;
	struct time_range range;
	const struct trace *trace; /* NULL: the user named the service */
	uint32_t resource;
	/* Of which process the place is known; it may be that of the caller. */
	const struct trace *place_trace;
	uint32_t place_resource;
	struct name_candidates candidates;
	struct name_choice choice; /* why none of them */
	struct mapping maps[LIMIT_HEADERS];
	size_t map_count;
	bool is_given;      /* the user told which: --selector or --map */
	struct str matcher; /* what is looked for, as a selector */
	const char *labels[LABEL_MAX];
	size_t label_count;
	size_t place_first; /* of place_labels[], if place_trace */
	/* Of profiles that name no service: the trace's pod, by this label. */
	struct str pod;
	size_t pod_label;
	struct names_job services;
	struct series_job series;
};

/* ---- what to look for ---- */

static bool take_selector(struct buf *text, struct investigation *v,
			  struct str *out, struct error *err)
{
	bool done;

	selector_close(text);
	done = buf_check(text, "the selector", err);
	if (done) {
		*out = arena_str(v->backends->arena, buf_str(text));
		done = out->ptr ||
		       arena_fail(v->backends->arena, "the selector", err);
	}
	buf_release(text);
	return done;
}

static void read_map(struct profile_lookup_state *s, struct investigation *v,
		     const struct trace *trace, uint32_t resource,
		     const char *text)
{
	struct str map = str_from(text);
	size_t equals = str_find(map, STR("="));
	struct mapping m = { .attr = str_slice(map, 0, equals) };
	bool is_service = str_equal(m.attr, STR("service.name"));
	bool is_name_label;

	if (equals == SIZE_MAX)
		return;
	m.label = str_slice(map, equals + 1, map.len);
	/* --map TRACED=SENT, with the names of two services, this one or
	 * another: no attribute is called as a service of the trace is. */
	if (str_equal(m.attr, s->service)) {
		s->maps[s->map_count++] =
			(struct mapping){ .attr = m.attr,
					  .label = STR("service_name"),
					  .value = m.label,
					  .is_name = true };
		return;
	}
	for (uint32_t i = 0; trace && i < trace->resource_count; i++)
		if (str_equal(trace_text(trace, trace->resources[i].service),
			      m.attr))
			return;
	/* The service looked for, whichever span named it. */
	if (is_service)
		m.value = s->service;
	else if (trace)
		m.value = resource_attr(trace, resource, m.attr);
	is_name_label = str_equal(m.label, STR("service_name"));
	if (is_service && is_name_label)
		return; /* as without it */
	m.is_name = is_service || is_name_label;
	if (m.value.len)
		s->maps[s->map_count++] = m;
	else if (trace)
		investigation_note(v,
				   (struct note){ .kind = NOTE_MAP_NO_ATTRIBUTE,
						  .name = map });
}

static bool build_matcher(struct profile_lookup_state *s,
			  struct investigation *v, struct error *err)
{
	struct buf text, pattern;

	s->is_given = v->question->selector != NULL;
	for (size_t i = 0; i < s->map_count; i++)
		s->is_given |= s->maps[i].is_name;
	if (v->question->selector) {
		s->matcher = str_from(v->question->selector);
		return true;
	}
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	for (size_t i = 0; i < s->map_count; i++)
		if (s->maps[i].is_name)
			selector_add(&text, s->maps[i].label, s->maps[i].value);
	if (!s->is_given) {
		buf_init(&pattern, LIMIT_OPTION_VALUE_BYTES);
		name_pattern(&s->candidates, &pattern);
		if (!buf_check(&pattern, "the service's names", err)) {
			buf_release(&pattern);
			return false;
		}
		selector_match(&text, STR("service_name"), "=~",
			       buf_str(&pattern));
		buf_release(&pattern);
	}
	return take_selector(&text, v, &s->matcher, err);
}

static bool list_labels(struct profile_lookup_state *s, struct investigation *v,
			struct error *err)
{
	s->labels[LABEL_SERVICE] = "service_name";
	s->labels[LABEL_TYPE] = "__profile_type__";
	memcpy(&s->labels[LABEL_INSTANCE], instance_labels,
	       sizeof instance_labels);
	memcpy(&s->labels[LABEL_VERSION], version_labels,
	       sizeof version_labels);
	s->label_count = LABEL_MAP;
	for (size_t i = 0; i < s->map_count; i++) {
		struct str label =
			arena_str(v->backends->arena, s->maps[i].label);

		if (!label.ptr)
			return arena_fail(v->backends->arena, "the labels",
					  err);
		s->labels[s->label_count++] = label.ptr;
	}
	s->place_first = s->label_count;
	return true;
}

/* Behind the others, where there is a trace to narrow them down by. */
static void add_place_labels(struct profile_lookup_state *s)
{
	memcpy(&s->labels[s->place_first], place_labels, sizeof place_labels);
	s->label_count = s->place_first + PLACE_LABELS;
}

bool profile_lookup_init(struct profile_lookup *l, struct investigation *v,
			 const struct trace *trace, uint32_t resource,
			 struct str service, struct time_range range,
			 struct error *err)
{
	struct profile_lookup_state *s =
		arena_alloc(v->backends->arena, sizeof *s);
	struct time_range day = {
		min_i64(range.from_ns,
			sat_sub_i64(range.to_ns, METADATA_RANGE_NS)),
		range.to_ns
	};

	*l = (struct profile_lookup){ .state = s };
	if (!s)
		return arena_fail(v->backends->arena, "the service's names",
				  err);
	s->service = service;
	s->range = range;
	s->trace = s->place_trace = trace;
	s->resource = s->place_resource = resource;
	for (size_t i = 0; i < v->question->map_count; i++)
		read_map(s, v, trace, resource, v->question->maps[i]);
	if (!name_candidates_init(&s->candidates, trace, resource, service,
				  v->backends->arena, err) ||
	    (backends_profile_traits(v->backends)->has_targets &&
	     !name_candidates_add_targets(&s->candidates, trace, resource,
					  v->backends->arena, err)) ||
	    !build_matcher(s, v, err) || !list_labels(s, v, err))
		return false;
	if (trace)
		add_place_labels(s);
	services_job_init(&s->services, day);
	series_job_init(&s->series, s->matcher.ptr, s->labels, s->label_count,
			day);
	l->jobs[l->job_count++] = &s->services.job;
	l->jobs[l->job_count++] = &s->series.job;
	return true;
}

/* ---- what there is ---- */

static struct str series_value(const struct profile_lookup_state *s, size_t row,
			       size_t label)
{
	const struct series_list *list = &s->series.series;

	return list->values[row * list->label_count + label];
}

/* Which rows are the service's. */
struct rows {
	const struct profile_lookup_state *s;
	struct str name; /* NULL ptr: all rows */
	bool is_map_used[LIMIT_HEADERS];
	/* By row, where the trace narrowed them down to a place; NULL: all. */
	const bool *is_here;
};

static bool row_is_named(const struct rows *r, size_t row)
{
	return !r->name.ptr ||
	       str_equal(series_value(r->s, row, LABEL_SERVICE), r->name);
}

static bool row_is_ours(const struct rows *r, size_t row)
{
	if (!row_is_named(r, row) || (r->is_here && !r->is_here[row]))
		return false;
	for (size_t i = 0; i < r->s->map_count; i++)
		if (r->is_map_used[i] &&
		    !str_equal(series_value(r->s, row, LABEL_MAP + i),
			       r->s->maps[i].value))
			return false;
	return true;
}

/* The distinct values of a label in our rows. */
static bool rows_collect(const struct rows *r, struct investigation *v,
			 size_t label, struct name_list *out, struct error *err)
{
	size_t rows = r->s->series.series.count, cap = 0;

	*out = (struct name_list){ .items = NULL };
	for (size_t row = 0; row < rows; row++) {
		struct str value = series_value(r->s, row, label);
		void *items = out->items;

		if (!value.len || !row_is_ours(r, row) ||
		    (out->count &&
		     str_equal(out->items[out->count - 1], value)))
			continue;
		if (!arena_reserve(v->backends->arena, &items, &cap,
				   out->count + 1, sizeof *out->items))
			return arena_fail(v->backends->arena,
					  "the server's series", err);
		out->items = items;
		out->items[out->count++] = value;
	}
	name_list_sort(out);
	return true;
}

/* The first label of the list that the service has. */
static bool rows_collect_first(const struct rows *r, struct investigation *v,
			       size_t first, size_t count, struct str *label,
			       struct name_list *out, struct error *err)
{
	for (size_t i = first; i < first + count; i++) {
		if (!rows_collect(r, v, i, out, err))
			return false;
		if (out->count) {
			*label = str_from(r->s->labels[i]);
			return true;
		}
	}
	return true;
}

/* Maps of labels that the service's profiles do not carry would select
 * nothing. When the labels are not known all are used, as told. */
static void choose_maps(struct rows *r, struct investigation *v)
{
	const struct profile_lookup_state *s = r->s;
	bool is_known = s->series.job.has_answer && s->series.series.count;

	for (size_t i = 0; i < s->map_count; i++) {
		bool is_used = s->maps[i].is_name || !is_known;

		for (size_t row = 0; !is_used && row < s->series.series.count;
		     row++)
			is_used = row_is_named(r, row) &&
				  series_value(s, row, LABEL_MAP + i).len;
		r->is_map_used[i] = is_used;
		if (!is_used)
			investigation_note(
				v, (struct note){ .kind = NOTE_MAP_NO_LABEL,
						  .name = s->maps[i].attr,
						  .text = s->maps[i].label });
	}
}

static bool build_selector(const struct rows *r, struct investigation *v,
			   struct profile_service *out, struct error *err)
{
	const struct profile_lookup_state *s = r->s;
	struct buf text;

	if (v->question->selector) {
		out->selector = s->matcher;
		return true;
	}
	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	if (!s->is_given)
		selector_add(&text, STR("service_name"), out->name);
	for (size_t i = 0; i < s->map_count; i++)
		if (r->is_map_used[i])
			selector_add(&text, s->maps[i].label, s->maps[i].value);
	for (size_t i = 0; i < out->places.count; i++)
		selector_add(&text, str_from(out->places.items[i].label),
			     out->places.items[i].value);
	return take_selector(&text, v, &out->selector, err);
}

void profile_lookup_beside(struct profile_lookup *l, const struct trace *trace,
			   uint32_t resource)
{
	struct profile_lookup_state *s = l->state;

	s->place_trace = trace;
	s->place_resource = resource;
	add_place_labels(s);
	s->series.label_count = s->label_count;
}

bool profile_lookup_guess(const struct profile_lookup *l,
			  struct investigation *v, struct str *selector,
			  struct error *err)
{
	struct profile_service guess = { .name = l->state->service };
	struct rows r = { .s = l->state };

	for (size_t i = 0; i < LIMIT_HEADERS; i++)
		r.is_map_used[i] = true;
	if (!build_selector(&r, v, &guess, err))
		return false;
	*selector = guess.selector;
	return true;
}

/* ---- where it runs ---- */

static void note_places(const struct places *places, struct investigation *v)
{
	const struct place_doubt *doubt = &places->doubt;

	for (size_t i = 0; i < places->count; i++)
		investigation_note(
			v, (struct note){
				   .kind = NOTE_PLACE,
				   .name = str_from(places->items[i].label),
				   .text = places->items[i].value,
				   .reason = places->items[i].attr });
	if (doubt->trouble == PLACES_UNTOLD)
		investigation_note(
			v, (struct note){ .kind = NOTE_PLACES_MIXED,
					  .name = str_from(doubt->label),
					  .names = &doubt->present });
}

static bool fail_absent(const struct profile_service *service,
			struct investigation *v, struct error *err)
{
	const struct place_doubt *doubt = &service->places.doubt;

	return investigation_fail(
		v,
		(struct shortfall){
			.kind = SHORTFALL_PLACE,
			.service = service->name,
			.attr = doubt->attr,
			.name = str_from(doubt->label),
			.value = doubt->value,
			.names = doubt->present,
		},
		err);
}

/* Profiles of the same service elsewhere say nothing of the trace. What the
 * user selects is taken as it is. */
static bool choose_places(struct rows *r, struct investigation *v,
			  struct profile_service *out, struct error *err)
{
	const struct profile_lookup_state *s = r->s;
	const struct series_list *series = &s->series.series;
	struct place_rows rows = {
		.values = series->values,
		.label_count = series->label_count,
		.count = series->count,
		.instance_first = LABEL_INSTANCE,
		.place_first = s->place_first,
		.is_ours = arena_array(v->backends->arena, series->count + 1,
				       sizeof *rows.is_ours),
	};

	if (!rows.is_ours)
		return arena_fail(v->backends->arena, "the server's series",
				  err);
	if (!s->place_trace || v->question->selector)
		return true;
	for (size_t i = 0; i < series->count; i++)
		rows.is_ours[i] = row_is_ours(r, i);
	if (!places_choose(&rows, s->place_trace, s->place_resource, !s->trace,
			   v->backends->arena, &out->places, err))
		return false;
	r->is_here = rows.is_ours;
	/* Where the pod alone tells whose profiles they are. */
	for (size_t i = 0; s->pod.ptr && i < rows.count; i++)
		rows.is_ours[i] &=
			str_equal(series_value(s, i, s->pod_label), s->pod);
	if (s->pod.ptr && out->places.count < PLACE_LABELS)
		out->places.items[out->places.count++] =
			(struct place){ .label = s->labels[s->pod_label],
					.attr = INSTANCE_POD,
					.value = s->pod };
	note_places(&out->places, v);
	return out->places.doubt.trouble != PLACES_ABSENT ||
	       fail_absent(out, v, err);
}

/* ---- which one it is ---- */

/* The names outlive the question: doubts are in the lookup's state. */
static bool fail_missing(struct profile_lookup_state *s,
			 struct investigation *v,
			 const struct name_choice *choice, struct error *err)
{
	const struct backends *b = v->backends;

	s->choice = *choice;
	return investigation_fail(
		v,
		(struct shortfall){
			.kind = SHORTFALL_PROFILE,
			.missing = {
				.service = s->service,
				.selector = s->is_given ? s->matcher.ptr : NULL,
				.window = s->range,
				.now_ns = b->now_ns,
				.services = &s->services.names,
				.tried = s->candidates.names,
				.tried_count = s->candidates.count,
				.doubts = s->choice.doubts,
				.doubt_count = s->choice.doubt_count,
				.has_tenant =
					b->profiles.endpoint.tenant_id != NULL,
				.server = backends_profiles(b)->title,
				.retention_ns =
					backends_profile_traits(b)->retention_ns,
				.has_trace = s->trace != NULL,
			},
		},
		err);
}

static bool assume_name(const struct profile_lookup_state *s,
			struct investigation *v, struct profile_service *out,
			struct error *err)
{
	/* Whose profiles come from the same list. */
	if (backends_profile_traits(v->backends)->is_list) {
		*err = s->series.job.err;
		return false;
	}
	out->name = s->service;
	out->how = STR("assumed");
	investigation_note(
		v, (struct note){ .kind = NOTE_NAME_ASSUMED,
				  .reason = s->series.job.err.message });
	return true;
}

/* The user said which. */
static bool take_given(struct profile_lookup_state *s, struct investigation *v,
		       struct profile_service *out, struct error *err)
{
	const struct name_choice none = { .how = NULL };
	const struct rows all = { .s = s };
	struct name_list names;

	out->name = s->service;
	out->how = v->question->selector ? STR("--selector") : STR("--map");
	if (!s->series.job.has_answer)
		return assume_name(s, v, out, err);
	if (!s->series.series.count)
		return fail_missing(s, v, &none, err);
	if (!rows_collect(&all, v, LABEL_SERVICE, &names, err))
		return false;
	if (names.count == 1)
		out->name = names.items[0];
	return true;
}

/* A name that the pattern of the first question does not hold: its types and
 * instances are asked for by that name. */
static bool lookup_ask_again(struct profile_lookup_state *s,
			     struct investigation *v, struct str name,
			     struct error *err)
{
	struct job *job = &s->series.job;
	struct time_range range = s->series.range;
	struct str matcher;
	struct buf text;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	selector_add(&text, STR("service_name"), name);
	if (!take_selector(&text, v, &matcher, err))
		return false;
	series_job_init(&s->series, matcher.ptr, s->labels, s->label_count,
			range);
	return jobs_run(v->backends, &job, 1, err);
}

/* The name that agents send where they have none: scrapers of Pyroscope. */
#define UNNAMED STR("unspecified")

/* Profiles without a name of their own are the service's where they are of the
 * pod that the trace names. *name stays empty where there are none. */
static bool find_by_pod(struct profile_lookup_state *s,
			struct investigation *v, struct str *name,
			struct error *err)
{
	struct str pod;

	if (!s->trace || !name_list_has(&s->services.names, UNNAMED))
		return true;
	pod = resource_attr(s->trace, s->resource, STR(INSTANCE_POD));
	if (!pod.len)
		return true;
	if (!lookup_ask_again(s, v, UNNAMED, err))
		return false;
	for (size_t i = 0; i < s->series.series.count; i++)
		for (size_t k = 0; k < POD_LABELS; k++)
			if (str_equal(series_value(s, i, LABEL_INSTANCE + k),
				      pod)) {
				s->pod = pod;
				s->pod_label = LABEL_INSTANCE + k;
				*name = UNNAMED;
				return true;
			}
	return true;
}

static bool take_found(struct profile_lookup_state *s, struct investigation *v,
		       struct profile_service *out, struct error *err)
{
	const struct rows all = { .s = s };
	struct name_choice choice;
	struct name_list present;

	if (!rows_collect(&all, v, LABEL_SERVICE, &present, err))
		return false;
	name_choose(&s->candidates, &present, &choice);
	/* Series may be empty where the list of values is not. */
	if (!choice.name.ptr && !choice.doubt_count)
		name_choose(&s->candidates, &s->services.names, &choice);
	if (!choice.name.ptr && !choice.doubt_count &&
	    !find_by_pod(s, v, &out->name, err))
		return false;
	if (out->name.ptr) {
		out->how = STR("pod");
		investigation_note(v, (struct note){ .kind = NOTE_NAME_OTHER,
						     .name = out->name });
		return true;
	}
	if (choice.name.ptr) {
		out->name = choice.name;
		out->how = str_from(choice.how);
		if (!str_equal(choice.name, s->service))
			investigation_note(
				v, (struct note){ .kind = NOTE_NAME_OTHER,
						  .name = choice.name });
		return name_list_has(&present, choice.name) ||
		       lookup_ask_again(s, v, choice.name, err);
	}
	if (s->services.job.has_answer)
		return fail_missing(s, v, &choice, err);
	if (!s->series.job.has_answer)
		return assume_name(s, v, out, err);
	*err = s->services.job.err;
	return false;
}

bool profile_lookup_apply(struct profile_lookup *l, struct investigation *v,
			  struct profile_service *out, struct error *err)
{
	struct profile_lookup_state *s = l->state;
	struct rows r = { .s = s };

	*out = (struct profile_service){ .name = { NULL, 0 } };
	if (!(s->is_given ? take_given : take_found)(s, v, out, err))
		return false;
	if (!s->is_given)
		r.name = out->name;
	choose_maps(&r, v);
	return choose_places(&r, v, out, err) &&
	       build_selector(&r, v, out, err) &&
	       rows_collect(&r, v, LABEL_TYPE, &out->types, err) &&
	       rows_collect_first(&r, v, LABEL_INSTANCE, INSTANCE_LABELS,
				  &out->instance_label, &out->instances, err) &&
	       rows_collect_first(&r, v, LABEL_VERSION, VERSION_LABELS,
				  &out->version_label, &out->versions, err);
}

bool profile_lookup_knows(const struct profile_lookup *l,
			  struct investigation *v, struct str service)
{
	struct name_candidates candidates;
	struct name_choice choice;
	struct error ignored;

	for (size_t i = 0; i < v->question->map_count; i++) {
		struct str map = str_from(v->question->maps[i]);

		if (str_equal(str_slice(map, 0, str_find(map, STR("="))),
			      service))
			return true;
	}
	if (!name_candidates_init(&candidates, NULL, 0, service,
				  v->backends->arena, &ignored))
		return false;
	name_choose(&candidates, &l->state->services.names, &choice);
	return choice.name.ptr != NULL;
}

struct str selector_with(struct investigation *v, struct str selector,
			 struct str label, struct str value, bool is_excluded)
{
	struct str none = { NULL, 0 }, text = str_trim(selector);
	struct error err;
	struct buf out;

	buf_init(&out, 2 * LIMIT_OPTION_VALUE_BYTES);
	/* Without its brace, as selector_match() goes on. */
	if (str_ends(text, STR("}")))
		text = str_trim(str_slice(text, 0, text.len - 1));
	if (str_ends(text, STR(",")))
		text.len--;
	if (!str_equal(text, STR("{")))
		buf_add_str(&out, text);
	selector_match(&out, label, is_excluded ? "!=" : "=", value);
	return take_selector(&out, v, &text, &err) ? text : none;
}

/* Which types of profiles a service sends, or all services, and which services
 * there are. Knows no options. */

bool profile_types_ask(struct profile_types *t, struct backends *b,
		       struct error *err)
{
	/* Types and names together: the names tell why there are no types. */
	struct names_job types, services;
	struct job *jobs[] = { &types.job, &services.job };
	struct str selector;

	if (!selector_of_service(b->arena, t->service, &selector, err))
		return false;
	types_job_init(&types, selector.ptr, t->window);
	services_job_init(&services, t->window);
	if (!jobs_run(b, jobs, 2, err))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!jobs[i]->has_answer) {
			*err = jobs[i]->err;
			return false;
		}
	}
	t->ids = types.names;
	t->services = services.names;
	return true;
}
