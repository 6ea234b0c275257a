/* SPDX-License-Identifier: Apache-2.0
 *
 * Which outputs a run was asked for, and what they need. Writes nothing.
 */
#ifndef CLI_OUTPUT_WANTED_H
#define CLI_OUTPUT_WANTED_H

#include "cli/options.h"
#include "render/render.h"

/* What -o asked for, "table" on standard output by default. */
const struct output_option *output_wanted(const struct options *o,
					  size_t *count);

/* Whether a format that -o asked for needs this of enum render_needs. */
bool output_needs(const struct options *o, unsigned needs);

/* Whether one of the formats shows ranked functions, or what ranking tells. */
bool output_shows_ranks(const struct options *o);

/* How many functions a page among those formats lists; 0: there is none. */
size_t output_functions(const struct options *o);

#endif
