/* SPDX-License-Identifier: Apache-2.0
 *
 * Grafana's provisioned data sources (YAML): trace and profile servers, and the
 * links between them. Secrets are skipped, never kept. The only user of
 * libyaml.
 */
#ifndef DECODE_GRAFANA_H
#define DECODE_GRAFANA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

enum grafana_type {
	GRAFANA_OTHER = 0,
	GRAFANA_TEMPO,
	GRAFANA_JAEGER,
	GRAFANA_PYROSCOPE,
};

/* A span attribute and the corresponding profile label. */
struct grafana_tag {
	const char *key;
	const char *value; /* NULL: same as key */
};

/* A custom header; its value is among the secrets. */
struct grafana_header {
	const char *name;
	/* Only for X-Scope-OrgID, which is not secret; else NULL. */
	const char *value;
	bool is_secret_there; /* the file contains a value */
};

/* A data source; strings live in the arena, NULL if absent. */
struct grafana_source {
	enum grafana_type type;
	const char *name;
	const char *uid;
	const char *url;
	const char *user; /* basicAuthUser, if basicAuth is on */
	bool is_basic;
	bool is_insecure; /* tlsSkipVerify */
	bool has_cacert;  /* tlsAuthWithCACert */
	bool has_cert;    /* tlsAuth */
	struct grafana_header headers[LIMIT_GRAFANA_HEADERS];
	const char *profiles_uid; /* tracesToProfiles.datasourceUid */
	const char *profile_type; /* tracesToProfiles.profileTypeId */
	struct grafana_tag tags[LIMIT_GRAFANA_TAGS];
	size_t tag_count;
	unsigned line;
};

struct grafana {
	struct grafana_source *sources; /* in file order */
	size_t count;
	size_t cap;
};

/* Parses the text of the file at path. Fails with ERROR_FORMAT and a message
 * "path:line: ..." if it is not YAML, nests too deep or uses aliases. Sources
 * of other types are kept as GRAFANA_OTHER. */
bool grafana_parse(struct grafana *g, const char *path, struct str text,
		   struct arena *arena, struct error *err) MUST_CHECK;

#endif
