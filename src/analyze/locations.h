/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and lines for functions that were ranked from a profile without them:
 * samples of spans come by name only, the same functions of the whole service
 * come with places.
 */
#ifndef ANALYZE_LOCATIONS_H
#define ANALYZE_LOCATIONS_H

#include "analyze/code_rules.h"
#include "model/profile.h"
#include "model/result.h"

/* Gives the functions of profiles without files theirs, by name, from n
 * profiles of the same code: whose code a bare "call" or "each" is only its
 * place tells. Profiles with files of their own are left alone. Where a name
 * lies in several files the samples decide first whether it is the
 * application's, then the file; a tie leaves it unknown. Lines stay unknown.
 * rules: the user's, or NULL. */
bool profiles_take_files(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 const struct code_rules *rules,
			 struct error *err) MUST_CHECK;

/* Gives the frames of profiles without lines the line of their function where
 * the n profiles of the same code have samples on one line of it only. */
bool profiles_take_lines(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 struct error *err) MUST_CHECK;

/* Fills file and, with_lines, the hottest line of rows that have none. Names
 * must be equal, and files that a row has. Files are borrowed from the
 * result's arena. */
bool rows_add_locations(struct result *result, const struct profile *p,
			bool with_lines, struct error *err) MUST_CHECK;

#endif
