/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/google_labels.h"

#include <string.h>

#include "base/ascii.h"
#include "base/count.h"
#include "base/instance.h"
#include "base/limits.h"
#include "base/num.h"

#define KEY(literal)                                                           \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

enum resource_key {
	SERVICE,
	NAMESPACE,
	VERSION,
	INSTANCE,
	POD,
	K8S_NAMESPACE,
	CLUSTER,
	CONTAINER,
	NODE,
	REGION,
	ZONE,
	HOST,
	HOST_ID,
	FUNCTION,
	PID,
	RESOURCE_KEYS = GOOGLE_RESOURCE_KEYS,
};

/* Those with a name above first. */
static const struct str resource_keys[] = {
	[SERVICE] = KEY("service.name"),
	[NAMESPACE] = KEY("service.namespace"),
	[VERSION] = KEY("service.version"),
	[INSTANCE] = KEY(INSTANCE_ID),
	[POD] = KEY(INSTANCE_POD),
	[K8S_NAMESPACE] = KEY("k8s.namespace.name"),
	[CLUSTER] = KEY("k8s.cluster.name"),
	[CONTAINER] = KEY("k8s.container.name"),
	[NODE] = KEY("k8s.node.name"),
	[REGION] = KEY("cloud.region"),
	[ZONE] = KEY("cloud.availability_zone"),
	[HOST] = KEY(INSTANCE_HOST),
	[HOST_ID] = KEY("host.id"),
	[FUNCTION] = KEY("faas.name"),
	[PID] = KEY("process.pid"),
	KEY("k8s.pod.uid"),
	KEY("k8s.deployment.name"),
	KEY("k8s.daemonset.name"),
	KEY("k8s.statefulset.name"),
	KEY("container.id"),
	KEY("container.name"),
	KEY("deployment.environment"),
	KEY("deployment.environment.name"),
	KEY("host.ip"),
	KEY("process.command"),
	KEY("process.executable.name"),
	KEY("process.runtime.name"),
	KEY("process.runtime.version"),
	KEY("telemetry.sdk.language"),
};

/* Who says it: the lower rank wins, of equals the first. A service that says
 * its own name is believed before the place that it runs in. */
enum rank {
	RANK_OWN = 1,
	RANK_PLACE,
	RANK_FUNCTION,
	RANK_CONTAINER,
	RANK_UNKNOWN, /* what an SDK writes that nobody told the name */
};

struct place_label {
	struct str label;
	enum resource_key key;
	enum rank rank;
};

/* Monitored resources, "g.co/r/TYPE/LABEL", by their last part: what the
 * labels of the types k8s_container, k8s_pod, cloud_run_revision,
 * cloud_function, gae_app, gae_instance, gce_instance and generic_task are
 * called. */
static const struct place_label monitored[] = {
	{ KEY("service_name"), SERVICE, RANK_PLACE },
	{ KEY("function_name"), SERVICE, RANK_PLACE },
	{ KEY("module_id"), SERVICE, RANK_PLACE },
	{ KEY("job"), SERVICE, RANK_PLACE },
	{ KEY("container_name"), CONTAINER, RANK_PLACE },
	{ KEY("pod_name"), POD, RANK_PLACE },
	{ KEY("namespace_name"), K8S_NAMESPACE, RANK_PLACE },
	{ KEY("cluster_name"), CLUSTER, RANK_PLACE },
	{ KEY("node_name"), NODE, RANK_PLACE },
	{ KEY("revision_name"), VERSION, RANK_PLACE },
	{ KEY("version_id"), VERSION, RANK_PLACE },
	{ KEY("namespace"), NAMESPACE, RANK_PLACE },
	{ KEY("task_id"), INSTANCE, RANK_PLACE },
	{ KEY("instance_id"), HOST_ID, RANK_PLACE },
	{ KEY("zone"), ZONE, RANK_PLACE },
	{ KEY("region"), REGION, RANK_PLACE },
	{ KEY("location"), REGION, RANK_PLACE },
};

static const struct place_label places[] = {
	{ KEY("g.co/gae/app/module"), SERVICE, RANK_PLACE },
	{ KEY("g.co/gae/app/version"), VERSION, RANK_PLACE },
	{ KEY("g.co/gae/app/module_version"), VERSION, RANK_FUNCTION },
	{ KEY("g.co/gae/app/instance"), INSTANCE, RANK_PLACE },
	{ KEY("g.co/gce/instance_id"), HOST_ID, RANK_PLACE },
	{ KEY("g.co/gce/hostname"), HOST, RANK_PLACE },
	{ KEY("faas.instance"), INSTANCE, RANK_PLACE },
	{ KEY("faas.version"), VERSION, RANK_PLACE },
	{ KEY("/pid"), PID, RANK_PLACE },
};

/* Labels of the span under OpenTelemetry's names. */
static const struct {
	struct str label;
	struct str key;
} renamed[] = {
	{ KEY("/http/method"), KEY("http.method") },
	{ KEY("/http/url"), KEY("http.url") },
	{ KEY("/http/route"), KEY("http.route") },
	{ KEY("/http/path"), KEY("url.path") },
	{ KEY("/http/host"), KEY("http.host") },
	{ KEY("/http/status_code"), KEY("http.status_code") },
	{ KEY("/http/request/size"), KEY("http.request.body.size") },
	{ KEY("/http/response/size"), KEY("http.response.body.size") },
	{ KEY("/error/name"), KEY("error.type") },
	{ KEY("/component"), KEY("component") },
	{ KEY("/tid"), KEY("thread.id") },
	/* OpenCensus' wrappers of SQL drivers. */
	{ KEY("sql.query"), KEY("db.statement") },
};

_Static_assert(COUNT_OF(resource_keys) == RESOURCE_KEYS,
	       "GOOGLE_RESOURCE_KEYS counts this table");

void google_labels_init(struct google_labels *l)
{
	memset(l, 0, sizeof *l);
	for (unsigned i = 0; i < RESOURCE_KEYS; i++)
		buf_init(&l->values[i], LIMIT_STRING_BYTES);
	buf_init(&l->message, LIMIT_STRING_BYTES);
}

void google_labels_release(struct google_labels *l)
{
	for (unsigned i = 0; i < RESOURCE_KEYS; i++)
		buf_release(&l->values[i]);
	buf_release(&l->message);
}

void google_labels_clear(struct google_labels *l)
{
	memset(l->ranks, 0, sizeof l->ranks);
	l->has_message = false;
	l->is_error = false;
	l->kind = SPAN_KIND_INTERNAL;
}

/* ---- the process ---- */

static void set(struct google_labels *l, enum resource_key key, enum rank rank,
		struct str value)
{
	if (key == SERVICE && str_starts(value, STR("unknown_service")))
		rank = RANK_UNKNOWN;
	if (!value.len || (l->ranks[key] && l->ranks[key] <= rank))
		return;
	l->ranks[key] = (unsigned char)rank;
	buf_clear(&l->values[key]);
	buf_add_str(&l->values[key], value);
}

/* "us-central1-a": a region's zone ends with one letter. */
static bool is_zone(struct str text)
{
	return text.len > 2 && text.ptr[text.len - 2] == '-' &&
	       ascii_is_lower(text.ptr[text.len - 1]);
}

static bool set_place(struct google_labels *l, const struct place_label *rows,
		      size_t count, struct str label, struct str value)
{
	for (size_t i = 0; i < count; i++) {
		enum resource_key key = rows[i].key;

		if (!str_equal(rows[i].label, label))
			continue;
		if (key == REGION && is_zone(value))
			key = ZONE;
		set(l, key, rows[i].rank, value);
		if (key == CONTAINER)
			set(l, SERVICE, RANK_CONTAINER, value);
		return true;
	}
	return false;
}

/* "k8s_container/pod_name": what is behind the type. */
static struct str behind_slash(struct str text)
{
	size_t at = str_find(text, STR("/"));

	return at == SIZE_MAX ? STR("") : str_slice(text, at + 1, text.len);
}

static bool take_own(struct google_labels *l, struct str label,
		     struct str value)
{
	for (unsigned i = 0; i < RESOURCE_KEYS; i++) {
		if (!str_equal(resource_keys[i], label))
			continue;
		set(l, (enum resource_key)i, RANK_OWN, value);
		if (i == FUNCTION)
			set(l, SERVICE, RANK_FUNCTION, value);
		if (i == CONTAINER)
			set(l, SERVICE, RANK_CONTAINER, value);
		return true;
	}
	return false;
}

static bool take_resource(struct google_labels *l, struct str label,
			  struct str value)
{
	static const struct str monitored_prefix = KEY("g.co/r/");

	if (str_starts(label, monitored_prefix))
		return set_place(
			l, monitored, COUNT_OF(monitored),
			behind_slash(str_slice(label, monitored_prefix.len,
					       label.len)),
			value);
	return set_place(l, places, COUNT_OF(places), label, value) ||
	       take_own(l, label, value);
}

struct str google_resource_key(unsigned index)
{
	return resource_keys[index];
}

bool google_labels_resource(const struct google_labels *l, unsigned index,
			    struct str *value)
{
	*value = buf_str(&l->values[index]);
	return l->ranks[index] != 0;
}

bool google_labels_are_complete(const struct google_labels *l)
{
	for (unsigned i = 0; i < RESOURCE_KEYS; i++)
		if (l->values[i].state == BUF_OUT_OF_MEMORY)
			return false;
	return l->message.state != BUF_OUT_OF_MEMORY;
}

/* ---- the span ---- */

static void take_message(struct google_labels *l, struct str value)
{
	if (l->has_message || !value.len)
		return;
	l->has_message = true;
	buf_clear(&l->message);
	buf_add_str(&l->message, value);
}

static bool is_server_failure(struct str status)
{
	uint64_t code;

	return parse_u64(status, &code) && code >= 500 && code < 600;
}

enum status_label {
	STATUS_NONE,
	STATUS_CODE, /* of google.rpc.Code, 0 is OK */
	STATUS_OTEL,
	STATUS_MESSAGE,
	STATUS_ERROR_MESSAGE,
	STATUS_ERROR_FLAG,
	STATUS_KIND,
};

static const struct {
	struct str label;
	enum status_label what;
} statuses[] = {
	{ KEY("g.co/status/code"), STATUS_CODE },
	{ KEY("g.co/status/description"), STATUS_MESSAGE },
	{ KEY("g.co/spankind"), STATUS_KIND },
	{ KEY("otel.status_code"), STATUS_OTEL },
	{ KEY("otel.status_description"), STATUS_MESSAGE },
	{ KEY("/error/message"), STATUS_ERROR_MESSAGE },
	{ KEY("error"), STATUS_ERROR_FLAG },
	{ KEY("/span/kind"), STATUS_KIND },
	{ KEY("span.kind"), STATUS_KIND },
};

static bool take_status(struct google_labels *l, struct str label,
			struct str value)
{
	enum status_label what = STATUS_NONE;
	enum span_kind kind;

	for (size_t i = 0; i < COUNT_OF(statuses); i++)
		if (str_equal(statuses[i].label, label))
			what = statuses[i].what;
	switch (what) {
	case STATUS_CODE:
		l->is_error |= !str_equal(value, STR("0"));
		break;
	case STATUS_OTEL:
		l->is_error |= str_equal_nocase(value, STR("error"));
		break;
	case STATUS_MESSAGE:
		take_message(l, value);
		break;
	case STATUS_ERROR_MESSAGE:
		l->is_error = true;
		take_message(l, value);
		break;
	case STATUS_ERROR_FLAG:
		l->is_error |= !str_equal_nocase(value, STR("false"));
		break;
	case STATUS_KIND:
		if (span_kind_parse(value, &kind))
			l->kind = kind;
		break;
	case STATUS_NONE:
		break;
	}
	return what != STATUS_NONE;
}

bool google_labels_take(struct google_labels *l, struct str label,
			struct str value, struct str *key)
{
	*key = label;
	if (take_status(l, label, value) || take_resource(l, label, value))
		return false;
	for (size_t i = 0; i < COUNT_OF(renamed); i++)
		if (str_equal(renamed[i].label, label))
			*key = renamed[i].key;
	if (str_equal(*key, STR("error.type")))
		l->is_error = true;
	else if (str_equal(*key, STR("http.status_code")) ||
		 str_equal(*key, STR("http.response.status_code")))
		l->is_error |= is_server_failure(value);
	return true;
}

enum span_kind google_kind(struct str text)
{
	if (str_equal(text, STR("RPC_SERVER")) || str_equal(text, STR("1")))
		return SPAN_KIND_SERVER;
	if (str_equal(text, STR("RPC_CLIENT")) || str_equal(text, STR("2")))
		return SPAN_KIND_CLIENT;
	return SPAN_KIND_INTERNAL;
}
