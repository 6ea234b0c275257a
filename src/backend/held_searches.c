/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/held_searches.h"

#include "wire/har_held.h"

bool held_searches_each(const struct har *har, held_search_taker take,
			void *context, size_t *count, struct error *err)
{
	*count = 0;
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct http_response response = { 0 };
		struct har_held held = har_held_at(har, i);
		bool done;

		if (!held.has_answer || !har_held_is_search(held.url))
			continue;
		done = har_held_response(har, i, &response, err);
		if (done)
			take(context, &response);
		http_response_release(&response);
		if (!done)
			return false;
		++*count;
	}
	return true;
}

bool held_searches_any(const struct har *har)
{
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);

		if (held.has_answer && har_held_is_search(held.url))
			return true;
	}
	return false;
}
