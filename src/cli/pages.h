/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands, a page each: options to a question, its answer to the outputs.
 * Each returns the exit status.
 */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include <stddef.h>

#include "base/error.h"

struct options;
struct run; /* run.h */

int cmd_slow(const struct options *o);
int cmd_diff(const struct options *o);
int cmd_check(const struct options *o);
int cmd_cost(const struct options *o);
int cmd_show(const struct options *o);
int cmd_search(const struct options *o);
int cmd_profile(const struct options *o);
int cmd_leak(const struct options *o);
int cmd_dash(const struct options *o);
int cmd_alert(const struct options *o);
int cmd_slo(const struct options *o);
int cmd_services(const struct options *o);
int cmd_when(const struct options *o);
int cmd_export(const struct options *o);
int cmd_convert(const struct options *o);
int cmd_types(const struct options *o);
int cmd_doctor(const struct options *o);
int cmd_mcp(const struct options *o);
int cmd_config(const struct options *o);
int cmd_completion(const struct options *o);
int cmd_help(const struct options *o);
int cmd_version(const struct options *o);

/* What show and profile do between run_begin() and run_end(), also for
 * convert. */
bool show_trace(struct run *r, struct error *err) MUST_CHECK;
bool show_profile(struct run *r, struct error *err) MUST_CHECK;

/* Action i of the command config; NULL past the last. */
const char *config_action_name(size_t i);

#endif
