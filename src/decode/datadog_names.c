/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/datadog_names.h"

#include "base/count.h"
#include "base/instance.h"

#define TEXT(literal)                                                          \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

struct naming {
	struct str tag;
	struct str key;
};

static const struct naming of_process[DATADOG_PROCESS_KEYS] = {
	[DATADOG_SERVICE] = { TEXT("_dd.base_service"), TEXT("service.name") },
	[DATADOG_VERSION] = { TEXT("version"), TEXT("service.version") },
	[DATADOG_ENV] = { TEXT("env"), TEXT("deployment.environment") },
	[DATADOG_INSTANCE] = { TEXT("runtime-id"), TEXT(INSTANCE_ID) },
	[DATADOG_HOST] = { TEXT("_dd.hostname"), TEXT(INSTANCE_HOST) },
	[DATADOG_LANGUAGE] = { TEXT("language"),
			       TEXT("telemetry.sdk.language") },
	[DATADOG_PID] = { TEXT("process_id"), TEXT("process.pid") },
	[DATADOG_CONTAINER] = { TEXT("container_id"), TEXT("container.id") },
	[DATADOG_POD] = { TEXT("pod_name"), TEXT(INSTANCE_POD) },
};

static const struct naming of_span[] = {
	{ TEXT("sql.query"), TEXT("db.query.text") },
	{ TEXT("redis.raw_command"), TEXT("db.query.text") },
	{ TEXT("mongodb.query"), TEXT("db.query.text") },
	{ TEXT("cassandra.query"), TEXT("db.query.text") },
	{ TEXT("db.type"), TEXT("db.system") },
	{ TEXT("db.row_count"), TEXT("db.response.returned_rows") },
	{ TEXT("out.host"), TEXT("server.address") },
	{ TEXT("out.port"), TEXT("server.port") },
	{ TEXT("network.destination.name"), TEXT("server.address") },
	{ TEXT("network.destination.port"), TEXT("server.port") },
	{ TEXT("grpc.method.name"), TEXT("rpc.method") },
	{ TEXT("grpc.method.service"), TEXT("rpc.service") },
	{ TEXT("http.useragent"), TEXT("user_agent.original") },
	{ TEXT("error.stack"), TEXT("exception.stacktrace") },
};

static const struct str databases[] = {
	TEXT("sql"),      TEXT("cassandra"),     TEXT("redis"),
	TEXT("mongodb"),  TEXT("elasticsearch"), TEXT("memcached"),
	TEXT("dynamodb"), TEXT("opensearch"),    TEXT("db"),
};

unsigned datadog_process_key(struct str tag)
{
	unsigned i;

	/* As older tracers have it. */
	if (str_equal(tag, STR("system.pid")) ||
	    str_equal(tag, STR("system.process_id")))
		return DATADOG_PID;
	for (i = 0; i < DATADOG_PROCESS_KEYS; i++)
		if (str_equal(of_process[i].tag, tag))
			break;
	return i;
}

struct str datadog_process_name(unsigned key)
{
	return of_process[key].key;
}

struct str datadog_span_key(struct str tag)
{
	for (size_t i = 0; i < COUNT_OF(of_span); i++)
		if (str_equal(of_span[i].tag, tag))
			return of_span[i].key;
	return tag;
}

bool datadog_type_is_database(struct str type)
{
	for (size_t i = 0; i < COUNT_OF(databases); i++)
		if (str_equal(databases[i], type))
			return true;
	return false;
}
