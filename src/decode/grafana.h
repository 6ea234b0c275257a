/* SPDX-License-Identifier: Apache-2.0
 *
 * Grafana's provisioned data sources (YAML): which servers of traces and
 * profiles there are, and how the one leads to the other. The .c is the only
 * file that includes libyaml. Secrets are passed over, never kept.
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

/* Attribute of a span and label of profiles. */
struct grafana_tag {
	const char *key;
	const char *value; /* NULL: the key itself */
};

/* A header of its own; its value lies among the secrets. */
struct grafana_header {
	const char *name;
	/* Only of X-Scope-OrgID, which is no secret; else NULL. */
	const char *value;
	bool is_secret_there; /* the file holds a value */
};

/* One data source; strings live in the arena, NULL where not given. */
struct grafana_source {
	enum grafana_type type;
	const char *name;
	const char *uid;
	const char *url;
	const char *user; /* basicAuthUser, when basicAuth is on */
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
	struct grafana_source *sources; /* in the order of the file */
	size_t count;
	size_t cap;
};

/* Reads the text of the file at path. ERROR_FORMAT with "path:line: " when it
 * is no YAML, nests too deep, or uses aliases. Sources of other types are kept
 * as GRAFANA_OTHER. */
bool grafana_parse(struct grafana *g, const char *path, struct str text,
		   struct arena *arena, struct error *err) MUST_CHECK;

#endif
