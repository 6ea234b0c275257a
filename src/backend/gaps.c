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
		notes_add(g->notes, "no answer about %s: %s", about,
			  err->message);
	else
		notes_add(g->notes, "no answer about more than that");
}

/* Of 4xx these say no more than "not now" or "not you". */
bool gaps_is_refusal(int status)
{
	static const int lost[] = { 401, 403, 407, 408, 429, 499 };

	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
		if (status == lost[i])
			return false;
	return (status >= 400 && status < 500) || status == 501;
}
