/* SPDX-License-Identifier: Apache-2.0 */
#include "base/instance.h"
#include "decode/xray_segment.h"

/* Members of "http", "aws", "sql" and "service" by their paths, and the names
 * that OpenTelemetry has for them. Others keep their path. */
static const struct xray_naming namings[] = {
#define OF_SPAN(path, key)                                                     \
	{                                                                      \
		{ path, sizeof(path) - 1 }, { key, sizeof(key) - 1 },          \
			XRAY_ATTR                                              \
	}
#define OF_PROCESS(path, key)                                                  \
	{                                                                      \
		{ path, sizeof(path) - 1 }, { key, sizeof(key) - 1 },          \
			XRAY_OF_PROCESS                                        \
	}
	OF_SPAN("http.request.url", "url.full"),
	OF_SPAN("http.request.user_agent", "user_agent.original"),
	OF_SPAN("http.request.client_ip", "client.address"),
	OF_SPAN("http.response.status", "http.response.status_code"),
	OF_SPAN("http.response.content_length", "http.response.body.size"),
	OF_SPAN("sql.sanitized_query", "db.query.text"),
	OF_SPAN("sql.database_type", "db.system"),
	OF_SPAN("sql.user", "db.user"),
	OF_SPAN("aws.table_name", "db.collection.name"),
	OF_SPAN("aws.queue_url", "messaging.destination.name"),
	OF_SPAN("aws.topic_arn", "messaging.destination.name"),
	OF_SPAN("aws.region", "cloud.region"),
	OF_PROCESS("aws.ec2.instance_id", "host.id"),
	OF_PROCESS("aws.ec2.availability_zone", "cloud.availability_zone"),
	OF_PROCESS("aws.ecs.container", "container.name"),
	OF_PROCESS("aws.ecs.container_id", "container.id"),
	OF_PROCESS("aws.eks.cluster_name", "k8s.cluster.name"),
	OF_PROCESS("aws.eks.pod", INSTANCE_POD),
	OF_PROCESS("aws.eks.container_id", "container.id"),
	OF_PROCESS("aws.elastic_beanstalk.environment_name",
		   "deployment.environment"),
	OF_PROCESS("aws.elastic_beanstalk.version_label", "service.version"),
	OF_PROCESS("service.version", "service.version"),
	OF_PROCESS("service.runtime", "process.runtime.name"),
	OF_PROCESS("service.runtime_version", "process.runtime.version"),
};

const struct xray_naming *xray_naming(struct str path)
{
	for (size_t i = 0; i < sizeof namings / sizeof *namings; i++)
		if (str_equal(namings[i].path, path))
			return &namings[i];
	return NULL;
}
