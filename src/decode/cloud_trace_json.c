/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace v1 JSON: a trace ({"projectId", "traceId", "spans"}), a page of a
 * list ({"traces", "nextPageToken"}), or several of them. There are no events
 * and links; some labels of each span belong to its resource, which is
 * reassembled from them. Only the span being read is kept.
 */
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/instance.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/trace_json.h"
#include "model/trace.h"

/* Labels of Cloud Trace, the only data of spans there. Attributes of the span
 * and its resource, status and kind in OpenTelemetry are each a label, by
 * OpenTelemetry's names or by older ones of Google's agents and OpenCensus
 * ("/http/method", "g.co/r/..."). */

#define KEY(literal)                                                           \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

/* Number of resource attributes that are kept, as in resource_keys. */
#define GOOGLE_RESOURCE_KEYS 29u

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

/* Those used by name come first. */
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

/* Reliability of a source: the lower rank wins, of equal ones the first. A
 * service name set by the service is preferred to the name of where it runs. */
enum rank {
	RANK_OWN = 1,
	RANK_PLACE,
	RANK_FUNCTION,
	RANK_CONTAINER,
	RANK_UNKNOWN, /* an SDK's default name */
};

struct place_label {
	struct str label;
	enum resource_key key;
	enum rank rank;
};

/* Monitored resources, "g.co/r/TYPE/LABEL", by the last part: labels of the
 * types k8s_container, k8s_pod, cloud_run_revision, cloud_function, gae_app,
 * gae_instance, gce_instance and generic_task. */
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

/* Span labels with OpenTelemetry's names. */
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
	/* OpenCensus wrappers of SQL drivers. */
	{ KEY("sql.query"), KEY("db.statement") },
};

_Static_assert(COUNT_OF(resource_keys) == RESOURCE_KEYS,
	       "GOOGLE_RESOURCE_KEYS counts this table");

/* Facts in the labels of a span that are not attributes of it. */
struct google_labels {
	struct buf values[GOOGLE_RESOURCE_KEYS];
	unsigned char ranks[GOOGLE_RESOURCE_KEYS]; /* 0: unset */
	struct buf message;                        /* error message */
	bool has_message;
	bool is_error;
	enum span_kind kind; /* internal if unset */
};

/* ---- resource ---- */

static void label_set(struct google_labels *l, enum resource_key key,
		      enum rank rank, struct str value)
{
	if (key == SERVICE && str_starts(value, STR("unknown_service")))
		rank = RANK_UNKNOWN;
	if (!value.len || (l->ranks[key] && l->ranks[key] <= rank))
		return;
	l->ranks[key] = (unsigned char)rank;
	buf_clear(&l->values[key]);
	buf_add_str(&l->values[key], value);
}

static bool set_place(struct google_labels *l, const struct place_label *rows,
		      size_t count, struct str label, struct str value)
{
	for (size_t i = 0; i < count; i++) {
		enum resource_key key = rows[i].key;

		if (!str_equal(rows[i].label, label))
			continue;
		/* "us-central1-a": a zone is a region with a final letter. */
		if (key == REGION && value.len > 2 &&
		    value.ptr[value.len - 2] == '-' &&
		    ascii_is_lower(value.ptr[value.len - 1]))
			key = ZONE;
		label_set(l, key, rows[i].rank, value);
		if (key == CONTAINER)
			label_set(l, SERVICE, RANK_CONTAINER, value);
		return true;
	}
	return false;
}

static bool take_own(struct google_labels *l, struct str label,
		     struct str value)
{
	for (unsigned i = 0; i < RESOURCE_KEYS; i++) {
		if (!str_equal(resource_keys[i], label))
			continue;
		label_set(l, (enum resource_key)i, RANK_OWN, value);
		if (i == FUNCTION)
			label_set(l, SERVICE, RANK_FUNCTION, value);
		if (i == CONTAINER)
			label_set(l, SERVICE, RANK_CONTAINER, value);
		return true;
	}
	return false;
}

static bool take_resource(struct google_labels *l, struct str label,
			  struct str value)
{
	static const struct str monitored_prefix = KEY("g.co/r/");

	if (str_starts(label, monitored_prefix)) {
		/* The part after the type: "k8s_container/pod_name". */
		size_t slash = str_until(label, monitored_prefix.len, '/');

		return set_place(l, monitored, COUNT_OF(monitored),
				 str_slice(label, slash + 1, label.len), value);
	}
	return set_place(l, places, COUNT_OF(places), label, value) ||
	       take_own(l, label, value);
}

/* ---- span ---- */

static void take_message(struct google_labels *l, struct str value)
{
	if (l->has_message || !value.len)
		return;
	l->has_message = true;
	buf_clear(&l->message);
	buf_add_str(&l->message, value);
}

enum status_label {
	STATUS_NONE,
	STATUS_CODE, /* google.rpc.Code, 0 is OK */
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

/* Processes a label. Returns true if it is an attribute of the span: *key is
 * its OpenTelemetry name (or the label's), borrowed from label or static. */
static bool google_labels_take(struct google_labels *l, struct str label,
			       struct str value, struct str *key)
{
	*key = label;
	if (take_status(l, label, value) || take_resource(l, label, value))
		return false;
	for (size_t i = 0; i < COUNT_OF(renamed); i++)
		if (str_equal(renamed[i].label, label))
			*key = renamed[i].key;
	if (str_equal(*key, STR("error.type"))) {
		l->is_error = true;
	} else if (str_equal(*key, STR("http.status_code")) ||
		 str_equal(*key, STR("http.response.status_code"))) {
		uint64_t code;

		l->is_error |=
			parse_u64(value, &code) && code >= 500 && code < 600;
	}
	return true;
}

/* Maximum number of spans returned by GetTrace, which does not report
 * truncation (Google's page of quotas and limits of Cloud Trace). */
#define SPANS_MAX ((size_t)10000)

enum field {
	FIELD_END,
	FIELD_ID,
	FIELD_KIND,
	FIELD_LABELS,
	FIELD_NAME,
	FIELD_PARENT,
	FIELD_START,
};

struct cloud {
	struct trace_json t;
	struct google_labels labels;
	struct trace_id trace_id;
	bool has_trace_id;
	size_t span_count; /* of the trace being read */
};

/* ---- spans ---- */

/* Reads a decimal, as proto3 writes a fixed64; "0" and "" are no id. */
static uint64_t read_id(struct cloud *c)
{
	struct str text = STR("");
	uint64_t id = 0;

	if (json_peek(c->t.r) == JSON_NULL)
		json_skip(c->t.r);
	else if (json_number_text(c->t.r, &text) && text.len &&
		 !parse_u64(text, &id))
		json_fail(c->t.r,
			  "'%.*s' is no span id: decimal numbers of 64 "
			  "bits are expected",
			  STR_ARGS(text));
	return id;
}

static int64_t read_time(struct cloud *c)
{
	struct str text = json_text_nullable(c->t.r);
	int64_t time_ns = 0;

	if (text.len && !parse_rfc3339(text, &time_ns))
		json_fail(c->t.r, "'%.*s' is no time", STR_ARGS(text));
	return time_ns;
}

static enum span_kind read_kind(struct cloud *c)
{
	struct str text = STR("");

	if (json_peek(c->t.r) == JSON_NULL)
		json_skip(c->t.r);
	else
		(void)!json_number_text(c->t.r, &text);
	/* "RPC_SERVER", or the enum value. */
	if (str_equal(text, STR("RPC_SERVER")) || str_equal(text, STR("1")))
		return SPAN_KIND_SERVER;
	if (str_equal(text, STR("RPC_CLIENT")) || str_equal(text, STR("2")))
		return SPAN_KIND_CLIENT;
	return SPAN_KIND_INTERNAL;
}

/* The format defines them as strings. */
static void read_labels(struct cloud *c)
{
	struct trace_json *t = &c->t;
	struct attr_key label;
	struct str name, value, key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &name)) {
		attr_key_set(&label, name);
		if (json_peek(t->r) != JSON_STRING) {
			json_skip(t->r);
			continue;
		}
		if (json_text(t->r, &value) &&
		    google_labels_take(&c->labels, attr_key_str(&label), value,
				       &key))
			trace_json_taken(
				t, taker_attr(t->to, key, value, &t->err));
	}
}

/* Reads a field. Times before 1970 are out of range, which takers handle. For
 * spans that are not kept only ids and times are needed. */
static void read_field(struct cloud *c, int field, struct span_input *in)
{
	if ((field == FIELD_KIND || field == FIELD_NAME ||
	     field == FIELD_LABELS) &&
	    taker_skips(c->t.to, &in->trace_id)) {
		json_skip(c->t.r);
		return;
	}
	switch (field) {
	case FIELD_ID:
		in->span_id = read_id(c);
		break;
	case FIELD_PARENT:
		in->parent_id = read_id(c);
		break;
	case FIELD_KIND:
		in->kind = (uint8_t)read_kind(c);
		break;
	case FIELD_NAME:
		trace_json_name(&c->t, in);
		break;
	case FIELD_START:
		in->start_unix_ns = (uint64_t)read_time(c);
		break;
	case FIELD_END:
		in->end_unix_ns = (uint64_t)read_time(c);
		break;
	case FIELD_LABELS:
		read_labels(c);
		break;
	}
}

static bool store_span(struct cloud *c, struct span_input *in)
{
	const struct google_labels *labels = &c->labels;
	bool is_starved = labels->message.state == BUF_OUT_OF_MEMORY;
	struct taker *to = c->t.to;
	struct error *err = &c->t.err;

	for (unsigned i = 0; i < RESOURCE_KEYS; i++)
		is_starved |= labels->values[i].state == BUF_OUT_OF_MEMORY;
	if (is_starved)
		return error_memory(err, "a span");
	/* What the two kinds there are cannot tell is a label. */
	if (in->kind == SPAN_KIND_INTERNAL)
		in->kind = (uint8_t)labels->kind;
	in->flags = labels->is_error ? SPAN_IS_ERROR : 0;
	if ((labels->has_message && !taker_text(to, buf_str(&labels->message),
						&in->status_message, err)) ||
	    !taker_process_reserve(to, &in->resource, err) ||
	    !taker_span(to, in, err))
		return false;
	taker_attrs_begin(to, ATTRS_OF_PROCESS);
	for (unsigned i = 0; i < GOOGLE_RESOURCE_KEYS; i++)
		if (labels->ranks[i] &&
		    !taker_attr(to, resource_keys[i],
				buf_str(&labels->values[i]), err))
			return false;
	return taker_process_describe(to, in->resource, err) &&
	       taker_settle(to, err);
}

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("spanId", FIELD_ID), JSON_NAME("kind", FIELD_KIND),
	JSON_NAME("name", FIELD_NAME), JSON_NAME("startTime", FIELD_START),
	JSON_NAME("endTime", FIELD_END),
	JSON_NAME("parentSpanId", FIELD_PARENT),
	JSON_NAME("labels", FIELD_LABELS));

static void read_span(struct cloud *c)
{
	struct google_labels *l = &c->labels;
	struct span_input in = { .trace_id = c->trace_id };
	int field;

	if (!c->has_trace_id) {
		json_fail(c->t.r, "a span of a trace without an id");
		return;
	}
	memset(l->ranks, 0, sizeof l->ranks);
	l->has_message = false;
	l->is_error = false;
	l->kind = SPAN_KIND_INTERNAL;
	taker_attrs_begin(c->t.to, ATTRS_OF_SPAN);
	while ((field = json_next_field(c->t.r, &span_fields)) >= 0)
		read_field(c, field, &in);
	if (json_failed(c->t.r))
		return;
	c->span_count++;
	trace_json_taken(&c->t, taker_skips(c->t.to, &in.trace_id)
					? taker_span(c->t.to, &in, &c->t.err)
					: store_span(c, &in));
}

static void read_spans(struct cloud *c)
{
	if (json_enter_nullable(c->t.r, JSON_ARRAY))
		while (json_next_object(c->t.r))
			read_span(c);
}

/* ---- traces ---- */

static void read_late_spans(struct trace_json *t)
{
	/* struct cloud begins with it. */
	read_spans((struct cloud *)t);
}

static void trace_begin(struct cloud *c)
{
	c->has_trace_id = false;
	c->span_count = 0;
	buf_clear(&c->t.late);
}

static void trace_end(struct cloud *c)
{
	struct trace_json *t = &c->t;
	char hex[33];

	trace_json_read_late(t, read_late_spans);
	if (!json_failed(t->r) && c->has_trace_id)
		trace_json_taken(t,
				 taker_trace_end(t->to, &c->trace_id, &t->err));
	if (c->span_count >= SPANS_MAX) {
		trace_id_format(&c->trace_id, hex);
		taker_partial(t->to,
			      "Cloud Trace gives at most 10,000 spans of a "
			      "trace: of %s others may be missing",
			      hex);
	}
	/* Also ends the page around the last trace. */
	trace_begin(c);
}

static void read_trace_member(struct cloud *c, struct str key)
{
	if (str_equal(key, STR("traceId"))) {
		struct str text = json_text_nullable(c->t.r);

		c->has_trace_id = trace_id_parse(text, &c->trace_id);
		if (!c->has_trace_id)
			json_fail(c->t.r, "'%.*s' is no trace id",
				  STR_ARGS(text));
	} else if (!str_equal(key, STR("spans"))) {
		json_skip(c->t.r);
	} else if (c->has_trace_id) {
		read_spans(c);
	} else {
		trace_json_keep_late(&c->t);
	}
}

static void read_traces(struct cloud *c)
{
	if (json_enter_nullable(c->t.r, JSON_ARRAY))
		while (json_next_object(c->t.r)) {
			struct str key;

			trace_begin(c);
			while (json_next_key(c->t.r, &key))
				read_trace_member(c, key);
			trace_end(c);
		}
}

/* Reads a trace, or a page of them: they share no keys. */
static void read_document(struct cloud *c)
{
	struct str key;

	if (json_peek(c->t.r) == JSON_ARRAY) {
		read_traces(c);
		return;
	}
	if (!json_enter(c->t.r, JSON_OBJECT))
		return;
	trace_begin(c);
	while (json_next_key(c->t.r, &key))
		if (str_equal(key, STR("traces"))) {
			read_traces(c);
		} else if (str_equal(key, STR("nextPageToken"))) {
			struct str token = json_text_nullable(c->t.r);

			if (token.len)
				taker_next_page(c->t.to, token);
		} else {
			read_trace_member(c, key);
		}
	trace_end(c);
}

bool decode_cloud_trace_json(struct feed *feed, struct taker *to,
			     struct error *err)
{
	struct cloud c = { .has_trace_id = false };
	bool is_read;

	if (!trace_json_init(&c.t, feed, to, err))
		return false;
	for (unsigned i = 0; i < RESOURCE_KEYS; i++)
		buf_init(&c.labels.values[i], LIMIT_STRING_BYTES);
	buf_init(&c.labels.message, LIMIT_STRING_BYTES);
	while (!json_at_end(c.t.r))
		read_document(&c);
	is_read = trace_json_finish(&c.t, "Cloud Trace JSON", err);
	for (unsigned i = 0; i < RESOURCE_KEYS; i++)
		buf_release(&c.labels.values[i]);
	buf_release(&c.labels.message);
	return is_read;
}
