/* SPDX-License-Identifier: Apache-2.0
 *
 * From Grafana's data sources to contexts of the configuration.
 */
#ifndef CLI_CONFIG_IMPORT_H
#define CLI_CONFIG_IMPORT_H

#include "base/out.h"
#include "cli/config.h"

/* Makes a context of every server of traces in Grafana's provisioning file at
 * path (and of servers of profiles that none leads to), and adds them to the
 * user's file. name: the one context's, or NULL for those in Grafana. What was
 * taken over goes to out, and what has to be done by hand. */
bool config_import_grafana(const struct config *c, const char *path,
			   const char *name, struct out *out,
			   struct error *err) MUST_CHECK;

#endif
