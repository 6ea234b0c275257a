/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace_build.h"

#define KEY(literal)                                                           \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

/* OpenTelemetry semantic conventions 1.44 with the older names that are still
 * emitted, what Jaeger and Pyroscope add, and Jaeger's own process tags.
 * Sorted bytewise: the position is both the search key and the order in which
 * a span's attributes are stored. */
static const struct str kept_keys[] = {
	KEY("@jaeger@warnings"),
	KEY("cloud.availability_zone"),
	KEY("cloud.region"),
	KEY("code.file.path"),
	KEY("code.filepath"),
	KEY("code.function"),
	KEY("code.function.name"),
	KEY("code.line.number"),
	KEY("code.lineno"),
	KEY("code.namespace"),
	KEY("code.stacktrace"),
	KEY("component"),
	KEY("container.id"),
	KEY("container.name"),
	KEY("db.client.connection.pool.name"),
	KEY("db.collection.name"),
	KEY("db.mongodb.collection"),
	KEY("db.name"),
	KEY("db.namespace"),
	KEY("db.operation"),
	KEY("db.operation.batch.size"),
	KEY("db.operation.name"),
	KEY("db.query.summary"),
	KEY("db.query.text"),
	KEY("db.response.returned_rows"),
	KEY("db.response.status_code"),
	KEY("db.sql.table"),
	KEY("db.statement"),
	KEY("db.stored_procedure.name"),
	KEY("db.system"),
	KEY("db.system.name"),
	KEY("deployment.environment"),
	KEY("deployment.environment.name"),
	KEY("error"),
	KEY("error.type"),
	KEY("exception.message"),
	KEY("exception.type"),
	KEY("faas.name"),
	KEY("graphql.operation.name"),
	KEY("graphql.operation.type"),
	KEY("host.id"),
	KEY("host.ip"),
	KEY("host.name"),
	KEY("hostname"),
	KEY("http.host"),
	KEY("http.method"),
	KEY("http.request.body.size"),
	KEY("http.request.method"),
	KEY("http.request.resend_count"),
	KEY("http.response.body.size"),
	KEY("http.response.status_code"),
	KEY("http.route"),
	KEY("http.status_code"),
	KEY("http.target"),
	KEY("http.url"),
	KEY("ip"),
	KEY("k8s.cluster.name"),
	KEY("k8s.container.name"),
	KEY("k8s.daemonset.name"),
	KEY("k8s.deployment.name"),
	KEY("k8s.namespace.name"),
	KEY("k8s.node.name"),
	KEY("k8s.pod.name"),
	KEY("k8s.pod.uid"),
	KEY("k8s.statefulset.name"),
	KEY("message_bus.destination"),
	KEY("messaging.batch.message_count"),
	KEY("messaging.consumer.group.name"),
	KEY("messaging.destination"),
	KEY("messaging.destination.name"),
	KEY("messaging.destination.partition.id"),
	KEY("messaging.eventhubs.message.enqueued_time"),
	KEY("messaging.kafka.offset"),
	KEY("messaging.operation"),
	KEY("messaging.operation.name"),
	KEY("messaging.operation.type"),
	KEY("messaging.servicebus.message.enqueued_time"),
	KEY("messaging.system"),
	KEY("net.peer.name"),
	KEY("net.peer.port"),
	KEY("network.peer.address"),
	KEY("peer.address"),
	KEY("peer.hostname"),
	KEY("peer.service"),
	KEY("process.command"),
	KEY("process.executable.name"),
	KEY("process.pid"),
	KEY("process.runtime.name"),
	KEY("process.runtime.version"),
	KEY("pyroscope.profile.id"),
	KEY("pyroscope.profile.url"),
	KEY("region"),
	KEY("rpc.grpc.status_code"),
	KEY("rpc.method"),
	KEY("rpc.response.status_code"),
	KEY("rpc.service"),
	KEY("rpc.status_code"),
	KEY("rpc.system"),
	KEY("rpc.system.name"),
	KEY("server.address"),
	KEY("server.port"),
	KEY("service.instance.id"),
	KEY("service.name"),
	KEY("service.namespace"),
	KEY("service.peer.name"),
	KEY("service.version"),
	KEY("telemetry.sdk.language"),
	KEY("thread.id"),
	KEY("thread.name"),
	KEY("url.full"),
	KEY("url.path"),
	KEY("url.query"),
	KEY("url.scheme"),
};

_Static_assert(sizeof kept_keys / sizeof *kept_keys == KEPT_COUNT,
	       "KEPT_COUNT counts this table");

struct str kept_key(unsigned index)
{
	return kept_keys[index];
}

unsigned kept_find(struct str key)
{
	unsigned low = 0, high = KEPT_COUNT;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;
		int order = str_compare(kept_keys[mid], key);

		if (order == 0)
			return mid;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return KEPT_COUNT;
}

bool attr_is_kept(struct str key)
{
	return kept_find(key) < KEPT_COUNT;
}
