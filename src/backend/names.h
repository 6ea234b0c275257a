/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of services and types from answers that were saved in a folder. Sends
 * nothing.
 */
#ifndef BACKEND_NAMES_H
#define BACKEND_NAMES_H

#include <stdbool.h>

#include "backend/source.h"
#include "base/arena.h"

/* Reads the saved names of types, or of services; sorted, possibly with
 * duplicates, in the arena. Unreadable files are skipped. list: empty. */
void kept_names_read(const char *folder, bool is_types, struct arena *arena,
		     struct name_list *list);

#endif
