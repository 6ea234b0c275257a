/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/backends.h"

void gaps_count(struct gaps *g, const struct error *err)
{
	g->count++;
	if (g->first.code == ERROR_NONE)
		g->first = *err;
}

void gaps_tell(struct gaps *g, const char *about, const struct error *err)
{
	if (g->told_count++ < GAPS_TOLD)
		notes_add(g->notes, GAPS_NOTE_FRONT "%s failed: %s", about,
			  err->message);
	else
		notes_add(g->notes, "further queries failed");
}
