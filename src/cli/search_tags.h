/* SPDX-License-Identifier: Apache-2.0
 *
 * `tracefind search --tags`: what can be searched for. The names of tags, or
 * the values of one.
 */
#ifndef CLI_SEARCH_TAGS_H
#define CLI_SEARCH_TAGS_H

#include "cli/context.h"

/* Asks and prints, one a line or as JSON. ERROR_NOT_FOUND when the window has
 * none, ERROR_USAGE for what a Jaeger cannot list. */
bool search_tags(struct context *ctx, struct error *err) MUST_CHECK;

#endif
