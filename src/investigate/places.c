/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_service.h"

#define PLACE_ATTRS 2

enum place_kind {
	PLACE_K8S_NAMESPACE,
	PLACE_NAMESPACE,
	PLACE_ENVIRONMENT,
	PLACE_CLUSTER,
	PLACE_REGION,
	PLACE_KINDS,
};

#define ATTRS ((size_t)PLACE_KINDS * PLACE_ATTRS)

static const char *const place_attrs[PLACE_KINDS][PLACE_ATTRS] = {
	[PLACE_K8S_NAMESPACE] = { "k8s.namespace.name" },
	[PLACE_NAMESPACE] = { "service.namespace" },
	[PLACE_ENVIRONMENT] = { "deployment.environment.name",
				"deployment.environment" },
	[PLACE_CLUSTER] = { "k8s.cluster.name" },
	[PLACE_REGION] = { "cloud.region", "region" },
};

const char *const place_labels[PLACE_LABELS] = {
	"namespace",
	"k8s_namespace_name",
	"k8s.namespace.name",
	"service_namespace",
	"service.namespace",
	"deployment_environment_name",
	"deployment.environment.name",
	"deployment_environment",
	"deployment.environment",
	"environment",
	"env",
	"k8s_cluster_name",
	"k8s.cluster.name",
	"cluster_name",
	"cluster",
	"cloud_region",
	"cloud.region",
	"k8s_region",
	"region",
};

/* The meanings of the labels. Those that people name themselves may have words
 * of their own ("prod" for "production"), so that another word proves nothing.
 */
static const struct {
	enum place_kind kind;
	bool is_own_word;
} meanings[PLACE_LABELS] = {
	{ PLACE_K8S_NAMESPACE, false }, { PLACE_K8S_NAMESPACE, false },
	{ PLACE_K8S_NAMESPACE, false }, { PLACE_NAMESPACE, false },
	{ PLACE_NAMESPACE, false },     { PLACE_ENVIRONMENT, false },
	{ PLACE_ENVIRONMENT, false },   { PLACE_ENVIRONMENT, false },
	{ PLACE_ENVIRONMENT, false },   { PLACE_ENVIRONMENT, true },
	{ PLACE_ENVIRONMENT, true },    { PLACE_CLUSTER, false },
	{ PLACE_CLUSTER, false },       { PLACE_CLUSTER, true },
	{ PLACE_CLUSTER, true },        { PLACE_REGION, false },
	{ PLACE_REGION, false },        { PLACE_REGION, true },
	{ PLACE_REGION, true },
};

struct chooser {
	struct place_rows *rows;
	const struct trace *trace;
	uint32_t resource;
	bool is_near;
	bool is_settled[PLACE_KINDS];
	struct place_doubt doubts[PLACE_KINDS]; /* the first of each */
	struct arena *arena;
	struct places *out;
};

static struct str row_value(const struct place_rows *r, size_t row,
			    size_t label)
{
	return r->values[row * r->label_count + label];
}

static struct str place_value(const struct place_rows *r, size_t row,
			      size_t label)
{
	return row_value(r, row, r->place_first + label);
}

/* ---- what series say of a label ---- */

struct label_facts {
	struct name_list values;
	bool is_missing; /* from some rows */
};

static bool read_label(const struct chooser *c, size_t label,
		       struct label_facts *out, struct error *err)
{
	const struct place_rows *r = c->rows;
	size_t cap = 0;

	*out = (struct label_facts){ .is_missing = false };
	for (size_t row = 0; row < r->count; row++) {
		struct str value = place_value(r, row, label);
		struct name_list *list = &out->values;
		void *items = list->items;

		if (!r->is_ours[row])
			continue;
		out->is_missing |= !value.len;
		if (!value.len ||
		    (list->count &&
		     str_equal(list->items[list->count - 1], value)))
			continue;
		if (!arena_reserve(c->arena, &items, &cap, list->count + 1,
				   sizeof *list->items))
			return arena_fail(c->arena, "the server's series", err);
		list->items = items;
		list->items[list->count++] = value;
	}
	name_list_sort(&out->values);
	return true;
}

/* Code may label parts of its work with the region of a customer: then the same
 * process has series with and without the label, which does not name its place.
 * The same applies if series do not distinguish instances. */
static bool names_place(const struct chooser *c, size_t label,
			const struct label_facts *facts, bool *names,
			struct error *err)
{
	const struct place_rows *r = c->rows;
	struct name_list with = { NULL, 0 }, without = { NULL, 0 };
	size_t i = 0, k = 0;

	*names = true;
	if (!facts->is_missing)
		return true;
	with.items = arena_array(c->arena, r->count, sizeof(struct str));
	without.items = arena_array(c->arena, r->count, sizeof(struct str));
	if (!with.items || !without.items)
		return arena_fail(c->arena, "the server's series", err);
	for (size_t row = 0; row < r->count; row++) {
		struct name_list *list =
			place_value(r, row, label).len ? &with : &without;
		struct str *instance = &list->items[list->count];

		if (!r->is_ours[row])
			continue;
		/* The first instance label that the row has, if any. */
		*instance = (struct str){ NULL, 0 };
		for (size_t n = 0; n < INSTANCE_LABELS && !instance->ptr; n++) {
			struct str value =
				row_value(r, row, r->instance_first + n);

			if (value.len)
				*instance = value;
		}
		list->count++;
	}
	name_list_sort(&with);
	name_list_sort(&without);
	while (*names && i < with.count && k < without.count) {
		int order = str_compare(with.items[i], without.items[k]);

		*names = order != 0;
		i += order < 0;
		k += order > 0;
	}
	return true;
}

/* ---- what the trace says ---- */

static bool find_by_attrs(const struct chooser *c, size_t label,
			  const struct name_list *values, struct place *out)
{
	for (size_t i = 0; i < ATTRS; i++) {
		enum place_kind kind = (enum place_kind)(i / PLACE_ATTRS);
		const char *attr = place_attrs[kind][i % PLACE_ATTRS];
		struct str wanted;

		/* Labels called "namespace" are of Kubernetes as a rule, and
		 * sometimes of what OpenTelemetry calls so. */
		if (!attr || (kind != meanings[label].kind &&
			      (label != 0 || kind != PLACE_NAMESPACE)))
			continue;
		wanted = resource_attr(c->trace, c->resource, str_from(attr));
		out->attr = attr;
		/* In either case, as people write them. */
		for (size_t k = 0; wanted.len && k < values->count; k++)
			if (str_equal_nocase(values->items[k], wanted)) {
				out->value = values->items[k];
				return true;
			}
	}
	return false;
}

/* The value that all series of the process have, of which one of the instance
 * labels names it; *is_known: it has series. */
static struct str value_of_instance(const struct chooser *c, size_t label,
				    struct str instance, bool *is_known)
{
	const struct place_rows *r = c->rows;
	struct str found = { NULL, 0 };

	for (size_t row = 0; row < r->count; row++) {
		struct str value = place_value(r, row, label);
		size_t i = 0;

		while (i < INSTANCE_LABELS &&
		       !str_equal(row_value(r, row, r->instance_first + i),
				  instance))
			i++;
		if (!r->is_ours[row] || !instance.len || i == INSTANCE_LABELS)
			continue;
		*is_known = true;
		if (!value.len || (found.ptr && !str_equal(found, value)))
			return (struct str){ NULL, 0 };
		found = value;
	}
	return found;
}

static bool find_by_instance(const struct chooser *c, size_t label,
			     struct place *out, bool *is_known)
{
	*is_known = false;
	for (size_t i = 0; !c->is_near && i < INSTANCE_ATTRS; i++) {
		struct str instance =
			resource_attr(c->trace, c->resource,
				      str_from(instance_attrs[i]));

		out->attr = instance_attrs[i];
		out->value = value_of_instance(c, label, instance, is_known);
		if (out->value.len)
			return true;
	}
	return false;
}

/* ---- choosing ---- */

static void label_doubt(struct chooser *c, size_t label,
			const struct label_facts *facts)
{
	enum place_kind kind = meanings[label].kind;
	bool is_split = facts->values.count > 1 || facts->is_missing;
	const char *attr = NULL;
	struct str value = { NULL, 0 };
	bool is_absent;

	for (size_t i = 0; !value.len && i < PLACE_ATTRS; i++) {
		attr = place_attrs[kind][i];
		if (attr)
			value = resource_attr(c->trace, c->resource,
					      str_from(attr));
	}
	is_absent = value.len && !meanings[label].is_own_word &&
		    !facts->is_missing && !c->is_near;
	if (c->doubts[kind].trouble || (!is_split && !is_absent))
		return;
	c->doubts[kind] = (struct place_doubt){
		.trouble = is_absent ? PLACES_ABSENT : PLACES_UNTOLD,
		.label = place_labels[label],
		.attr = attr,
		.value = value,
		.present = facts->values,
	};
}

static bool choose_label(struct chooser *c, size_t label, struct error *err)
{
	struct place found = { .label = place_labels[label] };
	bool is_place, is_instance_known;
	struct label_facts facts;

	if (!read_label(c, label, &facts, err) ||
	    !names_place(c, label, &facts, &is_place, err))
		return false;
	if (!facts.values.count || !is_place)
		return true;
	if (find_by_attrs(c, label, &facts.values, &found) ||
	    find_by_instance(c, label, &found, &is_instance_known)) {
		c->is_settled[meanings[label].kind] = true;
		if (facts.values.count > 1 || facts.is_missing) {
			struct place_rows *r = c->rows;

			for (size_t row = 0; row < r->count; row++)
				r->is_ours[row] &=
					str_equal(place_value(r, row, label),
						  found.value);
			c->out->items[c->out->count++] = found;
		}
	} else if (!is_instance_known) {
		label_doubt(c, label, &facts);
	}
	return true;
}

bool places_are_told(const struct trace *trace, uint32_t resource)
{
	for (size_t i = 0; i < ATTRS; i++) {
		const char *attr =
			place_attrs[i / PLACE_ATTRS][i % PLACE_ATTRS];

		if (attr && resource_attr(trace, resource, str_from(attr)).len)
			return true;
	}
	return false;
}

bool places_choose(struct place_rows *rows, const struct trace *trace,
		   uint32_t resource, bool is_near, struct arena *arena,
		   struct places *out, struct error *err)
{
	struct chooser c = { .rows = rows,
			     .trace = trace,
			     .resource = resource,
			     .is_near = is_near,
			     .arena = arena,
			     .out = out };

	*out = (struct places){ .count = 0 };
	for (size_t i = 0; i < PLACE_LABELS; i++)
		if (!choose_label(&c, i, err))
			return false;
	for (size_t i = 0; i < PLACE_KINDS && !out->doubt.trouble; i++)
		if (!c.is_settled[i])
			out->doubt = c.doubts[i];
	return true;
}
