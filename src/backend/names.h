/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of services and types in answers that were kept in a folder. Asks
 * nobody.
 */
#ifndef BACKEND_NAMES_H
#define BACKEND_NAMES_H

#include <stdbool.h>

#include "backend/source.h"
#include "base/arena.h"

/* Reads the kept names of types, else of services; sorted, some more than once,
 * in the arena. What cannot be read has none. list: empty. */
void kept_names_read(const char *folder, bool is_types, struct arena *arena,
		     struct name_list *list);

#endif
