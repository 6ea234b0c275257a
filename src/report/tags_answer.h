/* SPDX-License-Identifier: Apache-2.0
 *
 * How labels, or the values of one, are listed: one a line or as JSON. Knows
 * no options.
 */
#ifndef REPORT_TAGS_ANSWER_H
#define REPORT_TAGS_ANSWER_H

#include "backend/source.h"
#include "backend/trace_queries.h"
#include "render/answer_writer.h"

struct tags_answer {
	struct tags_query query;
	struct name_list names;
	size_t shown; /* of the names */
};

extern const struct answer_writer tags_writer; /* struct tags_answer */

/* There are none. Always false, ERROR_NOT_FOUND. */
bool tags_explain_none(const struct tags_query *query, struct error *err);

#endif
