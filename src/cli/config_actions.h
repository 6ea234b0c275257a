/* SPDX-License-Identifier: Apache-2.0
 *
 * What `tracefind config` can do: list, get, set, use, view, import.
 */
#ifndef CLI_CONFIG_ACTIONS_H
#define CLI_CONFIG_ACTIONS_H

#include "base/out.h"
#include "cli/config.h"

/* One run of the command. given: before the environment. */
struct config_run {
	struct config config;
	const struct options *given;
	struct options options;
	struct out out;
};

struct config_action {
	const char *name;
	size_t args; /* behind the name */
	const char *usage;
	bool (*run)(struct config_run *s, const char *const *args,
		    struct error *err);
	bool is_change;    /* of the user's file */
	bool takes_origin; /* --origin */
};

/* The action that the arguments name; NULL with ERROR_USAGE: none. */
const struct config_action *config_action_find(const struct options *o,
					       struct error *err);

#endif
