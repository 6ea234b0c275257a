/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in force for a run and where each value comes from.
 */
#ifndef CLI_CONFIG_VIEW_H
#define CLI_CONFIG_VIEW_H

#include "base/out.h"
#include "cli/config.h"

/* Writes "key = value" lines of all that option, environment and configuration
 * set, and of defaults; with is_origin each with its origin. `given` are the
 * options as the command line left them. Secrets are not written. */
bool config_view(const struct config *c, const struct options *given,
		 bool is_origin, struct out *out, struct error *err) MUST_CHECK;

/* "[redacted]" in place of what a value may hide: user info in a URL, the
 * value of a header that is not known to be harmless. */
void config_value_show(struct out *out, const struct option_form *form,
		       const char *value);

#endif
