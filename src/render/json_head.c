/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_head.h"

#define SCHEMA_VERSION 1

void json_head(struct jsonw *w, const char *command)
{
	jsonw_pair_i64(w, "schema_version", SCHEMA_VERSION);
	jsonw_pair_text(w, "tool", "tracefind " TRACEFIND_VERSION);
	jsonw_pair_text(w, "command", command);
}
