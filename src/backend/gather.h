/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of answers that grow in an arena while an answer is read, whichever
 * server sent it. Past their limit they take no more, which is no failure.
 */
#ifndef BACKEND_GATHER_H
#define BACKEND_GATHER_H

#include "backend/profile_backend.h"
#include "base/json.h"

struct name_gatherer {
	struct arena *arena;
	struct name_list *list;
	size_t cap;
	bool is_failed; /* no memory */
};

void name_gatherer_init(struct name_gatherer *g, struct arena *arena,
			struct name_list *list);
void name_gatherer_add(struct name_gatherer *g, struct str name);
/* [".."], for answer_read_field(). */
void name_gatherer_read(struct json_reader *r, void *name_gatherer);
/* Sorts the list. */
bool name_gatherer_finish(struct name_gatherer *g,
			  struct error *err) MUST_CHECK;

/* Appends another part's names, and sorts again. */
bool name_list_add(struct name_list *list, struct arena *arena,
		   const struct name_list *part, struct error *err) MUST_CHECK;

/* Appends series by the same labels. One of several parts is listed as often,
 * which readers must expect of servers anyway. */
bool series_list_add(struct series_list *list, struct arena *arena,
		     const struct series_list *part,
		     struct error *err) MUST_CHECK;

struct total_gatherer {
	const struct totals_query *query;
	struct arena *arena;
	struct totals *totals;
	size_t cap;
	bool is_failed; /* no memory */
};

void total_gatherer_init(struct total_gatherer *g,
			 const struct totals_query *query, struct arena *arena,
			 struct totals *totals);
/* Room for one more, empty; NULL past the limit or without memory. */
struct total *total_gatherer_add(struct total_gatherer *g);
bool total_gatherer_finish(const struct total_gatherer *g,
			   struct error *err) MUST_CHECK;

#endif
