/* SPDX-License-Identifier: Apache-2.0
 *
 * What `tracefind config list` and `get` print of the configuration's files.
 */
#ifndef CLI_CONFIG_LIST_H
#define CLI_CONFIG_LIST_H

#include "base/out.h"
#include "cli/config.h"

/* All contexts with the addresses of their servers, the one in force marked. */
void config_list(const struct config *c, struct out *out);

/* The values of a key in the context in force, else before all contexts.
 * ERROR_NOT_FOUND when it is not set. */
bool config_get(const struct config *c, const char *key, struct out *out,
		struct error *err) MUST_CHECK;

#endif
